"""Mentions in the answers of language models: JSON, or lines `LABEL: a, b`."""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias

from .errors import ContentError
from .json_text import reject_constant
from .rows import brief

Mention: TypeAlias = tuple[str, str]  # its text and its label
# keys of a mention: the first one that it has counts. `entity` is the label beside `word`
TEXT_KEYS = (
    *("text", "mention", "span", "word", "entity_text", "extraction_text", "value", "name"),
    *("entity_name", "entity"),
)
LABEL_KEYS = (
    *("label", "type", "entity_type", "category", "class", "entity_group", "tag"),
    *("extraction_class", "ner_tag", "entity"),
)
LISTS = {"mentions", "entities", "named_entities", "spans", "ents", "extractions"}  # in an object
NOTHING = {"", "none", "nothing", "n/a", "null", "no entities", "no entities found", "no mentions"}
THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
FENCE = re.compile(r"```[ \t]*[\w+-]*")
# how JSON begins, or what looks like it, but not "[1]" in prose
DATA = re.compile(r"""\[\s*(?=[\[{"'(\]])|\{\s*(?=["'}])""")
NO_LABEL = re.compile(r"\s*$|[BIESLU]-|(output_)?text$")  # tags of pieces of words, blocks of APIs
LABEL_LINE = re.compile(r"([^\W\d][\w/&-]*(?: [\w/&-]+){0,3})\s*:(.*)")
# first words of a line with a colon that is about the answer
PROSE = {"note", "answer", "output", "result", "results", "text", "explanation", "here", "sentence"}
PROSE |= {"response", "input", "summary", "sorry", "i", "in", "this", "there", "the", "sure"}
READ = (
    'an answer is JSON, [{"text": .., "label": ..}] or {LABEL: [text, ..]}, or lines '
    "LABEL: text, text; [] says that there are no mentions"
)


def parse_answer(value: Any) -> list[Mention]:
    """The mentions in an answer, in its order: JSON, or a text with JSON or lines; see `READ`."""
    match value:
        case (
            [*_, {"role": "assistant", "content": str(text)}]  # messages
            | {"choices": [{"message": {"content": str(text)}}]}
            | str(text)
        ):
            return _of_text(text)
    return _of_value(value)


def _of_value(value: Any) -> list[Mention]:
    """The mentions in a JSON value."""
    while type(value) is dict and len(keys := value.keys() & LISTS) == 1:
        value = value[keys.pop()]  # JSON modes want an object
    if type(value) is list and all(type(one) is dict for one in value):
        return [mention for one in value for mention in _of_mention(one)]
    wrong = ContentError(f"an answer {brief(value)}", READ)
    if type(value) is not dict or value.keys() & {*TEXT_KEYS} and value.keys() & {*LABEL_KEYS}:
        raise wrong
    found = []
    for label, texts in value.items():
        texts = [] if texts is None else texts
        if type(texts) is not list or {*map(type, texts)} - {str, type(None)}:
            raise wrong
        found += [_labelled(text, label) for text in texts if text and text.strip()]
    return found


def _of_mention(row: dict[str, Any]) -> list[Mention]:
    """The mention that an object is; none if it says so, as in spacy-llm's reasons."""
    text_key = next((key for key in TEXT_KEYS if key in row), "")
    label = next((row[key] for key in LABEL_KEYS if key in row and key != text_key), None)
    if row.get("is_entity") is False or text_key and row[text_key] in (None, ""):
        return []
    if type(row.get(text_key)) is not str:
        raise ContentError(f"a mention is {brief(row)}", READ)
    return [_labelled(row[text_key], label)]


def _labelled(text: str, label: Any) -> Mention:
    """A mention with a label."""
    if type(label) is not str or NO_LABEL.match(label):
        raise ContentError(f"a mention {brief(text)} with the label {brief(label)}", READ)
    return text, label.strip()


def _of_text(text: str) -> list[Mention]:
    """The mentions in a text: one JSON value, whatever stands around it, or lines."""
    body = FENCE.sub("", THINKING.sub("", text)).strip()
    if body and body.strip(" .=*\"'").casefold() in NOTHING:
        return []
    if match := DATA.search(body):
        try:
            value, end = _decoder.raw_decode(body, match.start())
        except (ValueError, RecursionError) as error:
            raise ContentError(f"a broken answer {brief(text)}", READ) from error
        if DATA.search(body, end):
            raise ContentError(f"several lists in an answer {brief(text)}", READ)
        return _of_value(value)
    found = []
    for line in filter(str.strip, body.splitlines()):
        label = LABEL_LINE.fullmatch(line.strip())
        texts = [part.strip(" \"'`") for part in label[2].split(",")] if label else []
        if label is None or any(texts) and label[1].split()[0].casefold() in PROSE:
            raise ContentError(f"no mentions in an answer {brief(text)}", READ)
        found += [(part, label[1]) for part in texts if part]
    if not body:
        raise ContentError(f"no mentions in an answer {brief(text)}", READ)
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, each key of which is there once."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=reject_constant, strict=False)
