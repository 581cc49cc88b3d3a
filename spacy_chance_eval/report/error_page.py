"""The page of one system's worst documents."""

from .diff_page import safe
from .html import page


def error_page(result, system, documents, back=None):
    """One system's worst documents as an HTML page.

    Parameters
    ----------
    result : dict
        As `rank.rank_files` makes it.
    system : dict
        One of its systems.
    documents : sequence of dict
        Name, cost, passages and what is left out as `drawing.drawn` makes them, with the `missing`
        and `spurious` spans of each, and `unplaced` spans (length, label), worst first.
    back : str, optional
        Address of the board, if it is a page.
    """
    shown = [safe(document) for document in documents]
    values = {"system": system, "board": result["boards"][0], "documents": shown, "back": back}
    return page("errors.html", result=result, **values)
