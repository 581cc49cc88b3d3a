from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers import resampling_oracles as oracles
from helpers.resamples import Pair, rng, table, whole
from spacy_chance_eval.measures import resampling
from spacy_chance_eval.measures.resampling import (
    bootstrap_weights,
    cluster_order,
    exchange_weights,
    grouped,
    resampled,
    weighted_sums,
)

FIELDS = ("top", "bottom")
BLOCKS = [(1, 1), (2, 3), (7, 5), (1000, 1000)]
each_block_size = pytest.mark.parametrize(("resamples", "rows"), BLOCKS)
each_kind = pytest.mark.parametrize("make", [bootstrap_weights, exchange_weights])


@pytest.fixture
def small_blocks(monkeypatch):
    def small(resamples, rows):
        monkeypatch.setattr(resampling, "RESAMPLES", resamples)
        monkeypatch.setattr(resampling, "ROWS", rows)

    return small


# --- weights


@each_kind
@each_block_size
def test_blocks_cover_every_resample_and_row_once(small_blocks, make, resamples, rows):
    small_blocks(resamples, rows)
    for n_rows, n_resamples in product((1, 2, 5, 13), (1, 4, 20)):
        blocks = make(n_rows, n_resamples, rng())
        n_blocks = len(blocks)
        blocks = list(blocks)
        assert len(blocks) == n_blocks
        whole(blocks, n_resamples, n_rows)


@each_block_size
@pytest.mark.parametrize("draws", [None, 1, 4, 60])
def test_every_resample_draws_as_many_rows_as_there_are_or_so_many(
    small_blocks, resamples, rows, draws
):
    small_blocks(resamples, rows)
    blocks = bootstrap_weights(13, 50, rng(), *([draws] if draws else []))
    weights = whole(blocks, 50, 13)
    assert (weights.sum(axis=1) == (draws or 13)).all()
    assert (weights >= 0).all() and (weights == weights.round()).all()


@pytest.mark.parametrize("n_rows", [1, 5, 2050])
def test_weights_are_what_numpy_draws(n_rows):
    sizes = [block.stop - block.start for block in resampling.slices(n_rows, resampling.ROWS)]
    weights, draws = whole(exchange_weights(n_rows, 9, rng(3)), 9, n_rows), rng(3)
    expected = [draws.integers(0, 2, (9, size), dtype=np.int8) for size in sizes]
    assert (weights == np.concatenate(expected, axis=1)).all()
    weights, draws = whole(bootstrap_weights(n_rows, 70, rng(3)), 70, n_rows), rng(3)
    numbers = draws.multinomial(n_rows, np.array(sizes) / n_rows, size=70).T
    parts = []
    for size, number in zip(sizes, numbers):
        cell = np.repeat(np.arange(70) * size, number)
        cell += draws.integers(0, size, len(cell))
        parts.append(np.bincount(cell, minlength=70 * size).reshape(70, size))
    assert (weights == np.concatenate(parts, axis=1)).all()


def test_a_row_that_is_drawn_more_than_255_times_is_counted():
    weights = whole(bootstrap_weights(1, 3, rng()), 3, 1)
    assert weights.tolist() == [[1]] * 3
    (spread,) = (resampling.draws_of_rows(np.array([300, 2]), 1, rng()),)
    assert spread.tolist() == [[300], [2]]


# --- weighted sums


def all_sums(arrays, weights):
    """The weighted sums of all resamples, with these as last axis."""
    parts = [found for _, found in weighted_sums(arrays, weights)]
    return [np.concatenate(some, axis=-1) for some in zip(*parts)]


def all_resampled(statistics, weights):
    """The sums of all resamples, as one of the statistics each."""
    parts = [found for _, found in resampled(statistics, weights)]
    return [
        Pair(*(np.concatenate([getattr(one, field) for one in some]) for field in FIELDS))
        for some in zip(*parts)
    ]


@pytest.mark.parametrize("n_labels", [1, 3, 65, 130])
@pytest.mark.parametrize("n_rows", [1, 127, 129, 2050])
def test_sums_of_whole_numbers_are_exact(n_rows, n_labels):
    """Of those that four bytes hold and of larger ones, in pieces of all sizes."""
    values = rng(1).integers(-9, 10, (n_rows, n_labels))
    for factor in (1, 2**30):
        arrays = [values * factor, (values * factor).astype(float)]
        weights = list(bootstrap_weights(n_rows, 37, rng()))
        expected = whole(weights, 37, n_rows).astype(int) @ (values * factor)
        for sums in all_sums(arrays, weights):
            assert (sums.T == expected).all()


def test_sums_of_fractions_do_not_depend_on_what_else_is_summed():
    values = rng(2).random((300, 70))
    weights = list(bootstrap_weights(300, 40, rng()))
    (alone,) = all_sums([values[:, :3]], weights)
    (among,) = all_sums([values], weights)
    np.testing.assert_allclose(among[:3], alone, rtol=1e-13)


@each_block_size
def test_weighted_sums_are_those_of_explicit_loops(small_blocks, resamples, rows):
    small_blocks(resamples, rows)
    one, two = table(seed=1), table(seed=2)
    blocks = list(bootstrap_weights(11, 20, rng()))
    sums = all_resampled([one, two], blocks)
    for drawn, weights in enumerate(whole(blocks, 20, 11)):
        for statistics, found in zip((one, two), sums):
            for field in FIELDS:
                column = getattr(statistics, field).tolist()
                expected = [sum(column[i][k] for i in oracles.indices(weights)) for k in range(2)]
                assert getattr(found, field)[drawn].tolist() == expected


def test_an_array_that_two_statistics_share_is_summed_once():
    shared, seen = np.ones((3, 1)), []
    one, two = Pair(shared, shared), Pair(shared, np.full((3, 1), 2.0))
    block = slice(0, 2), slice(0, 3), np.ones((2, 3))
    progress = lambda blocks: (seen.append(one) or one for one in blocks)  # noqa: E731
    ((_, sums),) = resampled([one, two], [block], progress)
    assert [sums[1].top.tolist(), sums[1].bottom.tolist()] == [[[3], [3]], [[6], [6]]]
    assert sums[0].bottom.tolist() == [[3], [3]]
    assert seen == [block]


# --- clusters


def keys(n_rows, seed=0):
    return [rng(seed).integers(0, 2**63, n_rows).astype(np.uint64)]


def clustered(statistics, clusters, content):
    return grouped(statistics, cluster_order(np.asarray(clusters), content), {})


def rows_of(statistics):
    return sorted(map(tuple, np.hstack([statistics.top, statistics.bottom]).tolist()))


@given(st.lists(st.integers(-1, 4), min_size=1, max_size=9))
@example([-1, 5, -1])
@example([-1, -1, -1])
def test_a_cluster_is_the_sum_of_its_documents(clusters):
    """Documents of cluster -1 are left out."""
    statistics = table(len(clusters))
    columns = np.hstack([statistics.top, statistics.bottom]).tolist()
    expected = [
        tuple(map(sum, zip(*(row for row, name in zip(columns, clusters) if name == wanted))))
        for wanted in set(clusters) - {-1}
    ]
    found = clustered(statistics, np.array(clusters), keys(len(clusters)))
    assert rows_of(found) == sorted(expected)


@given(
    st.permutations(range(8)),
    st.lists(st.integers(-1, 3), min_size=8, max_size=8),
    st.permutations(range(4)),
)
def test_rows_do_not_depend_on_the_order_of_documents_or_clusters(order, clusters, names):
    order, clusters = np.array(order), np.array(clusters)
    statistics, content = table(8), keys(8)
    one = clustered(statistics, clusters, content)
    other = np.append(names, -1)[clusters]
    two = clustered(statistics[order], other[order], [key[order] for key in content])
    assert (one.top == two.top).all() and (one.bottom == two.bottom).all()
