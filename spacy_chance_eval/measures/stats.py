"""Statistics that add up, and the two operations that turn sums into scores."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, FloatArray, Index

BLOCK = 1024  # rows of a part that is added up first

A = TypeVar("A", bound="Additive")
Kind = TypeVar("Kind", bound="Valued")


@dataclass(frozen=True, eq=False)
class Additive:
    """Sums from which scores are made. Fields are arrays of shape (..., n_labels).

    In front of the labels stand documents, resamples, draws or nothing. A field may share its
    array with another one; shared arrays are summed once. `fixed` names those that are a prior of
    the corpus: they do not change.
    """

    fixed: ClassVar[tuple[str, ...]] = ()

    def each(self: A, function: Callable[[Array], Array]) -> A:
        """The same statistics with `function` applied to every array."""
        done: dict[int, Array] = {}
        found: list[Any] = []
        for name, value in vars(self).items():
            if isinstance(value, Additive):
                value = value.each(function)
            elif name not in self.fixed:
                if id(value) not in done:
                    done[id(value)] = function(value)
                value = done[id(value)]
            found.append(value)
        return type(self)(*found)

    def total(self: A) -> A:
        """Sum over the first axis."""
        return self.each(_total)

    def pooled(self: A) -> A:
        """Sum over the labels, kept as an axis of length 1."""
        return self.each(lambda array: array.sum(axis=-1, keepdims=True))

    def by_label(self: A) -> A:
        """The statistics from which every label is scored separately."""
        return self

    def __getitem__(self: A, index: Index) -> A:
        return self.each(lambda array: array[index])

    def __add__(self: A, other: A) -> A:
        if type(self) is not type(other):
            raise TypeError(f"cannot add {type(other).__name__} to {type(self).__name__}")
        return combined([self, other], lambda pair: pair[0] + pair[1])


def _total(array: Array) -> Array:
    """Sum over the first axis; of many rows block by block, so that rounding does not pile up."""
    if len(array) > BLOCK and array.dtype.kind == "f":
        array = np.add.reduceat(array, np.arange(0, len(array), BLOCK), axis=0)
    total: Array = array.sum(axis=0)
    return total


@dataclass(frozen=True, eq=False)
class Valued(Additive):
    """Statistics with an axis of values behind the labels; they never pool by a sum."""

    def pooled(self: A) -> A:
        return self


@dataclass(frozen=True, eq=False)
class Divided(Additive, Generic[Kind]):
    """Statistics whose labels do not pool into those of all labels by a sum: both kinds.

    The arrays of `whole` have shape (..., 1) or (..., 1, n_values), those of `labels`
    (..., n_labels) or (..., n_labels, n_values): the same scores are made of both.
    """

    whole: Kind
    labels: Kind

    def pooled(self) -> Kind:  # type: ignore[override]  # here, all labels are not a sum
        return self.whole

    def by_label(self) -> Kind:  # type: ignore[override]  # nor each of them a part of it
        return self.labels


def stack(statistics: Iterable[A]) -> A:
    """Statistics of equal shape as one, with a new axis in front."""
    return combined(statistics, np.stack)


def combined(statistics: Iterable[A], function: Callable[[Sequence[Array]], Array]) -> A:
    """Several statistics of one kind as one; `function` makes one array of one array of each."""
    known: dict[tuple[int, ...], Array] = {}

    def combine(parts: list[Any]) -> Any:
        kind, found = type(parts[0]), []
        for name, first in vars(parts[0]).items():
            values = [getattr(part, name) for part in parts]
            if name in kind.fixed:
                check_fixed(name, values)
            elif isinstance(first, Additive):
                first = combine(values)
            else:
                key = tuple(map(id, values))
                if key not in known:
                    known[key] = function(values)
                first = known[key]
            found.append(first)
        return kind(*found)

    return cast(A, combine(list(statistics)))


def check_fixed(name: str, arrays: Sequence[Array]) -> None:
    """Raise unless statistics were counted with the same prior."""
    if not all(np.array_equal(arrays[0], array) for array in arrays[1:]):
        raise ValueError(
            f"statistics of different {name} do not add up; count all parts of a corpus with one "
            "table of values"
        )


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """numerator / denominator, broadcast; nan where the denominator is 0."""
    numerator, denominator = np.asarray(numerator, float), np.asarray(denominator, float)
    if (denominator != 0).all():  # as nearly always: no need to look at each
        return np.asarray(numerator / denominator)
    out = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


def mean_of_defined(values: ArrayLike) -> float:
    """Mean of the values that are not nan; nan if all are."""
    values = np.asarray(values)
    defined = values[~np.isnan(values)]
    return defined.mean() if len(defined) else np.nan


def chance_corrected(observed: ArrayLike, expected: ArrayLike) -> FloatArray:
    """A score corrected for chance: the share of the possible improvement on chance.

        (observed - expected) / (1 - expected)

    1 for perfect scores, 0 at chance, below 0 under it; nan where chance alone is perfect (an
    expectation within 1e-12 of 1 counts as that: it is a rounded sum).

    References
    ----------
    Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation"; Cohen (1960), "A
    coefficient of agreement for nominal scales".
    """
    expected = np.asarray(expected, float)
    room = np.asarray(1 - expected)
    certain = room < 1e-12
    if certain.any():
        room = np.where(certain, 0, room)
    return ratio(np.asarray(observed, float) - expected, room)
