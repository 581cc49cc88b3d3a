"""The sentences that an agreement begins with, and the pair that agrees least."""

import pytest

from helpers.agreements import metric, result, score
from helpers.cases import each_case
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.reports.agreement import agreement_verdict, heading, least_pair, pair_verdict
from spacy_chance_eval.reports.words import brief

THREE = ("ann", "bob", "cem")


def mean(value, limits=None, **fields):
    return score(value, limits=limits, **fields) | {"n_pairs": 1}


def verdict_of(*metrics, **fields):
    return agreement_verdict(result(*metrics, **fields))


def among_three(values, **fields):
    """A metric of three annotators with the values of their pairs: ann bob, ann cem, bob cem."""
    by_pair = dict(zip((("ann", "bob"), ("ann", "cem"), ("bob", "cem")), values))
    rows = {"mean": mean(0.7123, [0.6444, 0.7666]), "per_label": []} | fields
    return metric(names=THREE, pair=lambda *pair: score(by_pair[pair]), **rows)


def labels(**values):
    """Rows of labels with these scores, each marked as often as the others."""
    return [
        {"label": label, "n_spans": 40, "mean": score(value, reason="why"), "team": score(value)}
        for label, value in values.items()
    ]


VERDICTS = [
    *(
        metric(mean=row, **fields)
        for row, fields in (
            (mean(0.7123, [0.6444, 0.7666]), {}),
            (mean(1.0), {}),
            (mean(0.2), {}),
            (mean(0.2, [-0.1, 0.5]), {}),
            (mean(0.001), {}),
            (mean(-0.1, [-0.3, 0.1]), {}),
            (mean(-0.3, [-0.4, -0.2]), {}),
            (mean(0.9), {"is_corrected": False}),
            (mean(0.2), {"higher_is_better": False, "is_corrected": False}),
            (mean(-31.5), {"bits": True}),
        )
    ),
    metric(per_label=labels(A=0.9, B=0.4, C=None)),
    metric(per_label=labels(A=0.9, B=0.0, C=0.0, D=0.9)),
    metric(per_label=labels(A=0.0, B=-0.33)),
    metric(per_label=labels(A=-0.1, B=-0.33)),
    metric(per_label=labels(A=0.0, B=-0.2), is_corrected=False),
]


def test_verdicts_are_as_they_were():
    said = [verdict_of(one) for one in VERDICTS]
    said += [
        agreement_verdict(many_spans(limited((0.8, 0.75, 0.58), per_label=per_label)))
        for per_label in (labels(PER=0.88, LOC=0.5, MISC=0.31), [])
    ]
    said += [verdict_of(metric(mean=mean(0.5)), n_shared=1)]
    compare_with_snapshot("agreement-verdicts.txt", "\n".join(said))


def test_an_undefined_score_has_its_reason_unless_another_metric_is_defined():
    none = metric(mean=mean(None, reason="nothing marked"))
    assert (
        verdict_of(none) == "The agreement of ann and bob by span_f is undefined: nothing marked."
    )
    defined = metric("token_f", mean=mean(0.5))
    assert verdict_of(none, defined) == "ann and bob agree at .50 beyond chance by token_f."


def test_corrected_metrics_come_before_others():
    share = metric("percent_agreement", mean=mean(0.64), is_corrected=False)
    alpha, kappa = (metric(name, mean=mean(value)) for name, value in (("a", 0.3), ("k", 0.28)))
    assert verdict_of(share, alpha, kappa) == "ann and bob agree at .30 beyond chance by a."
    undefined = metric("a", mean=mean(None, reason="one label"))
    assert "agree at .64 by percent_agreement" in verdict_of(share, undefined)


def test_scores_that_differ_are_told_apart():
    rows = {"mean": mean(0.9912), "per_label": labels(A=0.991, B=0.99)}
    said = agreement_verdict(many_spans(limited((0.995, 0.994, 0.9872), width=0.001, **rows)))
    assert said.startswith("Three annotators agree at .991 beyond chance")
    assert "bob and cem agree least (.987 [.986, .988])" in said
    assert said.endswith("A is agreed on best (.991), B least (.990).")


def test_one_annotator_agrees_with_nobody():
    one = metric(names=("ann",), mean=mean(None, reason="there is only one"))
    said = "The agreement of one annotator by span_f is undefined: there is only one."
    assert verdict_of(one, names=("ann",)) == said


def test_without_pairs_the_team_is_scored():
    one = metric(names=THREE, team=score(0.5) | {"definition": "all"}, per_label=[]) | {"pairs": []}
    said = verdict_of(one, names=THREE, pairs=False)
    assert said == "Three annotators agree at .50 beyond chance by span_f (all of them as a team)."


def test_no_metric_has_no_verdict():
    assert agreement_verdict({**result(), "metrics": []}) == ""


# --- pairs


def many_spans(one, names=THREE, n_spans=30):
    """A result whose annotators have marked so many spans."""
    found = result(one, names=names)
    for annotator in found["annotators"]:
        annotator["n_spans"] = n_spans
    return found


def limited(values, width=0.05, **fields):
    """A metric of three annotators whose pairs have intervals of this half-width."""
    one = among_three(values, **fields)
    for row in one["pairs"]:
        value = row["corrected"]
        row |= {"low": value - width, "high": value + width}
    return one


def test_the_pair_that_agrees_least_has_its_interval_below_the_mean():
    found = least_pair(many_spans(limited((0.8, 0.75, 0.58))))
    assert (found["first"], found["second"]) == ("bob", "cem")
    assert least_pair(many_spans(limited((0.8, 0.75, 0.58), width=0.2))) is None


def test_no_pair_stands_out_without_intervals_or_from_few_spans():
    assert least_pair(many_spans(among_three((0.8, 0.75, 0.58)))) is None
    assert least_pair(many_spans(limited((0.8, 0.75, 0.58)), n_spans=29)) is None


def test_where_less_is_better_the_pair_lies_above_the_mean():
    one = limited((0.1, 0.2, 0.9), higher_is_better=False, mean=mean(0.4))
    assert least_pair(many_spans(one))["corrected"] == 0.9


def test_pairs_with_few_documents_count_only_if_all_have_few():
    one = limited((0.8, 0.45, 0.1))
    for row, n in zip(one["pairs"], (50, 50, 9)):
        row["n_docs"] = n
    found = least_pair(many_spans(one))
    assert (found["first"], found["second"]) == ("ann", "cem")


def test_of_both_orders_the_one_that_agrees_less_counts():
    values = dict.fromkeys(("ab", "ba", "ac", "ca", "bc"), 0.9) | {"cb": 0.1}
    pair = lambda f, s: score(values[f + s], limits=[values[f + s]] * 2)  # noqa: E731
    one = metric(names="abc", symmetric=False, pair=pair)
    found = least_pair(many_spans(one, "abc"))
    assert (found["first"], found["second"]) == ("c", "b")


def test_a_pair_has_a_verdict_of_its_own():
    one = among_three((0.8, 0.75, 0.58))
    said = pair_verdict(result(one, names=THREE), ("bob", "cem"), 2)
    assert said == (
        "bob and cem agree at .58 beyond chance by span_f. They differ in 2 of 3 documents that "
        "both saw."
    )


def test_a_pair_of_an_asymmetric_metric_has_the_order_that_agrees_less():
    values = {"ab": score(0.5), "ba": score(0.25)}
    one = metric("recall", names="ab", symmetric=False, pair=lambda f, s: values[f + s])
    for names in ("ab", "ba"):
        assert pair_verdict(result(one, names="ab"), names, 0).startswith(
            f"{names[0]} and {names[1]} agree at .25 beyond chance by recall with b as gold."
        )
    one["higher_is_better"] = False
    said = pair_verdict(result(one, names="ab"), "ab", 0)
    assert said.startswith("a and b differ at .50 by recall with a as gold, where lower is better.")
    one["pairs"][0] |= score(None, reason="nothing marked")
    assert "differ at .25 by recall with b as gold" in pair_verdict(
        result(one, names="ab"), "ab", 0
    )
    one["pairs"][1] |= score(None, reason="nothing marked")
    assert pair_verdict(result(one, names="ab"), "ab", 1) == (
        "The agreement of a and b by recall with a as gold is undefined: nothing marked. They "
        "differ in 1 of 3 documents that both saw."
    )


# --- labels


@each_case(
    "values",
    [{}, {"PER": 0.5}, {"PER": 0.5, "LOC": None}, {"PER": 0.5, "LOC": 0.5}, {"PER": None}],
)
def test_labels_are_left_out_unless_two_differ(values):
    assert "agreed on best" not in verdict_of(metric(per_label=labels(**values)))


def test_rare_labels_are_not_spoken_of_with_those_that_are_not():
    rows = labels(A=-0.1, B=-0.4, C=0.9)
    rows[2]["n_spans"] = 9
    said = "On no label marked 10 times or more is agreement better than chance."
    assert verdict_of(metric(per_label=rows)).endswith(said)


def test_rare_labels_do_not_count_beside_two_that_are_not():
    rows = labels(A=0.9, B=0.4, C=0.1)
    rows[2]["n_spans"] = 9
    assert "B least (.40)" in verdict_of(metric(per_label=rows))


@pytest.mark.parametrize(
    "value, text",
    [
        *((0.714, ".71"), (-0.02, "-.02"), (-0.001, ".00"), (-39.2, "-39.20"), (1, "1.00")),
        *((0.996, ".996"), (-0.9995, "-.9995"), (0.99999, "1.0000")),
    ],
)
def test_scores_in_sentences_have_two_decimals_and_more_near_1(value, text):
    assert brief(value) == text


# --- the heading


@each_case(
    "sources, names, title",
    [
        (["/data/a.jsonl", "/data/b.jsonl"], ("a", "b"), "a and b"),
        (["x/a", "x/b", "x/c", "x/d"], "abcd", "4 annotators"),
        (["/data/all.jsonl"], "abcd", "all.jsonl"),
        (["/data/folder/"], "ab", "folder"),
    ],
)
def test_headings_have_names_and_no_paths(sources, names, title):
    found = result(metric(names=names), names=names, title=", ".join(sources), sources=sources)
    assert heading(found) == title
    assert heading({**found, "title": "A study"}) == "A study"
    assert heading(result()) == ""
