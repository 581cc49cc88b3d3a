"""Scores and agreement beyond chance for labelled spans, and for syntax.

>>> from spacy_chance_eval import evaluate, read
>>> from spacy_chance_eval.sample import path
>>> gold = read(path("test.jsonl")).spans("spans")
>>> evaluate(gold, gold, ["span_f"])["span_f"].value
1.0
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .about import __version__

if TYPE_CHECKING:
    from .corpora.pairs import read_compared, side_by_side
    from .corpora.treebanks import read_treebank
    from .formats import Corpus, Document, FormatError, pair, read
    from .formats.mention_alignment import MentionAlignment, Placement, align_mentions
    from .measures.alignment import align
    from .measures.panel import Panel
    from .measures.spans import Spans
    from .measures.trees.trees import TreePanel, Trees
    from .metrics.catalog import CATALOG, TREE_CATALOG, Metric
    from .metrics.request import Request, parse, request
    from .runs.files import StoredRun, read_run, stored_run, write_run
    from .scoring.evaluation import DEFAULT_METRICS
    from .scoring.intervals import Resampling
    from .scoring.ranking import Comparison
    from .scoring.scores import Score
    from .tasks.agree import Agreement, agree
    from .tasks.api import compare, diff, evaluate, leaderboard, report
    from .tasks.plan import Plan, plan
    from .tasks.replace import Replacement, replace_test
    from .tasks.results import LabelReport, Leaderboard, RunComparison, Scores, SpanDiff
    from .tasks.trees import agree_trees, evaluate_trees

__all__ = [
    "Agreement",
    "CATALOG",
    "Comparison",
    "Corpus",
    "DEFAULT_METRICS",
    "Document",
    "FormatError",
    "LabelReport",
    "Leaderboard",
    "MentionAlignment",
    "Metric",
    "Panel",
    "Placement",
    "Plan",
    "Replacement",
    "Request",
    "Resampling",
    "RunComparison",
    "Score",
    "Scores",
    "SpanDiff",
    "Spans",
    "StoredRun",
    "TREE_CATALOG",
    "TreePanel",
    "Trees",
    "__version__",
    "agree",
    "agree_trees",
    "align",
    "align_mentions",
    "compare",
    "diff",
    "evaluate",
    "evaluate_trees",
    "leaderboard",
    "pair",
    "parse",
    "plan",
    "read",
    "read_compared",
    "read_run",
    "read_treebank",
    "replace_test",
    "report",
    "request",
    "side_by_side",
    "stored_run",
    "write_run",
]

# where the names are, which are imported when they are first used
_MODULES = {
    "corpora.pairs": ("read_compared", "side_by_side"),
    "corpora.treebanks": ("read_treebank",),
    "formats": ("Corpus", "Document", "FormatError", "pair", "read"),
    "formats.mention_alignment": ("MentionAlignment", "Placement", "align_mentions"),
    "measures.alignment": ("align",),
    "measures.panel": ("Panel",),
    "measures.spans": ("Spans",),
    "measures.trees.trees": ("TreePanel", "Trees"),
    "metrics.catalog": ("CATALOG", "TREE_CATALOG", "Metric"),
    "metrics.request": ("Request", "parse", "request"),
    "runs.files": ("StoredRun", "read_run", "stored_run", "write_run"),
    "scoring.evaluation": ("DEFAULT_METRICS",),
    "scoring.intervals": ("Resampling",),
    "scoring.ranking": ("Comparison",),
    "scoring.scores": ("Score",),
    "tasks.agree": ("Agreement", "agree"),
    "tasks.api": ("compare", "diff", "evaluate", "leaderboard", "report"),
    "tasks.replace": ("Replacement", "replace_test"),
    "tasks.plan": ("Plan", "plan"),
    "tasks.results": ("LabelReport", "Leaderboard", "RunComparison", "Scores", "SpanDiff"),
    "tasks.trees": ("agree_trees", "evaluate_trees"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

if not TYPE_CHECKING:  # else every name would be known

    def __getattr__(name: str) -> Any:
        """A name of `__all__`, from its module."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        return value


def __dir__() -> list[str]:
    """All names, those included that are not imported yet."""
    return sorted({*globals(), *__all__})
