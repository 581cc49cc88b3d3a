"""Scores over the steps of a training: tables, plots and a page. Plots need the extra `plots`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import plots
from .tables import fitted_table
from .words import Result, number, printable, quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Scores over the steps of training"
HOW_TO_READ = (
    "Observed: the score as usual. Expected: the mean score if the spans of both annotations, with "
    "their lengths, are placed at random. Corrected: (observed - expected) / (1 - expected); 0 is "
    "chance level. "
    "Score: the weighted score by which spaCy chooses the best model; of equal scores, the last is "
    "the best."
)
NO_LAYERS = (
    "the logs have no scores beyond chance to draw, which are those of spans, not of trees; give "
    "ner or spancat one of our scorers, or the pipeline the component chance_eval, and train again"
)
# colour, marker and line of each score, which can be distinguished without colour too
STYLES = {
    "observed": (plots.BEFORE, "o", "-"),
    "expected": (plots.LINE, "^", ":"),
    "corrected": (plots.AFTER, "s", "--"),
}
PAGE = {colour: colour for colour in plots.PAPER}  # pages choose the colours
TOP, NAME, AXES, FOOT = 0.3, 0.3, 1.9, 0.55  # inches: the legend; above, in, below each panel
LEFT, ACROSS = 0.09, 0.89  # shares of the width


def curves_text(curves: Result) -> str:
    """A table of every log, with the best step marked.

    Parameters
    ----------
    curves : dict
        The logs of training, as `tasks.curves.read_curves` returns them.
    """
    return "\n".join(text for log in curves["logs"] for text in _log_parts(log, curves))


def curves_page(curves: Result, version: str) -> str:
    """An HTML page with the plot of every layer and the table of every log.

    Parameters
    ----------
    curves : dict
        The logs of training, as `tasks.curves.read_curves` returns them.
    version : str
        The version of this package, for the footer.
    """
    from markupsafe import Markup

    from .html import page  # loads jinja2

    figures, missing = [], None
    try:
        figures = [
            (layer, Markup(curves_plot(curves, layer, f"plot-{i}")))
            for i, layer in enumerate(curves["layers"], 1)
        ]
    except ImportError:
        missing = plots.NO_PLOTS
    logs = [
        {
            **log,
            "summary": _log_summary(log),
            "cells": [_row_values(row, curves) for row in log["rows"]],
        }
        for log in curves["logs"]
    ]
    return page(
        "curves.html",
        curves=curves,
        title=TITLE,
        how_to_read=HOW_TO_READ,
        scores=list(STYLES),
        plots=figures,
        missing=missing,
        logs=logs,
        version=version,
    )


def curves_plot(curves: Result, layer: str, key: str = "curves") -> str:
    """The plot of a layer, one panel for each log, as an `<svg>` element inside a page."""
    figure = _figure(curves, [layer], PAGE)
    return plots.svg_element(figure, key, f"{TITLE}: {layer}", _description(curves))


def curves_svg(curves: Result) -> str:
    """The plots of all layers and logs, as the text of an SVG file.

    Parameters
    ----------
    curves : dict
        The logs of training, as `tasks.curves.read_curves` returns them.

    Raises
    ------
    ValueError
        If the logs have no scores beyond chance.
    """
    figure = _figure(curves, curves["layers"], plots.PAPER)
    return plots.svg_file(figure, "curves", TITLE, _description(curves))


def curves_png(curves: Result) -> bytes:
    """The plots of all layers and logs, as the bytes of a PNG file.

    Parameters
    ----------
    curves : dict
        The logs of training, as `tasks.curves.read_curves` returns them.

    Raises
    ------
    ValueError
        If the logs have no scores beyond chance.
    """
    return plots.png_file(_figure(curves, curves["layers"], plots.PAPER), TITLE)


# --- tables


def _log_parts(log: Result, curves: Result) -> Iterator[str]:
    """The table of one log, and notes on it."""
    yield f"\n{printable(log['path'])}, {curves['score']}: {_log_summary(log)}"
    if log["note"]:
        yield f"({log['note']})"
    several = len(curves["layers"]) > 1
    names = [
        f"{printable(layer)} {score}" if several else score
        for layer in curves["layers"]
        for score in STYLES
    ]
    rows = [
        ["best" * (i == log["best"]), *map(number, _row_values(row, curves))]
        for i, row in enumerate(log["rows"])
    ]
    yield fitted_table(["", "step", "epoch", "score", *names], rows, keys=2)


def _log_summary(log: Result) -> str:
    """How many evaluations a log has, and which is the best."""
    count = quantity(len(log["rows"]), "evaluation")
    if log["best"] is None:
        return f"{count}, none with a score"
    row = log["rows"][log["best"]]
    return f"{count}, the best at step {row['step']} with the score {number(row['score'])}"


def _row_values(row: Result, curves: Result) -> list[float | None]:
    """Step, epoch, weighted score, and the three scores of every layer."""
    metric = curves["score"]
    scores = (_value(row, layer, metric, name) for layer in curves["layers"] for name in STYLES)
    return [row["step"], row["epoch"], row["score"], *scores]


def _value(row: Result, layer: str, metric: str, name: str) -> float | None:
    """One score of an evaluation; None where the log has none."""
    return row["layers"].get(layer, {}).get(metric, {}).get(name)


# --- plots


def _description(curves: Result) -> str:
    """The content of a plot, for those who do not see it."""
    logs = "; ".join(f"{log['path']}: {_log_summary(log)}" for log in curves["logs"])
    return (
        f"Observed (circles), expected (triangles) and corrected (squares) {curves['score']} by "
        f"step; a vertical line marks the best step. {logs}. The table has the numbers."
    )


def _figure(curves: Result, layers: Sequence[str], colours: Mapping[str, str]) -> Figure:
    """A figure with a panel for every layer and log, all on the same scales."""
    if not layers:
        raise ValueError(NO_LAYERS)
    panels = [(layer, log) for layer in layers for log in curves["logs"]]
    height = TOP + len(panels) * (NAME + AXES + FOOT)
    steps, scores = _limits(curves, layers)
    with plots.new_figure(height) as figure:
        for i, (layer, log) in enumerate(panels):
            bottom = TOP + i * (NAME + AXES + FOOT) + NAME + AXES
            axes = figure.add_axes((LEFT, 1 - bottom / height, ACROSS, AXES / height))
            _draw_panel(axes, log, layer, curves["score"], i, colours)
            axes.set(xlim=steps, ylim=scores)
            _draw_labels(axes, log, layer, colours)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        style = {"ncols": 3, "frameon": False, "labelcolor": colours[plots.TEXT]}
        figure.legend(handles, labels, loc="upper right", borderaxespad=0.2, **style)
    return figure


def _draw_panel(
    axes: Axes, log: Result, layer: str, metric: str, panel: int, colours: Mapping[str, str]
) -> None:
    """Draw the three curves of a log, with gaps where a score is missing, and its best step.

    Ids are like `observed-0`: the score, and the number of the panel.
    """
    steps = [row["step"] for row in log["rows"]]
    if log["best"] is not None:
        colour = colours[plots.LINE]
        axes.axvline(steps[log["best"]], color=colour, linewidth=1, gid=f"best-{panel}")
    for name, (colour, marker, line) in STYLES.items():
        values = [_value(row, layer, metric, name) for row in log["rows"]]
        axes.plot(
            steps,
            [math.nan if value is None else value for value in values],
            label=name,
            gid=f"{name}-{panel}",
            color=colours[colour],
            linestyle=line,
            linewidth=1.4,
            marker=marker,
            markersize=3.5,
            clip_on=False,
        )


def _draw_labels(axes: Axes, log: Result, layer: str, colours: Mapping[str, str]) -> None:
    """Draw name, scales and frame of a panel."""
    text, line = colours[plots.TEXT], colours[plots.LINE]
    best = "" if log["best"] is None else f"best: step {log['rows'][log['best']]['step']}"
    room = plots.POINTS * ACROSS - plots.text_width(best) - 3 * plots.MARGIN
    path = "/".join(Path(log["path"]).parts[-2:])
    name = plots.fitting_name(f"{layer}: {path}", room)
    axes.text(0, 1.05, name, transform=axes.transAxes, color=text)
    axes.text(1, 1.05, best, transform=axes.transAxes, color=text, ha="right")
    axes.set_xlabel("step", color=text)
    axes.locator_params(axis="x", nbins=6, integer=True)
    axes.locator_params(axis="y", nbins=5)
    plots.draw_frame(axes, text, line)


def _limits(
    curves: Result, layers: Sequence[str]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The limits of steps and of scores, 0 included, that all panels share."""
    metric = curves["score"]
    rows = [row for log in curves["logs"] for row in log["rows"]]
    scores = (
        _value(row, layer, metric, name) for row in rows for layer in layers for name in STYLES
    )
    values = [0.0, *(value for value in scores if value is not None)]
    low, high = min(values), max(values)
    margin = 0.03 * (high - low or 1.0)
    return (0, max(1, *(row["step"] for row in rows))), (low - margin, high + margin)
