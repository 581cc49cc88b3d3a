"""Where two annotations differ, as text, and the common parts of the text and the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias
from unicodedata import combining, east_asian_width

from wasabi import color

from .tables import (
    column,
    detail_lines,
    line_width,
    short_title,
    shorten,
    signature_lines,
    terminal_columns,
    warning_lines,
    wide_tables,
)
from .words import (
    DASH,
    Details,
    Result,
    brief,
    in_sentence,
    number,
    printable,
    quantity,
)

Paint: TypeAlias = Callable[[str, str], str]  # paint(text, relation), perhaps in a colour

OF_COLUMNS = ("gold", "pred")  # layers of CoNLL, for any names of columns
UNITS_OF_POSITIONS = {"token": "tokens", "char": "characters", "category": "documents"}
SCORES = {"strict": "strict F", "lenient": "lenient F", "average": "average F", "span_f": "span_f"}
# colours only add to what words say
COLOURS = {
    "correct": "green",
    "partial": "yellow",
    "label differs": "pink",
    "missing": "red",
    "spurious": "cyan",
}
SELECTION = {"precision": "precision", "recall": "recall", "f": "F"}
NAMED = 3  # labels or documents that a sentence names at most
GAP = "  "  # between two columns
KINDS = 6  # of errors, the most frequent ones, in the summary
LABELS, FEW = 20, 4  # in the matrix, and that of the summary: those with most differences
ROWS = 40  # of one document
# characters of a text: the first with which a line is not too long
LENGTHS = (60, 40, 28, 20, 14, 8)
NAME_LENGTH = 20  # characters of the name of a document before an example
NONE = "(none)"  # unlike a label "none"
NO_PLACE = "no place"  # of a span that fits no tokens, instead of offsets


def diff_text(
    summary: Result, documents: Sequence[Result] | None = None, *, colour: bool = False
) -> str:
    """The summary of a comparison and some of its documents, as one text.

    Parameters
    ----------
    summary : dict
        The comparison and its differences: the result of `analysis.diff.summary`.
    documents : sequence of dict, optional
        Documents with their differences, as `Diff.documents` makes them. By default the text is a
        summary that fits on a screen, and ends with what to do next.
    colour : bool
        Whether relations are coloured; they are always named.
    """
    parts = _screen(summary, _painter(colour))
    if documents is not None:
        parts = _parts(summary, documents, _painter(colour))
    return "\n".join(parts)


# --- common parts of the text and the pages


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
    if not gold or not pred:
        none, other, n, relation = (first, second, pred, "spurious")
        if gold:
            none, other, n, relation = (second, first, gold, "missing")
        are = "is" if n == 1 else "are"
        return f"{none} has no {mark}{where}: {quantity(n, mark)} of {other} {are} {relation}."
    if correct == gold == pred:
        return f"{second} has exactly the {quantity(gold, mark)} of {first}{where}."
    whole = f"{gold:,} {mark}{'s' * (gold != 1)} of {first}"
    if first == "gold":
        whole = f"{gold:,} gold {mark}{'s' * (gold != 1)}"
    found = f"{correct:,}" if correct else "none"
    scores = f"F {brief(selection['f'])}{_beyond_chance(summary)}"
    return f"{second} finds {found} of {whole}{where} exactly ({scores}); {_loss(summary, mark)}."


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
    """The most frequent kind of difference, and the label that it concerns most often."""
    words = {
        "partial": f"{mark} with other borders",
        "label differs": f"{mark} with another label",
        "missing": f"missing {mark}",
        "spurious": f"spurious {mark}",
    }
    numbers = {relation: summary["selection"][relation] for relation in words}
    most = max(numbers.values())
    worst = [relation for relation, n in numbers.items() if n == most]
    texts = [f"{most:,} {words[one].replace(mark, mark + 's' * (most != 1), 1)}" for one in worst]
    if len(worst) > 1:
        return f"the largest losses are {in_sentence(texts)}"
    rows = summary["by_label"]
    label = max(rows, key=lambda row: row[worst[0]])
    of_label = label[worst[0]]
    text = f"the largest loss is {texts[0]}"
    if len(rows) < 2 or worst[0] == "label differs" or most == 1:
        return text
    name = printable(label["label"]) or "(empty)"
    if 2 * of_label > most:
        return f"{text}, {'all' if of_label == most else 'most'} of them {name}"
    return f"{text}, {of_label:,} of them {name}"


def pair_reason(pair: Result, names: Sequence[str], positions: str) -> str:
    """Both spans of a pair with labels and offsets, and the difference between them.

    Parameters
    ----------
    pair : dict
        A pair of a document, as `Diff.document` makes it.
    names : (str, str)
        Names of gold and the prediction.
    positions : "token", "char" or "category"
        Unit of offsets.
    """
    (first, gold), (second, pred) = zip(names, (pair["gold"], pair["pred"]))
    if pair["relation"] == "correct":
        return f"correct: {first} and {second} have {_place(gold)}"
    if gold is None or pred is None:
        has, lacks = (second, first) if gold is None else (first, second)
        return f"{pair['relation']}: {has} has {_place(gold or pred)}, {lacks} no counterpart"
    reasons = [*_extents(gold, pred, {"char": "character"}.get(positions, positions))]
    if gold["label"] != pred["label"]:
        reasons.append("label differs")
    if gold["features"] != pred["features"] and not reasons:
        reasons.append("features differ")
    both = f"{first} has {_place(gold)}, {second} has {_place(pred)}"
    return f"{both}: {', '.join(reasons)}"


def _place(span: Result) -> str:
    """Label and offsets of a span."""
    label = span["label"] or "(empty)"
    return f"{label} {NO_PLACE if span['start'] is None else '{start}-{end}'.format(**span)}"


def _extents(gold: Result, pred: Result, unit: str) -> Iterator[str]:
    """The differences between the boundaries of a gold and a predicted span, in words."""
    earlier, later = gold["start"] - pred["start"], pred["end"] - gold["end"]
    if earlier and later:
        for verb, by, words in (
            ("starts", -earlier, ("earlier", "later")),
            ("ends", later, ("earlier", "later")),
        ):
            yield f"{verb} {quantity(abs(by), unit)} {words[by > 0]}"
    elif earlier or later:
        by = earlier or later
        way, end = "longer" if by > 0 else "shorter", "start" if earlier else "end"
        yield f"{quantity(abs(by), unit)} {way} at the {end}"


# --- text


def _painter(colour: bool) -> Paint:
    if not colour:
        return lambda text, relation: text
    return lambda text, relation: color(text, fg=COLOURS[relation], bold=True)


def _screen(summary: Result, paint: Paint) -> Iterator[str]:
    """The summary that fits on a screen."""
    *lines, selected = _counts(
        summary, paint, [one for one in diff_details(summary) if one[0] != "Offsets"]
    )
    yield from lines
    score = list(summary["scores"].values())[-1]
    beyond = ""
    if score["observed"] == summary["selection"]["f"] and score.get("corrected") is not None:
        beyond = f"expected {number(score['expected'])}{GAP}corrected {number(score['corrected'])}"
    yield selected.replace("(strict)", beyond or "(strict)") + "\n"
    yield from _confusion_matrix(summary, FEW)
    errors = sorted(summary["errors"], key=lambda kind: -kind["n"])[:KINDS]
    widest, digits = (
        max((len(str(kind[key])) for kind in errors), default=0) for key in ("error", "n")
    )
    for kind in errors:
        name = paint(kind["error"], kind["relation"]) + " " * (widest - len(kind["error"]))
        example = _example(kind["examples"][0], widest + digits + 6)
        yield f"  {kind['n']:{digits}}  {name}  {example}"
    yield f"\n{printable(score['signature'])}"
    yield "next: --top 10 (worst documents), -o pages/, -o x.jsonl (Prodigy), --merge pred"


def _counts(summary: Result, paint: Paint, details: Details) -> Iterator[str]:
    """What is compared, warnings, and how many pairs there are of each relation."""
    yield from detail_lines(details, wrapped=True)
    yield from warning_lines(summary)
    counts = (f"{paint(name, name)} {n}" for name, n in summary["counts"].items())
    yield f"\n  {GAP.join(counts)}"
    yield _selection_line(summary)


def _parts(summary: Result, documents: Sequence[Result], paint: Paint) -> Iterator[str]:
    yield from _counts(summary, paint, diff_details(summary))
    yield from _score_table(summary["scores"])
    yield from _confusion_matrix(summary)
    yield from _error_lines(summary["errors"], paint)
    for document in documents:
        yield from _document_table(summary, document, paint)
    more = summary["n_shown"] - len(documents)
    if more and documents:
        yield f"({more} more documents: --top N, -o FILE)\n"
    yield from signature_lines(score["signature"] for score in summary["scores"].values())


def _selection_line(summary: Result) -> str:
    """Strict precision, recall and F of the selected labels."""
    scores = [f"{name} {number(summary['selection'][key])}" for key, name in SELECTION.items()]
    of = ", of these labels" * bool(summary["filter"]["labels"])
    return "  " + GAP.join(scores) + f"{GAP}(strict{of})"


def _score_table(scores: Result) -> Iterator[str]:
    """Observed, expected and corrected scores."""
    columns = [
        column("observed", (number(score["observed"]) for score in scores.values())),
        column("expected", (number(score.get("expected")) for score in scores.values())),
        column("corrected", (number(score.get("corrected")) for score in scores.values())),
    ]
    yield "\nscores of all labels"
    yield from wide_tables("", [SCORES[name] for name in scores], [columns])


def _confusion_matrix(summary: Result, most: int = LABELS) -> Iterator[str]:
    """The confusion of labels: those with most differences, and none."""
    confusion = summary["confusion"]
    labels, rows, differences = (confusion[key] for key in ("labels", "rows", "differences"))
    worst = sorted(range(len(labels) - 1), key=lambda i: -differences[i])[:most]
    kept = [*sorted(worst), len(labels) - 1]
    names = [NONE if labels[i] is None else labels[i] for i in kept]
    if len(kept) < 2:
        return
    one, two = map(printable, summary["names"])
    yield f"labels; rows: {one}, columns: {two}, {NONE}: no counterpart"
    groups = [
        [column(short_title(name), (_confusion_cell(rows, i, j) for i in kept))]
        for name, j in zip(names, kept)
    ]
    yield from wide_tables("", names, groups)
    left_out = len(labels) - len(kept) + confusion["n_left_out"]
    if left_out:
        yield f"({left_out} more labels, with fewer differences)\n"


def _confusion_cell(rows: Sequence[Sequence[int]], i: int, j: int) -> str:
    """One number of the matrix; there is no pair of nothing with nothing."""
    return "" if i == j == len(rows) - 1 else str(rows[i][j])


def _error_lines(errors: Sequence[Result], paint: Paint) -> Iterator[str]:
    """Kinds of errors with examples."""
    if not errors:
        return
    yield "kinds of errors, with examples from the worst documents"
    widest = max(len(kind["error"]) for kind in errors)
    digits = max(len(str(kind["n"])) for kind in errors)
    for kind in errors:
        name = paint(kind["error"], kind["relation"])
        relation = ""
        if kind["error"] != kind["relation"]:
            relation = " " * (widest - len(kind["error"]) + 1) + f"({kind['relation']})"
        yield f"  {kind['n']:{digits}}  {name}{relation}"
        yield from (f"  {'':{digits}}    {_example(pair, digits + 6)}" for pair in kind["examples"])
    yield ""


def _example(pair: Result, indentation: int) -> str:
    """A difference and its document, on one line."""
    document = shorten(printable(pair["document"]), NAME_LENGTH)
    for most in LENGTHS:
        text = " > ".join(_span_text(pair[key], most) for key in ("gold", "pred") if pair[key])
        if terminal_width(document + text) + indentation + 2 <= line_width():
            break
    return f"{document}: {text}"


def _document_table(summary: Result, document: Result, paint: Paint) -> Iterator[str]:
    """The pairs of one document."""
    counts = ", ".join(f"{n} {name}" for name, n in document["counts"].items() if n) or "no spans"
    yield f"{printable(document['document'])}: {counts}; strict F {number(document['f'])}"
    pairs, left_out = document["pairs"], 0
    if len(pairs) > ROWS:
        pairs = [pair for pair in pairs if pair["error"]]
        left_out = len(document["pairs"]) - len(pairs[:ROWS])
    if pairs:
        header, rows = _pair_cells([*map(printable, summary["names"])], pairs[:ROWS])
        yield from _table_lines(header, rows, [pair["relation"] for pair in pairs], paint)
    if left_out:
        yield f"  ({left_out} more rows, correct ones first: -o FILE)"
    yield ""


def _pair_cells(names: Sequence[str], pairs: Sequence[Result]) -> tuple[list[str], list[list[str]]]:
    """Titles and rows: what each pair is, and both spans, with texts as long as the line allows.

    Where a terminal is too narrow for relations and kinds of errors, these are one column.
    """
    for columns in (["relation", "error"], ["error"])[: 2 if terminal_columns() else 1]:
        for most in LENGTHS:
            rows = []
            for pair in pairs:
                error = DASH if pair["error"] in (None, pair["relation"]) else pair["error"]
                kinds = [pair["relation"], error]
                if len(columns) == 1:
                    kinds = [pair["error"] or pair["relation"]]
                rows.append(kinds + [_span_text(pair[key], most) for key in ("gold", "pred")])
            header = [*columns, *names]
            if sum(_column_widths([header, *rows])) + len(GAP) * len(header) <= line_width():
                return header, rows
    return header, rows


def _span_text(span: Result | None, most: int) -> str:
    """Label, offsets, text and features of a span, each cut to some characters."""
    if span is None:
        return DASH
    place = NO_PLACE if span["start"] is None else f"{span['start']}-{span['end']}"
    text = "" if span["text"] is None else f'"{shorten(printable(span["text"]), most)}"'
    features = ", ".join(
        f"{printable(str(key))}={printable(str(value))}"
        for key, value in sorted(span["features"].items(), key=lambda pair: str(pair[0]))
    )
    features = f"{{{shorten(features, most)}}}" if features else ""
    return " ".join(filter(None, (shorten(printable(span["label"]), most), place, text, features)))


def _table_lines(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    relations: Sequence[str],
    paint: Paint,
) -> Iterator[str]:
    """A table whose first column has the colours of relations."""
    widths = _column_widths([header, *rows])
    for i, row in enumerate([header, *rows]):
        cells = [text + " " * (most - terminal_width(text)) for text, most in zip(row, widths)]
        if i:
            cells[0] = cells[0].replace(row[0], paint(row[0], relations[i - 1]))
        yield ("  " + GAP.join(cells)).rstrip()


def _column_widths(rows: Iterable[Sequence[str]]) -> list[int]:
    return [max(map(terminal_width, cells)) for cells in zip(*rows)]


def terminal_width(text: str) -> int:
    """How many columns of the terminal a text takes."""
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )
