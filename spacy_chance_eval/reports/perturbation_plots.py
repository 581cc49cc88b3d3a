"""Plots of scores of trees, or spans, with random errors, and a page of them.

Plots need the extra `plots`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from . import plots
from .perturbation import header_of, kind_of, noise_tables, noises_of, short_names, size_text
from .words import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# colour, marker and line of each metric, which can be distinguished without colour too
STYLES = (
    (plots.AFTER, "o", "-"),
    (plots.AFTER, "v", ":"),
    (plots.AFTER, "^", "--"),
    (plots.BEFORE, "s", "-"),
    (plots.BEFORE, "D", "--"),
    (plots.TEXT, "P", "-"),
    (plots.TEXT, "X", ":"),
)
PAGE = {colour: colour for colour in plots.PAPER}  # pages choose the colours
LEGEND, NAME, AXES, FOOT = 0.22, 0.3, 2.2, 0.55  # inches: a row of the legend; of each panel
LEFT, ACROSS = 0.13, 0.85  # shares of the width
SERIES = 3  # metrics in a row of the legend
DEEP = -4  # scores below which a linear scale would squeeze all that is above 0
TICKS = (-1000, -300, -100, -30, -10, -3, -1, -0.5, 0, 0.5, 1)  # of the logarithmic scale
AXIS_MARGIN = 0.05


def perturbation_page(result: Result) -> str:
    """An HTML page with the plot and the table of each kind of noise.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    from markupsafe import Markup

    from .html import page  # loads jinja2

    kind, missing = kind_of(result), None
    sections = [
        {"noise": noise, "title": title, "plot": None, "rows": lines}
        for noise, title, lines in noise_tables(result)
    ]
    try:
        for one in sections:
            figure = _figure(result, [str(one["noise"])], PAGE)
            name = f"{kind.title}: {one['title']}"
            element = plots.svg_element(figure, f"plot-{one['noise']}", name, _description(result))
            one["plot"] = Markup(element)
    except ImportError:
        missing = plots.NO_PLOTS
    return page(
        "perturbation.html",
        title=kind.title,
        how_to_read=kind.how_to_read,
        size=size_text(result),
        header=header_of(result),
        sections=sections,
        missing=missing,
        requests=result["requests"],
        notes=[*result.get("notes", ()), *result.get("warnings", ())],
        version=result["version"],
    )


def perturbation_svg(result: Result) -> str:
    """A panel for each kind of noise, as the text of an SVG file.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    figure = _figure(result, noises_of(result), plots.PAPER)
    return plots.svg_file(figure, "perturbation", kind_of(result).title, _description(result))


def perturbation_png(result: Result) -> bytes:
    """A panel for each kind of noise, as the bytes of a PNG file.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    figure = _figure(result, noises_of(result), plots.PAPER)
    return plots.png_file(figure, kind_of(result).title)


# --- plots


def _description(result: Result) -> str:
    """The content of the plots, for those who do not see them."""
    return (
        f"Mean scores over the probability of errors, with bands from the lowest to the highest "
        f"run: {', '.join(short_names(result['metrics']))}. Panels: "
        f"{'; '.join(kind_of(result).noises[noise] for noise in noises_of(result))}. "
        f"{size_text(result)}. The tables have the numbers."
    )


def _figure(result: Result, noises: Sequence[str], colours: Mapping[str, str]) -> Figure:
    """A figure with a panel for each kind of noise, all on the same scales."""
    legend = 0.1 + LEGEND * -(-len(result["metrics"]) // SERIES)
    height = legend + len(noises) * (NAME + AXES + FOOT)
    limits, kind = _limits(result), kind_of(result)
    with plots.new_figure(height) as figure:
        for i, noise in enumerate(noises):
            bottom = legend + i * (NAME + AXES + FOOT) + NAME + AXES
            axes = figure.add_axes((LEFT, 1 - bottom / height, ACROSS, AXES / height))
            _draw_panel(axes, result, noise, colours)
            _draw_labels(axes, kind.noises[noise], kind.axis, limits, colours)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        style = {"ncols": SERIES, "frameon": False, "labelcolor": colours[plots.TEXT]}
        figure.legend(handles, labels, loc="upper center", borderaxespad=0.2, **style)
    return figure


def _draw_panel(axes: Axes, result: Result, noise: str, colours: Mapping[str, str]) -> None:
    """Draw a curve and a band for each metric.

    Ids are like `both-0`: the kind of noise, and the number of the metric.
    """
    room = plots.POINTS / SERIES
    names = [plots.fitting_name(name, room) for name in short_names(result["metrics"])]
    for i, (metric, (colour, marker, line)) in enumerate(zip(result["metrics"], cycle(STYLES))):
        rows = [r for r in result["rows"] if (r["noise"], r["metric"]) == (noise, metric)]
        across = [row["probability"] for row in rows]
        mean, low, high = (
            [math.nan if row[key] is None else row[key] for row in rows]
            for key in ("mean", "lowest", "highest")
        )
        axes.fill_between(across, low, high, color=colours[colour], alpha=0.15, linewidth=0)
        axes.plot(
            across,
            mean,
            label=names[i],
            gid=f"{noise}-{i}",
            color=colours[colour],
            marker=marker,
            linestyle=line,
            linewidth=1.3,
            markersize=3.5,
            clip_on=False,
        )


def _draw_labels(
    axes: Axes,
    title: str,
    across: str,
    limits: tuple[float, float],
    colours: Mapping[str, str],
) -> None:
    """Draw name, scales and frame of a panel; the scale of deep scores is logarithmic below -1."""
    text, line = colours[plots.TEXT], colours[plots.LINE]
    axes.set_ylim(limits)
    if limits[0] < DEEP:
        axes.set_yscale("symlog", linthresh=1, linscale=1.5)
        axes.set_yticks([tick for tick in TICKS if limits[0] <= tick <= limits[1]])
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
    else:
        axes.locator_params(axis="y", nbins=6)
    axes.set_ylabel("score, logarithmic below -1" if limits[0] < DEEP else "score", color=text)
    axes.axhline(0, color=line, linewidth=0.8)
    axes.text(0, 1.05, title, transform=axes.transAxes, color=text)
    axes.set_xlabel(across, color=text)
    plots.draw_frame(axes, text, line)


def _limits(result: Result) -> tuple[float, float]:
    """The limits of scores that all panels share."""
    values = [v for row in result["rows"] for v in (row["lowest"], row["highest"]) if v is not None]
    low, high = min([0.0, *values]), max([1.0, *values])
    return low - AXIS_MARGIN * max(1.0, -low), high + AXIS_MARGIN
