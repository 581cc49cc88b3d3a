"""The alternative annotator test on outcomes: p-values, limits, winning rates."""

import importlib
from itertools import product

import numpy as np
import pytest

from spacy_chance_eval.measures.replacement import (
    Outcomes,
    advantage_probability,
    benjamini_yekutieli,
    chosen_tests,
    mean_advantage,
    mean_difference,
    outcomes_of,
    p_values,
    resampled_outcomes,
    wilcoxon_below,
    winning_rate,
)


@pytest.fixture
def stats():
    """scipy.stats; its import takes long, and not each process runs these tests."""
    return importlib.import_module("scipy.stats")


SIGNS = [-1, 0, 1]  # d of instances that are better, equal, worse


def outcomes(*rows):
    """`Outcomes` of annotators from rows (better, equal, worse)."""
    return Outcomes(*np.array(rows).T)


def random_rows(n, most, seed=0):
    """Rows (better, equal, worse) with two instances or more."""
    rows = np.random.default_rng(seed).integers(0, most, (4 * n, 3))
    return [row for row in rows.tolist() if sum(row) > 1][:n]


# --- tests of one annotator


def test_t_test_is_that_of_scipy(stats):
    for row in random_rows(100, 40):
        if sum(one > 0 for one in row) > 1:  # otherwise there is no variance
            expected = stats.ttest_1samp(np.repeat(SIGNS, row), 0.2, alternative="less").pvalue
            (p,) = p_values(outcomes(row), 0.2, "t", 1)
            assert p == pytest.approx(expected, rel=1e-8, abs=1e-14)
    for row, epsilon, p in (
        ((0, 9, 0), 0.2, 0),
        ((9, 0, 0), 0.2, 0),
        ((0, 0, 9), 0.2, 1),
        ((0, 9, 0), 0.0, 1),
    ):
        assert p_values(outcomes(row), epsilon, "t", 1) == [p]


@pytest.mark.parametrize("epsilon", [0, 0.1, 0.2, 0.5, 1])
def test_wilcoxon_counts_all_signs(epsilon, stats):
    for row in random_rows(60, 5):
        values = np.round(np.repeat(SIGNS, row) - epsilon, 9)
        values = values[values != 0]
        ranks = stats.rankdata(np.abs(values))
        signs = np.array([*product([0, 1], repeat=len(values))]).reshape(2 ** len(values), -1)
        expected = (signs @ ranks <= ranks[values > 0].sum()).mean()
        assert wilcoxon_below(*row, epsilon) == pytest.approx(expected)


def test_wilcoxon_of_many_is_normal(stats):
    values = np.repeat(SIGNS, (40, 300, 60)) - 0.2
    expected = stats.wilcoxon(values, alternative="less", method="asymptotic").pvalue
    assert wilcoxon_below(40, 300, 60, 0.2) == pytest.approx(expected)
    exact, normal = (wilcoxon_below(5, 50 + more, 5, 0.2) for more in (0, 1))
    assert exact == pytest.approx(normal, abs=0.002)


def test_auto_takes_wilcoxon_below_30():
    names = chosen_tests([0, 1, 29, 30], min_instances=1)
    assert names.tolist() == ["", "wilcoxon", "wilcoxon", "t"]
    assert chosen_tests([1, 29, 30]).tolist() == ["", "", "t"]
    assert chosen_tests([1, 2], "t", 1).tolist() == ["", "t"]


# --- all annotators


def rejected_slowly(p, q):
    """The step-up procedure, written out."""
    p = sorted((value, i) for i, value in enumerate(p))
    m, last = len(p), 0
    for k, (value, _) in enumerate(p, 1):
        if value <= k / m * q / sum(1 / i for i in range(1, m + 1)):
            last = k
    return {i for _, i in p[:last]}


def test_benjamini_yekutieli_steps_up(stats):
    rng = np.random.default_rng(1)
    for _ in range(300):
        p = rng.random(rng.integers(1, 9)) ** 4
        rejected = benjamini_yekutieli(p, 0.1)[1]
        assert set(np.flatnonzero(rejected)) == rejected_slowly(p, 0.1)
        assert (rejected == (stats.false_discovery_control(p, method="by") <= 0.1)).all()


# --- outcomes


def test_example_by_hand():
    a, b, c, candidate = (np.array(list(row)) for row in ("XXYYXY", "XXYXXY", "XYYYXX", "XXYYXX"))
    everyone = np.stack([a, b, c], axis=1)
    to_annotators = (everyone[:, :, None] == everyone[:, None]).sum(axis=2) - 1
    to_candidate = everyone == candidate[:, None]
    total = outcomes_of(to_candidate, to_annotators, np.ones((6, 3), bool)).total()
    assert advantage_probability(total).tolist() == [1, 1, 1]
    p = p_values(total, 0.2, "t", 1)
    assert p == pytest.approx([0, 0.039547, 0.039547], abs=5e-7)
    limits, rejected = benjamini_yekutieli(p)
    assert sorted(limits) == pytest.approx([0.00909, 0.01818, 0.02727], abs=5e-6)
    assert rejected.tolist() == [True, False, False]
    assert winning_rate(p) == pytest.approx(1 / 3)


def test_unseen_instances_are_left_out():
    seen = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1]], bool)
    to_candidate = np.array([[1, 0, 0], [1, 0, 0], [np.nan] * 3])
    rows = outcomes_of(to_candidate, np.ones((3, 3)), seen)
    assert rows.instances.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 0]]
    total = rows.total()
    assert total.instances.tolist() == [1, 1, 0]
    assert (total.worse.tolist(), total.equal.tolist()) == ([1, 0, 0], [0, 1, 0])
    rounded = outcomes_of([[0.1 + 0.2, 0.1 + 0.2]], [[0.3, 0.3]], [[True, True]])
    assert rounded.equal.tolist() == [[1, 1]]


def test_means_are_of_tested_annotators():
    rows = outcomes((20, 10, 10), (0, 0, 5))
    assert mean_advantage(rows) == 0.75
    assert mean_advantage(rows, 1) == 0.375
    assert mean_advantage(outcomes((3, 0, 1), (0, 0, 0)), 0) == 0.75  # who has no instances
    assert np.isnan(mean_advantage(rows, 100))
    assert mean_difference(rows).tolist() == [-0.25, 1]


# --- resamples


def test_resamples_have_equal_sizes_and_shares_in_any_order_of_units():
    rows = Outcomes(*np.random.default_rng(0).integers(0, 2, (3, 20, 2)))
    rows = Outcomes(rows.better, 1 - rows.better, rows.worse * 0)
    sample, other = (
        resampled_outcomes(one, 400, np.random.default_rng(1)) for one in (rows, rows[::-1])
    )
    assert (sample.instances == 20).all()
    shares = sample.better.mean(axis=0) / 20
    assert shares == pytest.approx(rows.better.mean(axis=0), abs=0.02)
    assert (sample.better == other.better).all()


@pytest.mark.slow
@pytest.mark.parametrize("test, n", [("t", 30), ("t", 100), ("t", 300)])
def test_level_at_the_boundary(test, n):
    """With a mean difference of exactly epsilon, at most about q of the samples are rejected."""
    rng = np.random.default_rng(n)
    rows = rng.multinomial(n, [0.2, 0.4, 0.4], size=20_000)
    rejected = p_values(outcomes(*rows), 0.2, test, 1) <= 0.05
    assert rejected.mean() == pytest.approx(0.05, abs=0.012)


@pytest.mark.slow
def test_false_discoveries_at_the_boundary():
    rng = np.random.default_rng(5)
    rows = rng.multinomial(100, [0.2, 0.4, 0.4], size=(10_000, 5))
    p = p_values(Outcomes(*np.moveaxis(rows, -1, 0)), 0.2)
    assert benjamini_yekutieli(p)[1].any(axis=1).mean() < 0.05


@pytest.mark.slow
def test_wilcoxon_does_not_hold_its_level():
    """Why there is a warning: at the boundary, d of 0 and 1 alone is far from symmetric."""
    rows = np.random.default_rng(0).multinomial(20, [0, 0.8, 0.2], size=20_000)
    shares = [
        (p_values(outcomes(*rows), 0.2, test, 1) <= 0.05).mean() for test in ("wilcoxon", "t")
    ]
    assert shares[0] == pytest.approx(0.41, abs=0.02)
    assert shares[1] == pytest.approx(0.07, abs=0.01)
