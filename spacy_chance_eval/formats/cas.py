"""UIMA CAS, of INCEpTION and DKPro: a file, a zip with its type system, or a whole project.

A CAS is loaded by dkpro-cassis, of the extra `cas`. XML comes to it through `safe_xml`: its own
parser reads the files that entities name.
"""

import io
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from keyword import iskeyword
from typing import Any
from xml.etree import ElementTree

from ..measures.messages import quoted
from .annotators import Answer, merge_answers
from .corpus import Corpus, Stretch, join_corpora
from .errors import ContentError, FormatError, PathLike
from .files import file_bytes, name_by_file
from .forms import Form, read_form
from .json_rows import Row, Rows
from .keys import Reading
from .paths import path_of
from .safe_xml import xml_of
from .standoff import json_object, label_feature, take_label, text_of, text_row
from .texts import simple_values
from .webanno import LABELS, corpus_of

CORE = "de.tudarmstadt.ukp.dkpro.core.api."
TOKEN, SENTENCE = (CORE + f"segmentation.type.{name}" for name in ("Token", "Sentence"))
METADATA = CORE + "metadata.type.DocumentMetaData"
NAMED_ENTITY = CORE + "ner.type.NamedEntity"
ANNOTATION = "uima.tcas.Annotation"
STRING = "uima.cas.String"
TYPE_SYSTEM = "TypeSystem.xml"
XMI = "{http://www.omg.org/XMI}XMI"
PLACE = re.compile(rb"""\sbegin=["']|"begin"\s*:\s*\d""")  # of an annotation
RENAMED = {"type_": "type", "self_": "self"}  # features that cassis calls otherwise
# files of a project: (document, annotator); INITIAL_CAS is the text before any annotation
OF_ANNOTATOR = re.compile(r"annotation/([^/]+)/(?!INITIAL_CAS)([^/]+)\.(zip|json|tsv)")
OF_ZIP = re.compile(r"(?:.*/)?(?:[^./][^/]*\.(?:xmi|json)|TypeSystem\.xml)", re.IGNORECASE)
NO_CAS = (
    "a project in which no annotator has a file of XMI, JSON or TSV; export it again, with the "
    "secondary format UIMA CAS XMI, UIMA CAS JSON or WebAnno TSV; for its curation alone unpack "
    "it, and name the folder curation/"
)


def read_cas(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of one file, with the layer "spans": XMI, JSON CAS, or a zip of one of them.

    Tokens and sentences are those of DKPro; without tokens, positions are characters. Spans are the
    annotations of the `type` that is named and those below it; by default DKPro's NamedEntity, or
    without any, the only type of INCEpTION's own span layers that has annotations. Labels are the
    `feature` that is named, by default `value`; of types without it, `identifier` or `label`, the
    first that a span has, or the only feature that is a string.

    The document is named by its documentTitle (INCEpTION's exports have the annotator in
    documentId). A zip of a project of INCEpTION has a layer for each annotator: those who have a
    file in the folder of a document, which may be WebAnno TSV, too.
    """
    data = file_bytes(path)
    if not data.startswith(b"PK\x03\x04"):
        return _corpus_of_file(data, path, reading)
    packed = _members_of(data, path)
    files = [(name, match) for name in sorted(packed) if (match := OF_ANNOTATOR.fullmatch(name))]
    if not files:
        return _corpus_of_one(packed, path, reading)
    corpora = []
    for name, match in files:
        file = f"{path}/{name}"
        if match[3] == "tsv":
            corpus = _one_layer(corpus_of(text_of(packed[name], file), file, reading), file)
        elif match[3] == "zip":
            corpus = _corpus_of_one(_members_of(packed[name], file), file, reading)
        else:
            corpus = _corpus_of_file(packed[name], file, reading)
        corpora.append(replace(corpus, documents=[replace(corpus.documents[0], name=match[1])]))
    answers = [Answer(match[2]) for _, match in files]
    return merge_answers(join_corpora(path, corpora), answers)


def _one_layer(corpus: Corpus, path: PathLike) -> Corpus:
    """The corpus of WebAnno TSV with its named entities, or the only layer it has."""
    names = [one for one in corpus.layer_names if one == "NamedEntity"] or corpus.layer_names
    if len(names) > 1:
        what = f"layers {', '.join(names)}; name the type of the spans (--read type=NAME)"
        raise FormatError(what, path)
    if names:
        return corpus.with_layer(names[0])
    return replace(corpus, documents=[replace(corpus.documents[0], layers={"spans": ()})])


def _members_of(data: bytes, path: PathLike) -> dict[str, bytes]:
    """The files {name: bytes} of a zip that annotators, or programs, may have written."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            every = packed.namelist()
            names = [*filter(OF_ANNOTATOR.fullmatch, every)] or [*filter(OF_ZIP.fullmatch, every)]
            found = {name: packed.read(name) for name in names}
    except Exception as error:  # zipfile raises anything for a damaged file
        raise FormatError("not a sound zip file; copy it again", path) from error
    if not names and any(name.endswith(".npy") for name in every):
        raise FormatError("a saved run, no annotation: compare and plan take runs", path)
    return found


def _corpus_of_one(packed: dict[str, bytes], path: PathLike, reading: Reading) -> Corpus:
    """The corpus of the only XMI or JSON file, which may have its type system beside it."""
    if any(name.startswith("exportedproject") for name in packed):
        raise FormatError(NO_CAS, path)
    found = [name for name in packed if not name.endswith(TYPE_SYSTEM)]
    if len(found) != 1:
        what = f"a zip file with {len(found)} files of .xmi or .json"
        raise FormatError(f"{what}; expected one, and its {TYPE_SYSTEM}", path)
    described = next((packed[name] for name in packed if name not in found), None)
    return _corpus_of_file(packed[found[0]], path, reading, described)


def _corpus_of_file(
    data: bytes, path: PathLike, reading: Reading, described: bytes | None = None
) -> Corpus:
    """The corpus of the bytes of a file, and of those of its type system."""
    if find_spec("cassis") is None:
        how = 'which dkpro-cassis reads; install it: pip install "spacy-chance-eval[cas]"'
        raise ValueError(f"{path} is a CAS, {how}")

    def translate(data: bytes, reading: Reading) -> tuple[Row, str]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", "Not mapping")  # offsets outside of the text
            try:
                return _row_of(_cas_of(data, path, described), name_by_file(path), reading), "char"
            except (ContentError, FormatError):
                raise
            except Exception as error:  # cassis takes files to be sound
                advice = f"export it again, XMI with its {TYPE_SYSTEM}"
                raise ContentError("no sound CAS", advice) from error

    return read_form(Rows(str(path), [data], [0]), Form(translate), reading)


def _cas_of(data: bytes, path: PathLike, described: bytes | None) -> Any:
    """The CAS of a file; the type system of XMI is that of its zip, or lies beside it."""
    import cassis

    row = json_object(data, path)
    if row is not None:
        types = cassis.TypeSystem() if described is None else _types_of(described)
        _check_names(key for kind in row["%TYPES"].values() for key in kind if key[:1] != "%")
        cas = cassis.load_cas_from_json(text_of(data, path), types)
    else:
        root, beside = xml_of(data, path), path_of(path).parent / TYPE_SYSTEM
        if root.tag != XMI:
            raise ContentError(f"an XML file of {quoted(root.tag)}", "expected the XMI of a CAS")
        if described is None and not beside.is_file():
            advice = f"put the {TYPE_SYSTEM} that was exported with it beside it"
            raise ContentError("XMI without its type system", advice)
        types = _types_of(file_bytes(beside) if described is None else described)
        text = io.BytesIO(ElementTree.tostring(root))
        cas = cassis.load_cas_from_xmi(text, types, trusted=True)  # as `xml_of` has read it
    if PLACE.search(data) and not any(one.get_all_fs() for one in cas.views):
        raise ContentError("no view lists the annotations", "the file is damaged; export it again")
    return cas


@lru_cache(maxsize=4)  # of a folder all files have the same
def _types_of(described: bytes) -> Any:
    """The types in the bytes of a type system."""
    import cassis

    text = ElementTree.tostring(xml_of(described, TYPE_SYSTEM))
    types = cassis.load_typesystem(io.BytesIO(text))
    _check_names(one.name for kind in types.get_types() for one in kind.features)
    return types


def _check_names(features: Iterable[str]) -> None:
    """Raise for features that are no names of Python, of which cassis makes code."""
    for name in features:
        if not name.isidentifier() or iskeyword(name):
            raise ContentError(f"a feature called {quoted(name)}", "cassis needs another name")


def _row_of(cas: Any, name: str, reading: Reading) -> Row:
    """The row of the initial view of a CAS."""
    view = cas.get_view("_InitialView")
    if view.sofa_string is None:
        raise ContentError("no text in the initial view", "export it with its text")

    def places(kind: str) -> list[Stretch]:
        found = view.select(kind) if view.typesystem.contains_type(kind, True) else []
        return [(one.begin, one.end) for one in found]

    row = text_row(view.sofa_string, places(TOKEN), places(SENTENCE))
    for one in view.select_all_fs():
        if one.type.name == METADATA:
            names = [getattr(one, key, None) for key in ("documentTitle", "documentId")]
            name = next(filter(None, names), name)
    kind = _span_type(view, reading.type)
    return {**row, "id": name, "spans": _spans_of(view.select(kind), kind, reading.feature)}


def _span_type(view: Any, asked: str | None) -> Any:
    """The type of the spans."""
    types, counts = view.typesystem, Counter(one.type.name for one in view.select_all_fs())
    listed = ", ".join(f"{name} ({counts[name]})" for name in sorted(counts)) or "no annotations"
    every = [one for one in types.get_types() if types.subsumes(ANNOTATION, one)]
    if asked is not None:
        named = [one for one in every if asked in (one.name, one.short_name)]
        if len(named) == 1:
            return named[0]
        raise ContentError(f"no type {quoted(asked)} of annotations", f"the file has {listed}")
    entity = [types.get_type(NAMED_ENTITY)] if types.contains_type(NAMED_ENTITY, True) else []
    if entity and view.select(entity[0]):
        return entity[0]
    own = [
        one
        for one in every
        if one.name.startswith("webanno.custom.")
        and not {own.name for own in one.all_features} >= {"Governor", "Dependent"}  # a relation
    ]
    candidates = [one for one in own if counts[one.name]] or entity or own
    if len(candidates) != 1:
        advice = f"name their type (--read type=NAME); the file has {listed}"
        raise ContentError("it is not clear which annotations are meant", advice)
    return candidates[0]


def _spans_of(annotations: Iterable[Any], kind: Any, asked: str | None) -> list[Row]:
    """The spans of annotations of a type."""
    types = kind.typesystem
    names = {
        RENAMED.get(one.name, one.name): one
        for one in kind.all_features
        if types.is_primitive(one.rangeType) and one.name not in ("begin", "end")
    }
    strings = [name for name, one in names.items() if one.rangeType.name == STRING]
    feature, default = label_feature(asked)
    keys = [key for key in LABELS if key in strings] or (strings if len(strings) == 1 else [])
    keys = [feature] if feature else keys[:1] if "value" in keys else keys
    if default is None and (not keys or keys[0] not in names):
        advice = "name that of the label, or give spans a label (--read feature=value=LABEL)"
        raise ContentError(f"{kind.name} has the features {', '.join(names) or 'none'}", advice)
    spans = []
    for one in annotations:
        said = {name: getattr(one, own.name) for name, own in names.items()}
        label = take_label(said, keys, default, f"{kind.name} [{one.begin}, {one.end})")
        place = {"start": one.begin, "end": one.end}
        spans.append({**place, "label": label, "features": simple_values(said)})
    return spans
