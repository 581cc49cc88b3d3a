"""Agreement of trees against loops over pairs of annotations."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import tree_oracles as oracles
from helpers.paneltables import near
from helpers.tree_strategies import NAMES, Team, in_small_blocks, random_team, teams
from helpers.treetables import (
    ATTACHMENTS,
    DELTAS,
    NO,
    by_alpha,
    by_share,
    check,
    decimal,
    each_kind,
    tables,
)
from spacy_chance_eval import Resampling, Trees, agree, evaluate, request
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring.statistics import headline

CLOSE = {("A", "B"): 0.5, ("B", "C"): 0.25}


# --- scores against loops


@pytest.mark.parametrize("delta", DELTAS)
@each_kind
@given(data=st.data())
def test_alpha_is_that_of_all_pairs_of_annotations(delta, kind, data):
    team = data.draw(teams(kinds=[kind], even=False))
    check(team, f"syntax_alpha(delta={delta})", by_alpha(delta))


@pytest.mark.integration
@each_kind
def test_alpha_does_not_depend_on_blocks_of_trees(kind, monkeypatch):
    team = random_team(31, 25, kind=kind)
    in_small_blocks(monkeypatch)
    found = tables(team, "syntax_alpha", intervals=Resampling(20))
    monkeypatch.undo()
    whole = tables(team, "syntax_alpha", intervals=Resampling(20))
    assert headline(found["team"]) == decimal(team.alpha()[2]) == headline(whole["team"])
    for row, other in zip(found["pairs"], whole["pairs"]):
        assert interval_of(row) == pytest.approx(interval_of(other))


@pytest.mark.integration
@each_kind
def test_deep_trees_agree_without_recursion(kind):
    n = 3000
    labels = [["A"] * n, ["A"] * (n - 1) + ["B"]]
    sides = [Trees.from_nodes(kind, [range(-1, n - 1), [-1]], [row, ["A"]]) for row in labels]
    found = agree(dict(zip("xy", sides)), ["syntax_alpha", "pq_alpha"], intervals=NO)
    assert 0.99 < headline(found["pq_alpha"]["team"]) < headline(found["syntax_alpha"]["team"]) < 1


@pytest.mark.parametrize("delta", DELTAS)
@each_kind
@given(data=st.data())
def test_close_labels_cost_what_closeness_leaves(delta, kind, data):
    team = data.draw(teams(kinds=[kind]))
    asked = request("syntax_alpha", closeness=CLOSE, delta=delta)
    check(team, asked, by_alpha(delta, oracles.of_closeness(CLOSE)))


@pytest.mark.parametrize("metric", ATTACHMENTS)
@given(team=teams(kinds=["dependency"], even=False))
def test_attachments_are_means_of_pairs_weighted_by_tokens(metric, team):
    check(team, metric, by_share(oracles.attachments, metric))


@given(team=teams(kinds=["constituency"], even=False))
def test_brackets_are_means_of_pairs_weighted_by_leaves(team):
    check(team, "jaccard", by_share(oracles.jaccard))


def test_uneven_items_are_left_out_whole_and_counted():
    three, two = ([0, 1, 1], list("ABC")), ([0, 1], list("AB"))
    rows = [(three, three, two), (two, two, two), (three, None, two)]
    team = Team("dependency", dict(zip(NAMES, zip(*rows))))
    found = agree(team.panel(), ["las", "syntax_alpha"], intervals=NO)
    assert found.result["n_uneven"] == 2
    assert headline(found["las"]["team"]) == 1
    assert headline(found["syntax_alpha"]["team"]) == decimal(team.alpha()[2])


def test_what_no_root_leads_to_counts_as_tokens():
    one = Trees.from_heads([[0, 3, 2], [0]], ["ABB", "A"], cycles="reachable")
    two = Trees.from_heads([[0, 3, 1], [0]], ["ABB", "A"])
    found = agree({"one": one, "two": two}, ["las", "syntax_alpha"], intervals=NO)
    assert headline(found["las"]["team"]) == near(3 / 4)
    norm = agree({"one": one, "two": two}, ["syntax_alpha(delta=norm)"], intervals=NO)
    # distances: 2 to the other annotation (of 4 + 4), sizes 4, 4, 2, 2
    square = lambda distance, size: (distance / size) ** 2  # noqa: E731
    observed = 2 * square(2, 8) / 4
    expected = 2 * (square(2, 8) + 2 * square(0, 6) + 2 * square(2, 6)) / 12
    value = headline(norm["syntax_alpha(delta=norm)"]["team"])
    assert value == near(1 - observed / expected)


# --- two sides


@given(team=teams(names=["gold", "pred"]))
def test_scores_of_a_prediction_are_those_of_two_annotators(team):
    assume(any(len(item) > 1 for item in team.items()))
    gold, pred = team.trees("gold"), team.trees("pred")
    score = evaluate(gold, pred, ["syntax_alpha"])["syntax_alpha"]
    observed, expected, value = team.alpha()
    assert score.headline == decimal(value)
    if value is not None:
        assert (score.observed, score.expected) == (decimal(1 - observed), decimal(1 - expected))


def test_defaults_are_those_of_the_kind():
    for kind, names in (
        ("dependency", ["syntax_alpha", "las", "uas", "label_accuracy"]),
        ("constituency", ["syntax_alpha", "jaccard"]),
    ):
        team = random_team(1, 6, names=["gold", "pred"], kind=kind)
        scores = evaluate(team.trees("gold"), team.trees("pred"))
        assert list(scores) == names
        found = agree(team.panel(), intervals=NO)
        assert [row["metric"] for row in found.result["metrics"]] == names


@given(team=teams(kinds=["dependency"], names=["gold", "pred"]))
def test_relations_have_scores_of_their_own(team):
    assume(any(len(item) > 1 for item in team.items()))
    gold, pred = team.trees("gold"), team.trees("pred")
    score = evaluate(gold, pred, ["las"])["las"]
    for label, row in score.per_label.items():
        tokens = [
            pair
            for item in team.items()
            if len(item) > 1
            for pair in zip(*map(oracles.tokens, item))
        ]
        assert row["gold"] == sum(one[1] == label for one, _ in tokens)
        assert row["pred"] == sum(two[1] == label for _, two in tokens)
        right = sum(one == two and one[1] == label for one, two in tokens)
        assert headline(row) == near(2 * right / (row["gold"] + row["pred"]))


def test_without_a_sentence_on_both_sides_there_is_nothing_to_score():
    one, two = (
        Trees.from_heads([[0], None], ["A", None]),
        Trees.from_heads([None, [0]], [None, "A"]),
    )
    with pytest.raises(ValueError, match="no sentence is annotated in both gold and prediction"):
        evaluate(one, two)


# --- ignored relations


@pytest.mark.parametrize("metric", ATTACHMENTS)
def test_tokens_of_ignored_relations_do_not_count(metric):
    works = {
        "gold": (([0, 1, 1, 1], ["A", "B", "punct", "p"]),),
        "pred": (([0, 1, 2, 3], ["A", "C", "punct", "p"]),),
    }
    team = Team("dependency", works)
    sides = team.trees("gold"), team.trees("pred")
    same = oracles.SAME[metric]
    tokens = list(zip(*(oracles.tokens(column[0]) for column in works.values())))
    for ignored in (["punct"], ["punct", "p"], ["nobody"]):
        kept = [pair for pair in tokens if pair[0][1] not in ignored]
        name = f"{metric}(ignore={'+'.join(ignored)})"
        (score,) = evaluate(*sides, [name]).values()
        assert score.headline == near(sum(same(*pair) for pair in kept) / len(kept))
