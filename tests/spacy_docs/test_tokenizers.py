"""Tokens by spaCy for texts that come without."""

import re
from importlib.metadata import metadata

import pytest
import spacy

from spacy_chance_eval.spacy_docs.docs import PACKAGES, borders_of


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


@pytest.mark.parametrize("lang", PACKAGES)
def test_a_language_whose_package_is_missing_names_it(lang, monkeypatch):
    def fail(name):
        raise ImportError("its tokenizer requires something")

    monkeypatch.setattr(spacy, "blank", fail)
    with pytest.raises(ValueError, match=f"tokenizer of '{lang}' needs") as error:
        borders_of(lang)
    package, command = PACKAGES[lang]
    assert package in str(error.value) and command in str(error.value)
    extra = re.search(r"spacy\[(\w+)\]", command)
    assert extra is None or extra[1] in metadata("spacy").get_all("Provides-Extra")


def test_a_language_that_needs_another_package_shows_what_spacy_says(monkeypatch):
    monkeypatch.setattr(spacy, "blank", lambda _: (_ for _ in ()).throw(ImportError("get it")))
    with pytest.raises(ValueError, match="of 'xy' needs a package that is not installed; get it"):
        borders_of("xy")


def test_a_language_that_there_is_not_is_an_error():
    with pytest.raises(ValueError, match="spaCy has no language 'zz'"):
        borders_of("zz")
