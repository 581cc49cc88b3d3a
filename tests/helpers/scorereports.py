"""A score as plain values, and the report of one layer."""

from spacy_chance_eval.reports.report import report_text
from spacy_chance_eval.reports.scores import score_report

ROW = {"observed": 0.5, "expected": 0.3333, "corrected": 0.25, "gold": 3, "pred": 4}
SCORE = {
    "name": "span_f(beta=1.0)",
    "observed": 0.5,
    "expected": 0.3333,
    "corrected": 0.25,
    "is_corrected": True,
    "macro": {"observed": 0.375, "expected": 0.25, "corrected": 0.125},
    "macro_docs": 0.75,
    "per_label": {"PER": ROW},
    "signature": "span_f(beta=1.0)|docs=2",
    "standard_error": None,
    "p_value": None,
    "low": None,
    "high": None,
    "per_doc": None,
}
PLAIN_SCORE = {
    name: one for name, one in SCORE.items() if name not in ("expected", "corrected")
} | {"is_corrected": False, "macro": {"observed": 0.125}}


def layer(scores, **fields):
    """One layer as plain values."""
    return {
        "gold_layer": "ents",
        "pred_layer": "ents",
        "n_docs": 2,
        "n_skipped": 0,
        "n_gold": 3,
        "n_pred": 4,
        "n_unplaced": 0,
        "scores": scores,
        **fields,
    }


def report(scores, **fields):
    """The report of one layer, as text."""
    return report_text(score_report({"layers": [layer(scores, **fields)]}))
