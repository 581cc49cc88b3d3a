"""The plots of scores over steps: every point is where the scales say, the best step is marked."""

import re
import xml.etree.ElementTree as ET

import pytest

from helpers.curvefiles import EXPECTED, SCORES, curves
from helpers.extras import needs
from spacy_chance_eval.reports.curves import curves_plot, curves_png, curves_svg

pytestmark = [needs("matplotlib", "plots"), pytest.mark.integration]

SVG = "{http://www.w3.org/2000/svg}"


def elements(svg):
    return list(ET.fromstring(svg).iter())


def marks(svg, gid):
    """Places of the marks of a curve."""
    (group,) = [each for each in elements(svg) if each.get("id") == f"curves-{gid}"]
    return [(float(use.get("x")), float(use.get("y"))) for use in group.iter(f"{SVG}use")]


def line(svg, gid):
    """The points of a line."""
    (group,) = [each for each in elements(svg) if each.get("id") == f"curves-{gid}"]
    numbers = re.findall(r"-?[\d.]+", group.find(f"{SVG}path").get("d"))
    return [(float(x), float(y)) for x, y in zip(numbers[::2], numbers[1::2])]


def texts(svg):
    return [each.text for each in elements(svg) if each.tag == f"{SVG}text"]


def heights(values, known):
    """Where values are, by two that are known with their places."""
    (low, bottom), (high, top) = known
    return [bottom + (value - low) / (high - low) * (top - bottom) for value in values]


def test_points_of_all_curves_are_on_one_scale(tmp_path):
    svg = curves_svg(curves(tmp_path))
    places = {part: marks(svg, f"{part}-0") for part in ("observed", "expected", "corrected")}
    known = (SCORES[0], places["observed"][0][1]), (SCORES[1], places["observed"][1][1])
    corrected = [(score - EXPECTED) / (1 - EXPECTED) for score in SCORES]
    for part, values in {"expected": [EXPECTED] * 4, "corrected": corrected}.items():
        expected = heights(values, known)
        assert [y for _, y in places[part]] == pytest.approx(expected, abs=0.01)
        assert [x for x, _ in places[part]] == pytest.approx([x for x, _ in places["observed"]])


def test_steps_are_as_far_apart_as_they_are(tmp_path):
    across = [x for x, _ in marks(curves_svg(curves(tmp_path)), "observed-0")]
    gaps = [after - before for before, after in zip(across, across[1:])]
    assert gaps == pytest.approx([gaps[0]] * 3) and gaps[0] > 50


def test_a_line_marks_the_best_step(tmp_path):
    svg = curves_svg(curves(tmp_path))
    best = marks(svg, "observed-0")[2][0]
    assert [x for x, _ in line(svg, "best-0")] == pytest.approx([best, best], abs=0.01)
    assert "best: step 100" in texts(svg)


def test_an_undefined_score_is_a_gap(tmp_path):
    found = curves(tmp_path, scores=[0.1, None, 0.3])
    svg = curves_svg(found)
    assert len(marks(svg, "observed-0")) == 2 and len(marks(svg, "expected-0")) == 3


def test_a_log_that_scores_nothing_has_no_best_step(tmp_path):
    svg = curves_svg(curves(tmp_path, scores=[None, None]))
    assert "best-0" not in svg and len(marks(svg, "expected-0")) == 2


def test_one_evaluation_is_enough(tmp_path):
    assert len(marks(curves_svg(curves(tmp_path, scores=[0.2])), "corrected-0")) == 1


def test_every_layer_of_every_log_has_a_panel_of_the_same_scales(tmp_path):
    svg = curves_svg(curves(tmp_path, "a.jsonl", "b.jsonl", layers=("ents", "spans_sc")))
    assert [part for part in range(6) if f"observed-{part}" in svg] == [0, 1, 2, 3]
    across = [[x for x, _ in marks(svg, f"observed-{part}")] for part in range(4)]
    assert across == [across[0]] * 4
    names = [text.split(":")[0] for text in texts(svg) if ".jsonl" in text]
    assert names == ["ents", "ents", "spans_sc", "spans_sc"]


def test_curves_differ_in_more_than_colour(tmp_path):
    svg = curves_svg(curves(tmp_path))
    dashes = set()
    for part in ("observed", "expected", "corrected"):
        (group,) = [each for each in elements(svg) if each.get("id") == f"curves-{part}-0"]
        style = group.find(f"{SVG}path").get("style")
        dashes.add(re.search(r"stroke-dasharray: ([^;]*)", style + "; stroke-dasharray: none")[1])
    assert len(dashes) == 3


def test_a_plot_of_a_page_has_the_colours_of_the_page(tmp_path):
    svg = curves_plot(curves(tmp_path), "ents")
    assert "var(--observed" in svg and "currentColor" in svg and "#010" not in svg


def test_a_file_of_its_own_has_colours_of_its_own(tmp_path):
    svg = curves_svg(curves(tmp_path))
    assert "var(" not in svg and "#010" not in svg and "background: #ffffff" in svg


def test_a_plot_is_described(tmp_path):
    root = ET.fromstring(curves_svg(curves(tmp_path)))
    assert root.get("role") == "img"
    (title,) = [each.text for each in root if each.tag == f"{SVG}title"]
    (description,) = [each.text for each in root if each.tag == f"{SVG}desc"]
    assert title == "Scores over the steps of training"
    assert "best at step 100" in description


def test_hostile_names_stay_text(tmp_path):
    svg = curves_svg(curves(tmp_path, layers=("<script>$x^2$</script>\x1b",)))
    assert "<script" not in svg and "\x1b" not in svg
    assert any("<script>$x^2$" in text for text in texts(svg))


def test_equal_logs_give_equal_files(tmp_path):
    found = curves(tmp_path)
    assert curves_svg(found) == curves_svg(found)
    assert curves_png(found) == curves_png(found)


def test_the_picture_is_a_png(tmp_path):
    assert curves_png(curves(tmp_path)).startswith(b"\x89PNG\r\n")


def test_logs_without_layers_cannot_be_drawn(tmp_path):
    with pytest.raises(ValueError, match="no scores beyond chance to draw"):
        curves_svg(curves(tmp_path, layers=()))
