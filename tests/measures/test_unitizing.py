"""The continuum of several annotators, its units and gaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import alpha_oracles as oracles
from helpers.strategies import LABELS
from helpers.teams import teams
from spacy_chance_eval.measures.alignment import align_panel
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.measures.unitizing import (
    continuum_of,
    gaps_of,
    met_lengths,
    paired_lengths,
    sides_of,
    units_of,
)

ROWS = [[(1, 3, "X"), (3, 4, "X")], [(0, 2, "Y")]]


def sorted_gaps(continuum, number=0):
    spans = continuum.annotators[number]
    columns = gaps_of(units_of(spans, 1, True), spans, continuum)
    return sorted(zip(*(column.tolist() for column in columns)))


def test_the_continuum_is_what_all_annotated_in_documents_that_two_saw():
    stretches = [(0, 0, 2), (0, 2, 5), (1, 0, 4)]
    one = Spans.from_tuples([[], []], [6, 4], ["X"], stretches=stretches)
    two, three = (Spans.from_tuples(docs, [6, 4], ["X"]) for docs in ([[], None], [None, []]))
    continuum = continuum_of([one, two])
    assert continuum.pieces.tolist() == [[0, 5]]
    assert continuum.lengths.tolist() == [5, 0]
    assert continuum.n_annotators.tolist() == [2, 0]
    aligned = align_panel([one, two, three])
    assert continuum_of(aligned[:2]).n_annotators.tolist() == [2, 0]
    sides = align_panel([Spans.from_tuples(ROWS, [6, 4])] * 2)  # aligned already
    assert all(one is two for one, two in zip(continuum_of(sides).annotators, sides))


def test_gaps_are_what_units_of_a_label_leave_in_a_document():
    continuum = continuum_of([Spans.from_tuples(ROWS, [6, 4])] * 2)
    rows = [(0, 0, 1), (0, 0, 2), (0, 1, 6), (1, 0, 4), (1, 1, 2)]
    assert sorted_gaps(continuum) == rows
    # they end at missing tokens but not at sentences
    stretches = [(0, 0, 2), (0, 2, 3), (0, 4, 9)]
    side = Spans.from_tuples([[(5, 6, "X")]], [9], stretches=stretches)
    assert sorted_gaps(continuum_of([side, side])) == [(0, 0, 1), (0, 0, 3), (0, 0, 3)]


@given(team=teams(kind="disjoint"))
def test_gaps_are_those_of_the_oracle(team):
    continuum = continuum_of(team.spans())
    for i in range(len(team.annotations)):
        expected = []
        for d in np.flatnonzero(continuum.annotators[i].seen):
            ((pieces, sides),) = team.part([d]).plain()
            saw = [rows[d] is not None for rows in team.annotations[:i]]
            rows = sides[sum(saw)]
            for k, label in enumerate(LABELS):
                found = oracles.stretches(pieces, rows, label)
                expected += [(d, k, e - b) for is_unit, b, e in found if not is_unit]
        assert sorted_gaps(continuum, i) == sorted(expected)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), max_size=7))
def test_paired_lengths_integrate_how_many_lie_around_each_point(rows):
    start = np.array([b for b, _ in rows], int)
    end = np.array([b + a for b, a in rows], int)
    around = [sum(b <= t < b + a for b, a in rows) for t in range(20)]
    assert paired_lengths(start, end, len(rows))[1].sum() == sum(n * (n - 1) for n in around)


@given(team=teams())
def test_met_lengths_count_the_others_units_token_by_token(team):
    sides = sides_of(continuum_of(team.spans()))
    marked = [[t for b, e in zip(side.start, side.end) for t in range(b, e)] for side in sides]
    for i, (side, met) in enumerate(zip(sides, met_lengths(sides))):
        others = [t for j, tokens in enumerate(marked) if j != i for t in tokens]
        expected = [sum(b <= t < e for t in others) for b, e in zip(side.start, side.end)]
        assert met.tolist() == expected


@pytest.mark.parametrize("by_label", [False, True])
def test_overlaps_of_one_label_are_named_with_advice(by_label):
    side = Spans.from_tuples([[], [(1, 4, "X"), (2, 3, "X")]], [9, 9], names=["a", "b"])
    message = r"annotator 2: X \[1, 4\) in b and X \[2, 3\) in b overlap; .*--on-error skip"
    with pytest.raises(ValueError, match=message):
        units_of(side, 2, by_label)
