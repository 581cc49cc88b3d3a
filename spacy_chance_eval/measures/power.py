"""Power of paired tests, and the difference that they find with a power.

A difference d between two systems is estimated from n units (documents). Its standard error is
s / sqrt(n), and that of its exchanges under the null hypothesis is s0 / sqrt(n). A test by
exchanges rejects where |d| is at least z s0 / sqrt(n), with z the quantile of the normal
distribution at 1 - alpha / 2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .arrays import BoolArray, FloatArray
from .resampling import normal_quantiles, normal_shares
from .stats import ratio


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


def detectable_difference(
    spread: float, null_spread: float, n: float, power: float, alpha: float
) -> float:
    """The smallest difference that a two-sided test on n units finds with a power.

    (z s0 + z_power s) / sqrt(n), by the normal distribution.

    Parameters
    ----------
    spread, null_spread : float
        s and s0, as in `normal_power`.
    n : float
        Number of units.
    power, alpha : float
        Wanted power, and level of the test.

    References
    ----------
    Connor (1987), Sample Size for Testing Differences in Proportions for the Paired-Sample Design.
    """
    beyond = float(normal_quantiles(np.array(power)))
    top = max(critical_value(alpha) * null_spread + beyond * spread, 0.0)
    return math.sqrt(top * top / n)


def can_reject(n_moving: FloatArray, alpha: float) -> BoolArray:
    """Whether exchanges of n units that move a difference can give a p-value below alpha.

    Of the 2^n exchanges, two give the largest difference: p is 2^(1 - n) at least.
    """
    possible: BoolArray = 1 - np.asarray(n_moving, float) < math.log2(alpha)
    return possible


def enough_move(expected: FloatArray, alpha: float) -> FloatArray:
    """Probability that enough units move for exchanges to reject, if some number is expected.

    Numbers of units that move are taken to be Poisson distributed.
    """
    mean = np.minimum(expected, 700.0)  # exp(-mean) is above 0
    fewest = math.floor(1 - math.log2(alpha)) + 1  # that can reject: six for .05
    fewer = sum(mean**k / math.factorial(k) for k in range(fewest))
    chances: FloatArray = 1 - np.exp(-mean) * fewer
    return chances
