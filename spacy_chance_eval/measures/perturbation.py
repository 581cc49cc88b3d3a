"""Spans with random errors: split, shifted, relabelled, dropped ..."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import NamedTuple, TypeAlias

import numpy as np

from .alignment import covered_tokens
from .arrays import BoolArray, FloatArray, IntArray
from .fragments import Pieces, discontinuous, fragment_column, joined_pieces
from .messages import quoted
from .spans import Spans

GAP = 3  # positions between spans that are merged, at most: "of the", ", and"
GAINING = ("merge", "shift", "extend", "relabel")  # kinds that may give positions to a span
# the kinds of errors, in the order in which they are made
ERRORS = ("drop", "merge", "split", "shift", "truncate", "extend", "relabel", "add")


class _Place(NamedTuple):
    """A span by corpus-wide position; in sorted order, documents stay together."""

    start: int
    end: int
    label: int
    pieces: Pieces

    @classmethod
    def of(cls, pieces: Iterable[tuple[int, int]], label: int) -> _Place:
        """The span of some pieces that do not overlap; empty ones are left out."""
        start, end, several = joined_pieces([one for one in pieces if one[0] < one[1]])
        return cls(start, end, label, several or ((start, end),))

    @property
    def positions(self) -> list[int]:
        """All positions, in order."""
        return [position for piece in self.pieces for position in range(*piece)]

    def moved(self, step: int) -> _Place:
        """The span at another place."""
        pieces = tuple((start + step, end + step) for start, end in self.pieces)
        return _Place(self.start + step, self.end + step, self.label, pieces)


Change: TypeAlias = tuple[list[_Place], list[_Place]]  # spans that go, and those that come instead


def perturb_spans(spans: Spans, errors: Mapping[str, float], rng: np.random.Generator) -> Spans:
    """The spans with random errors.

    Each kind of error is made in all documents before the next, in the order below. Spans are
    visited by position; each is hit with the probability of the kind, by itself. What becomes of it
    is drawn uniformly from all changes of that kind that are possible; where none is, the span
    stays as it is.

    * drop: the span is left out; unplaced spans, too.
    * merge: the span becomes one with the next of its label in the document, unless more than
      `GAP` = 3 positions lie between the two, which then belong to it. A span is merged once.
    * split: the span is cut in two, between two of its positions.
    * shift: both ends move by one position, to the left or to the right.
    * truncate: the first or the last position is left out; a span of one position stays.
    * extend: one position is added before or after the span.
    * relabel: the span gets one of the other labels of `spans.labels`.
    * add: a further span of the same length and label is put anywhere into the document. Each span
      of the input is hit or not, also one that was dropped.

    Discontinuous spans are shifted and added with their gaps, and merged across the gap between the
    two; the others look at their positions in order.

    A change is possible if it stays inside the document, and if all positions that a span gains
    are annotated (`spans.stretches`) and belong to no other span: to none of its label, or to none
    at all where no two spans of the corpus overlap from the beginning. So layers without overlap
    keep this property, and there are no duplicate spans.
    Pieces, and spans that are added, have the features of the span that they come from, merged
    spans those of the first.

    How many numbers are drawn does not depend on the probabilities, and every kind has its own:
    with equal generators, the spans that one kind hits are among those that it hits with a higher
    probability.

    Parameters
    ----------
    spans : Spans
        Positions are tokens or characters.
    errors : mapping of str to float
        The probability of each kind of error: "drop", "merge", "split", "shift", "truncate",
        "extend", "relabel", "add". Those that are left out are not made.
    rng : numpy.random.Generator
        Decides which spans are hit, and what becomes of them.

    Raises
    ------
    ValueError
        For other kinds, and probabilities outside of [0, 1].

    Examples
    --------
    >>> spans = Spans.from_tuples([[(0, 2, "PER"), (5, 6, "LOC")]], sizes=[9])
    >>> noisy = perturb_spans(spans, {"split": 1}, np.random.default_rng(0))
    >>> list(zip(noisy.start.tolist(), noisy.end.tolist()))
    [(0, 1), (1, 2), (5, 6)]
    """
    given: Mapping[str, object] = errors
    for kind, value in given.items():
        if kind not in ERRORS:
            raise ValueError(f"unknown error {quoted(kind)}; expected some of {', '.join(ERRORS)}")
        number = -1.0 if isinstance(value, bool) or not isinstance(value, Real) else float(value)
        if not 0 <= number <= 1:
            raise ValueError(f"{kind} is {quoted(value)}; expected a probability, from 0 to 1")
    work, unplaced = _Work(spans), spans.unplaced
    for kind, seed in zip(ERRORS, rng.integers(2**63, size=len(ERRORS))):
        own, probability = np.random.default_rng(seed), errors.get(kind, 0)
        if kind == "drop":
            unplaced = unplaced[own.random(len(unplaced)) >= probability]
        if kind == "add":
            work.add(own.random(len(spans)) < probability, own.random(len(spans)))
        elif probability:
            work.change(kind, probability, own)
    return work.result(unplaced)


class _Work:
    """The spans of a corpus while they change."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        base = spans.offsets[spans.doc].tolist()
        columns = zip(base, *(one.tolist() for one in (spans.start, spans.end, spans.label)))
        self.inputs = [
            _Place(start, end, label, ((start, end),)).moved(first)
            for first, start, end, label in columns
        ]
        for row in np.flatnonzero(discontinuous(spans)).tolist():
            place = _Place.of(spans.fragments[row], self.inputs[row].label)  # type: ignore[index]
            self.inputs[row] = place.moved(base[row])
        self.rows = {place: row for row, place in enumerate(self.inputs)}  # of the input
        positions = Counter(one for place in self.inputs for one in place.positions)
        self.disjoint = all(n == 1 for n in positions.values())
        self.taken = Counter(cell for place in self.inputs for cell in self._cells(place))
        self.offsets = spans.offsets.tolist()
        self.annotated = covered_tokens(spans)

    def _plane(self, label: int) -> int:
        """The number of the layer in which spans of a label must not meet others."""
        return 0 if self.disjoint else label

    def _cells(self, place: _Place) -> Iterator[tuple[int, int]]:
        """The positions of a span in its layer."""
        plane = self._plane(place.label)
        return ((plane, position) for position in place.positions)

    def change(self, kind: str, probability: float, rng: np.random.Generator) -> None:
        """Make one kind of error."""
        ordered = sorted(self.rows)
        hit, share = rng.random(len(ordered)) < probability, rng.random(len(ordered)).tolist()
        done: set[_Place] = set()
        for index in np.flatnonzero(hit).tolist():
            place = ordered[index]
            if place in done:
                continue
            if kind == "merge":
                changes = _merges(ordered, index, done)
            else:
                changes = [([place], new) for new in CHANGES[kind](place, len(self.spans.labels))]
            possible = [one for one in changes if self._is_possible(*one, kind in GAINING)]
            if possible:
                old, new = possible[int(share[index] * len(possible))]
                self._replace(old, new)
                done.update(old)

    def _is_possible(self, old: Sequence[_Place], new: Sequence[_Place], gaining: bool) -> bool:
        """Whether the new spans are not there yet, inside the document, and gain free positions."""
        if any(one in self.rows and one not in old for one in new):
            return False
        if not gaining:
            return True
        doc = self.spans.doc[self.rows[old[0]]]
        low, high = self.offsets[doc], self.offsets[doc + 1]
        if not all(low <= one.start and one.end <= high for one in new):
            return False
        gained = {cell for one in new for cell in self._cells(one)}
        gained.difference_update(cell for one in old for cell in self._cells(one))
        return not any(cell in self.taken or not self.annotated[cell[1]] for cell in gained)

    def _replace(self, old: Sequence[_Place], new: Sequence[_Place]) -> None:
        """Put spans in the place of others."""
        row = self.rows[old[0]]
        for place in old:
            del self.rows[place]
            for cell in self._cells(place):
                self.taken[cell] -= 1
                if not self.taken[cell]:
                    del self.taken[cell]
        for place in new:
            self.rows[place] = row
            self.taken.update(self._cells(place))

    def add(self, hit: BoolArray, share: FloatArray) -> None:
        """Put further spans where nothing is, for the rows of the input that are hit."""
        if not hit.any():
            return
        free: dict[tuple[int, int], IntArray] = {}
        occupied: dict[tuple[int, int], list[_Place]] = {}
        for place, row in self.rows.items():
            key = int(self.spans.doc[row]), self._plane(place.label)
            occupied.setdefault(key, []).append(place)
        for row in np.flatnonzero(hit).tolist():
            model, doc = self.inputs[row], int(self.spans.doc[row])
            key, length = (doc, self._plane(model.label)), model.end - model.start
            if key not in free:
                borders = self.offsets[doc], self.offsets[doc + 1]
                pieces = [piece for place in occupied.get(key, ()) for piece in place.pieces]
                free[key] = _gaps([*pieces, *self._missing(*borders)], *borders)
            gaps = free[key]
            ways = np.cumsum(np.maximum(gaps[:, 1] - gaps[:, 0] - length + 1, 0))
            if not len(ways) or not ways[-1]:
                continue
            which = int(share[row] * ways[-1])
            gap = int(np.searchsorted(ways, which, "right"))
            end = int(gaps[gap, 1]) - (int(ways[gap]) - 1 - which)
            place = model.moved(end - model.end)
            pieces = [(gaps[gap, 0], place.start), (place.end, gaps[gap, 1])]
            free[key] = np.concatenate([gaps[:gap], pieces, gaps[gap + 1 :]])
            self.rows[place] = row

    def _missing(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """The runs of positions without annotation, from `low` to `high`."""
        there = np.concatenate([[True], self.annotated[low:high], [True]])
        borders = (low + np.flatnonzero(there[1:] != there[:-1])).tolist()
        yield from zip(borders[::2], borders[1::2])

    def result(self, unplaced: IntArray) -> Spans:
        """The spans as they are now."""
        spans, rows = self.spans, np.fromiter(self.rows.values(), np.int64, len(self.rows))
        columns = spans.keep(rows).columns()
        base = spans.offsets[columns["doc"]]
        places = [place.moved(-first) for place, first in zip(self.rows, base.tolist())]
        start, end, label = np.array([one[:3] for one in places], np.int64).reshape(-1, 3).T
        pieces = [one.pieces if len(one.pieces) > 1 else None for one in places]
        columns |= {"start": start, "end": end, "label": label}
        more = {"fragments": fragment_column(pieces)}
        return spans.beside(columns | more, spans.labels, spans.seen, unplaced, spans.stretches)


def _gaps(pieces: Iterable[tuple[int, int]], low: int, high: int) -> IntArray:
    """Rows (start, end) of the stretches between some pieces, from `low` to `high`."""
    gaps = []
    for start, end in sorted(pieces):
        if start > low:
            gaps.append((low, start))
        low = max(low, end)
    return np.array([*gaps, (low, high)], np.int64)


def _merges(ordered: Sequence[_Place], index: int, done: set[_Place]) -> list[Change]:
    """The span at `index`, and the next of its label, as one; nothing if there is none nearby."""
    one = ordered[index]
    for number in range(index + 1, len(ordered)):
        other = ordered[number]
        if other.start > one.end + GAP:
            break
        if other.label == one.label and other.start >= one.end and other not in done:
            pieces = (*one.pieces, (one.end, other.start), *other.pieces)
            return [([one, other], [_Place.of(pieces, one.label)])]
    return []


def _splits(one: _Place, n_labels: int) -> list[list[_Place]]:
    n = sum(end - start for start, end in one.pieces)
    return [[_part(one, 0, cut), _part(one, cut, n)] for cut in range(1, n)]


def _shifts(one: _Place, n_labels: int) -> list[list[_Place]]:
    return [[one.moved(-1)], [one.moved(1)]]


def _truncations(one: _Place, n_labels: int) -> list[list[_Place]]:
    n = sum(end - start for start, end in one.pieces)
    return [] if n == 1 else [[_part(one, 1, n)], [_part(one, 0, n - 1)]]


def _extensions(one: _Place, n_labels: int) -> list[list[_Place]]:
    more = ((one.start - 1, one.start), (one.end, one.end + 1))
    return [[_Place.of((*one.pieces, piece), one.label)] for piece in more]


def _part(one: _Place, first: int, last: int) -> _Place:
    """The span of some of its positions, counted from 0 without gaps."""
    pieces = []
    for start, end in one.pieces:
        pieces.append((start + max(first, 0), start + min(last, end - start)))
        first, last = first - (end - start), last - (end - start)
    return _Place.of(pieces, one.label)


def _relabelled(one: _Place, n_labels: int) -> list[list[_Place]]:
    return [[one._replace(label=label)] for label in range(n_labels) if label != one.label]


# all that can become of a span, possible or not; of "drop": nothing
CHANGES: dict[str, Callable[[_Place, int], list[list[_Place]]]] = {
    "drop": lambda one, n_labels: [[]],
    "split": _splits,
    "shift": _shifts,
    "truncate": _truncations,
    "extend": _extensions,
    "relabel": _relabelled,
}
