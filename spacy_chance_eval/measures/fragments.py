"""Discontinuous spans, with gaps: "left ... atrium" in "left and right atrium".

`Spans.start` and `Spans.end` are the hull of a span, `Spans.fragments` its pieces. A measure that
looks at hulls alone would score another annotation: it calls `refuse_fragments`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .arrays import Array, BoolArray, IntArray
from .messages import quoted

if TYPE_CHECKING:
    from .spans import Spans

Pieces: TypeAlias = tuple[tuple[int, int], ...]
ONE_PIECE: Array = np.array(None, object)  # of a span of one piece
TWO_PIECES = "a discontinuous span is a list of pieces [start, end], such as [[0, 2], [5, 6]]"


def joined_pieces(fragments: Iterable[Sequence[int]]) -> tuple[int, int, Pieces | None]:
    """(start, end, pieces) of a set of pieces in any order; those that touch are one.

    `pieces` is None if one is left.

    Examples
    --------
    >>> joined_pieces([[5, 6], [0, 1], [1, 2]])
    (0, 6, ((0, 2), (5, 6)))
    >>> joined_pieces([[0, 1], [1, 2]])
    (0, 2, None)
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(map(_piece, fragments)):
        if found and start < found[-1][1]:
            last = list(found[-1])
            raise ValueError(f"pieces {last} and {[start, end]} overlap; pieces must lie apart")
        if found and start == found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    if not found:
        raise ValueError(f"a span without pieces; {TWO_PIECES}")
    return found[0][0], found[-1][1], tuple(found) if len(found) > 1 else None


def _piece(given: Any) -> tuple[int, int]:
    """A piece as (start, end)."""
    pair = isinstance(given, (list, tuple)) and len(given) == 2
    if not pair or any(
        isinstance(one, bool) or not isinstance(one, (int, np.integer)) for one in given
    ):
        raise ValueError(f"a piece is {quoted(given)}; {TWO_PIECES}")
    start, end = map(int, given)
    if not start < end:
        raise ValueError(f"piece {[start, end]} is empty or reversed; {TWO_PIECES}")
    return start, end


def fragment_column(given: Sequence[Sequence[Sequence[int]] | None] | Array) -> Array | None:
    """The pieces of spans as a column of tuples and None; None if no span has several."""
    column = np.empty(len(given), object)
    for row, fragments in enumerate(given):
        if fragments is not None:
            pieces = tuple(map(_piece, fragments))
            if joined_pieces(pieces)[2] != pieces:
                raise ValueError(
                    f"fragments {list(map(list, pieces))} are not two or more pieces in order and "
                    "apart from each other; join those that touch, and give None for a span of one"
                )
            column[row] = pieces
    return used_column(column)


def used_column(column: Array | None) -> Array | None:
    """The column of pieces, or None if no span has several."""
    if column is None or not _several(column).any():
        return None
    return column


def joined_columns(columns: Iterable[tuple[Array | None, int]], empty: Any = None) -> Array | None:
    """Columns of objects, each with its number of spans, one after the other.

    Where one is None, spans have the value `empty`; None if all are.
    """
    columns = list(columns)
    if all(column is None for column, _ in columns):
        return None
    joined = np.empty(sum(n for _, n in columns), object)
    joined[:] = [
        value for column, n in columns for value in ([empty] * n if column is None else column)
    ]
    return joined


def check_hulls(spans: Spans) -> None:
    """Raise ValueError for a span that does not reach from its first piece to its last."""
    for row in np.flatnonzero(discontinuous(spans)).tolist():
        first, *_, last = spans.fragments[row]  # type: ignore[index]
        if (first[0], last[1]) != (spans.start[row], spans.end[row]):
            raise ValueError(
                f"{spans.span_name(row)} has start {spans.start[row]} and end {spans.end[row]}; "
                "expected the start of its first piece and the end of its last"
            )


def fragment_ranks(column: Array) -> IntArray:
    """The rank of each span's pieces among all that occur: 0 for a span of one piece."""
    rows = np.flatnonzero(_several(column))
    own = column[rows].tolist()
    rank = {pieces: place for place, pieces in enumerate(sorted({*own}), 1)}
    ranks = np.zeros(len(column), np.int64)
    ranks[rows] = [rank[pieces] for pieces in own]
    return ranks


def _several(column: Array) -> BoolArray:
    """Whether each entry of a column has pieces."""
    return np.not_equal(column, ONE_PIECE).astype(np.bool_)


def fragment_codes(*sides: Spans) -> list[IntArray]:
    """A number for the pieces of each span of some annotators: equal for equal pieces alone.

    It is 0 for a span of one piece, so that (doc, start, end, label, code) identifies a span.
    """
    if all(side.fragments is None for side in sides):
        return [np.zeros(len(side), np.int64) for side in sides]
    whole = joined_columns([(side.fragments, len(side)) for side in sides])
    assert whole is not None
    return np.split(fragment_ranks(whole), np.cumsum([len(side) for side in sides])[:-1])


def have_fragments(*sides: Spans) -> bool:
    """Whether any span of some annotators may have several pieces."""
    return any(side.fragments is not None for side in sides)


def discontinuous(spans: Spans) -> BoolArray:
    """Whether each span has several pieces."""
    if spans.fragments is None:
        return np.zeros(len(spans), bool)
    return _several(spans.fragments)


def pieces(spans: Spans) -> tuple[IntArray, IntArray, IntArray]:
    """(row of the span, start, end) of each piece, in the order of rows and positions.

    A span of one piece is that piece: without discontinuous spans these are the columns of `spans`.
    """
    row = np.arange(len(spans))
    if spans.fragments is None:
        return row, spans.start, spans.end
    several = discontinuous(spans)
    own = spans.fragments[several].tolist()
    table = np.array([piece for some in own for piece in some], np.int64).reshape(-1, 2)
    rows = np.concatenate([row[~several], np.repeat(row[several], [*map(len, own)])])
    order = np.argsort(rows, kind="stable")
    start, end = (
        np.concatenate([column[~several], mine])[order]
        for column, mine in zip((spans.start, spans.end), table.T)
    )
    return rows[order], start, end


def n_tokens(spans: Spans) -> IntArray:
    """Number of tokens of each span, those in gaps left out."""
    if spans.fragments is None:
        return spans.lengths
    row, start, end = pieces(spans)
    return np.bincount(row, end - start, minlength=len(spans)).astype(np.int64)


REWRITE = "rewrite them as spans from their first to their last token, or as a span for each piece"


def refuse_fragments(what: str, *sides: Spans, advice: str = REWRITE) -> None:
    """Raise ValueError if any span has several pieces.

    `what` refuses such spans, at the beginning of the message: "diff"; `advice` stands at its end.
    """
    for spans in sides:
        rows = np.flatnonzero(discontinuous(spans))
        if len(rows):
            others = f" ({len(rows):,} such spans)" if len(rows) > 1 else ""
            raise ValueError(
                f"{what} cannot take discontinuous spans, and {spans.span_name(rows[0])} is one"
                f"{others}; {advice}"
            )
