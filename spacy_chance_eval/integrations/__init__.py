"""Functions for spaCy, panels from Docs, scores for Hugging Face; Prodigy's recipes: `prodigy`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .component import ChanceEval, make_chance_eval
    from .huggingface import make_compute_metrics, seqeval_scores
    from .panels import corpus_of_docs, panel_of_docs
    from .scorers import make_ner_scorer, make_parser_scorer, make_spancat_scorer
    from .training import make_save_run

__all__ = [
    "ChanceEval",
    "corpus_of_docs",
    "make_chance_eval",
    "make_compute_metrics",
    "make_ner_scorer",
    "make_parser_scorer",
    "make_save_run",
    "make_spancat_scorer",
    "panel_of_docs",
    "seqeval_scores",
]

# loaded when they are asked for: a config that names a scorer needs no callback
MODULES = {
    "ChanceEval": "component",
    "corpus_of_docs": "panels",
    "make_chance_eval": "component",
    "make_compute_metrics": "huggingface",
    "make_ner_scorer": "scorers",
    "make_parser_scorer": "scorers",
    "make_save_run": "training",
    "make_spancat_scorer": "scorers",
    "panel_of_docs": "panels",
    "seqeval_scores": "huggingface",
}

if not TYPE_CHECKING:  # else every name would be known

    def __getattr__(name: str) -> Any:
        """A name of `__all__`, from its module."""
        if name not in MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".{MODULES[name]}", __name__), name)
