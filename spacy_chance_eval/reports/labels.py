"""Precision, recall and F by label as text, with what chance reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .tables import text_table, warning_lines
from .words import DASH, Result, printable

COLUMNS = ("precision", "recall", "f1-score", "expected", "corrected")
HOW_TO_READ_LABELS = (
    "expected: the mean F if the spans of both, with their lengths, are placed at random\n"
    "corrected: (f1-score - expected) / (1 - expected); 0 is chance level"
)


def label_text(
    rows: Mapping[str, Result], digits: int, signature: str, warnings: Sequence[str] = ()
) -> str:
    """A table with a row for each label, and below it the means of all."""
    header, body = label_rows(rows, digits)
    lines = [*warning_lines({"warnings": warnings}), text_table(header, body)]
    text = "\n".join([*lines, HOW_TO_READ_LABELS, printable(signature)])
    return text.strip("\n")


def label_rows(rows: Mapping[str, Result], digits: int) -> tuple[list[str], list[list[str]]]:
    """The titles of the columns and the cells of all rows."""
    body = []
    for label, row in rows.items():
        cells = (DASH if row[key] is None else f"{row[key]:.{digits}f}" for key in COLUMNS)
        body.append([printable(label), *cells, str(row["support"])])
    return ["", *COLUMNS, "support"], body
