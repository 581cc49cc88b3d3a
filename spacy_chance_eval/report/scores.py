"""Scores as plain tables for the terminal. Numbers are formatted here, never computed."""

from textwrap import fill

from ..metrics.catalog import CHOICES, METRICS
from .agreement import NODES, TREE, of_distances
from .words import counted, interval, number, right_aligned, shown

SHOWN_DOCS = 20


def score_report(result):
    """All tables of a scoring run, as one text.

    Parameters
    ----------
    result : dict
        As `score.score_files` and `tree_files.score_tree_files` make it.
    """
    texts = [text for layer in result["layers"] for text in layer_report(layer)]
    return "\n".join([*texts, *left_out_lines(result.get("left_out", ()))])


def left_out_lines(left_out):
    """The files that were left out, and why."""
    if left_out:
        yield f"\nleft out, and in no number: {counted(len(left_out), 'pair')} of files"
    for one in left_out:
        yield fill(
            f"{shown(', '.join(one['files']))}: {shown(one['reason'])}", subsequent_indent="  "
        )


def layer_report(layer):
    """The tables of one layer."""
    scores, trees = layer["scores"], layer.get("positions") == TREE
    what = "sentence" if trees else "document"
    yield f"\n{tree_sizes(layer) if trees else span_sizes(layer)}"
    if layer.get("spacy"):
        usual = "  ".join(f"{key} {number(value)}" for key, value in layer["spacy"].items())
        yield f"spaCy: {usual}"
    yield summary(scores)
    if trees:
        yield from tree_remarks(layer)
    best = main_metric(scores)
    draw = tree_rows if trees else rows_table
    if scores[best]["per_label"] or not trees:
        yield f"{best} by label"
        yield draw("label", scores[best]["per_label"])
    first = next(iter(scores)) if trees else best
    if scores[first]["per_doc"]:
        yield from document_report(first, scores[first]["per_doc"], what, draw)
    yield "signatures"
    yield "\n".join(score["signature"] for score in scores.values())


def span_sizes(layer):
    """The layers that are compared, with their numbers of documents and spans."""
    names = dict.fromkeys((layer["gold_layer"], layer["pred_layer"]))
    counts = [counted(layer["n_docs"], "document"), counted(layer["n_gold"], "gold span")]
    counts.append(f"{layer['n_pred']} predicted")
    if layer["n_skipped"]:
        counts.append(f"{counted(layer['n_skipped'], 'document')} skipped: not annotated")
    if layer["n_unplaced"]:
        counts.append(f"{layer['n_unplaced']} predicted spans do not fit the gold tokens: wrong")
    return f"{shown(' against '.join(names))}: {', '.join(counts)}"


def tree_sizes(layer):
    """What trees are compared, with their numbers of sentences and nodes."""
    node = NODES[layer["kind"]].removesuffix("s")
    counts = [counted(layer["n_docs"], "sentence"), counted(layer["n_gold"], f"gold {node}")]
    counts.append(f"{layer['n_pred']} predicted")
    if layer["n_skipped"]:
        counts.append(f"{counted(layer['n_skipped'], 'sentence')} skipped: not annotated by both")
    return f"{layer['kind']} trees: {', '.join(counts)}"


def tree_remarks(layer):
    """How to read the scores of trees, as lines of their own."""
    lines = list(of_distances((name, row["name"]) for name, row in layer["scores"].items()))
    if layer["n_uneven"] and layer["kind"] == "dependency":
        uneven = counted(layer["n_uneven"], "sentence")
        lines.append(f"{uneven} with another number of tokens: not in attachment scores")
    lines += map(shown, layer.get("notes", ()))
    for line in lines:
        yield fill(line, 100, initial_indent="  ", subsequent_indent="  ")
    if lines:
        yield ""


def main_metric(scores):
    """The metric whose labels are shown: span or token F, or the first that has any."""
    usual = [name for name in ("span_f", "token_f") if name in scores]
    labelled = [name for name, score in scores.items() if score["per_label"]]
    return next(iter([*usual, *labelled, *scores]))


def summary(scores):
    """One row a metric: observed, expected by chance, corrected."""
    extra = [name for name in ("standard_error", "p_value") if has(scores, name)]
    extra = ["macro_docs"] * has(scores, "per_doc") + extra
    header = ["", "observed", "expected", "corrected", "macro"]
    header += [name.replace("_", " ") for name in extra]
    limits = has(scores, "interval")
    rows = []
    for name, score in scores.items():
        corrected = score["value"] if score["expected"] is not None else None
        cells = [score["observed"], score["expected"], corrected, score["macro"]]
        cells = list(map(number, cells + [score[key] for key in extra]))
        rows.append([name, *cells, *([interval(score["interval"])] if limits else [])])
    return right_aligned(rows, header + ["interval"] * limits)


def has(scores, name):
    """Whether any score has this part."""
    return any(score[name] is not None for score in scores.values())


def document_report(metric, per_doc, what, draw):
    """The documents that score worst, and how many are not shown."""
    order = sorted(per_doc, key=lambda doc: (per_doc[doc]["value"] is None, value_of(per_doc[doc])))
    shown = {doc: per_doc[doc] for doc in order[:SHOWN_DOCS]}
    yield f"{metric} by {what}, worst first"
    yield draw(what, shown)
    if len(order) > len(shown):
        yield f"({counted(len(order) - len(shown), f'more {what}')} in the JSON output: -o FILE)"


def value_of(row):
    """What documents are sorted by."""
    return 0.0 if row["value"] is None else row["value"]


def rows_table(what, rows):
    """Gold and predicted spans and the three scores of labels or documents."""
    header = [what, "gold", "pred", "observed", "expected", "corrected"]
    body = [
        [
            shown(name),
            *(number(row[key]) for key in ("gold", "pred", "observed", "expected")),
            number(row["value"] if row["expected"] is not None else None),
        ]
        for name, row in rows.items()
    ]
    return right_aligned(body, header)


def tree_rows(what, rows):
    """Nodes of labels or sentences, distances and scores, as far as there are any."""
    keys = ["gold", "pred", "distance", "observed", "expected"]
    keys = [key for key in keys if any(row.get(key) is not None for row in rows.values())]
    corrected = "expected" in keys
    body = [
        [shown(name), *(number(row[key]) for key in keys), *[number(row["value"])] * corrected]
        for name, row in rows.items()
    ]
    return right_aligned(body, [what, *keys, *["corrected"] * corrected])


# page of docs/: its title, and the metrics that it is about
PAGES = {
    "spans.md": (
        "Spans, tokens, links, clusters, overlaps",
        tuple(
            f"{what}_{suffix}"
            for what in ("span", "token", "link", "bcubed", "int")
            for suffix in ("precision", "recall", "f")
        ),
    ),
    "slicm.md": ("Information", ("slicm", "slicm_norm")),
    "nominal.md": (
        "Items with one value each",
        (
            *("percent_agreement", "positive_agreement", "negative_agreement"),
            *("cohen_kappa", "scott_pi", "davies_fleiss", "fleiss_kappa"),
            *("krippendorff_alpha", "gwet_ac1", "gwet_ac2"),
        ),
    ),
    "unitizing.md": (
        "Units on a continuum",
        ("alpha_u", "u_alpha", "bar_u_alpha", "cu_alpha", "cu_coverage", "gamma"),
    ),
    "gate.md": (
        "GATE's relations",
        (
            *("gate_precision", "gate_recall", "gate_f"),
            *("bdm_precision", "bdm_recall", "bdm_f", "false_positives"),
        ),
    ),
    "syntax.md": (
        "Trees of sentences",
        ("syntax_alpha", "pq_alpha", "las", "uas", "label_accuracy", "jaccard"),
    ),
}
HEAD = """# All metrics

Made by `spacy-chance-eval metrics --markdown` from the catalog of the package. Do not edit: a test
compares the two.

A metric is asked for by its name, with the parameters that shall differ from their defaults:
`-m span_f -m "token_f(encoding=BIOE,chance=nested)"`. The same text works in Python. Parameters:

| parameter | values |
| --- | --- |
"""
VALUES = {
    "beta": "a number above 0: how much recall counts beside precision",
    "token_information": "constant, corpus; in Python also words and their bits",
    "features": "none, all, or names of features joined by `+`",
    "weights": "identity, linear, quadratic; in Python also a mapping from pairs of labels",
    "closeness": "a mapping from pairs of labels; on the command line `--bdm FILE`",
    "sample": "a whole number: pairs of annotations that are drawn for D_e; 0 takes all",
    "p": "a whole number: nodes on the stem of a pq-gram",
    "q": "a whole number: nodes at the base of a pq-gram",
    "ignore": "none, or labels joined by `+`, such as `p+punct`: their tokens do not count",
    "per": "a number above 0",
    "samples": "a whole number: random annotations",
    "seed": "a whole number",
    "position_weight": "a number above 0",
    "label_weight": "a number above 0",
}
LEGEND = """
The column *chance* says what is expected by chance, and so whether a score is corrected: by the
*model* of random annotations ([chance.md](chance.md); `chance=none` switches it off; where the
default is `none`, another value switches it on, by drawing), by the coefficient's *own* formula, or
by nothing. *Team* metrics take any number of annotators at once; the others are worked out for two
and averaged over pairs.
"""


def metrics_text():
    """The metrics as a plain listing: name, parameters with defaults, source."""
    return "\n".join(
        f"{metric.name}({parameters(metric)})\n    {metric.paper}" for metric in METRICS.values()
    )


def parameters(metric):
    """All parameters of a metric with their defaults."""
    return ",".join(f"{name}={value}" for name, value in metric.parameters.items())


def metrics_markdown():
    """The page of all metrics, as Markdown."""
    used = sorted({name for metric in METRICS.values() for name in metric.parameters})
    lines = [HEAD.rstrip("\n")]
    lines += [f"| `{name}` | {values_of(name)} |" for name in used]
    lines.append(LEGEND.rstrip("\n"))
    for page, (title, names) in PAGES.items():
        lines += ["", f"## {title}", "", f"Explained in [{page}]({page}).", ""]
        lines += ["| metric | parameters and defaults | chance | team | source |"]
        lines += ["| --- | --- | --- | --- | --- |"]
        lines += [row(METRICS[name]) for name in names]
    return "\n".join(lines) + "\n"


def values_of(name):
    """What a parameter can be."""
    return VALUES.get(name) or ", ".join(CHOICES[name])


def row(metric):
    """The row of a metric."""
    given = ", ".join(f"`{name}={value}`" for name, value in metric.parameters.items())
    best = "" if metric.higher_is_better else "; lower is better"
    cells = [f"`{metric.name}`", given or "none", chance(metric)]
    of = f"; of {metric.kinds[0]} trees" if len(metric.kinds) == 1 else ""
    cells += ["yes" if metric.team else "no", metric.paper + best + of]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def chance(metric):
    """What corrects a metric for chance."""
    if metric.parts:
        return "own"
    default = metric.parameters.get("chance")
    if default is None:
        return "-"
    return "model, if asked for" if default == "none" else "model"
