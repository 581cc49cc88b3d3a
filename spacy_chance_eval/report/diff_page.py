"""Pages of two annotations and where they differ."""

from markupsafe import Markup

from .diff_words import facts
from .html import page
from .words import counted

SORTS = {
    "errors": "most differences first",
    "f": "lowest F first",
    "document": "in the order of the files",
}
RELATIONS = ("correct", "partial", "label differs", "missing", "spurious")
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
        "relations": {relation: i for i, relation in enumerate(RELATIONS)},
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
