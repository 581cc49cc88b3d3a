"""Results as text, Markdown, CSV and pages.

These names are imported when they are first used: a text must not load what pages and plots
need, which is jinja2 and displaCy, or cairosvg for figures in PDF.
"""

from typing import TYPE_CHECKING

from ..about import lazy

if TYPE_CHECKING:
    from .agreement import agreement_text
    from .agreement_pages import agreement_html, write_agreement
    from .board_figures import board_figure, difference_figure, interval_figure, rank_figure
    from .compare import compare_markdown, compare_page, compare_text
    from .demo import demo_text, write_demo_pages
    from .diff import diff_text
    from .diff_pages import write_board_pages, write_diff
    from .explain import explain_text
    from .explain_page import write_explain_page
    from .figures import pdf_file, svg_element, svg_file
    from .html import leaderboard_page
    from .latex import (
        agreement_tex,
        compare_tex,
        leaderboard_tex,
        replacement_tex,
        score_tex,
    )
    from .leaderboard import leaderboard_csv, leaderboard_markdown, leaderboard_text
    from .matrix_figures import confusion_figure, pair_figure
    from .plan import plan_text
    from .quality_pages import write_quality
    from .replacement import replacement_text
    from .scores import metrics_markdown, metrics_text, score_csv, score_report
    from .tree_pages import write_tree_agreement

# imported when they are first used
__all__, __getattr__ = lazy(
    __name__,
    {
        "agreement": "agreement_text",
        "agreement_pages": "agreement_html write_agreement",
        "board_figures": "board_figure difference_figure interval_figure rank_figure",
        "compare": "compare_markdown compare_page compare_text",
        "demo": "demo_text write_demo_pages",
        "diff": "diff_text",
        "diff_pages": "write_diff write_board_pages",
        "explain": "explain_text",
        "explain_page": "write_explain_page",
        "figures": "pdf_file svg_element svg_file",
        "html": "leaderboard_page",
        "latex": "agreement_tex compare_tex leaderboard_tex replacement_tex score_tex",
        "leaderboard": "leaderboard_csv leaderboard_markdown leaderboard_text",
        "matrix_figures": "confusion_figure pair_figure",
        "plan": "plan_text",
        "quality_pages": "write_quality",
        "replacement": "replacement_text",
        "scores": "metrics_markdown metrics_text score_csv score_report",
        "tree_pages": "write_tree_agreement",
    },
)
