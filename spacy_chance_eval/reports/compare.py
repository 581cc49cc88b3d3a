"""The comparison of two runs: columns, sections and verdict, composed once."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from ..measures.alignment import ROLES
from ..scoring.evaluation import DEFAULT_METRICS
from ..scoring.statistics import headline
from .diff import span_text
from .figures import (
    CORRECTED,
    INK,
    OBSERVED,
    WIDTH,
    Figure,
    ForestRow,
    Style,
    fitting_name,
    forest,
)
from .report import ALL, FOLDED, SCREEN, Column, Report, Section, Table
from .words import (
    DASH,
    TEST_NAMES,
    Details,
    Result,
    TableRow,
    beyond_chance,
    brief,
    brief_amount,
    brief_interval,
    few,
    interval_of,
    intervals_text,
    number,
    p_clause,
    p_value_text,
    printable,
    quantity,
    signed,
)

HOW_TO_READ = (
    "Differences are {new} minus {old}. Better and worse are said where the paired test "
    "distinguishes the two runs. The contribution of a document is the change of the total if only "
    "this document comes from {new}."
)
ADJUSTED = "p of labels is adjusted for their number (Holm), intervals are not"
SCORES = ("observed", "expected", "corrected")
NO_ERRORS = "Annotations are not stored in both runs, so errors are not compared."
ALL_LABELS = "All labels"
NAMED = 2  # labels named in a sentence; more are only counted
VERDICTS = "better", "worse"
SHOWN = 12  # labels on the screen

# --- columns


def _compared(old: str, new: str) -> list[Column]:
    """The scores of both runs, their difference, and its test."""
    return [
        Column("old", old),
        Column("new", new),
        Column("difference", "difference", signed, ("low", "high"), "distinct"),
        Column("p", "p", p_value_text, sort="number", level=ALL),
        Column("verdict", "verdict", str),
    ]


TOTALS = [Column("metric", "metric", str), Column("score", "score", str)]
COUNTS = [
    Column("gold", "gold", level=ALL),
    Column("old_pred", "spans, old", level=ALL),
    Column("new_pred", "spans, new", level=ALL),
]
ERRORS = [
    Column("document", "document", str),
    Column("error", "error", str),
    *(Column(role, role, str) for role in ROLES),
    Column("other", "other run", str),
]

# --- the report


def compare_report(result: Result, top: int = 10) -> Report:
    """A comparison: the first metric by label on the screen, and all else.

    Parameters
    ----------
    result : dict
        The comparison of two runs, as `runs.compare.compare` returns it.
    top : int
        How many documents and annotations to list.
    """
    metrics = result["metrics"]
    if {metric["metric"] for metric in metrics} >= {*DEFAULT_METRICS}:  # as in `score`
        metrics = [metric for metric in metrics if not metric["bits"]]
        result = {**result, "metrics": metrics}
    first, *others = metrics
    old, new = result["names"]
    figures: list[tuple[str, Callable[[], Figure]]] = [
        ("Differences with intervals, in total and by label", partial(difference_figure, result))
    ]
    totals = [_total_row(metric, score) for metric in metrics for score in SCORES]
    columns = [*TOTALS, *_compared(old, new)]
    caption = f"Every metric, all labels together; differences are {new} minus {old}"
    rows = [row for row in totals if row]
    every = Table(caption, columns, rows, level=ALL, names=2)
    sections = [
        Section("Labels", (), [_label_table(first, SCREEN)], figures),
        Section("Metrics", (), [every, *(_label_table(metric, FOLDED) for metric in others)]),
        _document_section(result, top),
        _error_section(result, top),
    ]
    warnings = [f"Failed: {text}" for text in result["failures"]]
    warnings += [f"Warning: {text}" for text in result.get("warnings", ())]
    changed = first["documents"]
    counts = f"{quantity(changed['n_better'], 'document')} better, {changed['n_worse']} worse, "
    counts += f"{changed['n_equal']} equal"
    if result["errors"]:
        counts += f"; errors: {error_counts(result['errors'])}"
    return Report(
        f"{new} against {old}",
        compare_verdict(result),
        sections,
        comparison_details(result),
        warnings,
        [f"{printable(first['metric'])}: {counts}", *result["notes"]],
        [HOW_TO_READ.format(old=printable(old), new=printable(new))],
        "--top 10 (all tables), -o compare.html, -o compare.md",
    )


def _total_row(metric: Result, score: str) -> TableRow:
    """The row of one score of a metric; empty where it has none."""
    total = metric["total"]
    if score not in total["new"]:
        return {}
    test = total.get(score) or {"difference": None}
    name = metric["metric"] + " (bits)" * metric["bits"]
    row = {"metric": name, "score": score, **{run: total[run][score] for run in ("old", "new")}}
    if score in total:
        row |= {**test, "p": test["p_value"], "verdict": ""}
    if score == metric["key"]:
        row |= {"verdict": verdict_text(total), "distinct": total["distinct"]}
    return row


def _label_table(metric: Result, level: int) -> Table:
    """Both runs in total and by label, significant and large changes first."""
    key = metric["key"]
    labels = sorted(metric["labels"], key=partial(_size_of_change, metric))
    rows = []
    for row in ({"label": ALL_LABELS, **metric["total"]}, *labels):
        test = row[key]
        scores = {run: row[run][key] for run in ("old", "new")}
        p = test["p_value"] if row["label"] == ALL_LABELS else test["p_holm"]
        found = {**row, **test, **scores, "p": p}
        rows.append(found | {"verdict": verdict_text(row)})
    columns = [Column("label", "label", str), *COUNTS, *_compared("old", "new")]
    unit = ", in bits" * metric["bits"]
    tested = any(row["p"] is not None for row in rows)
    return Table(
        f"{metric['metric']}{unit}, {key}, by label",
        columns,
        rows,
        [ADJUSTED] * tested,
        level=level,
        signatures=[metric["signature"]],
        most=SHOWN + 1,
    )


def _document_section(result: Result, top: int) -> Section:
    """The documents that changed most, by each metric."""
    columns = [Column("document", "document", str), *_compared(*result["names"])[:2]]
    columns += [Column("contribution", "contribution", partial(signed, digits=6))]
    columns += [Column("labels", "labels", str)]
    tables = []
    for metric in result["metrics"]:
        counts = metric["documents"]
        for which in ("worse", "better"):
            rows = [
                {
                    **row,
                    "labels": ", ".join(
                        f"{name} {signed(by)}" for name, by in row["labels"].items()
                    ),
                }
                for row in counts[which][:top]
            ]
            n = f"{len(rows)} of {counts[f'n_{which}']}"
            caption = f"Documents that are {which} by {metric['metric']}, {n}"
            tables.append(Table(caption, columns, rows, level=FOLDED))
    sides = [shlex.quote(path) for path in (result["new"]["gold"], result["new"]["pred"]) if path]
    text = [f"Their text: spacy-chance-eval diff {' '.join(sides)} -o pages/"]
    return Section("Documents", text * (len(sides) == 2), tables)


def _error_section(result: Result, top: int) -> Section:
    """Annotations that are wrong in one run only, and those of documents with low scores."""
    errors, (old, new) = result["errors"], result["names"]
    tables, text = [], [NO_ERRORS]
    if errors is not None:
        text = [f"Errors: {error_counts(errors)}."]
        for which, run, other in (("new", new, old), ("fixed", old, new)):
            n = f"{len(errors[which][:top])} of {errors[f'n_{which}']}"
            caption = f"{which.capitalize()} errors, only of {run}, {n}"
            tables.append(_error_table(caption, errors[which][:top], run, other))
    for document in result["verbose"] or ():
        caption = f"{document['document']}: {number(headline(document))}"
        table = _error_table(caption, document["errors"], new, old)
        tables.append(replace(table, level=SCREEN))  # as they were asked for
    return Section("Errors", text, tables)


def _error_table(caption: str, rows: Sequence[Result], run: str, other: str) -> Table:
    """One annotation of a run per row, and what the other run has there."""
    headings = {"pred": run, "other": other}
    columns = [replace(one, heading=headings.get(one.key, one.heading)) for one in ERRORS]
    shown = []
    for row in rows:
        relation, error, gold = row["relation"], row["error"], row["gold"]
        placed = gold is not None and gold["start"] is not None
        known = row.get("before") or row.get("after") or ("correct" if placed else DASH)
        cells = {role: span_text(row[role]) for role in ROLES} | {"other": known}
        error = relation if error == relation else f"{relation}: {error}"
        shown.append({"document": row["document"], "error": error, **cells})
    return Table(caption, columns, shown, level=FOLDED)


# --- figure

DIFFERENCES = {  # by whether the runs differ significantly
    "significant": Style(CORRECTED, "square", width=1.4),
    "not significant": Style(OBSERVED, "circle", filled=False, width=1.4),
    "not tested": Style(INK, "diamond", filled=False, width=1.4),
}
DISTINCT = {True: "significant", False: "not significant", None: "not tested"}


def difference_figure(result: Result) -> Figure:
    """Differences of two runs with intervals by the first metric, in total and by label."""
    metric = result["metrics"][0]
    (old, new), key = result["names"], metric["key"]
    parts = [("all spans", metric["total"]), *((one["label"], one) for one in metric["labels"])]
    rows = []
    for name, part in parts:
        tested = part[key]
        found = {**tested, "score": tested["difference"]}
        rows.append(ForestRow(name, [(DISTINCT[part["distinct"]], found)]))
    unit = ", bits" if metric["bits"] else ""
    title = f"{metric['metric']}{unit}: {new} minus {old}"
    names = " minus ".join(fitting_name(name, WIDTH / 5) for name in (new, old))
    drawn = {row.scores[0][0] for row in rows}
    styles = {name: style for name, style in DIFFERENCES.items() if name in drawn}
    marks, height = forest(rows, styles, names + unit, "part")
    return Figure(
        title,
        f"Differences with intervals, of all spans and of each label; filled where the test "
        f"distinguishes the two runs. {metric['signature']}",
        height,
        marks,
    )


# --- parts


def verdict_text(row: Result) -> str:
    """Better, worse, equal, or that this is not known; a direction only where a test finds one."""
    if row["verdict"] is None:
        return "undefined"
    if row["verdict"] == "equal":
        return "equal"
    untested = "not significant" if row["distinct"] is False else "not tested"
    return str(row["verdict"]) if row["distinct"] else untested


def _size_of_change(metric: Result, row: Result) -> tuple[bool, float, str]:
    """The sort key of a label: significant changes, then large ones, then undefined ones."""
    difference = row[metric["key"]]["difference"]
    return not row["distinct"], -1.0 if difference is None else -abs(difference) - 1, row["label"]


def error_counts(counts: Result) -> str:
    """How many errors are new and fixed."""
    return f"{counts['n_new']} new, {counts['n_fixed']} fixed, {counts['n_both']} in both runs"


def comparison_details(result: Result) -> Details:
    """The data that were compared, and how."""
    ways, unit = result["resampling"], result["clusters"]
    units = f"{result['n_clusters']} clusters (by {unit})"
    if unit == "documents":
        units = quantity(result["n_docs"], "document")
    test = TEST_NAMES.get(ways["test"], ways["test"])
    new, runs = result["new"], zip(result["names"], ("old", "new"))
    return [
        *((run.capitalize(), _run_text(name, result[run])) for name, run in runs),
        ("Gold", ", ".join(filter(None, [new["gold"], f"digest {new['digest']}"]))),
        ("Compared", quantity(result["n_docs"], "document")),
        ("Test", f"{test}, alpha {ways['alpha']:g}" if ways["resamples"] else "none"),
        ("Intervals", intervals_text(ways, units)),
    ]


def _run_text(name: str, run: Result) -> str:
    """The name of a run, its files, and when it was saved."""
    files = ", ".join(dict.fromkeys(filter(None, [run["path"], run["pred"]])))
    saved = f"counted {run['saved']} by spacy-chance-eval {run['version']}"
    known = "; ".join(filter(None, [files, quantity(run["n_pred"], "predicted span"), saved]))
    return f"{name} ({known})"


# --- verdict


def compare_verdict(result: Result) -> str:
    """Summary of a comparison: the change by the first metric, in total and by label."""
    first = result["metrics"][0]
    changed = [*_changed_labels(first["labels"])]
    if first["total"]["distinct"] and not changed and first["labels"]:
        changed = ["no label changed significantly by itself"]
    elif first["total"]["distinct"] is None:
        rows = [row for one in result["metrics"] for row in (one["total"], *one["labels"])]
        if any(row["verdict"] in VERDICTS and row["distinct"] is None for row in rows):
            changed.append("differences were not tested")
    return "; ".join([_change(result, first), *changed]) + "."


def _change(result: Result, metric: Result) -> str:
    """The change of the total of a metric, as a clause; a direction only if it is significant."""
    old, new = map(printable, result["names"])
    total, key = metric["total"], metric["key"]
    digits, unit = (1, " bits") if metric["bits"] else (3, "")
    values = [total[run][key] for run in ("old", "new")]
    kind = beyond_chance(*values) if key == "corrected" else ""
    by = " ".join(filter(None, ("by", printable(metric["metric"]), kind)))
    both = [brief(value, digits) for value in values]
    if total["verdict"] is None:
        return f"The change {by} is undefined: {old} {both[0]}, {new} {both[1]}"
    if total["verdict"] == "equal":
        return f"{new} and {old} are equal {by}, {both[1]}"
    test = total[key]
    difference, limits = test["difference"], interval_of(test)
    p = f"; {p_clause(test['p_value'])}" if test["p_value"] is not None else ""
    if not total["distinct"]:
        interval = " ".join(filter(None, [f"{signed(difference)}", brief_interval(limits, digits)]))
        differ = "differ" if total["distinct"] is None else "do not differ significantly"
        return f"{new} and {old} {differ} {by}: {both[1]} and {both[0]}{unit} ({interval}{p})"
    if difference < 0:
        limits = limits and (-limits[1], -limits[0])
    parts = [brief_amount(difference, digits), brief_interval(limits, digits), unit.strip()]
    amount, tested = " ".join(filter(None, parts)), f" ({p[2:]})" * bool(p)
    return f"{new} is {amount} {total['verdict']} than {old} {by}{tested}"


def _changed_labels(rows: Iterable[Result]) -> Iterator[str]:
    """Clauses on labels that are significantly better or worse."""
    rows = list(rows)
    for verdict in VERDICTS:
        found = [
            printable(row["label"]) for row in rows if row["distinct"] and row["verdict"] == verdict
        ]
        if found:
            are = "is" if len(found) == 1 else "are"
            yield f"{few(found, 'label', NAMED)} {are} significantly {verdict}"
