"""The page of one system's worst documents."""

from markupsafe import Markup

from .html import page

MANY = 40  # passages, above which those without errors are left out


def error_page(result, system, documents, back=None):
    """One system's worst documents as an HTML page.

    Parameters
    ----------
    result : dict
        As `rank.rank_files` makes it.
    system : dict
        One of its systems.
    documents : sequence of dict
        Name, cost, `passages` with markup that is safe already (`gold`, `pred`) and their `missing`
        and `spurious` spans, and `unplaced` spans (length, label), worst first.
    back : str, optional
        Address of the board, if it is a page.
    """
    shown = []
    for document in documents:
        passages = [
            passage | {side: Markup(passage[side]) for side in ("gold", "pred")}
            for passage in document["passages"]
        ]
        wrong = [passage for passage in passages if passage["missing"] or passage["spurious"]]
        kept = wrong if len(passages) > MANY else passages
        shown.append(document | {"passages": kept, "n_equal": len(passages) - len(kept)})
    board = result["boards"][0]
    values = {"system": system, "board": board, "documents": shown, "back": back}
    return page("errors.html", result=result, **values)
