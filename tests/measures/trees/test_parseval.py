"""PARSEVAL against lists of brackets, and against the output of evalb."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import parseval_oracle
from helpers.cases import each_case
from helpers.tree_strategies import teams
from spacy_chance_eval import Resampling, Trees, agree, evaluate, read_treebank, request
from spacy_chance_eval.measures.trees.parseval import (
    bracket_hits,
    compared_items,
    crossing_brackets,
    same_tags,
)
from spacy_chance_eval.measures.trees.trees import TreePanel
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.scoring.statistics import headline

LABELS = ("NP", "NP-SBJ", "PRT", "ADVP", "ADVP=2", "TOP", ".", "-NONE-", "VP")
METRICS = (
    *(f"bracket_{score}" for score in ("precision", "recall", "f")),
    *("complete_match", "crossing_brackets", "few_crossing", "few_crossing(most=2)"),
    "tag_accuracy",
)
# what evalb prints of two trees with COLLINS.prm: matched, gold and test brackets, crossing ones,
# words, correct tags; nothing: an error, or skipped
EVALB = Path(__file__).with_name("evalb.txt").read_text(encoding="utf-8")


def trees_of(path, *texts):
    """The `Trees` of each of some texts, read from files."""
    found = []
    for place, text in enumerate(texts):
        file = path / f"{place}.mrg"
        file.write_text(text, "utf-8")
        found.append(read_treebank(file, format="penn").trees())
    return TreePanel({str(place): trees for place, trees in enumerate(found)}).annotations


@each_case("case", zip(*[iter(EVALB.splitlines())] * 3))
def test_brackets_are_those_that_evalb_counts(case, tmp_path):
    name, *texts = case
    expected = tuple(map(int, name.partition(":")[2].split()))
    one, two = trees_of(tmp_path, *texts)
    assert compared_items(one, two).tolist() == [bool(expected)]
    hits, tags = bracket_hits(one, two).total().pooled(), same_tags(one, two)
    crossing = crossing_brackets(one, two).score[0, 0]
    found = (*(int(n[0]) for n in (hits.correct, hits.gold, hits.pred)), crossing)
    assert hits.correct == hits.recalled
    assert (*found, tags.weight[0, 0], tags.score[0, 0]) == (expected or (0,) * 6)
    with pytest.raises(ValueError, match="labelled brackets are of constituency trees"):
        compared_items(*[Trees.from_heads([[0]], [["A"]])] * 2)


@given(
    team=teams(kinds=["constituency"], names=["ann", "bob"], labels=LABELS, even=False),
    options=st.fixed_dictionaries(
        {},
        optional={
            "params": st.sampled_from(["collins", "none"]),
            "ignore": st.sampled_from(["VP", "NP+PRT", "TOP"]),
        },
    ),
    labels=st.sampled_from(["compare", "ignore"]),
)
def test_scores_are_those_of_lists_of_brackets(team, options, labels):
    pairs = [pair for pair in zip(*team.works.values()) if None not in pair]
    if not pairs:
        return
    asked = {}
    for name in METRICS:
        one = parse(name)
        more = {"labels": labels} if "labels" in one.parameters else {}
        asked[name] = request(one.metric, **{**one.parameters, **options, **more})
    found = evaluate(*map(team.trees, team.works), asked)
    split = {k: v.split("+") if k == "ignore" else v for k, v in options.items()}
    expected = parseval_oracle.scores(pairs, labels=labels, **split)
    for name in METRICS:
        right = expected[name] and float(expected[name])
        assert found[name].headline == (right and pytest.approx(right, rel=1e-12)), name


PLAIN = "(TOP (S (A a) (B b)))"


@each_case(
    ("texts", "metric", "expected"),
    [
        # brackets count for their label without functions
        (
            ["(S (NP-SBJ (A a)) (PRT (B b)))", "(S (NP (A a)) (NP-TMP=1 (ADVP (B b))))"],
            "bracket_f",
            {"S": (1, 1, 1), "NP": (1, 2, 2 / 3), "ADVP": (1, 1, 1)},
        ),
        # outermost ones without a label have a row of their own
        (
            ["( (S (A a) (B b)) )", "(S (A a) (B b))"],
            "bracket_recall",
            {"(no label)": (1, 0, 0), "S": (1, 1, 1)},
        ),
        # deleted labels have none
        ([PLAIN] * 2, "bracket_recall(ignore=B)", {"S": (1, 1, 1)}),
    ],
)
def test_labels_of_brackets_have_rows(tmp_path, texts, metric, expected):
    rows = evaluate(*trees_of(tmp_path, *texts), [metric, "jaccard"])[metric].per_label
    found = {label: (row["gold"], row["pred"], headline(row)) for label, row in rows.items()}
    assert found == {label: pytest.approx(row, rel=1e-12) for label, row in expected.items()}


def test_outermost_brackets_without_a_label_change_no_tree(tmp_path):
    texts = [["(S (A a) (B b))", "(S (B c))"], ["(S (A a) (A b))", "(S (B c))"]]
    plain, wrapped = (
        evaluate(
            *trees_of(tmp_path, *("\n".join(form.format(one) for one in own) for own in texts)),
            ["syntax_alpha", "pq_alpha", "jaccard"],
        )
        for form in ("{}", "( {} )")
    )
    assert {k: v.headline for k, v in plain.items()} == {k: v.headline for k, v in wrapped.items()}


def test_sentences_that_are_left_out_are_counted(tmp_path):
    one, two = trees_of(tmp_path, "(S (A a) (, ,))\n" * 2, "(S (A a) (, ,))\n(S (A a) (B ,))\n")
    found = evaluate(one, two, ["bracket_f", "complete_match"])
    (note,) = found.to_dict()["notes"]
    assert note.startswith("1 sentence is left out of the scores of brackets and tags")
    assert found["complete_match"].headline == 1


def test_precision_of_one_is_recall_of_the_other_in_an_agreement(tmp_path):
    one, two = trees_of(tmp_path, "(S (A (B b)))", "(S (B b))")
    found = agree([one, two], ["bracket_precision"], intervals=Resampling(0))
    table = found["bracket_precision"]
    assert [headline(row) for row in table["pairs"]] == [1, 0.5]
    assert headline(table["team"]) == pytest.approx(2 / 3)
