"""`Annotators`: what panels of spans and of trees have in common: who annotated what."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from itertools import combinations

import numpy as np

from .alignment import (
    align,
    align_panel,
    align_seen,
    check_same_corpus,
    common_stretches,
    marked_stretches,
    with_labels,
)
from .chance.expectation import prepared
from .matching import span_keys
from .spans import Spans, trusted


class Roster:
    """Who saw what: `names`, sorted, and `seen`, of shape (n_annotators, n_items)."""

    names: tuple
    seen: np.ndarray

    def __len__(self):
        return len(self.names)

    @cached_property
    def shared(self):
        """Which items at least two annotators saw."""
        return self.seen.sum(axis=0) > 1

    @cached_property
    def both(self):
        """Numbers of items that two annotators both saw: shape (n_annotators, n_annotators)."""
        return np.array([[int((one & two).sum()) for two in self.seen] for one in self.seen])

    @cached_property
    def with_others(self):
        """Numbers of items that each annotator saw together with any other one."""
        return (self.seen & self.shared).sum(axis=1)

    @cached_property
    def n_all_shared(self):
        """Number of items that at least two annotators saw."""
        return int(self.shared.sum())

    def pairs(self):
        """All pairs of annotators, as pairs of numbers."""
        return list(combinations(range(len(self)), 2))

    def n_shared(self, first, second):
        """Number of items that two annotators both saw."""
        return int(self.both[first, second])


class Annotators(Roster):
    """Several annotators of the same items: documents, or sentences.

    `annotators` maps their names, sorted, to `Spans` or `Trees` with the same labels, which say by
    `seen` what each has annotated.
    """

    annotators: dict

    @property
    def names(self):
        """Names of the annotators, sorted."""
        return tuple(self.annotators)

    @property
    def sides(self):
        """The work of the annotators, in the order of their names."""
        return tuple(self.annotators.values())

    @property
    def labels(self):
        """All labels of any annotator, sorted."""
        return self.sides[0].labels

    @cached_property
    def seen(self):
        """Which annotator saw which item: shape (n_annotators, n_items)."""
        return np.array([side.seen for side in self.sides])

    def name(self, item):
        """How messages and tables call an item."""
        return self.sides[0].name(item)


POSITIONS = ("token", "char", "category")


@dataclass(frozen=True, eq=False)
class Panel(Annotators):
    """Several annotators of the same documents.

    Parameters
    ----------
    annotators : mapping of str to Spans
        On the same tokens; a document that an annotator has not seen is not `seen` there. They are
        kept in the order of their names.
    positions : "token", "char" or "category"
        What positions are. With "category" every document is one position, which carries the labels
        of the document as a whole.

    Raises
    ------
    ValueError
        For no annotator, or corpora that differ; names the two annotators and the place.
    """

    annotators: dict
    positions: str = "token"

    def __post_init__(self):
        if not self.annotators:
            raise ValueError("a panel without annotators; expected at least one")
        if self.positions not in POSITIONS:
            known = ", ".join(POSITIONS)
            raise ValueError(f"positions is {self.positions!r}; expected one of {known}")
        for name, spans in self.annotators.items():
            if not isinstance(name, str) or not isinstance(spans, Spans):
                raise ValueError(f"{name!r}: {spans!r}; expected names (texts) and their Spans")
        labels = sorted(set().union(*(spans.labels for spans in self.annotators.values())))
        annotators = {name: self.annotators[name] for name in sorted(self.annotators)}
        first, *others = annotators
        for other in others:
            try:
                check_same_corpus(annotators[first], annotators[other])
            except ValueError as error:
                raise ValueError(f"{first} against {other}: {error}") from None
        annotators = {name: with_labels(spans, labels) for name, spans in annotators.items()}
        object.__setattr__(self, "annotators", annotators)

    @cached_property
    def together(self):
        """The annotators with the documents that two saw and the tokens that all annotated."""
        return align_panel(self.sides)

    @cached_property
    def uniform(self):
        """Whether no pair has other tokens than the team has."""
        shared = self.shared
        for spans, same in zip(self.sides, self.together):
            own = spans.stretches[(shared & spans.seen)[spans.stretches[:, 0]]]
            all_of_them = same.stretches[spans.seen[same.stretches[:, 0]]]
            if not np.array_equal(own, all_of_them):
                return False
        return True

    @cached_property
    def ready(self):
        """The annotators, then the majority of the others of each (of three annotators or more).

        For pairs; prepared together, if no pair loses other tokens than the team does.
        """
        majorities = [self.majority(i) for i in range(len(self)) if len(self) > 2]
        everyone = (*self.sides, *majorities)
        return prepared(align_seen(everyone, self.shared)) if self.uniform else everyone

    def pair(self, first, second):
        """Two annotators, aligned: the documents and tokens that both annotated."""
        return align(self.ready[first], self.ready[second])

    def against_majority(self, number):
        """The majority of the others and an annotator, aligned; for more than two annotators."""
        return self.pair(len(self) + number, number)

    @cached_property
    def votes(self):
        """Of the distinct spans of seen documents: columns, how many marked each, and who which."""
        sides = self.together if self.uniform else self.sides
        sides = [spans.keep(spans.seen[spans.doc]) for spans in sides]
        keys = [span_keys(spans) for spans in sides]
        distinct, first, votes = np.unique(
            np.concatenate(keys), return_index=True, return_counts=True
        )
        columns = {
            name: np.concatenate([getattr(spans, name) for spans in sides])[first]
            for name in ("doc", "start", "end", "label")
        }
        own = [np.searchsorted(distinct, mine) for mine in keys]
        return columns, votes, own

    def majority(self, number):
        """The majority of all other annotators, as one annotator.

        It marked a span if more than half of the others who saw the document marked just that one;
        it saw the documents that any of the others saw, if two annotators saw them, and annotated
        the tokens that all of these others did. None without others.
        """
        others = [spans for i, spans in enumerate(self.sides) if i != number]
        if not others:
            return None
        columns, votes, marked = self.votes
        votes = votes - np.bincount(marked[number], minlength=len(votes))
        n_raters = np.sum([spans.seen for spans in others], axis=0)
        most = 2 * votes > n_raters[columns["doc"]]
        first = others[0]
        annotated = (marked_stretches(spans) for spans in others)
        return trusted(
            first,
            **{name: column[most] for name, column in columns.items()},
            seen=(n_raters > 0) & self.shared,
            stretches=reduce(partial(common_stretches, first.offsets), annotated),
            sentences=np.any([spans.sentences for spans in others], axis=0),
            unplaced=np.zeros((0, 3), np.int64),
            features=None,
            partner=None,
        )

    @cached_property
    def digests(self):
        """Hexadecimal digits of each annotator's work."""
        return [spans.digest() for spans in self.sides]

    def digest(self):
        """Eight hexadecimal digits of all annotations; names and order do not count."""
        return digest_of_all(self.digests)

    @classmethod
    def of(cls, annotators, positions="token"):
        """A panel from a panel, a mapping of names to `Spans`, or a sequence of `Spans`."""
        if isinstance(annotators, cls):
            return annotators
        if isinstance(annotators, Spans):
            raise ValueError("one annotator alone; expected a mapping of names to Spans")
        if not isinstance(annotators, (Mapping, Iterable)):
            raise ValueError(f"annotators are {annotators!r}; expected a mapping of names to Spans")
        if not isinstance(annotators, Mapping):
            annotators = {f"annotator {i}": spans for i, spans in enumerate(annotators, 1)}
        return cls(dict(annotators), positions)


def digest_of_all(digests):
    """Eight hexadecimal digits of those of all annotators, in any order."""
    return hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()[:8]
