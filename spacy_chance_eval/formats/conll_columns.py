"""What the beginning of a CoNLL file shows of its columns: which are tokens, and which are tags."""

import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, AnyStr, NamedTuple

from ..measures.messages import quoted
from ..measures.words import begin_alike
from .conll_bytes import (
    BEGINS,
    BOM,
    NO_DOCUMENTS,
    NOTHING,
    UNSEEN,
    Piece,
    Shape,
    usual_shape,
    with_newlines,
)
from .errors import FormatError, PathLike
from .files import by_file, readable_bytes
from .paths import path_of
from .tags import OUTSIDE, is_tag, plain_tags

HEAD, FIRST = 1 << 22, 1 << 16  # bytes that are looked at, of one file first
SHARE = 0.5  # of the cells of a column of tags: some may be misspelt, which its reader says
ALIKE = 0.25  # of the tags of gold and a prediction are the same; of levels far fewer are
LISTED = 5  # labels of a column that a message lists
MOST_COLUMNS = 1000  # in which tags are looked for
EMPTY = ("O", *NOTHING)
NUMBER = re.compile(r"\d+(?:[-.]\d+)?")  # of a token, of a multiword token, of an empty node
TOKENS = ("token", "tokens", "word", "words")  # how the first column is called without a #
# that may name columns
FIRST_LINE = re.compile(rb"\A(?:#(?! )|(?i:tokens?|words?)\t)[^\n]*\t[^\n]*\n")
MAIN = "NE-COARSE-LIT"  # of HIPE's columns
# of CoNLL-U Plus the first line, and of CoNLL-U the columns
PLUS = re.compile(rb"#\s*global\.columns\s*=(.*)")
STANDARD = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()
# tokens of CoNLL-2012 have this many columns and more: one for each predicate; some of them
RAGGED = Shape(12, 3, ragged=True)
ENTITIES = 10


class TagColumn(NamedTuple):
    """A column of tags: its labels, and its cells in order."""

    labels: frozenset[str]
    cells: Sequence[str]

    def shares_labels(self, other: "TagColumn") -> bool:
        """Whether two columns have a label in common, or either has none."""
        return not (self.labels and other.labels) or bool(self.labels & other.labels)

    def resembles(self, other: "TagColumn") -> bool:
        """Whether another column has many of the same tags and labels, or no spans."""
        pairs = [*zip(self.cells, other.cells)]
        either = sum(one not in EMPTY or two not in EMPTY for one, two in pairs)
        n = sum(one == two and one not in EMPTY for one, two in pairs)
        return not other.labels or self.shares_labels(other) and n >= ALIKE * either

    def equals(self, other: "TagColumn") -> bool:
        """Whether two columns have the same cells, as far as both were looked at."""
        return begin_alike(self.cells, other.cells)

    @property
    def n_outside(self) -> int:
        """Number of tokens outside of spans."""
        return sum(map(self.cells.count, EMPTY))

    @property
    def is_sparse(self) -> bool:
        """Whether at least half of the tokens are outside: of entities, not of base phrases."""
        return 2 * self.n_outside >= len(self.cells)

    def copies_in(self, others: Mapping[int, "TagColumn"]) -> list[int]:
        """The places of columns with the same tags."""
        return [at for at, one in others.items() if one.equals(self)]


class FileColumns(NamedTuple):
    """The columns of a file, or of several in their order.

    Their number, that of the tokens (the first without tags, and without numbers alone in lines
    of the usual number of columns), the names in a first line, the first tokens, and the columns of
    tags by place; those of O alone only if there are no others, or if they are the last column.
    """

    width: int
    token: int
    names: list[str] | None
    words: Sequence[str]
    tags: Mapping[int, TagColumn]

    def rivals(self, places: Iterable[int] | None = None) -> list[int]:
        """The columns that may be meant: HIPE's main one, or the last one and those like it.

        These share its labels, or leave most tokens outside as it does: of CoNLL-2003 (token, POS,
        chunk, entity) the last one is meant. Columns of O alone are not, beside others.
        """
        own = [*(self.tags if places is None else places)]
        if main := [at for at in own if self.names and self.names[at] == MAIN]:
            return main
        own = [at for at in own if self.tags[at].labels] or own
        last = self.tags[own[-1]]
        return [
            at
            for at in own
            if last.shares_labels(self.tags[at]) or last.is_sparse == self.tags[at].is_sparse
        ]

    def refused(
        self, path: PathLike, places: Iterable[int], unknown: str, advice: str = ""
    ) -> FormatError:
        """The error about columns of which each may be meant; `advice` is how to name them."""
        places, texts = [*places], []
        for at in places:
            labels = sorted(self.tags[at].labels)
            more = ["..."] if len(labels) > LISTED else []
            name = f"{at} {self.names[at]}" if self.names else str(at)
            texts.append(f"{name} ({', '.join(labels[:LISTED] + more) or 'O alone'})")
        every = f"{path}#{','.join(map(str, places))}"
        nested = f"{path}#{places[0]}; or all, if they are levels of nested spans: {every}"
        return FormatError(
            f"columns {', '.join(texts[:-1])} and {texts[-1]} have tags (counted from 0), and "
            f"nothing tells which of them is {unknown}; name it: {advice or nested}",
            path,
        )

    def place_of(self, column: int | str) -> int | None:
        """The place of a column, given by its name or number; None if there is none."""
        with suppress(FormatError):
            return place_of("", column, self.width, self.names)
        return None


# --- columns by number and name


def header_of(text: str, width: int) -> list[str] | None:
    """Names of the columns from a first line like `#token<tab>gold`; None without one.

    That of HIPE begins with TOKEN, without #.
    """
    fields = text.split("\t")
    named = text.startswith("#") and not text.startswith("# ") or fields[0].lower() in TOKENS
    if not named or len(fields) != width or width < 2:
        return None
    if "" in fields[1:] or any(map(is_tag, fields[1:])) or text[0] != "#" and UNSEEN in fields:
        return None
    return [fields[0].removeprefix("#"), *fields[1:]]


def place_of(path: object, column: int | str, width: int, header: Sequence[str] | None) -> int:
    """Column from 0 for a number or the name of a column."""
    if header and column in header:
        return header.index(str(column))
    is_number = re.fullmatch(r"-?\d{1,9}", str(column), re.ASCII)
    if is_number and -width <= int(column) < width:
        return int(column) % width
    names = f"the first line names {', '.join(header)}; " if header else ""
    advice = f"{names}the tokens have {width} columns, from 0"
    raise FormatError(f"no column {column if is_number else quoted(column)}; {advice}", path)


def places_of(path: object, column: Any, width: int, header: Sequence[str] | None) -> list[int]:
    """Columns from 0 for a number or name, or for several: a sequence, or joined by commas."""
    several = [column] if isinstance(column, int) or column in (header or ()) else column
    several = several.split(",") if isinstance(several, str) else several
    return [place_of(path, one, width, header) for one in several]


# --- the beginning of a file


def tree_columns(line: AnyStr) -> list[AnyStr]:
    """The columns of a line. Only tabs or blanks separate: a token may be another space."""
    tab, blank = ("\t", " ") if isinstance(line, str) else (b"\t", b" ")
    if tab in line:
        return [column.strip(blank) for column in line.split(tab)]
    return [column for column in line.split(blank) if column]


def head_of(path: PathLike, size: int) -> bytes:
    """The beginning of a file, unpacked, without a byte order mark; nothing of a pipe.

    Nor is anything of what cannot be read, which its reader says, too.
    """
    head = b""
    with suppress(FormatError):
        if os.path.isfile(path_of(path)):
            with readable_bytes(path) as file:
                head = file.read(size)
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        head = head.decode("utf-16", errors="replace").encode()
    head = head.removeprefix(BOM)
    end = head.rfind(b"\n") + 1  # the last line may be cut off
    return head[:end] if end and len(head) >= size - len(BOM) else head


def beginning_of(pieces: Iterable[bytes]) -> bytes:
    """The first lines of the pieces of a file: `FIRST` bytes, and more if they have no token."""
    data = b""
    for piece in pieces:
        data += piece
        head = data[: data.rfind(b"\n", 0, FIRST) + 1]
        if len(data) >= FIRST and usual_shape(head).width:
            return head
    return data


def shape_of(head: bytes, path: object = None) -> tuple[Shape, list[str] | None]:
    """(the shape of the tokens of a file, names of its columns) by its first lines."""
    shape = usual_shape(head)
    if head.startswith(BEGINS.encode()):
        return RAGGED._replace(mark=shape.mark), None
    if not shape.width:
        raise FormatError(NO_DOCUMENTS, path)
    if not (match := PLUS.match(head)):
        return shape, header_of(head.partition(b"\n")[0].decode(), shape.width)
    given = match[1].decode().split()
    names = [name.upper() if name.upper() in STANDARD else name for name in given]
    if len({*names}) != shape.width or len(names) != shape.width or "FORM" not in names:
        what = "'# global.columns = ...' names no column FORM, or not each column once"
        raise FormatError(what, path, 1)
    ids = names.index("ID") if "ID" in names else None
    return shape._replace(token=names.index("FORM"), ids=ids), names


def columns_of_head(data: bytes, token: int | str | None = None) -> FileColumns | None:
    """The columns that the beginning of a file has; None if it has no lines with tags."""
    data = with_newlines(data.decode("utf-8", "replace").encode())
    try:
        shape, names = shape_of(data)
    except FormatError:
        return None
    piece = Piece(data.partition(b"\n")[2] if names else data, shape)
    n = len(piece.lines)
    if not 2 <= shape.width <= MOST_COLUMNS or not n or 2 * len(piece.damaged) > n:
        return None
    columns = [piece.cells(at).decode().split("\n")[:-1] for at in range(shape.width)]
    damaged = Counter({"": len(piece.damaged)})
    counts = [Counter(column) - damaged for column in columns]
    read = {at: _labels_of(one) for at, one in enumerate(counts)}
    # _ stands for nothing in the last column, but it is frequent in those of trees, too
    is_free = names is None and shape.width < len(STANDARD) - 2
    none = (*OUTSIDE, *NOTHING) if is_free else OUTSIDE
    others: dict[int, frozenset[str]] = {}  # of tags in other spellings, most of them for nothing
    for at in (at for at, own in read.items() if not own):
        nothing = none if at == shape.width - 1 else OUTSIDE
        if max(counts[at], key=counts[at].__getitem__, default="") in nothing:
            others[at] = frozenset(tag[2:] for tag in plain_tags(counts[at]).values()) - {""}
    read |= {at: own for at, own in others.items() if own}
    labels = {at: own for at, own in read.items() if own is not None}
    if shape.ragged:
        labels = {ENTITIES: read[ENTITIES] or frozenset()}
    is_numbers = [all(map(NUMBER.fullmatch, one)) for one in counts]
    left = [at for at in range(shape.width)
            if at not in labels and not is_numbers[at] and 2 * counts[at][""] <= n]  # fmt: skip
    place = shape.token or next(iter(left), 0)
    found = FileColumns(shape.width, place, names, columns[place], {})
    if token is not None and (named := found.place_of(token)) is not None:
        found = found._replace(token=named, words=columns[named])
    made = {at: TagColumn(own, columns[at]) for at, own in labels.items() if at != found.token}
    last = max(made, default=0)
    is_named = [cell not in NOTHING for cell in columns[last]]
    if others.get(last) and any(
        is_named == [cell not in EMPTY for cell in columns[at]] for at in made.keys() - others
    ):
        del made[last]  # it names who annotated the spans of another column, as in UNER
    labelled = any(one.labels for one in made.values())
    kept = {at: one for at, one in made.items() if one.labels or not labelled or at == last}
    return found._replace(tags=kept) if kept else None


def _labels_of(cells: Counter[str]) -> frozenset[str] | None:
    """The labels of a column that mostly has tags, one at least; None of others."""
    tags = [cell for cell in cells if is_tag(cell)]
    n = sum(cells[cell] for cell in (*tags, *NOTHING))
    if not tags or n <= SHARE * cells.total():
        return None
    return frozenset(tag[2:] for tag in tags) - {""}


def file_columns(files: Sequence[PathLike], token: int | str | None = None) -> FileColumns | None:
    """The columns that the first `HEAD` bytes of some files have; None without lines of tags."""
    heads: list[bytes] = []
    for path in files:
        head = head_of(path, HEAD)
        heads.append(FIRST_LINE.sub(b"", head, 1) if heads else head)
        if sum(map(len, heads)) >= HEAD:
            break
    return columns_of_head(b"\n\n".join(heads), token)


@by_file
def columns_at(path: str) -> FileColumns | None:
    """The columns that the first lines of a file have; None without lines of tags."""
    return columns_of_head(head_of(path, FIRST))


def header_names(path: PathLike) -> list[str] | None:
    """Names of the columns that the first line of a file gives; None without such a line."""
    found = columns_at(path)
    return found and found.names


def check_gold_column(path: PathLike) -> None:
    """Raise FormatError for a file in which several columns may be gold."""
    found = columns_at(path)
    if found and not found.names and len(places := found.rivals()) > 1:
        raise found.refused(path, places, "gold")
