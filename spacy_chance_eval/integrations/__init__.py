"""Functions for spaCy, panels from Docs, scores for Hugging Face; Prodigy's recipes: `prodigy`."""

from typing import TYPE_CHECKING

from ..about import lazy

if TYPE_CHECKING:
    from .component import ChanceEval, make_chance_eval
    from .huggingface import make_compute_metrics, seqeval_scores
    from .panels import corpus_of_docs, panel_of_docs
    from .scorers import make_ner_scorer, make_parser_scorer, make_spancat_scorer
    from .training import make_save_run

# loaded when they are asked for: a config that names a scorer needs no callback
__all__, __getattr__ = lazy(
    __name__,
    {
        "component": "ChanceEval make_chance_eval",
        "huggingface": "make_compute_metrics seqeval_scores",
        "panels": "corpus_of_docs panel_of_docs",
        "scorers": "make_ner_scorer make_parser_scorer make_spancat_scorer",
        "training": "make_save_run",
    },
)
