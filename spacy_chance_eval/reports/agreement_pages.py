"""Agreement of annotators as HTML: a table for notebooks, an index, and pages of pairs.

Everything from data is escaped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from ..analysis.diff import Diff, diff, summary
from ..corpora.pairs import CorpusPair
from ..formats import Corpus
from ..formats.outputs import local_path, replaced_folder, write_atomically
from ..measures.arrays import Progress
from ..measures.differences import RELATIONS
from ..measures.fragments import have_fragments
from ..measures.panel import Panel
from ..measures.spans import Spans
from ..scoring.statistics import headline
from .agreement import (
    agreement_details,
    agreement_verdict,
    annotator_name,
    busiest_annotators,
    documents_caption,
    excerpt,
    explanations,
    first_pair,
    has_majority,
    has_pairs,
    heading,
    item_name,
    label_scores,
    mark_name,
    metric_heading,
    metrics_with_labels,
    pair_matrix,
    pair_reasons,
    pair_verdict,
    pairs_caption,
    reasons,
    rows_of_labels,
    scores_by_label,
    summary_reasons,
)
from .diff_pages import INDEX, PER_PAGE, diff_document, documents_page
from .drawing import span_renderer
from .html import page
from .matrix_figures import BLACK, scale_colour, text_colour
from .words import TREE, Result, TableRow, interval_of, interval_text, number, part_columns

P = TypeVar("P", covariant=True)
C = TypeVar("C", covariant=True)

BAND, STRIPE = "#e3e6ea", "#c3c9d1"
# of a value that is undefined: no shade of the scale, with stripes on paper without colours, too
HATCHED = (
    f"background:{BAND} repeating-linear-gradient(135deg,{BAND} 0 5px,{STRIPE} 5px 7px);"
    f"color:{BLACK}"
)
SCALE = [step / 5 for step in range(-5, 6)]
ALL_LABELS = "All labels"
CELLS = 10_000  # of matrices by label on one page, for browsers' sake
AGREEMENT_PAGE_NAMES = r"index\.html|pair-[0-9]{3,}-[0-9]{3,}(-[0-9]{4,})?\.html"  # in a folder
HAVE_GAPS = (
    "no page: it cannot draw discontinuous spans; rewrite them as spans from their first to their "
    "last token, or as a span for each piece"
)


class PanelAgreement(Protocol[P, C]):
    """The agreement of a panel P, and the documents C that it annotated."""

    @property
    def panel(self) -> P: ...

    @property
    def corpus(self) -> C: ...

    def to_dict(self) -> TableRow: ...


def agreement_html(result: Result) -> str:
    """Summary and matrix of pairs as an HTML fragment with its own style, without script.

    The matrix is that of the first metric. Numbers are always written, colours only add to them.
    """
    verdict = agreement_verdict(result)
    result = excerpt(result)
    metrics = result["metrics"]
    drawn = [metric for metric in metrics[:1] if metric["pairs"]]
    return page(
        "agreement_table.html",
        result=result,
        verdict=verdict,
        facts=agreement_details(result),
        item=item_name(result),
        title=heading(result),
        reasons=summary_reasons(result),
        explanations=explanations(result),
        matrices=[(metric, metric_heading(metric), *pair_matrix(metric)) for metric in drawn],
        pair_reasons=pair_reasons(drawn),
        colour=_colour,
        is_coloured=_is_coloured,
        pair_text=_pair_text,
    )


def agreement_index(
    result: Result,
    pairs: Sequence[Result] = (),
    drawn: Mapping[int, tuple[str, Sequence[str]]] | None = None,
    *,
    counts: Sequence[str] = RELATIONS,
    template: str = "agreement_index.html",
    **values: object,
) -> str:
    """The index of an agreement as one HTML page.

    Parameters
    ----------
    result : dict
        An agreement as plain values. It may have a `title` and a list of `sources`.
    pairs : sequence of dict
        The pairs of annotators: `first`, `second`, `n_docs`, `n_differing`, `counts` of
        differences, and `page`, an address relative to the index; None where there is no page.
    drawn : mapping, optional
        Where documents are drawn: by index, an address and the names of the pair.
    counts : sequence of str
        The keys of the differences of pairs.
    template : str
        "agreement_index.html", or one that extends it.
    values : dict
        Further values of the template.
    """
    verdict, first = agreement_verdict(result), first_pair(result)
    result = excerpt(result)
    metrics = result["metrics"]
    labels = _labels_with_matrix(metrics)
    links = {frozenset((row["first"], row["second"])): row["page"] for row in pairs}
    return page(
        template,
        signatures=[metric["signature"] for metric in metrics],
        result=result,
        verdict=verdict,
        first=first,
        overview=_overview(result),
        title=heading(result),
        facts=agreement_details(result),
        marks=mark_name(result),
        item=item_name(result),
        who=annotator_name(result),
        trees=result["positions"] == TREE,
        majority=has_majority(result),
        explanations=explanations(result),
        summary_reasons=summary_reasons(result),
        views=[_metric_values(result, metric, i, labels) for i, metric in enumerate(metrics, 1)],
        n_left_out=len(rows_of_labels(metrics)) - len(labels),
        pairs=pairs,
        drawn=drawn or {},
        link=lambda pair: links.get(frozenset((pair["first"], pair["second"]))),
        scale=[(step, shade(step)) for step in SCALE],
        hatched=HATCHED,
        any_coloured=any(map(_is_coloured, metrics)),
        relations=counts,
        pairs_caption=pairs_caption(result),
        colour=_colour,
        is_coloured=_is_coloured,
        pair_text=_pair_text,
        pair_matrix=pair_matrix,
        pair_reasons=pair_reasons,
        **values,
    )


def write_agreement(
    agreement: PanelAgreement[Panel | None, Corpus | None],
    path: str | Path,
    *,
    corpus: Corpus | None = None,
    n_docs: int = PER_PAGE,
    progress: Progress | None = None,
) -> None:
    """Write an agreement as a folder of pages, or its index as one self-contained page.

    Parameters
    ----------
    agreement : Agreement
        The result of `agree` or `agree_files`.
    path : str or Path
        A folder: `index.html` with matrices of annotators, and for each pair of them a page of
        documents with both annotations (of a crowd, for the pairs of its busiest annotators). It
        takes the place of a folder of such pages. If it ends in .html: the index alone.
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
    target, panel, result = local_path(path), agreement.panel, agreement.to_dict()
    if target.suffix.lower() == ".html":
        write_atomically(target, agreement_index(result))
        return
    corpus = corpus or agreement.corpus
    if panel is None or corpus is None:
        raise ValueError(
            "pages of pairs need the documents: pass corpus= (for Docs, corpus_of_docs makes it), "
            "or write the index alone: a path that ends in .html"
        )
    shown = set(busiest_annotators(result))
    named = ((pair, {panel.names[number] for number in pair}) for pair in panel.sharing_pairs)
    pairs = [pair for pair, names in named if names <= shown]
    with replaced_folder(target, AGREEMENT_PAGE_NAMES) as folder:
        rows, index = [], DrawnItems(result)
        for pair in progress(pairs, len(pairs), "Pages of pairs") if progress else pairs:
            rows.append(_write_pair(folder, result, panel, corpus, pair, n_docs, index))
        write_atomically(folder / INDEX, agreement_index(result, rows, index.addresses()))


# --- the index


class DrawnItems:
    """Where the documents or sentences of an index are drawn: for the pair that differs most."""

    def __init__(self, result: Result) -> None:
        self.item_indices = {
            row["place"] for metric in result["metrics"] for row in metric["documents"]
        }
        self._best: dict[int, tuple[float, str, Sequence[str]]] = {}

    def add(self, item_index: int, difference: float, address: str, names: Sequence[str]) -> None:
        """Take note of one that is drawn; it is ignored unless the index lists it."""
        known = self._best.get(item_index)
        if item_index in self.item_indices and (known is None or difference > known[0]):
            self._best[item_index] = difference, address, names

    def addresses(self) -> dict[int, tuple[str, Sequence[str]]]:
        """By index: an address, and the names of the pair."""
        return {index: best[1:] for index, best in self._best.items()}


def shade(value: float) -> str:
    """The style of a value: background colour and text colour."""
    background = scale_colour(value)
    return f"background-color:{background};color:{text_colour(background)}"


def _colour(row: Result, metric: Result) -> str:
    """The style of a cell: a shade, or hatched where the value is undefined."""
    if headline(row) is None:
        return HATCHED
    if not _is_coloured(metric):
        return ""
    return shade(headline(row))


def _is_coloured(metric: Result) -> bool:
    """Whether 1 is the best value of a metric and 0 is chance level or no agreement."""
    return metric["higher_is_better"] and not metric["bits"]


def _pair_text(pair: Result, metric: Result, item: str = "document") -> str:
    """The scores of a pair in words, which do not fit its cell; `item` names the shared items."""
    between = "and" if metric["symmetric"] else "as gold,"
    parts = [f"{pair['first']} {between} {pair['second']}: {number(headline(pair))}"]
    parts += [f"interval {interval_text(interval_of(pair))}"] * (interval_of(pair) is not None)
    if metric["is_corrected"] and pair["observed"] is not None:
        parts += [f"{title} {cells[0]}" for title, cells in part_columns([pair])]
    parts.append(f"{item}s that both saw: {pair['n_docs']}")
    return "; ".join(parts + [pair["reason"]] * (pair["reason"] is not None))


def _overview(result: Result) -> TableRow:
    """The rows of the overview: all annotators together, then each against the others."""
    metrics, names = result["metrics"], [one["name"] for one in result["annotators"]]
    rows: list[tuple[str, list[Result]]] = []
    if metrics and has_pairs(result):
        title = " and ".join(names) if len(names) == 2 else "Mean of the pairs"
        rows.append((title, [metric["mean"] for metric in metrics]))
    if metrics and (len(names) > 2 or not rows):
        rows.append(("Team", [metric["team"] for metric in metrics]))
    who = annotator_name(result)
    caption, head = f"The agreement of all {who}s", f"{who}s".capitalize()
    if len(names) == 2:
        caption = "The agreement of both"
    if metrics and len(names) > 2 and has_pairs(result):
        caption += ", then of each with all others"
        others = [
            {row["annotator"]: row["others"] for row in metric["annotators"]} for metric in metrics
        ]
        shared = [name for name in names if all(name in one for one in others)]
        rows += [(name, [one[name] for one in others]) for name in shared]
    return {"rows": rows, "caption": caption, "head": head}


def _labels_with_matrix(metrics: Sequence[Result]) -> list[str]:
    """Labels that have matrices of their own, in their order: as many as there is room for.

    Those that are used most come first.
    """
    n_cells = sum(len(metric["pairs"]) for metric in metrics)
    rows = rows_of_labels(metrics)
    most = sorted(rows, key=lambda row: -row["n_spans"])[: CELLS // max(1, n_cells)]
    kept = {row["label"] for row in most}
    return [row["label"] for row in rows if row["label"] in kept]


def _metric_values(result: Result, metric: Result, number: int, labels: Sequence[str]) -> TableRow:
    """The values of one metric for the template."""
    key = f"metric-{number}"
    whom = "the team " if annotator_name(result) == "annotator" else ""
    item = item_name(result)
    matrices = {ALL_LABELS: metric} | _by_label(metric, labels, item) if metric["pairs"] else {}
    by_name = {annotator["name"]: annotator for annotator in result["annotators"]}
    rows = metric["annotators"]
    by_label = scores_by_label(metric, has_pairs(result))
    parts = ["others"] + ["majority"] * has_majority(result)
    sides = [(row["annotator"], {part: row[part] for part in parts}) for row in rows]
    return {
        "id": key,
        "metric": metric,
        "heading": metric_heading(metric),
        "matrices": matrices,
        "costly": documents_caption(metric, item, whom),
        "has_distances": any(row.get("distance") is not None for row in metric["documents"]),
        "annotators": [(row, by_name[row["annotator"]]) for row in rows],
        "annotator_reasons": list(reasons(sides)),
        "label_reasons": list(reasons(by_label.items())),
        "by_label": sorted(by_label),
    }


def _by_label(metric: Result, labels: Sequence[str], item: str) -> dict[str, Result]:
    """The metric with the scores of its pairs for each label; empty if none has such a score."""
    by_label: dict[str, Result] = {}
    own = {row["label"] for row in metric["per_label"]}
    for label in filter(own.__contains__, labels):
        pairs = [{**pair, **label_scores(pair, label, item)} for pair in metric["pairs"]]
        by_label[f"Label {label}"] = {**metric, "pairs": pairs}
    if all(headline(pair) is None for one in by_label.values() for pair in one["pairs"]):
        return {}
    return by_label


# --- pages of pairs


@dataclass(frozen=True, eq=False)
class _PanelPair(CorpusPair):
    """Two annotators of a panel, who are aligned already."""

    both: Sequence[Spans] = ()

    def aligned(self) -> tuple[Spans, Spans]:
        """The two as aligned `Spans`."""
        first, second = self.both
        return first, second


def pair_tables(result: Result, names: Collection[str]) -> TableRow:
    """The scores of two annotators, as values of the templates of pairs."""
    rows = [
        (metric, pair)
        for metric in result["metrics"]
        for pair in metric["pairs"]
        if {pair["first"], pair["second"]} == set(names)
    ]
    titles = [
        metric["metric"] + f", {pair['first']} as gold" * (not metric["symmetric"])
        for metric, pair in rows
    ]
    labels = sorted({label for _, pair in rows for label in pair["per_label"]})
    scoring, item = metrics_with_labels(result), item_name(result)
    by_title = {
        title: {label: label_scores(pair, label, item) for label in labels}
        for title, (metric, pair) in zip(titles, rows)
        if metric in scoring
    }
    return {
        "rows_of_pair": [(metric, pair, title) for title, (metric, pair) in zip(titles, rows)],
        "label_heads": list(by_title),
        "rows_of_labels": [
            (label, [by_label[label] for by_label in by_title.values()]) for label in labels
        ],
        "pair_reasons": list(
            reasons((title, {"": pair}) for title, (_, pair) in zip(titles, rows))
        ),
        "label_reasons": list(reasons(by_title.items())),
    }


def page_names(pair: tuple[int, int], n_pages: int) -> list[str]:
    """The file names of the pages of a pair: annotators by number, not by name."""
    name = "pair-" + "-".join(f"{number + 1:03}" for number in pair)
    return [f"{name}.html", *(f"{name}-{i:04}.html" for i in range(2, n_pages + 1))]


def _write_pair(
    folder: Path,
    result: Result,
    panel: Panel,
    corpus: Corpus,
    pair: tuple[int, int],
    n_docs: int,
    index: DrawnItems,
) -> TableRow:
    """Write the pages of a pair; return its entry in the index."""
    first, second = (panel.names[number] for number in pair)
    row = {"first": first, "second": second, "n_docs": panel.n_shared(*pair)}
    names = (first, second)
    both = panel.pair(*pair)
    if have_fragments(*both):
        nothing = {"n_differing": None, "counts": dict.fromkeys(RELATIONS), "page": None}
        return row | nothing | {"reason": HAVE_GAPS}
    categories = panel.positions == "category"
    found = diff(_PanelPair(corpus, first, corpus, second, names, names, categories, both=both))
    overview = summary(found, scores=False)
    pages = _pair_pages(result, found, overview, pair, n_docs)
    for name, doc_indices, text in pages:
        write_atomically(folder / name, text)
        for doc_index in doc_indices:
            n_errors = int(found.counts[doc_index, 1:].sum())
            index.add(doc_index, n_errors, f"{name}#document-{doc_index + 1}", names)
    row |= {key: overview[key] for key in ("n_differing", "counts")}
    return row | {"page": page_names(pair, 1)[0], "reason": None}


def _pair_pages(
    result: Result, found: Diff, overview: Result, pair: tuple[int, int], n_docs: int
) -> Iterator[tuple[str, list[int], str]]:
    """The pages of a pair as they are made: file name, indices of the documents, HTML."""
    order = found.order[:n_docs] if n_docs else found.order
    files = page_names(pair, -(-len(order) // PER_PAGE))
    around = [None, *files, None]
    names = found.compared.names
    title = f"{names[0]} and {names[1]}"
    tables = pair_tables(result, names)
    verdict = pair_verdict(result, names, overview["n_differing"])
    which, n_docs = "most of them", int(found.gold.seen.sum())
    notes = pair_notes("documents", which, len(order), len(found.order), n_docs)
    renderer = span_renderer(found.gold.labels)
    for page_number, name in enumerate(files, 1):
        doc_indices = order[(page_number - 1) * PER_PAGE : page_number * PER_PAGE].tolist()
        text = documents_page(
            overview if page_number == 1 else None,
            [diff_document(found, doc_index, renderer) for doc_index in doc_indices],
            selection=overview,
            names=names,
            positions=found.compared.positions,
            template="agreement_pair.html",
            title=title if len(files) == 1 else f"{title}, page {page_number} of {len(files)}",
            back=(INDEX, "All annotators"),
            notes=notes if page_number == 1 else [],
            around=(around[page_number - 1], around[page_number + 1]),
            addresses={found.names[i]: f"#document-{i + 1}" for i in doc_indices},
            marks=mark_name(result),
            verdict=verdict if page_number == 1 else "",
            **tables,
        )
        yield name, doc_indices, text


def pair_notes(items: str, which: str, n_shown: int, n_differing: int, n_docs: int) -> list[str]:
    """Which documents or sentences of a pair are not on its pages; `which` are those shown."""
    notes = []
    if n_shown < n_differing:
        notes.append(
            f"Shown: {n_shown} of {n_differing} {items} with differences, those with {which}."
        )
    if n_docs > n_differing:
        alike = n_docs - n_differing
        notes.append(f"{items.capitalize()} without a difference, which are not shown: {alike}.")
    return notes
