"""One unit under the random annotation model, against enumeration and against draws."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from helpers import oracles
from helpers.cases import each_case
from helpers.strategies import (
    SIZES,
    expected_common,
    item_counts,
    multisets,
    placements,
    small_pairs,
    span_counts,
)
from spacy_chance_eval.measures.chance import model
from spacy_chance_eval.measures.chance.model import draw

DRAWS = 100_000
LARGE = [
    (12, (1, 4, 2)),
    (40, (3,) * 9),
    (60, (1, 5, 10, 15)),
    (30, (1,) * 20),
    (80, (2, 2, 3, 3, 7, 1, 1, 1)),
]


def floats(fractions):
    return np.array([float(x) for x in fractions])


def exact_coverage(model, n, lengths):
    probability, counts = item_counts(model, n, lengths, "IO")
    return [probability * counts[t, "I"] for t in range(n)]


@cache
def thrown(n, lengths, seed, placement="disjoint"):
    """Starts of many draws; the tests share them."""
    return draw(n, lengths, DRAWS, np.random.default_rng(seed), placement=placement)


def covered(starts, lengths, n):
    """Whether each token is covered, one row per draw."""
    marks = np.zeros((len(starts), n + 1), np.int64)
    rows = np.arange(len(starts))
    for column, length in zip(starts.T, lengths, strict=True):
        np.add.at(marks, (rows, column), 1)
        np.add.at(marks, (rows, column + length), -1)
    return marks.cumsum(axis=1)[:, :n] > 0


def assert_within_five_errors(sample, expected):
    """The mean over draws (first axis) is the expectation, up to 5 standard errors."""
    error = sample.std(axis=0, ddof=1) / np.sqrt(len(sample))
    np.testing.assert_array_less(np.abs(sample.mean(axis=0) - expected), 5 * error + 1e-4)


# --- every case with n <= 9 and k <= 3, in exact fractions


@each_case("n", SIZES)
def test_start_probabilities_are_those_of_the_enumeration(n):
    for lengths in multisets(n):
        probability, every = placements("disjoint", n, lengths)
        for i, actual in enumerate(model.start_probabilities(n, lengths)):
            counts = np.bincount([x[i][0] for x in every], minlength=n - lengths[i] + 1)
            exact = floats(probability * Fraction(int(count)) for count in counts)
            np.testing.assert_allclose(actual, exact, rtol=1e-12)


@each_case("n", SIZES)
def test_coverage_is_that_of_the_enumeration(n):
    for lengths in multisets(n):
        exact = floats(exact_coverage("disjoint", n, lengths))
        np.testing.assert_allclose(model.coverage(n, lengths), exact, atol=1e-13)


@each_case("n", SIZES)
def test_overlapping_coverage_is_that_of_the_enumeration(n):
    for lengths in multisets(n, disjoint=False):
        exact = floats(exact_coverage("overlapping", n, lengths))
        np.testing.assert_allclose(model.overlapping_coverage(n, lengths), exact, atol=1e-13)


def test_expected_token_overlap_is_that_of_the_enumeration():
    for n, one, two in small_pairs(sizes=range(1, 7)):
        sides = (item_counts("disjoint", n, side, "IO") for side in (one, two))
        exact = float(expected_common(*sides))
        assert model.expected_token_overlap(n, one, two) == pytest.approx(exact, rel=1e-12)


def test_expected_exact_matches_are_those_of_the_enumeration():
    for n, one, two in small_pairs(sizes=range(1, 7)):
        sides = (span_counts("disjoint", n, side) for side in (one, two))
        exact = float(expected_common(*sides))
        actual = model.expected_exact_matches(n, one, two)
        assert actual == pytest.approx(exact, rel=1e-12, abs=1e-15)


def shapes(n):
    """Pairs of multisets of lengths for n tokens, few enough to enumerate both at once."""
    return [case for case in small_pairs(sizes=[n]) if len(case[1]) < 3 and len(case[2]) < 3]


def jagged(shift, one, two):
    """A measure without any symmetry."""
    return shift**2 * one + shift * two - one * two**2


@pytest.mark.parametrize("placement", ["disjoint", "overlapping"])
def test_the_expectation_of_an_odd_pair_measure_is_that_of_the_joint_enumeration(placement):
    for n, one, two in shapes(5):
        every = [placements(placement, n, side) for side in (one, two)]
        sides = [[(p, spans) for spans in rows] for p, rows in every]
        exact = float(oracles.expected(oracles.additive(jagged), *sides))
        actual = model.expected_pair_measure(n, one, two, jagged, placement=placement)
        assert actual == pytest.approx(exact, rel=1e-12, abs=1e-12)


def test_the_additive_overlap_is_that_of_the_joint_enumeration():
    for n, one, two in shapes(5):
        every = [placements("overlapping", n, side) for side in (one, two)]
        sides = [[(p, spans) for spans in rows] for p, rows in every]
        exact = oracles.expected(oracles.additive(oracles.overlap_phi), *sides)
        assert model.expected_overlap(n, one, two) == pytest.approx(float(exact), rel=1e-12)


def test_a_token_in_two_segments_counts_twice_in_the_additive_overlap_only():
    assert model.expected_overlap(3, [3, 3], [3]) == pytest.approx(6)
    assert model.overlapping_coverage(3, [3, 3]).sum() == pytest.approx(3)


# --- larger ones against draws


@pytest.mark.integration
@pytest.mark.parametrize(("n", "lengths"), LARGE)
def test_starts_are_those_of_many_draws(n, lengths):
    starts = thrown(n, lengths, 1)
    for i, expected in enumerate(model.start_probabilities(n, lengths)):
        share = np.bincount(starts[:, i], minlength=len(expected)) / DRAWS
        error = np.sqrt(expected * (1 - expected) / DRAWS)
        np.testing.assert_array_less(np.abs(share - expected), 5 * error + 1e-12)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("placement", "coverage"),
    [("disjoint", model.coverage), ("overlapping", model.overlapping_coverage)],
)
@pytest.mark.parametrize(("n", "lengths"), LARGE)
def test_coverage_is_that_of_many_draws(n, lengths, placement, coverage):
    starts = thrown(n, lengths, 1, placement)
    expected = coverage(n, lengths)
    share = covered(starts, lengths, n).mean(axis=0)
    error = np.sqrt(expected * (1 - expected) / DRAWS)
    np.testing.assert_array_less(np.abs(share - expected), 5 * error + 1e-9)


@pytest.mark.integration
@each_case(("n", "lengths"), LARGE)
def test_expected_token_overlap_is_the_mean_over_many_draws(n, lengths):
    other = (4, 2, 1)
    one = covered(thrown(n, lengths, 1), lengths, n)
    two = covered(thrown(n, other, 3), other, n)
    expected = model.expected_token_overlap(n, lengths, other)
    assert_within_five_errors((one & two).sum(axis=1), expected)


@pytest.mark.integration
@each_case(("n", "lengths"), LARGE)
def test_expected_exact_matches_are_the_mean_over_many_draws(n, lengths):
    other = (3, 1, 1)
    one, two = thrown(n, lengths, 1), thrown(n, other, 4)
    matches = sum(
        one[:, i] == two[:, j] for i, a in enumerate(lengths) for j, b in enumerate(other) if a == b
    ) + np.zeros(DRAWS)
    assert_within_five_errors(matches, model.expected_exact_matches(n, lengths, other))


# --- shape


@each_case(("n", "lengths"), LARGE)
def test_starts_sum_to_one_and_are_symmetric(n, lengths):
    for starts in model.start_probabilities(n, lengths):
        assert starts.sum() == pytest.approx(1)
        np.testing.assert_allclose(starts, starts[::-1], atol=1e-12)


def test_starts_stand_in_the_order_of_the_segments():
    starts = model.start_probabilities(9, [4, 1, 4])
    assert [len(row) for row in starts] == [6, 9, 6]
    np.testing.assert_array_equal(starts[0], starts[2])


def test_segments_that_fill_the_unit_cover_every_token():
    assert model.coverage(5, [2, 3]).tolist() == [1.0] * 5


def test_nothing_is_covered_without_segments():
    np.testing.assert_allclose(model.coverage(4, []), 0, atol=1e-14)
    assert model.start_probabilities(4, []) == []
    assert model.overlapping_coverage(4, []).tolist() == [0.0] * 4


def test_one_segment_is_uniform():
    np.testing.assert_allclose(model.start_probabilities(10, [4])[0], 1 / 7)


@pytest.mark.parametrize(("n", "lengths"), [(4, [3, 2]), (4, [5]), (4, [0, 1]), (3, [-1])])
def test_segments_that_do_not_fit_are_an_error(n, lengths):
    for function in (model.start_probabilities, model.coverage):
        with pytest.raises(ValueError, match=f"cannot be placed in {n} tokens"):
            function(n, lengths)


def test_overlapping_segments_need_only_fit_one_by_one():
    assert len(model.overlapping_coverage(4, [3, 3])) == 4
    with pytest.raises(ValueError, match="cannot be placed in 4 tokens"):
        model.overlapping_coverage(4, [3, 5])


@pytest.mark.parametrize("n", [1000, 10**6])
def test_rare_segments_keep_the_digits_of_the_coverage(n):
    a = 7
    places = [Fraction(min(t + 1, a), n - a + 1) for t in range(20)]
    once = floats(places)
    twice = floats(1 - (1 - p) ** 2 for p in places)
    np.testing.assert_allclose(model.coverage(n, [a])[:20], once, rtol=3e-15)
    np.testing.assert_allclose(model.coverage(n, [a])[:-21:-1], once, rtol=3e-15)
    np.testing.assert_allclose(model.overlapping_coverage(n, [a])[:20], once, rtol=3e-15)
    np.testing.assert_allclose(model.overlapping_coverage(n, [a, a])[:-21:-1], twice, rtol=3e-15)


@each_case(
    ("shift", "one", "two"), [(0, 3, 3), (2, 3, 3), (-2, 3, 4), (5, 3, 4), (-9, 1, 2), (1, 5, 2)]
)
def test_overlap_counts_shared_tokens(shift, one, two):
    assert model.overlap(shift, one, two) == oracles.overlap_phi(shift, one, two)
