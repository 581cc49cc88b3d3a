"""The page in a real browser: it sorts, it has tabs, it asks the network for nothing."""

import base64
import shutil
import subprocess

import pytest

from helpers import boards
from helpers.browsing import (
    PAPER,
    PHONE,
    SIDEWAYS,
    element,
    elements,
    medium,
    served,
    window,
)
from helpers.colours import contrast
from helpers.rendered import leaderboard_page

pytestmark = pytest.mark.integration

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
    box = element(browser, "main tbody td").rect
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
    assert "span_f, label-3:" in text and "token_f, all spans:" in text
    assert not any(f"{label}:" in text for label in LABELS if label != "label-3")
    assert boards.METRICS["span_f"] in text.replace(" ", "")
    assert "Tests of all pairs" not in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_told_from_its_ground(page, scheme):
    medium(page, scheme=scheme)
    style = "const s = getComputedStyle(document.documentElement);"
    for name in ("ink", "quiet", "link", "observed", "corrected"):
        code = f"{style} return ['--{name}', '--page'].map(n => s.getPropertyValue(n).trim())"
        assert contrast(*page.execute_script(code)) >= 4.5, name
