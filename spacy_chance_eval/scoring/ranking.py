"""Several systems by one metric: scores, intervals, ranks, and tests of every pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from ..measures import resampling
from ..measures.arrays import Array, BoolArray, FloatArray, IntArray, is_share
from ..measures.messages import quoted
from ..measures.stats import combined
from ..metrics.request import Scorer
from .intervals import Resampling
from .statistics import (
    Statistics,
    columns,
    headline_name,
    n_rows,
    plain,
    total_and_labels,
    wide,
)

SCORE_COLUMNS = ("observed", "corrected")  # scores that can rank systems
# Tests draw at most MORE times as many replicas as intervals. Where a clear difference between that
# many pairs needs more, they draw up to MOST.
MORE, MOST = 10, 100_000
# Fast memory is small: pairs and exchanges that are scored at a time, numbers that are sorted
PAIRS, EXCHANGES, TOGETHER = 8, 1024, 2**16


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
            raise ValueError(f"test is {quoted(self.test)}; expected one of {known}")
        if not is_share(self.alpha):
            raise ValueError(f"alpha is {quoted(self.alpha)}; expected a number between 0 and 1")

    def __str__(self) -> str:
        return f"{self.test},{self.alpha}"

    def used(self, intervals: Resampling) -> str:
        """The test as signatures name it: "none" without resamples, which tests nothing.

        Parameters
        ----------
        intervals : Resampling
            As the board is made with.
        """
        return str(self) if intervals.resamples else "none"


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
    expected : array, optional
        The expected score of each system, of a ranking by the corrected one.
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
    expected: FloatArray | None

    def system(self, system: int, column: int) -> dict[str, Any]:
        """Interval and ranks of one system, as plain values."""
        at = system, column
        rank_low, rank_high = map(_whole, self.rank_limits[:, system, column])
        return {
            **_plain_limits(self.limits, at),
            "rank": _whole(self.ranks[at]),
            "rank_low": rank_low,
            "rank_high": rank_high,
            "first": plain(self.first[at]),
        }

    def pair(self, pair: int, column: int) -> dict[str, Any]:
        """The test of one pair, as plain values."""
        at = pair, column
        return {
            "difference": plain(self.differences[at]),
            **_plain_limits(self.difference_limits, at),
            "p_value": plain(self.p_values[at]),
            "p_holm": plain(self.p_holm[at]),
        }

    def decision(self, pair: int, column: int) -> dict[str, Any]:
        """How many replicas the test of a pair took, and whether more could change its result."""
        replicas = _whole(self.replicas[pair, column])
        decided = None if not replicas else not self.undecided[pair, column]
        return {"replicas": replicas or None, "decided": decided and bool(decided)}

    def groups(self, column: int) -> list[str]:
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


def _plain_limits(limits: FloatArray, at: tuple[int, int]) -> dict[str, float | None]:
    """`low` and `high` in plain numbers."""
    return {name: plain(limit[at]) for name, limit in zip(("low", "high"), limits)}


def system_rows(rankings: Mapping[str, Ranking], column: int) -> list[dict[str, Any]]:
    """Scores, intervals, ranks and groups of every system, as plain values.

    `low`, `high`, `rank`, `rank_low`, `rank_high`, `first` and `group` are those of the headline;
    those of the observed score beside a corrected one are called `observed_low` and so on.
    """
    rows: list[dict[str, Any]] = [{} for _ in rankings["observed"].scores]
    for name, ranking in rankings.items():
        beside = "" if name == headline_name(rankings) else f"{name}_"
        groups = ranking.groups(column)
        for i, row in enumerate(rows):
            row[name] = plain(ranking.scores[i, column])
            if ranking.expected is not None:
                row["expected"] = plain(ranking.expected[i, column])
            found = ranking.system(i, column) | {"group": groups[i]}
            row |= {beside + key: value for key, value in found.items()}
    return rows


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
    higher_is_better: bool = True,
) -> dict[str, Ranking]:
    """Rankings by the observed and, with a chance model, by the corrected score.

    Parameters
    ----------
    score : Scorer
        The scorer of a metric.
    systems : sequence of Statistics
        The statistics of each system, with the same rows, which are resampled.
    most : int
        Largest number of replicas for tests that fewer replicas do not decide. By default the
        number for intervals.
    shown : sequence of int, optional
        Columns whose tests have to be decided; by default all.
    higher_is_better : bool
        Whether the highest score is first, or the lowest.

    Returns
    -------
    dict of str to Ranking
        "observed" and, with a chance model, "corrected".
    """
    intervals, comparison = intervals or Resampling(), comparison or Comparison()
    systems = _sharing(systems)
    values = [total_and_labels(score, one.total()) for one in systems]
    replicas = intervals.replicas(score, systems, progress)
    left_out = [intervals.left_out(score, one) for one in systems]
    samples = {
        name: _Sample(
            np.stack([one[name] for one in values]),
            np.stack([one.pop(name).T for one in replicas]),  # used up, which frees memory
            np.stack([one[name] for one in left_out]) if left_out[0] else None,
        )
        for name in SCORE_COLUMNS
        if name in values[0]
    }
    del replicas, left_out
    # the first and the second system of every pair, as two rows
    pairs: IntArray = np.array([*combinations(range(len(systems)), 2)], int).reshape(-1, 2).T
    tests = {name: _begun(sample, pairs) for name, sample in samples.items()}
    source = _Replicas(score, systems, comparison.test, samples, pairs)
    if source.resamples:
        _test_pairs(source, tests, intervals, comparison.alpha, most, shown, progress)
    rankings, sign = {}, 1 if higher_is_better else -1
    for name, sample in samples.items():
        test = tests[name]
        rankings[name] = Ranking(
            sample.values,
            sample.limits(intervals, [np.arange(len(systems))]),
            resampling.ranks(sign * sample.values.T).T,
            *_rank_limits(sample.replicas, sign, intervals.level),
            test.differences,
            sample.limits(intervals, pairs),
            test.p_values,
            resampling.holm(test.p_values),
            test.n_defined,
            test.undecided,
            comparison.alpha,
            np.stack([one["expected"] for one in values]) if name == "corrected" else None,
        )
    return rankings


def rank_changes(rankings: Mapping[str, Ranking], column: int) -> list[int | None]:
    """The places that each system gains (+) or loses (-) by the correction.

    They are counted among the systems that have both scores: where another one has no corrected
    score, no system moves. None without both scores.
    """
    observed = rankings["observed"].ranks[:, column]
    if "corrected" not in rankings:
        return [None] * len(observed)
    both = np.array([observed, rankings["corrected"].ranks[:, column]])
    before, after = resampling.ranks(np.where(np.isnan(both).any(axis=0), np.nan, -both))
    return [_whole(places) for places in before - after]


def _sharing(systems: Sequence[Statistics]) -> list[Statistics]:
    """The systems; arrays that they share with the first one are summed once."""

    def shared(arrays: Sequence[Array]) -> Array:
        first, array = arrays
        return first if np.array_equal(first, array) else array

    return [_combined((systems[0], one), shared) for one in systems]


def _rank_limits(replicas: FloatArray, sign: int, level: float) -> tuple[FloatArray, FloatArray]:
    """Rank intervals and shares of being first, from replicas (systems, columns, resamples)."""
    n_systems, n_columns, resamples = replicas.shape
    limits = np.full((2, n_systems, n_columns), np.nan)
    first = np.full((n_systems, n_columns), np.nan)
    for column in range(n_columns if resamples else 0):
        ranks = resampling.ranks(sign * replicas[:, column].T)
        limits[:, :, column] = resampling.rank_interval(ranks, level=level)
        first[:, column] = resampling.first_shares(ranks)
    return limits, first


@dataclass(frozen=True, eq=False)
class _Sample:
    """All systems by one score.

    Parameters
    ----------
    values : array of shape (n_systems, 1 + n_labels)
    replicas : array of shape (n_systems, 1 + n_labels, resamples)
    left_out : array of shape (n_systems, n_rows, 1 + n_labels), optional
        Without each row.
    """

    values: FloatArray
    replicas: FloatArray
    left_out: FloatArray | None

    def limits(self, intervals: Resampling, of: Sequence[IntArray] | IntArray) -> FloatArray:
        """Limits of the scores of systems (`of` has one row) or of their differences (two)."""
        limits = np.empty((2, len(of[0]), self.values.shape[1]))
        step = max(1, TOGETHER // max(1, self.replicas[0].size))
        for some in resampling.slices(len(of[0]), step):
            few = [numbers[some] for numbers in of]
            without = None
            if self.left_out is not None:
                without = np.moveaxis(_difference(self.left_out, few), 1, 0)
            replicas = np.moveaxis(_difference(self.replicas, few), -1, 0)
            limits[:, some] = intervals.limits(_difference(self.values, few), replicas, without)
        return limits


def _difference(array: FloatArray, of: Sequence[IntArray] | IntArray) -> FloatArray:
    """Some rows of an array or, of two lists of them, their differences."""
    rows: FloatArray = array[of[0]] if len(of) == 1 else array[of[0]] - array[of[1]]
    return rows


@dataclass(eq=False)
class _Tests:
    """The tests of all pairs by one score: arrays of shape (n_pairs, 1 + n_labels)."""

    differences: FloatArray
    n_reached: FloatArray
    n_defined: FloatArray
    undecided: BoolArray

    @property
    def p_values(self) -> FloatArray:
        """The p-values, before they are adjusted."""
        return resampling.p_value(self.n_reached, self.n_defined)


def _begun(sample: _Sample, pairs: IntArray) -> _Tests:
    """The tests of all pairs before any replica is counted."""
    differences = _difference(sample.values, pairs)
    nothing = np.full(differences.shape, 0.0 if sample.replicas.size else np.nan)
    return _Tests(differences, nothing, nothing.copy(), np.zeros(differences.shape, bool))


def most_replicas(n_systems: int, resamples: int, alpha: float) -> int:
    """Largest number of replicas for the tests of a board; none if intervals have none."""
    if not resamples:
        return 0
    enough = resampling.enough_replicas(n_systems * (n_systems - 1) // 2, alpha)
    return max(MORE * resamples, min(enough, MOST))


def _test_pairs(
    source: _Replicas,
    tests: Mapping[str, _Tests],
    intervals: Resampling,
    alpha: float,
    most: int,
    shown: Sequence[int] | None,
    progress: Callable[[Any], Iterable[Any]],
) -> None:
    """Count replicas until all tests are decided, or there are `most` of them.

    After as many as intervals have come as many as a clear difference needs, then twice as many
    again and again. Tests that are decided take no further part. Each look has its own random
    numbers.
    """
    n, look = source.resamples, 0
    _count(tests, source.first(intervals.seed, progress))
    if n >= most:
        return
    first = next(iter(tests.values())).differences
    enough = resampling.enough_replicas(len(first), alpha)
    columns_shown = np.zeros(first.shape[1], bool)
    columns_shown[slice(None) if shown is None else list(shown)] = True
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
        _count(tests, source.more(still, target - n, rng, progress))
        n = target


_Unit: TypeAlias = tuple[range, list[Statistics]]  # columns of its scores, all systems
_Batch: TypeAlias = tuple[int, IntArray, Mapping[str, FloatArray]]  # see `_Replicas`


def _count(tests: Mapping[str, _Tests], batches: Iterable[_Batch]) -> None:
    """Add replicas to tests."""
    for column, pairs, replicas in batches:
        for name, test in tests.items():
            counts = resampling.reached(test.differences[pairs, column], replicas[name].T)
            test.n_reached[pairs, column] += counts[0]
            test.n_defined[pairs, column] += counts[1]


@dataclass(frozen=True, eq=False)
class _Replicas:
    """Where replicas of the differences of systems come from, under the null hypothesis.

    They come in batches: a column, some pairs, and replicas of their differences there by each
    score, arrays of shape (n_pairs, n_replicas). Pairs and columns to test are a boolean array of
    shape (n_pairs, 1 + n_labels).

    Parameters
    ----------
    test : "randomisation" or "bootstrap"
    samples : mapping of str to _Sample
        By the name of the score.
    pairs : integer array of shape (2, n_pairs)
    """

    score: Scorer
    systems: Sequence[Statistics]
    test: str
    samples: Mapping[str, _Sample]
    pairs: IntArray

    @property
    def resamples(self) -> int:
        """Number of resamples of the intervals."""
        return int(next(iter(self.samples.values())).replicas.shape[-1])

    @cached_property
    def units(self) -> list[_Unit]:
        """All labels together, and each of them by itself."""
        whole = [one.pooled() for one in self.systems]
        labels = [one.by_label() for one in self.systems]
        width = columns(self.score, whole[0].total())["observed"].shape[-1]
        n_labels = self.shape[1] // max(width, 1) - 1
        return [
            (range(width), whole),
            *(
                (
                    range(width + label, self.shape[1], n_labels),
                    [one.arrays(partial(_of_label, label)) for one in labels],
                )
                for label in range(n_labels)
            ),
        ]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pairs, and of columns."""
        sample = next(iter(self.samples.values()))
        return self.pairs.shape[1], sample.values.shape[1]

    def first(self, seed: int, progress: Callable[[Any], Iterable[Any]]) -> Iterator[_Batch]:
        """Replicas of all pairs, as many as intervals have."""
        cells = np.ones(self.shape, bool)
        if self.test == "randomisation":
            rng = np.random.default_rng([seed, 1])
            rows = np.ones(n_rows(self.systems), bool)
            return self.exchanged(cells, self.resamples, rng, rows, progress)
        replicas = {name: one.replicas for name, one in self.samples.items()}
        return self.centred(cells, np.arange(len(self.systems)), replicas)

    def more(
        self,
        cells: BoolArray,
        n: int,
        rng: np.random.Generator,
        progress: Callable[[Any], Iterable[Any]],
    ) -> Iterator[_Batch]:
        """`n` further replicas of some pairs."""
        numbers = np.unique(self.pairs[:, cells.any(axis=1)])
        chosen = [self.systems[i] for i in numbers]
        if self.test == "randomisation":
            yield from self.exchanged(cells, n, rng, _rows_that_differ(chosen), progress)
            return
        parts = [part for one in chosen for part in one.parts()]
        places = np.full(len(self.systems), -1)
        places[numbers] = np.arange(len(numbers))
        weights = resampling.bootstrap_weights(n_rows(chosen), n, rng)
        for _, found in resampling.resampled(parts, weights, progress):
            sums = iter(found)
            drawn = [one.each(lambda part: next(sums)) for one in chosen]  # noqa: B023
            scores = [total_and_labels(self.score, one) for one in drawn]
            replicas = {name: np.stack([one[name].T for one in scores]) for name in self.samples}
            yield from self.centred(cells, places, replicas)

    def centred(
        self, cells: BoolArray, places: IntArray, replicas: Mapping[str, FloatArray]
    ) -> Iterator[_Batch]:
        """Differences of resamples of systems, less those of the systems themselves.

        Parameters
        ----------
        places : integer array
            Of each system in the arrays of `replicas`.
        replicas : mapping of str to array of shape (n_systems, 1 + n_labels, n_replicas)
        """
        for column in np.flatnonzero(cells.any(axis=0)).tolist():
            open_pairs = np.flatnonzero(cells[:, column])
            for some in resampling.slices(len(open_pairs), PAIRS):
                both = self.pairs[:, open_pairs[some]]
                centred: dict[str, FloatArray] = {
                    name: _difference(replicas[name][:, column], places[both])
                    - _difference(sample.values[:, column, None], both)
                    for name, sample in self.samples.items()
                }
                yield column, open_pairs[some], centred

    def exchanged(
        self,
        cells: BoolArray,
        n: int,
        rng: np.random.Generator,
        rows: BoolArray,
        progress: Callable[[Any], Iterable[Any]],
    ) -> Iterator[_Batch]:
        """Differences of pairs after exchanging some of the rows at random."""
        tested = []
        for places, systems in self.units:
            pairs = np.flatnonzero(cells[:, places].any(axis=1))
            if len(pairs):
                tested.append((places, pairs, exchanges_of(systems, self.pairs[:, pairs], rows)))
        moves = [move for *_, one in tested for _, move in one.moves.values()]
        weights = resampling.exchange_weights(int(rows.sum()), n, rng)
        for some, found in resampling.weighted_sums(moves, progress(weights)):
            sums, size = iter(found), some.stop - some.start
            for places, pairs, one in tested:
                for few, both in one.sums([next(sums) for _ in one.moves], size):
                    scores = columns(self.score, both)
                    for place, column in enumerate(places):
                        mine = np.flatnonzero(cells[pairs[few], column])
                        replicas = {
                            name: (scores[name][0, ..., place] - scores[name][1, ..., place])[mine]
                            for name in self.samples
                        }
                        yield column, pairs[few][mine], replicas


def _of_label(label: int, array: Array) -> Array:
    """The rows of one label; of all where they know no labels."""
    return array if array.shape[1] == 1 else array[:, label : label + 1]


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Changes of the sums of some pairs by exchanged rows, over all labels or for one label.

    Parameters
    ----------
    totals : Statistics
        Sums of each system: arrays of shape (n_systems, 1, ...).
    places : integer array of shape (2, n_pairs)
        Of the systems of each pair.
    moves : dict
        By the `id` of an array of the totals: that array, and the amounts that an exchange of a row
        moves from each system to the first, of shape (n_rows, n_systems, 1, ...); or, `by_pair`,
        from one system of a pair to the other. Arrays that all systems share have none.
    """

    totals: Statistics
    places: IntArray
    moves: Mapping[int, tuple[Array, Array]]
    by_pair: bool

    def sums(self, moved: Sequence[FloatArray], n: int) -> Iterator[tuple[slice, Statistics]]:
        """Some pairs, and their sums after exchanges, of shape (2, n_pairs, n_exchanges, 1, ...).

        Parameters
        ----------
        moved : sequence of arrays of shape (n_systems or n_pairs, 1, ..., n)
            Sums moved by `n` exchanges, in the order of `moves`.
        """
        for some in resampling.slices(n, EXCHANGES):
            changes = {}
            for (key, (total, _)), sums in zip(self.moves.items(), moved):
                change = np.moveaxis(sums[..., some], -1, 1)
                changes[key] = change, None if self.by_pair else total[:, None] - change
            for few in resampling.slices(self.places.shape[1], PAIRS):
                sides = partial(self.sides, changes=changes, few=few, size=some.stop - some.start)
                yield few, self.totals.arrays(sides)

    def sides(
        self,
        total: Array,
        changes: Mapping[int, tuple[FloatArray, FloatArray | None]],
        few: slice,
        size: int,
    ) -> FloatArray:
        """One array of the sums of both systems of some pairs."""
        places = self.places[:, few]
        own = total[places][:, :, None].astype(float)
        if id(total) not in changes:  # both have the same
            return np.broadcast_to(own, (*own.shape[:2], size, *own.shape[3:]))
        change, without = changes[id(total)]
        both = np.empty((*own.shape[:2], size, *own.shape[3:]))
        if without is None:  # one system gains as much as the other one loses
            np.subtract(own[0], change[few], out=both[0])
            np.add(own[1], change[few], out=both[1])
            return both
        for pair, (i, j) in enumerate(places.T.tolist()):
            np.add(without[i], change[j], out=both[0, pair])
            np.add(without[j], change[i], out=both[1, pair])
        return both


def exchanges_of(systems: Sequence[Statistics], pairs: IntArray, rows: BoolArray) -> Exchanges:
    """The `Exchanges` of some rows between pairs of systems."""
    used, places = np.unique(pairs, return_inverse=True)
    places = places.reshape(pairs.shape)
    by_pair = pairs.shape[1] < len(used) - 1
    stacked: list[tuple[Array, Array]] = []  # with their sums
    moves: dict[int, tuple[Array, Array]] = {}

    def total(arrays: Sequence[Array]) -> Array:
        array = np.stack([wide(one) for one in arrays])
        for known, its_total in stacked:  # equal ones need to be summed once
            if np.array_equal(known, array):
                return its_total
        sums: Array = array.sum(axis=1)
        stacked.append((array, sums))
        mine = array[:, rows]
        change = mine[places[0]] - mine[places[1]] if by_pair else mine - mine[:1]
        if change.any():
            moves[id(sums)] = sums, np.moveaxis(change, 0, 1)
        return sums

    return Exchanges(_combined([systems[i] for i in used], total), places, moves, by_pair)


def _combined(
    systems: Sequence[Statistics], function: Callable[[Sequence[Array]], Array]
) -> Statistics:
    """One `Statistics` of several; `function` makes one array of one array of each.

    Systems may differ in which of their fields share an array.
    """
    parts = zip(*(one.parts() for one in systems))
    return systems[0].each(lambda part: combined(next(parts), function))


def _rows_that_differ(systems: Sequence[Statistics]) -> BoolArray:
    """The rows that are not the same for all; the others need not be exchanged."""
    differ = np.zeros(n_rows(systems), bool)

    def compare(arrays: Sequence[Array]) -> Array:
        unlike = arrays[0] != arrays[1]
        np.logical_or(differ, unlike.reshape(len(unlike), -1).any(axis=1), out=differ)
        return arrays[0]

    for one in systems[1:]:
        _combined((systems[0], one), compare)
    return differ


def resampling_settings(intervals: Resampling, comparison: Comparison) -> dict[str, Any]:
    """How intervals and tests were made, as plain values."""
    settings = intervals.settings() | asdict(comparison)
    settings.pop("unit")
    return settings
