"""Matrices as figures: a value in each cell, repeated by its colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..scoring.statistics import headline
from .agreement import excerpt, metric_heading, pair_matrix
from .diff import most_confused
from .figures import (
    INK,
    LINE,
    MARGIN,
    ROW,
    SIZE,
    SMALL,
    WIDTH,
    Figure,
    Mark,
    fitting_name,
    group,
    line,
    rectangle,
    scale_colour,
    text_colour,
    text_width,
    words,
)
from .words import DASH, Result, brief, quantity

NAMES = 0.36  # largest share of the width for the names of rows
TALLEST = 64.0  # points: largest height of the rotated names of columns
CELL = 15.0  # height
MOST_LABELS = 14  # labels of a confusion matrix, those with most differences


class Cell(NamedTuple):
    """A cell of a matrix: its text, and its colour if it has one."""

    text: str
    colour: str | None = None


def matrix(
    columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell | None]]], top: float = 0.0
) -> tuple[list[Mark], float, float]:
    """The marks of a matrix below `top`, and its right and lower ends.

    The matrix is as wide as a column of a paper, or wider if the texts of its cells need it.
    """
    left = MARGIN + max(
        (text_width(fitting_name(name, NAMES * WIDTH)) for name, _ in rows), default=0.0
    )
    cells = [cell for _, some in rows for cell in some if cell]
    widest = max((text_width(cell.text, SMALL) for cell in cells), default=0.0) + MARGIN
    width = max(widest, min((WIDTH - left - 1) / max(len(columns), 1), 3 * CELL))
    heads = [text_width(name) for name in columns]
    turned = any(head > width - 2 for head in heads)
    height = min(max(heads, default=0.0), TALLEST) if turned else SIZE
    marks: list[Mark] = []
    for i, name in enumerate(columns):
        middle = left + (i + 0.5) * width
        if turned:
            label = fitting_name(name, TALLEST)
            marks.append(words(middle + 0.35 * SIZE, top + height, label, turned=True))
        else:
            marks.append(words(middle, top + height, fitting_name(name, width), "middle"))
    top += height + MARGIN
    for i, (name, some) in enumerate(rows):
        y = top + i * CELL
        label = fitting_name(name, NAMES * WIDTH)
        marks.append(words(left - MARGIN, y + CELL / 2 + 0.35 * SIZE, label, "end"))
        for j, cell in enumerate(some):
            if cell:
                box = (left + j * width, y, left + (j + 1) * width, y + CELL)
                marks.append(_cell(cell, f"cell-{i}-{j}", box))
    return marks, max(WIDTH, left + len(columns) * width + 1), top + len(rows) * CELL


def _cell(cell: Cell, name: str, box: tuple[float, float, float, float]) -> Mark:
    """A cell with frame, colour and text; cells without a value are struck through."""
    left, top, right, bottom = box
    marks: list[Mark] = []
    if cell.colour:
        marks.append(rectangle(*box, cell.colour))
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    marks.append(line(corners, LINE, 0.5))
    middle = (left + right) / 2
    ink = text_colour(cell.colour) if cell.colour else INK
    baseline = (top + bottom) / 2 + 0.35 * SMALL
    if cell.text == DASH:
        marks.append(line([(left, bottom), (right, top)], LINE, 0.5))
    elif cell.text:
        marks.append(words(middle, baseline, cell.text, "middle", SMALL, colour=ink))
    return group(name, marks)


def pair_figure(result: Result) -> Figure:
    """The matrix of all pairs of annotators by the first metric of an agreement.

    Raises
    ------
    ValueError
        If no pair was scored.
    """
    metric = excerpt(result)["metrics"][0]
    if not metric["pairs"]:
        raise ValueError("no pair of annotators was scored, so there is no matrix; use --pairs")
    columns, pairs = pair_matrix(metric)
    coloured = metric["higher_is_better"] and not metric["bits"]
    rows = [
        (
            name,
            [
                None
                if one is None
                else Cell(
                    brief(value := headline(one)),
                    scale_colour(value) if coloured and value is not None else None,
                )
                for one in some
            ],
        )
        for name, some in pairs
    ]
    marks, right, bottom = matrix(columns, rows)
    foot = [metric_heading(metric)]
    foot += ["A stroke: undefined"] * any(headline(pair) is None for pair in metric["pairs"])
    bottom = _foot(marks, foot, right, bottom)
    unit = " in bits" if metric["bits"] else ""
    order = "" if metric["symmetric"] else " Rows: the first, as gold; columns: the second."
    return Figure(
        f"{metric['metric']}{unit}: pairs of annotators",
        f"The value of each pair of annotators.{order} {metric['signature']}",
        bottom + 2,
        marks,
        right,
    )


def confusion_figure(summary: Result) -> Figure:
    """The confusion matrix of the labels of two annotations, in spans.

    Parameters
    ----------
    summary : dict
        The tables of `diff`.
    """
    first, second = summary["names"]
    names, counts, n_out = most_confused(summary, MOST_LABELS)
    rows = []
    for i, row in enumerate(counts):
        cells: list[Cell | None] = []
        for j, n in enumerate(row):
            colour = scale_colour((1 if i == j else -1) * n / sum(row)) if n else None
            cells.append(Cell(str(n or ""), colour))
        rows.append((names[i], cells))
    rows[-1][1][-1] = None  # there is no pair of nothing with nothing
    marks, right, bottom = matrix(names, rows)
    foot = [f"Rows: {first}", f"Columns: {second}"]
    foot += [f"Left out: {quantity(n_out, 'label')} with fewer differences"] * bool(n_out)
    bottom = _foot(marks, foot, right, bottom)
    scored = summary["scores"].get("span_f", {})  # on the same spans
    return Figure(
        f"Labels of {first} (rows) and {second} (columns)",
        "Spans by their label in both. Blue: the same label; orange: another, or none; the darker, "
        f"the larger the share of the row. {scored.get('signature', '')}",
        bottom + 4,
        marks,
        right,
    )


def _foot(marks: list[Mark], lines: Sequence[str], right: float, bottom: float) -> float:
    """Add lines of text below a matrix, and return their lower end."""
    for i, one in enumerate(lines, 1):
        text = fitting_name(one, right - 2, SMALL)
        marks.append(words(1, bottom + i * ROW, text, size=SMALL))
    return bottom + len(lines) * ROW
