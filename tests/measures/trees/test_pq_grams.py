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

ONE = ("a", (("b", ()), ("c", ())))
TWO = ("a", (("b", ()), ("d", ())))
ORDERS = st.tuples(st.integers(1, 3), st.integers(1, 4))


def panel_of(*works, kind="constituency"):
    return Team(kind, {str(i): (work,) for i, work in enumerate(works)}).panel()


def matrix_of(found):
    """All distances; of every two profiles one order must be there."""
    matrix = np.full((found.n_trees, found.n_trees), -1)
    for rows, columns, block in overlap_blocks(found):
        assert (matrix[rows, columns] == -1).all()
        matrix[rows, columns] = block
    assert (np.maximum(matrix, matrix.T) >= 0).all()
    return np.maximum(matrix, matrix.T)


def test_two_small_trees_are_as_far_apart_as_worked_out_by_hand():
    found, _ = profiles(panel_of(ONE, TWO).annotations)
    assert found.sizes.tolist() == [6, 6]
    assert overlap_distances(found, [(0, 1)]).tolist() == [8]
    assert 1 - 2 * 2 / (6 + 6) == pytest.approx(8 / (6 + 6))  # two of them are shared


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


def test_distances_do_not_depend_on_the_blocks(monkeypatch):
    found, _ = profiles(random_team(5, 30).panel().annotations)
    whole = matrix_of(found)
    monkeypatch.setattr(pq_grams, "CELLS", 300)
    np.testing.assert_array_equal(matrix_of(found), whole)


@pytest.mark.parametrize("share", [0, 0.2, 1])
def test_frequent_pieces_count_like_others(monkeypatch, share):
    found, _ = profiles(random_team(5, 30).panel().annotations, p=1, q=1)
    whole = matrix_of(found)
    pairs = [(one, two) for one in range(found.n_trees) for two in range(found.n_trees)]
    assert whole.reshape(-1).tolist() == overlap_distances(found, pairs).tolist()
    monkeypatch.setattr(pq_grams, "OFTEN", share)
    np.testing.assert_array_equal(matrix_of(found), whole)


def test_progress_is_told_of_the_blocks():
    found, _ = profiles(random_team(5, 10).panel().annotations)
    told = []
    list(overlap_blocks(found, progress=lambda steps, *what: told.append(what) or steps))
    assert told == [(1, "pq-grams")]


def test_without_trees_there_are_no_distances():
    found, _ = profiles([Trees.from_heads([], [])])
    assert found.n_trees == 0 and list(overlap_blocks(found)) == []
    assert overlap_distances(found, []).tolist() == []


def test_what_no_root_leads_to_has_no_pieces():
    one = Trees.from_heads([[0, 3, 2], [0]], ["AAA", "A"], cycles="reachable")
    found, (numbers,) = profiles([one])
    assert numbers[0] == numbers[1] and found.n_trees == 1


def test_deep_trees_are_taken_apart_without_recursion():
    n = 10_000
    found, _ = profiles([Trees.from_heads([range(n)], [["A"] * n])])
    assert found.sizes.tolist() == [2 + 3 * n - 1]
