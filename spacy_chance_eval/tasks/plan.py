"""`plan`: how many documents more, for a narrower interval or to tell two systems apart?

From saved runs, gold and systems, or annotators.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..about import __version__
from ..corpora.jobs import Asked, Job, requests_of_panel
from ..corpora.pairs import OF_GOLD, reading_of_pred
from ..corpora.panels import find_annotators
from ..corpora.passes import CountedSources, Workers
from ..corpora.sources import (
    Source,
    check_known,
    default_name,
    distinct_names,
    parse_source,
    source_at,
)
from ..formats.errors import did_you_mean
from ..formats.keys import Reading
from ..measures.alignment import ROLES
from ..measures.arrays import IntArray
from ..measures.messages import quoted
from ..measures.panel import Panel
from ..metrics.request import Metrics, Request, requests_of
from ..reports.notebook import fragment
from ..reports.plan import plan_records, plan_tables, plan_text
from ..runs.common import LEADING, Common, find_common
from ..runs.files import is_run, read_run
from ..runs.run import StoredMetric, StoredRun, stored_run
from ..scoring.counts import TEAM, Counts, Progress, count_panel, no_progress
from ..scoring.evaluation import check_draws, default_requests
from ..scoring.intervals import FEW_CLUSTERS, Resampling, cluster_places, cluster_unit, unit_words
from ..scoring.planning import (
    A_TOTAL,
    TIMES,
    WHICH,
    PanelSample,
    PlanOptions,
    Sample,
    panel_sample,
    plan_columns,
    system_sample,
)
from ..scoring.ranking import Comparison
from ..scoring.scores import signature, team_facts
from ..scoring.warnings import count_warnings
from .agree import about_annotators, count_annotators
from .calls import explain_arguments
from .inputs import Annotation, Inputs
from .records import Frame
from .results import PlainResult
from .score import run_of_files

WIDTH, PANEL_WIDTH = 0.02, 0.05  # half-widths: of scores and differences, and of agreement
LEAST = 2  # documents, below which there is nothing to draw from
NO_RUNS = (
    "some files are runs of `score` and others are not; plan on runs alone, or on --gold GOLD and "
    "files of systems"
)


class Plan(PlainResult):
    """How many documents more: `plan["plans"]` has one for each metric, system and pair."""

    def __str__(self) -> str:
        return plan_text(self).strip("\n")

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each plan, label and number of documents."""
        return list(plan_records(self))

    def _repr_html_(self) -> str:
        return fragment(plan_tables(self), self.get("warnings", ()), self["notes"])


@explain_arguments
def plan(
    given: StoredRun
    | Sequence[StoredRun]
    | Panel
    | Mapping[str, Annotation]
    | Sequence[Annotation]
    | Frame,
    gold: Annotation | Frame | None = None,
    *,
    metrics: Metrics | None = None,
    width: float | None = None,
    power: float = 0.8,
    comparison: Comparison | None = None,
    pairs: str = "adjacent",
    score: str = "corrected",
    force: bool = False,
    layer: str = "ents",
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
    unit: str = "documents",
    draws: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Plan:
    """How many documents more: widths of intervals and power of tests as the documents grow.

    Samples of a fifth to ten times as many documents are drawn, with replacement, from those at
    hand. This takes new documents to be like those at hand, and differences to stay as they are.

    Parameters
    ----------
    given : StoredRun, sequence of StoredRun, or annotation
        Saved runs; with `gold` the predictions of systems by their names; without, annotators by
        their names, or a `Panel`. Records (flat rows, or a data frame) name systems in a column
        `system`, annotators in a column `annotator`.
    gold : annotation, optional
        That of `evaluate`.
    metrics : sequence of str or Request, optional
        By default those of the runs, the usual ones of scores, or those of `agree`.
    width : float, optional
        Half-width of intervals to reach; by default .02 and, of agreement, .05.
    power : float
        Probability to reach that the test tells two systems apart, at their present difference.
    comparison : Comparison, optional
        The test of two systems; by default approximate randomisation, at .05 for each pair.
    pairs : "adjacent" or "all"
        Of more than two systems: neighbours in the order of their scores, or all pairs.
    score : "corrected" or "observed"
        The score that is planned for; observed where none is corrected.
    force : bool
        Compare the common part of runs that differ in gold or metrics.
    layer : str
        Of Docs: "ents" or "spans:KEY".
    sizes : integer array_like, or mapping of names to lengths, optional
        Those of `evaluate`.
    intervals : Resampling, optional
        By default 1,000 samples of each size, with percentile intervals.
    clusters : sequence, optional
        The cluster of each document, such as its article: these are drawn. Runs know theirs.
    unit : str
        Name of the clusters.
    draws : int
        Number of random annotations, where an expectation has no formula.
    seed : int
        Of the random annotations.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Returns
    -------
    Plan
        A mapping of plain values, ready for JSON. `plans` has one for each metric, system and pair:
        the present value, a `curve`, and the numbers of documents `for_width` and `for_power`; the
        same for each label.

    Raises
    ------
    ValueError
        For input that is no annotation, runs that do not compare, fewer than two documents, and
        metrics that cannot be planned for.

    Examples
    --------
    >>> from spacy_chance_eval import Resampling, Spans, plan
    >>> gold = Spans.from_tags([["B-PER", "O"], ["B-LOC", "O"]] * 50)
    >>> half = Spans.from_tags([["B-PER", "O"], ["O", "O"]] * 50)
    >>> found = plan({"half": half}, gold, metrics=["span_recall"], width=0.05)
    >>> found["plans"][0]["total"]["for_width"]["n"] > 100
    True
    """
    options = PlanOptions(
        width,
        power,
        comparison or Comparison(),
        pairs,
        score,
        Resampling(1000) if intervals is None else intervals,
        force,
        progress or no_progress,
    )
    several: Sequence[Any] = given if isinstance(given, Sequence) else [given]
    runs = [one for one in several if isinstance(one, StoredRun)]
    if runs:
        if gold is not None or clusters is not None or len(runs) < len(several):
            raise ValueError(
                "runs know their gold and clusters; expected runs alone: plan([run, other])"
            )
        return plan_runs(_named(runs), options, metrics)
    unit = cluster_unit(unit, clusters)
    if gold is not None:
        inputs = Inputs("plan", layer, sizes=sizes, systems_first=True)
        spans, systems = inputs.systems(gold, given)
        requests = requests_of(metrics) if metrics else default_requests()
        settings: dict[str, Any] = {"draws": draws, "seed": seed}
        if clusters is not None:
            cluster_places(clusters, spans.n_docs)  # raises for mappings and other lengths
            settings["attributes"] = [{"article": one} for one in clusters]
        named = {}
        for name, pred in systems.items():
            run = stored_run(spans, pred, requests, title=name, **settings)
            named[name] = replace(run, unit=unit)
        return plan_runs(named, options, requests=requests.values())
    if not isinstance(given, Panel):
        given = Inputs("plan", layer, sizes=sizes).annotators(given, metrics)
    panel = Panel.from_annotators(given)
    requests = requests_of_panel(panel, metrics or ())
    counts = count_panel(panel, requests.values(), draws=draws, seed=seed)
    data = team_facts(spans.facts for spans in panel.annotations)
    return plan_panel(counts, requests, options, clusters=clusters, unit=unit, data=data)


def plan_files(
    sources: Sequence[str],
    gold: str | None = None,
    *,
    options: PlanOptions | None = None,
    asked: Asked | None = None,
    reading: Reading | None = None,
    workers: Workers | None = None,
    draws: int = 1000,
    seed: int = 0,
    **who: Any,
) -> Plan:
    """The `Plan` of files: runs of `score`, with `gold` systems, else annotators.

    With `gold` and no sources, the other columns or layers of its file are the systems.
    Other parameters are those of `agree_files`.
    """
    asked, options = asked or Asked(), options or PlanOptions()
    if gold is not None and not sources:
        from .rank import other_systems

        sources = other_systems(gold, reading or Reading())
    places = [parse_source(source) for source in sources]
    kinds = [is_run(place.path) for place in places]
    if any(kinds):
        if gold is not None or not all(kinds):
            raise ValueError(NO_RUNS)
        runs = [read_run(place.path) for place in places]
        runs = [replace(run, title=one.name or run.title) for run, one in zip(runs, places)]
        named = _named(runs, [place.path for place in places])
        return plan_runs(named, options, asked.metrics)
    check_draws(draws)
    if gold is not None:
        settings: dict[str, Any] = {"workers": workers, "draws": draws, "seed": seed}
        return _plan_systems(gold, places, options, asked, reading or Reading(), settings)
    annotators = find_annotators(sources, reading, **who)
    job = Job(asked, panel=annotators, rows=True, draws=draws, seed=seed)
    counted = count_annotators(annotators, job, workers)
    about = about_annotators(annotators, counted)
    plan = plan_panel(counted.counts, counted.requests, options, **about)
    plan["warnings"] = [*counted.reading_warnings, *plan["warnings"]]
    return plan


def _plan_systems(
    gold: str,
    places: Sequence[Source],
    options: PlanOptions,
    asked: Asked,
    reading: Reading,
    settings: Mapping[str, Any],
) -> Plan:
    """The `Plan` of the systems in files."""
    # annotators have other metrics by default
    requests = asked.requests("token") if asked.metrics else default_requests(**asked.defaults)
    names = distinct_names(places, list(map(default_name, places)))
    of_gold = source_at(gold).looked_at("gold", reading)
    theirs = reading_of_pred(reading)
    systems = [place.looked_at("pred", theirs) for place in places]
    check_known([of_gold, *systems], reading)
    runs, counted = dict[str, StoredRun](), dict[str, CountedSources]()
    wanted: dict[str, Request] = {}
    while wanted != requests:  # again if only some have spans that overlap: all need one model
        wanted = {**requests}
        for name, place, system in zip(names, places, systems):
            if name in counted and counted[name].requests == requests:
                continue
            known = [
                k for k in reading.given if k in OF_GOLD or of_gold.knows(k) or system.knows(k)
            ]
            run, counted[name] = run_of_files(
                gold,
                place,
                metrics=requests,
                reading=reading.only(known),
                **settings,
            )
            runs[name] = replace(run, title=name)
        for one in counted.values():
            requests |= {k: v for k, v in one.requests.items() if v.overlapping is None}
    warnings = [text for one in counted.values() for text in one.reading_warnings]
    plan = plan_runs(runs, options, requests=requests.values())
    plan["warnings"] = list(dict.fromkeys([*warnings, *plan["warnings"]]))
    return plan


def _named(runs: Sequence[StoredRun], paths: Sequence[str] = ()) -> dict[str, StoredRun]:
    """The runs by titles, predictions or files that tell them apart, else by numbers."""
    for texts in ([run.sources[1] for run in runs], paths):
        places = [source_at(text or "") for text in texts]
        files = distinct_names(places, list(map(default_name, places)))
        named = {run.title or name: run for run, name in zip(runs, files)}
        if all(named) and len(named) == len(runs):
            return named
    return {f"run {i}": run for i, run in enumerate(runs, 1)}


# --- systems


def plan_runs(
    runs: Mapping[str, StoredRun],
    options: PlanOptions,
    metrics: Metrics | None = None,
    requests: Collection[Request] = (),
) -> Plan:
    """The `Plan` of runs: of each by itself, and of pairs of them.

    Totals, which grow with the number of documents, are left out with a note.

    `metrics` are some of those stored, by default all; `requests`, for warnings, have the tables of
    closeness, which runs do not keep.
    """
    if not runs:
        raise ValueError("no run to plan for; expected at least one")
    first = next(iter(runs.values()))
    if len(runs) == 1:
        options.check_unpaired("is one system")
    options = replace(options, width=options.width or WIDTH)
    plans: list[dict[str, Any]] = []
    notes: list[str] = []
    for metric in _wanted_metrics(first, metrics):
        stored = {name: _stored_metric(name, run, metric) for name, run in runs.items()}
        if stored[next(iter(stored))].request.row.bits:
            notes.append(f"{metric} is left out: {A_TOTAL}.")
            continue
        own = {
            name: _system_plan(options, name, run, metric, stored[name])
            for name, run in runs.items()
        }
        plans += own.values()
        order = sorted(own, key=lambda name: _rank_key(own[name]))
        pairs = pairwise(order) if options.pairs == WHICH[0] else combinations(order, 2)
        for better, worse in pairs:
            both = find_common(runs[worse], runs[better], metrics=[metric], force=options.force)
            notes += both.notes
            plans.append(_pair_plan(options, (better, worse), both))
    if not plans:
        raise ValueError(f"nothing to plan for: {' '.join(notes)}")
    if len(runs) > 2:
        alpha, n_all = options.comparison.alpha, len(runs) * (len(runs) - 1) // 2
        notes.append(
            f"Alpha ({alpha:g}) is that of one pair; a leaderboard adjusts it for the number of "
            f"its pairs: {alpha / n_all:.2g} is on the safe side."
        )
    result = _result(options, "systems", list(runs), plans, notes, _label_warnings(runs, requests))
    return Plan(result | {"pairs": options.pairs})


def _wanted_metrics(run: StoredRun, metrics: Metrics | None) -> list[str]:
    """The names of metrics: those asked for, or all of a run, span F first."""
    if metrics:
        some = [metrics] if isinstance(metrics, (str, Request)) else list(metrics)
        return list(map(str, some))
    leading = [name for name, one in run.metrics.items() if one.request.metric == LEADING]
    return list(dict.fromkeys([*leading, *run.metrics]))


def _stored_metric(name: str, run: StoredRun, metric: str) -> StoredMetric:
    """The metric of a run, by the name that it was asked for or in full."""
    for key, one in run.metrics.items():
        if metric in (key, one.request.name):
            return one
    hint = did_you_mean(metric, run.metrics)
    has = ", ".join(run.metrics)
    raise ValueError(f"{name} has no metric {quoted(metric)}{hint}; it has {has}")


def _rank_key(plan: Mapping[str, Any]) -> float:
    """The sort key of a system: the best first, those without a score last."""
    value = plan["total"][plan["score"]]
    return inf if value is None else -value if plan["higher_is_better"] else value


def _label_warnings(runs: Mapping[str, StoredRun], requests: Collection[Request]) -> list[str]:
    """Sentences about spans and labels of all systems; of several, with their names."""
    counts = [run.counts for run in runs.values()]
    if len(counts) > 1:
        counts = [replace(one, names=(one.names[0], name)) for one, name in zip(counts, runs)]
    return list(dict.fromkeys(text for one in counts for text in count_warnings(one, requests)))


class _Units(NamedTuple):
    """The resampled units: their name and number, documents, labels, and whose they are."""

    name: str
    n: int
    n_docs: int
    labels: Sequence[str]
    what: str


def _system_plan(
    options: PlanOptions, name: str, run: StoredRun, metric: str, stored: StoredMetric
) -> dict[str, Any]:
    """The plan of one system by one metric."""
    order = run.counts.order(run.clusters)
    run = run.seen_by(stored.request)
    units = _Units(run.unit, len(order[1]), int(run.seen.sum()), run.labels, name)
    sample = system_sample(
        stored.request.scorer(),
        stored.statistics,
        _intervals(options, units).in_blocks(order),
        options.score_of(stored.request),
    )
    facts = {**run.facts, "docs": units.n_docs}
    if stored.draws is not None:
        facts["draws"] = stored.draws
    gold, pred = (run.support[role].sum(axis=0) for role in ROLES)
    about = {"scope": "system", "first": name, "second": None}
    return _plan(options, metric, stored.request, about, units, (gold, pred), facts, sample)


def _pair_plan(options: PlanOptions, names: tuple[str, str], both: Common) -> dict[str, Any]:
    """The plan of the difference of two systems, the better one less the other."""
    ((metric, (request, worse, better)),) = both.metrics.items()
    order = both.order()
    both = both.seen_by(request)
    what = f"{names[0]} and {names[1]}"
    units = _Units(both.clusters()[0], len(order[1]), both.n_docs, both.labels, what)
    blocks = _intervals(options, units).in_blocks(order)
    of = options.score_of(request)
    samples = [system_sample(request.scorer(), one, blocks, of) for one in (better, worse)]
    preds = [both.support(which, "pred").sum(axis=0) for which in (0, 1)]
    first, second = (float(one.value()[0]) for one in samples)
    if (first < second) if request.row.higher_is_better else (first > second):
        # the order is that of all documents of each, which runs need not share
        names, samples = names[::-1], samples[::-1]
    test = str(options.comparison)
    facts = {**both.runs[1].facts, "docs": both.n_docs, "systems": 2, "test": test}
    gold = both.support(1, "gold").sum(axis=0)
    about = {"scope": "difference", "first": names[0], "second": names[1]}
    return _plan(options, metric, request, about, units, (gold, *preds), facts, *samples)


def _intervals(options: PlanOptions, units: _Units) -> Resampling:
    """The resampling of some units, as signatures name it."""
    return replace(options.intervals, unit=units.name).of_units(units.n)


def _plan(
    options: PlanOptions,
    metric: str,
    request: Request,
    about: Mapping[str, Any],
    units: _Units,
    support: Sequence[IntArray],
    facts: Mapping[str, Any],
    sample: Sample | PanelSample,
    other: Sample | None = None,
) -> dict[str, Any]:
    """One plan, as plain values, with the labels that are used.

    `support` has the number of spans by label of gold, or of all annotators, then of others.
    """
    if units.n < LEAST:
        raise ValueError(
            f"{units.what}: only {units.n} {unit_words(units.name)} to draw from; a plan needs "
            f"at least {LEAST}"
        )
    progress = partial(options.progress, total=None, what=f"{units.what}: samples")
    intervals = _intervals(options, units)
    own = replace(options, intervals=intervals)
    score = options.score_of(request)
    name = score if other is None else "difference"
    found = plan_columns(sample, other, name=name, n_units=units.n, options=own, progress=progress)
    # of pairs alone: the power, and the level with the test
    goal = [score, f"{options.width:g}", f"{options.power:g}"][: 2 + (other is not None)]
    signed = {**facts, "plan": ",".join(goal)}
    return {
        "metric": metric,
        "request": request.name,
        "score": score,
        "higher_is_better": request.row.higher_is_better,
        **about,
        "unit": units.name,
        "n_units": units.n,
        "n_docs": units.n_docs,
        "total": found[0],
        "labels": [
            {"label": units.labels[i], "n_spans": int(support[0][i]), **found[1 + i]}
            for i in np.flatnonzero(np.sum(support, axis=0)).tolist()
        ],
        "signature": signature(request, signed, intervals),
    }


def _result(
    options: PlanOptions,
    kind: str,
    names: Sequence[str],
    plans: Sequence[Mapping[str, Any]],
    notes: Iterable[str],
    warnings: Sequence[str],
) -> dict[str, Any]:
    """All plans, and how they were made, as plain values."""
    few = [one for one in plans if one["n_units"] < FEW_CLUSTERS]
    of_few = (
        f"There are only {one['n_units']} {unit_words(one['unit'])}: with fewer than "
        f"{FEW_CLUSTERS}, intervals are too narrow, and plans promise too much."
        for one in few[:1]
    )
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
        "warnings": list(warnings),
        "notes": list(dict.fromkeys([*notes, *of_few])),
        "plans": list(plans),
    }


# --- annotators


def plan_panel(
    counts: Counts,
    requests: Mapping[str, Request],
    options: PlanOptions,
    *,
    clusters: Sequence[Any] | None = None,
    unit: str = "documents",
    data: Mapping[str, Any],
    data_of: Mapping[str, Mapping[str, Any]] | None = None,
) -> Plan:
    """The `Plan` of annotators: how many documents that two of them annotate.

    `counts` have a row for each document; the other parameters are those of `agreement_of`.
    """
    if len(counts) < LEAST:
        raise ValueError(
            f"only one annotator ({', '.join(counts.names)}): there is nobody to agree with; of a "
            "system, name gold as well"
        )
    options.check_unpaired("are annotators")
    options = replace(options, width=options.width or PANEL_WIDTH)
    order = counts.order(clusters)
    units = _Units(unit, len(order[1]), counts.n_all_shared, (), "annotators")
    blocks = _intervals(options, units).in_blocks(order)
    plans, notes = [], []
    facts = {"positions": counts.positions, "docs": counts.n_all_shared}
    facts |= {"annotators": len(counts), "panel": counts.digest()}
    facts |= data
    for name, request in requests.items():
        seen, counted = counts.seen_by(request), counts.metrics[str(request)]
        try:
            key, sample = panel_sample(seen, request, counted, blocks, options.score_of(request))
        except ValueError as error:
            notes.append(f"{name} is left out: {error}.")
            continue
        about = {"scope": key[0], "first": None, "second": None}
        units = units._replace(labels=seen.labels, n_docs=seen.n_all_shared)
        mine = {**facts, "docs": seen.n_all_shared, **(data_of or {}).get(name, {})}
        support = [seen.support[TEAM][0]]
        plans.append(_plan(options, name, request, about, units, support, mine, sample))
    if not plans:
        raise ValueError(f"nothing to plan for: {' '.join(notes)}")
    if single := int((counts.seen.sum(axis=0) == 1).sum()):
        notes.append(
            f"{single} documents that one annotator alone saw are left out: they say nothing of "
            "agreement."
        )
    warnings = count_warnings(counts, requests.values())
    return Plan(_result(options, "annotators", counts.names, plans, notes, warnings))
