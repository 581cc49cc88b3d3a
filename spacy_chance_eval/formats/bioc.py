"""BioC: collections of documents with passages and annotations, as XML or JSON."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ..measures.messages import quoted
from .blemishes import sound_entries
from .corpus import Corpus, Stretch
from .errors import ContentError, FormatError, PathLike
from .files import BlockReader, Excerpt, readable_bytes
from .jsonl import KEYS, read_translated
from .notes import RELATIONS, Notes, Place, add_notes, note
from .pieces import Piece, blocks_of_pieces, json_pieces, pieces_at
from .rows import (
    Row,
    Rows,
    are_offsets,
    brief,
    checked_span,
    clip,
    json_value,
    parsed_row,
    plain_values,
)
from .safe_xml import xml_pieces

INSIDE = ("passage", "sentence", "annotation", "relation", "location")
WIDEST = 10_000  # characters between two passages
NUMBER = re.compile("[0-9]{1,9}")
HEAD = 1 << 12  # bytes that tell XML from JSON
COLLECTION = "collection", "document"  # elements of XML
COLLECTED = ("documents", "PubTator3")  # keys of JSON
MISTAKE = ""  # key of the error in a document that cannot be parsed
SHAPE = "a BioC collection has documents, and these have passages; export it again"
COUNTED = "offsets count characters from the beginning of the document (not bytes); correct them"


def read_bioc(path: PathLike | Excerpt, *, label: str | None = None) -> Corpus:
    """The corpus of a BioC collection, XML or JSON. Positions are characters.

    JSON may also be one document a line, an array, or the answer of the API of PubTator 3. The text
    of a document is that of its passages, or of their sentences, at their offsets, with blanks
    between them; its first passage is at 0. Offsets of passages do not count where more annotations
    fit a text with one blank between any two. Annotations are the layer "spans"; a document without
    any is annotated. An annotation with several locations is one discontinuous span; locations that
    touch are one. Other infons of an annotation are its features, those of a document are
    attributes. Relations are left out, which a note says.

    Parameters
    ----------
    label : str, optional
        Key of the infon that has the label. By default "type".
    """
    pieces = pieces_at(path, _pieces_of)
    rows, lines = [*map(_parsed, pieces)], [piece.line for piece in pieces]
    translate = partial(_translate, label=label or "type")
    corpus = read_translated(Rows(str(path), rows, lines), translate=translate)
    return replace(corpus, notes=add_notes([corpus.notes, _relations_of(path, rows, lines)]))


def blocks_of_bioc() -> BlockReader:
    """How collections of BioC are read in blocks of documents."""
    return blocks_of_pieces(lambda path, options: _pieces_of(path), read_bioc)


def _pieces_of(path: PathLike) -> Iterator[Piece]:
    """The documents of a file, as XML or JSON."""
    with readable_bytes(path) as raw:
        head = raw.read(HEAD).lstrip(b"\xef\xbb\xbf \t\r\n")
    is_json = head.startswith((b"{", b"["))
    pieces = (
        json_pieces(path, COLLECTED) if is_json else xml_pieces(path, *COLLECTION, advice=SHAPE)
    )
    first = next(pieces, None)
    if first is None:
        raise FormatError(f"no documents; {SHAPE}", path)
    yield first
    yield from pieces


def _parsed(piece: Piece) -> Row:
    """A document in the form of JSON; one with its mistake under the key `MISTAKE`."""
    try:
        if isinstance(piece.text, str):
            return parsed_row(piece.text)
        return _row_of(ElementTree.fromstring(piece.text)[0])
    except ContentError as mistake:
        return {MISTAKE: mistake}


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


def _translate(document: Row, *, label: str) -> tuple[Row, str]:
    """The document as a row of JSONL."""
    if isinstance(document.get(MISTAKE), ContentError):
        raise document[MISTAKE]
    if "passages" not in document:
        raise ContentError("a document without 'passages'", SHAPE)
    parts = list(_parts_of(document))
    text, first = _text_of(parts)
    annotations = [one for part in parts for one in _objects(part, "annotations")]

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
    pieces = [_piece_of(one, str(named), text, first) for one in _objects(annotation, "locations")]
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


def _piece_of(location: Row, label: str, text: str, first: int) -> Stretch:
    """(start, end) of a location in the text."""
    start: Any = location.get("offset")
    length: Any = location.get("length")
    if not are_offsets(start, length):
        raise ContentError(f"a location {brief(location)}", "it has an offset and a length")
    return checked_span(start - first, start - first + length, label, len(text), "characters")[:2]


def _relations_of(path: object, rows: Iterable[Row], lines: Iterable[int]) -> Notes:
    """Notes of relations."""
    found: list[Place] = []
    for row, line in zip(rows, lines):
        with suppress(ContentError):  # of documents that were left out
            for part in _parts_of(row):
                for one in _objects(part, "relations"):
                    what = f"{one.get('id', '')} of document {brief(row.get('id'))}".strip()
                    found.append(Place(str(path), line, what))
    return note(RELATIONS, found)
