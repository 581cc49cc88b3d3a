import pickle

import pytest

from spacy_chance_eval.formats.errors import FormatError, Problem, raise_first


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


def test_problems_of_other_kinds_are_counted_apart():
    problems = [Problem(4, "four", "do this"), Problem(5, "five", "do that")]
    with pytest.raises(FormatError) as caught:
        raise_first("a", problems)
    assert str(caught.value) == "a:4: four; do this (1 line with other problems)."
