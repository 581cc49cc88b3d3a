"""doccano: exports of sequence labelling, relation extraction and text classification.

    {"id": 1, "text": "Ada slept", "label": [[0, 3, "PER"]]}
    {"id": 1, "text": "Ada slept", "entities": [{"id": 5, "label": "PER", "start_offset": 0,
     "end_offset": 3}], "relations": [], "Comments": []}

Spans are the layer "spans", labels of whole texts (of `label`, or of `cats` beside `entities`) the
layer "categories". Other keys of an entity are its features, those of a row and of its `meta` are
attributes, if their values are simple. Relations and comments are left out, and a note counts them.
A row without any key for labels, or with null, was not annotated. Offsets count code points.
"""

from collections.abc import Iterable
from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

from ..measures.messages import quoted
from .columns import Columns, Name, Offset, RowSpan, entries_of
from .errors import ContentError
from .forms import Batch, Form
from .json_rows import Row
from .keys import Reading
from .notes import OTHERS, RELATIONS
from .rows import CATEGORIES, json_value, plain_values, span_of

SPANS = "spans"
LABELS = ("label", "labels", "entities", "cats")
LISTS = {"relations": RELATIONS, "Comments": OTHERS, "comments": OTHERS}  # which are noted
SPAN_KEYS = ("start_offset", "end_offset", "label")
SHAPE = (
    "a row has 'text', and 'label' with [start, end, label] or labels of the text, one kind in a "
    "file, or 'entities': export JSONL of a doccano of 1.5 or later (else: --format entities)"
)
Nothing: TypeAlias = Annotated[list[Any], Meta(max_length=0)]


def _survey(path: object, rows: Iterable[Any], reading: Reading) -> str:
    """Whether the first plain labels of a file are spans or categories; spans without any."""
    return next(filter(None, map(_kind_of, rows)), SPANS)


def _kind_of(row: Any) -> str | None:
    """Whether the plain labels of a row are spans or categories; None if there are none."""
    labels = row.label if isinstance(row, PlainRow) else row.get("label", row.get("labels"))
    if type(labels) is list and labels:
        return CATEGORIES if type(labels[0]) is str else SPANS
    return CATEGORIES if type(labels) is str else None


def _translate(row: Row, reading: Reading, kind: str) -> tuple[Row, str]:
    """The row as in JSONL, in a file whose plain labels are of a kind."""
    text = json_value(row, "text", str, json_value(row, "data", str))
    given = [key for key in LABELS if key in row]
    several = len(given) > 1 and given != ["entities", "cats"]
    if text is None or several or "annotations" in row:  # which are of a doccano before 1.4
        raise ContentError(f"a row with {', '.join(map(quoted, row))}", SHAPE)
    if (found := _kind_of(row)) not in (None, kind):
        raise ContentError(f"{found} in a file whose first labels are {kind}", SHAPE)
    taken = {"id", "text", "data", "meta", *LABELS, *LISTS, reading.annotator}
    made: Row = {"id": row.get("id"), "text": text}
    made["*notes"] = [
        (note, "an entry of " + quoted(key))
        for key, note in LISTS.items()
        for _ in json_value(row, key, list, [])
    ]
    meta = row["meta"] if type(row.get("meta")) is dict else {}
    made["*attributes"] = plain_values(meta, ()) | plain_values(row, taken)
    for key in given:
        if key == "cats" or key != "entities" and kind == CATEGORIES:
            labels = [row[key]] if type(row[key]) is str else json_value(row, key, list)
            made["categories"] = {CATEGORIES: labels}
        else:
            entries = json_value(row, key, list)
            made["spans"] = entries and [span_of(one, SHAPE, SPAN_KEYS) for one in entries]
    return made, "char"


# --- plain rows, as most are: spans, and nothing else


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
    rows = batch.rows
    if batch.facts != SPANS or any(UNSET not in (row.label, row.entities) for row in rows):
        raise ContentError("rows that are not plain", SHAPE)
    columns = Columns(batch.lines, {}, entries_of, text=[row.text for row in rows])
    columns.name = [None if row.id is None else str(row.id) for row in rows]
    found = [row.entities if row.label is UNSET else row.label for row in rows]
    docs = [n for n, one in enumerate(found) if one is not UNSET]
    columns.layers = {SPANS: (docs, [found[n] for n in docs])} if docs else {}
    return columns


FORM = Form(_translate, survey=_survey, plain=(PlainRow,), columns=_columns_of)
