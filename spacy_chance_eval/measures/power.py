"""Power of paired tests, and the size of a sample that reaches it.

A difference d between two systems is estimated from n units (documents). Its standard error is
s / sqrt(n), and that of its exchanges under the null hypothesis is s0 / sqrt(n). A test by
exchanges rejects where |d| is at least z s0 / sqrt(n), with z the quantile of the normal
distribution at 1 - alpha / 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .arrays import BoolArray, FloatArray
from .resampling import normal_quantiles, normal_shares
from .stats import ratio

EXACT = 1000  # discordant units that are expected: beyond, the normal distribution is as good
TAILS = 9.0  # standard deviations around the mean that are summed


def critical_value(alpha: float) -> float:
    """The quantile of the normal distribution beyond which a two-sided test rejects."""
    return float(normal_quantiles(np.array(1 - alpha / 2)))


def normal_power(
    difference: ArrayLike, spread: ArrayLike, null_spread: ArrayLike, n: ArrayLike, alpha: float
) -> FloatArray:
    """Probability that a two-sided test on n units rejects, by the normal distribution.

    Phi((sqrt(n) |d| - z s0) / s) + Phi((-sqrt(n) |d| - z s0) / s). It broadcasts; nan where nothing
    varies (s is 0).

    Parameters
    ----------
    difference : array_like
        d, the true difference.
    spread : array_like
        s, the standard deviation of the influence of a unit on the difference.
    null_spread : array_like
        s0, the same under exchanges of units between the systems.
    n : array_like
        Number of units.
    alpha : float
        Level of the test.
    """
    moved = np.sqrt(np.asarray(n, float)) * np.abs(np.asarray(difference, float))
    bound = critical_value(alpha) * np.asarray(null_spread, float)
    above, below = (ratio(sign * moved - bound, spread) for sign in (1, -1))
    return normal_shares(above) + normal_shares(below)


def needed_for_power(
    difference: ArrayLike,
    spread: ArrayLike,
    null_spread: ArrayLike,
    power: float,
    alpha: float,
) -> FloatArray:
    """Units that a two-sided test needs for a power: ((z s0 + z_power s) / d)^2.

    inf where the difference is 0 or below, so that differences of the other sign count as never
    decided. nan where it is nan.

    Parameters
    ----------
    difference : array_like
        d, with the sign that makes it a gain.
    spread, null_spread : array_like
        s and s0, as in `normal_power`.
    power, alpha : float
        Wanted power, and level of the test.

    References
    ----------
    Connor (1987), Sample Size for Testing Differences in Proportions for the Paired-Sample Design.
    """
    gain = np.asarray(difference, float)
    beyond = float(normal_quantiles(np.array(power)))
    top = critical_value(alpha) * np.asarray(null_spread, float) + beyond * np.asarray(spread)
    root = np.maximum(ratio(top, np.where(gain > 0, gain, np.nan)), 0)
    return np.where(np.isnan(gain) | (gain > 0), root**2, np.inf)


def needed_for_width(spread: ArrayLike, width: float, level: float) -> FloatArray:
    """Units with which an interval is +- width: (z s / width)^2, z of the level of the interval."""
    return (critical_value(1 - level) * np.asarray(spread, float) / width) ** 2


def can_reject(n_moving: FloatArray, alpha: float) -> BoolArray:
    """Whether exchanges of n units that move a difference can give a p-value below alpha.

    Of the 2^n exchanges, two give the largest difference: p is 2^(1 - n) at least.
    """
    possible: BoolArray = 1 - np.asarray(n_moving, float) < math.log2(alpha)
    return possible


def fewest_moving(alpha: float) -> int:
    """The fewest units that move a difference with which exchanges can reject: six for .05."""
    return math.floor(1 - math.log2(alpha)) + 1


def enough_move(expected: FloatArray, alpha: float) -> FloatArray:
    """Probability that enough units move for exchanges to reject, if some number is expected.

    Numbers of units that move are taken to be Poisson distributed.
    """
    mean = np.minimum(expected, 700.0)  # exp(-mean) is above 0
    fewer = sum(mean**k / math.factorial(k) for k in range(fewest_moving(alpha)))
    chances: FloatArray = 1 - np.exp(-mean) * fewer
    return chances


def sign_test_power(n: int, gained: float, lost: float, alpha: float) -> float:
    """Power of the exact test by exchanges of n units that are right or wrong (McNemar's).

    A unit is right in the first system alone with probability `lost`, in the second alone with
    probability `gained`. Of k such units, the test looks at the number that were gained: under the
    null hypothesis it is binomial with probability 1/2.

    Parameters
    ----------
    n : int
        Number of units.
    gained, lost : float
        Probabilities.
    alpha : float
        Level of the test.
    """
    discordant = min(gained + lost, 1.0)  # not a little more, by rounding
    if not discordant:
        return 0.0
    mean = n * discordant
    room = TAILS * math.sqrt(mean * (1 - discordant)) + TAILS
    numbers = range(max(0, math.floor(mean - room)), min(n, math.ceil(mean + room)) + 1)
    weights = _binomial(n, discordant)[numbers.start : numbers.stop]
    return float(
        sum(
            weight * _rejected(k, min(gained / discordant, 1.0), alpha)
            for k, weight in zip(numbers, weights)
            if weight > 1e-12
        )
    )


def _rejected(k: int, gained: float, alpha: float) -> float:
    """How often the sign test of k units rejects, if each is a gain with a given probability."""
    fewest = int((np.cumsum(_binomial(k, 0.5)) < alpha / 2).sum())  # rejected on either side
    chances = _binomial(k, gained)
    return float(chances[:fewest].sum() + chances[k + 1 - fewest :].sum())


def _binomial(n: int, p: float) -> FloatArray:
    """Probabilities of 0 to n successes."""
    if p in (0, 1):
        return np.where(np.arange(n + 1) == n * p, 1.0, 0.0)
    steps = np.arange(1, n + 1)
    logs = np.cumsum(np.log((n + 1 - steps) / steps) + math.log(p / (1 - p)))
    chances: FloatArray = np.exp(np.append(0.0, logs) + n * math.log1p(-p))
    return chances


# --- from a guess


@dataclass(frozen=True)
class PairedGuess:
    """Two systems that are right or wrong on each gold span, in documents of equally many spans.

    A system that misses a span has a wrong one in its place, so that precision, recall and F are
    the share of gold spans that are right. Spans are right independently of each other.

    Parameters
    ----------
    f : float
        F of the first system.
    difference : float
        F of the second less that of the first.
    discordant : float
        Share of the spans that one system alone has right: 1 less the agreement of the systems.
    per_doc : float
        Gold spans by document. A test exchanges documents.
    """

    f: float
    difference: float
    discordant: float
    per_doc: float = 1.0

    def power(self, n_spans: float, alpha: float) -> float:
        """Power of the test by exchanges.

        Of documents with one span each, that of the exact test. Of larger ones, the larger of two
        estimates that are rather low: the exact test of whether more documents gain spans than
        lose some, and the normal distribution, less one span for continuity; but never more than
        the probability that enough documents differ. If very many differ, by the normal
        distribution.
        """
        n_docs = max(1, round(n_spans / self.per_doc))
        gained, lost = self.moved
        if not gained + lost:
            return 0.0
        less = 1 / n_spans if self.per_doc != 1 else 0.0
        difference = max(abs(self.difference) - less, 0.0)
        normal = float(normal_power(difference, *self.spreads, n_spans / self.per_doc, alpha))
        if n_docs * (gained + lost) > EXACT:
            return normal
        exact = sign_test_power(n_docs, gained, lost, alpha)
        if self.per_doc == 1:
            return exact
        enough = can_reject(np.arange(n_docs + 1.0), alpha)
        possible = float(_binomial(n_docs, min(gained + lost, 1.0))[enough].sum())
        return max(exact, min(normal, possible))

    @cached_property
    def moved(self) -> tuple[float, float]:
        """Shares of documents in which the second system has more spans right, and fewer.

        Of sizes between two whole numbers, some documents have the one, and some the other.
        """
        gained = max((self.discordant + self.difference) / 2, 0.0)
        lost = max(self.discordant - gained, 0.0)
        size = math.floor(self.per_doc)
        above, below = 0.0, 0.0
        for spans, weight in ((size, size + 1 - self.per_doc), (size + 1, self.per_doc - size)):
            # the distribution of a sum, from the powers of the Fourier transform of one span
            signs = np.exp(2j * np.pi * np.fft.fftfreq(2 * spans + 1))
            one = 1 - self.discordant + gained * signs + lost / signs
            chances = np.maximum(np.fft.fft(one**spans).real / len(signs), 0)
            above += weight * float(chances[1 : spans + 1].sum())
            below += weight * float(chances[spans + 1 :].sum())
        return above if gained else 0.0, below if lost else 0.0

    @property
    def spreads(self) -> tuple[float, float]:
        """s and s0 of the difference, by document."""
        variance = max(self.discordant - self.difference**2, 0.0) / self.per_doc
        return math.sqrt(variance), math.sqrt(variance + self.difference**2)

    def half_width(self, n_spans: float, level: float) -> float:
        """Half-width of the interval of the difference."""
        z = critical_value(1 - level)
        return z * self.spreads[0] / math.sqrt(n_spans / self.per_doc)

    def detectable(self, n_spans: float, power: float, alpha: float) -> float:
        """The smallest difference found with a power, at the same agreement.

        By the normal distribution.
        """
        spread, null_spread = self.spreads
        needed = float(needed_for_power(1.0, spread, null_spread, power, alpha))
        return math.sqrt(needed / (n_spans / self.per_doc))

    def needed(self, power: float, alpha: float) -> float:
        """The least number of spans with a power, by halving; inf where there is no difference.

        The power of the exact test falls a little between the numbers at which it can reject more.
        """
        if not self.difference:
            return math.inf
        low, high = 1, 2
        while self.power(high, alpha) < power:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.power(middle, alpha) >= power else (middle, high)
        return float(high)


def independent(f: float, difference: float) -> float:
    """The discordant share of two systems whose errors are independent."""
    other = f + difference
    return f * (1 - other) + other * (1 - f)
