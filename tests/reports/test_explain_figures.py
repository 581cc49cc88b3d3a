"""Figures of where segments fall by chance: curves are where the numbers say, words tell them."""

import pytest

from helpers.drawn import SVG, Drawn, lines, markers, numbers, points, rounding, value_at
from helpers.explaining import labelled, one_document
from spacy_chance_eval.analysis.explain import Model, explain_document
from spacy_chance_eval.corpora.pairs import CorpusPair
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports.chance_figures import NAMED, coverage_figure, starts_figure
from spacy_chance_eval.reports.figures import CORRECTED, LINE, OBSERVED, PAPER, svg_file
from spacy_chance_eval.reports.words import precise

FIGURE_1 = labelled([(0, 1), (10, 15), (20, 30), (40, 55)])
SIDES = {"gold": OBSERVED, "pred": CORRECTED}


def explained(gold, pred, size, **options):
    result = explain_document(one_document(gold, pred, size), "doc", **options)
    return result, result["labels"][1]


def drawn(figure):
    return Drawn(svg_file(figure))


def curves(page, colour):
    """The curves of a colour outside of groups, without the sample of the legend."""
    found = [each for each in page.root.findall(f"{SVG}path") if PAPER[colour] in str(each.attrib)]
    return [points(each) for each in found if each.get("stroke-width") == "1.2"][1:]


def value_up(page):
    """From a height to its probability, by the numbers beside the ticks."""
    return value_at(page, "y")


def value_across(page):
    return value_at(page, "x")


def goes_through(page, line, values, first=1):
    """Whether a curve goes through values by position; level parts have points at their ends."""
    across, up = value_across(page), value_up(page)
    spots = [(round(across(x), 1), up(y)) for x, y in line]
    assert all(position == round(position) for position, _ in spots)
    assert (spots[0][0], spots[-1][0]) == (first, first + len(values) - 1)
    for position, value in spots:
        expected = values[int(position) - first]
        assert value == pytest.approx(expected, abs=rounding(up))
    for (low, one), (high, other) in zip(spots, spots[1:]):  # straight in between
        for i in range(int(low), int(high) + 1):
            between = one + (other - one) * (i - low) / (high - low)
            assert between == pytest.approx(values[i - first], abs=rounding(up))


@pytest.mark.parametrize("size", [12, 100])
def test_coverage_is_where_the_axes_say(size):
    result, entry = explained(labelled([(0, 2), (5, 6)]), labelled([(3, 6)]), size)
    page = drawn(coverage_figure(result, entry))
    (unit,) = entry["units"]
    for side, colour in SIDES.items():
        (line,) = curves(page, colour)
        goes_through(page, line, unit[side]["covered"])


def test_few_positions_have_markers_of_two_shapes():
    result, entry = explained(labelled([(0, 2), (5, 6)]), labelled([(3, 6)]), 12)
    page = drawn(coverage_figure(result, entry))
    shapes = [shape for shape, *_ in markers(page.root)]
    assert [shapes.count(shape) for shape in dict.fromkeys(shapes)] == [13, 13]  # with the legend
    long, entry = explained(labelled([(0, 2)]), labelled([(3, 6)]), 100)
    assert not markers(drawn(coverage_figure(long, entry)).root)


def test_level_stretches_take_two_points():
    result, entry = explained(labelled([(0, 3)]), labelled([(3, 6)]), 5000)
    (line,) = curves(drawn(coverage_figure(result, entry)), OBSERVED)
    assert len(line) < 10


def test_segments_lie_beneath_the_curves_where_they_were_marked():
    result, entry = explained(labelled([(0, 2)]), labelled([(3, 6)]), 12)
    page = drawn(coverage_figure(result, entry))
    across, up = value_across(page), value_up(page)
    heights = []
    for side, start, end in (("gold", 0, 2), ("pred", 3, 6)):
        (bar,) = page.group(f"span-{side}-1").findall(f"{SVG}path")
        xs, ys = zip(*points(bar))
        assert bar.get("fill") == PAPER[SIDES[side]]
        ends = across(min(xs)), across(max(xs))
        assert ends == pytest.approx((start + 0.6, end + 0.4), abs=rounding(across))
        assert up(min(ys)) < 0
        heights.append(min(ys))
    assert heights == sorted(heights)


def test_starts_of_figure_1_have_a_line_for_each_length():
    result, entry = explained(FIGURE_1, [], 100)
    page = drawn(starts_figure(result, entry, "gold"))
    names = [text for text in page.texts() if text.startswith("length")]
    assert names == [f"length {length}" for length in (1, 5, 10, 15)]
    (unit,) = entry["units"]
    kinds = sorted(unit["gold"]["kinds"], key=lambda kind: kind["length"])
    for i, kind in enumerate(kinds):
        (line,) = lines(page.group(f"starts-gold-{i}"))
        goes_through(page, line, kind["starts"])
        assert value_up(page)(line[0][1]) == pytest.approx(1 / 73, abs=rounding(value_up(page)))


def test_lines_of_lengths_differ_in_dashes():
    result, entry = explained(FIGURE_1, [], 100)
    page = drawn(starts_figure(result, entry, "gold"))
    groups = [page.group(f"starts-gold-{i}").find(f"{SVG}path") for i in range(4)]
    assert len({each.get("stroke-dasharray") for each in groups}) == 4


def test_units_stand_one_behind_the_other():
    words = [f"w{i}" for i in range(8)]
    corpus = Corpus("f", [Document(words, {"x": [(0, 1, "X"), (5, 6, "X")]}, "d", sents=(0, 4))])
    both = CorpusPair(corpus, "x", corpus, "x", ("g", "p"))
    result = explain_document(both, "d", model=Model(unit="sentence"))
    page = drawn(starts_figure(result, result["labels"][1], "gold"))
    for i, first in enumerate((1, 5)):
        (line,) = lines(page.group(f"starts-gold-{i}"))
        goes_through(page, line, [0.25] * 4, first)


def test_tokens_of_no_unit_leave_a_gap():
    words = [f"w{i}" for i in range(9)]
    corpus = Corpus("f", [Document(words, {"x": [(0, 1, "X")]}, "d", missing=[(3, 6)])])
    result = explain_document(CorpusPair(corpus, "x", corpus, "x", ("g", "p")), "d")
    page = drawn(coverage_figure(result, result["labels"][1]))
    across = value_across(page)
    ends = [[round(across(x)) for x, _ in (line[0], line[-1])] for line in curves(page, OBSERVED)]
    assert ends == [[1, 3], [7, 9]]


def test_many_lengths_have_few_names():
    starts = [i * (i + 1) // 2 for i in range(NAMED + 3)]
    spans = labelled([(start, start + i + 1) for i, start in enumerate(starts)])
    result, entry = explained(spans, [], 100)
    page = drawn(starts_figure(result, entry, "gold"))
    assert sum(text.startswith("length") for text in page.texts()) == NAMED
    assert len(page.groups()) == NAMED + 3


@pytest.mark.parametrize("positions, axis", [("token", "token"), ("char", "character")])
def test_the_axis_says_what_is_counted(positions, axis):
    result, entry = explained(FIGURE_1, FIGURE_1, 100)
    result = {**result, "positions": positions}
    figures = [coverage_figure(result, entry)]
    figures += [starts_figure(result, entry, side) for side in SIDES]
    for figure in figures:
        page = drawn(figure)
        (label,) = [one for one in page.labels() if one.text == axis]
        assert 0 < label.left and label.right < page.width and label.bottom <= page.height
        across, ticks = value_across(page), [float(t) for t in page.texts() if t.isdigit()]
        assert ticks == [0, 20, 40, 60, 80, 100]
        assert numbers(str(across(label.left)))[0] > 1


@pytest.mark.parametrize("size", [1, 2, 3, 30, 31, 400])
@pytest.mark.parametrize("chance", ["disjoint", "overlapping", "nested", "uniform"])
def test_every_figure_has_words_for_those_who_do_not_see_it(size, chance):
    result, entry = explained(labelled([(0, 1)]), labelled([(0, 1)]), size, model=Model(chance))
    for figure in (coverage_figure(result, entry), starts_figure(result, entry, "gold")):
        page = drawn(figure)
        title, description = page.root[0].text, page.root[1].text
        assert "label X" in title and description
        for label in page.labels():
            assert 0 <= label.left and label.right <= page.width, label
    about = coverage_figure(result, entry).description
    assert f"gold: {precise(1 / size)} at the first token" in about


def test_labels_and_names_of_the_data_stay_text():
    both = one_document([(0, 1, "<b>$x$")], [], 4)
    both = CorpusPair(both.gold, "x", both.pred, "x", ("g", "p"), ("<i>", "_hidden"))
    result = explain_document(both, "doc")
    svg = svg_file(coverage_figure(result, result["labels"][1]))
    assert "<b>" not in svg and "<i>" not in svg
    assert {"P(_hidden covers)", "P(<i> covers)"} <= set(Drawn(svg).texts())


def test_grid_and_axes_are_no_curves():
    result, entry = explained(FIGURE_1, [], 100)
    page = drawn(starts_figure(result, entry, "gold"))
    assert len(lines(page.root, PAPER[LINE])) > 8 and not curves(page, CORRECTED)
