"""JSON from strangers: a value of a text, or one error that gives the reason in plain words."""

import json
from dis import opmap
from typing import Any, NoReturn

RAISE = opmap["RAISE_VARARGS"]
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
    if type(error) is ValueError:  # of `int`, which advises programmers, not users
        return "a number of too many digits"
    return getattr(error, "msg", None) or getattr(error, "reason", None) or foreign_reason(error)


def foreign_reason(error: Exception) -> str:
    """The reason of an error that left a library which reads a file.

    The message of an error that the library raises by itself is about the file. Where Python
    raises one in its code, such as a TypeError, the message is about the code, and is left out.
    """
    if isinstance(error, RecursionError):
        return "nested too deeply"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    in_code = trace is not None and trace.tb_frame.f_code.co_code[trace.tb_lasti] != RAISE
    if in_code and isinstance(error, KeyError):
        return f"nothing is called {error}"
    if in_code and isinstance(error, (ArithmeticError, AttributeError, IndexError, TypeError)):
        return f"a value of another kind than expected, {type(error).__name__}"
    if in_code and type(error) is ValueError:
        return "a number that is none"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
