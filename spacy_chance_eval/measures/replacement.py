"""The alternative annotator test: may a candidate take the place of an annotator?

Each annotator in turn is compared with the candidate by how well both agree with all others. All of
it is made of numbers of instances on which the candidate agrees better, equally or worse: they add
up over documents, and so tests are repeated on resamples at little cost.

References
----------
Calderon, Reichart and Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge: How to
Statistically Justify Replacing Human Annotators with LLMs".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, erfc, lgamma, sqrt

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, BoolArray, FloatArray, check_memory
from .stats import Additive, ratio

TESTS = ("auto", "t", "wilcoxon")
FEW = 30  # instances, below which "auto" takes the Wilcoxon test: Calderon et al. (2025)
EXACT = 60  # instances, up to which the distribution of the Wilcoxon statistic is computed exactly
TIE = 1e-9  # similarities are rounded means: closer ones are equal
SAMPLE, DRAWN = 80, 4096  # bytes of a number of a sample, in all (measured); drawn at a time
STEPS, DEPTH = 30, 300  # of the continued fraction: STEPS + sqrt(max(a, b)), at most DEPTH
PASSED = 0.5  # winning rate from which a candidate passes: Calderon et al. (2025)


@dataclass(frozen=True, eq=False)
class Outcomes(Additive):
    """On how many instances a candidate agrees with the others better than an annotator, or not.

    Arrays of shape (..., n_annotators); in front stand documents, resamples or nothing. Instances
    that the annotator or the candidate did not see, or nobody else, are in none of them.
    """

    better: Array
    equal: Array
    worse: Array

    @property
    def instances(self) -> Array:
        """Numbers of compared instances."""
        return self.better + self.equal + self.worse


def outcomes_of(to_candidate: ArrayLike, to_annotators: ArrayLike, seen: ArrayLike) -> Outcomes:
    """The `Outcomes` of each instance, of shape (n_instances, n_annotators): 0 or 1.

    S(f, R_ij) is compared with S(h_ij, R_ij): how well the candidate, and each annotator, agree
    with all annotators but that one on average. Differences below 1e-9 are ties.

    Parameters
    ----------
    to_candidate : float array_like of shape (n_instances, n_annotators)
        Similarity of the candidate and each annotator; nan where the candidate has not seen the
        instance.
    to_annotators : float array_like of shape (n_instances, n_annotators)
        Sum of the similarities of each annotator and all others who saw the instance.
    seen : boolean array_like of shape (n_instances, n_annotators)
        Who saw which instance.
    """
    seen = np.asarray(seen, bool)
    similar = np.where(seen, np.asarray(to_candidate, float), 0)
    n_others = seen.sum(axis=1, keepdims=True) - 1
    n_others = np.where(seen & (n_others > 0), n_others, 0)
    of_candidate = ratio(similar.sum(axis=1, keepdims=True) - similar, n_others)
    of_annotators = ratio(np.where(seen, np.asarray(to_annotators, float), 0), n_others)
    difference = of_candidate - of_annotators  # nan where the annotator, or nobody else, was there
    with np.errstate(invalid="ignore"):
        better, worse = difference > TIE, difference < -TIE
    equal = ~np.isnan(difference) & ~better & ~worse
    return Outcomes(*(one.astype(np.int64) for one in (better, equal, worse)))


def advantage_probability(outcomes: Outcomes) -> FloatArray:
    """Share of the instances on which the candidate agrees at least as well as each annotator.

    rho_j of the paper: the mean of W^f; nan without instances.
    """
    return ratio(outcomes.better + outcomes.equal, outcomes.instances)


def mean_advantage(outcomes: Outcomes, min_instances: int = FEW) -> FloatArray:
    """Mean of the advantage probabilities over the annotators that can be tested; nan without any.

    Parameters
    ----------
    min_instances : int
        Annotators with fewer instances are left out.
    """
    shares = advantage_probability(outcomes)
    tested = outcomes.instances >= max(min_instances, 1)
    return ratio(np.where(tested, np.nan_to_num(shares), 0).sum(axis=-1), tested.sum(axis=-1))


def mean_difference(outcomes: Outcomes) -> FloatArray:
    """Mean of d = W^h - W^f: from -1 (the candidate always agrees better) to 1; nan if empty."""
    return ratio(outcomes.worse - outcomes.better, outcomes.instances)


# --- the test of one annotator


def chosen_tests(n_instances: ArrayLike, test: str = "auto", min_instances: int = FEW) -> Array:
    """The test that each number of instances gets: "t", "wilcoxon", or "" for none.

    `test` and `min_instances` are those of `p_values`.
    """
    n = np.asarray(n_instances)
    names = np.where(n >= FEW, "t", "wilcoxon") if test == "auto" else np.full(n.shape, test)
    least = np.where(names == "t", 2, 1)  # one value has no standard deviation
    return np.where(n >= np.maximum(least, min_instances), names, "")


def p_values(
    outcomes: Outcomes, epsilon: float = 0.2, test: str = "auto", min_instances: int = FEW
) -> FloatArray:
    """One-sided p-values of each annotator: small where the candidate is as good, epsilon given.

        H0: mean d >= epsilon,   H1: mean d < epsilon,   d = W^h - W^f

    Student's t: (mean d - epsilon) / (s / sqrt(n)) with n - 1 degrees of freedom; without variance
    0 if mean d < epsilon, else 1. The Wilcoxon signed-rank test is of d - epsilon: without zeros,
    with mean ranks of ties; exact given the ranks for up to 60 instances, beyond by the normal
    approximation with the variance of tied ranks. It takes d to be symmetric around epsilon, which
    three values rarely are: with d = 1 in a fifth of the instances, else 0, and epsilon .2, it
    rejects in 4 of 10 samples at a level of .05, where the t test rejects in one of ten.

    Parameters
    ----------
    epsilon : float
        The advantage that a candidate is granted, as it costs less.
    test : "auto", "t" or "wilcoxon"
        "auto": Student's t test of 30 instances and more, else the Wilcoxon signed-rank test.
    min_instances : int
        Annotators with fewer instances are not tested: nan.
    """
    n = outcomes.instances
    names = chosen_tests(n, test, min_instances)
    p = np.full(n.shape, np.nan)
    by_t, by_rank = names == "t", names == "wilcoxon"
    p[by_t] = _t_test(outcomes.better[by_t], outcomes.worse[by_t], n[by_t], epsilon)
    rows = np.stack([outcomes.better, outcomes.equal, outcomes.worse], axis=-1)[by_rank]
    p[by_rank] = [wilcoxon_below(*map(int, row), epsilon) for row in rows]
    return p


def _t_test(better: Array, worse: Array, n: Array, epsilon: float) -> FloatArray:
    """p-values of Student's one-sided t test of d, which is -1, 0 or 1."""
    # n * sum of squares, and n^2 times the variance, in whole numbers: no rounding
    squares = n * (better + worse) - (worse - better) ** 2
    above = (worse - better) - n * epsilon  # n (mean d - epsilon)
    above = np.where(np.abs(above) < TIE * n, 0.0, above)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = above / np.sqrt(squares / (n - 1))
    constant = np.where(above < 0, 0.0, 1.0)
    return np.where(squares == 0, constant, student_below(np.where(squares == 0, 0, t), n - 1))


def student_below(t: ArrayLike, df: ArrayLike) -> FloatArray:
    """Probability that Student's t with `df` degrees of freedom is below `t`.

    By the regularised incomplete beta function, as a continued fraction (Abramowitz and Stegun
    1964, 26.5.8 and 26.7.1): scipy is no dependency of this package.
    """
    t, df = np.broadcast_arrays(np.asarray(t, float), np.asarray(df, float))
    x = df / (df + t**2)
    # of the two forms the one that converges fast: they are mirrored at (a + 1) / (a + b + 2)
    near = x < (df / 2 + 1) / (df / 2 + 2.5)
    half = np.where(df > 0, df / 2, 1.0)
    a, b = np.where(near, half, 0.5), np.where(near, 0.5, half)
    z = np.where(near, x, t**2 / (df + t**2))
    part = _incomplete_beta(a, b, z)
    tail = np.where(near, part, 1 - part) / 2  # beyond |t|, of one side
    return np.where(t < 0, tail, 1 - tail)


def _incomplete_beta(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    """I_x(a, b), for x below (a + 1) / (a + b + 2): a continued fraction, from its end."""
    log_gamma = np.vectorize(lgamma, otypes=[float])
    with np.errstate(divide="ignore"):
        front = a * np.log(x) + b * np.log1p(-x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b)
    rest = np.zeros_like(x)
    steps = STEPS + int(np.sqrt(np.max([a, b], initial=0)))
    for m in range(min(steps, DEPTH), 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        rest = even / (1 + odd / (1 + rest))
    result: FloatArray = np.exp(front) / (a * (1 - (a + b) * x / ((a + 1) * (1 + rest))))
    return result


@lru_cache(maxsize=10_000)
def wilcoxon_below(better: int, equal: int, worse: int, epsilon: float) -> float:
    """p-value of the one-sided Wilcoxon signed-rank test that d is below epsilon.

    Parameters
    ----------
    better, equal, worse : int
        How often d is -1, 0 and 1.
    epsilon : float

    Returns
    -------
    float
        P(T+ <= t) if every rank is as likely positive as negative; T+ is the sum of the ranks of
        positive d - epsilon. 1 if all differences are 0.
    """
    groups: dict[float, list[int]] = {}  # numbers of positive and of all, by size of difference
    for value, number in ((-1, better), (0, equal), (1, worse)):
        difference = round(value - epsilon, 9)
        if number and difference:
            group = groups.setdefault(abs(difference), [0, 0])
            group[0] += number * (difference > 0)
            group[1] += number
    below, positive, ranked = 0, 0, []  # twice the ranks, which are whole
    for _, (above, size) in sorted(groups.items()):
        rank = 2 * below + size + 1
        positive += rank * above
        ranked.append((rank, size))
        below += size
    if below <= EXACT:
        return _exact_share(ranked, positive)
    mean = sum(rank * size for rank, size in ranked) / 2
    deviation = sqrt(sum(rank**2 * size for rank, size in ranked) / 4)
    return erfc((mean - positive) / deviation / sqrt(2)) / 2


def _exact_share(ranked: Sequence[tuple[int, int]], bound: int) -> float:
    """Share of the ways to give signs to ranks in which the positive ones sum to at most `bound`.

    `ranked` has (rank, how many have it).
    """
    ways = {0: 1}
    for rank, size in ranked:
        further: dict[int, int] = {}
        for total, n in ways.items():
            for positive in range(size + 1):
                key = total + rank * positive
                further[key] = further.get(key, 0) + n * comb(size, positive)
        ways = further
    return sum(n for total, n in ways.items() if total <= bound) / sum(ways.values())


# --- all annotators


def benjamini_yekutieli(p: ArrayLike, q: float = 0.05) -> tuple[FloatArray, BoolArray]:
    """The limit of each p-value at its rank, and which hypotheses are rejected.

    With p-values in ascending order, limit k is k / m * q / (1 + 1/2 + ... + 1/m); the hypotheses
    up to the largest k whose p-value is at most its limit are rejected. That bounds the false
    discovery rate by `q` whatever the dependence of the tests.

    Parameters
    ----------
    p : float array_like of shape (..., m)
        nan is no test: it has no limit, is not rejected, and m is the number of the others.
    q : float

    References
    ----------
    Benjamini and Yekutieli (2001), The control of the false discovery rate in multiple testing
    under dependency.
    """
    p = np.asarray(p, float)
    n_tests = (~np.isnan(p)).sum(axis=-1, keepdims=True)
    harmonic = np.append(1.0, np.cumsum(1 / np.arange(1, p.shape[-1] + 1)))[n_tests]
    order = np.argsort(p, axis=-1, kind="stable")  # nan last
    rank = np.argsort(order, axis=-1, kind="stable") + 1
    limits = np.where(np.isnan(p), np.nan, rank / np.maximum(n_tests, 1) * q / harmonic)
    with np.errstate(invalid="ignore"):
        last = np.where(p <= limits, rank, 0).max(axis=-1, keepdims=True, initial=0)
    rejected: BoolArray = ~np.isnan(p) & (rank <= last)
    return limits, rejected


def winning_rate(p: ArrayLike, q: float = 0.05) -> FloatArray:
    """Share of the tested annotators whose null hypothesis is rejected; nan without any.

    Parameters
    ----------
    p : float array_like of shape (..., n_annotators)
        nan is no test.
    q : float
        False discovery rate.
    """
    p = np.asarray(p, float)
    return ratio(benjamini_yekutieli(p, q)[1].sum(axis=-1), (~np.isnan(p)).sum(axis=-1))


# --- resamples


def resampled_outcomes(outcomes: Outcomes, draws: int, rng: np.random.Generator) -> Outcomes:
    """The outcomes of `draws` samples of as many units, drawn with replacement.

    Units with equal outcomes are drawn together: the cost is that of the distinct ones.

    Parameters
    ----------
    outcomes : Outcomes
        Of each unit (document or cluster): shape (n_units, n_annotators).

    Returns
    -------
    Outcomes
        Of shape (draws, n_annotators).
    """
    table = np.stack([outcomes.better, outcomes.equal, outcomes.worse])
    rows = table.transpose(1, 0, 2).reshape(table.shape[1], -1)
    distinct, often = np.unique(rows, axis=0, return_counts=True)
    check_memory("resamples", draws, SAMPLE * distinct.shape[1])
    sums = np.empty((draws, distinct.shape[1]), np.int64)
    for start in range(0, draws, DRAWN):
        n = min(DRAWN, draws - start)
        sums[start : start + n] = rng.multinomial(len(rows), often / often.sum(), size=n) @ distinct
    return Outcomes(*sums.reshape(draws, 3, -1).transpose(1, 0, 2))
