"""Scores of the pairs of a crowd, batch by batch, with their means and intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..measures.arrays import Array, FloatArray, IntArray, check_memory
from ..measures.resampling import arrays_of, bootstrap_weights, slices
from ..measures.stats import ratio
from ..metrics.request import Scorer
from .crowds import CrowdPairs, KeyedRows, MergedRows, PairRows, parts_of
from .intervals import LIMITED, Resampling
from .statistics import Scores, Statistics, columns, total_and_labels

Key = tuple[Any, ...]
MEAN: Key = ("mean",)
NAMES = ("value", "observed", "expected")
OF_ALL = "of all, "  # before names: means of all pairs, also those without a value
NUMBERS = 1 << 21  # numbers of resampled sums that are in memory at a time
SCORES = 1 << 21  # resampled scores that are in memory at a time
# bytes that a resample takes: for each unit its weight, and that in a pair; sums of each annotator
WEIGHT, SHARED = 10, 80
LABELLED_PAIRS = 20_000  # pairs, both ways, that have scores by label: of more no room is left


@dataclass(frozen=True, eq=False)
class CrowdScores:
    """The scores of the pairs of a crowd, of their means, and against majorities.

    Parameters
    ----------
    scores, limits, undefined
        Those of `PanelScore`.
    """

    scores: Mapping[Key, Any]
    limits: Mapping[Key, Any]
    undefined: float


@dataclass(frozen=True, eq=False)
class _Units:
    """The resampled units of documents, and how often each is in a resample.

    `unit` has the number of each document, `weights` the shape (n_resamples, n_units).
    """

    unit: IntArray
    weights: Array

    @cached_property
    def most(self) -> int:
        """How often a unit is drawn at most."""
        return int(self.weights.max(initial=0))


def score_crowd(
    pairs: CrowdPairs,
    n_annotators: int,
    order: tuple[IntArray, IntArray] | None,
    intervals: Resampling,
    progress: Callable[[Any], Iterable[Any]],
) -> CrowdScores:
    """The `CrowdScores` of one request; `order` is that of `Counts.order`, None without limits."""
    score, n_labels = pairs.request.scorer(), len(pairs.crowd.panel.labels)
    samples = _samples(order, intervals, n_annotators, pairs.crowd.panel.seen.shape[1])
    large = has_many_pairs(pairs)
    means = [_Means(n_annotators, one) for one in samples]
    tables, others = _Tables(intervals), _Tables(intervals)
    step = max(SCORES // (max(intervals.resamples, 1) * (1 + n_labels)), 1)
    for rows in progress(parts_of(pairs.pairs(), step)):
        who = rows.annotators if pairs.request.is_symmetric else rows.annotators[:, 1:]
        found = [_resampled(score, rows, units) for units in samples]
        for mean, one in zip(means, found):
            mean.add(one, who)
        tables.add(rows.keys, [one.each() for one in found[: 1 if large else None]])
    of_pairs: tuple[dict[Key, Any], dict[Key, Any], float] = {}, {}, 0.0
    if tables.keys:
        of_pairs = _of_pairs(means, others, intervals)
    for rows in parts_of(pairs.majorities(), step) if n_annotators > 2 else ():
        some = samples[: 1 if large else None]
        tables.add(rows.keys, [_resampled(score, rows, units).each() for units in some])
    scores, limits, undefined = of_pairs
    return CrowdScores(
        MergedRows(scores, others.scores(), tables.scores()),
        MergedRows(limits, others.limits(), tables.limits()),
        undefined,
    )


def _of_pairs(
    means: list[_Means], others: _Tables, intervals: Resampling
) -> tuple[dict[Key, Any], dict[Key, Any], float]:
    """Scores and limits of the mean of the pairs, and how often it is undefined.

    Those of the annotators against all others become rows of `others`.
    """
    by_annotator = [mean.by_annotator() for mean in means]
    weighed = means[0].compared
    for some in slices(len(weighed), 512):
        places = np.flatnonzero(weighed[some]) + some.start
        keys: list[Key] = [("others", number) for number in places.tolist()]
        others.add(keys, [{n: a[places] for n, a in one.items()} for one in by_annotator])
    whole, *drawn = [mean.mean() for mean in means]
    scores = {MEAN: {name: one[0] for name, one in whole.items()}}
    if not drawn:
        return scores, {}, 0.0
    defined = ~np.isnan(scores[MEAN]["value"][0])
    undefined = float(defined and np.isnan(drawn[0]["value"][:, 0]).mean())
    return scores, {MEAN: _limits(intervals, [whole, *drawn])}, undefined


def has_many_pairs(pairs: CrowdPairs) -> bool:
    """Whether there is no room for labels and intervals of the pairs."""
    n_pairs = sum(len(annotators) for annotators, _ in pairs.crowd.pairs)
    return n_pairs * (1 if pairs.request.is_symmetric else 2) > LABELLED_PAIRS


def document_means(pairs: CrowdPairs) -> dict[str, FloatArray]:
    """Mean scores of the pairs of each document, shape (n_docs,)."""
    n_docs = pairs.crowd.panel.seen.shape[1]
    sums, numbers = np.zeros((2, len(NAMES), n_docs))
    for rows in pairs.pairs():
        found = columns(pairs.request.scorer(), rows.statistics.pooled())
        for i, name in enumerate(NAMES):
            scores = found[name][..., 0]
            defined = ~np.isnan(scores)
            np.add.at(sums[i], rows.docs[defined], scores[defined])
            np.add.at(numbers[i], rows.docs[defined], 1)
    return dict(zip(NAMES, ratio(sums, numbers)))


def _samples(
    order: tuple[IntArray, IntArray] | None, intervals: Resampling, n_annotators: int, n_docs: int
) -> list[_Units]:
    """The sample, its resamples if there are limits, and for bca that without each unit."""
    samples = [_Units(np.zeros(n_docs, np.int64), np.ones((1, 1), np.uint8))]
    if order is None or not intervals.resamples or len(order[1]) < 2:
        return samples
    docs, begin = order
    unit = np.full(n_docs, -1)
    unit[docs] = np.repeat(np.arange(len(begin)), np.diff(np.append(begin, len(docs))))
    n = len(begin)
    each = WEIGHT * n + SHARED * n_annotators
    what = f"for {n:,} documents and {n_annotators:,} annotators"
    check_memory("resamples", intervals.resamples, each, what)
    weights = np.zeros((intervals.resamples, n), np.uint16)
    rng = np.random.default_rng(intervals.seed)
    for some, rows, block in bootstrap_weights(n, intervals.resamples, rng):
        weights[some, rows] = block
    samples.append(_Units(unit, weights))
    if intervals.interval == "bca":
        samples.append(_Units(unit, 1 - np.eye(n, dtype=np.uint8)))
    return samples


# --- the scores of a batch


@dataclass(frozen=True, eq=False)
class _Replicas:
    """The scores of some pairs in the resamples.

    Of few documents there are fewer ways to draw them than resamples: those are scored.

    Parameters
    ----------
    scores : mapping of str to array of shape (n_pairs, n_ways, n_columns)
    shared : integer array of shape (n_pairs or 1, n_ways)
        The documents that both saw.
    way : integer array of shape (n_pairs, n_resamples), optional
        Which way each resample is; by default each is one.
    units : integer array of shape (n_pairs, n)
        The units of the documents.
    """

    scores: Scores
    shared: IntArray
    way: IntArray | None
    units: IntArray

    def each(self) -> Scores:
        """The scores of each resample: shape (n_pairs, n_resamples, n_columns)."""
        return {name: self.drawn(one) for name, one in self.scores.items()}

    def drawn(self, array: Array) -> Array:
        """The values of each way, for each resample: shape (n_pairs, n_resamples, ...)."""
        if self.way is None:
            return array
        return array[np.arange(len(self.way))[:, None], self.way]


def _resampled(score: Scorer, rows: PairRows, units: _Units) -> _Replicas:
    """The replicas of some pairs."""
    n_pairs, n = rows.docs.shape
    at = units.unit[rows.docs]
    n_values, n_resamples = units.most + 1, len(units.weights)
    drawn = units.weights[:, at].transpose(1, 0, 2).astype(np.int64)
    way = None
    if n_values**n < n_resamples:
        way = drawn @ n_values ** np.arange(n - 1, -1, -1)
        drawn = np.indices((n_values,) * n).reshape(n, -1).T[None]
    size = max(array[0, 0].size for one in rows.statistics.parts() for array in arrays_of(one))
    step = max(NUMBERS // (drawn.shape[1] * size), 1)
    parts = [
        total_and_labels(score, _products(rows.statistics, drawn, some, way is not None))
        for some in slices(n_pairs, step)
    ]
    scores = {name: np.concatenate([one[name] for one in parts]) for name in NAMES}
    return _Replicas(scores, drawn.sum(axis=-1), way, at)


def _products(statistics: Statistics, drawn: IntArray, some: slice, same: bool) -> Statistics:
    """Weighted sums over the documents of some pairs: arrays of shape (n_pairs, n_ways, ...)."""
    weights = (drawn if same else drawn[some]).astype(float)

    def product(array: Array) -> FloatArray:
        mine = array[some]
        sums = weights @ mine.reshape(*mine.shape[:2], -1).astype(float)
        shaped: FloatArray = sums.reshape(*sums.shape[:2], *mine.shape[2:])
        return shaped

    return statistics.arrays(product)


# --- means, and tables of all


class _Means:
    """Means of the pairs, weighted by the documents that both saw; and of those of annotators.

    Sums of scores and of weights, by name: of all pairs, by resample and column; of annotators, of
    all labels together; and of pairs that share one document, by the unit and how often it is
    drawn, as these are the most.
    """

    def __init__(self, n_annotators: int, units: _Units) -> None:
        self.units, self.n_annotators = units, n_annotators
        self.names = NAMES if len(units.weights) == 1 else LIMITED
        self.compared = np.zeros(n_annotators, bool)  # with anybody
        self.pairs: dict[str, FloatArray] = {}
        self.others: dict[str, FloatArray] = {}
        self.alone: dict[str, FloatArray] = {}

    def add(self, replicas: _Replicas, annotators: IntArray) -> None:
        """Add the scores of some pairs, which count for some annotators."""
        self.compared[annotators.ravel()] = True
        n_resamples, n_units = self.units.weights.shape
        unscored = np.isnan(replicas.scores["value"])
        of_scored = {n: np.where(unscored, np.nan, replicas.scores[n]) for n in self.names}
        of_all = {OF_ALL + name: replicas.scores[name] for name in self.names[1:]}
        for name, found in (of_scored | of_all).items():
            if name not in self.pairs:
                self.pairs[name] = np.zeros((2, n_resamples, found.shape[-1]))
                self.others[name] = np.zeros((2, self.n_annotators, n_resamples))
                shape = 2, n_units, self.units.most + 1, found.shape[-1]
                self.alone[name] = np.zeros(shape)
            weights = replicas.shared[..., None] * ~np.isnan(found)
            for i, one in enumerate((weights * np.nan_to_num(found), weights)):
                if replicas.way is not None and replicas.units.shape[1] == 1:
                    np.add.at(self.alone[name][i], replicas.units[:, 0], one)
                else:
                    self.pairs[name][i] += replicas.drawn(one).sum(axis=0)
                whole = replicas.drawn(one[..., 0])
                for side in annotators.T:
                    _add_rows(self.others[name][i], side, whole)

    def mean(self) -> Scores:
        """Of all pairs: arrays of shape (n_resamples, n_columns)."""
        sums = {name: array.copy() for name, array in self.pairs.items()}
        for name, table in self.alone.items():
            for drawn in range(table.shape[2]):
                times = (self.units.weights == drawn).astype(float)
                sums[name] += times @ table[:, :, drawn]
        return self._means({name: ratio(*one) for name, one in sums.items()})

    def by_annotator(self) -> Scores:
        """Of all labels together: arrays of shape (n_annotators, n_resamples, 1)."""
        return self._means({name: ratio(*one)[..., None] for name, one in self.others.items()})

    def _means(self, found: Scores) -> Scores:
        """Those of the pairs that have a value; of all pairs where none has."""
        return {
            name: np.where(np.isnan(found["value"]), found.get(OF_ALL + name, np.nan), found[name])
            for name in self.names
            if name in found
        }


def _add_rows(sums: FloatArray, place: IntArray, rows: FloatArray) -> None:
    """Add rows to those of a table, of which some may be meant several times."""
    order = np.argsort(place, kind="stable")
    begin = np.flatnonzero(np.append(True, np.diff(place[order]) > 0))
    sums[place[order][begin]] += np.add.reduceat(rows[order], begin, axis=0)


class _Tables:
    """Scores and limits by key, as tables."""

    def __init__(self, intervals: Resampling) -> None:
        self.intervals = intervals
        self.keys: list[Key] = []
        self.limited: list[Key] = []
        self._scores: list[Scores] = []
        self._limits: list[Scores] = []

    def add(self, keys: list[Key], scores: list[Scores]) -> None:
        """Add arrays of shape (n_keys, n_resamples, n_columns): the sample, then resamples."""
        self.keys += keys
        self._scores.append({name: one[:, 0] for name, one in scores[0].items()})
        if len(scores) > 1:
            self.limited += keys
            drawn = [{n: one[n].swapaxes(0, 1) for n in LIMITED} for one in scores]
            self._limits.append(_limits(self.intervals, drawn, axis=1))

    def scores(self) -> KeyedRows:
        """Scores by key."""
        return KeyedRows(self.keys, _joined(self._scores))

    def limits(self) -> KeyedRows:
        """Limits by key."""
        return KeyedRows(self.limited, _joined(self._limits))


def _joined(tables: list[dict[str, FloatArray]]) -> dict[str, FloatArray]:
    """Several tables as one."""
    return {name: np.concatenate([one[name] for one in tables]) for name in (tables or [{}])[0]}


def _limits(intervals: Resampling, scores: list[Scores], axis: int = 0) -> dict[str, FloatArray]:
    """Limits, from scores of the sample, the resamples and, of bca, without each unit.

    The limits, low and high, become this axis.
    """
    whole, drawn, *left_out = scores
    without = left_out[0] if left_out else {}
    return {
        name: np.moveaxis(intervals.limits(whole[name][0], drawn[name], without.get(name)), 0, axis)
        for name in LIMITED
    }
