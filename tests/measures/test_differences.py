"""Pairs and single spans of two annotations, held against a trial of all pairings."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import difference_oracles as oracles
from helpers.gate_corpora import corpus, said
from helpers.strategies import pairs
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.differences import ERRORS, RELATIONS, differences
from spacy_chance_eval.measures.gate import pairings
from spacy_chance_eval.measures.spans import Spans


def span(spans, row, features):
    """A span of `Spans` as oracles have it."""
    if row < 0:
        return None
    found = (int(spans.start[row]), int(spans.end[row]), spans.labels[spans.label[row]])
    return (*found, spans.features[row]) if features and spans.features is not None else found


def rows_by_document(gold, pred, features="none"):
    """The rows of each document, as oracles have them."""
    gold, pred = align(gold, pred)
    found = differences(gold, pred, features=features)
    rows = [[] for _ in range(gold.n_docs)]
    for doc, i, j, relation, error in zip(
        found.doc, found.gold, found.pred, found.relation, found.error
    ):
        names = RELATIONS[relation], ERRORS[error]
        sides = span(gold, i, features != "none"), span(pred, j, features != "none")
        rows[doc].append((*sides, *names))
    return [oracles.in_order(document) for document in rows]


KEY = [(4, 8, "X")]


@given(pairs(docs=2, unseen=False, most=3), st.randoms(use_true_random=False))
def test_the_rows_are_an_optimum_of_all_pairings(pair, random):
    for rows, *sides in zip(rows_by_document(*pair.sides()), pair.gold, pair.pred):
        assert rows in oracles.outcomes(*sides)
        # so they are where features have to agree
        some = [{}, {"a": 1}, {"a": 2}]
        sides = [[(*span, random.choice(some)) for span in side] for side in sides]
        (rows,) = rows_by_document(*map(said, sides), features="all")
        assert rows in oracles.outcomes(*sides)


@given(pairs())
def test_every_span_is_in_one_row_as_gate_pairs_them_in_the_order_of_the_text(pair):
    gold, pred = align(*pair.sides())
    found = differences(gold, pred)
    for rows, spans in ((found.gold, gold), (found.pred, pred)):
        assert sorted(rows[rows >= 0].tolist()) == list(range(len(spans)))
        assert (found.doc[rows >= 0] == spans.doc[rows[rows >= 0]]).all()
    assert not ((found.gold < 0) & (found.pred < 0)).any()
    first = [
        (doc, gold.start[i] if i >= 0 else pred.start[j])
        for doc, i, j in zip(found.doc, found.gold, found.pred)
    ]
    assert first == sorted(first)
    total = pairings(gold, pred)
    for column, relation in ((total.correct, "correct"), (total.partial, "partial")):
        rows = found.relation == RELATIONS.index(relation)
        counts = np.bincount(found.doc[rows], minlength=gold.n_docs)
        assert counts.tolist() == column.sum(axis=1).tolist()


@given(pairs(docs=1, unseen=False))
def test_swapping_the_sides_mirrors_the_rows(pair):
    """Where one set of rows is the best; of several either may be taken."""
    assume(len(oracles.outcomes(pair.gold[0], pair.pred[0])) == 1)
    gold, pred = pair.sides()
    (rows,), (mirrored,) = rows_by_document(gold, pred), rows_by_document(pred, gold)
    assert mirrored == oracles.swapped(rows)


def test_a_hundred_thousand_spans_are_compared_without_a_matrix():
    n = 100_000
    start, zero = 4 * np.arange(n), np.zeros(n, int)
    fields = [4 * n + 2], ["X", "Y"]
    gold = Spans(zero, start, start + 4, zero, *fields)
    pred = Spans(zero, start + 1, start + 3, zero + 1, *fields)
    found = differences(*align(gold, pred))
    assert (found.error == ERRORS.index("other label and extent")).sum() == len(found) == n


def test_annotators_have_to_be_aligned():
    with pytest.raises(ValueError, match="not aligned"):
        differences(corpus(KEY), corpus(KEY))
