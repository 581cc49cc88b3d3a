"""What the correction changes on a leaderboard, from boards that are made by hand."""

import pytest

from spacy_chance_eval.analysis.correction import correction_facts


def corrected(observed, expected):
    return (observed - expected) / (1 - expected)


def board(systems, *, label=None, subset=None, pairs=(), n_gold=10, metric="span_f"):
    """A board of {name: (observed, expected)}; pairs as (one, two, p before, p after)."""
    rows = [
        {
            "system": name,
            "observed": {"score": observed},
            "expected": expected,
            "corrected": {"score": corrected(observed, expected)},
        }
        for name, (observed, expected) in systems.items()
    ]
    tests = [
        {"first": a, "second": b, "observed": {"p_holm": p}, "corrected": {"p_holm": q}}
        for a, b, p, q in pairs
    ]
    about = {"metric": metric, "label": label, "subset": subset, "n_docs": 2, "n_gold": n_gold}
    return {**about, "rows": rows, "pairs": tests}


def facts_of(*boards):
    return correction_facts({"resampling": {"alpha": 0.05}, "boards": boards})["span_f"]


REVERSED = {"short": (0.6, 0.1), "long": (0.62, 0.3)}


def test_the_order_that_the_correction_reverses_is_named():
    pairs = [("long", "short", 0.5, 0.5)]
    (swap,) = facts_of(board(REVERSED, pairs=pairs))["all"]["swaps"]
    assert (swap["up"], swap["down"], swap["distinct"]) == ("short", "long", False)
    assert swap["observed"] == pytest.approx(-0.02)
    assert swap["corrected"] == pytest.approx(corrected(0.6, 0.1) - corrected(0.62, 0.3))


@pytest.mark.parametrize("p_values", [(0.01, 0.5), (0.5, 0.04)], ids=["before", "after"])
def test_a_swap_counts_as_different_if_a_test_says_so(p_values):
    found = facts_of(board(REVERSED, pairs=[("long", "short", *p_values)]))["all"]
    assert found["swaps"][0]["distinct"]


def test_an_order_that_stays_is_no_swap():
    assert facts_of(board({"a": (0.9, 0.1), "b": (0.8, 0.1)}))["all"]["swaps"] == []


def test_ranges_are_of_all_systems():
    found = facts_of(board({"a": (0.9, 0.1), "b": (0.8, 0.2)}))["all"]
    assert found["expected"] == [0.1, 0.2]
    assert found["observed"] == [0.8, 0.9]
    assert found["corrected"] == pytest.approx([0.75, 8 / 9])
    assert found["loss"] == pytest.approx([0.9 - 8 / 9, 0.05])


def test_pairs_that_only_one_test_calls_different_are_named():
    systems = {"a": (0.9, 0.1), "b": (0.8, 0.1), "c": (0.7, 0.1)}
    pairs = [("a", "b", 0.01, 0.2), ("a", "c", 0.2, 0.01), ("b", "c", 0.01, 0.01)]
    found = facts_of(board(systems, pairs=pairs))["all"]
    assert (found["lost"], found["gained"]) == ([["a", "b"]], [["a", "c"]])
    assert (found["n_pairs"], found["n_distinct"]) == (3, {"observed": 2, "corrected": 2})


def test_pairs_that_are_not_decided_are_counted_and_not_named():
    one = board({"a": (0.9, 0.1), "b": (0.8, 0.1)}, pairs=[("a", "b", 0.01, 0.2)])
    one["pairs"][0]["corrected"]["decided"] = False
    found = facts_of(one)["all"]
    assert (found["lost"], found["n_open"]) == ([], {"observed": 0, "corrected": 1})


@pytest.mark.parametrize("pairs", [[], [("long", "short", None, None)]], ids=["none", "no p"])
def test_without_tests_nothing_is_said_of_them(pairs):
    found = facts_of(board(REVERSED, pairs=pairs))["all"]
    assert (found["n_pairs"], found["n_distinct"], found["n_open"]) == (None, None, None)
    assert found["swaps"][0]["distinct"] is None


def test_labels_and_subsets_whose_order_is_reversed_are_counted():
    labels = [("A", (0.7, 0.3), (0.9, 0.3)), ("B", (0.69, 0.1), (0.5, 0.1))]
    parts = [board({"x": x, "y": y}, label=name) for name, x, y in labels]
    subsets = [board({"x": (0.5, 0.1)}, subset={"by": "length", "value": "1-7"})]
    found = facts_of(board(REVERSED), *parts, *subsets)
    assert [part["part"] for part in found["parts"]["label"]] == ["A", "B"]
    assert found["part_swaps"] == {
        "label": [{"up": "B", "down": "A", "n_systems": 1}],
        "length": [],
    }


def test_boards_without_gold_or_chance_say_nothing():
    empty = board({"x": (0.0, 0.0)}, subset={"by": "chance", "value": "no spans"}, n_gold=0)
    plain = board({"x": (0.5, 0.1)}, metric="match_f")
    plain["rows"][0] |= {"expected": None, "corrected": None}
    result = {"resampling": {"alpha": 0.05}, "boards": [board(REVERSED), empty, plain]}
    facts = correction_facts(result)
    assert facts.keys() == {"span_f"} and facts["span_f"]["parts"] == {}
