"""Scores as plain tables for the terminal. Numbers are formatted here, never computed."""

from wasabi import table

from .words import counted, interval, number, shown

SHOWN_DOCS = 20


def score_report(result):
    """All tables of a scoring run, as one text.

    Parameters
    ----------
    result : dict
        As `compared.score_files` makes it.
    """
    return "\n".join(text for layer in result["layers"] for text in layer_report(layer))


def layer_report(layer):
    """The tables of one layer."""
    scores = layer["scores"]
    names = dict.fromkeys((layer["gold_layer"], layer["pred_layer"]))
    counts = [counted(layer["n_docs"], "document"), counted(layer["n_gold"], "gold span")]
    counts.append(f"{layer['n_pred']} predicted")
    if layer["n_skipped"]:
        counts.append(f"{counted(layer['n_skipped'], 'document')} skipped: not annotated")
    if layer["n_unplaced"]:
        counts.append(f"{layer['n_unplaced']} predicted spans do not fit the gold tokens: wrong")
    yield f"\n{shown(' against '.join(names))}: {', '.join(counts)}"
    if layer.get("spacy"):
        usual = "  ".join(f"{key} {number(value)}" for key, value in layer["spacy"].items())
        yield f"spaCy: {usual}"
    yield summary(scores)
    best = next((name for name in ("span_f", "token_f") if name in scores), next(iter(scores)))
    yield f"{best} by label"
    yield rows_table("label", scores[best]["per_label"])
    if scores[best]["per_doc"]:
        yield from document_report(best, scores[best]["per_doc"])
    yield "signatures"
    yield "\n".join(score["signature"] for score in scores.values())


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


def document_report(metric, per_doc):
    """The documents that score worst, and how many are not shown."""
    order = sorted(per_doc, key=lambda doc: (per_doc[doc]["value"] is None, value_of(per_doc[doc])))
    shown = {doc: per_doc[doc] for doc in order[:SHOWN_DOCS]}
    yield f"{metric} by document, worst first"
    yield rows_table("document", shown)
    if len(order) > len(shown):
        yield f"({counted(len(order) - len(shown), 'more document')} in the JSON output: -o FILE)"


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


def right_aligned(rows, header):
    """A table whose first column stands left, the others right."""
    aligns = ("l", *"r" * (len(header) - 1))
    return table(rows, header=header, divider=True, aligns=aligns, max_col=60)
