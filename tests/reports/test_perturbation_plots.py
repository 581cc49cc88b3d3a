"""Plots of scores of trees with random errors: every point is where the scales say."""

import re
import xml.etree.ElementTree as ET

import pytest

from helpers.extras import needs
from helpers.perturbations import METRICS, NOISES, made
from spacy_chance_eval.reports.perturbation_plots import perturbation_png, perturbation_svg

pytestmark = [needs("matplotlib", "plots"), pytest.mark.integration]

SVG = "{http://www.w3.org/2000/svg}"


def elements(svg):
    return list(ET.fromstring(svg).iter())


def curve(svg, gid):
    """The element of a curve."""
    (found,) = [each for each in elements(svg) if each.get("id") == f"perturbation-{gid}"]
    return found


def marks(svg, gid):
    """Places of the marks of a curve."""
    return [(float(u.get("x")), float(u.get("y"))) for u in curve(svg, gid).iter(f"{SVG}use")]


def texts(svg):
    return [each.text for each in elements(svg) if each.tag == f"{SVG}text"]


def test_every_kind_of_noise_has_a_panel_with_every_metric():
    svg = perturbation_svg(made())
    for noise in NOISES:
        assert [len(marks(svg, f"{noise}-{number}")) for number in range(3)] == [3, 3, 3]
    assert {"Labels and attachments", "Labels alone", "Attachments alone"} <= set(texts(svg))
    assert {"syntax_alpha plain", "syntax_alpha diff", "las"} <= set(texts(svg))


def test_points_are_as_high_as_their_values():
    """From 0.9 over 0.45 to 0: above -1 the scale is even, also where it goes far below."""
    for lowest in (0.0, -2.5, -40.0):
        heights = [y for _, y in marks(perturbation_svg(made(lowest=lowest)), "labels-0")]
        assert heights[2] - heights[1] == pytest.approx(heights[1] - heights[0], abs=0.01)
        assert heights[0] < heights[2]  # y grows downwards


def test_probabilities_are_as_far_apart_as_they_are():
    across = [x for x, _ in marks(perturbation_svg(made()), "both-0")]
    assert (across[2] - across[1]) / (across[1] - across[0]) == pytest.approx(0.5 / 0.4, abs=0.01)


def test_all_panels_have_the_same_scales():
    svg = perturbation_svg(made())
    drops = []
    for noise in NOISES:
        heights = [y for _, y in marks(svg, f"{noise}-1")]
        drops.append([one - heights[0] for one in heights])
    assert drops[1] == pytest.approx(drops[0], abs=0.01)
    assert drops[2] == pytest.approx(drops[0], abs=0.01)


def test_values_far_below_zero_stay_inside_of_the_picture():
    svg = perturbation_svg(made(lowest=-40.0))
    height = float(ET.fromstring(svg).get("viewBox").split()[3])
    assert all(0 < y < height for noise in NOISES for _, y in marks(svg, f"{noise}-1"))
    assert {"-30", "score, logarithmic below -1"} <= set(texts(svg))


def test_the_scale_is_even_where_values_are_not_deep():
    svg = perturbation_svg(made(lowest=-2.5))
    first, middle, last = (y for _, y in marks(svg, "both-1"))
    assert last - middle == pytest.approx(middle - first, abs=0.01)
    assert "score" in texts(svg) and "score, logarithmic below -1" not in texts(svg)


def test_an_undefined_score_is_left_out():
    svg = perturbation_svg(made(undefined=[("both", "las")]))
    assert marks(svg, "both-2") == [] and len(marks(svg, "labels-2")) == 3


def test_nothing_defined_is_no_error():
    undefined = [(noise, metric) for noise in NOISES for metric in METRICS]
    assert "Labels alone" in texts(perturbation_svg(made(undefined=undefined)))


def test_curves_differ_in_more_than_colour():
    names = {f"las(ignore=x{number})": f"las(ignore=x{number})" for number in range(7)}
    svg = perturbation_svg(made(names))
    looks = set()
    for number in range(7):
        found = curve(svg, f"both-{number}")
        style = found.find(f"{SVG}path").get("style")
        dashes = re.search(r"stroke-dasharray: ([^;]*)", style + "; stroke-dasharray: none")[1]
        shape = next(path.get("d") for path in found.iter(f"{SVG}path") if path.get("id"))
        looks.add((dashes, shape))
    assert len(looks) == 7


def test_there_can_be_more_metrics_than_styles():
    names = {f"las(ignore=x{number})": f"las(ignore=x{number})" for number in range(9)}
    assert len(marks(perturbation_svg(made(names)), "both-8")) == 3


def panels(svg):
    """By panel: the numbers of its curves, and its texts."""
    found = []
    for each in elements(svg):
        if re.fullmatch(r"perturbation-axes_\d+", each.get("id", "")):
            ids = [re.search(r"-(\d+)$", one.get("id", "")) for one in each.iter()]
            words = {one.text for one in each.iter(f"{SVG}text")}
            found.append(({int(one[1]) for one in ids if one}, words))
    return found


def test_each_unit_has_a_panel_of_its_own():
    names = ("span_f", "slicm", "false_positives", "token_f")
    found = panels(perturbation_svg(made({name: f"{name}(chance=none)" for name in names})))
    assert [numbers for numbers, _ in found] == [{0, 3}] * 3 + [{1}] * 3 + [{2}] * 3
    assert all("score" in words for _, words in found[:3])
    assert all("bits" in words for _, words in found[3:6])
    assert all("per 1,000 tokens" in words for _, words in found[6:])


def test_one_unit_does_not_change_the_scale_of_another():
    result = made({"span_f": "span_f()", "slicm": "slicm()"}, lowest=-100.0)
    (scores, _), *_, (bits, words) = panels(perturbation_svg(result))
    assert (scores, bits) == ({0}, {1}) and {"-100", "bits"} <= words
    assert "score, logarithmic below -1" not in texts(perturbation_svg(result))


def test_no_panel_has_two_curves_of_one_style():
    """The metrics of a family stay together, those of other pages are apart."""
    spans = [f"{name}_{end}" for name in ("span", "token", "link") for end in "prf"]
    names = [
        *(one.replace("_p", "_precision").replace("_r", "_recall") for one in spans),
        "u_alpha",
    ]
    found = panels(perturbation_svg(made({name: f"{name}()" for name in names})))
    assert [numbers for numbers, _ in found[::3]] == [{*range(6)}, {6, 7, 8}, {9}]


def test_the_plot_is_described_and_has_colours_of_its_own():
    svg = perturbation_svg(made())
    root = ET.fromstring(svg)
    (description,) = [each.text for each in root if each.tag == f"{SVG}desc"]
    assert root.get("role") == "img" and "gold.conllu: 100 sentences of 120" in description
    assert "var(" not in svg and "#010" not in svg and "background: #ffffff" in svg


def test_hostile_names_stay_text():
    svg = perturbation_svg(made({"las(ignore=<script>$x^2$)": "las"}, treebank="<script>"))
    assert "<script" not in svg
    assert "las <script>$x^2$" in texts(svg)


def test_equal_results_give_equal_files():
    assert perturbation_svg(made()) == perturbation_svg(made())
    assert perturbation_png(made()) == perturbation_png(made())


def test_the_picture_is_a_png():
    assert perturbation_png(made()).startswith(b"\x89PNG\r\n")
