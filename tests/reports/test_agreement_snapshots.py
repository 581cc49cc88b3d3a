"""Agreement as text and on pages, letter by letter; and what tables have of the result."""

import json
import re
from itertools import combinations

import pytest

from helpers.agreements import document, metric, result, score
from helpers.cases import each_case
from helpers.colours import contrast
from helpers.reading import Reader
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.measures.panel import Panel
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.reports.agreement import agreement_report, pair_section
from spacy_chance_eval.reports.report import report_page, report_screen, report_text
from spacy_chance_eval.reports.words import number
from spacy_chance_eval.scoring.agreement import agreement
from spacy_chance_eval.scoring.intervals import Resampling
from spacy_chance_eval.scoring.statistics import headline

ABC = ("a", "b", "c")
TWELVE = [f"annotator {i:02}" for i in range(12)]
LONG = ("a" * 30 + "start", "begin" + "b" * 30 + "end")
SIZES = [9, 6, 5, 4]
ANN = Spans.from_tuples([[(0, 2, "PER"), (5, 6, "LOC")], [(1, 3, "LOC")], None, []], SIZES)
BOB = Spans.from_tuples([[(0, 2, "PER"), (5, 7, "LOC")], [(1, 3, "PER")], [], None], SIZES)
NOTHING = Spans.from_tuples([[], [(1, 3, "PER")], [], None], SIZES)
APART = Spans.from_tuples([None, None, [], None], SIZES)
EVIL = ("\x1b[31mred", "a\x1b\nb")
MARKUP = ('"><script>alert(1)</script>', "</style><img src=x onerror=alert(1)>\x1b")
COUNTS = dict.fromkeys(("correct", "partial", "wrong label", "missing", "spurious"), 2)


def none(reason, **fields):
    return score(None, reason=reason) | fields


def team(**fields):
    """What the team of a metric is, without a definition."""
    return score(0.125, **fields) | {"definition": None}


def pairs(**given):
    """The score of a pair, by both names."""
    return lambda one, other: given.get(one + other, score(0.5))


def one_number(first, second):
    """A pair of annotators, with a value of its own made of their names."""
    return score(int(first[-2:]) / 100 + int(second[-2:]) / 10_000, n_docs=int(second[-2:]))


def label(name, mean):
    return {"label": name, "n_spans": 1, "mean": mean, "team": score(0.5)}


def of_label(name):
    """A metric whose only pair has a score for a label."""
    found = metric(name, pair=lambda one, other: score(0.5))
    found["pairs"][0]["per_label"] = {"PER": score(0.75)}
    return found


def unplaced():
    found = result()
    found["annotators"][1]["n_unplaced"] = 2
    return found


def made(names=("span_f", "cohen_kappa", "slicm"), **annotators):
    """The agreement of annotators by some metrics, through JSON."""
    requests = {name: parse(name) for name in names}
    found = agreement(Panel(annotators), requests, intervals=Resampling(20))
    return json.loads(json.dumps(found))


def hostile(names, evil):
    """A result whose every name and text comes from somebody who means harm."""
    one = metric(evil, names, pair=lambda first, second: none(evil), signature=evil)
    one["pairs"][0]["per_label"] = {evil: score(0.5)}
    one["per_label"][0]["label"] = evil
    one["documents"] = [document(evil)]
    fields = {"labels": [evil], "notes": [evil], "title": evil, "sources": [evil]}
    return result(one, names=names, **fields)


LIMITS = {
    "mean": score(0.25, 0.5, 0.3333, limits=[0.1, 0.4])
    | {"n_pairs": 1, "observed_low": 0.2, "observed_high": 0.7},
    "team": team(limits=[0.0, 1.0]),
}
ABC_PAIRS = pairs(ab=score(0.5283, n_docs=216), ac=score(0.25, n_docs=7), bc=score(1.0))
ORDERS = pairs(ab=score(0.5, n_docs=2), ba=score(0.25, n_docs=2))
NO_ORDER = pairs(annbob=none("no shared document"), bobann=none("no shared document"))
APART_BC = pairs(bc=score(None, reason="no shared document", n_docs=0))
CHANCE_AB = pairs(ab=none("chance alone agrees"))
NO_MEAN = none("nothing marked", n_pairs=1)
NO_TEAM = none("a coefficient of two", definition=None)
AGREED = {
    "header": lambda: result(title="Pilot", sources=["a.jsonl", "b.jsonl"], resamples=100),
    "notes": lambda: result(notes=["one document was seen by one"], labels=[]),
    "intervals": lambda: result(metric(**LIMITS), resamples=100),
    "intervals-of-pairs": lambda: result(metric(pair=lambda f, s: LIMITS["mean"])),
    "bits-without-chance-model": lambda: result(
        metric("slicm", is_corrected=False, bits=True, mean=score(-1.5) | {"n_pairs": 1})
    ),
    "no-chance-model": lambda: result(
        metric("percent_agreement", is_corrected=False, mean=LIMITS["mean"])
    ),
    "distance": lambda: result(metric(higher_is_better=False)),
    "teams-of-two-metrics": lambda: result(metric("f"), metric("g"), metric("h", team=team())),
    "undefined-team-with-definition": lambda: result(
        metric(team=none("why", definition="all at once"))
    ),
    "undefined-team": lambda: result(metric("cohen_kappa", team=NO_TEAM)),
    "reasons-of-several": lambda: result(
        metric("f", mean=NO_MEAN, team=none("nothing marked", definition=None)),
        metric("g", team=none("alone", definition=None)),
        metric("h", mean=NO_MEAN, team=none("alone", definition=None)),
    ),
    "a-reason-of-many": lambda: result(*(metric(f"m{i}", team=NO_TEAM) for i in range(9))),
    "three": lambda: result(metric(names=ABC, pair=ABC_PAIRS), metric("kappa", ABC), names=ABC),
    "two-metrics": lambda: result(metric(), metric("kappa")),
    "orders": lambda: result(
        metric("recall", "ab", symmetric=False, pair=ORDERS, is_corrected=False), names="ab"
    ),
    "undefined-orders": lambda: result(metric("recall", symmetric=False, pair=NO_ORDER)),
    "undefined-pair": lambda: result(metric(names=ABC, pair=APART_BC), names=ABC),
    "undefined-pair-of-one-metric": lambda: result(
        metric(names=ABC), metric("pi", ABC, pair=CHANCE_AB), names=ABC
    ),
    "undefined-pair-of-all-metrics": lambda: result(
        *(metric(name, pair=lambda f, s: none("no shared document")) for name in ("f", "pi"))
    ),
    "twelve": lambda: result(metric(names=TWELVE, pair=one_number), names=TWELVE),
    "long-names": lambda: result(metric(names=LONG), names=LONG),
    "unplaced": unplaced,
    "categories": lambda: result(positions="category"),
    "six-metrics": lambda: result(*(metric(f"m{i}") for i in range(6))),
    "label-of-one-metric": lambda: result(metric(), metric("kappa", team=NO_TEAM)),
    "undefined-label": lambda: result(
        metric(per_label=[label("X", score(0.5)), label("Y", none("nothing was marked"))])
    ),
    "usual-metrics": lambda: result(*map(metric, ("span_f", "token_f", "u_alpha"))),
    "documents-without-cost": lambda: result(metric(documents=[document("doc 1", cost=None)])),
    "scores-by-label": lambda: result(of_label("span_f"), of_label("token_f")),
    "bits-and-scores": lambda: result(metric("slicm", bits=True), metric()),
    "two-documents": lambda: result(
        metric(documents=[document("doc 1"), document("doc 2") | {"place": 7}])
    ),
    "made": lambda: made(ann=ANN, bob=BOB),
    "alone": lambda: made(ann=ANN),
    "three-of-whom-two-use-a-label": lambda: made(["span_f"], ann=ANN, bob=BOB, zoe=NOTHING),
    "apart": lambda: made(["span_f", "cohen_kappa"], ann=ANN, zoe=APART),
    "hostile": lambda: hostile(EVIL, "\x1b]0;x\x07"),
    "markup": lambda: hostile(MARKUP, MARKUP[0]),
}
INDEXED = (
    *("header", "intervals-of-pairs", "distance", "undefined-team", "three", "orders"),
    *("undefined-pair", "unplaced", "scores-by-label", "bits-and-scores", "two-documents"),
    *("alone", "apart", "hostile", "markup"),
)


@each_case("name", AGREED)
def test_an_agreement_is_shown_as_it_was(name):
    text = report_text(agreement_report(AGREED[name]()))
    compare_with_snapshot(f"agreement-{name}.txt", text)
    assert "\x1b" not in text and "\x07" not in text


@each_case("name", AGREED)
def test_a_screen_has_thirty_lines_that_fit_it(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = report_screen(agreement_report(AGREED[name]())).splitlines()
    assert len(lines) <= 30 or name in ("twelve", "long-names")
    assert not [line for line in lines if len(line) > 80 and "|" not in line]


def index(found):
    """The report of a result; the first pair has a page on which a document is drawn."""
    rows = [
        {"first": pair["first"], "second": pair["second"], "n_docs": 3, "n_differing": 1}
        | {"page": None, "reason": "no document that both saw", "counts": dict.fromkeys(COUNTS)}
        for pair in found["metrics"][0]["pairs"]
    ]
    shown = {}
    for row in rows[:1]:
        row.update(page="pair-001-002.html", reason=None, counts=COUNTS)
        shown[0] = ("pair-001-002.html#document-1", (row["first"], row["second"]))
    return agreement_report(found, None, pairs=rows, drawn=shown)


@each_case("name", INDEXED)
def test_an_index_is_as_it_was(name):
    text = report_page(index(AGREED[name]()))
    compare_with_snapshot(f"agreement-{name}.index.html", text)
    reader = Reader(text)
    assert not reader.open and len(reader.all("script")) == 1 and not reader.all("img")
    assert "\x1b" not in reader.text


def test_an_index_asks_for_nothing_from_outside():
    html = re.sub("<pre>.*?</pre>", "", report_page(index(result())), flags=re.DOTALL)
    assert not re.search(r"<iframe|@import|url\(|https?:|src=|javascript:", html)


@pytest.mark.parametrize("worst", [2, None])
def test_the_number_of_documents_can_be_chosen(worst):
    found = result(metric(documents=[document(f"doc {i}") for i in range(3)]))
    text = report_text(agreement_report(found, worst))
    assert text.count("\ndoc ") == (worst or 3)
    assert ("1 more document: --top N" in text) == bool(worst)


# --- what tables have of the result


def table_of(report, caption):
    """The table of a report whose caption begins so."""
    return next(one for one in report.tables(2) if one.caption.startswith(caption))


def test_the_matrix_has_every_pair_once_and_leads_to_its_page():
    found = result(metric(names=TWELVE, pair=one_number), names=TWELVE)
    report = index(found)
    matrix = table_of(report, "span_f, corrected for chance: pairs")
    cells = {
        (row["annotator"], key.removeprefix("with ")): row[key]
        for row in matrix.rows
        for key in row
        if key.startswith("with ")
    }
    pairs = found["metrics"][0]["pairs"]
    assert cells == {(one["first"], one["second"]): headline(one) for one in pairs}
    pages = [row[key] for row in matrix.rows for key in row if key.startswith("page ")]
    assert list(filter(None, pages)) == ["pair-001-002.html"]


@each_case("fields", [{}, {"bits": True}, {"higher_is_better": False}])
def test_an_undefined_pair_looks_like_no_value(fields):
    one = metric(pair=lambda first, second: none("why"), **fields)
    matrix = table_of(index(result(one)), "span_f")
    assert "repeating-linear-gradient" in matrix.columns[1].style(matrix.rows[0])
    assert "undefined: ann and bob: why" in matrix.notes


def test_text_can_be_read_on_every_colour_and_negative_values_have_an_outline():
    names = [f"a{i:02}" for i in range(18)]
    values = dict(zip(combinations(names, 2), (step / 70 for step in range(-75, 78))))
    one = metric(names=names, pair=lambda first, second: score(values[first, second]))
    matrix = table_of(agreement_report(result(one, names=names)), "span_f")
    for row in matrix.rows:
        for column in matrix.columns[1:]:
            if style := column.style(row):
                back, text = re.findall(r"#\w{6}", style)
                assert contrast(back, text) >= 4.5, style
                assert ("dashed" in style) == (row[column.key] < 0)


def test_scores_of_a_pair_are_those_of_the_json():
    found = made(["span_f", "gate_f"], ann=ANN, bob=BOB, zoe=NOTHING)
    metrics, labels = pair_section(found, ("ann", "zoe"), 3).tables
    for row, one in zip(metrics.rows, found["metrics"], strict=True):
        (pair,) = [p for p in one["pairs"] if (p["first"], p["second"]) == ("ann", "zoe")]
        assert row["metric"] == one["metric"]
        assert row["observed"] == pair["observed"]
    assert [row["label"] for row in labels.rows] == ["LOC", "PER"]
    pair = found["metrics"][0]["pairs"][1]
    assert labels.rows[0]["span_f"] == headline(pair["per_label"]["LOC"])


def test_an_asymmetric_metric_names_who_is_gold():
    one = metric("precision", names="ab", symmetric=False, pair=ORDERS)
    rows = pair_section(result(one, names="ab"), ("a", "b"), 2).tables[0].rows
    assert [(row["metric"], row["corrected"]) for row in rows] == [
        ("precision, a as gold", 0.5),
        ("precision, b as gold", 0.25),
    ]


def test_a_number_that_is_nearly_zero_has_no_sign():
    assert number(-1e-17) == ".000" and number(-0.001) == "-.001"
