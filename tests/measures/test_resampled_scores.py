from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import resampling_oracles as oracles
from helpers.cases import each_case
from helpers.resamples import Pair, rng, share, table, weighted, whole
from spacy_chance_eval.measures import resampling
from spacy_chance_eval.measures.resampling import (
    acceleration,
    exchange_weights,
    holm,
    interval,
    leave_one_out,
)


def exchange_p_value(difference, replicas):
    return resampling.p_value(*resampling.reached(difference, replicas))


def bootstrap_p_value(difference, replicas):
    return exchange_p_value(difference, replicas - difference)


# --- intervals

score = st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]))


def array(values):
    return np.array([np.nan if x is None else x for x in values], float)


def limits(value, many, **options):
    low, high = interval(array([value]), array(many)[:, None], **options)
    return None if np.isnan(low[0]) else (low[0], high[0])


@given(score, st.lists(score, min_size=1, max_size=30), st.sampled_from([0.5, 0.9, 0.95]))
def test_percentile_limits_are_those_of_sorted_replicas(value, many, level):
    expected = oracles.percentile_interval(value, many, level)
    assert limits(value, many, level=level) == (expected and pytest.approx(expected))


def test_limits_of_many_scores_are_those_of_each_alone():
    many = rng(1).random((50, 2, 3))
    values = many.mean(axis=0)
    low, high = interval(values, many)
    for i, j in product(range(2), range(3)):
        assert limits(values[i, j], many[:, i, j]) == (low[i, j], high[i, j])


def test_a_score_that_is_undefined_has_no_limits():
    assert limits(None, [0.5, 0.6]) is None


def test_limits_need_half_of_the_replicas():
    assert limits(0.5, [0.5, None]) == (0.5, 0.5)
    assert limits(0.5, [0.5, None, None]) is None


@pytest.mark.parametrize("kind", resampling.INTERVALS)
def test_replicas_that_are_all_equal_give_that_value(kind):
    jackknife = np.full((4, 1), 0.5)
    assert limits(0.5, [0.5] * 20, kind=kind, jackknife=jackknife) == (0.5, 0.5)


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


@pytest.mark.integration
def test_bca_limits_are_those_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    random = rng(2)
    top, bottom = random.integers(0, 5, 30), random.integers(5, 9, 30)
    result = stats.bootstrap(
        (top, bottom),
        lambda a, b, axis=-1: a.sum(axis) / b.sum(axis),
        method="BCa", paired=True, vectorized=True, n_resamples=999, rng=rng(4),
    )  # fmt: skip
    statistics = Pair(top[:, None], bottom[:, None])
    jackknife = leave_one_out([statistics], share)
    found = limits(
        top.sum() / bottom.sum(), result.bootstrap_distribution, kind="bca", jackknife=jackknife
    )
    assert found == pytest.approx(tuple(result.confidence_interval), rel=1e-12)


def test_bca_of_symmetric_replicas_without_skewness_is_the_percentile_interval():
    many = np.linspace(-1, 1, 101)
    jackknife = np.array([[-1.0], [0.0], [1.0]])
    assert limits(0.0, many, kind="bca", jackknife=jackknife) == pytest.approx(limits(0.0, many))


@pytest.mark.parametrize("extreme", [0.0, 1.0])
def test_bca_limits_stay_among_the_replicas_if_these_lie_on_one_side(extreme):
    low, high = limits(extreme, [0.4, 0.5, 0.6], kind="bca", jackknife=np.array([[0.1], [0.2]]))
    assert 0.4 <= low <= high <= 0.6


def test_bca_of_undefined_scores_warns_of_nothing(recwarn):
    jackknife = np.full((3, 1), np.nan)
    assert limits(None, [None, None], kind="bca", jackknife=jackknife) is None
    assert not [str(warning.message) for warning in recwarn]


def test_the_jackknife_leaves_out_each_row():
    statistics = table(6)
    found = leave_one_out([statistics], share)
    for row in range(6):
        rest = statistics[np.arange(6) != row].total()
        assert found[row].tolist() == share(rest).tolist()


def test_the_acceleration_of_equal_scores_is_zero():
    assert acceleration(np.full((5, 2), 0.3)).tolist() == [0, 0]


def test_undefined_jackknife_scores_do_not_count():
    with_gap = acceleration(np.array([[0.1], [np.nan], [0.4], [0.9]]))
    assert with_gap == pytest.approx(acceleration(np.array([[0.1], [0.4], [0.9]])))


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


@each_case("seed", range(6))
def test_randomisation_agrees_with_a_loop_over_the_same_exchanges(seed):
    random = rng(seed)
    first, second = counts(random, 8), counts(random, 8)
    masks = whole(exchange_weights(8, 60, random), 60, 8)
    one, two = pair_statistics(first), pair_statistics(second)
    difference = share(one.total()) - share(two.total())
    replicas = exchange_differences(one, two, masks)[:, None]
    found = exchange_p_value(difference, replicas)[0]
    assert found == pytest.approx(oracles.randomisation_p(first, second, masks > 0, "observed"))


@each_case("seed", range(6))
def test_randomisation_approaches_the_exact_test(seed):
    random = rng(seed + 20)
    first, second = counts(random, 7), counts(random, 7)
    masks = whole(exchange_weights(7, 20_000, random), 20_000, 7)
    one, two = pair_statistics(first), pair_statistics(second)
    difference = share(one.total()) - share(two.total())
    found = exchange_p_value(difference, exchange_differences(one, two, masks)[:, None])[0]
    assert found == pytest.approx(oracles.exact_p(first, second, "observed"), abs=0.02)


@pytest.mark.parametrize("seed", range(4))
def test_under_the_null_hypothesis_p_values_are_small_no_more_often_than_they_say(seed):
    random, masks = rng(seed), np.array(list(product((0, 1), repeat=7)))
    first, second = counts(random, 7), counts(random, 7)
    found = []
    for mask in masks:  # given the two outputs of each row, all of these are equally likely
        one, two = map(pair_statistics, oracles.exchanged(first, second, mask))
        difference = share(one.total()) - share(two.total())
        replicas = exchange_differences(one, two, masks)[:, None]
        found.append(exchange_p_value(difference, replicas)[0])
    for alpha in (0.02, 0.05, 0.1, 0.5, 0.9):
        assert (np.array(found) <= alpha).mean() <= alpha


@given(score, st.lists(score, min_size=1, max_size=20))
def test_bootstrap_p_values_count_shifted_replicas(value, many):
    found = bootstrap_p_value(array([value]), array(many)[:, None])[0]
    if value is None:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(oracles.bootstrap_p(value, many))


each_test = pytest.mark.parametrize("p_value", [bootstrap_p_value, exchange_p_value])


@each_test
@given(many=st.lists(st.integers(-9, 9), min_size=1, max_size=20), value=st.integers(-9, 9))
def test_p_values_are_two_sided(p_value, many, value):
    replicas = np.array(many)[:, None] / 10
    one = p_value(np.array([value / 10]), replicas)
    assert one == p_value(np.array([-value / 10]), -replicas)


@each_test
@given(many=st.lists(st.integers(-9, 9), min_size=1, max_size=20), value=st.integers(-9, 9))
def test_p_values_are_above_zero_and_at_most_one(p_value, many, value):
    (found,) = p_value(np.array([value / 10]), np.array(many)[:, None] / 10)
    assert 0 < found <= 1


@each_test
def test_systems_without_difference_have_p_value_one(p_value):
    assert p_value(np.array([0.0]), np.array([[0.0], [0.2], [-0.1]])).tolist() == [1]


@each_test
def test_undefined_replicas_do_not_count(p_value):
    replicas = np.array([[0.9], [np.nan], [0.0]])
    expected = p_value(np.array([0.4]), replicas[[0, 2]])
    assert p_value(np.array([0.4]), replicas) == expected


@each_test
def test_an_undefined_difference_has_no_p_value(p_value):
    assert np.isnan(p_value(np.array([np.nan]), np.array([[0.1]])))[0]


def test_an_exchange_that_differs_by_rounding_only_reaches_the_difference():
    assert exchange_p_value(np.array([0.3]), np.array([[0.1 + 0.2 - 1e-16]])).tolist() == [1]


# --- Holm

p_value = st.one_of(st.none(), st.integers(1, 20).map(lambda x: x / 20))


@given(st.lists(p_value, max_size=8))
def test_holm_agrees_with_the_textbook(values):
    found = [None if np.isnan(x) else float(x) for x in holm(array(values))]
    assert found == [x and pytest.approx(x) for x in oracles.holm(values)]


@given(st.lists(p_value, min_size=1, max_size=6), st.lists(p_value, min_size=1, max_size=6))
def test_holm_takes_every_column_by_itself(one, two):
    size = min(len(one), len(two))
    both = np.column_stack([array(one[:size]), array(two[:size])])
    expected = np.column_stack([holm(both[:, 0]), holm(both[:, 1])])
    np.testing.assert_array_equal(holm(both), expected)


@given(st.lists(p_value, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_hypotheses_is_irrelevant_to_holm(values, random):
    order = random.sample(range(len(values)), len(values))
    np.testing.assert_array_equal(holm(array(values))[order], holm(array(values)[order]))


def test_holm_of_a_worked_example():
    # 4 x .01, 3 x .02, 2 x .03, and .06 raised to nothing
    assert holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.06, 0.04, 0.5, 0.06])


def test_holm_of_one_test_is_the_test():
    assert holm([0.03]).tolist() == [0.03]
