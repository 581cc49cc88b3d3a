"""Exact routes to where an object of a random order stands, see `placement`.

Counting subsets by size and length, one by one for short cases or by Fourier transform, and
integration over uniform marks for long ones. Each gives the first places (`held` of them) of the
distribution of the total length in front of an object.
"""

import math
from functools import lru_cache

import numpy as np

from .quadrature import FREE_TOKEN, fast_size
from .spans import expanded


def by_subset_sums(cases, case, row, held):
    """The route for short cases: count subsets of the other segments by number and total length.

    A given set of m segments and x free tokens is exactly what stands in front of the object in
    (m + x)! (K - 1 - m - x)! of the K! orders of the K objects. Edges (of sizes `held`) of many
    objects at once, one after the other.
    """
    at, number, total, ways = subset_counts(cases, case, row, held)
    free = cases.free[case] - (row == FREE_TOKEN)
    steps = np.minimum(free[at] + 1, held[at] - total)  # x = 0, 1, ... on the edge
    objects = (cases.free + cases.sums(cases.count))[case]
    numbers, frees = number.max(initial=0) + 1, free.max(initial=0) + 1
    key = (objects[at] * frees + free[at]) * numbers + number
    key, weight_of = np.unique(key, return_inverse=True)  # the distinct rows of weights
    width = np.zeros_like(key)
    np.maximum.at(width, weight_of, steps)
    m, g, k = key % numbers, key // numbers % frees, key // numbers // frees
    weight, x = expanded(np.zeros_like(key), width)
    weights = order_weights(k[weight], g[weight], m[weight], x)
    first = np.concatenate([[0], np.cumsum(width)])[weight_of]
    offset = np.concatenate([[0], np.cumsum(held)])
    state, place = expanded(first, first + steps)
    shift = offset[at] + total - first
    return np.bincount(place + shift[state], ways[state] * weights[place], offset[-1])


def order_weights(objects, free, m, x):
    """C(free, x) (m + x)! (K - 1 - m - x)! / K!, with K objects."""
    log = log_factorials(int(objects.max(initial=1)))
    weight = log[free] - log[x] - log[free - x]
    return np.exp(weight + log[m + x] + log[objects - 1 - m - x] - log[objects])


def by_convolution(cases, c, row, held):
    """The route between: the same sum, as a convolution of subset counts and weights for each m."""
    rows = slice(cases.first[c], cases.first[c + 1])
    objects = int(cases.free[c] + cases.count[rows].sum())
    for r, places in zip(row, held):
        count = cases.count[rows].copy()
        count[[] if r == FREE_TOKEN else [r - cases.first[c]]] -= 1
        free = int(cases.free[c] - (r == FREE_TOKEN))
        others = np.repeat(cases.length[rows], count)
        ways = np.zeros((len(others) + 1, min(others.sum() + 1, places)))
        ways[0, 0] = 1
        for j, length in enumerate(others[others < places].tolist()):
            ways[1 : j + 2, length:] += ways[: j + 1, : ways.shape[1] - length].copy()
        subsets = ways.sum(axis=1, keepdims=True)
        m = np.flatnonzero(subsets)[:, None]
        ways, subsets, x = ways[m[:, 0]], subsets[m[:, 0]], np.arange(min(free + 1, places))
        weights = subsets * order_weights(np.array(objects), np.array(free), m, x)
        size = fast_size(len(x) + ways.shape[1])
        spectrum = np.fft.rfft(ways / subsets, size, axis=1) * np.fft.rfft(weights, size, axis=1)
        yield np.maximum(np.fft.irfft(spectrum.sum(axis=0), size)[:places], 0)


def subset_counts(cases, case, row, held):
    """Rows (object, size, total length, number of subsets of the other segments), all at once.

    Of the totals that lie on the edge.
    """
    first = cases.first[case]
    kinds = cases.first[case + 1] - first
    at = np.arange(len(case))
    number, total, ways = np.zeros_like(at), np.zeros_like(at), np.ones(len(at))
    for kind in range(kinds.max(initial=0)):
        here = np.minimum(first + kind, len(cases.length) - 1)
        available = np.where(kind < kinds, cases.count[here] - (here == row), 0)
        length = cases.length[here][at]
        most = np.minimum(available[at], (held[at] - 1 - total) // length)
        state, taken = expanded(np.zeros_like(at), most + 1)
        at, length = at[state], length[state]
        log = log_factorials(int(available.max()))
        choose = np.exp(log[available[at]] - log[taken] - log[available[at] - taken])
        number, total = number[state] + taken, total[state] + taken * length
        ways = ways[state] * np.rint(choose)
        at, number, total, ways = merged(at, number, total, ways)
    return at, number, total, ways


def merged(at, number, total, ways):
    """The same rows with equal (object, size, total) added up."""
    sizes = number.max(initial=0) + 1
    totals = total.max(initial=0) + 1
    key, place = np.unique((at * sizes + number) * totals + total, return_inverse=True)
    if len(key) == len(at):
        return at, number, total, ways
    ways = np.bincount(place, ways, len(key))
    return key // totals // sizes, key // totals % sizes, key % totals, ways


@lru_cache(maxsize=1)
def log_factorial_table(size):
    return np.array([math.lgamma(i + 1) for i in range(size)])


def log_factorials(most):
    """log 0!, log 1!, ... at least up to log most!."""
    return log_factorial_table(1 << max(int(most).bit_length(), 8))
