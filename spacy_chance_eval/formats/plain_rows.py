"""Rows of JSONL as the columns of a table, many at a time, if they hold nothing out of the way.

What is not looked for here raises an `OddRowError`; then the careful reader in `jsonl` reads these
rows one by one, or says what is wrong with them.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from types import NoneType
from typing import Any, NoReturn

import numpy as np

from ..measures.arrays import IntArray
from ..measures.words import ByteWords
from .documents import ABSENT, SEEN, UNSEEN, DocumentTable, LayerTable
from .rows import OddRowError, Row, plain_values

PLAIN = ("id", "text", "tokens", "spaces", "sents", "spans", "layers")
UNUSUAL = {"missing", "missing_in", "unplaced", "categories", "cats"}
FIELDS = {"id": (str, int), "text": (str,), "sents": (list,)}
SPAN = itemgetter("start", "end", "label")


def plain_table(
    batches: Iterable[tuple[Sequence[Row], str]], lines: Sequence[int]
) -> DocumentTable:
    """Rows of JSONL as a table.

    Parameters
    ----------
    batches : iterable of (sequence of dict, str)
        Some rows at a time (few of them stay in the processor's cache), and what the offsets of
        their spans count: "token" or "char".
    lines : sequence of int
        Where the rows are in the file.

    Raises
    ------
    OddRowError
        If a row is not right, has anything but tokens or a text, their spans, sentences and
        attributes, or has a span twice.
    """
    columns = _Columns()
    for rows, offsets in batches:
        columns.add(rows, offsets)
    return columns.table(lines)


@dataclass(eq=False)
class _Layer:
    """The spans of a layer as they come: their columns, and which documents have how many."""

    docs: list[int] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    index: dict[str, int] = field(default_factory=dict)

    def add(self, docs: Sequence[int], found: Sequence[Any]) -> None:
        """Add the spans of some documents."""
        _check_kinds(found, list, NoneType)
        self.docs += docs
        self.states += [UNSEEN if spans is None else SEEN for spans in found]
        self.counts += [len(spans or ()) for spans in found]
        entries = [*chain.from_iterable(filter(None, found))]
        if not entries:
            return
        starts, ends, names = zip(*_span_triples(entries))
        _check_kinds(starts, int)
        _check_kinds(ends, int)
        _check_kinds(names, str)
        for name in {*names} - self.index.keys():
            self.index[name] = len(self.index)
        self.starts += starts
        self.ends += ends
        self.codes += map(self.index.__getitem__, names)

    def table(self, sizes: IntArray) -> LayerTable:
        """The table of the layer."""
        start, end, code = map(_integers, (self.starts, self.ends, self.codes))
        docs = np.array(self.docs, np.int64)
        doc: IntArray = np.repeat(docs, self.counts)
        labels = sorted(self.index)
        label = np.argsort([self.index[name] for name in labels])[code] if labels else code
        if "" in self.index or ((start < 0) | (start >= end) | (end > sizes[doc])).any():
            _refuse()
        if (np.diff((np.cumsum(sizes) - sizes)[doc] + start) < 1).any():  # not in order
            order = np.lexsort([label, end, start, doc])
            columns = np.stack([doc, start, end, label])[:, order]
            if (columns[:, 1:] == columns[:, :-1]).all(axis=0).any():
                _refuse()
            doc, start, end, label = columns
        state = np.full(len(sizes), ABSENT, np.int8)
        state[docs] = self.states
        return LayerTable(doc, start, end, label, tuple(labels), state)


class _Columns:
    """Columns of rows, to which further rows are added."""

    def __init__(self) -> None:
        self.in_tokens: bool | None = None
        self.sizes: list[int] = []
        self.words: list[bytes] = []
        self.layers: dict[str, _Layer] = {}
        self.more: dict[str, list[Any]] = {}

    def add(self, rows: Sequence[Row], offsets: str) -> None:
        """Add some rows."""
        keys = set[str]().union(*rows)
        tokens, texts = _column(rows, keys, "tokens", list), _column(rows, keys, "text", str)
        in_tokens = None not in tokens
        if self.in_tokens is None:
            self.in_tokens = in_tokens
        if (
            in_tokens != self.in_tokens
            or in_tokens != (offsets == "token")
            or not keys.isdisjoint(UNUSUAL)
            or not in_tokens
            and (any(one is not None for one in tokens) or None in texts)
        ):
            _refuse()
        self._add_layers(rows, keys)
        if in_tokens:
            self.words.append(_words_of(tokens))
        if in_tokens and "spaces" in keys:
            spaces = _column(rows, keys, "spaces", list)
            for some in zip(spaces, tokens, texts):
                _check_spaces(*some)
            self._add_more("spaces", spaces, None)
        for key, kinds in FIELDS.items():
            if key in keys:
                self._add_more(key, _column(rows, keys, key, *kinds), None)
        if not keys.issubset(PLAIN):
            self._add_more("attributes", [plain_values(row, PLAIN) for row in rows], {})
        self.sizes += map(len, tokens if in_tokens else texts)

    def _add_more(self, name: str, column: Sequence[Any], default: object) -> None:
        """Add a column, which earlier rows may lack."""
        found = self.more.setdefault(name, [])
        found += [default] * (len(self.sizes) - len(found))
        found += column

    def _add_layers(self, rows: Sequence[Row], keys: Collection[str]) -> None:
        """Add the spans of some rows."""
        first = len(self.sizes)
        if "spans" in keys:
            some = [doc for doc, row in enumerate(rows, first) if "spans" in row]
            self._layer("spans").add(some, [row["spans"] for row in rows if "spans" in row])
        if "layers" not in keys:
            return
        for doc, layers in enumerate(_column(rows, keys, "layers", dict), first):
            if layers and "spans" in layers and "spans" in rows[doc - first]:
                _refuse()
            for name, spans in (layers or {}).items():
                self._layer(name).add([doc], [spans])

    def _layer(self, name: str) -> _Layer:
        """The layer of a name."""
        return self.layers.setdefault(name, _Layer())

    def table(self, lines: Sequence[int]) -> DocumentTable:
        """The table of all rows."""
        sizes = np.array(self.sizes, np.int64)
        for name in self.more:
            self._add_more(name, (), {} if name == "attributes" else None)
        names, sents = self.more.pop("id", None), self.more.pop("sents", [])
        return DocumentTable(
            sizes,
            {name: layer.table(sizes) for name, layer in self.layers.items()},
            ByteWords(b"".join(self.words)) if self.in_tokens else None,
            names and [name if name is None else str(name) for name in names],
            _sents_of([some or () for some in sents], sizes),
            more={**self.more, "lines": [(line,) for line in lines]},
        )


def _refuse() -> NoReturn:
    """Leave the rows to the careful reader."""
    raise OddRowError


def _check_kinds(found: Iterable[Any], *kinds: type) -> None:
    """Refuse values of any other type."""
    if not {*map(type, found)}.issubset(kinds):
        _refuse()


def _column(rows: Sequence[Row], keys: Collection[str], key: str, *kinds: type) -> list[Any]:
    """What each row has under a key: values of these types, or None."""
    if key not in keys:
        return [None] * len(rows)
    found = [row.get(key) for row in rows]
    _check_kinds(found, NoneType, *kinds)
    return found


def _integers(found: Sequence[Any]) -> IntArray:
    """Whole numbers as a column."""
    try:
        return np.array(found, np.int64)
    except OverflowError:
        _refuse()


def _words_of(documents: Iterable[Sequence[Any]]) -> bytes:
    """The data of `ByteWords` of tokens, which are not empty and hold no zero byte."""
    words = [*chain.from_iterable(documents), ""]
    try:
        data = "\0".join(words).encode()
    except (TypeError, UnicodeEncodeError):
        _refuse()
    if data.count(b"\0") != len(words) - 1 or data[:1] == b"\0" or b"\0\0" in data:
        _refuse()
    return data


def _check_spaces(spaces: Sequence[Any] | None, words: Sequence[str], text: str | None) -> None:
    """Refuse what does not say whether a space follows each token, or not what the text says."""
    if spaces is None:
        return
    _check_kinds(spaces, bool)
    if len(spaces) != len(words):
        _refuse()
    if text is not None:
        parts = [word + " " if space else word for word, space in zip(words, spaces)]
        if "".join(parts) != text:
            _refuse()


def _sents_of(found: Sequence[Sequence[Any]], sizes: IntArray) -> IntArray:
    """Rows (document, first position of a sentence)."""
    starts = [*chain.from_iterable(found)]
    _check_kinds(starts, int)
    start = _integers(starts)
    doc = np.repeat(np.arange(len(found)), [*map(len, found)])
    first = np.append(True, doc[1:] != doc[:-1])[: len(doc)]
    before = np.where(first, -1, np.roll(start, 1))
    if ((start <= before) | (start >= sizes[doc])).any():
        _refuse()
    return np.column_stack([doc, start])


def _span_triples(entries: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """(start, end, label) of spans, which are all lists or all objects without features."""
    kinds = {*map(type, entries)}
    if kinds == {list} and {*map(len, entries)} == {3}:
        return entries
    if kinds != {dict} or any("features" in entry for entry in entries):
        _refuse()
    try:
        return [*map(SPAN, entries)]
    except KeyError:
        _refuse()
