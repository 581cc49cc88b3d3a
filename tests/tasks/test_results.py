"""Results print as tables, and are plain values, rows, data frames and HTML."""

import copy
import json
import pickle
import sys
from functools import cache

import pytest

from helpers.cases import each_case
from spacy_chance_eval import (
    Resampling,
    Spans,
    Trees,
    agree,
    compare,
    diff,
    evaluate,
    leaderboard,
    report,
    stored_run,
)
from spacy_chance_eval.analysis import Diff
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.tasks.tabular import Tabular

GOLD = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["O", "B-LOC", "O", "O"]]
PRED = [["B-PER", "I-PER", "O", "B-LOC", "I-LOC"], ["O", "B-LOC", "O", "B-ORG"]]
FEW = Resampling(20)
TREES = [
    Trees.from_heads([heads, [2, 0]], [list("ABCD"), list("AB")])
    for heads in ([2, 0, 4, 2], [2, 0, 2, 2])
]


def runs():
    gold, pred = map(Spans.from_tags, (GOLD, PRED))
    return [stored_run(gold, one, ["span_f"]) for one in (pred, gold)]


MADE = {
    "scores": lambda: evaluate(GOLD, PRED, ["span_f", "slicm"], per_doc=True, intervals=FEW),
    "report": lambda: report(GOLD, PRED),
    "board": lambda: leaderboard(GOLD, {"one": PRED, "two": GOLD}, ["span_f"], intervals=FEW),
    "agreement": lambda: agree({"anna": GOLD, "ben": PRED}, ["span_f"], intervals=FEW),
    "diff": lambda: diff(GOLD, PRED),
    "trees": lambda: evaluate(*TREES, ["las", "syntax_alpha"], per_doc=True, intervals=FEW),
    "tree agreement": lambda: agree(dict(zip("ab", TREES)), ["las"], intervals=FEW),
    "comparison": lambda: compare(*runs(), intervals=FEW),
}


@cache
def result_of(name):
    """A result, made when the first test asks for it."""
    return MADE[name]()


def columns(rows):
    return {tuple(row) for row in rows}


@pytest.mark.parametrize("name", MADE)
def test_results_print_as_tables(name):
    result = result_of(name)
    assert isinstance(result, Tabular)
    assert "|v=" in str(result) and "---" in str(result)
    assert repr(result) == str(result)


@pytest.mark.parametrize("name", MADE)
def test_results_are_plain_values(name):
    assert json.loads(json.dumps(result_of(name).to_dict(), allow_nan=False))


@pytest.mark.parametrize("name", MADE)
def test_records_are_flat_and_have_the_same_keys(name):
    rows = result_of(name).records()
    assert len(columns(rows)) == 1
    assert not any(isinstance(value, (dict, list, tuple)) for row in rows for value in row.values())


@pytest.mark.parametrize("name", MADE)
def test_records_become_a_data_frame(name):
    pytest.importorskip("pandas")
    frame, rows = result_of(name).to_frame(), result_of(name).records()
    filled = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    assert (list(frame.columns), len(frame)) == (filled, len(rows))


@pytest.mark.parametrize("name", MADE)
def test_results_are_tables_of_markdown_and_latex(name):
    lines = result_of(name).to_markdown().splitlines()
    assert any(line.startswith("| --- |") for line in lines)
    text = result_of(name).to_latex()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 0
    assert text.count(r"\toprule") == text.count(r"\bottomrule") > 0


def test_a_score_that_was_not_asked_for_says_what_was():
    with pytest.raises(KeyError, match="'token_f' was not asked for, but span_f, slicm"):
        result_of("scores")["token_f"]
    assert "token_f" not in result_of("scores") and result_of("scores").get("token_f") is None


def test_without_pandas_an_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas.*records"):
        result_of("scores").to_frame()


@pytest.mark.parametrize("name", MADE)
def test_notebooks_show_tables(name):
    html = result_of(name)._repr_html_()
    assert html.count("<table") == html.count("</table>") > 0
    assert "<script" not in html


def test_html_escapes_what_comes_from_data():
    gold = [["B-<b>", "O"]]
    for result in (evaluate(gold, gold, ["span_f"]), report(gold, gold), diff(gold, gold)):
        assert "<b>" not in result._repr_html_() and "&lt;b&gt;" in result._repr_html_()


@pytest.mark.parametrize("name", ["scores", "trees", "report", "board", "comparison"])
def test_mappings_survive_copying_and_pickling(name):
    result = result_of(name)
    for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert type(again) is type(result)
        assert (again, str(again)) == (result, str(result))


def test_scores_have_a_row_for_everything_labels_and_documents():
    rows = [row for row in result_of("scores").records() if row["metric"] == "span_f"]
    assert [(row["scope"], row["label"] or row["document"]) for row in rows] == [
        ("all", None),
        ("label", "LOC"),
        ("label", "ORG"),
        ("label", "PER"),
        ("document", "document 1"),
        ("document", "document 2"),
    ]
    assert (rows[0]["gold"], rows[0]["pred"]) == (3, 4)
    assert rows[0]["low"] <= headline(rows[0]) <= rows[0]["high"]


def test_boards_have_a_row_for_each_system_and_label():
    rows = result_of("board").records()
    assert [(row["label"], row["system"]) for row in rows if row["label"] != "PER"] == [
        (None, "two"),
        (None, "one"),
        ("LOC", "two"),
        ("LOC", "one"),
    ]


def test_a_difference_is_a_diff():
    result = result_of("diff")
    assert isinstance(result, Diff)
    assert result.counts.sum(axis=0).tolist() == [2, 1, 0, 0, 1]


def test_a_comparison_has_a_row_for_each_metric_and_label():
    rows = result_of("comparison").records()
    assert [row["label"] for row in rows] == [None, "LOC", "ORG", "PER"]
    assert rows[0]["difference"] == pytest.approx(
        rows[0]["new_corrected"] - rows[0]["old_corrected"]
    )


# --- the report by label


def test_the_report_has_the_numbers_of_evaluate():
    scores = evaluate(GOLD, PRED, ["span_precision", "span_recall", "span_f"])
    row, f = report(GOLD, PRED)["LOC"], scores["span_f"].per_label["LOC"]
    assert row == {
        "precision": scores["span_precision"].per_label["LOC"]["observed"],
        "recall": scores["span_recall"].per_label["LOC"]["observed"],
        "f1-score": f["observed"],
        "expected": f["expected"],
        "corrected": headline(f),
        "support": 2,
    }


def test_macro_is_the_mean_of_what_is_defined():
    rows = report(GOLD, PRED)
    assert rows["ORG"]["recall"] is None
    assert rows["macro avg"]["recall"] == pytest.approx((0.5 + 1) / 2)
    macro = evaluate(GOLD, PRED)["span_f"].macro
    means = {"observed": "f1-score", "expected": "expected", "corrected": "corrected"}
    assert macro == {name: rows["macro avg"][column] for name, column in means.items()}
    assert macro["expected"] > 0


def test_rows_are_those_of_scikit_learn_where_every_span_is_a_token():
    gold = [["B-A", "B-B", "B-A", "O", "B-B"]]
    pred = [["B-A", "B-A", "B-A", "O", "O"]]
    flat = [[tag[2:] for tag in tags[0]] for tags in (gold, pred)]
    from sklearn.metrics import precision_recall_fscore_support

    theirs = precision_recall_fscore_support(*flat, labels=["A", "B"], zero_division=0.0)
    ours = report(gold, pred)
    for i, label in enumerate(["A", "B"]):
        row = [ours[label][key] or 0.0 for key in ("precision", "recall", "f1-score", "support")]
        assert row == pytest.approx([column[i] for column in theirs])


def test_a_label_that_is_called_like_a_mean_is_refused():
    with pytest.raises(ValueError, match="rename"):
        report([["B-micro avg"]], [["B-micro avg"]])


CLUSTERED = {"clusters": ["a", "a"], "intervals": Resampling(20)}


@each_case(
    "call",
    [
        lambda **more: evaluate(GOLD, PRED, ["span_f"], **more)["span_f"].resampling + "|",
        lambda **more: leaderboard(GOLD, {"x": PRED}, ["span_f"], **more).records()[0]["signature"],
        lambda **more: ",{unit}|".format(**agree([GOLD, PRED], **more).result["resampling"]),
    ],
)
def test_results_say_that_clusters_were_resampled(call):
    assert ",documents|" in call(intervals=Resampling(20))
    assert ",clusters|" in call(**CLUSTERED)
    assert ",author|" in call(clusters=["a", "a"], intervals=Resampling(20, unit="author"))


@each_case(
    "clusters, text",
    [
        (None, "rest on documents that are worth"),
        (["a", "a"], "only one of the clusters can be resampled: no intervals"),
        (["a", "b"], "rest on clusters that are worth"),
    ],
)
def test_notes_say_on_how_many_items_intervals_rest(clusters, text):
    found = agree([GOLD, PRED], ["span_f"], intervals=FEW, clusters=clusters)
    assert any(text in note for note in found.result["notes"])
