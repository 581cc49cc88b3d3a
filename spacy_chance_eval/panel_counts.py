"""Statistics of a panel: of every pair, of each annotator against the majority, of the team."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial, reduce

from .catalog import CATALOG
from .evaluate import Run
from .intervals import Statistics
from .measures.expectation import check_placement

MIRROR = {"gold": "pred", "recalled": "correct", "touched": "partial"}
MIRROR |= {name: other for other, name in MIRROR.items()}
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
    swapped = CATALOG[request.metric].swapped
    return swapped == request.metric and request.parameters.get("beta", 1.0) == 1


def count_panel(panel, requests, draws, seed, watch):
    """The `Counted` of each of some requests; what pairs share is worked out once."""
    found = [({}, {}) for _ in requests]
    bar = partial(watch, total=draws, what="Random annotations")
    known = checked_placements(panel, requests)
    symmetric = [request if is_symmetric(request) else None for request in requests]
    directed = [None if is_symmetric(request) else request for request in requests]
    tasks = [("pair", i, j) for i, j in panel.pairs()]
    tasks += [("majority", i) for i in range(len(panel)) if len(panel) > 2]
    for key in watch(tasks, what="Pairs of annotators"):
        sides = sides_of(panel, key)
        runs = {step: Run(*sides[::step], False, draws, seed, bar, dict(known)) for step in (1, -1)}
        if key[0] == "majority":
            names = ["the majority", panel.names[key[1]]]
            keep_counts(found, requests, key, runs[1], names)
            continue
        names = [panel.names[number] for number in key[1:]]
        # random annotations come for one side after the other: names must not say for which first
        first = -1 if panel.digests[key[1]] > panel.digests[key[2]] else 1
        keep_counts(found, symmetric, key, runs[first], names[::first])
        for step, run in runs.items():
            keep_counts(found, directed, ("pair", *key[1:][::step]), run, names[::step])
    for request, (statistics, reasons) in zip(requests, found):
        if len(panel) > 1:
            add_team(panel, request, statistics, reasons)
    return [Counted(*both) for both in found]


def sides_of(panel, key):
    """The two aligned annotators that a key names."""
    if key[0] == "pair":
        return panel.pair(*key[1:])
    return panel.against_majority(key[1])


def with_names(error, names):
    """A message in which "annotator 2:" is called by name."""
    numbered = {str(number): name for number, name in enumerate(names, 1)}
    return re.sub(r"\bannotator (\d+):", lambda m: f"{numbered.get(m[1], m[0])}:", str(error))


def keep_counts(found, requests, key, run, names):
    """Add the statistics of one pair, for all requests that are not None, or the reason."""
    for request, (statistics, reasons) in zip(requests, found):
        if request is None:
            continue
        try:
            one = run.statistics(request)
            statistics[key] = Statistics(*one.parts(), exact=one.exact)  # without single draws
        except ValueError as error:
            reasons[key] = with_names(error, names)


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


def add_team(panel, request, statistics, reasons):
    """Add the statistics of the team: of all annotators at once, or the sum over the pairs."""
    metric = CATALOG[request.metric]
    pairs = [key for key in statistics if key[0] == "pair"]
    faults = [reason for key, reason in reasons.items() if key[0] == "pair"]
    try:
        if metric.team:
            counts = metric.count(panel.together, **request.only(metric.counted))
            statistics["team",] = Statistics(counts)
        elif metric.parts:
            reasons["team",] = OF_TWO
        elif faults:
            reasons["team",] = faults[0]
        else:
            total = reduce(added, (statistics[key] for key in pairs))
            statistics["team",] = both_ways(total) if is_symmetric(request) else total
    except ValueError as error:
        reasons["team",] = with_names(error, panel.names)


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
