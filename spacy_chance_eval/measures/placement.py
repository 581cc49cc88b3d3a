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

from .routes import FREE_TOKEN, by_convolution, by_quadrature, by_subset_sums, n_nodes
from .spans import expanded

SUBSET_ELEMENTS = 1 << 20  # numbers that one batch of the subset-sum route may hold at once


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
    at, place = expanded(np.zeros_like(sizes), sizes)
    place = np.minimum(place, sizes[at] - 1 - place)
    held = np.diff(first)
    values = edges[first[at] + np.minimum(place, held[at] - 1)]
    return values, np.concatenate([[0], np.cumsum(sizes)])


def preceding_edges(cases, case, row):
    """The edges of the distributions that `preceding` has in full: values, offsets."""
    held = edge_sizes(cases, case, row)
    offsets = np.concatenate([[0], np.cumsum(held)])
    values = np.zeros(offsets[-1])
    subsets, route = routes(cases, np.bincount(case, minlength=len(cases.free)))
    for c in np.unique(case[route[case] > 0]):
        mine = np.flatnonzero(case == c)
        results = (by_convolution, by_quadrature)[route[c] - 1](cases, c, row[mine], held[mine])
        for i, distribution in zip(mine, results):
            values[offsets[i] : offsets[i + 1]] = distribution
    short = np.flatnonzero(route[case] == 0)
    filled = np.cumsum(subsets[case[short]]) // SUBSET_ELEMENTS
    for chunk in np.split(short, np.flatnonzero(np.diff(filled)) + 1):
        _, at = expanded(offsets[chunk], offsets[chunk + 1])
        values[at] = by_subset_sums(cases, case[chunk], row[chunk], held[chunk])
    return values, offsets


def n_places(cases, case, row):
    """Number of places that each object can take: n - (its length) + 1."""
    own = np.where(row == FREE_TOKEN, 1, np.append(cases.length, 1)[row])
    return cases.sizes[case] - own + 1


def edge_sizes(cases, case, row):
    """How many places the edge of each object's distribution has, see above."""
    spare = cases.sums(cases.count * (cases.length - 1))[case]  # A - M, with the object itself
    own = np.where(row == FREE_TOKEN, 0, np.append(cases.length, 0)[row] - 1)
    return np.minimum(spare - own + 1, (n_places(cases, case, row) + 1) // 2)


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
    pair, place = expanded(np.zeros_like(longest), longest)
    sides = [
        edges[first[side][pair] + np.minimum(place, held[side][pair] - 1)] for side in (one, two)
    ]
    inner = sizes[one] - 2 * (longest - 1)  # the last place of the edge stands for so many
    times = np.where(place < longest[pair] - 1, 2, inner[pair])
    return np.bincount(pair, times * sides[0] * sides[1], len(one))


def routes(cases, n_objects):
    """Numbers that the subset sums of one object touch, per case, and the cheapest route.

    0 is `by_subset_sums`, 1 `by_convolution`, 2 `by_quadrature`. Seconds are estimated by fits to
    measured times; an error of the estimate costs time, not exactness.
    """
    segments, total = cases.sums(cases.count), cases.sums(cases.length * cases.count)
    kinds = np.diff(cases.first)
    n = cases.free + total
    held = np.minimum(total - segments + 1, (n + 1) // 2)
    multisets = np.bincount(cases.case, np.log2(cases.count + 1.0), len(cases.free))
    subsets = np.minimum(np.exp2(np.minimum(multisets, 60)), (segments + 1.0) * (held + 1) / 2)
    subsets *= (held + 1) / 2
    tables = (segments + 1.0) * (segments * held * 5e-10 + held * np.log2(held + 2.0) * 8e-9)
    nodes = n_nodes(cases.free + segments) / 2
    spectrum = nodes * (6e-5 + n / 2 * (kinds + n_objects) * 1e-8)
    seconds = [n_objects * subsets * 2e-8, n_objects * (2e-4 + tables), spectrum]
    for counting in seconds[:2]:
        counting[segments > 900] = np.inf  # where the numbers of subsets would overflow
    return subsets, np.argmin(seconds, axis=0)
