"""What all scripts of scripts/papers have in common: how they print, and what they import."""

import ast
import csv
import io
import json
from importlib import import_module
from xml.etree import ElementTree

import pytest

from helpers.cases import each_case
from helpers.scripts import FOLDER, ran, script

chance, printing = script("chance"), script("printing")


@each_case(
    ("value", "printed", "differs"),
    [
        (0.68086, "0.6808", True),
        (0.68084, "0.6808", False),
        (0.1, "0.10", False),
        (None, "1", True),
    ],
)
def test_a_cell_differs_where_the_rounded_value_is_not_the_printed_one(value, printed, differs):
    assert ("why" in printing.cell(value, printed)) == differs


def written(tmp_path, *words):
    """What a script writes."""
    path = tmp_path / "new/out"
    assert ran(*words, "-o", path) is None
    return path.read_text(encoding="utf8")


def test_csv_has_numbers_in_full_and_the_printed_ones(tmp_path):
    text = written(tmp_path, "chance", "--only", "table9", "--to", "csv")
    rows = {(row["row"], row["column"]): row for row in csv.DictReader(io.StringIO(text))}
    assert len(rows) == 18
    row = rows["Annotator2", "ObsF1"]
    assert (float(row["value"]), row["printed"], row["why"]) == (
        pytest.approx(32 / 47),
        "0.6808",
        chance.TRUNCATED,
    )


def test_csv_of_a_figure_has_every_point(tmp_path):
    text = written(tmp_path, "chance", "--only", "figure1", "--to", "csv")
    assert len(text.splitlines()) == 1 + 100 + 96 + 91 + 86


def test_json_is_the_result(tmp_path):
    text = written(tmp_path, "chance", "--to", "json")
    assert json.loads(text) == json.loads(json.dumps(chance.simulations()))


def test_svg_has_a_curve_for_each_line(tmp_path):
    text = written(tmp_path, "chance", "--only", "table1,figure1", "--to", "svg")
    drawn = ElementTree.fromstring(text)
    curves = drawn.findall(".//{*}polyline")
    assert [len(one.get("points").split()) for one in curves] == [100, 96, 91, 86]
    assert "length 15" in {one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")}


def test_markdown_and_text_mark_what_differs(capsys, tmp_path):
    assert ran("chance", "--only", "table9", "-o", tmp_path / "a.md") is None
    assert ran("chance", "--only", "table9") is None
    for text in ((tmp_path / "a.md").read_text(encoding="utf8"), capsys.readouterr().out):
        assert "0.6809*" in text and "printed 0.6808, here 0.6809: " in text


@each_case(
    ("words", "message"),
    [
        (("chance", "--only", "table99"), "unknown table 'table99'"),
        (("chance", "--only", "table1", "--to", "svg"), "none of these tables is a figure"),
        (("chance", "-o", "a.odt"), "a.odt ends in none of text, md"),
        (("chance", "--table10", "nothing.json"), "nothing.json"),
        (("slicm", "nothing.jsonl"), "nothing.jsonl: no such file"),
        (("skjaerholt", "--perturb", "nothing.conllx"), "nothing.conllx: no such file"),
    ],
)
def test_what_is_wrong_is_one_line(words, message):
    said = ran(*words)
    assert message in said and "\n" not in said


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_scripts_import_public_names_only(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("spacy_chance_eval"):
            assert node.module.count(".") < 2
            public = import_module(node.module).__all__
            assert {one.name for one in node.names} <= {*public}, path
