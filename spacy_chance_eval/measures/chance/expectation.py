"""Expected matches of random annotations, summed over the documents of a corpus.

Most of the work is shared: `_Cells` are pairs of a unit and a label in which both annotators marked
something, and cells of equal size and lengths are one case. For *nested* spans the outermost ones
of a unit are placed by the disjoint model in its tokens, the children of a span by the disjoint
model inside that span, and so on. A discontinuous span travels with its gaps, as one block, under
the *overlapping* placement alone: each start of its hull is equally likely.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TypeAlias, cast

import numpy as np

from ..alignment import units
from ..arrays import Array, FloatArray, IntArray, distinct
from ..fragments import fragment_ranks, have_fragments, refuse_fragments
from ..messages import quoted
from ..spans import Spans, expanded, moved_pieces, overlapping_pairs, trusted
from .placement import (
    Cases,
    batches,
    distinct_cases,
    edge_products,
    start_distributions,
    start_edges,
    start_probabilities,
    window_sums,
)

Forest: TypeAlias = tuple[tuple[int, "Forest"], ...]  # of nodes: length, children
# of numbers of shared tokens, and the lengths of two spans
Phi: TypeAlias = Callable[[IntArray, int, int], FloatArray]
# of the first and the end of a piece in its segment, and its length: the place and width of a mark
Rule: TypeAlias = Callable[[IntArray, IntArray, IntArray], tuple[IntArray | int, IntArray | int]]


def parents(spans: Spans) -> IntArray:
    """Row of the smallest span of the same label around each span; -1 for outermost spans."""
    parent = np.full(len(spans), -1)
    start = (spans.start + spans.offsets[spans.doc]).tolist()
    end = (spans.end + spans.offsets[spans.doc]).tolist()
    open_spans: list[int] = []
    label_before = -1
    for row in np.lexsort((-spans.end, spans.start, spans.doc, spans.label)).tolist():
        if spans.label[row] != label_before:
            open_spans, label_before = [], spans.label[row]
        while open_spans and end[open_spans[-1]] <= start[row]:
            open_spans.pop()
        if open_spans:
            parent[row] = open_spans[-1]
            if end[row] > end[open_spans[-1]]:
                raise ValueError(
                    f"{spans.span_name(open_spans[-1])} crosses {spans.span_name(row)}: the nested "
                    "chance model needs spans that lie inside each other or apart; "
                    "use chance=overlapping (--chance overlapping)"
                )
        open_spans.append(row)
    return parent


def outermost(spans: Spans) -> Spans:
    """The spans that lie in no other span of their label: they decide which tokens are covered."""
    return spans.keep(parents(spans) < 0)


def _expected_nested_matches(
    gold: Spans, pred: Spans, cell_ids: Sequence[IntArray], table: IntArray
) -> FloatArray:
    """Expected number of identical pairs of spans; one entry per (document, label), flat."""
    n_labels = len(gold.labels)
    out = np.zeros(gold.n_docs * n_labels)
    sides = [nested_forests(spans, ids) for spans, ids in zip((gold, pred), cell_ids)]
    known: dict[tuple[int, Forest, Forest], float] = {}
    for cell in sorted(sides[0].keys() & sides[1].keys()):
        doc, start, end = table[cell // n_labels]
        case = (int(end - start), sides[0][cell], sides[1][cell])
        if case not in known:
            one, two = (nested_starts(case[0], forest) for forest in case[1:])
            known[case] = sum(float(one[a] @ two[a]) for a in sorted(one.keys() & two.keys()))
        out[doc * n_labels + cell % n_labels] += known[case]
    return out


@lru_cache(maxsize=4096)
def nested_starts(n: int, forest: Forest) -> dict[int, FloatArray]:
    """{length: expected number of spans of a forest that start at each place of n tokens}."""
    found: dict[int, FloatArray] = {}
    for (length, children), start in zip(forest, start_probabilities(n, [a for a, _ in forest])):
        inner = nested_starts(length, children)
        for a, starts in [(length, start), *((a, np.convolve(start, s)) for a, s in inner.items())]:
            found[a] = found.get(a, 0) + starts
    return found


def nested_forests(spans: Spans, cell_ids: IntArray) -> dict[int, Forest]:
    """{cell: forest}, a forest being a sorted tuple of (length, forest of the children)."""
    parent = parents(spans)
    children: dict[int, list[int]] = {}
    for row, above in enumerate(parent.tolist()):
        children.setdefault(above, []).append(row)
    depth_first = np.argsort(spans.lengths, kind="stable").tolist()  # children before parents
    tree: dict[int, tuple[int, Forest]] = {}
    for row in depth_first:
        inner = tuple(sorted(tree[child] for child in children.get(row, ())))
        tree[row] = (int(spans.lengths[row]), inner)
    roots: dict[int, list[tuple[int, Forest]]] = {}
    for row in children.get(-1, ()):
        roots.setdefault(int(cell_ids[row]), []).append(tree[row])
    return {cell: tuple(sorted(forest)) for cell, forest in roots.items()}


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells (a unit of text and a label) in which both of two annotators marked something.

    No match is expected elsewhere. `doc`, `label` and the case of either annotator, `gold` and
    `pred` (numbers of `cases`), have one entry per cell.
    """

    unit: str
    doc: IntArray
    label: IntArray
    gold: IntArray
    pred: IntArray
    cases: Cases
    known_starts: dict[str, tuple[FloatArray, IntArray]] = field(default_factory=dict)
    known_items: dict[tuple[str, str], "Items"] = field(default_factory=dict)

    def per_document(self, values: FloatArray, shape: tuple[int, int]) -> FloatArray:
        """Sum of a cell-wise quantity, as an array of shape (n_docs, n_labels)."""
        flat = np.bincount(self.doc * shape[1] + self.label, values, shape[0] * shape[1])
        return flat.reshape(shape).astype(float)

    def per_pair(self, function: Callable[[IntArray, IntArray], FloatArray]) -> FloatArray:
        """`function(cases of gold, cases of pred)` by cell, called with the distinct pairs only."""
        n_cases = len(self.cases.free)
        pairs, place = np.unique(self.gold * n_cases + self.pred, return_inverse=True)
        return function(pairs // n_cases, pairs % n_cases)[place]

    def starts(self, placement: str) -> tuple[FloatArray, IntArray]:
        """Edges of the start distributions of all rows of the cases, which are computed once."""
        if placement not in self.known_starts:
            self.known_starts[placement] = start_edges(self.cases, placement)
        return self.known_starts[placement]

    def items(self, encoding: str, placement: str) -> "Items":
        """The `Items` of all cases, which are computed once."""
        key = encoding, placement
        if key not in self.known_items:
            self.known_items[key] = items_of(self.cases, *key, self.starts(placement))
        return self.known_items[key]


def cells_of(gold: Spans, pred: Spans, unit: str, table: IntArray | None = None) -> Cells:
    """The `Cells` of two aligned annotators: those that were prepared, if they were.

    `table` has the units, if they are not those of the two.
    """
    if table is None and gold.prepared and pred.prepared:
        (known, first), (other, second) = gold.prepared, pred.prepared
        if known is other and known.unit == unit and (first, second) == (0, 1):
            return known
    table = units(gold, pred, unit) if table is None else table
    n_labels = max(len(gold.labels), 1)
    ids = [cell_ids(spans, table) for spans in (gold, pred)]
    shared = np.intersect1d(distinct(ids[0]), distinct(ids[1]), assume_unique=True)
    there = [np.isin(own, shared) for own in ids]
    # rows (cell, kind) of both annotators, the cells of the second one after those of the first
    sides = list(zip((gold, pred), there))
    length = np.concatenate([spans.lengths[some] for spans, some in sides])
    at = np.concatenate(
        [
            np.searchsorted(shared, own[some]) + by
            for own, some, by in zip(ids, there, (0, len(shared)))
        ]
    )
    kind, pieces = length, None
    if have_fragments(gold, pred):
        pieces = np.concatenate([_patterns(spans)[some] for spans, some in sides])
        kind = fragment_ranks(pieces)
        kind = np.where(kind > 0, kind + length.max(initial=0), length)
    n_kinds = kind.max(initial=0) + 1
    key, row, count = np.unique(at * n_kinds + kind, return_index=True, return_counts=True)
    columns = length[row], count, kind[row], None if pieces is None else pieces[row]
    unit_of, label = np.divmod(shared, n_labels)
    sizes = (table[unit_of] @ [0, -1, 1]).astype(np.int64)
    number, cases = distinct_cases(np.tile(sizes, 2), key // n_kinds, *columns)
    one, two = np.split(number, 2)
    return Cells(unit, table[unit_of, 0], label, one, two, cases)


def _patterns(spans: Spans) -> Array:
    """The pieces of discontinuous spans from their starts, as a column; None for the others."""
    if spans.fragments is None:
        return np.full(len(spans), None, object)
    return moved_pieces(spans.fragments, -spans.start)


def prepared(gold: Spans, pred: Spans, unit: str) -> list[Spans]:
    """The same two aligned annotators, ready for several expectations: cases are computed once."""
    cells = cells_of(gold, pred, unit)
    return [trusted(spans, prepared=(cells, i)) for i, spans in enumerate((gold, pred))]


def cell_ids(spans: Spans, table: IntArray) -> IntArray:
    """The cell of each span: unit * n_labels + label."""
    unit = np.searchsorted(table[:, 1], spans.start + spans.offsets[spans.doc], "right") - 1
    return unit * len(spans.labels) + spans.label


DISJOINT = ("disjoint", "uniform")
PLACEMENTS = ("disjoint", "overlapping", "nested", "uniform")


def check_placement(gold: Spans, pred: Spans, placement: str) -> None:
    """Raise ValueError if spans contradict a placement; names one, or two of one label."""
    if placement not in PLACEMENTS:
        raise ValueError(f"unknown chance model {quoted(placement)}; expected one of {PLACEMENTS}")
    if placement != "overlapping":
        advice = "use chance=overlapping (--chance overlapping)"
        refuse_fragments(f"the {placement} chance model", gold, pred, advice=advice)
    for spans in (gold,) if gold is pred else (gold, pred):
        if placement in DISJOINT and not are_disjoint(spans):
            i, j = overlapping_pairs(spans, spans)
            clash = np.flatnonzero(i < j)[0]
            one, two = spans.span_name(i[clash]), spans.span_name(j[clash])
            raise ValueError(
                f"{one} overlaps {two}: the {placement} chance model cannot place them; use "
                "chance=overlapping (--chance overlapping), or nested if spans never cross"
            )


def are_disjoint(spans: Spans) -> bool:
    """Whether no span is discontinuous, and no two of one label share a token."""
    if have_fragments(spans):
        return False
    place = spans.label * (spans.offsets[-1] + 1) + spans.offsets[spans.doc] + spans.start
    order = np.argsort(place)
    return bool((place[order[1:]] >= (place + spans.lengths)[order[:-1]]).all())


# --- items of token encodings

# the items that a piece of a segment marks, one rule per kind of item: (first place, number of
# places), where the piece begins and ends in the segment, and the length of that
CHANNELS: dict[str, tuple[Rule, ...]] = {
    "IO": (lambda low, high, a: (low, high - low),),
    "BIO": (
        lambda low, high, a: (low, low == 0),
        lambda low, high, a: (np.maximum(low, 1), high - np.maximum(low, 1)),
    ),
    "BIOE": (
        lambda low, high, a: (low, low == 0),
        lambda low, high, a: (np.maximum(low, 1), np.minimum(high, a - 1) - np.maximum(low, 1)),
        lambda low, high, a: (high - 1, (high == a) & (a > 1)),
    ),
    "IO*": (
        lambda low, high, a: (low, high - low),
        lambda low, high, a: (low, high - low - 1),
    ),
}


def marks_of(
    encoding: str, low: IntArray, high: IntArray, length: IntArray
) -> tuple[IntArray, IntArray]:
    """First place and number of places that pieces of segments mark: (n_pieces, n_channels)."""
    marks = [np.broadcast_arrays(*rule(low, high, length), low)[:2] for rule in CHANNELS[encoding]]
    first, width = (np.stack(column, axis=-1).astype(np.int64) for column in zip(*marks))
    return first, np.maximum(width, 0)


@dataclass(frozen=True, eq=False)
class Items:
    """Probability of every item of a token encoding in the unit of every case.

    Each case has `n_vectors`: one for each kind of item, over the whole unit if all are `mirrored`;
    otherwise two, from the first token up to the middle, and from the last one. A vector has the
    `sizes` of its places, and values `edges[first[i]:first[i + 1]]`, the last of which stands for
    all further ones (but for the mirrored edge).
    """

    edges: FloatArray
    first: IntArray
    sizes: IntArray
    n_vectors: int
    mirrored: bool

    def common(self, one: IntArray, two: IntArray) -> FloatArray:
        """Expected common items of pairs of cases: sum_t C1(t) C2(t)."""
        each = np.arange(self.n_vectors)
        left, right = ((side[:, None] * self.n_vectors + each).ravel() for side in (one, two))
        columns = self.edges, self.first, self.sizes, left, right
        products = edge_products(*columns, mirrored=self.mirrored)
        common: FloatArray = products.reshape(-1, self.n_vectors).sum(axis=1)
        return common

    def totals(self) -> FloatArray:
        """Expected number of items of each case."""
        held, ends = np.diff(self.first), 1 + self.mirrored
        times = np.full(len(self.edges), ends)
        times[self.first[1:] - 1] = self.sizes - ends * (held - 1)
        owner = np.repeat(np.arange(len(held)) // self.n_vectors, held)
        n_cases = len(held) // self.n_vectors
        return cast(FloatArray, np.bincount(owner, times * self.edges, n_cases))

    def full(self) -> list[FloatArray]:
        """The probabilities of each case: an array of shape (n_channels, n)."""
        vectors = []
        for low, high, size in zip(self.first[:-1], self.first[1:], self.sizes.tolist()):
            place = np.arange(size)
            place = np.minimum(place, place[::-1]) if self.mirrored else place
            vectors.append(self.edges[low + np.minimum(place, high - low - 1)])
        if not self.mirrored:
            halves = zip(vectors[::2], vectors[1::2])
            vectors = [np.concatenate([begin, end[::-1]]) for begin, end in halves]
        step = self.n_vectors // (1 if self.mirrored else 2)
        return [np.stack(vectors[i : i + step]) for i in range(0, len(vectors), step)]


def items_of(
    cases: Cases, encoding: str, placement: str, starts: tuple[FloatArray, IntArray]
) -> Items:
    """The `Items` of a token encoding.

        P(item at t) = sum over segments of sum over s of P(start = s),   s = t - place in segment

    Items are sets: where segments may overlap, an item is there unless every segment misses it.

    `starts` are the `start_edges` of the cases; "nested" is none of the placements.
    """
    (edges, first), case = starts, cases.case
    held = np.ones(len(cases.free), np.int64)
    np.maximum.at(held, case, np.diff(first) + cases.length - 1)
    held = np.minimum(held, (cases.sizes + 1) // 2)
    piece, low, high = _pieces_of(cases)
    begin, width = marks_of(encoding, low, high, cases.length[piece])
    sizes: IntArray = cases.sizes[:, None]
    other = cases.length[piece, None] - begin - width  # the same, seen from the other end
    mirrored = cases.pieces is None and bool((begin == other).all())
    if not mirrored:
        begin, width = np.stack([begin, other], axis=-1), np.repeat(width, 2, axis=-1)
        begin = begin.reshape(width.shape)
        sizes = (sizes + np.array([1, 0])) // 2  # the middle token is of the first half
    n = width.shape[1]  # vectors
    sizes = np.tile(sizes, n // sizes.shape[1]).reshape(-1)
    offsets = np.concatenate([[0], np.cumsum(np.repeat(held, n))])
    out = np.zeros(offsets[-1])
    places, last = cases.places, np.diff(first) - 1
    for rows in batches(n * held[case]):
        own = slice(*np.searchsorted(piece, [rows[0], rows[-1] + 1]))
        row = np.repeat(piece[own], n)
        at, place = expanded(np.zeros_like(row), held[case[row]])
        row, start = row[at], place - begin[own].ravel()[at]
        inside = (start >= 0) & (start < places[row])
        start = np.minimum(start, places[row] - 1 - start) * inside
        value = edges[first[row] + np.minimum(start, last[row])] * inside
        marked = window_sums(value, place, width[own].ravel()[at])
        end = at % n
        if cases.pieces is not None:  # the pieces of a segment add up
            key, number = np.unique((row * n + end) * (held.max() + 1) + place, return_inverse=True)
            marked = cast(FloatArray, np.bincount(number.reshape(-1), marked))
            (row, end), place = np.divmod(key // (held.max() + 1), n), key % (held.max() + 1)
        if placement == "overlapping":
            with np.errstate(divide="ignore"):
                marked = np.log1p(-np.minimum(marked, 1))
        np.add.at(out, offsets[case[row] * n + end] + place, cases.count[row] * marked)
    values = -np.expm1(out) if placement == "overlapping" else out
    return Items(values, offsets, sizes, n, mirrored)


def _pieces_of(cases: Cases) -> tuple[IntArray, IntArray, IntArray]:
    """(row, first place, end) of each piece of the segments of `cases`."""
    whole = np.zeros_like(cases.length), cases.length
    if cases.pieces is None:
        return np.arange(len(cases.length)), *whole
    own = [pieces or [(0, length)] for pieces, length in zip(cases.pieces, cases.length.tolist())]
    table = np.array([piece for some in own for piece in some], np.int64).reshape(-1, 2)
    return np.repeat(np.arange(len(own)), [*map(len, own)]), table[:, 0], table[:, 1]


# --- expected matches, summed into documents: arrays of shape (n_docs, n_labels)


def expected_tokens(
    gold: Spans,
    pred: Spans,
    *,
    encoding: str = "IO",
    placement: str = "disjoint",
    unit: str = "sentence",
) -> FloatArray:
    """Expected number of common items of a token encoding: sum_t C1(t) C2(t).

    `encoding` is that of `matching.token_hits`; with nested placement "IO" only.

    References
    ----------
    Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation".
    """
    if placement == "nested":
        gold, pred, placement = outermost(gold), outermost(pred), "disjoint"
    cells = cells_of(gold, pred, unit)
    common = cells.per_pair(cells.items(encoding, placement).common)
    return cells.per_document(common, (gold.n_docs, len(gold.labels)))


def expected_token_mass(
    spans: Spans, other: Spans, *, encoding: str = "IO", unit: str = "sentence"
) -> FloatArray:
    """Expected number of distinct items that an annotator marks, overlapping placement.

    The annotator is aligned with another one, whose spans decide on units that are sentences.
    """
    cells = cells_of(spans, spans, unit, units(spans, other, unit))
    sums = cells.items(encoding, "overlapping").totals()
    return cells.per_document(sums[cells.gold], (spans.n_docs, len(spans.labels)))


def expected_spans(
    gold: Spans, pred: Spans, *, placement: str = "disjoint", unit: str = "sentence"
) -> FloatArray:
    """Expected number of identical pairs of spans: sum over i, j, l of P(ST_i = l) P(ST_j = l).

    References
    ----------
    Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation".
    """
    shape = (gold.n_docs, len(gold.labels))
    if placement == "nested":
        table = units(gold, pred, unit)
        ids = [cell_ids(spans, table) for spans in (gold, pred)]
        return _expected_nested_matches(gold, pred, ids, table).reshape(shape)
    cells = cells_of(gold, pred, unit)
    matches = cells.per_pair(partial(_exact_matches, cells, placement))
    return cells.per_document(matches, shape)


def _exact_matches(cells: Cells, placement: str, one: IntArray, two: IntArray) -> FloatArray:
    """Expected identical pairs for pairs of cases; shape of `one`."""
    cases = cells.cases
    n_kinds = cases.kind.max(initial=0) + 1
    pair_1, row_1 = expanded(cases.first[one], cases.first[one + 1])
    pair_2, row_2 = expanded(cases.first[two], cases.first[two + 1])
    key_1, key_2 = pair_1 * n_kinds + cases.kind[row_1], pair_2 * n_kinds + cases.kind[row_2]
    common, at_1, at_2 = np.intersect1d(key_1, key_2, assume_unique=True, return_indices=True)
    left, right = row_1[at_1], row_2[at_2]
    matches = edge_products(*cells.starts(placement), cases.places, left, right)
    matches *= cases.count[left] * cases.count[right]
    return cast(FloatArray, np.bincount(common // n_kinds, matches, len(one)))


def expected_pairs(
    gold: Spans,
    pred: Spans,
    phis: Sequence[Phi],
    *,
    placement: str = "disjoint",
    unit: str = "sentence",
) -> list[FloatArray]:
    """Expected sums over pairs of spans of each phi(overlap, length, length).

    For any measure that is such a sum, and 0 for pairs that do not overlap. Link F, BCubed and
    Int-F of disjoint spans are: two annotators share the links, neighbours and tokens of exactly
    their overlapping pairs.

    phi takes numbers of shared tokens, and the lengths of the gold and of the predicted span.
    """
    cells = cells_of(gold, pred, unit)
    cases = cells.cases
    distribution = start_distributions(cases, placement)

    def expectation(one: IntArray, two: IntArray) -> FloatArray:
        return np.array([_case_pair(cases, *pair, distribution, phis) for pair in zip(one, two)])

    spread = cells.per_pair(expectation).reshape(-1, len(phis))
    shape = (gold.n_docs, len(gold.labels))
    return [cells.per_document(column, shape) for column in spread.T]


def _case_pair(
    cases: Cases, one: int, two: int, distribution: Sequence[FloatArray], phis: Sequence[Phi]
) -> FloatArray:
    """Expectation of every phi for one pair of cases."""
    sums = np.zeros(len(phis))
    for i in range(cases.first[one], cases.first[one + 1]):
        for j in range(cases.first[two], cases.first[two + 1]):
            a, b = cases.length[i], cases.length[j]
            shared = overlap(np.arange(1 - b, a), a, b)
            pairs = cases.count[i] * cases.count[j] * touching(distribution[i], distribution[j], b)
            sums += [pairs @ phi(shared, a, b) for phi in phis]
    return sums


def overlap(shift: IntArray, one: int, two: int) -> IntArray:
    """Number of tokens that [0, one) and [shift, shift + two) share."""
    shared: IntArray = np.maximum(np.minimum(one, shift + two) - np.maximum(shift, 0), 0)
    return shared


def touching(start_1: FloatArray, start_2: FloatArray, b: int) -> FloatArray:
    """Probability of each shift at which segments of lengths a and b overlap: 1 - b to a - 1."""
    return np.correlate(np.pad(start_2, b - 1), start_1, "valid")
