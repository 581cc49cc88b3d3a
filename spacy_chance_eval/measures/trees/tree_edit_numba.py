"""The compiled back end of `tree_edit`: the same recursion, one pair of forests after the other.

Needs numba (extra `fast`). Compiled code is cached on disk, so that only the first run waits for
it.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Array, BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from .tree_edit import Part


def savings(
    rows: "Part", columns: "Part", credit: FloatArray | None, dtype: np.dtype[Any]
) -> Array:
    """Savings of pairs of trees of two `Part`s: shape (n_rows, n_columns).

    The table of pairs of forests is filled column by column, in vectors of short numbers. Rows are
    ordered by size, then by the forest that remains without the last root. A value that several
    columns need from the same other column is looked up once.
    """
    ids, bounds = _chains(rows)
    place = np.zeros(len(rows), np.uint32)  # unsigned: compiled code need not check the sign
    place[ids] = np.arange(len(ids))
    single = np.flatnonzero(columns.single)
    used = np.unique(columns.rest)
    matched, left = np.zeros((2, len(columns)), np.uint32)
    matched[single], left[used] = np.arange(len(single)), np.arange(len(used))
    out, *kept = (np.empty((n, len(ids)), dtype) for n in (len(columns), len(single), len(used)))
    out[0] = kept[1][0] = 0  # the empty forest
    _run(
        _fill,
        out,
        *kept,
        *(place[column[ids]] for column in (rows.rest, rows.inside)),
        rows.top[ids],
        bounds,
        *(columns.less, columns.rest, columns.last, columns.inside, columns.top),
        matched,
        left,
        np.isin(np.arange(len(columns)), used),
        credit,
    )
    save: Array = out[np.ix_(columns.roots, place[rows.roots])].T
    return save


def _chains(part: "Part") -> tuple[IntArray, IntArray]:
    """The forests of a part by size, and where each size begins.

    Those of a size are what remains of the first ones of the next size without their last root.
    Forests that remain of several are there several times.
    """
    ends = np.ones(len(part), bool)
    ends[part.less] = False
    ids = np.flatnonzero(ends)
    ids = ids[np.argsort(-part.nodes[ids], kind="stable")]
    count = np.cumsum(np.bincount(part.nodes[ids])[::-1])[::-1]  # of at least this size
    levels = [np.zeros(0, np.int64)]
    for n in count[:0:-1]:
        levels.append(np.concatenate([part.less[levels[-1]], ids[len(levels[-1]) : n]]))
    levels[0] = np.zeros(1, np.int64)
    levels[1:] = levels[:0:-1]
    return np.concatenate(levels), np.cumsum([0, *map(len, levels)])


def _run(function: Callable[..., None], *arguments: Array | None) -> None:
    """Run a function as machine code."""
    kernel = compiled(function)
    try:
        kernel(*arguments)
    except OSError:  # the disk is full: the code cannot be kept there, but is in memory by now
        kernel(*arguments)


@cache
def compiled(function: Callable[..., None]) -> Callable[..., None]:
    """A function as machine code, which releases the interpreter lock."""
    from numba import njit

    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:  # neither the package nor the home directory can be written to
        return njit(nogil=True)(function)


def _fill(
    out: Array,
    matches: Array,
    lefts: Array,
    rest: IntArray,
    inside: IntArray,
    top: IntArray,
    bounds: IntArray,
    less2: IntArray,
    rest2: IntArray,
    last2: IntArray,
    inside2: IntArray,
    top2: IntArray,
    matched: IntArray,
    left: IntArray,
    used: BoolArray,
    credit: FloatArray | None,
) -> None:
    """Fill the table of pairs of forests.

    `matches` is the saving of a column that is one tree where its root and the last root of a row
    are a pair, without nodes before them; `lefts` the column that is a forest in the rows that are
    left without their last trees. Their rows for a column are numbered by `matched` and `left`.
    """
    n = len(rest)
    save = np.zeros(n, out.dtype)  # apart from the table, so that loops become vectors
    for column in range(1, len(less2)):
        here, before = out[column], out[less2[column]]
        match, before_it = matches[matched[last2[column]]], lefts[left[rest2[column]]]
        if last2[column] == column:
            below, label = out[inside2[column]], top2[column]
            for row in range(n):
                match[row] = below[inside[row]]
            if credit is None:
                for row in range(n):
                    match[row] += 1 + (top[row] == label)
            else:
                for row in range(n):
                    match[row] += credit[top[row], label]
        for row in range(n):
            save[row] = before_it[row] + match[row]
        for row in range(n):
            save[row] = max(save[row], before[row])
        save[0] = 0
        for size in range(2, len(bounds) - 1):
            above, own = save[bounds[size - 1] :], save[bounds[size] : bounds[size + 1]]
            for row in range(len(own)):
                own[row] = max(own[row], above[row])
        for row in range(n):
            here[row] = save[row]
        if used[column]:
            mine = lefts[left[column]]
            for row in range(n):
                mine[row] = save[rest[row]]
