"""A demonstration as text, with its data, its findings and the next steps, and its pages."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..formats.outputs import write_atomically
from .explain import amount, level_steps
from .leaderboard import standing_of
from .tables import text_table, warning_lines
from .words import (
    Result,
    interval_of,
    interval_text,
    number,
    p_value_text,
    printable,
    quantity,
    share,
)

if TYPE_CHECKING:
    from ..corpora.pairs import CorpusPair
    from .agreement_pages import PanelAgreement

COLUMNS = 80  # of a terminal
SHOWN = 38  # characters of a sentence
NAMES = {"token_f": "token F", "span_f": "span F"}
PROGRAM = "spacy-chance-eval"


def demo_text(result: Result, pages: Sequence[tuple[str, str]]) -> str:
    """Tables, the findings in three sentences, the pages, and the next commands.

    Parameters
    ----------
    result : dict
        The result of `run_demo`.
    pages : sequence of (str, str)
        Paths of pages, and their contents.
    """
    warnings = [line for key in ("board", "agreement") for line in warning_lines(result[key])]
    parts = [
        _paragraph(result["about"]),
        *("" for _ in warnings[:1]),
        *map(_paragraph, warnings),
        *_board_parts(result),
        *_agreement_parts(result["agreement"]),
        *_document_parts(result),
        "FINDINGS",
        "",
        *(_paragraph(f"{i}. {text}", " " * 3) for i, text in enumerate(seen(result), 1)),
        "",
        "PAGES, which need no network",
        "",
        *_columns((printable(path), what) for path, what in pages),
        "",
        "NEXT",
        "",
        *(f"{line}\n    {why}" for line, why in next_commands(result)),
        "",
        "Your own files can take their place: CoNLL, JSONL, Prodigy, .spacy, pipelines ...",
    ]
    return "\n".join(parts)


def write_demo_pages(
    result: Result, agreement: PanelAgreement[Any, Any], compared: CorpusPair
) -> list[tuple[str, str]]:
    """Write the pages of a demonstration into its folder; returns their paths and contents.

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
    from .explain_page import write_explain_page
    from .html import leaderboard_page

    folder, names = Path(result["folder"]), result["pages"]
    pages = []
    for board, what in (("board", "long spans"), ("other", "names")):
        path = folder / names[board]
        write_atomically(path, leaderboard_page(result[board]))
        pages.append((str(path), f"the systems on {what}, with all labels"))
    write_agreement(agreement, folder / names["agreement"])
    pages.append((str(folder / names["agreement"] / "index.html"), "the annotators, pair by pair"))
    path = folder / names["explain"]
    write_explain_page(result["explained"], compared, path)
    pages.append((str(path), f"why {result['document']['name']} scores as it does"))
    return pages


def seen(result: Result) -> list[str]:
    """The findings in three sentences."""
    return [_reversal_text(result), _labels_text(result), _document_text(result)]


def next_commands(result: Result) -> list[tuple[str, str]]:
    """Three commands that can be run as they are, and what each shows."""
    folder = PurePath(result["folder"]) / "data"
    best = result["board"]["boards"][0]["rows"][0]["system"]
    files = ("gold.jsonl", "systems.yml", f"systems/{best}.jsonl")
    gold, systems, system = (shlex.quote(str(folder / file)) for file in files)
    return [
        (
            f"{PROGRAM} score {gold} {systems} --layer statements --subset density",
            "the whole board, by label and by density of the text",
        ),
        (
            f"{PROGRAM} diff {gold} {system} --layer statements",
            "which spans differ, and how",
        ),
    ]


# --- the three parts


def _board_parts(result: Result) -> Iterator[str]:
    """The board of the long spans, and the effect of the correction elsewhere."""
    board, (metric, exact) = result["board"], result["metrics"]
    rows = _board(board, metric)["rows"]
    yield _title(f"{quantity(len(rows), 'system')} by {_metric_name(metric)}")
    groups = "".join(row[f"{beside}group"] for row in rows for beside in ("observed_", ""))
    labels = ", ".join(map(printable, board["labels"]))
    yield _paragraph(
        f"{quantity(board['n_gold'], 'long span')} ({labels}) in "
        f"{quantity(board['n_docs'], 'document')}: scores and ranks before and after the "
        "correction for chance. Systems that share a letter do not differ significantly."
        + " ?: a test is too close to the level to be decided."
        * ("?" in groups)
    )
    place = ("rank", "group")
    yield text_table(
        ["system", "observed", *place, "expected", "corrected", *place],
        [
            [
                printable(row["system"]),
                *_standing(row, "observed"),
                number(row["expected"]),
                *_standing(row, "corrected"),
            ]
            for row in rows
        ],
    ).rstrip("\n")
    yield ""
    for other, name, what in (
        (board, exact, "on the same spans"),
        (result["other"], metric, "on the names in these texts, which are short"),
    ):
        rows = _board(other, name)["rows"]
        known = (row["expected"] for row in rows if row["expected"] is not None)
        most = number(max(known, default=None))
        yield _paragraph(
            f"By {_metric_name(name)} {what}, chance reaches {most} at most, and {_moves(rows)}."
        )


def _agreement_parts(agreement: Result) -> Iterator[str]:
    """The labels on which annotators agree."""
    metric = agreement["metrics"][0]
    annotators = quantity(len(agreement["annotators"]), "annotator")
    yield _title(f"{annotators} by {_metric_name(metric['metric'])}, label by label")
    yield text_table(
        ["label", "spans", "observed", "expected", "corrected", "interval"],
        [
            [
                printable(row["label"]),
                str(row["n_spans"]),
                *(number(row["team"][key]) for key in ("observed", "expected", "corrected")),
                interval_text(interval_of(row["team"])),
            ]
            for row in metric["per_label"]
        ],
    ).strip("\n")


def _document_parts(result: Result) -> Iterator[str]:
    """One document: what each sentence is in gold and for a system, and the steps to a score."""
    document = result["document"]
    system = printable(document["system"])
    yield _title(f"one document: {printable(document['name'])}, gold and {system}")
    rows = [
        [_short(row["text"]), *(_marks(row[side], row["n"]) for side in ("gold", "pred"))]
        for row in result["sentences"]
    ]
    table = text_table(["sentence", "tokens in gold", f"of {system}"], rows, ["l", "l", "l"])
    yield from (line.rstrip() for line in table.strip("\n").splitlines())
    yield ""
    steps = level_steps(result["explained"]["labels"][0]["token"], "token")
    yield from _columns((one.name, f"{one.numbers} = {one.value}") for one in steps)
    yield ""


# --- sentences


def _reversal_text(result: Result) -> str:
    """That the correction changes an order, and the results of the tests."""
    found, name = result["reversal"], _metric_name(result["metrics"][0])
    ahead, behind = printable(found["ahead"]), printable(found["behind"])
    before, after = (" to ".join(map(share, found[key])) for key in ("observed", "corrected"))
    p_before, p_after = (p_value_text(found[f"p_{key}"]) for key in ("observed", "corrected"))
    return (
        f"By {name} {ahead} is ahead of {behind}, {before} (a difference, says the paired test, "
        f"p={p_before}), but chance alone would give it {share(found['expected'][0])}; corrected "
        f"for chance it is behind, {after} (again a difference, p={p_after})."
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


# --- pieces


def _board(result: Result, metric: str) -> Result:
    """The board of a metric over all labels and documents."""
    found: Result = next(board for board in result["boards"] if board["metric"] == metric)
    return found


def _standing(row: Result, name: str) -> list[str]:
    standing = standing_of(row, name)
    return [number(standing["score"]), number(standing["rank"]), standing["group"] or "-"]


def _metric_name(metric: str) -> str:
    return NAMES.get(metric, metric)


def _title(text: str) -> str:
    return f"\n{text.upper()}\n"


def _moves(rows: Iterable[Result]) -> str:
    """How many systems change places by the correction."""
    moved = sum(bool(row["change"]) for row in rows)
    if not moved:
        return "no system changes places"
    return f"{quantity(moved, 'system')} change{'s' * (moved == 1)} places"


def _paragraph(text: str, start: str = "") -> str:
    """A text wrapped to the width of a terminal, the lines after the first one indented."""
    return "\n".join(wrap(text.strip(), COLUMNS, subsequent_indent=start, break_on_hyphens=False))


def _columns(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Two columns, aligned left."""
    pairs = list(rows)
    width = max((len(first) for first, _ in pairs), default=0)
    return (f"{first:{width}}  {second}" for first, second in pairs)


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3].rstrip()}..."


def _marks(labels: Result, n: int) -> str:
    """How many of the n tokens of a sentence have each label."""
    marks = [f"{printable(label)} {count} of {n}" for label, count in sorted(labels.items())]
    return ", ".join(marks) or "-"
