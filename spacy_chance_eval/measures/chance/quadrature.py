"""Where objects of a random order stand, for long texts: integrals instead of sums over subsets.

Give every object an independent uniform mark and sort by it: a random order. With the object's own
mark at u each other object stands in front of it with probability u, so

    P(total length in front = s) = integral over u in [0, 1] of [z^s] f(u, z),
    f(u, z) = product over the other objects of (1 - u + u z^length)

f is a polynomial in u of degree d, the number of the other objects. It is integrated by
Gauss-Legendre nodes at every frequency z, and one inverse Fourier transform gives all s.

* |f| is at most exp(-u (1 - u) D(z)) with D(z) = sum over objects of 1 - cos(length * angle of z).
  Frequencies are ordered by D; a node takes those where the product matters (above `NEGLIGIBLE`).
* u and 1 - u give mirrored distributions: half of the nodes do.
* Memory is bounded by `ELEMENTS` beside the returned arrays.

docs/reading.md bounds the error of every probability, and derives it.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import ComplexArray, FloatArray, IntArray

if TYPE_CHECKING:
    from .placement import Cases

FREE_TOKEN = -1  # instead of a row: the object is a free token
ELEMENTS = 1 << 24  # complex numbers of the spectra that are held at once, 0.27 GB
BLOCK = 1 << 19  # complex numbers of one block of nodes and frequencies: a cache is small
NEGLIGIBLE = 41.5  # -log of the largest product that is left out: 1e-18


def by_quadrature(cases: "Cases", c: int, row: IntArray, held: IntArray) -> Iterator[FloatArray]:
    """Yield the first `held[i]` places of the distribution of each object i of case c.

    `row` has the objects: rows of `cases`, or `FREE_TOKEN`.
    """
    rows = slice(cases.first[c], cases.first[c + 1])
    length, count = np.append(cases.length[rows], 1), np.append(cases.count[rows], cases.free[c])
    kinds = np.where(np.asarray(row) == FREE_TOKEN, len(length) - 1, row - cases.first[c])
    n = int(length @ count)
    grid = Frequencies(length, count)
    rule = gauss_legendre(int(n_nodes(int(count.sum()) - 1)))
    batch = max(1, ELEMENTS // len(grid.frequency))
    for at in range(0, len(kinds), batch):
        mine = kinds[at : at + batch]
        half = grid.half_spectra(mine, *rule)
        for kind, lower, places in zip(mine, half, held[at : at + batch]):
            spectrum = np.zeros(grid.size // 2 + 1, complex)
            mirror = grid.roots[grid.frequency * (n - length[kind]) % grid.size]
            spectrum[grid.frequency] = lower + mirror * lower.conj()
            signal = np.fft.irfft(spectrum, grid.size)[:places]
            yield np.maximum(signal, 0)


class Frequencies:
    """The frequencies of one case in the order of their damping D, and the spectra at them."""

    def __init__(self, length: IntArray, count: IntArray) -> None:
        self.length, self.count = length, count
        self.size = fast_size(int(length @ count) + 1)
        half = np.exp(-2j * np.pi / self.size * np.arange(self.size // 2 + 1))
        self.roots = np.concatenate([half, half[-2:0:-1].conj()])
        frequency = np.arange(self.size // 2 + 1)
        damping = np.zeros(len(frequency))
        for one, repeats in zip(length.tolist(), count.tolist()):
            damping += repeats * (1 - self.roots.real[frequency * one % self.size])
        self.frequency = np.argsort(damping, kind="stable")
        self.damping = damping[self.frequency]

    def half_spectra(self, kinds: IntArray, node: FloatArray, weight: FloatArray) -> ComplexArray:
        """sum over nodes below 1/2 of weight * f(node, z), without one object of each of `kinds`.

        Shape (number of kinds, number of frequencies), in the order of `frequency`.
        """
        found = np.zeros((len(kinds), len(self.frequency)), complex)
        # without the object itself D is less by at most 2
        reach = 2 + NEGLIGIBLE / (node * (1 - node))
        stops = np.searchsorted(self.damping, reach, "right")
        start = 0
        while start < stops.max():
            used = np.count_nonzero(stops > start)
            stop = start + max(1, BLOCK // (used * (len(self.length) + len(kinds))))
            # nor much more damping within a block: products would be too small for fast arithmetic
            most = max(4 * self.damping[start], reach.min())
            stop = min(stop, np.searchsorted(self.damping, most, "right"))
            place = self.length[:, None] * self.frequency[start:stop] % self.size
            u = node[:used, None]
            factors = self.roots[place][:, None] * u
            factors += 1 - u
            for i, product in products_without(factors, self.count, kinds, weight[:used, None]):
                found[i, start:stop] = product.sum(axis=0)
            start = stop
        return found


def products_without(
    factors: ComplexArray, count: IntArray, kinds: IntArray, weight: FloatArray
) -> Iterator[tuple[int, ComplexArray]]:
    """(i, weight * product of factors[k] ** count[k] but for one factor of kind kinds[i]), all i.

    By products of those before and after it: there is no division by a factor, which may be 0.
    """
    product = _product_of_powers(factors, count - np.bincount(kinds, minlength=len(count)))
    product *= weight
    after = [product]
    for kind in kinds[:0:-1]:
        after.append(after[-1] * factors[kind])
    before = None
    for i, kind in enumerate(kinds):
        yield i, after.pop() if before is None else after.pop() * before
        before = factors[kind] if before is None else before * factors[kind]


def _product_of_powers(factors: ComplexArray, exponent: IntArray) -> ComplexArray:
    """Product of factors[k] ** exponent[k], by squaring their common factors."""
    product: ComplexArray = np.ones_like(factors[0])
    for bit in reversed(range(int(exponent.max()).bit_length())):
        np.multiply(product, product, out=product)
        for k in np.flatnonzero(exponent >> bit & 1):
            product *= factors[k]
    return product


def n_nodes(degree: IntArray | int) -> IntArray:
    """Number of Gauss-Legendre nodes that integrate a polynomial of a degree up to 1e-16.

    N < d / 2 nodes leave an error below 32/15 exp(-2 N^2 / d) / (1 - exp(-4 N / d)): the integrand
    is at most exp(d t^2 / 2) on the ellipse with foci 0 and 1 whose distances from them add up to
    cosh(t), which bounds its Chebyshev coefficients. 4.5 sqrt(d) nodes leave 3e-18. Even, and
    rounded up to one of eight numbers per power of two, so that rules are used again.
    """
    nodes = np.minimum(degree // 2 + 1, np.ceil(4.5 * np.sqrt(degree)).astype(np.int64))
    nodes = np.maximum(nodes, 2)
    step = np.exp2(np.maximum(np.floor(np.log2(nodes)) - 3, 1)).astype(np.int64)
    rounded: IntArray = (nodes + step - 1) // step * step
    return rounded


@lru_cache(maxsize=64)
def gauss_legendre(nodes: int) -> tuple[FloatArray, FloatArray]:
    """The nodes of an even rule on [0, 1] that lie below 1/2, ascending, and their weights.

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


def fast_size(size: int) -> int:
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
