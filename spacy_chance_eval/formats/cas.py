"""UIMA CAS, of INCEpTION and DKPro: a file, a zip with its type system, or a whole project."""

import io
import re
import zipfile
from dataclasses import replace
from pathlib import PurePosixPath

from ..measures.messages import quoted
from .annotators import Answer, merge_answers
from .corpus import Corpus, Document
from .encodings import not_utf8
from .errors import FormatError, PathLike
from .keys import Reading
from .safe_xml import MAX_BYTES, bounded_bytes
from .uima import NAMED_ENTITY, TYPE_SYSTEM, corpus_of_file, last_part
from .webanno import corpus_of_lines

MAX_PROJECT = 2**28  # bytes of the files that the zips of a project hold
# files of a project: (document, annotator), and the text before any annotation
OF_ANNOTATOR = re.compile(r"annotation/([^/]+)/([^/]+)\.(zip|xmi|json|tsv)")
NO_CAS = (
    "a project without annotations as XMI, JSON or TSV; export it again, with the secondary format "
    "UIMA CAS XMI, UIMA CAS JSON or WebAnno TSV"
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
    data = bounded_bytes(path)
    if not data.startswith(b"PK\x03\x04"):
        return corpus_of_file(data, path, reading)
    packed = _members_of(data, path)
    files = [(name, match) for name in sorted(packed) if (match := OF_ANNOTATOR.fullmatch(name))]
    if not files or len(files) < len(packed):
        return _corpus_of_one(packed, path, reading)
    rows: list[tuple[Document, str]] = []
    units: set[str] = set()
    left = MAX_PROJECT
    for name, match in files:
        if match[2] == "INITIAL_CAS":
            continue
        file = f"{path}/{name}"
        inner = _members_of(packed[name], file) if match[3] == "zip" else {name: packed[name]}
        left -= sum(map(len, inner.values()))
        if left < 0:
            raise FormatError("unpacked it is too large; divide the project", path)
        if match[3] == "tsv":
            corpus = _webanno_in(packed[name], file, reading)
        else:
            corpus = _corpus_of_one(inner, file, reading)
        rows.append((replace(corpus.documents[0], name=match[1]), match[2]))
        units.add(corpus.positions)
    if len(units) != 1:
        some = "some files with tokens, and others without; export all of them again"
        raise FormatError(some if rows else NO_CAS, path)
    corpus = Corpus(str(path), [document for document, _ in rows], units.pop())
    return merge_answers(corpus, [Answer(annotator) for _, annotator in rows])


def _corpus_of_one(packed: dict[str, bytes], path: PathLike, reading: Reading) -> Corpus:
    """The corpus of the only XMI or JSON file, which may have its type system beside it."""
    found = [name for name in packed if name.lower().endswith((".xmi", ".json"))]
    types = [name for name in packed if PurePosixPath(name).name == TYPE_SYSTEM]
    if len(found) != 1 or {*packed} - {*found, *types}:
        what = f"a zip file with {', '.join(sorted(packed)[:5]) or 'nothing in it'}"
        raise FormatError(f"{what}; expected one .xmi or .json, and its {TYPE_SYSTEM}", path)
    described = next((packed[name] for name in types), None)
    return corpus_of_file(packed[found[0]], path, reading, described)


def _webanno_in(data: bytes, path: PathLike, reading: Reading) -> Corpus:
    """The corpus of WebAnno TSV, of named entities if they are one layer of several.

    A file has no layer in which nothing is annotated.
    """
    try:
        rows = io.StringIO(data.decode("utf-8-sig"), newline=None).readlines()
    except UnicodeDecodeError:
        raise not_utf8(path, data) from None
    corpus = corpus_of_lines(rows, path, reading)
    names = corpus.layer_names
    if reading.type is None and len(names) > 1 and last_part(NAMED_ENTITY) in names:
        return _webanno_in(data, path, replace(reading, type=last_part(NAMED_ENTITY)))
    if len(names) > 1:
        what = f"layers {', '.join(names)}; name the type of the spans (type: --type)"
        raise FormatError(what, path)
    (document,) = corpus.documents
    return corpus if names else replace(corpus, documents=[replace(document, layers={"spans": ()})])


def _members_of(data: bytes, path: PathLike) -> dict[str, bytes]:
    """The files {name: bytes} of a small zip, of a project those of annotators."""
    found: dict[str, bytes] = {}
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            is_project = any(name.startswith("exportedproject") for name in packed.namelist())
            for info in packed.infolist():
                name = info.filename
                hidden = (
                    info.is_dir()
                    or name.startswith("__MACOSX/")
                    or PurePosixPath(name).name.startswith(".")
                )
                if hidden or is_project and not OF_ANNOTATOR.fullmatch(name):
                    continue
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    what = f"{quoted(name)} is packed in an unusual way; pack it again"
                    raise FormatError(what, path)
                with packed.open(info) as file:
                    found[name] = file.read(left + 1)
                left -= len(found[name])
                if left < 0:
                    raise FormatError("unpacked it is too large for one document; divide it", path)
    except FormatError:
        raise
    except Exception as error:  # zipfile raises anything for a damaged file
        raise FormatError(f"not a sound zip file ({error}); copy it again", path) from error
    if is_project and not found:
        raise FormatError(NO_CAS, path)
    return found
