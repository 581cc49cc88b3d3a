"""Prodigy's annotation: JSONL as `prodigy db-out` writes it, of one annotator or of several."""

from dataclasses import replace
from typing import NamedTuple

from .annotators import annotator_of, by_annotator, identity
from .corpus import Corpus, Document
from .errors import FormatError, Mistake, Problem, known, raise_first
from .prodigy_rows import ATTRIBUTES, INPUTS, document_of
from .rows import MISALIGNED, Tokens, positions_of, read_rows, shown, value

# what the versions under review share with their task
SHARED = (*INPUTS, "options", "label", "meta")
MOST_VERSIONS = 1000
NOBODY, REVIEW = "(none)", "review"
KINDS = ("layers", "categories")
ONE_ANNOTATOR = (
    "keep the rows of one annotator in the file (one _annotator_id or _session_id), and one answer "
    'to each task; or read all annotators with annotator="auto" (--annotator-field auto)'
)
WHO = (
    "two annotators without a name cannot be told apart: name them, or choose another field as the "
    "annotator"
)
SESSIONS = "'sessions' holds the names of those who gave this version"


class Answer(NamedTuple):
    """What somebody made of a task. `stamp` is the time of it, `decides` a reviewer's word."""

    document: Document
    tokens: Tokens | None
    annotator: str | None = None
    stamp: float | None = None
    decides: bool = False


def read_prodigy(path, *, misaligned="error", annotator=None, decisions=True):
    """The corpus of a dataset: spans as layers, choices and binary decisions as categories.

    A task without `spans` is annotated and has none. Tasks that were rejected, ignored or flagged
    are not seen, and give way to an accepted answer to the same task. Documents are named by
    `_input_hash`. In a file without any tokens, positions are characters. What a span has beside
    its place and label are its features.

    Tasks with `options` have the ids in `accept` as categories, none if it is empty; their spans
    count unless the interface is "choice", which only shows them. In tasks with one `label` and no
    spans (interface "classification", or none named) "accept" and "reject" are the categories; the
    document is then the input with its label, "hash:label". Of a task under review, the decision.

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
        What becomes of a span without token_start that does not fit the borders of the tokens.
    annotator : str, optional
        The field that names the annotators; "auto" takes _annotator_id, or where that is null
        _session_id. By default the file has one annotator, and the layer is "spans".
    decisions : bool
        With `annotator`, whether the decisions of reviewers are layers beside the versions that
        they were made of.

    Raises
    ------
    FormatError
        Once, for all bad rows; or if a task was answered more than once, has different tokens, or
        if nobody is named in the field.
    """
    known(misaligned, MISALIGNED, "value of misaligned")
    rows = read_rows(path, lambda row, line: answers_of(row, line, misaligned, annotator))
    answers = [answer for found in rows for answer in found]
    positions = positions_of(path, [(answer.document, answer.tokens) for answer in answers])
    if annotator is None:
        documents = one_answer_each(path, [answer.document for answer in answers])
    else:
        answers = [answer for answer in answers if decisions or not answer.decides] or answers
        documents = of_annotators(path, answers, annotator)
    return Corpus(path, filled(documents), positions)


def answers_of(row, line, misaligned, annotator):
    """All answers in one row: one, or with `annotator` those of a review."""
    document, tokens = document_of(row, line, misaligned)
    if annotator is None:
        return [Answer(document, tokens)]
    document, versions = without_answer(document), value(row, "versions", list)
    decides = versions is not None
    found = [Answer(document, tokens, named(row, annotator), stamp_of(row), decides)]
    if decides and len(versions) > MOST_VERSIONS:
        raise Mistake(f"{len(versions)} versions", f"a review has at most {MOST_VERSIONS}")
    for version in versions or ():
        if type(version) is not dict:
            raise Mistake(f"a version is {shown(version)}", "a version is a task with 'sessions'")
        found += answers_in(version, row, tokens, line, misaligned, annotator)
    return found


def answers_in(version, row, tokens, line, misaligned, annotator):
    """The answers of all who gave a version of the task under review."""
    same = {key: row[key] for key in SHARED if key in row}
    same |= {"_view_id": row.get("view_id")} | version
    if "_input_hash" in row:
        same["_input_hash"] = row["_input_hash"]
    own = version.get("tokens") is not None
    document, tokens = document_of(same, line, misaligned, None if own else tokens)
    sessions = value(version, "sessions", list)
    names = [named(version, annotator)] if sessions is None else sessions
    if sessions is not None and not all(type(name) is str and name for name in names):
        raise Mistake(f"'sessions' is {shown(sessions)}", SESSIONS)
    # the time of a version is that of one of its sessions, but does not say of which
    stamp = stamp_of(version) if len(names) == 1 else None
    document = without_answer(document)
    return [Answer(document, tokens, name, stamp) for name in names]


def named(row, annotator):
    """The name in a field, None if nobody is named."""
    fields = ("_annotator_id", "_session_id") if annotator == "auto" else (annotator,)
    names = (annotator_of(row, field) for field in fields if row.get(field) != "")
    return next((name for name in names if name is not None), None)


def stamp_of(row):
    """The time of an answer, if it is a number."""
    stamp = row.get("_timestamp")
    return stamp if type(stamp) in (int, float) else None


def without_answer(document):
    """The document without what is true of one answer alone."""
    kept = {key: v for key, v in document.attributes.items() if key not in ATTRIBUTES}
    return replace(document, attributes=kept)


def seen(document, kind):
    """Whether there are spans ("layers"), or categories."""
    return any(found is not None for found in getattr(document, kind).values())


def one_answer_each(path, documents):
    """The documents, one for each task; raises where two of a task are annotated."""
    rows, problems, merged = {}, [], []
    for place, document in enumerate(documents):
        key = place if document.name is None else document.name
        rows.setdefault(key, []).append(document)
    for name, group in rows.items():
        answered = {kind: [one for one in group if seen(one, kind)] for kind in KINDS}
        seconds = [found[1].line(0) for found in answered.values() if len(found) > 1]
        if seconds:
            found = f"a second answer to the task {name}"
            problems.append(Problem(min(seconds), found, ONE_ANNOTATOR))
            continue
        one = min(group, key=lambda document: not any(seen(document, kind) for kind in KINDS))
        spans, categories = ((answered[kind] or [one])[0] for kind in KINDS)
        what = (spans.layers, spans.unplaced, spans.features, categories.categories)
        merged.append(
            replace(one, **dict(zip(("layers", "unplaced", "features", "categories"), what)))
        )
    raise_first(path, problems)
    return merged


def of_annotators(path, answers, field):
    """Documents with a layer for each annotator."""
    if field != "auto" and all(answer.annotator is None for answer in answers):
        raise FormatError(
            f"no row has anybody in the field {field!r}; name another field as annotator, or "
            '"auto" for _annotator_id and _session_id',
            path,
        )
    makers = {answer.annotator for answer in answers if not answer.decides}
    rows, groups, problems = [], {}, []
    for document, _, annotator, stamp, decides in answers:
        if decides and (annotator is None or annotator in makers):
            annotator = REVIEW
        rows.append([document, NOBODY if annotator is None else annotator])
        for kind in KINDS:
            if seen(document, kind):
                key = (*identity(document), annotator, kind)
                groups.setdefault(key, []).append((rows[-1], stamp))
    for (*_, annotator, kind), group in groups.items():
        if annotator is None and len(group) > 1:
            lines = [row[0].line(0) for row, _ in group]
            found = f"a second answer by nobody to the task that line {lines[0]} answers"
            problems.append(Problem(lines[1], found, WHO))
        for row in superseded(group, kind):
            row[0] = replace(row[0], **{kind: dict.fromkeys(getattr(row[0], kind))})
            if kind == "layers":
                row[0] = replace(row[0], unplaced={}, features={})
    raise_first(path, problems)
    return by_annotator(path, rows)


def superseded(group, kind):
    """The rows of one annotator and task that a later one, with other content, replaced."""
    stamps = [stamp for _, stamp in group]
    if len(group) == 1 or None in stamps:
        return []
    latest = max(stamps)
    return [row for row, stamp in group if stamp < latest]


def filled(documents):
    """The documents with None in every layer that only others have."""
    layers = {name: None for one in documents for name in one.layers}
    categories = {name: None for one in documents for name in one.categories}
    return [
        replace(one, layers=layers | one.layers, categories=categories | one.categories)
        if len(one.layers) < len(layers) or len(one.categories) < len(categories)
        else one
        for one in documents
    ]
