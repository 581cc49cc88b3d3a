"""Help fits on a screen: examples, the options that most use, the names of the others."""

import re

import pytest
import typer
from typer.testing import CliRunner

from helpers.cases import each_case
from helpers.examples import page
from helpers.textfiles import call
from spacy_chance_eval import __version__, cli
from spacy_chance_eval.cli.spacy import chance

SCREEN = 50  # lines
MAIN = 10  # options that --help explains


def help_of(*command, columns=80):
    """What a program of the name that users call prints, in a terminal of some columns."""
    done = CliRunner().invoke(
        cli.app, command, prog_name="spacy-chance-eval", terminal_width=columns - 2
    )
    assert done.exit_code == 0, done.output
    return done.stdout


def params_of(name):
    """The options of a command that are not hidden, without --help."""
    command = typer.main.get_command(cli.app).commands[name].loaded
    kinds = (one for one in command.params if one.param_type_name == "option")
    return [one for one in kinds if not one.hidden]


@each_case("columns", [80, 100])
@each_case("name", ["", *cli.COMMANDS])
def test_help_is_one_screen(name, columns):
    lines = help_of(*filter(None, [name]), "--help", columns=columns).splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= columns


@each_case("name", cli.COMMANDS)
def test_help_names_every_option_and_explains_few(name):
    text = help_of(name, "--help")
    names = {one.opts[0] for one in params_of(name)}
    assert names <= {*re.findall(r"--[\w-]+", text)}
    explained = re.findall(r"^  (?:-\w, )?(--[\w-]+)", text.split("\nMore options")[0], re.M)
    assert len([name for name in explained if name != "--help"]) <= MAIN


@each_case("name", cli.COMMANDS)
def test_help_all_explains_every_option(name):
    text = help_of(name, "--help-all")
    assert "More options" not in text
    for one in params_of(name):
        assert re.search(rf"^  (-\w, )?{one.opts[0]}\b.*\S", text, re.M), one.opts[0]


def test_examples_come_first_and_can_be_copied():
    text = help_of("score", "--help")
    assert text.index("Examples:") < text.index("Arguments:") < text.index("Options:")
    assert "\n  spacy-chance-eval score gold.conll predicted.conll\n" in text


@each_case("name", cli.COMMANDS)
def test_spacys_command_has_all_of_them(name):
    assert CliRunner().invoke(chance, [name, "--help"]).exit_code == 0


def test_examples_of_spacys_command_are_called_as_it_is():
    done = CliRunner().invoke(chance, ["score", "--help"], prog_name="python -m spacy chance")
    assert "\n  python -m spacy chance score gold.conll" in done.stdout


def test_panels_come_in_one_order():
    text = help_of("agree", "--help")
    panels = ["Files", "Metrics", "Intervals", "Work"]
    places = [text.index(f"\n  {panel}  ") for panel in panels]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["score", "compare"])
def test_a_default_is_said_once(name):
    rows = re.split(r"\n  (?=-)", help_of(name, "--help-all"))
    assert not [row for row in rows if row.count("[default") > 1]


def test_the_version_is_printed():
    assert call("--version").stdout == f"spacy-chance-eval {__version__}\n"


def test_the_program_lists_its_commands_by_panel():
    text = help_of("--help")
    assert text.index("Compare systems:") < text.index("\n  compare ") < text.index("Data:")


def test_every_command_is_in_the_documentation():
    text = page("docs/commands.md")
    headings = " ".join(re.findall(r"^## (.*)", text, re.M)).split()
    assert [
        name for name in cli.COMMANDS if name not in headings or f"[`{name}`]" not in text
    ] == []
