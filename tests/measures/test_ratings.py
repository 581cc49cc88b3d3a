"""Statistics of items: what is the same, what adds up, and what is undefined."""

import numpy as np
import pytest
from hypothesis import given

from helpers.nominal_oracles import RATINGS, panels
from helpers.strategies import LABELS
from spacy_chance_eval.measures import items, nominal
from spacy_chance_eval.measures.alignment import align_panel
from spacy_chance_eval.measures.items import (
    coincidences,
    label_confusion,
    specific_counts,
    team_confusion,
    weighted_coincidences,
)
from spacy_chance_eval.measures.nominal import (
    cohen_kappa,
    davies_fleiss,
    fleiss_cuzick,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    observed_agreement,
    percent_agreement,
    scott_pi,
)
from spacy_chance_eval.measures.spans import Spans

OF_COMPLETE = observed_agreement, davies_fleiss, fleiss_kappa
OF_PAIRS = percent_agreement, fleiss_cuzick, krippendorff_alpha, gwet_ac1
COUNTS = {team_confusion: OF_COMPLETE, coincidences: OF_PAIRS, weighted_coincidences: (gwet_ac2,)}
counts = pytest.mark.parametrize("count", COUNTS, ids=lambda function: function.__name__)
kinds = pytest.mark.parametrize("items", RATINGS)
CORRECTED = {
    team_confusion: (davies_fleiss, fleiss_kappa),
    coincidences: (fleiss_cuzick, krippendorff_alpha, gwet_ac1),
    weighted_coincidences: (gwet_ac2,),
}


def scored(count, total):
    """All scores of statistics, of the whole first, then of the labels."""
    sides = total.pooled(), total.by_label()
    rows = [np.concatenate([score(side) for side in sides], axis=-1) for score in COUNTS[count]]
    return np.array(rows)


def scores_of(count, team, **options):
    return scored(count, count(align_panel(team), **options).total())


def same(one, two):
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_an_annotator_who_saw_nothing_leaves_no_complete_items():
    team = [Spans.from_tuples([doc], [2], ["X"]) for doc in ([(0, 1, "X")], [], None)]
    assert np.isnan(scores_of(team_confusion, team)).all()


# --- what is the same


@given(panel=panels(most=2))
def test_of_two_annotators_davies_and_fleiss_is_kappa_and_fleiss_is_pi(panel):
    team = align_panel(panel.team())
    pair, several = label_confusion(*panel.team()).total(), team_confusion(team).total()
    for side in (lambda total: total.pooled(), lambda total: total.by_label()):
        same(cohen_kappa(side(pair)), davies_fleiss(side(several)))
        same(scott_pi(side(pair)), fleiss_kappa(side(several)))


@given(panel=panels(most=2))
def test_of_two_annotators_both_kinds_of_percent_agreement_are_one(panel):
    team = align_panel(panel.team())
    complete, pairs = team_confusion(team).total(), coincidences(team).total()
    same(observed_agreement(complete.by_label()), percent_agreement(pairs.by_label()))


@given(panel=panels(most=2))
def test_pairs_are_compared_where_both_saw_the_document(panel):
    first, second = panel.team()
    statistics = label_confusion(first, second)
    items = np.where(first.seen & second.seen, panel.sizes, 0)
    assert statistics.whole.items[:, 0].tolist() == items.tolist()


@given(panel=panels(most=2))
def test_specific_counts_are_those_of_the_confusion_of_labels(panel):
    found = specific_counts(*panel.team())
    labels = label_confusion(*panel.team()).labels
    neither = found.items - found.first - found.second + found.both
    assert (found.both + neither).tolist() == labels.agreeing.tolist()
    assert (found.both <= np.minimum(found.first, found.second)).all() and (neither >= 0).all()


# --- what adds up


@counts
def test_rows_that_are_worked_on_one_by_one_add_up(count, monkeypatch):
    docs = [[(0, 2, "LOC"), (4, 6, "ORG")]], [[(1, 5, "LOC")]], [[(0, 3, "LOC"), (3, 6, "ORG")]]
    team = [Spans.from_tuples(doc, [8], LABELS) for doc in docs]
    together = scores_of(count, team)
    monkeypatch.setattr(items, "BLOCK", 1)
    same(scores_of(count, team), together)


def test_counts_are_whole_numbers():
    team = [Spans.from_tuples([doc], [3], ["X"]) for doc in ([(0, 1, "X")], [(0, 2, "X")])]
    for side in (team_confusion(team).whole, team_confusion(team).labels):
        assert {array.dtype for array in vars(side).values()} == {np.dtype(np.int64)}


def test_statistics_of_different_weights_do_not_add_up():
    team = [Spans.from_tuples([[(0, 1, label)]], [1], ["1", "2"]) for label in "12"]
    one, two = (
        weighted_coincidences(team, weights=weights) for weights in ({("1", "2"): 0.5}, "linear")
    )
    with pytest.raises(ValueError, match="different values or weights do not add up"):
        one + two


# --- what is undefined


@counts
def test_agreement_without_items_is_undefined(count):
    for team in ([[None], [None]], [[[]], [None]], [[], []]):
        spans = [Spans.from_tuples(side, [2] * len(side), ["X"]) for side in team]
        assert np.isnan(scores_of(count, spans)).all()


@counts
def test_one_annotator_agrees_with_nobody(count):
    one = Spans.from_tuples([[(0, 1, "X")]], [3], ["X"])
    assert np.isnan(scored(count, count([one]).total())).all()


@counts
@pytest.mark.parametrize("n_annotators", [2, 3, 7])
@pytest.mark.parametrize("spans", [[], [(0, 9, "X")]], ids=["none", "all"])
def test_agreement_on_one_single_value_is_undefined_beyond_chance(spans, n_annotators, count):
    total = count([Spans.from_tuples([spans], [9], ["X"])] * n_annotators).total()
    for score in CORRECTED[count]:
        assert np.isnan(score(total.pooled())).all() and np.isnan(score(total.by_label())).all()


def test_two_who_use_one_value_each_have_a_kappa_of_0():
    team = [Spans.from_tuples([doc], [5], ["X"]) for doc in ([(0, 5, "X")], [])]
    total = label_confusion(*team).total().pooled()
    assert cohen_kappa(total).tolist() == [0.0]
    assert scott_pi(total).tolist() == [-1.0]
    assert [part.tolist() for part in nominal.davies_fleiss_parts(total)] == [[0.0], [0.0]]
    assert [part.tolist() for part in nominal.fleiss_parts(total)] == [[0.0], [0.5]]
