"""Scores over the steps of training: tables, a figure and a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from .figures import (
    CORRECTED,
    LINE,
    MARGIN,
    OBSERVED,
    TICK_ROOM,
    TITLE_ROOM,
    WIDTH,
    Figure,
    Group,
    Line,
    Mark,
    Marker,
    Scale,
    Style,
    Text,
    bottom_axis,
    curve,
    fitting_name,
    fitting_ticks,
    left_axis,
    left_room,
    legend,
    svg_element,
    text_width,
)
from .tables import fitted_table
from .words import (
    Result,
    beyond_chance,
    brief,
    brief_amount,
    count_word,
    in_sentence,
    number,
    printable,
    quantity,
    quantity_word,
)

NAMED = 2  # logs named in a sentence; more are only counted
TITLE = "Scores over the steps of training"
HOW_TO_READ = (
    "Observed: the score as usual. Expected: the mean score if the spans of both annotations, with "
    "their lengths, are placed at random. Corrected: (observed - expected) / (1 - expected); 0 is "
    "chance level. "
    "Score: the weighted score by which spaCy chooses the best model; of equal scores, the last is "
    "the best."
)
NO_LAYERS = (
    "the logs have no scores beyond chance to draw, which are those of spans, not of trees; give "
    "ner or spancat one of our scorers, or the pipeline the component chance_eval, and train again"
)
# styles of the scores, distinct without colour as well
STYLES = {
    "observed": Style(OBSERVED, "circle", filled=False),
    "expected": Style(LINE, "triangle", "1 2"),
    "corrected": Style(CORRECTED, "square", "4 2"),
}
NAME, HEIGHT = 18.0, 96.0  # points: space above each panel, and its height
PANEL = NAME + HEIGHT + TICK_ROOM + TITLE_ROOM
BESIDE = 4  # panels; more are drawn in two columns
CROWDED = 40  # evaluations; with more, markers would touch


def curves_text(curves: Result) -> str:
    """A table of every log, with the best step marked.

    Parameters
    ----------
    curves : dict
        The logs of training, as `tasks.curves.read_curves` returns them.
    """
    return "\n".join(text for log in curves["logs"] for text in _log_parts(log, curves))


def curves_page(curves: Result, version: str) -> str:
    """An HTML page with the plot of every layer and the table of every log.

    Parameters
    ----------
    curves : dict
        The logs of training, as `tasks.curves.read_curves` returns them.
    version : str
        The version of this package, for the footer.
    """
    from markupsafe import Markup

    from .html import page  # loads jinja2

    figures = [
        (layer, Markup(svg_element(curves_figure(curves, [layer]), f"plot-{i}")))
        for i, layer in enumerate(curves["layers"], 1)
    ]
    logs = [
        {
            **log,
            "summary": _log_summary(log),
            "cells": [_row_values(row, curves) for row in log["rows"]],
        }
        for log in curves["logs"]
    ]
    return page(
        "curves.html",
        signatures=[curves["score"]] if curves["layers"] else (),
        curves=curves,
        title=TITLE,
        verdict=curves_verdict(curves),
        how_to_read=HOW_TO_READ,
        scores=list(STYLES),
        plots=figures,
        logs=logs,
        version=version,
    )


# --- tables


def _log_parts(log: Result, curves: Result) -> Iterator[str]:
    """The table of one log, and notes on it."""
    yield f"\n{printable(log['path'])}, {curves['score']}: {_log_summary(log)}"
    if log["note"]:
        yield f"({log['note']})"
    several = len(curves["layers"]) > 1
    names = [
        f"{printable(layer)} {score}" if several else score
        for layer in curves["layers"]
        for score in STYLES
    ]
    rows = [
        ["best" * (i == log["best"]), *map(number, _row_values(row, curves))]
        for i, row in enumerate(log["rows"])
    ]
    yield fitted_table(["", "step", "epoch", "score", *names], rows, keys=2)


def curves_verdict(curves: Result) -> str:
    """Summary of training logs: the best evaluation, its lead over the last, its corrected scores.

    Parameters
    ----------
    curves : dict
        The logs of training, as `tasks.curves.read_curves` returns them.
    """
    logs = [log for log in curves["logs"] if log["best"] is not None]
    if not logs:
        return "No evaluation has a score."
    highest = max(_best(log)["score"] for log in logs)
    first, *equal = (log for log in logs if _best(log)["score"] == highest)
    if equal:
        return _shared_best([first, *equal])
    row, last = _best(first), first["rows"][-1]
    of = f" of {printable(first['path'])}" if len(curves["logs"]) > 1 else ""
    parts = [f"Step {row['step']}{of} is best, with the score {brief(highest, 3)}"]
    if row is last:
        parts.append(
            "it is the last evaluation" if len(first["rows"]) > 1 else "it is the only one"
        )
    elif last["score"] is None:
        parts.append("the last evaluation has no score")
    else:
        parts[0] += f", {brief_amount(highest - last['score'], 3)} above the last evaluation"
    if n_equal := sum(one["score"] == highest for one in first["rows"]) - 1:
        have = "has" if n_equal == 1 else "have"
        parts.append(f"{quantity_word(n_equal, 'earlier step')} {have} the same score")
    for layer in curves["layers"][:2]:
        observed, expected, beyond = (_value(row, layer, curves["score"], key) for key in STYLES)
        if beyond is not None:
            name = f"{curves['score']} of {printable(layer)}"
            parts.append(
                f"{name} is {brief(beyond, 3)} {beyond_chance(beyond)} "
                f"(observed {brief(observed, 3)}, "
                f"expected {brief(expected, 3)})"
            )
    return "; ".join(parts) + "."


def _best(log: Result) -> Result:
    """The best evaluation of a log, which must have a score."""
    return log["rows"][log["best"]]


def _shared_best(logs: Sequence[Result]) -> str:
    """The sentence on logs with the same best score, and on its step in each."""
    places = [f"{printable(log['path'])} at step {_best(log)['step']}" for log in logs]
    where = in_sentence(places) if len(logs) <= NAMED else f"{count_word(len(logs))} logs"
    return f"The best score, {brief(_best(logs[0])['score'], 3)}, is reached by {where}."


def _log_summary(log: Result) -> str:
    """How many evaluations a log has, and which is the best."""
    count = quantity(len(log["rows"]), "evaluation")
    if log["best"] is None:
        return f"{count}, none with a score"
    row = log["rows"][log["best"]]
    return f"{count}, the best at step {row['step']} with the score {number(row['score'])}"


def _row_values(row: Result, curves: Result) -> list[float | None]:
    """Step, epoch, weighted score, and the three scores of every layer."""
    metric = curves["score"]
    scores = (_value(row, layer, metric, name) for layer in curves["layers"] for name in STYLES)
    return [row["step"], row["epoch"], row["score"], *scores]


def _value(row: Result, layer: str, metric: str, name: str) -> float | None:
    """One score of an evaluation; None where the log has none."""
    return row["layers"].get(layer, {}).get(metric, {}).get(name)


# --- figures


def curves_figure(curves: Result, layers: Sequence[str] | None = None) -> Figure:
    """The curves of layers and logs, in panels with common scales.

    More than four panels are drawn in two columns, across the page of a journal.

    Parameters
    ----------
    curves : dict
        The logs of training, as `tasks.curves.read_curves` returns them.
    layers : sequence of str, optional
        The layers to draw; by default all.

    Raises
    ------
    ValueError
        If the logs have no scores beyond chance.
    """
    layers = curves["layers"] if layers is None else layers
    if not layers:
        raise ValueError(NO_LAYERS)
    metric, (steps, scores) = curves["score"], _limits(curves, layers)
    ticks = fitting_ticks(Scale(*scores, HEIGHT, 0), upright=True)
    left = left_room(ticks, metric)
    panels = [(layer, log) for layer in layers for log in curves["logs"]]
    n_beside = 1 + (len(panels) > BESIDE)
    marks, first = legend(list(STYLES.items()), left, WIDTH, 0)
    for i, (layer, log) in enumerate(panels):
        row, column = divmod(i, n_beside)
        start = left + column * WIDTH
        top = first + NAME + row * PANEL
        across = Scale(*steps, start, (column + 1) * WIDTH - 2 * MARGIN)
        up = Scale(*scores, top + HEIGHT, top)
        marks += _panel_names(log, layer, across, top)
        marks += left_axis(up, start, across.end, metric, ticks=ticks)
        whole = fitting_ticks(across, whole=True)
        marks += bottom_axis(across, top, top + HEIGHT, "step", ticks=whole)
        marks += _panel_curves(log, layer, metric, i, across, up)
    height = first + math.ceil(len(panels) / n_beside) * PANEL + 1
    return Figure(TITLE, _description(curves), height, marks, n_beside * WIDTH)


def _description(curves: Result) -> str:
    """A description of the figure for screen readers."""
    logs = "; ".join(f"{log['path']}: {_log_summary(log)}" for log in curves["logs"])
    return (
        f"Observed (circles), expected (triangles) and corrected (squares) {curves['score']} by "
        f"step; a vertical line marks the best step. {logs}. The table has the numbers."
    )


def _panel_names(log: Result, layer: str, across: Scale, top: float) -> list[Mark]:
    """The layer and the file of a panel, and its best step, above the curves."""
    best = "" if log["best"] is None else f"best: step {log['rows'][log['best']]['step']}"
    left, right = across.start, across.end
    path = "/".join(Path(log["path"]).parts[-2:])
    room = right - left - text_width(best) - 2 * MARGIN
    name = fitting_name(f"{layer}: {path}", room)
    marks: list[Mark] = [Text(left, top - 4, name)]
    return [*marks, Text(right, top - 4, best, "end")] if best else marks


def _panel_curves(
    log: Result, layer: str, metric: str, panel: int, across: Scale, up: Scale
) -> Iterator[Mark]:
    """The three curves of a log, interrupted where scores are missing, and its best step."""
    rows = log["rows"]
    places = [across(row["step"]) for row in rows]
    if log["best"] is not None:
        x = places[log["best"]]
        yield Line(((x, up.start), (x, up.end)), LINE)
    crowded = len(rows) > CROWDED
    found: list[list[Mark]] = [[] for _ in rows]
    for name, style in STYLES.items():
        values = [_value(row, layer, metric, name) for row in rows]
        heights = [None if value is None else up(value) for value in values]
        yield from curve(zip(places, heights), replace(style, marker=""))
        for markers, x, y in zip(found, places, heights):
            if y is not None and not crowded:
                markers.append(
                    Marker(x, y, style.marker, style.colour, size=1.8, filled=style.filled)
                )
    edges = [across.start, *((a + b) / 2 for a, b in zip(places, places[1:])), across.end]
    for i, (row, markers) in enumerate(zip(rows, found)):
        scores = [f"{name} {number(_value(row, layer, metric, name))}" for name in STYLES]
        best = ", the best" if i == log["best"] else ""
        lines = [f"step {row['step']}{best}", *scores]
        band = (edges[i], up.end, edges[i + 1], up.start)
        yield Group(f"step-{panel}-{i}", lines, markers, (places[i], up.start), band)


def _limits(
    curves: Result, layers: Sequence[str]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The limits of steps and of scores, 0 included, that all panels share."""
    metric = curves["score"]
    rows = [row for log in curves["logs"] for row in log["rows"]]
    scores = (
        _value(row, layer, metric, name) for row in rows for layer in layers for name in STYLES
    )
    values = [0.0, *(value for value in scores if value is not None)]
    low, high = min(values), max(values)
    margin = 0.03 * (high - low or 1.0)
    return (0, max(1, *(row["step"] for row in rows))), (low - margin, high + margin)
