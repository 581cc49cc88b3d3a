"""Decisions in Prodigy: a label of a task, or spans suggested in it, are accepted or rejected."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from .corpus import Document, PlainSpan
from .errors import ContentError
from .json_rows import Row
from .json_text import parsed_json
from .rows import brief, checked_span, json_value

ANSWERS = (("accept",), ("reject",))  # as categories
SUGGESTION = "suggestion"  # the attribute of a document that holds the spans
# interfaces that show spans without letting them be changed
SHOW_SPANS = ("ner", "spans", "pos")
# attributes that a model, a pattern or a recipe gives a span that it suggests
MARKS = {"score", "rank", "priority", "pattern", "answer"}


class Decision(NamedTuple):
    """The subject of a decision: a label of the whole task, or spans in its text.

    `label` of spans are their labels, joined by "+". The spans are sorted, in characters.
    """

    label: str
    spans: tuple[PlainSpan, ...] = ()

    @property
    def name(self) -> str:
        """The suggested spans or the label as text: the end of the document's name."""
        return ",".join(f"{start}-{end}:{label}" for start, end, label in self.spans) or self.label

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes of the document."""
        return {"label": self.label} | ({SUGGESTION: json.dumps(self.spans)} if self.spans else {})

    @property
    def task(self) -> Row:
        """The keys of a task that shows it: the suggested spans, or the label."""
        keys = ("start", "end", "label")
        spans = [dict(zip(keys, span)) for span in self.spans]
        return {"spans": spans} if spans else {"label": self.label}


def decision_in(row: Row, view: object, tokens: object) -> Decision | None:
    """The subject of a task that is not a choice; None if it marks spans.

    A task of Prodigy's interfaces `ner`, `spans` and `pos` decides on the spans that it shows, a
    task of `classification` on its label. Without a name of an interface a task without tokens
    decides on its label; or, if it has been answered and something suggested each of its spans (as
    `ner.teach` does, by a score or a pattern), on them.
    """
    label, spans = row.get("label"), json_value(row, "spans", list, [])
    untold = view is None and tokens is None
    suggested = untold and "answer" in row and all(map(_is_suggested, spans))
    if type(label) is str and label:
        if view in ("classification", "choice") or (untold and (not spans or suggested)):
            return Decision(label)
    if spans and (view in SHOW_SPANS or view == "classification" or suggested):
        return _decision_on(spans, row)
    return None


def _is_suggested(entry: object) -> bool:
    """Whether a span is one that a model or a pattern suggested."""
    return type(entry) is dict and bool(entry.keys() & MARKS)


def _decision_on(entries: Iterable[Any], row: Row) -> Decision:
    """The decision on some spans of the text."""
    size = len(json_value(row, "text", str, ""))
    spans = set()
    for entry in entries:
        if type(entry) is not dict:
            raise ContentError(f"a span is {brief(entry)}", "a span is an object with a label")
        start, end, label = entry.get("start"), entry.get("end"), entry.get("label")
        spans.add(checked_span(start, end, label, size, "characters"))
    return Decision("+".join(sorted({label for *_, label in spans})), tuple(sorted(spans)))


def decided_on(document: Document, layers: Iterable[str]) -> Decision | None:
    """The subject of the answers of some annotators; None if the document is no such task."""
    said = [document.categories[layer] for layer in layers if layer in document.categories]
    decision = _decision_of(document)
    binary = (
        decision is not None
        and document.name is not None
        and document.name.endswith(f":{decision.name}")
        and said
        and all(found is None or found in ANSWERS for found in said)
        and all(document.layers.get(layer) is None for layer in layers)
    )
    return decision if binary else None


def _decision_of(document: Document) -> Decision | None:
    """The decision that the attributes of a document describe."""
    label, spans = (document.attributes.get(key) for key in ("label", SUGGESTION))
    if type(label) is not str or not label:
        return None
    try:
        rows = parsed_json(spans) if type(spans) is str else []
        return Decision(label, tuple((start, end, name) for start, end, name in rows))
    except (TypeError, ValueError):  # somebody else's attribute
        return None
