"""BioC: collections of documents with passages and annotations, as XML or JSON."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element

from msgspec import Raw, Struct, field
from msgspec.json import decode

from ..measures.messages import quoted
from .columns import KEYS
from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import BlockReader, Excerpt, open_text, readable_bytes
from .forms import Form
from .json_rows import NOT_JSON, Row, parsed_row
from .keys import Reading
from .notes import RELATIONS
from .pieces import Piece, blocks_of_pieces, read_pieces
from .rows import are_offsets, brief, clip, json_value, plain_values
from .safe_xml import xml_pieces
from .standoff import check_copy, label_feature, take_label

INSIDE = ("passage", "sentence", "annotation", "relation", "location")
WIDEST = 10_000  # characters between two passages
NUMBER = re.compile("[0-9]{1,9}")
HEAD = 1 << 12  # bytes that tell XML from JSON
SHAPE = "a BioC collection has documents, and these have passages; export it again"


class _Collection(Struct):
    """The documents in an object, as text: of a collection, or of an answer of PubTator 3."""

    documents: list[Raw] = []
    answer: list[Raw] = field(default=[], name="PubTator3")


def read_bioc(path: PathLike | Excerpt, reading: Reading) -> Corpus:
    """The corpus of a BioC collection, XML or JSON. Positions are characters.

    The text of a document is that of its passages, or of their sentences, at their offsets, with
    blanks between them. A document without annotations is annotated. An annotation with several
    locations is one discontinuous span. Its label is the infon "type", or the `feature` that is
    named; other infons are features, those of a document attributes.
    """
    return read_pieces(path, reading, _pieces_of, Form(_translate))


def blocks_of_bioc() -> BlockReader:
    """How collections of BioC are read in blocks of documents."""
    return blocks_of_pieces(_pieces_of, read_bioc)


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
    """The documents of a file with one object."""
    with open_text(path) as file:
        data = file.read().encode()
    try:
        kind: Any = list[_Collection] if data.lstrip().startswith(b"[") else _Collection
        found = decode(data, type=kind)
    except NOT_JSON as error:
        byte = re.search(r"byte (\d+)", str(error))
        line = data.count(b"\n", 0, int(byte[1])) + 1 if byte else None
        raise FormatError(f"not JSON with a list of documents; {SHAPE}", path, line) from None
    lists = [one.documents or one.answer for one in (found if type(found) is list else [found])]
    at, line = 0, 1
    for document in map(bytes, chain.from_iterable(lists)):
        start = data.index(document, at)
        line += data.count(b"\n", at, start)
        yield Piece(document, line, len(document))
        at, line = start + len(document), line + document.count(b"\n")


def _row_of(element: Element) -> Row:
    """An element with all that is in it, in the form of JSON."""
    row: Row = {f"{name}s": [_row_of(one) for one in element.findall(name)] for name in INSIDE}
    row["infons"] = {one.get("key", ""): one.text or "" for one in element.findall("infon")}
    for key in ("id", "text", "offset", "length"):
        found = element.get(key, element.findtext(key))
        is_number = key in ("offset", "length") and NUMBER.fullmatch((found or "").strip())
        if found is not None:
            row[key] = int(found) if is_number else found
    return row


def _objects(row: Row, key: str) -> list[Row]:
    """The objects in a list; a `ContentError` for anything else."""
    found = json_value(row, key, list, [])
    if any(type(one) is not dict for one in found):
        raise ContentError(f"{quoted(key)} is {brief(found)}", SHAPE)
    return found


def _parts_of(part: Row) -> Iterator[Row]:
    """A document, its passages and their sentences; or a passage and its sentences."""
    yield part
    for one in [*_objects(part, "passages"), *_objects(part, "sentences")]:
        yield from _parts_of(one)


def _translate(piece: Piece, reading: Reading) -> tuple[Row, str]:
    """The row of a document."""
    content = piece.content
    document = _row_of(content) if isinstance(content, Element) else parsed_row(content.decode())
    if "passages" not in document:
        raise ContentError("a document without 'passages'", SHAPE)
    parts, name = list(_parts_of(document)), document.get("id")
    text, first = _text_of(parts)
    annotations = [one for part in parts for one in _objects(part, "annotations")]
    try:
        spans = [_span_of(one, text, first, reading.feature) for one in annotations]
    except ContentError as mistake:  # maybe offsets of passages count the 6 characters of &apos;
        text = " ".join(str(part["text"]) for part in parts if part.get("text"))
        try:
            spans = [_span_of(one, text, first, reading.feature) for one in annotations]
        except ContentError:
            raise mistake from None
    attributes = plain_values(json_value(document, "infons", dict, {}), KEYS)
    relations = chain.from_iterable(_objects(part, "relations") for part in parts)
    whats = (f"{one.get('id', '')} of document {brief(name)}" for one in relations)
    notes = [(RELATIONS, what.strip()) for what in whats]
    return {**attributes, "id": name, "text": text, "spans": spans, "*notes": notes}, "char"


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


def _span_of(annotation: Row, text: str, first: int, asked: str | None) -> Row:
    """The span of an annotation in a text that begins at an offset."""
    copy = json_value(annotation, "text", str)
    said = plain_values(json_value(annotation, "infons", dict, {}), ())
    what = f"annotation {brief(clip(copy or ''))} with the infons {', '.join(said) or 'none'}"
    feature, default = label_feature(asked)
    label = take_label(said, [feature or "type"], default, what)
    pieces = []
    for one in _objects(annotation, "locations"):
        offset: Any = one.get("offset")
        length: Any = one.get("length")
        if not are_offsets(offset, length, first) or not first <= offset < offset + length:
            raise ContentError(f"a location {brief(one)}", "it has an offset and a length")
        pieces.append((offset - first, offset - first + length))
    if not pieces:
        raise ContentError(f"annotation {brief(clip(copy or ''))} has 0 locations", "give it one")
    start, end = pieces[0]
    if len(pieces) == 1 and copy is not None:
        check_copy(text, start, end, copy, "annotation")
    features = {key: value for key, value in said.items() if value}
    place = {"start": start, "end": end} if len(pieces) == 1 else {"fragments": pieces}
    return {**place, "label": label, "features": features}
