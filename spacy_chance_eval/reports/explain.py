"""A score explained as text, and the cells that the text and the page share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from .diff import source_details
from .tables import Align, detail_lines, fitted_table, indent, short_title, warning_lines
from .words import DASH, Details, Result, number, printable, quantity

TokenColumn: TypeAlias = dict[int, float | None]  # by token

NEAR = 2  # tokens beside a span that are shown with it
TOKENS = 60  # in the table of a document; longer ones show those near spans
TOP = 10  # documents of a corpus that are listed
NAMED = 6  # segments of a kind; of more only their number
GAP = "..."
TOGETHER = "all labels together"
PLACES = {
    "disjoint": "no two segments of an annotator share a token, and all such placements are "
    "equally likely",
    "overlapping": "each segment starts anywhere with equal probability, independently of the "
    "others; segments may share tokens",
    "nested": "the outermost segments fall as in the disjoint model, those inside a segment "
    "likewise inside it",
    "uniform": "as in the disjoint model, but every start is taken as equally likely where the "
    "paper's approximation allows it",
}
UNIT_NAMES = {"document": "the whole document", "sentence": "its sentence, if gold knows it"}
MASSES = {"span": "spans", "token": "tokens"}
ITEMS = {
    "IO": "a token counts once for each label",
    "BIO": "first tokens (B) and others (I) of spans count separately",
    "BIOE": "first (B), inner (I) and last (E) tokens of spans count separately",
    "IO*": "tokens count, and the gaps between tokens of one span",
}
SUMS = {
    "span": "Expected matches: for each pair of segments of one length, the sum over all starts of "
    "P({gold} segment starts there) P({pred} segment starts there).",
    "token": "Expected matches: the sum over all tokens{kinds} of P({gold} marks it) "
    "P({pred} marks it).",
}
COUNTED = "[start, end) counts from 0; {}s and starts in tables and plots are numbered from 1"
UNDEFINED = {
    "observed": "neither gold nor prediction has anything: there is no F",
    "corrected": "chance alone is perfect: there is nothing to correct",
}
POSITION_NAMES = {"token": "token", "char": "character", "category": "document"}
SHARES = ("matches", "expected", "share", "cumulative", "F", "F by chance", "corrected")
MATCHED, F_SCORES = ("gold", "pred", "matches"), ("observed", "expected", "corrected")
SHOWN_UNITS = 8  # units of text whose segments are listed
LISTED = 25  # spans and pairs of a label that are listed


class Step(NamedTuple):
    """A step to a score, and why its value is undefined."""

    name: str
    formula: str
    numbers: str
    value: str
    reason: str | None = None


def explain_text(result: Result) -> str:
    """The result of `explain_document` or `explain_corpus` as text, some tokens or documents."""
    return "\n".join(_corpus_parts(result) if "levels" in result else _document_parts(result))


# --- common parts of the text and the page


def explanation_details(result: Result) -> Details:
    """The explained score and its settings."""
    layers = dict.fromkeys((result["gold_layer"], result["pred_layer"]))
    facts = source_details(result)
    if result["gold"] == result["pred"] and len(layers) == 1:
        facts = facts[:1]
    model = f"{result['chance']}: {PLACES[result['chance']]}"
    facts.append(("Chance", f"{model}; within {UNIT_NAMES[result['unit']]}"))
    facts.append(("Tokens", f"encoding {result['encoding']}: {ITEMS[result['encoding']]}"))
    if "document" in result:
        facts.append(("Places", COUNTED.format(POSITION_NAMES[result["positions"]])))
    facts.append(("Made by", f"spacy-chance-eval {result['version']}"))
    return facts


def share_heads(names: Sequence[str]) -> list[str]:
    """Titles of the columns of shares of expected matches, with the names of both annotations."""
    return [*map(printable, names), *SHARES]


def slicm_heads(names: Sequence[str]) -> list[str]:
    """Titles of the columns of SL-ICM, with the names of both annotations."""
    sides = [*map(printable, names), "common"]
    return [*sides, *(f"I({name})" for name in sides), "lost", "noise"]


def document_size(result: Result) -> str:
    """How long a document is, and in how many units."""
    positions = quantity(result["n"], POSITION_NAMES[result["positions"]])
    return f"{positions}, {quantity(len(result['units']), 'unit')}"


def shown_entries(result: Result) -> list[Result]:
    """All labels together and each label; without the former, if there is only one label."""
    return result["labels"][1:] if len(result["labels"]) <= 2 else result["labels"]


def entry_title(label: str | None) -> str:
    """The title of a label, or of all together."""
    return TOGETHER if label is None else f"label {printable(label)}"


def amount(value: float) -> str:
    """A mass: whole numbers as such, expectations with four decimals."""
    whole = isinstance(value, float) and value.is_integer()
    return number(int(value) if whole else value)


def level_steps(
    level: Result, kind: str, names: Sequence[str] = ("gold", "predicted")
) -> list[Step]:
    """The steps to a corrected F.

    Parameters
    ----------
    level : dict
        Masses and scores of spans or tokens.
    kind : "span" or "token"
    names : (str, str)
        Names of gold and the prediction.
    """
    f, items = level["scores"]["f"], MASSES[kind]
    masses = f"({' + '.join(map(printable, names))})"
    observed, expected = level["observed"], level["expected"]
    neither = UNDEFINED["observed"]
    reason, by_chance = None if f["observed"] is not None else neither, f"F of {items} by chance"
    formula, value = f"2 matches / {masses}", number(f["observed"])
    steps = [Step(f"F of {items}", formula, _fraction(observed), value, reason)]
    if expected is None:
        return [*steps, Step(by_chance, "", "", DASH, level["reason"])]
    reason = neither if f["expected"] is None else None
    formula, chance = f"2 expected matches / {masses}", number(f["expected"])
    steps.append(Step(by_chance, formula, _fraction(expected), chance, reason))
    reason = None
    if f["corrected"] is None:
        reason = neither if f["observed"] is None else UNDEFINED["corrected"]
    formula = "(F - F by chance) / (1 - F by chance)"
    numbers = f"({value} - {chance}) / (1 - {chance})"
    return [*steps, Step("corrected F", formula, numbers, number(f["corrected"]), reason)]


def sum_text(result: Result, level: str) -> str:
    """How expected matches of spans or tokens come about."""
    kinds = f" and kinds of marks ({', '.join(result['items'])})"
    gold, pred = map(printable, result["names"])
    kinds = kinds if len(result["items"]) > 1 else ""
    return SUMS[level].format(kinds=kinds, gold=gold, pred=pred)


def score_cells(level: Result) -> list[list[str]]:
    """Precision, recall and F, each with its three scores."""
    keys = ("observed", "expected", "corrected")
    return [
        [name, *(number(score[key]) for key in keys)] for name, score in level["scores"].items()
    ]


def match_rows(entry: Result) -> list[list[str]]:
    """Expected span matches by length: length, gold, predicted, expected."""
    keys = ("length", "gold", "pred", "expected")
    return [[number(row[key]) for key in keys] for row in entry["matches"]]


def lengths(unit: Result, side: str) -> str:
    """The lengths of the segments that one annotation has in a unit: 1, 2 (3 times)."""
    values = unit[side]["lengths"]
    rows = ((length, values.count(length)) for length in sorted(set(values)))
    return ", ".join(f"{a} ({k} times)" if k > 1 else str(a) for a, k in rows) or "none"


def start_rows(unit: Result, names: Sequence[str]) -> list[list[str]]:
    """Where segments fall: whose, length, which, places, P of the first start, P in the middle."""
    rows = []
    for side, name in zip(("gold", "pred"), names):
        for kind in unit[side]["kinds"]:
            rows.append([name, *_kind_cells(kind, kind["starts"])])
    return rows


def start_table(unit: Result, side: str, most: int) -> tuple[list[str], list[list[str]]]:
    """Probabilities of the first `most` starts: titles of columns, and a row for each start.

    Distributions are symmetric, and flat between the edges: the last row is the middle.
    """
    kinds = unit[side]["kinds"]
    heads = [f"length {kind['length']} (segments {_segments(kind['segments'])})" for kind in kinds]
    longest = max((len(kind["starts"]) for kind in kinds), default=0)
    rows = []
    for i in range(min((longest + 1) // 2, most)):
        starts = (kind["starts"] for kind in kinds)
        rows.append([str(i + 1), *(number(s[i]) if i < len(s) else DASH for s in starts)])
    middle = [number(_middle(kind["starts"])) for kind in kinds]
    return heads, [*rows, ["middle", *middle]]


def token_rows(result: Result, entry: Result, most: int) -> tuple[list[list[str] | None], int]:
    """Rows of the table of tokens, those near spans if there are too many; and how many are not.

    A row: number of the token from 1, token, segments of gold and of the prediction there,
    P(gold covers it), P(predicted covers it), expected matches there. None stands for a gap.
    """
    tokens = select_tokens(result["n"], entry["spans"], most)
    marks = [_segments_by_token(entry["spans"][side]) for side in ("gold", "pred")]
    words, columns = result["tokens"], chance_columns(result, entry)
    rows: list[list[str] | None] = []
    before = -1
    for token in tokens:
        if token != before + 1:
            rows.append(None)
        word = DASH if words is None else printable(words[token])
        segments = [", ".join(map(str, side.get(token, ()))) for side in marks]
        chance = [number(column.get(token)) for column in columns]
        rows.append([str(token + 1), word, *segments, *chance])
        before = token
    if tokens and before + 1 < result["n"]:
        rows.append(None)
    return rows, result["n"] - len(tokens)


def select_tokens(n: int, spans: Mapping[str, Iterable[Result]], most: int) -> list[int]:
    """All n tokens or, if they are more than `most`, as many of those in and near spans."""
    if n <= most:
        return list(range(n))
    near = {
        token
        for side in spans.values()
        for span in side
        for token in range(max(span["start"] - NEAR, 0), min(span["end"] + NEAR, n))
    }
    return sorted(near)[:most]


def chance_columns(result: Result, entry: Result) -> list[TokenColumn]:
    """By token: the probability that gold covers it, that the prediction does, expected matches.

    In units without any segment all are 0; tokens of no unit, which were not annotated, are left
    out.
    """
    inside = [token for start, end in result["units"] for token in range(start, end)]
    columns: list[TokenColumn] = [dict.fromkeys(inside, 0.0) for _ in range(3)]
    for unit in entry["units"]:
        values = (unit["gold"]["covered"], unit["pred"]["covered"], unit["common"])
        for column, numbers in zip(columns, values):
            numbers = numbers if numbers is not None else [None] * unit["n"]
            column.update(zip(range(unit["start"], unit["end"]), numbers))
    return columns


def prior_text(prior: Result) -> str:
    """The information of the label itself."""
    return (
        f"the label has {prior['label']} of the {prior['all']} gold spans of the corpus: "
        f"{number(prior['bits'])} bits per span, before its tokens"
    )


def slicm_rows(slicm: Result) -> list[list[str]]:
    """Pairs, then spans without partner: gold, predicted, common, and their information."""
    rows = [
        [
            _numbered_span(pair["gold"]),
            _numbered_span(pair["pred"]),
            f"[{pair['start']}, {pair['end']})",
            *(number(pair["bits"][name]) for name in ("gold", "pred", "common", "lost", "noise")),
        ]
        for pair in slicm["pairs"]
    ]
    rows += [_gold_row(_numbered_span(one["gold"]), one["bits"]) for one in slicm["missed"]]
    rows += [_pred_row(_numbered_span(one["pred"]), one["bits"]) for one in slicm["extra"]]
    for row, side in ((_gold_row, "gold"), (_pred_row, "pred")):
        unplaced = slicm["unplaced"][side]
        rows += [row(_unplaced_span(one["length"]), one["bits"]) for one in unplaced]
    return rows


def slicm_steps(slicm: Result, names: Sequence[str]) -> list[Step]:
    """The steps to SL-ICM and its normalised value."""
    first, second = (f"I({printable(name)})" for name in names)
    bits = {name: number(value) for name, value in slicm["bits"].items()}
    value, gold = number(slicm["observed"]), bits["gold"]
    nothing = f"{printable(names[0])} carries no information"
    common, pred, lost, noise = (bits[key] for key in ("common", "pred", "lost", "noise"))
    sums = f"3 x {common} - {pred} - {gold}"
    reason = nothing if slicm["normalised"] is None else None
    by_gold, halved = f"(SL-ICM + {first}) / (2 {first})", f"({value} + {gold}) / (2 x {gold})"
    return [
        Step("SL-ICM, bits", f"3 I(common) - {second} - {first}", sums, value),
        Step("the same", "I(common) - lost - noise", f"{common} - {lost} - {noise}", value),
        Step("normalised", by_gold, halved, number(slicm["normalised"]), reason),
    ]


def share_rows(rows: Iterable[Result], kind: str) -> list[list[str]]:
    """Labels or documents, and their shares of the expected matches."""
    cells = []
    for row in rows:
        f, observed = row.get("f") or row["scores"]["f"], row["observed"]
        cells.append([printable(row[kind]), *(amount(observed[key]) for key in MATCHED)])
        shares = (row["expected"]["matches"], row["share"], row["cumulative"])
        cells[-1] += map(number, [*shares, *(f[key] for key in F_SCORES)])
    return cells


def _gold_row(span: str, value: float) -> list[str]:
    """A gold span without partner, all of whose information is lost."""
    bits = number(value)
    return [span, DASH, DASH, bits, DASH, DASH, bits, DASH]


def _pred_row(span: str, value: float) -> list[str]:
    """A predicted span without partner, all of whose information is noise."""
    bits = number(value)
    return [DASH, span, DASH, DASH, bits, DASH, DASH, bits]


def _fraction(masses: Result) -> str:
    """The numbers of an F, such as 2 x 1 / (2 + 3)."""
    return (
        f"2 x {number(masses['matches'])} / ({amount(masses['gold'])} + {amount(masses['pred'])})"
    )


def _kind_cells(kind: Result, starts: Sequence[float]) -> list[str]:
    """Length, segments, places, and the probability of the first and of the middle start."""
    segments, middle = _segments(kind["segments"]), number(_middle(starts))
    return [str(kind["length"]), segments, str(len(starts)), number(starts[0]), middle]


def _middle(values: Sequence[float]) -> float:
    return values[(len(values) - 1) // 2]


def _segments(numbers: Sequence[int]) -> str:
    """Numbers of segments: the first, and how many more there are."""
    text = ", ".join(map(str, numbers[:NAMED]))
    return text + (f" and {len(numbers) - NAMED} more" if len(numbers) > NAMED else "")


def _segments_by_token(spans: Iterable[Result]) -> dict[int, list[int]]:
    """The numbers of the segments at each token."""
    segments: dict[int, list[int]] = {}
    for span in spans:
        for token in range(span["start"], span["end"]):
            segments.setdefault(token, []).append(span["number"])
    return segments


def _numbered_span(span: Result) -> str:
    """Number, place and text of a span."""
    text = "" if span["text"] is None else f" {printable(span['text'])}"
    return f"{span['number']} [{span['start']}, {span['end']}){text}"


def _unplaced_span(length: int) -> str:
    return f"{length} long, fits no tokens"


# --- text of a document


def _header(result: Result, title: str) -> Iterator[str]:
    """The title, and the explained score."""
    yield f"\n{title}"
    yield from detail_lines(explanation_details(result), wrapped=True)
    yield from warning_lines(result)


def _document_parts(result: Result) -> Iterator[str]:
    yield from _header(result, f"{printable(result['document'])}: {document_size(result)}")
    if result["text"] and result["n"] <= TOKENS:
        yield f"\n{printable(result['text'])}"
    if not result["labels"][1:]:
        yield "\nneither gold nor prediction has a span in this document"
    for entry in shown_entries(result):
        yield f"\n=== {entry_title(entry['label'])} ==="
        if entry["label"] is not None:
            yield from _span_lists(result, entry)
            yield from _token_table(result, entry)
            yield from _start_tables(result, entry)
        yield from _level_parts(result, entry)
        yield from _slicm_parts(entry, result["names"])
    yield ""
    yield indent(result["labels"][0]["slicm"]["remark"], "")


def _span_lists(result: Result, entry: Result) -> Iterator[str]:
    """The spans of both annotations."""
    for side, name in zip(("gold", "pred"), result["names"]):
        spans = [f"  {_numbered_span(span)}" for span in entry["spans"][side]]
        spans += [f"  {_unplaced_span(length)}" for length in entry["unplaced"][side]]
        yield f"\n{printable(name)}: {quantity(len(spans), 'span')}"
        yield from spans[:LISTED]
        yield from _more(len(spans) - LISTED, "span")


def _more(n: int, what: str) -> Iterator[str]:
    """How many are not shown, if there are any."""
    if n > 0:
        yield f"({quantity(n, f'more {what}')} in the JSON output: -o FILE)"


def _token_table(result: Result, entry: Result) -> Iterator[str]:
    """Token by token: what each annotation marks, and how likely that is by chance."""
    rows, left_out = token_rows(result, entry, TOKENS)
    if not rows:
        return
    names = [printable(name) for name in result["names"]]
    cells = [row or [GAP, *[""] * 6] for row in rows]
    chance = [f"P({name} covers)" for name in names]
    yield "\nby chance: how likely each annotation covers a token, and the matches expected there"
    head = ["token", "", *names, *chance, "expected"]
    numbers: list[Align] = ["r"] * (len(head) - 1)
    yield fitted_table(head, cells, ["l", *numbers], keys=2).rstrip("\n")
    if left_out:
        yield f"({quantity(left_out, 'more token')} in the JSON output: -o FILE)"


def _start_tables(result: Result, entry: Result) -> Iterator[str]:
    """Where the segments of each unit fall by chance."""
    names = [printable(name) for name in result["names"]]
    head = ["annotation", "length", "segments", "places", "P(first start)", "P(middle start)"]
    for unit in entry["units"][:SHOWN_UNITS]:
        place = f"unit [{unit['start']}, {unit['end']}), n = {unit['n']}"
        sides = (f"{name}: {lengths(unit, side)}" for name, side in zip(names, ("gold", "pred")))
        yield f"\n{place}, lengths {'; '.join(sides)}"
        yield fitted_table(head, start_rows(unit, names)).rstrip("\n")
    yield from _more(len(entry["units"]) - SHOWN_UNITS, "unit")


def _level_parts(result: Result, entry: Result) -> Iterator[str]:
    """The steps for spans, and for tokens."""
    for level in ("span", "token"):
        yield f"\n{entry[level]['metrics']['f']}"
        if entry["label"] is not None and entry[level]["expected"] is not None:
            yield indent(sum_text(result, level), "")
        if level == "span" and entry.get("matches"):
            head = ["length", *map(printable, result["names"]), "expected"]
            yield fitted_table(head, match_rows(entry)).rstrip("\n")
        yield from _step_lines(level_steps(entry[level], level, result["names"]))
        head = ["", "observed", "expected", "corrected"]
        yield fitted_table(head, score_cells(entry[level])).rstrip("\n")


def _slicm_parts(entry: Result, names: Sequence[str]) -> Iterator[str]:
    """Pairs, losses, and the steps."""
    slicm = entry["slicm"]
    yield f"\n{slicm['metrics']['slicm']}"
    if "prior" in slicm:
        yield prior_text(slicm["prior"])
        rows = [[*map(short_title, row[:2]), *row[2:]] for row in slicm_rows(slicm)]
        if rows:
            yield fitted_table(slicm_heads(names), rows[:LISTED]).rstrip("\n")
            yield from _more(len(rows) - LISTED, "span")
    yield from _step_lines(slicm_steps(slicm, names))


def _step_lines(steps: Iterable[Step]) -> Iterator[str]:
    """One line a step: name = formula = numbers = value."""
    for *parts, reason in steps:
        yield "  " + " = ".join(filter(None, parts)) + (f" ({reason})" if reason else "")


# --- text of a corpus


def _corpus_parts(result: Result) -> Iterator[str]:
    documents = quantity(result["n_docs"], "document")
    heads = share_heads(result["names"])
    skipped = f", {result['n_skipped']} skipped: not annotated" if result["n_skipped"] else ""
    yield from _header(result, f"Expected agreement of {documents}{skipped}")
    for kind, level in result["levels"].items():
        yield f"\n=== {level['total']['metrics']['f']} ==="
        yield from _step_lines(level_steps(level["total"], kind, result["names"]))
        if level["total"]["reason"]:
            continue
        yield "\nshare of the expected matches by label"
        rows = share_rows(level["by_label"], "label")
        yield fitted_table(["label", *heads], rows).rstrip("\n")
        rows = share_rows(level["documents"][:TOP], "document")
        yield "\nshare of the expected matches by document"
        yield fitted_table(["document", *heads], rows).rstrip("\n")
        if len(level["documents"]) > TOP:
            more = quantity(len(level["documents"]) - TOP, "more document")
            yield f"({more} in the JSON output: -o FILE)"
    if result.get("p_values"):
        drawn = f"share of {result['draws']} random annotations that score as high"
        yield f"\np value, the {drawn}"
        yield from (f"  {name}: {number(value)}" for name, value in result["p_values"].items())
    yield "\none document, token by token: --explain NAME, or its number from 1"
