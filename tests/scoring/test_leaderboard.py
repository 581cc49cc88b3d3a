import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from helpers.resamples import (
    FEW,
    GOLD,
    LABELS,
    SYSTEMS,
    assert_alike,
    board_of,
    rank,
    row_of,
    spans,
)
from spacy_chance_eval import evaluate, leaderboard
from spacy_chance_eval.reports.leaderboard import standing_of
from spacy_chance_eval.scoring.intervals import Resampling

# --- order and names


def test_the_order_of_systems_is_irrelevant():
    turned = dict(reversed(SYSTEMS.items()))
    assert rank() == rank(systems=turned)


def test_progress_is_told():
    told = []

    def watch(steps, total, what):
        told.append(what)
        return steps

    rank(progress=watch)
    assert told == ["Systems"] + ["span_f: resamples"] * (len(told) - 1) and len(told) > 2


@given(st.permutations(range(8)))
def test_the_order_of_documents_is_irrelevant(order):
    moved = {name: [x[i] for i in order] for name, x in SYSTEMS.items()}
    assert_alike(rank(), rank([GOLD[i] for i in order], moved))


def test_the_order_of_documents_in_which_systems_change_places_is_irrelevant():
    one, two = [(0, 1, "PER")], [(1, 2, "PER")]
    gold = [one, one, one, two]
    systems = {"a": [one, two, one, two], "b": [two, one, one, []]}
    moved = {name: [x[1], x[0], *x[2:]] for name, x in systems.items()}
    assert_alike(rank(gold, systems), rank(gold, moved))


@each_case("labels", [LABELS[::-1], ("AAA", *LABELS, "ZZZ")])
def test_the_order_of_labels_and_labels_without_spans_are_irrelevant(labels):
    assert rank() == rank(labels=labels)


def test_a_system_left_out_changes_no_score_of_the_others():
    unlike = {**SYSTEMS, "x": [*SYSTEMS["s0"][:-1], [(0, 2, LABELS[0]), (1, 3, LABELS[0])]]}
    one, two = rank(), rank(systems=unlike)
    assert [left["name"] for left in two["left_out"]] == ["x"]
    assert one["boards"] == two["boards"]


# --- drawn expectations


DRAWN = "slicm_norm(chance=disjoint)"


def test_drawn_expectations_are_those_of_evaluate():
    result = rank(metrics=[DRAWN], draws=20, intervals=Resampling(20, seed=3))
    for name, documents in SYSTEMS.items():
        score = evaluate(spans(GOLD), spans(documents), DRAWN, draws=20, seed=3)[DRAWN]
        row = row_of(board_of(result), name)
        assert row["expected"] == pytest.approx(score.expected)
        assert row["corrected"] == pytest.approx(score.headline)
        assert "|draws=20,3|" in row["signature"]


def test_drawn_expectations_do_not_depend_on_the_order_of_documents_others_tell_apart():
    gold = [[(0, 2, "PER")], [(0, 2, "PER")], [(3, 4, "LOC")], [(3, 6, "PER")]]
    systems = {
        "a": [[(0, 2, "PER")], [(0, 2, "PER")], [(3, 5, "LOC")], []],
        "b": [[(0, 1, "PER")], [(1, 2, "PER")], [(3, 4, "LOC")], [(3, 6, "PER")]],
    }
    moved = {name: [x[1], x[0], *x[2:]] for name, x in systems.items()}
    intervals = Resampling(200, level=0.3)
    options = {"metrics": [DRAWN], "draws": 50, "intervals": intervals}
    assert_alike(rank(gold, systems, **options), rank(gold, moved, **options))


# --- systems that cannot be compared

HERE = spans([[(0, 1, "PER")], [(1, 2, "LOC")]], sizes=[3, 4], words="a b c d e f g".split(),
             names=["one", "two"])  # fmt: skip


def other(documents=([], []), sizes=(3, 4), **fields):
    return spans(list(documents), sizes=list(sizes), **fields)


UNLIKE = {
    "other tokens": (other(words="a b x d e f g".split()), r"one: token 3 is 'c' .* 'x'"),
    "another number of tokens": (other(sizes=(3, 5)), "two has 4 positions .* 5"),
    "another number of documents": (other(([],), (3,)), "2 documents against 1"),
    "overlapping spans": (
        other(([], [(0, 2, "PER"), (1, 3, "PER")])),
        r"PER \[0, 2\).*PER \[1, 3\)",
    ),
}  # fmt: skip
each_difference = pytest.mark.parametrize("name", UNLIKE)


@each_difference
def test_a_system_that_cannot_be_compared_is_left_out_with_the_place(name):
    system, reason = UNLIKE[name]
    result = leaderboard(HERE, {"good": HERE, "bad": system}, ["span_f"], intervals=FEW)
    assert [left["name"] for left in result["left_out"]] == ["bad"]
    assert [row["system"] for row in board_of(result)["rows"]] == ["good"]
    with pytest.raises(ValueError, match=reason):
        raise ValueError(result["left_out"][0]["reason"])


def test_sentences_of_systems_do_not_count():
    marked = ([(0, 1, "PER")], [(0, 1, "PER")])
    gold = other(marked, stretches=[(0, 0, 3), (1, 0, 2), (1, 2, 4)])
    unlike = other(marked, stretches=[(0, 0, 3), (1, 0, 3), (1, 3, 4)])
    systems = {"a": gold, "b": unlike, "c": other(marked)}
    rows = board_of(leaderboard(gold, systems, ["span_f"], intervals=FEW))["rows"]
    (whole,) = board_of(leaderboard(other(marked), {"b": unlike}, ["span_f"], intervals=FEW))[
        "rows"
    ]
    assert len({row["expected"] for row in rows}) == 1
    assert whole["expected"] < rows[0]["expected"]


# --- without gold spans


EMPTY = {"by": "kind", "value": "empty"}
BARE = (
    [[(0, 1, "PER")], []],
    {"silent": [[(0, 1, "PER")], []], "noisy": [[], [(0, 1, "PER"), (2, 3, "PER")]]},
)


def bare_boards(metric):
    """The board of the subset without gold spans, and that of these documents alone."""
    parts = {"kind": {"empty": np.array([False, True]), "full": np.array([True, False])}}
    found = rank(*BARE, metrics=[metric], subsets=parts)
    alone = rank([[]], {name: docs[1:] for name, docs in BARE[1].items()}, metrics=[metric])
    for result, subset, said in ((found, EMPTY, "kind: empty"), (alone, None, "all documents")):
        board = board_of(result, metric, subset=subset)
        yield board, f"are counted instead ({said})." in " ".join(result["notes"])


@each_case("metric", ["span_f", "gate_f", "error_rate", "krippendorff_alpha", "cohen_kappa"])
def test_boards_without_gold_spans_rank_no_system(metric):
    for board, is_said in bare_boards(metric):
        assert is_said
        assert (board["n_gold"], board["pairs"]) == (0, [])
        assert [row["pred"] for row in board["rows"]] == [0, 2]
        for row in board["rows"]:
            standings = [standing_of(row, name) for name in ("observed", "corrected")]
            assert {one["rank"] for one in standings} == {row["change"]} == {None}
            assert {one["group"] for one in standings} == {""}


@each_case("metric", ["false_positives", "percent_agreement"])
def test_metrics_of_what_is_not_marked_rank_without_gold_spans(metric):
    for board, is_said in bare_boards(metric):
        ranks = {row["system"]: row["rank"] for row in board["rows"]}
        assert ranks == {"silent": 1, "noisy": 2} and not is_said
