"""The quadrature of long texts: its stated error against exact fractions, and its parts."""

import tracemalloc
from collections import Counter
from fractions import Fraction
from math import comb, exp, expm1, factorial, log2, sqrt

import numpy as np
import pytest

from spacy_chance_eval.measures.chance import quadrature
from spacy_chance_eval.measures.chance.placement import cases_of, edge_sizes, n_places
from spacy_chance_eval.measures.chance.quadrature import (
    FREE_TOKEN,
    Frequencies,
    by_quadrature,
    gauss_legendre,
    n_nodes,
)

FEW = [
    (500, (7,) * 40),
    (900, (2,) * 200 + (3,) * 100),
    (1500, (1,) * 300 + (40,) * 20),
    (2000, (3,) * 600),
    (2200, (2, 4) * 300),  # even lengths, which nearly fill the unit
]


def exact_places(free, others, places):
    """P(total length in front of an object = s) for some s, by counting subsets, as Fractions."""
    ways = {(0, 0): 1}
    for length, count in Counter(others).items():
        more = Counter()
        for (m, s), subsets in ways.items():
            for taken in range(min(count, (max(places) - s) // length) + 1):
                more[m + taken, s + taken * length] += subsets * comb(count, taken)
        ways = more
    objects, sums = len(others) + free + 1, dict.fromkeys(places, 0)
    factorials = [factorial(0)]
    for number in range(1, objects + 1):
        factorials.append(factorials[-1] * number)
    orders = [factorials[m] * factorials[objects - 1 - m] for m in range(objects)]
    for (m, s), subsets in ways.items():
        for place in places:
            x = place - s
            if 0 <= x <= free:
                sums[place] += subsets * comb(free, x) * orders[m + x]
    return {place: Fraction(number, factorials[objects]) for place, number in sums.items()}


def largest_error(n, lengths, places_of):
    """The largest error of the quadrature at some places, over all kinds of objects; a Fraction."""
    cases = cases_of([(n, lengths)])
    rows = np.arange(FREE_TOKEN if n > sum(lengths) else 0, len(cases.length))
    held = n_places(cases, np.zeros_like(rows), rows)
    largest = Fraction(0)
    for row, size, found in zip(rows, held, by_quadrature(cases, 0, rows, held), strict=True):
        others, free = list(lengths), n - sum(lengths) - (row == FREE_TOKEN)
        if row != FREE_TOKEN:
            others.remove(cases.length[row])
        exact = exact_places(int(free), others, places_of(int(size)))
        errors = (abs(Fraction(float(found[s])) - exact[s]) for s in exact)
        largest = max(largest, *errors)
    return largest


def some_places(size):
    """Places at the edge and further inside."""
    return [s for s in (0, 1, 2, 3, 7, 20, 61, 150) if s < size]


ROUNDOFF = 2.0**-53  # the relative error of one rounding


def quadrature_error(n, lengths, nodes=None):
    """Upper bound of the error of the probabilities that `by_quadrature` gives for a unit.

    With K objects, d = K - 1, N nodes, a transform of size S and v = 2**-53 it is the sum of

        truncation    `truncation_error(d, N)`, at each frequency and so in their mean
        left out      exp(-41.5), as the weights add up to 1
        rounding      3 v (12 K + N + 14) B,   B = mean over z of sum over u of w exp(-u (1 - u) D)
        weights       4 v sqrt(N)
        transform     8 v log2(S) sqrt(2 B)

    Rounding: a factor 1 - u + u z is off by at most 9 v (node v / 2, z 10 v, three roundings); a
    product of K - 1 factors has less than K rounded products, each off by sqrt(5) v of itself
    (Brent et al. 2007); a sum of N / 2 terms, its mirror image and the weight take the rest.
    Products without the object and one more factor are at most exp(1 - u (1 - u) D), and e < 3.
    Transform: a relative error of 8 v log2(S) in the Euclidean norm, which is at most sqrt(max P)
    <= sqrt(2 B). Proven for powers of two (Higham 2002, theorem 24.2); for sizes with factors 3 and
    5, and for the accuracy of nodes and weights, there are tests only.

    """
    length, count = np.unique(np.append(np.asarray(lengths, np.int64), 1), return_counts=True)
    count[0] += n - int(np.sum(lengths)) - 1
    objects = int(count.sum())
    nodes = nodes or int(n_nodes(objects - 1))
    grid = Frequencies(length, count)
    mass = np.where(grid.frequency % (grid.size // 2), 2, 1) / grid.size  # and the conjugate one
    spread = left_out = exp(-quadrature.NEGLIGIBLE)
    for u, w in zip(*gauss_legendre(nodes)):
        spread += 2 * w * (mass @ np.exp(-u * (1 - u) * grid.damping))
    rounding = 3 * (12 * objects + nodes + 14) * spread + 4 * sqrt(nodes)
    transform = 8 * log2(grid.size) * sqrt(2 * spread)
    return float(
        truncation_error(objects - 1, nodes) + left_out + ROUNDOFF * (rounding + transform)
    )


def truncation_error(degree, nodes):
    """Upper bound of the error of N >= 2 nodes for the integral of f over u, at any frequency.

        0 if d < 2 N, else 32/15 exp(-2 N^2 / d) / (1 - exp(-4 N / d))

    On the ellipse with foci 0 and 1 whose distances from them add up to cosh(t), each of the d
    factors is at most |1 - u| + |u| = cosh(t) <= exp(t^2 / 2). So Chebyshev's coefficients of f are
    at most 2 exp(d t^2 / 2 - k t). The rule is exact for k < 2 N, by symmetry for odd k, and off by
    (2 + 2 / (k^2 - 1)) / 2 <= 16/15 for others. They add up to the bound, with t = 2 N / d.
    """
    if degree < 2 * nodes:
        return 0.0
    rate = 2 * nodes / degree
    return 32 / 15 * exp(-rate * nodes) / -expm1(-2 * rate)


# --- the stated bound


SLOW = [(5000, (2,) * 900 + (9,) * 250), (8000, (1, 2, 5) * 500), (650, tuple(range(1, 36)))]
DISTINCT = [
    (40, (1, 5, 10, 15)),
    (120, tuple(range(1, 15))),
    (231, tuple(range(1, 22))),  # no free token
    (300, tuple(range(1, 18))),
    (400, tuple(range(1, 20, 2)) + (60, 70, 80)),
]


@pytest.mark.parametrize(
    ("n", "lengths", "places_of"),
    [
        *((*case, some_places) for case in FEW),
        # at every place for distinct lengths
        *(pytest.param(*case, range, marks=pytest.mark.integration) for case in DISTINCT),
        *(pytest.param(*case, some_places, marks=pytest.mark.slow) for case in SLOW),
    ],
)
def test_the_error_is_below_the_bound(n, lengths, places_of):
    assert largest_error(n, lengths, places_of) <= quadrature_error(n, lengths) < 1e-12


@pytest.mark.parametrize("nodes", [4, 8, 16, 24, 32, 64])
def test_the_error_of_too_few_nodes_is_below_their_bound(nodes, monkeypatch):
    monkeypatch.setattr(quadrature, "n_nodes", lambda degree: nodes)
    for n, lengths in ((300, (20,) * 3), (231, tuple(range(1, 22)))):
        assert largest_error(n, lengths, some_places) <= quadrature_error(n, lengths, nodes)


def test_the_nodes_that_are_taken_leave_less_than_rounding():
    for degree in (*range(1000), *10 ** np.arange(3, 7)):
        assert truncation_error(int(degree), int(n_nodes(int(degree)))) < 1e-15
    for degree, nodes in ((3, 2), (15, 8), (199, 100)):  # enough, then too few by one
        assert truncation_error(degree, nodes) == 0 < truncation_error(2 * nodes, nodes)


def log_product(lengths, n, u, z):
    """The logarithm of the absolute product of the factors of all objects."""
    counts = Counter([*lengths, *[1] * (n - sum(lengths))])
    factors = ((count, np.abs(1 - u + u * z**length)) for length, count in counts.items())
    return sum(count * np.log(np.maximum(factor, 1e-300)) for count, factor in factors)


@pytest.mark.parametrize(("n", "lengths"), [(100, (3,) * 10), (1000, (1, 2, 30) * 30)])
def test_the_chebyshev_bound_of_the_products_holds_on_the_ellipse(n, lengths):
    """|f| <= cosh(t)^d <= exp(d t^2 / 2) where the distances from 0 and 1 add up to cosh(t)."""
    t, turn = 0.3, np.linspace(0, 2 * np.pi, 200)
    u = (1 + np.cos(turn + 1j * t)) / 2
    np.testing.assert_allclose(np.abs(u) + np.abs(1 - u), np.cosh(t), rtol=1e-12)
    log = log_product(lengths, n, u, np.exp(1j * turn)[:, None])
    assert (log <= (n - sum(lengths) + len(lengths)) * t * t / 2).all()


def test_products_are_below_the_damping_that_leaves_them_out():
    grid = Frequencies(np.array([2, 7, 1]), np.array([30, 10, 40]))
    for u in (0.01, 0.2, 0.5):
        log = log_product((2,) * 30 + (7,) * 10, 170, u, grid.roots[grid.frequency])
        assert (log <= -u * (1 - u) * grid.damping + 1e-9).all()


# --- nodes, weights, roots: as accurate as the bound takes them to be


def fixed_point_rule(nodes, bits=160):
    """Nodes below 1/2 and their weights in units of 2 ** -bits, by Newton's method on integers."""
    one = 1 << bits
    x = np.array([one - (int(u * 2**100) << (bits - 99)) for u in gauss_legendre(nodes)[0]], object)
    for _ in range(2):
        before, here = np.full(len(x), one, object), x
        for k in range(2, nodes + 1):
            before, here = here, ((2 * k - 1) * (x * here >> bits) - (k - 1) * before) // k
        slope = (nodes * (before - (x * here >> bits)) << bits) // (one - (x * x >> bits))
        x = x - (here << bits) // slope
    return (one - x) // 2, (one << 2 * bits) // ((one - (x * x >> bits)) * (slope * slope >> bits))


EVERY = n_nodes(np.unique(np.logspace(0, 6, 2000).astype(int)))  # up to a million objects


@pytest.mark.parametrize(
    "rules",
    [
        [2, 4, 6, 10, 20, 36, 64, 128, 224, 320, 640],
        pytest.param(np.unique(EVERY).tolist(), marks=pytest.mark.slow),
    ],
    ids=["some", "every"],
)
def test_nodes_and_weights_are_as_accurate_as_the_bound_says(rules):
    for nodes in rules:
        errors = [
            np.array([abs(int(found * 2**160) - exact) / 2**160 for found, exact in zip(*pair)])
            for pair in zip(gauss_legendre(nodes), fixed_point_rule(nodes))
        ]
        assert errors[0].max() <= ROUNDOFF / 2
        assert errors[1].sum() <= 2 * np.sqrt(nodes) * ROUNDOFF  # of half of the weights


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="needs a longer float")
def test_roots_of_unity_are_as_accurate_as_the_bound_says():
    for n in (100, 7777, 100_000):
        grid = Frequencies(np.array([1]), np.array([n]))
        turn = np.arange(grid.size, dtype=np.longdouble) / grid.size
        angle = -2 * np.arctan2(np.longdouble(0), np.longdouble(-1)) * turn
        off = np.hypot(grid.roots.real - np.cos(angle), grid.roots.imag - np.sin(angle))
        assert off.max() <= 10 * ROUNDOFF


def test_gauss_legendre_integrates_polynomials_over_the_unit_interval():
    node, weight = gauss_legendre(6)
    for power in range(12):
        integral = weight @ (node**power + (1 - node) ** power)
        assert integral == pytest.approx(1 / (power + 1), abs=1e-14)


# --- products and blocks


@pytest.mark.parametrize(("block", "elements"), [(1, 1), (1000, 100), (1 << 19, 200)])
def test_small_blocks_give_the_same(block, elements, monkeypatch):
    cases = cases_of([(300, (1, 2, 5, 9) * 8)])
    rows = np.array([FREE_TOKEN, 0, 1, 2, 3])
    held = n_places(cases, np.zeros_like(rows), rows)
    whole = np.concatenate(list(by_quadrature(cases, 0, rows, held)))
    monkeypatch.setattr(quadrature, "BLOCK", block)
    monkeypatch.setattr(quadrature, "ELEMENTS", elements)
    np.testing.assert_allclose(
        np.concatenate(list(by_quadrature(cases, 0, rows, held))), whole, atol=1e-16
    )


@pytest.mark.integration
def test_memory_does_not_grow_with_the_number_of_lengths_but_for_the_result(monkeypatch):
    monkeypatch.setattr(quadrature, "BLOCK", 1 << 16)
    monkeypatch.setattr(quadrature, "ELEMENTS", 1 << 14)
    lengths = tuple(range(1, 90))
    cases = cases_of([(9000, lengths)])
    rows = np.arange(len(lengths))
    held = edge_sizes(cases, np.zeros_like(rows), rows)
    tracemalloc.start()
    for places, found in zip(held, by_quadrature(cases, 0, rows, held), strict=True):
        assert len(found) == places
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e6  # the spectra of all lengths together would take 6.4e6
