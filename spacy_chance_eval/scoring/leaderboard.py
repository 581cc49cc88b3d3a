"""Ways to divide the documents of a gold standard, for boards of the parts."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from itertools import combinations
from math import ceil

import numpy as np

from ..about import __version__
from ..measures.alignment import align, check_complete, with_labels
from ..measures.matching import span_mass
from ..measures.resampling import cluster_order, grouped, leave_one_out
from ..measures.spans import trusted
from ..metrics.catalog import CATALOG
from ..metrics.request import Request, of_spans, parse
from .evaluate import Run, check_draws
from .intervals import (
    Resampling,
    Statistics,
    clusters_of,
    columns,
    order_keys,
    plain,
    total_and_labels,
)
from .scores import signature
from .standings import Comparison, standings
from .tallies import tally_of

BINNED = ("chance", "length", "density")


def parts_of(gold, by, *, bins=3, request=None, values=None):
    """The parts into which the annotated documents of gold fall.

    Parameters
    ----------
    gold : Spans
    by : str
        "chance": what two random annotations with the spans of gold would agree, by `request`.
        "length": number of tokens. "density": gold spans per 100 tokens. Anything else is the name
        of an attribute, whose `values` are given.
    bins : int
        Into how many parts of about equal size numbers are divided; equal ones stay together.
    request : Request, optional
        With a chance model.
    values : sequence, optional
        One per document; None for a document that has none, and is in no part.

    Returns
    -------
    dict of str to boolean array of shape (n_docs,)
        Numbers in rising order; attributes in alphabetical order.
    """
    if by not in BINNED:
        return named_parts(gold, by, values)
    if bins < 1:
        raise ValueError(f"bins is {bins!r}; expected at least 1")
    sizes = np.maximum(gold.sizes, 1)
    if by == "length":
        return binned(gold, gold.sizes.astype(float), bins, 0, "tokens")
    if by == "density":
        n_spans = span_mass(gold, np.ones_like).sum(axis=1)
        return binned(gold, 100 * n_spans / sizes, bins, 2, "spans per 100 tokens")
    if request is None or request.placement == "none":
        raise ValueError("the subset 'chance' needs a metric with a chance model")
    return binned(gold, chance_levels(gold, request), bins, 4, "expected")


def chance_levels(gold, request):
    """Expected score of each document of gold against itself; nan without spans."""
    statistics = Run(*align(gold, gold), False, 1000, 0, iter, {}).statistics(request)
    return columns(request.scorer(), statistics.pooled())["expected"][:, 0]


def ranges(ends, digits):
    """Names of ranges from their ends, with as many decimals more as tell them apart."""
    for more in range(18):
        sides = [tuple(f"{end:.{digits + more}f}" for end in pair) for pair in ends]
        if len(set(sides)) == len(sides):
            break
    return [low if low == high else f"{low}-{high}" for low, high in sides] if ends else []


def binned(gold, values, bins, digits, unit):
    """Parts of about equal size by quantiles of a number; undefined ones are a part by itself."""
    defined = gold.seen & ~np.isnan(values)
    found = []
    if defined.any():
        shares = np.arange(1, bins) / bins
        edges = np.unique(np.quantile(values[defined], shares, method="inverted_cdf"))
        place = np.searchsorted(edges, values, "left")
        found = [defined & (place == number) for number in range(len(edges) + 1)]
        found = [docs for docs in found if docs.any()]
    ends = [(values[docs].min(), values[docs].max()) for docs in found]
    parts = {f"{name} {unit}": docs for name, docs in zip(ranges(ends, digits), found)}
    if (gold.seen & ~defined).any():
        parts["no spans"] = gold.seen & ~defined
    return parts


def named_parts(gold, by, values):
    """One part for each value of an attribute."""
    if values is None or len(values) != gold.n_docs:
        raise ValueError(f"values of {by!r} need one entry per document ({gold.n_docs})")
    names = [None if value is None else str(value) for value in values]
    return {
        part: gold.seen & np.array([name == part for name in names], bool)
        for part in sorted(set(names) - {None})
    }


SORTS = ("corrected", "observed", "change", "name")
FEW = 40  # clusters, below which intervals hold less often than they say


@dataclass(frozen=True, eq=False)
class Table:
    """All that boards are made from."""

    tallies: Mapping  # {system: Tally}, sorted
    requests: Mapping
    intervals: Resampling
    comparison: Comparison
    places: np.ndarray  # the cluster of each row of the tallies
    draws: str  # number and seed of random annotations
    data: Mapping
    watch: Callable

    @property
    def first(self):
        """What is said of gold, any tally says alike."""
        return next(iter(self.tallies.values()))

    @cached_property
    def keys(self):
        """What rows are put in order by."""
        if self.first.rows is None:
            return []
        keys = [one.rows.keys for one in self.tallies.values()]
        return order_keys(keys[0]["gold"], keys[0]["words"], [one["pred"] for one in keys])

    def boards(self, metric, subsets):
        """The boards of a metric: the whole, each label of gold, each part of each subset."""
        yield from self.made(metric, np.ones(len(self.places), bool), labels=True)
        for by, parts in subsets.items():
            for part, docs in parts.items():
                if (self.first.rows.seen & docs).any():
                    yield from self.made(metric, docs, {"by": by, "value": part})

    def made(self, metric, docs, subset=None, labels=False):
        """One board of some documents or, with `labels`, also one for each label of gold."""
        request = self.requests[metric]
        score, bits = request.scorer(), CATALOG[request.metric].bits
        places = np.where(docs, self.places, -1)
        order, known = cluster_order(places, self.keys), {}
        systems = [one.statistics[str(request)] for one in self.tallies.values()]
        systems = systems if labels else [one.pooled() for one in systems]
        systems = [one.each(partial(grouped, order=order, known=known)) for one in systems]
        watch = partial(self.watch, what=f"{metric}: resamples")
        found = standings(score, systems, self.intervals, self.comparison, watch)
        expected = np.stack([total_and_labels(score, one.total())["expected"] for one in systems])
        support = self.support(places >= 0)
        shared = {"metric": metric, "request": str(request), "bits": bits, "subset": subset}
        shared["n_docs"] = int((places >= 0).sum())
        if self.first.rows is None:
            shared["n_docs"] = self.first.sizes["n_docs"]
        for column in [0, *(1 + np.flatnonzero(support[0, 1:]))] if labels else [0]:
            label = self.first.labels[column - 1] if column else None
            yield {
                **shared,
                "label": label,
                "n_gold": int(support[0, column]),
                "rows": list(
                    self.rows(found, column, support, expected, shared | {"label": label})
                ),
                "pairs": list(self.pairs(found, column)),
            }

    def support(self, rows):
        """Spans in some rows: of gold, then of each system; all together, then by label."""
        sides = [self.first.support["gold"], *(t.support["pred"] for t in self.tallies.values())]
        sums = [table[rows].sum(axis=0) for table in sides]
        return np.stack([np.append(one.sum(), one) for one in sums])

    def worst(self, metric, number):
        """{system: the documents without which its score would rise most}, as plain values."""
        score = self.requests[metric].scorer()
        name_of = str(self.requests[metric])
        return {
            name: list(self.costly(tally.statistics[name_of].pooled(), score, number))
            for name, tally in self.tallies.items()
        }

    def costly(self, statistics, score, number):
        """Place, name and cost of the documents that cost a score most."""
        value = columns(score, statistics.total())["value"][0]
        without = leave_one_out(
            statistics.parts(), lambda *parts: columns(score, Statistics(*parts))["value"][:, 0]
        )
        cost = np.nan_to_num(without - value, nan=0.0)
        for doc in np.argsort(-cost, kind="stable")[:number]:
            if cost[doc] > 0:
                yield {"place": int(doc), "name": self.first.name(doc), "cost": float(cost[doc])}

    def rows(self, found, column, support, expected, about):
        """One row a system."""
        observed = found["observed"].of_systems(column)
        corrected = found["corrected"].of_systems(column) if "corrected" in found else None
        for i, name in enumerate(self.tallies):
            ranks = [side[i]["rank"] for side in (observed, corrected or observed)]
            yield {
                "system": name,
                "gold": int(support[0, column]),
                "pred": int(support[1 + i, column]),
                "observed": observed[i],
                "expected": plain(expected[i, column]),
                "corrected": corrected and corrected[i],
                "change": None if corrected is None or None in ranks else ranks[0] - ranks[1],
                "signature": self.signature(name, about),
            }

    def signature(self, name, about):
        """What a number of a system is quoted with."""
        facts = {"positions": "token", "docs": about["n_docs"], "gold": self.digest}
        facts.update(self.data.get(name, {"repair": "none"}))
        if about["label"] is not None:
            facts["label"] = about["label"]
        if about["subset"]:
            facts["subset"] = "{by}:{value}".format(**about["subset"])
        if any(one.totals is not None for one in self.tallies[name].statistics.values()):
            facts["draws"] = self.draws
        facts |= {"systems": len(self.tallies), "test": self.comparison}
        return signature(about["request"], facts, self.intervals)

    @cached_property
    def digest(self):
        """That of gold."""
        return self.first.digest()

    def pairs(self, found, column):
        """One test a pair of systems, in the order of their names."""
        for i, (first, second) in enumerate(combinations(self.tallies, 2)):
            tests = {side: standing.of_pair(i, column) for side, standing in found.items()}
            yield {"first": first, "second": second, "corrected": None, **tests}


def sorting(sort, names):
    """(metric or None, column) that `sort` names, for a board of some metrics."""
    if sort in names:
        return sort, "corrected"
    metric, colon, column = sort.rpartition(":")
    if column not in SORTS or (colon and metric not in names):
        raise ValueError(
            f"cannot sort by {sort!r}; expected {', '.join(SORTS)}, or METRIC or METRIC:COLUMN "
            f"with one of {', '.join(names)}"
        )
    return metric or None, column


def in_order(boards, metric, column):
    """Put the rows of each board into its order by a column, or all into that of one metric."""
    for board in boards:
        board["rows"].sort(key=partial(sort_key, column=column))
    if metric is not None:
        first = next(board for board in boards if board["metric"] == metric)
        given = [row["system"] for row in first["rows"]]
        for board in boards:
            board["rows"].sort(key=lambda row: given.index(row["system"]))


def sort_key(row, column):
    """What the rows of a board are sorted by; the name decides between equals."""
    if column == "name":
        return 0, row["system"]
    if column == "change":
        value = None if row["change"] is None else -row["change"]
    else:
        value = (row[column] or row["observed"])["rank"]
    return (value is None, value or 0), row["system"]


def notes(table, n_clusters, subsets):
    """What a reader should know before trusting the boards."""
    if table.intervals.resamples:
        yield from resampling_notes(table, n_clusters, subsets)
    known = set(table.first.used["gold"])
    for name, tally in table.tallies.items():
        unknown = [label for label in tally.used["pred"] if label not in known]
        if unknown:
            more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
            yield (
                f"{name} predicts labels that gold does not have "
                f"({', '.join(unknown[:3])}{more}): they count as wrong."
            )
    for by, parts in subsets.items():
        covered = np.any(list(parts.values()), axis=0)
        outside = int((table.first.rows.seen & ~covered).sum())
        if outside:
            yield f"{outside} documents are in no part of {by!r}."


def resampling_notes(table, n_clusters, subsets):
    """Where there is too little to resample, or too few resamples were made."""
    intervals, n_systems = table.intervals, len(table.tallies)
    what = "documents" if intervals.unit == "documents" else f"clusters (by {intervals.unit})"
    if n_clusters < 2:
        yield f"There is nothing to resample but one of the {what}: no intervals, no tests."
    elif n_clusters < FEW:
        yield (
            f"There are only {n_clusters} {what} to resample: intervals are too narrow (with 6 to "
            "40, those of 95 % held the true score 85 to 92 % of the time; bca comes closer), and "
            "tests seldom tell systems apart."
        )
    for by, parts in subsets.items() if n_clusters >= FEW else ():
        places = (table.places[docs & table.first.rows.seen] for docs in parts.values())
        small = sum(len(np.unique(part)) < FEW for part in places)
        if small:
            yield f"{small} of {len(parts)} parts by {by} have fewer than {FEW} {what}."
    n_pairs = n_systems * (n_systems - 1) // 2
    enough = ceil(n_pairs / table.comparison.alpha)
    if n_pairs and intervals.resamples < enough:
        yield (
            f"With {intervals.resamples} resamples no p-value of {n_pairs} pairs can fall below "
            f"{table.comparison.alpha} after Holm's correction, so that all systems share a group: "
            f"take at least {enough}."
        )


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
