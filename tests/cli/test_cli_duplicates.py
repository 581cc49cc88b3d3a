"""`--read duplicates=...` of the commands that read spans."""

import json
import re

import pytest
from typer.testing import CliRunner

from spacy_chance_eval.cli import app

PLAIN = ("--read", "offsets=char")
FEW = (*PLAIN, "--resamples", "0")
COMMANDS = {
    "score": ("score", "g.jsonl", "p.jsonl", *FEW),
    "rank": ("score", "g.jsonl", "p.jsonl", *FEW),
    "agree": ("agree", "a=g.jsonl", "b=p.jsonl", *FEW),
    "diff": ("diff", "g.jsonl", "p.jsonl", *PLAIN),
    "explain": ("score", "g.jsonl", "p.jsonl", *PLAIN, "--explain"),
    "save": ("score", "g.jsonl", "p.jsonl", *PLAIN, "-o", "a.run"),
    "convert": ("convert", "g.jsonl", "out.jsonl", *PLAIN),
}
each_command = pytest.mark.parametrize("name", COMMANDS)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command on gold with a duplicate span."""
    monkeypatch.chdir(tmp_path)
    for name, times in (("g", 2), ("p", 1)):
        spans = [{"start": 0, "end": 3, "label": "PER"}] * times
        row = {"id": 1, "text": "Ada met Rex", "spans": spans}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    return lambda name, *more: CliRunner().invoke(app, [*COMMANDS[name], *more])


@each_command
def test_duplicates_are_read_once_and_that_is_said(run, name):
    result = run(name)
    assert result.exit_code == 0
    assert "1 duplicate span was read once: PER [0, 3)" in " ".join(result.output.split())


@pytest.mark.parametrize("name", ["score", "rank", "agree", "diff"])
def test_signatures_say_how_duplicates_were_read_if_not_as_usual(run, name):
    as_json = ("-o", "-")
    for how, said in (("keep", True), ("last", True), ("merge", False)):
        found = run(name, *as_json, "--read", f"duplicates={how}").stdout
        signatures = re.findall(r'"signature": "(.*)"', found)
        assert signatures
        assert {f"|duplicates={how}|" in one for one in signatures} == {said}


def test_what_was_there_twice_is_a_warning_of_convert_and_no_loss(run):
    output = " ".join(run("convert").output.split())
    assert "out.jsonl: 1 document " in output
    assert "Warning: 1 duplicate span was read once" in output
    assert "dropped:" not in output
