"""Tests of pairs draw as many replicas as their decisions need, and say where these do not do."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import resampling_oracles as oracles
from helpers.rendered import leaderboard_text
from helpers.resamples import GOLD, SIDES, SYSTEMS, board_of, corpus, rank, row_of
from spacy_chance_eval.measures.resampling import (
    enough_replicas,
    holm,
    letter,
    p_value,
    p_value_limits,
    undecided,
)
from spacy_chance_eval.scoring import ranking
from spacy_chance_eval.scoring.intervals import Resampling
from spacy_chance_eval.scoring.ranking import Comparison, most_replicas

FEW = Resampling(99)
each_side = pytest.mark.parametrize("side", SIDES)
each_test = pytest.mark.parametrize("test", ["randomisation", "bootstrap"])


# --- limits of a p-value


def binomial(n, p):
    """Probabilities of 0 ... n successes."""
    logs = np.cumsum(np.log([1.0, *((n - k) / (k + 1) for k in range(n))]))
    k = np.arange(n + 1)
    return np.exp(logs + k * np.log(p) + (n - k) * np.log1p(-p))


@pytest.mark.parametrize("n", [9, 99, 999])
@pytest.mark.parametrize("p", [0.5, 0.05, 0.002])
def test_limits_hold_the_p_value_as_often_as_they_say(n, p):
    low, high = p_value_limits(np.arange(n + 1), np.full(n + 1, n))
    assert binomial(n, p)[(low <= p) & (p <= high)].sum() >= 0.95


def test_limits_of_none_half_and_all_are_known():
    low, high = p_value_limits([0, 50, 100], [100, 100, 100])
    assert low.tolist() == pytest.approx([0, 0.5 - 0.13334, 1 - 0.036218], abs=1e-4)
    assert high.tolist() == pytest.approx([1 - 40 ** (-1 / 100), 0.5 + 0.13334, 1], abs=1e-4)


def test_limits_of_what_is_undefined_are_undefined():
    low, high = p_value_limits([np.nan], [np.nan])
    assert np.isnan(low).all() and np.isnan(high).all()


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(400, 9000)), min_size=1, max_size=9))
def test_what_is_decided_is_what_holm_says_of_the_p_values(rows):
    reached, defined = (np.array(column, float)[:, None] for column in zip(*rows))
    is_open = undecided(reached, defined, 0.05)
    low, high = p_value_limits(reached, defined)
    for other in (p_value(reached, defined), low, high, (low + high) / 2):
        assert ((holm(other) < 0.05) == (holm(high) < 0.05))[~is_open].all()


@pytest.mark.parametrize("n_tests", [1, 66, 780])
def test_a_difference_that_is_never_reached_is_decided_with_enough_replicas(n_tests):
    none = np.zeros((n_tests, 1))
    n = enough_replicas(n_tests, 0.05)
    assert not undecided(none, none + n, 0.05).any()
    assert undecided(none, none + n - 2, 0.05).all()


@pytest.mark.parametrize(
    "n_systems, resamples, most",
    [(2, 0, 0), (2, 1000, 10_000), (12, 100, 4868), (40, 1000, 57_546), (200, 1000, 100_000)],
)
def test_there_is_a_bound(n_systems, resamples, most):
    assert most_replicas(n_systems, resamples, 0.05) == pytest.approx(most, abs=2)


# --- decisions on boards


def exact_p(first, second, side):
    """The p-value of all exchanges of two systems."""
    rows = [oracles.document_counts(GOLD, one, [12] * 8) for one in (first, second)]
    masks = np.array(list(product([False, True], repeat=8)))
    # all exchanges are there once: the one that changes nothing needs not be added
    return (oracles.randomisation_p(*rows, masks, side) * (1 + len(masks)) - 1) / len(masks)


@each_side
def test_p_values_agree_with_all_exchanges_within_their_limits(side):
    board = board_of(rank(intervals=FEW))
    assert board["pairs"]
    for pair in board["pairs"]:
        test = pair[side]
        n = test["replicas"]
        low, high = p_value_limits([test["p_value"] * (1 + n) - 1], [n])
        exact = exact_p(SYSTEMS[pair["first"]], SYSTEMS[pair["second"]], side)
        assert low[0] <= exact <= high[0]


@each_side
@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
def test_a_system_that_finds_nothing_is_tested_as_others_are(side, first):
    """Its statistics share arrays of zeros, those of the others do not."""
    systems = {"some": SYSTEMS["s2"], "nothing": [[] for _ in GOLD]}
    systems = dict(list(systems.items())[:: -1 if first else 1])
    (pair,) = board_of(rank(systems=systems, intervals=FEW))["pairs"]
    n = pair[side]["replicas"]
    low, high = p_value_limits([pair[side]["p_value"] * (1 + n) - 1], [n])
    assert low[0] <= exact_p(systems[pair["first"]], systems[pair["second"]], side) <= high[0]


@each_test
def test_identical_systems_share_a_letter_and_that_is_decided(test):
    systems = {f"s{i}": list(SYSTEMS.values())[0] for i in range(12)}
    board = board_of(rank(systems=systems, intervals=FEW, comparison=Comparison(test)))
    assert {row["group"] for row in board["rows"]} == {"a"}
    assert {pair["corrected"]["p_value"] for pair in board["pairs"]} == {1.0}


def ladder(n_systems, n_docs):
    """Gold, and systems of which each finds clearly more than the next, wherever documents are."""
    gold = [[(t, t + 1, "PER") for t in range(n_systems)] for _ in range(n_docs)]
    return gold, {f"s{k:02}": [doc[: n_systems - k] for doc in gold] for k in range(n_systems)}


def letters_of(n_systems, n_docs, test="randomisation", resamples=99):
    from spacy_chance_eval import Spans, leaderboard

    gold, systems = ladder(n_systems, n_docs)
    sizes = [n_systems + 5] * n_docs
    result = leaderboard(
        Spans.from_tuples(gold, sizes),
        {name: Spans.from_tuples(docs, sizes) for name, docs in systems.items()},
        ["span_f"],
        intervals=Resampling(resamples),
        comparison=Comparison(test),
    )
    return [row["observed_group"] for row in result["boards"][0]["rows"]], result


@each_test
def test_clearly_different_systems_never_share_a_letter(test):
    letters, _ = letters_of(12, 50, test)
    assert letters == list("abcdefghijkl")


@pytest.mark.slow
def test_forty_clearly_different_systems_never_share_a_letter():
    letters, _ = letters_of(40, 60)
    assert letters == [letter(number) for number in range(40)]


@each_test
def test_the_order_and_names_of_systems_are_irrelevant(test):
    renamed = {f"t{i}": SYSTEMS[name] for i, name in enumerate(sorted(SYSTEMS, reverse=True))}
    how = {"intervals": FEW, "comparison": Comparison(test)}
    one, two = board_of(rank(**how)), board_of(rank(systems=renamed, **how))
    names = {name: f"t{i}" for i, name in enumerate(sorted(SYSTEMS, reverse=True))}
    p_values = {frozenset((p["first"], p["second"])): p["observed"] for p in two["pairs"]}
    for pair in one["pairs"]:
        other = p_values[frozenset((names[pair["first"]], names[pair["second"]]))]
        for key in ("p_value", "p_holm", "replicas", "decided"):
            assert pair["observed"][key] == other[key]


def test_a_seed_makes_the_same_decisions():
    boards = [rank(intervals=Resampling(99, seed)) for seed in (1, 1, 2)]
    assert boards[0] == boards[1] != boards[2]


def test_tests_that_are_decided_take_no_further_part():
    gold, systems = corpus(3, 4, 30)
    systems["s4"] = systems["s0"]
    board = board_of(rank(gold, systems, intervals=FEW))
    (same,) = [p for p in board["pairs"] if (p["first"], p["second"]) == ("s0", "s4")]
    assert same["observed"]["replicas"] == 99
    assert max(pair["observed"]["replicas"] for pair in board["pairs"]) > 99


@pytest.fixture
def near(monkeypatch):
    """A board on which tests stay open."""
    monkeypatch.setattr(ranking, "MORE", 2)
    monkeypatch.setattr(ranking, "MOST", 0)
    return rank(intervals=Resampling(19))


def test_what_is_not_decided_is_marked_noted_and_in_the_text(near):
    board = board_of(near)
    marked = set()
    for pair in board["pairs"]:
        assert pair["observed"]["replicas"] <= 38
        if pair["observed"]["decided"] is False:
            marked |= {pair["first"], pair["second"]}
    assert marked
    for name in SYSTEMS:
        assert row_of(board, name)["observed_group"].endswith("?") == (name in marked)
    assert "Not decided after 38 replicates (? behind letters): " in " ".join(near["notes"])
    assert "More resamples decide more." in " ".join(near["notes"])
    text = leaderboard_text(near | {"title": "", "gold": "g", "layer": "l"})
    assert "?" in text and "Not decided" in text


def test_the_signature_says_what_was_drawn_and_what_could_have_been(near):
    row = board_of(near)["rows"][0]
    assert "|test=randomisation,0.05,38/38|" in row["signature"]
    assert near["resampling"]["most_replicas"] == 38
