"""Plans as text and records: how many documents more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..scoring.statistics import headline
from .notebook import NotebookTable
from .tables import fitted_table, signature_lines, warning_lines
from .words import (
    DASH,
    Result,
    brief,
    brief_amount,
    few,
    in_sentence,
    number,
    printable,
    quantity_word,
    share,
    signed,
)

NUMBERS = ("observed", "corrected", "difference")  # of which each plan has one
COLUMNS = (
    *("metric", "score", "scope", "first", "second", "label", *NUMBERS, "low", "high"),
    *("times", "n", "half_width", "power"),
    *("n_for_width", "n_for_width_relation", "n_for_power", "n_for_power_relation"),
)
NAMED = 3  # pairs that a sentence names
LEAST, LEAST_POWER = 0.0005, 0.005  # smaller ones would be rounded to 0
SHOWN = 12  # labels of a table


# --- words


def goal_text(value: float) -> str:
    """A number that was asked for, as it was written: .02."""
    text = f"{value:g}"
    return text.removeprefix("0") if text.startswith("0.") else text


def needed_text(needed: Result | None) -> str:
    """A number of documents, such as "940" or "> 2,000"; a dash if there is none."""
    if needed is None or needed["n"] is None:
        return DASH
    words = {"about": "", "at most": "<= ", "more than": "> "}
    return f"{words[needed['relation']]}{needed['n']:,}"


def plan_verdict(result: Result) -> str:
    """Summary of a plan: present precision and power, and the documents that the goals take.

    By the first metric; of several systems, how many pairs the documents at hand tell apart.
    """
    metric = result["plans"][0]["metric"]
    plans = [one for one in result["plans"] if one["metric"] == metric]
    pairs = [one for one in plans if one["scope"] == "difference"]
    if len(pairs) > 1:
        return _several_pairs(result, pairs)
    if pairs:
        return _pair_sentence(result, pairs[0])
    parts = [_width_sentence(result, one) for one in plans[:NAMED]]
    return " ".join([*parts, *_labels_sentence(result, plans)])


def units_of(plan: Result, n: int = 2) -> str:
    """The name of the resampled units: documents, articles ..., in the singular for one."""
    unit = str(plan["unit"]).removesuffix("s")
    return unit if n == 1 else f"{unit}s"


def _takes(needed: Result, plan: Result) -> str:
    """The documents that a goal takes, as the end of a clause."""
    if needed["n"] is None:
        return f"takes no known number of {units_of(plan)}: all resamples score alike"
    n = needed["n"]
    if needed["relation"] == "at most":
        return f"takes {n:,} {units_of(plan)} at most, a fifth of those at hand"
    if needed["relation"] == "more than":
        return f"takes more than {n:,} {units_of(plan)}, ten times those at hand"
    return f"takes about {n:,} {units_of(plan)}, {n / plan['n_units']:.1f} times those at hand"


def _what(plan: Result) -> str:
    """The score of a plan: corrected span_f of NAME."""
    metric = f"{plan['score']} {printable(plan['metric'])}"
    if plan["scope"] == "system":
        return f"the {metric} of {printable(plan['first'])}"
    whole = {"mean": "the agreement of the pairs", "team": "the agreement of all annotators"}
    return f"{whole[plan['scope']]} by {metric}"


def _width_sentence(result: Result, plan: Result) -> str:
    """The precision of a score, and the number of documents for the wanted width."""
    total, goal = plan["total"], result["goal"]
    if total["half_width"] is None:
        return f"{_what(plan).capitalize()} has no interval: it is undefined in most resamples."
    n, what = plan["n_units"], _what(plan)
    known = (
        f"{what[:1].upper()}{what[1:]}, {brief(_planned(total), 3)}, is known to +-{_size(total)}"
    )
    takes = _takes(total["for_width"], plan)
    return f"{known} with {n:,} {units_of(plan, n)}; +-{goal_text(goal['width'])} {takes}."


def _planned(column: Result) -> float | None:
    """The number that is planned for: a difference or a score."""
    number: float | None = column["difference"] if "difference" in column else headline(column)
    return number


def _size(total: Result) -> str:
    """A half-width for a sentence."""
    half = total["half_width"]
    return brief(half, 3) if half >= LEAST or not half else goal_text(float(f"{half:.1g}"))


def power_text(power: float) -> str:
    """A power for a sentence, never rounded to 0 or 1."""
    if LEAST_POWER <= power <= 1 - LEAST_POWER:
        return brief(power)
    return "less than .01" if power < LEAST_POWER else "more than .99"


def _pair_sentence(result: Result, plan: Result) -> str:
    """Whether the documents at hand tell two systems apart, and how many would."""
    total, goal = plan["total"], result["goal"]
    first, second = printable(plan["first"]), printable(plan["second"])
    by = f"by {plan['score']} {printable(plan['metric'])}"
    if total["difference"] is None:
        return f"{first} and {second} have no difference {by}: a score is undefined."
    if not total["difference"]:
        return f"{first} and {second} do not differ {by}: no number of {units_of(plan)} decides."
    takes = _takes(total["for_power"], plan)
    n = plan["n_units"]
    where = f"on {n:,} {units_of(plan, n)} like these"
    return (
        f"{first} is {brief_amount(total['difference'], 3)} better than {second} {by}. A "
        f"difference of that size is found {where} with power {power_text(total['power'])}; power "
        f"{goal_text(goal['power'])} {takes}."
    )


def _several_pairs(result: Result, pairs: Sequence[Result]) -> str:
    """How many pairs the documents at hand separate, and how many ten times as many do."""
    enough, more, never = [], [], []
    for plan in pairs:
        needed = plan["total"]["for_power"]
        name = f"{printable(plan['first'])} from {printable(plan['second'])}"
        if needed["n"] is None or needed["relation"] == "more than":
            never.append(name)
        elif needed["n"] <= plan["n_units"]:
            enough.append(name)
        else:
            more.append(f"{name} (about {needed['n']:,})")
    goal, unit = result["goal"], units_of(pairs[0])
    kind = "neighbouring " * (result["pairs"] == "adjacent")
    parts = [
        f"Of {quantity_word(len(pairs), f'{kind}pair')} by {pairs[0]['score']} "
        f"{printable(pairs[0]['metric'])}, {_at_hand(pairs)} {unit} tell "
        f"{few(enough, 'pair', NAMED) or 'none'} with power {goal_text(goal['power'])}"
    ]
    if more:
        parts.append(f"more {unit} would tell {few(more, 'pair', NAMED)}")
    if never:
        parts.append(f"ten times as many do not tell {few(never, 'pair', NAMED)}")
    return "; ".join(parts) + "."


def _at_hand(plans: Sequence[Result]) -> str:
    """The number of units at hand; the fewest and the most of runs that share only a part."""
    numbers = sorted({one["n_units"] for one in plans})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([numbers[0], numbers[-1]]))


def _labels_sentence(result: Result, plans: Sequence[Result]) -> Iterator[str]:
    """Which label needs most documents, where annotation is planned for."""
    if result["kind"] != "annotators" or len(plans[0]["labels"]) < 2:
        return
    rows = [one for one in labels_by_need(plans[0], "for_width") if one["for_width"]["n"]]
    if rows:
        needed = rows[0]["for_width"]
        more = {"more than": "more than ", "at most": "at most ", "about": "about "}
        yield (
            f"Of the labels, {printable(rows[0]['label'])} needs most: "
            f"{more[needed['relation']]}{needed['n']:,} {units_of(plans[0])}."
        )


def labels_by_need(plan: Result, goal: str) -> list[Any]:
    """The labels of a plan: those that need most documents first, those without a number last."""

    def key(row: Result) -> tuple[bool, int, float, str]:
        needed = row[goal]
        if needed["n"] is None:
            return True, 0, 0.0, row["label"]
        beyond = needed["relation"] == "more than"
        return False, -needed["n"], -(row["half_width"] or 0.0) * beyond, row["label"]

    return sorted(plan["labels"], key=key)


# --- tables


def plan_name(plan: Result) -> str:
    """The name of a plan: a system, two systems, or all annotators."""
    if plan["scope"] in ("mean", "team"):
        return "mean of the pairs" if plan["scope"] == "mean" else "all annotators"
    names = [plan["first"], *([plan["second"]] if plan["second"] else [])]
    return printable(" - ".join(names))


def leading_plans(result: Result) -> list[Result]:
    """The plans with a curve of their own in the text.

    Of one system it, of two their difference, by each metric; none of more systems.
    """
    plans: Sequence[Result] = result["plans"]
    metrics = list(dict.fromkeys(one["metric"] for one in plans))
    found = []
    for metric in metrics:
        mine = [one for one in plans if one["metric"] == metric]
        pairs = [one for one in mine if one["scope"] == "difference"]
        if len(mine) == 1 or len(pairs) == 1:
            found += pairs or mine
    return found


def plan_tables(result: Result) -> Iterator[NotebookTable]:
    """The summary, then curves and labels of the leading plans of the first metric."""
    yield summary_table(result)
    for plan in leading_plans(result):
        if plan["metric"] == result["plans"][0]["metric"]:
            yield curve_table(plan)
            if plan["labels"]:
                yield label_table(result, plan)


def summary_table(result: Result) -> NotebookTable:
    """One row for each plan: present values, and the documents for each goal."""
    plans = result["plans"]
    pairs = any(one["total"]["for_power"] for one in plans)
    units = list(dict.fromkeys(units_of(one) for one in plans))
    header = ["plan for", *_goal_header(result, pairs)]
    rows = [[_row_name(one, plans), *_goal_cells(one["total"], pairs)] for one in plans]
    metrics = in_sentence(list(dict.fromkeys(printable(one["metric"]) for one in plans)))
    scores = " or ".join(dict.fromkeys(one["score"] for one in plans))
    caption = f"{scores} {metrics}: {' and '.join(units)} for each goal; at hand {_at_hand(plans)}"
    return NotebookTable(caption, header, rows)


def _row_name(plan: Result, plans: Sequence[Result]) -> str:
    """The metric and the name of a plan: what distinguishes it from others."""
    metric, name = printable(plan["metric"]), plan_name(plan)
    if len({one["metric"] for one in plans}) == 1:
        return name
    return metric if len({plan_name(one) for one in plans}) == 1 else f"{metric}, {name}"


def _goal_header(result: Result, pairs: bool) -> list[str]:
    """The header of `_goal_cells`."""
    goal = result["goal"]
    width, power = (f"for +-{goal_text(goal['width'])}", f"for power {goal_text(goal['power'])}")
    return ["now", "+-", "power", width, power] if pairs else ["now", "+-", width]


def _goal_cells(column: Result, pairs: bool) -> list[str]:
    """The present numbers of all labels or one, and the documents for each goal."""
    value = signed if column["for_power"] else number
    cells = [value(_planned(column)), number(column["half_width"])]
    cells += [share(column["power"])] * pairs + [needed_text(column["for_width"])]
    return cells + [needed_text(column["for_power"])] * pairs


def curve_table(plan: Result) -> NotebookTable:
    """Half-width and power by the number of documents."""
    pair = plan["total"]["for_power"] is not None
    header = ["times", units_of(plan), "+-", *["power"] * pair]
    rows = [
        [
            *(f"{row['times']:g}", f"{row['n']:,}", number(row["half_width"])),
            *[share(row.get("power"))] * pair,
        ]
        for row in plan["total"]["curve"]
    ]
    return NotebookTable(f"{printable(plan['metric'])}, {plan_name(plan)}", header, rows)


def label_table(result: Result, plan: Result) -> NotebookTable:
    """Labels, those that need most documents first."""
    pair = plan["total"]["for_power"] is not None
    header = ["label", "spans", *_goal_header(result, pair)]
    rows = [
        [printable(row["label"]), f"{row['n_spans']:,}", *_goal_cells(row, pair)]
        for row in labels_by_need(plan, "for_power" if pair else "for_width")
    ]
    note = f"and {len(rows) - SHOWN} more labels" if len(rows) > SHOWN else ""
    caption = f"{printable(plan['metric'])}, {plan_name(plan)}, by label"
    return NotebookTable(caption, header, rows[:SHOWN], note)


def plan_text(result: Result) -> str:
    """The verdict, then the tables."""
    parts = ["", plan_verdict(result), ""]
    for table in plan_tables(result):
        parts += [table.caption, fitted_table(table.header, table.rows).rstrip("\n")]
        parts += [table.note] * bool(table.note) + [""]
    parts += map(printable, result["notes"])
    parts += list(warning_lines(result))
    shown = leading_plans(result) or result["plans"]
    parts += signature_lines(one["signature"] for one in shown[:1])
    return "\n".join(parts)


# --- CSV


def plan_records(result: Result) -> Iterator[dict[str, Any]]:
    """One flat row for each plan, label and number of documents, all with the same keys."""
    for plan in result["plans"]:
        about = {key: plan[key] for key in ("metric", "score", "scope", "first", "second")}
        for column in (plan["total"], *plan["labels"]):
            numbers = {key: column.get(key) for key in (*NUMBERS, "low", "high")}
            own = about | {"label": column.get("label")} | numbers
            needs: dict[str, Any] = {}
            for goal in ("for_width", "for_power"):
                needed = column[goal] or {}
                needs |= {f"n_{goal}": needed.get("n")}
                needs |= {f"n_{goal}_relation": needed.get("relation")}
            for row in column["curve"]:
                cells = own | needs | {"power": None} | row
                yield {name: cells[name] for name in COLUMNS}
