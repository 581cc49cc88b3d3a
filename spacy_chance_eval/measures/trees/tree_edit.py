"""Tree edit distance, of trees as forests that are stored once.

The distance between two ordered forests follows from those of the forests that are left when the
rightmost root is removed (`less`), or the rightmost tree (`rest`), of that tree (`last`) and of
the subtrees of its root (`inside`). From a tree these steps lead to as many forests as there are
prefixes of subtrees of keyroots in Zhang and Shasha (1989). Equal forests get one number, wherever
they occur: their distances are the same.

A pair of forests is stored by its saving: the number of its nodes less its distance. It grows by
2 for a pair of equal roots, by 1 for another pair (or by 2 less the cost of the two labels).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array, BoolArray, FloatArray, IntArray, Progress
from ..messages import quoted
from ..threads import in_threads, n_cores, stretches
from . import BACKENDS
from .postorder import DistinctTrees, distinct_trees
from .trees import NO_PARENT, Trees

EMPTY_FOREST = 0  # the number of the empty forest


@dataclass(frozen=True, eq=False)
class _Columns:
    """Some trees, and all forests that they lead to.

    `less`, `rest`, `last`, `inside`, `top` (label of the rightmost root; for the empty forest and
    artificial roots a number that no label has), `nodes` (their number) and `single` (whether it is
    one tree) have one entry per forest, `roots` (the forest of the tree) one per tree.
    """

    less: IntArray
    rest: IntArray
    last: IntArray
    inside: IntArray
    top: IntArray
    nodes: IntArray
    single: BoolArray
    roots: IntArray

    def __len__(self) -> int:
        """Number of forests, the empty one included."""
        return len(self.less)


@dataclass(frozen=True, eq=False)
class _Forests(_Columns):
    """Distinct trees; each forest comes after those that it leads to.

    `members` are the forests of each tree, ascending, from `starts[tree]` on.
    """

    members: IntArray
    starts: IntArray

    @property
    def n_trees(self) -> int:
        """Number of distinct trees."""
        return len(self.roots)

    def n_members(self) -> IntArray:
        """Number of forests that each tree leads to."""
        return np.diff(self.starts)

    def part(self, trees: ArrayLike) -> "Part":
        """The `Part` of some trees, a sequence of different numbers."""
        trees = np.asarray(trees, np.int64)
        count = self.n_members()[trees]
        place = np.repeat(self.starts[trees] - np.cumsum(count) + count, count)
        distinct, first = np.unique(self.members[place + np.arange(len(place))], return_index=True)
        order = np.argsort(first, kind="stable")
        ids = np.concatenate([[EMPTY_FOREST], distinct[order]])
        local = np.zeros(len(self), np.uint32)  # unsigned: compiled code need not check the sign
        local[ids] = np.arange(len(ids))
        return Part(
            **{
                name: local[getattr(self, name)[ids]] for name in ("less", "rest", "last", "inside")
            },
            **{name: getattr(self, name)[ids].astype(np.int32) for name in ("top", "nodes")},
            single=self.single[ids],
            roots=local[self.roots[trees]],
            ends=np.searchsorted(first[order], np.cumsum(count)) + 1,
        )


@dataclass(frozen=True, eq=False)
class Part(_Columns):
    """Some trees and the forests that they lead to, renumbered; 0 is the empty forest.

    Forests come in the order of the trees that first lead to them: those of the first k + 1 trees
    are numbered below `ends[k]`.
    """

    ends: IntArray

    def head(self, n_trees: int) -> "Part":
        """The part of the first trees alone."""
        end = self.ends[n_trees - 1] if n_trees else 1
        columns = {name: column[:end] for name, column in vars(self).items()}
        return Part(**columns | {"roots": self.roots[:n_trees], "ends": self.ends[:n_trees]})


def forests(trees: DistinctTrees) -> _Forests:
    """All forests that some trees lead to, of which each is stored once."""
    # less, rest, last, inside, top, nodes, single: of the empty forest
    rows = [(EMPTY_FOREST, EMPTY_FOREST, EMPTY_FOREST, EMPTY_FOREST, NO_PARENT, 0, False)]
    known: dict[tuple[int, int], int] = {}

    def one_tree(top: int, inside: int) -> int:
        """The number of a tree with this root above this forest."""
        key = NO_PARENT - top, inside  # no number of a forest is negative
        if key not in known:
            number = known[key] = len(rows)
            rows.append((inside, EMPTY_FOREST, number, inside, top, rows[inside][5] + 1, True))
        return known[key]

    def several(rest: int, last: int, less: int) -> int:
        """The number of a forest of several trees: the last one, and the rest."""
        key = rest, last
        if key not in known:
            known[key] = len(rows)
            _, _, _, inside, top, nodes, _ = rows[last]
            rows.append((less, rest, last, inside, top, rows[rest][5] + nodes, False))
        return known[key]

    roots, members = list[int](), [np.zeros(0, np.int64)]
    for start, stop in pairwise(trees.starts.tolist()):
        labels, leftmost = (a[start:stop].tolist() for a in (trees.label, trees.leftmost))
        subtree, mine, prefixes = [EMPTY_FOREST] * len(labels), set[int](), [EMPTY_FOREST]
        for keyroot in sorted({first: node for node, first in enumerate(leftmost)}.values()):
            begin = leftmost[keyroot]
            prefixes = [EMPTY_FOREST]  # the forest of the nodes begin .. node
            for node in range(begin, keyroot + 1):
                if leftmost[node] == begin:
                    number = subtree[node] = one_tree(labels[node], prefixes[-1])
                else:
                    rest = prefixes[leftmost[node] - begin]
                    number = several(rest, subtree[node], prefixes[-1])
                prefixes.append(number)
            mine.update(prefixes[1:])
        roots.append(prefixes[-1])
        members.append(np.array(sorted(mine), np.int64))
    less, rest, last, inside, top, nodes, single = map(np.array, zip(*rows))
    return _Forests(
        less,
        rest,
        last,
        inside,
        top,
        nodes,
        single,
        roots=np.array(roots, np.int64),
        members=np.concatenate(members),
        starts=np.cumsum([*map(len, members)]),
    )


MOST = 30_000  # forests of one tree: a table of two such trees has 900 million numbers
DistanceBlock: TypeAlias = tuple[slice, slice, Array]  # rows, columns, distances of these trees

EXTRA = "pip install 'spacy-chance-eval[fast]'"
# forests of the trees that are compared with others at a time, and bytes of a table of pairs of
# forests, as measured: long rows become vectors, larger tables leave the cache
TILES = 1024, 16_000_000
THREADS = min(8, n_cores())  # each has a table
CELLS = 2_000_000  # of the tables of the pairs that are compared at once, about
SHORT = 100  # a step over fewer forests than this is mostly overhead


def backend_of(backend: str = "auto") -> str:
    """The back end that will be used: "numba", if it is installed or asked for, else "numpy"."""
    if backend not in BACKENDS:
        raise ValueError(f"backend is {quoted(backend)}; expected one of {', '.join(BACKENDS)}")
    there = find_spec("numba") is not None
    if backend == "numba" and not there:
        raise ValueError(f"the back end numba is not installed: {EXTRA}, or use numpy")
    return "numba" if there and backend != "numpy" else "numpy"


def tree_edit_distances(first: Trees, second: Trees, *, costs: ArrayLike | None = None) -> Array:
    """Tree edit distance of the two trees of each item.

    Parameters
    ----------
    first, second : Trees
        Of the same items, with the same labels; both have annotated all of them.
    costs : ndarray of shape (n_labels, n_labels), optional
        The cost of changing one label into another: symmetric, in [0, 1], 0 on the diagonal. By
        default 1. Inserting and deleting a node costs 1. An artificial root has no label.

    Returns
    -------
    ndarray of shape (n_items,)
        Integers; with `costs` floats. At least 0, at most the number of nodes of both. A metric if
        the costs are a metric.

    Raises
    ------
    ValueError
        For costs that are not such a table, and trees that are too large.

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
    trees, numbers = distinct_trees([first, second])
    return pair_distances(trees, np.stack(numbers, axis=1), costs=costs)


def distance_blocks(
    trees: DistinctTrees,
    *,
    costs: ArrayLike | None = None,
    backend: str = "auto",
    progress: Progress | None = None,
    threads: int | None = None,
) -> Iterator[DistanceBlock]:
    """Yield the distances of all pairs of distinct trees, block by block.

    `costs` and `backend` are those of `tree_edit_distances`; by default there is one thread for
    each core that the process may use, up to 8.

    Yields
    ------
    (slice, slice, ndarray)
        Rows, columns, and the distances of these trees. Columns before the first row stand for
        their mirror images, too, which are in no block; those from there on are the rows.
    """
    credit, dtype = _credit_of(trees, costs)
    distinct = forests(trees)
    for tree in np.argsort(distinct.n_members())[-1:]:
        check_size(trees.n_nodes[tree], distinct.n_members()[tree])
    fill: Callable[..., None] = _fill
    if backend_of(backend) == "numba":
        from .tree_edit_numba import fill_compiled as fill
    n_rows, n_bytes = TILES
    blocks = list(_tiles(distinct, n_rows, n_bytes // dtype.itemsize))

    def measure(block: tuple[slice, slice, Part]) -> DistanceBlock:
        rows, columns, part = block
        mine = distinct.part(range(rows.start, rows.stop))
        theirs = part.head(columns.stop - columns.start)
        saved = _savings(mine, theirs, credit, dtype, fill)
        total = mine.nodes[mine.roots][:, None] + theirs.nodes[theirs.roots]
        distances: Array = total - saved.astype(total.dtype if credit is None else np.float64)
        return rows, columns, distances

    steps = in_threads(measure, _with_parts(distinct, blocks), threads or THREADS)
    yield from progress(steps, len(blocks), "Pairs of trees") if progress else steps


def _tiles(distinct: _Forests, n_rows: int, cells: int) -> Iterator[tuple[slice, slice, slice]]:
    """Yield (rows, columns, stretch): blocks of rows with the trees of a stretch up to them.

    A stretch comes first with its own trees, then with all later ones.
    """
    count = distinct.n_members()
    heaviest = max(n_rows, int(count.max(initial=0)))
    for stretch in stretches(count, 0, max(1, cells // heaviest)):
        for rows in stretches(count[: stretch.stop], stretch.start, n_rows):
            yield rows, slice(stretch.start, rows.stop), stretch
        for rows in stretches(count, stretch.stop, n_rows):
            yield rows, stretch, stretch


def _with_parts(
    distinct: _Forests, blocks: Iterable[tuple[slice, slice, slice]]
) -> Iterator[tuple[slice, slice, Part]]:
    """Yield blocks with the `Part` of their stretch, made once for the blocks of one stretch."""
    for stretch, some in groupby(blocks, itemgetter(2)):
        part = distinct.part(range(stretch.start, stretch.stop))
        for rows, columns, _ in some:
            yield rows, columns, part


def pair_distances(
    trees: DistinctTrees,
    pairs: ArrayLike,
    *,
    costs: ArrayLike | None = None,
    progress: Progress | None = None,
) -> Array:
    """The distances of some pairs of distinct trees, by numpy, which takes many pairs at once.

    Parameters
    ----------
    pairs : integer array_like of shape (n_pairs, 2)
        Numbers of trees. Pairs that come several times are computed once.

    Returns
    -------
    ndarray of shape (n_pairs,)
        Integers; with `costs` floats.
    """
    pairs = np.sort(np.asarray(pairs, np.int64).reshape(-1, 2), axis=1)[:, ::-1]
    credit, dtype = _credit_of(trees, costs)
    key, place = np.unique(pairs @ [trees.n_trees, 1], return_inverse=True)
    different = np.stack(np.divmod(key, max(1, trees.n_trees)))
    found = np.zeros(len(key), np.float64 if costs is not None else np.int64)
    (some,) = np.nonzero(different[0] != different[1])
    used, sides = np.unique(different[:, some], return_inverse=True)
    sides = sides.reshape(2, -1)
    prefixes = prefixes_of(trees, used)
    cells = np.diff(prefixes.starts)[sides].prod(axis=0)
    order = np.argsort(cells, kind="stable")
    tasks = list(stretches(cells[order], 0, CELLS))

    def measure(task: slice) -> None:
        mine = order[task]
        saved = savings(prefixes, sides[:, mine], credit, dtype)
        n_nodes = trees.n_nodes[used[sides[:, mine]]].sum(axis=0)
        found[some[mine]] = n_nodes - saved.astype(found.dtype)

    done = in_threads(measure, tasks, min(THREADS, len(tasks)))
    for _ in progress(done, len(tasks), "Pairs") if progress else done:
        pass
    return found[place]


def _credit_of(
    trees: DistinctTrees, costs: ArrayLike | None
) -> tuple[FloatArray | None, np.dtype[Any]]:
    """The credit of two labels (None for unit costs), and the smallest dtype that holds savings."""
    if costs is not None:
        return _credit_table(costs, trees.n_labels), np.dtype(np.float64)
    most = 2 * int(trees.n_nodes.max(initial=0))
    return None, np.min_scalar_type(most)


def _credit_table(costs: ArrayLike, n_labels: int) -> FloatArray:
    """The saving of each pair of labels, 2 - cost; artificial roots come last."""
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


def _savings(
    rows: Part,
    columns: Part,
    credit: FloatArray | None,
    dtype: np.dtype[Any],
    fill: Callable[..., None],
) -> Array:
    """Savings of pairs of trees of two `Part`s, from a table of their forests that `fill` fills."""
    by_size = np.argsort(columns.nodes, kind="stable")
    place = np.empty(len(by_size), np.int64 if fill is _fill else np.uint32)
    place[by_size] = np.arange(len(by_size))
    steps = (place[one[by_size]] for one in (columns.less, columns.rest, columns.last))
    out = np.zeros((len(rows), len(columns)), dtype)
    theirs = (*steps, place[columns.inside[by_size]], columns.top[by_size], columns.nodes[by_size])
    fill(out, rows, np.argsort(2 * rows.nodes + rows.single, kind="stable")[1:], *theirs, credit)
    roots: Array = out[np.ix_(rows.roots, place[columns.roots])]
    return roots


def _fill(
    out: Array,
    rows: Part,
    order: IntArray,
    less: IntArray,
    rest: IntArray,
    last: IntArray,
    inside: IntArray,
    top: IntArray,
    nodes: IntArray,
    credit: FloatArray | None,
) -> None:
    """Fill the table by numpy, for rows of one size and kind at a time.

    `order` are the rows but for the empty forest, by size. Columns are ordered by size.
    """
    climb, level = _climber(nodes, less), 2 * rows.nodes + rows.single
    for mine in np.split(order, np.flatnonzero(np.diff(level[order])) + 1):
        if not len(mine):
            continue
        before = out[rows.less[mine]]
        if rows.single[mine[0]]:
            save = before.take(inside, axis=1)
            save += credits_of(rows.top[mine, None], top, credit, out.dtype)
        else:
            save = out[rows.rest[mine]].take(rest, axis=1)
            save += out[rows.last[mine]].take(last, axis=1)
        np.maximum(save, before, out=save)
        save[:, 0] = 0
        climb(save)
        out[mine] = save


def _climber(nodes: IntArray, less: IntArray) -> Callable[[Array], None]:
    """A function that replaces each row by its running maximum along `less`, in place.

    Size by size; by doubling steps where there are few forests of each size, as in deep trees.
    """
    edges = np.flatnonzero(np.diff(nodes, prepend=-1, append=-1))
    steps: list[tuple[IntArray, slice]] = []
    if len(nodes) > SHORT * len(edges):
        steps = [(less[a:b], slice(a, b)) for a, b in zip(edges[2:], edges[3:])]
    else:
        jump = less
        while jump.any():
            steps.append((jump, slice(None)))
            jump = jump[jump]

    def climb(table: Array) -> None:
        for above, here in steps:
            np.maximum(table[:, here], table.take(above, axis=1), out=table[:, here])

    return climb


# --- the algorithm of Zhang and Shasha for some pairs at once: the prefixes in postorder of those
# subtrees are compared that begin with a leaf of their own. Compiled code that takes cell after
# cell was not twice as fast, and has to be compiled.


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
