"""Plans as text: how many documents more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..scoring.statistics import headline
from .tables import fitted_table, signature_lines, warning_lines
from .words import (
    DASH,
    Result,
    brief,
    brief_amount,
    number,
    printable,
    quantity_word,
    share,
    signed,
)

SHOWN = 12  # labels of a table
BOUNDS = {"about": "", "at most": "<= ", "more than": "> "}

_Table: TypeAlias = tuple[str, list[str], list[list[str]]]  # caption, header, rows


def plan_text(result: Result) -> str:
    """The answer in words, then present values, curve and labels of the first metric."""
    parts = ["", plan_verdict(result), ""]
    for caption, header, rows in _tables(result):
        parts += [caption, fitted_table(header, rows).rstrip("\n"), ""]
    parts += map(printable, result["notes"])
    parts += list(warning_lines(result))
    shown = _leading_plan(result) or result["plans"][0]
    return "\n".join([*parts, *signature_lines([shown["signature"]])])


# --- words


def plan_verdict(result: Result) -> str:
    """Summary of a plan: present precision and power, and the documents that the goals take.

    By the first metric; of several systems, how many pairs the documents at hand tell apart.
    """
    plans = _first_metric(result)
    pairs = [one for one in plans if one["scope"] == "difference"]
    if len(pairs) > 1:
        return _several_pairs(result, pairs)
    return _pair_sentence(result, pairs[0]) if pairs else _width_sentence(result, plans[0])


def needed_text(needed: Result | None) -> str:
    """A number of documents, such as "940" or "> 2,000"; a dash if there is none."""
    if needed is None or needed["n"] is None:
        return DASH
    return f"{BOUNDS[needed['relation']]}{needed['n']:,}"


def _first_metric(result: Result) -> list[Result]:
    """The plans by the first metric."""
    return [one for one in result["plans"] if one["metric"] == result["plans"][0]["metric"]]


def _goal_text(value: float) -> str:
    """A number that was asked for, as it was written: .02."""
    text = f"{value:g}"
    return text.removeprefix("0") if text.startswith("0.") else text


def _units(plan: Result) -> str:
    """The name of the resampled units: documents, articles ..."""
    return f"{str(plan['unit']).removesuffix('s')}s"


def _takes(needed: Result, plan: Result) -> str:
    """The documents that a goal takes, as the end of a clause."""
    n, units = needed["n"], _units(plan)
    if n is None:
        return f"takes no known number of {units}: all resamples score alike"
    if needed["relation"] == "at most":
        return f"takes {n:,} {units} at most, a fifth of those at hand"
    if needed["relation"] == "more than":
        return f"takes more than {n:,} {units}, ten times those at hand"
    return f"takes about {n:,} {units}, {n / plan['n_units']:.1f} times those at hand"


def _width_sentence(result: Result, plan: Result) -> str:
    """The precision of a score, and the number of documents for the wanted width."""
    total, by = plan["total"], f"{plan['score']} {printable(plan['metric'])}"
    what = {
        "system": f"The {by} of {printable(str(plan['first']))}",
        "mean": f"The agreement of the pairs by {by}",
        "team": f"The agreement of all annotators by {by}",
    }[plan["scope"]]
    if total["half_width"] is None:
        return f"{what} has no interval: it is undefined in most resamples."
    half = _goal_text(float(f"{total['half_width']:.2g}"))
    goal = _goal_text(result["goal"]["width"])
    return (
        f"{what}, {brief(headline(total), 3)}, is known to +-{half} with {plan['n_units']:,} "
        f"{_units(plan)}; +-{goal} {_takes(total['for_width'], plan)}."
    )


def _pair_sentence(result: Result, plan: Result) -> str:
    """Whether the documents at hand tell two systems apart, and how many would."""
    total, units = plan["total"], _units(plan)
    first, second = printable(plan["first"]), printable(plan["second"])
    by, difference = f"by {plan['score']} {printable(plan['metric'])}", total["difference"]
    if difference is None:
        return f"{first} and {second} have no difference {by}: a score is undefined."
    if not difference:
        return f"{first} and {second} do not differ {by}: no number of {units} decides."
    power = total["power"]
    # never rounded to 0 or 1
    found = "less than .01" if power < 0.005 else "more than .99" if power > 0.995 else brief(power)
    return (
        f"{first} is {brief_amount(difference, 3)} better than {second} {by}. A difference of that "
        f"size is found on {plan['n_units']:,} {units} like these with power {found}; power "
        f"{_goal_text(result['goal']['power'])} {_takes(total['for_power'], plan)}."
    )


def _several_pairs(result: Result, pairs: Sequence[Result]) -> str:
    """How many pairs the documents at hand tell apart, and how many ten times as many do."""
    needs = [(one["total"]["for_power"], one["n_units"]) for one in pairs]
    reached = [(one["n"], n) for one, n in needs if one["n"] and one["relation"] != "more than"]
    now = sum(needed <= n for needed, n in reached)
    kind = "neighbouring pair" if result["pairs"] == "adjacent" else "pair"
    return (
        f"Of {quantity_word(len(pairs), kind)} by {pairs[0]['score']} "
        f"{printable(pairs[0]['metric'])}, {_at_hand(pairs)} {_units(pairs[0])} tell {now} apart "
        f"with power {_goal_text(result['goal']['power'])}, and ten times as many {len(reached)}."
    )


def _at_hand(plans: Sequence[Result]) -> str:
    """The number of units at hand; the fewest and the most of runs that share only a part."""
    numbers = sorted({one["n_units"] for one in plans})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([numbers[0], numbers[-1]]))


# --- tables


def _tables(result: Result) -> Iterator[_Table]:
    """Present values with the documents for each goal; of the leading plan curve and labels."""
    plans = result["plans"]
    pairs = any(one["total"]["for_power"] for one in plans)
    units = " and ".join(dict.fromkeys(map(_units, plans)))
    scores = " or ".join(dict.fromkeys(one["score"] for one in plans))
    rows = [[_plan_name(one), *_goal_cells(one["total"], pairs)] for one in plans]
    caption = f"{scores} scores: {units} for each goal; at hand {_at_hand(plans)}"
    yield caption, ["plan for", *_goal_header(result, pairs)], rows
    plan = _leading_plan(result)
    if plan is None:
        return
    pair, name = plan["scope"] == "difference", _plan_name(plan)
    rows = [
        [f"{row['times']:g}", f"{row['n']:,}", number(row["half_width"])]
        + [share(row.get("power"))] * pair
        for row in plan["total"]["curve"]
    ]
    yield name, ["times", _units(plan), "+-", *["power"] * pair], rows
    labels = _labels_by_need(plan, "for_power" if pair else "for_width")
    if labels:
        rows = [
            [printable(row["label"]), f"{row['n_spans']:,}", *_goal_cells(row, pair)]
            for row in labels[:SHOWN]
        ]
        more = f" (and {len(labels) - SHOWN} more labels)" if len(labels) > SHOWN else ""
        yield f"{name}, by label{more}", ["label", "spans", *_goal_header(result, pair)], rows


def _leading_plan(result: Result) -> Result | None:
    """Of one system its plan, of two that of their difference, by the first metric; else None."""
    plans = _first_metric(result)
    plans = [one for one in plans if one["scope"] == "difference"] or plans
    return plans[0] if len(plans) == 1 else None


def _labels_by_need(plan: Result, goal: str) -> list[Any]:
    """The labels of a plan: those that need most documents first, those without a number last."""

    def key(row: Result) -> tuple[bool, int, float, str]:
        needed = row[goal]
        beyond = needed["relation"] == "more than"
        half = (row["half_width"] or 0.0) * beyond
        return needed["n"] is None, -(needed["n"] or 0), -half, row["label"]

    return sorted(plan["labels"], key=key)


def _plan_name(plan: Result) -> str:
    """The metric of a plan, and whose it is: of a system, of two, or of annotators."""
    names = {"mean": "mean of the pairs", "team": "all annotators"}
    systems = " - ".join(filter(None, (plan["first"], plan["second"])))
    return printable(f"{plan['metric']}, {names.get(plan['scope'], systems)}")


def _goal_header(result: Result, pairs: bool) -> list[str]:
    """The header of `_goal_cells`."""
    width, power = (_goal_text(result["goal"][key]) for key in ("width", "power"))
    header = ["now", "+-", *["power"] * pairs, f"for +-{width}"]
    return header + [f"for power {power}"] * pairs


def _goal_cells(column: Result, pairs: bool) -> list[str]:
    """The present numbers of all labels or one, and the documents for each goal."""
    is_pair = column["for_power"] is not None
    value = signed(column["difference"]) if is_pair else number(headline(column))
    cells = [value, number(column["half_width"])]
    cells += [share(column["power"])] * pairs + [needed_text(column["for_width"])]
    return cells + [needed_text(column["for_power"])] * pairs
