"""Texts with entities: spaCy's Docs as JSON, and what Hugging Face's pipelines and GLiNER find."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .blemishes import sound_entries
from .corpus import Corpus
from .errors import ContentError, known
from .files import BlockReader
from .jsonl import blocks_of_rows, read_translated
from .rows import (
    SPANS_ALONE,
    Row,
    RowSource,
    are_offsets,
    borders_by_spaces,
    brief,
    json_value,
    plain_values,
)
from .sniffing import ENTITIES, TEXTS, WORDS, Columns, entity_keys, resolve_columns
from .tags import families, spans_of_tags

OFFSETS = ("auto", "token", "char")
TOKENS = ("start_token", "end_token")  # offsets that count tokens in any case
STARTS = ("start", "start_char", "start_offset", TOKENS[0])
ENDS = ("end", "end_char", "end_offset", TOKENS[1])
LABELS = ("label", "entity_group", "entity", "entity_type", "type")
EXACT = ("text", "name")  # copies of the text
COPIES = (*EXACT, "word")  # and the tokens that a tokenizer made of it
ENTRY_KEYS = {*STARTS, *ENDS, *LABELS, *COPIES, "pos", "index"}
ENTRY = "a span has start, end and label, as object or list"
OTHER_TEXT = {
    "char": "offsets count characters of the text (not bytes, not tokens), the end is exclusive; "
    "--offsets token if they count tokens",
    "token": "offsets count tokens, the end is exclusive; --offsets char if they count characters",
}
NO_OFFSETS = (
    "give start and end (pipelines need a fast tokenizer, use_fast=True), or let texts without "
    "them be searched: --format mentions"
)
TEXTS_ALONE = (
    'give the place of each, {"start": 0, "end": 3, "label": "PER"}, or let them be searched in '
    "the text: --format mentions"
)
UNKNOWN = re.compile(r"\[UNK\]|<unk>", re.IGNORECASE)
PART = "\ufffd"  # of a character of several bytes, which tells nothing
PIECES = re.compile(r"^##|[\s\u2581\u0120]")  # what tokenizers put to words


class _Entity(NamedTuple):
    """One entry: where it is, its label and the key of it, its number, and what else is said."""

    start: int
    end: int
    label: str
    key: str
    number: int | None = None
    features: Mapping[str, Any] = {}


class _Content(NamedTuple):
    """The sequence that offsets refer to: the characters of a text, or tokens."""

    kind: str
    parts: Sequence[Any]

    def piece(self, start: int, end: int) -> str:
        """The text between two offsets."""
        parts = self.parts[start:end]
        return str(parts) if self.kind == "char" else " ".join(map(str, parts))

    def has(self, copy: str, start: int, end: int) -> bool:
        """Whether a copy is the text there, but for case, accents and spaces; or a piece of it, if
        offsets count tokens: tokenizers divide these."""
        piece = self.piece(start, end)
        forms, wanted = _forms_of(copy), _plain(piece)
        if copy == piece or not forms or wanted in forms:
            return True
        return self.kind == "token" and any(form in wanted for form in forms)


def read_entities(
    path: RowSource,
    *,
    columns: Columns = None,
    offsets: str = "auto",
    misaligned: str = "error",
    annotator: str | None = None,
    duplicates: str = "merge",
    role: str = "gold",
) -> Corpus:
    """The corpus of rows with a text and its entities, one JSON array or one object a line.

        {"text": "Ada slept", "entities": [{"start": 0, "end": 3, "label": "PER"}]}

    The key is `entities`, `ents`, `ner` or `predictions`. An entity is `[start, end, label]` or an
    object; its label may also be called `entity_group`, `entity`, `entity_type` or `type`, and its
    place be a pair under `pos` or `span`, so that
    what pipelines of Hugging Face, GLiNER's `predict_entities`, spaCy's `Doc.to_json()` and
    displaCy have can stand there as it is. Where an entity has a `word` or `text`, it is compared
    with the text at its offsets. Pieces of words with tags (`"entity": "B-PER"`) are joined
    as a pipeline with `aggregation_strategy="simple"` does it.

    Of a Doc, `ents` are the layer "ents" and the group sc in `spans` the layer "spans:sc", as in
    `.spacy` files; tokens, sentences and `cats` are kept. Other keys are the layer "spans". A row
    without the key, or with null, was not annotated. Other keys of an entity are its features, if
    their values are simple; other keys of a row are attributes.

    Parameters
    ----------
    path : str or Path
    columns : mapping of str to str, or "all", optional
        {layer: key} of the entities; "all": each known key is a layer. Needed if there are several;
        of a file of predictions, `predictions` is read if there is another key beside it.
    offsets : "auto", "token" or "char"
        Unit of offsets; by default characters, or tokens in rows without a text. The end is
        exclusive.
    misaligned : "error" or "unplaced"
        How to treat a span that does not fit the borders of the tokens, if there are tokens.
    annotator : str, optional
        Key of the annotator of a row. Each annotator then is a layer, and rows with the same id, or
        without an id the same tokens or text, are one document.
    duplicates : "error", "merge", "last" or "keep"
        How to treat a second answer of an annotator to a document: equal ones are one, or the
        last one counts.
    role : "gold" or "pred"
        Which of several keys is read.
    """
    return _read(
        path,
        columns=columns,
        offsets=offsets,
        misaligned=misaligned,
        annotator=annotator,
        duplicates=duplicates,
        role=role,
    )


def blocks_of_entities() -> BlockReader:
    """How JSON lines with entities are read in blocks of documents."""
    return blocks_of_rows(_read, WORDS, _survey)


def _survey(
    path: object,
    rows: Iterable[Row],
    *,
    columns: Columns = None,
    role: str = "gold",
    offsets: str = "auto",
    **_: Any,
) -> dict[str, str]:
    """{layer: key} of the entities of a file."""
    known(offsets, OFFSETS, "offsets")
    asked = {*columns.values()} if isinstance(columns, Mapping) else set()
    found, poor = set(), set()
    for row in rows:
        found |= {*entity_keys(row)} | (asked & row.keys())
        poor |= {key for key in ENTITIES if type(row.get(key)) is list}
    found = found or poor  # then each row reports its own error
    keys = [key for key in ENTITIES if key in found] + sorted(found - {*ENTITIES})
    return resolve_columns(path, keys, columns, role, "ents" if "ents" in keys else "spans")


def _translate(
    row: Row, layers: Mapping[str, str], *, offsets: str = "auto", **_: Any
) -> tuple[Row, str]:
    """(the row as in JSONL, the unit of its offsets)."""
    text_key = next((key for key in TEXTS if type(row.get(key)) is str), None)
    words_key = next((key for key in WORDS if type(row.get(key)) is list), None)
    if text_key is None and words_key is None:
        raise ContentError("a row without 'text'", SPANS_ALONE)
    text = None if text_key is None else str(row[text_key])
    taken = {*layers.values(), *ENTITIES, text_key, words_key, "spans", "layers", "sents"}
    own: Row = {key: value for key, value in row.items() if key not in taken}
    if text is not None:
        own["text"] = text
    if words_key is not None:
        own["tokens"] = _tokens_of(row[words_key], text)
    kind = offsets
    if offsets == "auto":
        by_token = text is None or any(_count_tokens(row.get(key)) for key in layers.values())
        kind = "token" if by_token else "char"
    words = [
        one.get("text") if type(one) is dict else one for one in json_value(own, "tokens", list, [])
    ]
    inside = _Content(kind, text or "" if kind == "char" else words)
    own["layers"] = dict(_own_layers(row, inside))
    for layer, key in layers.items():
        if key in row:
            if layer in own["layers"]:
                raise ContentError(
                    f"{quoted(key)} beside the layer {quoted(layer)}", "keep one of them"
                )
            own["layers"][layer] = _spans_of(row[key], key, inside)
    if "sents" in row:
        own["sents"] = _sents_of(row["sents"], own.get("tokens"))
    return own, kind


_read = partial(read_translated, survey=_survey, translate=_translate)


def _count_tokens(entries: Any) -> bool:
    """Whether the keys of spans say that these count tokens."""
    return type(entries) is list and any(
        type(entry) is dict and TOKENS[0] in entry and "start" not in entry for entry in entries
    )


def _own_layers(row: Row, text: _Content) -> Iterable[tuple[str, Any]]:
    """The layers that a row has by name: span groups of a Doc, or those of JSONL."""
    groups = row.get("spans")
    if groups is not None:
        if type(groups) is dict:
            groups = {f"spans:{name}": entries for name, entries in groups.items()}
        else:
            groups = {"spans": groups}
        for name, entries in groups.items():
            yield name, _spans_of(entries, name, text)
    yield from json_value(row, "layers", dict, {}).items()


def _tokens_of(tokens: Sequence[Any], text: str | None) -> list[Any]:
    """Tokens as in JSONL; those of a Doc have no text of their own."""
    if text is None or not all(type(token) is dict and "text" not in token for token in tokens):
        return list(tokens)
    found = [_token_of(token, text) for token in tokens]
    spaces = [text[token["end"] : token["end"] + 1] == " " for token in found]
    borders = borders_by_spaces([token["text"] for token in found], spaces)
    if all((token["start"], token["end"]) == border for token, border in zip(found, borders)):
        return [token | {"ws": space} for token, space in zip(found, spaces)]
    return found


def _token_of(token: Row, text: str) -> Row:
    """A token of a Doc, with its text."""
    if not are_offsets(token.get("start"), token.get("end")):
        raise ContentError(f"a token is {brief(token)}", "a token has start and end, or a text")
    start, end = token["start"], token["end"]
    return {"start": start, "end": end, "text": text[start:end]}


def _sents_of(sents: Any, tokens: Sequence[Any] | None) -> Any:
    """The first position of each sentence; those of a Doc are stretches of its text."""
    if type(sents) is not list or not all(type(one) is dict for one in sents):
        return sents
    starts = [one.get("start") for one in sents]
    if tokens is None:
        return starts
    begins = [token.get("start") if type(token) is dict else None for token in tokens]
    places = {start: i for i, start in enumerate(begins) if type(start) is int}
    if any(type(start) is not int or start not in places for start in starts):
        raise ContentError(
            f"'sents' is {brief(sents)}", "a sentence starts where one of the tokens starts"
        )
    return [places[start] for start in starts]


def _spans_of(entries: Any, key: str, text: _Content) -> list[Row] | None:
    """The spans under a key as in JSONL; None if it was not annotated."""
    if entries is None:
        return None
    if type(entries) is dict and not {*STARTS} & entries.keys():
        lists = [texts for texts in entries.values() if type(texts) is list]
        if any(type(one) is str for texts in lists for one in texts):
            raise ContentError(f"{quoted(key)} lists texts by label: {brief(entries)}", TEXTS_ALONE)
    if type(entries) is dict:
        entries = _transposed(entries, key)
    if type(entries) is not list:
        raise ContentError(
            f"{quoted(key)} is {brief(entries)}", f"{quoted(key)} must be a list of spans"
        )
    found = [*sound_entries(entries, lambda entry: _entity_of(entry, text))]
    return [
        {"start": one.start, "end": one.end, "label": one.label}
        | ({"features": one.features} if one.features else {})
        for one in _put_together([one for one in found if one.label != "O"], text)
    ]


def _transposed(columns: Mapping[str, Any], key: str) -> list[Row]:
    """The objects that an object of lists stands for, as datasets store lists of objects."""
    lists = [column for column in columns.values() if type(column) is list]
    if len(lists) < len(columns) or len({*map(len, lists)}) != 1:
        raise ContentError(
            f"{quoted(key)} is {brief(columns)}", f"{quoted(key)} must be a list of spans"
        )
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


def _entity_of(entry: Any, text: _Content) -> _Entity:
    """One entry, compared with the text, if it has a copy of it."""
    if type(entry) is list and len(entry) == 3:
        entry = dict(zip(("start", "end", "label"), entry))
    if type(entry) is not dict:
        raise ContentError(f"a span is {brief(entry)}", ENTRY)
    start, end = _first_of(entry, STARTS), _first_of(entry, ENDS)
    for pair in ("pos", "span"):
        if type(entry.get(pair)) is list and len(entry[pair]) == 2 and start is None:
            start, end = entry[pair]
    key = next((key for key in LABELS if entry.get(key) is not None), None)
    if key is None:
        raise ContentError(f"a span is {brief(entry)}", f"{ENTRY}; a label is one of these keys: "
                           f"{', '.join(LABELS)}")  # fmt: skip
    if start is None or end is None:
        raise ContentError(f"a span without offsets: {brief(entry)}", NO_OFFSETS)
    if type(entry[key]) is not str or not entry[key]:
        raise ContentError(f"a span has the label {brief(entry[key])}", "a label is a string")
    if not are_offsets(start, end) or not start < end <= len(text.parts):
        raise ContentError(
            f"span {entry[key]} [{brief(start)}, {brief(end)}) among {len(text.parts)} "
            f"{'characters' if text.kind == 'char' else 'tokens'}",
            "a span needs whole numbers 0 <= start < end, inside the text",
        )
    _check_copy(entry, start, end, entry[key], text)
    features = plain_values(entry, ENTRY_KEYS)
    # "" is what spaCy has for a span without an id
    features = {name: value for name, value in features.items() if value not in (None, "")}
    number = entry["index"] if type(entry.get("index")) is int else None
    return _Entity(start, end, entry[key], key, number, features)


def _first_of(entry: Row, keys: Iterable[str]) -> Any:
    """The value of the first key that has one; None without."""
    return next((entry[key] for key in keys if entry.get(key) is not None), None)


def _check_copy(entry: Row, start: int, end: int, label: str, text: _Content) -> None:
    """Raise if an entry has a copy of its text, and the text has something else there."""
    for key in COPIES:
        copy = entry.get(key)
        if type(copy) is not str or not copy or text.has(copy, start, end):
            continue
        advice = OTHER_TEXT[text.kind]
        if _plain(text.piece(start, end + 1)) in _forms_of(copy):
            advice = "the end looks inclusive, but has to be exclusive: add 1 to the ends"
        raise ContentError(
            f"{quoted(key)} of span {label} [{start}, {end}) is {brief(copy)}, but the text has "
            f"{brief(text.piece(start, end))} there",
            advice,
        )


def _forms_of(copy: str) -> set[str]:
    """Texts that a copy may stand for, up to changes by tokenizers; empty if unknown."""
    decoded = _from_bytes(copy)
    if UNKNOWN.search(copy) or PART in decoded:
        return set()
    return {_plain(copy), _plain(decoded)}


def _plain(text: str) -> str:
    """A text without case, accents, spaces and the marks of pieces of words."""
    parts = unicodedata.normalize("NFKD", PIECES.sub("", text).casefold())
    return "".join(part for part in parts if not unicodedata.combining(part) and not part.isspace())


@lru_cache(maxsize=1)
def _byte_signs() -> dict[str, int]:
    """The signs by which byte-level tokenizers (GPT-2, RoBERTa) write bytes: those that print are
    themselves, the others follow from 256 on."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    signs = {chr(byte): byte for byte in shown}
    return signs | {chr(256 + i): byte for i, byte in enumerate(others)}


def _from_bytes(text: str) -> str:
    """The text behind the output of a byte-level tokenizer; any other text unchanged."""
    signs = _byte_signs()
    if not all(sign in signs or sign == " " for sign in text):
        return text
    return bytes(signs.get(sign, 32) for sign in text).decode("utf-8", "replace")


def _put_together(entities: Sequence[_Entity], text: _Content) -> list[_Entity]:
    """The entities, those with a tag for each token as whole spans.

    These are the entries of `entity` with a prefix such as B- or with a number: the next one goes
    on if it is the next token, by its number, or else if only spaces are between the two.
    """
    pieces = [one for one in entities if _is_piece(one)]
    if not pieces:
        return list(entities)
    pieces.sort(key=lambda one: (one.start, one.end))
    tags: list[str] = []
    owners: list[_Entity] = []
    for one in pieces:
        if owners and not _are_neighbours(owners[-1], one, text):
            tags.append("O")
            owners.append(one)
        tags.append(one.label if one.label[1:2] == "-" else f"I-{one.label}")
        owners.append(one)
    scheme = next(iter(families(tags)), "IOB2")
    spans, problems = spans_of_tags(tags, scheme=scheme, repair="conlleval")
    if problems:
        raise ContentError(problems[0].found, problems[0].advice)
    whole = [_Entity(owners[s].start, owners[e - 1].end, name, "label") for s, e, name in spans]
    return [one for one in entities if not _is_piece(one)] + whole


def _is_piece(one: _Entity) -> bool:
    """Whether an entity is the tag of one token."""
    return one.key == "entity" and (one.number is not None or one.label[:2] in TAG_PREFIXES)


TAG_PREFIXES = ("B-", "I-", "E-", "S-", "L-", "U-")


def _are_neighbours(one: _Entity, two: _Entity, text: _Content) -> bool:
    """Whether one token follows another."""
    if one.number is not None and two.number is not None:
        return two.number == one.number + 1
    return not text.piece(one.end, two.start).strip()
