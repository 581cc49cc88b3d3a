"""Distances of some pairs: equal rims are left out, and many pairs are done at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import tree_oracles as oracles
from helpers.tree_strategies import distinct, each_kind, random_team, teams
from spacy_chance_eval.measures.trees.postorder import distinct_trees
from spacy_chance_eval.measures.trees.tree_edit import pair_distances, tree_edit_distances
from spacy_chance_eval.measures.trees.tree_pairs import trimmed
from spacy_chance_eval.measures.trees.trees import Trees


def constituents(*rows):
    return Trees.from_nodes("constituency", *zip(*map(oracles.preorder, rows)))


def left(*rows):
    """How many nodes are left of each tree of a pair, and how many were left out of both."""
    sides = [constituents(row) for row in rows]
    labels = sorted({label for side in sides for label in side.labels})
    trees, _ = distinct_trees([side.with_labels(labels) for side in sides], mirror=False)
    found = trimmed(trees, np.array([[0], [1]]))
    return (*(found.end - found.begin)[:, 0].tolist(), int(found.saved[0]) // 2)


X, Y, Z = (("X", ()), ("Y", ()), ("Z", (("A", ()), ("B", ()))))


@pytest.mark.parametrize(
    "one, two, expected",
    [
        (("S", (X, Y)), ("S", (X, Z)), (1, 3, 2)),
        (("S", (Y, X)), ("S", (Z, X)), (1, 3, 2)),
        (("S", (X, Y)), ("T", (X, Y)), (3, 3, 0)),
        (("S", (Z, ("T", (X, Y)))), ("S", (Z, ("T", (Y, Y)))), (1, 1, 6)),
        (("S", (X, X)), ("S", (X,)), (1, 0, 2)),
        (("S", (X, Y, Z)), ("S", (X, ("U", (Y, Z)))), (4, 5, 2)),
        (("S", (X, Y)), ("S", (("U", (X, Z)), Y)), (1, 5, 2)),
    ],
    ids=["first", "last", "no root", "inside", "one is empty", "deeper in one", "deeper in two"],
)
def test_equal_trees_at_the_rim_and_equal_roots_are_left_out(one, two, expected):
    assert left(one, two) == expected


@given(team=teams(even=False, most=9), mirror=st.booleans())
def test_what_is_left_out_changes_no_distance(team, mirror):
    _, known = distinct(team)
    trees, _ = distinct_trees(team.panel().annotations, mirror=mirror)
    pairs = np.argwhere(np.ones((trees.n_trees,) * 2))
    expected = [oracles.ted(known[one], known[two]) for one, two in pairs.tolist()]
    assert pair_distances(trees, pairs).tolist() == expected


@each_kind
def test_similar_large_trees_have_the_distances_of_whole_ones(kind):
    """Costs of a table have no part left out."""
    team = random_team(3, 80, names=["ann"], kind=kind, gaps=False, longest=40)
    (one,) = team.panel().annotations
    rng = np.random.default_rng(0)
    label = np.where(rng.random(len(one.label)) < 0.1, rng.permutation(one.label), one.label)
    two = Trees(one.kind, one.starts, one.parents, label, one.labels)
    n_labels = len(one.labels)
    whole = tree_edit_distances(one, two, costs=1 - np.eye(n_labels))
    np.testing.assert_array_equal(tree_edit_distances(one, two), whole)
    assert 0 < whole.sum() < len(one.label)


def test_pairs_may_come_in_any_order_and_again():
    found, _ = distinct(random_team(1, 10))
    pairs = np.random.default_rng(0).integers(0, found.n_trees, (200, 2))
    turned = pair_distances(found, pairs[::-1, ::-1])[::-1]
    np.testing.assert_array_equal(pair_distances(found, pairs), turned)
    assert not pair_distances(found, [[0, 0], [3, 3]]).any()


@pytest.mark.parametrize("pairs", [np.zeros((0, 2)), []], ids=["array", "list"])
def test_no_pairs_have_no_distances(pairs):
    found, _ = distinct(random_team(1, 3))
    assert pair_distances(found, pairs).shape == (0,)
