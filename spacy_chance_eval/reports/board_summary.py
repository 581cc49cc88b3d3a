"""The summary of a leaderboard: a sentence, and a table of systems by metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isclose
from typing import TypeAlias

from .leaderboard import is_corrected, is_lower_better, is_whole
from .words import (
    Result,
    TableRow,
    beyond_chance,
    brief,
    brief_amount,
    brief_interval,
    count_word,
    in_sentence,
    printable,
    quantity_word,
)

NAMED = 2  # systems named in a sentence; more are only counted
Tests: TypeAlias = Mapping[frozenset[str], str]  # the results of pairs of systems
RESULTS = ("equal", "undecided", "untested", "different")  # the first that occurs counts


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
    elif not any(row["observed"]["rank"] for row in board["rows"]):
        parts = [f"Without gold spans, {printable(board['metric'])} ranks no system"]
    elif len(board["rows"]) == 1:
        parts = [_only_system(board, key)]
    else:
        parts = [*_first_place(board, key, result["resampling"]["alpha"]), *_moves(boards)]
    return f"{'; '.join(parts)}."


def overview_table(result: Result) -> tuple[list[TableRow], list[TableRow]]:
    """The metrics and the rows of the overview: the standing of each system by each metric.

    Metrics have `name`, `bits` and `corrected`; rows have `system` and `cells`, each with the
    `row` of the board and the `standing` that ranks it (None where the board lacks the system).
    """
    metrics, columns = [], []
    for board in filter(is_whole, result["boards"]):
        key = _ranking_score(board) or "observed"
        corrected = key == "corrected"
        metrics.append({"name": board["metric"], "bits": board["bits"], "corrected": corrected})
        columns.append({row["system"]: {"row": row, "standing": row[key]} for row in board["rows"]})
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
    return (row for row in rows if row[key] is not None and row[key]["score"] is not None)


def _score_text(
    board: Result, key: str, row: Result, interval: bool = False, metric: bool = True
) -> str:
    """A score with, on request, its interval and its metric."""
    digits = 1 if board["bits"] else 3
    limits = brief_interval(row[key]["interval"], digits) if interval else ""
    unit = "bits" if board["bits"] else ""
    kind = beyond_chance(row[key]["score"]) if key == "corrected" else ""
    notes = ["not corrected for chance"] * (not kind) + ["lower is better"] * is_lower_better(board)
    note = f" ({', '.join(notes)})" if notes else ""
    by = f"by {printable(board['metric'])}" if metric else ""
    words = (brief(row[key]["score"], digits), limits, unit, kind, by)
    return " ".join(filter(None, words)) + note


def _only_system(board: Result, key: str) -> str:
    """The score of the only system of a board."""
    (row,) = board["rows"]
    score = _score_text(board, key, row, interval=True)
    return f"{printable(row['system'])} reaches {score}; there is no other system"


def _first_place(board: Result, key: str, alpha: float) -> Iterator[str]:
    """Clauses on the first place, and on the systems that differ from it significantly."""
    rows = list(_scored(board["rows"], key))
    first = min(row[key]["rank"] for row in rows)
    best = [row for row in rows if row[key]["rank"] == first]
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
        if test is not None and test["p_holm"] is not None:
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
    if len(names) > NAMED:
        return quantity_word(len(names), what)
    return in_sentence(list(map(printable, names)))
