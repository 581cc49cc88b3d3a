"""Exact routes to where an object of a random order stands, see `placement`.

Counting subsets by size and length, one by one for short cases or by Fourier transform, and
integration over uniform marks for long ones. Each gives the first places (`held` of them) of the
distribution of the total length in front of an object.
"""

import math
from functools import lru_cache

import numpy as np

from .spans import expanded

FREE_TOKEN = -1  # in place of a row: the object is a free token


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
    found = []
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
        found.append(np.maximum(np.fft.irfft(spectrum.sum(axis=0), size)[:places], 0))
    return found


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


def n_nodes(degree):
    """Gauss-Legendre nodes: exact for the degree if few, else accurate to about 1e-11.

    Even, and rounded up to one of eight numbers per power of two, so that rules are used again.
    """
    exact, enough = degree // 2 + 1, (12 * np.sqrt(degree + 1.0) + 40).astype(np.int64)
    nodes = np.minimum(exact, enough)
    step = np.exp2(np.maximum(np.floor(np.log2(nodes)) - 3, 1)).astype(np.int64)
    return (nodes + step - 1) // step * step


def by_quadrature(cases, c, row, held):
    """The route for long cases: a random order is that of independent uniform marks u.

    With the object's own mark at u, each other object stands in front with probability u, so

        P(total = s) = integral over u in [0, 1] of [z^s] prod over others (1 - u + u z^length):

    Gauss-Legendre nodes in u, one inverse Fourier transform in z. u and 1 - u give mirrored
    distributions, so half of the nodes do; frequencies at which the free tokens alone damp the
    product below 1e-18 are left out. An object leaves the common product by division (an even rule
    has no node at 1/2, where a factor could vanish).
    """
    rows = slice(cases.first[c], cases.first[c + 1])
    free, length, count = int(cases.free[c]), cases.length[rows], cases.count[rows]
    n = int(free + length @ count)
    own = [1 if r == FREE_TOKEN else int(cases.length[r]) for r in row]
    kinds = [-1 if r == FREE_TOKEN else int(r - cases.first[c]) for r in row]
    size = fast_size(n + 1)
    angle = 2 * np.pi / size * np.arange(size // 2 + 1)
    powers = np.exp(-1j * np.outer([*length, 1], angle))  # the last row is a free token
    mirror = {a: np.exp(-1j * angle * (n - a)) for a in set(own)}
    spectra = np.zeros((len(own), len(angle)), complex)
    node, weight = gauss_legendre(int(n_nodes(np.asarray(free + count.sum()))))
    for u, w in zip(node, weight):
        damped = (1 - math.exp(-83 / (free - 1))) / (2 * u * (1 - u)) if free > 1 else 2
        stop = np.searchsorted(angle, math.acos(max(-1.0, 1 - damped)), "right") + 1
        factors = 1 - u + u * powers[:, :stop]
        product = power(factors[-1], free)
        for factor, repeats in zip(factors, count.tolist()):
            product *= power(factor, repeats)
        for spectrum, kind, a in zip(spectra, kinds, own):
            others = product / factors[kind]
            spectrum[:stop] += w * (others + mirror[a][:stop] * others.conj())
    signals = np.fft.irfft(spectra, size, axis=1)
    return [np.maximum(signal[:places], 0) for signal, places in zip(signals, held)]


def power(base, exponent):
    """base ** exponent for a natural exponent, by repeated squaring."""
    result = base.copy() if exponent & 1 else np.ones_like(base)
    while exponent := exponent >> 1:
        base = base * base
        if exponent & 1:
            result *= base
    return result


@lru_cache(maxsize=64)
def gauss_legendre(nodes):
    """The nodes of an even rule on [0, 1] that lie below 1/2, and their weights.

    Roots of the Legendre polynomial by Newton's method on its recurrence, from Tricomi's estimate;
    numpy's `leggauss` solves an eigenvalue problem, which is slow for hundreds of nodes.
    """
    x = np.cos(np.pi * (np.arange(1, nodes // 2 + 1) - 0.25) / (nodes + 0.5))
    for _ in range(5):
        before, here = np.ones_like(x), x
        for k in range(2, nodes + 1):
            before, here = here, ((2 * k - 1) * x * here - (k - 1) * before) / k
        slope = nodes * (before - x * here) / (1 - x * x)
        x = x - here / slope
    return (1 - x) / 2, 1 / ((1 - x * x) * slope * slope)


def fast_size(size):
    """The smallest even number with no prime factor above 5 that is at least `size`."""
    size += size % 2
    while True:
        rest = size
        for prime in (2, 3, 5):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return size
        size += 2


@lru_cache(maxsize=1)
def log_factorial_table(size):
    return np.array([math.lgamma(i + 1) for i in range(size)])


def log_factorials(most):
    """log 0!, log 1!, ... at least up to log most!."""
    return log_factorial_table(1 << max(int(most).bit_length(), 8))
