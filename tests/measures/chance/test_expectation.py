"""Expected matches of corpora: every small case exactly, the others against many draws."""

from functools import cache, partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from helpers import oracles
from helpers.cases import each_case, later
from helpers.strategies import (
    SIZES,
    corpus_of,
    expected_common,
    expected_mass,
    forests,
    item_counts,
    pairs,
    placements,
    random_pair,
    small_pairs,
    span_counts,
)
from spacy_chance_eval.measures.alignment import align
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


@pytest.mark.parametrize("n", [4, *later(5)])
@pytest.mark.parametrize("measure", SHARED)
def test_expected_pairs_are_those_of_the_joint_enumeration(measure, n):
    exactly, phi = SHARED[measure]
    cases = small_pairs(sizes=range(1, n + 1))
    actual = expected_pairs(corpus_of(cases, 1), corpus_of(cases, 2), [phi])[0][:, 0]
    exact = []
    for n, *both in cases:
        sides = [placements("disjoint", n, side) for side in both]
        sides = [[(p, spans) for spans in every] for p, every in sides]
        exact.append(float(oracles.expected(exactly, *sides)))
    np.testing.assert_allclose(actual, exact, rtol=1e-11, atol=1e-13)


# --- the uniform approximation


@each_case(
    ("n", "lengths", "flat"),
    [
        # (n - a + k) / (n - a_i + 1) > .99: 994/998 for the segments of length 3
        (1000, (3, 3, 3), [True]),
        # exact where segments are dense
        (20, (3, 3, 5), [False, False]),
        # n - a + k = 955: 955/1000 for the single token, 955/956 for the long segment
        (1000, (1, 45, 2), [False, False, True]),
    ],
)
def test_uniform_takes_equal_starts_where_the_paper_does(n, lengths, flat):
    """And decides for each segment by itself."""
    cases = cases_of([(n, lengths)])
    starts, exact = (start_distributions(cases, model) for model in ("uniform", "disjoint"))
    for found, right, equal in zip(starts, exact, flat, strict=True):
        assert (np.ptp(found) == 0) == equal
        expected = np.full(len(found), 1 / len(found)) if equal else right
        np.testing.assert_array_equal(found, expected)


# --- cells


def test_equal_cells_are_worked_out_once(monkeypatch):
    documents = [[(0, 1, "A"), (2, 4, "A")], [(0, 2, "A"), (5, 6, "A")], [(0, 1, "A")]]
    spans = Spans.from_tuples(documents, [9, 9, 9])
    cells = cells_of(spans, spans, "document")
    assert len(cells.doc) == 3
    assert len(cells.cases.free) == 2
    assert cells.gold[0] == cells.gold[1] != cells.gold[2]
    calls = []
    genuine = expectation.touching
    monkeypatch.setattr(
        expectation, "touching", lambda *arguments: calls.append(1) or genuine(*arguments)
    )
    spans = Spans.from_tuples([[(0, 2, "A")]] * 50, [6] * 50)
    expected_pairs(spans, spans, [lambda o, a, b: o])
    assert len(calls) == 1


def test_a_cut_document_expects_what_its_sentences_expect_apart():
    whole = Spans.from_tuples([[(0, 2, "A"), (5, 6, "A")]], [9], stretches=[(0, 0, 4), (0, 4, 9)])
    apart = Spans.from_tuples([[(0, 2, "A")], [(1, 2, "A")]], [4, 5])
    for function in (expected_tokens, expected_spans):
        by_sentence = function(whole, whole, unit="sentence").sum()
        assert by_sentence == pytest.approx(function(apart, apart).sum())
        assert by_sentence > function(whole, whole, unit="document").sum() > 0
    missing = Spans.from_tuples([[(0, 1, "A")]], [10], stretches=[(0, 0, 4)])
    assert expected_tokens(missing, missing).sum() == pytest.approx(1 / 4)


# --- check_placement


GOOD = Spans.from_tuples([[(0, 2, "A")], []], [5, 5], "AB")
BAD = Spans.from_tuples([[], [(0, 3, "A"), (2, 4, "A"), (2, 4, "B")]], [5, 5], "AB")


@each_case(
    ("gold", "pred", "placement", "message"),
    [
        row
        for placement in ("disjoint", "uniform")
        for row in (
            (GOOD, BAD, placement, r"A \[0, 3\) in document 2 overlaps A \[2, 4\) in doc"),
            (BAD, GOOD, placement, "use chance=overlapping"),
        )
    ]
    + [(GOOD, GOOD, "random", "unknown chance model 'random'; expected one of")],
)
def test_spans_that_contradict_the_model_are_named(gold, pred, placement, message):
    with pytest.raises(ValueError, match=message):
        check_placement(gold, pred, placement)
    spans = Spans.from_tuples([[(0, 3, "A"), (1, 4, "B")]], [5])
    for model in PLACEMENTS:  # spans of two labels may overlap under any
        check_placement(spans, spans, model)


@pytest.mark.parametrize("unit", ["document", "sentence"])
def test_prepared_annotators_expect_what_they_do_unprepared(unit):
    for seed in range(5):
        plain = align(*random_pair(seed).sides())
        quick = prepared(*plain, unit)
        for expected, other in product((expected_tokens, expected_spans), ("document", "sentence")):
            found, alone = expected(*quick, unit=other), expected(*plain, unit=other)
            np.testing.assert_allclose(found, alone, atol=1e-12)
    assert quick[0].keep(slice(1)).prepared is None  # it does not stay with some of the spans


# --- laminar spans: their forest, and their expected matches


def laid_out(cases, side):
    """`Spans` with one document per (n, forest, forest): the first placement of each forest."""
    every = [placements("nested", case[0], case[side])[1][0] for case in cases]
    documents = [[(*span, "X") for span in spans] for spans in every]
    return Spans.from_tuples(documents, [case[0] for case in cases], ["X"])


def assert_exact(cases):
    sides = laid_out(cases, 1), laid_out(cases, 2)
    for function, counted in (
        (expected_spans, lambda n, x: span_counts("nested", n, x)),
        (expected_tokens, lambda n, x: item_counts("nested", n, x, "IO")),
    ):
        actual = function(*sides, placement="nested")[:, 0]
        exact = [float(expected_common(counted(n, x), counted(n, y))) for n, x, y in cases]
        np.testing.assert_allclose(actual, exact, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("sizes", [SIZES[:-1], *later(SIZES[-1:])], ids=["small", "largest"])
def test_expected_matches_of_every_small_forest_against_itself_and_two_others(sizes):
    cases = []
    for n in sizes:
        every = forests(n)
        for i, forest in enumerate(every):
            others = forest, every[i * 7 % len(every)], every[-1 - i]
            cases += [(n, forest, other) for other in others]
    assert_exact(cases)


@given(pairs(kinds=("nested", "disjoint"), unseen=False))
def test_the_parent_of_a_span_is_the_smallest_of_its_label_around_it(pair):
    spans, _ = pair.sides()
    parent = expectation.parents(spans)
    rows = list(zip(spans.doc, spans.label, spans.start, spans.end))
    for row, (doc, label, start, end) in enumerate(rows):
        around = [
            (e - s, other)
            for other, (d, x, s, e) in enumerate(rows)
            if (d, x) == (doc, label) and s <= start and end <= e and other != row
        ]
        assert parent[row] == (min(around)[1] if around else -1)
    kept = expectation.outermost(spans)
    outer = [row for row, above in zip(rows, parent) if above < 0]
    assert list(zip(kept.doc, kept.label, kept.start, kept.end)) == outer


def test_crossing_spans_are_an_error_that_names_both():
    spans = Spans.from_tuples([[], [(0, 3, "A"), (2, 5, "A")]], [5, 5], names=["one", "two"])
    with pytest.raises(ValueError, match=r"A \[0, 3\) in two crosses A \[2, 5\) in two"):
        expectation.parents(spans)
    with pytest.raises(ValueError, match="use chance=overlapping"):
        expected_tokens(spans, spans, placement="nested")
    for apart in ([(0, 3, "A"), (2, 5, "B")], [(0, 3, "A"), (3, 5, "A")]):
        assert expectation.parents(Spans.from_tuples([apart], [5])).tolist() == [-1, -1]
