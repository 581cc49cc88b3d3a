"""Exact routes to where an object of a random order stands, see `placement`.

Counting subsets by size and length, one by one for short cases or by Fourier transform, and
integration over uniform marks for long ones. Each gives the first places (`held` of them) of the
distribution of the total length in front of an object. Those that count are off by about M * 1e-16
of each probability, with M segments (but where a convolution gives much smaller ones than others).
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
    """C(free, x) (m + x)! (K - 1 - m - x)! / K!, with K objects.

    With N = K - 1 others, M = N - free of them segments, p = (m + x) / N, q = 1 - p and
    n! = f(n) (n / e)^n (`stirling_factors`), that is C(free, x) / C(N, m + x) / K =

        f(free) f(m + x) f(N - m - x) / (f(x) f(free - x) f(N) K) p^m q^(M - m) exp(-D),
        D = -x log(1 - d / x) - (free - x) log(1 + d / (free - x)),   d = (x M - free m) / N

    All exponents are below M in size, however many objects there are: no large logarithms are
    subtracted, and the relative error is about M * 1e-16.
    """
    others = objects - 1
    segments, rest = others - free, others - m - x
    f = stirling_factors(int(others.max(initial=1)))
    factor = f[free] * f[m + x] * f[rest] / (f[x] * f[free - x] * f[others] * objects)
    others = np.maximum(others, 1)
    d = (x * segments - free * m) / others
    inner = x * np.log1p(-d / np.maximum(x, 1))
    inner += (free - x) * np.log1p(d / np.maximum(free - x, 1))
    return factor * ((m + x) / others) ** m * (rest / others) ** (segments - m) * np.exp(inner)


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
        choose = binomials(int(available.max()))[available[at], taken]
        number, total = number[state] + taken, total[state] + taken * length
        ways = ways[state] * choose
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


def stirling_factors(most):
    """n! / (n / e)^n of n = 0, 1, ... at least up to `most`."""
    return stirling_table(1 << max(int(most).bit_length(), 8))


@lru_cache(maxsize=1)
def stirling_table(size):
    """By Stirling's series, to a relative error of a few 1e-16; small ones from the factorials."""
    n = np.arange(1, size)
    series = 1 / 1260 - (1 / 1680 - 1 / 1188 / n**2.0) / n**2.0
    series = (1 / 12 - (1 / 360 - series / n**2.0) / n**2.0) / n
    table = np.append(1.0, np.sqrt(2 * np.pi * n) * np.exp(series))
    table[1:24] = [math.factorial(i) / i**i * math.exp(i) for i in range(1, 24)]
    return table


def binomials(most):
    """C(n, k) of n, k = 0, 1, ... at least up to `most`, by Pascal's triangle."""
    return pascal_table(1 << max(int(most).bit_length(), 5))


@lru_cache(maxsize=1)
def pascal_table(size):
    table = np.zeros((size, size))
    table[:, 0] = 1
    for n in range(1, size):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table
