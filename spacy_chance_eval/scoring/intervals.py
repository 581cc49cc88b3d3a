"""Confidence intervals by a bootstrap over documents or clusters of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from numbers import Integral
from typing import Any

import numpy as np

from ..measures import resampling
from ..measures.arrays import Array, FloatArray, IntArray, check_memory, is_share
from ..measures.messages import quoted
from ..measures.resampling import Order
from ..metrics.request import Scorer
from .statistics import Scores, Statistics, headline_name, n_rows, total_and_labels

FEW = 40  # documents or clusters of equal size, below which intervals and tests are rough
LIMITED = ("corrected", "observed")  # scores that have limits, where there are both
KEPT = 48  # bytes of each of them, of a resample: both, and copies that are sorted (measured)
FEWEST = 2  # scores of any result: all labels together, and one label
N_RESAMPLES = 1000  # by default, where no test rests on them
MOST_DOCS = 100_000  # documents of which commands make intervals unasked
PER_BLOCK = 5  # documents or clusters of each block, at least: below, they are resampled themselves


@dataclass(frozen=True)
class Resampling:
    """How intervals are made: a bootstrap over documents, over clusters, or over blocks of them.

    Parameters
    ----------
    resamples : int
        Number of resamples, each drawn with replacement; 0 for no intervals.
    seed : int
        Of the random resamples: equal seeds give equal intervals.
    interval : "percentile" or "bca"
        The percentile interval, or the bias-corrected and accelerated one.
    level : float
        Share of samples whose interval is to hold the true score.
    unit : str
        The resampled unit, for signatures: "documents", or the name of their clusters.
    blocks : int
        Number of random blocks. With more than five times as many documents (or clusters), these
        are divided at random into blocks, which are resampled in their place, and exchanged between
        two systems in tests. This is an approximation whose cost does not grow with the number of
        documents. 0: always resample documents.
    most_docs : int, optional
        Where nobody asked for intervals: of more documents there are none. See `of_docs`.
    n_eff : float
        Number of documents or clusters of equal size that those at hand are worth, for which
        percentile intervals are expanded (Hesterberg 2015). See `of_units`.
    """

    resamples: int = 10_000
    seed: int = 0
    interval: str = "percentile"
    level: float = 0.95
    unit: str = "documents"
    blocks: int = 2000
    most_docs: int | None = None
    n_eff: float = inf

    def __post_init__(self) -> None:
        for name in ("resamples", "seed", "blocks"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < 0:
                raise ValueError(f"{name} is {quoted(value)}; expected a whole number, 0 or more")
            object.__setattr__(self, name, int(value))
        if 0 < self.blocks < FEW:
            few = f"blocks is {self.blocks}; expected 0 (none), or at least {FEW}"
            raise ValueError(f"{few}: intervals that rest on fewer are rough")
        if self.interval not in resampling.INTERVALS:
            known = ", ".join(resampling.INTERVALS)
            raise ValueError(f"interval is {quoted(self.interval)}; expected one of {known}")
        if not is_share(self.level):
            raise ValueError(f"level is {quoted(self.level)}; expected a number between 0 and 1")
        check_memory("resamples", self.resamples, KEPT * FEWEST)  # before anything is read

    def __str__(self) -> str:
        if not self.resamples:
            return "none"
        parts = ["bootstrap", self.resamples, self.seed, self.interval, self.level, self.unit]
        return ",".join(map(str, parts + [f"blocks={self.blocks}"] * bool(self.blocks)))

    def of_docs(self, n_docs: int, kept: bool = True) -> Resampling:
        """These settings for a number of documents: without resamples if there are too many.

        Parameters
        ----------
        n_docs : int
            Number of documents.
        kept : bool
            Whether their rows could be kept in memory.
        """
        few = self.most_docs is None or n_docs <= self.most_docs and kept
        return self if few else replace(self, resamples=0)

    def notes(self, n_docs: int, kept: bool = True) -> list[str]:
        """The note that there are too many documents for intervals, if so.

        Parameters
        ----------
        n_docs
            That of `of_docs`.
        kept
            That of `of_docs`.
        """
        if self.of_docs(n_docs, kept).resamples == self.resamples:
            return []
        return [
            f"There are no intervals: {n_docs:,} documents are many. Ask for them by --resamples "
            f"{self.resamples}."
        ]

    def settings(self) -> dict[str, Any]:
        """How resamples were drawn, as plain values; without `n_eff` where it is not known."""
        left_out = {"most_docs"} | ({"n_eff"} if self.n_eff == inf else set())
        return {key: value for key, value in asdict(self).items() if key not in left_out}

    def of_units(self, masses: Array) -> Resampling:
        """The same for some documents or clusters: with `n_eff`, and the `blocks` that they have.

        With `blocks` 0 if they are too few for blocks; this is what signatures are to say.

        Parameters
        ----------
        masses : array of shape (n_units,)
            How much each document or cluster weighs: see `unit_masses`.
        """
        n_eff = resampling.effective_number(masses) if self.resamples else inf
        return replace(self, blocks=self._n_blocks(len(masses)), n_eff=n_eff)

    def _n_blocks(self, n_units: int) -> int:
        """Number of blocks of `n_units` documents or clusters; 0 if these are few."""
        return self.blocks * (self.resamples > 0 and n_units > PER_BLOCK * self.blocks)

    def few_notes(self) -> list[str]:
        """A note on what intervals rest on, if that is little."""
        if self.n_eff >= FEW:
            return []
        return [
            f"Intervals rest on {unit_words(self.unit)} that are worth {self.n_eff:.1f} of equal "
            f"size (n_eff): with fewer than {FEW} they are rough, and tests find little."
        ]

    def in_blocks(self, order: Order) -> Order:
        """The documents by resampled unit, and where each unit begins.

        Parameters
        ----------
        order : pair of integer arrays
            The same for documents or clusters, from `cluster_order`.
        """
        blocks = self._n_blocks(len(order[1]))
        if not blocks:
            return order
        return resampling.block_order(order, blocks, np.random.default_rng([self.seed, 3]))

    def replicas(
        self,
        score: Scorer,
        statistics: Sequence[Statistics],
        progress: Callable[..., Iterable[Any]] = iter,
    ) -> list[Scores]:
        """The `LIMITED` scores of the resamples, for several `Statistics` with equal rows.

        Empty scores (no resamples) where there is nothing to draw from.

        Parameters
        ----------
        score : Scorer
            Turns sums into scores.
        statistics : sequence of Statistics
            Of each system or run.
        progress : callable
            Wraps the resamples; for progress bars.

        Raises
        ------
        ValueError
            If the scores of all resamples need more memory than `arrays.LIMIT`.
        """
        resamples = self.resamples if n_rows(statistics) > 1 else 0
        totals = [total_and_labels(score, one.total()) for one in statistics]
        self.check_kept(sum(one["observed"].shape[-1] for one in totals))
        found = [
            {name: np.empty((resamples, *one[name].shape)) for name in LIMITED if name in one}
            for one in totals
        ]
        rng = np.random.default_rng(self.seed)
        weights = resampling.bootstrap_weights(n_rows(statistics), resamples, rng)
        parts = [part for one in statistics for part in one.parts()]
        for some, sums in resampling.resampled(parts, weights, progress):
            waiting = iter(sums)
            for kept, one in zip(found, statistics):
                scores = total_and_labels(score, one.each(lambda part: next(waiting)))  # noqa: B023
                for name, array in kept.items():
                    array[some] = scores[name]
        return found

    def check_kept(self, n_scores: int) -> None:
        """Raise if that many scores of all resamples need more memory than `arrays.LIMIT`.

        Parameters
        ----------
        n_scores : int
            Those that have an interval: of each system or pair, of all labels and of each.
        """
        what = f"for {n_scores:,} scores (of systems or pairs, by label)"
        check_memory("resamples", self.resamples, KEPT * n_scores, what)

    def left_out(self, score: Scorer, statistics: Statistics) -> Scores:
        """`total_and_labels` without each row, if the interval needs that.

        Parameters
        ----------
        score : Scorer
            Turns sums into scores.
        statistics : Statistics
            A row for each resampled unit.
        """
        if self.interval != "bca" or n_rows([statistics]) < 2:
            return {}
        scores: Scores = resampling.leave_one_out(
            statistics.parts(), lambda *parts: total_and_labels(score, Statistics(*parts))
        )
        return scores

    def limits(
        self, values: FloatArray, replicas: FloatArray, left_out: FloatArray | None = None
    ) -> FloatArray:
        """Low and high limits of scores, with another axis of length 2 in front.

        Parameters
        ----------
        values : float array
            The scores of the whole corpus.
        replicas : float array
            Those of the resamples, along the first axis.
        left_out : float array, optional
            Those without each unit, as `left_out` gives them; for "bca".
        """
        if not len(replicas):
            return np.full((2, *values.shape), np.nan)
        return resampling.interval(
            values,
            replicas,
            level=self.level,
            kind=self.interval,
            jackknife=left_out,
            n_eff=self.n_eff,
        )


def unit_masses(places: IntArray, masses: Array) -> FloatArray:
    """The mass of each resampled unit: the sum of those of its documents.

    Parameters
    ----------
    places : integer array of shape (n_docs,)
        The cluster of each document; -1 for those that are not resampled.
    masses : array of shape (n_docs,)
        Number of spans of gold in each document, or of all annotators where none is gold.
    """
    kept = places >= 0
    unit = np.unique(places[kept], return_inverse=True)[1]
    return np.bincount(unit, masses[kept]).astype(float)


def limit_columns(limits: Mapping[str, Any]) -> dict[str, Any]:
    """Columns `low` and `high` of the headline; of the observed score beside it `observed_low` ...

    Parameters
    ----------
    limits : mapping of str to pair
        Low and high limits, by the name of the score.
    """
    columns: dict[str, Any] = {}
    for name, (low, high) in limits.items():
        beside = "" if name == headline_name(limits) else f"{name}_"
        columns |= {f"{beside}low": low, f"{beside}high": high}
    return columns


def cluster_places(clusters: Sequence[Any] | None, n: int, item: str = "document") -> IntArray:
    """A number for the cluster of each of `n` items, by the names of their clusters.

    Without `clusters`, or for None among them, an item is a cluster of its own.
    """
    if clusters is None:
        return np.arange(n)
    if hasattr(clusters, "items"):
        raise ValueError(
            f"clusters are by name; expected a list, in the order of the {item}s: of a Series "
            "clusters.to_list(), of a mapping [clusters[name] for name in names]"
        )
    if len(clusters) != n:
        raise ValueError(f"clusters need one entry per {item} ({n}), not {len(clusters)}")
    if not all(isinstance(name, Hashable) for name in clusters):
        raise ValueError("clusters have lists for names; expected a text or number for each")
    index = {name: place for place, name in enumerate(clusters) if name is not None}
    return np.array([index.get(name, place) for place, name in enumerate(clusters)], np.int64)


def unit_words(unit: str) -> str:
    """The resampled units in a sentence: "documents", "clusters (by article)"."""
    return unit if unit in ("documents", "clusters") else f"clusters (by {unit})"


CLUSTERS = ("none", "auto")  # beside the attributes of documents


def cluster_unit(unit: str, clusters: object) -> str:
    """The resampled unit in signatures: clusters are never called documents."""
    return "clusters" if clusters is not None and unit == "documents" else unit


def alone_notes(unit: str, clusters: Sequence[Any] | None) -> list[str]:
    """A note on the documents without a cluster, if there are any."""
    alone = list(clusters or ()).count(None)
    note = f"{alone} documents have no {quoted(unit)}: each is a cluster of its own."
    return [note] if alone else []


def article_clusters(articles: Sequence[Any]) -> tuple[str, list[Any] | None]:
    """The resampled unit, and the name of each document's cluster (None: the documents).

    `articles` has the article of each document, None where it is unknown: they are the clusters if
    all are known.
    """
    known = len(articles) > 0 and None not in articles
    return ("article", list(articles)) if known else ("documents", None)
