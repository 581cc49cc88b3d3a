"""From statistics to scores and their intervals: what `evaluate` and `leaderboard` share."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from ..measures import resampling
from ..measures.spans import scrambled
from ..measures.stats import Additive, chance_corrected


@dataclass(frozen=True)
class Statistics:
    """What a metric is scored from: statistics with one row per document."""

    observed: Additive
    expected: Additive | None = None  # under the chance model
    totals: Additive | None = None  # of each random annotation, where some were drawn
    exact: bool = True  # whether `expected` comes from a formula

    def parts(self):
        """The statistics that are there, as a list: observed, and expected if any."""
        return [self.observed] if self.expected is None else [self.observed, self.expected]

    def each(self, function):
        """The same with `function` applied to either part."""
        return Statistics(*map(function, self.parts()))

    def total(self):
        """Sums over the documents."""
        return self.each(lambda part: part.total())

    def pooled(self):
        """All labels together."""
        return self.each(lambda part: part.pooled())

    def by_label(self):
        """Every label by itself."""
        return self.each(lambda part: part.by_label())


def columns(score, statistics):
    """Value, observed and expected score of statistics (expected: nan without a chance model).

    `score` may have `parts` (a `Scorer` of a coefficient with a chance model of its own).
    """
    if corrects_itself(score):
        observed, expected = score.parts(statistics.observed)
        return {
            "value": score(statistics.observed),
            "observed": observed,
            "expected": expected,
        }
    observed = score(statistics.observed)
    if statistics.expected is None:
        return {
            "value": observed,
            "observed": observed,
            "expected": np.full(observed.shape, np.nan),
        }
    expected = score(statistics.expected)
    value = chance_corrected(observed, expected)
    return {"value": value, "observed": observed, "expected": expected}


def corrects_itself(score):
    """Whether a score is a coefficient with a chance model of its own."""
    return getattr(score, "parts", None) is not None


def total_and_labels(score, statistics):
    """`columns` of all labels together, then of each: arrays of shape (..., 1 + n_labels)."""
    whole, labels = (columns(score, side) for side in (statistics.pooled(), statistics.by_label()))
    return {name: np.concatenate([whole[name], labels[name]], axis=-1) for name in whole}


@dataclass(frozen=True)
class Resampling:
    """How intervals are made: a bootstrap over documents, or over clusters of them.

    Parameters
    ----------
    resamples, seed : int
        No intervals with 0 resamples.
    interval : "percentile" or "bca"
    level : float
        Share of samples whose interval is to hold the true score.
    unit : str
        Name of what is resampled, for signatures: "documents", or what clusters them.
    """

    resamples: int = 10_000
    seed: int = 0
    interval: str = "percentile"
    level: float = 0.95
    unit: str = "documents"

    def __post_init__(self):
        for name in ("resamples", "seed"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < 0:
                raise ValueError(f"{name} is {value!r}; expected a whole number, 0 or more")
            object.__setattr__(self, name, int(value))
        if self.interval not in resampling.INTERVALS:
            known = ", ".join(resampling.INTERVALS)
            raise ValueError(f"interval is {self.interval!r}; expected one of {known}")
        if not 0 < self.level < 1:
            raise ValueError(f"level is {self.level!r}; expected a number between 0 and 1")

    def __str__(self):
        if not self.resamples:
            return "none"
        parts = ("bootstrap", self.resamples, self.seed, self.interval, self.level, self.unit)
        return ",".join(map(str, parts))

    def replicas(self, score, statistics, progress=iter):
        """`total_and_labels` of the resamples, for each of several `Statistics` with equal rows.

        Empty scores (no resamples) where there is nothing to draw from.
        """
        resamples = self.resamples if n_rows(statistics) > 1 else 0
        rng = np.random.default_rng(self.seed)
        weights = resampling.bootstrap_weights(n_rows(statistics), resamples, rng)
        return weighted(score, statistics, weights, resamples, progress)

    def left_out(self, score, statistics):
        """`total_and_labels` without each row, as far as the interval needs that."""
        if self.interval != "bca" or n_rows([statistics]) < 2:
            return {}
        return resampling.leave_one_out(
            statistics.parts(), lambda *parts: total_and_labels(score, Statistics(*parts))
        )

    def limits(self, values, replicas, left_out=None):
        """Low and high limits of scores, with another axis of length 2 in front."""
        if not len(replicas):
            return np.full((2, *values.shape), np.nan)
        options = {"level": self.level, "kind": self.interval, "jackknife": left_out}
        return resampling.interval(values, replicas, **options)


def weighted(score, statistics, weights, resamples, progress=iter):
    """`total_and_labels` of weighted sums, for each of several `Statistics` with equal rows."""
    parts = [part for one in statistics for part in one.parts()]
    sums = iter(resampling.resampled(parts, weights, resamples, progress))
    return [total_and_labels(score, one.each(lambda part: next(sums))) for one in statistics]


def plain(number):
    """A Python number; None for nan, so that JSON can hold it."""
    if number is None or isinstance(number, tuple):
        return number
    number = number.item() if isinstance(number, (np.generic, np.ndarray)) else number
    return None if number != number else number


def n_rows(statistics):
    """Number of rows of some `Statistics`."""
    return len(resampling.arrays_of(statistics[0].observed)[0])


def clusters_of(gold, clusters=None):
    """A number for the cluster of each document, -1 for those that are not annotated.

    `clusters` holds the name of each document's cluster; without it, or for None, a document is its
    own.
    """
    return np.where(gold.seen, cluster_places(clusters, gold.n_docs), -1)


def cluster_places(clusters, n, item="document"):
    """A number for the cluster of each of `n` items; see `clusters_of`."""
    if clusters is None:
        return np.arange(n)
    if len(clusters) != n:
        raise ValueError(f"clusters need one entry per {item} ({n}), not {len(clusters)}")
    index = {name: place for place, name in enumerate(clusters) if name is not None}
    return np.array([index.get(name, place) for place, name in enumerate(clusters)], np.int64)


def article_clusters(attributes):
    """("article", the article of each document) if all documents say theirs, else documents.

    `attributes` are mappings, one per document.
    """
    articles = [found.get("article") for found in attributes]
    return ("documents", None) if None in articles or not articles else ("article", articles)


def order_keys(gold, words, preds):
    """What documents are put in order by, however they came: gold and words, then predictions.

    From the keys of gold, of the words and of each prediction. Neither the order nor the names of
    the systems count, but what they predicted in all.
    """
    first = scrambled(gold, words)
    sides = [scrambled(first, pred) for pred in preds]
    return [first, scrambled(*sorted(sides, key=lambda keys: int(keys.sum())))]
