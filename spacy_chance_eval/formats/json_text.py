"""JSON from strangers: a value of a text, or one error that gives the reason in plain words."""

import json
from typing import Any, NoReturn

in_one_line = json.JSONEncoder(ensure_ascii=False).encode  # as `json.dumps`, made once


class NotJSONError(ValueError):
    """A text that is no JSON, and the reason; `line` is where, if that is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


def parsed_json(text: str | bytes, **hooks: Any) -> Any:
    """The JSON value that is a text; `hooks` are those of `json.loads`."""
    try:
        return json.loads(text, **hooks)
    except (ValueError, RecursionError) as error:
        raise NotJSONError(json_reason(error), getattr(error, "lineno", None)) from error


def reject_constant(name: str) -> NoReturn:
    """JSON has neither NaN nor infinity."""
    raise NotJSONError(f"{name} is not JSON")


def json_reason(error: Exception) -> str:
    """The reason of an error that parsing JSON, or encoding the value as UTF-8, has raised."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeError):
        is_text = isinstance(error, UnicodeEncodeError)
        return "half of a surrogate pair" if is_text else "not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        is_cut_off = error.pos >= len(error.doc.rstrip())
        return "it ends too early" if is_cut_off else f"at character {error.colno} of the line"
    if type(error) is ValueError:  # of `int`, which advises programmers, not users
        return "a number of too many digits"
    return str(error)
