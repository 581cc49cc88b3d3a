"""Documents cut out of a large file, each with its line, without the text between them."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from .corpus import Corpus
from .errors import PathLike
from .files import BlockReader, Excerpt, Run
from .forms import Form, read_form
from .json_rows import Rows
from .keys import Reading


class Piece(NamedTuple):
    """A document as it is in a file, the line where it begins, and about how many characters."""

    content: Any
    line: int
    size: int


def read_pieces(
    path: PathLike | Excerpt,
    reading: Reading,
    cut: Callable[[PathLike], Iterator[Piece]],
    form: Form,
) -> Corpus:
    """The corpus of the pieces of an excerpt, or of all that cut(path) gives."""
    pieces = path.content if isinstance(path, Excerpt) else [*cut(path)]
    return read_form(Rows(str(path), pieces, [one.line for one in pieces]), form, reading)


def blocks_of_pieces(
    cut: Callable[[PathLike], Iterator[Piece]],
    read: Callable[[PathLike | Excerpt, Reading], Corpus],
) -> BlockReader:
    """How files are read in blocks of pieces, of which `read` gets excerpts."""
    return BlockReader(
        lambda path, reading: (None, (Run([piece]) for piece in cut(path))),
        lambda contents: [*chain.from_iterable(contents)],
        lambda excerpt, whole, reading: read(excerpt, reading),
        "char",
    )
