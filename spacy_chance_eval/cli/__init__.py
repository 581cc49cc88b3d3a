"""The command line: parse, call one function, print. A command is imported when it is called."""

import typer

from ..about import __version__
from .command import Group, lazy_command
from .help import WIDTH

HELP = """Scores beyond chance for labelled spans and trees: NER, spancat, parsers, annotators.

  demo
  score gold.conll predicted.conll
  rank gold.conll one.conll two.conll -o boards/test
  agree alice.jsonl bob.jsonl

Every score comes three times: observed, expected from a random annotation with as many spans of the
same lengths, and corrected, (observed - expected) / (1 - expected)."""

SCORES, SYSTEMS, ANNOTATORS = "Score and look", "Compare systems", "Annotators and trees"
METRICS, DATA = "Metrics", "Data"

# name: (module, first paragraph of its help, panel), in the order of --help
COMMANDS = {
    "demo": ("demo", "See in a minute what the correction for chance is for.", SCORES),
    "score": (
        "score",
        "Score predictions, of a file or a pipeline, against gold annotation.",
        SCORES,
    ),
    "diff": ("diff", "Which spans differ between gold and a prediction, and how?", SCORES),
    "explain": (
        "explain",
        "Explain a score: observed, expected by chance, and every step.",
        SCORES,
    ),
    "rank": ("rank", "Rank many systems, before and after the correction for chance.", SYSTEMS),
    "notes": ("notes", "Fill in a template with the numbers of a leaderboard.", SYSTEMS),
    "save": (
        "store",
        "Score predictions and save the run, to compare later ones with it.",
        SYSTEMS,
    ),
    "compare": (
        "store",
        "Compare two saved runs: what is better, worse, or perhaps chance.",
        SYSTEMS,
    ),
    "curves": ("curves", "Show scores over the steps of one or more trainings.", SYSTEMS),
    "agree": ("agree", "How far do two or more annotators agree, beyond chance?", ANNOTATORS),
    "perturb": (
        "perturb",
        "Put random errors into a treebank: how do the metrics fall?",
        ANNOTATORS,
    ),
    "choose": ("choose", "Which metric should I use? Some questions, then the command.", METRICS),
    "metrics": (
        "metrics",
        "List the metrics, their parameters with defaults, their sources.",
        METRICS,
    ),
    "convert": ("convert", "Convert annotations between formats, and say what is lost.", DATA),
    "fetch": (
        "assets",
        "Download the files of a listing that are missing, and check them.",
        DATA,
    ),
    "verify": ("assets", "Check that the files of a listing are there and unchanged.", DATA),
}
SETTINGS = {"max_content_width": WIDTH}


def make_app(name: str, text: str) -> typer.Typer:
    """A program without commands, that says its version."""
    app = typer.Typer(
        name=name,
        help=text,
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings=SETTINGS,
    )

    @app.callback()
    def program(
        version: bool = typer.Option(
            False, "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ) -> None:
        """Commands follow."""

    program.__doc__ = text
    return app


def _print_version(wanted: bool) -> None:
    """Print the version, and end, if it is wanted."""
    if wanted:
        typer.echo(f"spacy-chance-eval {__version__}")
        raise typer.Exit()


def add_command(app: typer.Typer, name: str, alias: str | None = None) -> None:
    """Add one of `COMMANDS` to an app, under its name or another; its module is not imported.

    Under another name it is not listed, if the app has it under its own.
    """
    module, summary, panel = COMMANDS[name]
    lazy = lazy_command(module, f"{name}_command")
    listed = alias is None or all(command.name != name for command in app.registered_commands)
    app.command(alias or name, help=summary, cls=lazy, hidden=not listed, rich_help_panel=panel)(
        lambda: None
    )


app = make_app("spacy-chance-eval", HELP)
for name in COMMANDS:
    add_command(app, name)
add_command(app, "score", "pipeline")  # what it was called for pipelines


def main() -> None:
    """The program `spacy-chance-eval`."""
    app()


if __name__ == "__main__":
    main()
