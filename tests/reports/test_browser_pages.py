"""What holds for every page in a real browser, whatever the page is about."""

import pytest

from helpers.browsing import (
    DESKTOP,
    PAPER,
    PHONE,
    SIDEWAYS,
    asked_for,
    element,
    medium,
    scripts,
    window,
)
from helpers.pages import KINDS, PAGES

pytestmark = pytest.mark.integration

# what cannot be seen, drawings and what is skipped apart
HIDDEN = """
return Array.from(document.body.querySelectorAll('*:not(svg *)')).filter((one) =>
  !one.closest(arguments[0]) && !one.checkVisibility()
).map((one) => one.outerHTML.slice(0, 100));
"""
SCREEN = "script, style, nav, .skip, [role=tablist], [data-steps]"  # only serves a screen
NOT_CHOSEN = f"{SCREEN}, details:not([open]), [hidden], label"
# without script, only controls and what is for paper may be hidden
CONTROLLING = f"{SCREEN}, details > :not(summary), [data-filter], .paper"
CONTROLS = """
const found = document.querySelectorAll('button, input, select, [role=tab]');
return Array.from(found).filter((one) => one.checkVisibility()).map((one) => one.outerHTML);
"""
PRESSED = "document.querySelectorAll('button').forEach((one) => one.click())"
WIDER = """
const limit = document.documentElement.clientWidth;
return Array.from(document.body.querySelectorAll('*')).filter((one) => {
  const box = one.getBoundingClientRect();
  return box.width && box.right > limit + 1 && !one.closest('svg, .skip');
}).map((one) => one.outerHTML.slice(0, 100)).slice(0, 5);
"""


@pytest.fixture(
    scope="module", params=[(name, kind) for name in PAGES for kind in KINDS], ids="-".join
)
def each(request):
    """A page; its tests stand together, as the fixture is the module's."""
    return request.param


@pytest.fixture
def shown(browser, pages, each):
    """The browser with a page that nobody has used, which is loaded if it is not yet."""
    if browser.current_url != pages.address(*each):
        browser.get(pages.address(*each))
    return browser


@pytest.fixture
def used(browser):
    """The browser, which leaves the page after the test: it is no longer as it was loaded."""
    yield browser
    browser.get("about:blank")


def test_nothing_is_asked_for_but_the_page(browser, pages, each):
    address = pages.address(*each)
    pages.asked.clear()
    assert asked_for(browser, address) == {address}
    assert pages.asked == [pages.asking(pages.path(*each))]


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_no_window_scrolls_sideways(shown, width):
    window(shown, width)
    assert shown.execute_script(SIDEWAYS) <= width, shown.execute_script(WIDER)


def test_paper_is_wide_enough(shown):
    window(shown, PAPER)
    medium(shown, "print")
    assert shown.execute_script(SIDEWAYS) <= PAPER, shown.execute_script(WIDER)


def test_everything_that_is_open_is_on_paper(shown):
    medium(shown, "print")
    assert shown.execute_script(HIDDEN, NOT_CHOSEN) == []


def test_the_console_stays_empty_whatever_is_pressed(used, pages, each):
    used.get(pages.address(*each))
    assert element(used, "h1").is_displayed()
    used.execute_script(PRESSED)
    assert used.get_log("browser") == []


def test_everything_is_there_without_script(used, pages, each):
    scripts(used, False)
    used.get(pages.address(*each))
    assert used.execute_script(HIDDEN, CONTROLLING) == []
    assert used.execute_script(CONTROLS) == []
