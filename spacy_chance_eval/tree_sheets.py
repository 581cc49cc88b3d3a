"""Scores of a panel of trees: `Sheet`s, as panels of spans have them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from .intervals import Resampling, Statistics, cluster_places
from .measures.resampling import cluster_order
from .measures.stats import stack
from .measures.trees import syntax
from .metrics.catalog import ALPHAS
from .metrics.request import METRICS
from .panel_counts import Counted
from .sheets import Sheet, shared_documents, sheet_of, spread, told_apart, with_means
from .tree_alpha import Distances, alphas, drawn_weights

NO_MAJORITY = "trees have no majority"
NOT_DRAWN = "the pairs that were drawn do not differ: draw more, or compare all"
ALL_EQUAL = "all trees are 0 apart: there is no disagreement to expect"
NO_TOKENS = "no token to compare: none that counts, or annotations that differ in their number"
OF_PAIRS = "the mean over the pairs of each sentence, weighted by its size"
NO_BCA = "bca intervals of alpha need items of their own: leave out clusters, or ask for percentile"


@dataclass(frozen=True, eq=False)
class TreeSheet(Sheet):
    """The scores of one metric on a panel of trees."""

    rows: Mapping | None = None  # what `by_document` has of alpha
    no_shared = "no sentence that two of them annotated"

    @property
    def support(self):
        """Nodes by label, in the items that two annotated; none where labels have no score."""
        return self.count(range(len(self.panel)), self.panel.shared)

    def used(self, key):
        """Labels, by number, that either of a pair used in the items that both annotated."""
        return np.flatnonzero(self.count(key[1:], self.panel.seen[list(key[1:])].all(axis=0)))

    def count(self, numbers, items):
        """Nodes of some annotators by label, in some items."""
        labels = len(self.panel.labels)
        if "ignore" not in self.request.parameters:
            return np.zeros(labels, np.int64)
        sides = [self.panel.sides[number] for number in numbers]
        return sum(np.bincount(t.label[items[t.item]], minlength=labels) for t in sides)

    @property
    def definition(self):
        """What the score of the team is, in words."""
        return super().definition if METRICS[self.request.metric].team else OF_PAIRS

    @property
    def facts(self):
        """Nothing more: what is drawn is a parameter of the metric."""
        return {}

    def why(self, found):
        """Why trees that are there give no score, in words."""
        if self.request.parameters.get("sample"):
            return NOT_DRAWN
        return ALL_EQUAL if METRICS[self.request.metric].team else NO_TOKENS

    def by_document(self):
        """As for spans; of alpha also the mean distance of the pairs of each item."""
        if self.rows is not None:
            return self.rows
        found = super().by_document()
        return found | {"distance": np.full(self.panel.n_items, np.nan)} if found else found


def tree_sheets(panel, requests, *, clusters=None, intervals=None, backend="auto", watch=None):
    """The `TreeSheet` of each request, in order; `watch` as `panel_sheets` has it."""
    watch = watch or (lambda steps, total=None, what="": steps)
    intervals = intervals or Resampling(resamples=0)
    order = row_order(panel, clusters)
    found = {}
    for name, group in grouped_requests(requests).items():
        if name is None:
            sheets = [sums_sheet(panel, one, order, intervals, watch) for _, one in group]
        else:
            check_bca(clusters, intervals)
            distances = Distances.of(panel, group[0][1], backend, watch)
            weights = drawn_weights(panel, order, intervals)
            sheets = alpha_sheets(panel, distances, [one for _, one in group], weights, intervals)
        found |= zip((place for place, _ in group), sheets)
    return [found[place] for place in range(len(requests))]


def row_order(panel, clusters):
    """What is resampled: items that two annotated, or clusters of them; as of spans."""
    places = cluster_places(clusters, panel.n_items, "sentence")
    content, did = panel.keys(), [trees.keys() for trees in panel.sides]
    who = told_apart(content, did, panel.seen, panel.shared)
    return cluster_order(np.where(panel.shared, places, -1), [content, who])


def check_bca(clusters, intervals):
    """Raise for an interval that would need distances within clusters."""
    if intervals.interval == "bca" and clusters is not None:
        raise ValueError(NO_BCA)


def grouped_requests(requests):
    """(place, request) by what their distances have in common; None: those without distances."""
    found = {}
    for place, request in enumerate(requests):
        shared = {k: v for k, v in request.parameters.items() if k not in ("delta", "seed")}
        name = f"{request.metric}{shared}" if request.metric in ALPHAS else None
        found.setdefault(name, []).append((place, request))
    return found


def sums_sheet(panel, request, order, intervals, watch):
    """The sheet of a metric that is a sum over items."""
    counted = counted_sums(panel, request)
    sheet = sheet_of(panel, request, counted, order, intervals, partial(watch, what=request.metric))
    return TreeSheet(**{one.name: getattr(sheet, one.name) for one in fields(Sheet)})


def alpha_sheets(panel, distances, requests, weights, intervals):
    """The sheets of some alphas that have the same distances."""
    reasons = {("majority", number): NO_MAJORITY for number in range(len(panel))}
    counted, n_annotators = Counted({}, reasons), len(panel)
    for request, found in zip(requests, alphas(panel, distances, requests, weights)):
        both = shared_documents(panel, [key for key in found if key[0] == "pair"]).docs
        scored = partial(with_means, n_annotators=n_annotators)
        scores = scored({key: one.scores for key, one in found.items()}, both.sum(axis=0))
        more = {}
        if len(weights):
            many = scored({key: one.replicas for key, one in found.items()}, weights.sums(both))
            less = {}
            if intervals.interval == "bca":
                rest = {key: one.without(both.any(axis=1)) for key, one in found.items()}
                less = scored(rest, (both.sum(axis=0) - both)[panel.shared])
            more = spread(intervals, scores, many, less)
        rows = found["team",].by_item(scores["team",]) if ("team",) in found else {}
        yield TreeSheet(panel, request, counted, scores, **({"limits": {}} | more), rows=rows)


def counted_sums(panel, request):
    """The `Counted` of a metric that is a sum over items: of each pair, and of the team."""
    metric = METRICS[request.metric]
    if panel.kind not in metric.kinds:
        reason = f"it is of {metric.kinds[0]} trees; these are {panel.kind} trees"
        keys = [("pair", *pair) for pair in panel.pairs()]
        return Counted({}, dict.fromkeys([*keys, ("team",)], reason))
    count = partial(metric.count, **request.only(metric.counted))
    pairs = {
        ("pair", one, two): count(panel.sides[one], panel.sides[two]) for one, two in panel.pairs()
    }
    reasons = {("majority", number): NO_MAJORITY for number in range(len(panel))}
    if not pairs:
        return Counted({}, reasons)
    team = mean_of_pairs(panel, list(pairs.values()))
    statistics = {key: Statistics(one) for key, one in (pairs | {("team",): team}).items()}
    return Counted(statistics, reasons)


def mean_of_pairs(panel, pairs):
    """The mean over the pairs of each item, as sums over items have it.

    Edges: an item whose annotations differ in the number of tokens is left out whole. Brackets: an
    item weighs as many leaves as its first annotation has.
    """
    n_pairs = np.array([panel.seen[list(pair)].all(axis=0) for pair in panel.pairs()]).sum(axis=0)
    share = 1 / np.maximum(n_pairs, 1)
    if panel.kind == "dependency":
        share = (share * panel.even)[:, None]
        return stack(pairs).each(lambda array: array.sum(axis=0) * share)
    leaves = np.array([trees.leaves for trees in panel.sides])
    weight = leaves[panel.seen.argmax(axis=0), np.arange(panel.n_items)] * (n_pairs > 0)
    index = sum(np.nan_to_num(syntax.weighted_mean(pair)[:, 0]) for pair in pairs) * share
    return syntax.Weighted((weight * index)[:, None], weight[:, None])
