"""Commands and options of former versions end with one line that says what to do instead."""

from importlib import import_module

import pytest
from typer.testing import CliRunner

from helpers.textfiles import spellings
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
