"""Alpha of a panel of trees: of all pairs of annotators and the team, with resamples.

Expected disagreement is a sum over all pairs of annotations. One pass over the distances of all
pairs of distinct trees serves all pairs of annotators, all resamples, and every delta.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from ..measures.arrays import Array, BoolArray, FloatArray, IntArray, check_memory
from ..measures.items import checked_table
from ..measures.resampling import bootstrap_weights, slices, weight_table
from ..measures.spans import scrambled
from ..measures.stats import ratio
from ..measures.trees import syntax
from ..measures.trees.postorder import distinct_trees
from ..measures.trees.pq_grams import overlap_blocks, overlap_distances, profiles
from ..measures.trees.tree_edit import distance_blocks, pair_distances
from ..measures.trees.trees import TreePanel
from ..metrics.catalog import NO_TABLE
from ..metrics.request import Request
from .counts import TEAM, Key, Progress
from .intervals import Resampling
from .statistics import Scores

Measure: TypeAlias = Callable[..., Any]
FORMS = 128_000_000  # bytes of weights of trees that are in memory at a time
ROUNDING = 1e-12  # of sums of squared distances, as a share of them
FEW_PAIRS = 10_000  # of which a sample has all sooner than numba is loaded, which all pairs use
WEIGHTS = 10  # bytes of an item in a resample: its weight, that of its tree, and copies of both
RESAMPLES = 512  # that are numbers of eight bytes at a time


@dataclass(frozen=True, eq=False)
class TreeDistances:
    """The distances of the trees of a panel: within items, and between any two.

    Parameters
    ----------
    numbers : sequence of integer arrays of shape (n_items,)
        By annotator, the distinct tree of each item.
    sizes : integer array of shape (n_trees,)
        Number of nodes of each distinct tree.
    within : array of shape (n_pairs, n_items)
        Of each pair of annotators; 0 where not both have annotated the item.
    some : callable
        some(pairs) gives the distances of pairs of distinct trees.
    blocks : callable
        blocks() gives those of all pairs.
    """

    numbers: Sequence[IntArray]
    sizes: IntArray
    within: FloatArray
    some: Measure
    blocks: Measure


def distances_of(panel: TreePanel, request: Request, progress: Progress) -> TreeDistances:
    """The distances that a request asks for: tree edit distance, or pq-grams."""
    if request.metric == "pq_alpha":
        grams, numbers = profiles(panel.annotations, **request.only(("p", "q")))
        some: Measure = partial(overlap_distances, grams)
        blocks: Measure = partial(overlap_blocks, grams, progress=progress)
        sizes = grams.sizes
    else:
        trees, numbers = distinct_trees(panel.annotations)
        costs = _costs(request.parameters["closeness"], panel.labels)
        some = partial(pair_distances, trees, costs=costs, progress=progress)
        blocks = partial(distance_blocks, trees, costs=costs, progress=progress)
        sizes = trees.sizes
    return TreeDistances(numbers, sizes, _within_pairs(panel, numbers, some), some, blocks)


def _costs(closeness: Any, labels: Sequence[str]) -> FloatArray | None:
    """Costs of turning one label into another: 1 less their closeness; None for unit costs."""
    if closeness == NO_TABLE:
        return None
    known = checked_table(closeness)
    rows = [[1.0 - known.get((one, two), one == two) for two in labels] for one in labels]
    return np.array(rows, float).reshape(len(labels), len(labels))


def _within_pairs(panel: TreePanel, numbers: Sequence[IntArray], some: Measure) -> FloatArray:
    """Distances of the trees of each pair of annotators by item: shape (n_pairs, n_items)."""
    both = [panel.seen[one] & panel.seen[two] for one, two in panel.sharing_pairs]
    pairs = [
        np.stack([numbers[one][mask], numbers[two][mask]], axis=1)
        for (one, two), mask in zip(panel.sharing_pairs, both)
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

    items: Array

    def __len__(self) -> int:
        """Number of resamples."""
        return len(self.items)

    def sums(self, table: Array) -> FloatArray:
        """Weighted sums over the items of a table with a row for each: (n_resamples, ...)."""
        found = np.zeros((len(self), *table.shape[1:]))
        for some in slices(len(self), RESAMPLES):
            found[some] = np.tensordot(self.items[some].astype(float), table, axes=1)
        return found

    def of_trees(self, numbers: Sequence[IntArray], seen: BoolArray, n_trees: int) -> Array:
        """How often each resample has each distinct tree: shape (n_trees, n_resamples)."""
        used = np.concatenate([mine[mask] for mine, mask in zip(numbers, seen)])
        most = int(np.bincount(used, minlength=1).max()) * int(self.items.max(initial=0))
        found = np.zeros((n_trees, len(self)), np.uint16 if most < 2**16 else np.uint32)
        for mine, mask in zip(numbers, seen):
            np.add.at(found, mine[mask], self.items[:, mask].T.astype(found.dtype))
        return found


def drawn_weights(n_items: int, order: tuple[IntArray, IntArray], intervals: Resampling) -> Weights:
    """The `Weights` of a bootstrap that resamples the same rows in the same way as that of sums."""
    docs, starts = order
    n_resamples = intervals.resamples if len(starts) > 1 else 0
    each = 2 * len(starts) + WEIGHTS * n_items
    check_memory("resamples", n_resamples, each, f"for {n_items:,} sentences")
    rng = np.random.default_rng(intervals.seed)
    made = bootstrap_weights(len(starts), n_resamples, rng)
    rows = weight_table(made, n_resamples, len(starts))
    items = np.zeros((n_resamples, n_items), np.uint16)
    items[:, docs] = np.repeat(rows, np.diff([*starts, len(docs)]), axis=1)
    return Weights(items)


@dataclass(frozen=True, eq=False)
class _Across:
    """Sums of delta^2 over all ordered pairs of the annotations of a view."""

    total: float
    resampled: FloatArray  # shape (n_resamples,)
    without: FloatArray  # without each item: shape (n_items,)
    standard_error: float = 0.0  # of their mean, where they are estimated


@dataclass(frozen=True, eq=False)
class _Alpha:
    """Alpha of a view: some annotators on some items."""

    within: syntax.Within  # a row for each item
    across: _Across
    sums: syntax.Within  # of the resamples
    distance: FloatArray  # mean distance of the pairs of each item, before squares and delta

    @property
    def scores(self) -> Scores:
        """{name: array of shape (1,)} of the sample."""
        return syntax.alpha(self.within.total(), np.array([self.across.total]))

    @property
    def standard_error(self) -> float:
        """The standard error of alpha that comes from drawing pairs for D_e; 0 if all are taken.

        nan where alpha is, and where too few pairs were drawn to know it.
        """
        scores = self.scores
        if self.across.standard_error == 0:
            return 0.0 if np.isfinite(scores["corrected"][0]) else math.nan
        observed, expected = 1 - scores["observed"], 1 - scores["expected"]
        return float((ratio(observed, expected**2) * self.across.standard_error)[0])

    @property
    def replicas(self) -> Scores:
        """{name: array of shape (n_resamples, 1)}."""
        return syntax.alpha(self.sums, self.across.resampled[:, None])

    def without(self, items: Any) -> Scores:
        """{name: array of shape (n, 1)} without each of some items."""
        rest = self.within.each(np.negative) + self.within.total()
        return syntax.alpha(rest[items], self.across.without[items, None])

    def by_item(self, scores: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Rows of `PanelScore.by_document`: D_o of each item, D_e of all items, and the cost."""
        disagreement = ratio(self.within.squares, self.within.annotations)[:, 0]
        rest = self.without(slice(None))["corrected"][:, 0]
        return {
            "observed": 1 - disagreement,
            "expected": np.where(np.isnan(disagreement), np.nan, scores["expected"][0]),
            "corrected": 1 - ratio(disagreement, 1 - scores["expected"]),
            "cost": rest - scores["corrected"][0],
            "distance": self.distance,
        }


def alphas(
    panel: TreePanel, distances: TreeDistances, requests: Sequence[Request], weights: Weights
) -> Iterator[dict[Key, _Alpha]]:
    """For each of some requests that have the same distances: {key: `_Alpha`}.

    Keys are ("pair", i, j) of annotators who share items, and TEAM.
    """
    views = _views(panel)
    deltas = [request.parameters["delta"] for request in requests]
    within = [_squared(panel, distances, delta) for delta in deltas]
    works = {key: seen for key, (seen, _) in views.items()}
    pairs = {key: [panel.sharing_pairs[i] for i in some] for key, (_, some) in views.items()}
    rows = [
        {
            key: syntax.within_items(seen, squares[some], pairs[key])
            for key, (seen, some) in views.items()
        }
        for squares in within
    ]
    most = max((int(seen.sum()) for seen in works.values()), default=0)
    every = most * (most - 1) // 2
    samples = [request.parameters.get("sample", 0) for request in requests]
    drawn = any(n and (n < every or every <= FEW_PAIRS) for n in samples)
    make = _drawn_pairs if drawn else _all_pairs
    across = make(panel, distances, requests, works, rows, weights)
    for found, sums in zip(rows, across):
        yield {
            key: _Alpha(
                one,
                sums[key],
                one.each(weights.sums),
                _mean_distance(panel, views[key], distances.within),
            )
            for key, one in found.items()
        }


def _views(panel: TreePanel) -> dict[Key, tuple[BoolArray, list[int]]]:
    """By key, which annotations count, (n_annotators, n_items), and the numbers of their pairs."""
    views: dict[Key, tuple[BoolArray, list[int]]] = {}
    for number, (one, two) in enumerate(panel.sharing_pairs):
        both = panel.seen[one] & panel.seen[two]
        who = np.isin(np.arange(len(panel)), (one, two))
        views["pair", one, two] = both & who[:, None], [number]
    if views:
        views[TEAM] = panel.seen & panel.shared, [*range(len(views))]
    return views


def _squared(panel: TreePanel, distances: TreeDistances, delta: str) -> FloatArray:
    """delta^2 of each pair of annotators by item: shape (n_pairs, n_items)."""
    known = np.append(distances.sizes, 0)  # at the end: where an item is not annotated
    sizes = [known[numbers] for numbers in distances.numbers]
    rows = [
        syntax.DELTAS[delta](row, sizes[one], sizes[two]).astype(float) ** 2
        for row, (one, two) in zip(distances.within, panel.sharing_pairs)
    ]
    return np.array(rows).reshape(len(rows), panel.n_items)


def _mean_distance(
    panel: TreePanel, view: tuple[BoolArray, list[int]], within: FloatArray
) -> FloatArray:
    """The mean of the distances of the pairs of each item; nan where there is none."""
    seen, places = view
    both = np.array([seen[list(panel.sharing_pairs[place])].all(axis=0) for place in places])
    return ratio((within[places] * both).sum(axis=0), both.sum(axis=0))


def _all_pairs(
    panel: TreePanel,
    distances: TreeDistances,
    requests: Sequence[Request],
    views: Mapping[Key, BoolArray],
    rows: Sequence[Mapping[Key, syntax.Within]],
    weights: Weights,
) -> Iterator[dict[Key, _Across]]:
    """For each request {key: `_Across`}, from the distances of all pairs of trees."""
    numbers = distances.numbers
    deltas = [request.parameters["delta"] for request in requests]
    # two annotators are the team: scores of the same annotations are computed once
    distinct = {seen.tobytes(): seen for seen in views.values()}
    sums = _view_sums(distances, deltas, list(distinct.values()), weights)
    for one, within in zip(sums, rows):
        found = {}
        for key, seen in views.items():
            total, row, many = one[list(distinct).index(seen.tobytes())]
            touching = sum(np.where(mask, row[mine], 0) for mine, mask in zip(numbers, seen))
            own = within[key]  # of it the sums over the ordered pairs of each item
            ordered = (own.squares * np.maximum(own.annotations - 1, 0))[:, 0]
            without = total - 2 * touching + ordered
            without[without < ROUNDING * total] = 0  # where no two of the others differ
            found[key] = _Across(total, many, without)
        yield found


def _view_sums(
    distances: TreeDistances, deltas: Sequence[str], views: Sequence[BoolArray], weights: Weights
) -> list[list[tuple[float, FloatArray, FloatArray]]]:
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
    found: list[list[tuple[float, FloatArray, FloatArray]]] = [[] for _ in deltas]
    for some in slices(len(views), n_views):
        base = np.zeros((len(views[some]), n_trees))
        for row, seen in zip(base, views[some]):
            for mine, mask in zip(numbers, seen):
                row += np.bincount(mine[mask], minlength=n_trees)
        each = [weights.of_trees(numbers, seen, n_trees) for seen in views[some]]
        forms = np.concatenate(each, axis=1) if len(each) > 1 else each[0]
        sums = syntax.quadratic_sums(blocks, distances.sizes, deltas, base, forms)
        for rows, (ours, forms_of) in zip(found, sums):
            many = forms_of.reshape(len(base), len(weights))
            rows += [(w @ row, row, drawn) for w, row, drawn in zip(base, ours, many)]
    return found


def _drawn_pairs(
    panel: TreePanel,
    distances: TreeDistances,
    requests: Sequence[Request],
    views: Mapping[Key, BoolArray],
    rows: Sequence[Mapping[Key, syntax.Within]],
    weights: Weights,
) -> Iterator[dict[Key, _Across]]:
    """For each request {key: `_Across`}, estimated from pairs of annotations that are drawn."""
    keys = np.array([trees.keys() for trees in panel.annotations])
    numbers = np.array(distances.numbers)
    for request in requests:
        found: dict[Key, _Across] = {}
        for key, seen in views.items():
            same = [one for one in found if np.array_equal(views[one], seen)]
            if same:  # the team of two annotators is their pair
                found[key] = found[same[0]]
                continue
            who, item = np.nonzero(seen)
            content = (keys * seen).sum(axis=0)
            own = scrambled(content, keys)[who, item]
            # independent of the order of items and annotators
            order = np.lexsort([own, content[item]])
            n, n_pairs = len(who), request.parameters["sample"]
            complete = n * (n - 1) // 2 <= n_pairs
            rng = np.random.default_rng(request.parameters["seed"])
            drawn = _all_of(n) if complete else order[syntax.sampled_pairs(n, n_pairs, rng)]
            pairs = numbers[who, item][drawn]
            delta = syntax.DELTAS[request.parameters["delta"]]
            square = delta(distances.some(pairs), *distances.sizes[pairs].T).astype(float) ** 2
            sizes = np.where(seen, distances.sizes[numbers], 0)
            found[key] = _estimated(square, (who, item), drawn, complete, sizes, weights)
        yield found


def _all_of(n: int) -> IntArray:
    """All pairs of two different ones of n annotations: shape (n_pairs, 2)."""
    return np.stack(np.triu_indices(n, 1), axis=1)


def _estimated(
    square: FloatArray,
    annotations: tuple[IntArray, IntArray],
    drawn: IntArray,
    complete: bool,
    sizes: IntArray,
    weights: Weights,
) -> _Across:
    """The `_Across` that a sample of pairs of annotations stands for.

    delta^2 of any pair is the fit of the regression on sizes, and a residual. In a resample the fit
    counts all pairs that it has; a residual counts as often as both of its items are there, so that
    intervals hold the error of the draw, too. Copies of one annotation, which have no distance, are
    no pairs.
    """
    _, items = annotations
    n, n_items, factor = len(items), sizes.shape[1], len(items) * (len(items) - 1) / len(drawn)
    values, sizes = np.unique(sizes, return_inverse=True)
    sizes = sizes.reshape(-1, n_items)
    size = sizes[annotations]
    if complete:
        fit = syntax.SizeRegression(np.zeros((len(values), len(values))), square, 0.0)
    else:
        counts = np.bincount(size, minlength=len(values))
        fit = syntax.regress_on_sizes(square, size[drawn], values, counts)
    fitted, rest = fit.fitted, fit.residuals
    same = np.diagonal(fitted)

    def sums(times: Array) -> FloatArray:
        """The fit over all pairs, each item with its multiplicity."""
        count, again = (np.bincount(size, some[items], len(values)) for some in (times, times**2))
        return count @ fitted @ count - again @ same

    first, second = items[drawn].T
    resampled = np.zeros(len(weights))
    for place, row in enumerate(weights.items):
        times = row.astype(float)
        resampled[place] = sums(times) + factor * ((times[first] * times[second]) @ rest)
    whole = sums(np.ones(n_items))
    alone = fitted @ np.bincount(size, minlength=len(values)) - same
    touching = 2 * np.bincount(items, alone[size], n_items)
    for one, two in combinations(sizes, 2):
        both = (values[one] > 0) & (values[two] > 0)
        touching -= 2 * np.where(both, fitted[one, two], 0)
    left = n - np.bincount(items, minlength=n_items)
    pairs = np.concatenate([first, second[first != second]])
    ours = np.concatenate([rest, rest[first != second]])
    kept = len(rest) - np.bincount(pairs, minlength=n_items)
    others = ratio(rest.sum() - np.bincount(pairs, ours, n_items), kept)
    without = whole - touching + left * (left - 1) * others
    total = float(whole + factor * rest.sum())
    return _Across(total, np.maximum(resampled, 0), np.maximum(without, 0), fit.standard_error)
