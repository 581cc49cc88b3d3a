"""Many systems on one gold standard: scores, intervals, ranks before and after correction."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from .about import __version__
from .boards import Table, in_order, notes, sorting
from .evaluate import Run, check_draws, support_of
from .intervals import Resampling, clusters_of, content_keys
from .measures.alignment import align, check_complete, with_labels
from .measures.spans import Spans, trusted
from .request import Request, of_spans, parse
from .standings import Comparison

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
    if on_mismatch not in ON_MISMATCH:
        known = ", ".join(ON_MISMATCH)
        raise ValueError(f"on_mismatch is {on_mismatch!r}; expected one of {known}")
    check_draws(draws)
    requests = requests_of(metrics)
    order = sorting(sort, list(requests))
    intervals, comparison = intervals or Resampling(), comparison or Comparison()
    watch = progress or (lambda steps, total=None, what="": steps)
    # with the labels of all predictions, every system has the same columns
    gold = with_labels(gold, set(gold.labels).union(*(pred.labels for pred in systems.values())))
    check_gold(gold, requests.values())
    entries, left_out = count_all(gold, systems, requests, on_mismatch, draws, intervals, watch)
    places = clusters_of(gold, clusters)
    keys = content_keys(gold, [entry.pred for entry in entries.values()])
    table = Table(
        gold,
        gold.digest(),
        entries,
        requests,
        intervals,
        comparison,
        places,
        keys,
        data or {},
        watch,
    )
    boards = [board for name in requests for board in table.boards(name, subsets or {})]
    in_order(boards, *order)
    worst_of = table.worst(next(iter(requests)), worst) if worst else {}
    n_clusters = len(np.unique(places[places >= 0]))
    return {
        "n_docs": int(gold.seen.sum()),
        "n_clusters": n_clusters,
        "clusters": intervals.unit,
        "n_gold": int(support_of(gold).sum()),
        "labels": gold.used_labels(),
        "resampling": settings_of(intervals, comparison),
        "version": __version__,
        "systems": [
            entries[row["system"]].facts() | {"worst": worst_of.get(row["system"], [])}
            for row in boards[0]["rows"]
        ],
        "left_out": left_out,
        "notes": list(notes(table, n_clusters, subsets or {})),
        "boards": boards,
    }


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


@dataclass(frozen=True, eq=False)
class Entry:
    """A system on the board."""

    name: str
    pred: Spans  # aligned with gold
    statistics: dict  # of each request, by its name
    draws: int  # of random annotations; 0 if every expectation has a formula

    def facts(self):
        """What the list of systems says of it."""
        return {
            "name": self.name,
            "n_pred": len(self.pred) + len(self.pred.unplaced),
            "n_unplaced": len(self.pred.unplaced),
        }


def count_all(gold, systems, requests, on_mismatch, draws, intervals, watch):
    """{name: Entry} of the systems that can be compared, sorted, and the reasons for the others."""
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

    pairs = tried(lambda name: comparable(gold, systems[name]), sorted(systems))
    priors = {request: request.prior(pairs.values()) for request in requests.values()}
    entries = tried(
        lambda name: counted(name, pairs[name], requests, priors, draws, intervals, bar),
        watch(list(pairs), len(pairs), "Systems"),
    )
    left_out = [{"name": name, "reason": reasons[name]} for name in sorted(reasons)]
    if not entries:
        said = "; ".join(f"{one['name']}: {one['reason']}" for one in left_out) or "none given"
        raise ValueError(f"no system can be ranked ({said})")
    return entries, left_out


def comparable(gold, pred):
    """Gold and a prediction, aligned; raises if the prediction cannot be compared with others."""
    check_complete(gold, pred)
    return align(gold, trusted(pred, stretches=gold.stretches, sentences=gold.sentences))


def counted(name, pair, requests, priors, draws, intervals, bar):
    """The `Entry` of a system; the priors are those of all systems, so that rows can be mixed."""
    run = Run(*pair, False, draws, intervals.seed, bar, {}, priors=priors)
    statistics = {key: run.statistics(request) for key, request in requests.items()}
    drawn = any(one.totals is not None for one in statistics.values())
    return Entry(name, run.pred, statistics, draws if drawn else 0)
