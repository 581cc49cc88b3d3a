"""Plots as SVG, for the inside of a page or as files, and those of a leaderboard.

They need matplotlib (extra `plots`), which is imported when a figure is drawn.
"""

from __future__ import annotations

import io
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from .leaderboard import board_name, is_corrected
from .words import Result, change, number, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NO_PLOTS = "matplotlib is not installed. Install it with pip install 'spacy-chance-eval[plots]'"
FIGURE_WIDTH = 5.4  # inches, like all heights here
POINTS = 72 * FIGURE_WIDTH
MARGIN = 8  # points
LONGEST = 60  # characters of a name, before it is measured
DPI = 200
WHITE = "#ffffff"
# drawn in colours that stand for others: matplotlib knows no currentColor and no variables
TEXT, BEFORE, AFTER, LINE = "#010203", "#010204", "#010205", "#010206"
COLOURS = {
    TEXT: "currentColor",
    BEFORE: "var(--observed, #1f5f99)",
    AFTER: "var(--corrected, #a14400)",
    LINE: "var(--line, #999999)",
}
# the same in a file of its own, which no page styles
PAPER = {TEXT: "#1d2126", BEFORE: "#1f5f99", AFTER: "#a14400", LINE: "#565d66"}
FONTS = ["DejaVu Sans"]
FONT_SIZE = 9
SETTINGS: dict[Any, Any] = {  # matplotlib types every key
    "svg.fonttype": "none",
    "text.parse_math": False,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": False,
    "font.family": "sans-serif",
    "font.sans-serif": FONTS,
    "font.size": FONT_SIZE,
    "text.color": TEXT,
    "axes.edgecolor": LINE,
    "axes.labelcolor": TEXT,
    "xtick.color": LINE,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "ytick.left": False,
}
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
# of leaderboards
LEFT = 0.33  # of the width: where the axes of intervals begin
NAME_EDGES, ENDS = (0.38, 0.62), (0.4, 0.6)  # where names end and begin, and the lines between them
ROW, FOOT, FRAME = 0.34, 0.68, 1.05
CHANGES = {1: (AFTER, "-"), 0: (LINE, "-"), -1: (BEFORE, (0, (4, 2)))}  # colours and dashes
TABLE = "one row per system in the order of the table, which has the numbers"
NUMBERS = "The table has all ranks and their changes"

# --- all plots


@contextmanager
def new_figure(height: float) -> Iterator[Figure]:
    """A figure without pyplot, drawn with our settings, not with those of the user.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(NO_PLOTS) from error
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of characters that the font, used to measure only, lacks
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield Figure(figsize=(FIGURE_WIDTH, height))


def draw_frame(axes: Axes, text: str, line: str) -> None:
    """Ticks, grid, and lines on the left and at the foot, in two colours."""
    axes.tick_params(color=line, labelcolor=text)
    axes.grid(axis="y", color=line, alpha=0.3, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(line)


def svg_element(
    figure: Figure, key: str, title: str, description: str, *, background: str | None = None
) -> str:
    """A figure as an `<svg>` element with the colours of the page.

    Parameters
    ----------
    title, description : str
        For screen readers.
    background : str, optional
        A colour; for files of their own.
    """
    import matplotlib

    file = io.StringIO()
    settings = {**SETTINGS, "svg.hashsalt": key}
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure.savefig(file, format="svg", transparent=True, metadata=nothing)
    root = ET.fromstring(file.getvalue())
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith(("}metadata", "}style")):
                parent.remove(child)
    for element in root.iter():
        _clean(element, key)
    _describe(root, key, title, description)
    if background:
        root.set("style", f"background: {background}; {root.get('style')}")
    return ET.tostring(root, encoding="unicode")


def svg_file(figure: Figure, key: str, title: str, description: str) -> str:
    """A figure in the colours of `PAPER` as the text of an SVG file."""
    return svg_element(figure, key, title, description, background=WHITE) + "\n"


def png_file(figure: Figure, title: str) -> bytes:
    """A figure in the colours of `PAPER` as the bytes of a PNG file."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DPI, facecolor=WHITE, metadata={"Title": title})
    return file.getvalue()


def fitting_name(name: str, room: float) -> str:
    """A name from the data, cut so that it fits into some points of room."""
    name = printable(name)
    if len(name) <= LONGEST and text_width(name) <= room:
        return name
    name = name[:LONGEST]
    while name and text_width(f"{name}{ELLIPSIS}") > room:
        name = name[:-1]
    return f"{name}{ELLIPSIS}"


def text_width(text: str) -> float:
    """Points that a text takes in the font of plots, which is wide: others need no more."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONTS, size=FONT_SIZE)
    wide = [sign for sign in text if east_asian_width(sign) in "WF"]
    narrow = "".join(sign for sign in text if east_asian_width(sign) not in "WF")
    width = text_to_path.get_text_width_height_descent(narrow, font, ismath=False)[0]
    return width + len(wide) * FONT_SIZE


def _clean(element: ET.Element, key: str) -> None:
    """Remove the namespace of the tag and foreign attributes; begin ids with the key."""
    element.tag = element.tag.removeprefix(SVG)
    target = element.attrib.pop(LINK, None)
    if target:
        element.set("href", f"#{key}-{target[1:]}")
    if "id" in element.attrib:
        element.set("id", f"{key}-{element.get('id')}")
    for name, value in element.attrib.items():
        for stand_in, colour in COLOURS.items():
            value = value.replace(stand_in, colour)
        element.set(name, value.replace("url(#", f"url(#{key}-"))


def _describe(root: ET.Element, key: str, title: str, description: str) -> None:
    """Set title and description for screen readers, and round joints."""
    root.set("xmlns", SVG[1:-1])
    root.set("role", "img")
    root.set("aria-labelledby", f"{key}-title {key}-desc")
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    for i, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(tag, {"id": f"{key}-{tag}"})
        element.text = printable(text)
        root.insert(i, element)


# --- plots of leaderboards


def forest(board: Result, key: str = "forest") -> str:
    """Score and interval of every system, before and after correction, as an `<svg>` element.

    Systems are in the order of the board. `key` begins every id.
    """
    rows = board["rows"]
    both = is_corrected(board)
    with new_figure(len(rows) * ROW + FRAME) as figure:
        axes = figure.add_axes((LEFT, FOOT / figure.get_figheight(), 0.64, _height(figure, rows)))
        _draw_standings(axes, rows, "observed", BEFORE, "o", -0.16 if both else 0)
        if both:
            _draw_standings(axes, rows, "corrected", AFTER, "s", 0.16)
        axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
        names = [fitting_name(row["system"], LEFT * POINTS - MARGIN) for row in rows]
        axes.set_yticks(range(len(rows)), names)
        axes.set_xlabel("bits" if board["bits"] else "score")
        axes.grid(axis="x", color=LINE, alpha=0.3, linewidth=0.6)
        axes.spines[["left", "top", "right"]].set_visible(False)
        axes.locator_params(axis="x", nbins=5)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    title = f"{board['metric']}, {board_name(board)}: scores and intervals"
    order = " before (circles) and after (squares) correction for chance" if both else ""
    return svg_element(figure, key, title, f"Scores of the systems with intervals{order}, {TABLE}.")


def slopes(board: Result, key: str = "slopes") -> str:
    """Ranks before correction (left) and after (right) with a line for each system, as `<svg>`.

    Empty where nothing is corrected. Systems without a rank are at the foot, without a line. `key`
    begins every id.
    """
    if not is_corrected(board):
        return ""
    rows = board["rows"]
    left, right = _slots(rows, "observed"), _slots(rows, "corrected")
    with new_figure(len(rows) * ROW * 0.8 + FRAME) as figure:
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, 1)
        axes.set_ylim(max(len(rows), 1) - 0.2, -1.8)
        axes.text(NAME_EDGES[0], -1.2, "rank observed", ha="right", va="center", weight="bold")
        axes.text(NAME_EDGES[1], -1.2, "rank corrected", va="center", weight="bold")
        for i, row in enumerate(rows):
            _draw_slope(axes, row, left[i], right[i], f"slope-{i}")
    title = f"{board['metric']}, {board_name(board)}: ranks before and after correction"
    lines = "A solid rising line: the correction gains places; dashed and falling: it loses places"
    return svg_element(figure, key, title, f"{lines}; thin and level: kept its place. {NUMBERS}.")


def _height(figure: Figure, rows: Sequence[Result]) -> float:
    """The share of the figure that the rows take."""
    return max(len(rows), 1) * ROW / figure.get_figheight()


def _draw_standings(
    axes: Axes, rows: Sequence[Result], name: str, colour: str, marker: str, shift: float
) -> None:
    """Draw intervals and scores of all systems; a word where a score is undefined.

    Ids are like `observed-interval-0`: name, kind of mark, and number of the row.
    """
    empty = "none" if name == "observed" else colour
    axes.plot([], [], marker, color=colour, markerfacecolor=empty, label=name)
    for y, row in enumerate(rows):
        standing = row[name]
        if standing is None or standing["score"] is None:
            at = axes.get_yaxis_transform()
            label = f"{name} undefined"
            axes.text(0.01, y + shift, label, transform=at, va="center", fontsize=7)
            continue
        if standing["interval"] is not None:
            gid = f"{name}-interval-{y}"
            axes.plot(standing["interval"], [y + shift] * 2, color=colour, linewidth=1.6, gid=gid)
        axes.plot(
            [standing["score"]],
            [y + shift],
            marker,
            color=colour,
            markerfacecolor=empty,
            markersize=5,
            gid=f"{name}-score-{y}",
        )


def _draw_slope(axes: Axes, row: Result, left: int, right: int, gid: str) -> None:
    """Draw the name and rank of a system at both ends, and the line between them."""
    before, after = (number(_rank(row, name)) for name in ("observed", "corrected"))
    moved = f" ({change(row['change'])})" if row["change"] else ""
    beside = text_width(f"{before}  {after}{moved}")
    name = fitting_name(row["system"], NAME_EDGES[0] * POINTS - MARGIN - beside)
    axes.text(NAME_EDGES[0], left, f"{name}  {before}", ha="right", va="center")
    axes.text(NAME_EDGES[1], right, f"{after}  {name}{moved}", va="center")
    if row["change"] is None:
        return
    colour, dashes = CHANGES[(row["change"] > 0) - (row["change"] < 0)]
    axes.plot(
        ENDS,
        [left, right],
        color=colour,
        linestyle=dashes,
        linewidth=1.8 if row["change"] else 1,
        marker="o",
        markersize=3.5,
        gid=gid,
    )


def _slots(rows: Sequence[Result], name: str) -> dict[int, int]:
    """Where each row is in a column: by rank, equal ranks below each other, undefined ones last."""
    ranks = [_rank(row, name) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (ranks[i] is None, ranks[i] or 0))
    return {row: slot for slot, row in enumerate(order)}


def _rank(row: Result, name: str) -> int | None:
    return row[name]["rank"] if row[name] else None
