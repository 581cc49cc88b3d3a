"""Tree edit distances: costs of labels, back ends, progress and deep trees."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given

from helpers import tree_oracles as oracles
from helpers.cases import each_case
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


@pytest.fixture
def few_cells(monkeypatch):
    in_small_blocks(monkeypatch)


# --- costs of labels

CLOSE = {("A", "B"): 0.5, ("B", "C"): 0.25}
COST = oracles.of_closeness(CLOSE)


def table(labels, cost=COST):
    return np.array([[float(cost(one, two)) for two in labels] for one in labels])


@each_backend
@given(team=teams(even=False))
def test_costs_are_those_of_the_recursion(backend, team):
    found, known = distinct(team)
    costs = table(team.panel().labels)
    expected = np.array([[float(oracles.ted(one, two, COST)) for two in known] for one in known])
    matrix = all_pairs(found, costs=costs, backend=backend)
    np.testing.assert_allclose(matrix, expected, atol=1e-12)
    pairs = np.array(list(combinations_with_replacement(range(len(known)), 2)))
    some = pair_distances(found, pairs, costs=costs, backend=backend)
    np.testing.assert_allclose(some, expected[pairs[:, 0], pairs[:, 1]], atol=1e-12)


@each_backend
@each_kind
def test_unit_costs_in_a_table_change_nothing(backend, kind):
    team = random_team(4, 20, kind=kind)
    found, _ = distinct(team)
    costs = table(team.panel().labels, oracles.unit)
    matrix = all_pairs(found, costs=costs, backend=backend)
    np.testing.assert_array_equal(matrix, all_pairs(found, backend=backend))


def test_labels_that_cost_nothing_are_one_label():
    team = random_team(6, 12, names=["ann", "bob"], gaps=False)
    free = team.panel().annotations
    costs = np.zeros((len(LABELS), len(LABELS)))
    one = team.relabelled(dict.fromkeys(LABELS, "A")).panel().annotations
    found = tree_edit_distances(*free, costs=costs)
    assert found.tolist() == tree_edit_distances(*one).tolist()


@pytest.mark.parametrize(
    "costs",
    [
        np.zeros((2, 2)),
        np.zeros(3),
        np.triu(np.full((3, 3), 0.5), 1),
        2 * (1 - np.eye(3)),
        -(1 - np.eye(3)),
        np.full((3, 3), np.nan),
        np.ones((3, 3)),
    ],
    ids=["too few", "no table", "one-sided", "above 1", "below 0", "nan", "of equal labels"],
)
def test_costs_that_are_none_are_refused(costs):
    rows = [(("A", (("B", ()), ("C", ()))), ("A", ()))]
    with pytest.raises(ValueError, match="costs"):
        distances(rows, costs=costs)


# --- back ends


def test_back_ends_are_known_ones():
    assert BACKENDS == ("auto", "numpy", "numba")
    with pytest.raises(ValueError, match="backend is 'cuda'; expected one of auto, numpy, numba"):
        distances([(("A", ()), ("A", ()))], backend="cuda")


def test_without_numba_numpy_does_it_and_numba_says_how_to_get_it(monkeypatch):
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
    rows = [(("A", (("B", ()),)), ("A", (("C", ()),)))]
    assert distances(rows, backend="numba") == [1]
    tree_edit_numba.compiled.cache_clear()


PAIRS = np.array([(i, j) for i in range(8) for j in range(i)])


@pytest.mark.parametrize(
    "measure",
    [distance_blocks, lambda found, **options: pair_distances(found, PAIRS, **options)],
    ids=["all", "some"],
)
def test_progress_is_told_of_the_blocks(measure, few_cells):
    told, done = [], []

    def watch(steps, total=None, what=""):
        told.append((total, what))
        for step in steps:
            done.append(step)
            yield step

    found, _ = distinct(random_team(7, 12))
    list(measure(found, progress=watch))
    ((total, what),) = told
    assert total == len(done) > 1 and what


# --- depth


@pytest.mark.integration
@each_backend
def test_chains_of_ten_thousand_nodes_are_measured(backend):
    n = 10_000
    chain = range(n), ["A"] * n
    other = [*range(n - 1), n - 2], [*["A"] * (n - 2), "B", "A"]  # ends in two leaves
    one, two = (Trees.from_heads([heads], [labels]) for heads, labels in (chain, other))
    distance = tree_edit_distances(one.with_labels("AB"), two.with_labels("AB"), backend=backend)
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
