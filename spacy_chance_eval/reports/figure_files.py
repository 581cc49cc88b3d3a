"""Figures as files: SVG without other packages, PDF and PNG with the extra `plots`."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional

from .figures import PAPER, SHAPES, Area, Figure, Group, Line, Mark, Marker, Text, svg_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

NO_MATPLOTLIB = (
    "{suffix} needs matplotlib: pip install 'spacy-chance-eval[plots]'; or write .svg, which needs "
    "nothing more"
)
DPI = 300
# the later ones, if they are installed, provide characters that the first one lacks
FONTS = (
    "DejaVu Sans",
    *("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Micro Hei"),
    *("Microsoft YaHei", "Hiragino Sans GB", "PingFang SC", "Arial Unicode MS", "Noto Sans"),
    *("Noto Sans Devanagari", "Noto Sans Thai", "Nirmala UI", "Segoe UI Symbol"),
)
ANCHORS = {"start": "left", "middle": "center", "end": "right"}


def figure_content(figure: Figure, path: str | Path) -> bytes:
    """The content of a figure's file, in the format given by the ending of its name.

    Raises
    ------
    ValueError
        For endings other than .svg, .pdf and .png, and for text that no installed font can draw.
    ImportError
        For .pdf and .png, if matplotlib is not installed.
    """
    return FIGURE_WRITERS[checked_suffix(path)](figure)


def checked_suffix(path: str | Path) -> str:
    """The ending of a figure's file name.

    Raises
    ------
    ValueError
        If the ending is not .svg, .pdf or .png.
    ImportError
        For .pdf and .png, if matplotlib is not installed.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FIGURE_WRITERS:
        endings = ", ".join(FIGURE_WRITERS)
        raise ValueError(f"{path}: a figure's file ends in one of {endings}; rename it")
    if suffix != ".svg":
        _matplotlib(suffix)
    return suffix


def pdf_file(figure: Figure) -> bytes:
    """A figure as a PDF file, with its fonts embedded as TrueType.

    Raises
    ------
    ValueError, ImportError
        As for `figure_content`.
    """
    data = {"Title": figure.title, "Subject": figure.description, "Creator": "spacy-chance-eval"}
    return _painted(figure, "pdf", {**data, "CreationDate": None, "Producer": None})


def png_file(figure: Figure) -> bytes:
    """A figure as a PNG file with 300 dots per inch.

    Raises
    ------
    ValueError, ImportError
        As for `figure_content`.
    """
    data = {"Title": figure.title, "Description": figure.description}
    return _painted(figure, "png", {**data, "Software": "spacy-chance-eval"})


FIGURE_WRITERS: dict[str, Callable[[Figure], bytes]] = {
    ".svg": lambda figure: svg_file(figure).encode(),
    ".pdf": pdf_file,
    ".png": png_file,
}


def _matplotlib(suffix: str) -> Any:
    """The module matplotlib; an ImportError says how to install it."""
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError(NO_MATPLOTLIB.format(suffix=suffix)) from error
    return matplotlib


def _painted(figure: Figure, kind: str, metadata: dict[str, str | None]) -> bytes:
    """The marks as the content of a file, drawn with fixed settings, not with the user's."""
    content, missing = _saved(figure, kind, metadata)
    if missing:
        _find_new_fonts()
        content, missing = _saved(figure, kind, metadata)
    if missing:
        raise ValueError(
            f"no font here has a character of the figure ({missing[0].partition(' missing')[0]}): "
            "write .svg, or install a font that has it, such as Noto Sans CJK"
        )
    return content


def _saved(
    figure: Figure, kind: str, metadata: dict[str, str | None]
) -> tuple[bytes, Sequence[str]]:
    """The content of a file, and warnings about characters without a known font."""
    matplotlib = _matplotlib(f".{kind}")
    from matplotlib.font_manager import fontManager

    file = io.BytesIO()
    fonts = [font for font in FONTS if font in fontManager.get_font_names()]
    settings = {"pdf.fonttype": 42, "text.parse_math": False, "font.family": fonts}
    with matplotlib.rc_context(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings)
        _canvas(figure).savefig(file, format=kind, dpi=DPI, metadata=metadata)
    messages = (str(one.message) for one in caught)
    return file.getvalue(), [message for message in messages if "missing from" in message]


def _find_new_fonts() -> None:
    """Add fonts that were installed after matplotlib stored its list of fonts."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {font.fname for font in fontManager.ttflist}
    for path in findSystemFonts():
        if path not in known:
            with suppress(OSError, RuntimeError):  # not a font, or a damaged one
                fontManager.addfont(path)


def _canvas(figure: Figure) -> Canvas:
    """A figure of matplotlib with the marks, made without pyplot."""
    from matplotlib.figure import Figure as NewCanvas

    canvas = NewCanvas(figsize=(figure.width / 72, figure.height / 72), facecolor="#ffffff")
    axes = canvas.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, figure.width)
    axes.set_ylim(figure.height, 0)
    axes.set_autoscale_on(False)
    for i, mark in enumerate(figure.marks):
        _paint(axes, mark, i)
    return canvas


def _paint(axes: Axes, mark: Mark, order: int) -> None:
    """Draw a mark on top of those before it."""
    from matplotlib.patches import Circle, Polygon

    if isinstance(mark, Group):
        for one in mark.marks:
            _paint(axes, one, order)
        return
    colour = PAPER.get(mark.colour, mark.colour)
    if isinstance(mark, Line):
        dash = [float(length) for length in mark.dash.replace(",", " ").split()]
        style: Any = (0, [length / mark.width for length in dash]) if dash else "-"
        look: dict[str, Any] = {"linewidth": mark.width, "alpha": mark.opacity, "zorder": order}
        x, y = zip(*mark.points)
        axes.plot(x, y, color=colour, linestyle=style, solid_capstyle="butt", **look)
    elif isinstance(mark, Area):
        look = {"alpha": mark.opacity, "zorder": order, "linewidth": 0}
        axes.add_patch(Polygon(mark.points, closed=True, facecolor=colour, **look))
    elif isinstance(mark, Marker):
        fill = colour if mark.filled else "#ffffff"
        look = {"facecolor": fill, "edgecolor": colour, "linewidth": 1, "zorder": order}
        shape = SHAPES.get(mark.shape)
        if shape is None:
            axes.add_patch(Circle((mark.x, mark.y), mark.size, **look))
        else:
            corners = [(mark.x + x * mark.size, mark.y + y * mark.size) for x, y in shape]
            axes.add_patch(Polygon(corners, closed=True, **look))
    else:
        _write(axes, mark, order)


def _write(axes: Axes, mark: Text, order: int) -> None:
    """Draw a line of text.

    Raises
    ------
    ValueError
        For right-to-left text, whose letters would be in the wrong order.
    """
    if any(bidirectional(sign) in ("R", "AL", "AN") for sign in mark.text):
        raise ValueError(
            f"{mark.text}: writing from right to left can be drawn as .svg only; write that"
        )
    axes.text(
        mark.x,
        mark.y,
        mark.text,
        size=mark.size,
        weight="bold" if mark.bold else "normal",
        color=PAPER.get(mark.colour, mark.colour),
        ha=ANCHORS[mark.anchor],
        va="baseline",
        rotation=90 if mark.turned else 0,
        rotation_mode="anchor",
        zorder=order,
    )
