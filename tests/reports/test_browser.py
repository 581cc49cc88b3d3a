"""The page in a real browser: it sorts, it has tabs, it asks the network for nothing."""

import base64
import shutil
import subprocess

import pytest

from helpers import boards
from helpers.browsing import (
    END,
    ENTER,
    HOME,
    LEFT,
    PAPER,
    PHONE,
    RIGHT,
    SIDEWAYS,
    SPACE,
    asked_for,
    element,
    elements,
    medium,
    press,
    scripts,
    served,
    window,
)
from helpers.colours import contrast
from spacy_chance_eval.reports.html import leaderboard_page

pytestmark = pytest.mark.integration

PANELS = ".panel"
SHOWN = "return Array.from(document.querySelectorAll('.panel')).map(p => p.offsetHeight > 0)"
OUTSIDE = """
const found = [];
for (const svg of document.querySelectorAll('svg')) {
  const frame = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll('text')) {
    const box = text.getBoundingClientRect();
    const inside = box.left >= frame.left && box.right <= frame.right;
    if (frame.width && box.width && !inside) found.push(text.textContent);
  }
}
return found;
"""
NAMES, LABELS = boards.NAMES[:7], [f"label-{i}" for i in range(6)]
# fifty systems with names of all lengths
LONG = [f"sys {i} {'xW'[i % 2] * (i % 30)}" for i in range(47)]
LONG += ["\u6f22" * 30, "w" * 62, "a name of many words that do not fit beside a plot"]
COLUMN = """
const rows = document.querySelector('.panel:not([hidden]) table.board').tBodies[0].rows;
return Array.from(rows, row => row.cells[arguments[0]].firstChild.textContent.trim());
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A server of the page that notes every request: its address, and the list of paths."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "board.html").write_text(leaderboard_page(boards.result()), encoding="utf-8")
    long = boards.result(names=LONG, metrics=["span_f"], labels=[], subsets=[])
    (folder / "long.html").write_text(leaderboard_page(long), encoding="utf-8")
    with served(folder) as (address, asked):
        yield f"{address}/board.html", asked


@pytest.fixture
def page(browser, site):
    """The page just loaded, in a window of usual size."""
    browser.get(site[0])
    return browser


def header(page, number):
    """The header of a column of the board that is shown, and its button."""
    cell = element(page, f".panel table.board thead tr:last-child th:nth-child({number})")
    return cell, cell.find_element("css selector", "button")


def selected(page):
    """The texts of the tabs that are selected in the first section."""
    tabs = element(page, "[role=tablist]").find_elements("css selector", "[aria-selected=true]")
    return [tab.text for tab in tabs]


def shown_in_first(page):
    """Which of the panels of the first metric can be seen."""
    return [i for i, seen in enumerate(page.execute_script(SHOWN)[:8]) if seen]


def test_a_click_sorts_numbers_and_another_turns_them_round(page):
    cell, button = header(page, 2)
    button.click()
    scores = [float(text) for text in page.execute_script(COLUMN, 1)]
    assert scores == sorted(scores, reverse=True) and len(scores) == 12
    assert cell.get_attribute("aria-sort") == "descending"
    button.click()
    assert [float(text) for text in page.execute_script(COLUMN, 1)] == scores[::-1]
    assert cell.get_attribute("aria-sort") == "ascending"


@pytest.mark.parametrize("key", [ENTER, SPACE], ids=["enter", "space"])
def test_the_keyboard_sorts_too_and_only_one_column_says_so(page, key):
    header(page, 2)[1].click()
    cell, button = header(page, 3)
    page.execute_script("arguments[0].focus()", button)
    press(page, key)
    ranks = [int(text) for text in page.execute_script(COLUMN, 2)]
    assert ranks == list(range(1, 13)) and cell.get_attribute("aria-sort") == "ascending"
    assert len(elements(page, "[aria-sort]")) == 1


def test_names_are_sorted_as_text(page):
    header(page, 1)[1].click()
    compare = "return arguments[0].slice().sort((a, b) => a.localeCompare(b))"
    names = page.execute_script(COLUMN, 0)
    assert names == page.execute_script(compare, names)


def test_what_is_undefined_stands_last_in_both_directions(page):
    tabs = elements(page, "[role=tab]")
    tabs[1].click()
    button = element(page, ".panel:not([hidden]) table.board thead tr:last-child th:nth-child(2)")
    for _ in range(2):
        button.find_element("css selector", "button").click()
        assert page.execute_script(COLUMN, 1).index("-") == 11


def test_equal_values_keep_their_order(page):
    header(page, 3)[1].click()
    ranked = list(zip(page.execute_script(COLUMN, 4), page.execute_script(COLUMN, 0)))
    assert len({group for group, _ in ranked}) < len(ranked)
    for _ in range(2):
        header(page, 5)[1].click()
        down = header(page, 5)[0].get_attribute("aria-sort") == "descending"
        expected = sorted(ranked, key=lambda row: row[0], reverse=down)
        assert page.execute_script(COLUMN, 0) == [name for _, name in expected]


def test_one_panel_is_shown_and_a_click_on_a_tab_changes_it(page):
    assert selected(page) == ["All spans"] and shown_in_first(page) == [0]
    elements(page, "[role=tab]")[2].click()
    assert selected(page) == [boards.SCRIPT] and shown_in_first(page) == [2]


def test_arrows_home_and_end_move_between_tabs(page):
    element(page, "[role=tab]").click()
    moves = [(RIGHT, 1), (RIGHT, 2), (LEFT, 1), (END, 7), (RIGHT, 0)]
    for key, number in [*moves, (LEFT, 7), (HOME, 0)]:
        press(page, key)
        assert shown_in_first(page) == [number]
        assert page.switch_to.active_element.text == selected(page)[0]


def test_only_the_selected_tab_is_a_stop_of_the_tab_key(page):
    tabs = elements(page, "[role=tablist] [role=tab]")[:8]
    assert [tab.get_attribute("tabindex") for tab in tabs] == ["0", *["-1"] * 7]


def test_a_label_that_is_a_script_stays_text(page):
    assert len(elements(page, "script")) == 1
    titles = elements(page, "h3")
    assert boards.SCRIPT in [title.get_attribute("textContent") for title in titles]


def test_the_console_is_empty(page):
    elements(page, "[role=tab]")[3].click()
    header(page, 2)
    assert page.get_log("browser") == []


def test_no_request_leaves_the_page(browser, site):
    address, asked = site
    asked.clear()
    assert asked_for(browser, address) == {address}
    assert set(asked) == {"/board.html"}


def test_the_policy_stops_what_would_leave(page, site):
    code = "const done = arguments[0]; fetch('/x').then(() => done('sent'), () => done('stopped'))"
    assert page.execute_async_script(code) == "stopped"
    assert "/x" not in site[1]
    page.get_log("browser")  # the browser complains, as it should


def test_a_phone_does_not_scroll_sideways(page):
    window(page, PHONE)
    page.refresh()
    assert page.execute_script(SIDEWAYS) <= PHONE
    wide = "return document.querySelector('.scroll').scrollWidth > 375"
    assert page.execute_script(wide), "the table scrolls inside its region"


def test_the_open_tab_alone_is_printed(page):
    elements(page, "[role=tab]")[2].click()
    medium(page, "print")
    assert shown_in_first(page) == [2]
    assert not element(page, "[role=tablist]").is_displayed()


@pytest.mark.parametrize("name", ["board.html", "long.html"])
def test_tables_fit_on_paper(page, site, name):
    page.get(site[0].replace("board.html", name))
    window(page, PAPER)
    medium(page, "print")
    page.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    widths = "return Array.from(document.querySelectorAll('table'), t => t.offsetWidth)"
    assert 0 < max(page.execute_script(widths)) <= PAPER
    assert page.execute_script(SIDEWAYS) <= PAPER


@pytest.mark.parametrize("width", [375, 718, 1280])
def test_texts_of_plots_stay_inside(page, site, width):
    page.get(site[0].replace("board.html", "long.html"))
    window(page, width)
    assert page.execute_script(OUTSIDE) == []
    assert elements(page, "svg text")


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """A board as there are many: seven systems, six labels, two metrics."""
    path = tmp_path_factory.mktemp("usual") / "board.html"
    result = boards.result(names=NAMES, metrics=["span_f", "token_f"], labels=LABELS, subsets=[])
    path.write_text(leaderboard_page(result | {"left_out": []}), encoding="utf-8")
    return path.as_uri()


def test_the_first_screen_of_a_phone_shows_a_score(browser, usual):
    window(browser, PHONE, 812)
    browser.get(usual)
    box = element(browser, ".overview tbody td").rect
    assert box["y"] + box["height"] < 812 and box["x"] + box["width"] <= PHONE
    verdict = element(browser, ".verdict").text
    assert "beyond chance" in verdict and "by span_f" in verdict


def test_paper_has_few_pages_with_the_open_tabs_alone(browser, usual, tmp_path):
    if not shutil.which("pdftotext"):
        pytest.skip("no pdftotext, of Debian's poppler-utils")
    browser.get(usual)
    elements(browser, "[role=tab]")[3].click()
    path = tmp_path / "board.pdf"
    path.write_bytes(base64.b64decode(browser.print_page()))
    done = subprocess.run(["pdftotext", path, "-"], capture_output=True, check=True)
    pages = done.stdout.decode().rstrip("\f").split("\f")
    assert 1 < len(pages) <= 4
    text = " ".join(" ".join(pages).split())
    assert "span_f, label-2:" in text and "token_f, All spans:" in text
    assert [text.count(label) for label in LABELS if label != "label-2"] == [1] * 5  # in a list
    assert boards.METRICS["span_f"] in text.replace(" ", "")
    assert "Tests of all pairs" not in text


def test_details_are_printed_if_they_are_open(page):
    medium(page, "print")
    details = elements(page, ".panel:not([hidden]) details")
    assert not any(one.is_displayed() for one in details)
    page.execute_script("arguments[0].open = true", details[0])
    assert [one.is_displayed() for one in details] == [True, *[False] * (len(details) - 1)]


def test_everything_is_shown_without_script(browser, site):
    scripts(browser, False)
    browser.get(site[0])
    panels = elements(browser, PANELS)
    assert len(panels) == 24 and all(panel.is_displayed() for panel in panels)
    assert not elements(browser, "button")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_told_from_its_ground(page, scheme):
    medium(page, scheme=scheme)
    style = "const s = getComputedStyle(document.documentElement);"
    for name in ("ink", "quiet", "link", "observed", "corrected"):
        code = f"{style} return ['--{name}', '--page'].map(n => s.getPropertyValue(n).trim())"
        assert contrast(*page.execute_script(code)) >= 4.5, name
