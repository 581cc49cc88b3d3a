"""Argilla 2: records with answers of users and suggestions of models.

    {"fields": {"text": "Ada slept"}, "responses": {"ner": [{"user_id": "ada", "value":
     [{"label": "PER", "start": 0, "end": 3}]}]}, "suggestions": {"ner": {"value": []}}}

Also rows with `ner.responses` and `ner.suggestion`, as data sets of Hugging Face have them. Every
user is a layer. The suggestions of models are the layer "spans" where no user answered, and of
predictions the layer "suggestions" beside those of users. An answer that was not submitted, and
null were not annotated. Offsets count characters, carried over to the tokens if there are any.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import zip_longest
from typing import Any

from ..measures.messages import quoted
from .errors import ContentError, FormatError
from .forms import Form
from .json_rows import Row
from .keys import Reading
from .rows import brief, json_value, span_of, text_in

ENTRY = "an answer has a user_id and a value, a list of {label, start, end}"


def _survey(path: object, rows: Iterable[Row], reading: Reading) -> tuple[str, dict[bool, str]]:
    """(the question whose answers are read, {whether of users: layer}) of a file."""
    n_spans: Counter[tuple[str, bool]] = Counter()  # of answers, of users or models
    for row in rows:
        with suppress(ContentError):  # which reading reports
            for question, user, value in [*_answers_in(row)]:
                if type(value) is list and all(
                    type(one) is dict and "start" in one for one in value
                ):
                    n_spans[question, user is not None] += len(value)
    names = sorted({name for name, _ in n_spans})
    chosen = sorted({name for name, _ in +n_spans}) or names
    if reading.type:
        chosen = [name for name in names if name == reading.type]
    if len(chosen) != 1:
        found = ", ".join(map(quoted, names)) or "no question"
        advice = "name one question (--read type=NAME), of an export of Argilla 2"
        raise FormatError(f"spans answer {found}; {advice}", path)
    of_users, of_models = ((chosen[0], by_users) in n_spans for by_users in (True, False))
    if of_users and of_models and reading.role == "pred":  # one of them has to be named
        return chosen[0], {True: "", False: "suggestions"}
    return chosen[0], {True: ""} if of_users else {False: "spans"}


def _translate(row: Row, reading: Reading, facts: tuple[str, dict[bool, str]]) -> tuple[Row, str]:
    """The record as a row of JSONL."""
    chosen, names = facts
    layers: dict[str, Any] = {}
    for question, user, value in _answers_in(row):
        by_user = user is not None
        if question == chosen and by_user in names:
            if user in layers:
                what = f"two answers of {quoted(user)} to {quoted(question)}"
                raise ContentError(what, "keep one of them")
            if value is not None and type(value) is not list:
                raise ContentError(f"spans are {brief(value)}", ENTRY)
            layers[user or names[False]] = value and [span_of(one, ENTRY) for one in value]
    fields = json_value(row, "fields", dict, row)
    texts = {key: value for key, value in fields.items() if key != "id"}
    return {
        "id": row.get("id"),
        "text": fields[text_in(texts, reading)],
        "tokens": row.get("tokens"),
        "layers": layers,
        "*attributes": json_value(row, "metadata", dict, {}),
    }, "char"


def _answers_in(row: Row) -> Iterator[tuple[str, str | None, Any]]:
    """(question, user, value) of each answer in a record, and of suggestions, without a user.

    The value of an answer that was not submitted is None.
    """
    answers: list[tuple[Any, ...]] = []
    questions = json_value(row, "responses", dict, {})
    for question in questions:
        entries = [*map(_object, json_value(questions, question, list, []))]
        answers += [(question, *map(one.get, ("user_id", "value", "status"))) for one in entries]
    for question, entry in json_value(row, "suggestions", dict, {}).items():
        yield question, None, _object(entry).get("value")
    for key in row if "fields" not in row else ():
        question, _, kind = key.rpartition(".")
        if kind == "suggestion":
            yield question, None, row[key]
        elif kind == "responses":
            lists = [json_value(row, f"{key}{of}", list, []) for of in (".users", "", ".status")]
            answers += [(question, *one) for one in zip_longest(*lists)]
    for question, user, value, state in answers:
        if type(user) not in (str, int) or user == "":
            raise ContentError(f"an answer of user {brief(user)}", ENTRY)
        yield question, str(user), value if state in (None, "submitted") else None


def _object(value: Any) -> Row:
    """The value, if it is an object."""
    if type(value) is not dict:
        raise ContentError(f"an answer is {brief(value)}", ENTRY)
    return value


FORM = Form(_translate, survey=_survey)
