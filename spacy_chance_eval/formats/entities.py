"""Texts with entities: spaCy's Docs as JSON, and what Hugging Face's pipelines and GLiNER find.

    {"text": "Ada slept", "entities": [{"start": 0, "end": 3, "label": "PER"}]}

An entity is `[start, end, label]` or an object with the keys of `PLACES` and `LABELS`; a copy of
its text is compared with the text at its offsets. Of a Doc, `ents` are the layer "ents" and the
group sc in `spans` the layer "spans:sc"; tokens, sentences and `cats` are kept. Other keys are the
layer "spans". A row without the key, or with null, was not annotated. Other keys of an entity are
its features, if their values are simple; other keys of a row are attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any
from unicodedata import combining, normalize

from ..measures.messages import quoted
from .errors import ContentError
from .forms import Form
from .json_rows import SPANS_ALONE, Row
from .keys import Reading
from .rows import are_offsets, brief, json_value, other_values, plain_values
from .sniffing import ENTITIES, TEXTS, WORDS, entity_keys, layers_in

IN_TOKENS = ("start_token", "end_token")  # offsets that count tokens in any case
PLACES = [  # keys of start and end, or of both
    *(("start", "end"), ("start_char", "end_char"), ("start_offset", "end_offset"), IN_TOKENS),
    *(("begin", "end"), ("BeginOffset", "EndOffset"), ("offset", "length"), ("pos",), ("span",)),
]
LABELS = ("label", "entity_group", "entity", "entity_type", "type", "category", "Type")
COPIES = ("text", "name", "word", "Text")
OWN = {*LABELS, *COPIES, *(key for keys in PLACES for key in keys)} - {"span"}
ENTRY = (
    f"a span has start, end and label ({', '.join(LABELS)}), as object or list; texts without "
    "places are searched with --format mentions"
)
PIECES = 'let the pipeline put pieces of words together: aggregation_strategy="simple"'
OFFSETS = {  # where they count characters, or tokens
    True: "offsets count characters, the end is exclusive; --read offsets=token if they count "
    "tokens",
    False: "offsets count tokens, the end is exclusive; --read offsets=char if they count "
    "characters",
}
TAG = re.compile(r"[BIESLU]-")


def _survey(path: object, rows: Iterable[Row], reading: Reading) -> dict[str, str]:
    """{layer: key} of the entities of a file."""
    return layers_in(path, rows, reading.columns, reading.role, entity_keys, ENTITIES)


def _translate(row: Row, reading: Reading, layers: Mapping[str, str]) -> tuple[Row, str]:
    """(the row as in JSONL, the unit of its offsets)."""
    text_key = next((key for key in TEXTS if type(row.get(key)) is str), None)
    words_key = next((key for key in WORDS if type(row.get(key)) is list), None)
    if text_key is None and words_key is None:
        raise ContentError("a row without 'text'", SPANS_ALONE)
    text = row[text_key] if text_key else None
    own = other_values(row, {*layers.values(), *ENTITIES, text_key, words_key, "spans"})
    own |= {"text": text} | ({"tokens": _tokens_of(row[words_key], text)} if words_key else {})
    tokens = json_value(own, "tokens", list, [])
    lists = [row[key] for key in layers.values() if type(row.get(key)) is list]
    entries = [*chain.from_iterable(lists)]
    by_token = text is None or any(type(one) is dict and IN_TOKENS[0] in one for one in entries)
    unit = reading.offsets or ("token" if by_token else "char")
    if unit == "token" and entries and not tokens:
        raise ContentError("offsets of tokens in a row without tokens", "give its 'tokens'")
    words = [str(one.get("text") if type(one) is dict else one) for one in tokens]
    content = words if unit == "token" else text or ""
    groups = row.get("spans")
    named = [("spans", "spans", groups)] if "spans" in row else []
    if type(groups) is dict:
        named = [(f"spans:{name}", name, some) for name, some in groups.items()]
    named += [(layer, key, row[key]) for layer, key in layers.items() if key in row]
    own["layers"] = {**json_value(row, "layers", dict, {})}
    others = [key for key in ("label", "labels") if type(row.get(key)) is list and row[key]]
    if others and not named:  # it would pass for a row that was not annotated
        what = f"a list under {quoted(others[0])}, where other rows have another key"
        raise ContentError(what, "give all rows the same key")
    for layer, key, some in named:
        if layer in own["layers"]:
            raise ContentError(f"two layers {quoted(layer)}", "keep one of them")
        if some is not None and type(some) is not list:
            raise ContentError(f"{quoted(key)} is {brief(some)}", ENTRY)
        spans = [_span_of(entry, content) for entry in some or ()]
        own["layers"][layer] = some and [span for span in spans if span["label"] != "O"]
    sents = row["sents"] if type(row.get("sents")) is list else []
    if {*map(type, sents)} == {dict}:
        places = {str(one.get("start")): n for n, one in enumerate(tokens) if type(one) is dict}
        starts = [one.get("start") for one in sents]
        own["sents"] = [places.get(str(one), -1) for one in starts] if tokens else starts
    return own, unit


FORM = Form(_translate, _survey, words=WORDS)


def _tokens_of(tokens: Sequence[Any], text: str | None) -> Sequence[Any]:
    """Tokens as in JSONL; those of a Doc have no text of their own, and make up its text."""
    bare = [one for one in tokens if type(one) is dict and "text" not in one]
    places: list[Any] = [(one.get("start"), one.get("end")) for one in bare]
    if text is None or len(bare) < len(tokens) or not are_offsets(*chain.from_iterable(places)):
        return tokens
    return [
        {"start": start, "end": end, "text": text[start:end], "ws": text[end : end + 1] == " "}
        for start, end in places
    ]


def _place_of(entry: Row) -> list[Any] | None:
    """[start, end] of an entry; None without."""
    for keys in PLACES:
        found = [entry.get(key) for key in keys]
        if len(found) == 1 and type(found[0]) is list:
            found = found[0]
        if len(found) == 2 and None not in found:
            has_length = keys[1:] == ("length",) and are_offsets(*found)
            return [found[0], sum(found)] if has_length else found
    return None


def _span_of(entry: Any, content: Sequence[str]) -> Row:
    """An entry as in JSONL, compared with the text or tokens, if it has a copy of its text."""
    if type(entry) is list and len(entry) == 3:
        entry = dict(zip(("start", "end", "label"), entry))
    place = _place_of(entry) if type(entry) is dict else None
    key = place and next((key for key in LABELS if entry.get(key) is not None), None)
    if place is None or key is None:
        raise ContentError(f"a span is {brief(entry)}", ENTRY)
    (start, end), label = place, entry[key]
    if key == "entity" and ("index" in entry or TAG.match(str(label))):
        raise ContentError(f"a span is {brief(entry)}", PIECES)
    is_text = isinstance(content, str)
    for name in COPIES if are_offsets(start, end) else ():
        copy, there = entry.get(name), ("" if is_text else " ").join(content[start:end])
        if name == "word" and not re.fullmatch(r"[A-Za-z\d ]+", str(copy)):
            continue  # a tokenizer writes other letters and signs than the text has
        if type(copy) is not str or _plain(copy) == _plain(there):
            continue
        if is_text or _plain(copy) not in _plain(there):  # a part of a token may be a span
            what = f"{quoted(name)} of span {label} [{start}, {end}) is {brief(copy)}"
            raise ContentError(f"{what}, but the text has {brief(there)} there", OFFSETS[is_text])
    # "" is what spaCy has for a span without an id
    said = {name: one for name, one in plain_values(entry, OWN).items() if one not in (None, "")}
    return {"start": start, "end": end, "label": label, "features": said}


def _plain(text: str) -> str:
    """A text without case, accents and spaces."""
    parts = normalize("NFKD", text.casefold())
    return "".join(part for part in parts if not combining(part) and not part.isspace())
