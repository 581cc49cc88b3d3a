"""Leaderboards as text, Markdown and CSV, and what these and the page have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, groupby
from math import isclose
from typing import TypeAlias
from urllib.parse import quote

from ..metrics.catalog import METRICS
from ..scoring.statistics import headline_name
from .tables import (
    code,
    csv_text,
    detail_lines,
    fitted_table,
    markdown_text,
    pipe_table,
    signature_lines,
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
    change,
    count_word,
    documents,
    few,
    in_blocks,
    in_sentence,
    interval_of,
    interval_text,
    misfits,
    number,
    p_value_text,
    printable,
    quantity,
    quantity_word,
    rank,
    signed,
    web_link,
)

ALL_SPANS = "All spans"
HOW_TO_READ_BOARDS = (
    "Observed: the score as usual. Expected: the mean score if the spans of both annotations, with "
    "their lengths, are placed at random. Corrected: (observed - expected) / (1 - expected); 0 is "
    "chance level. "
    "Change: places gained (+) or lost (-) by the correction. Group: systems that share a letter "
    "do not differ significantly by the paired test; a ? behind them marks a system with a test "
    "that the replicates drawn do not decide. Ranks have an interval too; first is the share of "
    "the resamples in which the system is first."
)
PER_TABLE = 5  # labels or subsets in one table of the text
STANDING = ("interval", "rank", "group")  # beside a score
STANDING_KEYS = ("low", "high", "rank", "rank_low", "rank_high", "first", "group")
URL_SIGNS = ";/?:@&=+$,#%-._~"  # not to be quoted in links
COLUMNS = [  # of the CSV
    *("metric", "request", "bits", "subset_by", "subset", "label", "system"),
    *("source", "link", "year", "n_docs", "n_gold", "gold", "pred"),
    *("observed", *(f"observed_{key}" for key in STANDING_KEYS)),
    *("expected", "corrected", *STANDING_KEYS),
    *("change", "signature", "note"),
]
NAMED = 2  # systems named in a sentence; more are only counted
Tests: TypeAlias = Mapping[frozenset[str], str]  # the results of pairs of systems
RESULTS = ("equal", "undecided", "untested", "different")  # the first that occurs counts


def leaderboard_text(result: Result) -> str:
    """Tables for the terminal: each metric on all spans, then by label and subset."""
    return "\n".join(_text_parts(result))


def leaderboard_markdown(result: Result) -> str:
    """All tables of a leaderboard as Markdown, in which nothing from the data is markup."""
    lines = [f"# {markdown_text(result['title'])}", ""]
    lines += [f"- {name}: {markdown_text(text)}" for name, text in board_details(result)]
    lines += ["", HOW_TO_READ_BOARDS, ""]
    if notes := [*result.get("warnings", ()), *result["notes"]]:
        lines += ["**Notes**", "", *(f"- {markdown_text(note)}" for note in notes), ""]
    systems = {system["name"]: system for system in result["systems"]}
    for metric, boards in by_metric(result):
        lines += _metric_section(metric, boards, systems)
    if result["left_out"]:
        lines += ["## Systems left out", ""]
        rows = [
            [markdown_text(system[key]) for key in ("name", "source", "reason")]
            for system in result["left_out"]
        ]
        lines += pipe_table(["system", "source", "reason"], rows, 3)
    lines += ["## Signatures", ""]
    for metric, boards in by_metric(result):
        lines += _signature_list(metric, boards)
    return "\n".join(lines).rstrip() + "\n"


def leaderboard_summary(result: Result) -> str:
    """The board of the first metric over all spans, on one screen, and what else there is."""
    first, boards = by_metric(result)[0]
    board = next(filter(is_whole, boards))
    ways, details = result["resampling"], dict(board_details(result))
    lines = [f"\n{printable(result['title'])}: {printable(first)}, {board_size(board)}"]
    groups = "".join(row["group"] or "" for row in board["rows"])
    if ways["resamples"]:
        lines += [details["Intervals"]]
        lines += ["the test does not tell systems apart that share a letter"] * (
            len(board["rows"]) > 1
        )
        lines += ["?: a test that the resamples do not decide"] * ("?" in groups)
    lines += warning_lines(result)
    lines += [_summary_table(board).rstrip("\n"), ""]
    lines += [f"left out: {one['name']}: {one['reason']}" for one in result["left_out"]]
    lines += [text for _, _, text in signatures_of([board])[:1]]
    others = [metric for metric, _ in by_metric(result)[1:]]
    more = [*map(printable, others), *(["labels"] if result["labels"] else [])]
    more += ["subsets"] if any(one["subset"] for one in result["boards"]) else []
    lines += [f"next: --all ({', '.join([*more, 'notes'])}); -o board.html has tests, too"]
    return "\n".join(lines)


def _summary_table(board: Result) -> str:
    """A table of systems that fits on a screen."""
    corrected = is_corrected(board)
    header = ["system", "observed"] + ["expected", "corrected"] * corrected
    header += ["interval", "rank"]
    rows = []
    for row, before, after in rows_with_standings(board):
        _, *standing = _standing_cells(after if corrected else before)
        cells = [printable(row["system"]), number(before["score"])]
        if corrected:
            cells += [number(row["expected"]), number(row["corrected"])]
        interval, rank, group = standing
        rows.append([*cells, interval, f"{rank} {group}"])
    return fitted_table(header, rows)


def leaderboard_csv(result: Result) -> str:
    """One row for each metric, subset, label and system; numbers in full, undefined ones empty.

    Systems left out have a row with the reason as `note`. Texts that a spreadsheet would take for
    a formula begin with an apostrophe.
    """
    keys = {"system": "name", "source": "source", "note": "reason"}
    left_out = [
        {column: system[key] for column, key in keys.items()} for system in result["left_out"]
    ]
    return csv_text(COLUMNS, [*board_records(result), *left_out])


def board_records(result: Result) -> Iterator[TableRow]:
    """Flat rows, one for each metric, subset, label and system, under the titles of the CSV."""
    systems = {system["name"]: system for system in result["systems"]}
    for board in result["boards"]:
        for row in board["rows"]:
            yield _fields(board, row, systems.get(row["system"], {}))


# --- parts of all kinds of leaderboards


def board_details(result: Result) -> Details:
    """The scored data, and how they were resampled and tested."""
    ways = result["resampling"]
    clusters = f"{quantity(result['n_clusters'], 'cluster')} (by {result['clusters']})"
    if result["clusters"] in ("documents", "clusters"):  # which have no other name
        clusters = quantity(result["n_clusters"], result["clusters"].removesuffix("s"))
    clusters += in_blocks(ways)
    intervals = (
        f"{100 * ways['level']:g} % {ways['interval']} intervals from {ways['resamples']} "
        f"resamples of {clusters}, seed {ways['seed']}"
    )
    tests = (
        f"each pair of systems by {TEST_NAMES.get(ways['test'], ways['test'])}, p values adjusted "
        f"by Holm's method over the pairs of a table, alpha {ways['alpha']:g}"
    )
    return [
        ("Gold", ", layer ".join(part for part in (result["gold"], result["layer"]) if part)),
        ("Size", board_size(result)),
        ("Labels", ", ".join(map(printable, result["labels"])) or "none"),
        ("Intervals", intervals if ways["resamples"] else "none: no resamples were asked for"),
        ("Tests", tests if ways["resamples"] else "none"),
        ("Made by", f"spacy-chance-eval {result['version']}"),
    ]


def by_metric(result: Result) -> list[tuple[str, list[Result]]]:
    """The boards of each metric: pairs of its name and a list."""
    groups = groupby(result["boards"], key=lambda board: (board["metric"], board["request"]))
    return [(metric, list(boards)) for (metric, _), boards in groups]


def board_name(board: Result) -> str:
    """The part of the data that a board is about: a subset, a label, or all spans."""
    parts = []
    if board["subset"]:
        parts.append(f"{board['subset']['by']}: {board['subset']['value']}")
    if board["label"] is not None:
        parts.append(board["label"])
    return ", ".join(parts) or ALL_SPANS


def board_size(board: Result) -> str:
    """How many documents and gold spans a board is based on; without any, the spurious ones."""
    docs = documents(board["n_docs"], board.get("n_sentences"))
    rows = board.get("rows", ()) if not board["n_gold"] else ()
    spurious = ", ".join(f"{printable(row['system'])} {row['pred']:,}" for row in rows)
    counted = f"; spurious spans: {spurious}" if spurious else ""
    return f"{docs}, {quantity(board['n_gold'], 'gold span')}{counted}"


def is_corrected(board: Result) -> bool:
    """Whether the scores of a board are corrected for chance."""
    return any("corrected" in row for row in board["rows"])


def is_lower_better(board: Result) -> bool:
    """Whether lower scores of a board are better."""
    metric = METRICS.get(board["request"].partition("(")[0])
    return metric is not None and not metric.higher_is_better


def main_score(board: Result) -> str:
    """The score that a board ranks by: "corrected" if it has any such score, else "observed"."""
    return "corrected" if is_corrected(board) else "observed"


def rows_with_standings(board: Result) -> list[tuple[Result, Result, Result]]:
    """Each row of a board with its standings by observed and by corrected score."""
    names = ("observed", "corrected")
    return [(row, *(standing_of(row, name) for name in names)) for row in board["rows"]]


def standing_of(row: Result, name: str) -> TableRow:
    """The `score` of this name in a row of a board, with its `STANDING_KEYS`."""
    beside = "" if name == headline_name(row) else f"{name}_"
    parts = {key: row.get(beside + key) for key in STANDING_KEYS}
    return {**parts, "score": row.get(name), "group": parts["group"] or ""}


def board_rows(
    board: Result, corrected_rank: str = "rank", observed: Sequence[str] = STANDING
) -> tuple[list[str], list[list[str]]]:
    """Titles of the columns of a board, and a row of cells for each system.

    Parameters
    ----------
    corrected_rank : str
        The title of the second column of ranks.
    observed : sequence of str
        Which columns stand beside the observed score.
    """
    corrected, kept = is_corrected(board), [part in observed for part in STANDING]
    header = ["system", "observed", *observed]
    if corrected:
        header += ["expected", "corrected", "interval", corrected_rank, "group", "change"]
    rows = []
    for row, before, after in rows_with_standings(board):
        score, *parts = _standing_cells(before)
        cells = [printable(row["system"]), score, *compress(parts, kept)]
        if corrected:
            cells += [number(row["expected"]), *_standing_cells(after), change(row["change"])]
        rows.append(cells)
    return header, rows


def _standing_cells(standing: Result) -> list[str]:
    score, limits = number(standing["score"]), interval_text(interval_of(standing))
    return [score, limits, rank(standing), standing["group"]]


def signatures(board: Result) -> list[tuple[str | None, str]]:
    """Pairs of a system and its signature; the system is None if all share one signature."""
    different = dict.fromkeys(row["signature"] for row in board["rows"])
    if len(different) == 1:
        return [(None, next(iter(different)))]
    return [(row["system"], row["signature"]) for row in board["rows"]]


def is_whole(board: Result) -> bool:
    """Whether a board is about all spans."""
    return board["label"] is None and not board["subset"]


def signatures_of(boards: Sequence[Result]) -> list[tuple[str | None, str | None, str]]:
    """Triples of boards, system and signature, each signature once; None for all boards."""
    names: dict[tuple[str | None, str], list[str]] = {}
    for board in boards:
        for pair in signatures(board):
            names.setdefault(pair, []).append(board_name(board))
    return [
        (None if len(parts) == len(boards) else ", ".join(parts), *pair)
        for pair, parts in names.items()
    ]


# --- text


def _text_parts(result: Result) -> Iterator[str]:
    yield f"\n{printable(result['title'])}"
    yield from detail_lines(board_details(result))
    yield from warning_lines(result)
    for metric, boards in by_metric(result):
        whole = list(filter(is_whole, boards))
        for board in whole:
            unit = ", in bits" if board["bits"] else ""
            yield f"\n{printable(metric)}{unit}: {board_size(board)}"
            yield fitted_table(*board_rows(board))
        labels = [board for board in boards if board["label"] is not None]
        subsets = [board for board in boards if board["label"] is None and board["subset"]]
        yield from _rank_tables(metric, "label", labels)
        yield from _rank_tables(metric, "subset", subsets)
    if result["left_out"]:
        yield "systems left out"
        lines = (f"  {system['name']}: {system['reason']}" for system in result["left_out"])
        yield "\n".join(map(printable, lines)) + "\n"
    if result["notes"]:
        yield "notes"
        yield "\n".join(f"  {printable(note)}" for note in result["notes"]) + "\n"
    # those of parts differ only in naming the part
    wholes = [(metric, list(filter(is_whole, boards))) for metric, boards in by_metric(result)]
    yield from signature_lines(
        signature if system is None else f"{metric}, {system}: {signature}"
        for metric, whole in wholes
        for _, system, signature in signatures_of(whole)
    )
    if not all(map(is_whole, result["boards"])):
        yield "(numbers of a label or subset have label=... or subset=... in theirs: see the files)"


def _rank_tables(metric: str, what: str, boards: Sequence[Result]) -> Iterator[str]:
    """Tables of score and rank, with a column for each label or subset."""
    for start in range(0, len(boards), PER_TABLE):
        some = boards[start : start + PER_TABLE]
        keys = sorted({main_score(board) for board in some})
        yield f"{printable(metric)} by {what}: {' or '.join(keys)} (rank)"
        columns = [_scores_and_ranks(board) for board in some]
        systems = dict.fromkeys(name for cells in columns for name in cells)
        rows = [
            [printable(name), *(cells.get(name, DASH) for cells in columns)] for name in systems
        ]
        yield fitted_table(["system", *(printable(board_name(board)) for board in some)], rows)


def _scores_and_ranks(board: Result) -> dict[str, str]:
    """By system: the score that the board ranks by, and the rank."""
    cells, corrected = {}, is_corrected(board)
    for row, before, after in rows_with_standings(board):
        standing = after if corrected else before
        text = f"{number(standing['score'])} ({standing['rank']})"
        if standing["rank"] is None:
            text = DASH if board["n_gold"] else f"{row['pred']:,} spurious"
        cells[row["system"]] = text
    return cells


# --- Markdown


def _metric_section(
    metric: str, boards: Sequence[Result], systems: Mapping[str, Result]
) -> Iterator[str]:
    """The tables of one metric, and the tests of all pairs behind the first."""
    yield from (f"## {markdown_text(metric)}", "")
    if boards[0]["bits"]:
        yield from ("In bits.", "")
    for i, board in enumerate(boards):
        yield from (f"### {markdown_text(board_name(board))}", "", f"{board_size(board)}.", "")
        yield from _board_markdown(board, systems)
        if not i and board["pairs"]:
            yield from _pair_tests(board)


def _board_markdown(board: Result, systems: Mapping[str, Result]) -> Iterable[str]:
    header, rows = board_rows(board, corrected_rank="corrected rank")
    names = (row["system"] for row in board["rows"])
    linked = (_system_cell(systems.get(name, {"name": name})) for name in names)
    cells = ((cell.replace("[", r"\[") for cell in row[1:]) for row in rows)
    return pipe_table(header, [[name, *row] for name, row in zip(linked, cells)])


def _system_cell(system: Result) -> str:
    """The name of a system, with its link and year where it has them."""
    cell = markdown_text(system["name"])
    if link := web_link(system.get("link")):
        cell = f"[{cell}](<{quote(link, safe=URL_SIGNS).replace('&', '&amp;')}>)"
    return f"{cell} ({markdown_text(str(system['year']))})" if system.get("year") else cell


def _pair_tests(board: Result) -> Iterator[str]:
    """The tests of all pairs, folded up."""
    key = main_score(board)
    header = ["first", "second", f"{key} difference", "interval", "p", "p Holm"]
    rows = []
    for pair in board["pairs"]:
        test = pair[key]
        cells = [markdown_text(pair["first"]), markdown_text(pair["second"])]
        cells += [signed(test["difference"]), interval_text(interval_of(test)).replace("[", r"\[")]
        rows.append(
            [*cells, p_value_text(test["p_value"], test), p_value_text(test["p_holm"], test)]
        )
    yield from ("<details><summary>Tests of all pairs, first minus second</summary>", "")
    yield from pipe_table(header, rows, left=2)
    yield from ("</details>", "")


def _signature_list(metric: str, boards: Sequence[Result]) -> Iterator[str]:
    for part, system, signature in signatures_of(boards):
        names = [markdown_text(name) for name in (metric, part, system) if name is not None]
        yield f"- {', '.join(names)}: {code(signature)}"
    yield ""


# --- CSV


def _fields(board: Result, row: Result, system: Result) -> TableRow:
    """The values of one system on one board, by column."""
    subset = board["subset"] or {"by": None, "value": None}
    fields = {key: board[key] for key in ("metric", "request", "label", "n_docs", "n_gold")}
    fields |= {"subset_by": subset["by"], "subset": subset["value"], "bits": int(board["bits"])}
    fields |= {key: system.get(key) for key in ("source", "link", "year")}
    fields |= {key: row.get(key) for key in COLUMNS if key not in fields}
    unplaced = system.get("n_unplaced")
    note = misfits(unplaced) if unplaced else ""
    return fields | {"note": note}


# --- summary


def leaderboard_verdict(result: Result) -> str:
    """Summary of a leaderboard: the leader, systems tied with it, and the effect of correction.

    Leader and ties are those of the first metric over all spans; the effect of the correction is
    given for every corrected metric.
    """
    boards = list(filter(is_whole, result["boards"]))
    if not boards:
        return ""
    board = boards[0]
    key = _ranking_score(board)
    if key is None:
        parts = [f"No system has a defined score by {printable(board['metric'])}"]
    elif not any(standing_of(row, "observed")["rank"] for row in board["rows"]):
        parts = [f"Without gold spans, {printable(board['metric'])} ranks no system"]
    elif len(board["rows"]) == 1:
        (row,) = board["rows"]
        reached = f"reaches {_score_text(board, key, row, interval=True)}"
        parts = [f"{printable(row['system'])} {reached}; there is no other system"]
    else:
        parts = [*_first_place(board, key, result["resampling"]["alpha"]), *_moves(boards)]
    return f"{'; '.join(parts)}."


def overview_table(result: Result) -> tuple[list[TableRow], list[TableRow]]:
    """The metrics and the rows of the overview: the standing of each system by each metric.

    Metrics have `name`, `bits` and `is_corrected`; rows have `system` and `cells`, each with the
    `row` of the board and the `standing` that ranks it (None where the board lacks the system).
    """
    metrics, columns = [], []
    for board in filter(is_whole, result["boards"]):
        key = _ranking_score(board) or "observed"
        found = {"name": board["metric"], "bits": board["bits"]}
        metrics.append(found | {"is_corrected": key == "corrected"})
        standings = [standing_of(row, key) for row in board["rows"]]
        cells = ({"row": row, "standing": one} for row, one in zip(board["rows"], standings))
        columns.append({cell["row"]["system"]: cell for cell in cells})
    nothing = {"row": None, "standing": None}
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [
        {"system": name, "cells": [one.get(name, nothing) for one in columns]} for name in names
    ]
    return metrics, rows


def errors_verdict(board: Result, system: Result, documents: Sequence[Result]) -> str:
    """The document that costs a system most, with its cost, as a sentence.

    Parameters
    ----------
    board : dict
        The board of the metric that costs are measured by.
    system : dict
        One of its systems.
    documents : sequence of dict
        Its worst documents with name and cost, the worst first.
    """
    name = printable(system["name"])
    score = "the corrected " * is_corrected(board) + printable(board["metric"])
    if not documents:
        return f"Without any single document, {score} of {name} would not be better."
    cost, digits = documents[0]["cost"], 1 if board["bits"] else 4
    worst = [document["name"] for document in documents if isclose(document["cost"], cost)]
    amount = brief_amount(cost, digits)
    all_known = len(worst) < max(2, len(documents))  # more may cost as much
    where = _named(worst, "document") if all_known else f"{printable(worst[0])} and others"
    without = f"without {'it' if len(worst) == 1 else 'any one of them'}"
    better = f"{score} would be {amount}{' bits' * board['bits']} better"
    return f"{name} loses most on {where}: {without}, {better}."


# --- parts of the sentence


def _ranking_score(board: Result) -> str | None:
    """The key of the ranking score: "corrected" if any is defined, "observed", or None."""
    found = (key for key in ("corrected", "observed") if any(_scored(board["rows"], key)))
    return next(found, None)


def _scored(rows: Iterable[Result], key: str) -> Iterator[Result]:
    """The rows with a defined score."""
    return (row for row in rows if row.get(key) is not None)


def _score_text(
    board: Result, key: str, row: Result, interval: bool = False, metric: bool = True
) -> str:
    """A score with, on request, its interval and its metric."""
    digits = 1 if board["bits"] else 3
    limits = brief_interval(interval_of(row, key), digits) if interval else ""
    unit = "bits" if board["bits"] else ""
    kind = beyond_chance(row[key]) if key == "corrected" else ""
    notes = ["not corrected for chance"] * (not kind) + ["lower is better"] * is_lower_better(board)
    note = f" ({', '.join(notes)})" if notes else ""
    by = f"by {printable(board['metric'])}" if metric else ""
    words = (brief(row[key], digits), limits, unit, kind, by)
    return " ".join(filter(None, words)) + note


def _first_place(board: Result, key: str, alpha: float) -> Iterator[str]:
    """Clauses on the first place, and on the systems that differ from it significantly."""
    rows = list(_scored(board["rows"], key))
    ranks = [standing_of(row, key)["rank"] for row in rows]
    best = [row for row, rank in zip(rows, ranks) if rank == min(ranks)]
    leaders = [row["system"] for row in best]
    others = [row["system"] for row in rows if row not in best]
    score, tests = _score_text(board, key, best[0]), _tests(board, key, alpha)
    one = len(leaders) == 1
    if len(tests) == len(rows) * (len(rows) - 1) // 2 and {*tests.values()} == {"equal"}:
        equal = "No two systems can be distinguished"
        apart = "The two systems cannot be distinguished" if len(rows) == 2 else equal
        yield f"{apart} by {printable(board['metric'])}"
        score = _score_text(board, key, best[0], metric=False)
        yield f"{_named(leaders)} {'has' if one else 'have'} the best score, {score}"
    elif len(rows) == 1:
        yield f"{_named(leaders)} reaches {score}"
    else:
        who = _named(leaders) if len(leaders) <= NAMED else _named(leaders).capitalize()
        yield f"{who} {'leads with' if one else 'share first place with'} {score}"
        yield from _tested(leaders, others, tests)
    kind = "corrected " * (key == "corrected")
    if undefined := len(board["rows"]) - len(rows):
        have = "has" if undefined == 1 else "have"
        yield f"{quantity_word(undefined, 'system')} {have} no defined {kind}score"


def _tests(board: Result, key: str, alpha: float) -> Tests:
    """The results of all tests, by pair of systems."""
    results = {}
    for pair in board["pairs"]:
        test = pair[key]
        if test["p_holm"] is not None:
            decided = "different" if test["p_holm"] < alpha else "equal"
            undecided = test.get("decided") is False
            both = frozenset((pair["first"], pair["second"]))
            results[both] = "undecided" if undecided else decided
    return results


def _tested(leaders: Sequence[str], others: Sequence[str], tests: Tests) -> Iterator[str]:
    """Clauses on the results of the tests of all other systems against the first."""
    if not tests:
        yield "differences were not tested"
        return
    by_result: dict[str, list[str]] = {result: [] for result in RESULTS}
    for name in others:
        found = {tests.get(frozenset((name, leader)), "untested") for leader in leaders}
        by_result[min(found, key=RESULTS.index)].append(name)
    equal, undecided, untested, different = (by_result[result] for result in RESULTS)
    one = len(leaders) == 1
    if equal:
        whom = "no other system" if len(equal) == len(others) > NAMED else _named(equal)
        can = "can" if whom.startswith("no ") else "cannot"
        yield f"{whom} {can} be told from {'it' if one else 'at least one of them'}"
    if undecided:
        differs = "differs" if len(undecided) == 1 else "differ"
        of = "it" if one else "them"
        yield f"the tests do not decide whether {_named(undecided)} {differs} from {of}"
    if untested:
        yield f"{_named(untested)} could not be tested"
    if others and len(different) == len(others):
        whom = f"all {count_word(len(others))} others" if len(others) > NAMED else _named(others)
        yield f"{'it differs' if one else 'they differ'} significantly from {whom}"


def _moves(boards: Iterable[Result]) -> Iterator[str]:
    """Clauses on the number of systems whose rank changes by the correction, by metric."""
    moved = {}
    for board in boards:
        changes = [row["change"] for row in board["rows"] if row["change"] is not None]
        if len(changes) > 1:
            moved[printable(board["metric"])] = len(list(filter(None, changes))), len(changes)
    if not moved:
        return
    parts = [f"{n} of {of} systems by {metric}" for metric, (n, of) in moved.items() if n]
    if len(parts) > NAMED:
        yield f"the correction moves systems by {len(parts)} of {len(moved)} metrics"
    else:
        yield f"the correction moves {in_sentence(parts) or 'no system'}"


def _named(names: Sequence[str], what: str = "system") -> str:
    """The names of a few systems or documents, or the number of many."""
    return few(list(map(printable, names)), what, NAMED)
