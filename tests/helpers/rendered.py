"""Reports in every output, by its ending; and reports of every topic, with hostile names."""

from helpers import boards, comparisons
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
    "compare": lambda: compare_report(
        comparisons.result(failures=["span_f is worse @all"], verbose_below=0.9)
    ),
}


def leaderboard_page(result):
    return report_page(board_report(result))


def leaderboard_text(result):
    return report_text(board_report(result))


def leaderboard_markdown(result):
    return report_markdown(board_report(result))
