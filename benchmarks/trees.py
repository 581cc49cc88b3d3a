"""Random trees with a fixed seed, in our form and in those of other libraries."""

from collections import defaultdict
from dataclasses import replace

import numpy as np

from spacy_chance_eval import Trees
from spacy_chance_eval.corpora.treebanks import read_treebank
from spacy_chance_eval.measures.trees.trees import NO_PARENT
from spacy_chance_eval.sample import path

MEAN, N_LABELS = 17, 40
LONGEST = 80
MORE = 0.7  # chance of one more dependent: sentences of some 16 tokens


def recursive_trees(n, seed=0):
    """Random recursive trees: every token hangs under any that stands before it.

    Lengths are Poisson distributed, labels uniform, so that few subtrees are the same.
    """
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(np.maximum(1, rng.poisson(MEAN, n)))])
    label = rng.integers(0, N_LABELS, starts[-1])
    labels = [f"label {number:02}" for number in range(N_LABELS)]
    return Trees("dependency", starts, earlier(starts, rng), label, labels)


def earlier(starts, rng):
    """An earlier token for each token of some sentences; none for the first ones."""
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    return np.where(place, (rng.random(len(place)) * place).astype(int), NO_PARENT)


def parsed(n, seed=0, noise=0.05):
    """Random recursive trees, and a parser's version of them: other labels, and other heads."""
    gold, rng = recursive_trees(n, seed), np.random.default_rng(seed + 1)
    n_nodes = len(gold.parents)
    parents = np.where(rng.random(n_nodes) < noise, earlier(gold.starts, rng), gold.parents)
    label = np.where(rng.random(n_nodes) < noise, rng.permutation(gold.label), gold.label)
    return gold, replace(gold, parents=parents, label=label)


def treebank(n, seed=0):
    """Trees grown by the rules of the sample treebank: many subtrees are the same, as in real ones.

    A token has the dependents, by relation and place, that one of the sample with its relation has,
    and at times one more. Sentences of equal form are kept: real treebanks have them, too.
    """
    rules, rng = rules_of_sample(), np.random.default_rng(seed)
    made = []
    while len(made) < n:
        tree = grown(rules, rng)
        if 2 < len(tree[0]) <= LONGEST:
            made.append(tree)
    return Trees.from_nodes("dependency", *zip(*made))


def rules_of_sample():
    """By relation, what hangs before and after a token with it: relations, for each such token."""
    trees = read_treebank(path("treebank.conllu")).trees()
    names = [trees.labels[number] for number in trees.label]
    rules = defaultdict(list)
    for item, start in enumerate(trees.starts[:-1]):
        nodes = range(start, trees.starts[item + 1])
        for node in nodes:
            below = [one for one in nodes if trees.parents[one] == node - start]
            before, after = ([names[x] for x in below if (x < node) == side] for side in (1, 0))
            rules[names[node]].append((before, after))
    return rules


def grown(rules, rng):
    """(parents, relations) of a random sentence, its tokens in their order."""
    relations, above, sides = ["root"], [NO_PARENT], [0]
    node = 0
    while node < len(relations) <= LONGEST:
        own = rules[relations[node]]
        drawn = [list(side) for side in own[rng.integers(len(own))]]
        if rng.random() < MORE:
            side = int(rng.integers(2))
            more = own[rng.integers(len(own))][side]
            drawn[side] += more[:1]
        for side, names in enumerate(drawn):
            relations += names
            above += [node] * len(names)
            sides += [side] * len(names)
        node += 1
    return in_order(relations, above, sides)


def in_order(relations, above, sides):
    """(parents, relations) of tokens in the order of the sentence: a token between its sides."""
    below = defaultdict(lambda: ([], []))
    for node, parent in enumerate(above):
        below[parent][sides[node]].append(node)
    order, waiting = [], [(0, False)]
    while waiting:
        node, opened = waiting.pop()
        if opened:
            order.append(node)
            continue
        before, after = below[node]
        waiting += [(one, False) for one in reversed(after)]
        waiting += [(node, True), *((one, False) for one in reversed(before))]
    place = {node: number for number, node in enumerate(order)} | {NO_PARENT: NO_PARENT}
    return [place[above[node]] for node in order], [relations[node] for node in order]


def constituency_trees(n, seed=0, size=44):
    """Random trees of phrases and words, of `size` nodes, their labels as skewed as real ones."""
    rng = np.random.default_rng(seed)
    n_words = size // 2
    starts = np.arange(n + 1) * size
    made = []
    for _ in range(n):
        phrases = rng.integers(0, np.arange(size - n_words).clip(1))
        words = rng.integers(0, size - n_words, n_words)
        made.append(preorder(np.concatenate([phrases, words])))
    labels = [f"label {number:02}" for number in range(N_LABELS)]
    label = np.minimum(rng.geometric(0.15, starts[-1]) - 1, N_LABELS - 1)
    return Trees("constituency", starts, np.concatenate(made), label, labels)


def preorder(above):
    """Parents of nodes in preorder, from those of nodes that follow their parents."""
    below = defaultdict(list)
    for node, parent in enumerate(above[1:].tolist(), 1):
        below[parent].append(node)
    parents, waiting = [], [(0, NO_PARENT)]
    while waiting:
        node, parent = waiting.pop()
        waiting += [(child, len(parents)) for child in reversed(below[node])]
        parents.append(parent)
    return np.array(parents)


# --- trees in the formats of the peers


def nested(trees, item):
    """(label, children) of the artificial root of a sentence."""
    start, stop = trees.starts[item : item + 2]
    nodes = [(int(label), []) for label in trees.label[start:stop]]
    root = len(trees.labels), []
    for node, parent in zip(nodes, trees.parents[start:stop]):
        (root if parent == NO_PARENT else nodes[parent])[1].append(node)
    return root


def of_zss(tree):
    import zss

    return zss.Node(tree[0], [of_zss(child) for child in tree[1]])


def of_apted(tree):
    from apted.helpers import Tree

    return Tree(tree[0], *map(of_apted, tree[1]))


def of_edist(tree):
    """(nodes, children of each) in preorder."""
    nodes, children, waiting = [], [], [(tree, None)]
    while waiting:
        (label, below), parent = waiting.pop()
        if parent is not None:
            children[parent].append(len(nodes))
        waiting += [(child, len(nodes)) for child in reversed(below)]
        nodes.append(label)
        children.append([])
    return nodes, children


def by_zss():
    import zss

    return of_zss, zss.simple_distance


def by_apted():
    from apted import APTED

    return of_apted, lambda one, two: APTED(one, two).compute_edit_distance()


def by_edist():
    import edist.ted

    return of_edist, edist.ted.standard_ted


# name: a function that imports it and gives what turns a nested tree into theirs, and distance
PEERS = {"edist": by_edist, "zss": by_zss, "apted": by_apted}
