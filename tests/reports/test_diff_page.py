"""What the page of a diff says, and what its filters find in it."""

import re
from html.parser import HTMLParser

from markupsafe import Markup

from helpers.cases import each_case
from helpers.differing import EQUAL, FEW, MANY, compare
from spacy_chance_eval.analysis.diff import selected, summary
from spacy_chance_eval.reports import diff_pages
from spacy_chance_eval.reports.diff_pages import documents_page

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


class Page(HTMLParser):
    """Tags and texts of a page; text of rows, and of elements with an id."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.rows, self.ids, self.in_cell = [], [], [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag):
        self.in_cell &= tag not in ("td", "th")

    def handle_data(self, data):
        self.texts.append(data)
        if self.in_cell and data.strip():
            self.rows[-1][-1] = f"{self.rows[-1][-1]} {' '.join(data.split())}".strip()

    def all(self, name):
        """Attributes of all elements that have one of this name."""
        return [attributes for _, attributes in self.tags if name in attributes]


def text_of(*documents, fields=None, overview=True, drawn=NOT_DRAWN, settings=None, **values):
    """The HTML of the page of a diff."""
    found = compare(*documents, fields=fields, **settings or {})
    values = {
        "title": "A title",
        "back": None,
        "notes": [],
        "pages": [],
        "around": (None, None),
        "positions": found.compared.positions,
        "names": found.compared.names,
        "sort": found.sort,
        "addresses": {
            name: f"#document-{place + 1}"
            for place, name in enumerate(found.names)
            if place in found.order
        },
        **values,
    }
    about = summary(found)
    shown = [
        document | drawn | selected(found, document["place"]) for document in found.documents()
    ]
    return documents_page(about if overview else None, shown, selection=about, **values)


def page_of(*documents, **values):
    return Page(text_of(*documents, **values))


def rows_of(page, relation):
    """Rows of documents with a relation."""
    return [
        row for row in page.rows if row and re.match(rf"{relation}\b", row[0]) and len(row) == 3
    ]


def test_pairs_have_relation_error_text_and_offsets_of_both_sides():
    page = page_of(MANY)
    assert rows_of(page, "partial") == [
        ["partial too long", "PER Rex Roe tokens 2 to 4", "PER Rex Roe in tokens 2 to 5"]
    ]
    assert rows_of(page, "label differs") == [
        ["label differs other label", "LOC Oslo tokens 5 to 6", "ORG Oslo tokens 5 to 6"]
    ]
    assert rows_of(page, "missing") == [["missing", "DATE Monday tokens 7 to 8", "none"]]
    assert rows_of(page, "spurious") == [["spurious", "none", "DATE on tokens 6 to 7"]]


def test_features_are_told_and_sides_are_called_by_their_names():
    features = {"spans": {MANY[0][1]: {"kind": "dog", "n": [1]}}}
    page = page_of(MANY, fields={"features": [features]}, names=("alice", "predicted"))
    (row,) = rows_of(page, "partial")
    assert row[1] == "PER Rex Roe tokens 2 to 4; kind: dog; n: [1]"
    assert ["Relation", "alice", "predicted"] in page.rows


def test_spans_that_fit_no_tokens_are_told_with_their_length():
    page = page_of(FEW, fields={"unplaced": [{"spans": [(3, "ORG")]}]})
    assert ["spurious fits no tokens", "none", "ORG 3 tokens"] in page.rows


def test_documents_come_worst_first_with_their_counts():
    page = page_of(EQUAL, FEW, MANY)
    found = [one["id"] for tag, one in page.tags if tag == "article"]
    assert found == ["document-3", "document-2"]
    text = " ".join("".join(page.texts).split())
    assert "1 correct, 1 partial, 1 missing, strict F 0.4000" in text


def test_documents_without_differences_are_shown_only_when_asked():
    assert "document-1" not in page_of(EQUAL, FEW).ids
    assert "document-1" in page_of(EQUAL, FEW, settings={"equal": True}).ids


def test_no_difference_at_all_is_a_page_too():
    page = page_of(EQUAL)
    assert any("no document to show" in text for text in page.texts)
    assert not page.all("data-filter")


def test_the_overview_has_scores_confusion_and_errors():
    page = page_of(FEW, MANY)
    head = page.rows.index(["", "DATE", "LOC", "ORG", "PER", "none"])
    assert page.rows[head + 2] == ["LOC", "0", "0", "1", "0", "1"]
    assert page.rows[head + 5] == ["none", "1", "0", "0", "0", ""]
    assert any(row[0] == "All" and row[1] == "0.3077" for row in page.rows if row)
    assert any(row[:3] == ["too long", "partial", "1"] for row in page.rows)


def test_examples_lead_to_their_documents_where_these_are_on_a_page():
    page = page_of(FEW, MANY)
    links = {one["href"] for one in page.all("href")}
    assert {"#document-1", "#document-2"} <= links and links <= {"data:,"} | {
        f"#{name}" for name in page.ids
    }
    assert not [
        one
        for one in page_of(FEW, MANY, addresses={}).all("href")
        if one["href"].startswith("#document-")
    ]


def test_a_page_of_documents_only_has_no_overview():
    page = page_of(FEW, overview=False)
    assert "scores" not in page.ids and "document-1" in page.ids


def test_labels_by_the_hundred_are_confused_in_a_list(monkeypatch):
    monkeypatch.setattr(diff_pages, "WIDEST", 3)
    page = page_of(FEW, MANY)
    head = page.rows.index(["gold", "predicted", "Pairs"])
    rows = page.rows[head + 1 : head + 7]
    assert rows[0] == ["PER", "PER", "4"] and ["none", "DATE", "1"] in rows


def test_rows_carry_what_the_filters_ask_for():
    page = page_of(MANY)
    options = [one["value"] for tag, one in page.tags if tag == "option"]
    assert options[:5] == ["", "0", "1", "2", "3"]
    rows = {one["data-relation"]: one["data-label"].split() for one in page.all("data-row")}
    assert rows == {"0": ["3", "3"], "1": ["3", "3"], "2": ["1", "2"], "3": ["0"], "4": ["0"]}
    (controls,) = page.all("data-filter")
    assert "hidden" in controls and controls["data-filter"] in page.ids
    assert [one["role"] for one in page.all("data-shown")] == ["status"]


def test_documents_carry_what_they_are_sorted_by():
    page = page_of(FEW, MANY, settings={"sort": "document"})
    found = [(one["data-errors"], one["data-document"]) for one in page.all("data-item")]
    assert found == [("2", "0"), ("4", "1")]
    assert [one["value"] for tag, one in page.tags if tag == "option"][-3:] == [
        "document",
        "errors",
        "f",
    ]


@each_case("name", HOSTILE)
def test_whatever_comes_from_data_stays_text(name):
    gold, pred = [(0, 1, name), (2, 4, "PER")], [(0, 1, "PER")]
    page = page_of(
        (gold, pred),
        title=name or "x",
        names=(name, name),
        notes=[name],
        back=("index.html", name),
        drawn=NOT_DRAWN | {"note": name, "text": name, "labels": [[name], []]},
        fields={"features": [{"spans": {gold[0]: {name: name}}}], "attributes": [{"a": name}]},
    )
    tags = [tag for tag, _ in page.tags]
    assert tags.count("script") == 1 and "img" not in tags
    names = {key for _, attributes in page.tags for key in attributes}
    assert not [key for key in names if key.startswith("on")]
    assert {one["href"] for one in page.all("href")} <= {
        *("data:,", "index.html", "#document-1"),
        *("#content", "#scores", "#confusion", "#errors", "#documents"),
    }
    said = name.replace("\n", "\\n") or "(empty)"
    assert any(said in text for text in page.texts)


def test_markup_of_passages_is_left_as_it_is_and_sides_are_in_order():
    sides = list(map(Markup, ("<i>one</i>", "<i>two</i>")))
    passage = {"start": 0, "end": 8, "sides": sides, "wrong": True}
    text = text_of(FEW, drawn=NOT_DRAWN | {"passages": [passage], "n_equal": 2})
    assert text.index(">gold<") < text.index("<i>one</i>") < text.index("<i>two</i>")
    assert "Not drawn: 2 passages without differences." in " ".join(text.split())


def test_rows_beyond_a_thousand_are_counted(monkeypatch):
    monkeypatch.setattr(diff_pages, "ROWS", 2)
    page = page_of(MANY)
    assert len(page.all("data-row")) == 2
    assert any("Only in the JSON: 3 more pairs." in text for text in page.texts)


def test_the_filter_of_the_diff_is_told():
    page = page_of(FEW, MANY, settings={"labels": ["PER"], "relations": ["partial"]})
    text = " ".join("".join(page.texts).split())
    assert "labels PER; relations partial" in text


def test_ids_are_unique_and_headings_in_order():
    page = page_of(FEW, MANY)
    assert len(page.ids) == len(set(page.ids))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:]))
