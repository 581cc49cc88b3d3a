"""Documents cut out of a large file, each with its line, without the text between them."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from .corpus import Corpus
from .errors import PathLike
from .files import BlockReader, Excerpt
from .keys import Reading


class Piece(NamedTuple):
    """A document as it is in a file, the line where it begins, and about how many characters."""

    content: Any
    line: int
    size: int


def pieces_at(path: PathLike | Excerpt, cut: Callable[[PathLike], Iterator[Piece]]) -> list[Piece]:
    """The pieces of an excerpt, or all that a function cuts out of a file."""
    return path.content if isinstance(path, Excerpt) else [*cut(path)]


def blocks_of_pieces(
    cut: Callable[[PathLike, Reading], Iterator[Piece]],
    read: Callable[[PathLike | Excerpt, Reading], Corpus],
) -> BlockReader:
    """How files are read in blocks of pieces. Positions are characters.

    Parameters
    ----------
    cut : callable
        cut(path, reading) are the pieces of a file.
    read : callable
        read(excerpt, reading) is the corpus of an `Excerpt`, whose content is a list of pieces.
    """
    return BlockReader(
        lambda path, reading: (None, (([piece], None) for piece in cut(path, reading))),
        lambda contents: [*chain.from_iterable(contents)],
        lambda excerpt, whole, reading, state: read(excerpt, reading),
        "char",
    )
