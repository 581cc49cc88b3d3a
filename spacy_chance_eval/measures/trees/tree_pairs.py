"""Tree edit distances of some pairs: the algorithm of Zhang and Shasha for many pairs at once.

The prefixes in postorder of those subtrees are compared that begin with a leaf of their own: one
row of the tables of all pairs after the other, by numpy alone. Compiled code that takes cell after
cell was not twice as fast, and has to be compiled.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array, FloatArray, IntArray
from .postorder import DistinctTrees

MOST = 30_000  # forests of one tree: a table of two such trees has 900 million numbers


@dataclass(frozen=True, eq=False)
class Prefixes:
    """The forests that are compared of some trees, in an order in which they can be.

    Those of a tree begin at `starts`; 0 is the empty forest, the others are counted from 1.
    Each forest has the `label` of its last root, its `place` among the prefixes of its subtree (1
    is a leaf), the forest without its last tree (`rest`), and that below its last root (`inside`).
    """

    starts: IntArray
    label: IntArray
    place: IntArray
    rest: IntArray
    inside: IntArray


def prefixes_of(trees: DistinctTrees, some: IntArray) -> Prefixes:
    """The `Prefixes` of some trees, by number.

    Raises
    ------
    ValueError
        For a tree that has too many.
    """
    count = trees.n_nodes[some]
    owner = np.repeat(np.arange(len(count)), count)
    first = np.cumsum(count) - count  # node of each tree
    node = np.arange(len(owner))
    source = np.repeat(trees.starts[some] - first, count) + node
    label = trees.label[source]
    leftmost = trees.leftmost[source] + np.repeat(first, count)
    # each leaf begins prefixes up to the last node above it whose leftmost leaf it is
    stop = np.zeros(len(owner), np.int64)
    stop[leftmost] = node
    leaf = np.flatnonzero(leftmost == node)
    leaf = leaf[np.lexsort((-leaf, stop[leaf]))]
    length = stop[leaf] - leaf + 1
    before = np.cumsum(length) - length
    each = np.searchsorted(owner[leaf], np.arange(len(count) + 1))
    starts = np.append(before, length.sum())[each]
    for largest in np.argsort(np.diff(starts))[-1:]:
        check_size(count[largest], np.diff(starts)[largest])
    # among the forests of its tree, the one before those that begin at a leaf
    base = np.zeros(len(owner), np.int64)
    base[leaf] = before - starts[owner[leaf]]
    begins, base_of = np.repeat(leaf, length), np.repeat(base[leaf], length)
    place = np.arange(len(begins)) - np.repeat(before, length) + 1
    node = begins + place - 1
    left = leftmost[node]
    rest = np.where(left == begins, 0, base_of + left - begins)
    inside = np.where(left == node, 0, base[left] + node - left)
    return Prefixes(starts, label[node], place, rest, inside)


def savings(
    found: Prefixes, pairs: IntArray, credit: FloatArray | None, dtype: np.dtype[Any]
) -> Array:
    """The savings of some pairs of trees, by numpy: shape (n_pairs,).

    One row of the tables of all pairs at a time. Rows are of the tree that has fewer forests.

    Parameters
    ----------
    found : Prefixes
    pairs : integer array of shape (2, n_pairs)
        Places among the trees of `found`.
    credit : ndarray of shape (n_labels + 1, n_labels + 1), optional
        The saving of two labels; by default 2 if they are equal, otherwise 1.
    dtype : dtype
        Of what pairs of forests save.
    """
    n, count = pairs.shape[1], np.diff(found.starts)[pairs]
    swap = count[0] > count[1]
    rows, columns = np.where(swap, pairs[::-1], pairs)
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
