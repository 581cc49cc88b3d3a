"""The command line: parse, call one function, print. A command is imported when it is called."""

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typer import Typer

    app: Typer

HELP = """Scores beyond chance for spans and trees: NER, spancat, parsers, annotators.

  demo
  score gold.conll predicted.conll
  score gold.conll one.conll two.conll -o board.html
  agree alice.jsonl bob.jsonl

Every score comes three times: observed, expected from a random annotation with as many spans of the
same lengths, and corrected, (observed - expected) / (1 - expected)."""

SCORES, SYSTEMS, ANNOTATORS = "Score and look", "Compare systems", "Annotators and trees"
METRICS, DATA = "Metrics", "Data"

# name: (module, first paragraph of its help, panel), in the order of --help
COMMANDS = {
    "demo": ("demo", "See in a minute why to correct for chance.", SCORES),
    "score": ("score", "Score predictions, of files or pipelines, against gold.", SCORES),
    "diff": ("diff", "Which spans differ between gold and a prediction, and how?", SCORES),
    "compare": ("compare", "What got better and worse between two runs, significantly?", SYSTEMS),
    "plan": ("plan", "How many more documents, to tell systems apart or know a score?", SYSTEMS),
    "agree": ("agree", "How far do two or more annotators agree, beyond chance?", ANNOTATORS),
    "metrics": ("metrics", "List the metrics with their parameters, defaults, sources.", METRICS),
    "convert": ("convert", "Convert annotations between formats, and report losses.", DATA),
}


def main() -> None:
    """The program `spacy-chance-eval`."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)  # within imports, modules in C can lose an exception
    from .running import run_program

    run_program(_run)


def _stop(number: int, _: object) -> None:
    """End the program where nothing has begun."""
    with suppress(OSError):
        os.write(2, "\u2718 stopped by SIGINT\n".encode())
    os._exit(128 + number)


def _run() -> None:
    """Run the command line."""
    __getattr__("app")()


def __getattr__(name: str) -> Any:
    """The program of typer, `app`, which is made when it is asked for."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .command import make_app

    made = globals()["app"] = make_app("spacy-chance-eval", HELP, COMMANDS)
    return made


if __name__ == "__main__":
    main()
