"""The compiled back end of `tree_edit`: the same recursion, one pair of forests after the other.

Needs numba (extra `fast`). Compiled code is cached on disk, so that only the first run waits for
it.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Array, FloatArray, IntArray

if TYPE_CHECKING:
    from .tree_edit import Part

LARGE = 64_000_000  # pairs of forests
AT_ONCE = 4  # columns that `_fill` works on


def savings(
    rows: "Part", columns: "Part", credit: FloatArray | None, dtype: np.dtype[Any]
) -> Array:
    """What pairs of trees of two `Part`s save: shape (n_rows, n_columns).

    The table of pairs of forests is filled column by column: what a column looks up is in a few
    others, which fit into the fastest cache. Rows come by size, trees after other forests.
    """
    level = 2 * rows.nodes + rows.single
    order = np.argsort(level, kind="stable")
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order))
    bounds = np.searchsorted(level[order], np.arange(2, level.max() + 2))
    sides: list[IntArray] = [place[column[order]] for column in (rows.less, rows.rest, rows.last)]
    sides += [rows.top[order], np.append(bounds, len(order))]
    more = -(len(columns) - 1) % AT_ONCE  # columns that complete the last group
    others = [
        np.append(column, np.zeros(more, column.dtype))
        for column in (columns.less, columns.rest, columns.last, columns.inside, columns.top)
    ]
    shape = len(columns) + more, len(rows)
    if credit is None:  # shorter numbers are slower, and only for tables that are large
        short = np.promote_types(dtype, np.uint16)
        dtype = np.dtype(np.uint32) if shape[0] * shape[1] < LARGE else short
    out = np.zeros(shape, dtype)
    if credit is None:
        _run(_fill, out, *sides, *others)
    else:
        _run(_fill_by_costs, out, *sides, *others, credit)
    save: Array = out[np.ix_(columns.roots, place[rows.roots])].T
    return save


def _run(function: Callable[..., None], *arguments: Array) -> None:
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
    less: IntArray,
    rest: IntArray,
    last: IntArray,
    top: IntArray,
    bounds: IntArray,
    less2: IntArray,
    rest2: IntArray,
    last2: IntArray,
    inside2: IntArray,
    top2: IntArray,
) -> None:
    """With unit costs; four columns at once, as they look up the same of a row.

    A later one of the four may need what an earlier one has just got in the same row or before.
    Rows from bounds[2 k] on are several trees, from bounds[2 k + 1] on trees of the same size.
    """
    for g in range(1, len(less2), 4):
        here0, here1, here2, here3 = out[g], out[g + 1], out[g + 2], out[g + 3]
        l0, l1, l2, l3 = less2[g], less2[g + 1], less2[g + 2], less2[g + 3]
        before0, before1, before2, before3 = out[l0], out[l1], out[l2], out[l3]
        l0, l1, l2, l3 = inside2[g], inside2[g + 1], inside2[g + 2], inside2[g + 3]
        below0, below1, below2, below3 = out[l0], out[l1], out[l2], out[l3]
        l0, l1, l2, l3 = rest2[g], rest2[g + 1], rest2[g + 2], rest2[g + 3]
        left0, left1, left2, left3 = out[l0], out[l1], out[l2], out[l3]
        l0, l1, l2, l3 = last2[g], last2[g + 1], last2[g + 2], last2[g + 3]
        right0, right1, right2, right3 = out[l0], out[l1], out[l2], out[l3]
        top_0, top_1, top_2, top_3 = top2[g], top2[g + 1], top2[g + 2], top2[g + 3]
        for k in range(0, len(bounds) - 2, 2):
            for row in range(bounds[k], bounds[k + 1]):
                l0, one, two = less[row], rest[row], last[row]
                here0[row] = max(max(left0[one] + right0[two], before0[row]), here0[l0])
                here1[row] = max(max(left1[one] + right1[two], before1[row]), here1[l0])
                here2[row] = max(max(left2[one] + right2[two], before2[row]), here2[l0])
                here3[row] = max(max(left3[one] + right3[two], before3[row]), here3[l0])
            for row in range(bounds[k + 1], bounds[k + 2]):
                l0, label = less[row], top[row]
                here0[row] = max(max(below0[l0] + 1 + (label == top_0), before0[row]), here0[l0])
                here1[row] = max(max(below1[l0] + 1 + (label == top_1), before1[row]), here1[l0])
                here2[row] = max(max(below2[l0] + 1 + (label == top_2), before2[row]), here2[l0])
                here3[row] = max(max(below3[l0] + 1 + (label == top_3), before3[row]), here3[l0])


def _fill_by_costs(
    out: Array,
    less: IntArray,
    rest: IntArray,
    last: IntArray,
    top: IntArray,
    bounds: IntArray,
    less2: IntArray,
    rest2: IntArray,
    last2: IntArray,
    inside2: IntArray,
    top2: IntArray,
    credit: FloatArray,
) -> None:
    """With costs of their own for pairs of labels."""
    for g in range(1, len(less2)):
        here, before, inside, saves = out[g], out[less2[g]], out[inside2[g]], credit[top2[g]]
        left, right = out[rest2[g]], out[last2[g]]
        for k in range(0, len(bounds) - 2, 2):
            for row in range(bounds[k], bounds[k + 1]):
                save = left[rest[row]] + right[last[row]]
                here[row] = max(save, before[row], here[less[row]])
            for row in range(bounds[k + 1], bounds[k + 2]):
                save = inside[less[row]] + saves[top[row]]
                here[row] = max(save, before[row], here[less[row]])
