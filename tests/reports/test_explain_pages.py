"""The page of an explanation with its text, drawn by displaCy."""

import pytest

from helpers.explaining import one_document
from helpers.reading import Reader
from spacy_chance_eval.analysis.explain import explain_corpus, explain_document
from spacy_chance_eval.reports.explain import (
    draw_explained,
    explain_report,
    explain_verdict,
    write_explain_page,
)
from spacy_chance_eval.reports.report import report_page


def test_both_annotations_are_drawn_with_the_chosen_labels():
    both = one_document([(0, 1, "A"), (2, 3, "B")], [(0, 1, "A"), (3, 4, "A")], 6)
    whole = draw_explained(explain_document(both, "doc"), both)["passages"][0]["sides"]
    assert [side.count("</b>") for side in whole] == [2, 2]
    some = draw_explained(explain_document(both, "doc", labels=["A"]), both)["passages"][0]
    assert [side.count("</b>") for side in some["sides"]] == [1, 2]


def test_a_passage_in_which_sides_agree_is_not_marked():
    both = one_document([(0, 1, "A")], [(0, 1, "A")], 6)
    (passage,) = draw_explained(explain_document(both, "doc"), both)["passages"]
    assert not passage["wrong"]


def test_the_page_holds_the_drawn_text(tmp_path):
    both = one_document([(0, 1, "A")], [(1, 2, "A")], 6)
    path = tmp_path / "page.html"
    write_explain_page(explain_document(both, "doc"), both, path)
    assert '<div class="drawn">' in path.read_text()


def test_a_corpus_has_no_text(tmp_path):
    both = one_document([(0, 1, "A")], [(1, 2, "A")], 6)
    path = tmp_path / "page.HTML"
    write_explain_page(explain_corpus(both), both, path)
    assert '<div class="drawn">' not in path.read_text()


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
