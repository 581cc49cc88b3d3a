"""Figures of boards and comparisons: scores and differences with intervals, and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

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
    Mark,
    Marker,
    Scale,
    Style,
    Text,
    bottom_axis,
    fitting_name,
    legend,
    scale,
    text_width,
)
from .figures import Line as Stroke
from .leaderboard import board_name, is_corrected, is_lower_better, signatures, standing_of
from .words import Result, change, interval_of, number

ROW_HEIGHT = {True: 19.0, False: 13.0}  # points; True: with corrected scores
DENSE, LEAST_HEIGHT = 30, 15.0  # systems; with more, rows are lower
NAMES = 0.42  # largest share of the width for names
STYLES = {
    "observed": Style(OBSERVED, "circle", filled=False, width=1.4),
    "corrected": Style(CORRECTED, "square", width=1.4),
}
DIFFERENCES = {  # by whether the runs differ significantly
    "significant": Style(CORRECTED, "square", width=1.4),
    "not significant": Style(OBSERVED, "circle", filled=False, width=1.4),
    "not tested": Style(INK, "diamond", filled=False, width=1.4),
}
DISTINCT = {True: "significant", False: "not significant", None: "not tested"}
RANK_HEIGHT = 13.0
CHANGES = {1: (CORRECTED, ""), 0: (LINE, ""), -1: (OBSERVED, "4 2")}  # colours and dashes
SHORTEST = 46.0  # points: shortest line between two ranks
TABLE = "one row per system in the order of the table, which has the numbers"


def board_figure(result: Result, kind: str = "intervals") -> Figure:
    """A figure of the first board of a leaderboard: its first metric on all spans.

    Parameters
    ----------
    result : dict
        A leaderboard, as `scoring.boards.leaderboard` and `rank_files` return it.
    kind : str
        "intervals" or "ranks".

    Raises
    ------
    ValueError
        For ranks of a metric that is not corrected for chance.
    """
    draw = interval_figure if kind == "intervals" else rank_figure
    return draw(result["boards"][0])


def interval_figure(board: Result) -> Figure:
    """Scores with intervals of all systems, before and after correction, in board order."""
    names = list(STYLES) if is_corrected(board) else ["observed"]
    rows = [
        ForestRow(
            row["system"],
            [(key, standing_of(row, key)) for key in names],
        )
        for row in board["rows"]
    ]
    styles = {name: STYLES[name] for name in names}
    unit = ", bits" * board["bits"] + ", lower is better" * is_lower_better(board)
    marks, height = forest(rows, styles, f"{_title(board)}{unit}", "system")
    order = " before (circles) and after (squares) correction for chance" if len(names) > 1 else ""
    return Figure(
        f"{_title(board)}: scores and intervals",
        f"Scores of the systems with intervals{order}, {TABLE}. {_signatures(board)}",
        height,
        marks,
    )


def difference_figure(result: Result) -> Figure:
    """Differences of two runs with intervals by the first metric, in total and by label."""
    metric = result["metrics"][0]
    key, (old, new) = metric["key"], result["names"]
    parts = [("all spans", metric["total"]), *((one["label"], one) for one in metric["labels"])]
    rows = []
    for name, part in parts:
        tested = part[key]
        found = {**tested, "score": tested["difference"]}
        rows.append(ForestRow(name, [(DISTINCT[part["distinct"]], found)]))
    unit = ", bits" if metric["bits"] else ""
    title = f"{metric['metric']}{unit}: {new} minus {old}"
    axis = f"{metric['metric']} {key}, difference{unit}"
    room = (WIDTH - text_width(" minus ")) / 2
    head = " minus ".join(fitting_name(name, room) for name in (new, old))
    drawn = {row.scores[0][0] for row in rows}
    styles = {name: style for name, style in DIFFERENCES.items() if name in drawn}
    marks, height = forest(rows, styles, axis, "part", head)
    return Figure(
        title,
        f"Differences with intervals, of all spans and of each label; filled where the test "
        f"distinguishes the two runs. {metric['signature']}",
        height,
        marks,
    )


def rank_figure(board: Result) -> Figure:
    """Ranks before (left) and after (right) correction, with a line for each system.

    Systems without both ranks stand at the bottom, without a line.
    """
    if not is_corrected(board):
        raise ValueError(
            f"{board['metric']} is not corrected for chance, so its ranks do not change; draw "
            "intervals, or put another metric first with --metric"
        )
    rows = board["rows"]
    before, after = _slots(rows, "observed"), _slots(rows, "corrected")
    ends = _ends(rows)
    head = SIZE + 3
    marks: list[Mark] = [
        Text(ends[0], SIZE, "rank observed", "end", bold=True),
        Text(ends[1], SIZE, "rank corrected", bold=True),
    ]
    for i, row in enumerate(rows):
        heights = [head + (slots[i] + 0.5) * RANK_HEIGHT for slots in (before, after)]
        marks.append(_rank_group(row, i, ends, heights))
    lines = "A solid rising line: the correction gains places; dashed and falling: it loses places"
    return Figure(
        f"{_title(board)}: ranks before and after correction",
        f"{lines}; thin and level: kept its place. The table has all ranks and their changes. "
        f"{_signatures(board)}",
        head + max(len(rows), 1) * RANK_HEIGHT + 2,
        marks,
    )


def _title(board: Result) -> str:
    """The metric, and the label or subset if there is one."""
    whole = board["label"] is None and not board["subset"]
    return board["metric"] if whole else f"{board['metric']}, {board_name(board)}"


def _signatures(board: Result) -> str:
    """The signatures of the scores, for quoting the figure."""
    parts = [f"{system}: {text}" if system else text for system, text in signatures(board)]
    return "; ".join(parts)


# --- intervals


class ForestRow(NamedTuple):
    """A row of a forest plot: its name, and (style, score with interval) pairs."""

    name: str
    scores: Sequence[tuple[str, Result]]


def forest(
    rows: Sequence[ForestRow],
    styles: Mapping[str, Style],
    axis: str,
    part: str,
    head: str = "",
) -> tuple[list[Mark], float]:
    """Rows of scores with intervals on one scale, below heading and legend, and their height.

    Parameters
    ----------
    rows : sequence of ForestRow
    styles : mapping of str to Style
        Of the scores, by name.
    axis : str
        The title of the axis.
    part : str
        The beginning of the id of each row.
    head : str
        The heading.
    """
    widths = [text_width(fitting_name(row.name, NAMES * WIDTH)) for row in rows]
    left = max(widths, default=0) + 2 * MARGIN
    first = ROW if head else 0.0
    marks, top = legend([*styles.items()], left, WIDTH, first)
    marks += [Text(0, SIZE, head)] if head else []
    top += first
    height = ROW_HEIGHT[max((len(row.scores) for row in rows), default=1) > 1]
    height = min(height, LEAST_HEIGHT) if len(rows) > DENSE else height
    bottom = top + 3 + max(len(rows), 1) * height
    scores = [score for row in rows for _, score in row.scores]
    ends = [end for score in scores for end in interval_of(score) or ()]
    values = [*(score["score"] for score in scores), *ends]
    across = scale(values, left, WIDTH - 3 * MARGIN, margin=0.03)
    marks += bottom_axis(across, top, bottom, axis, grid=True)
    if across.low < 0 < across.high:  # chance, or no difference
        marks.append(Stroke(((across(0), top), (across(0), bottom)), LINE, 0.8))
    for i, row in enumerate(rows):
        middle = top + 3 + (i + 0.5) * height
        marks.append(_row_group(row, f"{part}-{i}", styles, across, middle))
    return marks, bottom + TICK_ROOM + TITLE_ROOM + 1


def _row_group(
    row: ForestRow,
    name: str,
    styles: Mapping[str, Style],
    across: Scale,
    middle: float,
) -> Group:
    """Name, intervals and scores of a row, or a word for an undefined score."""
    label = fitting_name(row.name, across.start - 2 * MARGIN)
    marks: list[Mark] = [Text(across.start - MARGIN, middle + 0.35 * SIZE, label, "end")]
    shifts = (-4.0, 4.0) if len(row.scores) > 1 else (0.0,)
    for (key, score), shift in zip(row.scores, shifts):
        y, style = middle + shift, styles[key]
        if score["score"] is None:
            text = f"{key} undefined" if len(row.scores) > 1 else "undefined"
            marks.append(Text(across.start + MARGIN, y + 0.35 * SMALL, text, size=SMALL))
            continue
        if limits := interval_of(score):
            low, high = map(across, limits)
            marks.append(Stroke(((low, y), (high, y)), style.colour, style.width))
        at = across(score["score"])
        marks.append(Marker(at, y, style.marker, style.colour, filled=style.filled))
    return Group(name, marks)


# --- ranks


def _ends(rows: Sequence[Result]) -> tuple[float, float]:
    """Where the texts on the left end, and where the texts on the right begin."""
    widths = [0.0, 0.0]
    for row in rows:
        name = text_width(fitting_name(row["system"], WIDTH))
        for side, text in enumerate(_rank_texts(row)):
            widths[side] = max(widths[side], name + text_width(text) + MARGIN)
    heads = [text_width(f"rank {name}", bold=True) for name in STYLES]
    left, right = (max(width, head) for width, head in zip(widths, heads))
    room = WIDTH - SHORTEST - 2 * MARGIN
    if left + right > room:
        left = right = room / 2
    return left, WIDTH - right


def _rank_texts(row: Result) -> tuple[str, str]:
    """The texts next to the name of a system, on the left and on the right."""
    before, after = (number(_rank(row, name)) for name in STYLES)
    moved = f" ({change(row['change'])})" if row["change"] else ""
    return before, f"{after}{moved}"


def _rank_group(
    row: Result, place: int, ends: tuple[float, float], heights: Sequence[float]
) -> Group:
    """Name and rank of a system at both ends, and the line between them."""
    marks: list[Mark] = []
    texts = _rank_texts(row)
    for side, (x, y, text) in enumerate(zip(ends, heights, texts)):
        anchor, away = ("start", 1) if side else ("end", -1)
        baseline = y + 0.35 * SIZE
        width = text_width(text)
        room = (WIDTH - x if side else x) - width - MARGIN
        name = fitting_name(row["system"], room)
        marks.append(Text(x, baseline, text, anchor))
        marks.append(Text(x + away * (width + MARGIN), baseline, name, anchor))
    if row["change"] is not None:
        colour, dash = CHANGES[(row["change"] > 0) - (row["change"] < 0)]
        points = [(ends[0] + MARGIN, heights[0]), (ends[1] - MARGIN, heights[1])]
        marks.append(Stroke(points, colour, 1.6 if row["change"] else 0.8, dash))
        marks += [Marker(*point, colour=colour, size=1.5) for point in points]
    return Group(f"system-{place}", marks)


def _slots(rows: Sequence[Result], name: str) -> dict[int, int]:
    """The position of each row in a column: by rank, ties in a row, without both ranks last.

    So lines are level where the correction moves nothing.
    """
    lost = [row["change"] is None for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (lost[i], _rank(rows[i], name) or 0))
    return {row: slot for slot, row in enumerate(order)}


def _rank(row: Result, name: str) -> int | None:
    rank: int | None = standing_of(row, name)["rank"]
    return rank
