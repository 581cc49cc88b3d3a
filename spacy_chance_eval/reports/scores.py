"""Scores of one prediction: columns, sections, verdict and CSV; and the list of all metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..corpora.pairs import NAMES
from ..formats.files import name_by_file
from ..formats.keys import split_path
from ..measures.differences import RELATIONS
from ..measures.messages import quoted
from ..metrics.catalog import METRICS, Metric, Number
from ..scoring.evaluation import DEFAULT_METRICS
from ..scoring.intervals import FEW
from ..scoring.statistics import headline, headline_name
from .report import ALL, SCREEN, Column, Report, Section, Table, table_lines
from .tables import indent, warning_lines
from .words import (
    DIGITS,
    NODES,
    TREE,
    Result,
    TableRow,
    documents,
    extremes,
    interval_of,
    interval_text,
    misfits,
    number,
    precise,
    printable,
    quantity,
    reached,
    score_cells,
)

# columns of the table of labels, and the metrics whose observed scores they are
LABEL_SCORES = {"precision": "span_precision", "recall": "span_recall", "f1-score": "span_f"}
LABEL_COLUMNS = (*LABEL_SCORES, "expected", "corrected")
HOW_TO_READ_LABELS = (
    "expected: the mean F if the spans of both, with their lengths, are placed at random",
    "corrected: (f1-score - expected) / (1 - expected); 0 is chance level",
)
NEXT = "--all (more metrics), --per-doc (one by one), -o pages/ (what differs)"
SHOWN_LABELS = 12  # on one screen
SHOWN_DOCS = 20
MAIN_METRICS = ("span_f", "token_f")  # whose labels and documents are shown if they are asked for
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
MACRO, MICRO = "macro avg", "micro avg"
MEANS = "macro avg: of each column the mean over the labels for which it is defined"
PARTS = ("observed", "expected", "observed_disagreement", "expected_disagreement", "corrected")
SCOPES = {"per_label": "label", "per_doc": "document"}

# --- the list of all metrics


def metrics_text(names: Iterable[str] = METRICS) -> str:
    """Metrics as plain text: name, all parameters with their defaults, what it is, source."""
    lines = []
    for row in map(METRICS.__getitem__, names):
        defaults = ",".join(f"{name}={value}" for name, value in row.parameters.items())
        what = indent(" ".join(_measured(row)), "    ")
        lines.append(f"{row.name}({defaults})\n{what}\n    {row.paper}")
    return "\n".join(lines)


def metric_text(name: str) -> str:
    """One metric explained: what it measures, its range, parameters, source and signature."""
    row = METRICS[name]
    best = "in bits, without a best value" if row.bits else "1 is perfect"
    best = best if row.higher_is_better else "0 is perfect, lower is better"
    known = "own" if row.parts else "chance" in row.parameters and "model"
    corrected = {
        "own": "; corrected for chance by its own formula, 0 is chance level",
        "model": "; beside it the mean of random annotations, and corrected (0 is chance level)",
    }
    defaults = ",".join(f"{key}={value}" for key, value in sorted(row.parameters.items()))
    lines = [name, *(f"  {line}" for line in _measured(row))]
    lines += ["", f"range       {best}{corrected.get(str(known), '')}"]
    for place, (key, value) in enumerate(row.parameters.items()):
        values = f"{key}={value}: {parameter_values(key).replace('`', '')}"
        lines.append(f"{'' if place else 'parameters':12}{values}")
    lines += [f"source      {row.paper}", f"signature   {name}({defaults})"]
    lines += [f"ask for it  spacy-chance-eval score gold.conll predicted.conll -m {name}"]
    lines += [f"more        docs/{row.page}"] if row.page else []
    return "\n".join(lines)


def _measured(row: Metric) -> list[str]:
    """A line on the count of a metric, and one on its score."""
    functions = (getattr(one, "func", one) for one in (row.count, row.score or row.parts))
    return [str(one.__doc__).strip().partition("\n")[0].replace("`", "") for one in functions]


# --- columns

SCORES = [
    Column("metric", "metric", str),
    Column("observed", "observed", interval=("observed_low", "observed_high"), interval_level=ALL),
    Column("expected", "expected"),
    Column("observed_disagreement", "observed disagreement", precise, level=ALL),
    Column("expected_disagreement", "expected disagreement", precise, level=ALL),
    Column("corrected", "corrected", interval=("low", "high"), interval_level=ALL),
    Column("macro", "macro"),
    Column("macro_docs", "macro docs"),
    Column("standard_error", "standard error"),
    Column("p_value", "p value"),
]
COUNTS = ["gold", "pred", "distance"]  # of each label or document, then those of relations


def _part_columns(title: str, scores: Mapping[str, Result], counts: Iterable[str]) -> list[Column]:
    """The columns of labels or documents: counts, the main metric in full, other metrics."""
    best = main_metric(scores)
    columns = [Column("name", title, str, link="page"), *(Column(key, key) for key in counts)]
    for metric, score in scores.items():
        head = headline_name(score)
        parts = [part for part in PARTS if part != head] if metric == best else []
        for part in [*parts, head]:
            write = precise if part.endswith("disagreement") else number
            limits = (f"{metric} low", f"{metric} high") if part == head else None
            heading = part.replace("_", " ") if metric == best else metric
            group = metric * bool(parts)  # above several columns
            columns.append(Column(f"{metric} {part}", heading, write, limits, group=group))
    return columns


# --- the report


def score_report(
    result: Result, n_docs: int = SHOWN_DOCS, pages: Sequence[Mapping[str, str]] = ()
) -> Report:
    """The scores of a prediction: labels on the screen, then all metrics, labels and documents.

    Parameters
    ----------
    result : dict
        The scores of each layer as plain values.
    n_docs : int
        How many documents are listed.
    pages : sequence of mappings
        Of each layer the addresses of documents, by name.
    """
    names = names_of(result)
    sections = [
        _layer_section(layer, n_docs, pages[i] if pages else {})
        for i, layer in enumerate(result["layers"])
    ]
    left_out = [
        f"Left out, and in no number: {', '.join(one['files'])}: {one['reason']}"
        for one in result.get("left_out", ())
    ]
    sides = zip(names, (str(result.get(key, "")) for key in ("gold", "pred")))
    details = [(name, path) for name, path in sides if path]
    return Report(
        f"Scores of {names[1]} against {names[0]}",
        quality_verdict(result, names),
        sections,
        [*details, *(("Layer", layer_sizes(layer)) for layer in result["layers"])],
        [*(f"Warning: {text}" for text in result.get("warnings", ())), *left_out],
        (),
        HOW_TO_READ_LABELS
        if any(layer.get("positions") != TREE for layer in result["layers"])
        else (),
        NEXT,
        [(f"differences-{i}/index.html", "Differences") for i, _ in enumerate(pages, 1)],
    )


def _layer_section(layer: Result, n_docs: int, pages: Mapping[str, str]) -> Section:
    """The tables of one layer."""
    scores: Mapping[str, Result] = layer["scores"]
    best, sizes = main_metric(scores), layer_sizes(layer)
    usual = tuple(scores)[: len(DEFAULT_METRICS)] == DEFAULT_METRICS
    if usual:  # of which one is in bits: it is shown where it is asked for, and in JSON
        scores = {name: score for name, score in scores.items() if not _has_bits(score)}
    spacy = "  ".join(f"{key} {number(value)}" for key, value in (layer.get("spacy") or {}).items())
    own_scores = [f"spaCy: {spacy}"] * bool(spacy)
    ordered = list(scores)
    if layer.get("positions") == TREE:  # attachment scores, then coefficients
        ordered.sort(key=lambda name: scores[name].get("observed_disagreement") is not None)
    tables = []
    if usual:
        rows = label_report({key: scores[name] for key, name in LABEL_SCORES.items()})
        notes = [*own_scores, *_interval_lines(scores[best]), *HOW_TO_READ_LABELS]
        tables.append(label_table(sizes, rows, DIGITS, notes, [scores[best]["signature"]]))
    metrics = [{"metric": name, **_metric_cells(scores[name])} for name in ordered]
    notes = [*own_scores, *_interval_lines(scores[best]), *_tree_notes(layer)]
    signatures = [scores[name]["signature"] for name in ordered]
    level = ALL if usual else SCREEN
    tables.append(Table(sizes, SCORES, metrics, notes, level=level, signatures=signatures))
    tables += [_confusion_table(layer.get("confusion", {}))] * ("confusion" in layer)
    for part in SCOPES:
        known = {name: score for name, score in scores.items() if score[part]}
        if known:
            tables.append(_part_table(layer, known, part, n_docs, pages, level))
    return Section(" against ".join(layer_names(layer)), (), tables)


def _confusion_table(matrix: Mapping[str, Mapping[str, int]]) -> Table:
    """How often each label of gold was predicted as each label."""
    labels = sorted({two for row in matrix.values() for two in row})
    keys = [f"label {one}" for one in labels]
    rows = [
        {"gold": one, **{key: row.get(two, 0) for key, two in zip(keys, labels)}}
        for one, row in matrix.items()
    ]
    columns = [Column("gold", "gold \\ predicted", str), *map(Column, keys, labels)]
    return Table("Labels of gold and of the prediction", columns, rows)


def _part_table(
    layer: Result,
    scores: Mapping[str, Result],
    part: str,
    n_docs: int,
    pages: Mapping[str, str],
    level: int,
) -> Table:
    """Labels, or documents from the worst one on: their counts, the scores, and the averages."""
    rows, title = rows_of(scores, part), SCOPES[part]
    if layer.get("positions") == TREE and part == "per_doc":
        title = "sentence"
    keys = dict.fromkeys(key for row in rows.values() for key in row)
    counts = [key for key in keys if key in (*COUNTS, *RELATIONS)]
    caption, notes = f"{', '.join(scores)} by {title}", []
    if part == "per_doc":
        best = scores[main_metric(scores)]
        by_errors = _counts_errors(best)
        order = worst_first(best, part, by_errors)
        caption += ", most errors first" if by_errors else ", worst first"
        if len(order) > n_docs:
            more = quantity(len(order) - n_docs, f"more {title}")
            notes = [f"{more}: -o FILE.json, -o FILE.csv"]
        rows = {name: rows[name] for name in order[:n_docs]}
        level = SCREEN
    models = [name for name, score in scores.items() if score["is_corrected"]]
    notes += [f"corrected for chance: {', '.join(models)}"] * bool(models)
    shown = [{**row, "name": name, "page": pages.get(name)} for name, row in rows.items()]
    totals = [] if layer.get("positions") == TREE else averages_of(scores, part)
    if totals and part == "per_label":
        heads = [f"{name} {headline_name(score)}" for name, score in scores.items()]
        notes += _means_notes([{key: row.get(key) for key in heads} for row in rows.values()])
    columns = _part_columns(title, scores, counts)
    return Table(caption, columns, shown, notes, totals, level)


def _metric_cells(score: Result) -> TableRow:
    """A metric with its parts, means, and what else it has."""
    also = ("macro_docs", "standard_error", "p_value")
    row = {key: score[key] for key in also if score.get(key) is not None}
    row |= {"macro": headline(score["macro"])} if "macro" in score else {}
    return row | score_cells(score, score.get("observed_disagreement") is not None)


def layer_names(layer: Result) -> list[str]:
    """The names of the layers that are compared."""
    named = (layer.get(key) for key in ("gold_layer", "pred_layer"))
    return list(dict.fromkeys(filter(None, named))) or [f"{layer.get('kind', '')} trees"]


def layer_sizes(layer: Result) -> str:
    """The layers compared, with the numbers of documents and spans, or of nodes.

    With intervals also what the documents are worth.
    """
    sizes = _sizes(layer)
    scores: list[Result] = [*layer["scores"].values()]
    n_eff = scores[0].get("n_eff") if scores else None  # older results have none
    rough = f" (below {FEW}: intervals are rough)" if n_eff and n_eff < FEW else ""
    return f"{sizes}, n_eff {n_eff:.1f}{rough}" if n_eff else sizes


def _sizes(layer: Result) -> str:
    """The layers compared, with the numbers of documents and spans, or of sentences and nodes."""
    is_tree = layer.get("positions") == TREE
    item, skipped = ("sentence", " by both") if is_tree else ("document", "")
    mark = "label" if layer.get("positions") == "category" else "span"
    of = "gold " + (NODES[layer["kind"]].removesuffix("s") if is_tree else mark)
    known = quantity(layer["n_docs"], "sentence")
    counts = [known if is_tree else documents(layer["n_docs"], layer.get("n_sentences"))]
    counts += [quantity(layer["n_gold"], of), f"{layer['n_pred']} predicted"]
    if layer["n_skipped"]:
        counts.append(f"{quantity(layer['n_skipped'], item)} skipped: not annotated{skipped}")
    if not is_tree and layer["n_unplaced"]:
        counts.append(misfits(layer["n_unplaced"]))
    named = f"{layer['kind']} trees" if is_tree else " against ".join(layer_names(layer))
    return f"{printable(named)}: {', '.join(counts)}"


def _tree_notes(layer: Result) -> Iterator[str]:
    """How to read the scores of trees."""
    if layer.get("positions") != TREE:
        return
    from .agreement import distance_notes

    yield from distance_notes((name, row["name"]) for name, row in layer["scores"].items())
    if layer["n_uneven"] and layer["kind"] == "dependency":
        uneven = quantity(layer["n_uneven"], "sentence")
        yield f"{uneven} with a different number of tokens: not in attachment scores"
    yield from layer.get("notes", ())


def main_metric(scores: Mapping[str, Result]) -> str:
    """The metric whose labels are shown: span or token F, as asked for, or the first with labels.

    Metrics that are corrected for chance come before others.
    """
    usual = [name for name in scores if name in MAIN_METRICS]
    labelled = [name for name, score in scores.items() if score["per_label"]]
    by_chance = [name for name in labelled if scores[name]["is_corrected"]]
    return next(iter([*usual, *by_chance, *labelled, *scores]))


def metric_of(score: Result) -> Metric | None:
    """The entry of a score's metric in the catalogue; None if there is none."""
    return METRICS.get(score["name"].partition("(")[0])


def _has_bits(score: Result) -> bool:
    metric = metric_of(score)
    return metric is not None and metric.bits


def worst_first(score: Result, part: str = "per_doc", by_errors: bool = False) -> list[str]:
    """Names of documents or labels, the worst score first and undefined scores last.

    With `by_errors`, those with most spans that are not matched come first.
    """
    metric = metric_of(score)
    sign = -1 if metric is not None and not metric.higher_is_better else 1

    def order(name: str) -> tuple[bool, float, float, int]:
        row = score[part][name]
        value, size = headline(row), sum(row.get(key) or 0 for key in ("gold", "pred"))
        n_errors = round((1 - (row["observed"] or 0)) * size, 9) if by_errors else 0.0
        return value is None, -n_errors, sign * (value or 0.0), -size

    return sorted(score[part], key=order)


def _counts_errors(score: Result) -> bool:
    """Whether a score is the share of spans that are matched."""
    metric = metric_of(score)
    return metric is not None and metric.higher_is_better and not metric.bits and not metric.kinds


def parameter_values(name: str) -> str:
    """The values that a parameter can have."""
    if name in VALUES:
        return VALUES[name]
    rows = (metric.choices for metric in METRICS.values())
    choices = next((row[name] for row in rows if row and name in row), ())
    if not isinstance(choices, Number):
        return ", ".join(choices)
    return "a number above 0" if choices.least is None else f"a whole number from {choices.least}"


# --- labels and documents, as in GATE's Corpus Quality Assurance: how many spans of each relation
# there are, then every metric, and the averages of all rows


def rows_of(scores: Mapping[str, Result], part: str) -> dict[str, TableRow]:
    """All labels or documents by name: counts, and each metric's parts behind its name."""
    rows: dict[str, TableRow] = {}
    counted = _counted(scores)
    for metric, score in scores.items():
        for name, found in (score[part] or {}).items():
            support = {key: found[key] for key in COUNTS if found.get(key) is not None}
            row = rows.setdefault(name, support)
            if metric == counted:
                row.update({key: found[key] for key in RELATIONS})
            row.update(_parts(metric, found))
    return rows


def _parts(metric: str, found: Result) -> TableRow:
    """The parts of a score behind the name of its metric."""
    known = score_cells(found, found.get("observed_disagreement") is not None)
    if headline_name(found) == "observed":
        known |= {key: known.pop(f"observed_{key}", None) for key in ("low", "high")}
    return {f"{metric} {key}": value for key, value in known.items()}


def averages_of(scores: Mapping[str, Result], part: str) -> list[TableRow]:
    """The rows of macro and micro averages of labels or documents."""
    means: TableRow = {"name": MACRO}
    for name, score in scores.items():
        if part == "per_label":
            means |= _parts(name, score["macro"])
        else:
            means[f"{name} {headline_name(score)}"] = score["macro_docs"]
    return [means, {"name": MICRO, **_sums(scores, part)}]


def _counted(scores: Mapping[str, Result]) -> str | None:
    """The first metric with numbers of relations, which are shown."""
    return next((metric for metric, score in scores.items() if score.get("relations")), None)


def _sums(scores: Mapping[str, Result], part: str) -> TableRow:
    """The numbers of all labels or documents, and the scores of these sums."""
    # of metrics that ignore labels, spans at one place are one, and stand beside those by label
    each = [(score[part] or {}).values() for score in scores.values()]
    sums: TableRow = {
        key: max((sum(row[key] or 0 for row in rows) for rows in each), default=0)
        for key in ("gold", "pred")
    }
    if counted := _counted(scores):
        sums |= scores[counted]["relations"]
    for metric, score in scores.items():
        sums |= _parts(metric, score)
    return sums


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
    macro = {key: one["macro"] for key, one in scores.items()}
    means = {MICRO: _label_row(scores), MACRO: _label_row(macro)}
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


def label_table(
    caption: str,
    rows: Mapping[str, Result],
    digits: int,
    notes: Sequence[str],
    signatures: Sequence[str],
) -> Table:
    """Precision, recall and F of each label, with the F expected by chance and the corrected F."""
    write = partial(number, digits=digits)
    notes = [*notes, *_means_notes(list(rows.values())[:-2])]
    columns = [Column("label", "", str), *(Column(key, key, write) for key in LABEL_COLUMNS)]
    columns.append(Column("support", "support"))
    labels = [{"label": label, **row} for label, row in rows.items()]
    often = labels[:-2]
    if len(often) > SHOWN_LABELS:
        often = sorted(often, key=lambda row: -row["support"])
    return Table(
        caption, columns, often, notes, labels[-2:], signatures=signatures, most=SHOWN_LABELS
    )


def _means_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A sentence on macro averages, where a score is not defined for all labels."""
    return [MEANS] * any(value is None for row in rows for value in row.values())


def label_text(
    rows: Mapping[str, Result], digits: int, signature: str, warnings: Sequence[str] = ()
) -> str:
    """A table with a row for each label, and below it the means of all."""
    _, *lines = table_lines(label_table("", rows, digits, (), ()))
    lines = [*warning_lines({"warnings": warnings}), *lines, "", *HOW_TO_READ_LABELS]
    return "\n".join([*lines, printable(signature)])


def _interval_lines(score: Result) -> list[str]:
    """The interval of the score of all labels, and how it was made."""
    limits = interval_of(score)
    if limits is None or "," not in score.get("resampling", ""):
        return []
    _, resamples, _, _, level, unit, *_ = score["resampling"].split(",")
    return [
        f"{score['name'].partition('(')[0]} of all labels: {100 * float(level):g} % interval "
        f"{interval_text(limits)}, {resamples} resamples of {unit}"
    ]


# --- verdict


def quality_verdict(result: Result, names: Sequence[str]) -> str:
    """Summary of a prediction: its score, matching spans, labels with the best and worst scores.

    The sentences are those of the first layer. They are plain text: names are not escaped.

    Parameters
    ----------
    result : dict
        Scores of spans, as `score` computes them.
    names : (str, str)
        Names of gold and the prediction.
    """
    layer = result["layers"][0]
    several = f"In the first of {len(result['layers'])} layers " * (len(result["layers"]) > 1)
    first = several + _score_clause(layer, names[1])
    return " ".join([f"{first}.", *_counts_sentence(layer, names), *_types_sentence(_main(layer))])


def names_of(result: Result) -> tuple[str, str]:
    """The names of gold and the prediction: those of the result, or by their files."""
    if "names" in result or not result.get("gold") or not result.get("pred"):
        gold, pred = result.get("names", NAMES)
        return gold, pred
    gold, pred = (name_by_file(split_path(result[side])[0]) for side in ("gold", "pred"))
    return (gold, pred) if gold != pred else NAMES


def _main(layer: Result) -> Result:
    """The score of a layer by its main metric."""
    score: Result = layer["scores"][main_metric(layer["scores"])]
    return score


def _score_clause(layer: Result, name: str) -> str:
    """The score of a prediction by the main metric, as a clause."""
    key, score = main_metric(layer["scores"]), _main(layer)
    value, metric = headline(score), metric_of(score)
    if value is None:
        if score["observed"] is not None:
            reason = "chance alone reaches the best score"
        else:
            nothing = "that it scores " * bool(layer["n_gold"] + layer["n_pred"])
            reason = f"nothing {nothing}was marked"
        return f"{name} has no score by {key}: {reason}"
    kind = {"bits": metric is not None and metric.bits, "is_corrected": score["is_corrected"]}
    kind["higher_is_better"] = metric is None or metric.higher_is_better
    return f"{name} {reached('scores', score, kind, f'by {key}')}"


def _counts_sentence(layer: Result, names: Sequence[str]) -> Iterator[str]:
    """The sentence on spans that match, overlap, or are in only one annotation, as in GATE."""
    every = (score.get("relations") for score in layer["scores"].values())
    counts = next(filter(None, every), None)
    if counts is None or any(not isinstance(n, int) for n in counts.values()):
        return
    if not any(counts.values()):
        return
    matched = quantity(counts["correct"], "span")
    yield (
        f"Of {names[0]}, {matched} {'is' if counts['correct'] == 1 else 'are'} correct, "
        f"{counts['partial']} partially correct, {counts['wrong label']} with a wrong label, "
        f"{counts['missing']} missing; "
        f"{counts['spurious']} of {names[1]} {'is' if counts['spurious'] == 1 else 'are'} spurious."
    )


def _types_sentence(score: Result) -> Iterator[str]:
    """The sentence on the labels with the worst and the best score."""
    metric = metric_of(score)
    if metric is not None and (metric.bits or not metric.higher_is_better):
        return
    rows = score["per_label"]
    values = {label: headline(row) for label, row in rows.items()}
    known = {label: value for label, value in values.items() if value is not None}
    yield from extremes(known, {label: row["gold"] for label, row in rows.items()})
