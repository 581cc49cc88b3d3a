"""What all results have in common: plain values, rows, and one way to each output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..measures.differences import RELATIONS
from ..measures.messages import quoted
from ..reports.report import Report, report_fragment, report_markdown, report_text
from ..reports.scores import layer_names, score_report
from ..reports.tables import csv_text

if TYPE_CHECKING:
    from pandas import DataFrame


class Tabular(ABC):
    """A result that is shown as a `Report`, in notebooks too, and has plain values and rows."""

    _compose: ClassVar[Any]  # the function that makes the report of `to_dict()`

    def report(self) -> Report:
        """The report that every output renders."""
        report: Report = self._compose(self.to_dict())
        return report

    def __str__(self) -> str:
        return report_text(self.report()).strip("\n")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return report_fragment(self.report())

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Flat rows with the same keys, ready for a data frame or a CSV file."""

    def to_frame(self) -> DataFrame:
        """The rows of `records` as a pandas data frame, without columns that are empty in all.

        Raises
        ------
        ImportError
            Without pandas.
        """
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise ImportError(
                "to_frame() needs pandas; install it (pip install pandas), or take the rows of "
                "records()"
            ) from error
        records = self.records()
        keys = dict.fromkeys(key for row in records for key in row)
        header = [key for key in keys if any(row[key] is not None for row in records)]
        return DataFrame([[row[key] for key in header] for row in records], columns=header)

    def to_csv(self) -> str:
        """The rows of `records` as CSV, without columns that are empty in all.

        Texts that a spreadsheet would take for a formula begin with an apostrophe.
        """
        records = self.records()
        return csv_text(list(records[0]), records) if records else ""

    def to_markdown(self) -> str:
        """The report as Markdown, as for a pull request."""
        return report_markdown(self.report())

    def to_latex(self) -> str:
        """The tables of the report as LaTeX (booktabs)."""
        from ..reports.latex import report_tex

        return report_tex(self.report())


@dataclass(frozen=True, eq=False, repr=False)
class Indexed(Tabular):
    """Plain values with a list, of which a name gives the entry: `found["span_f"]`."""

    result: dict[str, Any]
    _parts: ClassVar[tuple[str, str]]  # the key of the list, and that of the names in it

    def __getitem__(self, name: str) -> dict[str, Any]:
        """The entry of a name."""
        several, key = self._parts
        entries: dict[str, dict[str, Any]] = {one[key]: one for one in self.result[several]}
        if name not in entries:
            raise KeyError(f"{quoted(name)} is not among {', '.join(entries)}")
        return entries[name]

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return self.result


class PlainResult(Tabular, dict[str, Any]):
    """Plain values, ready for JSON."""

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return dict(self)


# --- scores

NUMBERS = (
    *("observed", "expected", "corrected"),
    *("observed_disagreement", "expected_disagreement", "low", "high"),
)


def score_records(layer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A flat row for each score of a layer: of all spans, of each label, of each document.

    `scope` is "all", "label" or "document"; `low` and `high` are the interval of the headline.
    """
    support = {"gold": layer["n_gold"], "pred": layer["n_pred"]}
    for metric, score in layer["scores"].items():
        rows = [("all", None, score | (score["relations"] or {}) | support)]
        rows += [("label", label, row) for label, row in score["per_label"].items()]
        rows += [("document", name, row) for name, row in (score["per_doc"] or {}).items()]
        for scope, name, row in rows:
            yield {
                "metric": metric,
                "scope": scope,
                "label": name if scope == "label" else None,
                "document": name if scope == "document" else None,
                **{key: row.get(key) for key in (*NUMBERS, "gold", "pred", *RELATIONS)},
            }


class FileScores(PlainResult):
    """Scores of files or of a pipeline, as the command `score` writes them, by layers."""

    _compose = staticmethod(score_report)

    def records(self) -> list[dict[str, Any]]:
        """A flat row for each score of each layer."""
        return [
            {"layer": " against ".join(layer_names(layer)), **row}
            for layer in self["layers"]
            for row in score_records(layer)
        ]
