"""Power of paired tests, and the sample sizes that reach it."""

from itertools import product
from math import comb, exp, factorial, inf, isnan, sqrt

import numpy as np
import pytest

from spacy_chance_eval.measures.power import (
    PairedGuess,
    can_reject,
    enough_move,
    independent,
    needed_for_power,
    needed_for_width,
    normal_power,
    sign_test_power,
)


def exchange_p_value(differences):
    """The p-value of all exchanges of units, each of which gives one system 1, 0 or -1 more."""
    total = abs(sum(differences))
    signs = list(product((-1, 1), repeat=len(differences)))
    reached = sum(abs(np.dot(one, differences)) >= total for one in signs)
    return reached / len(signs)


def slow_power(n, gained, lost, alpha):
    """The power of the test by all exchanges, over all outcomes of n units."""
    shares = {1: gained, -1: lost, 0: 1 - gained - lost}
    power = 0.0
    for some in range(n + 1):
        for more in range(n + 1 - some):
            units = [1] * some + [-1] * more
            if exchange_p_value(units) < alpha:
                ways = comb(n, some) * comb(n - some, more)
                power += (
                    ways * shares[1] ** some * shares[-1] ** more * shares[0] ** (n - some - more)
                )
    return power


@pytest.mark.parametrize(("gained", "lost"), [(0.5, 0.1), (0.9, 0.1), (0.7, 0.0), (0.2, 0.2)])
def test_the_sign_test_has_the_power_of_all_exchanges(gained, lost):
    expected = slow_power(9, gained, lost, 0.05)
    assert sign_test_power(9, gained, lost, 0.05) == pytest.approx(expected, abs=1e-9)


# Card et al. (2020), printed by their notebook on accuracy, from 10,000 simulations
@pytest.mark.parametrize(
    ("f", "difference", "n", "discordant", "published"),
    [(0.8, 0.02, 500, 0.025, 0.8), (0.7, 0.02, 1000, 0.02, 1.0), (0.7, 0.02, 1000, 0.58, 0.119)],
)
def test_published_power_is_reached(f, difference, n, discordant, published):
    found = PairedGuess(f, difference, discordant).power(n, 0.05)
    assert found == pytest.approx(published, abs=3 * sqrt(0.25 / 10_000))


def test_power_without_a_difference_is_alpha():
    assert normal_power(0, 1.0, 1.0, 50, 0.05) == pytest.approx(0.05)


def test_the_needed_number_has_the_power():
    n = needed_for_power(0.02, 0.4, 0.41, 0.8, 0.05)
    assert normal_power(0.02, 0.4, 0.41, n, 0.05) == pytest.approx(0.8, abs=1e-6)
    assert needed_for_power([0.0, -0.1], 0.4, 0.4, 0.8, 0.05).tolist() == [inf, inf]
    assert isnan(needed_for_power(np.nan, 0.4, 0.4, 0.8, 0.05))


def test_the_needed_number_has_the_width():
    assert needed_for_width(0.4, 0.02, 0.9) == pytest.approx((1.644854 * 0.4 / 0.02) ** 2)
    assert needed_for_width(0.4, 0.02, 0.95) == pytest.approx((1.959964 * 0.4 / 0.02) ** 2)


def test_five_units_never_reject_at_a_twentieth():
    assert can_reject(np.arange(8), 0.05).tolist() == [False] * 6 + [True] * 2
    assert exchange_p_value([1] * 5) == 2 / 32 > 0.05 > exchange_p_value([1] * 6)


def test_enough_units_move_or_do_not():
    expected = [1 - sum(exp(-m) * m**k / factorial(k) for k in range(6)) for m in (0.5, 6.0)]
    found = enough_move(np.array([0.5, 6.0, 1e6, inf]), 0.05)
    assert found == pytest.approx([*expected, 1, 1])


def test_documents_of_several_spans_spread_as_their_sums():
    """The standard deviations of the mean difference in a document, from all its outcomes."""
    guess = PairedGuess(0.7, 0.1, 0.3, per_doc=2)
    shares = {1: 0.2, -1: 0.1, 0: 0.7}
    pairs = [((a + b) / 2, p * q) for (a, p), (b, q) in product(shares.items(), repeat=2)]
    second = sum(share * mean**2 for mean, share in pairs)
    assert guess.spreads == pytest.approx((sqrt(second - 0.1**2), sqrt(second)))


@pytest.mark.parametrize(
    ("guess", "gained", "lost"),
    [
        (PairedGuess(0.7, 0.1, 0.3, 2), 0.2 * 0.2 + 2 * 0.2 * 0.7, 0.1 * 0.1 + 2 * 0.1 * 0.7),
        (PairedGuess(0.7, 0.1, 0.1, 2), 0.1 * 0.1 + 2 * 0.1 * 0.9, 0.0),
        (PairedGuess(0.7, 0.1, 0.3, 0.5), 0.1, 0.05),
    ],
)
def test_documents_gain_or_lose_spans(guess, gained, lost):
    assert guess.moved == pytest.approx((gained, lost))


def simulated_power(guess, n_docs, sets=2000):
    """The share of sets of few documents in which all exchanges reject at .05."""
    rng = np.random.default_rng(0)
    lost = (guess.discordant - guess.difference) / 2
    shares = [lost, 1 - guess.discordant, lost + guess.difference]
    found = rng.choice([-1, 0, 1], (sets, n_docs, guess.per_doc), p=shares).sum(axis=2)
    signs = np.array(list(product((-1, 1), repeat=n_docs)))
    sums = np.abs(found @ signs.T)
    return ((sums >= np.abs(found.sum(axis=1))[:, None]).mean(axis=1) < 0.05).mean()


@pytest.mark.parametrize(
    ("discordant", "per_doc", "n_docs"),
    [(0.3, 2, 11), (0.5, 2, 11), (0.35, 3, 10), (0.3, 5, 4), (0.3, 5, 5), (0.02, 5, 11)],
)
def test_few_documents_of_several_spans_have_the_power_of_all_exchanges(
    discordant, per_doc, n_docs
):
    guess = PairedGuess(0.5, min(0.3, discordant), discordant, per_doc)
    power = guess.power(n_docs * per_doc, 0.05)
    assert power == pytest.approx(simulated_power(guess, n_docs), abs=0.05)
    assert power == 0 or n_docs > 5


@pytest.mark.parametrize("per_doc", [1, 2, 5])
def test_equal_systems_are_never_told_apart(per_doc):
    assert PairedGuess(0.8, 0.0, 0.0, per_doc).power(500, 0.05) == 0


def test_very_large_documents_all_differ():
    assert PairedGuess(0.5, 0.1, 0.2, 2000).moved == pytest.approx((1, 0), abs=1e-6)
    assert PairedGuess(0.5, 0.1, 0.2, 2000).power(12 * 2000, 0.05) == pytest.approx(1)
    assert PairedGuess(0.5, 0.1, 0.2, 2000).power(2000, 0.05) == 0


def test_the_power_hardly_changes_with_a_hundredth_of_a_span():
    few, some = (PairedGuess(0.8, 0.02, 0.025, per_doc) for per_doc in (1, 1.01))
    assert few.power(500, 0.05) == pytest.approx(some.power(500, 0.05), abs=0.01)


def test_a_guess_finds_its_own_number():
    guess = PairedGuess(0.8, 0.05, independent(0.8, 0.05))
    n = guess.needed(0.8, 0.05)
    assert guess.power(n, 0.05) >= 0.8 > guess.power(n - 20, 0.05)
    assert PairedGuess(0.8, 0.0, 0.3).needed(0.8, 0.05) == inf
    assert guess.detectable(n, 0.8, 0.05) == pytest.approx(0.05, rel=0.03)


def test_independent_errors_are_discordant_by_chance():
    assert independent(0.8, 0.1) == pytest.approx(0.8 * 0.1 + 0.9 * 0.2)


def test_the_exact_and_the_normal_power_agree_where_they_meet():
    exact = PairedGuess(0.8, 0.03, 0.3).power(3333, 0.05)
    normal = PairedGuess(0.8, 0.03, 0.3).power(3340, 0.05)
    assert exact == pytest.approx(normal, abs=0.01)
