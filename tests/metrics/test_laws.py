"""Every law of the house, for every metric of the catalog."""

import json
from dataclasses import replace
from functools import cache, reduce
from itertools import product
from operator import add

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.cases import later
from helpers.laws import (
    EXACT,
    LAWS,
    assert_equal_statistics,
    assert_same,
    assert_same_results,
    counted,
    counted_alike,
    each_fitting,
    fields_of,
    renamed,
    requests,
    run_of,
    scores,
    speaking_of,
)
from helpers.resamples import weighted
from helpers.strategies import KINDS, LABELS, pairs, random_pair
from spacy_chance_eval import CATALOG, Score, evaluate, request
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.chance.draws import drawn, standard_error
from spacy_chance_eval.measures.resampling import leave_one_out
from spacy_chance_eval.measures.slicm import sequence_prior, slicm_information
from spacy_chance_eval.scoring.statistics import Statistics, columns, headline

# --- the table


def test_the_table_has_one_row_for_every_metric_of_the_catalog():
    assert {*LAWS} == {*CATALOG}, "give every metric of catalog.py a row in LAWS"


def test_the_table_declares_what_the_catalog_does():
    for name, law in LAWS.items():
        metric = CATALOG[name]
        with speaking_of(name):
            assert (metric.name, metric.swapped, metric.bits) == (name, law.swapped, law.bits)
            assert (metric.team, metric.parts is not None) == (law.team, law.parts)
            assert metric.higher_is_better == (law.best == 1)
            assert metric.paper
            assert (metric.expected is not None) == (law.exact in EXACT)


def test_every_parameter_is_tried_with_another_value():
    for name, law in LAWS.items():
        tried = {key for v in (*law.variants, *law.drawn) for key in v}
        tried |= {key for key, _ in law.always}
        models = {"chance"} if law.exact in EXACT else set()
        assert tried | models == set(CATALOG[name].parameters), name


def test_the_declared_formulas_are_those_that_exist():
    run = run_of(random_pair(1))
    for name, law in LAWS.items():
        exact = [run.statistics(asked).exact for kind in KINDS for asked in requests(name, kind)]
        assert law.exact not in EXACT or all(exact), name
        assert not any(run.statistics(x).exact for x in requests(name, "disjoint", True)), name


# --- identity


def monotone(asked, kind):
    """Whether more of a gold span is always more information (not so: see test_slicm.py)."""
    parameters = asked.parameters
    by_position = parameters.get("rank") == "position"
    return not by_position or parameters["token_information"] == "constant" or kind == "disjoint"


def nothing_to_say(asked, gold):
    """Whether an annotator marked nothing of what a metric looks at."""
    law, spans = LAWS[asked.metric], gold.seen[gold.doc]
    if asked.parameters.get("items") in ("span", "any_span") or law.over == "spans":
        return not spans.any()
    tokens = int(gold.sizes[gold.seen].sum())
    if law.over == "absences":  # of labels, on tokens
        marked = {
            (gold.doc[i], t, gold.label[i])
            for i in np.flatnonzero(spans)
            for t in range(gold.start[i], gold.end[i])
        }
        return len(marked) == tokens * len(gold.labels)
    return not tokens


@given(pair=pairs())
def test_gold_is_perfect_against_itself(pair):
    for fit, requested in each_fitting(pair):
        gold, _ = fit.sides()
        asked = [one for one in requested if monotone(one, fit.kind)]
        for one, score in zip(asked, evaluate(gold, gold, asked).values(), strict=True):
            with speaking_of(one):
                assert_perfect(one, score, gold)


def assert_perfect(one, score, gold):
    law, metric, empty = LAWS[one.metric], CATALOG[one.metric], nothing_to_say(one, gold)
    if metric.count is slicm_information:
        counts = one.only(metric.counted)
        best = slicm_information(gold, gold, **counts).total().gold.sum()
        empty = best == 0  # one word, everywhere, tells nothing
    if law.bits:
        assert score.observed == pytest.approx(best)
    elif one.parameters.get("empty") == "gate":
        assert score.headline == law.best
    elif empty:
        assert score.observed is score.headline is None
    elif law.best is not None:
        assert score.observed == pytest.approx(law.best)
        # Gwet's expectation needs two values, too
        by_chance = law.parts if score.expected is None else score.expected > 1 - 1e-9
        assert score.headline == (None if by_chance else pytest.approx(law.best))


# --- symmetry


@given(pair=pairs())
def test_swapping_gold_and_prediction_gives_the_declared_metric(pair):
    both = zip(pair.gold, pair.pred)  # what gold has not seen is not scored, as a prediction it is
    assume(all((gold is None) == (pred is None) for gold, pred in both))
    for fit, requested in each_fitting(pair):
        asked = [one for one in requested if CATALOG[one.metric].swapped]
        turned = [{**one.parameters} for one in asked]
        for parameters in turned:
            if "beta" in parameters:
                parameters["beta"] = 1 / parameters["beta"]
        mirrored = [request(CATALOG[x.metric].swapped, **more) for x, more in zip(asked, turned)]
        gold, pred = fit.sides()
        results, mirror = evaluate(gold, pred, asked), evaluate(pred, gold, mirrored)
        back = {str(one): mirror[str(other)] for one, other in zip(asked, mirrored)}
        assert_same_results(results, back, parts=["total"])


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if law.swapped is None])
def test_metrics_without_a_mirror_image_are_not_symmetric(name):
    gold, pred = random_pair(2).sides()
    one, two = (evaluate(*sides, [name])[name].headline for sides in ((gold, pred), (pred, gold)))
    assert one != pytest.approx(two)


# --- order and names


@given(pair=pairs(), random=st.randoms(use_true_random=False))
def test_the_order_of_documents_spans_and_labels_is_irrelevant(pair, random):
    order = random.sample(range(len(pair.sizes)), len(pair.sizes))
    labels = random.sample(LABELS, len(LABELS))
    for fit, asked in each_fitting(pair):
        moved = fit.part(order)
        for side in (moved.gold, moved.pred):
            for spans in side:
                random.shuffle(spans or [])
        plain, other = scores(fit, asked, per_doc=True), scores(moved, asked, labels, per_doc=True)
        assert_same_results(plain, other)


@given(pair=pairs(), names=st.permutations(["zebra", "A", "loc"]))
def test_the_names_of_labels_are_irrelevant(pair, names):
    renaming = dict(zip(LABELS, names, strict=True))
    for fit, asked in each_fitting(pair):
        other = scores(fit.renamed(renaming), [renamed(one, renaming) for one in asked], names)
        assert_same_results(scores(fit, asked), other, names=renaming)


@given(pair=pairs())
def test_unused_labels_are_irrelevant(pair):
    for fit, asked in each_fitting(pair):
        plain, other = scores(fit, asked), scores(fit, asked, ["AAA", *LABELS, "ZZZ"])
        assert_same_results(plain, other, parts=["per_label"])
        of_used = [str(one) for one in asked if not LAWS[one.metric].all_labels]
        plain, other = ({text: found[text] for text in of_used} for found in (plain, other))
        assert_same_results(plain, other, parts=["total"])


@given(pair=pairs(), saw=st.sampled_from(["pred", None]))
def test_documents_that_gold_has_not_seen_change_nothing(pair, saw):
    spans = [(0, 2, "LOC"), (3, 4, "PER")]
    more = {
        "sizes": (5,),
        "words": (list("abcab"),),
        "cuts": ((2,),),
        "names": ("more",),
        **{side: (spans if side == saw else None,) for side in ("gold", "pred")},
    }
    for fit, asked in each_fitting(pair):
        longer = replace(fit, **{key: (*getattr(fit, key), *rows) for key, rows in more.items()})
        assert_same_results(scores(longer, asked), scores(fit, asked), parts=["total"])


# --- sums


@given(pair=pairs(), data=st.data())
def test_shards_add_up(pair, data):
    n_docs = len(pair.sizes)
    first = data.draw(st.sets(st.integers(0, n_docs - 1), max_size=n_docs))
    shards = [sorted(first), sorted(set(range(n_docs)) - first)]
    for fit, requested in each_fitting(pair):
        for asked, *_ in counted_alike(requested):
            whole = counted(asked, fit, fit).total()
            parts = [counted(asked, fit.part(docs), fit).total() for docs in shards]
            with speaking_of(asked):
                assert_equal_statistics(reduce(add, parts), whole)


@given(pair=pairs(), data=st.data())
def test_expectations_of_shards_add_up(pair, data):
    cut = data.draw(st.integers(0, len(pair.sizes)))
    for fit, requested in each_fitting(pair):
        halves = [fit.part(range(cut)), fit.part(range(cut, len(fit.sizes)))]
        runs = [run_of(one) for one in (fit, *halves)]
        for asked in requested:
            if asked.placement != "none":
                whole, *parts = (run.statistics(asked).expected.total() for run in runs)
                with speaking_of(asked):
                    assert_equal_statistics(reduce(add, parts), whole)


def test_priors_of_shards_add_up():
    pair = random_pair(6)
    parts = [sequence_prior(pair.part([d]).sides()[0]).total() for d in range(len(pair.sizes))]
    assert_equal_statistics(reduce(add, parts), sequence_prior(pair.sides()[0]).total())


def made_of(statistics):
    return [one for one in (statistics.observed, statistics.expected) if one is not None]


@given(pair=pairs())
def test_resampling_with_weights_of_one_is_the_total(pair):
    weights = np.ones((2, len(pair.sizes)), np.int64)
    for fit, requested in each_fitting(pair):
        run = run_of(fit)
        made = [(one, part) for one in requested for part in made_of(run.statistics(one))]
        for one, statistics in {id(part): (one, part) for one, part in made}.values():
            again, total = weighted(statistics, weights), statistics.total().each(np.float64)
            with speaking_of(one):
                assert_equal_statistics(again[0], total)
                assert_equal_statistics(again[1], total)


@given(pair=pairs())
def test_leaving_a_document_out_is_scoring_the_others(pair):
    docs = range(len(pair.sizes))
    for fit, requested in each_fitting(pair):
        for alike in counted_alike(requested):
            statistics = counted(alike[0], fit, fit)
            parts = [fit.part([d for d in docs if d != out]) for out in docs]
            rest = [counted(alike[0], part, fit).total() for part in parts]
            for asked, side in product(alike, ("pooled", "by_label")):
                score = asked.scorer()
                of = lambda sums: score(getattr(sums, side)())  # noqa: B023, E731
                with speaking_of(asked):
                    assert_same(leave_one_out([statistics], of), [of(one) for one in rest])


# --- chance


@cache
def random_statistics(count, parameters, placement, unit):
    """Totals of many random annotations, and the expected statistics they should have."""
    pair = random_pair(11, "disjoint" if placement == "disjoint" else placement, most=5)
    gold, pred = align(*pair.sides())
    counting = lambda one, two: count(one, two, **dict(parameters))  # noqa: E731
    rng = np.random.default_rng(12)
    return pair, drawn(
        counting, gold, pred, placement=placement, unit=unit, draws=700, rng=rng
    )[1]  # fmt: skip


@pytest.mark.integration
@pytest.mark.parametrize("unit", ["document", "sentence"])
def test_the_mean_over_random_annotations_is_the_expectation(unit):
    for name in [name for name, law in LAWS.items() if law.exact in EXACT]:
        metric = CATALOG[name]
        encodings = ("IO", "BIO", "BIOE", "IO*") if metric.counted else (None,)
        for encoding, placement in product(encodings, EXACT[LAWS[name].exact]):
            # "uniform" is an approximation; nested spans have a formula for IO only
            if placement in ("none", "uniform") or (placement == "nested" and encoding != "IO"):
                if not (placement == "nested" and LAWS[name].exact == "span"):
                    continue
            parameters = {"encoding": encoding} if encoding else {}
            asked = request(name, chance=placement, unit=unit, **parameters)
            pair, totals = random_statistics(
                metric.count, tuple(parameters.items()), placement, unit
            )
            expected = run_of(pair).statistics(asked).expected.total()
            for mine, drawn_ in zip(fields_of(expected), fields_of(totals), strict=True):
                room = 5 * standard_error(drawn_) + 1e-9
                with speaking_of(asked):
                    np.testing.assert_array_less(np.abs(drawn_.mean(axis=0) - mine), room)


@given(pair=pairs())
def test_chance_corrected_is_zero_at_chance(pair):
    for fit, requested in each_fitting(pair, drawn=(False, True)):
        run = run_of(fit)
        for asked in [one for one in requested if one.placement != "none"]:
            by_chance = run.statistics(asked).expected.total().pooled()
            at_chance = columns(asked.scorer(), Statistics(by_chance, by_chance))
            with speaking_of(asked):
                if at_chance["expected"][0] < 1 - 1e-9:
                    assert headline(at_chance)[0] == pytest.approx(0, abs=1e-12)
                else:
                    assert np.isnan(headline(at_chance)[0])


@given(pair=pairs())
def test_scores_lie_in_their_range(pair):
    for fit, asked in each_fitting(pair):
        for one, score in zip(asked, scores(fit, asked).values(), strict=True):
            if score.observed is not None:
                with speaking_of(one):
                    assert_in_range(score, LAWS[one.metric], "slicm" in one.metric)


def assert_in_range(score, law, information):
    if law.bounded:
        assert -1e-12 <= score.observed <= 1 + 1e-12
        assert score.expected is None or -1e-12 <= score.expected <= 1 + 1e-9
    if law.best == 1 and not information:
        assert score.headline is None or score.headline <= 1 + 1e-12
    elif law.best == 0:
        assert score.headline >= 0


# --- what comes back


def assert_plain(value):
    """Only Python's own numbers, texts and containers."""
    assert type(value) in (int, bool, float, str, dict, tuple, list, type(None)), type(value)
    if isinstance(value, dict):
        for key, item in value.items():
            assert type(key) is str
            assert_plain(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            assert_plain(item)


@given(pair=pairs())
def test_scores_are_plain_and_fit_for_json(pair):
    for fit, asked in each_fitting(pair, drawn=(False, True)):
        found = scores(fit, asked, per_doc=True, p_values=True, draws=2)
        for text, score in found.items():
            with speaking_of(text):
                assert_plain(score.to_dict())
                written = json.loads(json.dumps(score.to_dict(), allow_nan=False))
                assert written == score.to_dict() and Score(**written) == score


def every_request(kind):
    """Requests of all metrics, with exact and with drawn expectations."""
    return [one for name in LAWS for each in (False, True) for one in requests(name, kind, each)]


@pytest.mark.parametrize("p_values", [False, *later(True)])
@pytest.mark.parametrize("kind", ["flat", *later("overlapping")])
def test_a_metric_does_not_depend_on_the_others_asked_for(kind, p_values):
    pair, options = random_pair(7, kind), {"draws": 3, "p_values": p_values}
    asked = every_request(kind)
    together = scores(pair, asked, **options)
    for one in asked:
        assert scores(pair, [one], **options)[str(one)] == together[str(one)]


@pytest.mark.parametrize("kind", ["flat", *later("overlapping")])
def test_equal_seeds_give_equal_scores(kind):
    pair, options = random_pair(8, kind), {"draws": 5, "p_values": True, "seed": 3}
    asked = every_request(kind)
    assert scores(pair, asked, **options) == scores(pair, asked, **options)


def test_the_request_is_in_the_signature():
    asked = [one for name in LAWS for one in requests(name, "flat")]
    for text, score in scores(random_pair(9, "flat"), asked).items():
        assert score.signature.startswith(f"{text}|positions=token|docs=5|gold=")
