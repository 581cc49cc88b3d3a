"""GATE documents: XML, and bdoc, the JSON format of gatenlp.

Not by gatenlp: it opens URLs, expands entities, takes the text "false" for true, and of annotations
with the same number keeps the last.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias
from xml.etree.ElementTree import Element

from ..measures.messages import quoted
from .columns import KEYS
from .corpus import Corpus
from .errors import ContentError, PathLike
from .files import file_bytes, name_by_file
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import POINTS
from .rows import are_offsets, brief, json_value
from .safe_xml import xml_of
from .standoff import json_object, label_feature, take_label, text_row, utf_16_places
from .texts import simple_values

LINGUISTIC = ("Token", "SpaceToken", "Sentence", "Split")
MARKUP = "Original markups"
DEFAULT = "default"
EMPTY = "(empty)"  # the label of a feature whose value is the empty text
READ_AS: Mapping[str, Any] = {  # classes of Java
    "String": str,
    "Boolean": {"true": True, "false": False}.__getitem__,
    **dict.fromkeys(("Byte", "Short", "Integer", "Long"), int),
    **dict.fromkeys(("Float", "Double", "BigDecimal"), float),
}


class _Annotation(NamedTuple):
    """An annotation with offsets in characters."""

    type: str
    start: int
    end: int
    features: Mapping[str, Any]


# the name of a document, its text, annotations by set, features
_Parts: TypeAlias = tuple[str | None, str, dict[str, list[_Annotation]], Mapping[str, Any]]


def read_gate(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of one document: GATE XML, or the bdoc of gatenlp and GATE (.bdocjs).

    Every annotation set is a layer, the default one is called "default". Labels are the types, or
    the `feature` that is named, "(empty)" if that is empty. Tokens, sentences, splits and the set
    "Original markups" annotate nothing: a set that has nothing else is not a layer, nor is the
    default set without annotations. Annotations without length are left out, with a note. Positions
    are the tokens of the default set, if there are any, else characters.
    """

    def translate(data: bytes, reading: Reading) -> tuple[Row, str]:
        found = json_object(data, path)
        parts = _parts_of_xml(xml_of(data, path)) if found is None else _parts_of_bdoc(found)
        row = _row_of(*parts, reading)
        return {**row, "id": row["id"] or name_by_file(path)}, "char"

    return read_form(Rows(str(path), [file_bytes(path)], [0]), Form(translate), reading)


def _row_of(
    name: str | None,
    text: str,
    sets: Mapping[str, list[_Annotation]],
    features: Mapping[str, Any],
    reading: Reading,
) -> Row:
    """The row of the parts of a document."""
    types = reading.type.split(",") if reading.type else []
    layers: dict[str, list[Row]] = {}
    notes = []
    for own, every in sets.items():
        some = [one for one in every if one.type not in LINGUISTIC or one.type in types]
        if own == MARKUP or not some and (every or not own):
            continue
        layer = own or DEFAULT
        if layer in layers:
            raise ContentError(f"a set {quoted(DEFAULT)} beside the default one", "rename it")
        layers[layer] = []
        for one in some:
            if types and one.type not in types:
                continue
            if one.start < one.end:
                layers[layer].append(_span_of(one, layer, reading.feature))
            else:
                notes.append((POINTS, f"{one.type} at {one.start} of set {layer}"))
    tokens, sentences = (
        [one[1:3] for one in sets.get("", ()) if one.type == kind and one.start < one.end]
        for kind in ("Token", "Sentence")
    )
    said = {key: value for key, value in simple_values(features).items() if key not in KEYS}
    content = text_row(text, tokens, sentences)
    return {**said, **content, "id": name, "layers": layers, "*notes": notes}


def _span_of(one: _Annotation, layer: str, asked: str | None) -> Row:
    """The span of an annotation of a set."""
    feature, default = label_feature(asked)
    said, label = simple_values(one.features), one.type
    if feature is not None:
        if said.get(feature) == "":
            said[feature] = EMPTY
        what = f"{one.type} [{one.start}, {one.end}) of set {layer}"
        label = take_label(said, [feature], default, what)
    return {"start": one.start, "end": one.end, "label": label, "features": said}


def _parts_of_bdoc(row: Row) -> _Parts:
    """The parts of a bdoc dictionary."""
    text, kind = json_value(row, "text", str), json_value(row, "offset_type", str, "p")
    if text is None or kind not in ("p", "j"):
        raise ContentError(
            f"an object with the keys {brief(sorted(row))}",
            "a bdoc document has a 'text' and the 'offset_type' p or j; save it again",
        )
    places = utf_16_places(text) if kind == "j" else {n: n for n in range(len(text) + 1)}
    sets, given = {}, json_value(row, "annotation_sets", dict, {})
    for name in given:
        rows = json_value(json_value(given, name, dict, {}), "annotations", list, [])
        sets[name] = [_annotation_of_row(places, one) for one in rows]
    return json_value(row, "name", str), text, sets, json_value(row, "features", dict, {})


def _annotation_of_row(places: Mapping[Any, int], row: Any) -> _Annotation:
    """The annotation that an object of bdoc is."""
    advice = "an annotation needs a type, a start and an end in the text"
    if not isinstance(row, dict) or not are_offsets(row.get("start"), row.get("end")):
        raise ContentError(f"an annotation is {brief(row)}", advice)
    kind, features = json_value(row, "type", str), json_value(row, "features", dict, {})
    start, end = places.get(row["start"], -1), places.get(row["end"], -1)
    if not kind or not 0 <= start <= end:
        raise ContentError(f"an annotation is {brief(row)}", advice)
    return _Annotation(kind, start, end, features)


def _parts_of_xml(root: Element) -> _Parts:
    """The parts of GATE XML, without features that are neither text, numbers nor truth."""
    found = root.find("TextWithNodes")
    if root.tag != "GateDocument" or found is None:
        is_text = any((one.tail or "").strip() for one in root.iter())
        advice = "expected a GateDocument with TextWithNodes"
        advice += " (text with spans as tags: --format inline)" * is_text
        raise ContentError(f"an XML file of {brief(root.tag)}", advice)
    text, offsets = found.text or "", dict[str | None, int]()
    for node in found:
        offsets[node.get("id")] = len(text)
        text += node.tail or ""
    sets: dict[str, list[_Annotation]] = {}
    for one in root.findall("AnnotationSet"):
        every = [_annotation_of(offsets, own) for own in one.findall("Annotation")]
        sets.setdefault(one.get("Name", ""), []).extend(every)
    return None, text, sets, _features_of(root.find("GateDocumentFeatures"))


def _annotation_of(offsets: Mapping[str | None, int], element: Element) -> _Annotation:
    """The annotation that an element is."""
    number, kind, first, last = map(element.get, ("Id", "Type", "StartNode", "EndNode"))
    start, end = offsets.get(first, -1), offsets.get(last, -1)
    if not kind or not 0 <= start <= end:
        raise ContentError(
            f"annotation {quoted(number)} of type {quoted(kind)} from node {quoted(first)} to "
            f"{quoted(last)}",
            "an annotation needs a Type, and nodes in the text, in this order",
        )
    return _Annotation(kind, start, end, _features_of(element))


def _features_of(element: Element | None) -> dict[str, Any]:
    """Features of the document or an annotation, those with a simple value."""
    found: dict[str, Any] = {}
    for one in () if element is None else element.findall("Feature"):
        said = one.find("Value")
        if said is None or len(said):
            continue
        kind, text = (said.get("className") or "String").rpartition(".")[2], said.text or ""
        if kind not in READ_AS or not text and kind != "String":
            continue
        try:
            found[one.findtext("Name", "")] = READ_AS[kind](text)
        except (ValueError, KeyError):
            advice = f"it is not of the kind {kind}"
            raise ContentError(f"the value {brief(text)}", advice) from None
    return found
