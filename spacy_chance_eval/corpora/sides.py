"""The sides of a comparison as files: which belong together, and documents of all at a time."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ..formats.corpus import join_corpora
from ..formats.errors import FormatError
from ..formats.paths import is_remote
from .pieces import Cutter, can_be_cut
from .run import read_corpus

FEW, MOST = 64, 20_000  # documents of a piece: of the first one, and of any
CHARACTERS = 4_000_000  # that a piece is meant to have


class Unordered(ValueError):
    """Sides that hold other documents at the same place: only as a whole they can be compared."""


@dataclass(frozen=True)
class Side:
    """The files of one side, in order, and how they are read.

    `misaligned` says what becomes of spans that do not fit the tokens of a tokenizer.
    """

    paths: tuple
    role: str = "gold"
    options: Mapping = field(default_factory=dict)
    misaligned: str = "error"

    def cutter(self, paths):
        """What cuts some of the files into pieces."""
        return Cutter(paths, role=self.role, **self.options)

    def can_be_cut(self, paths):
        """Whether pieces of some of the files can be read by themselves."""
        return all(can_be_cut(path, self.options) for path in paths)

    def read(self, path):
        """The corpus of a whole file."""
        return read_corpus(path, role=self.role, **self.options)


@dataclass(frozen=True)
class Shard:
    """Documents that are worked on together: of each side paths of files, or pieces of them.

    `first` is the number of documents in front, where it is known; `n_bytes` how large each file is
    where the work is handed out, if it is done elsewhere.
    """

    number: int
    parts: tuple
    first: int = 0
    n_bytes: tuple = ()


def by_files(sides, some=False):
    """The sides with their files in an order in which they belong together; None if there is none.

    Files belong together that are called alike, but for their endings; or else, if there are
    equally many, those at the same place. With `some`, files without partners are left out.
    """
    tables = named_files(sides)
    if tables is not None and (some or len({frozenset(table) for table in tables}) == 1):
        shared = [name for name in tables[0] if all(name in table for table in tables)]
        if len(shared) > 1 or (some and shared):
            return [
                replace(side, paths=tuple(table[name] for name in shared))
                for side, table in zip(sides, tables)
            ]
    alike = len({len(side.paths) for side in sides}) == 1 and len(sides[0].paths) > 1
    return list(sides) if alike else None


def named_files(sides):
    """{name without endings: path} for each side; None where two files are called alike."""
    tables = [{stem(path): path for path in side.paths} for side in sides]
    unique = all(len(table) == len(side.paths) for table, side in zip(tables, sides))
    return tables if unique else None


def without_partners(sides):
    """The files of some sides that others have no partner for, if they have for any."""
    tables = named_files(sides) or [{}]
    everywhere = set.intersection(*map(set, tables))
    if everywhere:
        for table in tables:
            yield from (str(path) for name, path in table.items() if name not in everywhere)


def stem(path):
    """The name of a file without its endings."""
    return PurePosixPath(str(path).replace("\\", "/")).name.partition(".")[0]


def shards_of(sides, whole_files):
    """The shards of some sides: files, or pieces of them."""
    if whole_files:
        for number, paths in enumerate(zip(*(side.paths for side in sides))):
            yield Shard(number, tuple((path,) for path in paths))
        return
    first = 0
    for number, pieces in enumerate(lockstep(sides, [side.paths for side in sides])):
        yield Shard(number, pieces, first)
        first += n_docs(pieces[0])


def n_docs(pieces):
    """Number of documents of some pieces."""
    return sum(piece.n_docs for piece in pieces)


def lockstep(sides, paths):
    """Pieces of all sides with equally many documents: tuples with a list of pieces of each.

    Raises
    ------
    Unordered
        If one of them has more documents than another one.
    """
    with ExitStack() as stack:
        cutters = [
            stack.enter_context(side.cutter(mine)) for side, mine in zip(sides, paths, strict=True)
        ]
        number = FEW
        while pieces := cutters[0].take(number):
            wanted = n_docs(pieces)
            others = [cutter.take(wanted) for cutter in cutters[1:]]
            for other, mine in zip(others, paths[1:]):
                if n_docs(other) != wanted:
                    raise Unordered(f"{called(mine)} has fewer documents than {called(paths[0])}")
            yield tuple(map(tuple, (pieces, *others)))
            characters = sum(piece.n_characters for piece in pieces)
            number = min(max(wanted * CHARACTERS // max(characters, 1), FEW), MOST, 8 * number)
        for cutter, mine in zip(cutters[1:], paths[1:]):
            if cutter.take(1):
                raise Unordered(f"{called(mine)} has more documents than {called(paths[0])}")


def called(paths):
    """How messages call some files."""
    return str(paths[0]) if len(paths) == 1 else f"what begins with {paths[0]}"


def found_anywhere(side):
    """The side with paths that mean the same in whatever folder they are used."""
    paths = (path if is_remote(path) else os.path.abspath(path) for path in side.paths)
    return replace(side, paths=tuple(paths))


def with_bytes(shard):
    """A shard of whole files that says how large these are here."""
    return replace(shard, n_bytes=tuple(size_of(path) for (path,) in shard.parts))


def size_of(path):
    """Number of bytes of a local file; None elsewhere, or without such a file."""
    try:
        return None if is_remote(path) else os.path.getsize(path)
    except OSError:
        return None


def check_bytes(shard):
    """Raise if a worker sees other files than there are where the work was handed out."""
    for (path,), n_bytes in zip(shard.parts, shard.n_bytes):
        if n_bytes is not None and size_of(path) not in (n_bytes, None):
            raise FormatError(
                f"has {size_of(path)} bytes on a worker, but {n_bytes} where the work was handed "
                "out; paths have to mean the same everywhere",
                path,
            )


def blocks_of(shard, sides):
    """(documents in front, corpora of the sides) of each part of a shard that is read at once."""
    check_bytes(shard)
    if not isinstance(shard.parts[0][0], str):
        yield shard.first, [together(pieces) for pieces in shard.parts]
    elif all(side.can_be_cut(paths) for side, paths in zip(sides, shard.parts)):
        first = shard.first
        for pieces in lockstep(sides, shard.parts):
            yield first, [together(mine) for mine in pieces]
            first += n_docs(pieces[0])
        if first == shard.first:  # no document: reading says whether that is an error
            yield shard.first, whole_corpora(shard, sides)
    else:
        yield shard.first, whole_corpora(shard, sides)


def whole_corpora(shard, sides):
    """The corpora of the files of a shard."""
    return [side.read(paths[0]) for side, paths in zip(sides, shard.parts)]


def together(pieces):
    """The corpus of some pieces."""
    corpora = [piece.read() for piece in pieces]
    return corpora[0] if len(corpora) == 1 else join_corpora(corpora[0].path, corpora)
