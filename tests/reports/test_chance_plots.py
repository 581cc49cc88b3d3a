"""Plots of where segments fall by chance: curves are where the numbers say, words tell them."""

import re
import xml.etree.ElementTree as ET

import pytest

from helpers.explaining import labelled, one_document
from helpers.extras import needs
from spacy_chance_eval.analysis.explain import Model, explain_document
from spacy_chance_eval.corpora.pairs import CorpusPair
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports.explain_page import NAMED, coverage_plot, starts_plot

pytestmark = [needs("matplotlib", "plots"), pytest.mark.integration]

SVG = "{http://www.w3.org/2000/svg}"
FIGURE_1 = labelled([(0, 1), (10, 15), (20, 30), (40, 55)])


def explained(gold, pred, size, **options):
    result = explain_document(one_document(gold, pred, size), "doc", **options)
    return result, result["labels"][1]


def curve(svg, gid):
    """Points of a curve (id behind `k-`), as pairs of numbers of the picture."""
    root = ET.fromstring(svg)
    (element,) = [each for each in root.iter() if each.get("id") == f"k-{gid}"]
    numbers = re.findall(r"-?[\d.]+", element.find(f"{SVG}path").get("d"))
    pairs = [float(number) for number in numbers]
    return list(zip(pairs[::2], pairs[1::2]))


def axis(svg, which):
    """From a value to its place, as numbers stand below the plot, or beside its lines."""
    ticks = [each for each in ET.fromstring(svg).iter() if f"{which}tick" in each.get("id", "")]
    texts = [next(tick.iter(f"{SVG}text")) for tick in ticks]
    if which == "x":
        places = [float(text.get("x")) for text in texts]
    else:
        paths = (next(tick.iter(f"{SVG}path")).get("d") for tick in ticks)
        places = [float(re.findall(r"[\d.]+", path)[1]) for path in paths]
    known = list(zip([float(text.text) for text in texts], places, strict=True))
    (low, first), (high, last) = known[0], known[-1]
    return lambda value: first + (value - low) / (high - low) * (last - first)


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


def drawn_as(svg, points, values, first=1):
    """Whether a curve goes through these values (straight parts need no points of their own)."""
    across, up = axis(svg, "x"), axis(svg, "y")
    expected = {round(across(first + i), 1): up(value) for i, value in enumerate(values)}
    return all(expected[round(x, 1)] == pytest.approx(y, abs=0.3) for x, y in points)


def test_coverage_is_where_the_axes_say():
    result, entry = explained(labelled([(0, 2), (5, 6)]), labelled([(3, 6)]), 12)
    svg = coverage_plot(result, entry, "k")
    (unit,) = entry["units"]
    for side in ("gold", "pred"):
        points = curve(svg, f"covered-{side}")
        assert len(points) > 2
        assert drawn_as(svg, points, unit[side]["covered"])


def test_segments_lie_beneath_the_curves_where_they_were_marked():
    result, entry = explained(labelled([(0, 2)]), labelled([(3, 6)]), 12)
    svg = coverage_plot(result, entry, "k")
    across, up = axis(svg, "x"), axis(svg, "y")
    for side, start, end in (("gold", 1, 2), ("pred", 4, 6)):
        (left, height), (right, _) = curve(svg, f"span-{side}-1")
        assert (left, right) == pytest.approx((across(start - 0.4), across(end + 0.4)), abs=0.1)
        assert height > up(0)  # further down


def test_starts_of_figure_1_have_a_line_for_each_length():
    result, entry = explained(FIGURE_1, [], 100)
    svg = starts_plot(result, entry, "gold", "k")
    assert [t for t in texts(svg) if t.startswith("length")] == [
        f"length {length}" for length in (1, 5, 10, 15)
    ]
    (unit,) = entry["units"]
    kinds = sorted(unit["gold"]["kinds"], key=lambda kind: kind["length"])
    for i, kind in enumerate(kinds):
        points = curve(svg, f"starts-gold-{i}")
        assert points[0][1] == pytest.approx(axis(svg, "y")(1 / 73), abs=0.1)
        assert drawn_as(svg, points, kind["starts"])


def test_units_stand_one_behind_the_other():
    words = [f"w{i}" for i in range(8)]
    corpus = Corpus("f", [Document(words, {"x": [(0, 1, "X"), (5, 6, "X")]}, "d", sents=(0, 4))])
    both = CorpusPair(corpus, "x", corpus, "x", ("g", "p"))
    result = explain_document(both, "d", model=Model(unit="sent"))
    svg = starts_plot(result, result["labels"][1], "gold", "k")
    assert drawn_as(svg, curve(svg, "starts-gold-0"), [0.25] * 4)
    assert drawn_as(svg, curve(svg, "starts-gold-1"), [0.25] * 4, first=5)


def test_a_side_without_segments_has_no_plot_of_starts():
    result, entry = explained(FIGURE_1, [], 100)
    assert starts_plot(result, entry, "pred", "k") == ""


def test_tokens_of_no_unit_leave_a_gap():
    words = [f"w{i}" for i in range(9)]
    corpus = Corpus("f", [Document(words, {"x": [(0, 1, "X")]}, "d", missing=[(3, 6)])])
    result = explain_document(CorpusPair(corpus, "x", corpus, "x", ("g", "p")), "d")
    svg = coverage_plot(result, result["labels"][1], "k")
    (path,) = [
        each.find(f"{SVG}path").get("d")
        for each in ET.fromstring(svg).iter()
        if each.get("id") == "k-covered-gold"
    ]
    assert path.count("M") == 2


MORE = [pytest.param(size, marks=pytest.mark.integration) for size in (2, 3)]


def test_many_lengths_have_few_names():
    starts = [i * (i + 1) // 2 for i in range(NAMED + 3)]
    spans = labelled([(start, start + i + 1) for i, start in enumerate(starts)])
    result, entry = explained(spans, [], 100)
    svg = starts_plot(result, entry, "gold", "k")
    assert sum(text.startswith("length") for text in texts(svg)) == NAMED


@pytest.mark.parametrize("size", [1, 400, *MORE])
@pytest.mark.parametrize("chance", ["disjoint", "overlapping", "nested", "uniform"])
def test_every_plot_has_words_for_those_who_do_not_see_it(size, chance):
    result, entry = explained(labelled([(0, 1)]), labelled([(0, 1)]), size, model=Model(chance))
    for svg in (coverage_plot(result, entry, "k"), starts_plot(result, entry, "gold", "k")):
        root = ET.fromstring(svg)
        assert root.get("aria-labelledby") == "k-title k-desc"
        title, description = root[0].text, root[1].text
        assert "label X" in title and description
    about = ET.fromstring(coverage_plot(result, entry, "k"))[1].text
    assert f"gold: {1 / size:.4f} at the first token" in about


def test_labels_and_names_of_the_data_stay_text():
    both = one_document([(0, 1, "<b>$x$")], [], 4)
    both = CorpusPair(both.gold, "x", both.pred, "x", ("g", "p"), ("<i>", "_hidden"))
    result = explain_document(both, "doc")
    svg = coverage_plot(result, result["labels"][1], "k")
    assert "<b>" not in svg and "<i>" not in svg
    assert {"P(_hidden covers)", "P(<i> covers)"} <= set(texts(svg))


def test_plots_of_one_page_share_no_ids():
    result, entry = explained(FIGURE_1, FIGURE_1, 100)
    plots = [coverage_plot(result, entry, "a")]
    plots += [starts_plot(result, entry, side, side) for side in ("gold", "pred")]
    ids = [each.get("id") for svg in plots for each in ET.fromstring(svg).iter() if each.get("id")]
    assert len(ids) == len(set(ids))
