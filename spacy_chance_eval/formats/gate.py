"""GATE documents, as XML or bdoc: a layer for each annotation set."""

import json
from itertools import accumulate

from .corpus import Corpus, Document
from .document_files import ending, file_names, name_by_file, write_bytes, write_folder
from .errors import FormatError, Mistake, known
from .gate_xml import bdoc_of, gate_xml
from .rows import MISALIGNED, checked_span, parsed_row, shown, value, whole
from .safe_xml import bounded_bytes
from .tokenized import laid_out, placed_text, places, refuse_what_has_no_place, simple

LINGUISTIC = ("Token", "SpaceToken", "Sentence", "Split")
MARKUP = "Original markups"
DEFAULT = "default"
SUFFIXES = (".bdocjs", ".xml")
TELL_APART = "remove one, or name the feature that tells them apart (label: --label-feature)"


def gatenlp_package():
    """The package gatenlp; raises ValueError if it is not installed."""
    try:
        import gatenlp
    except ImportError as error:
        raise ValueError(
            "GATE documents need gatenlp; install it: pip install 'spacy-chance-eval[gate]'"
        ) from error
    return gatenlp


def read_gate(path, *, annotation_set=None, type=None, label=None, tokens=True, misaligned="error"):
    """The corpus of one document: GATE XML, or bdoc as gatenlp and GATE write it (.bdocjs).

    Every annotation set is a layer of its name, the default one is called "default". Types are
    labels. Tokens, sentences, splits and the set "Original markups" annotate nothing: a set that
    has nothing else is no layer, nor is the default set without annotations. Features of the
    document become attributes and those of spans are kept, if they are strings, numbers or truth.

    Parameters
    ----------
    path : str or Path
    annotation_set : str, optional
        Read this set alone, whatever is in it.
    type : str or sequence of str, optional
        Keep annotations of these types alone; a string has them parted by commas.
    label : str, optional
        The feature whose value is the label. By default the type is.
    tokens : bool
        Whether the Token annotations of the default set are the positions, if there are any.
        Otherwise positions are characters.
    misaligned : "error" or "unplaced"
        What becomes of a span that does not fit the borders of the tokens.

    Raises
    ------
    FormatError
        If the file is not sound, or two annotations of a set have the same place and label.
    ValueError
        If gatenlp is not installed.
    """
    known(misaligned, MISALIGNED, "value of misaligned")
    types = type.split(",") if isinstance(type, str) else type
    document = loaded(path)
    sets = {name: list(document.annset(name).fast_iter()) for name in document.annset_names()}
    try:
        placed = placed_text(
            document.text,
            [place(each) for each in sets.get("", ()) if tokens and each.type == "Token"],
            [place(each) for each in sets.get("", ()) if each.type == "Sentence"],
        )
        rows = {
            layer: rows_of(found, layer, types, label, len(placed.text))
            for layer, found in chosen_sets(sets, annotation_set, types).items()
        }
        found = {
            name: places(placed, [span for span, _ in said], misaligned)
            for name, said in rows.items()
        }
    except Mistake as mistake:
        raise FormatError(f"{mistake.found}; {mistake.advice}.", path) from None
    made = Document(
        placed.words,
        {name: positions.values() for name, (positions, _) in found.items()},
        name=document.name or name_by_file(path),
        sents=placed.sents,
        unplaced={name: loose for name, (_, loose) in found.items()},
        text=placed.text,
        spaces=placed.spaces,
        attributes=simple(document.features.to_dict()),
        features={
            name: {found[name][0][span]: more for span, more in said if span in found[name][0]}
            for name, said in rows.items()
        },
    )
    return Corpus(path, (made,), placed.positions)


def place(annotation):
    return annotation.start, annotation.end


def chosen_sets(sets, asked, types):
    """The annotations of each layer."""
    if asked is not None:
        name = "" if asked == DEFAULT and DEFAULT not in sets else asked
        return {asked: sets[name]} if name in sets else {}
    found = {}
    for name, annotations in sets.items():
        annotated = {each.type for each in annotations} - (set(LINGUISTIC) - set(types or ()))
        if name == MARKUP or not annotated and (annotations or not name):
            continue
        layer = name or DEFAULT
        if layer in found:
            raise Mistake(f"a set {DEFAULT!r} beside the default one", "rename it")
        found[layer] = annotations
    return found


def rows_of(annotations, layer, types, label, size):
    """Rows ((start, end, label), other features) of the annotations of a set."""
    rows = {}
    for each in annotations:
        if each.type not in types if types else each.type in LINGUISTIC:
            continue
        said = simple(each.features.to_dict())
        kind = each.type if label is None else said.pop(label, None)
        if kind is None:
            raise Mistake(
                f"{each.type} [{each.start}, {each.end}) of set {layer} has no feature {label!r}",
                "name a feature that all spans have, or keep other types (type: --type)",
            )
        kind = kind if isinstance(kind, str) else str(kind)
        span = checked_span(each.start, each.end, kind, size, "characters")
        if span in rows:
            raise Mistake(f"{kind} [{span[0]}, {span[1]}) is twice in set {layer}", TELL_APART)
        rows[span] = said
    return sorted(rows.items(), key=lambda row: row[0])


def loaded(path):
    """The gatenlp document of a file, with offsets in characters."""
    gatenlp = gatenlp_package()
    data = bounded_bytes(path)
    try:
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            bdoc = checked_bdoc(parsed_row(data.decode("utf-8-sig")))
        else:
            bdoc = bdoc_of(data, path)
        different_ids(bdoc)
    except UnicodeDecodeError:
        raise FormatError("not UTF-8 text; convert the file", path) from None
    except Mistake as mistake:
        raise FormatError(f"{mistake.found}; {mistake.advice}.", path) from None
    try:
        return gatenlp.Document.from_dict(bdoc)
    except Exception as error:  # it raises plain ones
        raise FormatError(f"gatenlp cannot take it ({error}); save it again", path) from error


def checked_bdoc(row):
    """A bdoc dictionary that has what it needs, with offsets in characters."""
    text, kind = value(row, "text", str), value(row, "offset_type", str, "p")
    if text is None or kind not in ("p", "j"):
        raise Mistake(
            f"an object with the keys {shown(sorted(row))}",
            "a bdoc document has a 'text' and the 'offset_type' p or j; save it again",
        )
    at = characters_at(text) if kind == "j" else None
    sets = {
        name: {
            "name": name,
            "annotations": [
                checked_annotation(each, len(text), at)
                for each in value(found, "annotations", list, [])
            ],
        }
        for name, found in objects(value(row, "annotation_sets", dict, {}))
    }
    features = value(row, "features", dict, {})
    name = value(row, "name", str)
    return {
        "text": text,
        "name": name,
        "offset_type": "p",
        "features": features,
        "annotation_sets": sets,
    }


def objects(found):
    """The entries of an object of objects."""
    for name in found:
        yield name, value(found, name, dict, {})


def characters_at(text):
    """{offset in UTF-16 units: offset in characters}."""
    widths = (2 if character > "\uffff" else 1 for character in text)
    return {unit: at for at, unit in enumerate(accumulate(widths, initial=0))}


def checked_annotation(row, size, at):
    """One annotation with offsets in characters."""
    if not isinstance(row, dict):
        raise Mistake(f"an annotation is {shown(row)}", "an annotation is an object")
    number, start, end = (row.get(key) for key in ("id", "start", "end"))
    kind, features = value(row, "type", str), value(row, "features", dict, {})
    if at is not None and whole(start, end):
        start, end = at.get(start), at.get(end)
    if kind is None or not whole(number, start, end) or not start <= end <= size:
        raise Mistake(
            f"an annotation is {shown(row)}",
            "an annotation needs a type, a whole number as id, and a start and an end in the text",
        )
    return {"id": number, "type": kind, "start": start, "end": end, "features": features}


def different_ids(bdoc):
    """Raise for an id that stands twice in a set: gatenlp would keep the last alone."""
    for name, found in bdoc["annotation_sets"].items():
        numbers = [each["id"] for each in found["annotations"]]
        if len(set(numbers)) < len(numbers):
            raise Mistake(f"annotations of set {name!r} with the same id", "number them anew")


def write_gate(path, corpus, *, suffix=".bdocjs"):
    """Write a corpus so that `read_gate` returns it, a layer for each annotation set.

    A path that ends in .bdocjs or .xml takes a corpus of one document; any other is a new or empty
    folder, with a file for each document, named after it. Tokens and sentences go to the default
    set, and so does the layer "default" with spans.

    What is not kept: that a document was not annotated in a layer (the set is left out), the order
    of documents (that of the file names), whether text and spaces were given (they are made of the
    words). A document without a name is named after its file; in XML, every one is.

    Parameters
    ----------
    path : str or Path
    corpus : Corpus
    suffix : ".bdocjs" or ".xml"
        Of the files in a folder.

    Raises
    ------
    FormatError
        If a document has unplaced spans, missing positions, categories, no tokens among tokens,
        layers or labels with a name that means something else to GATE, attributes or features that
        are not simple, or, in XML, characters that it cannot hold.
    ValueError
        If gatenlp is not installed.
    """
    known(suffix, SUFFIXES, "suffix")
    own = ending(path)
    folder = own not in SUFFIXES
    made = [
        content(document, corpus.positions, suffix if folder else own, path)
        for document in corpus.documents
    ]
    if folder:
        names = file_names(document.name for document in corpus.documents)
        write_folder(path, {f"{name}{suffix}": data for name, data in zip(names, made)})
    elif len(made) != 1:
        raise FormatError(f"{len(made)} documents, but a file holds one; name a folder", path)
    else:
        write_bytes(path, made[0])


def content(document, positions, suffix, path):
    """The bytes of the file of a document."""
    bdoc = bdoc_from(document, positions, path)
    try:
        if suffix == ".xml":
            return gate_xml(bdoc, path).encode()
        return json.dumps(bdoc, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:
        raise FormatError(f"document {document.name!r} has {error.reason}", path) from error


def bdoc_from(document, positions, path):
    """A document as bdoc has it, with offsets in characters."""
    refuse_what_has_no_place(document, path)
    laid = laid_out(document, positions, path)
    made = gatenlp_package().Document(laid.text, features=all_simple(document.attributes, path))
    made.name = document.name
    default = made.annset()
    for kind, rows in (("Token", laid.tokens), ("Sentence", laid.sentences)):
        for start, end in rows:
            word = {"string": laid.text[start:end]} if kind == "Token" else None
            default.add(start, end, kind, word)
    for layer, spans in document.layers.items():
        if spans is None:
            continue
        checked_names(layer, spans, path)
        annotations = made.annset("" if layer == DEFAULT and spans else layer)
        for span in spans:
            said = all_simple(document.features.get(layer, {}).get(span, {}), path)
            annotations.add(*laid.span(*span[:2]), span[2], said)
    return made.to_dict(offset_type="p")


def all_simple(said, path):
    """Features, if all of them can be read again."""
    odd = sorted(set(said) - set(simple(said)))
    if odd:
        raise FormatError(
            f"attribute or feature {odd[0]!r} is neither text, a finite number nor truth; "
            "remove it",
            path,
        )
    return dict(said)


def checked_names(layer, spans, path):
    """Raise for names of layers and labels that would be read as something else."""
    odd = [label for *_, label in spans if label in LINGUISTIC]
    if layer in ("", MARKUP) or odd:
        what = f"the label {odd[0]!r}" if odd else f"the layer {layer!r}"
        raise FormatError(f"{what} means something else to GATE; rename it", path)
