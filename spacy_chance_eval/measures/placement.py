"""Where do objects of a random order stand? The one distribution behind the disjoint placement.

A disjoint placement of k segments in n tokens is a random order of k segments and g = n - a free
tokens. The total length of what stands in front of an object is the start of a segment (if the
object is one) and tells the coverage of a token (if it is a free token). Exact `routes` give it.

The distribution is symmetric, and flat but for its edges (Li et al. 2024, Proposition 3): behind M
other segments of total length A all places from A - M on are equally likely, up to the mirrored
one. So only the edge is worked out: the first A - M + 1 places, the last of which stands for all
between the edges (or the first half, if the edges meet).
"""

from dataclasses import dataclass

import numpy as np

from .crossing import fastest_routes, n_subsets
from .quadrature import FREE_TOKEN, by_quadrature
from .routes import by_convolution, by_subset_sums
from .spans import expanded

BATCH = 1 << 20  # numbers that one batch of distributions may hold at once


@dataclass(frozen=True, eq=False)
class Cases:
    """Distinct (unit length, multiset of segment lengths), as columns.

    `free` has one entry per case: its tokens outside segments. Rows `first[c]:first[c + 1]` of
    `length` and `count` say how many segments of which length case c has; lengths of a case differ.
    """

    free: np.ndarray
    first: np.ndarray
    length: np.ndarray
    count: np.ndarray

    @property
    def case(self):
        return np.repeat(np.arange(len(self.free)), np.diff(self.first))

    def sums(self, weights):
        """Sum of a row-wise quantity per case."""
        return np.bincount(self.case, weights, len(self.free)).astype(np.int64)

    @property
    def sizes(self):
        """Tokens of the unit, per case."""
        return self.free + self.sums(self.length * self.count)


def cases_of(units):
    """`Cases` from a list of (n, lengths)."""
    rows = [sorted((a, list(lengths).count(a)) for a in set(lengths)) for _, lengths in units]
    length, count = np.array([row for case in rows for row in case], np.int64).reshape(-1, 2).T
    free = np.array([n - sum(lengths) for n, lengths in units], np.int64)
    return Cases(free, np.cumsum([0, *map(len, rows)]), length, count)


def preceding(cases, case, row):
    """Distribution of the total length in front of an object, all orders equally likely.

    Parameters
    ----------
    cases : Cases
    case, row : integer arrays of shape (n_objects,)
        The object: a segment of that row of `cases`, or a free token of the case (`FREE_TOKEN`).
        Ordered by case.

    Returns
    -------
    values : ndarray
        One distribution after the other.
    offsets : integer ndarray of shape (n_objects + 1,)
        Object i is values[offsets[i]:offsets[i + 1]], of size n - (its length) + 1.
    """
    edges, first = preceding_edges(cases, case, row)
    sizes = n_places(cases, case, row)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    values = np.empty(offsets[-1])
    held = np.diff(first)
    for batch in batches(sizes):
        at, place = expanded(np.zeros_like(batch), sizes[batch])
        at = batch[at]
        place = np.minimum(place, sizes[at] - 1 - place)
        mirrored = edges[first[at] + np.minimum(place, held[at] - 1)]
        values[offsets[batch[0]] : offsets[batch[-1] + 1]] = mirrored
    return values, offsets


def preceding_edges(cases, case, row):
    """The edges of the distributions that `preceding` has in full: values, offsets."""
    held = edge_sizes(cases, case, row)
    offsets = np.concatenate([[0], np.cumsum(held)])
    values = np.zeros(offsets[-1])
    route = fastest_routes(cases, np.bincount(case, minlength=len(cases.free)))
    for c in np.unique(case[route[case] > 0]):
        mine = np.flatnonzero(case == c)
        results = (by_convolution, by_quadrature)[route[c] - 1](cases, c, row[mine], held[mine])
        for i, distribution in zip(mine, results):
            values[offsets[i] : offsets[i + 1]] = distribution
    short = np.flatnonzero(route[case] == 0)
    for batch in batches(n_subsets(cases)[case[short]]):
        some = short[batch]
        _, at = expanded(offsets[some], offsets[some + 1])
        values[at] = by_subset_sums(cases, case[some], row[some], held[some])
    return values, offsets


def batches(elements):
    """Indices in batches that have about `BATCH` elements together, one index at least."""
    filled = np.cumsum(elements) // BATCH
    some = np.split(np.arange(len(elements)), np.flatnonzero(np.diff(filled)) + 1)
    return some if len(elements) else []


def n_places(cases, case, row):
    """Number of places that each object can take: n - (its length) + 1."""
    own = np.where(row == FREE_TOKEN, 1, np.append(cases.length, 1)[row])
    return cases.sizes[case] - own + 1


def edge_sizes(cases, case, row):
    """How many places the edge of each object's distribution has, see above."""
    spare = cases.sums(cases.count * (cases.length - 1))[case]  # A - M, with the object itself
    own = np.where(row == FREE_TOKEN, 0, np.append(cases.length, 0)[row] - 1)
    return np.minimum(spare - own + 1, (n_places(cases, case, row) + 1) // 2)


def coverage_edges(cases, case, places, row, edges, first, held):
    """Edges of the coverage of the tokens, from those of the starts of all segments.

        cover(t) = sum over segments of sum over s = t - length + 1 ... t of P(start = s)

    Terms are positive: nothing cancels, however rare segments are. The edges at both ends of a unit
    must not meet.

    Parameters
    ----------
    case, places : integer arrays
        Ascending, and the size of the edge of each.
    row : integer array
        All rows of these cases; the i-th has edges[first[i]:first[i] + held[i]].
    """
    owner = np.searchsorted(case, cases.case[row])
    offsets = np.concatenate([[0], np.cumsum(places)])
    covered = np.zeros(offsets[-1])
    for batch in batches(places[owner]):
        at, place = expanded(np.zeros_like(batch), places[owner[batch]])
        at = batch[at]
        starts = edges[first[at] + np.minimum(place, held[at] - 1)]
        inside = window_sums(starts, place, cases.length[row[at]])
        np.add.at(covered, offsets[owner[at]] + place, cases.count[row[at]] * inside)
    return covered


def window_sums(values, place, width):
    """Sums of each value and those in front of it, `width` in all, as far back as place 0.

    Sums of two, four, eight ... are put together: there are no differences of running sums.
    """
    at = np.arange(len(values))
    sums, done, power = np.zeros(len(values)), np.zeros_like(at), 1
    while power <= width.max(initial=0):
        mine = np.flatnonzero((width & power > 0) & (place >= done))
        sums[mine] += values[at[mine] - done[mine]]
        done += width & power
        earlier = np.flatnonzero(place >= power)
        doubled = values.copy()
        doubled[earlier] += values[earlier - power]
        values, power = doubled, 2 * power
    return sums


def edge_products(edges, first, sizes, one, two):
    """sum over places p of P1(p) P2(p), for pairs of distributions given by their edges.

    Parameters
    ----------
    edges, first : as `preceding_edges` returns them
    sizes : integer array
        Number of places of each distribution; equal within a pair.
    one, two : integer arrays of shape (n_pairs,)
        Which distributions.
    """
    held = np.diff(first)
    longest = np.maximum(held[one], held[two])
    sums = np.zeros(len(one))
    for batch in batches(longest):
        pair, place = expanded(np.zeros_like(batch), longest[batch])
        pair = batch[pair]
        sides = [
            edges[first[side[pair]] + np.minimum(place, held[side[pair]] - 1)]
            for side in (one, two)
        ]
        inner = sizes[one[pair]] - 2 * (longest[pair] - 1)  # so many places share the last value
        times = np.where(place < longest[pair] - 1, 2, inner)
        products = times * sides[0] * sides[1]
        sums[batch] = np.bincount(pair - batch[0], products, len(batch))
    return sums
