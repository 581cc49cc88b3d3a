"""Plots of scores over the steps of a training. Needs matplotlib (extra `plots`)."""

import io
import math
from pathlib import Path

from . import plots
from .curves import NO_LAYERS, TITLE, of_row, said_of

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
