"""The scale of colours of matrices: for every eye, on screen and in grey."""

import numpy as np

from helpers.cases import each_case
from helpers.colours import contrast, luminance
from spacy_chance_eval.reports.figures import scale_colour, text_colour

STEPS = [step / 100 for step in range(-100, 101)]
# Machado, Oliveira and Fernandes (2009), severity 1, on linear colours
SIGHTS = {
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}


def linear(colour):
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def seen(colour, sight):
    """A colour as it is seen, in CIE L*a*b*."""
    rgb = np.clip(np.array(SIGHTS[sight]) @ linear(colour), 0, 1)
    xyz = (
        np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
        @ rgb
        / [0.9505, 1, 1.089]
    )
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_the_text_stands_out_on_every_colour():
    for value in STEPS:
        background = scale_colour(value)
        assert contrast(background, text_colour(background)) >= 4.5, value


@each_case("grey", range(256))
def test_the_text_stands_out_on_any_grey(grey):
    background = f"#{grey:02x}{grey:02x}{grey:02x}"
    assert contrast(background, text_colour(background)) >= 4.5


@each_case("sight", SIGHTS)
def test_blue_and_orange_are_told_apart_without_red_or_green(sight):
    for value in (0.25, 0.5, 0.75, 1.0):
        difference = seen(scale_colour(value), sight) - seen(scale_colour(-value), sight)
        assert np.linalg.norm(difference) > 20, value


def test_colours_darken_away_from_chance_also_in_grey():
    for sign in (1, -1):
        greys = [luminance(scale_colour(sign * step / 20)) for step in range(21)]
        assert greys == sorted(greys, reverse=True) and len({*greys}) == 21


def test_full_blue_and_full_orange_differ_in_grey():
    assert contrast(scale_colour(1), scale_colour(-1)) > 2


def test_beyond_the_ends_nothing_changes():
    assert scale_colour(40.2) == scale_colour(1) and scale_colour(-39.2) == scale_colour(-1)
