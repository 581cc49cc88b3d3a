"""The chance of discontinuous spans: the hull of a span travels with its gaps, as one block.

*Overlapping* placement is exact: each start of the hull is equally likely, and the span marks the
tokens of its pattern. Under the *disjoint* placement no two spans of a label share a token, and all
such placements are equally likely; other spans may lie in the gaps. Under the *nested* one a span
inside another lies on tokens of that one. Both are drawn: the spans of a unit are placed again
until they share no token.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..alignment import units
from ..arrays import Array, BoolArray, FloatArray, IntArray, distinct
from ..fragments import discontinuous, fragment_ranks, n_tokens
from ..spans import Spans, expanded, object_column
from ..token_sets import common_tokens, placed_pieces, tokens_of

MOST_TRIES = 1 << 18  # placements of a unit that are tried for one draw
AT_ONCE = 1 << 20  # tokens that are placed at once
# a function of (owner, lengths, sizes, generator): random starts of segments in containers
PlaceSegments = Callable[[IntArray, IntArray, IntArray, "np.random.Generator"], IntArray]


def set_parents(spans: Spans) -> IntArray:
    """Row of the smallest span of the same label whose tokens include those of each; -1 without.

    Raises
    ------
    ValueError
        If two spans of one label share tokens, and neither includes the other; names the two.
    """
    both = common_tokens(spans, spans)
    size, shared = n_tokens(spans), both.numbers
    one, two = both.one, both.two
    crossing = np.flatnonzero((shared < size[one]) & (shared < size[two]))
    if len(crossing):
        names = [spans.span_name(int(rows[crossing[0]])) for rows in (one, two)]
        raise ValueError(
            f"{names[0]} crosses {names[1]}: the nested chance model needs spans that lie inside "
            "each other or apart; use chance=overlapping (--chance overlapping)"
        )
    inside = np.flatnonzero((shared == size[one]) & (one != two))
    inside = inside[np.lexsort((-size[two[inside]], one[inside]))]
    parent = np.full(len(spans), -1)
    parent[one[inside]] = two[inside]  # the last one stays: the smallest
    return parent


# --- draws


class Blocks:
    """Spans as patterns of tokens, which are placed at random where they share no token.

    Parameters
    ----------
    spans : Spans
    place_segments : callable
        Places the spans of one piece among themselves.
    """

    def __init__(self, spans: Spans, place_segments: PlaceSegments) -> None:
        self.spans, self.place_segments = spans, place_segments
        row, place = tokens_of(spans)
        self.first = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(spans)))])
        self.offset = place - (spans.offsets[spans.doc] + spans.start)[row]
        self.gapped: BoolArray = np.diff(self.first) < spans.lengths

    def starts(
        self,
        rows: IntArray,
        owner: IntArray,
        sizes: IntArray,
        parent: IntArray | None,
        rng: "np.random.Generator",
    ) -> IntArray:
        """Random starts of some spans in their containers, all placements equally likely.

        Parameters
        ----------
        rows, owner : integer arrays
            The spans, and the container of each, ascending.
        sizes : integer array
            Number of places of each container.
        parent : integer array, optional
            The span that each container is: places in its gaps are barred.
        """
        odd = np.zeros(len(sizes), bool)
        odd[owner[self.gapped[rows]]] = True
        if parent is not None:
            odd |= self.gapped[parent]
        start = np.empty(len(rows), np.int64)
        for among, place in ((~odd, self.place_segments), (odd, None)):
            mine = np.flatnonzero(among[owner])
            if not len(mine):
                continue
            container, own = np.flatnonzero(among), np.cumsum(among)[owner[mine]] - 1
            if place is not None:
                start[mine] = place(own, self.spans.lengths[rows[mine]], sizes[container], rng)
            else:
                above = None if parent is None else parent[container]
                start[mine] = self._apart(rows[mine], own, sizes[container], above, rng)
        return start

    def _apart(
        self,
        rows: IntArray,
        owner: IntArray,
        sizes: IntArray,
        parent: IntArray | None,
        rng: "np.random.Generator",
    ) -> IntArray:
        """The same, placing the spans of each container again until they share no token."""
        barred = self._gaps(parent)
        start = np.empty(len(rows), np.int64)
        todo, tries, tried = np.arange(len(sizes)), 1, 0
        while len(todo):
            if tried >= MOST_TRIES:
                raise ValueError(
                    f"no place was found in {tried:,} tries for "
                    f"{self.spans.span_name(int(rows[np.searchsorted(owner, todo[0])]))} and the "
                    "other spans of its label, so that no two share a token; use "
                    "chance=overlapping (--chance overlapping)"
                )
            mine = np.flatnonzero(np.isin(owner, todo))
            local, n = np.searchsorted(todo, owner[mine]), len(todo)
            box = (np.arange(tries)[:, None] * n + local).ravel()
            at, here = np.tile(mine, tries), np.tile(sizes[todo], tries)
            found = self._proposed(rows[at], box, here, rng)
            free = self._free(rows[at], box, found, here, barred, todo).reshape(tries, n)
            which = free.argmax(axis=0)  # the first one that is
            good = free[which, np.arange(n)]
            chosen = good[box % n] & (box // n == which[box % n])
            start[at[chosen]] = found[chosen]
            todo, tried = todo[~good], tried + tries
            tries = max(min(4 * tries, AT_ONCE // max(len(self.offset), 1)), 1)
        return start

    def _gaps(self, parent: IntArray | None) -> tuple[IntArray, IntArray]:
        """(container, place) of the gaps of the spans that containers are."""
        if parent is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        container, place = expanded(np.zeros_like(parent), self.spans.lengths[parent])
        width = int(self.spans.lengths.max()) + 1
        mine, token = expanded(self.first[parent], self.first[parent + 1])
        taken = mine * width + self.offset[token]
        gap = ~np.isin(container * width + place, taken)
        return container[gap], place[gap]

    def _proposed(
        self, rows: IntArray, box: IntArray, sizes: IntArray, rng: "np.random.Generator"
    ) -> IntArray:
        """Random starts in boxes; those of one piece share no token with each other."""
        start = np.empty(len(rows), np.int64)
        whole = np.flatnonzero(~self.gapped[rows])
        lengths = self.spans.lengths[rows]
        start[whole] = self.place_segments(box[whole], lengths[whole], sizes, rng)
        rest = np.flatnonzero(self.gapped[rows])
        start[rest] = rng.integers(0, sizes[box[rest]] - lengths[rest] + 1)
        return start

    def _free(
        self,
        rows: IntArray,
        box: IntArray,
        start: IntArray,
        sizes: IntArray,
        barred: tuple[IntArray, IntArray],
        todo: IntArray,
    ) -> BoolArray:
        """Whether no token of a box is taken twice, or barred."""
        width, n = int(sizes.max()) + 1, len(todo)
        span, token = expanded(self.first[rows], self.first[rows + 1])
        taken = box[span] * width + start[span] + self.offset[token]
        here = np.flatnonzero(np.isin(barred[0], todo))
        local = np.searchsorted(todo, barred[0][here])
        boxes = np.arange(len(sizes) // n)[:, None] * n + local
        places = np.sort(np.concatenate([taken, (boxes * width + barred[1][here]).ravel()]))
        free = np.ones(len(sizes), bool)
        free[places[1:][places[1:] == places[:-1]] // width] = False
        return free


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


# --- expectations of the overlapping placement


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
