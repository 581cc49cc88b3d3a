"""YAML files, which only list things."""

from typing import Any

from srsly.ruamel_yaml import YAML, SafeLoader, scan
from srsly.ruamel_yaml.constructor import DuplicateKeyError
from srsly.ruamel_yaml.error import MarkedYAMLError, YAMLError
from srsly.ruamel_yaml.tokens import AliasToken

from .errors import FormatError, PathLike
from .files import open_text

MAX_YAML = 2**22  # characters, which take 20 seconds and are lists of 30,000 systems


def read_yaml(path: PathLike) -> Any:
    """The content of a YAML file; no tag makes an object of another type."""
    with open_text(path) as lines:
        text = lines.read(MAX_YAML + 1)
    if len(text) > MAX_YAML:
        raise FormatError(f"more than {MAX_YAML:,} characters of YAML; divide the list", path)
    try:
        for token in scan(text, SafeLoader) if "*" in text else ():
            if isinstance(token, AliasToken):  # a few of them stand for more than memory holds
                wrong = f"the alias *{token.value}; write the values where they are used"
                raise MarkedYAMLError(problem=wrong, problem_mark=token.start_mark)
        return YAML(typ="safe", pure=True).load(text)
    except (MarkedYAMLError, DuplicateKeyError) as error:
        reason = error.problem or error.context or "no YAML"
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
    except RecursionError:
        reason, line = "nested too deeply", None
    except (YAMLError, ValueError, KeyError):
        reason, line = "a sign or value that YAML does not have", None
    raise FormatError(f"no plain YAML: {' '.join(reason.split())}", path, line)
