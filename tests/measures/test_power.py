"""Whether paired tests by exchanges reject."""

from itertools import product

import numpy as np

from spacy_chance_eval.measures.power import can_reject


def exchange_p_value(differences):
    """The p-value of all exchanges of units, each of which gives one system 1, 0 or -1 more."""
    total = abs(sum(differences))
    signs = list(product((-1, 1), repeat=len(differences)))
    reached = sum(abs(np.dot(one, differences)) >= total for one in signs)
    return reached / len(signs)


def test_five_units_never_reject_at_a_twentieth():
    assert can_reject(np.arange(8), 0.05).tolist() == [False] * 6 + [True] * 2
    assert exchange_p_value([1] * 5) == 2 / 32 > 0.05 > exchange_p_value([1] * 6)
