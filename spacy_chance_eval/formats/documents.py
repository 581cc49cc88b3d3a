"""Documents with layers of spans: one by one, and as the columns of a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..measures.arrays import Array, IntArray, distinct
from ..measures.fragments import Pieces, fragment_column, joined_columns, used_column
from ..measures.spans import Copy, expanded
from ..measures.words import ByteWords, document_words_of, joined_words
from .errors import FormatError

PlainSpan: TypeAlias = tuple[int, int, str]  # start, end and label
# start and end of a discontinuous span are those of its hull; its pieces stand behind the label
Span: TypeAlias = PlainSpan | tuple[int, int, str, Pieces]
Stretch: TypeAlias = tuple[int, int]  # start and end
Unplaced: TypeAlias = tuple[int, str]  # length in tokens and label
BY_LAYER = ("layers", "categories", "unplaced", "features", "copies")  # fields of a document


@dataclass(frozen=True)
class Document:
    """One document of a file. Spans are half-open stretches of tokens, or of characters.

    Parameters
    ----------
    words : sequence of str
        Empty in a corpus with character positions.
    layers : dict of str to (sequence of (start, end, label), or None)
        None: not annotated. Empty: annotated, without spans. A discontinuous span is (start, end,
        label, pieces), its pieces rows (start, end) in order and apart from each other.
    name : str, optional
        By which documents of two files are matched.
    sents : sequence of int
        First position of each sentence; empty if unknown.
    missing : sequence of (start, end)
        Positions without annotation.
    missing_in : dict of str to sequence of (start, end)
        By layer: more of them, in that layer alone.
    unplaced : dict of str to sequence of (length, label)
        By layer: spans that do not fit the tokens.
    lines : sequence of int, optional
        Line of each token in the file, or the one line of the row.
    text : str, optional
        The text; needed if positions are characters.
    spaces : sequence of bool, optional
        Whether a space follows the token.
    attributes : dict
        Anything else that the file says about the document.
    path : str, optional
        Its file, in a corpus that is a folder of files.
    features : dict of str to dict of (start, end, label) to dict
        By layer: what else is said of a span; nothing for most.
    categories : dict of str to (sequence of str, or None)
        By layer: the labels of the document as a whole. None: not annotated.
    size : int, optional
        Number of positions, of a document without words and text.
    copies : dict of str to dict of (start, end, label) to sequence of Copy
        By layer: further annotations of spans that have one already. Those of spans that do not
        fit the tokens have the place (-length, 0), as readers return them.
    """

    words: Sequence[str]
    layers: Mapping[str, Sequence[Span] | None]
    name: str | None = None
    sents: Sequence[int] = ()
    missing: Sequence[Stretch] = ()
    unplaced: Mapping[str, Sequence[Unplaced]] = field(default_factory=dict)
    lines: Sequence[int] | None = field(default=None, compare=False)
    text: str | None = None
    spaces: Sequence[bool] | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    missing_in: Mapping[str, Sequence[Stretch]] = field(default_factory=dict)
    path: str | None = field(default=None, compare=False)
    features: Mapping[str, Mapping[Span, Mapping[str, Any]]] = field(default_factory=dict)
    categories: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    size: int | None = None
    copies: Mapping[str, Mapping[Span, Sequence[Copy]]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        # most of it is empty in most documents, and there are many of these
        fix = partial(object.__setattr__, self)
        fix("words", tuple(self.words))
        for name in ("layers", "categories"):
            by_layer = getattr(self, name).items()
            fix(name, {layer: None if own is None else in_order(own) for layer, own in by_layer})
        for name in ("missing_in", "unplaced"):
            if by_layer := getattr(self, name):
                fix(name, {layer: in_order(own) for layer, own in by_layer.items() if own})
        for name, kind in (("features", dict), ("copies", tuple)):
            if by_layer := getattr(self, name):
                said = {layer: {tuple(span): kind(one) for span, one in spans.items() if one}
                        for layer, spans in by_layer.items()}  # fmt: skip
                fix(name, {layer: spans for layer, spans in said.items() if spans})
        fix("sents", tuple(sorted(self.sents)))
        fix("missing", in_order(self.missing))
        if self.spaces is not None:
            fix("spaces", tuple(self.spaces))
        if self.lines is not None and not isinstance(self.lines, range):
            fix("lines", tuple(self.lines))

    def gaps(self, layer: str) -> tuple[Stretch, ...]:
        """All positions without annotation in a layer.

        Parameters
        ----------
        layer : str
            Name of the layer.
        """
        return in_order({*self.missing, *self.missing_in.get(layer, ())})

    def line(self, token: int) -> int | None:
        """Line of a token in the file; the last known one behind the end, None if unknown.

        Parameters
        ----------
        token : int
            Number of the token in the document, from 0.
        """
        return self.lines[min(token, len(self.lines) - 1)] if self.lines else None


def n_positions(document: Document, positions: str) -> int:
    """Number of positions of a document, "token" or "char"."""
    content = document.words if positions == "token" else document.text or ""
    return len(content) if document.size is None else document.size


def pieces_of(span: Span) -> Pieces:
    """The pieces (start, end) of a span; of a span of one piece this one."""
    return span[3] if len(span) > 3 else (span[:2],)


def span_title(span: Span) -> str:
    """How messages call a span."""
    return f"{span[2]} " + " + ".join(f"[{start}, {end})" for start, end in pieces_of(span))


def one_piece(spans: Iterable[Span] | None) -> list[PlainSpan]:
    """Spans for a format, or a view, that holds none in several pieces; [] for None."""
    found: list[PlainSpan] = []
    for span in spans or ():
        if len(span) > 3:
            raise FormatError("discontinuous; leave it out", f"span {span_title(span)}")
        found.append(span[:3])
    return found


def in_order(rows: Iterable[Any]) -> tuple[Any, ...]:
    """Rows as sorted tuples, and labels sorted: order never matters."""
    if not rows:
        return ()
    return tuple(sorted(one if isinstance(one, str) else tuple(one) for one in rows))


# --- many documents as columns

ABSENT, UNSEEN, SEEN = 0, 1, 2  # states of a layer in a document: not there, None, annotated
AT_ONCE = 1000  # documents that are made at a time
NO_ROWS = np.zeros((0, 3), np.int64)
OWN = ("words", "layers", "name", "sents", "missing", "missing_in", "unplaced")
IN_ORDER = {
    *("words", "layers", "name", "sents", "lines", "text", "spaces", "attributes", "path", "size")
}
DEFAULTS = vars(Document((), {}))
OTHERS: dict[str, Any] = {  # fields for `more`, with their defaults
    one.name: {} if one.default is MISSING else one.default
    for one in fields(Document)
    if one.name not in OWN
}


@dataclass(frozen=True, eq=False)
class LayerTable:
    """The spans of one layer in all documents, sorted by document, start, end and label."""

    doc: IntArray
    start: IntArray
    end: IntArray
    label: IntArray  # places in `labels`
    labels: tuple[str, ...]  # those that occur, sorted
    state: IntArray  # of each document: ABSENT, UNSEEN or SEEN
    unplaced: IntArray = field(default_factory=lambda: NO_ROWS)  # rows (doc, length, label)
    # rows (doc, start, end) of positions without annotation in this layer alone
    missing: IntArray = field(default_factory=lambda: NO_ROWS)
    # the pieces of each span, None for one of one piece; None if no span has several
    fragments: Array | None = None

    @classmethod
    def of(
        cls,
        rows: Sequence[tuple[Any, ...]],
        state: ArrayLike,
        unplaced: Sequence[tuple[int, int, str]] = (),
        missing: ArrayLike = (),
    ) -> "LayerTable":
        """The table of rows (doc, start, end, label) that are in order, and of others.

        Behind the label of a discontinuous span stand its pieces.
        """
        fragments = None
        if any(len(row) > 4 for row in rows):
            fragments = fragment_column([row[4] if len(row) > 4 else None for row in rows])
            rows = [row[:4] for row in rows]
        doc, start, end, names = zip(*rows) if rows else ((), (), (), ())
        labels = tuple(sorted({*names, *(label for *_, label in unplaced)}))
        index = {name: i for i, name in enumerate(labels)}
        return cls(
            np.array(doc, np.int64),
            np.array(start, np.int64),
            np.array(end, np.int64),
            np.array([index[name] for name in names], np.int64),
            labels,
            np.asarray(state, np.int8),
            _table([(d, length, index[label]) for d, length, label in unplaced]),
            _table(missing),
            fragments,
        )

    def spans(self, low: int, high: int) -> list[tuple[Span, ...] | None]:
        """The spans of the documents from a number to another one; None if not annotated."""
        cuts = np.searchsorted(self.doc, np.arange(low, high + 1))
        first, last = cuts[0], cuts[-1]
        columns = (self.start, self.end, self.label)
        starts, ends, labels = (one[first:last].tolist() for one in columns)
        spans: tuple[Span, ...] = tuple(zip(starts, ends, [self.labels[code] for code in labels]))
        if self.fragments is not None:
            own = self.fragments[first:last]
            spans = tuple((*span[:3], some) if some else span for span, some in zip(spans, own))
        places = (cuts - first).tolist()
        states = self.state[low:high].tolist()
        return [
            spans[a:b] if state == SEEN else None for a, b, state in zip(places, places[1:], states)
        ]

    def others(self, kind: str, low: int, high: int) -> list[list[tuple[Any, ...]]]:
        """The values "unplaced" or "missing_in" of documents; [] if all are empty."""
        if kind == "missing_in":
            return _by_doc(self.missing, low, high)
        return [
            [(length, self.labels[label]) for length, label in rows]
            for rows in _by_doc(self.unplaced, low, high)
        ]

    def used_labels(self) -> set[str]:
        """The labels of spans, those without a place included."""
        codes = distinct(np.concatenate([self.label, self.unplaced[:, 2]]))
        return {self.labels[code] for code in codes.tolist()}

    def taken(self, order: IntArray) -> "LayerTable":
        """The same of documents in another order."""
        doc, rows = _taken(self.doc, order)
        return replace(
            self,
            doc=doc,
            start=self.start[rows],
            end=self.end[rows],
            label=self.label[rows],
            state=self.state[order],
            unplaced=_taken_rows(self.unplaced, order),
            missing=_taken_rows(self.missing, order),
            fragments=None if self.fragments is None else used_column(self.fragments[rows]),
        )


@dataclass(frozen=True, eq=False)
class DocumentTable(Sequence[Document]):
    """Documents as columns; each becomes a `Document` when it is asked for."""

    sizes: IntArray  # numbers of positions
    layers: Mapping[str, LayerTable]
    words: Sequence[str] | None = None  # all tokens, one document after the other
    names: Sequence[str | None] | None = None  # None if no document has one
    # rows (doc, first position of a sentence), in order
    sents: IntArray = field(default_factory=lambda: NO_ROWS[:, :2])
    # rows (doc, start, end) of positions without annotation in any layer
    missing: IntArray = field(default_factory=lambda: NO_ROWS)
    # values by document of other fields of `Document`, but those that are all the default
    more: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, at: Any) -> Any:
        docs = range(len(self))[at]
        if isinstance(docs, range):
            return tuple(self[doc] for doc in docs)
        return self._some(docs, docs + 1)[0]

    def __iter__(self) -> Iterator[Document]:
        for first in range(0, len(self), AT_ONCE):
            yield from self._some(first, min(first + AT_ONCE, len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (tuple, DocumentTable)):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other))

    def _some(self, low: int, high: int) -> list[Document]:
        """The documents from a number to another one."""
        columns: dict[str, Iterable[Any]] = {
            name: [column[doc] for doc in range(low, high)] for name, column in self.more.items()
        }
        columns["words"] = [()] * (high - low)
        if self.words is not None:
            cuts = (self.offsets[low : high + 1] - self.offsets[low]).tolist()
            words = self.words[self.offsets[low] : self.offsets[high]]
            columns["words"] = [words[a:b] for a, b in zip(cuts, cuts[1:])]
        layers = {name: one.spans(low, high) for name, one in self.layers.items()}
        states = {name: one.state[low:high].tolist() for name, one in self.layers.items()}
        columns["layers"] = [
            {name: spans[i] for name, spans in layers.items() if states[name][i] != ABSENT}
            for i in range(high - low)
        ]
        if self.names is not None:
            columns["name"] = self.names[low:high]
        if len(self.sents):
            columns["sents"] = [
                tuple([start for (start,) in rows]) for rows in _by_doc(self.sents, low, high)
            ]
        if len(self.missing):
            columns["missing"] = _by_doc(self.missing, low, high)
        for kind in ("unplaced", "missing_in"):
            by_layer = {name: one.others(kind, low, high) for name, one in self.layers.items()}
            by_layer = {name: rows for name, rows in by_layer.items() if rows}
            if by_layer:
                columns[kind] = [dict(zip(by_layer, rows)) for rows in zip(*by_layer.values())]
        rows = (dict(zip(columns, values)) for values in zip(*columns.values()))
        pieces = any(one.fragments is not None for one in self.layers.values())
        if pieces or not columns.keys() <= IN_ORDER:
            return [Document(**row) for row in rows]
        return [document_in_order(row) for row in rows]

    @cached_property
    def offsets(self) -> IntArray:
        """Where each document begins among all positions, and where the last one ends."""
        found: IntArray = np.concatenate([[0], np.cumsum(self.sizes)])
        return found

    @property
    def n_words(self) -> IntArray:
        """Number of words of each document: its size, if it has any."""
        return np.zeros_like(self.sizes) if self.words is None else self.sizes

    def document_words(self) -> Iterator[Sequence[str]]:
        """The words of each document."""
        words, cuts = self.words, self.offsets.tolist()
        for start, end in zip(cuts, cuts[1:]):
            yield () if words is None else words[start:end]

    def column(self, name: str, default: Any) -> Sequence[Any]:
        """A field of all documents that is in `more`; the default, if that is everywhere."""
        return self.more.get(name) or [default] * len(self)

    @property
    def attribute_names(self) -> frozenset[str]:
        """Names of the attributes of any document."""
        return frozenset(chain(*self.more.get("attributes", ())))

    def attribute(self, key: str) -> tuple[Any, ...]:
        """An attribute of each document; None for documents that lack it."""
        return tuple(one.get(key) for one in self.column("attributes", {}))

    def all_names(self) -> Sequence[str | None]:
        """The names of all documents."""
        return self.names if self.names is not None else (None,) * len(self)

    @cached_property
    def has_names_of_their_own(self) -> bool:
        """Whether all documents have names, all different."""
        names = {*self.all_names()}
        return None not in names and len(names) == len(self)

    def layer(self, name: str) -> LayerTable:
        """The table of a layer, empty if no document has it."""
        found = self.layers.get(name)
        return LayerTable.of((), np.full(len(self), ABSENT)) if found is None else found

    def with_layers(self, names: Mapping[str, str]) -> "DocumentTable":
        """The same with some of the layers, of spans and of categories, under new names."""
        layers = {names[name]: one for name, one in self.layers.items() if name in names}
        by_layer = {
            kind: [{names[name]: said for name, said in one.items() if name in names}
                   for one in self.more[kind]]
            for kind in ("categories", "features", "copies")
            if kind in self.more
        }  # fmt: skip
        return replace(self, layers=layers, more={**self.more, **by_layer})

    def with_all_layers(self, state: int) -> "DocumentTable":
        """The same, with a state for documents that lack one of the layers."""
        layers = {
            name: replace(one, state=np.where(one.state == ABSENT, state, one.state))
            for name, one in self.layers.items()
        }
        return replace(self, layers=layers)

    def taken(self, order: IntArray) -> "DocumentTable":
        """The same documents in another order."""
        if np.array_equal(order, np.arange(len(self))):
            return self
        words = self.words
        if isinstance(words, ByteWords):
            words = words.taken(self.offsets, order)
        elif words is not None:
            by_doc = [*self.document_words()]
            words = tuple(chain.from_iterable(by_doc[doc] for doc in order.tolist()))
        places = order.tolist()
        return DocumentTable(
            self.sizes[order],
            {name: one.taken(order) for name, one in self.layers.items()},
            words,
            None if self.names is None else [self.names[doc] for doc in places],
            _taken_rows(self.sents, order),
            _taken_rows(self.missing, order),
            {name: [column[doc] for doc in places] for name, column in self.more.items()},
        )

    def stretches(self, layer: str) -> IntArray:
        """Rows (document, start, end) of positions annotated in a layer, by sentence."""
        own = self.layer(layer).missing
        return self._stretches_without(own) if len(own) else self._common_stretches

    @cached_property
    def _common_stretches(self) -> IntArray:
        """The stretches of layers that lack no positions of their own: one array for all."""
        return self._stretches_without(NO_ROWS)

    def _stretches_without(self, own: IntArray) -> IntArray:
        """The stretches of a layer with such rows of missing positions of its own."""
        room = int(self.sizes.max(initial=0)) + 1  # of a document: places in all are one number
        doc, start = self.sents.T
        inner = (start > 0) & (start < self.sizes[doc])
        gap_doc, *gap = np.concatenate([self.missing, own]).T
        begins, ends = (gap_doc * room + np.clip(one, 0, self.sizes[gap_doc]) for one in gap)
        docs = np.flatnonzero(self.sizes) * room
        cuts = distinct(docs, (doc * room + start)[inner], begins, ends)
        docs, starts = np.divmod(cuts, room)
        last = np.append(docs[1:] != docs[:-1], True)[: len(docs)]
        found = np.column_stack(
            [docs, starts, np.where(last, self.sizes[docs], np.roll(starts, -1))]
        )
        depth = np.zeros(len(cuts) + 1, np.int64)  # number of gaps around each stretch
        np.add.at(depth, np.searchsorted(cuts, begins), 1)
        np.add.at(depth, np.searchsorted(cuts, ends), -1)
        return found[(np.cumsum(depth)[:-1] == 0) & (found[:, 1] < found[:, 2])]


def table_of(documents: Sequence[Document], positions: str = "token") -> DocumentTable:
    """Documents as a table; `positions`, "token" or "char", are what their sizes count."""
    if isinstance(documents, DocumentTable):
        return documents
    more = {}
    for name, default in OTHERS.items():
        column = [getattr(document, name) for document in documents]
        if any(value is not default and value != default for value in column):
            more[name] = column
    words: Sequence[str] | None = None
    if positions == "token" and "size" not in more:
        words = document_words_of(document.words for document in documents)
    n_docs = len(documents)
    # of each layer: states, spans, unplaced, missing; crowds have thousands, each in few documents
    layers: dict[str, tuple[Any, ...]] = {}
    for doc, document in enumerate(documents):
        for n, values in enumerate((document.layers, document.unplaced, document.missing_in), 1):
            for name, rows in values.items():
                if name not in layers:
                    layers[name] = bytearray(n_docs), [], [], []
                if n == 1:
                    layers[name][0][doc] = UNSEEN if rows is None else SEEN
                layers[name][n].extend((doc, *row) for row in rows or ())
    names = [document.name for document in documents]
    return DocumentTable(
        np.array([n_positions(document, positions) for document in documents], np.int64),
        {
            name: LayerTable.of(spans, np.frombuffer(states, np.int8), *others)
            for name, (states, spans, *others) in layers.items()
        },
        words,
        names if any(name is not None for name in names) else None,
        _table([(d, s) for d, one in enumerate(documents) for s in one.sents], 2),
        _table([(d, *row) for d, one in enumerate(documents) for row in one.missing]),
        more,
    )


def joined_tables(tables: Sequence[DocumentTable]) -> DocumentTable:
    """The documents of several tables, one after the other."""
    first = np.cumsum([0, *map(len, tables[:-1])]).tolist()
    more: dict[str, Sequence[Any]] = {}
    for name, default in OTHERS.items():
        if any(name in table.more for table in tables):
            more[name] = [*chain.from_iterable(table.column(name, default) for table in tables)]
    words = [one.words for one in tables if one.words is not None]
    names = [name for one in tables for name in one.all_names()]
    layers = dict.fromkeys(name for one in tables for name in one.layers)
    return DocumentTable(
        np.concatenate([one.sizes for one in tables]),
        {name: _joined_layers([one.layer(name) for one in tables], first) for name in layers},
        joined_words(words) if len(words) == len(tables) else None,
        None if all(one.names is None for one in tables) else names,
        np.concatenate([one.sents + [shift, 0] for one, shift in zip(tables, first)]),
        np.concatenate([one.missing + [shift, 0, 0] for one, shift in zip(tables, first)]),
        more,
    )


def _joined_layers(parts: Sequence[LayerTable], first: Sequence[int]) -> LayerTable:
    """A layer of several tables, of which the documents begin at `first`."""
    labels = tuple(sorted({label for one in parts for label in one.labels}))
    index = {label: i for i, label in enumerate(labels)}
    codes = [np.array([index[label] for label in one.labels], np.int64) for one in parts]
    rows = list(zip(parts, codes, first))
    unplaced = [
        np.column_stack([doc + shift, length, code[label]])
        for one, code, shift in rows
        for doc, length, label in [one.unplaced.T]
    ]
    return LayerTable(
        np.concatenate([one.doc + shift for one, _, shift in rows]),
        np.concatenate([one.start for one in parts]),
        np.concatenate([one.end for one in parts]),
        np.concatenate([code[one.label] for one, code, _ in rows]),
        labels,
        np.concatenate([one.state for one in parts]),
        np.concatenate(unplaced),
        np.concatenate([one.missing + [shift, 0, 0] for one, _, shift in rows]),
        joined_columns([(one.fragments, len(one.doc)) for one in parts]),
    )


def document_in_order(values: dict[str, Any]) -> Document:
    """The document of values as `Document` keeps them, which need no more sorting."""
    document = object.__new__(Document)
    document.__dict__.update(DEFAULTS | values)
    if type(document.lines) not in (tuple, range, type(None)):
        document.__post_init__()
    elif document.spaces is not None:
        document.__dict__["spaces"] = tuple(document.spaces)
    return document


def runs_of(places: IntArray, doc: IntArray) -> tuple[IntArray, IntArray]:
    """The first and last of places that follow each other in a document; `doc` is that of any."""
    is_cut = (np.diff(places) > 1) | (np.diff(doc[places]) != 0)
    ends = np.ones(min(len(places), 1), bool)
    return places[np.append(ends, is_cut)], places[np.append(is_cut, ends)]


def _table(rows: ArrayLike, width: int = 3) -> IntArray:
    """Rows of integers, of this width if there are none."""
    return np.asarray(rows, np.int64).reshape(-1, width)


def _by_doc(table: IntArray, low: int, high: int) -> list[list[tuple[int, ...]]]:
    """The rows of each document from a number to another one, without that number.

    [] for a table without any. Its first column is in order.
    """
    if not len(table):
        return []
    cuts = np.searchsorted(table[:, 0], np.arange(low, high + 1)).tolist()
    rows = list(map(tuple, table[cuts[0] : cuts[-1], 1:].tolist()))
    return [rows[a - cuts[0] : b - cuts[0]] for a, b in zip(cuts, cuts[1:])]


def _taken(doc: IntArray, order: IntArray) -> tuple[IntArray, IntArray]:
    """(new numbers of documents, rows) of a table whose documents come in another order."""
    low, high = np.searchsorted(doc, order), np.searchsorted(doc, order, "right")
    return expanded(low, high)


def _taken_rows(table: IntArray, order: IntArray) -> IntArray:
    """A table whose first column is the document, of documents in another order."""
    if not len(table):
        return table
    doc, rows = _taken(table[:, 0], order)
    return np.column_stack([doc, table[rows, 1:]])
