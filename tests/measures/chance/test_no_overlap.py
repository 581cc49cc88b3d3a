"""The probability that two random annotations share no token (Proposition 4)."""

from fractions import Fraction
from itertools import product
from math import perm

import pytest

from helpers.cases import each_case
from spacy_chance_eval.measures import no_overlap_probability

LENGTHS = [(), (1,), (3,), (1, 1), (2, 3), (1, 2, 2), (1, 1, 1)]


def covered_sets(n, lengths):
    """The covered tokens of every placement, by enumeration."""
    for starts in product(*(range(n - length + 1) for length in lengths)):
        tokens = [{*range(s, s + length)} for s, length in zip(starts, lengths)]
        union = set().union(*tokens)
        if len(union) == sum(lengths):
            yield union


def enumerated(n, one, two):
    ones, twos = ([*covered_sets(n, lengths)] for lengths in (one, two))
    shared = sum(not first & second for first in ones for second in twos)
    return float(Fraction(shared, len(ones) * len(twos)))


@pytest.mark.parametrize("n", [5, 6, 7])
def test_it_is_the_share_of_all_pairs_of_placements(n):
    for one, two in product(LENGTHS, LENGTHS):
        expected = enumerated(n, one, two)
        assert no_overlap_probability(n, one, two) == pytest.approx(expected, abs=1e-14)


def test_the_closed_form_is_exact_in_long_texts():
    n, one, two = 5_000, [3] * 40 + [7] * 5, [2] * 60
    pairs = perm(n - 155 + 45, 45) * perm(n - 120 + 60, 60)
    exact = Fraction(perm(n - 155 - 120 + 105, 105), pairs)
    assert no_overlap_probability(n, one, two) == pytest.approx(float(exact), rel=1e-12)


def test_it_is_symmetric_and_goes_to_one():
    found = [no_overlap_probability(n, [2, 5], [1, 1, 3]) for n in (12, 40, 200, 400)]
    assert found == sorted(found) and found[-1] > 0.9
    swapped = no_overlap_probability(40, [1, 1, 3], [2, 5])
    assert swapped == pytest.approx(found[1], rel=1e-12)


@each_case(
    ("arguments", "message"),
    [
        ((5, [3, 3], [1]), r"lengths \[3, 3\] cannot be placed in 5 tokens"),
        ((5, [1], [6]), r"lengths \[6\] cannot be placed in 5 tokens"),
        ((5, [2, 0], [1]), r"lengths \[2, 0\] cannot be placed"),
        ((5, [0], [1]), r"lengths \[0\] cannot be placed"),
        ((5, [2.5], [1]), r"one must hold whole numbers, not \[2.5\]"),
        ((5, [1], [1.5]), r"two must hold whole numbers, not \[1.5\]"),
    ],
)
def test_wrong_arguments_are_told(arguments, message):
    with pytest.raises(ValueError, match=message):
        no_overlap_probability(*arguments)
