"""Expected matches of two annotators of a corpus under the random annotation model, exactly.

Worked out for the distinct pairs of cases among the `cells`, in batches; expectations of cells are
then summed into documents.
"""

from functools import partial

import numpy as np

from .alignment import units
from .cells import cell_ids, cells_of, sides_of
from .chance import overlap
from .nesting import expected_nested_matches, outermost
from .placement import edge_products, preceding
from .spans import expanded, overlapping_pairs

PLACEMENTS = ("disjoint", "overlapping", "nested", "uniform")


def check_placement(gold, pred, placement):
    """Raise if the spans of one label contradict the placement; names the two spans."""
    if placement not in PLACEMENTS:
        raise ValueError(f"unknown chance model {placement!r}; expected one of {PLACEMENTS}")
    for spans in (gold,) if gold is pred else (gold, pred):
        if placement in ("disjoint", "uniform") and not are_disjoint(spans):
            i, j = overlapping_pairs(spans, spans)
            clash = np.flatnonzero(i < j)
            if len(clash):
                one, two = spans.span_name(i[clash[0]]), spans.span_name(j[clash[0]])
                raise ValueError(
                    f"{one} overlaps {two}: the {placement} chance model cannot place them; "
                    "use chance=overlapping (--chance overlapping), or nested if spans never cross"
                )


def are_disjoint(spans):
    """Whether no two spans of one label share a token."""
    place = spans.label * (spans.offsets[-1] + 1) + spans.offsets[spans.doc] + spans.start
    order = np.argsort(place)
    return (place[order[1:]] >= (place + spans.lengths)[order[:-1]]).all()


# --- distributions of starts and of items


def starts(cases, rows, placement):
    """Start distributions of the segments of some rows of `cases`: values, offsets."""
    case = cases.case[rows]
    if placement == "disjoint":
        return preceding(cases, case, rows)
    places = cases.sizes[case] - cases.length[rows] + 1
    offsets = np.concatenate([[0], np.cumsum(places)])
    values = np.repeat(1 / places, places)
    if placement == "uniform":  # the paper's approximation, where it takes it
        segments = cases.sums(cases.count)[case]
        exact = np.flatnonzero((cases.free[case] + segments) / places <= 0.99)
        numbers, borders = preceding(cases, case[exact], rows[exact])
        _, at = expanded(offsets[exact], offsets[exact + 1])
        values[at] = numbers[: borders[-1]]
    return values, offsets


def profiles(cases, channels, placement):
    """Probability of every item of a token encoding: values, offsets; case by case, by channel.

    `channels(length)` gives for each kind of item the (shift, width) of the places that a segment
    of that length marks with it. Items are sets: where segments may overlap, an item is there
    unless every segment misses it.
    """
    n_channels = channels(np.ones(1, np.int64))[0].shape[-1]
    size = cases.sizes
    offsets = np.concatenate([[0], np.cumsum(size * n_channels)])
    rows = np.arange(len(cases.length))
    values, borders = starts(cases, rows, placement)
    reach = np.concatenate([[0.0], np.cumsum(values)])
    out = np.zeros(offsets[-1])
    n = size[cases.case]
    row, place = expanded(np.zeros_like(n), n)
    shifts, widths = channels(cases.length)
    for channel in range(n_channels):
        shift, width = shifts[row, channel], widths[row, channel]
        most = borders[row + 1] - borders[row]
        high = borders[row] + np.clip(place - shift + 1, 0, most)
        low = borders[row] + np.clip(place - shift - width + 1, 0, most)
        marked = np.where(width > 0, reach[high] - reach[low], 0)
        target = offsets[cases.case[row]] + channel * n[row] + place
        repeats = cases.count[row]
        if placement == "overlapping":
            with np.errstate(divide="ignore"):
                marked = np.log1p(-np.minimum(marked, 1))
        np.add.at(out, target, repeats * marked)
    return (-np.expm1(out) if placement == "overlapping" else out), offsets


def channel_table(*rules):
    """Encoding from rules (shift, width), each a function of the segment lengths."""

    def channels(length):
        parts = [np.broadcast_arrays(*rule(length), length)[:2] for rule in rules]
        return tuple(np.stack(side, axis=-1) for side in zip(*parts))

    return channels


# what a segment of some length marks, one rule per kind of item: (first place, number of places)
CHANNELS = {
    "IO": channel_table(lambda a: (0, a)),
    "BIO": channel_table(lambda a: (0, 1), lambda a: (1, a - 1)),
    "BIOE": channel_table(
        lambda a: (0, 1),
        lambda a: (1, np.maximum(a - 2, 0)),
        lambda a: (a - 1, np.minimum(a - 1, 1)),
    ),
    "IO*": channel_table(lambda a: (0, a), lambda a: (0, a - 1)),
}


# --- expected matches, summed into documents: arrays of shape (n_docs, n_labels)


def expected_tokens(gold, pred, *, encoding="IO", placement="disjoint", unit="doc"):
    """Expected number of common items of a token encoding: sum_t C1(t) C2(t); `nested` needs IO."""
    if placement == "nested":
        gold, pred, placement = outermost(gold), outermost(pred), "disjoint"
    cells = cells_of(gold, pred, unit)
    if placement == "disjoint" and encoding == "IO":
        sizes = cells.sides.cases.sizes
        dot = partial(edge_products, *cells.sides.coverage, sizes)
    else:
        dot = partial(products, *profiles(cells.sides.cases, CHANNELS[encoding], placement))
    return cells.per_document(cells.per_pair(dot), (gold.n_docs, len(gold.labels)))


def products(values, offsets, one, two):
    """Dot products of pairs of vectors of equal length that stand one after the other."""
    pair, at = expanded(offsets[one], offsets[one + 1])
    other = at - offsets[one][pair] + offsets[two][pair]
    return np.bincount(pair, values[at] * values[other], len(one))


def expected_token_mass(spans, other, *, encoding="IO", unit="doc"):
    """Expected number of items that an annotator marks, overlapping placement (a set per label)."""
    cells = sides_of((spans,), units(spans, other, unit)).pair(0, 0)
    values, offsets = profiles(cells.sides.cases, CHANNELS[encoding], "overlapping")
    sums = np.diff(np.concatenate([[0.0], np.cumsum(values)])[offsets])
    return cells.per_document(sums[cells.gold], (spans.n_docs, len(spans.labels)))


def expected_spans(gold, pred, *, placement="disjoint", unit="doc"):
    """Expected number of identical pairs of spans: sum over i, j, l of P(ST_i = l) P(ST_j = l)."""
    shape = (gold.n_docs, len(gold.labels))
    if placement == "nested":
        table = units(gold, pred, unit)
        ids = [cell_ids(spans, table) for spans in (gold, pred)]
        return expected_nested_matches(gold, pred, ids, table).reshape(shape)
    cells = cells_of(gold, pred, unit)
    matches = cells.per_pair(partial(exact_matches, cells.sides, placement))
    return cells.per_document(matches, shape)


def exact_matches(sides, placement, one, two):
    """Expected identical pairs for pairs of cases; shape of `one`."""
    cases = sides.cases
    longest = cases.length.max(initial=0) + 1
    pair_1, row_1 = expanded(cases.first[one], cases.first[one + 1])
    pair_2, row_2 = expanded(cases.first[two], cases.first[two + 1])
    key_1, key_2 = pair_1 * longest + cases.length[row_1], pair_2 * longest + cases.length[row_2]
    common, at_1, at_2 = np.intersect1d(key_1, key_2, assume_unique=True, return_indices=True)
    left, right = row_1[at_1], row_2[at_2]
    if placement == "disjoint":
        places = (cases.sizes[cases.case] - cases.length) + 1
        matches = edge_products(*sides.start_edges, places, left, right)
    else:
        rows, place = np.unique(np.append(left, right), return_inverse=True)
        matches = products(*starts(cases, rows, placement), *np.split(place, 2))
    matches *= cases.count[left] * cases.count[right]
    return np.bincount(common // longest, matches, len(one))


def expected_pairs(gold, pred, phis, *, placement="disjoint", unit="doc"):
    """Expected sums over pairs of spans of each phi(overlap, length, length); a list of arrays.

    For any measure that is such a sum, and gives nothing for pairs that do not overlap. Among
    disjoint spans link F, BCubed and Int-F are: two annotators share the links, neighbours and
    tokens of exactly their overlapping pairs.
    """
    cells = cells_of(gold, pred, unit)
    cases = cells.sides.cases
    values, offsets = starts(cases, np.arange(len(cases.length)), placement)
    distribution = np.split(values, offsets[1:-1])

    def expectation(one, two):
        return np.array([case_pair(cases, *pair, distribution, phis) for pair in zip(one, two)])

    spread = cells.per_pair(expectation).reshape(-1, len(phis))
    shape = (gold.n_docs, len(gold.labels))
    return [cells.per_document(column, shape) for column in spread.T]


def case_pair(cases, one, two, distribution, phis):
    """Expectation of every phi for one pair of cases."""
    sums = np.zeros(len(phis))
    for i in range(cases.first[one], cases.first[one + 1]):
        for j in range(cases.first[two], cases.first[two + 1]):
            a, b = cases.length[i], cases.length[j]
            shared = overlap(np.arange(1 - b, a), a, b)
            pairs = cases.count[i] * cases.count[j] * touching(distribution[i], distribution[j], b)
            sums += [pairs @ phi(shared, a, b) for phi in phis]
    return sums


def touching(start_1, start_2, b):
    """Probability of each shift from 1 - b to a - 1, at which segments of lengths a, b overlap."""
    return np.correlate(np.pad(start_2, b - 1), start_1, "valid")
