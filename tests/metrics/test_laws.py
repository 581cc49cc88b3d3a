"""Every law of the house, for every metric of the catalog."""

import json
from dataclasses import replace
from functools import cache, reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.laws import (
    EVERY_KIND,
    EXACT,
    LAWS,
    assert_equal_statistics,
    assert_same,
    counted,
    each_metric,
    fields_of,
    fitting,
    renamed,
    requests,
    run_of,
    scores,
    values,
)
from helpers.resamples import weighted
from helpers.strategies import KINDS, LABELS, pairs, random_pair
from spacy_chance_eval import CATALOG, evaluate, request
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.chance.draws import drawn, standard_error
from spacy_chance_eval.measures.matching import span_hits
from spacy_chance_eval.measures.resampling import leave_one_out
from spacy_chance_eval.measures.slicm import sequence_prior, slicm_information
from spacy_chance_eval.scoring.statistics import Statistics, columns

# --- the table


def test_the_table_has_one_row_for_every_metric_of_the_catalog():
    # a slow metric has these laws in its own tests
    fast = {name for name, metric in CATALOG.items() if not metric.slow}
    assert set(LAWS) == fast, "give every metric of catalog.py a row in LAWS"


@each_metric
def test_the_table_declares_what_the_catalog_does(name):
    metric, law = CATALOG[name], LAWS[name]
    assert (metric.name, metric.swapped, metric.bits) == (name, law.swapped, law.bits)
    assert (metric.team, metric.parts is not None) == (law.team, law.parts)
    assert metric.higher_is_better == (law.best == 1)
    assert metric.paper
    assert (metric.expected is not None) == (law.exact in EXACT)


@each_metric
def test_every_parameter_is_tried_with_another_value(name):
    tried = {key for v in (*LAWS[name].variants, *LAWS[name].drawn) for key in v}
    tried |= {key for key, _ in LAWS[name].always}
    models = {"chance"} if LAWS[name].exact in EXACT else set()
    assert tried | models == set(CATALOG[name].parameters)


@each_metric
def test_the_declared_formulas_are_those_that_exist(name):
    if LAWS[name].exact in EXACT:
        run = run_of(random_pair(1))
        for kind in KINDS:
            assert all(run.statistics(asked).exact for asked in requests(name, kind))
    if LAWS[name].drawn:
        run = run_of(random_pair(1))
        assert not any(run.statistics(asked).exact for asked in requests(name, "disjoint", True))


@each_metric
def test_mirror_images_mirror_each_other(name):
    swapped = CATALOG[name].swapped
    assert swapped is None or CATALOG[swapped].swapped == name


# --- identity


def monotone(asked, kind):
    """Whether more of a gold span is always more information (not so: see test_slicm.py)."""
    parameters = asked.parameters
    by_position = parameters.get("rank") == "position"
    return not by_position or parameters["token_information"] == "constant" or kind == "disjoint"


def nothing_to_say(asked, gold):
    """Whether an annotator marked nothing of what a metric looks at."""
    law, spans = LAWS[asked.metric], gold.seen[gold.doc]
    if asked.parameters.get("items") == "span" or law.over == "spans":
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


@each_metric
@given(pair=pairs())
def test_gold_is_perfect_against_itself(name, pair):
    pair = fitting(name, pair)
    gold, _ = pair.sides()
    law, asked = LAWS[name], [one for one in requests(name, pair.kind) if monotone(one, pair.kind)]
    for one, score in zip(asked, evaluate(gold, gold, asked).values(), strict=True):
        empty = nothing_to_say(one, gold)
        if CATALOG[name].count is slicm_information:
            counts = one.only(CATALOG[name].counted)
            best = slicm_information(gold, gold, **counts).total().gold.sum()
            empty = best == 0  # one word, everywhere, tells nothing
        if law.bits:
            assert score.observed == pytest.approx(best)
        elif one.parameters.get("empty") == "gate":
            assert score.value == 1
        elif empty:
            assert score.observed is score.value is None
        else:
            assert score.observed == pytest.approx(law.best)
            # Gwet's expectation needs two values, too
            by_chance = law.parts if score.expected is None else score.expected > 1 - 1e-9
            assert score.value == (None if by_chance else pytest.approx(law.best))


# --- symmetry


@each_metric
@given(pair=pairs())
def test_swapping_gold_and_prediction_gives_the_declared_metric(name, pair):
    pair = fitting(name, pair)
    swapped = CATALOG[name].swapped
    if swapped is None:
        return
    asked = requests(name, pair.kind)
    turned = [{**one.parameters} for one in asked]
    for parameters in turned:
        if "beta" in parameters:
            parameters["beta"] = 1 / parameters["beta"]
    gold, pred = pair.sides()
    mirror = evaluate(pred, gold, [request(swapped, **parameters) for parameters in turned])
    assert_same(values(evaluate(gold, pred, asked)), values(mirror))


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if law.swapped is None])
def test_metrics_without_a_mirror_image_are_not_symmetric(name):
    gold, pred = random_pair(2).sides()
    one, two = (evaluate(*sides, [name])[name].value for sides in ((gold, pred), (pred, gold)))
    assert one != pytest.approx(two)


# --- order and names


@each_metric
@given(pair=pairs(), random=st.randoms(use_true_random=False))
def test_the_order_of_documents_spans_and_labels_is_irrelevant(name, pair, random):
    pair = fitting(name, pair)
    asked = requests(name, pair.kind)
    moved = pair.part(random.sample(range(len(pair.sizes)), len(pair.sizes)))
    for side in (moved.gold, moved.pred):
        for spans in side:
            random.shuffle(spans or [])
    labels = random.sample(LABELS, len(LABELS))
    plain, other = scores(pair, asked, per_doc=True), scores(moved, asked, labels, per_doc=True)
    assert_same(values(plain), values(other))
    for one, two in zip(plain.values(), other.values(), strict=True):
        assert one.per_label.keys() == two.per_label.keys()
        assert one.per_doc.keys() == two.per_doc.keys()
        for ours, theirs in ((one.per_label, two.per_label), (one.per_doc, two.per_doc)):
            for key in ours:
                assert_same([list(ours[key].values())], [list(theirs[key].values())])


@each_metric
@given(pair=pairs(), names=st.permutations(["zebra", "A", "loc"]))
def test_the_names_of_labels_are_irrelevant(name, pair, names):
    pair = fitting(name, pair)
    renaming = dict(zip(LABELS, names, strict=True))
    asked = requests(name, pair.kind)
    plain = scores(pair, asked)
    other = scores(pair.renamed(renaming), [renamed(one, renaming) for one in asked], names)
    assert_same(values(plain), values(other))
    for one, two in zip(plain.values(), other.values(), strict=True):
        assert {renaming[label] for label in one.per_label} == set(two.per_label)
        for label, mine in one.per_label.items():
            assert_same([list(mine.values())], [list(two.per_label[renaming[label]].values())])


@each_metric
@given(pair=pairs())
def test_unused_labels_are_irrelevant(name, pair):
    pair = fitting(name, pair)
    asked = requests(name, pair.kind)
    plain, other = scores(pair, asked), scores(pair, asked, ["AAA", *LABELS, "ZZZ"])
    if not LAWS[name].all_labels:
        assert_same(values(plain), values(other))
    for one, two in zip(plain.values(), other.values(), strict=True):
        assert one.per_label.keys() == two.per_label.keys() <= set(LABELS)
        for label, mine in one.per_label.items():
            assert_same([list(mine.values())], [list(two.per_label[label].values())])


@each_metric
@given(pair=pairs(), saw=st.sampled_from(["gold", "pred", None]))
def test_documents_that_only_one_has_seen_change_nothing(name, pair, saw):
    pair = fitting(name, pair)
    asked, spans = requests(name, pair.kind), [(0, 2, "LOC"), (3, 4, "PER")]
    more = {
        "sizes": (5,),
        "words": (list("abcab"),),
        "cuts": ((2,),),
        "names": ("more",),
        **{side: (spans if side == saw else None,) for side in ("gold", "pred")},
    }
    longer = replace(pair, **{key: (*getattr(pair, key), *rows) for key, rows in more.items()})
    assert_same(values(scores(longer, asked)), values(scores(pair, asked)))


# --- sums


@each_metric
@settings(max_examples=15)
@given(pair=pairs(), data=st.data())
def test_shards_add_up(name, pair, data):
    pair = fitting(name, pair)
    n_docs = len(pair.sizes)
    first = data.draw(st.sets(st.integers(0, n_docs - 1), max_size=n_docs))
    shards = [sorted(first), sorted(set(range(n_docs)) - first)]
    for asked in requests(name, pair.kind):
        whole = counted(asked, pair, pair).total()
        parts = [counted(asked, pair.part(docs), pair).total() for docs in shards]
        assert_equal_statistics(reduce(add, parts), whole)


@each_metric
@settings(max_examples=15)
@given(pair=pairs(), data=st.data())
def test_expectations_of_shards_add_up(name, pair, data):
    pair = fitting(name, pair)
    cut = data.draw(st.integers(0, len(pair.sizes)))
    halves = [pair.part(range(cut)), pair.part(range(cut, len(pair.sizes)))]
    for asked in requests(name, pair.kind):
        if asked.placement != "none":
            whole, *parts = (
                run_of(one).statistics(asked).expected.total() for one in (pair, *halves)
            )
            assert_equal_statistics(reduce(add, parts), whole)


def test_priors_of_shards_add_up():
    pair = random_pair(6)
    parts = [sequence_prior(pair.part([d]).sides()[0]).total() for d in range(len(pair.sizes))]
    assert_equal_statistics(reduce(add, parts), sequence_prior(pair.sides()[0]).total())


@each_metric
@settings(max_examples=15)
@given(pair=pairs())
def test_resampling_with_weights_of_one_is_the_total(name, pair):
    pair = fitting(name, pair)
    run = run_of(pair)
    for asked in requests(name, pair.kind):
        statistics = run.statistics(asked)
        for one in (statistics.observed, statistics.expected):
            if one is not None:
                weights = np.ones((2, len(pair.sizes)), np.int64)
                again, total = weighted(one, weights), one.total().each(np.float64)
                assert_equal_statistics(again[0], total)
                assert_equal_statistics(again[1], total)


@each_metric
@settings(max_examples=15)
@given(pair=pairs())
def test_leaving_a_document_out_is_scoring_the_others(name, pair):
    pair = fitting(name, pair)
    for asked in requests(name, pair.kind):
        score, statistics = asked.scorer(), counted(asked, pair, pair)
        docs = range(len(pair.sizes))
        rest = [counted(asked, pair.part([d for d in docs if d != out]), pair) for out in docs]
        for side in ("pooled", "by_label"):
            of = lambda sums: score(getattr(sums, side)())  # noqa: B023, E731
            assert_same(leave_one_out([statistics], of), [of(one.total()) for one in rest])


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


@pytest.mark.parametrize("unit", ["doc", "sent"])
@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if law.exact in EXACT])
def test_the_mean_over_random_annotations_is_the_expectation(name, unit):
    metric = CATALOG[name]
    encodings = ("IO", "BIO", "BIOE", "IO*") if metric.counted else (None,)
    for encoding in encodings:
        parameters = {"encoding": encoding} if encoding else {}
        for placement in EXACT[LAWS[name].exact]:
            # "uniform" is an approximation; nested spans have a formula for IO only
            if placement in ("none", "uniform") or (placement == "nested" and encoding != "IO"):
                if not (placement == "nested" and LAWS[name].exact == "span"):
                    continue
            asked = request(name, chance=placement, unit=unit, **parameters)
            pair, totals = random_statistics(
                metric.count, tuple(parameters.items()), placement, unit
            )
            expected = run_of(pair).statistics(asked).expected.total()
            for mine, drawn_ in zip(fields_of(expected), fields_of(totals), strict=True):
                room = 5 * standard_error(drawn_) + 1e-9
                np.testing.assert_array_less(np.abs(drawn_.mean(axis=0) - mine), room)


@each_metric
@given(pair=pairs())
def test_chance_corrected_is_zero_at_chance(name, pair):
    pair = fitting(name, pair)
    run = run_of(pair)
    for asked in [*requests(name, pair.kind), *requests(name, pair.kind, drawn=True)]:
        if asked.placement != "none":
            by_chance = run.statistics(asked).expected.total().pooled()
            at_chance = columns(asked.scorer(), Statistics(by_chance, by_chance))
            if at_chance["expected"][0] < 1 - 1e-9:
                assert at_chance["value"][0] == pytest.approx(0, abs=1e-12)
            else:
                assert np.isnan(at_chance["value"][0])


@each_metric
@given(pair=pairs())
def test_scores_lie_in_their_range(name, pair):
    pair = fitting(name, pair)
    law = LAWS[name]
    for score in scores(pair, requests(name, pair.kind)).values():
        if score.observed is None:
            continue
        if law.bounded:
            assert -1e-12 <= score.observed <= 1 + 1e-12
            assert score.expected is None or -1e-12 <= score.expected <= 1 + 1e-9
        if law.best == 1 and "slicm" not in name:
            assert score.value is None or score.value <= 1 + 1e-12
        elif law.best == 0:
            assert score.value >= 0


# --- what comes back


def assert_plain(value):
    """Only Python's own numbers, texts and containers."""
    assert type(value) in (int, float, str, dict, tuple, list, type(None)), type(value)
    if isinstance(value, dict):
        for key, item in value.items():
            assert type(key) is str
            assert_plain(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            assert_plain(item)


@each_metric
@settings(max_examples=15)
@given(pair=pairs())
def test_scores_are_plain_and_fit_for_json(name, pair):
    pair = fitting(name, pair)
    asked = [*requests(name, pair.kind), *requests(name, pair.kind, drawn=True)]
    for score in scores(pair, asked, per_doc=True, p_values=True, draws=2).values():
        assert_plain(score.to_dict())
        assert json.loads(json.dumps(score.to_dict(), allow_nan=False)) == score.to_dict()


@cache
def scored_together(kind, p_values):
    """A pair and its scores by all metrics, asked for at once."""
    pair = random_pair(7, kind)
    every = [one for each in LAWS for drawn in (False, True) for one in requests(each, kind, drawn)]
    return pair, scores(pair, every, draws=3, p_values=p_values)


@each_metric
@pytest.mark.parametrize("p_values", [False, True])
def test_a_metric_does_not_depend_on_the_others_asked_for(name, p_values):
    for kind in EVERY_KIND:
        pair, together = scored_together(kind, p_values)
        for one in [*requests(name, kind), *requests(name, kind, True)]:
            alone = scores(pair, [one], draws=3, p_values=p_values)
            assert alone[str(one)] == together[str(one)]


@each_metric
def test_equal_seeds_give_equal_scores(name):
    for kind in EVERY_KIND:
        pair = random_pair(8, kind)
        asked = [*requests(name, kind), *requests(name, kind, drawn=True)]
        options = {"draws": 5, "p_values": True, "seed": 3}
        assert scores(pair, asked, **options) == scores(pair, asked, **options)


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if law.drawn])
def test_other_seeds_give_other_drawn_expectations(name):
    asked = requests(name, "disjoint", drawn=True)
    one, two = (scores(random_pair(8), asked, draws=20, seed=seed) for seed in (0, 1))
    assert [s.expected for s in one.values()] != [s.expected for s in two.values()]
    assert all(s.standard_error > 0 for s in one.values())


@each_metric
def test_the_request_is_in_the_signature(name):
    for text, score in scores(random_pair(9, "flat"), requests(name, "flat")).items():
        assert score.signature.startswith(f"{text}|positions=token|docs=5|gold=")


def test_support_counts_the_spans_of_each_label():
    pair = random_pair(10)
    found = scores(pair, ["span_f"])["span_f"].per_label
    hits = span_hits(*pair.sides()).total()
    for i, label in enumerate(LABELS):
        row_ = found.get(label, {"gold": 0, "pred": 0})
        assert (row_["gold"], row_["pred"]) == (hits.gold[i], hits.pred[i])
