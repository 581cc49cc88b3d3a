"""pq-grams against a walk over nested tuples."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import tree_oracles as oracles
from helpers.tree_strategies import Team, random_team, teams
from spacy_chance_eval.measures.trees import pq_grams
from spacy_chance_eval.measures.trees.pq_grams import overlap_blocks, overlap_distances, profiles
from spacy_chance_eval.measures.trees.trees import Trees

ORDERS = st.tuples(st.integers(1, 3), st.integers(1, 4))


def matrix_of(found):
    """All distances; of every two profiles one order must be there."""
    matrix = np.full((found.n_trees, found.n_trees), -1)
    for rows, columns, block in overlap_blocks(found):
        assert (matrix[rows, columns] == -1).all()
        matrix[rows, columns] = block
    assert (np.maximum(matrix, matrix.T) >= 0).all()
    return np.maximum(matrix, matrix.T)


def test_two_small_trees_are_as_far_apart_as_worked_out_by_hand():
    works = {name: (("a", (("b", ()), (name, ()))),) for name in "cd"}
    found, _ = profiles(Team("constituency", works).panel().annotations)
    assert found.sizes.tolist() == [6, 6]
    assert overlap_distances(found, [(0, 1)]).tolist() == [8]
    assert 1 - 2 * 2 / (6 + 6) == pytest.approx(8 / (6 + 6))  # two of them are shared
    found, _ = profiles([Trees.from_heads([], [])])
    assert found.n_trees == 0 and list(overlap_blocks(found)) == []
    assert overlap_distances(found, []).tolist() == []
    # what no root leads to has no pieces
    one = Trees.from_heads([[0, 3, 2], [0]], ["AAA", "A"], cycles="reachable")
    found, (numbers,) = profiles([one])
    assert numbers[0] == numbers[1] and found.n_trees == 1


@given(team=teams(even=False), order=ORDERS)
def test_distances_are_those_of_bags_of_pieces(team, order):
    p, q = order
    panel = team.panel()
    found, numbers = profiles(panel.annotations, p=p, q=q)
    known = {}
    for name, column in zip(panel.names, numbers):
        for work, number in zip(team.works[name], column.tolist()):
            assert (work is None) == (number == -1)
            if work is not None:
                grams = oracles.grams(team.nested(work), p, q)
                assert known.setdefault(number, grams) == grams
    assert sorted(known) == list(range(found.n_trees))
    assert found.sizes.tolist() == [known[number].total() for number in range(found.n_trees)]
    matrix = matrix_of(found)
    pairs = list(combinations_with_replacement(range(found.n_trees), 2))
    for (i, j), distance in zip(pairs, overlap_distances(found, pairs)):
        expected = (known[i] - known[j]).total() + (known[j] - known[i]).total()
        assert matrix[i, j] == distance == expected
        assert (expected == 0) == (i == j)


@pytest.mark.parametrize("limits", [{"CELLS": 300}, *({"OFTEN": share} for share in (0, 0.2, 1))])
def test_distances_do_not_depend_on_blocks_or_what_is_frequent(limits, monkeypatch):
    told = []
    found, _ = profiles(random_team(5, 30).panel().annotations, p=1, q=1)
    whole = matrix_of(found)
    pairs = [(one, two) for one in range(found.n_trees) for two in range(found.n_trees)]
    assert whole.reshape(-1).tolist() == overlap_distances(found, pairs).tolist()
    list(overlap_blocks(found, progress=lambda steps, *what: told.append(what) or steps))
    assert told == [(1, "pq-grams")]
    for name, limit in limits.items():
        monkeypatch.setattr(pq_grams, name, limit)
    np.testing.assert_array_equal(matrix_of(found), whole)


def test_deep_trees_are_taken_apart_without_recursion():
    n = 10_000
    found, _ = profiles([Trees.from_heads([range(n)], [["A"] * n])])
    assert found.sizes.tolist() == [2 + 3 * n - 1]
