"""Rows in columns, as the forms of JSON name them: tokens, texts, spans by layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..measures.arrays import IntArray
from .corpus import Unplaced
from .rows import borders_by_spaces, borders_in_text, brief

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
        Whether the text at the borders of a token must be the token.
    unplaced, missing_in : sequence of dict
        By layer, as of a `Document`.
    annotator : sequence of (str or None)
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
    annotator: Sequence[str | None] = ()
    verbatim: bool = True
    wrong: dict[int, tuple[str, str]] = field(default_factory=dict)

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
        words = self.words or [None] * len(self.lines)
        texts = self.text or words
        content = ((texts[n] if one is None else one) or () for n, one in enumerate(words))
        return np.array([*map(len, content)], np.int64)

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
        every = [*chain.from_iterable(one or () for one in self.tokens)]
        found = [[one.start for one in every], [one.end for one in every]]
        if None in self.tokens or None in found[0] or None in found[1]:
            places: list[Sequence[Any]] = []
            for tokens, words in zip(self.tokens, self.words):
                pairs = [(one.start, one.end) for one in tokens or ()]
                known = pairs and all(None not in pair for pair in pairs)
                places += pairs if known else [(-1, -1)] * len(words or ())
            found = [*map(list, zip(*places))]
        return np.array(found, np.int64).reshape(2, -1)

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
    for row, (spaces, words) in enumerate(zip(columns.spaces, columns.words)):
        if spaces is not None and words is not None and len(spaces) != len(words):
            advice = "'spaces' has true or false for every token"
            wrong[row] = (f"'spaces' is {brief(spaces)}", advice)
    begin, stop = columns.own_borders if columns.tokens else (np.zeros(0, np.int64),) * 2
    if (begin > stop).any():
        cuts = np.append(0, np.cumsum([len(one or ()) for one in columns.words]))
        for place in np.flatnonzero(begin > stop)[::-1].tolist():
            row = int(np.searchsorted(cuts, place, "right")) - 1
            found = f"token {place - cuts[row]} is at [{begin[place]}, {stop[place]})"
            wrong[row] = (found, "a token needs start <= end")
    if not columns.verbatim or not columns.text:
        return wrong
    at = 0
    for row, (words, text) in enumerate(zip(columns.words, columns.text)):
        own = columns.tokens and columns.tokens[row]
        places = [one[at : at + len(own or ())] for one in (begin, stop)]
        at += len(words or ())
        if words is None or text is None or row in wrong:
            continue
        known = own and places[0][0] >= 0
        borders: Sequence[Sequence[int]] = [*zip(*map(list, places))] if known else ()
        if not borders and columns.spaces and (spaces := columns.spaces[row]) is not None:
            if text == "".join([w + " " if s else w for w, s in zip(words, spaces)]):
                continue
            borders = borders_by_spaces(words, spaces)
        for n, (start, end) in enumerate(borders):
            if text[start:end] != words[n]:
                found = f"token {n} is {brief(words[n])}, but the text has {brief(text[start:end])}"
                wrong[row] = (found, TOKENS_AGREE)
                break
    return wrong
