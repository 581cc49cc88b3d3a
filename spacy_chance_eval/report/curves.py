"""Scores over the steps of a training: as tables for the terminal, and as a page with plots."""

from .text import right_aligned
from .words import number, shown

PARTS = ("observed", "expected", "corrected")
TITLE = "Scores over the steps of training"
HOW_TO_READ = (
    "Observed: the score as usual. Expected: what a random annotation with as many spans of the "
    "same lengths reaches. Corrected: (observed - expected) / (1 - expected), chance has 0. Score: "
    "the weighted score by which spaCy chooses the best model; of equal ones the last is the best."
)
NO_LAYERS = (
    "the logs have no scores beyond chance to draw; give a component one of our scorers, or the "
    "pipeline the component chance_eval, and train again"
)


def curves_text(curves):
    """A table of every log, the best step marked.

    Parameters
    ----------
    curves : dict
        As `curves.read_curves` makes it.
    """
    return "\n".join(text for log in curves["logs"] for text in log_text(log, curves))


def log_text(log, curves):
    """The table of one log, and what has to be said of it."""
    yield f"\n{shown(log['path'])}, {curves['score']}: {said_of(log)}"
    if log["note"]:
        yield f"({log['note']})"
    many = len(curves["layers"]) > 1
    names = [f"{shown(layer)} {part}" if many else part for layer, part in columns(curves)]
    rows = [
        ["best" * (place == log["best"]), *map(number, cells_of(row, curves))]
        for place, row in enumerate(log["rows"])
    ]
    yield right_aligned(rows, ["", "step", "epoch", "score", *names])


def said_of(log):
    """How many evaluations there are, and which is the best."""
    count = f"{len(log['rows'])} evaluation{'s' * (len(log['rows']) > 1)}"
    if log["best"] is None:
        return f"{count}, none with a score"
    row = log["rows"][log["best"]]
    return f"{count}, the best at step {row['step']} with the score {number(row['score'])}"


def columns(curves):
    """The pairs of a layer and one of its three scores, in the order of tables."""
    return [(layer, part) for layer in curves["layers"] for part in PARTS]


def cells_of(row, curves):
    """Step, epoch, weighted score, and the three scores of every layer."""
    scores = (of_row(row, layer, curves["score"], part) for layer, part in columns(curves))
    return [row["step"], row["epoch"], row["score"], *scores]


def of_row(row, layer, score, part):
    """One number of an evaluation; None where it is not told."""
    return row["layers"].get(layer, {}).get(score, {}).get(part)


def curves_page(curves, version):
    """A page with the plot of every layer and the table of every log."""
    from markupsafe import Markup

    from .curve_plots import curves_plot
    from .html import MISSING, page

    plots, missing = [], None
    try:
        plots = [
            (layer, Markup(curves_plot(curves, layer, f"plot-{place}")))
            for place, layer in enumerate(curves["layers"], 1)
        ]
    except ImportError:
        missing = MISSING
    logs = [
        {**log, "said": said_of(log), "cells": [cells_of(row, curves) for row in log["rows"]]}
        for log in curves["logs"]
    ]
    values = {"title": TITLE, "how_to_read": HOW_TO_READ, "parts": PARTS, "version": version}
    return page("curves.html", curves=curves, plots=plots, missing=missing, logs=logs, **values)
