"""How reports say what two annotations are, and what of them is shown."""

from unicodedata import combining, east_asian_width

from wasabi import color

from .agreement import column, in_blocks, indented, short
from .words import DASH, number, shown

SIDES = {("gold", "predicted"): ["Gold", "Predicted"]}
UNITS = {"token": "tokens", "char": "characters", "category": "documents"}


def side_names(names):
    """What reports call the sides of a diff; names other than the usual two stay as they are."""
    return SIDES.get(tuple(names), list(names))


def facts(summary):
    """What was compared, and what of it is shown."""
    for side, name in zip(("gold", "pred"), side_names(summary["names"])):
        yield name, f"{summary[side]}, layer {summary[f'{side}_layer']}"
    chosen = summary["filter"]
    filters = [
        f"{what} {', '.join(chosen[what])}"
        for what in ("labels", "relations", "documents")
        if chosen[what]
    ]
    size = f"{summary['n_docs']} on both sides, {summary['n_differing']} of them with differences"
    size += " that the filter keeps" if filters else ""
    if summary["n_skipped"]:
        size += f"; {summary['n_skipped']} not annotated on both sides: left out"
    yield "Documents", size
    if filters:
        yield "Only", "; ".join(filters) + " (the table of scores is of everything)"
    if summary["features"] != "none":
        yield "Features", f"that must agree: {summary['features']}"
    yield "Offsets", f"of {UNITS[summary['positions']]}, from 0; the end is the first one behind"


WIDTH = 100  # signs of a line
GAP = "  "  # between two columns
LABELS = 20  # in the matrix: those with most differences
ROWS = 40  # of one document
LENGTHS = (60, 40, 28, 20, 14)  # signs of a text, as many as fit the line
# colour only adds to what words say
COLOURS = {
    "correct": "green",
    "partial": "yellow",
    "label differs": "pink",
    "missing": "red",
    "spurious": "cyan",
}
NONE = "(none)"  # unlike a label "none"
LOOSE = "no place"  # of a span that fits no tokens, in place of offsets
SCORES = {"strict": "strict F", "lenient": "lenient F", "average": "average F", "span_f": "span_f"}


def diff_text(summary, documents, *, colour=False):
    """The summary of a comparison and some of its documents, as one text.

    Parameters
    ----------
    summary : dict
        As `diff_tables.summary` makes it.
    documents : sequence of dict
        As `Diff.documents` makes them.
    colour : bool
        Whether relations are coloured; they are always told in words.
    """
    return "\n".join(parts(summary, documents, painter(colour)))


def painter(colour):
    """paint(text, relation) gives the text, coloured if that is asked for."""
    if not colour:
        return lambda text, relation: text
    return lambda text, relation: color(text, fg=COLOURS[relation], bold=True)


def parts(summary, documents, paint):
    """The pieces of the text, in order."""
    yield "\n" + "\n".join(indented(shown(said), f"  {what:11}") for what, said in facts(summary))
    yield "\n" + counts_line(summary["counts"], paint)
    yield from score_table(summary["scores"])
    yield from matrix(summary)
    yield from error_table(summary["errors"], paint)
    yield from document_tables(summary, documents, paint)
    yield "signatures"
    yield "\n".join(shown(score["signature"]) for score in summary["scores"].values())


def counts_line(counts, paint):
    """How many pairs and single spans of each relation there are."""
    return "  " + GAP.join(f"{paint(name, name)} {n}" for name, n in counts.items())


def score_table(scores):
    """Observed, expected and corrected scores."""
    cells = [
        column("observed", (number(score["observed"]) for score in scores.values())),
        column("expected", (number(score["expected"]) for score in scores.values())),
        column("corrected", (number(corrected(score)) for score in scores.values())),
    ]
    yield "\nscores of all labels"
    yield from in_blocks("", [SCORES[name] for name in scores], [cells])


def corrected(score):
    """The corrected score; None where there is no chance model."""
    return None if score["expected"] is None else score["value"]


def matrix(summary):
    """The confusion of labels: those with most differences, and none."""
    table = summary["confusion"]
    labels, rows = table["labels"], table["rows"]
    worst = sorted(range(len(labels) - 1), key=lambda i: -table["differences"][i])[:LABELS]
    kept = [*sorted(worst), len(labels) - 1]
    names = [NONE if labels[i] is None else labels[i] for i in kept]
    if len(kept) < 2:
        return
    one, two = summary["names"]
    yield f"labels; rows: {shown(one)}, columns: {shown(two)}, {NONE}: nothing on that side"
    groups = [
        [column(short(name), (cell(rows, i, j) for i in kept))] for name, j in zip(names, kept)
    ]
    yield from in_blocks("", names, groups)
    left_out = len(labels) - len(kept) + table["n_left_out"]
    if left_out:
        yield f"({left_out} more labels, with fewer differences)\n"


def cell(rows, i, j):
    """One number of the matrix; there is no pair of nothing with nothing."""
    return "" if i == j == len(rows) - 1 else str(rows[i][j])


def error_table(errors, paint):
    """Kinds of errors with examples."""
    if not errors:
        return
    yield "kinds of errors, with examples from the worst documents"
    widest = max(len(kind["error"]) for kind in errors)
    digits = max(len(str(kind["n"])) for kind in errors)
    for kind in errors:
        name = paint(kind["error"], kind["relation"])
        own = "" if kind["error"] == kind["relation"] else f"({kind['relation']})"
        own = own and " " * (widest - len(kind["error"]) + 1) + own
        yield f"  {kind['n']:{digits}}  {name}{own}"
        yield from (f"  {'':{digits}}    {example(pair, digits + 6)}" for pair in kind["examples"])
    yield ""


def example(pair, indent):
    """A difference and its document, in a line."""
    document = cut(shown(pair["document"]), LENGTHS[-2])
    for most in LENGTHS:
        said = " > ".join(said_of(pair[key], most) for key in ("gold", "pred") if pair[key])
        if width(document + said) + indent + 2 <= WIDTH:
            break
    return f"{document}: {said}"


def document_tables(summary, documents, paint):
    """The pairs of each document."""
    for document in documents:
        yield from document_table(summary, document, paint)
    more = summary["n_shown"] - len(documents)
    if more and documents:
        yield f"({more} more documents: --top N, --html PATH, -o FILE)\n"


def document_table(summary, document, paint):
    """The pairs of one document."""
    counts = ", ".join(f"{n} {name}" for name, n in document["counts"].items() if n) or "no spans"
    yield f"{shown(document['document'])}: {counts}; strict F {number(document['f'])}"
    pairs, left_out = document["pairs"], 0
    if len(pairs) > ROWS:
        pairs = [pair for pair in pairs if pair["error"]]
        left_out = len(document["pairs"]) - len(pairs[:ROWS])
    if pairs:
        header = ["relation", "error", *map(shown, summary["names"])]
        yield from table(header, fitting(header, pairs[:ROWS]), paint)
    if left_out:
        yield f"  ({left_out} more rows, correct ones first: --html PATH, -o FILE)"
    yield ""


def fitting(header, pairs):
    """The rows of a table, with texts as long as its width allows."""
    for most in LENGTHS:
        rows = [cells_of(pair, most) for pair in pairs]
        if sum(widths([header, *rows])) + len(GAP) * len(header) <= WIDTH:
            break
    return rows


def cells_of(pair, most):
    """A pair as cells: relation, error, either side with so many signs of its text."""
    error = DASH if pair["error"] in (None, pair["relation"]) else pair["error"]
    return [pair["relation"], error, *(said_of(pair[key], most) for key in ("gold", "pred"))]


def said_of(side, most):
    """A span as label, offsets, text and features."""
    if side is None:
        return DASH
    place = LOOSE if side["start"] is None else f"{side['start']}-{side['end']}"
    text = "" if side["text"] is None else f'"{cut(shown(side["text"]), most)}"'
    said = ", ".join(f"{shown(str(key))}={shown(str(said))}" for key, said in sorted_features(side))
    said = f"{{{cut(said, most)}}}" if said else ""
    return " ".join(filter(None, (cut(shown(side["label"]), most), place, text, said)))


def sorted_features(side):
    """The features of a span in the order of their names."""
    return sorted(side["features"].items(), key=lambda pair: str(pair[0]))


def cut(text, most):
    """A text without its middle, if it is too long."""
    if len(text) <= most:
        return text
    half = (most - 2) // 2
    return f"{text[:half]}..{text[len(text) - (most - 2 - half) :]}"


def table(header, rows, paint):
    """Lines of a table whose first column are relations."""
    wide = widths([header, *rows])
    for place, row in enumerate([header, *rows]):
        cells = [text + " " * (most - width(text)) for text, most in zip(row, wide)]
        if place:
            cells[0] = cells[0].replace(row[0], paint(row[0], row[0]))
        yield ("  " + GAP.join(cells)).rstrip()


def widths(rows):
    """The width of each column."""
    return [max(map(width, cells)) for cells in zip(*rows)]


def width(text):
    """How many columns of the terminal a text takes."""
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )
