"""Published numbers, through the package; the data stand in papers/*.csv."""

import numpy as np
import pytest

from helpers.cases import each_case
from helpers.properties import EXAMPLES, inclusive
from helpers.published import rows, runs
from spacy_chance_eval import Spans, evaluate
from spacy_chance_eval.measures.chance.distributions import fields_of
from spacy_chance_eval.measures.chance.expectation import expected_pairs
from spacy_chance_eval.measures.chance.placement import start_probabilities


def annotator(spans, size):
    return Spans.from_tuples([[(*span, "X") for span in spans]], [size], ["X"])


# Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation", simulations 1 to 4.


def simulated(row):
    """The token F of a row of chance.csv."""
    sides = (annotator(runs(row[side]), len(row["gold"])) for side in ("gold", "other"))
    (score,) = evaluate(*sides, ["token_f(unit=document)"]).values()
    return score


@each_case("row", rows("chance.csv"))
@each_case("column", ["observed", "expected", "corrected"])
def test_the_simulations_give_the_printed_token_f(row, column):
    assert f"{getattr(simulated(row), column):.4f}" == row[column]


def test_the_last_simulation_is_printed_truncated():
    score = simulated(rows("chance.csv")[-1])
    assert (int(score.observed * 10**4), int(score.headline * 10**4)) == (6808, 3005)


def test_correction_reverses_the_order_of_the_two_annotators():
    short, long = (simulated(row) for row in rows("chance.csv")[-2:])
    assert short.observed < long.observed
    assert short.headline > long.headline


@pytest.mark.parametrize("row", rows("chance_overlap.csv"), ids=lambda row: row["case"])
def test_overlapping_simulations_give_the_expected_overlap(row):
    # a token in two segments of one annotator counts twice here, unlike in token F
    sides = [annotator(runs(row[side]), len(row["gold"])) for side in ("gold", "other")]
    (matched,) = expected_pairs(*sides, [lambda o, a, b: o], placement="overlapping")
    total = sum(side.lengths.sum() for side in sides)
    assert f"{2 * matched.sum() / total:.6f}" == row["expected"]


FIGURE_1 = (1, 5, 10, 15)


def laid_out(lengths, n):
    """An annotator with segments of these lengths, one after the other."""
    ends = np.cumsum(lengths).tolist()
    return annotator([(end - length, end) for length, end in zip(lengths, ends, strict=True)], n)


def test_the_first_start_of_figure_1_has_probability_one_in_73():
    for starts in start_probabilities(100, FIGURE_1):
        assert starts[0] == pytest.approx(1 / 73, rel=1e-12)


@pytest.mark.parametrize("n", [62, 70, 100, 400])
def test_starts_are_flat_in_the_middle_as_proposition_3_says(n):
    a, k = sum(FIGURE_1), len(FIGURE_1)
    for length, starts in zip(FIGURE_1, start_probabilities(n, FIGURE_1), strict=True):
        middle = starts[a - length - k + 2 - 1 : n - a + k]  # places count from 1
        assert len(middle) > 1
        np.testing.assert_allclose(middle, middle[0], rtol=1e-9)


def test_starts_are_not_flat_at_the_ends():
    starts = start_probabilities(100, FIGURE_1)[0]
    assert np.ptp(starts) > 1e-3


@pytest.mark.parametrize("n", [31, 40, 100])
def test_starts_and_coverage_are_symmetric(n):
    spans = laid_out(FIGURE_1, n)
    (field,) = fields_of(spans, spans)
    for curve in (field.gold.covered, *start_probabilities(n, FIGURE_1)):
        np.testing.assert_allclose(curve, curve[::-1], atol=1e-12)


def test_expected_agreement_vanishes_in_long_texts_as_proposition_4_says():
    agreement = [
        evaluate(laid_out(FIGURE_1, n), laid_out((3, 3, 8), n), ["token_f"])["token_f"].expected
        for n in (31, 50, 100, 1000, 10_000)
    ]
    assert agreement == sorted(agreement, reverse=True)
    assert agreement[-1] < 0.005
    assert agreement[-1] / agreement[-2] == pytest.approx(1 / 10, rel=0.02)


@pytest.mark.parametrize("metric", ["span_f", "token_f"])
def test_annotations_that_cover_everything_cannot_be_corrected(metric):
    full = annotator([(0, 2), (2, 4)], 4)
    score = evaluate(full, full, [metric])[metric]
    assert score.observed == 1
    assert score.expected == pytest.approx(1)
    assert score.headline is None


@pytest.mark.parametrize("metric", ["span_f", "token_f"])
def test_an_empty_prediction_scores_zero_also_when_corrected(metric):
    score = evaluate(annotator([(0, 2)], 9), annotator([], 9), [metric])[metric]
    assert (score.observed, score.expected, score.headline) == (0, 0, 0)


# Amigó et al., "Evaluating Sequence Labeling on the basis of Information Theory", tables 2 and 3.

COLUMNS = {
    "span_f": "span_f(chance=none)",
    "token_io": "token_f(chance=none,encoding=IO)",
    "token_bioe": "token_f(chance=none,encoding=BIOE)",
    "link": "link_f(chance=none)",
    "bcubed": "bcubed_f(chance=none)",
    "int_f": "int_f(chance=none)",
    "slicm": "slicm_norm",
}


@each_case("system", "AB")
@each_case("row", rows("slicm_table3.csv"))
def test_every_cell_of_table_3(row, system):
    gold, pred = (inclusive(EXAMPLES[row["property"]][side]) for side in ("gold", system))
    metric = COLUMNS[row["column"]]
    value = evaluate(gold, pred, [metric])[metric].headline
    assert f"{value:.3f}" == f"{float(row[system]):.3f}"


def test_table_3_is_complete():
    cells = {(row["property"], row["column"]) for row in rows("slicm_table3.csv")}
    assert cells == {(name, column) for name in EXAMPLES for column in COLUMNS}
    assert len(EXAMPLES) == 10


@each_case("name", EXAMPLES)
def test_slicm_prefers_system_a_in_every_example(name):
    gold, first, second = (inclusive(EXAMPLES[name][side]) for side in ("gold", "A", "B"))
    scores = [
        evaluate(gold, pred, ["slicm_norm"])["slicm_norm"].headline for pred in (first, second)
    ]
    assert scores[0] > scores[1]


def test_an_informative_token_is_worth_more_than_a_common_one():
    # The property of token informativeness, of which the paper has no example.
    words = ["the"] * 8 + ["Mogadishu"]
    build = lambda *spans: Spans.from_tuples([spans], [9], ["X"], words=words)  # noqa: E731
    gold = build((0, 1, "X"), (8, 9, "X"))
    metric = "slicm_norm(token_information=corpus)"
    common, rare = (
        evaluate(gold, build(span), [metric])[metric].headline
        for span in ((0, 1, "X"), (8, 9, "X"))
    )
    assert rare > common
