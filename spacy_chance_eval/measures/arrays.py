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


class Progress(Protocol):
    """Wraps the steps of long work, to show its progress."""

    def __call__(self, steps: Iterable[S], /, total: int | None, what: str) -> Iterable[S]:
        """The same steps; `total` is their number, if it is known; `what` names the work."""
