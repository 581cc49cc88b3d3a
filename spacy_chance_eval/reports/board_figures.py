"""Figures of boards: scores with intervals, and ranks before and after the correction."""

from __future__ import annotations

from collections.abc import Sequence

from .figures import (
    CORRECTED,
    LINE,
    MARGIN,
    OBSERVED,
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
from .leaderboard import board_name, is_corrected, signatures
from .words import Result, change, interval_text, number, rank

ROW_HEIGHT = {True: 19.0, False: 13.0}  # of scores, by whether they are drawn before and after
NAMES = 0.42  # of the width: the most that names may take
STYLES = {
    "observed": Style(OBSERVED, "circle", filled=False, width=1.4),
    "corrected": Style(CORRECTED, "square", width=1.4),
}
RANK_HEIGHT = 13.0
CHANGES = {1: (CORRECTED, ""), 0: (LINE, ""), -1: (OBSERVED, "4 2")}  # colours and dashes
SHORTEST = 46.0  # line between two ranks
TABLE = "one row per system in the order of the table, which has the numbers"


def board_figure(result: Result, kind: str = "intervals") -> Figure:
    """A figure of the first board of a leaderboard: its first metric on all spans.

    Parameters
    ----------
    result : dict
        A leaderboard, as `scoring.boards.leaderboard` and `rank` return it.
    kind : str
        "intervals" or "ranks".

    Raises
    ------
    ValueError
        For ranks of a metric that is not corrected for chance.
    """
    board = result["boards"][0]
    if kind == "intervals":
        return interval_figure(board)
    figure = rank_figure(board)
    if figure is None:
        raise ValueError(
            f"{board['metric']} is not corrected for chance, so its ranks do not change; draw "
            "intervals, or put another metric first with --metric"
        )
    return figure


def interval_figure(board: Result) -> Figure:
    """Score and interval of every system, before and after correction, in the order of the board.

    Parameters
    ----------
    board : dict
        One of the boards of a leaderboard.
    """
    rows, names = board["rows"], drawn_scores(board)
    widths = [text_width(fitting_name(row["system"], NAMES * WIDTH)) for row in rows]
    left = max(widths, default=0) + 2 * MARGIN
    marks, top = legend([(name, STYLES[name]) for name in names], left, WIDTH, 0)
    height = ROW_HEIGHT[len(names) > 1]
    bottom = top + 3 + max(len(rows), 1) * height
    across = scale(_all_values(rows, names), left, WIDTH - 3 * MARGIN, margin=0.03)
    unit = ", bits" if board["bits"] else ""
    marks += bottom_axis(across, top, bottom, f"{_title(board)}{unit}", grid=True)
    if across.low < 0 < across.high:  # chance
        marks.append(Stroke(((across(0), top), (across(0), bottom)), LINE, 0.8))
    for i, row in enumerate(rows):
        y = top + 3 + i * height
        marks.append(_score_group(row, i, names, across, (0, y, WIDTH, y + height)))
    order = " before (circles) and after (squares) correction for chance" if len(names) > 1 else ""
    return Figure(
        f"{_title(board)}: scores and intervals",
        f"Scores of the systems with intervals{order}, {TABLE}. {_signatures(board)}",
        bottom + TICK_ROOM + TITLE_ROOM + 1,
        marks,
    )


def rank_figure(board: Result) -> Figure | None:
    """Ranks before correction (left) and after (right) with a line for each system.

    None where nothing is corrected. Systems without a rank are at the foot, without a line.

    Parameters
    ----------
    board : dict
        One of the boards of a leaderboard.
    """
    if not is_corrected(board):
        return None
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


def drawn_scores(board: Result) -> list[str]:
    """The scores of a board that are drawn: observed, and corrected if there are any."""
    return list(STYLES) if is_corrected(board) else ["observed"]


def _title(board: Result) -> str:
    """The metric, and the part of the data if it is one."""
    whole = board["label"] is None and not board["subset"]
    return board["metric"] if whole else f"{board['metric']}, {board_name(board)}"


def _signatures(board: Result) -> str:
    """The signatures of the scores, for those who quote the figure."""
    parts = [f"{system}: {text}" if system else text for system, text in signatures(board)]
    return "; ".join(parts)


# --- intervals


def _all_values(rows: Sequence[Result], names: Sequence[str]) -> list[float | None]:
    """Scores and ends of intervals, to make a scale of."""
    standings = [row[name] for row in rows for name in names if row[name]]
    ends = [end for one in standings for end in one["interval"] or ()]
    return [*(one["score"] for one in standings), *ends]


def _score_group(
    row: Result,
    place: int,
    names: Sequence[str],
    across: Scale,
    band: tuple[float, float, float, float],
) -> Group:
    """Name, intervals and scores of a system; a word where a score is undefined."""
    _, top, _, bottom = band
    middle = (top + bottom) / 2
    room = across.start - 2 * MARGIN
    name = fitting_name(row["system"], room)
    marks: list[Mark] = [Text(across.start - MARGIN, middle + 0.35 * SIZE, name, "end")]
    lines, at = [row["system"]], across.start
    shifts = (-4.0, 4.0) if len(names) > 1 else (0.0,)
    for key, shift in zip(names, shifts):
        standing = row[key] or {"score": None}
        y, style = middle + shift, STYLES[key]
        if standing["score"] is None:
            text = f"{key} undefined"
            marks.append(Text(across.start + MARGIN, y + 0.35 * SMALL, text, size=SMALL))
            lines.append(text)
            continue
        if standing["interval"]:
            low, high = standing["interval"]
            marks.append(Stroke(((across(low), y), (across(high), y)), style.colour, style.width))
        at = across(standing["score"])
        marks.append(Marker(at, y, style.marker, style.colour, filled=style.filled))
        limits = f" {interval_text(standing['interval'])}" if standing["interval"] else ""
        lines.append(f"{key} {number(standing['score'])}{limits}, rank {rank(standing)}")
    return Group(f"system-{place}", lines, marks, (at, middle), band)


# --- ranks


def _ends(rows: Sequence[Result]) -> tuple[float, float]:
    """Where the texts on the left end and those on the right begin."""
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
    """The texts beside the name of a system, on the left and on the right."""
    before, after = (number(_rank(row, name)) for name in STYLES)
    moved = f" ({change(row['change'])})" if row["change"] else ""
    return before, f"{after}{moved}"


def _rank_group(
    row: Result, place: int, ends: tuple[float, float], heights: Sequence[float]
) -> Group:
    """The name and rank of a system at both ends, and the line between them."""
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
    at = (ends[0] + ends[1]) / 2
    if row["change"] is not None:
        colour, dash = CHANGES[(row["change"] > 0) - (row["change"] < 0)]
        points = [(ends[0] + MARGIN, heights[0]), (ends[1] - MARGIN, heights[1])]
        marks.append(Stroke(points, colour, 1.6 if row["change"] else 0.8, dash))
        marks += [Marker(*point, colour=colour, size=1.5) for point in points]
    before, after = (number(_rank(row, name)) for name in STYLES)
    ranks = f"observed rank {before}, corrected rank {after}, change {change(row['change'])}"
    lines = [row["system"], ranks]
    return Group(f"system-{place}", lines, marks, (at, sum(heights) / 2))


def _slots(rows: Sequence[Result], name: str) -> dict[int, int]:
    """Where each row is in a column: by rank, equal ranks below each other, undefined ones last."""
    ranks = [_rank(row, name) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (ranks[i] is None, ranks[i] or 0))
    return {row: slot for slot, row in enumerate(order)}


def _rank(row: Result, name: str) -> int | None:
    return row[name]["rank"] if row[name] else None
