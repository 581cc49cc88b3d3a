"""The random annotation model for one unit of text and one label: where do segments fall by chance?

A random annotation keeps the number and the lengths of the segments of an annotator and places
them uniformly in the n tokens of the unit. Under the *disjoint* placement no two share a token,
under the *overlapping* placement each start is uniform by itself. (*Nested* spans are layers of
disjoint ones: `nesting`. Whole corpora: `expectation`.)

Source: Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation".
"""

import numpy as np

from ..spans import expanded
from .placement import cases_of, preceding, window_sums


def start_probabilities(n, lengths):
    """Probability that each segment starts at each place, disjoint placement.

    Parameters
    ----------
    n : int
        Tokens of the unit.
    lengths : sequence of int
        Lengths of the k segments; their sum is at most n.

    Returns
    -------
    list of k ndarrays
        The i-th has shape (n - lengths[i] + 1,) and sums to 1; entry l is P(ST_i = l + 1).

    Raises
    ------
    ValueError
        If the segments do not fit.

    References
    ----------
    Li et al. (2024), the equation for P(ST_i = l), summed over (size, total length) of the subsets.

    Examples
    --------
    >>> start_probabilities(4, [2, 1])[0].round(4).tolist()
    [0.3333, 0.3333, 0.3333]
    """
    lengths = checked_lengths(n, lengths)
    cases = cases_of([(n, lengths)])
    rows = np.arange(len(cases.length))
    values, offsets = preceding(cases, np.zeros_like(rows), rows)
    by_length = dict(zip(cases.length.tolist(), np.split(values, offsets[1:-1])))
    return [by_length[length] for length in lengths]


def coverage(n, lengths):
    """Probability that each token is covered by a segment, disjoint placement; shape (n,).

    The sum over segments of P(it starts at one of the `length` places from which it covers t).

    Examples
    --------
    >>> coverage(4, [2]).round(4).tolist()
    [0.3333, 0.6667, 0.6667, 0.3333]
    """
    lengths = checked_lengths(n, lengths)
    if sum(lengths) == n:
        return np.ones(n)
    covered = np.zeros(n)
    for length, (count, starts) in lengths_with_starts(n, lengths, "disjoint").items():
        starts = np.append(starts, np.zeros(length - 1))
        covered += count * window_sums(starts, np.arange(n), np.full(n, length))
    return covered


def overlapping_coverage(n, lengths):
    """Probability that each token is covered, overlapping placement; shape (n,).

    1 - prod_i (1 - p_i(t)), with p_i(t) the probability that segment i covers token t.
    """
    place, missed = np.arange(n), np.zeros(n)  # log of the probability that no segment covers it
    for length in checked_lengths(n, lengths, disjoint=False):
        starts = np.minimum(np.minimum(place + 1, n - place), min(length, n - length + 1))
        with np.errstate(divide="ignore"):
            missed += np.log1p(-starts / (n - length + 1))
    return -np.expm1(missed)


def expected_token_overlap(n, first, second):
    """Expected number of tokens that both cover, disjoint placement: sum_t C1(t) C2(t)."""
    return float(coverage(n, first) @ coverage(n, second))


def expected_exact_matches(n, first, second):
    """Expected number of pairs of identical segments, disjoint placement."""
    return expected_pair_measure(n, first, second, lambda d, a, b: (a == b) * (d == 0))


def expected_pair_measure(n, first, second, phi, *, placement="disjoint"):
    """Expectation of any measure that is a sum over pairs of segments.

        E = sum_{i,j} sum_{l,l'} P(ST_i = l) P(ST_j = l') phi(l' - l, a_i, b_j)

    Parameters
    ----------
    n : int
    first, second : sequences of int
        Segment lengths of the two annotators.
    phi : callable
        phi(shift, length of the first, length of the second); `shift` is an integer array.
    placement : "disjoint" or "overlapping"
    """
    sides = [lengths_with_starts(n, side, placement) for side in (first, second)]
    return float(
        sum(
            count_1 * count_2 * pair_expectation(start_1, start_2, one, two, phi)
            for one, (count_1, start_1) in sides[0].items()
            for two, (count_2, start_2) in sides[1].items()
        )
    )


def expected_overlap(n, first, second):
    """Expected sum of the overlaps of all pairs of segments, overlapping placement.

    The additive measure of the paper: a token in two segments of one annotator counts twice. (The
    token metric counts it once; its expectation comes from `overlapping_coverage`.)
    """
    return expected_pair_measure(n, first, second, overlap, placement="overlapping")


def overlap(shift, one, two):
    """Tokens shared by [0, one) and [shift, shift + two)."""
    return np.maximum(np.minimum(one, shift + two) - np.maximum(shift, 0), 0)


def pair_expectation(start_1, start_2, one, two, phi):
    """E[phi] of one pair of segments from their start distributions."""
    shifts = np.arange(-(len(start_1) - 1), len(start_2))
    return np.correlate(start_2, start_1, "full") @ phi(shifts, one, two)


def lengths_with_starts(n, lengths, placement):
    """{length: (number of segments, their common start distribution)}."""
    if placement == "disjoint":
        starts = start_probabilities(n, lengths)
    else:
        lengths = checked_lengths(n, lengths, disjoint=False)
        starts = [np.full(n - length + 1, 1 / (n - length + 1)) for length in lengths]
    return {a: (list(lengths).count(a), p) for a, p in zip(lengths, starts)}


def checked_lengths(n, lengths, *, disjoint=True):
    """The lengths as a list of Python integers, if they fit into n tokens."""
    lengths = [int(length) for length in lengths]
    if min(lengths, default=1) < 1 or (sum(lengths) if disjoint else max(lengths, default=0)) > n:
        raise ValueError(f"segments of lengths {lengths} cannot be placed in {n} tokens")
    return lengths


# --- random placements


def draw(n, lengths, size, rng, *, placement="disjoint"):
    """Random starts of the segments of one unit.

    Parameters
    ----------
    n : int
        Tokens of the unit.
    lengths : sequence of k ints
    size : int
        Number of draws.
    rng : numpy.random.Generator
    placement : "disjoint" or "overlapping"

    Returns
    -------
    integer ndarray of shape (size, k)
        0-based starts, uniform over the placements.
    """
    lengths = np.asarray(lengths, np.int64)
    too_long = (lengths.sum() if placement == "disjoint" else lengths.max(initial=0)) > n
    if too_long or lengths.min(initial=1) < 1:
        raise ValueError(f"segments of lengths {lengths.tolist()} cannot be placed in {n} tokens")
    if placement == "overlapping":
        return rng.integers(0, n - lengths + 1, (size, len(lengths)))
    if placement != "disjoint":
        raise ValueError(f"cannot draw placement {placement!r}; expected disjoint or overlapping")
    groups = np.arange(size)
    copies = np.tile(lengths, size)
    owner = np.repeat(groups, len(lengths))
    return shuffled(owner, copies, np.full(size, n), rng).reshape(size, len(lengths))


def shuffled(owner, lengths, sizes, rng):
    """Starts of segments that are thrown into their containers without overlap, uniformly.

    `owner` (ordered) is the container of each segment, `sizes` the tokens of each container. The
    segments of a container take distinct places in its random order of segments and free tokens.
    """
    marked = np.bincount(owner, lengths, len(sizes)).astype(np.int64)
    objects = sizes - marked + np.bincount(owner, minlength=len(sizes))
    slot = distinct_slots(owner, objects, rng)
    order = np.lexsort((slot, owner))
    first = np.searchsorted(owner, owner)
    before = np.cumsum(lengths[order]) - lengths[order]
    rank = np.arange(len(owner)) - first
    start = np.empty(len(owner), np.int64)
    start[order] = slot[order] - rank + before - before[first]
    return start


def distinct_slots(owner, objects, rng):
    """One of `objects[c]` places for every row of container c, no two alike, uniformly.

    Containers in which two rows fall together are thrown anew; those that stay crowded are dealt
    from a shuffled deck. Both are uniform over the ways without a clash, so their mixture is too.
    """
    slot = rng.integers(0, objects[owner])
    rows = np.arange(len(owner))
    for _ in range(8):
        key = np.sort(owner[rows] * (objects.max(initial=0) + 1) + slot[rows])
        crowded = np.unique(key[1:][key[1:] == key[:-1]] // (objects.max(initial=0) + 1))
        rows = rows[np.isin(owner[rows], crowded)]
        if not len(rows):
            return slot
        slot[rows] = rng.integers(0, objects[owner[rows]])
    containers = np.unique(owner[rows])
    deck, card = expanded(np.zeros_like(containers), objects[containers])
    card = card[np.lexsort((rng.random(len(card)), deck))]
    first = np.concatenate([[0], np.cumsum(objects[containers])[:-1]])
    rank = rows - np.searchsorted(owner, owner[rows])
    slot[rows] = card[first[np.searchsorted(containers, owner[rows])] + rank]
    return slot
