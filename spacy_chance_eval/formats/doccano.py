"""doccano: exports of sequence labelling, relation extraction and text classification.

    {"id": 1, "text": "Ada slept", "label": [[0, 3, "PER"]]}
    {"id": 1, "text": "Ada slept", "entities": [{"id": 5, "label": "PER", "start_offset": 0,
     "end_offset": 3}], "relations": [], "Comments": []}
    {"id": 1, "text": "Ada slept", "label": ["science"]}
    {"id": 1, "text": "Ada slept", "annotations": [{"label": 4, "start_offset": 0, "end_offset": 3,
     "user": 1}]}

Spans are the layer "spans", labels of whole texts (of `label`, or of `cats` beside `entities`) the
layer "categories". Other keys of an entity are its features, and other keys of a row, or those of
its `meta`, are attributes, if their values are simple; versions 1.5 and later may call the text
`data`. Relations and comments are left out, and a note counts them. doccano exports a text that
nobody has looked at like one without spans: export confirmed examples only. A row without any key
for labels, or with null, was not annotated.

The last form is that of versions before 1.4: every user is a layer, and users and labels are called
by their numbers (which a note says of labels), or by `user_name` and `label_name`. A user without
annotations in a text is not there, and counts as one who has not seen it. `doc_id` of still older
files is `id`.

doccano writes one file for each member of a project (or one of all of them, with shared
annotation): score those files against each other, or put them into one, with the annotator under a
key of each row (`annotator`); rows with the same id, or without an id the same text, then are one
document.

Offsets count Unicode code points. A project that counts grapheme clusters has others as soon as a
text has a joined emoji or a combining accent; export from a project without that option.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

from ..measures.messages import quoted
from .annotators import annotator_of
from .blemishes import sound_entries
from .columns import Columns, Name, Offset, RowSpan, entries_of
from .errors import ContentError
from .forms import Batch, Form
from .json_rows import Row
from .keys import Reading
from .notes import NUMBERS, OTHERS, RELATIONS
from .rows import CATEGORIES, brief, json_value, plain_values

SPANS = "spans"
PLAIN_KEYS = ("label", "labels")
BY_USER = "annotations"  # before version 1.4, with the number of the user in each
LABEL_KEYS = (*PLAIN_KEYS, "entities", "cats", BY_USER)
# lists of a row that are noted: their key, the kind of the note, the name of an entry
LISTS = (
    ("relations", RELATIONS, "a relation"),
    ("Comments", OTHERS, "a comment"),
    ("comments", OTHERS, "a comment"),
)
KEYS = ("id", "text", "data", *LABEL_KEYS, *(key for key, *_ in LISTS), "meta")
SPAN_KEYS = ("id", "label", "start_offset", "end_offset", "user", "user_name", "label_name")
KINDS = "a row has spans [start, end, label], or labels of the whole text; one kind in a file"
OF_OTHERS = "spans of other programs are read with --format entities"
BOTH, ONE_KEY = "{} beside {}", "keep one key for labels in a row"
OTHER_KIND = "{} in a file whose first labels are {}"
NAMED = "write the names of labels instead of their numbers; doccano shows them under Labels"
SHAPE = (
    "export the project as JSONL: rows with 'text' and 'label', or 'text', 'entities' and "
    "'relations'"
)


# --- plain rows, as most are: spans, and nothing else


Nothing: TypeAlias = Annotated[list[Any], Meta(max_length=0)]


class Entity(RowSpan, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A span without features."""

    start: Offset = field(name="start_offset")
    end: Offset = field(name="end_offset")
    id: Any = None


class PlainRow(Struct, gc=False, forbid_unknown_fields=True):
    """A row of spans without anything else."""

    text: str
    id: str | int | None = None
    label: list[tuple[Offset, Offset, Name]] | UnsetType = UNSET
    entities: list[Entity] | UnsetType = UNSET
    relations: Nothing | None = None
    Comments: Nothing | None = None


def _columns_of(batch: Batch) -> Columns:
    """Plain rows in columns."""
    columns = Columns(batch.lines, {}, entries_of, text=[row.text for row in batch.typed])
    columns.name = [None if row.id is None else str(row.id) for row in batch.typed]
    found = [row.entities if row.label is UNSET else row.label for row in batch.typed]
    of_texts = batch.facts == CATEGORIES
    docs = [n for n, one in enumerate(found) if one is not UNSET]
    if of_texts:  # where an empty list says that a text has no labels
        columns.categories = [{CATEGORIES: []} if row.label == [] else {} for row in batch.typed]
        docs = [n for n in docs if batch.typed[n].label is UNSET]
    columns.layers = {SPANS: (docs, [found[n] for n in docs])} if docs else {}
    for n, row in enumerate(batch.typed):
        if row.label is not UNSET and row.entities is not UNSET:
            columns.wrong[n] = BOTH.format("'label'", "'entities'"), ONE_KEY
        elif of_texts and row.label:
            columns.wrong[n] = OTHER_KIND.format(SPANS, CATEGORIES), KINDS
    return columns


# --- all rows


def _first_kind(path: object, rows: Iterable[Any], reading: Reading) -> str:
    """Whether the first plain labels of a file are spans or categories; spans without any."""
    return next(filter(None, map(_kind_of, rows)), SPANS)


def _kind_of(row: Any) -> str | None:
    """Whether the plain labels of a row are spans or categories; None if there are none."""
    if isinstance(row, PlainRow):
        return SPANS if row.label else None
    labels = row.get("label", row.get("labels"))
    if type(labels) is list and labels:
        return CATEGORIES if type(labels[0]) is str else SPANS
    return CATEGORIES if type(labels) is str else None


def _translate(row: Row, reading: Reading, kind: str) -> tuple[Row, str]:
    """The row as in JSONL, in a file whose plain labels are of a kind."""
    text = json_value(row, "text", str, json_value(row, "data", str))
    if text is None:
        raise ContentError("a row without 'text'", SHAPE)
    given = [key for key in LABEL_KEYS if key in row]
    if len(given) > 1 and given != ["entities", "cats"]:
        raise ContentError(BOTH.format(*map(quoted, given[:2])), ONE_KEY)
    if (found := _kind_of(row)) not in (None, kind):
        raise ContentError(OTHER_KIND.format(found, kind), KINDS)
    meta = row["meta"] if type(row.get("meta")) is dict else {}
    taken = {*KEYS, reading.annotator} | ({"doc_id"} if "id" not in row else set())
    made: Row = {"id": row.get("id", row.get("doc_id")), "text": text, "*notes": [*_notes(row)]}
    if reading.annotator is not None:
        made[reading.annotator] = row.get(reading.annotator)
    made["*attributes"] = plain_values(meta, ()) | plain_values(row, taken)
    for key in given:
        if key == BY_USER:
            made["layers"], made["categories"] = _by_user(json_value(row, key, list, []))
        elif key == "cats" or key in PLAIN_KEYS and kind == CATEGORIES:
            labels = [row[key]] if type(row[key]) is str else json_value(row, key, list)
            made["categories"] = {CATEGORIES: labels}
        else:
            entries = json_value(row, key, list)
            made["spans"] = entries and [*map(_span_of, entries)]
    return made, "char"


def _notes(row: Row) -> Iterator[tuple[str, str]]:
    """What is left out of a row, or read otherwise than it may be meant."""
    for key, kind, what in LISTS:
        yield from [(kind, what)] * len(row[key] if type(row.get(key)) is list else ())
    for one in row[BY_USER] if type(row.get(BY_USER)) is list else ():
        if type(one) is dict and type(one.get("label")) is int and "label_name" not in one:
            yield NUMBERS, f"label {one['label']}"


def _span_of(entry: Any) -> Any:
    """A span as in JSONL; or its mistake."""
    if type(entry) is int:
        return ContentError(f"a text has the number {entry} for its label", NAMED)
    if type(entry) is list and len(entry) == 3:
        entry = dict(zip(("start_offset", "end_offset", "label"), entry))
    if type(entry) is not dict or "start_offset" not in entry:
        return ContentError(f"a span is {brief(entry)}", f"{KINDS}; {OF_OTHERS}")
    if type(entry.get("label")) is int:
        return ContentError(f"a span has the number {entry['label']} for its label", NAMED)
    return {
        "start": entry["start_offset"],
        "end": entry.get("end_offset"),
        "label": entry.get("label"),
        "features": plain_values(entry, SPAN_KEYS),
    }


def _by_user(entries: Iterable[Any]) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """The spans of a row, and the labels of its text, by user."""
    spans: dict[str, list[Any]] = {}
    labels: dict[str, list[Any]] = {}

    def add(entry: Any) -> None:
        if type(entry) is not dict:
            raise ContentError(f"an annotation is {brief(entry)}", SHAPE)
        user = annotator_of(entry, "user_name") or annotator_of(entry, "user") or SPANS
        label = entry.get("label_name", entry.get("label"))
        label = str(label) if type(label) is int else label
        if "start_offset" in entry:
            spans.setdefault(user, []).append(_span_of({**entry, "label": label}))
        else:
            labels.setdefault(user, []).append(label)

    deque(sound_entries(entries, add), 0)
    return spans, labels


FORM = Form(_translate, survey=_first_kind, plain=PlainRow, columns=_columns_of)
