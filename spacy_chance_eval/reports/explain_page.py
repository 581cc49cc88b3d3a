"""The page that explains a score, with figures of chance placement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from ..corpora.pairs import CorpusPair
from ..formats import FormatError
from ..formats.outputs import write_atomically
from . import explain
from .drawing import draw_document, span_renderer
from .explain import POSITION_NAMES, TOGETHER, UNDEFINED, shown_entries
from .explain_figures import coverage_figure, starts_figure
from .figures import svg_element
from .html import page
from .words import ALIKE, Result, TableRow, against_chance, brief, count_word, number, printable

# of the page
TOKENS = 300  # rows of the table of tokens
STARTS = 30  # rows of the table of starts
UNITS = 12  # units whose starts have a table
ROWS = 200  # spans, pairs, documents
PASSAGES = 8  # if there are more, they are folded
COVERAGE_CAPTION = (
    "How likely a random annotation covers each {}. Bars beneath the curves are the segments as "
    "they were annotated: {} above, {} below."
)
STARTS_CAPTION = (
    "How likely one given segment of {} starts at each {} by chance: a line for each length, which "
    "is that of every segment of this length."
)
SMALL = 0.1  # scores below it have more than two decimals
NEARLY_ALL = 0.995  # larger shares are called "nearly all"


def explain_page(result: Result, drawn: Result | None = None) -> str:
    """An explanation of the scores of a document or a corpus, as one HTML page."""
    facts, names = explain.explanation_details(result), result["names"]
    explained = [*(f"{name}(chance={result['chance']})" for name in ("span_f", "token_f")), "slicm"]
    if "levels" in result:
        return page(
            "explain_corpus.html",
            signatures=explained,
            result=result,
            facts=facts,
            levels=[_corpus_level(result, name) for name in result["levels"]],
            heads=_capitalised(explain.share_heads(names)),
            verdict=explain_verdict(result),
            overview=overview_rows(result),
        )
    panels = [
        _panel(result, entry, f"label-{i}") for i, entry in enumerate(explain.shown_entries(result))
    ]
    n_passages = len(drawn["passages"]) if drawn else 0
    return page(
        "explain.html",
        signatures=explained,
        result=result,
        facts=facts,
        verdict=explain_verdict(result),
        overview=overview_rows(result),
        names=names,
        size=explain.document_size(result),
        drawn=drawn,
        n_folded=n_passages if n_passages > PASSAGES else 0,
        panels=panels,
        remark=result["labels"][0]["slicm"]["remark"],
        pair_heads=_capitalised(explain.slicm_heads(names)),
    )


def write_explain_page(result: Result, compared: CorpusPair, path: str | Path) -> None:
    """Write an explanation as one page.

    Parameters
    ----------
    result : dict
        The result of `explain_document` or `explain_corpus`.
    compared : CorpusPair
        The annotations that were explained.
    path : str or Path
        Ends in .html.

    Raises
    ------
    FormatError
        If the path does not, or cannot be written.
    """
    if Path(path).suffix.lower() != ".html":
        raise FormatError("an explanation is one page; name a file that ends in .html", path)
    drawn = None if "levels" in result else draw_explained(result, compared)
    write_atomically(path, explain_page(result, drawn))


# --- tables


def draw_explained(result: Result, compared: CorpusPair) -> TableRow:
    """The text of the explained document with the labels of both annotations."""
    labels = {entry["label"] for entry in result["labels"]}
    both = ((compared.gold, compared.gold_layer), (compared.pred, compared.pred_layer))
    sides = []
    for corpus, layer in both:
        spans = corpus.documents[result["place"]].layers.get(layer) or ()
        sides.append({span for span in spans if span[2] in labels})
    wrong = [span[:2] for span in sides[0] ^ sides[1]]
    document = compared.gold.documents[result["place"]]
    renderer = span_renderer(compared.aligned()[0].labels)
    return draw_document(renderer, document, compared.positions, list(map(sorted, sides)), wrong)


def _panel(result: Result, entry: Result, key: str) -> TableRow:
    """One label, or all together, as texts and cells."""
    whole = entry["label"] is None
    slicm = entry["slicm"]
    panel = {
        "id": key,
        "title": explain.TOGETHER.capitalize() if whole else entry["label"],
        "whole": whole,
        "figures": _figures(result, entry, key),
        "levels": [_level(result, entry, level) for level in ("span", "token")],
        "slicm": {
            "metric": slicm["metrics"]["slicm"],
            "prior": None if whole else explain.prior_text(slicm["prior"]),
            "pairs": [] if whole else explain.slicm_rows(slicm)[:ROWS],
            "steps": explain.slicm_steps(slicm, result["names"]),
        },
    }
    return panel if whole else panel | _placement_tables(result, entry)


def _level(result: Result, entry: Result, level: str) -> TableRow:
    """The steps to the scores of spans or tokens."""
    expected = entry["label"] is not None and entry[level]["expected"] is not None
    matches = level == "span" and entry.get("matches")
    return {
        "metric": entry[level]["metrics"]["f"],
        "sum": explain.sum_text(result, level) if expected else None,
        "matches": explain.match_rows(entry) if matches else [],
        "steps": explain.level_steps(entry[level], level, result["names"]),
        "scores": explain.score_cells(entry[level]),
    }


def _placement_tables(result: Result, entry: Result) -> TableRow:
    """Where the tokens and segments of one label fall by chance."""
    tokens, left_out = explain.token_rows(result, entry, TOKENS)
    units = []
    for unit in entry["units"][:UNITS]:
        sides = [(side, name) for side, name in zip(("gold", "pred"), result["names"])]
        units.append(
            {
                "unit": unit,
                "lengths": [explain.lengths(unit, side) for side, _ in sides],
                "rows": explain.start_rows(unit, result["names"])[:ROWS],
                "tables": [
                    (name, *explain.start_table(unit, side, STARTS))
                    for side, name in sides
                    if unit[side]["kinds"]
                ],
                "inner": explain.INNER if explain.has_parents(unit) else None,
            }
        )
    return {
        "tokens": tokens,
        "left_out": left_out,
        "units": units,
        "more_units": len(entry["units"]) - len(units),
        "unplaced": [
            (name, len(entry["unplaced"][side]))
            for side, name in zip(("gold", "pred"), result["names"])
        ],
    }


def _capitalised(heads: list[str]) -> list[str]:
    """Titles of columns with capitals, except the first two, which are names."""
    return [*heads[:2], *(head[0].upper() + head[1:] for head in heads[2:])]


def _corpus_level(result: Result, name: str) -> TableRow:
    """Spans or tokens of a corpus, as texts and cells."""
    level = result["levels"][name]
    documents = level["documents"]
    return {
        "metric": level["total"]["metrics"]["f"],
        "reason": level["total"]["reason"],
        "steps": explain.level_steps(level["total"], name, result["names"]),
        "by_label": [explain.share_cells(row, row["label"]) for row in level["by_label"]],
        "documents": [explain.share_cells(row, row["document"]) for row in documents[:ROWS]],
        "more": max(len(documents) - ROWS, 0),
    }


# --- figures


def _figures(result: Result, entry: Result, key: str) -> list[tuple[str, Markup]]:
    """Captions and figures for one label."""
    if entry["label"] is None:
        return []
    unit = explain.POSITION_NAMES[result["positions"]]
    names = [printable(name) for name in result["names"]]
    figures = [(COVERAGE_CAPTION.format(unit, *names), coverage_figure(result, entry), f"{key}-c")]
    for side, name in zip(("gold", "pred"), names):
        drawn = starts_figure(result, entry, side)
        figures.append((STARTS_CAPTION.format(name, unit), drawn, f"{key}-{side}"))
    return [(text, Markup(svg_element(figure, place))) for text, figure, place in figures if figure]


# --- summary


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
