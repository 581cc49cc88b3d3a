"""Tree edit distances of some pairs: the algorithm of Zhang and Shasha for many pairs at once.

What both trees of a pair have in common at their rim is left out (`trimmed`). Of the forests that
are left, the prefixes in postorder of those subtrees are compared that begin with a leaf of their
own: one row of the tables of all pairs after the other, by numpy alone. Compiled code that takes
cell after cell was not twice as fast, and has to be compiled.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array, BoolArray, FloatArray, IntArray
from ..threads import stretches
from .postorder import DistinctTrees

CELLS = 2_000_000  # of the tables of the pairs that are compared at once, about
MOST = 30_000  # forests of one tree: a table of two such trees has 900 million numbers
PREFIXES = 2.5  # forests for each node, about, in trees of sentences


@dataclass(frozen=True, eq=False)
class Pairs:
    """The compared parts of some pairs of trees: forests, as stretches of nodes in postorder.

    `trees`, `begin` and `end` are of shape (2, n_pairs): numbers of trees, and places in them.
    `saved` is the saving of the nodes that are left out, shape (n_pairs,).
    """

    trees: IntArray
    begin: IntArray
    end: IntArray
    saved: IntArray

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.saved)

    def __getitem__(self, some: Any) -> "Pairs":
        """Some of the pairs."""
        return Pairs(self.trees[:, some], self.begin[:, some], self.end[:, some], self.saved[some])


def distances(
    trees: DistinctTrees, pairs: IntArray, credit: FloatArray | None, dtype: np.dtype[Any]
) -> Array:
    """The distances of some pairs of trees.

    Parameters
    ----------
    pairs : integer array of shape (2, n_pairs)
    credit : ndarray of shape (n_labels + 1, n_labels + 1), optional
        The saving of two labels; by default 2 if they are equal, otherwise 1.
    dtype : dtype
        Of what pairs of forests save.
    """
    # sums of floats would differ in their last digits, were any of them left out
    found = trimmed(trees, pairs) if credit is None else _whole(trees, pairs)
    out: Array = trees.n_nodes[pairs].sum(axis=0) - found.saved
    if credit is not None:
        out = out.astype(float)
    count = found.end - found.begin
    work = (count * PREFIXES).prod(axis=0)
    order = np.argsort(work, kind="stable")[(work == 0).sum() :]
    for some in stretches(work[order] + count[:, order].sum(axis=0), 0, CELLS):
        mine = order[some]
        out[mine] -= savings(trees, found[mine], credit, dtype).astype(out.dtype)
    return out


def _whole(trees: DistinctTrees, pairs: IntArray) -> Pairs:
    """Whole trees: `pairs` has the shape (2, n_pairs)."""
    return Pairs(
        pairs, np.zeros_like(pairs), trees.n_nodes[pairs], np.zeros(pairs.shape[1], np.int64)
    )


def trimmed(trees: DistinctTrees, pairs: IntArray) -> Pairs:
    """Pairs of trees without what both have in common at their rim.

    Two forests save most if an equal first tree of both is mapped to itself, or an equal last one,
    or equal roots, where both are single trees: each node of it could only be in one other pair of
    an equally good mapping, as the nodes of one of the two would have to come before themselves
    otherwise.

    `pairs` has the shape (2, n_pairs).
    """
    found = _whole(trees, pairs)
    count = found.end
    least = count.min(axis=0)
    offset = np.cumsum(least) - least
    step = np.arange(least.sum()) - np.repeat(offset, least)
    first, second = (np.repeat(trees.starts[tree], least) + step for tree in pairs)
    label, leftmost = trees.label, trees.leftmost
    differs = (label[first] != label[second]) | (leftmost[first] != leftmost[second])
    # nodes from the beginning on that are equal
    equal = _next(differs, least)[offset] - offset
    first, second = (np.repeat(trees.starts[tree + 1] - 1, least) - step for tree in pairs)
    shift = np.repeat(count[0] - count[1], least)
    differs = (label[first] != label[second]) | (leftmost[first] != leftmost[second] + shift)
    # how far from the end the next node is that is not equal, for each place from the end
    further = np.append(_next(differs, least) - np.repeat(offset, least), 0)

    begin, last, saved = found.begin[0], count - 1, found.saved
    start = trees.starts[pairs]
    active = np.arange(len(least))
    while len(active):
        # equal last trees of both
        waiting = active
        while len(waiting):
            end, base = last[:, waiting], start[:, waiting]
            there = (end >= begin[waiting]).all(axis=0)
            waiting, end, base = waiting[there], end[:, there], base[:, there]
            left = leftmost[base + end]
            size = end[0] - left[0] + 1
            depth = count[0, waiting] - 1 - end[0]
            same = further[offset[waiting] + depth] >= depth + size
            waiting, size = waiting[same], size[same]
            last[:, waiting] -= size
            saved[waiting] += 2 * size
        # equal first trees
        waiting, ends = active, last[:, active]
        while len(waiting):
            there = (ends >= begin[waiting]).all(axis=0)
            waiting, ends = waiting[there], ends[:, there]
            found_it = (ends[0] == ends[1]) & (ends[0] < equal[waiting])
            mine = waiting[found_it]
            saved[mine] += 2 * (ends[0, found_it] + 1 - begin[mine])
            begin[mine] = ends[0, found_it] + 1
            waiting, ends = waiting[~found_it], ends[:, ~found_it]
            left = leftmost[start[:, waiting] + ends] - 1
            ends = np.where(ends == ends.max(axis=0), left, ends)
        # equal roots
        end = last[:, active]
        there = (end >= begin[active]).all(axis=0)
        active, end = active[there], end[:, there]
        node = start[:, active] + end
        same = (label[node[0]] == label[node[1]]) & (leftmost[node] == begin[active]).all(axis=0)
        active = active[same]
        last[:, active] -= 1
        saved[active] += 2
    return Pairs(pairs, np.stack([begin, begin]), last + 1, saved)


def _next(mask: BoolArray, counts: IntArray) -> IntArray:
    """The place of the next True from each place on, by row; the end if there is none.

    Rows follow each other, and places are counted through.
    """
    n = len(mask)
    ends = np.repeat(np.cumsum(counts), counts)
    place = np.where(mask, np.arange(n), n)
    following = np.minimum.accumulate(place[::-1])[::-1]
    return np.minimum(following, ends)


@dataclass(frozen=True, eq=False)
class _Prefixes:
    """The forests that are compared of some stretches of nodes, in an order in which they can be.

    Those of a stretch begin at `starts`; 0 is the empty forest, the others are counted from 1.
    Each forest has the `label` of its last root, its `place` among the prefixes of its subtree (1
    is a leaf), the forest without its last tree (`rest`), and that below its last root (`inside`).
    """

    starts: IntArray
    label: IntArray
    place: IntArray
    rest: IntArray
    inside: IntArray


def _prefixes(trees: DistinctTrees, tree: IntArray, begin: IntArray, end: IntArray) -> _Prefixes:
    """The `_Prefixes` of a stretch of each tree."""
    count = end - begin
    owner = np.repeat(np.arange(len(count)), count)
    first = np.cumsum(count) - count  # node of each stretch
    node = np.arange(len(owner))
    source = np.repeat(trees.starts[tree] + begin - first, count) + node
    label = trees.label[source]
    leftmost = trees.leftmost[source] + np.repeat(first - begin, count)
    # each leaf begins prefixes up to the last node above it whose leftmost leaf it is
    stop = np.zeros(len(owner), np.int64)
    stop[leftmost] = node
    stop[first] = first + count - 1  # all trees of the forest, not the first one alone
    leaf = np.flatnonzero(leftmost == node)
    leaf = leaf[np.lexsort((-leaf, stop[leaf]))]
    length = stop[leaf] - leaf + 1
    before = np.cumsum(length) - length
    each = np.searchsorted(owner[leaf], np.arange(len(count) + 1))
    starts = np.append(before, length.sum())[each]
    # among the forests of its stretch, the one before those that begin at a leaf
    base = np.zeros(len(owner), np.int64)
    base[leaf] = before - starts[owner[leaf]]
    begins, base_of = np.repeat(leaf, length), np.repeat(base[leaf], length)
    place = np.arange(len(begins)) - np.repeat(before, length) + 1
    node = begins + place - 1
    left = leftmost[node]
    rest = np.where(left == begins, 0, base_of + left - begins)
    inside = np.where(left == node, 0, base[left] + node - left)
    return _Prefixes(starts, label[node], place, rest, inside)


def savings(
    trees: DistinctTrees, pairs: Pairs, credit: FloatArray | None, dtype: np.dtype[Any]
) -> Array:
    """The savings of some pairs of forests, none of them empty, by numpy: shape (n_pairs,).

    One row of the tables of all pairs at a time. Rows are of the tree that has fewer.
    """
    n = len(pairs)
    found = _prefixes(trees, pairs.trees.ravel(), pairs.begin.ravel(), pairs.end.ravel())
    count = np.diff(found.starts).reshape(2, n)
    largest = np.unravel_index(np.argmax(count), count.shape)
    if np.prod(count[:, largest[1]]) > MOST**2:
        check_size(trees.n_nodes[pairs.trees[largest]], count[largest])
    swap = count[0] > count[1]
    rows, columns = np.where(swap, np.arange(n) + [[n], [0]], np.arange(n) + [[0], [n]])
    order = np.argsort(-count.min(axis=0), kind="stable")
    rows, columns = rows[order], columns[order]
    n_rows, n_columns = (np.diff(found.starts)[some] for some in (rows, columns))
    ends = np.cumsum(n_columns + 1)
    empty = ends - n_columns - 1  # the column of the empty forest of each pair
    pair = np.repeat(np.arange(n), n_columns + 1)
    source = np.arange(ends[-1]) - np.repeat(empty - found.starts[columns], n_columns + 1) - 1
    source[empty] = 0  # any; the column is overwritten
    label, place = found.label[source], found.place[source]
    place[empty] = 0
    rest, inside = (column[source] + empty[pair] for column in (found.rest, found.inside))
    steps = [
        (step, (place[step:] > step).astype(dtype))
        for step in 1 << np.arange(int(place.max() - 1).bit_length())
    ]
    table = np.zeros((n_rows[0] + 1, ends[-1]), dtype)
    flat, active = table.ravel(), n
    firsts = found.starts[rows]
    for row in range(1, n_rows[0] + 1):
        while n_rows[active - 1] < row:
            active -= 1
        width = ends[active - 1]
        who, source = pair[:width], firsts[:active] + (row - 1)
        cell = (found.inside.take(source) * ends[-1]).take(who)
        cell += inside[:width]
        here = flat.take(cell)
        here += credits_of(found.label.take(source).take(who), label[:width], credit, dtype)
        cell = (found.rest.take(source) * ends[-1]).take(who)
        cell += rest[:width]
        here += flat.take(cell)
        before = (found.place.take(source) > 1).astype(dtype).take(who)
        before *= table[row - 1, :width]
        np.maximum(here, before, out=here)
        here[empty[:active]] = 0
        for step, same in steps:
            later = here[step:]
            np.maximum(later, here[: len(later)] * same[: len(later)], out=later)
        table[row, :width] = here
    saved = np.empty(n, dtype)
    saved[order] = table[n_rows, ends - 1]
    return saved


def credits_of(
    labels: IntArray, others: IntArray, credit: FloatArray | None, dtype: np.dtype[Any]
) -> Array:
    """Savings of pairs of nodes: 2 for equal labels, else 1; or the credit of their labels."""
    if credit is not None:
        return credit[labels, others]
    save: Array = (labels == others).astype(dtype) + dtype.type(1)
    return save


def check_size(n_nodes: int, n_forests: int) -> None:
    """Raise ValueError for a tree with which a table of pairs of forests would be too large."""
    if n_forests > MOST:
        raise ValueError(
            f"a tree of {n_nodes} nodes leads to {n_forests} forests, more than the {MOST} that "
            "tree edit distance is computed for; divide it into sentences, or use pq_alpha"
        )
