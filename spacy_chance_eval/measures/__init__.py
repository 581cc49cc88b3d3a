"""The mathematics: annotations as columns of integers, their counts, and scores.

A measure is a pair of functions: `count` turns annotations into statistics, with one row per
document, that can be summed; `score` turns sums into scores by broadcasting. `chance` has the
random annotation model, `trees` the measures of dependency and constituency trees.
"""

from typing import TYPE_CHECKING

from ..about import lazy

if TYPE_CHECKING:
    from .alignment import align
    from .chance.placement import no_overlap_probability, start_probabilities
    from .panel import Panel
    from .spans import Spans
    from .trees.trees import TreePanel, Trees

# loaded when they are asked for: who needs spans does not load trees
__all__, __getattr__ = lazy(
    __name__,
    {
        "alignment": "align",
        "chance.placement": "no_overlap_probability start_probabilities",
        "panel": "Panel",
        "spans": "Spans",
        "trees.trees": "TreePanel Trees",
    },
)
