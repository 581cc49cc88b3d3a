"""Two stored runs compared: what rose and fell, by label and by document; and tests of both."""

from dataclasses import replace
from functools import partial

import numpy as np

from .about import __version__
from .catalog import CATALOG
from .comparable import common
from .compare_errors import errors_below, new_and_fixed
from .compare_tests import tests_of
from .evaluate import signature
from .intervals import (
    Resampling,
    Statistics,
    clusters_of,
    columns,
    order_keys,
    plain,
    total_and_labels,
)
from .leaderboard import settings_of
from .measures.resampling import TIE, cluster_order, holm
from .standings import Comparison

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
        Some of the stored metrics; by default all.
    force : bool
        Compare runs that differ in gold or metrics as far as they have it in common.
    intervals : Resampling, optional
        By default 10,000 resamples with seed 0.
    comparison : Comparison, optional
        How runs are told apart; by default by approximate randomisation, at .05.
    verbose_below : float, optional
        Also list the wrong annotations of documents that score lower, by the first metric, if the
        new run has annotations.
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
    >>> from spacy_chance_eval.store import stored_run
    >>> gold = Spans.from_tuples([[(0, 2, "PER")], [(5, 6, "LOC")]], sizes=[9, 9])
    >>> half = Spans.from_tuples([[(0, 2, "PER")], []], sizes=[9, 9])
    >>> runs = [stored_run(gold, pred, ["span_recall"]) for pred in (half, gold)]
    >>> (metric,) = compare(*runs)["metrics"]
    >>> metric["total"]["observed"]["difference"], metric["documents"]["n_better"]
    (0.5, 1)
    """
    intervals, comparison = intervals or Resampling(), comparison or Comparison()
    watch = progress or (lambda steps, total=None, what="": steps)
    both = common(old, new, metrics=metrics, force=force)
    unit, clusters = both.clusters()
    intervals = replace(intervals, unit=unit)
    places = clusters_of(both, clusters)
    order = cluster_order(places, content_of(both))
    n_clusters = len(order[1])
    if intervals.resamples and n_clusters < FEW:
        both.notes.append(f"There is only {n_clusters} of the {unit} to resample: no tests.")
    found = tests_of(both, order, intervals, comparison, watch)
    results = [
        metric_result(both, name, found[name], intervals, comparison, top) for name in both.metrics
    ]
    return {
        "old": old.about(),
        "new": new.about(),
        "positions": new.facts["positions"],
        "n_docs": both.n_docs,
        "n_clusters": n_clusters,
        "clusters": unit,
        "resampling": settings_of(intervals, comparison),
        "version": __version__,
        "notes": both.notes,
        "metrics": results,
        "errors": new_and_fixed(both, top),
        "verbose": verbose(both, verbose_below),
        "verbose_below": verbose_below,
        "failures": [],
    }


def content_of(both):
    """What the common documents are put in order by: as a leaderboard of both runs has it."""
    keys = [{name: key[docs] for name, key in run.keys.items()} for run, docs in both.sides()]
    return order_keys(keys[1]["gold"], keys[1]["words"], [one["pred"] for one in keys])


def metric_result(both, name, found, intervals, comparison, top):
    """All of one metric."""
    request, *sides = both.metrics[name]
    score, row = request.scorer(), CATALOG[request.metric]
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
        standing = {side: one.of_system(place, column) for side, one in found.items()}
        rows[which] = {
            "observed": standing["observed"]["score"],
            "expected": plain(expected[which][column]),
            "corrected": standing["corrected"]["score"] if "corrected" in standing else None,
            "interval": standing[key]["interval"],
        }
    tests = {"corrected": None}
    for side, standing in found.items():
        tests[side] = standing.of_pair(0, column)
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
        The new score must not be worse, if the paired test tells both runs apart.
    metric : str, optional
        By which metric; by default the first one.
    alpha : float, optional
        Largest p-value (exclusive) of such a test; with 1, any score that is worse fails.
    """
    names = [one["metric"] for one in result["metrics"]]
    if metric is not None and metric not in names:
        raise ValueError(f"no metric {metric!r} was compared; expected one of {', '.join(names)}")
    chosen = result["metrics"][0 if metric is None else names.index(metric)]
    key, total = chosen["key"], chosen["total"]
    score, name = total["new"][key], f"{key} {chosen['metric']}"
    found = []
    if below is not None:
        if not chosen["higher_is_better"]:
            raise ValueError(f"{name} is the better the lower it is; use --fail-if-worse")
        if score is None:
            found.append(f"{name} of the new run is undefined, and must not be below {below:g}")
        elif score < below:
            found.append(f"{name} of the new run is {score:.4f}, below {below:g}")
    if if_worse and total["verdict"] == "worse":
        alpha = result["resampling"]["alpha"] if alpha is None else alpha
        p_value = total[key]["p_value"]
        if alpha < 1 and not result["resampling"]["resamples"]:
            raise ValueError("without resamples there is no test; take some, or an alpha of 1")
        if alpha == 1 or (p_value is not None and p_value < alpha):
            tested = "" if p_value is None else f" (p = {p_value:.4f})"
            before = total["old"][key]
            found.append(f"{name} is worse: {score:.4f} after {before:.4f}{tested}")
    return found
