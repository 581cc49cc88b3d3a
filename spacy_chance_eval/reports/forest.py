"""Forest plots: scores or differences with intervals, a row for each system or label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .figures import (
    LINE,
    MARGIN,
    ROW,
    SIZE,
    SMALL,
    TICK_ROOM,
    TITLE_ROOM,
    WIDTH,
    Group,
    Mark,
    Marker,
    Scale,
    Style,
    Text,
    bottom_axis,
    fitting_name,
    legend,
    scale,
    text_width,
)
from .figures import Line as Stroke
from .words import Result, interval_of

ROW_HEIGHT = {True: 19.0, False: 13.0}  # points; True: with corrected scores
DENSE, LEAST_HEIGHT = 30, 15.0  # systems; with more, rows are lower
NAMES = 0.42  # largest share of the width for names


class ForestRow(NamedTuple):
    """A row of a forest plot: its name, and (style, score with interval) pairs."""

    name: str
    scores: Sequence[tuple[str, Result]]


def forest(
    rows: Sequence[ForestRow],
    styles: Mapping[str, Style],
    axis: str,
    part: str,
    head: str = "",
) -> tuple[list[Mark], float]:
    """Rows of scores with intervals on one scale, below heading and legend, and their height.

    Parameters
    ----------
    rows : sequence of ForestRow
    styles : mapping of str to Style
        Of the scores, by name.
    axis : str
        The title of the axis.
    part : str
        The beginning of the id of each row.
    head : str
        The heading.
    """
    widths = [text_width(fitting_name(row.name, NAMES * WIDTH)) for row in rows]
    left = max(widths, default=0) + 2 * MARGIN
    first = ROW if head else 0.0
    marks, top = legend([*styles.items()], left, WIDTH, first)
    marks += [Text(0, SIZE, head)] if head else []
    top += first
    height = ROW_HEIGHT[max((len(row.scores) for row in rows), default=1) > 1]
    height = min(height, LEAST_HEIGHT) if len(rows) > DENSE else height
    bottom = top + 3 + max(len(rows), 1) * height
    scores = [score for row in rows for _, score in row.scores]
    ends = [end for score in scores for end in interval_of(score) or ()]
    values = [*(score["score"] for score in scores), *ends]
    across = scale(values, left, WIDTH - 3 * MARGIN, margin=0.03)
    marks += bottom_axis(across, top, bottom, axis, grid=True)
    if across.low < 0 < across.high:  # chance, or no difference
        marks.append(Stroke(((across(0), top), (across(0), bottom)), LINE, 0.8))
    for i, row in enumerate(rows):
        middle = top + 3 + (i + 0.5) * height
        marks.append(_row_group(row, f"{part}-{i}", styles, across, middle))
    return marks, bottom + TICK_ROOM + TITLE_ROOM + 1


def _row_group(
    row: ForestRow,
    name: str,
    styles: Mapping[str, Style],
    across: Scale,
    middle: float,
) -> Group:
    """Name, intervals and scores of a row, or a word for an undefined score."""
    label = fitting_name(row.name, across.start - 2 * MARGIN)
    marks: list[Mark] = [Text(across.start - MARGIN, middle + 0.35 * SIZE, label, "end")]
    shifts = (-4.0, 4.0) if len(row.scores) > 1 else (0.0,)
    for (key, score), shift in zip(row.scores, shifts):
        y, style = middle + shift, styles[key]
        if score["score"] is None:
            text = f"{key} undefined" if len(row.scores) > 1 else "undefined"
            marks.append(Text(across.start + MARGIN, y + 0.35 * SMALL, text, size=SMALL))
            continue
        if limits := interval_of(score):
            low, high = map(across, limits)
            marks.append(Stroke(((low, y), (high, y)), style.colour, style.width))
        at = across(score["score"])
        marks.append(Marker(at, y, style.marker, style.colour, filled=style.filled))
    return Group(name, marks)
