"""What a `Diff` says of the whole corpus: scores, confusion of labels, kinds of errors."""

import json

import numpy as np

from .evaluate import evaluate
from .measures.chance.expectation import are_disjoint
from .measures.differences import CORRECT, ERRORS, MISSING, RELATIONS, SPURIOUS, UNPLACED
from .measures.gate import MODES
from .metrics.request import request

EXAMPLES = 3  # of each kind of error
MOST_LABELS = 200  # of the confusion


def summary(diff, *, scores=True):
    """Everything about the corpus as plain values, without its documents; `scores` if asked for.

    `counts`, `labels`, `confusion` and `errors` are of what the filter keeps, `scores` of all that
    both sides annotated. A label None in the confusion stands for "none": nothing on that side.
    """
    return {
        **diff.compared.described(),
        "n_docs": int(diff.gold.seen.sum()),
        "n_skipped": int((~diff.gold.seen).sum()),
        "n_differing": int((diff.counts[:, CORRECT + 1 :].sum(axis=1) > 0).sum()),
        "n_shown": len(diff.order),
        "filter": {
            "labels": list(diff.filter.labels),
            "relations": list(diff.filter.relations),
            "documents": list(diff.filter.documents),
            "equal": diff.filter.equal,
        },
        "sort": diff.sort,
        "features": diff.features,
        "counts": dict(zip(RELATIONS, diff.counts.sum(axis=0).tolist())),
        "confusion": confusion(diff),
        "errors": list(error_rows(diff)),
        "scores": scores_of(diff) if scores else {},
    }


def scores_of(diff):
    """GATE's strict, lenient and average F and the corrected span F, all labels and each.

    The chance model of the latter lets spans overlap if those of either side do.
    """
    metrics = {mode: request("gate_f", mode=mode, features=diff.features) for mode in MODES}
    if diff.compared.positions != "category":
        disjoint = are_disjoint(diff.gold) and are_disjoint(diff.pred)
        metrics["span_f"] = request("span_f", chance="disjoint" if disjoint else "overlapping")
    found = evaluate(diff.gold, diff.pred, metrics.values(), data=diff.compared.data)
    return {key: found[str(metric)].to_dict() for key, metric in metrics.items()}


def confusion(diff):
    """Pairs and single spans by label of either side; the last label is None, "none".

    `rows[i][j]` counts gold label i against predicted label j, `differences[i]` those of label i
    with any other. Of more than 200 labels those with most differences are there; `n_left_out` says
    how many are not.
    """
    none, kept = len(diff.gold.labels), diff.chosen
    loose = [rows[:, 1] for rows in diff.loose]
    one = [np.append(diff.gold.label, none)[diff.rows.gold[kept]], loose[0]]
    two = [np.append(diff.pred.label, none)[diff.rows.pred[kept]], np.full(len(loose[0]), none)]
    one.append(np.full(len(loose[1]), none))
    two.append(loose[1])
    one, two = np.concatenate(one), np.concatenate(two)
    differ = sum(np.bincount(side[one != two], minlength=none + 1) for side in (one, two))
    used = np.setdiff1d(np.union1d(one, two), [none])
    most = np.sort(used[np.argsort(-differ[used], kind="stable")][:MOST_LABELS])
    place = np.full(none + 1, -1)
    place[most], place[none] = np.arange(len(most)), len(most)
    inside = (place[one] >= 0) & (place[two] >= 0)
    table = np.zeros((len(most) + 1,) * 2, np.int64)
    np.add.at(table, (place[one[inside]], place[two[inside]]), 1)
    return {
        "labels": [diff.gold.labels[i] for i in most] + [None],
        "rows": table.tolist(),
        "differences": differ[[*most, none]].tolist(),
        "n_left_out": len(used) - len(most),
    }


def error_rows(diff):
    """Kinds of errors, the most frequent first, with examples from the worst documents."""
    rows, kept = diff.rows, diff.chosen
    rank = np.full(diff.gold.n_docs, diff.gold.n_docs)
    rank[diff.order] = np.arange(len(diff.order))
    kinds = []
    for code, name in enumerate(ERRORS[1:], 1):
        at = np.flatnonzero(kept & (rows.error == code))
        if len(at):
            relation = RELATIONS[rows.relation[at[0]]]
            worst = at[np.argsort(rank[rows.doc[at]], kind="stable")][:EXAMPLES]
            examples = [diff.pair(i) | {"document": diff.names[rows.doc[i]]} for i in worst]
            kinds.append((name, relation, len(at), examples))
    for relation, loose in zip((MISSING, SPURIOUS), diff.loose):
        if len(loose):
            docs = np.unique(loose[:, 0])
            docs = docs[np.argsort(rank[docs], kind="stable")][:EXAMPLES]
            examples = [
                pair | {"document": diff.names[doc]}
                for doc in docs
                for pair in diff.loose_rows(doc)
                if pair["relation"] == RELATIONS[relation]
            ]
            kinds.append((UNPLACED, RELATIONS[relation], len(loose), examples[:EXAMPLES]))
    for name, relation, number, examples in sorted(kinds, key=lambda kind: (-kind[2], kind[0])):
        yield {"error": name, "relation": relation, "n": number, "examples": examples}


def json_lines(found, documents):
    """The lines of a JSON object: what `summary` found and, as "documents", one document a line."""
    head = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
    yield head.removesuffix("\n}") + ","
    line = '  "documents": ['
    for place, document in enumerate(documents):
        yield line + "," * (place > 0)
        line = "    " + json.dumps(document, ensure_ascii=False, allow_nan=False)
    yield line
    yield "  ]"
    yield "}"
