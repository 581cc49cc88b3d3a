"""Where do objects of a random order stand? The one distribution behind the disjoint placement.

A disjoint placement of k segments with a tokens in a unit of n is a random order of k segments and
g = n - a free tokens. The total length of what stands in front of an object is the start of a
segment (if the object is one), or gives the coverage of a token (if it is a free token). Three
routes give it exactly; which one is the fastest is estimated.

The distribution is symmetric, and flat but for its edges (Li et al. 2024, Proposition 3): behind M
other segments of total length A all places from A - M on are equally likely, up to the mirrored
one. So only the edge is computed: the first A - M + 1 places, the last of which stands for all
between the edges (or the first half, if the edges meet).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from ..arrays import FloatArray, IntArray, distinct
from ..spans import expanded
from .quadrature import FREE_TOKEN, NEGLIGIBLE, by_quadrature, fast_size, n_nodes

BATCH = 1 << 20  # numbers that one batch of distributions may hold at once


@dataclass(frozen=True, eq=False)
class Cases:
    """Distinct (unit length, multiset of segment lengths), as columns.

    `free` has one entry per case: its tokens outside segments. Rows `first[c]:first[c + 1]` of
    `length` and `count` say how many segments of which length case c has; lengths of a case differ.
    """

    free: IntArray
    first: IntArray
    length: IntArray
    count: IntArray

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


def cases_of(units: Sequence[tuple[int, Sequence[int]]]) -> Cases:
    """`Cases` from (tokens of the unit, lengths of its segments)."""
    rows = [sorted((a, list(lengths).count(a)) for a in set(lengths)) for _, lengths in units]
    length, count = np.array([row for case in rows for row in case], np.int64).reshape(-1, 2).T
    free = np.array([n - sum(lengths) for n, lengths in units], np.int64)
    return Cases(free, np.cumsum([0, *map(len, rows)]), length, count)


def start_probabilities(n: int, lengths: Sequence[int]) -> list[FloatArray]:
    """Probability that each segment starts at each place, disjoint placement.

    Parameters
    ----------
    n : int
        Tokens of the unit.
    lengths : sequence of int
        Lengths of the k segments; their sum is at most n.

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
    rows = np.arange(len(cases.length))
    values, offsets = preceding(cases, np.zeros_like(rows), rows)
    by_length = dict(zip(cases.length.tolist(), np.split(values, offsets[1:-1])))
    return [by_length[length] for length in lengths]


def preceding(cases: Cases, case: IntArray, row: IntArray) -> tuple[FloatArray, IntArray]:
    """Distribution of the total length in front of each object, all orders equally likely.

    Parameters
    ----------
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
    for batch in _batches(sizes):
        at, place = expanded(np.zeros_like(batch), sizes[batch])
        at = batch[at]
        place = np.minimum(place, sizes[at] - 1 - place)
        mirrored = edges[first[at] + np.minimum(place, held[at] - 1)]
        values[offsets[batch[0]] : offsets[batch[-1] + 1]] = mirrored
    return values, offsets


def preceding_edges(cases: Cases, case: IntArray, row: IntArray) -> tuple[FloatArray, IntArray]:
    """The edges (see above) of the distributions of `preceding`: values, offsets.

    Object i has values[offsets[i]:offsets[i + 1]]. Cases and rows are those of `preceding`.
    """
    held = edge_sizes(cases, case, row)
    offsets = np.concatenate([[0], np.cumsum(held)])
    values = np.zeros(offsets[-1])
    route = fastest_routes(cases, np.bincount(case, minlength=len(cases.free)))
    for c in distinct(case[route[case] > 0]):
        mine = np.flatnonzero(case == c)
        results = (by_convolution, by_quadrature)[route[c] - 1](cases, c, row[mine], held[mine])
        for i, distribution in zip(mine, results):
            values[offsets[i] : offsets[i + 1]] = distribution
    short = np.flatnonzero(route[case] == 0)
    for batch in _batches(_n_subsets(cases)[case[short]]):
        some = short[batch]
        _, at = expanded(offsets[some], offsets[some + 1])
        values[at] = by_subset_sums(cases, case[some], row[some], held[some])
    return values, offsets


def _batches(elements: IntArray | FloatArray) -> list[IntArray]:
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


def coverage_edges(
    cases: Cases,
    case: IntArray,
    places: IntArray,
    row: IntArray,
    edges: FloatArray,
    first: IntArray,
    held: IntArray,
) -> FloatArray:
    """Edges of the coverage of the tokens, from the edges of the starts of all segments.

        cover(t) = sum over segments of sum over s = t - length + 1 ... t of P(start = s)

    Terms are positive: nothing cancels, however rare segments are. The edges at both ends of a unit
    must not meet.

    Parameters
    ----------
    case, places : integer arrays
        Cases, ascending, and the size of the edge of each.
    row : integer array
        All rows of these cases; the i-th has edges[first[i]:first[i] + held[i]].
    edges, first, held : arrays
        The edges of the start distributions, one after the other, where each begins, and its size.

    Returns
    -------
    ndarray
        The edges of the cases, one after the other.
    """
    owner = np.searchsorted(case, cases.case[row])
    offsets = np.concatenate([[0], np.cumsum(places)])
    covered = np.zeros(offsets[-1])
    for batch in _batches(places[owner]):
        at, place = expanded(np.zeros_like(batch), places[owner[batch]])
        at = batch[at]
        starts = edges[first[at] + np.minimum(place, held[at] - 1)]
        inside = window_sums(starts, place, cases.length[row[at]])
        np.add.at(covered, offsets[owner[at]] + place, cases.count[row[at]] * inside)
    return covered


def window_sums(values: FloatArray, place: IntArray, width: IntArray) -> FloatArray:
    """Sums over windows: of each value and those in front of it, `width` in all, down to place 0.

    Made of sums of two, four, eight ... values: there are no differences of running sums.
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


def edge_products(
    edges: FloatArray, first: IntArray, sizes: IntArray, one: IntArray, two: IntArray
) -> FloatArray:
    """sum over places p of P1(p) P2(p), for pairs of distributions given by their edges.

    Parameters
    ----------
    edges, first : arrays
        All edges, one after the other, and where each begins, at the end the size of all.
    sizes : integer array
        Number of places of each distribution; equal within a pair.
    one, two : integer arrays of shape (n_pairs,)
        Which distributions.
    """
    held = np.diff(first)
    longest = np.maximum(held[one], held[two])
    sums = np.zeros(len(one))
    for batch in _batches(longest):
        pair, place = expanded(np.zeros_like(batch), longest[batch])
        pair = batch[pair]
        sides = [
            edges[first[side[pair]] + np.minimum(place, held[side[pair]] - 1)]
            for side in (one, two)
        ]
        inner = sizes[one[pair]] - 2 * (longest[pair] - 1)  # places that share the last value
        times = np.where(place < longest[pair] - 1, 2, inner)
        products = times * sides[0] * sides[1]
        sums[batch] = np.bincount(pair - batch[0], products, len(batch))
    return sums


SECONDS = {  # of each step in `route_work`, in its order
    "subset sums": (1.3e-05, 6.6e-09),
    "convolution": (1.4e-04, 5.8e-10, 4.3e-09),
    "quadrature": (2.8e-04, 1.0e-08, 1.0e-08),
}
MOST_COUNTED = 900  # segments, beyond which the numbers of subsets would overflow
MOST_HELD = 1 << 22  # numbers that counting may hold for one object, less than half a GB


def fastest_routes(cases: Cases, n_objects: IntArray) -> IntArray:
    """Place in `SECONDS` of the route with the least estimated seconds, per case."""
    segments = cases.sums(cases.count)
    seconds = [np.dot(SECONDS[name], work) for name, work in route_work(cases, n_objects).items()]
    for counting, elements in zip(seconds, (_n_subsets(cases), (segments + 1) * _n_held(cases))):
        counting[(segments > MOST_COUNTED) | (elements > MOST_HELD)] = np.inf
    fastest: IntArray = np.argmin(seconds, axis=0)
    return fastest


def route_work(cases: Cases, n_objects: IntArray) -> dict[str, FloatArray]:
    """Steps that each route takes for some objects of each case: {route: (n_steps, n_cases)}."""
    segments, held = cases.sums(cases.count), _n_held(cases)
    rows = n_objects * (segments + 1.0) * held  # the tables that the convolution fills
    pairs = node_frequencies(cases)
    steps = {
        "subset sums": (n_objects, n_objects * _n_subsets(cases)),
        "convolution": (n_objects, rows * segments, rows * np.log2(held + 2)),
        "quadrature": (np.ones(len(pairs)), pairs * (np.diff(cases.first) + 1), pairs * n_objects),
    }
    return {route: np.array(amounts) for route, amounts in steps.items()}


def _n_held(cases: Cases) -> IntArray:
    """About how many places the edge of one object has, per case."""
    spare = cases.sums(cases.count * (cases.length - 1))
    return np.minimum(spare + 1, (cases.sizes + 1) // 2)


def _n_subsets(cases: Cases) -> FloatArray:
    """About how many numbers the subset sums of one object touch, per case."""
    segments, held = cases.sums(cases.count), _n_held(cases)
    multisets = np.bincount(cases.case, np.log2(cases.count + 1.0), len(cases.free))
    subsets = np.minimum(np.exp2(np.minimum(multisets, 60)), (segments + 1.0) * (held + 1) / 2)
    return subsets * (held + 1) / 2


def node_frequencies(cases: Cases) -> FloatArray:
    """About how many pairs of a node and a frequency matter in the quadrature, per case.

    With N nodes u = sin^2(phi / 2) on half of the range of phi: where u (1 - u) times the number of
    objects stays below `NEGLIGIBLE`, all n / 2 frequencies do. Elsewhere those do for which the
    product is not damped away, as if of a normal distribution of variance u (1 - u) * squares.
    """
    squares = cases.free + cases.sums(cases.length**2 * cases.count)
    objects = np.maximum(cases.free + cases.sums(cases.count), 1)
    all_of_them = cases.sizes / 2 + 1
    few = np.sqrt(8 * NEGLIGIBLE / np.maximum(squares, 1)) * cases.sizes / (2 * np.pi)
    border = np.arcsin(np.minimum(2 * np.sqrt(NEGLIGIBLE / objects), 1))
    inner = np.minimum(few * -np.log(np.tan(border / 2)), all_of_them * (np.pi / 2 - border))
    pairs: FloatArray = n_nodes(objects - 1) / np.pi * (all_of_them * border + inner)
    return pairs


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


def by_convolution(cases: Cases, c: int, row: IntArray, held: IntArray) -> Iterator[FloatArray]:
    """The route for medium units: the same sum as a convolution for each number of segments."""
    rows = slice(cases.first[c], cases.first[c + 1])
    objects = int(cases.free[c] + cases.count[rows].sum())
    for r, places in zip(row, held):
        count = cases.count[rows].copy()
        count[[] if r == FREE_TOKEN else [r - cases.first[c]]] -= 1
        free = int(cases.free[c] - (r == FREE_TOKEN))
        others = np.repeat(cases.length[rows], count)
        ways = np.zeros((len(others) + 1, min(others.sum() + 1, places)))
        ways[0, 0] = 1
        for j, length in enumerate(others[others < places].tolist()):
            ways[1 : j + 2, length:] += ways[: j + 1, : ways.shape[1] - length].copy()
        subsets = ways.sum(axis=1, keepdims=True)
        m = np.flatnonzero(subsets)[:, None]
        ways, subsets, x = ways[m[:, 0]], subsets[m[:, 0]], np.arange(min(free + 1, places))
        weights = subsets * order_weights(np.array(objects), np.array(free), m, x)
        size = fast_size(len(x) + ways.shape[1])
        spectrum = np.fft.rfft(ways / subsets, size, axis=1) * np.fft.rfft(weights, size, axis=1)
        yield np.maximum(np.fft.irfft(spectrum.sum(axis=0), size)[:places], 0)


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
