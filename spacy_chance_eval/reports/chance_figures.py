"""The figure of chance: how likely each token is covered at random."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from .figures import (
    CORRECTED,
    MARGIN,
    OBSERVED,
    TICK_ROOM,
    TITLE_ROOM,
    WIDTH,
    Figure,
    Mark,
    Scale,
    Style,
    bottom_axis,
    curve,
    fitting_name,
    fitting_ticks,
    group,
    left_axis,
    left_room,
    legend,
    rectangle,
)
from .words import Result, printable

TokenColumn: TypeAlias = dict[int, float | None]  # by token

HEIGHT = 110.0  # points: height of the axes
BAR, BAR_ROOM = 3.0, 13.0  # points: height of a bar, and of both rows of bars
ROOM = 85.0  # points for a name in the legend
FEW = 30  # positions; with more, curves have no markers
STYLES = {"gold": Style(OBSERVED, "circle"), "pred": Style(CORRECTED, "square", "4 2")}
AXIS = "probability"
POSITION_NAMES = {"token": "token", "char": "character", "category": "document"}


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


def coverage_figure(result: Result, entry: Result) -> Figure:
    """The probability of each position to be covered by chance, for both annotations.

    Bars beneath the curves show the annotated segments, gold above the prediction. Positions
    outside of all units are left out.

    Parameters
    ----------
    result : dict
        The result of `explain_document`.
    entry : dict
        One of its labels.
    """
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
    title = f"Probability of being covered at random, label {printable(entry['label'])}"
    unit = POSITION_NAMES[result["positions"]]
    text = f"A curve for {' and '.join(map(printable, names.values()))}, by {unit}; the table has"
    return Figure(title, f"{text} the numbers.", bottom, marks)


def _style(side: str, n: int) -> Style:
    """The style of an annotation's curve, with markers if there are few positions."""
    return STYLES[side] if n <= FEW else replace(STYLES[side], marker="")


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
    left, right = left_room(ticks), WIDTH - 3 * MARGIN
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
        yield group(f"span-{side}-{span['number']}", [bar])
