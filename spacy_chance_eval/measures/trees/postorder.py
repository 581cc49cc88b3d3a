"""The distinct trees of some annotators, in postorder, made for all trees at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, IntArray
from .trees import NO_PARENT, Trees


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
        default whatever is less work.

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
    offsets = np.cumsum([0, *(len(label) for label, _, _ in columns)])
    up = np.concatenate(
        [np.where(up < 0, offsets[-1], up + offset) for (_, up, _), offset in zip(columns, offsets)]
    )
    label = np.concatenate([label for label, _, _ in columns])
    leftmost, size = _places(up, mirror)
    # each tree's nodes in postorder, as bytes
    starts = np.cumsum(np.append(0, counts))
    nodes = np.empty((len(label), 2), np.int32)
    nodes[np.repeat(starts[:-1], counts.ravel()) + leftmost + size - 1] = np.stack(
        [label, leftmost], axis=1
    )
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

    The artificial root of a dependency tree is its first node. Parents are counted among all nodes;
    -1 for none.
    """
    up, label = trees.parents + trees.starts[trees.item], trees.label
    if trees.kind != "dependency":
        return label, np.where(trees.parents == NO_PARENT, NO_PARENT, up), trees.n_nodes
    roots = np.cumsum(trees.seen)  # up to this item
    count = trees.n_nodes + trees.seen
    starts = np.cumsum(count) - count
    token = np.arange(len(label)) + roots[trees.item]
    labels = np.full(len(label) + trees.seen.sum(), len(trees.labels))
    labels[token] = label
    above = np.full(len(labels), NO_PARENT)
    above[token] = trees.parents + 1 + starts[trees.item]
    if trees.reachable.all():
        return labels, above, count
    kept = np.ones(len(labels), bool)
    kept[token] = trees.reachable
    place = np.append(np.cumsum(kept) - 1, NO_PARENT)
    n_kept = count - np.bincount(trees.item[~trees.reachable], minlength=trees.n_items)
    return labels[kept], place[above[kept]], n_kept


def _places(up: IntArray, mirror: bool | None) -> tuple[IntArray, IntArray]:
    """The place of the leftmost leaf below each node, in its tree in postorder; nodes of subtrees.

    Siblings stand in the order of their numbers. Sums along the tree take as many steps as its
    depth has binary digits: each step doubles the distance that a node looks up.
    """
    n = len(up)
    size, jump = np.ones(n, np.int64), up
    while (jump < n).any():  # size: nodes less deep below the node than `jump` looks up
        size = size + np.bincount(jump, size, minlength=n + 1)[:n].astype(np.int64)
        jump = np.append(jump, n)[jump]
    order = np.argsort(up, kind="stable")
    total = np.append(0, np.cumsum(size[order]))
    family = up[order]
    # the first child of each node
    first = np.flatnonzero(np.append(n > 0, family[1:] != family[:-1])[:n])
    before = np.empty(n, np.int64)  # nodes below earlier siblings
    before[order] = total[:-1] - np.repeat(total[first], np.diff(np.append(first, n)))
    inner = up < n
    before[~inner] = 0
    after = np.where(inner, np.append(size, 0)[up] - 1 - before - size, 0)
    if mirror is None:  # subtrees that have siblings on the left are compared from their own leaf
        mirror = bool(size @ (after > 0) < size @ (before > 0))
    leftmost, jump = np.append(after if mirror else before, 0), np.append(up, n)
    while (jump < n).any():
        leftmost = leftmost + leftmost[jump]
        jump = jump[jump]
    return leftmost[:-1], size


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
