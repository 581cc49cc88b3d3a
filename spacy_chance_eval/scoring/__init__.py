"""From counts to scores, their intervals, boards of systems, and the agreement of annotators."""

from typing import TYPE_CHECKING

from ..about import lazy

if TYPE_CHECKING:
    from .boards import leaderboard
    from .evaluation import DEFAULT_METRICS, evaluate
    from .intervals import Resampling
    from .ranking import Comparison
    from .scores import Score
    from .trees import evaluate_trees

# loaded when they are asked for: who scores one prediction loads no boards
__all__, __getattr__ = lazy(
    __name__,
    {
        "boards": "leaderboard",
        "evaluation": "DEFAULT_METRICS evaluate",
        "intervals": "Resampling",
        "ranking": "Comparison",
        "scores": "Score",
        "trees": "evaluate_trees",
    },
)
