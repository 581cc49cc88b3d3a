"""One-to-one pairs of greatest weight, against brute force."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from spacy_chance_eval.measures.pairing import assignment, best_pairs

EDGES = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(0, 6), max_size=8
)


def best_of_all(weights):
    """Greatest total of a one-to-one choice from a matrix, by trying all."""
    n_rows, n_columns = weights.shape
    padded = np.hstack([weights, np.zeros((n_rows, n_rows))])
    orders = permutations(range(n_rows + n_columns), n_rows)
    return max(sum(padded[i, c] for i, c in enumerate(order)) for order in orders)


def one_to_one(edges):
    lefts, rights = zip(*edges) if edges else ((), ())
    return len(set(lefts)) == len(lefts) and len(set(rights)) == len(rights)


@each_case("seed", range(60))
def test_an_assignment_has_the_greatest_weight(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 5, 2)
    weights = rng.choice([0.0, 1.0, 1.0, 2.5, 4.0], shape) * rng.choice([1.0, 0.37])
    column = assignment(weights)
    taken = column[column >= 0]
    assert len(set(taken.tolist())) == len(taken)
    total = weights[np.flatnonzero(column >= 0), taken].sum()
    assert total == pytest.approx(best_of_all(weights))


@given(EDGES)
def test_best_pairs_have_the_greatest_total_weight(edges):
    keys, weight = list(edges), list(edges.values())
    chosen = best_pairs([i for i, _ in keys], [j for _, j in keys], weight)
    assert one_to_one([keys[row] for row in chosen])
    subsets = (x for n in range(len(keys) + 1) for x in combinations(range(len(keys)), n))
    best = max(sum(weight[r] for r in x) for x in subsets if one_to_one([keys[r] for r in x]))
    assert sum(weight[row] for row in chosen) == best


@given(EDGES)
def test_equal_weights_give_a_maximum_matching(edges):
    keys = list(edges)
    chosen = best_pairs([i for i, _ in keys], [j for _, j in keys], np.ones(len(keys)))
    subsets = (x for n in range(len(keys) + 1) for x in combinations(range(len(keys)), n))
    assert len(chosen) == max(len(x) for x in subsets if one_to_one([keys[r] for r in x]))


@given(EDGES, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(edges, random):
    keys = list(edges)
    shuffled = random.sample(keys, len(keys))
    totals = []
    for order in (keys, shuffled):
        chosen = best_pairs([i for i, _ in order], [j for _, j in order], [edges[k] for k in order])
        totals.append(sum(edges[order[row]] for row in chosen))
    assert totals[0] == totals[1]


def test_greedy_choice_is_not_enough():
    assert best_pairs([0, 0, 1], [0, 1, 0], [3.0, 2.0, 2.0]).tolist() == [1, 2]


def test_rows_without_rivals_are_taken_as_they_are():
    assert best_pairs([4, 9, 7], [1, 0, 2], [0.0, 1.0, 2.0]).tolist() == [0, 1, 2]


def test_no_rows_give_no_pairs():
    assert best_pairs([], [], []).tolist() == []


def test_a_long_chain_is_one_component():
    n = 300
    left = np.repeat(np.arange(n), 2)
    right = np.ravel([(k, k + 1) for k in range(n)])
    weight = np.tile([2.0, 3.0], n)
    assert best_pairs(left, right, weight).tolist() == list(range(1, 2 * n, 2))
