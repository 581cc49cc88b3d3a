"""Results as text, Markdown, CSV and pages.

These names are imported when they are first used: a text must not load what pages and plots
need, which is jinja2 and displaCy, or cairosvg for figures in PDF.
"""

from typing import TYPE_CHECKING

from ..about import lazy

if TYPE_CHECKING:
    from .agreement import agreement_report
    from .agreement_pages import write_agreement
    from .compare import compare_report, difference_figure
    from .demo import demo_text, write_demo_pages
    from .diff import diff_report
    from .diff_pages import write_board_pages, write_diff
    from .explain import explain_report, write_explain_page
    from .figures import pdf_file, svg_element, svg_file
    from .latex import report_tex
    from .leaderboard import (
        board_figure,
        board_report,
        interval_figure,
        leaderboard_csv,
        rank_figure,
    )
    from .matrix_figures import confusion_figure, pair_figure
    from .plan import plan_report
    from .quality_pages import write_quality
    from .replacement import replacement_report
    from .report import Report, report_fragment, report_markdown, report_page, report_text
    from .scores import metrics_text, score_report
    from .tree_pages import write_tree_agreement

# imported when they are first used
__all__, __getattr__ = lazy(
    __name__,
    {
        "agreement": "agreement_report",
        "agreement_pages": "write_agreement",
        "compare": "compare_report difference_figure",
        "demo": "demo_text write_demo_pages",
        "diff": "diff_report",
        "diff_pages": "write_diff write_board_pages",
        "explain": "explain_report write_explain_page",
        "figures": "pdf_file svg_element svg_file",
        "latex": "report_tex",
        "leaderboard": "board_figure board_report interval_figure leaderboard_csv rank_figure",
        "matrix_figures": "confusion_figure pair_figure",
        "plan": "plan_report",
        "quality_pages": "write_quality",
        "replacement": "replacement_report",
        "report": "Report report_fragment report_markdown report_page report_text",
        "scores": "metrics_text score_report",
        "tree_pages": "write_tree_agreement",
    },
)
