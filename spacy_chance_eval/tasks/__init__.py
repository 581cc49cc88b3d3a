"""Tasks: what each command does, as a function from sources to plain values."""

from typing import TYPE_CHECKING

from ..about import lazy

if TYPE_CHECKING:
    from .adjudicate import Resolution, resolve, review_documents, write_review, write_taken
    from .agree import Agreement, agree_files
    from .convert import convert_file, write_corpus
    from .demo import Demo, run_demo
    from .pipeline import score_pipeline
    from .rank import Board, rank_files
    from .replace import Replacement, replace_files
    from .score import compare_files, score_files
    from .settings import Scoring, Teamwork
    from .trees import agree_tree_files, score_tree_files

# loaded when they are asked for: a command loads its own task only
__all__, __getattr__ = lazy(
    __name__,
    {
        "adjudicate": "Resolution resolve review_documents write_review write_taken",
        "agree": "Agreement agree_files",
        "convert": "convert_file write_corpus",
        "demo": "Demo run_demo",
        "pipeline": "score_pipeline",
        "rank": "Board rank_files",
        "replace": "Replacement replace_files",
        "score": "compare_files score_files",
        "settings": "Scoring Teamwork",
        "trees": "agree_tree_files score_tree_files",
    },
)
