"""Rows in columns, as the forms of JSON name them: tokens, texts, spans by layer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from dataclasses import field as data_field
from functools import cached_property
from itertools import accumulate, chain
from operator import attrgetter
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field
from msgspec.json import Decoder

from ..measures.arrays import IntArray
from ..measures.words import ByteWords
from .documents import Unplaced
from .json_rows import Row
from .rows import (
    CATEGORIES,
    borders_by_spaces,
    borders_in_text,
    brief,
    likely_labels,
    other_values,
)

NO_TEXT = "a document needs one of them (answers of language models: FILE#KEY names their key)"
GAP = "'missing' holds [start, end] inside the document"
SENTS = "'sents' holds the first position of each sentence, in rising order, in the document"
TOKENS_AGREE = "tokens, spaces and text must agree; offsets count characters, not bytes"


class Entries(NamedTuple):
    """Spans in columns; -1 stands for offsets that are not there.

    With `features`, objects; with the `pieces` of discontinuous ones, else None; with the `first`
    and `last` token of those that name these; and with the `line` of those that stand on lines of
    their own, else None.
    """

    start: Sequence[int]
    end: Sequence[int]
    label: Sequence[str]
    features: Sequence[Mapping[str, Any] | None] | None = None
    pieces: Sequence[Any] | None = None
    first: Sequence[int] | None = None
    last: Sequence[int] | None = None
    line: Sequence[int | None] | None = None


@dataclass(eq=False)
class Columns:
    """Some rows in columns: a value for each row, of types that need no further check.

    Parameters
    ----------
    lines : sequence of int
    layers : dict of str to (list of int, list)
        The rows that have a layer, and what each has there: entries, or None if not annotated.
    entries : callable
        entries(list of those) are their `Entries`.
    by_token : bool or None
        Whether offsets count tokens, where there are tokens; None: each span says so.
    words : sequence of (sequence of str, or None)
        The tokens of a row.
    tokens : sequence of sequence, optional
        The tokens, with `start` and `end` in the text, or None.
    verbatim : bool
        Whether the text at the boundaries of a token must be the token.
    unplaced, missing_in : sequence of dict
        By layer, as of a `Document`.
    annotator : sequence of (str or None)
    size : sequence of (int or None)
        Number of positions of documents without text.
    notes : sequence of sequence
        Of each row: (kind, what), or (kind, what, line), for its notes.
    wrong : dict of int to (str, str)
        Rows that are left out: what was found there, what is expected.
    """

    lines: Sequence[int]
    layers: dict[str, tuple[list[int], list[Any]]]
    entries: Callable[[list[Any]], Entries]
    by_token: bool | None = False
    words: Sequence[Sequence[str] | None] = ()
    tokens: Sequence[Sequence[Any] | None] = ()
    text: Sequence[str | None] = ()
    spaces: Sequence[Sequence[bool] | None] = ()
    name: Sequence[str | None] = ()
    sents: Sequence[Sequence[int]] = ()
    missing: Sequence[Sequence[Sequence[int]]] = ()
    missing_in: Sequence[Mapping[str, Any]] = ()
    unplaced: Sequence[Mapping[str, Sequence[Unplaced]]] = ()
    categories: Sequence[Mapping[str, Any]] = ()
    attributes: Sequence[Mapping[str, Any]] = ()
    annotator: Sequence[Any] = ()
    size: Sequence[int | None] = ()
    notes: Sequence[Sequence[Any]] = ()
    verbatim: bool = True
    wrong: dict[int, tuple[str, str]] = data_field(default_factory=dict)

    def taken(self, rows: Sequence[int]) -> Columns:
        """The same of some rows, in order."""
        if len(rows) == len(self.lines):
            return self
        place = {row: n for n, row in enumerate(rows)}
        layers = {}
        for name, (docs, found) in self.layers.items():
            kept = [(place[doc], one) for doc, one in zip(docs, found) if doc in place]
            layers[name] = ([doc for doc, _ in kept], [one for _, one in kept])
        columns: dict[str, Any] = {
            one.name: [getattr(self, one.name)[row] for row in rows]
            for one in fields(self)
            if one.name not in ("layers", "entries", "by_token", "verbatim", "wrong")
            and len(getattr(self, one.name))
        }
        return replace(self, layers=layers, wrong={}, **columns)

    @cached_property
    def sizes(self) -> IntArray:
        """Number of tokens of each row, or of characters in rows without any."""
        if isinstance(self.words, WordRows):
            return np.diff(self.words.offsets)
        words = self.words or [None] * len(self.lines)
        texts = self.text or words
        content = ((texts[n] if one is None else one) or () for n, one in enumerate(words))
        known = self.size or [None] * len(self.lines)
        sizes = [len(one) if size is None else size for one, size in zip(content, known)]
        return np.array(sizes, np.int64)

    @cached_property
    def offsets(self) -> IntArray:
        """Where the tokens of each row begin among all, and where the last ones end."""
        found: IntArray = np.append(0, np.cumsum(self.sizes))
        return found

    @cached_property
    def text_sizes(self) -> IntArray:
        """Number of characters of each row; of rows without text, where the last token ends."""
        texts = self.text or [None] * len(self.lines)
        rows = zip(texts, self.offsets.tolist(), self.offsets[1:].tolist())
        ends = self.borders[1]
        sizes = [len(text or ()) or ends[a:b].max(initial=0) for text, a, b in rows]
        return np.array(sizes, np.int64)

    @cached_property
    def own_borders(self) -> IntArray:
        """Where each token begins and ends, as rows say: shape (2, n_tokens); -1 if they do not."""
        if None not in self.tokens:
            every = [*chain.from_iterable(self.tokens)]  # type: ignore[arg-type]
            found = [[one.start for one in every], [one.end for one in every]]
            if None not in found[0] and None not in found[1]:
                return np.array(found, np.int64).reshape(2, -1)
        places: list[Any] = []
        for tokens, words in zip(self.tokens, self.words):
            pairs = [(one.start, one.end) for one in tokens or ()]
            known = pairs and None not in chain.from_iterable(pairs)
            places += pairs if known else [(-1, -1)] * len(words or ())
        return np.array(places, np.int64).reshape(-1, 2).T

    @cached_property
    def borders(self) -> IntArray:
        """The same of rows that all have tokens; else by spaces, or as words make up the text."""
        own = self.own_borders.T.tolist() if self.tokens else None
        places: list[Sequence[Sequence[int]]] = []
        at = 0
        for row, words in enumerate(self.words):
            assert words is not None
            at += len(words)
            if own and words and own[at - 1][0] >= 0:
                places.append(own[at - len(words) : at])
            elif self.spaces and (spaces := self.spaces[row]) is not None:
                places.append(borders_by_spaces(words, spaces))
            else:
                found = borders_in_text(words, self.text[row] if self.text else None)
                places.append([(-1, -1)] * len(words) if found is None else found)
        return np.array([*chain.from_iterable(places)], np.int64).reshape(-1, 2).T

    def rows_without_places(self) -> set[int]:
        """Rows with spans whose tokens have no known place in the text."""
        known = {row for row, words in enumerate(self.words) if not words}
        known |= {*np.searchsorted(self.offsets, np.flatnonzero(self.borders[0] >= 0), "right") - 1}
        pairs = (zip(rows, found) for rows, found in self.layers.values())
        return {row for row, one in chain.from_iterable(pairs) if one and row not in known}


def wrong_tokens(columns: Columns) -> dict[int, tuple[str, str]]:
    """Rows whose tokens, spaces and text do not agree: what was found, what is expected."""
    wrong: dict[int, tuple[str, str]] = {}
    if not columns.tokens and not columns.spaces:
        return wrong
    nothing = [None] * len(columns.words)
    begin, stop = columns.own_borders.tolist()
    rows = zip(
        columns.words, columns.spaces or nothing, columns.text or nothing, columns.offsets.tolist()
    )
    for row, (words, spaces, text, first) in enumerate(rows):
        if words is None:
            continue
        if spaces is not None and len(spaces) != len(words):
            advice = "'spaces' has true or false for every token"
            wrong[row] = (f"'spaces' is {brief(spaces)}", advice)
            continue
        own = slice(first, first + len(words))
        borders: Sequence[Sequence[int]] = [*zip(begin[own], stop[own])]
        if not borders or borders[0][0] < 0:
            if spaces is None or text is None:
                continue
            if text == "".join([w + " " if s else w for w, s in zip(words, spaces)]):
                continue
            borders = borders_by_spaces(words, spaces)
        said = text if columns.verbatim else None
        if said is not None and [said[start:end] for start, end in borders] == [*words]:
            continue
        for n, (start, end) in enumerate(borders):
            if start > end:
                wrong[row] = (f"token {n} is at [{start}, {end})", "a token needs start <= end")
                break
            if said is not None and said[start:end] != words[n]:
                found = f"token {n} is {brief(words[n])}, but the text has {brief(said[start:end])}"
                wrong[row] = (found, TOKENS_AGREE)
                break
    return wrong


# --- rows of JSONL

Offset: TypeAlias = Annotated[int, Meta(ge=0, lt=2**31)]
Length: TypeAlias = Annotated[int, Meta(ge=1, lt=2**31)]
Name: TypeAlias = Annotated[str, Meta(min_length=1)]  # a label, a token
Stretch: TypeAlias = tuple[Offset, Offset]


class Token(Struct, gc=False):
    """A token, and where it is in the text."""

    text: Name
    start: Offset | None = None
    end: Offset | None = None
    ws: Any = None


class Part(NamedTuple):
    """A list in a row: its name, the type of an entry, and advice on entries."""

    name: str
    type: Any
    advice: str


class RowSpan(Struct, gc=False):
    """A span. One with fragments is discontinuous."""

    label: Name
    start: Offset | None = None
    end: Offset | None = None
    features: dict[Any, Any] | None = None
    fragments: list[tuple[Offset, Offset]] | None = None
    # what only readers say
    token_start: Offset | None = None
    token_end: Offset | None = None  # the last token
    line: int | None = None


SpanEntry: TypeAlias = tuple[Offset, Offset, Name] | RowSpan
SpanList: TypeAlias = list[SpanEntry] | None


class TypedRow(Struct, gc=False):
    """A row of JSONL."""

    id: str | int | None = None
    text: str | None = None
    tokens: list[Name | Token] | None = None
    spaces: list[bool] | None = None
    sents: list[Offset] | None = None
    missing: list[Stretch] | None = None
    missing_in: dict[str, list[Stretch] | None] | None = None
    spans: SpanList | UnsetType = UNSET
    layers: dict[str, SpanList] | None = None
    unplaced: dict[str, list[tuple[Length, Name]] | None] | None = None
    categories: dict[str, list[Name] | None] | list[Name] | Name | None = None
    cats: dict[str, float | bool] | None | UnsetType = UNSET
    # what only readers say
    other: dict[Any, Any] = field(name="*attributes", default_factory=dict)
    notes: Sequence[Any] = field(name="*notes", default=())  # (kind, what), maybe with a line
    annotator: Any = field(name="*annotator", default=None)
    size: Offset | None = field(name="*size", default=None)  # of documents whose text is not known


TOKENS = Decoder(list[Name | Token] | None)
FIELDS = TypedRow.__struct_fields__
KEYS = TypedRow.__struct_encode_fields__
A_SPAN = (
    "a span has a start and an end, whole numbers from 0, and a label that is not empty; "
    "'features' is an object, 'fragments' holds [start, end]"
)
A_TOKEN = (
    "a token is a text that is not empty, or an object with its 'text', such as "
    '{"text": "Ada", "start": 0, "end": 3}'
)
CHARACTERS = (
    "numbers of characters are not read: write each run of them as a span [start, end, label], "
    '[8, 12, "SPAN"] for 8, 9, 10, 11'
)
PARTS = {
    "spans": Part("a span", SpanEntry, A_SPAN),
    "layers": Part("a span", SpanEntry, A_SPAN),
    "tokens": Part("a token", Name | Token, A_TOKEN),
    "unplaced": Part("'unplaced'", tuple[Length, Name], "'unplaced' holds [length, label]"),
    "sents": Part("'sents'", Offset, "'sents' holds first positions of sentences"),
}


def columns_of(
    rows: Sequence[TypedRow],
    objects: Sequence[Row],
    lines: Sequence[int],
    by_token: bool | None,
    others: Collection[str | None] = (),
) -> Columns:
    """Rows in columns; keys other than their own and `others` are attributes."""
    value: dict[str, Any] = {name: [*map(attrgetter(name), rows)] for name in FIELDS}
    tokens, text = value["tokens"], value["text"]
    if rows and type(tokens[0]) is Raw:
        tokens = rows_of_words(tokens, TOKENS)
    layers: dict[str, tuple[list[int], list[Any]]] = {}
    own = [n for n, spans in enumerate(value["spans"]) if spans is not UNSET]
    if own:
        layers["spans"] = own, [value["spans"][n] for n in own]
    wrong = {}
    for n, said in enumerate(value["layers"]) if any(value["layers"]) else ():
        for name, entries in (said or {}).items():
            if name == "spans" and value["spans"][n] is not UNSET:
                wrong[n] = "a layer 'spans' beside the key 'spans'", "keep one of them"
                continue
            docs, found = layers.setdefault(name, ([], []))
            docs.append(n)
            found.append(entries)
    if None in text and not isinstance(tokens, WordRows) and None in tokens:
        said = zip(tokens, text, value["size"])
        neither = [n for n, one in enumerate(said) if one == (None, None, None)]
        wrong |= dict.fromkeys(neither, ("a row without 'tokens' and 'text'", NO_TEXT))
    stretches = value["missing"] + value["missing_in"] + value["sents"]
    for n, row in enumerate(rows) if any(stretches) else ():
        size = len(text[n] or "" if tokens[n] is None else tokens[n])
        gaps = [row.missing or (), *filter(None, (row.missing_in or {}).values())]
        for start, end in chain.from_iterable(gaps):
            if not start < end <= size:
                wrong[n] = f"'missing' has {brief([start, end])}", GAP
        if (sents := row.sents) and (sorted({*sents}) != sents or sents[-1] >= size):
            wrong[n] = f"'sents' is {brief(sents)}", SENTS
    columns = Columns(lines, layers, entries_of, by_token, wrong=wrong)
    if value["id"].count(None) < len(rows):
        columns.name = [one if one is None else str(one) for one in value["id"]]
    columns.words, columns.tokens, columns.spaces = words_of(tokens, value["spaces"])
    known = {*KEYS, *others}
    if not set[str]().union(*objects) <= known:
        columns.attributes = [other_values(row, known) for row in objects]
    if any(value["other"]):
        own_values = columns.attributes or [{}] * len(rows)
        columns.attributes = [{**one, **two} for one, two in zip(own_values, value["other"])]
    for name in ("text", "annotator", "size"):
        if value[name].count(None) < len(rows):
            setattr(columns, name, value[name])
    empty: dict[str, Any] = {"missing_in": {}, "unplaced": {}}
    for name, default in {"sents": (), "missing": (), "notes": (), **empty}.items():
        if any(value[name]):
            setattr(columns, name, [one or default for one in value[name]])
    if any(value["categories"]) or {*map(type, value["cats"])} != {UnsetType}:
        columns.categories = [_categories_of(n, row, wrong) for n, row in enumerate(rows)]
    return columns


def _categories_of(n: int, row: TypedRow, wrong: dict[int, tuple[str, str]]) -> dict[str, Any]:
    """The categories of a row by layer; what is wrong with them is added to the others."""
    given: Any = [row.categories] if type(row.categories) is str else row.categories
    found: dict[str, Any] = {CATEGORIES: given} if type(given) is list else dict(given or {})
    if any(len({*own}) < len(own) for own in found.values() if own):
        wrong[n] = f"'categories' has {brief(given)}", "name each label once"
    if row.cats is not UNSET and CATEGORIES in found:
        wrong[n] = "'cats' beside the layer 'categories'", "keep one of them"
    elif row.cats is not UNSET:
        found[CATEGORIES] = None if row.cats is None else likely_labels(row.cats)
    return found


def entries_of(entries: Sequence[Any]) -> Entries:
    """The columns of spans."""
    kinds = {*map(type, entries)}
    if kinds == {tuple}:
        return Entries(*zip(*entries))
    if tuple in kinds:
        entries = [RowSpan(one[2], *one[:2]) if type(one) is tuple else one for one in entries]
    label, features, pieces, line, *places = zip(*map(SPAN_VALUES, entries))
    start, end, first, last = (
        tuple([-1 if one is None else one for one in column]) if None in column else column
        for column in places
    )
    is_named, has_pieces = any(one >= 0 for one in first), any(one is not None for one in pieces)
    return Entries(
        start,
        end,
        label,
        features if any(features) else None,
        pieces if has_pieces else None,
        first if is_named else None,
        last if is_named else None,
        line,
    )


SPAN_VALUES = attrgetter(
    *("label", "features", "fragments", "line", "start", "end", "token_start", "token_end")
)


class WordRows(Sequence[Sequence[str]]):
    """The tokens of rows as those of a corpus are kept; those of a row are made when asked for."""

    def __init__(self, words: ByteWords, sizes: Sequence[int]) -> None:
        self.words, self.offsets = words, [0, *accumulate(sizes)]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: Any) -> Any:
        return self.words[self.offsets[row] : self.offsets[row + 1]]


def rows_of_words(lists: Sequence[Raw], decoder: Decoder[Any]) -> Sequence[Any]:
    """The tokens of rows, from the JSON of their lists: `WordRows`, else what the decoder makes.

    Lists of texts without escapes are cut at the commas: a quarter of the time of making texts.
    What stands between two quotes has none itself, so nothing else is left without quotes.
    """
    data = b"\n".join(lists)
    rows = data[2:-2].split(b'"]\n["')
    if b"\\" not in data and b'""' not in data and len(rows) == len(lists):
        rows = [row.replace(b'", "', b"\0").replace(b'","', b"\0") for row in rows]
        words = b"\0".join([*rows, b""])
        if b'"' not in words and data[:2] + data[-2:] == b'[""]':
            return WordRows(ByteWords(words), [row.count(b"\0") + 1 for row in rows])
    return [*map(decoder.decode, lists)]


def words_of(
    tokens: Sequence[Any], spaces: Sequence[Any]
) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    """Words, tokens and spaces of `Columns`, of rows of tokens as texts or as `Token`."""
    known = spaces if spaces.count(None) < len(spaces) else ()
    is_plain = isinstance(tokens, WordRows)
    kinds = {str} if is_plain else {*map(type, chain.from_iterable(filter(None, tokens)))}
    if not kinds - {str}:
        return tokens, (), known
    words = [some and [one if type(one) is str else one.text for one in some] for some in tokens]
    if str in kinds:
        tokens = [some if some and {*map(type, some)} == {Token} else None for some in tokens]
    own = [[one.ws for one in some or ()] for some in tokens]
    said = [some if some and {*map(type, some)} == {bool} else None for some in own]
    return words, tokens, [two if one is None else one for one, two in zip(known or said, said)]
