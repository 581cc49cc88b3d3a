"""GATE documents: XML, and bdoc, the JSON format of gatenlp.

Not by gatenlp: it opens URLs, expands entities, takes the text "false" for true, and of annotations
with the same number keeps the last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from ..measures.messages import quoted
from .columns import KEYS
from .corpus import Corpus
from .encodings import not_utf8
from .errors import ContentError, PathLike
from .files import name_by_file
from .forms import Form, read_form
from .json_rows import Row, Rows, parsed_row
from .keys import Reading
from .notes import POINTS, Place, note
from .rows import are_offsets, brief, json_value
from .safe_xml import bounded_bytes, xml_of
from .standoff import READ_AS, label_feature, span_row, text_row, utf_16_places, value_of
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


class _Content(NamedTuple):
    """A document, and its annotations by set."""

    text: str
    sets: dict[str, list[_Annotation]]
    features: Mapping[str, Any]
    name: str | None = None


def read_gate(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of one document: GATE XML, or the bdoc of gatenlp and GATE (.bdocjs).

    Every annotation set is a layer of its name, the default one is called "default". Labels are the
    types, or the `feature` that is named, "(empty)" if that is empty; with "kind=none", annotations
    without the feature `kind` have the label "none". Tokens, sentences, splits and the set
    "Original markups" annotate nothing: a set that has nothing else is not a layer, nor is the
    default set without annotations; with `type` (commas separate several), other types are not
    read. Features of the document become attributes and those of spans are kept, if they are
    strings, numbers or truth. Annotations without length are left out, with a note. Positions are
    the tokens of the default set, if there are any, else characters.

    GATE has no discontinuous annotations: the pieces of a span are read from the feature
    `fragments` ("0-4 15-21", in characters), if it has one.
    """
    types = reading.type.split(",") if reading.type else None
    points: list[Place] = []

    def with_length(annotations: Sequence[_Annotation], layer: str) -> list[_Annotation]:
        points.extend(
            Place(str(path), None, f"{one.type} at {one.start} of set {layer}")
            for one in annotations
            if one.start == one.end
        )
        return [one for one in annotations if one.start < one.end]

    def translate(data: bytes, reading: Reading) -> tuple[Row, str]:
        document = _content_of(data, path)
        plain = document.sets.get("", [])
        row = text_row(
            document.text,
            [
                one[1:3]
                for one in with_length([one for one in plain if one.type == "Token"], DEFAULT)
            ],
            [one[1:3] for one in plain if one.type == "Sentence"],
        )
        layers = {}
        for layer, found in _layers_of(document.sets, types).items():
            convert = partial(_span_of, layer=layer, label=reading.feature)
            layers[layer] = [*map(convert, with_length(found, layer))]
        said = simple_values(document.features)
        row |= {"id": document.name or name_by_file(path), "layers": layers}
        return {name: value for name, value in said.items() if name not in KEYS} | row, "char"

    source = Rows(str(path), [bounded_bytes(path)], [0])
    corpus = read_form(source, Form(translate), reading)
    return replace(corpus, notes=corpus.notes + note(POINTS, points))


def _content_of(data: bytes, path: PathLike) -> _Content:
    """The content of a file, XML or bdoc."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _content_of_xml(xml_of(data, path))
    try:
        return _content_of_bdoc(parsed_row(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        raise not_utf8(path, data) from None


def _layers_of(
    sets: Mapping[str, list[_Annotation]], types: Sequence[str] | None
) -> dict[str, list[_Annotation]]:
    """The annotations of each layer."""
    passed_over = {*LINGUISTIC} - {*(types or ())}
    found = {}
    for name, annotations in sets.items():
        some = [one for one in annotations if one.type not in passed_over]
        if name == MARKUP or not some and (annotations or not name):
            continue
        layer = name or DEFAULT
        if layer in found:
            raise ContentError(f"a set {quoted(DEFAULT)} beside the default one", "rename it")
        found[layer] = [one for one in some if types is None or one.type in types]
    return found


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


def _content_of_bdoc(row: Row) -> _Content:
    """The content of a bdoc dictionary."""
    text, kind = json_value(row, "text", str), json_value(row, "offset_type", str, "p")
    if text is None or kind not in ("p", "j"):
        raise ContentError(
            f"an object with the keys {brief(sorted(row))}",
            "a bdoc document has a 'text' and the 'offset_type' p or j; save it again",
        )
    convert = partial(_annotation_of_row, len(text), utf_16_places(text) if kind == "j" else None)
    sets, given = {}, json_value(row, "annotation_sets", dict, {})
    for name in given:
        rows = json_value(json_value(given, name, dict, {}), "annotations", list, [])
        sets[name] = [*map(convert, rows)]
    features = json_value(row, "features", dict, {})
    return _Content(text, sets, features, json_value(row, "name", str))


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


def _content_of_xml(root: Element) -> _Content:
    """The content of GATE XML, without features that are neither text, numbers nor truth."""
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
    return _Content("".join(texts), sets, features)


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
