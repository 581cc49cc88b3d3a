"""UIMA CAS, of INCEpTION and DKPro: one annotator of one document per file, or a whole project.

Not by dkpro-cassis: it makes Python code of the names in a type system, which a stranger chose, and
for one damaged annotation it refuses the file. Here offsets and simple features are enough.
"""

import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element

from ..measures.messages import quoted
from .annotators import by_annotator
from .blemishes import part_of, sound_entries
from .corpus import Corpus, Document, Stretch
from .encodings import not_utf8
from .errors import ContentError, FormatError, PathLike
from .files import name_by_file
from .forms import Form, read_form
from .gate import utf_16_places
from .keys import Reading
from .paths import path_of
from .rows import Row, Rows, brief, json_value, parsed_row
from .safe_xml import MAX_BYTES, bounded_bytes, xml_of
from .standoff import label_feature, span_row, text_row
from .webanno import corpus_of_lines

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
    "fill it in, name the feature that has the label (label: --label-feature), or give such spans "
    "a label (--label-feature {}=LABEL)"
)
TYPE_SYSTEM = "TypeSystem.xml"
FOLDERS_UP = 3
MAX_LINE = 64  # types above each other
MAX_PROJECT = 2**28  # bytes of the files that the zips of a project hold
XMI = "{http://www.omg.org/XMI}"
CAS = "{http:///uima/cas.ecore}"
TYPE = re.compile(r"\{http:///(.+)\.ecore\}(.+)")
REFERENCES = re.compile(r"[\d\s]*")  # to other structures; numbers look like them
INTEGER = re.compile("-?[0-9]{1,18}")
READ_AS: dict[str, Any] = {
    "String": str,
    "Boolean": {"true": True, "false": False}.__getitem__,
    **dict.fromkeys(("Byte", "Short", "Integer", "Long"), int),
    **dict.fromkeys(("Float", "Double"), float),
}
MAGIC = b"PK\x03\x04"
# files of a project of INCEpTION: (document, annotator), and the text before any annotation
OF_ANNOTATOR = re.compile(r"annotation/([^/]+)/([^/]+)\.(zip|xmi|json|tsv)")
NO_CAS = (
    "a project without annotations as XMI, JSON or TSV; export it again, with the secondary format "
    "UIMA CAS XMI, UIMA CAS JSON or WebAnno TSV"
)


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
        return next((one for one in map(_last_part, self.line_of(name)) if one in READ_AS), "")

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


def read_cas(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of one file, with the layer "spans": XMI, JSON CAS, or a zip of one of them.

    Tokens and sentences are those of DKPro; without tokens, positions are characters. Offsets
    count UTF-16 units in the file and characters here. The document is named by its documentTitle
    (INCEpTION's exports have the annotator in documentId), else its documentId, else its file.

    Spans are the annotations of the `type` that is named, in full or by the last part of its name;
    by default DKPro's NamedEntity, or if there are none, the only type of INCEpTION's own span
    layers that has annotations. Labels are the `feature` that is named, by default `value`; of
    types without it, `identifier` or `label`, the first that a span has, or the only feature that
    is a string. With "value=none", spans without a value have the label "none". Other features that
    are strings, numbers or truth are kept.

    The `typesystem` is by default TypeSystem.xml, in the zip, beside the file, or up to three
    folders above. XMI without one is read without features that are only numbers.

    A zip of a project of INCEpTION has a layer for each annotator: those who have a file in the
    folder of a document, which may be WebAnno TSV, too.

    UIMA has no discontinuous annotations: the pieces of a span are read from the feature
    `fragments` ("0-4 15-21", in characters), if it has one.
    """
    file = reading.typesystem
    types = None if file is None else _type_system(bounded_bytes(file), file)

    def corpus_of(data: bytes, packed: Mapping[str, bytes], file: PathLike) -> Corpus:
        def translate(data: bytes, reading: Reading) -> tuple[Row, str]:
            return _row_of(_cas_of(data, packed, file, types), name_by_file(file), reading), "char"

        source = Rows(str(file), [data], [0])
        return read_form(source, Form(translate), reading)

    data = bounded_bytes(path)
    packed = _zip_members(data, path)
    files = [(name, match) for name in sorted(packed) if (match := OF_ANNOTATOR.fullmatch(name))]
    if not files or len(files) < len(packed):
        return corpus_of(data, packed, path)
    rows: list[tuple[Document, str]] = []
    units: set[str] = set()
    left = MAX_PROJECT
    for name, match in files:
        if match[2] == "INITIAL_CAS":
            continue
        file = f"{path}/{name}"
        inner = _zip_members(packed[name], file)
        left -= sum(map(len, inner.values()))
        if left < 0:
            raise FormatError("unpacked it is too large; divide the project", path)
        with part_of(file):
            if match[3] == "tsv":
                corpus = _webanno_in(packed[name], file, reading)
            else:
                corpus = corpus_of(packed[name], inner, file)
        rows.append((replace(corpus.documents[0], name=match[1]), match[2]))
        units.add(corpus.positions)
    if len(units) != 1:
        some = "some files with tokens, and others without; export all of them again"
        raise FormatError(some if rows else NO_CAS, path)
    return Corpus(str(path), by_annotator(path, rows), units.pop())


def _webanno_in(data: bytes, path: PathLike, reading: Reading) -> Corpus:
    """The same of WebAnno TSV, of named entities if they are one layer of several.

    A file has no layer in which nothing is annotated.
    """
    try:
        rows = io.StringIO(data.decode("utf-8-sig"), newline=None).readlines()
    except UnicodeDecodeError:
        raise FormatError("not UTF-8 text; export the project again", path) from None
    corpus = corpus_of_lines(rows, path, reading)
    names = corpus.layer_names
    if reading.type is None and len(names) > 1 and _last_part(NAMED_ENTITY) in names:
        return _webanno_in(data, path, replace(reading, type=_last_part(NAMED_ENTITY)))
    if len(names) > 1:
        what = f"layers {', '.join(names)}; name the type of the spans (type: --type)"
        raise FormatError(what, path)
    (document,) = corpus.documents
    return corpus if names else replace(corpus, documents=[replace(document, layers={"spans": ()})])


def _cas_of(data: bytes, packed: Mapping[str, bytes], path: PathLike, types: _Types | None) -> _Cas:
    """The CAS in a file, or in one of the files of a zip."""
    described = None
    if data.startswith(MAGIC):
        data, described = _of_document(packed)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        try:
            return _cas_of_json(parsed_row(data.decode("utf-8-sig")), types)
        except UnicodeDecodeError:
            raise not_utf8(path, data) from None
    root = xml_of(data, path)
    if root.tag != XMI + "XMI":
        raise ContentError(f"an XML file of {brief(root.tag)}", "expected the XMI of a CAS")
    if types is None:
        types = _type_system(described, path) if described else _type_system_at(path)
    return _cas_of_xmi(root, types)


def _cas_of_xmi(root: Element, types: _Types | None) -> _Cas:
    """The CAS of XMI. Without a type system, types have the features that are there as texts."""
    every = [(name, one) for one in root if (name := _type_of(one))]
    if types is None:
        types = _Types(features={NAMED_ENTITY: dict.fromkeys(LABELS[:2], "String")})
        for name, one in every:
            own = types.features.setdefault(name, {})
            for key, value in one.attrib.items():
                if key in LABELS or own.get(key) or not REFERENCES.fullmatch(value):
                    own[key] = "String"
                elif not key.startswith(XMI):
                    own.setdefault(key, "")
    sofas = [
        (one.get(XMI + "id", ""), one.get("sofaID"), one.get("sofaString"))
        for one in root.findall(CAS + "Sofa")
    ]
    sofa, text = _text_of(sofas)
    views = [one for one in root.findall(CAS + "View") if one.get("sofa") == sofa]
    members = {number for one in views for number in one.get("members", "").split()}
    annotations: list[tuple[str, Row]] = [
        (name, dict(one.attrib)) for name, one in every if one.get(XMI + "id") in members
    ]
    return _Cas(text, annotations, types)


def _type_of(element: Element) -> str:
    """The name of the type of an element of XMI: "{http:///a/b.ecore}C" stands for a.b.C."""
    match = TYPE.fullmatch(element.tag)
    if match is None or element.tag.startswith(CAS):
        return ""
    return f"{match[1]}.{match[2]}".replace("/", ".").removeprefix("uima.noNamespace.")


def _text_of(sofas: list[tuple[Any, Any, Any]]) -> tuple[Any, str]:
    """(id, text) of the initial view, or of the only one that has a text."""
    found = [one for one in sofas if one[2] is not None]
    initial = [one for one in found if one[1] == "_InitialView"]
    if not initial and len(found) != 1:
        raise ContentError(f"{len(found)} views with a text", "expected one")
    number, _, text = (initial or found)[0]
    if type(text) is not str:
        raise ContentError(f"the text is {brief(text)}", "expected a text; export it again")
    return number, text


def _cas_of_json(row: Row, types: _Types | None) -> _Cas:
    """The CAS of JSON, which brings its types along, but sometimes not DKPro's."""
    if not any(key in row for key in ("%TYPES", "%FEATURE_STRUCTURES", "%VIEWS")):
        keys = "%TYPES, %FEATURE_STRUCTURES, %VIEWS"
        raise ContentError("no UIMA JSON CAS", f"expected the keys {keys}")
    own = json_value(row, "%TYPES", dict, {})
    if types is None:
        types = _Types()
        for name in own:
            said = json_value(own, name, dict, {})
            types.above[name] = json_value(said, "%SUPER_TYPE", str, "")
            types.features[name] = {
                key: str(json_value(said, key, dict, {}).get("%RANGE"))
                for key in said
                if not key.startswith("%")
            }
        types.described = frozenset(own)
    structures = _objects_in(row, "%FEATURE_STRUCTURES")
    if any(str(one.get("%TYPE")).startswith(DKPRO) for one in structures):
        types.features.setdefault(NAMED_ENTITY, dict.fromkeys(LABELS[:2], "String"))
    sofas = [one for one in structures if one.get("%TYPE") == "uima.cas.Sofa"]
    sofa, text = _text_of(
        [(one.get("%ID"), one.get("sofaID"), one.get("sofaString")) for one in sofas]
    )
    members: list[Any] = []
    for view in _objects_in(row, "%VIEWS"):
        members += json_value(view, "%MEMBERS", list, []) if view.get("%SOFA") == sofa else []
    by_number = {repr(one.get("%ID")): one for one in structures if one not in sofas}
    found = [by_number[repr(one)] for one in members if repr(one) in by_number]
    return _Cas(text, [(str(one.get("%TYPE")), one) for one in found], types)


def _objects_in(row: Row, key: str) -> list[Row]:
    """The objects in a list, or in an object."""
    found = row.get(key)
    every = (
        [*found.values()] if isinstance(found, dict) else found if isinstance(found, list) else []
    )
    return [one for one in every if isinstance(one, dict)]


def _row_of(cas: _Cas, name: str, reading: Reading) -> Row:
    """The row of a CAS; `name` is that of its file."""
    at = utf_16_places(cas.text)
    place = partial(_place_of, at=at)
    borders = [[*sound_entries(cas.of_type(kind), place)] for kind in (TOKEN, SENTENCE)]
    row = text_row(cas.text, *borders)
    said = [one for _, one in cas.of_type(METADATA)[:1]]
    names = [one.get(key) for key in ("documentTitle", "documentId") for one in said]
    called = next((one for one in names if one), name)
    if type(called) is not str:  # of JSON
        raise ContentError(f"the document is called {brief(called)}", "expected a text")
    return {
        **row,
        "id": called,
        "spans": _spans_of(cas, _span_type(cas, reading.type), reading.feature, at),
    }


def _place_of(annotation: tuple[str, Row], at: Mapping[int, int]) -> Stretch:
    """(start, end) of an annotation in characters."""
    name, said = annotation
    found: list[int] = []
    for key in ("begin", "end"):
        value = said.get(key)
        if type(value) is not int and not (isinstance(value, str) and INTEGER.fullmatch(value)):
            what = f"{key} of a {_last_part(name)} is {brief(value)}"
            raise ContentError(what, "expected a whole number; export the file again")
        found.append(at.get(int(value), -1))
    if min(found) < 0 or found[0] > found[1]:
        what = f"{_last_part(name)} [{said['begin']}, {said['end']}) in a text of {max(at)} units"
        raise ContentError(what, "offsets count UTF-16 units of the text, and lie in it")
    return found[0], found[1]


def _last_part(name: str) -> str:
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
            one for one in names if asked in (one, _last_part(one)) and types.is_annotation(one)
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
        raise ContentError(
            "it is not clear which annotations are meant",
            f"name their type (type: --type); the file has {listed}",
        )
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
        raise ContentError(
            f"{name} has the features {', '.join(kinds) or 'none'}",
            "name the one that has the label (label: --label-feature), or give the spans a label "
            "(--label-feature value=LABEL)",
        )

    def convert(annotation: tuple[str, Row]) -> Row:
        start, end = _place_of(annotation, at)
        said = dict(_values_of(annotation[1], kinds))
        key = next((key for key in keys if said.get(key) not in (None, "")), None)
        found = default if key is None else str(said.pop(key))
        if found is None:
            what = f"{annotation[0]} [{start}, {end}) has no {' or '.join(keys)}"
            raise ContentError(what, GIVE_LABEL.format(keys[0]))
        return span_row(start, end, found, said)

    return [*sound_entries(cas.of_type(name), convert)]


def _values_of(said: Row, kinds: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """(name, value) of the features of an annotation that are simple."""
    for key in said.keys() & kinds:
        value, kind = said[key], kinds[key]
        if kind and isinstance(value, str) and kind != "String":  # of XMI
            try:
                value = READ_AS[kind](value)
            except (ValueError, KeyError):
                what = f"{quoted(key)} is {brief(value)}"
                raise ContentError(what, f"expected {kind}; export the file again") from None
        if kind:
            yield key, value


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


def _zip_members(data: bytes, path: PathLike) -> dict[str, bytes]:
    """The files {name: bytes} of a small zip, of a project those of annotators; {} of no zip."""
    found: dict[str, bytes] = {}
    limit, is_project = MAX_BYTES, False
    if not data.startswith(MAGIC):
        return found
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            is_project = any(name.startswith("exportedproject") for name in packed.namelist())
            for info in packed.infolist():
                name = info.filename
                hidden = name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith(".")
                if info.is_dir() or hidden or is_project and not OF_ANNOTATOR.fullmatch(name):
                    continue
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    what = f"{quoted(name)} is packed in an unusual way; pack it again"
                    raise FormatError(what, path)
                with packed.open(info) as file:
                    found[name] = file.read(limit + 1)
                limit -= len(found[name])
                if limit < 0:
                    what = "unpacked it is too large for one document; divide it"
                    raise FormatError(what, path)
    except FormatError:
        raise
    except Exception as error:  # zipfile raises anything for a damaged file
        raise FormatError(f"not a sound zip file ({error}); copy it again", path) from error
    if is_project and not found:
        raise FormatError(NO_CAS, path)
    return found


def _of_document(packed: Mapping[str, bytes]) -> tuple[bytes, bytes | None]:
    """(the only XMI or JSON file in a zip, its type system), and nothing else."""
    found = [name for name in packed if name.lower().endswith((".xmi", ".json"))]
    types = [name for name in packed if PurePosixPath(name).name == TYPE_SYSTEM]
    if len(found) != 1 or {*packed} - {*found, *types}:
        what = f"a zip file with {', '.join(sorted(packed)[:5]) or 'nothing in it'}"
        raise ContentError(what, f"expected one .xmi or .json, and its {TYPE_SYSTEM}")
    return packed[found[0]], next((packed[name] for name in types), None)
