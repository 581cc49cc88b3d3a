"""The sentence above a comparison is true, whatever the tests say."""

from helpers import comparisons
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.reports.compare import compare_report, compare_verdict


def row(difference, distinct, key="corrected", label=None, sign=1):
    """A total, or a label, that changed by so much."""
    verdict = None
    if difference is not None:
        verdict = "equal" if not difference else "better" if sign * difference > 0 else "worse"
    new = None if difference is None else 0.5 + difference
    low, high = (None, None) if distinct is None else (difference - 0.02, difference + 0.02)
    test = {"difference": difference, "low": low, "high": high, "p_value": None, "p_holm": None}
    return {
        "label": label, "old": {key: 0.5}, "new": {key: new}, key: test, "verdict": verdict,
        "distinct": distinct,
    }  # fmt: skip


def metric(total, labels=(), name="span_f", key="corrected", bits=False):
    return {"metric": name, "key": key, "bits": bits, "total": total, "labels": list(labels)}


def verdict(*metrics):
    return compare_verdict({"metrics": list(metrics), "names": ["main", "pr"], "n_docs": 231})


SENTENCES = {
    "significant": [metric(row(0.021, True)), metric(row(0.01, False), name="token_f")],
    "alone": [metric(row(0.021, True))],
    "a loss has no minus twice": [metric(row(-0.03, True))],
    "less error is better": [
        metric(row(-0.03, True, "observed", sign=-1), key="observed", name="error_rate")
    ],
    "no direction without significance": [
        metric(row(0.01, False), [row(-0.2, False, label="PER")])
    ],
    "labels and other metrics": [
        metric(
            row(0.01, False),
            [row(0.1, True, label="PER"), row(-0.1, True, label="LOC"), row(0.3, False, label="X")],
        ),
        metric(row(-0.1, True), name="token_f"),
    ],
    "many are counted": [
        metric(row(0.1, True), [row(0.1, True, label=label) for label in "abc"]),
        *(metric(row(0.1, True), name=name) for name in "xyz"),
    ],
    "not tested": [metric(row(0.021, None))],
    "undefined": [metric(row(None, None))],
    "equal": [metric(row(0, False))],
    "small": [metric(row(0.0004, True))],
    "equal, others not tested": [metric(row(0.0, None)), metric(row(0.1, None), name="token_f")],
    "equal, a label not tested": [metric(row(0.0, None), [row(0.1, None, label="PER")])],
    "equal, nothing else": [metric(row(0.0, None))],
    "bits": [metric(row(12.34, True, "observed"), key="observed", name="slicm", bits=True)],
}


def test_verdicts_are_as_they_were():
    text = "".join(f"{name}: {verdict(*metrics)}\n" for name, metrics in SENTENCES.items())
    compare_with_snapshot("compare-verdicts.txt", text)


def test_scores_at_or_below_0_are_not_beyond_chance():
    for scores in ((0.0, 0.2), (-0.1, -0.05)):
        total = row(scores[1] - scores[0], False)
        total["old"], total["new"] = ({"corrected": score} for score in scores)
        assert "by span_f corrected for chance:" in verdict(metric(total))


def test_significant_and_large_changes_of_labels_come_first():
    labels = [row(0.2, False, label="b"), row(0.1, True, label="c"), row(0.2, False, label="a")]
    found = comparisons.result()
    first = found["metrics"][0]
    first["labels"] = [{**first["labels"][0], **one} for one in labels]
    table = next(compare_report(found).tables())
    assert [one["label"] for one in table.rows] == ["All labels", "c", "a", "b"]


def test_hostile_names_of_a_whole_comparison_are_escaped():
    text = compare_verdict(comparisons.result())
    assert text.endswith(".") and "\x1b" not in text and "\n" not in text
