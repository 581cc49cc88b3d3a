"""The paired tests of two stored runs: intervals and p-values from resampling their statistics."""

from dataclasses import dataclass, fields, replace
from functools import partial
from math import isfinite

import numpy as np

from ..about import __version__
from ..measures.resampling import TIE, cluster_order, grouped, holm
from ..scoring.counts import order_keys
from ..scoring.intervals import Resampling, cluster_places
from ..scoring.ranking import Comparison, rank_systems, resampling_settings
from ..scoring.scores import signature
from ..scoring.statistics import Statistics, columns, plain, total_and_labels
from .common import common
from .errors import errors_below, new_and_fixed


@dataclass(frozen=True)
class Several:
    """The scores of several metrics that are made of the same sums, one after the other."""

    scores: tuple
    parts = None  # no coefficient with a chance model of its own is among them

    def __call__(self, statistics):
        return np.concatenate([score(statistics) for score in self.scores], axis=-1)

    def columns(self, place, n_labels):
        """Where one of the scores has its columns: the total, then every label."""
        first = len(self.scores) + place * n_labels
        return [place, *range(first, first + n_labels)]


def units_of(order, sides):
    """Statistics with one row for each of what is resampled."""
    return [side.each(partial(grouped, order=order, known={})) for side in sides]


def tests_of(both, order, intervals, comparison, watch):
    """{metric: its `Ranking` by side, of the new run and the old one}.

    What is counted alike is resampled once: that is what takes long. `order` is as `cluster_order`
    makes it. Differences are those of the new run to the old one.
    """
    groups = {}
    for name, (request, *_) in both.metrics.items():
        row = request.row
        key = row.count, *request.only(row.counted).items()
        if request.placement != "none":
            key += *request.only(("chance", "unit")).items(), "expected"
        if row.parts is not None:
            key += name, "by itself"
        groups.setdefault(key, []).append(name)
    found = {}
    for names in groups.values():
        _, *sides = both.metrics[names[0]]
        score = Several(tuple(both.metrics[name][0].scorer() for name in names))
        score = score if len(names) > 1 else score.scores[0]
        bar = partial(watch, what=f"{', '.join(names)}: resamples")
        tests = rank_systems(score, units_of(order, sides)[::-1], intervals, comparison, bar)
        for place, name in enumerate(names):
            some = slice(None)
            if len(names) > 1:
                some = score.columns(place, len(both.labels))
            found[name] = {side: with_columns_only(one, some) for side, one in tests.items()}
    return found


def with_columns_only(ranking, some):
    """Some columns of a `Ranking`."""
    arrays = {f.name: getattr(ranking, f.name) for f in fields(ranking) if f.name != "alpha"}
    return replace(ranking, **{name: array[..., some] for name, array in arrays.items()})


FEW = 2  # clusters, below which there is nothing to resample


def compare(
    old,
    new,
    *,
    metrics=(),
    force=False,
    intervals=None,
    comparison=None,
    verbose_below=None,
    top=None,
    progress=None,
):
    """What is better and worse in a new run than in an old one, as plain values.

    Everything comes from the stored statistics; nothing is predicted or read again. Differences
    are new minus old.

    Parameters
    ----------
    old, new : StoredRun
        On the same gold annotation, with the same metrics and parameters.
    metrics : sequence of str
        Some of the stored metrics; by default all, span_f first. The first one leads: documents
        are listed by it, thresholds look at it.
    force : bool
        Compare runs that differ in gold or metrics as far as they have it in common.
    intervals : Resampling, optional
        By default 10,000 resamples with seed 0.
    comparison : Comparison, optional
        How runs are told apart; by default by approximate randomisation, at .05.
    verbose_below : float, optional
        Also list the wrong annotations of documents whose new observed score is lower, by the first
        metric, if the new run has annotations.
    top : int, optional
        How many documents and annotations the lists have; by default all.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Returns
    -------
    dict
        Ready for JSON: facts of both runs, `notes`, and for every metric its total and its labels
        with their tests, and documents that changed with their contribution: by how much the total
        changes if only this document is exchanged. `errors` are the annotations that are wrong in
        one run only, if both have annotations.

    Raises
    ------
    ValueError
        If the runs do not compare: says what differs.

    Examples
    --------
    >>> from spacy_chance_eval import Spans
    >>> from spacy_chance_eval.runs.files import stored_run
    >>> gold = Spans.from_tuples([[(0, 2, "PER")], [(5, 6, "LOC")]], sizes=[9, 9])
    >>> half = Spans.from_tuples([[(0, 2, "PER")], []], sizes=[9, 9])
    >>> runs = [stored_run(gold, pred, ["span_recall"]) for pred in (half, gold)]
    >>> (metric,) = compare(*runs)["metrics"]
    >>> metric["total"]["observed"]["difference"], metric["documents"]["n_better"]
    (0.5, 1)
    """
    check_threshold(verbose_below)
    intervals, comparison = intervals or Resampling(), comparison or Comparison()
    both = common(old, new, metrics=metrics, force=force)
    unit, clusters = both.clusters()
    intervals = replace(intervals, unit=unit)
    order = cluster_order(cluster_places(clusters, both.n_docs), content_of(both))
    if intervals.resamples and len(order[1]) < FEW:
        both.notes.append(f"There is only {len(order[1])} of the {unit} to resample: no tests.")
    watch = progress or (lambda steps, total=None, what="": steps)
    found = tests_of(both, order, intervals, comparison, watch)
    return facts_of(both) | {
        "n_clusters": len(order[1]),
        "resampling": resampling_settings(intervals, comparison),
        "metrics": [
            metric_result(both, name, found[name], intervals, comparison, top)
            for name in both.metrics
        ],
        "errors": new_and_fixed(both, top),
        "verbose": verbose(both, verbose_below),
        "verbose_below": verbose_below,
        "failures": [],
    }


def facts_of(both):
    """What was compared, as plain values."""
    old, new = both.runs
    return {
        "old": old.about(),
        "new": new.about(),
        "positions": new.facts["positions"],
        "n_docs": both.n_docs,
        "clusters": both.clusters()[0],
        "version": __version__,
        "notes": both.notes,
    }


def check_threshold(score):
    """Raise for a threshold that no score can be compared with."""
    if score is not None and not isfinite(score):
        raise ValueError(f"a threshold of {score} makes no sense; give a score")


def content_of(both):
    """What the common documents are put in order by: as a leaderboard of both runs has it."""
    keys = [{name: key[docs] for name, key in run.keys.items()} for run, docs in both.sides()]
    return order_keys(keys[1]["gold"], keys[1]["words"], [one["pred"] for one in keys])


def metric_result(both, name, found, intervals, comparison, top):
    """All of one metric."""
    request, *sides = both.metrics[name]
    score, row = request.scorer(), request.row
    expected = {
        which: total_and_labels(score, side.total())["expected"]
        for which, side in zip(("old", "new"), sides)
    }
    key = "corrected" if "corrected" in found else "observed"
    made = partial(column_result, found, expected, key, comparison.alpha, row.higher_is_better)
    whole, by_label = changes(score, sides)
    sign = 1 if row.higher_is_better else -1
    facts = {**both.runs[1].facts, "docs": both.n_docs, "systems": 2, "test": comparison}
    return {
        "metric": name,
        "request": request.name,
        "bits": row.bits,
        "higher_is_better": row.higher_is_better,
        "key": key,
        "total": made(0),
        "labels": list(label_results(both, found, made, sign * by_label)),
        "documents": document_result(both, score, sides, sign, whole, by_label, top),
        "signature": signature(request, facts, intervals),
    }


def label_results(both, found, made, gains):
    """Every label that gold or one of the runs uses; p-values are adjusted for their number."""
    support = [both.support(1, "gold"), both.support(0, "pred"), both.support(1, "pred")]
    support = [one.sum(axis=0) for one in support]
    used = np.flatnonzero(sum(support))
    adjusted = {side: holm(one.p_values[0][1 + used]) for side, one in found.items()}
    for i, label in enumerate(used):
        spans = dict(zip(("gold", "old_pred", "new_pred"), (int(one[label]) for one in support)))
        p_holm = {side: plain(p_values[i]) for side, p_values in adjusted.items()}
        rows = made(1 + label, p_holm)
        documents = numbers(gains[:, label])
        yield {"label": both.labels[label], **spans, **rows, "documents": documents}


def column_result(found, expected, key, alpha, higher_is_better, column, p_holm=None):
    """Both runs and their test, of all labels together or of one."""
    rows = {}
    for place, which in ((1, "old"), (0, "new")):
        row = {side: one.system(place, column) for side, one in found.items()}
        rows[which] = {
            "observed": row["observed"]["score"],
            "expected": plain(expected[which][column]),
            "corrected": row["corrected"]["score"] if "corrected" in row else None,
            "interval": row[key]["interval"],
        }
    tests = {"corrected": None}
    for side, ranking in found.items():
        tests[side] = ranking.pair(0, column)
        if p_holm is not None:
            tests[side]["p_holm"] = p_holm[side]
    test = tests[key]
    verdict, distinct = None, None
    if test["difference"] is not None:
        verdict = verdict_of(test["difference"] * (1 if higher_is_better else -1))
        distinct = None if test["p_holm"] is None else test["p_holm"] < alpha
    return rows | tests | {"verdict": verdict, "distinct": distinct}


def verdict_of(gain):
    """A gain in a word."""
    return "equal" if abs(gain) <= TIE else "better" if gain > 0 else "worse"


def changes(score, sides):
    """By how much the total and the labels change, if one document alone is exchanged.

    Arrays of shape (n_docs,) and (n_docs, n_labels); 0 where a score is undefined.
    """
    old, new = sides
    total = old.total()
    moved = Statistics(
        *(
            sums + (gained + lost.each(np.negative))
            for sums, lost, gained in zip(total.parts(), old.parts(), new.parts())
        )
    )
    found = []
    for part in (Statistics.pooled, Statistics.by_label):
        change = columns(score, part(moved))["value"] - columns(score, part(total))["value"]
        found.append(np.where(np.abs(change) > TIE, change, 0))
    return found[0][:, 0], found[1]


def numbers(gains):
    """How many documents are better, worse, equal."""
    n_better, n_worse = int((gains > 0).sum()), int((gains < 0).sum())
    return {"n_better": n_better, "n_worse": n_worse, "n_equal": len(gains) - n_better - n_worse}


def document_result(both, score, sides, sign, whole, by_label, top):
    """The documents that changed: those that are better, and those that are worse, most first."""
    values = [columns(score, side.pooled())["value"][:, 0] for side in sides]
    new, docs = both.runs[1], both.docs[1]

    def listed(gains):
        order = np.argsort(-gains, kind="stable")
        for doc in order[: int((gains > 0).sum())][:top]:
            labels = np.flatnonzero(by_label[doc])
            yield {
                "document": new.name(docs[doc]),
                "old": plain(values[0][doc]),
                "new": plain(values[1][doc]),
                "contribution": float(whole[doc]),
                "labels": {both.labels[label]: float(by_label[doc, label]) for label in labels},
            }

    found = {"better": list(listed(sign * whole)), "worse": list(listed(-sign * whole))}
    return numbers(sign * whole) | found


def verbose(both, below):
    """The wrong annotations of documents whose new score is lower than a threshold."""
    if below is None:
        return None
    if both.runs[1].annotations is None:
        raise ValueError(
            "the new run has no annotations to list; save it with --annotations spans or text"
        )
    request, _, new = next(iter(both.metrics.values()))
    scores = columns(request.scorer(), new.pooled())["value"][:, 0]
    return errors_below(both, scores, below)


def failures(result, *, below=None, if_worse=False, metric=None, alpha=None):
    """Why a comparison is not good enough, as a list of sentences; empty if it is.

    Parameters
    ----------
    result : dict
        As `compare` makes it.
    below : float, optional
        The new score must not be lower.
    if_worse : bool
        The new score must not be worse, if the paired test tells both runs apart; nor undefined,
        if the old one is not.
    metric : str, optional
        By which metric; by default the first one: span_f if it is there and no others were named.
    alpha : float, optional
        Largest p-value (exclusive) of such a test; with 1, any score that is worse fails.

    Raises
    ------
    ValueError
        For thresholds that cannot be compared with, and if the new score is worse but could not be
        tested.
    """
    check_threshold(below)
    names = [one["metric"] for one in result["metrics"]]
    if metric is not None and metric not in names:
        raise ValueError(f"no metric {metric!r} was compared; expected one of {', '.join(names)}")
    chosen = result["metrics"][0 if metric is None else names.index(metric)]
    found = [] if below is None else list(too_low(chosen, below))
    if if_worse:
        found += worsened(chosen, result["resampling"], alpha)
    return found


def too_low(chosen, below):
    """Why the new score of a metric is too low, if it is."""
    name, score = name_of(chosen), chosen["total"]["new"][chosen["key"]]
    if not chosen["higher_is_better"]:
        raise ValueError(f"{name} is the better the lower it is; use --fail-if-worse")
    if score is None:
        yield f"{name} of the new run is undefined, and must not be below {below:g}"
    elif score < below:
        yield f"{name} of the new run is {score:.4f}, below {below:g}"


def worsened(chosen, resampling, alpha):
    """Why the new score of a metric is worse, if it is and the test tells the runs apart."""
    name, total, key = name_of(chosen), chosen["total"], chosen["key"]
    before, score = total["old"][key], total["new"][key]
    if score is None and before is not None:
        yield f"{name} is worse: undefined after {before:.4f}"
    if total["verdict"] != "worse":
        return
    alpha, p_value = resampling["alpha"] if alpha is None else alpha, total[key]["p_value"]
    if alpha < 1 and p_value is None:
        why = "is too little to resample" if resampling["resamples"] else "are no resamples"
        raise ValueError(
            f"{name} is worse: {score:.4f} after {before:.4f}, but there {why}, so no test can "
            "tell the runs apart; an alpha of 1 lets any loss fail"
        )
    if alpha == 1 or p_value < alpha:
        tested = "" if p_value is None else f" (p = {p_value:.4f})"
        yield f"{name} is worse: {score:.4f} after {before:.4f}{tested}"


def name_of(metric):
    """What messages call the score that a metric is about."""
    return f"{metric['key']} {metric['metric']}"
