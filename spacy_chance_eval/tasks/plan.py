"""`plan`: how many documents more, for a narrower interval or to tell two systems apart?

From saved runs, gold and systems, or annotators.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import inf
from typing import Any

from numpy.typing import ArrayLike

from ..corpora.jobs import Asked, requests_of_panel
from ..corpora.panels import find_annotators
from ..corpora.passes import Workers, count_sources
from ..corpora.sources import Source, parse_source
from ..formats.keys import Reading
from ..measures.panel import Panel
from ..metrics.request import Metrics, Request, requests_of
from ..reports.plan import plan_report
from ..runs.common import LEADING, Common, find_common
from ..runs.compare import run_names
from ..runs.files import is_run, read_run
from ..runs.run import StoredRun, stored_run
from ..scoring.counts import Progress, count_panel, no_progress
from ..scoring.evaluation import default_requests
from ..scoring.intervals import Resampling, cluster_places, cluster_unit
from ..scoring.planning import (
    A_TOTAL,
    WHICH,
    WIDTH,
    PlanOptions,
    plan_panel,
    plan_systems,
    plans_result,
)
from ..scoring.ranking import SCORE_COLUMNS, Comparison
from ..scoring.scores import team_facts
from ..scoring.warnings import count_warnings
from .agree import about_annotators
from .calls import explain_arguments
from .inputs import Annotation, Inputs
from .records import Frame
from .settings import Teamwork
from .systems import runs_of_systems
from .tabular import PlainResult


class Plan(PlainResult):
    """How many more documents: `plan["plans"]` has one for each metric, system and pair."""

    _compose = staticmethod(plan_report)

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each plan, label and number of documents."""
        own = ("metric", "score", "scope", "first", "second")
        numbers = (*SCORE_COLUMNS, "difference", "low", "high")
        return [
            {key: plan[key] for key in own}
            | {"label": column.get("label")}
            | {key: column.get(key) for key in numbers}
            | {f"n_{goal}": (column[goal] or {}).get("n") for goal in ("for_width", "for_power")}
            | {"power": None, **row}
            for plan in self["plans"]
            for column in (plan["total"], *plan["labels"])
            for row in column["curve"]
        ]


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
    layer: str = "ents",
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
    unit: str = "documents",
    draws: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Plan:
    """How many more documents: widths of intervals and power of tests as the documents grow.

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
    sizes, clusters
        Those of `evaluate`; runs know their clusters.
    layer
        That of `evaluate`.
    draws
        That of `evaluate`.
    seed
        That of `evaluate`.
    intervals : Resampling, optional
        By default 1,000 samples of each size, with percentile intervals.
    unit : str
        Name of the clusters.
    progress : callable, optional
        That of `agree`.

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
    how = intervals or Resampling(1000), progress or no_progress
    options = PlanOptions(width, power, comparison or Comparison(), pairs, score, *how)
    several: Sequence[Any] = given if isinstance(given, Sequence) else [given]
    runs = [one for one in several if isinstance(one, StoredRun)]
    if runs:
        if gold is not None or clusters is not None or len(runs) < len(several):
            raise ValueError(
                "runs know their gold and clusters; expected runs alone: plan([run, other])"
            )
        return plan_runs(_named(runs), options, metrics)
    unit = cluster_unit(unit, clusters)
    if gold is None:
        panel = Inputs("plan", layer, sizes=sizes).panel(given, metrics)
        requests = requests_of_panel(panel, metrics or ())
        counts = count_panel(panel, requests.values(), draws=draws, seed=seed)
        data = team_facts(spans.facts for spans in panel.annotations)
        about: dict[str, Any] = {"clusters": clusters, "unit": unit, "data": data}
        return Plan(plan_panel(counts, requests, options, **about))
    spans, systems = Inputs("plan", layer, sizes=sizes).systems(gold, given)
    requests = requests_of(metrics) if metrics else default_requests([LEADING])
    settings: dict[str, Any] = {"draws": draws, "seed": seed}
    if clusters is not None:
        cluster_places(clusters, spans.n_docs)  # raises for mappings and other lengths
        settings["attributes"] = [{"article": one} for one in clusters]
    named = {
        name: replace(stored_run(spans, pred, requests, title=name, **settings), unit=unit)
        for name, pred in systems.items()
    }
    return plan_runs(named, options, requests=requests.values())


def plan_files(
    sources: Sequence[str],
    gold: str | None = None,
    *,
    options: PlanOptions | None = None,
    reading: Reading | None = None,
    workers: Workers | None = None,
    **teamwork: Any,
) -> Plan:
    """The `Plan` of files: runs of `score`, with `gold` systems, else annotators.

    With `gold` and no sources, the other columns or layers of its file are the systems.
    Other parameters are those of `agree_files`.
    """
    how, options = Teamwork(**teamwork), options or PlanOptions()
    places = [parse_source(source) for source in sources]
    kinds = [is_run(place.path) for place in places]
    if any(kinds):
        if gold is not None or not all(kinds):
            raise ValueError(
                "some files are runs of `score` and others are not; plan on runs alone, or on "
                "--gold GOLD and files of systems"
            )
        return plan_runs(_named(list(map(read_run, sources)), places), options, how.metrics)
    if gold is not None:
        # annotators have other metrics by default
        asked = Asked(how.metrics or (LEADING,), how.defaults).requests("token")
        how = replace(how, metrics=asked)
        systems, requests, warnings = runs_of_systems(
            gold, sources, how, reading=reading, workers=workers
        )
        plan = plan_runs(systems, options, requests=requests.values())
    else:
        annotators = find_annotators(sources, reading, **how.who)
        job = how.job(annotators, rows=True)
        counted = count_sources(annotators.sources, job, workers)
        about = about_annotators(annotators, counted)
        plan = Plan(plan_panel(counted.counts, counted.requests, options, **about))
        warnings = counted.reading_warnings
    plan["warnings"] = list(dict.fromkeys([*warnings, *plan["warnings"]]))
    return plan


def _named(runs: Sequence[StoredRun], places: Sequence[Source] = ()) -> dict[str, StoredRun]:
    """The runs by titles, predictions or files that tell them apart, else by numbers."""
    about = [run.about() for run in runs]
    for one, place in zip(about, places):
        one["path"] = place.path
    return dict(zip(run_names(about, [f"run {i}" for i in range(1, len(runs) + 1)]), runs))


# --- systems


def plan_runs(
    runs: Mapping[str, StoredRun],
    options: PlanOptions,
    metrics: Metrics | None = None,
    requests: Collection[Request] = (),
) -> Plan:
    """The `Plan` of runs: of each by itself, and of pairs of them.

    Totals, which grow with the number of documents, are left out with a note.

    `metrics` are some of those stored, by default span F; `requests` are those that runs were made
    for, with tables of closeness, which runs do not keep.
    """
    if not runs:
        raise ValueError("no run to plan for; expected at least one")
    options = replace(options, width=options.width or WIDTH)
    plans: list[dict[str, Any]] = []
    notes: list[str] = []
    stored = next(iter(runs.values())).metrics
    stored_names = sorted(stored, key=lambda name: stored[name].request.metric != LEADING)
    asked = [metrics] if isinstance(metrics, (str, Request)) else metrics
    for metric in map(str, asked or stored_names[: None if requests else 1]):
        if any(run.metric(metric, name).request.row.bits for name, run in runs.items()):
            notes.append(f"{metric} is left out: {A_TOTAL}.")
            continue
        own = [_system_plan(options, metric, name, run) for name, run in runs.items()]
        plans += own
        order = [one["first"] for one in sorted(own, key=_rank_key)]
        pairs = pairwise(order) if options.pairs == WHICH[0] else combinations(order, 2)
        for better, worse in pairs:
            both = find_common(runs[worse], runs[better], metrics=[metric])
            notes += both.notes
            plans.append(_pair_plan(options, (better, worse), both))
    if len(runs) > 2:
        alpha, n_all = options.comparison.alpha, len(runs) * (len(runs) - 1) // 2
        notes.append(
            f"Alpha ({alpha:g}) is that of one pair; a leaderboard adjusts it for the number of "
            f"its pairs: {alpha / n_all:.2g} is on the safe side."
        )
    counts = [run.counts for run in runs.values()]
    if len(counts) > 1:  # warnings say whose they are
        counts = [replace(one, names=(one.names[0], name)) for one, name in zip(counts, runs)]
    warnings = [text for one in counts for text in count_warnings(one, requests)]
    result = plans_result(options, "systems", runs, plans, notes, warnings)
    return Plan(result | {"pairs": options.pairs})


def _rank_key(plan: Mapping[str, Any]) -> float:
    """The sort key of a system: the best first, those without a score last."""
    value = plan["total"][plan["score"]]
    return inf if value is None else -value if plan["higher_is_better"] else value


def _system_plan(options: PlanOptions, metric: str, name: str, run: StoredRun) -> dict[str, Any]:
    """The plan of one system by one metric."""
    stored = run.metric(metric)
    facts = run.facts if stored.draws is None else {**run.facts, "draws": stored.draws}
    how: dict[str, Any] = {"metric": metric, "facts": facts}
    how |= {"unit": run.unit, "clusters": run.clusters}
    return plan_systems({name: stored.statistics}, run.counts, stored.request, options, **how)


def _pair_plan(options: PlanOptions, names: tuple[str, str], both: Common) -> dict[str, Any]:
    """The plan of the difference of two systems."""
    ((metric, (request, worse, better)),) = both.metrics.items()
    how: dict[str, Any] = {"metric": metric, "facts": both.runs[1].facts}
    how["unit"], how["clusters"] = both.clusters()
    named = dict(zip(names, (better, worse)))
    return plan_systems(named, both.counts, request, options, **how)
