"""The probability that two random annotations share no token."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..arrays import FloatArray, IntArray
from ..messages import quoted
from ..spans import integers

PLACEMENTS = ("disjoint", "overlapping")
MOST_STEPS = 10**9  # of the overlapping placement, about a second


def no_overlap_probability(
    n: int, one: Sequence[int], two: Sequence[int], placement: str = "disjoint"
) -> float:
    """Probability that no token is in segments of both annotators, when both place at random.

    *Disjoint*: where no token is shared, the segments of both are one disjoint annotation. With
    k1 and k2 segments of a1 and a2 tokens in total, and pi(m, r) = m! / (m - r)!, it is

        pi(n - a1 - a2 + k1 + k2, k1 + k2) / (pi(n - a1 + k1, k1) pi(n - a2 + k2, k2))

    in k1 + k2 steps, for texts of any length. *Overlapping*: segments of the same annotator may
    share tokens, so that positions are passed from left to right, with the number of segments of
    each distinct length that have started and the number of tokens that the last ones still cover.
    That takes n * (longest of one + longest of two) * (product of 1 + number of segments of a
    length) * (number of segments) steps, up to 1e9.

    Parameters
    ----------
    n : int
        Tokens of the text.
    one, two : sequences of int
        Lengths of the segments of each annotator.
    placement : "disjoint" or "overlapping"
        Whether segments of the same annotator may share tokens.

    Returns
    -------
    float
        0 to 1; 1 if one of them has no segments.

    Raises
    ------
    ValueError
        If segments do not fit, for lengths that are no whole numbers, for another placement, or
        above the limit.

    References
    ----------
    Li et al. (2024), Proposition 4 and its proof: it goes to 1 in long texts, and expected
    agreement to 0.

    Examples
    --------
    >>> no_overlap_probability(4, [2], [1])
    0.5
    >>> round(no_overlap_probability(1000, [2, 3, 4], [3, 4, 5]), 4)
    0.9468
    """
    if placement not in PLACEMENTS:
        raise ValueError(
            f"placement is {quoted(placement)}; expected one of {', '.join(PLACEMENTS)}"
        )
    disjoint = placement == "disjoint"
    for name, numbers in (("n", [n]), ("one", one), ("two", two)):
        integers(name, numbers)  # they must be whole
    for lengths in (one, two):
        needed = sum(lengths) if disjoint else max(lengths, default=0)
        if min(lengths, default=1) < 1 or needed > n:
            raise ValueError(f"segments of lengths {list(lengths)} cannot be placed in {n} tokens")
    return (_disjoint if disjoint else _overlapping)(n, one, two)


def _disjoint(n: int, one: Sequence[int], two: Sequence[int]) -> float:
    """The closed form as a product of factors 1 - x, of which none is above 1."""
    a1, a2, k1, k2 = sum(one), sum(two), len(one), len(two)
    if a1 + a2 > n:
        return 0.0
    logs = [math.log1p(-a2 / (n - a1 + i)) for i in range(1, k1 + 1)]
    logs += [math.log1p(-(a1 - k1) / (n - a2 + j)) for j in range(1, k2 + 1)]
    return math.exp(math.fsum(logs))


def _overlapping(n: int, one: Sequence[int], two: Sequence[int]) -> float:
    """The probability from left to right.

    `free` and `busy` are arrays over the numbers of segments that have started, an axis for each
    distinct length of each annotator; busy[i][r] is for r more tokens covered by annotator i.
    """
    kinds = [np.unique(np.array(lengths, np.int64), return_counts=True) for lengths in (one, two)]
    shape = tuple(int(count) + 1 for _, counts in kinds for count in counts)
    longest = [int(lengths.max(initial=0)) for lengths, _ in kinds]
    steps = n * (sum(longest) + 2) * math.prod(shape) * sum(shape)
    if steps > MOST_STEPS:
        raise ValueError(
            f"segments of {len(shape)} lengths in {n} tokens, placed independently, take {steps} "
            f"steps; at most {MOST_STEPS} are taken: shorten the text, or use placement='disjoint'"
        )
    free: FloatArray = np.zeros(shape)
    free.flat[0] = 1
    busy: list[FloatArray] = [np.zeros((most + 1, *shape)) for most in longest]
    for place in range(n):
        after = free.copy()
        first = 1  # axis of the first length of this annotator
        for i, (lengths, counts) in enumerate(kinds):
            busy[i][0] = free
            busy[i] = _started(busy[i], lengths, counts, n, place, first)
            first += len(lengths)
            after += busy[i][1] if longest[i] else 0
            busy[i][1:-1] = busy[i][2:]
            busy[i][-1] = 0
        free = after
    return float(free.flat[-1])


def _started(
    covered: FloatArray, lengths: IntArray, counts: IntArray, n: int, place: int, first: int
) -> FloatArray:
    """The numbers of tokens covered after any number of segments have started at a place."""
    for axis, (length, count) in enumerate(zip(lengths.tolist(), counts.tolist()), first):
        share = 1 / (n - length + 1)
        if place + length > n:
            continue
        before, covered = np.moveaxis(covered, axis, -1), covered.copy()
        after = np.moveaxis(covered, axis, -1)
        for more in range(1, count + 1):
            # which of those that are left: C(count - started, more)
            ways = [math.comb(count - s, more) * share**more for s in range(count + 1 - more)]
            moved = before[..., : count + 1 - more] * np.array(ways)
            after[length, ..., more:] += moved[: length + 1].sum(axis=0)
            after[length + 1 :, ..., more:] += moved[length + 1 :]
    return covered
