"""Filters and orders of documents in a real browser."""

import pytest

from helpers.browsing import element, elements, medium, press, scripts
from helpers.differing import EQUAL, FEW, MANY, compare
from spacy_chance_eval.reports.diff_pages import write_diff

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The page of three documents: two, four and no differences."""
    path = tmp_path_factory.mktemp("filters") / "diff.html"
    write_diff(compare(FEW, MANY, EQUAL, equal=True), path)
    return path


@pytest.fixture
def page(browser, path):
    browser.get(path.as_uri())
    return browser


def choose(page, key, text):
    """Choose an option as the keyboard does."""
    box = element(page, f"[data-row-key={key}]" if key else "[data-item-order]")
    names = [option.text for option in box.find_elements("css selector", "option")]
    page.execute_script("arguments[0].focus()", box)
    press(page, *["\ue013"] * len(names), *["\ue015"] * names.index(text))


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
    return element(page, "[role=status]").text


def test_everything_is_shown_at_first_and_counted(page):
    assert shown(page) == ["d1", "d0", "d2"] and rows(page) == 10
    assert status(page) == "Documents of this page that are shown: 3 of 3"


def test_a_relation_keeps_documents_and_rows_that_have_it(page):
    choose(page, "relation", "label differs")
    assert shown(page) == ["d1"] and rows(page) == 1
    assert status(page) == "Documents of this page that are shown: 1 of 3"
    choose(page, "relation", "all")
    assert shown(page) == ["d1", "d0", "d2"] and rows(page) == 10


def test_a_label_of_either_side_counts(page):
    choose(page, "label", "ORG")
    assert shown(page) == ["d1"] and rows(page) == 1
    choose(page, "label", "LOC")
    assert shown(page) == ["d1", "d0"] and rows(page) == 2


def test_one_row_must_have_both_label_and_relation(page):
    choose(page, "label", "LOC")
    choose(page, "relation", "missing")
    assert shown(page) == ["d0"] and rows(page) == 1


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
    choose(page, "relation", "spurious")
    assert shown(page) == ["d1"]
    page.execute_script("document.querySelector('[href=\"#document-1\"]').click()")
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert shown(page) == ["d1", "d0", "d2"]
    assert page.execute_script("return window.scrollY") > 0


def test_every_control_is_reached_by_the_tab_key_and_has_a_name(page):
    controls = elements(page, ".filters select, .filters input")
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
    choose(page, "relation", "spurious")
    medium(page, "print")
    assert not [one for one in elements(page, ".filters label") if one.is_displayed()]
    assert shown(page) == ["d1"] and status(page).endswith(": 1 of 3")
