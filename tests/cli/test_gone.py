"""Commands and options of former versions end with one line that says what to do instead."""

import json
import shlex
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers import pipelines
from helpers.textfiles import call, spellings
from helpers.treefiles import conll as tree
from spacy_chance_eval import cli
from spacy_chance_eval.cli.gone import GONE
from spacy_chance_eval.cli.spacy import chance

each_program = pytest.mark.parametrize(
    "app", [cli.app, chance], ids=["spacy-chance-eval", "spacy chance"]
)


def lacks(command, name):
    """Whether a command has no such option."""
    module = import_module(f"spacy_chance_eval.cli.{cli.COMMANDS[command][0]}")
    return name not in spellings(getattr(module, f"{command}_command"))


def check_refused(app, words, line):
    """Run a command line, whose only output is this line, on standard error."""
    done = CliRunner().invoke(app, words)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"✘ {line}\n")
    assert len(line) < 250


@each_program
@pytest.mark.parametrize("name", sorted(GONE["commands"].keys() - cli.COMMANDS.keys()))
def test_gone_command_says_what_to_do(app, name):
    line = f"the command {name} no longer exists: {GONE['commands'][name]}"
    check_refused(app, [name, "a.jsonl", "--output", "b"], line)


@each_program
@pytest.mark.parametrize("row", GONE["options"])
def test_gone_option_says_what_to_do(app, row):
    command, _, name = row.rpartition(" ")
    without = [one for one in ([command] if command else cli.COMMANDS) if lacks(one, name)]
    assert without, "every command has it"
    line = f"{name} no longer exists: {GONE['options'][row]}"
    check_refused(app, [without[0], name, "value"], line)


def test_unknown_names_are_errors_as_before():
    done = CliRunner().invoke(cli.app, ["score", "--nonsense"])
    assert done.exit_code == 2
    assert "No such option" in done.stderr


# --- advice is followed

LINES = Path(__file__).with_name("gone_followed.txt").read_text(encoding="utf8").splitlines()[1:]
FOLLOWED = {
    row: words for rows, words in (one.split(": ", 1) for one in LINES) for row in rows.split(", ")
}
WORDS = ["Ada", "met", "Rex", "."]
GATE = {
    "text": "Ada met Rex.",
    "name": "g",
    "annotation_sets": {
        "ben": {
            "name": "ben",
            "annotations": [
                {"type": "P", "start": 0, "end": 3, "id": 0, "features": {"kind": "PER"}}
            ],
        }
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the calls name."""
    folder = tmp_path_factory.mktemp("followed")
    (folder / "gold").mkdir()
    (folder / "pred").mkdir()
    span = [{"start": 0, "end": 1, "label": "PER"}]
    row = {"id": "1", "tokens": WORDS, "spans": span}
    text = {"id": "1", "text": "Ada met Rex.", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
    rows = [row | {"annotator": name} for name in ("anna", "ben", "cara", "dan")]
    files = {
        **{f"{one}.jsonl": json.dumps(row) for one in ("gold", "pred", "gold/1", "pred/1")},
        "texts.jsonl": json.dumps(text),
        "answers.jsonl": json.dumps({"id": "1", "response": "PER: Ada"}),
        "rows.jsonl": "\n".join(map(json.dumps, rows)),
        "gate.bdocjs": json.dumps(GATE),
        "sizes.csv": "document,start,end,label,size\n1,0,1,PER,4\n",
        "places.csv": "PER,Thing\nLOC,Thing\n",
        "gold.conllu": tree(),
        "a.conllu": tree(),
        "nested.conll": "Ada B-PER B-LOC\nmet O O\n",
    }
    for name, tags in {
        "gold": "B-PER O B-LOC O",
        "a": "B-PER O B-PER O",
        "b": "O O B-LOC O",
    }.items():
        lines = [" ".join(pair) for pair in zip(WORDS, tags.split())]
        files[f"{name}.conll"] = "\n".join([*lines, "", ""]) * 5
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf8")
    return folder


def test_advice_about_every_option_is_followed():
    assert FOLLOWED.keys() == GONE["options"].keys()


@pytest.mark.integration
def test_who_follows_the_advice_of_gone_options_gets_further(folder, monkeypatch):
    """Also those who leave the option out."""
    monkeypatch.chdir(folder)
    pipelines.saved(folder / "model")
    for words in (
        "convert gold.conll gold.spacy",
        "convert places.csv places.bdm",
        *dict.fromkeys(FOLLOWED.values()),
    ):
        done = call(*shlex.split(words))
        assert done.exit_code == 0, (words, done.stderr)
