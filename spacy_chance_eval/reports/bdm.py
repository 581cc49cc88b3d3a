"""How close the concepts of an ontology are, as text."""

from __future__ import annotations

from .tables import detail_lines, fitted_table
from .words import DASH, Result, number, printable, quantity

HEADER = ("key", "response", "bdm", "msca", "cp", "dpk", "dpr", "n1", "n2", "bran")


def bdm_text(result: Result) -> str:
    """The size of an ontology, and its closest pairs of different concepts.

    Parameters
    ----------
    result : dict
        The result of `tasks.bdm.BdmTable.result`.
    """
    chosen = result["n_chosen"]
    size = [quantity(result["n_concepts"], "concept"), quantity(result["n_roots"], "root")]
    size.append(f"{result['n_leaves']} without children")
    pairs = f"{result['n_pairs']} of {quantity(chosen, 'concept')}, each with itself, too"
    near = f"{result['n_close']} of different concepts are above 0"
    shape = f"{number(result['n0'])} edges (n0); {number(result['mean_children'])} children"
    details = [
        ("Ontology", f"{result['ontology']}: {', '.join(size)}"),
        ("Mean", f"chain from a root to a leaf {shape} of a concept that has any"),
        ("Pairs", f"{pairs}; {near}"),
    ]
    lines = ["", *detail_lines(details)]
    if result["closest"]:
        rows = [
            [printable(row["key"]), printable(row["response"]), number(row["bdm"])]
            + [DASH if row["msca"] is None else printable(row["msca"])]
            + [number(row[name]) for name in ("cp", "dpk", "dpr", "n1", "n2", "branching")]
            for row in result["closest"]
        ]
        lines += ["\nclosest pairs", fitted_table(HEADER, rows, keys=2)]
    return "\n".join(lines)
