"""Options of commands: their panels."""

import inspect
from importlib import import_module

from helpers.cases import each_case
from spacy_chance_eval import cli
from spacy_chance_eval.cli.help import PANELS


@each_case("name", cli.COMMANDS)
def test_panels_of_options_are_those_of_help(name):
    module = import_module(f"spacy_chance_eval.cli.{cli.COMMANDS[name][0]}")
    parameters = inspect.signature(getattr(module, f"{name}_command")).parameters.values()
    assert {one.default.rich_help_panel for one in parameters} <= {None, *PANELS}
