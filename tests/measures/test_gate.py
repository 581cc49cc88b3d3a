"""GATE's scores, against numbers worked out by hand and the conventions of GATE."""

import numpy as np
import pytest

from helpers.gate_corpora import CLOSE, corpus, counts, said, x
from helpers.gate_oracles import masses, weight_of_pair
from helpers.strategies import random_pair
from spacy_chance_eval import evaluate
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

SCORES = (gate_precision, gate_recall, gate_f)


def scores(gold, pred, score=gate_f, **options):
    """Strict, lenient and average score over all labels."""
    total = pairings(gold, pred, **options).total().pooled()
    return [round(score(total, mode=mode).item(), 4) for mode in MODES]


# --- numbers: strict, lenient, average F, worked out from the counts


@pytest.mark.parametrize(
    ("key", "response", "relations", "expected"),
    [
        (
            x((0, 5), (10, 15), (20, 25), (30, 35)),
            x((0, 5), (11, 15), (40, 45)),
            (1, 1, 2, 1),
            [0.2857, 0.5714, 0.4286],
        ),
        (x((0, 10)), x((0, 4), (6, 10)), (0, 1, 0, 1), [0, 0.6667, 0.3333]),
        (x((0, 5)), x((5, 9)), (0, 0, 1, 1), [0, 0, 0]),
    ],
)
def test_relations_and_scores_are_those_of_worked_examples(key, response, relations, expected):
    assert counts(corpus(key), corpus(response)) == relations
    assert scores(corpus(key), corpus(response)) == expected


def test_a_label_can_be_a_feature():
    key = said([(0, 5, "E", {"type": "PER"}), (10, 15, "E", {"type": "ORG"})])
    response = said([(0, 5, "E", {"type": "LOC"}), (12, 18, "E", {"type": "ORG"})])
    assert counts(key, response, features="type") == (0, 1, 1, 1)
    assert scores(key, response, features="all") == [0, 0.5, 0.25]
    assert counts(key, response) == (1, 1, 0, 0)


def test_precision_and_recall_are_shares_of_responses_and_of_keys():
    key, response = corpus(x((0, 5), (10, 15), (20, 25), (30, 35))), corpus(x((0, 5), (11, 15)))
    assert scores(key, response, gate_precision) == [0.5, 1, 0.75]
    assert scores(key, response, gate_recall) == [0.25, 0.5, 0.375]


def test_the_average_f_is_the_mean_of_the_strict_and_the_lenient_f():
    key, response = corpus(x((0, 5), (10, 15))), corpus(x((0, 5), (11, 15), (20, 22), (30, 31)))
    total = pairings(key, response).total()
    assert gate_f(total, mode="average").item() == pytest.approx((1 / 3 + 2 / 3) / 2)
    assert gate_f(total, mode="average", beta=2).item() == pytest.approx((5 / 12 + 5 / 6) / 2)


def test_beta_above_1_favours_recall():
    total = pairings(corpus(x((0, 5))), corpus(x((0, 5), (6, 7)))).total()
    assert gate_f(total, beta=2).item() == pytest.approx(5 * 0.5 / (4 * 0.5 + 1))


# --- labels, documents, order


def test_labels_must_be_equal_without_closeness():
    assert counts(corpus([(0, 5, "A")]), corpus([(0, 5, "B")])) == (0, 0, 1, 1)


def test_counts_are_kept_by_document_and_label():
    gold = corpus([(0, 5, "A"), (6, 8, "B")], [(1, 2, "B")])
    pred = corpus([(0, 5, "A"), (6, 9, "B")], [(1, 2, "B"), (4, 5, "A")])
    found = pairings(gold, pred)
    assert found.correct.tolist() == [[1, 0], [0, 1]]
    assert found.partial.tolist() == [[0, 1], [0, 0]]
    assert found.spurious.tolist() == [[0, 0], [1, 0]]
    assert found.missing.sum() == 0
    assert found.recalled is found.correct and found.correct.dtype.kind == "i"


def test_documents_that_one_has_not_seen_do_not_count():
    found = pairings(corpus(x((0, 1)), x((0, 1))), corpus(x((0, 1)), None))
    assert found.gold.tolist() == [[1], [0]]


def test_spans_that_do_not_fit_the_tokens_are_missing_and_spurious():
    gold = corpus(x((0, 5)), unplaced=[(0, 0, 3)])
    pred = corpus(x((0, 5)), unplaced=[(0, 0, 3), (0, 0, 2)])
    assert counts(gold, pred) == (1, 0, 1, 2)


# --- nothing to divide by


def values(gold, pred, **options):
    total = pairings(gold, pred).total().pooled()
    return [score(total, **options).item() for score in SCORES]


def test_without_spans_on_either_side_scores_are_undefined_or_1():
    sides = corpus([], labels="X"), corpus([], labels="X")
    for mode in MODES:
        assert np.isnan(values(*sides, mode=mode)).all()
        assert values(*sides, mode=mode, empty="gate") == [1, 1, 1]


def test_with_spans_on_one_side_only_f_is_0():
    some, none = corpus(x((0, 1))), corpus([], labels="X")
    assert values(some, none, empty="gate") == [1, 0, 0]
    assert values(none, some, empty="gate") == [0, 1, 0]
    np.testing.assert_array_equal(values(some, none), [np.nan, 0, 0])


@pytest.mark.parametrize("options", [{"mode": "soft"}, {"empty": "zero"}])
def test_unknown_choices_are_named(options):
    total = pairings(corpus(x((0, 1))), corpus(x((0, 1)))).total()
    with pytest.raises(ValueError, match="expected one of"):
        gate_f(total, **options)


# --- closeness


def test_close_labels_pair_and_each_side_counts_for_its_own_label():
    gold, pred = corpus([(0, 5, "City")]), corpus([(0, 5, "Capital")])
    total = pairings(gold, pred, closeness={("City", "Capital"): 0.6}).total()
    assert total.recalled.tolist() == [0, 0.6]
    assert total.correct.tolist() == [0.6, 0]
    assert gate_f(total.pooled()).item() == pytest.approx(0.6)


def test_closeness_is_looked_up_either_way_and_equal_labels_are_1():
    gold, pred = corpus([(0, 5, "A"), (6, 8, "C")]), corpus([(0, 5, "B"), (6, 9, "C")])
    for pair in (("A", "B"), ("B", "A")):
        total = pairings(gold, pred, closeness={pair: 0.25, ("C", "C"): 0.5}).total().pooled()
        assert (total.correct.item(), total.partial.item()) == (0.25, 1)


def test_without_numbers_closeness_changes_nothing():
    for seed in range(5):
        sides = random_pair(seed, "overlapping").sides()
        assert counts(*sides, closeness={}) == counts(*sides)


@pytest.mark.parametrize(
    "closeness",
    [{("A", "B"): 1.5}, {("A", "B"): float("nan")}, {("A", "B"): 0.1, ("B", "A"): 0.2}, 0.5],
)
def test_a_closeness_that_is_none_is_refused(closeness):
    with pytest.raises(ValueError, match="closeness"):
        counts(corpus([(0, 1, "A")]), corpus([(0, 1, "B")]), closeness=closeness)


def test_masses_of_the_oracle_are_worked_out_by_hand():
    keys, responses = [(0, 4, "LOC"), (6, 9, "PER")], [(0, 4, "ORG"), (7, 9, "PER")]
    assert masses(keys, responses, ((0, 0), (1, 1)), CLOSE) == (0.5, 1)
    assert weight_of_pair(keys[0], responses[0]) == 0


# --- error rate


def test_the_error_rate_is_1_less_precision():
    total = pairings(*random_pair(4, "overlapping").sides()).total()
    for mode in MODES:
        np.testing.assert_allclose(
            error_rate(total, mode=mode), 1 - gate_precision(total, mode=mode)
        )


def test_incorrect_responses_are_counted_among_the_responses():
    key, response = corpus(x((0, 5), (10, 15))), corpus(x((0, 5), (11, 15), (20, 22), (30, 31)))
    assert scores(key, response, error_rate) == [0.75, 0.5, 0.625]


def test_without_responses_the_error_rate_is_undefined_or_0():
    total = pairings(corpus(x((0, 1))), corpus([], labels="X")).total().pooled()
    assert np.isnan(error_rate(total)) and error_rate(total, empty="gate") == 0


# --- false positives


def wrong(gold, pred, mode="lenient", **options):
    total = false_positive_counts(gold, pred, **options).total().pooled()
    return false_positives(total, per=100, mode=mode).item()


def test_false_positives_are_spurious_responses_per_tokens_by_default():
    gold, pred = corpus(x((0, 5)), size=50), corpus(x((1, 5), (7, 9)), size=50)
    total = false_positive_counts(gold, pred).total().pooled()
    assert false_positives(total).item() == 1000 * 1 / 50
    (score,) = evaluate(gold, pred, ["false_positives"]).values()
    assert score.value == 20


def test_partial_responses_are_false_positives_in_the_strict_reading():
    gold, pred = corpus(x((0, 5)), size=50), corpus(x((1, 5), (7, 9)), size=50)
    assert [wrong(gold, pred, mode) for mode in MODES] == [4, 2, 3]


def test_false_positives_per_sentence_need_sentences():
    gold = corpus(x((0, 1)), size=50)
    pred = corpus(x((2, 3)), size=50, stretches=[(0, 0, 20), (0, 20, 50)])
    assert wrong(gold, pred, of="sentence") == 50
    with pytest.raises(ValueError, match="of='sentence' needs sentences"):
        wrong(gold, gold, of="sentence")
    with pytest.raises(ValueError, match="unknown of"):
        wrong(gold, gold, of="page")


def test_the_text_counts_once_for_all_labels():
    gold, pred = corpus([], [], labels="AB", size=10), corpus([(0, 1, "A")], [(1, 2, "B")], size=10)
    total = false_positive_counts(gold, pred).total()
    assert false_positives(total, per=20).tolist() == [1, 1]
    assert false_positives(total.pooled(), per=20).tolist() == [2]


def test_text_that_one_has_not_seen_does_not_count():
    counted = false_positive_counts(corpus([], [], labels="X"), corpus(x((0, 1)), None))
    assert counted.size.tolist() == [[60], [0]]
    assert np.isnan(false_positives(counted)[1])


@pytest.mark.parametrize("per", [0, -1, float("inf"), float("nan")])
def test_false_positives_per_nothing_are_refused(per):
    one = np.ones(1)
    with pytest.raises(ValueError, match="per is"):
        false_positives(FalsePositives(one, one, one), per=per)
