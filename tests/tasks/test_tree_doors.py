"""What the agreement on trees refuses, and what must not depend on how it is asked for."""

import pytest

from helpers.tree_strategies import random_team
from spacy_chance_eval import Resampling, Trees, agree, evaluate, parse
from spacy_chance_eval.measures.trees import tree_edit
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring import tree_alpha
from spacy_chance_eval.scoring.statistics import headline


def panel():
    return random_team(3, 12).panel()


@pytest.mark.parametrize("clusters", [["c"], ["a", "b", "c"]])
def test_clusters_need_an_entry_for_each_sentence(clusters):
    with pytest.raises(ValueError, match=r"one entry per sentence \(12\), not [13]$"):
        agree(panel(), ["las"], clusters=clusters)


def test_results_say_what_clusters_are():
    found = agree(panel(), ["las"], clusters=[*"aabbccddeeff"], unit="letters")
    assert found.result["resampling"]["unit"] == "letters"
    assert "with fewer than 40" in found.result["notes"][-1]


def test_annotators_of_trees_may_have_no_names():
    gold, other = (Trees.from_heads([[2, 0]], [labels]) for labels in (["A", "B"], ["A", "C"]))
    one, two = (agree(both, ["las"]) for both in ([gold, other], {"a": gold, "b": other}))
    assert one.panel.names == ("annotator 1", "annotator 2")
    assert headline(one["las"]["team"]) == headline(two["las"]["team"])


def test_a_draw_without_a_difference_is_called_so():
    gold = Trees.from_heads([[0]] * 9 + [[0, 1]], [["A"]] * 9 + [["A", "B"]])
    found = agree({"a": gold, "b": gold}, ["syntax_alpha(sample=1,seed=1)"])
    team = found["syntax_alpha(sample=1,seed=1)"]["team"]
    assert headline(team) is None and "draw more" in team["reason"]


@pytest.mark.parametrize("value", [None, ["a"], ""])
def test_labels_to_ignore_are_a_text(value):
    with pytest.raises(ValueError, match="expected labels joined by"):
        parse("las", ignore=value)


def test_trees_that_lead_to_too_many_forests_are_refused(monkeypatch):
    monkeypatch.setattr(tree_edit, "MOST", 3)
    gold = Trees.from_heads([[0, 1, 2, 1]], [list("ABCD")])
    with pytest.raises(ValueError, match="a tree of 5 nodes leads to .* divide it"):
        evaluate(gold, gold, ["syntax_alpha"])


def test_pairs_of_annotators_may_come_one_after_the_other(monkeypatch):
    def result():
        metrics = ["syntax_alpha", "syntax_alpha(delta=norm)", "pq_alpha"]
        return agree(panel(), metrics, intervals=Resampling(40)).result["metrics"]

    whole = result()
    monkeypatch.setattr(tree_alpha, "FORMS", 1)
    for one, two in zip(whole, result()):
        for first, second in zip([one["team"], *one["pairs"]], [two["team"], *two["pairs"]]):
            assert headline(first) == pytest.approx(headline(second))
            assert interval_of(first) == pytest.approx(interval_of(second))
