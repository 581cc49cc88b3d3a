"""Many systems on one gold standard: scores, intervals, ranks before and after correction."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial

import numpy as np

from .about import __version__
from .boards import Table, in_order, notes, sorting
from .evaluate import Run, check_draws
from .intervals import Resampling, clusters_of
from .measures.alignment import align, check_complete, with_labels
from .measures.spans import trusted
from .metrics.request import Request, of_spans, parse
from .standings import Comparison
from .tallies import tally_of

DEFAULT_METRICS = ("span_f", "token_f")
ON_MISMATCH = ("skip", "error")


def leaderboard(
    gold,
    systems,
    metrics=DEFAULT_METRICS,
    *,
    clusters=None,
    subsets=None,
    intervals=None,
    comparison=None,
    on_mismatch="skip",
    sort="corrected",
    worst=0,
    draws=1000,
    data=None,
    progress=None,
):
    """Boards of all systems: for every metric as a whole, by label, and by subset of documents.

    Parameters
    ----------
    gold : Spans
    systems : mapping of str to Spans
        Each has to annotate all that gold does, on the same tokens.
    metrics : sequence, or mapping from shorter names, of str or Request
    clusters : sequence, optional
        The name of each document's cluster, where documents come in such: these are resampled.
    subsets : mapping, optional
        {how documents are divided: {part: boolean array of shape (n_docs,)}}; see `subsets`.
    intervals : Resampling, optional
        By default 10,000 resamples with seed 0. They are the same for all systems and metrics.
    comparison : Comparison, optional
        By default approximate randomisation, at .05 for all pairs of a board together.
    on_mismatch : "skip" or "error"
        What becomes of a system that cannot be compared: left out, with the reason, or an error.
    sort : str
        "corrected", "observed", "change" or "name"; behind "METRIC:", for all boards alike.
    worst : int
        How many documents to name that cost each system most, by the first metric.
    draws : int
        Random annotations, where an expectation has no formula.
    data : mapping, optional
        {system: what more the signature should say of its data}.
    progress : callable, optional
        progress(steps, total, what) wraps long work; for progress bars.

    Returns
    -------
    dict
        Plain values, ready for JSON: `systems`, `left_out`, `notes`, `resampling` and `boards`,
        each with a row per system and a test per pair of systems.

    Raises
    ------
    ValueError
        For gold that contradicts the chance model, unknown metrics, or no comparable system.

    Examples
    --------
    >>> from spacy_chance_eval import Spans, leaderboard
    >>> gold = Spans.from_tuples([[(0, 2, "PER")], [(5, 6, "LOC")]], sizes=[9, 9])
    >>> half = Spans.from_tuples([[(0, 2, "PER")], []], sizes=[9, 9])
    >>> board = leaderboard(gold, {"half": half, "all": gold}, ["span_f"])["boards"][0]
    >>> [(row["system"], row["corrected"]["rank"]) for row in board["rows"]]
    [('all', 1), ('half', 2)]
    """
    check_on_mismatch(on_mismatch)
    check_draws(draws)
    requests = requests_of(metrics)
    intervals, comparison = intervals or Resampling(), comparison or Comparison()
    watch = progress or (lambda steps, total=None, what="": steps)
    sorting(sort, list(requests))  # before the work
    check_gold(gold, requests.values())
    tallies, left_out = count_all(gold, systems, requests, on_mismatch, draws, intervals, watch)
    return result_of(
        tallies,
        left_out,
        requests,
        clusters=clusters,
        subsets=subsets,
        intervals=intervals,
        comparison=comparison,
        sort=sort,
        worst=worst,
        draws=f"{draws},{intervals.seed}",
        data=data,
        watch=watch,
    )


def result_of(
    tallies,
    left_out,
    requests,
    *,
    clusters=None,
    subsets=None,
    intervals,
    comparison,
    sort,
    worst=0,
    draws="",
    data=None,
    watch,
):
    """The result of `leaderboard` from the `Tally` of each system, by name; the rest as it has it.

    Without rows in the tallies there are no intervals, subsets and worst documents.
    """
    first = next(iter(tallies.values()))
    places = np.zeros(1, np.int64)
    if first.rows is not None:
        places = clusters_of(first.rows, clusters)
    table = Table(
        dict(sorted(tallies.items())),
        requests,
        intervals,
        comparison,
        places,
        draws,
        data or {},
        watch,
    )
    boards = [board for name in requests for board in table.boards(name, subsets or {})]
    in_order(boards, *sorting(sort, list(requests)))
    worst_of = table.worst(next(iter(requests)), worst) if worst else {}
    n_clusters = len(np.unique(places[places >= 0])) if first.rows else first.sizes["n_docs"]
    return {
        "n_docs": first.sizes["n_docs"],
        "n_clusters": n_clusters,
        "clusters": intervals.unit,
        "n_gold": first.sizes["n_gold"],
        "labels": list(first.used["gold"]),
        "resampling": settings_of(intervals, comparison),
        "version": __version__,
        "systems": [
            facts_of(row["system"], tallies[row["system"]])
            | {"worst": worst_of.get(row["system"], [])}
            for row in boards[0]["rows"]
        ],
        "left_out": left_out,
        "notes": list(notes(table, n_clusters, subsets or {})),
        "boards": boards,
    }


def check_on_mismatch(on_mismatch):
    """Raise for a value that does not say what becomes of a system that cannot be compared."""
    if on_mismatch not in ON_MISMATCH:
        known = ", ".join(ON_MISMATCH)
        raise ValueError(f"on_mismatch is {on_mismatch!r}; expected one of {known}")


def facts_of(name, tally):
    """What the list of systems says of one."""
    sizes = tally.sizes
    return {"name": name, "n_pred": sizes["n_pred"], "n_unplaced": sizes["n_unplaced"]}


def requests_of(metrics):
    """{name: Request} of metrics in any form."""
    if isinstance(metrics, (str, Request)):
        metrics = [metrics]
    if not isinstance(metrics, Mapping):
        metrics = {str(metric): metric for metric in metrics}
    if not metrics:
        raise ValueError("no metrics; name at least one")
    return {name: of_spans(parse(metric)) for name, metric in metrics.items()}


def settings_of(intervals, comparison):
    """How intervals and tests were made, as plain values."""
    settings = asdict(intervals) | asdict(comparison)
    settings.pop("unit")
    return settings


def check_gold(gold, requests):
    """Raise if gold itself contradicts what is asked for: that is no fault of a system."""
    if not gold.seen.any():
        raise ValueError("no document of gold is annotated; there is nothing to rank on")
    run = Run(*align(gold, gold), False, 1, 0, iter, {})
    for request in requests:
        run.statistics(request)


def count_all(gold, systems, requests, on_mismatch, draws, intervals, watch):
    """{name: Tally} of the systems that can be compared, sorted, and reasons for the others."""
    bar = partial(watch, total=draws, what="Random annotations")
    reasons = {}

    def tried(function, names):
        found = {}
        for name in names:
            try:
                found[name] = function(name)
            except ValueError as error:
                if on_mismatch == "error":
                    raise ValueError(f"{name} cannot be compared: {error}") from error
                reasons[name] = str(error)
        return found

    tried(lambda name: check_complete(gold, systems[name]), sorted(systems))
    systems = {name: systems[name] for name in sorted(systems) if name not in reasons}
    # with the labels of all predictions, every system has the same columns
    gold = with_labels(gold, set(gold.labels).union(*(pred.labels for pred in systems.values())))
    pairs = {name: aligned(gold, pred) for name, pred in systems.items()}
    priors = {request: request.prior(pairs.values()) for request in requests.values()}
    tallies = tried(
        lambda name: counted(pairs[name], requests, priors, draws, intervals, bar),
        watch(list(pairs), len(pairs), "Systems"),
    )
    left_out = [{"name": name, "reason": reasons[name]} for name in sorted(reasons)]
    if not tallies:
        said = "; ".join(f"{one['name']}: {one['reason']}" for one in left_out) or "none given"
        raise ValueError(f"no system can be ranked ({said})")
    return tallies, left_out


def aligned(gold, pred):
    """Gold and a prediction that can be compared with others, made comparable."""
    return align(gold, trusted(pred, stretches=gold.stretches, sentences=gold.sentences))


def counted(pair, requests, priors, draws, intervals, bar):
    """The `Tally` of a system; the priors are those of all systems, so that rows can be mixed."""
    run = Run(*pair, False, draws, intervals.seed, bar, {}, priors=priors)
    return tally_of(run, requests.values(), keys=True)
