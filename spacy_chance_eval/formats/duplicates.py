"""`duplicates`: what becomes of duplicate spans. `trim`: spans without white space at the ends.

Spans in characters of a text with tokens begin and end at tokens, or are unplaced. So the builder
cuts off what lies between tokens before it places them (`placing`); all other edges are cut here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..measures.fragments import joined_pieces
from ..measures.spans import Copy
from .corpus import Corpus, Document, Span
from .documents import pieces_of, span_title
from .errors import FormatError
from .notes import APART, COUNTED, MERGED, TRIMMED, UNTRIMMED, Notes, Place, add_notes, note

BLANK = ("Zs", "Zl", "Zp", "Cc", "Cf")  # controls, and characters without width, too


def resolve_duplicates(corpus: Corpus, how: str) -> Corpus:
    """The corpus with duplicate spans as they are counted, and notes on them.

    Parameters
    ----------
    corpus : Corpus
        As readers return it: with `copies` of all duplicate spans.
    how : "merge", "last" or "keep"
        merge: spans with the same features are one; those with other features are kept apart for
        measures that look at features, and are one for all others. last: the last one counts.
        keep: each counts by itself in measures that can count them (GATE's), and all as one in
        others.
    """
    table = corpus.table
    again = [doc for doc, one in enumerate(table.more.get("copies", ())) if any(one.values())]
    if not again:
        return corpus
    places: dict[str, list[Place]] = {MERGED: [], APART: [], COUNTED: []}
    features = [*table.column("features", {})]
    copies: list[Mapping[str, Any]] = [{} for _ in features]
    for doc, document in zip(again, table.taken(np.array(again))):
        own: dict[str, Any] = {layer: dict(said) for layer, said in document.features.items()}
        further: dict[str, Any] = {}
        by_layer = sorted(document.copies.items())
        for layer, span in ((layer, span) for layer, spans in by_layer for span in sorted(spans)):
            others = document.copies[layer][span]
            said = [own.get(layer, {}).get(span, {}), *(one.features for one in others)]
            start, _, label, *_ = span
            if start < 0:  # features of a span without a place are lost: all of those are one
                kept = said[:1]
            elif how == "merge":
                kept = [*{repr(sorted(one.items())): one for one in said}.values()]
            else:
                kept = said[-1:] if how == "last" else said
            line = document.line(max(start, 0) if document.words else 0)
            name = f"{label} that fits no tokens" if start < 0 else span_title(span)
            place = Place(document.path or corpus.path, line, name)
            places[MERGED] += [place] * (len(said) - len(kept))
            places[COUNTED if how == "keep" else APART] += [place] * (len(kept) - 1)
            if start >= 0:
                own.setdefault(layer, {})[span] = kept[0]
                further.setdefault(layer, {})[span] = [Copy(one, how == "keep") for one in kept[1:]]
        document = replace(document, features=own, copies=further)
        features[doc], copies[doc] = document.features, document.copies
    more = {**table.more, "features": features, "copies": copies}
    more = {name: column for name, column in more.items() if any(column)}
    notes = add_notes(note(kind, some) for kind, some in places.items())
    return replace(corpus, documents=replace(table, more=more), notes=corpus.notes + notes)


@lru_cache(4096)
def is_space(text: str) -> bool:
    """Whether a character, or a token, is white space: of Unicode's categories Z, Cc and Cf."""
    return all(unicodedata.category(one) in BLANK for one in text)


def untrimmed(corpus: Corpus) -> Notes:
    """The notes on spans of characters that begin or end with white space."""
    texts = corpus.table.column("text", None)
    if corpus.positions == "token" or None in texts:
        return note(UNTRIMMED, ())
    places = []
    for one in corpus.table.layers.values():
        for doc, start, end, label in zip(
            *map(np.ndarray.tolist, (one.doc, one.start, one.end, one.label))
        ):
            text = texts[doc]
            if text[start].isspace() or text[end - 1].isspace():
                document = corpus.documents[doc]
                title = span_title((start, end, one.labels[label]))
                places.append(Place(document.path or corpus.path, document.line(0) or None, title))
    return note(UNTRIMMED, places)


def trim_spans(corpus: Corpus) -> Corpus:
    """The corpus with spans, or pieces of these, without white space at both ends; and notes.

    A span of white space alone stays. Spans that are then equal are one, a further annotation of
    it, as in `Document.copies`.
    """
    places: list[Place] = []
    documents = [
        _trimmed(document, corpus, number, places)
        for number, document in enumerate(corpus.documents)
    ]
    notes = (corpus.notes + note(TRIMMED, places)).with_how("trim", "space")
    return replace(corpus, documents=documents if places else corpus.documents, notes=notes)


def _trimmed(document: Document, corpus: Corpus, number: int, places: list[Place]) -> Document:
    """One document; the places of spans that were cut are added."""
    content: Any = document.words if corpus.positions == "token" else document.text
    layers = {layer: spans for layer, spans in document.layers.items() if spans}
    if layers and not content:
        what = "has a size, but no text, which trim=space looks at; give the text"
        message = f"{corpus.title(number)} {what}"
        raise FormatError(message, document.path or corpus.path)
    changed: dict[str, Any] = {
        kind: {**getattr(document, kind)} for kind in ("layers", "features", "copies")
    }
    for layer, spans in layers.items():
        features, copies = changed["features"].get(layer, {}), changed["copies"].get(layer, {})
        said: dict[Span, list[Copy]] = {}  # of each span, all annotations
        for span in spans:
            start, end, pieces = joined_pieces([_cut(content, *one) for one in pieces_of(span)])
            cut: Span = (start, end, span[2]) if pieces is None else (start, end, span[2], pieces)
            if cut != span:
                line = document.line(span[0] if document.words else 0) or None
                places.append(Place(document.path or corpus.path, line, span_title(span)))
            said.setdefault(cut, []).extend((Copy(features.get(span, {})), *copies.get(span, ())))
        unplaced = {span: some for span, some in copies.items() if span[0] < 0}
        changed["layers"][layer] = tuple(said)
        changed["features"][layer] = {span: some[0].features for span, some in said.items()}
        changed["copies"][layer] = unplaced | {span: some[1:] for span, some in said.items()}
    return replace(document, **changed)


def _cut(content: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """A stretch of characters or tokens without white space at its ends, if there is more."""
    inner = [place for place in range(start, end) if not is_space(content[place])]
    return (inner[0], inner[-1] + 1) if inner else (start, end)
