"""Laws that every metric of trees obeys; the table fails until a new metric has a row."""

from dataclasses import dataclass

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.tree_strategies import KINDS, LABELS, NAMES, Team, teams
from spacy_chance_eval import Resampling, agree_trees, evaluate_trees, request
from spacy_chance_eval.measures.trees.trees import TreePanel
from spacy_chance_eval.metrics.catalog import TREE_CATALOG

CLOSE = {("A", "B"): 0.5, ("B", "C"): 0.25}
DELTAS = [{"delta": delta} for delta in ("plain", "diff", "norm")]


@dataclass(frozen=True)
class Law:
    """A row of the table: what is declared of a metric, and the parameters to try it with."""

    kinds: tuple
    variants: tuple = ({},)
    corrected: bool = False  # beyond chance: undefined where all trees are the same
    names: tuple = ()  # variants that name labels


LAWS = {
    "syntax_alpha": Law(KINDS, (*DELTAS, {"sample": 50}), True, ({"closeness": CLOSE},)),
    "pq_alpha": Law(KINDS, (*DELTAS, {"p": 1, "q": 2}), True),
    "las": Law(("dependency",), names=({"ignore": "A"}, {"ignore": "A+C"})),
    "uas": Law(("dependency",), names=({"ignore": "B"},)),
    "label_accuracy": Law(("dependency",), names=({"ignore": "B"},)),
    "jaccard": Law(("constituency",)),
}
CASES = [
    pytest.param(request(name, **variant), kind, id=f"{request(name, **variant)} {kind}")
    for name, law in LAWS.items()
    for kind in law.kinds
    for variant in (*law.variants, *law.names)
]
NAMELESS = [
    pytest.param(request(name, **variant), kind, id=f"{request(name, **variant)} {kind}")
    for name, law in LAWS.items()
    for kind in law.kinds
    for variant in law.variants
    if "sample" not in variant  # what is drawn depends on the content of the items
]
each_case = pytest.mark.parametrize("asked, kind", CASES)


def test_every_metric_of_trees_has_a_row():
    assert LAWS.keys() == TREE_CATALOG.keys()
    for name, metric in TREE_CATALOG.items():
        assert set(metric.kinds) == set(LAWS[name].kinds)
        tried = {key for row in (*LAWS[name].variants, *LAWS[name].names) for key in row}
        assert {*metric.parameters} - {"seed"} == tried


def tables(team, asked, **options):
    """All tables of one metric."""
    options = {"intervals": Resampling(0), "worst": None} | options
    found = agree_trees(team.panel(), {"asked": asked}, **options).result
    return found["metrics"][0]


def near(number):
    return number if number is None else pytest.approx(number, rel=1e-9, abs=1e-10)


def numbers(row):
    return [row[name] for name in ("value", "observed", "expected")]


def same(one, two):
    """Whether two rows have the same numbers."""
    assert numbers(one) == [near(number) for number in numbers(two)]


def of_kind(kind, **options):
    return teams(kinds=[kind], **options)


def drawn(asked):
    return bool(asked.parameters.get("sample"))


def two_sides(data, kind):
    """A team of two who have a sentence in common."""
    team = data.draw(of_kind(kind, names=["ann", "bob"]))
    assume(any(len(item) > 1 for item in team.items()))
    return team


@each_case
@given(data=st.data())
def test_annotators_who_did_the_same_agree_fully(asked, kind, data):
    team = data.draw(of_kind(kind, names=["ann"], items=6))
    column = team.works["ann"]
    team = Team(kind, dict.fromkeys(NAMES, column))
    row = tables(team, asked)["team"]
    assert row["value"] in (near(1), None)
    different = {team.nested(work) for work in column if work is not None}
    if LAWS[asked.metric].corrected and not drawn(asked) and asked.parameters["delta"] == "plain":
        assert (row["value"] is None) == (len(different) < 2)
    if row["value"] is None:
        assert row["reason"]


@each_case
@given(data=st.data())
def test_gold_and_prediction_can_change_places(asked, kind, data):
    team = two_sides(data, kind)
    one, two = team.panel().sides
    (there,) = evaluate_trees(one, two, [asked]).values()
    (back,) = evaluate_trees(two, one, [asked]).values()
    assert (there.value, there.observed, there.expected) == (
        near(back.value),
        near(back.observed),
        near(back.expected),
    )


@each_case
@given(data=st.data())
def test_two_trees_score_what_their_pair_agrees(asked, kind, data):
    team = two_sides(data, kind)
    (score,) = evaluate_trees(*team.panel().sides, [asked]).values()
    found = tables(team, asked)
    for row in (found["team"], found["mean"], *found["pairs"]):
        same(row, score.to_dict())


@each_case
@given(data=st.data())
def test_the_order_of_items_does_not_matter(asked, kind, data):
    team = data.draw(of_kind(kind))
    order = data.draw(st.permutations(range(team.n_items)))
    one, two = tables(team, asked), tables(team.part(order), asked)
    same(one["team"], two["team"])
    same(one["mean"], two["mean"])
    for row, other in zip(one["pairs"], two["pairs"]):
        same(row, other)


@each_case
@given(data=st.data())
def test_names_and_order_of_annotators_do_not_matter(asked, kind, data):
    team = data.draw(of_kind(kind))
    names = dict(zip(NAMES, data.draw(st.permutations(NAMES))))
    one, two = tables(team, asked), tables(team.renamed(names), asked)
    same(one["team"], two["team"])
    same(one["mean"], two["mean"])
    others = {row["annotator"]: row["others"] for row in two["annotators"]}
    for row in one["annotators"]:
        same(row["others"], others[names[row["annotator"]]])


@pytest.mark.parametrize("asked, kind", NAMELESS)
@given(data=st.data())
def test_names_of_labels_do_not_matter(asked, kind, data):
    team = data.draw(of_kind(kind, even=False))
    names = dict(zip(LABELS, data.draw(st.permutations(["A", "Q", "Z", "B"]))))
    same(tables(team, asked)["team"], tables(team.relabelled(names), asked)["team"])


@each_case
@given(data=st.data())
def test_items_that_one_alone_annotated_change_nothing(asked, kind, data):
    team = data.draw(of_kind(kind, even=False))
    more = data.draw(of_kind(kind, names=["ann"], items=2, unseen=False)).works["ann"]
    works = {name: (*works, *([None] * len(more))) for name, works in team.works.items()}
    works["bob"] = (*team.works["bob"], *more)
    one, two = tables(team, asked), tables(Team(kind, works), asked)
    same(one["team"], two["team"])
    for row, other in zip(one["pairs"], two["pairs"]):
        same(row, other)


@each_case
@given(data=st.data())
def test_a_pair_agrees_as_if_alone(asked, kind, data):
    team = data.draw(of_kind(kind, even=False))
    for row in tables(team, asked)["pairs"]:
        alone = tables(team.among([row["first"], row["second"]]), asked)
        same(row, alone["pairs"][0])


@each_case
@given(data=st.data())
def test_scores_are_at_most_1_and_shares_at_least_0(asked, kind, data):
    team = data.draw(of_kind(kind, even=False))
    found = tables(team, asked)
    for row in (found["team"], found["mean"], *found["pairs"]):
        if row["value"] is not None:
            assert row["value"] <= 1 + 1e-12
            assert LAWS[asked.metric].corrected or row["value"] >= 0


@each_case
@given(data=st.data())
def test_all_that_is_undefined_has_a_reason_and_nothing_else_has_one(asked, kind, data):
    found = tables(data.draw(of_kind(kind, even=False, items=2)), asked)
    rows = [found["team"], found["mean"], *found["pairs"], *found["documents"]]
    rows += [row["others"] for row in found["annotators"]]
    rows += [row[scope] for row in found["per_label"] for scope in ("mean", "team")]
    for row in rows:
        assert (row["value"] is None) == bool(row["reason"])
    for row in found["annotators"]:
        assert row["majority"]["value"] is None and row["majority"]["reason"]


@each_case
def test_one_annotator_agrees_with_nobody(asked, kind):
    work = ([0], ["A"]) if kind == "dependency" else ("A", ())
    found = tables(Team(kind, {"ann": (work, work)}), asked)
    assert found["team"]["value"] is None and found["mean"]["value"] is None
    assert "only one" in found["team"]["reason"]


@each_case
def test_annotators_without_a_shared_sentence_do_not_agree(asked, kind):
    work = ([0], ["A"]) if kind == "dependency" else ("A", ())
    found = tables(Team(kind, {"ann": (work, None), "bob": (None, work)}), asked)
    for row in (found["team"], found["mean"], *found["pairs"]):
        assert row["value"] is None and row["reason"] == "no sentence that two of them annotated"


@each_case
def test_metrics_know_what_trees_they_are_of(asked, kind):
    other = next(one for one in KINDS if one != kind)
    work = ([0], ["A"]) if other == "dependency" else ("A", ())
    panel = Team(other, {"ann": (work,), "bob": (work,)}).panel()
    if other in LAWS[asked.metric].kinds:
        agree_trees(panel, [asked], intervals=Resampling(0))
    else:
        with pytest.raises(ValueError, match=f"{asked.metric}.*{kind}"):
            agree_trees(panel, [asked], intervals=Resampling(0))


@each_case
@given(data=st.data())
def test_the_signature_says_metric_data_and_who_annotated(asked, kind, data):
    team = data.draw(of_kind(kind))
    text = tables(team, asked)["signature"]
    assert text.startswith(f"{asked}|") and "positions=tree" in text
    assert f"panel={team.panel().digest()}" in text


def test_panels_are_made_of_mappings():
    team = Team("dependency", {"ann": (([0], ["A"]),), "bob": (([0], ["B"]),)})
    sides = {name: team.trees(name) for name in team.works}
    found = agree_trees(sides, ["las"], intervals=Resampling(0))
    assert isinstance(found.panel, TreePanel)
    assert found["las"]["team"]["value"] == 0
