"""Explanations as text and as pages, letter by letter, and what holds for all."""

import re
from dataclasses import replace

import pytest
from markupsafe import Markup

from helpers.cases import each_case
from helpers.explaining import corpus_pair, labelled, one_document
from helpers.snapshots import compare_with_snapshot
from helpers.strategies import random_pair
from spacy_chance_eval.analysis.explain import Model, explain_corpus, explain_document
from spacy_chance_eval.corpora.pairs import CorpusPair
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports import explain
from spacy_chance_eval.reports.explain import amount, explain_report, select_tokens
from spacy_chance_eval.reports.report import report_page, report_screen, report_text

FIGURE_1 = labelled([(0, 1), (10, 15), (20, 30), (40, 55)])
HOSTILE = "<script>alert(1)</script>{{ 7*7 }}\"'&\x1b[31m"
DRAWN = {
    **{"passages": [{"sides": [Markup("<b>x</b>")], "wrong": False}], "n_equal": 2, "n_more": 0},
    **{"text": None, "labels": None, "note": None},
}
TIMES = [(i, i + 1) for i in range(0, 80, 2)]


def document(gold, pred, size, **options):
    return explain_document(one_document(gold, pred, size), "doc", **options)


def nested(explained, *name, **options):
    """Spans inside others, whose expectation has a formula but for some encodings of tags."""
    both = one_document(labelled([(0, 4), (1, 3)]), labelled([(0, 2)]), 6)
    return explained(both, *name, model=Model("nested", **options))


def outside_units():
    found = document(labelled([(0, 1)]), [], 3)
    found["units"], found["labels"][1]["units"] = [[0, 2]], []
    return found


def unplaced(size):
    """A label whose only span fits no tokens."""
    gold = Document([f"w{i}" for i in range(size)], {"x": []}, "d", unplaced={"x": [(2, "A")]})
    sides = Corpus("f", [gold]), Corpus("f", [replace(gold, unplaced={})])
    return explain_document(CorpusPair(sides[0], "x", sides[1], "x", ("g", "p")), "d")


EXPLAINED = {
    "figure-1": lambda: document(FIGURE_1, [], 100),
    "starts-up-to-the-middle": lambda: document(labelled([(0, 2), (3, 4)]), [], 5),
    "short": lambda: document(labelled([(0, 2)]), labelled([(1, 2)]), 4),
    "long": lambda: document(labelled([(10, 11)]), labelled([(90, 91)]), 100),
    "outside-units": outside_units,
    "perfect": lambda: document(labelled([(0, 1)]), labelled([(0, 1)]), 4),
    "chance-is-perfect": lambda: document(labelled([(0, 4)]), labelled([(0, 4)]), 4),
    "no-spans": lambda: document([], [], 4),
    "two-labels": lambda: document([(0, 1, "A"), (2, 3, "B")], [(0, 1, "A"), (4, 5, "B")], 6),
    "many-spans": lambda: document(labelled(TIMES), labelled(TIMES), 80),
    "nested": lambda: nested(explain_document, "doc"),
    "no-formula": lambda: nested(explain_document, "doc", encoding="BIO"),
    "corpus": lambda: explain_corpus(corpus_pair(random_pair(3))),
    "corpus-without-formula": lambda: nested(explain_corpus, encoding="BIO"),
    "unplaced": lambda: unplaced(5),
    "unplaced-in-an-empty-document": lambda: unplaced(0),
    "hostile": lambda: document([(0, 1, HOSTILE)], [(1, 2, HOSTILE)], 4),
    "hostile-corpus": lambda: explain_corpus(
        one_document([(0, 1, HOSTILE)], [(1, 2, HOSTILE)], 4, name=HOSTILE)
    ),
}


def explain_text(found):
    return report_text(explain_report(found))


def explain_page(found, drawn=None):
    return report_page(explain_report(found, drawn))


def without_figures(page):
    """A page without its drawings, whose curves have tests of their own."""
    return re.sub(r"<svg\b.*?</svg>", "<svg/>", page, flags=re.DOTALL)


@each_case("name", EXPLAINED)
def test_an_explanation_is_as_it_was(name):
    found = EXPLAINED[name]()
    compare_with_snapshot(f"explain-{name}.txt", explain_text(found))


@pytest.mark.parametrize("name", ["corpus", "two-labels", "unplaced"])
def test_the_page_of_an_explanation_is_as_it_was(name):
    found = EXPLAINED[name]()
    compare_with_snapshot(f"explain-{name}.html", without_figures(explain_page(found)))


@each_case("name", EXPLAINED)
def test_an_explanation_fits_a_screen(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = report_screen(explain_report(EXPLAINED[name]())).splitlines()
    assert len(lines) <= 30 and max(map(len, lines)) <= 80


def test_lists_are_as_long_as_they_should_be(monkeypatch):
    monkeypatch.setattr(explain, "TOKENS", 20)
    assert "  (93 more tokens" not in explain_text(EXPLAINED["long"]())
    assert "Left out: 90 tokens away from spans." in explain_text(EXPLAINED["long"]())
    monkeypatch.setattr(explain, "ROWS", 2)
    text = explain_text(EXPLAINED["corpus"]())
    assert "(the first 2 of 5)" in text and "d2" in text and "d4" not in text


def test_the_drawn_text_is_left_as_it_is():
    assert '<div class="drawn"><b>x</b></div>' in explain_page(EXPLAINED["two-labels"](), DRAWN)


@each_case("name", EXPLAINED)
def test_ids_are_there_once_and_everything_from_the_data_is_escaped(name):
    found = EXPLAINED[name]()
    page = explain_page(found)
    ids = re.findall(r'\sid="([^"]+)"', page)
    named = " ".join(re.findall(r'aria-labelledby="([^"]+)"', page))
    assert len(ids) == len(set(ids)) and set(named.split()) <= set(ids)
    assert "<script>alert" not in page and "\x1b" not in page + explain_text(found)


def test_tables_fit_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = explain_text(document(FIGURE_1, FIGURE_1, 100)).splitlines()
    rules = [len(line) for line in lines if line.startswith("---")]
    assert rules and max(rules) <= 80


@pytest.mark.integration
def test_long_documents_keep_short_tables():
    spans = labelled([(i, i + 1) for i in range(0, 3000, 4)])
    page = explain_page(document(spans, spans, 3000))
    assert page.count("<tr") < 700 and "tokens away from spans." in " ".join(page.split())


def test_tokens_near_spans_are_no_more_than_asked_for():
    spans = {"gold": [{"start": 0, "end": 50}], "pred": []}
    assert select_tokens(100, spans, 7) == list(range(7))


def test_expectations_of_masses_are_shown_as_such():
    assert (amount(3), amount(3.0), amount(2.5), amount(0.00123)) == ("3", "3", "2.500", ".00123")
