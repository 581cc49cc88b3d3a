import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import oracles
from helpers.cases import each_case
from helpers.resamples import board_of, gold_documents, rank, spans
from spacy_chance_eval import Spans, evaluate, parse
from spacy_chance_eval.scoring.subsets import BINNED, chance_levels, divide, divide_by_attribute

SIZES = [4, 4, 6, 8, 9, 12, 12, 12, 30]
REQUEST = parse("span_f")
each_way = pytest.mark.parametrize("by", BINNED)


def corpus(seed=1, sizes=SIZES, unseen=()):
    documents = gold_documents(seed, len(sizes))
    rows = [[span for span in d if span[1] <= n] for d, n in zip(documents, sizes)]
    return spans([None if i in unseen else row for i, row in enumerate(rows)], sizes=sizes)


def parts(gold, by):
    return divide(gold, by, request=REQUEST)


def by_attribute(gold, by, values):
    return divide_by_attribute(gold.seen, by, values)


def assert_partition(found, docs):
    """Every one of the documents is in exactly one part, and no part is empty."""
    table = np.array(list(found.values()))
    assert table.sum(axis=0).tolist() == np.asarray(docs).astype(int).tolist()
    assert table.any(axis=1).all()


@each_way
@each_case("seed", range(4))
def test_the_parts_are_a_partition_of_the_documents_seen(by, seed):
    gold = corpus(seed, unseen={2, 5})
    assert_partition(parts(gold, by), gold.seen)


@pytest.mark.parametrize("by", ["chance", "density"])
def test_the_parts_of_long_documents_are_a_partition(by):
    sizes = [10000, 11000, 12000, 13000, 14000, 14500]
    gold = spans([[(0, 1, "PER")] for _ in sizes], sizes=sizes)
    assert_partition(parts(gold, by), gold.seen)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=8), st.sampled_from(BINNED))
def test_the_parts_of_any_corpus_are_a_partition(sizes, by):
    gold = corpus(3, sizes)
    assert_partition(parts(gold, by), gold.seen)


def test_documents_of_equal_length_stay_together():
    found = parts(spans([[] for _ in range(5)], sizes=[7, 7, 7, 7, 9]), "length")
    assert {name: docs.tolist() for name, docs in found.items()} == {
        "7 tokens": [True] * 4 + [False],
        "9 tokens": [False] * 4 + [True],
    }


def test_density_is_in_spans_per_hundred_tokens():
    gold = spans([[(0, 1, "PER")], [(0, 1, "PER"), (3, 4, "LOC")]], sizes=[10, 10])
    found = parts(gold, "density")
    assert list(found) == ["10.00 spans per 100 tokens", "20.00 spans per 100 tokens"]


def test_the_chance_level_is_what_gold_is_expected_to_score_against_itself():
    gold = spans([[(0, 1, "PER")], [(0, 2, "PER")], [], [(0, 1, "LOC")]], sizes=[4, 5, 5, 20])
    found = parts(gold, "chance")
    rows = [[(0, 1, "PER")], [(0, 2, "PER")], [(0, 1, "LOC")]]
    expected = [
        float(oracles.expected_in_corpus(oracles.matching_spans, [row], [row], [size],
                                         oracles.placements_disjoint))
        for row, size in zip(rows, (4, 5, 20))
    ]  # fmt: skip
    assert set(found) == {f"{x:.4f} expected" for x in expected} | {"no spans"}
    assert found["no spans"].tolist() == [False, False, True, False]


def test_chance_levels_are_the_expectations_of_single_documents():
    gold = corpus()
    rows = evaluate(gold, gold, "span_f", per_doc=True)["span_f"].per_doc.values()
    levels = [row["expected"] for row in rows]
    for docs in parts(gold, "chance").values():
        inside = [x for x, chosen in zip(levels, docs) if chosen and x is not None]
        outside = [x for x, chosen in zip(levels, docs) if not chosen and x is not None]
        assert not inside or not any(min(inside) < x < max(inside) for x in outside)


@pytest.mark.parametrize("request_", [None, parse("slicm"), parse("span_f(chance=none)")])
def test_parts_by_chance_need_a_chance_model(request_):
    with pytest.raises(ValueError, match="'chance' needs a metric with a chance model"):
        divide(corpus(), "chance", request=request_)


def test_a_threshold_is_the_highest_number_of_its_part():
    found = parts(spans([[] for _ in range(5)], sizes=[5, 10, 11, 20, 21]), "length:10,20")
    assert {name: docs.nonzero()[0].tolist() for name, docs in found.items()} == {
        "up to 10 tokens": [0, 1],
        "above 10 up to 20 tokens": [2, 3],
        "above 20 tokens": [4],
    }


@each_case(
    ("by", "names"),
    [
        ("chance:.2", ["up to 0.2 expected span_f", "above 0.2 expected span_f", "no spans"]),
        ("density:12.5", [f"{side} 12.5 spans per 100 tokens" for side in ("up to", "above")]),
    ],
)
def test_parts_between_thresholds_are_a_partition(by, names):
    gold = spans([[(0, 1, "PER")], [], [(0, 1, "PER")], None], sizes=[4, 5, 20, 4])
    found = parts(gold, by)
    assert list(found) == names
    assert_partition({name: docs for name, docs in found.items() if docs.any()}, gold.seen)


def test_documents_of_one_chance_level_stay_together():
    sizes = np.repeat(np.arange(4, 41), 3)  # chance 1/n, whichever the labels and lengths are
    rows = [
        [(i, i + 1, label) for i, label in enumerate("ABC"[: 1 + doc % 3])]
        for doc in range(len(sizes))
    ]
    gold = Spans.from_tuples(rows, sizes=sizes)
    levels = chance_levels(gold, parse("token_f"))
    assert len(np.unique(levels)) == len(np.unique(sizes))
    assert levels[sizes == 20].tolist() == [0.05] * 3


def test_a_part_between_thresholds_may_be_empty_and_the_board_says_so():
    gold = gold_documents(4, 9)
    found = parts(spans(gold), "length:999")
    notes = rank(gold, {"a": gold}, subsets={"length:999": found})["notes"]
    assert "No document is in these parts of 'length:999': above 999 tokens." in notes


@each_case(
    ("by", "message"),
    [
        ("chance:high", "expected numbers between 0 and 1 that rise, such as chance:.175"),
        ("chance:82.5", "expected numbers between 0 and 1"),
        ("chance:", "has no thresholds"),
        ("chance:.2,.1", "'chance:.2,.1' has wrong thresholds; expected numbers between 0 and 1"),
        ("length:20,10", "expected numbers above 0 that rise, such as length:10,20"),
        ("length:10,10", "that rise"),
        ("density:-1", "numbers above 0"),
        ("density:nan", "numbers above 0"),
    ],
)
def test_thresholds_rise(by, message):
    with pytest.raises(ValueError, match=message):
        parts(corpus(), by)


def test_the_parts_by_an_attribute_are_its_values_in_order():
    gold = corpus(sizes=[5] * 4)
    found = by_attribute(gold, "genre", ["web", "news", "web", "news"])
    assert list(found) == ["news", "web"]
    assert_partition(found, [True] * 4)


def test_unseen_documents_are_in_no_part_of_an_attribute():
    gold = corpus(sizes=[5] * 3, unseen={1})
    assert_partition(by_attribute(gold, "genre", ["web"] * 3), [True, False, True])


@pytest.mark.parametrize("values", [None, ["web"], ["web"] * 4])
def test_an_attribute_needs_a_value_for_every_document(values):
    with pytest.raises(ValueError, match="genre"):
        by_attribute(corpus(sizes=[5] * 3), "genre", values)


@each_way
def test_the_boards_of_parts_count_all_documents_and_spans(by):
    gold, n_docs = gold_documents(4, 9), 9
    found = parts(spans(gold), by)
    result = rank(gold, {"a": gold}, subsets={by: found})
    boards = [board for board in result["boards"] if board["subset"]]
    assert [board["subset"]["value"] for board in boards] == list(found)
    assert sum(board["n_docs"] for board in boards) == n_docs
    assert sum(board["n_gold"] for board in boards) == board_of(result)["n_gold"]


def test_documents_outside_of_all_parts_are_noted():
    gold = gold_documents(4, 9)
    found = by_attribute(spans(gold), "genre", ["web"] * 7 + [None] * 2)
    notes = rank(gold, {"a": gold}, subsets={"genre": found})["notes"]
    assert "2 documents are in no part of 'genre'." in notes
