"""Scores and agreement beyond chance for labelled spans, and for syntax.

>>> from spacy_chance_eval import evaluate, read
>>> from spacy_chance_eval.sample import path
>>> gold = read(path("test.jsonl")).spans("spans")
>>> evaluate(gold, gold, ["span_f"])["span_f"].corrected
1.0
"""

from typing import TYPE_CHECKING

from .about import __version__ as __version__, lazy

if TYPE_CHECKING:
    from .corpora.pairs import read_compared as read_compared, side_by_side as side_by_side
    from .corpora.treebanks import read_treebank as read_treebank
    from .formats import (
        Corpus as Corpus,
        Document as Document,
        FormatError as FormatError,
        pair as pair,
        read as read,
    )
    from .formats.mentions import (
        Placement as Placement,
        align_mentions as align_mentions,
    )
    from .measures.alignment import align as align
    from .measures.panel import Panel as Panel
    from .measures.spans import Spans as Spans
    from .measures.trees.trees import TreePanel as TreePanel, Trees as Trees
    from .metrics.catalog import CATALOG as CATALOG, TREE_CATALOG as TREE_CATALOG, Metric as Metric
    from .metrics.request import Request as Request, parse as parse, request as request
    from .runs.files import (
        StoredRun as StoredRun,
        read_run as read_run,
        stored_run as stored_run,
        write_run as write_run,
    )
    from .scoring.evaluation import DEFAULT_METRICS as DEFAULT_METRICS
    from .scoring.intervals import Resampling as Resampling
    from .scoring.ranking import Comparison as Comparison
    from .scoring.scores import Score as Score
    from .tasks.agree import Agreement as Agreement, agree as agree
    from .tasks.api import (
        compare as compare,
        diff as diff,
        evaluate as evaluate,
        leaderboard as leaderboard,
        report as report,
    )
    from .tasks.convert import write as write
    from .tasks.plan import Plan as Plan, plan as plan
    from .tasks.replace import Replacement as Replacement, replace_test as replace_test
    from .tasks.results import (
        LabelReport as LabelReport,
        Leaderboard as Leaderboard,
        RunComparison as RunComparison,
        Scores as Scores,
        SpanDiff as SpanDiff,
    )

# imported when they are first used
__all__, __getattr__ = lazy(
    __name__,
    {
        "corpora.pairs": "read_compared side_by_side",
        "corpora.treebanks": "read_treebank",
        "formats": "Corpus Document FormatError pair read",
        "formats.mentions": "Placement align_mentions",
        "measures.alignment": "align",
        "measures.panel": "Panel",
        "measures.spans": "Spans",
        "measures.trees.trees": "TreePanel Trees",
        "metrics.catalog": "CATALOG TREE_CATALOG Metric",
        "metrics.request": "Request parse request",
        "runs.files": "StoredRun read_run stored_run write_run",
        "scoring.evaluation": "DEFAULT_METRICS",
        "scoring.intervals": "Resampling",
        "scoring.ranking": "Comparison",
        "scoring.scores": "Score",
        "tasks.agree": "Agreement agree",
        "tasks.api": "compare diff evaluate leaderboard report",
        "tasks.convert": "write",
        "tasks.plan": "Plan plan",
        "tasks.replace": "Replacement replace_test",
        "tasks.results": "LabelReport Leaderboard RunComparison Scores SpanDiff",
    },
)
__all__ += ["__version__"]


def __dir__() -> list[str]:
    """All names, those included that are not imported yet."""
    return sorted({*globals(), *__all__})
