"""Agreement of annotators as text, and the parts that text and pages share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..corpora.jobs import CATEGORY_METRICS, SPAN_METRICS
from ..measures.spans import ANY_LABEL
from ..metrics.catalog import USUAL
from ..scoring.statistics import SCORED, headline
from .tables import (
    Column,
    column,
    detail_lines,
    indent,
    short_title,
    signature_lines,
    warning_lines,
    wide_tables,
)
from .words import (
    ALIKE,
    DASH,
    NODES,
    TREE,
    Details,
    Result,
    TableRow,
    against_chance,
    brief,
    brief_interval,
    count_word,
    digits_apart,
    few,
    in_sentence,
    includes_chance,
    interval_of,
    interval_text,
    is_nothing,
    number,
    part_columns,
    printable,
    quantity,
    sample_words,
)

CATEGORY = "category"
POSITIONS = {
    "token": "tokens",
    "char": "characters",
    CATEGORY: "whole documents: each carries its labels",
}
KINDS = {
    "dependency": "dependency: heads of tokens and their relations, beneath an artificial root",
    "constituency": "constituency: words are left out, their tags are the leaves",
}
# alphas of trees, and the distances that they are computed from
DISTANCES = {"syntax_alpha": "tree edit distances", "pq_alpha": "distances of pq-gram profiles"}
NEITHER = "neither used this label in the {}s that both saw"
ONE_LABEL = "labels=ignore makes all labels one, *, which other metrics do not have"
MATRIX = 40  # annotators: a matrix of the pairs of more has no room, tables show some of them
NAMED = 6  # names before a reason; of more only their number
SUMMARY = ("observed", "corrected", "interval", "team")  # columns of the summary
BUSIEST, WORST = 10, 10  # of a crowd: annotators with most documents, and who agree least
ENOUGH = 10  # shared documents from which on it says something that an annotator agrees least


def agreement_text(result: Result, *, worst: int | None = 10) -> str:
    """All tables of an agreement, as one text that fits 100 columns.

    Parameters
    ----------
    result : dict
        An agreement as plain values. It may have a `title` and a list of `sources`.
    worst : int or None
        How many documents to list; None for all that the result names.
    """
    return "\n".join(_text_parts(result, worst))


def agreement_summary(result: Result) -> str:
    """The agreement by each metric, the pairs and labels by the first, and what to do next.

    It fits on a screen, but for many annotators.
    """
    return "\n".join(_screen(excerpt(result)))


# --- parts that text and pages share


def excerpt(result: Result) -> Result:
    """The part of a result that tables and pages show: all of it, unless it is of a crowd.

    Of a crowd they show the annotators with most shared documents, with the matrix of their pairs,
    and those who agree least with the others, of whom share enough. A note says how many are left
    out.
    """
    everyone = result["annotators"]
    if len(everyone) <= MATRIX:
        return result
    busiest = busiest_annotators(result)
    metrics = [_some_annotators(metric, busiest) for metric in result["metrics"]]
    item, n_pairs = item_name(result), max(len(metric["pairs"]) for metric in result["metrics"])
    shown = f"the {BUSIEST} with most {item}s that another saw"
    if has_pairs(result):
        shown += (
            f", the matrix of their pairs, and the {WORST} who agree least with the others (of "
            f"{ENOUGH} shared {item}s or more, if there are any)"
        )
    every = f"all {len(everyone)}" + f" and {n_pairs} pairs that share {item}s" * bool(n_pairs)
    note = f"of {len(everyone)} annotators, tables show {shown}; {every} are in the JSON output"
    return {**result, "metrics": metrics, "notes": [*result["notes"], note]}


def busiest_annotators(result: Result) -> list[str]:
    """The annotators whose pairs are shown: all, or those of a crowd with most shared documents."""
    everyone = result["annotators"]
    if len(everyone) > MATRIX:
        everyone = sorted(everyone, key=lambda one: (-one["n_shared"], one["name"]))[:BUSIEST]
    return [annotator["name"] for annotator in everyone]


def _some_annotators(metric: Result, busiest: Sequence[str]) -> Result:
    """A metric with the rows of the busiest annotators, of their pairs, and of the worst."""
    rows = {row["annotator"]: row for row in metric["annotators"]}
    scored = [row for row in rows.values() if headline(row["others"]) is not None]
    enough = [row for row in scored if row["others"]["n_docs"] >= ENOUGH] or scored
    sign = 1 if metric["higher_is_better"] else -1
    worst = sorted(enough, key=lambda row: (sign * headline(row["others"]), row["annotator"]))
    names = dict.fromkeys([*busiest, *(row["annotator"] for row in worst[:WORST])])
    pairs = [one for one in metric["pairs"] if {one["first"], one["second"]} <= set(busiest)]
    return {**metric, "annotators": [rows[name] for name in names], "pairs": pairs}


def heading(result: Result) -> str:
    """The title, by default from the names of up to three annotators or of the only source."""
    title, sources = result.get("title") or "", result.get("sources") or []
    if not title or title not in (", ".join(sources), " and ".join(sources)):
        return title
    if len(sources) == 1:
        return str(sources[0]).rstrip("/").rpartition("/")[2]
    names = [annotator["name"] for annotator in result["annotators"]]
    return in_sentence(names) if len(names) < 4 else f"{len(names)} annotators"


def agreement_details(result: Result) -> Details:
    """The data, and how they were resampled."""
    names = [annotator["name"] for annotator in result["annotators"]]
    ways = result["resampling"]
    intervals = (
        f"{100 * ways['level']:g} % {ways['interval']} intervals from {ways['resamples']} "
        f"resamples of {ways['unit']}{sample_words(ways)}, seed {ways['seed']}"
    )
    sentences = result.get("n_sentences")
    known = "" if sentences is None else f" ({quantity(sentences, 'sentence')})"
    items = (
        f"{result['n_docs']}{known}: {result['n_shared']} seen by two or more annotators, "
        f"{result['n_single']} by one, {result['n_unseen']} by nobody"
    )
    sources = result.get("sources") or []
    who = ("Annotators", f"{len(names)}: {_listing(names, MATRIX)}")
    return [
        *([("Sources", ", ".join(sources))] if sources else []),
        *([who] if annotator_name(result) == "annotator" else []),
        (f"{item_name(result)}s".capitalize(), items),
        *_annotation_details(result),
        ("Intervals", intervals if ways["resamples"] else "none: no resamples were asked for"),
        ("Made by", f"spacy-chance-eval {result['version']}"),
    ]


def _annotation_details(result: Result) -> Details:
    """The annotated layer, and its labels."""
    labels = result["labels"]
    if result["positions"] != TREE:
        positions = POSITIONS[result["positions"]]
        return [("Positions", positions), ("Labels", ", ".join(labels) or "none")]
    relations = f"{len(labels)}: {_listing(labels)}" if labels else "none"
    return [("Trees", KINDS[result["kind"]]), ("Labels", relations)]


def item_name(result: Result) -> str:
    """The name of an item: document, or sentence of treebanks."""
    return "sentence" if result["positions"] == TREE else "document"


def annotator_name(result: Result) -> str:
    """The name of an annotator, or of a source of `score`."""
    name: str = result.get("annotator_name", "annotator")
    return name


def mark_name(result: Result) -> str:
    """The kind of items annotated: spans, labels of whole documents, or nodes of trees."""
    if result["positions"] == TREE:
        return NODES[result["kind"]]
    return "labels" if result["positions"] == CATEGORY else "spans"


def has_majority(result: Result) -> bool:
    """Whether annotators are compared with the majority of the others; trees have none."""
    return result["positions"] != TREE


def metric_heading(metric: Result) -> str:
    """The name of a metric, and what its values are."""
    parts = [metric["metric"]]
    parts += ["corrected for chance"] * metric["is_corrected"]
    parts += ["in bits"] * metric["bits"]
    parts += ["lower is better"] * (not metric["higher_is_better"])
    return ", ".join(parts)


def metrics_with_labels(result: Result) -> list[Result]:
    """The metrics that score labels too; of spans all do."""
    if result["positions"] != TREE:
        return result["metrics"]
    return [metric for metric in result["metrics"] if metric["per_label"]]


def has_pairs(result: Result) -> bool:
    """Whether annotators were also compared pair by pair, not as a team only."""
    return bool(result.get("pairs", True))  # which results of older versions lack


def scores_by_label(metric: Result, pairs: bool = True) -> dict[str, dict[str, Result]]:
    """Scores of labels: under `mean` and, for metrics that have one, `team`, by label.

    Without `pairs`, of the team only.
    """
    keys = ["mean"] + ["team"] * bool(metric["team"]["definition"]) if pairs else ["team"]
    return {key: {row["label"]: row[key] for row in metric["per_label"]} for key in keys}


def rows_of_labels(metrics: Iterable[Result]) -> list[Result]:
    """A row for each label that any metric scores: those that ignore labels have one, "*"."""
    rows: dict[str, Result] = {}
    for metric in metrics:
        for row in metric["per_label"]:
            rows.setdefault(row["label"], row)
    return list(rows.values())


def label_scores(pair: Result, label: str, item: str = "document") -> Result:
    """The scores of a pair for one label: undefined where neither of the two used it."""
    if label in pair["per_label"]:
        return pair["per_label"][label]
    reason = NEITHER.format(item)
    if pair["per_label"] and ANY_LABEL in (label, *pair["per_label"]):
        reason = ONE_LABEL
    nothing = {name: None for name in SCORED if name in pair}
    return {**nothing, "n_docs": pair["n_docs"], "reason": reason}


def pair_matrix(metric: Result) -> tuple[list[str], list[tuple[str, list[Result | None]]]]:
    """The pairs of a metric as names of columns, and rows of a name and cells.

    A cell is the row of a pair, None where there is none. If the order of two annotators changes
    nothing, each pair is there once, above the diagonal; else rows are the first (as gold) and
    columns the second. Names without a pair in their place are left out.
    """
    names = sorted(row["annotator"] for row in metric["annotators"])
    cells = {(pair["first"], pair["second"]): pair for pair in metric["pairs"]}
    sides = [{pair[key] for pair in metric["pairs"]} for key in ("first", "second")]
    firsts, seconds = ([name for name in names if name in side] for side in sides)
    rows = [(first, [cells.get((first, second)) for second in seconds]) for first in firsts]
    return seconds, rows


def reasons(entries: Iterable[tuple[str, Mapping[str, Result]]]) -> Iterator[str]:
    """Why values are undefined: lines of names and a reason, each reason once.

    Parameters
    ----------
    entries : iterable of pairs
        A name, and a mapping of parts to rows of scores that have a `reason`. Parts are named where
        the reason is not that of the whole entry.
    """
    entries_by_reason: dict[str, dict[tuple[str, int], list[str]]] = {}
    for name, rows in entries:
        for part, row in rows.items():
            if headline(row) is None:
                known = entries_by_reason.setdefault(row["reason"], {})
                known.setdefault((name, len(rows)), []).append(part)
    for reason, named in entries_by_reason.items():
        names = [
            name if len(parts) == n_parts else f"{name} ({_listing(parts)})"
            for (name, n_parts), parts in named.items()
        ]
        yield f"{_listing(names)}: {reason}"


def summary_reasons(result: Result) -> list[str]:
    """Why numbers of the summary are undefined."""
    keys = ("mean", "team") if has_pairs(result) else ("team",)
    return list(
        reasons(
            (metric["metric"], {key: metric[key] for key in keys}) for metric in result["metrics"]
        )
    )


def pair_reasons(metrics: Iterable[Result]) -> list[str]:
    """Why pairs have no value, with the metrics if it is not for all of them."""
    pairs: dict[str, dict[str, Result]] = {}
    for metric in metrics:
        between = "and" if metric["symmetric"] else "against"
        for pair in metric["pairs"]:
            name = f"{pair['first']} {between} {pair['second']}"
            pairs.setdefault(name, {})[metric["metric"]] = pair
    return list(reasons(pairs.items()))


def explanations(result: Result) -> list[str]:
    """Definitions of the numbers in the summary, where metrics differ."""
    definitions: dict[str, list[str]] = {}
    for metric in result["metrics"]:
        if metric["team"]["definition"] and headline(metric["team"]) is not None:
            definitions.setdefault(metric["team"]["definition"], []).append(metric["metric"])
    lines = [f"team ({', '.join(names)}): {text}" for text, names in definitions.items()]
    without = [metric["metric"] for metric in result["metrics"] if not metric["is_corrected"]]
    if result["positions"] == TREE:
        requests = ((metric["metric"], metric["request"]) for metric in result["metrics"])
        lines += distance_notes(requests)
        lines += _sample_notes(result["metrics"])
    return lines + ([f"without a chance model: {', '.join(without)}"] if without else [])


def _sample_notes(metrics: Iterable[Result]) -> Iterator[str]:
    """How far off values are where pairs of trees were drawn for D_e."""
    for metric in metrics:
        error = metric["team"].get("standard_error")
        if error:
            yield (
                f"{metric['metric']}: D_e is estimated from pairs that were drawn, which gives the "
                f"value a standard error of {number(error)}, part of its intervals"
            )


def distance_notes(metrics: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The meaning of observed and expected disagreement for distances between trees.

    Each of `metrics` is a metric's name and the name of its request.
    """
    by_distance: dict[str, list[str]] = {}
    for name, request in metrics:
        if distances := DISTANCES.get(request.partition("(")[0]):
            by_distance.setdefault(distances, []).append(name)
    for distances, names in by_distance.items():
        yield (
            f"{', '.join(names)}: corrected is alpha, 1 - D_o / D_e; the observed disagreement D_o "
            f"is the mean of squared {distances} within sentences, the expected D_e that between "
            "any two annotations"
        )


def documents_caption(metric: Result, item: str = "document", whom: str = "the team ") -> str:
    """The caption of the documents that a metric lists; `item` is their name."""
    if any(row["cost"] is not None for row in metric["documents"]):
        return f"{item}s that cost {whom}most (cost: how much better it is without the {item})"
    return f"{item}s on which the pairs agree least"


def pairs_caption(result: Result) -> str:
    """The entries of a list of pairs of annotators."""
    if result["positions"] == TREE:
        return f"Trees of two {annotator_name(result)}s that differ, of the sentences that both saw"
    verb = "chose" if mark_name(result) == "labels" else "marked"
    return (
        f"What two annotators {verb} in the documents that both saw; missing: only the first did, "
        "spurious: only the second"
    )


def _listing(names: Sequence[str], most: int = NAMED + 1) -> str:
    """Names with commas; of more than `most` only the first, and how many more there are."""
    more = [f"{len(names) - NAMED} more"] if len(names) > most else []
    return ", ".join([*names[:NAMED], *more] if more else names)


# --- text


def _screen(result: Result) -> Iterator[str]:
    """The lines of the summary."""
    main, n_annotators = result["metrics"][0], len(result["annotators"])
    shared = f"{quantity(result['n_shared'], item_name(result))} that two or more saw"
    yield f"\n{printable(heading(result))}: {shared}"
    details = agreement_details(result)
    yield from detail_lines([one for one in details if one[0] in ("Annotators", "Intervals")])
    yield from warning_lines(result)
    yield from (indent(printable(note), "  ") for note in result["notes"])
    names, groups = summary_columns(result)
    yield "\nmean of the pairs, and the team" if has_pairs(result) else "\nthe team"
    shown = [[one for one in group if one[0] in SUMMARY] for group in groups]
    yield from _close(wide_tables("metric", names, [sum(shown, [])]))
    yield from _remarks(summary_reasons(result))
    if main["pairs"] and n_annotators > 2:
        columns, rows = pair_matrix(main)
        groups = [
            [column(short_title(name), (number(headline(one)) if one else "" for one in cells))]
            for name, cells in zip(columns, zip(*(cells for _, cells in rows)))
        ]
        yield f"{printable(metric_heading(main))}, of each pair"
        yield from _close(wide_tables("", [name for name, _ in rows], groups))
        yield from _remarks(pair_reasons([main]))
    score = "mean" if has_pairs(result) else "team"
    by_label = sorted(main["per_label"], key=lambda row: headline(row[score]) or 0)
    labels = [f"{printable(row['label'])} {number(headline(row[score]))}" for row in by_label]
    if labels:
        text = _listing(labels)
        yield indent(f"labels by {printable(main['metric'])}, the least first: {text}", "  ")
    yield printable(main["signature"])
    more = "; other alphas: -m alpha_u -m cu_alpha" if "u_alpha" in names else ""
    yield f"next: --top 10 (all tables), -o pages/{more}"


def _close(lines: Iterable[str]) -> Iterator[str]:
    """The lines of tables, of which only the last has an empty one below it."""
    texts = [line for text in lines for line in text.split("\n") if line]
    yield from texts
    yield ""


def _text_parts(result: Result, worst: int | None) -> Iterator[str]:
    result = excerpt(result)
    if result.get("title"):
        yield f"\n{printable(result['title'])}"
    yield from detail_lines(agreement_details(result), wrapped=True)
    yield from warning_lines(result)
    if result["notes"]:
        yield "\nnotes"
        yield from (indent(printable(note), "  ") for note in result["notes"])
    yield from _summary(result)
    yield from _pair_tables(result["metrics"], item_name(result))
    for metric in result["metrics"][:1]:
        yield from _annotator_tables(result, metric)
    yield from _label_tables(result)
    names = tuple(metric["metric"] for metric in result["metrics"])
    usual = names in (SPAN_METRICS, CATEGORY_METRICS, *USUAL.values())
    for metric in result["metrics"][: 1 if usual else None]:
        yield from _document_table(metric, worst, item_name(result))
    yield from signature_lines(metric["signature"] for metric in result["metrics"])


def summary_columns(result: Result) -> tuple[list[str], list[list[Column]]]:
    """Names of the metrics, and groups of columns: mean of the pairs, number of pairs, team."""
    metrics, pairs = result["metrics"], has_pairs(result)
    means, teams = ([metric[key] for metric in metrics] for key in ("mean", "team"))
    rows = means if pairs else teams
    limits = bool(result["resampling"]["resamples"])
    parts = [column(title, cells) for title, cells in part_columns(rows)]
    scores = [column("corrected", (number(row.get("corrected")) for row in rows))]
    scores += [column("interval", (interval_text(interval_of(row)) for row in rows))] * limits
    groups = [
        parts[:2] + scores,
        parts[2:],
        [column("pairs", (f"{row['n_pairs']} ({row['n_docs']})" for row in means))],
        _with_limits("team", teams, limits),
    ]
    names = [metric["metric"] + ", bits" * metric["bits"] for metric in metrics]
    return names, list(filter(None, groups if pairs else groups[:2]))


def _summary(result: Result) -> Iterator[str]:
    """The table of metrics, with the mean of the pairs and the team."""
    names, groups = summary_columns(result)
    shared = f"shared {item_name(result)}s"
    heading = f"mean of the pairs (number of them, {shared}), and the team"
    heading = heading if has_pairs(result) else "the team"
    yield f"\nsummary: {heading}"
    yield from wide_tables("metric", names, groups)
    yield from _remarks(explanations(result), "to read it")
    yield from _remarks(summary_reasons(result))


def _pair_tables(metrics: Sequence[Result], item: str) -> Iterator[str]:
    """The matrix of pairs of each metric, then all reasons."""
    drawn = [metric for metric in metrics[:1] if metric["pairs"]]
    drawn += [metric for metric in metrics[1:] if len(metric["pairs"]) > 1]  # else it is the mean
    for metric in drawn:
        columns, rows = pair_matrix(metric)
        sides = "" if metric["symmetric"] else "; rows: first, as gold; columns: second"
        groups = [
            [column(short_title(name), (pair_cell(cells[i]) for _, cells in rows))]
            for i, name in enumerate(columns)
        ]
        heading = printable(metric_heading(metric))
        yield f"{heading}: pairs of annotators ({item}s that both saw){sides}"
        yield from wide_tables("", [name for name, _ in rows], groups)
    yield from _remarks(pair_reasons(drawn))


def pair_cell(pair: Result | None) -> str:
    """The value of a pair and the number of documents that both saw; empty without such a pair."""
    return "" if pair is None else f"{number(headline(pair))} ({pair['n_docs']})"


def _annotator_tables(result: Result, metric: Result) -> Iterator[str]:
    """Each annotator against the others, and against their majority where there is one."""
    parts = ["others"] + ["majority"] * has_majority(result)
    rows, limits = metric["annotators"], bool(result["resampling"]["resamples"])
    by_name = {annotator["name"]: annotator for annotator in result["annotators"]}
    annotators = [by_name[row["annotator"]] for row in rows]
    unplaced = any(annotator["n_unplaced"] for annotator in annotators)
    others = [row["others"] for row in rows]
    groups = [
        [column(f"{item_name(result)}s", (number(one["n_docs"]) for one in annotators))],
        [column(mark_name(result), (number(one["n_spans"]) for one in annotators))],
        [column("unplaced", (number(one["n_unplaced"]) for one in annotators))] * unplaced,
        _with_limits("others", others, limits)
        + [column("shared", (number(row["n_docs"]) for row in others))],
        *(_with_limits(key, [row[key] for row in rows], limits) for key in parts[1:]),
    ]
    names = [row["annotator"] for row in rows]
    if not has_pairs(result):
        yield "annotators"
        yield from wide_tables("annotator", names, groups[: 2 + unplaced])
        return
    majority = ", and against their majority" * has_majority(result)
    yield f"{printable(metric_heading(metric))}: annotators against the others{majority}"
    yield from wide_tables("annotator", names, groups)
    undefined = [(row["annotator"], {key: row[key] for key in parts}) for row in rows]
    yield from _remarks(reasons(undefined))


def label_columns(
    result: Result,
) -> tuple[list[str], list[list[Column]], list[tuple[str, dict[str, Result]]]]:
    """The labels, groups of columns (spans, then each metric), and entries for `reasons`."""
    metrics = metrics_with_labels(result)
    rows = rows_of_labels(metrics)
    labels = [row["label"] for row in rows]
    groups = [[column(mark_name(result), (number(row["n_spans"]) for row in rows))]]
    undefined: list[tuple[str, dict[str, Result]]] = []
    pairs = has_pairs(result)
    for metric in metrics:
        scores = scores_by_label(metric, pairs)
        titles = [printable(metric["metric"]), *list(scores)[1:]]  # its name is above the means
        groups.append(
            [
                column(title, (_label_cell(by_label.get(label)) for label in labels))
                for title, by_label in zip(titles, scores.values())
            ]
        )
        undefined += [(f"{metric['metric']}, {key}", by_label) for key, by_label in scores.items()]
    return labels, groups, undefined


def _label_cell(row: Result | None) -> str:
    return DASH if row is None else number(headline(row))


def _label_tables(result: Result) -> Iterator[str]:
    """Tables of labels with the mean of the pairs and the team."""
    labels, groups, undefined = label_columns(result)
    if not labels:
        return
    shared = quantity(result["n_shared"], item_name(result))
    means = "mean of the pairs, and " * has_pairs(result)
    yield f"labels: {means}the team, in {shared}"
    yield from wide_tables("label", labels, groups)
    yield from _remarks(reasons(undefined))


def _document_table(metric: Result, worst: int | None, item: str) -> Iterator[str]:
    """The documents that cost the team most, or those on which the pairs agree least.

    Sentences of treebanks have a distance, if the metric has: the mean of their pairs.
    """
    rows: Sequence[TableRow] = metric["documents"][:worst]
    if not rows:
        return
    distances = [row.get("distance") for row in rows]
    has_distances = any(distance is not None for distance in distances)
    columns = [
        column("annotators", (number(row["n_annotators"]) for row in rows)),
        *[column("distance", map(number, distances))] * has_distances,
        *(column(title, cells) for title, cells in part_columns(rows)),
        column("corrected", (number(row.get("corrected")) for row in rows)),
        column("cost", (number(row["cost"]) for row in rows)),
    ]
    yield f"{printable(metric['metric'])}: {documents_caption(metric, item)}"
    if has_distances:
        yield "(distance: mean tree edit distance of the pairs)"
    yield from wide_tables(item, [row["document"] for row in rows], [columns])
    more = len(metric["documents"]) - len(rows)
    if more:
        yield f"({quantity(more, f'more {item}')} in the JSON output)\n"


def _with_limits(title: str, rows: Sequence[Result], limits: bool) -> list[Column]:
    """The columns of values and, if there are `limits`, of their intervals."""
    values = [column(title, (number(headline(row)) for row in rows))]
    return values + [column("interval", (interval_text(interval_of(row)) for row in rows))] * limits


def _remarks(lines: Iterable[str], title: str = "undefined") -> Iterator[str]:
    """Lines beneath a table, if there are any."""
    lines = [indent(printable(line), "  ") for line in lines]
    if lines:
        yield "\n".join([title, *lines]) + "\n"


# --- verdicts


def agreement_verdict(result: Result) -> str:
    """Summary of an agreement: its strength, the weakest pair, best and worst labels.

    The sentences are about `main_metric`. They are plain text: names are not escaped.
    """
    metric = main_metric(result)
    if metric is None:
        return ""
    found, value = first_pair(result), headline(whole_score(result, metric))
    least = headline(found["pair"]) if found else value
    digits = 2 if value is None else digits_apart(value, least)
    parts = [_whole(result, metric, digits), *_least_pair(result, found, digits)]
    return " ".join([*parts, *_labels(result, metric)])


def pair_verdict(result: Result, names: Sequence[str], n_differing: int) -> str:
    """Summary of a pair of annotators: agreement by the main metric, number of differences.

    For an asymmetric metric, the order with the lower agreement is used.
    """
    metric, item = main_metric(result), item_name(result)
    if metric is None:
        return ""
    rows = [row for row in metric["pairs"] if {row["first"], row["second"]} == {*names}]
    row = next(iter([*_scored_pairs({**metric, "pairs": rows}, {*names}), *rows]), None)
    if row is None:
        return ""
    who = " and ".join(names)
    differ = f"They differ in {n_differing:,} of {quantity(row['n_docs'], item)} that both saw."
    by = f"by {metric['metric']}"
    if not metric["symmetric"]:
        by += f" with {row['first']} as gold"
    if headline(row) is None:
        return f"The agreement of {who} {by} is undefined: {row['reason']}. {differ}"
    return f"{who} {_degree(metric, row, by)}. {differ}"


def main_metric(result: Result) -> Result | None:
    """The metric of a summary; None without metrics.

    It is the first metric with a corrected score of all annotators, or else with any score of all
    annotators, or else the first metric.
    """
    metrics: Sequence[Result] = result["metrics"]
    defined = [one for one in metrics if headline(whole_score(result, one)) is not None]
    corrected = [one for one in defined if one["is_corrected"]]
    return next(iter([*corrected, *defined, *metrics]), None)


def whole_score(result: Result, metric: Result) -> Result:
    """The score of all annotators: the mean of their pairs or, without pairs, of the team."""
    score: Result = metric["mean"] if has_pairs(result) else metric["team"]
    return score


def first_pair(result: Result) -> TableRow | None:
    """The pair of annotators to look at first, which agrees least by the main metric.

    Pairs that share fewer than ten documents count only if no pair shares more; of a crowd those
    of its busiest annotators, whose pairs are shown. None where fewer than two pairs have a score,
    or all have the same.

    Returns
    -------
    dict or None
        `first` and `second`; `pair`, its row; `metric`; `n_alike`, how many pairs agree no better;
        and `reason`, in words.
    """
    metric = main_metric(result)
    among = set(busiest_annotators(result))
    rows = _scored_pairs(metric, among) if metric else []
    if metric is None or len(rows) < 2:
        return None
    sign = _sign(metric)
    rows.sort(key=lambda row: (sign * headline(row), -row["n_docs"], row["first"], row["second"]))
    worst, best = rows[0], rows[-1]
    alike = [row for row in rows if abs(headline(row) - headline(worst)) < ALIKE]
    if abs(headline(best) - headline(worst)) < ALIKE:
        return None
    mean, item = headline(metric["mean"]), item_name(result)
    than = f", against {number(mean)} on average" if mean is not None else ""
    extreme = "lowest" if sign > 0 else "highest"
    often = f" that share {ENOUGH} {item}s or more" * (worst["n_docs"] >= ENOUGH)
    reason = (
        f"their {metric['metric']}, {number(headline(worst))} in "
        f"{quantity(worst['n_docs'], item)} that both saw, is the {extreme} of the {len(rows)} "
        f"pairs{often}{than}"
    )
    names = {"first": worst["first"], "second": worst["second"]}
    return {**names, "pair": worst, "metric": metric, "n_alike": len(alike), "reason": reason}


def _scored_pairs(metric: Result, among: set[str]) -> list[Result]:
    """The pairs with a score among some annotators, with the lower score of both orders.

    Of its two orders it is the one that agrees less.
    """
    rows: dict[frozenset[str], Result] = {}
    sign = _sign(metric)
    for row in metric["pairs"]:
        key = frozenset((row["first"], row["second"]))
        if headline(row) is None or not key <= among:
            continue
        if key not in rows or sign * headline(row) < sign * headline(rows[key]):
            rows[key] = row
    enough = [row for row in rows.values() if row["n_docs"] >= ENOUGH]
    return enough or list(rows.values())


def _sign(metric: Result) -> int:
    return 1 if metric["higher_is_better"] else -1


def _whole(result: Result, metric: Result, digits: int) -> str:
    """The sentence on all annotators."""
    names = [annotator["name"] for annotator in result["annotators"]]
    score, n = whole_score(result, metric), len(names)
    who = f"{names[0]} and {names[1]}" if n == 2 else f"{count_word(n)} annotator{'s' * (n != 1)}"
    by = f"by {metric['metric']}"
    if headline(score) is None:
        return f"The agreement of {who} {by} is undefined: {score['reason']}."
    if n > 2:
        by += " (mean of the pairs)" if has_pairs(result) else " (all of them as a team)"
    if result["n_shared"] == 1:
        by += f" in the only {item_name(result)} that two annotators saw"
    who = who if n == 2 else who.capitalize()
    return f"{who} {_degree(metric, score, by, digits)}."


def _degree(metric: Result, score: Result, by: str, digits: int = 2) -> str:
    """The degree of agreement from the verb on; `by` names the metric."""
    value, limits = headline(score), interval_of(score)
    amount = " ".join(filter(None, [brief(value, digits), brief_interval(limits, digits)]))
    if metric["bits"]:
        return f"reach {amount} bits {by}"
    if not metric["higher_is_better"]:
        return f"differ at {amount} {by}, where lower is better"
    if not metric["is_corrected"]:
        return f"agree at {amount} {by}, which is not corrected for chance"
    said = {
        "full": f"agree fully {by}",
        "above": f"agree at {amount} beyond chance {by}",
        "equal": f"agree no better than chance would {by}: {amount}",
        "below": f"agree less than chance would {by}: {amount}",
    }
    level = against_chance(value, limits)
    doubt = level == "above" and includes_chance(limits)
    return said[level] + "; the interval includes 0, so it may be chance" * doubt


def _least_pair(result: Result, found: TableRow | None, digits: int) -> Iterator[str]:
    """The sentence on the pair to look at first, if there is one."""
    if found is None:
        return
    pair = f"{found['first']} and {found['second']}"
    agree = "agree least" if found["metric"]["higher_is_better"] else "differ most"
    value, n = brief(headline(found["pair"]), digits), len(busiest_annotators(result))
    of = f"Of the {n} busiest, " if n < len(result["annotators"]) else ""
    if found["n_alike"] > 1:
        number_of = count_word(found["n_alike"])
        pairs = f"{number_of if of else number_of.capitalize()} pairs"
        yield f"{of}{pairs} {agree} ({value}): begin with {pair}."
    else:
        yield f"{of}{pair} {agree} ({value}): look at that pair first."


def _labels(result: Result, metric: Result) -> Iterator[str]:
    """The sentence on the labels with the best and the least agreement, if these differ.

    Labels that were marked fewer than ten times count only if fewer than two were marked more.
    """
    if not metric["higher_is_better"] or metric["bits"]:
        return
    key = "mean" if has_pairs(result) else "team"
    rows = [row for row in metric["per_label"] if headline(row[key]) is not None]
    often = [row for row in rows if row["n_spans"] >= ENOUGH]
    rare = len(rows) - len(often) if len(often) > 1 else 0
    rows = sorted(often if rare else rows, key=lambda row: (-headline(row[key]), row["label"]))
    if len(rows) < 2:
        return
    best, least = (headline(rows[place][key]) for place in (0, -1))
    if best - least < ALIKE:
        return
    digits = digits_apart(best, least)
    highest, lowest = (
        [row["label"] for row in rows if abs(headline(row[key]) - value) < ALIKE]
        for value in (best, least)
    )
    last = few(lowest, "label", 1)
    if is_nothing(best, metric["is_corrected"]):
        by_chance = metric["is_corrected"]
        better = "is agreement better than chance" if by_chance else "is there any agreement"
        often_marked = f" marked {ENOUGH} times or more" * bool(rare)
        yield f"On no label{often_marked} {better}."
        return
    first = few(highest, "label", 1)
    verb = "is" if len(highest) == 1 else "are"
    first = f"{first if len(highest) == 1 else first.capitalize()} {verb} agreed on best"
    yield f"{first} ({brief(best, digits)}), {last} least ({brief(least, digits)})."
