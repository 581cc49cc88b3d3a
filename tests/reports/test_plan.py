"""Plans in words, tables, CSV, figures and pages: what the numbers say, and nothing else."""

import csv
import io
from functools import cache

import pytest

from helpers.htmlpages import Page
from helpers.populations import population
from spacy_chance_eval import Resampling, plan, plan_guess
from spacy_chance_eval.reports.figures import svg_file
from spacy_chance_eval.reports.plan import (
    COLUMNS,
    needed_text,
    plan_csv,
    plan_figure,
    plan_page,
    plan_text,
    plan_verdict,
)

HOSTILE = "<script>alert(1)</script>\x1b[2J"
FEW = Resampling(50)


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
        ({"n": None, "relation": None, "interval": None}, "-"),
        ({"n": 1200, "relation": "about", "interval": [900, None]}, "1,200 [900, more]"),
        ({"n": 1200, "relation": "about", "interval": [900, 1500]}, "1,200 [900, 1,500]"),
        ({"n": 1200, "relation": "about", "interval": None}, "1,200"),
        ({"n": 500, "relation": "more than", "interval": [None, None]}, "> 500"),
        ({"n": 500, "relation": "more than", "interval": [80, None]}, "> 500 [80, more]"),
        ({"n": 10, "relation": "at most", "interval": [10, 20]}, "<= 10"),
    ],
)
def test_numbers_of_documents_say_how_sure_they_are(needed, text):
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
    assert text.startswith("Of three neighbouring pairs by corrected span_f, 50 documents tell ")
    named = {f"{one['first']} from {one['second']}" for one in several()["plans"][4:]}
    assert all(name in text for name in named)


def test_the_verdict_of_equal_systems_says_that_no_number_decides():
    gold, one, _ = population(50, 1)
    text = plan_verdict(plan({"a": one, "b": one}, gold, metrics=["span_f"], intervals=FEW))
    assert text == (
        "a and b, by corrected span_f: the present difference is 0, which no number of documents "
        "decides."
    )


def test_the_verdict_of_annotators_names_the_label_that_needs_most():
    text = plan_verdict(panel())
    rows = [(one["half_width"], one["label"]) for one in panel()["plans"][0]["labels"]]
    assert text.startswith("The agreement of the pairs by corrected span_f, .")
    assert f"Of the labels, {max(rows)[1]} needs most: " in text


def test_the_verdict_of_a_guess_speaks_of_spans():
    text = plan_verdict(plan_guess(500, 0.8, 0.02))
    assert "With independent errors, a difference of .020 is found on 500 spans" in text
    assert "With errors as alike as possible" in text


def test_the_text_has_the_curves_of_the_first_metric():
    text = plan_text(pair())
    assert text.count("\ntimes ") == 1 and "span_f, b - a, by label" in text
    assert [line.split()[0] for line in text.splitlines() if line.startswith("10 ")] == ["10"]
    assert "finds" in text and "finds" not in plan_text(panel())
    assert "documents that" not in text


def test_labels_that_need_most_come_first():
    found = plan(dict(zip("abc", population(50, 1))), metrics=["span_f"], width=0.1, intervals=FEW)
    rows = [line.split() for line in plan_text(found).splitlines()]
    order = [row[0] for row in rows if row and row[0] in ("PER", "LOC", "ORG")]
    labels = {one["label"]: one["for_width"]["n"] for one in found["plans"][0]["labels"]}
    assert order == ["ORG", "LOC", "PER"] and len(set(labels.values())) == 3
    assert [labels[name] for name in order] == sorted(labels.values(), reverse=True)


def test_the_csv_has_the_numbers_in_full():
    rows = list(csv.DictReader(io.StringIO(plan_csv(pair()))))
    assert tuple(rows[0]) == COLUMNS
    first = pair()["plans"][0]["total"]["curve"][0]
    assert float(rows[0]["half_width"]) == first["half_width"] and rows[0]["power"] == ""


def test_the_figure_has_a_point_for_every_number():
    svg = svg_file(plan_figure(pair()))
    assert svg.count('id="figure-half-width-0-') == svg.count('id="figure-power-0-') == 11
    assert svg_file(plan_figure(panel())).count("power-0-") == 0
    assert svg_file(plan_figure(several())).count("-0-10") > svg.count("-0-11")
    assert plan_figure(plan_guess(500, 0.8, 0.02))


def test_the_page_shows_the_verdict_and_every_plan():
    page = Page(plan_page(pair()))
    assert plan_verdict(pair()) in page.texts
    headings = [text for text in page.texts if text.startswith(("span_f, ", "token_f, "))]
    assert {"span_f, b - a", "span_f, a", "token_f, b - a"} <= set(headings)
    assert Page(plan_page(plan_guess(500, 0.8, 0.02)))


def test_hostile_names_are_shown_as_they_are():
    found = pair(HOSTILE)
    page = plan_page(found)
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
    for text in (plan_text(found), svg_file(plan_figure(found)), page):
        assert "\x1b" not in text
    assert "<script>" not in svg_file(plan_figure(found))
