"""`FormatError`, and how a reader gathers the problems of a file and reports them once."""

import os
import re
from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeAlias, TypeVar

from ..measures.messages import bounded_line, quoted

PathLike: TypeAlias = str | os.PathLike[str]
T = TypeVar("T")
ERRNO = re.compile(r"\[Errno -?\d+\] ")  # of the operating system, for programmers


class FormatError(ValueError):
    """A file that cannot be read or written as asked: the place, the error, and the remedy.

    Its text is bounded and printable, whatever a file has brought into it.

    Parameters
    ----------
    message : str
        The fault, the expectation, and the remedy.
    path : str or Path, optional
        The file.
    line : int, optional
        From 1. `path:line: ` precedes the message if they are known.
    """

    def __init__(self, message: str, path: object = None, line: int | None = None) -> None:
        super().__init__(bounded_line(ERRNO.sub("", message)), path, line)
        self.path, self.line = path if path is None else str(path), line

    def __str__(self) -> str:
        place = [str(part) for part in (self.path, self.line) if part is not None]
        return bounded_line(": ".join(filter(None, [":".join(place), self.args[0]])))


class NotInBlocksError(FormatError):
    """A part of a file that can only be read with the rest of the file."""


class Problem(NamedTuple):
    """An error at one place. Problems with the same advice are of one kind."""

    place: int
    found: str
    advice: str


class ContentError(Exception):
    """The first problem of some content, on its way to the reader that knows the place.

    `line` is its line, where that is not the one on which the document begins.
    """

    def __init__(self, found: str, advice: str, line: int | None = None) -> None:
        super().__init__(found, advice)
        self.found, self.advice, self.line = found, advice, line

    def __str__(self) -> str:
        return f"{self.found}; {self.advice}"


def raise_first(path: object, problems: Collection[Problem]) -> None:
    """Raise a `FormatError` for the problem with the lowest line, if there are any problems.

    It says how many lines have problems of the same kind.
    """
    if not problems:
        return
    first = min(problems, key=lambda problem: problem.place)
    n_such = len({one.place for one in problems if one.advice == first.advice})
    tail = f" ({n_such} such lines)" if n_such > 1 else ""
    raise FormatError(f"{first.found}; {first.advice}{tail}.", path, first.place or None)


def known(value: T, table: Collection[str], what: str, where: str = "") -> T:
    """The value, if the table has it; `where` begins the message about another one."""
    if value not in table:
        text = f"unknown {what} {quoted(value)}{did_you_mean(value, table)}"
        text = f"{where}: {text}" if where else text
        raise ValueError(f"{text}; expected one of {', '.join(table)}")
    return value


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """Text such as " (did you mean 'span_f'?)" behind an unknown name; "" if none fits."""
    found = similar_names(name, names)
    return f" (did you mean {' or '.join(map(repr, found))}?)" if found else ""


def similar_names(name: object, names: Iterable[str], most: int = 3) -> list[str]:
    """Names that are spelt like a name, in any case, the most similar one first."""
    from difflib import get_close_matches  # where nothing is misspelt nobody needs it

    by_form = {one.casefold(): one for one in names}
    return [by_form[form] for form in get_close_matches(str(name).casefold(), by_form, most)]
