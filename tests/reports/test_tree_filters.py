"""Sentences with their trees in a real browser: filters, orders."""

import pytest

from helpers.browsing import (
    PHONE,
    RIGHT,
    choose,
    element,
    elements,
    medium,
    press,
    scripts,
    window,
)
from spacy_chance_eval import Resampling, Trees, agree
from spacy_chance_eval.reports.tree_pages import write_tree_agreement

pytestmark = pytest.mark.integration

PAIR = "pair-001-002.html"
NAMES = ["s0", "s1", "s2"]
HEADS = [[2, 0, 4, 2], [2, 0], [0, 1, 2]]
LABELS = [["SUBJ", "PRED", "DET", "OBJ"], ["SUBJ", "PRED"], ["PRED", "OBJ", "OBJ"]]
OTHERS = [[2, 0, 2, 2], [2, 0], [0, 1, 1]]
RENAMED = [["NSUBJ", "PRED", "DET", "OBJ"], ["NSUBJ", "PRED"], ["PRED", "OBJ", "X"]]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """A page of three sentences with heads and relations that differ, and one of brackets."""
    folder = tmp_path_factory.mktemp("trees")
    ann = Trees.from_heads(HEADS, LABELS, names=NAMES)
    bob = Trees.from_heads(OTHERS, RENAMED, names=NAMES)
    rows = [[-1, 0, 1, 0], [-1, 0, 0]], [[-1, 0, 0, 0], [-1, 0, 0]]
    names = [["S", "NP", "N", "V"], ["S", "N", "V"]], [["S", "N", "N", "V"], ["S", "N", "X"]]
    lists = [Trees.from_nodes("constituency", *pair, names=NAMES[:2]) for pair in zip(rows, names)]
    for name, (one, two) in {"arcs": (ann, bob), "lists": lists}.items():
        found = agree({"ann": one, "bob": two}, intervals=Resampling(0))
        write_tree_agreement(found, folder / name)
    return folder


@pytest.fixture
def page(browser, paths):
    browser.get((paths / "arcs" / PAIR).as_uri())
    return browser


def shown(page):
    """Names of the sentences that can be seen, in order, and how many rows."""
    names = [one.text for one in elements(page, "article h3") if one.is_displayed()]
    return names, sum(row.is_displayed() for row in elements(page, "[data-row]"))


def test_everything_is_shown_at_first_and_counted(page):
    assert shown(page) == (["s0", "s2", "s1"], 4)
    assert element(page, "[role=status]").text.endswith(": 3 of 3")


@pytest.mark.parametrize(
    "difference, expected",
    [("head", (["s0"], 1)), ("relation", (["s0", "s1"], 2)), ("head and relation", (["s2"], 1))],
)
def test_a_difference_keeps_sentences_and_rows_that_have_it(page, difference, expected):
    choose(page, "difference", difference)
    assert shown(page) == expected


def test_a_relation_of_either_side_counts(page):
    choose(page, "label", "NSUBJ")
    assert shown(page) == (["s0", "s1"], 2)
    choose(page, "label", "X")
    assert shown(page) == (["s2"], 1)


def test_one_row_must_have_both(page):
    choose(page, "label", "SUBJ")
    choose(page, "difference", "head")
    assert shown(page) == ([], 0)


def test_sentences_are_put_in_order(page):
    for words, names in (
        ("in the order of the files", ["s0", "s1", "s2"]),
        ("lowest LAS first", ["s0", "s1", "s2"]),
        ("largest distance first", ["s0", "s2", "s1"]),
    ):
        choose(page, None, words)
        assert shown(page)[0] == names


def test_brackets_are_filtered_by_label_and_by_who_has_them(browser, paths):
    browser.get((paths / "lists" / PAIR).as_uri())
    assert shown(browser) == (["s0", "s1"], 8)
    choose(browser, "difference", "bob")
    assert shown(browser)[1] == 4
    choose(browser, "label", "X")
    assert shown(browser) == (["s1"], 1)


def test_every_control_and_every_drawing_is_reached_by_the_tab_key_and_has_a_name(page):
    controls = elements(page, ".filters select, .filters input")
    page.execute_script("arguments[0].focus()", controls[0])
    for control in controls:
        assert page.switch_to.active_element == control and control.accessible_name
        press(page, "\ue004")
    drawing = page.switch_to.active_element
    assert drawing.get_attribute("class") == "tree"
    assert drawing.accessible_name == "Trees of ann and bob: s0"


@pytest.fixture
def long(paths):
    """The address of a page of a long sentence, in which some tokens far apart differ."""
    heads, same = [list(range(40))], ["a-long-relation"] * 40
    other = [["b" if place in (0, 20, 39) else label for place, label in enumerate(same)]]
    ann, bob = Trees.from_heads(heads, [same]), Trees.from_heads(heads, other)
    found = agree({"ann": ann, "bob": bob}, intervals=Resampling(0))
    write_tree_agreement(found, paths / "long")
    return (paths / "long" / PAIR).as_uri()


def test_a_long_sentence_scrolls_inside_its_box(browser, long):
    window(browser, PHONE)
    browser.get(long)
    sizes = "return [arguments[0].scrollWidth, arguments[0].clientWidth]"
    needed, there = browser.execute_script(sizes, element(browser, ".tree"))
    assert there < PHONE < needed
    assert browser.execute_script("return document.scrollingElement.scrollWidth") <= PHONE


MIDDLES = """
return Array.from(arguments[0].querySelectorAll('svg'), (svg) =>
  Array.from(svg.querySelectorAll('.word'), (word) => {
    const box = word.getBoundingClientRect();
    return Math.round(box.left + box.width / 2);
  }));
"""


@pytest.mark.parametrize("run", [True, False], ids=["script", "no script"])
def test_both_trees_scroll_together_so_that_words_stand_above_themselves(browser, long, run):
    scripts(browser, run)
    window(browser, PHONE)
    browser.get(long)
    frame = element(browser, ".tree")
    before = browser.execute_script(MIDDLES, frame)
    frame.send_keys(*[RIGHT] * 5)
    wait = pytest.importorskip("selenium.webdriver.support.wait").WebDriverWait
    wait(browser, 10).until(lambda _: browser.execute_script(MIDDLES, frame) != before)
    first, second = browser.execute_script(MIDDLES, frame)
    assert len(first) == 40 and all(abs(a - b) <= 1 for a, b in zip(first, second))


def test_names_stay_in_view_while_trees_scroll(browser, long):
    window(browser, PHONE)
    browser.get(long)
    browser.execute_script("arguments[0].scrollLeft = 900", element(browser, ".tree"))
    assert all(0 <= name.rect["x"] < PHONE / 2 for name in elements(browser, ".tree .side bdi"))


OUTSIDE = """
const found = [];
for (const svg of document.querySelectorAll('.tree svg')) {
  const frame = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll('text')) {
    const box = text.getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
        || box.bottom > frame.bottom + 1) found.push(text.textContent);
  }
}
return found;
"""
# pairs of words, or of labels of one height, that cover each other
OVERLAPS = """
const found = [];
for (const svg of document.querySelectorAll('.tree svg')) {
  for (const kind of ['.word', '.arc text']) {
    const boxes = Array.from(svg.querySelectorAll(kind), (one) => [one.getBBox(), one.textContent]);
    boxes.forEach(([a, one], i) => boxes.slice(i + 1).forEach(([b, two]) => {
      const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
      if (across > 1 && Math.abs(a.y - b.y) < 1 && !(kind === '.word' && !a.width)) {
        found.push([kind, one, two, across]);
      }
    }));
  }
}
return found;
"""


@pytest.mark.parametrize("kind", ["plain", "hostile"])
def test_words_and_labels_are_drawn_inside_and_words_beside_each_other(browser, pages, kind):
    browser.get(pages.address("tree-pair", kind))
    browser.execute_script(
        "document.querySelectorAll('article').forEach((a) => a.style.contentVisibility = 'visible')"
    )
    assert elements(browser, ".tree svg") and browser.execute_script(OUTSIDE) == []
    assert [one for one in browser.execute_script(OVERLAPS) if one[0] == ".word"] == []


def test_what_differs_is_marked_without_colour_too(page):
    style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    assert page.execute_script(style, ".arc.differs path", "strokeDasharray") != "none"
    assert page.execute_script(style, ".arc:not(.differs) path", "strokeDasharray") == "none"
    decoration = page.execute_script(style, ".word.differs tspan", "textDecorationLine")
    assert decoration == "underline"


def test_paper_has_the_whole_drawing(page):
    medium(page, "print")
    widths = "return Array.from(document.querySelectorAll('.tree svg'), (s) => [s, s.parentNode])"
    for svg, box in page.execute_script(widths):
        assert svg.rect["width"] <= box.rect["width"]
