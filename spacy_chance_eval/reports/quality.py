"""All metrics of a scoring run by label and by document: as one table, and as CSV.

The tables are those of GATE's Corpus Quality Assurance: how many spans of each relation there are,
then every metric, and the averages of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .tables import csv_text, fitted_table
from .words import DASH, Result, number, printable

RELATIONS = ("correct", "partial", "missing", "spurious")
MACRO, MICRO = "macro avg", "micro avg"
MEANS = {"per_label": "macro", "per_doc": "macro_docs"}  # parts of a score, and their means
PARTS = ("observed", "expected")
SCOPES = {"per_label": "label", "per_doc": "document"}


def overview(
    title: str, scores: Mapping[str, Result], part: str, names: Sequence[str] | None = None
) -> str:
    """A row for each label or document, then macro and micro averages; a column for each metric.

    Parameters
    ----------
    title : str
        The kind of rows.
    scores : mapping of str to dict
        Those that have the part.
    part : "per_label" or "per_doc"
    names : sequence of str, optional
        The rows to show; by default all.
    """
    rows, averages = rows_of(scores, part), averages_of(scores, part)
    counts = list(averages[MICRO].counts)
    body = [
        [
            printable(name),
            *(number(row.counts[key]) if key in row.counts else "" for key in counts),
            *(number(row.scores[one]["value"]) if one in row.scores else DASH for one in scores),
        ]
        for name, row in [*((name, rows[name]) for name in names or rows), *averages.items()]
    ]
    return fitted_table([title, *map(printable, counts), *map(printable, scores)], body)


class QualityRow(NamedTuple):
    """Numbers of spans, and the row of each metric."""

    counts: dict[str, Any]
    scores: dict[str, Result]


def averages_of(scores: Mapping[str, Result], part: str) -> dict[str, QualityRow]:
    """Macro and micro averages of labels or documents, by name of the average."""
    return {MACRO: _means(scores, part), MICRO: _sums(scores, part)}


def rows_of(scores: Mapping[str, Result], part: str) -> dict[str, QualityRow]:
    """All labels or documents by name."""
    rows: dict[str, QualityRow] = {}
    counted = _counted(scores)
    for metric, score in scores.items():
        for name, found in (score[part] or {}).items():
            support = {key: found[key] for key in ("gold", "pred")}
            row = rows.setdefault(name, QualityRow(support, {}))
            if metric in counted:
                row.counts.update({counted[metric] + key: found[key] for key in RELATIONS})
            row.scores[metric] = found
    return rows


def _counted(scores: Mapping[str, Result]) -> dict[str, str]:
    """The metrics whose numbers of relations are shown, and the prefix of their names.

    Metrics that count the same spans as correct, partial, missing and spurious share one set.
    """
    known: list[Any] = []
    found: dict[str, str] = {}
    for metric, score in scores.items():
        if score.get("relations"):
            numbers = [{key: row[key] for key in RELATIONS} for row in _all(score)]
            numbers.append(score["relations"])
            if numbers not in known:
                found[metric] = f"{metric} " if known else ""
                known.append(numbers)
    return found


def _all(score: Result) -> Iterator[Result]:
    """The rows of a score, of labels and of documents."""
    for part in SCOPES:
        yield from (score[part] or {}).values()


def _means(scores: Mapping[str, Result], part: str) -> QualityRow:
    """The macro averages of labels or documents."""
    return QualityRow({}, {name: {"value": score[MEANS[part]]} for name, score in scores.items()})


def _sums(scores: Mapping[str, Result], part: str) -> QualityRow:
    """The numbers of all labels or documents, and the scores of these sums."""
    # of metrics that ignore labels, spans at one place are one, and stand beside those by label
    each = [(score[part] or {}).values() for score in scores.values()]
    sums: dict[str, Any] = {
        key: max((sum(row[key] or 0 for row in rows) for rows in each), default=0)
        for key in ("gold", "pred")
    }
    for metric, prefix in _counted(scores).items():
        sums |= {prefix + key: n for key, n in scores[metric]["relations"].items()}
    return QualityRow(sums, dict(scores))


# --- CSV


def score_csv(result: Result) -> str:
    """One row for each label and document, and for macro and micro averages; numbers in full.

    Columns are the layer, the scope (label, document, macro or micro), the name, the numbers of
    spans, and all metrics. Corrected metrics also have columns of the observed and expected score,
    or of observed and expected disagreement.
    Texts that a spreadsheet would take for a formula begin with an apostrophe.
    """
    rows = [row for layer in result["layers"] for row in _layer_rows(layer)]
    return csv_text(list(dict.fromkeys(key for row in rows for key in row)), rows)


def _layer_rows(layer: Result) -> Iterator[dict[str, Any]]:
    """The rows of one layer: labels, documents, averages."""
    names = dict.fromkeys(layer[key] for key in ("gold_layer", "pred_layer") if key in layer)
    scores: Mapping[str, Result] = layer["scores"]
    parts = [part for part in SCOPES if any(score[part] for score in scores.values())]
    rows = [(SCOPES[part], *item) for part in parts for item in rows_of(scores, part).items()]
    rows += [("macro", f"{SCOPES[part]}s", _means(scores, part)) for part in parts]
    whole = _sums(scores, "per_label")
    whole.counts.update(gold=layer["n_gold"], pred=layer["n_pred"])
    for scope, name, row in [*rows, ("micro", "all", whole)]:
        about = {"layer": " against ".join(names), "scope": scope, "name": name}
        yield about | _fields(row, scores)


def _fields(row: QualityRow, scores: Mapping[str, Result]) -> dict[str, Any]:
    """The numbers of spans and the scores of a row, by column."""
    fields = dict(row.counts)
    for metric, score in scores.items():
        found = row.scores.get(metric, {})
        every = [score, *_all(score)]
        if all(one["expected"] is None for one in every):
            fields[metric] = found.get("value")
        else:
            of_disagreement = any(one.get("observed_disagreement") is not None for one in every)
            kind = "_disagreement" if of_disagreement else ""
            parts = [part + kind for part in PARTS]
            fields |= {f"{metric} {part.replace('_', ' ')}": found.get(part) for part in parts}
            fields[f"{metric} corrected"] = found.get("value")
    return fields
