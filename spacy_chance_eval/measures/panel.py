"""Panels: several annotators of the same items, and which of them saw what."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import Generic, Protocol, TypeVar

import numpy as np

from .alignment import (
    align,
    align_panel,
    check_same_corpus,
    common_stretches,
    marked_stretches,
    with_labels,
)
from .arrays import Array, BoolArray, IntArray
from .matching import span_keys
from .messages import quoted
from .resampling import slices
from .spans import Spans, columns_of, sorted_columns, trusted, without_labels


class _Annotation(Protocol):
    """The work of one annotator: what `Spans` and `Trees` have in common."""

    @property
    def seen(self) -> BoolArray:
        """Which items the annotator saw: shape (n_items,)."""

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that the annotator could use."""

    def name(self, item: int, /) -> str:
        """How messages and tables call an item."""


Work = TypeVar("Work", bound=_Annotation)
AT_ONCE = 1 << 20  # meetings that are listed at a time


class Roster(ABC):
    """Who saw what: names of annotators and the items that each saw.

    `names` are sorted, as are `labels`, all labels of any annotator; `seen` is a boolean array of
    shape (n_annotators, n_items). `with_pairs` is false where only the team is of interest.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    seen: BoolArray
    with_pairs: bool = True

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def shared(self) -> BoolArray:
        """Which items at least two annotators saw: shape (n_items,)."""
        shared: BoolArray = self.seen.sum(axis=0) > 1
        return shared

    @cached_property
    def both(self) -> IntArray:
        """Numbers of items that two annotators both saw: shape (n_annotators, n_annotators)."""
        n = len(self)
        numbers = np.zeros(n * n, np.int64)
        for first, second, _ in meetings(self.seen):
            np.add.at(numbers, first * n + second, 1)
        table = numbers.reshape(n, n)
        both: IntArray = table + table.T + np.diag(self.seen.sum(axis=1))
        return both

    @cached_property
    def with_others(self) -> IntArray:
        """Number of items that each annotator and at least one other saw."""
        numbers: IntArray = (self.seen & self.shared).sum(axis=1)
        return numbers

    @cached_property
    def n_all_shared(self) -> int:
        """Number of items that at least two annotators saw."""
        return int(self.shared.sum())

    @cached_property
    def sharing_pairs(self) -> list[tuple[int, int]]:
        """The pairs of annotators who share items, by number: those that are scored."""
        first, second = np.nonzero(np.triu(self.both, 1))
        return list(zip(first.tolist(), second.tolist()))

    def apart(self) -> tuple[int, tuple[int, int] | None]:
        """Number of pairs that share no item, and the first of them."""
        n, missing = 0, None
        for i, row in enumerate(self.both):
            alone = np.flatnonzero(row[i + 1 :] == 0)
            n += len(alone)
            if missing is None and len(alone):
                missing = (i, i + 1 + int(alone[0]))
        return n, missing

    def n_shared(self, first: int, second: int) -> int:
        """Number of items that two annotators both saw."""
        return int(self.both[first, second])

    @abstractmethod
    def name(self, item: int) -> str:
        """The name of an item in messages and tables."""


def meetings(seen: BoolArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Every two annotators of an item, and the item: three columns, some items at a time.

    The first of the two is the one with the lower number. The cost is that of the meetings, not of
    all pairs of annotators.
    """
    item, annotator = np.nonzero(seen.T)
    number = np.bincount(item, minlength=seen.shape[1])
    begin = np.cumsum(number) - number
    for n in np.unique(number[number > 1]):
        one, two = np.triu_indices(n, 1)
        items = np.flatnonzero(number == n)
        for some in slices(len(items), max(AT_ONCE // len(one), 1)):
            at = begin[items[some], None]
            first, second = (annotator[at + side].ravel() for side in (one, two))
            yield first, second, np.repeat(items[some], len(one))


class Annotators(Roster, Generic[Work]):
    """Several annotators of the same items: documents, or sentences.

    `annotators` maps their names, sorted, to `Spans` or `Trees` with the same labels, whose `seen`
    says which items each has annotated.
    """

    annotators: Mapping[str, Work]

    def _enter(self, annotators: Mapping[str, Work]) -> None:
        """Take the annotators, and make the roster of them."""
        works = list(annotators.values())
        self.__dict__.update(
            annotators=annotators,
            names=tuple(annotators),
            labels=works[0].labels,
            seen=np.array([work.seen for work in works]),
        )

    @property
    def annotations(self) -> tuple[Work, ...]:
        """The work of the annotators, in the order of their names."""
        return tuple(self.annotators.values())

    def name(self, item: int) -> str:
        """How messages and tables call an item."""
        return self.annotations[0].name(item)


POSITIONS = ("token", "char", "category")


@dataclass(frozen=True, eq=False)
class Panel(Annotators[Spans]):
    """Several annotators of the same documents.

    Parameters
    ----------
    annotators : mapping of str to Spans
        On the same tokens; their `seen` says which documents each annotator saw. They are kept in
        the order of their names.
    positions : "token", "char" or "category"
        Unit of positions. With "category" every document is one position, which carries the labels
        of the document as a whole.

    Raises
    ------
    ValueError
        Without annotators, and for corpora that differ; names the two annotators and the place.
    """

    annotators: Mapping[str, Spans]
    positions: str = "token"

    def __post_init__(self) -> None:
        if not self.annotators:
            raise ValueError("a panel without annotators; expected at least one")
        if self.positions not in POSITIONS:
            known = ", ".join(POSITIONS)
            raise ValueError(f"positions is {quoted(self.positions)}; expected one of {known}")
        for name, spans in self.annotators.items():
            if not isinstance(name, str) or not isinstance(spans, Spans):
                raise ValueError(
                    f"{quoted(name)}: {quoted(spans)}; expected names (texts) and their Spans"
                )
        labels = sorted(set().union(*(spans.labels for spans in self.annotators.values())))
        annotators = {name: self.annotators[name] for name in sorted(self.annotators)}
        first, *others = annotators
        for other in others:
            try:
                check_same_corpus(annotators[first], annotators[other])
            except ValueError as error:
                raise ValueError(f"{first} against {other}: {error}") from None
        annotators = {name: with_labels(spans, labels) for name, spans in annotators.items()}
        self._enter(annotators)

    @cached_property
    def aligned(self) -> tuple[Spans, ...]:
        """The annotators, restricted to documents that two saw and tokens that all annotated."""
        return align_panel(self.annotations)

    @cached_property
    def packed(self) -> tuple[Spans, ...]:
        """The same as `aligned` by as few annotators as there are on one document.

        The first of a document are one annotator, and so on: for measures to which it does
        not matter who annotated. Panels do not change unless that is half of them at most.
        """
        seen = self.seen & self.shared
        number = seen.sum(axis=0)
        n_slots = int(number.max(initial=0))
        if not 0 < 2 * n_slots <= len(self):
            return self.aligned
        doc, annotator = np.nonzero(seen.T)
        slot = np.arange(len(doc)) - (np.cumsum(number) - number)[doc]
        columns = columns_of(self.aligned, ["fragments"])
        who = np.repeat(np.arange(len(self)), [len(spans) for spans in self.aligned])
        place = np.searchsorted(doc * len(self) + annotator, columns["doc"] * len(self) + who)
        slots = slot[place]
        first = self.aligned[0]
        nothing: dict[str, object] = dict.fromkeys(("features", "copies", "fragments"))
        nothing["unplaced"] = np.zeros((0, 3), np.int64)
        packed = []
        for i in range(n_slots):
            rows = sorted_columns({name: one[slots == i] for name, one in columns.items()})
            packed.append(trusted(first, **nothing | rows, seen=number > i))
        return tuple(packed)

    @cached_property
    def uniform(self) -> bool:
        """Whether every pair of annotators shares the tokens that all of them share."""
        shared = self.shared
        for spans, same in zip(self.annotations, self.aligned):
            own = spans.stretches[(shared & spans.seen)[spans.stretches[:, 0]]]
            all_of_them = same.stretches[spans.seen[same.stretches[:, 0]]]
            if not np.array_equal(own, all_of_them):
                return False
        return True

    def pair(self, first: int, second: int) -> tuple[Spans, Spans]:
        """Two annotators, given by number, aligned: what both annotated.

        Parameters
        ----------
        first : int
            Number of one annotator, from 0.
        second : int
            Number of the other one.
        """
        return align(self.annotations[first], self.annotations[second])

    @cached_property
    def votes(self) -> tuple[dict[str, Array], IntArray, list[IntArray]]:
        """The distinct spans of seen documents: columns, votes, and the rows of each annotator."""
        works = self.aligned if self.uniform else self.annotations
        marked = [spans.keep(spans.seen[spans.doc]) for spans in works]
        keys = span_keys(*marked)
        distinct, first, votes = np.unique(
            np.concatenate(keys), return_index=True, return_counts=True
        )
        columns = {name: one[first] for name, one in columns_of(marked, ["fragments"]).items()}
        rows: list[IntArray] = [np.searchsorted(distinct, mine) for mine in keys]
        return columns, votes, rows

    def majority(self, number: int) -> Spans:
        """The majority of all other annotators, of whom there are some, as one annotator.

        It marked a span if more than half of the others who saw the document marked exactly that
        span; it saw the documents that any of the others saw, if two annotators saw them, and
        annotated the tokens that all of these others did.

        Parameters
        ----------
        number : int
            Number of the annotator who is left out, from 0.
        """
        others = [spans for i, spans in enumerate(self.annotations) if i != number]
        columns, votes, rows = self.votes
        votes = votes - np.bincount(rows[number], minlength=len(votes))
        n_annotators = np.sum([spans.seen for spans in others], axis=0)
        most = 2 * votes > n_annotators[columns["doc"]]
        first = others[0]
        annotated = (marked_stretches(spans) for spans in others)
        return trusted(
            first,
            **{"fragments": None} | {name: column[most] for name, column in columns.items()},
            seen=(n_annotators > 0) & self.shared,
            stretches=reduce(partial(common_stretches, first.offsets), annotated),
            sentences=np.any([spans.sentences for spans in others], axis=0),
            unplaced=np.zeros((0, 3), np.int64),
            features=None,
            copies=None,
            partner=None,
        )

    @cached_property
    def without_labels(self) -> "Panel":
        """The same panel with one label for all."""
        annotators = {name: without_labels(spans) for name, spans in self.annotators.items()}
        return Panel(annotators, self.positions)

    @cached_property
    def digests(self) -> list[str]:
        """Hexadecimal digits of each annotator's work."""
        return [spans.digest() for spans in self.annotations]

    def digest(self) -> str:
        """Eight hexadecimal digits of all annotations, independent of names and order."""
        return digest_of_all(self.digests)

    @classmethod
    def from_annotators(
        cls,
        annotators: "Panel | Mapping[str, Spans] | Iterable[Spans]",
        positions: str | None = None,
    ) -> "Panel":
        """A panel from a panel, a mapping of names to `Spans`, or some `Spans` without names.

        Parameters
        ----------
        annotators : Panel, mapping of str to Spans, or iterable of Spans
            A `Panel` is returned as it is; without names they are numbered.
        positions : "token", "char" or "category", optional
            Unit of positions; by default that of the files that annotations come from, or "token".

        Raises
        ------
        ValueError
            For anything else, and where `Panel` raises it.
        """
        if isinstance(annotators, cls):
            return annotators
        if isinstance(annotators, Spans):
            raise ValueError("one annotator alone; expected a mapping of names to Spans")
        if not isinstance(annotators, (Mapping, Iterable)):
            raise ValueError(
                f"annotators are {quoted(annotators)}; expected a mapping of names to Spans"
            )
        if not isinstance(annotators, Mapping):
            annotators = {f"annotator {i}": spans for i, spans in enumerate(annotators, 1)}
        panel = cls(dict(annotators), positions or "token")
        (known, *others) = {one.facts.get("positions", "token") for one in panel.annotations}
        return panel if positions or others else replace(panel, positions=known)


def digest_of_all(digests: Iterable[str]) -> str:
    """Eight hexadecimal digits of the digests of all annotators, in any order."""
    return hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()[:8]
