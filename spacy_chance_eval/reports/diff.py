"""The differences of two annotations: columns, sections and verdict, composed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..measures.alignment import ROLES
from ..measures.differences import RELATIONS
from .report import ALL, Column, Report, Row, Section, Table
from .tables import shorten
from .words import (
    DASH,
    Details,
    Result,
    TableRow,
    brief,
    in_sentence,
    number,
    printable,
    quantity,
)

OF_COLUMNS = ("gold", "pred")  # layers of CoNLL, for any names of columns
UNITS_OF_POSITIONS = {"token": "tokens", "char": "characters", "category": "documents"}
NAMED = 3  # labels or documents that a sentence names at most
KINDS = 6  # of errors, the most frequent ones, on the screen
SHOWN = 8  # rows of the table of labels on the screen
MOST_LABELS = 40  # of the confusion
ROWS = 40  # of one document
LONGEST_TEXT = 16  # characters of the text of a span in an example
NONE = "(none)"  # unlike a label "none"
NO_PLACE = "no place"  # of a span that fits no tokens, instead of offsets
ALL_LABELS = "All"
LABEL = Column("label", "label", str)

# --- columns

# of a label: strict scores, and numbers of pairs
COUNTS = [
    Column("f", "F"),
    Column("precision", "precision", level=ALL),
    Column("recall", "recall", level=ALL),
    *(Column(relation, relation) for relation in RELATIONS),
]
# columns: the score, which of its numbers, the heading
SCORES = (
    ("strict", "observed", "strict F"),
    ("lenient", "observed", "lenient F"),
    ("average", "observed", "average F"),
    ("span_f", "observed", "span F"),
    ("span_f", "expected", "expected"),
    ("span_f", "corrected", "corrected"),
)

# --- the report


def diff_report(
    summary: Result,
    documents: Sequence[Result] = (),
    *,
    title: str = "",
    addresses: Mapping[str, str] | None = None,
) -> Report:
    """A comparison: labels and error types on the screen; scores, confusion and documents beside.

    Parameters
    ----------
    summary : dict
        The comparison and its differences: the result of `analysis.diff.summary`.
    documents : sequence of dict
        Documents whose pairs are listed, as `Diff.documents` makes them; pages draw them instead.
    title : str, optional
    addresses : mapping of str to str, optional
        Where pages draw documents, by name.
    """
    counts = ", ".join(f"{n} {relation}" for relation, n in summary["counts"].items())
    return Report(
        title or f"Differences between {' and '.join(summary['names'])}",
        diff_verdict(summary),
        [
            Section("Labels", (), [label_table(summary), _score_table(summary)]),
            *difference_sections(summary, addresses or {}),
            Section("Documents", (), [_document_table(summary, one) for one in documents]),
        ][: None if documents else -1],
        [*diff_details(summary), ("Pairs", counts)],
        [f"Warning: {text}" for text in summary.get("warnings", ())],
        how_to_read=["A pair with a wrong label is in the rows of both labels."],
        next="--top 10 (worst documents), -o pages/, -o x.jsonl (Prodigy), --merge pred",
    )


def difference_sections(summary: Result, addresses: Mapping[str, str]) -> list[Section]:
    """The confusion of labels, and the kinds of errors with examples."""
    kinds, examples = [], []
    for kind in summary["errors"]:
        rows = [
            {
                **kind,
                "document": pair["document"],
                "address": addresses.get(pair["document"]),
                **{side: span_text(pair[side]) for side in ROLES},
                "example": _example(*(pair[side] for side in ROLES)),
            }
            for pair in kind["examples"]
        ]
        kinds.append(rows[0])
        examples += rows
    error = Column("error", "error", str)
    relation = Column("relation", "relation", str, level=ALL)
    document = Column("document", "document", str, link="address", level=ALL)
    sides = [Column(side, name, str) for side, name in zip(ROLES, summary["names"])]
    errors = [
        Table(
            "The most frequent kinds of errors first, with an example from the worst document",
            [error, relation, Column("n", "number"), Column("example", "example", str), document],
            kinds,
            most=KINDS,
        ),
        Table("Examples from the worst documents", [error, *sides, document], examples, level=ALL),
    ]
    confused = [_confusion_table(summary)] if len(summary["confusion"]["labels"]) > 1 else []
    sections = [
        Section("Confusion of labels", (), confused),
        Section("Kinds of errors", (), errors),
    ]
    return [one for one in sections if any(table.rows for table in one.tables)]


def label_table(summary: Result) -> Table:
    """Pairs, spans and strict scores by label, those with most differences first."""
    spans = [Column(role, f"spans of {name}") for role, name in zip(ROLES, summary["names"])]
    columns = [LABEL, *COUNTS, *(replace(one, level=ALL) for one in spans)]
    rows = sorted(
        summary["by_label"], key=lambda row: 2 * row["correct"] - row["gold"] - row["pred"]
    )
    of_labels = ", of these labels" * bool(summary["filter"]["labels"])
    caption = f"Pairs and spans by label, and strict scores{of_labels}"
    scores = [f"{key} {number(summary['selection'][key])}" for key in ("precision", "recall")]
    if (span_f := summary["scores"].get("span_f", {})).get("corrected") is not None:
        scores += [f"span F {key} {number(span_f[key])}" for key in ("expected", "corrected")]
    notes = [f"{ALL_LABELS}: {', '.join(scores)}"]
    signatures = [score["signature"] for score in summary["scores"].values()]
    totals = [{**summary["selection"], "label": ALL_LABELS}]
    return Table(caption, columns, rows, notes, totals, signatures=signatures[::-1], most=SHOWN)


def _score_table(summary: Result) -> Table:
    """GATE's scores and the corrected span F, by label."""
    scores = summary["scores"]
    known = [one for one in SCORES if one[1] in scores.get(one[0], ())]
    columns = [Column(f"{name} {part}", heading) for name, part, heading in known]

    def row(label: str, of: Callable[[Result], Result]) -> TableRow:
        cells = {f"{name} {part}": of(scores[name])[part] for name, part, *_ in known}
        return {"label": label, **cells}

    rows = [
        row(label, lambda score, label=label: score["per_label"][label])  # type: ignore[misc]
        for label in next(iter(scores.values()), {"per_label": ()})["per_label"]
    ]
    totals = [row(ALL_LABELS, lambda score: score)] if scores else []
    caption = "Scores of all that both annotated, whatever the filter"
    return Table(caption, [LABEL, *columns], rows, (), totals, level=ALL)


def most_confused(summary: Result, most: int) -> tuple[list[str], list[list[int]], int]:
    """The labels with most differences and their confusion; how many others there are."""
    confusion = summary["confusion"]
    labels, differences = confusion["labels"], confusion["differences"]
    places = range(len(labels) - 1)  # the last is "none"
    kept = [*sorted(sorted(places, key=lambda i: (-differences[i], i))[:most]), len(labels) - 1]
    names = [NONE if labels[i] is None else labels[i] or "(empty)" for i in kept]
    rows = [[confusion["rows"][i][j] for j in kept] for i in kept]
    return names, rows, len(labels) - len(kept) + confusion["n_left_out"]


def _confusion_table(summary: Result) -> Table:
    """The confusion of labels."""
    names, (labels, matrix, n_left_out) = summary["names"], most_confused(summary, MOST_LABELS)
    notes = []
    if n_left_out:
        notes = [f"Left out: {quantity(n_left_out, 'more label')}, with fewer differences."]
    columns = [
        Column(f"of {j}", label, style=partial(_confusion_style, j))
        for j, label in enumerate(labels)
    ]
    rows = [
        {"label": label, "place": i, **{f"of {j}": n for j, n in enumerate(row)}}
        for i, (label, row) in enumerate(zip(labels, matrix))
    ]
    del rows[-1][f"of {len(labels) - 1}"]  # there is no pair of nothing with nothing
    caption = f"Rows: {names[0]}. Columns: {names[1]}. {NONE}: no counterpart"
    return Table(caption, [Column("label", "", str), *columns], rows, notes, level=ALL)


def _confusion_style(column: int, row: Row) -> str:
    """The style of a number of the confusion: the same label, or another one."""
    if row["place"] == column:
        return "font-weight:600;background:var(--band)"
    return "color:var(--corrected)" * bool(row.get(f"of {column}"))


def _document_table(summary: Result, document: Result) -> Table:
    """The pairs of one document; of many, those that differ."""
    counts = ", ".join(f"{n} {name}" for name, n in document["counts"].items() if n) or "no spans"
    pairs, notes = document["pairs"], []
    if len(pairs) > ROWS:
        pairs = [pair for pair in pairs if pair["error"]][:ROWS]
        notes = [f"{len(document['pairs']) - len(pairs)} more rows, correct ones first: -o FILE"]
    columns = [
        Column("relation", "relation", str),
        Column("error", "error", str),
        *(Column(side, name, str) for side, name in zip(ROLES, summary["names"])),
    ]
    rows = [
        {
            "relation": pair["relation"],
            "error": "" if pair["error"] == pair["relation"] else pair["error"] or "",
            **{side: span_text(pair[side]) for side in ROLES},
        }
        for pair in pairs
    ]
    caption = f"{document['document']}: {counts}; strict F {number(document['f'])}"
    return Table(caption, columns, rows, notes, level=ALL)


def _example(gold: Result | None, pred: Result | None) -> str:
    """Both spans by label and text, or by offsets where it is not known; what is equal once."""
    spans = [span for span in (gold, pred) if span]
    if any(span["text"] is None for span in spans):
        return " > ".join(map(span_text, spans))
    columns = (
        [one["label"] for one in spans],
        [f'"{shorten(one["text"], LONGEST_TEXT)}"' for one in spans],
    )
    return " ".join(" > ".join(dict.fromkeys(column)) for column in columns)


def span_text(span: Result | None) -> str:
    """Label, offsets, text and features of a span."""
    if span is None:
        return DASH
    place = NO_PLACE if span["start"] is None else f"{span['start']}-{span['end']}"
    text = "" if span["text"] is None else f'"{span["text"]}"'
    features = ", ".join(
        f"{key}={value}"
        for key, value in sorted(span.get("features", {}).items(), key=lambda pair: str(pair[0]))
    )
    return " ".join(filter(None, (span["label"], place, text, f"{{{features}}}" * bool(features))))


# --- sentences


def source_details(result: Result) -> Details:
    """The names of gold and the prediction, with their files and layers."""
    details = []
    for side, name in zip(("gold", "pred"), result["names"]):
        layer = result[f"{side}_layer"]
        named = "" if layer in OF_COLUMNS else f", layer {layer}"
        details.append((name, result[side] + named))
    return details


def diff_details(summary: Result) -> Details:
    """The comparison, and how much of it is shown."""
    details = source_details(summary)
    chosen = summary["filter"]
    filters = [
        f"{what} {', '.join(chosen[what])}" for what in ("labels", "relations") if chosen[what]
    ]
    size = (
        f"{summary['n_docs']} annotated in both, {summary['n_differing']} of them with differences"
    )
    size += " that the filter keeps" if filters else ""
    if summary["n_skipped"]:
        size += f"; {summary['n_skipped']} not annotated in both: left out"
    details.append(("Documents", size))
    if filters:
        details.append(("Only", "; ".join(filters) + " (the table of scores is of everything)"))
    if summary["features"] != "none":
        details.append(("Features", f"that must agree: {summary['features']}"))
    if (beta := summary.get("beta", 1)) != 1:
        more = "recall" if beta > 1 else "precision"
        details.append(("F", f"with beta {beta:g}, which favours {more}"))
    unit = UNITS_OF_POSITIONS[summary["positions"]]
    details.append(("Offsets", f"of {unit}, from 0; the end is exclusive"))
    return details


def diff_verdict(summary: Result) -> str:
    """Summary of a diff: the share of gold that is found, F with and without chance, main loss.

    Parameters
    ----------
    summary : dict
        The comparison and its differences: the result of `analysis.diff.summary`.
    """
    selection, (first, second) = summary["selection"], map(printable, summary["names"])
    gold, pred, correct = (selection[key] for key in ("gold", "pred", "correct"))
    mark = "label" if summary["positions"] == "category" else "span"
    where = _selected(summary)
    if not gold and not pred:
        return f"Neither {first} nor {second} has a {mark}{where}."
    whole = f"{gold:,} {mark}{'s' * (gold != 1)} of {first}"
    if first == "gold":
        whole = f"{gold:,} gold {mark}{'s' * (gold != 1)}"
    found = f"{correct:,}" if correct else "none"
    scores = f"F {brief(selection['f'])}{_beyond_chance(summary)}"
    return f"{second} finds {found} of {whole}{where} exactly ({scores}){_loss(summary, mark)}."


def _selected(summary: Result) -> str:
    """The filtered labels in words; "" without a filter."""
    names = [printable(name) or "(empty)" for name in summary["filter"]["labels"]]
    named = in_sentence(names) if len(names) <= NAMED else f"{len(names)} labels"
    return f" of {named}" * bool(names)


def _beyond_chance(summary: Result) -> str:
    """The corrected span F to follow a strict F of the same spans; "" if they differ."""
    score, chosen = summary["scores"].get("span_f"), summary["filter"]
    if score is None or summary["features"] != "none":
        return ""
    if chosen["labels"]:
        score = score["per_label"].get(chosen["labels"][0]) if len(chosen["labels"]) == 1 else None
    value = score and score.get("corrected")
    return "" if value is None else f", {brief(value)} beyond chance"


def _loss(summary: Result, mark: str) -> str:
    """The most frequent kind of difference, and the label that it concerns most; "" without any."""
    words = {
        "partial": f"{mark} with other boundaries",
        "wrong label": f"{mark} with another label",
        "missing": f"missing {mark}",
        "spurious": f"spurious {mark}",
    }
    numbers = {relation: summary["selection"][relation] for relation in words}
    worst = max(numbers, key=numbers.__getitem__)
    most = numbers[worst]
    if not most:
        return ""
    text = f"; the largest loss is {most:,} "
    text += words[worst].replace(mark, mark + "s" * (most != 1), 1)
    label = max(summary["by_label"], key=lambda row: row[worst])
    if len(summary["by_label"]) < 2 or worst == "wrong label" or most == 1:
        return text
    return f"{text}, {label[worst]:,} of them {printable(label['label']) or '(empty)'}"


def pair_reason(pair: Result, names: Sequence[str]) -> str:
    """The kind of difference of a pair, and both spans with labels and offsets.

    Parameters
    ----------
    pair : dict
        A pair of a document, as `Diff.document` makes it.
    names : (str, str)
        Names of gold and the prediction.
    """
    both = zip(names, (pair["gold"], pair["pred"]))
    spans = ", ".join(f"{name} has {_place(span)}" for name, span in both if span)
    return f"{pair['error'] or pair['relation']}: {spans}"


def _place(span: Result) -> str:
    """Label and offsets of a span."""
    label = span["label"] or "(empty)"
    return f"{label} {NO_PLACE if span['start'] is None else '{start}-{end}'.format(**span)}"
