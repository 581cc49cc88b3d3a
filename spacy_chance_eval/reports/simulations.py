"""Tables and figures of papers, made again, as text, Markdown, CSV and plots (extra `plots`)."""

from __future__ import annotations

import csv
import io
from typing import Any

from . import plots
from .paper_tables import paper_table_markdown, paper_table_text
from .tables import csv_cell, markdown_text
from .words import Result

COLUMNS = ("table", "row", "column", "value", "printed", "why")
LEGEND, AXES, FOOT = 0.35, 2.2, 0.5  # inches
LEFT, ACROSS = 0.16, 0.8  # shares of the width
DASHES = ("-", "--", ":", "-.")


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
        for curve in one["curves"]:
            for x, y in zip(curve["x"], curve["y"]):
                writer.writerow(map(_field, [one["name"], x, curve["name"], y, None, None]))
    return file.getvalue()


def simulation_svg(result: Result) -> str:
    """The figures, one below the other, as the text of an SVG file.

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
        raise ValueError("no figure among these tables; choose one, such as figure1")
    each = LEGEND + AXES + FOOT
    with plots.new_figure(each * len(figures)) as figure:
        for i, one in enumerate(figures):
            bottom = 1 - (i + (LEGEND + AXES) / each) / len(figures)
            axes = figure.add_axes((LEFT, bottom, ACROSS, AXES / each / len(figures)))
            _draw(axes, one)
    names = ", ".join(f"{one['name']}: {one['title']}" for one in figures)
    return plots.svg_file(figure, "simulation", names, f"{names}. The table has the numbers.")


def _draw(axes: Any, figure: Result) -> None:
    """Draw the curves of a figure. Ids are like `figure1-0`: its key and the number of a curve."""
    colours = [plots.PAPER[name] for name in (plots.BEFORE, plots.AFTER, plots.TEXT, plots.LINE)]
    for i, curve in enumerate(figure["curves"]):
        style = {"color": colours[i % 4], "linestyle": DASHES[i // 4 % 4], "linewidth": 1.3}
        axes.plot(curve["x"], curve["y"], label=curve["name"], gid=f"{figure['key']}-{i}", **style)
    text, line = plots.PAPER[plots.TEXT], plots.PAPER[plots.LINE]
    axes.set_xlabel(figure["x"], color=text)
    axes.set_ylabel(figure["y"], color=text)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, labelcolor=text)
    plots.draw_frame(axes, text, line)


def _field(value: object) -> str | int | float:
    """A field of CSV."""
    return "" if value is None else csv_cell(value)
