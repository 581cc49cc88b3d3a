"""The pages of docs/papers: each command prints what stands below it."""

import re
import shlex
import shutil

import pytest

from helpers.cases import each_case
from helpers.examples import ROOT, blocks, named_examples
from helpers.textfiles import call
from spacy_chance_eval import sample

TEXTS = {path.name: path.read_text(encoding="utf8") for path in ROOT.glob("docs/papers/*.md")}


def examples(text):
    """(command line, what stands below it) of the console examples of a page."""
    shown = "\n".join(blocks(text, "console"))
    return re.findall(r"^\$ spacy-chance-eval (.*)\n((?:(?!\$ ).*\n?)*)", shown, re.M)


@each_case("name", sorted(TEXTS))
def test_commands_print_what_stands_below_them(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    shutil.copy(sample.path("test.jsonl"), "gold.jsonl")
    for file, content in named_examples(TEXTS[name]).items():
        (tmp_path / file).write_text(content, encoding="utf8")
    found = examples(TEXTS[name])
    assert found
    for words, shown in found:
        done = call(*shlex.split(words))
        assert done.exit_code == 0, done.stderr
        assert [line.rstrip() for line in done.stdout.strip("\n").splitlines()] == [
            line.rstrip() for line in shown.strip("\n").splitlines()
        ]


@pytest.mark.parametrize("number", range(2, 10))
def test_every_table_of_the_simulations_has_its_command(number):
    assert f"--only table{number}" in TEXTS["chance.md"].replace(",", " --only ")
