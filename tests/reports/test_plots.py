import re
import xml.etree.ElementTree as ET

import pytest

from helpers import boards
from helpers.cases import each_case
from helpers.extras import needs
from spacy_chance_eval.reports.html import leaderboard_page
from spacy_chance_eval.reports.plots import (
    NAME_EDGES,
    POINTS,
    fitting_name,
    forest,
    slopes,
    text_width,
)

pytestmark = [needs("matplotlib", "plots"), pytest.mark.integration]

SVG = "{http://www.w3.org/2000/svg}"
BOTH = pytest.mark.parametrize("draw", [forest, slopes])


def texts(svg):
    """All texts that a plot shows."""
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


def drawn(svg, gid):
    """The element with an id (behind `k-`): points of its line, of its marks, and its markup."""
    root = ET.fromstring(svg)
    (element,) = [each for each in root.iter() if each.get("id") == f"k-{gid}"]
    line = [pair for path in element.findall(f"{SVG}path") for pair in pairs_of(path.get("d"))]
    marks = [(float(use.get("x")), float(use.get("y"))) for use in element.iter(f"{SVG}use")]
    return line, marks, ET.tostring(element, encoding="unicode")


def pairs_of(path):
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
    return list(zip(numbers[::2], numbers[1::2]))


def labels(svg):
    """Texts of a plot with their places, from top to bottom."""
    found = ET.fromstring(svg).iter(f"{SVG}text")
    places = [(float(text.get("y")), float(text.get("x")), text.text) for text in found]
    return sorted(places)


def scale(svg):
    """From a score to its place, as the numbers below the axis say."""
    ticks = [element for element in ET.fromstring(svg).iter() if "xtick" in element.get("id", "")]
    shown = [text for tick in ticks for text in tick.iter(f"{SVG}text")]
    known = [(float(text.text), float(text.get("x"))) for text in shown]
    (low, left), (high, right) = known[0], known[-1]
    return lambda score: left + (score - low) / (high - low) * (right - left)


@pytest.mark.parametrize("metric", ["span_f", "slicm"])
@pytest.mark.parametrize("label", [None, "PER"])
def test_scores_and_intervals_are_where_the_axis_says(metric, label):
    board = boards.board(metric, label=label)
    svg = forest(board, "k")
    place = scale(svg)
    drawings = [("observed", "--observed"), ("corrected", "--corrected")]
    for name, colour in drawings[: 1 if board["bits"] else 2]:
        heights = []
        for i, row in enumerate(board["rows"]):
            if row[name]["score"] is None:
                assert f"k-{name}-score-{i}" not in svg
                continue
            ends, _, _ = drawn(svg, f"{name}-interval-{i}")
            _, [(x, y)], _ = drawn(svg, f"{name}-score-{i}")
            assert x == pytest.approx(place(row[name]["score"]), abs=0.01)
            expected = [place(end) for end in row[name]["interval"]]
            assert [x for x, _ in ends] == pytest.approx(expected, abs=0.01)
            assert [y for _, y in ends] == pytest.approx([y, y])
            assert all(colour in drawn(svg, f"{name}-{w}-{i}")[2] for w in ("score", "interval"))
            heights.append(y)
        steps = [after - before for before, after in zip(heights, heights[1:])]
        assert steps == pytest.approx([steps[0]] * len(steps)) and steps[0] > 12


def test_names_stand_beside_their_rows():
    board = boards.board(names=["one", "two", "three", "four"])
    svg = forest(board, "k")
    heights = {text: y for y, _, text in labels(svg)}
    for i, row in enumerate(board["rows"]):
        (_, above), (_, below) = (
            drawn(svg, f"{name}-score-{i}")[1][0] for name in ("observed", "corrected")
        )
        assert above < heights[row["system"]] - 2 < below


@pytest.mark.parametrize("label", [None, "PER"])
def test_slopes_join_the_places_of_ranks(label):
    names = [f"s{i}" for i in range(12)]
    board = boards.board(names=names, label=label)
    assert any(row["change"] for row in board["rows"])
    svg = slopes(board, "k")
    sides = {"observed": [], "corrected": []}
    for y, x, text in labels(svg)[2:]:
        sides["observed" if x < 200 else "corrected"].append((y, text))
    colours = {1: "--corrected", 0: "--line", -1: "--observed"}
    for side, key in enumerate(sides):
        ranked = sorted(board["rows"], key=lambda row: row[key]["rank"] or len(names))
        assert len(ranked) == len(sides[key])
        for (y, text), row in zip(sides[key], ranked):
            words = [row["system"], str(row[key]["rank"] or "-")][:: 1 - 2 * side]
            moved = [f"({row['change']:+d})"] if side and row["change"] else []
            assert text.split() == words + moved
            if row["change"] is None:
                continue
            line, marks, markup = drawn(svg, f"slope-{board['rows'].index(row)}")
            assert line == marks and line[side][1] == pytest.approx(y - 2.3, abs=1)
            assert line[0][0] < line[1][0]
            assert colours[(row["change"] > 0) - (row["change"] < 0)] in markup
            assert ("stroke-dasharray" in markup) == (row["change"] < 0)


LONG = ["x" * 15, "W" * 40, "m" * 22, "\u6f22" * 30, "\u6f22W" * 12, "a name of words", "x" * 900]


def test_labels_have_the_room_they_need():
    board = boards.board(names=[f"{name}{i}" for i in range(3) for name in LONG])
    for row, places in zip(board["rows"], (10, -11, 100)):
        row["change"] = places
    for _, x, text in labels(slopes(board))[2:]:
        assert text_width(text) <= min(x, POINTS - x) - 1
        assert x == pytest.approx(NAME_EDGES[x > 200] * POINTS)
    for _, x, text in labels(forest(board)):
        assert text.isascii() and len(text) < 12 or text_width(text) <= x


def test_full_width_signs_take_their_full_width():
    assert text_width("\u6f22" * 10) == pytest.approx(90, abs=1)  # the font of plots has 9 points
    widths = [text_width(text) for text in ("W\u6f22", "i\u6f22", "\u6f22", "W")]
    assert widths == sorted(set(widths), reverse=True) and widths[-1] > 8


def test_names_that_are_cut_say_so_and_others_are_not():
    assert fitting_name("x" * 10, 100) == "x" * 10
    cut = fitting_name("x" * 100, 100)
    assert cut.endswith("\u2026") and 90 < text_width(cut) <= 100
    assert fitting_name("\u0301" * 100, 100).endswith("\u2026")


@BOTH
def test_a_plot_is_one_svg_element_with_title_and_description(draw):
    root = ET.fromstring(draw(boards.board(), key="k"))
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    labels = [root.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc")]
    assert root.get("aria-labelledby").split() == labels == ["k-title", "k-desc"]


@BOTH
def test_a_plot_has_no_header_and_no_style_for_the_page(draw):
    svg = draw(boards.board())
    assert svg.startswith("<svg") and "<style" not in svg and "DOCTYPE" not in svg


@BOTH
def test_a_plot_is_the_same_every_time(draw):
    assert draw(boards.board(), key="k") == draw(boards.board(), key="k")


@BOTH
def test_ids_begin_with_the_key_and_all_references_lead_to_one(draw):
    root = ET.fromstring(draw(boards.board(), key="k"))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) and all(name.startswith("k-") for name in ids)
    for element in root.iter():
        assert element.get("href", "#" + ids[0])[1:] in ids
        assert element.get("clip-path", f"url(#{ids[0]})")[5:-1] in ids


@BOTH
@each_case(
    "name",
    ["<script>x</script>", "$x^2$", "{{ 7*7 }}", "\x1b\x00", "%s \\frac", "\u6f22", "#010203"],
)
def test_names_stay_text(draw, name):
    svg = draw(boards.board(names=[name, "b"]))
    expected = name if name.isprintable() else "\\x1b\\x00"
    assert any(expected in text for text in texts(svg)) and "<script" not in svg


@BOTH
def test_text_has_the_colour_of_the_page(draw):
    svg = draw(boards.board())
    assert "currentColor" in svg and "var(--corrected" in svg and "#0102" not in svg


@BOTH
@each_case("n", [1, 2, 50])
def test_any_number_of_systems_can_be_drawn(draw, n):
    svg = draw(boards.board(names=[f"system {i}" for i in range(n)], label="PER"))
    assert sum("system" in text for text in texts(svg)) >= n


def test_undefined_scores_are_said_to_be_so():
    svg = forest(boards.board(label="PER"))
    assert "observed undefined" in texts(svg) and "corrected undefined" in texts(svg)


@BOTH
def test_boards_where_nothing_is_defined_can_be_drawn(draw):
    board = boards.board(names=["a", "b"])
    for row in board["rows"]:
        for name in ("observed", "corrected"):
            row[name].update(score=None, interval=None, rank=None, rank_interval=None)
        row["change"] = None
    assert texts(draw(board))


def test_slopes_show_ranks_and_changes_as_they_are_given():
    board = boards.board(names=["a", "b"])
    board["rows"][0]["observed"]["rank"] = 7
    board["rows"][0]["change"] = 5
    assert any("7" in text for text in texts(slopes(board)))
    assert any("(+5)" in text for text in texts(slopes(board)))


def test_there_are_no_slopes_where_nothing_is_corrected():
    assert slopes(boards.board("slicm")) == ""


def test_bits_have_an_axis_in_bits():
    assert "bits" in texts(forest(boards.board("slicm")))


def test_settings_of_the_user_are_neither_used_nor_changed():
    import matplotlib

    plain = forest(boards.board())
    with matplotlib.rc_context({"font.size": 30, "text.usetex": True}):
        assert forest(boards.board()) == plain
        assert matplotlib.rcParams["font.size"] == 30


def test_plots_are_on_the_page_with_ids_of_their_own():
    text = leaderboard_page(boards.result(names=["a", "b"], labels=["PER"], subsets=[]))
    ids = re.findall(r'\sid="([^"]*)"', text)
    # two metrics with forest and slopes, one with a forest only, two boards each
    assert text.count("<svg") == 10 and len(ids) == len(set(ids))
    assert "plots are missing" not in text
