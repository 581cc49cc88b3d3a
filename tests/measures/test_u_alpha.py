"""The u-alpha family against loops over tokens and the krippendorff package."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import alpha_oracles as oracles
from helpers.cases import each_case
from helpers.strategies import LABELS
from helpers.teams import numbers, teams, units_of_tokens
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.measures.u_alpha import (
    bar_u_alpha,
    cu_alpha,
    cu_coverage,
    u_alpha,
    unit_intersections,
    unit_lengths,
)
from spacy_chance_eval.measures.unitizing import crossed_docs

SCORES = {
    u_alpha: unit_lengths,
    bar_u_alpha: unit_lengths,
    cu_alpha: unit_intersections,
    cu_coverage: unit_intersections,
}
every_score = pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)


def score_of(score, statistics):
    """A coefficient of sums, or the coverage."""
    found = score(statistics)
    return found if score is cu_coverage else oracles.with_alpha(*found)[-1]


def pooled(score, annotators):
    """The score of all labels together."""
    return score_of(score, SCORES[score](annotators).total().pooled())


def by_label(score, annotators):
    """The score of each label."""
    return score_of(score, SCORES[score](annotators).total().by_label())


def same(found, expected):
    """Assert that numbers are equal but for rounding."""
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


# --- against the oracle


@given(team=teams())
def test_u_alpha_is_that_of_token_by_token_coincidences(team):
    """That of a label takes all others as gap."""
    rows = [LABELS, *([label] for label in LABELS)]
    expected = [numbers(oracles.u_alphas(team.plain(), labels)) for labels in rows]
    statistics = unit_lengths(team.spans()).total()
    for side, right in (("pooled", expected[:1]), ("by_label", expected[1:])):
        total = getattr(statistics, side)()
        assert total.valued.dtype == total.squares.dtype == np.int64
        found = [*oracles.with_alpha(*u_alpha(total)), score_of(bar_u_alpha, total)]
        same(np.transpose(found), right)


@given(team=teams(most=8, longest=20, docs=2))
def test_cu_alpha_and_coverage_are_those_of_token_by_token_intersections(team):
    spans, plain = team.spans(), team.plain()
    same(pooled(cu_alpha, spans), numbers([oracles.cu_alpha(plain, LABELS)]))
    same(pooled(cu_coverage, spans), numbers([oracles.coverage(plain, LABELS, LABELS)]))
    expected = [oracles.ku_alpha(plain, LABELS, label) for label in LABELS]
    same(by_label(cu_alpha, spans), numbers(expected))
    expected = [oracles.coverage(plain, LABELS, [label]) for label in LABELS]
    same(by_label(cu_coverage, spans), numbers(expected))


# --- against krippendorff 0.8: units of one token make u-alpha the nominal alpha of tokens

texts = st.none() | st.text("-LOP", min_size=4, max_size=4)


@given(st.lists(st.tuples(texts, texts, texts), min_size=2, max_size=4))
def test_units_of_one_token_make_it_the_nominal_alpha(annotators):
    krippendorff = pytest.importorskip("krippendorff")
    names = dict(zip("LOP", LABELS))
    team = units_of_tokens(annotators, (4, 4, 4)).renamed(names)
    kept = [d for d in range(3) if sum(docs[d] is not None for docs in annotators) > 1]
    table = [
        [np.nan if docs[d] is None else "-LOP".index(docs[d][t]) for d in kept for t in range(4)]
        for docs in annotators
    ]
    values = {x for row in table for x in row if not np.isnan(x)}
    found = pooled(u_alpha, team.spans())
    if len(values) < 2:
        assert np.isnan(found)
    else:
        same(found, krippendorff.alpha(table, level_of_measurement="nominal"))


# --- undefined values


@every_score
@each_case(
    ("documents", "labels"),
    [
        ([[[]], [[]]], "XY"),  # no units
        ([[[]], [[]]], ""),
        ([[[(1, 3, "X"), (4, 6, "Y")]]], "XY"),  # one annotator
        ([[[(0, 2, "X"), (2, 3, "Y")], None], [None, [(0, 2, "X"), (2, 3, "Y")]]], "XY"),
    ],
)
def test_without_units_or_shared_documents_there_is_no_value(score, documents, labels):
    sides = [Spans.from_tuples(docs, [9] * len(docs), labels) for docs in documents]
    assert np.isnan(pooled(score, sides)).all()
    assert np.isnan(by_label(score, sides)).all()


@each_case(
    "units",
    [
        # units that never meet
        [[(0, 2, "X")], [(2, 4, "Y")]],
        # one label alone, whatever the number of annotators
        [[(0, 5, "X")], [(2, 9, "X")], [(1, 4, "X"), (7, 9, "X")], [(3, 8, "X")]],
    ],
)
def test_labels_that_do_not_meet_another_have_no_alpha(units):
    sides = [Spans.from_tuples([row], [9], "XY") for row in units]
    assert np.isnan(pooled(cu_alpha, sides))
    assert np.isnan(by_label(cu_alpha, sides)).all()
    assert len(units) > 2 or pooled(cu_coverage, sides) == 0


def test_overlaps_matter_in_documents_that_two_annotators_saw():
    nested = [(1, 4, "X"), (2, 3, "Y")]
    docs = [nested, [(0, 1, "X")]], [None, [(0, 1, "X")]]
    assert pooled(u_alpha, [Spans.from_tuples(rows, [9, 3], ["X", "Y"]) for rows in docs]) == 1
    crossed = Spans.from_tuples([[*nested, (3, 5, "X")]], [9], names=["memo"])
    message = r"annotator 1: X \[1, 4\) in memo and X \[3, 5\) in memo overlap; units of one label"
    for count in (unit_lengths, unit_intersections):
        with pytest.raises(ValueError, match=message):
            count([crossed, crossed])


# --- units of different labels that overlap: each label on its own continuum


crossed_teams = teams(kind="disjoint", most=7)


def of_label(team, label):
    """The documents as oracles read them, with the units of a label in front: they come first."""
    return [
        (pieces, [sorted(units, key=lambda unit: unit[2] != label) for units in annotations])
        for pieces, annotations in team.plain()
    ]


def alone(team, label):
    """The same with the units of this label only."""
    return [
        (pieces, [[unit for unit in units if unit[2] == label] for units in annotations])
        for pieces, annotations in team.plain()
    ]


@given(team=crossed_teams)
def test_a_label_has_the_values_of_its_own_continuum(team):
    expected = [numbers(oracles.u_alphas(alone(team, label), [label])[2:]) for label in LABELS]
    spans = team.spans()
    same(np.transpose([by_label(one, spans) for one in (u_alpha, bar_u_alpha)]), expected)
    # all other labels are one, and a token counts once
    expected = [oracles.ku_alpha(of_label(team, label), LABELS, label) for label in LABELS]
    same(by_label(cu_alpha, spans), numbers(expected))
    expected = [oracles.coverage(of_label(team, label), LABELS, [label]) for label in LABELS]
    same(by_label(cu_coverage, spans), numbers(expected))


def test_discontinuous_spans_overlap_if_their_pieces_do():
    apart = [{"fragments": [[0, 1], [4, 5]], "label": "X"}, {"start": 1, "end": 3, "label": "X"}]
    shared = [*apart, {"fragments": [[2, 3], [6, 7]], "label": "Y"}]
    spans = Spans.from_dicts([apart, shared], sizes=[9, 9])
    assert crossed_docs(spans, False) == {1: 3}
    assert crossed_docs(spans, True) == {}
