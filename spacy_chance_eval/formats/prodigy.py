"""One task of Prodigy as a document: spans, choices, decisions on one label."""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .annotators import READ_ONCE, Repeats, annotator_of, by_annotator, document_key, second_answer
from .blemishes import (
    DOCUMENTS,
    ROWS,
    leave_out,
    leave_out_documents,
    made_of_rows,
    sound_entries,
)
from .corpus import Corpus, Document, Span
from .decisions import SHOW_SPANS, Decision, decision_in
from .errors import ContentError, FormatError, Problem, known
from .notes import RELATIONS, Place, note
from .rows import (
    MISALIGNED,
    Row,
    RowSource,
    RowSpans,
    Tokens,
    are_offsets,
    brief,
    checked_span,
    gather_spans,
    json_value,
    of_one_kind,
    other_values,
    plain_values,
    problem_of,
    read_rows,
    spans_on_tokens,
    tokens_of,
)

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
INCLUSIVE = (
    "both need whole numbers, token_start <= token_end inside the tokens, and the same place as "
    "start and end (Prodigy's token_end is the last token of the span, its end is exclusive)"
)
OPTION = "'accept' holds ids of 'options', each once; an id is a non-empty string or a number"


def _document_of(
    row: Row, line: int, misaligned: str, tokens: Tokens | None = None
) -> tuple[Document, Tokens | None]:
    """(document, tokens) of one task, with its own tokens unless others are given."""
    tokens, text = tokens or tokens_of(row, verbatim=False), json_value(row, "text", str)
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
    found = _spans_of(row, tokens, text, misaligned) if seen and has_spans else None
    categories = _accepted_labels(row) if seen and choice else None
    if decision and answer != "ignore" and not row.get("flagged"):
        categories = (answer,)
    meta = row["meta"] if type(row.get("meta")) is dict else {}
    own = _own_name(row, meta)
    attributes = {key: row[key] for key in row if key[:1] != "_" and key not in TASK_KEYS}
    attributes |= other_values(meta, ("document",) if own is not None else ())
    attributes |= plain_values({key: row[key] for key in ATTRIBUTES if key in row}, ())
    document = Document(
        tokens.words if tokens else (),
        {"spans": found and found.spans} if has_spans else {},
        name=_name_of(row, own, decision, text),
        unplaced={"spans": found.unplaced} if found else {},
        lines=(line,),
        text=text,
        spaces=tokens and tokens.spaces,
        attributes=attributes | (decision.attributes if decision else {}),
        features={"spans": found.features} if found else {},
        copies={"spans": found.copies} if found else {},
        categories={"spans": categories} if choice or decision else {},
    )
    return document, tokens


def kinds_of(row: Row, tokens: object) -> tuple[bool, Decision | None, bool]:
    """Whether a task is a choice, the subject of a decision (else None), whether it marks spans."""
    view = _view_of(row)
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


def _spans_of(row: Row, tokens: Tokens | None, text: str | None, misaligned: str) -> RowSpans:
    """The spans of an accepted task."""
    placed: list[tuple[Span, Mapping[str, Any]]] = []
    in_characters: list[tuple[Span, Mapping[str, Any]]] = []
    borders = tokens and tokens.borders
    size = len(text) if text is not None else max((end for _, end in borders or ()), default=0)

    def convert(entry: Any) -> tuple[bool, tuple[Span, Mapping[str, Any]]]:
        if type(entry) is not dict:
            raise ContentError(f"a span is {brief(entry)}", "a span is an object with a label")
        said = other_values(entry, SPAN_KEYS)
        if tokens is not None and entry.get("token_start") is not None:
            return True, (_token_span(entry, tokens), said)
        if tokens is not None and borders is None:
            raise ContentError(
                f"span {brief(entry)} has no token_start and its tokens no place in the text",
                "give tokens with start and end, or spans with token_start and token_end",
            )
        start, end, label = entry.get("start"), entry.get("end"), entry.get("label")
        return False, (checked_span(start, end, label, size, "characters"), said)

    for has_tokens, one in sound_entries(json_value(row, "spans", list, []), convert):
        (placed if has_tokens else in_characters).append(one)
    if tokens is None:
        return gather_spans(in_characters)
    if not in_characters or borders is None:
        return gather_spans(placed)
    carried = spans_on_tokens(gather_spans(in_characters), borders, misaligned)
    copies = dict(carried.copies)
    for span in carried.spans:
        more = (one.features for one in copies.pop(span, ()))
        placed += [(span, said) for said in (carried.features[span], *more)]
    found = gather_spans(placed)
    return found._replace(unplaced=carried.unplaced, copies={**found.copies, **copies})


def _token_span(entry: Row, tokens: Tokens) -> Span:
    """A span by its first and last token."""
    first: Any = entry.get("token_start")
    last: Any = entry.get("token_end")
    good = are_offsets(first, last) and first <= last < len(tokens.words)
    if good and tokens.borders and "start" in entry and "end" in entry:
        place = (tokens.borders[first][0], tokens.borders[last][1])
        good = (entry["start"], entry["end"]) == place
    if not good:
        raise ContentError(f"span {brief(entry)} among {len(tokens.words)} tokens", INCLUSIVE)
    return checked_span(first, last + 1, entry.get("label"), len(tokens.words), "tokens")


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
    """One answer to a task at the time `stamp`; `decides`: it is a reviewer's decision."""

    document: Document
    tokens: Tokens | None
    annotator: str | None = None
    stamp: float | None = None
    decides: bool = False
    skipped: bool = False  # ignored or flagged
    bare: bool = False  # a choice without spans, in no interface that marks them

    def said(self, kind: str, how: str = "merge") -> bool:
        """Whether it is an answer of a kind; a skipped one gives way unless the last counts."""
        return bool(getattr(self.document, kind)) and (how in ("last", "error") or not self.skipped)


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
    known(misaligned, MISALIGNED, "value of misaligned")
    relations: list[Place] = []

    def convert(row: Row, line: int) -> list[_Answer]:
        found = _answers_of(row, line, misaligned, annotator)
        for one in row["relations"] if type(row.get("relations")) is list else ():
            relations.append(Place(str(path), line, brief(one)))
        return found

    rows = read_rows(path, convert)
    answers = [answer for found in rows for answer in found]
    answers, positions = of_one_kind(
        path, answers, lambda answer: ([answer.document], answer.tokens is not None)
    )
    answers = _without_bare_layers(answers)
    repeats = Repeats(path, duplicates)
    if annotator is None:
        documents = _one_answer_each(answers, repeats)
    else:
        answers = [answer for answer in answers if decisions or not answer.decides] or answers
        documents = _by_annotators(answers, annotator, repeats)
    notes = repeats.notes + note(RELATIONS, relations)
    return Corpus(str(path), fill_layers(documents), positions, notes=notes)


def _answers_of(row: Row, line: int, misaligned: str, annotator: str | None) -> list[_Answer]:
    """All answers in one row: one, or with `annotator` those of a review."""
    document, tokens = _document_of(row, line, misaligned)
    if annotator is None:
        skipped, bare = _is_skipped(row), _is_bare(row)
        return [_Answer(document, tokens, stamp=_stamp_of(row), skipped=skipped, bare=bare)]
    versions = json_value(row, "versions", list)
    document = _about_the_task(document)
    name, stamp, decides = _annotator_name(row, annotator), _stamp_of(row), versions is not None
    found = [_Answer(document, tokens, name, stamp, decides, _is_skipped(row), _is_bare(row))]
    if versions is not None and len(versions) > MOST_VERSIONS:
        raise ContentError(f"{len(versions)} versions", f"a review has at most {MOST_VERSIONS}")

    def convert(version: Any) -> list[_Answer]:
        if type(version) is not dict:
            raise ContentError(
                f"a version is {brief(version)}", "a version is a task with 'sessions'"
            )
        return _answers_in(version, row, tokens, line, misaligned, annotator)

    return [*found, *chain.from_iterable(sound_entries(versions or (), convert, ROWS))]


def _answers_in(
    version: Row,
    row: Row,
    tokens: Tokens | None,
    line: int,
    misaligned: str,
    annotator: str,
) -> list[_Answer]:
    """The answers of all who gave a version of the task under review."""
    same = {key: row[key] for key in SHARED if key in row}
    if row.get("view_id") in SHOW_SPANS and "spans" in row:
        same["spans"] = row["spans"]
    same |= {"_view_id": row.get("view_id")} | version
    if "_input_hash" in row:
        same["_input_hash"] = row["_input_hash"]
    own = version.get("tokens") is not None
    document, tokens = _document_of(same, line, misaligned, None if own else tokens)
    sessions = json_value(version, "sessions", list)
    names = [_annotator_name(version, annotator)] if sessions is None else sessions
    if sessions is not None and not all(type(name) is str and name for name in names):
        raise ContentError(f"'sessions' is {brief(sessions)}", SESSIONS)
    # the time of a version is that of one of its sessions, but does not say of which
    stamp = _stamp_of(version) if len(names) == 1 else None
    document = _about_the_task(document)
    skipped, bare = _is_skipped(version), _is_bare(same)
    return [_Answer(document, tokens, name, stamp, skipped=skipped, bare=bare) for name in names]


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
        one._replace(document=replace(one.document, layers={})) if one.bare else one
        for one in answers
    ]


def _about_the_task(document: Document) -> Document:
    """The document without keys of one answer alone."""
    kept = {key: v for key, v in document.attributes.items() if key not in ATTRIBUTES}
    return replace(document, attributes=kept)


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
                left = _superseded([(i, one.stamp) for i, one in enumerate(mine)], "last")
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
    stamps = [answer.stamp for answer in answers if answer.stamp is not None]
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
    if field != "auto" and all(answer.annotator is None for answer in answers):
        raise FormatError(
            f"no row has anybody in the field {quoted(field)}; name another field as annotator, or "
            '"auto" for _annotator_id and _session_id',
            path,
        )
    makers = {answer.annotator for answer in answers if not answer.decides}
    documents, names = [answer.document for answer in answers], []
    problems: dict[int, Problem] = {}
    groups: dict[tuple[object, str | None, str], list[tuple[int, float | None]]] = {}
    for place, (document, _, annotator, stamp, decides, *_) in enumerate(answers):
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
