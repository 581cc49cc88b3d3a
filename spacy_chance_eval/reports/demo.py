"""A demonstration as text, with its findings and the next steps, and its pages."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path, PurePath
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..formats.outputs import write_atomically
from .explain import amount
from .leaderboard import board_report, standing_of
from .report import Column, Table, table_lines
from .words import Result, p_clause, printable, quantity, share

if TYPE_CHECKING:
    from ..corpora.pairs import CorpusPair
    from .agreement_pages import PanelAgreement

COLUMNS = 80  # of a terminal
BOARD = [
    Column("system", "system", str),
    Column("observed", "observed"),
    Column("observed rank", "rank"),
    Column("expected", "expected"),
    Column("corrected", "corrected"),
    Column("corrected rank", "rank"),
]
ABOUT = (
    "Texts, gold and the outputs of six systems come with this package, and so do the statements "
    "of four annotators, who are simulated. Chance places spans anywhere in their document "
    "(unit=document), as many statements fill their sentence."
)
PAGES = {"board": "systems", "other": "on names", "agreement": "annotators", "explain": "a score"}
NAMES = {"token_f": "token F", "span_f": "span F"}
PROGRAM = "spacy-chance-eval"


def demo_text(result: Result) -> str:
    """A board before and after the correction, the findings, the pages, and a command to try next.

    It fits on a screen.

    Parameters
    ----------
    result : dict
        The result of `run_demo`.
    """
    pages = ", ".join(f"{result['pages'][key]} ({what})" for key, what in PAGES.items())
    return "\n".join(
        [
            _paragraph(ABOUT),
            "",
            *_board_lines(result),
            *(_paragraph(f"{i}. {text}", " " * 3) for i, text in enumerate(seen(result), 1)),
            "",
            _paragraph(f"Pages in {printable(result['folder'])}: {pages}."),
            "Next, with these files or your own (CoNLL, JSONL, Prodigy, .spacy, pipelines):",
            next_command(result),
        ]
    )


def write_demo_pages(
    result: Result, agreement: PanelAgreement[Any, Any], compared: CorpusPair
) -> None:
    """Write the pages of a demonstration into its folder.

    Parameters
    ----------
    result : dict
        The result of `run_demo`.
    agreement : Agreement
        The annotators, with their documents.
    compared : CorpusPair
        Gold and the system whose document is explained.
    """
    # which load jinja2
    from .agreement_pages import write_agreement
    from .explain import write_explain_page
    from .report import report_page

    folder, names = Path(result["folder"]), result["pages"]
    for board in ("board", "other"):
        write_atomically(folder / names[board], report_page(board_report(result[board])))
    write_agreement(agreement, folder / names["agreement"])
    write_explain_page(result["explained"], compared, folder / names["explain"])


def seen(result: Result) -> list[str]:
    """The findings in three sentences."""
    return [_reversal_text(result), _labels_text(result), _document_text(result)]


def next_command(result: Result) -> str:
    """A command that can be run as it is."""
    folder = PurePath(result["folder"]) / "data"
    gold, systems = (shlex.quote(str(folder / name)) for name in ("gold.jsonl", "systems.yml"))
    return f"{PROGRAM} score {gold} {systems} --layer statements -m token_f --unit document"


def _board_lines(result: Result) -> Iterator[str]:
    """The board of the long spans, observed and corrected."""
    board, metric = result["board"], result["metrics"][0]
    rows = next(
        one["rows"]
        for one in board["boards"]
        if one["metric"] == metric and one["label"] is one["subset"] is None
    )
    caption = (
        f"{quantity(len(rows), 'system')} by {_metric_name(metric)}, "
        f"{quantity(board['n_gold'], 'long span')} in {quantity(board['n_docs'], 'document')}"
    )
    yield from table_lines(Table(caption, BOARD, [*map(_board_row, rows)]))
    yield ""


def _board_row(row: Result) -> Result:
    """Scores and ranks of a system, by the keys of `BOARD`."""
    cells = {"system": row["system"], "expected": row["expected"]}
    for name in ("observed", "corrected"):
        standing = standing_of(row, name)
        cells |= {name: standing["score"], f"{name} rank": standing["rank"]}
    return cells


# --- sentences


def _reversal_text(result: Result) -> str:
    """That the correction changes an order, and the results of the tests."""
    found, name = result["reversal"], _metric_name(result["metrics"][0])
    ahead, behind = printable(found["ahead"]), printable(found["behind"])
    before, after = (" to ".join(map(share, found[key])) for key in ("observed", "corrected"))
    p_before, p_after = (p_clause(found[f"p_{key}"]) for key in ("observed", "corrected"))
    return (
        f"By {name} {ahead} is ahead of {behind}, {before} (a difference, says the paired test, "
        f"{p_before}), but chance alone would give it {share(found['expected'][0])}; corrected "
        f"for chance it is behind, {after} (again a difference, {p_after})."
    )


def _labels_text(result: Result) -> str:
    """That two labels with equal agreement differ beyond chance."""
    found = result["labels"]
    one, two = map(printable, found["labels"])
    observed, expected = (
        [f"{100 * value:.0f}%" for value in found[key]] for key in ("observed", "expected")
    )
    return (
        f"The annotators agree on {observed[0]} of the tokens of {one} and of {two}, but chance "
        f"would give them {expected[0]} and {expected[1]}; beyond chance they agree to "
        f"{' and '.join(map(share, found['corrected']))}, with intervals that do not overlap."
    )


def _document_text(result: Result) -> str:
    """Why one document scores as it does."""
    found = result["document"]
    masses, f = found["observed"], found["f"]
    return (
        f"In {printable(found['name'])} {printable(found['system'])} marks "
        f"{amount(masses['pred'])} tokens, of which {amount(masses['matches'])} are right, but "
        f"{found['expected']:.1f} would be right by chance: beyond chance its F of "
        f"{share(f['observed'])} is {share(f['corrected'])}."
    )


def _metric_name(metric: str) -> str:
    return NAMES.get(metric, metric)


def _paragraph(text: str, start: str = "") -> str:
    """A text wrapped to the width of a terminal, the lines after the first one indented."""
    return "\n".join(wrap(text.strip(), COLUMNS, subsequent_indent=start, break_on_hyphens=False))
