"""Figures as plain marks, and as SVG: inside a page, or as a file one column wide; also as PDF.

Lengths are points, measured from the left and from the top. SVG needs no other package.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any, NamedTuple, TypeAlias
from unicodedata import bidirectional, combining, east_asian_width, normalize

from .words import Result, brief, interval_of, printable

Point: TypeAlias = tuple[float, float]
MM = 25.4 / 72  # millimetres per point
WIDTH = 249.45  # 88 mm, a column of most journals
SIZE, SMALL = 8.0, 7.0  # of text
MARGIN = 4.0
ROW = 11.0  # from one line of text to the next
TICK_ROOM, TITLE_ROOM = 12.0, 11.0  # below an axis
MOST_TICKS = 6  # intervals of an axis
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
LONGEST = 60  # characters of a name; the rest is cut before measuring
# stand for colours and the key of a figure until it is written; no text has control characters
INK, OBSERVED, CORRECTED, LINE, GROUND, KEY = map(chr, range(6))
PAGE = {
    INK: "currentColor",
    OBSERVED: "var(--observed, #1f5f99)",
    CORRECTED: "var(--corrected, #a14400)",
    LINE: "var(--line, #8a929c)",
    GROUND: "var(--page, #ffffff)",
}
PAPER = {
    INK: "#1d2126",
    OBSERVED: "#1f5f99",
    CORRECTED: "#a14400",
    LINE: "#565d66",
    GROUND: "#ffffff",
}
FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans', sans-serif"
NO_CAIRO = (
    ".pdf needs cairosvg: pip install 'spacy-chance-eval[pdf]', and the library cairo (apt-get "
    "install libcairo2, brew install cairo); or write .svg, which needs nothing more"
)
SHAPES: dict[str, tuple[Point, ...]] = {  # of radius 1
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "diamond": ((0, -1.3), (1.2, 0), (0, 1.3), (-1.2, 0)),
}
# widths of characters in DejaVu Sans, in em: other fonts of pages and papers are narrower
WIDTHS = {
    0.28: "ijl",
    0.34: " ,./:;\\|'IJ",
    0.42: "frt!()[]-",
    0.53: '"*_?sz`',
    0.6: "cvxykFL",
    0.64: "abdeghnopqu0123456789$TYPE{}",
    0.7: "ABCKRSVXZ",
    0.79: "DGHNOQU&",
    0.84: "#+<=>^~w",
    1.0: "M%@Wm\N{HORIZONTAL ELLIPSIS}\N{EM DASH}",
    12.0: "\N{ARABIC LIGATURE BISMILLAH AR-RAHMAN AR-RAHEEM}",
}
OTHER, CAPITAL, WIDE, EMOJI = 0.95, 1.15, 1.0, 1.3
BOLD = 1.15  # width relative to regular type
FIRST_EMOJI = 0x1F000


# --- marks, which are elements of SVG

Mark: TypeAlias = str


def line(
    points: Sequence[Point],
    colour: str = INK,
    width: float = 1.0,
    dash: str = "",
    opacity: float = 1.0,
) -> Mark:
    """A line through points; `dash` are lengths of dashes and gaps, such as "4 2"."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    faint = f' stroke-opacity="{_round(opacity)}"' if opacity < 1 else ""
    stroke = f'stroke="{colour}" stroke-width="{_round(width)}"'
    return f'<path d="{_path(points)}" fill="none" {stroke}{dashes}{faint}/>'


def marker(
    x: float,
    y: float,
    shape: str = "circle",
    colour: str = INK,
    size: float = 2.2,
    filled: bool = True,
) -> Mark:
    """A circle, or one of `SHAPES`, of a radius, filled or as an outline."""
    look = f'fill="{colour if filled else GROUND}" stroke="{colour}"'
    if shape == "circle":
        return f'<circle cx="{_round(x)}" cy="{_round(y)}" r="{_round(size)}" {look}/>'
    points = [(across * size, down * size) for across, down in SHAPES[shape]]
    return f'<path d="{_path(points)}Z" transform="translate({_pair((x, y))})" {look}/>'


def words(
    x: float,
    y: float,
    text: str,
    anchor: str = "start",
    size: float = SIZE,
    bold: bool = False,
    turned: bool = False,
    colour: str = INK,
) -> Mark:
    """A line of text on the baseline `y`; a turned one reads upwards."""
    look = f'fill="{colour}"'
    look += f' text-anchor="{anchor}"' if anchor != "start" else ""
    look += f' font-size="{_round(size)}"' if size != SIZE else ""
    look += ' font-weight="bold"' * bold
    look += f' transform="rotate(-90 {_pair((x, y))})"' * turned
    return f'<text x="{_round(x)}" y="{_round(y)}" {look}>{_text(text)}</text>'


def rectangle(left: float, top: float, right: float, bottom: float, colour: str) -> Mark:
    """A filled rectangle without an edge."""
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return f'<path d="{_path(corners)}Z" fill="{colour}"/>'


def group(name: str, marks: Iterable[Mark]) -> Mark:
    """Marks of one thing; `name` is the end of their id."""
    return f'<g id="{KEY}-{_text(name)}">{"".join(marks)}</g>'


@dataclass(frozen=True)
class Figure:
    """Marks in a frame, with a title and a description for screen readers."""

    title: str
    description: str
    height: float
    marks: Sequence[Mark]
    width: float = WIDTH


@dataclass(frozen=True)
class Style:
    """The style of a curve: colour, marker and dashes."""

    colour: str
    marker: str = ""
    dash: str = ""
    filled: bool = True
    width: float = 1.2


def curve(points: Iterable[tuple[float, float | None]], style: Style) -> list[Mark]:
    """A line through points with markers, interrupted where a height is None."""
    runs: list[list[Point]] = [[]]
    for x, y in points:
        if y is None:
            runs.append([])
        else:
            runs[-1].append((x, y))
    marks: list[Mark] = [
        line(run, style.colour, style.width, style.dash) for run in runs if len(run) > 1
    ]
    if style.marker:
        marks += [
            marker(x, y, style.marker, style.colour, filled=style.filled)
            for run in runs
            for x, y in run
        ]
    else:  # a point between two gaps has no line
        marks += [marker(*run[0], size=1, colour=style.colour) for run in runs if len(run) == 1]
    return marks


# --- scales and axes


@dataclass(frozen=True)
class Scale:
    """A linear map from values to points."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The position of a value, in points."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int, *, whole: bool = False) -> list[float]:
        """Ticks with at most `most` intervals of 1, 2 or 5 times a power of ten."""
        least = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(least))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= least * (1 - 1e-9))
        step = max(1.0, step) if whole else step
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(i * step, 12) for i in range(first, last + 1)]


def scale(
    values: Iterable[float | None], start: float, end: float, *, margin: float = 0.0
) -> Scale:
    """A linear scale of all defined values, with a margin given as a share of their range."""
    known = [value for value in values if value is not None and math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = margin * (high - low) if high > low else max(0.05, abs(high) * 0.05)
    return Scale(low - room, high + room, start, end)


def fitting_ticks(values: Scale, *, whole: bool = False, upright: bool = False) -> list[float]:
    """Ticks whose numbers do not touch on a horizontal or vertical axis."""
    for fewer in range(MOST_TICKS, 0, -1):
        ticks = values.ticks(fewer, whole=whole)
        widths = [2 * SMALL if upright else text_width(text, SMALL) for text in tick_texts(ticks)]
        places = list(map(values, ticks))
        gaps = (abs(after - before) for before, after in zip(places, places[1:]))
        if all(gap > max(widths) + MARGIN for gap in gaps):
            break
    return ticks


def tick_texts(ticks: Sequence[float]) -> list[str]:
    """The numbers at ticks, all with the decimals that the finest tick needs."""
    decimals = max((len(f"{tick:.10f}".rstrip("0").partition(".")[2]) for tick in ticks), default=0)
    return [brief(tick, decimals) if tick else "0" for tick in ticks]


def bottom_axis(
    across: Scale,
    top: float,
    bottom: float,
    title: str,
    *,
    ticks: Sequence[float] | None = None,
    grid: bool = False,
) -> list[Mark]:
    """A horizontal axis with ticks, numbers and a centred title, and a grid up to `top`.

    The numbers need `TICK_ROOM` below the axis, and the title `TITLE_ROOM` more. By default there
    are as many ticks as fit.
    """
    places = fitting_ticks(across) if ticks is None else ticks
    marks: list[Mark] = [line(((across.start, bottom), (across.end, bottom)), LINE, 0.7)]
    for tick, text in zip(places, tick_texts(places)):
        x = across(tick)
        if grid:
            marks.append(line(((x, top), (x, bottom)), LINE, 0.4, opacity=0.4))
        marks.append(line(((x, bottom), (x, bottom + 2.5)), LINE, 0.7))
        marks.append(words(x, bottom + 3 + SMALL, text, "middle", SMALL))
    middle = (across.start + across.end) / 2
    return [*marks, words(middle, bottom + TICK_ROOM + SIZE, title, "middle")]


def left_axis(
    up: Scale, left: float, right: float, title: str, ticks: Sequence[float]
) -> list[Mark]:
    """A vertical axis with ticks, numbers and a rotated title, and a grid up to `right`.

    It takes `left_room` points to the left of its line.
    """
    marks: list[Mark] = [line(((left, up.start), (left, up.end)), LINE, 0.7)]
    for tick, text in zip(ticks, tick_texts(ticks)):
        y = up(tick)
        marks.append(line(((left, y), (right, y)), LINE, 0.4, opacity=0.4))
        marks.append(line(((left - 2.5, y), (left, y)), LINE, 0.7))
        marks.append(words(left - 4, y + 0.35 * SMALL, text, "end", SMALL))
    across = left - left_room(ticks) + SIZE
    return [*marks, words(across, (up.start + up.end) / 2, title, "middle", turned=True)]


def left_room(ticks: Sequence[float]) -> float:
    """The points that `left_axis` takes to the left of its line."""
    numbers = max((text_width(text, SMALL) for text in tick_texts(ticks)), default=0.0)
    return 4 + numbers + 1.5 * SIZE


def legend(
    entries: Sequence[tuple[str, Style]], left: float, right: float, top: float
) -> tuple[list[Mark], float]:
    """Names with samples of their styles in rows, and the height of all rows."""
    marks: list[Mark] = []
    x, row = left, 0
    for name, style in entries:
        name = fitting_name(name, right - left - 20)
        width = 18 + text_width(name)
        if x > left and x + width > right:
            x, row = left, row + 1
        y = top + (row + 0.5) * ROW
        marks.append(line(((x, y), (x + 15, y)), style.colour, style.width, style.dash))
        if style.marker:
            marks.append(marker(x + 7.5, y, style.marker, style.colour, filled=style.filled))
        marks.append(words(x + 18, y + 0.35 * SIZE, name))
        x += width + 10
    return marks, ROW * (row + 1) if entries else 0.0


# --- forest plots: scores or differences with intervals, a row for each system or label

ROW_HEIGHT = {True: 19.0, False: 13.0}  # points; True: with corrected scores
DENSE, LEAST_HEIGHT = 30, 15.0  # systems; with more, rows are lower
NAMES = 0.42  # largest share of the width of a forest plot for names


class ForestRow(NamedTuple):
    """A row of a forest plot: its name, and (style, score with interval) pairs."""

    name: str
    scores: Sequence[tuple[str, Result]]


def forest(
    rows: Sequence[ForestRow],
    styles: Mapping[str, Style],
    axis: str,
    part: str,
) -> tuple[list[Mark], float]:
    """Rows of scores with intervals on one scale, below a legend, and their height.

    Parameters
    ----------
    rows : sequence of ForestRow
    styles : mapping of str to Style
        Of the scores, by name.
    axis : str
        The title of the axis.
    part : str
        The beginning of the id of each row.
    """
    widths = [text_width(fitting_name(row.name, NAMES * WIDTH)) for row in rows]
    left = max(widths, default=0) + 2 * MARGIN
    marks, top = legend([*styles.items()], left, WIDTH, 0)
    height = ROW_HEIGHT[max((len(row.scores) for row in rows), default=1) > 1]
    height = min(height, LEAST_HEIGHT) if len(rows) > DENSE else height
    bottom = top + 3 + max(len(rows), 1) * height
    scores = [score for row in rows for _, score in row.scores]
    ends = [end for score in scores for end in interval_of(score) or ()]
    values = [*(score["score"] for score in scores), *ends]
    across = scale(values, left, WIDTH - 3 * MARGIN, margin=0.03)
    marks += bottom_axis(across, top, bottom, axis, grid=True)
    if across.low < 0 < across.high:  # chance, or no difference
        marks.append(line(((across(0), top), (across(0), bottom)), LINE, 0.8))
    for i, row in enumerate(rows):
        middle = top + 3 + (i + 0.5) * height
        marks.append(_row_group(row, f"{part}-{i}", styles, across, middle))
    return marks, bottom + TICK_ROOM + TITLE_ROOM + 1


def _row_group(
    row: ForestRow,
    name: str,
    styles: Mapping[str, Style],
    across: Scale,
    middle: float,
) -> Mark:
    """Name, intervals and scores of a row, or a word for an undefined score."""
    label = fitting_name(row.name, across.start - 2 * MARGIN)
    marks: list[Mark] = [words(across.start - MARGIN, middle + 0.35 * SIZE, label, "end")]
    shifts = (-4.0, 4.0) if len(row.scores) > 1 else (0.0,)
    for (key, score), shift in zip(row.scores, shifts):
        y, style = middle + shift, styles[key]
        if score["score"] is None:
            text = f"{key} undefined" if len(row.scores) > 1 else "undefined"
            marks.append(words(across.start + MARGIN, y + 0.35 * SMALL, text, size=SMALL))
            continue
        if limits := interval_of(score):
            low, high = map(across, limits)
            marks.append(line(((low, y), (high, y)), style.colour, style.width))
        at = across(score["score"])
        marks.append(marker(at, y, style.marker, style.colour, filled=style.filled))
    return group(name, marks)


# --- text


def text_width(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """An upper bound of the width of a text, in points, from the widths of a wide font."""
    return size * (BOLD if bold else 1.0) * sum(map(_em, normalize("NFKC", text)))


def fitting_name(name: str, room: float, size: float = SIZE) -> str:
    """A name from the data, made printable and shortened in the middle to a width in points.

    The beginning and the end are kept, because names of a series often differ only at the end.
    """
    name = printable(name)
    if len(name) <= LONGEST and text_width(name, size) <= room + 1e-6:  # whose sum is rounded
        return name
    for kept in range(min(len(name) - 1, LONGEST), 0, -1):
        end = kept // 2
        tail = name[len(name) - end :].lstrip()
        while tail and combining(tail[0]):  # an accent whose letter was cut off
            tail = tail[1:]
        cut = f"{name[: kept - end].rstrip()}{ELLIPSIS}{tail}"
        if text_width(cut, size) <= room:
            return cut
    return ELLIPSIS


@cache
def _em(sign: str) -> float:
    """The width of a character in em."""
    if combining(sign):
        return 0.0
    if east_asian_width(sign) in "WF":
        return EMOJI if ord(sign) >= FIRST_EMOJI else WIDE
    base = normalize("NFD", sign)[0]  # without its accents
    other = CAPITAL if sign.isupper() else OTHER
    return next((width for width, signs in WIDTHS.items() if base in signs), other)


# --- SVG


def svg_element(figure: Figure, key: str) -> str:
    """A figure as an `<svg>` element in the colours of the page; all ids begin with `key`."""
    return _svg(figure, key, 'class="plot"', PAGE)


def svg_file(figure: Figure) -> str:
    """A figure as the text of an SVG file for print, sized in millimetres."""
    size = f'width="{_round(figure.width * MM)}mm" height="{_round(figure.height * MM)}mm"'
    ground = rectangle(0, 0, figure.width, figure.height, GROUND)
    look = f'{size} font-family="{FONTS}" color="{INK}"'
    return _svg(figure, "figure", look, PAPER, ground) + "\n"


def _svg(figure: Figure, key: str, look: str, colours: Mapping[str, str], ground: Mark = "") -> str:
    """The element, with its title, its description and its marks."""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {look} '
        f'viewBox="0 0 {_round(figure.width)} {_round(figure.height)}" role="img" '
        f'aria-labelledby="{KEY}-title" aria-describedby="{KEY}-desc" '
        f'font-size="{_round(SIZE)}" stroke-linejoin="round" style="direction: ltr">'
        f'<title id="{KEY}-title">{_text(figure.title)}</title>'
        f'<desc id="{KEY}-desc">{_text(figure.description)}</desc>'
        f"{ground}{''.join(figure.marks)}</svg>"
    )
    for name, value in {**colours, KEY: key}.items():
        svg = svg.replace(name, value)
    return svg


def _path(points: Sequence[Point]) -> str:
    return "M" + " L".join(map(_pair, points))


def _pair(point: Point) -> str:
    return " ".join(map(_round, point))


def _round(value: float) -> str:
    """A length with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _text(text: str) -> str:
    """A text from the data, printable and escaped."""
    return escape(printable(text))


# --- PDF


def load_cairo() -> Any:
    """The module cairosvg; an ImportError says how to install it, and the library that it needs."""
    try:
        import cairosvg
    except (ImportError, OSError) as error:  # OSError: without the library cairo
        raise ImportError(NO_CAIRO) from error
    return cairosvg


def pdf_file(figure: Figure) -> bytes:
    """A figure as a PDF file, made from its SVG by cairosvg, with its fonts embedded.

    Raises
    ------
    ImportError
        If cairosvg or the library cairo is not installed.
    ValueError
        For characters that cairo's font lacks, and writing from right to left, which it reverses.
    """
    cairosvg = load_cairo()
    import cairocffi

    svg = svg_file(figure)
    font = cairocffi.ScaledFont(cairocffi.ToyFontFace(FONTS.partition(",")[0]))
    for sign in sorted({*svg} - {"\n"}):
        # cairo draws each text in one font; glyph 0 stands for what it lacks
        if bidirectional(sign) in ("R", "AL") or not font.text_to_glyphs(0, 0, sign, False)[0][0]:
            raise ValueError(f"a PDF cannot show {sign} of this figure: write .svg")
    content: bytes = cairosvg.svg2pdf(bytestring=svg.encode())
    return content


# --- colours: blue above chance, orange below, with a text that stands out on each

# the middle of the scale and its ends; their lightness differs, so that blue prints darker
MIDDLE, BLUE, ORANGE = (247, 247, 247), (8, 69, 148), (217, 95, 2)
BLACK, WHITE = "#000000", "#ffffff"


def scale_colour(value: float) -> str:
    """The colour of a score: grey white at 0 (chance), blue towards 1, orange towards -1.

    Scores below -1 or above 1 have the colour of -1 or 1.
    """
    end = BLUE if value > 0 else ORANGE
    share = min(1.0, abs(value))
    mixed = (round(low + share * (high - low)) for low, high in zip(MIDDLE, end))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def text_colour(background: str) -> str:
    """Black or white, whichever has the higher contrast on a background (at least 4.5)."""
    # black and white have the same contrast at a luminance of sqrt(1.05 * 0.05) - 0.05
    return BLACK if _luminance(background) > 0.179 else WHITE


def _luminance(colour: str) -> float:
    """The relative luminance of #rrggbb, as WCAG 2.2 defines it."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
