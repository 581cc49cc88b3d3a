"""Figures of scores of trees with random errors: every point is where the scales say."""

import pytest

from helpers.drawn import SVG, Drawn, is_number, lines, markers, points, rounding
from helpers.perturbations import METRICS, NOISES, PROBABILITIES, made
from spacy_chance_eval.reports.figures import SMALL, WIDTH, svg_file
from spacy_chance_eval.reports.perturbation_figures import perturbation_figure, perturbation_page


def drawn(result):
    return Drawn(svg_file(perturbation_figure(result)))


def marks(page, noise, group=0):
    """By probability: (shape, x, y) of the marks of a panel."""
    return [markers(page.group(f"{noise}-{group}-{i}")) for i in range(len(PROBABILITIES))]


def heights(page, noise, number, group=0):
    """How far down the marks of a metric are, by probability."""
    return [row[number][2] for row in marks(page, noise, group)]


def value_of(page, axis):
    """From a place to its value on the first axis: by the numbers beside its first ticks."""
    anchor, shift = {"x": ("middle", 0), "y": ("end", 0.35 * SMALL)}[axis]
    texts = [each for each in page.root.findall(f"{SVG}text") if each.get("text-anchor") == anchor]
    ticks = [each for each in texts if is_number(each.text)][:2]
    (one, low), (other, high) = ((float(t.get(axis)) - shift, float(t.text)) for t in ticks)
    return lambda place: low + (place - one) / (other - one) * (high - low)


def bands(page):
    """The polygons from the lowest to the highest run."""
    areas = page.root.findall(f"{SVG}path[@fill-opacity='0.15']")
    return [points(each) for each in areas]


def test_every_kind_of_noise_has_a_panel_with_every_metric():
    page = drawn(made())
    for noise in NOISES:
        assert [len(row) for row in marks(page, noise)] == [3, 3, 3]
    assert {"Labels and attachments", "Labels alone", "Attachments alone"} <= set(page.texts())
    assert {"syntax_alpha plain", "syntax_alpha diff", "las"} <= set(page.texts())
    assert page.width == pytest.approx(WIDTH, abs=0.01)


@pytest.mark.parametrize("lowest", [0.0, -2.5])
def test_marks_and_bands_are_where_the_axes_say(lowest):
    result = made(lowest=lowest)
    page = drawn(result)
    across, up = value_of(page, "x"), value_of(page, "y")
    for i, row in enumerate(marks(page, "both")):
        for (_, x, y), metric in zip(row, METRICS, strict=True):
            (one,) = [
                one
                for one in result["rows"]
                if (one["noise"], one["metric"]) == ("both", metric)
                and one["probability"] == PROBABILITIES[i]
            ]
            assert across(x) == pytest.approx(PROBABILITIES[i], abs=rounding(across))
            assert up(y) == pytest.approx(one["mean"], abs=rounding(up))
    band = bands(page)[0]
    assert [up(y) for _, y in band] == pytest.approx(
        [0.85, 0.4, -0.05, 0.05, 0.5, 0.95], abs=rounding(up)
    )
    assert [across(x) for x, _ in band[:3]] == pytest.approx(PROBABILITIES, abs=rounding(across))


def test_curves_lead_from_mark_to_mark():
    page = drawn(made())
    found = [line for line in lines(page.root) if len(line) == 3]
    wanted = [
        [(x, y) for _, x, y in metric] for noise in NOISES for metric in zip(*marks(page, noise))
    ]
    assert found == wanted


def test_values_above_minus_1_are_evenly_spaced_whatever_is_below():
    """From 0.9 over 0.45 to 0."""
    for lowest in (0.0, -2.5, -40.0):
        first, middle, last = heights(drawn(made(lowest=lowest)), "labels", 0)
        assert last - middle == pytest.approx(middle - first, abs=0.02)
        assert first < last  # y grows downwards


def test_all_panels_have_the_same_scales():
    page = drawn(made())
    drops = []
    for noise in NOISES:
        found = heights(page, noise, 1)
        drops.append([one - found[0] for one in found])
    assert drops[1] == pytest.approx(drops[0], abs=0.02)
    assert drops[2] == pytest.approx(drops[0], abs=0.02)


def test_values_far_below_zero_stay_inside_of_the_figure():
    page = drawn(made(lowest=-40.0))
    assert all(0 < y < page.height for noise in NOISES for y in heights(page, noise, 1))
    assert {"-10", "score, log below -1"} <= set(page.texts())


def test_the_scale_is_even_where_values_are_not_deep():
    page = drawn(made(lowest=-2.5))
    first, middle, last = heights(page, "both", 1)
    assert last - middle == pytest.approx(middle - first, abs=0.02)
    assert "score" in page.texts() and "score, log below -1" not in page.texts()


def test_an_undefined_score_is_left_out():
    page = drawn(made(undefined=[("both", "las")]))
    assert [len(row) for row in marks(page, "both")] == [2, 2, 2]
    assert [len(row) for row in marks(page, "labels")] == [3, 3, 3]


def test_nothing_defined_is_no_error():
    undefined = [(noise, metric) for noise in NOISES for metric in METRICS]
    page = drawn(made(undefined=undefined))
    assert "Labels alone" in page.texts() and not bands(page)


def test_curves_differ_in_more_than_colour():
    names = {f"las(ignore=x{number})": f"las(ignore=x{number})" for number in range(7)}
    page = drawn(made(names))
    shapes = [shape for shape, *_ in marks(page, "both")[0]]
    assert len(set(shapes)) == 7


def test_there_can_be_more_metrics_than_styles():
    names = {f"las(ignore=x{number})": f"las(ignore=x{number})" for number in range(9)}
    page = drawn(made(names))
    assert [len(marks(page, "both", group)[0]) for group in (0, 1)] == [7, 2]


def test_one_unit_does_not_change_the_scale_of_another():
    page = drawn(made({"span_f": "span_f()", "slicm": "slicm()"}, lowest=-100.0))
    assert {"-100", "bits"} <= set(page.texts())
    assert "score, log below -1" not in page.texts()


@pytest.mark.parametrize("lowest", [0.0, -40.0])
def test_texts_stay_inside_and_apart(lowest):
    names = {f"syntax_alpha(delta=d{i},x={'w' * 9 * i})": "syntax_alpha()" for i in range(6)}
    page = drawn(made(names | {"slicm": "slicm()"}, lowest=lowest))
    found = page.labels()
    for i, one in enumerate(found):
        assert one.left >= 0 and one.right <= page.width and one.bottom <= page.height, one
        assert not [other for other in found[i + 1 :] if one.overlaps(other)], one


def test_the_figure_is_described():
    figure = perturbation_figure(made())
    assert figure.title == "Scores of trees with random errors"
    assert "gold.conllu: 100 sentences of 120" in figure.description


def test_hostile_names_stay_text():
    result = made({"las(ignore=<script>$x^2$)": "las"}, treebank="<script>")
    svg = svg_file(perturbation_figure(result))
    assert "<script" not in svg
    assert "las <script>$x^2$" in Drawn(svg).texts()


def test_the_page_has_a_figure_for_each_noise_and_unit():
    page = perturbation_page(made({"span_f": "span_f()", "slicm": "slicm()"}))
    assert page.count("<svg") == 3 * 2 and page.count("<table") == 4
    ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
