"""The pairs of a crowd: counted when they are scored, those of equally many documents together.

A table of all pairs of some thousand annotators by all documents is more than memory holds, and
nearly all of it would be empty. A row here is a document that both of a pair saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from ..measures.alignment import align
from ..measures.arrays import Array, IntArray
from ..measures.crowds import CrowdWork
from ..measures.panel import Panel, meetings
from ..measures.resampling import arrays_of, slices
from ..measures.spans import Spans
from ..metrics.request import Request
from .statistics import Statistics, wide

Key: TypeAlias = tuple[Any, ...]
Group: TypeAlias = tuple[IntArray, IntArray]  # annotators of pairs, documents that both saw
ROWS = 1 << 12  # rows that are counted at a time


@dataclass(frozen=True, eq=False)
class PairRows:
    """The statistics of some pairs that share equally many documents.

    Parameters
    ----------
    annotators : integer array of shape (n_pairs, 2)
        Gold and prediction; or an annotator twice, against the majority of the others.
    docs : integer array of shape (n_pairs, n)
        The documents that both saw.
    statistics : Statistics
        Arrays of shape (n_pairs, n, ...).
    """

    annotators: IntArray
    docs: IntArray
    statistics: Statistics

    @property
    def keys(self) -> list[Key]:
        """The keys of the pairs, or of the annotators against the majority."""
        return list(map(_key_of, self.annotators.tolist()))


@dataclass(frozen=True, eq=False)
class Crowd:
    """The pairs of a panel that share documents, and each annotator against the majority.

    Parameters
    ----------
    panel : Panel
    count : callable
        count(gold, pred, request) gives the `Statistics` of aligned annotators.
    """

    panel: Panel
    count: Callable[[Spans, Spans, Request], Statistics]

    @cached_property
    def work(self) -> CrowdWork:
        """The work of all annotators."""
        return CrowdWork.of(self.panel)

    @cached_property
    def pairs(self) -> list[Group]:
        """All pairs that share documents, by the number of these."""
        columns = list(zip(*meetings(self.panel.seen)))
        if not columns:
            return []
        first, second, doc = map(np.concatenate, columns)
        return _by_number(np.column_stack([first, second]), doc)

    @cached_property
    def majorities(self) -> list[Group]:
        """All annotators, by the number of documents that another one saw, too."""
        annotator, doc = np.nonzero(self.panel.seen & self.panel.shared)
        return _by_number(np.column_stack([annotator, annotator]), doc)

    @cached_property
    def is_even(self) -> bool:
        """Whether all annotated the same tokens in the same sentences, as majorities need it."""
        first, *others = self.panel.annotations
        alike = all(np.array_equal(first.sentences, other.sentences) for other in others)
        return alike and self.panel.uniform

    def sides(self, annotators: IntArray, docs: IntArray) -> tuple[Spans, Spans]:
        """Some pairs as one: documents one after the other, of gold and of predictions, aligned."""
        first, second = np.repeat(annotators, docs.shape[1], axis=0).T
        take = self.work.taken
        if np.array_equal(first, second):
            return align(self.work.majority(first, docs.ravel()), take(second, docs.ravel()))
        return align(take(first, docs.ravel()), take(second, docs.ravel()))

    def support(self) -> Mapping[Key, IntArray]:
        """Spans by label of each pair in the documents that both saw: one row."""
        keys: list[Key] = []
        tables = [np.zeros((0, 1, len(self.panel.labels)), np.int64)]
        for annotators, docs in self.pairs:
            table = np.zeros((len(annotators), 1, len(self.panel.labels)), np.int64)
            for side in annotators.T:
                spans = self.work.taken(np.repeat(side, docs.shape[1]), docs.ravel())
                for doc, label in ((spans.doc, spans.label), spans.unplaced.T[:2]):
                    np.add.at(table[:, 0], (doc // docs.shape[1], label), 1)
            keys += map(_key_of, annotators.tolist())
            tables.append(table)
        return KeyedRows(keys, np.concatenate(tables))


@dataclass(frozen=True, eq=False)
class CrowdPairs:
    """The pairs of a crowd by one request.

    Parameters
    ----------
    reasons : dict
        Why some have no statistics, in words: filled while they are counted.
    """

    crowd: Crowd
    request: Request
    explain: Callable[[ValueError, list[str]], str]
    reasons: dict[Key, str] = field(default_factory=dict)

    def pairs(self) -> Iterator[PairRows]:
        """The rows of all pairs, both ways where these differ."""
        yield from self._counted(self.crowd.pairs)
        if not self.request.is_symmetric:
            yield from self._counted((both[:, ::-1], docs) for both, docs in self.crowd.pairs)

    def majorities(self) -> Iterator[PairRows]:
        """The rows of all annotators against the majority of the others."""
        yield from self._counted(self.crowd.majorities)

    def summed(self) -> Statistics | None:
        """The sum over all pairs, a row for each document; None if a pair cannot be counted."""
        n_docs, total = self.crowd.panel.seen.shape[1], None
        for rows in self.pairs():
            if total is None:
                total = rows.statistics.arrays(lambda a: np.zeros((n_docs, *a.shape[2:]), a.dtype))
            for sums, parts in zip(total.parts(), rows.statistics.parts()):
                for one, array in zip(arrays_of(sums), arrays_of(parts)):
                    np.add.at(one, rows.docs, array)
        return None if self.reasons else total

    def _counted(self, groups: Iterable[Group]) -> Iterator[PairRows]:
        """The rows of some groups."""
        # statistics that have a column for each length that occurs have fewer of fewer rows
        n_rows = ROWS if self.request.row.survey is None else ROWS // 8
        for annotators, docs in groups:
            for some in slices(len(annotators), max(n_rows // docs.shape[1], 1)):
                yield from self._tried(annotators[some], docs[some])

    def _tried(self, annotators: IntArray, docs: IntArray) -> Iterator[PairRows]:
        """The rows of some pairs, but for those that cannot be counted, which have a reason."""
        try:
            found = self.crowd.count(*self.crowd.sides(annotators, docs), self.request)
        except ValueError as error:
            if len(annotators) > 1:
                for some in slices(len(annotators), -(-len(annotators) // 2)):
                    yield from self._tried(annotators[some], docs[some])
                return
            (key,), panel = map(_key_of, annotators.tolist()), self.crowd.panel
            names = [panel.names[number] for number in annotators[0]]
            names[0] = "the majority" if key[0] == "majority" else names[0]
            self.reasons[key] = self.explain(error, names)
            return
        shape = docs.shape
        rows = found.arrays(lambda array: wide(array).reshape(*shape, *array.shape[1:]))
        yield PairRows(annotators, docs, rows)


def parts_of(batches: Iterable[PairRows], n_pairs: int) -> Iterator[PairRows]:
    """Batches divided so that none has more than `n_pairs` pairs."""
    for rows in batches:
        for some in slices(len(rows.docs), n_pairs):
            statistics = rows.statistics.arrays(itemgetter(some))
            yield PairRows(rows.annotators[some], rows.docs[some], statistics)


class KeyedRows(Mapping[Key, Any]):
    """The rows of an array, or of several by name, by key: little more than the arrays."""

    def __init__(self, keys: Iterable[Key], arrays: Array | Mapping[str, Array]) -> None:
        self._rows = {key: row for row, key in enumerate(keys)}
        self._arrays = arrays

    def __getitem__(self, key: Key) -> Any:
        row = self._rows[key]
        if isinstance(self._arrays, Mapping):
            return {name: array[row] for name, array in self._arrays.items()}
        return self._arrays[row]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows


class MergedRows(Mapping[Key, Any]):
    """Several mappings without common keys as one."""

    def __init__(self, *parts: Mapping[Key, Any]) -> None:
        self._parts = parts

    def __getitem__(self, key: Key) -> Any:
        for part in self._parts:
            if key in part:
                return part[key]
        raise KeyError(key)

    def __iter__(self) -> Iterator[Key]:
        return chain.from_iterable(self._parts)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __contains__(self, key: object) -> bool:
        return any(key in part for part in self._parts)


def can_be_batched(request: Request) -> bool:
    """Whether pairs can be counted together: the counts of one do not depend on another."""
    survey = request.row.survey
    if survey is not None and not survey.columns:
        return False
    return bool(request.parameters.get("weights", "identity") == "identity")


def _key_of(annotators: list[int]) -> Key:
    """The key of a pair, or of an annotator against the majority."""
    first, second = annotators
    return ("majority", first) if first == second else ("pair", first, second)


def _by_number(annotators: IntArray, doc: IntArray) -> list[Group]:
    """Pairs with their documents, in groups of pairs that have equally many."""
    order = np.lexsort((doc, annotators[:, 1], annotators[:, 0]))
    annotators, doc = annotators[order], doc[order]
    new = (annotators[1:] != annotators[:-1]).any(axis=1)
    begin = np.flatnonzero(np.append(True, new)[: len(doc)])
    number = np.diff(np.append(begin, len(doc)))
    groups = []
    for n in np.unique(number):
        first = begin[number == n]
        groups.append((annotators[first], doc[first[:, None] + np.arange(n)]))
    return groups
