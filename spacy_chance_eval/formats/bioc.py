"""BioC: collections of documents with passages and annotations, as XML or JSON."""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element

from msgspec.json import decode

from ..measures.messages import quoted
from .columns import KEYS
from .corpus import Corpus
from .errors import ContentError, FormatError, PathLike
from .files import file_bytes
from .forms import Form, read_form
from .json_rows import NOT_JSON, Row, Rows
from .keys import Reading
from .notes import RELATIONS
from .rows import are_offsets, brief, clip, json_value, plain_values
from .safe_xml import xml_of
from .standoff import check_copy, label_feature, take_label, text_of

ANNOTATIONS = ("annotation", "relation")
INSIDE = {  # elements by those around them
    "document": ("passage", *ANNOTATIONS),
    "passage": ("sentence", *ANNOTATIONS),
    "sentence": ANNOTATIONS,
    "annotation": ("location",),
}
WIDEST = 10_000  # characters between two passages
NUMBER = re.compile("[0-9]{1,9}")
SHAPE = "a BioC collection has documents, and these have passages; export it again"


def read_bioc(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a BioC collection, XML or JSON. Positions are characters.

    The text of a document is that of its passages, or of their sentences, at their offsets, with
    blanks between them. A document without annotations is annotated. An annotation with several
    locations is one discontinuous span. Its label is the infon "type", or the `feature` that is
    named; other infons are features, those of a document attributes.
    """
    data = file_bytes(path)
    is_json = data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
    try:
        if is_json:
            rows = _rows_of_json(text_of(data, path))
        elif (root := xml_of(data, path)).tag == "collection":
            rows = [_row_of(one) for one in root.findall("document")]
        else:
            raise ContentError(f"an XML file of <{root.tag}>", SHAPE)
        if not rows:
            raise ContentError("no documents", SHAPE)
    except ContentError as mistake:
        raise FormatError(str(mistake), path) from None
    return read_form(Rows(str(path), rows, [0] * len(rows)), Form(_translate), reading)


def _rows_of_json(text: str) -> list[Row]:
    """The documents of a collection, of several, or of an answer of PubTator 3."""
    try:
        found = decode(text)
    except NOT_JSON:
        raise ContentError("not JSON", SHAPE) from None
    whole = {"collections": found if type(found) is list else [found]}
    keys = ("documents", "PubTator3")
    lists = (_objects(one, key) for one in _objects(whole, "collections") for key in keys)
    return [*chain.from_iterable(lists)]


def _row_of(element: Element) -> Row:
    """An element with all that is in it, in the form of JSON."""
    inside = INSIDE.get(element.tag, ())
    row: Row = {f"{name}s": [_row_of(one) for one in element.findall(name)] for name in inside}
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


def _translate(document: Row, reading: Reading) -> tuple[Row, str]:
    """The row of a document; what is wrong with it has its name."""
    try:
        return _row_of_document(document, reading), "char"
    except ContentError as mistake:
        found = f"document {brief(document.get('id'))}: {mistake.found}"
        raise ContentError(found, mistake.advice) from None


def _row_of_document(document: Row, reading: Reading) -> Row:
    """The row of a document."""
    if "passages" not in document:
        raise ContentError("no 'passages'", SHAPE)
    parts, name = [document], document.get("id")
    for passage in _objects(document, "passages"):
        parts += [passage, *_objects(passage, "sentences")]
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
    return {**attributes, "id": name, "text": text, "spans": spans, "*notes": notes}


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
        if not are_offsets(offset, length, first) or not (
            first <= offset < offset + length <= first + len(text)
        ):
            raise ContentError(
                f"a location {brief(one)}", "it needs an offset and a length inside the text"
            )
        pieces.append((offset - first, offset - first + length))
    if not pieces:
        raise ContentError(f"annotation {brief(clip(copy or ''))} has 0 locations", "give it one")
    start, end = pieces[0]
    if len(pieces) == 1 and copy is not None:
        check_copy(text, pieces, copy, "annotation")
    features = {key: value for key, value in said.items() if value}
    place = {"start": start, "end": end} if len(pieces) == 1 else {"fragments": pieces}
    return {**place, "label": label, "features": features}
