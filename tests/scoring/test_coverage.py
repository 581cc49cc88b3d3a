"""Simulations: intervals hold the true score as often as they say, p-values are uniform.

A big population of documents is scored once. Its scores are the true ones; samples are drawn from
it, document by document or cluster by cluster.
"""

from functools import cache

import numpy as np
import pytest

from spacy_chance_eval import Spans, parse
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.resampling import grouped
from spacy_chance_eval.scoring.counts import PairCounter
from spacy_chance_eval.scoring.intervals import Resampling
from spacy_chance_eval.scoring.ranking import Comparison, rank_systems
from spacy_chance_eval.scoring.statistics import total_and_labels

pytestmark = pytest.mark.slow

REQUEST = parse("span_f")
score = REQUEST.scorer()
SIZE, ARTICLE, N_DOCS = 12, 8, 8000
SIDES = ("observed", "corrected")
each_side = pytest.mark.parametrize("side", SIDES)


def annotated(rng, skills):
    """Gold documents with up to three spans, and what systems of these skills predict of them."""
    gold, pred = [], []
    for skill in skills:
        spans = [(4 * i, 4 * i + int(rng.integers(1, 4)), "AB"[i % 2]) for i in range(3)]
        gold.append([span for span in spans if rng.random() < 0.5])
        found = [span for span in gold[-1] if rng.random() < skill]
        wrong = [span for span in spans if span not in gold[-1] and rng.random() < 0.2]
        pred.append([*found, *wrong])
    return gold, pred


@cache
def population(seed, clustered=False):
    """`Statistics` of many documents, those of an article one after the other, alike in skill."""
    rng = np.random.default_rng(seed)
    skills = np.full(N_DOCS, 0.7)
    if clustered:
        skills = np.repeat(rng.choice([0.2, 0.6, 0.95], N_DOCS // ARTICLE), ARTICLE)
    return statistics(*annotated(rng, skills))


def statistics(gold, pred):
    """`Statistics` of span F1, all labels together."""
    sides = (Spans.from_tuples(docs, [SIZE] * len(docs), "AB") for docs in (gold, pred))
    return PairCounter(*align(*sides)).statistics(REQUEST).pooled()


def in_blocks(statistics, blocks, seed):
    """The sums of random blocks of documents, of which there are more than five times as many."""
    if not blocks:
        return statistics
    n_docs = len(statistics.observed.correct)
    order = np.arange(n_docs), np.arange(n_docs)
    order = Resampling(1, seed, blocks=blocks).in_blocks(order)
    assert len(order[1]) == blocks
    return statistics.each(lambda part: grouped(part, order, {}))


def coverage(everything, sampled, kind, blocks=0, repetitions=800, resamples=600):
    """{side: share of the samples whose interval holds the score of the whole population}."""
    truth = total_and_labels(score, everything.total())
    hits = dict.fromkeys(SIDES, 0)
    for seed in range(repetitions):
        sample = in_blocks(sampled(everything, np.random.default_rng([7, seed])), blocks, seed)
        intervals = Resampling(resamples, seed=seed, interval=kind)
        (replicas,) = intervals.replicas(score, [sample])
        values, left_out = (
            total_and_labels(score, sample.total()),
            intervals.left_out(score, sample),
        )
        for side in SIDES:
            limits = intervals.limits(values[side], replicas[side], left_out.get(side))
            hits[side] += limits[0, 0] <= truth[side][0] <= limits[1, 0]
    return {side: number / repetitions for side, number in hits.items()}


def rows_at(everything, docs):
    """The documents at these places."""
    return everything.each(lambda part: part[docs])


def drawn_documents(n):
    return lambda everything, rng: rows_at(everything, rng.integers(0, N_DOCS, n))


def drawn_articles(n, whole):
    """A sample of articles, one row each or one row for each of their documents."""

    def sampled(everything, rng):
        articles = rng.integers(0, N_DOCS // ARTICLE, n)
        sample = rows_at(everything, (ARTICLE * articles[:, None] + np.arange(ARTICLE)).ravel())
        shape = lambda array: array.reshape(n, ARTICLE, -1).sum(axis=1)  # noqa: E731
        return sample.each(lambda part: part.each(shape)) if whole else sample

    return sampled


@cache
def found_coverage(kind, n, clustered=None, blocks=0):
    if clustered is None:
        return coverage(population(1), drawn_documents(n), kind, blocks)
    return coverage(population(2, True), drawn_articles(n, clustered), kind)


@each_side
@pytest.mark.parametrize("n", [100, 300])
@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_intervals_hold_the_true_score_as_often_as_they_say(kind, n, side):
    assert 0.925 <= found_coverage(kind, n)[side] <= 0.975


@each_side
@pytest.mark.parametrize("blocks", [100, 400])
def test_intervals_over_blocks_hold_the_true_score_as_often_as_they_say(blocks, side):
    assert 0.925 <= found_coverage("percentile", 2100, blocks=blocks)[side] <= 0.975


@each_side
@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_intervals_over_articles_hold_the_true_score_of_clustered_documents(kind, side):
    assert 0.92 <= found_coverage(kind, 60, True)[side] <= 0.975


@each_side
def test_intervals_over_documents_are_too_narrow_for_clustered_ones(side):
    assert found_coverage("percentile", 60, False)[side] < 0.85


# --- tests of pairs


def predicted(rng, spans, skill):
    """Some spans of a gold document; the last token sometimes is a wrong one."""
    found = [span for span in spans if span[1] < SIZE and rng.random() < skill]
    return found + [(SIZE - 1, SIZE, "A")] * (rng.random() < 0.3)


@cache
def two_systems(clustered, gain=0.0):
    """Two predictions of equal skill, or with some gain, on one gold standard, as statistics."""
    rng = np.random.default_rng(3)
    skills = np.full(N_DOCS, 0.7)
    noise = np.zeros((2, N_DOCS))
    if clustered:
        noise = np.repeat(rng.choice([-0.4, 0.25], (2, N_DOCS // ARTICLE)), ARTICLE, axis=1)
    noise[1] += gain
    gold, _ = annotated(rng, skills)
    preds = [[predicted(rng, *pair) for pair in zip(gold, skills + side)] for side in noise]
    return [statistics(gold, pred) for pred in preds]


@cache
def null_p_values(test, articles=None, n_docs=120, blocks=0, gain=0.0, repetitions=600):
    """p-values of two systems that differ by chance only, of shape (repetitions,) by side.

    With a `gain` the second one is better.
    """
    systems, found = two_systems(articles is not None, gain), {side: [] for side in SIDES}
    sampled = drawn_documents(n_docs) if articles is None else drawn_articles(40, articles)
    for seed in range(repetitions):
        pair = [sampled(one, np.random.default_rng([8, seed])) for one in systems]
        pair = [in_blocks(one, blocks, seed) for one in pair]
        tested = rank_systems(score, pair, Resampling(299, seed=seed), Comparison(test))
        for side in SIDES:
            found[side].append(tested[side].p_values[0, 0])
    return {side: np.array(values) for side, values in found.items()}


def distance(p_values):
    """Largest distance of a sample from the uniform distribution (Kolmogorov and Smirnov)."""
    ordered = np.sort(p_values)
    steps = np.arange(len(ordered) + 1) / len(ordered)
    return max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max())


@each_side
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_p_values_are_uniform_if_systems_differ_by_chance(test, side):
    assert distance(null_p_values(test)[side]) < 1.63 / 600**0.5 + 1 / 300  # .99 quantile


@each_side
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_p_values_over_blocks_are_uniform_if_systems_differ_by_chance(test, side):
    p_values = null_p_values(test, n_docs=2100, blocks=400)[side]
    assert distance(p_values) < 1.63 / 600**0.5 + 1 / 300


@each_side
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_tests_over_blocks_find_a_difference_as_often_as_those_over_documents(test, side):
    power = [
        (null_p_values(test, n_docs=2100, blocks=blocks, gain=0.02)[side] <= 0.05).mean()
        for blocks in (0, 400)
    ]
    assert 0.2 < power[0] < 0.9
    assert power[1] == pytest.approx(power[0], abs=0.04)


@each_side
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_p_values_over_articles_are_uniform_for_clustered_documents(test, side):
    assert distance(null_p_values(test, True)[side]) < 1.63 / 600**0.5 + 1 / 300


@each_side
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_tests_over_documents_reject_too_often_for_clustered_ones(test, side):
    assert (null_p_values(test, False)[side] <= 0.05).mean() > 0.1
