"""JSON from strangers: whatever is wrong, one error with a reason in plain words."""

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.json_text import (
    NotJSONError,
    foreign_reason,
    parsed_json,
    reject_constant,
)


def reason(function, *arguments):
    """The `foreign_reason` of what a function raises."""
    with pytest.raises(Exception) as caught:
        function(*arguments)
    return foreign_reason(caught.value)


def refuse():
    raise ValueError("no view is called x")


@each_case(
    ("text", "message", "line"),
    [
        ("[" * 100_000, "nested too deeply", None),
        ('{"a":' * 100_000, "nested too deeply", None),
        ("9" * 5_000, "a number of too many digits", None),
        ("[1,\n2", "Expecting ',' delimiter", 2),
        (b"\xff", "invalid start byte", None),
        ("[NaN]", "NaN is not JSON", None),
    ],
)
def test_what_is_no_json_has_one_error_in_plain_words(text, message, line):
    with pytest.raises(NotJSONError) as caught:
        parsed_json(text, parse_constant=reject_constant)
    assert (caught.value.reason, caught.value.line) == (message, line)


def test_a_library_has_its_say_and_python_has_not():
    assert reason(refuse) == "ValueError: no view is called x"
    assert reason(int, "x") == "a number that is none"
    assert reason(lambda: {}["view"]) == "nothing is called 'view'"
    assert reason(lambda: None.begin) == "a value of another kind than expected, AttributeError"
    assert reason(lambda: 1 > "a") == "a value of another kind than expected, TypeError"
