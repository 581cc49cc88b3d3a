"""CoNLL by numpy on the bytes of a file, many times faster than line by line.

A `Piece` is some lines of a file whose columns were found; `Columns` are all of them. A file
that is not plain, or has errors, raises a `NotPlainError`: `conll_lines` then reads it line by
line, and reports errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..measures.arrays import Array, BoolArray, IntArray
from ..measures.tags import TagRows, families
from ..measures.words import ByteWords
from .conll_lines import (
    DOCSTART,
    DOCUMENT_NAMES,
    SENTENCE_NAMES,
    SOME,
    START,
    UNSEEN,
    ArticleState,
    Item,
    Reading,
    SentenceColumns,
    TagEvidence,
    attributes_of,
    columns_of,
    empty_blank_lines,
    in_articles,
    is_comment,
    line_numbers,
    name_of,
    opens_document,
    starts_document,
)
from .documents import NO_ROWS, SEEN, DocumentTable, LayerTable, Tags
from .documents import UNSEEN as NOT_SEEN

NEWLINE, TAB, BLANK, HASH, OUTSIDE = b"\n\t #O"
PAD = bytes(8)  # behind the text, so that eight bytes can be read everywhere
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
TOKEN, EMPTY, COMMENT, OPENING = range(4)  # kinds of lines


class NotPlainError(Exception):
    """Some lines that only the reader of lines can read, or complain of."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Some lines of a file, from one sentence's beginning to one's end, and where its columns are.

    Parameters
    ----------
    text : unsigned byte array
        The lines, followed by some zeros.
    borders : integer array
        Where there are newlines and marks between columns.
    before : integer array of shape (n_tokens,)
        Which border follows on the first field of each token.
    first : integer array of shape (n_tokens,)
        Where the line of each token begins.
    sentences : integer array of shape (n_sentences,)
        Number of tokens of each sentence.
    lines : integer array of shape (n_sentences,)
        Line of the first token of each sentence, from 0.
    marks : list of (int, str)
        Comments and -DOCSTART- (as `DOCSTART`), each with the number of sentences in front.
    """

    text: Array
    borders: IntArray
    before: IntArray
    first: IntArray
    sentences: IntArray
    lines: IntArray
    marks: list[tuple[int, str]]
    n_lines: int

    def _field(self, place: int) -> tuple[IntArray, IntArray]:
        """Where the fields of a column begin, and where they end."""
        ends = self.borders[self.before + place]
        return (self.borders[self.before + place - 1] + 1 if place else self.first), ends

    def cells(self, place: int, end: int) -> bytes:
        """The fields of a column, each followed by a byte."""
        starts, ends = self._field(place)
        steps = np.zeros(len(self.text) + 1, np.int8)
        steps[starts] = 1
        steps[ends + 1] = -1
        found = self.text[np.cumsum(steps[:-1], dtype=np.int8).view(bool)]
        found[np.cumsum(ends - starts + 1) - 1] = end
        return found.tobytes()

    def has_empty(self, place: int) -> bool:
        """Whether any field of a column is empty."""
        starts, ends = self._field(place)
        return bool((starts == ends).any())

    def value(self, place: int, token: int) -> str:
        """One field of a column."""
        border = self.before[token] + place
        start = self.borders[border - 1] + 1 if place else self.first[token]
        return self.text[start : self.borders[border]].tobytes().decode()

    def values(self, place: int) -> tuple[IntArray, IntArray, list[str]]:
        """(tokens, codes, values) of the fields of a column but O; `values[code]` is the field."""
        starts, ends = self._field(place)
        other = np.flatnonzero((self.text[starts] != OUTSIDE) | (ends - starts != 1))
        starts, lengths = starts[other], (ends - starts)[other]
        codes, rows = _codes_of(self.text, starts, lengths)
        pairs = zip(starts[rows].tolist(), lengths[rows].tolist())
        values = [self.text[at : at + length].tobytes().decode() for at, length in pairs]
        return other, codes, values


def _codes_of(text: Array, starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """(code of each stretch of bytes, a row for each code): equal bytes have equal codes.

    Stretches are put into a table by a hash, and compared with the one that is there.
    """
    n_words = int(lengths.max(initial=0) + 7) // 8
    if n_words > 16:
        raise NotPlainError
    windows = np.ndarray((len(text) - 7,), "<u8", text, strides=(1,))
    words = []
    for number in range(n_words):
        n_bits = np.clip(lengths - 8 * number, 0, 8).astype(np.uint64) * np.uint64(8)
        mask = ~np.where(n_bits == 64, 0, np.uint64(2**64 - 1) << (n_bits % np.uint64(64)))
        at = np.minimum(starts + 8 * number, len(windows) - 1)
        words.append(windows[at] & mask)
    codes = np.full(len(starts), -1, np.int32)
    rows: list[int] = []
    left = np.arange(len(starts))
    for multiplier in MULTIPLIERS:
        if not len(left):
            break
        mixed = np.zeros(len(left), np.uint64)
        for word in words:
            mixed = (mixed ^ word[left]) * np.uint64(multiplier)
        bucket = (mixed >> np.uint64(48)).astype(np.int64)
        table = np.full(1 << 16, -1, np.int64)
        table[bucket] = left
        used = np.flatnonzero(table >= 0)
        number_of = np.zeros(1 << 16, np.int32)
        number_of[used] = np.arange(len(rows), len(rows) + len(used))
        rows += table[used].tolist()
        there = table[bucket]
        same = lengths[left] == lengths[there]
        for word in words:
            same &= word[left] == word[there]
        codes[left[same]] = number_of[bucket[same]]
        left = left[~same]
    if len(left):
        raise NotPlainError
    return codes, np.array(rows, np.int64)


def parse_piece(data: bytes, width: int, separator: str | None) -> Piece:
    """The `Piece` of some lines.

    Parameters
    ----------
    data : bytes
        UTF-8, lines with a newline behind each.
    width : int
        Number of columns.
    separator : str, optional
        Of columns; by default a tab in lines that have one, else blanks.
    """
    data = data if data.endswith(b"\n") else data + b"\n"
    mark = (separator or "\t").encode()
    if width < 2 or len(mark) != 1 or b"\0" in data or mark in (b"\n", b"#"):
        raise NotPlainError
    text = np.frombuffer(data + PAD, np.uint8)
    original = text
    if not separator and mark not in data:
        mark = b" "
    borders, is_newline = _borders(text, mark[0])
    if mark == b" " and not separator and _is_untidy(text, borders, is_newline):
        text = _tidy(text)
        borders, is_newline = _borders(text, mark[0])
    newlines = np.flatnonzero(is_newline).astype(np.int32)  # among borders
    before = np.concatenate([[0], newlines[:-1] + 1]).astype(np.int32)
    n_fields = newlines - before + 1
    first = np.concatenate([[0], borders[newlines[:-1]] + 1]).astype(np.int32)
    kinds = np.where(first == borders[newlines], EMPTY, TOKEN).astype(np.int8)
    lines, lead = _Lines(original), text[first]
    if separator or mark != b" ":
        begin = np.flatnonzero(((lead == TAB) | (lead == BLANK)) & (kinds == TOKEN)).tolist()
        if any(not lines[line].strip(" \t") for line in begin):
            return parse_piece(empty_blank_lines(data), width, separator)
    _find_marks(lines, lead, data, kinds, width, separator)
    is_token = kinds == TOKEN
    if (n_fields[is_token] != width).any():
        raise NotPlainError
    begins = is_token.copy()
    begins[1:] &= ~is_token[:-1]
    starts = np.flatnonzero(begins)
    tokens = np.flatnonzero(is_token)
    at = np.searchsorted(tokens, starts)
    marked = np.flatnonzero(kinds >= COMMENT)
    n_before = np.searchsorted(starts, marked).tolist()
    texts = [DOCSTART if kinds[line] == OPENING else lines[line] for line in marked.tolist()]
    return Piece(
        text,
        borders,
        before[tokens],
        first[tokens],
        np.diff(np.append(at, len(tokens))),
        starts,
        list(zip(n_before, texts)),
        len(kinds),
    )


def _find_marks(
    lines: _Lines,
    lead: Array,
    data: bytes,
    kinds: Array,
    width: int,
    separator: str | None,
) -> None:
    """Change the kinds of lines that are comments or begin documents."""
    at = data.find(DOCSTART.encode())
    while at >= 0:
        line = lines.number_of(at)
        if starts_document(lines[line]):
            kinds[line] = OPENING
        at = data.find(DOCSTART.encode(), at + 1)
    for line in np.flatnonzero((lead == HASH) & (kinds == TOKEN)).tolist():
        if line and kinds[line - 1] == TOKEN:
            continue
        text = lines[line]
        if is_comment(text, len(columns_of(text, separator)), width):
            kinds[line] = COMMENT


def _borders(text: Array, mark: int) -> tuple[IntArray, BoolArray]:
    """Where newlines and marks between columns are, and which of them are newlines."""
    is_newline = text == NEWLINE
    borders = np.flatnonzero(is_newline | (text == mark)).astype(np.int32)
    return borders, is_newline[borders]


def _is_untidy(text: Array, borders: IntArray, is_newline: BoolArray) -> bool:
    """Whether there are blanks beside blanks, or at the ends of lines."""
    touch = borders[1:] == borders[:-1] + 1
    return bool(text[0] == BLANK or (touch & ~(is_newline[1:] & is_newline[:-1])).any())


def _tidy(text: Array) -> Array:
    """The same text with one blank between fields, and none at the ends of lines."""
    is_blank = text == BLANK
    follows = np.append(text[1:], np.uint8(0))
    text = text[~(is_blank & ((follows == BLANK) | (follows == NEWLINE)))]
    is_first = np.concatenate([[True], text[:-1] == NEWLINE])
    return text[~(is_first & (text == BLANK))]


class _Lines:
    """The lines of a text."""

    def __init__(self, text: Array) -> None:
        self._text = text

    @cached_property
    def _ends(self) -> IntArray:
        return np.flatnonzero(self._text == NEWLINE)

    def __getitem__(self, number: int) -> str:
        start = self._ends[number - 1] + 1 if number else 0
        return self._text[start : self._ends[number]].tobytes().decode()

    def number_of(self, place: int) -> int:
        """The number of the line that a place is in."""
        return int(np.searchsorted(self._ends, place))


def sentence_ends(data: bytes, reading: Reading, header: bool) -> list[int]:
    """Where the sentences of some lines end, an empty line included.

    With `header` the first line is that of the columns, if the file has one.
    """
    skip = data.find(b"\n") + 1 if header and reading.header else 0
    text = np.frombuffer(b"\n" + data[skip:] + b"\n\n", np.uint8)
    breaks = np.flatnonzero(text[:-1] == NEWLINE)
    lead = text[breaks + 1]
    if ((lead == BLANK) | (lead == TAB)).any():
        raise NotPlainError  # lines of blanks, perhaps
    if DOCSTART.encode() not in data and not (lead == HASH).any():
        last = (lead == NEWLINE) & (text[breaks - 1] != NEWLINE)
        plain: list[int] = np.minimum(breaks[last] + skip + 1, len(data)).tolist()
        return plain
    piece = parse_piece(data[skip:], reading.width, reading.separator)
    text = np.frombuffer(data + b" ", np.uint8)
    newlines = np.flatnonzero(text == NEWLINE)[skip > 0 :] + 1
    last = piece.lines + piece.sentences - 1
    ends = np.append(newlines, len(data))[last]
    found: list[int] = (ends + (text[ends] == NEWLINE)).tolist()
    return found


# --- a whole file, or a block of it


class Columns:
    """The sentences, words and tags of a file, piece by piece.

    Parameters
    ----------
    reading : Reading
        How lines are cut, and which columns have tags.
    keep : bool
        Whether all is kept, and not only what tells the scheme of the tags.
    """

    def __init__(self, reading: Reading, keep: bool = True) -> None:
        self._reading, self._keep = reading, keep
        self._n_sentences, self._n_tokens = 0, 0
        self._words: list[bytes] = []
        self._sentences: list[IntArray] = []
        self._lines: list[IntArray] = []
        self._marks: list[tuple[int, str]] = []
        self._tags = {place: _Tags() for place in reading.places.values()}

    @classmethod
    def of(
        cls, pieces: Iterable[bytes], reading: Reading, line: int = 1, keep: bool = True
    ) -> Columns:
        """Those of some bytes, which begin at a line.

        Raises
        ------
        NotPlainError
            If they have to be read line by line.
        """
        found = cls(reading, keep)
        for data in pieces:
            if reading.header and line == 1:
                line, data = 2, data.partition(b"\n")[2]
            if data:
                piece = parse_piece(data, reading.width, reading.separator)
                found.add(piece, line)
                line += piece.n_lines
        if not found._n_tokens:
            raise NotPlainError
        return found

    def add(self, piece: Piece, line: int) -> None:
        """Go on with a piece that begins at a line."""
        place = self._reading.token
        if piece.has_empty(place):
            raise NotPlainError
        for column, tags in self._tags.items():
            tags.add(piece, column, self._n_tokens, self._keep)
        self._marks += [(at + self._n_sentences, text) for at, text in piece.marks]
        self._n_sentences += len(piece.sentences)
        self._n_tokens += len(piece.first)
        if self._keep:
            self._words.append(piece.cells(place, 0))
            self._sentences.append(piece.sentences)
            self._lines.append(piece.lines + line)

    def evidence(self, repaired: Iterable[int]) -> TagEvidence:
        """The facts that decide how the file is read."""
        articles = any(text == DOCSTART or opens_document(text) for _, text in self._marks)
        own = {place: families(tags.values) for place, tags in self._tags.items()}
        for place, tags in self._tags.items():
            if len(own[place]) > 1 or tags.n_unseen == self._n_tokens:
                raise NotPlainError
        iob = {place: tags.iob for place, tags in self._tags.items() if tags.iob is not None}
        return TagEvidence(1, own, iob | dict.fromkeys(repaired, "IOB2"), articles, set())

    def table(self, reading: Reading, state: ArticleState = START) -> DocumentTable:
        """The documents, read with the schemes and repairs of a `Reading`.

        Raises
        ------
        NotPlainError
            If tags are wrong.
        """
        sentences = np.concatenate(self._sentences)
        lines = np.concatenate(self._lines)
        if reading.by_sentence:
            first, names, attributes = self._of_sentences(reading, state)
        else:
            first, names, attributes = self._of_documents(state)
        offsets = np.concatenate([[0], np.cumsum(sentences)])
        borders = np.append(offsets[first], self._n_tokens)
        sizes = np.diff(borders)
        doc_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        begins = np.zeros(self._n_tokens + 1, bool)
        begins[offsets] = True
        layers = {
            layer: self._tags[place].layer(
                reading.schemes[layer], reading.repairs[layer], begins, doc_of, borders
            )
            for layer, place in reading.places.items()
        }
        docs = doc_of[offsets[:-1]]
        more: dict[str, Sequence[Any]] = {"lines": SentenceLines(first, sentences, lines)}
        repaired = [layer for layer, repair in reading.repairs.items() if repair != "error"]
        if repaired:
            found = {
                layer: (
                    Tags(reading.schemes[layer], reading.repairs[layer], {}),
                    *self._tags[reading.places[layer]].rows(),
                )
                for layer in repaired
            }
            more["tags"] = DocumentTags(found, borders)
        if attributes is not None:
            more["attributes"] = attributes
        return DocumentTable(
            sizes,
            layers,
            ByteWords(b"".join(self._words)),
            names if names and any(name is not None for name in names) else None,
            np.column_stack([docs, offsets[:-1] - borders[docs]]),
            more=more,
        )

    def _items(self) -> Iterator[tuple[int, Item]]:
        """(number of sentences in front, item) of all marks, and of sentences between them."""
        done = 0
        for at, text in self._marks:
            if at > done:
                yield done, SOME
                done = at
            yield at, text
        if self._n_sentences > done:
            yield done, SOME

    def _of_sentences(
        self, reading: Reading, state: ArticleState
    ) -> tuple[IntArray, Sequence[str | None] | None, Sequence[Mapping[str, Any]] | None]:
        """(first sentences, names, attributes) of sentences that are documents."""
        first = np.arange(self._n_sentences)
        if not self._marks and not reading.articles:
            return first, None, None
        names: list[str | None] = [None] * self._n_sentences
        found: list[dict[str, Any]] = [{} for _ in names]
        comments: list[str] = []
        begins, articles = [], []
        for _, article, at, item in in_articles(self._items(), state):
            if isinstance(item, SentenceColumns):
                if comments:
                    names[at] = name_of(comments, SENTENCE_NAMES)
                    found[at] = attributes_of(comments)
                begins.append(at)
                articles.append(article)
                comments = []
            else:
                comments = [] if item == DOCSTART else [*comments, item]
        if reading.articles:
            times = np.diff([*begins, self._n_sentences])
            for one, article in zip(found, np.repeat(articles, times).tolist()):
                one["article"] = article
        return first, names, found if any(found) else None

    def _of_documents(self, state: ArticleState) -> tuple[IntArray, Sequence[str | None], None]:
        """(first sentences, names, no attributes) of documents that may have several sentences."""
        found: list[tuple[int, list[str]]] = []
        first, comments, opened, begun = 0, list[str](), False, False
        for opens, _, at, item in in_articles(self._items(), state):
            if opens:
                if begun or opened:
                    found.append((first, comments))
                first, comments, opened, begun = at, [], True, False
            if isinstance(item, SentenceColumns):
                begun = True
            elif item != DOCSTART and not begun:
                comments.append(item)
        if begun or opened:
            found.append((first, comments))
        names = [name_of(some, DOCUMENT_NAMES) for _, some in found]
        return np.array([at for at, _ in found], np.int64), names, None


class _Tags:
    """One column of tags, piece by piece."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}  # with their codes
        self.iob: str | None = None
        self.n_unseen = 0
        self._rows: list[tuple[IntArray, IntArray]] = []

    def add(self, piece: Piece, place: int, first: int, keep: bool) -> None:
        """Go on with a piece, whose tokens begin at the number `first`."""
        tokens, codes, values = piece.values(place)
        if any(value != value.strip(" ") for value in values):
            raise NotPlainError
        if self.iob != "IOB2":
            begins = np.zeros(len(piece.first), bool)
            begins[np.cumsum(piece.sentences) - piece.sentences] = True
            scheme = TagRows(tokens, codes, values, _follows(tokens, begins)).iob_scheme()
            self.iob = scheme or self.iob
        if UNSEEN in values:
            self.n_unseen += int((codes == values.index(UNSEEN)).sum())
        for value in values:
            self.values.setdefault(value, len(self.values))
        if keep:
            own = np.array([self.values[value] for value in values], np.int32)
            self._rows.append(((tokens + first).astype(np.int32), own[codes]))

    def rows(self) -> tuple[IntArray, IntArray, list[str]]:
        """(tokens, codes, values) of all tags but O."""
        tokens, codes = (np.concatenate(column) for column in zip(*self._rows))
        return tokens, codes, list(self.values)

    def layer(
        self, scheme: str, repair: str, begins: BoolArray, doc_of: IntArray, borders: IntArray
    ) -> LayerTable:
        """The layer of the tags."""
        tokens, codes, tags = self.rows()
        n_docs = len(borders) - 1
        state: IntArray = np.full(n_docs, SEEN, np.int8)
        missing: IntArray = NO_ROWS
        if UNSEEN in self.values:
            is_unseen = codes == self.values[UNSEEN]
            state, missing = _unseen(tokens[is_unseen], doc_of, borders)
            tokens, codes = tokens[~is_unseen], codes[~is_unseen]
            number = np.arange(len(tags)) - (np.arange(len(tags)) > self.values[UNSEEN])
            codes = number[codes]
            tags.remove(UNSEEN)
        found = TagRows(tokens, codes, tags, _follows(tokens, begins)).spans(scheme, repair)
        if found is None:
            raise NotPlainError
        start, end, label, labels = found
        doc = doc_of[start]
        shift = borders[doc].astype(np.int32)
        return LayerTable(doc, start - shift, end - shift, label, labels, state, missing=missing)


def _follows(tokens: IntArray, begins: BoolArray) -> BoolArray:
    """Whether each of some tokens comes right after the one before, in the same sentence."""
    found = np.zeros(len(tokens), bool)
    found[1:] = (tokens[1:] == tokens[:-1] + 1) & ~begins[tokens[1:]]
    return found


def _unseen(tokens: IntArray, doc_of: IntArray, borders: IntArray) -> tuple[IntArray, IntArray]:
    """(states of documents, missing stretches (doc, start, end)) for tokens without tags."""
    doc = doc_of[tokens]
    sizes = np.diff(borders)
    whole = (np.bincount(doc, minlength=len(sizes)) == sizes) & (sizes > 0)
    tokens, doc = tokens[~whole[doc]], doc[~whole[doc]]
    begins = np.ones(len(tokens), bool)
    begins[1:] = (tokens[1:] != tokens[:-1] + 1) | (doc[1:] != doc[:-1])
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(tokens))[: len(first)] - 1
    shift = borders[doc[first]]
    rows = np.column_stack([doc[first], tokens[first] - shift, tokens[last] + 1 - shift])
    return np.where(whole, NOT_SEEN, SEEN).astype(np.int8), rows


class DocumentTags(Sequence[Mapping[str, Tags]]):
    """The tags of each document, by layer, which few need.

    Parameters
    ----------
    found : mapping of str to (Tags, tokens, codes, values)
        By layer: how tags are read, and all that are not O.
    borders : integer array of shape (n_docs + 1,)
        Where documents begin, and where the last one ends.
    """

    def __init__(
        self, found: Mapping[str, tuple[Tags, IntArray, IntArray, list[str]]], borders: IntArray
    ) -> None:
        self._found, self._borders = found, borders

    def __len__(self) -> int:
        return len(self._borders) - 1

    def __getitem__(self, doc: Any) -> Any:  # nobody takes slices
        doc = range(len(self))[doc]
        start, end = self._borders[doc : doc + 2].tolist()
        made = {}
        for layer, (how, tokens, codes, values) in self._found.items():
            low, high = np.searchsorted(tokens, (start, end)).tolist()
            places = (tokens[low:high] - start).tolist()
            tags = [values[code] for code in codes[low:high].tolist()]
            made[layer] = how._replace(by_position=dict(zip(places, tags)))
        return made


class SentenceLines(Sequence[Sequence[int]]):
    """The lines of the tokens of each document.

    Parameters
    ----------
    first : integer array of shape (n_docs,)
        The first sentence of each document.
    sizes, lines : integer arrays of shape (n_sentences,)
        Number of tokens, and line of the first one.
    """

    def __init__(self, first: IntArray, sizes: IntArray, lines: IntArray) -> None:
        self._first, self._sizes, self._lines = first, sizes, lines

    def __len__(self) -> int:
        return len(self._first)

    def __getitem__(self, doc: Any) -> Any:  # nobody takes slices
        places = [*self._first[doc : doc + 2].tolist(), len(self._sizes)]
        pairs = zip(
            self._lines[places[0] : places[1]].tolist(), self._sizes[places[0] : places[1]].tolist()
        )
        return line_numbers([range(line, line + size) for line, size in pairs])
