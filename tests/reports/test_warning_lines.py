"""Warnings of results stand above the tables of all reports, and are in their JSON."""

import json

import pytest
from typer.testing import CliRunner

from spacy_chance_eval.cli import app

GOLD = "a B-PER\nb I-PER\nc O\n\nd B-LOC\ne O\n"
EMPTY = "The prediction has no spans: all of gold counts as missing; check its column or layer."
NAMED = EMPTY.replace("The prediction", "none")
COMMANDS = {
    "score": (["score", "gold.conll", "none.conll"], EMPTY),
    "save": (["score", "gold.conll", "none.conll", "-o", "run.json"], EMPTY),
    "diff": (["diff", "gold.conll", "none.conll"], NAMED),
    "explain": (["score", "gold.conll", "none.conll", "--explain"], NAMED),
    "explain one": (["score", "gold.conll", "none.conll", "--explain", "1"], NAMED),
    "rank": (
        ["score", "gold.conll", "none.conll", "good=gold.conll", "--resamples", "0"],
        NAMED,
    ),
    "agree": (
        ["agree", "gold.conll", "none.conll", "--resamples", "0"],
        "none has no spans at all; check its column or layer.",
    ),
}
# what stands below the warnings in each report
TABLES = ("observed  ", "recall  ", "span_f: expected", "Spans by label", "Pairs and spans")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.conll").write_text(GOLD)
    (tmp_path / "none.conll").write_text("a O\nb O\nc O\n\nd O\ne O\n")
    return tmp_path


def run(*args):
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(("args", "expected"), COMMANDS.values(), ids=COMMANDS)
def test_reports_print_warnings_above_their_tables_and_json_has_them(files, args, expected):
    lines = run(*args, "-o", "out.json").splitlines()
    at = lines.index(f"Warning: {expected}")
    first = next(i for i, line in enumerate(lines) if any(table in line for table in TABLES))
    assert at < first
    with open("out.json") as file:
        assert expected in json.load(file)["warnings"]


@pytest.mark.parametrize(
    ("suffix", "line"), [("md", "> Warning: {}"), ("html", '<p class="note">Warning: {}</p>')]
)
@pytest.mark.parametrize("command", ["diff", "agree", "rank"])
def test_files_show_the_warnings(files, command, suffix, line):
    args, expected = COMMANDS[command]
    run(*args, "-o", f"out.{suffix}")
    with open(f"out.{suffix}") as file:
        assert line.format(expected) in file.read().splitlines()


def test_pages_of_explanations_show_the_warnings(files):
    args, expected = COMMANDS["explain"]
    run(*args, "-o", "page.html")
    with open("page.html") as file:
        assert f'<p class="note">Warning: {expected}</p>' in file.read()


def test_without_warnings_nothing_is_printed(files):
    (files / "pred.conll").write_text(GOLD.replace("I-PER", "O"))
    assert "Warning" not in run("score", "gold.conll", "pred.conll")
