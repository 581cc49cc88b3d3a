"""The compiled back end of `tree_edit`: the same recursion, one pair of forests after the other.

Needs numba (extra `fast`). Compiled code is cached on disk, so that only the first run waits for
it.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array, BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from .tree_edit import Part


def fill_compiled(
    out: Array, rows: "Part", order: IntArray, *columns: Array | FloatArray | None
) -> None:
    """`tree_edit._fill` as machine code."""
    own = rows.less, rows.rest, rows.last, rows.top, rows.single
    compiled(_fill)(out, order, *own, *columns)


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
    order: IntArray,
    less: IntArray,
    rest: IntArray,
    last: IntArray,
    top: IntArray,
    single: BoolArray,
    less2: IntArray,
    rest2: IntArray,
    last2: IntArray,
    inside2: IntArray,
    top2: IntArray,
    nodes2: IntArray,
    credit: FloatArray | None,
) -> None:
    """Fill the table of pairs of forests, row by row; each loop becomes vectors or is short."""
    n = len(less2)
    save = np.zeros(n, out.dtype)  # apart from the table, so that loops become vectors
    for row in order:
        before = out[less[row]]
        if single[row]:
            label = top[row]
            if credit is None:
                for column in range(1, n):
                    save[column] = before[inside2[column]] + 1 + (label == top2[column])
            else:
                for column in range(1, n):
                    save[column] = before[inside2[column]] + credit[label, top2[column]]
        else:
            left, right = out[rest[row]], out[last[row]]
            for column in range(1, n):
                save[column] = left[rest2[column]] + right[last2[column]]
        for column in range(1, n):
            save[column] = max(save[column], before[column])
        for column in range(1, n):
            save[column] = max(save[column], save[less2[column]])
        out[row] = save
