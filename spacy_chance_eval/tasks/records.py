"""Flat records, a row for each span: data frames, and rows of CSV files, as `Spans`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Protocol

from numpy.typing import ArrayLike

from ..measures.messages import listed, printable, quoted
from ..measures.spans import Spans

DOCUMENT = ("document", "doc", "doc_id")  # the column with the document of a span
SPAN = ("start", "end", "label")
# columns of who annotated, and the function for rows of several of them
ANNOTATOR, SYSTEM = "annotator", "system"
TAKES = {ANNOTATOR: "agree(records)", SYSTEM: "leaderboard(gold, records)"}
WHOLE = re.compile(r"[0-9]+(\.0+)?")  # with a point if a frame with gaps became a CSV file
COLUMNS = f"columns {', '.join(SPAN)}, and one of {', '.join(DOCUMENT)}"


class Frame(Protocol):
    """A data frame: pandas' has `to_dict("records")`, that of polars `to_dicts()`."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


@dataclass(frozen=True)
class Records:
    """Rows of spans. A row without start, end and label is a document without spans.

    Parameters
    ----------
    rows : sequence of mappings
    document : str
        The column with the names of their documents.
    complete : bool
        Whether all documents that were seen have rows; else those without rows have no spans.
    """

    rows: Sequence[Mapping[str, Any]]
    document: str
    complete: bool = False

    @property
    def documents(self) -> set[str]:
        """The documents that have rows."""
        return {str(row.get(self.document)) for row in self.rows}

    @property
    def has_blanks(self) -> bool:
        """Whether a row stands for a document without spans."""
        return any(_is_blank(row) for row in self.rows)

    def by(self, column: str) -> dict[str, Records] | None:
        """The rows of each annotator or system by name; None without such a column."""
        if not any(column in row for row in self.rows):
            return None
        rows: dict[str, list[Mapping[str, Any]]] = {}
        for number, row in enumerate(self.rows, 1):
            if _is_missing(row.get(column)):
                raise ValueError(f"row {number} has no {column}: {quoted(dict(row))}")
            rows.setdefault(str(row[column]), []).append(row)
        return {name: replace(self, rows=own) for name, own in rows.items()}

    def spans(self, sizes: ArrayLike, names: Sequence[str] | None) -> Spans:
        """The spans of these documents.

        Parameters
        ----------
        sizes : integer array_like
            Lengths of the documents.
        names : sequence of str or None
            Their names; without, rows have numbers of documents, from 0.

        Raises
        ------
        ValueError
            For rows of other documents, of several annotators or systems, without start, end or
            label, and with values of another type.
        """
        for column, call in TAKES.items():
            several = self.by(column) or {}
            if len(several) > 1:
                raise ValueError(
                    f"rows of {len(several)} {column}s ({', '.join(several)}); expected those of "
                    f"one, or {call}"
                )
        lengths: list[Any] = list(sizes)  # type: ignore[arg-type]
        known = [str(i) for i in range(len(lengths))] if names is None else list(names)
        place = {name: i for i, name in enumerate(known)}
        documents: list[list[tuple[Any, Any, Any]]] = [[] for _ in known]
        for number, row in enumerate(self.rows, 1):
            name = str(row.get(self.document))
            if name not in place:
                there = listed(known[:3]) + (" ..." if len(known) > 3 else "")
                advice = ", as they have no names: sizes={name: length}" if names is None else ""
                raise ValueError(
                    f"row {number} has {self.document} {quoted(name)}, which is not among the "
                    f"documents: {there}{advice}"
                )
            if not _is_blank(row):
                documents[place[name]].append(_span(row, number))
        ours = self.documents
        seen = [name in ours for name in known] if self.complete else None
        return Spans.from_tuples(documents, lengths, names=names, seen=seen)


def with_records(given: Any) -> Any:
    """`Records` for a data frame, or a list of flat rows; anything else as it is."""
    if hasattr(given, "columns") and (hasattr(given, "to_dicts") or hasattr(given, "to_dict")):
        columns = [str(column) for column in given.columns]
        if not columns:
            return Records([], DOCUMENT[0])  # as frames are made of no rows
        rows = given.to_dicts() if hasattr(given, "to_dicts") else given.to_dict("records")
        if (document := _document_column(columns)) is None:
            raise ValueError(
                f"a data frame with columns {', '.join(columns)}; expected a row for each span, "
                f"with {COLUMNS}"
            )
        return Records(rows, document)
    if isinstance(given, (list, tuple)) and given and all(isinstance(r, Mapping) for r in given):
        keys = list(dict.fromkeys(key for row in given for key in row))
        if document := _document_column(keys):
            return Records(given, document)
    return given


def by_annotator(given: Any) -> Any:
    """The `Records` of each annotator by name, for rows with a column `annotator`.

    Rows without that column are `Records`, anything else stays as it is.
    """
    found = with_records(given)
    return (found.by(ANNOTATOR) if isinstance(found, Records) else None) or found


def with_all_records(given: Mapping[Any, Any]) -> dict[Any, Any]:
    """`with_records` of several annotations; among records an empty list has no rows."""
    found = {name: with_records(one) for name, one in given.items()}
    if any(isinstance(one, Records) for one in found.values()):
        empty = Records([], DOCUMENT[0])
        return {n: empty if isinstance(one, list) and not one else one for n, one in found.items()}
    return found


def with_seen(annotators: Mapping[str, Any]) -> dict[str, Any]:
    """Annotators, of whose records it is known which documents they saw.

    If any row stands for a document without spans, documents without rows have not been seen. Else
    they have been, without spans.

    Warns
    -----
    UserWarning
        For annotators who have no such row, and no row at all of documents of the others.
    """
    records = {name: one for name, one in annotators.items() if isinstance(one, Records)}
    everything = set().union(*(one.documents for one in records.values()))
    complete = any(one.has_blanks for one in records.values())
    unclear = [
        f"{printable(name)} {len(everything - one.documents)}"
        for name, one in records.items()
        if not one.has_blanks and everything - one.documents
    ]
    if unclear:
        reading = "not seen, as others have such rows" if complete else "seen, and without spans"
        warnings.warn(
            f"annotators without rows of some of the {len(everything)} documents: "
            f"{', '.join(unclear)}. These count as {reading}. A row without start, end and label "
            "says that an annotator saw a document without spans; documents without rows have not "
            "been seen then",
            stacklevel=5,
        )
    return {
        name: replace(one, complete=complete) if name in records else one
        for name, one in annotators.items()
    }


def lengths_by_name(sizes: Any) -> Any:
    """Lengths of documents: of a Series by the names of its index; anything else as it is."""
    if not hasattr(sizes, "items"):
        return sizes
    named: dict[str, Any] = {}
    for name, size in sizes.items():
        if str(name) in named:
            raise ValueError(
                f"sizes have the document {quoted(str(name))} twice; expected different names, or "
                "a list of lengths, in the order of the documents"
            )
        named[str(name)] = size
    return named


def _document_column(columns: Sequence[str]) -> str | None:
    """The column with the documents of spans, of rows of spans."""
    named = [name for name in DOCUMENT if name in columns]
    return named[0] if named and {*SPAN} <= {*columns} else None


def _span(row: Mapping[str, Any], number: int) -> tuple[int, int, str]:
    """The span of a row."""
    start, end = (_whole(row.get(key)) for key in SPAN[:2])
    label = row.get(SPAN[2])
    is_placed = isinstance(start, Integral) and isinstance(end, Integral)
    if not is_placed or not isinstance(label, str) or not label:
        raise ValueError(
            f"row {number} has {quoted(dict(row))}; expected whole numbers as start and end, and a "
            "text as label, or none of them for a document without spans"
        )
    return int(start), int(end), label


def _is_blank(row: Mapping[str, Any]) -> bool:
    """Whether a row stands for a document without spans."""
    return all(_is_missing(row.get(key)) for key in SPAN)


def _is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, nan, what pandas has for it, or no text in a CSV file."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return value == "" if isinstance(value, str) else isinstance(value, Real) and value != value


def _whole(value: Any) -> Any:
    """A number as an integer if it is whole: columns with gaps have floats, CSV files texts."""
    if isinstance(value, str):
        return int(value.partition(".")[0]) if WHOLE.fullmatch(value) else value
    if isinstance(value, Real) and not isinstance(value, Integral):
        return int(float(value)) if float(value).is_integer() else value
    return value
