"""Notes beside a leaderboard: a template of the user, filled in with the numbers of the board."""

from __future__ import annotations

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..formats.errors import FormatError
from ..formats.files import open_text
from .tables import markdown_text
from .words import Result, change, number, p_value_text, quantity, signed

FILTERS = (change, markdown_text, number, p_value_text, quantity, signed)


def notes_text(template: str, result: Result, facts: Result) -> str:
    """The text of a Jinja template with the numbers of a leaderboard.

    Parameters
    ----------
    template : str
        Path of the template. It sees `board` and `facts`, and besides Jinja's own the filters
        `number`, `signed`, `change`, `p_value_text`, `quantity` and `markdown_text`.

    Raises
    ------
    FormatError
        For a template that cannot be read or filled in, with the line if it is known.
    """
    with open_text(template) as lines:
        text = lines.read()
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {function.__name__: function for function in FILTERS}
    try:
        return environment.from_string(text).render(board=result, facts=facts)
    except TemplateSyntaxError as error:
        raise FormatError(f"no template ({error.message})", template, error.lineno) from error
    except TemplateError as error:
        raise FormatError(
            f"cannot be filled in with this leaderboard ({error.message})", template
        ) from error
