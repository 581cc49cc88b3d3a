"""How reports say numbers of things."""

import pytest

from helpers.differing import FEW, MANY, compare
from spacy_chance_eval.analysis.explain import explain_corpus
from spacy_chance_eval.reports.explain import explain_text
from spacy_chance_eval.reports.explain_page import explain_page
from spacy_chance_eval.reports.words import disagreement, quantity


@pytest.mark.parametrize(
    "value, text",
    [
        *[(None, "-"), (0.0, "0.0000"), (40.2, "40.2000"), (0.0394, "0.0394")],
        *[(0.00718, "0.00718"), (0.000146789, "0.000147"), (1e-16, "0.0000")],
    ],
)
def test_disagreements_have_three_digits_at_least(value, text):
    assert disagreement(value) == text


@pytest.mark.parametrize("n, said", [(0, "0 spans"), (1, "1 span"), (2, "2 spans")])
def test_one_thing_is_not_called_as_several_are(n, said):
    assert quantity(n, "span") == said


@pytest.mark.parametrize("documents, said", [([FEW], "1 document"), ([FEW, MANY], "2 documents")])
def test_one_document_or_several_are_explained(documents, said):
    found = explain_corpus(compare(*documents).compared)
    assert f"Expected agreement of {said}\n" in explain_text(found)
    assert f"<p>{said}." in explain_page(found)
