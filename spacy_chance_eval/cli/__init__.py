"""The command line: parse, call one function, print. A command is imported when it is called."""

import typer

from .command import lazy_command

HELP = """Scores beyond chance for labelled spans and trees: NER, spancat, parsers, annotators.

Every score comes three times: observed, expected from a random annotation with as many spans of the
same lengths, and corrected, (observed - expected) / (1 - expected)."""

# name: (module, first paragraph of its help), in the order of --help
COMMANDS = {
    "score": ("score", "Score a file of predictions against a file of gold annotation."),
    "pipeline": (
        "pipeline",
        "Run a pipeline over gold documents and score what it predicts, beyond chance.",
    ),
    "convert": (
        "convert",
        "Convert annotations between formats; says what the new file has no place for.",
    ),
    "fetch": (
        "assets",
        "Download the files of a listing that are not there yet, and check them.",
    ),
    "verify": (
        "assets",
        "Check that the files of a listing are there and have the right checksums.",
    ),
    "metrics": (
        "metrics",
        "List the metrics, their parameters with defaults, and their sources.",
    ),
    "rank": (
        "rank",
        "Rank many systems on one gold standard, before and after the correction for chance.",
    ),
    "agree": (
        "agree",
        "How far do annotators agree, beyond chance? Two or many, on spans, categories or trees.",
    ),
    "diff": ("diff", "Which spans differ between gold and a prediction, and how?"),
    "explain": (
        "explain",
        "Explain a score beyond chance: what was observed, what chance makes of it, and every "
        "step.",
    ),
    "save": ("store", "Score predictions and save the run, to compare later ones with it."),
    "compare": (
        "store",
        "Compare two saved runs: what is better and worse, and whether it may be chance.",
    ),
    "curves": (
        "curves",
        "Show observed, expected and corrected scores over the steps of one or more trainings.",
    ),
    "choose": (
        "choose",
        "Which metric should I use? Asks a few questions and ends with the command line to run.",
    ),
    "perturb": (
        "perturb",
        "Score a treebank against itself with random errors: how do the metrics fall?",
    ),
}


def add_command(app: typer.Typer, name: str, alias: str | None = None) -> None:
    """Add one of `COMMANDS` to an app, under its name or another; its module is not imported."""
    module, summary = COMMANDS[name]
    lazy = lazy_command(module, f"{name}_command")
    app.command(alias or name, help=summary, cls=lazy)(lambda: None)


app = typer.Typer(name="spacy-chance-eval", help=HELP, no_args_is_help=True, rich_markup_mode=None)
for name in COMMANDS:
    add_command(app, name)


def main() -> None:
    """The program `spacy-chance-eval`."""
    app()


if __name__ == "__main__":
    main()
