"""The columns of CoNLL files that hold tags: their labels, and which of them are the same."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from .conll_bytes import NEWLINE, NotPlainError, parse_piece
from .conll_lines import (
    UNSEEN,
    columns_of,
    header_names,
    is_tag,
    place_of,
    read_chunks,
    read_pieces,
    starts_document,
    width_of,
)
from .errors import FormatError, PathLike
from .paths import path_of

# of base phrases in CoNLL-2000 and the English and German files of CoNLL-2003
CHUNKS = frozenset(
    ("ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP")
    + ("NC", "PC", "VC")
)
SHARE = 0.5  # of the cells of a column of tags: some may be misspelt, which its reader says
LISTED = 5  # labels of a column that a message lists


class TagColumn(NamedTuple):
    """A column of tags: its labels, and digests of all cells in order, with and without B-, I-."""

    labels: frozenset[str]
    digest: bytes
    bare: bytes

    def shares_labels(self, other: "TagColumn") -> bool:
        """Whether two columns have a label in common, or either has none."""
        return not (self.labels and other.labels) or bool(self.labels & other.labels)

    def copies_in(self, others: Mapping[int, "TagColumn"]) -> list[int]:
        """The places of columns with the same tags; of another scheme (IOB1), if it is one."""
        same = [at for at, one in others.items() if one.digest == self.digest]
        alike = [at for at, one in others.items() if one.bare == self.bare]
        return same or (alike if len(alike) == 1 else [])


class FileColumns(NamedTuple):
    """The columns of a file, or of several in their order; `words` is a digest of all tokens."""

    width: int
    words: bytes
    tags: Mapping[int, TagColumn]

    @property
    def candidates(self) -> dict[int, TagColumn]:
        """The columns that may be meant: those with labels, and the last one even if it has none.

        Base phrases beside other labels are not: of CoNLL-2003 (`token POS chunk entity`) the
        entities are meant.
        """
        found = {at: one for at, one in self.tags.items() if one.labels or at == self.width - 1}
        others = {at: one for at, one in found.items() if not one.labels or one.labels - CHUNKS}
        return others if any(one.labels for one in others.values()) else found

    def refused(
        self, path: PathLike, places: Iterable[int], unknown: str, name: str = "{path}#{places}"
    ) -> FormatError:
        """The error about columns of which each may be meant; `name` is how they are named."""
        texts = []
        for place in places:
            labels = sorted(self.tags[place].labels)
            more = [f"{len(labels) - LISTED} more"] if len(labels) > LISTED else []
            texts.append(f"{place} ({', '.join([*labels[:LISTED], *more]) or 'O alone'})")
        first, every = (name.format(path=path, places=",".join(map(str, some)))
                        for some in ([*places][:1], places))  # fmt: skip
        return FormatError(
            f"columns {', '.join(texts[:-1])} and {texts[-1]} have tags (counted from 0), and "
            f"nothing tells which of them is {unknown}; name it: {first}; or all, if they are "
            f"levels of nested spans: {every}",
            path,
        )


def file_columns(files: Iterable[PathLike], options: Mapping[str, Any]) -> FileColumns:
    """The content of the columns of some files; lines with other columns are passed over.

    Parameters
    ----------
    files : iterable of str or Path
        They are gone through piece by piece, and need little memory.
    options : mapping
        Of `read_conll`: `token` and `separator` count.
    """
    width, token, separator = 0, 0, options.get("separator")
    counts, digests = defaultdict[int, Counter[str]](Counter), defaultdict[int, Any](blake2b)
    bare = defaultdict[int, Any](blake2b)
    for path in files:
        width = width_of(path, read_chunks(path), separator)
        header = header_names(path)
        token = place_of(path, options.get("token") or 0, width, header)
        for number, data in enumerate(read_pieces(path)):
            data = data.partition(b"\n")[2] if header and not number else data
            for place, cells in enumerate(_cells_in(data, width, separator)):
                counts[place].update(cells)
                digests[place].update("\n".join([*cells, ""]).encode())
                bare[place].update("\n".join([*(cell[2:] for cell in cells), ""]).encode())
    tags = {}
    for place in range(width):
        own = {cell.strip(" "): n for cell, n in counts[place].items()}
        known = {cell: n for cell, n in own.items() if cell == UNSEEN or is_tag(cell)}
        is_of_tags = sum(known.values()) > SHARE * sum(own.values()) and {*known} != {UNSEEN}
        if is_of_tags and place != token:
            labels = frozenset(cell[2:] for cell in known if len(cell) > 1)
            tags[place] = TagColumn(labels, digests[place].digest(), bare[place].digest())
    return FileColumns(width, digests[token].digest(), tags)


def _cells_in(data: bytes, width: int, separator: str | None) -> Sequence[Sequence[str]]:
    """The columns of the tokens in some lines."""
    try:
        piece = parse_piece(data, width, separator)
        return [piece.cells(place, NEWLINE).decode().split("\n")[:-1] for place in range(width)]
    except NotPlainError:
        lines = (line for line in data.decode().split("\n") if not starts_document(line))
        rows = (columns_of(line, separator) for line in lines)
        return [*zip(*(row for row in rows if len(row) == width))]


def check_gold_column(path: PathLike, options: Mapping[str, Any]) -> None:
    """Raise FormatError for a file in which several columns may be gold, and none is named."""
    if options.get("columns") or not path_of(path).is_file() or header_names(path):
        return
    if width_of(path, read_chunks(path), options.get("separator")) < 3:
        return
    found = file_columns([path], options)
    if len(own := found.candidates) > 1:
        raise found.refused(path, own, "gold", "read(PATH, columns={{'gold': '{places}'}})")
