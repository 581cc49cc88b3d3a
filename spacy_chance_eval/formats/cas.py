"""UIMA CAS, the format of INCEpTION and DKPro: one annotator of one document per file."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..measures.messages import quoted
from .blemishes import sound_entries
from .cas_files import (
    ANNOTATION,
    INFERRED,
    load_cas,
)
from .corpus import Corpus, Document, Span, Stretch
from .errors import ContentError, FormatError, PathLike, known
from .files import name_by_file
from .rows import MISALIGNED, are_offsets, brief, checked_span
from .texts import (
    label_feature,
    place_spans,
    place_text,
    simple_values,
    with_fragments,
)

SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
TOKEN, SENTENCE = SEGMENTATION + "Token", SEGMENTATION + "Sentence"
METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
CUSTOM = "webanno.custom."
LABELS = ("value", "identifier", "label")
STRING = "uima.cas.String"
PLACE = ("sofa", "begin", "end")
GIVE_LABEL = (
    "fill it in, name the feature that has the label (label: --label-feature), or give such spans "
    "a label (--label-feature {}=LABEL)"
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
    cas = _text_view(load_cas(path, typesystem), path)
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
    return Corpus(str(path), (document,), placed.positions)


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
        if (one.name.startswith(CUSTOM) or one.description == INFERRED)
        and types.is_instance_of(one, ANNOTATION)
    )
    own = [name for name in own if not _is_relation(types, name)]
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


def _is_relation(types: Any, name: str) -> bool:
    """Whether a type of INCEpTION is an arrow between two spans."""
    features = {feature.name for feature in types.get_type(name).all_features}
    return {"Governor", "Dependent"} <= features


def _type_counts(counts: Mapping[str, int]) -> str:
    """Types with the numbers of their annotations."""
    return ", ".join(f"{name} ({counts[name]})" for name in sorted(counts)) or "no annotations"


def _spans_of(cas: Any, name: str, label: str | None) -> list[tuple[Span, dict[str, Any]]]:
    """Rows ((start, end, label), other features) of all annotations of a type."""
    features = [one for one in cas.typesystem.get_type(name).all_features if one.name not in PLACE]
    strings = [one.name for one in features if one.rangeType.name == STRING]
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
