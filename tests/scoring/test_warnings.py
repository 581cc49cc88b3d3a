"""Warnings: spans and labels that gold, a prediction or an annotator lacks, with numbers."""

import pytest

from spacy_chance_eval import Resampling, Spans, agree, evaluate, leaderboard, plan, request
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.scoring.warnings import pair_warnings

PER, LOC = (0, 2, "PER"), (4, 5, "LOC")
GOLD = [PER, LOC]
NO_COMMON = (
    "{} has no label in common with gold, so that no span can be correct: gold has LOC (1), PER "
    "(1), {} has PERSON (2)."
)
CASES = {
    "alike": (GOLD, GOLD, []),
    "both empty": (
        [],
        [],
        ["Gold has no spans: whatever is predicted counts as wrong; check its column or layer."],
    ),
    "gold empty": (
        [],
        GOLD,
        ["Gold has no spans: whatever is predicted counts as wrong; check its column or layer."],
    ),
    "prediction empty": (
        GOLD,
        [],
        ["The prediction has no spans: all of gold counts as missing; check its column or layer."],
    ),
    "no common label": (
        GOLD,
        [(0, 2, "PERSON"), (4, 5, "PERSON")],
        [NO_COMMON.format("The prediction", "the prediction")],
    ),
    "labels of one side": (
        GOLD,
        [PER, (4, 5, "PLACE")],
        [
            "The prediction has labels that gold does not have, and they count as wrong: PLACE "
            "(1).",
            "The prediction never uses some labels of gold, and they count as missing: LOC (1).",
        ],
    ),
}


def spans(*documents):
    return Spans.from_tuples(documents, [9] * len(documents))


@pytest.mark.parametrize(("gold", "pred", "expected"), CASES.values(), ids=CASES)
def test_warnings_of_a_pair(gold, pred, expected):
    assert pair_warnings(*align(spans(gold), spans(pred))) == expected


@pytest.mark.parametrize(("metrics", "n"), [([], 2), (["bdm_f"], 0), (["bdm_f", "gate_f"], 2)])
def test_labels_of_one_side_are_no_mistake_if_their_closeness_counts(metrics, n):
    pair = align(spans(GOLD), spans([PER, (4, 5, "PLACE")]))
    assert len(pair_warnings(*pair, metrics={name: request("span_f") for name in metrics})) == n


TABLE = {"f": request("bdm_f", closeness={("PER", "PERSON"): 0.5})}
DOORS = {
    "evaluate": lambda gold, pred: evaluate(gold, pred, TABLE),
    "leaderboard": lambda gold, pred: leaderboard(gold, {"a": pred}, TABLE),
    "agree": lambda gold, pred: agree({"a": gold, "b": pred}, TABLE),
    "plan": lambda gold, pred: plan({"a": pred}, gold, metrics=TABLE),
    "plan of annotators": lambda gold, pred: plan({"a": gold, "b": pred}, metrics=TABLE),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_labels_that_closeness_does_not_know_are_named(door):
    (text,) = door(spans([PER], [PER, LOC]), spans([PER], [PER, LOC])).to_dict()["warnings"]
    assert text.startswith("closeness= does not know some labels of ")
    assert ", which are then close to none but themselves: LOC (" in text


def test_documents_that_one_did_not_see_do_not_count():
    gold = Spans.from_tuples([[PER], [LOC]], [9, 9])
    pred = Spans.from_tuples([[PER], None], [9, 9])
    assert pair_warnings(*align(gold, pred)) == []


def test_of_many_labels_those_with_most_spans_are_named():
    many = [(i, i + 1, f"L{i}") for i in range(6)]
    (text,) = pair_warnings(*align(spans([PER, *many, (7, 8, "L5"), (8, 9, "L6")]), spans([PER])))
    assert text.endswith(": L5 (2), L0 (1), L1 (1), L2 (1), L3 (1), 2 more labels.")


def board(gold, **systems):
    preds = {name: spans(rows) for name, rows in systems.items()}
    return leaderboard(spans(gold), preds, ["span_f"], intervals=Resampling(0))


def test_a_board_names_each_system():
    other = [(0, 2, "PERSON"), (4, 5, "PERSON")]
    assert board(GOLD, a=GOLD, b=other, pred=[])["warnings"] == [
        NO_COMMON.format("b", "b"),
        "pred has no spans: all of gold counts as missing; check its column or layer.",
    ]


def test_a_board_says_once_that_gold_is_empty():
    (text,) = board([], a=GOLD, b=GOLD)["warnings"]
    assert text.startswith("Gold has no spans")


def agreed(*annotators):
    team = {name: spans(rows) for name, rows in zip("abc", annotators)}
    return agree(team, ["span_f"], intervals=Resampling(0)).to_dict()["warnings"]


def test_annotators_without_a_common_label():
    assert agreed([PER], [(0, 2, "PERSON")]) == [
        "a uses only labels that nobody else uses, on which none can agree: PER (1).",
        "b uses only labels that nobody else uses, on which none can agree: PERSON (1).",
    ]
