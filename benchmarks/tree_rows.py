"""Tree edit distance of each sentence's tree and its prediction, and alpha over all pairs."""

from functools import partial
from math import comb

import numpy as np

import treebanks
from rows import Row, Topic
from spacy_chance_eval import evaluate_trees
from spacy_chance_eval.measures.trees.tree_edit import tree_edit_distances
from trees import PEERS, nested

SOME = 300  # pairs that peers do of all; they have one core


def ours(backend, n_docs):
    """Distances, summed up; trees become forests on the way."""
    gold, pred = treebanks.parsed(n_docs)
    return lambda: int(tree_edit_distances(gold, pred, backend=backend).sum())


def theirs(name, n_docs):
    """The same with a peer and trees of its own, which are made beforehand."""
    turned, distance = PEERS[name]()
    sides = treebanks.parsed(n_docs)
    pairs = [[turned(nested(side, item)) for side in sides] for item in range(n_docs)]
    return lambda: int(sum(distance(*pair) for pair in pairs))


def some_pairs(name, n_docs):
    """A peer's distances of some of all pairs."""
    turned, distance = PEERS[name]()
    sides, rng = treebanks.parsed(n_docs), np.random.default_rng(0)
    drawn = rng.integers([2, n_docs], size=(SOME, 2, 2))
    pairs = [[turned(nested(sides[side], item)) for side, item in pair] for pair in drawn.tolist()]

    def work():
        for pair in pairs:
            distance(*pair)

    return work


def share(n_docs):
    """`SOME` pairs of all those of gold and predicted trees."""
    return SOME / comb(2 * n_docs, 2)


def syntax_alpha(backend, n_docs):
    """alpha of a parser with gold."""
    sides = treebanks.parsed(n_docs)
    return lambda: evaluate_trees(*sides, ["syntax_alpha"], backend=backend)["syntax_alpha"].value


NUMBA, NUMPY = "ours, numba", "ours, numpy"
DISTANCES = f"distances only, measured on {SOME:,} pairs"
TOPICS = {
    "ted": Topic(
        "tree edit distance",
        (
            Row(NUMBA, partial(ours, "numba"), remark="compiled beforehand"),
            Row(NUMPY, partial(ours, "numpy")),
            *(Row(name, partial(theirs, name), NUMPY) for name in PEERS),
        ),
        smallest=100,
        remark="documents are sentences of 17 tokens: gold and a parse, a pair each",
    ),
    "syntax_alpha": Topic(
        "alpha of trees",
        (
            Row(NUMBA, partial(syntax_alpha, "numba"), remark="all cores", power=2),
            Row(NUMPY, partial(syntax_alpha, "numpy"), remark="all cores", power=2),
            *(
                Row(name, partial(some_pairs, name), NUMPY, DISTANCES, share=share, power=0)
                for name in PEERS
            ),
        ),
        smallest=100,
        remark="tree edit distances of all pairs of trees, gold and parses; sentences as above",
    ),
}
