"""How the steps of SL-ICM read: pairs, what was lost, what is noise. Formatted, never computed."""

from .agreement import indented, short
from .diff import side_names
from .words import DASH, counted, number, right_aligned, shown


def slicm_steps(slicm):
    """The steps to SL-ICM and its normalised value: dicts as `level_steps` has them."""
    bits = {name: number(value) for name, value in slicm["bits"].items()}
    value, gold = number(slicm["value"]), bits["gold"]
    return [
        {
            "name": "SL-ICM, bits",
            "formula": "3 I(common) - I(predicted) - I(gold)",
            "numbers": f"3 x {bits['common']} - {bits['pred']} - {gold}",
            "value": value,
            "reason": None,
        },
        {
            "name": "the same",
            "formula": "I(common) - lost - noise",
            "numbers": f"{bits['common']} - {bits['lost']} - {bits['noise']}",
            "value": value,
            "reason": None,
        },
        {
            "name": "normalised",
            "formula": "(SL-ICM + I(gold)) / (2 I(gold))",
            "numbers": f"({value} + {gold}) / (2 x {gold})",
            "value": number(slicm["normalised"]),
            "reason": "gold carries no information" if slicm["normalised"] is None else None,
        },
    ]


def prior_words(prior):
    """What the label itself tells."""
    return (
        f"the label has {prior['label']} of the {prior['all']} gold spans of the corpus: "
        f"{number(prior['bits'])} bits a span, before its tokens"
    )


def pair_rows(slicm):
    """Pairs, then spans without partner: gold, predicted, common, and their information."""
    rows = [
        [
            span(pair["gold"]),
            span(pair["pred"]),
            f"[{pair['start']}, {pair['end']})",
            *(number(pair["bits"][name]) for name in ("gold", "pred", "common", "lost", "noise")),
        ]
        for pair in slicm["pairs"]
    ]
    for one in slicm["missed"]:
        bits = number(one["bits"])
        rows.append([span(one["gold"]), DASH, DASH, bits, DASH, DASH, bits, DASH])
    for one in slicm["extra"]:
        bits = number(one["bits"])
        rows.append([DASH, span(one["pred"]), DASH, DASH, bits, DASH, DASH, bits])
    for one in slicm["unplaced"]["gold"]:
        bits = number(one["bits"])
        rows.append([unplaced(one["length"]), DASH, DASH, bits, DASH, DASH, bits, DASH])
    for one in slicm["unplaced"]["pred"]:
        bits = number(one["bits"])
        rows.append([DASH, unplaced(one["length"]), DASH, DASH, bits, DASH, DASH, bits])
    return rows


PAIRS = ("gold", "predicted", "common", "I(gold)", "I(pred.)", "I(common)", "lost", "noise")


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


SHOWN_UNITS = 8  # units of text whose segments are listed
LISTED = 25  # spans and pairs of a label that are listed


def explain_text(result, *, tokens=60, top=10):
    """What `explain_document` or `explain_corpus` found, as one text.

    Parameters
    ----------
    tokens : int
        How many rows the table of tokens has at most; longer documents show those near spans.
    top : int
        How many documents of a corpus are listed.
    """
    parts = corpus_parts(result, top) if "levels" in result else document_parts(result, tokens)
    return "\n".join(parts)


def header(result, title):
    """The title, and what is explained."""
    yield f"\n{title}"
    rows = facts(result)
    width = max(len(name) for name, _ in rows)
    yield "\n".join(indented(shown(said), f"  {shown(name):{width}}  ") for name, said in rows)


# --- one document


def document_parts(result, tokens):
    """The pieces of the text about a document, in order."""
    yield from header(result, f"{shown(result['document'])}: {size(result)}")
    if result["text"] and result["n"] <= tokens:
        yield f"\n{shown(result['text'])}"
    if not result["labels"][1:]:
        yield "\nneither side has a span in this document"
    for entry in entries(result):
        yield f"\n=== {title(entry['label'])} ==="
        if entry["label"] is not None:
            yield from span_lists(result, entry)
            yield from token_table(result, entry, tokens)
            yield from start_tables(result, entry)
        yield from level_parts(result, entry)
        yield from slicm_parts(entry)
    yield ""
    yield indented(result["labels"][0]["slicm"]["remark"], "")


def span_lists(result, entry):
    """The spans of both sides."""
    for side, name in zip(("gold", "pred"), result["names"]):
        spans = [f"  {span(one)}" for one in entry["spans"][side]]
        spans += [f"  {unplaced(length)}" for length in entry["unplaced"][side]]
        yield f"\n{shown(name)}: {counted(len(spans), 'span')}"
        yield from spans[:LISTED]
        yield from more(spans, LISTED, "span")


def more(rows, shown_rows, what):
    """How many rows are not shown."""
    if len(rows) > shown_rows:
        yield f"({counted(len(rows) - shown_rows, f'more {what}')} in the JSON output: -o FILE)"


def token_table(result, entry, tokens):
    """Token by token: what either side marks, and how likely that is by chance."""
    rows, left_out = token_rows(result, entry, tokens)
    if not rows or not tokens:
        return
    names = [shown(name) for name in result["names"]]
    cells = [row or [GAP, *[""] * 6] for row in rows]
    chance = [f"P({name} covers)" for name in names]
    yield "\nby chance: how likely each side covers a token, and the matches expected there"
    head = ["token", "", *names, *chance, "expected"]
    yield right_aligned(cells, head).rstrip("\n")
    if left_out:
        yield f"({counted(left_out, 'more token')}: --tokens N shows more, -o FILE all)"


def start_tables(result, entry):
    """Where the segments of each unit fall by chance."""
    names = [shown(name) for name in result["names"]]
    for unit in entry["units"][:SHOWN_UNITS]:
        about = (lengths(unit, side) for side in ("gold", "pred"))
        place = f"unit [{unit['start']}, {unit['end']}), n = {unit['n']}"
        sides = "; ".join(f"{name}: {said}" for name, said in zip(names, about))
        yield f"\n{place}, lengths {sides}"
        head = ["side", "length", "segments", "places", "P(first start)", "P(middle start)"]
        yield right_aligned(start_rows(unit, names), head).rstrip("\n")
    yield from more(entry["units"], SHOWN_UNITS, "unit")
    if any(kind["parents"] for unit in entry["units"] for kind in kinds_of(unit)):
        yield indented(INNER, "")


def kinds_of(unit):
    """The kinds of segments of both sides of a unit."""
    return unit["gold"]["kinds"] + unit["pred"]["kinds"]


def level_parts(result, entry):
    """The steps for spans, and for tokens."""
    for level in ("span", "token"):
        yield f"\n{entry[level]['metrics']['f']}"
        if entry["label"] is not None and entry[level]["expected"] is not None:
            yield indented(sum_words(result, level), "")
        if level == "span" and entry.get("matches"):
            head = ["length", "gold", "predicted", "expected"]
            yield right_aligned(match_rows(entry), head).rstrip("\n")
        yield from steps(level_steps(entry[level], level))
        head = ["", "observed", "expected", "corrected"]
        yield right_aligned(score_rows(entry[level]), head).rstrip("\n")


def slicm_parts(entry):
    """Pairs, what was lost, and the steps."""
    slicm = entry["slicm"]
    yield f"\n{slicm['metrics']['slicm']}"
    if "prior" in slicm:
        yield prior_words(slicm["prior"])
        rows = pair_rows(slicm)
        if rows:
            rows = [[*map(short, row[:2]), *row[2:]] for row in rows]
            yield right_aligned(rows[:LISTED], PAIRS).rstrip("\n")
            yield from more(rows, LISTED, "span")
    yield from steps(slicm_steps(slicm))


def steps(found):
    """One line a step: name = formula = numbers = value."""
    for step in found:
        parts = (step["name"], step["formula"], step["numbers"], step["value"])
        reason = f" ({step['reason']})" if step["reason"] else ""
        yield "  " + " = ".join(part for part in parts if part) + reason


# --- a corpus


def corpus_parts(result, top):
    """The pieces of the text about a corpus, in order."""
    documents = counted(result["n_docs"], "document")
    skipped = f", {result['n_skipped']} skipped: not annotated" if result["n_skipped"] else ""
    yield from header(result, f"Expected agreement of {documents}{skipped}")
    for level, found in result["levels"].items():
        yield f"\n=== {found['total']['metrics']['f']} ==="
        yield from steps(level_steps(found["total"], level))
        if found["total"]["reason"]:
            continue
        yield "\nshare of the expected matches by label"
        rows = [share_row(row, row["label"]) for row in found["by_label"]]
        yield right_aligned(rows, ["label", *SHARES]).rstrip("\n")
        rows = [share_row(row, row["document"]) for row in found["documents"][:top]]
        yield "\nshare of the expected matches by document"
        yield right_aligned(rows, ["document", *SHARES]).rstrip("\n")
        if len(found["documents"]) > top:
            left_out = counted(len(found["documents"]) - top, "more document")
            yield f"({left_out}: --top N shows more, -o FILE all)"
