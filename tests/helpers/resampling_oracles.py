"""Slow and obvious versions of resampling and ranking, on plain Python lists.

Counts of a document are a tuple (gold, correct, pred, expected correct), for one label or for all
labels together. A resample is a list of row numbers.
"""

from itertools import combinations, product
from math import floor, inf
from statistics import NormalDist

from helpers import oracles

NORMAL = NormalDist()
TIE = 1e-12

# ------------------------------------------------------------------------------ counts and scores


def document_counts(gold, pred, sizes, label=None):
    """Return (gold, correct, pred, expected correct) of spans for every document."""
    rows = []
    for g, p, size in zip(gold, pred, sizes, strict=True):
        args = [g], [p], [size], oracles.placements_disjoint, label
        n_gold, _, n_pred, correct = oracles.span_masses([g], [p], label)
        by_chance = float(oracles.expected_in_corpus(oracles.matching_spans, *args))
        rows.append((n_gold, correct, n_pred, by_chance))
    return rows


def scores(rows):
    """Return observed and corrected F1 of the sum of some documents' counts; None if undefined."""
    gold, correct, pred, by_chance = (sum(column) for column in zip((0, 0, 0, 0), *rows))
    if gold + pred == 0:
        return {"observed": None, "corrected": None}
    observed, expected = 2 * correct / (gold + pred), 2 * by_chance / (gold + pred)
    room = 1 - expected
    return {
        "observed": observed,
        "corrected": (observed - expected) / room if room > TIE else None,
    }


def indices(weights):
    """Return the rows of a resample: each as often as its weight says."""
    return [row for row, times in enumerate(weights) for _ in range(int(times))]


def replicas(rows, resamples, side):
    """Return the score of each resample (a list of row numbers), recounted."""
    return [scores([rows[i] for i in drawn])[side] for drawn in resamples]


def clusters_of(rows, names):
    """Return one tuple of counts per cluster: the sums over its documents, in order of name."""
    found = []
    for name in sorted(set(names)):
        own = [row for row, other in zip(rows, names, strict=True) if other == name]
        found.append(tuple(sum(column) for column in zip(*own)))
    return found


# -------------------------------------------------------------------------------------- intervals


def quantile(values, level):
    """Return the value at a share of the way through the sorted values, by interpolation."""
    ordered = sorted(values)
    place = level * (len(ordered) - 1)
    low = floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def n_eff(gold, clusters=None):
    """Return the number of documents of equal size: (sum w)^2 / sum w^2 of their gold spans."""
    sizes = {}
    for name, spans in zip(clusters or range(len(gold)), gold):
        sizes[name] = sizes.get(name, 0) + len(spans or ())
    return sum(sizes.values()) ** 2 / sum(size**2 for size in sizes.values())


def tail(level, n=inf):
    """Return the lower quantile of an interval that is expanded for n rows: Hesterberg (2015)."""
    if n == inf:
        return (1 - level) / 2
    from scipy.stats import norm, t

    return norm.cdf(-((n / (n - 1)) ** 0.5) * t.ppf((1 + level) / 2, n - 1)) if n > 1 else 0.0


def percentile_interval(value, many, level=0.95, n=inf):
    """Return the quantiles of the replicas that are defined; None as `resampling.interval` says.

    Expanded for `n` rows.
    """
    defined = [x for x in many if x is not None]
    if value is None or len(defined) < len(many) / 2:
        return None
    return quantile(defined, tail(level, n)), quantile(defined, 1 - tail(level, n))


def bca_interval(value, many, left_out, level=0.95):
    """Return the BCa interval: Efron and Tibshirani (1993), equations 14.9, 14.10, 14.14, 14.15."""
    defined = [x for x in many if x is not None]
    below = sum(x < value - TIE for x in defined) + sum(abs(x - value) <= TIE for x in defined) / 2
    share = min(max(below / len(defined), 0.5 / len(defined)), 1 - 0.5 / len(defined))
    bias = NORMAL.inv_cdf(share)
    left_out = [x for x in left_out if x is not None]
    mean = sum(left_out) / len(left_out)
    cube = sum((mean - x) ** 3 for x in left_out)
    square = sum((mean - x) ** 2 for x in left_out)
    skew = cube / (6 * square**1.5) if square else 0.0
    limits = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + NORMAL.inv_cdf(tail)
        limits.append(quantile(defined, NORMAL.cdf(bias + z / (1 - skew * z))))
    return tuple(limits)


def jackknife(rows, side):
    """Return the score without each row."""
    return [scores(rows[:i] + rows[i + 1 :])[side] for i in range(len(rows))]


# ------------------------------------------------------------------------------------------ tests


def exchanged(first, second, mask):
    """Return the rows of two systems after exchanging those where the mask is true."""
    one = [b if swap else a for a, b, swap in zip(first, second, mask, strict=True)]
    two = [a if swap else b for a, b, swap in zip(first, second, mask, strict=True)]
    return one, two


def difference(first, second, side):
    """Return the score of the first minus that of the second; None if one is undefined."""
    one, two = scores(first)[side], scores(second)[side]
    return None if None in (one, two) else one - two


def randomisation_p(first, second, masks, side):
    """Return (1 + masks whose difference is at least as large) / (1 + masks that define one)."""
    own = abs(difference(first, second, side))
    every = [difference(*exchanged(first, second, mask), side) for mask in masks]
    every = [abs(x) for x in every if x is not None]
    return (1 + sum(x >= own - TIE for x in every)) / (1 + len(every))


def exact_p(first, second, side):
    """Return the share of all exchanges whose difference is at least as large."""
    own = abs(difference(first, second, side))
    masks = product((False, True), repeat=len(first))
    every = [difference(*exchanged(first, second, mask), side) for mask in masks]
    every = [abs(x) for x in every if x is not None]
    return sum(x >= own - TIE for x in every) / len(every)


def bootstrap_p(value, many):
    """Return how often a replica lies at least as far from the value as the value from 0."""
    many = [x for x in many if x is not None]
    return (1 + sum(abs(x - value) >= abs(value) - TIE for x in many)) / (1 + len(many))


def holm(p_values):
    """Return adjusted p-values: each hypothesis needs all smaller ones to be rejected before."""
    defined = sorted(p for p in p_values if p is not None)
    adjusted = []
    for p in p_values:
        steps = [(len(defined) - i) * q for i, q in enumerate(defined) if p is not None and q <= p]
        adjusted.append(min(1.0, max(steps)) if steps else None)
    return adjusted


# ------------------------------------------------------------------------------------------ ranks


def ranks(values):
    """Return 1 + the number of systems that are better; None for one without a score."""
    return [
        None if x is None else 1 + sum(y is not None and y > x + TIE for y in values)
        for x in values
    ]


def first_shares(rows):
    """Return how often each system is first, resamples with several firsts shared between them."""
    shares, defined = [0.0] * len(rows[0]), 0
    for row in rows:
        winners = [i for i, rank in enumerate(row) if rank == 1]
        defined += bool(winners)
        for i in winners:
            shares[i] += 1 / len(winners)
    return [share / defined for share in shares] if defined else None


def maximal_groups(distinct):
    """Return all maximal sets of systems no two of which are distinct."""
    systems = range(len(distinct))
    groups = [
        set(some)
        for size in range(1, len(distinct) + 1)
        for some in combinations(systems, size)
        if not any(distinct[i][j] for i, j in combinations(some, 2))
    ]
    return [group for group in groups if not any(group < other for other in groups)]
