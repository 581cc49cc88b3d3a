"""The lines of column files by numpy on their bytes: tokens, where their columns are, and marks.

A `Piece` is some lines of a file. A line that is not a token has its word alone: its other columns
are hyphens, so that tokens keep their places beside those of other files, and it is a problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..measures.arrays import Array, BoolArray, IntArray
from ..measures.messages import quoted
from .blemishes import LINES, TOKENS
from .errors import FormatError, PathLike, Problem, did_you_mean
from .files import readable_bytes

DOCSTART, HASHED = "-DOCSTART-", "#DOCSTART"
START = b"DOCSTART"  # is in both
NO_DOCUMENTS = "no documents; expected one token a line, with its tags"
MOST_COLUMNS = 1000  # that are read at once
HEAD = 5_000  # tokens that tell the number of columns
# Instead of a tag: the annotator did not annotate the token.
UNSEEN = "-"
NO_TOKEN = "_"  # the token of a sentence of blemished lines that has none
GIVE_TOKEN = "put a token before the tags"
TAG = re.compile(r"O|[BIESLUM]-.+")
# `# key = value`, `# id X`, `# newdoc` or `# newpar`, up to the first tab.
FACT = re.compile(r"# +(?:(newdoc id|newpar id|[\w.:-]+) *= *(.*)|(id) +(.+)|(newdoc|newpar) *)")
# the keys of those that begin a sentence, wherever they stand
NAMING = re.compile(r"id|sent_id|new(doc|par)( id)?|(.*:)?doc(ument)?_id")
NO_WORD = re.compile(r"\d+[-.]\d+")  # the number of a multiword token, or of an empty node
AT_ONCE = 1 << 13  # fields that are joined at once
FEW = 1 << 15  # bytes that are looked at first
BLOCK = 1 << 20  # bytes that are read at once
BLANKS = re.compile(rb"(?m)^[ \t]+$")
BOM = b"\xef\xbb\xbf"
NEWLINE, TAB, BLANK, HASH, OUTSIDE = b"\n\t #O"
NO_TEXT = 0xFF  # a byte that UTF-8 has nowhere
# Kinds of lines; skipped ones, such as comments inside, do not end a sentence.
TOKEN, EMPTY, COMMENT, OPENING, SKIPPED = range(5)


# --- pieces of a file


def read_pieces(path: PathLike) -> Iterator[bytes]:
    """The bytes of a UTF-8 file, some at a time: up to an empty line, or to the end.

    A byte order mark is skipped, and every kind of newline becomes one.
    """
    rest, held = b"", b""
    with readable_bytes(path) as file:
        file_begins = True
        while more := file.read(max(BLOCK, len(rest))):
            more = held + (more.removeprefix(BOM) if file_begins else more)
            file_begins = False
            held = b"\r" if more.endswith(b"\r") else b""  # half of a newline, perhaps
            more = more.removesuffix(b"\r")
            rest += more.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in more else more
            cut = rest.rfind(b"\n") + 1
            whole, tail = rest[:cut], rest[cut:]
            end = whole.rfind(b"\n\n") + 2
            if end < 2:  # lines of blanks may be empty, too
                whole = _empty_blank_lines(whole)
                end = whole.rfind(b"\n\n") + 2
            if end > 1:
                yield _checked(whole[:end])
                whole = whole[end:]
            rest = whole + tail
        if rest or held:
            yield _checked(rest + held.replace(b"\r", b"\n"))


def _checked(piece: bytes) -> bytes:
    """Some bytes, if they are UTF-8."""
    if not piece.isascii():
        piece.decode()
    return piece


def _empty_blank_lines(text: bytes) -> bytes:
    """A text whose lines of blanks are empty."""
    if b"\n " in text or b"\n\t" in text or text[:1] in (b" ", b"\t"):
        return BLANKS.sub(b"", text)
    return text


# --- columns by number and name


def width_of(path: object, pieces: Iterable[bytes], separator: str | None = None) -> int:
    """The usual number of columns of the first tokens; the first of equally usual ones.

    Lines with # count if there are no other lines.
    """
    widths: list[int] = []
    others: list[int] = []
    for lines in _some_lines(pieces):
        fields = Fields.of(lines, separator)
        raw = _Lines(lines)
        kinds = _kinds_of(raw, fields)
        marked = fields.text[fields.first] == HASH
        widths += fields.n[(kinds != EMPTY) & (kinds != OPENING) & ~marked].tolist()
        others += [n for line, n in zip(np.flatnonzero(marked).tolist(), fields.n[marked].tolist())
                   if not FACT.match(raw[line])]  # fmt: skip
        if len(widths) >= HEAD:
            break
    if not widths and not others:
        raise FormatError(NO_DOCUMENTS, path)
    return Counter(widths[:HEAD] or others).most_common(1)[0][0]


def _some_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines of some pieces, not many at a time."""
    for piece in pieces:
        start = 0
        while start < len(piece):
            end = piece.find(b"\n", start + FEW) + 1 or len(piece)
            yield piece[start:end] + (b"" if piece.endswith(b"\n", start, end) else b"\n")
            start = end


def columns_of(text: str, separator: str | None = None) -> list[str]:
    """The columns of a line, none of an empty one; by default a tab separates, else blanks.

    Only blanks separate: a token may be another space.
    """
    if not text.strip(" \t"):
        return []
    if separator or "\t" in text:
        return text.split(separator or "\t")
    return [field for field in text.split(" ") if field]


def header_of(text: str, width: int, separator: str | None = None) -> list[str] | None:
    """Names of the columns from a first line like `#token<tab>gold`; None without one.

    That of HIPE begins with TOKEN, without #.
    """
    fields = columns_of(text, separator)
    named = text.startswith("#") and not text.startswith("# ") or fields[:1] == ["TOKEN"]
    if not named or len(fields) != width or width < 2 or "\t" not in text:
        return None
    if "" in fields[1:] or any(map(is_tag, fields[1:])) or text[0] != "#" and UNSEEN in fields:
        return None
    return [fields[0].removeprefix("#"), *fields[1:]]


def is_tag(field: str) -> bool:
    """Whether a field looks like a tag of any scheme."""
    return TAG.fullmatch(field.strip(" ")) is not None


def place_of(path: object, column: int | str, width: int, header: Sequence[str] | None) -> int:
    """Column from 0 for a number or the name of a column."""
    if header and column in header:
        return header.index(column)
    try:
        place = int(column)
    except ValueError:
        names = f"the first line names {', '.join(header)}" if header else "no line names columns"
        raise FormatError(
            f"no column {quoted(column)}{did_you_mean(column, header or ())}; {names}; columns "
            "also have numbers, from 0",
            path,
        ) from None
    if not -width <= place < width:
        raise FormatError(f"no column {place}; the tokens have {width} columns, from 0", path)
    return place % width


def places_of(path: object, column: Any, width: int, header: Sequence[str] | None) -> list[int]:
    """Columns from 0 for a number or name, or for several: a sequence, or joined by commas."""
    if isinstance(column, str):
        several: list[Any] = [column] if column in (header or ()) else column.split(",")
    else:
        several = [column] if isinstance(column, int) else [*column]
    places = [place_of(path, one, width, header) for one in several]
    twice = next((place for place in places if places.count(place) > 1), None)
    if twice is not None or not places:
        raise FormatError(f"columns {quoted(column)}; name different ones, such as 1,2", path)
    return places


def tag_columns(
    path: object, width: int, header: Sequence[str] | None, token: int
) -> dict[str, int]:
    """{name or number: column} of all columns but the token's."""
    if width > MOST_COLUMNS:
        raise FormatError(f"{width} columns, more than {MOST_COLUMNS}; name those wanted", path)
    names = [name or str(place) for place, name in enumerate(header or [""] * width)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise FormatError(
            f"two columns are called {quoted(twice[0])}; columns need their own names", path
        )
    return {name: place for place, name in enumerate(names) if place != token}


# --- the lines of a piece


@dataclass(frozen=True, eq=False)
class Piece:
    """Some lines of a file, from one sentence's beginning to one's end, and where its columns are.

    Parameters
    ----------
    fields : Fields
        Of all lines.
    lines : integer array of shape (n_tokens,)
        The line of each token, from 0.
    spoilt : integer array
        The tokens whose columns are lost.
    sentences : integer array of shape (n_sentences,)
        Number of tokens of each sentence.
    ends : integer array of shape (n_sentences,)
        The line after each sentence, and after the empty line behind it.
    marks : list of (int, int, str)
        Comments and -DOCSTART- (as `DOCSTART`), each with the number of sentences in front and its
        line.
    problems : list of (str, Problem)
        What is wrong with lines, with the unit that it costs.
    """

    fields: Fields
    lines: IntArray
    spoilt: IntArray
    sentences: IntArray
    ends: IntArray
    marks: list[tuple[int, int, str]]
    problems: list[tuple[str, Problem]]

    def cells(self, place: int) -> bytes:
        """The fields of a column, a newline behind each."""
        return self.fields.joined(*self.fields.column(self.lines, place))

    def values(self, place: int) -> tuple[IntArray, IntArray, list[str]]:
        """(tokens, codes, values) of the fields of a column but O; `values[code]` is the field."""
        starts, ends = self.fields.column(self.lines, place)
        other = np.flatnonzero((self.fields.text[starts] != OUTSIDE) | (ends - starts != 1))
        cells = self.fields.joined(starts[other], ends[other]).split(b"\n")[:-1]
        known = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
        codes = np.fromiter(map(known.__getitem__, cells), np.int32, len(cells))
        return other, codes, [value.decode() for value in known]


def parse_piece(
    data: bytes, width: int, separator: str | None = None, token: int = 0, ids: int | None = None
) -> Piece:
    """The `Piece` of some lines.

    Parameters
    ----------
    data : bytes
        UTF-8.
    width : int
        Number of columns.
    separator : str, optional
        Of columns; by default a tab in lines that have one, else blanks.
    token : int
        Column of the tokens.
    ids : int, optional
        The column of numbers in CoNLL-U, where each line with # is a comment, and lines of 1-2 and
        1.1 are not tokens.
    """
    raw = _Lines(data if data.endswith(b"\n") else data + b"\n")
    fields = Fields.of(raw.data, separator)
    kinds = _kinds_of(raw, fields)
    _find_comments(raw, fields, kinds, width, ids)
    if ids is not None:
        rows = np.flatnonzero((kinds == TOKEN) & (fields.n == width))
        starts, ends = fields.column(rows, ids)
        for row in rows[ends - starts > 2].tolist():
            if NO_WORD.fullmatch(fields.of_line(row)[ids]):
                kinds[row] = SKIPPED
    bad = kinds == TOKEN
    problems: list[tuple[str, Problem]] = []
    rows = np.flatnonzero(bad & (fields.n == width))
    starts, ends = fields.column(rows, token)
    bad[rows[starts < ends]] = False
    if bad.any():
        fields, problems = _without_columns(raw, fields, kinds, bad, width, token)
    lines = np.flatnonzero(kinds == TOKEN)
    breaks = (kinds != TOKEN) & (kinds != SKIPPED)
    sentence = np.cumsum(breaks, dtype=np.int32)[lines]
    first = np.flatnonzero(np.diff(sentence, prepend=-1))
    after = np.append(np.flatnonzero(breaks), len(kinds))[sentence[first]]
    after += np.append(kinds == EMPTY, False)[after]
    marked = np.flatnonzero((kinds == COMMENT) | (kinds == OPENING))
    n_before = np.searchsorted(lines[first], marked).tolist()
    return Piece(
        fields,
        lines,
        np.flatnonzero(bad[lines]),
        np.diff(np.append(first, len(lines))),
        after,
        [
            (n, line, DOCSTART if kinds[line] == OPENING else raw[line])
            for n, line in zip(n_before, marked.tolist())
        ],
        problems,
    )


class _Lines:
    """The lines of a text."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def _ends(self) -> IntArray:
        return np.flatnonzero(np.frombuffer(self.data, np.uint8) == NEWLINE)

    def start(self, number: int) -> int:
        """Where a line begins."""
        return int(self._ends[number - 1]) + 1 if number else 0

    def __getitem__(self, number: int) -> str:
        return self.data[self.start(number) : self._ends[number]].decode()

    def number_of(self, place: int) -> int:
        """The number of the line that a place is in."""
        return int(np.searchsorted(self._ends, place))


@dataclass(frozen=True, eq=False)
class Fields:
    """The fields of all lines of a text, in which a mark stands between fields, a byte.

    Parameters
    ----------
    text : unsigned byte array
    mark : int
    borders : integer array
        Where there are newlines and marks.
    before, first, n : integer arrays of shape (n_lines,)
        Which border follows on the first field of each line; where the line begins; how many fields
        it has.
    """

    text: Array
    mark: int
    borders: IntArray
    before: IntArray
    first: IntArray
    n: IntArray

    @classmethod
    def of(cls, data: bytes, separator: str | None) -> Fields:
        """Those of a text."""
        if separator:
            data = _empty_blank_lines(data)
            marked = data if "\n" in separator else data.replace(separator.encode(), b"\xff")
            return cls.at(marked, NO_TEXT)
        mark = TAB if b"\t" in data else BLANK
        found = cls.at(data, mark)
        lead = found.text[found.first]
        if ((lead == BLANK) | (lead == TAB)).any():
            found = cls.at(BLANKS.sub(b"", data), mark)
        text = found.text
        if mark == BLANK:
            touch = found.borders[1:] == found.borders[:-1] + 1
            is_blank = text[found.borders] == BLANK
            touch &= is_blank[1:] | is_blank[:-1]
            blanks = text == BLANK if touch.any() or text[0] == BLANK else text[:0]
        else:  # in lines without a tab blanks are marks
            bare = (found.n == 1) & (found.ends > found.first)
            blanks = np.repeat(bare, found.ends + 1 - found.first) if bare.any() else text[:0]
            blanks = blanks & (text[: len(blanks)] == BLANK)
        return cls.at(_tidy(text, blanks, mark), mark) if blanks.any() else found

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
        """Where the fields of a column begin in some lines, and where they end."""
        ends = self.borders[self.before[rows] + place]
        if not place:
            return self.first[rows], ends
        return self.borders[self.before[rows] + place - 1] + 1, ends

    def joined(self, starts: IntArray, ends: IntArray) -> bytes:
        """Some fields, a newline behind each."""
        parts = []
        for row in range(0, len(starts), AT_ONCE):
            first = starts[row : row + AT_ONCE]
            sizes = ends[row : row + AT_ONCE] - first + 1
            last = np.cumsum(sizes)
            found = self.text[np.arange(last[-1]) + np.repeat(first - last + sizes, sizes)]
            found[last - 1] = NEWLINE
            parts.append(found.tobytes())
        return b"".join(parts)

    def of_line(self, row: int) -> list[str]:
        """The fields of a line."""
        line = self.text[self.first[row] : self.ends[row]].tobytes()
        return [field.decode() for field in line.split(bytes([self.mark]))]


def _tidy(text: Array, blanks: BoolArray, mark: int) -> bytes:
    """A text in which stretches of some blanks are one mark, or none at the ends of lines."""
    drop = blanks.copy()
    drop[:-1] &= blanks[1:] | (text[1:] == NEWLINE)
    text, blanks = text[~drop], blanks[~drop]
    if mark != BLANK:
        text[blanks] = mark
    blanks[1:] &= text[:-1] == NEWLINE
    return (text[~blanks] if blanks.any() else text).tobytes()


def _kinds_of(raw: _Lines, fields: Fields) -> Array:
    """The kinds of all lines, comments apart."""
    kinds = np.where(fields.first == fields.ends, EMPTY, TOKEN).astype(np.int8)
    at = raw.data.find(START)
    while at >= 0:
        line = raw.number_of(at)
        first, *others = raw[line].split(maxsplit=1)
        if first == DOCSTART or first == HASHED and not others:
            kinds[line] = OPENING
        at = raw.data.find(START, at + 1)
    return kinds


def _find_comments(raw: _Lines, fields: Fields, kinds: Array, width: int, ids: int | None) -> None:
    """Change the kinds of lines that are comments."""
    hashes = (fields.text[fields.first] == HASH) & (kinds == TOKEN)
    for line, n in zip(np.flatnonzero(hashes).tolist(), fields.n[hashes].tolist()):
        inside = line > 0 and kinds[line - 1] in (TOKEN, SKIPPED)
        if ids is not None:
            kinds[line] = SKIPPED if inside else COMMENT
        elif 1 < n != width and not inside and raw.data[raw.start(line)] == HASH:
            kinds[line] = COMMENT
        else:
            kinds[line] = _kind_of(raw[line], fields.of_line(line), width, inside)


def _kind_of(text: str, fields: Sequence[str], width: int, inside: bool) -> int:
    """The kind of a line with #: a #hashtag without a tag is a token.

    So is anything in a sentence that has the columns of one, or a tag at its end. Before a sentence
    a comment may have as many columns: GermEval's end with a tab, KLUE's begin with words.
    """
    if text[0] != "#":
        return TOKEN
    if not inside:
        odd = text == "#" or len(fields) == width and (" " in fields[0] or not fields[-1])
        odd &= width > 1 and not any(map(is_tag, fields[1:]))
        return COMMENT if odd or FACT.match(text) else TOKEN
    if len(fields) == width or text[1:2] not in (" ", "\t") or is_tag(fields[-1].split(" ")[-1]):
        return TOKEN
    return COMMENT if any(map(NAMING.fullmatch, facts_in([text]))) else SKIPPED


def _without_columns(
    raw: _Lines, fields: Fields, kinds: Array, bad: BoolArray, width: int, token: int
) -> tuple[Fields, list[tuple[str, Problem]]]:
    """The fields with hyphens in bad lines for all but the word, and the problems of these lines.

    Lines without a word are skipped, unless their sentence has no others.
    """
    problems = []
    parts: list[bytes] = []
    mark = bytes([fields.mark])
    text = fields.text.tobytes()
    at, wordless = 0, []
    for row in np.flatnonzero(bad).tolist():
        own = fields.of_line(row)
        line = raw[row]
        blank = line[0] == " " and not token and len(own) == width - 1
        if len(own) == width or blank:
            problems.append((LINES, Problem(row, "an empty token", GIVE_TOKEN)))
            wordless.append(row)
            own = []
        else:
            advice = f"the tokens of this file have {width} columns: correct the line"
            problems.append((TOKENS, Problem(row, f"{len(own)} columns", advice)))
        columns = [UNSEEN] * width
        columns[token] = (own[token : token + 1] or [""])[0] or NO_TOKEN
        parts += [text[at : fields.first[row]], mark.join(map(str.encode, columns))]
        at = fields.ends[row]
    sentence = np.cumsum((kinds != TOKEN) & (kinds != SKIPPED))
    is_word = kinds == TOKEN
    is_word[wordless] = False
    lost = np.array(wordless, np.int64)
    kinds[lost[np.isin(sentence[lost], sentence[is_word])]] = SKIPPED
    return Fields.at(b"".join([*parts, text[at:]]), fields.mark), problems


# --- what files say of themselves

# Comments that name what follows, the best first.
SENTENCE_NAMES = ("id", "sent_id", "doc_id", "newdoc id")
DOCUMENT_NAMES = ("newdoc id", "doc_id")


def facts_in(comments: Iterable[str]) -> dict[str, str]:
    """{key: value} of comments like `# key = value` and `# id X`."""
    found = {}
    for comment in comments:
        match = FACT.fullmatch(comment.split("\t")[0])
        if match:
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
