import pickle

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.errors import (
    FormatError,
    Problem,
    did_you_mean,
    known,
    raise_first,
)

PLACES = {("a.conll", 3): "a.conll:3: wrong", ("a.conll",): "a.conll: wrong", (): "wrong"}


@pytest.mark.parametrize(("place", "text"), PLACES.items(), ids=["line", "file", "nowhere"])
def test_a_format_error_begins_with_its_place_and_survives_pickling(place, text):
    error = FormatError("wrong", *place)
    assert str(error) == str(pickle.loads(pickle.dumps(error))) == text
    assert isinstance(error, ValueError)
    assert (error.path, error.line) == (*place, *[None] * (2 - len(place)))


NINE, FOUR, FIVE = (Problem(n, f"the {n}", f"do {n % 5}") for n in (9, 4, 5))


@pytest.mark.parametrize(
    ("problems", "text"),
    [
        ([NINE, FOUR], "a:4: the 4; do 4 (2 such lines)."),
        ([FOUR, FIVE], "a:4: the 4; do 4."),  # those of other kinds are not counted
    ],
)
def test_the_first_problem_is_reported_with_the_number_of_its_kind(problems, text):
    assert raise_first("a", []) is None
    with pytest.raises(FormatError) as caught:
        raise_first("a", problems)
    assert str(caught.value) == text


KNOWN = ("span_f", "token_f", "krippendorff_alpha", "spans")


@each_case(
    ("name", "among", "similar"),
    [
        ("tokn_f", KNOWN, " (did you mean 'token_f'?)"),
        ("Token-F", KNOWN, " (did you mean 'token_f'?)"),
        ("token f", KNOWN, " (did you mean 'token_f'?)"),
        ("KRIPPENDORFF", KNOWN, " (did you mean 'krippendorff_alpha'?)"),
        ("tagz", ("tags", "taga", "other"), " (did you mean 'tags' or 'taga'?)"),
        *((name, KNOWN, "") for name in ("", "-", "zzz", 3, None)),
    ],
)
def test_names_that_are_spelt_alike_are_suggested(name, among, similar):
    assert did_you_mean(name, among) == similar


def test_an_unknown_value_is_reported_with_the_one_that_was_meant():
    with pytest.raises(ValueError) as caught:
        known("token_g", KNOWN, "metric")
    assert str(caught.value) == (
        "unknown metric 'token_g' (did you mean 'token_f'?); expected one of "
        "span_f, token_f, krippendorff_alpha, spans"
    )
