"""The tables of agreement against loops over pairs, and what must not change them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import panel_oracles as oracles
from helpers.panel_oracles import Team, Work, panels
from helpers.paneltables import NUMBERS, SCOPES, each, near, same, tables
from spacy_chance_eval import Panel, Resampling, Spans
from spacy_chance_eval.metrics.catalog import CATALOG
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.scoring.agreement import agreement
from spacy_chance_eval.scoring.counts import OF_TWO
from spacy_chance_eval.scoring.statistics import headline

SYMMETRIC = [
    "span_f",
    "token_f(encoding=BIO)",
    "link_f",
    "gate_f(mode=lenient)",
    "bcubed_f(chance=none)",
    "cohen_kappa",
    "scott_pi",
    "krippendorff_alpha",
    "gwet_ac1",
]
DIRECTED = ["span_precision", "token_recall", "span_f(beta=2)", "slicm_norm"]


def check(team, metric, symmetric):
    """Compare pairs that share documents, their means and annotators with the slow way."""
    found = tables(team, metric)
    names = [pair for pair in oracles.pairs_of(team, symmetric) if team.both(*pair)]
    scores = {pair: oracles.pair(team, metric, pair) for pair in names}
    assert [(row["first"], row["second"]) for row in found["pairs"]] == sorted(names)
    for row in found["pairs"]:
        pair = row["first"], row["second"]
        same(row, scores[pair])
        assert row["n_docs"] == len(team.both(*pair))
        for label, cell in row["per_label"].items():
            if label in scores[pair].per_label:  # others are on tokens that only one annotated
                same(cell, scores[pair].per_label[label])
            else:
                assert headline(cell) is None
        assert {*scores[pair].per_label} <= {*row["per_label"]}
    same(found["mean"], oracles.mean(team, scores, NUMBERS))
    for row in found["annotators"]:
        who = row["annotator"]
        mine = {pair: scores[pair] for pair in names if who in (pair if symmetric else pair[1:])}
        same(row["others"], oracles.mean(team, mine, NUMBERS))
        if len(team.works) > 2:
            same(row["majority"], oracles.against_majority(team, metric, who))
        else:
            assert headline(row["majority"]) is None and row["majority"]["reason"]


@each(SYMMETRIC)
@given(team=panels(kinds=["disjoint"]))
def test_symmetric_scores_are_those_of_a_loop_over_pairs(metric, team):
    check(team, metric, symmetric=True)


@each(DIRECTED)
@given(team=panels(kinds=["disjoint"]))
def test_directed_scores_are_those_of_a_loop_over_both_orders(metric, team):
    check(team, metric, symmetric=False)


# --- chance models for spans that nest or overlap, within sentences


MODELS = [
    ("span_f(chance=nested)", "nested"),
    ("span_f(chance=overlapping)", "overlapping"),
    ("token_f(chance=overlapping,encoding=IO*)", "overlapping"),
    ("span_f(unit=sentence)", "disjoint"),
    ("token_f(unit=sentence)", "disjoint"),
]


@pytest.mark.integration
@pytest.mark.parametrize("metric, kind", MODELS)
@given(data=st.data())
def test_every_chance_model_expects_what_a_loop_over_pairs_expects(metric, kind, data):
    check(data.draw(panels(kinds=[kind])), metric, symmetric=True)


@pytest.mark.integration
@each(
    [
        "span_f",
        "token_f(encoding=BIOE)",
        "bcubed_f",
        "int_f",
        "span_precision",
        "gate_f(mode=average)",
    ]
)
@given(team=panels(kinds=["disjoint"]))
def test_the_team_is_scored_by_sums_over_all_pairs(metric, team):
    found = tables(team, metric)
    expected = oracles.sums(team, metric, symmetric=False)
    same(found["team"], expected)
    for row in found["per_label"]:
        if row["label"] in expected.per_label:
            same(row["team"], expected.per_label[row["label"]])


@given(team=panels(kinds=["disjoint"]))
def test_documents_are_scored_by_sums_over_all_pairs(team):
    found = tables(team, "span_f")["documents"]
    assert sorted(row["place"] for row in found) == team.shared()
    whole = oracles.sums(team, "span_f").headline
    for row in found:
        rest = [d for d in team.shared() if d != row["place"]]
        same(row, oracles.sums(team, "span_f", docs=[row["place"]]))
        without = oracles.sums(team, "span_f", docs=rest).headline
        cost = None if None in (whole, without) else without - whole
        assert row["cost"] == near(cost)


@given(team=panels(kinds=["disjoint"]))
def test_documents_come_by_what_they_cost(team):
    costs = [row["cost"] or 0 for row in tables(team, "span_f")["documents"]]
    assert costs == sorted(costs, reverse=True)


# --- laws


@each([*SYMMETRIC, *DIRECTED, "alpha_u", "u_alpha", "bar_u_alpha", "davies_fleiss", "fleiss_kappa"])
def test_annotators_who_did_the_same_agree_fully(metric):
    column = tuple(Work(((0, 2, "A"), (4 + d % 2, 6, "B"))) for d in range(3))
    found = tables(Team({"ann": column, "bob": column, "cyd": column}, (9,) * 3, ((),) * 3), metric)
    rows = [found["mean"], found["team"], *found["pairs"]]
    rows += [row[what] for row in found["annotators"] for what in ("others", "majority")]
    for row in rows:
        if headline(row) is None:
            assert "of two annotators" in row["reason"]
        else:
            assert headline(row) == pytest.approx(1)


ALL = [name for name in CATALOG if not name.startswith(("bdm", "slicm"))]


def undefined(found):
    """Whether no score of anything is defined, and all rows say why; the reasons."""
    rows = [found["mean"], found["team"], *found["pairs"]]
    rows += [row[what] for row in found["annotators"] for what in ("others", "majority")]
    rows += [row[what] for row in found["per_label"] for what in SCOPES]
    assert [headline(row) for row in rows] == [None] * len(rows)
    assert all(row["reason"] for row in rows)
    return {row["reason"] for row in rows}


def test_one_annotator_agrees_with_nobody():
    one = Panel({"ann": Spans.from_tuples([[(0, 2, "A")]], [5])})
    reasons = {"agreement needs two annotators, and there is only one"}
    for metric in ALL:
        assert undefined(tables(one, metric)) == reasons, metric


def test_annotators_without_a_shared_document_do_not_agree():
    work = Work(((0, 2, "A"),))
    team = Team({"ann": (work, None), "bob": (None, work)}, (5, 5), ((), ()))
    for metric in ALL:
        found = tables(team, metric, intervals=Resampling(10))
        assert undefined(found) == {"no document that two of them saw"}, metric


DEFINED = ("percent_agreement", "negative_agreement", "false_positives")
DEFINED += ("bias_index", "prevalence_index")


def test_annotators_who_marked_nothing_do_not_agree():
    team = Team({"ann": (Work(()),) * 3, "bob": (Work(()),) * 3}, (5,) * 3, ((),) * 3)
    for metric in ALL:
        if metric not in DEFINED:
            undefined(tables(team, metric, intervals=Resampling(10)))


KNOWN_REASONS = ("there is no majority beside one other annotator", OF_TWO)


@each(["cohen_kappa", "scott_pi", "davies_fleiss", "fleiss_kappa", "krippendorff_alpha"])
def test_one_value_everywhere_is_no_agreement_beyond_chance(metric):
    column = (Work(((0, 5, "A"),)),) * 3
    team = Team({"ann": column, "bob": column}, (5,) * 3, ((),) * 3)
    reasons = undefined(tables(team, metric))
    assert "chance alone agrees fully: one and the same value everywhere" in reasons
    assert reasons <= {
        *KNOWN_REASONS,
        "chance alone agrees fully: one and the same value everywhere",
    }


@given(team=panels(kinds=["disjoint"]))
def test_all_that_is_undefined_has_a_reason_and_nothing_else_has_one(team):
    requests = {metric: parse(metric) for metric in [*SYMMETRIC, "span_recall", "u_alpha"]}
    for found in agreement(team.panel(), requests)["metrics"]:
        rows = [found["mean"], found["team"], *found["pairs"]]
        rows += [row[what] for row in found["annotators"] for what in ("others", "majority")]
        rows += [row[what] for row in found["per_label"] for what in SCOPES]
        rows += [row for pair in found["pairs"] for row in pair["per_label"].values()]
        for row in rows:
            assert (headline(row) is None) == bool(row["reason"])


def test_spans_that_the_chance_model_cannot_place_are_the_reason():
    works = {
        "ann": (Work(((0, 3, "A"), (1, 4, "A"))),),
        "bob": (Work(((0, 3, "A"),)),),
        "cyd": (Work((), frozenset({2})),),  # whose gap hides the overlap from the whole team
    }
    found = tables(Team(works, (9,), ((),)), "span_f")
    first = found["pairs"][0]
    assert headline(first) is None and "A [0, 3) in document 1 overlaps" in first["reason"]
    assert found["team"]["reason"] == first["reason"]


@pytest.mark.parametrize("name", ["ann", "bob", "cyd"])
def test_reasons_name_the_annotator_whose_spans_are_at_fault(name):
    fine, crossing = (Work(((0, 3, "A"),)),), (Work(((0, 3, "A"), (1, 4, "A"))),)
    works = {who: crossing if who == name else fine for who in ("ann", "bob", "cyd")}
    found = tables(Team(works, (9,), ((),)), "u_alpha")
    for row in found["pairs"]:
        mine = name in (row["first"], row["second"])
        assert (headline(row) is None) == mine
        assert not mine or f"{name}: " in row["reason"]
    assert f"{name}: " in found["team"]["reason"]
    reasons = [row["majority"]["reason"] for row in found["annotators"] if row["annotator"] == name]
    assert f"{name}: " in reasons[0]
