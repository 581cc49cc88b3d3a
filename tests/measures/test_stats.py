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


def test_the_total_sums_over_documents():
    total = counts().total()
    assert total.ones.tolist() == [9, 12]
    assert total.halves.tolist() == [1.5, 4.5]


def test_sums_of_integers_stay_integers():
    one = counts()
    for statistics in (one.total(), one.pooled(), one + one, one[1:]):
        assert statistics.ones.dtype == np.int64
        assert statistics.halves.dtype == np.float64


def test_pooled_keeps_an_axis_for_the_labels():
    assert counts().pooled().ones.tolist() == [[3], [7], [11]]
    assert counts().total().pooled().ones.tolist() == [21]


def test_an_index_picks_documents():
    assert counts()[1].ones.tolist() == [3, 4]
    assert counts()[[2, 0]].halves.tolist() == [[1, 1], [0.5, 1.5]]


def test_statistics_add_up_field_by_field():
    assert (counts() + counts()).ones.tolist() == [[2, 4], [6, 8], [10, 12]]


def test_statistics_of_different_kinds_do_not_add():
    with pytest.raises(TypeError, match="cannot add Prior to Counts"):
        counts() + Prior(np.zeros(2))


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


def test_a_ratio_without_denominator_is_nan_and_silent():
    with np.errstate(all="raise"):
        actual = ratio(np.array([1, 0, 3]), np.array([2, 0, 0]))
    np.testing.assert_array_equal(actual, [0.5, np.nan, np.nan])


def test_a_ratio_broadcasts():
    assert ratio(np.ones((3, 1)), np.array([2, 4])).tolist() == [[0.5, 0.25]] * 3


@each_case(
    ("observed", "expected", "corrected"),
    [(1, 0.3, 1), (0.3, 0.3, 0), (0, 0.5, -1), (0.75, 0.5, 0.5), (0, 0, 0)],
)
def test_correction_puts_chance_at_0_and_perfection_at_1(observed, expected, corrected):
    assert chance_corrected(observed, expected) == pytest.approx(corrected)


@pytest.mark.parametrize("expected", [1, 1 - 1e-13, 1 + 1e-13, np.nan])
def test_correction_is_undefined_where_chance_is_perfect_or_unknown(expected):
    assert np.isnan(chance_corrected(1.0, expected))


def test_correction_of_an_undefined_score_is_undefined():
    assert np.isnan(chance_corrected(np.nan, 0.2))


def test_statistics_cannot_be_changed():
    with pytest.raises(AttributeError):
        counts().ones = np.zeros(2)


# --- distinct values of arrays


RNG = np.random.default_rng(16)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, np.intp])
@pytest.mark.parametrize("shape", [0, 1, 50, (20, 3)], ids=str)
def test_distinct_values_are_those_of_numpy(dtype, shape):
    values = RNG.integers(0, 30, shape).astype(dtype)
    expected = np.unique(values)
    found = distinct(values)
    assert found.tolist() == expected.tolist() and found.dtype == expected.dtype


def test_distinct_records_are_those_of_numpy():
    values = RNG.integers(0, 3, (20, 2)).view("i8,i8").ravel()
    assert distinct(values).tolist() == np.unique(values).tolist()


def test_distinct_values_of_several_arrays_are_their_union():
    one, two = RNG.integers(-9, 9, (2, 12))
    assert distinct(one, two).tolist() == np.union1d(one, two).tolist()
