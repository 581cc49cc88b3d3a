"""Rows of tables with a header; as rows of JSON, whose cells may be values."""

from __future__ import annotations

import csv
import re
from ast import literal_eval
from contextlib import suppress
from itertools import chain
from typing import Any
from warnings import catch_warnings, simplefilter

from .errors import ContentError, FormatError, PathLike
from .files import open_text
from .json_text import in_one_line, parsed_json
from .rows import brief

ENDINGS = (".csv", ".tsv")
SEPARATORS = (",", "\t", ";")
# names that some write as Text
ANY_CASE = {
    *("id", "text", "entities", "spans", "word", "words", "token", "tokens"),
    *("ner_tag", "ner_tags", "ner", "tag", "tags", "label", "labels"),
}
# how numpy prints lists of texts: for Python one text
WITHOUT_COMMAS = re.compile(r"""(['"])\s+['"]""")


def table_rows(path: PathLike) -> list[tuple[dict[str, Any], int]]:
    """(cells by column, line) of each row of a table that has any."""
    with open_text(path) as file:
        file.reconfigure(newline="")
        first = file.readline()
        separator = max(SEPARATORS, key=first.count)
        table = csv.DictReader(chain([first], file), delimiter=separator, strict=True)
        try:
            header = [name for name in table.fieldnames or () if name]
            rows: Any = [(row, table.line_num) for row in table if any(row.values())]
        except csv.Error:
            wrong = "no table: a quote is not closed, or a cell has over 131,072 characters"
            raise FormatError(wrong, path, table.reader.line_num) from None
    if len({*map(known_name, header)}) < len(header):
        wrong = f"the first line is {brief(header)}; a table begins with a line of different names"
        raise FormatError(wrong, path, 1)
    for row, line in rows:
        if None in row or None in row.values():
            raise FormatError("every line needs as many cells as the first one", path, line)
    return rows


def known_name(name: str) -> str:
    """The name of a column in lower case, without blanks."""
    return name.strip().lower().replace(" ", "_")


def json_lines(path: PathLike) -> str:
    """The rows of a table as JSON, each in its line of the file; without cells that are empty."""
    rows = table_rows(path)
    names = {known_name(name): name for name in rows[0][0] if name} if rows else {}
    keys = {name: key if key in ANY_CASE else name for key, name in names.items()}
    rows = [({keys[key]: _value(row[key]) for key in keys if row[key]}, n) for row, n in rows]
    lines: list[str] = []
    for row, line in rows:
        lines += [""] * (line - 1 - len(lines)) + [in_one_line(row)]
    return "\n".join([*lines, ""])


def _value(cell: str) -> Any:
    """The list or object that a cell is, as JSON or as Python prints it; else its text."""
    if cell[:1] not in ("[", "{"):
        return cell
    with suppress(ContentError):
        return parsed_json(cell, "")
    with (
        suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError),
        catch_warnings(),
    ):
        simplefilter("ignore")  # of backslashes in texts
        value = literal_eval(cell)
        if in_one_line(value) and not WITHOUT_COMMAS.search(cell):
            return value
    return cell
