"""JSON from strangers: whatever is wrong, one error with a reason in plain words."""

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.errors import ContentError
from spacy_chance_eval.formats.json_text import parsed_json


@each_case(
    ("text", "reason"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("9" * 5_000, "a number of too many digits"),
        ("[1,\n2", "it ends too early"),
        ('{"a": "b', "it ends too early"),
        ("[1,\n2 3]", "at character 7"),
        ("[NaN]", "NaN is not JSON"),
        ('"\\ud83d"', "half of a surrogate pair"),
    ],
)
def test_what_is_no_json_has_one_error_in_plain_words(text, reason):
    with pytest.raises(ContentError) as caught:
        parsed_json(text, "write JSON")
    assert str(caught.value) == f"invalid JSON ({reason}); write JSON"
