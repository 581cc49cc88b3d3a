"""A spaCy scorer for parsers: spaCy's own scores, and alpha of the trees beside them."""

from collections.abc import Callable

from spacy.pipeline.dep_parser import parser_score

from ..formats.errors import known
from ..measures.trees.tree_edit import BACKENDS
from ..measures.trees.trees import CYCLES
from ..metrics.request import request
from ..tree_agreement import evaluate_trees
from .scorers import finite
from .tree_docs import trees_of_examples

KEYS = {
    "dep_alpha": "value",
    "dep_alpha_observed": "observed",
    "dep_alpha_expected": "expected",
}


def make_parser_scorer(
    delta: str = "plain",
    sample: int = 0,
    seed: int = 0,
    backend: str = "auto",
    cycles: str = "error",
) -> Callable:
    """A scorer for parsers: `dep_uas`, `dep_las`, `sents_f` ... as spaCy has them, and `dep_alpha`.

    Parameters
    ----------
    delta : "plain", "diff" or "norm"
        Of tree edit distances; only "plain" is a metric.
    sample : int
        Number of pairs of trees that are drawn for the expected disagreement; 0: all pairs.
    seed : int
        Of the draw.
    backend : "auto", "numpy" or "numba"
        What works out the distances; the results are equal.
    cycles : "error" or "reachable"
        What to make of heads that form a cycle. spaCy's parser never predicts one.
    """
    metric = request("syntax_alpha", delta=delta, sample=sample, seed=seed)
    settings = {
        "backend": known(backend, BACKENDS, "backend"),
        "cycles": known(cycles, CYCLES, "value of cycles"),
    }

    def score(examples, **pipe_settings):
        examples = list(examples)
        usual = parser_score(examples, **pipe_settings)
        return {**usual, **tree_scores(examples, metric, **settings)}

    return score


def tree_scores(examples, metric, *, backend="auto", cycles="error"):
    """Alpha of gold and prediction as spaCy wants it: finite floats if any sentence has a tree.

    `dep_alpha`, and the agreement `dep_alpha_observed` and `dep_alpha_expected` that it is made of
    (1 less the mean squared distance, so mostly far below 0: only `dep_alpha` is for the console of
    a training). All tokens count, with punctuation; trees are those of `trees_of_examples`. An
    undefined score is 0.0, so that training goes on; so are all without a gold sentence in which
    every token has a relation. Without any relation in gold all are None.
    """
    gold, pred = trees_of_examples(examples, cycles=cycles)
    if not gold.seen.any():
        annotated = any(example.y.has_annotation("DEP") for example in examples)
        return dict.fromkeys(KEYS, 0.0 if annotated else None)
    score = evaluate_trees(gold, pred, [metric], backend=backend)[str(metric)]
    return {key: finite(getattr(score, part)) for key, part in KEYS.items()}
