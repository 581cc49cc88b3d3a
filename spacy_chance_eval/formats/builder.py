"""Columns of rows to a `Corpus`: spans are checked, placed on tokens, or left out, once for all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from ..measures.arrays import IntArray
from ..measures.fragments import fragment_column, fragment_ranks, used_column
from ..measures.spans import Copy
from ..measures.words import document_words_of
from .blemishes import check_left, leave_out
from .columns import Columns, WordRows, wrong_tokens
from .corpus import Corpus
from .documents import ABSENT, SEEN, UNSEEN, DocumentTable, LayerTable, joined_tables
from .errors import Problem
from .notes import TRIMMED, Place, add_notes, note
from .placing import BatchSpans
from .rows import NO_TOKENS

Said: TypeAlias = dict[str, dict[int, dict[str, dict[Any, Any]]]]  # by field, document, layer


@dataclass(eq=False)
class Builder:
    """Rows of a file, some at a time, and the corpus that they are.

    All have tokens, or none, like the first one.

    Parameters
    ----------
    path : object
    misaligned : "error" or "unplaced"
        What becomes of a span in characters that does not fit the boundaries of the tokens.
    cut : bool
        Whether what lies between tokens is cut off the ends of such spans.
    """

    path: object
    misaligned: str = "error"
    cut: bool = False
    in_tokens: bool | None = None
    left_out: dict[int, Problem] = field(default_factory=dict)  # rows, by their places
    noted: dict[str, list[Place]] = field(default_factory=dict)
    annotators: list[Any] = field(default_factory=list)  # of the documents
    tables: list[DocumentTable] = field(default_factory=list)

    def add(self, columns: Columns, places: Sequence[int]) -> None:
        """Add rows at some places of the file."""
        rows = [row for row in range(len(places)) if row not in columns.wrong]
        has_words = [True] * len(places)
        if not isinstance(columns.words, WordRows):
            has_words = [one is not None for one in columns.words or [None] * len(places)]
        if self.in_tokens is None and rows:
            self.in_tokens = has_words[rows[0]]
        if mixed := [row for row in rows if has_words[row] != self.in_tokens]:
            kinds = ("without", "with") if self.in_tokens else ("with", "without")
            what = "a row {} tokens among rows {} tokens".format(*kinds)
            columns.wrong |= dict.fromkeys(mixed, (what, NO_TOKENS))
            rows = [row for row in rows if row not in columns.wrong]
        if rows:
            self._add(columns.taken(rows), [places[row] for row in rows])
        for row, mistake in columns.wrong.items():
            self.left_out[places[row]] = Problem(columns.lines[row], *mistake)

    def _add(self, columns: Columns, places: list[int]) -> None:
        """Add sound rows, without those whose tokens or spans have mistakes."""
        wrong = {
            row: Problem(columns.lines[row], *one) for row, one in wrong_tokens(columns).items()
        }
        if not wrong:
            spans = BatchSpans(columns, bool(self.in_tokens), self.misaligned, self.cut)
            wrong = spans.wrong
        if wrong:
            self.left_out |= {places[row]: one for row, one in wrong.items()}
            rest = [row for row, place in enumerate(places) if place not in self.left_out]
            if rest:
                self._add(columns.taken(rest), [places[row] for row in rest])
            return
        for notes, line in zip(columns.notes, columns.lines):
            for kind, what, *own in notes:
                self._note(kind, own[0] if own else line or None, what)
        for title in spans.cut:
            self._note(TRIMMED, None, title)
        self.annotators += columns.annotator or [None] * len(places)
        self.tables.append(_table_of(columns, spans))

    def _note(self, kind: str, line: int | None, what: str) -> None:
        self.noted.setdefault(kind, []).append(Place(str(self.path), line, what))

    def corpus(self, message: str = "no documents") -> Corpus:
        """The corpus of all rows; raises for what is wrong with any, or leaves it out."""
        leave_out(self.path, self.left_out.values(), self.left_out)
        check_left(self.path, len(self.annotators), message)
        notes = add_notes(note(kind, places) for kind, places in self.noted.items())
        positions = "token" if self.in_tokens else "char"
        return Corpus(str(self.path), joined_tables(self.tables), positions, notes=notes)


def _table_of(columns: Columns, spans: BatchSpans) -> DocumentTable:
    """The documents of rows whose spans have their places."""
    n_docs = len(columns.lines)
    said: Said = {"features": {}, "copies": {}}
    for one in spans.unplaced:
        if one.copies:
            by_span = said["copies"].setdefault(one.doc, {}).setdefault(one.layer, {})
            by_span[-one.length, 0, one.label] = one.copies
    names = [*columns.layers, *chain.from_iterable([*columns.unplaced, *columns.missing_in])]
    layers = {name: _layer_of(columns, spans, name, said) for name in dict.fromkeys(names)}
    more = {
        "lines": [(line,) if line else None for line in columns.lines],
        "spaces": columns.spaces if spans.in_tokens else (),
        **{name: getattr(columns, name) for name in ("text", "size", "categories", "attributes")},
        **{key: [one.get(doc, {}) for doc in range(n_docs)] for key, one in said.items() if one},
    }
    words: Any = None
    if spans.in_tokens and not columns.size:
        words = columns.words
        words = words.words if isinstance(words, WordRows) else document_words_of(words)
    return DocumentTable(
        columns.sizes,
        layers,
        words,
        columns.name or None,
        _rows_of(enumerate(columns.sents), 2),
        _rows_of(enumerate(columns.missing)),
        {name: values for name, values in more.items() if values},
    )


def _layer_of(columns: Columns, spans: BatchSpans, name: str, said: Said) -> LayerTable:
    """A layer of rows; what is said of its spans is added to features and copies by document."""
    state = np.full(len(columns.lines), ABSENT, np.int8)
    rows = np.zeros(0, np.int64)
    if name in columns.layers:
        docs, lists = columns.layers[name]
        state[docs] = [UNSEEN if one is None else SEEN for one in lists]
        rows = np.flatnonzero(spans.placed & (spans.layer == spans.layers.index(name)))
    unplaced = [(one.doc, one.length, one.label) for one in spans.unplaced if one.layer == name]
    for doc, by_layer in enumerate(columns.unplaced):
        unplaced += ((doc, *one) for one in by_layer.get(name) or ())
    own = [*map(spans.said.label.__getitem__, rows.tolist())]
    labels = tuple(sorted({*own, *(label for *_, label in unplaced)}))
    index = {label: code for code, label in enumerate(labels)}
    codes = np.array([*map(index.__getitem__, own)], np.int64)
    ranks: IntArray = np.zeros_like(rows)
    pieces = None
    if spans.pieces:
        pieces = fragment_column([spans.pieces.get(row) for row in rows.tolist()])
        ranks = ranks if pieces is None else fragment_ranks(pieces)
    values = np.stack([spans.doc[rows], spans.start[rows], spans.end[rows], codes, ranks])
    order = np.arange(len(rows))
    if (np.diff(values[0] * (int(values[1].max(initial=0)) + 1) + values[1]) <= 0).any():
        order = np.lexsort(values[::-1])
        values = values[:, order]
    again = np.append(False, (values[:, 1:] == values[:, :-1]).all(axis=0))[: len(rows)]
    if spans.features or again.any():
        for row, doc, is_copy in zip(rows[order].tolist(), values[0].tolist(), again.tolist()):
            features = spans.features.get(row, {})
            by_span = (
                said["copies" if is_copy else "features"].setdefault(doc, {}).setdefault(name, {})
            )
            if is_copy:
                by_span.setdefault(spans.span(row), []).append(Copy(features))
            elif features:
                by_span[spans.span(row)] = features
    doc, start, end, label, _ = values[:, ~again]
    return LayerTable(
        doc,
        start,
        end,
        label,
        labels,
        state,
        _rows_of((doc, [(length, index[label])]) for doc, length, label in sorted(unplaced)),
        _rows_of((doc, one.get(name)) for doc, one in enumerate(columns.missing_in)),
        None if pieces is None else used_column(pieces[order][~again]),
    )


def _rows_of(by_doc: Iterable[tuple[int, Any]], width: int = 3) -> IntArray:
    """Rows of numbers of documents with what each has, in order."""
    rows = [
        (doc, *row) if width == 3 else (doc, row)
        for doc, some in by_doc
        for row in sorted(some or ())
    ]
    return np.array(rows, np.int64).reshape(-1, width)
