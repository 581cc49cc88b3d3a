"""The page that explains a score, with figures of chance placement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from ..corpora.pairs import CorpusPair
from ..formats import FormatError
from ..formats.outputs import write_atomically
from . import explain
from .drawing import draw_document, span_renderer
from .explain import POSITION_NAMES, TOGETHER, UNDEFINED, chance_columns, entry_title, shown_entries
from .figures import (
    CORRECTED,
    MARGIN,
    OBSERVED,
    TICK_ROOM,
    TITLE_ROOM,
    WIDTH,
    Figure,
    Group,
    Mark,
    Scale,
    Style,
    bottom_axis,
    curve,
    fitting_name,
    fitting_ticks,
    left_axis,
    left_room,
    legend,
    rectangle,
    svg_element,
)
from .html import page
from .words import ALIKE, Result, TableRow, against_chance, brief, count_word, number, printable

# of the page
TOKENS = 300  # rows of the table of tokens
STARTS = 30  # rows of the table of starts
UNITS = 12  # units whose starts have a table
ROWS = 200  # spans, pairs, documents
PASSAGES = 8  # if there are more, they are folded
COVERAGE_CAPTION = (
    "How likely a random annotation covers each {}. Bars beneath the curves are the segments as "
    "they were annotated: {} above, {} below."
)
STARTS_CAPTION = (
    "How likely one given segment of {} starts at each {} by chance: a line for each length, which "
    "is that of every segment of this length."
)
SMALL = 0.1  # scores below it have more than two decimals
NEARLY_ALL = 0.995  # larger shares are called "nearly all"
HEIGHT = 110.0  # points: height of the axes
BAR, BAR_ROOM = 3.0, 13.0  # points: height of a bar, and of both rows of bars
DASHES = ("", "5 2", "1 1.4", "6 2 1 2", "9 3", "3 1 1 1 1 1")
NAMED = 8  # lengths that the legend names at most
ROOM = 85.0  # points for a name in the legend
FEW = 30  # positions; with more, curves have no markers
STYLES = {"gold": Style(OBSERVED, "circle"), "pred": Style(CORRECTED, "square", "4 2")}
AXIS = "probability"
STARTS_NOTE = "The table of starts has the numbers."


def explain_page(result: Result, drawn: Result | None = None) -> str:
    """An explanation of the scores of a document or a corpus, as one HTML page."""
    facts, names = explain.explanation_details(result), result["names"]
    explained = [*(f"{name}(chance={result['chance']})" for name in ("span_f", "token_f")), "slicm"]
    if "levels" in result:
        return page(
            "explain_corpus.html",
            signatures=explained,
            result=result,
            facts=facts,
            explain=explain,
            most=ROWS,
            heads=_capitalised(explain.share_heads(names)),
            verdict=explain_verdict(result),
            overview=overview_rows(result),
        )
    entries = explain.shown_entries(result)
    n_passages = len(drawn["passages"]) if drawn else 0
    return page(
        "explain.html",
        signatures=explained,
        result=result,
        facts=facts,
        verdict=explain_verdict(result),
        overview=overview_rows(result),
        names=names,
        size=explain.document_size(result),
        drawn=drawn,
        n_folded=n_passages if n_passages > PASSAGES else 0,
        panels=[(one, _figures(result, one, f"label-{i}")) for i, one in enumerate(entries)],
        explain=explain,
        most={"tokens": TOKENS, "starts": STARTS, "units": UNITS, "rows": ROWS},
        remark=result["labels"][0]["slicm"]["remark"],
        pair_heads=_capitalised(explain.slicm_heads(names)),
    )


def write_explain_page(result: Result, compared: CorpusPair, path: str | Path) -> None:
    """Write an explanation as one page.

    Parameters
    ----------
    result : dict
        The result of `explain_document` or `explain_corpus`.
    compared : CorpusPair
        The annotations that were explained.
    path : str or Path
        Ends in .html.

    Raises
    ------
    FormatError
        If the path does not, or cannot be written.
    """
    if Path(path).suffix.lower() != ".html":
        raise FormatError("an explanation is one page; name a file that ends in .html", path)
    drawn = None if "levels" in result else draw_explained(result, compared)
    write_atomically(path, explain_page(result, drawn))


# --- tables


def draw_explained(result: Result, compared: CorpusPair) -> TableRow:
    """The text of the explained document with the labels of both annotations."""
    labels = {entry["label"] for entry in result["labels"]}
    both = ((compared.gold, compared.gold_layer), (compared.pred, compared.pred_layer))
    sides = []
    for corpus, layer in both:
        spans = corpus.documents[result["place"]].layers.get(layer) or ()
        sides.append({span for span in spans if span[2] in labels})
    wrong = [span[:2] for span in sides[0] ^ sides[1]]
    document = compared.gold.documents[result["place"]]
    renderer = span_renderer(compared.aligned()[0].labels)
    return draw_document(renderer, document, compared.positions, list(map(sorted, sides)), wrong)


def _capitalised(heads: list[str]) -> list[str]:
    """Titles of columns with capitals, except the first two, which are names."""
    return [*heads[:2], *(head[0].upper() + head[1:] for head in heads[2:])]


# --- figures


def _figures(result: Result, entry: Result, key: str) -> list[tuple[str, Markup]]:
    """Captions and figures for one label."""
    if entry["label"] is None:
        return []
    unit = explain.POSITION_NAMES[result["positions"]]
    names = [printable(name) for name in result["names"]]
    figures = [(COVERAGE_CAPTION.format(unit, *names), coverage_figure(result, entry), f"{key}-c")]
    for side, name in zip(("gold", "pred"), names):
        drawn = starts_figure(result, entry, side)
        figures.append((STARTS_CAPTION.format(name, unit), drawn, f"{key}-{side}"))
    return [(text, Markup(svg_element(figure, place))) for text, figure, place in figures if figure]


# --- summary


def explain_verdict(result: Result) -> str:
    """Summary of an explanation: the corrected F with its parts, and most expected matches.

    The sentences are plain text: names are not escaped.
    """
    if "levels" in result:
        level = result["levels"]["span"]
        return " ".join([_score(level["total"]), *_largest_shares(level)])
    span = result["labels"][0]["span"]
    return " ".join([_score(span), *_largest_kind(result, span)])


def overview_rows(result: Result) -> list[tuple[str, list[str]]]:
    """Names and cells of the overview: observed, expected and corrected F of spans and tokens.

    For a document: a row for all labels together, then one per label. For a corpus: one row.
    """
    if "levels" in result:
        entries = [(TOGETHER, [level["total"] for level in result["levels"].values()])]
    else:
        entries = [
            (TOGETHER if one["label"] is None else one["label"], [one["span"], one["token"]])
            for one in shown_entries(result)
        ]
    keys = ("observed", "expected", "corrected")
    return [
        (name, [number(level["scores"]["f"][key]) for level in levels for key in keys])
        for name, levels in entries
    ]


def _score(level: Result) -> str:
    """The sentence on the score."""
    f = level["scores"]["f"]
    if f["observed"] is None:
        return f"The F of spans is undefined: {UNDEFINED['observed']}."
    if level["expected"] is None:
        return f"The F of spans is {_text(f['observed'])}, not corrected: {level['reason']}."
    parts = f"{_text(f['observed'])} observed against {_text(f['expected'])} by chance"
    if f["corrected"] is None:
        return f"The F of spans, {parts}, cannot be corrected: {UNDEFINED['corrected']}."
    said = {
        "equal": "no better than chance",
        "below": f"worse than chance: {_text(f['corrected'])}",
    }
    beyond = f"{_text(f['corrected'])} beyond chance"
    relation = against_chance(f["corrected"])
    if relation == "equal" and f["corrected"] > ALIKE:
        relation = "above"
    return f"The F of spans, {parts}, is {said.get(relation, beyond)}."


def _largest_kind(result: Result, span: Result) -> Iterator[str]:
    """The sentence on the label and length with the most expected matches."""
    kinds = [
        (row["expected"], entry["label"], row["length"])
        for entry in result["labels"]
        if entry["label"] is not None
        for row in entry.get("matches") or ()
    ]
    total = span["expected"]["matches"] if span["expected"] else 0
    if not total or not kinds:
        return
    expected, label, length = min(kinds, key=lambda kind: (-round(kind[0], 12), *kind[1:]))
    unit = POSITION_NAMES[result["positions"]]
    what = f"{count_word(length)}-{unit} spans of {label}" if length else f"labels {label}"
    yield f"Of the matches expected by chance, {_share(expected / total)} are {what}."


def _largest_shares(level: Result) -> Iterator[str]:
    """The sentence on the label and the document with the most expected matches."""
    parts = []
    for rows, kind in ((level["by_label"], "label"), (level["documents"], "document")):
        known: Sequence[Result] = [row for row in rows or () if row["share"]]
        if len(known) > 1:
            largest = max(known, key=lambda row: row["share"])
            name = largest[kind]
            name = name if name.startswith(f"{kind} ") else f"{kind} {name}"
            parts.append(f"{_share(largest['share'])} come from {name}")
    if parts:
        yield f"Of the matches expected by chance, {' and '.join(parts)}."


def _share(share: float) -> str:
    """A share as a percentage, or "nearly all"."""
    return "nearly all" if share > NEARLY_ALL else f"{share:.0%}"


def _text(value: float) -> str:
    """A score for a sentence, with more decimals if it is small."""
    if 0 < value < 0.00005:
        return "less than .0001"
    if value == 0 or abs(value) >= SMALL:
        return brief(value)
    return brief(value, 3 if abs(value) >= SMALL / 10 else 4)


# --- figures of chance placement


def coverage_figure(result: Result, entry: Result) -> Figure | None:
    """The probability of each position to be covered by chance, for both annotations.

    Bars beneath the curves show the annotated segments, gold above the prediction. Positions
    outside of all units are left out. None for an empty document.

    Parameters
    ----------
    result : dict
        The result of `explain_document`.
    entry : dict
        One of its labels.
    """
    if not result["n"]:
        return None
    columns = dict(zip(STYLES, chance_columns(result, entry)))
    names = dict(zip(STYLES, result["names"]))
    entries = [
        (f"P({fitting_name(names[side], ROOM)} covers)", _style(side, result["n"]))
        for side in STYLES
    ]
    values = [v for column in columns.values() for v in column.values() if v is not None]
    marks, across, up, bottom = _frame(result, entries, values, BAR_ROOM)
    for side in STYLES:
        points = [(i, columns[side].get(i)) for i in range(result["n"])]
        marks += _curve(points, across, up, _style(side, result["n"]))
        marks += _bars(entry["spans"][side], side, across, up.start)
    title = f"Probability of being covered at random, {entry_title(entry['label'])}"
    unit = POSITION_NAMES[result["positions"]]
    texts = (_course(columns[side], names[side], unit) for side in STYLES)
    return Figure(title, " ".join(filter(None, texts)), bottom, marks)


def starts_figure(result: Result, entry: Result, side: str) -> Figure | None:
    """The probability of each start of the segments of one annotation, by chance.

    Segments with the same distribution share a line. None without segments.

    Parameters
    ----------
    result : dict
        The result of `explain_document`.
    entry : dict
        One of its labels.
    side : "gold" or "pred"
    """
    kinds = [(unit["start"], kind) for unit in entry["units"] for kind in unit[side]["kinds"]]
    kinds.sort(key=lambda pair: pair[1]["length"])
    if not kinds:
        return None
    lengths = sorted({kind["length"] for _, kind in kinds})
    styles = {length: _length_style(side, i) for i, length in enumerate(lengths)}
    entries = [(f"length {length}", styles[length]) for length in lengths[:NAMED]]
    highest = [max(kind["starts"]) for _, kind in kinds]
    marks, across, up, bottom = _frame(result, entries, highest)
    for i, (first, kind) in enumerate(kinds):
        starts = kind["starts"]
        style = replace(styles[kind["length"]], marker="circle" if len(starts) <= FEW else "")
        drawn = list(_curve([(first + k, p) for k, p in enumerate(starts)], across, up, style))
        marks.append(Group(f"starts-{side}-{i}", drawn))
    name = printable(result["names"][0 if side == "gold" else 1])
    text = f"A line for each length of segments: {', '.join(map(str, lengths))}. {STARTS_NOTE}"
    title = f"Probability of each start, {name}, {entry_title(entry['label'])}"
    return Figure(title, text, bottom, marks)


def _style(side: str, n: int) -> Style:
    """The style of an annotation's curve, with markers if there are few positions."""
    return STYLES[side] if n <= FEW else replace(STYLES[side], marker="")


def _length_style(side: str, rank: int) -> Style:
    """The style of the segments of one length: a dash pattern, then a thinner line."""
    width = 1.3 if rank < len(DASHES) else 0.7
    return Style(STYLES[side].colour, "", DASHES[rank % len(DASHES)], width=width)


def _frame(
    result: Result,
    entries: Sequence[tuple[str, Style]],
    values: Iterable[float],
    foot: float = 0.0,
) -> tuple[list[Mark], Scale, Scale, float]:
    """Legend, axes, both scales (positions from 1, and values), and the bottom of the figure.

    `foot` is the space between 0 and the axis of positions, in points.
    """
    highest = max(values, default=0.0) or 1.0
    ticks = fitting_ticks(Scale(0.0, highest * 1.05, HEIGHT, 0), upright=True)
    left, right = left_room(ticks), WIDTH - 2 * MARGIN
    marks, top = legend(entries, left, WIDTH, 0)
    top += MARGIN
    up = Scale(0.0, highest * 1.05, top + HEIGHT, top)
    across = Scale(0.5, result["n"] + 0.5, left, right)
    marks += left_axis(up, left, right, AXIS, ticks)
    whole = fitting_ticks(across, whole=True) or [1.0]
    unit = POSITION_NAMES[result["positions"]]
    marks += bottom_axis(across, top, up.start + foot, unit, ticks=whole)
    return marks, across, up, up.start + foot + TICK_ROOM + TITLE_ROOM + 1


def _curve(
    points: Sequence[tuple[int, float | None]], across: Scale, up: Scale, style: Style
) -> Iterator[Mark]:
    """A curve over positions counted from 0, with two points for each level stretch."""
    drawn: list[tuple[float, float | None]] = []
    heights = [None if value is None else up(value) for _, value in points]
    for i, ((position, _), height) in enumerate(zip(points, heights)):
        around = heights[max(i - 1, 0) : i + 2]
        level = len(around) == 3 and all(  # equal to two decimals
            one is not None and height is not None and abs(one - height) < 0.001 for one in around
        )
        if style.marker or not level:
            drawn.append((across(position + 1), height))
    yield from curve(drawn, style)


def _bars(spans: Sequence[Result], side: str, across: Scale, zero: float) -> Iterator[Mark]:
    """The segments of an annotation as bars in a row beneath the curves."""
    top = zero + (2.0 if side == "gold" else 4.0 + BAR)
    for span in spans:
        left, right = across(span["start"] + 0.6), across(span["end"] + 0.4)
        bar = rectangle(left, top, right, top + BAR, STYLES[side].colour)
        yield Group(f"span-{side}-{span['number']}", [bar])


def _course(column: Mapping[int, float | None], name: str, unit: str) -> str:
    """A description of a curve in words."""
    values = [value for _, value in sorted(column.items()) if value is not None]
    if not values:
        return ""
    first, middle = number(values[0]), number(values[(len(values) - 1) // 2])
    highest = number(max(values))
    course = f"{first} at the first {unit}, {middle} in the middle, at most {highest}."
    return f"{printable(name)}: {course}"
