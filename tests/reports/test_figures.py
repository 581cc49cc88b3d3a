"""Marks, scales, text and SVG that every figure is made of."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

from helpers.cases import each_case
from helpers.drawn import SVG, Drawn, markers
from helpers.extras import skip_without_cairo
from spacy_chance_eval.reports.figures import (
    CORRECTED,
    INK,
    SHAPES,
    SIZE,
    WIDTH,
    Figure,
    Scale,
    Style,
    bottom_axis,
    curve,
    fitting_name,
    fitting_ticks,
    group,
    left_axis,
    left_room,
    legend,
    line,
    marker,
    pdf_file,
    rectangle,
    scale,
    svg_element,
    svg_file,
    text_width,
    tick_texts,
    words,
)

HOSTILE = [
    "<script>x</script>",
    "$x^2$",
    "{{ 7*7 }}",
    "\x1b\x00",
    'a" onload="x',
    "\ud800",
    "\u202ex",
]
BOTH = pytest.mark.parametrize("write", [lambda figure: svg_element(figure, "k"), svg_file])


def figure(*marks, title="A title", description="What it shows.", height=100):
    return Figure(title, description, height, marks)


# --- scales


@each_case("limits", [(0, 1), (-3, 7), (1e-9, 2e-9), (-1e6, -5), (0.401, 0.409)])
def test_a_scale_maps_its_limits_to_its_ends_and_ticks_lie_between(limits):
    one = Scale(*limits, 200, 20)
    assert [one(limits[0]), one(limits[1])] == pytest.approx([200, 20])
    ticks = one.ticks(5)
    steps = [after - before for before, after in zip(ticks, ticks[1:])]
    assert 2 <= len(ticks) <= 6 or limits == (1e-9, 2e-9)
    assert steps == pytest.approx([steps[0]] * len(steps)) if steps else True
    span = limits[1] - limits[0]
    assert all(limits[0] - 1e-6 * span <= tick <= limits[1] + 1e-6 * span for tick in ticks)


def test_a_scale_of_values_skips_undefined_ones_and_has_a_length():
    assert (scale([None, 2.0, 5.0], 0, 1).low, scale([None, 2.0, 5.0], 0, 1).high) == (2, 5)
    for values in ([], [None], [3.0, 3.0], [0.0], [float("nan")]):
        one = scale(values, 0, 1)
        assert one.low < one.high


def test_ticks_of_whole_numbers_are_whole():
    assert Scale(0, 3, 0, 100).ticks(6, whole=True) == [0, 1, 2, 3]


def test_numbers_at_ticks_have_equal_decimals():
    assert tick_texts([0.05, 0.1, 0.15]) == [".05", ".10", ".15"]
    assert tick_texts([0, 1000.0]) == ["0", "1000"]


@each_case("limits", [(0, 1), (0, 1e6), (-0.00012, 0.00005), (-123456.5, 0)])
@pytest.mark.parametrize("length", [20, 60, 240])
def test_numbers_of_an_axis_do_not_touch(limits, length):
    drawn = Drawn(svg_element(figure(*bottom_axis(Scale(*limits, 5, 5 + length), 0, 50, "x")), "k"))
    assert not [pair for pair in combinations(drawn.labels(), 2) if pair[0].overlaps(pair[1])]
    assert fitting_ticks(Scale(*limits, 0, length))


def test_axes_keep_to_the_room_they_ask_for():
    up, across = Scale(0, 1, 80, 10), Scale(-1, 1, 60, 200)
    ticks = fitting_ticks(up, upright=True)
    left = left_room(ticks)
    marks = [
        *left_axis(up, left, 200, "score", ticks),
        *bottom_axis(across, 10, 80, "step", grid=True),
    ]
    drawn = Drawn(svg_element(figure(*marks, height=80 + 12 + 11), "k"))
    labels = drawn.labels()
    assert all(one.left >= -0.01 and one.bottom <= drawn.height + 0.7 for one in labels)
    assert not [pair for pair in combinations(labels, 2) if pair[0].overlaps(pair[1])]


# --- curves and legends


def test_a_curve_has_gaps_and_a_dot_for_a_lonely_point():
    values = [(0, 1.0), (1, 2.0), (2, None), (3, 4.0), (4, None)]
    marks = curve(values, Style(CORRECTED))
    stroke, dot = line([(0, 1), (1, 2)], CORRECTED, 1.2), marker(3, 4, "circle", CORRECTED, 1)
    assert marks == [stroke, dot]
    marked = curve(values, Style(CORRECTED, "square"))
    assert marked[1:] == [marker(*at, "square", CORRECTED) for at in ((0, 1), (1, 2), (3, 4))]


@each_case(
    "names", [["a"], ["observed", "expected", "corrected"], ["m" * 90, "b"], ["wide " * 4] * 7]
)
def test_a_legend_wraps_and_nothing_overlaps(names):
    marks, height = legend([(name, Style(INK, "circle")) for name in names], 10, WIDTH, 0)
    labels = Drawn(svg_element(figure(*marks), "k")).labels()
    assert len(labels) == len(names) and max(one.bottom for one in labels) <= height
    assert all(one.right <= WIDTH + 0.1 for one in labels)
    assert not [pair for pair in combinations(labels, 2) if pair[0].overlaps(pair[1])]


def test_no_legend_takes_no_room():
    assert legend([], 0, 100, 0) == ([], 0)


# --- text


def test_full_width_signs_take_their_full_width_and_accents_none():
    assert text_width("\u6f22" * 10) == pytest.approx(10 * SIZE)
    assert text_width("e\u0301") == text_width("\u00e9") == text_width("e")
    for ligature in "\ufdfa\ufdfd":  # of eighteen letters and more
        assert text_width(ligature) > 10 * SIZE


def test_names_that_are_cut_say_so_and_others_are_not():
    assert fitting_name("x" * 10, 100) == "x" * 10
    cut = fitting_name("x" * 100, 100)
    assert "x\u2026x" in cut and 90 < text_width(cut) <= 100
    assert fitting_name("\u0301" * 100, 100).endswith("\u2026")
    assert fitting_name("\x1b", 100) == "\\x1b"


def test_names_of_a_series_are_told_apart_after_the_cut():
    names = [f"{word} {i:02}" for i in range(41) for word in ("system number", "ner_news-alice")]
    assert len({fitting_name(name, 50) for name in names}) == len(names)
    assert fitting_name("\u0645" * 50, 100)[-1] == "\u0645"  # no mark before the first letter


@pytest.mark.integration
@pytest.mark.parametrize("bold", [0, 1])
def test_no_letter_is_wider_than_the_table_says(bold):
    skip_without_cairo()
    import cairocffi

    face = cairocffi.ToyFontFace("DejaVu Sans", weight=bold)
    font = cairocffi.ScaledFont(face, cairocffi.Matrix(100, 0, 0, 100))
    for text in ("observed", "rank corrected", "wwwmmm", "0.1234 [-0.5, 0.75]", "ÄÖÜß Łódź", "ЖЩЮ"):
        assert font.text_extents(text)[4] <= text_width(text, 100, bold=bold) + 0.01


# --- SVG


@BOTH
@each_case("text", HOSTILE)
def test_text_of_any_kind_stays_text(write, text):
    one = figure(words(5, 20, text), group(text, ()), title=text, description=text)
    root = ET.fromstring(write(one).encode("utf-8"))
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        *("svg", "title", "desc", "path", "text", "g", "circle")
    }
    assert not any(name.startswith("on") for each in root.iter() for name in each.attrib)
    assert "\x1b" not in write(one) and "\u202e" not in write(one)


@BOTH
def test_a_figure_names_and_describes_itself(write):
    root = ET.fromstring(write(figure()))
    for tag, text, key in (
        ("title", "A title", "aria-labelledby"), ("desc", "What it shows.", "aria-describedby")
    ):  # fmt: skip
        element = root.find(f"{SVG}{tag}")
        assert element.text == text and root.get(key) == element.get("id")


@BOTH
def test_marks_of_a_group_have_its_id(write):
    root = ET.fromstring(write(figure(group("a", (marker(5, 5), words(5, 20, "x"))))))
    (one,) = root.findall(f"{SVG}g")
    assert one.get("id").endswith("-a") and [each.tag for each in one] == [
        f"{SVG}circle",
        f"{SVG}text",
    ]


def test_every_shape_is_where_it_should_be():
    shapes = ["circle", *SHAPES]
    marks = [marker(10 * i, 20, shape) for i, shape in enumerate(shapes)]
    found = markers(Drawn(svg_element(figure(*marks), "k")).root)
    assert [(x, y) for _, x, y in found] == [(10 * i, 20) for i in range(len(shapes))]
    assert len({shape for shape, _, _ in found}) == len(shapes)


def test_a_page_gives_its_colours_and_a_file_has_its_own():
    marks = (marker(5, 5, colour=CORRECTED), words(5, 5, "x"), rectangle(0, 0, 5, 5, "#abcdef"))
    page, paper = svg_element(figure(*marks), "k"), svg_file(figure(*marks))
    assert "var(--corrected" in page and "currentColor" in page and "<style" not in page
    assert "var(" not in paper and "#a14400" in paper
    assert "#abcdef" in page and "#abcdef" in paper


def test_a_file_is_as_wide_as_a_column_and_keeps_its_text():
    root = ET.fromstring(svg_file(figure(words(5, 20, "words"))))
    assert root.get("width") == "88mm" and "Helvetica" in root.get("font-family")
    assert root.find(f"{SVG}text").text == "words"


# --- PDF

PARTS = (
    line([(5, 5), (50, 50)], dash="4 2"), rectangle(0, 0, 9, 9, INK),
    group("a", [marker(20, 20, shape, filled=False) for shape in ("circle", *SHAPES)]),
    words(40, 40, "words $x^2$", turned=True), words(5, 60, "bold", bold=True),
)  # fmt: skip


@pytest.mark.integration
def test_a_pdf_embeds_its_fonts_and_is_as_wide_as_a_column():
    skip_without_cairo()
    content = pdf_file(figure(*PARTS))
    assert content.startswith(b"%PDF") and b"/FontFile" in content
    box = re.search(rb"/MediaBox \[([^]]*)\]", content)[1]
    assert list(map(float, box.split())) == pytest.approx([0, 0, WIDTH, 100], abs=0.01)


@pytest.mark.integration
@each_case("text", ["\u0646\u0638\u0627\u0645", "\U00012000"])
def test_text_that_would_come_out_wrong_is_refused(text):
    skip_without_cairo()
    with pytest.raises(ValueError, match=r"\.svg"):
        pdf_file(figure(words(5, 20, text)))
