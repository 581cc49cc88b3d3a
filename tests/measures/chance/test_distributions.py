"""Where segments fall by chance, against sums, enumeration and draws."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import SIZES, corpus_of, item_counts, multisets, pairs
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.chance.distributions import fields_of
from spacy_chance_eval.measures.chance.expectation import (
    CHANNELS,
    expected_tokens,
)
from spacy_chance_eval.measures.chance.placement import start_probabilities
from spacy_chance_eval.measures.spans import Spans

PLACEMENTS = {
    "disjoint": ("disjoint",),
    "uniform": ("disjoint",),
    "overlapping": ("disjoint", "nested", "overlapping"),
    "nested": ("disjoint", "nested"),
}
each_placement = pytest.mark.parametrize("placement", PLACEMENTS)
UNITS = ("document", "sentence")


def table(fields, gold, values):
    """Sums over the fields by document and label."""
    found = np.zeros((gold.n_docs, len(gold.labels)))
    for field in fields:
        found[field.doc, field.label] += values(field)
    return found


@each_placement
@given(data=st.data())
def test_expected_matches_are_the_sum_over_fields(placement, data):
    gold, pred = align(*data.draw(pairs(kinds=PLACEMENTS[placement])).sides())
    for unit, encoding in product(UNITS, CHANNELS):
        model = {"placement": placement, "unit": unit}
        fields = fields_of(gold, pred, **model, encoding=encoding)
        if placement == "nested" and encoding != "IO":
            assert all(field.common_items is None for field in fields)
            continue
        found = table(fields, gold, lambda field: field.common_items.sum())
        expected = expected_tokens(gold, pred, **model, encoding=encoding)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=str(model))


@pytest.mark.parametrize("placement", ["disjoint", "nested"])
@given(pair=pairs(kinds=("disjoint",)))
def test_coverage_sums_to_the_marked_tokens(placement, pair):
    gold, pred = align(*pair.sides())
    for field in fields_of(gold, pred, placement=placement):
        for spans, side in ((gold, field.gold), (pred, field.pred)):
            assert side.covered.sum() == pytest.approx(spans.lengths[side.rows].sum())


def test_units_without_segments_are_no_fields():
    gold, pred = (Spans.from_tuples([[], [(0, 1, "X")]], [4, 4], ["X"]) for _ in range(2))
    assert [field.doc for field in fields_of(*align(gold, pred))] == [1]


# --- one unit


def coverage(cases, placement):
    """Probability that each token is covered, for every (n, lengths)."""
    spans = corpus_of([(n, lengths, lengths) for n, lengths in cases], 1, placement == "disjoint")
    return [field.gold.covered for field in fields_of(spans, spans, placement=placement)]


@pytest.mark.parametrize("placement", ["disjoint", "overlapping"])
def test_coverage_is_that_of_the_enumeration(placement):
    cases = [(n, x) for n in SIZES for x in multisets(n, disjoint=placement == "disjoint") if x]
    for (n, lengths), actual in zip(cases, coverage(cases, placement), strict=True):
        probability, counts = item_counts(placement, n, lengths, "IO")
        exact = [float(probability * counts[t, "I"]) for t in range(n)]
        np.testing.assert_allclose(actual, exact, atol=1e-13)


# --- shape


@pytest.mark.parametrize(("n", "lengths"), [(4, [3, 2]), (4, [5]), (4, [0, 1]), (3, [-1])])
def test_segments_that_do_not_fit_are_an_error(n, lengths):
    with pytest.raises(ValueError, match=f"cannot be placed in {n} tokens"):
        start_probabilities(n, lengths)
