"""Plans as text, CSV, figure and page: how many documents more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .figures import (
    CORRECTED,
    LINE,
    MARGIN,
    OBSERVED,
    TICK_ROOM,
    TITLE_ROOM,
    WIDTH,
    Area,
    Figure,
    Group,
    Line,
    Mark,
    Marker,
    Scale,
    Style,
    Text,
    bottom_axis,
    curve,
    fitting_name,
    fitting_ticks,
    left_axis,
    left_room,
    svg_element,
)
from .notebook import NotebookTable
from .tables import csv_text, fitted_table, signature_lines, warning_lines
from .words import (
    DASH,
    Result,
    brief,
    brief_amount,
    count_word,
    in_sentence,
    number,
    printable,
    quantity_word,
    share,
    signed,
)

TITLE = "How many documents more?"
HOW_TO_READ = (
    "A plan draws samples of documents, with replacement, from those at hand, a fifth to ten times "
    "as many, and asks of each size how wide the interval of a score would be, and how often the "
    "paired test would tell two systems apart at their present difference (the power). It takes "
    "documents to be exchangeable, new ones to be like those at hand, and the difference to stay "
    "as it is. The interval of a number of documents shows how far the data at hand leave it open: "
    "the present difference, too, is an estimate."
)
HOW_TO_READ_GUESS = (
    "Each gold span is right or wrong, independently of the others, and a system that misses a "
    "span has a wrong one in its place, so that precision, recall and F are the share that is "
    "right. Spans of one document are more alike than that, so that a real corpus needs more."
)
COLUMNS = (
    *("metric", "score", "scope", "first", "second", "label", "value", "low", "high"),
    *("times", "n", "half_width", "half_width_low", "half_width_high"),
    *("power", "power_low", "power_high", "detectable"),
    *("n_for_width", "n_for_width_relation", "n_for_width_low", "n_for_width_high"),
    *("n_for_power", "n_for_power_relation", "n_for_power_low", "n_for_power_high", "reason"),
)
OPEN = "Between, and in brackets: what the data at hand leave open."
FINDS = " Finds: the smallest difference found with the wanted power."
NAMED = 3  # pairs that a sentence names
LEAST, LEAST_POWER = 0.0005, 0.005  # smaller ones would be rounded to 0
SHOWN = 12  # labels of a table
NAME, HEIGHT = 16.0, 92.0  # points: space above a panel, and its height
PANEL = NAME + HEIGHT + TICK_ROOM + TITLE_ROOM
STYLE = Style(OBSERVED, "circle")
GOAL_STYLE = Style(CORRECTED, "", "4 2")
BAND = 0.15  # opacity of intervals
MOST_PANELS = 12


# --- words


def goal_text(value: float) -> str:
    """A number that was asked for, as it was written: .02."""
    text = f"{value:g}"
    return text.removeprefix("0") if text.startswith("0.") else text


def needed_text(needed: Result | None) -> str:
    """A number of documents with its interval, such as "about 940 [700, 1,300]"; a dash if none."""
    if needed is None or needed["n"] is None:
        return DASH
    words = {"about": "", "at most": "<= ", "more than": "> "}
    return f"{words[needed['relation']]}{needed['n']:,}{_interval(needed)}"


def _interval(needed: Result) -> str:
    """The interval of a number of documents in brackets; "" if there is none."""
    if needed["interval"] is None or needed["relation"] == "at most":
        return ""
    low, high = needed["interval"]
    if low is None:
        return ""
    return f" [{low:,}, {'more' if high is None else f'{high:,}'}]"


def plan_verdict(result: Result) -> str:
    """Summary of a plan: present precision and power, and the documents that the goals take.

    By the first metric; of several systems, how many pairs the documents at hand tell apart.

    Parameters
    ----------
    result : dict
        A plan, as `tasks.plan` makes it.
    """
    metric = result["plans"][0]["metric"]
    plans = [one for one in result["plans"] if one["metric"] == metric]
    pairs = [one for one in plans if one["scope"] == "difference"]
    if len(pairs) > 1 and result["kind"] != "guess":
        return _several_pairs(result, pairs)
    if result["kind"] == "guess" and pairs:
        found = [_width_sentence(result, plans[0]), *(_guess_sentence(result, p) for p in pairs)]
        return " ".join(dict.fromkeys(found))
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
        return f"takes no known number of {units_of(plan)}: {needed['reason']}"
    low, high = needed["interval"] or (None, None)
    n, times = needed["n"], needed["n"] / plan["n_units"]
    if needed["relation"] == "at most":
        return f"takes {n:,} {units_of(plan)} at most, a fifth of those at hand"
    if needed["relation"] == "more than":
        least = f" (at least {low:,})" if low is not None else ""
        return f"takes more than {n:,} {units_of(plan)}, ten times those at hand{least}"
    between = ""
    if low is not None:
        between = f" ({low:,} to {f'{high:,}' if high is not None else 'more than ten times'})"
    relative = f"{times:.1f} times" if times >= 0.1 else "less than a tenth of"
    return f"takes about {n:,} {units_of(plan)}{between}, {relative} those at hand"


def _what(plan: Result) -> str:
    """The score of a plan: corrected span_f of NAME."""
    metric = f"{plan['score']} {printable(plan['metric'])}"
    if plan["scope"] == "system" and plan["unit"] != "spans":
        return f"the {metric} of {printable(plan['first'])}"
    whole = {"mean": "the agreement of the pairs", "team": "the agreement of all annotators"}
    return f"{whole[plan['scope']]} by {metric}" if plan["scope"] in whole else f"the {metric}"


def _width_sentence(result: Result, plan: Result) -> str:
    """The precision of a score, and the number of documents for the wanted width."""
    total, goal = plan["total"], result["goal"]
    if total["half_width"] is None:
        return f"{_what(plan).capitalize()} has no interval: {total['for_width']['reason']}."
    n, what = plan["n_units"], _what(plan)
    known = (
        f"{what[:1].upper()}{what[1:]}, {brief(total['value'], 3)}, is known to +-{_size(total)}"
    )
    takes = _takes(total["for_width"], plan)
    return f"{known} with {n:,} {units_of(plan, n)}; +-{goal_text(goal['width'])} {takes}."


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
    if total["value"] is None:
        return f"{first} and {second} have no difference {by}: a score is undefined."
    takes = _takes(total["for_power"], plan)
    n = plan["n_units"]
    where = f"on {n:,} {units_of(plan, n)} like these"
    if total["for_power"]["n"] is None:
        return f"{first} and {second}, {by}: {total['for_power']['reason']}."
    return (
        f"{first} is {brief_amount(total['value'], 3)} better than {second} {by}. A difference of "
        f"that size is found {where} with power {power_text(total['power'])}; power "
        f"{goal_text(goal['power'])} {takes}."
    )


def _guess_sentence(result: Result, plan: Result) -> str:
    """The power for a guessed difference."""
    total, goal = plan["total"], result["goal"]
    name, spans = plan["first"], plan["n_units"]
    if total["for_power"]["n"] is None:
        return "A difference of 0 is never found."
    return (
        f"With {name}, a difference of {brief_amount(total['value'], 3)} is found on {spans:,} "
        f"spans with power {power_text(total['power'])}; power {goal_text(goal['power'])} takes "
        f"about {total['for_power']['n']:,} spans."
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
        f"{_named(enough)} with power {goal_text(goal['power'])}"
    ]
    if more:
        parts.append(f"more {unit} would tell {_named(more)}")
    if never:
        parts.append(f"ten times as many do not tell {_named(never)}")
    return "; ".join(parts) + "."


def _at_hand(plans: Sequence[Result]) -> str:
    """The number of units at hand; the fewest and the most of runs that share only a part."""
    numbers = sorted({one["n_units"] for one in plans})
    return " to ".join(f"{n:,}" for n in dict.fromkeys([numbers[0], numbers[-1]]))


def _named(names: Sequence[str]) -> str:
    """Names for a sentence, or their number if there are many."""
    if not names:
        return "none"
    return in_sentence(names) if len(names) <= NAMED else f"{count_word(len(names))} pairs"


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
        if result["kind"] == "guess":
            found += mine
        elif len(mine) == 1 or len(pairs) == 1:
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
    cells = [value(column["value"]), number(column["half_width"])]
    cells += [share(column["power"])] * pairs + [needed_text(column["for_width"])]
    return cells + [needed_text(column["for_power"])] * pairs


def curve_table(plan: Result) -> NotebookTable:
    """Half-width and power by the number of documents."""
    pair = plan["total"]["for_power"] is not None
    header = ["times", units_of(plan), "+-", "between"]
    header += ["power", "between", "finds"] * pair
    rows = []
    for row in plan["total"]["curve"]:
        cells = [f"{row['times']:g}", f"{row['n']:,}", number(row["half_width"])]
        cells.append(_between(row["half_width_interval"], number))
        if pair:
            cells += [share(row["power"]), _between(row["power_interval"], share)]
            cells.append(number(row["detectable"]))
        rows.append(cells)
    if all(cells[3] == DASH for cells in rows):  # of a guess
        keep = [i for i, name in enumerate(header) if name != "between"]
        header = [header[i] for i in keep]
        rows = [[cells[i] for i in keep] for cells in rows]
    return NotebookTable(f"{printable(plan['metric'])}, {plan_name(plan)}", header, rows)


def _between(limits: Sequence[float] | None, text: Any) -> str:
    """Two limits: .01-.02; a dash where there are none."""
    return DASH if limits is None else f"{text(limits[0])} to {text(limits[1])}"


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
    """The verdict, then the tables.

    Parameters
    ----------
    result : dict
        A plan, as `tasks.plan` makes it.
    """
    parts = ["", plan_verdict(result), ""]
    for table in plan_tables(result):
        parts += [table.caption, fitted_table(table.header, table.rows).rstrip("\n")]
        parts += [table.note] * bool(table.note) + [""]
    parts += [f"{name}: {text}." for name, text in _reasons(result)]
    parts += map(printable, result["notes"])
    parts += list(warning_lines(result))
    if result["kind"] == "guess":
        parts.append(HOW_TO_READ_GUESS)
    else:
        shown = leading_plans(result)
        parts.append(OPEN + FINDS * any(one["total"]["for_power"] for one in shown))
        shown = shown or result["plans"]
        parts += signature_lines(one["signature"] for one in shown[:1])
    return "\n".join(parts)


def _reasons(result: Result) -> Iterator[tuple[str, str]]:
    """Why there is no number of documents, by plan."""
    for plan in result["plans"]:
        for goal in ("for_width", "for_power"):
            needed = plan["total"][goal]
            if needed is not None and needed["reason"]:
                yield f"{printable(plan['metric'])}, {plan_name(plan)}", needed["reason"]


# --- CSV


def plan_records(result: Result) -> Iterator[dict[str, Any]]:
    """One flat row for each plan, label and number of documents, all with the same keys.

    Parameters
    ----------
    result : dict
        A plan, as `tasks.plan` makes it.
    """
    for plan in result["plans"]:
        about = {key: plan[key] for key in ("metric", "score", "scope", "first", "second")}
        for column in (plan["total"], *plan["labels"]):
            low, high = column["interval"] or (None, None)
            own = about | {"label": column.get("label"), "value": column["value"]}
            own |= {"low": low, "high": high}
            needs: dict[str, Any] = {}
            reasons = []
            for goal in ("for_width", "for_power"):
                needed = column[goal] or {}
                low, high = needed.get("interval") or (None, None)
                needs |= {f"n_{goal}": needed.get("n"), f"n_{goal}_low": low}
                needs |= {f"n_{goal}_high": high, f"n_{goal}_relation": needed.get("relation")}
                reasons += [needed["reason"]] if needed.get("reason") else []
            needs["reason"] = "; ".join(dict.fromkeys(reasons)) or None
            for row in column["curve"]:
                cells = own | needs | {key: row.get(key) for key in ("times", "n", "detectable")}
                for key in ("half_width", "power"):
                    low, high = row.get(f"{key}_interval") or (None, None)
                    cells |= {key: row.get(key), f"{key}_low": low, f"{key}_high": high}
                yield {name: cells[name] for name in COLUMNS}


def plan_csv(result: Result) -> str:
    """The rows of `plan_records` as CSV, numbers in full.

    Parameters
    ----------
    result : dict
        A plan, as `tasks.plan` makes it.
    """
    return csv_text(COLUMNS, plan_records(result))


# --- figure and page


def plan_figure(result: Result, plans: Sequence[Result] | None = None) -> Figure:
    """Half-width and, of differences below it, power by the number of documents.

    Parameters
    ----------
    result : dict
        A plan, as `tasks.plan` makes it.
    plans : sequence of dict, optional
        The plans to draw; by default the leading ones, or the differences of the first metric.
    """
    shown = drawn_plans(result) if plans is None else plans
    marks: list[Mark] = []
    top = 0.0
    for i, plan in enumerate(shown):
        marks.append(Text(0, top + NAME - 6, fitting_name(_panel_name(plan), WIDTH)))
        for key in ("half_width", "power")[: 1 + (plan["total"]["for_power"] is not None)]:
            marks += _panel(result, plan, key, top + NAME, f"{key.replace('_', '-')}-{i}")
            top += PANEL
    return Figure(TITLE, _description(result, shown), top + 1, marks)


def drawn_plans(result: Result) -> list[Result]:
    """The plans of the figure: the leading ones, or the differences of the first metric."""
    leading = leading_plans(result)
    if leading:
        return leading[:MOST_PANELS]
    metric = result["plans"][0]["metric"]
    mine = [one for one in result["plans"] if one["metric"] == metric]
    pairs = [one for one in mine if one["scope"] == "difference"]
    return (pairs or mine)[:MOST_PANELS]


def _panel_name(plan: Result) -> str:
    return f"{plan['metric']}, {plan_name(plan)}"


def _description(result: Result, plans: Sequence[Result]) -> str:
    """A description of the figure for screen readers."""
    return (
        "Half-width of the interval and power of the test by the number of documents, with bands "
        "for what the data at hand leave open; dashed lines mark the goals, vertical lines the "
        f"documents at hand. {plan_verdict(result)} The table has the numbers."
    )


def _panel(result: Result, plan: Result, key: str, top: float, name: str) -> Iterator[Mark]:
    """One plot: a curve with its band, the goal, and the documents at hand."""
    rows = [row for row in plan["total"]["curve"] if row[key] is not None]
    goal = result["goal"]["width" if key == "half_width" else "power"]
    limits = [row[f"{key}_interval"] or (row[key],) * 2 for row in rows]
    highest = 1.0 if key == "power" else 1.05 * max([goal, *(high for _, high in limits)])
    title = "half-width" if key == "half_width" else "power"
    up = Scale(0.0, highest, top + HEIGHT, top)
    ticks = fitting_ticks(up, upright=True)
    start = left_room(ticks, title)
    across = Scale(0, plan["total"]["curve"][-1]["n"], start, WIDTH - 4 * MARGIN)
    yield from left_axis(up, start, across.end, title, ticks=ticks)
    whole = fitting_ticks(across, whole=True, most=5)
    yield from bottom_axis(across, top, top + HEIGHT, units_of(plan), ticks=whole)
    places = [across(row["n"]) for row in rows]
    if rows and rows[0][f"{key}_interval"]:
        ahead = [(x, up(high)) for x, (_, high) in zip(places, limits)]
        back = [(x, up(low)) for x, (low, _) in zip(places, limits)]
        yield Area([*ahead, *back[::-1]], OBSERVED, BAND)
    yield Line(((start, up(goal)), (across.end, up(goal))), CORRECTED, 1.0, GOAL_STYLE.dash)
    here = across(plan["n_units"])
    yield Line(((here, top), (here, top + HEIGHT)), LINE, 0.8)
    heights = [up(row[key]) for row in rows]
    yield from curve(zip(places, heights), Style(OBSERVED))
    for i, (row, x, y) in enumerate(zip(rows, places, heights)):
        text = number(row[key]) if key == "half_width" else share(row[key])
        limit = row[f"{key}_interval"]
        lines = [f"{row['n']:,} {units_of(plan)}", f"{title} {text}"]
        lines += [f"between {number(limit[0])} and {number(limit[1])}"] if limit else []
        yield Group(f"{name}-{i}", lines, [Marker(x, y, STYLE.marker, STYLE.colour)], (x, y))


def plan_page(result: Result) -> str:
    """An HTML page: verdict, table, figures, and every curve.

    Parameters
    ----------
    result : dict
        A plan, as `tasks.plan` makes it.
    """
    from markupsafe import Markup

    from .html import page  # loads jinja2

    summary = summary_table(result)
    guess = result["kind"] == "guess"
    sections = []
    drawn = drawn_plans(result)
    others = [one for one in result["plans"] if one not in drawn]
    for i, plan in enumerate([*drawn, *others], 1):
        tables = [curve_table(plan)]
        if plan["labels"]:
            tables.append(label_table(result, plan))
        figure = svg_element(plan_figure(result, [plan]), f"plan-{i}") if plan in drawn else ""
        about = {"id": f"plan-{i}", "name": _panel_name(plan)}
        sections.append({**about, "tables": tables, "figure": Markup(figure)})
    goal = result["goal"]
    facts = [
        ("Half-width to reach", goal_text(goal["width"])),
        ("Power to reach", f"{goal_text(goal['power'])}, at alpha {goal_text(goal['alpha'])}"),
        ("Test", goal["test"]),
    ]
    if not guess:
        facts.append(("Samples of each size", f"{result['resampling']['resamples']:,}"))
    signatures = [one["signature"] for one in result["plans"] if not guess]
    return page(
        "plan.html",
        signatures=signatures,
        title=TITLE,
        verdict=plan_verdict(result),
        summary=summary,
        sections=sections,
        notes=[*result["notes"], *(f"{name}: {text}" for name, text in _reasons(result))],
        warnings=result["warnings"],
        how_to_read=HOW_TO_READ_GUESS if guess else HOW_TO_READ,
        facts=facts,
        shown_signatures=signatures,
    )
