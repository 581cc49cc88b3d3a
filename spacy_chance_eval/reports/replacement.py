"""The alternative annotator test: verdicts in sentences, and all of it as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ..measures.replacement import PASSED as PASS
from .notebook import NotebookTable
from .tables import (
    Column,
    column,
    detail_lines,
    indent,
    records_csv,
    short_title,
    signature_lines,
    text_table,
    warning_lines,
    wide_tables,
)
from .words import (
    DASH,
    Details,
    Result,
    brief,
    brief_interval,
    in_sentence,
    interval_of,
    interval_text,
    number,
    p_value_text,
    printable,
    quantity,
    share,
)

WHOM = {"experts": "experts", "skilled": "skilled annotators", "crowd": "crowd workers"}
TESTS = {"t": "Student's t", "wilcoxon": "Wilcoxon"}
REJECTED = {True: "yes", False: "no", None: DASH}
PASSED = {True: "passed", False: "not passed", None: "not tested"}
HOW = (
    "Each annotator in turn is compared with the candidate: which of the two agrees better with "
    "all other annotators? d is 1 where the annotator does, -1 where the candidate does, 0 in a "
    "tie. The candidate is as good as the annotator if the mean of d is significantly below "
    "epsilon."
)


def replacement_text(result: Result) -> str:
    """Verdicts and tables, as one text that fits 100 columns."""
    return "\n".join(_text_parts(result))


def replacement_tables(result: Result) -> Iterator[NotebookTable]:
    """The candidates under their verdicts, then each against the annotators; for notebooks."""
    names = column("candidate", (row["candidate"] for row in result["candidates"]))
    columns = [names, *chain.from_iterable(candidate_groups(result))]
    header, *rows = zip(*columns)
    yield NotebookTable(" ".join(verdict(result)), header, rows, result["signature"])
    for candidate in result["candidates"]:
        caption = f"{candidate['candidate']} against each annotator"
        yield NotebookTable(caption, ANNOTATOR_HEADER, annotator_rows(candidate))


def replacement_records(result: Result) -> Iterator[dict[str, Any]]:
    """A flat row for each candidate, whose annotator is None, and for each of its annotators."""
    empty = dict.fromkeys(("mean_difference", "p_value", "limit", "rejected", "test"))
    for candidate in result["candidates"]:
        name = candidate["candidate"]
        first: dict[str, Any] = {"candidate": name, "annotator": None}
        first |= {key: candidate[key] for key in ("winning_rate", "passed")}
        first |= {key: candidate[key] for key in ("low", "high")}
        whole = ("n_instances", "advantage_probability", "reason")
        first |= {**empty, **{key: candidate[key] for key in whole}}
        yield first
        for row in candidate["annotators"]:
            yield {**dict.fromkeys(first), "candidate": name, **row}


def replacement_csv(result: Result) -> str:
    """The rows of `replacement_records`; numbers in full."""
    return records_csv(list(replacement_records(result)))


# --- sentences


def verdict(result: Result) -> list[str]:
    """The verdict on each candidate, then the agreement of the annotators: a paragraph each.

    They are plain text: names are not escaped.
    """
    candidates = [_candidate_verdict(result, candidate) for candidate in result["candidates"]]
    return [*candidates, _agreement_sentence(result)]


def _candidate_verdict(result: Result, candidate: Result) -> str:
    """Whether a candidate passes, and why, in sentences."""
    name = candidate["candidate"]
    if candidate["passed"] is None:
        return f"{name} cannot be tested: {candidate['reason']}."
    rejected, tested = candidate["n_rejected"], candidate["n_tested"]
    does = "passes" if candidate["passed"] else "does not pass"
    granted = f"an epsilon of {brief(result['epsilon'])} granted"
    needed = f"winning rate {brief(candidate['winning_rate'])}; {brief(PASS)} or more is needed"
    limits = brief_interval(interval_of(candidate))
    others = "the others" if len(result["annotators"]) > 2 else "the other one"
    tested_words = quantity(tested, "annotator")
    parts = [
        f"{name} {does}: it agrees with {others} as well as {rejected} of {tested_words}, "
        f"{granted} ({needed}).",
        f"It agrees at least as well as an annotator on {brief(candidate['advantage_probability'])}"
        f" of the {result['unit']} on average" + f", {limits}" * bool(limits) + ".",
        _other_epsilons(result, candidate),
    ]
    return " ".join(filter(None, parts))


def _other_epsilons(result: Result, candidate: Result) -> str:
    """With which recommended epsilons the verdict is another one."""
    rows = [row for row in candidate["by_epsilon"] if row["passed"] != candidate["passed"]]
    if not rows:
        return ""
    whom = {value: WHOM[name] for name, value in result["epsilons"].items()}
    names = [f"{brief(row['epsilon'])} (for {whom[row['epsilon']]})" for row in rows]
    would = "would pass" if rows[0]["passed"] else "would not pass"
    return f"It {would} with an epsilon of {in_sentence(names)}."


def _resampled_unit(result: Result) -> str:
    """The name of the units that are resampled: documents or clusters."""
    unit: str = result["clusters"]
    return unit if unit.endswith("s") else f"{unit}s"


def _agreement_sentence(result: Result) -> str:
    """How far the annotators agree among themselves beyond chance, in a sentence."""
    own = result["agreement"]
    least = brief(own["threshold"], 3)
    if own["corrected"] is None:
        return f"The agreement of the annotators beyond chance is undefined: {own['reason']}."
    limits = brief_interval(interval_of(own))
    enough = "reach" if own["reliable"] else "are below"
    return (
        f"Among themselves, the annotators {enough} the {least} that is asked of reliable "
        f"annotation: {own['metric']} {brief(own['corrected'])}{f', {limits}' * bool(limits)}."
    )


def replacement_details(result: Result) -> Details:
    """The data, the test, and how documents were resampled."""
    ways, unit = result["resampling"], result["unit"]
    epsilons = [f"{brief(value)} for {WHOM[key]}" for key, value in result["epsilons"].items()]
    test = "Student's t test of 30 instances and more, else Wilcoxon signed-rank test"
    test = {"t": "Student's t test", "wilcoxon": "Wilcoxon signed-rank test"}.get(
        result["test"], test
    )
    sources = [*result.get("sources", ()), *result.get("candidate_sources", ())]
    corrected = ", each corrected for chance" if result["is_corrected"] else ""
    intervals = (
        f"{100 * ways['level']:g} % {ways['interval']} intervals from {ways['resamples']} "
        f"resamples of {_resampled_unit(result)}, seed {ways['seed']}"
    )
    return [
        *([("Sources", ", ".join(sources))] if sources else []),
        ("Annotators", f"{len(result['annotators'])}: {', '.join(result['annotators'])}"),
        ("Instances", f"{result['n_instances']} {unit} that two annotators saw"),
        ("Compared by", result["metric"] + corrected),
        *([("Positions", "characters")] if result["positions"] == "char" else []),
        ("Epsilon", f"{brief(result['epsilon'])} (recommended: {', '.join(epsilons)})"),
        ("Test", f"{test}; from {quantity(result['min_instances'], 'instance')} on"),
        ("Correction", f"Benjamini-Yekutieli, false discovery rate {brief(result['q'])}"),
        ("Intervals", intervals if ways["resamples"] else "none: no resamples were asked for"),
        ("Made by", f"spacy-chance-eval {result['version']}"),
    ]


# --- tables


def candidate_groups(result: Result) -> list[list[Column]]:
    """Groups of columns of the table of candidates."""
    rows = result["candidates"]
    groups = [
        [
            column("result", (PASSED[row["passed"]] for row in rows)),
            column("winning rate", (number(row["winning_rate"]) for row in rows)),
            column("as good as", map(_as_good_as, rows)),
        ],
        [
            column("advantage", (number(row["advantage_probability"]) for row in rows)),
            column("interval", (interval_text(interval_of(row)) for row in rows)),
        ],
        [column(result["unit"], (str(row["n_instances"]) for row in rows))],
    ]
    by_epsilon = [row["by_epsilon"] for row in rows]
    groups.append(
        [
            column(
                f"epsilon {brief(cells[0]['epsilon'])}",
                ("+ " * bool(cell["passed"]) + share(cell["winning_rate"]) for cell in cells),
            )
            for cells in zip(*by_epsilon)
        ]
    )
    return groups


def _as_good_as(candidate: Result) -> str:
    """Number of annotators that a candidate is as good as, of those tested; a dash without any."""
    n_tested = candidate["n_tested"]
    return f"{candidate['n_rejected']} of {n_tested}" if n_tested else DASH


def annotator_rows(candidate: Result) -> list[Sequence[str]]:
    """Cells of the table of one candidate: a row for each annotator."""
    return [
        [
            printable(row["annotator"]),
            str(row["n_instances"]),
            number(row["advantage_probability"]),
            number(row["mean_difference"]),
            p_value_text(row["p_value"]),
            number(row["limit"]),
            REJECTED[row["rejected"]],
            TESTS.get(row["test"], DASH),
        ]
        for row in candidate["annotators"]
    ]


ANNOTATOR_HEADER = (
    "annotator",
    "instances",
    "advantage",
    "mean d",
    "p",
    "limit",
    "as good",
    "test",
)


def _text_parts(result: Result) -> Iterator[str]:
    yield ""
    yield from (indent(printable(paragraph), "") for paragraph in verdict(result))
    yield ""
    yield from detail_lines(replacement_details(result), wrapped=True)
    yield from warning_lines(result)
    if result["notes"]:
        yield "\nnotes"
        yield from (indent(printable(note), "  ") for note in result["notes"])
    yield "\ncandidates (+: passes with this epsilon)"
    names = [candidate["candidate"] for candidate in result["candidates"]]
    yield from wide_tables("candidate", map(short_title, names), candidate_groups(result))
    for candidate in result["candidates"]:
        yield f"\n{printable(candidate['candidate'])} against each annotator"
        yield text_table(ANNOTATOR_HEADER, annotator_rows(candidate))
        for row in candidate["annotators"]:
            if row["reason"]:
                yield indent(printable(f"{row['annotator']}: {row['reason']}"), "  ")
    yield indent(HOW, "")
    yield from signature_lines([result["signature"]])
