"""The chance of discontinuous spans: the hull of a span travels with its gaps, as one block.

Only the *overlapping* placement takes them: each start of the hull is equally likely, and the span
marks the tokens of its pattern. Expectations of span and token scores are exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..alignment import units
from ..arrays import Array, FloatArray, IntArray, distinct
from ..fragments import discontinuous, fragment_ranks
from ..spans import Spans, object_column
from ..token_sets import placed_pieces, tokens_of


def moved_fragments(spans: Spans, start: IntArray) -> Array:
    """The column of pieces of spans at other places."""
    assert spans.fragments is not None
    rows = np.flatnonzero(discontinuous(spans))
    steps = (start - spans.start)[rows].tolist()
    column = np.full(len(spans), None, object)
    column[rows] = object_column(
        [
            tuple((a + step, b + step) for a, b in own)
            for own, step in zip(spans.fragments[rows], steps)
        ]
    )
    return column


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Spans of one annotator that fall alike: cell, row of an example, and how many there are."""

    cell: IntArray
    row: IntArray
    count: IntArray
    pattern: IntArray


def _kinds_of(annotators: tuple[Spans, ...], table: IntArray) -> list[_Kinds]:
    """The `_Kinds` of annotators; equal numbers of patterns are equal patterns."""
    shapes: list[object] = []
    for spans in annotators:
        row, start, end = placed_pieces(spans)
        own: list[list[tuple[int, int]]] = [[] for _ in range(len(spans))]
        base = (spans.offsets[spans.doc] + spans.start)[row]
        for at, low, high in zip(row.tolist(), (start - base).tolist(), (end - base).tolist()):
            own[at].append((low, high))
        shapes += map(tuple, own)
    ranks = fragment_ranks(object_column(shapes))
    kinds = []
    for spans, pattern in zip(annotators, np.split(ranks, np.cumsum([*map(len, annotators)])[:-1])):
        unit = np.searchsorted(table[:, 1], spans.start + spans.offsets[spans.doc], "right") - 1
        key = (unit * len(spans.labels) + spans.label) * (len(shapes) + 1) + pattern
        key, row, count = np.unique(key, return_index=True, return_counts=True)
        kinds.append(_Kinds(key // (len(shapes) + 1), row, count, pattern[row]))
    return kinds


def _summed(spans: Spans, table: IntArray, cell: IntArray, values: FloatArray) -> FloatArray:
    """Sums of values of cells: shape (n_docs, n_labels)."""
    shape = spans.n_docs, len(spans.labels)
    unit, label = np.divmod(cell, max(shape[1], 1))
    flat = np.bincount(table[unit, 0] * shape[1] + label, values, shape[0] * shape[1])
    return flat.reshape(shape).astype(float)


def expected_equal_sets(gold: Spans, pred: Spans, *, unit: str) -> FloatArray:
    """Expected number of identical pairs of spans, overlapping placement: (n_docs, n_labels).

    Spans of equal patterns in n tokens are identical with probability 1 / (n - hull + 1).
    """
    table = units(gold, pred, unit)
    one, two = _kinds_of((gold, pred), table)
    many = max(int(kinds.pattern.max(initial=0)) for kinds in (one, two)) + 1
    left, right = (kinds.cell * many + kinds.pattern for kinds in (one, two))
    key, i, j = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    rows = table[one.cell[i] // max(len(gold.labels), 1)]
    places = rows[:, 2] - rows[:, 1] - gold.lengths[one.row[i]] + 1
    return _summed(gold, table, key // many, one.count[i] * two.count[j] / places)


def expected_set_items(gold: Spans, pred: Spans, encoding: str, *, unit: str) -> FloatArray:
    """Expected number of common items of a token encoding, overlapping placement.

    Shape (n_docs, n_labels).
    """
    table = units(gold, pred, unit)
    sides = [
        dict(_item_profiles(spans, kinds, table, encoding))
        for spans, kinds in zip((gold, pred), _kinds_of((gold, pred), table))
    ]
    cells = sorted(sides[0].keys() & sides[1].keys())
    sums = [float((sides[0][cell] * sides[1][cell]).sum()) for cell in cells]
    return _summed(gold, table, np.array(cells, np.int64), np.array(sums, float))


def expected_set_mass(spans: Spans, other: Spans, encoding: str, *, unit: str) -> FloatArray:
    """Expected number of distinct items of an annotator, overlapping placement.

    Shape (n_docs, n_labels); `other` is the annotator whose spans, too, decide on the units.
    """
    table = units(spans, other, unit)
    (kinds,) = _kinds_of((spans,), table)
    profiles = dict(_item_profiles(spans, kinds, table, encoding))
    sums = np.array([profile.sum() for profile in profiles.values()], float)
    return _summed(spans, table, np.array([*profiles], np.int64), sums)


def _item_profiles(
    spans: Spans, kinds: _Kinds, table: IntArray, encoding: str
) -> Iterator[tuple[int, FloatArray]]:
    """(cell, probability of each item in it: shape (n_channels, n)) of each cell."""
    row, place = tokens_of(spans)
    low, high = (np.searchsorted(row, kinds.row, side) for side in ("left", "right"))
    base = spans.offsets[spans.doc] + spans.start
    for cell in distinct(kinds.cell).tolist():
        _, start, end = table[cell // len(spans.labels)].tolist()
        missed: FloatArray = np.zeros((1, 1))
        for kind in range(*np.searchsorted(kinds.cell, [cell, cell + 1]).tolist()):
            own = place[low[kind] : high[kind]] - base[kinds.row[kind]]
            marked = _marked(own, int(spans.lengths[kinds.row[kind]]), encoding)
            places = end - start - marked.shape[1] + 1
            chance = [np.convolve(channel, np.ones(places)) / places for channel in marked]
            with np.errstate(divide="ignore"):
                missed = missed + kinds.count[kind] * np.log1p(-np.minimum(chance, 1))
        yield cell, -np.expm1(missed)


def _marked(tokens: IntArray, length: int, encoding: str) -> FloatArray:
    """How a span marks the places of its hull: shape (n_channels, length)."""
    inside = np.zeros(length)
    inside[tokens] = 1
    if encoding == "IO":
        return inside[None]
    if encoding == "IO*":
        return np.stack([inside, inside * np.append(inside[1:], 0)])
    begin, last = np.zeros((2, length))
    begin[0] = 1
    if encoding == "BIO":
        return np.stack([begin, inside - begin])
    last[-1] = length > 1
    return np.stack([begin, inside - begin - last, last])
