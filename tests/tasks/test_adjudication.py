"""Tasks to review what differs, and new gold sets that take a side."""

import json
from dataclasses import replace

import pytest
from hypothesis import given

from helpers.differing import EQUAL, FEW, MANY, MONDAY, OSLO, PER, REX, WORDS, compare, corpora
from helpers.strategies import pairs
from spacy_chance_eval import FormatError, read_compared
from spacy_chance_eval.analysis.diff import diff
from spacy_chance_eval.corpora.pairs import CorpusPair, side_by_side
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.tasks.adjudicate import (
    resolve,
    review_documents,
    write_review,
)

SHORT = (2, 3, "PER")  # what FEW has in place of REX


def spans(tasks_or_version):
    return [(s["token_start"], s["token_end"] + 1, s["label"]) for s in tasks_or_version["spans"]]


# --- review


def test_a_task_has_both_annotations_as_versions():
    (task,) = review_documents(compare(EQUAL, FEW))
    versions = {tuple(version["sessions"]): spans(version) for version in task["versions"]}
    assert versions == {("gold",): [PER, REX, OSLO], ("predicted",): [PER, SHORT]}
    assert task["_view_id"] == "review" and task["text"] == " ".join(WORDS)


def test_meta_tells_how_many_differences_of_which_relation():
    (task,) = review_documents(compare(FEW))
    assert task["meta"] == {
        "document": "d0",
        "disagreement": 0.6,
        "partial": 1,
        "missing": 1,
    }


def test_only_documents_with_a_difference_that_the_filter_keeps_are_reviewed():
    tasks = list(review_documents(compare(FEW, MANY, labels=["ORG"])))
    assert [task["meta"]["document"] for task in tasks] == ["d1"]
    assert tasks[0]["meta"]["wrong label"] == 1 and "partial" not in tasks[0]["meta"]
    assert len(tasks[0]["versions"][0]["spans"]) == 4  # the whole annotation is shown


def test_documents_that_look_the_same_are_passed_over():
    gold, pred = corpora(EQUAL, FEW)
    odd = replace(pred.documents[0], unplaced={"spans": [(2, "LOC")]})
    found = diff(side_by_side(gold, replace(pred, documents=[odd, pred.documents[1]])))
    assert len(found.order) == 2
    assert [task["meta"]["document"] for task in review_documents(found)] == ["d1"]


def test_spans_that_fit_no_tokens_are_told_and_not_shown():
    gold, pred = corpora(FEW)
    odd = replace(pred.documents[0], unplaced={"spans": [(2, "LOC")]})
    (task,) = review_documents(diff(side_by_side(gold, replace(pred, documents=[odd]))))
    assert task["meta"]["spurious"] == 1


def test_layers_of_one_file_are_two_versions(tmp_path):
    path = tmp_path / "both.jsonl"
    layers = {"system": [list(row) for row in FEW[1]]}
    rows = [dict(zip(("start", "end", "label"), row)) for row in FEW[0]]
    path.write_text(json.dumps({"tokens": WORDS, "spans": rows, "layers": layers}) + "\n")
    (task,) = review_documents(diff(read_compared(path, f"{path}#system")))
    assert [spans(version) for version in task["versions"]] == [FEW[0], FEW[1]]


def test_features_that_a_task_cannot_hold_are_left_out():
    said = {"kind": "dog", "of": ("a",), "is": {"a"}, "label": "x", "p": float("inf"), "n": 1.5}
    fields = {"features": [{"spans": {PER: said, REX: {"kind": "cat"}}}] * 2}
    found = compare(FEW, EQUAL, fields=fields)
    (task,) = review_documents(found)
    first, second, *_ = task["versions"][0]["spans"]
    assert {"kind": "dog", "n": 1.5}.items() <= first.items() and second["kind"] == "cat"
    assert first["label"] == "PER" and not {"of", "is", "p"} & first.keys()


def test_tasks_are_written_as_jsonl(tmp_path):
    path, found = tmp_path / "tasks.jsonl", compare(FEW, EQUAL, MANY)
    assert write_review(found, path) == 2
    assert [json.loads(line) for line in path.read_text().splitlines()] == list(
        review_documents(found)
    )


def test_what_a_task_cannot_hold_leaves_no_file(tmp_path):
    sides = [
        Corpus(name, [Document((), {"spans": [(0, 1, name)]}, size=5)], "char") for name in "gp"
    ]
    with pytest.raises(FormatError, match="neither text nor token"):
        write_review(diff(side_by_side(*sides)), tmp_path / "tasks.jsonl")
    assert not list(tmp_path.iterdir())


# --- take


def rows_of(found, place=0):
    return list(found.corpus.documents[place].layers[found.layer])


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"relations": ["missing"]}, [PER, REX, OSLO]),
        ({"relations": ["spurious"]}, [PER, REX, OSLO, (6, 7, "DATE"), MONDAY]),
        ({"labels": ["ORG"]}, [PER, REX, (5, 6, "ORG"), MONDAY]),
    ],
)
def test_what_the_filters_do_not_keep_stays_as_gold_has_it(filters, expected):
    assert rows_of(resolve(compare(MANY, FEW, **filters), "pred")) == expected


def test_spans_bring_their_features():
    gold, pred = corpora(FEW)
    said = {"spans": {REX: {"n": 1}, PER: {"n": 2}}}, {"spans": {SHORT: {"n": 3}, PER: {"n": 4}}}
    gold, pred = (
        replace(side, documents=[replace(side.documents[0], features=one)])
        for side, one in zip((gold, pred), said)
    )
    both = side_by_side(gold, pred)
    for take, expected in (
        ("gold", {PER: {"n": 2}, REX: {"n": 1}}),
        ("pred", {PER: {"n": 2}, SHORT: {"n": 3}}),
        ("both", {PER: {"n": 2}, REX: {"n": 1}, SHORT: {"n": 3}}),
    ):
        assert resolve(diff(both), take).corpus.documents[0].features["spans"] == expected
    other = diff(both, features="all")
    for take, expected in (("gold", 2), ("pred", 4), ("both", 2)):
        document = resolve(other, take).corpus.documents[0]
        assert document.features["spans"][PER] == {"n": expected}
        assert document.layers["spans"].count(PER) == 1


def test_spans_that_fit_no_tokens_are_left():
    gold, pred = (
        replace(side, documents=[replace(side.documents[0], unplaced={"spans": [(n, "LOC")]})])
        for side, n in zip(corpora(FEW), (1, 2))
    )
    found = resolve(diff(side_by_side(gold, pred)), "pred")
    assert found.left == 2 and found.corpus.documents[0].unplaced == {"spans": ((1, "LOC"),)}
    only = resolve(diff(side_by_side(gold, pred), relations=["missing"]), "pred")
    assert only.left == 1


def test_a_prediction_that_leaves_a_document_out_predicts_nothing_there():
    gold, pred = corpora(FEW, FEW)
    first, second = pred.documents
    pred = replace(pred, documents=[replace(first, layers={"spans": None}), second])
    compared = diff(side_by_side(gold, pred))
    assert rows_of(resolve(compared, "gold")) == [PER, REX, OSLO]
    assert rows_of(resolve(compared, "pred")) == []


def test_the_prediction_in_the_file_of_gold_is_left_out_and_other_layers_stay():
    layers = {"gold": FEW[0], "system": FEW[1], "other": [OSLO]}
    corpus = Corpus("one.jsonl", [Document(WORDS, layers)])
    found = resolve(diff(side_by_side(corpus, corpus, layer="gold", pred_layer="system")), "pred")
    assert found.corpus.layer_names == ("gold", "other")
    elsewhere = replace(corpus, path="two.jsonl")
    found = resolve(
        diff(side_by_side(corpus, elsewhere, layer="gold", pred_layer="system")), "pred"
    )
    assert found.corpus.layer_names == ("gold", "other", "system")


def test_an_unknown_side_is_an_error():
    with pytest.raises(ValueError, match="unknown choice to take 'best'; expected one of gold"):
        resolve(compare(FEW), "best")


@given(pairs())
def test_taking_a_side_makes_that_side(pair):
    gold, pred = (
        Corpus(name, [Document(words, {"x": rows}) for words, rows in zip(pair.words, side)])
        for name, side in (("g", pair.gold), ("p", pair.pred))
    )
    if not any(a is not None and b is not None for a, b in zip(pair.gold, pair.pred)):
        return
    found = diff(CorpusPair(gold, "x", pred, "x", ("g", "p")))
    for place, (one, two) in enumerate(zip(gold.documents, pred.documents)):
        one, two = one.layers["x"], two.layers["x"]
        seen = one is not None and two is not None
        sides = {
            "gold": one,
            "pred": two if seen else one,
            "both": tuple(sorted({*one, *two})) if seen else one,
        }
        for take, expected in sides.items():
            assert resolve(found, take).corpus.documents[place].layers["x"] == expected
