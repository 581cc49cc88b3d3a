"""Pages of one file each, without network, and that of a leaderboard.

All text from data is escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..about import __version__
from ..metrics.references import citations
from ..scoring.statistics import headline
from . import leaderboard, words
from .board_figures import interval_figure, rank_figure
from .figures import svg_element
from .leaderboard import (
    HOW_TO_READ_BOARDS,
    board_details,
    board_name,
    by_metric,
    is_corrected,
    is_whole,
    leaderboard_verdict,
    overview_table,
    signatures_of,
)
from .words import Result, TableRow

TEMPLATES = PackageLoader(__package__, "templates")
FILTERS = (
    *(
        words.change,
        words.disagreement,
        words.interval_of,
        words.interval_text,
        words.legible,
        words.number,
        words.p_value_text,
        words.printable,
    ),
    *(words.quantity, words.rank_limits, words.share, words.signed, words.web_link),
    *(leaderboard.board_size, leaderboard.is_corrected, leaderboard.main_score),
    *(headline, leaderboard.rows_with_standings, leaderboard.signatures),
)
CAPTIONS = {  # of the plots of scores, by whether any is corrected
    True: "Score and interval before and after correction",
    False: "Score and interval",
}
RANKS_TITLE = "Ranks before and after correction"

# --- all pages


def page(template: str, *, signatures: Iterable[str] = (), **values: object) -> str:
    """A filled template, with the hash of the shared script in its security policy.

    Parameters
    ----------
    template : str
    signatures : iterable of str
        The signatures of the scores on the page, which then shows their sources as BibTeX.
    **values
        The values of the template.
    """
    if signatures := list(signatures):
        values["citations"] = citations(signatures)
    text = _environment().get_template(template).render(values)
    # half of a surrogate pair, which JSON may hold, is no UTF-8
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _environment() -> Environment:
    """The environment of all pages, which escapes everything; templates are compiled once."""
    environment = Environment(loader=TEMPLATES, autoescape=True, undefined=StrictUndefined)
    environment.filters |= {function.__name__: function for function in FILTERS}
    environment.filters |= {"value": _sort_value, "local": _local_address}
    script = TEMPLATES.get_source(environment, "base.js")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals |= {"script": Markup(script), "script_hash": f"sha256-{digest}"}
    environment.globals |= {"version": __version__}
    environment.globals["citations"] = ""
    return environment


def _sort_value(number: float | None) -> str:
    """The sort key of a cell: the number in full, nothing where it is undefined."""
    return "" if number is None else repr(number)


def _local_address(path: str) -> str:
    """A relative path as an address: nothing in it can act as a scheme or a query."""
    return quote(path, safe="/")


# --- leaderboards

MOST_LABELS = 100  # with boards on the page: each takes some 12 kB


def leaderboard_page(result: Result) -> str:
    """A leaderboard as one HTML page."""
    metrics: list[TableRow] = []
    for number, (name, boards) in enumerate(by_metric(result), 1):
        panels = []
        shown = _most_frequent(boards)
        for i, board in enumerate(shown, 1):
            key = f"panel-{number}-{i}"
            parts = {"id": key, "name": board_name(board), "board": board}
            panels.append({**parts, "plots": _plots(board, key)})
        left_out = len(boards) - len(shown)
        about = {"id": f"metric-{number}", "name": name, "left_out": left_out}
        metrics.append({**about, "panels": panels})
    measured, rows = overview_table(result)
    return page(
        "leaderboard.html",
        signatures=[row["signature"] for board in result["boards"] for row in board["rows"]],
        result=result,
        verdict=leaderboard_verdict(result),
        measured=measured,
        rows=rows,
        signatures_of_all={
            metric: signatures_of(list(filter(is_whole, boards)))
            for metric, boards in by_metric(result)
        },
        facts=board_details(result),
        metrics=metrics,
        systems={system["name"]: system for system in result["systems"]},
        how_to_read=HOW_TO_READ_BOARDS,
    )


def _most_frequent(boards: Sequence[Result]) -> list[Result]:
    """The boards of a metric, of labels only those of the `MOST_LABELS` with most gold spans."""
    labels = [board for board in boards if board["label"] is not None]
    labels.sort(key=lambda board: -max((row["gold"] or 0 for row in board["rows"]), default=0))
    rare = {id(board) for board in labels[MOST_LABELS:]}
    return [board for board in boards if id(board) not in rare]


def _plots(board: Result, key: str) -> list[tuple[str, Markup]]:
    """Captions and plots of a board; without ranks if no score is corrected."""
    ranks = rank_figure(board)
    plots = [(CAPTIONS[is_corrected(board)], interval_figure(board), "intervals")]
    plots += [(RANKS_TITLE, ranks, "ranks")] if ranks else []
    return [(text, Markup(svg_element(one, f"{key}-{name}"))) for text, one, name in plots]
