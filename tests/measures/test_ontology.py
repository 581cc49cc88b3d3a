"""Ontologies and BDM, against worked examples and all pairs of chains."""

import pickle
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import gate_oracles
from helpers.cases import each_case
from spacy_chance_eval.measures.bdm import (
    Ontology,
    bdm,
    closeness,
    parts_of_pairs,
)

THINGS = Ontology.from_edges(
    [
        ("Agent", "Thing"),
        ("Person", "Agent"),
        ("Org", "Agent"),
        ("Company", "Org"),
        ("Place", "Thing"),
        ("City", "Place"),
        ("Capital", "City"),
        ("Country", "Place"),
    ]
)


def bdm_parts(ontology, key, response):
    """The parts of one pair, in either order."""
    (parts,) = (
        p
        for *pair, p in parts_of_pairs(ontology, [key, response])
        if pair == sorted([key, response])
    )
    if key <= response:
        return parts
    return parts._replace(dpk=parts.dpr, dpr=parts.dpk, n1=parts.n2, n2=parts.n1)


@st.composite
def ontologies(draw, most=7, parents=2):
    """Concepts a, b, ...; each has parents among those before it."""
    names = "abcdefg"[: draw(st.integers(1, most))]
    above = {}
    for i, name in enumerate(names[1:], 1):
        above[name] = draw(st.sets(st.sampled_from(names[:i]), max_size=parents))
    return Ontology(names, above)


# --- BDM


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [("Capital", "City", 0.6), ("City", "Country", 0.375), ("Person", "City", 0)],
)
def test_bdm_is_that_of_worked_examples(key, response, expected):
    assert bdm(THINGS, key, response) == pytest.approx(expected)


def test_parts_tell_where_the_chains_part():
    parts = bdm_parts(THINGS, "Capital", "Country")
    assert (parts.msca, parts.cp, parts.dpk, parts.dpr) == ("Place", 1, 2, 1)
    assert (parts.n0, parts.n1, parts.n2) == (2.5, 3, 2)
    assert parts.branching == pytest.approx((2 + 1) / 2 / 1.6)


# a tree with the numbers of the line in GATE's user guide: 24 concepts, 15 of them leaves
GUIDE = Ontology.from_edges(
    [
        *((child, "Object") for child in ("Service", "b", "c", "d", "e")),
        *(("c1", "c"), ("d1", "d"), ("e1", "e"), ("e2", "e"), ("e3", "e2")),
        *((child, "Root") for child in ("Object", "x", "y", "z", "l1", "l2", "l3", "l4", "l5")),
        *(("x1", "x"), ("x2", "x"), ("y1", "y"), ("z1", "z")),
    ]
)


def test_bdm_is_that_of_the_line_in_the_guide():
    parts = bdm_parts(GUIDE, "Service", "Object")
    assert (parts.msca, parts.cp, parts.dpk, parts.dpr) == ("Object", 1, 1, 0)
    numbers = (parts.bdm, parts.n0, parts.n1, parts.n2, parts.branching)
    assert [float(f"{x:.7f}") for x in numbers] == [0.6617647, 2.0, 2.0, 2.8333333, 1.9565217]


@given(ontologies(parents=3))
def test_the_parts_of_all_pairs_are_those_of_each(ontology):
    rows = list(parts_of_pairs(ontology))
    assert [row[:2] for row in rows] == [*combinations_with_replacement(ontology.concepts, 2)]
    assert all(parts == bdm_parts(ontology, key, response) for key, response, parts in rows)


@given(ontologies())
def test_bdm_is_the_best_of_all_pairs_of_chains(ontology):
    found = closeness(ontology)
    for (key, response), number in found.items():
        expected = gate_oracles.bdm(ontology.parents, key, response)
        assert number == pytest.approx(float(expected), abs=1e-12)
        assert bdm(ontology, key, response) == bdm(ontology, response, key) == number


@given(ontologies(parents=3))
def test_the_formula_on_the_parts_gives_bdm(ontology):
    for key, response in combinations_with_replacement(sorted(ontology.concepts), 2):
        parts = bdm_parts(ontology, key, response)
        if parts.msca is None:
            assert (parts.bdm, parts.cp) == (0, None)
        else:
            again = gate_oracles.bdm_of_parts(**parts._asdict())
            assert parts.bdm == pytest.approx(again, abs=1e-12)


def test_a_longer_chain_through_more_branches_can_be_the_better_one():
    edges = [("m", "r"), ("k", "m"), ("x", "m"), ("w", "m"), ("k", "w")]
    edges += [(f"l{i}", "w") for i in range(20)]
    ontology = Ontology.from_edges(edges)
    parts = bdm_parts(ontology, "k", "x")
    assert (parts.msca, parts.dpk, parts.dpr) == ("m", 2, 1)
    assert parts.bdm == pytest.approx(float(gate_oracles.bdm(ontology.parents, "k", "x")))


def test_equal_concepts_are_1_and_those_without_a_common_root_0():
    ontology = Ontology("ab", {})
    assert bdm(ontology, "a", "a") == 1
    assert bdm_parts(ontology, "a", "b")[:3] == (0, None, None)


def test_closeness_has_every_unordered_pair_once():
    found = closeness(THINGS)
    assert len(found) == 9 * 10 / 2
    assert all(a <= b and 0 <= number <= 1 for (a, b), number in found.items())


def test_closeness_of_some_is_part_of_the_closeness_of_all():
    some, every = closeness(THINGS, ["City", "Capital", "Org"]), closeness(THINGS)
    assert len(some) == 6
    assert some == {pair: every[pair] for pair in some}


def test_renaming_concepts_changes_nothing():
    names = dict(zip(THINGS.concepts, reversed(THINGS.concepts)))
    edges = [(names[c], names[p]) for c, above in THINGS.parents.items() for p in above]
    turned = Ontology.from_edges(edges)
    for (a, b), number in closeness(THINGS).items():
        assert bdm(turned, names[a], names[b]) == number


def test_an_unknown_name_is_named():
    with pytest.raises(ValueError, match="'Town' is no concept"):
        bdm(THINGS, "Town", "City")


def test_deep_chains_are_no_trouble():
    n = 10_000
    chain = Ontology.from_edges((f"{i + 1}", f"{i}") for i in range(n))
    parts = bdm_parts(chain, str(n), "5000")
    assert (parts.msca, parts.cp, parts.dpk, parts.n0) == ("5000", 5000, 5000, n)


def test_exponentially_many_chains_are_no_trouble():
    edges = []
    for i in range(300):
        edges += [(f"{side}{i}", f"x{i}") for side in "lr"]
        edges += [(f"x{i + 1}", f"{side}{i}") for side in "lr"]
    parts = bdm_parts(Ontology.from_edges(edges), "l299", "r299")
    assert (parts.msca, parts.cp, parts.n0, parts.dpk) == ("x299", 598, 600, 1)


# --- Ontology


def test_the_order_of_concepts_and_parents_is_irrelevant():
    one = Ontology("abc", {"c": ["a", "b"]})
    two = Ontology("cba", {"c": ("b", "a"), "a": ()})
    assert one == two and one.signature == two.signature
    assert one.signature != Ontology("abc", {"c": ["a"]}).signature
    assert closeness(one) == closeness(two)


def test_an_ontology_can_be_sent_to_another_process():
    copy = pickle.loads(pickle.dumps(THINGS))
    assert copy == THINGS and bdm(copy, "City", "Country") == bdm(THINGS, "City", "Country")


@each_case(
    ("concepts", "parents", "message"),
    [
        ([], {}, "without concepts"),
        (["a"], {"a": ["b"]}, "'b' has an edge"),
        (["a"], {"b": ["a"]}, "'b' has an edge"),
        (["a"], {"a": ["a"]}, "a cycle: a < a"),
        (["a", "b", "c"], {"a": ["b"], "b": ["a"], "c": ["a"]}, "a cycle: a < b < a"),
        # a concept with a parent on the cycle and one beside it
        ("abcd", {"a": ["b"], "b": ["a"], "c": ["a", "d"]}, "a cycle: a < b < a"),
        ("abcd", {"a": ["b", "d"], "b": ["a"], "c": ["a"]}, "a cycle: a < b < a"),
        ([""], {}, "no name"),
        ([1], {}, "no name"),
    ],
)
def test_what_is_no_ontology_is_refused(concepts, parents, message):
    with pytest.raises(ValueError, match=message):
        Ontology(concepts, parents)


def test_the_cycle_that_is_named_is_one():
    parents = {"a": ["b"], "b": ["c"], "c": ["d"], "d": ["b"]}
    with pytest.raises(ValueError, match="b < c < d < b"):
        Ontology("abcd", parents)


def test_of_a_long_cycle_the_beginning_and_the_end_are_named():
    names = [f"{i:03}" for i in range(100)]
    with pytest.raises(ValueError, match="a cycle: 000 < .{,80} < 099 < 000; remove it$"):
        Ontology(names, {a: [b] for a, b in zip(names, [*names[1:], names[0]])})


def test_a_chain_of_a_ten_thousand_concepts_is_an_ontology():
    edges = [(str(i), str(i + 1)) for i in range(10**4)]
    assert Ontology.from_edges(edges).shape.depth.max() == 10**4


def test_mean_chain_lengths_count_every_chain():
    ontology = Ontology("abcd", {"b": ["a"], "c": ["a", "b"], "d": ["a"]})
    assert ontology.shape.n0 == pytest.approx((1 + 2 + 1) / 3)
    np.testing.assert_allclose(ontology.shape.through, [4 / 3, 2, 1.5, 1])
