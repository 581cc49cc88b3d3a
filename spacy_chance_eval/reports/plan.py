"""Plans: how many documents more, in a sentence and in tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..scoring.statistics import headline
from .report import ALL, FOLDED, SCREEN, Column, Report, Section, Table
from .words import (
    DASH,
    Result,
    TableRow,
    brief,
    brief_amount,
    count_word,
    in_sentence,
    number,
    printable,
    quantity,
    share,
    signed,
)

NAMED = 2  # pairs that the verdict names at most
SHOWN, FEW_LABELS = 12, 5  # plans and labels on the screen
BOUNDS = {"about": "", "at most": "<= ", "more than": "> "}
TIMES = (0.5, 1, 2, 5, 10)  # of the documents at hand, on the screen


def plan_report(result: Result) -> Report:
    """The answer in words, then present values, curve and labels of the first metric."""
    tables = list(_tables(result))
    return Report(
        "How many more documents",
        plan_verdict(result),
        [Section("Documents for each goal", (), tables)],
        [],
        [f"Warning: {text}" for text in result.get("warnings", ())],
        next="-o x.csv (the whole curve), -o x.json, -o x.md",
    )


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
    if needed["n"] is None:
        return f"takes no known number of {_units(plan)}: all resamples score alike"
    return f"takes {needed['relation']} {needed['n']:,} {_units(plan)}"


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
    """How many pairs the documents at hand tell apart, and how many the others need."""
    told: list[Result] = []
    about: list[Result] = []
    beyond: list[Result] = []
    for pair in pairs:
        needed = pair["total"]["for_power"]
        if needed["n"] is None or needed["relation"] == "more than":
            beyond.append(pair)
        else:
            (told if needed["n"] <= pair["n_units"] else about).append(pair)
    kind = "neighbouring pair" if result["pairs"] == "adjacent" else "pair"
    units = _units(pairs[0])
    text = (
        f"{_at_hand(pairs)} {units} separate {len(told)} of "
        f"{quantity(len(pairs), kind)} by {pairs[0]['score']} "
        f"{printable(pairs[0]['metric'])} with power {_goal_text(result['goal']['power'])}"
    )
    parts = [
        f"{printable(pair['first'])} and {printable(pair['second'])} need about "
        f"{pair['total']['for_power']['n']:,}"
        for pair in about
    ]
    if len(parts) > NAMED:
        most = max(pair["total"]["for_power"]["n"] for pair in about)
        parts = [f"{count_word(len(about))} more need up to {most:,}"]
    if beyond:
        others = "the other" if told or about else "all"
        known = [one["total"]["for_power"]["n"] for one in beyond]
        least = [n for n in known if n is not None]
        rest = f"more than {min(least):,}" if least else f"no known number of {units}"
        needs = "need" if len(beyond) > 1 else "needs"
        parts.append(f"{others} {count_word(len(beyond))} {needs} {rest}")
    return f"{text}; {in_sentence(parts)}." if parts else f"{text}."


def _at_hand(plans: Sequence[Result]) -> str:
    """The number of units at hand; the fewest and the most of runs that share only a part."""
    numbers = sorted({one["n_units"] for one in plans})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([numbers[0], numbers[-1]]))


# --- tables


def _tables(result: Result) -> Iterator[Table]:
    """Present values with the documents for each goal; of the leading plan curve and labels."""
    plans = result["plans"]
    units = " and ".join(dict.fromkeys(map(_units, plans)))
    first = _first_metric(result)
    first = [one for one in first if one["scope"] == "difference"] or first
    by = f"{first[0]['score']} {printable(first[0]['metric'])}"
    caption = f"{by}: {units} for each goal; at hand {_at_hand(plans)}"
    made = [(_leading_plan(result) or plans[0])["signature"]]
    columns = [Column("name", "plan for", str), *_goal_columns(result)]
    for some, level in ((first, SCREEN), ([one for one in plans if one not in first], ALL)):
        name = _whose if some is first else _plan_name
        rows = [{"name": name(one), **_goals(one["total"])} for one in some]
        notes = result["notes"] if some is first else ()
        yield Table(caption, columns, rows, notes, (), level, signatures=made, most=SHOWN)
        caption = "The others"
    plan = _leading_plan(result)
    if plan is None:
        return
    pair, of_plan = plan["scope"] == "difference", _plan_name(plan)
    units = _units(plan)
    columns = [
        Column("times", "times", _goal_text),
        Column("n", units, "{:,}".format),
        Column("half_width", "+-"),
        Column("power", "power", share),
    ]
    curve = [{k: row[k] for k in row if pair or k != "power"} for row in plan["total"]["curve"]]
    few = [row for row in curve if row["times"] in TIMES]
    yield Table(f"{of_plan}: by the number of {units}", columns, few, level=SCREEN)
    yield Table(f"{of_plan}: the whole curve", columns, curve, level=FOLDED)
    labels = _labels_by_need(plan, "for_power" if pair else "for_width")
    named = [Column("label", "label", str), Column("n_spans", "spans", "{:,}".format)]
    rows = [{**row, **_goals(row)} for row in labels]
    caption = f"{of_plan}: labels that need most first"
    yield Table(caption, [*named, *_goal_columns(result)], rows, most=FEW_LABELS)


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
    """The score of a plan, and whose it is."""
    return f"{plan['score']} {printable(plan['metric'])}, {_whose(plan)}"


def _whose(plan: Result) -> str:
    """A system, two, or all annotators."""
    names = {"mean": "mean of the pairs", "team": "all annotators"}
    systems = " - ".join(filter(None, (plan["first"], plan["second"])))
    return names.get(plan["scope"], printable(systems))


def _goal_columns(result: Result) -> list[Column]:
    """The columns of `_goals`."""
    width, power = (_goal_text(result["goal"][key]) for key in ("width", "power"))
    return [
        Column("now", "now", write=lambda row: row["now"]),
        Column("half_width", "+-"),
        Column("power", "power", share),
        Column("width", f"for +-{width}", write=lambda row: row["width"]),
        Column("sure", f"for power {power}", write=lambda row: row["sure"]),
    ]


def _goals(column: Result) -> TableRow:
    """The present numbers of all labels or one, and the documents for each goal."""
    is_pair = column["for_power"] is not None
    value = signed(column["difference"]) if is_pair else number(headline(column))
    row = {"now": value, "half_width": column["half_width"]}
    row |= {"width": needed_text(column["for_width"])}
    return row | (
        {"power": column["power"], "sure": needed_text(column["for_power"])} if is_pair else {}
    )
