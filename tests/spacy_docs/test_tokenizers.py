"""Tokens by spaCy for texts that come without."""

import pytest
import spacy

from spacy_chance_eval.spacy_docs.docs import borders_of


def test_borders_are_those_of_the_tokens_of_the_language():
    text = "Ada's cat isn't in Oslo."
    borders = borders_of("en")(text)
    assert [text[start:end] for start, end in borders] == [
        "Ada", "'s", "cat", "is", "n't", "in", "Oslo", ".",
    ]  # fmt: skip


def test_white_space_is_no_token():
    text = " Ada \n\n slept\t"
    assert [text[start:end] for start, end in borders_of("xx")(text)] == ["Ada", "slept"]


def test_borders_count_code_points():
    assert borders_of("en")("\U0001f600 Ada") == [(0, 1), (2, 5)]


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_texts_of_nothing_have_no_tokens(text):
    assert borders_of("en")(text) == []


def test_languages_differ():
    assert borders_of("de")("z.B. so") != borders_of("xx")("z.B. so")


@pytest.mark.parametrize("lang", ["qq", "english", ""])
def test_an_unknown_language_is_an_error_that_names_some(lang):
    with pytest.raises(ValueError, match="expected a code such as en, de or xx"):
        borders_of(lang)


def test_the_tokens_are_those_of_a_blank_pipeline():
    text = "U.S. firms paid $5.3m; see http://a.b/c, pp. 3-4."
    doc = spacy.blank("en")(text)
    assert borders_of("en")(text) == [(t.idx, t.idx + len(t)) for t in doc if not t.is_space]
