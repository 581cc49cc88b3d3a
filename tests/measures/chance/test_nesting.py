"""Laminar spans: their forest, and their expected matches against enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from helpers import oracles
from helpers.cases import each_case
from helpers.strategies import (
    SIZES,
    expected_common,
    forests,
    item_counts,
    pairs,
    placements,
    span_counts,
)
from spacy_chance_eval.measures.chance import expectation
from spacy_chance_eval.measures.chance.distributions import fields_of
from spacy_chance_eval.measures.chance.expectation import expected_spans, expected_tokens
from spacy_chance_eval.measures.spans import Spans


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


@pytest.mark.integration
@each_case("n", SIZES)
def test_starts_and_coverage_of_every_small_forest_are_those_of_the_enumeration(n):
    cases = [(n, forest) for forest in forests(n) if forest]
    spans = laid_out(cases, 1)
    for (_, forest), field in zip(cases, fields_of(spans, spans, placement="nested"), strict=True):
        probability, counts = span_counts("nested", n, forest)
        expected = {span: float(probability * count) for span, count in counts.items()}
        actual = dict.fromkeys(expected, 0.0)
        for length, starts in expectation.nested_starts(n, forest).items():
            for start, value in enumerate(starts):
                if value > 1e-15:
                    actual[start, start + length] += value
        assert actual == pytest.approx(expected, rel=1e-11, abs=1e-13)
        probability, counts = item_counts("nested", n, forest, "IO")
        exact = [float(probability * counts[t, "I"]) for t in range(n)]
        np.testing.assert_allclose(field.gold.covered, exact, atol=1e-13)


@pytest.mark.parametrize(
    "sizes", [range(1, 6), pytest.param(range(6, 10), marks=pytest.mark.slow)], ids=["to 5", "to 9"]
)
def test_expected_matches_of_all_pairs_of_forests(sizes):
    assert_exact([(n, *both) for n in sizes for both in product(forests(n), repeat=2)])


def test_expected_matches_of_every_small_forest_against_itself_and_two_others():
    cases = []
    for n in SIZES:
        every = forests(n)
        for i, forest in enumerate(every):
            others = forest, every[i * 7 % len(every)], every[-1 - i]
            cases += [(n, forest, other) for other in others]
    assert_exact(cases)


def test_the_forests_are_all_there_are():
    def canonical(forest):
        return tuple(sorted((length, canonical(children)) for length, children in forest))

    for n in range(1, 6):
        found = set()
        spans = [(s, e) for s in range(n) for e in range(s + 1, n + 1)]
        for chosen in product([*spans, None], repeat=3):
            kept = sorted({span for span in chosen if span})
            if not any(a[0] < b[0] < a[1] < b[1] for a in kept for b in kept):
                found.add(canonical(oracles.forest_of(kept)))
        assert found == set(forests(n))


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


def test_forests_forget_where_spans_stand():
    one = Spans.from_tuples([[(0, 5, "A"), (1, 3, "A"), (7, 8, "A")]], [9])
    two = Spans.from_tuples([[(4, 9, "A"), (7, 9, "A"), (0, 1, "A")]], [9])
    cell = np.zeros(3, int)
    expected = {0: ((1, ()), (5, ((2, ()),)))}
    assert (
        expectation.nested_forests(one, cell) == expectation.nested_forests(two, cell) == expected
    )
