"""Types that signatures name: arrays, and the callback of long work. What numpy does slowly."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]  # counts are integers, their weighted sums are floats
FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
ComplexArray: TypeAlias = NDArray[np.complex128]
KeyArray: TypeAlias = NDArray[np.uint64]  # 64 bits that identify the content of a document
Index: TypeAlias = None | int | slice | Sequence[int] | Array  # of the first axis of an array

S = TypeVar("S")
A = TypeVar("A", bound=np.generic)


def distinct(*values: NDArray[A]) -> NDArray[A]:
    """The values of some arrays of integers, or of records of them, sorted, each once.

    `numpy.unique` hashes integers since numpy 2.3: a million different ones take 50 times as long
    as sorting them. It also loads `numpy.ma`, which a short command would wait for.
    """
    ordered = np.sort(np.concatenate([np.ravel(one) for one in values]))
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


def stable_order(*columns: IntArray) -> IntArray:
    """The order of rows of integers, the first column first; rows that are equal keep theirs.

    As `numpy.lexsort` of the columns, the last one first. One number for each row, with the row in
    its low bits, is sorted as such: numpy does that with vector instructions, 15 times as fast as
    `argsort`.
    """
    n_rows = len(columns[0])
    code, n_codes, row_bits = np.zeros(n_rows, np.int64), 1, n_rows.bit_length()
    for column in columns:
        low = column.min(initial=0)
        size = int(column.max(initial=0) - low) + 1
        n_codes *= size
        if n_codes > 1 << (62 - row_bits):  # no number of 64 bits
            return np.lexsort(columns[::-1])
        code = code * size + (column - low)
    return np.sort(code << row_bits | np.arange(n_rows)) & (1 << row_bits) - 1


class Progress(Protocol):
    """Wraps the steps of long work, to show its progress."""

    def __call__(self, steps: Iterable[S], /, total: int | None, what: str) -> Iterable[S]:
        """The same steps; `total` is their number, if it is known; `what` names the work."""


# --- memory
#
# Work is done in parts of bounded memory; what each resample, draw or run leaves (its scores) is
# kept until the end. That is what is counted here, before it is allocated.

# Bytes. The same on every machine, so that a command that works on one works on another; small
# enough for the machines that CI runs on.
LIMIT = 4_000_000_000
DRAW = 600  # that the sums of a random annotation take beside their numbers


def check_memory(name: str, number: int, each: float, what: str = "") -> None:
    """Raise unless all that a number of resamples, draws or runs leave fits into `LIMIT`.

    Parameters
    ----------
    name : str
        Of the argument or option, such as "resamples".
    number : int
        Its value.
    each : float
        Bytes kept for each one.
    what : str
        Beside the number, the reason for these bytes: "for 10,001 labels of 12 systems".

    Examples
    --------
    >>> check_memory("resamples", 10**7, 80)
    >>> check_memory("runs", 10**9, 80)
    Traceback (most recent call last):
    ValueError: runs is 1,000,000,000, which takes 80.0 GB of memory; expected at most \
50,000,000, which fit into 4 GB
    """
    if number * each <= LIMIT:
        return
    reason = f" {what}" if what else ""
    raise ValueError(
        f"{name} is {number:,}, which takes {number * each / 1e9:,.1f} GB of memory{reason}; "
        f"expected at most {int(LIMIT // each):,}, which fit into {LIMIT / 1e9:.0f} GB"
    )


def is_share(value: Any) -> bool:
    """Whether something is a number between 0 and 1."""
    return isinstance(value, (int, float, np.number)) and bool(0 < value < 1)
