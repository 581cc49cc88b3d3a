"""Intervals and p-values of resampled scores, and ranks, against loops and the textbook."""

from itertools import combinations, product
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import resampling_oracles as oracles
from helpers.cases import each_case
from helpers.resamples import Pair, rng, share, weighted, whole
from spacy_chance_eval.measures import resampling
from spacy_chance_eval.measures.resampling import (
    exchange_weights,
    first_shares,
    holm,
    interval,
    rank_groups,
    rank_interval,
    ranks,
)


def exchange_p_value(difference, replicas):
    return resampling.p_value(*resampling.reached(difference, replicas))


def bootstrap_p_value(difference, replicas):
    return exchange_p_value(difference, replicas - difference)


# --- intervals

score = st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]))


def array(values):
    return np.array([np.nan if x is None else x for x in values], float)


def plain(values):
    return [None if np.isnan(x) else float(x) for x in values]


def limits(value, many, **options):
    low, high = interval(array([value]), array(many)[:, None], **options)
    return None if np.isnan(low[0]) else (low[0], high[0])


@given(
    score,
    st.lists(score, min_size=1, max_size=30),
    st.sampled_from([0.5, 0.9, 0.95]),
    st.sampled_from([0.5, 1.0, 1.5, 2.0, 12.3, 40.0, 1e5, inf]),
)
def test_percentile_limits_are_those_of_sorted_replicas(value, many, level, n):
    expected = oracles.percentile_interval(value, many, level, n)
    assert limits(value, many, level=level, n_eff=n) == (expected and pytest.approx(expected))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.integers(1, 9))
def test_the_effective_number_is_that_of_equal_masses(masses, times):
    n = resampling.effective_number(np.array(masses))
    assert 1 <= n <= len(masses) + 1e-9
    assert n == pytest.approx(resampling.effective_number(times * np.array(masses)))
    assert resampling.effective_number(np.ones(times)) == times
    if any(masses):
        assert n == pytest.approx(sum(masses) ** 2 / sum(m**2 for m in masses))
        assert n == pytest.approx(resampling.effective_number(np.array([*masses, 0])))


@pytest.mark.parametrize(
    ("value", "many", "jackknife", "kinds", "expected"),
    [
        (0.5, [0.5] * 20, [0.5] * 4, resampling.INTERVALS, (0.5, 0.5)),
        # half of the replicas have to be defined
        (0.5, [0.5, None], [0.1, 0.2], ["percentile"], (0.5, 0.5)),
        (0.5, [0.5, None, None], [0.1, 0.2], ["percentile"], None),
        (None, [0.5, 0.6], [0.1, 0.2], ["percentile"], None),
        (None, [None, None], [None] * 3, ["bca"], None),
        # symmetric replicas without skewness
        (0.0, np.linspace(-1, 1, 101), [-1, 0, 1], resampling.INTERVALS, (-0.95, 0.95)),
    ],
)
def test_limits_of_few_replicas(value, many, jackknife, kinds, expected, recwarn):
    for kind in kinds:
        found = limits(value, many, kind=kind, jackknife=array(jackknife)[:, None])
        assert found == (expected and pytest.approx(expected))
    assert not [str(warning.message) for warning in recwarn]


@pytest.mark.parametrize("extreme", [0.0, 1.0])
def test_bca_limits_stay_among_the_replicas_if_these_lie_on_one_side(extreme):
    low, high = limits(extreme, [0.4, 0.5, 0.6], kind="bca", jackknife=np.array([[0.1], [0.2]]))
    assert 0.4 <= low <= high <= 0.6


def counts(random, n_rows, empty=0.0):
    """Rows (gold, correct, pred, expected correct) of a made-up system."""
    rows = []
    for _ in range(n_rows):
        gold, pred = (int(x) * (random.random() >= empty) for x in random.integers(0, 4, 2))
        rows.append((gold, int(random.integers(0, min(gold, pred) + 1)), pred, gold * pred / 20))
    return rows


@each_case("side", ["observed", "corrected"])
@each_case("seed", range(8))
def test_bca_limits_are_those_of_the_book(seed, side):
    random = rng(seed)
    rows = counts(random, 12)
    drawn = random.integers(0, 12, (300, 12)).tolist()
    many, value = oracles.replicas(rows, drawn, side), oracles.scores(rows)[side]
    without = oracles.jackknife(rows, side)
    found = limits(value, many, kind="bca", jackknife=array(without)[:, None])
    assert found == pytest.approx(oracles.bca_interval(value, many, without))


# --- tests of pairs


def pair_statistics(rows):
    """The counts of F1, observed: 2 correct / (gold + pred)."""
    gold, correct, pred, _ = np.array(rows, float).reshape(-1, 4).T
    return Pair(2 * correct[:, None], (gold + pred)[:, None])


def exchange_differences(first, second, masks):
    sides = []
    for mine, theirs in ((first, second), (second, first)):
        kept, gained = weighted(mine, 1 - masks), weighted(theirs, masks)
        sides.append(share(kept + gained)[:, 0])
    return sides[0] - sides[1]


@pytest.mark.parametrize("exact", [False, True])
@each_case("seed", range(6))
def test_randomisation_agrees_with_a_loop_over_the_same_or_all_exchanges(seed, exact):
    random = rng(seed)
    first, second = counts(random, 7), counts(random, 7)
    n = 20_000 if exact else 60
    masks = whole(exchange_weights(7, n, random), n, 7)
    one, two = pair_statistics(first), pair_statistics(second)
    difference = share(one.total()) - share(two.total())
    found = exchange_p_value(difference, exchange_differences(one, two, masks)[:, None])[0]
    if exact:
        assert found == pytest.approx(oracles.exact_p(first, second, "observed"), abs=0.02)
    else:
        expected = oracles.randomisation_p(first, second, masks > 0, "observed")
        assert found == pytest.approx(expected)


@given(score, st.lists(score, min_size=1, max_size=20))
def test_bootstrap_p_values_count_shifted_replicas(value, many):
    found = bootstrap_p_value(array([value]), array(many)[:, None])[0]
    if value is None:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(oracles.bootstrap_p(value, many))


each_test = pytest.mark.parametrize("p_value", [bootstrap_p_value, exchange_p_value])


@each_test
def test_p_values_of_few_replicas(p_value):
    for difference, replicas, expected in (
        (0.0, [0.0, 0.2, -0.1], 1),
        (None, [0.1], None),
        # undefined replicas do not count
        (0.4, [0.9, None, 0.0], p_value(array([0.4]), array([0.9, 0.0])[:, None])[0]),
        # what differs by rounding only reaches the difference
        (0.3, [0.1 + 0.2 - 1e-16], 1 if p_value is exchange_p_value else 0.5),
    ):
        found = p_value(array([difference]), array(replicas)[:, None])
        np.testing.assert_array_equal(found, array([expected]))


# --- Holm

p_value = st.one_of(st.none(), st.integers(1, 20).map(lambda x: x / 20))


@given(st.lists(st.tuples(p_value, p_value), max_size=8), st.randoms(use_true_random=False))
def test_holm_agrees_with_the_textbook_for_every_column_in_any_order(rows, random):
    values = np.array([array(row) for row in rows]).reshape(-1, 2)
    found = holm(values)
    for column, mine in zip(zip(*rows), found.T):
        assert plain(mine) == [x and pytest.approx(x) for x in oracles.holm(column)]
        np.testing.assert_array_equal(holm(array(column)), mine)
    order = random.sample(range(len(rows)), len(rows))
    np.testing.assert_array_equal(found[order], holm(values[order]))


# --- ranks


def symmetric(size):
    """Every symmetric boolean matrix of a size, its diagonal false."""
    pairs = list(combinations(range(size), 2))
    for bits in product((False, True), repeat=len(pairs)):
        matrix = np.zeros((size, size), bool)
        for (i, j), bit in zip(pairs, bits):
            matrix[i, j] = matrix[j, i] = bit
        yield matrix


NAN = float("nan")


@each_case(
    ("values", "expected"),
    [
        # equal scores share a rank and the next one is skipped
        ([0.5, 0.7, 0.5, 0.1], [2, 1, 2, 4]),
        # so do those that differ by rounding, relative above 1
        ([0.1 + 0.2, 0.3], [1, 1]),
        *(
            row
            for one, difference in ((0.1, 5e-13), (1e6, 5e-7), (-1e6, 5e-7))
            for row in (([one, one + difference], [1, 1]), ([one, one + 4 * difference], [2, 1]))
        ),
        # an undefined score has no rank and takes none
        ([0.5, NAN, 0.4], [1, NAN, 2]),
        # the last axis is that of systems
        ([[1, 2, 3], [3, 2, 1]], [[3, 2, 1], [1, 2, 3]]),
        (np.zeros((3, 0)), np.zeros((3, 0))),
    ],
)
def test_ranks_of_few_systems(values, expected):
    np.testing.assert_array_equal(ranks(values), expected)


@each_case(
    ("replicas", "level", "expected"),
    [
        (np.repeat([1.0, 2, 3, 4], [1, 47, 50, 2])[:, None], 0.95, [[2], [3]]),
        (np.repeat([1.0, 2, 3, 4], [1, 47, 50, 2])[:, None], 0.99, [[1], [4]]),
        # limits are ranks
        ([[1.0], [2.0]], 0.5, [[1], [2]]),
        # undefined ranks do not count
        ([[NAN, NAN], [2.0, NAN], [2.0, NAN]], 0.95, [[2, NAN], [2, NAN]]),
    ],
)
def test_the_rank_interval_holds_the_middle_share_of_ranks(replicas, level, expected):
    np.testing.assert_array_equal(rank_interval(replicas, level=level), expected)


@given(st.lists(st.lists(score, min_size=3, max_size=3), min_size=1, max_size=6))
def test_first_shares_agree_with_counting(rows):
    found = ranks([array(row) for row in rows])
    expected = oracles.first_shares([plain(row) for row in found])
    shares = plain(first_shares(found))
    if expected is None:
        assert shares == [None] * 3
    else:
        assert shares == pytest.approx(expected)
        assert sum(shares) == pytest.approx(1)


@each_case("size", range(1, 6))
def test_letters_stand_for_the_groups_of_systems_that_are_not_distinct(size):
    for distinct in symmetric(size):
        texts = rank_groups(distinct)
        letters = [set(text) for text in texts]
        for i, j in product(range(size), repeat=2):
            assert bool(letters[i] & letters[j]) == (not distinct[i, j]), (distinct, letters)
        names = sorted(set("".join(texts)))
        groups = [[i for i, text in enumerate(texts) if name in text] for name in names]
        assert sorted(groups) == sorted(map(sorted, oracles.maximal_groups(distinct)))
        # letters begin in the order of the systems
        assert texts[0][0] == "a"
        assert [group[0] for group in groups] == sorted(group[0] for group in groups)
        assert all(list(text) == sorted(text) for text in texts)
