"""Tables of papers that are made again, each with the values that differ from the printed ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .tables import code, detail_lines, fitted_table, markdown_text, pipe_table
from .words import DASH, Result, printable

DECIMALS = 4
MARK = "*"  # of a value that differs from the printed one


def paper_table_text(table: Result) -> str:
    """One of the tables, and below it the values that differ from the printed ones."""
    rows = [[printable(name), *cells] for name, cells in paper_rows(table)]
    shown = fitted_table(["", *table["columns"]], rows).rstrip("\n")
    lines = [f"{table['name']}: {printable(table['title'])}", shown]
    if differing := list(_differences(table)):
        lines += ["", *detail_lines(differing)]
    return "\n".join(lines)


def paper_table_markdown(table: Result) -> Iterator[str]:
    """The lines of a section with one of the tables."""
    rows = [[markdown_text(row["name"]), *map(_as_code, row["cells"])] for row in table["rows"]]
    yield from (f"## {markdown_text(table['name'])}", "", f"{markdown_text(table['title'])}.", "")
    yield from pipe_table(["", *map(markdown_text, table["columns"])], rows)
    if differing := list(_differences(table)):
        yield from (f"- {markdown_text(name)}: {markdown_text(why)}" for name, why in differing)
        yield ""


def paper_rows(table: Result) -> list[tuple[str, list[str]]]:
    """The name of each row, and its cells as they are shown."""
    return [(row["name"], [*map(_shown, row["cells"])]) for row in table["rows"]]


def _shown(cell: Mapping[str, Any]) -> str:
    """A cell, with as many decimals as the paper prints, and a mark where the two differ."""
    value = cell["value"]
    if value is None:
        return DASH
    if not isinstance(value, float):
        return str(value)
    decimals = len(cell["printed"].partition(".")[2]) if "printed" in cell else DECIMALS
    return f"{value:.{decimals}f}" + MARK * ("why" in cell)


def _as_code(cell: Mapping[str, Any]) -> str:
    """A cell as Markdown; texts, which are layouts, as code."""
    text = _shown(cell)
    return code(text) if isinstance(cell["value"], str) else text.replace(MARK, f"\\{MARK}")


def _differences(table: Result) -> Iterator[tuple[str, str]]:
    """The place and an explanation of each cell that differs from the printed one."""
    for row in table["rows"]:
        for column, cell in zip(table["columns"], row["cells"]):
            if "why" in cell:
                text = f"printed {cell['printed']}, here {_shown(cell).rstrip(MARK)}: {cell['why']}"
                yield f"{MARK} {row['name']}, {column}", text
