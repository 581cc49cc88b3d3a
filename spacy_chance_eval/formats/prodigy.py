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
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from ..measures.messages import quoted
from .annotators import SINGLE, Answer, annotator_of, merge_answers
from .columns import A_SPAN, Columns, RowSpan, Token, TypedRow, columns_of
from .corpus import Corpus, Document, one_piece
from .errors import ContentError, FormatError, PathLike, known
from .forms import Batch, Form
from .json_rows import Row
from .json_text import in_one_line
from .keys import Reading
from .notes import RELATIONS
from .outputs import write_atomically
from .rows import CATEGORIES, are_offsets, brief, json_value, other_values
from .texts import join_words, text_and_borders

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
SUGGESTION = "suggestion"  # the attribute of a document that holds suggested spans
# interfaces that show spans without letting them be changed
SHOW_SPANS = ("ner", "spans", "pos", "classification")
# attributes that a model, a pattern or a recipe gives a span that it suggests
MARKS = {"score", "rank", "priority", "pattern", "answer"}
WORD = re.compile(r"\w+|[^\w\s]|[^\S ]")  # one blank behind a word is not a word
# Prodigy keeps hashes in columns of 64 bits
HASH = re.compile("0|-?[1-9][0-9]{0,17}")


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
    size, spans = len(json_value(row, "text", str, "")), set()
    for entry in entries:
        place: Any = entry if type(entry) is dict else {}
        start, end, name = map(place.get, ("start", "end", "label"))
        if not are_offsets(start, end) or not start < end <= size or type(name) is not str:
            raise ContentError(f"a span is {brief(entry)}", f"{A_SPAN}, inside the text")
        spans.add((start, end, name))
    places = sorted(spans)
    labels = "+".join(sorted({name for *_, name in places}))
    title = ",".join(f"{start}-{end}:{name}" for start, end, name in places)
    return title, {"label": labels, SUGGESTION: json.dumps(places)}


def decided_label(document: Document) -> str | None:
    """The label on which annotators decided; None if the document is no such task.

    Of suggested spans it is all of their labels, joined by "+".
    """
    label: Any = document.attributes.get("label")
    named = type(label) is str and (document.name or "").endswith(f":{label}")
    return label if named or SUGGESTION in document.attributes else None


# --- writing


def review_tasks(
    corpus: Corpus,
    layers: Iterable[str],
    order: Iterable[tuple[int, float]],
    *,
    about: Callable[[int], Mapping[str, Any]] = lambda doc_index: {},
) -> Iterator[Row]:
    """Tasks to review, one for each document on which annotators disagree.

    Each task is as Prodigy's own `review` recipe makes it: annotations that are equal are one of
    the `versions`, with all who made it as its `sessions`; the task shows the version of most
    sessions, which is the `default` one; of several such versions that of the first annotator.
    Features do not count. Where documents have no tokens, tasks have the words of the text, divided
    where spans begin or end: their interface needs tokens.

    `corpus` has a layer for each annotator, of spans, categories or both. `order` are places in it
    and disagreements, which are shown (`meta`), of the documents to review; those with one version
    or none are passed over. about(place) returns more for the `meta` of a task.
    """
    layers = list(dict.fromkeys(layers))
    options = _options_of(corpus, layers)
    for doc_index, disagreement in order:
        document = corpus.documents[doc_index]
        sessions: dict[object, list[str]] = {}
        for layer in layers:
            if _has_seen(document, layer):
                said = (document.layers.get(layer), document.categories.get(layer))
                sessions.setdefault(said, []).append(layer)
        if len(sessions) < 2:
            continue
        name = corpus.title(doc_index)
        answers = dict(_answers(document, layers, options, corpus, corpus.path, name))
        if corpus.positions == "char":
            _add_words(list(answers.values()))
        versions: list[Row] = []
        for names in sorted(sessions.values(), key=len, reverse=True):
            answer = answers[names[0]]
            who = {"_session_id": None if names[0] == NOBODY else names[0], "sessions": names}
            hashed = {"_input_hash": hash_of(answer["text"])}
            versions.append(hashed | answer | who | {"default": not versions})
        number = round(float(disagreement), 4)
        meta = {"disagreement": number if math.isfinite(number) else None}
        yield other_values(versions[0], ("answer", "_session_id", "default")) | {
            "meta": {**versions[0].get("meta", {}), **meta, **about(doc_index)},
            "_view_id": "review",
            "view_id": versions[0]["_view_id"],
            "versions": versions,
        }


def write_prodigy(path: PathLike, corpus: Corpus, *, layer: str | None = None) -> None:
    """Write a corpus as answered tasks, one for each document and annotator who has seen it.

    A corpus with the layers "spans" and "categories" alone, or the `layer` asked for, is written as
    the work of one annotator. Else each layer is an annotator, `_annotator_id` and `_session_id`,
    and is read with annotator="auto". Documents that nobody has seen are written once, as ignored,
    or rejected.

    Names that are whole numbers become `_input_hash`. Other names stand in `meta` as "document",
    and come back unless `_input_hash`, made of the name, is computed again (db-in --rehash). Texts
    and spaces that are not known are added, the words joined by blanks.
    """
    if {*corpus.layer_names, *corpus.category_layers} <= {SINGLE, CATEGORIES}:  # of one annotator
        layers = {SINGLE: SINGLE, CATEGORIES: SINGLE}
        corpus = replace(corpus, documents=corpus.table.with_layers(layers))
    names = sorted({*corpus.layer_names, *corpus.category_layers})
    if layer is not None:
        names = [known(layer, names, "layer")]
    if not names:
        raise FormatError("there is no document to write; read or add some", path)
    alone = layer is not None or names == [SINGLE]
    options = _options_of(corpus, names)

    def lines() -> Iterator[str]:
        for doc, document in enumerate(corpus.documents):
            title = corpus.title(doc)
            for one, row in _answers(document, names, options, corpus, path, title):
                own = document.attributes
                is_same = (row["answer"] == "accept") == (own.get("answer") == "accept")
                kept = ATTRIBUTES if is_same and "options" not in row else ATTRIBUTES[:2]
                if alone:  # as it was read
                    row |= {key: own[key] for key in kept if key in own}
                else:
                    row |= dict.fromkeys(kept[:2], None if one == NOBODY else one)
                yield in_one_line(row)

    write_atomically(path, lines())


def _has_seen(document: Document, layer: str) -> bool:
    """Whether an annotator has seen a document."""
    return any(said.get(layer) is not None for said in (document.layers, document.categories))


def _options_of(corpus: Corpus, layers: Iterable[str]) -> Sequence[str]:
    """All labels that documents have, sorted."""
    every = corpus.table.column("categories", {})
    return sorted({label for one in every for layer in layers for label in one.get(layer) or ()})


def _answers(
    document: Document,
    layers: Sequence[str],
    options: Sequence[str],
    corpus: Corpus,
    path: PathLike,
    title: str,
) -> Iterator[tuple[str, Row]]:
    """(annotator, answered task) of all who have seen a document; if nobody has, of the first."""
    task: Row = {"text": document.text}
    borders = None
    if corpus.positions == "token":
        same, spaces = document, document.spaces
        if spaces is not None and join_words(document) == document.text:
            same = replace(document, text=None)  # two blanks may be a blank and a token like one
        task["text"], borders = text_and_borders(same, path, title)
        if spaces is None and document.text is None:
            spaces = [True] * (len(borders) - 1) + [False]
        task["tokens"] = [
            {"text": word, "start": start, "end": end, "id": i}
            | ({"ws": spaces[i]} if spaces else {})
            for i, (word, (start, end)) in enumerate(zip(document.words, borders))
        ]
    elif document.text is None:
        raise FormatError(f"{title} has neither text nor token; Prodigy needs the text", path)
    meta = other_values(document.attributes, ATTRIBUTES)
    if (own := document.name) is not None:
        is_hash = HASH.fullmatch(own)
        meta |= {} if is_hash else {"document": own}
        task["_input_hash"] = int(own) if is_hash else hash_of(own)
    if meta:
        task["meta"] = meta
    for layer in [one for one in layers if _has_seen(document, one)] or layers[:1]:
        spans, chosen = document.layers.get(layer), document.categories.get(layer)
        row: Row = dict(task)
        if spans is not None:
            features = document.features.get(layer, {})
            row["spans"] = [
                {**features.get(span, {}), **_place_of(start, end, borders), "label": label}
                for span, (start, end, label) in zip(spans, one_piece(spans))
            ]
        view = "spans_manual"
        if chosen is not None or layer not in corpus.layer_names:
            row["options"] = [{"id": label, "text": label} for label in options]
            row |= {} if chosen is None else {"accept": list(chosen)}
            view = "choice" if spans is None else "blocks"
        what = [row.get(key) for key in ("spans", "options", "accept")]
        row["_task_hash"] = hash_of([row.get("_input_hash"), row["text"], *what])
        row["_view_id"] = view
        row["answer"] = "ignore" if spans is None and chosen is None else "accept"
        yield layer, row


def _add_words(rows: Sequence[Row]) -> None:
    """Add tokens to answers to one text: its words, divided where a span begins or ends."""
    text, spans = rows[0]["text"], [span for row in rows for span in row.get("spans", ())]
    cuts = {span[key] for span in spans for key in ("start", "end")}
    words = set()
    for word in WORD.finditer(text):
        inner = (cut for cut in cuts if word.start() < cut < word.end())
        words |= {*pairwise(sorted({*word.span(), *inner}))}
    edges = {(at, at + 1) for span in spans for at in (span["start"], span["end"] - 1)}
    blanks = {edge for edge in edges if text[edge[0]] == " "}  # else they are in no word
    words |= blanks
    places = sorted(words)
    tokens = [
        {"text": text[start:end], "start": start, "end": end, "id": number}
        | {"ws": text[end : end + 1] == " " and (end, end + 1) not in blanks}
        for number, (start, end) in enumerate(places)
    ]
    first, last = ({place[side]: n for n, place in enumerate(places)} for side in (0, 1))
    for row in rows:
        row["tokens"] = tokens
        for span in row.get("spans", ()):
            span |= {"token_start": first[span["start"]], "token_end": last[span["end"]]}


def _place_of(start: int, end: int, borders: Sequence[tuple[int, int]] | None) -> Row:
    """Where a span is, in characters and tokens."""
    if borders is None:
        return {"start": start, "end": end}
    place = {"start": borders[start][0], "end": borders[end - 1][1]}
    return place | {"token_start": start, "token_end": end - 1}
