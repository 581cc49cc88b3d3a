"""`python -m spacy chance score` and `python -m spacy benchmark chance`.

spaCy imports this module before every command of its own, so it must never fail: where spaCy's
registry, which is private, has moved, the command is still there as `spacy-chance-eval score`.
"""

from . import COMMANDS, HELP
from .command import add_command, make_app

TITLE = "Scores beyond chance (spacy-chance-eval)."
chance = make_app("chance", TITLE + HELP.partition(".")[2], COMMANDS)

try:
    from spacy.cli._util import app, benchmark_cli
except ImportError:
    pass
else:
    app.add_typer(chance, name="chance")
    add_command(benchmark_cli, "score", COMMANDS["score"], "chance")
