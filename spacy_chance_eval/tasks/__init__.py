"""Tasks: what each command does, as a function from sources to plain values."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adjudicate import Resolution, resolve, review_documents, write_review, write_taken
    from .agree import Agreement, agree_files
    from .assets import Asset, AssetError, Listing, checksums, fetch, read_listing, verify
    from .convert import convert_file, write_corpus
    from .demo import Demo, run_demo
    from .differences import diff_files, explain_files
    from .pipeline import score_pipeline
    from .rank import RankOptions, rank_files
    from .replace import Replacement, replace_files
    from .score import compare_files, save_files, score_files
    from .trees import TreeComparison, agree_tree_files, agree_trees, compare_tree_files

__all__ = [
    "Agreement",
    "Asset",
    "AssetError",
    "Demo",
    "Listing",
    "RankOptions",
    "Replacement",
    "Resolution",
    "TreeComparison",
    "agree_files",
    "agree_tree_files",
    "agree_trees",
    "checksums",
    "compare_files",
    "compare_tree_files",
    "convert_file",
    "diff_files",
    "explain_files",
    "fetch",
    "rank_files",
    "read_listing",
    "replace_files",
    "resolve",
    "review_documents",
    "run_demo",
    "save_files",
    "score_files",
    "score_pipeline",
    "verify",
    "write_corpus",
    "write_review",
    "write_taken",
]

# loaded when they are asked for: a command loads its own task only
MODULES = {
    "Agreement": "agree",
    "Asset": "assets",
    "AssetError": "assets",
    "Demo": "demo",
    "Listing": "assets",
    "RankOptions": "rank",
    "Replacement": "replace",
    "Resolution": "adjudicate",
    "TreeComparison": "trees",
    "agree_files": "agree",
    "agree_tree_files": "trees",
    "agree_trees": "trees",
    "checksums": "assets",
    "compare_files": "score",
    "compare_tree_files": "trees",
    "convert_file": "convert",
    "diff_files": "differences",
    "explain_files": "differences",
    "fetch": "assets",
    "rank_files": "rank",
    "read_listing": "assets",
    "replace_files": "replace",
    "resolve": "adjudicate",
    "review_documents": "adjudicate",
    "run_demo": "demo",
    "save_files": "score",
    "score_files": "score",
    "score_pipeline": "pipeline",
    "verify": "assets",
    "write_corpus": "convert",
    "write_review": "adjudicate",
    "write_taken": "adjudicate",
}

if not TYPE_CHECKING:  # else every name would be known

    def __getattr__(name: str) -> Any:
        """A name of `__all__`, from its module."""
        if name not in MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".{MODULES[name]}", __name__), name)
