"""Where do objects of a random order stand? The one distribution behind the disjoint placement.

A disjoint placement of k segments with a tokens in a unit of n is a random order of k segments and
g = n - a free tokens. The total length of what stands in front of a segment is its start. Two
routes give its distribution exactly: sums over subsets, and an integral (`quadrature`).

The distribution is symmetric, and flat but for its edges (Li et al. 2024, Proposition 3): behind M
other segments of total length A all places from A - M on are equally likely, up to the mirrored
one. So only the edge is computed: the first A - M + 1 places, the last of which stands for all
between the edges (or the first half, if the edges meet). A segment of one token stands where a free
token stands.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from ..arrays import Array, BoolArray, FloatArray, IntArray, distinct
from ..spans import expanded, integers
from .quadrature import FREE_TOKEN, by_quadrature

BATCH = 1 << 20  # numbers that one batch of distributions may hold at once
MOST_COUNTED = 900  # segments, beyond which the numbers of subsets would overflow
MOST_HELD = 1 << 22  # numbers that subset sums may hold for one segment, less than half a GB


@dataclass(frozen=True, eq=False)
class Cases:
    """Distinct (unit length, multiset of segments), as columns.

    `free` has one entry per case: its tokens outside segments (below 0 if segments overlap). Rows
    `first[c]:first[c + 1]` of `length` and `count` say how many segments of which length case c
    has. Segments that fall alike are of one `kind`: by default their length. `pieces` are those of
    the discontinuous segments of each row, from its start; None if all are of one piece.
    """

    free: IntArray
    first: IntArray
    length: IntArray
    count: IntArray
    kind: IntArray
    pieces: Array | None = None

    @property
    def case(self) -> IntArray:
        """The case of each row."""
        return np.repeat(np.arange(len(self.free)), np.diff(self.first))

    def sums(self, weights: IntArray) -> IntArray:
        """Sum of a row-wise quantity per case."""
        return np.bincount(self.case, weights, len(self.free)).astype(np.int64)

    @property
    def sizes(self) -> IntArray:
        """Tokens of the unit, per case."""
        return self.free + self.sums(self.length * self.count)

    @property
    def places(self) -> IntArray:
        """Number of places that a segment of each row can start at: n - length + 1."""
        return self.sizes[self.case] - self.length + 1


def cases_of(units: Sequence[tuple[int, Sequence[int]]]) -> Cases:
    """`Cases` from (tokens of the unit, lengths of its segments)."""
    rows = [sorted((a, list(lengths).count(a)) for a in set(lengths)) for _, lengths in units]
    length, count = np.array([row for case in rows for row in case], np.int64).reshape(-1, 2).T
    free = np.array([n - sum(lengths) for n, lengths in units], np.int64)
    return Cases(free, np.cumsum([0, *map(len, rows)]), length, count, length)


def distinct_cases(
    size: IntArray,
    cell: IntArray,
    length: IntArray,
    count: IntArray,
    kind: IntArray | None = None,
    pieces: Array | None = None,
) -> tuple[IntArray, Cases]:
    """The number of the case of each cell, and the `Cases`.

    Two cells are one case if they have the same size and the same (kind, count) rows. Numbers are
    refined row by row, so that no multiset is ever compared as a whole.

    `size` has the tokens of each cell; `cell`, `length` and `count` are rows of segments, ordered
    by cell and kind, `kind` (by default their length) what tells segments of a cell apart, and
    `pieces` those of `Cases`.
    """
    kind = length if kind is None else kind
    first = np.searchsorted(cell, np.arange(len(size) + 1))
    n_rows = np.diff(first)
    number: IntArray = np.unique(size, return_inverse=True)[1]
    for place in range(n_rows.max(initial=0)):
        active = np.flatnonzero(n_rows > place)
        row = first[active] + place
        row_key = kind[row] * (count.max() + 1) + count[row]
        row_key = np.unique(row_key, return_inverse=True)[1]
        refined = np.unique(number[active] * (row_key.max() + 1) + row_key, return_inverse=True)[1]
        number[active] = refined + number.max() + 1
    _, example, number = np.unique(number, return_index=True, return_inverse=True)
    rows = expanded(first[example], first[example + 1])[1]
    borders = np.concatenate([[0], np.cumsum(n_rows[example])])
    case = np.repeat(np.arange(len(example)), n_rows[example])
    marked = np.bincount(case, length[rows] * count[rows], len(example)).astype(np.int64)
    own = None if pieces is None else pieces[rows]
    return number, Cases(
        size[example] - marked, borders, length[rows], count[rows], kind[rows], own
    )


def start_probabilities(n: int, lengths: Sequence[int]) -> list[FloatArray]:
    """Probability that each segment starts at each place, disjoint placement.

        P(ST_i = l) = sum over subsets M of the other segments, m of them, with s tokens, of
            (l-1-s+m)! / (l-1-s)!  (f+k-1-m)! / f!  (n-a)! / (n-a+k)!,   f = n-l-a_i+1-(a-a_i-s)

    Parameters
    ----------
    n : int
        Tokens of the unit.
    lengths : sequence of int
        Lengths a_i of the k segments; their sum a is at most n.

    Returns
    -------
    list of k ndarrays
        The i-th has shape (n - lengths[i] + 1,) and sums to 1; entry l is P(ST_i = l + 1).

    Raises
    ------
    ValueError
        If the segments do not fit.

    References
    ----------
    Li et al. (2024), the equation for P(ST_i = l), summed over (size, total length) of the subsets.

    Examples
    --------
    >>> start_probabilities(4, [2, 1])[0].round(4).tolist()
    [0.3333, 0.3333, 0.3333]
    """
    lengths = [int(length) for length in lengths]
    if min(lengths, default=1) < 1 or sum(lengths) > n:
        raise ValueError(f"segments of lengths {lengths} cannot be placed in {n} tokens")
    cases = cases_of([(n, lengths)])
    by_length = dict(zip(cases.length.tolist(), start_distributions(cases)))
    return [by_length[length] for length in lengths]


def no_overlap_probability(n: int, one: Sequence[int], two: Sequence[int]) -> float:
    """Probability that no token is in segments of both annotators, disjoint placement.

    Where no token is shared, the segments of both are one disjoint annotation. With k1 and k2
    segments of a1 and a2 tokens in total, and pi(m, r) = m! / (m - r)!, it is

        pi(n - a1 - a2 + k1 + k2, k1 + k2) / (pi(n - a1 + k1, k1) pi(n - a2 + k2, k2))

    Parameters
    ----------
    n : int
        Tokens of the text.
    one, two : sequences of int
        Lengths of the segments of each annotator.

    Returns
    -------
    float
        0 to 1; 1 if one of them has no segments.

    Raises
    ------
    ValueError
        If segments do not fit, and for lengths that are no whole numbers.

    References
    ----------
    Li et al. (2024), Proposition 4 and its proof: it goes to 1 in long texts, and expected
    agreement to 0.

    Examples
    --------
    >>> no_overlap_probability(4, [2], [1])
    0.5
    >>> round(no_overlap_probability(1000, [2, 3, 4], [3, 4, 5]), 4)
    0.9468
    """
    for name, numbers in (("n", [n]), ("one", one), ("two", two)):
        integers(name, numbers)  # they must be whole
    for lengths in (one, two):
        if min(lengths, default=1) < 1 or sum(lengths) > n:
            raise ValueError(f"segments of lengths {list(lengths)} cannot be placed in {n} tokens")
    a1, a2, k1, k2 = sum(one), sum(two), len(one), len(two)
    if a1 + a2 > n:
        return 0.0
    # a product of factors 1 - x, of which none is above 1
    logs = [math.log1p(-a2 / (n - a1 + i)) for i in range(1, k1 + 1)]
    logs += [math.log1p(-(a1 - k1) / (n - a2 + j)) for j in range(1, k2 + 1)]
    return math.exp(math.fsum(logs))


def start_distributions(cases: Cases, placement: str = "disjoint") -> list[FloatArray]:
    """Start distributions of the segments of each row of `cases`, of shape (places,)."""
    edges, first = start_edges(cases, placement)
    return [
        edges[low + np.minimum(np.minimum(place, place[::-1]), high - low - 1)]
        for low, high, place in zip(first[:-1], first[1:], map(np.arange, cases.places))
    ]


def start_edges(cases: Cases, placement: str = "disjoint") -> tuple[FloatArray, IntArray]:
    """The edges (see above) of the start distributions of all rows: values, offsets.

    Row i has values[offsets[i]:offsets[i + 1]]. With "overlapping" placement every place is equally
    likely; "uniform" is the paper's approximation by that, where it takes it.
    """
    places = cases.places
    if placement == "overlapping":
        return 1 / places, np.arange(len(places) + 1)
    case, row, rest, place = _objects(cases)
    held = edge_sizes(rest, case, row)
    offsets = np.concatenate([[0], np.cumsum(held)])
    values = np.zeros(offsets[-1])
    short = take_subset_sums(rest)[case]
    for c in distinct(case[~short]):
        mine = np.flatnonzero(case == c)
        for i, distribution in zip(mine, by_quadrature(rest, c, row[mine], held[mine])):
            values[offsets[i] : offsets[i + 1]] = distribution
    for batch in batches(_n_subsets(rest)[case[short]]):
        some = np.flatnonzero(short)[batch]
        _, at = expanded(offsets[some], offsets[some + 1])
        values[at] = by_subset_sums(rest, case[some], row[some], held[some])
    if not np.array_equal(place, np.arange(len(held))):  # some rows share an object
        values = values[expanded(offsets[place], offsets[place + 1])[1]]
        offsets = np.concatenate([[0], np.cumsum(held[place])])
    if placement == "uniform":
        row_of = np.repeat(np.arange(len(place)), np.diff(offsets))
        objects = (cases.free + cases.sums(cases.count))[cases.case]
        values = np.where((objects / places > 0.99)[row_of], 1 / places[row_of], values)
    return values, offsets


def _objects(cases: Cases) -> tuple[IntArray, IntArray, Cases, IntArray]:
    """The distinct objects whose places are those of the segments of `cases`.

    Returns their cases and rows among other `Cases`, in which segments of one token are free
    tokens, these cases, and the object of each row of `cases`.
    """
    keep = np.flatnonzero(cases.length > 1)
    cell = cases.case[keep]
    number, rest = distinct_cases(cases.sizes, cell, cases.length[keep], cases.count[keep])
    key = len(rest.length) + number[cases.case]  # the free token of a case comes after all rows
    key[keep] = rest.first[number[cell]] + np.arange(len(keep)) - np.searchsorted(cell, cell)
    key, place = np.unique(key, return_inverse=True)
    is_free = key >= len(rest.length)
    case = np.where(is_free, key - len(rest.length), np.append(rest.case, 0)[key * ~is_free])
    return case, np.where(is_free, FREE_TOKEN, key), rest, place


def batches(elements: IntArray | FloatArray) -> list[IntArray]:
    """Indices in batches of about `BATCH` elements, at least one index each."""
    if not len(elements):
        return []
    filled = np.cumsum(elements) // BATCH
    return [*np.split(np.arange(len(elements)), np.flatnonzero(np.diff(filled)) + 1)]


def n_places(cases: Cases, case: IntArray, row: IntArray) -> IntArray:
    """Number of places that each object can take: n - (its length) + 1."""
    own = np.where(row == FREE_TOKEN, 1, np.append(cases.length, 1)[row])
    return cases.sizes[case] - own + 1


def edge_sizes(cases: Cases, case: IntArray, row: IntArray) -> IntArray:
    """Number of places of the edge of each object's distribution (see above)."""
    spare = cases.sums(cases.count * (cases.length - 1))[case]  # A - M, with the object itself
    own = np.where(row == FREE_TOKEN, 0, np.append(cases.length, 0)[row] - 1)
    return np.minimum(spare - own + 1, (n_places(cases, case, row) + 1) // 2)


def window_sums(values: FloatArray, place: IntArray, width: IntArray) -> FloatArray:
    """Sums over windows: of each value and those in front of it, `width` in all, down to place 0.

    Rows follow each other, each from place 0 on. Differences of running sums that begin at every
    row again: they are rounded as numbers of its size.
    """
    row = np.cumsum(place == 0)
    at = np.arange(len(values)) + row
    begins = np.flatnonzero(place == 0)
    padded = np.zeros(len(values) + len(begins))
    padded[at] = values
    if len(begins):
        padded[at[begins[1:]] - 1] = -np.add.reduceat(values, begins)[:-1]
    running = np.cumsum(padded)
    sums: FloatArray = running[at] - running[at - np.minimum(width, place + 1)]
    return sums


def edge_products(
    edges: FloatArray,
    first: IntArray,
    sizes: IntArray,
    one: IntArray,
    two: IntArray,
    *,
    mirrored: bool = True,
) -> FloatArray:
    """sum over places p of P1(p) P2(p), for pairs of vectors given by their edges.

    `edges` are all edges, one after the other, and `first` where each begins, at the end the size
    of all; `sizes` numbers of places, equal within a pair. Vectors have the same edge at both ends
    if `mirrored`, else one at their beginning alone.
    """
    held, ends = np.diff(first), 1 + mirrored
    longest = np.maximum(held[one], held[two])
    sums = np.zeros(len(one))
    for batch in batches(longest):
        pair, place = expanded(np.zeros_like(batch), longest[batch])
        pair = batch[pair]
        sides = [
            edges[first[side[pair]] + np.minimum(place, held[side[pair]] - 1)]
            for side in (one, two)
        ]
        inner = sizes[one[pair]] - ends * (longest[pair] - 1)  # places that share the last value
        times = np.where(place < longest[pair] - 1, ends, inner)
        products = times * sides[0] * sides[1]
        sums[batch] = np.bincount(pair - batch[0], products, len(batch))
    return sums


# --- the routes


def take_subset_sums(cases: Cases) -> BoolArray:
    """Whether subset sums are the route, per case; otherwise `by_quadrature`.

    Their work for one segment is the numbers that they touch. The nodes and frequencies of the
    quadrature grow with the tokens of the unit: there are about 10 for each, of the same work; and
    it begins with as much as a thousand tokens take. Both are exact, so that a wrong choice costs
    time alone.
    """
    few = np.minimum(10 * (cases.sizes + 1000), MOST_HELD)
    chosen: BoolArray = (_n_subsets(cases) <= few) & (cases.sums(cases.count) <= MOST_COUNTED)
    return chosen


def _n_subsets(cases: Cases) -> FloatArray:
    """About how many numbers the subset sums of one object touch, per case."""
    segments, spare = cases.sums(cases.count), cases.sums(cases.count * (cases.length - 1))
    held = np.minimum(spare + 1, (cases.sizes + 1) // 2)
    multisets = np.bincount(cases.case, np.log2(cases.count + 1.0), len(cases.free))
    subsets = np.minimum(np.exp2(np.minimum(multisets, 60)), (segments + 1.0) * (held + 1) / 2)
    numbers: FloatArray = subsets * (held + 1) / 2
    return numbers


def by_subset_sums(cases: Cases, case: IntArray, row: IntArray, held: IntArray) -> FloatArray:
    """The route for short units: count subsets of the other segments by number and total length.

    A given set of m segments and x free tokens is exactly what stands in front of the object in
    (m + x)! (K - 1 - m - x)! of the K! orders of the K objects. Edges (of sizes `held`) of many
    objects at once, one after the other.
    """
    at, number, total, ways = _subset_counts(cases, case, row, held)
    free = cases.free[case] - (row == FREE_TOKEN)
    steps = np.minimum(free[at] + 1, held[at] - total)  # x = 0, 1, ... on the edge
    objects = (cases.free + cases.sums(cases.count))[case]
    numbers, frees = number.max(initial=0) + 1, free.max(initial=0) + 1
    key = (objects[at] * frees + free[at]) * numbers + number
    key, weight_of = np.unique(key, return_inverse=True)  # the distinct rows of weights
    width = np.zeros_like(key)
    np.maximum.at(width, weight_of, steps)
    m, g, k = key % numbers, key // numbers % frees, key // numbers // frees
    weight, x = expanded(np.zeros_like(key), width)
    weights = order_weights(k[weight], g[weight], m[weight], x)
    first = np.concatenate([[0], np.cumsum(width)])[weight_of]
    offset = np.concatenate([[0], np.cumsum(held)])
    state, place = expanded(first, first + steps)
    shift = offset[at] + total - first
    return cast(
        FloatArray, np.bincount(place + shift[state], ways[state] * weights[place], offset[-1])
    )


def order_weights(objects: IntArray, free: IntArray, m: IntArray, x: IntArray) -> FloatArray:
    """C(free, x) (m + x)! (K - 1 - m - x)! / K!, with K objects.

    With N = K - 1 others, M = N - free of them segments, p = (m + x) / N, q = 1 - p and
    n! = f(n) (n / e)^n (`stirling_factors`), that is C(free, x) / C(N, m + x) / K =

        f(free) f(m + x) f(N - m - x) / (f(x) f(free - x) f(N) K) p^m q^(M - m) exp(-D),
        D = -x log(1 - d / x) - (free - x) log(1 + d / (free - x)),   d = (x M - free m) / N

    All exponents are below M in size, however many objects there are: no large logarithms are
    subtracted, and the relative error is about M * 1e-16.
    """
    others = objects - 1
    segments, rest = others - free, others - m - x
    f = stirling_factors(int(others.max(initial=1)))
    factor = f[free] * f[m + x] * f[rest] / (f[x] * f[free - x] * f[others] * objects)
    others = np.maximum(others, 1)
    d = (x * segments - free * m) / others
    inner = x * np.log1p(-d / np.maximum(x, 1))
    inner += (free - x) * np.log1p(d / np.maximum(free - x, 1))
    weights: FloatArray = (
        factor * ((m + x) / others) ** m * (rest / others) ** (segments - m) * np.exp(inner)
    )
    return weights


def _subset_counts(
    cases: Cases, case: IntArray, row: IntArray, held: IntArray
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Rows (object, size, total length, number of subsets of the other segments) of all objects.

    Only totals that lie on the edge of the distribution.
    """
    first = cases.first[case]
    kinds = cases.first[case + 1] - first
    at: IntArray = np.arange(len(case))
    number, total = np.zeros_like(at), np.zeros_like(at)
    ways: FloatArray = np.ones(len(at))
    for kind in range(kinds.max(initial=0)):
        here = np.minimum(first + kind, len(cases.length) - 1)
        available = np.where(kind < kinds, cases.count[here] - (here == row), 0)
        length = cases.length[here][at]
        most = np.minimum(available[at], (held[at] - 1 - total) // length)
        state, taken = expanded(np.zeros_like(at), most + 1)
        at, length = at[state], length[state]
        choose = binomials(int(available.max()))[available[at], taken]
        number, total = number[state] + taken, total[state] + taken * length
        ways = ways[state] * choose
        at, number, total, ways = _add_up(at, number, total, ways)
    return at, number, total, ways


def _add_up(
    at: IntArray, number: IntArray, total: IntArray, ways: FloatArray
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """The same rows with equal (object, size, total) added up."""
    sizes = number.max(initial=0) + 1
    totals = total.max(initial=0) + 1
    key, place = np.unique((at * sizes + number) * totals + total, return_inverse=True)
    if len(key) == len(at):
        return at, number, total, ways
    ways = cast(FloatArray, np.bincount(place, ways, len(key)))
    return key // totals // sizes, key // totals % sizes, key % totals, ways


def stirling_factors(most: int) -> FloatArray:
    """n! / (n / e)^n of n = 0, 1, ... at least up to `most`."""
    return _stirling_table(1 << max(int(most).bit_length(), 8))


@lru_cache(maxsize=1)
def _stirling_table(size: int) -> FloatArray:
    """By Stirling's series, to a relative error of a few 1e-16; small ones from the factorials."""
    n = np.arange(1, size)
    series = 1 / 1260 - (1 / 1680 - 1 / 1188 / n**2.0) / n**2.0
    series = (1 / 12 - (1 / 360 - series / n**2.0) / n**2.0) / n
    table = np.append(1.0, np.sqrt(2 * np.pi * n) * np.exp(series))
    table[1:24] = [math.factorial(i) / i**i * math.exp(i) for i in range(1, 24)]
    return table


def binomials(most: int) -> FloatArray:
    """C(n, k) of n, k = 0, 1, ... at least up to `most`, by Pascal's triangle."""
    return _pascal_table(1 << max(int(most).bit_length(), 5))


@lru_cache(maxsize=1)
def _pascal_table(size: int) -> FloatArray:
    """Pascal's triangle as a square matrix."""
    table = np.zeros((size, size))
    table[:, 0] = 1
    for n in range(1, size):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table
