"""JSON: a value in one line, and the value of a text from strangers."""

import json
from typing import Any, NoReturn

from .errors import ContentError

in_one_line = json.JSONEncoder(ensure_ascii=False).encode  # as `json.dumps`, made once


def parsed_json(text: str, advice: str) -> Any:
    """The JSON value that is a text; else a `ContentError` with the reason in plain words."""
    try:
        value = json.loads(text, parse_constant=reject_constant)
        if "\\u" in text:  # half a surrogate pair is no character
            in_one_line(value).encode()
        return value
    except (ValueError, RecursionError) as error:
        raise ContentError(f"invalid JSON ({_reason(error)})", advice) from None


def reject_constant(name: str) -> NoReturn:
    """JSON has neither NaN nor infinity."""
    raise ValueError(f"{name} is not JSON")


def _reason(error: Exception) -> str:
    """The reason of an error that parsing JSON, or encoding the value as UTF-8, has raised."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeError):
        return "half of a surrogate pair"
    if isinstance(error, json.JSONDecodeError):
        is_open = error.msg.startswith("Unterminated")  # a text that goes on to the end
        is_cut_off = is_open or error.pos >= len(error.doc.rstrip())
        return "it ends too early" if is_cut_off else f"at character {error.pos + 1}"
    return "a number of too many digits" if "digits" in str(error) else str(error)
