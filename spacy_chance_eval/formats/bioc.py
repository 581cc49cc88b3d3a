"""BioC: collections of documents with passages and annotations, as XML or JSON."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import decode

from ..measures.messages import quoted
from .blemishes import sound_entries
from .columns import KEYS
from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import BlockReader, Excerpt, open_text, readable_bytes
from .forms import Form, read_form
from .json_rows import NOT_JSON, Row, Rows, parsed_row
from .json_text import NotJSONError, parsed_json, reject_constant
from .keys import Reading
from .notes import RELATIONS, Place, note
from .pieces import Piece, blocks_of_pieces, pieces_at
from .rows import are_offsets, brief, clip, json_value, plain_values
from .safe_xml import xml_pieces

INSIDE = ("passage", "sentence", "annotation", "relation", "location")
WIDEST = 10_000  # characters between two passages
NUMBER = re.compile("[0-9]{1,9}")
HEAD = 1 << 12  # bytes that tell XML from JSON
SHAPE = "a BioC collection has documents, and these have passages; export it again"
COUNTED = "offsets count characters from the beginning of the document (not bytes); correct them"


class _Collection(Struct):
    """The lists of documents in an object, as text: of a collection, of an answer of PubTator 3."""

    documents: list[Raw] | UnsetType = UNSET
    PubTator3: list[Raw] | UnsetType = UNSET


def read_bioc(path: PathLike | Excerpt, reading: Reading) -> Corpus:
    """The corpus of a BioC collection, XML or JSON. Positions are characters.

    JSON may also be one document a line, an array, or the answer of the API of PubTator 3. The text
    of a document is that of its passages, or of their sentences, at their offsets, with blanks
    between them; its first passage is at 0. Offsets of passages do not count where more annotations
    fit a text with one blank between any two. Annotations are the layer "spans"; a document without
    any is annotated. An annotation with several locations is one discontinuous span. Its label is
    the infon "type", or the `feature` that is named; other infons are features, those of a document
    attributes. Relations are left out, which a note says.
    """
    pieces = pieces_at(path, _pieces_of)
    relations: list[Place] = []
    form = Form(partial(_translate, path=str(path), relations=relations))
    corpus = read_form(Rows(str(path), pieces, [one.line for one in pieces]), form, reading)
    return replace(corpus, notes=corpus.notes + note(RELATIONS, relations))


def blocks_of_bioc() -> BlockReader:
    """How collections of BioC are read in blocks of documents."""
    return blocks_of_pieces(lambda path, reading: _pieces_of(path), read_bioc)


def _pieces_of(path: PathLike) -> Iterator[Piece]:
    """The documents of a file, as elements or as JSON."""
    with readable_bytes(path) as raw:
        is_json = raw.read(HEAD).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
    pieces = _json_pieces(path) if is_json else xml_pieces(path, "collection", "document", SHAPE)
    first = next(pieces, None)
    if first is None:
        raise FormatError(f"no documents; {SHAPE}", path)
    yield from chain([first], pieces)


def _json_pieces(path: PathLike) -> Iterator[Piece]:
    """The documents of a file with one JSON value, or one a line."""
    with open_text(path) as file:
        data = file.read().encode()
    at, counted, line = 0, 0, 1
    for document in chain.from_iterable(map(_documents_of, _values_of(data, path))):
        start = data.index(document, at)
        line += data.count(b"\n", counted, start)
        at, counted = start + len(document), start
        yield Piece(document, line, len(document))


def _values_of(data: bytes, path: PathLike) -> Sequence[bytes]:
    """The text of each value of a file: the items of its array, its only one, or its lines."""
    is_array = data.lstrip().startswith(b"[")
    try:
        found = decode(data, type=list[Raw]) if is_array else [decode(data, type=Raw)]
        return [*map(bytes, found)]
    except NOT_JSON:
        lines = [line for line in data.split(b"\n") if line.strip()]
    for line in () if is_array else lines:
        with suppress(*NOT_JSON):
            decode(line)
            return lines
    try:
        parsed_json(data, parse_constant=reject_constant)
    except NotJSONError as error:
        message = f"invalid JSON ({error.reason}); export it again, as JSON"
        raise FormatError(message, path, error.line) from None
    return lines


def _documents_of(value: bytes) -> Iterable[bytes]:
    """The documents of a collection; the value itself if it is none."""
    try:
        found = decode(value, type=_Collection)
    except NOT_JSON:
        return [value]
    lists = [one for one in (found.documents, found.PubTator3) if one is not UNSET]
    return map(bytes, chain.from_iterable(lists)) if lists else [value]


def _row_of(element: Element) -> Row:
    """An element with all that is in it, in the form of JSON."""
    row: Row = {
        "id": element.get("id", element.findtext("id")),
        "text": element.findtext("text"),
        "infons": {one.get("key", ""): one.text or "" for one in element.findall("infon")},
    }
    for key in ("offset", "length"):
        number = element.get(key, element.findtext(key))
        if number is not None:
            row[key] = int(number) if NUMBER.fullmatch(number.strip()) else number
    for name in INSIDE:
        row[f"{name}s"] = [_row_of(one) for one in element.findall(name)]
    return row


def _objects(row: Row, key: str) -> list[Row]:
    """The objects in a list; a `ContentError` for anything else."""
    found = json_value(row, key, list, [])
    if any(type(one) is not dict for one in found):
        raise ContentError(f"{quoted(key)} is {brief(found)}", SHAPE)
    return found


def _parts_of(document: Row) -> Iterator[Row]:
    """A document, its passages and their sentences."""
    yield document
    for passage in [*_objects(document, "passages"), document]:
        if passage is not document:
            yield passage
        yield from _objects(passage, "sentences")


def _translate(
    piece: Piece, reading: Reading, path: str, relations: list[Place]
) -> tuple[Row, str]:
    """The row of a document; adds the places of relations."""
    content = piece.content
    document = _row_of(content) if isinstance(content, Element) else parsed_row(content.decode())
    if "passages" not in document:
        raise ContentError("a document without 'passages'", SHAPE)
    parts, label = list(_parts_of(document)), reading.feature or "type"
    text, first = _text_of(parts)
    annotations = [one for part in parts for one in _objects(part, "annotations")]
    for one in chain.from_iterable(_objects(part, "relations") for part in parts):
        what = f"{one.get('id', '')} of document {brief(document.get('id'))}".strip()
        relations.append(Place(path, piece.line, what))

    def n_sound(text: str) -> int:
        found = 0
        for one in annotations:
            with suppress(ContentError):
                found += bool(_span_of(one, text, first, label))
        return found

    n_by_offsets = n_sound(text)
    if n_by_offsets < len(annotations):  # passages whose offsets count the 6 characters of &apos;
        joined = " ".join(str(part["text"]) for part in parts if part.get("text"))
        text = joined if n_sound(joined) > n_by_offsets else text
    spans = [*sound_entries(annotations, lambda one: _span_of(one, text, first, label))]
    attributes = plain_values(json_value(document, "infons", dict, {}), KEYS)
    return {**attributes, "id": document.get("id"), "text": text, "spans": spans}, "char"


def _text_of(parts: Sequence[Row]) -> tuple[str, int]:
    """The text of the parts, and the offset at which it begins."""
    text, first = "", next((part["offset"] for part in parts if "offset" in part), 0)
    for part in parts:
        piece, offset = json_value(part, "text", str), part.get("offset", first)
        if not piece:
            continue
        if not are_offsets(first, offset) or not 0 <= offset - first - len(text) <= WIDEST:
            raise ContentError(
                f"{brief(clip(piece))} at offset {brief(offset)}, behind {len(text)} characters "
                f"from offset {brief(first)} on",
                "passages follow each other, and their offsets count characters; correct them",
            )
        text += " " * (offset - first - len(text)) + piece
    return text, first


def _span_of(annotation: Row, text: str, first: int, label: str) -> Row:
    """The span of an annotation in a text that begins at an offset."""
    infons = json_value(annotation, "infons", dict, {})
    named = infons.get(label)
    if named is None:
        keys = ", ".join(map(repr, infons)) or "none"
        raise ContentError(
            f"an annotation without infon {quoted(label)} (it has {clip(keys)})",
            "name the infon that has the label (--label-feature)",
        )
    pieces = []
    for one in _objects(annotation, "locations"):
        offset: Any = one.get("offset")
        length: Any = one.get("length")
        if not are_offsets(offset, length, first) or not first <= offset < offset + length:
            raise ContentError(f"a location {brief(one)}", "it has an offset and a length")
        pieces.append((offset - first, offset - first + length))
    copy = json_value(annotation, "text", str)
    if not pieces:
        raise ContentError(f"annotation {brief(clip(copy or ''))} has 0 locations", "give it one")
    start, end = pieces[0]
    if len(pieces) == 1 and copy is not None and text[start:end].split() != copy.split():
        raise ContentError(
            f"annotation {brief(clip(copy))} at [{start}, {end}), where the text has "
            f"{brief(clip(text[start:end]))}",
            COUNTED,
        )
    said = {key: value for key, value in plain_values(infons, (label,)).items() if value}
    place = {"start": start, "end": end} if len(pieces) == 1 else {"fragments": pieces}
    return {**place, "label": str(named), "features": said}
