"""`TreePanel`: several annotators of the same sentences, with who annotated what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from helpers.tree_strategies import LABELS, teams
from spacy_chance_eval.measures.trees.trees import TreePanel, Trees


def heads(*rows, labels=None, **options):
    labels = labels or [row and ["A"] * len(row) for row in rows]
    return Trees.from_heads(rows, labels, **options)


ONE = heads([0, 1], None, [0])
TWO = heads([2, 0], [0], [0])


def test_annotators_are_in_the_order_of_their_names():
    panel = TreePanel({"bob": TWO, "ann": ONE})
    assert panel.names == ("ann", "bob")
    assert panel.seen.tolist() == [[True, False, True], [True] * 3]
    alone = TreePanel({"ann": ONE})
    assert len(alone) == 1 and alone.sharing_pairs == [] and not alone.shared.any()
    sides = (heads([0], labels=[[label]]) for label in LABELS)
    assert TreePanel(dict(zip("xyz", sides))).labels == LABELS


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


def test_digests_know_who_did_what():
    digests = {
        TreePanel(sides).digest()
        for sides in (
            {"ann": ONE, "bob": TWO},
            {"ann": TWO, "bob": ONE},
            {"ann": ONE, "cyd": TWO},
            {"ann": ONE},
            {"ann": ONE, "bob": heads([2, 0], [0], None)},
            {"ann": ONE, "bob": heads([2, 0], [0], [0], labels=["AA", "A", "B"])},
        )
    }
    assert len(digests) == 6


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
