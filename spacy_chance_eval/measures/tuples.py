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
# what else a span can be, and who takes that
OTHERS = (
    (str, "tags: Spans.from_tags"),
    (Mapping, "dicts: Spans.from_dicts"),
    (tuple, "tuples: Spans.from_tuples"),
)


def raise_for(documents: Any, expected: str) -> NoReturn:
    """Raise the ValueError for documents that are not what is `expected`, `ROWS` or `DICTS`."""
    if isinstance(documents, str) or not isinstance(documents, Sequence):
        raise ValueError(f"the documents are {quoted(documents)}; expected {expected}")
    for number, spans in enumerate(documents, 1):
        if isinstance(spans, Mapping) or (
            isinstance(spans, tuple) and any(isinstance(value, (int, str)) for value in spans)
        ):
            raise ValueError(
                f"document {number} is one span, {quoted(spans)}; expected {expected}. For one "
                "document alone put its spans into a list: [spans]"
            )
        if spans is not None and (isinstance(spans, str) or not isinstance(spans, Sequence)):
            raise ValueError(f"document {number} is {quoted(spans)}; expected {expected}")
        for span in spans or ():
            if found := _wrong_with(span, expected):
                raise ValueError(f"document {number} has {found}")
    raise ValueError(f"expected {expected}")


def _wrong_with(span: Any, expected: str) -> str:
    """What is wrong with a span, for the message; "" if nothing is."""
    if expected == DICTS and isinstance(span, Mapping):
        missing = [key for key in ("start", "end", "label") if key not in span]
        keys = ", ".join(map(repr, span)) or "none"
        wrong = f"a span without {quoted(missing[0])} (its keys: {keys})" if missing else ""
        return wrong and f"{wrong}; expected {expected}"
    if expected == ROWS and isinstance(span, tuple) and len(span) == 3:
        if isinstance(span[0], str) and not isinstance(span[2], str):
            return f"{quoted(span)}: {LABEL_FIRST}"
        numbers = not any(isinstance(value, str) for value in span[:2])
        return "" if numbers and isinstance(span[2], str) else f"{quoted(span)}; expected {ROWS}"
    advice = next((f" ({call})" for kind, call in OTHERS if isinstance(span, kind)), "")
    return f"{quoted(span)}; expected {expected}{advice}"
