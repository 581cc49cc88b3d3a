"""`Statistics`: the counts of a metric, and the scores of their sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..measures.arrays import Array, FloatArray
from ..measures.resampling import arrays_of
from ..measures.stats import Additive, Divided, chance_corrected, combined
from ..metrics.request import Request, Scorer

# "observed" and, of metrics with correction for chance, "expected" and "corrected"
Scores: TypeAlias = dict[str, FloatArray]
NAMES = ("observed", "expected", "corrected")
SCORED = (*NAMES, "low", "high", "observed_low", "observed_high")  # of rows with intervals
SMALLER = (np.int8, np.int16, np.int32)
CROSSED = "a token in units of several labels has no single value; each label is rated by itself"
LARGE = 2**31  # floats beyond are left alone: sums of them are not meant to be whole numbers


@dataclass(frozen=True)
class Statistics:
    """The counts behind a score: a row for each document, or one for all of them.

    Parameters
    ----------
    expected : Additive, optional
        Expected under the chance model; None without one.
    totals : Additive, optional
        Sums over the documents for each random annotation, where some were drawn.
    exact : bool
        Whether `expected` comes from a formula.
    """

    observed: Additive
    expected: Additive | None = None
    totals: Additive | None = None
    exact: bool = True

    @property
    def is_crossed(self) -> bool:
        """Whether all labels together have no value since units overlap; see `u_alpha`."""
        whole = self.observed.whole if isinstance(self.observed, Divided) else None
        arrays = arrays_of(whole) if whole is not None else []
        return any(bool(np.isnan(one).any()) for one in arrays if one.dtype.kind == "f")

    def parts(self) -> list[Additive]:
        """Observed statistics, then the expected ones if there are any."""
        return [self.observed] if self.expected is None else [self.observed, self.expected]

    def each(self, function: Callable[[Additive], Additive]) -> Statistics:
        """The same with `function` applied to each of `parts`, in order; `totals` are left out."""
        observed = function(self.observed)
        expected = None if self.expected is None else function(self.expected)
        return Statistics(observed, expected, exact=self.exact)

    def arrays(self, function: Callable[[Array], Array]) -> Statistics:
        """The same with `function` applied to every array of both parts."""
        return self.each(lambda part: part.each(function))

    def total(self) -> Statistics:
        """Sums over the documents."""
        return self.each(lambda part: part.total())

    def pooled(self) -> Statistics:
        """All labels together."""
        return self.each(lambda part: part.pooled())

    def by_label(self) -> Statistics:
        """Every label by itself."""
        return self.each(lambda part: part.by_label())


def add_statistics(one: Statistics, two: Statistics) -> Statistics:
    """The sum of two `Statistics` of the same kind."""
    expected = None
    if one.expected is not None and two.expected is not None:
        expected = one.expected + two.expected
    return Statistics(one.observed + two.observed, expected)


def merged_statistics(statistics: Sequence[Statistics], join: Callable[..., Array]) -> Statistics:
    """One `Statistics` of several; `join` makes one array of many."""
    first = statistics[0]
    observed = combined([one.observed for one in statistics], join)
    if first.expected is None:
        return Statistics(observed, exact=first.exact)
    expected = [one.expected for one in statistics if one.expected is not None]
    return Statistics(observed, combined(expected, join), exact=first.exact)


def columns(score: Scorer, statistics: Statistics) -> Scores:
    """Observed, expected and corrected score; without correction for chance observed alone.

    For coefficients based on disagreement, both scores are 1 minus the disagreement.
    """
    if score.parts is not None:
        observed, expected = score.parts(statistics.observed)
        if score.disagreement:
            observed, expected = 1 - observed, 1 - expected
        corrected = score(statistics.observed)
        return {"observed": observed, "expected": expected, "corrected": corrected}
    observed = score(statistics.observed)
    if statistics.expected is None:
        return {"observed": observed}
    expected = score(statistics.expected)
    corrected = chance_corrected(observed, expected)
    return {"observed": observed, "expected": expected, "corrected": corrected}


def headline_name(scores: Mapping[str, Any]) -> str:
    """The name of the score that ranks, intervals and verdicts go by.

    A corrected score that is undefined stays the headline: the observed one never stands for it.

    Parameters
    ----------
    scores : mapping
        A row of scores, or columns of them; those without correction for chance lack "corrected".
    """
    return "corrected" if "corrected" in scores else "observed"


def headline(scores: Mapping[str, Any]) -> Any:
    """The score that ranks, intervals and verdicts go by; see `headline_name`."""
    return scores[headline_name(scores)]


def total_and_labels(score: Scorer, statistics: Statistics) -> Scores:
    """`columns` of all labels together, then of each: arrays of shape (..., 1 + n_labels)."""
    whole, labels = (columns(score, side) for side in (statistics.pooled(), statistics.by_label()))
    return {name: np.concatenate([whole[name], labels[name]], axis=-1) for name in whole}


def disagreement_notes(requests: Mapping[str, Request]) -> Iterator[str]:
    """A note on the metrics based on disagreement, for tables of agreement, if there are any."""
    names = [name for name, request in requests.items() if request.row.disagreement]
    if names:
        yield (
            f"{', '.join(names)}: based on disagreement, 1 - D_o / D_e; observed is 1 - D_o, "
            "expected is 1 - D_e."
        )


def disagreements(row: Mapping[str, Any], request: Request) -> dict[str, Any]:
    """Observed and expected disagreement of a row of scores; empty for other metrics.

    Coefficients such as alpha are 1 - observed / expected disagreement.
    """
    if not request.row.disagreement:
        return {}
    return {
        f"{key}_disagreement": None if row[key] is None else 1 - row[key]
        for key in ("observed", "expected")
    }


def plain(number: Any) -> Any:
    """A plain Python number, ready for JSON; None for nan."""
    if number is None or isinstance(number, tuple):
        return number
    number = number.item() if isinstance(number, (np.generic, np.ndarray)) else number
    return None if number != number else number


def n_rows(statistics: Sequence[Statistics]) -> int:
    """Number of rows of some statistics of the same documents."""
    return len(arrays_of(statistics[0].observed)[0])


def fewer_bytes(array: Array) -> Array:
    """The same numbers; whole ones as integers in as few bytes as hold them and their negatives."""
    if array.dtype.kind == "f" and array.size and np.abs(array).max() < LARGE:
        whole = array.astype(np.int64)
        array = whole if (whole == array).all() else array
    if array.dtype.kind != "i" or not array.size:
        return array
    most = max(int(array.max()), -int(array.min()))
    return array.astype(next((kind for kind in SMALLER if most <= np.iinfo(kind).max), array.dtype))


def wide(array: Array) -> Array:
    """Integers as int64, in which they can be multiplied and added up; floats as they are."""
    return array.astype(np.int64, copy=False) if array.dtype.kind == "i" else array


def row_of(columns: Mapping[str, Array], index: int) -> dict[str, object]:
    """One entry of every column, as plain numbers."""
    return {name: plain(column[index]) for name, column in columns.items()}
