import json

import numpy as np
import pytest
from hypothesis import given

from helpers import resampling_oracles as oracles
from helpers.cases import each_case
from helpers.resamples import assert_alike, corpus, ends, spans
from helpers.strategies import pairs
from spacy_chance_eval import CATALOG, evaluate, request
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring.intervals import Resampling
from spacy_chance_eval.scoring.statistics import headline_name

METRICS = ["span_f", "token_f"]
KINDS = ("percentile", "bca")
each_kind = pytest.mark.parametrize("kind", KINDS)
each_metric = pytest.mark.parametrize("metric", METRICS)

GOLD, SYSTEMS = corpus(1)
PRED = SYSTEMS["s1"]
N_EFF = oracles.n_eff(GOLD)
FEW = Resampling(resamples=50)


# metrics that need closeness, units that do not overlap whatever their labels, or long
OTHERS = ("bdm_", "u_alpha", "bar_u_alpha", "cu_")


def approx(limits):
    return limits and pytest.approx(limits, abs=1e-12)


def resampled_scores(gold, pred, samples, metric):
    """The scores of corpora in which documents stand as often as they were drawn."""
    found = []
    for docs in samples:
        sides = (spans([side[i] for i in docs]) for side in (gold, pred))
        found.append(evaluate(*sides, metric)[metric])
    return found


# --- intervals


@each_metric
def test_intervals_are_those_of_corpora_with_the_documents_that_were_drawn(recorder, metric):
    score = evaluate(spans(GOLD), spans(PRED), metric, intervals=FEW)[metric]
    again = resampled_scores(GOLD, PRED, recorder.samples(8), metric)
    for limits, name in (
        (ends(score), "headline"),
        (ends(score, "observed"), "observed"),
    ):
        many = [getattr(one, name) for one in again]
        assert limits == approx(oracles.percentile_interval(getattr(score, name), many, n=N_EFF))


@pytest.mark.integration
@each_metric
def test_intervals_of_labels_are_those_of_corpora_with_the_documents_drawn(recorder, metric):
    score = evaluate(spans(GOLD), spans(PRED), metric, intervals=FEW)[metric]
    again = resampled_scores(GOLD, PRED, recorder.samples(8), metric)
    for label, row in score.per_label.items():
        for name in {headline_name(row), "observed"}:
            many = [one.per_label.get(label, {name: None})[name] for one in again]
            expected = oracles.percentile_interval(row[name], many, n=N_EFF)
            assert interval_of(row, name) == approx(expected)


@each_kind
@pytest.mark.parametrize("seed", range(4))
def test_intervals_are_those_of_a_loop_over_counts(recorder, kind, seed):
    gold, systems = corpus(seed)
    intervals = Resampling(resamples=200, seed=seed, interval=kind, level=0.9)
    score = evaluate(spans(gold), spans(systems["s0"]), "span_f", intervals=intervals)["span_f"]
    rows = oracles.document_counts(gold, systems["s0"], [12] * 8)
    for limits, side in (
        (ends(score), "corrected"),
        (ends(score, "observed"), "observed"),
    ):
        value, many = (
            oracles.scores(rows)[side],
            oracles.replicas(rows, recorder.samples(8), side),
        )
        if kind == "bca":
            expected = oracles.bca_interval(value, many, oracles.jackknife(rows, side), 0.9)
        else:
            expected = oracles.percentile_interval(value, many, 0.9, oracles.n_eff(gold))
        assert limits == pytest.approx(expected, abs=1e-9)


def test_clusters_are_resampled_whole(recorder):
    names = list("aabbbcdd")
    options = {"intervals": Resampling(resamples=60), "clusters": names}
    score = evaluate(spans(GOLD), spans(PRED), "span_f", **options)["span_f"]
    weights = recorder.by_document("bootstrap", 8)
    assert all(
        len({row[i] for i in range(8) if names[i] == x}) == 1 for row in weights for x in names
    )
    assert {row[[0, 2, 5, 6]].sum() for row in weights} == {4}
    rows = oracles.document_counts(GOLD, PRED, [12] * 8)
    many = oracles.replicas(rows, recorder.samples(8), "observed")
    n_eff = oracles.n_eff(GOLD, names)
    assert score.n_eff == pytest.approx(n_eff)
    expected = oracles.percentile_interval(score.observed, many, n=n_eff)
    assert ends(score, "observed") == approx(expected)


def test_bca_leaves_out_clusters(recorder):
    names = list("aabbbcdd")
    intervals = Resampling(resamples=80, interval="bca")
    score = evaluate(spans(GOLD), spans(PRED), "span_f", intervals=intervals, clusters=names)
    rows = oracles.document_counts(GOLD, PRED, [12] * 8)
    many = oracles.replicas(rows, recorder.samples(8), "observed")
    without = oracles.jackknife(oracles.clusters_of(rows, names), "observed")
    expected = oracles.bca_interval(score["span_f"].observed, many, without)
    assert ends(score["span_f"], "observed") == approx(expected)


def test_documents_without_a_cluster_are_their_own(recorder):
    names = [None, "a", None, "a", None, None, None, None]
    evaluate(spans(GOLD), spans(PRED), "span_f", intervals=FEW, clusters=names)
    assert recorder.weights["bootstrap"][0].shape == (50, 7)


def test_unseen_documents_are_not_drawn(recorder):
    gold, pred = [*GOLD, None, None], [*PRED, PRED[0], None]
    one = evaluate(spans(gold), spans(pred), "span_f", intervals=FEW)["span_f"]
    assert recorder.weights["bootstrap"][0].shape == (50, 8)
    two = evaluate(spans(GOLD), spans(PRED), "span_f", intervals=FEW)["span_f"]
    assert ends(one) == ends(two)


# --- what is asked for


def test_there_are_no_intervals_by_default():
    score = evaluate(spans(GOLD), spans(PRED), "span_f")["span_f"]
    assert ends(score) is ends(score, "observed") is None
    assert "interval" not in score.per_label["PER"]
    assert score.resampling == "none"
    none = Resampling(resamples=0)
    assert score == evaluate(spans(GOLD), spans(PRED), "span_f", intervals=none)["span_f"]


def test_a_score_tells_all_parameters_of_its_resampling():
    intervals = Resampling(30, seed=5, interval="bca", level=0.9, unit="article")
    score = evaluate(spans(GOLD), spans(PRED), "span_f", intervals=intervals)["span_f"]
    assert score.resampling == "bootstrap,30,5,bca,0.9,article"


@each_kind
@each_case(
    ("gold", "pred", "clusters"),
    [(GOLD[:1], PRED[:1], None), (GOLD, PRED, ["a"] * 8), ([None, None], [None, None], None)],
)
def test_one_document_or_cluster_or_none_has_no_interval(kind, gold, pred, clusters):
    options = {"intervals": Resampling(20, interval=kind), "clusters": clusters}
    score = evaluate(spans(gold), spans(pred), "span_f", **options)["span_f"]
    assert ends(score) is ends(score, "observed") is None
    assert all(interval_of(row) is None for row in score.per_label.values())


def test_equal_seeds_give_equal_intervals_and_others_do_not():
    found = [
        evaluate(spans(GOLD), spans(PRED), "span_f", intervals=Resampling(50, seed=seed))
        for seed in (3, 3, 4)
    ]
    limits = [ends(scores["span_f"]) for scores in found]
    assert limits[0] == limits[1] != limits[2]


@each_kind
def test_the_order_of_documents_is_irrelevant_to_intervals(kind):
    order = [5, 2, 7, 0, 1, 6, 3, 4]
    intervals = Resampling(50, interval=kind)
    one, two = (
        evaluate(
            *(spans([d[i] for i in docs]) for d in (GOLD, PRED)), "span_f", intervals=intervals
        )
        for docs in (range(8), order)
    )
    assert_alike(one["span_f"].to_dict(), two["span_f"].to_dict())


def test_intervals_of_a_metric_do_not_depend_on_the_others_asked_for():
    alone = evaluate(spans(GOLD), spans(PRED), "token_f", intervals=FEW)["token_f"]
    assert evaluate(spans(GOLD), spans(PRED), METRICS, intervals=FEW)["token_f"] == alone


# --- laws


def every_limit(score):
    yield from (ends(score), ends(score, "observed"))
    for row in score.per_label.values():
        yield from (interval_of(row), interval_of(row, "observed"))


EVERY = [request(name) for name in CATALOG if not name.startswith(OTHERS)]
EVERY.append(request("slicm_norm", chance="disjoint"))


@each_kind
@given(pair=pairs(kinds=("disjoint",)))
def test_limits_are_finite_ordered_and_plain_or_none(kind, pair):
    intervals = Resampling(20, interval=kind)
    scores = evaluate(*pair.sides(), EVERY, intervals=intervals, draws=3)
    for name, score in scores.items():
        json.dumps(score.to_dict(), allow_nan=False)
        for limits in every_limit(score):
            if limits is not None:
                assert [type(x) for x in limits] == [float, float], name
                assert limits[0] <= limits[1], name
                assert np.isfinite(limits).all(), name
        assert score.headline is not None or ends(score) is None, name
        assert score.observed is not None or ends(score, "observed") is None, name
