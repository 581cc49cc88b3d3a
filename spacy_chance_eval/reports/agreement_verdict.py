"""Summaries of an agreement in a few sentences, and the pair of annotators to look at first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .agreement import ENOUGH, busiest_annotators, has_pairs, item_name
from .words import (
    Result,
    TableRow,
    brief,
    brief_interval,
    count_word,
    number,
    one_or_several,
    quantity,
)

ALIKE = 1e-9  # scores that differ by less are ties


def agreement_verdict(result: Result) -> str:
    """Summary of an agreement: its strength, the weakest pair, best and worst labels.

    The sentences are those of the first metric that is defined. They are plain text: names are not
    escaped.

    Parameters
    ----------
    result : dict
        An agreement as plain values.
    """
    metric = main_metric(result)
    if metric is None:
        return ""
    return " ".join([_whole(result, metric), *_least_pair(result), *_labels(result, metric)])


def pair_verdict(result: Result, names: Sequence[str], n_differing: int) -> str:
    """Summary of a pair of annotators: agreement by the main metric, number of differences."""
    metric, item = main_metric(result), item_name(result)
    pairs = metric["pairs"] if metric else []
    row = next((row for row in pairs if {row["first"], row["second"]} == {*names}), None)
    if metric is None or row is None:
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
    """The first metric with a score of all annotators, else the first one; None without metrics."""
    metrics: Sequence[Result] = result["metrics"]
    defined = (one for one in metrics if whole_score(result, one)["value"] is not None)
    return next(defined, metrics[0] if metrics else None)


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


def _whole(result: Result, metric: Result) -> str:
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
    return f"{who} {_degree(metric, score, by)}."


def _degree(metric: Result, score: Result, by: str) -> str:
    """The degree of agreement from the verb on; `by` names the metric."""
    value, limits = score["value"], score["interval"]
    amount = " ".join(filter(None, [brief(value), brief_interval(limits)]))
    if metric["bits"]:
        return f"have {amount} bits in common {by}"
    if not metric["higher_is_better"]:
        return f"differ at {amount} {by}, where 0 is full agreement"
    if not metric["corrected"]:
        return f"agree at {amount} {by}, which is not corrected for chance"
    within = limits is not None and limits[0] <= 0 <= limits[1]
    if value >= 1 - ALIKE:
        return f"agree fully {by}"
    if brief(value) == ".00" or (value < 0 and within):
        return f"agree no better than chance would {by}: {amount}"
    if value < 0:
        return f"agree less than chance would {by}: {amount}"
    doubt = "; the interval includes 0, so it may be chance" if within else ""
    return f"agree at {amount} beyond chance {by}{doubt}"


def _least_pair(result: Result) -> Iterator[str]:
    """The sentence on the pair to look at first, if there is one."""
    found = first_pair(result)
    if found is None:
        return
    pair = f"{found['first']} and {found['second']}"
    agree = "agree least" if found["metric"]["higher_is_better"] else "differ most"
    value, n = brief(found["pair"]["value"]), len(busiest_annotators(result))
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
    rows = sorted(
        often if len(often) > 1 else rows, key=lambda row: (-row[key]["value"], row["label"])
    )
    if len(rows) < 2:
        return
    values = [rows[place][key]["value"] for place in (0, -1)]
    if values[0] - values[1] < ALIKE:
        return
    best, least = (
        [row["label"] for row in rows if abs(row[key]["value"] - value) < ALIKE] for value in values
    )
    first = one_or_several(best, "label")
    verb = "is" if len(best) == 1 else "are"
    first = f"{first if len(best) == 1 else first.capitalize()} {verb} agreed on best"
    last = one_or_several(least, "label")
    yield f"{first} ({brief(values[0])}), {last} least ({brief(values[1])})."
