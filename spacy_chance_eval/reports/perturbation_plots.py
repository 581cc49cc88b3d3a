"""Plots of scores of trees, or spans, with random errors, and a page of them.

Plots need the extra `plots`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from ..metrics.catalog import CATALOG
from . import plots
from .perturbation import header_of, kind_of, noise_tables, noises_of, short_names, size_text
from .words import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# colour, marker and line of each metric of a panel, which can be distinguished without colour too
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
MOST_COLUMNS = 2  # panels beside each other, if there are several groups of metrics


class _Group(NamedTuple):
    """Metrics that are drawn into one panel: their unit, and their numbers."""

    unit: str
    numbers: list[int]


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
    """A figure with a panel for each kind of noise, by groups of metrics under their legends."""
    groups, kind = _groups(result), kind_of(result)
    columns = MOST_COLUMNS if len(groups) > 1 and len(noises) > 1 else 1
    panel = NAME + AXES + FOOT
    legends = [0.1 + LEGEND * -(-len(group.numbers) // SERIES) for group in groups]
    own = panel * -(-len(noises) // columns)
    height = sum(legends) + own * len(groups)
    with plots.new_figure(height) as figure:
        for group, top, legend in zip(groups, _tops(legends, own), legends):
            for i, noise in enumerate(noises):
                row, column = divmod(i, columns)
                bottom = top + legend + row * panel + NAME + AXES
                box = (LEFT + column / columns, 1 - bottom / height)
                size = (1 / columns - (1 - ACROSS), AXES / height)
                axes = figure.add_axes((*box, *size))
                _draw_panel(axes, result, noise, group, colours)
                title, axis = kind.noises[noise], kind.axis
                if columns > 1:  # which have less room
                    title, axis = title.partition(":")[0], "probability p"
                _draw_labels(axes, title, axis, group, _limits(result, group.unit), colours)
            handles, labels = axes.get_legend_handles_labels()
            style = {"ncols": SERIES, "frameon": False, "labelcolor": colours[plots.TEXT]}
            style |= {"bbox_to_anchor": (0, 0, 1, 1 - top / height), "borderaxespad": 0.2}
            figure.legend(handles, labels, loc="upper center", **style)
    return figure


def _tops(legends: Sequence[float], own: float) -> list[float]:
    """How far from the top the groups begin, in inches."""
    return [sum(legends[:i]) + own * i for i in range(len(legends))]


def _groups(result: Result) -> list[_Group]:
    """The metrics by unit; more than there are styles are divided by page of the documentation.

    Metrics that differ in precision, recall and F alone stay together, if there is room.
    """
    names = _base_names(result)
    by_unit: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        by_unit.setdefault(_unit(name), []).append(number)
    groups = []
    for unit, numbers in by_unit.items():
        several = len(numbers) > len(STYLES)
        packed: list[list[int]] = [[]]
        for _, some in groupby(numbers, lambda number: names[number].partition("_")[0]):
            family = list(some)
            other = several and any(_page(names[n]) != _page(names[family[0]]) for n in packed[-1])
            if other or len(packed[-1]) + len(family) > len(STYLES):
                packed.append([])
            packed[-1] += family
        for some_numbers in packed:
            starts = range(0, len(some_numbers), len(STYLES))
            groups += [_Group(unit, some_numbers[i : i + len(STYLES)]) for i in starts]
    return groups


def _base_names(result: Result) -> list[str]:
    """The names of the metrics in the catalog."""
    return [request.partition("(")[0] for request in result["requests"]]


def _unit(name: str) -> str:
    """The unit of a metric that is not measured from 0 to 1, or below 0."""
    if name in CATALOG and CATALOG[name].bits:
        return "bits"
    return "per 1,000 tokens" if name == "false_positives" else ""


def _page(name: str) -> str:
    """The page of the documentation that explains a metric; none for trees."""
    return CATALOG[name].page if name in CATALOG else ""


def _draw_panel(
    axes: Axes, result: Result, noise: str, group: _Group, colours: Mapping[str, str]
) -> None:
    """Draw a curve and a band for each metric of a group.

    Ids are like `both-0`: the kind of noise, and the number of the metric.
    """
    room = plots.POINTS / SERIES
    names = [plots.fitting_name(name, room) for name in short_names(result["metrics"])]
    for i, (colour, marker, line) in zip(group.numbers, STYLES):
        metric = result["metrics"][i]
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
    group: _Group,
    limits: tuple[float, float],
    colours: Mapping[str, str],
) -> None:
    """Draw name, scales and frame of a panel; the scale of deep scores is logarithmic below -1."""
    text, line = colours[plots.TEXT], colours[plots.LINE]
    axes.set_ylim(limits)
    deep = limits[0] < DEEP and not group.unit
    if deep:
        axes.set_yscale("symlog", linthresh=1, linscale=1.5)
        axes.set_yticks([tick for tick in TICKS if limits[0] <= tick <= limits[1]])
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
    else:
        axes.locator_params(axis="y", nbins=6)
    name = "score, logarithmic below -1" if deep else group.unit or "score"
    axes.set_ylabel(name, color=text)
    axes.axhline(0, color=line, linewidth=0.8)
    axes.text(0, 1.05, title, transform=axes.transAxes, color=text)
    axes.set_xlabel(across, color=text)
    plots.draw_frame(axes, text, line)


def _limits(result: Result, unit: str) -> tuple[float, float]:
    """The limits of the scores of a unit, which all of its panels share."""
    names = zip(result["metrics"], _base_names(result))
    metrics = {metric for metric, name in names if _unit(name) == unit}
    rows = [row for row in result["rows"] if row["metric"] in metrics]
    values = [v for row in rows for v in (row["lowest"], row["highest"]) if v is not None]
    if unit:
        low, high = min([0.0, *values]), max([0.0, *values])
        margin = AXIS_MARGIN * (high - low or 1.0)
        return low - margin, high + margin
    low, high = min([0.0, *values]), max([1.0, *values])
    return low - AXIS_MARGIN * max(1.0, -low), high + AXIS_MARGIN
