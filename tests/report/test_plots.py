import re
import xml.etree.ElementTree as ET

import pytest

import boards

pytest.importorskip("matplotlib", reason="plots need the extra: pip install '.[plots]'")

from spacy_chance_eval.report.html import leaderboard_page
from spacy_chance_eval.report.plots import forest, slopes

SVG = "{http://www.w3.org/2000/svg}"
BOTH = pytest.mark.parametrize("draw", [forest, slopes])


def texts(svg):
    """All texts that a plot shows."""
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


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
@pytest.mark.parametrize(
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
@pytest.mark.parametrize("n", [1, 2, 50])
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
