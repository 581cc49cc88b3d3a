"""Values of rows of JSON, as readers take them. What is wrong with one is a `ContentError`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..measures.messages import quoted, shortened
from .corpus import Stretch
from .errors import ContentError
from .keys import Reading

CATEGORIES = "categories"  # the layer of labels of documents, of rows that name no other
MISALIGNED = ("error", "unplaced")
INSIDE = {  # what a span needs, by the unit of its offsets
    "tokens": "a span needs whole numbers 0 <= start < end <= number of tokens",
    "characters": "a span needs 0 <= start < end <= length of the text in characters "
    "(its offsets may be of bytes, of UTF-16 or of another text)",
}
NO_TOKENS = "every row needs tokens, or none: positions are tokens or characters in a whole file"


def json_value(row: dict[str, Any], key: str, kind: type, default: Any = None) -> Any:
    """`row[key]` of a JSON type; the default if absent or null."""
    found = row.get(key)
    if found is None:
        return default
    if type(found) is not kind:
        raise ContentError(
            f"{quoted(key)} is {brief(found)}", f"{quoted(key)} must be {NAMES[kind]}"
        )
    return found


def text_in(fields: dict[str, Any], reading: Reading) -> str:
    """The key of the text among some: that which is named, "text", or the only one of a string."""
    texts = [key for key, value in fields.items() if type(value) is str]
    key = reading.text or ("text" if "text" in texts else texts[0] if len(texts) == 1 else None)
    if key not in texts:
        found = ", ".join(map(quoted, sorted(texts))) or "none"
        advice = "name the key of the text: --read text=KEY" if texts else "only texts are read"
        raise ContentError(f"a row with the texts {found}", advice)
    return str(key)


NAMES = {
    str: "a string",
    list: "a list",
    dict: "an object",
    int: "a whole number",
    bool: "true or false",
    float: "a number",
}


def brief(found: object) -> str:
    """A value as messages show it: up to 60 characters of JSON, or else of Python."""
    try:
        return shortened(json.dumps(found, ensure_ascii=False))
    except TypeError:  # of a file that is not JSON
        return shortened(" ".join(repr(found).split()))
    except RecursionError:  # a limit that was enough for reading need not be enough from here
        return f"{NAMES.get(type(found), 'a value')} nested too deeply to be shown"


def are_offsets(*numbers: object) -> bool:
    """Whether all are integers that can be offsets."""
    return all(type(number) is int and 0 <= number < 2**31 for number in numbers)


def borders_by_spaces(words: Iterable[str], spaces: Iterable[bool]) -> tuple[Stretch, ...]:
    """Boundaries of words with known spaces."""
    borders, at = [], 0
    for word, space in zip(words, spaces):
        borders.append((at, at + len(word)))
        at += len(word) + space
    return tuple(borders)


def borders_in_text(words: Iterable[str], text: str | None) -> tuple[Stretch, ...] | None:
    """Boundaries of words that make up the text but for white space; None if they do not."""
    if text is None:
        return None
    borders, at = [], 0
    for word in words:
        while not text.startswith(word, at) and text[at : at + 1].isspace():
            at += 1
        if not text.startswith(word, at):
            return None
        borders.append((at, at + len(word)))
        at += len(word)
    return tuple(borders)


def other_values(row: Mapping[str, Any], keys: Collection[str | None]) -> dict[str, Any]:
    """The entries of a row other than `keys`."""
    return {key: found for key, found in row.items() if key not in keys}


def is_json(value: object) -> bool:
    """Whether JSON gives a value back as it is."""
    if value is None or type(value) in (str, int, bool):
        return True
    try:
        return repr(json.loads(json.dumps(value, allow_nan=False))) == repr(value)
    except (TypeError, ValueError, RecursionError):
        return False


def plain_values(row: Mapping[str, Any], keys: Collection[str | None]) -> dict[str, Any]:
    """The entries of a row other than `keys` with simple values: strings, numbers, truth, null."""
    simple = (str, int, float, bool, type(None))
    return {key: row[key] for key in row if key not in keys and type(row[key]) in simple}


def span_of(
    entry: Any, advice: str, keys: Sequence[str] = ("start", "end", "label")
) -> dict[str, Any]:
    """A span as in JSONL, of [start, end, label] or an object; its other values are features."""
    if type(entry) is list and len(entry) == 3:
        entry = dict(zip(keys, entry))
    if type(entry) is not dict:
        raise ContentError(f"a span is {brief(entry)}", advice)
    start, end, label = map(entry.get, keys)
    features = plain_values(entry, {"id", *keys})
    return {"start": start, "end": end, "label": label, "features": features}


def likely_labels(scores: Mapping[str, float]) -> list[str]:
    """The labels with a score of at least 0.5, as in spaCy's `Doc.cats`."""
    advice = "'cats' maps labels to scores, as in spaCy: give it a number, or remove the label"
    if type(scores) is not dict:
        raise ContentError(f"'cats' is {brief(scores)}", advice)

    for label, score in scores.items():
        if type(label) is not str or type(score) not in (bool, int, float) or score != score:
            raise ContentError(f"'cats' gives {brief(label)} the score {brief(score)}", advice)
    return [label for label, score in scores.items() if score >= 0.5]


def clip(text: str) -> str:
    """The first 40 characters of a text, for messages."""
    return shortened(text, 40)
