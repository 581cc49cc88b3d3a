"""Differences between two annotations, and explanations of their scores.

Explanations are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..about import lazy

# not later: `analysis.diff` would be the module, once it is imported
from .diff import Diff, diff, json_lines, summary

if TYPE_CHECKING:
    from .explain import Model, explain_corpus, explain_document

__all__, __getattr__ = lazy(__name__, {"explain": "Model explain_corpus explain_document"})
__all__ += ["Diff", "diff", "json_lines", "summary"]
