"""Several annotations of one place and label: GATE's measures count them, others do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.gate_corpora import counts
from helpers.gate_oracles import best_masses
from spacy_chance_eval import evaluate
from spacy_chance_eval.measures.alignment import with_labels
from spacy_chance_eval.measures.spans import Copy, Spans, concatenated

FEATURES = st.sampled_from([{}, {"n": 1}, {"n": 2}])
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.just("X"), FEATURES).map(
        lambda row: (row[0], row[0] + row[1], row[2], row[3])
    ),
    max_size=4,
)


def several(*documents, counted=True, size=9):
    """`Spans` of rows (start, end, label, features) of which some have the same place."""
    spans, features, copies = [], [], []
    for rows in documents:
        found = {}
        for start, end, label, said in rows:
            found.setdefault((start, end, label), []).append(said)
        spans.append(list(found))
        features.append([all_said[0] for all_said in found.values()])
        copies.append([[Copy(one, counted) for one in said[1:]] for said in found.values()])
    return Spans.from_tuples(spans, [size] * len(spans), features=features, copies=copies)


@given(key=ROWS, response=ROWS)
def test_the_pairing_is_the_best_of_all_pairings(key, response):
    correct, partial = best_masses(key, response)
    expected = correct, partial, len(key) - correct - partial, len(response) - correct - partial
    assert counts(several(key), several(response), features="all") == expected


@given(key=ROWS, response=ROWS)
def test_without_features_alike_copies_that_are_not_counted_are_one(key, response):
    bare = [[row[:3] for row in rows] for rows in (key, response)]
    once = [several([(*row, {}) for row in dict.fromkeys(rows)]) for rows in bare]
    found = counts(several(key, counted=False), several(response, counted=False))
    assert found == counts(*once)


@pytest.mark.parametrize("metric", ["span_f", "token_f", "slicm", "cohen_kappa"])
def test_other_measures_count_a_span_once(metric):
    rows = [(0, 2, "X", {}), (0, 2, "X", {"n": 1}), (4, 5, "X", {})]
    other = several([(0, 2, "X", {})])
    twice, once = several(rows), several([rows[0], rows[2]])
    score, expected = (evaluate(one, other, [metric])[metric].headline for one in (twice, once))
    assert score == expected


def test_copies_change_the_digest_and_their_order_does_not():
    a, b = (0, 2, "X", {"n": 1}), (0, 2, "X", {"n": 2})
    digests = {several(rows).digest() for rows in ([a], [a, a], [a, b], [a, b, b])}
    assert len(digests) == 4
    assert several([a, b, a]).digest() == several([a, a, b]).digest()


def test_copies_stay_with_their_spans():
    rows = [(3, 4, "X", {}), (0, 2, "Y", {}), (0, 2, "Y", {"n": 1})]
    spans = several(rows)
    for one in (spans, with_labels(spans, ["A", "X", "Y"]), spans.keep(np.arange(2))):
        assert [len(some) for some in one.copies] == [1, 0]


def test_documents_can_be_joined_where_only_some_have_copies():
    plain = Spans.from_tuples([[(0, 1, "X")]], [9])
    joined = concatenated([plain, several([(0, 1, "X", {}), (0, 1, "X", {})])])
    assert [tuple(some) for some in joined.copies] == [(), (Copy({}, True),)]
    assert counts(joined, joined) == (3, 0, 0, 0)
