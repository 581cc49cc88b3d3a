"""Statistics of a panel: of every pair, of each annotator against the majority, of the team."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial, reduce

from ..measures.chance.expectation import check_placement
from ..measures.threads import in_threads, n_cores
from ..metrics.catalog import CATALOG
from ..metrics.request import METRICS
from .evaluate import Run
from .intervals import Statistics

MIRROR = {"gold": "pred", "recalled": "correct", "touched": "partial"}
MIRROR |= {name: other for other, name in MIRROR.items()}
OF_BITS = "bits of pairs do not add up to an agreement of the team; see the mean of the pairs"
OF_TWO = "a coefficient of two annotators; for a team see krippendorff_alpha or fleiss_kappa"


@dataclass(frozen=True, eq=False)
class Counted:
    """Statistics of one metric on a panel by what they are of, and reasons where there are none.

    Keys: ("pair", i, j) of annotators by their numbers, i as gold; ("majority", i), the others'
    majority as gold; ("team",).
    """

    statistics: Mapping
    reasons: Mapping

    def pairs(self):
        """The keys of pairs that have statistics."""
        return [key for key in self.statistics if key[0] == "pair"]


def is_symmetric(request):
    """Whether swapping two annotators changes nothing; F with another beta than 1 prefers one."""
    swapped = METRICS[request.metric].swapped
    return swapped == request.metric and request.parameters.get("beta", 1.0) == 1


def count_panel(panel, requests, draws, seed, watch, priors=None):
    """The `Counted` of each of some requests; what pairs share is worked out once.

    Of a part of a corpus, `priors` say by key and request what more to count with: {} for nothing.
    """
    found = [({}, {}) for _ in requests]
    tasks = [("pair", i, j) for i, j in panel.pairs()]
    tasks += [("majority", i) for i in range(len(panel)) if len(panel) > 2]
    bar = partial(watch, total=draws, what="Random annotations")
    known = checked_placements(panel, requests)
    settings = {"draws": draws, "seed": seed, "bar": bar, "known": known, "priors": priors}
    count = partial(counts_of, panel, requests, partial(run_of, **settings), priors is None)
    alone = priors is not None or any(CATALOG[request.metric].slow for request in requests)
    work = map(count, tasks) if alone else one_then_others(count, tasks)
    for results in watch(work, total=len(tasks), what="Pairs of annotators"):
        for key, number, result in results:
            found[number][isinstance(result, str)][key] = result
    for request, (statistics, reasons) in zip(requests, found):
        if len(panel) > 1:
            more = (priors or {}).get((("team",), request), {})
            add_team(panel, request, statistics, reasons, more)
    return [Counted(*both) for both in found]


def one_then_others(function, tasks):
    """The results for all tasks, in order. The first one alone: it works out what all share."""
    yield from map(function, tasks[:1])
    yield from in_threads(function, tasks[1:], n_cores())


def run_of(key, sides, *, draws, seed, bar, known, priors):
    """What counts two aligned annotators."""
    mine = {request: more for (one, request), more in (priors or {}).items() if one == key}
    return Run(*sides, False, draws, seed, bar, dict(known), priors=mine)


def turned(key):
    """The key of a pair with its annotators the other way round."""
    return (key[0], *key[:0:-1])


def counts_of(panel, requests, run_for, whole, key):
    """Triples of key, number of the request, and `Statistics` or a reason, for one pair."""
    sides = sides_of(panel, key)
    runs = {1: run_for(key, sides), -1: run_for(turned(key), sides[::-1])}
    if key[0] == "majority":
        names = ["the majority", panel.names[key[1]]]
        return [(key, i, counted(runs[1], one, names)) for i, one in enumerate(requests)]
    names = [panel.names[number] for number in key[1:]]
    # random annotations come for one side after the other: names must not say for which first;
    # parts of a corpus are not drawn, and have to be alike
    first = -1 if whole and panel.digests[key[1]] > panel.digests[key[2]] else 1
    found = []
    for i, request in enumerate(requests):
        if is_symmetric(request):
            found.append((key, i, counted(runs[first], request, names[::first])))
            continue
        for step, run in runs.items():
            found.append((("pair", *key[1:][::step]), i, counted(run, request, names[::step])))
    return found


def sides_of(panel, key):
    """The two aligned annotators that a key names."""
    if key[0] == "pair":
        return panel.pair(*key[1:])
    return panel.against_majority(key[1])


def told_by_name(error, names):
    """A message in which "annotator 2:" is called by name."""
    numbered = {str(number): name for number, name in enumerate(names, 1)}
    return re.sub(r"\bannotator (\d+):", lambda m: f"{numbered.get(m[1], m[0])}:", str(error))


def counted(run, request, names):
    """The statistics of two annotators, without single draws; or the reason why there are none."""
    try:
        one = run.statistics(request)
    except ValueError as error:
        return told_by_name(error, names)
    return Statistics(*one.parts(), exact=one.exact)


def checked_placements(panel, requests):
    """What `Run` need not check pair by pair, as every annotator is right by itself."""
    known = {}
    for placement in {request.placement for request in requests} - {"none"}:
        try:
            for spans in panel.ready[: len(panel)]:  # a majority of such spans is such, too
                check_placement(spans, spans, placement)
        except ValueError:
            continue
        known[f"check {placement}"] = None
    return known


def add_team(panel, request, statistics, reasons, more):
    """Add the statistics of the team: of all annotators at once, or the sum over the pairs."""
    metric = CATALOG[request.metric]
    pairs = [key for key in statistics if key[0] == "pair"]
    faults = [reason for key, reason in reasons.items() if key[0] == "pair"]
    try:
        if metric.team:
            counts = metric.count(panel.together, **request.only(metric.counted), **more)
            statistics["team",] = Statistics(counts)
        elif metric.parts or metric.bits:
            reasons["team",] = OF_TWO if metric.parts else OF_BITS
        elif faults:
            reasons["team",] = faults[0]
        else:
            total = reduce(added, (statistics[key] for key in pairs))
            statistics["team",] = both_ways(total) if is_symmetric(request) else total
    except ValueError as error:
        reasons["team",] = told_by_name(error, panel.names)


def both_ways(statistics):
    """Statistics and their mirror image, added, if they know gold: of a team nobody is it."""
    return statistics.each(lambda part: part + mirrored(part))


def mirrored(part):
    """The statistics that prediction and gold would have, swapped."""
    names = [field.name for field in fields(part)]
    return type(part)(*(getattr(part, MIRROR.get(name, name)) for name in names))


def added(one, two):
    """Two `Statistics` of the same kind, added."""
    return Statistics(*(a + b for a, b in zip(one.parts(), two.parts())))
