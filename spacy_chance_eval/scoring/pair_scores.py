"""Scores of pairs of annotators, batch by batch, with their means and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..measures.arrays import Array, FloatArray, IntArray, check_memory
from ..measures.resampling import (
    Order,
    arrays_of,
    bootstrap_weights,
    slices,
    weight_table,
    weighted_sums,
)
from ..measures.stats import ratio
from ..metrics.request import Request, Scorer
from .intervals import LIMITED, Resampling
from .pair_rows import TEAM, Key, PairRows, key_of, merged_rows
from .statistics import NAMES, Scores, columns, headline, headline_name, total_and_labels, wide

MEAN: Key = ("mean",)
OF_ALL = "of all, "  # before names: means of all pairs, also those without a headline
NUMBERS = 1 << 21  # numbers of resampled sums that are in memory at a time
SCORES = 1 << 21  # resampled scores that are in memory at a time
# bytes that a resample takes: for each unit its weight, and that in a pair; sums of each annotator
WEIGHT, SHARED = 10, 80
LABELLED_PAIRS = 20_000  # pairs, both ways, that have scores by label: of more no room is left
OTHERS = 512  # annotators whose intervals are made at a time


@dataclass(frozen=True, eq=False)
class PairScores:
    """The scores of pairs, of their means, against majorities, and of the team.

    Parameters
    ----------
    scores : mapping of Key to Scores
        By name, of shape (1 + n_labels,): all labels first.
    limits : mapping of Key to mapping
        Confidence limits by name of the score, of shape (2, 1 + n_labels); empty without
        resamples.
    undefined : float
        The share of the resamples in which the mean of the pairs (without pairs, the team) has no
        score.
    """

    scores: Mapping[Key, Scores]
    limits: Mapping[Key, Mapping[str, FloatArray]]
    undefined: float


def units_of(order: Order, n_docs: int) -> IntArray:
    """The number of the resampled unit of each document; -1 for those of none."""
    docs, begin = order
    unit = np.full(n_docs, -1)
    unit[docs] = np.repeat(np.arange(len(begin)), np.diff(np.append(begin, len(docs))))
    return unit


def score_rows(
    request: Request,
    rows: Iterable[PairRows],
    shape: Sequence[int],
    order: Order | None,
    intervals: Resampling,
    progress: Callable[[Any], Iterable[Any]],
) -> PairScores:
    """The `PairScores` of one request.

    Parameters
    ----------
    shape : pair of int
        Numbers of annotators and of documents.
    order : pair of integer arrays, optional
        That of `Counts.order`; None without limits.
    """
    (n_annotators, n_docs), score = shape, request.scorer()
    n_units = 1 if order is None else len(order[1])
    rows = merged_rows(
        rows, np.zeros(n_docs, np.int64) if order is None else units_of(order, n_docs)
    )
    samples = list(_samples(n_units, intervals, n_annotators))
    large = has_many_pairs(rows)

    def batches() -> Iterator[tuple[IntArray, list[Replicas]]]:
        for part in progress(list(_parts(rows, max(intervals.resamples, 1)))):
            some = samples[:1] if large and part.kind == "majority" else samples
            yield part.annotators, [_resampled(score, part, one) for one in some]

    return score_batches(batches(), n_annotators, request.is_symmetric, intervals, large)


def score_batches(
    batches: Iterable[tuple[IntArray, Sequence[Replicas]]],
    n_annotators: int,
    symmetric: bool,
    intervals: Resampling,
    large: bool = False,
) -> PairScores:
    """The `PairScores` of pairs, some at a time.

    Parameters
    ----------
    batches : iterable of (integer array, sequence of Replicas)
        Pairs as those of `PairRows`; and their scores in the sample itself, then in the resamples
        if there are any, then, for bca, without each unit.
    symmetric : bool
        Otherwise an annotator against others is the prediction, and the others are gold.
    large : bool
        Whether there is no room for limits of each pair.
    """
    tables = _Tables(intervals)
    means: list[_Means] = []
    for annotators, found in batches:
        keys = list(map(key_of, annotators.tolist()))
        limited = len(found) if not large or keys[0] == TEAM else 1
        tables.add(keys, [one.each() for one in found[:limited]])
        if keys[0][0] == "pair":
            names = [NAMES] + [LIMITED] * (len(found) - 1)
            means = means or [_Means(some, n_annotators) for some in names]
            for mean, one in zip(means, found):
                mean.add(one, annotators if symmetric else annotators[:, 1:])
    if means:
        tables.add([MEAN], [{n: a[None] for n, a in one.mean().items()} for one in means])
        by_annotator = [mean.by_annotator() for mean in means]
        compared = np.flatnonzero(means[0].compared)
        for some in slices(len(compared), OTHERS):
            places = compared[some]
            keys = [("others", number) for number in places.tolist()]
            tables.add(keys, [{n: a[places] for n, a in one.items()} for one in by_annotator])
    return tables.scored()


def mean_scores(score: Scorer, rows: Sequence[PairRows], weights: Array) -> Scores:
    """Scores of the mean of some pairs in some samples: arrays of shape (n_samples, n_columns)."""
    mean = _Means(LIMITED)
    for part in _parts(rows, len(weights)):
        mean.add(_resampled(score, part, weights))
    return mean.mean()


def has_many_pairs(rows: Iterable[PairRows]) -> bool:
    """Whether there is no room for labels and intervals of the pairs."""
    return sum(len(one.annotators) for one in rows if one.kind == "pair") > LABELLED_PAIRS


def document_means(score: Scorer, pairs: Iterable[PairRows], n_docs: int) -> Scores:
    """Mean scores of the pairs of each document, shape (n_docs,)."""
    sums: dict[str, tuple[FloatArray, FloatArray]] = {}
    for rows in pairs:
        for name, found in columns(score, rows.statistics.arrays(wide).pooled()).items():
            total, number = sums.setdefault(name, (np.zeros(n_docs), np.zeros(n_docs)))
            scores = found[..., 0]
            defined = ~np.isnan(scores)
            np.add.at(total, rows.docs[defined], scores[defined])
            np.add.at(number, rows.docs[defined], 1)
    return {name: ratio(*both) for name, both in sums.items()}


def _samples(n: int, intervals: Resampling, n_annotators: int) -> Iterator[Array]:
    """Weights (n_samples, n) of the sample, of its resamples, and, for bca, without each unit."""
    yield np.ones((1, n), np.uint8)
    if not intervals.resamples or n < 2:
        return
    each = WEIGHT * n + SHARED * n_annotators
    what = f"for {n:,} documents and {n_annotators:,} annotators"
    check_memory("resamples", intervals.resamples, each, what)
    rng = np.random.default_rng(intervals.seed)
    made = bootstrap_weights(n, intervals.resamples, rng)
    yield weight_table(made, intervals.resamples, n)
    if intervals.interval == "bca":
        yield 1 - np.eye(n, dtype=np.uint8)


def _parts(rows: Iterable[PairRows], n_samples: int) -> Iterator[PairRows]:
    """Rows divided so that the samples of none have many more scores, or weights."""
    for one in rows:
        width = 1 + max(a.shape[-1] for part in one.statistics.parts() for a in arrays_of(part))
        step = max(SCORES // n_samples // max(width, one.docs.shape[1] // 8), 1)
        for some in slices(len(one.docs), step):
            yield one.some(some)


# --- the scores of a batch


@dataclass(frozen=True, eq=False)
class Replicas:
    """The scores of some pairs in some samples.

    Of few documents there are fewer ways to draw them than samples: those are scored.

    Parameters
    ----------
    scores : mapping of str to array of shape (n_pairs, n_ways, n_columns)
    shared : array of shape (n_pairs, n_ways)
        The documents that both saw.
    way : integer array of shape (n_pairs, n_samples), optional
        Which way each sample is; by default each is one.
    """

    scores: Scores
    shared: Array
    way: IntArray | None = None

    def each(self) -> Scores:
        """The scores of each sample: shape (n_pairs, n_samples, n_columns)."""
        return {name: self.drawn(one) for name, one in self.scores.items()}

    def drawn(self, array: Array) -> Array:
        """The values of each way, for each sample: shape (n_pairs, n_samples, ...)."""
        if self.way is None:
            return array
        return array[np.arange(len(self.way))[:, None], self.way]


def _resampled(score: Scorer, rows: PairRows, weights: Array) -> Replicas:
    """The replicas of some pairs, in samples that have each unit as often as their weights say."""
    at, n = rows.docs, rows.docs.shape[1]
    few = weights.dtype.kind == "u" and 2**n < len(weights)
    n_values = int(weights.max(initial=0)) + 1 if few else 2
    if few and n_values**n < len(weights):
        way = weights[:, at].transpose(1, 0, 2) @ n_values ** np.arange(n - 1, -1, -1)
        ways = np.indices((n_values,) * n, np.uint8).reshape(n, -1).T
        return Replicas(*_scored(score, rows, ways, same=True), way)
    if (at == at[0]).all():
        mine = weights if n == weights.shape[1] else weights[:, at[0]]
        return Replicas(*_scored(score, rows, mine, same=True))
    return Replicas(*_scored(score, rows, weights[:, at].transpose(1, 0, 2), same=False))


def _scored(score: Scorer, rows: PairRows, weights: Array, same: bool) -> tuple[Scores, FloatArray]:
    """Scores of weighted sums of the documents of pairs, and the number of these documents.

    The weights have the shape (n_samples, n), the same for all pairs, or (n_pairs, n_samples, n).
    """
    arrays = [array for part in rows.statistics.parts() for array in arrays_of(part)]
    arrays.append(rows.n_docs)
    sums = _sums_of_same(arrays, weights) if same else _sums_of_each(arrays, weights)
    found = []
    for *some, n_docs in sums:
        waiting = iter(some)
        sampled = rows.statistics.arrays(lambda _: next(waiting))  # noqa: B023
        found.append(total_and_labels(score, sampled) | {"n_docs": n_docs})
    axis = 1 if same else 0
    scores = {name: np.concatenate([one[name] for one in found], axis) for name in found[0]}
    return scores, scores.pop("n_docs")


def _sums_of_same(arrays: Sequence[Array], weights: Array) -> Iterator[list[FloatArray]]:
    """Weighted sums in arrays of shape (n_pairs, n_samples, ...), of some samples at a time."""
    turned = [array.swapaxes(0, 1) for array in arrays]
    block = slice(0, len(weights)), slice(0, weights.shape[1]), weights
    for _, sums in weighted_sums(turned, [block]):
        yield [np.moveaxis(one, -1, 1) for one in sums]


def _sums_of_each(arrays: Sequence[Array], weights: Array) -> Iterator[list[FloatArray]]:
    """The same of some pairs at a time, each with weights of its own."""
    flat = [array.reshape(*array.shape[:2], math.prod(array.shape[2:])) for array in arrays]
    ends, table = np.cumsum([one.shape[2] for one in flat]), np.concatenate(flat, axis=2)
    for some in slices(len(table), max(NUMBERS // (weights.shape[1] * table.shape[2]), 1)):
        sums = np.split(weights[some].astype(float) @ table[some], ends[:-1], axis=2)
        yield [one.reshape(*one.shape[:2], *a.shape[2:]) for one, a in zip(sums, arrays)]


# --- means, and tables of all


class _Means:
    """Means of the pairs, weighted by the documents that both saw; and of those of annotators.

    Sums of scores and of weights, by name: of all pairs, by sample and column; and of annotators,
    of all labels together.
    """

    def __init__(self, names: Iterable[str], n_annotators: int = 0) -> None:
        self.names, self.n_annotators = tuple(names), n_annotators
        self.compared = np.zeros(n_annotators, bool)  # with anybody
        self.pairs: dict[str, FloatArray] = {}
        self.others: dict[str, FloatArray] = {}

    def add(self, replicas: Replicas, annotators: IntArray | None = None) -> None:
        """Add the scores of some pairs, which count for some annotators."""
        unscored = np.isnan(headline(replicas.scores))
        some = {name: one for name, one in replicas.scores.items() if name in self.names}
        of_scored = {name: np.where(unscored, np.nan, one) for name, one in some.items()}
        of_all = {OF_ALL + name: one for name, one in some.items() if name != headline_name(some)}
        for name, found in (of_scored | of_all).items():
            weights = replicas.shared[..., None] * ~np.isnan(found)
            both = weights * np.nan_to_num(found), weights
            sums = np.stack([replicas.drawn(one).sum(axis=0) for one in both])
            self.pairs[name] = self.pairs.get(name, 0) + sums
            if annotators is not None:
                self._add_others(name, [replicas.drawn(one[..., 0]) for one in both], annotators)

    def _add_others(self, name: str, both: Sequence[Array], annotators: IntArray) -> None:
        """Add sums of all labels together, of shape (n_pairs, n_samples)."""
        self.compared[annotators.ravel()] = True
        if name not in self.others:
            self.others[name] = np.zeros((2, self.n_annotators, both[0].shape[1]))
        for table, one in zip(self.others[name], both):
            for side in annotators.T:
                _add_rows(table, side, one)

    def mean(self) -> Scores:
        """Of all pairs: arrays of shape (n_samples, n_columns)."""
        return self._means({name: ratio(*one) for name, one in self.pairs.items()})

    def by_annotator(self) -> Scores:
        """Of all labels together: arrays of shape (n_annotators, n_samples, 1)."""
        return self._means({name: ratio(*one)[..., None] for name, one in self.others.items()})

    def _means(self, found: Scores) -> Scores:
        """Those of the pairs that have a headline; of all pairs where none has."""
        unscored = np.isnan(headline(found))
        return {
            name: np.where(unscored, found.get(OF_ALL + name, np.nan), found[name])
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
        self.scores: list[Scores] = []
        self.limits: list[Scores] = []
        self.undefined: dict[Key, float] = {}

    def add(self, keys: list[Key], samples: Sequence[Scores]) -> None:
        """Add arrays of shape (n_keys, n_samples, n_columns), as in `score_batches`."""
        whole, *drawn = samples
        self.keys += keys
        self.scores.append({name: one[:, 0] for name, one in whole.items()})
        if not drawn:
            return
        self.limited += keys
        limits = {}
        for name in filter(drawn[0].__contains__, LIMITED):
            many = [one[name].swapaxes(0, 1) for one in drawn]
            limits[name] = self.intervals.limits(whole[name][:, 0], *many).swapaxes(0, 1)
        self.limits.append(limits)
        if keys[0] in (MEAN, TEAM):
            undefined = np.isnan(headline(drawn[0])[0, :, 0]).mean()
            self.undefined[keys[0]] = float(undefined * ~np.isnan(headline(whole)[0, 0, 0]))

    def scored(self) -> PairScores:
        """All of them."""
        undefined = self.undefined.get(MEAN, self.undefined.get(TEAM, 0.0))
        scores, limits = _joined(self.keys, self.scores), _joined(self.limited, self.limits)
        return PairScores(scores, limits, undefined)


def _joined(keys: Sequence[Key], tables: Sequence[Scores]) -> dict[Key, Scores]:
    """The rows of several tables by key; those of all labels together have no other columns."""
    width = max((one["observed"].shape[-1] for one in tables), default=0)

    def wide(table: FloatArray) -> FloatArray:
        missing = [(0, 0)] * (table.ndim - 1) + [(0, width - table.shape[-1])]
        return np.pad(table, missing, constant_values=np.nan)

    names = tables[0] if tables else {}
    columns = [np.concatenate([wide(one[name]) for one in tables]) for name in names]
    return {key: dict(zip(names, row)) for key, *row in zip(keys, *columns)}
