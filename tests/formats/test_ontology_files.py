"""Files of ontologies and of closeness: what they say, and how they fail."""

import json
import sys

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.bdm import LONGEST_NAME, MOST_CONCEPTS, bdm_lines, check_concepts
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.ontology import read_closeness, read_ontology
from spacy_chance_eval.measures.bdm import BdmParts, Ontology, closeness

EDGES = [("Agent", "Thing"), ("Org", "Agent"), ("Person", "Agent"), ("Place", "Thing")]
EXPECTED = Ontology.from_edges(EDGES)
XML = '<?xml version="1.0"?>\n{}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" \
xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">\n\
{}</rdf:RDF>'
CLASS = '<owl:Class rdf:about="http://x.org/o#{}">{}</owl:Class>\n'
SKOS = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix : <http://x.org/o/> .\n"


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        content = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.fixture
def failing(file):
    def fail(name, content, read=read_ontology):
        with pytest.raises(FormatError) as caught:
            read(file(name, content))
        return str(caught.value).partition(name)[2]

    return fail


# --- tables and JSON


@pytest.mark.parametrize("header", ["", "child,parent\n", "Child , PARENT\n"])
def test_a_table_has_a_child_and_a_parent_a_row(file, header):
    rows = "\n".join(",".join(edge) for edge in EDGES)
    assert read_ontology(file("a.csv", header + rows)) == EXPECTED
    assert read_ontology(file("a.tsv", (header + rows).replace(",", "\t"))) == EXPECTED


def test_a_header_can_turn_the_columns(file):
    rows = "\n".join(",".join(edge[::-1]) for edge in EDGES)
    assert read_ontology(file("a.csv", "parent,child\n" + rows)) == EXPECTED


def test_a_row_without_a_parent_is_a_concept(file):
    assert read_ontology(file("a.csv", "a\n\nb,\n'c d',a\n")) == Ontology(
        ["a", "b", "'c d'"], {"'c d'": ["a"]}
    )


@pytest.mark.parametrize(
    "data",
    [
        EDGES,
        {"Agent": ["Thing"], "Org": ["Agent"], "Person": ["Agent"], "Place": ["Thing"]},
        {"Thing": {"Agent": {"Org": {}, "Person": {}}, "Place": {}}},
    ],
)
def test_json_holds_edges_or_parents_or_a_tree(file, data):
    assert read_ontology(file("a.json", json.dumps(data))) == EXPECTED


def test_a_concept_in_two_places_of_a_tree_has_two_parents(file):
    found = read_ontology(file("a.json", '{"a": {"c": {}}, "b": {"c": {}}}'))
    assert found.parents["c"] == ("a", "b")


@each_case(
    ("name", "content", "message"),
    [
        ("a.csv", "a,b,c\n,b\nx,y\n", ":1: a row of ['a', 'b', 'c']; a row is: child, parent"),
        ("a.csv", "x,y\n,b\n", ":2: a row of ['', 'b']"),
        ("a.csv", 'x,y\n"a\n', ":2: not a table"),
        ("a.csv", "a,b\nb,a\n", ": no ontology: a cycle: a < b < a"),
        ("a.csv", "a,b\nb,a\nc,a\nd,c\nc,e\n", ": no ontology: a cycle: a < b < a"),
        ("a.csv", "a,b\nb,a\na,e\n", ": no ontology: a cycle: a < b < a"),
        ("a.csv", "a,a\n", ": no ontology: a cycle: a < a"),
        ("a.json", '[["a", "b"], ["b", "a"], ["a", "e"]]', ": no ontology: a cycle: a < b < a"),
        ("a.json", '{"a": {"b": {"a": {}}, "c": {}}}', ": no ontology: a cycle: a < b < a"),
        ("a.csv", "", ": no ontology: an ontology without concepts"),
        ("a.csv", b"a,b\n\xff,a\n", ":2: not UTF-8"),
        ("a.csv", "a,b\n" + "n" * (LONGEST_NAME + 1), ":2: an overlong name"),
        ("a.csv", "n" * 10**6, ":1: an overlong name"),
        ("a.csv", '"' + "n" * 10**6, ":2: not a table (field larger"),
        ("a.json", json.dumps([["n" * 10**6, "b"]]), ": an overlong name"),
        ("a.json", "", ":1: invalid JSON"),
        ("a.json", '[["a", "b"],\n?]', ":2: invalid JSON"),
        ("a.json", "[" * 10**5, ": invalid JSON (nested too deeply)"),
        ("a.json", '{"a": ["b"], "a": ["c"]}', ": 'a' occurs twice"),
        ("a.json", '{"a": {"b": 1}}', ": 'b' holds a int"),
        ("a.json", '{"a": {"b": NaN}}', ": invalid JSON (NaN is not JSON)"),
        ("a.json", '[["a", "b", "c"]]', ": neither edges nor a tree"),
        ("a.json", '"a"', ": neither edges nor a tree"),
        ("a.json", "[" + "9" * 5000 + "]", ": invalid JSON (a number of too many digits)"),
        ("a.xyz", "a,b", ": unknown ending '.xyz'"),
    ],
)
def test_what_is_no_ontology_is_refused_with_its_place(failing, name, content, message):
    assert failing(name, content).startswith(message)


# --- RDF


def test_owl_classes_are_named_by_label_or_fragment(file):
    rows = [
        CLASS.format("A", "<rdfs:label>Agent</rdfs:label>"),
        CLASS.format("Org", '<rdfs:subClassOf rdf:resource="http://x.org/o#A"/>'),
    ]
    path = file("a.owl", XML.format("", "".join(rows)))
    assert read_ontology(path) == Ontology.from_edges([("Org", "Agent")])
    assert read_ontology(path, names="fragment") == Ontology.from_edges([("Org", "A")])


def test_restrictions_without_a_uri_are_passed_over(file):
    nameless = "<rdfs:subClassOf><owl:Restriction/></rdfs:subClassOf>"
    path = file("a.rdf", XML.format("", CLASS.format("A", nameless)))
    assert read_ontology(path).concepts == ("A",)


def test_skos_has_broader_and_narrower_concepts(file):
    text = ':b skos:broader :a ; skos:prefLabel "Bach"@de, "Brook"@en . :a skos:narrower :c .'
    for name in ("a.ttl", "a.skos"):
        found = read_ontology(file(name, SKOS + text))
        assert found == Ontology.from_edges([("Brook", "a"), ("c", "a")])


def test_concepts_with_one_name_are_refused_unless_read_by_fragment(file):
    path = file("a.ttl", SKOS + ':a skos:prefLabel "x" . :b skos:prefLabel "x" ; skos:broader :a .')
    with pytest.raises(FormatError, match="names='fragment'"):
        read_ontology(path)
    assert read_ontology(path, names="fragment").concepts == ("a", "b")


BOMB = '<!DOCTYPE r [<!ENTITY a "{}"><!ENTITY b "{}"><!ENTITY c "{}">]>'.format(
    "x" * 1000, "&a;" * 1000, "&b;" * 1000
)
EXTERNAL = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("doctype", [BOMB, EXTERNAL])
def test_entities_are_never_expanded(failing, doctype):
    entity = "&c;" if doctype is BOMB else "&a;"
    body = CLASS.format("A", f"<rdfs:label>{entity}</rdfs:label>")
    assert "DOCTYPE" in failing("a.owl", XML.format(doctype, body))


@each_case(
    ("name", "content"),
    [
        ("a.owl", "<?xml version='1.0'?>\n<a"),
        ("a.owl", "<?xml version='1.0'?><Ontology xmlns='http://www.w3.org/2002/07/owl#'/>"),
        ("a.ttl", "@prefix x"),
        ("a.ttl", "[ " * 5000),
        ("a.ttl", ""),
        ("a.ttl", b"\xff\xfe\x00"),
        ("a.ttl", b"# \xe4\n"),
        ("a.skos", SKOS + ":a skos:broader :b . :b skos:broader :a ."),
    ],
)
def test_broken_rdf_is_a_format_error(failing, name, content):
    assert failing(name, content)


def test_without_rdflib_the_message_names_the_extra(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(ImportError, match=r"spacy-chance-eval\[rdf\]"):
        read_ontology(file("a.ttl", ""))


def test_unknown_ways_of_naming_are_refused(file):
    with pytest.raises(ValueError, match="unknown names"):
        read_ontology(file("a.ttl", ""), names="uri")


# --- closeness

LINE = "key=A b, response=C, bdm=0.66, msca=D, cp=1, dpk=1, dpr=0, n0=2.0, n1=2.0, n2=2.8, bran=2\n"


def test_a_bdm_file_of_gate_is_read(file):
    text = "##The following are the scores\n" + LINE + "key=X, response=B, bdm=0.0,  no MSCA! cp=-1"
    assert read_closeness(file("a.txt", text)) == {("A b", "C"): 0.66, ("B", "X"): 0}


def test_names_that_are_uris_are_called_by_their_last_part(file):
    text = "meta\nkey=http://x.org/o#City, response=http://x.org/o/Town, bdm=0.5\n"
    assert read_closeness(file("a.bdm", text)) == {("City", "Town"): 0.5}


def test_only_pairs_of_names_in_use_are_kept(file):
    path = file("a.bdm", "meta\n" + LINE + "key=A b, response=A b, bdm=1.0\n")
    assert read_closeness(path, concepts=["A b", "unknown"]) == {("A b", "A b"): 1}
    path = file("a.csv", "b,a\nc,b\nd,b\n")
    assert set(read_closeness(path, concepts="cdz")) == {("c", "c"), ("c", "d"), ("d", "d")}


def test_closeness_of_an_ontology_file_is_computed(file):
    rows = "\n".join(",".join(edge) for edge in EDGES)
    assert read_closeness(file("a.csv", rows)) == closeness(EXPECTED)


def test_a_bdm_file_is_written_as_in_the_guide():
    parts = BdmParts(0.6617647, "Object", 1, 1, 0, 2.0, 2.0, 2.8333333, 1.9565217)
    apart = BdmParts(0.0, None, None, None, None, 2.0, 2.0, 1.0, None)
    pairs = [("Service", "Object", parts), ("A", "B", apart)]
    assert list(bdm_lines("two\nlines", pairs)) == [
        "two lines",
        "key=Service, response=Object, bdm=0.6617647, msca=Object, cp=1, dpk=1, dpr=0, n0=2.0, "
        "n1=2.0, n2=2.8333333, bran=1.9565217",
        "key=A, response=B, bdm=0.0,  no MSCA! cp=-1, dpk=-1, dpr=-1, n0=2.0, n1=2.0, n2=1.0, "
        "bran=1.0",
    ]


@each_case(
    ("name", "message"),
    [
        ("A, B", "has a comma before a blank, or a line end; rename it"),
        ("A\nB", "has a comma before a blank, or a line end"),
        ("http://x.org/o#City", "has the form of a URI; rename it, as .* call it City"),
    ],
)
def test_names_that_a_bdm_file_cannot_hold_are_refused(name, message):
    with pytest.raises(FormatError, match=f"places.csv: the concept .* {message}"):
        check_concepts(["A,B", "a b", name], "places.csv")


@each_case(
    ("content", "message"),
    [
        ("", ": no closeness; expected"),
        ("meta\n", ": no closeness; expected"),
        ("meta\nA B 0.5\n", ":2: no BDM entry"),
        ("meta\nkey=A, response=B, bdm=1.5\n", ":2: bdm=1.5; bdm is a number from 0 to 1"),
        ("meta\nkey=A, response=B, bdm=nan, x\n", ":2: bdm=nan"),
        ("meta\nkey=A, response=B, bdm=, x\n", ":2: bdm="),
        ("key=A, response=B, bdm=1\nkey=B, response=A, bdm=0.5\n", ":2: A and B have bdm=0.5"),
        ("x\nkey=a://b#C, response=a://d#C, bdm=1\n", ":2: a://d#C and a://b#C have one name"),
        ("x\nkey=" + "n" * 2000 + ", response=B, bdm=1\n", ":2: an overlong name"),
        ("x\n" + "n" * 10**6, ":2: no BDM entry"),
        (b"x\n\xff\n", ":2: not UTF-8"),
    ],
)
def test_a_broken_bdm_file_is_refused_with_its_line(failing, content, message):
    assert failing("a.bdm", content, read_closeness).startswith(message)


def test_too_many_concepts_have_too_many_pairs(failing, file):
    rows = "\n".join(f"c{i},root" for i in range(MOST_CONCEPTS))
    assert "name those in use" in failing("a.csv", rows, read_closeness)
    assert len(read_closeness(file("a.csv", rows), concepts=["c1", "c2"])) == 3
