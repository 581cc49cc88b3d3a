"""Decisions in Prodigy: a label of a task, or spans suggested in it, are accepted or rejected."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from .columns import A_SPAN
from .corpus import Document, PlainSpan
from .errors import ContentError
from .json_rows import Row
from .rows import are_offsets, brief, json_value

ANSWERS = (("accept",), ("reject",))  # as categories
SUGGESTION = "suggestion"  # the attribute of a document that holds the spans
# interfaces that show spans without letting them be changed
SHOW_SPANS = ("ner", "spans", "pos")
PLACE = ("start", "end", "label")
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


def decision_in(row: Row, view: object, tokens: object) -> Decision | None:
    """The subject of a task that is not a choice; None if it marks spans.

    A task of Prodigy's interfaces `ner`, `spans` and `pos` decides on the spans that it shows, a
    task of `classification` on its label. Without a name of an interface a task without tokens
    decides on its label; or, if it has been answered and something suggested each of its spans (as
    `ner.teach` does, by a score or a pattern), on them.
    """
    label, entries = row.get("label"), json_value(row, "spans", list, [])
    untold = view is None and tokens is None
    suggested = untold and "answer" in row and all(
        type(one) is dict and one.keys() & MARKS for one in entries
    )  # fmt: skip
    if type(label) is str and label:
        if view in ("classification", "choice") or (untold and (not entries or suggested)):
            return Decision(label)
    if not entries or not (view in SHOW_SPANS or view == "classification" or suggested):
        return None
    size, spans = len(json_value(row, "text", str, "")), set()
    for entry in entries:
        found: list[Any] = [type(entry) is dict and entry.get(key) for key in PLACE]
        start, end, name = found
        if not are_offsets(start, end) or not start < end <= size or type(name) is not str:
            raise ContentError(f"a span is {brief(entry)}", f"{A_SPAN}, inside the text")
        spans.add((start, end, name))
    return Decision("+".join(sorted({name for *_, name in spans})), tuple(sorted(spans)))


def decided_label(document: Document, layers: Iterable[str]) -> str | None:
    """The label on which some annotators decided; None if the document is no such task.

    Of suggested spans it is all of their labels, joined by "+".
    """
    label = document.attributes.get("label")
    named = type(label) is str and (document.name or "").endswith(f":{label}")
    if not label or not (named or SUGGESTION in document.attributes):
        return None
    answers = [document.categories[layer] for layer in layers if layer in document.categories]
    binary = (
        answers
        and all(one is None or one in ANSWERS for one in answers)
        and all(document.layers.get(layer) is None for layer in layers)
    )
    return label if binary else None
