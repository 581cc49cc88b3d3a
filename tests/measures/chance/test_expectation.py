"""Expected matches of corpora: every small case exactly, the others against many draws."""

from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given

from helpers import oracles
from helpers.strategies import (
    LABELS,
    MODELS,
    corpus_of,
    expected_common,
    expected_mass,
    item_counts,
    pairs,
    placements,
    random_pair,
    small_pairs,
    span_counts,
)
from spacy_chance_eval.measures.alignment import align, align_panel
from spacy_chance_eval.measures.chance import expectation
from spacy_chance_eval.measures.chance.expectation import (
    CHANNELS,
    PLACEMENTS,
    cells_of,
    check_placement,
    expected_pairs,
    expected_spans,
    expected_token_mass,
    expected_tokens,
    prepared,
)
from spacy_chance_eval.measures.chance.placement import cases_of, start_distributions
from spacy_chance_eval.measures.spans import Spans

# the largest unit of which every case is enumerated
up_to = pytest.mark.parametrize("n", [6, pytest.param(9, marks=pytest.mark.integration)])


@cache
def every_small_case(placement, n):
    """All cases of two annotators of n tokens at most with k <= 3, and the corpora of them."""
    disjoint = placement == "disjoint"
    cases = small_pairs(disjoint, range(1, n + 1))
    return cases, *(corpus_of(cases, side, disjoint) for side in (1, 2))


@up_to
@pytest.mark.parametrize("encoding", [*CHANNELS, "spans"])
@pytest.mark.parametrize("placement", ["disjoint", "overlapping"])
def test_expected_items_are_exact_for_every_small_case(placement, encoding, n):
    cases, gold, pred = every_small_case(placement, n)
    if encoding == "spans":
        actual = expected_spans(gold, pred, placement=placement)[:, 0]
        count = span_counts
    else:
        actual = expected_tokens(gold, pred, encoding=encoding, placement=placement)[:, 0]
        count = partial(item_counts, encoding=encoding)
    sides = ((count(placement, n, one), count(placement, n, two)) for n, one, two in cases)
    exact = [float(expected_common(*pair)) for pair in sides]
    np.testing.assert_allclose(actual, exact, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("encoding", CHANNELS)
def test_the_expected_mass_of_overlapping_spans_is_exact_for_every_small_case(encoding):
    cases = [(n, x, x) for n, x in sorted({case[:2] for case in small_pairs(False)})]
    spans = corpus_of(cases, 1, False)
    actual = expected_token_mass(spans, spans, encoding=encoding)[:, 0]
    exact = [float(expected_mass(item_counts("overlapping", n, x, encoding))) for n, x, _ in cases]
    np.testing.assert_allclose(actual, exact, rtol=1e-12)


SHARED = {
    "link": (oracles.shared_links, lambda o, a, b: o * (o + 1) / 2),
    "bcubed": (oracles.bcubed_matched, lambda o, a, b: o * o / b),
    "int": (oracles.int_matched, lambda o, a, b: o / b),
}


@pytest.mark.parametrize("measure", SHARED)
def test_expected_pairs_are_those_of_the_joint_enumeration(measure):
    exactly, phi = SHARED[measure]
    cases = small_pairs(sizes=range(1, 6))
    actual = expected_pairs(corpus_of(cases, 1), corpus_of(cases, 2), [phi])[0][:, 0]
    exact = []
    for n, *both in cases:
        sides = [placements("disjoint", n, side) for side in both]
        sides = [[(p, spans) for spans in every] for p, every in sides]
        exact.append(float(oracles.expected(exactly, *sides)))
    np.testing.assert_allclose(actual, exact, rtol=1e-11, atol=1e-13)


@given(pairs(unseen=False, most=2, docs=3))
def test_a_corpus_expects_the_sum_of_its_documents_and_labels(pair):
    gold, pred = align(*pair.sides())
    model = MODELS[pair.kind]
    for function, measure in (
        (expected_spans, oracles.matching_spans),
        (expected_tokens, oracles.shared_tokens),
    ):
        actual = function(gold, pred, placement=pair.kind, unit="document").sum(axis=0)
        for label, value in zip(LABELS, actual, strict=True):
            exact = oracles.expected_in_corpus(
                measure, pair.gold, pair.pred, pair.sizes, model, label
            )
            assert value == pytest.approx(float(exact), rel=1e-11, abs=1e-12)


# --- the uniform approximation


def test_uniform_takes_equal_starts_where_the_paper_does():
    # (n - a + k) / (n - a_i + 1) > .99: 994/998 for the segments of length 3.
    cases = cases_of([(1000, (3, 3, 3))])
    np.testing.assert_array_equal(start_distributions(cases, "uniform")[0], 1 / 998)


def test_uniform_is_exact_where_segments_are_dense():
    cases = cases_of([(20, (3, 3, 5))])
    pairs = zip(*(start_distributions(cases, model) for model in ("disjoint", "uniform")))
    for exact, found in pairs:
        np.testing.assert_array_equal(found, exact)


def test_uniform_decides_for_each_segment_by_itself():
    # n - a + k = 955: 955/1000 for the single token, 955/956 for the long segment.
    cases = cases_of([(1000, (1, 45, 2))])
    one, two, long = start_distributions(cases, "uniform")
    assert np.ptp(long) == 0
    assert np.ptp(one) > 0
    assert np.ptp(two) > 0


def test_uniform_is_close_to_exact_in_long_texts():
    cases = [(2000, (2, 3, 4), (3, 3, 1))]
    sides = corpus_of(cases, 1), corpus_of(cases, 2)
    for function in (expected_tokens, expected_spans):
        exact, uniform = (function(*sides, placement=p)[0, 0] for p in ("disjoint", "uniform"))
        assert uniform == pytest.approx(exact, rel=1e-2)
        assert uniform != exact


# --- cells


def test_cells_in_which_one_side_is_empty_expect_nothing():
    gold = Spans.from_tuples([[(0, 2, "A")], [(0, 1, "B")]], [4, 4], "AB")
    pred = Spans.from_tuples([[(1, 2, "B")], [(2, 3, "B")]], [4, 4], "AB")
    np.testing.assert_allclose(expected_tokens(gold, pred), [[0, 0], [0, 1 / 4]])
    np.testing.assert_allclose(expected_spans(gold, pred), [[0, 0], [0, 1 / 4]])


def test_equal_cells_are_one_case():
    documents = [[(0, 1, "A"), (2, 4, "A")], [(0, 2, "A"), (5, 6, "A")], [(0, 1, "A")]]
    spans = Spans.from_tuples(documents, [9, 9, 9])
    cells = cells_of(spans, spans, "document")
    assert len(cells.doc) == 3
    assert len(cells.cases.free) == 2
    assert cells.gold[0] == cells.gold[1] != cells.gold[2]


def test_a_corpus_without_spans_or_documents_expects_nothing():
    for empty in (Spans.from_tuples([[]], [5], "A"), Spans.from_tuples([], [], "A")):
        assert expected_tokens(empty, empty).sum() == 0
        assert expected_spans(empty, empty).sum() == 0
        assert expected_token_mass(empty, empty).sum() == 0


def test_equal_cells_are_worked_out_once(monkeypatch):
    calls = []
    genuine = expectation.touching
    monkeypatch.setattr(
        "spacy_chance_eval.measures.chance.expectation.touching",
        lambda *arguments: calls.append(1) or genuine(*arguments),
    )
    spans = Spans.from_tuples([[(0, 2, "A")]] * 50, [6] * 50)
    expected_pairs(spans, spans, [lambda o, a, b: o])
    assert len(calls) == 1


def test_sentences_are_smaller_units_with_more_agreement_by_chance():
    pair = random_pair(3, sizes=(12, 12, 12))
    gold, _ = pair.sides()
    by_document, by_sentence = (
        expected_tokens(gold, gold, unit=u).sum() for u in ("document", "sentence")
    )
    assert by_sentence > by_document > 0


def test_a_cut_document_expects_what_its_sentences_expect_apart():
    whole = Spans.from_tuples([[(0, 2, "A"), (5, 6, "A")]], [9], stretches=[(0, 0, 4), (0, 4, 9)])
    apart = Spans.from_tuples([[(0, 2, "A")], [(1, 2, "A")]], [4, 5])
    for function in (expected_tokens, expected_spans):
        assert function(whole, whole, unit="sentence").sum() == pytest.approx(
            function(apart, apart).sum()
        )


def test_missing_tokens_leave_the_unit():
    gold = Spans.from_tuples([[(0, 1, "A")]], [10], stretches=[(0, 0, 4)])
    assert expected_tokens(gold, gold).sum() == pytest.approx(1 / 4)


# --- check_placement


@pytest.mark.parametrize("placement", ["disjoint", "uniform"])
def test_overlapping_spans_contradict_the_disjoint_model_and_are_named(placement):
    good = Spans.from_tuples([[(0, 2, "A")], []], [5, 5], "AB")
    bad = Spans.from_tuples([[], [(0, 3, "A"), (2, 4, "A"), (2, 4, "B")]], [5, 5], "AB")
    with pytest.raises(ValueError, match=r"A \[0, 3\) in document 2 overlaps A \[2, 4\) in doc"):
        check_placement(good, bad, placement)
    with pytest.raises(ValueError, match="use chance=overlapping"):
        check_placement(bad, good, placement)


def test_spans_of_two_labels_may_overlap_under_any_model():
    spans = Spans.from_tuples([[(0, 3, "A"), (1, 4, "B")]], [5])
    for placement in PLACEMENTS:
        check_placement(spans, spans, placement)


def test_an_unknown_model_is_an_error():
    spans = Spans.from_tuples([[]], [5], "A")
    with pytest.raises(ValueError, match="unknown chance model 'random'; expected one of"):
        check_placement(spans, spans, "random")


@pytest.mark.parametrize("unit", ["document", "sentence"])
def test_prepared_annotators_expect_what_they_do_unprepared(unit):
    for seed in range(5):
        plain = align(*random_pair(seed).sides())
        quick = prepared(*plain, unit)
        for expected in (expected_tokens, expected_spans):
            for other in ("document", "sentence"):
                found, alone = expected(*quick, unit=other), expected(*plain, unit=other)
                np.testing.assert_allclose(found, alone, atol=1e-12)


def test_what_was_prepared_does_not_stay_with_some_of_the_spans():
    ready = prepared(*align_panel(random_pair(1).sides()), "sentence")
    assert ready[0].keep(slice(1)).prepared is None
