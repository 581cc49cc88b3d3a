"""The paired tests of two stored runs: intervals and p-values from resampling their statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from ..about import __version__
from ..corpora.sources import distinct_names, source_at
from ..measures.arrays import FloatArray
from ..measures.messages import brief
from ..measures.resampling import TIE, Order, grouped, holm
from ..measures.stats import Additive
from ..metrics.request import Scorer
from ..scoring.counts import Progress, no_progress
from ..scoring.intervals import Resampling
from ..scoring.ranking import (
    Comparison,
    Ranking,
    rank_systems,
    resampling_settings,
    system_rows,
)
from ..scoring.scores import signature
from ..scoring.statistics import Statistics, columns, headline, headline_name, plain
from ..scoring.warnings import count_warnings
from .common import WHICH, Common, find_common
from .errors import errors_below, new_and_fixed
from .run import StoredRun

SHOWN = ("observed", "expected", "corrected", "low", "high")  # of each run
LEAST_CLUSTERS = 2  # clusters, below which there is nothing to resample

_Rankings: TypeAlias = Mapping[str, Ranking]  # "observed" and, with a chance model, "corrected"


@dataclass(frozen=True)
class _SeveralScorers:
    """The scores of several metrics that are made of the same sums, one after the other.

    None of them is a coefficient with a chance model of its own.
    """

    scores: tuple[Scorer, ...]

    def __call__(self, statistics: Additive) -> FloatArray:
        return np.concatenate([score(statistics) for score in self.scores], axis=-1)

    def columns(self, index: int, n_labels: int) -> list[int]:
        """The columns of one of the scores: the total, then every label."""
        first = len(self.scores) + index * n_labels
        return [index, *range(first, first + n_labels)]


def _test_metrics(
    both: Common, order: Order, intervals: Resampling, comparison: Comparison, progress: Progress
) -> dict[str, _Rankings]:
    """The rankings of the new run and the old one, by metric.

    Metrics that are counted alike are resampled once: that is what takes long. Differences are new
    minus old.
    """
    groups: dict[tuple[Any, ...], list[str]] = {}
    for name, (request, *_) in both.metrics.items():
        row = request.row
        key = row.count, request.labels_mark, *request.only(row.counted).items()
        if request.placement != "none":
            key += *request.only(("chance", "unit")).items(), "expected"
        if row.parts is not None:
            key += name, "by itself"
        groups.setdefault(key, []).append(name)
    rankings: dict[str, _Rankings] = {}
    for names in groups.values():
        first = both.metrics[names[0]]
        several = _SeveralScorers(tuple(both.metrics[name].request.scorer() for name in names))
        score = Scorer(several) if len(names) > 1 else several.scores[0]
        report = partial(progress, total=None, what=f"{', '.join(names)}: resamples")
        units = [
            one.each(partial(grouped, order=order, known={})) for one in (first.new, first.old)
        ]
        tests = rank_systems(score, units, intervals, comparison, report)
        for index, name in enumerate(names):
            rankings[name] = tests
            if len(names) > 1:
                some = several.columns(index, len(both.counts.seen_by(first.request).labels))
                rankings[name] = {key: _columns_of(one, some) for key, one in tests.items()}
    return rankings


def _columns_of(ranking: Ranking, some: Sequence[int]) -> Ranking:
    """A ranking with some of its columns."""
    arrays: dict[str, Any] = {
        name: part[..., some]
        for name, part in vars(ranking).items()
        if isinstance(part, np.ndarray)
    }
    return replace(ranking, **arrays)


def compare(
    old: StoredRun,
    new: StoredRun,
    *,
    metrics: Sequence[str] = (),
    force: bool = False,
    intervals: Resampling | None = None,
    comparison: Comparison | None = None,
    verbose_below: float | None = None,
    top: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The changes of scores from an old run to a new one, as plain values.

    The tables of `spacy_chance_eval.compare`, where the parameters are explained: facts of
    both runs, `notes`, for every metric its total and its labels with their tests, and documents
    that changed with their contribution: by how much the total changes if only this document is
    exchanged. `errors` are the annotations that are wrong in one run only, if both have some.

    Raises
    ------
    ValueError
        If the runs do not compare: says what differs.
    """
    check_threshold(verbose_below)
    intervals, comparison = intervals or Resampling(), comparison or Comparison()
    both = find_common(old, new, metrics=metrics, force=force)
    (unit, clusters), n_docs = both.clusters(), both.counts.n_docs
    both.notes.extend(intervals.notes(n_docs))
    intervals = replace(intervals.of_docs(n_docs), unit=unit)
    order = both.counts.order(clusters)
    n_clusters = len(order[1])
    if intervals.resamples and n_clusters < LEAST_CLUSTERS:
        both.notes.append(f"There is only {n_clusters} of the {unit} to resample: no tests.")
    intervals = intervals.of_units(both.counts.units(clusters))
    both.notes.extend(intervals.few_notes() if n_clusters >= LEAST_CLUSTERS else ())
    order = intervals.in_blocks(order)
    rankings = _test_metrics(both, order, intervals, comparison, progress or no_progress)
    about = [run.about() for run in both.runs]
    return {
        **dict(zip(WHICH, about)),
        "names": run_names(about, WHICH),
        "positions": new.facts["positions"],
        "n_docs": n_docs,
        "clusters": unit,
        "version": __version__,
        "notes": both.notes,
        "warnings": _run_warnings(old, new),
        "n_clusters": n_clusters,
        "resampling": resampling_settings(intervals, comparison),
        "metrics": [
            _metric_result(both, name, rankings[name], intervals, comparison, top)
            for name in both.metrics
        ],
        "errors": new_and_fixed(both, top),
        "verbose": None if verbose_below is None else _low_documents(both, verbose_below),
        "verbose_below": verbose_below,
        "failures": [],
    }


def run_names(runs: Sequence[Mapping[str, Any]], otherwise: Sequence[str]) -> list[str]:
    """The names of runs in reports: titles, systems or files that tell them apart.

    Each run is the result of `StoredRun.about`, with its path if that is known.
    """
    for key in ("pred", "path"):
        sources = [source_at(run[key] or "") for run in runs]
        files = distinct_names(sources)
        names = [run["title"] or name for run, name in zip(runs, files)]
        if all(names) and len({*names}) == len(names):
            return names
    return list(otherwise)


def _run_warnings(old: StoredRun, new: StoredRun) -> list[str]:
    """Sentences about spans and labels that gold or a prediction lacks; those of one run say so."""
    of_old, of_new = count_warnings(old.counts), count_warnings(new.counts)
    return [
        *(text for text in of_new if text in of_old),
        *(f"Old run: {text}" for text in of_old if text not in of_new),
        *(f"New run: {text}" for text in of_new if text not in of_old),
    ]


def check_threshold(score: float | None) -> None:
    """Raise for a threshold that no score can be compared with."""
    if score is not None and not isfinite(score):
        raise ValueError(f"a threshold of {score} makes no sense; give a score")


def _metric_result(
    both: Common,
    name: str,
    rankings: _Rankings,
    intervals: Resampling,
    comparison: Comparison,
    top: int | None,
) -> dict[str, Any]:
    """The result of one metric."""
    request, old, new = both.metrics[name]
    both = replace(both, counts=both.counts.seen_by(request))
    score, row = request.scorer(), request.row
    key = headline_name(rankings)
    column_result = partial(_column_result, rankings, key, comparison.alpha, row.higher_is_better)
    total, by_label = _contributions(score, old, new)
    sign = 1 if row.higher_is_better else -1
    facts = {**both.runs[1].facts, "docs": both.counts.n_docs, "systems": 2}
    facts["test"] = comparison.used(intervals)
    if (draws := both.runs[1].metrics[name].draws) is not None:
        facts["draws"] = draws
    return {
        "metric": name,
        "request": request.name,
        "bits": row.bits,
        "higher_is_better": row.higher_is_better,
        "key": key,
        "total": column_result(0),
        "labels": list(_label_results(both, rankings, column_result, sign * by_label)),
        "documents": _document_result(both, name, sign, total, by_label, top),
        "signature": signature(request, facts, intervals),
    }


def _label_results(
    both: Common,
    rankings: _Rankings,
    column_result: Callable[..., dict[str, Any]],
    gains: FloatArray,
) -> Iterator[dict[str, Any]]:
    """Every label that gold or one of the runs uses; p-values are adjusted for their number."""
    support = [both.counts.support["annotator", i].sum(axis=0) for i in range(3)]
    used = np.flatnonzero(np.sum(support, axis=0))
    adjusted = {key: holm(one.p_values[0][1 + used]) for key, one in rankings.items()}
    for i, label in enumerate(used):
        spans = dict(zip(("gold", "old_pred", "new_pred"), (int(one[label]) for one in support)))
        p_holm = {key: plain(p_values[i]) for key, p_values in adjusted.items()}
        rows = column_result(1 + label, p_holm)
        documents = _n_documents(gains[:, label])
        yield {"label": both.counts.labels[label], **spans, **rows, "documents": documents}


def _column_result(
    rankings: _Rankings,
    key: str,
    alpha: float,
    higher_is_better: bool,
    column: int,
    p_holm: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Both runs and their test, of all labels together or of one."""
    rows = {
        which: {name: row[name] for name in SHOWN if name in row}
        for which, row in zip(("new", "old"), system_rows(rankings, column))
    }
    tests = {name: ranking.pair(0, column) for name, ranking in rankings.items()}
    for name, value in (p_holm or {}).items():
        tests[name]["p_holm"] = value
    test = tests[key]
    verdict, distinct = None, None
    if test["difference"] is not None:
        gain = test["difference"] * (1 if higher_is_better else -1)
        verdict = "equal" if abs(gain) <= TIE else "better" if gain > 0 else "worse"
        distinct = None if test["p_holm"] is None else test["p_holm"] < alpha
    return rows | tests | {"verdict": verdict, "distinct": distinct}


def _contributions(
    score: Scorer, old: Statistics, new: Statistics
) -> tuple[FloatArray, FloatArray]:
    """By how much the total and the labels change, if one document alone is exchanged.

    Arrays of shape (n_docs,) and (n_docs, n_labels); 0 where a score is undefined.
    """
    total = old.total()
    observed, *expected = (
        sums + (gained + lost.each(np.negative))
        for sums, lost, gained in zip(total.parts(), old.parts(), new.parts())
    )
    exchanged = Statistics(observed, expected[0] if expected else None)
    whole, by_label = (
        headline(columns(score, part(exchanged))) - headline(columns(score, part(total)))
        for part in (Statistics.pooled, Statistics.by_label)
    )
    whole, by_label = (np.where(np.abs(one) > TIE, one, 0) for one in (whole, by_label))
    return whole[:, 0], by_label


def _n_documents(gains: FloatArray) -> dict[str, int]:
    """How many documents are better, worse, equal."""
    n_better, n_worse = int((gains > 0).sum()), int((gains < 0).sum())
    return {"n_better": n_better, "n_worse": n_worse, "n_equal": len(gains) - n_better - n_worse}


def _document_result(
    both: Common, name: str, sign: int, total: FloatArray, by_label: FloatArray, top: int | None
) -> dict[str, Any]:
    """The documents that changed: those that are better, and those that are worse, most first."""
    request, old, new = both.metrics[name]
    score, names = request.scorer(), both.counts.labels
    values = [headline(columns(score, one.pooled()))[:, 0] for one in (old, new)]

    def listed(gains: FloatArray) -> Iterator[dict[str, Any]]:
        order = np.argsort(-gains, kind="stable")
        for doc in order[: int((gains > 0).sum())][:top]:
            labels = np.flatnonzero(by_label[doc])
            yield {
                "document": both.counts.name(doc),
                "old": plain(values[0][doc]),
                "new": plain(values[1][doc]),
                "contribution": float(total[doc]),
                "labels": {names[label]: float(by_label[doc, label]) for label in labels},
            }

    rows = {"better": list(listed(sign * total)), "worse": list(listed(-sign * total))}
    return _n_documents(sign * total) | rows


def _low_documents(both: Common, below: float) -> list[dict[str, Any]]:
    """The wrong annotations of documents whose new score is lower than a threshold."""
    if both.runs[1].annotations is None:
        raise ValueError("the new run has no annotations to list; write it again with score -o")
    request, _, new = next(iter(both.metrics.values()))
    scores = columns(request.scorer(), new.pooled())
    name = headline_name(scores)
    return errors_below(both, scores[name][:, 0], name, below, not request.ignores_labels)


def failures(
    result: Mapping[str, Any],
    *,
    below: float | None = None,
    if_worse: bool = False,
) -> list[str]:
    """Why a comparison is not good enough by its first metric, in sentences; empty if it is.

    Parameters
    ----------
    result : dict
        Of `compare`.
    below : float, optional
        The new score must not be lower.
    if_worse : bool
        The new score must not be worse by a significant difference; nor undefined, if the old one
        is not.

    Raises
    ------
    ValueError
        For thresholds that cannot be compared with, if the new score is worse but could not be
        tested, and if nothing says whether it is, as a score is undefined.
    """
    check_threshold(below)
    chosen, reasons = result["metrics"][0], []
    total, key, name = chosen["total"], chosen["key"], f"{chosen['key']} {chosen['metric']}"
    before, score = total["old"][key], total["new"][key]
    if below is not None:
        if not chosen["higher_is_better"]:
            raise ValueError(f"{name} is the better the lower it is; use --fail-if-worse")
        if score is None:
            reasons.append(f"{name} of the new run is undefined, and must not be below {below:g}")
        elif score < below:
            reasons.append(f"{name} of the new run is {brief(score, 4)}, below {below:g}")
    if not if_worse:
        return reasons
    if before is None or (score is None and not result["new"]["n_gold"]):
        raise ValueError(
            f"{name} is undefined for a run, so nothing says whether the new one is worse; name a "
            "metric that is defined: without gold spans -m false_positives is, if both runs were "
            "saved with it"
        )
    if score is None:
        reasons.append(f"{name} is worse: undefined after {brief(before, 4)}")
    elif total["verdict"] == "worse":
        said, p_value = (
            f"{name} is worse: {brief(score, 4)} after {brief(before, 4)}",
            total[key]["p_value"],
        )
        if p_value is None:
            few = result["resampling"]["resamples"]
            why = "is too little to resample" if few else "are no resamples"
            raise ValueError(f"{said}, but there {why}, so no test can tell the runs apart")
        if p_value < result["resampling"]["alpha"]:
            reasons.append(f"{said} (p = {brief(p_value, 4)})")
    return reasons
