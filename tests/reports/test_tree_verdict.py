"""What an agreement of trees comes to, in sentences that its numbers bear out."""

from collections import Counter

import pytest

from helpers.agreements import metric, result, score
from spacy_chance_eval.reports.tree_pages import tree_pair_verdict, tree_verdict

COUNTS = {"head": 1, "relation": 5, "head and relation": 2}
CONFUSED = {("nmod", "obl"): 2, ("obl", "nmod"): 1, ("obj", "obl"): 2}


def row(first="ann", second="bob", *, n_docs=1000, n_differing=388, counts=COUNTS, confused=()):
    """A pair of annotators as a row of the index."""
    found = {"first": first, "second": second, "n_docs": n_docs, "n_differing": n_differing}
    return found | {"counts": counts, "confused": Counter(confused)}


def trees(value=0.9378, names=("ann", "bob"), **fields):
    """A result of trees in which every pair scores the same."""
    one = metric("syntax_alpha", names, pair=lambda *_: score(value, n_docs=1000), per_label=[])
    one["mean"] = score(value, n_docs=1000) | {"n_pairs": len(one["pairs"])}
    about = {"positions": "tree", "kind": "dependency", "n_uneven": 0, "n_shared": 1000}
    return result(one, names=names, **about | fields)


def test_two_annotators_have_score_identical_trees_and_what_differs_most():
    assert tree_verdict(trees(), [row(confused=CONFUSED)]) == (
        "ann and bob agree at .94 beyond chance by syntax_alpha. The trees of 612 of 1,000 "
        "sentences are identical. Of 8 tokens that differ, 5 do so in the relation alone; the "
        "relations confused most often are nmod and obl (3 times)."
    )


def test_a_pair_says_how_often_it_differs_instead():
    assert tree_pair_verdict(trees(), row(confused=CONFUSED)) == (
        "ann and bob agree at .94 beyond chance by syntax_alpha. They differ in 388 of 1000 "
        "sentences that both saw. Of 8 tokens that differ, 5 do so in the relation alone; the "
        "relations confused most often are nmod and obl (3 times)."
    )


def test_a_score_just_below_1_is_not_said_to_be_1():
    assert "agree at .998 beyond chance" in tree_verdict(trees(0.9979), [])


def test_several_pairs_are_added_up():
    rows = [row("ann", "bob"), row("ann", "cem", counts=COUNTS | {"head": 20})]
    text = tree_verdict(trees(names=("ann", "bob", "cem")), rows)
    assert text.startswith("Three annotators agree at .94 beyond chance by syntax_alpha")
    assert "Of 2,000 pairs of trees, 1,224 are identical." in text
    assert text.endswith("Of 35 tokens that differ, 21 do so in the head alone.")


@pytest.mark.parametrize(
    "counts, said",
    [
        ({"head": 0, "relation": 1, "head and relation": 0}, "One token differs, in the relation"),
        ({"head": 3, "relation": 0, "head and relation": 0}, "3 tokens differ, all of them in the"),
        ({"head": 2, "relation": 2, "head and relation": 2}, "Of 6 tokens that differ, 2 do so in"),
    ],
)
def test_few_tokens_and_ties(counts, said):
    assert said in tree_verdict(trees(), [row(counts=counts)])


@pytest.mark.parametrize(
    "confused, said",
    [
        ({("a", "b"): 1, ("c", "d"): 1}, "; no two relations are confused more than once."),
        ({("a", "b"): 2, ("c", "d"): 1, ("d", "c"): 1}, "; two pairs of relations are confused "
         "most often (2 times each)."),
    ],
)  # fmt: skip
def test_relations_that_are_confused_equally_often_are_counted(confused, said):
    assert tree_verdict(trees(), [row(confused=confused)]).endswith(said)


def test_one_token_of_several_does():
    counts = {"head": 1, "relation": 1, "head and relation": 0}
    said = "Of 2 tokens that differ, 1 does so in the head alone."
    assert tree_verdict(trees(), [row(counts=counts)]).endswith(said)


def test_identical_trees_have_nothing_that_differs():
    alike = row(n_differing=0, counts=dict.fromkeys(COUNTS, 0))
    assert tree_verdict(trees(1.0), [alike]).endswith("All trees are identical.")
    assert tree_verdict(trees(1.0), [alike | {"n_docs": 1}]).endswith("Their trees are identical.")


def test_trees_of_other_tokens_differ_without_tokens_that_are_compared():
    text = tree_verdict(trees(), [row(n_differing=1, counts=dict.fromkeys(COUNTS, 0))])
    assert text.endswith("The trees of 999 of 1,000 sentences are identical.")


def test_brackets_are_those_of_one_tree():
    one = row(counts={"only the first": 3, "only the second": 1})
    assert tree_verdict(trees(), [one]).endswith(
        "4 brackets are in only one of two trees: 3 only in that of ann and 1 only in that of bob."
    )
    assert tree_verdict(trees(), [one, one]).endswith("8 brackets are in only one of two trees.")


def test_an_undefined_agreement_says_why():
    found = trees()
    nothing = score(None, reason="no sentence is shared")
    found["metrics"][0]["mean"] = nothing | {"n_pairs": 1}
    assert tree_verdict(found, []) == (
        "The agreement of ann and bob by syntax_alpha is undefined: no sentence is shared."
    )


def test_an_index_alone_has_the_score_alone():
    assert tree_verdict(trees(), ()) == "ann and bob agree at .94 beyond chance by syntax_alpha."
