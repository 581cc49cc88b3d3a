"""What a `Diff` says of the whole corpus, and the JSON of all of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from helpers.differing import EQUAL, FEW, MANY, OSLO, PER, REX, compare, corpora
from helpers.strategies import pairs
from spacy_chance_eval import evaluate
from spacy_chance_eval.analysis.diff import EXAMPLES, MOST_LABELS, diff, json_lines, summary
from spacy_chance_eval.corpora.pairs import CorpusPair, side_by_side
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.measures.differences import RELATIONS, UNPLACED
from spacy_chance_eval.scoring.statistics import headline


def errors(found):
    return {row["error"]: row for row in summary(found)["errors"]}


def test_the_confusion_counts_pairs_by_label_and_single_spans_as_none():
    assert summary(compare(MANY, EQUAL))["confusion"] == {
        "labels": ["DATE", "LOC", "ORG", "PER", None],
        "rows": [
            [0, 0, 0, 0, 1],
            [0, 0, 1, 0, 0],
            [0, 0, 0, 0, 0],
            [0, 0, 0, 4, 0],
            [1, 0, 0, 0, 0],
        ],
        "differences": [2, 1, 1, 0, 2],
        "n_left_out": 0,
    }


def test_of_very_many_labels_those_with_most_differences_are_confused():
    labels = [f"L{i:03}" for i in range(MOST_LABELS + 3)]
    same = [(0, 1, label) for label in labels]
    table = summary(compare((same, same[2:])))["confusion"]
    assert table["labels"] == [*labels[:MOST_LABELS], None] and table["n_left_out"] == 3
    assert table["differences"] == [1, 1, *[0] * (MOST_LABELS - 2), 2]
    assert sum(map(sum, table["rows"])) == MOST_LABELS


@given(pairs())
def test_rows_and_columns_of_the_confusion_are_the_spans_and_errors_the_differences(pair):
    seen = [a is not None and b is not None for a, b in zip(pair.gold, pair.pred)]
    if not any(seen):
        return
    gold, pred = (
        Corpus(name, [Document(words, {"x": rows}) for words, rows in zip(pair.words, side)])
        for name, side in (("g", pair.gold), ("p", pair.pred))
    )
    found = diff(CorpusPair(gold, "x", pred, "x", ("g", "p")))
    tables = summary(found)
    rows, labels = np.array(tables["confusion"]["rows"]), tables["confusion"]["labels"]
    for axis, spans in ((1, found.gold), (0, found.pred)):
        numbers = [sum(spans.labels[i] == label for i in spans.label) for label in labels[:-1]]
        assert rows.sum(axis=axis)[:-1].tolist() == numbers
    assert rows[-1, -1] == 0 and rows.sum() == sum(tables["counts"].values())
    wrong = {name: n for name, n in tables["counts"].items() if name != "correct"}
    assert sum(row["n"] for row in tables["errors"]) == sum(wrong.values())
    for relation, n in wrong.items():
        assert sum(row["n"] for row in tables["errors"] if row["relation"] == relation) == n


def test_kinds_of_errors_come_most_frequent_first_with_their_relation():
    rows = summary(compare(FEW, FEW, MANY))["errors"]
    assert [(row["error"], row["relation"], row["n"]) for row in rows] == [
        ("missing", "missing", 3),
        ("too short", "partial", 2),
        ("other label", "wrong label", 1),
        ("spurious", "spurious", 1),
        ("too long", "partial", 1),
    ]


def test_examples_come_from_the_worst_documents():
    found = compare(*[FEW] * (EXAMPLES + 2), MANY)
    named = [pair["document"] for pair in errors(found)["missing"]["examples"]]
    assert named == ["d5", "d0", "d1"]


def test_examples_come_from_different_documents_as_long_as_there_are_some():
    many = [PER, REX, OSLO], []
    few = [OSLO], []
    for documents, expected in (
        ([many] * (EXAMPLES + 1), ["d0", "d1", "d2"]),
        ([many, few], ["d0", "d1", "d0"]),
        ([few, many], ["d1", "d0", "d1"]),
        ([many], ["d0", "d0", "d0"]),
    ):
        row = errors(compare(*documents))["missing"]
        assert [pair["document"] for pair in row["examples"]] == expected
    gold, pred = corpora(([PER], []), ([PER], []))
    odd = {"spans": [(1, "LOC"), (2, "LOC"), (3, "LOC")]}
    pred = replace(pred, documents=[replace(one, unplaced=odd) for one in pred.documents])
    row = errors(diff(side_by_side(gold, pred)))[UNPLACED]
    assert [pair["document"] for pair in row["examples"]] == ["d0", "d1", "d0"]


@given(pairs())
def test_strict_scores_of_labels_and_of_all_are_those_of_evaluate(pair):
    seen = [a is not None and b is not None for a, b in zip(pair.gold, pair.pred)]
    if not any(seen):
        return
    gold, pred = (
        Corpus(name, [Document(words, {"x": rows}) for words, rows in zip(pair.words, side)])
        for name, side in (("g", pair.gold), ("p", pair.pred))
    )
    both = CorpusPair(gold, "x", pred, "x", ("g", "p"))
    tables = summary(diff(both))
    score = tables["scores"]["strict"]
    assert tables["selection"]["f"] == headline(score)
    assert score["relations"] == {key: tables["selection"][key] for key in RELATIONS}
    for row in tables["by_label"]:
        of_label = score["per_label"][row["label"]]
        assert {key: row[key] for key in RELATIONS} == {key: of_label[key] for key in RELATIONS}
        assert row["f"] == headline(of_label)
        alone = summary(diff(both, labels=[row["label"]]), scores=False)
        numbers = {key: alone["selection"][key] for key in row if key != "label"}
        assert {"label": row["label"], **numbers} == row
    for key in ("correct", "gold", "pred", "missing", "spurious"):
        assert sum(row[key] for row in tables["by_label"]) == tables["selection"][key]


def test_documents_are_scored_alone():
    whole, alone = compare(FEW, MANY), summary(compare(MANY, relations=["missing"]))
    assert alone["selection"]["f"] == whole.document(1)["f"]
    assert alone["counts"]["correct"] == 0 and alone["selection"]["correct"] == 1


def test_spans_that_fit_no_tokens_are_an_error_of_their_own():
    gold, pred = corpora(EQUAL, FEW)
    odd = {"spans": [(1, "LOC"), (2, "LOC")]}
    pred = replace(pred, documents=[replace(one, unplaced=odd) for one in pred.documents])
    row = errors(diff(side_by_side(gold, pred)))[UNPLACED]
    assert (row["relation"], row["n"], len(row["examples"])) == ("spurious", 4, EXAMPLES)
    assert {pair["relation"] for pair in row["examples"]} == {"spurious"}


def test_scores_are_those_of_evaluate_whatever_the_filter():
    plain, filtered = (compare(FEW, MANY, **more) for more in ({}, {"labels": ["ORG"]}))
    names = [f"gate_f(mode={mode})" for mode in ("strict", "lenient", "average")] + ["span_f"]
    expected = evaluate(plain.gold, plain.pred, names)
    for found in (plain, filtered):
        scores = summary(found)["scores"]
        assert [headline(one) for one in scores.values()] == [
            one.headline for one in expected.values()
        ]
        assert list(scores) == ["strict", "lenient", "average", "span_f"]
        assert scores["span_f"]["expected"] is not None


def test_spans_that_overlap_are_randomised_with_overlaps():
    found = compare(([(0, 3, "X"), (1, 4, "X")], [(0, 3, "X")]))
    score = summary(found)["scores"]["span_f"]
    assert "chance=overlapping" in score["signature"] and score["expected"] > 0


@pytest.mark.parametrize("documents", [[EQUAL], [FEW], [FEW, MANY]])
def test_the_json_has_the_summary_and_every_document_on_a_line(documents):
    found = compare(*documents)
    lines = list(json_lines(summary(found), found.documents()))
    read = json.loads("\n".join(lines))
    assert read.pop("documents") == list(found.documents())
    assert read == summary(found)
    assert sum('"place"' in line for line in lines) == len(found.order)
