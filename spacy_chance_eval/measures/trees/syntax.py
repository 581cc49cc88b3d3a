"""Agreement on syntax: alpha over distances of trees, labelled edges, labelled brackets.

    D_o = 1/n sum_i 1/(n_i - 1) sum_{c,c'} delta(x_ic, x_ic')^2
    D_e = 1/(n (n - 1)) sum over all ordered pairs of annotations of delta^2
    alpha = 1 - D_o / D_e

over items i with n_i >= 2 annotations, n = sum n_i. D_o is a ratio of sums over items, D_e one of
sums over pairs of annotations: w' S w for the number w of annotations that have each distinct tree.

References
----------
Skjærholt (2014), A chance-corrected measure of inter-annotator agreement for syntax. Krippendorff
(2004), Content Analysis.
"""

from dataclasses import dataclass

import numpy as np

from ..matching import Hits
from ..resampling import slices
from ..stats import Additive, ratio
from .trees import NONE

ROWS = 1024  # of them, that are multiplied with weights at a time
CELLS = 6_000_000  # distances that are squared at a time


def _plain(distance, first, second):
    """The distance itself: the one of the three that is a metric, and the recommended one."""
    return distance


def _diff(distance, first, second):
    """The distance less what the sizes alone make of it: delta - ||x| - |y||."""
    return distance - np.abs(first - second)


def _norm(distance, first, second):
    """The distance by the sizes: delta / (|x| + |y|); 0 for two empty trees."""
    return np.where(first + second > 0, distance / np.maximum(first + second, 1), 0.0)


DELTAS = {"plain": _plain, "diff": _diff, "norm": _norm}


@dataclass(frozen=True, eq=False)
class Within(Additive):
    """Disagreement within items, by item: shape (..., 1). Sum over items."""

    squares: np.ndarray  # 1/(n_i - 1) sum over ordered pairs of delta^2
    annotations: np.ndarray  # n_i


def alpha(within, across):
    """{"value", "observed", "expected"}: alpha, 1 - D_o and 1 - D_e, of the shape of `across`.

    Parameters
    ----------
    within : Within
        Sums over items.
    across : ndarray
        Sum of delta^2 over all ordered pairs of these annotations.

    Returns
    -------
    dict of ndarray
        alpha is at most 1; 0 at chance level and for a single item on which anything differs; nan
        if no two trees differ at all (D_e = 0), and without annotations. Squared distances make
        1 - D_o and 1 - D_e far less than 0.
    """
    n = within.annotations
    observed, expected = ratio(within.squares, n), ratio(across, n * (n - 1))
    return {
        "value": 1 - ratio(observed, expected),
        "observed": 1 - observed,
        "expected": 1 - expected,
    }


def within_items(seen, squares, pairs):
    """The `Within` of some annotators, with a row for each item.

    Parameters
    ----------
    seen : boolean array of shape (n_annotators, n_items)
    squares : array of shape (n_pairs, n_items)
        delta^2 of each pair of annotators; anything where not both have annotated the item.
    pairs : sequence of (int, int)
        Rows of `seen`.
    """
    count = seen.sum(axis=0)
    both = np.array([seen[one] & seen[two] for one, two in pairs]).reshape(len(pairs), -1)
    total = 2 * np.where(both, squares, 0).sum(axis=0)
    shared = count > 1
    return Within(
        np.where(shared, total / np.maximum(count - 1, 1), 0.0)[:, None],
        np.where(shared, count, 0)[:, None],
    )


@dataclass(frozen=True, eq=False)
class Quadratic:
    """Sums of delta^2 over pairs of distinct trees, weighted: made in one pass over all pairs.

    `rows` has for each view the sums S w, shape (n_views, n_trees); `forms` for each further
    vector of weights the number w' S w, shape (n_forms,).
    """

    rows: np.ndarray
    forms: np.ndarray


def quadratic_sums(blocks, sizes, deltas, views, forms):
    """A `Quadratic` for each delta.

    Parameters
    ----------
    blocks : iterable of (slice, slice, ndarray)
        As `tree_edit.distance_blocks` makes them.
    sizes : array of shape (n_trees,)
    deltas : sequence of str
        Of `DELTAS`.
    views : float array of shape (n_views, n_trees)
    forms : unsigned integer array of shape (n_trees, n_forms)
    """
    rows = np.zeros((len(deltas), *views.shape))
    found = np.zeros((len(deltas), forms.shape[1]))
    known, cast = None, None  # the weights of a stretch of columns, which comes several times
    for mine, theirs, block in _merge_blocks(blocks):
        n_before = min(theirs.stop, mine.start) - theirs.start  # stand for their mirror images, too
        times = np.where(np.arange(block.shape[1]) < n_before, 2.0, 1.0)
        if forms.shape[1] and known != theirs:
            known, cast = theirs, forms[theirs].astype(float)
        for place, delta in enumerate(deltas):
            square = DELTAS[delta](block, sizes[mine, None], sizes[theirs]).astype(float) ** 2
            rows[place, :, mine] += views[:, theirs] @ square.T
            before = slice(theirs.start, theirs.start + n_before)
            rows[place, :, before] += views[:, mine] @ square[:, :n_before]
            if forms.shape[1]:
                square *= times
                for some in slices(len(square), ROWS):
                    mine_some = forms[mine.start + some.start : mine.start + some.stop]
                    found[place] += ((square[some] @ cast) * mine_some).sum(axis=0)
    return [Quadratic(*pair) for pair in zip(rows, found)]


def _merge_blocks(blocks):
    """The blocks, those that follow each other in the same columns as one: few large products.

    Threads that work on the next blocks hold up each product.
    """
    parts, cells = [], 0
    for mine, theirs, block in blocks:
        if parts:
            rows, columns, _ = parts[-1]
            below = (rows.stop, columns) == (mine.start, theirs) and theirs.stop <= rows.start
            if not below or cells + block.size > CELLS:
                yield _join_blocks(parts)
                parts, cells = [], 0
        parts.append((mine, theirs, block))
        cells += block.size
    if parts:
        yield _join_blocks(parts)


def _join_blocks(parts):
    """Blocks that follow each other in the same columns as one."""
    rows = slice(parts[0][0].start, parts[-1][0].stop)
    return rows, parts[0][1], np.concatenate([block for _, _, block in parts])


def sampled_pairs(n, n_pairs, rng):
    """Ordered pairs of different ones of n >= 2 annotations, drawn uniformly: (n_pairs, 2)."""
    first = rng.integers(0, n, n_pairs)
    second = rng.integers(0, n - 1, n_pairs)
    return np.stack([first, second + (second >= first)], axis=1)


# --- labelled edges


def _edge_hits(first, second, wanted, ignore="none"):
    """Edges of two annotators that agree, as `Hits` by item and label; two dependency treebanks.

    Parameters
    ----------
    first, second : Trees
        Of the same items, with the same labels. Items that not both have annotated, or with
        different numbers of tokens, have no edges.
    wanted : (bool, bool)
        Whether heads, and whether labels have to be the same.
    ignore : str
        Labels joined by +, whose tokens do not count, each side by its own; "none".

    Returns
    -------
    Hits
        Arrays of shape (n_items, n_labels); labels are those of each side's own edges.
    """
    if first.kind != "dependency":
        raise ValueError("attachment scores are of dependency trees; these are constituency trees")
    even = first.seen & second.seen & (first.n_nodes == second.n_nodes)
    one, two = (even[trees.item] for trees in (first, second))
    item, shape = first.item[one], (first.n_items, len(first.labels))
    labels = first.label[one], second.label[two]
    left_out = [] if ignore == "none" else ignore.split("+")
    counts = ~np.isin(first.labels, left_out) if first.labels else np.zeros(0, bool)
    counted = [counts[label] for label in labels]
    heads, names = wanted
    same = counted[0] & counted[1]
    same &= (first.parents[one] == second.parents[two]) | (not heads)
    same &= (labels[0] == labels[1]) | (not names)

    def table(label, mask):
        cells = item[mask] * shape[1] + label[mask]
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    return Hits(
        table(labels[0], counted[0]),
        table(labels[0], same),
        table(labels[1], counted[1]),
        table(labels[1], same),
    )


def labelled_edges(first, second, *, ignore="none"):
    """Edges with the same head and label: of LAS. See `_edge_hits`."""
    return _edge_hits(first, second, (True, True), ignore)


def unlabelled_edges(first, second, *, ignore="none"):
    """Edges with the same head: of UAS. See `_edge_hits`."""
    return _edge_hits(first, second, (True, False), ignore)


def edge_labels(first, second, *, ignore="none"):
    """Tokens with the same label: of label accuracy. See `_edge_hits`."""
    return _edge_hits(first, second, (False, True), ignore)


# --- labelled brackets


@dataclass(frozen=True, eq=False)
class Weighted(Additive):
    """A score of items and their weights: shape (..., 1). Sum over items."""

    score: np.ndarray  # weight times score
    weight: np.ndarray


def weighted_mean(weighted):
    """Mean of the items' scores by their weights; nan without items."""
    return ratio(weighted.score, weighted.weight)


def bracket_overlap(first, second):
    """Jaccard index of labelled brackets, by item, weighted by the leaves of the first annotation.

    A bracket is a label over a stretch of leaves; pre-terminals are brackets of one, and brackets
    that come twice in a tree count once.

    Parameters
    ----------
    first, second : Trees
        Constituency trees of the same items, with the same labels.

    Returns
    -------
    Weighted
        A row for each item; items that not both have annotated weigh nothing.
    """
    if first.kind != "constituency":
        raise ValueError("labelled brackets are of constituency trees; these are dependency trees")
    both, n = first.seen & second.seen, first.n_items
    sides = [np.unique(brackets(trees), axis=0) for trees in (first, second)]
    sides = [rows[both[rows[:, 0]]] for rows in sides]
    union, count = np.unique(np.concatenate(sides), axis=0, return_counts=True)
    shared = np.bincount(union[count == 2, 0], minlength=n)
    index = ratio(shared, np.bincount(union[:, 0], minlength=n))
    weight = np.where(both, first.leaves, 0)
    return Weighted(np.where(both, weight * np.nan_to_num(index), 0.0)[:, None], weight[:, None])


def brackets(trees):
    """Rows (item, first leaf, end, label), one for each node of constituency trees."""
    leaf = np.ones(len(trees.parents), bool)
    inner = trees.parents != NONE
    above = trees.parents + trees.starts[trees.item]
    leaf[above[inner]] = False
    begin = np.cumsum(leaf) - leaf  # leaves before each node: nodes come in preorder
    begin -= begin[trees.starts[trees.item]]  # of the same item
    n_leaves, up = leaf.astype(int).tolist(), above.tolist()
    for node in np.flatnonzero(inner)[::-1].tolist():
        n_leaves[up[node]] += n_leaves[node]
    return np.stack([trees.item, begin, begin + np.array(n_leaves, int), trees.label], axis=1)
