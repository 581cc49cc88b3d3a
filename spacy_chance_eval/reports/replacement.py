"""The alternative annotator test: its verdict in sentences, the candidates, each annotator."""

from __future__ import annotations

from ..measures.replacement import PASSED as PASS
from .report import ALL, Column, Report, Section, Table
from .words import (
    DASH,
    Details,
    Result,
    brief,
    brief_interval,
    interval_of,
    p_value_text,
    quantity,
)

WHOM = {"experts": "experts", "skilled": "skilled annotators", "crowd": "crowd workers"}
TESTS = {
    "t": "Student's t",
    "wilcoxon": "Wilcoxon",
    "auto": "Student's t of 30 instances and more, else Wilcoxon",
}
REJECTED = {True: "yes", False: "no", None: DASH}
PASSED = {True: "passed", False: "not passed", None: "not tested"}
HOW = (
    "Each annotator in turn is compared with the candidate: which of the two agrees better with "
    "all other annotators? d is 1 where the annotator does, -1 where the candidate does, 0 in a "
    "tie. The candidate is as good as the annotator if the mean of d is significantly below "
    "epsilon."
)


def replacement_report(result: Result) -> Report:
    """The verdict on each candidate, the candidates, and each against the annotators."""
    candidates = result["candidates"]
    tables = [_candidate_table(result), *map(_annotator_table, candidates)]
    return Report(
        "Alternative annotator test",
        " ".join(verdict(result)),
        [Section("Candidates", (), tables)],
        replacement_details(result),
        [f"Warning: {text}" for text in result["warnings"]],
        result["notes"],
        [HOW],
        "-o x.json (all numbers), -o x.csv, -o x.md, -o x.tex",
    )


# --- sentences


def verdict(result: Result) -> list[str]:
    """The verdict on each candidate, then the agreement of the annotators.

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
        f"{quantity(candidate['n_tested'], 'annotator')}, with a tolerance of "
        f"{brief(result['epsilon'])} (winning rate {brief(candidate['winning_rate'])}; "
        f"{brief(PASS)} or more is needed). It agrees at least as well as an annotator on "
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


def _candidate_table(result: Result) -> Table:
    """Verdict, winning rate and advantage probability of each candidate."""
    rows = []
    for one in result["candidates"]:
        tested = f"{one['n_rejected']} of {one['n_tested']}" if one["n_tested"] else None
        row = {**one, "result": PASSED[one["passed"]], "good": tested}
        rows.append(row)
    columns = [
        Column("candidate", "candidate", str),
        Column("result", "result", str),
        Column("winning_rate", "winning rate"),
        Column("good", "as good as", write=lambda row: row["good"] or DASH),
        Column("advantage_probability", "advantage", interval=("low", "high")),
        Column("n_instances", result["unit"], level=ALL),
    ]
    caption = "Candidates: winning rate, and how often as good as an annotator on average"
    return Table(caption, columns, rows, signatures=[result["signature"]])


def _annotator_table(candidate: Result) -> Table:
    """One candidate against each annotator."""
    rows = [
        {**row, "good": REJECTED[row["rejected"]], "test": TESTS.get(row["test"], DASH)}
        for row in candidate["annotators"]
    ]
    columns = [
        Column("annotator", "annotator", str),
        Column("n_instances", "instances"),
        Column("advantage_probability", "advantage"),
        Column("mean_difference", "mean d"),
        Column("p_value", "p", p_value_text),
        Column("limit", "limit"),
        Column("good", "as good", str),
        Column("test", "test", str),
    ]
    notes = [f"{row['annotator']}: {row['reason']}" for row in rows if row["reason"]]
    return Table(f"{candidate['candidate']} against each annotator", columns, rows, notes)
