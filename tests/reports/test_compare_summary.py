"""The sentence above a comparison is true, whatever the tests say."""

import pytest

from helpers import comparisons
from spacy_chance_eval.reports.compare import SHOWN, change_table, compare_verdict


def row(difference, distinct, key="corrected", label=None, sign=1):
    """A total, or a label, that changed by so much."""
    verdict = None
    if difference is not None:
        verdict = "equal" if not difference else "better" if sign * difference > 0 else "worse"
    new = None if difference is None else 0.5 + difference
    low, high = (None, None) if distinct is None else (difference - 0.02, difference + 0.02)
    test = {"difference": difference, "low": low, "high": high, "p_value": None}
    return {
        "label": label, "old": {key: 0.5}, "new": {key: new}, key: test, "verdict": verdict,
        "distinct": distinct,
    }  # fmt: skip


def metric(total, labels=(), name="span_f", key="corrected", bits=False):
    return {"metric": name, "key": key, "bits": bits, "total": total, "labels": list(labels)}


def verdict(*metrics):
    return compare_verdict({"metrics": list(metrics), "names": ["main", "pr"], "n_docs": 231})


def test_a_significant_change_with_its_interval():
    text = verdict(metric(row(0.021, True)), metric(row(0.01, False), name="token_f"))
    assert text == (
        "pr is .021 [.001, .041] better than main by span_f beyond chance; nothing else changed "
        "significantly."
    )
    assert verdict(metric(row(0.021, True))) == (
        "pr is .021 [.001, .041] better than main by span_f beyond chance."
    )


def test_a_loss_has_no_minus_twice():
    assert verdict(metric(row(-0.03, True))) == (
        "pr is .030 [.010, .050] worse than main by span_f beyond chance."
    )


def test_less_error_is_better():
    text = verdict(metric(row(-0.03, True, "observed", sign=-1), key="observed", name="error_rate"))
    assert text == "pr is .030 [.010, .050] better than main by error_rate."


def test_no_difference_says_on_how_many_documents():
    label = row(-0.2, False, label="PER")
    assert verdict(metric(row(0.01, False), [label])) == (
        "No difference can be told from chance on 231 documents; pr is .010 [-.010, .030] better "
        "than main by span_f beyond chance."
    )


def test_labels_and_other_metrics_that_changed_are_named():
    labels = [row(0.1, True, label="PER"), row(-0.1, True, label="LOC"), row(0.3, False, label="X")]
    other = metric(row(-0.1, True), name="token_f")
    text = verdict(metric(row(0.01, False), labels), other)
    assert ", which may be chance on 231 documents; " in text and not text.startswith("No ")
    assert "; pr is significantly worse by token_f;" in text
    assert "; PER is significantly better by at least one metric;" in text
    assert text.endswith("; LOC is significantly worse by at least one metric.")


def test_many_labels_and_metrics_are_counted():
    labels = [row(0.1, True, label=label) for label in "abc"]
    others = [metric(row(0.1, True), name=name) for name in "xyz"]
    text = verdict(metric(row(0.1, True), labels), *others)
    assert "better by three other metrics; three labels are significantly better" in text


def test_without_tests_nothing_is_claimed():
    assert verdict(metric(row(0.021, None))) == (
        "pr is .021 better than main by span_f beyond chance; differences were not tested."
    )


@pytest.mark.parametrize("total, start", [
    (row(None, None), "The change by span_f beyond chance is undefined: main .500, pr -"),
    (row(0, False), "pr and main are equal by span_f beyond chance, .500"),
])  # fmt: skip
def test_undefined_and_equal_totals(total, start):
    assert verdict(metric(total)) == f"{start}."


@pytest.mark.parametrize("scores", [(0.0, 0.2), (-0.1, -0.05)])
def test_scores_at_or_below_0_are_not_beyond_chance(scores):
    total = row(scores[1] - scores[0], False)
    total["old"], total["new"] = ({"corrected": score} for score in scores)
    assert "by span_f corrected for chance." in verdict(metric(total))


def test_small_differences_are_not_said_to_be_0():
    assert verdict(metric(row(0.0004, None))).startswith("pr is less than .001 better than main")


def test_an_equal_total_does_not_hide_what_was_not_tested():
    total = row(0.0, None)
    other = metric(row(0.1, None), name="token_f")
    assert verdict(metric(total), other).endswith(", .500; other differences were not tested.")
    label = row(0.1, None, label="PER")
    assert verdict(metric(total, [label])).endswith("; other differences were not tested.")
    assert verdict(metric(total)).endswith(", .500.")


def test_bits_have_their_unit():
    total = row(12.34, None, "observed")
    text = verdict(metric(total, key="observed", name="slicm", bits=True))
    assert text.startswith("pr is 12.3 bits better than main by slicm;")


def test_significant_and_large_changes_of_labels_come_first():
    labels = [row(0.2, False, label="b"), row(0.1, True, label="c"), row(0.2, False, label="a")]
    result = {"metrics": [metric(row(0.1, True), labels), metric(row(0.1, True), labels[:1])]}
    rows, n_more = change_table(result)
    assert [one["label"] for one in rows] == [None, "c", "a", "b"] and n_more == 0
    assert [one["cells"][1]["row"] is None for one in rows] == [False, True, True, False]
    many = [row(0.1, False, label=str(i)) for i in range(SHOWN + 3)]
    assert change_table({"metrics": [metric(row(0.1, True), many)]})[1] == 3


def test_hostile_names_of_a_whole_comparison_are_escaped():
    text = compare_verdict(comparisons.result())
    assert text.endswith(".") and "\x1b" not in text and "\n" not in text
