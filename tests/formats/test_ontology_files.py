"""Files of ontologies and of closeness: what they say, and how they fail."""

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.ontology import (
    MOST_CONCEPTS,
    bdm_lines,
    read_closeness,
    read_ontology,
    write_closeness,
)
from spacy_chance_eval.measures.bdm import BdmParts, Ontology, closeness
from spacy_chance_eval.scoring.counts import no_progress

EDGES = [("Agent", "Thing"), ("Org", "Agent"), ("Person", "Agent"), ("Place", "Thing")]
EXPECTED = Ontology(EDGES)


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


# --- tables


@pytest.mark.parametrize("header", ["", "child,parent\n", "Concept , PARENT\n"])
def test_a_table_has_a_child_and_a_parent_a_row(file, header):
    rows = "\n".join(",".join(edge) for edge in EDGES)
    assert read_ontology(file("a.csv", header + rows)) == EXPECTED
    assert read_ontology(file("a.tsv", (header + rows).replace(",", "\t"))) == EXPECTED


def test_a_row_without_a_parent_is_a_concept(file):
    assert read_ontology(file("a.csv", "a\n\nb,\n'c d',a\n")) == Ontology(
        [("'c d'", "a")], ["a", "b"]
    )


@each_case(
    ("name", "content", "message"),
    [
        ("a.csv", "a,b,c\n,b\nx,y\n", ":1: a row of ['a', 'b', 'c']; a row is: concept, parent"),
        ("a.csv", "x,y\n,b\n", ":2: a row of ['', 'b']"),
        ("a.csv", 'x,y\n"a\n', ":2: no table: a quote"),
        ("a.csv", "a,b\nb,a\n", ": no ontology: a cycle above a, b;"),
        ("a.csv", "a,b\nb,a\nc,a\nd,c\nc,e\n", ": no ontology: a cycle above a, b, c, d;"),
        ("a.csv", "a,b\nb,a\na,e\n", ": no ontology: a cycle above a, b;"),
        ("a.csv", "a,a\n", ": no ontology: a cycle above a;"),
        ("a.csv", "", ": no ontology: an ontology without concepts"),
        ("a.csv", b"a,b\n\xff,a\n", ":2: not UTF-8"),
        ("a.owl", "a,b", ": an ontology is a table of the rows concept, parent"),
    ],
)
def test_what_is_no_ontology_is_refused_with_its_place(failing, name, content, message):
    assert failing(name, content).startswith(message)


# --- closeness

LINE = "key=A b, response=C, bdm=0.66, msca=D, cp=1, dpk=1, dpr=0, n0=2.0, n1=2.0, n2=2.8, bran=2\n"
FAR = "key={}, response={}, bdm=0.0,  no MSCA! cp=-1, dpk=-1, dpr=-1, n0=2, n1=2, n2=1, bran=1.0\n"


def test_a_bdm_file_of_gate_is_read(file):
    text = "##The following are the scores\n" + LINE + FAR.format("X", "C") + FAR.format("X", "A b")
    expected = {("A b", "C"): 0.66, ("C", "X"): 0, ("A b", "X"): 0}
    assert read_closeness(file("a.txt", text)) == expected


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


@each_case("name", ["A, B", "http://x.org/o#City"])
def test_names_that_a_bdm_file_cannot_hold_are_refused(file, tmp_path, name):
    path = file("places.csv", f'"{name}",Place\n')
    with pytest.raises(FormatError, match=f"places.csv: the concept {name!r}; rename it: BDM"):
        write_closeness(path, tmp_path / "a.bdm", no_progress)


@each_case(
    ("content", "message"),
    [
        ("", ": no closeness; expected"),
        ("meta\n", ": no closeness; expected"),
        ("meta\nA B 0.5\n", ":2: no BDM entry"),
        ("meta\nkey=A, response=B, bdm=1.5\n", ":2: closeness '1.5' of 'A' and 'B'"),
        ("meta\nkey=A, response=B, bdm=nan, x\n", ":2: closeness 'nan' of"),
        ("meta\nkey=A, response=B, bdm=, x\n", ":2: closeness '' of"),
        ("meta\nkey=A, response=B, bdm=0,5, x\n", ":2: closeness '0,5' of"),
        ("meta\n" + LINE + FAR.format("X", "C"), ": no line for 'A b' and 'X'; a BDM file has all"),
        ("key=A, response=B, bdm=1\nkey=B, response=A, bdm=0.5\n", ":2: A and B have 0.5"),
        ("x\n" + "n" * 10**6, ":2: no BDM entry"),
        (b"x\n\xff\n", ":2: not UTF-8"),
    ],
)
def test_a_broken_bdm_file_is_refused_with_its_line(failing, content, message):
    assert failing("a.bdm", content, read_closeness).startswith(message)


def test_too_many_concepts_have_too_many_pairs(failing):
    rows = "\n".join(f"c{i},root" for i in range(MOST_CONCEPTS))
    message = f": {MOST_CONCEPTS + 1} concepts have too many pairs"
    assert failing("a.csv", rows, read_closeness).startswith(message)


@pytest.mark.parametrize("header", ["", "label,label,closeness\n"])
def test_a_table_of_pairs_has_their_closeness(file, header):
    path = file("a.csv", header + "PER,ORG,.5\nLOC,ORG,0.25\nORG,PER,.5\n")
    assert read_closeness(path) == {("ORG", "PER"): 0.5, ("LOC", "ORG"): 0.25}


@each_case(
    ("content", "message"),
    [
        ("a,b,.5\nb,a,.6\n", ":2: a and b have 0.6 after 0.5; give each pair once"),
        ("a,b,.5\nb,c,1.5\n", ":2: closeness '1.5' of 'b' and 'c'; two names have a number"),
        ("a,b,.5\nb,c\n", ":2: a row of ['b', 'c']"),
        ('a,b,"0,5"\n', ":1: closeness '0,5' of"),
        ("a,b,0.5x\nb,c,.5\n", ":1: closeness '0.5x' of"),
        ("a,b,.5\nb,,.5\n", ":2: closeness '.5' of '' and 'b'"),
        ('a,b,.5\nb,c,"0,5"\n', ":2: closeness '0,5' of"),
    ],
)
def test_a_broken_table_of_pairs_is_refused_with_its_line(failing, content, message):
    assert failing("a.csv", content, read_closeness).startswith(message)


def test_the_closeness_that_is_written_is_that_of_the_ontology(file, tmp_path):
    rows = "\n".join(",".join(edge) for edge in EDGES)
    path = file("a.csv", rows)
    assert write_closeness(path, tmp_path / "a.bdm", no_progress) == 15
    assert read_closeness(tmp_path / "a.bdm") == read_closeness(path) == closeness(EXPECTED)
