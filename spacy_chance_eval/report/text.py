"""Scores as plain tables for the terminal. Numbers are formatted here, never computed."""

from textwrap import fill

from wasabi import table

from .agreement_words import NODES, TREE, of_distances
from .words import counted, interval, number, shown

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


def right_aligned(rows, header):
    """A table whose first column stands left, the others right."""
    aligns = ("l", *"r" * (len(header) - 1))
    return table(rows, header=header, divider=True, aligns=aligns, max_col=60)
