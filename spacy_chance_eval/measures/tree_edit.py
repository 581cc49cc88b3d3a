"""Tree edit distance (Zhang and Shasha 1989), of all pairs of many trees at once.

Worked out as what two forests save: with unit costs, d(F, G) = |F| + |G| - s(F, G), where s counts
2 for each pair of nodes that an optimal mapping pairs with equal labels and 1 with different ones.
With the forests that `Forests` names, and s = 0 where one is empty,

    s(F, G) = max of  s(less F, G),  s(F, less G),  and
                      s(inside F, inside G) + credit(top F, top G)        if both are trees,
                      s(rest F, rest G) + s(last F, last G)               otherwise.

For a tree F and any G the last line may also read s(inside F, inside G) + credit(top F, top G):
whatever stands left of the last tree of G is not paired. So all G are one step of arrays, but for
s(F, less G), which is a running maximum along the chain of `less`.

The result is the same whatever the back end: integers.
"""

from importlib.util import find_spec

import numpy as np

from .forests import forests as forests_of
from .threads import in_threads, n_cores

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


def table_of(backend):
    """The function that works out what pairs of trees save."""
    if backend_of(backend) == "numpy":
        return saved
    from .tree_edit_numba import saved as compiled

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
    >>> from spacy_chance_eval.measures.trees import Trees
    >>> one = Trees.from_heads([[2, 0, 4, 2]], [["A", "B", "C", "D"]])
    >>> two = Trees.from_heads([[2, 0, 2, 2]], [["A", "B", "C", "D"]])
    >>> tree_edit_distances(one, two).tolist()
    [2]
    """
    found, numbers = forests_of([first, second])
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
    credit, dtype = credit_of(found, costs)
    check_sizes(found)
    table, watch = table_of(backend), progress or (lambda steps, total=None, what="": steps)
    blocks = list(tiles(found, CELLS // dtype.itemsize))

    def measured(block):
        rows, columns, part = block
        mine = found.part(range(rows.start, rows.stop))
        theirs = part.head(columns.stop - columns.start)
        return rows, columns, distances(mine, theirs, credit, dtype, table)

    steps = in_threads(measured, with_parts(found, blocks), threads or THREADS)
    yield from watch(steps, len(blocks), "Pairs of trees")


def tiles(found, cells):
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


def with_parts(found, blocks):
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
    credit, dtype = credit_of(found, costs)
    check_sizes(found)
    table, watch = table_of(backend), progress or (lambda steps, total=None, what="": steps)
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
        out[mine] = distances(*parts, credit, dtype, table)[row, column]

    steps = list(zip(blocks, [0, *ends[:-1]], ends))
    size = 1 + len(steps) // (TASKS * THREADS)  # a thread gets several of many short steps
    tasks = [steps[start : start + size] for start in range(0, len(steps), size)]

    def done(task):
        for step in task:
            measured(*step)

    for _ in watch(in_threads(done, tasks, THREADS), len(tasks), "Pairs"):
        pass
    return out


def check_sizes(found):
    """Raise for trees whose table of pairs of forests no machine should hold."""
    tree = int(np.argmax(found.n_members())) if found.n_trees else 0
    count = int(found.n_members().max(initial=0))
    if count > MOST:
        nodes = int(found.nodes[found.roots[tree]])
        raise ValueError(
            f"a tree of {nodes} nodes leads to {count} forests, more than the {MOST} that tree "
            "edit distance is worked out for; divide it into sentences, or use pq_alpha"
        )


def credit_of(found, costs):
    """(credit by two labels or None for unit costs, smallest dtype that can hold what is saved)."""
    if costs is not None:
        return credit_table(costs, found.n_labels), np.dtype(np.float64)
    most = 2 * int(found.nodes.max(initial=0))
    return None, np.min_scalar_type(most)


def credit_table(costs, n_labels):
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


def distances(rows, columns, credit, dtype, table):
    """The distances of the trees of two `Part`s: shape (n_rows, n_columns)."""
    save = table(rows, columns, credit, dtype)
    total = rows.nodes[rows.roots][:, None] + columns.nodes[columns.roots]
    return total - save.astype(total.dtype if credit is None else np.float64)


def saved(rows, columns, credit, dtype):
    """s of the trees of two `Part`s, by numpy: forests of one size and kind at a time."""
    turn = np.argsort(columns.nodes, kind="stable")
    place = np.empty_like(turn)
    place[turn] = np.arange(len(turn))
    less, rest, last, inside = (
        place[column[turn]] for column in (columns.less, columns.rest, columns.last, columns.inside)
    )
    top, climb = columns.top[turn], climber(columns.nodes[turn], less)
    level = 2 * rows.nodes + rows.single
    order = np.argsort(level, kind="stable")[1:]
    out = np.zeros((len(rows), len(columns)), dtype)
    for mine in np.split(order, np.flatnonzero(np.diff(level[order])) + 1):
        if not len(mine):
            continue
        before = out[rows.less[mine]]
        if rows.single[mine[0]]:
            found = before.take(inside, axis=1)
            found += credits(rows.top[mine], top, credit, dtype)
        else:
            found = out[rows.rest[mine]].take(rest, axis=1)
            found += out[rows.last[mine]].take(last, axis=1)
        np.maximum(found, before, out=found)
        found[:, 0] = 0
        climb(found)
        out[mine] = found
    return out[np.ix_(rows.roots, place[columns.roots])]


def credits(tops, others, credit, dtype):
    """What pairs of roots save: 2 for equal labels, else 1; or what a table says."""
    if credit is None:
        return (tops[:, None] == others).astype(dtype) + dtype.type(1)
    return credit[tops[:, None], others]  # the column of the empty forest is overwritten


def climber(nodes, less):
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
