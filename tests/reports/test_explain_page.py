"""The page of an explanation: it holds all steps and figures, and escapes everything."""

import re

import pytest
from markupsafe import Markup

from helpers.explaining import corpus_pair, labelled, one_document
from helpers.strategies import random_pair
from spacy_chance_eval.analysis.explain import Model, explain_corpus, explain_document
from spacy_chance_eval.corpora.pairs import CorpusPair
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports import explain_page as made
from spacy_chance_eval.reports.explain import explain_text
from spacy_chance_eval.reports.explain_page import explain_page

HOSTILE = "<script>alert(1)</script>{{ 7*7 }}\"'&"


def page_of(gold, pred, size, **options):
    return explain_page(explain_document(one_document(gold, pred, size), "doc", **options))


def plain(page):
    """The text of a page, without tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_page_has_the_steps_of_every_label():
    page = plain(page_of([(0, 1, "A"), (2, 3, "B")], [(0, 1, "A")], 6))
    assert page.count("(F - F by chance) / (1 - F by chance)") == 6
    assert page.count("3 I(common) - I(predicted) - I(gold)") == 3
    assert "without correction for chance" in page


def test_numbers_of_plots_stand_in_tables_too():
    gold = labelled([(0, 1), (10, 15), (20, 30), (40, 55)])
    page = plain(page_of(gold, [], 100))
    assert page.count("0.0137") >= 8  # 1/73, in the rows of segments and in those of starts
    assert "probability of each start, up to the middle" in page


def test_every_figure_has_a_caption_of_its_own():
    page = page_of(labelled([(0, 2)]), labelled([(1, 2)]), 6)
    captions = re.findall(r"<figcaption>(.*?)</figcaption>\s*<svg", page)
    assert captions == [
        "How likely a random annotation covers each token. Bars beneath the curves are the segments"
        " as they were annotated: gold above, predicted below.",
        "How likely one given segment of gold starts at each token by chance: a line for each "
        "length, which is that of every segment of this length.",
        "How likely one given segment of predicted starts at each token by chance: a line for each "
        "length, which is that of every segment of this length.",
    ]


def test_several_labels_are_tabs_and_one_is_not_said_twice():
    assert page_of([(0, 1, "A"), (2, 3, "B")], [], 6).count('class="panel"') == 3
    assert page_of([(0, 1, "A")], [], 6).count('class="panel"') == 1


def test_ids_are_there_once():
    page = page_of([(0, 1, "A"), (2, 3, "B")], [(0, 1, "A"), (4, 5, "B")], 6)
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    for name in re.findall(r'aria-labelledby="([^"]+)"', page):
        assert set(name.split()) <= set(ids)


def test_everything_from_the_data_is_escaped():
    both = one_document([(0, 1, HOSTILE)], [(1, 2, HOSTILE)], 4, name=HOSTILE)
    for result in (explain_document(both, "1"), explain_corpus(both)):
        page = explain_page(result)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7*7 }}" in page


def test_the_drawn_text_is_left_as_it_is():
    drawn = {
        "passages": [{"sides": [Markup("<b>x</b>")], "wrong": False}],
        "n_equal": 2,
        "n_more": 0,
    }
    drawn |= {"text": None, "labels": None, "note": None}
    result = explain_document(one_document([], [], 4), "doc")
    page = explain_page(result, drawn)
    assert "<b>x</b>" in page and "2 passages without differences" in page
    assert "Neither gold nor prediction has a span" in page


def test_spans_that_fit_no_tokens_are_told():
    result = explain_document(one_document(labelled([(0, 1)]), [], 4), "doc")
    result["labels"][1]["unplaced"]["pred"] = [2]
    assert "predicted: spans that fit no tokens: 1." in plain(explain_page(result))


def test_nested_segments_say_how_they_are_placed():
    both = labelled([(0, 4), (1, 3)])
    page = plain(page_of(both, labelled([(0, 2)]), 6, model=Model("nested")))
    assert "gold, inside 1" in page and "inside their parent" in page


@pytest.mark.integration
def test_long_documents_keep_short_tables():
    spans = labelled([(i, i + 1) for i in range(0, 3000, 4)])
    page = page_of(spans, spans, 3000)
    assert page.count("<tr") < 700
    assert "tokens away from spans." in plain(page)


def test_a_corpus_lists_labels_and_documents(monkeypatch):
    monkeypatch.setattr(made, "ROWS", 2)
    page = plain(explain_page(explain_corpus(corpus_pair(random_pair(3)))))
    assert page.count("Share of the expected matches by label") == 2
    assert page.count("In the JSON: 3 more documents") == 2


def test_a_corpus_without_a_formula_says_why():
    both = one_document(labelled([(0, 4), (1, 3)]), labelled([(0, 2)]), 6)
    page = plain(explain_page(explain_corpus(both, model=Model("nested", encoding="BIO"))))
    assert "no formula gives this expectation" in page
    assert page.count("Share of the expected matches by label") == 1


@pytest.mark.parametrize("size", [0, 5])
def test_a_label_whose_spans_fit_no_tokens_has_its_page(size):
    words = [f"w{i}" for i in range(size)]
    gold = Corpus("f", [Document(words, {"x": []}, "d", unplaced={"x": [(2, "A")]})])
    pred = Corpus("f", [Document(words, {"x": []}, "d")])
    result = explain_document(CorpusPair(gold, "x", pred, "x", ("g", "p")), "d")
    page = plain(explain_page(result))
    assert "2 x 0 / (1 + 0) = 0.0000" in page and "2 long, fits no tokens" in page
    assert "2 long, fits no tokens" in explain_text(result)
