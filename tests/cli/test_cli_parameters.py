"""Command lines are read without typer where nothing is wrong: with the values that typer gives."""

import inspect
import random
from functools import cache, wraps
from importlib import import_module

import pytest
import typer
from typer.testing import CliRunner

from helpers.cases import each_case
from spacy_chance_eval import cli
from spacy_chance_eval.cli.help import PANELS
from spacy_chance_eval.cli.parameters import plain_values, typer_function, with_optional_values

LINES = 120  # random command lines of a command
VALUES = (
    *("1", "-1", "0", "007", "1_0", " 5", "5.0", "1e3", "٣", "0.5", ".5", "5.", "-.5", "nan"),
    *("x", "a=b", "x.conll", "", " ", "-", "--", "-x", "--nope", "--help", "--help-all", "é"),
)
USUAL = {str: "x", int: "3", float: "0.5"}


def command_of(name):
    """The function of a command."""
    return getattr(
        import_module(f"spacy_chance_eval.cli.{cli.COMMANDS[name][0]}"), f"{name}_command"
    )


@cache
def recorder_of(name):
    """(a program with one command that only keeps its values, where it keeps them)."""
    kept = {}

    @wraps(command_of(name))
    def recorder(**values):
        kept.update(values)

    app = typer.Typer()
    app.command()(typer_function(recorder))
    return typer.main.get_command(app), kept


def by_typer(name, words):
    """The values that typer gives to the parameters of a command; None if it refuses the words."""
    command, kept = recorder_of(name)
    kept.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", lambda app: app)
        done = CliRunner().invoke(command, words)
    return plain(kept) if done.exit_code == 0 and kept else None


def plain(values):
    """The same for comparing: versions of typer differ in what is there for no value of a list."""
    return {key: (type(one), one) for key, one in values.items() if one not in (None, [], ())}


def parameters_of(name):
    return inspect.signature(command_of(name)).parameters.values()


def spellings(parameter):
    """How an option can be given."""
    names = parameter.default.names or [f"--{parameter.name.replace('_', '-')}"]
    return [spelling for name in names for spelling in name.split("/")]


def random_words(name, rng):
    """A command line, most of whose parts make sense."""
    options = [
        s for one in parameters_of(name) if one.default.kind == "Option" for s in spellings(one)
    ]
    words = ["a.conll", "b.conll"][: rng.choice([1, 2, 2])]
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        spelling, value = rng.choice(options), rng.choice(VALUES)
        ways = [
            [spelling, value],
            [f"{spelling}={value}"],
            [f"{spelling}{value}"],
            [spelling],
            [value],
        ]
        place = rng.randrange(len(words) + 1)
        words[place:place] = rng.choices(ways, [8, 3, 1, 3, 1])[0]
    return words


@each_case("name", cli.COMMANDS)
def test_values_are_those_of_typer(name):
    rng = random.Random(name)
    for _ in range(LINES):
        words = random_words(name, rng)
        found = plain_values(command_of(name), words)
        if found is not None:
            assert plain(found) == by_typer(name, with_optional_values(words)), words


@each_case("name", cli.COMMANDS)
def test_every_option_is_read_without_typer(name):
    usual = []
    for one in parameters_of(name):
        kind = next((kind for kind in USUAL if kind.__name__ in str(one.annotation)), str)
        value = [] if one.annotation is bool else [USUAL[kind]]
        usual += value if one.default.kind == "Argument" else [spellings(one)[-1], *value]
    assert plain(plain_values(command_of(name), usual)) == by_typer(name, usual)


@each_case("name", cli.COMMANDS)
def test_panels_of_options_are_those_of_help(name):
    assert {one.default.settings.get("panel", PANELS[0]) for one in parameters_of(name)} <= {
        *PANELS
    }


@pytest.mark.parametrize(
    "words",
    [["--help"], ["a", "--nope"], [], ["a", "--seed"], ["a", "-o", "--help-all"]],
)
def test_typer_is_asked_where_something_is_wrong(words):
    assert plain_values(command_of("score"), words) is None


def test_completion_is_for_typer(monkeypatch):
    monkeypatch.setenv("_SPACY_CHANCE_EVAL_COMPLETE", "complete_bash")
    assert plain_values(command_of("score"), ["a", "b"]) is None


def test_patterns_on_windows_are_for_typer(monkeypatch):
    command = command_of("metrics")
    monkeypatch.setattr("spacy_chance_eval.cli.parameters.os.name", "nt")
    assert plain_values(command, ["a*"]) is None
    assert plain_values(command, ["a"]) is not None
