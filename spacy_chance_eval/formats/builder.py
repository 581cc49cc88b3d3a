"""Columns of rows to a `Corpus`: spans are checked, placed on tokens, or left out, once for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ..measures.arrays import BoolArray, IntArray, distinct
from ..measures.fragments import fragment_column, fragment_ranks, used_column
from ..measures.spans import Copy
from ..measures.words import document_words_of, joined_words
from .blemishes import (
    DOCUMENTS,
    SPANS,
    VALUES,
    blemishes,
    check_left,
    leave_out,
    leave_out_documents,
    leave_out_parts,
)
from .columns import Columns, Entries, wrong_tokens
from .corpus import Corpus, Span
from .documents import ABSENT, SEEN, UNSEEN, DocumentTable, LayerTable, span_title
from .errors import ContentError, NotInBlocksError, Problem, known
from .notes import Place, add_notes, note
from .rows import (
    CUT,
    FIT,
    MISALIGNED,
    NO_TOKENS,
    OF_KIND,
    RowSpans,
    brief,
    checked_fragments,
    cut_at_tokens,
    spans_on_tokens,
)

NO_PLACE = (
    "character offsets need tokens with start and end, 'spaces', or a 'text' that they make up"
)
SENTS = "'sents' holds the first position of each sentence, in rising order, in the document"
INSIDE = "a span needs whole numbers 0 <= start < end <= number of {}"
INCLUSIVE = (
    "both need whole numbers, token_start <= token_end inside the tokens, and the same place as "
    "start and end (Prodigy's token_end is the last token of the span, its end is exclusive)"
)


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
    """

    def __init__(self, path: object, misaligned: str = "error") -> None:
        self.path = path
        self.misaligned = known(misaligned, MISALIGNED, "value of misaligned")
        self.stores = {True: _Store(), False: _Store()}
        self.codes: dict[str, int] = {}  # of layers and labels
        self.parts: list[tuple[str, Problem]] = []  # left out of rows
        self.left_out: dict[int, Problem] = {}  # rows, by their places
        self.parts_of: dict[int, list[tuple[str, Problem]]] = {}  # the same of rows, by place
        self.annotators: Sequence[Any] = ()  # of the documents
        self.noted: dict[str, list[Place]] = {}

    def add(self, columns: Columns, places: Sequence[int]) -> None:
        """Add rows at some places of the file."""
        for notes, line in zip(columns.notes, columns.lines):
            for kind, what, *own in notes:
                place = Place(str(self.path), own[0] if own else line, what)
                self.noted.setdefault(kind, []).append(place)
        wrong = columns.wrong | wrong_tokens(columns)
        for row, mistake in wrong.items():
            self.left_out[places[row]] = Problem(columns.lines[row], *mistake)
        n_rows = len(columns.lines)
        has_words = [one is not None for one in columns.words] or [False] * n_rows
        for kind, store in self.stores.items():
            rows = [n for n in range(n_rows) if has_words[n] == kind and n not in wrong]
            some = columns.taken(rows)
            if kind and rows and some.by_token is False and (lost := some.rows_without_places()):
                for row in lost:
                    problem = Problem(
                        some.lines[row], "tokens without a place in the text", NO_PLACE
                    )
                    self.left_out[places[rows[row]]] = problem
                rows = [row for n, row in enumerate(rows) if n not in lost]
                some = columns.taken(rows)
            if rows:
                self._add(store, kind, some, [places[row] for row in rows])

    def _add(self, store: _Store, in_tokens: bool, columns: Columns, places: list[int]) -> None:
        """Add sound rows that all have tokens, or all have none."""
        first = len(store.places)
        self._add_spans(store, in_tokens, columns)
        for row, sents in enumerate(columns.sents):
            last = -1
            for start in sents:
                if last < start < columns.sizes[row]:
                    last = start
                    store.sents.append((first + row, start))
                else:
                    self._leave_out(VALUES, columns.lines[row], f"'sents' is {brief(sents)}", SENTS)
        for doc, rows in enumerate(columns.missing, first):
            store.missing += sorted((doc, *row) for row in rows)
        for doc, gaps in enumerate(columns.missing_in, first):
            for layer, rows in gaps.items():
                own = store.missing_in.setdefault(layer, [])
                own += sorted((doc, *row) for row in rows)
        for doc, said in enumerate(columns.unplaced, first):
            for layer, spans in said.items():
                store.unplaced.setdefault(layer, []).extend((doc, *span) for span in spans)
        if in_tokens:
            store.extend("spaces", columns.spaces, None)
            store.words.append(document_words_of(columns.words))  # type: ignore[arg-type]
        for name in ("text", "name", "annotator", "size"):
            store.extend(name, getattr(columns, name), None)
        for name in ("categories", "attributes"):
            store.extend(name, getattr(columns, name), {})
        store.extend("lines", [*zip(columns.lines)], None)
        store.sizes.append(columns.sizes)
        store.places += places

    def _leave_out(self, unit: str, line: int, found: str, advice: str) -> None:
        """Note a part of a row that is left out."""
        self.parts.append((unit, Problem(line, found, advice)))

    def _code(self, name: str) -> int:
        """The number of a layer or a label."""
        return self.codes.setdefault(name, len(self.codes))

    def _add_spans(self, store: _Store, in_tokens: bool, columns: Columns) -> None:
        """Add the spans of all layers."""
        entries: list[Any] = []
        docs: list[int] = []
        layers: list[int] = []
        counts: list[int] = []
        for name, (rows, found) in columns.layers.items():
            of, states = store.states.setdefault(name, ([], []))
            of += [row + len(store.places) for row in rows]
            states += [UNSEEN if one is None else SEEN for one in found]
            some = [one or () for one in found]
            docs += rows
            counts += map(len, some)
            layers += [self._code(name)] * len(rows)
            entries += chain.from_iterable(some)
        if not entries:
            return
        said = columns.entries(entries)
        layer, doc = (np.repeat(np.array(one, np.int64), counts) for one in (layers, docs))
        for name in {*said.label} - self.codes.keys():
            self._code(name)
        label = np.array([*map(self.codes.__getitem__, said.label)], np.int64)
        start, end = np.array(said.start, np.int64), np.array(said.end, np.int64)
        sizes = columns.sizes[doc]
        good = np.ones(len(doc), bool)

        def line_of(n: int) -> int:
            own = said.line[n] if said.line else None
            return columns.lines[doc[n]] if own is None else own

        by_token = np.full(len(doc), in_tokens and bool(columns.by_token))

        def drop(wrong: BoolArray, found: Callable[[int], str], advice: str) -> None:
            wrong &= good
            for n in np.flatnonzero(wrong).tolist():
                self._leave_out(SPANS, line_of(n), found(n), advice)
            good[wrong] = False

        if in_tokens and said.first is not None and said.last is not None:
            first, last = np.array(said.first, np.int64), np.array(said.last, np.int64)
            named = first >= 0
            wrong = named & ((first > last) | (last >= sizes))
            if columns.tokens and len(columns.own_borders.T):
                token = np.minimum(columns.offsets[doc] + [first, last], columns.offsets[-1] - 1)
                places = np.take_along_axis(columns.own_borders, token, 1)
                other = (places != [start, end]).any(axis=0) & (places >= 0).all(axis=0)
                wrong |= named & other & (start >= 0) & (end >= 0)
            drop(
                wrong,
                lambda n: (
                    f"span {_title(said, n)} with token_start {_number(first[n])} and token_end "
                    f"{_number(last[n])} among {sizes[n]} tokens"
                ),
                INCLUSIVE,
            )
            start, end = np.where(named, first, start), np.where(named, last + 1, end)
            by_token |= named
        in_text: BoolArray = ~by_token & in_tokens
        if in_text.any():
            lost = np.isin(doc, [*columns.rows_without_places()])
            drop(in_text & lost, lambda n: "tokens without a place in the text", NO_PLACE)
            sizes = np.where(in_text, columns.text_sizes[doc], sizes)
        pieces: dict[int, Any] = {}

        def unit_of(n: int) -> str:
            return "tokens" if in_tokens and not in_text[n] else "characters"

        for n, fragments in enumerate(said.pieces or ()):
            if fragments is None or not good[n]:
                continue
            try:
                span = checked_fragments(fragments, said.label[n], int(sizes[n]), unit_of(n))
                if (start[n], end[n]) not in ((-1, -1), span[:2]):
                    raise ContentError(
                        f"span {span_title(span)} with the hull [{start[n]}, {end[n]})",
                        "leave out start and end of a span with fragments",
                    )
            except ContentError as mistake:
                good[n] = False
                line = line_of(n)
                self._leave_out(SPANS, line, mistake.found, mistake.advice)
            else:
                start[n], end[n] = span[:2]
                pieces |= {n: span[3]} if len(span) > 3 else {}
        for unit, of_unit in (("characters", in_text | (not in_tokens)), ("tokens", ~in_text)):
            drop(
                of_unit & ((start < 0) | (start >= end) | (end > sizes)),
                lambda n: f"span {_title(said, n)} among {sizes[n]} {unit_of(n)}",
                INSIDE.format(unit),
            )
        features = {n: one for n, one in enumerate(said.features or ()) if one}
        for n in [n for n, one in features.items() if type(one) is not dict and good[n]]:
            what = f"'features' is {brief(features.pop(n))}"
            self._leave_out(VALUES, line_of(n), what, "'features' must be an object")
        spans = _Spans(layer, doc, start, end, label, said.label, features, pieces, line_of)
        if in_text.any():
            good &= ~self._place(store, columns, spans, np.flatnonzero(good & in_text))
        kept = np.flatnonzero(good)
        for n, row in enumerate(kept.tolist(), store.n_spans) if features or pieces else ():
            for own, column in ((features, store.features), (pieces, store.pieces)):
                if row in own:
                    column[n] = own[row]
        doc = doc + len(store.places)
        store.spans.append(np.stack([layer, doc, spans.start, spans.end, label])[:, kept])
        store.n_spans += len(kept)

    def _place(self, store: _Store, columns: Columns, spans: _Spans, rows: IntArray) -> BoolArray:
        """Put spans in characters, some rows of all, on the tokens; the mask of those left."""
        begin, stop = np.append(columns.borders, [[0], [0]], 1)  # one behind the last document
        doc, first = spans.doc, columns.offsets
        room = (
            int(max(stop.max(), spans.end[rows].max(initial=0))) + 2
        )  # of a document: offsets are unique
        base = np.repeat(np.arange(len(first)), [*np.diff(first), 1]) * room
        begins, stops = (np.argsort(base + one, kind="stable") for one in (begin, stop))
        begin_keys, stop_keys = (base + begin)[begins], (base + stop)[stops]

        def tokens_at(rows: IntArray, start: IntArray, end: IntArray) -> tuple[IntArray, ...]:
            """The first token and that behind the last one, and whether there are such tokens."""
            low, high = doc[rows] * room + start, doc[rows] * room + end
            i, j = np.searchsorted(begin_keys, low), np.searchsorted(stop_keys, high, "right") - 1
            a, b = begins[i] - first[doc[rows]], stops[j] + 1 - first[doc[rows]]
            return a, b, (begin_keys[i] == low) & (stop_keys[j] == high) & (a < b)

        def inner(rows: IntArray) -> tuple[IntArray, IntArray]:
            """Start and end without what lies between tokens there."""
            start, end = spans.start[rows], spans.end[rows]
            low, high = doc[rows] * room + start, doc[rows] * room + end
            i, j = np.searchsorted(stop_keys, low, "right"), np.searchsorted(begin_keys, high) - 1
            a, b = np.maximum(low, begin_keys[i]), np.minimum(high, stop_keys[j])
            shift = doc[rows] * room
            return np.where(i <= j, a - shift, start), np.where(i <= j, b - shift, end)

        cut = cut_at_tokens.get()
        if cut is not None:
            start, end = inner(rows)
            moved = (start != spans.start[rows]) | (end != spans.end[rows])
            titles = {spans.key(n): None for n in rows[moved].tolist() if n not in spans.pieces}
            cut += [span_title(one[2:]) for one in titles]
            whole = np.array([n not in spans.pieces for n in rows.tolist()], bool)
            spans.start[rows[whole]], spans.end[rows[whole]] = start[whole], end[whole]
        start, end, fits = tokens_at(rows, spans.start[rows], spans.end[rows])
        lengths: dict[int, int] = {}
        for place, n in enumerate(rows.tolist()):
            if n in spans.pieces or not fits[place]:
                borders = columns.borders.T[first[doc[n]] : first[doc[n] + 1]].tolist()
                on_tokens = spans_on_tokens(RowSpans((spans.key(n)[2:],)), borders, "unplaced")
                fits[place] = bool(on_tokens.spans)
                if on_tokens.spans:
                    start[place], end[place] = on_tokens.spans[0][:2]
                    spans.pieces.pop(n)
                    spans.pieces |= (
                        {n: on_tokens.spans[0][3]} if len(on_tokens.spans[0]) > 3 else {}
                    )
                else:
                    lengths[n] = on_tokens.unplaced[0][0]
        left = rows[~fits]
        advice = np.where(tokens_at(left, *inner(left))[2], CUT, FIT)
        same: dict[tuple[Any, ...], list[Copy]] = {}
        for n, what in zip(left.tolist(), advice.tolist()):
            key = spans.key(n)
            if key in same:
                same[key].append(Copy(spans.features.get(n, {})))
            elif self.misaligned == "error":
                found = f"span {span_title(key[2:])} does not fit the borders of tokens"
                self._leave_out(SPANS, spans.line(n), found, what)
                same[key] = []
            else:
                place = int(doc[n]) + len(store.places)
                name = next(name for name, code in self.codes.items() if code == spans.layer[n])
                store.unplaced.setdefault(name, []).append((place, lengths[n], spans.names[n]))
                same[key] = []
                store.lost.append((place, name, (-lengths[n], 0, spans.names[n]), same[key]))
        spans.start[rows], spans.end[rows] = start, end
        mask = np.zeros(len(doc), bool)
        mask[left] = True
        return mask

    def corpus(self, message: str = "no documents") -> Corpus:
        """The corpus of all rows; raises for what is wrong with any, or leaves it out."""
        problems = [(DOCUMENTS, one) for one in self.left_out.values()] + self.parts
        for place in self.parts_of.keys() - self.left_out.keys():
            problems += self.parts_of[place]
        leave_out_parts(self.path, problems)
        leave_out_documents([*self.left_out])
        n_of = {kind: len(store.places) for kind, store in self.stores.items()}
        check_left(self.path, sum(n_of.values()), message)
        wanted = n_of[True] >= n_of[False] if blemishes() else n_of[True] > 0
        if n_of[not wanted]:
            if (policy := blemishes()) and policy.is_part:
                raise NotInBlocksError("rows with tokens among rows without tokens", self.path)
            what = f"a row {OF_KIND[not wanted]} tokens among rows {OF_KIND[wanted]} tokens"
            other = self.stores[not wanted]
            odd = [Problem(line, what, NO_TOKENS) for (line,) in other.columns["lines"]]
            leave_out(self.path, odd, DOCUMENTS)
            every = sorted([*other.places, *self.stores[wanted].places])
            of_others = {*other.places}
            leave_out_documents([n for n, place in enumerate(every) if place in of_others])
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


@dataclass(eq=False)
class _Spans:
    """Spans while they are placed: columns, and by row the features and pieces of some."""

    layer: IntArray
    doc: IntArray
    start: IntArray
    end: IntArray
    label: IntArray
    names: Sequence[str]
    features: dict[int, Mapping[str, Any]]
    pieces: dict[int, Any]
    line: Callable[[int], int]

    def key(self, n: int) -> tuple[Any, ...]:
        """(layer, document, *the span as a tuple)."""
        own = (self.pieces[n],) if n in self.pieces else ()
        numbers = (int(one[n]) for one in (self.layer, self.doc, self.start, self.end))
        return (*numbers, self.names[n], *own)


def _title(said: Entries, n: int) -> str:
    """How messages call a span, whatever its offsets are."""
    return f"{said.label[n]} [{_number(said.start[n])}, {_number(said.end[n])})"


def _number(offset: int) -> str:
    """An offset in messages."""
    return "null" if offset < 0 else str(offset)
