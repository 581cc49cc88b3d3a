"""BDM of all pairs of an ontology: what is written is what `--bdm` computes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.ontology import read_closeness
from spacy_chance_eval.formats.outputs import write_atomically
from spacy_chance_eval.tasks.bdm import BdmTable

TREE = """{"Thing": {"Agent": {"Person": {}, "Org": {"Company": {}}},
"Place": {"City": {"Capital": {}}, "Country": {}}}}"""
NAMES = st.text('ab ,="é', min_size=1, max_size=4).filter(
    lambda x: x.strip() == x and ", " not in x
)


@pytest.fixture
def tree(tmp_path):
    path = tmp_path / "tree.json"
    path.write_text(TREE)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bdm")


@given(edges=st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=8))
def test_the_file_has_the_closeness_of_the_ontology(folder, edges):
    order = {name: i for i, name in enumerate(dict.fromkeys(sum(edges, ())))}
    rows = [[a, b] for a, b in edges if order[a] > order[b]] or [["a", "b"]]
    path = folder / "edges.json"
    path.write_text(json.dumps(rows))
    write_atomically(folder / "edges.bdm", BdmTable(path).lines())
    assert read_closeness(folder / "edges.bdm") == read_closeness(path)


def test_the_result_describes_the_ontology_and_its_closest_pairs(tree):
    table = BdmTable(tree, top=3)
    assert len(list(table.lines())) == 1 + 45
    found = table.result()
    assert (found["n_concepts"], found["n_roots"], found["n_leaves"]) == (9, 1, 4)
    assert (found["n0"], found["mean_children"]) == (2.5, 1.6)
    assert (found["n_pairs"], found["n_close"]) == (45, 12)
    assert [(row["key"], row["response"]) for row in found["closest"]] == [
        ("Agent", "Org"),
        ("Capital", "City"),
        ("City", "Place"),
    ]
    assert found["closest"][1]["bdm"] == pytest.approx(0.6)


def test_pairs_can_be_those_of_some_concepts(tree):
    lines = list(BdmTable(tree, concepts=["City", "Country", "City"]).lines())
    assert [line.split(", n0")[0] for line in lines[1:]] == [
        "key=City, response=City, bdm=1.0, msca=City, cp=2, dpk=0, dpr=0",
        "key=City, response=Country, bdm=0.375, msca=Place, cp=1, dpk=1, dpr=1",
        "key=Country, response=Country, bdm=1.0, msca=Country, cp=2, dpk=0, dpr=0",
    ]
    with pytest.raises(ValueError, match="'Town' is no concept of the ontology"):
        list(BdmTable(tree, concepts=["Town"]).lines())


def test_too_many_concepts_are_refused_unless_some_are_chosen(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("".join(f"c{i},root\n" for i in range(2001)))
    with pytest.raises(FormatError, match="2002 concepts have too many pairs .*--concept NAME"):
        BdmTable(path)
    assert len(list(BdmTable(path, concepts=["c1", "c2"]).lines())) == 4
