"""Spans of rows in columns: they are checked, and those in characters are put on tokens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..measures.arrays import BoolArray, IntArray
from ..measures.fragments import joined_pieces
from ..measures.spans import Copy
from .columns import Columns, Entries
from .documents import Span, pieces_of, span_title
from .errors import Problem
from .rows import INSIDE, brief

NO_PLACE = (
    "character offsets need tokens with start and end, 'spaces', or a 'text' that they make up"
)
INCLUSIVE = (
    "both need whole numbers, token_start <= token_end inside the tokens, and the same place as "
    "start and end (Prodigy's token_end is the last token of the span, its end is exclusive)"
)
FIT = "move it, or count it as a span that fits no tokens (--read misaligned=unplaced)"
CUT = "--read trim=space cuts off what lies between tokens"


class UnplacedSpan(NamedTuple):
    """A span that fits no tokens, how many it touches, and further ones at its place."""

    doc: int
    layer: str
    length: int
    label: str
    copies: list[Copy]


class BatchSpans:
    """The spans of some rows that all have tokens, or of some that have none.

    `start` and `end` count tokens, or characters in rows without any; `pieces` and `features` are
    those of some; `wrong` has the first mistake of rows. With mistakes nothing is placed.

    Parameters
    ----------
    misaligned : "error" or "unplaced"
        What becomes of spans in characters that do not fit the boundaries of tokens.
    cut : bool
        Whether what lies between tokens is cut off their ends.
    """

    def __init__(self, columns: Columns, in_tokens: bool, misaligned: str, cut: bool) -> None:
        every: list[Any] = []
        layer, doc = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for number, (docs, lists) in enumerate(columns.layers.values()):
            counts = [0 if one is None else len(one) for one in lists]
            layer.append(np.full(sum(counts), number))
            doc.append(np.repeat(np.array(docs, np.int64), counts))
            every += chain.from_iterable(filter(None, lists))
        self.columns, self.in_tokens = columns, in_tokens
        self.said = columns.entries(every) if every else Entries((), (), ())
        self.layers = [*columns.layers]
        self.layer, self.doc = np.concatenate(layer), np.concatenate(doc)
        self.start, self.end = (np.array(one, np.int64) for one in (self.said.start, self.said.end))
        self.placed = np.ones(len(every), bool)
        self.in_text = np.full(len(every), in_tokens and not columns.by_token)
        self.wrong: dict[int, Problem] = {}
        self.pieces: dict[int, Any] = {}
        self.features = {n: one for n, one in enumerate(self.said.features or ()) if one}
        self.unplaced: list[UnplacedSpan] = []
        self.cut: list[str] = []  # names of spans without what lay between tokens
        if every:
            self._find_tokens()
            self._check_places()
            if self.in_text.any() and not self.wrong:
                self._put_on_tokens(misaligned, cut)

    def _find_tokens(self) -> None:
        said, columns, doc = self.said, self.columns, self.doc
        if not self.in_tokens or said.first is None or said.last is None:
            return
        first, last = np.array(said.first, np.int64), np.array(said.last, np.int64)
        named, sizes = first >= 0, columns.sizes[doc]
        wrong = named & ((first > last) | (last >= sizes))
        if len(columns.own_borders.T):
            token = np.minimum(columns.offsets[doc] + [first, last], columns.offsets[-1] - 1)
            places = np.take_along_axis(columns.own_borders, token, 1)
            other = (places != [self.start, self.end]).any(axis=0) & (places >= 0).all(axis=0)
            wrong |= named & other & (self.start >= 0) & (self.end >= 0)
        for n in np.flatnonzero(wrong).tolist():
            named_as = f"token_start {_number(first[n])} and token_end {_number(last[n])}"
            self._note(
                n, f"span {self._title(n)} with {named_as} among {sizes[n]} tokens", INCLUSIVE
            )
        self.start = np.where(named, first, self.start)
        self.end = np.where(named, last + 1, self.end)
        self.in_text &= ~named

    def _check_places(self) -> None:
        """Note spans outside of their row, and pieces that are none."""
        sizes = self.columns.sizes[self.doc]
        if self.in_text.any():
            lost = self.in_text & np.isin(self.doc, [*self.columns.rows_without_places()])
            for n in np.flatnonzero(lost).tolist():
                self._note(n, "tokens without a place in the text", NO_PLACE)
            sizes = np.where(self.in_text, self.columns.text_sizes[self.doc], sizes)
        for n, fragments in enumerate(self.said.pieces or ()):
            if fragments is None:
                continue
            found = f"span {self.said.label[n]} {brief(fragments)}"
            try:
                start, end, pieces = joined_pieces(fragments)
            except ValueError as error:
                self._note(n, found, str(error))
                continue
            if (self.start[n], self.end[n]) not in ((-1, -1), (start, end)):
                what = f"{found} with the hull [{self.start[n]}, {self.end[n]})"
                self._note(n, what, "leave out start and end of a span with fragments")
            self.start[n], self.end[n] = start, end
            self.pieces |= {} if pieces is None else {n: pieces}
        outside = (self.start < 0) | (self.start >= self.end) | (self.end > sizes)
        for n in np.flatnonzero(outside).tolist():
            unit = "tokens" if self.in_tokens and not self.in_text[n] else "characters"
            self._note(n, f"span {self._title(n)} among {sizes[n]} {unit}", INSIDE[unit])

    def _put_on_tokens(self, misaligned: str, cut: bool) -> None:
        rows = np.flatnonzero(self.in_text)
        borders = _Borders(self.columns, int(self.end[rows].max()))
        doc = self.doc[rows]
        if cut:
            start, end = borders.inner(doc, self.start[rows], self.end[rows])
            moved = rows[(start != self.start[rows]) | (end != self.end[rows])].tolist()
            titles = {(self.layer[n], self.doc[n], self.span(n)): None for n in moved}
            self.cut += [span_title(span) for *_, span in titles]
            self.start[rows], self.end[rows] = start, end
        first, behind, fits = borders.tokens(doc, self.start[rows], self.end[rows])
        for place, n in enumerate(rows.tolist()) if self.pieces else ():
            if n in self.pieces:
                a, b = np.array(self.pieces[n]).T
                own = np.full(len(a), doc[place])
                a, b, every = borders.tokens(own, *(borders.inner(own, a, b) if cut else (a, b)))
                fits[place] = every.all()
                if fits[place]:
                    pieces = zip(a.tolist(), b.tolist())
                    first[place], behind[place], joined = joined_pieces(pieces)
                    self.pieces.pop(n)
                    self.pieces |= {} if joined is None else {n: joined}
        self._leave_misaligned(borders, rows[~fits], misaligned)
        self.start[rows], self.end[rows] = first, behind

    def _leave_misaligned(self, borders: _Borders, rows: IntArray, misaligned: str) -> None:
        """Note spans that do not fit the boundaries of tokens, as mistakes or as unplaced."""
        inner = borders.inner(self.doc[rows], self.start[rows], self.end[rows])
        advice = np.where(borders.tokens(self.doc[rows], *inner)[2], CUT, FIT)
        seen: dict[Any, list[Copy]] = {}
        for n, what in zip(rows.tolist(), advice.tolist()):
            doc, layer, span = int(self.doc[n]), self.layers[self.layer[n]], self.span(n)
            if misaligned == "error":
                self._note(
                    n, f"span {span_title(span)} does not fit the boundaries of tokens", what
                )
            elif (again := seen.get((doc, layer, span))) is not None:
                again.append(Copy(self.features.get(n, {})))
            else:
                seen[doc, layer, span] = copies = list[Copy]()
                length = borders.n_touched(doc, pieces_of(span))
                self.unplaced.append(UnplacedSpan(doc, layer, length, span[2], copies))
        self.placed[rows] = False

    def span(self, n: int) -> Span:
        """A span as in a `Document`."""
        plain = int(self.start[n]), int(self.end[n]), self.said.label[n]
        return (*plain, self.pieces[n]) if n in self.pieces else plain

    def _note(self, n: int, found: str, advice: str) -> None:
        """Note a mistake of a span, if it is the first of its row."""
        doc = int(self.doc[n])
        own = self.said.line[n] if self.said.line else None
        line = self.columns.lines[doc] if own is None else own
        self.wrong.setdefault(doc, Problem(line, found, advice))

    def _title(self, n: int) -> str:
        """How messages call a span, whatever its offsets are."""
        return f"{self.said.label[n]} [{_number(self.start[n])}, {_number(self.end[n])})"


def _number(offset: int) -> str:
    return "null" if offset < 0 else str(offset)


class _Borders:
    """Where the tokens of some rows begin and end; offsets reach up to a number."""

    def __init__(self, columns: Columns, most: int) -> None:
        begin, stop = np.append(columns.borders, [[0], [0]], 1)  # one behind the last document
        self.begin, self.stop, self.offsets = begin, stop, columns.offsets
        # a place of a document plus its number times `room` is another one for each document
        self.room = int(max(stop.max(), most)) + 2
        base = np.repeat(np.arange(len(self.offsets)), [*np.diff(self.offsets), 1]) * self.room
        self.begins, self.stops = (np.argsort(base + one, kind="stable") for one in (begin, stop))
        self.begin_keys = (base + begin)[self.begins]
        self.stop_keys = (base + stop)[self.stops]

    def tokens(self, doc: IntArray, start: IntArray, end: IntArray) -> tuple[Any, Any, BoolArray]:
        """The first token, that behind the last one, and whether there are such tokens."""
        low, high, before = doc * self.room + start, doc * self.room + end, self.offsets[doc]
        i = np.searchsorted(self.begin_keys, low)
        j = np.searchsorted(self.stop_keys, high, "right") - 1
        first, behind = self.begins[i] - before, self.stops[j] + 1 - before
        fits = (self.begin_keys[i] == low) & (self.stop_keys[j] == high) & (first < behind)
        return first, behind, fits

    def inner(self, doc: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
        """Start and end without what lies between tokens there."""
        shift = doc * self.room
        low, high = shift + start, shift + end
        i = np.searchsorted(self.stop_keys, low, "right")
        j = np.searchsorted(self.begin_keys, high) - 1
        first, last = np.maximum(low, self.begin_keys[i]), np.minimum(high, self.stop_keys[j])
        return np.where(i <= j, first - shift, start), np.where(i <= j, last - shift, end)

    def n_touched(self, doc: int, pieces: Sequence[tuple[int, int]]) -> int:
        """Number of tokens of a document in which some pieces are, at least 1."""
        own = slice(self.offsets[doc], self.offsets[doc + 1])
        rows = [(self.begin[own] < end) & (self.stop[own] > start) for start, end in pieces]
        return max(1, int(np.count_nonzero(np.any(rows, axis=0))))
