"""The index of an agreement, and the scores of a pair."""

import json
import re
from fractions import Fraction

import pytest

from helpers.agreements import document, metric, result, score
from helpers.cases import each_case
from helpers.reading import Reader, texts
from spacy_chance_eval.measures.panel import Panel
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.reports import agreement_pages
from spacy_chance_eval.reports.agreement_pages import agreement_index, pair_tables
from spacy_chance_eval.reports.words import number
from spacy_chance_eval.scoring.agreement import agreement
from spacy_chance_eval.scoring.intervals import Resampling

BLUE, ORANGE = (8, 69, 148), (217, 95, 2)
COUNTS = dict.fromkeys(("correct", "partial", "label differs", "missing", "spurious"), 2)
ALLOWED = "html head meta link title style body a header h1 h2 h3 h4 nav ul li main dl dt dd p pre"
ALLOWED += " details summary code section div table caption span thead tbody tr th td small footer"


def row(first, second, page="pair-001-002.html", **fields):
    """What the index is told of a pair."""
    about = {"first": first, "second": second, "n_docs": 3, "n_differing": 1, "counts": COUNTS}
    return about | {"page": page, "reason": None if page else "no document that both saw"} | fields


def index(*metrics, pairs=None, shown=None, **fields):
    """The index of a result, read."""
    found = result(*metrics, **fields)
    pairs = [row("ann", "bob")] if pairs is None else pairs
    reader = Reader(agreement_index(found, pairs, shown))
    assert not reader.open, "every tag is closed"
    return reader


def matrices(reader):
    """The tables of pairs."""
    return [table for table, attrs in zip(reader.tables, reader.all("table")) if is_matrix(attrs)]


def is_matrix(attrs):
    return attrs.get("class") == "matrix"


def cell_of(value, **fields):
    """The cell of the only pair of a metric."""
    one = metric(pair=lambda first, second: score(value, n_docs=216, reason="why"), **fields)
    return matrices(index(one))[0][1][1]


def test_colours_are_explained_only_where_there_are_any():
    bits, plain = metric("slicm", bits=True), metric()
    assert "Colours repeat the numbers" not in index(bits).text
    assert "Colours repeat the numbers" in index(bits, plain).text


def panel_result(metrics=("span_f", "cohen_kappa", "token_f")):
    """The agreement of four annotators, of whom one saw other documents; through JSON."""
    work = {
        "ann": [[(0, 2, "PER")], [(1, 3, "LOC")], [(0, 1, "ORG")], None],
        "bob": [[(0, 2, "PER")], [(1, 2, "LOC")], [], None],
        "cem": [[(0, 2, "LOC")], [(1, 3, "LOC")], None, None],
        "dee": [None, None, None, [(0, 1, "ORG")]],
    }
    panel = Panel({name: Spans.from_tuples(rows, [9] * 4) for name, rows in work.items()})
    requests = {name: parse(name) for name in metrics}
    return json.loads(json.dumps(agreement(panel, requests, intervals=Resampling(20))))


def test_every_number_of_the_matrices_is_that_of_the_json():
    found = panel_result()
    reader = Reader(agreement_index(found))
    views = [section for section in reader.all("section") if "data-tab" in section]
    assert [view["data-tab"] for view in views if view["id"].count("-") == 1] == [
        "span_f", "cohen_kappa", "token_f",
    ]  # fmt: skip
    expected, seen = [], []
    for one in found["metrics"]:
        for pairs in (one["pairs"], *by_label(one)):
            expected.append([[number(pair["value"]), str(pair["n_docs"])] for pair in pairs])
    for table in matrices(reader):
        seen.append([cell["text"] for line in table[1:] for cell in line[1:] if cell["text"]])
    assert seen == expected
    assert len(expected[0]) == 6


def by_label(found):
    """The rows of pairs by label, of metrics that have scores by label."""
    labels = [one["label"] for one in found["per_label"]]
    rows = [
        [
            {"value": None, "n_docs": pair["n_docs"]} | pair["per_label"].get(label, {})
            for pair in found["pairs"]
        ]
        for label in labels
    ]
    defined = any(one["value"] is not None for pairs in rows for one in pairs)
    return rows if defined else []


def test_a_cell_leads_to_the_page_of_its_pair_and_says_more_in_its_title():
    pair = score(0.25, 0.5, 0.3333, limits=[0.1, 0.4])
    cell = matrices(index(metric(pair=lambda first, second: pair)))[0][1][1]
    link = cell["inside"][0]
    assert link["href"] == "pair-001-002.html"
    assert link["title"].startswith("ann and bob: 0.2500; interval [0.1000, 0.4000]")


def test_both_cells_of_an_asymmetric_metric_lead_to_one_page():
    given = {"ab": score(0.5), "ba": score(0.25)}
    one = metric(names="ab", symmetric=False, pair=lambda f, s: given[f + s])
    found = index(one, names="ab", pairs=[row("a", "b")])
    table = matrices(found)[0]
    assert texts(table)[1:] == [[["a"], [], ["0.5000", "3"]], [["b"], ["0.2500", "3"], []]]
    assert table[1][2]["inside"][0]["href"] == table[2][1]["inside"][0]["href"]
    assert "rows: first, as gold; columns: second" in found.text


def test_a_pair_without_a_page_has_no_link_but_its_reason():
    one = metric(pair=lambda f, s: score(None, n_docs=0, reason="they share nothing"))
    found = index(one, pairs=[row("ann", "bob", None, n_docs=0, counts=dict.fromkeys(COUNTS))])
    cell = matrices(found)[0][1][1]
    assert cell["text"] == ["-", "0"] and "href" not in cell["inside"][0]
    assert "Undefined: ann and bob: they share nothing" in found.text
    assert "no document that both saw" in found.text
    assert not [link for link in found.all("a") if link["href"].startswith("pair")]


@each_case("value", [-1.5, -0.5, 0.0, 0.2, 0.5, 0.6, 0.75, 1.0])
def test_colours_go_from_white_at_chance_to_blue_at_1_and_orange_below(value):
    full = BLUE if value > 0 else ORANGE
    share = min(Fraction(1), abs(Fraction(str(value))))
    parts = [round(247 + share * (part - 247)) for part in full]
    expected = "#" + "".join(f"{part:02x}" for part in parts)
    assert cell_of(value)["style"].startswith(f"background-color:{expected};")
    assert (cell_of(value).get("class") == "below") == (value < 0), "not by colour alone"


def test_the_legend_shows_the_scale_with_its_numbers():
    found = index()
    steps = [attrs["style"] for attrs in found.all("li") if "style" in attrs]
    assert len(steps) == 12
    assert steps[0] == cell_of(-1.0)["style"] and steps[10] == cell_of(1.0)["style"]
    assert "-1.0-0.8-0.6-0.4-0.20.00.20.40.60.81.0" in found.text.replace("\n", "")


def test_the_legend_says_how_undefined_values_look():
    found = index()
    legend = [attrs["style"] for attrs in found.all("li") if attrs.get("class") == "undefined"]
    assert legend == [cell_of(None)["style"]] and cell_of(None)["text"][0] == "-"
    assert "- undefined" in found.text


@pytest.mark.parametrize("fields", [{"bits": True}, {"higher_is_better": False}])
def test_values_without_a_best_one_at_1_have_no_colour(fields):
    assert "style" not in cell_of(0.9, **fields)
    assert "No colours" in index(metric(**fields)).text


def test_metrics_are_tabs_and_labels_a_choice():
    pair = score(0.5) | {"per_label": {"PER": score(0.75)}}
    two = [metric(name, pair=lambda f, s: pair) for name in ("span_f", "token_f")]
    for one in two:
        one["pairs"][0]["per_label"] = pair["per_label"]
    found = index(*two)
    groups = [attrs for attrs in found.all("div") if {"data-tabs", "data-choose"} & set(attrs)]
    assert [next(iter(attrs)) for attrs in groups] == ["data-tabs", "data-choose", "data-choose"]
    panels = [a["data-tab"] for a in found.all("section") if a.get("class") == "panel"]
    assert panels == ["span_f", "All labels", "Label PER", "token_f", "All labels", "Label PER"]
    assert [table[1][1]["text"][0] for table in matrices(found)] == ["0.5000", "0.7500"] * 2


def test_a_label_that_neither_of_two_used_is_said_so():
    found = Reader(agreement_index(panel_result(["span_f"])))
    assert "neither used this label in the documents that both saw" in found.text


def test_a_metric_without_scores_by_label_has_one_matrix():
    assert len(matrices(index())) == 1


def test_labels_that_are_used_less_have_no_matrix_if_cells_would_be_too_many(monkeypatch):
    found = panel_result(["span_f"])
    assert len(matrices(Reader(agreement_index(found)))) == 4
    monkeypatch.setattr(agreement_pages, "CELLS", 2 * 6)
    reader = Reader(agreement_index(found))
    panels = [a["data-tab"] for a in reader.all("section") if "matrix" in a.get("id", "")]
    assert panels == ["All labels", "Label LOC", "Label PER"]
    assert "used less and have no matrix here: 1." in " ".join(reader.text.split())


def test_annotators_labels_and_documents_have_tables():
    captions = ("each annotator against the other", "labels, in the 3", "that cost the team most")
    found = index()
    for words in captions:
        assert words in found.text
    heads = {table[0][0]["text"][0]: table for table in found.tables if table[0][0]["text"]}
    assert texts(heads["Annotator"])[1] == [
        ["ann"], ["3"], ["7"], ["0"], ["0.3750"], ["3"], ["0.6250"],
    ]  # fmt: skip
    assert texts(heads["Label"])[1] == [["PER"], ["4"], ["0.1875"], ["-"], ["0.1875"], ["0.0625"]]
    assert texts(heads["Document"])[1] == [
        ["doc 1"], ["2"], ["0.8000"], ["0.2000"], ["0.7500"], ["+0.0312"],
    ]  # fmt: skip
    assert texts(heads["First"])[1] == [
        *(["ann"], ["bob"], ["3"], ["1"]),
        *[["2"]] * 5,
        ["documents"],
    ]


def test_a_document_leads_to_where_it_is_drawn():
    rows = [document("doc 1"), document("doc 2") | {"place": 7}]
    shown = {0: ("pair-001-002.html#document-1", ("ann", "bob"))}
    found = index(metric(documents=rows), shown=shown)
    links = [attrs["href"] for attrs in found.all("a")]
    assert "pair-001-002.html#document-1" in links
    (table,) = [one for one in found.tables if one[0][0]["text"] == ["Document"]]
    assert [line[-1]["text"] for line in table[1:]] == [["ann and bob"], ["-"]]


def test_facts_notes_signatures_and_sources_are_there():
    found = index(notes=["few documents"], title="Pilot", sources=["a.jsonl"], resamples=20)
    for said in ("few documents", "span_f()|docs=3", "Pilot", "a.jsonl", "from 20 resamples"):
        assert said in found.text


def test_one_annotator_has_no_matrix_and_no_pairs():
    none = score(None, reason="only one") | {"n_pairs": 0, "definition": None}
    one = metric(names=("ann",), mean=none, team=none)
    found = index(one, names=("ann",), pairs=[])
    assert not matrices(found) and "Undefined: span_f: only one" in found.text


def test_thirty_annotators_are_one_matrix_that_can_be_moved_aside():
    names = [f"annotator {i:02}" for i in range(30)]
    found = index(metric(names=names), names=names, pairs=[])
    (table,) = matrices(found)
    assert len(table) == 30 and {len(line) for line in table} == {30}
    assert sum(cell["text"] == ["0.2500", "3"] for line in table for cell in line) == 435
    regions = [attrs for attrs in found.all("div") if attrs.get("role") == "region"]
    assert all(attrs["tabindex"] == "0" and attrs["class"] == "scroll" for attrs in regions)
    assert len(regions) == len(found.tables)


def test_names_from_data_stay_text():
    evil = '"><script>alert(1)</script>'
    names = (evil, "</style><img src=x onerror=alert(1)>\x1b")
    none = score(None, reason=evil)
    one = metric(evil, names, pair=lambda first, second: none, signature=evil)
    one["pairs"][0]["per_label"] = {evil: score(0.5)}
    one["per_label"][0]["label"] = evil
    one["documents"][0]["document"] = evil
    shown = {0: ("pair-001-002.html#document-1", names)}
    fields = {"labels": [evil], "notes": [evil], "title": evil, "sources": [evil]}
    found = index(one, names=names, pairs=[row(*names)], shown=shown, **fields)
    assert {tag for tag, _ in found.tags} <= {*ALLOWED.split(), "script"}
    assert len(found.all("script")) == 1
    assert not [name for _, attrs in found.tags for name in attrs if name.startswith("on")]
    assert texts(matrices(found)[0])[1][0] == [evil]
    assert "\x1b" not in found.text


def test_ids_are_different_and_labels_refer_to_them():
    found = Reader(agreement_index(panel_result()))
    ids = [attrs["id"] for _, attrs in found.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    named = [attrs.get("aria-labelledby", "").split() for _, attrs in found.tags]
    assert {name for names in named for name in names} <= {*ids}


def test_the_page_asks_for_nothing_from_outside():
    html = agreement_index(result(), [row("ann", "bob")])
    html = re.sub("<pre>.*?</pre>", "", html, flags=re.DOTALL)  # addresses in sources are no links
    assert not re.search(r"<iframe|@import|url\(|https?:|src=|javascript:", html)


def test_scores_of_a_pair_are_those_of_the_json():
    found = panel_result(["span_f", "gate_f"])
    tables = pair_tables(found, ("ann", "cem"))
    for one, pair, name in tables["rows_of_pair"]:
        (expected,) = [p for p in one["pairs"] if (p["first"], p["second"]) == ("ann", "cem")]
        assert pair == expected and name == one["metric"]
    assert [label for label, _ in tables["rows_of_labels"]] == ["LOC", "PER"]
    assert tables["rows_of_labels"][0][1][0] == found["metrics"][0]["pairs"][1]["per_label"]["LOC"]


def test_an_asymmetric_metric_names_who_is_gold():
    given = {"ab": score(0.5), "ba": score(0.25)}
    one = metric("precision", names="ab", symmetric=False, pair=lambda f, s: given[f + s])
    rows = pair_tables(result(one, names="ab"), ("a", "b"))["rows_of_pair"]
    assert [(name, pair["value"]) for _, pair, name in rows] == [
        ("precision, a as gold", 0.5),
        ("precision, b as gold", 0.25),
    ]
