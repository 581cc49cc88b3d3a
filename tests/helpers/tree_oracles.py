"""Tree edit distance, its alpha and other scores of trees as they are defined, with Fractions.

A tree is (label, (child, ...)). An item of a corpus is a list of annotations: (heads, relations) as
CoNLL counts heads (0 is the root), or of constituency a tree. What is compared of a dependency
annotation is a tree whose root has the label ROOT, which no token has.
"""

from collections import Counter
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, permutations, product

ROOT = None


def quotient(numerator, denominator):
    """Return the Fraction, or None without denominator."""
    return None if not denominator else Fraction(numerator) / denominator


# ------------------------------------------------------------------------------------------- trees


def tree_of_heads(heads, relations, head=0):
    """Return the tree of a sentence: tokens in their order, below an artificial root."""
    below = [i for i, above in enumerate(heads, 1) if above == head]
    label = relations[head - 1] if head else ROOT
    return label, tuple(tree_of_heads(heads, relations, token) for token in below)


def nodes(tree):
    """Return the number of nodes."""
    return 1 + sum(map(nodes, tree[1]))


def leaves(tree):
    """Return the number of leaves."""
    return sum(map(leaves, tree[1])) or 1


def turned(tree):
    """Return the mirror image."""
    return tree[0], tuple(map(turned, reversed(tree[1])))


def with_labels(tree, names):
    """Return the tree with labels called names[label]; the artificial root keeps its own."""
    label, children = tree
    label = label if label is ROOT else names[label]
    return label, tuple(with_labels(child, names) for child in children)


def preorder(tree):
    """Return (parents, labels) of the nodes in preorder; the root has the parent -1."""
    parents, labels, waiting = [], [], [(-1, tree)]
    while waiting:
        parent, (label, children) = waiting.pop()
        waiting += [(len(parents), child) for child in reversed(children)]
        parents.append(parent)
        labels.append(label)
    return parents, labels


def as_heads(tree):
    """Return (heads, relations) of tokens that stand like the nodes of a tree in preorder."""
    parents, labels = preorder(tree)
    return [parent + 1 for parent in parents], labels


# -------------------------------------------------------------------------------------- distances


def unit(one, two):
    """Return the cost of turning one label into another: 1."""
    return int(one != two)


def of_closeness(closeness):
    """Return the function that gives 1 - closeness; labels that no pair names are not close."""
    table = {frozenset(pair): Fraction(near) for pair, near in closeness.items()}
    return lambda one, two: (
        0 if one == two else 1 - table.get(frozenset((one, two)), 0) if one and two else 1
    )


@lru_cache(maxsize=10_000)
def ted(one, two, cost=unit):
    """Return the tree edit distance: the textbook recursion over ordered forests, remembered.

    Of the leftmost trees one root goes, or comes, or both are matched.
    """

    @cache
    def distance(forest, other):
        if not forest or not other:
            return sum(map(nodes, forest + other))
        ((label, children), *rest), ((label_2, children_2), *rest_2) = forest, other
        rest, rest_2 = tuple(rest), tuple(rest_2)
        return min(
            1 + distance(children + rest, other),
            1 + distance(forest, children_2 + rest_2),
            cost(label, label_2) + distance(children, children_2) + distance(rest, rest_2),
        )

    return distance((one,), (two,))


def ted_by_mappings(one, two, cost=unit):
    """Return the distance as the least cost of all mappings that keep ancestors and order."""
    (above, labels), (above_2, labels_2) = preorder(one), preorder(two)

    def is_above(parents, i, j):
        return j != -1 and (i == parents[j] or is_above(parents, i, parents[j]))

    def fits(mapping):
        return all(
            (i < k) == (j < m)
            and is_above(above, i, k) == is_above(above_2, j, m)
            and is_above(above, k, i) == is_above(above_2, m, j)
            for (i, j), (k, m) in combinations(mapping, 2)
        )

    costs, n, n_2 = [], len(labels), len(labels_2)
    for size in range(min(n, n_2) + 1):
        for left in combinations(range(n), size):
            for right in combinations(range(n_2), size):  # preorder is kept, so both ascend
                mapping = list(zip(left, right))
                if fits(mapping):
                    turned = sum(cost(labels[i], labels_2[j]) for i, j in mapping)
                    costs.append(turned + n + n_2 - 2 * size)
    return min(costs)


DELTAS = {
    "plain": lambda distance, size, other: distance,
    "diff": lambda distance, size, other: distance - abs(size - other),
    "norm": lambda distance, size, other: Fraction(distance, size + other),
}


def grams(tree, p, q):
    """Return the pq-grams of a tree as a Counter: p labels downwards, then q children."""
    found = Counter()

    def walk(node, stem):
        label, children = node
        stem = (*stem[1:], label)
        edge = ["*"] * (q - 1)
        row = [*edge, *(child[0] for child in children), *edge] if children else ["*"] * q
        for start in range(len(row) - q + 1):
            found[stem + tuple(row[start : start + q])] += 1
        for child in children:
            walk(child, stem)

    walk(tree, ("*",) * p)
    return found


# ------------------------------------------------------------------------------------------- alpha


def alpha(items, delta):
    """Return (D_o, D_e, alpha) by loops; `delta` takes two annotations.

    None where there is nothing to divide by. Items of fewer than two annotations do not count.
    """
    items = [item for item in items if len(item) > 1]
    every = [annotation for item in items for annotation in item]
    n = len(every)
    if not n:
        return None, None, None
    within = sum(
        Fraction(sum(delta(x, y) ** 2 for x, y in permutations(item, 2)), len(item) - 1)
        for item in items
    )
    observed = Fraction(within, n)
    expected = Fraction(sum(delta(x, y) ** 2 for x, y in permutations(every, 2)), n * (n - 1))
    ratio = quotient(observed, expected)
    return observed, expected, None if ratio is None else 1 - ratio


# ------------------------------------------------------------------------ attachments and brackets

SAME = {
    "las": lambda one, two: one == two,
    "uas": lambda one, two: one[0] == two[0],
    "label_accuracy": lambda one, two: one[1] == two[1],
}


def tokens(annotation):
    """Return (head, relation) by token."""
    return list(zip(*annotation))


def attachments(items, metric, ignored=()):
    """Return the mean over pairs of each item, weighted by its tokens; None without tokens.

    Items whose annotations have different numbers of tokens are left out, and those without pairs.
    Tokens with `ignored` labels count on neither side: twice what agrees, by what both sides have.
    """
    top, bottom, same = Fraction(0), Fraction(0), SAME[metric]
    for item in items:
        pairs = list(combinations(item, 2))
        if len({len(heads) for heads, _ in item}) != 1:
            continue
        for one, two in pairs:
            kept = [[token[1] not in ignored for token in tokens(side)] for side in (one, two)]
            agreed = zip(*kept, map(same, tokens(one), tokens(two)))
            top += Fraction(2 * sum(map(all, agreed)), len(pairs))
            bottom += Fraction(sum(map(sum, kept)), len(pairs))
    return quotient(top, bottom)


def brackets(tree, start=0):
    """Return the set of (label, first leaf, leaf after the last one)."""
    label, children = tree
    found, end = set(), start
    for child in children:
        found |= brackets(child, end)
        end += leaves(child)
    return found | {(label, start, end if children else start + 1)}


def jaccard(items):
    """Return the mean over pairs of each item, weighted by the leaves of its first annotation."""
    top, bottom = Fraction(0), 0
    for item in items:
        if len(item) > 1:
            shares = [
                Fraction(len(one & two), len(one | two))
                for one, two in combinations([brackets(tree) for tree in item], 2)
            ]
            top += leaves(item[0]) * sum(shares) / len(shares)
            bottom += leaves(item[0])
    return quotient(top, bottom)


# ------------------------------------------------------------------------------------ small forests


def all_trees(n, labels):
    """Return every ordered tree of n nodes with every way to label it."""
    shapes = [
        [-1, *parents]
        for parents in product(*(range(i) for i in range(1, n)))
        if is_preorder([-1, *parents])
    ]
    return [nested(parents, given) for parents in shapes for given in product(labels, repeat=n)]


def is_preorder(parents):
    """Return whether each parent is the node before, or above that one."""
    for node in range(1, len(parents)):
        spine = node - 1
        while spine != parents[node]:
            if spine == -1:
                return False
            spine = parents[spine]
    return True


def nested(parents, labels, node=0):
    """Return the tree of nodes in preorder."""
    below = [i for i, parent in enumerate(parents) if parent == node]
    return labels[node], tuple(nested(parents, labels, child) for child in below)
