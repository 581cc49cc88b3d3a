"""What an explanation comes to, in sentences that its numbers bear out."""

import pytest

from helpers.cases import each_case
from helpers.explaining import corpus_pair, labelled, one_document
from helpers.reading import Reader, texts
from helpers.strategies import random_pair
from spacy_chance_eval.analysis.explain import Model, explain_corpus, explain_document
from spacy_chance_eval.reports.explain_page import explain_page, explain_verdict, overview_rows
from spacy_chance_eval.reports.words import brief, number


def verdict(gold, pred, size, **options):
    return explain_verdict(explain_document(one_document(gold, pred, size), "doc", **options))


def test_the_score_has_its_two_parts_and_the_largest_kind_of_spans():
    gold, pred = [(0, 1, "A"), (2, 3, "B"), (4, 7, "B")], [(0, 1, "A"), (3, 4, "B")]
    assert verdict(gold, pred, 12) == (
        "The F of spans, .40 observed against .067 by chance, is .36 beyond chance. Of the matches "
        "expected by chance, 50% are one-token spans of A."
    )


def test_one_kind_of_spans_makes_nearly_all_matches():
    assert "nearly all are three-token spans of X." in verdict(
        labelled([(0, 3)]), labelled([(4, 7)]), 12
    )


@pytest.mark.parametrize(
    "size, by_chance", [(12, ".083"), (200, ".0050"), (5000, ".0002"), (50000, "less than .0001")]
)
def test_small_chances_are_no_zeros(size, by_chance):
    text = verdict(labelled([(0, 1)]), labelled([(0, 1)]), size)
    assert text.startswith(f"The F of spans, 1.00 observed against {by_chance} by chance, is 1.00")


def test_without_a_span_the_score_is_undefined():
    text = verdict([], [], 4)
    assert text.startswith("The F of spans is undefined: neither ") and "Of the" not in text


def test_where_chance_is_perfect_nothing_is_corrected():
    text = verdict(labelled([(0, 4)]), labelled([(0, 4)]), 4)
    assert "1.00 observed against 1.00 by chance, cannot be corrected: chance alone" in text


def test_a_score_that_is_only_by_chance_says_so():
    text = verdict(labelled([(0, 1)]), [], 4)
    assert text == "The F of spans, .00 observed against .00 by chance, is no better than chance."


def test_without_a_formula_the_reason_is_given():
    both = one_document(labelled([(0, 4), (1, 3)]), labelled([(0, 2)]), 6)
    result = explain_corpus(both, model=Model("nested", encoding="BIO"))
    result["levels"]["span"] = result["levels"]["token"]
    text = explain_verdict(result)
    assert text.startswith("The F of spans is .") and ", not corrected: " in text
    assert "Of the matches" not in text


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


def test_the_overview_has_a_row_for_each_label():
    both = one_document([(0, 1, "A"), (2, 3, "B")], [(0, 1, "A")], 6)
    result = explain_document(both, "doc")
    rows = overview_rows(result)
    assert [name for name, _ in rows] == ["all labels together", "A", "B"]
    for entry, (_, cells) in zip(result["labels"], rows):
        fs = [entry[level]["scores"]["f"] for level in ("span", "token")]
        keys = ("observed", "expected", "corrected")
        assert cells == [number(f[key]) for f in fs for key in keys]


@pytest.mark.parametrize("make", [lambda both: explain_document(both, "doc"), explain_corpus])
def test_pages_begin_with_verdict_and_overview_and_fold_the_rest(make):
    both = one_document([(0, 1, "<A>")], [(0, 1, "<A>"), (2, 3, "<A>")], 6)
    result = make(both)
    html = explain_page(result)
    page = Reader(html)
    parts = [html.index(part) for part in ('class="verdict"', "<table", "<details class=")]
    assert parts == sorted(parts)
    assert explain_verdict(result) in page.text
    shown = [[one for cell in row for one in cell] for row in texts(page.tables[0])[2:]]
    assert shown == [[name, *cells] for name, cells in overview_rows(result)]
    before, about = html.split('<details class="about"')
    assert "Chance" in about and 'class="facts"' not in before
