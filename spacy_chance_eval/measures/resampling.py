"""Resampling of documents: confidence intervals, paired tests, ranks.

All of it comes from weighted sums of statistics. A bootstrap resample weights every document by how
often it was drawn; a random exchange of two systems weights it by 1 or 0. The weights are made in
blocks and shared by all systems, so memory does not grow with documents times resamples.

Where documents come in clusters (the sentences of an article), the clusters are resampled:
`grouped` makes these the rows. So it does with random blocks of documents, where there are many.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, BoolArray, FloatArray, IntArray, KeyArray
from .replacement import student_below
from .stats import A, Additive, ratio

WeightBlock: TypeAlias = tuple[slice, slice, Array]  # of resamples, of rows, weights
Order: TypeAlias = tuple[IntArray, IntArray]  # documents by unit, and where each unit begins
S = TypeVar("S")

INTERVALS = ("percentile", "bca")
TESTS = ("randomisation", "bootstrap")
RESAMPLES, ROWS = 1024, 2048  # weights that are in memory at a time: 2 MB
FEW, MULTIPLIED = (
    32,
    256,
)  # resamples that are drawn, and multiplied, at a time: fast memory is small
PIECE, WIDE, DEEP = 2**18, 64, 128  # products that OpenBLAS makes in one thread; sides of a piece
SUMS, EVEN = 2**25, 32  # sums in memory at a time, 256 MB; resamples of a part are divisible by it
MOST_DRAWN = 16  # up to how often a row is drawn; beyond, all sums take eight bytes
TIE = 1e-12  # scores are rounded sums: closer ones (relative to those above 1) are equal


# --- weighted sums


def grouped(
    statistics: A, order: tuple[IntArray, IntArray], known: dict[int, tuple[Array, Array]]
) -> A:
    """The same statistics with one row per cluster instead of one per document.

    `order` has the documents by cluster, and where each cluster begins: see `cluster_order`.
    `known` is the memory of one run, empty at first: an array that several statistics share is
    summed once, and they share the result.
    """

    def sums(array: Array) -> Array:
        if id(array) not in known:
            rows = array[order[0]]
            if len(order[1]) < len(rows):  # otherwise each is by itself, and as small as it was
                kind = np.int64 if rows.dtype.kind == "i" else None
                rows = np.add.reduceat(rows, order[1], axis=0, dtype=kind)
            known[id(array)] = array, rows
        return known[id(array)][1]

    return statistics.each(sums)


def cluster_order(clusters: IntArray, keys: Sequence[KeyArray]) -> tuple[IntArray, IntArray]:
    """The documents by cluster, the clusters by content, and where each cluster begins.

    `clusters` has the cluster of each document; -1 leaves it out. `keys` are the content of the
    documents, what matters most first. It decides on their order, so that the order in which they
    came does not change the random numbers that they get.
    """
    docs = np.flatnonzero(clusters >= 0)
    place = np.unique(clusters[docs], return_inverse=True)[1]
    columns: list[Array] = []
    for key in keys:
        sums = np.zeros(place.max(initial=-1) + 1, np.uint64)
        np.add.at(sums, place, key[docs])
        columns.append(sums[place])
    columns += [place, *(key[docs] for key in keys)]
    order = np.lexsort(columns[::-1])
    place = place[order]
    return docs[order], np.flatnonzero(np.append(True, place[1:] != place[:-1])[: len(place)])


def block_order(order: Order, n_blocks: int, rng: "np.random.Generator") -> Order:
    """The documents by block, and where each block begins, of clusters dealt out to random blocks.

    Blocks have equally many clusters, or one more. As clusters come in the order of their content,
    so is their block decided by it; of equal ones it does not matter which is where.

    There are at most as many blocks as clusters.
    """
    docs, starts = order
    block = rng.permutation(len(starts)) % n_blocks
    block = np.repeat(block, np.diff(np.append(starts, len(docs))))
    ends = np.bincount(block, minlength=n_blocks).cumsum()
    return docs[np.argsort(block, kind="stable")], np.append(0, ends[:-1])


@dataclass(frozen=True)
class Blocks:
    """Blocks (slice of resamples, slice of rows, weights): an iterator with a length."""

    rows: int
    resamples: int
    made: Iterator[WeightBlock]

    def __len__(self) -> int:
        return len(slices(self.rows, ROWS)) * len(slices(self.resamples, RESAMPLES))

    def __iter__(self) -> Iterator[WeightBlock]:
        return self.made


def bootstrap_weights(
    rows: int, resamples: int, rng: "np.random.Generator", draws: int | None = None
) -> Blocks:
    """How often each row is drawn in each bootstrap resample.

    Every resample draws as many rows as there are, or `draws` of them, with replacement: a block of
    rows first gets its number of draws, then spreads them.
    """

    def made() -> Iterator[WeightBlock]:
        blocks = slices(rows, ROWS)
        sizes = np.array([block.stop - block.start for block in blocks])
        for some in slices(resamples, RESAMPLES):
            n_drawn = rows if draws is None else draws
            shares = rng.multinomial(n_drawn, sizes / rows, size=some.stop - some.start)
            for block, size, n_draws in zip(blocks, sizes, shares.T):
                yield some, block, draws_of_rows(n_draws, size, rng)

    return Blocks(rows, resamples, made())


def weight_table(blocks: Iterable[WeightBlock], n_resamples: int, n_rows: int) -> Array:
    """All weights, in the shape (n_resamples, n_rows)."""
    weights = np.zeros((n_resamples, n_rows), np.uint16)
    for some, rows, block in blocks:
        weights[some, rows] = block
    return weights


def exchange_weights(rows: int, resamples: int, rng: "np.random.Generator") -> Blocks:
    """Which rows two systems exchange in each resample: 1 or 0, with probability 1/2."""

    def made() -> Iterator[WeightBlock]:
        for some in slices(resamples, RESAMPLES):
            for block in slices(rows, ROWS):
                size = some.stop - some.start, block.stop - block.start
                # the first bit of each byte: as `integers(0, 2, size, np.int8)`, in less time
                words = rng.integers(0, 2**32, -(-math.prod(size) // 4), np.uint32)
                octets = words.astype("<u4", copy=False).view(np.uint8)[: math.prod(size)]
                yield some, block, (octets >> 7).reshape(size)

    return Blocks(rows, resamples, made())


def draws_of_rows(n_draws: IntArray, size: int, rng: "np.random.Generator") -> IntArray:
    """How often each of `size` rows is drawn, with a number of draws for each resample."""
    weights = np.empty((len(n_draws), size), np.uint8)
    for some in slices(len(n_draws), FEW):
        mine = n_draws[some]
        cell = np.repeat(np.arange(0, len(mine) * size, size), mine)
        cell += rng.integers(0, size, len(cell))
        counts = np.bincount(cell, minlength=len(mine) * size)
        if counts.max() > np.iinfo(weights.dtype).max:
            weights = weights.astype(np.uint32)
        weights[some] = counts.reshape(-1, size)
    return weights


def slices(size: int, step: int) -> list[slice]:
    """Consecutive slices of a range."""
    return [slice(start, min(start + step, size)) for start in range(0, size, step)]


def resampled(
    statistics: Sequence[A],
    weights: Iterable[WeightBlock],
    progress: Callable[[Iterable[WeightBlock]], Iterable[WeightBlock]] = iter,
) -> Iterator[tuple[slice, list[A]]]:
    """Weighted sums of several statistics with the same rows, of some resamples at a time.

    Yields the resamples, and the sums in arrays of shape (n, n_labels): see `weighted_sums`.
    """
    arrays = {id(array): array for one in statistics for array in arrays_of(one)}
    for some, found in weighted_sums([*arrays.values()], progress(weights)):
        sums = dict(zip(arrays, found))
        yield (
            some,
            [one.each(lambda a: np.moveaxis(sums[id(a)], -1, 0)) for one in statistics],  # noqa: B023
        )


def weighted_sums(
    arrays: Sequence[Array], weights: Iterable[WeightBlock]
) -> Iterator[tuple[slice, list[FloatArray]]]:
    """Weighted sums of the rows of several arrays, of some resamples at a time.

    Yields the resamples, and the sums with the resamples as last axis. Memory does not grow with
    the number of resamples; of very many labels, there are fewer of them at a time.

    Sums of whole numbers are exact. Small ones are added up in four bytes, which hold whole numbers
    up to 2^24: twice as fast.

    Arrays are of shape (n_rows, ...); of the weights all rows of some resamples come before those
    of others.
    """
    columns = [array.reshape(len(array), math.prod(array.shape[1:])).T for array in arrays]
    narrow = [_are_small(column) for column in columns]
    tables: list[tuple[list[int], FloatArray]] = []
    for kind in (np.float32, np.float64):
        mine = [i for i, small in enumerate(narrow) if small == (kind is np.float32)]
        if sum(len(columns[i]) for i in mine):
            table = np.concatenate([columns[i] for i in mine], dtype=kind, casting="unsafe")
            tables.append((mine, table))
    width = sum(len(table) for _, table in tables)
    step = max(SUMS // max(width, 1) // EVEN, 1) * EVEN
    for (start, stop), blocks in groupby(weights, lambda one: (one[0].start, one[0].stop)):
        parts = slices(stop - start, step)
        kept = blocks if len(parts) == 1 else list(blocks)  # noqa: B031
        for part in parts:
            sums = _sums_of_part(tables, kept, part)
            found = [np.zeros((*array.shape[1:], part.stop - part.start)) for array in arrays]
            for (mine, _), table in zip(tables, sums):
                ends = np.cumsum([len(columns[i]) for i in mine])
                for i, own in zip(mine, np.split(table, ends[:-1])):
                    found[i] = own.reshape(found[i].shape)
            yield slice(start + part.start, start + part.stop), found


def _sums_of_part(
    tables: Sequence[tuple[list[int], FloatArray]], blocks: Iterable[WeightBlock], part: slice
) -> list[FloatArray]:
    """The weighted sums of some tables, for a part of the resamples of some blocks."""
    totals = [np.zeros((len(table), part.stop - part.start)) for _, table in tables]
    for _, rows, block in blocks:
        exact = block.dtype.kind == "u" and block.max(initial=0) <= MOST_DRAWN
        mine = block[part]
        for few in slices(len(mine), MULTIPLIED):
            for (_, table), sums in zip(tables, totals):
                some = table[:, rows].astype(table.dtype if exact else float, copy=False)
                sums[:, few] += _product(some, mine[few].astype(some.dtype))
    return totals


def _product(table: FloatArray, weights: FloatArray) -> FloatArray:
    """table @ weights.T, of pieces that are too small for several threads of BLAS.

    Threads of BLAS wait for one another in a busy loop, which takes up to ten times as long where
    the machine has other work; and sums are rounded in another way for each number of threads.
    """
    n, n_rows = table.shape
    n_tables = -(-n // WIDE)
    wide = -(-n // n_tables)
    tall = 2 ** int(math.log2(PIECE // (DEEP * wide)))
    left = _padded(table, n_tables * wide).reshape(1, n_tables, wide, n_rows)
    right = _padded(weights, -(-len(weights) // tall) * tall).reshape(-1, 1, tall, n_rows)
    total = np.zeros((len(right), n_tables, wide, tall), table.dtype)
    for rows in slices(n_rows, DEEP):
        total += left[..., rows] @ right[..., rows].swapaxes(-1, -2)
    product: FloatArray = total.transpose(1, 2, 0, 3).reshape(n_tables * wide, -1)
    return product[:n, : len(weights)]


def _padded(table: FloatArray, n: int) -> FloatArray:
    """The table with rows of zeros behind it, `n` rows in all."""
    return table if len(table) == n else np.pad(table, ((0, n - len(table)), (0, 0)))


def _are_small(array: Array) -> bool:
    """Whether sums over the last axis are whole numbers below 2^24, with any weights drawn."""
    if array.dtype.kind not in "iub":
        return False
    return bool(np.abs(array).sum(axis=-1).max(initial=0) < 2**24 // MOST_DRAWN)


def arrays_of(statistics: Additive) -> list[Array]:
    """The arrays of some statistics."""
    arrays: list[Array] = []

    def keep(array: Array) -> Array:
        arrays.append(array)
        return array

    statistics.each(keep)
    return arrays


# --- intervals


def interval(
    values: ArrayLike,
    replicas: ArrayLike,
    *,
    level: float = 0.95,
    kind: str = "percentile",
    jackknife: FloatArray | None = None,
    n_eff: float = math.inf,
) -> FloatArray:
    """Low and high confidence limits of scores, from their resampled values.

    Parameters
    ----------
    values : ndarray of shape (...)
        The scores of the sample itself.
    replicas : ndarray of shape (n_resamples, ...)
    level : float
        Between 0 and 1.
    kind : "percentile" or "bca"
        Quantiles of the replicas, expanded for few rows; or quantiles corrected for bias and
        skewness (BCa).
    jackknife : ndarray of shape (n_rows, ...), optional
        The scores when each row in turn is left out; needed for "bca".
    n_eff : float
        Number of rows of equal mass that the rows stand for, see `effective_number`. By default so
        many that percentiles need no expansion.

    Returns
    -------
    ndarray of shape (2, ...)
        nan where the score is undefined, or more than half of its replicas are. Replicas that are
        undefined do not count.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 14; Hesterberg
    (2015), What Teachers Should Know About the Bootstrap, section 5.3.3 (expanded percentiles).
    """
    values, replicas = np.asarray(values, float), np.asarray(replicas, float)
    tail = expanded_tail(level, n_eff) if kind == "percentile" else _tails(level)[0]
    levels = np.stack(np.broadcast_arrays(tail, 1 - tail, values)[:2]).astype(float)
    if kind == "bca":
        if jackknife is None:
            raise ValueError("bca needs the scores without each row; give the jackknife")
        levels = _bca_levels(levels, values, replicas, acceleration(jackknife))
    ordered = np.sort(np.moveaxis(replicas, 0, -1), axis=-1)  # nan last
    defined = ordered.shape[-1] - np.isnan(ordered).sum(axis=-1)
    usable = (2 * defined >= ordered.shape[-1]) & (defined > 0) & ~np.isnan(values)
    limits: FloatArray = np.sort(_quantiles(ordered, defined, np.where(usable, levels, 0)), axis=0)
    return np.where(usable, limits, np.nan)


def _tails(level: float) -> tuple[float, float]:
    """The two quantiles that enclose a share `level`; rounded, as 1 - .95 is not .05."""
    tail = round((1 - level) / 2, 12)
    return tail, 1 - tail


def effective_number(masses: ArrayLike) -> float:
    """Number of rows of equal mass that would be as many as some rows: (sum w)^2 / sum w^2.

    All rows if none has any mass.

    References
    ----------
    Kish (1965), Survey Sampling, section 11.2.
    """
    masses = np.asarray(masses, float)
    return float(masses.sum() ** 2 / (masses**2).sum()) if masses.any() else float(len(masses))


@lru_cache(maxsize=1000)
def expanded_tail(level: float, n: float) -> float:
    """The quantile of replicas, of each side, that encloses a share `level` with n rows.

        Phi(-sqrt(n / (n - 1)) t),  where t is the quantile of Student's t with n - 1 degrees

    Replicas vary by a factor of sqrt((n - 1) / n) too little, and their tails are those of a normal
    distribution. 0, all replicas, if n is at most 1.

    References
    ----------
    Hesterberg (2015), as in `interval`.
    """
    tail, low, high = _tails(level)[0], 0.0, 40.0  # beyond, a normal distribution has nothing
    if n == math.inf:
        return tail
    if n <= 1:
        return 0.0
    for _ in range(8):  # parts of parts, 64 at a time: the quantile to 1e-13
        t = np.linspace(low, high, 65)
        place = min(int((student_below(-t[1:], n - 1) > tail).sum()), 63)
        low, high = t[place], t[place + 1]
    return float(normal_shares(np.array(-math.sqrt(n / (n - 1)) * high)))


def _quantiles(ordered: FloatArray, defined: IntArray, levels: FloatArray) -> FloatArray:
    """Quantiles of sorted columns (the last axis), of the first `defined` values of each."""
    last = defined - 1
    place = levels * last
    low = place.astype(int)
    at_low, at_high = (
        np.take_along_axis(ordered[None], index[..., None], axis=-1)[..., 0]
        for index in (low, np.minimum(low + 1, last))
    )
    between: FloatArray = at_low + (place - low) * (at_high - at_low)
    return between


def _bca_levels(
    levels: FloatArray, values: FloatArray, replicas: FloatArray, accelerations: FloatArray
) -> FloatArray:
    """The quantiles that BCa takes instead of `levels`."""
    defined = np.maximum((~np.isnan(replicas)).sum(axis=0), 1)
    margin = TIE * np.maximum(np.abs(values), 1)
    below = (replicas < values - margin).sum(axis=0)
    equal = (np.abs(replicas - values) <= margin).sum(axis=0)
    share = (below + equal / 2) / defined
    bias = normal_quantiles(np.clip(share, 0.5 / defined, 1 - 0.5 / defined))
    shifted = bias + normal_quantiles(levels)
    adjusted: FloatArray = normal_shares(bias + shifted / (1 - accelerations * shifted))
    return adjusted


def normal_quantiles(shares: FloatArray) -> FloatArray:
    """The values below which a normal distribution has these shares."""
    from statistics import NormalDist  # which loads the modules of decimals and fractions

    quantiles: FloatArray = np.vectorize(NormalDist().inv_cdf, otypes=[float])(shares)
    return quantiles


def normal_shares(values: FloatArray) -> FloatArray:
    """The shares that a normal distribution has below these values."""
    from statistics import NormalDist

    shares: FloatArray = np.vectorize(NormalDist().cdf, otypes=[float])(values)
    return shares


def leave_one_out(statistics: Sequence[Additive], score: Callable[..., S]) -> S:
    """The scores without each row, of shape (rows, ...): the jackknife.

    The statistics have the same rows; `score` takes the sums of each of them as arguments.
    """
    return score(*(one.each(np.negative) + one.total() for one in statistics))


def acceleration(jackknife: FloatArray) -> FloatArray:
    """Acceleration of BCa: a sixth of the skewness of the jackknife; 0 where all are equal."""
    mean = ratio(np.nansum(jackknife, axis=0), (~np.isnan(jackknife)).sum(axis=0))
    deviation = np.nan_to_num(mean - jackknife)
    square, cube = (deviation**2).sum(axis=0), (deviation**3).sum(axis=0)
    return np.nan_to_num(ratio(cube, 6 * square**1.5))


# --- differences between systems


def reached(difference: ArrayLike, replicas: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How many replicas are at least as far from 0 as the difference, and how many are defined.

    Those of several batches add up. nan where the difference is.
    """
    # replicas as the last axis, in one piece: several times as fast
    sizes = np.abs(np.ascontiguousarray(np.moveaxis(replicas, 0, -1)))
    difference = np.asarray(difference, float)
    n_defined = np.full(difference.shape, float(sizes.shape[-1]))
    largest = sizes.max(axis=-1, initial=0)
    if np.isnan(largest).any():
        n_defined -= np.isnan(sizes).sum(axis=-1)
        largest = np.fmax.reduce(sizes, axis=-1, initial=0)
    bound = np.abs(difference) - TIE * np.clip(largest, 1, np.finfo(float).max)
    n_reached = np.zeros(difference.shape)
    for at in zip(*np.nonzero(largest >= bound)):
        n_reached[at] = np.count_nonzero(sizes[at] >= bound[at])
    undefined = np.where(np.isnan(difference), np.nan, 0.0)
    return n_reached + undefined, n_defined + undefined


def p_value(n_reached: FloatArray, n_defined: FloatArray) -> FloatArray:
    """The two-sided p-value of a test by resampling, (1 + reached) / (1 + defined).

    The share of the random exchanges of two outputs that give at least as large a difference; or of
    the bootstrap resamples that move the difference by at least its own size.

    References
    ----------
    Noreen (1989), Computer-Intensive Methods for Testing Hypotheses, chapter 2; Yeh (2000), More
    accurate tests for the statistical significance of result differences; Efron and Tibshirani
    (1993), An Introduction to the Bootstrap, section 16.4 (the distribution is moved to the null
    hypothesis); Davison and Hinkley (1997), Bootstrap Methods and Their Application, section 4.2
    (the added 1).
    """
    return (1 + n_reached) / (1 + n_defined)


def holm(p_values: ArrayLike) -> FloatArray:
    """p-values of a family of tests adjusted by Holm's method, along the first axis.

    The i-th smallest of m is multiplied by m - i + 1, and is at least as large as the one before,
    at most 1. Rejecting where the adjusted value is below alpha keeps the probability of any false
    rejection below alpha. nan stays nan and does not count.

    References
    ----------
    Holm (1979), A Simple Sequentially Rejective Multiple Test Procedure.
    """
    p_values = np.asarray(p_values, float)
    order = np.argsort(p_values, axis=0)  # nan last
    count = (~np.isnan(p_values)).sum(axis=0)
    places = np.arange(len(p_values)).reshape(-1, *[1] * (p_values.ndim - 1))
    raised = np.take_along_axis(p_values, order, 0) * np.maximum(count - places, 1)
    raised = np.minimum(np.maximum.accumulate(raised, axis=0), 1)
    adjusted = np.empty_like(p_values)
    np.put_along_axis(adjusted, order, raised, 0)
    return adjusted


ERROR = 0.05  # how often the limits of a p-value may miss it


def p_value_limits(n_reached: ArrayLike, n_defined: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Limits of the p-value that infinitely many replicas would give, from `reached`.

    All p with n KL(k / n, p) <= ln(2 / error), where k of n replicas reached the difference, KL is
    the relative entropy of two probabilities of an event, and the error is 5 %. They hold the value
    at least as often as they say, for any n; without any k, the upper one is about 3.7 / n.

    References
    ----------
    Chernoff (1952), A Measure of Asymptotic Efficiency for Tests of a Hypothesis Based on the Sum
    of Observations; Hoeffding (1963), Probability Inequalities for Sums of Bounded Random
    Variables, theorem 1.
    """
    n = np.asarray(n_defined, float)
    share = ratio(np.asarray(n_reached, float), n)
    most = ratio(np.full(n.shape, math.log(2 / ERROR)), n)
    inside = np.stack([share, share])
    outside = np.where(np.isnan(share), np.nan, np.stack([np.zeros(n.shape), np.ones(n.shape)]))
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(60):  # halvings: more than a float has bits
            middle = (inside + outside) / 2
            # KL divergence, in nats, of an event with probability `share` from one with `middle`
            yes = np.where(share > 0, share * np.log(share / middle), 0.0)
            no = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - middle)), 0.0)
            near = yes + no <= most
            inside, outside = np.where(near, middle, inside), np.where(near, outside, middle)
    return inside[0], inside[1]


def undecided(n_reached: FloatArray, n_defined: FloatArray, alpha: float) -> BoolArray:
    """Whether more replicas could change what Holm's method rejects of a family of tests.

    A test is decided if Holm's method says the same of it for the lower limits of all p-values as
    for the upper ones: it rejects no less where any p-value is lower. The family is the first axis.

    References
    ----------
    Gandy and Hahn (2014), MMCTest - A Safe Algorithm for Implementing Multiple Monte Carlo Tests.
    """
    low, high = p_value_limits(n_reached, n_defined)
    open_tests: BoolArray = (holm(low) < alpha) & ~(holm(high) < alpha)
    return open_tests


def enough_replicas(n_tests: int, alpha: float) -> int:
    """Replicas after which a difference that none of them reached is one, after Holm's method."""
    return math.floor(math.log(ERROR / 2) / math.log1p(-alpha / max(n_tests, 1))) + 1


def ranks(scores: ArrayLike) -> FloatArray:
    """Rank of each system along the last axis: 1 for the highest score; equal scores share a rank.

    nan for an undefined score, with which no other is compared.
    """
    scores = np.asarray(scores, float)
    bound = scores + TIE * np.maximum(np.abs(scores), 1)
    above = np.empty_like(scores)
    for i in range(scores.shape[-1]):
        above[..., i] = (scores > bound[..., i : i + 1]).sum(axis=-1)
    return np.where(np.isnan(scores), np.nan, 1 + above)


def rank_interval(replicas: ArrayLike, *, level: float = 0.95) -> FloatArray:
    """Lowest and highest rank of a system in a share `level` of the resamples: shape (2, ...).

    `replicas` are ranks of shape (n_resamples, ...). nan where no rank is defined.
    """
    replicas = np.asarray(replicas, float)
    limits = np.full((2, *replicas.shape[1:]), np.nan)
    some = ~np.isnan(replicas).all(axis=0)
    limits[:, some] = np.nanquantile(
        replicas[:, some], _tails(level), axis=0, method="inverted_cdf"
    )
    return limits


def first_shares(replicas: ArrayLike) -> FloatArray:
    """Share of the resamples in which each system ranks first; systems that tie share a resample.

    `replicas` are ranks of shape (n_resamples, n_systems). Shares add up to 1; nan if no resample
    ranks anything.
    """
    first = np.asarray(replicas) == 1
    winners = first.sum(axis=-1, keepdims=True)
    defined = (winners > 0).sum()
    return ratio((first / np.maximum(winners, 1)).sum(axis=0), np.full(first.shape[-1], defined))


def rank_groups(distinct: BoolArray) -> list[str]:
    """Letters for systems: two share one exactly if no test distinguishes them.

    `distinct` says, of systems in the order of their ranks, whether a test finds two different. "a"
    is the group of the first system, and so on; several letters where groups overlap.

    References
    ----------
    Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons
    (insert and absorb).
    """
    groups = [frozenset(range(len(distinct)))]
    for i, j in zip(*np.nonzero(np.triu(distinct))):
        parts: list[frozenset[int]] = []
        for group in groups:
            parts += [group - {i}, group - {j}] if {i, j} <= group else [group]
        parts = list(dict.fromkeys(parts))
        groups = [part for part in parts if not any(part < other for other in parts)]
    members = sorted(sorted(group) for group in groups if group)
    letters = [letter(number) for number in range(len(members))]
    return [
        "".join(name for name, group in zip(letters, members) if system in group)
        for system in range(len(distinct))
    ]


def letter(number: int) -> str:
    """The letter of a group: a ... z, then a1 ... z1, and so on."""
    return chr(ord("a") + number % 26) + (str(number // 26) if number >= 26 else "")
