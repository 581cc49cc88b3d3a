"""Differences as text and as a page, letter by letter, and what holds for all."""

import re
from dataclasses import replace

import pytest
from markupsafe import Markup

from helpers.cases import each_case
from helpers.differing import EQUAL, FEW, MANY, compare, corpora
from helpers.htmlpages import Page
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.analysis.diff import diff, selected, summary
from spacy_chance_eval.corpora.pairs import side_by_side
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports import diff_pages
from spacy_chance_eval.reports.diff import LABELS, ROWS, diff_text, shorten, terminal_width
from spacy_chance_eval.reports.diff_pages import documents_page
from spacy_chance_eval.reports.tables import WIDTH

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
MANY_LABELS = [(0, 1, f"L{i:02}") for i in range(LABELS + 5)]
FEATURES = [{"spans": {MANY[0][1]: {"kind": "dog", "n": [1], "age": 3}}}]
PLACES = "Avonlea and Carmody Charlottetown Harbour".split()
IN_PLACES = [(0, 3, "PLACE"), (3, 5, "PLACE")], [(0, 2, "PLACE"), (3, 5, "HARBOUR")]


def text(found, top=10, **settings):
    return diff_text(summary(found), list(found.documents(found.order[:top])), **settings)


def page(found, overview=True, drawn=NOT_DRAWN, **values):
    """The HTML of the page of a diff."""
    values = {
        "title": "A title",
        "back": None,
        "notes": [],
        "pages": [],
        "around": (None, None),
        "positions": found.compared.positions,
        "names": found.compared.names,
        "addresses": {found.names[place]: f"#document-{place + 1}" for place in found.order},
        **values,
    }
    about = summary(found)
    shown = [
        document | drawn | selected(found, document["place"]) for document in found.documents()
    ]
    return documents_page(about if overview else None, shown, selection=about, **values)


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
    compare_with_snapshot(f"diff-{name}.txt", text(DIFFS[name]()))
    compare_with_snapshot(f"diff-{name}.html", page(DIFFS[name]()))


@pytest.mark.parametrize("top", [0, 1])
def test_documents_that_are_not_shown_are_counted(top):
    compare_with_snapshot(f"diff-top-{top}.txt", text(compare(FEW, MANY, EQUAL), top=top))


def test_pairs_fit_a_narrow_terminal_with_relation_and_error_in_one_column(monkeypatch):
    compare_with_snapshot("diff-places.txt", text(both(PLACES, *IN_PLACES)))
    monkeypatch.setenv("COLUMNS", "66")
    narrow = text(both(PLACES, *IN_PLACES))
    compare_with_snapshot("diff-places-narrow.txt", narrow)
    rows = re.findall(r"^  .* \d-\d .*", narrow.rpartition("strict F")[2], re.MULTILINE)
    assert len(rows) == 2 and max(map(len, rows)) <= 66


def test_lines_fit_the_width_whatever_the_texts():
    own = [line for line in text(DIFFS["long-words"]()).splitlines() if "supercali" in line]
    assert own and max(map(terminal_width, own)) <= WIDTH


@each_case("name", DIFFS)
def test_nothing_from_the_data_steers_the_terminal_and_colour_changes_no_words(name):
    plain, coloured = (text(DIFFS[name](), colour=colour) for colour in (False, True))
    assert all(sign.isprintable() or sign == "\n" for sign in plain)
    assert "\x1b[31m" not in coloured and "\u202e" not in coloured and "\r" not in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert "\x1b" in coloured or name in ("equal", "no-spans")


def test_long_texts_lose_their_middle():
    assert shorten("abcdefghij", 10) == "abcdefghij"
    assert shorten("abcdefghijk", 10) == "abcd..hijk"
    assert shorten("abcdefghijk", 9) == "abc..hijk"


def test_wide_signs_take_two_columns():
    assert (terminal_width("abc"), terminal_width("日本"), terminal_width("e\u0301")) == (3, 4, 1)


# pages

PASSAGE = {"start": 0, "end": 8, "sides": [*map(Markup, ("<i>1</i>", "<i>2</i>"))], "wrong": True}
PAGES = {
    "documents-alone": {"overview": False},
    "examples-of-other-pages": {"addresses": {}},
    "names": {"names": ("alice", "predicted")},
    "drawn": {"drawn": NOT_DRAWN | {"passages": [PASSAGE], "n_equal": 2}},
}


@each_case("name", PAGES)
def test_a_page_is_as_it_was(name):
    compare_with_snapshot(f"diff-{name}.html", page(compare(FEW, MANY), **PAGES[name]))


@pytest.mark.parametrize("name, limit", [("WIDEST", 3), ("ROWS", 2)])
def test_what_a_page_has_no_room_for_is_a_list_or_counted(name, limit, monkeypatch):
    monkeypatch.setattr(diff_pages, name, limit)
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
            back=("index.html", name),
            drawn=NOT_DRAWN | {"note": name, "text": name, "labels": [[name], []]},
        )
    )
    tags = [tag for tag, _ in read.tags]
    assert tags.count("script") == 1 and "img" not in tags
    assert not [key for _, one in read.tags for key in one if key.startswith("on")]
    assert {one["href"] for _, one in read.tags if "href" in one} <= {
        *("data:,", "index.html", "#document-1"),
        *("#content", "#scores", "#confusion", "#errors", "#documents"),
    }
    said = name.replace("\n", "\\n") or "(empty)"
    assert any(said in text for text in read.texts)
