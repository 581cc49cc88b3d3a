"""Tokens by spaCy for texts that come without."""

import re
from importlib.metadata import metadata

import pytest
import spacy

from spacy_chance_eval.spacy_docs.docs import PACKAGES, borders_of


def test_boundaries_count_code_points():
    assert borders_of("en")("\U0001f600 Ada") == [(0, 1), (2, 5)]


@pytest.mark.parametrize("lang", ["qq", "english", ""])
def test_an_unknown_language_is_an_error_that_names_some(lang):
    with pytest.raises(ValueError, match="expected a code such as en, de or xx"):
        borders_of(lang)


def test_the_tokens_are_those_of_a_blank_pipeline():
    text = " Ada's firms paid $5.3m;\n\n see http://a.b/c, z.B. pp. 3-4.\t"
    for lang in ("en", "de", "xx"):
        doc = spacy.blank(lang)(text)
        assert borders_of(lang)(text) == [(t.idx, t.idx + len(t)) for t in doc if not t.is_space]


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
