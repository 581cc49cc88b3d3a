"""Prodigy's span annotation: JSONL as `prodigy db-out` writes it."""

from .corpus import Corpus, Document
from .errors import Mistake, Problem, known, raise_first
from .rows import (
    MISALIGNED,
    checked_span,
    plain_values,
    positions_of,
    read_rows,
    shown,
    to_tokens,
    tokens_of,
    unique,
    value,
    whole,
)

ANSWERS = ("accept", "reject", "ignore")
ATTRIBUTES = ("_session_id", "_annotator_id", "_view_id", "answer")
INCLUSIVE = (
    "both need whole numbers, token_start <= token_end inside the tokens, and the same place as "
    "start and end (Prodigy's token_end is the last token of the span, its end lies behind it)"
)
ONE_ANNOTATOR = (
    "keep the rows of one annotator in the file (one _annotator_id or _session_id), and one answer "
    "to each task"
)


def read_prodigy(path, *, misaligned="error"):
    """The corpus of one annotator, with the layer "spans".

    A task without `spans` is annotated and has none. Tasks that were rejected, ignored or flagged
    are not seen, and give way to an accepted answer to the same task. Documents are named by
    `_input_hash`. In a file without any tokens, positions are characters.

    Parameters
    ----------
    path : str or Path
    misaligned : "error" or "unplaced"
        What becomes of a span without token_start that does not fit the borders of the tokens.

    Raises
    ------
    FormatError
        Once, for all bad rows; or if a task was answered more than once.
    """
    known(misaligned, MISALIGNED, "value of misaligned")
    documents = read_rows(path, lambda row, line: document_of(row, line, misaligned))
    positions = positions_of(path, documents)
    return Corpus(path, one_answer_each(path, [document for document, _ in documents]), positions)


def document_of(row, line, misaligned):
    """(document, tokens) of one task."""
    tokens, text = tokens_of(row, verbatim=False), value(row, "text", str)
    if tokens is None and text is None:
        raise Mistake("a task without 'text'", "read span tasks only: text, and tokens if there")
    answer = row.get("answer", "accept")
    if answer not in ANSWERS:
        raise Mistake(f"'answer' is {shown(answer)}", f"expected one of {', '.join(ANSWERS)}")
    spans, unplaced = None, ()
    if answer == "accept" and not row.get("flagged"):
        spans, unplaced = spans_of(row, tokens, text, misaligned)
    name = row.get("_input_hash")
    document = Document(
        tokens.words if tokens else (),
        {"spans": spans},
        name=name if name is None else str(name),
        unplaced={"spans": unplaced},
        lines=(line,),
        text=text,
        spaces=tokens and tokens.spaces,
        attributes=plain_values(meta if type(meta := row.get("meta")) is dict else {}, ())
        | {key: row[key] for key in ATTRIBUTES if key in row},
    )
    return document, tokens


def spans_of(row, tokens, text, misaligned):
    """The spans of an accepted task, and its unplaced ones."""
    placed, in_characters = [], []
    size = len(text) if text is not None else None
    for entry in value(row, "spans", list, []):
        if type(entry) is not dict:
            raise Mistake(f"a span is {shown(entry)}", "a span is an object with a label")
        if tokens is not None and entry.get("token_start") is not None:
            placed.append(token_span(entry, tokens))
            continue
        if tokens is not None and tokens.borders is None:
            raise Mistake(
                f"span {shown(entry)} has no token_start and its tokens no place in the text",
                "give tokens with start and end, or spans with token_start and token_end",
            )
        length = size if size is not None else max((e for _, e in tokens.borders), default=0)
        keys = ("start", "end", "label")
        in_characters.append(checked_span(*map(entry.get, keys), length, "characters"))
    unique(in_characters)
    if tokens is None:
        return tuple(in_characters), ()
    if not in_characters:
        return unique(placed), ()
    carried, unplaced = to_tokens(in_characters, tokens, misaligned)
    return unique([*placed, *carried]), unplaced


def token_span(entry, tokens):
    """A span by its first and last token."""
    first, last, label = map(entry.get, ("token_start", "token_end", "label"))
    good = whole(first, last) and first <= last < len(tokens.words)
    if good and tokens.borders and "start" in entry and "end" in entry:
        place = (tokens.borders[first][0], tokens.borders[last][1])
        good = (entry["start"], entry["end"]) == place
    if not good:
        raise Mistake(f"span {shown(entry)} among {len(tokens.words)} tokens", INCLUSIVE)
    return checked_span(first, last + 1, label, len(tokens.words), "tokens")


def one_answer_each(path, documents):
    """The documents, one for each task; raises where two of a task are annotated."""
    rows = {}
    for place, document in enumerate(documents):
        key = place if document.name is None else document.name
        rows.setdefault(key, []).append(document)
    problems = [
        Problem(annotated[1].line(0), f"a second answer to the task {name}", ONE_ANNOTATOR)
        for name, group in rows.items()
        if len(annotated := [one for one in group if one.layers["spans"] is not None]) > 1
    ]
    raise_first(path, problems)
    seen_first = lambda document: document.layers["spans"] is None  # noqa: E731
    return [min(group, key=seen_first) for group in rows.values()]
