"""Tables of reports: for terminals, in Markdown, in CSV."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Literal, TypeAlias

from .words import DASH, Details, Result, legible, printable

Align: TypeAlias = Literal["l", "r"]

WIDTH = 100  # characters of a line where there is no terminal, and of prose at most
NARROWEST = 40  # characters of a line that tables are fitted to
WIDEST_CELL = 60  # characters, above which a table for terminals is no longer aligned
GAP = 3  # spaces between two columns
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# what Markdown, GitHub's mathematics, mentions and automatic links act on
ACTIVE = re.compile(r"[\\`*_\[\]|~$#!@{}]|:(?=/)|(?<=www)\.|\A[-+=]|(?<=\A\d)[.)]|(?<=\A\d\d)[.)]")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # at the beginning of a spreadsheet's formula

# --- tables for terminals


def terminal_columns() -> int | None:
    """Characters of a line of the terminal, or COLUMNS; None for a pipe or a file."""
    if "COLUMNS" not in os.environ and not (sys.__stdout__ and sys.__stdout__.isatty()):
        return None
    from shutil import get_terminal_size

    columns = get_terminal_size((0, 0)).columns
    return max(columns, NARROWEST) if columns else None


def line_width() -> int:
    """Characters of a line: those of the terminal; of a pipe or a file `WIDTH`."""
    return terminal_columns() or WIDTH


def fitted_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    aligns: Sequence[Align] = (),
    keys: int = 1,
) -> str:
    """A table that fits a terminal: a wider one becomes several, each with the key columns.

    Rows are never wrapped, so that each stays one line; those that have nothing in one of several
    tables are left out of it. In a pipe or a file a table is whole, however wide it is.

    Parameters
    ----------
    aligns : sequence of "l" or "r", optional
        By default key columns are aligned left, others right.
    keys : int
        Number of key columns, which come first.
    """
    rows = list(rows)
    places = range(len(header))
    aligns = aligns or ["l" if place < keys else "r" for place in places]
    widths = [GAP + max(map(len, cells)) for cells in zip(header, *rows)]
    blocks, columns = [[*places[:keys]]], terminal_columns()
    for place in places[keys:]:
        needed = sum(widths[one] for one in [*blocks[-1], place]) - GAP
        if columns and len(blocks[-1]) > keys and needed > columns:
            blocks.append([*places[:keys]])
        blocks[-1].append(place)
    tables = []
    for block in blocks:
        titles, *body = ([row[place] for place in block] for row in [header, *rows])
        if len(blocks) > 1:
            body = [row for row in body if {*row[keys:]} - {"", DASH}]
        if body or len(blocks) == 1:
            lines = [titles, [""] * len(titles), *body]
            widths = [min(max(map(len, cells)), WIDEST_CELL) for cells in zip(*lines)]
            lines[1] = ["-" * width for width in widths]
            pads = [str.ljust if aligns[place] == "l" else str.rjust for place in block]
            padded = ([pad(*cell) for pad, *cell in zip(pads, row, widths)] for row in lines)
            tables.append("\n" + "\n".join(map((" " * GAP).join, padded)))
    return "\n".join(tables) + "\n"


def detail_lines(details: Details) -> Iterator[str]:
    """The details at the head of a report, each on as many lines as it takes."""
    width = max(len(name) for name, _ in details)
    for name, text in details:
        start, text = f"  {printable(name):{width}}  ", printable(text)
        yield indent(text, start)


def warning_lines(result: Result) -> Iterator[str]:
    """The warnings of a result, each on a line, after an empty one; nothing without any."""
    for number, text in enumerate(result.get("warnings", ())):
        yield "\n" * (not number) + f"Warning: {printable(text)}"


def signature_lines(signatures: Iterable[str]) -> Iterator[str]:
    """The signatures of several scores: the common part on one line, then the rest of each.

    No line is divided, so that they can be copied and searched for.
    """
    rests, shared = divided_signatures(map(printable, signatures))
    yield f"signatures, each with |{shared}" if shared else "signatures"
    yield from rests


def divided_signatures(signatures: Iterable[str]) -> tuple[list[str], str]:
    """The part of each signature that differs, and the part that all share."""
    parts = [signature.split("|") for signature in dict.fromkeys(signatures)]
    shared = [part for part in parts[0][1:] if all(part in one for one in parts)] if parts else []
    if len(parts) < 2:
        shared = []
    rests = [[one[0], *(part for part in one[1:] if part not in shared)] for one in parts]
    return list(map("|".join, rests)), "|".join(shared)


def shorten(text: str, most: int) -> str:
    """A text without its middle, if it has more than `most` characters."""
    if len(text) <= most:
        return text
    half = (most - 2) // 2
    return f"{text[:half]}..{text[len(text) - (most - 2 - half) :]}"


def indent(text: str, start: str) -> str:
    """A text wrapped to the width of a line: after `start`, and below it."""
    width = max(min(line_width(), WIDTH) - len(start), NARROWEST // 2)
    lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return start + f"\n{' ' * len(start)}".join(lines)


# --- tables in Markdown


def pipe_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1
) -> Iterator[str]:
    """The lines of a table; the first `left` columns are aligned left, the others right."""
    aligns = ["---"] * left + ["---:"] * (len(header) - left)
    for cells in (header, aligns, *rows):
        yield f"| {' | '.join(cells)} |"
    yield ""


def markdown_text(text: str) -> str:
    """A text from the data as Markdown that shows it as it is, on one line."""
    flat = " ".join(printable(text).split())
    escaped = ACTIVE.sub(lambda found: "\\" + found.group(), flat)
    return re.sub("[&<>]", lambda found: ENTITIES[found.group()], escaped)


def code(text: str) -> str:
    """A text as code: between as many backticks as it takes."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{printable(text)}{pad}{fence}"


# --- tables in CSV


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Rows as CSV under a line with the columns, numbers in full; None is an empty cell.

    Columns that are empty in all rows are left out.
    """
    import csv
    import io

    rows = list(rows)
    columns = [name for name in columns if any(row.get(name) not in (None, "") for row in rows)]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(csv_cell, columns))
    for row in rows:
        cells = (row.get(name) for name in columns)
        writer.writerow("" if one is None else csv_cell(one) for one in cells)
    return file.getvalue()


def csv_cell(value: object) -> str:
    """A value in full; texts that a spreadsheet would take for a formula get an apostrophe."""
    if not isinstance(value, str):
        return repr(value)
    from unicodedata import category

    guard = "'" if value.lstrip(" ").startswith(FORMULA) else ""
    spelled = (repr(s)[1:-1] if category(s) in ("Cc", "Cs") else s for s in value)
    return guard + legible("".join(spelled))
