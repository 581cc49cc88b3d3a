"""Lists of tuples and of dicts that are no spans: their error, and the right call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from .messages import quoted

ROWS = "a list of (start, end, label) for each document"
DICTS = 'a list of {"start": ..., "end": ..., "label": ...} for each document'
LABEL_FIRST = (
    "label first; expected (start, end, label), where the end is exclusive: [[(start, end, label) "
    "for label, start, end in spans] for spans in documents] (end + 1 if yours is the last token, "
    "as in seqeval's get_entities)"
)


def raise_for_tuples(documents: Sequence[Any]) -> NoReturn:
    """Raise the ValueError for documents that are no lists of (start, end, label)."""
    for number, spans in enumerate(_checked(documents, ROWS), 1):
        for span in _spans_of(spans, number, ROWS):
            _check_tuple(span, f"document {number}")
    raise ValueError(f"expected {ROWS}")


def raise_for_dicts(documents: Sequence[Any]) -> NoReturn:
    """Raise the ValueError for documents that are no lists of mappings with the three keys."""
    for number, spans in enumerate(_checked(documents, DICTS), 1):
        for span in _spans_of(spans, number, DICTS):
            if not isinstance(span, Mapping):
                raise ValueError(
                    f"document {number} has {quoted(span)}; expected {DICTS} (tuples: "
                    "Spans.from_tuples)"
                )
            missing = [key for key in ("start", "end", "label") if key not in span]
            if missing:
                has = ", ".join(map(repr, span)) or "none"
                place = "; align_mentions(text, mentions) places texts" if "text" in span else ""
                raise ValueError(
                    f"document {number} has a span without {quoted(missing[0])} (its keys: {has}); "
                    f"expected {DICTS}{place}"
                )
    raise ValueError(f"expected {DICTS}")


def _checked(documents: Any, expected: str) -> Sequence[Any]:
    """The documents, if there are some."""
    if isinstance(documents, str) or not isinstance(documents, Sequence):
        raise ValueError(f"the documents are {quoted(documents)}; expected {expected}")
    return documents


def _spans_of(spans: Any, number: int, expected: str) -> Sequence[Any]:
    """The spans of a document, if it is a list of them."""
    if spans is None:
        return ()
    one = isinstance(spans, Mapping) or (
        isinstance(spans, tuple) and any(isinstance(value, (int, str)) for value in spans)
    )
    if one:
        raise ValueError(
            f"document {number} is one span, {quoted(spans)}; expected {expected}. For one "
            "document alone put its spans into a list: [spans]"
        )
    if isinstance(spans, str) or not isinstance(spans, Sequence):
        raise ValueError(f"document {number} is {quoted(spans)}; expected {expected}")
    return spans


def _check_tuple(span: Any, where: str) -> None:
    """Raise the ValueError for anything but a (start, end, label)."""
    if isinstance(span, str):
        raise ValueError(
            f"{where} has the text {quoted(span)}; expected {ROWS} (tags: Spans.from_tags)"
        )
    if isinstance(span, Mapping):
        raise ValueError(
            f"{where} has a dict, {quoted(span)}; expected {ROWS} (dicts: Spans.from_dicts)"
        )
    if not isinstance(span, Sequence) or len(span) != 3:
        raise ValueError(f"{where} has {quoted(span)}; expected {ROWS}")
    if isinstance(span[0], str) and not isinstance(span[2], str):
        raise ValueError(f"{where} has {quoted(span)}: {LABEL_FIRST}")
    if isinstance(span[0], str):
        raise ValueError(f"{where} has {quoted(span)}: start and end must be whole numbers")
    if isinstance(span[1], str) and not isinstance(span[2], str):
        raise ValueError(
            f"{where} has {quoted(span)}: label in the middle; expected (start, end, label), where "
            "the end is exclusive: [[(start, end, label) for start, label, end in spans] "
            "for spans in documents]"
        )
    if not isinstance(span[2], str):
        raise ValueError(
            f"{where} has {quoted(span)}: the label {quoted(span[2])} is no text; expected "
            f"{ROWS}, such as ({quoted(span[0])}, {quoted(span[1])}, {quoted(str(span[2]))})"
        )
