"""GATE documents: XML, and bdoc, the JSON format of gatenlp.

Not by gatenlp: it opens URLs, expands entities, takes the text "false" for true, and of annotations
with the same number keeps the last.
"""

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

from .columns import KEYS
from .corpus import Corpus, Stretch
from .errors import ContentError, PathLike
from .files import file_bytes, name_by_file
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .notes import POINTS
from .rows import brief, json_value, other_values
from .safe_xml import xml_of
from .standoff import json_object, label_feature, take_label, text_row, utf_16_places
from .texts import simple_values

LINGUISTIC = ("Token", "SpaceToken", "Sentence", "Split")
MARKUP = "Original markups"
DEFAULT = "default"
EMPTY = "(empty)"  # the label of a feature whose value is the empty text
ATTRIBUTES = {"type": "Type", "start": "StartNode", "end": "EndNode"}  # of XML, by those of bdoc
READ_AS: Mapping[str, Any] = {  # classes of Java
    "String": str,
    "Boolean": {"true": True, "false": False}.__getitem__,
    **dict.fromkeys(("Byte", "Short", "Integer", "Long"), int),
    **dict.fromkeys(("Float", "Double", "BigDecimal"), float),
}


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
        if found is None:
            found, places = _bdoc_of_xml(xml_of(data, path))
        else:
            text, kind = json_value(found, "text", str), json_value(found, "offset_type", str, "p")
            if text is None or kind not in ("p", "j"):
                raise ContentError(
                    f"an object with the keys {brief(sorted(found))}",
                    "a bdoc document has a 'text' and the 'offset_type' p or j; save it again",
                )
            places = utf_16_places(text) if kind == "j" else {n: n for n in range(len(text) + 1)}
        return _row_of(found, places, name_by_file(path), reading), "char"

    return read_form(Rows(str(path), [file_bytes(path)], [0]), Form(translate), reading)


def _row_of(document: Row, places: Mapping[Any, int], name: str, reading: Reading) -> Row:
    """The row of a bdoc dictionary, of whose offsets the places in the text are known."""
    types = reading.type.split(",") if reading.type else []
    feature, default = label_feature(reading.feature)
    layers: dict[str, list[Row]] = {}
    borders: dict[str, list[Stretch]] = {"Token": [], "Sentence": []}
    notes = []
    given = json_value(document, "annotation_sets", dict, {})
    for own in given:
        rows = json_value(json_value(given, own, dict, {}), "annotations", list, [])
        every = [_span_of(places, row) for row in rows]
        for one in every if own == "" else ():
            if one["label"] in borders and one["start"] < one["end"]:
                borders[one["label"]].append((one["start"], one["end"]))
        some = [one for one in every if one["label"] not in LINGUISTIC or one["label"] in types]
        if own == MARKUP or not some and (every or not own):
            continue
        layer = own or DEFAULT
        if layer in layers:
            raise ContentError(f"a set {layer!r} beside the default one", "rename it")
        layers[layer] = []
        for one in some:
            if types and one["label"] not in types:
                continue
            if one["start"] == one["end"]:
                notes.append((POINTS, f"{one['label']} at {one['start']} of set {layer}"))
                continue
            if feature is not None:
                if one["features"].get(feature) == "":
                    one["features"][feature] = EMPTY
                what = f"{one['label']} [{one['start']}, {one['end']}) of set {layer}"
                one["label"] = take_label(one["features"], [feature], default, what)
            layers[layer].append(one)
    said = other_values(simple_values(json_value(document, "features", dict, {})), KEYS)
    content = text_row(document["text"], borders["Token"], borders["Sentence"])
    name = json_value(document, "name", str) or name
    return {**said, **content, "id": name, "layers": layers, "*notes": notes}


def _span_of(places: Mapping[Any, int], row: Any) -> Row:
    """The span of an annotation of bdoc, in characters, with its type as label."""
    start = end = -1
    if type(row) is dict and {type(row.get("start")), type(row.get("end"))} <= {int, str}:
        start, end = places.get(row["start"], -1), places.get(row["end"], -1)
    if not 0 <= start <= end or not (kind := json_value(row, "type", str)):
        advice = "an annotation needs a type, and a start and an end in the text, in this order"
        raise ContentError(f"an annotation is {brief(row)}", advice)
    said = simple_values(json_value(row, "features", dict, {}))
    return {"start": start, "end": end, "label": kind, "features": said}


def _bdoc_of_xml(root: Element) -> tuple[Row, Mapping[Any, int]]:
    """(GATE XML as a bdoc dictionary, the places of its nodes)."""
    found = root.find("TextWithNodes")
    if root.tag != "GateDocument" or found is None:
        is_text = any((one.tail or "").strip() for one in root.iter())
        advice = "expected a GateDocument with TextWithNodes"
        advice += " (text with spans as tags: --format inline)" * is_text
        raise ContentError(f"an XML file of {brief(root.tag)}", advice)
    text, places = found.text or "", dict[str | None, int]()
    for node in found:
        places[node.get("id")] = len(text)
        text += node.tail or ""
    sets: dict[str, Row] = {}
    for one in root.findall("AnnotationSet"):
        rows = sets.setdefault(one.get("Name", ""), {"annotations": []})["annotations"]
        rows += [
            {key: own.get(name) for key, name in ATTRIBUTES.items()}
            | {"features": _features_of(own)}
            for own in one.findall("Annotation")
        ]
    features = _features_of(root.find("GateDocumentFeatures"))
    return {"text": text, "annotation_sets": sets, "features": features}, places


def _features_of(element: Element | None) -> dict[str, Any]:
    """Features of the document or an annotation: those that are text, numbers or truth."""
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
