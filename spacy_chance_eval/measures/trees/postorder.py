"""The distinct trees of some annotators, in postorder, made for all trees at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..threads import stretches
from .trees import NO_PARENT, Trees

NODES = 8000  # of the trees that are taken at a time


@dataclass(frozen=True, eq=False)
class DistinctTrees:
    """Different trees as columns of their nodes in postorder.

    `label` (of an artificial root: `n_labels`) and `leftmost` (place in the tree of the leftmost
    leaf below the node, or of the node, if it is a leaf) have one entry per node. The nodes of a
    tree begin at `starts[tree]`; `sizes` are |x| of each tree.
    """

    label: IntArray
    leftmost: IntArray
    starts: IntArray
    sizes: IntArray
    n_labels: int

    @property
    def n_trees(self) -> int:
        """Number of distinct trees."""
        return len(self.sizes)

    @property
    def n_nodes(self) -> IntArray:
        """Number of nodes of each tree, the artificial root included."""
        return np.diff(self.starts)


def distinct_trees(
    sides: Sequence[Trees], *, mirror: bool | None = None
) -> tuple[DistinctTrees, list[IntArray]]:
    """The distinct trees of some annotators, and which of them each item has.

    Parameters
    ----------
    sides : sequence of Trees
        One or more, of the same items, with the same labels.
    mirror : bool, optional
        Whether to read all trees from right to left, which changes the work, but no distance. By
        default the one with less work.

    Returns
    -------
    trees : DistinctTrees
    numbers : list of integer arrays of shape (n_items,)
        For each annotator the number of the tree of each item; -1 where it is not annotated. Trees
        are numbered in the order of the items. Trees of different |x| are different.
    """
    columns = [_nodes(trees) for trees in sides]
    seen = np.stack([trees.seen for trees in sides])
    counts = np.stack([count for _, _, count in columns])
    label, up = (np.concatenate([side[column] for side in columns]) for column in (0, 1))
    starts = np.cumsum(np.append(0, counts))
    start = np.repeat(starts[:-1], counts.ravel())
    leftmost, size = _places(np.where(up < 0, up, up + start), starts, mirror)
    nodes = np.empty((len(label), 2), np.int32)
    nodes[start + leftmost + size - 1] = np.stack([label, leftmost], axis=1)
    number, first = _numbered(nodes, starts, np.stack([trees.sizes for trees in sides]), seen)
    count = counts.ravel()[first]
    ends = np.cumsum(count)
    nodes = nodes[np.repeat(starts[first] - ends + count, count) + np.arange(count.sum())]
    sizes = np.concatenate([trees.sizes for trees in sides])[first]
    label, leftmost = np.ascontiguousarray(nodes.T)
    n_labels = len(sides[0].labels)
    distinct = DistinctTrees(label, leftmost, np.append(0, ends), sizes, n_labels)
    return distinct, list(number)


def _nodes(trees: Trees) -> tuple[IntArray, IntArray, IntArray]:
    """(label, parent, number by item) of the nodes that are compared.

    The artificial root of a dependency tree is its first node. Parents are places in the tree; -1
    for none.
    """
    if trees.kind != "dependency":
        return trees.label, trees.parents, trees.n_nodes
    item = trees.item[trees.reachable]
    n_tokens = np.bincount(item, minlength=trees.n_items)
    count = n_tokens + trees.seen
    token = np.arange(len(item)) + np.cumsum(trees.seen)[item]  # after as many roots
    label = np.full(count.sum(), len(trees.labels))
    label[token] = trees.label[trees.reachable]
    up = np.full(count.sum(), NO_PARENT)
    # of tokens up to each one, those that are left; parents of these are among them
    left = np.cumsum(trees.reachable)
    before = left[trees.starts[item] - 1] * (trees.starts[item] > 0)
    parent = trees.parents[trees.reachable]
    up[token] = np.where(parent < 0, 0, left[trees.starts[item] + parent] - before)
    return label, up, count


def _places(up: IntArray, starts: IntArray, mirror: bool | None) -> tuple[IntArray, IntArray]:
    """The place of the leftmost leaf below each node, in its tree in postorder; nodes of subtrees.

    Siblings stand in the order of their numbers; the nodes of a tree begin at `starts`. Some trees
    come at a time, so that their columns stay in the cache.
    """
    parts = [
        slice(starts[some.start], starts[some.stop])
        for some in stretches(np.diff(starts), 0, NODES)
    ]
    ups = [np.where(up[some] < 0, some.stop, up[some]) - some.start for some in parts]
    size, before, after = np.empty((3, len(up)), np.int64)
    for some, above in zip(parts, ups):
        size[some] = sums_below(above, np.ones(len(above)))
        before[some], after[some] = _beside(above, size[some])
    if mirror is None:  # subtrees that have siblings on the left are compared from their own leaf
        mirror = bool(size[after > 0].sum() < size[before > 0].sum())
    leftmost = after if mirror else before
    for some, above in zip(parts, ups):
        leftmost[some] = _sums_upwards(above, leftmost[some])
    return leftmost, size


# Parents of n nodes are their numbers; n for none. Sums along trees take as many steps as their
# depth has binary digits: each step doubles the distance that a node looks up.


def sums_below(up: IntArray, values: Array) -> IntArray:
    """The sum of the integer values of each node and all nodes below it."""
    n = len(up)
    total, jump = values.astype(np.int64), up
    while (jump < n).any():
        total += np.bincount(jump, total, minlength=n + 1)[:n].astype(np.int64)
        jump = np.append(jump, n)[jump]
    return total


def _beside(up: IntArray, size: IntArray) -> tuple[IntArray, IntArray]:
    """Number of nodes below earlier siblings of each node, and below later ones."""
    n = len(up)
    order = np.argsort(up, kind="stable")
    family, own = up[order], size[order]
    total = np.cumsum(own) - own
    first = np.append(True, family[1:] != family[:-1])[:n]
    before = np.empty(n, np.int64)
    before[order] = total - np.maximum.accumulate(np.where(first, total, 0))
    inner = up < n
    before *= inner
    after: IntArray = np.where(inner, np.append(size, 0)[up] - 1 - before - size, 0)
    return before, after


def _sums_upwards(up: IntArray, values: IntArray) -> IntArray:
    """The sum of the values of each node and all nodes above it."""
    n = len(up)
    total, jump = np.append(values, 0), np.append(up, n)
    while (jump < n).any():
        total += total[jump]
        jump = jump[jump]
    return total[:n]


def _numbered(
    nodes: IntArray, starts: IntArray, sizes: IntArray, seen: BoolArray
) -> tuple[IntArray, IntArray]:
    """The number of each annotation's tree, in the shape of `seen`, and where each tree is first.

    Trees are numbered item by item.
    """
    raw, width = nodes.tobytes(), nodes.itemsize * nodes.shape[1]
    begins = (starts[:-1].reshape(seen.shape) * width).T[seen.T].tolist()
    ends = (starts[1:].reshape(seen.shape) * width).T[seen.T].tolist()
    known: dict[tuple[int, bytes], int] = {}
    found = [
        known.setdefault((size, raw[begin:end]), len(known))
        for size, begin, end in zip(sizes.T[seen.T].tolist(), begins, ends)
    ]
    number = np.full(seen.T.shape, NO_PARENT)
    number[seen.T] = found
    place = np.arange(seen.size).reshape(seen.shape).T[seen.T]
    first = np.empty(len(known), np.int64)
    first[found[::-1]] = place[::-1]
    return number.T, first
