"""UIMA CAS, as INCEpTION and DKPro have it: one annotator of one document a file."""

from collections import Counter

from .cas_files import load_cas
from .corpus import Corpus, Document
from .document_files import name_by_file
from .errors import FormatError, Mistake, known
from .rows import MISALIGNED, checked_span
from .tokenized import placed_text, places, simple

SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
TOKEN, SENTENCE = SEGMENTATION + "Token", SEGMENTATION + "Sentence"
METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
CUSTOM = "webanno.custom."
LABELS = ("value", "identifier", "label")
ANNOTATION, STRING = "uima.tcas.Annotation", "uima.cas.String"
PLACE = ("sofa", "begin", "end")
GIVE_LABEL = "fill it in, or name the feature that has the label (label: --label-feature)"


def read_cas(path, *, type=None, label=None, typesystem=None, misaligned="error"):
    """The corpus of one file, with the layer "spans": XMI, JSON CAS, or a zip of one of them.

    Tokens and sentences are those of DKPro; without tokens, positions are characters. Offsets
    count UTF-16 units in the file and characters here. The document is named by its documentTitle
    (INCEpTION's exports have the annotator in documentId), else its documentId, else its file.
    Features of the spans that are strings, numbers or truth are kept beside their label.

    Parameters
    ----------
    path : str or Path
    type : str, optional
        The type of the spans, or the last part of its name. By default DKPro's NamedEntity; if
        there are none, the only type of INCEpTION's own span layers that has annotations.
    label : str, optional
        The feature with the label. By default `value`, `identifier` or `label`, the first that a
        span has, or the only feature that is a string.
    typesystem : str or Path, optional
        By default TypeSystem.xml, in the zip, beside the file, or up to three folders above.
    misaligned : "error" or "unplaced"
        What becomes of a span that does not fit the borders of the tokens.

    Raises
    ------
    FormatError
        If the file is not sound, or has several types of spans.
    ValueError
        If dkpro-cassis is not installed.
    """
    known(misaligned, MISALIGNED, "value of misaligned")
    cas = with_text(load_cas(path, typesystem), path)
    try:
        placed = placed_text(cas.sofa_string, borders(cas, TOKEN), borders(cas, SENTENCE))
        said = spans_of(cas, chosen_type(cas, type), label)
        positions, unplaced = places(placed, [span for span, _ in said], misaligned)
    except Mistake as mistake:
        raise FormatError(f"{mistake.found}; {mistake.advice}.", path) from None
    document = Document(
        placed.words,
        {"spans": positions.values()},
        name=name_of(cas, path),
        sents=placed.sents,
        unplaced={"spans": unplaced},
        text=placed.text,
        spaces=placed.spaces,
        features={"spans": {positions[span]: more for span, more in said if span in positions}},
    )
    return Corpus(path, (document,), placed.positions)


def with_text(cas, path):
    """The view of the text: the initial one, or the only one that has a text."""
    views = [cas.get_view(view.sofa.sofaID) for view in cas.views]
    views = [view for view in views if view.sofa_string is not None]
    initial = [view for view in views if view.get_sofa().sofaID == "_InitialView"]
    if not initial and len(views) != 1:
        raise FormatError(f"{len(views)} views with a text; expected one", path)
    return (initial or views)[0]


def borders(cas, name):
    """The (begin, end) of all annotations of a type, if the type system has it."""
    if not cas.typesystem.contains_type(name):
        return []
    size = len(cas.sofa_string)
    found = [(each.begin, each.end) for each in cas.select(name)]
    for begin, end in found:
        if not 0 <= begin <= end <= size:
            raise Mistake(
                f"{last_part(name)} [{begin}, {end}) in a text of {size} characters",
                "offsets lie inside the text",
            )
    return found


def name_of(cas, path):
    """The name of the document."""
    said = cas.select(METADATA) if cas.typesystem.contains_type(METADATA) else []
    keys = ("documentTitle", "documentId")
    names = [getattr(each, key, None) for key in keys for each in said[:1]]
    return next((name for name in names if name), name_by_file(path))


def last_part(name):
    return name.rpartition(".")[2]


def chosen_type(cas, asked):
    """The name of the type of the spans."""
    counts = Counter(each.type.name for each in cas.select_all_annotations())
    types = cas.typesystem
    if asked is not None:
        named = [one.name for one in types.get_types() if asked in (one.name, last_part(one.name))]
        if len(named) == 1 and types.is_instance_of(named[0], ANNOTATION):
            return named[0]
        raise Mistake(f"no type {asked!r} of annotations", f"the file has {listing(counts)}")
    own = sorted(
        one.name
        for one in types.get_types()
        if one.name.startswith(CUSTOM) and types.is_instance_of(one, ANNOTATION)
    )
    own = [name for name in own if not relation(types, name)]
    used = [name for name in own if counts[name]]
    entities = [NAMED_ENTITY] if types.contains_type(NAMED_ENTITY) else []
    marked = any(counts[one.name] for name in entities for one in types.get_type(name).descendants)
    candidates = entities if marked else used or entities or own
    if len(candidates) != 1:
        raise Mistake(
            "it is not clear which annotations are meant",
            f"name their type (type: --type); the file has {listing(counts)}",
        )
    return candidates[0]


def relation(types, name):
    """Whether a type of INCEpTION is an arrow between two spans."""
    features = {feature.name for feature in types.get_type(name).all_features}
    return {"Governor", "Dependent"} <= features


def listing(counts):
    """Types with the numbers of their annotations."""
    return ", ".join(f"{name} ({counts[name]})" for name in sorted(counts)) or "no annotations"


def spans_of(cas, name, label):
    """Rows ((start, end, label), other features) of all annotations of a type."""
    features = [one for one in cas.typesystem.get_type(name).all_features if one.name not in PLACE]
    strings = [one.name for one in features if one.rangeType.name == STRING]
    keys = [key for key in LABELS if key in strings] if label is None else [label]
    if not keys and len(strings) == 1:
        keys = strings
    names = [one.name for one in features]
    if not keys or keys[0] not in names:
        raise Mistake(
            f"{name} has the features {', '.join(names) or 'none'}",
            "name the one that has the label (label: --label-feature)",
        )
    return sorted(
        (span_of(each, keys, names, len(cas.sofa_string)) for each in cas.select(name)),
        key=lambda row: row[0],
    )


def span_of(annotation, keys, names, size):
    """((start, end, label), other features) of one annotation."""
    said = simple({name: getattr(annotation, name) for name in names})
    key = next((key for key in keys if said.get(key) not in (None, "")), None)
    if key is None:
        place = f"[{annotation.begin}, {annotation.end})"
        raise Mistake(f"{annotation.type.name} {place} has no {' or '.join(keys)}", GIVE_LABEL)
    found = said.pop(key)
    found = found if isinstance(found, str) else str(found)
    return checked_span(annotation.begin, annotation.end, found, size, "characters"), said
