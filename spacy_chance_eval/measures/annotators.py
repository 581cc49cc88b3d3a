"""`Annotators`: what panels of spans and of trees have in common: who annotated what."""

from functools import cached_property
from itertools import combinations

import numpy as np


class Annotators:
    """Several annotators of the same items: documents, or sentences.

    `annotators` maps their names, sorted, to `Spans` or `Trees` with the same labels, which say by
    `seen` what each has annotated.
    """

    annotators: dict

    def __len__(self):
        return len(self.annotators)

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

    @property
    def shared(self):
        """Which items at least two annotators saw."""
        return self.seen.sum(axis=0) > 1

    def pairs(self):
        """All pairs of annotators, as pairs of numbers."""
        return list(combinations(range(len(self)), 2))

    def n_shared(self, first, second):
        """Number of items that two annotators both saw."""
        return int((self.seen[first] & self.seen[second]).sum())
