"""Plots of where spans fall by chance, as SVG for a page. Needs matplotlib (extra `plots`)."""

import math

from . import explain_words as words
from .plots import AFTER, BEFORE, LINE, inline, new_figure, short
from .words import number, shown

HEIGHT = 2.9  # inches
FRAME = (0.15, 0.17, 0.82)  # left, foot, width: shares of the figure
LEGEND = 0.17  # inches a row
DASHES = ("-", (0, (5, 2)), (0, (1, 1.4)), (0, (6, 2, 1, 2)), (0, (9, 3)), (0, (3, 1, 1, 1, 1, 1)))
NAMED = 8  # kinds of segments in a legend; of more only these have a name
ROOM = 90  # points of a name in a legend
FEW = 30  # places, up to which each has its dot
SIDES = {"gold": (BEFORE, "-", "o"), "pred": (AFTER, (0, (4, 2)), "s")}


def coverage_plot(result, entry, key):
    """How likely each token is covered by chance, for both sides, as an `<svg>` element.

    Bars beneath the axis are the annotation as it is. Tokens of no unit are left out.
    """
    columns = words.chances(result, entry)
    with new_figure(HEIGHT) as figure:
        axes = axes_of(figure, rows=1)
        deepest = -0.16 * max(1e-9, *(max(filled(column), default=0) for column in columns[:2]))
        for column, name, (side, style) in zip(columns, result["names"], SIDES.items()):
            label = f"P({short(name, ROOM)} covers)"
            draw_line(axes, column, label, style, f"covered-{side}", result["n"])
            draw_bars(axes, entry["spans"][side], side, deepest)
        axes.set_ylim(bottom=1.25 * deepest)
        finish(axes, result, 2)
    title = f"Probability of being covered at random, {words.title(entry['label'])}"
    about = " ".join(coverage_words(column, name) for column, name in zip(columns, result["names"]))
    return inline(figure, key, title, about)


def draw_line(axes, column, name, style, gid, n):
    """One curve over the tokens; with gaps at tokens that have no value."""
    colour, dashes, mark = style
    places = range(1, n + 1)
    values = [math.nan if column.get(token) is None else column[token] for token in range(n)]
    axes.plot(
        places,
        values,
        color=colour,
        linestyle=dashes,
        linewidth=1.6,
        marker=mark if n <= FEW else None,
        markersize=3,
        label=name,
        gid=gid,
    )


def draw_bars(axes, spans, side, deepest):
    """The spans of one side as bars beneath the axis: gold above, the prediction below."""
    height = 0.45 if side == "gold" else 0.9
    for span in spans:
        axes.plot(
            [span["start"] + 0.6, span["end"] + 0.4],
            [height * deepest] * 2,
            color=SIDES[side][0],
            linewidth=3.2,
            solid_capstyle="butt",
            gid=f"span-{side}-{span['number']}",
        )


def coverage_words(column, name):
    """The course of a curve in words."""
    values = filled(column)
    if not values:
        return ""
    first, middle = number(values[0]), number(values[(len(values) - 1) // 2])
    highest = number(max(values))
    return f"{shown(name)}: {first} at the first token, {middle} in the middle, at most {highest}."


def filled(column):
    """The values that are there, in the order of the tokens."""
    return [column[token] for token in sorted(column) if column[token] is not None]


def starts_plot(result, entry, side, key):
    """How likely each start of each segment of a side is by chance, as an `<svg>` element.

    One line for all segments that fall alike; empty where the side has no segments.
    """
    kinds = [(unit["start"], kind) for unit in entry["units"] for kind in unit[side]["kinds"]]
    kinds.sort(key=lambda pair: pair[1]["length"])
    if not kinds:
        return ""
    lengths = sorted({kind["length"] for _, kind in kinds})
    named = lengths[:NAMED]
    rows = -(-len(named) // 4)
    with new_figure(HEIGHT + (rows - 1) * LEGEND) as figure:
        axes = axes_of(figure, rows)
        for i, (first, kind) in enumerate(kinds):
            draw_starts(axes, first, kind, lengths, named, side, f"starts-{side}-{i}")
            if kind["length"] in named:
                named = [length for length in named if length != kind["length"]]
        axes.set_ylim(bottom=0)
        finish(axes, result, 4)
    name = shown(result["names"][0 if side == "gold" else 1])
    about = f"A line for each length of segments: {', '.join(map(str, lengths))}. {STARTS}"
    title = f"Probability of each start, {name}, {words.title(entry['label'])}"
    return inline(figure, key, title, about)


STARTS = "The table of starts has the numbers."


def draw_starts(axes, first, kind, lengths, named, side, gid):
    """The distribution of the starts of one kind of segments; `named` lengths get a legend."""
    rank = lengths.index(kind["length"])
    starts = kind["starts"]
    axes.plot(
        range(first + 1, first + 1 + len(starts)),
        starts,
        color=SIDES[side][0],
        linestyle=DASHES[rank % len(DASHES)],
        linewidth=1.8 if rank < len(DASHES) else 0.9,
        marker="o" if len(starts) <= FEW else None,
        markersize=2.5,
        label=f"length {kind['length']}" if kind["length"] in named else None,
        gid=gid,
    )


def axes_of(figure, rows):
    """The axes of a figure, below a legend of some rows."""
    left, foot, width = FRAME
    height = figure.get_figheight()
    top = (0.15 + rows * LEGEND) / height
    return figure.add_axes((left, foot, width, 1 - foot - top))


def finish(axes, result, columns):
    """Scales, labels and a legend above the plot."""
    axes.set_xlabel(words.POSITIONS[result["positions"]][:-1])
    axes.set_ylabel("probability")
    axes.set_xlim(0.5, result["n"] + 0.5)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(axis="y", color=LINE, alpha=0.3, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_yticks([tick for tick in axes.get_yticks() if tick >= 0])
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False)
