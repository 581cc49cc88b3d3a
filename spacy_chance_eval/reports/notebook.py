"""Results as HTML fragments for notebooks: a few tables with a style of their own, no script.

All text from data is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .words import Result, interval_of, interval_text, number

MOST_LABELS = 20  # of the confusion: those with most differences


class NotebookTable(NamedTuple):
    """A table of texts; the first column names the rows."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""  # beneath


def fragment(
    tables: Iterable[NotebookTable],
    warnings: Iterable[str] = (),
    notes: Iterable[str] = (),
    verdict: str = "",
) -> str:
    """Tables as an HTML fragment; verdict and warnings stand above them, notes beneath."""
    from .html import page  # loads jinja2

    return page(
        "result_table.html",
        verdict=verdict,
        tables=list(tables),
        warnings=list(warnings),
        notes=list(notes),
    )


def _score_cells(score: Result) -> list[str]:
    """Observed, expected, corrected, and the interval."""
    cells = [score.get(name) for name in ("observed", "expected", "corrected")]
    return [*map(number, cells), interval_text(interval_of(score))]


def diff_tables(summary: Result) -> Iterator[NotebookTable]:
    """Numbers of pairs and errors, scores, and the confusion of labels."""
    counts = summary["counts"]
    yield NotebookTable("Spans", list(counts), [list(map(str, counts.values()))])
    if summary["errors"]:
        rows = [[kind["error"], kind["relation"], str(kind["n"])] for kind in summary["errors"]]
        yield NotebookTable("Kinds of errors", ["error", "relation", "spans"], rows)
    rows = [[name, *_score_cells(score)[:3]] for name, score in summary["scores"].items()]
    yield NotebookTable("Scores", ["", "observed", "expected", "corrected"], rows)
    confusion = summary["confusion"]
    names = ["(none)" if label is None else label for label in confusion["labels"]]
    if 1 < len(names) <= MOST_LABELS:
        caption = "Labels: rows are gold, columns predicted, (none) is no counterpart"
        rows = [[name, *map(str, row)] for name, row in zip(names, confusion["rows"])]
        yield NotebookTable(caption, ["", *names], rows)
