"""Tables and figures of papers, made again: printed values beside ours.

A result holds `paper`, `tables` and `figures`. A table has a `key`, a `name`, a `title`, `columns`
and `rows`, each with a `name` and `cells`. A cell has a `value`, and if the paper prints one
`printed`; where the two disagree it also has `why`. A figure has `curves` of numbers over `x`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from math import perm
from typing import Any, TypeAlias

from ..about import __version__
from ..formats.errors import known
from ..measures.chance.placement import start_probabilities
from ..measures.chance.sharing import PLACEMENTS, no_overlap_probability
from ..measures.spans import Spans
from ..scoring.evaluation import evaluate

Cell: TypeAlias = dict[str, Any]
Table: TypeAlias = dict[str, Any]

UNKNOWN = "the reason is not known"

# --- the shape of results


def cell(value: float | str | None, printed: str | None = None, why: str = UNKNOWN) -> Cell:
    """A value, the one that a paper prints, and why they disagree, if they do.

    They agree where ours, rounded to as many decimals, is the printed one.
    """
    if printed is None:
        return {"value": value}
    decimals = len(printed.partition(".")[2])
    ours = value if isinstance(value, str) else "" if value is None else f"{value:.{decimals}f}"
    return {"value": value, "printed": printed} | ({} if ours == printed else {"why": why})


def table(
    name: str, title: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[Cell]]]
) -> Table:
    """A table of a result; its key is the name in small letters, without spaces."""
    return {
        "key": name.lower().replace(" ", ""),
        "name": name,
        "title": title,
        "columns": list(columns),
        "rows": [{"name": row, "cells": list(cells)} for row, cells in rows],
    }


def chosen_tables(result: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """The result with the tables and figures of some keys only; all of them without keys.

    Raises
    ------
    ValueError
        For a key that no table has.
    """
    every = [one["key"] for one in result["tables"]]
    wanted = [known(key, every, "table") for key in keys] or every
    parts = {
        name: [one for one in result[name] if one["key"] in wanted]
        for name in ("tables", "figures")
    }
    return {**result, **parts}


# --- Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation"

LONG_GOLD = "11100" * 5 + "1" * 16
SIM_1A = ("00011000111000111100", "00111000111100111110")
SIM_2B = ("00000011111111100000", "00001111111111110000")
# (number, {row of the table: the layouts of both annotators}), 1 for a token in a segment
SIMULATIONS: tuple[tuple[int, dict[str, tuple[str, str]]], ...] = (
    (1, {"CaseA": SIM_1A, "CaseB": (SIM_1A[0] + "0" * 10, SIM_1A[1] + "0" * 10)}),
    (2, {"CaseA": SIM_1A, "CaseB": SIM_2B}),
    (3, {"CaseA": ("00000000111000000000", "00000000111100000000"), "CaseB": SIM_2B}),
    (
        4,
        {
            "Annotator1": (LONG_GOLD, "11100" * 5 + "0" * 16),
            "Annotator2": (LONG_GOLD, "0" * 25 + "1" * 16),
        },
    ),
)
VARIED = (
    "the length of the text",
    "the number of segments",
    "the length of segments",
    "a long segment",
)
SCORES = ("ObsF1", "ChanceF1", "CorrF1", "ObsD", "ExpD", "Alpha", "ObsuD", "ExpuD", "uAlpha")
PRINTED = {
    (1, "CaseA"): "0.8571 0.5335 0.6938 0.0075 0.0537 0.8602 0.15 0.5313 0.7177",
    (1, "CaseB"): "0.8571 0.3544 0.7787 0.0033 0.0366 0.9090 0.10 0.4704 0.7874",
    (2, "CaseA"): "0.8571 0.5335 0.6938 0.0075 0.0537 0.8602 0.15 0.5313 0.7177",
    (2, "CaseB"): "0.8571 0.6455 0.5970 0.0125 0.1047 0.8806 0.15 0.5885 0.7451",
    (3, "CaseA"): "0.8571 0.1830 0.8251 0.0025 0.0388 0.9356 0.05 0.2996 0.8331",
    (3, "CaseB"): "0.8571 0.6455 0.5970 0.0125 0.1047 0.8806 0.15 0.5885 0.7451",
    (4, "Annotator1"): "0.6522 0.5013 0.3026 0.1523 0.2154 0.2931 0.3902 0.5222 0.2527",
    (4, "Annotator2"): "0.6808 0.5437 0.3005 0.0268 0.2881 0.9071 0.3659 0.5365 0.3181",
}
GAP = "the paper keeps the ten appended tokens as a gap of their own"
TRUNCATED = "the paper cuts the number off, and does not round it"
SLIPS = {
    (1, "CaseB", "ExpD"): GAP,
    (1, "CaseB", "Alpha"): GAP,
    (4, "Annotator2", "ObsF1"): TRUNCATED,
    (4, "Annotator2", "CorrF1"): TRUNCATED,
}
# Table 1: marks of two annotators in 7 tokens, then random ones, possible and impossible
TOY = {
    "Annotator1": ("0011101", "0101110", "1011010"),
    "Annotator2": ("0011111", "1111100", "0101111"),
}
FIGURE_1 = (100, (1, 5, 10, 15))
SIZES = (20, 30, 50, 100, 1000)


def simulate_chance() -> dict[str, Any]:
    """The tables and Figure 1 of Li et al. (2024), but for their corpus, which is `rank --table10`.

    Tables 2, 4, 6 and 8 are layouts of the simulations, and 3, 5, 7 and 9 their scores. Not in the
    paper: the start probabilities of Figure 1 as a table, and Proposition 4 in numbers.

    Returns
    -------
    dict
        `paper`, `tables` and `figures` as above, and `version`.
    """
    tables = [_toy()]
    for (number, rows), varied in zip(SIMULATIONS, VARIED, strict=True):
        tables += [_layouts(number, rows, varied), _scores(number, rows)]
    return {
        "paper": 'Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation"',
        "tables": [*tables, _starts(), _no_overlap()],
        "figures": [_figure()],
        "version": __version__,
    }


def lengths_of(layout: str) -> list[int]:
    """Lengths of the segments of a layout, the runs of 1 in a string of 0 and 1."""
    return [len(list(run)) for mark, run in groupby(layout) if mark == "1"]


def _annotator(layout: str) -> Spans:
    """The segments of a layout, all of one label."""
    spans, place = [], 0
    for mark, run in groupby(layout):
        start, place = place, place + len(list(run))
        if mark == "1":
            spans.append((start, place, "X"))
    return Spans.from_tuples([spans], [len(layout)], ["X"])


def _toy() -> Table:
    """Table 1: the probability of each random annotation, 0 where the model cannot draw it."""
    rows = []
    for name, (observed, *drawn) in TOY.items():
        lengths = sorted(lengths_of(observed))
        n_free = len(observed) - sum(lengths)
        n_placements = perm(n_free + len(lengths), len(lengths))
        cells = [cell(observed), cell(n_placements)]
        for layout in drawn:
            possible = sorted(lengths_of(layout)) == lengths
            cells += [cell(layout), cell(1 / n_placements if possible else 0.0)]
        rows.append((name, cells))
    columns = ["Observed", "placements", "Random", "P", "Invalid Random", "P"]
    return table("Table 1", "random annotations that the model can and cannot draw", columns, rows)


def _layouts(number: int, cases: dict[str, tuple[str, str]], varied: str) -> Table:
    """The layouts of a simulation; those of the fourth share gold."""
    if number == 4:
        gold = next(iter(cases.values()))[0]
        rows = [("Gold Standard", gold), *((name, two) for name, (_, two) in cases.items())]
        cells = [(name, [cell(layout)]) for name, layout in rows]
        return table("Table 8", f"Simulation 4: {varied}", ["Layout"], cells)
    cells = [
        (f"Annotator{i + 1}", [cell(layouts[i]) for layouts in cases.values()]) for i in range(2)
    ]
    columns = [f"Observed ({name})" for name in cases]
    return table(f"Table {2 * number}", f"Simulation {number}: {varied}", columns, cells)


def _scores(number: int, cases: dict[str, tuple[str, str]]) -> Table:
    """Token F before and after the correction, and Krippendorff's alphas of 1995 and 2016."""
    rows = []
    for name, layouts in cases.items():
        one, two = map(_annotator, layouts)
        token, alpha, u_alpha = evaluate(one, two, ["token_f", "alpha_u", "u_alpha"]).values()
        values = [token.observed, token.expected, token.value]
        for score in (alpha, u_alpha):
            values += [_rest(score.observed), _rest(score.expected), score.value]
        printed = PRINTED[number, name].split()
        rows.append(
            (
                name,
                [
                    cell(value, text, SLIPS.get((number, name, column), UNKNOWN))
                    for value, text, column in zip(values, printed, SCORES, strict=True)
                ],
            )
        )
    title = f"Simulation {number}: agreement, by chance and corrected, and alphas"
    return table(f"Table {2 * number + 1}", title, SCORES, rows)


def _rest(agreement: float | None) -> float | None:
    """The disagreement that an agreement leaves."""
    return None if agreement is None else 1 - agreement


def _starts() -> Table:
    """The start probabilities of Figure 1, up to where all are flat (Proposition 3)."""
    n, lengths = FIGURE_1
    curves = start_probabilities(n, lengths)
    flat_from = sum(lengths) - min(lengths) - len(lengths) + 2
    rows = [
        (str(start + 1), [cell(float(curve[start])) for curve in curves])
        for start in range(flat_from)
    ]
    title = f"start probabilities in {n} tokens, first half; flat from the last row on"
    return table("Figure 1", title, [f"length {length}" for length in lengths], rows)


def _figure() -> dict[str, Any]:
    """Figure 1 in full: a curve for each segment."""
    n, lengths = FIGURE_1
    return {
        "key": "figure1",
        "name": "Figure 1",
        "title": f"Start probabilities of segments in {n} tokens",
        "x": "start",
        "y": "probability",
        "curves": [
            {"name": f"length {length}", "x": list(range(1, len(curve) + 1)), "y": curve.tolist()}
            for length, curve in zip(lengths, start_probabilities(n, lengths))
        ],
    }


def _no_overlap() -> Table:
    """Proposition 4: the segments of Simulation 1 in longer and longer texts."""
    rows = []
    first, second = map(lengths_of, SIM_1A)
    for n in SIZES:
        one, two = (_annotator(layout + "0" * (n - len(layout))) for layout in SIM_1A)
        (score,) = evaluate(one, two, ["token_f"]).values()
        shares = [no_overlap_probability(n, first, second, placement) for placement in PLACEMENTS]
        rows.append((str(n), [cell(value) for value in (*shares, score.expected)]))
    title = "probability of no overlap, and expected F1, in n tokens (Simulation 1)"
    return table("Proposition 4", title, [*PLACEMENTS, "ChanceF1"], rows)
