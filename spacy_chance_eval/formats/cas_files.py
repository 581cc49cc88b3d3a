"""UIMA CAS as dkpro-cassis loads it, after checks that it does not make itself."""

import io
import json
import os
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ..measures.messages import quoted
from .blemishes import SPANS, blemishes, leave_out_part
from .encodings import not_utf8
from .errors import ContentError, FormatError, PathLike, extra_package
from .json_text import foreign_reason
from .paths import path_of
from .rows import Row, parsed_row
from .safe_xml import MAX_BYTES, RefusedXMLError, bounded_bytes, checked_xml

TYPE_SYSTEM = "TypeSystem.xml"
MAX_TYPE_SYSTEM = 2**23
MAX_TYPES = 2000
MAX_INHERITED = 2 * 10**6
FOLDERS_UP = 3
# Tables of offsets in dkpro-cassis take some 200 bytes a character.
MAX_TEXT = 2**22
JSON_KEYS = ("%TYPES", "%FEATURE_STRUCTURES", "%VIEWS")
XMI_ID = "http://www.omg.org/XMI}id"
WHOLE = {XMI_ID, "begin", "end", "sofa", "sofaNum"}  # attributes of XMI
LARGEST = 10**18
NUMBERS = "expected a whole number; export the file again"
FEATURE = "featureDescription"
CAS = "{http:///uima/cas.ecore}"
NO_STRUCTURES = (f"{CAS}Sofa", f"{CAS}View", f"{CAS}NULL")
TOP, ANNOTATION = "uima.cas.TOP", "uima.tcas.Annotation"
INFERRED = "not described"
METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata."  # outside of layers
OFFSET = re.compile(r"-?[0-9]{1,18}")
REFERENCES = re.compile(r"[\d\s]*")


def cassis_package() -> Any:
    """The package dkpro-cassis; raises ValueError if it is not installed."""
    return extra_package("cassis", "UIMA CAS needs dkpro-cassis", "cas")


def load_cas(path: PathLike, typesystem: PathLike | None = None) -> Any:
    """The CAS of a file: XMI, JSON, or a zip of one of them with its type system.

    `typesystem` is by default TypeSystem.xml in the zip, beside the file, or up to three folders
    above; that of JSON is in the file. Without one, the types are DKPro's, and others are inferred.
    """
    data, packed = bounded_bytes(path), {}
    if data.startswith(MAGIC):
        packed = _zip_members(data, path, MAX_BYTES)
        data = packed.pop(_only_document(packed, TYPE_SYSTEM, path))
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _load_json(data, path, typesystem)
    types = next((name for name in packed if Path(name).name == TYPE_SYSTEM), None)
    if typesystem is None and types is not None:
        return _load_xmi(data, path, _type_system(packed[types], path))
    source = _find_type_system(path) if typesystem is None else typesystem
    return _load_xmi(data, path, None if source is None else _type_system_of(source))


def _find_type_system(path: PathLike) -> Path | None:
    """The type system beside a file or in a folder above it, if any; no link to elsewhere."""
    folder = path_of(path).absolute()
    for _ in range(1 + FOLDERS_UP):
        folder = folder.parent
        file = folder / TYPE_SYSTEM
        if file.is_file() and not os.path.islink(file):
            return file
    return None


def _type_system_of(path: PathLike) -> Any:
    """The type system in a file."""
    return _type_system(bounded_bytes(path, MAX_TYPE_SYSTEM), path)


def _type_system(data: bytes, path: PathLike) -> Any:
    """A type system from the bytes of its XML."""
    data = _checked_type_system(checked_xml(data, path), path)
    with _only_format_errors(path):
        return cassis_package().load_typesystem(io.BytesIO(data))


def _load_xmi(data: bytes, path: PathLike, types: Any) -> Any:
    """A CAS from the bytes of XMI and its type system, if there is one."""
    cassis, data = cassis_package(), checked_xml(data, path, _Watch())
    with _only_format_errors(path):
        if blemishes() is not None:
            data = _xmi_without_misplaced(data)
        if types is None:
            types = cassis.load_dkpro_core_typesystem()
            data = _infer_types(data, types, path)
        return cassis.load_cas_from_xmi(io.BytesIO(data), typesystem=types)


def _infer_types(data: bytes, types: Any, path: PathLike) -> bytes:
    """Add the types and features of an XMI that a type system lacks, all features as texts.

    Without their types, numbers and references look alike, and lists may be of anything: new
    features that have only numbers, or lists, are removed from the XMI that comes back.
    """
    root = ElementTree.fromstring(data)
    elements: dict[str, list[Element]] = {}
    for element in root:
        if element.tag not in NO_STRUCTURES:
            elements.setdefault(_type_of(element), []).append(element)
    keys = {
        name: {key for one in some for key in one.attrib} - {f"{{{XMI_ID}"}
        for name, some in elements.items()
    }
    _check_types({name: (TOP, sorted(keys[name])) for name in keys}, path)
    for name, some in elements.items():
        if not types.contains_type(name, True):
            above = ANNOTATION if keys[name] >= {"begin", "end"} else TOP
            known = name.startswith(METADATA)
            types.create_type(name, above, description=None if known else INFERRED)
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
    return ElementTree.tostring(root)


def _xmi_without_misplaced(data: bytes) -> bytes:
    """The same XMI without annotations outside of the text, which are blemishes."""
    root = ElementTree.fromstring(data)
    key = f"{{{XMI_ID}"
    texts = {one.get(key): one.get("sofaString") or "" for one in root.iter(f"{CAS}Sofa")}
    rows = [(_type_of(one), one.attrib, one.get("sofa")) for one in root]
    misplaced = {row.get(key) for row in _misplaced(rows, texts)}
    if not misplaced:
        return data
    for view in root.iter(f"{CAS}View"):
        members = view.get("members", "").split()
        view.set("members", " ".join(one for one in members if one not in misplaced))
    return ElementTree.tostring(root)


def _json_without_misplaced(row: Row) -> str:
    """The text of a JSON CAS without annotations outside of the text, which are blemishes."""
    structures = _structures_of(row)
    texts = {str(one.get("%ID")): str(one.get("sofaString") or "") for one in structures}
    rows = [(str(one.get("%TYPE")), one, str(one.get("@sofa"))) for one in structures]
    misplaced = {str(one.get("%ID")) for one in _misplaced(rows, texts)}
    for view in _objects_in(row.get("%VIEWS")):
        members = view.get("%MEMBERS")
        if type(members) is list:
            view["%MEMBERS"] = [one for one in members if str(one) not in misplaced]
    return json.dumps(row)


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


def _load_json(data: bytes, path: PathLike, typesystem: PathLike | None) -> Any:
    """A CAS from the bytes of JSON, which brings its types along, but sometimes not DKPro's."""
    cassis = cassis_package()
    text, whole = _checked_json(data, path)
    types = None if typesystem is None else _type_system_of(typesystem)
    if types is None and not whole:
        types = cassis.load_dkpro_core_typesystem()
    with _only_format_errors(path):
        return cassis.load_cas_from_json(text, typesystem=types)


def _checked_json(data: bytes, path: PathLike) -> tuple[str, bool]:
    """(the text of a JSON CAS with sound types and ids, whether it has all types in use)."""
    try:
        text = data.decode("utf-8-sig")
        row = parsed_row(text)
    except UnicodeDecodeError:
        raise not_utf8(path, data) from None
    except ContentError as mistake:
        raise FormatError(f"{mistake.found}; export it again", path) from None
    if not any(key in row for key in JSON_KEYS):
        raise FormatError(f"no UIMA JSON CAS; expected the keys {', '.join(JSON_KEYS)}", path)
    types = row.get("%TYPES")
    if type(types) is not dict or any(type(said) is not dict for said in types.values()):
        raise FormatError("'%TYPES' is not an object of types; export them along", path)
    _check_types(
        {
            name: (said.get("%SUPER_TYPE"), [key for key in said if not key.startswith("%")])
            for name, said in types.items()
        },
        path,
    )
    watch, structures = _Watch(), _structures_of(row)
    used = {str(one.get("%TYPE")).removesuffix("[]") for one in structures}
    try:
        for one in structures:
            number = {XMI_ID: _whole(one["%ID"])} if "%ID" in one else {}
            text_of = {"sofaString": str(one.get("sofaString") or "")}
            watch(number | text_of | {key: "" for key in ("sofaID",) if key in one})
    except RefusedXMLError as refused:
        raise FormatError(str(refused), path) from None
    if blemishes() is not None:
        text = _json_without_misplaced(row)
    return text, all(name in types or name.startswith("uima.") for name in used)


def _structures_of(row: Row) -> list[Row]:
    """The feature structures of a JSON CAS."""
    return _objects_in(row.get("%FEATURE_STRUCTURES"))


def _objects_in(found: Any) -> list[Row]:
    """The objects in a list, or in an object."""
    found = found.values() if type(found) is dict else found if type(found) is list else ()
    return [one for one in found if type(one) is dict]


def _whole(value: Any) -> str:
    """A whole number of JSON, as a text."""
    return str(value) if type(value) is int and abs(value) < LARGEST else json.dumps(value)[:40]


class _Watch:
    """Checks elements one by one: ids must differ, and texts must not be too long."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.size = 0

    def __call__(self, attributes: Mapping[str, str]) -> None:
        for name in WHOLE & attributes.keys():
            if not OFFSET.fullmatch(attributes[name]):
                shown = attributes[name][:40]
                raise RefusedXMLError(f"{name.rpartition('}')[2]} is {quoted(shown)}; {NUMBERS}")
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


def _checked_type_system(data: bytes, path: PathLike) -> bytes:
    """The XML of a type system, once more without comments, if all names in it are names."""
    root = ElementTree.fromstring(data)
    types = {}
    for said in root.iter():
        if _local_name(said) == "typeDescription":
            name, supertype = _child_text(said, "name"), _child_text(said, "supertypeName")
            features = [
                _child_text(each, "name") for each in said.iter() if _local_name(each) == FEATURE
            ]
            if name in types:
                raise FormatError(f"type {name} is described twice; remove one", path)
            types[name] = supertype, features
    _check_types(types, path)
    return ElementTree.tostring(root)


def _local_name(element: Element) -> str:
    """The tag of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _child_text(element: Element, tag: str) -> str:
    """The text of the first such element in it."""
    found = next((each for each in element if _local_name(each) == tag), None)
    return "" if found is None or not found.text else found.text.strip()


def _is_type(found: object) -> bool:
    """Whether it is a valid name of a UIMA type."""
    parts = found.removesuffix("[]").split(".") if isinstance(found, str) else [""]
    return all(map(_is_feature, parts))


def _is_feature(found: str) -> bool:
    """Whether it is the name of a feature: such names become Python code in dkpro-cassis."""
    return found.isidentifier() and not found.startswith("_")


def _check_types(types: Mapping[str, tuple[Any, Sequence[str]]], path: PathLike) -> None:
    """Check {type: (supertype, features)}: names, number, and that no type descends from itself."""
    for name, (supertype, features) in types.items():
        odd = [found for found in (name, supertype) if not _is_type(found)]
        odd += [found for found in features if not _is_feature(found)]
        if odd:
            shown = str(odd[0])[:60]
            raise FormatError(
                f"{quoted(shown)} is not a name of a type or feature; rename it", path
            )
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


MAGIC = b"PK\x03\x04"


def _zip_members(data: bytes, path: PathLike, limit: int) -> dict[str, bytes]:
    """The files {name: bytes} of a small zip; nothing is unpacked to the disk.

    Folders and hidden files are passed over.
    """
    found = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for info in packed.infolist():
                if info.is_dir() or _is_hidden_member(info.filename):
                    continue
                found[info.filename] = _read_member(packed, info, limit, path)
                limit -= len(found[info.filename])
    except FormatError:
        raise
    except Exception as error:  # zipfile raises anything for a damaged file
        raise FormatError(f"not a sound zip file ({error}); copy it again", path) from error
    return found


def _is_hidden_member(name: str) -> bool:
    """Whether a file of a zip does not come from the user."""
    return name.startswith("__MACOSX/") or name.rpartition("/")[2].startswith(".")


def _read_member(
    packed: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int, path: PathLike
) -> bytes:
    """The bytes of one file of a zip."""
    name = info.filename
    if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
        raise FormatError(f"it holds a file {quoted(name)}, a name that leaves the folder", path)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise FormatError(f"{quoted(name)} is packed in an unusual way; pack it again", path)
    with packed.open(info) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise FormatError("unpacked it is too large for one document; divide it", path)
    return data


def _only_document(names: Iterable[str], beside: str, path: PathLike) -> str:
    """The name of the only XMI or JSON file in a zip, where there may be one other file."""
    found = [name for name in names if name.lower().endswith((".xmi", ".json"))]
    others = [name for name in names if name not in found and Path(name).name != beside]
    if len(found) != 1 or others:
        raise FormatError(
            f"a zip file with {', '.join(sorted(names)[:5]) or 'nothing in it'}; expected one .xmi "
            f"or .json, and its {beside}",
            path,
        )
    return found[0]
