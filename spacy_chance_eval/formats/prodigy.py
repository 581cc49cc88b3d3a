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
from typing import Any

from ..measures.messages import quoted
from .annotators import SINGLE, Answer, annotator_of, merge_answers
from .columns import A_SPAN
from .corpus import Corpus, Document
from .errors import ContentError, FormatError
from .forms import Form
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
SPAN_KEYS = {*PLACE_KEYS, "text"}
NOBODY, AUTO = "(none)", "auto"
PLAIN = (str, int, float, bool, type(None))  # of values of `ATTRIBUTES`
SUGGESTION = "suggestion"  # the attribute of a document that holds suggested spans
# interfaces that show spans without letting them be changed
SHOW_SPANS = ("ner", "spans", "pos", "classification")
# attributes that a model, a pattern or a recipe gives a span that it suggests
MARKS = {"score", "rank", "priority", "pattern", "answer"}


def _translate(row: Row, reading: Reading) -> tuple[Row, str]:
    """The answer of a task as a row of JSONL."""
    if reading.annotator is not None and "versions" in row:
        advice = "read the decision alone, or the answers from the data sets under review"
        raise ContentError("a task under review, of several annotators", advice)
    tokens, text = json_value(row, "tokens", list), json_value(row, "text", str)
    view = row.get("view_id" if "versions" in row else "_view_id")
    choice = row.get("options") is not None or row.get("accept") is not None
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
        chosen = [str(one) if type(one) is int else one for one in row.get("accept") or ()]
        task["categories"] = {SINGLE: chosen if seen else None}
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
    if type(entry) is not dict or entry.keys() <= SPAN_KEYS:
        return entry
    features = other_values(entry, SPAN_KEYS)
    return {key: entry[key] for key in PLACE_KEYS if key in entry} | {"features": features}


def _answer_of(row: Mapping[str, Any], name: str | None, reading: Reading) -> Answer:
    """Whose answer a task has, and when it was given."""
    named = reading.annotator
    fields = ("_annotator_id", "_session_id") if named in (None, AUTO) else (named,)
    names = [annotator_of(row, one) for one in fields if row.get(one) not in (None, "")]
    who, time = names[0] if names else None, row.get("_timestamp")
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


def _join(corpus: Corpus, answers: Sequence[Answer], reading: Reading) -> Corpus:
    """The corpus of documents, of all answers to each task."""
    if reading.annotator not in (None, AUTO) and not any(one.annotator for one in answers):
        named = quoted(reading.annotator)
        advice = 'name another field, or "auto" for _annotator_id and _session_id'
        raise FormatError(f"no row has anybody in the field {named}; {advice}", corpus.path)
    named_answers = [one._replace(annotator=one.annotator or NOBODY) for one in answers]
    how, single = reading.duplicates or "merge", reading.annotator is None
    return merge_answers(corpus, named_answers, how, single=single)


FORM = Form(_translate, verbatim=False, join=_join)


# --- decisions on a label of a task, or on spans suggested in it


def decision_in(row: Row, view: object, tokens: object) -> tuple[str, dict[str, str]] | None:
    """The subject of a task that is not a choice; None if it marks spans.

    It is (the end of the document's name, attributes): a label of the whole task, or the spans in
    its text with all of their labels, joined by "+".

    A task of Prodigy's interfaces `ner`, `spans` and `pos` decides on the spans that it shows, a
    task of `classification` on its label. Without a name of an interface a task without tokens
    decides on its label; or, if it has been answered and something suggested each of its spans (as
    `ner.teach` does, by a score or a pattern), on them.
    """
    label, entries = row.get("label"), json_value(row, "spans", list, [])
    marked = all(type(one) is dict and one.keys() & MARKS for one in entries)
    untold = view is None and tokens is None
    suggested = untold and "answer" in row and marked
    if type(label) is str and label:
        if view in ("classification", "choice") or (untold and (not entries or suggested)):
            return label, {"label": label}
    if not entries or not (view in SHOW_SPANS or suggested):
        return None
    try:
        places = sorted({(one["start"], one["end"], one["label"]) for one in entries})
        labels = "+".join(sorted({name for *_, name in places}))
    except (KeyError, TypeError):
        raise ContentError(f"'spans' is {brief(entries)}", A_SPAN) from None
    title = ",".join(f"{start}-{end}:{name}" for start, end, name in places)
    return title, {"label": labels, SUGGESTION: json.dumps(places)}


def decided_label(document: Document) -> str | None:
    """The label on which annotators decided; None if the document is no such task.

    Of suggested spans it is all of their labels, joined by "+".
    """
    label: Any = document.attributes.get("label")
    named = type(label) is str and (document.name or "").endswith(f":{label}")
    return label if named or SUGGESTION in document.attributes else None
