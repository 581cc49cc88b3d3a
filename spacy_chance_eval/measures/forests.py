"""Trees as forests that are stored once: what tree edit distance is worked out on.

The distance between two ordered forests follows from those of the forests that are left when the
rightmost root is taken away (`less`), or the rightmost tree (`rest`), from that tree (`last`) and
from what hangs below its root (`inside`). From a tree these steps lead to as many forests as
Zhang and Shasha (1989) have prefixes of subtrees of keyroots. Equal forests get one number,
wherever they occur: their distances are the same.
"""

from dataclasses import dataclass

import numpy as np

from .trees import NONE

SOME = 500  # trees of an annotator that decide whether to mirror all
EMPTY = 0  # the number of the empty forest


@dataclass(frozen=True, eq=False)
class Forests:
    """Distinct trees, and all forests that they lead to, each after those that it leads to.

    `less`, `rest`, `last`, `inside`, `top` (label of the rightmost root; of the empty forest and
    of artificial roots a number that no label has), `nodes` (their number) and `single` (whether it
    is one tree) have one entry per forest; `roots` (the forest of the tree) and `sizes` (|x|) one
    per tree. `members` are the forests of each tree, ascending, from `starts[tree]` on.
    """

    less: np.ndarray
    rest: np.ndarray
    last: np.ndarray
    inside: np.ndarray
    top: np.ndarray
    nodes: np.ndarray
    single: np.ndarray
    roots: np.ndarray
    sizes: np.ndarray
    members: np.ndarray
    starts: np.ndarray
    n_labels: int

    def __len__(self):
        """Number of forests, the empty one included."""
        return len(self.less)

    @property
    def n_trees(self):
        """Number of distinct trees."""
        return len(self.roots)

    def n_members(self):
        """How many forests each tree leads to."""
        return np.diff(self.starts)

    def part(self, trees):
        """The `Part` of some trees, a sequence of different numbers."""
        trees = np.asarray(trees, np.int64)
        count = self.n_members()[trees]
        place = np.repeat(self.starts[trees] - np.cumsum(count) + count, count)
        found, first = np.unique(self.members[place + np.arange(len(place))], return_index=True)
        order = np.argsort(first, kind="stable")
        ids = np.concatenate([[EMPTY], found[order]])
        local = np.zeros(len(self), np.uint32)  # unsigned: compiled code need not look for signs
        local[ids] = np.arange(len(ids))
        return Part(
            *(local[column[ids]] for column in (self.less, self.rest, self.last, self.inside)),
            *(column[ids].astype(np.int32) for column in (self.top, self.nodes)),
            single=self.single[ids],
            roots=local[self.roots[trees]],
            ends=np.searchsorted(first[order], np.cumsum(count)) + 1,
        )


@dataclass(frozen=True, eq=False)
class Part:
    """Some trees and the forests that they lead to, with numbers of their own; 0 is empty.

    Columns as `Forests` has them. Forests come in the order of the trees that first lead to them:
    those of the first k + 1 trees are numbered below `ends[k]`.
    """

    less: np.ndarray
    rest: np.ndarray
    last: np.ndarray
    inside: np.ndarray
    top: np.ndarray
    nodes: np.ndarray
    single: np.ndarray
    roots: np.ndarray
    ends: np.ndarray

    def __len__(self):
        """Number of forests, the empty one included."""
        return len(self.less)

    def head(self, n_trees):
        """The part of the first trees alone."""
        end = self.ends[n_trees - 1] if n_trees else 1
        names = ("less", "rest", "last", "inside", "top", "nodes", "single")
        columns = (getattr(self, name)[:end] for name in names)
        return Part(*columns, roots=self.roots[:n_trees], ends=self.ends[:n_trees])


def forests(sides, *, mirror=None):
    """(`Forests`, numbers): the distinct trees of some annotators, and which one each item has.

    Parameters
    ----------
    sides : sequence of Trees
        With the same labels.
    mirror : bool, optional
        Whether to read all trees from right to left, which changes no distance, but the work. By
        default what is less work.

    Returns
    -------
    Forests
    list of integer arrays of shape (n_items,)
        For each annotator the number of the tree of each item; -1 where it is not annotated. Trees
        are numbered in the order of the items. Trees of different |x| are different.
    """
    if mirror is None:
        mirror = work(sides, True) < work(sides, False)
    store, known = Store(), {}
    numbers = [np.full(trees.n_items, NONE) for trees in sides]
    walks = [(trees, trees.sizes, postorders(trees, mirror)) for trees in sides]
    for item in range(sides[0].n_items if sides else 0):
        for (trees, sizes, walk), found in zip(walks, numbers):
            if trees.seen[item]:
                root, members = store.tree(*walk(item))
                key = root, int(sizes[item])
                if key not in known:
                    known[key] = len(known)
                    store.add_tree(*key, members)
                found[item] = known[key]
    return store.forests(len(sides[0].labels) if sides else 0), numbers


def work(sides, mirror):
    """How many forests some of the trees lead to, counted with repetitions."""
    total = 0
    for trees in sides:
        walk, items = postorders(trees, mirror), np.flatnonzero(trees.seen)
        for item in items[:: 1 + len(items) // SOME]:
            leftmost = np.array(walk(item)[1], np.int64)
            keyroots = np.zeros(len(leftmost), np.int64)
            keyroots[leftmost] = np.arange(len(leftmost))  # the last one that begins there
            begins = np.unique(leftmost)
            total += int((keyroots[begins] - begins + 1).sum())
    return total


def postorders(trees, mirror):
    """A function from items to their nodes in postorder: (labels, place of the leftmost leaf).

    Without recursion: trees are as deep as sentences are long.
    """
    parents, label = trees.parents.tolist(), trees.label.tolist()
    reachable, starts = trees.reachable.tolist(), trees.starts.tolist()
    root = len(trees.labels)  # the label of the artificial root
    dependency = trees.kind == "dependency"

    def walk(item):
        start, stop = starts[item : item + 2]
        children = [[] for _ in range(stop - start + 1)]  # the last: of none, the artificial root
        nodes = range(start, stop) if mirror else range(stop - 1, start - 1, -1)
        for node in nodes:
            if reachable[node]:
                children[parents[node]].append(node - start)
        # from the right: a node, then its children; that is postorder backwards
        stack = [NONE] if dependency else list(children[NONE])
        order = []
        while stack:
            node = stack.pop()
            order.append(node)
            stack += reversed(children[node])
        order.reverse()
        place = {node: number for number, node in enumerate(order)}
        leftmost = []
        for node in order:
            below = children[node]
            leftmost.append(leftmost[place[below[-1]]] if below else len(leftmost))
        return [root if node == NONE else label[start + node] for node in order], leftmost

    return walk


class Store:
    """Forests by what they are made of, while trees are read."""

    def __init__(self):
        self.known = {}
        # less, rest, last, inside, top, nodes, single: of the empty forest
        self.rows = [(EMPTY, EMPTY, EMPTY, EMPTY, NONE, 0, False)]
        self.roots, self.sizes, self.members = [], [], []

    def tree(self, labels, leftmost):
        """The forest of a tree in postorder, and the set of all that it leads to."""
        keyroots = sorted({first: node for node, first in enumerate(leftmost)}.values())
        subtree, members, prefixes = [EMPTY] * len(labels), set(), [EMPTY]
        for keyroot in keyroots:
            begin = leftmost[keyroot]
            prefixes = [EMPTY]  # the forest of the nodes begin .. node
            for node in range(begin, keyroot + 1):
                if leftmost[node] == begin:
                    found = subtree[node] = self.single(labels[node], prefixes[-1])
                else:
                    rest = prefixes[leftmost[node] - begin]
                    found = self.several(rest, subtree[node], prefixes[-1])
                prefixes.append(found)
            members.update(prefixes[1:])
        return prefixes[-1], members

    def single(self, top, inside):
        """The number of a tree with this root above this forest."""
        key = NONE - top, inside  # no number of a forest is negative
        if key not in self.known:
            number = self.known[key] = len(self.rows)
            nodes = self.rows[inside][5] + 1
            self.rows.append((inside, EMPTY, number, inside, top, nodes, True))
        return self.known[key]

    def several(self, rest, last, less):
        """The number of a forest of several trees: the last one, and the rest."""
        key = rest, last
        if key not in self.known:
            self.known[key] = len(self.rows)
            _, _, _, inside, top, nodes, _ = self.rows[last]
            self.rows.append((less, rest, last, inside, top, self.rows[rest][5] + nodes, False))
        return self.known[key]

    def add_tree(self, root, size, members):
        """Number a tree that is new."""
        self.roots.append(root)
        self.sizes.append(size)
        self.members.append(np.array(sorted(members), np.int64))

    def forests(self, n_labels):
        """All of it as `Forests`."""
        columns = [np.array(column, np.int64) for column in list(zip(*self.rows))[:6]]
        return Forests(
            *columns,
            single=np.array([row[6] for row in self.rows], bool),
            roots=np.array(self.roots, np.int64),
            sizes=np.array(self.sizes, np.int64),
            members=np.concatenate(self.members) if self.members else np.zeros(0, np.int64),
            starts=np.cumsum([0, *map(len, self.members)]),
            n_labels=n_labels,
        )
