"""Scores of trees with random errors: tables, CSV and plots. Plots need the extra `plots`."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, TypeAlias

from . import plots
from .tables import code, csv_cell, markdown_text, pipe_table, text_table
from .words import Result, number, printable, quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Line: TypeAlias = tuple[float, list[float | None]]  # a probability, and the mean of each metric

TITLE = "Scores of trees with random errors"
NOISES = {
    "both": "Labels and attachments",
    "labels": "Labels alone",
    "attachments": "Attachments alone",
}
HOW_TO_READ = (
    "The treebank is scored against itself with random errors: with probability p a token gets a "
    "random relation, a random head, or both. Each number is the mean of the runs. 1 is full "
    "agreement; alpha is 0 at chance level."
)
COLUMNS = ("treebank", "noise", "probability", "metric", "run", "value", "request", "seed")
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
LEGEND, NAME, AXES, FOOT = 0.22, 0.3, 2.2, 0.55  # inches: a row of the legend; of each panel
LEFT, ACROSS = 0.13, 0.85  # shares of the width
SERIES = 3  # metrics in a row of the legend
DEEP = -4  # scores below which a linear scale would squeeze all that is above 0
TICKS = (-1000, -300, -100, -30, -10, -3, -1, -0.5, 0, 0.5, 1)  # of the logarithmic scale
AXIS_MARGIN = 0.05


def perturbation_text(result: Result) -> str:
    """A table for each kind of noise.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    header = ["p", *map(printable, short_names(result["metrics"]))]
    parts = [_size(result)]
    for title, lines in _tables(result):
        parts += [f"\n{title}", text_table(header, map(_cells, lines)).strip("\n")]
    parts += [f"\nWarning: {printable(one)}" for one in result.get("warnings", ())]
    return "\n".join(parts)


def perturbation_markdown(result: Result) -> str:
    """A table for each kind of noise as Markdown, and the metrics in full.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    header = ["p", *map(markdown_text, short_names(result["metrics"]))]
    lines = [f"# {TITLE}", "", f"{markdown_text(_size(result))}.", "", HOW_TO_READ, ""]
    for title, rows in _tables(result):
        lines += [f"## {title}", "", *pipe_table(header, map(_cells, rows))]
    lines += [f"- {markdown_text(one)}" for one in result.get("warnings", ())]
    lines += ["## Metrics", "", *(f"- {code(request)}" for request in result["requests"])]
    lines += ["", f"Made by spacy-chance-eval {result['version']}."]
    return "\n".join(lines) + "\n"


def perturbation_csv(result: Result) -> str:
    """One row for each kind of noise, probability, metric and run; numbers in full.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    requests = dict(zip(result["metrics"], result["requests"]))
    for row in result["rows"]:
        same = [result["treebank"], row["noise"], row["probability"], row["metric"]]
        for run, value in enumerate(row["values"], 1):
            values = [*same, run, value, requests[row["metric"]], result["seed"]]
            writer.writerow(["" if field is None else csv_cell(field) for field in values])
    return file.getvalue()


def perturbation_svg(result: Result) -> str:
    """A panel for each kind of noise, as the text of an SVG file.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    return plots.svg_file(_figure(result), "perturbation", TITLE, _description(result))


def perturbation_png(result: Result) -> bytes:
    """A panel for each kind of noise, as the bytes of a PNG file.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    return plots.png_file(_figure(result), TITLE)


# --- tables


def short_names(metrics: Sequence[str]) -> list[str]:
    """Names of metrics with the values of parameters alone, if these names are still different."""
    names = []
    for metric in metrics:
        name, _, rest = metric.rstrip(") ").partition("(")
        values = [part.rpartition("=")[2].strip() for part in rest.split(",")] if rest else []
        names.append(" ".join([name.strip(), *values]))
    return names if len(set(names)) == len(metrics) else list(metrics)


def _size(result: Result) -> str:
    """The treebank, how much of it was used, and the runs."""
    drawn = result["n_all"] > result["n_sentences"]
    of_all = f" of {result['n_all']}, drawn at random" if drawn else ""
    return (
        f"{printable(result['treebank'])}: {quantity(result['n_sentences'], 'sentence')}{of_all}, "
        f"{quantity(result['n_tokens'], 'token')}, {quantity(result['n_labels'], 'relation')}, "
        f"{quantity(result['runs'], 'run')}, seed {result['seed']}"
    )


def _tables(result: Result) -> Iterator[tuple[str, list[Line]]]:
    """The title and the lines of each kind of noise."""
    means = {
        (row["noise"], row["probability"], row["metric"]): row["mean"] for row in result["rows"]
    }
    for noise, title in NOISES.items():
        lines = [
            (p, [means[noise, p, metric] for metric in result["metrics"]])
            for p in result["probabilities"]
        ]
        yield title, lines


def _cells(line: Line) -> list[str]:
    probability, scores = line
    return [f"{probability:g}", *map(number, scores)]


# --- plots


def _description(result: Result) -> str:
    """The content of the plots, for those who do not see them."""
    return (
        f"Mean scores over the probability of errors, with bands from the lowest to the highest "
        f"run: {', '.join(short_names(result['metrics']))}. Panels: "
        f"{'; '.join(NOISES.values())}. {_size(result)}. The tables have the numbers."
    )


def _figure(result: Result) -> Figure:
    """A figure with a panel for each kind of noise, all on the same scales."""
    legend = 0.1 + LEGEND * -(-len(result["metrics"]) // SERIES)
    height = legend + len(NOISES) * (NAME + AXES + FOOT)
    limits = _limits(result)
    with plots.new_figure(height) as figure:
        for i, (noise, title) in enumerate(NOISES.items()):
            bottom = legend + i * (NAME + AXES + FOOT) + NAME + AXES
            axes = figure.add_axes((LEFT, 1 - bottom / height, ACROSS, AXES / height))
            _draw_panel(axes, result, noise)
            _draw_labels(axes, title, limits)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        style = {"ncols": SERIES, "frameon": False, "labelcolor": plots.PAPER[plots.TEXT]}
        figure.legend(handles, labels, loc="upper center", borderaxespad=0.2, **style)
    return figure


def _draw_panel(axes: Axes, result: Result, noise: str) -> None:
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
        axes.fill_between(across, low, high, color=plots.PAPER[colour], alpha=0.15, linewidth=0)
        axes.plot(
            across,
            mean,
            label=names[i],
            gid=f"{noise}-{i}",
            color=plots.PAPER[colour],
            marker=marker,
            linestyle=line,
            linewidth=1.3,
            markersize=3.5,
            clip_on=False,
        )


def _draw_labels(axes: Axes, title: str, limits: tuple[float, float]) -> None:
    """Draw name, scales and frame of a panel; the scale of deep scores is logarithmic below -1."""
    text, line = plots.PAPER[plots.TEXT], plots.PAPER[plots.LINE]
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
    axes.set_xlabel("probability p of a random label, or head", color=text)
    plots.draw_frame(axes, text, line)


def _limits(result: Result) -> tuple[float, float]:
    """The limits of scores that all panels share."""
    values = [v for row in result["rows"] for v in (row["lowest"], row["highest"]) if v is not None]
    low, high = min([0.0, *values]), max([1.0, *values])
    return low - AXIS_MARGIN * max(1.0, -low), high + AXIS_MARGIN
