"""GATE's scores, against numbers worked out by hand and the conventions of GATE."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from helpers.gate_corpora import corpus, counts, x
from helpers.gate_oracles import best_masses
from spacy_chance_eval import evaluate
from spacy_chance_eval.measures.alignment import with_labels
from spacy_chance_eval.measures.gate import (
    MODES,
    FalsePositives,
    error_rate,
    false_positive_counts,
    false_positives,
    gate_f,
    gate_precision,
    gate_recall,
    pairings,
)
from spacy_chance_eval.measures.spans import Copy, Spans, concatenated

SCORES = (gate_precision, gate_recall, gate_f)


def scores(gold, pred, score=gate_f, features="none", **options):
    """Strict, lenient and average score over all labels."""
    total = pairings(gold, pred, features=features).total().pooled()
    return [round(score(total, mode=mode, **options).item(), 4) for mode in MODES]


# --- numbers: strict, lenient, average F, worked out from the counts


KEY, LONG = x((0, 5), (10, 15)), x((0, 5), (10, 15), (20, 25), (30, 35))
RESPONSE = x((0, 5), (11, 15), (20, 22), (30, 31))
ONE, GATE = x((0, 5)), {"empty": "gate"}


@each_case(
    ("key", "response", "score", "options", "relations", "expected"),
    [
        (LONG, x((0, 5), (11, 15), (40, 45)), gate_f, {}, (1, 1, 2, 1), [0.2857, 0.5714, 0.4286]),
        (x((0, 10)), x((0, 4), (6, 10)), gate_f, {}, (0, 1, 0, 1), [0, 0.6667, 0.3333]),
        (ONE, x((5, 9)), gate_f, {}, (0, 0, 1, 1), [0, 0, 0]),
        # labels must be equal
        ([(0, 5, "A")], [(0, 5, "B")], gate_f, {}, (0, 0, 1, 1), [0, 0, 0]),
        # precision is a share of responses, recall of keys
        (LONG, x((0, 5), (11, 15)), gate_precision, {}, (1, 1, 2, 0), [0.5, 1, 0.75]),
        (LONG, x((0, 5), (11, 15)), gate_recall, {}, (1, 1, 2, 0), [0.25, 0.5, 0.375]),
        # the average F is the mean of the others; beta above 1 favours recall
        (KEY, RESPONSE, gate_f, {}, (1, 1, 0, 2), [0.3333, 0.6667, 0.5]),
        (KEY, RESPONSE, gate_f, {"beta": 2}, (1, 1, 0, 2), [0.4167, 0.8333, 0.625]),
        (ONE, x((0, 5), (6, 7)), gate_f, {"beta": 2}, (1, 0, 0, 1), [0.8333] * 3),
        (KEY, RESPONSE, error_rate, {}, (1, 1, 0, 2), [0.75, 0.5, 0.625]),
        # nothing to divide by: undefined, or GATE's convention
        *(
            (key, response, score, options, (0, 0, len(key), len(response)), [value] * 3)
            for key, response, options, values in [
                ([], [], {}, [None, None, None, None]),
                ([], [], GATE, [1, 1, 1, 0]),
                (ONE, [], {}, [None, 0, 0, None]),
                (ONE, [], GATE, [1, 0, 0, 0]),
                ([], ONE, {}, [0, None, 0, 1]),
                ([], ONE, GATE, [0, 1, 0, 1]),
            ]
            for score, value in zip([*SCORES, error_rate], values)
        ),
    ],
)
def test_relations_and_scores_are_those_of_worked_examples(
    key, response, score, options, relations, expected
):
    sides = [corpus(side, labels="ABX") for side in (key, response)]
    assert counts(*sides) == relations
    found = scores(*sides, score, **options)
    assert [None if np.isnan(value) else value for value in found] == expected


# --- labels, documents, order


def test_unseen_documents_do_not_count_and_unplaced_spans_are_missing_and_spurious():
    found = pairings(corpus(x((0, 1)), x((0, 1))), corpus(x((0, 1)), None))
    assert found.gold.tolist() == [[1], [0]]
    gold = corpus(ONE, unplaced=[(0, 0, 3)])
    pred = corpus(ONE, unplaced=[(0, 0, 3), (0, 0, 2)])
    assert counts(gold, pred) == (1, 0, 1, 2)


HALF = corpus(ONE, size=50, stretches=[(0, 0, 20), (0, 20, 50)])


@each_case(
    ("call", "message"),
    [
        (lambda: gate_f(pairings(HALF, HALF), mode="soft"), "expected one of"),
        (lambda: gate_f(pairings(HALF, HALF), empty="zero"), "expected one of"),
        *(
            (partial(counts, HALF, HALF, closeness=closeness), "closeness")
            for closeness in (
                {("A", "B"): 1.5},
                {("A", "B"): float("nan")},
                {("A", "B"): 0.1, ("B", "A"): 0.2},
                0.5,
            )
        ),
        (
            lambda: false_positive_counts(corpus(ONE), corpus(ONE), of="sentence"),
            "of='sentence' needs sentences",
        ),
        (lambda: false_positive_counts(HALF, HALF, of="page"), "unknown of"),
        *(
            (partial(false_positives, FalsePositives(*np.ones((3, 1))), per=per), "per is")
            for per in (0, -1, float("inf"), float("nan"))
        ),
    ],
)
def test_unknown_choices_and_numbers_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- closeness


def test_close_labels_pair_and_each_side_counts_for_its_own_label():
    gold, pred = corpus([(0, 5, "City")]), corpus([(0, 5, "Capital")])
    total = pairings(gold, pred, closeness={("City", "Capital"): 0.6}).total()
    assert total.recalled.tolist() == [0, 0.6]
    assert total.correct.tolist() == [0.6, 0]
    assert gate_f(total.pooled()).item() == pytest.approx(0.6)


# --- false positives


def test_false_positives_are_spurious_responses_per_tokens_by_default():
    pred = corpus(x((1, 5), (7, 9)), size=50)
    total = false_positive_counts(corpus(ONE, size=50), pred).total().pooled()
    assert false_positives(total).item() == 1000 * 1 / 50
    # partial responses are wrong in the strict reading
    assert [false_positives(total, per=100, mode=mode).item() for mode in MODES] == [4, 2, 3]
    (score,) = evaluate(corpus(ONE, size=50), pred, ["false_positives"]).values()
    assert score.headline == 20
    total = false_positive_counts(HALF, pred, of="sentence").total().pooled()
    assert false_positives(total, per=100).item() == 50


def test_the_text_counts_once_for_all_labels_where_both_have_seen_it():
    gold, pred = corpus([], [], labels="AB", size=10), corpus([(0, 1, "A")], [(1, 2, "B")], size=10)
    total = false_positive_counts(gold, pred).total()
    assert false_positives(total, per=20).tolist() == [1, 1]
    assert false_positives(total.pooled(), per=20).tolist() == [2]
    counted = false_positive_counts(corpus([], [], labels="X"), corpus(x((0, 1)), None))
    assert counted.size.tolist() == [[60], [0]]
    assert np.isnan(false_positives(counted)[1])


# --- several annotations of one place and label: GATE's measures count them, others do not


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
        for start, end, label, more in rows:
            found.setdefault((start, end, label), []).append(more)
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


def test_copies_stay_with_their_spans():
    spans = several([(3, 4, "X", {}), (0, 2, "Y", {}), (0, 2, "Y", {"n": 1})])
    for one in (spans, with_labels(spans, ["A", "X", "Y"]), spans.keep(np.arange(2))):
        assert [len(some) for some in one.copies] == [1, 0]
    plain = Spans.from_tuples([[(0, 1, "X")]], [9])
    joined = concatenated([plain, several([(0, 1, "X", {}), (0, 1, "X", {})])])
    assert [tuple(some) for some in joined.copies] == [(), (Copy({}, True),)]
    assert counts(joined, joined) == (3, 0, 0, 0)
