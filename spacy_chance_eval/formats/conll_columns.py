"""What the beginning of a CoNLL file shows of its columns: which are tokens, and which are tags."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from .conll_bytes import DOCSTART, columns_of, header_of, is_tag
from .errors import FormatError, PathLike
from .files import fingerprint, readable_bytes
from .paths import is_remote, path_of

HEAD, FIRST = 1 << 22, 1 << 16  # bytes that are looked at, of one file first
N_TOKENS = 100_000  # that tell which columns are the same
FEW = 5_000  # tokens that tell the columns of one file
SHARE = 0.5  # of the cells of a column of tags: some may be misspelt, which its reader says
ALIKE = 0.25  # of the tags of gold and a prediction are the same; of levels far fewer are
LISTED = 5  # labels of a column that a message lists
NOTHING = ("-", "_")  # cells of tokens that were not annotated
OUTSIDE = ("O", *NOTHING)
NUMBER = re.compile(r"\d+(?:[-.]\d+)?")  # of a token, of a multiword token, of an empty node
FIRST_LINE = re.compile(rb"\A(?:#(?! )|TOKEN\t)[^\n]*\t[^\n]*\n")  # that may name columns


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
        either = sum(one not in OUTSIDE or two not in OUTSIDE for one, two in pairs)
        n = sum(one == two and one not in OUTSIDE for one, two in pairs)
        return not other.labels or self.shares_labels(other) and n >= ALIKE * either

    def equals(self, other: "TagColumn") -> bool:
        """Whether two columns have the same cells, as far as both were looked at."""
        n = min(len(self.cells), len(other.cells))
        return self.cells[:n] == other.cells[:n]

    @property
    def is_sparse(self) -> bool:
        """Whether at least half of the tokens are outside: of entities, not of base phrases."""
        return 2 * sum(map(self.cells.count, OUTSIDE)) >= len(self.cells)

    def bare(self) -> "TagColumn":
        """The column without B- and I-, which other schemes write otherwise."""
        return self._replace(cells=[cell.strip(" ")[2:] for cell in self.cells])

    def copies_in(self, others: Mapping[int, "TagColumn"]) -> list[int]:
        """The places of columns with the same tags; of another scheme (IOB1), if it is one."""
        same = [at for at, one in others.items() if one.equals(self)]
        if same or not self.labels:
            return same
        alike = [at for at, one in others.items() if one.bare().equals(self.bare())]
        return alike if len(alike) == 1 else []


class FileColumns(NamedTuple):
    """The columns of a file, or of several in their order.

    Parameters
    ----------
    width : int
        Number of columns.
    token : int
        The column of the tokens: the first one that has neither numbers nor tags.
    names : list of str, optional
        Those that a first line gives.
    words : sequence of str
        The first tokens.
    tags : mapping
        The columns of tags by their places; those of O alone only if there are no others, or if
        they are the last column.
    """

    width: int
    token: int
    names: list[str] | None
    words: Sequence[str]
    tags: Mapping[int, TagColumn]

    def rivals(self, places: Iterable[int] | None = None) -> list[int]:
        """The columns that may be meant: the last one of tags, and those like it.

        These share its labels, or leave most tokens outside as it does: of CoNLL-2003 (token, POS,
        chunk, entity) the last one is meant. Columns of O alone are not, beside others.
        """
        own = [*(self.tags if places is None else places)]
        own = [at for at in own if self.tags[at].labels] or own
        last = self.tags[own[-1]]
        return [
            at
            for at in own
            if last.shares_labels(self.tags[at]) or last.is_sparse == self.tags[at].is_sparse
        ]

    def refused(
        self, path: PathLike, places: Iterable[int], unknown: str, name: str = "{path}#{places}"
    ) -> FormatError:
        """The error about columns of which each may be meant; `name` is how they are named."""
        places = [*places]
        titles = [f"{at} {self.names[at]}" if self.names else str(at) for at in places]
        texts = [f"{title} ({self.listed(at)})" for title, at in zip(titles, places)]
        first, every = (name.format(path=path, places=",".join(map(str, some)))
                        for some in (places[:1], places))  # fmt: skip
        return FormatError(
            f"columns {', '.join(texts[:-1])} and {texts[-1]} have tags (counted from 0), and "
            f"nothing tells which of them is {unknown}; name it: {first}; or all, if they are "
            f"levels of nested spans: {every}",
            path,
        )

    def listed(self, place: int) -> str:
        """The labels of a column; of many only some."""
        labels = sorted(self.tags[place].labels)
        more = [f"{len(labels) - LISTED} more"] if len(labels) > LISTED else []
        return ", ".join([*labels[:LISTED], *more]) or "O alone"

    def place_of(self, column: int | str) -> int | None:
        """The place of a column, given by its name or number; None if there is none."""
        if self.names and column in self.names:
            return self.names.index(str(column))
        try:
            return int(column) % self.width if -self.width <= int(column) < self.width else None
        except ValueError:
            return None


def head_of(path: PathLike, size: int) -> bytes:
    """The beginning of a file, unpacked, without a byte order mark; nothing of a pipe.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """
    if not is_remote(path) and path_of(path).exists() and not path_of(path).is_file():
        return b""
    with readable_bytes(path) as file:
        return file.read(size).removeprefix(b"\xef\xbb\xbf")


def columns_of_head(
    data: bytes, n_tokens: int = FEW, separator: str | None = None, token: int | str | None = None
) -> FileColumns | None:
    """The columns that some text has; None if it has no lines with tags."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = list(islice(_token_lines(text), n_tokens))
    rows = [columns_of(line, separator) for line in lines]
    widths = Counter(len(row) for line, row in zip(lines, rows) if line[0] != "#")
    width = (widths or Counter(map(len, rows))).most_common(1)[0][0] if rows else 0
    names = header_of(lines[0], width, separator) if rows else None
    rows = [row for row in rows[names is not None :] if len(row) == width]
    if width < 2 or not rows or 2 * len(rows) < len(lines):
        return None
    columns = [*zip(*rows)]
    counts = [Counter(column) for column in columns]
    tags = {at: set(count) for at, count in enumerate(counts) if _are_tags(count)}
    others = [at for at in range(width) if at not in tags and not _are_numbers(counts[at])]
    place = others[0] if others else 0
    found = FileColumns(width, place, names, columns[place], {})
    if token is not None and (named := found.place_of(token)) is not None:
        found = found._replace(token=named, words=columns[named])
    made = {
        at: TagColumn(frozenset(one.strip(" ")[2:] for one in own if is_tag(one)) - {""},
                      columns[at])
        for at, own in tags.items() if at != found.token
    }  # fmt: skip
    labelled = any(one.labels for one in made.values())
    last = max(made, default=0)
    kept = {at: one for at, one in made.items() if one.labels or not labelled or at == last}
    return found._replace(tags=kept) if kept else None


def file_columns(files: Sequence[PathLike], options: Mapping[str, Any]) -> FileColumns | None:
    """The columns that the beginning of some files has; None if it has no lines with tags.

    Parameters
    ----------
    files : sequence of str or Path
        As many as hold the first `HEAD` bytes.
    options : mapping
        Of `read_conll`: `token` and `separator` count.
    """
    heads: list[bytes] = []
    for path in files:
        head = head_of(path, HEAD)
        heads.append(FIRST_LINE.sub(b"", head, 1) if heads else head)
        if sum(map(len, heads)) >= HEAD:
            break
    separator, token = options.get("separator"), options.get("token")
    return columns_of_head(b"\n\n".join(heads), N_TOKENS, separator, token)


class Shown(NamedTuple):
    """What the first lines of a file show: the columns of tokens and tags, and whether of several.

    `tags` is the column that is meant, if only these lines tell.
    """

    token: int
    tags: int
    is_last: bool
    several: bool


def shown_columns(path: PathLike, separator: str | None = None) -> Shown | None:
    """The columns that the first lines of a file show; None if they have no tags."""
    return _shown_columns(str(path), fingerprint(path), separator)


@lru_cache(maxsize=1 << 14)
def _shown_columns(path: str, fingerprint: object, separator: str | None) -> Shown | None:
    """The same of a file as it was at a time: all files of a folder are asked several times."""
    found = columns_of_head(head_of(path, FIRST), FEW, separator)
    if found is None:
        return None
    last = found.rivals()[-1]
    return Shown(found.token, last, last == found.width - 1, len(found.tags) > 1)


def default_columns(path: PathLike, options: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of tokens and tags of a file, as options of its reader that were not given."""
    shown = shown_columns(path, options.get("separator"))
    if shown is None:
        return {}
    defaults = {"token": shown.token, "columns": {"gold": shown.tags}}
    usual = {"token": shown.token == 0, "columns": shown.is_last}
    return {
        key: one for key, one in defaults.items() if options.get(key) is None and not usual[key]
    }


def header_names(path: PathLike) -> list[str] | None:
    """Names of the columns that the first line of a file gives; None without such a line."""
    text = head_of(path, FIRST).decode("utf-8", "replace").replace("\r", "\n")
    rows = [line.split("\t") for line in islice(_token_lines(text), 100)]
    width = next((len(row) for row in rows[1:] if len(row) > 1), 0)
    return header_of("\t".join(rows[0]), width, "\t") if rows else None


def _token_lines(text: str) -> Iterator[str]:
    """The lines of a text that are not empty, nor comments, and begin no documents.

    Names of columns follow a # at once. Tokens # are few, and may be missed.
    """
    for line in text.split("\n"):
        if line.strip(" \t") and not (DOCSTART in line and line.split(maxsplit=1)[0] == DOCSTART):
            if line[0] != "#" or line[1:2] not in ("", " ", "\t", "#"):
                yield line


def _are_tags(cells: Counter[str]) -> bool:
    """Whether the cells of a column mostly are tags, some of them not those for nothing."""
    tags = sum(n for cell, n in cells.items() if is_tag(cell))
    nothing = sum(cells[cell] for cell in NOTHING)
    return tags > 0 and tags + nothing > SHARE * cells.total()


def _are_numbers(cells: Counter[str]) -> bool:
    """Whether all cells of a column are numbers of tokens."""
    return all(map(NUMBER.fullmatch, cells))


def check_gold_column(path: PathLike, options: Mapping[str, Any]) -> None:
    """Raise FormatError for a file in which several columns may be gold, and none is named."""
    if options.get("columns") or is_remote(path) or not path_of(path).is_file():
        return
    found = columns_of_head(head_of(path, HEAD), N_TOKENS, options.get("separator"))
    if found and not found.names and len(places := found.rivals()) > 1:
        raise found.refused(path, places, "gold", "read(PATH, columns={{'gold': '{places}'}})")
