"""All metrics by label and document, with GATE's counts: the tables and the CSV."""

import csv
import io

import pytest

from helpers.scorereports import SCORE, report
from spacy_chance_eval import Spans, evaluate, request
from spacy_chance_eval.reports.quality import score_csv
from spacy_chance_eval.scoring.evaluation import DEFAULT_METRICS

# A: 1 correct, 1 partial, 1 missing; B: 1 spurious; in the second document A: 1 correct
GOLD = [[(0, 2, "A"), (3, 6, "A"), (8, 9, "A")], [(0, 1, "A")]]
PRED = [[(0, 2, "A"), (3, 5, "A"), (7, 8, "B")], [(0, 1, "A")]]
GATE = ["gate_precision", "gate_recall", "gate_f", "gate_f(mode=lenient)"]


def scored(*metrics, **options):
    """The result of one layer with the scores of the corpus above."""
    sides = (Spans.from_tuples(side, [10, 4], names=["one", "two"]) for side in (GOLD, PRED))
    scores = evaluate(*sides, metrics, per_doc=True, **options)
    return {name: score.to_dict() for name, score in scores.items()}


def table(printed, heading):
    """The rows beneath a heading, as lists of words."""
    lines = printed[printed.index(heading) :].split("\n\n")[1].splitlines()
    return {line[:9].strip(): line[9:].split() for line in lines if not line.startswith("-")}


def rows_of(metrics, **layer):
    about = {"gold_layer": "ents", "pred_layer": "ents", "n_gold": 4, "n_pred": 4}
    text = score_csv({"layers": [{**about, "scores": scored(*metrics), **layer}]})
    return {(row["scope"], row["name"]): row for row in csv.DictReader(io.StringIO(text))}


def test_labels_have_the_columns_of_gates_corpus_quality():
    rows = table(report(scored(*GATE)), "all metrics by label")
    assert rows["label"][:6] == ["gold", "pred", "correct", "partial", "missing", "spurious"]
    assert rows["label"][6:] == GATE
    assert rows["A"][:6] == ["4", "3", "2", "1", "1", "0"]
    assert rows["B"] == ["0", "1", "0", "0", "0", "1", "0.0000", "-", "0.0000", "0.0000"]
    assert rows["micro avg"] == [*"442111", "0.5000", "0.5000", "0.5000", "0.7500"]
    assert rows["macro avg"] == ["0.3333", "0.5000", "0.2857", "0.4286"]


def test_documents_have_the_same_columns_worst_first():
    rows = table(report(scored(*GATE)), "all metrics by document, worst gate_precision first")
    assert list(rows) == ["document", "one", "two", "macro avg", "micro avg"]
    assert rows["one"] == [*"331111", "0.3333", "0.3333", "0.3333", "0.6667"]
    assert rows["macro avg"] == ["0.6667", "0.6667", "0.6667", "0.8333"]


def test_documents_with_most_errors_come_first_where_lower_is_better():
    printed = report(scored("false_positives"))
    assert printed.index("\none") < printed.index("\ntwo")
    rows = table(report(scored("error_rate")), "error_rate by document, worst error_rate first")
    assert list(rows)[1:3] == ["one", "two"]


def test_a_metric_that_is_corrected_has_a_table_of_its_own_too():
    printed = report(scored("span_f", "gate_f"))
    assert "\nspan_f by label\n" in printed and "\nspan_f by document, worst first\n" in printed
    assert "all metrics by label; corrected for chance: span_f\n" in printed
    value = f"{scored('span_f')['span_f']['per_label']['A']['value']:.4f}"
    assert table(printed, "all metrics by label")["A"][6] == value


def test_metrics_that_no_one_asked_for_have_no_table():
    assert "all metrics" not in report(scored(*DEFAULT_METRICS))
    assert "all metrics" not in report({"span_f": SCORE})
    assert "all metrics by label" in report(scored(*DEFAULT_METRICS[:2]))


def test_metrics_that_count_other_spans_have_their_own_columns():
    close = request("bdm_f", closeness={("A", "B"): 0.25})
    sides = [Spans.from_tuples(side, [10, 4]) for side in (GOLD, [[(0, 2, "B")], []])]
    scores = evaluate(*sides, {"plain": "gate_f", "recall": "gate_recall", "near": close})
    printed = report({name: score.to_dict() for name, score in scores.items()})
    rows = table(printed, "all metrics by label")
    assert printed.count("near correct") == 1 and "recall correct" not in printed
    assert rows["micro avg"][:10] == ["4", "1", *"0041", "0.2500", "0.0000", "3.7500", "0.7500"]


# --- CSV


def test_a_table_has_labels_documents_and_averages():
    rows = rows_of(GATE)
    assert [*rows] == [
        ("label", "A"),
        ("label", "B"),
        ("document", "one"),
        ("document", "two"),
        ("macro", "labels"),
        ("macro", "documents"),
        ("micro", "all"),
    ]
    assert [rows["micro", "all"][key] for key in ("correct", "missing", "gate_f")] == [
        "2",
        "1",
        "0.5",
    ]
    assert rows["macro", "labels"]["correct"] == "" and rows["label", "B"]["gate_recall"] == ""


def test_coefficients_of_disagreement_have_columns_of_disagreement_alone():
    row = rows_of(["alpha_u", "span_f"])["micro", "all"]
    assert [key for key in row if key.startswith(("alpha_u", "span_f"))] == [
        *("alpha_u observed disagreement", "alpha_u expected disagreement", "alpha_u corrected"),
        *("span_f observed", "span_f expected", "span_f corrected"),
    ]
    score = scored("alpha_u")["alpha_u"]
    assert row["alpha_u observed disagreement"] == str(score["observed_disagreement"])


def test_corrected_metrics_have_three_columns_in_full():
    scores = scored("span_f")["span_f"]
    row = rows_of(["span_f", "gate_f"])["document", "one"]
    for key in ("observed", "expected"):
        assert row[f"span_f {key}"] == repr(scores["per_doc"]["one"][key])
    assert row["span_f corrected"] == repr(scores["per_doc"]["one"]["value"])
    assert row["layer"] == "ents" and float(row["gate_f"]) == pytest.approx(1 / 3)


def test_what_looks_like_a_formula_is_marked():
    scores = scored("span_f")
    scores["span_f"]["per_label"] = {"=1+1": scores["span_f"]["per_label"]["A"]}
    assert ("label", "'=1+1") in rows_of([], scores=scores)
