"""Mentions in the answers of language models: JSON, tags, or lines `LABEL: text, text`."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
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
LISTS = (  # keys of an answer that hold its mentions
    *("mentions", "entities", "named_entities", "spans", "ents", "ner", "extractions"),
    *("predictions", "prediction", "annotations", "results", "result", "answer", "output"),
)
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
NO_LABEL = (
    'give each its label, {"text": "Ada", "label": "PER"}, or name the one label of a row in it: '
    '"label": "PER"'
)
WHOLE_WORDS = (
    "give whole spans with their offsets (format entities): pipelines need a fast tokenizer "
    "(use_fast=True) and an aggregation_strategy"
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


def parse_answer(value: Any, label: str | None = None) -> Answer:
    """The mentions in an answer: a JSON value, or a text that has them in one of many ways.

    Parameters
    ----------
    value : JSON value
    label : str, optional
        The label of mentions that have none: the one that was asked for.
    """
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
    mentions = [
        (one, name)
        for one, name in answer.mentions
        if not _says_nothing(one)
        or name.strip()
        and re.search(rf"(?<!\w){re.escape(one.strip())}(?!\w)", text)
    ]
    return answer if answer.spans else answer._replace(mentions=mentions)


def _says_nothing(mention: str) -> bool:
    """Whether a mention says that there is none."""
    return mention.strip().casefold() in NOTHING


# --- values


def _of_value(value: Any, label: str | None) -> Answer:
    """The mentions in a JSON value."""
    if type(value) is list:
        return _of_list(value, label)
    if type(value) is not dict:
        raise ContentError(f"an answer {brief(value)}", MALFORMED)
    if (wrapped := _unwrapped(value)) is not None:
        return parse_answer(wrapped, label)
    row = {re.sub(r"[\s-]+", "_", str(key).strip()).casefold(): one for key, one in value.items()}
    text_key, label_key = _keys(row)
    lists = [name for name in LISTS if type(row.get(name)) in (list, dict, str)]
    by_label = len(row) > 1 and all(are_texts(one) for one in row.values())
    if len(lists) == 1 and not by_label and (not label_key or _has_mentions(row[lists[0]])):
        own = row.get(_label_key(row, lists[0]) or "")
        return parse_answer(row[lists[0]], own if type(own) is str else label)
    is_text = text_key is not None and type(row[text_key]) is str
    bare = is_text and (text_key in TEXT_KEYS[:6] or len(row) == 1)
    bare = (
        bare or label is not None and text_key is not None and (is_text or are_texts(row[text_key]))
    )
    if text_key and (label_key or bare):
        return Answer(_of_mention(row, text_key, label_key, label))
    if row and all(type(one) is str and one.strip() for one in row.values()):
        return Answer([(text, name) for name, text in value.items()], "table")
    found = [
        _of_list([text for text in (one if type(one) is list else [one]) if text is not None], name)
        for name, one in value.items()
    ]
    return Answer([*chain.from_iterable(one.mentions for one in found)])


def _unwrapped(value: Mapping[str, Any]) -> Any:
    """The text that an API wraps in objects; None of other values."""
    for key in ("choices", "candidates"):
        if type(inner := value.get(key)) is list and inner and type(inner[0]) is dict:
            return inner[0].get("text", inner[0])
    for key in ("parts", "content"):
        blocks = value.get(key)
        if type(blocks) is list and blocks and all(type(one) is dict for one in blocks):
            texts = [one["text"] for one in blocks if type(one.get("text")) is str
                     and one.get("type", "text") in ("text", "output_text")
                     and not {*LABEL_KEYS} - {"type"} & one.keys()]  # fmt: skip
            if texts:
                return "".join(texts)
    for key in ("message", "body", "content", "response"):
        if type(inner := value.get(key)) in (dict, str):
            return inner if key != "content" or "role" in value or len(value) == 1 else None
    return None


def _label_key(row: Mapping[str, Any], text_key: str | None) -> str | None:
    """The first key of a label that is not that of the text."""
    return next((name for name in LABEL_KEYS if name in row and name != text_key), None)


def _keys(row: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The keys of the text and the label of a mention; None without."""
    text_key = next((name for name in TEXT_KEYS if name in row), None)
    return text_key, _label_key(row, text_key) if text_key else None


def _has_mentions(value: Any) -> bool:
    """Whether a value is a list with objects that have a text and a label."""
    return type(value) is list and any(type(one) is dict and all(_keys(one)) for one in value)


def are_texts(value: Any) -> bool:
    """Whether a value is a list of texts."""
    return type(value) is list and all(type(one) is str for one in value)


def _of_mention(
    row: Mapping[str, Any], text_key: str, label_key: str | None, label: str | None
) -> list[Mention]:
    """The mentions of an object with a text or several, and a label or one for each text."""
    texts, own = row[text_key], row[label_key] if label_key else label
    if row.get("is_entity") is False:  # as in spacy-llm's reasons
        return []
    texts = texts if type(texts) is list else [] if texts in (None, "") else [texts]
    own = own if type(own) is list else [own]
    labels = own * len(texts) if len(own) == 1 or not texts else own
    if not are_texts(texts) or len(labels) != len(texts):
        raise ContentError(f"a mention is {brief(row)}", 'a mention is {"text": .., "label": ..}')
    pairs = [(text, one) for text, one in zip(texts, labels) if text.strip()]
    if not all(type(one) is str and one.strip() for _, one in pairs):
        raise ContentError(f"a mention without label: {brief(row)}", NO_LABEL)
    if "entity" in row and any(re.match(r"[BIESLU]-", one) for _, one in pairs):
        raise ContentError(f"a piece of a word with a tag: {brief(row)}", WHOLE_WORDS)
    return [(text, one.strip()) for text, one in pairs]


def _of_list(values: Sequence[Any], label: str | None) -> Answer:
    """The mentions in a list: objects, pairs, or texts of one label."""
    if values and all(type(one) is dict and {"role", "content"} <= one.keys() for one in values):
        return parse_answer(values[-1]["content"], label)  # the last message of a chat
    found: list[Answer] = []
    for one in values:
        if type(one) is dict:
            found.append(_of_value(one, label))
        elif are_texts(one) and len(one) == 2:
            found.append(Answer([(one[0], one[1])], "pairs"))
        elif type(one) is str and label is not None:
            found.append(Answer([(one, label)]))
        elif type(one) is str:
            raise ContentError(f"texts without labels: {brief(values)}", NO_LABEL)
        else:
            raise ContentError(
                f"a mention is {brief(one)}", 'a mention is {"text": .., "label": ..}'
            )
    kinds = {one.turnable for one in found}
    mentions = [*chain.from_iterable(one.mentions for one in found)]
    return Answer(mentions, "".join(kinds) if len(kinds) == 1 else "")


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
    if len(found) < 2:
        return _of_value(found[0], label) if found else None
    kinds = {type(one) if type(one) is dict else are_texts(one) and len(one) for one in found}
    if kinds in ({dict}, {2}) and all(map(SEPARATOR.fullmatch, between[1:])):
        return _of_list(found, label)  # one a line, no second thoughts
    raise ContentError(f"{len(found)} lists in one answer: {brief(body)}", MALFORMED)


def _data_at(body: str, start: int) -> tuple[Any, int]:
    """(the value that begins at a place of a text, its end)."""
    try:
        return _decoder.raw_decode(body, start)
    except ValueError:
        pass
    end = body.rfind({"[": "]", "{": "}"}[body[start]], start) + 1
    try:  # with Python's quotes, or a comma behind the last entry
        return _python_value(ast.parse(body[start:end].strip(), mode="eval").body), end
    except (ValueError, SyntaxError, MemoryError):
        what = "JSON that is cut off or broken"
        raise ContentError(f"{what}: {brief(body[start:])}", MALFORMED) from None


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; the values of a key that is there several times as one list."""
    table = dict(pairs)
    if len(table) < len(pairs):
        table = {key: [] for key in table}
        for key, value in pairs:
            table[key] += value if type(value) is list else [value]
    return table


NAMED = {"null": None, "true": True, "false": False}
_decoder = json.JSONDecoder(object_pairs_hook=_joined, parse_constant=reject_constant, strict=False)


def _python_value(node: ast.expr) -> Any:
    """The value of a literal of Python, in which JSON's names may stand; nothing is run."""
    if isinstance(node, ast.Constant) and type(node.value) in (str, int, float, bool, type(None)):
        return node.value
    if isinstance(node, ast.Name) and node.id in NAMED:
        return NAMED[node.id]
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [*map(_python_value, node.elts)]
    if isinstance(node, ast.Dict):
        keys = [str(_python_value(key)) for key in node.keys if key]
        return _joined([*zip(keys, map(_python_value, node.values), strict=True)])
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
        key = marks.key_of(one.name, one.attributes)
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
