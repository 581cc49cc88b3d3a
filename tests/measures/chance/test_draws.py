"""Random annotations: uniform, inside their units and parents; means and p-values of many."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from helpers.strategies import pairs, placements, random_pair
from spacy_chance_eval.measures.alignment import align, units
from spacy_chance_eval.measures.chance import draws, expectation
from spacy_chance_eval.measures.chance.draws import (
    distinct_slots,
    drawn,
    p_value,
    sampler,
    standard_error,
)
from spacy_chance_eval.measures.matching import span_hits, token_hits
from spacy_chance_eval.measures.spans import Spans


def assert_uniform(counts, outcomes, total):
    """Every outcome is as frequent as every other, up to 5 standard errors, and no other occurs."""
    assert set(counts) <= set(outcomes)
    share = 1 / len(outcomes)
    error = np.sqrt(share * (1 - share) / total)
    frequencies = np.array([counts[outcome] / total for outcome in outcomes])
    np.testing.assert_array_less(np.abs(frequencies - share), 5 * error + 1e-12)


# --- distinct_slots


class Stubborn:
    """Throws everything to place 0, so that every container stays crowded."""

    def __init__(self):
        self.random = np.random.default_rng(5).random

    def integers(self, low, high):
        return np.zeros(len(high), np.int64)


@pytest.mark.parametrize(
    ("rows", "places", "size", "rng"),
    [(4, 4, 24_000, np.random.default_rng(3)), (2, 3, 20_000, Stubborn())],
    ids=["crowded", "the deck alone"],
)
def test_slots_of_a_crowded_container_are_a_uniform_permutation(rows, places, size, rng):
    owner = np.repeat(np.arange(size), rows)
    slot = distinct_slots(owner, np.full(size, places), rng)
    counts = Counter(map(tuple, slot.reshape(size, rows).tolist()))
    assert_uniform(counts, list(permutations(range(places), rows)), size)


# --- sampler


def shape_of(spans, table):
    """How many spans of which label and length stand in which unit."""
    unit = np.searchsorted(table[:, 1], spans.offsets[spans.doc] + spans.start, "right") - 1
    return Counter(zip(unit.tolist(), spans.label.tolist(), spans.lengths.tolist()))


@pytest.mark.parametrize("unit", ["document", "sentence"])
@given(pair=pairs(), seed=st.integers(0, 2**32))
def test_random_annotations_keep_lengths_labels_units_and_forests(unit, pair, seed):
    gold, pred = align(*pair.sides())
    table = units(gold, pred, unit)
    thrown = sampler(gold, table, pair.kind)(np.random.default_rng(seed))
    assert shape_of(thrown, table) == shape_of(gold, table)
    start = thrown.offsets[thrown.doc] + thrown.start
    inside = (table[:, 1] <= start[:, None]) & ((start + thrown.lengths)[:, None] <= table[:, 2])
    assert inside.any(axis=1).all()
    order = np.lexsort((thrown.label, thrown.end, thrown.start, thrown.doc))
    assert order.tolist() == list(range(len(thrown)))
    if pair.kind != "overlapping":
        one, two = (
            expectation.nested_forests(spans, draws.cell_ids(spans, table))
            for spans in (gold, thrown)
        )
        assert one == two
    if pair.kind == "disjoint":
        assert (expectation.parents(thrown) == -1).all()


@pytest.mark.parametrize(
    ("kind", "spans", "shape"),
    [
        ("disjoint", [(0, 2), (3, 4)], (2, 1)),
        ("disjoint", [(0, 2), (2, 4), (4, 5)], (2, 2, 1)),
        ("disjoint", [(0, 6)], (6,)),
        ("overlapping", [(0, 2), (1, 4)], (2, 3)),
        ("nested", [(0, 3), (1, 2), (4, 5)], ((3, ((1, ()),)), (1, ()))),
    ],
)
def test_random_annotations_are_uniform_over_the_placements(kind, spans, shape):
    n, copies = 6, 6000
    documents = [[(*span, "A") for span in spans]] * copies
    corpus = Spans.from_tuples(documents, [n] * copies)
    thrown = sampler(corpus, units(corpus, corpus), kind)(np.random.default_rng(8))
    counts = Counter()
    for document in range(copies):
        mine = thrown.doc == document
        counts[tuple(zip(thrown.start[mine].tolist(), thrown.end[mine].tolist()))] += 1
    outcomes = sorted({tuple(sorted(x)) for x in placements(kind, n, shape)[1]})
    assert_uniform(counts, outcomes, copies)


# --- drawn, p_value, standard_error


def test_drawn_means_are_the_means_of_the_totals():
    seen = []
    expected, totals = drawn(
        token_hits,
        *align(*random_pair(5).sides()),
        placement="disjoint",
        unit="document",
        draws=50,
        rng=np.random.default_rng(1),
        progress=lambda steps: seen.append(len(steps)) or steps,
    )
    np.testing.assert_allclose(expected.total().correct, totals.correct.mean(axis=0))
    assert totals.correct.shape == (50, 3)
    assert expected.correct.shape == (5, 3)
    assert (totals.gold == totals.gold[0]).all()  # disjoint annotations keep the mass
    assert seen == [50]


def test_both_sides_are_thrown():
    gold = Spans.from_tuples([[(0, 1, "A")]], [2])
    _, totals = drawn(
        span_hits, gold, gold, placement="disjoint", unit="document", draws=900,
        rng=np.random.default_rng(2),
    )  # fmt: skip
    assert totals.correct.mean() == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(900))


def test_the_standard_error_is_that_of_a_mean():
    replicas = np.array([[1.0, 4.0], [3.0, 4.0], [2.0, 4.0]])
    np.testing.assert_allclose(standard_error(replicas), [1 / np.sqrt(3), 0])
    np.testing.assert_array_equal(standard_error([[0.5, 0.2]]), [np.nan, np.nan])


FOUR = [0.1, 0.5, 0.7, 0.3]


@each_case(
    ("observed", "replicas", "p"),
    [
        (0.9, FOUR, 1 / 5),
        (0.5, FOUR, 3 / 5),
        (0.0, FOUR, 1.0),
        (0.5 + 1e-14, FOUR, 3 / 5),
        (np.nan, FOUR, np.nan),
        (0.5, [np.nan, 0.6, 0.1], 2 / 4),
    ],
)
def test_the_p_value_counts_draws_that_reach_the_observed_score(observed, replicas, p):
    np.testing.assert_allclose(p_value(observed, np.array(replicas)), p)
