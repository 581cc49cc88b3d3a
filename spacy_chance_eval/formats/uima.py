"""A UIMA CAS in XMI or JSON: the text, its types, and the annotations of one type as spans.

Not by dkpro-cassis: it makes Python code of the names in a type system, which a stranger chose, and
for one damaged annotation it refuses the file. Here offsets and simple features are enough.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from ..measures.messages import quoted
from .corpus import Corpus, Stretch
from .errors import ContentError, PathLike
from .files import name_by_file
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .paths import path_of
from .rows import brief, json_value
from .safe_xml import bounded_bytes, xml_of
from .standoff import (
    READ_AS,
    json_object,
    label_feature,
    span_row,
    text_row,
    utf_16_places,
    value_of,
)

DKPRO = ("de.tudarmstadt.ukp.", "org.dkpro.core.")
CORE = DKPRO[0] + "dkpro.core.api."
TOKEN, SENTENCE = (CORE + f"segmentation.type.{name}" for name in ("Token", "Sentence"))
METADATA = CORE + "metadata.type.DocumentMetaData"
ENTITIES = CORE + "ner.type."
NAMED_ENTITY = ENTITIES + "NamedEntity"
ANNOTATION = "uima.tcas.Annotation"
LABELS = ("value", "identifier", "label")
PLACE = ("sofa", "begin", "end")
TYPE_SYSTEM = "TypeSystem.xml"
FOLDERS_UP = 3
MAX_LINE = 64  # types above each other
XMI = "{http://www.omg.org/XMI}"
REFERENCES = re.compile(r"[\d\s]*")  # to other structures; numbers look like them
INTEGER = re.compile("-?[0-9]{1,18}")
SOFA, VIEW = "uima.cas.Sofa", "uima.cas.View"
DAMAGED = "the file is damaged; export it again"


@dataclass
class _Types:
    """What is known of types: the one above each, and the kinds of its own features by name.

    `described` are those of a type system; of others no features but those of the file are known.
    """

    above: dict[str, str] = field(default_factory=dict)
    features: dict[str, dict[str, str]] = field(default_factory=dict)
    described: frozenset[str] = frozenset()

    def line_of(self, name: str) -> list[str]:
        """A type and those above it."""
        found: list[str] = []
        while name and name not in found and len(found) < MAX_LINE:
            found.append(name)
            name = self.above.get(name, "")
        return found

    def kinds_of(self, name: str) -> dict[str, str]:
        """The kinds of the features of a type and those above it: "String" also of subtypes."""
        found: dict[str, str] = {}
        for one in self.line_of(name):
            found = {**self.features.get(one, {}), **found}
        return {
            key: next((one for one in map(last_part, self.line_of(kind)) if one in READ_AS), "")
            for key, kind in found.items()
            if key not in PLACE
        }

    def is_annotation(self, name: str) -> bool:
        """Whether the structures of a type have a place in the text."""
        if name in self.described:
            return ANNOTATION in self.line_of(name)
        return {*self.features.get(name, PLACE)} >= {"begin", "end"}


def corpus_of_file(
    data: bytes, path: PathLike, reading: Reading, described: bytes | None = None
) -> Corpus:
    """The corpus of the bytes of a file, and of those of its type system: see `read_cas`."""

    def translate(data: bytes, reading: Reading) -> tuple[Row, str]:
        types = None
        if reading.typesystem is not None:
            types = _type_system(bounded_bytes(reading.typesystem), reading.typesystem)
        elif described is not None:
            types = _type_system(described, path)
        if (row := json_object(data, path)) is not None:
            structures, own = _json_structures(row)
            types = types or own
        else:
            structures = _xmi_structures(xml_of(data, path))
            types = types or _type_system_at(path)
        types = _completed(types, structures)
        text, annotations = _text_and_annotations(structures, types)
        return _row_of(text, annotations, types, name_by_file(path), reading), "char"

    return read_form(Rows(str(path), [data], [0]), Form(translate), reading)


def _xmi_structures(root: Element) -> list[Row]:
    """The elements of XMI as objects of JSON CAS."""
    if root.tag != XMI + "XMI":
        raise ContentError(f"an XML file of {brief(root.tag)}", "expected the XMI of a CAS")
    found = []
    for one in root:  # "{http:///a/b.ecore}C" stands for the type a.b.C
        package, _, name = one.tag.removeprefix("{http:///").rpartition(".ecore}")
        kind = f"{package}.{name}".replace("/", ".").removeprefix("uima.noNamespace.")
        members = one.get("members", "").split()
        own = {"%ID": one.get(XMI + "id"), "%TYPE": kind, "%SOFA": one.get("sofa")}
        found.append({**one.attrib, **own, "%MEMBERS": members})
    return found


def _json_structures(row: Row) -> tuple[list[Row], _Types]:
    """The objects of JSON CAS, its views among them, and its types."""
    keys = ("%TYPES", "%FEATURE_STRUCTURES", "%VIEWS")
    if not any(key in row for key in keys):
        raise ContentError("no UIMA JSON CAS", f"expected the keys {', '.join(keys)}")
    types, described = _Types(), json_value(row, "%TYPES", dict, {})
    for name in described:
        said = json_value(described, name, dict, {})
        types.above[name] = json_value(said, "%SUPER_TYPE", str, "")
        features = {key: json_value(said, key, dict, {}) for key in said if key[:1] != "%"}
        types.features[name] = {key: str(one.get("%RANGE")) for key, one in features.items()}
    types.described = frozenset(described)
    structures = [
        {**one, "sofa": one.get("@sofa")} for one in _objects_in(row, "%FEATURE_STRUCTURES")
    ]
    return structures + [{**one, "%TYPE": VIEW} for one in _objects_in(row, "%VIEWS")], types


def _objects_in(row: Row, key: str) -> list[Row]:
    """The objects in a list, or in an object."""
    found = row.get(key)
    every: Any = found.values() if isinstance(found, dict) else found
    return [one for one in every if isinstance(one, dict)] if isinstance(every, Iterable) else []


def _completed(types: _Types | None, structures: list[Row]) -> _Types:
    """The types with those that no type system describes, and the features that they have there.

    Features that are only numbers could be references, and have no kind.
    """
    is_unknown, types = types is None, types or _Types()
    unknown = [one for one in structures if str(one.get("%TYPE")) not in types.described]
    if is_unknown or any(str(one.get("%TYPE")).startswith(DKPRO) for one in unknown):
        types.features.setdefault(NAMED_ENTITY, dict.fromkeys(LABELS[:2], "String"))
    for one in unknown:
        own = types.features.setdefault(str(one.get("%TYPE")), {})
        for key, value in one.items():
            if not key.startswith(("%", "{", "@", "^")):
                is_text = key in LABELS or type(value) is str and not REFERENCES.fullmatch(value)
                own[key] = "String" if is_text else own.get(key, "")
    return types


def _text_and_annotations(structures: list[Row], types: _Types) -> tuple[str, list[Row]]:
    """The text of the initial view, or of the only one that has a text, and what is in it."""
    views = [one for one in structures if one.get("%TYPE") == VIEW]
    structures = [one for one in structures if one.get("%TYPE") != VIEW]
    sofas = [one for one in structures if one.get("%TYPE") == SOFA]
    texts = [one for one in sofas if one.get("sofaString") is not None]
    initial = [one for one in texts if one.get("sofaID") == "_InitialView"]
    if not initial and len(texts) != 1:
        raise ContentError(f"{len(texts)} views with a text", "expected one")
    sofa = (initial or texts)[0]
    if type(sofa["sofaString"]) is not str:
        raise ContentError(f"the text is {brief(sofa['sofaString'])}", "expected a text")
    others = [one for one in structures if one.get("%TYPE") != SOFA]  # an id may be a text's, too
    known = {repr(one["%ID"]): one for one in others if one.get("%ID") is not None}
    if len(known) < len(others) or not all(type(one.get("%TYPE")) is str for one in others):
        raise ContentError("elements without a type, or without an id of their own", DAMAGED)
    every = {repr(one) for view in views for one in json_value(view, "%MEMBERS", list, [])}
    if nowhere := sorted(every - {*known, *(repr(one.get("%ID")) for one in sofas)}):
        raise ContentError(f"a view lists the element {nowhere[0]}, which is not there", DAMAGED)
    texts_of_views = {repr(view.get("%SOFA")) for view in views if "%MEMBERS" in view}
    if lost := sorted(texts_of_views - {repr(one.get("%ID")) for one in sofas} - {"None"}):
        raise ContentError(f"a view is of the text (sofa) {lost[0]}, which is not there", DAMAGED)
    own = [view for view in views if view.get("%SOFA") == sofa.get("%ID") and "%MEMBERS" in view]
    if not own and any("end" in one and one.get("sofa") == sofa.get("%ID") for one in others):
        raise ContentError("no view lists the annotations of the text", DAMAGED)
    members = {repr(one) for view in own for one in json_value(view, "%MEMBERS", list, [])}
    return sofa["sofaString"], [one for key, one in known.items() if key in members]


def _row_of(text: str, annotations: list[Row], types: _Types, name: str, reading: Reading) -> Row:
    """The row of a CAS; `name` is that of its file."""
    at = utf_16_places(text)

    def of_type(*names: str) -> list[Row]:
        return [one for one in annotations if not {*names}.isdisjoint(types.line_of(one["%TYPE"]))]

    tokens, sentences = (
        [_place_of(one, at) for one in of_type(kind)] for kind in (TOKEN, SENTENCE)
    )
    row = text_row(text, tokens, sentences)
    for said in of_type(METADATA)[:1]:
        name = said.get("documentTitle") or said.get("documentId") or name
    if type(name) is not str:  # of JSON
        raise ContentError(f"the document is called {brief(name)}", "expected a text")
    kind = _span_type(annotations, types, reading.type)
    # what DKPro calls otherwise is an entity, too, if no type system says what it is
    more = {one["%TYPE"] for one in annotations if one["%TYPE"].startswith(ENTITIES)}
    names = {kind} if reading.type or kind != NAMED_ENTITY else {kind, *more - types.described}
    spans = _spans_of(of_type(*names), kind, types, reading.feature, at)
    return {**row, "id": name, "spans": spans}


def _place_of(annotation: Row, at: Mapping[Any, int]) -> Stretch:
    """(start, end) of an annotation in characters."""
    given = [annotation.get(key) for key in ("begin", "end")]
    texts = [str(one) for one in given if type(one) in (int, str)]
    places = [at.get(int(one), -1) for one in texts if INTEGER.fullmatch(one)]
    if len(places) < 2 or not 0 <= places[0] <= places[1]:
        raise ContentError(
            f"{last_part(annotation['%TYPE'])} [{given[0]}, {given[1]}) in a text of "
            f"{max(at)} units",
            "offsets count UTF-16 units of the text, and lie in it",
        )
    return places[0], places[1]


def last_part(name: str) -> str:
    """The name of a type without those of the packages around it."""
    return name.rpartition(".")[2]


def _span_type(annotations: list[Row], types: _Types, asked: str | None) -> str:
    """The name of the type of the spans."""
    counts = Counter(one["%TYPE"] for one in annotations)
    listed = ", ".join(f"{name} ({counts[name]})" for name in sorted(counts)) or "no annotations"
    names = {*types.features, *counts}
    if asked is not None:
        names = {one for one in names if asked in (one, last_part(one))}
        named = [one for one in names if types.is_annotation(one)]
        if len(named) == 1:
            return named[0]
        raise ContentError(f"no type {quoted(asked)} of annotations", f"the file has {listed}")
    if any(NAMED_ENTITY in types.line_of(one) or one.startswith(ENTITIES) for one in counts):
        return NAMED_ENTITY
    own = sorted(
        name
        for name in names
        if (name.startswith("webanno.custom.") or name not in types.described)
        and not name.startswith((*DKPRO, "uima."))
        and types.is_annotation(name)
        and not types.features.get(name, {}).keys() >= {"Governor", "Dependent"}  # no arrows
    )
    used = [name for name in own if counts[name]]
    candidates = used or [NAMED_ENTITY] * (NAMED_ENTITY in names) or own
    if len(candidates) != 1:
        advice = f"name their type (type: --type); the file has {listed}"
        raise ContentError("it is not clear which annotations are meant", advice)
    return candidates[0]


def _spans_of(
    annotations: list[Row], name: str, types: _Types, label: str | None, at: Mapping[Any, int]
) -> list[Row]:
    """The spans of annotations of a type."""
    kinds = types.kinds_of(name)
    strings = [key for key, kind in kinds.items() if kind == "String"]
    feature, default = label_feature(label)
    keys = [key for key in LABELS if key in strings] or (strings if len(strings) == 1 else [])
    keys = [feature] if feature else keys[:1] if "value" in keys else keys
    if default is None and (not keys or keys[0] not in kinds):
        advice = "name that of the label, or give spans a label (--label-feature value=LABEL)"
        raise ContentError(f"{name} has the features {', '.join(kinds) or 'none'}", advice)
    spans = []
    for one in annotations:
        start, end = _place_of(one, at)
        said = {
            key: value_of(value, kinds[key]) if isinstance(value, str) else value
            for key, value in one.items()
            if kinds.get(key)
        }
        key = next((key for key in keys if said.get(key) not in (None, "")), None)
        found = default if key is None else str(said.pop(key))
        if found is None:
            raise ContentError(
                f"{one['%TYPE']} [{start}, {end}) has no {' or '.join(keys)}",
                "fill it in, name the feature that has the label, or give such spans a label "
                f"(--label-feature {keys[0]}=LABEL)",
            )
        spans.append(span_row(start, end, found, said))
    return spans


def _type_system_at(path: PathLike) -> _Types | None:
    """The type system beside a file or in a folder above it, if any; no link to elsewhere."""
    for folder in [*path_of(path).absolute().parents][: 1 + FOLDERS_UP]:
        file = folder / TYPE_SYSTEM
        if file.is_file() and not file.is_symlink():
            return _type_system(bounded_bytes(file), file)
    return None


def _type_system(data: bytes, path: PathLike) -> _Types:
    """A type system from the bytes of its XML."""
    types = _Types()
    for said in xml_of(data, path).iterfind(".//{*}typeDescription"):
        name = said.findtext("{*}name", "").strip()
        types.above[name] = said.findtext("{*}supertypeName", "").strip()
        types.features[name] = {
            one.findtext("{*}name", "").strip(): one.findtext("{*}rangeTypeName", "").strip()
            for one in said.iterfind(".//{*}featureDescription")
        }
    types.described = frozenset(types.features)
    return types
