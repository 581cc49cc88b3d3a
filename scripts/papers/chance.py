"""Make the tables and Figure 1 of Li et al. (2024) again; Table 10 for any board.

    python scripts/papers/chance.py [--only table3,table9] [--to text|md|csv|json|svg] [-o FILE]
    python scripts/papers/chance.py --table10 BOARD.json [--to text|md|csv|json] [-o FILE]

Tables 2, 4, 6 and 8 are layouts of the simulations, and 3, 5, 7 and 9 their scores. Not in the
paper: the start probabilities of Figure 1 as a table, and Proposition 4 in numbers. Printed values
stand beside ours in CSV and JSON, and where they differ a value has a mark.

BOARD.json is what `score` writes, with two parts by chance if it was called like this:

    spacy-chance-eval score GOLD SYSTEMS... -m token_f --subset chance:.175 -o board.json
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from math import perm
from pathlib import Path
from typing import Any

from printing import UNKNOWN, Cell, Result, Table, cell, made_again, parser, table, write

from spacy_chance_eval import Spans, evaluate
from spacy_chance_eval.measures import no_overlap_probability, start_probabilities

PAPER = 'Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation"'
LONG_GOLD = "11100" * 5 + "1" * 16
SIM_1A = ("00011000111000111100", "00111000111100111110")
SIM_2B = ("00000011111111100000", "00001111111111110000")
# (number, {row of the table: the layouts of both annotators}), 1 for a token in a segment
SIMULATIONS: tuple[tuple[int, str, dict[str, tuple[str, str]]], ...] = (
    (
        1,
        "the length of the text",
        {"CaseA": SIM_1A, "CaseB": (SIM_1A[0] + "0" * 10, SIM_1A[1] + "0" * 10)},
    ),
    (2, "the number of segments", {"CaseA": SIM_1A, "CaseB": SIM_2B}),
    (
        3,
        "the length of segments",
        {"CaseA": ("00000000111000000000", "00000000111100000000"), "CaseB": SIM_2B},
    ),
    (
        4,
        "a long segment",
        {
            "Annotator1": (LONG_GOLD, "11100" * 5 + "0" * 16),
            "Annotator2": (LONG_GOLD, "0" * 25 + "1" * 16),
        },
    ),
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
OF_LAYOUTS = "token_f(unit=document)"  # a layout is one text
SIZES = (20, 30, 50, 100, 1000)


def simulations() -> Result:
    """The tables and Figure 1, but for Table 10, which is of a corpus."""
    tables = [_toy()]
    for number, varied, cases in SIMULATIONS:
        tables += [_layouts(number, varied, cases), _scores(number, cases)]
    return made_again(PAPER, [*tables, _starts(), _no_overlap()])


def segments(layout: str) -> list[tuple[int, int]]:
    """Start and end of each segment of a layout, the runs of 1 in a string of 0 and 1."""
    found, place = [], 0
    for mark, run in groupby(layout):
        start, place = place, place + len(list(run))
        if mark == "1":
            found.append((start, place))
    return found


def lengths_of(layout: str) -> list[int]:
    """Lengths of the segments of a layout."""
    return [end - start for start, end in segments(layout)]


def _annotator(layout: str) -> Spans:
    """The segments of a layout, all of one label."""
    spans = [(*segment, "X") for segment in segments(layout)]
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


def _layouts(number: int, varied: str, cases: dict[str, tuple[str, str]]) -> Table:
    """The layouts of a simulation; those of the fourth share gold."""
    if number == 4:
        columns = ["Layout"]
        rows = [("Gold Standard", [cell(LONG_GOLD)])]
        rows += [(name, [cell(layout)]) for name, (_, layout) in cases.items()]
    else:
        columns = [f"Observed ({name})" for name in cases]
        rows = [
            (f"Annotator{i + 1}", [cell(layouts[i]) for layouts in cases.values()])
            for i in range(2)
        ]
    return table(f"Table {2 * number}", f"Simulation {number}: {varied}", columns, rows)


def _scores(number: int, cases: dict[str, tuple[str, str]]) -> Table:
    """Token F before and after the correction, and Krippendorff's alphas of 1995 and 2016."""
    rows = []
    for name, layouts in cases.items():
        one, two = map(_annotator, layouts)
        token, *alphas = evaluate(one, two, [OF_LAYOUTS, "alpha_u", "u_alpha"]).values()
        values = [token.observed, token.expected, token.headline]
        for score in alphas:  # disagreement is 1 - agreement
            values += [1 - score.observed, 1 - score.expected, score.headline]
        printed = PRINTED[number, name].split()
        cells = [
            cell(value, said, SLIPS.get((number, name, column), UNKNOWN))
            for value, said, column in zip(values, printed, SCORES, strict=True)
        ]
        rows.append((name, cells))
    title = f"Simulation {number}: agreement, by chance and corrected, and alphas"
    return table(f"Table {2 * number + 1}", title, SCORES, rows)


def _starts() -> Table:
    """The start probabilities of Figure 1, up to where all are flat (Proposition 3)."""
    n, lengths = FIGURE_1
    starts = dict(zip(lengths, start_probabilities(n, lengths)))
    flat_from = sum(lengths) - min(lengths) - len(lengths) + 2
    columns = [f"length {length}" for length in lengths]
    rows = [
        (str(start + 1), [cell(float(curve[start])) for curve in starts.values()])
        for start in range(flat_from)
    ]
    title = f"start probabilities in {n} tokens, first half; flat from the last row on"
    lines = {
        name: ([*range(1, len(curve) + 1)], curve.tolist())
        for name, curve in zip(columns, starts.values())
    }
    drawn = f"start probabilities of segments in {n} tokens"
    curves = {"title": drawn, "x": "start", "y": "probability", "lines": lines}
    return table("Figure 1", title, columns, rows, curves)


def _no_overlap() -> Table:
    """Proposition 4: the segments of Simulation 1 in longer and longer texts."""
    lengths = [lengths_of(layout) for layout in SIM_1A]
    rows = []
    for n in SIZES:
        one, two = (_annotator(layout.ljust(n, "0")) for layout in SIM_1A)
        expected = evaluate(one, two, [OF_LAYOUTS])[OF_LAYOUTS].expected
        rows.append(
            (str(n), [cell(value) for value in (no_overlap_probability(n, *lengths), expected)])
        )
    title = "probability of no overlap, and expected F1, in n tokens (Simulation 1)"
    return table("Proposition 4", title, ["disjoint", "ChanceF1"], rows)


# --- Table 10. The paper calls 0.825 a level of chance, and Subset1 the sentences above it. Its
# numbers say otherwise: with chance at 0.175, of which the difficulty 1 - chance is 0.825, the
# sentences with entities of CoNLL-2003 fall into halves, as the text says, and the correction is
# small in Subset1, as in the table. So Subset1 has the sentences of a chance up to 0.175.

METRIC = "token_f"
PARTS = {"subset1": "up to", "subset2": "above"}  # how the names of parts begin, with a threshold


def table10(board: dict[str, Any]) -> Result:
    """Observed and corrected scores with ranks, of all documents and of two parts by chance.

    Parameters
    ----------
    board : dict
        The JSON of a board. Of its metrics token F is taken; the first one if it is not there.

    Raises
    ------
    ValueError
        If the metric has no chance model, or this is no board.
    """
    is_board = isinstance(board, dict) and str(board.get("schema")).startswith("leaderboard.")
    if not is_board or not board.get("boards"):
        raise ValueError("Table 10 is made of the JSON of a board; write it with -o board.json")
    of_all = [one for one in board["boards"] if one["label"] is None]
    metrics = [one["metric"] for one in of_all]
    metric = next((one for one in metrics if one.partition("(")[0] == METRIC), metrics[0])
    boards = {"all": next(one for one in of_all if one["metric"] == metric)}
    if all("corrected" not in row for row in boards["all"]["rows"]):
        raise ValueError(f"Table 10 needs a metric with a chance model, such as -m {METRIC}")
    about = f"{metric} in the layout of the paper; {boards['all']['n_docs']} documents"
    parts = {
        one["subset"]["value"]: one
        for one in of_all
        if one["metric"] == metric
        and re.fullmatch("chance:[^,]+", (one["subset"] or {}).get("by", ""))
    }
    for name, beginning in PARTS.items():
        for part, one in parts.items():
            if part.startswith(beginning):
                boards[name] = one
                about += f"; {name}: {one['n_docs']}, {part}"
    if len(boards) == 1:
        about += "; two parts are made by --subset chance:.175 of rank"
    columns = [title for name in boards for title in (f"Obs {name}", "Rank", f"Cor {name}", "Rank")]
    systems = [row["system"] for row in boards["all"]["rows"]]
    rows = ((system, _standings(system, boards.values())) for system in systems)
    return made_again(PAPER, [table("Table 10", about, columns, rows)])


def _standings(system: str, boards: Any) -> Iterator[Cell]:
    """Observed and corrected score of a system, each with its rank, on each board."""
    for board in boards:
        row = next((one for one in board["rows"] if one["system"] == system), {})
        for column in ("observed", "observed_rank", "corrected", "rank"):
            yield cell(row.get(column))


def main() -> None:
    """Print the tables."""
    options = parser(__doc__)
    options.add_argument("--table10", metavar="BOARD.json", type=Path, help="Table 10 of a board")
    asked = options.parse_args()
    try:
        if asked.table10:
            made = table10(json.loads(asked.table10.read_text(encoding="utf8")))
        else:
            made = simulations()
        write(made, asked)
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
