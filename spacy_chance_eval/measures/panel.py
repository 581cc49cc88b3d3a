"""`Panel`: several annotators of one corpus, with who saw what."""

import hashlib
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from itertools import combinations

import numpy as np

from .alignment import (
    align,
    align_panel,
    check_same_corpus,
    common_stretches,
    marked_stretches,
    with_labels,
)
from .cells import prepared
from .spans import Spans, trusted

POSITIONS = ("token", "char", "category")


@dataclass(frozen=True, eq=False)
class Panel:
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

    def __len__(self):
        return len(self.annotators)

    @property
    def names(self):
        """Names of the annotators, sorted."""
        return tuple(self.annotators)

    @property
    def sides(self):
        """The annotators as `Spans` with the same labels, in the order of their names."""
        return tuple(self.annotators.values())

    @property
    def labels(self):
        """All labels of any annotator, sorted."""
        return self.sides[0].labels

    @cached_property
    def seen(self):
        """Which annotator saw which document: shape (n_annotators, n_docs)."""
        return np.array([spans.seen for spans in self.sides])

    @property
    def shared(self):
        """Which documents at least two annotators saw."""
        return self.seen.sum(axis=0) > 1

    @cached_property
    def together(self):
        """The annotators with the documents that two saw and the tokens that all annotated."""
        return align_panel(self.sides)

    @cached_property
    def ready(self):
        """The annotators for pairs; prepared, if no pair loses other tokens than the team does."""
        shared = self.shared
        for spans, aligned in zip(self.sides, self.together):
            own = spans.stretches[(shared & spans.seen)[spans.stretches[:, 0]]]
            all_of_them = aligned.stretches[spans.seen[aligned.stretches[:, 0]]]
            if not np.array_equal(own, all_of_them):
                return self.sides
        return prepared(self.together)

    def pairs(self):
        """All pairs of annotators, as pairs of numbers."""
        return list(combinations(range(len(self)), 2))

    def pair(self, first, second):
        """Two annotators, aligned: the documents and tokens that both annotated."""
        return align(self.ready[first], self.ready[second])

    def n_shared(self, first, second):
        """Number of documents that two annotators both saw."""
        return int((self.seen[first] & self.seen[second]).sum())

    def majority(self, number):
        """The majority of all other annotators, as one annotator.

        It marked a span if more than half of the others who saw the document marked just that one;
        it saw the documents that any of the others saw, and annotated the tokens that all of these
        did. None without others.
        """
        others = [spans for i, spans in enumerate(self.sides) if i != number]
        if not others:
            return None
        seen = np.array([spans.seen for spans in others])
        kept = [spans.keep(spans.seen[spans.doc]) for spans in others]
        rows = [np.column_stack([s.doc, s.start, s.end, s.label]) for s in kept]
        rows, votes = np.unique(np.concatenate(rows), axis=0, return_counts=True)
        rows = rows[2 * votes > seen.sum(axis=0)[rows[:, 0]]]
        first = others[0]
        annotated = (marked_stretches(spans) for spans in others)
        return trusted(
            first,
            **dict(zip(("doc", "start", "end", "label"), rows.T)),
            seen=seen.any(axis=0),
            stretches=reduce(partial(common_stretches, first.offsets), annotated),
            sentences=np.any([spans.sentences for spans in others], axis=0),
            unplaced=np.zeros((0, 3), np.int64),
            features=None,
            partner=None,
        )

    def digest(self):
        """Eight hexadecimal digits of all annotations; names and order do not count."""
        digests = sorted(spans.digest() for spans in self.sides)
        return hashlib.sha256("".join(digests).encode()).hexdigest()[:8]

    @classmethod
    def of(cls, annotators, positions="token"):
        """A panel from a panel, a mapping of names to `Spans`, or a sequence of `Spans`."""
        if isinstance(annotators, cls):
            return annotators
        if isinstance(annotators, Spans):
            raise ValueError("one annotator alone; expected a mapping of names to Spans")
        if not hasattr(annotators, "items"):
            annotators = {f"annotator {i}": spans for i, spans in enumerate(annotators, 1)}
        return cls(dict(annotators), positions)
