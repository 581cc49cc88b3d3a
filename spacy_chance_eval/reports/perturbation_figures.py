"""Figures of scores under random errors in trees or spans, and a page with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from ..metrics.catalog import CATALOG
from .figures import (
    CORRECTED,
    INK,
    LINE,
    MARGIN,
    OBSERVED,
    ROW,
    TICK_ROOM,
    TITLE_ROOM,
    WIDTH,
    Area,
    Figure,
    Group,
    Line,
    Mark,
    Marker,
    Scale,
    Style,
    Text,
    bottom_axis,
    curve,
    fitting_ticks,
    left_axis,
    left_room,
    legend,
    svg_element,
)
from .perturbation import (
    header_of,
    kind_of,
    most_errors,
    noise_tables,
    noises_of,
    perturbation_verdict,
    short_names,
    size_text,
    unit_of,
)
from .words import Result

# styles of metrics, distinct without colour as well
STYLES = (
    Style(CORRECTED, "circle"),
    Style(OBSERVED, "square", "4 2"),
    Style(INK, "triangle", "1 1.6"),
    Style(CORRECTED, "triangle-down", "4 2"),
    Style(OBSERVED, "diamond"),
    Style(INK, "plus", "6 2 1 2"),
    Style(OBSERVED, "cross", "1 1.6"),
)
HEIGHT = 80.0  # points: height of the axes of a panel
BELOW = 6.0  # points below the name of a panel
NAME = ROW + BELOW  # points above the axes for the name
FEW = 3  # panels; up to this number they are stacked, each as wide as the figure
BAND = 0.15  # opacity of the range of the runs
DEEP = -4  # for scores below, a linear scale would compress the range above 0
AXIS_MARGIN = 0.05


class _Group(NamedTuple):
    """The metrics of a panel: their unit, and their indices among all metrics."""

    unit: str
    numbers: list[int]


class _Panel(NamedTuple):
    """The position of a panel in a figure, in points, and its scales."""

    key: str
    across: Scale
    up: Scale


def perturbation_page(result: Result) -> str:
    """An HTML page with the figure and the table of each kind of noise.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    from markupsafe import Markup

    from .html import page  # loads jinja2

    kind = kind_of(result)
    sections = [
        {
            "noise": noise,
            "title": title,
            "figures": [
                Markup(svg_element(_figure(result, [noise], [group]), f"plot-{noise}-{i}"))
                for i, group in enumerate(_groups(result))
            ],
            "rows": lines,
        }
        for noise, title, lines in noise_tables(result)
    ]
    return page(
        "perturbation.html",
        signatures=result["requests"],
        title=kind.title,
        verdict=perturbation_verdict(result),
        overview=most_errors(result),
        most=max(result["probabilities"]),
        names=short_names(result["metrics"]),
        how_to_read=kind.how_to_read,
        size=size_text(result),
        header=header_of(result),
        sections=sections,
        requests=result["requests"],
        notes=[*result.get("notes", ()), *result.get("warnings", ())],
        version=result["version"],
    )


def perturbation_figure(result: Result) -> Figure:
    """Mean scores over the probability of errors: a panel for each kind of noise.

    Metrics with different units have separate panels. Bands reach from the lowest to the highest
    run.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    return _figure(result, noises_of(result), _groups(result))


def _figure(result: Result, noises: Sequence[str], groups: Sequence[_Group]) -> Figure:
    """The figure of some kinds of noise and groups of metrics."""
    kind, names = kind_of(result), short_names(result["metrics"])
    several = len(noises) > 1
    n_columns = 1 if len(noises) * len(groups) <= FEW else 2
    above = NAME if several else MARGIN
    marks: list[Mark] = []
    top = 0.0
    for i, group in enumerate(groups):
        entries = [(names[metric], style) for metric, style in zip(group.numbers, STYLES)]
        drawn, height = legend(entries, MARGIN, WIDTH, top)
        marks += drawn
        top += height
        for j, noise in enumerate(noises):
            row, column = divmod(j, n_columns)
            last = j + n_columns >= len(noises)
            place = top + row * (above + HEIGHT + TICK_ROOM) + above
            panel, title = _panel(result, group, f"{noise}-{i}", column, n_columns, place)
            name, axis = kind.noises[noise], kind.axis
            if n_columns > 1:  # narrower panels
                name, axis = name.partition(":")[0], "probability p"
            if several:
                left = column * WIDTH / n_columns + MARGIN
                marks.append(Text(left, place - BELOW, name))
            marks += _axes(panel, title if column == 0 else "", axis if last else "")
            marks += _panel_curves(result, noise, group, panel)
        top += -(-len(noises) // n_columns) * (above + HEIGHT + TICK_ROOM) + TITLE_ROOM + MARGIN
    title = kind.title if several else f"{kind.title}: {kind.noises[noises[0]]}"
    return Figure(title, _description(result, noises, groups), top, marks)


def _description(result: Result, noises: Sequence[str], groups: Sequence[_Group]) -> str:
    """A description of the figure for screen readers."""
    names = short_names(result["metrics"])
    drawn = ", ".join(names[metric] for group in groups for metric in group.numbers)
    return (
        f"Mean scores over the probability of errors, with bands from the lowest to the highest "
        f"run: {drawn}. Panels: {'; '.join(kind_of(result).noises[noise] for noise in noises)}. "
        f"{size_text(result)}. The tables have the numbers."
    )


# --- panels


def _groups(result: Result) -> list[_Group]:
    """Metrics grouped by unit, and by page of the documentation if there are more than styles.

    Precision, recall and F of one measure stay together if there is room.
    """
    names = _base_names(result)
    by_unit: dict[str, list[int]] = {}
    for metric, name in enumerate(names):
        by_unit.setdefault(unit_of(name), []).append(metric)
    groups = []
    for unit, numbers in by_unit.items():
        several = len(numbers) > len(STYLES)
        packed: list[list[int]] = [[]]
        for _, some in groupby(numbers, lambda metric: names[metric].partition("_")[0]):
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
    """The names of the metrics in the catalog, without parameters."""
    return [request.partition("(")[0] for request in result["requests"]]


def _page(name: str) -> str:
    """The page of the documentation that explains a metric; None for metrics of trees."""
    return CATALOG[name].page if name in CATALOG else ""


def _panel(
    result: Result, group: _Group, key: str, column: int, n_columns: int, top: float
) -> tuple[_Panel, str]:
    """A panel in a column, and the title of its vertical axis.

    If scores are far below 0, the scale is logarithmic below -1.
    """
    low, high = _limits(result, group.unit)
    deep = low < DEEP and not group.unit
    title = "score, log below -1" if deep else group.unit or "score"
    up = Scale(low, high, top + HEIGHT, top, deep)
    width = WIDTH / n_columns
    left = column * width + left_room(fitting_ticks(up, upright=True), "" if column else title)
    probabilities = result["probabilities"]
    least, most = min(probabilities), max(probabilities)
    room = AXIS_MARGIN * (most - least or 1.0)
    across = Scale(least - room, most + room, left, (column + 1) * width - 2 * MARGIN)
    return _Panel(key, across, up), title


def _axes(panel: _Panel, title: str, axis: str) -> list[Mark]:
    """The axes of a panel, and a line at 0."""
    across, up = panel.across, panel.up
    zero = Line(((across.start, up(0.0)), (across.end, up(0.0))), LINE, 0.8)
    return [
        zero,
        *left_axis(up, across.start, across.end, title),
        *bottom_axis(across, up.end, up.start, axis),
    ]


def _panel_curves(result: Result, noise: str, group: _Group, panel: _Panel) -> Iterator[Mark]:
    """The curves and bands of a group of metrics."""
    across, up = panel.across, panel.up
    probabilities = result["probabilities"]
    found: list[list[Mark]] = [[] for _ in probabilities]
    for metric, style in zip(group.numbers, STYLES):
        key = (noise, result["metrics"][metric])
        by_p = {r["probability"]: r for r in result["rows"] if (r["noise"], r["metric"]) == key}
        rows = [by_p[p] for p in probabilities]
        defined = [(across(row["probability"]), row) for row in rows if row["mean"] is not None]
        edge = [(x, up(row["lowest"])) for x, row in defined]
        edge += [(x, up(row["highest"])) for x, row in reversed(defined)]
        if len(defined) > 1:
            yield Area(edge, style.colour, BAND)
        means = [None if row["mean"] is None else up(row["mean"]) for row in rows]
        yield from curve(zip(map(across, probabilities), means), replace(style, marker=""))
        for marks, row in zip(found, rows):
            if row["mean"] is not None:
                x, y = across(row["probability"]), up(row["mean"])
                marks.append(Marker(x, y, style.marker, style.colour, 1.8))
    for i, marks in enumerate(found):
        yield Group(f"{panel.key}-{i}", marks)


def _limits(result: Result, unit: str) -> tuple[float, float]:
    """The limits of the scores with one unit, shared by all panels."""
    names = zip(result["metrics"], _base_names(result))
    metrics = {metric for metric, name in names if unit_of(name) == unit}
    rows = [row for row in result["rows"] if row["metric"] in metrics]
    values = [v for row in rows for v in (row["lowest"], row["highest"]) if v is not None]
    if unit:
        low, high = min([0.0, *values]), max([0.0, *values])
        margin = AXIS_MARGIN * (high - low or 1.0)
        return low - margin, high + margin
    low, high = min([0.0, *values]), max([1.0, *values])
    return low - AXIS_MARGIN * max(1.0, -low), high + AXIS_MARGIN
