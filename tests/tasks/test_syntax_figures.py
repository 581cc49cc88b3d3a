"""Random errors in the sample treebank: the scores fall as the paper's figures 3 to 5 show."""

import pytest

from helpers.madetrees import varied
from spacy_chance_eval import sample
from spacy_chance_eval.tasks.perturb import (
    NOISES,
    PROBABILITIES,
    SYNTAX_METRICS,
    experiment,
    perturb_treebank,
)

pytestmark = pytest.mark.integration

PLAIN, DIFF, NORM, LAS, UAS = SYNTAX_METRICS


@pytest.fixture(scope="module")
def found():
    """{noise: {metric: means by probability}} on the sample."""
    pytest.importorskip("conllu", reason="CoNLL-U needs the extra: pip install '.[conllu]'")
    return means(perturb_treebank(sample.path("treebank.conllu"), runs=2))


def means(result):
    table = {noise: {metric: [] for metric in result["metrics"]} for noise in NOISES}
    for row in result["rows"]:
        table[row["noise"]][row["metric"]].append(row["mean"])
    return table


# --- the shapes of the figures, on the sample


@pytest.mark.parametrize("noise", NOISES)
def test_more_errors_give_lower_scores(found, noise):
    """Up to the noise of two runs near chance."""
    changing = [LAS] if noise == "labels" else [LAS, UAS]
    for metric in (PLAIN, DIFF, NORM, *changing):
        scores = found[noise][metric]
        assert all(after < before + 0.05 for before, after in zip(scores, scores[1:])), metric
        assert scores[-1] < scores[4] < scores[0] < 1


@pytest.mark.parametrize("noise", NOISES)
def test_diff_collapses_first(found, noise):
    for place in range(2, len(PROBABILITIES)):
        others = [found[noise][metric][place] for metric in (PLAIN, NORM)]
        assert found[noise][DIFF][place] < min(others) - 0.05
    crossed = next(p for p, value in zip(PROBABILITIES, found["both"][DIFF]) if value < 0)
    assert crossed <= 0.4


def test_diff_goes_far_below_zero(found):
    """The sample has short sentences of about one length; for -200 % see the varied ones below."""
    assert found["both"][DIFF][-1] < -0.7


@pytest.mark.parametrize("noise", NOISES)
def test_norm_is_laxest_of_the_three(found, noise):
    assert all(norm > plain - 0.01 for norm, plain in zip(found[noise][NORM], found[noise][PLAIN]))


def test_plain_is_near_las_where_both_vary(found):
    gaps = [abs(one - two) for one, two in zip(found["both"][PLAIN], found["both"][LAS])]
    assert max(gaps) < 0.3


def test_plain_is_near_zero_at_the_end(found):
    assert -0.3 < found["both"][PLAIN][-1] < 0.1


def test_labels_cost_plain_less_than_structure(found):
    pairs = zip(found["labels"][PLAIN], found["attachments"][PLAIN])
    assert all(labels > structure + 0.05 for labels, structure in pairs)


def test_labels_cost_plain_less_than_las(found):
    pairs = list(zip(found["labels"][PLAIN], found["labels"][LAS]))
    assert all(plain > las for plain, las in pairs)


@pytest.mark.parametrize("noise", ["labels", "attachments"])
def test_las_falls_linearly_with_errors_of_one_kind(found, noise):
    scores = found[noise][LAS]
    straight = [1 - p * (1 - scores[-1]) for p in PROBABILITIES]
    assert scores == pytest.approx(straight, abs=0.06)


def test_las_with_both_is_as_if_both_were_independent(found):
    """Nearly: where labels and heads are random on their own, the shares that stay multiply."""
    parts = (found[noise][LAS] for noise in ("labels", "attachments"))
    expected = [labels * heads for labels, heads in zip(*parts)]
    assert found["both"][LAS] == pytest.approx(expected, abs=0.05)


def test_nothing_of_las_is_left_at_the_end(found):
    assert 0 <= found["both"][LAS][-1] < 0.05


def test_noise_of_labels_leaves_uas_alone(found):
    assert found["labels"][UAS] == [1.0] * len(PROBABILITIES)


def test_noise_of_heads_costs_las_and_uas_the_same(found):
    assert found["attachments"][LAS] == found["attachments"][UAS]


def test_sentences_of_different_lengths_give_values_near_the_papers():
    """Its table of p = 1, both: plain -6.8, diff -246, norm 14.5, LAS 0.9 percent."""
    result = experiment(varied(), probabilities=[1.0], runs=2)
    values = {metric: scores[0] for metric, scores in means(result)["both"].items()}
    assert -0.2 < values[PLAIN] < 0.1
    assert values[DIFF] < -1.5
    assert 0 < values[NORM] < 0.3
    assert 0 <= values[LAS] < 0.03
