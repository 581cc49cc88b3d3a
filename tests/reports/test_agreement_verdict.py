"""The sentences that an agreement begins with, and the pair to look at first."""

import pytest

from helpers.agreements import metric, result, score
from helpers.cases import each_case
from spacy_chance_eval.reports.agreement_verdict import agreement_verdict, first_pair, pair_verdict
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


def test_two_annotators_are_named():
    said = verdict_of(metric(mean=mean(0.7123, [0.6444, 0.7666])))
    assert said == "ann and bob agree at .71 [.64, .77] beyond chance by span_f."


def test_several_annotators_are_counted_with_their_least_pair_and_labels():
    one = among_three((0.8, 0.75, 0.58), per_label=labels(PER=0.88, LOC=0.5, MISC=0.31))
    assert verdict_of(one, names=THREE) == (
        "Three annotators agree at .71 [.64, .77] beyond chance by span_f (mean of the pairs). "
        "bob and cem agree least (.58): look at that pair first. "
        "PER is agreed on best (.88), MISC least (.31)."
    )


@each_case(
    "row, fields, said",
    [
        (mean(1.0), {}, "agree fully by span_f"),
        (mean(0.2), {}, "agree at .20 beyond chance by span_f"),
        (
            mean(0.2, [-0.1, 0.5]),
            {},
            "agree at .20 [-.10, .50] beyond chance by span_f; the interval includes 0, so it may "
            "be chance",
        ),
        (mean(0.001), {}, "agree no better than chance would by span_f: .00"),
        (
            mean(-0.1, [-0.3, 0.1]),
            {},
            "agree no better than chance would by span_f: -.10 [-.30, .10]",
        ),
        (
            mean(-0.3, [-0.4, -0.2]),
            {},
            "agree less than chance would by span_f: -.30 [-.40, -.20]",
        ),
        (
            mean(0.9),
            {"corrected": False},
            "agree at .90 by span_f, which is not corrected for chance",
        ),
        (
            mean(0.2),
            {"higher_is_better": False, "corrected": False},
            "differ at .20 by span_f, where 0 is full agreement",
        ),
        (mean(31.5), {"bits": True}, "have 31.50 bits in common by span_f"),
    ],
)
def test_the_degree_of_agreement(row, fields, said):
    assert verdict_of(metric(mean=row, **fields)) == f"ann and bob {said}."


def test_an_undefined_score_has_its_reason_unless_another_metric_is_defined():
    none = metric(mean=mean(None, reason="nothing marked"))
    assert (
        verdict_of(none) == "The agreement of ann and bob by span_f is undefined: nothing marked."
    )
    defined = metric("token_f", mean=mean(0.5))
    assert verdict_of(none, defined) == "ann and bob agree at .50 beyond chance by token_f."


def test_one_annotator_agrees_with_nobody():
    one = metric(names=("ann",), mean=mean(None, reason="there is only one"))
    said = "The agreement of one annotator by span_f is undefined: there is only one."
    assert verdict_of(one, names=("ann",)) == said


def test_the_only_document_is_said_to_be_the_only_one():
    said = verdict_of(metric(mean=mean(0.5)), n_shared=1)
    assert said.endswith("by span_f in the only document that two annotators saw.")


def test_without_pairs_the_team_is_scored():
    one = metric(names=THREE, team=score(0.5) | {"definition": "all"}, per_label=[]) | {"pairs": []}
    said = verdict_of(one, names=THREE, pairs=False)
    assert said == "Three annotators agree at .50 beyond chance by span_f (all of them as a team)."


def test_no_metric_has_no_verdict():
    assert agreement_verdict({**result(), "metrics": []}) == ""


# --- pairs


def test_the_first_pair_has_its_reason():
    found = first_pair(result(among_three((0.8, 0.75, 0.58)), names=THREE))
    assert (found["first"], found["second"]) == ("bob", "cem")
    assert found["reason"] == (
        "their span_f, 0.5800 in 3 documents that both saw, is the lowest of the 3 pairs, against "
        "0.7123 on average"
    )


@each_case("values", [(0.5, 0.5, 0.5), (0.5, None, None), (None, None, None)])
def test_pairs_that_agree_alike_have_no_first(values):
    assert first_pair(result(among_three(values), names=THREE)) is None


def test_ties_at_the_bottom_are_counted():
    said = verdict_of(among_three((0.8, 0.2, 0.2)), names=THREE)
    assert "Two pairs agree least (.20): begin with ann and cem." in said


def test_where_lower_is_better_the_highest_pair_is_first():
    one = among_three((0.1, 0.2, 0.9), higher_is_better=False)
    assert "bob and cem differ most (.90): look at that pair first." in verdict_of(one, names=THREE)


def test_pairs_with_few_documents_count_only_if_all_have_few():
    one = among_three((0.8, 0.75, 0.1))
    for row, n in zip(one["pairs"], (50, 50, 9)):
        row["n_docs"] = n
    found = first_pair(result(one, names=THREE))
    assert (found["first"], found["second"]) == ("ann", "cem")
    assert "of the 2 pairs that share 10 documents or more" in found["reason"]


def test_of_both_orders_the_one_that_agrees_less_counts():
    values = dict.fromkeys(("ab", "ba", "ac", "ca", "bc"), 0.9) | {"cb": 0.1}
    one = metric(names="abc", symmetric=False, pair=lambda f, s: score(values[f + s]))
    found = first_pair(result(one, names="abc"))
    assert (found["first"], found["second"]) == ("c", "b")


def test_a_pair_has_a_verdict_of_its_own():
    one = among_three((0.8, 0.75, 0.58))
    said = pair_verdict(result(one, names=THREE), ("bob", "cem"), 2)
    assert said == (
        "bob and cem agree at .58 beyond chance by span_f. They differ in 2 of 3 documents that "
        "both saw."
    )


def test_a_pair_of_an_asymmetric_metric_says_who_is_gold():
    values = {"ab": score(0.5), "ba": score(None, reason="nothing marked")}
    one = metric("recall", names="ab", symmetric=False, pair=lambda f, s: values[f + s])
    found = result(one, names="ab")
    assert pair_verdict(found, "ab", 0).startswith(
        "a and b agree at .50 beyond chance by recall with a as gold."
    )
    one["pairs"].reverse()
    assert pair_verdict(found, "ba", 1) == (
        "The agreement of b and a by recall with b as gold is undefined: nothing marked. They "
        "differ in 1 of 3 documents that both saw."
    )


# --- labels


@each_case(
    "values",
    [{}, {"PER": 0.5}, {"PER": 0.5, "LOC": None}, {"PER": 0.5, "LOC": 0.5}, {"PER": None}],
)
def test_labels_are_left_out_unless_two_differ(values):
    assert "agreed on best" not in verdict_of(metric(per_label=labels(**values)))


def test_labels_without_a_score_are_not_the_least():
    said = verdict_of(metric(per_label=labels(A=0.9, B=0.4, C=None)))
    assert said.endswith("A is agreed on best (.90), B least (.40).")


def test_labels_that_tie_are_counted():
    said = verdict_of(metric(per_label=labels(A=0.9, B=0.0, C=0.0, D=0.9)))
    assert said.endswith("Two labels are agreed on best (.90), two labels least (.00).")


def test_rare_labels_do_not_count_beside_two_that_are_not():
    rows = labels(A=0.9, B=0.4, C=0.1)
    rows[2]["n_spans"] = 9
    assert "B least (.40)" in verdict_of(metric(per_label=rows))


@pytest.mark.parametrize(
    "value, text",
    [(0.714, ".71"), (-0.02, "-.02"), (-0.001, ".00"), (0.996, "1.00"), (-39.2, "-39.20")],
)
def test_scores_in_sentences_have_two_decimals(value, text):
    assert brief(value) == text
