"""Plots of a leaderboard as SVG for the inside of a page. Needs matplotlib (extra `plots`)."""

import io
import warnings
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from unicodedata import east_asian_width

from . import words
from .words import change, number, shown

MISSING = "matplotlib is not installed. Install it with pip install 'spacy-chance-eval[plots]'"
WIDTH = 5.4  # inches, like all lengths here
POINTS = 72 * WIDTH
LEFT = 0.33  # of the width: where the axes of intervals begin
SIDES, ENDS = (0.38, 0.62), (0.4, 0.6)  # where names end and begin, and the lines between them
MARGIN = 8  # points
LONGEST = 60  # signs of a name, before it is measured
ROW, FOOT, FRAME = 0.34, 0.68, 1.05
# drawn in colours that stand for others: matplotlib knows no currentColor and no variables
TEXT, BEFORE, AFTER, LINE = "#010203", "#010204", "#010205", "#010206"
COLOURS = {
    TEXT: "currentColor",
    BEFORE: "var(--observed, #1f5f99)",
    AFTER: "var(--corrected, #a14400)",
    LINE: "var(--line, #999999)",
}
SETTINGS = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": TEXT,
    "axes.edgecolor": LINE,
    "axes.labelcolor": TEXT,
    "xtick.color": LINE,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "ytick.left": False,
}
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
CHANGES = {1: (AFTER, "-"), 0: (LINE, "-"), -1: (BEFORE, (0, (4, 2)))}
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"


def forest(board, key="forest"):
    """Score and interval of every system, before and after correction, as an `<svg>` element.

    Rows are in the order of the board. `key` begins every id, so that plots can share a page.
    """
    rows = board["rows"]
    both = words.is_corrected(board)
    with new_figure(len(rows) * ROW + FRAME) as figure:
        axes = figure.add_axes((LEFT, FOOT / figure.get_figheight(), 0.64, height_of(figure, rows)))
        draw_standings(axes, rows, "observed", BEFORE, "o", -0.16 if both else 0)
        if both:
            draw_standings(axes, rows, "corrected", AFTER, "s", 0.16)
        axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
        names = [short(row["system"], LEFT * POINTS - MARGIN) for row in rows]
        axes.set_yticks(range(len(rows)), names)
        axes.set_xlabel("bits" if board["bits"] else "score")
        axes.grid(axis="x", color=LINE, alpha=0.3, linewidth=0.6)
        axes.spines[["left", "top", "right"]].set_visible(False)
        axes.locator_params(axis="x", nbins=5)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    title = f"{board['metric']}, {words.place(board)}: scores and intervals"
    order = " before (circles) and after (squares) correction for chance" if both else ""
    return inline(figure, key, title, f"Scores of the systems with intervals{order}, {TABLE}.")


TABLE = "one row a system in the order of the table, which has the numbers"


def height_of(figure, rows):
    """Share of the figure that the rows take."""
    return max(len(rows), 1) * ROW / figure.get_figheight()


def draw_standings(axes, rows, name, colour, marker, shift):
    """Intervals and scores of all systems; a word where a score is undefined.

    Ids of what is drawn are like `observed-interval-0`: name, what, and number of the row.
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
            style = {"color": colour, "linewidth": 1.6, "gid": f"{name}-interval-{y}"}
            axes.plot(standing["interval"], [y + shift] * 2, **style)
        style = {"color": colour, "markerfacecolor": empty, "markersize": 5}
        axes.plot([standing["score"]], [y + shift], marker, gid=f"{name}-score-{y}", **style)


def slopes(board, key="slopes"):
    """Ranks before correction (left) and after (right) with a line for each system, as `<svg>`.

    Empty where nothing is corrected. Systems without rank stand at the foot, without line.
    """
    if not words.is_corrected(board):
        return ""
    rows = board["rows"]
    left, right = slots(rows, "observed"), slots(rows, "corrected")
    with new_figure(len(rows) * ROW * 0.8 + FRAME) as figure:
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, 1)
        axes.set_ylim(max(len(rows), 1) - 0.2, -1.8)
        axes.text(SIDES[0], -1.2, "rank observed", ha="right", va="center", weight="bold")
        axes.text(SIDES[1], -1.2, "rank corrected", va="center", weight="bold")
        for i, row in enumerate(rows):
            draw_slope(axes, row, left[i], right[i], f"slope-{i}")
    title = f"{board['metric']}, {words.place(board)}: ranks before and after correction"
    about = "A solid rising line: won places by the correction; dashed and falling: lost places"
    return inline(figure, key, title, f"{about}; thin and level: kept its place. {NUMBERS}.")


NUMBERS = "The table has all ranks and their changes"


def draw_slope(axes, row, left, right, gid):
    """One system: its name and rank on both sides, and the line between them."""
    before, after = place_of(row, "observed"), place_of(row, "corrected")
    moved = f" ({change(row['change'])})" if row["change"] else ""
    name = short(row["system"], SIDES[0] * POINTS - MARGIN - width_of(f"{before}  {after}{moved}"))
    axes.text(SIDES[0], left, f"{name}  {before}", ha="right", va="center")
    axes.text(SIDES[1], right, f"{after}  {name}{moved}", va="center")
    if row["change"] is None:
        return
    colour, dashes = CHANGES[(row["change"] > 0) - (row["change"] < 0)]
    style = {"linewidth": 1.8 if row["change"] else 1, "marker": "o", "markersize": 3.5}
    axes.plot(ENDS, [left, right], color=colour, linestyle=dashes, gid=gid, **style)


def place_of(row, name):
    """The rank of a system as text."""
    return number((row[name] or {"rank": None})["rank"])


def slots(rows, name):
    """Where each row stands in a column: by rank, equal ranks below each other, undefined last."""
    ranks = [(row[name] or {"rank": None})["rank"] for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (ranks[i] is None, ranks[i] or 0))
    return {row: slot for slot, row in enumerate(order)}


def short(name, room):
    """A name that fits beside a plot, where it has some points of room."""
    name = shown(name)
    if len(name) <= LONGEST and width_of(name) <= room:
        return name
    name = name[:LONGEST]
    while name and width_of(f"{name}{ELLIPSIS}") > room:
        name = name[:-1]
    return f"{name}{ELLIPSIS}"


def width_of(text):
    """Points that a text takes in the font of a plot, which is wide; others give no more."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=SETTINGS["font.sans-serif"], size=SETTINGS["font.size"])
    wide = [sign for sign in text if east_asian_width(sign) in "WF"]
    narrow = "".join(sign for sign in text if east_asian_width(sign) not in "WF")
    width = text_to_path.get_text_width_height_descent(narrow, font, ismath=False)[0]
    return width + len(wide) * SETTINGS["font.size"]


@contextmanager
def new_figure(height):
    """A figure without pyplot, drawn with our settings whatever those of the user are."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(MISSING) from error
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of signs that the font, used to measure only, lacks
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield Figure(figsize=(WIDTH, height))


def inline(figure, key, title, description, *, background=None):
    """The figure as an element: described, its ids its own, colours those of the page.

    A file of its own may have a colour as its background.
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
        clean(element, key)
    describe(root, key, title, description)
    if background:
        root.set("style", f"background: {background}; {root.get('style')}")
    return ET.tostring(root, encoding="unicode")


def clean(element, key):
    """No namespace before the tag, no foreign attributes, ids that begin with the key."""
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


def describe(root, key, title, description):
    """Title and description for screen readers; drawn with round joints."""
    root.set("xmlns", SVG[1:-1])
    root.set("role", "img")
    root.set("aria-labelledby", f"{key}-title {key}-desc")
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    for i, (tag, words_of) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(tag, {"id": f"{key}-{tag}"})
        element.text = shown(words_of)
        root.insert(i, element)
