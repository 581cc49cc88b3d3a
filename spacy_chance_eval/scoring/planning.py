"""How many more documents? Widths of intervals and power of tests as the documents grow.

The documents at hand stand for all: a sample of n of them, drawn with replacement, stands for a
corpus of n documents. Scores are made of sums, so that a sample costs a weighted sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from math import inf
from typing import Any, TypeAlias

import numpy as np

from ..about import __version__
from ..formats.errors import known
from ..measures.arrays import Array, BoolArray, FloatArray
from ..measures.messages import quoted
from ..measures.panel import Roster
from ..measures.resampling import (
    RESAMPLES,
    TESTS,
    TIE,
    Order,
    WeightBlock,
    bootstrap_weights,
    grouped,
    interval,
    normal_quantiles,
    resampled,
    slices,
    weight_table,
)
from ..measures.stats import Additive
from ..metrics.request import Request, Scorer
from .counts import Counted, Counts, Progress, no_progress
from .intervals import Resampling, unit_words
from .pair_rows import TEAM, Key, merged_rows
from .pair_scores import MEAN, mean_scores, units_of
from .ranking import SCORE_COLUMNS, Comparison
from .scores import signature
from .statistics import Statistics, n_rows, plain, total_and_labels
from .warnings import count_warnings

TIMES = (0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)  # numbers of documents, relative
STEP = 1e-3  # share of a row that is added and taken away, for derivatives
DRAWN = 4  # times the memory of a score with limits: its spreads, and samples of two numbers
FEWEST = 10  # samples, below which there is no distribution to speak of
WHICH = ("adjacent", "all")  # pairs of more than two systems
CHUNK = 2**21  # numbers that are in memory at a time, for derivatives

Sums: TypeAlias = Sequence[Additive]

WIDTH, PANEL_WIDTH = 0.02, 0.05  # half-widths: of scores and differences, and of agreement
LEAST = 2  # documents, below which there is nothing to draw from
A_TOTAL = "it is a total, which grows with the number of documents; plan for slicm_norm"


@dataclass(frozen=True)
class PlanOptions:
    """The goals of a plan, and how it is made: the parameters of `plan`."""

    width: float | None = None
    power: float = 0.8
    comparison: Comparison = Comparison()
    pairs: str = WHICH[0]
    score: str = "corrected"
    intervals: Resampling = Resampling(1000)
    progress: Progress = no_progress

    def __post_init__(self) -> None:
        known(self.pairs, WHICH, "value of pairs")
        known(self.score, SCORE_COLUMNS, "score")
        if self.intervals.resamples < FEWEST:
            raise ValueError(
                f"resamples is {self.intervals.resamples}; a plan is made of samples: expected "
                f"1000 or so, {FEWEST} at least"
            )
        if self.intervals.interval != "percentile":
            raise ValueError(
                f"interval is {quoted(self.intervals.interval)}; a plan has percentile intervals "
                "only"
            )
        if self.width is not None and not 0 < self.width < inf:
            raise ValueError(
                f"width is {quoted(self.width)}; expected a half-width above 0, such as .02"
            )
        if not self.comparison.alpha < self.power < 1:
            raise ValueError(
                f"power is {quoted(self.power)}; expected a number between alpha "
                f"({self.comparison.alpha}) and 1, such as .8"
            )

    def score_of(self, request: Request) -> str:
        """The score of a metric that is planned for: observed without a chance model."""
        return self.score if request.is_corrected else "observed"


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of a system or of a panel, and how sums of them are scored.

    Parameters
    ----------
    parts : sequence of Additive
        Statistics with one row for each resampled unit.
    score : callable
        score(sums of the parts) returns an array of shape (..., 1 + n_labels): all labels first.
    """

    parts: Sums
    score: Callable[[Sums], FloatArray]

    @property
    def n_rows(self) -> int:
        """Number of resampled units."""
        return n_rows([Statistics(self.parts[0])])

    def total(self) -> list[Additive]:
        """Sums over all rows."""
        return [part.total() for part in self.parts]

    def value(self) -> FloatArray:
        """The score of all rows."""
        return self.score(self.total())

    def sampled(self, weights: Iterable[WeightBlock]) -> Iterator[FloatArray]:
        """Scores of some samples at a time."""
        return (self.score(sums) for _, sums in resampled(self.parts, weights))

    def slopes(self, at: Sums, rows: Sums) -> FloatArray:
        """Derivatives of the score at some sums, in the direction of each row.

        Shape (n_rows, 1 + n_labels); by differences on both sides of the sums.
        """
        width = self.score(at).shape[-1]
        found = []
        for some in slices(n_rows([Statistics(rows[0])]), max(1, CHUNK // width**2)):
            steps = [row[some].each(lambda array: STEP * array) for row in rows]
            ahead = self.score([step + sums for step, sums in zip(steps, at)])
            behind = self.score([step.each(np.negative) + sums for step, sums in zip(steps, at)])
            found.append((ahead - behind) / (2 * STEP))
        return np.concatenate(found)


def system_sample(score: Scorer, statistics: Statistics, order: Order, of: str) -> Sample:
    """The `Sample` of a system by its score `of`, "corrected" or "observed".

    `order` has the documents by resampled unit, and where each unit begins.
    """
    units = statistics.each(partial(grouped, order=order, known={}))

    def scored(sums: Sums) -> FloatArray:
        observed, *expected = sums
        whole = Statistics(observed, expected[0] if expected else None)
        return total_and_labels(score, whole)[of]

    return Sample(units.parts(), scored)


@dataclass(frozen=True, eq=False)
class PanelSample:
    """The same of the mean of the pairs of a panel, or of its team.

    score(weights) returns the scores of samples, from weights of shape (n_samples, n_rows).
    """

    score: Callable[[Array], FloatArray]
    n_rows: int

    def value(self) -> FloatArray:
        """The score of all rows."""
        (value,) = self.score(np.ones((1, self.n_rows)))
        return np.asarray(value)

    def sampled(self, weights: Iterable[WeightBlock]) -> Iterator[FloatArray]:
        """Scores of some samples at a time."""
        kept = list(weights)
        table = weight_table(kept, kept[-1][0].stop, self.n_rows)
        return (self.score(table[some]) for some in slices(len(table), RESAMPLES))


def panel_sample(
    panel: Roster, request: Request, counted: Counted, order: Order, of: str
) -> tuple[Key, PanelSample]:
    """The sample of annotators, and whether it is of the mean of the pairs or of the team.

    The team, where the pairs were left out.
    """
    if request.row.bits:
        raise ValueError(A_TOTAL)
    pairs = counted.of_kind("pair")
    if not counted.rows:
        reason = next(iter(counted.reasons.values()), "there are no pairs of annotators")
        raise ValueError(reason)
    units = units_of(order, panel.seen.shape[1])
    rows, scorer = merged_rows(pairs or counted.of_kind("team"), units), request.scorer()

    def score(weights: Array) -> FloatArray:
        scores: FloatArray = mean_scores(scorer, rows, weights)[of]
        return scores

    return MEAN if pairs else TEAM, PanelSample(score, len(order[1]))


# --- differences of two systems


@dataclass(frozen=True, eq=False)
class _Influence(Additive):
    """By unit and column: squares of influences, the influences, and whether exchanges matter.

    Parameters
    ----------
    value, square : array
        Influence of a unit on the difference, for all units together 0.
    exchanged : array
        Square of half the change of the difference when the unit is exchanged.
    moving : array
        Whether it changes the difference.
    """

    value: Array
    square: Array
    exchanged: Array
    moving: Array


def _influence(one: Sample, other: Sample) -> _Influence:
    """The `_Influence` of each unit on the difference of two scores."""
    slopes = (sample.slopes(sample.total(), sample.parts) for sample in (one, other))
    value = np.nan_to_num(next(slopes) - next(slopes))
    middle = [(a + b).each(lambda array: array / 2) for a, b in zip(one.total(), other.total())]
    apart = [a + b.each(lambda array: -array.astype(float)) for a, b in zip(one.parts, other.parts)]
    exchanged = np.nan_to_num(one.slopes(middle, apart)) ** 2
    return _Influence(value, value**2, exchanged, (exchanged > TIE**2).astype(np.int64))


def _sample_pair(
    one: Sample, other: Sample, influence: _Influence, weights: Iterable[WeightBlock], n: int
) -> Iterator[tuple[FloatArray, _Influence]]:
    """Differences in some samples of `n` units at a time, and the influences summed, by unit."""
    n_parts = len(one.parts)
    for _, sums in resampled([*one.parts, *other.parts, influence], weights):
        *parts, summed = sums
        assert isinstance(summed, _Influence)
        difference = one.score(parts[:n_parts]) - other.score(parts[n_parts:])
        yield difference, summed.each(lambda array: array / n)


def _rejections(
    difference: FloatArray, mean: _Influence, n_rows: int, n: int, comparison: Comparison
) -> BoolArray:
    """In which samples of `n` units the test rejects; undefined differences never.

    Under the null hypothesis a difference d of n units has the standard error s0 / sqrt(n): a test
    rejects where |d| is at least z s0 / sqrt(n), with z the quantile of the normal distribution at
    1 - alpha / 2.
    """
    z = normal_quantiles(np.array(1 - comparison.alpha / 2))
    size = np.abs(difference)
    rejected = size > TIE
    if comparison.test == TESTS[0]:
        variance = mean.exchanged
        # of the 2^k exchanges of the k units that move a difference, two give the largest one: the
        # p-value is 2^(1 - k) at least
        rejected &= 1 - n * mean.moving < math.log2(comparison.alpha)
    else:
        variance = np.maximum(mean.square - mean.value**2, 0)
    # influences are of sums over all units at hand: times their number, by unit
    rejected &= size >= z * n_rows * np.sqrt(variance / n)
    return rejected


# --- plans


def plan_columns(
    one: Sample | PanelSample,
    other: Sample | None = None,
    *,
    name: str,
    n_units: int,
    options: PlanOptions,
    progress: Callable[[Any], Iterable[Any]] = iter,
) -> list[dict[str, Any]]:
    """Plans for all labels together, then for each, as plain values.

    With `other`, the sample of another system on the same units, the plan is for the difference,
    `one` less `other`. `name` is that of the number that is planned for: "corrected", "observed" or
    "difference". There are `n_units` documents or clusters at hand, more than rows where these are
    blocks; the options have a width, and the intervals of these units.
    """
    intervals, comparison = options.intervals, options.comparison
    values, pair = one.value(), None
    if other is not None:
        assert isinstance(one, Sample)
        values, pair = values - other.value(), (one, other, _influence(one, other))
    intervals.check_kept(DRAWN * len(values))
    numbers = [max(1, round(times * one.n_rows)) for times in TIMES]
    limits, powers = [], []
    for n in numbers:
        # with as many units as there are, the samples of the intervals of reports
        rng = np.random.default_rng(intervals.seed)
        weights = progress(bootstrap_weights(one.n_rows, intervals.resamples, rng, n))
        if pair is None:
            scores = list(one.sampled(weights))
        else:
            samples = list(_sample_pair(*pair, weights, n))
            scores = [difference for difference, _ in samples]
            rejected = [_rejections(*sample, one.n_rows, n, comparison) for sample in samples]
            share = np.concatenate(rejected).mean(axis=0)
            powers.append(np.where(np.isnan(values), np.nan, share))
        n_eff = intervals.n_eff * n / one.n_rows
        replicas = np.concatenate(scores)
        limits.append(interval(values, replicas, level=intervals.level, n_eff=n_eff))
    docs = [round(n * n_units / one.n_rows) for n in numbers]
    return [
        _column_plan(
            name,
            float(values[i]),
            np.stack(limits)[:, :, i],
            np.stack(powers)[:, i] if powers else None,
            docs,
            options,
        )
        for i in range(len(values))
    ]


def _column_plan(
    name: str,
    value: float,
    limits: FloatArray,
    powers: FloatArray | None,
    docs: Sequence[int],
    options: PlanOptions,
) -> dict[str, Any]:
    """The plan of all labels together, or of one, as plain values.

    `limits` and, of a difference, `powers` have a row for each of the numbers of documents `docs`.
    """
    halves = (limits[:, 1] - limits[:, 0]) / 2
    curve: list[dict[str, Any]] = [
        {"times": times, "n": n, "half_width": plain(half)}
        for times, n, half in zip(TIMES, docs, halves)
    ]
    for row, power in zip(curve, powers if powers is not None else ()):
        row["power"] = plain(power)
    present = TIMES.index(1.0)
    low, high = map(plain, limits[present])
    assert options.width is not None
    rising = -np.log(np.where(halves > 0, halves, np.nan))  # by log n: nearly a straight line
    varies = halves[present] > 0  # else the documents at hand do not show how others differ
    for_power = None
    if powers is not None:
        differs = varies and abs(value) > TIE
        for_power = _needed(options.power, options.power, docs, powers, differs)
    return {
        name: plain(value),
        "low": low,
        "high": high,
        "half_width": curve[present]["half_width"],
        "power": curve[present].get("power"),
        "curve": curve,
        "for_width": _needed(options.width, -np.log(options.width), docs, rising, varies),
        "for_power": for_power,
    }


def _needed(
    target: float, height: float, docs: Sequence[int], heights: FloatArray, varies: bool
) -> dict[str, Any]:
    """The number of documents from which on a curve stays above a height: that of a target.

    Between two sizes it is a line over the logarithm of their numbers. None where nothing varies.
    """
    below = np.flatnonzero(~(heights >= height))
    after = below[-1] + 1 if len(below) else 0
    n, relation = docs[min(after, len(docs) - 1)], "about"
    if not varies:
        return {"target": target, "n": None, "relation": None}
    if after in (0, len(docs)):
        relation = "more than" if after else "at most"
    elif not np.isnan(heights[after - 1]):
        share = (height - heights[after - 1]) / (heights[after] - heights[after - 1])
        n = math.ceil(docs[after - 1] * (n / docs[after - 1]) ** share)
    return {"target": target, "n": n, "relation": relation}


# --- results


def plan_systems(
    statistics: Mapping[str, Statistics],
    counts: Counts,
    request: Request,
    options: PlanOptions,
    *,
    metric: str,
    unit: str,
    clusters: Sequence[Any] | None,
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """The plan of one system, or of the difference of two, the better one less the other.

    `statistics` are by the names of the systems; `counts` are of gold and these.
    """
    options, blocks, n_units = _resampled(options, counts, unit, clusters)
    scorer, of, names = request.scorer(), options.score_of(request), [*statistics]
    samples = [system_sample(scorer, one, blocks, of) for one in statistics.values()]
    facts = {**facts, "docs": int(counts.seen[0].sum())}
    scope = "system"
    if len(samples) > 1:
        scope, values = "difference", [float(one.value()[0]) for one in samples]
        facts |= {"systems": 2, "test": str(options.comparison)}
        if values != sorted(values, reverse=request.row.higher_is_better):
            # the order is by all documents that each has seen
            names, samples = names[::-1], samples[::-1]
    return _plan(options, metric, request, scope, names, counts, n_units, facts, *samples)


def _resampled(
    options: PlanOptions, counts: Counts, unit: str, clusters: Sequence[Any] | None
) -> tuple[PlanOptions, Order, int]:
    """The options with the resampling that signatures name, the units in order, their number."""
    masses = counts.units(clusters)
    intervals = replace(options.intervals, unit=unit).of_units(masses)
    blocks = intervals.in_blocks(counts.order(clusters))
    return replace(options, intervals=intervals), blocks, len(masses)


def _plan(
    options: PlanOptions,
    metric: str,
    request: Request,
    scope: str,
    names: Sequence[str],
    counts: Counts,
    n_units: int,
    facts: Mapping[str, Any],
    sample: Sample | PanelSample,
    other: Sample | None = None,
) -> dict[str, Any]:
    """One plan, as plain values, with the labels that are used.

    `options` and `n_units` are those of `_resampled`.
    """
    intervals, score = options.intervals, options.score_of(request)
    what = " and ".join(names) or "annotators"
    if n_units < LEAST:
        raise ValueError(
            f"{what}: only {n_units} {unit_words(intervals.unit)} to draw from; a plan needs at "
            f"least {LEAST}"
        )
    total, *labels = plan_columns(
        sample,
        other,
        name=score if other is None else "difference",
        n_units=n_units,
        options=options,
        progress=partial(options.progress, total=None, what=f"{what}: samples"),
    )
    # of pairs alone: the power, and the level with the test
    goal = [score, f"{options.width:g}", f"{options.power:g}"][: 2 + (other is not None)]
    seen = counts.seen_by(request)
    keys = [("annotator", i) for i in range(len(counts))] if counts.gold else [TEAM]
    support, *others = (seen.support[key].sum(axis=0) for key in keys)
    return {
        "metric": metric,
        "request": request.name,
        "score": score,
        "higher_is_better": request.row.higher_is_better,
        "scope": scope,
        **dict(zip_longest(("first", "second"), names)),
        "unit": intervals.unit,
        "n_units": n_units,
        "n_eff": intervals.n_eff,
        "n_docs": facts["docs"],
        "total": total,
        "labels": [
            {"label": seen.labels[i], "n_spans": int(support[i]), **labels[i]}
            for i in np.flatnonzero(sum(others, support)).tolist()
        ],
        "signature": signature(request, {**facts, "plan": ",".join(goal)}, intervals),
    }


def plans_result(
    options: PlanOptions,
    kind: str,
    names: Iterable[str],
    plans: Sequence[Mapping[str, Any]],
    notes: Iterable[str],
    warnings: Iterable[str],
) -> dict[str, Any]:
    """All plans, and how they were made, as plain values."""
    if not plans:
        raise ValueError(f"nothing to plan for: {' '.join(notes)}")
    of_few = [
        note
        for one in plans
        for note in replace(options.intervals, unit=one["unit"], n_eff=one["n_eff"]).few_notes()
    ]
    return {
        "kind": kind,
        "names": list(names),
        "goal": {
            "width": options.width,
            "power": options.power,
            "alpha": options.comparison.alpha,
            "test": options.comparison.test,
        },
        "resampling": options.intervals.settings(),
        "times": list(TIMES),
        "version": __version__,
        "warnings": list(dict.fromkeys(warnings)),
        "notes": list(dict.fromkeys([*notes, *of_few[:1]])),
        "plans": list(plans),
    }


def plan_panel(
    counts: Counts,
    requests: Mapping[str, Request],
    options: PlanOptions,
    *,
    clusters: Sequence[Any] | None = None,
    unit: str = "documents",
    data: Mapping[str, Any],
) -> dict[str, Any]:
    """The plans of annotators, as plain values: how many documents that two of them annotate.

    `counts` have a row for each document; the other parameters are those of `agreement_of`.
    """
    if len(counts) < LEAST:
        raise ValueError(
            f"only one annotator ({', '.join(counts.names)}): there is nobody to agree with; of a "
            "system, name gold as well"
        )
    options = replace(options, width=options.width or PANEL_WIDTH)
    own, blocks, n_units = _resampled(options, counts, unit, clusters)
    facts = {"positions": counts.positions, "annotators": len(counts), "panel": counts.digest()}
    facts |= {**data, "docs": counts.n_all_shared}
    plans, notes = [], []
    for name, request in requests.items():
        seen, counted, of = (
            counts.seen_by(request),
            counts.metrics[str(request)],
            own.score_of(request),
        )
        try:
            key, sample = panel_sample(seen, request, counted, blocks, of)
        except ValueError as error:
            notes.append(f"{name} is left out: {error}.")
            continue
        plans.append(_plan(own, name, request, key[0], (), counts, n_units, facts, sample))
    if single := int((counts.seen.sum(axis=0) == 1).sum()):
        notes.append(
            f"{single} documents that one annotator alone saw are left out: they say nothing of "
            "agreement."
        )
    warnings = count_warnings(counts, requests.values())
    return plans_result(options, "annotators", counts.names, plans, notes, warnings)
