import numpy as np
import pytest

from helpers import resampling_oracles as oracles
from helpers.resamples import (
    FEW,
    GOLD,
    LABELS,
    METRICS,
    SYSTEMS,
    approx,
    assert_alike,
    board_of,
    corpus,
    rank,
    row_of,
    score_of,
    spans,
)
from spacy_chance_eval import leaderboard
from spacy_chance_eval.reports.leaderboard import standing_of
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring.intervals import Resampling
from spacy_chance_eval.scoring.ranking import Comparison

# --- boards


def test_there_is_a_board_for_every_metric_and_every_label_of_gold():
    systems = {"a": [[(0, 1, "NEW")], *SYSTEMS["s0"][1:]]}
    result = rank(systems=systems, metrics=METRICS, labels=(*LABELS, "NEW"))
    expected = [(metric, label) for metric in METRICS for label in (None, *LABELS)]
    assert [(board["metric"], board["label"]) for board in result["boards"]] == expected


def test_the_lowest_error_rate_is_first():
    rows = board_of(rank(metrics=["error_rate"]))["rows"]
    scores = [row["observed"] for row in rows]
    assert scores == sorted(scores) and scores[0] < scores[-1]
    assert rows[0]["rank"] == 1
    assert rows[0]["first"] > rows[-1]["first"]


def test_a_metric_without_a_chance_model_has_no_corrected_standing():
    board = board_of(rank(metrics=["slicm"]))
    for row in board["rows"]:
        assert not {"corrected", "expected", "observed_rank", "observed_low"} & {*row}
        assert row["change"] is None and row["rank"]
    assert all("corrected" not in pair for pair in board["pairs"])
    assert board["bits"]


def test_a_single_system_is_first_in_every_resample_and_in_no_group():
    result = rank(systems={"s0": SYSTEMS["s0"]})
    (standing,) = board_of(result)["rows"]
    assert (standing["rank"], standing["first"], standing["group"]) == (1, 1, "")
    assert board_of(result)["pairs"] == []


def test_without_resamples_there_are_scores_and_ranks_only():
    for board in rank(intervals=Resampling(0))["boards"]:
        for row in board["rows"]:
            assert row["rank"]
            assert interval_of(row, "corrected") is row["first"] is None
            assert (interval_of(row, "rank"), row["group"]) == (None, "")
        assert {pair["observed"]["p_value"] for pair in board["pairs"]} == {None}


def test_a_system_that_predicts_nothing_scores_zero_and_has_no_precision():
    systems = {**SYSTEMS, "none": [[] for _ in GOLD]}
    result = rank(systems=systems, metrics=["span_f", "span_precision"])
    assert row_of(board_of(result, "span_f"), "none")["observed"] == 0
    standing = standing_of(row_of(board_of(result, "span_precision"), "none"), "observed")
    assert [standing[key] for key in ("score", "low", "rank", "rank_low")] == [None] * 4
    assert standing["group"] == ""
    pair = board_of(result, "span_precision")["pairs"][0]
    assert [pair["observed"][key] for key in ("difference", "p_value", "p_holm")] == [None] * 3


def test_the_correction_moves_no_system_past_one_without_a_corrected_score():
    gold = [[(0, 1, "X")], [(0, 1, "X")]]
    systems = {"half": [[(0, 1, "X")], []], "whole": gold}
    sides = {name: spans(documents, ("X",), [1, 1]) for name, documents in systems.items()}
    result = leaderboard(spans(gold, ("X",), [1, 1]), sides, ["span_f"], intervals=FEW)
    half, whole = (row_of(board_of(result), name) for name in ("half", "whole"))
    assert (half["observed_rank"], half["rank"]) == (2, 1)
    assert whole["observed_rank"] == 1 and whole["corrected"] is None
    assert (half["change"], whole["change"]) == (0, None)


# --- the order of rows


def test_rows_stand_in_the_order_of_corrected_ranks():
    for board in rank(metrics=METRICS)["boards"]:
        keys = [(row["rank"], row["system"]) for row in board["rows"]]
        assert keys == sorted(keys)


# --- notes and signatures


def notes(**options):
    return " ".join(rank(**{"intervals": Resampling(100), **options})["notes"])


def test_a_note_warns_of_few_documents():
    assert f"documents that are worth {oracles.n_eff(GOLD):.1f} of equal size" in notes()


def test_a_note_says_what_is_made_of_disagreement():
    said = notes(metrics=["span_f", "u_alpha"])
    assert "u_alpha: based on disagreement, 1 - D_o / D_e; observed is 1 - D_o" in said
    assert "disagreement" not in notes(metrics=["span_f", "cohen_kappa"])


def test_no_note_warns_of_many_documents():
    gold, systems = corpus(1, 2, 80)
    assert rank(gold, systems, intervals=Resampling(1000))["notes"] == []


def test_a_note_warns_of_few_clusters_of_many_documents():
    gold, systems = corpus(1, 2, 25)
    options = {"clusters": list("abcde") * 5, "intervals": Resampling(1000, unit="article")}
    assert "clusters (by article) that are worth 4." in notes(gold=gold, systems=systems, **options)


def test_a_note_warns_of_parts_of_few_documents():
    gold, systems = corpus(1, 2, 80)
    few = np.arange(80) < 9
    told = notes(
        gold=gold,
        systems=systems,
        subsets={"half": {"few": few, "many": ~few}},
        intervals=Resampling(1000),
    )
    assert told.startswith("1 of 2 parts by half are worth fewer than 40 documents (n_eff).")


def test_a_note_tells_of_one_document_that_there_are_no_intervals():
    gold, systems = corpus(1, 2, 1)
    told = notes(gold=gold, systems=systems, intervals=Resampling(1000))
    assert "no intervals, no tests" in told


def test_the_signature_tells_metric_data_label_systems_test_and_resampling():
    result = rank(intervals=Resampling(40, 2, "bca", 0.9), comparison=Comparison("bootstrap", 0.1))
    text = row_of(board_of(result, label="PER"), "s0")["signature"]
    gold = spans(GOLD).digest()
    assert text.startswith("span_f(beta=1.0,chance=disjoint,unit=sentence)|positions=token|docs=8|")
    for part in (f"gold={gold}", "label=PER", "systems=3",
                 "test=bootstrap,0.1,218/400", "ci=bootstrap,40,2,bca,0.9,documents"):  # fmt: skip
        assert f"|{part}|" in text


def test_every_number_has_a_signature_of_its_own():
    docs = np.arange(8) < 4
    result = rank(metrics=METRICS, subsets={"half": {"first": docs, "second": ~docs}})
    texts = [board["rows"][0]["signature"] for board in result["boards"]]
    assert len(set(texts)) == len(texts)


# --- boards of subsets


FIRST = np.array([1, 1, 1, 0, 1, 0, 1, 1], bool)


@pytest.mark.parametrize("seed", range(3))
def test_the_board_of_a_subset_is_that_of_a_corpus_of_its_documents(seed):
    gold, systems = corpus(seed)
    whole = rank(gold, systems, METRICS, subsets={"x": {"part": FIRST}})
    pick = lambda docs: [doc for doc, chosen in zip(docs, FIRST) if chosen]  # noqa: E731
    part = rank(pick(gold), {name: pick(x) for name, x in systems.items()}, METRICS)
    for metric in METRICS:
        one = board_of(whole, metric, None, {"by": "x", "value": "part"})
        two = board_of(part, metric)
        assert (one["n_docs"], one["n_gold"]) == (two["n_docs"], two["n_gold"])
        for name in systems:
            mine, theirs = row_of(one, name), row_of(two, name)
            for key in ("gold", "pred", "expected", "change"):
                assert_alike(mine[key], theirs[key])
            for key in ("observed", "observed_rank", "corrected", "rank"):
                assert_alike(mine[key], theirs[key])


@pytest.mark.integration
def test_the_intervals_of_a_subset_are_those_of_its_resampled_documents(recorder):
    result = rank(subsets={"x": {"part": FIRST}})
    board = board_of(result, None, None, {"by": "x", "value": "part"})
    samples = recorder.samples(8, run=1)
    assert all(FIRST[docs].all() and len(docs) == FIRST.sum() for docs in samples)
    for name, documents in SYSTEMS.items():
        many = [
            score_of([GOLD[i] for i in x], [documents[i] for i in x], "span_f", "corrected", None)
            for x in samples
        ]
        row = row_of(board, name)
        n_eff = oracles.n_eff([spans for spans, yes in zip(GOLD, FIRST) if yes])
        expected = oracles.percentile_interval(row["corrected"], many, n=n_eff)
        assert interval_of(row) == approx(expected)


def test_a_subset_without_documents_has_no_board():
    result = rank(subsets={"x": {"none": np.zeros(8, bool)}})
    assert all(board["subset"] is None for board in result["boards"])
