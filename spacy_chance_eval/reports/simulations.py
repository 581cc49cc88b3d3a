"""Tables and figures of papers, made again, as text, Markdown, CSV and figures."""

from __future__ import annotations

import csv
import io

from .figures import (
    CORRECTED,
    INK,
    LINE,
    MARGIN,
    OBSERVED,
    TICK_ROOM,
    TITLE_ROOM,
    WIDTH,
    Figure,
    Group,
    Mark,
    Style,
    bottom_axis,
    curve,
    fitting_ticks,
    left_axis,
    left_room,
    legend,
    scale,
)
from .paper_tables import paper_table_markdown, paper_table_text
from .tables import csv_cell, markdown_text
from .words import Result

COLUMNS = ("table", "row", "column", "value", "printed", "why")
HEIGHT = 120.0  # points of the axes
COLOURS = (OBSERVED, CORRECTED, INK, LINE)
DASHES = ("", "5 2", "1 1.4", "6 2 1 2")


def simulation_text(result: Result) -> str:
    """Each table, and below it the values that differ from the printed ones.

    Parameters
    ----------
    result : dict
        The result of `simulate_chance`, or of another simulation.
    """
    return "\n\n".join([result["paper"], *map(paper_table_text, result["tables"])])


def simulation_markdown(result: Result) -> str:
    """The same as Markdown.

    Parameters
    ----------
    result : dict
    """
    lines = [f"# {markdown_text(result['paper'])}", ""]
    for one in result["tables"]:
        lines += paper_table_markdown(one)
    lines.append(f"Made by spacy-chance-eval {result['version']}.")
    return "\n".join(lines) + "\n"


def simulation_csv(result: Result) -> str:
    """One row for each cell of each table and each point of each figure; numbers in full.

    Parameters
    ----------
    result : dict
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    drawn = {one["key"] for one in result["figures"]}
    for one in result["tables"]:
        for row in one["rows"] if one["key"] not in drawn else ():
            for column, cell in zip(one["columns"], row["cells"]):
                fields = [cell.get(key) for key in COLUMNS[3:]]
                writer.writerow(map(_field, [one["name"], row["name"], column, *fields]))
    for one in result["figures"]:
        for line in one["curves"]:
            for x, y in zip(line["x"], line["y"]):
                writer.writerow(map(_field, [one["name"], x, line["name"], y, None, None]))
    return file.getvalue()


def simulation_figure(result: Result) -> Figure:
    """All figures in one, one below the other.

    Parameters
    ----------
    result : dict

    Raises
    ------
    ValueError
        If there are none.
    """
    figures = result["figures"]
    if not figures:
        raise ValueError(
            "no figure among these tables; `simulate chance --only figure1` draws one, and "
            "--format md writes tables"
        )
    marks: list[Mark] = []
    top = 0.0
    for one in figures:
        drawn, top = _draw(one, top)
        marks += drawn
    names = ", ".join(f"{one['name']}: {one['title']}" for one in figures)
    return Figure(names, f"{names}. The table has the numbers.", top, marks)


def _draw(figure: Result, top: float) -> tuple[list[Mark], float]:
    """The curves of a figure drawn below `top`, and their lower end."""
    curves = figure["curves"]
    styles = [Style(COLOURS[i % 4], "", DASHES[(i + i // 4) % 4]) for i in range(len(curves))]
    names = [one["name"] for one in curves]
    marks, height = legend(list(zip(names, styles)), MARGIN, WIDTH, top)
    top += height + MARGIN
    up = scale([0.0, *(y for one in curves for y in one["y"])], top + HEIGHT, top, margin=0.05)
    left = left_room(fitting_ticks(up, upright=True), figure["y"])
    xs = [x for one in curves for x in one["x"]]
    across = scale(xs, left, WIDTH - 2 * MARGIN, margin=0.01)
    marks += left_axis(up, left, across.end, figure["y"])
    marks += bottom_axis(across, up.end, up.start, figure["x"])
    for i, (one, style) in enumerate(zip(curves, styles)):
        points = [(across(x), up(y)) for x, y in zip(one["x"], one["y"])]
        marks.append(Group(f"{figure['key']}-{i}", list(curve(points, style))))
    return marks, up.start + TICK_ROOM + TITLE_ROOM + MARGIN


def _field(value: object) -> str | int | float:
    """A field of CSV."""
    return "" if value is None else csv_cell(value)
