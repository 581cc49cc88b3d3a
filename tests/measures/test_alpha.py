"""Krippendorff's alpha_U against published numbers and loops over all pairs of stretches."""

import numpy as np
import pytest
from hypothesis import given

from helpers import alpha_oracles as oracles
from helpers.cases import each_case
from helpers.published import rows, runs
from helpers.resamples import weighted
from helpers.strategies import LABELS
from helpers.teams import numbers, teams
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.measures.unitizing import (
    alpha_u,
    alpha_u_parts,
    unit_distances,
)


def alone(units, size):
    """One annotator of one document; units are (start, length)."""
    return Spans.from_tuples([[(b, b + a, "X") for b, a in units]], [size], ["X"])


def pooled(annotators, **options):
    """(D_o, D_e, alpha_U) of all labels."""
    total = unit_distances(annotators, **options).total().pooled()
    return [float(x[0]) for x in (*alpha_u_parts(total), alpha_u(total))]


def by_label(annotators, **options):
    """Rows of D_o, D_e and alpha_U, one column per label."""
    total = unit_distances(annotators, **options).total().by_label()
    return np.array([*alpha_u_parts(total), alpha_u(total)])


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


# --- published numbers

# D_o, D_e and alpha_U of Krippendorff's measure on the simulations of "Estimating Agreement by
# Chance for Sequence Annotation". The table prints .0366 and .9090 for 1B: see below.
PUBLISHED = {
    "1A = 2A": (".0075", ".0537", ".8602"),
    "1B": (".0033", ".0411", ".9189"),
    "2B = 3B": (".0125", ".1047", ".8806"),
    "3A": (".0025", ".0388", ".9356"),
    "4, annotator 1": (".1523", ".2154", ".2931"),
    "4, annotator 2": (".0268", ".2881", ".9071"),
}


def simulated(row):
    sides = [(runs(row[side]), len(row[side])) for side in ("gold", "other")]
    return [alone([(b, e - b) for b, e in units], size) for units, size in sides]


@each_case("row", rows("chance.csv"))
def test_the_simulations_give_the_published_distances(row):
    found = [f"{x:.4f}".removeprefix("0") for x in pooled(simulated(row))]
    assert tuple(found) == PUBLISHED[row["case"]]


def test_the_printed_number_of_1b_keeps_the_appended_zeros_as_a_gap_of_their_own():
    row = rows("chance.csv")[1]
    sides = [
        Spans.from_tuples([[(*unit, "X") for unit in runs(row[side][:20])], []], [20, 10], ["X"])
        for side in ("gold", "other")
    ]
    assert [f"{x:.4f}" for x in pooled(sides)] == ["0.0033", "0.0366", "0.9090"]


def test_one_long_unit_against_three_short_ones():
    found = pooled([alone([(1, 8)], 10), alone([(2, 1), (4, 1), (6, 1)], 10)])
    assert [f"{x:.4f}" for x in found] == ["0.9100", "0.5352", "-0.7003"]


@pytest.mark.parametrize("at", [0, 7, 19])
def test_one_unit_of_one_of_three_annotators_is_agreement_by_chance(at):
    found = pooled([alone(units, 20) for units in ([(at, 1)], [], [])])
    assert found[2] == pytest.approx(0, abs=1e-12)


# --- against the oracle


@given(team=teams(kind="disjoint"))
def test_distances_are_those_of_all_pairs_of_stretches(team):
    same(pooled(team.spans()), numbers(oracles.alpha_u(team.plain(), LABELS)))


@given(team=teams(kind="disjoint"))
def test_labels_by_themselves_are_those_of_all_pairs_of_stretches(team):
    expected = [numbers(oracles.alpha_u(team.plain(), [label])) for label in LABELS]
    same(by_label(team.spans()), np.transpose(expected))


@given(team=teams(kind="flat", labels=("X",), most=8, longest=25, docs=2))
def test_crowded_documents_agree_with_the_oracle(team):
    same(pooled(team.spans(("X",))), numbers(oracles.alpha_u(team.plain(), ["X"])))


# --- undefined values


def test_without_units_there_is_no_value():
    observed, expected, value = pooled([alone([], 20), alone([], 20)])
    assert (observed, expected) == (0, 0)
    assert np.isnan(value)


def test_one_annotator_has_no_value():
    assert np.isnan(pooled([alone([(1, 3)], 20)])).all()


def test_annotators_without_a_shared_document_have_no_value():
    unit = [(0, 2, "X")]
    sides = [Spans.from_tuples(docs, [5, 5]) for docs in ([unit, None], [None, unit])]
    assert np.isnan(pooled(sides)).all()


def test_a_unit_that_can_only_be_where_it_is_has_no_value():
    assert np.isnan(pooled([alone([(0, 1)], 1), Spans.from_tuples([None], [1], ["X"])])[2])


def test_a_label_that_nobody_used_has_no_value():
    sides = [Spans.from_tuples([[(2, 4, "X")]], [9], ["X", "Y"])] * 2
    values = by_label(sides)[2]
    assert values[0] == 1
    assert np.isnan(values[1])


# --- laws


@given(team=teams(kind="disjoint"))
def test_lengths_without_units_change_nothing(team):
    same(pooled(team.spans(), lengths=range(1, 40)), pooled(team.spans()))


def test_a_document_taken_twice_counts_like_its_copy():
    docs = [[(1, 3, "X")], [(0, 2, "X"), (4, 5, "X")]], [[(2, 4, "X")], [(0, 3, "X")]]
    sides = [Spans.from_tuples(rows, [6, 8]) for rows in docs]
    replica = weighted(unit_distances(sides), np.array([[2, 1]])).pooled()
    copies = [Spans.from_tuples([rows[0], *rows], [6, 6, 8]) for rows in docs]
    same(alpha_u(replica)[0], pooled(copies)[2:])


def test_a_document_that_one_annotator_saw_counts_nothing():
    docs = [[(1, 3, "X")], [(0, 2, "X")]], [[(2, 4, "X")], None]
    sides = [Spans.from_tuples(rows, [6, 8]) for rows in docs]
    statistics = unit_distances(sides).pooled()
    fields = (statistics.rated, statistics.length, statistics.units, statistics.places)
    assert not any(field[1].any() for field in fields)


def test_units_beyond_int64_cubed_are_counted():
    size = 3_000_000
    sides = [alone([(0, size - 1)], size), alone([(1, size - 1)], size)]
    found = pooled(sides)
    team = [([(0, size)], [[(0, size - 1, "X")], [(1, size, "X")]])]
    expected = oracles.expected_distance(team, "X")
    assert found[1] == pytest.approx(float(expected), rel=1e-9)


# --- errors


def test_overlapping_units_of_a_label_are_named():
    crossed = Spans.from_tuples([[(1, 4, "X"), (2, 3, "Y"), (3, 5, "X")]], [9], names=["memo"])
    empty = Spans.from_tuples([[]], [9], names=["memo"])
    with pytest.raises(ValueError, match=r"annotator 2: X \[1, 4\) in memo and X \[3, 5\) in memo"):
        unit_distances([empty, crossed])


def test_overlapping_units_of_different_labels_are_fine():
    nested = Spans.from_tuples([[(1, 4, "X"), (2, 3, "Y")]], [9])
    assert pooled([nested, nested])[2] == 1


def test_a_length_that_is_not_listed_is_an_error():
    with pytest.raises(ValueError, match=r"annotator 1: X \[1, 4\) .* has length 3"):
        unit_distances([alone([(1, 3)], 9), alone([], 9)], lengths=[1, 2])
