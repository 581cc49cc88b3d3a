"""Summaries of an agreement in a few sentences, and the pair of annotators to look at first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .agreement import ENOUGH, busiest_annotators, has_pairs, item_name
from .words import (
    ALIKE,
    Result,
    TableRow,
    against_chance,
    brief,
    brief_interval,
    count_word,
    digits_apart,
    includes_chance,
    is_nothing,
    number,
    one_or_several_labels,
    quantity,
)


def agreement_verdict(result: Result) -> str:
    """Summary of an agreement: its strength, the weakest pair, best and worst labels.

    The sentences are about `main_metric`. They are plain text: names are not escaped.
    """
    metric = main_metric(result)
    if metric is None:
        return ""
    found, value = first_pair(result), whole_score(result, metric)["value"]
    least = found["pair"]["value"] if found else value
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
    if row["value"] is None:
        return f"The agreement of {who} {by} is undefined: {row['reason']}. {differ}"
    return f"{who} {_degree(metric, row, by)}. {differ}"


def main_metric(result: Result) -> Result | None:
    """The metric of a summary; None without metrics.

    It is the first metric with a corrected score of all annotators, or else with any score of all
    annotators, or else the first metric.
    """
    metrics: Sequence[Result] = result["metrics"]
    defined = [one for one in metrics if whole_score(result, one)["value"] is not None]
    corrected = [one for one in defined if one["corrected"]]
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
    rows.sort(key=lambda row: (sign * row["value"], -row["n_docs"], row["first"], row["second"]))
    worst, best = rows[0], rows[-1]
    alike = [row for row in rows if abs(row["value"] - worst["value"]) < ALIKE]
    if abs(best["value"] - worst["value"]) < ALIKE:
        return None
    mean, item = metric["mean"]["value"], item_name(result)
    than = f", against {number(mean)} on average" if mean is not None else ""
    extreme = "lowest" if sign > 0 else "highest"
    often = f" that share {ENOUGH} {item}s or more" * (worst["n_docs"] >= ENOUGH)
    reason = (
        f"their {metric['metric']}, {number(worst['value'])} in "
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
        if row["value"] is None or not key <= among:
            continue
        if key not in rows or sign * row["value"] < sign * rows[key]["value"]:
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
    if score["value"] is None:
        return f"The agreement of {who} {by} is undefined: {score['reason']}."
    if n > 2:
        by += " (mean of the pairs)" if has_pairs(result) else " (all of them as a team)"
    if result["n_shared"] == 1:
        by += f" in the only {item_name(result)} that two annotators saw"
    who = who if n == 2 else who.capitalize()
    return f"{who} {_degree(metric, score, by, digits)}."


def _degree(metric: Result, score: Result, by: str, digits: int = 2) -> str:
    """The degree of agreement from the verb on; `by` names the metric."""
    value, limits = score["value"], score["interval"]
    amount = " ".join(filter(None, [brief(value, digits), brief_interval(limits, digits)]))
    if metric["bits"]:
        return f"reach {amount} bits {by}"
    if not metric["higher_is_better"]:
        return f"differ at {amount} {by}, where lower is better"
    if not metric["corrected"]:
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
    value, n = brief(found["pair"]["value"], digits), len(busiest_annotators(result))
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
    rows = [row for row in metric["per_label"] if row[key]["value"] is not None]
    often = [row for row in rows if row["n_spans"] >= ENOUGH]
    rare = len(rows) - len(often) if len(often) > 1 else 0
    rows = sorted(often if rare else rows, key=lambda row: (-row[key]["value"], row["label"]))
    if len(rows) < 2:
        return
    best, least = (rows[place][key]["value"] for place in (0, -1))
    if best - least < ALIKE:
        return
    digits = digits_apart(best, least)
    highest, lowest = (
        [row["label"] for row in rows if abs(row[key]["value"] - value) < ALIKE]
        for value in (best, least)
    )
    last = one_or_several_labels(lowest)
    if is_nothing(best, metric["corrected"]):
        better = (
            "is agreement better than chance" if metric["corrected"] else "is there any agreement"
        )
        often_marked = f" marked {ENOUGH} times or more" * bool(rare)
        yield f"On no label{often_marked} {better}."
        return
    first = one_or_several_labels(highest)
    verb = "is" if len(highest) == 1 else "are"
    first = f"{first if len(highest) == 1 else first.capitalize()} {verb} agreed on best"
    yield f"{first} ({brief(best, digits)}), {last} least ({brief(least, digits)})."
