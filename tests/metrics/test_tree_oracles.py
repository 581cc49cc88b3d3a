"""The slow versions of scores of trees against what is slower still, and against hand counts."""

from itertools import product

from hypothesis import given

from helpers import tree_oracles as oracles
from helpers.cases import each_case
from helpers.tree_strategies import trees

SMALL = [tree for n in (1, 2, 3) for tree in oracles.all_trees(n, "AB")]


def test_the_recursion_finds_the_cheapest_mapping_of_every_two_small_trees():
    for one, two in product(SMALL, repeat=2):
        assert oracles.ted(one, two) == oracles.ted_by_mappings(one, two)


def test_the_recursion_finds_the_cheapest_mapping_with_costs():
    cost = oracles.of_closeness({("A", "B"): 0.75})
    for one, two in product(SMALL, repeat=2):
        assert oracles.ted(one, two, cost) == oracles.ted_by_mappings(one, two, cost)


@given(one=trees(most=5), two=trees(most=5))
def test_the_recursion_finds_the_cheapest_mapping_of_random_trees(one, two):
    assert oracles.ted(one, two) == oracles.ted_by_mappings(one, two)


@each_case("n, number", [(1, 1), (2, 1), (3, 2), (4, 5), (5, 14)])
def test_there_are_as_many_shapes_as_catalan_numbers(n, number):
    assert len(set(oracles.all_trees(n, "A"))) == number


@given(tree=trees())
def test_there_are_two_grams_for_a_leaf_and_q_for_an_inner_node_less_one(tree):
    leaves = oracles.leaves(tree)
    inner = oracles.nodes(tree) - leaves
    for p, q in product((1, 2, 3), repeat=2):
        assert oracles.grams(tree, p, q).total() == 2 * leaves + q * inner - 1
