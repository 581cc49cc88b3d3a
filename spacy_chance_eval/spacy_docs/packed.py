"""The documents of a DocBin as the columns of a table, without making Docs of them.

This follows `DocBin.get_docs` and `Doc` of spaCy 3. Unusual or damaged data raise an
`OddDocsError`; then the Docs have to be made, which report the error.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, NoReturn

import numpy as np
import srsly
from spacy.attrs import DEP, ENT_IOB, ENT_TYPE, HEAD, MORPH, ORTH, SENT_START
from spacy.strings import get_string_id
from spacy.symbols import IDS as SYMBOLS
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from srsly.msgpack import Unpacker, UnpackException

from ..formats.documents import (
    ABSENT,
    SEEN,
    UNSEEN,
    DocumentTable,
    LayerTable,
)
from ..formats.errors import ContentError, FormatError
from ..formats.rows import CATEGORIES, likely_labels
from ..measures.arrays import Array, IntArray, distinct
from ..measures.words import ByteWords

INSIDE, FIRST = 1, 3  # ENT_IOB of tokens of entities; 2 is outside of any, 0 missing
# a span as spaCy packs it
SPAN = np.dtype(
    [
        *((name, ">u8") for name in ("id", "kb_id", "label")),
        *((name, ">i4") for name in ("start", "end", "start_char", "end_char")),
    ]
)
NONE = (b"", srsly.msgpack_dumps([]))  # span groups of documents without any
GROUP_KINDS = {"name": str, "attrs": dict, "spans": list}  # of a packed span group
SIMPLE = (str, int, float, bool)
# what msgpack, and numpy, which decodes arrays in it, raise for damaged messages
NOT_PACKED: tuple[type[Exception], ...] = (
    UnpackException,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    SyntaxError,
    BufferError,
    RecursionError,
)


class OddDocsError(ValueError):
    """A DocBin whose Docs have to be made."""


def table_of_docbin(docbin: DocBin, complete: bool, path: object, first: int = 0) -> DocumentTable:
    """The documents of a DocBin, with the layers "ents" and "spans:KEY".

    With `complete`, entities leave no token out, even if the file says so. Errors name the path;
    the DocBin has the documents of the file after the `first` ones.
    """
    packed = _Packed(docbin)
    names, attributes = packed.user_data()
    texts, spaces = packed.texts()
    categories = [
        categories_of(cats, path, place) for place, cats in enumerate(docbin.cats, first + 1)
    ]
    more: dict[str, Sequence[Any]] = {
        "text": texts,
        "spaces": spaces,
        "attributes": attributes,
        "categories": categories,
    }
    return DocumentTable(
        packed.sizes,
        {"ents": packed.entities(complete), **packed.groups()},
        packed.words,
        names if any(name is not None for name in names) else None,
        packed.sents(),
        more={
            name: column
            for name, column in more.items()
            if any(one is not None and one != {} for one in column)
        },
    )


def completed(table: DocumentTable, layers: Iterable[str] = ()) -> DocumentTable:
    """The documents with all layers of any of them, and further ones; missing layers are empty."""
    seen = np.full(len(table), SEEN, np.int8)
    found = {name: replace(layer, state=seen) for name, layer in table.layers.items()}
    for name in layers:
        found.setdefault(name, LayerTable.of((), seen))
    return replace(table, layers=found)


def _refuse() -> NoReturn:
    """Leave the documents to spaCy."""
    raise OddDocsError


class _Packed:
    """The columns of a DocBin, of all tokens together."""

    def __init__(self, docbin: DocBin) -> None:
        self.docbin, self.attrs = docbin, list[Any](docbin.attrs)
        self.sizes = np.array([*map(len, docbin.tokens)], np.int64)
        self.ends = np.cumsum(self.sizes)
        self.starts = self.ends - self.sizes
        self.doc = np.repeat(np.arange(len(self.sizes)), self.sizes)
        self.strings = {key: text for text, key in SYMBOLS.items()}  # those of every vocabulary
        self.strings |= {get_string_id(text): text for text in docbin.strings}
        self._check()
        orth, place = np.unique(self.column(ORTH), return_inverse=True)
        texts = self.texts_of(orth)
        if any(not text or "\0" in text for text in texts):
            _refuse()
        self.texts_of_tokens = [texts[i] for i in place.tolist()]
        self.words = ByteWords("\0".join([*self.texts_of_tokens, ""]).encode())

    def _check(self) -> None:
        """Refuse what spaCy would not read."""
        head = self.column(HEAD).astype(np.int32) + self.places
        if (
            (self.column(ENT_IOB) > FIRST).any()
            or (head < 0).any()
            or (head >= self.sizes[self.doc]).any()
        ):
            _refuse()
        self.texts_of(distinct(self.column(MORPH)))

    @property
    def places(self) -> IntArray:
        """The place of each token in its document."""
        found: IntArray = np.arange(len(self.doc)) - self.starts[self.doc]
        return found

    def column(self, attribute: int) -> Array:
        """An attribute of all tokens; zeros if it was not stored."""
        if attribute not in self.attrs:
            return np.zeros(len(self.doc), np.uint64)
        column = self.attrs.index(attribute)
        found: Array = np.concatenate([tokens[:, column] for tokens in self.docbin.tokens])
        return found

    def texts_of(self, keys: Array) -> list[str]:
        """The strings with these hashes."""
        try:
            return [self.strings[key] for key in keys.tolist()]
        except KeyError:
            _refuse()

    def entities(self, complete: bool) -> LayerTable:
        """The layer "ents"."""
        iob, kind = self.column(ENT_IOB), self.column(ENT_TYPE)
        first = np.zeros(len(iob), bool)
        first[self.starts[self.sizes > 0]] = True
        begins, inside = (iob == FIRST) & (kind != 0), iob == INSIDE
        follows = np.append(False, (begins | inside)[:-1])
        if (inside & (first | ~follows)).any():
            _refuse()
        start = np.flatnonzero(begins)
        borders = np.append(np.flatnonzero(~inside), len(iob))
        end = borders[np.searchsorted(borders, start, "right")]
        annotated = np.bincount(self.doc[iob != 0], minlength=len(self.sizes)) > 0
        annotated |= (self.sizes == 0) | complete
        missing = np.flatnonzero((iob == 0) & annotated[self.doc] & (not complete))
        place = self.places[missing]
        return self._layer(
            self.doc[start],
            start,
            end,
            kind[start],
            np.where(annotated, SEEN, UNSEEN).astype(np.int8),
            np.column_stack([self.doc[missing], place, place + 1]),
        )

    def _layer(
        self,
        doc: IntArray,
        start: IntArray,
        end: IntArray,
        kind: Array,
        state: IntArray,
        missing: IntArray,
    ) -> LayerTable:
        """A layer of spans at places among all tokens, whose labels are hashes."""
        keys, code = np.unique(kind, return_inverse=True)
        names = self.texts_of(keys)
        labels = sorted(names)
        rank = np.array([labels.index(name) for name in names], np.int64)
        label = rank[code] if len(code) else code.astype(np.int64)
        order = np.lexsort([label, end, start, doc])
        rows = np.stack([doc, start, end, label])[:, order]
        if (rows[:, 1:] == rows[:, :-1]).all(axis=0).any():
            _refuse()  # spans that are there again
        doc, start, end, label = rows
        shift = self.starts[doc]
        return LayerTable(
            doc, start - shift, end - shift, label, tuple(labels), state, missing=missing
        )

    def groups(self) -> dict[str, LayerTable]:
        """The layers "spans:KEY"."""
        layers: dict[str, tuple[list[int], list[int], list[bytes]]] = {}
        for doc, group in span_groups(self.docbin.span_groups):
            if group.old:
                _refuse()
            for key in group.keys:
                docs, counts, rows = layers.setdefault(f"spans:{key}", ([], [], []))
                docs.append(doc)
                counts.append(len(group.spans))
                rows += group.spans
        return {name: self._group(*columns) for name, columns in layers.items()}

    def _group(
        self, docs: Sequence[int], counts: Sequence[int], rows: Sequence[bytes]
    ) -> LayerTable:
        """The layer of a span group."""
        if len({*docs}) < len(docs):
            _refuse()
        spans = SpanGroup((), rows, False).table
        doc = np.repeat(np.array(docs, np.int64), counts)
        start, end = (spans[name].astype(np.int64) for name in ("start", "end"))
        if ((start < 0) | (start >= end) | (end > self.sizes[doc])).any():
            _refuse()
        state = np.full(len(self.sizes), ABSENT, np.int8)
        state[docs] = SEEN
        shift = self.starts[doc]
        kind = spans["label"].astype(np.uint64)
        return self._layer(doc, start + shift, end + shift, kind, state, np.zeros((0, 3), np.int64))

    def sents(self) -> IntArray:
        """Rows (document, first token of a sentence) of the documents with known sentences."""
        begins = self.column(SENT_START).astype(np.int64).astype(np.int32)
        later = self.places > 0
        known = np.bincount(self.doc[later & (begins != 0)], minlength=len(self.sizes)) > 0
        known |= self.sizes == 1
        start = known[self.doc] & (~later | (begins == 1))
        if HEAD in self.attrs and DEP in self.attrs:
            # where there are trees, spaCy divides by these
            parsed = np.bincount(self.doc[self.column(DEP) != 0], minlength=len(self.sizes)) > 0
            for doc in np.flatnonzero(parsed).tolist():
                start[self.starts[doc] : self.ends[doc]] = self._sentences_by_tree(doc)
        rows = np.flatnonzero(start)
        return np.column_stack([self.doc[rows], self.places[rows]])

    def _sentences_by_tree(self, doc: int) -> Array:
        """Whether each token of a document begins a sentence."""
        columns = [self.attrs.index(one) for one in (HEAD, DEP)]
        tokens: Any = self.docbin.tokens[doc][:, columns]
        tree = Doc(_vocab(), words=["a"] * len(tokens)).from_array([HEAD, DEP], tokens)
        begins: Array = tree.to_array(SENT_START).astype(np.int64) == 1
        begins[0] = True
        return begins

    def texts(self) -> tuple[list[str | None], list[tuple[bool, ...] | None]]:
        """(text, whether a space follows each token) of each document; None where unknown."""
        spaces = np.concatenate(self.docbin.spaces).reshape(-1).tolist()
        spaced = [
            text + " " if space else text for text, space in zip(self.texts_of_tokens, spaces)
        ]
        bounds = [
            None if flags.get("has_unknown_spaces") else slice(*pair)
            for flags, *pair in zip(self.docbin.flags, self.starts.tolist(), self.ends.tolist())
        ]
        return (
            [None if one is None else "".join(spaced[one]) for one in bounds],
            [None if one is None else tuple(spaces[one]) for one in bounds],
        )

    def user_data(self) -> tuple[list[str | None], list[dict[str, Any]]]:
        """(names, attributes) of the documents."""
        names: list[str | None] = [None] * len(self.sizes)
        attributes: list[dict[str, Any]] = [{} for _ in names]
        given = enumerate(self.docbin.user_data)
        packed = {doc: data for doc, data in given if data is not None}
        for doc, found in zip(packed, unpacked(packed.values(), use_list=False)):
            if not isinstance(found, dict):
                _refuse()
            names[doc] = name_in(found)
            attributes[doc] = simple_values(found)
        return names, attributes


class SpanGroup(NamedTuple):
    """A span group as it is packed: its names, its spans, whether spaCy 3.0 wrote it."""

    keys: Sequence[str]
    spans: Sequence[bytes]
    old: bool

    @property
    def table(self) -> Array:
        """The spans as an array of `SPAN`."""
        return np.frombuffer(b"".join(self.spans), SPAN)


def span_groups(packed: Iterable[bytes]) -> Iterator[tuple[int, SpanGroup]]:
    """(number of the document, group) of the span groups of some documents."""
    given = {doc: data for doc, data in enumerate(packed) if data not in NONE}
    groups: list[tuple[int, bytes, Any]] = []
    for doc, found in zip(given, unpacked(given.values())):
        if not isinstance(found, (dict, list)):
            _refuse()
        pairs = found.items() if isinstance(found, dict) else [(data, None) for data in found]
        groups += [(doc, data, keys) for data, keys in pairs]
    for (doc, _, keys), group in zip(groups, unpacked(data for _, data, _ in groups)):
        if type(group) is not dict:
            _refuse()
        if any(type(group.get(name)) is not kind for name, kind in GROUP_KINDS.items()):
            _refuse()
        spans = group["spans"]
        if any(type(span) is not bytes or len(span) != SPAN.itemsize for span in spans):
            _refuse()
        names = [group["name"]] if keys is None else keys
        if type(names) is not list or {*map(type, names)} != {str}:
            _refuse()
        yield doc, SpanGroup(names, spans, keys is None)


def keys_of_spans(group: SpanGroup) -> set[int]:
    """The hashes of all strings that packed spans need."""
    return set[int]().union(*(group.table[name].tolist() for name in ("id", "kb_id", "label")))


def unpacked(packed: Iterable[bytes], use_list: bool = True) -> Iterator[Any]:
    """The contents of some packed messages.

    `srsly.msgpack_loads` looks for plugins at each call, which takes longer than the message.
    """
    packed = [*packed]
    if {*map(type, packed)} - {bytes}:
        _refuse()
    longest = max(map(len, packed), default=0)  # no more values than bytes, whatever one says
    limits = dict.fromkeys(("max_array_len", "max_map_len"), longest)
    # without a limit of its own: each message is in memory already
    unpacker = Unpacker(raw=False, use_list=use_list, max_buffer_size=0, **limits)
    n_bytes = 0
    for data in packed:
        try:
            unpacker.feed(data)
            found = unpacker.unpack()
        except NOT_PACKED as error:
            raise OddDocsError from error
        n_bytes += len(data)
        if unpacker.tell() != n_bytes:
            _refuse()
        yield found


@cache
def _vocab() -> Vocab:
    """A vocabulary for Docs whose words do not matter."""
    return Vocab()


def simple_values(user_data: Mapping[Any, Any]) -> dict[str, Any]:
    """The values of `user_data`, except the name of the Doc; numpy's as those of Python."""
    found = {key: plain(value) for key, value in user_data.items() if key != "name"}
    return {
        key: value for key, value in found.items() if isinstance(key, str) and type(value) in SIMPLE
    }


def name_in(user_data: Mapping[Any, Any]) -> str | None:
    """The name of a Doc, if it is a text."""
    name = plain(user_data.get("name"))
    return name if isinstance(name, str) else None


def plain(value: Any) -> Any:
    """A value as one of Python, if it is a scalar of numpy or an array of no dimension."""
    is_scalar = isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0
    return value.item() if is_scalar else value


def categories_of(cats: Any, path: object, place: int) -> dict[str, list[str]]:
    """The layer "categories" of a document: the labels that have at least 0.5 in `Doc.cats`.

    Parameters
    ----------
    cats : dict
        `Doc.cats`, or something else that a file has in its place.
    path : str or Path
        For the error.
    place : int
        Number of the document in the file, from 1.
    """
    if type(cats) is dict and not cats:
        return {}
    try:
        scores = {key: plain(one) for key, one in cats.items()} if type(cats) is dict else cats
        return {CATEGORIES: likely_labels(scores)}
    except ContentError as error:
        raise FormatError(f"document {place}: {error}", path) from None
