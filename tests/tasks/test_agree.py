"""`agree` in Python: panels in, tables, rows for data frames and JSON out."""

import json

import pytest
from hypothesis import given

from helpers.panel_oracles import panels
from helpers.textfiles import FOUND, SPANS, WORDS, jsonl
from spacy_chance_eval import Agreement, Resampling, Spans, agree
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.tasks.agree import agree_files

ALICE = Spans.from_tuples([[(0, 2, "PER")], [(5, 6, "LOC")], []], [9, 9, 9])
BOB = Spans.from_tuples([[(0, 2, "PER")], [(4, 6, "LOC")], None], [9, 9, 9])
BOTH = {"alice": ALICE, "bob": BOB}
FEW = Resampling(20)
KEYS = [
    "metric", "scope", "first", "second", "label", "document", "observed", "expected", "corrected",
    "observed_disagreement", "expected_disagreement", "low", "high", "n_docs", "reason",
]  # fmt: skip


def test_the_usual_metrics_are_those_of_spans():
    found = agree(BOTH, intervals=FEW)
    assert [one["metric"] for one in found.to_dict()["metrics"]] == [
        "span_f", "token_f", "u_alpha",
    ]  # fmt: skip
    assert all(one["is_corrected"] for one in found.to_dict()["metrics"])


def test_the_usual_metrics_of_categories_are_coefficients():
    sides = [Spans.from_tuples([[(0, 1, "A")], [(0, 1, x)]], [1, 1]) for x in "AB"]
    found = agree(sides, positions="category", intervals=FEW).to_dict()
    assert [one["metric"] for one in found["metrics"]] == [
        "percent_agreement", "krippendorff_alpha", "fleiss_kappa", "gwet_ac2",
    ]  # fmt: skip
    assert all("items=category" in one["request"] for one in found["metrics"])


def test_metrics_can_be_one_name_many_or_requests():
    for metrics in ("span_f", ["span_f"], [parse("span_f")], {"mine": parse("span_f")}):
        found = agree(BOTH, metrics, intervals=Resampling(0)).to_dict()["metrics"]
        assert [one["request"] for one in found] == [str(parse("span_f"))]


def test_results_print_and_show_in_notebooks():
    found = agree(BOTH, ["span_f"], intervals=FEW)
    assert "alice" in str(found) and repr(found) == str(found)
    assert "alice" in found._repr_html_() and "<table" in found._repr_html_()


def test_records_are_flat_and_have_the_same_keys():
    rows = agree(BOTH, intervals=FEW).records()
    for row in rows:
        assert list(row) == KEYS
        kinds = {type(value) for value in row.values()}
        assert kinds <= {str, int, float, type(None)}


def test_records_hold_every_score():
    found = agree({**BOTH, "cyd": ALICE}, ["span_f"], intervals=FEW, worst=None)
    rows = {
        (row["scope"], row["first"], row["second"], row["label"], row["document"]): row
        for row in found.records()
    }
    assert len(rows) == len(found.records())
    tables = found["span_f"]
    expected = {("mean", None, None, None, None), ("team", None, None, None, None)}
    for pair in tables["pairs"]:
        names = pair["first"], pair["second"]
        expected |= {("pair", *names, label, None) for label in (None, *pair["per_label"])}
    for name in ("alice", "bob", "cyd"):
        expected |= {(scope, name, None, None, None) for scope in ("others", "majority")}
    labels = [row["label"] for row in tables["per_label"]]
    expected |= {(scope, None, None, label, None) for scope in ("mean", "team") for label in labels}
    expected |= {("document", None, None, None, f"document {d}") for d in (1, 2, 3)}
    assert {*rows} == expected
    row = rows["pair", "alice", "bob", None, None]
    assert headline(row) == headline(tables["pairs"][0])
    assert [row["low"], row["high"]] == list(interval_of(tables["pairs"][0]))
    assert row["n_docs"] == 2


@pytest.mark.integration
@given(team=panels())
def test_results_go_through_json_unchanged(team):
    metrics = ["span_f(chance=none)", "span_recall", "u_alpha", "cohen_kappa", "false_positives"]
    found = agree(team.panel(), metrics, intervals=Resampling(5))
    text = json.dumps(found.to_dict(), allow_nan=False)
    again = json.loads(text)
    assert json.dumps(again, allow_nan=False) == text
    json.dumps(found.records(), allow_nan=False)
    assert str(Agreement(again)) == str(found)


def test_notes_tell_what_to_know_before_trusting_numbers():
    loose = Spans.from_tuples([[], None, []], [9, 9, 9], ["X"], unplaced=[(0, 0, 2)])
    far = Spans.from_tuples([None, None, None], [9, 9, 9])
    found = agree({**BOTH, "cyd": loose, "dan": far}, ["span_f"], intervals=FEW).to_dict()
    notes = "\n".join(found["notes"])
    for text in ("fit the tokens", "saw no document in common", "Intervals rest on", "worth 1.9"):
        assert text in notes
    assert [one["n_unplaced"] for one in found["annotators"]] == [0, 0, 1, 0]
    assert [one["n_docs"] for one in found["annotators"]] == [3, 2, 2, 0]


def test_signatures_change_with_the_data_and_not_with_names():
    def signature(panel):
        return agree(panel, ["span_f"], intervals=FEW)["span_f"]["signature"]

    assert signature(BOTH) == signature({"x": BOB, "y": ALICE})
    assert signature(BOTH) != signature({"x": ALICE, "y": ALICE})


def test_files_are_compared_by_articles_where_documents_tell_theirs(tmp_path):
    files = []
    for who, spans in (("a", SPANS), ("b", FOUND)):
        path = jsonl(tmp_path / f"{who}.jsonl", spans, WORDS, article="x", id="1")
        path.write_text(path.read_text() + path.read_text().replace('"1"', '"2"'))
        files.append(str(path))
    found = agree_files(files, metrics=["span_f"], intervals=FEW).to_dict()
    assert found["resampling"]["unit"] == "article"
    assert interval_of(found["metrics"][0]["mean"]) is None  # of one article
    assert found["sources"] == files
