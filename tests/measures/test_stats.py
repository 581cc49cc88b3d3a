"""Statistics that add up, and what is made of sums."""

from dataclasses import dataclass

import numpy as np
import pytest

from helpers.cases import each_case
from spacy_chance_eval.measures.arrays import distinct
from spacy_chance_eval.measures.matching import Hits
from spacy_chance_eval.measures.slicm import Prior
from spacy_chance_eval.measures.stats import Additive, chance_corrected, ratio, stack


@dataclass(frozen=True, eq=False)
class Counts(Additive):
    ones: np.ndarray
    halves: np.ndarray


def counts():
    return Counts(np.array([[1, 2], [3, 4], [5, 6]]), np.array([[0.5, 1.5], [0, 2], [1, 1]]))


def test_statistics_are_summed_picked_and_added_field_by_field():
    one = counts()
    assert one.total().ones.tolist() == [9, 12]
    assert one.total().halves.tolist() == [1.5, 4.5]
    assert one.pooled().ones.tolist() == [[3], [7], [11]]
    assert one.total().pooled().ones.tolist() == [21]
    assert one[1].ones.tolist() == [3, 4]
    assert one[[2, 0]].halves.tolist() == [[1, 1], [0.5, 1.5]]
    assert (one + one).ones.tolist() == [[2, 4], [6, 8], [10, 12]]
    for statistics in (one.total(), one.pooled(), one + one, one[1:]):
        assert statistics.ones.dtype == np.int64
        assert statistics.halves.dtype == np.float64
    with pytest.raises(TypeError, match="cannot add Prior to Counts"):
        one + Prior(np.zeros(2))
    with pytest.raises(AttributeError):
        one.ones = np.zeros(2)


def test_stack_puts_a_new_axis_in_front():
    stacked = stack([counts(), counts().each(lambda array: 2 * array)])
    assert stacked.ones.shape == (2, 3, 2)
    assert stacked.ones[1, 0].tolist() == [2, 4]


def test_a_shared_array_is_worked_on_once_and_stays_shared():
    correct, calls = np.ones((2, 1)), []
    hits = Hits(np.ones((2, 1)), correct, np.ones((2, 1)), correct)
    doubled = hits.each(lambda array: calls.append(1) or 2 * array)
    assert len(calls) == 3
    assert doubled.recalled is doubled.correct


def test_a_ratio_broadcasts_and_is_nan_and_silent_without_denominator():
    with np.errstate(all="raise"):
        actual = ratio(np.array([1, 0, 3]), np.array([2, 0, 0]))
    np.testing.assert_array_equal(actual, [0.5, np.nan, np.nan])
    assert ratio(np.ones((3, 1)), np.array([2, 4])).tolist() == [[0.5, 0.25]] * 3


@each_case(
    ("observed", "expected", "corrected"),
    [
        *[(1, 0.3, 1), (0.3, 0.3, 0), (0, 0.5, -1), (0.75, 0.5, 0.5), (0, 0, 0)],
        # undefined where chance is perfect or unknown
        *((1, expected, np.nan) for expected in (1, 1 - 1e-13, 1 + 1e-13, np.nan)),
        (np.nan, 0.2, np.nan),
    ],
)
def test_correction_puts_chance_at_0_and_perfection_at_1(observed, expected, corrected):
    assert chance_corrected(observed, expected) == pytest.approx(corrected, nan_ok=True)


# --- distinct values of arrays


RNG = np.random.default_rng(16)


@each_case("dtype", [np.int64, np.int32, np.uint64, np.intp])
@each_case("shape", [0, 1, 50, (20, 3)])
def test_distinct_values_are_those_of_numpy(dtype, shape):
    values = RNG.integers(0, 30, shape).astype(dtype)
    expected = np.unique(values)
    found = distinct(values)
    assert found.tolist() == expected.tolist() and found.dtype == expected.dtype


def test_distinct_values_of_records_and_of_several_arrays_are_those_of_numpy():
    values = RNG.integers(0, 3, (20, 2)).view("i8,i8").ravel()
    assert distinct(values).tolist() == np.unique(values).tolist()
    one, two = RNG.integers(-9, 9, (2, 12))
    assert distinct(one, two).tolist() == np.union1d(one, two).tolist()
