"""axe-core (https://github.com/dequelabs/axe-core) finds nothing serious on any page."""

import pytest

from helpers.browsing import DESKTOP, PHONE, axe_core, faults, medium, window
from helpers.pages import PAGES

pytestmark = pytest.mark.integration

# details are open, columns sorted, the last tab of each group shown, the last options chosen
USED = """
document.querySelectorAll("details").forEach((one) => { one.open = true; });
document.querySelectorAll("th button, [role=tab]:last-child").forEach((one) => one.click());
document.querySelectorAll("select").forEach((one) => {
  one.selectedIndex = one.options.length - 1;
  one.dispatchEvent(new Event("change"));
});
"""
# rules whose answer depends on colours: the others find in the dark what they find in the light
COLOURS = ("color-contrast", "link-in-text-block")


@pytest.fixture(scope="module")
def axe():
    return axe_core()


@pytest.fixture(params=PAGES)
def page(request, browser, pages):
    """A page just loaded."""
    browser.get(pages.address(request.param, "plain"))
    return browser


def test_a_page_is_accessible_in_the_light_and_the_dark_on_screens_of_any_size(page, axe):
    found = {}
    for scheme, width in (("light", DESKTOP), ("light", PHONE), ("dark", DESKTOP)):
        medium(page, scheme=scheme)
        window(page, width)
        found[scheme, width] = faults(page, axe, *COLOURS if scheme == "dark" else ())
    assert not any(found.values()), found


def test_a_page_stays_accessible_when_it_is_used(page, axe):
    page.execute_script(USED)
    assert faults(page, axe) == []


def test_axe_finds_what_is_wrong(browser, axe):
    browser.get("data:text/html,<html lang=en><title>t</title><main><h1>t</h1><button></button>")
    assert [fault[1] for fault in faults(browser, axe)] == ["button-name"]
