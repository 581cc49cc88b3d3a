"""Agreement of trees: its sentences, the shape of its tables, and what it refuses."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import agreements
from helpers import tree_oracles as oracles
from helpers.paneltables import near
from helpers.tree_strategies import LABELS, Team, random_team, teams
from helpers.treetables import (
    NO,
    each_kind,
    tables,
)
from spacy_chance_eval import Resampling, agree, evaluate
from spacy_chance_eval.tasks.agree import Agreement

# --- documents


@given(team=teams(kinds=["dependency"]))
def test_sentences_come_by_what_they_cost(team):
    for metric in ("syntax_alpha", "las"):
        rows = tables(team, metric)["documents"]
        shared = [i for i, item in enumerate(team.items()) if len(item) > 1]
        assert sorted(row["place"] for row in rows) == shared
        costs = [row["cost"] or 0 for row in rows]
        assert costs == sorted(costs, reverse=True)


@each_kind
@given(data=st.data())
def test_sentences_have_the_mean_distance_of_their_pairs(kind, data):
    team = data.draw(teams(kinds=[kind], even=False))
    for row in tables(team, "syntax_alpha(delta=norm)")["documents"]:
        item = team.items()[row["place"]]
        every = [oracles.ted(*map(team.nested, pair)) for pair in combinations(item, 2)]
        assert row["distance"] == near(sum(every) / len(every))
        assert row["n_annotators"] == len(item)


# --- the shape of the tables


def keys(value):
    """The names in nested tables, without values."""
    if isinstance(value, dict):
        return {key: keys(one) for key, one in value.items()}
    return [keys(value[0])] if isinstance(value, list) and value else None


@each_kind
def test_results_have_the_shape_of_all_agreement(kind):
    team = random_team(29, 6, kind=kind)
    found = agree(team.panel(), intervals=Resampling(5))
    assert isinstance(found, Agreement)
    known = agreements.result()
    assert known.keys() - {"title"} <= found.result.keys()
    assert found.result["positions"] == "tree" and found.result["kind"] == kind
    for metric in found.result["metrics"]:
        assert agreements.metric().keys() <= metric.keys()
        assert {"document", "place", "cost", "observed", "distance", "reason"} <= (
            metric["documents"][0].keys()
        )
        assert {"observed", "low", "high", "n_docs", "reason"} <= (metric["team"].keys())
    names = [row["name"] for row in found.result["annotators"]]
    assert names == sorted(team.works)
    n_nodes = [int(trees.n_nodes.sum()) for trees in team.panel().annotations]
    assert [row["n_spans"] for row in found.result["annotators"]] == n_nodes
    assert found.records()
    assert found.result["labels"] == list(LABELS)


def test_spans_have_no_metrics_of_trees_and_trees_none_of_spans():
    team = random_team(1, 4)
    with pytest.raises(ValueError, match="span_f"):
        agree(team.panel(), ["span_f"], intervals=NO)
    with pytest.raises(ValueError, match="unknown metric 'tree_f'"):
        agree(team.panel(), ["tree_f"], intervals=NO)


@pytest.mark.parametrize("text", ["syntax_alpha(delta=squared)", "las(labels=A)", "pq_alpha(p=0)"])
def test_parameters_are_known_ones(text):
    with pytest.raises(ValueError, match="expected"):
        agree(random_team(1, 4).panel(), [text], intervals=NO)


def test_progress_is_told_of_the_pairs():
    told = []

    def watch(steps, total=None, what=""):
        told.append(what)
        return steps

    team = random_team(1, 8)
    agree(team.panel(), ["syntax_alpha"], intervals=NO, progress=watch)
    evaluate(*team.panel().annotations[:2], ["syntax_alpha"], progress=watch)
    assert len(told) >= 2 and told[0]


def test_reasons_speak_of_trees():
    one, two = (([0], ["A"]), ([0, 1], ["A", "A"]))
    team = Team("dependency", {"ann": (one, one), "bob": (two, two)})
    found = agree(team.panel(), ["las", "syntax_alpha(delta=diff)"], intervals=NO)
    assert found["las"]["team"]["reason"].startswith("no token to compare")
    assert found["las"]["documents"][0]["reason"].startswith("no token to compare")
    reason = found["syntax_alpha(delta=diff)"]["team"]["reason"]
    assert reason.startswith("all trees are 0 apart")
