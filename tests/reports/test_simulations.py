"""Reports of tables that are made again."""

import csv
import io
import re

import pytest

from helpers.drawn import SVG, Drawn, lines, rounding, value_at
from spacy_chance_eval.reports.figures import svg_file
from spacy_chance_eval.reports.simulations import (
    simulation_csv,
    simulation_figure,
    simulation_markdown,
    simulation_text,
)
from spacy_chance_eval.tasks.simulate import chosen_tables, simulate_chance

RESULT = simulate_chance()


def test_text_marks_what_differs_and_says_why():
    text = simulation_text(chosen_tables(RESULT, ["table9"]))
    assert re.search(r"Annotator2 +0\.6809\* +0\.5437 +0\.3006\*", text)
    assert "* Annotator2, ObsF1   printed 0.6808, here 0.6809: " in text


def test_numbers_have_as_many_decimals_as_the_paper_prints():
    assert " 0.15 " in simulation_text(chosen_tables(RESULT, ["table5"]))


def test_markdown_escapes_marks():
    text = simulation_markdown(chosen_tables(RESULT, ["table1", "table9"]))
    assert r"| 0.6809\* |" in text and "| `0011101` | 20 |" in text


def test_csv_has_numbers_in_full_beside_the_printed_ones():
    lines = [*csv.DictReader(io.StringIO(simulation_csv(RESULT)))]
    (one,) = [
        line
        for line in lines
        if (line["table"], line["row"], line["column"]) == ("Table 9", "Annotator2", "ObsF1")
    ]
    assert (float(one["value"]), one["printed"]) == (32 / 47, "0.6808") and one["why"]


def test_csv_has_every_point_of_a_figure_once():
    lines = [*csv.DictReader(io.StringIO(simulation_csv(RESULT)))]
    points = [line for line in lines if line["table"] == "Figure 1"]
    assert len(points) == 100 + 96 + 91 + 86
    assert sum(float(one["value"]) for one in points) == pytest.approx(4)


def test_a_plot_without_a_figure_is_an_error():
    with pytest.raises(ValueError, match="`simulate chance --only figure1` draws one"):
        simulation_figure(chosen_tables(RESULT, ["table9"]))


def test_curves_are_where_the_axes_say():
    page = Drawn(svg_file(simulation_figure(RESULT)))
    across, up = value_at(page), value_at(page, "y")
    (figure,) = RESULT["figures"]
    assert len(page.groups()) == len(figure["curves"]) == 4
    for i, one in enumerate(figure["curves"]):
        (line,) = lines(page.group(f"figure1-{i}"))
        assert len(line) == len(one["x"])
        assert [across(x) for x, _ in line] == pytest.approx(one["x"], abs=rounding(across))
        assert [up(y) for _, y in line] == pytest.approx(one["y"], abs=rounding(up))
        assert one["name"] in page.texts()
    assert {"start", "probability"} <= set(page.texts())


def test_curves_differ_in_colour_and_in_their_dashes():
    page = Drawn(svg_file(simulation_figure(RESULT)))
    paths = [page.group(f"figure1-{i}").find(f"{SVG}path") for i in range(4)]
    for look in ("stroke", "stroke-dasharray"):
        assert len({path.get(look) for path in paths}) == 4
