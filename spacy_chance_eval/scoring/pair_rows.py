"""The statistics of pairs of annotators, those that share equally many documents together.

A table of all pairs of some thousand annotators by all documents is more than memory holds, and
nearly all of it would be empty. A row here is a document that both of a pair saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from ..measures.alignment import align
from ..measures.arrays import Array, IntArray, distinct
from ..measures.crowds import CrowdWork
from ..measures.items import confusions
from ..measures.panel import Panel, meetings
from ..measures.resampling import arrays_of
from ..measures.spans import Spans
from ..metrics.request import Request
from .statistics import Statistics, merged_statistics, n_rows, wide

# ("pair", i, j): annotators by their numbers, i as gold; ("majority", i): annotator i, with the
# majority of the others as gold; ("team",)
Key: TypeAlias = tuple[Any, ...]
TEAM: Key = ("team",)
ROWS = 1 << 12  # rows that are counted at a time
# the same, of statistics that have a column for each length that occurs: fewer of fewer rows
ROWS_OF_COLUMNS = ROWS // 8


def key_of(annotators: Sequence[int]) -> Key:
    """The key of a pair, of an annotator against the majority (i, i), or of the team (-1, -1)."""
    first, second = annotators
    if first < 0:
        return TEAM
    return ("majority", first) if first == second else ("pair", first, second)


@dataclass(frozen=True, eq=False)
class PairRows:
    """The statistics of some pairs that share equally many documents.

    Parameters
    ----------
    annotators : integer array of shape (n_pairs, 2)
        Gold and prediction; an annotator twice, against the majority of the others; -1 twice, the
        team. All of one kind.
    docs : integer array of shape (n_pairs, n)
        The documents that both saw, or the units of them.
    n_docs : integer array of shape (n_pairs, n)
        How many documents each row is the sum of.
    statistics : Statistics
        Arrays of shape (n_pairs, n, ...).
    """

    annotators: IntArray
    docs: IntArray
    n_docs: IntArray
    statistics: Statistics

    @cached_property
    def keys(self) -> list[Key]:
        """The keys of the pairs."""
        return list(map(key_of, self.annotators.tolist()))

    @property
    def kind(self) -> str:
        """ "pair", "majority" or "team"."""
        kind: str = self.keys[0][0]
        return kind

    def arrays(self, function: Callable[[Array], Array]) -> PairRows:
        """The same with `function` applied to every array of the statistics."""
        return replace(self, statistics=self.statistics.arrays(function))

    def some(self, pairs: slice | Sequence[int]) -> PairRows:
        """Some of the pairs."""
        statistics = self.statistics.arrays(itemgetter(pairs))
        return PairRows(self.annotators[pairs], self.docs[pairs], self.n_docs[pairs], statistics)


def rows_of(
    annotators: IntArray, docs: IntArray, statistics: Statistics, whole: bool = False
) -> PairRows:
    """Rows from statistics of the documents one after the other; or, of one pair, of all there are.

    With `whole` they have a row for each document of the corpus.
    """

    def shaped(array: Array) -> Array:
        some = array[docs.ravel()] if whole else array
        return wide(some).reshape(*docs.shape, *array.shape[1:])

    return PairRows(annotators, docs, np.ones_like(docs), statistics.arrays(shaped))


def pair_rows(number: int, statistics: Statistics) -> PairRows:
    """The rows of gold and a prediction, by its number among the annotators."""
    whole = statistics.arrays(lambda array: array[None])
    docs = np.arange(n_rows([statistics]))[None]
    whole = replace(whole, totals=statistics.totals)
    return PairRows(np.array([[0, number]]), docs, np.ones_like(docs), whole)


def team_rows(docs: IntArray, statistics: Statistics) -> list[PairRows]:
    """The rows of the team in the documents that two annotators saw, if there are any."""
    return [rows_of(np.full((1, 2), -1), docs[None], statistics, whole=True)] if len(docs) else []


def merged_rows(rows: Iterable[PairRows], unit: IntArray | None = None) -> tuple[PairRows, ...]:
    """Rows of several blocks of a corpus, or those of each unit of documents added up.

    Parameters
    ----------
    unit : integer array of shape (n_docs,), optional
        The unit of each document; by default each is one.
    """
    alike: dict[str, list[PairRows]] = {}
    for one in rows:
        parts = one.statistics.parts()
        shapes = [array.shape[2:] for part in parts for array in arrays_of(part)]
        prior = one.keys if parts[0].fixed else None
        totals = one.statistics.totals  # sums of all documents, which belong to one pair
        alike.setdefault(f"{one.kind}{prior}{shapes}{id(totals)}", []).append(one)
    return tuple(merged for some in alike.values() for merged in _added_up(some, unit))


def _added_up(rows: Sequence[PairRows], unit: IntArray | None) -> Iterator[PairRows]:
    """Rows with arrays of equal shapes by pair and unit."""
    flat = [
        one.statistics.arrays(lambda a: a.reshape(one.docs.size, *a.shape[2:]))  # noqa: B023
        for one in rows
    ]
    statistics = merged_statistics(flat, np.concatenate)
    docs = np.concatenate([one.docs.ravel() for one in rows])
    pairs = np.concatenate([np.repeat(one.annotators, one.docs.shape[1], axis=0) for one in rows])
    cells = np.column_stack([pairs, docs if unit is None else unit[docs]])
    order = np.lexsort(cells.T[::-1])
    begin = _beginnings(cells[order])

    def sums(array: Array) -> Array:
        mine = array[order]
        return np.add.reduceat(wide(mine), begin, axis=0) if len(begin) < len(mine) else mine

    n_docs = sums(np.concatenate([one.n_docs.ravel() for one in rows]))
    statistics, cells = statistics.arrays(sums), cells[order[begin]]
    for at in _by_number(cells[:, :2]):
        some = replace(statistics.arrays(itemgetter(at)), totals=rows[0].statistics.totals)
        yield PairRows(cells[at[:, 0], :2], cells[at, 2], n_docs[at], some)


def _beginnings(cells: IntArray) -> IntArray:
    """Where each of some sorted rows occurs first."""
    return np.flatnonzero(np.append(True, (cells[1:] != cells[:-1]).any(axis=1))[: len(cells)])


def _by_number(pairs: IntArray) -> list[IntArray]:
    """The places of each of some sorted pairs, (n_pairs, n), of those with equally many."""
    begin = _beginnings(pairs)
    number = np.diff(np.append(begin, len(pairs)))
    return [begin[number == n][:, None] + np.arange(n) for n in distinct(number)]


def sum_of_rows(rows: Iterable[PairRows], n_docs: int) -> Statistics | None:
    """The sum over all pairs, a row for each document; None without pairs."""
    total = None
    for one in rows:
        if total is None:
            total = one.statistics.arrays(
                lambda array: np.zeros((n_docs, *array.shape[2:]), array.dtype)
            )
        for sums, parts in zip(total.parts(), one.statistics.parts()):
            for table, array in zip(arrays_of(sums), arrays_of(parts)):
                np.add.at(table, one.docs, array)
    return total


@dataclass(frozen=True, eq=False)
class PairList:
    """The pairs of a panel that share documents, and each annotator against the majority.

    Both are (annotators of pairs, documents that both saw), by the number of these documents.
    """

    panel: Panel

    @cached_property
    def work(self) -> CrowdWork:
        """The work of all annotators."""
        return CrowdWork.of(self.panel)

    @cached_property
    def pairs(self) -> list[tuple[IntArray, IntArray]]:
        """All pairs that share documents."""
        columns = list(zip(*meetings(self.panel.seen)))
        return _grouped(*map(np.concatenate, columns)) if columns else []

    @cached_property
    def majorities(self) -> list[tuple[IntArray, IntArray]]:
        """All annotators, with the documents that another one saw, too."""
        annotator, doc = np.nonzero(self.panel.seen & self.panel.shared)
        return _grouped(annotator, annotator, doc)

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

    def confusions(self, items: str) -> dict[Key, dict[str, dict[str, int]]]:
        """The confusion matrix of the labels of each pair, see `measures.items.confusions`."""
        found: dict[Key, dict[str, dict[str, int]]] = {}
        for annotators, docs in self.pairs:
            pair = np.repeat(np.arange(len(annotators)), docs.shape[1])
            for i, matrix in confusions(*self.sides(annotators, docs), items, pair).items():
                found[key_of(annotators[i].tolist())] = matrix
        return found

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
            keys += map(key_of, annotators.tolist())
            tables.append(table)
        return dict(zip(keys, np.concatenate(tables)))


def _grouped(first: IntArray, second: IntArray, doc: IntArray) -> list[tuple[IntArray, IntArray]]:
    """Pairs with their documents, in groups of pairs that have equally many."""
    rows = np.column_stack([first, second, doc])[np.lexsort((doc, second, first))]
    return [(rows[at[:, 0], :2], rows[at, 2]) for at in _by_number(rows[:, :2])]


def rows_at_once(request: Request) -> int:
    """How many rows of pairs can be counted together; 1 if those of one depend on another."""
    survey = request.row.survey
    if request.parameters.get("weights", "identity") != "identity":
        return 1
    if survey is None:
        return ROWS
    return ROWS_OF_COLUMNS if survey.columns else 1
