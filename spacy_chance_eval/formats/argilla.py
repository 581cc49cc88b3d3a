"""Argilla: records with answers of users and suggestions of models.

    {"fields": {"text": "Ada slept"}, "responses": {"ner": [{"user_id": "ada", "value":
     [{"label": "PER", "start": 0, "end": 3}]}]}, "suggestions": {"ner": {"value": []}}}

Also rows with `ner.responses` and `ner.suggestion`, as data sets of Hugging Face have them, and
those of a FeedbackDataset. Every user is a layer. Of predictions, the suggestions of models are
read as the layer "spans", of gold only where no user answered. An answer that was not submitted,
and null were not annotated. Offsets count characters, carried over to the tokens if there are any.

`type` is the question whose answers are spans, needed if there are several; `text` the field with
the text, needed if there are several, and none is called "text".
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .errors import ContentError, FormatError
from .forms import Form
from .json_rows import Row
from .keys import Reading
from .rows import brief, json_value

SPANS = "spans"  # the layer of a suggestion
ANSWERS, GUESSES = ".responses", (".suggestion", "-suggestion")
COUNTED = (None, "submitted")  # states of an answer that counts
ENTRY = "a span is {label, start, end}"


class _Question(NamedTuple):
    """The question that is read from the records of a file, and whether users answered it."""

    name: str
    by_users: bool


def _survey(path: object, rows: Iterable[Row], reading: Reading) -> _Question:
    """The question that is read from the records of a file."""
    kinds: dict[bool, dict[str, bool]] = {True: {}, False: {}}  # by question: whether sure
    for row in rows:
        try:
            said = [(True, question, value) for question, _, value, _ in _answers_in(row)]
            said += [(False, question, value) for question, value in _guesses_in(row)]
        except ContentError:  # which reading reports
            continue
        for by_users, question, value in said:
            if isinstance(value, list) and all(
                isinstance(one, dict) and "start" in one for one in value
            ):
                kinds[by_users][question] = kinds[by_users].get(question, False) or bool(value)
    answered, guessed = kinds[True], kinds[False]
    known = [*{**answered, **guessed}]
    sure = [one for one in known if answered.get(one) or guessed.get(one)] or known
    chosen = [one for one in known if one == reading.type] if reading.type else sure
    if len(chosen) != 1:
        names = ", ".join(map(repr, sorted(known))) or "no question"
        raise FormatError(f"spans answer {names}; name one question of these (--type)", path)
    of_users = chosen[0] in answered and (reading.role == "gold" or chosen[0] not in guessed)
    return _Question(chosen[0], of_users)


def _translate(row: Row, reading: Reading, question: _Question) -> tuple[Row, str]:
    """The record as a row of JSONL."""
    found: dict[str, Any] = {}
    for name, user, value, status in _answers_in(row) if question.by_users else ():
        if name == question.name:
            if user in found:
                what = f"two answers of {quoted(user)} to {quoted(name)}"
                raise ContentError(what, "keep one of them")
            found[user] = value if status in COUNTED else None
    if not question.by_users:
        guesses = dict(_guesses_in(row))
        found = {SPANS: guesses[question.name]} if question.name in guesses else {}
    return {
        "id": row.get("id"),
        "text": _text_of(json_value(row, "fields", dict, row), reading.text),
        "tokens": row.get("tokens"),
        "layers": {user: _spans(value) for user, value in found.items()},
        "*attributes": json_value(row, "metadata", dict, {}),
    }, "char"


def _spans(value: Any) -> list[Any] | None:
    """The spans of an answer, as in JSONL."""
    if value is not None and not isinstance(value, list):
        raise ContentError(f"spans are {brief(value)}", ENTRY)
    return value and [*map(_span_of, value)]


def _span_of(entry: Any) -> Any:
    """A span as in JSONL; or its mistake."""
    if not isinstance(entry, dict):
        return ContentError(f"a span is {brief(entry)}", ENTRY)
    score = entry.get("score")
    features = {"score": score} if isinstance(score, (int, float)) else {}
    return {key: entry.get(key) for key in ("start", "end", "label")} | {"features": features}


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
        for entry in map(_object, said):
            for question, value in json_value(entry, "values", dict, {}).items():
                yield question, _user(entry), _object(value).get("value"), entry.get("status")
    by_question = said if isinstance(said, dict) else {}
    if "fields" not in row:
        by_question = {
            key: value
            for key, value in row.items()
            if isinstance(value, list) and value and all(map(_has_user, value))
        }
    for question in by_question:
        for entry in map(_object, json_value(by_question, question, list, [])):
            yield question, _user(entry), entry.get("value"), entry.get("status")
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


def _has_user(entry: Any) -> bool:
    """Whether a value is an answer of a user."""
    return isinstance(entry, dict) and "user_id" in entry


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


FORM = Form(_translate, survey=_survey)
