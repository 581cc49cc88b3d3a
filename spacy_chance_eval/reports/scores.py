"""Scores of one prediction as text and as CSV, and the list of all metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np

from ..measures.messages import quoted
from ..metrics.catalog import METRICS, USUAL, Metric, Number
from ..scoring.evaluation import DEFAULT_METRICS
from ..scoring.intervals import FEW
from ..scoring.statistics import headline, headline_name
from .tables import csv_text, fitted_table, signature_lines, text_table, warning_lines
from .words import (
    DASH,
    NODES,
    TREE,
    Result,
    documents,
    interval_of,
    interval_text,
    misfits,
    number,
    part_columns,
    printable,
    quantity,
)

# columns of the table of labels, and the metrics whose observed scores they are
LABEL_SCORES = {"precision": "span_precision", "recall": "span_recall", "f1-score": "span_f"}
LABEL_COLUMNS = (*LABEL_SCORES, "expected", "corrected")
HOW_TO_READ_LABELS = (
    "expected: the mean F if the spans of both, with their lengths, are placed at random\n"
    "corrected: (f1-score - expected) / (1 - expected); 0 is chance level"
)
NEXT = "next: --all (more metrics), --per-doc (one by one), -o pages/ (what differs)"
SHOWN_LABELS = 12  # on one screen
SHOWN_DOCS = 20
MAIN_METRICS = ("span_f", "token_f")  # whose labels and documents are shown if they are asked for
# pages of docs/, and the subject of the metrics that they explain
PAGES = {
    "spans.md": "Spans, tokens, links, clusters, overlaps",
    "slicm.md": "Information",
    "nominal.md": "Items with one value each",
    "unitizing.md": "Units on a continuum",
    "gate.md": "GATE's relations",
    "syntax.md": "Trees of sentences",
}
HEAD = """# All metrics

<!-- Made by `reports.scores.metrics_markdown`. Do not edit: a test compares the two. -->

A metric is asked for by its name, with the parameters that differ from their defaults:
`-m span_f -m "token_f(encoding=BIOE,chance=nested)"`. The same text works in Python. Parameters:

| parameter | values |
| --- | --- |
"""
VALUES = {
    "beta": "a number above 0: how much recall counts beside precision",
    "token_information": "constant, corpus; in Python also words and their bits",
    "features": "none, all, or names of features joined by `+`",
    "weights": "identity, linear, quadratic; in Python also a mapping from pairs of labels",
    "closeness": "a file: GATE's `.bdm`, a CSV of concept, parent, or a CSV of label, label, "
    "closeness; in Python also a mapping from pairs of labels",
    "sample": "a whole number: pairs of annotations that are drawn for D_e; with 0, and if there "
    "are no more, all pairs are taken",
    "p": "a whole number: nodes on the stem of a pq-gram",
    "q": "a whole number: nodes at the base of a pq-gram",
    "ignore": "none, or labels joined by `+`, such as `p+punct`: their tokens do not count",
    "per": "a number above 0",
    "seed": "a whole number",
}
TABLE_HEAD = (
    "| metric | parameters and defaults | chance | team | source |",
    "| --- | --- | --- | --- | --- |",
)
LEGEND = """
The column *chance* tells where the expectation by chance comes from. *Model*: the random annotation
model ([chance.md](chance.md)); `chance=none` switches it off, and where the default is `none`,
another value switches it on, by drawing. *Own*: the coefficient's own formula. A dash: no
expectation, and therefore no correction. *Team* metrics take any number of annotators at once; the
others are computed for two and averaged over pairs.
"""
RELATIONS = ("correct", "partial", "missing", "spurious")
MACRO, MICRO = "macro avg", "micro avg"
MEANS = {"per_label": "macro", "per_doc": "macro_docs"}  # parts of a score, and their means
PARTS = ("observed", "expected")
SCOPES = {"per_label": "label", "per_doc": "document"}


def score_report(result: Result, *, everything: bool = True) -> str:
    """All tables of a scoring run, as one text.

    Parameters
    ----------
    result : dict
        The scores of each layer as plain values.
    everything : bool
        Without, the usual metrics are one table: precision, recall and F of each label.
    """
    texts = [text for layer in result["layers"] for text in _layer_parts(layer, everything)]
    texts = [*warning_lines(result), *texts]
    texts += _left_out_lines(result.get("left_out", ()))
    return "\n".join(texts if everything else [*texts, NEXT])


def metrics_text(names: Iterable[str] = METRICS) -> str:
    """Metrics as plain text: name, all parameters with their defaults, source."""
    lines = []
    for row in map(METRICS.__getitem__, names):
        defaults = ",".join(f"{name}={value}" for name, value in row.parameters.items())
        lines.append(f"{row.name}({defaults})\n    {row.paper}")
    return "\n".join(lines)


def metric_text(name: str) -> str:
    """One metric explained: what it measures, its range, parameters, source and signature."""
    row = METRICS[name]
    functions = (getattr(one, "func", one) for one in (row.count, row.score or row.parts))
    said = [str(one.__doc__).strip().partition("\n")[0] for one in functions]
    best = "in bits, without a best value" if row.bits else "1 is perfect"
    best = best if row.higher_is_better else "0 is perfect, lower is better"
    known = "own" if row.parts else "chance" in row.parameters and "model"
    corrected = {
        "own": "; corrected for chance by its own formula, 0 is chance level",
        "model": "; beside it the mean of random annotations, and corrected (0 is chance level)",
    }
    lines = [name, *(f"  {line.replace('`', '')}" for line in said)]
    lines += ["", f"range       {best}{corrected.get(str(known), '')}"]
    for place, (key, value) in enumerate(row.parameters.items()):
        values = f"{key}={value}: {parameter_values(key).replace('`', '')}"
        lines.append(f"{'' if place else 'parameters':12}{values}")
    lines += [f"source      {row.paper}", f"signature   {written_name(name)}"]
    lines += [f"ask for it  spacy-chance-eval score gold.conll predicted.conll -m {name}"]
    lines += [f"more        docs/{row.page}"] if row.page else []
    return "\n".join(lines)


def written_name(name: str) -> str:
    """A metric with all of its parameters, as signatures begin."""
    defaults = ",".join(f"{key}={value}" for key, value in sorted(METRICS[name].parameters.items()))
    return f"{name}({defaults})"


def metrics_markdown() -> str:
    """The page of all metrics, as Markdown."""
    used = sorted({name for metric in METRICS.values() for name in metric.parameters})
    lines = [HEAD.rstrip("\n")]
    lines += [f"| `{name}` | {parameter_values(name)} |" for name in used]
    lines.append(LEGEND.rstrip("\n"))
    for page in dict.fromkeys([*PAGES, *(metric.page for metric in METRICS.values())]):
        metrics = [metric for metric in METRICS.values() if metric.page == page]
        explained = ["", f"Explained in [{page}]({page})."] if page else []
        lines += ["", f"## {PAGES.get(page, 'Other metrics')}", *explained, ""]
        lines += [*TABLE_HEAD, *map(metric_row, metrics)]
    return "\n".join(lines) + "\n"


# --- scores of one prediction


def _layer_parts(layer: Result, everything: bool) -> Iterator[str]:
    """The tables of one layer."""
    scores, trees = layer["scores"], layer.get("positions") == TREE
    by_label = not everything and tuple(scores)[: len(DEFAULT_METRICS)] == DEFAULT_METRICS
    item = "sentence" if trees else "document"
    yield f"\n{layer_sizes(layer)}"
    if layer.get("spacy"):
        usual = "  ".join(f"{key} {number(value)}" for key, value in layer["spacy"].items())
        yield f"spaCy: {usual}"
    best = main_metric(scores)
    table_rows = tree_rows if trees else span_rows
    if by_label:
        rows = label_report({key: scores[name] for key, name in LABEL_SCORES.items()})
        f = scores[best]
        often = sorted(f["per_label"], key=lambda label: -rows[label]["support"])
        rare = {*often[SHOWN_LABELS:]}
        rows = {name: row for name, row in rows.items() if name not in rare}
        yield "\n" + label_text(rows, 4, f["signature"], interval=_interval_line(f))
        if rare:
            yield f"({quantity(len(rare), 'rarer label')}: --all)"
    else:
        yield score_summary(scores)
    if "confusion" in layer:
        matrix: Mapping[str, Mapping[str, int]] = layer["confusion"]
        columns = sorted({two for row in matrix.values() for two in row})
        body = [
            [printable(one), *(str(row.get(two, 0)) for two in columns)]
            for one, row in matrix.items()
        ]
        yield "\n" + text_table(["gold \\ predicted", *map(printable, columns)], body)
    if trees:
        yield from _tree_remarks(layer)
    if not by_label and (scores[best]["per_label"] or not trees):
        yield from _by_name(scores, best, "per_label", "label", table_rows)
    first = next(iter(scores)) if trees else best
    if scores[first]["per_doc"]:
        yield from _by_name(scores, first, "per_doc", item, table_rows)
    if not by_label:
        yield from signature_lines(score["signature"] for score in scores.values())


def _left_out_lines(left_out: Iterable[Result]) -> Iterator[str]:
    """The pairs of files that were left out, and why."""
    left_out = list(left_out)
    if left_out:
        yield f"\nleft out, and in no number: {quantity(len(left_out), 'pair')} of files"
    for pair in left_out:
        text = f"{printable(', '.join(pair['files']))}: {printable(pair['reason'])}"
        yield fill(text, subsequent_indent="  ")


def layer_sizes(layer: Result) -> str:
    """The layers compared, with the numbers of documents and spans, or of nodes.

    With intervals also what the documents are worth.
    """
    sizes = _tree_sizes(layer) if layer.get("positions") == TREE else _span_sizes(layer)
    scores: list[Result] = [*layer["scores"].values()]
    n_eff = scores[0].get("n_eff") if scores else None  # older results have none
    rough = f" (below {FEW}: intervals are rough)" if n_eff and n_eff < FEW else ""
    return f"{sizes}, n_eff {n_eff:.1f}{rough}" if n_eff else sizes


def _span_sizes(layer: Result) -> str:
    """The layers that are compared, with their numbers of documents and spans."""
    names = dict.fromkeys((layer["gold_layer"], layer["pred_layer"]))
    counts = [documents(layer["n_docs"], layer.get("n_sentences"))]
    what = "label" if layer.get("positions") == "category" else "span"
    counts.append(quantity(layer["n_gold"], f"gold {what}"))
    counts.append(f"{layer['n_pred']} predicted")
    if layer["n_skipped"]:
        counts.append(f"{quantity(layer['n_skipped'], 'document')} skipped: not annotated")
    if layer["n_unplaced"]:
        counts.append(misfits(layer["n_unplaced"]))
    return f"{printable(' against '.join(names))}: {', '.join(counts)}"


def _tree_sizes(layer: Result) -> str:
    """The kind of trees that are compared, with their numbers of sentences and nodes."""
    node = NODES[layer["kind"]].removesuffix("s")
    counts = [quantity(layer["n_docs"], "sentence"), quantity(layer["n_gold"], f"gold {node}")]
    counts.append(f"{layer['n_pred']} predicted")
    if layer["n_skipped"]:
        skipped = quantity(layer["n_skipped"], "sentence")
        counts.append(f"{skipped} skipped: not annotated by both")
    return f"{layer['kind']} trees: {', '.join(counts)}"


def _tree_remarks(layer: Result) -> Iterator[str]:
    """How to read the scores of trees, on lines of their own."""
    from .agreement import distance_notes

    lines = list(distance_notes((name, row["name"]) for name, row in layer["scores"].items()))
    if layer["n_uneven"] and layer["kind"] == "dependency":
        uneven = quantity(layer["n_uneven"], "sentence")
        lines.append(f"{uneven} with a different number of tokens: not in attachment scores")
    lines += map(printable, layer.get("notes", ()))
    for line in lines:
        yield fill(line, 100, initial_indent="  ", subsequent_indent="  ")
    if lines:
        yield ""


def main_metric(scores: Mapping[str, Result]) -> str:
    """The metric whose labels are shown: span or token F, or the first metric with labels.

    Metrics that are corrected for chance come before others.
    """
    usual = [name for name in MAIN_METRICS if name in scores]
    labelled = [name for name, score in scores.items() if score["per_label"]]
    by_chance = [name for name in labelled if scores[name]["is_corrected"]]
    return next(iter([*usual, *by_chance, *labelled, *scores]))


def score_summary(scores: Mapping[str, Result]) -> str:
    """One row for each metric: observed, expected by chance, corrected."""
    return fitted_table(*summary_rows(scores))


def summary_rows(scores: Mapping[str, Result]) -> tuple[list[str], list[list[str]]]:
    """Titles of the columns, and a row for each metric."""
    extra = [name for name in ("standard_error", "p_value") if _has(scores, name)]
    extra = ["macro_docs"] * _has(scores, "per_doc") + extra
    parts = part_columns([*scores.values()])
    header = ["", *(title for title, _ in parts), "corrected", "macro"]
    header += [name.replace("_", " ") for name in extra]
    limits = _has(scores, "low")
    rows = []
    for name, score, *cells in zip(scores, scores.values(), *(column for _, column in parts)):
        values = [score.get("corrected"), score["macro"], *(score[key] for key in extra)]
        rows.append([name, *cells, *map(number, values)])
        rows[-1] += [interval_text(interval_of(score))] * limits
    return header + ["interval"] * limits, rows


def _has(scores: Mapping[str, Result], name: str) -> bool:
    """Whether any score has a part."""
    return any(score[name] is not None for score in scores.values())


def _by_name(
    scores: Mapping[str, Result],
    best: str,
    part: str,
    title: str,
    table_rows: Callable[[str, Mapping[str, Result]], tuple[list[str], list[list[str]]]],
) -> Iterator[str]:
    """The labels by name, or the documents that score worst: of one metric in full, then of all.

    The usual metrics, where none was asked for, have the first table only; metrics that are not
    corrected for chance the second only, where there is one.
    """
    with_part = {name: score for name, score in scores.items() if score[part]}
    asked = tuple(scores) not in (DEFAULT_METRICS, *USUAL.values())
    several = asked and (len(with_part) > 1 or bool(scores[best].get("relations")))
    rows, order, more = scores[best][part], None, ""
    if part == "per_doc":
        order = worst_first(scores[best])
        if len(order) > SHOWN_DOCS:
            left = quantity(len(order) - SHOWN_DOCS, f"more {title}")
            more = f"({left} in the JSON output: -o FILE)"
            order = order[:SHOWN_DOCS]
    corrected = any(row.get("expected") is not None for row in rows.values())
    if corrected or table_rows is tree_rows or not several:
        yield f"{best} by {title}" + ", worst first" * (order is not None)
        shown = rows if order is None else {name: rows[name] for name in order}
        yield fitted_table(*table_rows(title, shown))
    if several:
        models = [name for name, score in with_part.items() if score["is_corrected"]]
        note = f"; corrected for chance: {printable(', '.join(models))}" if models else ""
        worst = f", worst {best} first" if order is not None else ""
        yield f"{'all metrics' if len(with_part) > 1 else best} by {title}{worst}{note}"
        yield overview(title, with_part, part, order)
    if more:
        yield more


def metric_of(score: Result) -> Metric | None:
    """The entry of a score's metric in the catalogue; None if there is none."""
    return METRICS.get(score["name"].partition("(")[0])


def worst_first(score: Result, part: str = "per_doc") -> list[str]:
    """Names of documents or labels, the worst score first and undefined scores last."""
    metric = metric_of(score)
    sign = -1 if metric is not None and not metric.higher_is_better else 1
    values = {doc: headline(row) for doc, row in score[part].items()}
    return sorted(values, key=lambda doc: (values[doc] is None, sign * (values[doc] or 0.0)))


def span_rows(title: str, rows: Mapping[str, Result]) -> tuple[list[str], list[list[str]]]:
    """Titles of the columns, and rows of labels or documents for scores of spans."""
    keys = ("gold", "pred")
    parts = part_columns([*rows.values()])
    body = [
        [printable(name), *(number(row[key]) for key in keys), *cells, number(row.get("corrected"))]
        for name, row, *cells in zip(rows, rows.values(), *(column for _, column in parts))
    ]
    return [title, *keys, *(title for title, _ in parts), "corrected"], body


def tree_rows(title: str, rows: Mapping[str, Result]) -> tuple[list[str], list[list[str]]]:
    """Titles of the columns, and rows of labels or sentences for scores of trees."""
    keys = ["gold", "pred", "distance"]
    keys = [key for key in keys if any(row.get(key) is not None for row in rows.values())]
    is_corrected = any(row.get("expected") is not None for row in rows.values())
    parts = part_columns([*rows.values()])[: None if is_corrected else 1]
    body = [
        [printable(name), *(number(row[key]) for key in keys), *cells]
        + [number(row.get("corrected"))] * is_corrected
        for name, row, *cells in zip(rows, rows.values(), *(column for _, column in parts))
    ]
    titles = [title for title, _ in parts] + ["corrected"] * is_corrected
    return [title, *keys, *titles], body


# --- the list of all metrics


def parameter_values(name: str) -> str:
    """The values that a parameter can have."""
    if name in VALUES:
        return VALUES[name]
    rows = (metric.choices for metric in METRICS.values())
    choices = next((row[name] for row in rows if row and name in row), ())
    if not isinstance(choices, Number):
        return ", ".join(choices)
    return "a number above 0" if choices.least is None else f"a whole number from {choices.least}"


def metric_row(metric: Metric) -> str:
    """The row of a metric in the page of all metrics."""
    defaults = ", ".join(f"`{name}={value}`" for name, value in metric.parameters.items())
    best = "" if metric.higher_is_better else "; lower is better"
    trees = f"; of {metric.kinds[0]} trees" if len(metric.kinds) == 1 else ""
    cells = [f"`{metric.name}`", defaults or "none", _chance(metric)]
    cells += ["yes" if metric.team else "no", metric.paper + best + trees]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _chance(metric: Metric) -> str:
    """The source of the expectation by chance, for the column *chance*."""
    if metric.parts:
        return "own"
    default = metric.parameters.get("chance")
    if default is None:
        return "-"
    return "model, if asked for" if default == "none" else "model"


# --- labels and documents, as in GATE's Corpus Quality Assurance: how many spans of each relation
# there are, then every metric, and the averages of all rows


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
            *(number(headline(row.scores[one])) if one in row.scores else DASH for one in scores),
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
    means: dict[str, Result] = {
        name: {headline_name(one): one[MEANS[part]]} for name, one in scores.items()
    }
    return QualityRow({}, means)


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
    spans, and of all metrics the observed score; of corrected ones also the expected and the
    corrected one, or observed and expected disagreement and the corrected score.
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
        of_disagreement = any(one.get("observed_disagreement") is not None for one in every)
        kind = "_disagreement" if of_disagreement else ""
        parts = [*(part + kind for part in PARTS), "corrected"]
        fields |= {f"{metric} {part.replace('_', ' ')}": found.get(part) for part in parts}
    return fields


# --- precision, recall and F by label, with what chance reaches


def label_report(scores: Mapping[str, Result]) -> dict[str, dict[str, Any]]:
    """The row of each label, then those of "micro avg" and "macro avg".

    Parameters
    ----------
    scores : mapping of str to dict
        Precision, recall and F of spans as plain values, by the columns of `LABEL_SCORES`.

    Returns
    -------
    dict
        Each row has `precision`, `recall`, `f1-score`, `expected` and `corrected` (both of F), None
        where undefined, and `support`, the number of gold spans.

    Raises
    ------
    ValueError
        For a label that is called like a mean.
    """
    labels = scores["f1-score"]["per_label"]
    rows = {
        label: _label_row({key: one["per_label"][label] for key, one in scores.items()})
        | {"support": row["gold"]}
        for label, row in labels.items()
    }
    means = {MICRO: _label_row(scores), MACRO: {}}
    for key in LABEL_COLUMNS:
        defined = [row[key] for row in rows.values() if row[key] is not None]
        means[MACRO][key] = float(np.mean(defined)) if defined else None
    if clash := next(iter(means.keys() & rows.keys()), None):
        raise ValueError(
            f"there is a label {quoted(clash)}, which the report calls a mean; rename it"
        )
    support = sum(row["support"] for row in rows.values())
    return rows | {name: {**row, "support": support} for name, row in means.items()}


def _label_row(scores: Mapping[str, Result]) -> dict[str, Any]:
    """Observed precision, recall and F, and the expected and the corrected F."""
    f = scores["f1-score"]
    row = {key: one["observed"] for key, one in scores.items()}
    return row | {"expected": f.get("expected"), "corrected": f.get("corrected")}


def label_text(
    rows: Mapping[str, Result],
    digits: int,
    signature: str,
    warnings: Sequence[str] = (),
    interval: str = "",
) -> str:
    """A table with a row for each label, and below it the means of all."""
    header, body = label_rows(rows, digits)
    lines = [*warning_lines({"warnings": warnings}), text_table(header, body)]
    lines += [interval] * bool(interval)
    text = "\n".join([*lines, HOW_TO_READ_LABELS, printable(signature)])
    return text.strip("\n")


def _interval_line(score: Result) -> str:
    """The interval of the corrected F of all labels, and how it was made; empty without one."""
    limits = interval_of(score)
    if limits is None:
        return ""
    _, resamples, _, _, level, unit, *_ = score["resampling"].split(",")
    return (
        f"corrected F of all labels: {100 * float(level):g} % interval "
        f"{interval_text(limits)}, {resamples} resamples of {unit}"
    )


def label_rows(rows: Mapping[str, Result], digits: int) -> tuple[list[str], list[list[str]]]:
    """The titles of the columns and the cells of all rows."""
    body = []
    for label, row in rows.items():
        cells = (DASH if row[key] is None else f"{row[key]:.{digits}f}" for key in LABEL_COLUMNS)
        body.append([printable(label), *cells, str(row["support"])])
    return ["", *LABEL_COLUMNS, "support"], body
