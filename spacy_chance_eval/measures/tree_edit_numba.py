"""The compiled back end of `tree_edit`: the same recursion, one pair of forests after the other.

Needs numba (extra `fast`). Compiled code is kept on disk, so that only the first run waits for it.
"""

from functools import cache

import numpy as np


def saved(rows, columns, credit, dtype):
    """s of all forests of two `Part`s: as `tree_edit.saved` makes it.

    The table is filled column by column: what a column looks up is in a few others, which fit the
    fastest cache.
    """
    out = np.zeros((len(columns), len(rows)), np.promote_types(dtype, np.int16))  # bytes are slow
    sides = (rows.less, rows.rest, rows.last, rows.top, rows.single)
    others = (columns.less, columns.rest, columns.last, columns.inside, columns.top)
    if credit is None:
        compiled(fill)(out, *sides, *others)
    else:
        compiled(fill_by_costs)(out, *sides, *others, credit)
    return out.T


@cache
def compiled(function):
    """A function as machine code, which does not hold up other threads."""
    from numba import njit

    return njit(nogil=True, cache=True)(function)


def fill(out, less, rest, last, top, single, less2, rest2, last2, inside2, top2):
    """With unit costs."""
    for g in range(1, len(less2)):
        here, before, inside, label = out[g], out[less2[g]], out[inside2[g]], top2[g]
        left, right = out[rest2[g]], out[last2[g]]
        for row in range(1, len(less)):
            if single[row]:
                save = inside[less[row]] + (2 if top[row] == label else 1)
            else:
                save = left[rest[row]] + right[last[row]]
            save = max(save, before[row])
            here[row] = max(save, here[less[row]])


def fill_by_costs(out, less, rest, last, top, single, less2, rest2, last2, inside2, top2, credit):
    """With costs of their own for pairs of labels."""
    for g in range(1, len(less2)):
        here, before, inside, saves = out[g], out[less2[g]], out[inside2[g]], credit[top2[g]]
        left, right = out[rest2[g]], out[last2[g]]
        for row in range(1, len(less)):
            if single[row]:
                save = inside[less[row]] + saves[top[row]]
            else:
                save = left[rest[row]] + right[last[row]]
            here[row] = max(save, before[row], here[less[row]])
