"""Prodigy's tasks with their answers: marked spans, choices, decisions on a label or on spans.

    {"text": "Ada slept", "_input_hash": 1, "answer": "accept",
     "spans": [{"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PER"}],
     "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": true}, ...]}

A task without `spans` is annotated and has none. Ignored and flagged ones give way to another
answer, unless the last answer is to count. Documents are named by `_input_hash`. Other keys of a
span are its features; those in `meta`, and keys that are not Prodigy's, are attributes.

Tasks with `options` have the ids in `accept` as categories, none if it is empty; their spans, if
they have any, count unless the interface is "choice", which only shows them. Where a label or
suggested spans are decided on (`decision_in`), "accept" and "reject" are the categories; the
document is then the input with its label, "hash:label", or with the spans, "hash:0-3:label". Of a
task under review, the decision is read.

By default the file has one annotator, and the layer is "spans"; with `annotator`, a field, each has
a layer. "auto" takes _annotator_id, or where that is null _session_id. Rows whose field is null
belong to the annotator "(none)".
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from ..measures.messages import quoted
from .annotators import SINGLE, Answer, annotator_of, merge_answers
from .columns import Columns, RowSpan, Token, TypedRow, columns_of
from .corpus import Corpus
from .decisions import decision_in
from .errors import ContentError, FormatError
from .forms import Batch, Form
from .json_rows import Row
from .keys import Reading
from .notes import RELATIONS
from .rows import brief, json_value, other_values

ANSWERS = ("accept", "reject", "ignore")
ATTRIBUTES = ("_session_id", "_annotator_id", "_view_id", "answer")
# things that a task may show beside or instead of text
INPUTS = ("text", "html", "image", "audio", "video", "input")
# the keys of tasks that say something to Prodigy; others are those of its users
TASK_KEYS = {
    *(*INPUTS, "tokens", "spans", "spaces", "relations", "options", "accept", "label", "meta"),
    *("answer", "flagged", "config", "view_id", "versions", "sessions", "default", "priority"),
    *("score", "path", "audio_spans", "arcs", "choice_style", "style", "heads", "deps", "cats"),
}
PLACE_KEYS = ("start", "end", "token_start", "token_end", "label")
SPAN_KEYS = (*PLACE_KEYS, "text")
NOBODY, AUTO = "(none)", "auto"
PLAIN = (str, int, float, bool, type(None))  # of values of `ATTRIBUTES`


# --- plain tasks, as most are: marked spans, and nothing else that matters


class PlainSpan(RowSpan, gc=False, forbid_unknown_fields=True):
    """A span without features."""

    features: None = None
    fragments: None = None
    line: None = None
    text: Any = None


class PlainTask(Struct, gc=False, forbid_unknown_fields=True):
    """A task of the interfaces that mark spans, or of none."""

    text: str
    tokens: list[Token] | None = None
    spans: list[PlainSpan] | None = None
    meta: dict[str, Any] | None = None
    answer: Literal["accept", "reject", "ignore"] | UnsetType = UNSET
    _input_hash: int | None = None
    _task_hash: Any = None
    _session_id: str | None | UnsetType = UNSET
    _annotator_id: str | None | UnsetType = UNSET
    _view_id: Literal["ner_manual", "spans_manual"] | None | UnsetType = UNSET
    _timestamp: float | None = None
    _is_binary: Any = None


def _columns_of(batch: Batch) -> Columns:
    """Plain tasks in columns."""
    rows = []
    for task in batch.typed:
        attributes = {key: getattr(task, key) for key in ATTRIBUTES}
        attributes = {key: value for key, value in attributes.items() if value is not UNSET}
        name, meta = _name_of(task._input_hash, task.meta)
        answer = _answer_of({**attributes, "_timestamp": task._timestamp}, name, batch.reading)
        rows.append(
            TypedRow(
                id=name,
                text=task.text,
                tokens=task.tokens,
                spans=(task.spans or []) if task.answer in ("accept", UNSET) else None,
                other=meta if batch.reading.annotator is not None else {**meta, **attributes},
                annotator=answer,
            )
        )
    columns = columns_of(rows, (), batch.lines, None)
    columns.verbatim = False
    return columns


# --- all tasks


def _translate(row: Row, reading: Reading) -> tuple[Row, str]:
    """The answer of a task as a row of JSONL."""
    if reading.annotator is not None and "versions" in row:
        advice = "read the decision alone, or the answers from the data sets under review"
        raise ContentError("a task under review, of several annotators", advice)
    tokens, text = json_value(row, "tokens", list), json_value(row, "text", str)
    view = row.get("view_id" if "versions" in row else "_view_id")
    choice = any(json_value(row, key, list) is not None for key in ("options", "accept"))
    decision = None if choice else decision_in(row, view, tokens)
    if text is None and (choice or decision):
        text = next((row[key] for key in INPUTS if type(row.get(key)) is str), None)
    if tokens is None and text is None:
        raise ContentError("a task without 'text'", "a task has a text, and tokens if there")
    answer = row.get("answer", "accept")
    if answer not in ANSWERS:
        raise ContentError(f"'answer' is {brief(answer)}", f"expected one of {', '.join(ANSWERS)}")
    seen = answer == "accept" and not row.get("flagged")
    name, meta = _name_of(row.get("_input_hash"), row.get("meta"))
    attributes = {key: row[key] for key in row if key not in TASK_KEYS and key[:1] != "_"} | meta
    if reading.annotator is None:  # else these are those of one answer of several
        attributes |= {key: row[key] for key in ATTRIBUTES if type(row.get(key, ())) in PLAIN}
    task: Row = {"text": text, "tokens": tokens, "spaces": row.get("spaces")}
    entries = json_value(row, "spans", list, [])
    asked = view == "blocks" and bool(tokens or row.get("spans") == [])  # for spans, too
    if not (decision or view == "choice" or choice and not entries and not asked):
        task["spans"] = [_entry(one) for one in entries] if seen else None
    if choice:
        task["categories"] = {SINGLE: _accepted_labels(row) if seen else None}
    elif decision:
        name = f"{hash_of(text) if name is None else name}:{decision[0]}"
        attributes |= decision[1]
        decided = answer != "ignore" and not row.get("flagged")
        task["categories"] = {SINGLE: [answer] if decided else None}
    relations = json_value(row, "relations", list, [])
    return task | {
        "id": name,
        "*attributes": attributes,
        "*notes": [(RELATIONS, brief(one)) for one in relations],
        "*annotator": _answer_of(row, name, reading),
    }, ""


def _entry(entry: Any) -> Any:
    """A span as in JSONL, with what else is said of it as its features."""
    if type(entry) is not dict:
        return entry
    features = other_values(entry, SPAN_KEYS)
    return {key: entry[key] for key in PLACE_KEYS if key in entry} | {"features": features}


def _answer_of(row: Mapping[str, Any], name: str | None, reading: Reading) -> Answer:
    """Whose answer a task has, and when it was given."""
    named = reading.annotator
    fields = ("_annotator_id", "_session_id") if named in (None, AUTO) else (named,)
    names = (annotator_of(row, one) for one in fields if row.get(one) != "")
    who, time = next((one for one in names if one is not None), None), row.get("_timestamp")
    if who is None or type(time) not in (int, float):
        time = None  # two answers by nobody may be of two people
    skipped = row.get("answer") == "ignore" or bool(row.get("flagged"))
    # in a file of one annotator, tasks without a name are not one because their texts are the same
    apart = object() if name is None and named is None else None
    return Answer(who, time, not skipped or reading.duplicates == "last", apart)


def _name_of(number: object, meta: Any) -> tuple[str | None, dict[str, Any]]:
    """(the name of the document, the other attributes in `meta`).

    Its own name stands there, if the hash is made of it, as `write_prodigy` does.
    """
    if type(number) not in (int, str, type(None)):
        raise ContentError(f"'_input_hash' is {brief(number)}", "'_input_hash' is a whole number")
    meta = meta if type(meta) is dict else {}
    own = meta.get("document")
    if type(own) is str and number == hash_of(own):
        return own, other_values(meta, ("document",))
    return number if number is None else str(number), meta


def hash_of(content: object) -> int:
    """A number with sign of 32 bits, as Prodigy's hashes are, made of any JSON value."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return (zlib.crc32(text.encode()) ^ 2**31) - 2**31


def _accepted_labels(row: Row) -> list[str]:
    """The labels chosen, as strings."""
    chosen = json_value(row, "accept", list, [])
    options = json_value(row, "options", list, chosen)
    ids = [one.get("id") if type(one) is dict else one for one in options]
    good = all(type(one) in (int, str) and one != "" for one in (*ids, *chosen))
    if not good or len(set(map(str, chosen))) < len(chosen) or not {*chosen} <= {*ids}:
        advice = "'accept' has ids of 'options', each once; an id is a non-empty string or a number"
        raise ContentError(f"'accept' is {brief(chosen)} among {brief(ids)}", advice)
    return [*map(str, chosen)]


def _join(corpus: Corpus, answers: Sequence[Answer], reading: Reading) -> Corpus:
    """The corpus of documents, of all answers to each task."""
    if reading.annotator not in (None, AUTO) and not any(one.annotator for one in answers):
        named = quoted(reading.annotator)
        advice = 'name another field, or "auto" for _annotator_id and _session_id'
        raise FormatError(f"no row has anybody in the field {named}; {advice}", corpus.path)
    named_answers = [one._replace(annotator=one.annotator or NOBODY) for one in answers]
    how, single = reading.duplicates or "merge", reading.annotator is None
    return merge_answers(corpus, named_answers, how, single=single)


FORM = Form(_translate, plain=(PlainTask,), columns=_columns_of, verbatim=False, join=_join)
