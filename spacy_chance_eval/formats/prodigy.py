"""One task of Prodigy as a document: spans, choices, decisions on one label."""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from ..measures.messages import quoted
from .annotators import READ_ONCE, Repeats, annotator_of, by_annotator, document_key, second_answer
from .blemishes import (
    DOCUMENTS,
    ROWS,
    SPANS,
    leave_out,
    leave_out_documents,
    made_of_rows,
    sound_entries,
)
from .builder import Builder
from .columns import Columns, Entries
from .corpus import Corpus, Document
from .decisions import SHOW_SPANS, Decision, decision_in
from .documents import ABSENT, UNSEEN, DocumentTable
from .errors import ContentError, FormatError, Problem
from .notes import RELATIONS, Place, note
from .rows import (
    ONE_ARRAY,
    Row,
    RowSource,
    brief,
    json_value,
    other_values,
    problem_of,
    row_batches,
)
from .typed_rows import Form, Name, Offset, Part, Token, add_typed, each, words_of

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
SPAN_KEYS = ("start", "end", "token_start", "token_end", "label", "text")
OPTION = "'accept' holds ids of 'options', each once; an id is a non-empty string or a number"


class TaskSpan(Struct, gc=False):
    """A span in characters, and perhaps in tokens."""

    label: Name
    start: Offset | None = None
    end: Offset | None = None
    token_start: Offset | None = None
    token_end: Offset | None = None


class Task(Struct, gc=False):
    """The content of one answer; its other keys are those that `_translate` gives it."""

    text: str | None = None
    tokens: list[Name | Token] | None = None
    spaces: list[bool] | None = None
    spans: list[TaskSpan] | None = None


PARTS = {"spans": Part(SPANS, "a span", TaskSpan, "a span has a label, and start and end")}


class _Told(NamedTuple):
    """What an answer says of itself: the time `stamp`, `decides`: it is a reviewer's decision."""

    annotator: str | None = None
    stamp: float | None = None
    decides: bool = False
    skipped: bool = False  # ignored or flagged
    bare: bool = False  # a choice without spans, in no interface that marks them
    about_the_task: bool = False  # its document has no attributes of one answer alone


PLAIN = (str, int, float, bool, type(None))  # of values that such attributes have


def _translate(row: Row, told: _Told) -> Row:
    """The answer of one task: a `Task` with the name, the layers and more of its document."""
    tokens, text = json_value(row, "tokens", list), json_value(row, "text", str)
    choice, decision, has_spans = kinds_of(row, tokens)
    if text is None and (choice or decision):
        text = next((row[key] for key in INPUTS if type(row.get(key)) is str), None)
    if tokens is None and text is None:
        raise ContentError(
            "a task without 'text'", "read span tasks only: text, and tokens if there"
        )
    answer = row.get("answer", "accept")
    if answer not in ANSWERS:
        raise ContentError(f"'answer' is {brief(answer)}", f"expected one of {', '.join(ANSWERS)}")
    seen = answer == "accept" and not row.get("flagged")
    categories = _accepted_labels(row) if seen and choice else None
    if decision and answer != "ignore" and not row.get("flagged"):
        categories = (answer,)
    meta = row["meta"] if type(row.get("meta")) is dict else {}
    own = _own_name(row, meta) if meta else None
    others = {key for key in row.keys() - TASK_KEYS if key[:1] != "_"}
    attributes = {key: row[key] for key in row if key in others} if others else {}
    if meta:
        attributes |= other_values(meta, ("document",) if own is not None else ())
    attributes |= {key: row[key] for key in ATTRIBUTES if type(row.get(key, ())) in PLAIN}
    if told.about_the_task:
        attributes = {key: v for key, v in attributes.items() if key not in ATTRIBUTES}
    task = {
        "text": text,
        "tokens": tokens,
        "spaces": row.get("spaces"),
        "name": _name_of(row, own, decision, text),
        "attributes": attributes | (decision.attributes if decision else {}),
        "told": told,
    }
    if has_spans:
        task["spans"] = (row.get("spans") or []) if seen else None
    if choice or decision:
        task["categories"] = {"spans": categories}
    return task


def _columns_of(
    typed: Sequence[Task], rows: Sequence[Row], lines: Sequence[int], unit: str
) -> Columns:
    """Answers in columns."""
    columns = Columns(lines, {}, _entries_of, by_token=None, verbatim=False)
    columns.words, columns.tokens, columns.spaces = words_of(
        [row.tokens for row in typed], [row.spaces for row in typed]
    )
    columns.text = [row["text"] for row in rows]
    docs = [n for n, row in enumerate(rows) if "spans" in row]
    if docs:
        columns.layers["spans"] = docs, [rows[n]["spans"] for n in docs]
    columns.name = [row["name"] for row in rows]
    columns.annotator = [row["told"] for row in rows]
    columns.attributes = [row["attributes"] for row in rows]
    if any("categories" in row for row in rows):
        columns.categories = [row.get("categories", {}) for row in rows]
    return columns


def _entries_of(entries: Sequence[Row]) -> Entries:
    """The columns of spans."""
    keys = set[str]().union(*entries)
    places = (
        [-1 if (found := entry.get(key)) is None else found for entry in entries]
        for key in ("start", "end", "token_start", "token_end")
    )
    start, end, first, last = places
    features = None
    if not keys.issubset(SPAN_KEYS):
        features = [other_values(entry, SPAN_KEYS) for entry in entries]
    labels = [entry["label"] for entry in entries]
    return Entries(start, end, labels, features, first=first, last=last)


DECIDING = {"options", "accept", "label"}  # keys of choices and of decisions on a label


def kinds_of(row: Row, tokens: object) -> tuple[bool, Decision | None, bool]:
    """Whether a task is a choice, the subject of a decision (else None), whether it marks spans."""
    view = _view_of(row)
    if tokens is not None and view is None and row.keys().isdisjoint(DECIDING):
        return False, None, True  # as most are
    choice = (
        json_value(row, "options", list) is not None or json_value(row, "accept", list) is not None
    )
    decision = None if choice else decision_in(row, view, tokens)
    if decision or view == "choice":
        return choice, decision, False
    possible = not choice or row.get("spans") is not None or (view == "blocks" and tokens)
    return choice, decision, bool(possible)


def _view_of(row: Row) -> Any:
    """The interface of a task."""
    return row.get("view_id") if type(row.get("versions")) is list else row.get("_view_id")


def _own_name(row: Row, meta: Row) -> str | None:
    """The name in `meta`, if the hash is made of it, as `write_prodigy` does; else None."""
    own = meta.get("document")
    return own if type(own) is str and row.get("_input_hash") == hash_of(own) else None


def _name_of(row: Row, own: str | None, decision: Decision | None, text: str | None) -> str | None:
    """The name of the document: its own, or the hash; with the subject of a decision."""
    found = row.get("_input_hash")
    if found is None:
        return None if decision is None else f"{hash_of(text)}:{decision.name}"
    if type(found) not in (int, str):
        raise ContentError(f"'_input_hash' is {brief(found)}", "'_input_hash' is a whole number")
    name = str(found) if own is None else own
    return name if decision is None else f"{name}:{decision.name}"


def hash_of(content: object) -> int:
    """A number with sign of 32 bits, as Prodigy's hashes are, made of any JSON value."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return (zlib.crc32(text.encode()) ^ 2**31) - 2**31


def _accepted_labels(row: Row) -> tuple[str, ...]:
    """The labels chosen, as strings."""
    chosen = json_value(row, "accept", list, [])
    options = json_value(row, "options", list)
    ids = chosen if options is None else [o.get("id") if type(o) is dict else o for o in options]
    good = all(type(one) is int or (type(one) is str and one) for one in (*ids, *chosen))
    if not good or len(set(map(str, chosen))) < len(chosen) or not {*chosen} <= {*ids}:
        raise ContentError(f"'accept' is {brief(chosen)} among {brief(ids)}", OPTION)
    return tuple(map(str, chosen))


# keys that the versions under review share with their task
SHARED = (*INPUTS, "options", "label", "meta")
MOST_VERSIONS = 1000
NOBODY, REVIEW = "(none)", "review"
KINDS = ("layers", "categories")
ONE_ANNOTATOR = (
    "keep the rows of one annotator in the file (one _annotator_id or _session_id), and one answer "
    'to each task; or read all annotators with annotator="auto" (--annotator-field auto)'
)
WHO = (
    "two annotators without a name cannot be distinguished: name them, or choose another field as "
    "the annotator"
)
SESSIONS = "'sessions' holds the names of those who gave this version"


class _Answer(NamedTuple):
    """One answer to a task, and what it says of itself."""

    document: Document
    told: _Told

    def said(self, kind: str, how: str = "merge") -> bool:
        """Whether it is an answer of a kind; a skipped one gives way unless the last counts."""
        return bool(getattr(self.document, kind)) and (
            how in ("last", "error") or not self.told.skipped
        )


def read_prodigy(
    path: RowSource,
    *,
    misaligned: str = "error",
    annotator: str | None = None,
    decisions: bool = True,
    duplicates: str = "merge",
) -> Corpus:
    """The corpus of a dataset: spans as layers, choices and binary decisions as categories.

    A task without `spans` is annotated and has none. Tasks that were rejected, ignored or flagged
    are not seen. Ignored and flagged ones give way to another answer to the same task, unless the
    last answer is to count; to accept a task and to reject it are two answers. Documents are named
    by `_input_hash`. In a file without any tokens, positions are characters. Keys of a span other
    than its place and label are its features; those in `meta`, and keys of a task that are not
    Prodigy's, are attributes: any JSON value. Relations are left out, which a note says.

    Tasks with `options` have the ids in `accept` as categories, none if it is empty; their spans
    count unless the interface is "choice", which only shows them; an empty list of spans counts in
    the interface "blocks", or if the file has spans elsewhere. Where a label or suggested spans
    are decided on (`decision_in`), "accept" and "reject" are the categories; the document is then
    the input with its label, "hash:label", or with the spans, "hash:0-3:label". Of a task under
    review, the decision.

    With `annotator`, each annotator has a layer. Tasks are the same if their `_input_hash` is, or
    without it their tokens (their text). Equal answers of one annotator to one task count once; of
    different ones that all have a `_timestamp` the latest counts, others are errors. Rows whose
    field is null belong to the annotator "(none)". Tasks under review give a layer for each of the
    `sessions` of their `versions`; the decision has the name in the field, but "review" if there is
    none or this person also made versions.

    Parameters
    ----------
    path : str, Path or Rows
        A file, or the rows themselves, such as the examples of a dataset in Prodigy's database.
    misaligned : "error" or "unplaced"
        How to treat a span without token_start that does not fit the borders of the tokens.
    annotator : str, optional
        The field that names the annotators; "auto" takes _annotator_id, or where that is null
        _session_id. By default the file has one annotator, and the layer is "spans".
    decisions : bool
        With `annotator`, whether the decisions of reviewers are layers beside the versions that
        they were made of.
    duplicates : "error", "merge", "last" or "keep"
        How to treat a second answer of one session to a task: equal ones are one, or the last
        one counts. Where all have a `_timestamp` and name their session, the last one is the
        latest, and counts unless `duplicates` is "error".
    """
    relations: list[Place] = []
    builder = Builder(path, misaligned)
    form = Form(Task, PARTS, _columns_of)
    for rows, lines, places in row_batches(path, builder.left_out):
        for row, line in zip(rows, lines):
            for one in row["relations"] if type(row.get("relations")) is list else ():
                relations.append(Place(str(path), line, brief(one)))
        made = each(builder, partial(_answers_of, field=annotator), zip(rows, lines, places))
        some = [(one, line, place) for answers, line, place in made for one in answers]
        add_typed(builder, form, some, "", None)
    corpus = builder.corpus(f"no documents; {ONE_ARRAY}")
    repeats, table = Repeats(path, duplicates), corpus.table
    told: Sequence[Any] = builder.annotators
    named = table.names is None or len({*table.names}) == len(table)
    if annotator is None and named and not any(one.bare for one in told):
        documents: Sequence[Document] = _filled(table)
    else:
        answers = _without_bare_layers([*map(_Answer, corpus.documents, told)])
        if annotator is None:
            documents = _one_answer_each(answers, repeats)
        else:
            answers = [one for one in answers if decisions or not one.told.decides] or answers
            documents = _by_annotators(answers, annotator, repeats)
        documents = fill_layers(documents)
    notes = repeats.notes + note(RELATIONS, relations)
    return Corpus(str(path), documents, corpus.positions, notes=notes)


def _filled(table: DocumentTable) -> DocumentTable:
    """The documents with None in every layer that only others have."""
    layers = {
        name: replace(one, state=np.where(one.state == ABSENT, UNSEEN, one.state))
        for name, one in table.layers.items()
    }
    more = dict(table.more)
    if "categories" in more:
        none = {name: None for one in more["categories"] for name in one}
        more["categories"] = [{**none, **one} for one in more["categories"]]
    return replace(table, layers=layers, more=more)


def _answers_of(row: Row, field: str | None) -> list[Row]:
    """All answers in one row: one, or those of a review if there is a field of annotators."""
    if field is None:
        told = _Told(None, _stamp_of(row), False, _is_skipped(row), _is_bare(row))
        return [_translate(row, told)]
    versions = json_value(row, "versions", list)
    if versions is not None and len(versions) > MOST_VERSIONS:
        raise ContentError(f"{len(versions)} versions", f"a review has at most {MOST_VERSIONS}")
    name, decides = _annotator_name(row, field), versions is not None
    told = _Told(name, _stamp_of(row), decides, _is_skipped(row), _is_bare(row), True)

    def convert(version: Any) -> list[Row]:
        if type(version) is not dict:
            raise ContentError(
                f"a version is {brief(version)}", "a version is a task with 'sessions'"
            )
        return _answers_in(version, row, field)

    found = [_translate(row, told)]
    return [*found, *chain.from_iterable(sound_entries(versions or (), convert, ROWS))]


def _answers_in(version: Row, row: Row, field: str) -> list[Row]:
    """The answers of all who gave a version of the task under review."""
    same = {key: row[key] for key in SHARED if key in row}
    if row.get("view_id") in SHOW_SPANS and "spans" in row:
        same["spans"] = row["spans"]
    same |= {"_view_id": row.get("view_id")} | version
    if "_input_hash" in row:
        same["_input_hash"] = row["_input_hash"]
    if version.get("tokens") is None:
        same |= {key: row[key] for key in ("tokens", "spaces") if key in row}
    sessions = json_value(version, "sessions", list)
    names = [_annotator_name(version, field)] if sessions is None else sessions
    if sessions is not None and not all(type(name) is str and name for name in names):
        raise ContentError(f"'sessions' is {brief(sessions)}", SESSIONS)
    # the time of a version is that of one of its sessions, but does not say of which
    stamp = _stamp_of(version) if len(names) == 1 else None
    told = _Told(None, stamp, False, _is_skipped(version), _is_bare(same), True)
    task = _translate(same, told)
    return [{**task, "told": told._replace(annotator=name)} for name in names]


def _annotator_name(row: Row, annotator: str) -> str | None:
    """The name in a field, None if nobody is named."""
    fields = ("_annotator_id", "_session_id") if annotator == "auto" else (annotator,)
    names = (annotator_of(row, field) for field in fields if row.get(field) != "")
    return next((name for name in names if name is not None), None)


def _stamp_of(row: Row) -> float | None:
    """The time of an answer, if it is a number."""
    stamp = row.get("_timestamp")
    return stamp if type(stamp) in (int, float) else None


def _is_skipped(row: Row) -> bool:
    """Whether a task was ignored or flagged."""
    return row.get("answer") == "ignore" or bool(row.get("flagged"))


def _is_bare(row: Row) -> bool:
    """Whether a task is a choice with an empty list of spans, which it may not have asked for."""
    if row.get("spans") != [] or _view_of(row) == "blocks":
        return False
    choice, _, marks = kinds_of(row, None)
    return choice and marks


def _without_bare_layers(answers: Sequence[_Answer]) -> list[_Answer]:
    """The answers; choices without spans are categories alone if the file has no spans at all."""
    said = (one.document for one in answers)
    if any(any(one.layers.values()) or any(one.unplaced.values()) for one in said):
        return [*answers]
    return [
        one._replace(document=replace(one.document, layers={})) if one.told.bare else one
        for one in answers
    ]


def _is_annotated(document: Document, kind: str) -> bool:
    """Whether there are spans ("layers"), or categories."""
    return any(found is not None for found in getattr(document, kind).values())


def _one_answer_each(answers: Iterable[_Answer], repeats: Repeats) -> list[Document]:
    """The documents, one for each task; raises where two answers to a task do not become one."""
    tasks: dict[object, list[_Answer]] = {}
    problems, merged = [], []
    for place, answer in enumerate(answers):
        key = place if answer.document.name is None else answer.document.name
        tasks.setdefault(key, []).append(answer)
    for name, task in tasks.items():
        group = [answer.document for answer in task]
        said: dict[str, Document] = {}
        seconds: list[Document] = []
        advice = ONE_ANNOTATOR
        for kind in KINDS:
            kept = []
            for mine in _by_session(task, kind, repeats.how):
                equal = _are_equal(mine, kind)
                is_one = _are_one(equal, repeats.how) or _last_is_known(mine, repeats.how)
                if len(mine) > 1 and not is_one:
                    seconds.append(mine[1].document)
                    advice = f"{ONE_ANNOTATOR}, or {READ_ONCE[equal]}"
                left = _superseded([(i, one.told.stamp) for i, one in enumerate(mine)], "last")
                for i in left:
                    repeats.add(mine[i].document)
                kept += [one for i, one in enumerate(mine) if i not in left]
            several = [one.document for one in kept if _is_annotated(one.document, kind)]
            seconds += several[1:2]
            # without an answer that counts, it is not seen
            unseen = (one for one in group if not _is_annotated(one, kind))
            said[kind] = several[0] if several else next(unseen)
        if seconds:
            what = f"a second answer to the task {name}"
            problems.append(Problem(min(one.line(0) or 0 for one in seconds), what, advice))
            continue
        used = [one for one in group if any(one is other for other in said.values())]
        first = next(
            (one for one in used if any(_is_annotated(one, kind) for kind in KINDS)), used[0]
        )
        spans, categories = said["layers"], said["categories"]
        merged.append(
            replace(
                first,
                layers=spans.layers,
                unplaced=spans.unplaced,
                features=spans.features,
                copies=spans.copies,
                categories=categories.categories,
            )
        )
    if sum(map(len, tasks.values())) > len(tasks):
        made_of_rows(len(merged))
    leave_out(repeats.path, problems, DOCUMENTS)
    leave_out_documents(range(len(merged), len(tasks)))
    return merged


def _by_session(answers: Iterable[_Answer], kind: str, how: str) -> Iterator[list[_Answer]]:
    """Answers of a kind, those of each session together."""
    found: dict[object, list[_Answer]] = {}
    for answer in answers:
        if answer.said(kind, how):
            found.setdefault(_session_of(answer.document), []).append(answer)
    yield from found.values()


def _are_one(equal: bool, how: str) -> bool:
    """Whether several answers of one session to a task are read as one."""
    return how == "last" or (equal and how != "error")


def _last_is_known(answers: Sequence[_Answer], how: str) -> bool:
    """Whether one of the answers of a session that has a name is surely its last."""
    stamps = [one.told.stamp for one in answers if one.told.stamp is not None]
    timed = len(stamps) == len(answers) and stamps.count(max(stamps)) == 1
    return how != "error" and timed and any(_session_of(answers[0].document))


def _are_equal(answers: Sequence[_Answer], kind: str) -> bool:
    """Whether answers say the same."""
    names = ("layers", "unplaced", "features", "copies") if kind == "layers" else (kind,)
    said = [[getattr(answer.document, name) for name in names] for answer in answers]
    return all(one == said[0] for one in said)


def _session_of(document: Document) -> tuple[Any, ...]:
    """The annotator who answered, if the task names one."""
    return tuple(document.attributes.get(key) for key in ("_session_id", "_annotator_id"))


def _by_annotators(answers: Sequence[_Answer], field: str, repeats: Repeats) -> list[Document]:
    """Documents with a layer for each annotator."""
    path, last = repeats.path, repeats.how == "last"
    if field != "auto" and all(one.told.annotator is None for one in answers):
        raise FormatError(
            f"no row has anybody in the field {quoted(field)}; name another field as annotator, or "
            '"auto" for _annotator_id and _session_id',
            path,
        )
    makers = {one.told.annotator for one in answers if not one.told.decides}
    documents, names = [answer.document for answer in answers], []
    problems: dict[int, Problem] = {}
    groups: dict[tuple[object, str | None, str], list[tuple[int, float | None]]] = {}
    for place, (document, (annotator, stamp, decides, *_)) in enumerate(answers):
        if decides and (annotator is None or annotator in makers):
            annotator = REVIEW
        names.append(NOBODY if annotator is None else annotator)
        for kind in KINDS:
            if answers[place].said(kind, repeats.how):
                key = (document_key(document), annotator, kind)
                groups.setdefault(key, []).append((place, stamp))
    for (_, annotator, kind), group in groups.items():
        seen = [place for place, _ in group if _is_annotated(documents[place], kind)]
        if annotator is None and seen and len(group) > 1 and not last:
            first = documents[group[0][0]]
            what = f"a second answer by nobody to the task that line {first.line(0)} answers"
            problems |= {place: problem_of(documents[place], what, WHO) for place, _ in group[1:]}
            continue
        left = _superseded(group, repeats.how)
        kept = [place for place, _ in group if place not in left]
        unseen = [place for place in kept if place not in seen]
        if unseen and len(kept) > 1:  # `by_annotator` compares those with annotation
            equal = len(unseen) == len(kept)
            if _are_one(equal, repeats.how):
                left += unseen[:-1]
            else:
                first = documents[kept[0]]
                for place in kept[1:]:
                    second = documents[place]
                    problems[place] = second_answer(second, annotator or NOBODY, first, equal)
        for place in left:
            repeats.add(documents[place])
            if kind == "layers":
                none = dict.fromkeys(documents[place].layers)
                empty: dict[str, Any] = dict.fromkeys(("unplaced", "features", "copies"), {})
                documents[place] = replace(documents[place], layers=none, **empty)
            else:
                none = dict.fromkeys(documents[place].categories)
                documents[place] = replace(documents[place], categories=none)
    leave_out(path, problems.values(), ROWS)
    rows = [row for place, row in enumerate(zip(documents, names)) if place not in problems]
    return by_annotator(path, rows, repeats)


def _superseded(group: Sequence[tuple[int, float | None]], how: str) -> list[int]:
    """The answers of one annotator to one task that a later one replaced.

    That is known if all have a time, and otherwise only if the last one in the file is to count.
    """
    if how == "error":
        return []
    stamps = [stamp for _, stamp in group if stamp is not None]
    if len(stamps) < len(group):
        return [place for place, _ in group[:-1]] if how == "last" else []
    found = [place for (place, _), stamp in zip(group, stamps) if stamp < max(stamps)]
    ties = [place for place, stamp in group if stamp == max(stamps)]
    return sorted(found + ties[:-1]) if how == "last" else found


def fill_layers(documents: Sequence[Document]) -> list[Document]:
    """The documents with None in every layer that only others have."""
    layers = {name: None for one in documents for name in one.layers}
    categories = {name: None for one in documents for name in one.categories}
    return [
        replace(one, layers={**layers, **one.layers}, categories={**categories, **one.categories})
        if len(one.layers) < len(layers) or len(one.categories) < len(categories)
        else one
        for one in documents
    ]
