"""Results as HTML fragments for notebooks: a few tables with a style of their own, no script.

All text from data is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


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
