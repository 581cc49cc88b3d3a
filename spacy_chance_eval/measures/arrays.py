"""Types that signatures name: arrays, and the callback of long work."""

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


class Progress(Protocol):
    """Wraps the steps of long work, to show its progress."""

    def __call__(self, steps: Iterable[S], /, total: int | None, what: str) -> Iterable[S]:
        """The same steps; `total` is their number, if it is known; `what` names the work."""
