"""Figures, letter by letter: boards, differences of runs, matrices, chance; and their laws.

Marks are where the numbers say, by an oracle that reads the axes; no text lies on another.
"""

import re
import xml.etree.ElementTree as ET

import pytest

from helpers import agreements, boards, comparisons
from helpers.cases import each_case
from helpers.colours import contrast
from helpers.drawn import SVG, Drawn, lines, markers, points, rounding, value_at
from helpers.explaining import labelled, one_document
from helpers.rendered import leaderboard_page
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.analysis.explain import Model, explain_document
from spacy_chance_eval.corpora.pairs import CorpusPair
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports import difference_figure, interval_figure, rank_figure
from spacy_chance_eval.reports.chance_figures import coverage_figure
from spacy_chance_eval.reports.figures import (
    CORRECTED,
    MM,
    OBSERVED,
    PAPER,
    SMALL,
    WIDTH,
    scale_colour,
    svg_element,
    svg_file,
)
from spacy_chance_eval.reports.matrix_figures import MOST_LABELS, confusion_figure, pair_figure
from spacy_chance_eval.reports.words import interval_of

HOSTILE = ["<script>x</script>", "$x^2$", "{{ 7*7 }}", "\x1b\x00", "%s \\frac", "\u6f22"]
LONG = ["x" * 15, "W" * 40, "m" * 22, "\u6f22" * 30, "\u6f22W" * 12, "a name of words", "x" * 900]
ON_BOARDS = (interval_figure, rank_figure)


def drawn(figure):
    return Drawn(svg_file(figure))


def board_with(*rows, **fields):
    """A board of two systems and more with other parts of rows."""
    made = boards.board(names="abc"[: max(len(rows), 2)])
    for row, other in zip(made["rows"], rows):
        row.update(other)
    return made | fields


def scored(score):
    return {"corrected": score, "low": score - 0.1, "high": score + 0.1}


def ranked(before, after):
    change = None if None in (before, after) else before - after
    return {"observed_rank": before, "rank": after, "change": change}


# --- matrices

NAMES = ("ann", "bob", "cleo")
VALUES = {("ann", "bob"): 0.71, ("ann", "cleo"): -0.125, ("bob", "cleo"): None}


def pair(first, second):
    value = VALUES.get((first, second), 0.5)
    limits = value and [value - 0.1, value + 0.1]
    return agreements.score(value, 0.8, 0.3, limits=limits, reason="neither marked anything")


def matrix(metric, names=NAMES):
    everyone = [{"name": name, "n_shared": 3} for name in names]
    return pair_figure(agreements.result(metric, names=names, annotators=everyone))


def pairs_of(names=NAMES, pair=pair, **fields):
    return agreements.metric(names=names, pair=pair, **fields)


def confusion(labels, rows, **fields):
    """The tables of a diff that the figure reads."""
    differ = [sum(row) + sum(other[i] for other in rows) - 2 * row[i] for i, row in enumerate(rows)]
    found = {"labels": [*labels, None], "rows": rows, "differences": differ, "n_left_out": 0}
    scores = {"span_f": {"signature": "span_f()|docs=3"}}
    return confusion_figure(
        {"names": ["gold", "crf"], "confusion": found, "scores": scores, **fields}
    )


def many_labels():
    n = MOST_LABELS + 3
    rows = [[int(i == j) or i * (j == n) for j in range(n + 1)] for i in range(n)]
    return confusion([f"L{i}" for i in range(n)], [*rows, [0] * (n + 1)])


# --- chance

FIGURE_1 = labelled([(0, 1), (10, 15), (20, 30), (40, 55)])
SIDES = {"gold": OBSERVED, "pred": CORRECTED}


def explained(gold, pred, size, **options):
    found = explain_document(one_document(gold, pred, size), "doc", **options)
    return found, found["labels"][1]


def coverage(gold, pred, size, **fields):
    found, entry = explained(labelled(gold), labelled(pred), size)
    return coverage_figure(found | fields, entry)


def of_words(n, model=None, spans=((0, 1, "X"),), **about):
    """A document of words that gold and prediction have marked alike."""
    document = Document([f"w{i}" for i in range(n)], {"x": list(spans)}, "d", **about)
    corpus = Corpus("f", [document])
    found = explain_document(CorpusPair(corpus, "x", corpus, "x", ("g", "p")), "d", model=model)
    return found, found["labels"][1]


TWELVE, RANKS = [f"s{i}" for i in range(12)], [ranked(1, None), ranked(2, 1), ranked(3, 2)]
FIGURES = {
    "intervals": lambda: interval_figure(boards.board()),
    "intervals-of-a-label": lambda: interval_figure(boards.board(label="PER")),
    "intervals-of-bits": lambda: interval_figure(boards.board("slicm")),
    "intervals-around-chance": lambda: interval_figure(board_with(scored(-0.1), scored(0.4))),
    "intervals-lower-is-better": lambda: interval_figure(board_with(request="error_rate()")),
    "intervals-undefined": lambda: interval_figure(
        board_with({"observed": None, "corrected": None})
    ),
    "intervals-none": lambda: interval_figure(
        board_with(*[{"observed_low": None, "low": None}] * 2)
    ),
    "intervals-of-nobody": lambda: interval_figure(board_with(rows=[])),
    "ranks": lambda: rank_figure(boards.board(names=TWELVE)),
    "ranks-of-a-label": lambda: rank_figure(boards.board(names=TWELVE, label="PER")),
    "ranks-without-one": lambda: rank_figure(board_with(*RANKS)),
    "ranks-that-change": lambda: rank_figure(board_with({"change": 2}, {"change": -1})),
    "differences": lambda: difference_figure(comparisons.result()),
    "differences-of-runs": lambda: difference_figure(
        comparisons.result() | {"names": ["early", "late"]}
    ),
    "differences-distinct": lambda: difference_figure(compared(distinct=True)),
    "differences-undefined": lambda: difference_figure(undefined()),
    "matrix": lambda: matrix(pairs_of()),
    "matrix-both-orders": lambda: matrix(pairs_of(symmetric=False)),
    "matrix-of-bits": lambda: matrix(pairs_of(bits=True)),
    "matrix-lower-is-better": lambda: matrix(pairs_of(higher_is_better=False)),
    "matrix-corrected": lambda: matrix(pairs_of(is_corrected=True)),
    "matrix-above-chance": lambda: matrix(agreements.metric(names=NAMES)),
    "confusion": lambda: confusion(["LOC", "none"], [[6, 2, 0], [1, 3, 4], [5, 0, 0]]),
    "confusion-of-many": many_labels,
    "confusion-of-nothing": lambda: confusion([], [[0]], scores={}),
    "coverage": lambda: coverage([(0, 2), (5, 6)], [(3, 6)], 12),
    "coverage-of-many": lambda: coverage([(0, 2), (5, 6)], [(3, 6)], 100),
    "coverage-level": lambda: coverage([(0, 3)], [(3, 6)], 5000),
    "coverage-of-characters": lambda: coverage([(0, 3)], [(3, 6)], 100, positions="char"),
    "coverage-with-a-gap": lambda: coverage_figure(*of_words(9, missing=[(3, 6)])),
}


def compared(**total):
    found = comparisons.result()
    found["metrics"][0]["total"].update(total)
    return found


def undefined():
    found = comparisons.result(resamples=0)
    total = found["metrics"][0]["total"]
    total["corrected"] = {**total["corrected"], "difference": None}
    total["verdict"] = None
    return found


@each_case("name", FIGURES)
def test_figures_are_as_they_were_and_nothing_overlaps(name):
    svg = svg_file(FIGURES[name]())
    compare_with_snapshot(f"figure-{name}.svg", svg.replace("><", ">\n<"))
    assert Drawn(svg).misplaced() == []
    ids = [one.get("id") for one in ET.fromstring(svg).iter() if one.get("id")]
    assert len(ids) == len({*ids}) and all(one.startswith("figure-") for one in ids)


# --- marks are where the axis says


@each_case("metric, label", [(m, label) for m in ("span_f", "slicm") for label in (None, "PER")])
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
        for both, name in zip(ends, defined, strict=True):
            assert both == pytest.approx(interval_of(row, name), abs=rounding(value))


def test_differences_and_their_intervals_are_where_the_axis_says():
    result = comparisons.result()
    metric = result["metrics"][0]
    page = drawn(difference_figure(result))
    value = value_at(page)
    for i, part in enumerate([metric["total"], *metric["labels"]]):
        tested, group = part[metric["key"]], page.group(f"part-{i}")
        ((_, x, _),), ((low, high),) = markers(group), lines(group)
        found = value(x), value(low[0]), value(high[0])
        expected = tested["difference"], *interval_of(tested)
        assert found == pytest.approx(expected, abs=rounding(value))


@each_case("label", [None, "PER"])
def test_lines_join_the_places_of_ranks(label):
    board = boards.board(names=TWELVE, label=label)
    page = drawn(rank_figure(board))
    for side, key in enumerate(("observed_rank", "rank")):
        heights = []
        for row in sorted(board["rows"], key=lambda row: row[key] or len(TWELVE)):
            group = page.group(f"system-{board['rows'].index(row)}")
            texts = page.labels(group)[2 * side : 2 * side + 2]
            moved = f" ({row['change']:+d})" if side and row["change"] else ""
            assert [one.text for one in texts] == [f"{row[key] or '-'}{moved}", row["system"]]
            heights.append(texts[0].bottom)
            assert bool(lines(group)) == (row["change"] is not None)
            for line in lines(group):
                assert texts[0].top < line[side][1] < texts[0].bottom
                assert line == [(x, y) for _, x, y in markers(group)]
        assert heights == sorted(heights)


def goes_through(page, line, values, first=1):
    """Whether a curve goes through values by position; level parts have points at their ends."""
    across, up = value_at(page), value_at(page, "y")
    spots = [(round(across(x), 1), up(y)) for x, y in line]
    assert all(position == round(position) for position, _ in spots)
    assert (spots[0][0], spots[-1][0]) == (first, first + len(values) - 1)
    for (low, one), (high, other) in zip(spots, spots[1:]):  # straight in between
        for i in range(int(low), int(high) + 1):
            between = one + (other - one) * (i - low) / (high - low)
            assert between == pytest.approx(values[i - first], abs=rounding(up))


def curves(page, colour):
    """The curves of a colour outside of groups, without the sample of the legend."""
    found = [each for each in page.root.findall(f"{SVG}path") if PAPER[colour] in str(each.attrib)]
    return [points(each) for each in found if each.get("stroke-width") == "1.2"][1:]


@each_case("size", [12, 100])
def test_coverage_is_where_the_axes_say(size):
    found, entry = explained(labelled([(0, 2), (5, 6)]), labelled([(3, 6)]), size)
    page = drawn(coverage_figure(found, entry))
    (unit,) = entry["units"]
    for side, colour in SIDES.items():
        (line,) = curves(page, colour)
        goes_through(page, line, unit[side]["covered"])


# --- laws


@pytest.mark.parametrize("draw", ON_BOARDS)
@each_case("n", range(1, 41))
def test_no_text_of_a_board_lies_on_another_or_outside(draw, n):
    names = [(LONG[i % len(LONG)] if i % 3 else "s") + str(i) for i in range(n)]
    board = boards.board(names=names, label="PER" if n % 2 else None)
    for row, places in zip(board["rows"], (10, -11, 100)):
        row["change"] = places
    assert drawn(draw(board)).misplaced() == []


@each_case("n, symmetric", [(n, one) for n in (2, 3, 5, 8, 14) for one in (True, False)])
def test_no_text_of_a_matrix_lies_on_another_or_outside(n, symmetric):
    names = [f"{'W' * (i * i)}{i}" for i in range(n)]
    below = lambda *_: agreements.score(-0.375)  # noqa: E731
    page = drawn(matrix(pairs_of(names, below, symmetric=symmetric), names))
    assert page.misplaced() == [] and (n > 8 or page.width == WIDTH)


@each_case("n", [1, 2, 9, 30])
def test_no_text_of_a_confusion_lies_on_another_or_outside(n):
    labels = [f"{'W' * (i * i)}{i}" for i in range(n)]
    rows = [[12345] * (n + 1) for _ in range(n + 1)]
    page = drawn(confusion(labels, rows, names=["gold " * 30, "\u6f22" * 90]))
    assert page.misplaced() == []


def test_no_text_of_long_names_of_runs_lies_on_another():
    result = comparisons.result() | {"names": ["W" * 80, "m" * 80]}
    assert drawn(difference_figure(result)).misplaced() == []


def fill(group):
    """The colour of a cell; None without one."""
    paths = (each.get("fill") for each in group.iter(f"{SVG}path"))
    return next((colour for colour in paths if colour != "none"), None)


def test_text_stands_out_on_every_cell_and_fits_into_it():
    names = [f"{i:02}" for i in range(8)]
    value = lambda one, other: agreements.score((int(one) * 8 + int(other)) / 32 - 1)  # noqa: E731
    page = drawn(matrix(pairs_of(names, value), names))
    assert len(page.groups()) == 28
    for group in page.groups().values():
        assert contrast(fill(group), group.find(f"{SVG}text").get("fill")) >= 4.5
        frame = points(next(each for each in group if each.get("fill") == "none"))
        for text in page.labels(group):
            assert frame[0][0] < text.left and text.right < frame[1][0]
            assert text.bottom - text.top < SMALL
    assert fill(drawn(matrix(pairs_of())).group("cell-0-0")) == scale_colour(0.71)


@each_case("name", HOSTILE)
def test_names_stay_text(name):
    shown = name if name.isprintable() else "\\x1b\\x00"
    for draw in ON_BOARDS:
        svg = svg_element(draw(boards.board(names=[name, "b"])), "k")
        assert any(shown in text for text in Drawn(svg).texts()) and "<script" not in svg
    svg = svg_file(matrix(pairs_of((name, "b")), ("a", "b")))
    assert "<script" not in svg and "\x1b" not in svg
    both = one_document([(0, 1, name)], [], 4)
    both = CorpusPair(both.gold, "x", both.pred, "x", ("g", "p"), (name, "_hidden"))
    found = explain_document(both, "doc")
    svg = svg_file(coverage_figure(found, found["labels"][1]))
    assert "<script" not in svg and "P(_hidden covers)" in Drawn(svg).texts()


def test_descriptions_quote_signatures():
    board = boards.board()
    (signature,) = {row["signature"] for row in board["rows"]}
    assert all(signature in draw(board).description for draw in ON_BOARDS)


@each_case("size", [1, 2, 3, 30, 31, 400])
@each_case("chance", ["disjoint", "overlapping", "nested", "uniform"])
def test_figures_of_chance_have_words_and_stay_inside(chance, size):
    found, entry = explained(labelled([(0, 1)]), labelled([(0, 1)]), size, model=Model(chance))
    page = drawn(coverage_figure(found, entry))
    assert "label X" in page.root[0].text and page.root[1].text
    assert all(0 <= one.left and one.right <= page.width for one in page.labels())


def test_forty_systems_fit_on_a_page():
    board = boards.board(names=[f"system number {i:02}" for i in range(41)])
    assert interval_figure(board).height * MM < 240
    names = [text for text in drawn(rank_figure(board)).texts() if text.startswith("sys")]
    assert len({*names[::2]}) == len({*names[1::2]}) == 41


def test_figures_are_on_the_page_with_ids_of_their_own():
    text = leaderboard_page(boards.result(names=["a", "b"], labels=["PER"], subsets=[]))
    ids = re.findall(r'\sid="([^"]*)"', text)
    # two metrics with intervals and ranks, one with intervals only
    assert text.count("<svg") == 5 and len(ids) == len(set(ids))


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="slicm is not corrected for chance"):
        rank_figure(boards.board("slicm"))
    with pytest.raises(ValueError, match="no pair of annotators"):
        matrix(pairs_of() | {"pairs": []})
