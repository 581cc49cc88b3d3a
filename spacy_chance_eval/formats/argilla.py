"""Argilla: records with answers of users and suggestions of models."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .blemishes import sound_entries
from .corpus import Corpus
from .errors import ContentError, FormatError
from .files import BlockReader
from .jsonl import KEYS, blocks_of_rows, read_translated
from .rows import Row, RowSource, brief, json_value, plain_values
from .sniffing import are_answers

SPANS = "spans"  # the layer of a suggestion
ANSWERS, GUESSES = ".responses", (".suggestion", "-suggestion")
COUNTED = (None, "submitted")  # states of an answer that counts
ENTRY = "a span is {label, start, end}"


class _Record(NamedTuple):
    """A record: its text, and the answers of users and models by question."""

    text: str
    answers: Mapping[str, Mapping[str, Any]]
    guesses: Mapping[str, Any]
    others: Mapping[str, Any]


class _Reading(NamedTuple):
    """The question that is read from the records of a file, and whether users answered it."""

    question: str
    by_users: bool


def read_argilla(
    path: RowSource,
    *,
    type: str | None = None,
    text: str | None = None,
    misaligned: str = "error",
    role: str = "gold",
) -> Corpus:
    """The corpus of records of Argilla, one JSON array or one object a line.

        {"fields": {"text": "Ada slept"}, "responses": {"ner": [{"user_id": "ada", "value":
         [{"label": "PER", "start": 0, "end": 3}]}]}, "suggestions": {"ner": {"value": []}}}

    Also rows with `ner.responses` and `ner.suggestion`, as data sets of Hugging Face have them, and
    those of a FeedbackDataset. Every user is a layer. Of predictions, the suggestions of models are
    read as the layer "spans", of gold only where no user answered. An answer that was not
    submitted, and null were not annotated. Offsets count characters, carried over to the tokens if
    there are any.

    Parameters
    ----------
    type : str, optional
        The question whose answers are spans; needed if there are several.
    text : str, optional
        The field with the text; needed if there are several, and none is called "text".
    misaligned : "error" or "unplaced"
        How to treat a span that does not fit the borders of the tokens.
    role : "gold" or "pred"
        Whether answers of users or suggestions are read.
    """
    return _read(path, type=type, text=text, misaligned=misaligned, role=role)


def blocks_of_argilla() -> BlockReader:
    """How JSON lines of Argilla are read in blocks of documents."""
    return blocks_of_rows(_read, survey=_survey)


def _survey(
    path: object,
    rows: Iterable[Row],
    *,
    type: str | None = None,
    text: str | None = None,
    role: str = "gold",
    **_: Any,
) -> _Reading:
    """The question that is read from the records of a file."""
    kinds: dict[bool, dict[str, bool]] = {True: {}, False: {}}  # by question: whether sure
    for row in rows:
        try:
            record = _record_of(row, text)
        except ContentError:  # which reading reports
            continue
        said = [(True, q, value) for q, by in record.answers.items() for value in by.values()]
        said += [(False, q, value) for q, value in record.guesses.items()]
        for by_users, question, value in said:
            if _are_spans(value):
                kinds[by_users][question] = kinds[by_users].get(question, False) or bool(value)
    answered, guessed = kinds[True], kinds[False]
    known = [*{**answered, **guessed}]
    sure = [q for q in known if answered.get(q) or guessed.get(q)] or known
    chosen = [q for q in (sure if type is None else known) if type in (None, q)]
    if len(chosen) != 1:
        names = ", ".join(map(repr, sorted(known))) or "no question"
        raise FormatError(f"spans answer {names}; name one question of these (--type)", path)
    by_users = chosen[0] in answered and (role == "gold" or chosen[0] not in guessed)
    return _Reading(chosen[0], by_users)


def _are_spans(value: Any) -> bool:
    """Whether a value is a list of spans."""
    return isinstance(value, list) and all(
        isinstance(one, dict) and "start" in one for one in value
    )


def _translate(
    row: Row, reading: _Reading, *, text: str | None = None, **_: Any
) -> tuple[Row, str]:
    """The record as a row of JSONL."""
    record = _record_of(row, text)
    question = reading.question
    found = record.answers.get(question, {})
    if not reading.by_users:
        found = {SPANS: record.guesses[question]} if question in record.guesses else {}
    layers = {
        user: None if value is None else [*sound_entries(_entries(value), _span_of)]
        for user, value in found.items()
    }
    own = {"id": row.get("id"), "text": record.text, "layers": layers}
    if row.get("tokens") is not None:
        own["tokens"] = row["tokens"]
    return {**plain_values(record.others, KEYS), **own}, "char"


_read = partial(read_translated, survey=_survey, translate=_translate)


def _entries(value: Any) -> list[Any]:
    """The entries of an answer."""
    if not isinstance(value, list):
        raise ContentError(f"spans are {brief(value)}", ENTRY)
    return value


def _span_of(entry: Any) -> Row:
    """One span as in JSONL."""
    if not isinstance(entry, dict):
        raise ContentError(f"a span is {brief(entry)}", ENTRY)
    score = entry.get("score")
    features = {} if not isinstance(score, (int, float)) else {"score": score}
    return {key: entry.get(key) for key in ("start", "end", "label")} | {"features": features}


def _record_of(row: Row, field: str | None) -> _Record:
    """The content of a row, in any of its forms."""
    others = json_value(row, "metadata", dict, {})
    answers: dict[str, dict[str, Any]] = {}
    for question, user, value, status in _answers_in(row):
        if user in answers.setdefault(question, {}):
            raise ContentError(
                f"two answers of {quoted(user)} to {quoted(question)}", "keep one of them"
            )
        answers[question][user] = value if status in COUNTED else None
    guesses = dict(_guesses_in(row))
    return _Record(_text_of(json_value(row, "fields", dict, row), field), answers, guesses, others)


def _text_of(fields: Row, name: str | None) -> str:
    """The text of a record."""
    texts = [key for key, value in fields.items() if isinstance(value, str) and key != "id"]
    key = name or ("text" if "text" in texts else texts[0] if len(texts) == 1 else None)
    if key not in texts:
        found = ", ".join(map(repr, texts)) or "none"
        raise ContentError(f"a record with the texts {found}", "name the field (--text)")
    return str(fields[key])


def _answers_in(row: Row) -> Iterator[tuple[str, str, Any, Any]]:
    """(question, user, value, state) of each answer in a record."""
    said = row.get("responses")
    if isinstance(said, list):  # as on the server
        for entry in said:
            for question, value in json_value(_object(entry), "values", dict, {}).items():
                yield question, _user(entry), _object(value).get("value"), entry.get("status")
    by_question = said if isinstance(said, dict) else {}
    if "fields" not in row:
        by_question = {key: value for key, value in row.items() if are_answers(value)}
    for question in by_question:
        for entry in json_value(by_question, question, list, []):
            yield question, _user(_object(entry)), entry.get("value"), entry.get("status")
    for key in row if "fields" not in row else ():
        if key.endswith(ANSWERS):
            values: list[Any] = json_value(row, key, list, [])
            users = json_value(row, f"{key}.users", list, [*range(1, len(values) + 1)])
            states = json_value(row, f"{key}.status", list, [None] * len(values))
            if not len(users) == len(values) == len(states):
                raise ContentError(f"{len(values)} answers of {len(users)} users", "one for each")
            for user, value, state in zip(users, values, states):
                yield key.removesuffix(ANSWERS), str(user), value, state


def _guesses_in(row: Row) -> Iterator[tuple[str, Any]]:
    """(question, value) of each suggestion in a record."""
    said = row.get("suggestions")
    if isinstance(said, list):
        said = {str(_object(one).get("question_name")): one for one in said}
    for question, entry in (said if isinstance(said, dict) else {}).items():
        yield question, _object(entry).get("value")
    for key, value in row.items():
        if key.endswith(GUESSES) and "fields" not in row:
            yield key[: -len(GUESSES[0])], value


def _object(value: Any) -> Row:
    """The value, if it is an object."""
    if not isinstance(value, dict):
        raise ContentError(f"an answer is {brief(value)}", "an answer has a user_id and a value")
    return value


def _user(entry: Row) -> str:
    """The user of an answer."""
    user = entry.get("user_id")
    if not isinstance(user, (str, int)) or user == "":
        raise ContentError(f"an answer of user {brief(user)}", "an answer has a user_id")
    return str(user)
