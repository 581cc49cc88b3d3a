"""`forests`: trees and all that they lead to, each stored once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import tree_oracles as oracles
from helpers.tree_strategies import teams
from spacy_chance_eval.measures.trees.postorder import distinct_trees
from spacy_chance_eval.measures.trees.tree_edit import EMPTY_FOREST, forests
from spacy_chance_eval.measures.trees.trees import TreePanel, Trees

STEPS = ("less", "rest", "last", "inside")


def decoded(found, labels):
    """The trees of every forest, as nested tuples."""
    names, known = [*labels, oracles.ROOT], {EMPTY_FOREST: ()}
    for number in range(1, len(found)):
        rest, inside = (known[int(column[number])] for column in (found.rest, found.inside))
        known[number] = (*rest, (names[found.top[number]], inside))
    return known


@given(team=teams(even=False), mirror=st.booleans())
def test_every_annotation_has_the_number_of_its_tree(team, mirror):
    panel = team.panel()
    trees, numbers = distinct_trees(panel.annotations, mirror=mirror)
    found = forests(trees)
    known = decoded(found, panel.labels)
    seen = {}
    for name, column in zip(panel.names, numbers):
        for work, number in zip(team.works[name], column.tolist()):
            if work is None:
                assert number == -1
                continue
            tree = team.nested(work)
            assert known[found.roots[number]] == (oracles.turned(tree) if mirror else tree,)
            assert trees.sizes[number] == team.size(work)
            assert seen.setdefault((tree, team.size(work)), number) == number
    assert sorted(seen.values()) == list(range(found.n_trees))


@given(team=teams(even=False), mirror=st.booleans())
def test_forests_lead_to_what_is_left_of_them(team, mirror):
    panel = team.panel()
    found = forests(distinct_trees(panel.annotations, mirror=mirror)[0])
    known = decoded(found, panel.labels)
    assert len(set(known.values())) == len(found)
    reached = {EMPTY_FOREST: set()}
    for number in range(1, len(found)):
        forest = known[number]
        assert known[found.last[number]] == forest[-1:]
        assert known[found.less[number]] == forest[:-1] + forest[-1][1]
        assert found.nodes[number] == sum(map(oracles.nodes, forest))
        assert found.single[number] == (len(forest) == 1)
        assert all(getattr(found, step)[number] < number for step in STEPS if step != "last")
        assert found.last[number] <= number
        steps = (int(getattr(found, step)[number]) for step in STEPS)
        reached[number] = {number}.union(*(reached[step] for step in steps if step != number))
    for tree, root in enumerate(found.roots):
        members = found.members[found.starts[tree] : found.starts[tree + 1]].tolist()
        assert members == sorted(reached[int(root)])


@given(team=teams(even=False), data=st.data())
def test_a_part_is_some_of_the_trees(team, data):
    panel = team.panel()
    found = forests(distinct_trees(panel.annotations)[0])
    some = data.draw(st.permutations(range(found.n_trees)))[: data.draw(st.integers(0, 4))]
    known, part = decoded(found, panel.labels), found.part(some)
    inside = decoded(part, panel.labels)
    assert [inside[root] for root in part.roots] == [known[found.roots[tree]] for tree in some]
    head = part.head(len(some) // 2)
    assert len(head) == (part.ends[len(some) // 2 - 1] if len(some) > 1 else 1)
    assert [decoded(head, panel.labels)[root] for root in head.roots] == [
        inside[root] for root in part.roots[: len(some) // 2]
    ]


def test_trees_are_numbered_in_the_order_of_the_items():
    one = Trees.from_heads([[0], [0, 1], [0]], [["A"], ["A", "A"], ["A"]])
    two = Trees.from_heads([[0], None, [0]], [["B"], None, ["C"]])
    _, numbers = distinct_trees(TreePanel({"one": one, "two": two}).annotations)
    assert [column.tolist() for column in numbers] == [[0, 2, 0], [1, -1, 3]]
    found, numbers = distinct_trees([Trees.from_heads([], [])])
    assert (found.n_trees, len(numbers[0])) == (0, 0)
    # trees of different sizes are different
    trees = Trees.from_heads([[0], [0, 3, 2]], ["A", "AAA"], cycles="reachable")
    found, (numbers,) = distinct_trees([trees])
    assert numbers.tolist() == [0, 1]
    assert found.sizes.tolist() == [2, 4]
    assert len(set(forests(found).roots.tolist())) == 1


@pytest.mark.parametrize("kind", ["dependency", "constituency"])
def test_deep_trees_are_read_without_recursion(kind):
    n = 10_000
    trees = Trees.from_nodes(kind, [range(-1, n - 1)], [["A"] * n])
    found = forests(distinct_trees([trees])[0])
    assert found.nodes[found.roots].tolist() == [n + (kind == "dependency")]


@given(team=teams())
def test_trees_are_mirrored_where_that_is_less_work(team):
    sides = team.panel().annotations
    kept, turned, (found, numbers) = (
        distinct_trees(sides, mirror=mirror) for mirror in (False, True, None)
    )
    assert found.leftmost.tolist() in (kept[0].leftmost.tolist(), turned[0].leftmost.tolist())
    np.testing.assert_array_equal(numbers, turned[1])
    np.testing.assert_array_equal(np.array(numbers) < 0, ~np.array(team.panel().seen))
    # a chain with a leaf beside each node has one long subtree, or as many as it has nodes
    for mirror in (False, True):
        tree = ("A", ())
        for _ in range(5):
            tree = ("A", ((tree, ("B", ())) if mirror else (("B", ()), tree)))
        one = Trees.from_nodes("constituency", *([row] for row in oracles.preorder(tree)))
        found = distinct_trees([one])[0].leftmost
        assert found.tolist() == distinct_trees([one], mirror=not mirror)[0].leftmost.tolist()
