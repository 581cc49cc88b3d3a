"""The lines of column files by numpy on their bytes: tokens, where their columns are, and marks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
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
SAME = r"# newdoc id = \1 \2"  # as CoNLL-U says it
BEGINS, END = "#begin document", "#end document"
NO_DOCUMENTS = "no documents; expected one token a line, with its tags"
# instead of a tag: the annotator did not annotate the token
UNSEEN = "-"
NOTHING = (UNSEEN, "_")
# `# key = value`, `# id X`, `# newdoc` or `# newpar`, up to the first tab.
FACT = re.compile(r"# +(?:(newdoc id|newpar id|[\w.:-]+) *= *(.*)|(id) +(.+)|(newdoc|newpar) *)")
KEYED = re.compile(r"# [\w ]+:\t")  # of Europeana's newspapers
# the keys of those that begin a sentence, wherever they stand
DOCUMENT_ID = re.compile(r"(.*:)?doc(ument)?_id")  # HIPE: hipe2022:document_id
NAMING = re.compile(rf"id|sent_id|new(doc|par)( id)?|{DOCUMENT_ID.pattern}")
NO_WORD = re.compile(r"\d+[-.]\d+")  # the number of a multiword token, or of an empty node
AT_ONCE = 1 << 13  # fields that are joined at once
BLOCK = 1 << 20  # bytes that are read at once
# white space at the ends of lines, and more than one blank, where blanks stand between columns
OUTER, STRETCHES = re.compile(rb"(?m)^[ \t]+|[ \t]+$"), re.compile(rb" {2,}")
# the same where tabs do, in lines behind newlines: cells at ends may be empty
BEHIND, WITHOUT = re.compile(rb" +\n"), re.compile(rb"\n[ \t]+(?=\n)")
TOKENS = re.compile(rb"(?m)^(?!-DOCSTART)[^#\s][^\n\t]*(\t?)")  # up to a tab
BOM = b"\xef\xbb\xbf"
NEWLINE, TAB, BLANK, HASH, OUTSIDE = b"\n\t #O"
# Kinds of lines; skipped ones, such as comments inside, do not end a sentence.
TOKEN, EMPTY, COMMENT, OPENING, SKIPPED = range(5)


class Shape(NamedTuple):
    """What all tokens of a file have in common: the number of columns, and what some of them are.

    `ids` is the column of numbers in CoNLL-U, where each line with # is a comment, and lines of 1-2
    and 1.1 are not tokens. In a `ragged` file tokens may have more columns (CoNLL-2012). The `mark`
    between columns is a tab or a blank.
    """

    width: int
    token: int = 0
    ids: int | None = None
    ragged: bool = False
    mark: int = TAB

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


@lru_cache(2)  # one beginning is looked at by several
def usual_shape(data: bytes) -> Shape:
    """The usual number of columns of the tokens in some lines, 0 if there are none, and the mark.

    Lines with # count if there are no other lines.
    """
    tabs = TOKENS.findall(data)
    mark = TAB if 2 * tabs.count(b"\t") >= len(tabs) else BLANK
    lines = Lines(data, mark)
    tokens = lines.kinds() == TOKEN
    widths = lines.widths[tokens & ~lines.has_hash].tolist() or lines.widths[tokens].tolist()
    return Shape(Counter(widths).most_common(1)[0][0] if widths else 0, mark=mark)


# --- the lines of a piece


class Lines:
    """The fields of all lines of a text, with a mark between them, or with several blanks.

    Of each line, `widths` is how many fields it has, and `has_hash` says whether it begins with #.
    """

    _text: Array  # bytes, in which one mark stands between fields
    _borders: IntArray  # where newlines and marks are
    # of each line: the number of the boundary on which its first field ends, and where that begins
    _before: IntArray
    _first: IntArray
    widths: IntArray

    def __init__(self, data: bytes, mark: int) -> None:
        self._raw = raw = data if data.endswith(b"\n") else data + b"\n"
        self._mark = mark
        if mark == TAB:
            is_odd = b" \n" in raw or b"\t\n" in raw
            self._divide(WITHOUT.sub(b"\n", BEHIND.sub(b"\n", b"\n" + raw))[1:] if is_odd else raw)
        else:
            self._divide(raw)
            touch = self._borders[1:] == self._borders[:-1] + 1
            is_blank = self._text[self._borders] == BLANK
            is_odd = b"\t" in raw or self._text[0] == BLANK
            if is_odd or (touch & (is_blank[1:] | is_blank[:-1])).any():
                self._divide(STRETCHES.sub(b" ", OUTER.sub(b"", raw)))
        self.has_hash = self._text[self._first] == HASH

    def _divide(self, data: bytes) -> None:
        """Divide a text at newlines and marks."""
        self._text = np.frombuffer(data, np.uint8)
        is_newline = self._text == NEWLINE
        self._borders = np.flatnonzero(is_newline | (self._text == self._mark)).astype(np.int32)
        newlines = np.flatnonzero(is_newline[self._borders]).astype(np.int32)  # among boundaries
        self._before = np.concatenate([[0], newlines[:-1] + 1]).astype(np.int32)
        self._ends = self._borders[newlines]
        self._first = np.concatenate([[0], self._ends[:-1] + 1]).astype(np.int32)
        self.widths = newlines - self._before + 1

    @cached_property
    def _raw_ends(self) -> IntArray:
        return np.flatnonzero(np.frombuffer(self._raw, np.uint8) == NEWLINE)

    def text(self, line: int) -> str:
        """A line as it stands in the file."""
        start = int(self._raw_ends[line - 1]) + 1 if line else 0
        return self._raw[start : self._raw_ends[line]].decode()

    def fields(self, line: int) -> list[str]:
        """The fields of a line."""
        text = self._text[self._first[line] : self._ends[line]].tobytes()
        return [field.decode() for field in text.split(bytes([self._mark]))]

    def kinds(self) -> Array:
        """The kinds of all lines; comments are tokens still."""
        kinds = np.where(self._first == self._ends, EMPTY, TOKEN).astype(np.int8)
        at = self._raw.find(START)
        while at >= 0:
            line = int(np.searchsorted(self._raw_ends, at))
            if self.text(line).split(maxsplit=1)[0] in (DOCSTART, HASHED):
                kinds[line] = OPENING
            at = self._raw.find(START, at + 1)
        return kinds

    def places(self, lines: IntArray, column: int) -> tuple[IntArray, IntArray]:
        """Where the fields of a column begin in some lines, and end; anywhere without such ones."""
        before = self._before[lines] + column
        ends = self._borders.take(before, mode="clip")
        if not column:
            return self._first[lines], ends
        return self._borders.take(before - 1, mode="clip") + 1, ends

    def joined(self, starts: IntArray, ends: IntArray) -> bytes:
        """Some fields, a newline behind each."""
        parts = []
        for row in range(0, len(starts), AT_ONCE):
            first = starts[row : row + AT_ONCE]
            sizes = ends[row : row + AT_ONCE] - first + 1
            last = np.cumsum(sizes)
            places = np.arange(last[-1]) + np.repeat(first - last + sizes, sizes)
            found = self._text.take(places, mode="clip")  # a newline may be behind the text
            found[last - 1] = NEWLINE
            parts.append(found.tobytes())
        return b"".join(parts)


class Piece(Lines):
    """Some lines of a file, from one sentence's beginning to one's end, and its tokens.

    `lines` are those of the tokens, from 0; the `damaged` tokens have another number of columns,
    and their cells are empty, as is the word of the `empty` ones. `sentences` are numbers of
    tokens, `ends` the lines after each of them and the empty line behind it. `marks` are comments
    and -DOCSTART- (as `DOCSTART`), each with the number of sentences in front and its line.
    """

    def __init__(self, data: bytes, shape: Shape) -> None:
        super().__init__(data, shape.mark)
        kinds, whole = self.kinds(), shape.fits(self.widths)
        for line in np.flatnonzero(self.has_hash & (kinds == TOKEN)).tolist():
            inside = line > 0 and kinds[line - 1] in (TOKEN, SKIPPED)
            kinds[line] = self._kind_with_hash(line, inside, shape)
        if shape.ids is not None:
            rows = np.flatnonzero((kinds == TOKEN) & whole)
            starts, ends = self.places(rows, shape.ids)
            for row in rows[ends - starts > 2].tolist():
                if NO_WORD.fullmatch(self.fields(row)[shape.ids]):
                    kinds[row] = SKIPPED
        lines = self.lines = np.flatnonzero(kinds == TOKEN)
        starts, ends = self.places(lines, shape.token)
        self.damaged = np.flatnonzero(~whole[lines])
        self.empty = np.flatnonzero(whole[lines] & (starts == ends))
        breaks = (kinds != TOKEN) & (kinds != SKIPPED)
        sentence = np.cumsum(breaks, dtype=np.int32)[lines]
        first = np.flatnonzero(np.diff(sentence, prepend=-1))
        after = np.append(np.flatnonzero(breaks), len(kinds))[sentence[first]]
        self.ends = after + np.append(kinds == EMPTY, False)[after]
        self.sentences = np.diff(np.append(first, len(lines)))
        marked = np.flatnonzero((kinds == COMMENT) | (kinds == OPENING))
        n_before = np.searchsorted(lines[first], marked).tolist()
        raw = map(self.text, marked.tolist())
        texts = (BEGIN.sub(SAME, one) if one.startswith(BEGINS) else one for one in raw)
        self.marks = [
            (n, line, DOCSTART if kinds[line] == OPENING else text)
            for n, line, text in zip(n_before, marked.tolist(), texts)
        ]

    def _kind_with_hash(self, line: int, inside: bool, shape: Shape) -> int:
        """The kind of a line with #: a comment, or a token such as a #hashtag without a tag.

        Anything in a sentence that has the columns of one, or a tag at its end, is a token. Before
        a sentence a comment may have as many columns: GermEval's end with a tab, KLUE's begin with
        words, Europeana's with a key and a colon.
        """
        text, n = self.text(line), int(self.widths[line])
        if shape.ids is not None:
            return SKIPPED if inside else COMMENT
        if shape.ragged and text.startswith((BEGINS, END)):
            return COMMENT if text.startswith(BEGINS) else EMPTY
        own = self.fields(line)
        has_tags = any(map(is_tag, own[1:]))
        # HIPE's comments may have as many tabs as its tokens
        fits = shape.fits(n) and (has_tags or not FACT.fullmatch(own[0]))
        if inside:
            if text[0] != "#" or fits or text[1:2] not in (" ", "\t"):
                return TOKEN
            if is_tag(own[-1].split(" ")[-1]):
                return TOKEN
            return COMMENT if any(map(NAMING.fullmatch, facts_in([text]))) else SKIPPED
        odd = " " in own[0] or not own[-1] or KEYED.match(text) is not None
        odd = odd and not has_tags
        is_comment = odd if fits else n > 1 or text[1:2] in ("", " ", "#") or " " in text
        return COMMENT if text[0] == "#" and (is_comment or FACT.match(text)) else TOKEN

    def _cells(self, column: int) -> tuple[IntArray, IntArray]:
        """Where the fields of a column begin and end."""
        starts, ends = self.places(self.lines, column)
        if len(self.damaged):
            starts[self.damaged] = ends[self.damaged] = 0
        return starts, ends

    def cells(self, column: int) -> bytes:
        """The fields of a column, a newline behind each."""
        return self.joined(*self._cells(column))

    def values(self, column: int) -> tuple[IntArray, IntArray, list[str]]:
        """(tokens, codes, values) of the fields of a column but O; `values[code]` is the field."""
        starts, ends = self._cells(column)
        other = np.flatnonzero((self._text[starts] != OUTSIDE) | (ends - starts != 1))
        cells = self.joined(starts[other], ends[other]).split(b"\n")[:-1]
        known = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
        codes = np.fromiter(map(known.__getitem__, cells), np.int32, len(cells))
        return other, codes, [value.decode() for value in known]


# --- what files say of themselves


def facts_in(comments: Iterable[str]) -> dict[str, str]:
    """{key: value} of comments like `# key = value` and `# id X`."""
    found = {}
    for comment in comments:
        if match := FACT.fullmatch(comment.split("\t")[0]):
            key, value, identity, name, newdoc = match.groups()
            key = "doc_id" if DOCUMENT_ID.fullmatch(key or "") else key
            found[key or identity or newdoc] = (value or name or "").strip(" ")
    return found


def facts_of(cell: str) -> dict[str, str]:
    """{key: value} of a cell of the column MISC."""
    return dict(fact.partition("=")[::2] for fact in cell.split("|"))
