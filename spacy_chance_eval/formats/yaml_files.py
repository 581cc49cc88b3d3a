"""YAML files, which only list things."""

from typing import Any

from srsly.ruamel_yaml import YAML
from srsly.ruamel_yaml.composer import Composer, ComposerError
from srsly.ruamel_yaml.constructor import DuplicateKeyError
from srsly.ruamel_yaml.error import MarkedYAMLError, YAMLError
from srsly.ruamel_yaml.events import AliasEvent

from .errors import FormatError, PathLike
from .files import open_text
from .json_text import foreign_reason

MAX_YAML = 2**22  # characters, which take 20 seconds and are lists of 30,000 systems


class _PlainComposer(Composer):
    """Composes no aliases: a few lines of these stand for more values than any memory holds."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """The next node."""
        event = self.parser.peek_event()
        if isinstance(event, AliasEvent):
            what = f"the alias *{event.anchor}; write the values where they are used"
            raise ComposerError(None, None, what, event.start_mark)
        return super().compose_node(parent, index)


def read_yaml(path: PathLike) -> Any:
    """The content of a YAML file; no tag makes an object of another type."""
    with open_text(path) as lines:
        text = lines.read(MAX_YAML + 1)
    if len(text) > MAX_YAML:
        raise FormatError(f"more than {MAX_YAML:,} characters of YAML; divide the list", path)
    reader = YAML(typ="safe", pure=True)
    reader.Composer = _PlainComposer
    try:
        return reader.load(text)
    except (MarkedYAMLError, DuplicateKeyError) as error:
        reason = error.problem or error.context or "no YAML"
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise FormatError(f"no plain YAML: {' '.join(reason.split())}", path, line) from error
    except (YAMLError, ValueError, KeyError, RecursionError) as error:  # no such sign or number
        reason = " ".join(foreign_reason(error).split())
        raise FormatError(f"no plain YAML: {reason}", path) from error
