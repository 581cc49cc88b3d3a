"""One unit under the random annotation model, against enumeration and against draws."""

from fractions import Fraction

import numpy as np
import pytest

from helpers import oracles
from helpers.cases import each_case
from helpers.strategies import SIZES, corpus_of, draw, item_counts, multisets, placements
from spacy_chance_eval.measures.chance.distributions import fields_of
from spacy_chance_eval.measures.chance.expectation import overlap
from spacy_chance_eval.measures.chance.placement import start_probabilities

DRAWS = 100_000


def floats(fractions):
    return np.array([float(x) for x in fractions])


def coverage(cases, placement):
    """Probability that each token is covered, for every (n, lengths)."""
    spans = corpus_of([(n, lengths, lengths) for n, lengths in cases], 1, placement == "disjoint")
    return [field.gold.covered for field in fields_of(spans, spans, placement=placement)]


# --- every case with n <= 9 and k <= 3, in exact fractions


@each_case("n", SIZES)
def test_start_probabilities_are_those_of_the_enumeration(n):
    for lengths in multisets(n):
        probability, every = placements("disjoint", n, lengths)
        for i, actual in enumerate(start_probabilities(n, lengths)):
            counts = np.bincount([x[i][0] for x in every], minlength=n - lengths[i] + 1)
            exact = floats(probability * Fraction(int(count)) for count in counts)
            np.testing.assert_allclose(actual, exact, rtol=1e-12)


@pytest.mark.parametrize("placement", ["disjoint", "overlapping"])
def test_coverage_is_that_of_the_enumeration(placement):
    cases = [(n, x) for n in SIZES for x in multisets(n, disjoint=placement == "disjoint") if x]
    for (n, lengths), actual in zip(cases, coverage(cases, placement), strict=True):
        probability, counts = item_counts(placement, n, lengths, "IO")
        exact = floats(probability * counts[t, "I"] for t in range(n))
        np.testing.assert_allclose(actual, exact, atol=1e-13)


# --- shape


LARGE = [
    (12, (1, 4, 2)),
    (40, (3,) * 9),
    (60, (1, 5, 10, 15)),
    (30, (1,) * 20),
    (80, (2, 2, 3, 3, 7, 1, 1, 1)),
]


@each_case(("n", "lengths"), LARGE)
def test_starts_sum_to_one_and_are_symmetric(n, lengths):
    for starts in start_probabilities(n, lengths):
        assert starts.sum() == pytest.approx(1)
        np.testing.assert_allclose(starts, starts[::-1], atol=1e-12)


@pytest.mark.integration
@pytest.mark.parametrize(("n", "lengths"), LARGE)
@pytest.mark.parametrize("placement", ["disjoint", "overlapping"])
def test_starts_and_coverage_are_those_of_many_draws(n, lengths, placement):
    starts = draw(n, lengths, DRAWS, np.random.default_rng(1), placement=placement)
    marks = np.zeros((DRAWS, n + 1), np.int64)
    for column, length in zip(starts.T, lengths):
        np.add.at(marks, (np.arange(DRAWS), column), 1)
        np.add.at(marks, (np.arange(DRAWS), column + length), -1)
    shares = [(marks.cumsum(axis=1)[:, :n] > 0).mean(axis=0)]
    expected = coverage([(n, lengths)], placement)
    if placement == "disjoint":
        expected += start_probabilities(n, lengths)
        shares += [np.bincount(column, minlength=n) / DRAWS for column in starts.T]
    for share, right in zip(shares, expected, strict=True):
        error = np.sqrt(right * (1 - right) / DRAWS)
        np.testing.assert_array_less(np.abs(share[: len(right)] - right), 5 * error + 1e-9)


def test_starts_of_few_segments():
    starts = start_probabilities(9, [4, 1, 4])  # in the order of the segments
    assert [len(row) for row in starts] == [6, 9, 6]
    np.testing.assert_array_equal(starts[0], starts[2])
    assert coverage([(5, (2, 3))], "disjoint")[0].tolist() == pytest.approx([1.0] * 5)
    assert start_probabilities(4, []) == []
    np.testing.assert_allclose(start_probabilities(10, [4])[0], 1 / 7)


@pytest.mark.parametrize(("n", "lengths"), [(4, [3, 2]), (4, [5]), (4, [0, 1]), (3, [-1])])
def test_segments_that_do_not_fit_are_an_error(n, lengths):
    with pytest.raises(ValueError, match=f"cannot be placed in {n} tokens"):
        start_probabilities(n, lengths)


@each_case(
    ("shift", "one", "two"), [(0, 3, 3), (2, 3, 3), (-2, 3, 4), (5, 3, 4), (-9, 1, 2), (1, 5, 2)]
)
def test_overlap_counts_shared_tokens(shift, one, two):
    assert overlap(shift, one, two) == oracles.overlap_phi(shift, one, two)
