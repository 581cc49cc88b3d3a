"""Matrices as figures: each value in its cell, readable without colour; nothing overlaps."""

import pytest

from helpers import agreements
from helpers.cases import each_case
from helpers.colours import contrast
from helpers.drawn import SVG, Drawn, lines, points
from spacy_chance_eval.reports.figures import SMALL, WIDTH, scale_colour, svg_file
from spacy_chance_eval.reports.matrix_figures import (
    MOST_LABELS,
    confusion_figure,
    pair_figure,
)

NAMES = ("ann", "bob", "cleo")
VALUES = {("ann", "bob"): 0.71, ("ann", "cleo"): -0.125, ("bob", "cleo"): None}


def pair(first, second):
    value = VALUES.get((first, second), 0.5)
    limits = value and [value - 0.1, value + 0.1]
    return agreements.score(value, 0.8, 0.3, limits=limits, reason="neither marked anything")


def figure(*metrics, names=NAMES):
    everyone = [{"name": name, "n_shared": 3} for name in names]
    return pair_figure(agreements.result(*metrics, names=names, annotators=everyone))


def drawn(*metrics, names=NAMES):
    return Drawn(svg_file(figure(*metrics, names=names)))


def a_metric(**fields):
    return agreements.metric(names=fields.pop("names", NAMES), pair=pair, **fields)


def fill(group):
    """The colour of a cell; None without one."""
    return next(
        (each.get("fill") for each in group.iter(f"{SVG}path") if each.get("fill") != "none"), None
    )


def test_each_cell_has_the_value_and_the_colour_of_its_pair():
    page = drawn(a_metric())
    assert page.texts(page.group("cell-0-0")) == [".71"]
    assert page.texts(page.group("cell-0-1")) == ["-.12"]  # the sign is not in the colour alone
    assert fill(page.group("cell-0-0")) == scale_colour(0.71)
    assert fill(page.group("cell-0-1")) == scale_colour(-0.125)


def test_values_below_0_have_a_dashed_frame_for_grey_print():
    page = drawn(a_metric())
    dashed = {
        name: [line for line in page.group(name).iter() if line.get("stroke-dasharray")]
        for name in ("cell-0-0", "cell-0-1")
    }
    assert not dashed["cell-0-0"] and len(dashed["cell-0-1"]) == 1


def test_cells_stand_below_and_beside_their_names():
    page = drawn(a_metric())
    places = {one.text: one for one in page.labels() if one.text in NAMES}
    heads = {one.text: one for one in page.labels() if one.text in NAMES and one.bottom < 12}
    (text,) = page.labels(page.group("cell-0-1"))  # ann and cleo
    assert heads["cleo"].left < (text.left + text.right) / 2 < heads["cleo"].right
    assert places["ann"].top < (text.top + text.bottom) / 2 < places["ann"].bottom


def test_an_undefined_value_is_a_stroke():
    page = drawn(a_metric())
    group = page.group("cell-1-1")
    assert page.texts(group) == [] and fill(group) is None
    frame, stroke = lines(group)
    assert stroke == [frame[3], frame[1]]


def test_where_order_matters_both_orders_are_there():
    page = drawn(a_metric(symmetric=False))
    assert page.texts(page.group("cell-0-1")) == [".71"]
    assert page.texts(page.group("cell-1-0")) == [".50"]
    assert "rows: the first, as gold" in figure(a_metric(symmetric=False)).description.lower()


@each_case("fields", [{"bits": True}, {"higher_is_better": False}])
def test_values_that_are_no_shares_have_no_colours(fields):
    page = drawn(a_metric(**fields))
    assert fill(page.group("cell-0-0")) is None and page.texts(page.group("cell-0-0")) == [".71"]
    assert ".50" not in page.texts()  # of the scale


def test_the_scale_begins_at_chance_unless_a_value_is_below():
    assert "-.50" in drawn(a_metric()).texts()
    above = agreements.metric(names=NAMES)
    assert "-.50" not in drawn(above).texts() and ".50" in drawn(above).texts()


def test_text_stands_out_on_every_cell():
    page = drawn(agreements.metric(
        names=[f"{i:02}" for i in range(8)],
        pair=lambda one, other: agreements.score((int(one) * 8 + int(other)) / 32 - 1),
    ), names=[f"{i:02}" for i in range(8)])  # fmt: skip
    inks = [
        (fill(group), group.find(f"{SVG}text").get("fill")) for name, group in page.groups().items()
    ]
    assert len(inks) == 28 and all(contrast(*both) >= 4.5 for both in inks)


@each_case("n", [2, 3, 5, 8, 14])
@each_case("symmetric", [True, False])
def test_no_text_lies_on_another_or_outside(n, symmetric):
    names = [f"{'W' * (i * i)}{i}" for i in range(n)]
    metric = agreements.metric(
        names=names, symmetric=symmetric, pair=lambda *_: agreements.score(-0.375)
    )
    page = drawn(metric, names=names)
    assert page.misplaced() == []
    assert n > 8 or page.width == WIDTH


def test_texts_fit_into_their_cells():
    page = drawn(a_metric(symmetric=False))
    for name, group in page.groups().items():
        frame = points(next(each for each in group if each.get("fill") == "none"))
        for text in page.labels(group):
            assert frame[0][0] < text.left and text.right < frame[1][0], name
            assert text.bottom - text.top < SMALL


def test_hostile_names_stay_text():
    svg = svg_file(figure(a_metric(names=("<script>x</script>", "\x1b")), names=("a", "b")))
    assert "<script>x" not in svg and "\x1b" not in svg and "\\x1b" in svg


def test_the_description_quotes_the_signature():
    assert "span_f()|docs=3" in figure(a_metric()).description


def test_the_drawing_names_its_metric_and_explains_the_stroke():
    texts = drawn(a_metric(is_corrected=True)).texts()
    assert "span_f, corrected for chance" in texts and "A stroke: undefined" in texts
    whole = agreements.metric(names=NAMES)
    assert "A stroke: undefined" not in drawn(whole).texts()


def test_without_pairs_there_is_no_matrix():
    with pytest.raises(ValueError, match="no pair of annotators"):
        figure(a_metric() | {"pairs": []})


# --- confusion of labels


def confusion(labels, rows, **fields):
    """The tables of a diff that the figure reads."""
    differ = [sum(row) + sum(other[i] for other in rows) - 2 * row[i] for i, row in enumerate(rows)]
    found = {"labels": [*labels, None], "rows": rows, "differences": differ, "n_left_out": 0}
    scores = {"span_f": {"signature": "span_f()|docs=3"}}
    return {"names": ["gold", "crf"], "confusion": found, "scores": scores, **fields}


THREE = confusion(["LOC", "none"], [[6, 2, 0], [1, 3, 4], [5, 0, 0]])


def test_counts_stand_in_the_row_of_gold_and_the_column_of_the_prediction():
    page = Drawn(svg_file(confusion_figure(THREE)))
    counts = [
        [(*page.texts(page.groups()[f"cell-{i}-{j}"]), "")[0] for j in range(3)] for i in range(2)
    ]
    assert counts == [["6", "2", ""], ["1", "3", "4"]]
    assert page.texts(page.group("cell-2-0")) == ["5"] and "cell-2-2" not in page.groups()


def test_same_and_other_labels_differ_in_colour_by_their_share():
    page = Drawn(svg_file(confusion_figure(THREE)))
    assert fill(page.group("cell-0-0")) == scale_colour(0.75)
    assert fill(page.group("cell-0-1")) == scale_colour(-0.25)
    assert fill(page.group("cell-0-2")) is None


def test_of_many_labels_those_with_most_differences_are_drawn():
    n = MOST_LABELS + 3
    rows = [[int(i == j) or i * (j == n) for j in range(n + 1)] for i in range(n)]
    summary = confusion([f"L{i}" for i in range(n)], [*rows, [0] * (n + 1)])
    texts = Drawn(svg_file(confusion_figure(summary))).texts()
    assert "L3" in texts and "L2" not in texts
    assert "Left out: 3 labels with fewer differences" in texts


@each_case("n", [1, 2, 9, 30])
def test_no_text_of_a_confusion_lies_on_another_or_outside(n):
    labels = [f"{'W' * (i * i)}{i}" for i in range(n)]
    rows = [[12345] * (n + 1) for _ in range(n + 1)]
    summary = confusion(labels, rows, names=["gold " * 30, "\u6f22" * 90])
    assert Drawn(svg_file(confusion_figure(summary))).misplaced() == []


def test_a_diff_without_spans_can_be_drawn():
    figure = confusion_figure(confusion([], [[0]], scores={}))
    assert Drawn(svg_file(figure)).texts()[-2:] == ["Rows: gold", "Columns: crf"]
