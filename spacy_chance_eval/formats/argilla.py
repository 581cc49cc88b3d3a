"""Argilla 2: records with answers of users and suggestions of models.

    {"fields": {"text": "Ada slept"}, "responses": {"ner": [{"user_id": "ada", "value":
     [{"label": "PER", "start": 0, "end": 3}]}]}, "suggestions": {"ner": {"value": []}}}

Also rows with `ner.responses` and `ner.suggestion`, as data sets of Hugging Face have them. Every
user is a layer. Of predictions, the suggestions of models are read as the layer "spans", of gold
only where no user answered. An answer that was not submitted, and null were not annotated. Offsets
count characters, carried over to the tokens if there are any.

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

ANSWERS, GUESS = ".responses", ".suggestion"
ENTRY = "an answer has a user_id and a value, a list of {label, start, end}"


class _Question(NamedTuple):
    """The question that is read from the records of a file, and whether users answered it."""

    name: str
    by_users: bool


def _survey(path: object, rows: Iterable[Row], reading: Reading) -> _Question:
    """The question that is read from the records of a file."""
    kinds: dict[bool, dict[str, bool]] = {True: {}, False: {}}  # by question: whether it has spans
    for row in rows:
        try:
            answers = [*_answers_in(row), *_guesses_in(row)]
        except ContentError:  # which reading reports
            continue
        for question, user, value in answers:
            if type(value) is list and all(type(one) is dict and "start" in one for one in value):
                own = kinds[user is not None]
                own[question] = own.get(question, False) or bool(value)
    answered, guessed = kinds[True], kinds[False]
    names = sorted({*answered, *guessed})
    sure = [name for name in names if answered.get(name) or guessed.get(name)] or names
    chosen = [name for name in names if name == reading.type] if reading.type else sure
    if len(chosen) != 1:
        found = ", ".join(map(quoted, names)) or "no question"
        advice = "name one question (--type), of an export of Argilla 2"
        raise FormatError(f"spans answer {found}; {advice}", path)
    of_users = chosen[0] in answered and (reading.role == "gold" or chosen[0] not in guessed)
    return _Question(chosen[0], of_users)


def _translate(row: Row, reading: Reading, question: _Question) -> tuple[Row, str]:
    """The record as a row of JSONL."""
    layers: dict[str, Any] = {}
    for name, user, value in _answers_in(row) if question.by_users else _guesses_in(row):
        if name == question.name:
            if user in layers:
                what = f"two answers of {quoted(user)} to {quoted(name)}"
                raise ContentError(what, "keep one of them")
            if value is not None and type(value) is not list:
                raise ContentError(f"spans are {brief(value)}", ENTRY)
            layers[user or "spans"] = value and [*map(_span_of, value)]
    fields = json_value(row, "fields", dict, row)
    texts = [key for key, value in fields.items() if type(value) is str and key != "id"]
    key = reading.text or ("text" if "text" in texts else texts[0] if len(texts) == 1 else None)
    if key not in texts:
        found = ", ".join(map(quoted, texts)) or "none"
        raise ContentError(f"a record with the texts {found}", "name the field (--text)")
    return {
        "id": row.get("id"),
        "text": fields[key],
        "tokens": row.get("tokens"),
        "layers": layers,
        "*attributes": json_value(row, "metadata", dict, {}),
    }, "char"


def _span_of(entry: Any) -> Row:
    """A span as in JSONL."""
    if type(entry) is not dict:
        raise ContentError(f"a span is {brief(entry)}", ENTRY)
    features = {"score": entry["score"]} if type(entry.get("score")) in (int, float) else {}
    return {key: entry.get(key) for key in ("start", "end", "label")} | {"features": features}


def _answers_in(row: Row) -> Iterator[tuple[str, str, Any]]:
    """(question, user, value) of each answer in a record; None of one that was not submitted."""
    by_question = json_value(row, "responses", dict, {})
    answers = [
        (question, entry.get("user_id"), entry.get("value"), entry.get("status"))
        for question in by_question
        for entry in map(_object, json_value(by_question, question, list, []))
    ]
    for key in row if "fields" not in row else ():
        if key.endswith(ANSWERS):
            values = json_value(row, key, list, [])
            users = json_value(row, f"{key}.users", list, [*range(1, len(values) + 1)])
            states = json_value(row, f"{key}.status", list, [None] * len(values))
            if not len(users) == len(values) == len(states):
                raise ContentError(f"{len(values)} answers of {len(users)} users", "one for each")
            question = key.removesuffix(ANSWERS)
            answers += [(question, *answer) for answer in zip(users, values, states)]
    for question, user, value, state in answers:
        if type(user) not in (str, int) or user == "":
            raise ContentError(f"an answer of user {brief(user)}", ENTRY)
        yield question, str(user), value if state in (None, "submitted") else None


def _guesses_in(row: Row) -> Iterator[tuple[str, None, Any]]:
    """(question, None, value) of each suggestion in a record."""
    for question, entry in json_value(row, "suggestions", dict, {}).items():
        yield question, None, _object(entry).get("value")
    for key in row if "fields" not in row else ():
        if key.endswith(GUESS):
            yield key.removesuffix(GUESS), None, row[key]


def _object(value: Any) -> Row:
    """The value, if it is an object."""
    if type(value) is not dict:
        raise ContentError(f"an answer is {brief(value)}", ENTRY)
    return value


FORM = Form(_translate, survey=_survey)
