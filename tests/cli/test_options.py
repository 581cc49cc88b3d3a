"""The options of the commands: a table, so that none is added without a thought."""

import typer

from helpers.cases import each_case
from spacy_chance_eval import cli

FILES = "format column layer documents on-error align labels read "
WORK = "n-process scheduler seed gpu-id code "
OPTIONS = {
    "score": "metric chance unit subset cluster resamples level categories per-doc explain all "
    f"output {FILES}{WORK}",
    "diff": f"metric label relation top all merge output {FILES}{WORK}",
    "compare": "metric below fail-if-worse fail-below top force resamples level output "
    f"{FILES}{WORK}",
    "agree": "metric annotators candidate categories items cluster resamples level top output "
    f"{FILES}{WORK}",
    "plan": f"metric annotators gold width power categories output {FILES}{WORK}",
    "convert": f"strict {FILES}".replace("align ", ""),  # of one file
    "metrics": "bibtex",
    "demo": "output",
}


@each_case("name", cli.COMMANDS)
def test_a_command_has_these_options(name):
    params = typer.main.get_command(cli.app).commands[name].loaded.params
    options = [one.opts[0][2:] for one in params if one.param_type_name == "option"]
    assert sorted(options) == sorted(OPTIONS[name].split())


def test_there_are_41():
    assert len({*" ".join(OPTIONS.values()).split()}) == 41
