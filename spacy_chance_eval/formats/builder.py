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
from .blemishes import blemishes, check_left, leave_out
from .columns import Columns, wrong_tokens
from .corpus import Corpus, Span
from .documents import ABSENT, SEEN, UNSEEN, DocumentTable, LayerTable
from .errors import NotInBlocksError, Problem, known
from .notes import TRIMMED, Place, add_notes, note
from .placing import BatchSpans
from .rows import MISALIGNED, NO_TOKENS, OF_KIND


@dataclass(eq=False)
class _Store:
    """What is known of all documents of a file that have tokens, or of all that have none."""

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


class Builder:
    """Rows of a file, some at a time, and the corpus that they are.

    Parameters
    ----------
    path : object
    misaligned : "error" or "unplaced"
        What becomes of a span in characters that does not fit the borders of the tokens.
    cut : bool
        Whether what lies between tokens is cut off the ends of such spans.
    """

    def __init__(self, path: object, misaligned: str = "error", cut: bool = False) -> None:
        self.path, self.cut = path, cut
        self.misaligned = known(misaligned, MISALIGNED, "value of misaligned")
        self.stores = {True: _Store(), False: _Store()}
        self.codes: dict[str, int] = {}  # of layers and labels
        self.left_out: dict[int, Problem] = {}  # rows, by their places
        self.annotators: Sequence[Any] = ()  # of the documents
        self.noted: dict[str, list[Place]] = {}

    def add(self, columns: Columns, places: Sequence[int]) -> None:
        """Add rows at some places of the file."""
        has_words = [one is not None for one in columns.words] or [False] * len(places)
        for kind, store in self.stores.items():
            rows = [n for n, one in enumerate(has_words) if one == kind and n not in columns.wrong]
            if rows:
                self._add(store, kind, columns.taken(rows), [places[row] for row in rows])
        for row, mistake in columns.wrong.items():
            self.left_out[places[row]] = Problem(columns.lines[row], *mistake)

    def _add(self, store: _Store, in_tokens: bool, columns: Columns, places: list[int]) -> None:
        """Add rows that all have tokens, or all have none, without those with mistakes."""
        wrong = {
            row: Problem(columns.lines[row], *one) for row, one in wrong_tokens(columns).items()
        }
        if not wrong:
            spans = BatchSpans(columns, in_tokens, self.misaligned, self.cut)
            wrong = spans.wrong
        if wrong:
            self.left_out |= {places[row]: one for row, one in wrong.items()}
            rest = [row for row, place in enumerate(places) if place not in self.left_out]
            if rest:
                self._add(store, in_tokens, columns.taken(rest), [places[row] for row in rest])
            return
        first = len(store.places)
        for notes, line in zip(columns.notes, columns.lines):
            for kind, what, *own in notes:
                place = Place(str(self.path), own[0] if own else line, what)
                self.noted.setdefault(kind, []).append(place)
        self._add_spans(store, spans)
        store.sents += (
            (doc, start) for doc, sents in enumerate(columns.sents, first) for start in sents
        )
        for doc, rows in enumerate(columns.missing, first):
            store.missing += sorted((doc, *row) for row in rows)
        for doc, gaps in enumerate(columns.missing_in, first):
            for layer, rows in gaps.items():
                own = store.missing_in.setdefault(layer, [])
                own += sorted((doc, *row) for row in rows or ())
        for doc, said in enumerate(columns.unplaced, first):
            for layer, found in said.items():
                store.unplaced.setdefault(layer, []).extend((doc, *one) for one in found or ())
        if in_tokens:
            store.extend("spaces", columns.spaces, None)
            store.words.append(document_words_of(columns.words))  # type: ignore[arg-type]
        for name in ("text", "name", "annotator", "size"):
            store.extend(name, getattr(columns, name), None)
        for name in ("categories", "attributes"):
            store.extend(name, getattr(columns, name), {})
        store.extend("lines", [(line,) if line else None for line in columns.lines], None)
        store.sizes.append(columns.sizes)
        store.places += places

    def _code(self, name: str) -> int:
        """The number of a layer or a label."""
        return self.codes.setdefault(name, len(self.codes))

    def _add_spans(self, store: _Store, spans: BatchSpans) -> None:
        """Add the spans of all layers."""
        n_before = len(store.places)
        for name, (rows, lists) in spans.columns.layers.items():
            docs, states = store.states.setdefault(name, ([], []))
            docs += [row + n_before for row in rows]
            states += [UNSEEN if one is None else SEEN for one in lists]
        if not len(spans.doc):
            return
        if spans.cut:
            places = [Place(str(self.path), None, name) for name in spans.cut]
            self.noted.setdefault(TRIMMED, []).extend(places)
        for doc, layer, length, label, copies in spans.unplaced:
            store.unplaced.setdefault(layer, []).append((n_before + doc, length, label))
            store.lost.append((n_before + doc, layer, (-length, 0, label), copies))
        labels = np.array([*map(self._code, spans.said.label)], np.int64)
        layers = np.array([*map(self._code, spans.layers)], np.int64)[spans.layer]
        kept = np.flatnonzero(spans.placed)
        found = np.stack([layers, n_before + spans.doc, spans.start, spans.end, labels])
        store.spans.append(found[:, kept])
        for own, column in ((spans.features, store.features), (spans.pieces, store.pieces)):
            if own:
                numbered = enumerate(kept.tolist(), store.n_spans)
                column |= {n: own[row] for n, row in numbered if row in own}
        store.n_spans += len(kept)

    def corpus(self, message: str = "no documents") -> Corpus:
        """The corpus of all rows; raises for what is wrong with any, or leaves it out."""
        leave_out(self.path, self.left_out.values(), self.left_out)
        n_of = {kind: len(store.places) for kind, store in self.stores.items()}
        check_left(self.path, sum(n_of.values()), message)
        wanted = n_of[True] >= n_of[False] if blemishes() else n_of[True] > 0
        if n_of[not wanted]:
            if (policy := blemishes()) and policy.is_part:
                raise NotInBlocksError("rows with tokens among rows without tokens", self.path)
            what = f"a row {OF_KIND[not wanted]} tokens among rows {OF_KIND[wanted]} tokens"
            other = self.stores[not wanted]
            odd = [Problem(line, what, NO_TOKENS) for (line,) in other.columns["lines"]]
            every = sorted([*other.places, *self.stores[wanted].places])
            of_others = {*other.places}
            leave_out(self.path, odd, [n for n, place in enumerate(every) if place in of_others])
        self.annotators = self.stores[wanted].column("annotator") or [None] * n_of[wanted]
        notes = add_notes(note(kind, places) for kind, places in self.noted.items())
        positions = "token" if wanted else "char"
        return Corpus(str(self.path), self._table(wanted), positions, notes=notes)

    def _table(self, in_tokens: bool) -> DocumentTable:
        """The documents with tokens, or those without."""
        store, names = self.stores[in_tokens], [*self.codes]
        n_docs = len(store.places)
        found = np.concatenate([np.zeros((5, 0), np.int64), *store.spans], axis=1)
        number = np.arange(found.shape[1])
        pieces = (
            fragment_column([store.pieces.get(n) for n in number.tolist()])
            if store.pieces
            else None
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
        more = {name: store.column(name) for name in ("text", "spaces", "lines", "size")}
        more |= {name: store.column(name, {}) for name in ("categories", "attributes")}
        more |= self._said_of_spans(store, names, found, number, again)
        number = number[~again]
        layers = dict.fromkeys([*store.states, *store.unplaced, *store.missing_in])
        tables = {}
        for name in layers:
            code = self._code(name)
            rows = number[slice(*np.searchsorted(found[0, number], [code, code + 1]))]
            docs, states = store.states.get(name, ((), ()))
            state = np.full(n_docs, ABSENT, np.int8)
            state[np.array(docs, np.int64)] = states
            unplaced = sorted(store.unplaced.get(name, ()))
            used = {names[one] for one in distinct(found[4, rows]).tolist()}
            labels = tuple(sorted(used | {label for *_, label in unplaced}))
            index = {label: i for i, label in enumerate(labels)}
            code_of = np.array([index.get(one, -1) for one in names], np.int64)
            left = [(doc, length, index[label]) for doc, length, label in unplaced]
            missing = np.array(store.missing_in.get(name, ()), np.int64).reshape(-1, 3)
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
            np.concatenate(store.sizes),
            tables,
            joined_words(store.words) if in_tokens and "size" not in store.columns else None,
            store.column("name"),
            np.array(store.sents, np.int64).reshape(-1, 2),
            np.array(store.missing, np.int64).reshape(-1, 3),
            {name: column for name, column in more.items() if column is not None},
        )

    def _said_of_spans(
        self,
        store: _Store,
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
            own = (store.pieces[n],) if n in store.pieces else ()
            return doc, names[layer], (start, end, names[label], *own)

        repeated = {*number[again].tolist()}
        for n in store.features.keys() - repeated:
            doc, layer, span = place(n)
            features.setdefault(doc, {}).setdefault(layer, {})[span] = store.features[n]
        for n in number[again].tolist():
            doc, layer, span = place(n)
            mine = copies.setdefault(doc, {}).setdefault(layer, {}).setdefault(span, [])
            mine.append(Copy(store.features.get(n, {})))
        for doc, layer, span, some in store.lost:
            if some:
                copies.setdefault(doc, {}).setdefault(layer, {})[span] = some
        columns = {"features": features, "copies": copies}
        every = range(len(store.places))
        return {key: [one.get(doc, {}) for doc in every] for key, one in columns.items() if one}
