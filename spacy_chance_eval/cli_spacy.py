"""`python -m spacy chance score` and `python -m spacy benchmark chance`.

spaCy imports this module before every command of its own, so it must never fail: where spaCy's
registry, which is private, has moved, the command is still there as `spacy-chance-eval pipeline`.
"""

import typer

from .cli import pipeline_command
from .cli_agree import agree_command
from .cli_choose import choose_command
from .cli_curves import curves_command
from .cli_diff import diff_command
from .cli_explain import explain_command
from .cli_rank import rank_command
from .cli_store import compare_command, save_command

chance = typer.Typer(
    name="chance",
    help="Scores beyond chance (spacy-chance-eval).",
    no_args_is_help=True,
    rich_markup_mode=None,
)
chance.command("score")(pipeline_command)
chance.command("rank")(rank_command)
chance.command("agree")(agree_command)
chance.command("choose")(choose_command)
chance.command("curves")(curves_command)
chance.command("diff")(diff_command)
chance.command("save")(save_command)
chance.command("compare")(compare_command)
chance.command("explain")(explain_command)

try:
    from spacy.cli._util import app, benchmark_cli
except ImportError:
    pass
else:
    app.add_typer(chance, name="chance")
    benchmark_cli.command("chance")(pipeline_command)
