"""Reports in every output, by its ending; and reports of every topic, with hostile names."""

from helpers import boards, comparisons
from helpers.scorereports import layer
from spacy_chance_eval import Spans, evaluate
from spacy_chance_eval.reports.compare import compare_report
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
}


def usual_scores():
    """The scores of the metrics that are computed if none is asked for."""
    return score_report({"layers": [layer(_scored(DEFAULT_METRICS, per_doc=False))]})


def usual_comparison():
    """A comparison as it is without a threshold."""
    return compare_report(comparisons.result())


def leaderboard_page(result):
    return report_page(board_report(result))


def leaderboard_text(result):
    return report_text(board_report(result))


def leaderboard_markdown(result):
    return report_markdown(board_report(result))
