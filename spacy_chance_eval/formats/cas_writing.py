"""Writing UIMA CAS: XMI with a type system beside it, or JSON, one document a file."""

from pathlib import Path

from .cas import LABELS, METADATA, NAMED_ENTITY, SENTENCE, STRING, TOKEN
from .cas_files import TYPE_SYSTEM, cassis_package, is_feature
from .cas_zip import zipped
from .document_files import ending, file_names, write_bytes, write_folder
from .errors import FormatError, known
from .safe_xml import bounded_bytes, checked_characters
from .tokenized import laid_out, refuse_what_has_no_place, simple

SUFFIXES = (".xmi", ".json", ".zip")
KINDS = {str: STRING, bool: "uima.cas.Boolean", int: "uima.cas.Long", float: "uima.cas.Double"}
LANGUAGE = "x-unspecified"
OWN_NAMES = (LABELS[0], "sofa", "begin", "end", "type", "self", "xmiID", "language")


def write_cas(path, corpus, *, layer=None, suffix=".xmi"):
    """Write one layer of a corpus so that `read_cas` returns it as the layer "spans".

    A path that ends in .xmi (with TypeSystem.xml beside it), .json or .zip (of both) takes a corpus
    of one document; any other is a new or empty folder, with a file for each document, named after
    it. Spans become DKPro's NamedEntity with the label in `value`.

    What is not kept: attributes, other layers, documents that were not annotated, the order of
    documents (that of the file names), whether text and spaces were given (they are made of the
    words), and a document without a name is named after its file.

    Parameters
    ----------
    path : str or Path
    corpus : Corpus
    layer : str, optional
        By default the only one.
    suffix : ".xmi", ".json" or ".zip"
        Of the files in a folder.

    Raises
    ------
    FormatError
        If a document has unplaced spans, missing positions, categories, no tokens among tokens,
        characters that XML cannot hold, or features that UIMA cannot.
    ValueError
        If dkpro-cassis is not installed.
    """
    known(suffix, SUFFIXES, "suffix")
    layer = only_layer(path, corpus, layer)
    documents = [one for one in corpus.documents if one.layers.get(layer) is not None]
    if not documents:
        raise FormatError(f"no document is annotated in layer {layer!r}", path)
    types = type_system(documents, layer, path)
    made = [made_cas(one, corpus.positions, layer, types, path) for one in documents]
    own = ending(path)
    if own not in SUFFIXES:
        names = file_names(one.name for one in documents)
        files = {f"{name}{suffix}": content(cas, suffix, path) for name, cas in zip(names, made)}
        write_folder(path, files | ({TYPE_SYSTEM: xml_of(types)} if suffix == ".xmi" else {}))
    elif len(made) > 1:
        raise FormatError(f"{len(made)} documents, but a file holds one; name a folder", path)
    else:
        data = content(made[0], own, path)
        if own == ".xmi":
            write_type_system(Path(path).parent / TYPE_SYSTEM, xml_of(types))
        write_bytes(path, data)


def only_layer(path, corpus, layer):
    """The name of the layer to write."""
    names = corpus.layer_names
    if layer is None and len(names) == 1:
        return names[0]
    if layer not in names:
        raise FormatError(
            f"layers {', '.join(names) or 'none'}; a file holds one, name it (layer: --layer)", path
        )
    return layer


def write_type_system(path, data):
    """Write a type system; never over another one, which other files need."""
    if path.is_file() and bounded_bytes(path) != data:
        raise FormatError("another type system is there; write into another folder", path)
    write_bytes(path, data)


def xml_of(types):
    """A type system as bytes."""
    return types.to_xml().encode()


def content(cas, suffix, path):
    """The bytes of a file."""
    try:
        if suffix == ".json":
            return cas.to_json(pretty_print=False).encode()
        data = cas.to_xmi().encode()
    except ValueError as error:
        raise FormatError(f"a document cannot be written ({error})", path) from error
    if suffix == ".zip":
        return zipped({"document.xmi": data, TYPE_SYSTEM: xml_of(cas.typesystem)})
    return data


def type_system(documents, layer, path):
    """DKPro's types as far as they are needed, with the features of the spans."""
    types = cassis_package().TypeSystem()
    for name in (TOKEN, SENTENCE):
        types.create_type(name, "uima.tcas.Annotation")
    metadata = types.create_type(METADATA, "uima.tcas.DocumentAnnotation")
    for name in ("documentTitle", "documentId"):
        types.create_feature(metadata, name, STRING)
    entity = types.create_type(NAMED_ENTITY, "uima.tcas.Annotation")
    features = {"value": STRING, "identifier": STRING}
    for document in documents:
        for said in document.features.get(layer, {}).values():
            for name, found in said.items():
                kind = kind_of(name, found, document, path)
                if features.setdefault(name, kind) != kind:
                    raise FormatError(
                        f"feature {name!r} has values of several kinds; UIMA needs one", path
                    )
    for name in sorted(features):
        types.create_feature(entity, name, features[name])
    return types


def kind_of(name, found, document, path):
    """The type that UIMA has for a value."""
    if not is_feature(name) or name in OWN_NAMES:
        raise FormatError(f"a feature {name!r} is impossible in UIMA; rename it", path)
    if not simple({name: found}) or type(found) is int and not -(2**63) <= found < 2**63:
        raise FormatError(
            f"document {document.name!r} has the feature {name!r} with {str(found)[:60]!r}; "
            "UIMA needs a string, a finite number or truth here",
            path,
        )
    return KINDS[type(found)]


def made_cas(document, positions, layer, types, path):
    """A document as a CAS."""
    refuse_what_has_no_place(document, path)
    laid = laid_out(document, positions, path)
    cas = cassis_package().Cas(typesystem=types)
    cas.sofa_string, cas.sofa_mime = checked(laid.text, "text", document, path), "text"
    name = None if document.name is None else checked(document.name, "name", document, path)
    metadata = {"documentTitle": name, "documentId": name, "language": LANGUAGE}
    cas.add(types.get_type(METADATA)(begin=0, end=len(laid.text), **metadata))
    for kind, rows in ((TOKEN, laid.tokens), (SENTENCE, laid.sentences)):
        make = types.get_type(kind)
        cas.add_all([make(begin=start, end=end) for start, end in rows])
    make, features = types.get_type(NAMED_ENTITY), document.features.get(layer, {})
    for span in document.layers[layer]:
        (start, end), said = laid.span(*span[:2]), features.get(span, {})
        for found in (span[2], *said.values()):
            if isinstance(found, str):
                checked(found, "label or feature", document, path)
        cas.add(make(begin=start, end=end, value=span[2], **said))
    return cas


def checked(text, what, document, path):
    """The text, if XML can hold it."""
    return checked_characters(text, f"the {what} of document {document.name!r}", path)
