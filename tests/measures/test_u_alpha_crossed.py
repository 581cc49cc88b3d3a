"""The u-alpha family where units of different labels overlap: each label on its own continuum."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import alpha_oracles as oracles
from helpers.strategies import LABELS
from helpers.teams import numbers, teams, units_of_tokens
from helpers.u_alphas import SCORES, by_label, every_score, pooled, same
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.measures.u_alpha import bar_u_alpha, cu_alpha, cu_coverage, u_alpha
from spacy_chance_eval.measures.unitizing import crossed_docs

crossed_teams = teams(kind="disjoint", most=7)
NESTED = Spans.from_tuples([[(1, 4, "X"), (2, 3, "Y")], [(0, 2, "X")]], [9, 5])
FLAT = Spans.from_tuples([[(1, 4, "X"), (5, 6, "Y")], [(0, 2, "Y")]], [9, 5])


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
def test_u_alpha_of_a_label_is_that_of_its_own_continuum(team):
    expected = [numbers(oracles.u_alphas(alone(team, label), [label])[2:]) for label in LABELS]
    same(np.transpose([by_label(one, team.spans()) for one in (u_alpha, bar_u_alpha)]), expected)


@given(team=crossed_teams)
def test_ku_alpha_of_a_label_takes_all_others_as_one(team):
    expected = [oracles.ku_alpha(of_label(team, label), LABELS, label) for label in LABELS]
    same(by_label(cu_alpha, team.spans()), numbers(expected))


@given(team=crossed_teams)
def test_the_coverage_of_a_label_counts_a_token_once(team):
    expected = [oracles.coverage(of_label(team, label), LABELS, [label]) for label in LABELS]
    same(by_label(cu_coverage, team.spans()), numbers(expected))


tokens = st.lists(st.sampled_from(["", "X", "Y", "XY"]), min_size=6, max_size=6)


@given(st.lists(tokens, min_size=2, max_size=4))
def test_units_of_one_token_make_each_label_the_alpha_of_having_it(annotators):
    """The reference is krippendorff 0.8."""
    krippendorff = pytest.importorskip("krippendorff")
    sides = [
        Spans.from_tuples([[(t, t + 1, x) for t, here in enumerate(row) for x in here]], [6], "XY")
        for row in annotators
    ]
    for label, found in zip("XY", by_label(u_alpha, sides)):
        table = [[label in here for here in row] for row in annotators]
        if len({had for row in table for had in row}) == 2:
            same(found, krippendorff.alpha(np.array(table, int), level_of_measurement="nominal"))
        else:
            assert np.isnan(found)


@every_score
def test_all_labels_together_have_no_value(score):
    assert np.isnan(pooled(score, [NESTED, FLAT])).all()
    assert not np.isnan(by_label(score, [NESTED, FLAT])).any()


@every_score
def test_documents_without_such_units_keep_their_rows(score):
    found, flat = (SCORES[score](sides) for sides in ([NESTED, FLAT], [FLAT, FLAT]))
    assert np.isnan(score(found[:1].whole)).all()
    second = [Spans.from_tuples([rows], [5], "XY") for rows in ([(0, 2, "X")], [(0, 2, "Y")])]
    expected = SCORES[score](second)
    for name in vars(expected.whole):
        for part in ("whole", "labels"):
            mine, theirs = (getattr(getattr(x, part), name) for x in (found[1:], expected))
            assert np.array_equal(mine, theirs)
    assert not np.isnan(score(flat.total().whole)).any()


@every_score
@given(team=crossed_teams)
def test_blocks_add_up(score, team):
    blocks = [SCORES[score](team.part([d]).spans()) for d in range(len(team.sizes))]
    found = reduce(add, blocks).total()
    same(score(found.by_label()), by_label(score, team.spans()))
    same(score(found.pooled()), pooled(score, team.spans()))


def test_discontinuous_spans_overlap_if_their_pieces_do():
    apart = [{"fragments": [[0, 1], [4, 5]], "label": "X"}, {"start": 1, "end": 3, "label": "X"}]
    shared = [*apart, {"fragments": [[2, 3], [6, 7]], "label": "Y"}]
    spans = Spans.from_dicts([apart, shared], sizes=[9, 9])
    assert crossed_docs(spans, False) == {1: 3}
    assert crossed_docs(spans, True) == {}


def test_a_label_that_overlaps_nothing_has_the_value_of_its_units():
    team = units_of_tokens([["X-X-"], ["XX--"]], (4,), ("X",))
    apart = Spans.from_tuples([[(0, 4, "Y"), (0, 1, "X"), (2, 3, "X")]], [4], ("X", "Y"))
    other = Spans.from_tuples([[(0, 3, "Y"), (0, 1, "X"), (1, 2, "X")]], [4], ("X", "Y"))
    same(by_label(u_alpha, [apart, other])[0], pooled(u_alpha, team.spans(("X",)))[0])
