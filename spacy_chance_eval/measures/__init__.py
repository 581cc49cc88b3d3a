"""The mathematics: annotations as columns of integers, their counts, and scores.

A measure is a pair of functions: `count` turns annotations into statistics, with one row per
document, that can be summed; `score` turns sums into scores by broadcasting. `chance` has the
random annotation model, `trees` the measures of dependency and constituency trees.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .alignment import align
    from .chance.placement import start_probabilities
    from .chance.sharing import no_overlap_probability
    from .panel import Panel
    from .spans import Spans
    from .trees.trees import TreePanel, Trees

__all__ = [
    "Panel",
    "Spans",
    "TreePanel",
    "Trees",
    "align",
    "no_overlap_probability",
    "start_probabilities",
]

# loaded when they are asked for: who needs spans does not load trees
MODULES = {
    "Panel": "panel",
    "Spans": "spans",
    "TreePanel": "trees.trees",
    "Trees": "trees.trees",
    "align": "alignment",
    "no_overlap_probability": "chance.sharing",
    "start_probabilities": "chance.placement",
}


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
