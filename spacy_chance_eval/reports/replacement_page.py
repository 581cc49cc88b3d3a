"""The page of the alternative annotator test."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from ..formats import FormatError
from ..formats.outputs import write_atomically
from .figures import Figure, svg_element
from .html import page
from .replacement import (
    HOW,
    PASSED,
    POWER_NOTE,
    REJECTED,
    TESTS,
    agreement_sentence,
    as_good_as,
    baseline_sentence,
    candidate_verdict,
    replacement_details,
    resampled_unit,
)
from .replacement_figures import annotator_figure, power_figure, rate_figure
from .words import (
    Result,
    TableRow,
    brief,
    count_word,
    in_sentence,
    printable,
    quantity,
)

NAMED = 3  # candidates of one result to name in the verdict
VERBS = {  # of one candidate and of several, by their result
    True: ("passes", "pass"),
    False: ("does not pass", "do not pass"),
    None: ("cannot be tested", "cannot be tested"),
}
DIFFERENCES = (
    "The mean of d by annotator; left of 0 {name} agrees better with the others. It is as good as "
    "those whose mark is filled: significantly left of epsilon"
)
RATES = "Winning rates, and mean advantage probabilities with intervals"
POWER = "Power: how often {name} passes in samples of each number of {unit}"


def replacement_page(result: Result) -> str:
    """The alternative annotator test of some candidates, as one HTML page.

    Parameters
    ----------
    result : dict
        The result of `replace_test` as plain values. It may have a `title` and `sources`.
    """
    candidates = result["candidates"]
    several = len(candidates) > 1
    return page(
        "replacement.html",
        signatures=[result["signature"], result["agreement"]["metric"]],
        result=result,
        title=page_title(result),
        verdict=replacement_verdict(result),
        beside=list(filter(None, [agreement_sentence(result), baseline_sentence(result)])),
        candidates=[_section(result, one, f"candidate-{i}") for i, one in enumerate(candidates, 1)],
        rates=Markup(svg_element(rate_figure(result), "rates")) if several else None,
        rates_caption=RATES,
        unit=resampled_unit(result),
        results=PASSED,
        as_good=REJECTED,
        as_good_as=as_good_as,
        tests=TESTS,
        facts=replacement_details(result),
        how_to_read=[HOW, POWER_NOTE.format(resampled_unit(result))],
    )


def write_replacement(result: Result, path: str | Path) -> None:
    """Write the alternative annotator test as one page.

    Parameters
    ----------
    result : dict
        The result of `replace_test` as plain values.
    path : str or Path
        Ends in .html.

    Raises
    ------
    FormatError
        If the path does not, or cannot be written.
    """
    check_page_name(path)
    write_atomically(path, replacement_page(result))


def check_page_name(path: str | Path) -> None:
    """Raise FormatError for a path that does not end in .html."""
    if Path(path).suffix.lower() != ".html":
        raise FormatError("the test is one page; name a file that ends in .html", path)


def page_title(result: Result) -> str:
    """The question that a page answers."""
    first, *others = (printable(one["candidate"]) for one in result["candidates"])
    if others:
        return f"Which of {count_word(1 + len(others))} candidates may replace an annotator?"
    return f"May {first} replace an annotator?"


def replacement_verdict(result: Result) -> str:
    """Which candidates pass, in a sentence; and one more if the annotators are unreliable.

    Parameters
    ----------
    result : dict
        The result of `replace_test` as plain values.
    """
    parts = []
    for passed, (does, do) in VERBS.items():
        rows = [one for one in result["candidates"] if one["passed"] is passed]
        if len(rows) > NAMED:
            parts.append(f"{count_word(len(rows))} candidates {do}")
        elif rows:
            named = in_sentence([_named(one) for one in rows])
            parts.append(f"{named} {do if len(rows) > 1 else does}")
    said = "; ".join(parts)
    if any(one["passed"] is not None for one in result["candidates"]):
        said += f", an epsilon of {brief(result['epsilon'])} granted."
    else:
        said += f": {result['candidates'][0]['reason']}."
    own = result["agreement"]
    if own["reliable"] is False:
        said += (
            f" The annotators themselves agree little beyond chance ({own['metric']} "
            f"{brief(own['value'])}): being as good as they are says little."
        )
    return printable(said)


def _named(candidate: Result) -> str:
    """A candidate, with the number of annotators that it is as good as."""
    if candidate["passed"] is None:
        return str(candidate["candidate"])
    tested = quantity(candidate["n_tested"], "annotator")
    rate = f"winning rate {brief(candidate['winning_rate'])}"
    return f"{candidate['candidate']} (as good as {candidate['n_rejected']} of {tested}, {rate})"


def _section(result: Result, candidate: Result, key: str) -> TableRow:
    """One candidate in words and figures."""
    name, unit = printable(candidate["candidate"]), resampled_unit(result)
    figures: list[tuple[str, Figure | None, str]] = [
        (DIFFERENCES.format(name=name), annotator_figure(result, candidate), f"{key}-d"),
        (POWER.format(name=name, unit=unit), power_figure(result, candidate), f"{key}-power"),
    ]
    return {
        "id": key,
        "row": candidate,
        "verdict": printable(candidate_verdict(result, candidate)),
        "figures": [
            (caption, Markup(svg_element(figure, place)))
            for caption, figure, place in figures
            if figure
        ],
        "power": _power_rows(candidate),
    }


def _power_rows(candidate: Result) -> list[tuple[int, float, float]]:
    """Numbers of documents, power and its standard error."""
    power = candidate["power"]
    if power is None:
        return []
    return list(zip(power["n_documents"], power["power"], power["errors"]))
