"""Mentions in the answers of language models: JSON, tags, or lines `LABEL: text, text`."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from ..measures.messages import quoted
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
LISTS = (  # keys of an answer that hold its mentions
    *("mentions", "entities", "named_entities", "spans", "ents", "ner", "extractions"),
    *("predictions", "prediction", "annotations", "results", "result", "answer", "output"),
)
# how APIs wrap a text
WRAPPERS = ("choices", "candidates", "message", "body", "content", "parts", "response")
NOTHING = {"none", "nothing", "n/a", "null", "no entities", "no entities found", "no mentions"}
THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
DATA = re.compile(r"""\[\s*(?=[\[{("'\]])|\{\s*(?=["'}])""")
NUMBER = re.compile(r"^\s*(?:\d+\s*[.)]|[-*•])\s*")
SEPARATOR = re.compile(r"[\s,;]*(?:\d+\s*[.)]|[-*•])?\s*")  # between the objects of a list
LABEL_LINE = re.compile(r"[*`\"']*([^\W\d][\w /&-]{0,40}?)[*`\"']*\s*:[*`\"']*\s*(.*)")
# first words of a line with a colon that is about the answer
PROSE = {"note", "answer", "entities", "named", "output", "result", "results", "text", "the"}
PROSE |= {"explanation", "here", "sentence", "response", "input", "mentions", "summary", "sorry"}
PROSE |= {"i", "in", "this", "these", "there", "sure", "certainly", "of", "extracted", "final"}

MALFORMED = (
    "an answer has mentions as JSON, as tags, or as lines LABEL: text, text: ask the model for "
    "JSON; an answer [] says that there are none"
)
ASKED = "a conversation asks 'What describes LABEL in the text?' and answers with a list of texts"
NO_LABEL = (
    'give each its label, {"text": "Ada", "label": "PER"}, or name the one label of a row in it: '
    '"label": "PER"'
)


class Answer(NamedTuple):
    """The mentions of an answer, in its order.

    `turnable` is "pairs", "table" or "lines" if nothing in the answer says which of two strings is
    the label. Of inline tags, `text` is the answer without them, and `spans` are the places in it.
    """

    mentions: Sequence[Mention]
    turnable: str = ""
    text: str | None = None
    spans: Sequence[PlainSpan] = ()

    def turned(self) -> Answer:
        """The answer with texts and labels exchanged."""
        return self._replace(mentions=[(label, text) for text, label in self.mentions])


class Questions(list[tuple[str, Any]]):
    """(label, answer) of questions that were asked for one label each."""


def parse_answer(value: Any, label: str | None = None) -> Answer:
    """The mentions in an answer: a JSON value, or a text that has them in one of many ways.

    Parameters
    ----------
    value : JSON value
    label : str, optional
        The label of mentions that have none: the one that was asked for.
    """
    if isinstance(value, Questions):
        if not value:
            raise ContentError("a conversation without a question for mentions", ASKED)
        found = (parse_answer(answer, name).mentions for name, answer in value)
        return Answer([*chain.from_iterable(found)])
    try:
        answer = _of_text(value, label) if type(value) is str else _of_value(value, label)
    except RecursionError:
        raise ContentError("an answer nested too deeply", MALFORMED) from None
    mentions = [one for one in answer.mentions if one[0].strip()]
    if not all(name.strip() or _says_nothing(text) for text, name in mentions):
        raise ContentError(f"a mention without label: {brief(value)}", NO_LABEL)
    return answer._replace(mentions=mentions)


def without_nothing(answer: Answer, text: str) -> Answer:
    """The answer without mentions that say that there are none ("none", "N/A").

    They are mentions, of a company that is called Nothing, where the text has the very word.
    """
    if answer.spans:
        return answer  # tags are around a text that is there
    mentions = [
        (one, name)
        for one, name in answer.mentions
        if not _says_nothing(one) or name.strip() and _has_word(text, one.strip())
    ]
    return answer._replace(mentions=mentions)


def _says_nothing(mention: str) -> bool:
    """Whether a mention says that there is none."""
    return mention.strip().casefold() in NOTHING


def _has_word(text: str, word: str) -> bool:
    """Whether a text has a word as it is written."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


# --- values


def _of_value(value: Any, label: str | None) -> Answer:
    """The mentions in a JSON value."""
    if type(value) is list:
        return _of_list(value, label)
    if type(value) is not dict:
        raise ContentError(f"an answer {brief(value)}", MALFORMED)
    if (wrapped := _unwrapped(value)) is not None:
        return parse_answer(wrapped, label)
    names = {_plain_key(key): key for key in value}
    lists = [
        name for name in LISTS if name in names and type(value[names[name]]) in (list, dict, str)
    ]
    by_label = _is_by_label(value) and len(value) > 1
    of_text = len(lists) == 1 and _has_mentions(value[names[lists[0]]])
    if len(lists) == 1 and (of_text or not _is_mention(value, names)) and not by_label:
        own = value[names[name]] if (name := _label_key(names, lists[0])) else label
        return parse_answer(value[names[lists[0]]], own if type(own) is str else label)
    if _is_mention(value, names):
        return Answer(_of_columns(value, names) or _of_object(value, label))
    texts = {name for name in names if name in TEXT_KEYS and type(value[names[name]]) is str}
    if texts and (label is not None or texts & {*TEXT_KEYS[:6]} or len(texts) == len(value)):
        return Answer(_of_object(value, label))
    return _of_table(value)


def _unwrapped(value: Mapping[str, Any]) -> Any:
    """The text that an API wraps in objects; None of other values."""
    for key in WRAPPERS:
        inner = value.get(key)
        if key in ("choices", "candidates", "parts", "content") and type(inner) is list and inner:
            blocks = [one for one in inner if type(one) is dict]
            texts = [one for one in blocks if type(one.get("text")) is str and _is_block(one)]
            if texts and len(blocks) == len(inner):
                return "".join(one["text"] for one in texts)
            if key in ("choices", "candidates") and blocks:
                return blocks[0]
        elif key in ("message", "body", "content", "response") and type(inner) in (dict, str):
            is_envelope = key != "content" or "role" in value or len(value) == 1
            return inner if is_envelope else None
    return None


def _is_block(block: Mapping[str, Any]) -> bool:
    """Whether an object is a block of text, or a choice of an API: not a mention."""
    return block.get("type", "text") == "text" and not {*LABEL_KEYS} - {"type"} & block.keys()


def _plain_key(key: object) -> str:
    """A key in lower case, its words joined by underscores."""
    return re.sub(r"[\s-]+", "_", str(key).strip()).casefold()


def _label_key(names: Mapping[str, str], text_key: str | None) -> str | None:
    """The first key of a label that is not that of the text."""
    return next((name for name in LABEL_KEYS if name in names and name != text_key), None)


def _is_mention(value: Mapping[str, Any], names: Mapping[str, str]) -> bool:
    """Whether an object has a text and a label under known keys."""
    text_key = next((name for name in TEXT_KEYS if name in names), None)
    label_key = _label_key(names, text_key)
    return text_key is not None and label_key is not None


def _has_mentions(value: Any) -> bool:
    """Whether a value is a list with objects that have a text and a label."""
    return type(value) is list and any(
        type(one) is dict and _is_mention(one, {_plain_key(key): key for key in one})
        for one in value
    )


def _is_by_label(value: Mapping[str, Any]) -> bool:
    """Whether all values of an object are lists of texts."""
    return all(type(one) is list and all(type(text) is str for text in one)
               for one in value.values())  # fmt: skip


def _of_columns(value: Mapping[str, Any], names: Mapping[str, str]) -> list[Mention]:
    """The mentions of an object of lists {"text": [...], "label": [...]}; [] of others."""
    text_key = next(name for name in TEXT_KEYS if name in names)
    columns = [value[names[key]] for key in (text_key, _label_key(names, text_key)) if key]
    if not all(type(one) is list for one in columns) or len({*map(len, columns)}) > 1:
        return []
    rows = zip(*columns)
    return [one for text, label in rows for one in _of_object({"text": text, "label": label}, "")]


def _of_object(entry: Mapping[str, Any], label: str | None) -> list[Mention]:
    """The mentions of an object with text and label; several texts, none if it is empty."""
    names = {_plain_key(key): key for key in entry}
    if entry.get(names.get("is_entity", "")) is False:  # as in spacy-llm's reasons
        return []
    text_key = next((name for name in TEXT_KEYS if name in names), None)
    label_key = _label_key(names, text_key)
    own = label if label_key is None else entry[names[label_key]]
    if type(own) is list and len(own) == 1:
        own = own[0]
    texts = None
    if text_key is not None:
        texts = entry[names[text_key]]
    elif (
        len(lists := [name for name in LISTS if type(entry.get(names.get(name, ""))) is list]) == 1
    ):
        texts = entry[names[lists[0]]]
    texts = texts if type(texts) is list else [] if texts in (None, "") else [texts]
    if text_key is None and not texts or not all(type(text) is str for text in texts):
        raise ContentError(f"a mention is {brief(entry)}", 'a mention is {"text": .., "label": ..}')
    if texts and (type(own) is not str or not own.strip()):
        raise ContentError(f"a mention without label: {brief(entry)}", NO_LABEL)
    if names.get("entity") and re.match(r"[BIESLU]-", str(own)) or texts[:1] == ["##"]:
        raise ContentError(f"a piece of a word with a tag: {brief(entry)}", WHOLE_WORDS)
    return [(text, str(own).strip()) for text in texts if text.strip()]


WHOLE_WORDS = (
    "give whole spans with their offsets (format entities): pipelines need a fast tokenizer "
    "(use_fast=True) and an aggregation_strategy"
)


def _of_list(values: Sequence[Any], label: str | None) -> Answer:
    """The mentions in a list: objects, pairs, or texts of one label."""
    if all(_is_pair(one) for one in values) and values:
        return Answer([(one[0], one[1]) for one in values], "pairs")
    if values and _is_pair(values) and label is None:
        raise ContentError(f"texts without labels: {brief(values)}", NO_LABEL)
    if values and all(type(one) is dict and {"role", "content"} <= one.keys() for one in values):
        return parse_answer(values[-1]["content"], label)  # the last message of a chat
    answers = [_of_value(one, label) for one in values if type(one) is dict]
    if answers and len(answers) == len(values):
        kinds = {one.turnable for one in answers}
        mentions = [*chain.from_iterable(one.mentions for one in answers)]
        return Answer(mentions, "".join(kinds) if len(kinds) == 1 else "")
    found: list[Mention] = []
    for one in values:
        if type(one) is str and label is not None:
            found += [(one, label)] if one.strip() else []
        elif type(one) is str:
            raise ContentError(f"texts without labels: {brief(values)}", NO_LABEL)
        elif type(one) is dict:
            found += _of_value(one, label).mentions
        elif _is_pair(one):
            found.append((one[0], one[1]))
        else:
            raise ContentError(
                f"a mention is {brief(one)}", 'a mention is {"text": .., "label": ..}'
            )
    return Answer(found)


def _is_pair(value: Any) -> bool:
    """Whether a value is a list of two strings."""
    return type(value) is list and [type(one) for one in value] == [str, str]


def _of_table(table: Mapping[str, Any]) -> Answer:
    """The mentions of an object by label, or of one with the label of each text."""
    if table and all(type(one) is str and one.strip() for one in table.values()):
        return Answer([(text, label) for label, text in table.items()], "table")
    found: list[Mention] = []
    for label, texts in table.items():
        for one in texts if type(texts) is list else [texts]:
            if type(one) is dict:
                found += _of_object(one, label)
            elif type(one) is str:
                found += [(one, label)] if one.strip() else []
            elif one is not None:
                raise ContentError(
                    f"{quoted(label)} has {brief(one)}", "an object has the texts of each label"
                )
    return Answer(found)


# --- texts


def _of_text(text: str, label: str | None) -> Answer:
    """The mentions in a text."""
    body = THINKING.sub("", text).strip()
    blocks = [block for block in FENCE.findall(body) if block.strip()]
    if len(blocks) > 1:
        raise ContentError(f"{len(blocks)} code blocks: {brief(text)}", MALFORMED)
    body = blocks[0].strip() if blocks else body
    if not body:
        raise ContentError("an empty answer", MALFORMED)
    if body.strip(" .=*\"'").casefold() in NOTHING:
        return Answer([])
    readers: tuple[Callable[[str, str | None], Answer | None], ...] = (_of_tags, _of_data)
    readers = readers[::-1] if body[0] in "[{" else readers
    for read in (*readers, _of_lines):
        if (found := read(body, label)) is not None:
            return found
    raise ContentError(f"no mentions in an answer {brief(text)}", MALFORMED)


def _of_data(body: str, label: str | None) -> Answer | None:
    """The mentions of the JSON in a text; None without any."""
    found: list[Any] = []
    between: list[str] = []
    at = 0
    while first := DATA.search(body, at):
        between.append(body[at : first.start()])
        value, at = _data_at(body, first.start())
        found.append(value)
    if not found:
        return None
    if len(found) == 1:
        return _of_value(found[0], label)
    of_one_kind = all(type(one) is dict for one in found) or all(map(_is_pair, found))
    if of_one_kind and all(map(SEPARATOR.fullmatch, between[1:])):  # one a line, no second thoughts
        return _of_list(found, label)
    raise ContentError(f"{len(found)} lists in one answer: {brief(body)}", MALFORMED)


def _data_at(body: str, start: int) -> tuple[Any, int]:
    """(the value that begins at a place of a text, its end)."""
    try:
        return _decoder.raw_decode(body, start)
    except ValueError:
        pass
    close = {"[": "]", "{": "}"}[body[start]]
    end = body.rfind(close, start) + 1
    try:
        return _python_value(ast.parse(body[start:end].strip(), mode="eval").body), end
    except (ValueError, SyntaxError, MemoryError):
        what = "JSON that is cut off or broken"
        raise ContentError(f"{what}: {brief(body[start:])}", MALFORMED) from None


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; the values of a key that is there several times as one list."""
    table = dict(pairs)
    if len(table) == len(pairs):
        return table
    values: dict[str, list[Any]] = {key: [] for key in table}
    for key, value in pairs:
        values[key] += value if type(value) is list else [value]
    return values


_decoder = json.JSONDecoder(object_pairs_hook=_joined, parse_constant=reject_constant, strict=False)
NAMED = {"null": None, "true": True, "false": False}


def _python_value(node: ast.expr) -> Any:
    """The value of a literal of Python, as JSON with other quotes is one; nothing is run."""
    if isinstance(node, ast.Constant) and type(node.value) in (str, int, float, bool, type(None)):
        return node.value
    if isinstance(node, ast.Name) and node.id in NAMED:
        return NAMED[node.id]
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [_python_value(one) for one in node.elts]
    if isinstance(node, ast.Dict) and all(node.keys):
        values = zip(node.keys, node.values)
        return _joined(
            [(str(_python_value(key)), _python_value(one)) for key, one in values if key]
        )
    raise ValueError


def _of_tags(body: str, label: str | None) -> Answer | None:
    """The mentions marked by tags; None without any."""
    marks = Marks()
    if not marks.any_in(body):
        return None
    try:
        found = without_tags(body, lambda name: not marks.are(name))
    except ContentError as mistake:
        raise ContentError(f"{mistake.found} in {brief(body)}", MALFORMED) from None
    spans = []
    for one in found.elements:
        key = marks.key_of(one.name, one.attributes) if marks.are(one.name) else None
        if key is not None and found.text[one.start : one.end].strip():
            spans.append((one.start, one.end, one.attributes[key] if key else one.name))
    spans.sort(key=lambda one: (one[0], -one[1], one[2]))
    mentions = [(found.text[start:end], name) for start, end, name in spans]
    return Answer(mentions, "", found.text, spans)


def _of_lines(body: str, label: str | None) -> Answer | None:
    """The mentions of lines `PER: Ada, Rex`; None if any line is another one."""
    found: list[Mention] = []
    single = True
    for line in filter(str.strip, body.splitlines()):
        match = LABEL_LINE.fullmatch(NUMBER.sub("", line).strip())
        if match is None or len(match[1].split()) > 4:
            return None
        name, texts = match[1].strip(), match[2].strip()
        if name.split()[0].casefold() in PROSE:
            if texts:
                return None
            continue
        parts = [part.strip(" \"'`") for part in texts.split(",")]
        found += [(part, name) for part in parts if part]
        single = single and len(parts) == 1
    return Answer(found, "lines" if single else "")
