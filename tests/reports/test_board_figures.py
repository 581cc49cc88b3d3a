"""Figures of boards: marks are where the numbers say, and no text lies on another."""

import re
import xml.etree.ElementTree as ET

import pytest

from helpers import boards, comparisons
from helpers.cases import each_case
from helpers.drawn import SVG, Drawn, lines, markers, points, rounding, value_at
from helpers.rendered import leaderboard_page
from spacy_chance_eval.reports import difference_figure, interval_figure, rank_figure
from spacy_chance_eval.reports.figures import MM, OBSERVED, PAPER, svg_element, svg_file
from spacy_chance_eval.reports.words import interval_of

BOTH = pytest.mark.parametrize("draw", [interval_figure, rank_figure])
COLOURS = {"observed": PAPER[OBSERVED], "corrected": PAPER["corrected"]}
LONG = ["x" * 15, "W" * 40, "m" * 22, "\u6f22" * 30, "\u6f22W" * 12, "a name of words", "x" * 900]


def drawn(figure):
    return Drawn(svg_file(figure))


@pytest.mark.parametrize("metric", ["span_f", "slicm"])
@pytest.mark.parametrize("label", [None, "PER"])
def test_scores_and_intervals_are_where_the_axis_says(metric, label):
    board = boards.board(metric, label=label)
    page = drawn(interval_figure(board))
    value = value_at(page)
    for i, row in enumerate(board["rows"]):
        group = page.group(f"system-{i}")
        names = ["observed"] if board["bits"] else ["observed", "corrected"]
        defined = [name for name in names if row[name] is not None]
        scores = [value(x) for _, x, _ in markers(group)]
        assert scores == pytest.approx([row[name] for name in defined], abs=rounding(value))
        ends = [tuple(value(x) for x, _ in line) for line in lines(group)]
        for drawn_ends, name in zip(ends, defined, strict=True):
            assert drawn_ends == pytest.approx(interval_of(row, name), abs=rounding(value))
        heights = [y for _, _, y in markers(group)]
        assert [line[0][1] for line in lines(group)] == heights == sorted(heights)


def test_before_and_after_differ_in_shape_and_colour():
    group = drawn(interval_figure(boards.board())).group("system-0")
    (before, _, _), (after, _, _) = markers(group)
    assert before == "circle" != after
    assert [len(lines(group, colour)) for colour in COLOURS.values()] == [1, 1]


def test_a_line_marks_chance_where_scores_are_on_both_sides_of_it():
    board = boards.board(names=["a", "b"])
    for row, score in zip(board["rows"], (-0.1, 0.4)):
        row.update(corrected=score, low=score - 0.1, high=score + 0.1)
    page = drawn(interval_figure(board))
    value = value_at(page)
    (line,) = [points(each) for each in page.root if each.get("stroke-width") == "0.8"]
    assert [value(x) for x, _ in line] == pytest.approx([0, 0], abs=rounding(value))


@pytest.mark.parametrize("label", [None, "PER"])
def test_lines_join_the_places_of_ranks(label):
    names = [f"s{i}" for i in range(12)]
    board = boards.board(names=names, label=label)
    assert any(row["change"] for row in board["rows"])
    page = drawn(rank_figure(board))
    for side, key in enumerate(("observed_rank", "rank")):
        ranked = sorted(board["rows"], key=lambda row: row[key] or len(names))
        heights = []
        for row in ranked:
            i = board["rows"].index(row)
            texts = page.labels(page.group(f"system-{i}"))[2 * side : 2 * side + 2]
            moved = f" ({row['change']:+d})" if side and row["change"] else ""
            assert [one.text for one in texts] == [
                f"{row[key] or '-'}{moved}",
                row["system"],
            ]
            heights.append(texts[0].bottom)
            found = lines(page.group(f"system-{i}"))
            assert bool(found) == (row["change"] is not None)
            for line in found:
                assert texts[0].top < line[side][1] < texts[0].bottom
                assert line == [(x, y) for _, x, y in markers(page.group(f"system-{i}"))]
        assert heights == sorted(heights)


def test_a_line_is_level_where_only_a_system_without_a_corrected_score_was_above():
    board = boards.board(names=["a", "b", "c"])
    for row, ranks in zip(board["rows"], ((1, None), (2, 1), (3, 2))):
        row["observed_rank"], row["rank"] = ranks
        row["change"] = None if None in ranks else 0
    page = drawn(rank_figure(board))
    assert not lines(page.group("system-0"))
    for i in (1, 2):
        (((_, before), (_, after)),) = lines(page.group(f"system-{i}"))
        assert before == after


@each_case(
    "change, colour, dashed", [(2, "corrected", False), (-1, "observed", True), (0, "line", False)]
)
def test_gains_and_losses_differ_in_more_than_colour(change, colour, dashed):
    board = boards.board(names=["a", "b"])
    board["rows"][0]["change"] = change
    group = drawn(rank_figure(board)).group("system-0")
    (path,) = [each for each in group.iter(f"{SVG}path") if each.get("fill") == "none"]
    assert path.get("stroke") == PAPER[colour]
    assert bool(path.get("stroke-dasharray")) == dashed
    assert (float(path.get("stroke-width")) > 1) == bool(change)


@BOTH
@each_case("n", range(1, 41))
def test_no_text_lies_on_another_or_outside(draw, n):
    names = [(LONG[i % len(LONG)] if i % 3 else "s") + str(i) for i in range(n)]
    board = boards.board(names=names, label="PER" if n % 2 else None)
    for row, places in zip(board["rows"], (10, -11, 100)):
        row["change"] = places
    page = drawn(draw(board))
    assert page.misplaced() == []


@BOTH
@each_case("name", ["<script>x</script>", "$x^2$", "{{ 7*7 }}", "\x1b\x00", "%s \\frac", "\u6f22"])
def test_names_stay_text(draw, name):
    svg = svg_element(draw(boards.board(names=[name, "b"])), "k")
    expected = name if name.isprintable() else "\\x1b\\x00"
    assert any(expected in text for text in Drawn(svg).texts()) and "<script" not in svg


@BOTH
def test_ids_begin_with_the_key_and_are_unique(draw):
    root = ET.fromstring(svg_element(draw(boards.board()), "k"))
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) == len(boards.NAMES) + 2
    assert all(name.startswith("k-") for name in ids)


@BOTH
def test_a_figure_is_the_same_every_time(draw):
    assert svg_file(draw(boards.board())) == svg_file(draw(boards.board()))


@BOTH
def test_the_description_quotes_the_signature(draw):
    board = boards.board()
    (signature,) = {row["signature"] for row in board["rows"]}
    assert signature in draw(board).description


def test_undefined_scores_are_said_to_be_so():
    board = boards.board(names=["a"])
    board["rows"][0].update(observed=None, corrected=None)
    page = drawn(interval_figure(board))
    texts = ["a", "observed undefined", "corrected undefined"]
    assert page.texts(page.group("system-0")) == texts
    assert not markers(page.group("system-0"))


def test_scores_without_intervals_have_no_lines():
    board = boards.board(names=["a", "b"])
    for row in board["rows"]:
        row["observed_low"] = row["low"] = None
    page = drawn(interval_figure(board))
    assert len(markers(page.group("system-0"))) == 2 and not lines(page.group("system-0"))


def test_a_board_without_rows_can_be_drawn():
    assert drawn(interval_figure({**boards.board(names=["a"]), "rows": []})).texts()


def test_there_are_no_lines_of_ranks_where_nothing_is_corrected():
    with pytest.raises(ValueError, match="slicm is not corrected for chance"):
        rank_figure(boards.board("slicm"))


def test_bits_have_an_axis_in_bits():
    assert "slicm, bits" in drawn(interval_figure(boards.board("slicm"))).texts()


def test_an_axis_says_that_lower_is_better():
    board = {**boards.board(), "request": "error_rate()"}
    assert "span_f, lower is better" in drawn(interval_figure(board)).texts()


def test_figures_are_on_the_page_with_ids_of_their_own():
    text = leaderboard_page(boards.result(names=["a", "b"], labels=["PER"], subsets=[]))
    ids = re.findall(r'\sid="([^"]*)"', text)
    # two metrics with intervals and ranks, one with intervals only
    assert text.count("<svg") == 5 and len(ids) == len(set(ids))


# --- differences of two runs


def test_differences_and_their_intervals_are_where_the_axis_says():
    result = comparisons.result()
    metric = result["metrics"][0]
    page = drawn(difference_figure(result))
    value = value_at(page)
    for i, part in enumerate([metric["total"], *metric["labels"]]):
        tested = part[metric["key"]]
        group = page.group(f"part-{i}")
        ((_, x, _),) = markers(group)
        assert value(x) == pytest.approx(tested["difference"], abs=rounding(value))
        ((low, high),) = lines(group)
        ends = [value(low[0]), value(high[0])]
        assert ends == pytest.approx(interval_of(tested), abs=rounding(value))


@each_case("names", [("early", "late"), ("W" * 80, "m" * 80)])
def test_a_figure_of_differences_names_both_runs(names):
    page = drawn(difference_figure({**comparisons.result(), "names": list(names)}))
    (head,) = [text for text in page.texts() if " minus " in text]
    assert page.misplaced() == []
    if names[0] == "early":
        assert head == "late minus early"


def test_forty_systems_fit_on_a_page():
    figure = interval_figure(boards.board(names=[f"system number {i:02}" for i in range(41)]))
    assert figure.height * MM < 240
    ranks = drawn(rank_figure(boards.board(names=[f"system number {i:02}" for i in range(41)])))
    names = [text for text in ranks.texts() if text.startswith("sys")]
    assert len({*names[::2]}) == len({*names[1::2]}) == 41


def test_what_the_test_distinguishes_differs_in_shape():
    result = comparisons.result()
    result["metrics"][0]["total"]["distinct"] = True
    page = drawn(difference_figure(result))
    assert markers(page.group("part-0"))[0][0] != "circle"
    assert markers(page.group("part-1"))[0][0] == "circle"


def test_undefined_differences_are_said_to_be_so_and_nothing_overlaps():
    result = comparisons.result(resamples=0)
    total = result["metrics"][0]["total"]
    total["corrected"] = {**total["corrected"], "difference": None}
    total["verdict"] = None
    page = drawn(difference_figure(result))
    assert "undefined" in page.texts() and page.misplaced() == []
    assert "not tested" in page.texts() and "not significant" not in page.texts()
