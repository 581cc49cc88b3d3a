"""Pages of sentences with both of their trees. All numbers come from results."""

from .agreement_page import agreement_index
from .html import page

ROWS = 1000  # rows, and tokens of a list, that are shown of a sentence
CONFUSED = 40  # pairs of relations, those most often confused
SCORES = {"dependency": "LAS", "constituency": "Jaccard"}
DRAWN = (
    "Drawn above each other: the tree of {} and that of {}. Arcs lead from heads to dependents; a "
    "token whose head or relation differs is underlined, its arc dashed. A root has no arc: its "
    "relation stands beneath it."
)
LISTED = (
    "Side by side: the tree of {} and that of {}. A bracket, which is a label over a stretch of "
    "leaves, is underlined if only one of both trees has it."
)
HOW_TO_READ = {"dependency": DRAWN, "constituency": LISTED}


def sentences_view(kind, sentences, *, names, notes=(), confused=None):
    """What the templates say of sentences.

    Parameters
    ----------
    kind : "dependency" or "constituency"
    sentences : sequence of dict
        As `integrations.tree_pages.sentence_of` makes them, most different first; their `trees`
        are safe markup.
    names : (str, str)
        Whose trees they are.
    notes : sequence of str
    confused : mapping of (str, str) to int, optional
        How often relations of a token differ in which way.
    """
    dependency = kind == "dependency"
    used = {label for sentence in sentences for row in sentence["rows"] for label in labels_of(row)}
    labels = {label: number for number, label in enumerate(sorted(used))}
    differences = ("head", "relation", "head and relation") if dependency else names
    score = SCORES[kind]
    return {
        "kind": kind,
        "names": names,
        "notes": list(notes),
        "confused": sorted((confused or {}).items(), key=lambda row: (-row[1], row[0]))[:CONFUSED],
        "sentences": [shown(sentence, kind, names, labels) for sentence in sentences],
        "how_to_read": HOW_TO_READ[kind].format(*names),
        "difference": "Difference" if dependency else "Only in the tree of",
        "differences": [(words, number) for number, words in enumerate(differences)],
        "label": "Relation" if dependency else "Label",
        "labels": labels,
        "score": score,
        "orders": [
            ("distance", "largest distance first"),
            ("score", f"lowest {score} first"),
            ("place", "in the order of the files"),
        ],
    }


def labels_of(row):
    """The labels of a row."""
    return [side["label"] for side in row["sides"]] if "sides" in row else [row["label"]]


def shown(sentence, kind, names, labels):
    """A sentence as the templates show it, with what its rows are filtered by."""
    rows = [
        row | {"used": " ".join(str(labels[label]) for label in dict.fromkeys(labels_of(row)))}
        for row in sentence["rows"][:ROWS]
    ]
    lists = [
        {
            "title": f"{title.format(*names)}: {len(tokens)}",
            "tokens": tokens[:ROWS],
            "n_more": len(tokens[ROWS:]),
        }
        for title, tokens in sentence["lists"]
    ]
    return sentence | {
        "rows": rows,
        "n_more_rows": len(sentence["rows"][ROWS:]),
        "lists": lists,
        "said": said(sentence, kind, names),
    }


def said(sentence, kind, names):
    """How many tokens or brackets differ, in words."""
    n, size = len(sentence["rows"]), sentence["size"]
    if size is None:
        return f"{sentence['sizes'][0]} tokens and {sentence['sizes'][1]} tokens"
    if kind == "dependency":
        return f"{n} of {size} tokens {'differs' if n == 1 else 'differ'}"
    return f"{n} of {size} brackets only in one"


def tree_index(result, pairs, shown, view=None):
    """The index of an agreement of trees as one HTML page; with the sentences of a `view`."""
    counts = next((list(row["counts"]) for row in pairs if row["counts"]), [])
    return agreement_index(
        result, pairs, shown, counts=counts, template="tree_index.html", view=view
    )


def tree_pair_page(view, *, row, title, back, around, tables):
    """Sentences of two annotators as one HTML page.

    Parameters
    ----------
    view : dict
        As `sentences_view` makes it.
    row : dict or None
        What the index says of the pair; None on further pages.
    title : str
    back : (str, str)
        Address and words of a link to the index.
    around : (str or None, str or None)
        Addresses of the page before and the page behind.
    tables : dict
        As `pair_tables` makes them.
    """
    words = (words for words, _ in view["differences"])
    values = {"row": row, "counts": list(zip(words, row["counts"].values())) if row else []}
    values |= {"view": view, "title": title, "back": back, "around": around}
    return page("tree_pair.html", **values, **tables)
