"""Agreement of annotators as a piece of HTML for notebooks. Everything from data is escaped."""

from dataclasses import dataclass

from ..analysis.diff import diff, summary
from ..corpora.pairs import CorpusPair
from ..formats.files import replaced_folder, write_atomically
from ..formats.paths import path_of
from ..measures.differences import RELATIONS
from . import agreement as texts
from .agreement import marked
from .diff_pages import MOST, RELATION_TITLES, document_of, documents_page
from .drawing import renderer_of
from .html import new_environment, page
from .words import interval, number

# where the scale of colours ends; black text has a contrast of more than 5 on both
WHITE, GREEN, RED = (255, 255, 255), (46, 160, 67), (229, 83, 75)
TEXT = "#000000"
BAND, STRIPE = "#e3e6ea", "#c3c9d1"
# of a value that is undefined: no shade of the scale, with stripes on paper without colours, too
HATCHED = (
    f"background:{BAND} repeating-linear-gradient(135deg,{BAND} 0 5px,{STRIPE} 5px 7px);"
    f"color:{TEXT}"
)


def agreement_html(result):
    """Summary and matrix of pairs as an HTML fragment with its own style, without script.

    The matrix is that of the first metric; numbers are always written, colours only add to them.

    Parameters
    ----------
    result : dict
        As `agreement` makes it. It may have a `title` and a list of `sources`.
    """
    environment = new_environment()
    environment.filters |= {"corrected": corrected_mean, "colour": colour, "said": said}
    environment.tests["coloured"] = is_coloured
    metrics = result["metrics"]
    drawn = [metric for metric in metrics[:1] if metric["pairs"]]
    return environment.get_template("agreement_table.html").render(
        result=result,
        facts=texts.facts(result),
        item=texts.document(result),
        title=result.get("title"),
        reasons=list(texts.summary_reasons(result)),
        explanations=texts.explanations(result),
        matrices=[(metric, texts.heading(metric), *texts.matrix(metric)) for metric in drawn],
        pair_reasons=list(texts.pair_reasons(drawn)),
    )


def corrected_mean(metric):
    """The mean of the pairs as corrected for chance, None where there is no chance model."""
    return texts.corrected(metric, metric["mean"])


def is_coloured(metric):
    """Whether the values of a metric have a place between 0 and 1, the best."""
    return metric["higher_is_better"] and not metric["bits"]


def colour(row, metric):
    """Style of a cell: green from white at .5 to full at 1, red from white at .5 to full at 0.

    Hatched where the value is undefined.
    """
    if row["value"] is None:
        return HATCHED
    if not is_coloured(metric):
        return ""
    return f"background-color:{shade(row['value'])};color:{TEXT}"


def shade(value):
    """The colour of a value; beyond 0 and 1 that of the nearest of them."""
    full = GREEN if value > 0.5 else RED
    share = min(1, 2 * abs(value - 0.5))
    mixed = (round(low + share * (high - low)) for low, high in zip(WHITE, full))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def said(pair, metric, item="document"):
    """A pair in words: what its cell has no room for; `item` is what it shares."""
    between = "and" if metric["symmetric"] else "as gold,"
    parts = [f"{pair['first']} {between} {pair['second']}: {number(pair['value'])}"]
    parts += [f"interval {interval(pair['interval'])}"] * (pair["interval"] is not None)
    if metric["corrected"] and pair["observed"] is not None:
        parts.append(f"observed {number(pair['observed'])}")
        parts.append(f"expected {number(pair['expected'])}")
    parts.append(f"{item}s that both saw: {pair['n_docs']}")
    return "; ".join(parts + [pair["reason"]] * (pair["reason"] is not None))


CELLS = 10_000  # so many cells of matrices by label on one page, for browsers' sake
SCALE = [step / 10 for step in range(11)]
ALL = "All labels"


def agreement_index(
    result,
    pairs=(),
    shown=None,
    *,
    counts=RELATION_TITLES,
    template="agreement_index.html",
    **values,
):
    """The index of an agreement as one HTML page.

    Parameters
    ----------
    result : dict
        As `agreement` makes it. It may have a `title` and a list of `sources`.
    pairs : sequence of dict
        The pairs of annotators: `first`, `second`, `n_docs`, `n_differing`, `counts` of
        differences, and `page`, an address relative to the index; None where there is no page.
    shown : mapping, optional
        Where documents are drawn: by place, an address and the names of the pair.
    counts : sequence of str
        The keys of the differences of pairs.
    template : str
        One that extends "agreement_index.html", which needs `values`.
    """
    metrics = result["metrics"]
    labels = labels_with_matrix(metrics)
    links = {frozenset((row["first"], row["second"])): row["page"] for row in pairs}
    return page(
        template,
        result=result,
        title=result.get("title"),
        facts=texts.facts(result),
        marked=texts.marked(result),
        item=texts.document(result),
        trees=result["positions"] == texts.TREE,
        majority=texts.has_majority(result),
        explanations=texts.explanations(result),
        summary_reasons=list(texts.summary_reasons(result)),
        views=[view(result, metric, i, labels) for i, metric in enumerate(metrics, 1)],
        n_left_out=len(rows_of_labels(metrics)) - len(labels),
        pairs=pairs,
        shown=shown or {},
        link=lambda pair: links.get(frozenset((pair["first"], pair["second"]))),
        scale=[(step, shade(step)) for step in SCALE],
        hatched=HATCHED,
        relations=counts,
        about_pairs=texts.of_pairs(result),
        colour=colour,
        corrected=texts.corrected,
        is_coloured=is_coloured,
        said=said,
        **values,
    )


def labels_with_matrix(metrics):
    """Labels that have matrices of their own: all, or those used most if cells would be too many.

    In their order.
    """
    n_cells = sum(len(metric["pairs"]) for metric in metrics)
    rows = rows_of_labels(metrics)
    most = sorted(rows, key=lambda row: -row["n_spans"])[: CELLS // max(1, n_cells)]
    kept = {row["label"] for row in most}
    return [row["label"] for row in rows if row["label"] in kept]


def rows_of_labels(metrics):
    """The rows of labels of the first metric that scores them."""
    return next((metric["per_label"] for metric in metrics if metric["per_label"]), [])


def view(result, metric, number, labels):
    """What the index shows of one metric."""
    key = f"metric-{number}"
    item = texts.document(result)
    metrics = {ALL: metric} | by_label(metric, labels, item) if metric["pairs"] else {}
    about = {annotator["name"]: annotator for annotator in result["annotators"]}
    rows, by = metric["annotators"], texts.scores_by_label(metric)
    parts = ["others"] + ["majority"] * texts.has_majority(result)
    sides = [(row["annotator"], {part: row[part] for part in parts}) for row in rows]
    return {
        "id": key,
        "metric": metric,
        "heading": texts.heading(metric),
        "matrices": [
            matrix_view(f"{key}-matrix-{i}", name, one)
            for i, (name, one) in enumerate(metrics.items(), 1)
        ],
        "costly": texts.of_documents(metric, item),
        "has_distances": any(row.get("distance") is not None for row in metric["documents"]),
        "annotators": [(row, about[row["annotator"]]) for row in rows],
        "annotator_reasons": list(texts.reasons(sides)),
        "label_reasons": list(texts.reasons(by.items())),
        "by_label": sorted(by),
    }


def matrix_view(key, name, metric):
    """What the index shows of one matrix."""
    columns, rows = texts.matrix(metric)
    reasons = list(texts.pair_reasons([metric]))
    return {"id": key, "name": name, "columns": columns, "rows": rows, "reasons": reasons}


def by_label(metric, labels, item):
    """The metric with its pairs as they score for each label; empty if none has such a score."""
    found = {}
    for label in labels:
        pairs = [{**pair, **texts.of_label(pair, label, item)} for pair in metric["pairs"]]
        found[label] = metric | {"pairs": pairs}
    if all(pair["value"] is None for one in found.values() for pair in one["pairs"]):
        return {}
    return {f"Label {label}": one for label, one in found.items()}


def pair_tables(result, names):
    """The scores of two annotators, as values of the template `agreement_pair.html`.

    Parameters
    ----------
    result : dict
        As `agreement` makes it.
    names : pair of str
    """
    rows = [
        (metric, pair)
        for metric in result["metrics"]
        for pair in metric["pairs"]
        if {pair["first"], pair["second"]} == set(names)
    ]
    named = [(metric_and_sides(*row), row[1]) for row in rows]
    used = sorted({label for _, pair in rows for label in pair["per_label"]})
    scoring, item = texts.with_labels(result), texts.document(result)
    by_metric = {
        name: {label: texts.of_label(pair, label, item) for label in used}
        for (name, pair), (metric, _) in zip(named, rows)
        if metric in scoring
    }
    return {
        "rows_of_pair": [(metric, pair, name) for (metric, pair), (name, _) in zip(rows, named)],
        "label_heads": list(by_metric),
        "rows_of_labels": [
            (label, [by_name[label] for by_name in by_metric.values()]) for label in used
        ],
        "pair_reasons": list(texts.reasons((name, {"": pair}) for name, pair in named)),
        "label_reasons": list(texts.reasons(by_metric.items())),
    }


def metric_and_sides(metric, pair):
    """The name of a metric; which annotator is taken for gold, where that matters."""
    return metric["metric"] + f", {pair['first']} as gold" * (not metric["symmetric"])


INDEX = "index.html"
NAMES = r"index\.html|pair-[0-9]{3,}-[0-9]{3,}(-[0-9]{4,})?\.html"  # files of the folder
NO_SHARED = "no document that both saw"


@dataclass(frozen=True, eq=False)
class PanelPair(CorpusPair):
    """Two annotators of a panel, who are aligned already."""

    both: tuple = ()

    def aligned(self):
        """The two as aligned `Spans`."""
        return self.both


def write_agreement(agreement, path, *, corpus=None, n_docs=MOST, progress=None):
    """Write an agreement as a folder of pages, or its index as one self-contained page.

    Parameters
    ----------
    agreement : Agreement
        As `agree` and `agree_files` return it.
    path : str or Path
        A folder: `index.html` with matrices of annotators, and for each pair of them a page of
        documents with both annotations. It takes the place of a folder of such pages. If it ends in
        .html: the index alone.
    corpus : Corpus, optional
        The documents, with a layer for each annotator; by default those of the agreement. For Docs,
        `integrations.panels.corpus_of_docs` makes it.
    n_docs : int
        How many documents of a pair are shown, those with most differences first; 0: all that
        differ. A page has 200 at most.
    progress : callable, optional
        progress(steps, total, what) wraps the pairs; for progress bars.

    Raises
    ------
    FormatError
        If a file cannot be written, or the folder holds files that are not ours. Then nothing is
        changed.
    ValueError
        If the documents are not known.

    Examples
    --------
    >>> import spacy
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from spacy_chance_eval import agree
    >>> from spacy_chance_eval.integrations.panels import corpus_of_docs, panel_of_docs
    >>> doc = spacy.blank("en")("Ada met Bob in Oslo")
    >>> doc.spans["alice"] = [doc.char_span(0, 3, "PER"), doc.char_span(15, 19, "LOC")]
    >>> doc.spans["bob"] = [doc.char_span(0, 3, "PER")]
    >>> layers = ["spans:alice", "spans:bob"]
    >>> found = agree(panel_of_docs([doc], layers))
    >>> with TemporaryDirectory() as folder:
    ...     write_agreement(found, folder, corpus=corpus_of_docs([doc], layers))
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['index.html', 'pair-001-002.html']
    """
    path, panel, result = path_of(path), agreement.panel, agreement.to_dict()
    if path.suffix.lower() == ".html":
        write_atomically(path, agreement_index(result))
        return
    corpus = corpus or agreement.corpus
    if panel is None or corpus is None:
        raise ValueError(
            "pages of pairs need the documents: pass corpus= (of Docs as corpus_of_docs makes it), "
            "or write the index alone: a path that ends in .html"
        )
    wanted = {row["place"] for metric in result["metrics"] for row in metric["documents"]}
    watch = progress or (lambda steps, total=None, what="": steps)
    numbers = panel.pairs()
    with replaced_folder(path, NAMES) as folder:
        rows, shown = [], Shown(wanted)
        for pair in watch(numbers, len(numbers), "Pages of pairs"):
            row, pages, found = pair_pages(result, panel, corpus, pair, n_docs)
            for name, places, page in pages:
                write_atomically(folder / name, page)
                shown.add(name, places, found, row)
            rows.append(row)
        write_atomically(folder / INDEX, agreement_index(result, rows, shown.addresses()))


class Shown:
    """Where the documents of an index are drawn: on the page of the pair that differs most."""

    def __init__(self, wanted):
        self.wanted, self.best = wanted, {}

    def add(self, page, places, found, row):
        """Take note of a page's documents."""
        for place in self.wanted.intersection(places):
            n_errors = int(found.counts[place, 1:].sum())
            if n_errors > self.best.get(place, (0,))[0]:
                address = f"{page}#document-{place + 1}"
                self.best[place] = n_errors, address, (row["first"], row["second"])

    def addresses(self):
        """By place of a document: its address, and the names of the pair."""
        return {place: found[1:] for place, found in self.best.items()}


def pair_pages(result, panel, corpus, pair, n_docs):
    """What the index says of a pair, its pages as they are made, and its `Diff`.

    Pages are triples of a file name, the places of the documents, and HTML.
    """
    names = [panel.names[number] for number in pair]
    row = {"first": names[0], "second": names[1], "n_docs": panel.n_shared(*pair)}
    row |= {"n_differing": None, "counts": dict.fromkeys(RELATIONS), "page": None}
    if not row["n_docs"]:
        return row | {"reason": NO_SHARED}, (), None
    categories = panel.positions == "category"
    sides = corpus, names[0], corpus, names[1]
    found = diff(PanelPair(*sides, names, names, categories, panel.pair(*pair)))
    overview = summary(found, scores=False)
    row |= {key: overview[key] for key in ("n_differing", "counts")}
    row |= {"page": page_name(pair, 1), "reason": None}
    return row, documents_pages(result, found, overview, pair, n_docs), found


def documents_pages(result, found, overview, pair, n_docs):
    """The pages of a pair, made as they are gone through."""
    order = found.order[:n_docs] if n_docs else found.order
    starts = range(0, max(1, len(order)), MOST)
    files = [page_name(pair, number) for number, _ in enumerate(starts, 1)]
    names = found.compared.names
    title = f"{names[0]} and {names[1]}"
    tables = pair_tables(result, names)
    notes = list(notes_of(found, len(order)))
    renderer = renderer_of(found.gold.labels)
    for page_index, (start, name) in enumerate(zip(starts, files)):
        places = order[start : start + MOST].tolist()
        text = documents_page(
            None if page_index else overview,
            [document_of(found, place, renderer) for place in places],
            names=names,
            positions=found.compared.positions,
            sort=found.sort,
            template="agreement_pair.html",
            title=title if len(files) == 1 else f"{title}, page {page_index + 1} of {len(files)}",
            back=(INDEX, "All annotators"),
            notes=[] if page_index else notes,
            pages=[],
            around=(
                files[page_index - 1] if page_index else None,
                (files[page_index + 1 :] or [None])[0],
            ),
            addresses={found.names[place]: f"#document-{place + 1}" for place in places},
            marked=marked(result),
            **tables,
        )
        yield name, places, text


def notes_of(found, n_shown):
    """Which documents of a pair are not on its pages, in words."""
    if n_shown < len(found.order):
        yield (
            f"Shown: {n_shown} of {len(found.order)} documents with differences, those with most "
            "of them (--html-docs 0 shows all)."
        )
    alike = int(found.gold.seen.sum()) - len(found.order)
    if alike:
        yield f"Documents without a difference, which are not shown: {alike}."


def page_name(pair, number):
    """The file name of a page of a pair: annotators by number, whatever their names are."""
    first, second = (place + 1 for place in pair)
    more = f"-{number:04}" if number > 1 else ""
    return f"pair-{first:03}-{second:03}{more}.html"
