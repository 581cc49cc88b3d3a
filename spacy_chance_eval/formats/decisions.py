"""Decisions in Prodigy: a label of a task, or spans suggested in it, are accepted or rejected."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .columns import A_SPAN
from .corpus import Document
from .errors import ContentError
from .json_rows import Row
from .rows import are_offsets, brief, json_value

ANSWERS = (("accept",), ("reject",), None)  # as categories
SUGGESTION = "suggestion"  # the attribute of a document that holds the spans
# interfaces that show spans without letting them be changed
SHOW_SPANS = ("ner", "spans", "pos", "classification")
# attributes that a model, a pattern or a recipe gives a span that it suggests
MARKS = {"score", "rank", "priority", "pattern", "answer"}


def decision_in(row: Row, view: object, tokens: object) -> tuple[str, dict[str, str]] | None:
    """The subject of a task that is not a choice; None if it marks spans.

    It is (the end of the document's name, attributes): a label of the whole task, or the spans in
    its text with all of their labels, joined by "+".

    A task of Prodigy's interfaces `ner`, `spans` and `pos` decides on the spans that it shows, a
    task of `classification` on its label. Without a name of an interface a task without tokens
    decides on its label; or, if it has been answered and something suggested each of its spans (as
    `ner.teach` does, by a score or a pattern), on them.
    """
    label, entries = row.get("label"), json_value(row, "spans", list, [])
    marked = all(type(one) is dict and one.keys() & MARKS for one in entries)
    untold = view is None and tokens is None
    suggested = untold and "answer" in row and marked
    if type(label) is str and label:
        if view in ("classification", "choice") or (untold and (not entries or suggested)):
            return label, {"label": label}
    if not entries or not (view in SHOW_SPANS or suggested):
        return None
    size, spans = len(json_value(row, "text", str, "")), set()
    for entry in entries:
        place: Any = entry if type(entry) is dict else {}
        start, end, name = map(place.get, ("start", "end", "label"))
        if not are_offsets(start, end) or not start < end <= size or type(name) is not str:
            raise ContentError(f"a span is {brief(entry)}", f"{A_SPAN}, inside the text")
        spans.add((start, end, name))
    places = sorted(spans)
    labels = "+".join(sorted({name for *_, name in places}))
    title = ",".join(f"{start}-{end}:{name}" for start, end, name in places)
    return title, {"label": labels, SUGGESTION: json.dumps(places)}


def decided_label(document: Document, layers: Iterable[str]) -> str | None:
    """The label on which some annotators decided; None if the document is no such task.

    Of suggested spans it is all of their labels, joined by "+".
    """
    label: Any = document.attributes.get("label")
    named = type(label) is str and (document.name or "").endswith(f":{label}")
    if not label or not (named or SUGGESTION in document.attributes):
        return None
    layers = [*layers]
    answers = [document.categories[layer] for layer in layers if layer in document.categories]
    unmarked = all(document.layers.get(layer) is None for layer in layers)
    return label if answers and {*answers} <= {*ANSWERS} and unmarked else None
