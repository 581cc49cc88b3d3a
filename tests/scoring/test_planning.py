"""Plans: laws of samples of more and fewer documents than there are."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from helpers.cases import later
from helpers.populations import population
from helpers.resamples import ends
from spacy_chance_eval import (
    Comparison,
    Resampling,
    agree,
    compare,
    evaluate,
    parse,
    plan,
    stored_run,
)
from spacy_chance_eval.measures.resampling import bootstrap_weights
from spacy_chance_eval.measures.spans import concatenated
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring import planning
from spacy_chance_eval.scoring.counts import Counted
from spacy_chance_eval.scoring.planning import (
    TIMES,
    panel_sample,
)
from spacy_chance_eval.scoring.statistics import headline

FEW = Resampling(60)
PRESENT = TIMES.index(1.0)


@cache
def made(n_docs=60, seed=1, **settings):
    return population(n_docs, seed, **settings)


def one_plan(found, scope="system", metric=None):
    """The first plan of a scope, by a metric."""
    plans = [one for one in found["plans"] if metric in (None, one["metric"])]
    return next(one for one in plans if one["scope"] == scope)


def numbers(found):
    """All numbers of the plans, without names and signatures."""
    return [(one["total"], one["labels"]) for one in found["plans"]]


@pytest.mark.parametrize("score", ["corrected", "observed"])
def test_as_many_documents_have_the_interval_of_a_score(score):
    gold, pred, _ = made()
    found = one_plan(plan({"a": pred}, gold, metrics=["span_f"], intervals=FEW, score=score))
    expected = evaluate(gold, pred, ["span_f"], intervals=FEW)["span_f"]
    limits = ends(expected) if score == "corrected" else ends(expected, "observed")
    assert interval_of(found["total"]) == pytest.approx(limits, rel=1e-12)
    half = found["total"]["curve"][PRESENT]["half_width"]
    assert half == pytest.approx((limits[1] - limits[0]) / 2, rel=1e-12)
    labels = {row["label"]: row[score] for row in found["labels"]}
    assert labels == {name: row[score] for name, row in expected.per_label.items()}


def test_as_many_documents_have_the_interval_of_a_comparison():
    gold, *preds = made()
    runs = [stored_run(gold, one, ["span_f"]) for one in preds]
    found = one_plan(plan(runs, intervals=FEW), "difference")
    expected = compare(*runs, intervals=FEW)["metrics"][0]
    assert interval_of(found["total"]) == interval_of(expected["total"]["corrected"])
    assert found["total"]["difference"] == expected["total"]["corrected"]["difference"]
    intervals = {row["label"]: interval_of(row["corrected"]) for row in expected["labels"]}
    assert {row["label"]: interval_of(row) for row in found["labels"]} == intervals


@pytest.mark.parametrize("n_annotators", [2, 3])
def test_as_many_documents_have_the_interval_of_an_agreement(n_annotators):
    panel = dict(zip("abc", made()[:n_annotators]))
    found = plan(panel, metrics=["span_f", "u_alpha"], intervals=FEW)
    expected = agree(panel, ["span_f", "u_alpha"], intervals=FEW)
    for metric in ("span_f", "u_alpha"):
        mine = one_plan(found, "mean", metric)["total"]
        assert interval_of(mine) == pytest.approx(list(interval_of(expected[metric]["mean"])))
        assert headline(mine) == pytest.approx(headline(expected[metric]["mean"]))
        assert mine["for_power"] is None


def test_the_order_of_documents_does_not_matter():
    spans = made(40)
    order = np.random.default_rng(0).permutation(40)
    mixed = [shuffled(one, order) for one in spans]
    results = [
        plan({"a": pred, "b": other}, gold, metrics=["span_f"], intervals=FEW)
        for gold, pred, other in (spans, mixed)
    ]
    assert numbers(results[0]) == numbers(results[1])


def shuffled(spans, order):
    """The same documents in another order."""
    place = np.argsort(order)
    return replace(spans, doc=place[spans.doc], sizes=spans.sizes[order])


def test_the_needed_number_is_where_the_curve_crosses():
    gold, pred, other = made(200)
    found = plan({"a": pred, "b": other}, gold, metrics=["span_f"], width=0.04, power=0.6)
    total = one_plan(found, "difference")["total"]
    for goal, key, sign in (("for_width", "half_width", -1), ("for_power", "power", 1)):
        n, target = total[goal]["n"], total[goal]["target"]
        reached = [sign * row[key] >= sign * target for row in total["curve"]]
        before, after = reached.index(True) - 1, reached.index(True)
        rows = total["curve"]
        assert rows[before]["n"] * 0.9 <= n <= rows[after]["n"] * 1.1


def test_clusters_are_counted_as_one():
    """Documents in pairs of equals are a corpus of half as many, twice as large."""
    gold, pred, other = made(50)
    alone = plan({"a": pred, "b": other}, gold, metrics=["span_recall"], intervals=FEW)
    twice = [doubled(one) for one in (gold, pred, other)]
    clusters = [doc % 50 for doc in range(100)]
    pairs = plan(
        {"a": twice[1], "b": twice[2]},
        twice[0],
        metrics=["span_recall"],
        intervals=FEW,
        clusters=clusters,
    )
    mine, theirs = (one_plan(one, "difference") for one in (pairs, alone))
    assert (mine["n_units"], mine["n_docs"], mine["unit"]) == (50, 100, "clusters")
    assert mine["total"]["for_power"]["n"] == pytest.approx(
        theirs["total"]["for_power"]["n"], rel=0.2
    )
    apart = plan({"a": twice[1], "b": twice[2]}, twice[0], metrics=["span_recall"], intervals=FEW)
    wide = [one["total"]["half_width"] for one in (mine, one_plan(apart, "difference"))]
    assert wide[0] > 1.2 * wide[1]


def doubled(spans):
    """All documents, then all again."""
    return concatenated([spans, spans])


@pytest.mark.integration
def test_blocks_stand_for_their_documents():
    gold, pred, other = made(450)
    blocks = Resampling(300, blocks=40)
    found = plan({"a": pred, "b": other}, gold, metrics=["span_f"], intervals=blocks)
    whole = plan({"a": pred, "b": other}, gold, metrics=["span_f"], intervals=Resampling(300))
    mine, theirs = (one_plan(one, "difference")["total"] for one in (found, whole))
    assert [row["n"] for row in mine["curve"]] == [row["n"] for row in theirs["curve"]]
    assert mine["half_width"] == pytest.approx(theirs["half_width"], rel=0.35)


def test_the_systems_are_in_the_order_of_their_scores():
    gold, pred, other = made()
    results = [
        plan(systems, gold, metrics=["span_f"], intervals=FEW)
        for systems in ({"a": pred, "b": other}, {"b": other, "a": pred})
    ]
    pairs = [one_plan(one, "difference") for one in results]
    assert pairs[0] == pairs[1]
    assert (pairs[0]["first"], pairs[0]["second"]) == ("b", "a")
    assert pairs[0]["total"]["difference"] > 0


def test_equal_systems_are_never_told_apart():
    gold, pred, _ = made()
    total = one_plan(plan({"a": pred, "b": pred}, gold, intervals=FEW), "difference")["total"]
    assert total["for_power"]["n"] is total["for_power"]["relation"] is None
    assert [row["power"] for row in total["curve"]] == [0.0] * len(TIMES)


def test_a_label_that_is_never_scored_has_no_number():
    gold, pred, _ = made()
    empty = replace(
        pred, doc=pred.doc[:0], start=pred.start[:0], end=pred.end[:0], label=pred.label[:0]
    )
    found = plan({"a": pred, "b": empty}, gold, metrics=["span_precision"], intervals=FEW)
    assert headline(found["plans"][0]["total"]) is not None
    for total in (one["total"] for one in found["plans"][1:]):
        number = total["difference"] if "difference" in total else headline(total)
        assert number is total["half_width"] is total["power"] is None
        assert total["for_width"]["n"] is None
        assert all(row.get("power") is None for row in total["curve"])


@pytest.mark.parametrize(
    ("halves", "n", "relation"),
    [
        ([0.1, 0.05, 0.025], 400, "about"),  # the root law: half of it for four times as many
        ([0.02, 0.05, 0.025], 400, "about"),  # few documents that happen to score alike
        ([0.02, 0.01, 0.005], 25, "at most"),
        ([0.1, 0.05, 0.04], 400, "more than"),
        ([np.nan, 0.02, 0.01], 100, "about"),
    ],
)
def test_a_width_is_reached_where_it_stays_reached(halves, n, relation):
    rising = -np.log(halves)
    goal = -np.log(0.025)
    needed = planning._needed(0.025, goal, [25, 100, 400], rising, True)
    assert needed == {"target": 0.025, "n": n, "relation": relation}


def test_between_two_sizes_a_width_is_read_off_the_curve():
    needed = planning._needed(0.1, -np.log(0.1), [64, 256], -np.log([0.2, 0.05]), True)
    assert needed["n"] == 128


def test_more_than_ten_times_is_said_and_not_invented():
    gold, pred, other = made()
    found = plan({"a": pred, "b": other}, gold, metrics=["span_f"], width=1e-4, power=0.9999)
    total = one_plan(found, "difference")["total"]
    assert total["for_width"] == {"target": 1e-4, "n": 600, "relation": "more than"}
    wide = plan({"a": pred}, gold, metrics=["span_f"], width=0.9)["plans"][0]["total"]
    assert (wide["for_width"]["n"], wide["for_width"]["relation"]) == (12, "at most")


def test_influences_are_those_of_leaving_out():
    """Derivatives by unit add up to 0, and are nearly the changes without each unit."""
    gold, pred, _ = made()
    sample = planned_sample(gold, pred)
    slopes = sample.slopes(sample.total(), sample.parts)
    whole = sample.score(sample.total())
    without = sample.score(
        [part.each(lambda array: -array.astype(float)) + part.total() for part in sample.parts]
    )
    assert np.abs(slopes.sum(axis=0)).max() < 1e-6
    assert np.corrcoef(slopes[:, 0], (whole - without)[:, 0])[0, 1] > 0.999


def planned_sample(gold, pred):
    run = stored_run(gold, pred, ["span_f"])
    metric = run.metrics["span_f"]
    return planning.system_sample(
        metric.request.scorer(), metric.statistics, run.counts.order(None), "corrected"
    )


def test_the_spread_is_that_of_the_samples():
    gold, pred, other = made(300)
    one, two = planned_sample(gold, pred), planned_sample(gold, other)
    influence = planning._influence(one, two)
    weights = bootstrap_weights(300, 2000, np.random.default_rng(0))
    samples = planning._sample_pair(one, two, influence, weights, 300)
    differences = np.concatenate([difference for difference, _ in samples])[:, 0]
    spread = np.sqrt(300 * influence.square[:, 0].sum())
    assert spread / np.sqrt(300) == pytest.approx(differences.std(), rel=0.06)


@pytest.mark.integration
@pytest.mark.parametrize("f", [(0.2, 0.9), *later((0.65, 0.71))])
def test_the_spread_of_exchanges_is_that_of_random_exchanges(f):
    gold, *preds = made(300, f=f)
    one, two = (planned_sample(gold, pred) for pred in preds)
    null = np.sqrt(300 * planning._influence(one, two).exchanged[:, 0].sum())
    rng = np.random.default_rng(0)
    differences = []
    for _ in range(1500):
        swapped = rng.random(300) < 0.5
        sums = [
            [a[swapped].total() + b[~swapped].total() for a, b in zip(first.parts, second.parts)]
            for first, second in ((one, two), (two, one))
        ]
        differences.append((one.score(sums[0]) - one.score(sums[1]))[0])
    assert null / np.sqrt(300) == pytest.approx(np.std(differences), rel=0.06)


@pytest.mark.parametrize(("test", "share"), [("randomisation", 0.25), ("bootstrap", 0.75)])
def test_differences_beyond_the_bound_are_rejected(test, share):
    """z is 1.96: bounds of .196 with s0 = 1, of .0196 with s = .1, and 100 documents."""
    difference = np.array([[0.197], [-0.195], [0.1], [0.01]])
    ones = np.ones((4, 1))

    def rejected(alpha, moving):
        mean = planning._Influence(0 * ones, 0.01 * ones, ones, moving * ones)
        comparison = Comparison(test, alpha)
        return planning._rejections(difference, mean, 1, 100, comparison).mean()

    assert rejected(0.05, 0.5) == share
    assert rejected(0.5, 0.5) == share + (0.5 if test == "randomisation" else 0.25)
    if test == "randomisation":
        assert rejected(0.05, 0.05) == 0


def exchange_p_value(differences):
    """The p-value of all exchanges of units, each of which gives one system 1, 0 or -1 more."""
    total = abs(sum(differences))
    signs = list(product((-1, 1), repeat=len(differences)))
    reached = sum(abs(np.dot(one, differences)) >= total for one in signs)
    return reached / len(signs)


def test_five_units_never_reject_at_a_twentieth():
    """All of the units that move the difference favour the same system."""
    ones = np.ones((1, 1))
    moving = [planning._Influence(0 * ones, ones, 1e-9 * ones, n * ones / 100) for n in range(8)]
    found = [planning._rejections(ones, one, 1, 100, Comparison()).item() for one in moving]
    assert found == [False] * 6 + [True] * 2
    assert exchange_p_value([1] * 5) == 2 / 32 > 0.05 > exchange_p_value([1] * 6)


def test_power_grows_with_the_difference_and_with_alpha():
    gold, low, middle, high = made(60, 1, f=(0.5, 0.6, 0.75))
    powers = [
        one_plan(
            plan(
                {"a": low, "b": other},
                gold,
                metrics=["span_f"],
                intervals=FEW,
                comparison=Comparison(test, alpha),
            ),
            "difference",
        )["total"]["power"]
        for other, alpha, test in (
            (middle, 0.01, "randomisation"),
            (middle, 0.05, "randomisation"),
            (high, 0.05, "randomisation"),
            (high, 0.05, "bootstrap"),
        )
    ]
    assert powers[0] < powers[1] < powers[2]
    assert powers[3] == pytest.approx(powers[2], abs=0.1)


@pytest.mark.parametrize(
    "reasons, message",
    [({("pair", 0, 1): "they share no document"}, "share no document"), ({}, "no pairs")],
)
def test_annotators_without_statistics_cannot_be_planned_for(reasons, message):
    with pytest.raises(ValueError, match=message):
        panel_sample(None, parse("span_f"), Counted(reasons), None, "observed")
