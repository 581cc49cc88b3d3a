"""Types of arrays, as signatures name them."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]  # counts are integers, their weighted sums are floats
FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
ComplexArray: TypeAlias = NDArray[np.complex128]
KeyArray: TypeAlias = NDArray[np.uint64]  # 64 bits that identify the content of a document
Index: TypeAlias = None | int | slice | Sequence[int] | Array  # of the first axis of an array
