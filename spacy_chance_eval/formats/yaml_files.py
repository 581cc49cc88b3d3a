"""YAML files, which only list things: plain values, flat, and each written where it is used."""

from typing import Any

from srsly.ruamel_yaml import YAML
from srsly.ruamel_yaml.composer import Composer, ComposerError
from srsly.ruamel_yaml.error import MarkedYAMLError, YAMLError
from srsly.ruamel_yaml.events import AliasEvent

from .errors import FormatError, PathLike
from .files import open_text
from .json_text import foreign_reason

MAX_YAML = 2**22  # characters, which take 20 seconds and are lists of 30,000 systems
MAX_YAML_DEPTH = 32
STANDARD = "tag:yaml.org,2002:"
STRING = f"{STANDARD}str"  # the only tag that changes no more than how a value is read


class _PlainComposer(Composer):
    """Composes nodes that are neither aliases nor of a type of their own, nor deeply nested.

    A few lines of aliases to aliases stand for more values than any memory holds, and tags make
    objects of other types.
    """

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """The next node."""
        event = self.parser.peek_event()
        if isinstance(event, AliasEvent):
            what = f"the alias *{event.anchor}; write the values where they are used"
            raise ComposerError(None, None, what, event.start_mark)
        if getattr(event, "tag", None) not in (None, "!", STRING):
            name = event.tag.replace(STANDARD, "!!")
            what = f"the tag {name}; write a plain value"
            raise ComposerError(None, None, what, event.start_mark)
        if self.depth == MAX_YAML_DEPTH:
            what = f"values nested more than {MAX_YAML_DEPTH} deep; check the indentation"
            raise ComposerError(None, None, what, event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def compose_mapping_node(self, anchor: Any) -> Any:
        """The next mapping, whose keys are plain and differ."""
        node, keys = super().compose_mapping_node(anchor), set()
        for key, _ in node.value:
            what = "twice" if isinstance(key.value, str) else "that is no text or number"
            if what != "twice" or key.value in keys:
                raise ComposerError(None, None, f"a key {what}; correct it", key.start_mark)
            keys.add(key.value)
        return node


def read_yaml(path: PathLike) -> Any:
    """The content of a YAML file, which holds plain values only: no aliases, no tags but !!str."""
    with open_text(path) as lines:
        text = lines.read(MAX_YAML + 1)
    if len(text) > MAX_YAML:
        raise FormatError(f"more than {MAX_YAML:,} characters of YAML; divide the list", path)
    reader = YAML(typ="safe", pure=True)
    reader.Composer = _PlainComposer
    try:
        return reader.load(text)
    except MarkedYAMLError as error:
        reason = error.problem or error.context or "no YAML"
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise FormatError(f"no plain YAML: {' '.join(reason.split())}", path, line) from error
    except (YAMLError, ValueError) as error:  # a sign, or a date or number, that there is not
        reason = " ".join(foreign_reason(error).split())
        raise FormatError(f"no plain YAML: {reason}", path) from error
