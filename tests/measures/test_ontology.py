"""Ontologies and BDM, against worked examples and all pairs of chains."""

import pickle
from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import gate_oracles
from helpers.cases import each_case
from spacy_chance_eval.measures.bdm import Ontology, closeness, parts_of_pairs

# a tree with the numbers of the line in GATE's user guide: 24 concepts, 15 of them leaves
GUIDE = Ontology(
    [
        *((child, "Object") for child in ("Service", "b", "c", "d", "e")),
        *(("c1", "c"), ("d1", "d"), ("e1", "e"), ("e2", "e"), ("e3", "e2")),
        *((child, "Root") for child in ("Object", "x", "y", "z", "l1", "l2", "l3", "l4", "l5")),
        *(("x1", "x"), ("x2", "x"), ("y1", "y"), ("z1", "z")),
    ]
)


def of_parents(concepts, parents):
    """The ontology of concepts and the parents of some."""
    return Ontology([(name, p) for name, above in parents.items() for p in above], concepts)


def ladder(i, side):
    """The edges of one side of a rung."""
    return (f"{side}{i}", f"x{i}"), (f"x{i + 1}", f"{side}{i}")


def bdm_parts(ontology, key, response):
    """The parts of one pair, in either order."""
    (parts,) = (p for *pair, p in parts_of_pairs(ontology) if pair == sorted([key, response]))
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
    return of_parents(names, above)


DEEP = Ontology((f"{i + 1}", f"{i}") for i in range(100))
RUNGS = [edge for i in range(60) for side in "lr" for edge in ladder(i, side)]


@each_case(
    ("ontology", "key", "response", "expected"),
    [
        (
            GUIDE, "Service", "Object",
            {"msca": "Object", "cp": 1, "dpk": 1, "dpr": 0, "n0": 2, "n1": 2, "n2": 2.8333333}
            | {"bdm": 0.6617647, "branching": 1.9565217},
        ),
        (Ontology((), "ab"), "a", "a", {"bdm": 1}),
        # without a common root
        (Ontology((), "ab"), "a", "b", {"bdm": 0, "msca": None, "cp": None}),
        # deep chains, and exponentially many ones
        (DEEP, "100", "50", {"msca": "50", "cp": 50, "dpk": 50, "n0": 100}),
        (Ontology(RUNGS), "l59", "r59", {"msca": "x59", "cp": 118, "n0": 120, "dpk": 1}),
    ],
)  # fmt: skip
def test_bdm_is_that_of_worked_examples(ontology, key, response, expected):
    parts = bdm_parts(ontology, key, response)._asdict()
    for name, value in expected.items():
        assert parts[name] == (
            pytest.approx(value, abs=5e-8) if isinstance(value, float) else value
        )


@given(ontologies())
def test_bdm_is_the_best_of_all_pairs_of_chains(ontology):
    found = closeness(ontology)
    assert list(found) == [*combinations_with_replacement(ontology.concepts, 2)]
    for (key, response), number in found.items():
        expected = gate_oracles.bdm(ontology.parents, key, response)
        assert number == pytest.approx(float(expected), abs=1e-12)


@given(ontologies(parents=3))
def test_the_formula_on_the_parts_gives_bdm(ontology):
    for *_, parts in parts_of_pairs(ontology):
        if parts.msca is None:
            assert (parts.bdm, parts.cp) == (0, None)
        else:
            again = gate_oracles.bdm_of_parts(**parts._asdict())
            assert parts.bdm == pytest.approx(again, abs=1e-12)


def test_the_order_of_concepts_and_parents_is_irrelevant():
    one = of_parents("abc", {"c": ["a", "b"]})
    two = of_parents("cba", {"c": ("b", "a"), "a": ()})
    for other in (two, pickle.loads(pickle.dumps(one))):
        assert one == other
        assert closeness(one) == closeness(other)
    assert one != of_parents("abc", {"c": ["a"]})


@each_case(
    ("concepts", "parents", "message"),
    [
        ([], {}, "without concepts"),
        (["a"], {"a": ["a"]}, "a cycle above a; remove it"),
        (["a", "b", "c"], {"a": ["b"], "b": ["a"], "c": ["a"]}, "a cycle above a, b, c;"),
        # a concept with a parent on the cycle and one beside it
        ("abcd", {"a": ["b"], "b": ["a"], "c": ["a", "d"]}, "a cycle above a, b, c;"),
        ("abcd", {"a": ["b"], "b": ["c"], "c": ["d"], "d": ["b"]}, "a cycle above a, b, c, d;"),
        ([""], {}, "no name"),
        ([1], {}, "no name"),
    ],
)
def test_what_is_no_ontology_is_refused(concepts, parents, message):
    with pytest.raises(ValueError, match=message):
        of_parents(concepts, parents)
