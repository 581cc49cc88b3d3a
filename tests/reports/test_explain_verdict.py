"""What an explanation comes to, in sentences that its numbers bear out."""

import pytest

from helpers.cases import each_case
from helpers.explaining import corpus_pair, labelled, one_document
from helpers.reading import Reader
from helpers.strategies import random_pair
from spacy_chance_eval.analysis.explain import Model, explain_corpus, explain_document
from spacy_chance_eval.reports.explain import explain_report, explain_verdict
from spacy_chance_eval.reports.report import report_page
from spacy_chance_eval.reports.words import brief


def verdict(gold, pred, size, **options):
    return explain_verdict(explain_document(one_document(gold, pred, size), "doc", **options))


def test_the_verdict_says_why():
    gold, pred = [(0, 1, "A"), (2, 3, "B"), (4, 7, "B")], [(0, 1, "A"), (3, 4, "B")]
    assert verdict(gold, pred, 12) == (
        "The F of spans, .40 observed against .067 by chance, is .36 beyond chance. 1 of 3 gold "
        "spans is found exactly. By tokens F is .29, against .12 by chance (.19 beyond chance)."
    )


def test_spans_with_other_boundaries_are_counted():
    gold, pred = [(0, 2, "A"), (2, 4, "A"), (6, 7, "B")], [(0, 4, "A"), (6, 7, "A")]
    assert (
        "No span has the same boundaries and label; 1 predicted span overlaps 2 gold ones."
    ) in verdict(gold, pred, 8)
    assert "No predicted span overlaps a gold one of its label." in verdict(
        [(0, 2, "A")], [(0, 2, "B")], 8
    )


@pytest.mark.parametrize(
    "size, by_chance", [(12, ".083"), (200, ".0050"), (5000, ".0002"), (50000, "less than .0001")]
)
def test_small_chances_are_no_zeros(size, by_chance):
    text = verdict(labelled([(0, 1)]), labelled([(0, 1)]), size)
    assert text.startswith(f"The F of spans, 1.00 observed against {by_chance} by chance, is 1.00")


def test_without_a_span_the_score_is_undefined():
    text = verdict([], [], 4)
    assert text.startswith("The F of spans is undefined: neither ") and "tokens" not in text


def test_where_chance_is_perfect_nothing_is_corrected():
    text = verdict(labelled([(0, 4)]), labelled([(0, 4)]), 4)
    assert "1.00 observed against 1.00 by chance, cannot be corrected: chance alone" in text


def test_a_score_that_is_only_by_chance_says_so():
    text = verdict(labelled([(0, 1)]), [], 4)
    assert text == (
        "The F of spans, .00 observed against .00 by chance, is no better than chance. There are "
        "1 gold span and 0 predicted ones. By tokens F is .00, against .00 by chance (.00 "
        "corrected for chance)."
    )


def test_without_a_formula_the_reason_is_given():
    both = one_document(labelled([(0, 4), (1, 3)]), labelled([(0, 2)]), 6)
    result = explain_corpus(both, model=Model("nested", encoding="BIO"))
    result["levels"]["span"] = result["levels"]["token"]
    text = explain_verdict(result)
    assert text.startswith("The F of spans is .") and ", not corrected: " in text
    assert "expected by chance" not in text


@pytest.mark.parametrize("seed", range(8))
def test_a_corpus_names_the_largest_shares(seed):
    result = explain_corpus(corpus_pair(random_pair(seed)))
    level = result["levels"]["span"]
    text = explain_verdict(result)
    if level["total"]["expected"] is None:
        return
    for rows, kind in ((level["by_label"], "label"), (level["documents"], "document")):
        known = [row for row in rows if row["share"]]
        if len(known) > 1:
            best = max(known, key=lambda row: row["share"])
            name = f"{kind} {best[kind]}".replace("document document", "document")
            assert f"{best['share']:.0%} come from {name}" in text
    f = level["total"]["scores"]["f"]
    if f["corrected"] is not None and f["corrected"] >= 0.1:
        assert f"is {brief(f['corrected'])} beyond chance." in text


@each_case(
    "corrected, said",
    [
        (0.0, "is no better than chance."),
        (0.002, "is .0020 beyond chance."),
        (-0.001, "is no better than chance."),
        (-0.25, "is worse than chance: -.25."),
    ],
)
def test_a_score_that_is_not_above_chance_is_not_beyond_it(corrected, said):
    result = explain_corpus(corpus_pair(random_pair(0)))
    total = result["levels"]["span"]["total"]
    total["expected"] = total["expected"] or {}
    total["scores"]["f"] = {"observed": 0.1, "expected": 0.1, "corrected": corrected}
    assert said in explain_verdict(result)


@pytest.mark.parametrize("make", [lambda both: explain_document(both, "doc"), explain_corpus])
def test_pages_begin_with_verdict_and_overview_and_fold_the_rest(make):
    both = one_document([(0, 1, "<A>")], [(0, 1, "<A>"), (2, 3, "<A>")], 6)
    result = make(both)
    html = report_page(explain_report(result))
    page = Reader(html)
    parts = [html.index(part) for part in ('class="verdict"', "<table", "<details class=")]
    assert parts == sorted(parts)
    assert explain_verdict(result) in page.text
    before, about = html.split('<details class="about"')
    assert "Chance" in about and 'class="facts"' not in before
