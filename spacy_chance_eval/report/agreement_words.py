"""How reports speak of agreement: facts, headings, reasons, pairs in rows. Nothing is computed."""

NAMED = 6  # so many names before a reason
CATEGORY = "category"
TREE = "tree"
NEITHER = "neither used this label in the {}s that both saw"
POSITIONS = {
    "token": "tokens",
    "char": "characters",
    CATEGORY: "whole documents: each carries its labels",
}
KINDS = {
    "dependency": "dependency: heads of tokens and their relations, beneath an artificial root",
    "constituency": "constituency: words are left out, their tags are the leaves",
}
NODES = {"dependency": "tokens", "constituency": "nodes"}
# alphas of trees, and the distances that they are worked out from
DISTANCES = {"syntax_alpha": "tree edit distances", "pq_alpha": "distances of pq-gram profiles"}


def facts(result):
    """What was compared and how it was resampled, as pairs of a name and words."""
    names = [annotator["name"] for annotator in result["annotators"]]
    ways = result["resampling"]
    intervals = (
        f"{100 * ways['level']:g} % {ways['interval']} intervals from {ways['resamples']} "
        f"resamples of {ways['unit']}, seed {ways['seed']}"
    )
    items = (
        f"{result['n_docs']}: {result['n_shared']} seen by two or more annotators, "
        f"{result['n_single']} by one, {result['n_unseen']} by nobody"
    )
    sources = result.get("sources") or []
    return [
        *([("Sources", ", ".join(sources))] if sources else []),
        ("Annotators", f"{len(names)}: {', '.join(names)}"),
        (f"{document(result)}s".capitalize(), items),
        *positions(result),
        ("Intervals", intervals if ways["resamples"] else "none: no resamples were asked for"),
        ("Made by", f"spacy-chance-eval {result['version']}"),
    ]


def positions(result):
    """What was annotated and with which labels, as facts."""
    if result["positions"] != TREE:
        yield "Positions", POSITIONS[result["positions"]]
        yield "Labels", ", ".join(result["labels"]) or "none"
        return
    kind, labels = result["kind"], result["labels"]
    yield "Trees", KINDS[kind]
    yield "Labels", f"{len(labels)}: {listed(labels)}" if labels else "none"


def heading(metric):
    """The name of a metric with what its values are."""
    said = [metric["metric"]]
    said += ["corrected for chance"] * metric["corrected"]
    said += ["in bits"] * metric["bits"]
    said += ["lower is better"] * (not metric["higher_is_better"])
    return ", ".join(said)


def corrected(metric, row):
    """A value as corrected for chance; None for metrics that have no chance model."""
    return row["value"] if metric["corrected"] else None


def matrix(metric):
    """The pairs of a metric as names of columns, and rows: pairs of a name and cells.

    A cell is the row of a pair, None where there is none. If the order of two annotators changes
    nothing, each pair is there once, above the diagonal; else rows are the first (as gold) and
    columns the second. Names without a pair on their side are left out.
    """
    names = [row["annotator"] for row in metric["annotators"]]
    cells = {(pair["first"], pair["second"]): pair for pair in metric["pairs"]}
    sides = [{pair[key] for pair in metric["pairs"]} for key in ("first", "second")]
    firsts, seconds = ([name for name in names if name in side] for side in sides)
    rows = [(first, [cells.get((first, second)) for second in seconds]) for first in firsts]
    return seconds, rows


def reasons(entries):
    """Why values are undefined: lines of names and a reason, each reason once.

    Parameters
    ----------
    entries : iterable of pairs
        A name, and a mapping of parts to rows that have `value` and `reason`. Parts are named where
        the reason is not that of the whole entry.
    """
    found = {}
    for name, rows in entries:
        for part, row in rows.items():
            if row["value"] is None:
                found.setdefault(row["reason"], {}).setdefault((name, len(rows)), []).append(part)
    for reason, named in found.items():
        names = [
            name if len(parts) == n_parts else f"{name} ({listed(parts)})"
            for (name, n_parts), parts in named.items()
        ]
        yield f"{listed(names)}: {reason}"


def listed(names):
    """Names with commas; the last of many are only told in number."""
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED + 1 else []
    return ", ".join([*names[:NAMED], *more] if more else names)


def summary_reasons(result):
    """Why numbers of the summary are undefined."""
    return reasons(
        (metric["metric"], {"mean": metric["mean"], "team": metric["team"]})
        for metric in result["metrics"]
    )


def pair_reasons(metrics):
    """Why pairs have no value, with the metrics if it is not for all of them."""
    found = {}
    for metric in metrics:
        between = "and" if metric["symmetric"] else "against"
        for pair in metric["pairs"]:
            name = f"{pair['first']} {between} {pair['second']}"
            found.setdefault(name, {})[metric["metric"]] = pair
    return reasons(found.items())


def explanations(result):
    """What the numbers of the summary are, as far as metrics differ in it."""
    found = {}
    for metric in result["metrics"]:
        if metric["team"]["definition"] and metric["team"]["value"] is not None:
            found.setdefault(metric["team"]["definition"], []).append(metric["metric"])
    lines = [f"team ({', '.join(names)}): {said}" for said, names in found.items()]
    without = [metric["metric"] for metric in result["metrics"] if not metric["corrected"]]
    if result["positions"] == TREE:
        lines += of_distances((metric["metric"], metric["request"]) for metric in result["metrics"])
    return lines + ([f"without a chance model: {', '.join(without)}"] if without else [])


def of_distances(metrics):
    """What observed and expected agreement are where they come from distances of trees.

    `metrics` are pairs of a name and the name of its request.
    """
    found = {}
    for name, request in metrics:
        found.setdefault(DISTANCES.get(request.partition("(")[0]), []).append(name)
    found.pop(None, None)
    for distances, names in found.items():
        yield (
            f"{', '.join(names)}: corrected is alpha, 1 - D_o / D_e, where D_o is the mean of "
            f"squared {distances} within sentences and D_e that between any two annotations; "
            "observed is 1 - D_o and expected 1 - D_e, which have no lower end"
        )


def with_labels(result):
    """The metrics that score labels too; of spans all do."""
    if result["positions"] != TREE:
        return result["metrics"]
    return [metric for metric in result["metrics"] if metric["per_label"]]


def scores_by_label(metric):
    """What labels score: by `mean` and, for metrics that have one, `team`; then by label."""
    keys = ["mean"] + ["team"] * bool(metric["team"]["definition"])
    return {key: {row["label"]: row[key] for row in metric["per_label"]} for key in keys}


def of_label(pair, label, what="document"):
    """The row of a pair for one label: undefined where neither of the two used it."""
    if label in pair["per_label"]:
        return pair["per_label"][label]
    reason = pair["reason"] if not pair["n_docs"] else NEITHER.format(what)
    nothing = dict.fromkeys(("value", "observed", "expected", "interval", "observed_interval"))
    return {**nothing, "n_docs": pair["n_docs"], "reason": reason}


def of_documents(metric, what="document"):
    """What the documents are that a metric lists; `what` they are called, as `document` has it."""
    if any(row["cost"] is not None for row in metric["documents"]):
        return f"{what}s that cost the team most (cost: how much better it is without the {what})"
    return f"{what}s on which the pairs agree least"


def document(result):
    """What was compared one by one: documents, of trees sentences."""
    return "sentence" if result["positions"] == TREE else "document"


def has_majority(result):
    """Whether annotators are held against the majority of the others; trees have none."""
    return result["positions"] != TREE


def marked(result):
    """What annotators marked: spans, labels of whole documents, or nodes of trees."""
    if result["positions"] == TREE:
        return NODES[result["kind"]]
    return "labels" if result["positions"] == CATEGORY else "spans"


def of_pairs(result):
    """What a list of pairs of annotators says of each."""
    if result["positions"] == TREE:
        return "Trees of two annotators that differ, of the sentences that both saw"
    did = "chose" if marked(result) == "labels" else "marked"
    return (
        f"What two annotators {did} in the documents that both saw; missing: only the first did, "
        "spurious: only the second"
    )
