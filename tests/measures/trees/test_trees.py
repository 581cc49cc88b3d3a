"""`Trees`: one annotator's trees as columns, and what its door refuses."""

from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import tree_oracles as oracles
from helpers.cases import each_case
from helpers.tree_strategies import LABELS, Team, sentences, teams
from spacy_chance_eval.measures.trees.trees import Trees

CYCLE = ([2, 1, 0], ["A", "B", "C"])


def of_heads(*rows, **options):
    """Dependency trees of (heads, relations), None for one that is not annotated."""
    return Trees.from_heads(*([row and row[i] for row in rows] for i in (0, 1)), **options)


def of_trees(*rows, **options):
    """Constituency trees of nested tuples."""
    found = [row and oracles.preorder(row) for row in rows]
    columns = ([row and row[i] for row in found] for i in (0, 1))
    return Trees.from_nodes("constituency", *columns, **options)


def under(trees, item):
    """The tree of an item as nested tuples, from the columns alone."""
    start, stop = trees.starts[item : item + 2]
    labels = [trees.labels[number] for number in trees.label[start:stop]]
    parents = trees.parents[start:stop].tolist()
    if trees.kind == "constituency":
        return oracles.nested(parents, labels)
    return oracles.tree_of_heads([parent + 1 for parent in parents], labels)


@given(team=teams(), random=st.randoms(use_true_random=False))
def test_columns_hold_the_trees(team, random):
    order = random.sample(range(team.n_items), team.n_items)
    for name, works in team.works.items():
        trees = team.trees(name)
        assert trees.n_items == len(works)
        assert trees.seen.tolist() == [work is not None for work in works]
        for item, work in enumerate(works):
            if work is None:
                assert trees.n_nodes[item] == 0
            else:
                assert under(trees, item) == team.nested(work)
                assert trees.sizes[item] == team.size(work)
                tree = team.nested(work)
                root = team.kind == "dependency"
                assert trees.n_nodes[item] == oracles.nodes(tree) - root
                assert trees.leaves[item] == oracles.leaves(tree)
        for place, (item, depth) in enumerate(zip(trees.item, trees.depths)):
            steps, node = 0, place
            while trees.parents[node] >= 0:
                steps, node = steps + 1, trees.starts[item] + trees.parents[node]
            assert depth == steps
        # keys do not know the other items
        assert team.part(order).trees(name).keys().tolist() == trees.keys()[order].tolist()


def test_sizes_and_places_of_few_trees():
    trees = of_heads(([2, 0, 2], "ABC"), ([0], "A"))
    assert trees.sizes.tolist() == [4, 2]  # the tokens and the root
    tree = ("S", (("NP", (("P", ()),)), ("VP", (("V", ()),))))
    trees = of_trees(tree, ("S", ()))
    assert (trees.sizes.tolist(), trees.n_nodes.tolist()) == ([2, 1], [5, 1])
    trees = of_heads(None, ([], []))  # what is not annotated is not an empty sentence
    assert (trees.seen.tolist(), trees.sizes.tolist()[1]) == ([False, True], 1)
    trees = of_heads(([0, 1], "AB"), None, ([0, 1, 1], "ABC"))
    assert trees.item.tolist() == [0, 0, 2, 2, 2]
    assert trees.places.tolist() == [0, 1, 0, 1, 2]
    trees = of_heads(CYCLE, cycles="reachable")
    assert trees.reachable.tolist() == [False, False, True]
    assert trees.sizes.tolist() == [4]
    trees = of_heads((list(range(10_000)), ["A"] * 10_000))
    assert trees.reachable.all() and trees.leaves.tolist() == [1]
    trees = Trees.from_heads([np.array([0, 1])], [np.array(["A", "B"])])
    assert trees.parents.tolist() == [-1, 0] and trees.labels == ("A", "B")
    trees = Team("dependency", {"ann": ()}).trees("ann")
    assert (trees.n_items, len(trees.sizes), len(trees.leaves)) == (0, 0, 0)
    assert len(trees.reachable) == len(trees.keys()) == 0


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_what_can_be_reached_is_what_a_walk_reaches(heads):
    heads = [min(head, len(heads)) for head in heads]

    def walk(token):
        seen = set()
        while token and token not in seen:
            seen.add(token)
            token = heads[token - 1]
        return token == 0

    trees = of_heads((heads, ["A"] * len(heads)), cycles="reachable")
    assert trees.reachable.tolist() == [walk(token) for token in range(1, len(heads) + 1)]


# --- what is refused


GOOD = {"kind": "dependency", "starts": [0, 2], "parents": [-1, 0], "label": [0, 0], "labels": "A"}
BAD = [
    ({"starts": [0, 1]}, "starts must begin with 0 and end with the number of nodes, 2"),
    ({"starts": [1, 2]}, "starts must begin with 0"),
    ({"starts": []}, "starts must begin with 0"),
    ({"starts": [0, 3, 2]}, "starts must not fall"),
    ({"label": [0]}, "1 labels of nodes for 2 parents"),
    ({"label": [0, 1]}, "numbers of labels must be from 0 to 0"),
    ({"label": [0, -1]}, "numbers of labels must be from 0 to 0"),
    ({"labels": "AA"}, "labels must be different"),
    ({"labels": [7]}, "labels must be texts"),
    ({"seen": [True, True]}, r"seen needs one entry per item \(1\)"),
    ({"seen": [False]}, "items that are not seen have no nodes"),
    ({"names": ["a", "b"]}, r"names need one entry per item \(1\)"),
    ({"parents": [-1.7, 0]}, "whole numbers"),
]


def constituency(parents):
    return Trees.from_nodes("constituency", [parents], [["A"] * len(parents)])


@each_case(
    ("make", "message"),
    [
        *((partial(Trees, **GOOD | change), message) for change, message in BAD),
        (
            lambda: of_heads(([0], "A"), CYCLE),
            "item 2: token 1 cannot be reached from the root.*reachable",
        ),
        (lambda: of_heads(CYCLE, names=["s7"]), "s7: token 1 cannot be reached"),
        # its own head
        (lambda: of_heads(([0, 2], "AB")), "item 1: token 2 cannot be reached"),
        *(
            (
                partial(of_heads, ([0, head, 1], "ABC"), names=["s"]),
                "s: token 2 has a head outside",
            )
            for head in (4, -1)
        ),
        (lambda: of_heads(([0], "A"), ([0, 1], "A")), "item 2: 2 parents, but 1 labels"),
        (lambda: Trees.from_heads([[0], [0]], [["A"]]), "parents of 2 items, but labels of 1"),
        (lambda: Trees.from_nodes("graph", [[-1]], ["A"]), "kind is 'graph'; expected one of"),
        (lambda: of_heads(([0], "A"), cycles="mend"), "cycles is 'mend'; expected one of"),
        # constituents come in preorder from one root: two roots, a root below, a parent behind, own
        *(
            (partial(constituency, parents), f"item 1: token {token} has a wrong parent")
            for parents, token in (([-1, -1], 2), ([0, -1], 1), ([-1, 2, 0], 2), ([-1, 1], 2))
        ),
        # parents are above the node before
        *(
            (partial(constituency, parents), f"token {len(parents)} .*preorder")
            for parents in ([-1, 0, 0, 1], [-1, 0, 1, 0, 2])
        ),
        (lambda: constituency([]), "item 1 has no node"),
    ],
)
def test_what_are_no_trees_is_refused(make, message):
    Trees(**GOOD)
    with pytest.raises(ValueError, match=message):
        make()


# --- labels and keys


@given(team=teams(names=["ann"]))
def test_other_numbers_of_labels_mean_the_same_trees(team):
    trees = team.trees("ann")
    other = trees.with_labels(("Z", *reversed(LABELS)))
    assert other.labels == ("Z", *reversed(LABELS))
    for item in np.flatnonzero(trees.seen):
        assert under(other, item) == under(trees, item)
    assert trees.keys().tolist() == other.keys().tolist()


def test_all_labels_in_use_must_be_among_the_others():
    with pytest.raises(KeyError):
        of_heads(([0, 1], "AB")).with_labels(("A",))


@given(data=st.data())
def test_keys_are_equal_where_trees_are(data):
    size = data.draw(st.integers(1, 3))
    rows = data.draw(st.lists(sentences(size, labels="AB"), min_size=2, max_size=6))
    keys = of_heads(*rows).keys().tolist()
    for one, key in zip(rows, keys):
        for two, other in zip(rows, keys):
            assert (one == two) == (key == other)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6))
@settings(max_examples=10 * settings.default.max_examples)
def test_constituents_are_refused_exactly_if_they_are_not_in_preorder(parents):
    parents = [-1, *(min(parent, node) for node, parent in enumerate(parents))]
    fits = oracles.is_preorder(parents)
    message = "item 2: token . has a wrong parent"
    with nullcontext() if fits else pytest.raises(ValueError, match=message):
        labels = [["A", "B"], ["A"] * len(parents)]
        Trees.from_nodes("constituency", [[-1, 0], parents], labels)
