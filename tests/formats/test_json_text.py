"""JSON from strangers: whatever is wrong, one error with a reason in plain words."""

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.json_text import NotJSONError, parsed_json, reject_constant


@each_case(
    ("text", "message", "line"),
    [
        ("[" * 100_000, "nested too deeply", None),
        ('{"a":' * 100_000, "nested too deeply", None),
        ("9" * 5_000, "a number of too many digits", None),
        ("[1,\n2", "it ends too early", 2),
        ("[1,\n2 3]", "at character 3 of the line", 2),
        (b"\xff", "not UTF-8", None),
        ("[NaN]", "NaN is not JSON", None),
    ],
)
def test_what_is_no_json_has_one_error_in_plain_words(text, message, line):
    with pytest.raises(NotJSONError) as caught:
        parsed_json(text, parse_constant=reject_constant)
    assert (caught.value.reason, caught.value.line) == (message, line)
