"""The colours of matrices: blue above chance, orange below, with a text that stands out on each."""

from __future__ import annotations

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
