"""The alternative annotator test: verdicts in sentences, and all of it as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..measures.replacement import PASSED as PASS
from .tables import (
    Column,
    column,
    detail_lines,
    indent,
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
    interval_of,
    interval_text,
    number,
    p_value_text,
    printable,
    quantity,
    share,
)

WHOM = {"experts": "experts", "skilled": "skilled annotators", "crowd": "crowd workers"}
TESTS = {
    "t": "Student's t",
    "wilcoxon": "Wilcoxon",
    "auto": "Student's t of 30 instances and more, else Wilcoxon",
}
ANNOTATOR_HEADER = tuple("annotator,instances,advantage,mean d,p,limit,as good,test".split(","))
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
    does = "passes" if candidate["passed"] else "does not pass"
    limits = brief_interval(interval_of(candidate))
    others = "the others" if len(result["annotators"]) > 2 else "the other one"
    return (
        f"{name} {does}: it agrees with {others} as well as {candidate['n_rejected']} of "
        f"{quantity(candidate['n_tested'], 'annotator')}, an epsilon of {brief(result['epsilon'])} "
        f"granted (winning rate {brief(candidate['winning_rate'])}; {brief(PASS)} or more is "
        f"needed). It agrees at least as well as an annotator on "
        f"{brief(candidate['advantage_probability'])} of the {result['unit']} on average"
        f"{f', {limits}' * bool(limits)}."
    )


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
    """The data and the test."""
    unit, epsilons = result["unit"], result["epsilons"]
    recommended = ", ".join(f"{brief(value)} for {WHOM[key]}" for key, value in epsilons.items())
    corrected = ", each corrected for chance" if result["is_corrected"] else ""
    return [
        ("Annotators", f"{len(result['annotators'])}: {', '.join(result['annotators'])}"),
        ("Instances", f"{result['n_instances']} {unit} that two annotators saw"),
        ("Compared by", result["metric"] + corrected),
        ("Epsilon", f"{brief(result['epsilon'])} (recommended: {recommended})"),
        (
            "Test",
            f"{TESTS[result['test']]}; from {quantity(result['min_instances'], 'instance')} on; "
            f"Benjamini-Yekutieli, false discovery rate {brief(result['q'])}",
        ),
    ]


# --- tables


def candidate_groups(result: Result) -> list[list[Column]]:
    """Groups of columns of the table of candidates."""
    rows = result["candidates"]
    good = (
        f"{row['n_rejected']} of {row['n_tested']}" if row["n_tested"] else DASH for row in rows
    )
    return [
        [
            column("result", (PASSED[row["passed"]] for row in rows)),
            column("winning rate", (number(row["winning_rate"]) for row in rows)),
            column("as good as", good),
        ],
        [
            column("advantage", (number(row["advantage_probability"]) for row in rows)),
            column("interval", (interval_text(interval_of(row)) for row in rows)),
        ],
        [column(result["unit"], (str(row["n_instances"]) for row in rows))],
        [
            column(
                f"epsilon {brief(cells[0]['epsilon'])}",
                ("+ " * bool(cell["passed"]) + share(cell["winning_rate"]) for cell in cells),
            )
            for cells in zip(*(row["by_epsilon"] for row in rows))
        ],
    ]


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
