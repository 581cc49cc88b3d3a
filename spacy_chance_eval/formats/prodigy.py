"""Prodigy's tasks with their answers: marked spans, choices, decisions on a label or on spans.

    {"text": "Ada slept", "_input_hash": 1, "answer": "accept",
     "spans": [{"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PER"}],
     "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": true}, ...]}

A task without `spans` is annotated and has none. Tasks that were rejected, ignored or flagged are
not seen; ignored and flagged ones give way to another answer, unless the last answer is to count.
Documents are named by `_input_hash`. Other keys of a span are its features; those in `meta`, and
keys of a task that are not Prodigy's, are attributes: any JSON value.

Tasks with `options` have the ids in `accept` as categories, none if it is empty; their spans count
unless the interface is "choice", which only shows them; an empty list of spans counts in the
interface "blocks", or if the file has spans elsewhere. Where a label or suggested spans are decided
on (`decision_in`), "accept" and "reject" are the categories; the document is then the input with
its label, "hash:label", or with the spans, "hash:0-3:label". Of a task under review, the decision.

By default the file has one annotator, and the layer is "spans"; with `annotator`, a field, each has
a layer. "auto" takes _annotator_id, or where that is null _session_id. Rows whose field is null
belong to the annotator "(none)". Tasks under review give a layer for each of the `sessions` of
their `versions`; the decision has the name in the field, but "review" if there is none or this
person also made versions.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from ..measures.messages import quoted
from .annotators import SINGLE, Answer, annotator_of, merge_answers
from .blemishes import ROWS, sound_entries
from .columns import Columns, RowSpan, Token, TypedRow, columns_of
from .corpus import Corpus
from .decisions import SHOW_SPANS, Decision, decision_in
from .documents import ABSENT, UNSEEN
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
# keys that the versions under review share with their task
SHARED = (*INPUTS, "options", "label", "meta")
MOST_VERSIONS = 1000
NOBODY, REVIEW, AUTO = "(none)", "review", "auto"
OPTION = "'accept' holds ids of 'options', each once; an id is a non-empty string or a number"
SESSIONS = "'sessions' holds the names of those who gave this version"
PLAIN = (str, int, float, bool, type(None))  # of values of `ATTRIBUTES`
SPANS_ONLY = "read span tasks only: text, and tokens if there"


class _Told(NamedTuple):
    """What an answer says of itself: `decides`: it is that of a reviewer.

    `bare`: it is a choice with an empty list of spans, which it may not have asked for.
    """

    answer: Answer
    decides: bool = False
    bare: bool = False


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
        told = _told({**attributes, "_timestamp": task._timestamp}, name, batch.reading)
        if batch.reading.annotator is not None:
            attributes = {}
        rows.append(
            TypedRow(
                id=name,
                text=task.text,
                tokens=task.tokens,
                spans=(task.spans or []) if task.answer in ("accept", UNSET) else None,
                other={**meta, **attributes},
                annotator=told,
            )
        )
    columns = columns_of(rows, (), batch.lines, None)
    columns.verbatim = False
    return columns


# --- all tasks


def _translate(row: Row, reading: Reading) -> list[tuple[Row, str]]:
    """The answers in one task: one, or with annotators also those of the versions under review."""
    versions = json_value(row, "versions", list) if reading.annotator else None
    if len(versions or ()) > MOST_VERSIONS:
        raise ContentError(f"{len(versions or ())} versions", f"at most {MOST_VERSIONS} of a task")
    found = [_answer(row, reading, versions is not None)]

    def convert(version: Any) -> list[Row]:
        if type(version) is not dict:
            raise ContentError(f"a version is {brief(version)}", "a version is a task")
        return _answers_in(version, row, reading)

    found += chain.from_iterable(sound_entries(versions or (), convert, ROWS))
    return [(one, "") for one in found]


def _answers_in(version: Row, row: Row, reading: Reading) -> list[Row]:
    """The answers of all who gave a version of the task under review."""
    same = {key: row[key] for key in SHARED if key in row}
    if row.get("view_id") in SHOW_SPANS and "spans" in row:
        same["spans"] = row["spans"]
    same |= {"_view_id": row.get("view_id")} | version
    if "_input_hash" in row:
        same["_input_hash"] = row["_input_hash"]
    if version.get("tokens") is None:
        same |= {key: row[key] for key in ("tokens", "spaces") if key in row}
    task = _answer(same, reading)
    names = json_value(version, "sessions", list)
    if names is None:
        return [task]
    if not all(type(name) is str and name for name in names):
        raise ContentError(f"'sessions' is {brief(names)}", SESSIONS)
    # the time of a version is that of one of its sessions, but does not say of which
    told: _Told = task["*annotator"]
    answer = told.answer if len(names) == 1 else told.answer._replace(time=None)
    answers = [told._replace(answer=answer._replace(annotator=name)) for name in names]
    return [task | {"*annotator": one} for one in answers]


def _answer(row: Row, reading: Reading, decides: bool = False) -> Row:
    """The answer of one task as a row of JSONL."""
    tokens, text = json_value(row, "tokens", list), json_value(row, "text", str)
    choice, decision, has_spans = kinds_of(row, tokens)
    if text is None and (choice or decision):
        text = next((row[key] for key in INPUTS if type(row.get(key)) is str), None)
    if tokens is None and text is None:
        raise ContentError("a task without 'text'", SPANS_ONLY)
    answer = row.get("answer", "accept")
    if answer not in ANSWERS:
        raise ContentError(f"'answer' is {brief(answer)}", f"expected one of {', '.join(ANSWERS)}")
    seen = answer == "accept" and not row.get("flagged")
    name, meta = _name_of(row.get("_input_hash"), row.get("meta"))
    attributes = {key: row[key] for key in row if key not in TASK_KEYS and key[:1] != "_"} | meta
    if reading.annotator is None:  # else these are those of one answer of several
        attributes |= {key: row[key] for key in ATTRIBUTES if type(row.get(key, ())) in PLAIN}
    task = {"text": text, "tokens": tokens, "spaces": row.get("spaces")}
    if has_spans:
        entries = json_value(row, "spans", list, [])
        task["spans"] = [_entry(one) for one in entries] if seen else None
    if choice:
        task["categories"] = {SINGLE: _accepted_labels(row) if seen else None}
    elif decision:
        name = f"{hash_of(text) if name is None else name}:{decision.name}"
        attributes |= decision.attributes
        decided = answer != "ignore" and not row.get("flagged")
        task["categories"] = {SINGLE: [answer] if decided else None}
    relations = row["relations"] if type(row.get("relations")) is list else ()
    bare = choice and has_spans and row.get("spans") == [] and _view_of(row) != "blocks"
    return task | {
        "id": name,
        "*attributes": attributes,
        "*notes": [(RELATIONS, brief(one)) for one in relations],
        "*annotator": _told(row, name, reading, decides, bare),
    }


def _entry(entry: Any) -> Any:
    """A span as in JSONL, with what else is said of it as its features."""
    if type(entry) is not dict:
        return entry
    features = other_values(entry, SPAN_KEYS)
    return {key: entry[key] for key in PLACE_KEYS if key in entry} | {"features": features}


def _told(
    row: Mapping[str, Any],
    name: str | None,
    reading: Reading,
    decides: bool = False,
    bare: bool = False,
) -> _Told:
    """What a task says of its answer."""
    named = reading.annotator
    fields = ("_annotator_id", "_session_id") if named in (None, AUTO) else (named,)
    names = (annotator_of(row, one) for one in fields if row.get(one) != "")
    who = next((one for one in names if one is not None), None)
    time = row.get("_timestamp")
    if who is None or type(time) not in (int, float):
        time = None  # two answers by nobody may be of two people
    skipped = row.get("answer") == "ignore" or bool(row.get("flagged"))
    final = not skipped or reading.duplicates == "last"
    # in a file of one annotator, tasks without a name are not one because their texts are the same
    apart = object() if name is None and named is None else None
    return _Told(Answer(who, time, final, apart), decides, bare)


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


def kinds_of(row: Row, tokens: object) -> tuple[bool, Decision | None, bool]:
    """Whether a task is a choice, the subject of a decision (else None), whether it marks spans."""
    view = _view_of(row)
    choice = any(json_value(row, key, list) is not None for key in ("options", "accept"))
    decision = None if choice else decision_in(row, view, tokens)
    if decision or view == "choice":
        return choice, decision, False
    possible = not choice or row.get("spans") is not None or (view == "blocks" and tokens)
    return choice, decision, bool(possible)


def _view_of(row: Row) -> Any:
    """The interface of a task."""
    return row.get("view_id") if type(row.get("versions")) is list else row.get("_view_id")


def _accepted_labels(row: Row) -> list[str]:
    """The labels chosen, as strings."""
    chosen = json_value(row, "accept", list, [])
    options = json_value(row, "options", list)
    ids = chosen if options is None else [o.get("id") if type(o) is dict else o for o in options]
    good = all(type(one) is int or (type(one) is str and one) for one in (*ids, *chosen))
    if not good or len(set(map(str, chosen))) < len(chosen) or not {*chosen} <= {*ids}:
        raise ContentError(f"'accept' is {brief(chosen)} among {brief(ids)}", OPTION)
    return [*map(str, chosen)]


def fill_layers(corpus: Corpus) -> Corpus:
    """The corpus with None in every layer that only other documents have."""
    table, none = corpus.table.with_all_layers(UNSEEN), dict.fromkeys(corpus.category_layers)
    more = dict(table.more)
    if none:
        more["categories"] = [{**none, **one} for one in more["categories"]]
    return replace(corpus, documents=replace(table, more=more))


# --- all answers


def _join(corpus: Corpus, told: Sequence[_Told], reading: Reading) -> Corpus:
    """The corpus of documents, of all answers to each task."""
    table = corpus.table
    bare = [one.bare for one in told]
    if any(bare) and not any(len(one.doc) + len(one.unplaced) for one in table.layers.values()):
        # no task of the file has spans: such choices did not ask for any
        states = {name: np.where(bare, ABSENT, one.state) for name, one in table.layers.items()}
        layers = {
            name: replace(table.layers[name], state=state)
            for name, state in states.items()
            if state.any()
        }
        corpus = replace(corpus, documents=replace(table, layers=layers))
    if reading.annotator not in (None, AUTO) and not any(one.answer.annotator for one in told):
        named = quoted(reading.annotator)
        advice = 'name another field, or "auto" for _annotator_id and _session_id'
        raise FormatError(f"no row has anybody in the field {named}; {advice}", corpus.path)
    makers = {one.answer.annotator for one in told if not one.decides}
    answers = [
        one._replace(annotator=REVIEW if decides and who in {None, *makers} else who or NOBODY)
        for one, decides, _ in told
        for who in [one.annotator]
    ]
    how, single = reading.duplicates or "merge", reading.annotator is None
    found = fill_layers(merge_answers(corpus, answers, how, single=single))
    if reading.decisions:
        return found
    # without decisions of reviewers, where there are answers beside them
    made = {who.annotator for who, one in zip(answers, told) if not one.decides}
    kept = {name: name for name in (*found.layer_names, *found.category_layers) if name in made}
    return replace(found, documents=found.table.with_layers(kept)) if kept else found


FORM = Form(_translate, plain=PlainTask, columns=_columns_of, verbatim=False, join=_join)
