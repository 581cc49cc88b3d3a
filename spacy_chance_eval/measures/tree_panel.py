"""`TreePanel`: several annotators of the same sentences' trees, with who annotated what."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from .annotators import Annotators
from .trees import Trees


@dataclass(frozen=True, eq=False)
class TreePanel(Annotators):
    """Several annotators of the same sentences.

    Parameters
    ----------
    annotators : mapping of str to Trees
        Of one kind, with the same items; what an annotator has not annotated is not `seen` there.
        They are kept in the order of their names.
    notes : sequence of str
        What a reader of results should know of the data, in words.

    Raises
    ------
    ValueError
        For no annotator, or trees that differ in kind, number or names of items.
    """

    annotators: Mapping
    notes: tuple = ()

    def __post_init__(self):
        if not self.annotators:
            raise ValueError("a panel without annotators; expected at least one")
        for name, trees in self.annotators.items():
            if not isinstance(name, str) or not isinstance(trees, Trees):
                raise ValueError(f"{name!r}: {trees!r}; expected names (texts) and their Trees")
        names = sorted(self.annotators)
        for one, two in combinations(names, 2):
            check_same_items(one, self.annotators[one], two, self.annotators[two])
        labels = sorted(set().union(*(trees.labels for trees in self.annotators.values())))
        own = (trees.names for trees in self.annotators.values() if trees.names is not None)
        items = next(own, None)  # of any annotator: all that have some have the same
        annotators = {
            name: replace(self.annotators[name].with_labels(labels), names=items) for name in names
        }
        object.__setattr__(self, "annotators", annotators)

    @property
    def kind(self):
        """What the trees are."""
        return self.sides[0].kind

    @property
    def n_items(self):
        """Number of items."""
        return self.sides[0].n_items

    @cached_property
    def even(self):
        """Items whose annotations all have the same number of tokens (or leaves)."""
        sizes = np.array([np.where(t.seen, t.sizes, -1) for t in self.sides])
        least = np.where(sizes < 0, np.iinfo(np.int64).max, sizes).min(axis=0)
        return (sizes < 0).all(axis=0) | (sizes.max(axis=0) == least)

    def keys(self):
        """A number for each item that its trees decide, whatever order annotators come in."""
        return np.sum([t.keys() * t.seen.astype(np.uint64) for t in self.sides], axis=0)

    def digest(self):
        """Eight signs that the trees and the names of the annotators decide; not the order."""
        rows = [f"{self.kind}"]
        for name, trees in self.annotators.items():
            total = int(trees.keys()[trees.seen].sum())
            rows.append(f"{name}\0{total}\0{int(trees.seen.sum())}")
        return hashlib.sha256("\1".join(rows).encode()).hexdigest()[:8]


def check_same_items(one, first, two, second):
    """Raise for two annotators, `one` and `two`, of different items."""
    if first.kind != second.kind:
        raise ValueError(
            f"{one} has {first.kind} trees, {two} {second.kind} trees; these do not compare"
        )
    if first.n_items != second.n_items:
        raise ValueError(
            f"{one} has {first.n_items} items, {two} {second.n_items}; expected the same ones"
        )
    if first.names is not None and second.names is not None and first.names != second.names:
        pairs = zip(first.names, second.names)
        place = next(i for i, (mine, theirs) in enumerate(pairs) if mine != theirs)
        raise ValueError(
            f"item {place + 1} is {first.names[place]!r} of {one}, but {second.names[place]!r} of "
            f"{two}; expected the same items in the same order"
        )
