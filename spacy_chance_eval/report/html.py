"""Results as pages: one file each, without network. Everything that comes from data is escaped."""

import base64
import hashlib
from functools import cache
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..about import __version__
from . import plots, words
from .plots import MISSING

CAPTIONS = {
    True: "Score and interval before and after correction",
    False: "Score and interval",
}
RANKS = "Ranks before and after correction"


def leaderboard_page(result):
    """A leaderboard as one HTML page.

    Parameters
    ----------
    result : dict
        As `leaderboard` makes it. `errors` of a system is an address relative to the page.
    """
    metrics, missing = [], None
    for number, (name, boards) in enumerate(words.by_metric(result), 1):
        metrics.append({"id": f"metric-{number}", "name": name, "panels": []})
        for i, board in enumerate(boards, 1):
            key = f"panel-{number}-{i}"
            try:
                drawn = figures(board, key)
            except ImportError:
                drawn, missing = [], MISSING
            panel = {"id": key, "name": words.place(board), "board": board, "plots": drawn}
            metrics[-1]["panels"].append(panel)
    systems = {system["name"]: system for system in result["systems"]}
    known = {"how_to_read": words.HOW_TO_READ, "missing": missing}
    return page("leaderboard.html", result=result, metrics=metrics, systems=systems, **known)


def figures(board, key):
    """Captions and plots of one board; no slopes where nothing is corrected."""
    found = [
        (CAPTIONS[words.is_corrected(board)], plots.forest(board, f"{key}-forest")),
        (RANKS, plots.slopes(board, f"{key}-slopes")),
    ]
    return [(caption, Markup(svg)) for caption, svg in found if svg]


def page(template, **values):
    """A template filled in, with the shared script that its security policy allows by hash."""
    text = environment().get_template(template).render(values)
    # half of a surrogate pair, which JSON may hold, is no UTF-8
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def environment():
    """The environment of all pages: templates are read and compiled once."""
    made = new_environment()
    script = made.loader.get_source(made, "base.js")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    made.globals |= {"script": Markup(script), "script_hash": f"sha256-{digest}"}
    made.globals["version"] = __version__
    return made


def new_environment():
    """Templates that escape everything, with the words of all reports as filters."""
    loader = PackageLoader(__package__, "templates")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    names = "counted number shown signed interval rank_limits share change p_value facts size"
    for name in (*names.split(), "signatures", "is_corrected", "headline", "legible", "web_link"):
        environment.filters[name] = getattr(words, name)
    environment.filters |= {"value": value, "local": local, "standings": standings}
    return environment


def value(number):
    """What a cell is sorted by: the number in full, nothing where it is undefined."""
    return "" if number is None else repr(number)


def local(path):
    """A relative path as an address: nothing in it can act as a scheme or a query."""
    return quote(path, safe="/")


def standings(board):
    """Each row of a board with both of its standings."""
    return zip(board["rows"], words.of_rows(board, "observed"), words.of_rows(board, "corrected"))
