"""Texts with entities: spaCy's Docs as JSON, and what Hugging Face's pipelines and GLiNER find.

    {"text": "Ada slept", "entities": [{"start": 0, "end": 3, "label": "PER"}]}

The key is `entities`, `ents`, `ner` or `predictions`, or that which `column` names. An entity is
`[start, end, label]` or an object with the keys of `PLACES` and `LABELS`, so that what pipelines of
Hugging Face, GLiNER's `predict_entities`, spaCy's `Doc.to_json()` and displaCy have can stand there
as it is; or all are one object of lists. Where an entity has a `word` or `text`, it is compared
with the text at its offsets. Pieces of words with tags (`"entity": "B-PER"`) are joined as a
pipeline with `aggregation_strategy="simple"` does it.

Of a Doc, `ents` are the layer "ents" and the group sc in `spans` the layer "spans:sc", as in
`.spacy` files; tokens, sentences and `cats` are kept. Other keys are the layer "spans". A row
without the key, or with null, was not annotated. Other keys of an entity are its features, if their
values are simple; other keys of a row are attributes. Offsets count characters, and tokens in rows
without a text, or where `offsets` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import combining, normalize

from ..measures.messages import quoted
from .blemishes import sound_entries
from .errors import ContentError
from .forms import Form
from .json_rows import SPANS_ALONE, Row
from .keys import Reading
from .rows import are_offsets, brief, json_value, plain_values
from .sniffing import ENTITIES, TEXTS, WORDS, entity_keys, layers_in

IN_TOKENS = ("start_token", "end_token")  # offsets that count tokens in any case
PLACES = [  # keys of start and end, or of both
    *(("start", "end"), ("start_char", "end_char"), ("start_offset", "end_offset"), IN_TOKENS),
    *(("pos",), ("span",)),
]
LABELS = ("label", "entity_group", "entity", "entity_type", "type")
COPIES = ("text", "name", "word")  # the text, or the tokens that a tokenizer made of it
OWN = {*LABELS, *COPIES, *(key for keys in PLACES for key in keys), "index"} - {"span"}
ENTRY = f"a span has start, end and label, as object or list; a label is one of {', '.join(LABELS)}"
OTHER_TEXT = {
    "char": "offsets count characters of the text (not bytes, not tokens), the end is exclusive; "
    "--offsets token if they count tokens",
    "token": "offsets count tokens, the end is exclusive; --offsets char if they count characters",
}
NO_OFFSETS = (
    'give the place of each, {"start": 0, "end": 3, "label": "PER"} (pipelines need a fast '
    "tokenizer, use_fast=True), or let texts without them be searched: --format mentions"
)
UNKNOWN = re.compile(r"\[UNK\]|<unk>", re.IGNORECASE)
PIECES = re.compile(r"^##|[\s\u2581\u0120]")  # what tokenizers put to words
TAG = re.compile(r"([BIESLU])-")


class _Entity(NamedTuple):
    """An entry: where it is, its label, what else is said, and of a piece its number."""

    start: int
    end: int
    label: str
    features: Mapping[str, Any] = {}
    is_piece: bool = False
    number: int | None = None


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
    taken = {*layers.values(), *ENTITIES, text_key, words_key, "spans"}
    own: Row = {key: value for key, value in row.items() if key not in taken} | {"text": text}
    if words_key is not None:
        own["tokens"] = _tokens_of(row[words_key], text)
    by_token = text is None or any(_count_tokens(row.get(key)) for key in layers.values())
    unit = reading.offsets or ("token" if by_token else "char")
    tokens = json_value(own, "tokens", list, [])
    words = [str(one.get("text") if type(one) is dict else one) for one in tokens]

    def piece(start: int, end: int) -> str:
        return (text or "")[start:end] if unit == "char" else " ".join(words[start:end])

    groups = row.get("spans")
    named = (
        [(f"spans:{name}", name, some) for name, some in groups.items()]
        if type(groups) is dict
        else [("spans", "spans", groups)] * ("spans" in row)
    )
    named += [(layer, key, row[key]) for layer, key in layers.items() if key in row]
    own["layers"] = {**json_value(row, "layers", dict, {})}
    for layer, key, entries in named:
        if layer in own["layers"]:
            raise ContentError(f"two layers {quoted(layer)}", "keep one of them")
        own["layers"][layer] = _spans_of(entries, key, piece, unit)
    if type(row.get("sents")) is list and {*map(type, row["sents"])} == {dict}:
        places = {str(one.get("start")): n for n, one in enumerate(tokens) if type(one) is dict}
        starts = [one.get("start") for one in row["sents"]]
        own["sents"] = [places.get(str(one), -1) for one in starts] if tokens else starts
    return own, unit


FORM = Form(_translate, _survey, words=WORDS)


def _count_tokens(entries: Any) -> bool:
    """Whether the keys of spans say that these count tokens."""
    return type(entries) is list and any(
        type(entry) is dict and IN_TOKENS[0] in entry and "start" not in entry for entry in entries
    )


def _tokens_of(tokens: Sequence[Any], text: str | None) -> list[Any]:
    """Tokens as in JSONL; those of a Doc have no text of their own."""
    if text is None or not all(type(token) is dict and "text" not in token for token in tokens):
        return [*tokens]
    found = []
    for token in tokens:
        start, end = token.get("start"), token.get("end")
        if not are_offsets(start, end):
            raise ContentError(f"a token is {brief(token)}", "a token has start and end, or a text")
        found.append({"start": start, "end": end, "text": text[start:end]})
    spaces = [text[one["end"] : one["end"] + 1] == " " for one in found]
    ends = [0, *(one["end"] + space for one, space in zip(found, spaces))]
    if all(one["start"] == end for one, end in zip(found, ends)):
        return [one | {"ws": space} for one, space in zip(found, spaces)]
    return found


def _spans_of(
    entries: Any, key: str, piece: Callable[[int, int], str], unit: str
) -> list[Row] | None:
    """The spans under a key as in JSONL; None if it was not annotated."""
    if entries is None:
        return None
    if type(entries) is dict:  # a list for each key, as datasets store lists of objects
        lists = [column for column in entries.values() if type(column) is list]
        if len(lists) == len(entries) and len({*map(len, lists)}) == 1 and _place_of(entries):
            entries = [dict(zip(entries, values)) for values in zip(*lists)]
    if type(entries) is not list:
        raise ContentError(f"{quoted(key)} is {brief(entries)}", NO_OFFSETS)
    found = [*sound_entries(entries, lambda entry: _entity_of(entry, piece, unit))]
    whole = _put_together([one for one in found if one.label != "O"], piece)
    return [
        {"start": one.start, "end": one.end, "label": one.label, "features": one.features}
        for one in whole
    ]


def _place_of(entry: Row) -> tuple[Any, ...] | None:
    """(start, end) of an entry; None without."""
    for keys in PLACES:
        found = [entry.get(key) for key in keys]
        if len(found) == 1 and type(found[0]) is list:
            found = found[0]
        if len(found) == 2 and None not in found:
            return tuple(found)
    return None


def _entity_of(entry: Any, piece: Callable[[int, int], str], unit: str) -> _Entity:
    """An entry, compared with the text, if it has a copy of it."""
    if type(entry) is list and len(entry) == 3:
        entry = dict(zip(("start", "end", "label"), entry))
    key = (
        next((key for key in LABELS if entry.get(key) is not None), None)
        if type(entry) is dict
        else None
    )
    if key is None:
        raise ContentError(f"a span is {brief(entry)}", ENTRY)
    if (place := _place_of(entry)) is None:
        raise ContentError(f"a span without offsets: {brief(entry)}", NO_OFFSETS)
    start, end = place
    label, number = entry[key], entry.get("index")
    copies = {name: entry[name] for name in COPIES if entry.get(name) and type(entry[name]) is str}
    for name, copy in copies.items() if are_offsets(start, end) else ():
        there = piece(start, end)
        if _are_alike(copy, there, unit == "token", name == "word"):
            continue
        inclusive = _plain(copy) == _plain(piece(start, end + 1))
        advice = "the end looks inclusive, but has to be exclusive: add 1 to the ends"
        raise ContentError(
            f"{quoted(name)} of span {label} [{start}, {end}) is {brief(copy)}, but the text has "
            f"{brief(there)} there",
            advice if inclusive else OTHER_TEXT[unit],
        )
    # "" is what spaCy has for a span without an id
    said = {name: one for name, one in plain_values(entry, OWN).items() if one not in (None, "")}
    is_tag = type(number) is int or TAG.match(str(label))
    is_piece = bool(key == "entity" and type(label) is str and are_offsets(start, end) and is_tag)
    return _Entity(start, end, label, said, is_piece, number if type(number) is int else None)


def _are_alike(copy: str, there: str, is_part: bool, by_bytes: bool) -> bool:
    """Whether a copy is a text, but for case, accents, spaces and signs of tokenizers.

    Of a text in tokens it may be a part; tokenizers of bytes (GPT-2) write other characters for
    those that are not ASCII.
    """
    own, wanted = _plain(copy), _plain(there)
    if by_bytes and own != wanted and not there.isascii():
        own, wanted = (re.sub(r"[^\x00-\x7f]", "", PIECES.sub("", one)) for one in (copy, there))
    return bool(UNKNOWN.search(copy)) or own == wanted or is_part and own in wanted


def _plain(text: str) -> str:
    """A text without case, accents, spaces and the signs of pieces of words."""
    parts = normalize("NFKD", PIECES.sub("", text).casefold())
    return "".join(part for part in parts if not combining(part) and not part.isspace())


def _put_together(entities: Sequence[_Entity], piece: Callable[[int, int], str]) -> list[_Entity]:
    """The entities, those with a tag for each token as whole spans.

    The next one goes on if it is the next token, by its number, or else if only spaces are between
    the two, and if its label is the same and its tag does not begin another span.
    """
    whole = [one for one in entities if not one.is_piece]
    pieces = sorted((one for one in entities if one.is_piece), key=lambda one: one[:2])
    before: _Entity | None = None
    for one in pieces:
        match = TAG.match(one.label)
        tag, label = (match[1], one.label[2:]) if match else ("I", one.label)
        goes_on = before is not None and whole and whole[-1].label == label and tag in "IEL"
        if goes_on and before is not None:
            if before.number is None or one.number is None:
                goes_on = not piece(before.end, one.start).strip()
            else:
                goes_on = one.number == before.number + 1
            goes_on = goes_on and before.label[:2] not in ("E-", "S-", "L-", "U-")
        if goes_on:
            whole[-1] = whole[-1]._replace(end=one.end)
        else:
            whole.append(_Entity(one.start, one.end, label))
        before = one
    return whole
