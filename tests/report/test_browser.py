"""The page in a real browser: it sorts, it has tabs, it asks the network for nothing."""

import json
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

import boards
from spacy_chance_eval.report.html import leaderboard_page

webdriver = pytest.importorskip("selenium.webdriver", reason="no selenium: pip install '.[test]'")
WebDriverWait = pytest.importorskip("selenium.webdriver.support.wait").WebDriverWait
NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path"),
    pytest.mark.skipif(DRIVER is None, reason="no chromedriver on the path"),
]
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
    " --disable-background-networking --disable-component-update --disable-dev-shm-usage"
).split()
PANELS = ".panel"
SHOWN = "return Array.from(document.querySelectorAll('.panel')).map(p => p.offsetHeight > 0)"
OUTSIDE = """
const found = [];
for (const svg of document.querySelectorAll('svg')) {
  const frame = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll('text')) {
    const box = text.getBoundingClientRect();
    const inside = box.left >= frame.left && box.right <= frame.right;
    if (frame.width && !inside) found.push(text.textContent);
  }
}
return found;
"""
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
    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *args):
            asked.append(self.path)

        def end_headers(self):
            # a page from the cache of the browser would not be asked for
            self.send_header("Cache-Control", "no-store")
            super().end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/board.html", asked
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in OPTIONS:
        options.add_argument(option)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(DRIVER)
    browser = webdriver.Chrome(options=options, service=service)
    yield browser
    browser.quit()


@pytest.fixture
def page(browser, site):
    """The page just loaded, in a window of usual size."""
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.get(site[0])
    return browser


def element(page, selector):
    return page.find_element("css selector", selector)


def header(page, number):
    """The header of a column of the board that is shown, and its button."""
    cell = element(page, f".panel table.board thead tr:last-child th:nth-child({number})")
    return cell, cell.find_element("css selector", "button")


def press(page, *keys):
    for key in keys:
        page.switch_to.active_element.send_keys(key)


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


@pytest.mark.parametrize("key", ["\ue007", "\ue00d"], ids=["enter", "space"])
def test_the_keyboard_sorts_too_and_only_one_column_says_so(page, key):
    header(page, 2)[1].click()
    cell, button = header(page, 3)
    page.execute_script("arguments[0].focus()", button)
    press(page, key)
    ranks = [int(text) for text in page.execute_script(COLUMN, 2)]
    assert ranks == list(range(1, 13)) and cell.get_attribute("aria-sort") == "ascending"
    assert len(page.find_elements("css selector", "[aria-sort]")) == 1


def test_names_are_sorted_as_text(page):
    header(page, 1)[1].click()
    compare = "return arguments[0].slice().sort((a, b) => a.localeCompare(b))"
    names = page.execute_script(COLUMN, 0)
    assert names == page.execute_script(compare, names)


def test_what_is_undefined_stands_last_in_both_directions(page):
    tabs = page.find_elements("css selector", "[role=tab]")
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
    page.find_elements("css selector", "[role=tab]")[2].click()
    assert selected(page) == [boards.SCRIPT] and shown_in_first(page) == [2]


def test_arrows_home_and_end_move_between_tabs(page):
    element(page, "[role=tab]").click()
    moves = [("\ue014", 1), ("\ue014", 2), ("\ue012", 1), ("\ue010", 7), ("\ue014", 0)]
    for key, number in [*moves, ("\ue012", 7), ("\ue011", 0)]:
        press(page, key)
        assert shown_in_first(page) == [number]
        assert page.switch_to.active_element.text == selected(page)[0]


def test_only_the_selected_tab_is_a_stop_of_the_tab_key(page):
    tabs = element(page, "[role=tablist]").find_elements("css selector", "[role=tab]")
    assert [tab.get_attribute("tabindex") for tab in tabs] == ["0", *["-1"] * 7]


def test_a_label_that_is_a_script_stays_text(page):
    assert len(page.find_elements("css selector", "script")) == 1
    titles = page.find_elements("css selector", "h3")
    assert boards.SCRIPT in [title.get_attribute("textContent") for title in titles]


def test_the_console_is_empty(page):
    page.find_elements("css selector", "[role=tab]")[3].click()
    header(page, 2)
    assert page.get_log("browser") == []


def sent(browser, urls):
    """The addresses asked for, with those that the browser has told of since."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    found = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
    urls.update(params["request"]["url"] for params in found)
    return urls


def test_no_request_leaves_the_page(browser, site):
    address, asked = site
    asked.clear()
    browser.get_log("performance")
    browser.get(address)
    urls = set()
    WebDriverWait(browser, 20).until(lambda browser: address in sent(browser, urls))
    assert {url for url in urls if not url.startswith("data:")} == {address}
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert asked and set(asked) == {"/board.html"}


def test_the_policy_stops_what_would_leave(page, site):
    code = "const done = arguments[0]; fetch('/x').then(() => done('sent'), () => done('stopped'))"
    assert page.execute_async_script(code) == "stopped"
    assert "/x" not in site[1]
    page.get_log("browser")  # the browser complains, as it should


def test_a_phone_does_not_scroll_sideways(page):
    size = {"width": 375, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.refresh()
    assert page.execute_script("return document.documentElement.scrollWidth") <= 375
    wide = "return document.querySelector('.scroll').scrollWidth > 375"
    assert page.execute_script(wide), "the table scrolls inside its region"


def test_everything_is_printed(page):
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert all(page.execute_script(SHOWN))
    assert not element(page, "[role=tablist]").is_displayed()


PAPER = {"width": 718, "height": 1000, "deviceScaleFactor": 1, "mobile": False}  # A4 less margins


@pytest.mark.parametrize("name", ["board.html", "long.html"])
def test_tables_fit_on_paper(page, site, name):
    page.get(site[0].replace("board.html", name))
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PAPER)
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    widths = "return Array.from(document.querySelectorAll('table'), t => t.offsetWidth)"
    assert 0 < max(page.execute_script(widths)) <= 718
    assert page.execute_script("return document.documentElement.scrollWidth") <= 718


@pytest.mark.parametrize("width", [375, 718, 1280])
def test_texts_of_plots_stay_inside(page, site, width):
    pytest.importorskip("matplotlib", reason="plots need the extra: pip install '.[plots]'")
    page.get(site[0].replace("board.html", "long.html"))
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert page.execute_script(OUTSIDE) == []
    assert page.find_elements("css selector", "svg text")


def test_printing_unfolds_details_and_folds_them_again(page):
    opened = "return document.querySelectorAll('details[open]').length"
    page.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    everything = len(page.find_elements("css selector", "details"))
    assert page.execute_script(opened) == everything > 0
    page.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert page.execute_script(opened) == 0


def test_everything_is_shown_without_script(browser, site):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(site[0])
    panels = browser.find_elements("css selector", PANELS)
    assert len(panels) == 24 and all(panel.is_displayed() for panel in panels)
    assert not browser.find_elements("css selector", "button")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_told_from_its_ground(page, scheme):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    style = "const s = getComputedStyle(document.documentElement);"
    for name in ("ink", "quiet", "link", "observed", "corrected"):
        code = f"{style} return ['--{name}', '--page'].map(n => s.getPropertyValue(n).trim())"
        assert contrast(*page.execute_script(code)) >= 4.5, name


def contrast(one, other):
    """Contrast of two colours #rrggbb as WCAG 2 defines it."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour):
    """Relative luminance of #rrggbb (WCAG 2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
