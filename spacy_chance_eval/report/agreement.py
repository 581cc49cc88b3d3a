"""How reports speak of agreement: facts, headings, reasons, pairs in rows. Nothing is computed."""

from textwrap import wrap

from .words import counted, interval, number, right_aligned, shown

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


WIDTH = 100  # signs; tables of several columns are divided to fit
GAP = 3  # between two columns
LONGEST = 24  # signs of a name above a column; rows have names in full
BY_LABEL = 4  # metrics in the table of labels


def agreement_text(result, *, worst=10):
    """All tables of an agreement, as one text that fits 100 columns.

    Parameters
    ----------
    result : dict
        As `agreement` makes it. It may have a `title` and a list of `sources`.
    worst : int or None
        How many documents to list; None for all that the result names.
    """
    return "\n".join(parts(result, worst))


def parts(result, worst):
    """The pieces of the text, in order."""
    if result.get("title"):
        yield f"\n{shown(result['title'])}"
    width = max(len(name) for name, _ in facts(result))
    for name, said in facts(result):
        yield indented(shown(said), f"  {name:{width}}  ")
    if result["notes"]:
        yield "\nnotes"
        yield from (indented(shown(note), "  ") for note in result["notes"])
    yield from summary(result)
    yield from pair_tables(result["metrics"], document(result))
    for metric in result["metrics"][:1]:
        yield from annotator_tables(result, metric)
    yield from label_tables(result)
    for metric in result["metrics"][:1]:
        yield from document_table(metric, worst, document(result))
    yield "signatures"
    yield "\n".join(shown(metric["signature"]) for metric in result["metrics"])


def summary(result):
    """The table of metrics: mean of the pairs, and team."""
    metrics = result["metrics"]
    means, teams = ([metric[key] for metric in metrics] for key in ("mean", "team"))
    limits = bool(result["resampling"]["resamples"])
    scores = [
        column("observed", (number(row["observed"]) for row in means)),
        column("expected", (number(row["expected"]) for row in means)),
        column("corrected", (number(corrected(m, m["mean"])) for m in metrics)),
    ]
    groups = [
        scores + [column("interval", (interval(row["interval"]) for row in means))] * limits,
        [column("pairs", (f"{row['n_pairs']} ({row['n_docs']})" for row in means))],
        with_limits("team", teams, limits),
    ]
    names = [metric["metric"] + ", bits" * metric["bits"] for metric in metrics]
    shared = f"shared {document(result)}s"
    yield f"\nsummary: mean of the pairs (number of them, {shared}), and the team"
    yield from in_blocks("metric", names, groups)
    yield from remarks(explanations(result), "to read it")
    yield from remarks(summary_reasons(result))


def pair_tables(metrics, what):
    """The matrix of pairs of each metric, then all reasons."""
    drawn = [metric for metric in metrics[:1] if metric["pairs"]]
    drawn += [metric for metric in metrics[1:] if len(metric["pairs"]) > 1]  # else it is the mean
    for metric in drawn:
        yield from pair_table(metric, what)
    yield from remarks(pair_reasons(drawn))


def pair_table(metric, what):
    """One matrix of pairs, with the number of documents that both saw."""
    columns, rows = matrix(metric)
    sides = "" if metric["symmetric"] else "; rows: first, as gold; columns: second"
    groups = [
        [column(short(name), (pair_cell(cells[place]) for _, cells in rows))]
        for place, name in enumerate(columns)
    ]
    yield f"{shown(heading(metric))}: pairs of annotators ({what}s that both saw){sides}"
    yield from in_blocks("", [name for name, _ in rows], groups)


def pair_cell(pair):
    """The value of a pair, and the documents that both saw; nothing where there is no such pair."""
    return "" if pair is None else f"{number(pair['value'])} ({pair['n_docs']})"


def annotator_tables(result, metric):
    """Each annotator against the others, and against their majority where there is such."""
    parts = ["others"] + ["majority"] * has_majority(result)
    rows, limits = metric["annotators"], bool(result["resampling"]["resamples"])
    about = {annotator["name"]: annotator for annotator in result["annotators"]}
    about = [about[row["annotator"]] for row in rows]
    unplaced = any(annotator["n_unplaced"] for annotator in about)
    others = [row["others"] for row in rows]
    groups = [
        [column(f"{document(result)}s", (number(one["n_docs"]) for one in about))],
        [column(marked(result), (number(one["n_spans"]) for one in about))],
        [column("unplaced", (number(one["n_unplaced"]) for one in about))] * unplaced,
        with_limits("others", others, limits)
        + [column("shared", (number(row["n_docs"]) for row in others))],
        *(with_limits(key, [row[key] for row in rows], limits) for key in parts[1:]),
    ]
    names = [row["annotator"] for row in rows]
    majority = ", and against their majority" * has_majority(result)
    yield f"{shown(heading(metric))}: annotators against the others{majority}"
    yield from in_blocks("annotator", names, groups)
    undefined = [(row["annotator"], {key: row[key] for key in parts}) for row in rows]
    yield from remarks(reasons(undefined))


def label_tables(result):
    """Mean of the pairs and team by label, for the first metrics."""
    every = with_labels(result)
    metrics = every[:BY_LABEL]
    first = metrics[0]["per_label"] if metrics else []
    if not first:
        return
    labels = [row["label"] for row in first]
    groups = [[column(marked(result), (number(row["n_spans"]) for row in first))]]
    undefined = []
    for metric in metrics:
        found = scores_by_label(metric)
        rows = {key: [by_label[label] for label in labels] for key, by_label in found.items()}
        groups.append([column(key, (number(row["value"]) for row in rows[key])) for key in rows])
        groups[-1][0][0] = shown(metric["metric"])  # above the means
        undefined += [(f"{metric['metric']}, {key}", by_label) for key, by_label in found.items()]
    more = len(every) - len(metrics)
    others = f" ({counted(more, 'more metric')} in the JSON output)" if more else ""
    shared = counted(result["n_shared"], document(result))
    yield f"labels: mean of the pairs, and the team, in {shared}{others}"
    yield from in_blocks("label", labels, groups)
    yield from remarks(reasons(undefined))


def document_table(metric, worst, what):
    """The documents that cost the team most, or those on which the pairs agree least.

    Of trees, they are sentences and have a distance, if the metric has: the mean of their pairs.
    """
    rows = metric["documents"][:worst]
    if not rows:
        return
    distances = [row.get("distance") for row in rows]
    far = any(distance is not None for distance in distances)
    columns = [
        column("annotators", (number(row["n_annotators"]) for row in rows)),
        *[column("distance", map(number, distances))] * far,
        column("observed", (number(row["observed"]) for row in rows)),
        column("expected", (number(row["expected"]) for row in rows)),
        column("corrected", (number(corrected(metric, row)) for row in rows)),
        column("cost", (number(row["cost"]) for row in rows)),
    ]
    yield f"{shown(metric['metric'])}: {of_documents(metric, what)}"
    if far:
        yield "(distance: mean tree edit distance of the pairs)"
    yield from in_blocks(what, [row["document"] for row in rows], [columns])
    more = len(metric["documents"]) - len(rows)
    if more:
        yield f"({counted(more, f'more {what}')} in the JSON output)\n"


def column(title, cells):
    """One column of a table: its title and its cells."""
    return [title, *cells]


def with_limits(title, rows, limits):
    """The columns of values and of their intervals, where there are such."""
    values = [column(title, (number(row["value"]) for row in rows))]
    return values + [column("interval", (interval(row["interval"]) for row in rows))] * limits


def in_blocks(what, names, groups):
    """Tables that fit the width, each with the names; columns of a group stay together.

    Rows without anything in a table are left out of it.
    """
    first = column(what, map(shown, names))
    block, used = [], width_of(first)
    for group in filter(None, groups):
        needed = sum(GAP + width_of(one) for one in group)
        if block and used + needed > WIDTH:
            yield joined(first, block).rstrip("\n")
            block, used = [], width_of(first)
        block, used = [*block, *group], used + needed
    if block:
        yield joined(first, block)


def width_of(cells):
    """The width of a column."""
    return max(map(len, cells))


def joined(first, columns):
    """Columns as one table."""
    header, *rows = zip(first, *columns)
    return right_aligned([row for row in rows if any(row[1:])], header)


def remarks(lines, what="undefined"):
    """Remarks beneath a table."""
    lines = [indented(shown(line), "  ") for line in lines]
    if lines:
        yield "\n".join([what, *lines]) + "\n"


def indented(said, start):
    """Words in lines that fit the width; the first begins as told, the others beneath."""
    lines = wrap(said, WIDTH - len(start), break_long_words=False, break_on_hyphens=False)
    return start + f"\n{' ' * len(start)}".join(lines)


def short(name):
    """A name above a column: the middle of a long one is left out."""
    name, half = shown(name), LONGEST // 2 - 1
    return name if len(name) <= LONGEST else f"{name[:half]}..{name[-half:]}"
