"""A UIMA CAS in XMI or JSON: the text, its types, and the annotations of one type as spans.

Not by dkpro-cassis: it makes Python code of the names in a type system, which a stranger chose, and
for one damaged annotation it refuses the file. Here offsets and simple features are enough.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

from ..measures.messages import quoted
from .blemishes import sound_entries
from .corpus import Corpus, Stretch
from .encodings import not_utf8
from .errors import ContentError, PathLike
from .files import name_by_file
from .forms import Form, read_form
from .json_rows import Row, Rows, parsed_row
from .keys import Reading
from .paths import path_of
from .rows import brief, json_value
from .safe_xml import bounded_bytes, xml_of
from .standoff import READ_AS, label_feature, span_row, text_row, utf_16_places, value_of

DKPRO = ("de.tudarmstadt.ukp.", "org.dkpro.core.")
CORE = DKPRO[0] + "dkpro.core.api."
TOKEN, SENTENCE = (CORE + f"segmentation.type.{name}" for name in ("Token", "Sentence"))
METADATA = CORE + "metadata.type.DocumentMetaData"
ENTITIES = CORE + "ner.type."
NAMED_ENTITY = ENTITIES + "NamedEntity"
ANNOTATION = "uima.tcas.Annotation"
LABELS = ("value", "identifier", "label")
PLACE = ("sofa", "begin", "end")
GIVE_LABEL = (
    "fill it in, name the feature that has the label, or give such spans a label "
    "(--label-feature {}=LABEL)"
)
TYPE_SYSTEM = "TypeSystem.xml"
FOLDERS_UP = 3
MAX_LINE = 64  # types above each other
XMI = "{http://www.omg.org/XMI}"
ID = XMI + "id"
REFERENCES = re.compile(r"[\d\s]*")  # to other structures; numbers look like them
INTEGER = re.compile("-?[0-9]{1,18}")
SOFA, VIEW = "uima.cas.Sofa", "uima.cas.View"
DAMAGED = "the file is damaged; export it again"
JSON_KEYS = ("%TYPES", "%FEATURE_STRUCTURES", "%VIEWS")


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
            of_entities = name.startswith(ENTITIES) and name != NAMED_ENTITY
            name = self.above.get(name) or (NAMED_ENTITY if of_entities else "")
        return found

    def features_of(self, name: str) -> dict[str, str]:
        """The kinds of the features of a type and those above it."""
        found: dict[str, str] = {}
        for one in self.line_of(name):
            found = {**self.features.get(one, {}), **found}
        return {name: kind for name, kind in found.items() if name not in PLACE}

    def kind_of(self, name: str) -> str:
        """The kind of values of a type: "String" also of its subtypes."""
        return next((one for one in map(last_part, self.line_of(name)) if one in READ_AS), "")

    def is_annotation(self, name: str) -> bool:
        """Whether the structures of a type have a place in the text."""
        if name in self.described:
            return ANNOTATION in self.line_of(name)
        return {*self.features.get(name, PLACE)} >= {"begin", "end"}


@dataclass(frozen=True)
class _Cas:
    """A text, and the annotations in it: (type, attributes)."""

    text: str
    annotations: list[tuple[str, Row]]
    types: _Types

    def of_type(self, name: str) -> list[tuple[str, Row]]:
        """The annotations of a type and those below it."""
        names = {one for one, _ in self.annotations}
        below = {one for one in names if name in self.types.line_of(one)}
        return [one for one in self.annotations if one[0] in below]


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
        return _row_of(_cas_of(data, path, types), name_by_file(path), reading), "char"

    return read_form(Rows(str(path), [data], [0]), Form(translate), reading)


def _cas_of(data: bytes, path: PathLike, types: _Types | None) -> _Cas:
    """The CAS in a file. Of XMI without a type system, the features that are there are texts."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        try:
            row = parsed_row(data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise not_utf8(path, data) from None
        if not any(key in row for key in JSON_KEYS):
            raise ContentError("no UIMA JSON CAS", f"expected the keys {', '.join(JSON_KEYS)}")
        structures, views = _objects_in(row, "%FEATURE_STRUCTURES"), _objects_in(row, "%VIEWS")
        return _joined(structures, views, types or _types_of_json(row, structures))
    root = xml_of(data, path)
    if root.tag != XMI + "XMI":
        raise ContentError(f"an XML file of {brief(root.tag)}", "expected the XMI of a CAS")
    structures = [{**one.attrib, "%ID": one.get(ID), "%TYPE": _type_of(one)} for one in root]
    views = [
        {"%SOFA": one.get("sofa"), "%MEMBERS": one.get("members", "").split()}
        for one in structures
        if one["%TYPE"] == VIEW
    ]
    return _joined(structures, views, types or _type_system_at(path) or _types_of_xmi(structures))


def _joined(structures: list[Row], views: list[Row], types: _Types) -> _Cas:
    """The text of the initial view, or of the only one that has a text, and what is in it."""
    structures = _sound_structures(structures, views, types)
    sofas = [one for one in structures if one["%TYPE"] == SOFA]
    texts = [one for one in sofas if one.get("sofaString") is not None]
    initial = [one for one in texts if one.get("sofaID") == "_InitialView"]
    if not initial and len(texts) != 1:
        raise ContentError(f"{len(texts)} views with a text", "expected one")
    sofa = (initial or texts)[0]
    if type(sofa["sofaString"]) is not str:
        raise ContentError(f"the text is {brief(sofa['sofaString'])}", "expected a text")
    own = [view for view in views if view.get("%SOFA") == sofa["%ID"] and "%MEMBERS" in view]
    if not own and any("end" in one and _sofa_of(one) == sofa["%ID"] for one in structures):
        raise ContentError("no view lists the annotations of the text", DAMAGED)
    members = _members_of(own)
    found = [(one["%TYPE"], one) for one in structures if repr(one["%ID"]) in members]
    return _Cas(sofa["sofaString"], [one for one in found if one[1] not in sofas], types)


def _sound_structures(structures: list[Row], views: list[Row], types: _Types) -> list[Row]:
    """The structures but for damaged ones, which are left out, as are members that are nowhere."""
    structures = [one for one in structures if one.get("%TYPE") != VIEW]
    ids = {_key_of(one) for one in structures if one.get("%ID") is not None}
    seen: set[tuple[bool, str]] = set()

    def check(one: Row) -> Row:
        name, key, sofa = one.get("%TYPE"), _key_of(one), _sofa_of(one)
        kind = name if isinstance(name, str) else "an element"
        is_placed = "end" in one and (kind not in types.described or types.is_annotation(kind))
        if type(name) is not str:
            wrong = "has no type (%TYPE)"
        elif one.get("%ID") is None:
            wrong = "has no id (xmi:id, %ID)"
        elif key in seen:
            wrong = f"has the id {brief(one['%ID'])} of another element"
        elif is_placed and (True, repr(sofa)) not in ids:
            wrong = f"belongs to the text (sofa) {brief(sofa)}, which is not there"
        else:
            seen.add(key)
            return one
        place = f" [{one.get('begin')}, {one['end']})" if is_placed else ""
        raise ContentError(f"{last_part(kind)}{place} {wrong}", DAMAGED)

    def miss(member: str) -> None:
        raise ContentError(f"a view lists the element {member}, which is not there", DAMAGED)

    sound = [*sound_entries(structures, check)]
    nowhere = sorted(_members_of(views) - {one for _, one in ids})
    n_known = len(structures) - len(ids)  # members whose elements have no id, or that of another
    list(sound_entries(nowhere[n_known:], miss))
    return sound


def _key_of(structure: Row) -> tuple[bool, str]:
    """What a structure is found by; a text and an annotation may have the same id."""
    return structure.get("%TYPE") == SOFA, repr(structure.get("%ID"))


def _sofa_of(structure: Row) -> Any:
    """The id of the text that a structure belongs to, in XMI or JSON."""
    return structure.get("sofa", structure.get("@sofa"))


def _members_of(views: list[Row]) -> set[str]:
    """The ids of what is in views, as Python writes them."""
    return {repr(one) for view in views for one in json_value(view, "%MEMBERS", list, [])}


def _types_of_xmi(structures: list[Row]) -> _Types:
    """The types in XMI. Features that are only numbers could be references, and have no kind."""
    types = _Types(features={NAMED_ENTITY: dict.fromkeys(LABELS[:2], "String")})
    for one in structures:
        own = types.features.setdefault(one["%TYPE"], {})
        for key, value in one.items():
            if not key.startswith(("%", "{")):
                is_text = key in LABELS or not REFERENCES.fullmatch(value)
                own[key] = "String" if is_text else own.get(key, "")
    return types


def _types_of_json(row: Row, structures: list[Row]) -> _Types:
    """The types in JSON, which are described there, but sometimes not DKPro's."""
    types, own = _Types(), json_value(row, "%TYPES", dict, {})
    for name in own:
        said = json_value(own, name, dict, {})
        types.above[name] = json_value(said, "%SUPER_TYPE", str, "")
        features = {key: json_value(said, key, dict, {}) for key in said if key[:1] != "%"}
        types.features[name] = {key: str(one.get("%RANGE")) for key, one in features.items()}
    types.described = frozenset(own)
    unknown = {str(one.get("%TYPE")) for one in structures} - types.described
    if any(name.startswith(DKPRO) for name in unknown):
        types.features.setdefault(NAMED_ENTITY, dict.fromkeys(LABELS[:2], "String"))
    return types


def _type_of(element: Element) -> str:
    """The name of the type of an element of XMI: "{http:///a/b.ecore}C" stands for a.b.C."""
    package, _, name = element.tag.removeprefix("{http:///").rpartition(".ecore}")
    return f"{package}.{name}".replace("/", ".").removeprefix("uima.noNamespace.")


def _objects_in(row: Row, key: str) -> list[Row]:
    """The objects in a list, or in an object."""
    found = row.get(key)
    every: Any = found.values() if isinstance(found, dict) else found
    return [one for one in every if isinstance(one, dict)] if isinstance(every, Iterable) else []


def _row_of(cas: _Cas, name: str, reading: Reading) -> Row:
    """The row of a CAS; `name` is that of its file."""
    at = utf_16_places(cas.text)
    place = partial(_place_of, at=at)
    borders = [[*sound_entries(cas.of_type(kind), place)] for kind in (TOKEN, SENTENCE)]
    row = text_row(cas.text, *borders)
    for _, said in cas.of_type(METADATA)[:1]:
        name = said.get("documentTitle") or said.get("documentId") or name
    if type(name) is not str:  # of JSON
        raise ContentError(f"the document is called {brief(name)}", "expected a text")
    spans = _spans_of(cas, _span_type(cas, reading.type), reading.feature, at)
    return {**row, "id": name, "spans": spans}


def _place_of(annotation: tuple[str, Row], at: Mapping[int, int]) -> Stretch:
    """(start, end) of an annotation in characters."""
    name, said = annotation
    found: list[int] = []
    for key in ("begin", "end"):
        value = said.get(key)
        if type(value) is not int and not (isinstance(value, str) and INTEGER.fullmatch(value)):
            what = f"{key} of a {last_part(name)} is {brief(value)}"
            raise ContentError(what, "expected a whole number; export the file again")
        found.append(at.get(int(value), -1))
    if min(found) < 0 or found[0] > found[1]:
        what = f"{last_part(name)} [{said['begin']}, {said['end']}) in a text of {max(at)} units"
        raise ContentError(what, "offsets count UTF-16 units of the text, and lie in it")
    return found[0], found[1]


def last_part(name: str) -> str:
    """The name of a type without those of the packages around it."""
    return name.rpartition(".")[2]


def _span_type(cas: _Cas, asked: str | None) -> str:
    """The name of the type of the spans."""
    types, counts = cas.types, Counter(name for name, _ in cas.annotations)
    has_entities = NAMED_ENTITY in types.features or bool(cas.of_type(NAMED_ENTITY))
    names = {*types.features, *counts, *([NAMED_ENTITY] if has_entities else [])}
    listed = ", ".join(f"{name} ({counts[name]})" for name in sorted(counts)) or "no annotations"
    if asked is not None:
        named = [
            one for one in names if asked in (one, last_part(one)) and types.is_annotation(one)
        ]
        if len(named) == 1:
            return named[0]
        raise ContentError(f"no type {quoted(asked)} of annotations", f"the file has {listed}")
    own = sorted(
        name
        for name in names
        if (name.startswith("webanno.custom.") or name not in types.described)
        and not name.startswith((*DKPRO, "uima."))
        and types.is_annotation(name)
        and not types.features.get(name, {}).keys() >= {"Governor", "Dependent"}  # no arrows
    )
    entities = [NAMED_ENTITY] * has_entities
    used = [name for name in own if counts[name]]
    candidates = entities if cas.of_type(NAMED_ENTITY) else used or entities or own
    if len(candidates) != 1:
        advice = f"name their type (type: --type); the file has {listed}"
        raise ContentError("it is not clear which annotations are meant", advice)
    return candidates[0]


def _spans_of(cas: _Cas, name: str, label: str | None, at: Mapping[int, int]) -> list[Row]:
    """The spans of all annotations of a type."""
    kinds = {key: cas.types.kind_of(kind) for key, kind in cas.types.features_of(name).items()}
    strings = [key for key, kind in kinds.items() if kind == "String"]
    feature, default = label_feature(label)
    keys = [key for key in LABELS if key in strings] if feature is None else [feature]
    if not keys and len(strings) == 1:
        keys = strings
    if feature is None and LABELS[0] in keys:
        keys = [LABELS[0]]
    if default is None and (not keys or keys[0] not in kinds):
        advice = "name that of the label, or give spans a label (--label-feature value=LABEL)"
        raise ContentError(f"{name} has the features {', '.join(kinds) or 'none'}", advice)

    def convert(annotation: tuple[str, Row]) -> Row:
        start, end = _place_of(annotation, at)
        said = {
            key: value_of(value, kinds[key]) if isinstance(value, str) else value
            for key, value in annotation[1].items()
            if kinds.get(key)
        }
        key = next((key for key in keys if said.get(key) not in (None, "")), None)
        found = default if key is None else str(said.pop(key))
        if found is None:
            what = f"{annotation[0]} [{start}, {end}) has no {' or '.join(keys)}"
            raise ContentError(what, GIVE_LABEL.format(keys[0]))
        return span_row(start, end, found, said)

    return [*sound_entries(cas.of_type(name), convert)]


def _type_system_at(path: PathLike) -> _Types | None:
    """The type system beside a file or in a folder above it, if any; no link to elsewhere."""
    for folder in [*path_of(path).absolute().parents][: 1 + FOLDERS_UP]:
        file = folder / TYPE_SYSTEM
        if file.is_file() and not os.path.islink(file):
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
