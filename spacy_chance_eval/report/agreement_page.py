"""Agreement of annotators as pages: an index with matrices of annotators, and scores of a pair.

All numbers come from results; here they get their places. Everything from data is escaped.
"""

from . import agreement_words as texts
from .agreement_table import HATCHED, colour, is_coloured, said, shade
from .diff_page import RELATIONS
from .html import page

CELLS = 10_000  # so many cells of matrices by label on one page, for browsers' sake
SCALE = [step / 10 for step in range(11)]
ALL = "All labels"


def agreement_index(
    result, pairs=(), shown=None, *, counts=RELATIONS, template="agreement_index.html", **values
):
    """The index of an agreement as one HTML page.

    Parameters
    ----------
    result : dict
        As `agreement` makes it. It may have a `title` and a list of `sources`.
    pairs : sequence of dict
        The pairs of annotators: `first`, `second`, `n_docs`, `n_differing`, `counts` of
        differences, and `page`, an address relative to the index; None where there is no page.
    shown : mapping, optional
        Where documents are drawn: by place, an address and the names of the pair.
    counts : sequence of str
        The keys of the differences of pairs.
    template : str
        One that extends "agreement_index.html", which needs `values`.
    """
    metrics = result["metrics"]
    labels = labels_with_matrix(metrics)
    links = {frozenset((row["first"], row["second"])): row["page"] for row in pairs}
    return page(
        template,
        result=result,
        title=result.get("title"),
        facts=texts.facts(result),
        marked=texts.marked(result),
        item=texts.document(result),
        trees=result["positions"] == texts.TREE,
        majority=texts.has_majority(result),
        explanations=texts.explanations(result),
        summary_reasons=list(texts.summary_reasons(result)),
        views=[view(result, metric, i, labels) for i, metric in enumerate(metrics, 1)],
        n_left_out=len(rows_of_labels(metrics)) - len(labels),
        pairs=pairs,
        shown=shown or {},
        link=lambda pair: links.get(frozenset((pair["first"], pair["second"]))),
        scale=[(step, shade(step)) for step in SCALE],
        hatched=HATCHED,
        relations=counts,
        about_pairs=texts.of_pairs(result),
        colour=colour,
        corrected=texts.corrected,
        is_coloured=is_coloured,
        said=said,
        **values,
    )


def labels_with_matrix(metrics):
    """Labels that have matrices of their own: all, or those used most if cells would be too many.

    In their order.
    """
    n_cells = sum(len(metric["pairs"]) for metric in metrics)
    rows = rows_of_labels(metrics)
    most = sorted(rows, key=lambda row: -row["n_spans"])[: CELLS // max(1, n_cells)]
    kept = {row["label"] for row in most}
    return [row["label"] for row in rows if row["label"] in kept]


def rows_of_labels(metrics):
    """The rows of labels of the first metric that scores them."""
    return next((metric["per_label"] for metric in metrics if metric["per_label"]), [])


def view(result, metric, number, labels):
    """What the index shows of one metric."""
    key = f"metric-{number}"
    item = texts.document(result)
    metrics = {ALL: metric} | by_label(metric, labels, item) if metric["pairs"] else {}
    about = {annotator["name"]: annotator for annotator in result["annotators"]}
    rows, by = metric["annotators"], texts.scores_by_label(metric)
    parts = ["others"] + ["majority"] * texts.has_majority(result)
    sides = [(row["annotator"], {part: row[part] for part in parts}) for row in rows]
    return {
        "id": key,
        "metric": metric,
        "heading": texts.heading(metric),
        "matrices": [
            matrix_view(f"{key}-matrix-{i}", name, one)
            for i, (name, one) in enumerate(metrics.items(), 1)
        ],
        "costly": texts.of_documents(metric, item),
        "has_distances": any(row.get("distance") is not None for row in metric["documents"]),
        "annotators": [(row, about[row["annotator"]]) for row in rows],
        "annotator_reasons": list(texts.reasons(sides)),
        "label_reasons": list(texts.reasons(by.items())),
        "by_label": sorted(by),
    }


def matrix_view(key, name, metric):
    """What the index shows of one matrix."""
    columns, rows = texts.matrix(metric)
    reasons = list(texts.pair_reasons([metric]))
    return {"id": key, "name": name, "columns": columns, "rows": rows, "reasons": reasons}


def by_label(metric, labels, item):
    """The metric with its pairs as they score for each label; empty if none has such a score."""
    found = {}
    for label in labels:
        pairs = [{**pair, **texts.of_label(pair, label, item)} for pair in metric["pairs"]]
        found[label] = metric | {"pairs": pairs}
    if all(pair["value"] is None for one in found.values() for pair in one["pairs"]):
        return {}
    return {f"Label {label}": one for label, one in found.items()}


def pair_tables(result, names):
    """The scores of two annotators, as values of the template `agreement_pair.html`.

    Parameters
    ----------
    result : dict
        As `agreement` makes it.
    names : pair of str
    """
    rows = [
        (metric, pair)
        for metric in result["metrics"]
        for pair in metric["pairs"]
        if {pair["first"], pair["second"]} == set(names)
    ]
    named = [(metric_and_sides(*row), row[1]) for row in rows]
    used = sorted({label for _, pair in rows for label in pair["per_label"]})
    scoring, item = texts.with_labels(result), texts.document(result)
    by_metric = {
        name: {label: texts.of_label(pair, label, item) for label in used}
        for (name, pair), (metric, _) in zip(named, rows)
        if metric in scoring
    }
    return {
        "rows_of_pair": [(metric, pair, name) for (metric, pair), (name, _) in zip(rows, named)],
        "label_heads": list(by_metric),
        "rows_of_labels": [
            (label, [by_name[label] for by_name in by_metric.values()]) for label in used
        ],
        "pair_reasons": list(texts.reasons((name, {"": pair}) for name, pair in named)),
        "label_reasons": list(texts.reasons(by_metric.items())),
    }


def metric_and_sides(metric, pair):
    """The name of a metric; which annotator is taken for gold, where that matters."""
    return metric["metric"] + f", {pair['first']} as gold" * (not metric["symmetric"])
