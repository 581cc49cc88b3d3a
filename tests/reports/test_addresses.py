"""The address of a page holds its open panels and filters, so that a link shows the same view."""

import time

import pytest

from helpers import boards
from helpers.browsing import END, RIGHT, element, elements, press, served
from helpers.differing import EQUAL, FEW, MANY, compare
from helpers.rendered import leaderboard_page
from spacy_chance_eval.reports.diff_pages import write_diff

pytestmark = pytest.mark.integration

PANELS = """
return Array.from(document.querySelectorAll('.panel:not([hidden])'), (panel) => panel.id);
"""
AT_FIRST = ["part-1-1", "part-2-1"]
PAUSE = 0.1  # seconds after which a link has been followed
PATIENCE = 10  # seconds until it has been at the latest
SCROLLED = "return document.getElementById(arguments[0]).getBoundingClientRect().top"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A board of two metrics, and a page with filters."""
    folder = tmp_path_factory.mktemp("addresses")
    result = boards.result(metrics=["span_f", "token_f"])
    (folder / "board.html").write_text(leaderboard_page(result), encoding="utf-8")
    write_diff(compare(FEW, MANY, EQUAL, equal=True), folder / "diff.html")
    return folder


@pytest.fixture(params=["file", "server"])
def root(request, folder):
    """The address of the folder: of files, and of a server."""
    if request.param == "file":
        yield folder.as_uri()
    else:
        with served(folder) as (address, _):
            yield address


@pytest.fixture
def board(browser, root):
    browser.get("about:blank")
    browser.get(f"{root}/board.html")
    return browser


@pytest.fixture
def diff(browser, root):
    browser.get("about:blank")
    browser.get(f"{root}/diff.html")
    return browser


class Later:
    """What a page shows, for which comparisons wait: a busy machine is slow."""

    def __init__(self, page, script):
        self.page, self.script = page, script
        time.sleep(PAUSE)

    def holds(self, test):
        end = time.monotonic() + PATIENCE
        while not test(self.value) and time.monotonic() < end:
            time.sleep(PAUSE)
        return test(self.value)

    @property
    def value(self):
        return self.page.execute_script(self.script)

    def __eq__(self, other):
        return self.holds(lambda value: value == other)

    def __contains__(self, part):
        return self.holds(lambda value: part in value)

    def __bool__(self):
        return self.holds(bool)

    def __repr__(self):
        return repr(self.value)


def hash_of(page):
    return Later(page, "return window.location.hash")


def panels(page):
    return Later(page, PANELS)


def press_tab(page, metric, place):
    lists = elements(page, "[role=tablist]")
    lists[metric - 1].find_elements("css selector", "[role=tab]")[place - 1].click()
    return hash_of(page)


def reopened(page, address):
    """The page as somebody sees it who gets a link."""
    page.get("about:blank")
    page.get(address)
    return page


def test_an_untouched_page_has_its_own_address(board):
    assert hash_of(board) == "" and panels(board) == AT_FIRST


def test_a_link_shows_the_tabs_that_were_chosen(board):
    assert press_tab(board, 1, 3) == "#part-1-3"
    assert press_tab(board, 2, 2) == "#part-2-2&part-1-3"
    assert panels(reopened(board, board.current_url)) == ["part-1-3", "part-2-2"]


def test_the_first_tabs_are_not_in_the_address(board):
    press_tab(board, 1, 3)
    assert press_tab(board, 1, 1) == ""


def test_back_and_forward_change_tabs(board):
    press_tab(board, 1, 3)
    press_tab(board, 2, 2)
    board.back()
    assert panels(board) == ["part-1-3", "part-2-1"]
    board.back()
    assert panels(board) == AT_FIRST
    board.forward()
    assert panels(board) == ["part-1-3", "part-2-1"]


def test_a_page_that_is_loaded_again_shows_the_same_tabs(board):
    element(board, "[role=tab]").click()
    press(board, RIGHT, RIGHT)
    assert hash_of(board) == "#part-1-3"
    board.refresh()
    assert panels(board) == ["part-1-3", "part-2-1"]


def test_a_link_to_a_place_keeps_the_tabs(board):
    press_tab(board, 1, 3)
    element(board, "nav a[href='#part-2']").click()
    assert hash_of(board) == "#part-2&part-1-3"
    assert panels(board) == ["part-1-3", "part-2-1"]
    board.back()
    assert hash_of(board) == "#part-1-3"


def test_a_link_into_a_hidden_panel_opens_it(board, root):
    reopened(board, f"{root}/board.html#part-2-4-title")
    assert panels(board) == ["part-1-1", "part-2-4"]
    assert 0 <= board.execute_script(SCROLLED, "part-2-4-title") < 800


def test_a_link_into_closed_details_opens_them(board, root):
    closed = "document.querySelector('.panel details').id = 'closed'"
    board.execute_script(closed)
    board.execute_script("window.location.hash = '#closed'")
    time.sleep(PAUSE)
    assert element(board, "#closed").get_attribute("open")


@pytest.mark.parametrize("place", ["#no-such-place", "#%E0%A4%A", "#&=&=x", "#part-9-9"])
def test_an_address_that_leads_nowhere_shows_the_page(board, root, place):
    reopened(board, f"{root}/board.html{place}")
    assert panels(board) == AT_FIRST
    assert board.get_log("browser") == []


def test_a_link_shows_the_filters_and_the_order(diff):
    shown = "return Array.from(document.querySelectorAll('article:not([hidden]) h3'), h => h.id)"
    for control in elements(diff, "[data-row-key=label], [data-item-order]"):
        diff.execute_script("arguments[0].focus()", control)
        press(diff, END)
    before = diff.execute_script(shown)
    assert "items.label=PER" in hash_of(diff) and "items.order=" in hash_of(diff)
    reopened(diff, diff.current_url)
    assert diff.execute_script(shown) == before != []


def test_an_address_with_a_label_that_is_not_there_shows_everything(diff):
    reopened(diff, f"{diff.current_url}#items.label=0")
    assert hash_of(diff) == "" and len(elements(diff, "article:not([hidden])")) == 3


def test_filters_go_along_to_the_next_page(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_chance_eval.reports.diff_pages.PER_PAGE", 1)
    write_diff(compare(FEW, MANY), tmp_path / "pages")
    browser.get((tmp_path / "pages" / "index.html").as_uri())
    browser.execute_script("arguments[0].focus()", element(browser, "[data-row-key=label]"))
    press(browser, END)
    assert hash_of(browser) == "#items.label=PER"
    element(browser, "a[rel=next]").click()
    assert hash_of(browser) == "#items.label=PER" and "page-0002" in browser.current_url
    assert element(browser, "a[rel=prev]").get_attribute("href").endswith("#items.label=PER")


def test_back_takes_a_filter_away(diff):
    box = element(diff, "[data-row-key=label]")
    diff.execute_script("arguments[0].focus()", box)
    press(diff, END)
    assert hash_of(diff)
    diff.back()
    time.sleep(PAUSE)
    assert box.get_attribute("value") == "" and hash_of(diff) == ""


def test_what_is_typed_is_in_the_address_as_it_is(diff):
    diff.execute_script("arguments[0].focus()", element(diff, "[data-item-text]"))
    press(diff, "d1 &=#%")
    assert hash_of(diff) == "#items.name=d1%20%26%3D%23%25"
    reopened(diff, diff.current_url)
    assert element(diff, "[data-item-text]").get_attribute("value") == "d1 &=#%"
