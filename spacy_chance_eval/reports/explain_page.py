"""The page that explains a score, with plots of where spans fall by chance.

Plots need the extra `plots`; without it, the page has its tables alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from ..corpora.pairs import CorpusPair
from ..formats import FormatError
from ..formats.files import write_atomically
from . import explain
from .drawing import draw_document, span_renderer
from .explain import entry_title
from .html import page
from .plots import AFTER, BEFORE, LINE, NO_PLOTS, fitting_name, new_figure, svg_element
from .words import Result, TableRow, number, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# of the page
TOKENS = 300  # rows of the table of tokens
STARTS = 30  # rows of the table of starts
UNITS = 12  # units whose starts have a table
ROWS = 200  # spans, pairs, documents
PASSAGES = 8  # if there are more, they are folded
# of plots
HEIGHT = 2.9  # inches
FRAME = (0.15, 0.17, 0.82)  # left, foot, width: shares of the figure
LEGEND = 0.17  # inches a row
DASHES = ("-", (0, (5, 2)), (0, (1, 1.4)), (0, (6, 2, 1, 2)), (0, (9, 3)), (0, (3, 1, 1, 1, 1, 1)))
NAMED = 8  # kinds of segments in a legend; of more only these have a name
ROOM = 90  # points of a name in a legend
FEW = 30  # places, up to which each has its dot
SIDE_STYLES = {"gold": (BEFORE, "-", "o"), "pred": (AFTER, (0, (4, 2)), "s")}
STARTS_NOTE = "The table of starts has the numbers."


def explain_page(result: Result, drawn: Result | None = None) -> str:
    """An explanation of the scores of a document or a corpus, as one HTML page."""
    facts, names = explain.explanation_details(result), result["names"]
    if "levels" in result:
        return page(
            "explain_corpus.html",
            result=result,
            facts=facts,
            levels=[_corpus_level(result, name) for name in result["levels"]],
            heads=_capitalised(explain.share_heads(names)),
        )
    panels, missing = [], None
    for i, entry in enumerate(explain.shown_entries(result)):
        panel = _panel(result, entry, f"label-{i}")
        try:
            panel["plots"] = _plots(result, entry, panel["id"])
        except ImportError:
            missing = NO_PLOTS
        panels.append(panel)
    n_passages = len(drawn["passages"]) if drawn else 0
    return page(
        "explain.html",
        result=result,
        facts=facts,
        names=names,
        size=explain.document_size(result),
        drawn=drawn,
        n_folded=n_passages if n_passages > PASSAGES else 0,
        panels=panels,
        missing=missing,
        remark=result["labels"][0]["slicm"]["remark"],
        pair_heads=_capitalised(explain.slicm_heads(names)),
    )


def write_explain_page(result: Result, compared: CorpusPair, path: str | Path) -> None:
    """Write an explanation as one page.

    Parameters
    ----------
    result : dict
        What `explain_document` or `explain_corpus` returns.
    compared : CorpusPair
        The annotations that were explained.
    path : str or Path
        Ends in .html.

    Raises
    ------
    FormatError
        If the path does not, or cannot be written.
    """
    if Path(path).suffix.lower() != ".html":
        raise FormatError("an explanation is one page; name a file that ends in .html", path)
    drawn = None if "levels" in result else draw_explained(result, compared)
    write_atomically(path, explain_page(result, drawn))


# --- tables


def draw_explained(result: Result, compared: CorpusPair) -> TableRow:
    """The text of the explained document with the labels of both annotations."""
    labels = {entry["label"] for entry in result["labels"]}
    both = ((compared.gold, compared.gold_layer), (compared.pred, compared.pred_layer))
    sides = []
    for corpus, layer in both:
        spans = corpus.documents[result["place"]].layers.get(layer) or ()
        sides.append({span for span in spans if span[2] in labels})
    wrong = [span[:2] for span in sides[0] ^ sides[1]]
    document = compared.gold.documents[result["place"]]
    renderer = span_renderer(compared.aligned()[0].labels)
    return draw_document(renderer, document, compared.positions, list(map(sorted, sides)), wrong)


def _panel(result: Result, entry: Result, key: str) -> TableRow:
    """One label, or all together, as texts and cells."""
    whole = entry["label"] is None
    slicm = entry["slicm"]
    panel = {
        "id": key,
        "title": explain.TOGETHER.capitalize() if whole else entry["label"],
        "whole": whole,
        "plots": [],
        "levels": [_level(result, entry, level) for level in ("span", "token")],
        "slicm": {
            "metric": slicm["metrics"]["slicm"],
            "prior": None if whole else explain.prior_text(slicm["prior"]),
            "pairs": [] if whole else explain.slicm_rows(slicm)[:ROWS],
            "steps": explain.slicm_steps(slicm, result["names"]),
        },
    }
    return panel if whole else panel | _placement_tables(result, entry)


def _level(result: Result, entry: Result, level: str) -> TableRow:
    """The steps to the scores of spans or tokens."""
    expected = entry["label"] is not None and entry[level]["expected"] is not None
    matches = level == "span" and entry.get("matches")
    return {
        "metric": entry[level]["metrics"]["f"],
        "sum": explain.sum_text(result, level) if expected else None,
        "matches": explain.match_rows(entry) if matches else [],
        "steps": explain.level_steps(entry[level], level, result["names"]),
        "scores": explain.score_cells(entry[level]),
    }


def _placement_tables(result: Result, entry: Result) -> TableRow:
    """Where the tokens and segments of one label fall by chance."""
    tokens, left_out = explain.token_rows(result, entry, TOKENS)
    units = []
    for unit in entry["units"][:UNITS]:
        sides = [(side, name) for side, name in zip(("gold", "pred"), result["names"])]
        units.append(
            {
                "unit": unit,
                "lengths": [explain.lengths(unit, side) for side, _ in sides],
                "rows": explain.start_rows(unit, result["names"])[:ROWS],
                "tables": [
                    (name, *explain.start_table(unit, side, STARTS))
                    for side, name in sides
                    if unit[side]["kinds"]
                ],
                "inner": explain.INNER if explain.has_parents(unit) else None,
            }
        )
    return {
        "tokens": tokens,
        "left_out": left_out,
        "units": units,
        "more_units": len(entry["units"]) - len(units),
        "unplaced": [
            (name, len(entry["unplaced"][side]))
            for side, name in zip(("gold", "pred"), result["names"])
        ],
    }


def _capitalised(heads: list[str]) -> list[str]:
    """Titles of columns, of which the first two are names."""
    return [*heads[:2], *(head[0].upper() + head[1:] for head in heads[2:])]


def _corpus_level(result: Result, name: str) -> TableRow:
    """Spans or tokens of a corpus, as texts and cells."""
    level = result["levels"][name]
    documents = level["documents"]
    return {
        "metric": level["total"]["metrics"]["f"],
        "reason": level["total"]["reason"],
        "steps": explain.level_steps(level["total"], name, result["names"]),
        "by_label": [explain.share_cells(row, row["label"]) for row in level["by_label"]],
        "documents": [explain.share_cells(row, row["document"]) for row in documents[:ROWS]],
        "more": max(len(documents) - ROWS, 0),
    }


# --- plots


def _plots(result: Result, entry: Result, key: str) -> list[tuple[str, Markup]]:
    """Captions and plots of one label."""
    if entry["label"] is None:
        return []
    plots = [("By chance: covered tokens", coverage_plot(result, entry, f"{key}-c"))]
    for side, name in zip(("gold", "pred"), result["names"]):
        plot = starts_plot(result, entry, side, f"{key}-{side}")
        plots.append((f"By chance: starts of {name} segments", plot))
    return [(caption, Markup(svg)) for caption, svg in plots if svg]


def coverage_plot(result: Result, entry: Result, key: str) -> str:
    """How likely each token is covered by chance, for both annotations, as an `<svg>` element.

    Bars beneath the axis are the annotation as it is. Tokens of no unit are left out.
    """
    columns = explain.chance_columns(result, entry)
    with new_figure(HEIGHT) as figure:
        axes = _axes(figure, rows=1)
        deepest = -0.16 * max(1e-9, *(max(_values(column), default=0) for column in columns[:2]))
        for column, name, side in zip(columns, result["names"], SIDE_STYLES):
            _draw_curve(axes, column, f"P({fitting_name(name, ROOM)} covers)", side, result["n"])
            _draw_bars(axes, entry["spans"][side], side, deepest)
        axes.set_ylim(bottom=1.25 * deepest)
        _draw_labels(axes, result, 2)
    title = f"Probability of being covered at random, {entry_title(entry['label'])}"
    texts = (_curve_text(column, name) for column, name in zip(columns, result["names"]))
    return svg_element(figure, key, title, " ".join(texts))


def starts_plot(result: Result, entry: Result, side: str, key: str) -> str:
    """How likely each start of each segment of one annotation is by chance, as an `<svg>` element.

    One line for all segments that fall alike; empty where there are no segments.
    """
    kinds = [(unit["start"], kind) for unit in entry["units"] for kind in unit[side]["kinds"]]
    kinds.sort(key=lambda pair: pair[1]["length"])
    if not kinds:
        return ""
    lengths = sorted({kind["length"] for _, kind in kinds})
    unnamed = lengths[:NAMED]  # by the legend, so far
    rows = -(-len(unnamed) // 4)
    with new_figure(HEIGHT + (rows - 1) * LEGEND) as figure:
        axes = _axes(figure, rows)
        for i, (first, kind) in enumerate(kinds):
            length = kind["length"]
            label = f"length {length}" if length in unnamed else None
            rank = lengths.index(length)
            _draw_starts(axes, first, kind["starts"], rank, label, side, f"starts-{side}-{i}")
            if label:
                unnamed.remove(length)
        axes.set_ylim(bottom=0)
        _draw_labels(axes, result, 4)
    name = printable(result["names"][0 if side == "gold" else 1])
    text = f"A line for each length of segments: {', '.join(map(str, lengths))}. {STARTS_NOTE}"
    title = f"Probability of each start, {name}, {entry_title(entry['label'])}"
    return svg_element(figure, key, title, text)


def _values(column: Mapping[int, float | None]) -> list[float]:
    """The values that a column has, in the order of the tokens."""
    return [value for _, value in sorted(column.items()) if value is not None]


def _curve_text(column: Mapping[int, float | None], name: str) -> str:
    """The course of a curve in words."""
    values = _values(column)
    if not values:
        return ""
    first, middle = number(values[0]), number(values[(len(values) - 1) // 2])
    highest = number(max(values))
    return (
        f"{printable(name)}: {first} at the first token, {middle} in the middle, at most {highest}."
    )


def _draw_curve(
    axes: Axes, column: Mapping[int, float | None], label: str, side: str, n: int
) -> None:
    """Draw a curve over the tokens, with gaps at tokens that have no value."""
    colour, dashes, marker = SIDE_STYLES[side]
    values = [column.get(token) for token in range(n)]
    axes.plot(
        range(1, n + 1),
        [math.nan if value is None else value for value in values],
        color=colour,
        linestyle=dashes,
        linewidth=1.6,
        marker=marker if n <= FEW else None,
        markersize=3,
        label=label,
        gid=f"covered-{side}",
    )


def _draw_bars(axes: Axes, spans: Sequence[Result], side: str, deepest: float) -> None:
    """Draw spans as bars beneath the axis: gold above, the prediction below."""
    height = 0.45 if side == "gold" else 0.9
    for span in spans:
        axes.plot(
            [span["start"] + 0.6, span["end"] + 0.4],
            [height * deepest] * 2,
            color=SIDE_STYLES[side][0],
            linewidth=3.2,
            solid_capstyle="butt",
            gid=f"span-{side}-{span['number']}",
        )


def _draw_starts(
    axes: Axes,
    first: int,
    starts: Sequence[float],
    rank: int,
    label: str | None,
    side: str,
    gid: str,
) -> None:
    """Draw the distribution of the starts of segments; `rank` chooses the line."""
    axes.plot(
        range(first + 1, first + 1 + len(starts)),
        starts,
        color=SIDE_STYLES[side][0],
        linestyle=DASHES[rank % len(DASHES)],
        linewidth=1.8 if rank < len(DASHES) else 0.9,
        marker="o" if len(starts) <= FEW else None,
        markersize=2.5,
        label=label,
        gid=gid,
    )


def _axes(figure: Figure, rows: int) -> Axes:
    """The axes of a figure, below a legend of some rows."""
    left, foot, width = FRAME
    height = figure.get_figheight()
    top = (0.15 + rows * LEGEND) / height
    return figure.add_axes((left, foot, width, 1 - foot - top))


def _draw_labels(axes: Axes, result: Result, columns: int) -> None:
    """Draw scales, labels and a legend above the plot."""
    axes.set_xlabel(explain.POSITION_NAMES[result["positions"]])
    axes.set_ylabel("probability")
    axes.set_xlim(0.5, result["n"] + 0.5)
    axes.locator_params(axis="x", integer=True)
    axes.grid(axis="y", color=LINE, alpha=0.3, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_yticks([tick for tick in axes.get_yticks() if tick >= 0])
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False)
