"""Published and hand-counted numbers of agreement for syntax, through the catalog.

The cases of papers/syntax.csv are worked out by hand. The SSD corpus is one of Skjærholt (2014),
A chance-corrected measure of inter-annotator agreement for syntax.
"""

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from helpers.cases import each_case
from helpers.published import rows
from helpers.tree_strategies import Team
from spacy_chance_eval import Resampling, Trees, agree_trees, evaluate_trees
from spacy_chance_eval.corpora.treebanks import read_tree_panel
from spacy_chance_eval.measures.trees.tree_edit import tree_edit_distances

NO = Resampling(0)
SENTENCES = {
    "A": ([2, 0, 4, 2], ["SUBJ", "PRED", "DET", "OBJ"]),
    "B": ([2, 0, 4, 2], ["NSUBJ", "PRED", "DET", "OBJ"]),
    "C": ([2, 0, 2, 2], ["SUBJ", "PRED", "DET", "OBJ"]),
    "D": ([2, 0], ["SUBJ", "PRED"]),
}
DISTANCES = {"AB": 1, "AC": 2, "BC": 3, "AD": 2, "BD": 3, "CD": 2}


def team_of(text):
    """A team from items such as "AB DD": what each annotator made of each item."""
    items = [[SENTENCES[name] for name in item] for item in text.split()]
    works = [[item[i] if i < len(item) else None for item in items] for i in range(3)]
    return Team("dependency", {name: tuple(work) for name, work in zip("xyz", works) if any(work)})


def agreement(panel, *metrics):
    """{metric: value of the team}."""
    found = agree_trees(panel, metrics, intervals=NO)
    return {metric: found[metric]["team"]["value"] for metric in metrics}


@pytest.mark.parametrize("pair", list(combinations("ABCD", 2)), ids="".join)
def test_two_sentences_are_as_far_apart_as_counted_by_hand(pair):
    panel = team_of("".join(pair)).panel()
    assert tree_edit_distances(*panel.annotations).tolist() == [DISTANCES["".join(pair)]]


@each_case("delta", ["plain", "diff", "norm"])
@each_case("row", rows("syntax.csv"))
def test_alpha_is_what_was_worked_out_by_hand(row, delta):
    metric = f"syntax_alpha(delta={delta})"
    found = agreement(team_of(row["items"]).panel(), metric)[metric]
    expected = float(Fraction(row[delta])) if row[delta] else None
    assert found == (expected if expected is None else pytest.approx(expected, abs=1e-12))


@each_case("row", rows("syntax.csv"))
def test_gold_and_prediction_have_the_alpha_of_two_annotators(row):
    team = team_of(row["items"])
    if len(team.works) == 2:
        for delta in ("plain", "diff", "norm"):
            metric = f"syntax_alpha(delta={delta})"
            (score,) = evaluate_trees(*team.panel().annotations, [metric]).values()
            expected = float(Fraction(row[delta])) if row[delta] else None
            assert score.value == (expected and pytest.approx(expected, abs=1e-12))


def test_attachments_are_weighted_by_tokens():
    found = agreement(team_of("AB DD").panel(), "las", "uas", "label_accuracy")
    assert list(found.values()) == pytest.approx([5 / 6, 1, 5 / 6])


def test_a_bracket_in_one_tree_alone_is_one_of_five():
    one = ("S", (("NP", (("P", ()),)), ("VP", (("V", ()),))))
    two = ("S", (("NP", (("P", ()),)), ("V", ())))
    panel = Team("constituency", {"one": (one,), "two": (two,)}).panel()
    assert agreement(panel, "jaccard")["jaccard"] == pytest.approx(4 / 5)


def test_equal_trees_may_have_no_head_in_common():
    one = Trees.from_heads([[0, 1, 1], [0]], [["PRED", "X", "Y"], ["PRED"]])
    two = Trees.from_heads([[2, 0, 2], [0]], [["X", "PRED", "Y"], ["PRED"]])
    found = agreement({"one": one, "two": two}, "syntax_alpha", "las")
    assert found == {"syntax_alpha": 1, "las": pytest.approx(1 / 4)}


DATA = Path(__file__).parents[3] / "shared/data/ssd"
SSD = {
    "syntax_alpha": 99.1,
    "syntax_alpha(delta=diff)": 98.6,
    "syntax_alpha(delta=norm)": 99.3,
    "jaccard": 87.9,
}


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA.name} is not there")
def test_three_annotators_of_derivations_agree_as_published():
    panel, _ = read_tree_panel([str(DATA)])
    assert (len(panel), panel.n_items, panel.kind) == (3, 96, "constituency")
    found = agreement(panel, *SSD)
    assert {metric: round(100 * value, 1) for metric, value in found.items()} == SSD
