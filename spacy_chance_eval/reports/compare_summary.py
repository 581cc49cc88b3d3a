"""The summary of a comparison of two runs: a sentence, and a table of changes by label."""

from __future__ import annotations

from collections.abc import Iterator

from .words import (
    Result,
    TableRow,
    beyond_chance,
    brief,
    brief_amount,
    brief_interval,
    count_word,
    in_sentence,
    printable,
    quantity_word,
)

NAMED = 2  # labels named in a sentence; more are only counted
VERDICTS = "better", "worse"
SHOWN = 12  # labels in the overview; the tables below show all


def compare_verdict(result: Result) -> str:
    """Summary of a comparison: the change of the first metric, and other significant changes.

    The first clause is about the first metric over all labels.
    """
    first, *others = result["metrics"]
    total = first["total"]
    documents = quantity_word(result["n_docs"], "document")
    if total["distinct"] is None and total["verdict"] not in (None, "equal"):
        return f"{_change(result, first)}; differences were not tested."
    new = printable(result["names"][1])
    changed = [*_other_metrics(others, new), *_changed_labels(result["metrics"])]
    if total["distinct"]:
        tested = others or first["labels"]
        rest = changed or ["nothing else changed significantly"] * bool(tested)
        return "; ".join([_change(result, first), *rest]) + "."
    if total["verdict"] is None or total["verdict"] == "equal":
        if total["distinct"] is None and any(map(_untested, result["metrics"])):
            changed.append("other differences were not tested")
        return "; ".join([_change(result, first), *changed]) + "."
    if changed:
        unsure = f"{_change(result, first)}, which may be chance on {documents}"
        return "; ".join([unsure, *changed]) + "."
    return f"No difference can be told from chance on {documents}; {_change(result, first)}."


def change_table(result: Result) -> tuple[list[TableRow], int]:
    """The rows of the overview, all labels together first, and the number of labels left out.

    Each row has `label` (None for all together) and `cells`, one for each metric: its `key` and
    the `row` of the result. Labels that changed significantly, and those that changed most by the
    first metric, come first.
    """
    metrics = result["metrics"]
    by_label = [{row["label"]: row for row in metric["labels"]} for metric in metrics]
    labels = sorted(by_label[0], key=lambda label: _size_of_change(metrics[0], by_label[0][label]))
    rows = [{"label": None, "cells": [_cell(metric, metric["total"]) for metric in metrics]}]
    for label in labels[:SHOWN]:
        cells = [_cell(metric, known.get(label)) for metric, known in zip(metrics, by_label)]
        rows.append({"label": label, "cells": cells})
    return rows, len(labels[SHOWN:])


def _cell(metric: Result, row: Result | None) -> TableRow:
    return {"key": metric["key"], "row": row}


def _size_of_change(metric: Result, row: Result) -> tuple[bool, float, str]:
    """The sort key of a label: significant changes, then large ones, then undefined ones."""
    difference = row[metric["key"]]["difference"]
    return not row["distinct"], -1.0 if difference is None else -abs(difference) - 1, row["label"]


# --- clauses


def _change(result: Result, metric: Result) -> str:
    """The change of the total of a metric, as a clause."""
    old, new = map(printable, result["names"])
    total, key = metric["total"], metric["key"]
    digits = 1 if metric["bits"] else 3
    values = [total[run][key] for run in ("old", "new")]
    kind = beyond_chance(*values) if key == "corrected" else ""
    by = " ".join(filter(None, ("by", printable(metric["metric"]), kind)))
    scores = [brief(value, digits) for value in values]
    if total["verdict"] is None:
        return f"The change {by} is undefined: {old} {scores[0]}, {new} {scores[1]}"
    if total["verdict"] == "equal":
        return f"{new} and {old} are equal {by}, {scores[1]}"
    difference, limits = total[key]["difference"], total[key]["interval"]
    if difference < 0:
        limits = limits and [-limits[1], -limits[0]]
    interval = brief_interval(limits, digits)
    unit = "bits" if metric["bits"] else ""
    parts = brief_amount(difference, digits), interval, unit, total["verdict"]
    return f"{new} is {' '.join(filter(None, parts))} than {old} {by}"


def _untested(metric: Result) -> bool:
    """Whether the total or a label has a difference that was not tested."""
    rows = metric["total"], *metric["labels"]
    return any(row["verdict"] in VERDICTS and row["distinct"] is None for row in rows)


def _other_metrics(metrics: list[Result], new: str) -> Iterator[str]:
    """Clauses on the other metrics by which the new run is significantly better or worse."""
    for verdict in VERDICTS:
        names = [
            printable(metric["metric"])
            for metric in metrics
            if metric["total"]["distinct"] and metric["total"]["verdict"] == verdict
        ]
        if len(names) > NAMED:
            names = [f"{count_word(len(names))} other metrics"]
        if names:
            yield f"{new} is significantly {verdict} by {in_sentence(names)}"


def _changed_labels(metrics: list[Result]) -> Iterator[str]:
    """Clauses on labels that are significantly better or worse by some metric."""
    some = " by at least one metric" if len(metrics) > 1 else ""
    for verdict in VERDICTS:
        found = dict.fromkeys(
            printable(row["label"])
            for metric in metrics
            for row in metric["labels"]
            if row["distinct"] and row["verdict"] == verdict
        )
        if found:
            names = in_sentence(list(found))
            if len(found) > NAMED:
                names = f"{count_word(len(found))} labels"
            are = "is" if len(found) == 1 else "are"
            yield f"{names} {are} significantly {verdict}{some}"
