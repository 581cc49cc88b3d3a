"""GATE documents: XML, and bdoc, the JSON format of gatenlp.

Not by gatenlp: it opens URLs, expands entities, takes the text "false" for true, and of annotations
with the same number keeps the last.
"""

from collections.abc import Mapping
from dataclasses import replace
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
from .notes import POINTS, Place, note
from .rows import are_offsets, brief, json_value
from .safe_xml import xml_of
from .standoff import (
    READ_AS,
    json_object,
    label_feature,
    span_row,
    text_row,
    utf_16_places,
    value_of,
)
from .texts import simple_values

LINGUISTIC = ("Token", "SpaceToken", "Sentence", "Split")
MARKUP = "Original markups"
DEFAULT = "default"
EMPTY = "(empty)"  # the label of a feature whose value is the empty text


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
    types = reading.type.split(",") if reading.type else []
    points: list[Place] = []

    def translate(data: bytes, reading: Reading) -> tuple[Row, str]:
        row = json_object(data, path)
        parts = _parts_of_xml(xml_of(data, path)) if row is None else _parts_of_bdoc(row)
        name, text, sets, features = parts
        layers: dict[str, list[Row]] = {}
        for own, every in sets.items():
            some = [one for one in every if one.type not in LINGUISTIC or one.type in types]
            if own == MARKUP or not some and (every or not own):
                continue
            layer = own or DEFAULT
            if layer in layers:
                what = f"a set {quoted(DEFAULT)} beside the default one"
                raise ContentError(what, "rename it")
            layers[layer] = []
            for one in some:
                if types and one.type not in types:
                    continue
                if one.start < one.end:
                    layers[layer].append(_span_of(one, layer, reading.feature))
                else:
                    what = f"{one.type} at {one.start} of set {layer}"
                    points.append(Place(str(path), None, what))
        tokens, sentences = (
            [one[1:3] for one in sets.get("", ()) if one.type == kind and one.start < one.end]
            for kind in ("Token", "Sentence")
        )
        said = simple_values(features)
        content = text_row(text, tokens, sentences)
        content |= {"id": name or name_by_file(path), "layers": layers}
        return {name: value for name, value in said.items() if name not in KEYS} | content, "char"

    source = Rows(str(path), [file_bytes(path)], [0])
    corpus = read_form(source, Form(translate), reading)
    return replace(corpus, notes=corpus.notes + note(POINTS, points))


def _span_of(one: _Annotation, layer: str, label: str | None) -> Row:
    """The span of an annotation of a set."""
    feature, default = label_feature(label)
    said = simple_values(one.features)
    kind = one.type if feature is None else said.pop(feature, default)
    if kind is None:
        raise ContentError(
            f"{one.type} [{one.start}, {one.end}) of set {layer} has no feature {quoted(feature)}",
            "name a feature that all spans have, give the others a label (--label-feature "
            f"{feature}=LABEL), or keep other types (type: --type)",
        )
    return span_row(one.start, one.end, EMPTY if kind == "" else str(kind), said)


def _parts_of_bdoc(row: Row) -> _Parts:
    """The parts of a bdoc dictionary."""
    text, kind = json_value(row, "text", str), json_value(row, "offset_type", str, "p")
    if text is None or kind not in ("p", "j"):
        raise ContentError(
            f"an object with the keys {brief(sorted(row))}",
            "a bdoc document has a 'text' and the 'offset_type' p or j; save it again",
        )
    at = utf_16_places(text) if kind == "j" else None
    sets, given = {}, json_value(row, "annotation_sets", dict, {})
    for name in given:
        rows = json_value(json_value(given, name, dict, {}), "annotations", list, [])
        sets[name] = [_annotation_of_row(len(text), at, one) for one in rows]
    return json_value(row, "name", str), text, sets, json_value(row, "features", dict, {})


def _annotation_of_row(size: int, at: Mapping[Any, int] | None, row: Any) -> _Annotation:
    """The annotation that an object of bdoc is."""
    if not isinstance(row, dict):
        raise ContentError(f"an annotation is {brief(row)}", "an annotation is an object")
    start: Any = row.get("start")
    end: Any = row.get("end")
    kind, features = json_value(row, "type", str), json_value(row, "features", dict, {})
    if at is not None and are_offsets(start, end):
        start, end = at.get(start), at.get(end)
    if not kind or not are_offsets(start, end) or not start <= end <= size:
        advice = "an annotation needs a type, a start and an end in the text"
        raise ContentError(f"an annotation is {brief(row)}", advice)
    return _Annotation(kind, start, end, features)


def _parts_of_xml(root: Element) -> _Parts:
    """The parts of GATE XML, without features that are neither text, numbers nor truth."""
    if root.tag != "GateDocument":
        is_text = any((one.tail or "").strip() for one in root.iter())
        advice = "expected a GateDocument" + " (text with spans as tags: --format inline)" * is_text
        raise ContentError(f"an XML file of {brief(root.tag)}", advice)
    found = root.findall("TextWithNodes")
    if len(found) != 1:
        raise ContentError(f"{len(found)} elements TextWithNodes", "a GateDocument has one")
    texts, size, offsets = [found[0].text or ""], len(found[0].text or ""), dict[str, int]()
    for node in found[0]:
        name = node.get("id")
        if node.tag != "Node" or len(node) or node.text or name is None or name in offsets:
            raise ContentError(
                f"an element {node.tag} with id {quoted(name)} in the text",
                "the text has empty nodes, each with an id of its own",
            )
        offsets[name] = size
        texts.append(node.tail or "")
        size += len(texts[-1])
    features, sets = _features_of(root.find("GateDocumentFeatures")), dict[str, list[_Annotation]]()
    for one in root.findall("AnnotationSet"):
        name = one.get("Name", "")
        if name in sets:
            raise ContentError(f"two annotation sets {quoted(name)}", "rename one")
        sets[name] = [_annotation_of(offsets, own) for own in one.findall("Annotation")]
    return None, "".join(texts), sets, features


def _annotation_of(offsets: Mapping[str, int], element: Element) -> _Annotation:
    """The annotation that an element is."""
    number, kind, first, last = map(element.get, ("Id", "Type", "StartNode", "EndNode"))
    start, end = offsets.get(first or "", -1), offsets.get(last or "", -1)
    if not kind or not 0 <= start <= end:
        raise ContentError(
            f"an annotation {quoted(kind)} with id {quoted(number)} from node {quoted(first)} to "
            f"{quoted(last)}",
            "an annotation needs a Type, and nodes in the text, in this order",
        )
    return _Annotation(kind, start, end, _features_of(element))


def _features_of(element: Element | None) -> dict[str, Any]:
    """Simple features of the document or an annotation, without those that have no value."""
    features = () if element is None else element.findall("Feature")
    return dict(pair for pair in map(_feature_of, features) if pair)


def _feature_of(feature: Element) -> tuple[str, Any] | None:
    """(name, value) of a feature; None if it has no value, or none that is simple."""
    name, said = feature.find("Name"), feature.find("Value")
    if name is None or said is None:
        raise ContentError("a feature without Name or Value", "a feature needs both")
    kind, text = (said.get("className") or "String").rpartition(".")[2], said.text or ""
    if kind not in READ_AS or len(said) or not text and kind != "String":
        return None
    return name.text or "", value_of(text, kind)
