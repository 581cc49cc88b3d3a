"""Plots as SVG, for the inside of a page or as files.

They need matplotlib (extra `plots`), which is imported when a figure is drawn.
"""

from __future__ import annotations

import io
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from .words import printable

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
