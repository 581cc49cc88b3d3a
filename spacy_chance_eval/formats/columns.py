"""Lines of a text file cut into columns; what is no token among them."""

import re
from collections import Counter
from collections.abc import Callable
from itertools import islice
from operator import methodcaller
from typing import NamedTuple

from .errors import FormatError
from .files import open_text

DOCSTART = "-DOCSTART-"
NO_DOCUMENTS = "no documents; expected one token a line, with its tags"
MOST_COLUMNS = 1000  # that are read at once
HEAD = 5_000  # tokens by which the number of columns is settled
# Instead of a tag: the annotator did not annotate the token.
UNSEEN = "-"
TAG = re.compile(r"O|[BIESLU]-.+")
# `# key = value`, `# id X` or `# newdoc`, up to the first tab.
FACT = re.compile(r"# +(?:(newdoc id|[\w.:-]+) *= *(.*)|(id) +(.+)|(newdoc) *)")


def columns_of(text, separator=None):
    """The columns of a line, none of an empty one; by default a tab separates, else blanks.

    Only blanks separate: a token may be another space.
    """
    if not text.strip(" \t"):
        return []
    if separator or "\t" in text:
        return text.split(separator or "\t")
    return [field for field in text.split(" ") if field]


class Splitter(NamedTuple):
    """How the lines of a text that are not empty are cut: by a function, equal to `columns_of`.

    `mark` is what separates columns wherever a line has more than one, None if that varies.
    """

    cut: Callable
    mark: str | None


def splitter(text, separator=None):
    """The quickest `Splitter` for a text."""
    if separator:
        return Splitter(methodcaller("split", separator), separator)
    if "\t" in text:
        return Splitter(columns_of, "\t")
    untidy = "  " in text or "\n " in text or " \n" in text or text[:1] == " " or text[-1:] == " "
    return Splitter(columns_of, None) if untidy else Splitter(methodcaller("split", " "), " ")


def width_of(path, texts, separator=None):
    """The usual number of columns of the first tokens; the first of equally usual ones.

    Lines with # count if there are no others. Texts are (line of the beginning, text).
    """
    tokens, others = Counter(), Counter()
    lines = (line for _, text in texts for line in text.split("\n") if line)
    for line in lines:
        if starts_document(line):
            continue
        if line[0] != "#":
            tokens[len(columns_of(line, separator))] += 1
        elif not FACT.match(line):
            others[len(columns_of(line, separator))] += 1
        if tokens.total() == HEAD:
            break
    if not tokens and not others:
        raise FormatError(NO_DOCUMENTS, path)
    return (tokens or others).most_common(1)[0][0]


def header_of(text, width, separator=None):
    """Names of the columns from a first line like `#token<tab>gold`; None without one."""
    fields = columns_of(text, separator)
    named = text.startswith("#") and not text.startswith("# ")
    if not named or len(fields) != width or width < 2 or any(map(is_tag, fields[1:])):
        return None
    return [fields[0][1:], *fields[1:]] if "\t" in text else None


def header_names(path):
    """Names of the columns that the first line of a file gives; None without such a line."""
    with open_text(path) as file:
        lines = [line.rstrip("\n") for line in islice(file, 100)]
    widths = (len(columns_of(line, "\t")) for line in lines[1:])
    width = next((width for width in widths if width > 1), 0)
    return header_of(lines[0], width, "\t") if lines else None


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


def starts_document(text):
    """Whether a line is a -DOCSTART-, whatever follows it."""
    return DOCSTART in text and text.split(maxsplit=1)[0] == DOCSTART
