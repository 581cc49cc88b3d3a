"""What a phone shows before anything is moved."""

import re

import pytest

from helpers.browsing import PHONE, element, elements, window
from helpers.pages import KINDS

pytestmark = pytest.mark.integration
HEIGHT = 812
SCORED = ("agreement", "diff", "diff-index", "explain", "explain-corpus", "quality")
SCORED += ("bracket-index", "bracket-pair", "tree-index", "tree-pair", "tree-score")
# where the first score of a table that can be seen ends
FIRST_SCORE = r"""
const cell = Array.from(document.querySelectorAll("main td")).find(
  (one) => one.checkVisibility() && /\.\d{3}/.test(one.innerText));
const box = cell.getBoundingClientRect();
return [box.right, box.bottom];
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SCORED)
def test_the_first_screen_of_a_phone_has_the_verdict_and_a_score(browser, pages, name, kind):
    window(browser, PHONE, HEIGHT)
    browser.get(pages.address(name, kind))
    assert re.search(r"\.\d\d|undefined", element(browser, ".verdict").text)
    right, bottom = browser.execute_script(FIRST_SCORE)
    assert right <= PHONE
    if kind == "plain":  # hostile names are longer than the screen
        assert bottom <= HEIGHT


@pytest.mark.parametrize("name", SCORED)
def test_metadata_is_folded_away_below_the_scores(browser, pages, name):
    browser.get(pages.address(name, "plain"))
    about = element(browser, "details.about")
    assert about.get_attribute("open") is None
    assert elements(browser, "main table")[0].rect["y"] < about.rect["y"]
    assert all(about.rect["y"] < one.rect["y"] for one in elements(browser, "footer"))
    assert [one for one in elements(browser, ".facts") if one.is_displayed()] == []
