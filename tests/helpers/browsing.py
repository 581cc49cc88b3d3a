"""A browser for tests of pages: windows, paper, the dark, and what was asked for."""

import json
import os
import shutil
import threading
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
    " --disable-background-networking --disable-component-update --disable-dev-shm-usage"
).split()
ENTER, SPACE, TAB = "\ue007", "\ue00d", "\ue004"
LEFT, RIGHT, END, HOME = "\ue012", "\ue014", "\ue010", "\ue011"
DESKTOP, PHONE, PAPER = 1200, 375, 718  # paper: A4 less margins
BROWSERS_OWN = ("about:", "chrome:", "data:")  # addresses that no page and no host is behind
PATIENCE = 20  # seconds until a page is loaded at the latest
LOADED = "return window.location.href === 'about:blank' ? '' : document.readyState"
SIDEWAYS = "return document.scrollingElement.scrollWidth"
AXE = (os.environ.get("AXE_CORE"), "node_modules/axe-core/axe.min.js")
FOUND_BY_AXE = """
const done = arguments[1], rules = arguments[0];
const only = rules.length ? {runOnly: {type: "rule", values: rules}} : {};
axe.run(document, {resultTypes: ["violations"], ...only}).then(
  (results) => done(results.violations.map((each) => [
    each.impact, each.id,
    each.nodes.map((node) => node.target.join(" ") + ": " + node.failureSummary),
  ])),
  (error) => done([["serious", "axe failed", [String(error)]]]),
);
"""


def started(folder):
    """A new browser with its files in a folder; skips the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="no selenium")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("no chromium and chromedriver on the path")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in (*OPTIONS, f"--user-data-dir={folder}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})

    class Browser(webdriver.Chrome):
        def get(self, address):
            """Open a page; where it is open already, wait for the new one, not for the old one."""
            super().get("about:blank")
            super().get(address)
            end = time.monotonic() + PATIENCE
            while (
                address != "about:blank"
                and self.execute_script(LOADED) != "complete"
                and time.monotonic() < end
            ):
                time.sleep(0.05)

    return Browser(options=options, service=webdriver.ChromeService(DRIVER))


@contextmanager
def served(folder):
    """A server of a folder that notes every request: its address, and the list of paths."""
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
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def reset(browser):
    """The window, medium and scripts as by default; what the console said is forgotten."""
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    medium(browser)
    scripts(browser, True)
    browser.get_log("browser")


def window(browser, width, height=800):
    """Give the window a size; a narrow one is a phone."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def medium(browser, kind="", scheme="light"):
    """Show the page on screen or, as "print", on paper; light or dark."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": kind, "features": features})


def scripts(browser, run):
    """Let pages that are loaded from now on run scripts or not."""
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not run})


def element(page, selector):
    return page.find_element("css selector", selector)


def elements(page, selector):
    return page.find_elements("css selector", selector)


def press(page, *keys):
    for key in keys:
        page.switch_to.active_element.send_keys(key)


def choose(page, key, text):
    """Choose an option of a filter, or of the order without a key, as the keyboard does."""
    box = element(page, f"[data-row-key={key}]" if key else "[data-item-order]")
    names = [option.text for option in box.find_elements("css selector", "option")]
    page.execute_script("arguments[0].focus()", box)
    press(page, *["\ue013"] * len(names), *["\ue015"] * names.index(text))


def sent(browser, urls):
    """The addresses asked for, with those that the browser has told of since."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    found = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
    urls.update(params["request"]["url"] for params in found)
    return urls


def asked_for(browser, address):
    """All addresses that a page asks for while it loads, itself included."""
    wait = pytest.importorskip("selenium.webdriver.support.wait").WebDriverWait
    browser.get_log("performance")
    browser.get(address)
    urls = set()
    wait(browser, 20).until(lambda browser: address in sent(browser, urls))
    resources = browser.execute_script("return performance.getEntriesByType('resource').length")
    assert resources == 0, "the page loads other files"
    return {url for url in urls if not url.startswith(BROWSERS_OWN)}


def axe_core():
    """The source of axe-core; skips the test where it is not installed."""
    path = next((path for path in AXE if path and Path(path).is_file()), None)
    if path is None:
        pytest.skip("no axe-core: npm install axe-core, or name axe.min.js in AXE_CORE")
    return Path(path).read_text(encoding="utf-8")


def faults(browser, source, *rules):
    """Serious and critical faults of the page as it is now, by axe-core; some rules or all."""
    if not browser.execute_script("return typeof window.axe !== 'undefined'"):
        browser.execute_script(source)
    found = browser.execute_async_script(FOUND_BY_AXE, rules)
    return [fault for fault in found if fault[0] in ("serious", "critical")]
