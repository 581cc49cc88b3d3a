"""Pages of two annotations and where they differ."""

import re
from pathlib import Path

from markupsafe import Markup

from ..analysis.diff import summary
from ..formats import FormatError
from ..formats.files import replaced_folder, write_atomically
from ..formats.paths import path_of
from .diff import facts, side_names
from .drawing import drawn, renderer_of
from .html import page
from .words import counted

SORTS = {
    "errors": "most differences first",
    "f": "lowest F first",
    "document": "in the order of the files",
}
RELATION_TITLES = ("correct", "partial", "label differs", "missing", "spurious")
SCORES = (
    ("strict", "value", "Strict F"),
    ("lenient", "value", "Lenient F"),
    ("average", "value", "Average F"),
    ("span_f", "observed", "Span F, observed"),
    ("span_f", "expected", "Expected"),
    ("span_f", "value", "Corrected"),
)
WIDEST = 40  # labels, above which the confusion is a list
LONGEST = 200  # rows of that list
ROWS = 1000  # pairs of a document that are shown


def documents_page(overview, documents, *, names, sort, template="diff.html", **values):
    """A page of documents, of the whole corpus, or both.

    Parameters
    ----------
    overview : dict or None
        As `diff_tables.summary` makes it.
    documents : sequence of dict
        As `Diff.document` and `drawing.drawn` make them; their markup is safe already.
    names : (str, str)
        What the page calls both sides.
    sort : str
        How documents are sorted, a key of `SORTS`.
    template : str
        "diff.html", or one that extends it.
    values : dict
        `title`, `back`, `notes`, `positions`, `pages`, `around`, and `addresses` of documents by
        name, as `integrations.diff_pages.diff_page` has them.
    """
    labels = {
        side["label"]
        for document in documents
        for pair in document["pairs"]
        for side in (pair["gold"], pair["pred"])
        if side
    }
    known = {label: i for i, label in enumerate(sorted(labels))}
    orders = [sort, *(name for name in SORTS if name != sort)]
    values |= {
        "overview": overview and overviewed(overview),
        "documents": [shown_document(document) for document in documents],
        "names": names,
        "labels": known,
        "relations": {relation: i for i, relation in enumerate(RELATION_TITLES)},
        "orders": [(name, SORTS[name]) for name in orders],
    }
    return page(template, **values)


def shown_document(document):
    """A document as the templates show it: its first pairs, and how many there are beyond."""
    pairs, counts = document["pairs"], document["counts"]
    return safe(document) | {
        "pairs": pairs[:ROWS],
        "n_more_pairs": max(0, len(pairs) - ROWS),
        "n_wrong": sum(n for relation, n in counts.items() if relation != "correct"),
    }


def safe(document):
    """A document whose passages' markup the templates leave as it is."""
    passages = [
        passage | {"sides": [Markup(side) for side in passage["sides"]]}
        for passage in document["passages"]
    ]
    return document | {"passages": passages}


def overviewed(summary):
    """A summary with its facts in words, its scores as a table, and what confusion is shown."""
    return summary | {
        "facts": page_facts(summary),
        "scores": score_rows(summary["scores"]),
        "most_confused": most_confused(summary["confusion"]),
    }


def page_facts(summary):
    """What was compared and found, as pairs of a name and words."""
    counts = ", ".join(f"{n} {relation}" for relation, n in summary["counts"].items())
    shown = f"{counted(summary['n_shown'], 'document')}, {SORTS[summary['sort']]}"
    return [*facts(summary), ("Pairs", counts), ("Shown", shown)]


def score_rows(scores):
    """The heads of the columns, and a row of values for all labels together and for each."""
    columns = [column for column in SCORES if column[0] in scores]
    if "span_f" in scores and scores["span_f"]["expected"] is None:
        columns = [column for column in columns if column[1] != "expected"]
    some = next(iter(scores.values()))["per_label"] if scores else ()
    rows = [("All", [scores[score][key] for score, key, _ in columns])]
    for label in some:
        values = [scores[score]["per_label"][label][key] for score, key, _ in columns]
        rows.append((label, values))
    return {"heads": [head for *_, head in columns], "rows": rows}


def most_confused(confusion):
    """Cells as rows (label, label, number), the greatest first, of a table too wide to show."""
    labels, rows = confusion["labels"], confusion["rows"]
    if len(labels) <= WIDEST:
        return []
    cells = [
        (one, two, n) for one, row in zip(labels, rows) for two, n in zip(labels, row) if n > 0
    ]
    return sorted(cells, key=lambda cell: -cell[2])[:LONGEST]


def error_page(result, system, documents, back=None):
    """One system's worst documents as an HTML page.

    Parameters
    ----------
    result : dict
        As `rank.rank_files` makes it.
    system : dict
        One of its systems.
    documents : sequence of dict
        Name, cost, passages and what is left out as `drawing.drawn` makes them, with the `missing`
        and `spurious` spans of each, and `unplaced` spans (length, label), worst first.
    back : str, optional
        Address of the board, if it is a page.
    """
    shown = [safe(document) for document in documents]
    values = {"system": system, "board": result["boards"][0], "documents": shown, "back": back}
    return page("errors.html", result=result, **values)


MOST = 200  # documents on a page
INDEX = "index.html"
PAGE_NAMES = r"index\.html|page-[0-9]{4,}\.html"  # files of the folder


def write_diff(diff, path, *, title=None, progress=iter):
    """Write a diff as one self-contained page, or as a folder of pages.

    Parameters
    ----------
    diff : Diff
    path : str or Path
        Ends in .html: one page with the worst 200 documents at most. Else a folder: `index.html`,
        and a page for each 200 documents. It takes the place of a folder of such pages.
    title : str, optional
    progress : callable
        Wraps the pages of a folder; for progress bars.

    Raises
    ------
    FormatError
        If a file cannot be written, or the folder holds files that are not ours. Then nothing is
        changed.
    """
    path = path_of(path)
    title = title or title_of(diff.compared.sources)
    if path.suffix.lower() == ".html":
        n_more = len(diff.order) - MOST
        notes = [
            f"This page holds the first {MOST} of {len(diff.order)} documents. To get them all, "
            "write into a folder: name one that does not end in .html."
        ]
        page = diff_page(diff, diff.order[:MOST], title=title, notes=notes[: n_more > 0])
        write_atomically(path, page)
        return
    with replaced_folder(path, PAGE_NAMES) as folder:
        for name, page in progress(Pages(diff, title)):
            write_atomically(folder / name, page)


def title_of(sources):
    """What pages are called by default: by the names of the files."""
    names = list(dict.fromkeys(path_of(source).name for source in sources))
    return f"Differences {'between' if len(names) > 1 else 'in'} {' and '.join(names)}"


class Pages:
    """Pairs (file name, HTML) of a folder, made as they are gone through; `len` is their number.

    `back` is an address, relative to the folder, and its words: for the index.
    """

    def __init__(self, diff, title, *, back=None, notes=()):
        self.diff, self.title, self.back, self.notes = diff, title, back, notes

    def __len__(self):
        return 1 + -(-len(self.diff.order) // MOST)

    def __iter__(self):
        diff, order = self.diff, self.diff.order
        renderer = renderer_of(diff.gold.labels)
        pages = listed(diff)
        home = {"title": self.title, "back": self.back, "notes": self.notes}
        yield INDEX, diff_page(diff, (), **home, pages=pages)
        for number, entry in enumerate(pages):
            places = order[number * MOST : (number + 1) * MOST]
            near = pages[:number][-1:], pages[number + 1 :][:1]
            around = [side[0]["address"] if side else None for side in near]
            title = f"{self.title}, page {number + 1} of {len(pages)}"
            back = INDEX, "Index"
            yield (
                entry["address"],
                diff_page(
                    diff,
                    places,
                    title=title,
                    back=back,
                    around=around,
                    overview=False,
                    renderer=renderer,
                ),
            )


def diff_page(
    diff,
    places,
    *,
    title,
    back=None,
    notes=(),
    overview=True,
    pages=(),
    around=(None, None),
    renderer=None,
):
    """Documents of a diff as one HTML page.

    Parameters
    ----------
    diff : Diff
        `diff.compared.names` are the names of both sides.
    places : sequence of int
        Which documents, in this order: up to 200 of `diff.order`.
    title : str
    back : (str, str), optional
        Address and words of a link to the page above.
    notes : sequence of str
    overview : bool
        Whether to begin with scores, confusion of labels and kinds of errors of the whole corpus.
    pages : sequence of dict
        The pages of the folder, if this is its index.
    around : (str or None, str or None)
        Addresses of the page before and the page behind.
    renderer : SpanRenderer, optional
        As `drawing.renderer_of` makes it; share it among pages.
    """
    renderer = renderer or renderer_of(diff.gold.labels)
    places = [int(place) for place in places]
    here = {diff.names[place]: f"#document-{place + 1}" for place in places}
    return documents_page(
        summary(diff) if overview else None,
        [document_of(diff, place, renderer) for place in places],
        names=side_names(diff.compared.names),
        positions=diff.compared.positions,
        sort=diff.sort,
        title=title,
        back=back,
        notes=list(notes),
        pages=list(pages),
        around=around,
        addresses=here | addresses(diff, pages),
    )


def addresses(diff, pages):
    """Where the documents of a folder are, by name."""
    if not pages:
        return {}
    return {
        diff.names[place]: f"{pages[i // MOST]['address']}#document-{place + 1}"
        for i, place in enumerate(diff.order.tolist())
    }


def listed(diff):
    """The pages of a folder in the words of its index."""
    pages = []
    for number, start in enumerate(range(0, len(diff.order), MOST), 1):
        places = diff.order[start : start + MOST]
        wrong = diff.counts[places, 1:].sum(axis=1)
        pages.append(
            {
                "address": f"page-{number:04}.html",
                "first": start + 1,
                "last": start + len(places),
                "names": [diff.names[places[0]], diff.names[places[-1]]],
                "differences": [int(wrong.min()), int(wrong.max())],
            }
        )
    return pages


def document_of(diff, place, renderer):
    """One document: its counts and pairs, and its text with the spans of both sides."""
    compared, found = diff.compared, diff.document(place)
    sides = ((compared.gold, compared.gold_layer), (compared.pred, compared.pred_layer))
    documents = [(corpus.documents[place], layer) for corpus, layer in sides]
    rows = [
        (one.categories if compared.categories else one.layers).get(layer) or ()
        for one, layer in documents
    ]
    wrong = [
        (side["start"], side["end"])
        for pair in found["pairs"]
        if pair["relation"] != "correct"
        for side in (pair["gold"], pair["pred"])
        if side and side["start"] is not None
    ]
    return found | drawn(renderer, documents[0][0], compared.positions, rows, wrong)


ERROR_PAGE_NAMES = r"[0-9]{2,}-[a-z0-9-]+\.html"  # files of the folder


def write_error_pages(result, corpora, prefix, *, back=True):
    """Write a page a system into the folder PREFIX_errors, and put its link into the result.

    Parameters
    ----------
    result : dict
        As `rank.rank_files` makes it; `errors` of its systems are set.
    corpora : dict
        As `rank.rank_files` makes it.
    prefix : str or Path
    back : bool
        Whether there will be a board PREFIX.html to go back to.

    Raises
    ------
    FormatError
        For gold without tokens, or if a page cannot be written; then no old page is lost.
    """
    gold, layer = corpora[None]
    if gold.positions != "token":
        raise FormatError("pages of errors need tokens", gold.path)
    folder = Path(f"{prefix}_errors")
    board = f"../{Path(prefix).name}.html" if back else None
    renderer = renderer_of(labels_of(corpora.values()))
    with replaced_folder(folder, ERROR_PAGE_NAMES) as new:
        for number, system in enumerate(result["systems"], 1):
            name = f"{number:02}-{slug(system['name'])}.html"
            pred, pred_layer = corpora[system["name"]]
            documents = [
                one
                | drawn_errors(
                    *(gold.documents[one["place"]], layer),
                    *(pred.documents[one["place"]], pred_layer),
                    renderer,
                )
                for one in system["worst"]
            ]
            write_atomically(new / name, error_page(result, system, documents, board))
            system["errors"] = f"{folder.name}/{name}"


def labels_of(sides):
    """All labels of layers of several corpora."""
    return {
        label
        for corpus, layer in sides
        for document in corpus.documents
        for *_, label in document.layers.get(layer) or ()
    }


def slug(name):
    """A name as part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "system"


def drawn_errors(gold, layer, pred, pred_layer, renderer):
    """A document as passages: what is drawn, and how the two sides differ there."""
    sides = [set(gold.layers.get(layer) or ()), set(pred.layers.get(pred_layer) or ())]
    missing, spurious = sorted(sides[0] - sides[1]), sorted(sides[1] - sides[0])
    wrong = [(start, end) for start, end, _ in missing + spurious]
    found = drawn(renderer, gold, "token", sides, wrong)
    for passage in found["passages"]:
        start, end = passage["start"], passage["end"]
        for key, rows in (("missing", missing), ("spurious", spurious)):
            passage[key] = [worded(gold, row) for row in rows if start <= row[0] < end]
    return found | {"unplaced": list(pred.unplaced.get(pred_layer, ()))}


def worded(document, row):
    """A span in words."""
    start, end, label = row
    return {"label": label, "text": " ".join(document.words[start:end])}
