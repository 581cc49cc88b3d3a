"""Trees as forests that are stored once: what tree edit distance is worked out on.

The distance between two ordered forests follows from those of the forests that are left when the
rightmost root is taken away (`less`), or the rightmost tree (`rest`), from that tree (`last`) and
from what hangs below its root (`inside`). From a tree these steps lead to as many forests as
Zhang and Shasha (1989) have prefixes of subtrees of keyroots. Equal forests get one number,
wherever they occur: their distances are the same.
"""

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from ..threads import in_threads, n_cores
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
        mirror = _work(sides, True) < _work(sides, False)
    store, known = _Store(), {}
    numbers = [np.full(trees.n_items, NONE) for trees in sides]
    walks = [(trees, trees.sizes, _postorders(trees, mirror)) for trees in sides]
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


def _work(sides, mirror):
    """How many forests some of the trees lead to, counted with repetitions."""
    total = 0
    for trees in sides:
        walk, items = _postorders(trees, mirror), np.flatnonzero(trees.seen)
        for item in items[:: 1 + len(items) // SOME]:
            leftmost = np.array(walk(item)[1], np.int64)
            keyroots = np.zeros(len(leftmost), np.int64)
            keyroots[leftmost] = np.arange(len(leftmost))  # the last one that begins there
            begins = np.unique(leftmost)
            total += int((keyroots[begins] - begins + 1).sum())
    return total


def _postorders(trees, mirror):
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


class _Store:
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


BACKENDS = ("auto", "numpy", "numba")
EXTRA = "pip install 'spacy-chance-eval[fast]'"
ROWS = 1024  # forests of the trees that are compared with others at a time
CELLS = 16_000_000  # bytes of a table of pairs of forests: more do not fit the cache
THREADS = min(8, n_cores())  # each has a table
MOST = 30_000  # forests of one tree: a table of two such trees has 900 million numbers
MANY = 20  # partners of a tree with which it is worth a block of its own, by measurement
TASKS = 64  # that each thread has about to do
SHORT = 100  # a step over fewer forests than this is mostly overhead


def backend_of(backend="auto"):
    """The back end that is used: "numba", if it is installed or asked for, else "numpy".

    Raises
    ------
    ValueError
        For an unknown one, and for numba where it is not installed.
    """
    if backend not in BACKENDS:
        raise ValueError(f"backend is {backend!r}; expected one of {', '.join(BACKENDS)}")
    there = find_spec("numba") is not None
    if backend == "numba" and not there:
        raise ValueError(f"the back end numba is not installed: {EXTRA}, or use numpy")
    return "numba" if there and backend != "numpy" else "numpy"


def _savings_function(backend):
    """The function that works out what pairs of trees save."""
    if backend_of(backend) == "numpy":
        return _savings
    from .tree_edit_numba import savings as compiled

    return compiled


def tree_edit_distances(first, second, *, costs=None, backend="auto"):
    """Tree edit distance of the two trees of each item.

    Parameters
    ----------
    first, second : Trees
        Of the same items, with the same labels; both have annotated all of them.
    costs : ndarray of shape (n_labels, n_labels), optional
        What it costs to turn one label into another: symmetric, in [0, 1], 0 on the diagonal. By
        default 1. Inserting and deleting a node costs 1. An artificial root has no label.
    backend : "auto", "numpy" or "numba"

    Returns
    -------
    ndarray of shape (n_items,)
        Integers; with `costs` floats. 0 or more; at most the number of nodes of both. A metric if
        the costs are one.

    References
    ----------
    Zhang and Shasha (1989), Simple fast algorithms for the editing distance between trees.

    Examples
    --------
    >>> from spacy_chance_eval.measures.trees.trees import Trees
    >>> one = Trees.from_heads([[2, 0, 4, 2]], [["A", "B", "C", "D"]])
    >>> two = Trees.from_heads([[2, 0, 2, 2]], [["A", "B", "C", "D"]])
    >>> tree_edit_distances(one, two).tolist()
    [2]
    """
    found, numbers = forests([first, second])
    return pair_distances(found, np.stack(numbers, axis=1), costs=costs, backend=backend)


def distance_blocks(found, *, costs=None, backend="auto", progress=None, threads=None):
    """The distances of all pairs of distinct trees, block by block.

    Parameters
    ----------
    found : Forests
    costs, backend
        As `tree_edit_distances` has them.
    progress : callable, optional
        progress(steps, total, what) wraps the blocks; for progress bars.
    threads : int, optional
        By default one for each core that the process may use, up to 8.

    Yields
    ------
    (slice, slice, ndarray)
        Rows, columns, and the distances of these trees. Columns before the first row stand for
        their mirror images, too, which are in no block; those from there on are the rows.
    """
    credit, dtype = _credit_of(found, costs)
    _check_sizes(found)
    table, watch = (
        _savings_function(backend),
        progress or (lambda steps, total=None, what="": steps),
    )
    blocks = list(_tiles(found, CELLS // dtype.itemsize))

    def measured(block):
        rows, columns, part = block
        mine = found.part(range(rows.start, rows.stop))
        theirs = part.head(columns.stop - columns.start)
        return rows, columns, _distances(mine, theirs, credit, dtype, table)

    steps = in_threads(measured, _with_parts(found, blocks), threads or THREADS)
    yield from watch(steps, len(blocks), "Pairs of trees")


def _tiles(found, cells):
    """(rows, columns, stretch): blocks of rows with those trees of a stretch that come no later.

    A stretch comes first with its own trees, then with all later ones.
    """
    count = found.n_members()
    heaviest = max(ROWS, int(count.max(initial=0)))
    for stretch in stretches(count, 0, max(1, cells // heaviest)):
        for rows in stretches(count[: stretch.stop], stretch.start, ROWS):
            yield rows, slice(stretch.start, rows.stop), stretch
        for rows in stretches(count, stretch.stop, ROWS):
            yield rows, stretch, stretch


def stretches(count, start, most):
    """Slices of trees, from `start` on, that have up to `most` forests together, or one tree."""
    total = np.cumsum(count)
    while start < len(count):
        before = total[start] - count[start]
        stop = max(start + 1, int(np.searchsorted(total, before + most, side="right")))
        yield slice(start, stop)
        start = stop


def _with_parts(found, blocks):
    """Blocks with the `Part` of their stretch, which is made once for all blocks that have it."""
    stretch, part = None, None
    for rows, columns, wanted in blocks:
        if wanted != stretch:
            stretch, part = wanted, found.part(range(wanted.start, wanted.stop))
        yield rows, columns, part


def pair_distances(found, pairs, *, costs=None, backend="auto", progress=None):
    """The distances of some pairs of distinct trees.

    Parameters
    ----------
    found : Forests
    pairs : integer array of shape (n_pairs, 2)
        Numbers of trees.
    costs, backend, progress
        As `distance_blocks` has them.

    Returns
    -------
    ndarray of shape (n_pairs,)
    """
    pairs = np.sort(np.asarray(pairs, np.int64).reshape(-1, 2), axis=1)[:, ::-1]
    credit, dtype = _credit_of(found, costs)
    _check_sizes(found)
    table, watch = (
        _savings_function(backend),
        progress or (lambda steps, total=None, what="": steps),
    )
    order = np.lexsort(pairs.T)
    trees, first = np.unique(pairs[order, 1], return_index=True)
    # a block works out all of its rows with all of their partners: many partners, few rows
    alone = backend_of(backend) == "numba" and len(pairs) > MANY * len(trees)
    blocks = list(stretches(found.n_members()[trees], 0, 0 if alone else ROWS // 4))
    ends = [*first[[block.start for block in blocks[1:]]], len(pairs)] if blocks else []
    out = np.zeros(len(pairs), np.float64 if costs is not None else np.int64)

    def measured(block, start, stop):
        mine = order[start:stop]
        rows, row = np.unique(pairs[mine, 1], return_inverse=True)
        columns, column = np.unique(pairs[mine, 0], return_inverse=True)
        parts = found.part(rows), found.part(columns)
        out[mine] = _distances(*parts, credit, dtype, table)[row, column]

    steps = list(zip(blocks, [0, *ends[:-1]], ends))
    size = 1 + len(steps) // (TASKS * THREADS)  # a thread gets several of many short steps
    tasks = [steps[start : start + size] for start in range(0, len(steps), size)]

    def done(task):
        for step in task:
            measured(*step)

    for _ in watch(in_threads(done, tasks, THREADS), len(tasks), "Pairs"):
        pass
    return out


def _check_sizes(found):
    """Raise for trees whose table of pairs of forests no machine should hold."""
    tree = int(np.argmax(found.n_members())) if found.n_trees else 0
    count = int(found.n_members().max(initial=0))
    if count > MOST:
        nodes = int(found.nodes[found.roots[tree]])
        raise ValueError(
            f"a tree of {nodes} nodes leads to {count} forests, more than the {MOST} that tree "
            "edit distance is worked out for; divide it into sentences, or use pq_alpha"
        )


def _credit_of(found, costs):
    """(credit by two labels or None for unit costs, smallest dtype that can hold what is saved)."""
    if costs is not None:
        return _credit_table(costs, found.n_labels), np.dtype(np.float64)
    most = 2 * int(found.nodes.max(initial=0))
    return None, np.min_scalar_type(most)


def _credit_table(costs, n_labels):
    """What a pair of labels saves: 2 - cost; the last one is that of artificial roots."""
    costs = np.asarray(costs, np.float64)
    sound = costs.shape == (n_labels, n_labels) and np.isfinite(costs).all()
    if (
        not sound
        or (costs != costs.T).any()
        or costs.min(initial=0) < 0
        or costs.max(initial=0) > 1
    ):
        raise ValueError(
            f"costs must be a symmetric table of {n_labels} x {n_labels} numbers from 0 to 1"
        )
    if np.diagonal(costs).any():
        raise ValueError("costs of a label with itself must be 0")
    credit = np.ones((n_labels + 1, n_labels + 1))
    credit[:-1, :-1] = 2 - costs
    credit[-1, -1] = 2
    return credit


def _distances(rows, columns, credit, dtype, table):
    """The distances of the trees of two `Part`s: shape (n_rows, n_columns)."""
    save = table(rows, columns, credit, dtype)
    total = rows.nodes[rows.roots][:, None] + columns.nodes[columns.roots]
    return total - save.astype(total.dtype if credit is None else np.float64)


def _savings(rows, columns, credit, dtype):
    """s of the trees of two `Part`s, by numpy: forests of one size and kind at a time."""
    turn = np.argsort(columns.nodes, kind="stable")
    place = np.empty_like(turn)
    place[turn] = np.arange(len(turn))
    less, rest, last, inside = (
        place[column[turn]] for column in (columns.less, columns.rest, columns.last, columns.inside)
    )
    top, climb = columns.top[turn], _climber(columns.nodes[turn], less)
    level = 2 * rows.nodes + rows.single
    order = np.argsort(level, kind="stable")[1:]
    out = np.zeros((len(rows), len(columns)), dtype)
    for mine in np.split(order, np.flatnonzero(np.diff(level[order])) + 1):
        if not len(mine):
            continue
        before = out[rows.less[mine]]
        if rows.single[mine[0]]:
            found = before.take(inside, axis=1)
            found += _credits(rows.top[mine], top, credit, dtype)
        else:
            found = out[rows.rest[mine]].take(rest, axis=1)
            found += out[rows.last[mine]].take(last, axis=1)
        np.maximum(found, before, out=found)
        found[:, 0] = 0
        climb(found)
        out[mine] = found
    return out[np.ix_(rows.roots, place[columns.roots])]


def _credits(tops, others, credit, dtype):
    """What pairs of roots save: 2 for equal labels, else 1; or what a table says."""
    if credit is None:
        return (tops[:, None] == others).astype(dtype) + dtype.type(1)
    return credit[tops[:, None], others]  # the column of the empty forest is overwritten


def _climber(nodes, less):
    """A function that makes the values of each row the running maximum along `less`, in place.

    Size by size; by doubling steps where there are few forests of each size, as in deep trees.
    """
    edges = np.flatnonzero(np.diff(nodes, prepend=-1, append=-1))
    if len(nodes) > SHORT * len(edges):
        steps = [(less[a:b], slice(a, b)) for a, b in zip(edges[2:], edges[3:])]
    else:
        steps, jump = [], less
        while jump.any():
            steps.append((jump, slice(None)))
            jump = jump[jump]

    def climb(table):
        for above, here in steps:
            np.maximum(table[:, here], table.take(above, axis=1), out=table[:, here])

    return climb
