import pickle

import pytest

from spacy_chance_eval.formats.errors import (
    FormatError,
    Problem,
    did_you_mean,
    known,
    raise_first,
    similar_names,
)


def test_a_format_error_begins_with_path_and_line():
    assert str(FormatError("wrong", "a.conll", 3)) == "a.conll:3: wrong"


def test_a_format_error_without_a_line_begins_with_the_path():
    assert str(FormatError("wrong", "a.conll")) == "a.conll: wrong"


def test_a_format_error_without_a_place_is_its_message():
    assert str(FormatError("wrong")) == "wrong"


def test_a_format_error_is_a_value_error_with_path_and_line():
    error = FormatError("wrong", "a.conll", 3)
    assert (isinstance(error, ValueError), error.path, error.line) == (True, "a.conll", 3)


def test_a_format_error_survives_pickling():
    error = pickle.loads(pickle.dumps(FormatError("wrong", "a.conll", 3)))
    assert str(error) == "a.conll:3: wrong"


def test_no_problems_raise_nothing():
    assert raise_first("a", []) is None


def test_the_first_problem_is_reported_with_the_number_of_its_kind():
    problems = [Problem(9, "nine", "do this"), Problem(4, "four", "do this")]
    with pytest.raises(FormatError) as caught:
        raise_first("a", problems)
    assert str(caught.value) == "a:4: four; do this (2 such lines)."


def test_problems_of_other_kinds_are_not_counted():
    problems = [Problem(4, "four", "do this"), Problem(5, "five", "do that")]
    with pytest.raises(FormatError) as caught:
        raise_first("a", problems)
    assert str(caught.value) == "a:4: four; do this."


KNOWN = ("span_f", "token_f", "krippendorff_alpha", "spans")


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("tokn_f", "token_f"),
        ("Token-F", "token_f"),
        ("token f", "token_f"),
        ("KRIPPENDORFF", "krippendorff_alpha"),
    ],
)
def test_names_that_are_spelt_alike_are_suggested(name, similar):
    assert did_you_mean(name, KNOWN) == f" (did you mean {similar!r}?)"


@pytest.mark.parametrize("name", ["", "-", "zzz", 3, None], ids=repr)
def test_nothing_is_suggested_for_a_name_that_is_like_no_other(name):
    assert did_you_mean(name, KNOWN) == ""


def test_several_suggestions_are_a_choice():
    assert did_you_mean("tagz", ["tags", "taga", "other"]) == " (did you mean 'tags' or 'taga'?)"


def test_no_more_names_are_suggested_than_asked_for():
    assert len(similar_names("label", [f"label{i}" for i in range(9)], 4)) == 4


def test_an_unknown_value_is_reported_with_the_one_that_was_meant():
    with pytest.raises(ValueError) as caught:
        known("token_g", KNOWN, "metric")
    assert str(caught.value) == (
        "unknown metric 'token_g' (did you mean 'token_f'?); expected one of "
        "span_f, token_f, krippendorff_alpha, spans"
    )


def test_messages_have_no_numbers_of_errors_of_the_system():
    error = FormatError(f"cannot be reached ({OSError(22, 'Invalid argument')})", "a")
    assert str(error) == "a: cannot be reached (Invalid argument)"
