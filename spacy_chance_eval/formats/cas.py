"""UIMA CAS, of INCEpTION and DKPro: one annotator of one document per file, or a whole project.

dkpro-cassis loads each, after checks that it does not make itself.
"""

import io
import json
import os
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ..measures.messages import quoted
from .annotators import by_annotator
from .blemishes import SPANS, blemishes, leave_out_part, part_of, sound_entries
from .corpus import Corpus, Document, Span, Stretch
from .encodings import not_utf8
from .errors import ContentError, FormatError, PathLike, extra_package, known
from .files import name_by_file
from .json_text import foreign_reason
from .paths import path_of
from .rows import MISALIGNED, Row, are_offsets, brief, checked_span, parsed_row
from .safe_xml import MAX_BYTES, RefusedXMLError, bounded_bytes, checked_xml
from .texts import label_feature, place_spans, place_text, simple_values, with_fragments
from .webanno import corpus_of_lines

SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
TOKEN, SENTENCE = SEGMENTATION + "Token", SEGMENTATION + "Sentence"
METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
LABELS = ("value", "identifier", "label")
PLACE = ("sofa", "begin", "end")
GIVE_LABEL = (
    "fill it in, name the feature that has the label (label: --label-feature), or give such spans "
    "a label (--label-feature {}=LABEL)"
)
TYPE_SYSTEM = "TypeSystem.xml"
MAX_TYPE_SYSTEM = 2**23
MAX_TYPES = 2000
MAX_INHERITED = 2 * 10**6
FOLDERS_UP = 3
MAX_PROJECT = 2**28  # bytes of the files that the zips of a project hold
# Tables of offsets in dkpro-cassis take some 200 bytes a character.
MAX_TEXT = 2**22
JSON_KEYS = ("%TYPES", "%FEATURE_STRUCTURES", "%VIEWS")
XMI_ID = "http://www.omg.org/XMI}id"  # as expat calls it, and as ElementTree does
ID = f"{{{XMI_ID}"
WHOLE = {XMI_ID, "begin", "end", "sofa", "sofaNum"}  # attributes of XMI
LARGEST = 10**18
CAS = "{http:///uima/cas.ecore}"
NO_STRUCTURES = (f"{CAS}Sofa", f"{CAS}View", f"{CAS}NULL")
TOP, ANNOTATION = "uima.cas.TOP", "uima.tcas.Annotation"
INFERRED = "not described"
OFFSET = re.compile(r"-?[0-9]{1,18}")
REFERENCES = re.compile(r"[\d\s]*")
MAGIC = b"PK\x03\x04"
# files of a project of INCEpTION: (document, annotator), and the text before any annotation
OF_ANNOTATOR = re.compile(r"annotation/([^/]+)/([^/]+)\.(zip|xmi|json|tsv)")
NO_CAS = (
    "a project without annotations as XMI, JSON or TSV; export it again, with the secondary format "
    "UIMA CAS XMI, UIMA CAS JSON or WebAnno TSV"
)


def read_cas(
    path: PathLike,
    *,
    type: str | None = None,
    label: str | None = None,
    typesystem: PathLike | None = None,
    misaligned: str = "error",
) -> Corpus:
    """The corpus of one file, with the layer "spans": XMI, JSON CAS, or a zip of one of them.

    Tokens and sentences are those of DKPro; without tokens, positions are characters. Offsets
    count UTF-16 units in the file and characters here. The document is named by its documentTitle
    (INCEpTION's exports have the annotator in documentId), else its documentId, else its file.
    Features of the spans that are strings, numbers or truth are kept beside their label.

    A zip of a project of INCEpTION has a layer for each annotator: those who have a file in the
    folder of a document, which may be WebAnno TSV, too.

    UIMA has no discontinuous annotations: the pieces of a span are read from the feature
    `fragments` ("0-4 15-21", in characters), if it has one.

    Parameters
    ----------
    type : str, optional
        The type of the spans, or the last part of its name. By default DKPro's NamedEntity; if
        there are none, the only type of INCEpTION's own span layers that has annotations.
    label : str, optional
        The feature with the label. By default `value`; of types without it, `identifier` or
        `label`, the first that a span has, or the only feature that is a string. With
        "value=none", spans without a value have the label "none".
    typesystem : str or Path, optional
        By default TypeSystem.xml, in the zip, beside the file, or up to three folders above. XMI
        without one has DKPro's types; others are inferred, without features that are only numbers.
    misaligned : "error" or "unplaced"
        How to treat a span that does not fit the borders of the tokens.
    """
    known(misaligned, MISALIGNED, "value of misaligned")
    types = None
    if typesystem is not None:
        types = _type_system(bounded_bytes(typesystem, MAX_TYPE_SYSTEM), typesystem)
    convert = partial(_document_of, types=types, type=type, label=label, misaligned=misaligned)
    data = bounded_bytes(path)
    packed = _zip_members(data, path)
    files = [(name, match) for name in sorted(packed) if (match := OF_ANNOTATOR.fullmatch(name))]
    if not files or len(files) < len(packed):
        document, positions = convert(data, packed, path)
        return Corpus(str(path), (document,), positions)
    rows: list[tuple[Document, str]] = []
    units: set[str] = set()
    left = MAX_PROJECT
    for name, match in files:
        if match[2] != "INITIAL_CAS":
            file = f"{path}/{name}"
            inner = _zip_members(packed[name], file)
            left -= sum(map(len, inner.values()))
            if left < 0:
                raise FormatError("unpacked it is too large; divide the project", path)
            with part_of(file):
                if match[3] == "tsv":
                    found = _webanno_in(packed[name], file, type, label, misaligned)
                else:
                    found = convert(packed[name], inner, file)
            rows.append((replace(found[0], name=match[1]), match[2]))
            units.add(found[1])
    if len(units) != 1:
        some = "some files with tokens, and others without; export all of them again"
        raise FormatError(some if rows else NO_CAS, path)
    return Corpus(str(path), by_annotator(path, rows), units.pop())


def _webanno_in(
    data: bytes, path: PathLike, type: str | None, label: str | None, misaligned: str
) -> tuple[Document, str]:
    """The same of WebAnno TSV, of named entities if they are one layer of several.

    A file has no layer in which nothing is annotated.
    """
    try:
        rows = io.StringIO(data.decode("utf-8-sig"), newline=None).readlines()
    except UnicodeDecodeError:
        raise FormatError("not UTF-8 text; export the project again", path) from None
    corpus = corpus_of_lines(rows, path, type, label, misaligned)
    names = corpus.layer_names
    if type is None and len(names) > 1 and _last_part(NAMED_ENTITY) in names:
        return _webanno_in(data, path, _last_part(NAMED_ENTITY), label, misaligned)
    if len(names) > 1:
        what = f"layers {', '.join(names)}; name the type of the spans (type: --type)"
        raise FormatError(what, path)
    (document,) = corpus.documents
    return document if names else replace(document, layers={"spans": ()}), corpus.positions


def _document_of(
    data: bytes,
    packed: Mapping[str, bytes],
    path: PathLike,
    types: Any,
    type: str | None,
    label: str | None,
    misaligned: str,
) -> tuple[Document, str]:
    """(the document of a file, or of the files of a zip, its positions)."""
    described = None
    if data.startswith(MAGIC):
        data, described = _of_document(packed, path)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        cas = _load_json(data, path, types)
    else:
        if types is None:
            types = _type_system(described, path) if described else _type_system_at(path)
        cas = _load_xmi(data, path, types)
    cas = _text_view(cas, path)
    try:
        placed = place_text(cas.sofa_string, _borders_of(cas, TOKEN), _borders_of(cas, SENTENCE))
        said = _spans_of(cas, _span_type(cas, type), label)
        found = place_spans(placed, said, misaligned)
    except ContentError as mistake:
        raise FormatError(f"{mistake}.", path) from None
    document = Document(
        placed.words,
        {"spans": found.spans},
        name=_name_of(cas, path),
        sents=placed.sents,
        unplaced={"spans": found.unplaced},
        text=placed.text,
        spaces=placed.spaces,
        features={"spans": found.features},
        copies={"spans": found.copies},
    )
    return document, placed.positions


def _text_view(cas: Any, path: PathLike) -> Any:
    """The view of the text: the initial one, or the only one that has a text."""
    views = [cas.get_view(view.sofa.sofaID) for view in cas.views]
    views = [view for view in views if view.sofa_string is not None]
    initial = [view for view in views if view.get_sofa().sofaID == "_InitialView"]
    if not initial and len(views) != 1:
        raise FormatError(f"{len(views)} views with a text; expected one", path)
    return (initial or views)[0]


def _borders_of(cas: Any, name: str) -> list[Stretch]:
    """The (begin, end) of all annotations of a type, if the type system has it."""
    if not cas.typesystem.contains_type(name):
        return []
    size = len(cas.sofa_string)
    found = [(each.begin, each.end) for each in cas.select(name)]
    for begin, end in found:
        if not are_offsets(begin, end) or not begin <= end <= size:
            raise ContentError(
                f"{_last_part(name)} [{brief(begin)}, {brief(end)}) in a text of {size} characters",
                "offsets are whole numbers inside the text",
            )
    return found


def _name_of(cas: Any, path: PathLike) -> str:
    """The name of the document."""
    said = cas.select(METADATA) if cas.typesystem.contains_type(METADATA) else []
    keys = ("documentTitle", "documentId")
    names = [getattr(each, key, None) for key in keys for each in said[:1]]
    name = next((name for name in names if name), name_by_file(path))
    if type(name) is not str:  # of JSON
        raise FormatError(f"the document is called {brief(name)}; expected a text", path)
    return name


def _last_part(name: str) -> str:
    """The name of a type without those of the packages around it."""
    return name.rpartition(".")[2]


def _span_type(cas: Any, asked: str | None) -> str:
    """The name of the type of the spans."""
    counts = Counter(each.type.name for each in cas.select_all_annotations())
    types = cas.typesystem
    if asked is not None:
        named = [one.name for one in types.get_types() if asked in (one.name, _last_part(one.name))]
        if len(named) == 1 and types.is_instance_of(named[0], ANNOTATION):
            return named[0]
        raise ContentError(
            f"no type {quoted(asked)} of annotations", f"the file has {_type_counts(counts)}"
        )
    own = sorted(
        one.name
        for one in types.get_types()
        if (one.name.startswith("webanno.custom.") or one.description == INFERRED)
        and types.is_instance_of(one, ANNOTATION)
    )
    features = {name: {one.name for one in types.get_type(name).all_features} for name in own}
    own = [name for name in own if not features[name] >= {"Governor", "Dependent"}]  # no arrows
    used = [name for name in own if counts[name]]
    entities = [NAMED_ENTITY] if types.contains_type(NAMED_ENTITY) else []
    marked = any(counts[one.name] for name in entities for one in types.get_type(name).descendants)
    candidates = entities if marked else used or entities or own
    if len(candidates) != 1:
        raise ContentError(
            "it is not clear which annotations are meant",
            f"name their type (type: --type); the file has {_type_counts(counts)}",
        )
    return candidates[0]


def _type_counts(counts: Mapping[str, int]) -> str:
    """Types with the numbers of their annotations."""
    return ", ".join(f"{name} ({counts[name]})" for name in sorted(counts)) or "no annotations"


def _spans_of(cas: Any, name: str, label: str | None) -> list[tuple[Span, dict[str, Any]]]:
    """Rows ((start, end, label), other features) of all annotations of a type."""
    features = [one for one in cas.typesystem.get_type(name).all_features if one.name not in PLACE]
    strings = [one.name for one in features if one.rangeType.name == "uima.cas.String"]
    feature, default = label_feature(label)
    keys = [key for key in LABELS if key in strings] if feature is None else [feature]
    if not keys and len(strings) == 1:
        keys = strings
    if feature is None and LABELS[0] in keys:
        keys = [LABELS[0]]
    names = [one.name for one in features]
    if default is None and (not keys or keys[0] not in names):
        raise ContentError(
            f"{name} has the features {', '.join(names) or 'none'}",
            "name the one that has the label (label: --label-feature), or give the spans a label "
            "(--label-feature value=LABEL)",
        )
    size = len(cas.sofa_string)

    def convert(annotation: Any) -> tuple[Span, dict[str, Any]]:
        said = simple_values({name: getattr(annotation, name) for name in names})
        key = next((key for key in keys if said.get(key) not in (None, "")), None)
        found = default if key is None else str(said.pop(key))
        if found is None:
            place = f"[{annotation.begin}, {annotation.end})"
            raise ContentError(
                f"{annotation.type.name} {place} has no {' or '.join(keys)}",
                GIVE_LABEL.format(keys[0]),
            )
        span = checked_span(annotation.begin, annotation.end, found, size, "characters")
        return with_fragments(span, said, size)

    return sorted(sound_entries(cas.select(name), convert), key=lambda row: row[0])


def _type_system_at(path: PathLike) -> Any:
    """The type system beside a file or in a folder above it, if any; no link to elsewhere."""
    for folder in [*path_of(path).absolute().parents][: 1 + FOLDERS_UP]:
        file = folder / TYPE_SYSTEM
        if file.is_file() and not os.path.islink(file):
            return _type_system(bounded_bytes(file, MAX_TYPE_SYSTEM), file)
    return None


def _type_system(data: bytes, path: PathLike) -> Any:
    """A type system from the bytes of its XML, without comments, if all names in it are names."""
    root = ElementTree.fromstring(checked_xml(data, path))
    types = {}
    for said in root.iterfind(".//{*}typeDescription"):
        name, supertype = (
            said.findtext(f"{{*}}{tag}", "").strip() for tag in ("name", "supertypeName")
        )
        if name in types:
            raise FormatError(f"type {name} is described twice; remove one", path)
        features = said.iterfind(".//{*}featureDescription")
        types[name] = supertype, [one.findtext("{*}name", "").strip() for one in features]
    _check_types(types, path)
    with _only_format_errors(path):
        return _cassis().load_typesystem(io.BytesIO(ElementTree.tostring(root)))


def _cassis() -> Any:
    """The package dkpro-cassis."""
    return extra_package("cassis", "UIMA CAS needs dkpro-cassis", "cas")


def _load_xmi(data: bytes, path: PathLike, types: Any) -> Any:
    """A CAS from the bytes of XMI and its type system, if there is one."""
    cassis = _cassis()
    root = ElementTree.fromstring(checked_xml(data, path, _Watch()))
    with _only_format_errors(path):
        if blemishes() is not None:
            texts = {one.get(ID): one.get("sofaString") or "" for one in root.iter(f"{CAS}Sofa")}
            rows = [(_type_of(one), one.attrib, one.get("sofa")) for one in root]
            lost = {row.get(ID) for row in _misplaced(rows, texts)}
            for view in root.iter(f"{CAS}View"):
                members = view.get("members", "").split()
                view.set("members", " ".join(one for one in members if one not in lost))
        if types is None:
            types = cassis.load_dkpro_core_typesystem()
            _infer_types(root, types, path)
        xmi = io.BytesIO(ElementTree.tostring(root))
        return cassis.load_cas_from_xmi(xmi, typesystem=types)


def _infer_types(root: Element, types: Any, path: PathLike) -> None:
    """Add the types and features of an XMI that a type system lacks, all features as texts.

    Without their types, numbers and references look alike, and lists may be of anything: new
    features that have only numbers, or lists, are removed from the XMI.
    """
    elements: dict[str, list[Element]] = {}
    for element in root:
        if element.tag not in NO_STRUCTURES:
            elements.setdefault(_type_of(element), []).append(element)
    keys = {
        name: {key for one in some for key in one.attrib} - {ID} for name, some in elements.items()
    }
    _check_types({name: (TOP, sorted(keys[name])) for name in keys}, path)
    for name, some in elements.items():
        if not types.contains_type(name, True):
            above = ANNOTATION if keys[name] >= {"begin", "end"} else TOP
            outside = name.startswith(METADATA.removesuffix("type.DocumentMetaData"))  # of layers
            types.create_type(name, above, description=None if outside else INFERRED)
        features = {one.name for one in types.get_type(name).all_features}
        for key in sorted(keys[name] - features):
            if all(REFERENCES.fullmatch(one.get(key, "")) for one in some):
                for one in some:
                    one.attrib.pop(key, None)
            else:
                types.create_feature(name, key, "uima.cas.String")
        for one in some:
            for child in [child for child in one if child.tag not in features]:
                one.remove(child)


def _misplaced(
    rows: Iterable[tuple[str, MutableMapping[str, Any], Any]], texts: Mapping[Any, str]
) -> list[MutableMapping[str, Any]]:
    """The rows (type, attributes, text) with offsets outside of their text; these are now 0."""
    offsets = {
        key: set(accumulate((1 + (letter > "\uffff") for letter in text), initial=0))
        for key, text in texts.items()
    }
    found = []
    for kind, row, key in rows:
        places: list[Any] = [row.get("begin"), row.get("end")]
        if key not in offsets or not all(OFFSET.fullmatch(str(place)) for place in places):
            continue
        if not {*map(int, places)} <= offsets[key]:
            what = f"{kind.rpartition('.')[2]} [{places[0]}, {places[1]})"
            mistake = ContentError(
                f"{what} in a text of {max(offsets[key])} UTF-16 units", "offsets lie in the text"
            )
            leave_out_part(mistake, SPANS)
            row["begin"] = row["end"] = type(places[0])(0)
            found.append(row)
    return found


def _type_of(element: Element) -> str:
    """The name of the type of an element of XMI: "http:///a/b.ecore}C" stands for a.b.C."""
    package, _, name = element.tag.removeprefix("{http:///").rpartition(".ecore}")
    return f"{package}.{name}".replace("/", ".").removeprefix("uima.noNamespace.")


def _load_json(data: bytes, path: PathLike, types: Any) -> Any:
    """A CAS from the bytes of JSON, which brings its types along, but sometimes not DKPro's."""
    cassis = _cassis()
    try:
        text = data.decode("utf-8-sig")
        row = parsed_row(text)
    except UnicodeDecodeError:
        raise not_utf8(path, data) from None
    except ContentError as mistake:
        raise FormatError(f"{mistake.found}; export it again", path) from None
    if not any(key in row for key in JSON_KEYS):
        raise FormatError(f"no UIMA JSON CAS; expected the keys {', '.join(JSON_KEYS)}", path)
    own = row.get("%TYPES")
    if type(own) is not dict or any(type(said) is not dict for said in own.values()):
        raise FormatError("'%TYPES' is not an object of types; export them along", path)
    described = {
        name: (said.get("%SUPER_TYPE"), [key for key in said if not key.startswith("%")])
        for name, said in own.items()
    }
    _check_types(described, path)
    watch, structures = _Watch(), _objects_in(row.get("%FEATURE_STRUCTURES"))
    try:
        for one in structures:
            attributes = {"sofaString": str(one.get("sofaString") or "")}
            if "%ID" in one:
                number = one["%ID"]
                sound = type(number) is int and abs(number) < LARGEST
                attributes[XMI_ID] = str(number) if sound else json.dumps(number)
            watch(attributes | ({"sofaID": ""} if "sofaID" in one else {}))
    except RefusedXMLError as refused:
        raise FormatError(str(refused), path) from None
    if blemishes() is not None:
        texts = {str(one.get("%ID")): str(one.get("sofaString") or "") for one in structures}
        rows = [(str(one.get("%TYPE")), one, str(one.get("@sofa"))) for one in structures]
        lost = {str(one.get("%ID")) for one in _misplaced(rows, texts)}
        for view in _objects_in(row.get("%VIEWS")):
            if type(members := view.get("%MEMBERS")) is list:
                view["%MEMBERS"] = [one for one in members if str(one) not in lost]
        text = json.dumps(row)
    used = {str(one.get("%TYPE")).removesuffix("[]") for one in structures}
    if types is None and not all(name in own or name.startswith("uima.") for name in used):
        types = cassis.load_dkpro_core_typesystem()
    with _only_format_errors(path):
        return cassis.load_cas_from_json(text, typesystem=types)


def _objects_in(found: Any) -> list[Row]:
    """The objects in a list, or in an object."""
    found = found.values() if type(found) is dict else found if type(found) is list else ()
    return [one for one in found if type(one) is dict]


class _Watch:
    """Checks elements one by one: ids must differ, and texts must not be too long."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.size = 0

    def __call__(self, attributes: Mapping[str, str]) -> None:
        for name in WHOLE & attributes.keys():
            if not OFFSET.fullmatch(attributes[name]):
                what = f"{name.rpartition('}')[2]} is {quoted(attributes[name][:40])}"
                advice = "expected a whole number; export the file again"
                raise RefusedXMLError(f"{what}; {advice}")
        number = attributes.get(XMI_ID)
        if "sofaID" in attributes:  # a text and an annotation may have the same
            number = number and f"text {number}"
        if number in self.ids:
            raise RefusedXMLError(f"a second element with the id {quoted(str(number)[:60])}")
        if number is not None:
            self.ids.add(number)
        self.size += len(attributes.get("sofaString", ""))
        if self.size > MAX_TEXT:
            raise RefusedXMLError(f"a text of more than {MAX_TEXT} characters; divide the document")


@contextmanager
def _only_format_errors(path: PathLike) -> Iterator[None]:
    """Errors and warnings of dkpro-cassis on offsets outside of the text, as a FormatError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", "Not mapping")
            yield
    except FormatError:
        raise
    except Exception as error:  # any kind, for malformed files
        reason = " ".join(foreign_reason(error).split())[:200]
        raise FormatError(
            f"not a sound CAS ({reason}); export it again, with the type system that belongs to it",
            path,
        ) from error


def _is_name(found: str) -> bool:
    """Whether it is the name of a feature: such names become Python code in dkpro-cassis."""
    return found.isidentifier() and not found.startswith("_")


def _check_types(types: Mapping[str, tuple[Any, Sequence[str]]], path: PathLike) -> None:
    """Check {type: (supertype, features)}: names, number, and that no type descends from itself."""
    for name, (supertype, features) in types.items():
        own = [(one, str(one).removesuffix("[]").split(".")) for one in (name, supertype)]
        for found, parts in [*own, *((one, [one]) for one in features)]:
            if type(found) is not str or not all(map(_is_name, parts)):
                what = f"{quoted(str(found)[:60])} is not a name of a type or feature"
                raise FormatError(f"{what}; rename it", path)
    n_features = sum(len(features) for _, features in types.values())
    if len(types) > MAX_TYPES or len(types) * n_features > MAX_INHERITED:
        raise FormatError(
            f"a type system of {len(types)} types and {n_features} features, too large; export "
            "the types in use only",
            path,
        )
    for name in types:
        above = set()
        while name in types and name not in above:
            above.add(name)
            name = types[name][0]
        if name in above:
            raise FormatError(f"type {name} descends from itself; correct the type system", path)


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
                if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
                    what = f"it holds a file {quoted(name)}, a name that leaves the folder"
                    raise FormatError(what, path)
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


def _of_document(packed: Mapping[str, bytes], path: PathLike) -> tuple[bytes, bytes | None]:
    """(the only XMI or JSON file in a zip, its type system), and nothing else."""
    found = [name for name in packed if name.lower().endswith((".xmi", ".json"))]
    types = [name for name in packed if PurePosixPath(name).name == TYPE_SYSTEM]
    if len(found) != 1 or {*packed} - {*found, *types}:
        what = f"a zip file with {', '.join(sorted(packed)[:5]) or 'nothing in it'}"
        raise FormatError(f"{what}; expected one .xmi or .json, and its {TYPE_SYSTEM}", path)
    return packed[found[0]], next((packed[name] for name in types), None)
