"""Alpha of a panel of trees: of all pairs of annotators and the team, with resamples.

Expected disagreement is a sum over all pairs of annotations. One pass over the distances of all
pairs of distinct trees serves all pairs of annotators, all resamples, and every delta.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from ..measures.items import checked_table
from ..measures.resampling import bootstrap_weights, cluster_order, slices
from ..measures.spans import scrambled
from ..measures.stats import ratio, stack
from ..measures.trees import syntax
from ..measures.trees.pq_grams import overlap_blocks, overlap_distances, profiles
from ..measures.trees.tree_edit import distance_blocks, forests, pair_distances
from ..metrics.catalog import ALPHAS, NO_TABLE
from ..metrics.request import METRICS
from .intervals import Resampling, Statistics, cluster_places
from .panel_counts import Counted
from .sheets import Sheet, shared_documents, sheet_of, spread, told_apart, with_means

FORMS = 128_000_000  # bytes of weights of trees that are in memory at a time
ROUNDING = 1e-12  # of sums of squared distances, as a share of them
RESAMPLES = 512  # that are numbers of eight bytes at a time


@dataclass(frozen=True, eq=False)
class Distances:
    """The distances of the trees of a panel: within items, and between any two."""

    numbers: list  # by annotator: the distinct tree of each item
    sizes: np.ndarray  # of each distinct tree
    within: np.ndarray  # shape (n_pairs, n_items); 0 where not both have annotated the item
    some: Callable  # some(pairs): distances of pairs of distinct trees
    blocks: Callable  # blocks(): those of all pairs

    @classmethod
    def of(cls, panel, request, backend, watch):
        """What a request asks for: tree edit distance, or pq-grams."""
        if request.metric == "pq_alpha":
            found, numbers = profiles(panel.sides, **request.only(("p", "q")))
            some = partial(overlap_distances, found)
            blocks = partial(overlap_blocks, found, progress=watch)
        else:
            found, numbers = forests(panel.sides)
            costs = costs_of(request.parameters["closeness"], panel.labels)
            options = {"costs": costs, "backend": backend, "progress": watch}
            some = partial(pair_distances, found, **options)
            blocks = partial(distance_blocks, found, **options)
        return cls(numbers, found.sizes, within_pairs(panel, numbers, some), some, blocks)


def costs_of(closeness, labels):
    """Costs of turning one label into another: 1 less their closeness; None for unit costs."""
    if closeness == NO_TABLE:
        return None
    known = checked_table(closeness)
    rows = [[1.0 - known.get((one, two), one == two) for two in labels] for one in labels]
    return np.array(rows, float).reshape(len(labels), len(labels))


def within_pairs(panel, numbers, some):
    """Distances of the trees of each pair of annotators by item: shape (n_pairs, n_items)."""
    both = [panel.seen[one] & panel.seen[two] for one, two in panel.pairs()]
    pairs = [
        np.stack([numbers[one][mask], numbers[two][mask]], axis=1)
        for (one, two), mask in zip(panel.pairs(), both)
    ]
    if not pairs:
        return np.zeros((0, panel.n_items))
    distinct, place = np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0, return_inverse=True)
    out = np.zeros((len(both), panel.n_items))
    out[np.array(both)] = some(distinct)[place.reshape(-1)]
    return out


@dataclass(frozen=True, eq=False)
class Weights:
    """How often each resample has each item: `items` has the shape (n_resamples, n_items)."""

    items: np.ndarray

    def __len__(self):
        """Number of resamples."""
        return len(self.items)

    def sums(self, table):
        """Weighted sums over the items of a table with a row for each: (n_resamples, ...)."""
        found = np.zeros((len(self), *table.shape[1:]))
        for some in slices(len(self), RESAMPLES):
            found[some] = np.tensordot(self.items[some].astype(float), table, axes=1)
        return found

    def of_trees(self, numbers, seen, n_trees):
        """How often each resample has each distinct tree: shape (n_trees, n_resamples)."""
        used = np.concatenate([mine[mask] for mine, mask in zip(numbers, seen)])
        most = int(np.bincount(used, minlength=1).max()) * int(self.items.max(initial=0))
        found = np.zeros((n_trees, len(self)), np.uint16 if most < 2**16 else np.uint32)
        for mine, mask in zip(numbers, seen):
            np.add.at(found, mine[mask], self.items[:, mask].T.astype(found.dtype))
        return found


def drawn_weights(panel, order, intervals):
    """The `Weights` of a bootstrap: of the rows that `cluster_order` makes, as sums have them."""
    docs, starts = order
    n_resamples = intervals.resamples if len(starts) > 1 else 0
    rows = np.zeros((n_resamples, len(starts)), np.uint16)
    rng = np.random.default_rng(intervals.seed)
    for some, block, weights in bootstrap_weights(len(starts), n_resamples, rng):
        rows[some, block] = weights
    items = np.zeros((n_resamples, panel.n_items), np.uint16)
    items[:, docs] = np.repeat(rows, np.diff([*starts, len(docs)]), axis=1)
    return Weights(items)


@dataclass(frozen=True, eq=False)
class Across:
    """Sums of delta^2 over all ordered pairs of the annotations of a view."""

    total: float
    resampled: np.ndarray  # shape (n_resamples,)
    without: np.ndarray  # without each item: shape (n_items,)


@dataclass(frozen=True, eq=False)
class Alpha:
    """Alpha of a view: some annotators on some items."""

    within: syntax.Within  # a row for each item
    across: Across
    sums: syntax.Within  # of the resamples
    distance: np.ndarray  # mean distance of the pairs of each item, before squares and delta

    @property
    def scores(self):
        """{name: array of shape (1,)} of the sample."""
        return syntax.alpha(self.within.total(), np.array([self.across.total]))

    @property
    def replicas(self):
        """{name: array of shape (n_resamples, 1)}."""
        return syntax.alpha(self.sums, self.across.resampled[:, None])

    def without(self, items):
        """{name: array of shape (n, 1)} without each of some items."""
        rest = self.within.each(np.negative) + self.within.total()
        return syntax.alpha(rest[items], self.across.without[items, None])

    def by_item(self, scores):
        """What `Sheet.by_document` has: D_o of each item against D_e of all, and its cost."""
        disagreement = ratio(self.within.squares, self.within.annotations)[:, 0]
        rest = self.without(slice(None))["value"][:, 0]
        return {
            "value": 1 - ratio(disagreement, 1 - scores["expected"]),
            "observed": 1 - disagreement,
            "expected": np.where(np.isnan(disagreement), np.nan, scores["expected"][0]),
            "cost": rest - scores["value"][0],
            "distance": self.distance,
        }


def alphas(panel, distances, requests, weights):
    """For each of some requests that have the same distances: {key: `Alpha`}.

    Keys are ("pair", i, j) of annotators who share items, and ("team",).
    """
    views = views_of(panel)
    deltas = [request.parameters["delta"] for request in requests]
    within = [squared(panel, distances, delta) for delta in deltas]
    rows = [
        {key: within_view(panel, seen, squares) for key, seen in views.items()}
        for squares in within
    ]
    sampled = requests[0].parameters.get("sample", 0)
    make = drawn_pairs if sampled else all_pairs
    across = make(panel, distances, requests, views, rows, weights)
    for found, sums in zip(rows, across):
        yield {
            key: Alpha(
                one,
                sums[key],
                one.each(weights.sums),
                mean_distance(panel, views[key], distances.within),
            )
            for key, one in found.items()
        }


def views_of(panel):
    """By key, which annotations count: shape (n_annotators, n_items)."""
    found = {}
    for one, two in panel.pairs():
        both = panel.seen[one] & panel.seen[two]
        if both.any():
            found["pair", one, two] = both & np.isin(np.arange(len(panel)), (one, two))[:, None]
    if panel.shared.any():
        found["team",] = panel.seen & panel.shared
    return found


def squared(panel, distances, delta):
    """delta^2 of each pair of annotators by item: shape (n_pairs, n_items)."""
    known = np.append(distances.sizes, 0)  # at the end: where an item is not annotated
    sizes = [known[numbers] for numbers in distances.numbers]
    rows = [
        syntax.DELTAS[delta](row, sizes[one], sizes[two]).astype(float) ** 2
        for row, (one, two) in zip(distances.within, panel.pairs())
    ]
    return np.array(rows).reshape(len(rows), panel.n_items)


def pairs_within(panel, seen):
    """The pairs of annotators who both count somewhere: their places among all pairs, and they."""
    found = [
        (place, pair)
        for place, pair in enumerate(panel.pairs())
        if seen[list(pair)].all(axis=0).any()
    ]
    return [place for place, _ in found], [pair for _, pair in found]


def within_view(panel, seen, squares):
    """The `Within` of a view."""
    places, pairs = pairs_within(panel, seen)
    return syntax.within_items(seen, squares[places], pairs)


def mean_distance(panel, seen, within):
    """The mean of the distances of the pairs of each item; nan where there is none."""
    places, pairs = pairs_within(panel, seen)
    both = np.array([seen[list(pair)].all(axis=0) for pair in pairs])
    return ratio((within[places] * both).sum(axis=0), both.sum(axis=0))


def ordered_within(within):
    """Sums of delta^2 over the ordered pairs of each item: shape (n_items,)."""
    return (within.squares * np.maximum(within.annotations - 1, 0))[:, 0]


def all_pairs(panel, distances, requests, views, rows, weights):
    """For each request {key: `Across`}, from the distances of all pairs of trees."""
    numbers = distances.numbers
    deltas = [request.parameters["delta"] for request in requests]
    # two annotators are the team: what is of the same annotations is worked out once
    distinct = {seen.tobytes(): seen for seen in views.values()}
    sums = view_sums(distances, deltas, list(distinct.values()), weights)
    for one, within in zip(sums, rows):
        found = {}
        for key, seen in views.items():
            total, row, many = one[list(distinct).index(seen.tobytes())]
            touching = sum(np.where(mask, row[mine], 0) for mine, mask in zip(numbers, seen))
            without = total - 2 * touching + ordered_within(within[key])
            without[without < ROUNDING * total] = 0  # where no two of the others differ
            found[key] = Across(total, many, without)
        yield found


def view_sums(distances, deltas, views, weights):
    """For each delta and view: (w' S w, S w, w' S w of the resamples), w its number of each tree.

    Views whose resamples do not fit the memory together come one after the other, with the
    distances kept.
    """
    numbers, n_trees = distances.numbers, len(distances.sizes)
    n_views = max(1, FORMS // max(1, 2 * n_trees * len(weights)))
    blocks = distances.blocks()
    if n_views < len(views):
        blocks = [
            (*place, block.astype(np.min_scalar_type(block.max()))) for *place, block in blocks
        ]
    found = [[] for _ in deltas]
    for some in slices(len(views), n_views):
        base = np.zeros((len(views[some]), n_trees))
        for row, seen in zip(base, views[some]):
            for mine, mask in zip(numbers, seen):
                row += np.bincount(mine[mask], minlength=n_trees)
        forms = [weights.of_trees(numbers, seen, n_trees) for seen in views[some]]
        forms = np.concatenate(forms, axis=1) if len(forms) > 1 else forms[0]
        sums = syntax.quadratic_sums(blocks, distances.sizes, deltas, base, forms)
        for mine, one in zip(found, sums):
            many = one.forms.reshape(len(base), len(weights))
            mine += [(w @ row, row, drawn) for w, row, drawn in zip(base, one.rows, many)]
    return found


def drawn_pairs(panel, distances, requests, views, rows, weights):
    """For each request {key: `Across`}, estimated from pairs of annotations that are drawn."""
    keys = np.array([trees.keys() for trees in panel.sides])
    for request in requests:
        found = {}
        for key, seen in views.items():
            same = [one for one in found if np.array_equal(views[one], seen)]
            if same:  # the team of two annotators is their pair
                found[key] = found[same[0]]
                continue
            who, item = np.nonzero(seen)
            content = (keys * seen).sum(axis=0)
            own = scrambled(content, keys)[who, item]
            order = np.lexsort([own, content[item]])  # whatever order items and annotators have
            rng = np.random.default_rng(request.parameters["seed"])
            drawn = syntax.sampled_pairs(len(who), request.parameters["sample"], rng)
            pairs, items = trees_of(distances, who[order], item[order], drawn)
            sizes = distances.sizes[pairs].T
            delta = syntax.DELTAS[request.parameters["delta"]]
            square = delta(distances.some(pairs), *sizes).astype(float) ** 2
            found[key] = estimated(square, items, seen, weights)
        yield found


def trees_of(distances, who, item, drawn):
    """The trees and the items of pairs of annotations: both of shape (n_pairs, 2)."""
    numbers = np.array(distances.numbers)[who, item]
    return numbers[drawn], item[drawn]


def estimated(square, items, seen, weights):
    """The `Across` that a sample of ordered pairs of annotations stands for.

    A pair counts as often as a resample has both of its items; copies of one annotation, which
    have no distance, are no pairs of the sample.
    """
    n = seen.sum()
    factor = n * (n - 1) / len(square)
    per_item = seen.sum(axis=0)
    both = items[:, 0] == items[:, 1]
    touching = np.zeros((2, len(per_item)))
    for value, row in zip((square, np.ones(len(square))), touching):
        np.add.at(row, items[:, 0], value)
        np.add.at(row, items[~both, 1], value[~both])
    left = n - per_item
    without = left * (left - 1) * ratio(square.sum() - touching[0], len(square) - touching[1])
    resampled = np.zeros(len(weights))
    for some in slices(len(weights), RESAMPLES):
        times = weights.items[some].astype(np.int32)
        resampled[some] = factor * ((times[:, items[:, 0]] * times[:, items[:, 1]]) @ square)
    return Across(factor * square.sum(), resampled, without)


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
