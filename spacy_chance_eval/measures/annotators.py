"""`Annotators`: what panels of spans and of trees have in common: who annotated what."""

from functools import cached_property
from itertools import combinations

import numpy as np


class Raters:
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


class Annotators(Raters):
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
