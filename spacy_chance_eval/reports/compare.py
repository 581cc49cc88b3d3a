"""The comparison of two runs as text, Markdown and a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape

from ..measures.alignment import ROLES
from ..scoring.evaluation import DEFAULT_METRICS
from ..scoring.statistics import headline
from .tables import (
    GAP,
    Align,
    code,
    detail_lines,
    fitted_table,
    markdown_text,
    pipe_table,
    short_title,
    signature_lines,
    terminal_columns,
    warning_lines,
)
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
    in_blocks,
    interval_of,
    interval_text,
    number,
    p_value_text,
    printable,
    quantity,
    quantity_word,
    signed,
)

HOW_TO_READ = (
    "Differences are {new} minus {old}. Where better or worse has no remark, the paired "
    "test distinguishes the two runs; p values of labels are adjusted for their number (Holm). The "
    "contribution of a document is the change of the total if only this document comes from {new}."
)
UNTESTED = {True: "", False: ", may be chance", None: ", not tested"}
SCORES = ("observed", "expected", "corrected")
# of the text
TEXT_WIDTH = 48  # characters of a text in a cell
SHORTEST_TEXT = 16  # below which a label and its place would not fit
NO_WORDS = "words: not stored; score -o x.run, without #text=no, keeps them"
TOTAL_ALIGNS: tuple[Align, ...] = ("l", "l", "r", "r", "r", "r", "r", "l")
LABEL_ALIGNS: tuple[Align, ...] = ("l", "r", "r", "r", "r", "r", "r", "r", "r", "r", "l")
DOCUMENT_ALIGNS: tuple[Align, ...] = ("l", "r", "r", "r", "l")
ERROR_ALIGNS: tuple[Align, ...] = ("l", "l", "l", "l", "l")
# of Markdown
CELL_WIDTH = 80  # characters of a text in a cell
MARKS = {"better": "**better**", "worse": "**worse**"}  # if the test tells the runs apart
NAMED = 2  # labels named in a sentence; more are only counted
VERDICTS = "better", "worse"
SHOWN = 12  # labels in the overview; the tables below show all


def compare_text(result: Result, *, top: int = 10) -> str:
    """All tables of a comparison, as one text.

    Parameters
    ----------
    result : dict
        The comparison of two runs, as `runs.compare.compare` returns it.
    top : int
        How many documents and annotations to list.
    """
    return "\n".join(_text_parts(result, top))


def compare_markdown(result: Result, *, top: int = 10) -> str:
    """A short table, and the details folded up.

    Parameters
    ----------
    result : dict
        The comparison of two runs, as `runs.compare.compare` returns it.
    top : int
        How many documents and annotations to list.
    """
    names = result["names"]
    old, new = map(markdown_name, names)
    lines = [f"### {new} against {old}"]
    lines += ["", *(f"> **Failed:** {markdown_note(text)}\n" for text in result["failures"])]
    lines += _total_lines(result)
    first = result["metrics"][0]
    counts = f"{_document_counts(first['documents'])} (of {result['n_docs']})"
    lines += [f"By {first['key']} {markdown_name(first['metric'])}: {counts}.", ""]
    if result["errors"]:
        lines += [f"Errors: {error_counts(result['errors'])}.", ""]
    notes = [*(f"Warning: {text}" for text in result.get("warnings", ())), *result["notes"]]
    lines += [f"- {markdown_note(note)}" for note in notes]
    lines += [""] * bool(notes)
    for metric in result["metrics"]:
        lines += _folded(f"{html_name(metric['metric'])} by label", label_lines(metric, names))
    lines += _folded("Documents", _document_lines(first, names, top))
    if result["errors"]:
        lines += _folded("New and fixed errors", _error_lines(result["errors"], names, top))
    for document in result["verbose"] or ():
        title = f"{html_name(document['document'])}: {number(headline(document))}"
        lines += _folded(title, _error_rows(document["errors"], names[1]))
    lines += _folded("How this was made", _method_lines(result))
    return "\n".join(lines).rstrip() + "\n"


def compare_page(result: Result, *, top: int = 100) -> str:
    """A comparison as one HTML page.

    Parameters
    ----------
    result : dict
        The comparison of two runs, as `runs.compare.compare` returns it.
    top : int
        How many documents and annotations each table has.
    """
    from .html import page  # loads jinja2

    changes, n_more_labels = change_table(result)
    return page(
        "compare.html",
        signatures=[metric["signature"] for metric in result["metrics"]],
        result=result,
        top=top,
        facts=comparison_details(result),
        answer=compare_verdict(result),
        changes=changes,
        n_more_labels=n_more_labels,
        how_to_read=how_to_read(result["names"]),
        score_rows=score_rows,
        verdict=_verdict,
        document_counts=_document_counts,
        labels_changed=_labels_changed,
        error_counts=error_counts,
        error_text=_error_text,
        span_text=_span_text,
        other_run=_other_run,
    )


# --- parts of the text, Markdown and the page


def how_to_read(names: Sequence[str]) -> str:
    """The meaning of differences, tests and contributions."""
    old, new = map(printable, names)
    return HOW_TO_READ.format(old=old, new=new)


def _document_counts(counts: Result) -> str:
    """How many documents are better, worse and equal."""
    return (
        f"{quantity(counts['n_better'], 'document')} better, {counts['n_worse']} worse, "
        f"{counts['n_equal']} equal"
    )


def error_counts(counts: Result) -> str:
    """How many errors are new and fixed."""
    return f"{counts['n_new']} new, {counts['n_fixed']} fixed, {counts['n_both']} in both runs"


def comparison_details(result: Result) -> Details:
    """The data that were compared, and how."""
    ways, unit = result["resampling"], result["clusters"]
    units = f"{result['n_clusters']} clusters (by {unit})"
    if unit == "documents":
        units = quantity(result["n_docs"], "document")
    units += in_blocks(ways)
    test = TEST_NAMES.get(ways["test"], ways["test"])
    method = (
        f"{test}, {100 * ways['level']:g} % {ways['interval']} intervals; {ways['resamples']} "
        f"resamples of {units}, seed {ways['seed']}, alpha {ways['alpha']:g}"
    )
    new, runs = result["new"], zip(result["names"], ("old", "new"))
    return [
        *((run.capitalize(), _run_text(name, result[run])) for name, run in runs),
        ("Gold", ", ".join(filter(None, [new["gold"], f"digest {new['digest']}"]))),
        ("Compared", quantity(result["n_docs"], "document")),
        ("Test", method if ways["resamples"] else "none: no resamples were asked for"),
    ]


def _run_text(name: str, run: Result) -> str:
    """The name of a run, its files, and when it was saved."""
    files = ", ".join(dict.fromkeys(filter(None, [run["path"], run["pred"]])))
    saved = f"counted {run['saved']} by spacy-chance-eval {run['version']}"
    known = "; ".join(filter(None, [files, quantity(run["n_pred"], "predicted span"), saved]))
    return f"{name} ({known})"


def _headline(result: Result) -> str:
    """The first metric in one sentence."""
    metric = result["metrics"][0]
    total, key = metric["total"], metric["key"]
    test = total[key]
    scores = " to ".join(number(total[run][key]) for run in ("old", "new"))
    p = "" if test["p_value"] is None else f", p {p_value_text(test['p_value'])}"
    difference = signed(test["difference"])
    return f"{_verdict(total)}: {key} {metric['metric']} {scores} ({difference}{p})"


def _verdict(row: Result) -> str:
    """Better, worse or equal, and whether it may be chance."""
    if row["verdict"] is None:
        return "undefined"
    if row["verdict"] == "equal":
        return "equal"
    return row["verdict"] + UNTESTED[row["distinct"]]


def score_rows(metric: Result, row: Result) -> Iterator[TableRow]:
    """Both runs by observed and, where there are such, expected and corrected scores."""
    for score in filter(row["new"].__contains__, SCORES):
        test = row.get(score) or dict.fromkeys(("difference", "low", "high", "p_value"))
        yield {
            "score": score,
            "old": row["old"][score],
            "new": row["new"][score],
            **test,
            "verdict": _verdict(row) if score == metric["key"] else "",
        }


def _labels_changed(row: Result) -> str:
    """The labels by which a document is better or worse."""
    return ", ".join(f"{label} {signed(by)}" for label, by in row["labels"].items())


def _error_text(row: Result) -> str:
    """The error of an annotation."""
    relation = row["relation"]
    return relation if row["error"] == relation else f"{relation}: {row['error']}"


def _span_text(span: Result | None) -> str:
    """Label, words and place of a span; a dash where there is none."""
    if span is None:
        return DASH
    place = "" if span["start"] is None else f"{span['start']}-{span['end']}"
    return " ".join(filter(None, (span["label"], span["text"], place)))


def _lacks_words(errors: Result) -> bool:
    """Whether none of the errors has words, as both runs were saved without them."""
    spans = [row[key] for which in ("new", "fixed") for row in errors[which] for key in ROLES]
    placed = [span for span in spans if span is not None and span["start"] is not None]
    return bool(placed) and all(span["text"] is None for span in placed)


def _other_run(row: Result) -> str:
    """The annotation of the gold span in the other run; a dash without a gold span in the text."""
    placed = row["gold"] is not None and row["gold"]["start"] is not None
    return row.get("before") or row.get("after") or ("correct" if placed else DASH)


# --- text


def _text_parts(result: Result, top: int) -> Iterator[str]:
    yield f"\n{printable(_headline(result))}\n"
    yield from detail_lines(comparison_details(result))
    yield from warning_lines(result)
    if result["notes"]:
        yield "\nnotes"
        yield "\n".join(f"  {printable(note)}" for note in result["notes"])
    yield fitted_table(*total_rows(result), TOTAL_ALIGNS, keys=2)
    every = result["metrics"]
    usual = {metric["metric"] for metric in every} == {*DEFAULT_METRICS}
    for metric in every[: 1 if usual else None]:
        yield from _details(metric, result["names"], top)
    yield from _error_parts(result, top)
    yield ""
    yield from signature_lines(metric["signature"] for metric in result["metrics"])


def _details(metric: Result, names: Sequence[str], top: int) -> Iterator[str]:
    """Both runs by label and by document, by one metric."""
    name = f"{metric['key']} {printable(metric['metric'])}"
    if metric["labels"]:
        yield f"{name} by label"
        yield fitted_table(*label_rows(metric, map(short_title, names)), LABEL_ALIGNS)
    yield f"{name} by document: {_document_counts(metric['documents'])}"
    for which in ("worse", "better"):
        rows = metric["documents"][which][:top]
        if rows:
            yield f"\n{which} most"
            table = _document_rows(rows, map(short_title, names), _short_text)
            yield fitted_table(*table, DOCUMENT_ALIGNS)


def total_rows(result: Result) -> tuple[list[str], list[list[str]]]:
    """Titles of the columns, and a row for each score of each metric."""
    rows = []
    for metric in result["metrics"]:
        name = printable(metric["metric"]) + (" (bits)" if metric["bits"] else "")
        for row in score_rows(metric, metric["total"]):
            cells = [number(row["old"]), number(row["new"]), signed(row["difference"])]
            cells += [p_value_text(row["p_value"]), interval_text(interval_of(row)), row["verdict"]]
            rows.append([name, row["score"], *cells])
            name = ""
    names = map(short_title, result["names"])
    return ["", "", *names, "difference", "p", "interval", ""], rows


def label_rows(metric: Result, names: Iterable[str]) -> tuple[list[str], list[list[str]]]:
    """Titles of the columns, and a row for each label, also if only one run predicts it."""
    key, rows = metric["key"], []
    for row in metric["labels"]:
        test, counts = row[key], row["documents"]
        spans = [number(row[of]) for of in ("gold", "old_pred", "new_pred")]
        cells = [number(row["old"][key]), number(row["new"][key]), signed(test["difference"])]
        cells += [interval_text(interval_of(test)), p_value_text(test["p_holm"])]
        cells += [f"+{counts['n_better']} -{counts['n_worse']}", _verdict(row)]
        rows.append([_short_text(row["label"]), *spans, *cells])
    names = list(names)
    spans = [f"{name} spans" for name in ("gold", *names)]
    header = ["label", *spans, *names, "difference", "interval", "p Holm", "documents", ""]
    return header, rows


def _document_rows(
    rows: Sequence[Result], names: Iterable[str], text: Callable[[str], str]
) -> tuple[list[str], list[list[str]]]:
    """Titles and documents with their own scores and contributions; `text` writes names."""
    body = [
        [
            text(row["document"]),
            number(row["old"]),
            number(row["new"]),
            f"{row['contribution']:+.6f}",
            text(_labels_changed(row)) if row["labels"] else "",
        ]
        for row in rows
    ]
    return ["document", *names, "contribution", "labels"], body


def _error_parts(result: Result, top: int) -> Iterator[str]:
    """Annotations that are wrong in one run only, and those of documents with low scores."""
    errors, names = result["errors"], list(map(short_title, result["names"]))
    if errors is None:
        yield "\nannotations: not stored in both runs, so errors are not compared"
    else:
        yield f"\nerrors: {error_counts(errors)}"
        if _lacks_words(errors):
            yield NO_WORDS
        for which, runs in (("new", names[::-1]), ("fixed", names)):
            if errors[which][:top]:
                yield f"\n{which} errors"
                yield _error_table(errors[which][:top], *runs)
    for document in result["verbose"] or ():
        yield f"\n{printable(document['document'])}: {number(headline(document))}"
        if document["errors"]:
            yield _error_table(document["errors"], names[1])


def _error_table(rows: Sequence[Result], run: str, other: str | None = None) -> str:
    """A table with one annotation of a run per row; `other` titles the column of the other run."""
    header = ["document", "error", "gold", run] + ([other] if other else [])
    columns: list[Iterable[str]] = [
        [_short_text(row["document"]) for row in rows],
        list(map(_error_text, rows)),
        *([printable(_span_text(row[key])) for row in rows] for key in ROLES),
        *([list(map(_other_run, rows))] if other else []),
    ]
    widths = [max(map(len, [*cells, title])) for title, cells in zip(header, columns)]
    for place, width in zip((2, 3), _widths_of_spans(widths)):
        columns[place] = [_short_text(cell, width) for cell in columns[place]]
    return fitted_table(header, zip(*columns), ERROR_ALIGNS[: len(header)], keys=2)


def _widths_of_spans(widths: Sequence[int]) -> tuple[int, int]:
    """Characters that gold and predicted spans get, of the columns of a table of errors.

    At a terminal they share the width that the other columns leave.
    """
    columns = terminal_columns()
    gold, pred = (min(width, TEXT_WIDTH) for width in widths[2:4])
    if columns is None or sum(widths) + GAP * (len(widths) - 1) <= columns:
        return gold, pred
    free = columns - sum(widths) + sum(widths[2:4]) - GAP * (len(widths) - 1)
    half = max(free // 2, SHORTEST_TEXT)
    if gold > pred:
        return max(min(gold, free - min(pred, half)), half), min(pred, half)
    return min(gold, half), max(min(pred, free - min(gold, half)), half)


def _short_text(text: str, width: int = TEXT_WIDTH) -> str:
    """A text from the data, as much of it as a cell has room for."""
    text = printable(text)
    return text if len(text) <= width else f"{text[: width - 3]}..."


# --- Markdown


def _total_lines(result: Result) -> Iterable[str]:
    """Every metric by its main score."""
    names = map(markdown_name, result["names"])
    header = ["metric", "score", *names, "difference", "interval", "p", "verdict"]
    rows = []
    for metric in result["metrics"]:
        for row in score_rows(metric, metric["total"]):
            if row["score"] == metric["key"]:
                cells = [number(row["old"]), number(row["new"]), signed(row["difference"])]
                cells += [interval_text(interval_of(row)), p_value_text(row["p_value"])]
                cells = [row["score"], *_escaped(cells), _bold(metric["total"])]
                rows.append([markdown_name(metric["metric"]), *cells])
    return pipe_table(header, rows, left=2)


def _escaped(cells: Iterable[str]) -> Iterator[str]:
    """Intervals and p values as Markdown; other numbers stay as they are."""
    return (cell.replace("[", r"\[").replace("<", "&lt;") for cell in cells)


def _bold(row: Result) -> str:
    """The verdict; bold where the test tells the runs apart."""
    return MARKS.get(_verdict(row), _verdict(row))


def label_lines(metric: Result, names: Sequence[str]) -> Iterable[str]:
    """Every label of a metric."""
    header, rows = label_rows(metric, map(markdown_name, names))
    body = []
    for label, (_, *cells, _, _) in zip(metric["labels"], rows):
        moved = "{n_better} better, {n_worse} worse".format(**label["documents"])
        body.append([markdown_name(label["label"]), *_escaped(cells), moved, _bold(label)])
    return pipe_table([*header[:-1], "verdict"], body)


def _document_lines(metric: Result, names: Sequence[str], top: int) -> Iterator[str]:
    """The documents that changed most."""
    for which in ("worse", "better"):
        rows = metric["documents"][which][:top]
        if rows:
            yield from (f"{which} most, by {markdown_name(metric['metric'])}:", "")
            table = _document_rows(rows, map(markdown_name, names), markdown_name)
            yield from pipe_table(*table)


def _error_lines(
    errors: Mapping[str, Sequence[Result]], names: Sequence[str], top: int
) -> Iterator[str]:
    """Annotations that are wrong in one run only."""
    for which, runs in (("new", names[::-1]), ("fixed", names)):
        if errors[which][:top]:
            yield from (f"{which}:", "")
            yield from _error_rows(errors[which][:top], *runs)


def _error_rows(rows: Sequence[Result], run: str, other: str = "the other run") -> Iterable[str]:
    """A table of the annotations of a run."""
    if not rows:
        return ["No annotation is wrong.", ""]
    body = [
        [
            markdown_name(row["document"]),
            _error_text(row),
            *(DASH if row[key] is None else markdown_name(_span_text(row[key])) for key in ROLES),
            _other_run(row),
        ]
        for row in rows
    ]
    header = ["document", "error", "gold", markdown_name(run), markdown_name(other)]
    return pipe_table(header, body, left=5)


def _method_lines(result: Result) -> Iterator[str]:
    """The data that were compared, and how."""
    yield from (f"- {title}: {markdown_note(text)}" for title, text in comparison_details(result))
    yield from ("", markdown_note(how_to_read(result["names"])), "")
    yield from (f"- {code(metric['signature'])}" for metric in result["metrics"])
    yield ""


def _folded(title: str, lines: Iterable[str]) -> list[str]:
    """Lines that can be unfolded; the title is HTML, in which Markdown is not read."""
    lines = list(lines)
    if not lines:
        return []
    return ["<details>", f"<summary>{title}</summary>", "", *lines, "</details>", ""]


def markdown_name(text: str) -> str:
    """A text from the data as it is, cut to the width of a cell."""
    return f"<code>{markdown_text(_short_cell(text))}</code>"


def html_name(text: str) -> str:
    """A text from the data where Markdown is not read, so that its escapes would show."""
    return f"<code>{escape(' '.join(printable(_short_cell(text)).split()), quote=False)}</code>"


def _short_cell(text: str) -> str:
    """As much of a text as there is room for."""
    return text if len(text) <= CELL_WIDTH else text[: CELL_WIDTH - 3] + "..."


def markdown_note(text: str) -> str:
    """A text outside <code> that mentions nobody, and no issue."""
    return markdown_text(text).replace("\\@", "@&#8203;").replace("\\#", "#&#8203;")


# --- summary


def compare_verdict(result: Result) -> str:
    """Summary of a comparison: the change of the first metric, and other significant changes.

    The first clause is about the first metric over all labels.
    """
    first, *others = result["metrics"]
    total = first["total"]
    documents = quantity_word(result["n_docs"], "document")
    if total["distinct"] is None and total["verdict"] not in (None, "equal"):
        return f"{_change(result, first)}; differences were not tested."
    new = printable(result["names"][1])
    changed = [*_other_metrics(others, new), *_changed_labels(result["metrics"])]
    if total["distinct"]:
        tested = others or first["labels"]
        rest = changed or ["nothing else changed significantly"] * bool(tested)
        return "; ".join([_change(result, first), *rest]) + "."
    if total["verdict"] is None or total["verdict"] == "equal":
        if total["distinct"] is None and any(map(_untested, result["metrics"])):
            changed.append("other differences were not tested")
        return "; ".join([_change(result, first), *changed]) + "."
    if changed:
        unsure = f"{_change(result, first)}, which may be chance on {documents}"
        return "; ".join([unsure, *changed]) + "."
    return f"No difference can be told from chance on {documents}; {_change(result, first)}."


def change_table(result: Result) -> tuple[list[TableRow], int]:
    """The rows of the overview, all labels together first, and the number of labels left out.

    Each row has `label` (None for all together) and `cells`, one for each metric: its `key` and
    the `row` of the result. Labels that changed significantly, and those that changed most by the
    first metric, come first.
    """
    metrics = result["metrics"]
    by_label = [{row["label"]: row for row in metric["labels"]} for metric in metrics]
    labels = sorted(by_label[0], key=lambda label: _size_of_change(metrics[0], by_label[0][label]))
    rows = [{"label": None, "cells": [_cell(metric, metric["total"]) for metric in metrics]}]
    for label in labels[:SHOWN]:
        cells = [_cell(metric, known.get(label)) for metric, known in zip(metrics, by_label)]
        rows.append({"label": label, "cells": cells})
    return rows, len(labels[SHOWN:])


def _cell(metric: Result, row: Result | None) -> TableRow:
    return {"key": metric["key"], "row": row}


def _size_of_change(metric: Result, row: Result) -> tuple[bool, float, str]:
    """The sort key of a label: significant changes, then large ones, then undefined ones."""
    difference = row[metric["key"]]["difference"]
    return not row["distinct"], -1.0 if difference is None else -abs(difference) - 1, row["label"]


# --- clauses


def _change(result: Result, metric: Result) -> str:
    """The change of the total of a metric, as a clause."""
    old, new = map(printable, result["names"])
    total, key = metric["total"], metric["key"]
    digits = 1 if metric["bits"] else 3
    values = [total[run][key] for run in ("old", "new")]
    kind = beyond_chance(*values) if key == "corrected" else ""
    by = " ".join(filter(None, ("by", printable(metric["metric"]), kind)))
    scores = [brief(value, digits) for value in values]
    if total["verdict"] is None:
        return f"The change {by} is undefined: {old} {scores[0]}, {new} {scores[1]}"
    if total["verdict"] == "equal":
        return f"{new} and {old} are equal {by}, {scores[1]}"
    difference, limits = total[key]["difference"], interval_of(total[key])
    if difference < 0:
        limits = limits and (-limits[1], -limits[0])
    interval = brief_interval(limits, digits)
    unit = "bits" if metric["bits"] else ""
    parts = brief_amount(difference, digits), interval, unit, total["verdict"]
    return f"{new} is {' '.join(filter(None, parts))} than {old} {by}"


def _untested(metric: Result) -> bool:
    """Whether the total or a label has a difference that was not tested."""
    rows = metric["total"], *metric["labels"]
    return any(row["verdict"] in VERDICTS and row["distinct"] is None for row in rows)


def _other_metrics(metrics: list[Result], new: str) -> Iterator[str]:
    """Clauses on the other metrics by which the new run is significantly better or worse."""
    for verdict in VERDICTS:
        names = [
            printable(metric["metric"])
            for metric in metrics
            if metric["total"]["distinct"] and metric["total"]["verdict"] == verdict
        ]
        if names:
            yield f"{new} is significantly {verdict} by {few(names, 'other metric', NAMED)}"


def _changed_labels(metrics: list[Result]) -> Iterator[str]:
    """Clauses on labels that are significantly better or worse by some metric."""
    some = " by at least one metric" if len(metrics) > 1 else ""
    for verdict in VERDICTS:
        found = dict.fromkeys(
            printable(row["label"])
            for metric in metrics
            for row in metric["labels"]
            if row["distinct"] and row["verdict"] == verdict
        )
        if found:
            are = "is" if len(found) == 1 else "are"
            yield f"{few([*found], 'label', NAMED)} {are} significantly {verdict}{some}"
