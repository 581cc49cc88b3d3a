"""doccano: exports of sequence labelling, relation extraction and text classification."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

from msgspec import Struct, field

from ..measures.messages import quoted
from .annotators import annotator_of
from .blemishes import SPANS as UNIT
from .blemishes import sound_entries
from .columns import Columns, Entries
from .corpus import Corpus
from .errors import ContentError
from .files import BlockReader
from .jsonl import blocks_of_rows
from .notes import NUMBERS, OTHERS, RELATIONS, Place, add_notes, note
from .rows import (
    Row,
    RowSource,
    brief,
    different_labels,
    json_value,
    plain_values,
)
from .typed_rows import Form, Name, Offset, Part, checked_annotator, read_form

SPANS, CATEGORIES = "spans", "categories"
PLAIN_KEYS = ("label", "labels")
LABEL_KEYS = (*PLAIN_KEYS, "entities", "cats")
BY_USER = "annotations"  # before version 1.4, with the number of the user in each
KEYS = ("id", "text", *LABEL_KEYS, BY_USER, "relations", "Comments", "comments", "meta")
DOCCANO_SPAN_KEYS = {"id", "label", "start_offset", "end_offset"}
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
LAYERS, LABELS = "*layers", "*labels"  # keys of rows by user, and of rows of labels


class Entity(Struct, gc=False):
    """A span."""

    label: Name
    start_offset: Offset
    end_offset: Offset


SpanList: TypeAlias = list[tuple[Offset, Offset, Name] | Entity] | None


class DoccanoRow(Struct, gc=False):
    """A row of spans, or by now of layers and labels of its text."""

    text: str
    id: str | int | None = None
    doc_id: str | int | None = None
    label: SpanList = None
    labels: SpanList = None
    entities: SpanList = None
    layers: dict[str, SpanList] = field(name=LAYERS, default_factory=dict)


PART = Part(UNIT, "a span", tuple[Offset, Offset, Name] | Entity, f"{KINDS}; {OF_OTHERS}")


def read_doccano(
    path: RowSource, *, annotator: str | None = None, duplicates: str = "merge"
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
    checked_annotator(annotator, KEYS)
    return _read(path, annotator=annotator, duplicates=duplicates)


def _read(
    path: RowSource,
    about: str | None = None,
    *,
    annotator: str | None = None,
    duplicates: str = "merge",
) -> Corpus:
    """The corpus of rows, of which the kind of plain labels may be known."""
    places: dict[str, list[Place]] = {}
    form = partial(_form_of, path, places, annotator)
    how = form(about) if about else lambda rows: form(_first_kind(path, rows))
    corpus = read_form(path, how, annotator=annotator, duplicates=duplicates)
    notes = add_notes(note(kind, places.get(kind, ())) for kind in (NUMBERS, RELATIONS, OTHERS))
    return replace(corpus, notes=corpus.notes + notes)


def blocks_of_doccano() -> BlockReader:
    """How JSONL of doccano is read in blocks of documents."""
    return blocks_of_rows(_read, (), _first_kind)


def _first_kind(path: object, rows: Iterable[Row], **_: Any) -> str:
    """Whether the first plain labels of a file are spans or categories; spans without any."""
    kinds = (_kind_of(row) for row in rows if type(row.get("text")) is str)
    return next((kind for kind in kinds if kind), SPANS)


def _form_of(
    path: object, places: dict[str, list[Place]], annotator: str | None, kind: str
) -> Form:
    """The form of rows with plain labels of a kind."""
    only_with = {BY_USER, "cats", *(PLAIN_KEYS if kind == CATEGORIES else ())}
    return Form(
        DoccanoRow,
        dict.fromkeys((*PLAIN_KEYS, "entities", LAYERS), PART._replace(check=_check_span)),
        partial(_columns_of, path, places, annotator),
        partial(_translate, kind=kind, annotator=annotator),
        frozenset(only_with),
        check=partial(_check, kind=kind),
    )


def _kind_of(row: Row) -> str | None:
    """Whether the plain labels of a row are spans or categories; None if there are none."""
    labels = row.get("label", row.get("labels"))
    if type(labels) is str:
        return CATEGORIES
    if type(labels) is list and labels:
        return CATEGORIES if type(labels[0]) is str else SPANS
    return None


def _check(row: Row, kind: str) -> None:
    """Raise for a row that is of no such type."""
    if json_value(row, "text", str) is None:
        raise ContentError("a row without 'text'", SHAPE)
    if _kind_of(row) not in (None, kind):
        raise ContentError(f"{_kind_of(row)} in a file whose first labels are {kind}", KINDS)


def _check_span(entry: Any) -> None:
    """Raise for a span, or a text, with a number for its label."""
    if type(entry) is int:
        raise ContentError(f"a text has the number {entry} for its label", NAMED)
    is_list = type(entry) is list and len(entry) == 3
    label = entry[2] if is_list else entry.get("label") if type(entry) is dict else None
    if type(label) is int:
        raise ContentError(f"a span has the number {label} for its label", NAMED)


def _translate(row: Row, kind: str, annotator: str | None) -> tuple[Row, str]:
    """A row with labels of its text, or with annotations of users, by layer."""
    _check_keys(row)
    if _kind_of(row) not in (None, kind):
        _check(row, kind)
    if annotator is not None and BY_USER in row:
        raise ContentError(
            f"{quoted(BY_USER)}, which name their users", "leave out --annotator-field"
        )
    layers, labels = {}, {}
    for key in ("cats", *(PLAIN_KEYS if kind == CATEGORIES else ())):
        if key in row:
            labels[CATEGORIES] = _categories_of(row, key)
    for user, entries in _entries_by_user(row).items():
        places = [one for one in entries if "start_offset" in one]
        if places:
            layers[user] = places
        if texts := [one["label"] for one in entries if "start_offset" not in one]:
            labels[user] = _categories_of({BY_USER: texts}, BY_USER)
    own = {key: row[key] for key in row if kind == SPANS or key not in PLAIN_KEYS}
    return {**own, LAYERS: layers, LABELS: labels}, ""


def _check_keys(row: Row) -> None:
    """Raise for labels under several keys."""
    given = [key for key in (*LABEL_KEYS, BY_USER) if key in row]
    if len(given) > 1 and given != ["entities", "cats"]:
        raise ContentError(
            f"{quoted(given[0])} beside {quoted(given[1])}", "keep one key for labels in a row"
        )


def _columns_of(
    path: object,
    noted: dict[str, list[Place]],
    annotator: str | None,
    typed: Sequence[DoccanoRow],
    rows: Sequence[Row],
    lines: Sequence[int],
    unit: str,
) -> Columns:
    """Rows in columns."""
    keys = set[str]().union(*rows)
    columns = Columns(lines, {}, _entries_of, text=[row.text for row in typed])
    found = [key for key in (*PLAIN_KEYS, "entities") if key in keys]
    if len(found) > 1 or found and BY_USER in keys:
        for n, row in enumerate(rows):
            try:
                _check_keys(row)
            except ContentError as mistake:
                columns.wrong[n] = mistake.found, mistake.advice
    for key in found:
        docs = [n for n, row in enumerate(rows) if key in row and n not in columns.wrong]
        before, of = columns.layers.setdefault(SPANS, ([], []))
        before += docs
        of += [rows[n][key] for n in docs]
    for n, row in enumerate(rows) if LAYERS in keys else ():
        for name, entries in row.get(LAYERS, {}).items():
            docs, of = columns.layers.setdefault(name, ([], []))
            docs.append(n)
            of.append(entries)
    if LABELS in keys:
        columns.categories = [row.get(LABELS, {}) for row in rows]
    names = [row.get("id", row.get("doc_id")) for row in rows]
    if names.count(None) < len(names):
        columns.name = [one if one is None else str(one) for one in names]
    if not keys <= {*OWN_KEYS, annotator}:
        own = {*OWN_KEYS, annotator}
        columns.attributes = [
            plain_values(row["meta"] if type(row.get("meta")) is dict else {}, ())
            | plain_values(row, own if "id" in row else {*own, "doc_id"})
            for row in rows
        ]
    for key, kind, what in LISTS if not keys.isdisjoint(one for one, *_ in LISTS) else ():
        for row, line in zip(rows, lines):
            for one in row[key] if type(row.get(key)) is list else ():
                if kind == NUMBERS:
                    known = type(one) is dict and "label_name" not in one
                    if not known or type(one.get("label")) is not int:
                        continue
                    what = f"label {one['label']}"
                noted.setdefault(kind, []).append(Place(str(path), line, what))
    return columns


OWN_KEYS = {*KEYS, LAYERS, LABELS} - {"meta"}


def _entries_of(entries: Sequence[Any]) -> Entries:
    """The columns of spans."""
    kinds = {*map(type, entries)}
    if kinds == {list}:
        return Entries(*zip(*entries))
    if list in kinds:
        keys = ("start_offset", "end_offset", "label")
        entries = [dict(zip(keys, one)) if type(one) is list else one for one in entries]
    features = None
    if not set[str]().union(*entries) <= DOCCANO_SPAN_KEYS:
        features = [plain_values(one, DOCCANO_SPAN_KEYS) for one in entries]
    starts, ends, labels = zip(*map(SPAN_VALUES, entries))
    return Entries(starts, ends, labels, features)


SPAN_VALUES = itemgetter("start_offset", "end_offset", "label")


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
