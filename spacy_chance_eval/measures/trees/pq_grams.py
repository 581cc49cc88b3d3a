"""pq-grams: trees as bags of small pieces, whose overlap is a fast distance of trees.

A piece is a node with its p - 1 ancestors and q children that follow each other; dummies take the
place of missing ones. A tree with l leaves and i inner nodes has 2 l + q i - 1 pieces (q > 1), with
q = 1 as many as it has nodes and edges. With profiles (bags of pieces) P and P', the distance is
|P| + |P'| - 2 |P and P'|.

References
----------
Augsten, Böhlen and Gamper (2005), Approximate matching of hierarchical data using pq-grams.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..arrays import IntArray, Progress
from ..threads import stretches
from .tree_edit import DistanceBlock
from .trees import NO_PARENT, Trees

Gram: TypeAlias = tuple[int, ...]  # numbers of labels

DUMMY = NO_PARENT - 1
CELLS = 4_000_000  # pairs of equal pieces, and of trees, at a time
OFTEN = 1 / 16  # share of the trees from which on a piece counts as frequent


@dataclass(frozen=True, eq=False)
class _Profiles:
    """Distinct profiles: their `sizes`, of shape (n_trees,), and their pieces.

    A piece that a tree has k times is k pieces: then bags are sets, and overlaps are counts. The
    pieces of a tree are in `pieces` from `starts[tree]` on.
    """

    sizes: IntArray
    pieces: IntArray
    starts: IntArray

    @property
    def n_trees(self) -> int:
        """Number of distinct profiles."""
        return len(self.sizes)


def profiles(sides: Sequence[Trees], *, p: int = 2, q: int = 3) -> tuple[_Profiles, list[IntArray]]:
    """The distinct profiles of some annotators' trees, and which of them each item has.

    Parameters
    ----------
    sides : sequence of Trees
        With the same labels.
    p, q : int
        Nodes of a stem, and of a base; 1 or more.

    Returns
    -------
    profiles : _Profiles
    numbers : list of integer arrays of shape (n_items,)
        For each annotator the number of the profile of each item; -1 where it is not annotated.
    """
    pieces: dict[tuple[Gram, int], int] = {}
    known: dict[tuple[int, ...], int] = {}
    bags: list[tuple[int, ...]] = []
    numbers = [np.full(trees.n_items, NO_PARENT) for trees in sides]
    for trees, number in zip(sides, numbers):
        grams = _grams_of(trees, p, q)
        for item in np.flatnonzero(trees.seen).tolist():
            counts = Counter(grams(item))
            bag = tuple(
                sorted(
                    pieces.setdefault((gram, again), len(pieces))
                    for gram, times in counts.items()
                    for again in range(times)
                )
            )
            if bag not in known:
                known[bag] = len(known)
                bags.append(bag)
            number[item] = known[bag]
    sizes = np.array([len(bag) for bag in bags], np.int64)
    flat = np.array([piece for bag in bags for piece in bag], np.int64)
    return _Profiles(sizes, flat, np.cumsum([0, *sizes])), numbers


def _grams_of(trees: Trees, p: int, q: int) -> Callable[[int], Iterator[Gram]]:
    """A function from items to the pieces of their trees: tuples of p + q numbers of labels."""
    parents, label = trees.parents.tolist(), trees.label.tolist()
    reachable, starts = trees.reachable.tolist(), trees.starts.tolist()
    root = len(trees.labels)

    def grams(item: int) -> Iterator[Gram]:
        start, stop = starts[item : item + 2]
        children: dict[int, list[int]] = {}
        for node in range(start, stop):
            if reachable[node]:
                children.setdefault(parents[node], []).append(node - start)
        first = [NO_PARENT] if trees.kind == "dependency" else children.get(NO_PARENT, [])
        stems = [(node, (DUMMY,) * (p - 1)) for node in first]
        while stems:
            node, above = stems.pop()
            stem = (*above, root if node == NO_PARENT else label[start + node])
            below = children.get(node, [])
            if not below:
                yield stem + (DUMMY,) * q
                continue
            base = [DUMMY] * (q - 1) + [label[start + child] for child in below]
            base += [DUMMY] * (q - 1)
            for place in range(len(base) - q + 1):
                yield stem + tuple(base[place : place + q])
            stems += [(child, stem[1:]) for child in below]

    return grams


def overlap_blocks(
    distinct: _Profiles, *, progress: Progress | None = None
) -> Iterator[DistanceBlock]:
    """Yield the pq-gram distances of all pairs of distinct profiles, block by block.

        |P| + |P'| - 2 |P and P'|

    Yields
    ------
    (slice, slice, ndarray)
        Rows, columns, and the distances of these trees: integers, at least 0. Columns before the
        first row also stand for their mirror images, which are in no block.

    References
    ----------
    Augsten, Böhlen and Gamper (2005), Approximate matching of hierarchical data using pq-grams.
    """
    n_trees, counts = distinct.n_trees, np.bincount(distinct.pieces, minlength=1)
    tree = np.repeat(np.arange(n_trees), distinct.sizes)
    often = counts > n_trees * OFTEN  # of these, overlaps are a product of matrices
    frequent = np.zeros((n_trees, int(often.sum())), np.float32)
    common = often[distinct.pieces]
    frequent[tree[common], (np.cumsum(often) - 1)[distinct.pieces[common]]] = 1
    tree, pieces = tree[~common], distinct.pieces[~common]
    owner = tree[np.argsort(pieces, kind="stable")]  # trees of each piece, ascending
    ends = np.cumsum(np.bincount(pieces, minlength=len(counts)))
    count = np.diff(ends, prepend=0)[pieces]  # trees that each piece of a tree is in
    work = np.bincount(tree, count, minlength=n_trees).astype(np.int64)
    steps = list(stretches(np.maximum(work, n_trees), 0, CELLS))
    for rows in progress(steps, len(steps), "pq-grams") if progress else steps:
        mine = (tree >= rows.start) & (tree < rows.stop)
        n, own = count[mine], pieces[mine]
        place = np.repeat(ends[own] - np.cumsum(n), n) + np.arange(n.sum())
        other = owner[place]
        row, kept = np.repeat(tree[mine] - rows.start, n), other < rows.stop
        shape = rows.stop - rows.start, rows.stop
        shared = np.bincount(row[kept] * shape[1] + other[kept], minlength=shape[0] * shape[1])
        shared = shared.reshape(shape) + (frequent[rows] @ frequent[: rows.stop].T).astype(int)
        sizes = distinct.sizes[rows, None] + distinct.sizes[: rows.stop]
        yield rows, slice(0, rows.stop), sizes - 2 * shared


def overlap_distances(distinct: _Profiles, pairs: Sequence[tuple[int, int]]) -> IntArray:
    """pq-gram distances of some pairs of distinct profiles, given by number: shape (n_pairs,)."""
    bags = [set(bag.tolist()) for bag in np.split(distinct.pieces, distinct.starts[1:-1])]
    shared = np.array([len(bags[one] & bags[two]) for one, two in pairs], np.int64)
    numbers = np.asarray(pairs, np.int64).reshape(-1, 2)
    distances: IntArray = distinct.sizes[numbers].sum(axis=1) - 2 * shared
    return distances
