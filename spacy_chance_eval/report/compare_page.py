"""A comparison of two runs as a page."""

from . import compare_words
from .html import page

WORDS = (
    *("run_name", "facts", "verdict", "score_rows", "documents", "headline"),
    *("labels_changed", "error", "side", "elsewhere", "errors"),
)


def compare_page(result, *, top=100):
    """A comparison as one HTML page.

    Parameters
    ----------
    result : dict
        As `compare` makes it.
    top : int
        How many documents and annotations each table has.
    """
    said = {name: getattr(compare_words, name) for name in WORDS}
    return page(
        "compare.html", result=result, said=said, how_to_read=compare_words.HOW_TO_READ, top=top
    )
