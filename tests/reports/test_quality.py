"""All metrics by label and document, with the counts of GATE, as CSV."""

import csv
import io

import pytest

from spacy_chance_eval import Spans, evaluate
from spacy_chance_eval.reports.quality import score_csv

# A: 1 correct, 1 partial, 1 missing; B: 1 spurious; in the second document A: 1 correct
GOLD = [[(0, 2, "A"), (3, 6, "A"), (8, 9, "A")], [(0, 1, "A")]]
PRED = [[(0, 2, "A"), (3, 5, "A"), (7, 8, "B")], [(0, 1, "A")]]
GATE = ["gate_precision", "gate_recall", "gate_f", "gate_f(mode=lenient)"]


def scored(*metrics, **options):
    """The result of one layer with the scores of the corpus above."""
    sides = (Spans.from_tuples(side, [10, 4], names=["one", "two"]) for side in (GOLD, PRED))
    scores = evaluate(*sides, metrics, per_doc=True, **options)
    return {name: score.to_dict() for name, score in scores.items()}


def rows_of(metrics, **layer):
    about = {"gold_layer": "ents", "pred_layer": "ents", "n_gold": 4, "n_pred": 4}
    text = score_csv({"layers": [{**about, "scores": scored(*metrics), **layer}]})
    return {(row["scope"], row["name"]): row for row in csv.DictReader(io.StringIO(text))}


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
