"""`spacy-chance-eval agree`: every way to name annotators, what comes out, and its errors."""

import json
import subprocess
import sys

import pytest

from helpers.cases import each_case
from helpers.docmaking import make_doc, write_docs
from helpers.panelfiles import brat, lines, row
from helpers.prodigy_stub import TEACH
from helpers.textfiles import FOUND, SPANS, WORDS, call, failed, jsonl
from helpers.treefiles import conll, write
from spacy_chance_eval import Resampling, Spans, Trees, read, sample
from spacy_chance_eval import agree as agree_spans
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring.statistics import headline

FEW = ("--resamples", 20)


@pytest.fixture
def two(tmp_path):
    """The work of two annotators as JSONL."""
    return jsonl(tmp_path / "alice.jsonl", SPANS), jsonl(tmp_path / "bob.jsonl", FOUND)


def agree(*arguments):
    """Tables of a call that goes well."""
    done = call("agree", *arguments, *FEW)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def result(*arguments):
    """The JSON of a call that goes well."""
    return json.loads(agree(*arguments, "-o", "-"))


def names(found):
    return [annotator["name"] for annotator in found["annotators"]]


def metric(found, name="span_f"):
    (tables,) = [one for one in found["metrics"] if one["metric"] == name]
    return tables


def test_the_usual_scores_of_two_files_are_printed(two):
    printed = agree(*two)
    for text in ("alice", "bob", "span_f", "token_f", "u_alpha", "PER", ".667"):
        assert text in printed
    assert "alpha_u  " not in printed and "-m alpha_u" in printed


def test_eight_annotators_fit_a_screen(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    names = ("anna", "ben", "carla", "dan")
    files = [f"{name}{i}={sample.path(f'annotators/{name}.jsonl')}" for name in names for i in "12"]
    lines = agree(*files).splitlines()
    assert sum(1 + (len(line) - 1) // 80 for line in lines) <= 30
    assert lines[-1].startswith("next: ")


def test_the_json_holds_all_tables(two):
    found = result(*two)
    assert names(found) == ["alice", "bob"]
    assert metric(found)["mean"]["observed"] == pytest.approx(2 / 3)
    assert metric(found)["team"]["observed"] == pytest.approx(2 / 3)
    assert found["sources"] == [str(path) for path in two]


def test_json_on_standard_output_leaves_the_tables_to_standard_error(two):
    done = call("agree", *two, *FEW, "-o", "-")
    assert json.loads(done.stdout)["n_docs"] == 1
    assert "span_f" in done.stderr


def test_json_goes_to_a_file_beside_the_tables(two, tmp_path):
    path = tmp_path / "agreement.json"
    printed = agree(*two, "-o", path)
    assert "span_f" in printed
    assert json.loads(path.read_text()) == result(*two)


def test_the_signature_names_every_choice(two):
    found = result(*two, "-m", "token_f(encoding=BIO)", "--seed", 3, "--level", 0.9)
    signature = metric(found, "token_f(encoding=BIO)")["signature"]
    for part in (
        "encoding=BIO",
        "chance=disjoint",
        "annotators=2",
    ):
        assert part in signature
    assert (found["resampling"]["seed"], found["resampling"]["level"]) == (3, 0.9)


def test_the_same_seed_gives_the_same_numbers(two, tmp_path):
    rows = [row(SPANS if d % 2 else FOUND, id=f"d{d}") for d in range(6)]
    both = lines(tmp_path / "a.jsonl", *rows), lines(tmp_path / "b.jsonl", *rows[::-1])
    assert result(*both) == result(*both)


def test_layers_of_a_docbin_are_compared(tmp_path):
    path = tmp_path / "x.spacy"
    write_docs(path, [make_doc(WORDS, None, groups={"a": SPANS, "b": FOUND})])
    found = result(path, "--layer", "spans:a", "--layer", "ben=spans:b")
    assert names(found) == ["a", "ben"]
    assert metric(found)["mean"]["observed"] == pytest.approx(2 / 3)


def test_a_field_names_the_annotators(tmp_path):
    path = lines(tmp_path / "x.jsonl", *(row(SPANS, id="a", who=name) for name in ("x", "y", "z")))
    found = result(path, "--read", "annotator=who")
    assert names(found) == ["x", "y", "z"] and headline(metric(found)["team"]) == 1


def test_folders_of_texts_are_compared_on_tokens(tmp_path):
    brat(tmp_path / "alice", "d", SPANS)
    brat(tmp_path / "bob", "d", FOUND)
    folders = tmp_path / "alice", tmp_path / "bob"
    assert result(*folders)["positions"] == "char"
    found = result(*folders, "--read", "tokenizer=en")
    assert found["positions"] == "token"
    assert metric(found)["mean"]["observed"] == pytest.approx(2 / 3)


def test_files_in_folders_of_documents_are_annotators(tmp_path):
    for who, spans in (("alice", SPANS), ("bob", FOUND)):
        brat(tmp_path / "d1", who, spans)
    assert names(result(tmp_path, "--annotators", "file", "--read", "tokenizer=en")) == [
        "alice",
        "bob",
    ]


MATRIX = {"N": {"N": 1, "P": 1}, "P": {"P": 2}}


def test_categories_have_their_usual_coefficients(tmp_path):
    task = {"answer": "accept", "_view_id": "choice", "options": [{"id": "P"}, {"id": "N"}]}
    tasks = [
        task
        | {"text": f"{d}", "_input_hash": d, "_task_hash": d, "_annotator_id": who, "accept": [x]}
        for who, choices in (("ann", "PPNN"), ("ben", "PPNP"))
        for d, x in enumerate(choices)
    ]
    found = result(lines(tmp_path / "x.jsonl", *tasks), "--categories")
    assert found["positions"] == "category" and names(found) == ["ann", "ben"]
    assert headline(metric(found, "percent_agreement")["team"]) == pytest.approx(3 / 4)
    # coincidences: PP 4, NN 2, PN 1, NP 1; 1 - (8 - 1) * 2 / (5 * 3 * 2)
    assert headline(metric(found, "krippendorff_alpha")["team"]) == pytest.approx(8 / 15)
    (confusion,) = found["confusions"]
    assert confusion == {"first": "ann", "second": "ben", "labels": MATRIX}
    assert metric(found, "percent_agreement")["pairs"][0]["macro_docs"] == pytest.approx(3 / 4)


def test_decisions_on_suggested_spans_are_categories(tmp_path):
    file = lines(tmp_path / "binary.jsonl", *TEACH)
    done = failed("agree", file)
    assert "compares labels of documents, and decisions (accept, reject)" in done
    found = result(file, "--categories", "-m", "percent_agreement")
    assert headline(metric(found, "percent_agreement")["team"]) == pytest.approx(2 / 3)


def test_an_ontology_gives_partial_credit(tmp_path):
    other = [(start, end, "CITY" if label == "LOC" else label) for start, end, label in SPANS]
    files = jsonl(tmp_path / "a.jsonl", SPANS), jsonl(tmp_path / "b.jsonl", other)
    ontology = tmp_path / "classes.csv"
    ontology.write_text("child,parent\nPER,THING\nLOC,THING\nCITY,LOC\n")
    near = f"bdm_f(closeness={ontology})"
    found = result(*files, "-m", "span_f", "-m", near)
    assert 2 / 3 < headline(metric(found, near)["mean"]) < 1
    assert metric(found, "span_f")["mean"]["observed"] == pytest.approx(2 / 3)


def test_features_have_to_agree_where_asked_for(tmp_path):
    files = []
    for who in ("a", "b"):
        span = {"start": 0, "end": 1, "label": "PER", "features": {"sex": who}}
        files.append(lines(tmp_path / f"{who}.jsonl", {"tokens": WORDS, "spans": [span]}))
    assert headline(metric(result(*files, "-m", "gate_f"), "gate_f")["mean"]) == 1
    found = result(*files, "-m", "gate_f(features=all)")
    assert headline(metric(found, "gate_f(features=all)")["mean"]) < 1


def test_json_has_all_documents(tmp_path):
    rows = [row(SPANS, id=f"d{d}") for d in range(15)]
    files = [lines(tmp_path / f"{who}.jsonl", *rows) for who in "ab"]
    assert len(metric(result(*files))["documents"]) == 15


def test_no_resamples_make_no_intervals(two):
    found = json.loads(call("agree", *two, "--resamples", 0, "-o", "-").stdout)
    assert interval_of(metric(found)["mean"]) is None


# --- what is wrong: a message, exit code 1, no traceback, nothing written


ONE = "only 1 annotator ('{}'), and agreement needs two or more"


def test_one_annotator_is_an_error_that_says_what_to_do(two, tmp_path):
    message = failed("agree", two[0], "-o", tmp_path / "a.json", "-o", tmp_path / "pages")
    assert f"{two[0]}: {ONE.format('spans')}" in message
    assert "say what distinguishes the annotators (--annotators)" in message
    assert not {*tmp_path.iterdir()} - {*two}


def test_one_annotator_of_categories_is_an_error(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("document,annotator,label\nd1,ann,A\nd2,ann,B\n")
    assert ONE.format("ann") in failed("agree", path, "--categories")
    said = failed("agree", path, "--categories", "--candidate", path)
    assert "the test needs two annotators or more beside the candidates" in said
    assert "only 'ann': add others" in said


def test_one_annotator_of_trees_is_an_error(tmp_path):
    path = write(tmp_path / "ann.conllu", conll())
    assert ONE.format("ann") in failed("agree", path)
    trees = Trees.from_heads([[2, 0]], [["A", "B"]])
    with pytest.raises(ValueError, match="needs two or more; pass the annotation of each"):
        agree_spans({"ann": trees})


def test_one_annotator_in_python_is_an_error():
    spans = Spans.from_tuples([[(0, 2, "PER")]], sizes=[9])
    with pytest.raises(ValueError, match="needs two or more; pass the annotation of each"):
        agree_spans({"ann": spans})


@each_case(
    ("words", "said"),
    [
        ("alice.jsonl no.jsonl", "no.jsonl: no such file"),
        ("alice.jsonl other.jsonl", "alice.jsonl:1: token 2 of document 1 is 'met', but 'hit'"),
        ("alice.jsonl brat --align tokens", "brat: there are no tokens here"),
        ("alice.jsonl bob.jsonl --align luck", "unknown value of align 'luck'"),
        ("A=alice.jsonl A=bob.jsonl", "two annotators are called 'A'"),
        ("alice.jsonl -l zoe", "there is no layer 'zoe'; available: spans"),
        ("alice.jsonl#zoe bob.jsonl", "there is no layer 'zoe'; available: spans"),
        ("alice.jsonl --categories", "no document has any categories"),
        ("alice.jsonl --read annotator=who", "no row names anybody in 'who'"),
        ("alice.jsonl bob.jsonl -m nonsense", "unknown metric 'nonsense'"),
        ("alice.jsonl bob.jsonl -m span_f(chance=luck)", "chance is 'luck'"),
        ("alice.jsonl bob.jsonl --annotators luck", "no row names anybody in 'luck'"),
        ("alice.jsonl bob.jsonl --format luck", "unknown format 'luck'"),
        ("alice.jsonl bob.jsonl --level 2", "level is 2.0"),
        ("alice.jsonl bob.jsonl --read tokenizer=qq", "spaCy has no language 'qq'"),
        ("alice.jsonl bob.jsonl --read scheme=IOB2", "has no key 'scheme'"),
        ("alice.jsonl bob.jsonl -m bdm_f(closeness=no.csv)", "no.csv: no such file"),
        ("alice.jsonl bob.jsonl -m bdm_f", "closeness=places.csv"),
    ],
)
def test_bad_input_ends_with_a_message_and_writes_nothing(two, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    jsonl(tmp_path / "other.jsonl", SPANS, ["Ada", "hit", *WORDS[2:]])
    brat(tmp_path / "brat", "d", SPANS)
    assert said in failed("agree", *words.split(), "-o", "out.json")
    assert not (tmp_path / "out.json").exists()


# --- what is resampled, and how many documents are shown


@pytest.fixture
def sourced(tmp_path):
    """Two annotators of four documents, three of which say where they are from."""
    for name, start in (("ann", 0), ("bob", 1)):
        rows = [
            {"tokens": WORDS, "spans": [[start * (i < 2), 2, "PER"]]} | ({"source": s} if s else {})
            for i, s in enumerate(("x", "x", "y", None))
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"


@each_case("more", [(), ("--n-process", 2)])
def test_documents_that_share_an_attribute_are_resampled_together(sourced, more):
    found = result(*sourced, "--cluster", "source", *more)
    assert found["resampling"]["unit"] == "source"
    assert "1 documents have no 'source': each is a cluster of its own." in found["notes"]
    clusters = ["x", "x", "y", None]
    ann, bob = (read(path).spans() for path in sourced)
    again = agree_spans([ann, bob], ["span_f"], intervals=Resampling(20), clusters=clusters)
    assert tuple(interval_of(metric(found)["team"])) == interval_of(again["span_f"]["team"])


def test_an_attribute_that_no_document_has_is_an_error(sourced):
    said = failed("agree", *sourced, "--cluster", "sorce")
    assert "an attribute 'sorce' (did you mean 'source'?)" in said


@each_case("n", [0, 1])
def test_as_many_documents_are_printed_as_asked_for(sourced, tmp_path, n):
    printed = agree(*sourced, "--top", n, "-m", "span_f", "-o", tmp_path / "all.json")
    assert printed.count("that cost the team most") == min(n, 1)
    found = json.loads((tmp_path / "all.json").read_text())
    assert len(metric(found)["documents"]) == 4


@each_case("option", [("--top", 3), ("--cluster", "source")])
def test_a_candidate_has_neither(sourced, option):
    said = failed("agree", *sourced, "--candidate", sourced[1], *option)
    assert f"{option[0]} is for agreement" in said


@pytest.mark.integration
@pytest.mark.parametrize("program", [["spacy", "chance"], ["spacy_chance_eval"]])
def test_the_help_teaches(program):
    command = [sys.executable, "-m", *program, "agree", "--help-all"]
    done = subprocess.run(command, capture_output=True, text=True, env=None)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    for words in (
        "beyond chance", "agree alice.jsonl bob.jsonl", "--annotators", "--layer spans:alice",
        "weighted", "--categories", "reason", "-o", "a folder gets pages",
    ):  # fmt: skip
        assert words in text
