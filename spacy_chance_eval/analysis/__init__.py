"""Differences between two annotations, and explanations of their scores.

Explanations are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# not later: `analysis.diff` would be the module, once it is imported
from .diff import SORTS, Diff, Filter, diff, json_lines, summary

if TYPE_CHECKING:
    from .explain import Model, explain_corpus, explain_document

__all__ = [
    "SORTS",
    "Diff",
    "Filter",
    "Model",
    "diff",
    "explain_corpus",
    "explain_document",
    "json_lines",
    "summary",
]

if not TYPE_CHECKING:  # else every name would be known

    def __getattr__(name: str) -> Any:
        """A name of `__all__`, from the module of explanations."""
        if name in ("Model", "explain_corpus", "explain_document"):
            return getattr(import_module(".explain", __name__), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
