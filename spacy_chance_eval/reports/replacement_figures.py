"""Figures of the alternative annotator test: differences, winning rates, and power."""

from __future__ import annotations

from collections.abc import Sequence

from .board_figures import ForestRow, forest
from .figures import (
    CORRECTED,
    INK,
    LINE,
    MARGIN,
    OBSERVED,
    ROW,
    SIZE,
    SMALL,
    TICK_ROOM,
    TITLE_ROOM,
    WIDTH,
    Figure,
    Group,
    Line,
    Marker,
    Scale,
    Style,
    Text,
    bottom_axis,
    curve,
    fitting_name,
    left_axis,
    left_room,
    text_width,
    tick_texts,
)
from .replacement import PASSED, resampled_unit
from .words import Result, brief, interval_text, number, p_value_text, printable, quantity, share

PASS = 0.5  # winning rate from which a candidate passes
AS_GOOD = {True: "as good as", False: "not shown", None: "not tested"}
DECISIONS = {
    "as good as": Style(CORRECTED, "square", width=1.4),
    "not shown": Style(OBSERVED, "circle", filled=False, width=1.4),
    "not tested": Style(INK, "diamond", filled=False, width=1.4),
}
RATES = {
    "winning rate": Style(CORRECTED, "square", width=1.4),
    "advantage probability": Style(OBSERVED, "circle", filled=False, width=1.4),
}
POWER = Style(CORRECTED, "square")
HEIGHT = 90.0  # points: from power 0 to 1


def replacement_figure(result: Result) -> Figure:
    """The mean differences of the only candidate, or the winning rates of several.

    Parameters
    ----------
    result : dict
        The result of `replace_test` as plain values.
    """
    first, *others = result["candidates"]
    return rate_figure(result) if others else annotator_figure(result, first)


def annotator_figure(result: Result, candidate: Result) -> Figure:
    """The mean difference of a candidate from each annotator, against epsilon.

    Parameters
    ----------
    result : dict
        The result of `replace_test` as plain values.
    candidate : dict
        One of its `candidates`.
    """
    rows = []
    for row in candidate["annotators"]:
        style = AS_GOOD[row["rejected"]]
        facts = [
            f"mean difference {number(row['mean_difference'])}: {style}",
            f"advantage probability {number(row['advantage_probability'])}",
            f"p {p_value_text(row['p_value'])}, limit {number(row['limit'])}",
        ]
        score = {"score": row["mean_difference"], "interval": None}
        rows.append(ForestRow(row["annotator"], [(style, score)], facts))
    drawn = {row.scores[0][0] for row in rows}
    styles = {name: style for name, style in DECISIONS.items() if name in drawn}
    epsilon = f"epsilon {brief(result['epsilon'])}"
    limit = (epsilon, result["epsilon"])
    marks, height = forest(rows, styles, "mean d", "annotator", limit=limit)
    name = printable(candidate["candidate"])
    return Figure(
        f"{name}: mean difference from each annotator",
        f"One row per annotator; filled where {name} is significantly better than {epsilon}, the "
        f"dashed line. The table has the numbers. {result['signature']}",
        height,
        marks,
    )


def rate_figure(result: Result) -> Figure:
    """Winning rates and mean advantage probabilities of all candidates.

    Parameters
    ----------
    result : dict
        The result of `replace_test` as plain values.
    """
    rows = []
    for one in result["candidates"]:
        limits = f" {interval_text(one['interval'])}" if one["interval"] else ""
        facts = [
            f"winning rate {number(one['winning_rate'])}: {PASSED[one['passed']]}",
            f"advantage probability {number(one['advantage_probability'])}{limits}",
        ]
        scores = (
            {"score": one["winning_rate"], "interval": None},
            {"score": one["advantage_probability"], "interval": one["interval"]},
        )
        rows.append(ForestRow(one["candidate"], list(zip(RATES, scores)), facts))
    limit = (f"{brief(PASS)}: passes", PASS)
    marks, height = forest(rows, RATES, "share", "candidate", limit=limit)
    return Figure(
        "Winning rates and advantage probabilities",
        "One row per candidate: the winning rate (squares), which is at least .5 of those that "
        "pass, and the mean advantage probability (circles) with its interval. The table has the "
        f"numbers. {result['signature']}",
        height,
        marks,
    )


def power_figure(result: Result, candidate: Result) -> Figure | None:
    """The probability that a candidate passes, by the number of documents; None if unknown.

    Parameters
    ----------
    result : dict
        The result of `replace_test` as plain values.
    candidate : dict
        One of its `candidates`.
    """
    power = candidate["power"]
    if power is None:
        return None
    sizes, unit = power["n_documents"], resampled_unit(result)
    at_hand, aim = power["at_hand"], power["aim"]
    shares = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    start, top = left_room(shares, "power"), ROW
    end = WIDTH - max(3 * MARGIN, text_width(str(sizes[-1]), SMALL) / 2)
    across = Scale(sizes[0], sizes[-1], start, end, logarithmic=True)
    up = Scale(0, 1, top + HEIGHT, top)
    ticks = spaced_ticks(across, sizes, at_hand)
    marks = left_axis(up, start, across.end, "power", ticks=shares)
    marks += bottom_axis(across, top, top + HEIGHT, unit, ticks=ticks)
    marks.append(Line(((start, up(aim)), (across.end, up(aim))), INK, 0.8, "4 2"))
    here = across(at_hand)
    marks.append(Line(((here, up.start), (here, up.end)), LINE))
    text = fitting_name(f"{at_hand} {unit} at hand", WIDTH / 2, SMALL)
    anchor = "start" if here < WIDTH / 2 else "end"
    marks.append(Text(here, SMALL, text, anchor, SMALL))
    heights = [up(one) for one in power["power"]]
    places = list(map(across, sizes))
    marks += curve(zip(places, heights), Style(POWER.colour))
    edges = [start, *((a + b) / 2 for a, b in zip(places, places[1:])), across.end]
    for i, (size, one, error) in enumerate(zip(sizes, power["power"], power["errors"])):
        facts = [quantity(size, unit.removesuffix("s")), f"power {share(one)}"]
        facts.append(f"standard error {share(error)}")
        point = Marker(places[i], heights[i], POWER.marker, POWER.colour)
        band = (edges[i], up.end, edges[i + 1], up.start)
        marks.append(Group(f"size-{i}", facts, [point], (places[i], up.start), band))
    name = printable(candidate["candidate"])
    return Figure(
        f"{name}: power",
        f"The probability that {name} passes in samples of each number of {unit}, on a "
        "logarithmic scale;"
        f" the dashed line is {brief(aim)}, the vertical line the number at hand.",
        top + HEIGHT + TICK_ROOM + TITLE_ROOM + SIZE / 4,
        marks,
    )


def spaced_ticks(across: Scale, sizes: Sequence[int], kept: int) -> list[float]:
    """Of some values those whose numbers do not touch; `kept` is one of them."""
    ticks: list[float] = []
    for size in (kept, *sizes):
        (text,) = tick_texts([size])
        room = text_width(text, SMALL) + MARGIN
        if all(abs(across(size) - across(one)) > room for one in ticks):
            ticks.append(size)
    return sorted(ticks)
