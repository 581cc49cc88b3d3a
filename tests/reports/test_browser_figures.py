"""Figures in a browser: pointer and keyboard show values, without a script, in pages and files."""

import pytest

from helpers import boards
from helpers.browsing import TAB, element, elements, medium, press, scripts
from spacy_chance_eval.reports.board_figures import interval_figure
from spacy_chance_eval.reports.figures import svg_file
from spacy_chance_eval.reports.html import leaderboard_page

pytestmark = pytest.mark.integration

ONE = "svg .mark"
SHOWN = (
    "return Array.from(document.querySelectorAll('.tip')).filter(t => t.getClientRects().length)"
)
TEXT = SHOWN + ".map(t => Array.from(t.querySelectorAll('text'), one => one.textContent))"
FOCUS = "document.querySelector(arguments[0]).focus()"


@pytest.fixture(params=["page", "file"])
def shown(request, browser, tmp_path):
    """A page or a file with figures, in a browser without scripts of theirs."""
    board = boards.board(names=["first", "second", "third"])
    if request.param == "page":
        path = tmp_path / "board.html"
        result = boards.result(names=["first", "second", "third"], metrics=["span_f"], labels=[])
        path.write_text(leaderboard_page(result), "utf-8")
    else:
        path = tmp_path / "board.svg"
        path.write_text(svg_file(interval_figure(board)), "utf-8")
    scripts(browser, False)
    browser.get(path.as_uri())
    return browser


def test_nothing_is_shown_before_it_is_asked_for(shown):
    assert elements(shown, ONE) and shown.execute_script(TEXT) == []


def test_focus_shows_the_values_of_one_system(shown):
    shown.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    label = element(shown, ONE).get_attribute("aria-label")
    shown.execute_script(FOCUS, ONE)
    ((name, *values),) = shown.execute_script(TEXT)
    assert ", ".join([name, *values]) == label
    assert values[0].startswith("observed 0.") and " [0." in values[0]


def test_the_keyboard_goes_from_system_to_system(shown):
    shown.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    shown.execute_script(FOCUS, ONE)
    names = []
    for _ in range(3):
        names.append(shown.execute_script(TEXT)[0][0])
        press(shown, TAB)
    labels = [one.get_attribute("aria-label") for one in elements(shown, ONE)[:3]]
    assert names == [label.split(",")[0] for label in labels] and len(set(names)) == 3


def test_the_pointer_shows_the_values_too(shown):
    from selenium.webdriver import ActionChains

    one = element(shown, f"{ONE} .hit")
    shown.execute_script("arguments[0].scrollIntoView({block: 'center'})", one)
    ActionChains(shown).move_to_element(one).perform()
    assert [lines[0] for lines in shown.execute_script(TEXT)] == [
        element(shown, ONE).get_attribute("aria-label").split(",")[0]
    ]
    medium(shown, "print")
    assert shown.execute_script(TEXT) == []
