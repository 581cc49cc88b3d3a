"""Flat records, a row for each span: data frames, and rows of CSV files, as `Spans`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from numpy.typing import ArrayLike

from ..measures.spans import Spans
from ..measures.tuples import short

DOCUMENT = ("document", "doc", "doc_id", "id")  # the column with the document of a span
SPAN = ("start", "end", "label")
ANNOTATOR = "annotator"
COLUMNS = f"columns {', '.join(SPAN)}, and one of {', '.join(DOCUMENT)}"


class Frame(Protocol):
    """A data frame: pandas' has `to_dict("records")`, that of polars `to_dicts()`."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


@dataclass(frozen=True)
class Records:
    """Rows of spans, and the column with the names of their documents.

    A row without start, end and label is a document without spans.
    """

    rows: Sequence[Mapping[str, Any]]
    document: str

    def by_annotator(self) -> dict[str, Records] | None:
        """The rows of each annotator by name; None without such a column."""
        if not any(ANNOTATOR in row for row in self.rows):
            return None
        rows: dict[str, list[Mapping[str, Any]]] = {}
        for number, row in enumerate(self.rows, 1):
            if _is_missing(row.get(ANNOTATOR)):
                raise ValueError(f"row {number} has no {ANNOTATOR}: {short(dict(row))}")
            rows.setdefault(str(row[ANNOTATOR]), []).append(row)
        return {name: replace(self, rows=own) for name, own in rows.items()}

    def spans(self, sizes: ArrayLike, names: Sequence[str] | None) -> Spans:
        """The spans of these documents; those without rows have none.

        Parameters
        ----------
        sizes : integer array_like
            Lengths of the documents.
        names : sequence of str or None
            Their names; without, rows have numbers of documents, from 0.

        Raises
        ------
        ValueError
            For rows of other documents, of several annotators, and without start, end or label.
        """
        annotators = self.by_annotator() or {}
        if len(annotators) > 1:
            raise ValueError(
                f"rows of {len(annotators)} annotators ({', '.join(annotators)}); expected those "
                "of one, or agree(records)"
            )
        lengths: list[Any] = list(sizes)  # type: ignore[arg-type]
        known = [str(i) for i in range(len(lengths))] if names is None else list(names)
        place = {name: i for i, name in enumerate(known)}
        documents: list[list[tuple[Any, Any, Any]]] = [[] for _ in known]
        for number, row in enumerate(self.rows, 1):
            name = str(row.get(self.document))
            if name not in place:
                raise ValueError(_other_document(number, self.document, name, known, names))
            values = [row.get(key) for key in SPAN]
            if all(map(_is_missing, values)):
                continue
            if any(map(_is_missing, values)):
                raise ValueError(
                    f"row {number} has {short(dict(row))}; expected {', '.join(SPAN)}, or none of "
                    "them for a document without spans"
                )
            start, end, label = values
            documents[place[name]].append((_whole(start), _whole(end), label))
        return Spans.from_tuples(documents, lengths, names=names)


def with_records(given: Any) -> Any:
    """`Records` for a data frame, or a list of flat rows; anything else as it is.

    Raises
    ------
    ValueError
        For a data frame without the columns of spans.
    """
    if hasattr(given, "columns") and (hasattr(given, "to_dicts") or hasattr(given, "to_dict")):
        columns = [str(column) for column in given.columns]
        document = next((name for name in DOCUMENT if name in columns), None)
        missing = [name for name in SPAN if name not in columns]
        if document is None or missing:
            raise ValueError(
                f"a data frame with columns {', '.join(columns) or 'none'}; expected a row for "
                f"each span, with {COLUMNS}"
            )
        rows = given.to_dicts() if hasattr(given, "to_dicts") else given.to_dict("records")
        return Records(rows, document)
    if isinstance(given, (list, tuple)) and given and all(isinstance(r, Mapping) for r in given):
        keys = set().union(*given)
        document = next((name for name in DOCUMENT if name in keys), None)
        if document is not None and keys >= {*SPAN}:
            return Records(given, document)
    return given


def _other_document(
    number: int, column: str, name: str, known: Sequence[str], names: Sequence[str] | None
) -> str:
    """The message for a row of a document that is not there."""
    there = ", ".join(known[:3]) + (" ..." if len(known) > 3 else "")
    if names is None:
        return (
            f"row {number} has {column} {name!r}, but the documents have no names; expected "
            f"their numbers from 0 ({there}), or sizes={{name: length}}"
        )
    return f"row {number} has {column} {name!r}, which is not among the documents: {there}"


def _is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, nan, or what pandas has for it."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _whole(value: Any) -> Any:
    """A number as an integer if it is whole: columns with empty cells have floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
