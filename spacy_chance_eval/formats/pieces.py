"""Documents cut out of a large file, each with its line, without the text between them."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple, TextIO

from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import BlockReader, Excerpt, open_text
from .json_text import json_reason
from .rows import LONGEST

MANY = 1 << 20  # characters that are read at a time
BLANKS = re.compile(r"[ \t\r\n]*")
NEAR_END = 16  # characters: an error of JSON this near to the end may be that of a cut
ADVICE = "export it again, as JSON"


class Piece(NamedTuple):
    """A document as it is in a file, and the line where it begins."""

    text: str | bytes
    line: int


def pieces_at(path: PathLike | Excerpt, cut: Callable[[PathLike], Iterator[Piece]]) -> list[Piece]:
    """The pieces of an excerpt, or all that a function cuts out of a file."""
    return path.content if isinstance(path, Excerpt) else [*cut(path)]


def blocks_of_pieces(
    cut: Callable[[PathLike, Mapping[str, Any]], Iterator[Piece]], read: Callable[..., Corpus]
) -> BlockReader:
    """How files are read in blocks of pieces. Positions are characters.

    Parameters
    ----------
    cut : callable
        cut(path, options) are the pieces of a file.
    read : callable
        read(excerpt, **options) is the corpus of an `Excerpt`, whose content is a list of pieces.
    """
    return BlockReader(
        lambda path, options: (None, (([piece], None) for piece in cut(path, options))),
        lambda contents: [*chain.from_iterable(contents)],
        lambda excerpt, whole, options, state: read(excerpt, **options),
        "char",
    )


def json_pieces(path: PathLike, keys: Collection[str]) -> Iterator[Piece]:
    """The items of all lists under some keys of the objects in a file, or the objects themselves.

    Objects are those of an array, or follow each other, as on lines. Anything else is a piece,
    too, and so is a line that is not JSON, as long as it begins a value.

    Parameters
    ----------
    path : str or Path
    keys : collection of str
        An object without a list under any of them is a piece itself.
    """
    with open_text(path) as file:
        cutter = _Cutter(file, path, keys)
        while cutter.peek():
            cutter.keep()
            cutter.is_complete = True
            begun = cutter.line
            try:
                yield from cutter.values()
            except ContentError as mistake:
                if not cutter.is_complete or cutter.line_at(cutter.wrong) != begun:
                    line = cutter.line_at(cutter.wrong)
                    raise FormatError(f"{mistake}", path, line) from None
                yield cutter.rest_of_line()


class _Cutter:
    """The text of a file of JSON, of which little more is in memory than the value that is read.

    `kept` is where that begins, `line` its line, `at` how much was read of it, `wrong` where it is
    no JSON, and `is_complete` says whether nothing of the object in the file was passed over.
    """

    def __init__(self, file: TextIO, path: PathLike, keys: Collection[str]) -> None:
        self.file, self.path, self.keys = file, path, keys
        self.text, self.kept, self.at, self.wrong, self.line = "", 0, 0, 0, 1
        self.is_complete = True

    def more(self) -> bool:
        """Read more of the file; false at its end."""
        size = len(self.text) - self.kept
        if size > LONGEST:
            message = f"a value of more than {LONGEST:,} characters; divide it"
            raise FormatError(message, self.path, self.line)
        new = self.file.read(max(MANY, size))
        if new:
            self.text, self.at, self.kept = self.text[self.kept :] + new, self.at - self.kept, 0
        return bool(new)

    def line_at(self, place: int) -> int:
        """The line of a place in the text."""
        return self.line + self.text.count("\n", self.kept, place)

    def keep(self) -> None:
        """Drop the text that was read."""
        self.line, self.kept = self.line_at(self.at), self.at

    def piece(self) -> Piece:
        """The text read since `keep`."""
        return Piece(self.text[self.kept : self.at], self.line)

    def peek(self) -> str:
        """The next character that is not a blank; "" at the end."""
        while True:
            blanks = BLANKS.match(self.text, self.at)
            self.at = blanks.end() if blanks else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def mistake(self, reason: str, place: int) -> ContentError:
        """The error for text that is not JSON at a place."""
        self.wrong = place
        return ContentError(f"invalid JSON ({reason})", ADVICE)

    def expect(self, signs: str) -> str:
        """The next character, which is one of some."""
        sign = self.peek()
        if not sign or sign not in signs:
            raise self.mistake(f"expected {' or '.join(signs)}", self.at)
        self.at += 1
        return sign

    def value(self) -> Any:
        """The next value, passed over."""
        self.peek()
        while True:
            try:
                value, end = DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                cut = error.pos > len(self.text) - NEAR_END or error.msg.startswith("Unterminated")
                if not (cut and self.more()):
                    raise self.mistake(error.msg, error.pos) from None
            except (ValueError, RecursionError) as error:
                raise self.mistake(json_reason(error), self.at) from None
            else:
                if end < len(self.text) or not self.more():  # of a number there may be more
                    self.at = end
                    return value

    def values(self) -> Iterator[Piece]:
        """The pieces of the next value."""
        if self.peek() == "[":
            self.is_complete = False
            yield from self.items(self.parts)
        else:
            yield from self.parts()

    def items(self, parts: Callable[[], Iterator[Piece]]) -> Iterator[Piece]:
        """The pieces of a list."""
        self.expect("[")
        if self.peek() == "]":
            self.expect("]")
            return
        while True:
            self.peek()
            self.keep()
            yield from parts()
            if self.expect(",]") == "]":
                return

    def item(self) -> Iterator[Piece]:
        """The next value as a piece."""
        self.value()
        yield self.piece()

    def parts(self) -> Iterator[Piece]:
        """The items of the lists in the next value, or the value itself."""
        if self.peek() != "{":
            yield from self.item()
            return
        has_lists = False
        self.expect("{")
        sign = self.expect("}") if self.peek() == "}" else ","
        while sign == ",":
            if self.peek() != '"':
                raise self.mistake("expected a key", self.at)
            key = self.value()
            self.expect(":")
            if key in self.keys and self.peek() == "[":
                has_lists, self.is_complete = True, False
                yield from self.items(self.item)
            else:
                self.value()
            if has_lists:
                self.keep()
            sign = self.expect(",}")
        if not has_lists:
            yield self.piece()

    def rest_of_line(self) -> Piece:
        """The line that is not JSON."""
        while (end := self.text.find("\n", self.at)) < 0 and self.more():
            pass
        self.at = len(self.text) if end < 0 else end
        return self.piece()


DECODER = json.JSONDecoder()
