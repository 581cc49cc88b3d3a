"""`spacy-chance-eval agree`: every way to name annotators, what comes out, and its errors."""

import json
import subprocess
import sys

import pytest

from helpers.cases import each_case
from helpers.docmaking import make_doc, write_docs
from helpers.panelfiles import lines, row
from helpers.textfiles import FOUND, SPANS, WORDS, call, failed, jsonl
from helpers.treefiles import conll, write
from spacy_chance_eval import Resampling, Trees, read, sample
from spacy_chance_eval import agree as agree_spans
from spacy_chance_eval.reports.words import interval_of

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


def test_eight_annotators_fit_a_screen(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    names = ("anna", "ben", "carla", "dan")
    files = [f"{name}{i}={sample.path(f'annotators/{name}.jsonl')}" for name in names for i in "12"]
    lines = agree(*files).splitlines()
    assert sum(1 + (len(line) - 1) // 80 for line in lines) <= 30
    assert lines[-1].startswith("next: ")


def test_json_on_standard_output_leaves_the_tables_to_standard_error(two):
    done = call("agree", *two, *FEW, "-o", "-")
    assert json.loads(done.stdout)["n_docs"] == 1
    assert "span_f" in done.stderr


def test_json_goes_to_a_file_beside_the_tables(two, tmp_path):
    path = tmp_path / "agreement.json"
    printed = agree(*two, "-o", path)
    assert "span_f" in printed
    assert json.loads(path.read_text()) == result(*two)


def test_layers_of_a_docbin_are_compared(tmp_path):
    path = tmp_path / "x.spacy"
    write_docs(path, [make_doc(WORDS, None, groups={"a": SPANS, "b": FOUND})])
    found = result(path, "--layer", "spans:a", "--layer", "ben=spans:b")
    assert names(found) == ["a", "ben"]
    assert metric(found)["mean"]["observed"] == pytest.approx(2 / 3)


def test_json_has_all_documents(tmp_path):
    rows = [row(SPANS, id=f"d{d}") for d in range(15)]
    files = [lines(tmp_path / f"{who}.jsonl", *rows) for who in "ab"]
    assert len(metric(result(*files))["documents"]) == 15


# --- what is wrong: a message, exit code 1, no traceback, nothing written


ONE = "only 1 annotator ('{}'), and agreement needs two or more"


def test_one_annotator_of_trees_is_an_error(tmp_path):
    path = write(tmp_path / "ann.conllu", conll())
    assert ONE.format("ann") in failed("agree", path)
    trees = Trees.from_heads([[2, 0]], [["A", "B"]])
    with pytest.raises(ValueError, match="needs two or more; pass the annotation of each"):
        agree_spans({"ann": trees})


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


@each_case("n", [0, 1])
def test_as_many_documents_are_printed_as_asked_for(sourced, tmp_path, n):
    printed = agree(*sourced, "--top", n, "-m", "span_f", "-o", tmp_path / "all.json")
    assert printed.count("that cost the team most") == min(n, 1)
    found = json.loads((tmp_path / "all.json").read_text())
    assert len(metric(found)["documents"]) == 4


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
