"""Several systems by one metric: scores, intervals, ranks, and tests of every pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from ..measures import resampling
from ..measures.arrays import Array, BoolArray, FloatArray
from ..measures.stats import combined
from ..metrics.request import Scorer
from .intervals import Resampling
from .statistics import (
    Scores,
    Statistics,
    add_statistics,
    columns,
    n_rows,
    plain,
    total_and_labels,
)

SCORE_COLUMNS = {"observed": "observed", "corrected": "value"}
# Tests take at most so many times as many replicas as intervals, or what a clear difference needs
# with the pairs that there are, but for that no more than 100,000.
MORE, MOST = 10, 100_000
CHUNK = 4096  # replicas of a pair that are in memory at a time


@dataclass(frozen=True)
class Comparison:
    """How differences between systems are tested.

    Parameters
    ----------
    test : "randomisation" or "bootstrap"
        Approximate randomisation or the paired bootstrap, for every pair of systems.
    alpha : float
        The chance of any false difference among all pairs of a board together (Holm).
    """

    test: str = "randomisation"
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if self.test not in resampling.TESTS:
            known = ", ".join(resampling.TESTS)
            raise ValueError(f"test is {self.test!r}; expected one of {known}")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha is {self.alpha!r}; expected a number between 0 and 1")

    def __str__(self) -> str:
        return f"{self.test},{self.alpha}"


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems by observed or by corrected score; all labels together in column 0, then each label.

    Arrays of shape (n_systems, 1 + n_labels) or, for pairs, (n_pairs, 1 + n_labels); limits have
    another axis of length 2 in front.

    Parameters
    ----------
    scores, limits : arrays
        Of each system.
    ranks, rank_limits, first : arrays
        Ranks from 1 on, and the share of the resamples in which a system is first.
    differences, difference_limits, p_values, p_holm : arrays
        Of each pair of systems; `p_holm` is adjusted for the number of pairs.
    replicas : array
        Of each pair of systems: how many replicas its p-value is made of.
    undecided : boolean array
        Of each pair of systems: whether more replicas could change what Holm's method says of it.
    alpha : float
        Below it a difference is one.
    """

    scores: FloatArray
    limits: FloatArray
    ranks: FloatArray
    rank_limits: FloatArray
    first: FloatArray
    differences: FloatArray
    difference_limits: FloatArray
    p_values: FloatArray
    p_holm: FloatArray
    replicas: FloatArray
    undecided: BoolArray
    alpha: float

    def systems(self, column: int) -> list[dict[str, Any]]:
        """Score, interval, ranks and group of every system, as plain values."""
        groups = self._groups(column)
        return [self.system(i, column) | {"group": groups[i]} for i in range(len(groups))]

    def system(self, system: int, column: int) -> dict[str, Any]:
        """Score, interval and ranks of one system, as plain values."""
        at = system, column
        return {
            "score": plain(self.scores[at]),
            "interval": _plain_limits(self.limits, at),
            "rank": _whole(self.ranks[at]),
            "rank_interval": _plain_limits(self.rank_limits, at, _whole),
            "first": plain(self.first[at]),
        }

    def pair(self, pair: int, column: int) -> dict[str, Any]:
        """The test of one pair, as plain values."""
        at = pair, column
        return {
            "difference": plain(self.differences[at]),
            "interval": _plain_limits(self.difference_limits, at),
            "p_value": plain(self.p_values[at]),
            "p_holm": plain(self.p_holm[at]),
        }

    def decision(self, pair: int, column: int) -> dict[str, Any]:
        """How many replicas the test of a pair took, and whether more could change its result."""
        replicas = _whole(self.replicas[pair, column])
        decided = None if not replicas else not self.undecided[pair, column]
        return {"replicas": replicas or None, "decided": decided and bool(decided)}

    def _groups(self, column: int) -> list[str]:
        """Letters: systems that share one do not differ; "" where no test could be made.

        A mark of interrogation behind them: whether the system differs from some other one is not
        decided.
        """
        ranks = self.ranks[:, column]
        tested = np.flatnonzero(~np.isnan(ranks))
        order = tested[np.argsort(ranks[tested], kind="stable")]
        groups = [""] * len(ranks)
        if np.isnan(self.p_holm[:, column]).all():
            return groups
        distinct = np.zeros((len(ranks), len(ranks)), bool)
        open_pairs = np.zeros(len(ranks), bool)
        pairs = zip(
            combinations(range(len(ranks)), 2), self.p_holm[:, column], self.undecided[:, column]
        )
        for (i, j), p_value, undecided in pairs:
            distinct[i, j] = distinct[j, i] = p_value < self.alpha
            open_pairs[[i, j]] |= undecided
        for system, letters in zip(order, resampling.rank_groups(distinct[np.ix_(order, order)])):
            groups[system] = letters + "?" * int(open_pairs[system])
        return groups


def _plain_limits(
    limits: FloatArray, at: tuple[int, int], convert: Callable[[Any], Any] = plain
) -> list[Any] | None:
    """[low, high] in plain numbers, or None."""
    low, high = (limit[at] for limit in limits)
    return None if np.isnan(low) else [convert(low), convert(high)]


def _whole(number: float) -> int | None:
    """A rank as a whole number; None if undefined."""
    return None if np.isnan(number) else int(number)


def rank_systems(
    score: Scorer,
    systems: Sequence[Statistics],
    intervals: Resampling | None = None,
    comparison: Comparison | None = None,
    progress: Callable[[Any], Iterable[Any]] = iter,
    most: int = 0,
    shown: Sequence[int] | None = None,
) -> dict[str, Ranking]:
    """The `Ranking` by observed score and, with a chance model, by the corrected one.

    Parameters
    ----------
    score : Scorer
        Of a metric.
    systems : sequence of Statistics
        Of each system, with the same rows: what is resampled.
    intervals : Resampling, optional
    comparison : Comparison, optional
    progress : callable
        Wraps the blocks of weights; for progress bars.
    most : int
        Up to how many replicas are drawn for tests that fewer do not decide. By default as many as
        for intervals.
    shown : sequence of int, optional
        The columns whose tests are to be decided; by default all.

    Returns
    -------
    dict of str to Ranking
        "observed" and, with a chance model, "corrected".
    """
    intervals, comparison = intervals or Resampling(), comparison or Comparison()
    values = [total_and_labels(score, one.total()) for one in systems]
    replicas = intervals.replicas(score, systems, progress)
    left_out = [intervals.left_out(score, one) for one in systems]
    exchanges: Iterable[Scores | None] = (None for _ in combinations(systems, 2))
    if comparison.test == "randomisation" and len(replicas[0]["value"]):
        exchanges = _exchanged(score, systems, intervals, progress)
    corrected = systems[0].expected is not None or score.parts is not None
    names = SCORE_COLUMNS if corrected else {"observed": "observed"}
    tests = _pair_tests(list(names.values()), values, replicas, left_out, exchanges, intervals)
    if len(replicas[0]["value"]):
        more = _Replicas(score, systems, comparison.test, values)
        _draw_more(more, tests, intervals, comparison.alpha, most, shown, progress)
    rankings = {}
    for side, name in names.items():
        scores = np.stack([one[name] for one in values])
        limits = [
            intervals.limits(one[name], many[name], without.get(name))
            for one, many, without in zip(values, replicas, left_out)
        ]
        ranks = _rank_limits(np.stack([many[name] for many in replicas]), intervals.level)
        own = resampling.ranks(scores.T).T
        limits_of_all = np.stack(limits, axis=1)
        test = tests[name]
        rankings[side] = Ranking(
            scores,
            limits_of_all,
            own,
            *ranks,
            test.differences,
            test.limits,
            test.p_values,
            resampling.holm(test.p_values),
            test.n_defined,
            test.undecided,
            comparison.alpha,
        )
    return rankings


def _rank_limits(replicas: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Rank intervals and shares of being first, from replicas (systems, resamples, columns)."""
    n_systems, resamples, n_columns = replicas.shape
    limits = np.full((2, n_systems, n_columns), np.nan)
    first = np.full((n_systems, n_columns), np.nan)
    for column in range(n_columns if resamples else 0):
        ranks = resampling.ranks(replicas[:, :, column].T)
        limits[:, :, column] = resampling.rank_interval(ranks, level=level)
        first[:, column] = resampling.first_shares(ranks)
    return limits, first


@dataclass(eq=False)
class _Tests:
    """The tests of all pairs by one score: arrays of shape (n_pairs, 1 + n_labels).

    Parameters
    ----------
    differences, limits : arrays
        Limits have another axis of length 2 in front.
    n_reached, n_defined : arrays
        Replicas at least as far from 0 as the difference, and all that are defined; nan without.
    undecided : boolean array
    """

    differences: FloatArray
    limits: FloatArray
    n_reached: FloatArray
    n_defined: FloatArray
    undecided: BoolArray

    @property
    def p_values(self) -> FloatArray:
        """The p-values, before they are adjusted."""
        return resampling.p_value(self.n_reached, self.n_defined)


def _pair_tests(
    names: Sequence[str],
    values: Sequence[Scores],
    replicas: Sequence[Scores],
    left_out: Sequence[Mapping[str, FloatArray]],
    exchanges: Iterable[Scores | None],
    intervals: Resampling,
) -> dict[str, _Tests]:
    """The tests of all pairs of systems, by the name of the score."""
    rows: dict[str, list[tuple[FloatArray, ...]]] = {name: [] for name in names}
    for (i, j), exchange in zip(combinations(range(len(values)), 2), exchanges):
        for name in names:
            difference = values[i][name] - values[j][name]
            resampled = replicas[i][name] - replicas[j][name]
            without = left_out[i][name] - left_out[j][name] if left_out[i] else None
            limits = intervals.limits(difference, resampled, without)
            counts = (np.full(difference.shape, np.nan),) * 2
            if len(resampled):
                null = resampled - difference if exchange is None else exchange[name]
                counts = resampling.reached(difference, null)
            rows[name].append((difference, limits, *counts))
    tests = {}
    for name, each in rows.items():
        n_columns = len(values[0][name])
        limits = np.array([test[1] for test in each]).reshape(-1, 2, n_columns)
        differences, n_reached, n_defined = (
            np.array([test[k] for test in each]).reshape(-1, n_columns) for k in (0, 2, 3)
        )
        undecided = np.zeros(differences.shape, bool)
        tests[name] = _Tests(
            differences, np.moveaxis(limits, 1, 0), n_reached, n_defined, undecided
        )
    return tests


def most_replicas(n_systems: int, resamples: int, alpha: float) -> int:
    """Up to how many replicas the tests of a board take; as many as intervals, if that is none."""
    if not resamples:
        return 0
    enough = resampling.enough_replicas(n_systems * (n_systems - 1) // 2, alpha)
    return max(MORE * resamples, min(enough, MOST))


def _draw_more(
    source: _Replicas,
    tests: Mapping[str, _Tests],
    intervals: Resampling,
    alpha: float,
    most: int,
    shown: Sequence[int] | None,
    progress: Callable[[Any], Iterable[Any]],
) -> None:
    """Add replicas to tests that are not decided, until they are or there are `most` of them.

    After those of the intervals come as many as a clear difference needs, then twice as many again
    and again. Tests that are decided take no further part. Each look has its own random numbers.
    """
    n, look = intervals.resamples, 0
    if n >= most:
        return
    first = next(iter(tests.values())).differences
    enough = resampling.enough_replicas(len(first), alpha)
    columns_shown = np.zeros(first.shape[1], bool)
    columns_shown[BOTH if shown is None else list(shown)] = True
    while True:
        for test in tests.values():
            found = resampling.undecided(test.n_reached, test.n_defined, alpha)
            test.undecided = found & columns_shown
        still = np.any([test.undecided for test in tests.values()], axis=0)
        if n >= most or not still.any():
            return
        look += 1
        target = min(enough if n < enough else 2 * n, most)
        rng = np.random.default_rng([intervals.seed, 2, look])
        for pair, part, replicas in source.draw(still, target - n, rng, progress):
            mine = still[pair, part]
            for name, test in tests.items():
                counts = resampling.reached(test.differences[pair, part], replicas[name])
                test.n_reached[pair, part] += np.where(mine, counts[0], 0)
                test.n_defined[pair, part] += np.where(mine, counts[1], 0)
        n = target


@dataclass(frozen=True, eq=False)
class _Replicas:
    """Where further replicas of the differences of systems come from, under the null hypothesis.

    Parameters
    ----------
    score : Scorer
    systems : sequence of Statistics
    test : "randomisation" or "bootstrap"
    values : sequence of Scores
        Of the systems.
    """

    score: Scorer
    systems: Sequence[Statistics]
    test: str
    values: Sequence[Scores]

    def draw(
        self,
        pairs: BoolArray,
        n: int,
        rng: np.random.Generator,
        progress: Callable[[Any], Iterable[Any]],
    ) -> Iterator[tuple[int, slice, Scores]]:
        """(pair, columns, replicas of its difference there) of all pairs with a column to test.

        Parameters
        ----------
        pairs : boolean array of shape (n_pairs, 1 + n_labels)
            The columns to test.
        n : int
            Number of replicas.
        rng : numpy.random.Generator
        progress : callable
            Wraps the batches.
        """
        every = list(combinations(range(len(self.systems)), 2))
        rows = np.flatnonzero(pairs.any(axis=1)).tolist()
        wanted = [(k, *every[k], _part_of(pairs[k])) for k in rows]
        exchange = self.test == "randomisation"
        make = resampling.exchange_weights if exchange else resampling.bootstrap_weights
        numbers = sorted({i for _, *both, _ in wanted for i in both})
        chosen = [self.systems[i] for i in numbers]
        totals = dict(zip(numbers, _halves(one.total() for one in chosen)))
        chosen = _differences_of(chosen) if exchange else chosen
        for some in progress(resampling.slices(n, CHUNK)):
            size = some.stop - some.start
            sums = _sums_of(chosen, make(n_rows(chosen), size, rng), size)
            if exchange:
                moved = dict(zip(numbers, _halves(sums)))
                for k, i, j, part in wanted:
                    yield k, part, _exchanged_scores(self.score, totals, moved, (i, j), part)
                continue
            scores = {i: total_and_labels(self.score, one) for i, one in zip(numbers, sums)}
            for k, i, j, part in wanted:
                centred = {
                    name: scores[i][name] - scores[j][name] - self.values[i][name] + values
                    for name, values in self.values[j].items()
                }
                yield k, part, {name: one[:, part] for name, one in centred.items()}


def _sums_of(
    systems: Sequence[Statistics],
    weights: Iterable[Any],
    n: int,
    progress: Callable[[Any], Iterable[Any]] = iter,
) -> list[Statistics]:
    """Weighted sums of the rows of some systems, `n` of each."""
    parts = [part for one in systems for part in one.parts()]
    sums = iter(resampling.resampled(parts, weights, n, progress))
    return [one.each(lambda part: next(sums)) for one in systems]


def _exchanged_scores(
    score: Scorer,
    totals: Mapping[int, _Halves],
    moved: Mapping[int, _Halves],
    pair: tuple[int, int],
    part: slice,
) -> Scores:
    """Differences of two systems after exchanging rows, of which `moved` has the sums."""
    i, j = pair
    scores = []
    for half in HALVES[part.start, part.stop]:
        change = add_statistics(moved[j][half], moved[i][half].arrays(np.negative))
        both = add_statistics(
            _both(totals[i][half], totals[j][half]),
            change.arrays(lambda array: np.multiply.outer(SIGNS, array)),
        )
        scores.append(columns(score, both))
    return {
        name: np.concatenate([one[name][0] - one[name][1] for one in scores], axis=-1)
        for name in scores[0]
    }


def _both(one: Statistics, two: Statistics) -> Statistics:
    """The sums of two systems, with axes in front: of the two, and of replicas."""
    return _combined((one, two), lambda arrays: np.stack(arrays)[:, None])


def _combined(
    systems: Sequence[Statistics], function: Callable[[Sequence[Array]], Array]
) -> Statistics:
    """One `Statistics` of several; `function` makes one array of one array of each.

    Systems may differ in which of their fields share an array.
    """
    parts = zip(*(one.parts() for one in systems))
    return systems[0].each(lambda part: combined(next(parts), function))


_Halves: TypeAlias = tuple[Statistics, Statistics]  # of all labels together, and by label


def _halves(systems: Iterable[Statistics]) -> list[_Halves]:
    """The statistics of systems for all labels together, and for each.

    Made for each system once: pooling takes longer than adding.
    """
    return [(one.pooled(), one.by_label()) for one in systems]


SIGNS = np.array([1.0, -1.0])  # what one system gains, the other one loses
WHOLE, LABELS, BOTH = slice(0, 1), slice(1, None), slice(None)
HALVES = {(0, 1): (0,), (1, None): (1,), (None, None): (0, 1)}  # of each of these parts


def _part_of(columns: BoolArray) -> slice:
    """All labels together, each of them, or both: what some columns are of."""
    if not columns[1:].any():
        return WHOLE
    return BOTH if columns[0] else LABELS


def _differences_of(systems: Sequence[Statistics]) -> list[Statistics]:
    """The systems less the first of them, without rows that are 0 for all.

    An exchange of two systems moves the same sums; what all have in common need not be drawn.
    """
    zeros: dict[tuple[int, ...], Array] = {}  # one object, which is summed up once
    differ = np.zeros(n_rows(systems), bool)

    def less(arrays: Sequence[Array]) -> Array:
        first, array = arrays
        difference = array.astype(float) - first
        rows = difference.reshape(len(difference), -1).any(axis=1)
        np.logical_or(differ, rows, out=differ)
        return difference if rows.any() else zeros.setdefault(difference.shape, difference)

    differences = [_combined((systems[0], one), less) for one in systems]
    kept: dict[int, Array] = {}

    def keep(array: Array) -> Array:
        return kept.setdefault(id(array), array[differ])

    return [one.arrays(keep) for one in differences]


def _exchanged(
    score: Scorer,
    systems: Sequence[Statistics],
    intervals: Resampling,
    progress: Callable[[Any], Iterable[Any]],
) -> Iterator[Scores]:
    """Differences of every pair after exchanging rows at random: {name of score: array}."""
    rng = np.random.default_rng([intervals.seed, 1])
    weights = resampling.exchange_weights(n_rows(systems), intervals.resamples, rng)
    sums = _sums_of(systems, weights, intervals.resamples, progress)
    moved = dict(enumerate(_halves(sums)))
    totals = dict(enumerate(_halves(one.total() for one in systems)))
    for pair in combinations(range(len(systems)), 2):
        yield _exchanged_scores(score, totals, moved, pair, BOTH)


def resampling_settings(intervals: Resampling, comparison: Comparison) -> dict[str, Any]:
    """How intervals and tests were made, as plain values."""
    settings = asdict(intervals) | asdict(comparison)
    settings.pop("unit")
    return settings
