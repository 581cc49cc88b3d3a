"""Differences as text and as a page, letter by letter, and what holds for all."""

import re
from dataclasses import replace

import pytest
from markupsafe import Markup

from helpers.cases import each_case
from helpers.differing import EQUAL, FEW, MANY, compare, corpora
from helpers.htmlpages import Page
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.analysis.diff import diff, summary
from spacy_chance_eval.corpora.pairs import side_by_side
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports import diff as diff_module
from spacy_chance_eval.reports import diff_pages
from spacy_chance_eval.reports.diff import ROWS, SHOWN, diff_report
from spacy_chance_eval.reports.diff_pages import documents_section
from spacy_chance_eval.reports.report import report_page, report_screen, report_text
from spacy_chance_eval.reports.tables import shorten

NASTY = "\x1b[31mred\x1b[0m\r\n\u202eevil"
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "../../x",
    "javascript:alert(1)",
    "{{ 7*7 }}",
    "\N{GRINNING FACE} \u05e9\u05dc\u05d5\u05dd",
    "two\nlines",
    "",
]
NOT_DRAWN = {"passages": [], "n_equal": 0, "n_more": 0, "text": None, "labels": None, "note": None}
MANY_LABELS = [(0, 1, f"L{i:02}") for i in range(SHOWN + 17)]
FEATURES = [{"spans": {MANY[0][1]: {"kind": "dog", "n": [1], "age": 3}}}]
PLACES = "Avonlea and Carmody Charlottetown Harbour".split()
IN_PLACES = [(0, 3, "PLACE"), (3, 5, "PLACE")], [(0, 2, "PLACE"), (3, 5, "HARBOUR")]


def report(found, top=10):
    return diff_report(summary(found), list(found.documents(found.order[:top])))


def page(found, drawn=NOT_DRAWN, names=None, notes=(), title="A title", addresses=None, links=()):
    """The HTML of the page of a diff, whose documents have no drawings of their own."""
    about = summary(found)
    if addresses is None:
        addresses = {found.names[place]: f"#document-{place + 1}" for place in found.order}
    shown = [document | drawn for document in found.documents()]
    names, positions = names or found.compared.names, found.compared.positions
    documents = documents_section(
        shown, selection=about, names=names, positions=positions, notes=notes
    )
    made = diff_report({**about, "names": names}, title=title, addresses=addresses)
    return report_page(replace(made, sections=[*made.sections, documents], links=links))


def both(words, gold, pred):
    """A document of two files."""
    sides = [
        Corpus(name, [Document(words, {"x": one})]) for name, one in (("g", gold), ("p", pred))
    ]
    return diff(side_by_side(*sides))


def unplaced():
    gold, pred = corpora(EQUAL)
    lost = replace(pred.documents[0], unplaced={"spans": [(2, "LOC"), (3, "ORG")]})
    return diff(side_by_side(gold, replace(pred, documents=[lost])))


def long():
    """A document of more words, and more differences, than are shown."""
    same = [(i, i + 1, "X") for i in range(ROWS + 5)]
    return both([f"w{i}" for i in range(ROWS + 10)], same, same[2:])


def hostile():
    sides = [
        Corpus(
            f"{name}{NASTY}",
            [Document([NASTY, "end"], {NASTY: [(0, end, NASTY)]}, NASTY, features={NASTY: {}})],
        )
        for name, end in (("g", 1), ("p", 2))
    ]
    return diff(side_by_side(*sides), labels=[NASTY])


DIFFS = {
    "equal": lambda: compare(EQUAL),
    "three": lambda: compare(EQUAL, FEW, MANY),
    "filtered": lambda: compare(FEW, MANY, labels=["LOC"], relations=["missing", "spurious"]),
    "one-label": lambda: compare(FEW, MANY, labels=["PER"], relations=["partial"]),
    "with-equal-ones": lambda: compare(FEW, EQUAL, equal=True),
    "many-labels": lambda: compare((MANY_LABELS, MANY_LABELS[3:])),
    "label-none": lambda: compare(([(0, 1, "none")], [(0, 1, "none"), (2, 3, "none")])),
    "features": lambda: compare(MANY, fields={"features": FEATURES}),
    "unplaced": unplaced,
    "no-spans": lambda: compare(([], []), equal=True),
    "long": long,
    "long-words": lambda: both(["supercalifragilistic" * 3] * 8, *MANY),
    "hostile": hostile,
}


@each_case("name", DIFFS)
def test_a_diff_is_as_it_was(name):
    text = report_text(report(DIFFS[name]()))
    compare_with_snapshot(f"diff-{name}.txt", text)
    compare_with_snapshot(f"diff-{name}.html", page(DIFFS[name]()))
    assert all(sign.isprintable() or sign == "\n" for sign in text)


@each_case("name", DIFFS)
def test_a_screen_has_thirty_lines_that_fit_it(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = report_screen(report(DIFFS[name]())).splitlines()
    assert len(lines) <= 30 or name in ("long", "hostile")
    assert not [line for line in lines if len(line) > 80 and "|" not in line]


def test_long_texts_lose_their_middle():
    assert shorten("abcdefghij", 10) == "abcdefghij"
    assert shorten("abcdefghijk", 10) == "abcd..hijk"
    assert shorten("abcdefghijk", 9) == "abc..hijk"


# pages

PASSAGE = {"start": 0, "end": 8, "sides": [*map(Markup, ("<i>1</i>", "<i>2</i>"))], "wrong": True}
PAGES = {
    "examples-of-other-pages": {"addresses": {}},
    "names": {"names": ("alice", "predicted")},
    "drawn": {"drawn": NOT_DRAWN | {"passages": [PASSAGE], "n_equal": 2}},
}


@each_case("name", PAGES)
def test_a_page_is_as_it_was(name):
    compare_with_snapshot(f"diff-{name}.html", page(compare(FEW, MANY), **PAGES[name]))


@pytest.mark.parametrize("name, limit", [("WIDEST", 3), ("ROWS", 2)])
def test_what_a_page_has_no_room_for_is_a_list_or_counted(name, limit, monkeypatch):
    for module in (diff_pages, diff_module):
        monkeypatch.setattr(module, name, limit, raising=False)
    compare_with_snapshot(f"diff-{name.lower()}.html", page(compare(FEW, MANY)))


@each_case("name", DIFFS)
def test_ids_are_unique_and_links_lead_to_them_and_headings_in_order(name):
    read = Page(page(DIFFS[name]()))
    ids = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    links = {attributes["href"] for attributes in read.all("a")}
    assert len(ids) == len(set(ids)) and links <= {f"#{one}" for one in ids}
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))


@each_case("name", HOSTILE)
def test_whatever_comes_from_data_stays_text(name):
    gold, pred = [(0, 1, name), (2, 4, "PER")], [(0, 1, "PER")]
    fields = {"features": [{"spans": {gold[0]: {name: name}}}], "attributes": [{"a": name}]}
    read = Page(
        page(
            compare((gold, pred), fields=fields),
            title=name or "x",
            names=(name, name),
            notes=[name],
            links=[("index.html", name)],
            drawn=NOT_DRAWN | {"note": name, "text": name, "labels": [[name], []]},
        )
    )
    tags = [tag for tag, _ in read.tags]
    assert tags.count("script") == 1 and "img" not in tags
    assert not [key for _, one in read.tags for key in one if key.startswith("on")]
    assert {one["href"] for _, one in read.tags if "href" in one} <= {
        *("data:,", "index.html", "#document-1"),
        *("#content", "#part-1", "#part-2", "#part-3", "#documents"),
    }
    said = name.replace("\n", "\\n") or "(empty)"
    assert any(said in text for text in read.texts)
