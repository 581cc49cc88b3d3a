"""Tasks: what each command does, as a function from sources to plain values."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .agree import agree_files
    from .rank import RankOptions, rank_files
    from .score import compare_files, save_files, score_files

__all__ = [
    "RankOptions",
    "agree_files",
    "compare_files",
    "rank_files",
    "save_files",
    "score_files",
]

# loaded when they are asked for: a command loads its own task only
MODULES = {
    "RankOptions": "rank",
    "agree_files": "agree",
    "compare_files": "score",
    "rank_files": "rank",
    "save_files": "score",
    "score_files": "score",
}


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{MODULES[name]}", __name__), name)
