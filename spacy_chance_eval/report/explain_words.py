"""How the steps of an explanation read: formulas, the numbers put into them, tables of cells.

Numbers are formatted and picked here, never computed.
"""

from .diff_words import side_names
from .words import DASH, counted, number, shown

NEAR = 2  # tokens beside a span that are shown with it
GAP = "..."
TOGETHER = "all labels together"
PLACES = {
    "disjoint": "no two segments of an annotator share a token, and all such placements are "
    "equally likely",
    "overlapping": "each segment starts anywhere with equal probability, by itself; segments may "
    "share tokens",
    "nested": "the outermost segments fall as in the disjoint model, those inside a segment "
    "likewise inside it",
    "uniform": "as in the disjoint model, but every start is taken as equally likely where the "
    "paper's approximation allows it",
}
UNITS = {"doc": "the whole document", "sent": "its sentence"}
MASSES = {"span": "spans", "token": "tokens"}
ITEMS = {
    "IO": "a token counts once for each label",
    "BIO": "first tokens (B) and others (I) of spans count apart",
    "BIOE": "first (B), inner (I) and last (E) tokens of spans count apart",
    "IO*": "tokens count, and the gaps between tokens of one span",
}
SUMS = {
    "span": "Expected matches: for each pair of segments of one length, the sum over all starts of "
    "P(gold segment starts there) P(predicted segment starts there).",
    "token": "Expected matches: the sum over all tokens{} of P(gold marks it) P(predicted marks "
    "it).",
}
COUNTED = "[start, end) counts from 0; {}s and starts in tables and plots are numbered from 1"
INNER = (
    "Segments inside another one are given twice: where they start in the unit, and where they "
    "start inside their parent. Tokens are covered by outermost segments alone."
)
UNDEFINED = {
    "observed": "neither side has anything: there is no F",
    "corrected": "chance alone is perfect: there is nothing to correct",
}
POSITIONS = {"token": "token", "char": "character", "category": "document"}


def facts(result):
    """What is explained and how, as pairs of a name and words."""
    layers = dict.fromkeys((result["gold_layer"], result["pred_layer"]))
    first, second = side_names(result["names"])
    rows = [
        (first, f"{result['gold']}, layer {result['gold_layer']}"),
        (second, f"{result['pred']}, layer {result['pred_layer']}"),
    ]
    if result["gold"] == result["pred"] and len(layers) == 1:
        rows = rows[:1]
    model = f"{result['chance']}: {PLACES[result['chance']]}"
    rows.append(("Chance", f"{model}; within {UNITS[result['unit']]}"))
    rows.append(("Tokens", f"encoding {result['encoding']}: {ITEMS[result['encoding']]}"))
    if "document" in result:
        rows.append(("Places", COUNTED.format(POSITIONS[result["positions"]])))
    rows.append(("Made by", f"spacy-chance-eval {result['version']}"))
    return rows


def entries(result):
    """What is said of the labels; of one or none, nothing is said of all together."""
    return result["labels"][1:] if len(result["labels"]) <= 2 else result["labels"]


def sum_words(result, level):
    """How expected matches come about."""
    kinds = f" and kinds of marks ({', '.join(result['items'])})"
    return SUMS[level].format(kinds if len(result["items"]) > 1 else "")


def size(result):
    """How long a document is, and in how many units."""
    positions = counted(result["n"], POSITIONS[result["positions"]])
    return f"{positions}, {counted(len(result['units']), 'unit')}"


def title(label):
    """What an entry is about."""
    return TOGETHER if label is None else f"label {shown(label)}"


def amount(value):
    """A mass: whole numbers as such, expectations with four decimals."""
    whole = isinstance(value, float) and value.is_integer()
    return number(int(value) if whole else value)


# --- spans and tokens


def span(one):
    """A span in words: its number, place and text."""
    text = "" if one["text"] is None else f" {shown(one['text'])}"
    return f"{one['number']} [{one['start']}, {one['end']}){text}"


def unplaced(length):
    """A span that fits no tokens."""
    return f"{length} long, fits no tokens"


def level_steps(level, what):
    """The steps to a corrected F: dicts of name, formula, numbers, value."""
    f, items = level["scores"]["f"], MASSES[what]
    observed, expected = level["observed"], level["expected"]
    found = [
        {
            "name": f"F of {items}",
            "formula": "2 matches / (gold + predicted)",
            "numbers": fraction(observed),
            "value": number(f["observed"]),
            "reason": UNDEFINED["observed"] if f["observed"] is None else None,
        }
    ]
    if expected is None:
        return [*found, undefined(f"F of {items} by chance", level["reason"])]
    found.append(
        {
            "name": f"F of {items} by chance",
            "formula": "2 expected matches / (gold + predicted)",
            "numbers": fraction(expected),
            "value": number(f["expected"]),
            "reason": UNDEFINED["observed"] if f["expected"] is None else None,
        }
    )
    known = [number(f[name]) for name in ("observed", "expected")]
    reason = None
    if f["corrected"] is None:
        reason = UNDEFINED["observed" if f["observed"] is None else "corrected"]
    found.append(
        {
            "name": "corrected F",
            "formula": "(F - F by chance) / (1 - F by chance)",
            "numbers": f"({known[0]} - {known[1]}) / (1 - {known[1]})",
            "value": number(f["corrected"]),
            "reason": reason,
        }
    )
    return found


def undefined(name, reason):
    """A step that leads nowhere."""
    return {"name": name, "formula": "", "numbers": "", "value": DASH, "reason": reason}


def fraction(masses):
    """2 x 1 / (2 + 3)"""
    return (
        f"2 x {number(masses['matches'])} / ({amount(masses['gold'])} + {amount(masses['pred'])})"
    )


def score_rows(level):
    """Precision, recall and F, each with its three scores as text."""
    keys = ("observed", "expected", "corrected")
    return [
        [name, *(number(score[key]) for key in keys)] for name, score in level["scores"].items()
    ]


def lengths(unit, side):
    """The lengths of the segments of one side of a unit: 1, 2 (3 times)."""
    found = unit[side]["lengths"]
    rows = ((length, found.count(length)) for length in sorted(set(found)))
    return ", ".join(f"{a} ({k} times)" if k > 1 else str(a) for a, k in rows) or "none"


def match_rows(entry):
    """Expected span matches by length: length, gold, predicted, expected."""
    return [
        [number(row["length"]), number(row["gold"]), number(row["pred"]), number(row["expected"])]
        for row in entry["matches"]
    ]


def start_rows(unit, names):
    """Where segments fall: side, length, which, places, P of the first start, P in the middle."""
    rows = []
    for side, name in zip(("gold", "pred"), names):
        for kind in unit[side]["kinds"]:
            rows.append([name, *kind_cells(kind, kind["starts"])])
            if kind["inside"] is not None:
                inside = f"{name}, inside {listed(kind['parents'])}"
                rows.append([inside, *kind_cells(kind, kind["inside"])])
    return rows


def kind_cells(kind, starts):
    """Length, segments, places, and the probability of the first and of the middle start."""
    middle = starts[(len(starts) - 1) // 2]
    which = listed(kind["segments"])
    return [str(kind["length"]), which, str(len(starts)), number(starts[0]), number(middle)]


def listed(numbers, most=6):
    """1, 2, 3 ... and how many more."""
    words = ", ".join(map(str, numbers[:most]))
    return words + (f" and {len(numbers) - most} more" if len(numbers) > most else "")


def start_table(unit, side, most):
    """Probabilities of the first starts: the heads of the columns, and a row a start.

    Distributions are the same from behind, and flat between the edges: the last row is the middle.
    """
    kinds = unit[side]["kinds"]
    heads = [f"length {kind['length']} (segments {listed(kind['segments'])})" for kind in kinds]
    longest = max((len(kind["starts"]) for kind in kinds), default=0)
    rows = [
        [
            str(place + 1),
            *(
                number(kind["starts"][place]) if place < len(kind["starts"]) else DASH
                for kind in kinds
            ),
        ]
        for place in range(min((longest + 1) // 2, most))
    ]
    middle = [number(kind["starts"][(len(kind["starts"]) - 1) // 2]) for kind in kinds]
    return heads, [*rows, ["middle", *middle]]


# --- tokens


def token_rows(result, entry, most):
    """Rows of the table of tokens, those near spans if there are too many; and how many are not.

    A row: number of the token from 1, token, segments of gold and of the prediction there,
    P(gold covers it), P(predicted covers it), expected matches there. None stands for a gap.
    """
    tokens = picked(result["n"], entry["spans"], most)
    marks = [marked(entry["spans"][side]) for side in ("gold", "pred")]
    words, rows, before = result["tokens"], [], -1
    columns = chances(result, entry)
    for token in tokens:
        if token != before + 1:
            rows.append(None)
        word = DASH if words is None else shown(words[token])
        segments = [", ".join(map(str, side.get(token, ()))) for side in marks]
        chance = [number(column.get(token)) for column in columns]
        rows.append([str(token + 1), word, *segments, *chance])
        before = token
    if tokens and before + 1 < result["n"]:
        rows.append(None)
    return rows, result["n"] - len(tokens)


def picked(n, spans, most):
    """All tokens, or as many as wanted of those in and near spans."""
    if n <= most:
        return list(range(n))
    near = {
        token
        for side in spans.values()
        for span in side
        for token in range(max(span["start"] - NEAR, 0), min(span["end"] + NEAR, n))
    }
    return sorted(near)[:most]


def marked(spans):
    """{token: numbers of the segments there}."""
    found = {}
    for span in spans:
        for token in range(span["start"], span["end"]):
            found.setdefault(token, []).append(span["number"])
    return found


def chances(result, entry):
    """{token: probability} that gold covers it, that the prediction does, and expected matches.

    In units without any segment all is 0; tokens of no unit were not annotated.
    """
    inside = [token for start, end in result["units"] for token in range(start, end)]
    columns = [dict.fromkeys(inside, 0.0) for _ in range(3)]
    for unit in entry["units"]:
        values = (unit["gold"]["covered"], unit["pred"]["covered"], unit["common"])
        for column, numbers in zip(columns, values):
            numbers = numbers if numbers is not None else [None] * unit["n"]
            column.update(zip(range(unit["start"], unit["end"]), numbers))
    return columns


# --- the corpus


def share_row(row, name):
    """A label or document and what it carries, as cells."""
    f = row.get("f") or row["scores"]["f"]
    observed, expected = row["observed"], row["expected"]
    return [
        shown(name),
        *(amount(observed[key]) for key in ("gold", "pred", "matches")),
        number(expected["matches"]),
        number(row["share"]),
        number(row["cumulative"]),
        *(number(f[key]) for key in ("observed", "expected", "corrected")),
    ]


SHARES = (
    *("gold", "predicted", "matches", "expected", "share", "cumulative"),
    *("F", "F by chance", "corrected"),
)
