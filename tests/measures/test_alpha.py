"""Krippendorff's alpha_U against published numbers and loops over stretches, and its continuum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import alpha_oracles as oracles
from helpers.resamples import weighted
from helpers.strategies import LABELS
from helpers.teams import numbers, teams
from spacy_chance_eval.measures.alignment import align_panel
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.measures.unitizing import (
    alpha_u,
    continuum_of,
    gaps_of,
    unit_distances,
    units_of,
)


def alone(units, size):
    """One annotator of one document; units are (start, length)."""
    return Spans.from_tuples([[(b, b + a, "X") for b, a in units]], [size], ["X"])


def pooled(annotators, **options):
    """(D_o, D_e, alpha_U) of all labels."""
    total = unit_distances(annotators, **options).total().pooled()
    return [float(x[0]) for x in oracles.with_alpha(*alpha_u(total))]


def by_label(annotators, **options):
    """Rows of D_o, D_e and alpha_U, one column per label."""
    total = unit_distances(annotators, **options).total().by_label()
    return np.array(oracles.with_alpha(*alpha_u(total)))


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


# --- against the oracle


CROWDED = {"kind": "flat", "labels": ("X",), "most": 8, "longest": 25, "docs": 2}


@pytest.mark.parametrize("options", [{"kind": "disjoint"}, CROWDED], ids=["disjoint", "crowded"])
@given(data=st.data())
def test_distances_are_those_of_all_pairs_of_stretches(options, data):
    team, labels = data.draw(teams(**options)), options.get("labels", LABELS)
    same(pooled(team.spans(labels)), numbers(oracles.alpha_u(team.plain(), labels)))
    expected = [numbers(oracles.alpha_u(team.plain(), [label])) for label in labels]
    same(by_label(team.spans(labels)), np.transpose(expected))


# --- laws


def test_a_document_taken_twice_counts_like_its_copy_and_one_of_one_annotator_nothing():
    docs = [[(1, 3, "X")], [(0, 2, "X"), (4, 5, "X")]], [[(2, 4, "X")], [(0, 3, "X")]]
    sides = [Spans.from_tuples(rows, [6, 8]) for rows in docs]
    replica = weighted(unit_distances(sides), np.array([[2, 1]])).pooled()
    copies = [Spans.from_tuples([rows[0], *rows], [6, 6, 8]) for rows in docs]
    same(np.ravel(alpha_u(replica)), pooled(copies)[:2])
    same(pooled(sides, lengths=range(1, 40)), pooled(sides))  # lengths without units
    alone = [Spans.from_tuples(rows, [6, 8]) for rows in (docs[0], [docs[1][0], None])]
    statistics = unit_distances(alone).pooled()
    fields = (statistics.rated, statistics.length, statistics.units, statistics.places)
    assert not any(field[1].any() for field in fields)


def test_overlapping_units_of_a_label_and_unknown_lengths_are_named():
    crossed = Spans.from_tuples([[(1, 4, "X"), (2, 3, "Y"), (3, 5, "X")]], [9], names=["memo"])
    empty = Spans.from_tuples([[]], [9], names=["memo"])
    with pytest.raises(ValueError, match=r"annotator 2: X \[1, 4\) in memo and X \[3, 5\) in memo"):
        unit_distances([empty, crossed])
    with pytest.raises(ValueError, match=r"annotator 1: X \[1, 4\) .* has length 3"):
        unit_distances([alone([(1, 3)], 9), alone([], 9)], lengths=[1, 2])


def test_units_beyond_int64_cubed_are_counted():
    size = 3_000_000
    sides = [alone([(0, size - 1)], size), alone([(1, size - 1)], size)]
    found = pooled(sides)
    team = [([(0, size)], [[(0, size - 1, "X")], [(1, size, "X")]])]
    expected = oracles.expected_distance(team, "X")
    assert found[1] == pytest.approx(float(expected), rel=1e-9)


# --- the continuum of several annotators, its units and gaps


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
