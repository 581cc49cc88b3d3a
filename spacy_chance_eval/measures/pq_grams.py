"""pq-grams: trees as bags of small pieces, whose overlap is a fast distance of trees.

A piece is a node with its p - 1 ancestors and q children that follow each other; where there are
none, dummies stand. A tree with l leaves and i inner nodes has 2 l + q i - 1 of them (q > 1), with
q = 1 as many as it has nodes and edges. With profiles P and P', the distance is |P| + |P'| - 2 |P
and P'|.

References
----------
Augsten, Böhlen and Gamper (2005), Approximate matching of hierarchical data using pq-grams.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from .trees import NONE

DUMMY = NONE - 1
BLOCK = 256  # trees that are compared with all before them at a time


@dataclass(frozen=True, eq=False)
class Profiles:
    """Distinct profiles: `sizes` of shape (n_trees,), and the pieces of each.

    A piece that a tree has k times is k pieces: then bags are sets, and overlaps are counts. The
    pieces of a tree stand in `pieces` from `starts[tree]` on.
    """

    sizes: np.ndarray
    pieces: np.ndarray
    starts: np.ndarray

    @property
    def n_trees(self):
        """Number of distinct profiles."""
        return len(self.sizes)


def profiles(sides, *, p=2, q=3):
    """(`Profiles`, numbers): of some annotators' trees, as `forests` gives those of trees.

    Parameters
    ----------
    sides : sequence of Trees
        With the same labels.
    p, q : int
        Nodes of a stem, and of a base; 1 or more.
    """
    pieces, known, bags = {}, {}, []
    numbers = [np.full(trees.n_items, NONE) for trees in sides]
    for trees, found in zip(sides, numbers):
        grams = grams_of(trees, p, q)
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
            found[item] = known[bag]
    sizes = np.array([len(bag) for bag in bags], np.int64)
    flat = np.array([piece for bag in bags for piece in bag], np.int64)
    return Profiles(sizes, flat, np.cumsum([0, *sizes])), numbers


def grams_of(trees, p, q):
    """A function from items to the pieces of their trees: tuples of p + q numbers of labels."""
    parents, label = trees.parents.tolist(), trees.label.tolist()
    reachable, starts = trees.reachable.tolist(), trees.starts.tolist()
    root = len(trees.labels)

    def grams(item):
        start, stop = starts[item : item + 2]
        children = {}
        for node in range(start, stop):
            if reachable[node]:
                children.setdefault(parents[node], []).append(node - start)
        first = [NONE] if trees.kind == "dependency" else children.get(NONE, [])
        stems = [(node, (DUMMY,) * (p - 1)) for node in first]
        while stems:
            node, above = stems.pop()
            stem = (*above, root if node == NONE else label[start + node])
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


def overlap_blocks(found, *, progress=None):
    """pq-gram distances of all pairs of distinct profiles, as `tree_edit.distance_blocks` has them.

    Parameters
    ----------
    found : Profiles
    progress : callable, optional
    """
    order = np.argsort(found.pieces, kind="stable")
    owner = np.repeat(np.arange(found.n_trees), found.sizes)[
        order
    ]  # trees of each piece, ascending
    ends = np.cumsum(np.bincount(found.pieces)) if len(found.pieces) else np.zeros(0, np.int64)
    begins = np.concatenate([[0], ends[:-1]])
    steps = range(0, found.n_trees, BLOCK)
    for start in progress(steps, len(steps), "pq-grams") if progress else steps:
        stop = min(start + BLOCK, found.n_trees)
        mine = found.pieces[found.starts[start] : found.starts[stop]]
        row = np.repeat(np.arange(stop - start), found.sizes[start:stop])
        count = ends[mine] - begins[mine]
        place = np.repeat(begins[mine] - np.cumsum(count) + count, count) + np.arange(count.sum())
        other = owner[place]
        cell = np.repeat(row, count)[other < stop] * stop + other[other < stop]
        shared = np.bincount(cell, minlength=(stop - start) * stop).reshape(-1, stop)
        sizes = found.sizes[start:stop, None] + found.sizes[:stop]
        yield slice(start, stop), slice(0, stop), sizes - 2 * shared


def overlap_distances(found, pairs):
    """pq-gram distances of some pairs of distinct profiles: shape (n_pairs,)."""
    bags = [set(bag.tolist()) for bag in np.split(found.pieces, found.starts[1:-1])]
    shared = np.array([len(bags[one] & bags[two]) for one, two in pairs], np.int64)
    pairs = np.asarray(pairs, np.int64).reshape(-1, 2)
    return found.sizes[pairs].sum(axis=1) - 2 * shared
