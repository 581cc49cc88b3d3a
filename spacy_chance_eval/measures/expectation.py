"""Expected matches of two annotators of a corpus under the random annotation model, exactly.

A *cell* is one unit of text and one label. Cells in which either annotator marked nothing expect no
match. Of the others only the distinct pairs (n, lengths of the first, lengths of the second) are
worked out, in batches; expectations of cells are then summed into documents.
"""

from dataclasses import dataclass

import numpy as np

from .alignment import units
from .chance import overlap, pair_expectation
from .nesting import expected_nested_matches, outermost
from .placement import FREE_TOKEN, Cases, preceding
from .spans import expanded, overlapping_pairs

PLACEMENTS = ("disjoint", "overlapping", "nested", "uniform")


def check_placement(gold, pred, placement):
    """Raise if the spans of one label contradict the placement; names the two spans."""
    if placement not in PLACEMENTS:
        raise ValueError(f"unknown chance model {placement!r}; expected one of {PLACEMENTS}")
    for spans in (gold, pred):
        if placement in ("disjoint", "uniform"):
            i, j = overlapping_pairs(spans, spans)
            clash = np.flatnonzero(i < j)
            if len(clash):
                one, two = spans.span_name(i[clash[0]]), spans.span_name(j[clash[0]])
                raise ValueError(
                    f"{one} overlaps {two}: the {placement} chance model cannot place them; "
                    "use chance='overlapping', or chance='nested' if spans never cross"
                )


# --- cells and the distinct cases among them


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells that count, and the distinct `Cases` behind both annotators.

    `doc`, `label` and the case of either side have one entry per cell.
    """

    doc: np.ndarray
    label: np.ndarray
    gold: np.ndarray
    pred: np.ndarray
    cases: Cases

    def per_document(self, values, shape):
        """Sum of a cell-wise quantity, as an array of shape (n_docs, n_labels)."""
        flat = np.bincount(self.doc * shape[1] + self.label, values, shape[0] * shape[1])
        return flat.reshape(shape).astype(float)

    def per_pair(self, function):
        """`function(first case, second case)` for the distinct pairs only, spread to the cells."""
        n_cases = len(self.cases.free)
        pairs, place = np.unique(self.gold * n_cases + self.pred, return_inverse=True)
        return function(pairs // n_cases, pairs % n_cases)[place]


def cells_of(gold, pred, table):
    """The cells in which both annotators marked something."""
    n_labels = len(gold.labels)
    ids = [cell_ids(spans, table) for spans in (gold, pred)]
    shared, *_ = np.intersect1d(
        *(np.unique(side) for side in ids), assume_unique=True, return_indices=True
    )
    unit = shared // max(n_labels, 1)
    size = table[unit, 2] - table[unit, 1]
    rows = [rows_of(spans, side, shared) for spans, side in zip((gold, pred), ids)]
    case, cases = distinct_cases(size, rows)
    label = shared % max(n_labels, 1)
    return Cells(table[unit, 0], label, case[: len(shared)], case[len(shared) :], cases)


def cell_ids(spans, table):
    """unit * n_labels + label, per span."""
    unit = np.searchsorted(table[:, 1], spans.start + spans.offsets[spans.doc], "right") - 1
    return unit * len(spans.labels) + spans.label


def rows_of(spans, cell, shared):
    """Columns (index of the cell in `shared`, length, count), ordered, for one annotator."""
    at = np.searchsorted(shared, cell)
    at = np.where(at < len(shared), at, 0)
    mine = shared[at] == cell if len(shared) else np.zeros(len(cell), bool)
    longest = spans.lengths.max(initial=0) + 1
    key, count = np.unique(at[mine] * longest + spans.lengths[mine], return_counts=True)
    return key // longest, key % longest, count


def distinct_cases(size, sides):
    """Number of the case of each cell (first side, then second), and the `Cases` themselves.

    Two cells are one case if they have the same size and the same (length, count) rows. Numbers are
    refined row by row, so that no multiset is ever compared as a whole.
    """
    n_cells = len(size)
    at, length, count = (np.concatenate(pair) for pair in zip(*sides))
    at = at + np.repeat([0, n_cells], [len(side[0]) for side in sides])
    first = np.searchsorted(at, np.arange(2 * n_cells + 1))
    kinds = np.diff(first)
    number = np.unique(np.tile(size, 2), return_inverse=True)[1]
    for kind in range(kinds.max(initial=0)):
        active = np.flatnonzero(kinds > kind)
        row = first[active] + kind
        row_key = length[row] * (count.max() + 1) + count[row]
        row_key = np.unique(row_key, return_inverse=True)[1]
        refined = np.unique(number[active] * (row_key.max() + 1) + row_key, return_inverse=True)[1]
        number[active] = refined + number.max() + 1
    _, example, number = np.unique(number, return_index=True, return_inverse=True)
    row = expanded(first[example], first[example + 1])[1]
    borders = np.concatenate([[0], np.cumsum(kinds[example])])
    case = np.repeat(np.arange(len(example)), kinds[example])
    marked = np.bincount(case, length[row] * count[row], len(example)).astype(np.int64)
    free = np.tile(size, 2)[example] - marked
    return number, Cases(free, borders, length[row], count[row])


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
    if placement == "disjoint" and channels is CHANNELS["IO"]:
        return token_coverage(cases), offsets
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


def token_coverage(cases):
    """Coverage of every token, case by case, without any start distribution."""
    case = np.flatnonzero(cases.free)
    values, borders = preceding(cases, case, np.full(len(case), FREE_TOKEN))
    out = np.ones(cases.sizes.sum())
    offsets = np.concatenate([[0], np.cumsum(cases.sizes)])
    _, at = expanded(offsets[case], offsets[case + 1])
    out[at] = 1 - np.repeat(cases.free[case], np.diff(borders)) * values
    return out


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
    table = units(gold, pred, unit)
    cells = cells_of(gold, pred, table)
    values, offsets = profiles(cells.cases, CHANNELS[encoding], placement)

    def dot(one, two):
        pair, at = expanded(offsets[one], offsets[one + 1])
        other = at - offsets[one][pair] + offsets[two][pair]
        return np.bincount(pair, values[at] * values[other], len(one))

    return cells.per_document(cells.per_pair(dot), (gold.n_docs, len(gold.labels)))


def expected_token_mass(spans, other, *, encoding="IO", unit="doc"):
    """Expected number of items that an annotator marks, overlapping placement (a set per label)."""
    cells = cells_of(spans, spans, units(spans, other, unit))
    values, offsets = profiles(cells.cases, CHANNELS[encoding], "overlapping")
    sums = np.diff(np.concatenate([[0.0], np.cumsum(values)])[offsets])
    return cells.per_document(sums[cells.gold], (spans.n_docs, len(spans.labels)))


def expected_spans(gold, pred, *, placement="disjoint", unit="doc"):
    """Expected number of identical pairs of spans: sum over i, j, l of P(ST_i = l) P(ST_j = l)."""
    table = units(gold, pred, unit)
    shape = (gold.n_docs, len(gold.labels))
    if placement == "nested":
        ids = [cell_ids(spans, table) for spans in (gold, pred)]
        return expected_nested_matches(gold, pred, ids, table).reshape(shape)
    cells = cells_of(gold, pred, table)
    return cells.per_document(
        cells.per_pair(lambda one, two: exact_matches(cells.cases, one, two, placement)), shape
    )


def exact_matches(cases, one, two, placement):
    """Expected identical pairs for pairs of cases; shape of `one`."""
    longest = cases.length.max(initial=0) + 1
    pair_1, row_1 = expanded(cases.first[one], cases.first[one + 1])
    pair_2, row_2 = expanded(cases.first[two], cases.first[two + 1])
    key_1, key_2 = pair_1 * longest + cases.length[row_1], pair_2 * longest + cases.length[row_2]
    common, at_1, at_2 = np.intersect1d(key_1, key_2, assume_unique=True, return_indices=True)
    rows, place = np.unique(np.append(row_1[at_1], row_2[at_2]), return_inverse=True)
    values, offsets = starts(cases, rows, placement)
    left, right = place[: len(common)], place[len(common) :]
    match, at = expanded(offsets[left], offsets[left + 1])
    same = values[at] * values[at - offsets[left][match] + offsets[right][match]]
    matches = np.bincount(match, same, len(common))
    matches *= cases.count[row_1[at_1]] * cases.count[row_2[at_2]]
    return np.bincount(common // longest, matches, len(one))


def expected_pairs(gold, pred, phis, *, placement="disjoint", unit="doc"):
    """Expected sums over pairs of spans of each phi(overlap, length, length); a list of arrays.

    For any measure that is such a sum. Among disjoint spans link F, BCubed and Int-F are: two
    annotators share the links, neighbours and tokens of exactly their overlapping pairs.
    """
    cells = cells_of(gold, pred, units(gold, pred, unit))
    values, offsets = starts(cells.cases, np.arange(len(cells.cases.length)), placement)
    distribution = np.split(values, offsets[1:-1])

    def expectation(one, two):
        return np.array(
            [case_pair(cells.cases, *pair, distribution, phis) for pair in zip(one, two)]
        )

    spread = cells.per_pair(expectation).reshape(-1, len(phis))
    shape = (gold.n_docs, len(gold.labels))
    return [cells.per_document(column, shape) for column in spread.T]


def case_pair(cases, one, two, distribution, phis):
    """Expectation of every phi for one pair of cases."""
    sums = np.zeros(len(phis))
    for i in range(cases.first[one], cases.first[one + 1]):
        for j in range(cases.first[two], cases.first[two + 1]):
            a, b = cases.length[i], cases.length[j]
            repeats = cases.count[i] * cases.count[j]
            for index, phi in enumerate(phis):
                measure = lambda shift, a, b: phi(overlap(shift, a, b), a, b)  # noqa: B023, E731
                pair = pair_expectation(distribution[i], distribution[j], a, b, measure)
                sums[index] += repeats * pair
    return sums
