"""Tree edit distance against the textbook recursion, zss and apted; both back ends."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import tree_oracles as oracles
from helpers.tree_strategies import (
    all_pairs,
    distances,
    distinct,
    each_backend,
    each_kind,
    in_small_blocks,
    random_team,
    sentences,
    teams,
    trees,
)
from spacy_chance_eval.measures.trees.postorder import distinct_trees
from spacy_chance_eval.measures.trees.tree_edit import (
    _tiles,
    distance_blocks,
    forests,
    pair_distances,
    tree_edit_distances,
)
from spacy_chance_eval.measures.trees.trees import Trees

# --- against the definition


@each_backend
@given(one=trees(), two=trees())
@settings(max_examples=40)
def test_distances_are_those_of_the_recursion(backend, one, two):
    assert distances([(one, two)], backend=backend) == [oracles.ted(one, two)]


@each_backend
@given(data=st.data())
def test_distances_of_sentences_are_those_of_the_recursion(backend, data):
    rows = [
        [data.draw(sentences(data.draw(st.integers(0, 6)))) for _ in range(2)] for _ in range(4)
    ]
    expected = [oracles.ted(*(oracles.tree_of_heads(*work) for work in row)) for row in rows]
    found = distances(rows, "dependency", backend=backend)
    assert found == expected and all(isinstance(number, int) for number in found)


@each_backend
def test_every_two_small_trees_have_the_distance_of_the_recursion(backend):
    small = [tree for n in (1, 2, 3) for tree in oracles.all_trees(n, "AB")]
    rows = list(product(small, repeat=2))
    assert distances(rows, backend=backend) == [oracles.ted(*row) for row in rows]


@each_backend
@given(team=teams(even=False))
def test_blocks_hold_the_distances_of_all_pairs(backend, team):
    found, known = distinct(team)
    expected = [[oracles.ted(one, two) for two in known] for one in known]
    np.testing.assert_array_equal(all_pairs(found, backend=backend), np.array(expected, float))


@pytest.fixture
def few_cells(monkeypatch):
    in_small_blocks(monkeypatch)


@each_backend
@each_kind
def test_blocks_of_any_size_hold_the_same(backend, kind, few_cells):
    found, known = distinct(random_team(7, 25, kind=kind))
    options = {"backend": backend}
    assert len(list(distance_blocks(found, **options))) > 20
    matrix = all_pairs(found, **options)
    for (i, one), (j, two) in product(list(enumerate(known))[::5], enumerate(known)):
        assert matrix[i, j] == oracles.ted(one, two)
    np.testing.assert_array_equal(matrix, all_pairs(found, threads=1, **options))


def test_blocks_are_no_larger_than_their_bound():
    tall = forests(distinct(random_team(7, 40))[0])
    sizes, cells = tall.n_members(), 500
    assert len(set(sizes.tolist())) > 3
    for rows, columns, stretch in _tiles(tall, 4, cells):
        width = sizes[stretch].sum() if rows.start >= stretch.stop else sizes[columns].sum()
        alone = sizes[rows].max() * sizes[stretch].max()  # a pair of trees is not divided
        assert sizes[rows].sum() * min(width, sizes[stretch].sum()) <= max(cells, alone)


@each_backend
@given(data=st.data())
def test_some_pairs_have_the_distances_that_they_have_among_all(backend, data):
    found, _ = distinct(random_team(data.draw(st.integers(0, 99)), 10))
    number = st.integers(0, found.n_trees - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(number, number), max_size=40)), np.int64)
    pairs = pairs.reshape(-1, 2)
    matrix = all_pairs(found)
    expected = matrix[pairs[:, 0], pairs[:, 1]]
    np.testing.assert_array_equal(pair_distances(found, pairs, backend=backend), expected)


@each_backend
def test_pairs_of_any_block_are_measured(backend, few_cells):
    found, _ = distinct(random_team(8, 25))
    pairs = np.random.default_rng(0).integers(0, found.n_trees, (300, 2))
    expected = all_pairs(found)[pairs[:, 0], pairs[:, 1]]
    np.testing.assert_array_equal(pair_distances(found, pairs, backend=backend), expected)


@each_backend
def test_without_trees_there_are_no_distances(backend):
    empty = Trees.from_heads([], [])
    assert tree_edit_distances(empty, empty, backend=backend).tolist() == []
    assert list(distance_blocks(distinct_trees([empty])[0], backend=backend)) == []


# --- against other programs


def for_zss(tree):
    import zss

    label, children = tree
    return zss.Node(label or "root", [for_zss(child) for child in children])


def by_zss(one, two):
    """By zss 1.2."""
    import zss

    return zss.simple_distance(for_zss(one), for_zss(two), label_dist=lambda a, b: int(a != b))


def by_apted(one, two):
    """By apted 1.0."""
    from apted import APTED
    from apted.helpers import Tree

    def made(tree):
        return Tree(tree[0], *map(made, tree[1]))

    return APTED(made(one), made(two)).compute_edit_distance()


OTHERS = {"zss": by_zss, "apted": by_apted}


@pytest.mark.integration
@pytest.mark.parametrize("other", OTHERS)
@each_backend
@each_kind
def test_larger_trees_have_the_distances_of_other_programs(other, backend, kind):
    pytest.importorskip(other)
    team = random_team(5, 60, names=["ann", "bob"], kind=kind, gaps=False, longest=30)
    expected = [OTHERS[other](*map(team.nested, item)) for item in team.items()]
    assert tree_edit_distances(*team.panel().annotations, backend=backend).tolist() == expected


@pytest.mark.parametrize("other", OTHERS)
@given(one=trees(most=10), two=trees(most=10))
def test_small_trees_have_the_distances_of_other_programs(other, one, two):
    pytest.importorskip(other)
    assert distances([(one, two)]) == [OTHERS[other](one, two)]


# --- laws


@each_kind
def test_back_ends_and_mirror_images_give_equal_integers(kind):
    team = random_team(9, 40, kind=kind, longest=20)
    panel = team.panel()
    tables = []
    for mirror, backend in product((False, True), ("numpy", "auto")):
        found, numbers = distinct_trees(panel.annotations, mirror=mirror)
        blocks = [block for _, _, block in distance_blocks(found, backend=backend)]
        assert all(np.issubdtype(block.dtype, np.integer) for block in blocks)
        tables.append(all_pairs(found, backend=backend))
    for table in tables[1:]:
        np.testing.assert_array_equal(table, tables[0])


@given(one=trees(), two=trees())
def test_tokens_that_stand_like_constituents_are_as_far_apart(one, two):
    rows = [[oracles.as_heads(one), oracles.as_heads(two)]]
    assert distances(rows, "dependency") == distances([(one, two)])


def test_one_label_more_or_less_is_one_apart():
    one, two = ([2, 0, 4, 2], list("ABCD")), ([2, 0, 4, 2], list("XBCD"))
    assert distances([(one, two)], "dependency") == [1]


def test_words_in_another_order_may_have_the_same_tree():
    one, two = ([0, 1, 1], ["PRED", "X", "Y"]), ([2, 0, 2], ["X", "PRED", "Y"])
    assert distances([(one, two)], "dependency") == [0]


def test_what_no_root_leads_to_is_not_measured():
    one = Trees.from_heads([[0, 3, 2]], ["AAA"], cycles="reachable")
    two = Trees.from_heads([[0, 1, 1]], ["AAA"])
    assert tree_edit_distances(one, two).tolist() == [2]
