"""The curves of scores over steps: every point is where the scales say, the best step is marked."""

import re

import pytest

from helpers.cases import each_case
from helpers.curvefiles import EXPECTED, SCORES, curves
from helpers.drawn import SVG, Drawn, lines, markers, points, rounding, value_at
from spacy_chance_eval.reports.curves import NO_LAYERS, curves_figure
from spacy_chance_eval.reports.figures import CORRECTED, LINE, MM, OBSERVED, PAPER, WIDTH, svg_file

CORRECT = [(score - EXPECTED) / (1 - EXPECTED) for score in SCORES]


def drawn(found):
    return Drawn(svg_file(curves_figure(found)))


def shapes(page, panel=0):
    """{shape: places} of the markers of a panel."""
    found = {}
    for i in range(20):
        if f"step-{panel}-{i}" in page.groups():
            for shape, x, y in markers(page.group(f"step-{panel}-{i}")):
                found.setdefault(shape, []).append((x, y))
    return found


def test_points_are_where_the_axes_say(tmp_path):
    page = drawn(curves(tmp_path))
    step, value = value_at(page, "x"), value_at(page, "y")
    found = shapes(page)
    assert len(found) == 3
    for places, expected in zip(found.values(), (SCORES, [EXPECTED] * 4, CORRECT)):
        assert [value(y) for _, y in places] == pytest.approx(expected, abs=rounding(value))
        assert [step(x) for x, _ in places] == pytest.approx([0, 50, 100, 150], abs=rounding(step))


def test_lines_go_through_the_points(tmp_path):
    page = drawn(curves(tmp_path))
    colours = [PAPER[name] for name in (OBSERVED, LINE, CORRECTED)]
    for colour, places in zip(colours, shapes(page).values()):
        assert places in lines(page.root, colour)


def test_hover_has_the_step_and_its_scores(tmp_path):
    page = drawn(curves(tmp_path))
    values = {"observed": SCORES[2], "expected": EXPECTED, "corrected": CORRECT[2]}
    scores = [f"{name} {value:.4f}" for name, value in values.items()]
    assert page.hover("step-0-2") == ["step 100, the best", *scores]
    assert page.hover("step-0-1")[0] == "step 50"


def test_every_place_of_a_panel_reacts_for_one_step(tmp_path):
    page = drawn(curves(tmp_path))
    bands = [points(each.find(f"{SVG}path[@class='hit']")) for each in page.reactions]
    for before, after in zip(bands, bands[1:]):
        assert before[1][0] == after[0][0]
    for (x, _), band in zip(next(iter(shapes(page).values())), bands):
        assert band[0][0] <= x <= band[1][0]


def test_a_line_marks_the_best_step(tmp_path):
    page = drawn(curves(tmp_path))
    x = shapes(page)[next(iter(shapes(page)))][2][0]
    assert [[x, x]] == [
        [one[0][0], one[1][0]] for one in lines(page.root, PAPER[LINE])
        if one[0][0] == one[1][0] == x and abs(one[0][1] - one[1][1]) > 50
    ]  # fmt: skip
    assert "best: step 100" in page.texts()


def test_an_undefined_score_is_a_gap(tmp_path):
    page = drawn(curves(tmp_path, scores=[0.1, None, 0.3]))
    assert [len(places) for places in shapes(page).values()] == [2, 3, 2]
    assert page.hover("step-0-1")[1] == "observed -"
    assert not [one for one in lines(page.root, PAPER[OBSERVED]) if one[0][0] != one[1][0]][1:]


def test_a_log_that_scores_nothing_has_no_best_step(tmp_path):
    page = drawn(curves(tmp_path, scores=[None, None]))
    assert not any("best" in text for text in page.texts())
    assert [len(places) for places in shapes(page).values()] == [2]


def test_one_evaluation_is_enough(tmp_path):
    assert len(shapes(drawn(curves(tmp_path, scores=[0.2])))) == 3


def test_many_evaluations_have_lines_without_markers(tmp_path):
    page = drawn(curves(tmp_path, scores=[i / 100 for i in range(90)]))
    assert not shapes(page) and len(page.reactions) == 90
    assert max(map(len, lines(page.root, PAPER[OBSERVED]))) == 90


def test_every_layer_of_every_log_has_a_panel_of_the_same_scales(tmp_path):
    page = drawn(curves(tmp_path, "a.jsonl", "b.jsonl", layers=("ents", "spans_sc")))
    across = [[x for x, _ in shapes(page, panel)["circle"]] for panel in range(4)]
    assert across == [across[0]] * 4 and not shapes(page, 4)
    names = [text.split(":")[0] for text in page.texts() if text.startswith(("ents", "spans"))]
    assert names == ["ents", "ents", "spans_sc", "spans_sc"]


@each_case("n, wide", [(4, False), (5, True), (10, True)])
def test_many_logs_stand_in_two_columns_on_a_page(tmp_path, n, wide):
    figure = curves_figure(curves(tmp_path, *(f"{i}.jsonl" for i in range(n))))
    page = Drawn(svg_file(figure))
    assert page.misplaced() == []
    assert figure.width == WIDTH * (1 + wide) and figure.height * MM < 250
    places = [shapes(page, panel)["circle"] for panel in range(n)]
    rows = [places[i][0][1] for i in range(n)]
    assert rows == sorted(rows) and len({*rows}) == (-(-n // 2) if wide else n)


def test_curves_differ_in_more_than_colour(tmp_path):
    page = drawn(curves(tmp_path))
    dashes = {
        each.get("stroke-dasharray")
        for each in page.root.iter(f"{SVG}path")
        if each.get("fill") == "none" and len(points(each)) == 4
    }
    assert len(dashes) == 3


@each_case("n, layers", [(1, 1), (3, 2), (60, 1)])
def test_no_text_lies_on_another_or_outside(tmp_path, n, layers):
    found = curves(
        tmp_path, "m" * 90 + ".jsonl", "b.jsonl", scores=[i / n for i in range(n)],
        layers=[f"layer {'W' * 40 * i}" for i in range(layers)],
    )  # fmt: skip
    page = drawn(found)
    assert page.misplaced() == []


def test_a_figure_is_described(tmp_path):
    figure = curves_figure(curves(tmp_path))
    assert figure.title == "Scores over the steps of training"
    assert "best at step 100" in figure.description


def test_hostile_names_stay_text(tmp_path):
    found = curves(tmp_path, layers=("<script>$x^2$</script>\x1b",))
    svg = svg_file(curves_figure(found))
    assert "<script" not in svg and "\x1b" not in svg
    assert any(re.match(r"<script>\$x\^2\$", text) for text in drawn(found).texts())


def test_equal_logs_give_equal_files(tmp_path):
    found = curves(tmp_path)
    assert svg_file(curves_figure(found)) == svg_file(curves_figure(found))


def test_logs_without_layers_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no scores beyond chance to draw"):
        curves_figure(curves(tmp_path, layers=()))
    assert "train again" in NO_LAYERS
