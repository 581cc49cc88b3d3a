"""Training logs written by the `score_logger`: the scores of each evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..formats.errors import ContentError, FormatError, PathLike, did_you_mean, known
from ..formats.files import open_text
from ..formats.paths import path_text
from ..formats.rows import bounded, parsed_row
from ..measures.messages import listed, quoted
from .tabular import PlainResult

CURVE_SCORES = ("span_f", "token_f")
PARTS = ("observed", "expected", "corrected")
LARGEST = 2**53  # of the numbers that can be drawn
ADVICE = "expected lines as spacy-chance-eval.score_logger.v1 writes them"
CUT = "the last line is cut off and left out: the training was interrupted, or goes on"


class Curves(PlainResult):
    """Logs of trainings: `curves["logs"]` has one for each file."""

    def __str__(self) -> str:
        from ..reports.curves import curves_text

        return curves_text(self).strip("\n")

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each log, evaluation and layer, and for both scores."""
        return [
            {
                "log": log["path"],
                "step": row["step"],
                "epoch": row["epoch"],
                "score": row["score"],
                "best": number == log["best"],
                "layer": layer,
                "metric": metric,
                **parts,
            }
            for log in self["logs"]
            for number, row in enumerate(log["rows"])
            for layer in self["layers"]
            for metric, parts in row["layers"].get(layer, {}).items()
        ]


def read_curves(
    paths: Sequence[PathLike], *, layer: str | None = None, score: str = "span_f"
) -> Curves:
    """The logs of some trainings, and what to show of them.

    Parameters
    ----------
    paths : sequence of str or Path
    layer : str, optional
        A layer by the prefix of its scores, such as "ents" or "spans_sc"; by default all.
    score : "span_f" or "token_f"

    Returns
    -------
    Curves
        `score`, `layers` (names, each in some log), and `logs`, each with its `path`, `note` (None,
        or the scores that are missing), `rows`, and `best`: the index of the row that spaCy took
        for the best, None where no row has a score.

    Raises
    ------
    FormatError
        For a file that is no such log.
    ValueError
        For a layer that no log has, or an unknown score.
    """
    known(score, CURVE_SCORES, "score")
    logs = [_read_log(path) for path in paths]
    layers = sorted({name for log in logs for row in log["rows"] for name in row["layers"]})
    if layer is not None and layer not in layers:
        there = listed(layers)
        hint = did_you_mean(layer, layers)
        raise ValueError(f"no log has the layer {quoted(layer)}{hint}; layers of the logs: {there}")
    return Curves(score=score, layers=layers if layer is None else [layer], logs=logs)


def _read_log(path: PathLike) -> dict[str, Any]:
    """One log: `path`, `note`, `rows`, `best`."""
    rows: list[dict[str, Any]] = []
    note = None
    with open_text(path) as file:
        for number, line in enumerate(bounded(file, path), 1):
            try:
                row = _whole_row(line)
                if row is None:
                    note = CUT
                else:
                    rows.append(_checked_row(row, rows))
            except ContentError as mistake:
                raise FormatError(f"{mistake.found}; {mistake.advice}", path, number) from None
    if not rows:
        raise FormatError("no evaluation yet; the first one is at step 0 of a training", path)
    return {"path": path_text(path), "note": note, "rows": rows, "best": _best_row(rows)}


def _whole_row(line: str) -> dict[str, Any] | None:
    """The JSON object on a line; None for a last line that is cut off."""
    try:
        return parsed_row(line)
    except ContentError:
        if line.endswith("\n"):
            raise
        return None


def _checked_row(row: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The evaluation on a line, which must be later than the earlier ones."""
    for key in ("step", "epoch"):
        if type(row.get(key)) is not int or not 0 <= row[key] < LARGEST:
            raise ContentError(f"{key} is {quoted(row.get(key))}, no whole number", ADVICE)
    if earlier and row["step"] <= earlier[-1]["step"]:
        what = f"step {row['step']} follows step {earlier[-1]['step']}"
        raise ContentError(what, "a log has one training; cut it in two files")
    layers = row.get("layers")
    if not isinstance(layers, dict):
        raise ContentError("no layers", ADVICE)
    return {
        **{key: row[key] for key in ("step", "epoch")},
        "score": _checked_number(row, "score"),
        "layers": {name: _checked_layer(name, layer) for name, layer in layers.items()},
    }


def _checked_layer(name: str, layer: Any) -> dict[str, dict[str, float | None]]:
    """The scores of a layer; None where one is not there."""
    parts = (
        {score: layer.get(score, {}) for score in CURVE_SCORES} if isinstance(layer, dict) else {}
    )
    if not parts or not all(isinstance(one, dict) for one in parts.values()):
        raise ContentError(f"layer {quoted(name)} has no scores", ADVICE)
    return {
        score: {part: _checked_number(one, part) for part in PARTS} for score, one in parts.items()
    }


def _checked_number(row: Mapping[str, Any], key: str) -> float | None:
    """A finite number or None."""
    value = row.get(key)
    if value is None:
        return None
    if type(value) in (int, float) and abs(value) < LARGEST:
        return float(value)
    raise ContentError(f"{key} is {quoted(value)}, no number", ADVICE)


def _best_row(rows: Sequence[Mapping[str, Any]]) -> int | None:
    """Index of the highest score; of equal ones the last, which spaCy keeps as model-best."""
    scored = [(row["score"], index) for index, row in enumerate(rows) if row["score"] is not None]
    return max(scored)[1] if scored else None
