"""Whether paired tests by exchanges reject.

A difference d between two systems is estimated from n units (documents). Under the null hypothesis,
exchanges of units give it the standard error s0 / sqrt(n): a test rejects where |d| is at least
z s0 / sqrt(n), with z the quantile of the normal distribution at 1 - alpha / 2.
"""

from __future__ import annotations

import math

import numpy as np

from .arrays import BoolArray, FloatArray
from .resampling import normal_quantiles


def critical_value(alpha: float) -> float:
    """The quantile of the normal distribution beyond which a two-sided test rejects."""
    return float(normal_quantiles(np.array(1 - alpha / 2)))


def can_reject(n_moving: FloatArray, alpha: float) -> BoolArray:
    """Whether exchanges of n units that move a difference can give a p-value below alpha.

    Of the 2^n exchanges, two give the largest difference: p is 2^(1 - n) at least.
    """
    possible: BoolArray = 1 - np.asarray(n_moving, float) < math.log2(alpha)
    return possible
