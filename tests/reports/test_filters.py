"""Filters and orders of documents in a real browser."""

import pytest

from helpers.browsing import (
    ENTER,
    SPACE,
    choose,
    element,
    elements,
    medium,
    press,
    scripts,
)
from helpers.differing import EQUAL, FEW, MANY, compare
from spacy_chance_eval.analysis.diff import diff
from spacy_chance_eval.corpora.pairs import side_by_side
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.measures.differences import RELATIONS
from spacy_chance_eval.reports.diff_pages import write_diff

pytestmark = pytest.mark.integration
DOCUMENTS = FEW, MANY, EQUAL
ESCAPE = "\ue00c"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The page of three documents: two, four and no differences."""
    path = tmp_path_factory.mktemp("filters") / "diff.html"
    write_diff(compare(*DOCUMENTS, equal=True), path)
    return path


@pytest.fixture
def page(browser, path):
    browser.get(path.as_uri())
    return browser


def show_only(page, *relations):
    """Switch all other relations of the legend off."""
    for button in elements(page, ".legend button"):
        named = button.find_element("xpath", "..").get_attribute("data-name") in relations
        if (button.get_attribute("aria-pressed") == "true") != named:
            page.execute_script("arguments[0].focus()", button)
            press(page, SPACE)


def search(page, text):
    page.execute_script("arguments[0].focus()", element(page, "[data-item-text]"))
    press(page, text)


def shown(page):
    """Names of the documents that can be seen, in order."""
    return [one.text for one in elements(page, "article h3") if one.is_displayed()]


def rows(page):
    """How many rows of documents can be seen."""
    return sum(row.is_displayed() for row in elements(page, "[data-row]"))


def status(page):
    return element(page, ".filters [role=status]").text


def test_everything_is_shown_at_first_and_counted(page):
    assert shown(page) == ["d1", "d0", "d2"] and rows(page) == 10
    assert status(page) == "Documents of this page that are shown: 3 of 3"


def test_a_relation_keeps_documents_and_rows_that_have_it(page):
    show_only(page, "wrong label")
    assert shown(page) == ["d1"] and rows(page) == 1
    assert status(page) == "Documents of this page that are shown: 1 of 3"
    show_only(page, *RELATIONS)
    assert shown(page) == ["d1", "d0", "d2"] and rows(page) == 10


def test_a_label_of_either_side_counts(page):
    choose(page, "label", "ORG")
    assert shown(page) == ["d1"] and rows(page) == 1
    choose(page, "label", "LOC")
    assert shown(page) == ["d1", "d0"] and rows(page) == 2


def test_one_row_must_have_both_label_and_relation(page):
    choose(page, "label", "LOC")
    show_only(page, "missing")
    assert shown(page) == ["d0"] and rows(page) == 1


DRAWN = """
const seen = (one) => getComputedStyle(one).visibility === "visible";
const shown = "article:not([hidden]) .sides:not([hidden]) .drawn";
const drawn = Array.from(document.querySelectorAll(shown));
const all = (selector) => drawn.flatMap((one) => Array.from(one.querySelectorAll(selector)));
return [
  Array.from(new Set(all("a").filter(seen).map((link) => link.hash.slice(1)))).sort(),
  all("i").filter(seen).length,
];
"""


@pytest.mark.parametrize(
    "relations, label", [(RELATIONS, "LOC"), (("missing",), None), (("correct", "partial"), None)]
)
def test_only_the_spans_of_rows_that_are_shown_are_drawn(page, relations, label):
    everything = page.execute_script(DRAWN)
    if label:
        choose(page, "label", label)
    show_only(page, *relations)
    links, n_lines = page.execute_script(DRAWN)
    visible = [
        row.get_attribute("id") for row in elements(page, "[data-row]") if row.is_displayed()
    ]
    assert links == sorted(set(visible) & set(everything[0])) and links
    assert 0 < n_lines < everything[1]
    show_only(page, *RELATIONS)
    if label:
        choose(page, "label", "all")
    assert page.execute_script(DRAWN) == everything


def test_a_part_of_the_name_keeps_a_document_whatever_its_case(page):
    search(page, " D1")
    assert shown(page) == ["d1"]
    search(page, "x")
    assert shown(page) == [] and status(page).endswith(": 0 of 3")


def test_documents_are_put_in_order(page):
    choose(page, None, "in the order of the files")
    assert shown(page) == ["d0", "d1", "d2"]
    choose(page, None, "lowest F first")
    assert shown(page) == ["d1", "d0", "d2"]
    choose(page, None, "most differences first")
    assert shown(page) == ["d1", "d0", "d2"]


def test_a_link_to_a_document_that_is_hidden_shows_it_again(page):
    show_only(page, "spurious")
    assert shown(page) == ["d1"]
    page.execute_script("document.querySelector('[href=\"#document-1\"]').click()")
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert shown(page) == ["d1", "d0", "d2"]
    assert page.execute_script("return window.scrollY") > 0


def test_every_control_is_reached_by_the_tab_key_and_has_a_name(page):
    controls = elements(page, ".filters select, .filters input[type=search]")
    page.execute_script("arguments[0].focus()", controls[0])
    for control in controls:
        assert page.switch_to.active_element == control and control.accessible_name
        press(page, "\ue004")


def test_without_script_there_are_no_controls_and_all_documents(browser, path):
    scripts(browser, False)
    browser.get(path.as_uri())
    assert not element(browser, ".filters").is_displayed()
    assert shown(browser) == ["d1", "d0", "d2"] and rows(browser) == 10


def test_controls_are_not_printed_but_what_they_keep_is(page):
    show_only(page, "spurious")
    medium(page, "print")
    assert not [one for one in elements(page, ".filters label") if one.is_displayed()]
    assert shown(page) == ["d1"] and status(page).endswith(": 1 of 3")


def test_no_relation_at_all_shows_nothing(page):
    show_only(page)
    assert shown(page) == [] and rows(page) == 0


def test_only_passages_with_the_relation_are_shown(browser, tmp_path):
    gold, pred = [(0, 1, "A"), (70, 71, "A")], [(0, 1, "A"), (130, 131, "A")]
    words = [f"w{i}" for i in range(180)]
    sides = [Corpus(name, [Document(words, {"x": s}, "d")]) for name, s in zip("gp", (gold, pred))]
    write_diff(diff(side_by_side(*sides)), tmp_path / "diff.html")
    browser.get((tmp_path / "diff.html").as_uri())
    shown = []
    for relation in ("correct", "missing", "spurious"):
        show_only(browser, relation)
        passages = [one.is_displayed() for one in elements(browser, ".sides")]
        shown.append(passages.index(True))
        assert sum(passages) == 1
    assert shown == [0, 1, 2]


def test_a_label_leads_to_the_row_of_its_pair(page):
    link = elements(page, "#document-2 .drawn a")[1]
    page.execute_script("arguments[0].focus()", link)
    press(page, ENTER)
    row = element(page, "tr:target")
    assert row.find_element("css selector", "td").text.startswith("partial")


@pytest.mark.parametrize(
    "text, base",
    [("قال محمد إن New York 2 Times نشرت", "rtl"), ("Said משה כהן 2 לוי to them", "ltr")],
)
def test_words_of_the_other_direction_are_drawn_in_their_order(browser, tmp_path, text, base):
    words = text.split()
    name = words.index("New" if base == "rtl" else "משה")
    gold, pred = [(name, name + 4, "#ORG")], [(name, name + 4, "#LOC")]
    sides = [Corpus(one, [Document(words, {"x": s}, "d")]) for one, s in zip("gp", (gold, pred))]
    write_diff(diff(side_by_side(*sides)), tmp_path / "diff.html")
    browser.get((tmp_path / "diff.html").as_uri())
    drawn = elements(browser, ".sides > div:first-child .drawn .spans span")
    assert [one.find_element("css selector", "bdi").text for one in drawn] == words[name : name + 4]
    lefts = [one.rect["x"] for one in drawn]
    assert lefts == sorted(lefts, reverse=base == "ltr")
    first = elements(browser, ".drawn .spans b a")[0]
    frame = first.find_element("xpath", "..").rect
    before = first.rect["x"] - frame["x"]  # the sign stands before the label
    assert before > 5 > frame["x"] + frame["width"] - first.rect["x"] - first.rect["width"]
