"""Laws that every metric of trees obeys; the table fails until a new metric has a row."""

from dataclasses import dataclass, replace
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.laws import assert_made_of_parts
from helpers.tree_strategies import KINDS, LABELS, NAMES, Team, teams
from spacy_chance_eval import Resampling, agree, evaluate, request
from spacy_chance_eval.measures.trees.trees import TreePanel
from spacy_chance_eval.metrics.catalog import TREE_CATALOG
from spacy_chance_eval.scoring.statistics import headline

CLOSE = {("A", "B"): 0.5, ("B", "C"): 0.25}
SAMPLES = [{"sample": 50}, {"sample": 5}]  # all pairs of most teams, and few
DELTAS = [{"delta": delta} for delta in ("plain", "diff", "norm")]


@dataclass(frozen=True)
class Law:
    """A row of the table: what is declared of a metric, and the parameters to try it with."""

    kinds: tuple
    variants: tuple = ({},)
    corrected: bool = False  # beyond chance: undefined where all trees are the same
    names: tuple = ()  # variants that name labels
    best: float = 1
    most: float = 1


STRIPPED = ({}, {"subtypes": "strip"})
BRACKETS = Law(("constituency",), ({}, {"params": "none"}), names=({"ignore": "A+C"},))
LABELLED = replace(BRACKETS, variants=(*BRACKETS.variants, {"labels": "ignore"}))

LAWS = {
    "syntax_alpha": Law(KINDS, (*DELTAS, *SAMPLES), True, ({"closeness": CLOSE},)),
    "pq_alpha": Law(KINDS, (*DELTAS, {"p": 1, "q": 2}), True),
    "las": Law(("dependency",), STRIPPED, names=({"ignore": "A"}, {"ignore": "A+C"})),
    "uas": Law(("dependency",), STRIPPED, names=({"ignore": "B"},)),
    "label_accuracy": Law(("dependency",), STRIPPED, names=({"ignore": "B"},)),
    "jaccard": Law(("constituency",)),
    **{f"bracket_{score}": LABELLED for score in ("precision", "recall")},
    "bracket_f": replace(LABELLED, variants=(*LABELLED.variants, {"beta": 2})),
    "complete_match": LABELLED,
    "crossing_brackets": replace(BRACKETS, best=0, most=float("inf")),
    "few_crossing": replace(BRACKETS, variants=(*BRACKETS.variants, {"most": 2})),
    "tag_accuracy": BRACKETS,
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def requests(kind, named=True):
    """All requests that trees of a kind allow; some of them name labels."""
    return [
        request(name, **variant)
        for name, law in LAWS.items()
        if kind in law.kinds
        for variant in (*law.variants, *(law.names if named else ()))
    ]


def test_every_metric_of_trees_has_a_row():
    assert LAWS.keys() == TREE_CATALOG.keys()
    for name, metric in TREE_CATALOG.items():
        assert set(metric.kinds) == set(LAWS[name].kinds)
        tried = {key for row in (*LAWS[name].variants, *LAWS[name].names) for key in row}
        assert {*metric.parameters} - {"seed"} == tried


def tables(team, asked=None, **options):
    """All tables of each request."""
    options = {"intervals": Resampling(0), "worst": None} | options
    asked = {str(one): one for one in asked or requests(team.kind)}
    return dict(zip(asked, agree(team.panel(), asked, **options).result["metrics"]))


def near(number):
    return number if number is None else pytest.approx(number, rel=1e-9, abs=1e-10)


def numbers(row):
    return [row.get(name) for name in ("observed", "expected", "corrected")]


def assert_same(one, two, asked):
    """That two rows have the same numbers."""
    assert numbers(one) == [near(number) for number in numbers(two)], asked


def of_kind(kind, **options):
    return teams(kinds=[kind], **options)


def drawn(asked):
    return bool(asked.parameters.get("sample"))


def two_sides(data, kind):
    """A team of two who have a sentence in common."""
    team = data.draw(of_kind(kind, names=["ann", "bob"]))
    assume(any(len(item) > 1 for item in team.items()))
    return team


def assert_same_team(one, two):
    """That what all agree, and the mean of pairs, is the same by every request."""
    for asked, table in one.items():
        assert_same(table["team"], two[asked]["team"], asked)
        assert_same(table["mean"], two[asked]["mean"], asked)


def assert_same_pairs(one, two):
    for asked, table in one.items():
        for row, other in zip(table["pairs"], two[asked]["pairs"]):
            assert_same(row, other, asked)


@each_kind
@given(data=st.data())
def test_a_score_is_made_of_its_observed_and_expected_part(kind, data):
    for asked, table in tables(two_sides(data, kind)).items():
        made_of_disagreement = TREE_CATALOG[table["request"].partition("(")[0]].disagreement
        assert table["disagreement"] == made_of_disagreement, asked
        for row in (*table["pairs"], *table["documents"]):
            assert_made_of_parts(row, made_of_disagreement)


@each_kind
@given(data=st.data())
def test_annotators_who_did_the_same_agree_fully(kind, data):
    team = data.draw(of_kind(kind, names=["ann"], items=6))
    column = team.works["ann"]
    different = {team.nested(work) for work in column if work is not None}
    found = tables(Team(kind, dict.fromkeys(NAMES, column)))
    for asked in requests(kind):
        row = found[str(asked)]["team"]
        assert headline(row) in (near(LAWS[asked.metric].best), None), asked
        all_trees = LAWS[asked.metric].corrected and not drawn(asked)
        if all_trees and asked.parameters["delta"] == "plain":
            assert (headline(row) is None) == (len(different) < 2), asked
        assert headline(row) is not None or row["reason"], asked


@each_kind
@given(data=st.data())
def test_gold_and_prediction_can_change_places(kind, data):
    one, two = two_sides(data, kind).panel().annotations
    alike = [one for one in requests(kind) if one.parameters.get("beta", 1) == 1]
    asked = [one for one in alike if one.row.swapped]
    mirrored = {str(one): request(one.row.swapped, **one.parameters) for one in asked}
    there = evaluate(one, two, asked)
    back = evaluate(two, one, mirrored)
    for name, score in there.items():
        assert_same(score.to_dict(), back[name].to_dict(), name)


@each_kind
@given(data=st.data())
def test_two_trees_score_what_their_pair_agrees(kind, data):
    team = two_sides(data, kind)
    found = tables(team)
    both_ways = [one for one in requests(kind) if not one.is_symmetric]
    for asked, score in evaluate(*team.panel().annotations, requests(kind)).items():
        rows = [found[asked]["pairs"][0]]
        if asked not in map(str, both_ways):
            rows += [found[asked]["team"], found[asked]["mean"]]
        for row in rows:
            assert_same(row, score.to_dict(), asked)


@each_kind
@given(data=st.data())
def test_the_order_of_items_and_names_and_order_of_annotators_do_not_matter(kind, data):
    team = data.draw(of_kind(kind))
    names = dict(zip(NAMES, data.draw(st.permutations(NAMES))))
    order = data.draw(st.permutations(range(team.n_items)))
    one, two = tables(team), tables(team.renamed(names).part(order))
    assert_same_team(one, two)
    for asked, table in one.items():
        others = {row["annotator"]: row["others"] for row in two[asked]["annotators"]}
        for row in table["annotators"]:
            assert_same(row["others"], others[names[row["annotator"]]], asked)


@each_kind
@given(data=st.data())
def test_names_of_labels_do_not_matter(kind, data):
    team = data.draw(of_kind(kind, even=False))
    names = dict(zip(LABELS, data.draw(st.permutations(["A", "Q", "Z", "B"]))))
    # what is drawn depends on the content of the items
    asked = [one for one in requests(kind, named=False) if not drawn(one)]
    one, two = tables(team, asked), tables(team.relabelled(names), asked)
    for text, table in one.items():
        assert_same(table["team"], two[text]["team"], text)


@each_kind
@given(data=st.data())
def test_items_that_one_alone_annotated_change_nothing(kind, data):
    team = data.draw(of_kind(kind, even=False))
    more = data.draw(of_kind(kind, names=["ann"], items=2, unseen=False)).works["ann"]
    works = {name: (*works, *([None] * len(more))) for name, works in team.works.items()}
    works["bob"] = (*team.works["bob"], *more)
    one, two = tables(team), tables(Team(kind, works))
    for asked, table in one.items():
        assert_same(table["team"], two[asked]["team"], asked)
    assert_same_pairs(one, two)


@each_kind
@given(data=st.data())
def test_a_pair_agrees_as_if_alone(kind, data):
    team = data.draw(of_kind(kind, even=False))
    found = tables(team)
    for pair in combinations(team.works, 2):
        alone = tables(team.among(pair))
        for asked, table in found.items():
            rows = [row for row in table["pairs"] if {row["first"], row["second"]} == {*pair}]
            assert len(rows) == len(alone[asked]["pairs"])  # none of those who share nothing
            for row, other in zip(rows, alone[asked]["pairs"]):
                assert (row["first"], row["second"]) == (other["first"], other["second"])
                assert_same(row, other, asked)


@each_kind
@given(data=st.data())
def test_tables_have_scores_in_their_range_or_a_reason_and_a_signature(kind, data):
    team = data.draw(of_kind(kind, even=False, items=2))
    tables_of = tables(team)
    for asked in requests(kind):
        found, law = tables_of[str(asked)], LAWS[asked.metric]
        rows = [found["team"], found["mean"], *found["pairs"], *found["documents"]]
        rows += [row["others"] for row in found["annotators"]]
        rows += [row[scope] for row in found["per_label"] for scope in ("mean", "team")]
        for row in rows:
            assert (headline(row) is None) == bool(row["reason"]), asked
            if headline(row) is not None:
                assert headline(row) <= law.most + 1e-12, asked
                assert law.corrected or headline(row) >= 0, asked
        for row in found["annotators"]:
            assert headline(row["majority"]) is None and row["majority"]["reason"], asked
        assert found["signature"].startswith(f"{asked}|positions=tree")
        assert f"panel={team.panel().digest()}" in found["signature"]


def smallest(kind):
    return ([0], ["A"]) if kind == "dependency" else ("A", ())


@each_kind
def test_one_annotator_agrees_with_nobody(kind):
    work = smallest(kind)
    with pytest.raises(ValueError, match="only 1 annotator"):
        tables(Team(kind, {"ann": (work, work)}))


@each_kind
def test_annotators_without_a_shared_sentence_do_not_agree(kind):
    work = smallest(kind)
    for asked, found in tables(Team(kind, {"ann": (work, None), "bob": (None, work)})).items():
        for row in (found["team"], found["mean"], *found["pairs"]):
            assert headline(row) is None, asked
            assert row["reason"] == "no sentence that two of them annotated", asked


@each_kind
def test_metrics_know_what_trees_they_are_of(kind):
    panel = Team(kind, {"ann": (smallest(kind),), "bob": (smallest(kind),)}).panel()
    for name, law in LAWS.items():
        if kind in law.kinds:
            agree(panel, [name], intervals=Resampling(0))
        else:
            with pytest.raises(ValueError, match=f"{name}.*{law.kinds[0]}"):
                agree(panel, [name], intervals=Resampling(0))


def test_panels_are_made_of_mappings():
    team = Team("dependency", {"ann": (([0], ["A"]),), "bob": (([0], ["B"]),)})
    sides = {name: team.trees(name) for name in team.works}
    found = agree(sides, ["las"], intervals=Resampling(0))
    assert isinstance(found.panel, TreePanel)
    assert headline(found["las"]["team"]) == 0
