"""Reports in every output, by its ending; and reports of every topic, with hostile names."""

from helpers import agreements, boards, comparisons, differing
from helpers.scorereports import layer
from spacy_chance_eval import Spans, evaluate
from spacy_chance_eval.analysis.diff import summary
from spacy_chance_eval.reports.agreement import agreement_report
from spacy_chance_eval.reports.compare import compare_report
from spacy_chance_eval.reports.diff import diff_report
from spacy_chance_eval.reports.latex import report_tex
from spacy_chance_eval.reports.leaderboard import board_report
from spacy_chance_eval.reports.report import (
    report_fragment,
    report_markdown,
    report_page,
    report_screen,
    report_text,
)
from spacy_chance_eval.reports.scores import score_report
from spacy_chance_eval.scoring.evaluation import DEFAULT_METRICS

SCRIPT = "<script>alert(1)</script>"


def _scored(metrics=("span_f", "gate_f", "alpha_u"), per_doc=True):
    """Scores of a small corpus by metrics of all kinds; a label and a document are hostile."""
    gold = [[(0, 2, "A"), (3, 6, "A"), (8, 9, SCRIPT)], [(0, 1, "A")]]
    pred = [[(0, 2, "A"), (3, 5, "A"), (7, 8, SCRIPT)], [(0, 1, "A")]]
    names = ["one\x1b[31m @all #12", "[l](https://x.org)"]
    sides = (Spans.from_tuples(side, [10, 4], names=names) for side in (gold, pred))
    scores = evaluate(*sides, metrics, per_doc=per_doc)
    return {name: score.to_dict() for name, score in scores.items()}


def _agreed():
    """An agreement of three, of whom one has a hostile name; a pair shares nothing."""
    names = ("ann", SCRIPT, "c_d @all #12")
    gap = agreements.score(None, reason=f"nothing in common {SCRIPT}", n_docs=0)
    some = agreements.score(-0.25, 0.5, 0.6, limits=[-0.5, 0.1])
    metric = agreements.metric(names=names, pair=lambda *both: gap if SCRIPT in both else some)
    other = agreements.metric("las", names, symmetric=False, is_corrected=False)
    page = {"page": "pair-001-002.html", "reason": None, "n_differing": 1, "counts": {"missing": 2}}
    pairs = [{"first": names[0], "second": names[1], "n_docs": 3, **page}]
    found = agreements.result(metric, other, names=names, resamples=100, notes=[SCRIPT])
    return agreement_report(found, pairs=pairs, drawn={}, counts=["missing"])


def _differing():
    """Two annotations with differences of each kind; a label is hostile."""
    hostile = [(0, 1, SCRIPT)], [(0, 1, "x @all"), (2, 3, "[l](https://x.org)")]
    found = differing.compare(differing.FEW, differing.MANY, hostile)
    return diff_report(summary(found), list(found.documents()))


OUTPUTS = {
    "screen.txt": report_screen,
    "txt": report_text,
    "md": report_markdown,
    "html": report_page,
    "notebook.html": report_fragment,
    "tex": report_tex,
}
REPORTS = {
    "board": lambda: board_report(
        boards.result(boards.NAMES[:9], labels=boards.LABELS[:2], subsets=boards.SUBSETS[1:])
    ),
    "score": lambda: score_report({"layers": [layer(_scored(), n_gold=4)], "warnings": [SCRIPT]}),
    "compare": lambda: compare_report(
        comparisons.result(failures=["span_f is worse @all"], verbose_below=0.9)
    ),
    "agreement": lambda: _agreed(),
    "diff": lambda: _differing(),
}


def usual_scores():
    """The scores of the metrics that are computed if none is asked for."""
    return score_report({"layers": [layer(_scored(DEFAULT_METRICS, per_doc=False))]})


def usual_comparison():
    """A comparison as it is without a threshold."""
    return compare_report(comparisons.result())


def usual_differences():
    """The differences of two annotations with a label that gold lacks."""
    return diff_report(summary(differing.compare(differing.FEW, differing.MANY)))


def leaderboard_page(result):
    return report_page(board_report(result))


def leaderboard_text(result):
    return report_text(board_report(result))


def leaderboard_markdown(result):
    return report_markdown(board_report(result))
