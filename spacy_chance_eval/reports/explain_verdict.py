"""Summary of an explanation: the score, the score by chance, and the source of chance matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .explain import POSITION_NAMES, TOGETHER, UNDEFINED, shown_entries
from .words import ALIKE, Result, against_chance, brief, count_word, number

SMALL = 0.1  # scores below it have more than two decimals
NEARLY_ALL = 0.995  # larger shares are called "nearly all"


def explain_verdict(result: Result) -> str:
    """Summary of an explanation: the corrected F with its parts, and most expected matches.

    The sentences are plain text: names are not escaped.
    """
    if "levels" in result:
        level = result["levels"]["span"]
        return " ".join([_score(level["total"]), *_largest_shares(level)])
    span = result["labels"][0]["span"]
    return " ".join([_score(span), *_largest_kind(result, span)])


def overview_rows(result: Result) -> list[tuple[str, list[str]]]:
    """Names and cells of the overview: observed, expected and corrected F of spans and tokens.

    For a document: a row for all labels together, then one per label. For a corpus: one row.
    """
    if "levels" in result:
        entries = [(TOGETHER, [level["total"] for level in result["levels"].values()])]
    else:
        entries = [
            (TOGETHER if one["label"] is None else one["label"], [one["span"], one["token"]])
            for one in shown_entries(result)
        ]
    keys = ("observed", "expected", "corrected")
    return [
        (name, [number(level["scores"]["f"][key]) for level in levels for key in keys])
        for name, levels in entries
    ]


def _score(level: Result) -> str:
    """The sentence on the score."""
    f = level["scores"]["f"]
    if f["observed"] is None:
        return f"The F of spans is undefined: {UNDEFINED['observed']}."
    if level["expected"] is None:
        return f"The F of spans is {_text(f['observed'])}, not corrected: {level['reason']}."
    parts = f"{_text(f['observed'])} observed against {_text(f['expected'])} by chance"
    if f["corrected"] is None:
        return f"The F of spans, {parts}, cannot be corrected: {UNDEFINED['corrected']}."
    said = {
        "equal": "no better than chance",
        "below": f"worse than chance: {_text(f['corrected'])}",
    }
    beyond = f"{_text(f['corrected'])} beyond chance"
    relation = against_chance(f["corrected"])
    if relation == "equal" and f["corrected"] > ALIKE:
        relation = "above"
    return f"The F of spans, {parts}, is {said.get(relation, beyond)}."


def _largest_kind(result: Result, span: Result) -> Iterator[str]:
    """The sentence on the label and length with the most expected matches."""
    kinds = [
        (row["expected"], entry["label"], row["length"])
        for entry in result["labels"]
        if entry["label"] is not None
        for row in entry.get("matches") or ()
    ]
    total = span["expected"]["matches"] if span["expected"] else 0
    if not total or not kinds:
        return
    expected, label, length = min(kinds, key=lambda kind: (-round(kind[0], 12), *kind[1:]))
    unit = POSITION_NAMES[result["positions"]]
    what = f"{count_word(length)}-{unit} spans of {label}" if length else f"labels {label}"
    yield f"Of the matches expected by chance, {_share(expected / total)} are {what}."


def _largest_shares(level: Result) -> Iterator[str]:
    """The sentence on the label and the document with the most expected matches."""
    parts = []
    for rows, kind in ((level["by_label"], "label"), (level["documents"], "document")):
        known: Sequence[Result] = [row for row in rows or () if row["share"]]
        if len(known) > 1:
            largest = max(known, key=lambda row: row["share"])
            name = largest[kind]
            name = name if name.startswith(f"{kind} ") else f"{kind} {name}"
            parts.append(f"{_share(largest['share'])} come from {name}")
    if parts:
        yield f"Of the matches expected by chance, {' and '.join(parts)}."


def _share(share: float) -> str:
    """A share as a percentage, or "nearly all"."""
    return "nearly all" if share > NEARLY_ALL else f"{share:.0%}"


def _text(value: float) -> str:
    """A score for a sentence, with more decimals if it is small."""
    if 0 < value < 0.00005:
        return "less than .0001"
    if value == 0 or abs(value) >= SMALL:
        return brief(value)
    return brief(value, 3 if abs(value) >= SMALL / 10 else 4)
