"""Mentions in the answers of language models: JSON, tags in the text, or lines `LABEL: a, b`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from .corpus import PlainSpan
from .errors import ContentError
from .inline import Marks, without_tags
from .json_text import reject_constant
from .rows import brief

Mention: TypeAlias = tuple[str, str]  # its text and its label
# keys of a mention: the first one that it has counts. `entity` is the label beside `word`
TEXT_KEYS = (
    *("text", "mention", "span", "word", "entity_text", "extraction_text", "surface"),
    *("surface_form", "phrase", "string", "value", "name", "entity_name", "entity"),
)
LABEL_KEYS = (
    *("label", "type", "entity_type", "category", "class", "entity_group", "tag"),
    *("entity_label", "entity_class", "extraction_class", "ner_tag", "entity"),
)
LISTS = {"mentions", "entities", "named_entities", "spans", "ents", "extractions"}  # in an object
NOTHING = {"", "none", "nothing", "n/a", "null", "no entities", "no entities found", "no mentions"}
THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
FENCE = re.compile(r"```[ \t]*[\w+-]*")
# how JSON begins, or what looks like it, but not "[1]" in prose
DATA = re.compile(r"""\[\s*(?=[\[{"'(\]])|\{\s*(?=["'}])""")
NO_LABEL = re.compile(r"\s*$|[BIESLU]-|(output_)?text$")  # tags of pieces of words, blocks of APIs
BULLET = re.compile(r"\s*(?:\d+\s*[.)]|[-*•])?\s*")
LABEL_LINE = re.compile(r"[*`\"']*([^\W\d][\w /&-]{0,40}?)[*`\"']*\s*:[*`\"']*\s*(.*)")
# first words of a line with a colon that is about the answer
PROSE = {"note", "answer", "output", "result", "results", "text", "explanation", "here", "sentence"}
PROSE |= {"response", "input", "summary", "sorry", "i", "in", "this", "there", "the", "sure"}
READ = (
    'an answer is JSON, [{"text": .., "label": ..}] or {LABEL: [text, ..]}, tags in the text '
    "(<PER>Ada</PER>), or lines LABEL: text, text; [] says that there are no mentions"
)


class Answer(NamedTuple):
    """The mentions of an answer, in its order.

    Of tags, `text` is the answer without them, and `spans` are the places in it.
    """

    mentions: Sequence[Mention]
    text: str | None = None
    spans: Sequence[PlainSpan] = ()


def parse_answer(value: Any) -> Answer:
    """The mentions in an answer: a JSON value, or a text that has them; see `READ`."""
    match value:
        case (
            [*_, {"role": "assistant", "content": str(text)}]  # messages
            | {"choices": [{"message": {"content": str(text)}}]}  # of APIs, also in a batch
            | {"body": {"choices": [{"message": {"content": str(text)}}]}}
            | str(text)
        ):
            return _of_text(text)
    return Answer(_of_value(value))


def _of_value(value: Any) -> list[Mention]:
    """The mentions in a JSON value."""
    while type(value) is dict and len(keys := value.keys() & LISTS) == 1:
        value = value[keys.pop()]  # JSON modes want an object
    if type(value) is list and all(type(one) is dict for one in value):
        return [*chain.from_iterable(map(_of_mention, value))]
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
    row = {re.sub(r"[\s-]+", "_", key.strip()).casefold(): one for key, one in row.items()}
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


def _of_text(text: str) -> Answer:
    """The mentions in a text."""
    body = FENCE.sub("", THINKING.sub("", text)).strip()
    if body and body.strip(" .=*\"'").casefold() in NOTHING:
        return Answer([])
    marks = Marks()
    try:
        if body[:1] not in ("[", "{") and marks.any_in(body):
            return _of_tags(body, marks)
        if match := DATA.search(body):
            value, end = _decoder.raw_decode(body, match.start())
            if not DATA.search(body, end):
                return Answer(_of_value(value))
    except (ValueError, RecursionError) as error:
        raise ContentError(f"a broken answer {brief(text)}", READ) from error
    if match is None and (mentions := _of_lines(body)) is not None:
        return Answer(mentions)
    what = "no mentions" if match is None else "several lists"
    raise ContentError(f"{what} in an answer {brief(text)}", READ)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, each key of which is there once."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=reject_constant, strict=False)


def _of_tags(body: str, marks: Marks) -> Answer:
    """The mentions marked by tags."""
    text, elements = without_tags(body, lambda name: not marks.are(name))
    spans = []
    for one in elements:
        key = marks.key_of(one.name, one.attributes)
        if key is not None and text[one.start : one.end].strip():
            spans.append((one.start, one.end, one.attributes[key] if key else one.name))
    mentions = [(text[start:end], name) for start, end, name in sorted(spans)]
    return Answer(mentions, text, spans)


def _of_lines(body: str) -> list[Mention] | None:
    """The mentions of lines `PER: Ada, Rex`; None if any line is another one, or there is none."""
    found: list[Mention] = []
    for line in filter(str.strip, body.splitlines()):
        match = LABEL_LINE.fullmatch(BULLET.sub("", line, 1).strip())
        if match is None or len(match[1].split()) > 4:
            return None
        parts = [part.strip(" \"'`") for part in match[2].split(",")]
        if any(parts) and match[1].split()[0].casefold() in PROSE:
            return None
        found += [(part, match[1]) for part in parts if part]
    return found if body else None
