"""The effect of the correction for chance on a leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, TypeAlias

Result: TypeAlias = Mapping[str, Any]  # plain values, ready for JSON
Row: TypeAlias = Mapping[str, Any]


def correction_facts(result: Result) -> dict[str, dict[str, Any]]:
    """The changes by the correction, by metric; metrics without a chance model are left out.

    Returns
    -------
    dict
        Of each metric "all", a dict of facts about the board of all spans, and "parts", {"label" or
        what subsets are by: a list of such dicts, with the "part"}, and "part_swaps", {the same:
        pairs of parts whose order differs for some systems, {"up", "down", "n_systems"}: the part
        with the higher corrected and lower observed score, the other one, for how many systems}.
        A dict of facts has:

        systems : {name: {"observed", "expected", "corrected"}}, best corrected score first
        expected, observed, corrected, loss : [lowest, highest] over the systems; a loss is observed
            minus corrected
        swaps : pairs of systems whose order differs, {"up", "down", "observed", "corrected",
            "distinct"}: the system that is ahead after the correction, the other one, how far ahead
            it is before and after it, and whether the test calls that a difference before or after;
            None without tests
        n_pairs, n_distinct, n_open : number of pairs, and {"observed", "corrected": of those that
            differ by the test, and of those of which more replicas might change the result}; None
            without tests
        gained, lost : pairs of names that differ by the test after the correction only, or before
            it only, and are decided
    """
    alpha = result["resampling"]["alpha"]
    facts: dict[str, dict[str, Any]] = {}
    for board in result["boards"]:
        found = _facts_of(board, alpha)
        if found is None:
            continue
        metric = facts.setdefault(board["metric"], {"all": None, "parts": {}})
        if board["subset"] is not None:
            by, part = board["subset"]["by"], board["subset"]["value"]
        elif board["label"] is not None:
            by, part = "label", board["label"]
        else:
            metric["all"] = found
            continue
        metric["parts"].setdefault(by, []).append({"part": part, **found})
    for metric in facts.values():
        metric["part_swaps"] = {
            by: list(_part_swaps(parts)) for by, parts in metric["parts"].items()
        }
    return {name: metric for name, metric in facts.items() if metric["all"] is not None}


def _facts_of(board: Result, alpha: float) -> dict[str, Any] | None:
    """The changes on one board; None where no score is corrected or defined."""
    rows = [row for row in board["rows"] if _is_defined(row)]
    if not rows or not board["n_gold"]:
        return None
    rows.sort(key=lambda row: -row["corrected"]["score"])
    systems = {
        row["system"]: {
            "observed": row["observed"]["score"],
            "expected": row["expected"],
            "corrected": row["corrected"]["score"],
        }
        for row in rows
    }
    columns = ("observed", "corrected")
    tested = {column: _pairs(board, _differs(column, alpha)) for column in columns}
    still_open = {column: _pairs(board, _is_open(column)) for column in columns}
    certain = _pairs(board, lambda pair: True) - still_open["observed"] - still_open["corrected"]
    has_tests = bool(_pairs(board, _is_tested))
    distinct = tested["observed"] | tested["corrected"] if has_tests else None
    return {
        "n_docs": board["n_docs"],
        "n_gold": board["n_gold"],
        "systems": systems,
        **{
            key: _range(one[key] for one in systems.values())
            for key in ("observed", "expected", "corrected")
        },
        "loss": _range(one["observed"] - one["corrected"] for one in systems.values()),
        "swaps": list(_swaps(systems, distinct)),
        "n_pairs": len(board["pairs"]) if has_tests else None,
        "n_distinct": {column: len(pairs) for column, pairs in tested.items()}
        if has_tests
        else None,
        "n_open": {column: len(pairs) for column, pairs in still_open.items()}
        if has_tests
        else None,
        "gained": _names((tested["corrected"] - tested["observed"]) & certain, systems),
        "lost": _names((tested["observed"] - tested["corrected"]) & certain, systems),
    }


def _part_swaps(parts: Sequence[Result]) -> Iterable[dict[str, Any]]:
    """The pairs of labels, or of subsets, whose order differs for some systems."""
    for up, down in permutations(parts, 2):
        pairs = [
            (up["systems"][name], down["systems"][name])
            for name in up["systems"].keys() & down["systems"].keys()
        ]
        n_systems = sum(
            one["observed"] < other["observed"] and one["corrected"] > other["corrected"]
            for one, other in pairs
        )
        if n_systems:
            yield {"up": up["part"], "down": down["part"], "n_systems": n_systems}


def _is_defined(row: Row) -> bool:
    """Whether a system has an observed, an expected and a corrected score."""
    scores = row["observed"], row["corrected"]
    return row["expected"] is not None and all(one and one["score"] is not None for one in scores)


def _is_tested(pair: Result) -> bool:
    """Whether there is a test of a pair, before or after the correction."""
    columns = (pair.get(column) or {} for column in ("observed", "corrected"))
    return any(one.get("p_holm") is not None for one in columns)


def _differs(column: str, alpha: float) -> Callable[[Result], bool]:
    """A function that tells whether the test of a pair calls a column different."""

    def differs(pair: Result) -> bool:
        p_value = (pair.get(column) or {}).get("p_holm")
        return p_value is not None and p_value < alpha

    return differs


def _is_open(column: str) -> Callable[[Result], bool]:
    """A function that tells whether more replicas could change the result of a pair's test."""

    def is_open(pair: Result) -> bool:
        return (pair.get(column) or {}).get("decided") is False

    return is_open


def _pairs(board: Result, chosen: Callable[[Result], bool]) -> set[frozenset[str]]:
    """The pairs of systems of a board that a function chooses."""
    return {frozenset((one["first"], one["second"])) for one in board["pairs"] if chosen(one)}


def _range(values: Iterable[float]) -> list[float]:
    """The lowest and the highest value."""
    known = list(values)
    return [min(known), max(known)]


def _swaps(
    systems: Mapping[str, Mapping[str, float]], distinct: set[frozenset[str]] | None
) -> Iterable[dict[str, Any]]:
    """The pairs of systems whose order differs; `systems` in the order of the corrected scores."""
    for up, down in combinations(systems, 2):
        ahead = {
            column: systems[up][column] - systems[down][column]
            for column in ("observed", "corrected")
        }
        if ahead["observed"] < 0 < ahead["corrected"]:
            called = None if distinct is None else frozenset((up, down)) in distinct
            yield {"up": up, "down": down, **ahead, "distinct": called}


def _names(pairs: set[frozenset[str]], order: Iterable[str]) -> list[Sequence[str]]:
    """Pairs of names, in the order of the board."""
    places = {name: place for place, name in enumerate(order)}
    return sorted(
        (sorted(pair, key=places.__getitem__) for pair in pairs if pair <= places.keys()),
        key=lambda pair: [places[name] for name in pair],
    )
