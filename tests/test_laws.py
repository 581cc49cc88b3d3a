"""Every law of the house, for every metric of the catalog."""

import json
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_chance_eval import CATALOG, evaluate, request
from spacy_chance_eval.evaluate import Run, Statistics, columns
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.draws import drawn, standard_error
from spacy_chance_eval.measures.matching import span_hits
from spacy_chance_eval.measures.slicm import count_words, sequence_prior, slicm_information
from spacy_chance_eval.measures.stats import merge
from strategies import KINDS, LABELS, pairs, random_pair

EXACT = {
    "span": ("none", "disjoint", "uniform", "overlapping", "nested"),
    "token": ("none", "disjoint", "uniform", "overlapping", "nested"),
    "pairs": ("none", "disjoint", "uniform"),
}
UNITS = [{"unit": "sent"}]
BETAS = [{"beta": 0.5}, {"beta": 2.0}]
ENCODINGS = [
    {"encoding": encoding, "chance": chance}
    for encoding in ("BIO", "BIOE", "IO*")
    for chance in ("disjoint", "overlapping")
]
INFORMATION = [
    {"token_information": "corpus"},
    {"rank": "information"},
    {"matching": "optimal"},
    {"token_information": "corpus", "rank": "information", "matching": "optimal"},
]
DRAWN = [
    {"chance": "disjoint"},
    {"chance": "overlapping", "token_information": "corpus", "rank": "information"},
    {"chance": "nested", "unit": "sent", "matching": "optimal"},
]
PAIRS_DRAWN = [{"chance": "overlapping"}, {"chance": "nested"}]


@dataclass(frozen=True)
class Law:
    """A row of the table: what is declared of a metric, and the parameters to try it with."""

    swapped: str | None
    exact: str  # which chance models have a formula: a key of EXACT
    variants: tuple = ()
    bits: bool = False
    drawn: tuple = ()  # variants whose expectation is drawn


def row(swapped, exact, *variants, drawn=()):
    return Law(swapped, exact, tuple(v for group in variants for v in group), drawn=tuple(drawn))


LAWS = {
    "span_precision": row("span_recall", "span", UNITS),
    "span_recall": row("span_precision", "span", UNITS),
    "span_f": row("span_f", "span", UNITS, BETAS),
    "token_precision": row("token_recall", "token", UNITS, ENCODINGS),
    "token_recall": row("token_precision", "token", UNITS, ENCODINGS),
    "token_f": row("token_f", "token", UNITS, ENCODINGS, BETAS),
    "link_precision": row("link_recall", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "link_recall": row("link_precision", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "link_f": row("link_f", "pairs", UNITS, BETAS, drawn=PAIRS_DRAWN),
    "bcubed_precision": row("bcubed_recall", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "bcubed_recall": row("bcubed_precision", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "bcubed_f": row("bcubed_f", "pairs", UNITS, BETAS, drawn=PAIRS_DRAWN),
    "int_precision": row("int_recall", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "int_recall": row("int_precision", "pairs", UNITS, drawn=PAIRS_DRAWN),
    "int_f": row("int_f", "pairs", UNITS, BETAS, drawn=PAIRS_DRAWN),
    "slicm": Law(None, "none", tuple(INFORMATION), bits=True),
    "slicm_norm": Law(None, "none", tuple(INFORMATION), drawn=tuple(DRAWN)),
}
# which spans of one label a chance model accepts
ACCEPTS = {"disjoint": {"disjoint"}, "uniform": {"disjoint"}, "nested": {"disjoint", "nested"}}

each_metric = pytest.mark.parametrize("name", LAWS)


def requests(name, kind, drawn=False):
    """The requests of a metric that spans of this kind allow; exact or drawn expectations."""
    law = LAWS[name]
    models = [{"chance": chance} for chance in EXACT.get(law.exact, ())]
    variants = law.drawn if drawn else [{}, *models, *law.variants]
    found = {}
    for parameters in variants:
        asked = request(name, **parameters)
        if kind in ACCEPTS.get(asked.placement, KINDS):
            found[str(asked)] = asked
    return list(found.values())


def scores(pair, asked, labels=LABELS, **options):
    return evaluate(*pair.sides(labels), asked, **options)


def values(results):
    """(value, observed, expected, macro) of every score, in the order asked for."""
    return [(s.value, s.observed, s.expected, s.macro) for s in results.values()]


def assert_same(one, two):
    """Scores that agree up to rounding, undefined ones at the same places."""
    clean = lambda rows: np.array(rows, float)  # noqa: E731  None becomes nan
    np.testing.assert_allclose(clean(one), clean(two), rtol=1e-9, atol=1e-10)


def run_of(pair, draws=5):
    gold, pred = align(*pair.sides())
    return Run(gold, pred, False, draws, 0, iter, {})


# --- the table


def test_the_table_has_one_row_for_every_metric_of_the_catalog():
    assert set(LAWS) == set(CATALOG), "give every metric of catalog.py a row in LAWS"


@each_metric
def test_the_table_declares_what_the_catalog_does(name):
    metric, law = CATALOG[name], LAWS[name]
    assert (metric.name, metric.swapped, metric.bits) == (name, law.swapped, law.bits)
    assert metric.higher_is_better
    assert metric.paper
    assert (metric.expected is not None) == (law.exact in EXACT)


@each_metric
def test_every_parameter_is_tried_with_another_value(name):
    tried = {key for v in (*LAWS[name].variants, *LAWS[name].drawn) for key in v}
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


@each_metric
@given(pair=pairs())
def test_gold_is_perfect_against_itself(name, pair):
    gold, _ = pair.sides()
    asked = [one for one in requests(name, pair.kind) if monotone(one, pair.kind)]
    for one, score in zip(asked, evaluate(gold, gold, asked).values(), strict=True):
        empty = not gold.seen[gold.doc].any()
        if CATALOG[name].count is slicm_information:
            counted = one.only(CATALOG[name].counted)
            best = slicm_information(gold, gold, **counted).total().gold.sum()
            empty = best == 0  # one word, everywhere, tells nothing
        if CATALOG[name].bits:
            assert score.observed == pytest.approx(best)
        elif empty:
            assert score.observed is score.value is None
        else:
            assert score.observed == pytest.approx(1)
            by_chance = one.placement != "none" and score.expected > 1 - 1e-9
            assert score.value == (None if by_chance else pytest.approx(1))


# --- symmetry


@each_metric
@given(pair=pairs())
def test_swapping_gold_and_prediction_gives_the_declared_metric(name, pair):
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
    renaming = dict(zip(LABELS, names, strict=True))
    asked = requests(name, pair.kind)
    plain, other = scores(pair, asked), scores(pair.renamed(renaming), asked, names)
    assert_same(values(plain), values(other))
    for one, two in zip(plain.values(), other.values(), strict=True):
        assert {renaming[label] for label in one.per_label} == set(two.per_label)
        for label, mine in one.per_label.items():
            assert_same([list(mine.values())], [list(two.per_label[renaming[label]].values())])


@each_metric
@given(pair=pairs())
def test_unused_labels_are_irrelevant(name, pair):
    asked = requests(name, pair.kind)
    plain, other = scores(pair, asked), scores(pair, asked, ["AAA", *LABELS, "ZZZ"])
    assert_same(values(plain), values(other))
    assert all(set(score.per_label) <= set(LABELS) for score in other.values())


# --- sums


def fields_of(statistics):
    return [np.asarray(value) for value in vars(statistics).values()]


def assert_equal_statistics(one, two):
    for mine, theirs in zip(fields_of(one), fields_of(two), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-12)
        assert mine.dtype == theirs.dtype


def counted(asked, gold, pred, whole):
    """Statistics of a shard; SL-ICM takes the prior and the words of the whole corpus."""
    metric = CATALOG[asked.metric]
    parameters = asked.only(metric.counted)
    if metric.count is slicm_information:
        gold_of_all = align(*whole.sides())[0]
        parameters["prior"] = sequence_prior(gold_of_all).total()
        parameters["word_counts"] = count_words(gold_of_all)
    return metric.count(gold, pred, **parameters)


@each_metric
@settings(max_examples=15)
@given(pair=pairs(), data=st.data())
def test_shards_add_up(name, pair, data):
    n_docs = len(pair.sizes)
    first = data.draw(st.sets(st.integers(0, n_docs - 1), max_size=n_docs))
    shards = [sorted(first), sorted(set(range(n_docs)) - first)]
    for asked in requests(name, pair.kind):
        whole = counted(asked, *pair.sides(), pair).total()
        parts = [counted(asked, *pair.part(docs).sides(), pair).total() for docs in shards]
        assert_equal_statistics(merge(parts), whole)


@each_metric
@settings(max_examples=15)
@given(pair=pairs(), data=st.data())
def test_expectations_of_shards_add_up(name, pair, data):
    cut = data.draw(st.integers(0, len(pair.sizes)))
    halves = [pair.part(range(cut)), pair.part(range(cut, len(pair.sizes)))]
    for asked in requests(name, pair.kind):
        if asked.placement != "none":
            whole, *parts = (
                run_of(one).statistics(asked).expected.total() for one in (pair, *halves)
            )
            assert_equal_statistics(merge(parts), whole)


def test_priors_of_shards_add_up():
    pair = random_pair(6)
    parts = [sequence_prior(pair.part([d]).sides()[0]).total() for d in range(len(pair.sizes))]
    assert_equal_statistics(merge(parts), sequence_prior(pair.sides()[0]).total())


@each_metric
@settings(max_examples=15)
@given(pair=pairs())
def test_resampling_with_weights_of_one_is_the_total(name, pair):
    run = run_of(pair)
    for asked in requests(name, pair.kind):
        statistics = run.statistics(asked)
        for one in (statistics.observed, statistics.expected):
            if one is not None:
                weights = np.ones((2, len(pair.sizes)), np.int64)
                again, total = one.resampled(weights), one.total()
                assert_equal_statistics(again[0], total)
                assert_equal_statistics(again[1], total)


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
    run, metric = run_of(pair), CATALOG[name]
    score = lambda one: metric.score(one, **asked.only(metric.scored))  # noqa: E731
    for asked in [*requests(name, pair.kind), *requests(name, pair.kind, drawn=True)]:
        if asked.placement != "none":
            by_chance = run.statistics(asked).expected.total().pooled()
            at_chance = columns(score, Statistics(by_chance, by_chance))
            if at_chance["expected"][0] < 1 - 1e-9:
                assert at_chance["value"][0] == pytest.approx(0, abs=1e-12)
            else:
                assert np.isnan(at_chance["value"][0])


@each_metric
@given(pair=pairs())
def test_scores_lie_in_their_range(name, pair):
    for score in scores(pair, requests(name, pair.kind)).values():
        if score.observed is not None and "slicm" not in name:
            assert -1e-12 <= score.observed <= 1 + 1e-12
            assert score.expected is None or -1e-12 <= score.expected <= 1 + 1e-9
            assert score.value is None or score.value <= 1 + 1e-12


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
    asked = [*requests(name, pair.kind), *requests(name, pair.kind, drawn=True)]
    for score in scores(pair, asked, per_doc=True, p_values=True, draws=2).values():
        assert_plain(score.to_dict())
        assert json.loads(json.dumps(score.to_dict(), allow_nan=False)) == score.to_dict()


@each_metric
def test_a_metric_does_not_depend_on_the_others_asked_for(name):
    for kind in KINDS:
        pair = random_pair(7, kind)
        every = [
            one for each in LAWS for drawn in (False, True) for one in requests(each, kind, drawn)
        ]
        for p_values in (False, True):
            options = {"draws": 3, "p_values": p_values}
            together = scores(pair, every, **options)
            for one in every:
                if one.metric == name:
                    assert scores(pair, [one], **options)[str(one)] == together[str(one)]


@each_metric
def test_equal_seeds_give_equal_scores(name):
    for kind in KINDS:
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
    for text, score in scores(random_pair(9), requests(name, "disjoint")).items():
        assert score.signature.startswith(f"{text}|positions=token|docs=5|gold=")


def test_support_counts_the_spans_of_each_label():
    pair = random_pair(10)
    found = scores(pair, ["span_f"])["span_f"].per_label
    hits = span_hits(*pair.sides()).total()
    for i, label in enumerate(LABELS):
        row_ = found.get(label, {"gold": 0, "pred": 0})
        assert (row_["gold"], row_["pred"]) == (hits.gold[i], hits.pred[i])
