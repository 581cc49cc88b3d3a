"""Scores and agreement beyond chance for labelled spans, and for syntax.

>>> from spacy_chance_eval import evaluate, read
>>> from spacy_chance_eval.sample import path
>>> gold = read(path("test.jsonl")).spans("spans")
>>> evaluate(gold, gold, ["span_f"])["span_f"].value
1.0
"""

from .about import __version__
from .analysis.diff import diff
from .corpora.pairs import read_compared, side_by_side
from .corpora.treebanks import read_treebank
from .formats import Corpus, Document, FormatError, pair, read
from .measures.alignment import align
from .measures.panel import Panel
from .measures.spans import Spans
from .measures.trees.trees import TreePanel, Trees
from .metrics.catalog import CATALOG, TREE_CATALOG, Metric
from .metrics.request import Request, parse, request
from .runs.compare import compare
from .runs.files import StoredRun, read_run, stored_run, write_run
from .scoring.evaluate import DEFAULT_METRICS, Score, evaluate
from .scoring.intervals import Resampling
from .scoring.leaderboard import leaderboard
from .scoring.ranking import Comparison
from .scoring.trees import evaluate_trees
from .tasks.agree import Agreement, agree
from .tasks.trees import agree_trees

__all__ = [
    "Agreement",
    "CATALOG",
    "Comparison",
    "DEFAULT_METRICS",
    "Corpus",
    "Document",
    "FormatError",
    "Metric",
    "Panel",
    "Request",
    "Resampling",
    "Score",
    "Spans",
    "StoredRun",
    "TREE_CATALOG",
    "TreePanel",
    "Trees",
    "__version__",
    "agree",
    "agree_trees",
    "align",
    "compare",
    "diff",
    "evaluate",
    "evaluate_trees",
    "leaderboard",
    "pair",
    "parse",
    "read",
    "read_compared",
    "read_run",
    "read_treebank",
    "request",
    "side_by_side",
    "stored_run",
    "write_run",
]
