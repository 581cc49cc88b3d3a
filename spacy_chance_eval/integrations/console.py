"""The table that a training prints, with headings that are not cut."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

from spacy.language import Language
from wasabi import Printer

from ..formats.errors import did_you_mean

LogStep: TypeAlias = Callable[[Mapping[str, Any] | None], None]
Finalize: TypeAlias = Callable[[], None]

WIDE = 11  # characters of a line of a heading, as in F_CORRECTED
SPACING = 2  # between columns
EPOCH, STEP, SCORE = "E", "#", "SCORE"
LEAST = {EPOCH: 3, STEP: 6, "LOSS": 8, SCORE: 6}  # widths of spaCy's table
NO_VALUE = "-"
CORRECTED = "_corrected"
WEIGHTS = "[training.score_weights]"


@dataclass(frozen=True)
class TrainingTable:
    """A logger that prints the columns of spaCy's `spacy.ConsoleLogger.v1`, names in full.

    Names are divided over lines behind "_". In front of the table stands what SCORE is, by which
    spaCy chooses the best model; a warning says if that mixes observed and corrected scores, or has
    a score that no component reports. A score without a value is a dash.
    """

    def __call__(
        self, nlp: Language, stdout: IO[str] = sys.stdout, stderr: IO[str] = sys.stderr
    ) -> tuple[LogStep, Finalize]:
        """The functions that spaCy calls after each step and at the end of a training."""
        message = Printer(no_print=True)
        weights = {
            name: weight
            for name, weight in nlp.config["training"]["score_weights"].items()
            if weight is not None
        }
        pipes = [name for name, pipe in nlp.pipeline if getattr(pipe, "is_trainable", False)]
        columns = [EPOCH, STEP, *(f"LOSS {name}" for name in pipes), *weights, SCORE]
        headings = [heading_lines(name) for name in columns]
        widths = [
            max(LEAST.get(name.split()[0], LEAST[SCORE]), *map(len, lines))
            for name, lines in zip(columns, headings)
        ]
        first = True

        def write(text: str) -> None:
            print(text, file=stdout, flush=True)

        def write_row(cells: Sequence[str]) -> None:
            write(message.row(cells, widths=widths, aligns=["r"] * len(widths), spacing=SPACING))

        write(message.info(f"{SCORE} is {_weighted_sum(weights)}"))
        for name in _mixed(weights):
            write(message.warn(MIXED.format(name=name, corrected=name + CORRECTED)))
        height = max(map(len, headings))
        for line in zip(*([""] * (height - len(lines)) + lines for lines in headings)):
            write_row(line)
        write_row(["-" * width for width in widths])

        def log_step(info: Mapping[str, Any] | None) -> None:
            nonlocal first
            if info is None:
                return
            scores = info["other_scores"]
            if first:
                for name in (name for name in weights if weights[name] and name not in scores):
                    write(message.warn(_no_value(name, scores)))
                first = False
            write_row(
                [
                    str(info["epoch"]),
                    str(info["step"]),
                    *(f"{float(info['losses'][name]):.2f}" for name in pipes),
                    *(_cell(name, scores.get(name)) for name in weights),
                    f"{float(info['score']):.2f}",
                ]
            )

        return log_step, lambda: None


MIXED = (
    "{name} is weighted beside {corrected}. To choose the best model by corrected scores alone, "
    "set {name} = 0.0 in " + WEIGHTS
)


def heading_lines(name: str) -> list[str]:
    """The name of a column in capitals, divided behind "_" and blanks into short lines.

    Examples
    --------
    >>> heading_lines("ents_token_f_corrected")
    ['ENTS_TOKEN_', 'F_CORRECTED']
    """
    lines: list[str] = []
    for part in re.findall(r"[^_ ]*[_ ]|[^_ ]+", name.upper()):
        if lines and len(lines[-1] + part) <= WIDE:
            lines[-1] += part
        else:
            lines.append(part)
    return [line.strip() for line in lines]


def _weighted_sum(weights: Mapping[str, float]) -> str:
    """The composition of the column SCORE."""
    terms = [
        name if weight == 1 else f"{weight:g} {name}" for name, weight in weights.items() if weight
    ]
    return " + ".join(terms) or f"always 0.0: nothing has a weight in {WEIGHTS}"


def _mixed(weights: Mapping[str, float]) -> Iterable[str]:
    """The weighted scores whose corrected ones are weighted, too."""
    return [name for name, weight in weights.items() if weight and weights.get(name + CORRECTED)]


def _no_value(name: str, scores: Mapping[str, Any]) -> str:
    """The warning about a weighted score that an evaluation lacks."""
    hint = did_you_mean(name, (key for key, found in scores.items() if _is_number(found)))
    return (
        f"This evaluation has no {name}{hint}, and {SCORE} is without it from now on. Weigh a "
        f"score that a component reports, or set {name} = null in {WEIGHTS}"
    )


def _is_number(found: object) -> bool:
    """Whether spaCy can weigh a score."""
    return isinstance(found, (int, float))


def _cell(name: str, score: float | None) -> str:
    """A score in percent, as in spaCy's table, which leaves the speed as it is."""
    if score is None:
        return NO_VALUE
    return f"{float(score) * (1 if name == 'speed' else 100):.2f}"
