"""Where each of several systems stands by one metric: scores, intervals, ranks, tests of pairs."""

from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np

from ..measures import resampling
from .intervals import Resampling
from .statistics import Statistics, n_rows, plain, total_and_labels

SIDES = {"observed": "observed", "corrected": "value"}


@dataclass(frozen=True)
class Comparison:
    """How systems are told apart.

    Parameters
    ----------
    test : "randomisation" or "bootstrap"
        Of every pair of systems; see `resampling.exchange_p_value` and `bootstrap_p_value`.
    alpha : float
        The chance of any false difference among all pairs of a board together (Holm).
    """

    test: str = "randomisation"
    alpha: float = 0.05

    def __post_init__(self):
        if self.test not in resampling.TESTS:
            known = ", ".join(resampling.TESTS)
            raise ValueError(f"test is {self.test!r}; expected one of {known}")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha is {self.alpha!r}; expected a number between 0 and 1")

    def __str__(self):
        return f"{self.test},{self.alpha}"


@dataclass(frozen=True, eq=False)
class Standings:
    """Systems by observed or by corrected score; all labels together in column 0, then each label.

    Arrays of shape (n_systems, 1 + n_labels) or, for pairs, (n_pairs, 1 + n_labels); limits have
    another axis of length 2 in front.
    """

    scores: np.ndarray
    limits: np.ndarray
    ranks: np.ndarray
    rank_limits: np.ndarray
    first: np.ndarray
    differences: np.ndarray
    difference_limits: np.ndarray
    p_values: np.ndarray
    p_holm: np.ndarray
    alpha: float

    def of_systems(self, column):
        """Every system's standing as plain values."""
        groups = self.groups(column)
        return [self.of_system(i, column) | {"group": groups[i]} for i in range(len(groups))]

    def of_system(self, system, column):
        """One system's standing as plain values, but for its group."""
        at = system, column
        return {
            "score": plain(self.scores[at]),
            "interval": limits_of(self.limits, at),
            "rank": whole(self.ranks[at]),
            "rank_interval": limits_of(self.rank_limits, at, whole),
            "first": plain(self.first[at]),
        }

    def of_pair(self, pair, column):
        """One pair's test as plain values."""
        at = pair, column
        return {
            "difference": plain(self.differences[at]),
            "interval": limits_of(self.difference_limits, at),
            "p_value": plain(self.p_values[at]),
            "p_holm": plain(self.p_holm[at]),
        }

    def groups(self, column):
        """Letters of the systems that cannot be told apart; "" where no test could be made."""
        ranks = self.ranks[:, column]
        tested = np.flatnonzero(~np.isnan(ranks))
        order = tested[np.argsort(ranks[tested], kind="stable")]
        found = [""] * len(ranks)
        if np.isnan(self.p_holm[:, column]).all():
            return found
        distinct = np.zeros((len(ranks), len(ranks)), bool)
        for (i, j), p_value in zip(combinations(range(len(ranks)), 2), self.p_holm[:, column]):
            distinct[i, j] = distinct[j, i] = p_value < self.alpha
        for system, letters in zip(order, resampling.rank_groups(distinct[np.ix_(order, order)])):
            found[system] = letters
        return found


def limits_of(limits, at, convert=None):
    """[low, high] in plain numbers, or None."""
    low, high = limits[(0, *at)], limits[(1, *at)]
    convert = convert or plain
    return None if np.isnan(low) else [convert(low), convert(high)]


def whole(number):
    """A rank as a whole number; None if undefined."""
    return None if np.isnan(number) else int(number)


def standings(score, systems, intervals=None, comparison=None, progress=iter):
    """`Standings` by observed score and, with a chance model, by the corrected one.

    Parameters
    ----------
    score : callable
        Of a metric.
    systems : sequence of Statistics
        Of each system, with the same rows: what is resampled.
    intervals : Resampling, optional
    comparison : Comparison, optional
    progress : callable
        Wraps the blocks of weights; for progress bars.

    Returns
    -------
    dict of str to Standings
        "observed" and, with a chance model, "corrected".
    """
    intervals, comparison = intervals or Resampling(), comparison or Comparison()
    values = [total_and_labels(score, one.total()) for one in systems]
    replicas = intervals.replicas(score, systems, progress)
    left_out = [intervals.left_out(score, one) for one in systems]
    exchanges = (None for _ in combinations(systems, 2))
    if comparison.test == "randomisation" and len(replicas[0]["value"]):
        exchanges = exchanged(score, systems, intervals, progress)
    corrected = systems[0].expected is not None or score.parts is not None
    names = SIDES if corrected else {"observed": "observed"}
    tests = pair_tests(names.values(), values, replicas, left_out, exchanges, intervals)
    found = {}
    for side, name in names.items():
        scores = np.stack([one[name] for one in values])
        limits = [
            intervals.limits(one[name], many[name], without.get(name))
            for one, many, without in zip(values, replicas, left_out)
        ]
        ranks = standing_ranks(np.stack([many[name] for many in replicas]), intervals.level)
        own = resampling.ranks(scores.T).T
        limits = np.stack(limits, axis=1)
        found[side] = Standings(scores, limits, own, *ranks, *tests[name], comparison.alpha)
    return found


def standing_ranks(replicas, level):
    """Rank intervals and shares of being first, from replicas (systems, resamples, columns)."""
    n_systems, resamples, n_columns = replicas.shape
    limits = np.full((2, n_systems, n_columns), np.nan)
    first = np.full((n_systems, n_columns), np.nan)
    for column in range(n_columns if resamples else 0):
        ranks = resampling.ranks(replicas[:, :, column].T)
        limits[:, :, column] = resampling.rank_interval(ranks, level=level)
        first[:, column] = resampling.first_shares(ranks)
    return limits, first


def pair_tests(names, values, replicas, left_out, exchanges, intervals):
    """{name: differences, their limits, p-values, and these after Holm} of all pairs of systems."""
    rows = {name: [] for name in names}
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
    found = {}
    for name, tests in rows.items():
        n_columns = len(values[0][name])
        differences = np.array([test[0] for test in tests]).reshape(-1, n_columns)
        limits = np.array([test[1] for test in tests]).reshape(-1, 2, n_columns)
        p_values = np.array([test[2] for test in tests]).reshape(-1, n_columns)
        found[name] = differences, np.moveaxis(limits, 1, 0), p_values, resampling.holm(p_values)
    return found


def exchanged(score, systems, intervals, progress):
    """Differences of every pair after exchanging rows at random: {name of score: array}."""
    rng = np.random.default_rng([intervals.seed, 1])
    weights = resampling.exchange_weights(n_rows(systems), intervals.resamples, rng)
    parts = [part for one in systems for part in one.parts()]
    sums = iter(resampling.resampled(parts, weights, intervals.resamples, progress))
    moved = [one.each(lambda part: next(sums)) for one in systems]
    totals = [one.total() for one in systems]

    def with_rows_of(mine, theirs):
        trios = zip(totals[mine].parts(), moved[mine].parts(), moved[theirs].parts())
        parts = [total + (gained + lost.each(np.negative)) for total, lost, gained in trios]
        return total_and_labels(score, Statistics(*parts))

    for i, j in combinations(range(len(systems)), 2):
        one, two = with_rows_of(i, j), with_rows_of(j, i)
        yield {name: one[name] - two[name] for name in one}


def resampling_settings(intervals, comparison):
    """How intervals and tests were made, as plain values."""
    settings = asdict(intervals) | asdict(comparison)
    settings.pop("unit")
    return settings
