"""How reports say numbers of things."""

import pytest

from spacy_chance_eval.reports.words import precise, quantity


@pytest.mark.parametrize(
    "value, text",
    [
        *[(None, "-"), (0.0, ".000"), (40.2, "40.200"), (0.0394, ".0394")],
        *[(0.00718, ".00718"), (0.000146789, ".000147"), (1e-16, ".000")],
    ],
)
def test_precises_have_three_digits_at_least(value, text):
    assert precise(value) == text


@pytest.mark.parametrize("n, said", [(0, "0 spans"), (1, "1 span"), (2, "2 spans")])
def test_one_thing_is_not_called_as_several_are(n, said):
    assert quantity(n, "span") == said
