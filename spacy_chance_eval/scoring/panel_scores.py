"""Scores of a panel: of all pairs, of each annotator against the others, as a team.

Everything is made of sums over documents, so one function scores the sample and its resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import isnan
from typing import Any, TypeAlias

import numpy as np

from ..measures.arrays import Array, FloatArray, IntArray
from ..measures.panel import Roster
from ..measures.resampling import arrays_of, bootstrap_weights, grouped, resampled, slices
from ..measures.stats import Additive, ratio
from ..metrics.request import Request, Scorer
from .counts import (
    INCOMPLETE,
    TEAM,
    Counted,
    Counts,
    Key,
    Progress,
    lacks_complete_items,
    no_progress,
    pairs_in_order,
    view_of,
)
from .crowd_scores import MEAN as MEAN
from .crowd_scores import document_means, has_many_pairs, score_crowd
from .crowds import MergedRows
from .intervals import LIMITED, Resampling
from .statistics import (
    CROSSED,
    Scores,
    Statistics,
    add_statistics,
    columns,
    disagreements,
    n_rows,
    plain,
    total_and_labels,
    wide,
)

# scores by key, also of ("mean",) of the pairs and of ("others", i): annotator i against each other
KeyedScores: TypeAlias = dict[Key, Scores]
ScoreRow: TypeAlias = dict[str, Any]
BLOCK = 1 << 20  # numbers of documents that are scored one by one, at a time
OF_ALL = "the coefficient of all annotators at once"
OF_SUMS = "sums of observed and expected matches over all pairs, divided once"
NO_SHARED = "no document that two of them saw"
NOTHING = "there is nothing that they could agree on: nothing marked, or nothing in common"
ONE_VALUE = "chance alone agrees fully: one and the same value everywhere"
ALONE = "agreement needs two annotators, and there is only one"
CROSSED_UNITS = f"{CROSSED}; of files, --on-error skip leaves such documents of an annotator out"
BY_LABEL = "it is of all labels together"
NO_PAIRS = "pairs of annotators were left out (--no-pairs)"
NO_MAJORITY = "there is no majority beside one other annotator"


@dataclass(frozen=True, eq=False)
class PanelScore:
    """The scores of one metric on a panel, and their origin.

    Parameters
    ----------
    panel : Roster
        `Counts`, or a panel of trees.
    scores : mapping of Key to Scores
        "value", "observed" and "expected", of shape (1 + n_labels,): all labels first.
    limits : mapping of Key to mapping
        Confidence limits of "value" and "observed", of shape (2, 1 + n_labels); empty without
        resamples.
    undefined : float
        The share of the resamples in which the mean of the pairs (without pairs, the team) has no
        score.
    """

    panel: Roster
    request: Request
    counted: Counted
    scores: Mapping[Key, Scores]
    limits: Mapping[Key, Mapping[str, FloatArray]] = field(default_factory=dict)
    draws: str = ""
    undefined: float = 0.0
    no_shared = NO_SHARED  # of the class: why annotators who share nothing have no score

    @property
    def support(self) -> IntArray:
        """Spans by label, in the documents that at least two annotators saw."""
        assert isinstance(self.panel, Counts)
        spans: IntArray = self.panel.support[TEAM][0]
        return spans

    def used(self, key: Key) -> IntArray:
        """Labels, by number, that either of a pair used in the documents that both saw."""
        assert isinstance(self.panel, Counts)
        pair: Key = ("pair", *sorted(key[1:]))
        return np.flatnonzero(self.panel.support[pair][0])

    @cached_property
    def has_many_pairs(self) -> bool:
        """Whether there are too many pairs to compute labels and intervals of each."""
        return self.counted.crowd is not None and has_many_pairs(self.counted.crowd)

    def keys_of_pairs(self) -> list[Key]:
        """The pairs, with or without statistics; both orders where these differ."""
        pairs = self.panel.compared_pairs() if self.panel.with_pairs else []
        keys: list[Key] = [("pair", i, j) for i, j in pairs]
        mirrored = [] if self.request.is_symmetric else [("pair", j, i) for _, i, j in keys]
        return sorted(keys + mirrored)

    @property
    def definition(self) -> str | None:
        """The meaning of the team's score, in words; None if there is none."""
        metric = self.request.row
        return OF_ALL if metric.team else None if metric.parts or metric.bits else OF_SUMS

    def signed(self) -> dict[str, str]:
        """Further facts for the signature: number and seed of draws, if there were any."""
        drawn = any(not one.exact for one in self.counted.statistics.values())
        return {"draws": self.draws} if drawn else {}

    def n_defined(self, keys: Iterable[Key]) -> int:
        """How many of some keys have a score."""
        return sum(key in self.scores and not isnan(self.scores[key]["value"][0]) for key in keys)

    def n_docs(self, key: Key) -> int:
        """Number of documents behind a score."""
        if key[0] == "pair":
            return self.panel.n_shared(*key[1:])
        if key[0] in ("others", "majority"):
            return int(self.panel.with_others[key[1]])
        return self.panel.n_all_shared

    def row(self, key: Key, column: int = 0) -> ScoreRow:
        """Value, observed, expected, intervals, number of shared documents, reason if undefined.

        For coefficients based on disagreement, also observed and expected disagreement.
        """
        row: ScoreRow = dict.fromkeys(("value", "observed", "expected"))
        if key in self.scores and self.n_docs(key):
            row = {name: plain(one[column]) for name, one in self.scores[key].items()}
        limits = self.limits.get(key, {})
        for name, limit in (("interval", "value"), ("observed_interval", "observed")):
            low, high = limits[limit][:, column] if limits else (np.nan, np.nan)
            row[name] = None if isnan(low) else (float(low), float(high))
        row |= {**disagreements(row, self.request), "n_docs": self.n_docs(key), "reason": None}
        if row["value"] is None:
            whole = self.row(key) if column else None
            alone = whole and (whole["value"] is not None or whole["reason"] == CROSSED_UNITS)
            row["reason"] = self._label_reason(row) if alone else self._reason(key, row)
        return row

    def _label_reason(self, row: ScoreRow) -> str:
        """Why a label has no score where all labels together have one."""
        reason = self._why_nothing(row)
        return BY_LABEL if self._of_all and reason == NOTHING else reason

    @cached_property
    def _of_all(self) -> bool:
        """Whether no label has a score of its own."""
        return all(np.isnan(scores["value"][1:]).all() for scores in self.scores.values())

    def _reason(self, key: Key, row: ScoreRow) -> str:
        """Why a score is undefined, in words."""
        if len(self.panel) < 2:
            return ALONE
        if not self.n_docs(key):
            return self.no_shared
        if key != TEAM and not self.panel.with_pairs:
            return NO_PAIRS
        if key in self.counted.reasons:
            return self.counted.reasons[key]
        if key[0] == "majority" and key not in self.scores:
            return NO_MAJORITY
        if key == TEAM and lacks_complete_items(self.request.row, self.panel):
            return INCOMPLETE.format(len(self.panel))
        faults = [self.counted.reasons[one] for one in pairs_in_order(self.counted.reasons)]
        return faults[0] if faults and key not in self.scores else self.why(row, key)

    def why(self, row: ScoreRow, key: Key = TEAM, doc: int | None = None) -> str:
        """Why counts that are there, of all documents or of one, give no score, in words."""
        known = self.counted.statistics
        some = [known[key]] if key in known else list(known.values())
        if doc is not None:
            some = [_rows_of(one, slice(doc, doc + 1)) for one in some]
        labels = self.scores[key]["value"][1:] if doc is None and key in self.scores else ()
        crossed = row["observed"] is None and not (len(labels) and np.isnan(labels).all())
        crossed = crossed and any(one.is_crossed for one in some)
        return CROSSED_UNITS if crossed else self._why_nothing(row)

    def _why_nothing(self, row: ScoreRow) -> str:
        """Why counts without value give no score, in words."""
        observed, expected = row["observed"], row["expected"]
        certain = expected > 1 - 1e-9 if expected is not None else observed is not None
        return ONE_VALUE if certain else NOTHING

    def by_document(self) -> Mapping[str, FloatArray]:
        """Value, observed and expected score of each document, and its cost to the team.

        Arrays of shape (n_docs,). The cost is how much better the team would score without the
        document. Where there is no score of the team: means of the pairs, and no cost. Nothing
        where documents are not kept apart.
        """
        team, pairs = self.counted.statistics.get(TEAM), self.counted.pairs()
        n_docs = self.panel.seen.shape[1]
        if team is None and self.counted.crowd is not None:
            found = document_means(self.counted.crowd)
            return found | {"cost": np.full(n_docs, np.nan)}
        if team is None and not pairs:
            return {}
        if n_rows([team or self.counted.statistics[pairs[0]]]) != n_docs:
            return {}
        rows_of = self._team_rows if team else self._pair_rows
        arrays = arrays_of((team or self.counted.statistics[pairs[0]]).observed)
        width = max(array[:1].size for array in arrays)
        step = max(BLOCK // max(width, 1), 1)
        blocks = [rows_of(some) for some in slices(max(n_docs, 1), step)]
        return {name: np.concatenate([one[name] for one in blocks]) for name in blocks[0]}

    def _team_rows(self, some: slice) -> dict[str, FloatArray]:
        """Rows of `by_document` for some documents, from the statistics of the team."""
        score, team = self.request.scorer(), self.counted.statistics[TEAM]
        pooled = _rows_of(team, some).pooled()
        rows = {name: column[:, 0] for name, column in columns(score, pooled).items()}
        rest = add_statistics(pooled.arrays(np.negative), team.total().pooled())
        without = columns(score, rest)["value"][:, 0]
        sign = 1 if self.request.row.higher_is_better else -1
        return rows | {"cost": sign * (without - self.scores[TEAM]["value"][0])}

    def _pair_rows(self, some: slice) -> dict[str, FloatArray]:
        """Rows of `by_document` for some documents, from the statistics of the pairs."""
        score, pairs = self.request.scorer(), self.counted.pairs()
        scores = [
            columns(score, _rows_of(self.counted.statistics[key], some).pooled()) for key in pairs
        ]
        weights = shared_documents(self.panel, pairs)[some].T[..., None]
        rows = {
            name: weighted_mean_of_defined(np.stack([one[name] for one in scores]), weights)[:, 0]
            for name in ("value", "observed", "expected")
        }
        return rows | {"cost": np.full(len(rows["value"]), np.nan)}


def score_panel(
    counts: Counts,
    requests: Iterable[Request],
    *,
    clusters: Sequence[Any] | None = None,
    intervals: Resampling,
    draws: str = "",
    progress: Progress = no_progress,
) -> list[PanelScore]:
    """The `PanelScore` of each request, in order."""
    orders: dict[str, tuple[IntArray, IntArray]] = {}
    scores = []
    for request in requests:
        report = partial(progress, total=None, what=request.metric)
        counted, seen = counts.metrics[str(request)], counts.seen_by(request)
        view = view_of(request, bool(counts.usable))
        if intervals.resamples and view not in orders:
            orders[view] = intervals.in_blocks(seen.order(clusters))
        one = score_metric(seen, request, counted, orders.get(view), intervals, report)
        scores.append(replace(one, draws=draws))
    return scores


def score_metric(
    panel: Roster,
    request: Request,
    counted: Counted,
    order: tuple[IntArray, IntArray] | None,
    intervals: Resampling,
    progress: Callable[[Any], Iterable[Any]],
) -> PanelScore:
    """The `PanelScore` of one metric; `order` is that of `Counts.order`, None without intervals."""
    if counted.crowd is not None:
        alone = replace(counted, crowd=None)
        team = score_metric(panel, request, alone, order, intervals, progress)
        found = score_crowd(counted.crowd, len(panel), order, intervals, progress)
        return PanelScore(
            panel,
            request,
            counted,
            MergedRows(team.scores, found.scores),
            MergedRows(team.limits, found.limits),
            undefined=found.undefined,
        )
    pairs = counted.pairs()
    scored = partial(
        score_sums,
        request.scorer(),
        n_annotators=len(panel),
        symmetric=request.is_symmetric,
    )
    totals = {key: one.total() for key, one in counted.statistics.items()}
    scores = scored(totals, np.array([panel.n_shared(*key[1:]) for key in pairs]))
    if order is None or not intervals.resamples or len(order[1]) < 2 or not totals:
        return PanelScore(panel, request, counted, scores)
    group = partial(grouped, order=order, known={})
    units = {key: one.each(group) for key, one in counted.statistics.items()}
    shared: SharedDocuments = group(SharedDocuments(shared_documents(panel, pairs)))
    intervals.check_kept(sum(one["value"].shape[-1] for one in scores.values()))
    replicas = _replicas(scored, units, shared, len(order[1]), intervals, progress)
    left_out: KeyedScores = {}
    if intervals.interval == "bca":
        without = {key: one.each(_leave_one_out) for key, one in units.items()}
        left_out = scored(without, _leave_one_out(shared).docs)
    limits, undefined = limits_of(intervals, scores, replicas, left_out)
    return PanelScore(panel, request, counted, scores, limits, undefined=undefined)


# --- means


def score_sums(
    score: Scorer,
    sums: Mapping[Key, Statistics],
    shared: Array,
    n_annotators: int,
    symmetric: bool,
) -> KeyedScores:
    """Scores of sums over documents, arrays of shape (..., n_labels); see `with_means`."""
    scores = {key: total_and_labels(score, one) for key, one in sums.items()}
    return with_means(scores, shared, n_annotators, symmetric)


def with_means(
    scores: KeyedScores, shared: Array, n_annotators: int, symmetric: bool = True
) -> KeyedScores:
    """Scores by key, with those of the mean of the pairs, and of each annotator against others.

    Observed and expected scores are means over the pairs that have a value, too, so that they are
    of the same pairs; over all of them if none has a value.

    Parameters
    ----------
    shared : array of shape (..., n_pairs)
        Documents that count for each pair, in the order of the pairs among `scores`: their weights.
    symmetric : bool
        Otherwise an annotator against others is the prediction, and the others are gold.
    """
    pairs = [key for key in scores if key[0] == "pair"]
    groups: dict[Key, list[Key]] = {MEAN: pairs}
    for number in range(n_annotators):
        mine = [key for key in pairs if number in (key[1:] if symmetric else key[2:])]
        groups["others", number] = mine
    column = {key: shared[..., i, None] for i, key in enumerate(pairs)}
    means = dict(scores)
    for group, members in groups.items():
        if members:
            weights = np.stack([column[key] for key in members])
            some = {
                name: np.stack([scores[key][name] for key in members])
                for name in ("value", "observed", "expected")
            }
            scored = ~np.isnan(some["value"])
            scored |= ~scored.any(axis=0)
            means[group] = {
                name: weighted_mean_of_defined(np.where(scored, one, np.nan), weights)
                for name, one in some.items()
            }
    return means


def weighted_mean_of_defined(values: FloatArray, weights: Array) -> FloatArray:
    """Weighted mean of the defined values along the first axis; nan if there are none."""
    defined = ~np.isnan(values)
    weights = np.broadcast_to(weights, values.shape) * defined
    return ratio((weights * np.where(defined, values, 0)).sum(axis=0), weights.sum(axis=0))


def shared_documents(panel: Roster, pairs: Iterable[Key]) -> IntArray:
    """Whether each of some pairs shares a document, 1 or 0: shape (n_docs, n_pairs)."""
    seen = [panel.seen[list(key[1:])].all(axis=0) for key in pairs]
    both: IntArray = np.array(seen, np.int8).reshape(len(seen), panel.seen.shape[1]).T
    return both


def _rows_of(statistics: Statistics, some: slice) -> Statistics:
    """Some rows of `Statistics`, integers at full size: they may be kept in few bytes."""
    return statistics.each(lambda part: part[some]).arrays(wide)


# --- resamples


@dataclass(frozen=True, eq=False)
class SharedDocuments(Additive):
    """`shared_documents`, and sums of such rows."""

    docs: Array


def limits_of(
    intervals: Resampling,
    scores: Mapping[Key, Scores],
    replicas: Mapping[Key, Scores],
    left_out: Mapping[Key, Scores],
) -> tuple[dict[Key, dict[str, FloatArray]], float]:
    """`limits` and `undefined` of a `PanelScore`.

    From the scores of resamples and, of bca intervals, those without each row.
    """
    limits = {
        key: {
            name: intervals.limits(scores[key][name], many[name], left_out.get(key, {}).get(name))
            for name in LIMITED
        }
        for key, many in replicas.items()
    }
    leading = MEAN if MEAN in replicas else TEAM
    if leading not in replicas or isnan(scores[leading]["value"][0]):
        return limits, 0.0
    return limits, float(np.isnan(replicas[leading]["value"][:, 0]).mean())


def _leave_one_out(statistics: Any) -> Any:
    """The sums without each row."""
    return statistics.each(np.negative) + statistics.total()


def _replicas(
    scored: Callable[[Mapping[Key, Statistics], Array], KeyedScores],
    units: Mapping[Key, Statistics],
    shared: SharedDocuments,
    n_rows: int,
    intervals: Resampling,
    progress: Callable[[Any], Iterable[Any]],
) -> KeyedScores:
    """Scores of the resamples; `scored` takes their sums, and the weights of pairs."""
    parts = [part for one in units.values() for part in one.parts()]
    rng = np.random.default_rng(intervals.seed)
    weights = bootstrap_weights(n_rows, intervals.resamples, rng)
    found: dict[Key, dict[str, list[FloatArray]]] = {}
    for _, some in resampled([*parts, shared], weights, progress):
        sums = iter(some)
        totals = {key: one.each(lambda part: next(sums)) for key, one in units.items()}  # noqa: B023
        weights_of_pairs = next(sums)
        assert isinstance(weights_of_pairs, SharedDocuments)
        for key, scores in scored(totals, weights_of_pairs.docs).items():
            kept = found.setdefault(key, {name: [] for name in LIMITED})
            for name in LIMITED:
                kept[name].append(scores[name])
    return {
        key: {name: np.concatenate(kept.pop(name)) for name in LIMITED}
        for key, kept in found.items()
    }
