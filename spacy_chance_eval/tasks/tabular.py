"""What all results have in common: plain values, rows, and one way to each output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from markupsafe import escape

from ..measures.differences import RELATIONS
from ..measures.messages import quoted
from ..reports.report import Report, report_fragment, report_markdown, report_text
from ..reports.scores import layer_names, score_report
from ..reports.tables import csv_text, markdown_text, pipe_table
from ..reports.words import number

if TYPE_CHECKING:
    from pandas import DataFrame


class Tabular(ABC):
    """A result that prints as tables, in notebooks too, and has plain values and rows."""

    @abstractmethod
    def __str__(self) -> str:
        """All tables, as one text."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

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
        header, rows = self._table()
        return DataFrame(rows, columns=header)

    def to_csv(self) -> str:
        """The rows of `records` as CSV, without columns that are empty in all.

        Texts that a spreadsheet would take for a formula begin with an apostrophe.
        """
        records = self.records()
        return csv_text(list(records[0]), records) if records else ""

    def to_markdown(self) -> str:
        """The rows of `records` as a table of Markdown, without columns that are empty in all."""
        header, rows = self._table()
        cells = [[*map(_shown, row)] for row in rows]
        left = next((n for n, one in enumerate(zip(*rows)) if _has_number(one)), len(header))
        return "\n".join(pipe_table(header, cells, left))

    def to_latex(self) -> str:
        """The rows of `records` as a table of LaTeX (booktabs), without columns empty in all."""
        from ..reports.latex import Table, cell, document

        header, rows = self._table()
        left = next((n for n, one in enumerate(zip(*rows)) if _has_number(one)), len(header))
        cells = [[cell(_shown(one)) for one in row] for row in rows]
        title = type(self).__name__
        return document([Table(title, title, (), [("", header)], cells, left=left)])

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        """The columns of `records` that are not empty in all rows, and their cells."""
        records = self.records()
        header = (
            [key for key in records[0] if any(row[key] is not None for row in records)]
            if records
            else []
        )
        return header, [[row[key] for key in header] for row in records]


def _has_number(column: Iterable[Any]) -> bool:
    return any(type(value) in (int, float) for value in column)


def _shown(value: Any) -> str:
    """A cell; numbers with four decimals."""
    return number(value) if type(value) is float or value is None else markdown_text(str(value))


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


class Reported(Tabular):
    """A result that is shown as a `Report`."""

    @abstractmethod
    def _report(self) -> Report:
        """The report that every output renders."""

    def __str__(self) -> str:
        return report_text(self._report()).strip("\n")

    def _repr_html_(self) -> str:
        return report_fragment(self._report())

    def to_markdown(self) -> str:
        """The report as Markdown, as for a pull request."""
        return report_markdown(self._report())

    def to_latex(self) -> str:
        """The tables of the report as LaTeX (booktabs)."""
        from ..reports.latex import report_tex

        return report_tex(self._report())


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


class FileScores(Reported, PlainResult):
    """Scores of files or of a pipeline, as the command `score` writes them, by layers."""

    def records(self) -> list[dict[str, Any]]:
        """A flat row for each score of each layer."""
        return [
            {"layer": " against ".join(layer_names(layer)), **row}
            for layer in self["layers"]
            for row in score_records(layer)
        ]

    def _report(self) -> Report:
        return score_report(self)
