"""Tables of reports: for terminals, in Markdown, in CSV."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Literal, TypeAlias
from unicodedata import category

from wasabi import table

from .words import Details, Result, printable

Align: TypeAlias = Literal["l", "r"]
Column: TypeAlias = list[str]  # a title and cells

WIDTH = 100  # characters of a line
WIDEST_CELL = 60  # characters, above which a table for terminals is no longer aligned
GAP = 3  # spaces between two columns
LONGEST_TITLE = 24  # characters above a column; rows have names in full
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# what Markdown, GitHub's mathematics, mentions and automatic links act on
ACTIVE = re.compile(r"[\\`*_\[\]|~$#!@{}]|:(?=/)|(?<=www)\.|\A[-+=]|(?<=\A\d)[.)]|(?<=\A\d\d)[.)]")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # at the beginning of a spreadsheet's formula

# --- tables for terminals


def text_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], aligns: Sequence[Align] = ()
) -> str:
    """A table with a blank line before and after it.

    By default the first column is aligned left, the others right.
    """
    numbers: list[Align] = ["r"] * (len(header) - 1)
    aligns = aligns or ["l", *numbers]
    return table(list(rows), header=header, divider=True, aligns=aligns, max_col=WIDEST_CELL)


def column(title: str, cells: Iterable[str]) -> Column:
    """One column of `wide_tables`: its title and its cells."""
    return [title, *cells]


def wide_tables(
    title: str, names: Iterable[str], groups: Iterable[Sequence[Column]]
) -> Iterator[str]:
    """Tables that fit the width of a line, each with the names of the rows.

    Columns of a group stay together. Rows that have nothing in a table are left out of it.

    Parameters
    ----------
    title : str
        The title of the column of names.
    names : iterable of str
        Of the rows.
    groups : iterable of sequences of columns
    """
    first = column(title, map(printable, names))
    block: list[Column] = []
    used = _width(first)
    for group in filter(None, groups):
        needed = sum(GAP + _width(one) for one in group)
        if block and used + needed > WIDTH:
            yield _joined(first, block).rstrip("\n")
            block, used = [], _width(first)
        block, used = [*block, *group], used + needed
    if block:
        yield _joined(first, block)


def _width(cells: Column) -> int:
    return max(map(len, cells))


def _joined(first: Column, columns: Sequence[Column]) -> str:
    header, *rows = zip(first, *columns)
    return text_table(header, [row for row in rows if any(row[1:])])


def detail_lines(details: Details, *, wrapped: bool = False) -> Iterator[str]:
    """The details at the head of a report, each on a line or, if that is too long, on several."""
    width = max(len(name) for name, _ in details)
    for name, text in details:
        start, text = f"  {printable(name):{width}}  ", printable(text)
        yield indent(text, start) if wrapped else start + text


def warning_lines(result: Result) -> Iterator[str]:
    """The warnings of a result, each on a line, after an empty one; nothing without any."""
    for number, text in enumerate(result.get("warnings", ())):
        yield "\n" * (not number) + f"Warning: {printable(text)}"


def short_title(name: str) -> str:
    """A name above a column: a long one without its middle."""
    name, half = printable(name), LONGEST_TITLE // 2 - 1
    return name if len(name) <= LONGEST_TITLE else f"{name[:half]}..{name[-half:]}"


def indent(text: str, start: str) -> str:
    """A text wrapped to the width of a line: after `start`, and below it."""
    lines = wrap(text, WIDTH - len(start), break_long_words=False, break_on_hyphens=False)
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


def csv_cell(value: object) -> str:
    """A value in full; texts that a spreadsheet would take for a formula get an apostrophe."""
    if not isinstance(value, str):
        return repr(value)
    guard = "'" if value.lstrip(" ").startswith(FORMULA) else ""
    spelled = (repr(s)[1:-1] if category(s) in ("Cc", "Cs") else s for s in value)
    return guard + "".join(spelled)
