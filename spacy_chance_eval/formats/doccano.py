"""doccano: exports of sequence labelling, relation extraction and text classification."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..measures.messages import quoted
from .annotators import Repeats, annotator_of, by_annotator
from .blemishes import sound_entries
from .corpus import Corpus, Document, Span
from .errors import ContentError, PathLike
from .files import BlockReader, Excerpt, Run
from .notes import NUMBERS, OTHERS, RELATIONS, Notes, Place, add_notes, note
from .rows import (
    Row,
    RowSpans,
    brief,
    checked_span,
    convert_items,
    different_labels,
    gather_spans,
    json_value,
    line_documents,
    plain_values,
    read_items,
    read_rows,
    sound_rows,
)

_ParsedRow: TypeAlias = tuple[Row, int, str | None]  # with its line and the kind of its labels
SPANS, CATEGORIES, ANNOTATOR = "spans", "categories", "annotator"
PLAIN_KEYS = ("label", "labels")
LABEL_KEYS = (*PLAIN_KEYS, "entities", "cats")
BY_USER = "annotations"  # before version 1.4, with the number of the user in each
KEYS = ("id", "text", *LABEL_KEYS, BY_USER, "relations", "Comments", "comments", "meta")
DOCCANO_SPAN_KEYS = ("id", "label", "start_offset", "end_offset")
# lists of a row that are noted: their key, the kind of the note, the name of an entry
LISTS = (
    (BY_USER, NUMBERS, "a label"),
    ("relations", RELATIONS, "a relation"),
    ("Comments", OTHERS, "a comment"),
    ("comments", OTHERS, "a comment"),
)
USER_KEYS = ("user", "user_name", "label_name")
KINDS = "a row has spans [start, end, label], or labels of the whole text; one kind in a file"
OF_OTHERS = "spans of other programs are read with --format entities"
NAMED = "write the names of labels instead of their numbers; doccano shows them under Labels"
SHAPE = (
    "export the project as JSONL: rows with 'text' and 'label', or 'text', 'entities' and "
    "'relations'"
)


def read_doccano(
    path: PathLike, *, annotator: str | None = None, duplicates: str = "merge"
) -> Corpus:
    """The corpus of an export of doccano, JSONL or one JSON array. Positions are characters.

        {"id": 1, "text": "Ada slept", "label": [[0, 3, "PER"]]}
        {"id": 1, "text": "Ada slept", "entities": [{"id": 5, "label": "PER", "start_offset": 0,
         "end_offset": 3}], "relations": [], "Comments": []}
        {"id": 1, "text": "Ada slept", "label": ["science"]}
        {"id": 1, "text": "Ada slept", "annotations": [{"label": 4, "start_offset": 0,
         "end_offset": 3, "user": 1}]}

    Spans are the layer "spans", labels of whole texts (of `label`, or of `cats` beside `entities`)
    the layer "categories". Other keys of an entity are its features, and other keys of a row, or
    those of its `meta`, are attributes, if their values are simple. Relations and comments are left
    out, and a note counts them. doccano exports a text that nobody has looked at like one without
    spans: export confirmed examples only. A row without any key for labels, or with null, was not
    annotated.

    The last form is that of versions before 1.4: every user is a layer, and users and labels are
    called by their numbers (which a note says of labels), or by `user_name` and `label_name`. A
    user without annotations in a text is not there, and counts as one who has not seen it. `doc_id`
    of still older files is `id`.

    doccano writes one file for each member of a project (or one of all of them, with shared
    annotation): score those files against each other, or put them into one, with the annotator
    under a key of each row.

    Offsets count Unicode code points. A project that counts grapheme clusters has others as soon as
    a text has a joined emoji or a combining accent; export from a project without that option.

    Parameters
    ----------
    annotator : str, optional
        Key of the annotator of a row, for example "annotator", "user", "username" or
        "annotated_by". Each annotator then is a layer; rows with the same id, or without an id the
        same text, are one document.
    duplicates : "error", "merge", "last" or "keep"
        How to treat a second answer of an annotator to a document: equal ones are one, or the
        last one counts.
    """
    if annotator is not None and (type(annotator) is not str or annotator in ("", *KEYS)):
        raise ValueError(
            f"unknown annotator {quoted(annotator)}; expected the key of the annotator"
        )
    repeats = Repeats(path, duplicates)
    rows = read_items(path, _parse_row)
    documents = _documents_of(path, rows, annotator, repeats=repeats)
    return Corpus(str(path), documents, "char", notes=repeats.notes + _notes_of(path, rows))


def _parse_row(row: Row, line: int) -> _ParsedRow:
    """The row, its line, and the kind of its plain labels; raises for one without text."""
    if json_value(row, "text", str) is None:
        raise ContentError("a row without 'text'", SHAPE)
    given = [key for key in (*LABEL_KEYS, BY_USER) if key in row]
    if len(given) > 1 and given != ["entities", "cats"]:
        raise ContentError(
            f"{quoted(given[0])} beside {quoted(given[1])}", "keep one key for labels in a row"
        )
    return row, line, _kind_of(row)


def _notes_of(path: object, rows: Sequence[_ParsedRow]) -> Notes:
    """Notes of labels that only are numbers, of relations and of comments."""
    found: dict[str, list[Place]] = {NUMBERS: [], RELATIONS: [], OTHERS: []}
    for row, line, _ in rows:
        for key, kind, what in LISTS:
            for one in row[key] if type(row.get(key)) is list else ():
                if kind != NUMBERS:
                    found[kind].append(Place(str(path), line, what))
                elif type(one) is dict and type(one.get("label")) is int:
                    if "label_name" not in one:
                        found[kind].append(Place(str(path), line, f"label {one['label']}"))
    return add_notes(note(kind, places) for kind, places in found.items())


def _kind_of(row: Row) -> str | None:
    """Whether the plain labels of a row are spans or categories; None if there are none."""
    labels = row.get("label", row.get("labels"))
    if type(labels) is str:
        return CATEGORIES
    if type(labels) is list and labels:
        return CATEGORIES if type(labels[0]) is str else SPANS
    return None


def _documents_of(
    path: object,
    rows: Sequence[_ParsedRow],
    annotator: str | None,
    kind: str | None = None,
    repeats: Repeats | None = None,
) -> list[Document]:
    """The documents of rows, with plain labels of one kind; raises once for all mistakes.

    The kind is by default that of the first plain labels.
    """
    first = kind or next((kind for *_, kind in rows if kind), SPANS)

    def convert(row: Row, line: int) -> tuple[Document, str | None]:
        if _kind_of(row) not in (None, first):
            raise ContentError(f"{_kind_of(row)} in a file whose first labels are {first}", KINDS)
        return _document_of(row, line, first, annotator), annotator and annotator_of(row, annotator)

    made = convert_items(path, [(row, line) for row, line, _ in rows], convert)
    return by_annotator(path, made, repeats) if annotator else [document for document, _ in made]


def _document_of(row: Row, line: int, kind: str, annotator: str | None) -> Document:
    """The document of one row."""
    name = row.get("id", row.get("doc_id"))
    if name is not None and type(name) not in (str, int):
        raise ContentError(f"'id' is {brief(name)}", "'id' is a number or a string")
    if annotator is not None and BY_USER in row:
        raise ContentError(
            f"{quoted(BY_USER)}, which name their users", "leave out --annotator-field"
        )
    found: dict[str, RowSpans | None] = {}
    categories: dict[str, list[str] | None] = {}
    for key in LABEL_KEYS:
        if key not in row:
            continue
        if key == "cats" or (key in PLAIN_KEYS and kind == CATEGORIES):
            categories[CATEGORIES] = _categories_of(row, key)
        else:
            found[SPANS] = _spans_of(row, key)
    for user, entries in _entries_by_user(row).items():
        places = [one for one in entries if "start_offset" in one]
        if places:
            found[user] = _spans_of({**row, BY_USER: places}, BY_USER)
        labels = [one["label"] for one in entries if "start_offset" not in one]
        if labels:
            categories[user] = _categories_of({BY_USER: labels}, BY_USER)
    meta = row.get("meta")
    own = (*KEYS, annotator) if "id" in row else (*KEYS, "doc_id", annotator)
    return Document(
        (),
        {layer: spans and spans.spans for layer, spans in found.items()},
        name=name if name is None else str(name),
        text=row["text"],
        lines=(line,),
        features={layer: spans.features for layer, spans in found.items() if spans},
        copies={layer: spans.copies for layer, spans in found.items() if spans},
        categories=categories,
        attributes=plain_values(meta if type(meta) is dict else {}, ()) | plain_values(row, own),
    )


def _entries_by_user(row: Row) -> dict[str, list[Row]]:
    """The annotations of a row by user, with the names of labels instead of their numbers."""

    def convert(entry: Any) -> tuple[str, Row]:
        if type(entry) is not dict:
            raise ContentError(f"an annotation is {brief(entry)}", SHAPE)
        user = annotator_of(entry, "user_name") or annotator_of(entry, "user") or SPANS
        label = entry.get("label_name", entry.get("label"))
        label = str(label) if type(label) is int else label
        own = {key: value for key, value in entry.items() if key not in USER_KEYS}
        return user, {**own, "label": label}

    found: dict[str, list[Row]] = {}
    for user, entry in sound_entries(json_value(row, BY_USER, list, []), convert):
        found.setdefault(user, []).append(entry)
    return found


def _categories_of(row: Row, key: str) -> list[str] | None:
    """The labels of a whole text; one alone may be a string."""
    found = [row[key]] if type(row[key]) is str else json_value(row, key, list)
    if found is None:
        return None
    return different_labels(found, f"{quoted(key)} is", "labels of a text are different strings")


def _spans_of(row: Row, key: str) -> RowSpans | None:
    """The spans of a row; None with null."""
    entries = json_value(row, key, list)
    if entries is None:
        return None

    def convert(entry: Any) -> tuple[Span, Mapping[str, Any]]:
        place = entry
        if type(entry) is int:
            raise ContentError(f"a text has the number {entry} for its label", NAMED)
        if type(entry) is dict:
            place = [entry.get("start_offset"), entry.get("end_offset"), entry.get("label")]
        if type(place) is not list or len(place) != 3:
            raise ContentError(f"a span is {brief(entry)}", f"{KINDS}; {OF_OTHERS}")
        start, end, label = place
        if type(label) is int:
            raise ContentError(f"a span has the number {label} for its label", NAMED)
        said = plain_values(entry, DOCCANO_SPAN_KEYS) if type(entry) is dict else {}
        return checked_span(start, end, label, len(row["text"]), "characters"), said

    return gather_spans(sound_entries(entries, convert))


def blocks_of_doccano() -> BlockReader:
    """How JSONL of doccano is read in blocks of documents."""
    return BlockReader(_open_rows, "".join, _read_some_rows, "char")


def _open_rows(path: PathLike, options: Mapping[str, Any]) -> tuple[str, Iterator[Run]]:
    """(whether plain labels are spans or categories, the documents of the file)."""
    return _first_kind(path), line_documents(path)


def _first_kind(path: PathLike) -> str:
    """Whether the first plain labels of a file are spans or categories; spans without any."""
    for row, line in sound_rows(path):
        try:
            if kind := _parse_row(row, line)[-1]:
                return kind
        except ContentError:
            continue
    return SPANS


def _read_some_rows(excerpt: Excerpt, kind: str, options: Mapping[str, Any], state: None) -> Corpus:
    """The corpus of some rows of a file, with plain labels of a kind."""
    rows = read_rows(excerpt, _parse_row)
    documents = _documents_of(excerpt, rows, None, kind)
    return Corpus(str(excerpt), documents, "char", notes=_notes_of(excerpt, rows))
