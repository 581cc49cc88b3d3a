"""Rows of JSONL as the columns of a table, many at a time, if they hold nothing out of the way.

Anything unusual raises an `OddRowError`; then the careful reader in `jsonl` reads these
rows one by one, or reports their errors.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from operator import attrgetter, itemgetter
from types import NoneType
from typing import Any, NoReturn

import numpy as np

from ..measures.arrays import IntArray
from ..measures.words import ByteWords
from .documents import ABSENT, SEEN, UNSEEN, DocumentTable, LayerTable
from .rows import OddRowError, line_decoder, other_values, parsed_rows

# the keys of plain rows: what stands for a key that is not there, and the types of the others
PLAIN: dict[str, tuple[Any, tuple[type, ...]]] = {
    "spans": (..., (NoneType, list)),  # null is a document that was not annotated
    "layers": (None, (NoneType, dict)),
    "tokens": (None, (NoneType, list)),
    "text": (None, (NoneType, str)),
    "spaces": (None, (NoneType, list)),
    "id": (None, (NoneType, str, int)),
    "sents": (None, (NoneType, list)),
}
UNUSUAL = {"missing", "missing_in", "unplaced", "categories", "cats"}
DEFAULTS: dict[str, Any] = {"attributes": {}}  # of columns; of others None
SPAN = "start", "end", "label"
PLAIN_VALUES = attrgetter(*PLAIN)


def typed_rows(texts: Sequence[str]) -> Sequence[Any]:
    """The JSON objects on some lines: as from `parsed_rows`, or as objects of msgspec.

    These are plain rows. They have the keys of `PLAIN` as attributes; msgspec checks the types of
    these while it reads, which is several times as fast.
    """
    decode = typed_decoder()
    if decode is not None:
        try:
            return [decode(text) for text in texts]
        except line_decoder()[1]:
            pass
    return parsed_rows(texts)


@cache
def typed_decoder() -> Callable[[str], Any] | None:
    """A function that reads a plain row, or raises what `line_decoder` names; None without msgspec.

    Numbers may be any: of `int` alone, msgspec would read 1.0 as 1.
    """
    try:
        from msgspec import defstruct
        from msgspec.json import Decoder
    except ImportError:
        return None
    types = int | float, int | float, str
    span: Any = defstruct("Span", [*zip(SPAN, types)], forbid_unknown_fields=True, gc=False)
    spans: Any = list[tuple[types] | span] | None  # type: ignore[valid-type]
    of_key: dict[str, Any] = {
        "spans": spans,
        "layers": dict[str, spans] | None,
        "tokens": list[str] | None,
        "text": str | None,
        "spaces": list[bool] | None,
        "id": str | int | None,
        "sents": list[int | float] | None,
    }
    fields = [(key, of_key[key], default) for key, (default, _) in PLAIN.items()]
    return Decoder(defstruct("Row", fields, forbid_unknown_fields=True, gc=False)).decode


def plain_table(
    batches: Iterable[tuple[Sequence[Any], str]], lines: Sequence[int]
) -> DocumentTable:
    """Rows of JSONL as a table.

    Parameters
    ----------
    batches : iterable of (sequence of dict, str)
        Some rows at a time (few of them stay in the processor's cache), and the unit of the
        offsets of their spans: "token" or "char".
    lines : sequence of int
        Where the rows are in the file.
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
        if None in found:
            self.states += [UNSEEN if spans is None else SEEN for spans in found]
            found = [spans or () for spans in found]
        else:
            self.states += [SEEN] * len(found)
        self.counts += map(len, found)
        entries = [*chain.from_iterable(found)]
        if not entries:
            return
        starts, ends, names = _span_columns(entries)
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

    def add(self, rows: Sequence[Any], offsets: str) -> None:
        """Add some rows."""
        found = _columns_of(rows)
        nothing = [None] * len(rows)
        tokens, texts = found.get("tokens", nothing), found.get("text", nothing)
        in_tokens = None not in tokens
        if self.in_tokens is None:
            self.in_tokens = in_tokens
        if (
            in_tokens != self.in_tokens
            or in_tokens != (offsets == "token")
            or not in_tokens
            and (tokens.count(None) < len(rows) or None in texts)
        ):
            _refuse()
        self._add_layers(found)
        if in_tokens:
            self.words.append(_words_of(tokens))
            for some in zip(found.get("spaces", ()), tokens, texts):
                _check_spaces(*some)
        else:
            found.pop("spaces", None)
        for key in ("spaces", "text", "id", "sents", "attributes"):
            if key in found:
                self._add_more(key, found[key], DEFAULTS.get(key))
        self.sizes += map(len, tokens if in_tokens else texts)

    def _add_more(self, name: str, column: Sequence[Any], default: object) -> None:
        """Add a column, which earlier rows may lack."""
        found = self.more.setdefault(name, [])
        found += [default] * (len(self.sizes) - len(found))
        found += column

    def _add_layers(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Add the spans of some rows."""
        first = len(self.sizes)
        spans = columns.get("spans", ())
        if ... in spans:
            some = [doc for doc, one in enumerate(spans, first) if one is not ...]
            self._layer("spans").add(some, [one for one in spans if one is not ...])
        elif spans:
            self._layer("spans").add(range(first, first + len(spans)), spans)
        for doc, layers in enumerate(columns.get("layers", ())):
            if layers and "spans" in layers and spans and spans[doc] is not ...:
                _refuse()
            for name, entries in (layers or {}).items():
                self._layer(name).add([doc + first], [entries])

    def _layer(self, name: str) -> _Layer:
        """The layer of a name."""
        return self.layers.setdefault(name, _Layer())

    def table(self, lines: Sequence[int]) -> DocumentTable:
        """The table of all rows."""
        sizes = np.array(self.sizes, np.int64)
        for name in self.more:
            self._add_more(name, (), DEFAULTS.get(name))
        names, sents = self.more.pop("id", None), self.more.pop("sents", [])
        return DocumentTable(
            sizes,
            {name: layer.table(sizes) for name, layer in self.layers.items()},
            ByteWords(b"".join(self.words)) if self.in_tokens else None,
            names and [name if name is None else str(name) for name in names],
            _sents_of([some or () for some in sents], sizes),
            more={**self.more, "lines": [*zip(lines)]},
        )


def _refuse() -> NoReturn:
    """Leave the rows to the careful reader."""
    raise OddRowError


def _check_kinds(found: Iterable[Any], *kinds: type) -> None:
    """Refuse values of any other type."""
    if not {*map(type, found)}.issubset(kinds):
        _refuse()


def _columns_of(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Values of rows under the keys of `PLAIN` that any of them has, and their attributes."""
    columns: dict[str, list[Any]] = {}
    if type(rows[0]) is not dict:
        for key, column in zip(PLAIN, zip(*map(PLAIN_VALUES, rows))):
            if column.count(PLAIN[key][0]) < len(rows):
                columns[key] = list(column)
        return columns
    keys = set[str]().union(*rows)
    if not keys.isdisjoint(UNUSUAL):
        _refuse()
    for key, (default, kinds) in PLAIN.items():
        if key in keys:
            columns[key] = [row.get(key, default) for row in rows]
            _check_kinds(columns[key], type(default), *kinds)
    if not keys.issubset(PLAIN):
        columns["attributes"] = [other_values(row, PLAIN) for row in rows]
    return columns


def _integers(found: Sequence[Any]) -> IntArray:
    """Whole numbers as a column."""
    try:
        return np.array(found, np.int64)
    except OverflowError:
        _refuse()


def _words_of(documents: Sequence[Sequence[Any]]) -> bytes:
    """The data of `ByteWords` of tokens, which are not empty and hold no zero byte."""
    try:
        data = "\0".join([*map("\0".join, filter(None, documents)), ""]).encode()
    except (TypeError, UnicodeEncodeError):
        _refuse()
    if data.count(b"\0") != sum(map(len, documents)) or data[:1] == b"\0" or b"\0\0" in data:
        _refuse()
    return data


def _check_spaces(spaces: Sequence[Any] | None, words: Sequence[str], text: str | None) -> None:
    """Refuse spaces that are not one flag for each token, or that differ from the text."""
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


def _span_columns(entries: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """Starts, ends and labels of spans, which are all lists or all objects without more keys."""
    kinds = {*map(type, entries)}
    if kinds == {tuple} or kinds == {list} and {*map(len, entries)} == {3}:
        return zip(*entries)
    if kinds != {dict}:
        try:
            return zip(*map(attrgetter(*SPAN), entries))
        except AttributeError:
            _refuse()
    if any("features" in entry or "fragments" in entry for entry in entries):
        _refuse()
    try:
        return zip(*map(itemgetter(*SPAN), entries))
    except KeyError:
        _refuse()
