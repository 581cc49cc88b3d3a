"""`spacy-chance-eval choose`: which metric should I use?"""

import sys

import typer

from ..metrics.guide import ALL, Question, chart, choose, way
from ..reports.guide import advice_text, chart_markdown, chart_text
from .options import OUTPUT, show
from .parameters import option
from .running import echo


def choose_command(
    answers: str | None = option(
        None, "--answers", "-a", help="All answers in order, as gold,partial,no,yes,yes."
    ),
    listed: bool = option(False, "--list", help="Print all questions and metrics."),
    markdown: bool = option(False, "--markdown", help="As the page docs/choose.md."),
    output: str | None = OUTPUT,
) -> None:
    """Which metric should I use? Some questions, then the command.

      choose
      choose --list
      choose --answers gold,partial,no,yes,yes

    Away from a terminal, and with --list, all questions and metrics are printed.
    """
    if markdown:
        echo(chart_markdown(chart()).rstrip("\n"))
    elif listed or not (answers or at_terminal()):
        echo(chart_text(chart()))
    else:
        given = [answer.strip() for answer in (answers or "").split(",") if answer.strip()]
        show(choose(_all_answers(given) if at_terminal() else given), advice_text, output, "choose")


def at_terminal() -> bool:
    """Whether there is somebody to ask."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _all_answers(answers: list[str]) -> list[str]:
    """The answers to all questions: those given, and then those that are asked for."""
    while name := way(answers)[1]:
        question = ALL[name]
        typer.echo(f"\n{question.ask}")
        for number, answer in enumerate(question.answers, 1):
            typer.echo(f"  {number}  {answer.key}: {answer.says}".removesuffix(": "))
        answers = [*answers, _picked(question)]
    typer.echo()
    return answers


def _picked(question: Question) -> str:
    """The key of the answer that somebody picks, by its number or its key."""
    keys = [answer.key for answer in question.answers]
    numbers = {str(number): key for number, key in enumerate(keys, 1)}
    while True:
        said = typer.prompt("Answer").strip()
        if said in keys or said in numbers:
            return numbers.get(said, said)
        typer.echo(f"Please give a number from 1 to {len(keys)}, or one of {', '.join(keys)}.")
