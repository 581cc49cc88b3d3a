"""Tables, tabs and lists of every page that has them: by mouse and by keyboard."""

import pytest

from helpers.browsing import END, ENTER, HOME, LEFT, RIGHT, SPACE, element, elements, press

pytestmark = pytest.mark.integration

SORTABLE = ("leaderboard", "diff", "diff-index", "agreement", "pair", "compare")
SORTABLE += ("explain-corpus", "tree-index", "tree-pair")
TABS = ("leaderboard",)
# faults of every column of every table that sorts, after a first and a second click
SORTING = """
const faults = [];
let columns = 0;
const shown = (cell) => cell.hasAttribute("data-value") ? cell.dataset.value
  : cell.textContent.trim();
for (const table of document.querySelectorAll("table.sortable")) {
  const headers = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
  headers.forEach((header, column) => {
    const button = header.querySelector("button");
    if (!button) return;
    columns += 1;
    const before = Array.from(table.tBodies[0].rows);
    const orders = new Set();
    for (let click = 0; click < 2; click += 1) {
      button.click();
      orders.add(header.getAttribute("aria-sort"));
      const sign = header.getAttribute("aria-sort") === "ascending" ? 1 : -1;
      const rows = Array.from(table.tBodies[0].rows);
      const values = rows.map((row) => shown(row.cells[column]));
      const known = values.filter((value) => value !== "");
      const numbers = header.dataset.sort !== "text";
      known.forEach((value, i) => {
        if (i === 0) return;
        const step = numbers ? Number(value) - Number(known[i - 1])
          : value.localeCompare(known[i - 1]);
        if (!(sign * step >= 0)) faults.push([button.textContent, known[i - 1], value]);
      });
      if (values.slice(0, known.length).includes("")) faults.push([button.textContent, "gap"]);
      if (new Set([...rows, ...before]).size !== before.length) faults.push("rows are lost");
    }
    if (orders.size !== 2) faults.push([button.textContent, "is not turned round"]);
  });
}
return [columns, faults];
"""
PANELS = """
const panels = document.querySelector("[role=tablist]").parentElement.children;
return Array.from(panels).filter((one) => one.classList.contains("panel"))
  .map((one) => one.checkVisibility());
"""


@pytest.fixture
def page(request, browser, pages):
    """A page just loaded."""
    browser.get(pages.address(request.param, "plain"))
    return browser


@pytest.mark.parametrize("page", SORTABLE, indirect=True)
def test_every_column_with_a_button_is_sorted_both_ways(page):
    columns, faults = page.execute_script(SORTING)
    assert columns > 2 and faults == []


@pytest.mark.parametrize("key", [ENTER, SPACE], ids=["enter", "space"])
@pytest.mark.parametrize("page", SORTABLE, indirect=True)
def test_the_keyboard_sorts(page, key):
    buttons = [button for button in elements(page, "th button") if button.is_displayed()]
    page.execute_script("arguments[0].focus()", buttons[-1])
    press(page, key)
    (header,) = elements(page, "th[aria-sort]")
    assert header == buttons[-1].find_element("xpath", "..")


@pytest.mark.parametrize("page", TABS, indirect=True)
def test_one_panel_is_shown_and_arrows_home_and_end_choose_it(page):
    last = len(page.execute_script(PANELS)) - 1
    assert last > 0 and page.execute_script(PANELS) == [True, *[False] * last]
    element(page, "[role=tab]").click()
    for key, place in ((RIGHT, 1), (LEFT, 0), (LEFT, last), (HOME, 0), (END, last), (RIGHT, 0)):
        press(page, key)
        shown = page.execute_script(PANELS)
        assert [i for i, seen in enumerate(shown) if seen] == [place]
        chosen = element(page, "[role=tablist] [aria-selected=true]")
        assert page.switch_to.active_element == chosen
