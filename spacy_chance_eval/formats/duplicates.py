"""`--duplicates`: what becomes of duplicate spans, in files of any format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..measures.spans import Copy
from .corpus import Corpus, Document, Span
from .documents import DocumentTable, span_title
from .errors import FormatError, known
from .notes import APART, COUNTED, MERGED, Place, add_notes, note

WAYS = ("error", "merge", "last", "keep")
_KINDS = (MERGED, APART, COUNTED)


class _Copied(NamedTuple):
    """A span that is there more than once, and all that is said of it, in the order of the file."""

    layer: str
    span: Span
    said: list[Mapping[str, Any]]

    def __str__(self) -> str:
        if self.span[0] < 0:
            return f"{self.span[2]} that fits no tokens"
        return span_title(self.span)


def resolve_duplicates(corpus: Corpus, how: str) -> Corpus:
    """The corpus with duplicate spans as they are counted, and notes on them.

    Parameters
    ----------
    corpus : Corpus
        As readers return it: with `copies` of all duplicate spans.
    how : "error", "merge", "last" or "keep"
        merge: spans with the same features are one; those with other features are kept apart for
        measures that look at features, and are one for all others. last: the last one counts.
        keep: each counts by itself in measures that can count them (GATE's), and all as one in
        others.
    """
    known(how, WAYS, "value of duplicates")
    documents = corpus.documents
    if isinstance(documents, DocumentTable):
        every = documents.more.get("copies", ())
    else:
        every = [one.copies for one in documents]
    if not (again := [doc for doc, one in enumerate(every) if any(one.values())]):
        return corpus
    if how == "error":
        raise _error(corpus)
    table = corpus.table
    places: dict[str, list[Place]] = {kind: [] for kind in _KINDS}
    columns = {name: [*table.column(name, {})] for name in ("features", "copies")}
    for doc, document in zip(again, table.taken(np.array(again))):
        features = {layer: dict(said) for layer, said in document.features.items()}
        copies: dict[str, dict[Span, tuple[Copy, ...]]] = {}
        for one in _copied(document):
            kept, kinds = _kept(one, how)
            for kind in kinds:
                places[kind].append(_place(corpus, document, one))
            if one.span[0] >= 0:
                features.setdefault(one.layer, {})[one.span] = dict(kept[0])
                copies.setdefault(one.layer, {})[one.span] = tuple(
                    Copy(said, how == "keep") for said in kept[1:]
                )
        found = replace(document, features=features, copies=copies)
        columns["features"][doc], columns["copies"][doc] = found.features, found.copies
    notes = add_notes(note(kind, found) for kind, found in places.items())
    more = {name: column for name, column in table.more.items() if name not in columns}
    more |= {name: column for name, column in columns.items() if any(column)}
    return replace(corpus, documents=replace(table, more=more), notes=corpus.notes + notes)


def _kept(one: _Copied, how: str) -> tuple[list[Mapping[str, Any]], list[str]]:
    """The features that are kept, and a kind of note for each further annotation."""
    n_more, is_placed = len(one.said) - 1, one.span[0] >= 0
    if how == "last":
        return one.said[-1:], [MERGED] * n_more
    if how == "keep":
        return one.said, [COUNTED if is_placed else MERGED] * n_more
    kept: dict[str, Mapping[str, Any]] = {}
    kinds = []
    for said in one.said:
        key = repr(sorted(said.items()))
        # features of a span without a place are lost: all of those are one
        kinds.append(MERGED if key in kept or not is_placed else APART)
        kept.setdefault(key, said)
    return list(kept.values()), kinds[1:]


def _copied(document: Document) -> Iterator[_Copied]:
    """The spans of a document that occur more than once."""
    for layer, spans in sorted(document.copies.items()):
        features = document.features.get(layer, {})
        for span, copies in sorted(spans.items()):
            yield _Copied(layer, span, [features.get(span, {}), *(one.features for one in copies)])


def _place(corpus: Corpus, document: Document, one: _Copied) -> Place:
    """The place of a span that occurs more than once."""
    line = document.line(max(one.span[0], 0) if document.words else 0)
    return Place(document.path or corpus.path, line, str(one))


def _error(corpus: Corpus) -> FormatError:
    """The error for duplicate spans: the first one, and their number."""
    found = [(document, one) for document in corpus.documents for one in _copied(document)]
    document, one = found[0]
    place = _place(corpus, document, one)
    others = f" ({len(found)} such spans)" if len(found) > 1 else ""
    return FormatError(
        f"span {one} is there {len(one.said)} times; remove the others, or have them read as one "
        f"(--duplicates merge){others}",
        place.path,
        place.line,
    )
