"""The documents of a quality page can be filtered and sorted, and lead to their drawings."""

import pytest

from helpers.browsing import ENTER, element, elements

pytestmark = pytest.mark.integration
ROWS = "#layer-1-rows > tr"


@pytest.fixture
def page(browser, pages):
    browser.get(pages.address("quality", "plain"))
    return browser


def shown(page):
    return [row for row in elements(page, ROWS) if row.is_displayed()]


def choose(page, selector, value):
    set_value = (
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event(arguments[2]))"
    )
    event = "input" if "input" in selector else "change"
    page.execute_script(set_value, element(page, selector), value, event)


def test_a_type_keeps_the_documents_that_have_it(page):
    types = {}
    for row in elements(page, ROWS):
        name = element(row, "th")
        types[name.text] = set(name.get_attribute("data-label").split())
    every = set().union(*types.values())
    assert len(types) == 5 and len(every) > 1
    for number in every:
        choose(page, ".filters select", number)
        names = {element(row, "th").text for row in shown(page)}
        assert names == {name for name, numbers in types.items() if number in numbers}
        assert f"{len(names)} of 5" in element(page, "[data-shown]").text
    choose(page, ".filters select", "")
    assert len(shown(page)) == 5


def test_a_name_keeps_the_documents_that_have_it(page):
    name = element(elements(page, ROWS)[0], "th").text
    choose(page, ".filters input", name)
    assert [element(row, "th").text for row in shown(page)] == [name]


def test_documents_can_be_sorted_by_every_number_with_the_keyboard(page):
    table = elements(page, "table.sortable")[-1]
    for i, button in enumerate(elements(table, "thead button")[1:], 1):
        button.send_keys(ENTER)
        cells = [elements(row, "td")[i - 1] for row in elements(page, ROWS)]
        values = [float(cell.get_attribute("data-value") or "nan") for cell in cells]
        defined = [value for value in values if value == value]
        down = element(table, f"th:nth-child({i + 1})").get_attribute("aria-sort") == "descending"
        assert defined == sorted(defined, reverse=down)
    assert [row.text.split("\n")[0].split()[0] for row in elements(table, "tfoot tr")] == [
        "macro",
        "micro",
    ]


def test_the_name_of_a_document_leads_to_its_drawing_and_back(page):
    link = element(page, f"{ROWS} th a")
    name = link.text
    link.click()
    article = element(page, ":target")
    assert element(article, "[data-name]").text == name and article.is_displayed()
    for words in ("Index", "All scores"):
        page.find_element("link text", words).click()
    assert element(page, "h1").text.startswith("Quality of")
