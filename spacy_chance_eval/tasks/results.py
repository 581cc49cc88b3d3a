"""Results of the functions for Python: they print as tables, and become rows and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from ..analysis.diff import Diff, summary
from ..measures.messages import quoted
from ..reports.compare import compare_report
from ..reports.diff import diff_report
from ..reports.leaderboard import board_records, board_report, leaderboard_csv
from ..reports.report import Report, Section
from ..reports.scores import HOW_TO_READ_LABELS, label_table, label_text, score_report
from ..scoring.scores import Score
from .tabular import PlainResult, Tabular, score_records

SHOWN = 5  # documents that a printed difference shows
TEST = ("difference", "low", "high", "p_value", "p_holm")  # of the score that is compared


class Scores(Tabular, dict[str, Score]):
    """Scores of a prediction by the names of the metrics.

    Parameters
    ----------
    scores : mapping of str to Score
        By the names that were asked for.
    about : mapping
        Numbers of documents (`n_docs`, and `n_skipped` that one did not annotate) and of spans
        (`n_gold`, `n_pred`, `n_unplaced` that fit no gold tokens), and `warnings`; of trees, those
        of sentences and nodes.
    """

    def __init__(self, scores: Mapping[str, Score], about: Mapping[str, Any]) -> None:
        super().__init__(scores)
        self.about = dict(about)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self.about)

    def __missing__(self, name: object) -> Score:
        raise KeyError(f"{quoted(name)} was not asked for, but {', '.join(self)}")

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON: `scores` by metric, numbers of documents, `warnings`."""
        return {**self.about, "scores": {name: score.to_dict() for name, score in self.items()}}

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each score.

        `scope` is "all", "label" or "document"; `low` and `high` are the interval of the
        headline.
        """
        return list(score_records(self.to_dict()))

    def report(self) -> Report:
        """The report that every output renders."""
        layer = {"gold_layer": "gold", "pred_layer": "prediction", **self.to_dict()}
        return score_report({"warnings": self.about.get("warnings", ()), "layers": [layer]})


class Leaderboard(PlainResult):
    """Boards of systems: `board["boards"]` has one for each metric, label and subset."""

    _compose = staticmethod(board_report)

    def __missing__(self, key: object) -> Any:
        raise KeyError(f"{quoted(key)} is not among {', '.join(self)}; boards are in ['boards']")

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each metric, subset, label and system: the columns of the CSV."""
        return list(board_records(self))

    def to_csv(self) -> str:
        """The rows of `records` as CSV, then systems left out, with the reason as `note`."""
        return leaderboard_csv(self)


class RunComparison(PlainResult):
    """A comparison of two runs: improvements and regressions."""

    _compose = staticmethod(compare_report)

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each metric, and for each label of a metric."""
        rows = []
        for metric in self["metrics"]:
            for row in (metric["total"], *metric["labels"]):
                scores = {
                    f"{run}_{name}": row[run].get(name)
                    for run in ("old", "new")
                    for name in ("observed", "expected", "corrected")
                }
                test = {key: row[metric["key"]][key] for key in TEST}
                more = {"verdict": row["verdict"], "distinct": row["distinct"]}
                about = {"metric": metric["metric"], "label": row.get("label")}
                rows.append({**about, **scores, "compared": metric["key"], **test, **more})
        return rows


class SpanDiff(Diff, Tabular):
    """The differences of two annotations; it prints a summary and the worst documents.

    Attributes
    ----------
    compared : CorpusPair
        The documents of gold and the prediction.
    gold : Spans
        A row for each annotation of gold that GATE's measures count.
    pred : Spans
        A row for each annotation of the prediction that GATE's measures count.
    rows : Differences
        All pairs of spans, and all spans without a counterpart.
    labels : tuple of str
        Differences with any of these labels are shown; all, if there are none.
    relations : tuple of str
        Differences of these relations are shown; all, if there are none.
    equal : bool
        Whether documents without a difference are shown.
    features : str
        Features that must agree for a pair to be correct or partial.
    beta : float
        The weight of recall in all F scores: above 1, F favours recall.
    """

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON: the summary, and `documents` with all pairs."""
        return {**summary(self), "documents": list(self.documents())}

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each pair and each span without one, worst documents first.

        Documents without a difference are there if `equal` was asked for.
        """
        return [
            _pair_record(document["document"], pair)
            for document in self.documents()
            for pair in document["pairs"]
        ]

    def report(self) -> Report:
        """The report that every output renders."""
        return diff_report(summary(self), list(self.documents(self.order[:SHOWN])))


def span_diff(diff: Diff) -> SpanDiff:
    """The same differences, as a result that prints."""
    return SpanDiff(**{field.name: getattr(diff, field.name) for field in fields(Diff)})


def _pair_record(document: str, pair: Mapping[str, Any]) -> dict[str, Any]:
    """One flat row."""
    row = {"document": document, "relation": pair["relation"], "error": pair["error"]}
    for side in ("gold", "pred"):
        span = pair[side] or {}
        row |= {f"{side}_{key}": span.get(key) for key in ("label", "start", "end", "text")}
    return row


class LabelReport(PlainResult):
    """Precision, recall and F by label, with the F expected by chance and the corrected F.

    A mapping from labels, "micro avg" and "macro avg" to `precision`, `recall`, `f1-score`,
    `expected`, `corrected` and `support`; None where a score is undefined.

    Parameters
    ----------
    rows : mapping of str to mapping
        The scores of each label, and of "micro avg" and "macro avg".
    digits : int
        Decimals of the printed table.
    signature : str
        The signature of the corrected F.
    warnings : sequence of str
        Sentences about what may mislead, printed below the table.
    """

    def __init__(
        self,
        rows: Mapping[str, Any],
        digits: int = 2,
        signature: str = "",
        warnings: Sequence[str] = (),
    ) -> None:
        super().__init__(rows)
        self.digits, self.signature, self.warnings = digits, signature, list(warnings)

    def __missing__(self, label: object) -> dict[str, Any]:
        raise KeyError(f"{quoted(label)} is not among {', '.join(self)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self.digits, self.signature, self.warnings)

    def __str__(self) -> str:
        return label_text(self, self.digits, self.signature, self.warnings)

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each label, and for both means."""
        return [{"label": label, **row} for label, row in self.items()]

    def report(self) -> Report:
        """The report that every output renders."""
        table = label_table("By label", self, self.digits, HOW_TO_READ_LABELS, [self.signature])
        warnings = [f"Warning: {text}" for text in self.warnings]
        return Report("Report", "", [Section("", (), [table])], warnings=warnings)
