"""Small random trees, teams that annotated the same sentences with them, and their distances."""

from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import strategies as st

from helpers import tree_oracles as oracles
from spacy_chance_eval.measures.trees import tree_edit
from spacy_chance_eval.measures.trees.postorder import distinct_trees
from spacy_chance_eval.measures.trees.tree_edit import (
    distance_blocks,
    tree_edit_distances,
)
from spacy_chance_eval.measures.trees.trees import TreePanel, Trees

LABELS = ("A", "B", "C")
NAMES = ("ann", "bob", "cyd")
KINDS = ("dependency", "constituency")
NUMBA = pytest.mark.skipif(not find_spec("numba"), reason="numba is not installed")
each_backend = pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=NUMBA)])
each_kind = pytest.mark.parametrize("kind", KINDS)


@dataclass(frozen=True)
class Team:
    """`works[name][i]` is an annotation as `tree_oracles` has them, or None if there is none."""

    kind: str
    works: dict

    @property
    def n_items(self):
        return len(next(iter(self.works.values())))

    def trees(self, name):
        """`Trees` of one annotator, with the labels that this one used."""
        column = self.works[name]
        if self.kind == "dependency":
            heads, relations = ([work and work[i] for work in column] for i in (0, 1))
            return Trees.from_heads(heads, relations)
        rows = [work and oracles.preorder(work) for work in column]
        return Trees.from_nodes(self.kind, *([row and row[i] for row in rows] for i in (0, 1)))

    def panel(self):
        return TreePanel({name: self.trees(name) for name in self.works})

    def nested(self, work):
        """The tree that is compared."""
        return oracles.tree_of_heads(*work) if self.kind == "dependency" else work

    def size(self, work):
        """|x|."""
        return len(work[0]) + 1 if self.kind == "dependency" else oracles.leaves(work)

    def items(self, names=None):
        """The annotations of each item, by these annotators."""
        columns = [self.works[name] for name in names or self.works]
        return [[work for work in item if work is not None] for item in zip(*columns)]

    def part(self, items):
        """Some of the items, in this order, some more than once."""
        works = {name: tuple(column[i] for i in items) for name, column in self.works.items()}
        return replace(self, works=works)

    def among(self, names):
        """Some of the annotators, in this order."""
        return replace(self, works={name: self.works[name] for name in names})

    def renamed(self, names):
        """The same annotators under other names."""
        return replace(self, works={names[name]: work for name, work in self.works.items()})

    def relabelled(self, names):
        """The same annotations with labels called names[label]."""

        def rename(work):
            if work is None:
                return None
            if self.kind == "constituency":
                return oracles.with_labels(work, names)
            return work[0], [names[label] for label in work[1]]

        works = {name: tuple(map(rename, column)) for name, column in self.works.items()}
        return replace(self, works=works)

    def delta(self, name="plain", cost=oracles.unit):
        """The difference of two annotations by tree edit distance."""

        def of(one, two):
            distance = oracles.ted(self.nested(one), self.nested(two), cost)
            return oracles.DELTAS[name](distance, self.size(one), self.size(two))

        return of

    def alpha(self, name="plain", cost=oracles.unit):
        """(D_o, D_e, alpha)."""
        return oracles.alpha(self.items(), self.delta(name, cost))


@st.composite
def trees(draw, most=7, labels=LABELS):
    """A tree as nested tuples."""
    parents = [-1]
    for node in range(1, draw(st.integers(1, most))):
        spine = [node - 1]
        while spine[-1] > 0:
            spine.append(parents[spine[-1]])
        parents.append(draw(st.sampled_from(spine)))
    n = len(parents)
    given = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    return oracles.nested(parents, given)


@st.composite
def constituents(draw, size, labels=LABELS, deep=3):
    """A tree with so many leaves, as nested tuples."""
    cuts = draw(st.sets(st.integers(1, size - 1))) if size > 1 and deep else set(range(1, size))
    ends = sorted({0, *cuts, size})
    below = [constituents(stop - start, labels, deep - 1) for start, stop in zip(ends, ends[1:])]
    inner = size > 1 or (deep > 0 and draw(st.integers(0, 3)) == 3)
    return draw(st.sampled_from(labels)), tuple(map(draw, below)) if inner else ()


@st.composite
def sentences(draw, size, labels=LABELS):
    """(heads, relations) of so many tokens: any heads without cycles, crossing ones as well."""
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, token in enumerate(order):
        heads[token - 1] = draw(st.sampled_from([0, *order[:place]]))
    return heads, draw(st.lists(st.sampled_from(labels), min_size=size, max_size=size))


@st.composite
def teams(draw, kinds=KINDS, names=NAMES, even=True, unseen=True, items=4, most=5, labels=LABELS):
    """A `Team` that often agrees; `even`: on the number of tokens (leaves) of an item, too."""
    kind = draw(st.sampled_from(kinds))
    rows = []
    for _ in range(draw(st.integers(1, items))):
        size = draw(st.integers(1, most))
        row = []
        for _ in names:
            n = size if even else draw(st.integers(1, most))
            if unseen and draw(st.integers(0, 6)) == 6:
                row.append(None)
            elif row and row[0] is not None and draw(st.booleans()):
                row.append(row[0])
            else:
                work = sentences if kind == "dependency" else constituents
                row.append(draw(work(n, labels)))
        rows.append(row)
    return Team(kind, dict(zip(names, zip(*rows))))


def random_heads(rng, size):
    """Heads of so many tokens: each token in a random order hangs under one before it, or none."""
    order, heads = rng.permutation(size) + 1, [0] * size
    for place, token in enumerate(order.tolist()):
        above = int(rng.integers(0, place + 1))
        heads[token - 1] = int(order[above - 1]) if above else 0
    return heads


def random_team(seed, n_items=12, names=NAMES, kind="dependency", gaps=True, longest=7):
    """A `Team` from a seed; the annotators often agree."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n_items):
        size, row = int(rng.integers(1, longest)), []
        for _ in names:
            labels = rng.choice(LABELS, size).tolist()
            heads = random_heads(rng, size)
            work = heads, labels
            if kind == "constituency":
                work = oracles.nested([-1, *map(preceding(heads), range(1, size))], labels)
            if row and row[0] is not None and rng.random() < 0.5:
                work = row[0]
            row.append(None if gaps and rng.random() < 0.15 else work)
        rows.append(row)
    return Team(kind, dict(zip(names, zip(*rows))))


def preceding(heads):
    """A parent for each node that makes a preorder: the node before, or the root."""
    return lambda node: node - 1 if heads[node] % 2 else 0


def in_small_blocks(monkeypatch):
    """Make blocks of a handful of forests, so that small corpora have many."""
    monkeypatch.setattr(tree_edit, "TILES", (12, 300))
    monkeypatch.setattr(tree_edit, "CELLS", 300)


# --- tree edit distances


def sides(rows, kind="constituency"):
    """Two or more `Trees` with the same labels, from rows of annotations."""
    return Team(kind, dict(zip("abcdef", zip(*rows)))).panel().annotations


def distances(rows, kind="constituency", **options):
    """Tree edit distances of pairs of annotations."""
    return tree_edit_distances(*sides(rows, kind), **options).tolist()


def all_pairs(found, **options):
    """The matrix of all distances; every two trees must be there once."""
    matrix = np.full((found.n_trees, found.n_trees), np.nan)
    for rows, columns, block in distance_blocks(found, **options):
        assert np.isnan(matrix[rows, columns]).all()
        matrix[rows, columns] = block
    turned = matrix.T
    assert not (np.isnan(matrix) & np.isnan(turned)).any()
    both = ~np.isnan(matrix) & ~np.isnan(turned)
    np.testing.assert_array_equal(matrix[both], turned[both])
    return np.where(np.isnan(matrix), turned, matrix)


def distinct(team):
    """The forests of a team, and each tree as nested tuples by its number."""
    panel = team.panel()
    found, numbers = distinct_trees(panel.annotations)
    known = {}
    for name, column in zip(panel.names, numbers):
        for work, number in zip(team.works[name], column.tolist()):
            if work is not None:
                known[number] = team.nested(work)
    return found, [known[number] for number in range(found.n_trees)]
