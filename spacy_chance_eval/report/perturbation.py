"""Plots of scores of trees with random errors. Needs matplotlib (extra `plots`)."""

import csv
import io
import math
from itertools import cycle

from . import plots
from .curves import DPI, PAPER, WHITE
from .leaderboard import cell, code, escaped, pipe_table
from .words import counted, number, right_aligned, shown

# told apart without colour too: colour, marker, line
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
SERIES = 3  # of the legend
DEEP = -4  # scores below which an even scale would squeeze all that is above 0
TICKS = (-1000, -300, -100, -30, -10, -3, -1, -0.5, 0, 0.5, 1)  # then
ROOM = 0.05


def perturbation_svg(result):
    """A panel for each kind of noise, as the text of an SVG file.

    Parameters
    ----------
    result : dict
        As `syntax_experiment.perturb_treebank` makes it.
    """
    figure = drawn(result)
    about = described(result)
    return plots.inline(figure, "perturbation", TITLE, about, background=WHITE) + "\n"


def perturbation_png(result):
    """The same as the bytes of a PNG file."""
    file = io.BytesIO()
    settings = {"dpi": DPI, "facecolor": WHITE, "metadata": {"Title": TITLE}}
    drawn(result).savefig(file, format="png", **settings)
    return file.getvalue()


def described(result):
    """What the plots show, for those who do not see them."""
    return (
        f"Mean scores over the probability of errors, with bands from the lowest to the highest "
        f"run: {', '.join(short_names(result['metrics']))}. Panels: "
        f"{'; '.join(NOISES.values())}. {size(result)}. The tables have the numbers."
    )


def drawn(result):
    """A figure with a panel for each kind of noise, all on the same scales."""
    legend = 0.1 + LEGEND * -(-len(result["metrics"]) // SERIES)
    height = legend + len(NOISES) * (NAME + AXES + FOOT)
    limits = limits_of(result)
    with plots.new_figure(height) as figure:
        for place, (noise, title) in enumerate(NOISES.items()):
            bottom = legend + place * (NAME + AXES + FOOT) + NAME + AXES
            axes = figure.add_axes((LEFT, 1 - bottom / height, ACROSS, AXES / height))
            draw_panel(axes, result, noise)
            dress(axes, title, limits)
        handles = figure.axes[0].get_legend_handles_labels()
        style = {"ncols": SERIES, "frameon": False, "labelcolor": PAPER[plots.TEXT]}
        figure.legend(*handles, loc="upper center", borderaxespad=0.2, **style)
    return figure


def draw_panel(axes, result, noise):
    """A curve and a band for each metric.

    Ids of what is drawn are like `both-0`: kind of noise and number of the metric.
    """
    names = [plots.short(name, plots.POINTS / SERIES) for name in short_names(result["metrics"])]
    for place, (metric, style) in enumerate(zip(result["metrics"], cycle(STYLES))):
        rows = [r for r in result["rows"] if (r["noise"], r["metric"]) == (noise, metric)]
        across = [row["probability"] for row in rows]
        mean, low, high = (
            [math.nan if row[key] is None else row[key] for row in rows]
            for key in ("mean", "lowest", "highest")
        )
        colour, marker, line = style
        axes.fill_between(across, low, high, color=PAPER[colour], alpha=0.15, linewidth=0)
        look = {"color": PAPER[colour], "marker": marker, "linestyle": line}
        look |= {"linewidth": 1.3, "markersize": 3.5, "clip_on": False}
        axes.plot(across, mean, label=names[place], gid=f"{noise}-{place}", **look)


def dress(axes, title, limits):
    """Name, scales and frame of a panel; of deep scores the scale is logarithmic below -1."""
    text, line = PAPER[plots.TEXT], PAPER[plots.LINE]
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
    axes.tick_params(color=line, labelcolor=text)
    axes.grid(axis="y", color=line, alpha=0.3, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(line)


def limits_of(result):
    """Ends of the scale of scores that all panels share."""
    values = [v for row in result["rows"] for v in (row["lowest"], row["highest"]) if v is not None]
    low, high = min([0.0, *values]), max([1.0, *values])
    return low - ROOM * max(1.0, -low), high + ROOM


TITLE = "Scores of trees with random errors"
NOISES = {
    "both": "Labels and attachments",
    "labels": "Labels alone",
    "attachments": "Attachments alone",
}
HOW_TO_READ = (
    "The treebank is scored against itself with random errors: with probability p a token gets a "
    "random relation, a random head, or both. Each number is the mean of the runs. 1 is full "
    "agreement; alpha has 0 at chance level."
)
COLUMNS = ("treebank", "noise", "probability", "metric", "run", "value", "request", "seed")


def size(result):
    """What the experiment was made on, and how."""
    drawn = result["n_all"] > result["n_sentences"]
    of_all = f" of {result['n_all']}, drawn at random" if drawn else ""
    return (
        f"{shown(result['treebank'])}: {counted(result['n_sentences'], 'sentence')}{of_all}, "
        f"{counted(result['n_tokens'], 'token')}, {counted(result['n_labels'], 'relation')}, "
        f"{counted(result['runs'], 'run')}, seed {result['seed']}"
    )


def short_names(metrics):
    """Names without the names of parameters, if they are still different: syntax_alpha plain."""
    short = []
    for metric in metrics:
        name, _, rest = metric.rstrip(") ").partition("(")
        values = [part.rpartition("=")[2].strip() for part in rest.split(",")] if rest else []
        short.append(" ".join([name.strip(), *values]))
    return short if len(set(short)) == len(metrics) else list(metrics)


def by_noise(result):
    """Pairs of a kind of noise, in words, and its lines: a probability and the mean by metric."""
    means = {
        (row["noise"], row["probability"], row["metric"]): row["mean"] for row in result["rows"]
    }
    for noise, title in NOISES.items():
        lines = [
            (p, [means[noise, p, metric] for metric in result["metrics"]])
            for p in result["probabilities"]
        ]
        yield title, lines


def cells(line):
    """A line as texts: the probability, then the scores."""
    probability, scores = line
    return [f"{probability:g}", *map(number, scores)]


def perturbation_text(result):
    """A table for each kind of noise.

    Parameters
    ----------
    result : dict
        As `syntax_experiment.perturb_treebank` makes it.
    """
    header = ["p", *map(shown, short_names(result["metrics"]))]
    parts = [size(result)]
    for title, lines in by_noise(result):
        parts += [f"\n{title}", right_aligned(list(map(cells, lines)), header).strip("\n")]
    return "\n".join(parts)


def perturbation_markdown(result):
    """The same as Markdown, with what the metrics are in full."""
    header = ["p", *map(escaped, short_names(result["metrics"]))]
    lines = [f"# {TITLE}", "", f"{escaped(size(result))}.", "", HOW_TO_READ, ""]
    for title, rows in by_noise(result):
        lines += [f"## {title}", "", *pipe_table(header, map(cells, rows))]
    lines += ["## Metrics", "", *(f"- {code(request)}" for request in result["requests"])]
    lines += ["", f"Made by spacy-chance-eval {result['version']}."]
    return "\n".join(lines) + "\n"


def perturbation_csv(result):
    """One row for each kind of noise, probability, metric and run; numbers in full."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    requests = dict(zip(result["metrics"], result["requests"]))
    for row in result["rows"]:
        same = [result["treebank"], row["noise"], row["probability"], row["metric"]]
        for run, value in enumerate(row["values"], 1):
            values = [*same, run, value, requests[row["metric"]], result["seed"]]
            writer.writerow(["" if field is None else cell(field) for field in values])
    return file.getvalue()
