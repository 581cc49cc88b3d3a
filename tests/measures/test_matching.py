"""Span, token, link, BCubed and Int masses against loops over pairs, scikit-learn and seqeval."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from helpers import oracles
from helpers.cases import each_case
from helpers.strategies import LABELS, MODELS, pairs, random_pair
from spacy_chance_eval.measures import matching
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.chance.expectation import CHANNELS
from spacy_chance_eval.measures.matching import Hits, f_score, precision, recall
from spacy_chance_eval.measures.spans import Spans

SHARED = {
    "span": oracles.matching_spans,
    "link": oracles.shared_links,
    "bcubed": oracles.bcubed_matched,
    "int": oracles.int_matched,
    "token": oracles.shared_tokens,
}
# counts, masses of the oracle, number that two annotations share, expectations
COUNTS = {
    what: (
        getattr(matching, f"{what}_hits"),
        getattr(oracles, f"{what}_masses"),
        shared,
        getattr(matching, f"expected_{what}_hits"),
    )
    for what, shared in SHARED.items()
}
OF_TOKENS = COUNTS.pop("token")
for way in CHANNELS:
    COUNTS[way] = tuple(partial(function, encoding=way) for function in OF_TOKENS)


def fields_of(hits, index=...):
    names = ("gold", "recalled", "pred", "correct")
    return [np.asarray(getattr(hits, name))[index].tolist() for name in names]


# --- observed masses against the oracles


def assert_like_the_oracle(what, pair):
    """That each document and label has the masses of the oracle, and so have all together."""
    count, oracle, *_ = COUNTS[what]
    found = count(*pair.sides())
    if what not in ("bcubed", "int"):
        assert {array.dtype for array in vars(found).values()} == {np.dtype("int64")}

    for i, label in enumerate([*LABELS, None]):
        hits, column = (found, i) if label else (found.pooled(), 0)
        expected = [float(x) for x in oracle(pair.gold, pair.pred, label=label)]
        assert fields_of(hits.total(), column) == pytest.approx(expected)
        for d, (gold, pred) in enumerate(zip(pair.gold, pair.pred)):
            expected = [float(x) for x in oracle([gold], [pred], label=label)]
            assert fields_of(hits, (d, column)) == pytest.approx(expected)


@pytest.mark.parametrize("what", COUNTS)
@given(pair=pairs(unseen=False))
def test_masses_of_every_label_are_those_of_the_oracle(what, pair):
    assert_like_the_oracle(what, pair)


@each_case("what", COUNTS)
@each_case("seed", range(6))
def test_masses_of_crowded_corpora_are_those_of_the_oracle(what, seed):
    sizes = (14, 9, 11)
    pair = random_pair(seed, "overlapping", sizes=sizes, most=12, longest=8)
    assert_like_the_oracle(what, pair)


UNPLACED = {"span": 1, "link": 6, "bcubed": 3, "int": 1, "IO": 3, "BIO": 3, "BIOE": 3, "IO*": 5}


@each_case("what", COUNTS)
def test_spans_that_fit_no_tokens_were_marked_but_match_nothing(what):
    count, *_, expect = COUNTS[what]
    gold = Spans.from_tuples([[(0, 3, "A")]], [5])
    pred = Spans.from_tuples([[]], [5], "A", unplaced=[(0, 0, 3)])
    expected = [[[UNPLACED[what]]], [[0]], [[UNPLACED[what]]], [[0]]]
    assert fields_of(count(gold, pred)) == expected
    assert fields_of(count(pred, gold)) == expected
    if what in CHANNELS:  # they keep their mass among overlapping ones
        pred = Spans.from_tuples([[(1, 3, "A")]], [5], unplaced=[(0, 0, 3)])
        observed = count(gold, pred)
        hits = expect(*align(gold, pred), observed, placement="overlapping", unit="document")
        np.testing.assert_allclose(hits.pred, observed.pred)


# --- expected masses against the joint enumeration


def expected_hits(what, pair, placement):
    gold, pred = align(*pair.sides())
    count, *_, expected = COUNTS[what]
    return expected(gold, pred, count(gold, pred), placement=placement, unit="document")


@pytest.mark.parametrize("placement", MODELS)
@pytest.mark.parametrize("what", COUNTS)
@each_case("seed", range(4))
def test_expected_matches_are_those_of_the_enumeration(what, placement, seed):
    pair = random_pair(seed, placement, sizes=(5, 6, 3), most=3, labels=LABELS[:2], longest=3)
    hits = expected_hits(what, pair, placement)
    if hits is None:
        assert placement != "disjoint"
        return
    total = hits.total()
    for i, label in enumerate(LABELS[:2]):
        for actual, one, two in (
            (total.correct[i], pair.gold, pair.pred),
            (total.recalled[i], pair.pred, pair.gold),
        ):
            exact = oracles.expected_in_corpus(
                COUNTS[what][2], one, two, pair.sizes, MODELS[placement], label
            )
            assert actual == pytest.approx(float(exact), abs=1e-12)


def test_only_additive_expectations_have_a_formula():
    formulas, pair = set(), random_pair(1, "disjoint")
    for what, placement in product(COUNTS, (*MODELS, "uniform")):
        hits, observed = expected_hits(what, pair, placement), COUNTS[what][0](*pair.sides())
        if hits is not None:
            formulas.add((what, placement))
        if placement == "disjoint":  # such spans expect the mass that they have
            assert hits.gold.tolist() == observed.gold.tolist()
            assert hits.pred.tolist() == observed.pred.tolist()
    everywhere = {(what, p) for what in ("span", "IO") for p in (*MODELS, "uniform")}
    encoded = {(e, p) for e in CHANNELS for p in ("disjoint", "uniform", "overlapping")}
    pairwise = {(w, p) for w in ("link", "bcubed", "int") for p in ("disjoint", "uniform")}
    assert formulas == everywhere | encoded | pairwise


# --- scores


@given(pairs(unseen=False))
def test_scores_are_those_of_the_oracle(pair):
    masses = oracles.bcubed_masses(pair.gold, pair.pred)
    total = matching.bcubed_hits(*pair.sides()).total().pooled()
    for score, oracle in ((precision, oracles.precision), (recall, oracles.recall)):
        expected = oracle(masses)
        assert score(total)[0] == pytest.approx(
            float("nan") if expected is None else expected, nan_ok=True
        )
    for beta in (0.5, 1, 2):
        expected = oracles.f_beta(masses, beta)
        expected = float("nan") if expected is None else float(expected)
        assert f_score(total, beta=beta)[0] == pytest.approx(expected, nan_ok=True)


@each_case(
    ("masses", "beta", "p", "r", "f"),
    [
        ((0, 0, 0, 0), 1, np.nan, np.nan, np.nan),
        ((2, 0, 0, 0), 1, np.nan, 0, 0),
        ((0, 0, 2, 0), 1, 0, np.nan, 0),
        ((2, 0, 2, 0), 1, 0, 0, 0),
        ((2, 2, 2, 2), 1, 1, 1, 1),
        ((4, 1, 2, 1), 2, 0.5, 0.25, 5 * 0.5 * 0.25 / (4 * 0.5 + 0.25)),
    ],
)
def test_edges_are_nan_or_zero_and_beta_weighs_recall(masses, beta, p, r, f):
    hits = Hits(*(np.full((7, 3, 2), mass) for mass in masses))
    actual = precision(hits), recall(hits), f_score(hits, beta=beta)
    for found, expected in zip(actual, (p, r, f)):
        np.testing.assert_allclose(found, np.full((7, 3, 2), expected), rtol=1e-15)
    with pytest.raises(ValueError, match="unknown encoding 'BILUO'; expected one of"):
        matching.token_hits(*random_pair(0).sides(), encoding="BILUO")


# --- programs that many know: scikit-learn and seqeval


def tags(spans, size):
    out = ["O"] * size
    for start, end, label in spans:
        out[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return out


@pytest.mark.integration
@each_case("seed", range(8))
def test_span_scores_are_those_of_seqeval(seed):
    seqeval = pytest.importorskip("seqeval.metrics")
    pair = random_pair(seed, "flat", sizes=(15, 12, 9, 20), most=7)
    sides = [
        [tags(spans, n) for spans, n in zip(side, pair.sizes)] for side in (pair.gold, pair.pred)
    ]
    report = seqeval.classification_report(*sides, output_dict=True, zero_division=0)
    total = matching.span_hits(*pair.sides()).total()
    for i, label in enumerate(LABELS):
        if label in report:
            ours = [float(np.nan_to_num(s(total)[i])) for s in (precision, recall, f_score)]
            theirs = [report[label][key] for key in ("precision", "recall", "f1-score")]
            assert ours == pytest.approx(theirs)
    assert f_score(total.pooled())[0] == pytest.approx(report["micro avg"]["f1-score"])
