"""Why a score is what it is, of a document or a corpus: verdict, tables, figures of chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from ..corpora.pairs import CorpusPair
from ..formats.outputs import write_atomically
from ..measures.alignment import ROLES
from .chance_figures import POSITION_NAMES, chance_columns, coverage_figure
from .diff import source_details
from .report import ALL, FOLDED, SCREEN, Column, Report, Section, Table, report_page
from .words import (
    ALIKE,
    Details,
    Result,
    TableRow,
    against_chance,
    beyond_chance,
    brief,
    precise,
    quantity,
)

NEAR = 2  # tokens beside a span that are shown with it
TOKENS = 100  # in the table of a document; longer ones show those near spans
OPEN = 40  # rows of a table of tokens; longer ones are folded
ROWS = 200  # documents, spans and units of text in a table
SHOWN = 8  # labels and documents on the screen
PASSAGES = 60  # tokens of a document whose text is printed
ALL_LABELS = "All"
PLACES = {
    "disjoint": "no two segments of an annotator share a token, and all such placements are "
    "equally likely",
    "overlapping": "each segment starts anywhere with equal probability, independently of the "
    "others; segments may share tokens",
    "nested": "the outermost segments fall as in the disjoint model, those inside a segment "
    "likewise inside it",
    "uniform": "as in the disjoint model, but every start is taken as equally likely where the "
    "paper's approximation allows it",
}
UNIT_NAMES = {"document": "the whole document", "sentence": "its sentence, if gold knows it"}
ITEMS = {
    "IO": "a token counts once for each label",
    "BIO": "first tokens (B) and others (I) of spans count separately",
    "BIOE": "first (B), inner (I) and last (E) tokens of spans count separately",
    "IO*": "tokens count, and the gaps between tokens of one span",
}
HOW = [
    "A random annotation keeps the number and the lengths of the segments and places them in the "
    "text at random. Expected are the matches of two such annotations: of spans, for each pair of "
    "segments of one length, the sum over all starts of P(one starts there) P(the other starts "
    "there); of tokens, the sum over all tokens of P(one covers it) P(the other covers it).",
    "F = 2 matches / (gold + predicted), by chance with the expected matches in their place; "
    "corrected F = (F - F by chance) / (1 - F by chance). Precision and recall divide by the "
    "predicted and by the gold ones. Numbers of all labels are added up before anything is "
    "divided.",
    "SL-ICM = 3 I(common) - I(predicted) - I(gold) = I(common) - lost - noise, in bits; "
    "normalised, (SL-ICM + I(gold)) / (2 I(gold)). It is not corrected for chance here: its "
    "expectation has no closed form (slicm_norm(chance=...) of `score` estimates it).",
]
UNDEFINED = {
    "observed": "neither gold nor prediction has anything: there is no F",
    "corrected": "chance alone is perfect: there is nothing to correct",
}
COVERAGE_CAPTION = (
    "How likely a random annotation covers each {}. Bars beneath the curves are the segments as "
    "they were annotated: {} above, {} below."
)
SMALL = 0.1  # scores below it have more than two decimals
LARGE = 0.1  # shares that the verdict of a corpus names
NEARLY_ALL = 0.995  # larger shares are called "nearly all"
MATCHED, SCORES = ("gold", "pred", "matches"), ("observed", "expected", "corrected")
HEADINGS = {
    "f": ("F", "by chance", "corrected"),
    "precision": ("precision", "by chance", "corrected"),
    "recall": ("recall", "by chance", "corrected"),
}
BITS = ("gold", "pred", "common", "lost", "noise")


def amount(value: float) -> str:
    """A mass: whole numbers as such, expectations with three significant digits."""
    return str(int(value)) if float(value).is_integer() else precise(value)


# --- the report


def explain_report(result: Result, drawn: Result | None = None) -> Report:
    """The result of `explain_document` or `explain_corpus`: scores first, where they come from.

    Parameters
    ----------
    result : dict
    drawn : dict, optional
        The text of the document with both annotations, made by `draw_explained`.
    """
    if "levels" in result:
        title, sections = "Where the expected agreement comes from", _corpus_sections(result)
        more = "--explain NAME (one document, token by token)"
    else:
        title, more = f"Why this score: {result['document']}", "--all (token by token)"
        sections = _document_sections(result, drawn)
    return Report(
        title,
        explain_verdict(result),
        sections,
        explanation_details(result),
        [f"Warning: {text}" for text in result.get("warnings", ())],
        how_to_read=HOW,
        next=f"{more}, -o why.html",
    )


def write_explain_page(result: Result, compared: CorpusPair, path: str | Path) -> None:
    """Write the explanation of annotations as one page."""
    drawn = None if "levels" in result else draw_explained(result, compared)
    write_atomically(path, report_page(explain_report(result, drawn)))


def draw_explained(result: Result, compared: CorpusPair) -> TableRow:
    """The text of the explained document with the labels of both annotations."""
    from .drawing import draw_document, span_renderer  # which load displaCy

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


def explanation_details(result: Result) -> Details:
    """The explained score and its settings."""
    layers = dict.fromkeys((result["gold_layer"], result["pred_layer"]))
    facts = source_details(result)
    if result["gold"] == result["pred"] and len(layers) == 1:
        facts = facts[:1]
    if "levels" in result:
        skipped = f"; {result['n_skipped']} not annotated in both: left out"
        facts.append(("Documents", f"{result['n_docs']}{skipped * bool(result['n_skipped'])}"))
    else:
        unit = POSITION_NAMES[result["positions"]]
        size = f"{quantity(result['n'], unit)}, {quantity(len(result['units']), 'unit')}"
        facts.append(("Size", f"{size}; {unit}s in tables and figures are numbered from 1"))
    model = f"{result['chance']}: {PLACES[result['chance']]}"
    facts.append(("Chance", f"{model}; within {UNIT_NAMES[result['unit']]}"))
    facts.append(("Tokens", f"encoding {result['encoding']}: {ITEMS[result['encoding']]}"))
    return facts


# --- tables


def _level_table(
    caption: str,
    first: str,
    rows: Iterable[tuple[str, Result]],
    total: Result,
    names: Sequence[str],
    level: int = SCREEN,
) -> Table:
    """Masses, matches, and the three scores of labels or documents, then of all."""
    of_f, *others = [
        [
            Column(f"{score} {key}", text, group=texts[0], level=SCREEN if score == "f" else ALL)
            for key, text in zip(SCORES, texts)
        ]
        for score, texts in HEADINGS.items()
    ]
    columns = [
        Column("name", first, str),
        *of_f,
        *(Column(side, name, amount) for side, name in zip(ROLES, names)),
        Column("matches", "matches", amount),
        Column("chance", "expected", amount, level=ALL),
        Column("share", "share", level=ALL),
        Column("cumulative", "cumulative", level=ALL),
        *chain.from_iterable(others),
    ]
    shown = [_level_row(name, row) for name, row in rows]
    reason = [total["reason"]] * bool(total.get("reason"))
    totals = [_level_row(ALL_LABELS, total)]
    made = [total["metrics"]["f"]]
    return Table(caption, columns, shown, reason, totals, level, signatures=made, most=SHOWN)


def _level_row(name: str, row: Result) -> TableRow:
    """Masses and scores of a label or a document."""
    scores = {
        f"{score} {key}": values[key] for score, values in row["scores"].items() for key in SCORES
    }
    shares = {key: row[key] for key in ("share", "cumulative") if key in row}
    chance = row["expected"] and row["expected"]["matches"]
    return {"name": name, **row["observed"], "chance": chance, **shares, **scores}


def _corpus_sections(result: Result) -> list[Section]:
    """Of spans and of tokens, scores and shares of the expected matches by label and document."""
    sections = []
    for kind, level in result["levels"].items():
        tables = []
        for part, first in (("by_label", "label"), ("documents", "document")):
            rows = level[part]
            notes = f" (the first {ROWS} of {len(rows)})" * (len(rows) > ROWS)
            caption = f"{kind.capitalize()}s by {first}, most expected matches first{notes}"
            named = [(row[first], row) for row in rows[:ROWS]]
            place = SCREEN if first == "label" else ALL
            made = _level_table(caption, first, named, level["total"], result["names"], place)
            tables.append(made)
        sections.append(Section(f"{kind.capitalize()}s", (), tables[: None if rows else 1]))
    if result.get("p_values"):
        rows = [{"metric": name, "p": value} for name, value in result["p_values"].items()]
        caption = f"p-value: the share of {result['draws']} random annotations that score as high"
        table = Table(caption, [Column("metric", "metric", str), Column("p", "p")], rows, level=ALL)
        sections.append(Section("Random annotations", (), [table]))
    return sections


def _document_sections(result: Result, drawn: Result | None) -> list[Section]:
    """Scores by label, the text, and for each label where its segments fall by chance."""
    total, *entries = result["labels"]
    tables = []
    for kind in ("span", "token"):
        rows = [(entry["label"], entry[kind]) for entry in entries]
        caption = f"{kind.capitalize()}s by label"
        tables.append(_level_table(caption, "label", rows, total[kind], result["names"]))
    text = [result["text"]] if result["text"] and result["n"] <= PASSAGES else []
    if not entries:
        text.append("Neither gold nor prediction has a span in this document.")
    view = drawn and {"id": "text", "document": drawn, "names": result["names"]}
    return [
        Section("Scores", (), [*tables, _information_table(result)]),
        Section("Text", [] if view and entries else text, drawn=view),
        *(_label_section(result, entry) for entry in entries),
    ]


def _label_section(result: Result, entry: Result) -> Section:
    """Token by token, what one label covers, with a figure."""
    label, names = entry["label"] or "(empty)", result["names"]
    unplaced = [
        f"{name}: {quantity(len(entry['unplaced'][side]), 'span')} on no tokens: they match "
        "nothing, and chance does not place them, but they count."
        for side, name in zip(ROLES, names)
        if entry["unplaced"][side]
    ]
    unit = POSITION_NAMES[result["positions"]]
    caption = COVERAGE_CAPTION.format(unit, *names)
    figures = [(caption, partial(coverage_figure, result, entry))] * bool(result["n"])
    return Section(f"Label {label}", unplaced, [_token_table(result, entry)], figures)


def _token_table(result: Result, entry: Result) -> Table:
    """Token by token: the segments there, and what is covered by chance; of many those near."""
    names, spans = result["names"], entry["spans"]
    tokens = select_tokens(result["n"], spans, TOKENS)
    marks = {side: _segments_by_token(spans[side]) for side in ROLES}
    chance = dict(zip((*ROLES, "expected"), chance_columns(result, entry)))
    rows = [
        {
            "token": token + 1,
            "word": None if result["tokens"] is None else result["tokens"][token],
            **{side: ", ".join(map(str, marks[side].get(token, ()))) for side in ROLES},
            **{f"P {key}": column.get(token) for key, column in chance.items()},
        }
        for token in tokens
    ]
    unit = POSITION_NAMES[result["positions"]]
    n_more = result["n"] - len(tokens)
    return Table(
        f"{entry['label']}: the segments at each {unit}, how likely each annotation covers it by "
        "chance, and the matches expected there",
        [
            Column("token", unit),
            Column("word", "", str),
            *(Column(side, name, str) for side, name in zip(ROLES, names)),
            *(
                Column(f"P {side}", f"P({name} covers)", precise)
                for side, name in zip(ROLES, names)
            ),
            Column("P expected", "expected", precise),
        ],
        rows,
        [f"Left out: {quantity(n_more, unit)} away from spans."] * bool(n_more),
        level=ALL if len(rows) <= OPEN else FOLDED,
        names=2,
    )


def _information_table(result: Result) -> Table:
    """SL-ICM with its parts, by label."""
    rows = [
        {
            "label": ALL_LABELS if entry["label"] is None else entry["label"],
            **entry["slicm"]["bits"],
            **{key: entry["slicm"][key] for key in ("observed", "normalised")},
        }
        for entry in result["labels"]
    ]
    names = [*result["names"], "common"]
    headings = [*(f"I({name})" for name in names), "lost", "noise"]
    columns = [
        Column("label", "label", str),
        *map(Column, BITS, headings),
        Column("observed", "SL-ICM"),
        Column("normalised", "normalised"),
    ]
    made = [result["labels"][0]["slicm"]["metrics"]["slicm"]]
    caption = "Information of spans in bits"
    return Table(caption, columns, rows[1:], (), rows[:1], ALL, signatures=made)


def select_tokens(n: int, spans: Mapping[str, Iterable[Result]], most: int) -> list[int]:
    """All n tokens or, if they are more than `most`, as many of those in and near spans."""
    if n <= most:
        return list(range(n))
    near = {
        token
        for side in spans.values()
        for span in side
        for token in range(max(span["start"] - NEAR, 0), min(span["end"] + NEAR, n))
    }
    return sorted(near)[:most]


def _segments_by_token(spans: Iterable[Result]) -> dict[int, list[int]]:
    """The numbers of the segments at each token."""
    segments: dict[int, list[int]] = {}
    for span in spans:
        for token in range(span["start"], span["end"]):
            segments.setdefault(token, []).append(span["number"])
    return segments


# --- sentences


def explain_verdict(result: Result) -> str:
    """Why the F of spans is what it is, what tokens say, and where expected matches come from.

    The sentences are plain text: names are not escaped.
    """
    if "levels" in result:
        spans, tokens = (result["levels"][kind]["total"] for kind in ("span", "token"))
        return " ".join([_score(spans), *_tokens(tokens), *_largest_shares(result["levels"])])
    total, *entries = result["labels"]
    return " ".join([_score(total["span"]), *_overlaps(total, entries), *_tokens(total["token"])])


def _score(level: Result) -> str:
    """The sentence on the score of spans."""
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


def _overlaps(total: Result, entries: Iterable[Result]) -> Iterator[str]:
    """The sentence on how many spans are the same, and how many others share some text."""
    masses = total["span"]["observed"]
    gold, pred, same = (int(masses[key]) for key in MATCHED)
    if not gold or not pred:
        if gold or pred:
            yield f"There are {quantity(gold, 'gold span')} and {quantity(pred, 'predicted one')}."
        return
    found = [0, 0]
    for entry in entries:
        sides = [entry["spans"][side] for side in ROLES]
        for i, (own, others) in enumerate(zip(sides, sides[::-1])):
            found[i] += sum(
                any(a["start"] < b["end"] and b["start"] < a["end"] for b in others) for a in own
            )
    if same:
        verb = "is" if same == 1 else "are"
        yield f"{same} of {quantity(gold, 'gold span')} {verb} found exactly."
    elif found[1]:
        yield (
            f"No span has the same boundaries and label; {quantity(found[1], 'predicted span')} "
            f"overlap{'s' * (found[1] == 1)} {quantity(found[0], 'gold one')}."
        )
    else:
        yield "No predicted span overlaps a gold one of its label."


def _tokens(level: Result) -> Iterator[str]:
    """The sentence on the score of tokens."""
    f = level["scores"]["f"]
    if f["observed"] is not None:
        chance = "" if f["expected"] is None else f", against {_text(f['expected'])} by chance"
        beyond = ""
        if f["corrected"] is not None:
            beyond = f" ({_text(f['corrected'])} {beyond_chance(f['corrected'])})"
        yield f"By tokens F is {_text(f['observed'])}{chance}{beyond}."


def _largest_shares(levels: Mapping[str, Result]) -> Iterator[str]:
    """The sentence on the label and the document with the most expected matches of spans."""
    parts = []
    for key, kind in (("by_label", "label"), ("documents", "document")):
        known: Sequence[Result] = [row for row in levels["span"][key] if row["share"]]
        if len(known) > 1 and known[0]["share"] > LARGE:
            largest = known[0]
            name = largest[kind]
            name = name if name.startswith(f"{kind} ") else f"{kind} {name}"
            parts.append(f"{_share(largest['share'])} come from {name}")
    if parts:
        yield f"Of the span matches expected by chance, {' and '.join(parts)}."


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
