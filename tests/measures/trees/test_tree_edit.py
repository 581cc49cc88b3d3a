"""Tree edit distance against the textbook recursion, zss and apted; both back ends."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings

from helpers import tree_oracles as oracles
from helpers.cases import each_case, later
from helpers.tree_strategies import (
    LABELS,
    NUMBA,
    all_pairs,
    distances,
    distinct,
    each_backend,
    each_kind,
    in_small_blocks,
    random_team,
    sides,
    teams,
    trees,
)
from spacy_chance_eval.measures.trees import tree_edit
from spacy_chance_eval.measures.trees.postorder import distinct_trees
from spacy_chance_eval.measures.trees.tree_edit import (
    BACKENDS,
    distance_blocks,
    pair_distances,
    tree_edit_distances,
)
from spacy_chance_eval.measures.trees.trees import Trees

# --- against the definition


@given(one=trees(), two=trees())
@settings(max_examples=10 * settings.default.max_examples)
def test_distances_are_those_of_the_recursion(one, two):
    expected = [oracles.ted(one, two)]
    assert distances([(one, two)]) == expected
    # tokens that stand like the constituents
    rows = [[oracles.as_heads(one), oracles.as_heads(two)]]
    assert distances(rows, "dependency") == expected


def test_every_two_small_trees_have_the_distance_of_the_recursion():
    small = [tree for n in (1, 2, 3) for tree in oracles.all_trees(n, "AB")]
    rows = list(product(small, repeat=2))
    assert distances(rows) == [oracles.ted(*row) for row in rows]


@pytest.fixture
def few_cells(monkeypatch):
    in_small_blocks(monkeypatch)


@each_backend
@given(team=teams(even=False, most=7))
def test_blocks_and_pairs_have_the_distances_of_the_recursion(backend, team):
    """Of trees as they are, mirrored, or as is less work."""
    _, known = distinct(team)
    expected = np.array([[oracles.ted(one, two) for two in known] for one in known], float)
    pairs = np.argwhere(np.ones((len(known),) * 2))
    for mirror in (False, True, None):
        found, _ = distinct_trees(team.panel().annotations, mirror=mirror)
        np.testing.assert_array_equal(all_pairs(found, backend=backend), expected)
        distances = pair_distances(found, pairs)
        assert all(isinstance(number, int) for number in distances.tolist())
        np.testing.assert_array_equal(distances, expected.ravel())


@each_backend
@each_kind
def test_blocks_of_any_size_hold_the_same(backend, kind, few_cells):
    found, known = distinct(random_team(7, 25, kind=kind))
    options = {"backend": backend}
    blocks = [block for *_, block in distance_blocks(found, **options)]
    assert len(blocks) > 20 and all(np.issubdtype(block.dtype, np.integer) for block in blocks)
    matrix = all_pairs(found, **options)
    for (i, one), (j, two) in product(list(enumerate(known))[::5], enumerate(known)):
        assert matrix[i, j] == oracles.ted(one, two)
    np.testing.assert_array_equal(matrix, all_pairs(found, threads=1, **options))
    pairs = np.random.default_rng(0).integers(0, found.n_trees, (300, 2))
    expected = matrix[pairs[:, 0], pairs[:, 1]]
    np.testing.assert_array_equal(pair_distances(found, pairs), expected)


# --- against other programs


def by_zss(one, two):
    """By zss 1.2."""
    import zss

    def made(tree):
        return zss.Node(tree[0] or "root", list(map(made, tree[1])))

    return zss.simple_distance(made(one), made(two), label_dist=lambda a, b: int(a != b))


def by_apted(one, two):
    """By apted 1.0."""
    from apted import APTED
    from apted.helpers import Tree

    def made(tree):
        return Tree(tree[0], *map(made, tree[1]))

    return APTED(made(one), made(two)).compute_edit_distance()


OTHERS = {"zss": by_zss, "apted": by_apted}


@pytest.mark.parametrize("longest", [8, *later(30)])
@pytest.mark.parametrize("other", OTHERS)
@each_kind
def test_distances_are_those_of_other_programs(other, kind, longest):
    pytest.importorskip(other)
    n_items = 2 * longest
    team = random_team(5, n_items, ["ann", "bob"], kind, gaps=False, longest=longest)
    expected = [OTHERS[other](*map(team.nested, item)) for item in team.items()]
    assert tree_edit_distances(*team.panel().annotations).tolist() == expected


# --- laws


def test_what_no_root_leads_to_is_not_measured():
    one = Trees.from_heads([[0, 3, 2]], ["AAA"], cycles="reachable")
    two = Trees.from_heads([[0, 1, 1]], ["AAA"])
    assert tree_edit_distances(one, two).tolist() == [2]


# --- costs of labels

CLOSE = {("A", "B"): 0.5, ("B", "C"): 0.25}
COST = oracles.of_closeness(CLOSE)


def table(labels, cost=COST):
    return np.array([[float(cost(one, two)) for two in labels] for one in labels])


@each_backend
@given(team=teams(even=False, items=2))
def test_costs_are_those_of_the_recursion(backend, team):
    found, known = distinct(team)
    pairs = np.array(list(combinations_with_replacement(range(len(known)), 2)))
    for cost in (COST, oracles.unit):
        costs = table(team.panel().labels, cost)
        expected = [[float(oracles.ted(one, two, cost)) for two in known] for one in known]
        expected = np.array(expected)

        matrix = all_pairs(found, costs=costs, backend=backend)
        np.testing.assert_allclose(matrix, expected, atol=1e-12)
        some = pair_distances(found, pairs, costs=costs)
        np.testing.assert_allclose(some, expected[pairs[:, 0], pairs[:, 1]], atol=1e-12)


def test_labels_that_cost_nothing_are_one_label():
    team = random_team(6, 12, names=["ann", "bob"], gaps=False)
    free = team.panel().annotations
    costs = np.zeros((len(LABELS), len(LABELS)))
    one = team.relabelled(dict.fromkeys(LABELS, "A")).panel().annotations
    found = tree_edit_distances(*free, costs=costs)
    assert found.tolist() == tree_edit_distances(*one).tolist()


@each_case(
    "costs",
    [
        np.zeros((2, 2)),  # too few
        np.zeros(3),  # no table
        np.triu(np.full((3, 3), 0.5), 1),  # one-sided
        2 * (1 - np.eye(3)),
        -(1 - np.eye(3)),
        np.full((3, 3), np.nan),
        np.ones((3, 3)),  # of equal labels
    ],
)
def test_costs_that_are_none_are_refused(costs):
    rows = [(("A", (("B", ()), ("C", ()))), ("A", ()))]
    with pytest.raises(ValueError, match="costs"):
        distances(rows, costs=costs)


# --- back ends


def test_back_ends_are_known_ones(monkeypatch):
    assert BACKENDS == ("auto", "numpy", "numba")
    with pytest.raises(ValueError, match="backend is 'cuda'; expected one of auto, numpy, numba"):
        tree_edit.backend_of("cuda")
    monkeypatch.setattr(tree_edit, "find_spec", lambda name: None)
    assert tree_edit.backend_of("auto") == tree_edit.backend_of("numpy") == "numpy"
    with pytest.raises(ValueError, match=r"numba is not installed: pip install '.*\[fast\]'"):
        tree_edit.backend_of("numba")


@pytest.mark.integration
@NUMBA
def test_compiled_code_that_cannot_be_kept_is_compiled_again(monkeypatch):
    from numba.core import caching

    from spacy_chance_eval.measures.trees import tree_edit_numba

    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    tree_edit_numba.compiled.cache_clear()
    rows = [[("A", (("B", ()),)), ("A", (("C", ()),))]]
    assert all_pairs(distinct_trees(sides(rows))[0], backend="numba").tolist() == [[0, 1], [1, 0]]
    tree_edit_numba.compiled.cache_clear()


@pytest.mark.parametrize("some", [False, True], ids=["all", "some"])
def test_progress_is_told_of_the_blocks(some, few_cells):
    told, done = [], []

    def watch(steps, total=None, what=""):
        told.append((total, what))
        for step in steps:
            done.append(step)
            yield step

    found, _ = distinct(random_team(7, 12))
    if some:
        pairs = np.array([(i, j) for i in range(8) for j in range(i)])
        pair_distances(found, pairs, progress=watch)
    else:
        list(distance_blocks(found, progress=watch))
    ((total, what),) = told
    assert total == len(done) > 1 and what


# --- depth


@pytest.mark.integration
def test_chains_of_ten_thousand_nodes_are_measured():
    n = 10_000
    chain = range(n), ["A"] * n
    other = [*range(n - 1), n - 2], [*["A"] * (n - 2), "B", "A"]  # ends in two leaves
    one, two = (Trees.from_heads([heads], [labels]) for heads, labels in (chain, other))
    distance = tree_edit_distances(one.with_labels("AB"), two.with_labels("AB"))
    assert distance.tolist() == [2]


@each_backend
@each_case("n", [126, 127, 128])
def test_trees_at_which_cells_get_wider_are_measured(backend, n):
    heads = list(range(n))
    rows = [(heads, ["A"] * n), ([0] * n, ["A"] * n), (heads, [*["A"] * (n - 1), "B"])]
    found, numbers = distinct_trees(sides([rows], "dependency"))
    order = [int(column[0]) for column in numbers]
    matrix = all_pairs(found, backend=backend)[np.ix_(order, order)]
    # a chain and a star have only two levels, the root's and one more, in common
    apart = 2 * (n - 1)
    assert matrix.tolist() == [[0, apart, 1], [apart, 0, apart], [1, apart, 0]]
