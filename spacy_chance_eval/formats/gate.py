"""GATE documents: XML, and bdoc, the JSON format of gatenlp.

Not by gatenlp: it opens URLs, expands entities, takes the text "false" for true, and of annotations
with the same number keeps the last.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ..measures.messages import quoted
from .blemishes import VALUES, sound_entries
from .corpus import Corpus, Document, Span
from .encodings import not_utf8
from .errors import ContentError, FormatError, PathLike, known
from .files import name_by_file
from .notes import POINTS, Place, note
from .rows import MISALIGNED, Row, are_offsets, brief, checked_span, json_value, parsed_row
from .safe_xml import bounded_bytes, checked_xml
from .texts import label_feature, place_spans, place_text, simple_values, with_fragments

TRUTH = {"true": True, "false": False}
JAVA = "java.lang."
READ_AS: dict[str, Callable[[str], Any]] = {
    "String": str,
    "Boolean": TRUTH.__getitem__,
    **dict.fromkeys(("Byte", "Short", "Integer", "Long"), int),
    **dict.fromkeys(("Float", "Double", "java.math.BigDecimal"), float),
}

LINGUISTIC = ("Token", "SpaceToken", "Sentence", "Split")
MARKUP = "Original markups"
DEFAULT = "default"
EMPTY = "(empty)"  # the label of a feature whose value is the empty text


class _Annotation(NamedTuple):
    """An annotation with offsets in characters; old versions of GATE give it no number."""

    number: int | None
    type: str
    start: int
    end: int
    features: Mapping[str, Any]


class _Content(NamedTuple):
    """A document, and its annotations by set."""

    text: str
    sets: dict[str, list[_Annotation]]
    features: Mapping[str, Any]
    name: str | None = None


def read_gate(
    path: PathLike,
    *,
    annotation_set: str | None = None,
    type: str | Sequence[str] | None = None,
    label: str | None = None,
    tokens: bool = True,
    misaligned: str = "error",
) -> Corpus:
    """The corpus of one document: GATE XML, or the bdoc of gatenlp and GATE (.bdocjs).

    Every annotation set is a layer of its name, the default one is called "default". Types are
    labels. Tokens, sentences, splits and the set "Original markups" annotate nothing: a set that
    has nothing else is not a layer, nor is the default set without annotations. Features of the
    document become attributes and those of spans are kept, if they are strings, numbers or truth.
    Annotations without length are left out; notes of the corpus say where they were.

    GATE has no discontinuous annotations: the pieces of a span are read from the feature
    `fragments` ("0-4 15-21", in characters), if it has one.

    Parameters
    ----------
    annotation_set : str, optional
        Read this set alone, even if it is empty.
    type : str or sequence of str, optional
        Keep annotations of these types alone; in a string, commas separate them.
    label : str, optional
        The feature whose value is the label, "(empty)" if that is empty. By default the type is.
        With "kind=none", annotations without the feature `kind` have the label "none".
    tokens : bool
        Whether the Token annotations of the default set are the positions, if there are any.
        Otherwise positions are characters.
    misaligned : "error" or "unplaced"
        How to treat a span that does not fit the borders of the tokens.
    """
    known(misaligned, MISALIGNED, "value of misaligned")
    types = type.split(",") if isinstance(type, str) else type
    points: list[Place] = []

    def with_length(annotations: Sequence[_Annotation], layer: str) -> list[_Annotation]:
        points.extend(
            Place(str(path), None, f"{each.type} at {each.start} of set {layer}")
            for each in annotations
            if each.start == each.end
        )
        return [each for each in annotations if each.start < each.end]

    data = bounded_bytes(path)
    try:
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            document = _content_of_bdoc(parsed_row(data.decode("utf-8-sig")))
        else:
            document = _content_of_xml(ElementTree.fromstring(checked_xml(data, path)))
        plain = document.sets.get("", [])
        words = [each for each in plain if tokens and each.type == "Token"]
        placed = place_text(
            document.text,
            [(each.start, each.end) for each in with_length(words, DEFAULT)],
            [(each.start, each.end) for each in plain if each.type == "Sentence"],
        )
        rows = {}
        for layer, found in _chosen_sets(document.sets, annotation_set, types).items():
            wanted = [
                each
                for each in found
                if (each.type in types if types else each.type not in LINGUISTIC)
            ]
            rows[layer] = _rows_of(with_length(wanted, layer), layer, label, len(placed.text))
        spans = {name: place_spans(placed, said, misaligned) for name, said in rows.items()}
    except UnicodeDecodeError:
        raise not_utf8(path, data) from None
    except ContentError as mistake:
        raise FormatError(f"{mistake}.", path) from None
    made = Document(
        placed.words,
        {name: one.spans for name, one in spans.items()},
        name=document.name or name_by_file(path),
        sents=placed.sents,
        unplaced={name: one.unplaced for name, one in spans.items()},
        text=placed.text,
        spaces=placed.spaces,
        attributes=simple_values(document.features),
        features={name: one.features for name, one in spans.items()},
        copies={name: one.copies for name, one in spans.items()},
    )
    return Corpus(str(path), (made,), placed.positions, notes=note(POINTS, points))


def _chosen_sets(
    sets: Mapping[str, list[_Annotation]], asked: str | None, types: Sequence[str] | None
) -> dict[str, list[_Annotation]]:
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
            raise ContentError(f"a set {quoted(DEFAULT)} beside the default one", "rename it")
        found[layer] = annotations
    return found


def _rows_of(
    annotations: Iterable[_Annotation], layer: str, label: str | None, size: int
) -> list[tuple[Span, dict[str, Any]]]:
    """Rows ((start, end, label), other features) of the annotations of a set."""
    feature, default = label_feature(label)

    def convert(each: _Annotation) -> tuple[Span, dict[str, Any]]:
        said = simple_values(each.features)
        kind = each.type if feature is None else said.pop(feature, default)
        if kind is None:
            raise ContentError(
                f"{each.type} [{each.start}, {each.end}) of set {layer} has no feature "
                f"{quoted(feature)}",
                "name a feature that all spans have, give the others a label (--label-feature "
                f"{feature}=LABEL), or keep other types (type: --type)",
            )
        kind = EMPTY if kind == "" else str(kind)
        return with_fragments(
            checked_span(each.start, each.end, kind, size, "characters"), said, size
        )

    return sorted(sound_entries(annotations, convert), key=lambda row: row[0])


def _numbered(name: str, rows: Iterable[_Annotation]) -> list[_Annotation]:
    """The annotations of a set, whose numbers must differ."""
    ids: set[int] = set()

    def check(row: _Annotation) -> _Annotation:
        if row.number in ids:
            what = f"two annotations of set {quoted(name)} with the id {row.number}"
            raise ContentError(what, "renumber")
        ids.update([] if row.number is None else [row.number])
        return row

    return [*sound_entries(rows, check)]


def _content_of_bdoc(row: Row) -> _Content:
    """The content of a bdoc dictionary."""
    text, kind = json_value(row, "text", str), json_value(row, "offset_type", str, "p")
    if text is None or kind not in ("p", "j"):
        raise ContentError(
            f"an object with the keys {brief(sorted(row))}",
            "a bdoc document has a 'text' and the 'offset_type' p or j; save it again",
        )
    at = None
    if kind == "j":  # which counts UTF-16 units
        widths = (2 if character > "\uffff" else 1 for character in text)
        at = {unit: place for place, unit in enumerate(accumulate(widths, initial=0))}
    convert = partial(_annotation_of_row, len(text), at)
    sets, given = {}, json_value(row, "annotation_sets", dict, {})
    for name in given:
        rows = json_value(json_value(given, name, dict, {}), "annotations", list, [])
        sets[name] = _numbered(name, sound_entries(rows, convert))
    features = json_value(row, "features", dict, {})
    return _Content(text, sets, features, json_value(row, "name", str))


def _annotation_of_row(size: int, at: Mapping[Any, int] | None, row: Any) -> _Annotation:
    """The annotation that an object of bdoc is."""
    if not isinstance(row, dict):
        raise ContentError(f"an annotation is {brief(row)}", "an annotation is an object")
    number: Any = row.get("id")
    start: Any = row.get("start")
    end: Any = row.get("end")
    kind, features = json_value(row, "type", str), json_value(row, "features", dict, {})
    if at is not None and are_offsets(start, end):
        start, end = at.get(start), at.get(end)
    sound = are_offsets(start, end, 0 if number is None else number)
    if not kind or not sound or not start <= end <= size:
        raise ContentError(
            f"an annotation is {brief(row)}",
            "an annotation needs a type, a start and an end in the text, and, if any, a whole "
            "number as id",
        )
    return _Annotation(number, kind, start, end, features)


def _content_of_xml(root: Element) -> _Content:
    """The content of GATE XML, without features that are neither text, numbers nor truth."""
    if root.tag != "GateDocument":
        is_text = any((one.tail or "").strip() for one in root.iter())
        advice = "expected a GateDocument" + " (text with spans as tags: --format inline)" * is_text
        raise ContentError(f"an XML file of {brief(root.tag)}", advice)
    found = root.findall("TextWithNodes")
    if len(found) != 1:
        raise ContentError(f"{len(found)} elements TextWithNodes", "a GateDocument has one")
    text, offsets = found[0].text or "", dict[str, int]()
    for node in found[0]:
        name = node.get("id")
        if node.tag != "Node" or len(node) or node.text or name is None or name in offsets:
            raise ContentError(
                f"an element {node.tag} with id {quoted(name)} in the text",
                "the text has empty nodes, each with an id of its own",
            )
        offsets[name] = len(text)
        text += node.tail or ""
    features, sets = _features_of(root.find("GateDocumentFeatures")), dict[str, list[_Annotation]]()
    for each in root.findall("AnnotationSet"):
        name = each.get("Name", "")
        if name in sets:
            raise ContentError(f"two annotation sets {quoted(name)}", "rename one")
        rows = sound_entries(each.findall("Annotation"), partial(_annotation_of, offsets))
        sets[name] = _numbered(name, rows)
    return _Content(text, sets, features)


def _annotation_of(offsets: Mapping[str, int], element: Element) -> _Annotation:
    """The annotation that an element is."""
    number, kind, first, last = map(element.get, ("Id", "Type", "StartNode", "EndNode"))
    start, end = offsets.get(first or "", -1), offsets.get(last or "", -1)
    if not kind or not 0 <= start <= end:
        raise ContentError(
            f"an annotation {quoted(kind)} with id {quoted(number)} from node {quoted(first)} to "
            f"{quoted(last)}",
            "an annotation needs a Type, and nodes in the text, in this order",
        )
    known_number = None if number is None else _convert_value(int, number)
    return _Annotation(known_number, kind, start, end, _features_of(element))


def _features_of(element: Element | None) -> dict[str, Any]:
    """Simple features of the document or an annotation, without those that have no value."""
    features = () if element is None else element.findall("Feature")
    return dict(pair for pair in sound_entries(features, _feature_of, VALUES) if pair)


def _feature_of(feature: Element) -> tuple[str, Any] | None:
    """(name, value) of a feature; None if it has no value, or none that is simple."""
    name, said = feature.find("Name"), feature.find("Value")
    if name is None or said is None:
        raise ContentError("a feature without Name or Value", "a feature needs both")
    kind, text = (said.get("className") or JAVA + "String").removeprefix(JAVA), said.text or ""
    if kind not in READ_AS or len(said) or not text and READ_AS[kind] is not str:
        return None
    return name.text or "", _convert_value(READ_AS[kind], text)


def _convert_value(kind: Callable[[str], Any], text: str) -> Any:
    """A value of its kind."""
    try:
        return kind(text)
    except (ValueError, KeyError):
        raise ContentError(
            f"the value {brief(text)}", "it is not of the kind that it says"
        ) from None
