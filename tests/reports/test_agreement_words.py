from helpers.agreements import metric, result, score
from spacy_chance_eval.reports.agreement import (
    agreement_details,
    pair_matrix,
    pair_reasons,
    reasons,
)


def test_the_matrix_of_a_symmetric_metric_has_each_pair_once_above_the_diagonal():
    columns, rows = pair_matrix(metric(names=("a", "b", "c")))
    sides = [[pair and (pair["first"], pair["second"]) for pair in row] for _, row in rows]
    assert columns == ["b", "c"] and [name for name, _ in rows] == ["a", "b"]
    assert sides == [[("a", "b"), ("a", "c")], [None, ("b", "c")]]


def test_the_matrix_of_an_asymmetric_metric_has_the_first_in_rows():
    columns, rows = pair_matrix(metric(names=("a", "b"), symmetric=False))
    sides = [[pair and (pair["first"], pair["second"]) for pair in row] for _, row in rows]
    assert columns == ["a", "b"]
    assert sides == [[None, ("a", "b")], [("b", "a"), None]]


def test_the_matrix_of_one_annotator_is_empty():
    assert pair_matrix(metric(names=("a",))) == ([], [])


def test_each_reason_is_said_once_with_all_that_it_is_for():
    nothing, alone = score(None, reason="nothing marked"), score(None, reason="alone")
    entries = [
        ("f", {"mean": nothing, "team": nothing}),
        ("g", {"mean": score(0.5), "team": alone}),
    ]
    entries.append(("h", {"mean": nothing, "team": alone}))
    assert list(reasons(entries)) == ["f, h (mean): nothing marked", "g (team), h (team): alone"]


def test_a_reason_of_many_names_some_and_says_how_many_more():
    entries = [(f"m{i}", {"mean": score(None, reason="why")}) for i in range(9)]
    assert list(reasons(entries)) == ["m0, m1, m2, m3, m4, m5, 3 more: why"]


def test_a_pair_without_value_for_any_metric_is_named_without_the_metrics():
    none = score(None, reason="no shared document")
    metrics = [metric(name, pair=lambda first, second: none) for name in ("f", "pi")]
    assert list(pair_reasons(metrics)) == ["ann and bob: no shared document"]


def test_pairs_of_an_order_are_named_with_gold_first():
    none = score(None, reason="no shared document")
    one = metric("recall", symmetric=False, pair=lambda first, second: none)
    said = "ann against bob, bob against ann: no shared document"
    assert list(pair_reasons([one])) == [said]


def test_facts_say_that_nobody_used_a_label():
    assert ("Labels", "none") in agreement_details(result(labels=[]))


def test_sources_are_named_only_where_they_are_known():
    assert agreement_details(result())[0][0] == "Annotators"
    assert agreement_details(result(sources=["a.jsonl"]))[0] == ("Sources", "a.jsonl")
