"""Power of paired tests, and the difference that reaches it."""

from itertools import product
from math import exp, factorial, inf

import numpy as np
import pytest

from spacy_chance_eval.measures.power import (
    can_reject,
    detectable_difference,
    enough_move,
    normal_power,
)


def exchange_p_value(differences):
    """The p-value of all exchanges of units, each of which gives one system 1, 0 or -1 more."""
    total = abs(sum(differences))
    signs = list(product((-1, 1), repeat=len(differences)))
    reached = sum(abs(np.dot(one, differences)) >= total for one in signs)
    return reached / len(signs)


def test_power_without_a_difference_is_alpha():
    assert normal_power(0, 1.0, 1.0, 50, 0.05) == pytest.approx(0.05)


def test_the_detectable_difference_has_the_power():
    difference = detectable_difference(0.4, 0.41, 900, 0.8, 0.05)
    assert normal_power(difference, 0.4, 0.41, 900, 0.05) == pytest.approx(0.8, abs=1e-6)


def test_five_units_never_reject_at_a_twentieth():
    assert can_reject(np.arange(8), 0.05).tolist() == [False] * 6 + [True] * 2
    assert exchange_p_value([1] * 5) == 2 / 32 > 0.05 > exchange_p_value([1] * 6)


def test_enough_units_move_or_do_not():
    expected = [1 - sum(exp(-m) * m**k / factorial(k) for k in range(6)) for m in (0.5, 6.0)]
    found = enough_move(np.array([0.5, 6.0, 1e6, inf]), 0.05)
    assert found == pytest.approx([*expected, 1, 1])
