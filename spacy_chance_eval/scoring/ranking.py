"""Several systems by one metric: scores, intervals, ranks, and tests of every pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..measures import resampling
from ..measures.arrays import Array, FloatArray
from ..metrics.request import Scorer
from .intervals import Resampling
from .statistics import Scores, Statistics, add_statistics, n_rows, plain, total_and_labels

SCORE_COLUMNS = {"observed": "observed", "corrected": "value"}


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

    def _groups(self, column: int) -> list[str]:
        """Letters: systems that share one do not differ; "" where no test could be made."""
        ranks = self.ranks[:, column]
        tested = np.flatnonzero(~np.isnan(ranks))
        order = tested[np.argsort(ranks[tested], kind="stable")]
        groups = [""] * len(ranks)
        if np.isnan(self.p_holm[:, column]).all():
            return groups
        distinct = np.zeros((len(ranks), len(ranks)), bool)
        for (i, j), p_value in zip(combinations(range(len(ranks)), 2), self.p_holm[:, column]):
            distinct[i, j] = distinct[j, i] = p_value < self.alpha
        for system, letters in zip(order, resampling.rank_groups(distinct[np.ix_(order, order)])):
            groups[system] = letters
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
        rankings[side] = Ranking(scores, limits_of_all, own, *ranks, *tests[name], comparison.alpha)
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


def _pair_tests(
    names: Sequence[str],
    values: Sequence[Scores],
    replicas: Sequence[Scores],
    left_out: Sequence[Mapping[str, FloatArray]],
    exchanges: Iterable[Scores | None],
    intervals: Resampling,
) -> dict[str, tuple[FloatArray, FloatArray, FloatArray, FloatArray]]:
    """{name: differences, their limits, p-values, and these after Holm} of all pairs of systems."""
    rows: dict[str, list[tuple[FloatArray, FloatArray, FloatArray]]] = {name: [] for name in names}
    for (i, j), exchange in zip(combinations(range(len(values)), 2), exchanges):
        for name in names:
            difference = values[i][name] - values[j][name]
            resampled = replicas[i][name] - replicas[j][name]
            without = left_out[i][name] - left_out[j][name] if left_out[i] else None
            limits = intervals.limits(difference, resampled, without)
            if not len(resampled):
                p_value = np.full(difference.shape, np.nan)
            elif exchange is None:
                p_value = resampling.bootstrap_p_value(difference, resampled)
            else:
                p_value = resampling.exchange_p_value(difference, exchange[name])
            rows[name].append((difference, limits, p_value))
    tests = {}
    for name, each in rows.items():
        n_columns = len(values[0][name])
        differences = np.array([test[0] for test in each]).reshape(-1, n_columns)
        limits = np.array([test[1] for test in each]).reshape(-1, 2, n_columns)
        p_values = np.array([test[2] for test in each]).reshape(-1, n_columns)
        tests[name] = differences, np.moveaxis(limits, 1, 0), p_values, resampling.holm(p_values)
    return tests


def _exchanged(
    score: Scorer,
    systems: Sequence[Statistics],
    intervals: Resampling,
    progress: Callable[[Any], Iterable[Any]],
) -> Iterator[Scores]:
    """Differences of every pair after exchanging rows at random: {name of score: array}."""
    rng = np.random.default_rng([intervals.seed, 1])
    weights = resampling.exchange_weights(n_rows(systems), intervals.resamples, rng)
    parts = [part for one in systems for part in one.parts()]
    sums = iter(resampling.resampled(parts, weights, intervals.resamples, progress))
    moved = [one.each(lambda part: next(sums)) for one in systems]
    totals = [one.total() for one in systems]

    def with_rows_of(mine: int, theirs: int) -> dict[str, Array]:
        lost, gained = moved[mine].arrays(np.negative), moved[theirs]
        change = add_statistics(gained, lost)
        return total_and_labels(score, add_statistics(totals[mine], change))

    for i, j in combinations(range(len(systems)), 2):
        one, two = with_rows_of(i, j), with_rows_of(j, i)
        yield {name: one[name] - two[name] for name in one}


def resampling_settings(intervals: Resampling, comparison: Comparison) -> dict[str, Any]:
    """How intervals and tests were made, as plain values."""
    settings = asdict(intervals) | asdict(comparison)
    settings.pop("unit")
    return settings
