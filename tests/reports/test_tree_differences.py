"""Where two trees of a sentence differ, for pages."""

from spacy_chance_eval.reports.tree_drawing import Tree
from spacy_chance_eval.reports.tree_pages import tree_differences

WORDS = ("Ada", "met", "her", "friend")
FIRST = Tree(WORDS, [1, -1, 3, 1], ["SUBJ", "PRED", "DET", "OBJ"])


def dependency(parents, labels, words=WORDS):
    return tree_differences("dependency", FIRST, Tree(words, parents, labels))


def constituency(*trees):
    return tree_differences("constituency", *trees)


def test_tokens_differ_in_head_in_relation_or_in_both():
    found = dependency([1, -1, 1, -1], ["NSUBJ", "PRED", "DET", "OBL"])
    rows = [(row["place"], row["word"], row["difference"]) for row in found["rows"]]
    assert rows == [(1, "Ada", "relation"), (3, "her", "head"), (4, "friend", "head and relation")]
    assert found["differing"] == [{0, 2, 3}] * 2
    assert found["size"] == 4


def test_rows_say_head_and_relation_of_both():
    (row,) = dependency([1, -1, 3, -1], FIRST.labels)["rows"]
    assert row["sides"] == [
        {"head": 2, "word": "met", "label": "OBJ"},
        {"head": 0, "word": None, "label": "OBJ"},
    ]


def test_equal_trees_have_no_rows():
    found = dependency(FIRST.parents, FIRST.labels)
    assert not found["rows"] and found["differing"] == [set(), set()]


def test_another_number_of_tokens_compares_none():
    found = dependency([1, -1], ["SUBJ", "PRED"], ("Ada", "met"))
    assert not found["rows"] and found["size"] is None


def test_a_token_that_both_spell_differently_has_both_words():
    (row,) = dependency([1, -1, 3, 1], ["X", "PRED", "DET", "OBJ"], ("Ida", *WORDS[1:]))["rows"]
    assert row["word"] == "Ada / Ida"


# (S (NP P) (VP V)) and (S (NP P) V), of the definitions
LEFT = Tree(
    ("she", "ran"),
    [-1, 0, 1, 0, 3],
    ["S", "NP", "P", "VP", "V"],
    [("S", 0, 2), ("NP", 0, 1), ("P", 0, 1), ("VP", 1, 2), ("V", 1, 2)],
)
RIGHT = Tree(
    ("she", "ran"),
    [-1, 0, 1, 0],
    ["S", "NP", "P", "V"],
    [("S", 0, 2), ("NP", 0, 1), ("P", 0, 1), ("V", 1, 2)],
)


def test_brackets_that_only_one_has_are_rows_with_their_leaves():
    found = constituency(LEFT, RIGHT)
    (row,) = found["rows"]
    assert (row["label"], row["first"], row["last"], row["words"]) == ("VP", 2, 2, "ran")
    assert row["side"] == 0 and found["differing"] == [{3}, set()]
    assert found["size"] == 5


def test_the_other_way_round_it_is_the_second():
    found = constituency(RIGHT, LEFT)
    assert found["differing"] == [set(), {3}]
    assert [row["side"] for row in found["rows"]] == [1]


def test_brackets_that_come_twice_are_one_row_but_two_marks():
    twice = Tree(None, [-1, 0, 1], ["S", "S", "V"], [("S", 0, 1), ("S", 0, 1), ("V", 0, 1)])
    other = Tree(None, [-1], ["V"], [("V", 0, 1)])
    found = constituency(twice, other)
    assert len(found["rows"]) == 1 and found["differing"] == [{0, 1}, set()]
    assert found["rows"][0]["words"] is None
