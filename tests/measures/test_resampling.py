from collections import Counter
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import resampling_oracles as oracles
from spacy_chance_eval.measures import resampling
from spacy_chance_eval.measures.resampling import (
    acceleration,
    bootstrap_p_value,
    bootstrap_weights,
    cluster_order,
    exchange_p_value,
    exchange_weights,
    grouped,
    holm,
    interval,
    leave_one_out,
    resampled,
)
from spacy_chance_eval.measures.stats import Additive, ratio

BLOCKS = [(1, 1), (2, 3), (7, 5), (1000, 1000)]
each_block_size = pytest.mark.parametrize(("resamples", "rows"), BLOCKS)
each_kind = pytest.mark.parametrize("make", [bootstrap_weights, exchange_weights])


@dataclass(frozen=True, eq=False)
class Pair(Additive):
    """Statistics for these tests."""

    top: np.ndarray
    bottom: np.ndarray


def share(pair):
    return ratio(pair.top, pair.bottom)


def rng(seed=0):
    return np.random.default_rng(seed)


def whole(blocks, resamples, rows):
    """All weights as one matrix; every cell must be filled exactly once."""
    matrix, filled = np.zeros((resamples, rows)), np.zeros((resamples, rows), int)
    for some, part, weights in blocks:
        matrix[some, part] = weights
        filled[some, part] += 1
    assert (filled == 1).all()
    return matrix


@pytest.fixture
def small_blocks(monkeypatch):
    def small(resamples, rows):
        monkeypatch.setattr(resampling, "RESAMPLES", resamples)
        monkeypatch.setattr(resampling, "ROWS", rows)

    return small


def table(rows=11, labels=2, seed=3):
    random = rng(seed)
    return Pair(random.integers(0, 4, (rows, labels)), random.integers(4, 9, (rows, labels)))


# --- weights


@each_kind
@each_block_size
def test_blocks_cover_every_resample_and_row_once(small_blocks, make, resamples, rows):
    small_blocks(resamples, rows)
    for n_rows, n_resamples in product((1, 2, 5, 13), (1, 4, 20)):
        whole(make(n_rows, n_resamples, rng()), n_resamples, n_rows)


@each_kind
@each_block_size
def test_the_length_of_blocks_is_their_number(small_blocks, make, resamples, rows):
    small_blocks(resamples, rows)
    blocks = make(13, 20, rng())
    assert len(blocks) == len(list(blocks))


@each_block_size
def test_every_resample_draws_as_many_rows_as_there_are(small_blocks, resamples, rows):
    small_blocks(resamples, rows)
    weights = whole(bootstrap_weights(13, 50, rng()), 50, 13)
    assert (weights.sum(axis=1) == 13).all()
    assert (weights >= 0).all() and (weights == weights.round()).all()


@each_block_size
def test_draws_are_multinomial(small_blocks, resamples, rows):
    small_blocks(resamples, rows)
    n_rows, n = 4, 20_000
    weights = whole(bootstrap_weights(n_rows, n, rng(5)), n, n_rows)
    seen = Counter(map(tuple, weights.astype(int).tolist()))
    cells = [x for x in product(range(n_rows + 1), repeat=n_rows) if sum(x) == n_rows]
    expected = {cell: n * oracles.multinomial_probability(cell) for cell in cells}
    assert sum(expected.values()) == pytest.approx(n)
    assert seen.keys() <= expected.keys()
    square = sum((seen[cell] - mean) ** 2 / mean for cell, mean in expected.items())
    assert square < 65.2  # chi-square with 34 degrees of freedom: .999 quantile


@each_block_size
def test_numbers_of_draws_have_mean_one_and_the_covariance_of_a_multinomial(
    small_blocks, resamples, rows
):
    small_blocks(resamples, rows)
    n_rows, n = 6, 20_000
    weights = whole(bootstrap_weights(n_rows, n, rng(6)), n, n_rows)
    assert weights.mean(axis=0) == pytest.approx(1, abs=0.03)
    expected = np.eye(n_rows) - 1 / n_rows
    np.testing.assert_allclose(np.cov(weights.T), expected, atol=0.04)


@each_block_size
def test_exchanges_are_independent_coins(small_blocks, resamples, rows):
    small_blocks(resamples, rows)
    weights = whole(exchange_weights(5, 20_000, rng(7)), 20_000, 5)
    seen = Counter(map(tuple, weights.astype(int).tolist()))
    assert set(seen) == set(product((0, 1), repeat=5))
    mean = 20_000 / 32
    assert sum((x - mean) ** 2 / mean for x in seen.values()) < 61.1  # 31 degrees: .999 quantile


@each_kind
def test_equal_seeds_give_equal_weights(make):
    one, two, other = (whole(make(9, 30, rng(seed)), 30, 9) for seed in (1, 1, 2))
    assert (one == two).all()
    assert (one != other).any()


# --- weighted sums


@each_block_size
def test_weighted_sums_are_those_of_explicit_loops(small_blocks, resamples, rows):
    small_blocks(resamples, rows)
    one, two = table(seed=1), table(seed=2)
    blocks = list(bootstrap_weights(11, 20, rng()))
    sums = resampled([one, two], blocks, 20)
    for drawn, weights in enumerate(whole(blocks, 20, 11)):
        for statistics, found in zip((one, two), sums):
            for field in ("top", "bottom"):
                column = getattr(statistics, field).tolist()
                expected = [sum(column[i][k] for i in oracles.indices(weights)) for k in range(2)]
                assert getattr(found, field)[drawn].tolist() == expected


def test_weights_of_one_give_the_total():
    statistics = table()
    (sums,) = resampled([statistics], [(slice(0, 1), slice(0, 11), np.ones((1, 11)))], 1)
    assert sums.top[0].tolist() == statistics.total().top.tolist()
    assert sums.bottom[0].tolist() == statistics.total().bottom.tolist()


def test_an_array_that_two_statistics_share_is_summed_once():
    shared = np.ones((3, 1))
    one, two = Pair(shared, shared), Pair(shared, np.full((3, 1), 2.0))
    block = slice(0, 2), slice(0, 3), np.ones((2, 3))
    sums = resampled([one, two], [block], 2)
    assert [sums[1].top.tolist(), sums[1].bottom.tolist()] == [[[3], [3]], [[6], [6]]]
    assert sums[0].bottom.tolist() == [[3], [3]]


def test_progress_sees_every_block():
    seen = []

    def progress(blocks):
        for block in blocks:
            seen.append(block)
            yield block

    resampled([table()], bootstrap_weights(11, 5, rng()), 5, progress)
    assert len(seen) == 1


# --- clusters


def keys(n_rows, seed=0):
    return [rng(seed).integers(0, 2**63, n_rows).astype(np.uint64)]


def clustered(statistics, clusters, content):
    return grouped(statistics, cluster_order(np.asarray(clusters), content), {})


def rows_of(statistics):
    return sorted(map(tuple, np.hstack([statistics.top, statistics.bottom]).tolist()))


@given(st.lists(st.integers(-1, 4), min_size=1, max_size=9))
def test_a_cluster_is_the_sum_of_its_documents(clusters):
    statistics = table(len(clusters))
    columns = np.hstack([statistics.top, statistics.bottom]).tolist()
    expected = [
        tuple(map(sum, zip(*(row for row, name in zip(columns, clusters) if name == wanted))))
        for wanted in set(clusters) - {-1}
    ]
    found = clustered(statistics, np.array(clusters), keys(len(clusters)))
    assert rows_of(found) == sorted(expected)


def test_documents_that_are_left_out_are_in_no_cluster():
    statistics = table(3)
    found = clustered(statistics, np.array([-1, 5, -1]), keys(3))
    assert found.top.tolist() == statistics.top[1:2].tolist()


def test_if_all_documents_are_left_out_no_row_remains():
    assert clustered(table(3), np.array([-1, -1, -1]), keys(3)).top.shape == (0, 2)


@given(st.permutations(range(8)), st.lists(st.integers(-1, 3), min_size=8, max_size=8))
def test_rows_do_not_depend_on_the_order_of_documents(order, clusters):
    order, clusters = np.array(order), np.array(clusters)
    statistics, content = table(8), keys(8)
    one = clustered(statistics, clusters, content)
    two = clustered(statistics[order], clusters[order], [key[order] for key in content])
    assert (one.top == two.top).all() and (one.bottom == two.bottom).all()


@given(st.permutations(range(4)))
def test_rows_do_not_depend_on_the_numbers_of_clusters(names):
    clusters = np.array([0, 1, 2, 3, 0, 1, 2, 2])
    statistics, content = table(8), keys(8)
    one = clustered(statistics, clusters, content)
    two = clustered(statistics, np.array(names)[clusters], content)
    assert (one.top == two.top).all()


def test_the_first_key_decides_on_the_order_and_the_second_between_equals():
    statistics = Pair(np.arange(3)[:, None], np.arange(3)[:, None])
    content = [np.array([7, 1, 7], np.uint64), np.array([9, 5, 3], np.uint64)]
    assert clustered(statistics, np.arange(3), content).top.ravel().tolist() == [1, 2, 0]


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


@pytest.mark.parametrize("side", ["observed", "corrected"])
@pytest.mark.parametrize("seed", range(8))
def test_bca_limits_are_those_of_the_book(seed, side):
    random = rng(seed)
    rows = counts(random, 12)
    drawn = random.integers(0, 12, (300, 12)).tolist()
    many, value = oracles.replicas(rows, drawn, side), oracles.scores(rows)[side]
    without = oracles.jackknife(rows, side)
    found = limits(value, many, kind="bca", jackknife=array(without)[:, None])
    assert found == pytest.approx(oracles.bca_interval(value, many, without))


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
        kept, gained = mine.resampled(1 - masks), theirs.resampled(masks)
        sides.append(share(kept + gained)[:, 0])
    return sides[0] - sides[1]


@pytest.mark.parametrize("seed", range(6))
def test_randomisation_agrees_with_a_loop_over_the_same_exchanges(seed):
    random = rng(seed)
    first, second = counts(random, 8), counts(random, 8)
    masks = whole(exchange_weights(8, 60, random), 60, 8)
    one, two = pair_statistics(first), pair_statistics(second)
    difference = share(one.total()) - share(two.total())
    replicas = exchange_differences(one, two, masks)[:, None]
    found = exchange_p_value(difference, replicas)[0]
    assert found == pytest.approx(oracles.randomisation_p(first, second, masks > 0, "observed"))


@pytest.mark.parametrize("seed", range(6))
def test_randomisation_approaches_the_exact_test(seed):
    random = rng(seed + 20)
    first, second = counts(random, 7), counts(random, 7)
    masks = whole(exchange_weights(7, 20_000, random), 20_000, 7)
    one, two = pair_statistics(first), pair_statistics(second)
    difference = share(one.total()) - share(two.total())
    found = exchange_p_value(difference, exchange_differences(one, two, masks)[:, None])[0]
    assert found == pytest.approx(oracles.exact_p(first, second, "observed"), abs=0.02)


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
