"""The content of the columns of CoNLL files: which hold tags, which labels, which are the same."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple

from .conll_bytes import NEWLINE, NotPlainError, Piece, parse_piece
from .conll_lines import (
    UNSEEN,
    Reading,
    SentenceColumns,
    all_items,
    chunks_of,
    header_names,
    header_of,
    is_tag,
    place_of,
    read_chunks,
    read_pieces,
    width_of,
)
from .errors import FormatError, PathLike
from .paths import path_of

# of base phrases in CoNLL-2000 and the English and German files of CoNLL-2003
CHUNKS = frozenset(
    ("ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP")
    + ("NC", "PC", "VC")
)


class TagColumn(NamedTuple):
    """A column that holds tags alone: its labels, and a digest of all of its tags in order."""

    labels: frozenset[str]
    digest: bytes

    @property
    def has_chunks(self) -> bool:
        """Whether its labels are base phrases, and nothing else."""
        return bool(self.labels) and self.labels <= CHUNKS


@dataclass(frozen=True)
class FileColumns:
    """The columns of a file, or of several in their order.

    Parameters
    ----------
    width : int
        Number of columns.
    words : bytes
        A digest of all tokens in order, wherever sentences and documents end.
    tags : mapping of int to TagColumn
        The columns that hold tags, from left to right.
    """

    width: int
    words: bytes
    tags: Mapping[int, TagColumn]

    def rivals(self) -> list[int]:
        """The columns that may be gold as well as the last one, from left to right."""
        last = self.tags.get(self.width - 1)
        if last is None:
            return []
        return [
            place
            for place, one in self.tags.items()
            if one is not last and one.labels and (one.labels & last.labels or not one.has_chunks)
        ]


def file_columns(files: Iterable[PathLike], options: Mapping[str, Any]) -> FileColumns:
    """The content of the columns of some files; lines that cannot be read are skipped.

    Parameters
    ----------
    files : iterable of str or Path
        They are gone through piece by piece, and need little memory.
    options : mapping
        Of `read_conll`: `token` and `separator` count.
    """
    words, tags, width = blake2b(), _Tags(), 0
    for path in files:
        reading = _plain_reading(path, options)
        width = max(width, reading.width)
        places = [place for place in range(reading.width) if place != reading.token]
        line = 1
        for data in read_pieces(path):
            if reading.header and line == 1:
                line, data = 2, data.partition(b"\n")[2]
            for tokens, columns in _columns_in(data, reading, line, tags.left(places)):
                words.update(tokens)
                tags.add(columns)
            line += data.count(b"\n")
    return FileColumns(width, words.digest(), tags.found())


class _Cells(NamedTuple):
    """The different cells of a column, or some that show that it holds no tags; and all of them.

    Of these a function gives the bytes, with a newline behind each.
    """

    values: set[str]
    data: Callable[[], bytes]


def _columns_in(
    data: bytes, reading: Reading, line: int, places: Sequence[int]
) -> Iterator[tuple[bytes, dict[int, _Cells]]]:
    """(bytes of the tokens, columns by place) of some lines, or of each sentence in them."""
    try:
        piece = parse_piece(data, reading.width, reading.separator)
        if piece.has_empty(reading.token):
            raise NotPlainError
        columns = {
            place: _Cells(_values_in(piece, place), partial(piece.cells, place, NEWLINE))
            for place in places
        }
        found = [(piece.cells(reading.token, NEWLINE), columns)] if len(piece.first) else []
    except NotPlainError:
        items = (item for _, item in all_items(chunks_of([data], line), reading, []))
        some = (item.columns for item in items if isinstance(item, SentenceColumns))
        found = [
            (
                _bytes_of(cells[reading.token]),
                {at: _Cells(set(cells[at]), partial(_bytes_of, cells[at])) for at in places},
            )
            for cells in some
        ]
    yield from found


def _values_in(piece: Piece, place: int) -> set[str]:
    """The different cells of a column; some of them, if it does not begin with a tag."""
    first = {piece.value(place, token) for token in range(min(len(piece.first), 100))}
    if not all(map(_may_be_tag, first)):
        return first
    tokens, _, values = piece.values(place)
    return {*values, "O"} if len(tokens) < len(piece.first) else {*values}


def _may_be_tag(cell: str) -> bool:
    """Whether a cell may be one of a column of tags."""
    return cell.strip(" ") == UNSEEN or is_tag(cell)


def check_gold_column(path: PathLike, options: Mapping[str, Any]) -> None:
    """Raise FormatError for a file in which several columns may be gold, and none is named."""
    if options.get("columns") or not path_of(path).is_file() or header_names(path):
        return
    if width_of(path, read_chunks(path), options.get("separator")) < 3:
        return
    found = file_columns([path], options)
    if rivals := found.rivals():
        places = " and ".join(map(str, (*rivals, found.width - 1)))
        raise FormatError(
            f"columns {places} have tags (counted from 0), and nothing tells which of them is "
            f"gold; name it: read(PATH, columns={{'gold': {rivals[0]}}}), or all, if they are "
            f"levels of nested spans: columns={{'gold': {[*rivals, found.width - 1]}}}. Of a "
            "prediction the last one is read: read(PATH, role='pred')",
            path,
        )


def _plain_reading(path: PathLike, options: Mapping[str, Any]) -> Reading:
    """How the lines of a file are cut into columns."""
    separator = options.get("separator")
    width = width_of(path, read_chunks(path), separator)
    _, first = next(iter(read_chunks(path)))
    header = header_of(first.partition("\n")[0], width, separator)
    token = place_of(path, options.get("token") or 0, width, header)
    return Reading(separator, width, token, {}, {}, {}, True, False, bool(header))


class _Tags:
    """The columns that held nothing but tags so far."""

    def __init__(self) -> None:
        self._seen: dict[int, set[str]] = {}
        self._digests: dict[int, Any] = {}
        self._others: set[int] = set()

    def left(self, places: Iterable[int]) -> list[int]:
        """Those of some columns that may hold tags alone."""
        return [place for place in places if place not in self._others]

    def add(self, columns: Mapping[int, _Cells]) -> None:
        """Go on with some columns."""
        for place in self.left(columns):
            values, data = columns[place]
            seen = self._seen.setdefault(place, set())
            if not all(map(_may_be_tag, values - seen)):
                self._others.add(place)
                continue
            seen.update(value.strip(" ") for value in values)
            self._digests.setdefault(place, blake2b()).update(data())

    def found(self) -> dict[int, TagColumn]:
        """The columns of tags; hyphens alone are not tags."""
        return {
            place: TagColumn(_labels_of(seen), self._digests[place].digest())
            for place, seen in sorted(self._seen.items())
            if place not in self._others and seen != {UNSEEN}
        }


def _labels_of(tags: Iterable[str]) -> frozenset[str]:
    """The labels of some tags."""
    return frozenset(tag.partition("-")[2] for tag in tags if tag not in ("O", UNSEEN))


def _bytes_of(cells: Iterable[str]) -> bytes:
    """Some cells as bytes; cells have no newlines."""
    return "".join(f"{cell}\n" for cell in cells).encode()
