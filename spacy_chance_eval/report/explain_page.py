"""Plots of where spans fall by chance, as SVG for a page. Needs matplotlib (extra `plots`)."""

import math
from pathlib import Path

from markupsafe import Markup

from ..formats import FormatError
from ..formats.files import write_atomically
from . import explain as information
from . import explain as words
from .diff import side_names
from .diff_pages import safe
from .drawing import drawn, renderer_of
from .html import MISSING, page
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
    about = f"A line for each length of segments: {', '.join(map(str, lengths))}. {STARTS_NOTE}"
    title = f"Probability of each start, {name}, {words.title(entry['label'])}"
    return inline(figure, key, title, about)


STARTS_NOTE = "The table of starts has the numbers."


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


TOKENS = 300  # rows of the table of tokens
STARTS = 30  # rows of the table of starts
UNITS = 12  # units whose starts have a table
ROWS = 200  # spans, pairs, documents
PASSAGES = 8  # above so many they are folded


def explain_page(result, drawn=None):
    """What `explain_document` or `explain_corpus` found, as one HTML page.

    Parameters
    ----------
    result : dict
    drawn : dict, optional
        The document's text with both annotations, as `drawing.drawn` makes it; its markup is safe
        already.
    """
    values = {"result": result, "facts": words.facts(result), "names": side_names(result["names"])}
    if "levels" in result:
        levels = [level_of(result, name, found) for name, found in result["levels"].items()]
        heads = [head.capitalize() for head in words.SHARES]
        return page("explain_corpus.html", levels=levels, heads=heads, **values)
    panels, missing = [], None
    for i, entry in enumerate(words.entries(result)):
        panel = panel_of(result, entry, f"label-{i}")
        try:
            panel["plots"] = plots_of(result, entry, panel["id"])
        except ImportError:
            missing = MISSING
        panels.append(panel)
    values |= {
        "size": words.size(result),
        "drawn": drawn and safe(drawn),
        "n_folded": len(drawn["passages"]) if drawn and len(drawn["passages"]) > PASSAGES else 0,
        "panels": panels,
        "missing": missing,
        "remark": result["labels"][0]["slicm"]["remark"],
        "pair_heads": [head.capitalize() for head in information.PAIRS],
    }
    return page("explain.html", **values)


def plots_of(result, entry, key):
    """Captions and plots of one label."""
    if entry["label"] is None:
        return []
    first, second = result["names"]
    plots = [("By chance: covered tokens", coverage_plot(result, entry, f"{key}-c"))]
    for side, name in (("gold", first), ("pred", second)):
        drawn = starts_plot(result, entry, side, f"{key}-{side}")
        plots.append((f"By chance: starts of {name} segments", drawn))
    return [(caption, Markup(svg)) for caption, svg in plots if svg]


def panel_of(result, entry, key):
    """Everything about one label, or about all together, as texts and cells."""
    whole = entry["label"] is None
    found = {
        "id": key,
        "title": words.TOGETHER.capitalize() if whole else entry["label"],
        "whole": whole,
        "plots": [],
        "levels": [panel_level(result, entry, level) for level in ("span", "token")],
        "slicm": {
            "metric": entry["slicm"]["metrics"]["slicm"],
            "prior": None if whole else information.prior_words(entry["slicm"]["prior"]),
            "pairs": [] if whole else information.pair_rows(entry["slicm"])[:ROWS],
            "steps": information.slicm_steps(entry["slicm"]),
        },
    }
    return found if whole else found | placed(result, entry)


def panel_level(result, entry, level):
    """The steps of one level."""
    expected = entry["label"] is not None and entry[level]["expected"] is not None
    return {
        "metric": entry[level]["metrics"]["f"],
        "sum": words.sum_words(result, level) if expected else None,
        "matches": words.match_rows(entry) if level == "span" and entry.get("matches") else [],
        "steps": words.level_steps(entry[level], level),
        "scores": words.score_rows(entry[level]),
    }


def placed(result, entry):
    """Where the tokens and segments of one label fall by chance, as tables."""
    tokens, left_out = words.token_rows(result, entry, TOKENS)
    units = []
    for unit in entry["units"][:UNITS]:
        tables = [
            (name, *words.start_table(unit, side, STARTS))
            for side, name in zip(("gold", "pred"), result["names"])
            if unit[side]["kinds"]
        ]
        lengths = [words.lengths(unit, side) for side in ("gold", "pred")]
        kinds = unit["gold"]["kinds"] + unit["pred"]["kinds"]
        rows = words.start_rows(unit, result["names"])
        units.append(
            {
                "unit": unit,
                "lengths": lengths,
                "rows": rows[:ROWS],
                "tables": tables,
                "inner": words.INNER if any(kind["parents"] for kind in kinds) else None,
            }
        )
    return {
        "tokens": tokens,
        "left_out": left_out,
        "units": units,
        "more_units": len(entry["units"]) - len(units),
        "unplaced": [
            (name, len(entry["unplaced"][side]))
            for side, name in zip(("gold", "pred"), side_names(result["names"]))
        ],
    }


def level_of(result, level, found):
    """One level of a corpus, as texts and cells."""
    return {
        "metric": found["total"]["metrics"]["f"],
        "reason": found["total"]["reason"],
        "steps": words.level_steps(found["total"], level),
        "by_label": [words.share_row(row, row["label"]) for row in found["by_label"]],
        "documents": [words.share_row(row, row["document"]) for row in found["documents"][:ROWS]],
        "more": max(len(found["documents"]) - ROWS, 0),
    }


def write_explain_page(result, compared, path):
    """Write what `explain_document` or `explain_corpus` found as one page.

    Parameters
    ----------
    result : dict
    compared : Compared
        What was explained.
    path : str or Path
        Ends in .html.

    Raises
    ------
    FormatError
        If the path does not, or cannot be written.
    """
    if Path(path).suffix.lower() != ".html":
        raise FormatError("an explanation is one page; name a file that ends in .html", path)
    text = None if "levels" in result else drawn_document(result, compared)
    write_atomically(path, explain_page(result, text))


def drawn_document(result, compared):
    """The text of the document with the chosen labels of both sides."""
    labels = {entry["label"] for entry in result["labels"]}
    sides = []
    for corpus, layer in (
        (compared.gold, compared.gold_layer),
        (compared.pred, compared.pred_layer),
    ):
        spans = corpus.documents[result["place"]].layers.get(layer) or ()
        sides.append({span for span in spans if span[2] in labels})
    wrong = [(start, end) for start, end, _ in sides[0] ^ sides[1]]
    document = compared.gold.documents[result["place"]]
    renderer = renderer_of(compared.aligned()[0].labels)
    return drawn(renderer, document, compared.positions, [sorted(side) for side in sides], wrong)
