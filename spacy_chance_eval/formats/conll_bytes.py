"""The lines of column files by numpy on their bytes: tokens, where their columns are, and marks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..measures.arrays import Array, IntArray
from .errors import PathLike
from .files import readable_bytes
from .tags import is_tag

DOCSTART, HASHED = "-DOCSTART-", "#DOCSTART"
START = b"DOCSTART"  # is in both
# lines between which documents of CoNLL-2012 stand
BEGIN = re.compile(r"#begin document \((.*)\);(?: (part \d+))?.*")
# lines of KPWr: a document, and the columns
OF_FILE = re.compile(r"-DOCSTART (?:FILE (\S+)|CONFIG .*) *")
BEGINS, END = "#begin document", "#end document"
NO_DOCUMENTS = "no documents; expected one token a line, with its tags"
# Instead of a tag: the annotator did not annotate the token.
UNSEEN = "-"
# `# key = value`, `# id X`, `# newdoc` or `# newpar`, up to the first tab.
FACT = re.compile(r"# +(?:(newdoc id|newpar id|[\w.:-]+) *= *(.*)|(id) +(.+)|(newdoc|newpar) *)")
# the keys of those that begin a sentence, wherever they stand
NAMING = re.compile(r"id|sent_id|new(doc|par)( id)?|(.*:)?doc(ument)?_id")
NO_WORD = re.compile(r"\d+[-.]\d+")  # the number of a multiword token, or of an empty node
AT_ONCE = 1 << 13  # fields that are joined at once
BLOCK = 1 << 20  # bytes that are read at once
BLANKS = re.compile(rb"(?m)^[ \t]+$")
OUTER, STRETCHES = re.compile(rb"(?m)^ +| +$"), re.compile(rb" {2,}")
BOM = b"\xef\xbb\xbf"
NEWLINE, TAB, BLANK, HASH, OUTSIDE = b"\n\t #O"
# Kinds of lines; skipped ones, such as comments inside, do not end a sentence.
TOKEN, EMPTY, COMMENT, OPENING, SKIPPED = range(5)


class Shape(NamedTuple):
    """What all tokens of a file have in common: the number of columns, and what some of them are.

    `ids` is the column of numbers in CoNLL-U, where each line with # is a comment, and lines of 1-2
    and 1.1 are not tokens. In a `ragged` file tokens may have more columns (CoNLL-2012).
    """

    width: int
    token: int = 0
    ids: int | None = None
    ragged: bool = False

    def fits(self, n: Any) -> Any:
        """Whether tokens have such a number of columns, or each of such numbers."""
        return n >= self.width if self.ragged else n == self.width


# --- pieces of a file


def read_pieces(path: PathLike) -> Iterator[bytes]:
    """The bytes of a UTF-8 file, some at a time: up to an empty line, or to the end.

    A byte order mark is skipped, and every kind of newline becomes one.
    """
    with readable_bytes(path) as file:
        rest = file.read(len(BOM)).removeprefix(BOM)
        while more := file.read(max(BLOCK, len(rest))):
            while more.endswith(b"\r") and (after := file.read(1)):  # half of a newline, perhaps
                more += after
            rest = with_newlines(rest + more)
            if cut := rest.rfind(b"\n\n") + 1:
                yield _checked(rest[: cut + 1])
                rest = rest[cut + 1 :]
        if rest:
            yield _checked(with_newlines(rest))


def with_newlines(data: bytes) -> bytes:
    """Some bytes with every kind of newline as one."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _checked(piece: bytes) -> bytes:
    """Some bytes, if they are UTF-8."""
    if not piece.isascii():
        piece.decode()
    return piece


def width_of(data: bytes) -> int:
    """The usual number of columns of the tokens in some lines; 0 if there are none.

    Lines with # count if there are no other lines.
    """
    raw = _Lines(data)
    fields = Fields.of(raw.data)
    tokens = _kinds_of(raw, fields) == TOKEN
    marked = fields.text[fields.first] == HASH
    widths = fields.n[tokens & ~marked].tolist() or fields.n[tokens].tolist()
    return Counter(widths).most_common(1)[0][0] if widths else 0


# --- the lines of a piece


@dataclass(frozen=True, eq=False)
class Piece:
    """Some lines of a file, from one sentence's beginning to one's end, and where its columns are.

    `lines` are those of the tokens, from 0; the `damaged` tokens have no word or another number of
    columns, and their cells are empty. `sentences` are numbers of tokens, `ends` the lines after
    each of them and the empty line behind it. `marks` are comments and -DOCSTART- (as `DOCSTART`),
    each with the number of sentences in front and its line.
    """

    fields: Fields
    lines: IntArray
    damaged: IntArray
    sentences: IntArray
    ends: IntArray
    marks: list[tuple[int, int, str]]

    def _column(self, place: int) -> tuple[IntArray, IntArray]:
        """Where the fields of a column begin and end."""
        starts, ends = self.fields.column(self.lines, place)
        if len(self.damaged):
            starts[self.damaged] = ends[self.damaged] = 0
        return starts, ends

    def cells(self, place: int) -> bytes:
        """The fields of a column, a newline behind each."""
        return self.fields.joined(*self._column(place))

    def values(self, place: int) -> tuple[IntArray, IntArray, list[str]]:
        """(tokens, codes, values) of the fields of a column but O; `values[code]` is the field."""
        starts, ends = self._column(place)
        other = np.flatnonzero((self.fields.text[starts] != OUTSIDE) | (ends - starts != 1))
        joined = self.fields.joined(starts[other], ends[other])
        cells = joined.split(b"\n")[:-1]
        if b" " in joined:  # beside a tab
            cells = [cell.strip(b" ") for cell in cells]
            other = other[[cell != b"O" for cell in cells]]
            cells = [cell for cell in cells if cell != b"O"]
        known = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
        codes = np.fromiter(map(known.__getitem__, cells), np.int32, len(cells))
        return other, codes, [value.decode() for value in known]


def parse_piece(data: bytes, shape: Shape) -> Piece:
    """The `Piece` of some lines in UTF-8."""
    raw = _Lines(data)
    fields = Fields.of(raw.data)
    kinds = _kinds_of(raw, fields)
    _find_comments(raw, fields, kinds, shape)
    whole = shape.fits(fields.n)
    if shape.ids is not None:
        rows = np.flatnonzero((kinds == TOKEN) & whole)
        starts, ends = fields.column(rows, shape.ids)
        for row in rows[ends - starts > 2].tolist():
            if NO_WORD.fullmatch(fields.of_line(row)[shape.ids]):
                kinds[row] = SKIPPED
    lines = np.flatnonzero(kinds == TOKEN)
    starts, ends = fields.column(lines, shape.token)
    damaged = np.flatnonzero(~whole[lines] | (starts == ends))
    breaks = (kinds != TOKEN) & (kinds != SKIPPED)
    sentence = np.cumsum(breaks, dtype=np.int32)[lines]
    first = np.flatnonzero(np.diff(sentence, prepend=-1))
    after = np.append(np.flatnonzero(breaks), len(kinds))[sentence[first]]
    after += np.append(kinds == EMPTY, False)[after]
    marked = np.flatnonzero((kinds == COMMENT) | (kinds == OPENING))
    n_before = np.searchsorted(lines[first], marked).tolist()
    marks = [
        (n, line, DOCSTART if kinds[line] == OPENING else _comment_of(raw[line]))
        for n, line in zip(n_before, marked.tolist())
    ]
    sentences = np.diff(np.append(first, len(lines)))
    return Piece(fields, lines, damaged, sentences, after, marks)


def _comment_of(text: str) -> str:
    """A comment; of CoNLL-2012, and of a file, the one that says the same in CoNLL-U."""
    match = BEGIN.fullmatch(text) or OF_FILE.fullmatch(text)
    return " ".join(["# newdoc id =", *filter(None, match.groups())]) if match else text


class _Lines:
    def __init__(self, data: bytes) -> None:
        self.data = data if data.endswith(b"\n") else data + b"\n"

    @cached_property
    def ends(self) -> IntArray:
        return np.flatnonzero(np.frombuffer(self.data, np.uint8) == NEWLINE)

    def __getitem__(self, number: int) -> str:
        start = int(self.ends[number - 1]) + 1 if number else 0
        return self.data[start : self.ends[number]].decode()


@dataclass(frozen=True, eq=False)
class Fields:
    """The fields of all lines of a text, in which a mark stands between fields, a byte.

    `borders` are the places of newlines and marks. Of each line, `before` is the number of the
    border on which its first field ends, `first` where it begins, `n` how many fields it has.
    """

    text: Array
    mark: int
    borders: IntArray
    before: IntArray
    first: IntArray
    n: IntArray

    @classmethod
    def of(cls, data: bytes) -> Fields:
        """Those of a text: a tab separates in lines that have one, else blanks."""
        if b"\t" not in data:
            found = cls.at(data, BLANK)
            touch = found.borders[1:] == found.borders[:-1] + 1
            is_blank = found.text[found.borders] == BLANK
            if (touch & (is_blank[1:] | is_blank[:-1])).any() or found.text[0] == BLANK:
                found = cls.at(STRETCHES.sub(b" ", OUTER.sub(b"", data)), BLANK)
            return found
        found = cls.at(data, TAB)
        if np.isin(found.text[found.first], (BLANK, TAB)).any():
            data = BLANKS.sub(b"", data)
            found = cls.at(data, TAB)
        bare = np.flatnonzero((found.n == 1) & (found.ends > found.first))
        if len(bare):
            lines = data.split(b"\n")
            for row in bare.tolist():
                lines[row] = b"\t".join(filter(None, lines[row].split(b" ")))
            found = cls.at(b"\n".join(lines), TAB)
        return found

    @classmethod
    def at(cls, data: bytes, mark: int) -> Fields:
        """Those that a mark divides."""
        text = np.frombuffer(data, np.uint8)
        is_newline = text == NEWLINE
        borders = np.flatnonzero(is_newline | (text == mark)).astype(np.int32)
        newlines = np.flatnonzero(is_newline[borders]).astype(np.int32)  # among borders
        before = np.concatenate([[0], newlines[:-1] + 1]).astype(np.int32)
        first = np.concatenate([[0], borders[newlines[:-1]] + 1]).astype(np.int32)
        return cls(text, mark, borders, before, first, newlines - before + 1)

    @cached_property
    def ends(self) -> IntArray:
        """Where lines end."""
        found: IntArray = self.borders[self.before + self.n - 1]
        return found

    def column(self, rows: IntArray, place: int) -> tuple[IntArray, IntArray]:
        """Where the fields of a column begin in some lines, and end; anywhere without such ones."""
        ends = self.borders.take(self.before[rows] + place, mode="clip")
        if not place:
            return self.first[rows], ends
        return self.borders.take(self.before[rows] + place - 1, mode="clip") + 1, ends

    def joined(self, starts: IntArray, ends: IntArray) -> bytes:
        """Some fields, a newline behind each."""
        parts = []
        for row in range(0, len(starts), AT_ONCE):
            first = starts[row : row + AT_ONCE]
            sizes = ends[row : row + AT_ONCE] - first + 1
            last = np.cumsum(sizes)
            places = np.arange(last[-1]) + np.repeat(first - last + sizes, sizes)
            found = self.text.take(places, mode="clip")  # a newline may be behind the text
            found[last - 1] = NEWLINE
            parts.append(found.tobytes())
        return b"".join(parts)

    def of_line(self, row: int) -> list[str]:
        """The fields of a line."""
        line = self.text[self.first[row] : self.ends[row]].tobytes()
        return [field.decode() for field in line.split(bytes([self.mark]))]


def _kinds_of(raw: _Lines, fields: Fields) -> Array:
    """The kinds of all lines, comments apart."""
    kinds = np.where(fields.first == fields.ends, EMPTY, TOKEN).astype(np.int8)
    at = raw.data.find(START)
    while at >= 0:
        line = int(np.searchsorted(raw.ends, at))
        first, *others = raw[line].split(maxsplit=1)
        if first == DOCSTART or first == HASHED and not others:
            kinds[line] = OPENING
        elif match := OF_FILE.fullmatch(raw[line]):
            kinds[line] = COMMENT if match[1] else EMPTY
        at = raw.data.find(START, at + 1)
    return kinds


def _find_comments(raw: _Lines, fields: Fields, kinds: Array, shape: Shape) -> None:
    """Change the kinds of lines with # that are comments: a #hashtag without a tag is a token.

    So is anything in a sentence that has the columns of one, or a tag at its end. Before a sentence
    a comment may have as many columns: GermEval's end with a tab, KLUE's begin with words.
    """
    hashes = (fields.text[fields.first] == HASH) & (kinds == TOKEN)
    for line in np.flatnonzero(hashes).tolist():
        text, n = raw[line], int(fields.n[line])
        fits = shape.fits(n)
        inside = line > 0 and kinds[line - 1] in (TOKEN, SKIPPED)
        if shape.ids is not None:
            kinds[line] = SKIPPED if inside else COMMENT
        elif shape.ragged and text.startswith((BEGINS, END)):
            kinds[line] = COMMENT if text.startswith(BEGINS) else EMPTY
        elif text[0] != "#":
            continue
        elif not (inside or fits):
            kinds[line] = COMMENT if n > 1 or text == "#" or FACT.match(text) else TOKEN
        elif not inside:
            own = fields.of_line(line)
            odd = (" " in own[0] or not own[-1]) and not any(map(is_tag, own[1:]))
            kinds[line] = COMMENT if odd or FACT.match(text) else TOKEN
        elif (
            not fits
            and text[1:2] in (" ", "\t")
            and not is_tag(fields.of_line(line)[-1].split(" ")[-1])
        ):
            names = any(map(NAMING.fullmatch, facts_in([text])))
            kinds[line] = COMMENT if names else SKIPPED


# --- what files say of themselves

# Comments that name what follows, the best first.
SENTENCE_NAMES = ("id", "sent_id", "doc_id", "newdoc id")
DOCUMENT_NAMES = ("newdoc id", "doc_id")


def facts_in(comments: Iterable[str]) -> dict[str, str]:
    """{key: value} of comments like `# key = value` and `# id X`."""
    found = {}
    for comment in comments:
        if match := FACT.fullmatch(comment.split("\t")[0]):
            key, value, identity, name, newdoc = match.groups()
            found[key or identity or newdoc] = (value or name or "").strip(" ")
    return found


def opens_document(comment: str) -> bool:
    """Whether a comment is a `# newdoc`."""
    return "newdoc" in comment and any(key.startswith("newdoc") for key in facts_in([comment]))


def name_of(comments: Sequence[str], keys: Iterable[str]) -> str | None:
    """The name that comments give under the first of the keys that they have."""
    found = facts_in(comments)
    return next((found[key] for key in keys if found.get(key)), None)


def attributes_of(comments: Iterable[str]) -> dict[str, Any]:
    """The attributes that comments give behind tabs, as `key=value`."""
    more = [pair for comment in comments for pair in comment.split("\t")[1:] if "=" in pair]
    pairs = (pair.partition("=") for pair in more)
    return {key.strip(): value.strip() for key, _, value in pairs}
