"""The alternative annotator test as text: what passed, and why."""

from __future__ import annotations

from .words import Result


def replacement_text(result: Result) -> str:
    """A verdict and tables."""
    return str(result)


def replacement_html(result: Result) -> str:
    """The same for notebooks."""
    return f"<pre>{replacement_text(result)}</pre>"
