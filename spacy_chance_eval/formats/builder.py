"""Columns of rows to a `Corpus`: spans are checked, placed on tokens, or left out, once for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..measures.arrays import BoolArray, IntArray, distinct
from ..measures.fragments import fragment_column, fragment_ranks, used_column
from ..measures.spans import Copy
from ..measures.words import document_words_of, joined_words
from .blemishes import check_left, leave_out
from .columns import Columns, WordRows, wrong_tokens
from .corpus import Corpus, Span
from .documents import ABSENT, SEEN, UNSEEN, DocumentTable, LayerTable
from .errors import Problem
from .notes import TRIMMED, Place, add_notes, note
from .placing import BatchSpans
from .rows import NO_TOKENS


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
    codes: dict[str, int] = field(default_factory=dict)  # of layers and labels
    noted: dict[str, list[Place]] = field(default_factory=dict)
    places: list[int] = field(default_factory=list)  # of the documents among the rows of the file
    sizes: list[IntArray] = field(default_factory=list)
    words: list[Sequence[str]] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(default_factory=dict)
    spans: list[IntArray] = field(default_factory=list)  # columns layer, doc, start, end, label
    n_spans: int = 0
    features: dict[int, Mapping[str, Any]] = field(default_factory=dict)  # by number of the span
    pieces: dict[int, Any] = field(default_factory=dict)
    states: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)  # of layers
    unplaced: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)
    lost: list[tuple[int, str, tuple[Any, ...], list[Copy]]] = field(default_factory=list)
    missing_in: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    missing: list[tuple[int, ...]] = field(default_factory=list)
    sents: list[tuple[int, int]] = field(default_factory=list)

    def extend(self, name: str, values: Sequence[Any], default: Any) -> None:
        """Add a column, which other rows may lack; before their places are added."""
        if len(values) and (name in self.columns or any(one != default for one in values)):
            column = self.columns.setdefault(name, [])
            column += [default] * (len(self.places) - len(column))
            column += values

    def column(self, name: str, default: Any = None) -> list[Any] | None:
        """A column of all rows; None without it."""
        column = self.columns.get(name)
        return column and column + [default] * (len(self.places) - len(column))

    @property
    def annotators(self) -> Sequence[Any]:
        """Those of the documents."""
        return self.column("annotator") or [None] * len(self.places)

    def add(self, columns: Columns, places: Sequence[int]) -> None:
        """Add rows at some places of the file."""
        rows = [row for row in range(len(places)) if row not in columns.wrong]
        has_words = [True] * len(places)
        if not isinstance(columns.words, WordRows):
            has_words = [one is not None for one in columns.words or [None] * len(places)]
        if self.in_tokens is None and rows:
            self.in_tokens = has_words[rows[0]]
        if has_words.count(bool(self.in_tokens)) < len(has_words):
            kinds = ("without", "with") if self.in_tokens else ("with", "without")
            what = "a row {} tokens among rows {} tokens".format(*kinds)
            columns.wrong |= {
                row: (what, NO_TOKENS) for row in rows if has_words[row] != self.in_tokens
            }
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
        first = len(self.places)
        for notes, line in zip(columns.notes, columns.lines):
            for kind, what, *own in notes:
                place = Place(str(self.path), own[0] if own else line or None, what)
                self.noted.setdefault(kind, []).append(place)
        self._add_spans(spans)
        self.sents += (
            (doc, start) for doc, sents in enumerate(columns.sents, first) for start in sents
        )
        for doc, rows in enumerate(columns.missing, first):
            self.missing += sorted((doc, *row) for row in rows)
        for doc, gaps in enumerate(columns.missing_in, first):
            for layer, rows in gaps.items():
                own = self.missing_in.setdefault(layer, [])
                own += sorted((doc, *row) for row in rows or ())
        for doc, said in enumerate(columns.unplaced, first):
            for layer, found in said.items():
                self.unplaced.setdefault(layer, []).extend((doc, *one) for one in found or ())
        if self.in_tokens:
            self.extend("spaces", columns.spaces, None)
            words: Any = columns.words
            is_plain = isinstance(words, WordRows)
            self.words.append(words.words if is_plain else document_words_of(words))
        for name in ("text", "name", "annotator", "size"):
            self.extend(name, getattr(columns, name), None)
        for name in ("categories", "attributes"):
            self.extend(name, getattr(columns, name), {})
        self.extend("lines", [(line,) if line else None for line in columns.lines], None)
        self.sizes.append(columns.sizes)
        self.places += places

    def _code(self, name: str) -> int:
        return self.codes.setdefault(name, len(self.codes))

    def _add_spans(self, spans: BatchSpans) -> None:
        n_before = len(self.places)
        for name, (rows, lists) in spans.columns.layers.items():
            docs, states = self.states.setdefault(name, ([], []))
            docs += [row + n_before for row in rows]
            states += [UNSEEN if one is None else SEEN for one in lists]
        if not len(spans.doc):
            return
        if spans.cut:
            places = [Place(str(self.path), None, name) for name in spans.cut]
            self.noted.setdefault(TRIMMED, []).extend(places)
        for doc, layer, length, label, copies in spans.unplaced:
            self.unplaced.setdefault(layer, []).append((n_before + doc, length, label))
            self.lost.append((n_before + doc, layer, (-length, 0, label), copies))
        code_of = {label: self._code(label) for label in dict.fromkeys(spans.said.label)}
        labels = np.array([*map(code_of.__getitem__, spans.said.label)], np.int64)
        layers = np.array([*map(self._code, spans.layers)], np.int64)[spans.layer]
        kept = np.flatnonzero(spans.placed)
        found = np.stack([layers, n_before + spans.doc, spans.start, spans.end, labels])
        self.spans.append(found[:, kept])
        for own, column in ((spans.features, self.features), (spans.pieces, self.pieces)):
            if own:
                numbered = enumerate(kept.tolist(), self.n_spans)
                column |= {n: own[row] for n, row in numbered if row in own}
        self.n_spans += len(kept)

    def corpus(self, message: str = "no documents") -> Corpus:
        """The corpus of all rows; raises for what is wrong with any, or leaves it out."""
        leave_out(self.path, self.left_out.values(), self.left_out)
        check_left(self.path, len(self.places), message)
        notes = add_notes(note(kind, places) for kind, places in self.noted.items())
        positions = "token" if self.in_tokens else "char"
        return Corpus(str(self.path), self._table(), positions, notes=notes)

    def _table(self) -> DocumentTable:
        names = [*self.codes]
        n_docs = len(self.places)
        found = np.concatenate([np.zeros((5, 0), np.int64), *self.spans], axis=1)
        number = np.arange(found.shape[1])
        pieces = (
            fragment_column([self.pieces.get(n) for n in number.tolist()]) if self.pieces else None
        )
        layer, doc, start = found[:3]
        in_order = np.diff((layer * n_docs + doc) * (int(start.max(initial=0)) + 1) + start) > 0
        again = np.zeros(len(number), bool)
        if pieces is not None or not in_order.all():
            ranks = np.zeros(len(number), np.int64) if pieces is None else fragment_ranks(pieces)
            place = np.argsort(np.argsort(names))  # of labels by their names
            layer, doc, start, end, label = found
            number = np.lexsort([ranks, place[label], end, start, doc, layer])
            every = np.vstack([found, ranks])[:, number]
            again[1:] = (every[:, 1:] == every[:, :-1]).all(axis=0)
        more = {name: self.column(name) for name in ("text", "spaces", "lines", "size")}
        more |= {name: self.column(name, {}) for name in ("categories", "attributes")}
        more |= self._said_of_spans(names, found, number, again)
        number = number[~again]
        layers = dict.fromkeys([*self.states, *self.unplaced, *self.missing_in])
        tables = {}
        for name in layers:
            code = self._code(name)
            rows = number[slice(*np.searchsorted(found[0, number], [code, code + 1]))]
            docs, states = self.states.get(name, ((), ()))
            state = np.full(n_docs, ABSENT, np.int8)
            state[np.array(docs, np.int64)] = states
            unplaced = sorted(self.unplaced.get(name, ()))
            used = {names[one] for one in distinct(found[4, rows]).tolist()}
            labels = tuple(sorted(used | {label for *_, label in unplaced}))
            index = {label: i for i, label in enumerate(labels)}
            code_of = np.array([index.get(one, -1) for one in names], np.int64)
            left = [(doc, length, index[label]) for doc, length, label in unplaced]
            missing = np.array(self.missing_in.get(name, ()), np.int64).reshape(-1, 3)
            tables[name] = LayerTable(
                found[1, rows],
                found[2, rows],
                found[3, rows],
                code_of[found[4, rows]],
                labels,
                state,
                np.array(left, np.int64).reshape(-1, 3),
                missing,
                None if pieces is None else used_column(pieces[rows]),
            )
        return DocumentTable(
            np.concatenate(self.sizes),
            tables,
            joined_words(self.words) if self.in_tokens and "size" not in self.columns else None,
            self.column("name"),
            np.array(self.sents, np.int64).reshape(-1, 2),
            np.array(self.missing, np.int64).reshape(-1, 3),
            {name: column for name, column in more.items() if column is not None},
        )

    def _said_of_spans(
        self,
        names: Sequence[str],
        found: IntArray,
        number: IntArray,
        again: BoolArray,
    ) -> dict[str, list[Any]]:
        """Features and copies of spans by document: the columns of those names."""
        features: dict[int, dict[str, Any]] = {}
        copies: dict[int, dict[str, Any]] = {}

        def place(n: int) -> tuple[int, str, Span]:
            layer, doc, start, end, label = found[:, n].tolist()
            own = (self.pieces[n],) if n in self.pieces else ()
            return doc, names[layer], (start, end, names[label], *own)

        repeated = {*number[again].tolist()}
        for n in self.features.keys() - repeated:
            doc, layer, span = place(n)
            features.setdefault(doc, {}).setdefault(layer, {})[span] = self.features[n]
        for n in number[again].tolist():
            doc, layer, span = place(n)
            mine = copies.setdefault(doc, {}).setdefault(layer, {}).setdefault(span, [])
            mine.append(Copy(self.features.get(n, {})))
        for doc, layer, span, some in self.lost:
            if some:
                copies.setdefault(doc, {}).setdefault(layer, {})[span] = some
        columns = {"features": features, "copies": copies}
        every = range(len(self.places))
        return {key: [one.get(doc, {}) for doc in every] for key, one in columns.items() if one}
