"""Laminar spans under the random annotation model: layers of disjoint placements.

The outermost spans of a unit are placed by the disjoint model in its tokens, the children of a span
by the disjoint model inside that span, and so on.
"""

from functools import lru_cache

import numpy as np

from .chance import start_probabilities


def parents(spans):
    """Row of the smallest span of the same label around each span; -1 for an outermost one.

    Raises
    ------
    ValueError
        If two spans of one label cross; names the two.
    """
    parent = np.full(len(spans), -1)
    start = (spans.start + spans.offsets[spans.doc]).tolist()
    end = (spans.end + spans.offsets[spans.doc]).tolist()
    open_spans, label_before = [], None
    for row in np.lexsort((-spans.end, spans.start, spans.doc, spans.label)).tolist():
        if spans.label[row] != label_before:
            open_spans, label_before = [], spans.label[row]
        while open_spans and end[open_spans[-1]] <= start[row]:
            open_spans.pop()
        if open_spans:
            parent[row] = open_spans[-1]
            if end[row] > end[open_spans[-1]]:
                raise ValueError(
                    f"{spans.span_name(open_spans[-1])} crosses {spans.span_name(row)}: the nested "
                    "chance model needs spans that lie inside each other or apart; "
                    "use chance=overlapping (--chance overlapping)"
                )
        open_spans.append(row)
    return parent


def outermost(spans):
    """The spans that lie in no other span of their label: they alone cover tokens."""
    return spans.keep(parents(spans) < 0)


def expected_nested_matches(gold, pred, cell_ids, table):
    """Expected number of identical pairs of spans; one entry per (document, label), flat."""
    n_labels = len(gold.labels)
    out = np.zeros(gold.n_docs * n_labels)
    sides = [forests(spans, ids) for spans, ids in zip((gold, pred), cell_ids)]
    known = {}
    for cell in sorted(sides[0].keys() & sides[1].keys()):
        doc, start, end = table[cell // n_labels]
        case = (int(end - start), sides[0][cell], sides[1][cell])
        if case not in known:
            known[case] = nested_matches(*case)
        out[doc * n_labels + cell % n_labels] += known[case]
    return out


def nested_matches(n, first, second):
    """Expected identical pairs of two forests of (length, children) in n tokens."""
    pairs = (
        (one, two)
        for a, one in absolute_starts(n, first)
        for b, two in absolute_starts(n, second)
        if a == b
    )
    return sum(float(one @ two) for one, two in pairs)


@lru_cache(maxsize=4096)
def absolute_starts(n, forest):
    """[(length, start distribution in n tokens)] of every span of a forest."""
    found = []
    for (length, children), start in zip(forest, start_probabilities(n, [a for a, _ in forest])):
        found.append((length, start))
        found += [(a, np.convolve(start, inner)) for a, inner in absolute_starts(length, children)]
    return found


def forests(spans, cell_ids):
    """{cell: forest}, a forest being a sorted tuple of (length, forest of the children)."""
    parent = parents(spans)
    children = {}
    for row, above in enumerate(parent.tolist()):
        children.setdefault(above, []).append(row)
    depth_first = np.argsort(spans.lengths, kind="stable").tolist()  # children before parents
    tree = {}
    for row in depth_first:
        inner = tuple(sorted(tree[child] for child in children.get(row, ())))
        tree[row] = (int(spans.lengths[row]), inner)
    found = {}
    for row in children.get(-1, ()):
        found.setdefault(int(cell_ids[row]), []).append(tree[row])
    return {cell: tuple(sorted(forest)) for cell, forest in found.items()}
