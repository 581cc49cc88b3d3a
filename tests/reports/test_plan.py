"""Plans in words and tables: what the numbers say, and nothing else."""

from functools import cache

import pytest

from helpers.populations import population
from spacy_chance_eval import Resampling, plan
from spacy_chance_eval.reports.plan import (
    needed_text,
    plan_report,
    plan_verdict,
)
from spacy_chance_eval.reports.report import report_text

HOSTILE = "<script>alert(1)</script>\x1b[2J"
FEW = Resampling(50)


def plan_text(found):
    return report_text(plan_report(found))


@cache
def pair(name="b"):
    gold, one, other = population(50, 1, f=(0.5, 0.6))
    return plan({"a": one, name: other}, gold, metrics=["span_f", "token_f"], intervals=FEW)


@cache
def several():
    gold, *preds = population(50, 1, f=(0.5, 0.52, 0.7, 0.7))
    return plan(dict(zip("wxyz", preds)), gold, metrics=["span_f"], intervals=FEW)


@cache
def panel():
    spans = population(50, 1)
    return plan(dict(zip("abc", spans)), metrics=["span_f"], intervals=FEW)


@pytest.mark.parametrize(
    ("needed", "text"),
    [
        (None, "-"),
        ({"n": None, "relation": None}, "-"),
        ({"n": 1200, "relation": "about"}, "1,200"),
        ({"n": 500, "relation": "more than"}, "> 500"),
        ({"n": 10, "relation": "at most"}, "<= 10"),
    ],
)
def test_numbers_of_documents_say_whether_they_are_bounds(needed, text):
    assert needed_text(needed) == text


def test_the_verdict_of_a_pair_has_power_and_documents():
    total = pair()["plans"][2]["total"]
    text = plan_verdict(pair())
    assert text.startswith("b is .") and "better than a by corrected span_f" in text
    assert f"with power {total['power']:.2f}".replace("0.", ".") in text
    assert f"{total['for_power']['n']:,} documents" in text


def test_the_verdict_of_one_system_has_its_width():
    gold, one, _ = population(50, 1)
    text = plan_verdict(plan({"a": one}, gold, metrics=["span_f"], width=0.05, intervals=FEW))
    assert text.startswith("The corrected span_f of a, .") and "; +-.05 takes about " in text


def test_the_verdict_of_several_systems_counts_pairs():
    text = plan_verdict(several())
    needs = [one["total"]["for_power"] for one in several()["plans"][4:]]
    reached = [one["n"] for one in needs if one["n"] and one["relation"] != "more than"]
    assert text.startswith(
        f"50 documents separate {sum(n <= 50 for n in reached)} of 3 neighbouring pairs by "
        "corrected span_f with power .8; "
    )
    beyond = {2: "the other two need", 1: "the other one needs"}[3 - len(reached)]
    assert text.endswith(f"{beyond} more than 500.")


def test_the_verdict_of_equal_systems_says_that_no_number_decides():
    gold, one, _ = population(50, 1)
    text = plan_verdict(plan({"a": one, "b": one}, gold, metrics=["span_f"], intervals=FEW))
    assert text == ("a and b do not differ by corrected span_f: no number of documents decides.")


def test_the_verdict_of_annotators_is_of_their_pairs():
    text = plan_verdict(panel())
    assert text.startswith("The agreement of the pairs by corrected span_f, .")


def test_the_text_has_the_curves_of_the_first_metric():
    text = plan_text(pair())
    assert text.count("\ntimes ") == 2 and "span_f, b - a: labels that need most first" in text
    assert "power" in text and "power" not in plan_text(panel())


def test_labels_that_need_most_come_first():
    found = plan(dict(zip("abc", population(50, 1))), metrics=["span_f"], width=0.1, intervals=FEW)
    rows = [line.split() for line in plan_text(found).splitlines()]
    order = [row[0] for row in rows if row and row[0] in ("PER", "LOC", "ORG")]
    labels = {one["label"]: one["for_width"]["n"] for one in found["plans"][0]["labels"]}
    assert order == ["ORG", "LOC", "PER"] and len(set(labels.values())) == 3
    assert [labels[name] for name in order] == sorted(labels.values(), reverse=True)


def test_hostile_names_are_shown_as_they_are():
    assert "\x1b" not in plan_text(pair(HOSTILE))
