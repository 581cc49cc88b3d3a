"""`Notes`: they add up, and say what a reader met and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_chance_eval.formats.notes import (
    MERGED,
    NO_NOTES,
    Place,
    add_notes,
    note,
    notes_of_sources,
)

PLACES = st.lists(
    st.builds(Place, st.sampled_from(["a", "b"]), st.none() | st.integers(1, 9), st.just("PER"))
)


def places(n, path="a.jsonl"):
    return [Place(path, line, "PER [0, 1)") for line in range(1, n + 1)]


@given(parts=st.lists(PLACES))
def test_notes_of_the_parts_are_those_of_the_whole(parts):
    whole = note(MERGED, [place for part in parts for place in part])
    assert add_notes(note(MERGED, part) for part in parts) == whole


def test_a_file_that_is_read_as_two_layers_is_counted_once():
    one, two = note(MERGED, places(12)), note(MERGED, places(12, "b.jsonl"))
    assert notes_of_sources([one, two, one, note("other", places(1))]).counts == {
        MERGED: 24,
        "other": 1,
    }


def test_a_reading_that_is_not_the_usual_one_is_signed():
    notes = note(MERGED, places(1)).with_how("duplicates", "last")
    assert notes.signed() == (NO_NOTES + notes).signed() == {"duplicates": "last"}
    assert NO_NOTES.signed() == {}


@pytest.mark.parametrize(
    "n, sentence",
    [
        (1, "1 duplicate span was read once: PER [0, 1) (a.jsonl:1)"),
        (1234, "1,234 duplicate spans were read once: PER [0, 1) (a.jsonl:1), "
         "PER [0, 1) (a.jsonl:2), PER [0, 1) (a.jsonl:3) and 1,231 more"),
    ],
    ids=["one", "many"],
)  # fmt: skip
def test_a_sentence_says_how_many_and_where(n, sentence):
    assert note(MERGED, places(n)).sentences() == [sentence]
