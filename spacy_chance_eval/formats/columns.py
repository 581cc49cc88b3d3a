"""Lines of a text file cut into columns; what is no token among them."""

import re
from collections import Counter
from itertools import islice
from typing import NamedTuple

from .errors import FormatError
from .files import open_text

DOCSTART = "-DOCSTART-"
MOST_COLUMNS = 1000  # that are read at once
PLAIN = "."  # the text of a line that can only be a token
# Instead of a tag: the annotator did not annotate the token.
UNSEEN = "-"
TAG = re.compile(r"O|[BIESLU]-.+")
# `# key = value`, `# id X` or `# newdoc`, up to the first tab.
FACT = re.compile(r"# +(?:(newdoc id|[\w.:-]+) *= *(.*)|(id) +(.+)|(newdoc) *)")


class Line(NamedTuple):
    """A line that is not empty, cut into columns.

    `text` is there if the line may be no token: if it begins with # or has a -DOCSTART- in it.
    """

    number: int
    text: str
    fields: tuple


def read_lines(path, separator):
    """All lines, with columns; none for an empty line."""
    once = {}.setdefault  # what is equal is there once: there are millions, and few are different
    lines = []
    with open_text(path) as file:
        for number, text in enumerate(file, 1):
            text = text.removesuffix("\n")
            if separator:
                fields = fields_of(text, separator)
            elif "\t" in text and text.strip(" \t"):
                fields = text.split("\t")
            else:
                fields = blanks(text)
            kept = text if text[:1] == "#" or DOCSTART in text else PLAIN
            fields = tuple([once(field, field) for field in fields])
            lines.append(Line(number, kept, once(fields, fields)))
    return lines


def fields_of(text, separator):
    """The columns of a line with a given separator."""
    return text.split(separator) if text.strip(" \t") else []


def blanks(text):
    """The columns of a line without tabs. Only blanks separate: a token may be another space."""
    return [field for field in text.split(" ") if field.strip("\t")]


def width_of(path, lines):
    """The usual number of columns of a token; the first of equally usual ones."""
    tokens = [line for line in lines if line.fields and not starts_document(line)]
    counts = Counter(len(line.fields) for line in tokens if line.text[0] != "#")
    if not counts:
        counts.update(len(line.fields) for line in tokens if not FACT.match(line.text))
    if not counts:
        raise FormatError("no documents; expected one token a line, with its tags", path)
    return counts.most_common(1)[0][0]


def header_of(lines, width):
    """Names of the columns from a first line like `#token<tab>gold`; None without one."""
    first = lines[0]
    named = first.text.startswith("#") and not first.text.startswith("# ")
    if not named or len(first.fields) != width or width < 2 or any(map(is_tag, first.fields[1:])):
        return None
    return [first.fields[0][1:], *first.fields[1:]] if "\t" in first.text else None


def header_names(path):
    """Names of the columns that the first line of a file gives; None without such a line."""
    with open_text(path) as file:
        texts = [line.rstrip("\n") for line in islice(file, 100)]
    lines = [Line(i, text, fields_of(text, "\t")) for i, text in enumerate(texts, 1)]
    width = next((len(line.fields) for line in lines[1:] if len(line.fields) > 1), 0)
    return header_of(lines, width) if lines and lines[0].fields else None


def is_tag(field):
    """Whether a field looks like a tag of any scheme."""
    return TAG.fullmatch(field.strip(" ")) is not None


def place_of(path, column, width, header):
    """Column from 0 for a number or the name of a column."""
    if header and column in header:
        return header.index(column)
    try:
        place = int(column)
    except ValueError:
        names = f"the first line names {', '.join(header)}" if header else "no line names columns"
        raise FormatError(
            f"no column {column!r}; {names}; columns also have numbers, from 0", path
        ) from None
    if not -width <= place < width:
        raise FormatError(f"no column {place}; the tokens have {width} columns, from 0", path)
    return place % width


def all_places(path, width, header, token):
    """{name or number: column} of all columns but the token's."""
    if width > MOST_COLUMNS:
        raise FormatError(f"{width} columns, more than {MOST_COLUMNS}; name those wanted", path)
    names = [name or str(place) for place, name in enumerate(header or [""] * width)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise FormatError(
            f"two columns are called {twice[0]!r}; columns need their own names", path
        )
    return {name: place for place, name in enumerate(names) if place != token}


def starts_document(line):
    """Whether a line is a -DOCSTART-, whatever follows it."""
    return DOCSTART in line.text and line.text.split(maxsplit=1)[0] == DOCSTART
