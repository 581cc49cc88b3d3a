"""Plots of scores over the steps of a training. Needs matplotlib (extra `plots`)."""

import io
import math
from pathlib import Path

from . import plots
from .words import number, right_aligned, shown

# told apart without colour too: colour, marker, line
STYLES = {
    "observed": (plots.BEFORE, "o", "-"),
    "expected": (plots.LINE, "^", ":"),
    "corrected": (plots.AFTER, "s", "--"),
}
# the colours of a picture that no page styles
PAPER = {
    plots.TEXT: "#1d2126",
    plots.BEFORE: "#1f5f99",
    plots.AFTER: "#a14400",
    plots.LINE: "#565d66",
}
PAGE = {colour: colour for colour in PAPER}
TOP, NAME, AXES, FOOT = 0.3, 0.3, 1.9, 0.55  # inches: the legend; above, in, below each panel
LEFT, ACROSS = 0.09, 0.89  # shares of the width
DPI = 200
WHITE = "#ffffff"


def curves_plot(curves, layer, key="curves"):
    """The plot of a layer, a panel a log, as an `<svg>` element for the inside of a page.

    Parameters
    ----------
    curves : dict
        As `curves.read_curves` makes it.
    layer : str
    key : str
        Begins every id, so that plots can share a page.
    """
    title = f"{TITLE}: {layer}"
    return plots.inline(drawn(curves, [layer], PAGE), key, title, described(curves))


def curves_svg(curves):
    """The plots of all layers and logs, as the text of an SVG file."""
    figure = drawn(curves, curves["layers"], PAPER)
    return plots.inline(figure, "curves", TITLE, described(curves), background=WHITE) + "\n"


def curves_png(curves):
    """The same as the bytes of a PNG file."""
    file = io.BytesIO()
    settings = {"dpi": DPI, "facecolor": WHITE, "metadata": {"Title": TITLE}}
    drawn(curves, curves["layers"], PAPER).savefig(file, format="png", **settings)
    return file.getvalue()


def described(curves):
    """What a plot shows, for those who do not see it."""
    logs = "; ".join(f"{log['path']}: {said_of(log)}" for log in curves["logs"])
    return (
        f"Observed (circles), expected (triangles) and corrected (squares) {curves['score']} by "
        f"step; an upright line marks the best step. {logs}. The table has the numbers."
    )


def drawn(curves, layers, colours):
    """A figure with a panel for every layer and log, all on the same scales."""
    if not layers:
        raise ValueError(NO_LAYERS)
    panels = [(layer, log) for layer in layers for log in curves["logs"]]
    height = TOP + len(panels) * (NAME + AXES + FOOT)
    scales = scales_of(curves, layers)
    with plots.new_figure(height) as figure:
        for place, (layer, log) in enumerate(panels):
            bottom = TOP + place * (NAME + AXES + FOOT) + NAME + AXES
            axes = figure.add_axes((LEFT, 1 - bottom / height, ACROSS, AXES / height))
            draw_panel(axes, log, layer, curves["score"], place, colours)
            axes.set(xlim=scales[0], ylim=scales[1])
            dress(axes, log, layer, colours)
        handles = figure.axes[0].get_legend_handles_labels()
        style = {"ncols": 3, "frameon": False, "labelcolor": colours[plots.TEXT]}
        figure.legend(*handles, loc="upper right", borderaxespad=0.2, **style)
    return figure


def draw_panel(axes, log, layer, score, place, colours):
    """The three curves of a log, with gaps where a score is not told, and its best step.

    Ids of what is drawn are like `observed-0`: name and number of the panel.
    """
    steps = [row["step"] for row in log["rows"]]
    if log["best"] is not None:
        style = {"color": colours[plots.LINE], "linewidth": 1, "gid": f"best-{place}"}
        axes.axvline(steps[log["best"]], **style)
    for part, (colour, marker, line) in STYLES.items():
        values = [of_row(row, layer, score, part) for row in log["rows"]]
        values = [math.nan if value is None else value for value in values]
        style = {"color": colours[colour], "linestyle": line, "linewidth": 1.4}
        style |= {"marker": marker, "markersize": 3.5, "clip_on": False}
        axes.plot(steps, values, label=part, gid=f"{part}-{place}", **style)


def dress(axes, log, layer, colours):
    """Name, scales and frame of a panel."""
    text, line = colours[plots.TEXT], colours[plots.LINE]
    best = "" if log["best"] is None else f"best: step {log['rows'][log['best']]['step']}"
    room = plots.POINTS * ACROSS - plots.width_of(best) - 3 * plots.MARGIN
    path = "/".join(Path(log["path"]).parts[-2:])
    name = plots.short(f"{layer}: {path}", room)
    axes.text(0, 1.05, name, transform=axes.transAxes, color=text)
    axes.text(1, 1.05, best, transform=axes.transAxes, color=text, ha="right")
    axes.set_xlabel("step", color=text)
    axes.tick_params(color=line, labelcolor=text)
    axes.locator_params(axis="x", nbins=6, integer=True)
    axes.locator_params(axis="y", nbins=5)
    axes.grid(axis="y", color=line, alpha=0.3, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(line)


def scales_of(curves, layers):
    """Ends of the two scales that all panels share: all steps; all scores, and 0."""
    score = curves["score"]
    rows = [row for log in curves["logs"] for row in log["rows"]]
    found = [of_row(row, layer, score, part) for row in rows for layer in layers for part in STYLES]
    values = [0.0, *(value for value in found if value is not None)]
    low, high = min(values), max(values)
    room = 0.03 * (high - low or 1.0)
    return (0, max(1, *(row["step"] for row in rows))), (low - room, high + room)


PARTS = ("observed", "expected", "corrected")
TITLE = "Scores over the steps of training"
HOW_TO_READ = (
    "Observed: the score as usual. Expected: what a random annotation with as many spans of the "
    "same lengths reaches. Corrected: (observed - expected) / (1 - expected), chance has 0. Score: "
    "the weighted score by which spaCy chooses the best model; of equal ones the last is the best."
)
NO_LAYERS = (
    "the logs have no scores beyond chance to draw; give a component one of our scorers, or the "
    "pipeline the component chance_eval, and train again"
)


def curves_text(curves):
    """A table of every log, the best step marked.

    Parameters
    ----------
    curves : dict
        As `curves.read_curves` makes it.
    """
    return "\n".join(text for log in curves["logs"] for text in log_text(log, curves))


def log_text(log, curves):
    """The table of one log, and what has to be said of it."""
    yield f"\n{shown(log['path'])}, {curves['score']}: {said_of(log)}"
    if log["note"]:
        yield f"({log['note']})"
    many = len(curves["layers"]) > 1
    names = [f"{shown(layer)} {part}" if many else part for layer, part in columns(curves)]
    rows = [
        ["best" * (place == log["best"]), *map(number, cells_of(row, curves))]
        for place, row in enumerate(log["rows"])
    ]
    yield right_aligned(rows, ["", "step", "epoch", "score", *names])


def said_of(log):
    """How many evaluations there are, and which is the best."""
    count = f"{len(log['rows'])} evaluation{'s' * (len(log['rows']) > 1)}"
    if log["best"] is None:
        return f"{count}, none with a score"
    row = log["rows"][log["best"]]
    return f"{count}, the best at step {row['step']} with the score {number(row['score'])}"


def columns(curves):
    """The pairs of a layer and one of its three scores, in the order of tables."""
    return [(layer, part) for layer in curves["layers"] for part in PARTS]


def cells_of(row, curves):
    """Step, epoch, weighted score, and the three scores of every layer."""
    scores = (of_row(row, layer, curves["score"], part) for layer, part in columns(curves))
    return [row["step"], row["epoch"], row["score"], *scores]


def of_row(row, layer, score, part):
    """One number of an evaluation; None where it is not told."""
    return row["layers"].get(layer, {}).get(score, {}).get(part)


def curves_page(curves, version):
    """A page with the plot of every layer and the table of every log."""
    from markupsafe import Markup

    pass
    from .html import MISSING, page

    plots, missing = [], None
    try:
        plots = [
            (layer, Markup(curves_plot(curves, layer, f"plot-{place}")))
            for place, layer in enumerate(curves["layers"], 1)
        ]
    except ImportError:
        missing = MISSING
    logs = [
        {**log, "said": said_of(log), "cells": [cells_of(row, curves) for row in log["rows"]]}
        for log in curves["logs"]
    ]
    values = {"title": TITLE, "how_to_read": HOW_TO_READ, "parts": PARTS, "version": version}
    return page("curves.html", curves=curves, plots=plots, missing=missing, logs=logs, **values)
