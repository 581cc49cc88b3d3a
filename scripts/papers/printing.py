"""Tables of papers as text, Markdown, CSV and JSON, printed values beside ours; curves as SVG.

A result has the name of the `paper`, and `tables`. A table has a `key`, a `name`, a `title`,
`columns` and `rows`, each with a `name` and `cells`. A cell has a `value`, and if the paper prints
one `printed`; where the two disagree it also has `why`. A table with `curves` is a figure.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from spacy_chance_eval import __version__

Cell = dict[str, Any]
Table = dict[str, Any]
Result = dict[str, Any]

UNKNOWN = "the reason is not known"
DECIMALS = 4
MARK = "*"  # of a value that differs from the printed one
DASH = "-"
COLUMNS = ("table", "row", "column", "value", "printed", "why")


def cell(value: float | str | None, printed: str | None = None, why: str = UNKNOWN) -> Cell:
    """A value, the one that a paper prints, and why they disagree, if they do.

    They agree where ours, rounded to as many decimals, is the printed one.
    """
    if printed is None:
        return {"value": value}
    decimals = len(printed.partition(".")[2])
    ours = value if isinstance(value, str) else "" if value is None else f"{value:.{decimals}f}"
    return {"value": value, "printed": printed} | ({} if ours == printed else {"why": why})


def table(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: Iterable[tuple[str, Iterable[Cell]]],
    curves: Mapping[str, Any] | None = None,
) -> Table:
    """A table; its key is the name in small letters, without spaces.

    `curves` has the title of a figure, those of its axes, "x" and "y", and "lines":
    {name: (numbers of x, of y)}.
    """
    rows = [{"name": row, "cells": list(cells)} for row, cells in rows]
    key = name.lower().replace(" ", "")
    made = {"key": key, "name": name, "title": title, "columns": list(columns), "rows": rows}
    return made | ({} if curves is None else {"curves": dict(curves)})


def made_again(paper: str, tables: Iterable[Table]) -> Result:
    """The result of some tables."""
    return {"paper": paper, "tables": list(tables), "version": __version__}


# --- writers


def text(result: Result) -> str:
    """Each table, and below it the values that differ from the printed ones."""
    return "\n\n".join([result["paper"], *map(_table_text, result["tables"])]) + "\n"


def _table_text(one: Table) -> str:
    rows = [
        ["", *one["columns"]],
        *([row["name"], *map(_shown, row["cells"])] for row in one["rows"]),
    ]
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    rows.insert(1, ["-" * width for width in widths])
    lines = [f"{one['name']}: {one['title']}", ""]
    for first, *others in rows:
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        lines.append("   ".join(cells).rstrip())
    differing = list(_differences(one))
    width = max((len(place) for place, _ in differing), default=0)
    lines += [""] * bool(differing)
    return "\n".join(lines + [f"  {place:{width}}  {why}" for place, why in differing])


def markdown(result: Result) -> str:
    """The same as Markdown."""
    lines = [f"# {result['paper']}"]
    for one in result["tables"]:
        lines += ["", f"## {one['name']}", "", f"{one['title']}.", ""]
        lines.append("| " + " | ".join(["", *one["columns"]]) + " |")
        lines.append("| --- |" + " ---: |" * len(one["columns"]))
        for row in one["rows"]:
            lines.append("| " + " | ".join([row["name"], *map(_shown, row["cells"])]) + " |")
        lines += [""] * any(_differences(one))
        lines += [f"- {place}: {why}" for place, why in _differences(one)]
    return "\n".join([*lines, "", f"Made by spacy-chance-eval {result['version']}."]) + "\n"


def comma_separated(result: Result) -> str:
    """A row for each cell of each table and each point of each curve; numbers in full."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in result["tables"]:
        if "curves" in one:
            for name, points in one["curves"]["lines"].items():
                writer.writerows((one["name"], x, name, y, "", "") for x, y in zip(*points))
            continue
        for row in one["rows"]:
            for column, found in zip(one["columns"], row["cells"]):
                writer.writerow([one["name"], row["name"], column, *map(found.get, COLUMNS[3:])])
    return file.getvalue()


def _shown(found: Cell) -> str:
    """A cell, with as many decimals as the paper prints, and a mark where the two differ."""
    value = found["value"]
    if not isinstance(value, float):
        return DASH if value is None else str(value)
    decimals = len(found["printed"].partition(".")[2]) if "printed" in found else DECIMALS
    return f"{value:.{decimals}f}" + MARK * ("why" in found)


def _differences(one: Table) -> Iterator[tuple[str, str]]:
    """The place and an explanation of each cell that differs from the printed one."""
    for row in one["rows"]:
        for column, found in zip(one["columns"], row["cells"]):
            if "why" in found:
                ours = _shown(found).rstrip(MARK)
                why = f"printed {found['printed']}, here {ours}: {found['why']}"
                yield f"{MARK} {row['name']}, {column}", why


# --- figures

WIDTH, HEIGHT, LEFT, LINE = (
    360,
    150,
    48,
    14,
)  # px: the axes of a figure, their margins, a line of text
COLOURS = ("#0072b2", "#d55e00", "#000000", "#009e73", "#cc79a7")  # Okabe and Ito (2008)
DASHES = ("", "5 2", "1 2", "6 2 1 2", "8 3")


def svg(result: Result) -> str:
    """All figures in one, one below the other."""
    figures = [one for one in result["tables"] if "curves" in one]
    if not figures:
        raise ValueError("none of these tables is a figure")
    drawn: list[str] = []
    top = 0
    for one in figures:
        marks, height = _drawn(one)
        drawn += [f'<g transform="translate(0 {top})">', *marks, "</g>"]
        top += height
    names = ", ".join(f"{one['name']}: {one['curves']['title']}" for one in figures)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 12} {top}" '
            'font-family="sans-serif" font-size="10">',
            f"<title>{escape(names)}</title>",
            *drawn,
            "</svg>\n",
        ]
    )


def _drawn(one: Table) -> tuple[list[str], int]:
    """The marks of a figure, and its height: a legend, axes with their ends, and curves."""
    curves, lines = one["curves"], one["curves"]["lines"]
    top = LINE * (len(lines) + 2)
    xs = [x for points in lines.values() for x in points[0]]
    ys = [y for points in lines.values() for y in points[1] if y is not None]
    (left, right), (low, high) = (min(xs), max(xs)), (min([0, *ys]), max([0, *ys]))

    def place(x: float, y: float) -> tuple[float, float]:
        """Where a point is."""
        across, up = (x - left) / ((right - left) or 1), (y - low) / ((high - low) or 1)
        return LEFT + WIDTH * across, top + HEIGHT * (1 - up)

    def words(x: float, y: float, said: str, anchor: str = "start") -> str:
        return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(said)}</text>'

    marks = [words(0, LINE, f"{one['name']}: {curves['title']}")]
    bottom = top + HEIGHT
    frame = f"M{LEFT} {top}V{bottom}H{LEFT + WIDTH}"
    marks.append(f'<path d="{frame}" fill="none" stroke="#888"/>')
    for y in sorted({low, 0, high}):
        marks.append(words(LEFT - 4, place(left, y)[1] + 3, f"{y:.3g}", "end"))
    for x, anchor in ((left, "start"), (right, "end")):
        marks.append(words(place(x, low)[0], bottom + LINE, f"{x:g}", anchor))
    marks.append(words(LEFT + WIDTH / 2, bottom + LINE, curves["x"], "middle"))
    marks.append(words(0, top - 4, curves["y"]))
    for i, (name, points) in enumerate(lines.items()):
        style = (
            f'fill="none" stroke="{COLOURS[i % len(COLOURS)]}" '
            f'stroke-dasharray="{DASHES[i % len(DASHES)]}"'
        )
        y = LINE * (i + 2) - 3
        marks.append(f'<path d="M{LEFT + WIDTH - 24} {y}h24" {style}/>')
        marks.append(words(LEFT + WIDTH - 28, y + 3, name, "end"))
        whole = [place(x, y) for x, y in zip(*points) if y is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in whole)
        marks.append(f'<polyline points="{path}" {style}/>')
    return marks, bottom + 2 * LINE


# --- command lines

WRITERS = {
    "text": text,
    "md": markdown,
    "csv": comma_separated,
    "json": lambda result: json.dumps(result, indent=2, ensure_ascii=False) + "\n",
    "svg": svg,
}


def parser(about: str | None) -> argparse.ArgumentParser:
    """A parser with the options that all scripts have."""
    made = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    made.add_argument("--only", default="", help="some tables, with commas: table3,figure1")
    made.add_argument("--to", choices=WRITERS, help="how to write; by default as the file is named")
    made.add_argument("--output", "-o", type=Path, help="file to write; by default it is printed")
    return made


def write(result: Result, asked: argparse.Namespace) -> None:
    """Print the tables that were asked for, or write them to a file.

    Raises
    ------
    ValueError
        For a table that does not exist, a file with another ending, and no figure to draw.
    """
    keys = [one["key"] for one in result["tables"]]
    wanted = [key.strip() for key in asked.only.split(",") if key.strip()] or keys
    if unknown := [key for key in wanted if key not in keys]:
        raise ValueError(f"unknown table {unknown[0]!r}; expected some of {', '.join(keys)}")
    result = result | {"tables": [one for one in result["tables"] if one["key"] in wanted]}
    ending = asked.output.suffix[1:] if asked.output else "text"
    to = asked.to or ("text" if ending == "txt" else ending)
    if to not in WRITERS:
        raise ValueError(f"{asked.output} ends in none of {', '.join(WRITERS)}; say --to")
    written = WRITERS[to](result)
    if asked.output is None:
        print(written, end="")
        return
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    asked.output.write_text(written, encoding="utf8", newline="\n")
