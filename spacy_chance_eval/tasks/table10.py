"""Table 10 of Li et al. (2024) for any board: all documents, and two subsets by chance.

The paper calls 0.825 a level of chance, and Subset1 the sentences above it. Its numbers say
otherwise: with chance at 0.175, of which the difficulty 1 - chance is 0.825, the sentences with
entities of CoNLL-2003 fall into halves, as the text says, and the correction is small in Subset1,
as in the table. So Subset1 has the sentences of a difficulty of 0.825 and above.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..measures.arrays import BoolArray
from ..measures.spans import Spans
from ..metrics.request import Request
from ..scoring.subsets import divide
from .simulate import Cell, Table, cell, table

TABLE_10 = "table10"
METRIC = "token_f"
THRESHOLD = 0.175
SUBSETS = ("subset1", "subset2")


def check_table10(requests: Mapping[str, Request]) -> str:
    """The name of the metric of the table: token F, with a chance model.

    Raises
    ------
    ValueError
        If it is not among the requests.
    """
    for name, request in requests.items():
        if request.row.name == METRIC and request.placement != "none":
            return name
    if any(request.row.name == METRIC for request in requests.values()):
        raise ValueError("Table 10 is of token F with a chance model: leave out chance=none")
    raise ValueError(f"Table 10 is of token F with a chance model: add --metric {METRIC}")


def table10_parts(gold: Spans, requests: Mapping[str, Request]) -> dict[str, BoolArray]:
    """The two subsets: documents with spans, by the chance agreement of gold with itself."""
    request = requests[check_table10(requests)]
    parts = [*divide(gold, f"chance:{THRESHOLD}", request=request).values()]
    return dict(zip(SUBSETS, parts))


def table10(result: Mapping[str, Any], requests: Mapping[str, Request]) -> Table:
    """Observed and corrected token F with ranks, of all documents and of both subsets.

    Parameters
    ----------
    result : dict
        A leaderboard with the subsets of `table10_parts`.
    """
    metric = check_table10(requests)
    boards = {
        (one["subset"] or {"value": "all"})["value"]: one
        for one in result["boards"]
        if one["metric"] == metric
        and one["label"] is None
        and (one["subset"] or {"by": TABLE_10})["by"] == TABLE_10
    }
    names = ["all", *SUBSETS]
    n_docs = {name: boards[name]["n_docs"] if name in boards else 0 for name in names}
    rest = n_docs["all"] - sum(n_docs[name] for name in SUBSETS)
    about = (
        f"{metric} in the layout of Li et al. (2024); {n_docs['all']} documents; subset1: "
        f"{n_docs['subset1']} with chance up to {THRESHOLD}, subset2: {n_docs['subset2']} above it"
        f"; {rest} without spans"
    )
    columns = [title for name in names for title in (f"Obs {name}", "Rank", f"Cor {name}", "Rank")]
    rows = [
        (row["system"], [*_cells(row["system"], [boards.get(name) for name in names])])
        for row in boards["all"]["rows"]
    ]
    return table("Table 10", about, columns, rows)


def _cells(system: str, boards: list[Mapping[str, Any] | None]) -> Iterator[Cell]:
    """Observed and corrected score of a system, each with its rank, on each board."""
    for board in boards:
        rows = board["rows"] if board else ()
        row: Mapping[str, Any] = next((one for one in rows if one["system"] == system), {})
        for column in ("observed", "corrected"):
            standing = row.get(column) or {}
            yield from (cell(standing.get("score")), cell(standing.get("rank")))
