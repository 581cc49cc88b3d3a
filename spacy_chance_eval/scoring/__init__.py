"""From counts to scores, their intervals, boards of systems, and the agreement of annotators."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .boards import leaderboard
    from .evaluation import DEFAULT_METRICS, evaluate
    from .intervals import Resampling
    from .ranking import Comparison
    from .scores import Score
    from .trees import evaluate_trees

__all__ = [
    "Comparison",
    "DEFAULT_METRICS",
    "Resampling",
    "Score",
    "evaluate",
    "evaluate_trees",
    "leaderboard",
]

# loaded when they are asked for: who scores one prediction loads no boards
MODULES = {
    "Comparison": "ranking",
    "DEFAULT_METRICS": "evaluation",
    "Resampling": "intervals",
    "Score": "scores",
    "evaluate": "evaluation",
    "evaluate_trees": "trees",
    "leaderboard": "boards",
}


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
