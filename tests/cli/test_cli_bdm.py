"""`spacy-chance-eval bdm`: what it prints and writes, and its errors."""

import json

import pytest

from helpers.cases import each_case
from helpers.textfiles import call, failed

SPANS = {"gold": [[0, 2, "City"], [3, 5, "Person"]], "pred": [[0, 2, "Capital"], [4, 5, "Person"]]}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "places.csv").write_text(
        "City,Place\nCapital,City\nCountry,Place\nPlace,Thing\nPerson,Thing\n"
    )
    for name, spans in SPANS.items():
        row = {"tokens": list("abcdefghi"), "spans": spans}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    return tmp_path


def test_the_closest_pairs_are_printed(here):
    printed = call("bdm", "places.csv").stdout
    assert "places.csv: 6 concepts, 1 root, 3 without children" in printed
    assert "21 of 6 concepts, each with itself, too; 6 of different concepts are above 0" in printed
    assert printed.split("closest pairs")[1].split()[10:] and "Capital" in printed


def test_the_file_serves_as_the_ontology_does(here):
    done = call("bdm", "places.csv", "-o", "new/places.bdm")
    assert "BDM file: new/places.bdm" in done.stderr
    scores = [
        call("score", "gold.jsonl", "pred.jsonl", "-m", "bdm_f", "--bdm", file, "-o", "-").stdout
        for file in ("places.csv", "new/places.bdm")
    ]
    values = [json.loads(one)["layers"][0]["scores"]["bdm_f"]["value"] for one in scores]
    assert values[0] == values[1] > 0


def test_lines_on_standard_output_leave_the_report_to_standard_error(here):
    done = call("bdm", "places.csv", "-o", "-", "--concept", "City", "--concept", "Country")
    assert done.stdout.startswith("##BDM of each pair of concepts of places.csv\nkey=City, ")
    assert done.stdout.count("\n") == 4 and "closest pairs" in done.stderr


@each_case(
    ("arguments", "message"),
    [
        (("places.csv", "--concept", "Town"), "'Town' is no concept of the ontology"),
        (("gold.jsonl",), "unknown ending '.jsonl' of an ontology"),
        (("places.csv", "-o", "places.csv"), "places.csv"),
        (("none.csv",), "none.csv"),
    ],
)
def test_what_cannot_be_done_is_an_error(here, arguments, message):
    assert message in failed("bdm", *arguments)
    assert (here / "places.csv").read_text().startswith("City")
