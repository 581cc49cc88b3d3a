"""`Trees` and `TreePanel`: trees of one and of several annotators, and what they refuse."""

from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import tree_oracles as oracles
from helpers.cases import each_case
from helpers.tree_strategies import LABELS, sentences, teams
from spacy_chance_eval.measures.trees.trees import TreePanel, Trees

CYCLE = ([2, 1, 0], ["A", "B", "C"])


def of_heads(*rows, **options):
    """Dependency trees of (heads, relations), None for one that is not annotated."""
    return Trees.from_heads(*([row and row[i] for row in rows] for i in (0, 1)), **options)


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
            (partial(of_heads, ([0, head, 1], "ABC"), names=["s"]), "s: token 2 has a head outside")
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


# --- several annotators of the same sentences, with who annotated what


def heads(*rows, labels=None, **options):
    labels = labels or [row and ["A"] * len(row) for row in rows]
    return Trees.from_heads(rows, labels, **options)


ONE = heads([0, 1], None, [0])


@given(team=teams(even=False))
def test_annotators_share_the_labels_of_all_and_who_annotated_what_is_a_table(team):
    panel, items = team.panel(), team.items()
    used = set().union(*(team.trees(name).labels for name in team.works))
    assert panel.labels == tuple(sorted(used))
    for name, trees in panel.annotators.items():
        alone = team.trees(name)
        assert trees.labels == panel.labels
        texts = [alone.labels[number] for number in alone.label]
        assert [trees.labels[number] for number in trees.label] == texts
        assert trees.parents.tolist() == alone.parents.tolist()
        assert trees.seen.tolist() == alone.seen.tolist()
    rows = [[work is not None for work in team.works[name]] for name in sorted(team.works)]
    assert panel.seen.tolist() == rows
    assert panel.shared.tolist() == [len(item) > 1 for item in items]
    for one, two in panel.sharing_pairs:
        assert panel.n_shared(one, two) == sum(a and b for a, b in zip(rows[one], rows[two]))
    assert (panel.n_items, panel.kind) == (team.n_items, team.kind)
    sizes = [{team.size(work) for work in item} for item in items]
    assert panel.even.tolist() == [len(found) < 2 for found in sizes]


# --- digests


@given(team=teams(unseen=False), random=st.randoms(use_true_random=False))
def test_digests_know_labels_but_not_the_order_of_items_or_annotators(team, random):
    order = random.sample(range(team.n_items), team.n_items)
    names = random.sample(list(team.works), len(team.works))
    other = team.part(order).among(names)
    assert other.panel().digest() == team.panel().digest()
    labels = {"A": "B", "B": "C", "C": "D"}
    assert team.relabelled(labels).panel().digest() != team.panel().digest()


# --- what is refused


@each_case(
    "sides, message",
    [
        ({}, "a panel without annotators"),
        ({"ann": [[0]]}, "'ann': .*expected names"),
        ({1: ONE}, "1: .*expected names"),
        ({"bob": heads([0]), "ann": ONE}, "ann has 3 items, bob 1; expected the same ones"),
        (
            {"ann": heads([0]), "bob": Trees.from_nodes("constituency", [[-1]], ["A"])},
            "ann has dependency trees, bob constituency trees",
        ),
        (
            {"ann": heads([0], [0], names="xy"), "bob": heads([0], [0], names="xz")},
            "item 2 is 'y' of ann, but 'z' of bob",
        ),
    ],
)
def test_annotators_of_other_items_are_refused(sides, message):
    with pytest.raises(ValueError, match=message):
        TreePanel(sides)


def test_items_are_called_as_any_annotator_calls_them():
    plain, named = heads([0], [0]), heads([0], [0], names=["s1", "s2"])
    for one, two in ((plain, named), (named, plain)):
        assert [t.name(0) for t in TreePanel({"a": one, "b": two}).annotations] == ["s1", "s1"]
