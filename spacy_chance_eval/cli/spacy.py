"""`python -m spacy chance score` and `python -m spacy benchmark chance`.

spaCy imports this module before every command of its own, so it must never fail: where spaCy's
registry, which is private, has moved, the command is still there as `spacy-chance-eval pipeline`.
"""

import typer

from . import add_command

chance = typer.Typer(
    name="chance",
    help="Scores beyond chance (spacy-chance-eval).",
    no_args_is_help=True,
    rich_markup_mode=None,
)
add_command(chance, "pipeline", "score")
for name in ("rank", "agree", "diff", "explain", "save", "compare", "curves", "choose", "perturb"):
    add_command(chance, name)

try:
    from spacy.cli._util import app, benchmark_cli
except ImportError:
    pass
else:
    app.add_typer(chance, name="chance")
    add_command(benchmark_cli, "pipeline", "chance")
