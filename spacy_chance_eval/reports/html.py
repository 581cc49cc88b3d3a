"""Pages of one file each, without network.

All text from data is escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ..about import __version__
from ..metrics.references import citations
from . import words
from .figures import Figure, svg_element

if TYPE_CHECKING:
    from .report import Column

TEMPLATES = PackageLoader(__package__, "templates")
FILTERS = (words.legible, words.number, words.printable, words.quantity, words.signed)


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
    environment.filters |= {"value": _sort_value, "local": _local_address, "svg": _svg}
    environment.filters |= {"address": _address, "breakable": _breakable, "runs": _runs}
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


def _address(address: str) -> str:
    """An address on the web, or one of a page of ours, perhaps of a place on it."""
    return words.web_link(address) or quote(address, safe="/#")


def _svg(figure: Figure, name: str) -> Markup:
    """A figure within a page; `name` begins its ids."""
    return Markup(svg_element(figure, name))


def _breakable(text: str) -> Markup:
    """A heading, of which names in code may go on below after an underscore."""
    return Markup(str(escape(text)).replace("_", "_<wbr>"))


def _runs(columns: Iterable[Column]) -> list[list[Column]]:
    """Columns beside each other that have the same heading above them."""
    return [[*run] for _, run in groupby(columns, key=lambda one: one.group)]
