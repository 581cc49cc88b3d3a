"""Documents cut out of a large file, each with its line, without the text between them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from .corpus import Corpus
from .errors import PathLike
from .files import BlockReader, Excerpt
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import RELATIONS, Place, note


class Piece(NamedTuple):
    """A document as it is in a file, the line where it begins, and about how many characters."""

    content: Any
    line: int
    size: int


def read_pieces(
    path: PathLike | Excerpt,
    reading: Reading,
    cut: Callable[[PathLike], Iterator[Piece]],
    translate: Callable[..., tuple[Row, str]],
) -> Corpus:
    """The corpus of the pieces of an excerpt, or of all that cut(path) gives.

    translate(piece, reading, relations) is a row; it adds the places of relations to a list.
    """
    pieces = path.content if isinstance(path, Excerpt) else [*cut(path)]
    relations: list[tuple[int, str]] = []
    form = Form(partial(translate, relations=relations))
    corpus = read_form(Rows(str(path), pieces, [one.line for one in pieces]), form, reading)
    places = [Place(str(path), line, what) for line, what in relations]
    return replace(corpus, notes=corpus.notes + note(RELATIONS, places))


def blocks_of_pieces(
    cut: Callable[[PathLike], Iterator[Piece]],
    read: Callable[[PathLike | Excerpt, Reading], Corpus],
) -> BlockReader:
    """How files are read in blocks of pieces, of which `read` gets excerpts."""
    return BlockReader(
        lambda path, reading: (None, (([piece], None) for piece in cut(path))),
        lambda contents: [*chain.from_iterable(contents)],
        lambda excerpt, whole, reading, state: read(excerpt, reading),
        "char",
    )
