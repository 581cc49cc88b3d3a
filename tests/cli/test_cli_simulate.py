"""`spacy-chance-eval simulate`: what it prints and writes, and its errors."""

import json

import pytest

from helpers.cases import each_case
from helpers.textfiles import call, failed
from spacy_chance_eval.tasks.simulate import simulate_chance


def simulate(*arguments):
    """What a call that goes well prints."""
    done = call("simulate", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_all_tables_are_printed():
    printed = simulate()
    assert printed == simulate("chance")
    assert (
        all(f"Table {number}: " in printed for number in range(1, 10)) and "Figure 1: " in printed
    )


def test_json_is_the_result():
    result = json.loads(simulate("-o", "-"))
    assert result["tables"] == simulate_chance()["tables"]


@pytest.mark.parametrize("ending", ["md", "csv", "json", "txt"])
def test_the_ending_of_a_file_says_how_to_write(tmp_path, ending):
    path = tmp_path / "new" / f"chance.{ending}"
    assert "Wrote" in simulate("chance", "--only", "table3", "-o", path)
    written = path.read_text(encoding="utf8")
    assert written == simulate("--only", "table3", "--to", {"txt": "text"}.get(ending, ending))


def test_a_figure_is_a_file(tmp_path):
    simulate("--only", "figure1", "-o", tmp_path / "figure1.svg")
    written = (tmp_path / "figure1.svg").read_text(encoding="utf8")
    assert written.startswith("<svg") and written == simulate("--only", "figure1", "--to", "svg")


@each_case(
    ("arguments", "message"),
    [
        (("gate",), "unknown simulation 'gate'"),
        (("--only", "table99"), "unknown table 'table99'"),
        (
            ("--to", "gif"),
            "unknown format 'gif'; expected one of text, md, csv, json, svg",
        ),
        (("-o", "chance.gif"), "chance.gif: unknown ending; name one of text, md"),
        (("--only", "table3", "--to", "svg"), "no figure among these tables"),
        (("chance", "gold.conll"), "simulate chance reads no file; leave out gold.conll"),
        (("slicm", "--scheme", "IOB2"), "--scheme is for files of simulate slicm FILE"),
        (("chance", "-m", "span_f"), "--metric is for files of simulate slicm FILE"),
        (("slicm", "nowhere.conll"), "nowhere.conll"),
    ],
)
def test_wrong_options_are_told(arguments, message):
    assert message in failed("simulate", *arguments)


def test_the_tables_of_a_paper_or_of_a_corpus_are_printed(tmp_path):
    assert "Table 3: scores of A and B" in simulate("slicm")
    (tmp_path / "gold.conll").write_text("Ada B-PER\nLee I-PER\nin O\nOslo B-LOC\n")
    printed = simulate("slicm", tmp_path / "gold.conll", "-m", "token_f", "--only", "table4")
    assert "Table 4: scores after transformations of 2 spans" in printed
    assert "changed   token_f" in printed


def test_a_layer_of_several_can_be_named(tmp_path):
    row = {"tokens": ["a", "b"], "layers": {"x": [[0, 1, "P"]], "y": [[0, 1, "P"], [1, 2, "P"]]}}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    for options in (("--layer", "y"), ("--by", "layer", "--annotator", "y")):
        assert "of 2 spans" in simulate("slicm", tmp_path / "a.jsonl", *options)
