"""YAML files, which only list things."""

from typing import Any

import srsly

from .errors import FormatError, PathLike
from .files import open_text


def read_yaml(path: PathLike) -> Any:
    """The content of a YAML file; no tag makes an object of another type."""
    with open_text(path) as lines:
        text = lines.read()
    try:
        return srsly.yaml_loads(text)
    except ValueError as error:
        cause = error.__context__  # which has the line; its text has some lines of the file
        mark = getattr(cause, "problem_mark", None)
        reason = getattr(cause, "problem", None) or "a sign or value that YAML does not have"
        line = None if mark is None else mark.line + 1
        raise FormatError(f"no plain YAML: {reason}", path, line) from error
