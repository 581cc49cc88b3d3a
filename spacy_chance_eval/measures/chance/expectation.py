"""Expected matches of random annotations, summed over the documents of a corpus.

Most of the work is shared: `_Cells` are pairs of a unit and a label in which both annotators marked
something, and cells of equal size and lengths are one case. For *nested* spans the outermost ones
of a unit are placed by the disjoint model in its tokens, the children of a span by the disjoint
model inside that span, and so on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TypeAlias, cast

import numpy as np

from ..alignment import units
from ..arrays import BoolArray, FloatArray, IntArray, distinct
from ..fragments import have_fragments, refuse_fragments
from ..messages import quoted
from ..spans import Spans, expanded, overlapping_pairs, trusted
from .placement import (
    Cases,
    coverage_edges,
    edge_products,
    edge_sizes,
    preceding,
    preceding_edges,
    start_probabilities,
)
from .quadrature import FREE_TOKEN

Forest: TypeAlias = tuple[tuple[int, "Forest"], ...]  # of nodes: length, children
# of numbers of shared tokens, and the lengths of two spans
Phi: TypeAlias = Callable[[IntArray, int, int], FloatArray]
# of lengths of segments: shifts and widths of the places they mark, shape (n_segments, n_channels)
Channels: TypeAlias = Callable[[IntArray], tuple[IntArray, IntArray]]
Rule: TypeAlias = Callable[[IntArray], tuple[IntArray | int, IntArray | int]]


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
            known[case] = _nested_matches(*case)
        out[doc * n_labels + cell % n_labels] += known[case]
    return out


def _nested_matches(n: int, first: Forest, second: Forest) -> float:
    """Expected identical pairs of two forests of (length, children) in n tokens."""
    pairs = (
        (one, two)
        for a, one in absolute_starts(n, first)
        for b, two in absolute_starts(n, second)
        if a == b
    )
    return sum(float(one @ two) for one, two in pairs)


@lru_cache(maxsize=4096)
def absolute_starts(n: int, forest: Forest) -> list[tuple[int, FloatArray]]:
    """(length, start distribution in n tokens) of every span of a forest."""
    found = []
    for (length, children), start in zip(forest, start_probabilities(n, [a for a, _ in forest])):
        found.append((length, start))
        found += [(a, np.convolve(start, inner)) for a, inner in absolute_starts(length, children)]
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
class _Cells:
    """The cells (a unit of text and a label) in which both of two annotators marked something.

    `doc`, `label` and the case of either annotator, `gold` and `pred` (numbers of
    `sides.cases`), have one entry per cell.
    """

    doc: IntArray
    label: IntArray
    gold: IntArray
    pred: IntArray
    sides: "Sides"

    def per_document(self, values: FloatArray, shape: tuple[int, int]) -> FloatArray:
        """Sum of a cell-wise quantity, as an array of shape (n_docs, n_labels)."""
        flat = np.bincount(self.doc * shape[1] + self.label, values, shape[0] * shape[1])
        return flat.reshape(shape).astype(float)

    def per_pair(self, function: Callable[[IntArray, IntArray], FloatArray]) -> FloatArray:
        """`function(cases of gold, cases of pred)` by cell, called with the distinct pairs only."""
        n_cases = len(self.sides.cases.free)
        pairs, place = np.unique(self.gold * n_cases + self.pred, return_inverse=True)
        return function(pairs // n_cases, pairs % n_cases)[place]


@dataclass(frozen=True, eq=False)
class Sides:
    """Annotators in one table of units: their cells, and the distinct `Cases` behind all of them.

    `cells` and `case` have an array for each annotator: the numbers of their cells, sorted, and the
    case of each. Cells in which one annotator alone marked something are left out: no match is
    expected there.
    """

    table: IntArray
    n_labels: int
    cells: tuple[IntArray, ...]
    case: tuple[IntArray, ...]
    cases: Cases
    unit: str = ""  # of annotators that were `prepared`

    def pair(self, first: int, second: int) -> _Cells:
        """The `_Cells` of two of the annotators, given by number."""
        mine, theirs = self.cells[first], self.cells[second]
        place = np.searchsorted(theirs, mine)
        place[place == len(theirs)] = 0
        here = np.flatnonzero(theirs[place] == mine) if len(theirs) else np.zeros(0, np.int64)
        unit, label = np.divmod(mine[here], max(self.n_labels, 1))
        cases = self.case[first][here], self.case[second][place[here]]
        return _Cells(self.table[unit, 0], label, *cases, self)

    @cached_property
    def coverage(self) -> tuple[FloatArray, IntArray]:
        """Edges of the coverage of the tokens, disjoint placement: values, offsets; by case.

        1 - g P(one given free token stands there), with g free tokens, which is the least work.
        Where segments are rare that would lose digits: there from `coverage_edges`.
        """
        cases = self.cases
        every = np.arange(len(cases.free))
        held = edge_sizes(cases, every, np.full(len(every), FREE_TOKEN))
        held[cases.free == 0] = 1
        offsets = np.concatenate([[0], np.cumsum(held)])
        values = np.ones(offsets[-1])  # where no token is free, all are covered
        edges, first = self.free_edges
        case = _free_tokens(cases)[0]
        _, at = expanded(offsets[case], offsets[case + 1])
        values[at] = 1 - np.repeat(cases.free[case], np.diff(first)) * edges
        case = np.flatnonzero(_rarely_covered(cases))
        _, at = expanded(offsets[case], offsets[case + 1])
        values[at] = coverage_edges(cases, case, held[case], *self.rare_starts())
        return values, offsets

    def rare_starts(self) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
        """Rows of the rarely covered cases, and edges of their start distributions.

        Row i has edges[first[i]:first[i] + held[i]]; returns row, edges, first, held.
        """
        row = np.flatnonzero(_rarely_covered(self.cases)[self.cases.case])
        if "start_edges" in vars(self):
            edges, first = self.start_edges
            return row, edges, first[row], np.diff(first)[row]
        edges, first = preceding_edges(self.cases, self.cases.case[row], row)
        return row, edges, first[:-1], np.diff(first)

    @cached_property
    def free_edges(self) -> tuple[FloatArray, IntArray]:
        """Edges of where a free token stands, of all `_free_tokens`, disjoint placement."""
        return preceding_edges(self.cases, *_free_tokens(self.cases))

    @cached_property
    def start_edges(self) -> tuple[FloatArray, IntArray]:
        """Edges of the start distributions of all rows of the cases, disjoint placement."""
        return preceding_edges(self.cases, *_segments(self.cases))

    def with_edges(self) -> "Sides":
        """The same, with `free_edges` and `start_edges` computed together: that is less work."""
        objects = _segments(self.cases), _free_tokens(self.cases)
        case, row = (np.concatenate(column) for column in zip(*objects))
        order = np.argsort(case, kind="stable")
        edges, first = preceding_edges(self.cases, case[order], row[order])
        for name, mine in zip(
            ("start_edges", "free_edges"), (row != FREE_TOKEN, row == FREE_TOKEN)
        ):
            here = np.flatnonzero(mine[order])
            _, at = expanded(first[here], first[here + 1])
            offsets = np.concatenate([[0], np.cumsum(np.diff(first)[here])])
            vars(self)[name] = edges[at], offsets  # where `cached_property` looks
        return self


def _segments(cases: Cases) -> tuple[IntArray, IntArray]:
    """(case, row) of all segments."""
    return cases.case, np.arange(len(cases.length))


def _free_tokens(cases: Cases) -> tuple[IntArray, IntArray]:
    """(case, row) of one free token of each case that has any, but for `_rarely_covered` ones."""
    case = np.flatnonzero((cases.free > 0) & ~_rarely_covered(cases))
    return case, np.full(len(case), FREE_TOKEN)


def _rarely_covered(cases: Cases) -> BoolArray:
    """Whether less than one token in a hundred is in a segment."""
    return 99 * cases.sums(cases.length * cases.count) < cases.free


def _sides_of(annotators: Sequence[Spans], table: IntArray) -> Sides:
    """The `Sides` of aligned annotators; of a single one all cells are kept."""
    n_labels = len(annotators[0].labels)
    ids = [cell_ids(spans, table) for spans in annotators]
    cells: list[IntArray] = [distinct(side) for side in ids]
    every, count = np.unique(np.concatenate(cells), return_counts=True)
    shared = every[count > 1] if len(annotators) > 1 else every
    cells = [side[np.isin(side, shared, assume_unique=True)] for side in cells]
    sizes = [(table[side // max(n_labels, 1)] @ [0, -1, 1]).astype(np.int64) for side in cells]
    rows = [_rows_of(spans, *side) for spans, *side in zip(annotators, ids, cells)]
    number, cases = _distinct_cases(sizes, rows)
    case = np.split(number, np.cumsum([len(side) for side in cells])[:-1])
    return Sides(table, n_labels, tuple(cells), tuple(case), cases)


def cells_of(gold: Spans, pred: Spans, unit: str) -> _Cells:
    """The `_Cells` of two aligned annotators: those that were prepared, if they were."""
    if gold.prepared and pred.prepared:
        (sides, first), (others, second) = gold.prepared, pred.prepared
        if sides is others and sides.unit == unit:
            cells = sides.pair(first, second)
            return _cells_where(cells, gold.seen[cells.doc])
    return _sides_of((gold, pred), units(gold, pred, unit)).pair(0, 1)


def _cells_where(cells: _Cells, keep: BoolArray) -> _Cells:
    """Some of the cells."""
    if keep.all():
        return cells
    doc, label, gold, pred = (x[keep] for x in (cells.doc, cells.label, cells.gold, cells.pred))
    return _Cells(doc, label, gold, pred, cells.sides)


def prepared(gold: Spans, pred: Spans, unit: str, *, edges: bool = False) -> list[Spans]:
    """The same two annotators, ready for several expectations: cases are computed once.

    Parameters
    ----------
    gold, pred : Spans
        Aligned.
    unit : "sentence" or "document"
    edges : bool
        Whether both the starts of segments and the coverage of tokens will be needed, disjoint
        placement: then they are computed together.
    """
    pair = [gold, pred]
    if have_fragments(*pair):  # whose expectations are made without cases
        return pair
    sides = replace(_sides_of(pair, units(gold, pred, unit)), unit=unit)
    if edges:
        sides = sides.with_edges()
    return [trusted(spans, prepared=(sides, i)) for i, spans in enumerate(pair)]


def cell_ids(spans: Spans, table: IntArray) -> IntArray:
    """The cell of each span: unit * n_labels + label."""
    unit = np.searchsorted(table[:, 1], spans.start + spans.offsets[spans.doc], "right") - 1
    return unit * len(spans.labels) + spans.label


def _rows_of(spans: Spans, cell: IntArray, shared: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Columns (index of the cell in `shared`, length, count), ordered, for one annotator."""
    at = np.searchsorted(shared, cell)
    at = np.where(at < len(shared), at, 0)
    mine = shared[at] == cell if len(shared) else np.zeros(len(cell), bool)
    longest = spans.lengths.max(initial=0) + 1
    key, count = np.unique(at[mine] * longest + spans.lengths[mine], return_counts=True)
    return key // longest, key % longest, count


def _distinct_cases(
    sizes: Sequence[IntArray], sides: Sequence[tuple[IntArray, IntArray, IntArray]]
) -> tuple[IntArray, Cases]:
    """The number of the case of each cell, one annotator after the other, and the `Cases`.

    Two cells are one case if they have the same size and the same (length, count) rows. Numbers are
    refined row by row, so that no multiset is ever compared as a whole.
    """
    size = np.concatenate(sizes)
    length, count = (np.concatenate([side[i] for side in sides]) for i in (1, 2))
    before = np.cumsum([0, *map(len, sizes)])
    at = np.concatenate([side[0] + shift for side, shift in zip(sides, before)])
    first = np.searchsorted(at, np.arange(len(size) + 1))
    kinds = np.diff(first)
    number: IntArray = np.unique(size, return_inverse=True)[1]
    for kind in range(kinds.max(initial=0)):
        active = np.flatnonzero(kinds > kind)
        row = first[active] + kind
        row_key = length[row] * (count.max() + 1) + count[row]
        row_key = np.unique(row_key, return_inverse=True)[1]
        refined = np.unique(number[active] * (row_key.max() + 1) + row_key, return_inverse=True)[1]
        number[active] = refined + number.max() + 1
    _, example, number = np.unique(number, return_index=True, return_inverse=True)
    rows = expanded(first[example], first[example + 1])[1]
    borders = np.concatenate([[0], np.cumsum(kinds[example])])
    case = np.repeat(np.arange(len(example)), kinds[example])
    marked = np.bincount(case, length[rows] * count[rows], len(example)).astype(np.int64)
    return number, Cases(size[example] - marked, borders, length[rows], count[rows])


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


# --- distributions of starts and of items


def start_distributions(
    cases: Cases, rows: IntArray, placement: str
) -> tuple[FloatArray, IntArray]:
    """Start distributions of the segments of some rows of `cases`: values, offsets.

    Row i has values[offsets[i]:offsets[i + 1]], which sum to 1.
    """
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


def item_probabilities(
    cases: Cases, channels: Channels, placement: str
) -> tuple[FloatArray, IntArray]:
    """Probability of every item of a token encoding: values, offsets.

    Case c has values[offsets[c]:offsets[c + 1]], one kind of item (channel) after the other. Items
    are sets: where segments may overlap, an item is there unless every segment misses it.

    Parameters
    ----------
    channels : callable
        A row of `CHANNELS`: for segments of some lengths, the shift and the width of the places
        that they mark with each kind of item.
    placement : str
        One of `PLACEMENTS`, but for "nested".
    """
    n_channels = channels(np.ones(1, np.int64))[0].shape[-1]
    size = cases.sizes
    offsets = np.concatenate([[0], np.cumsum(size * n_channels)])
    rows = np.arange(len(cases.length))
    values, borders = start_distributions(cases, rows, placement)
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


def _channel_table(*rules: Rule) -> Channels:
    """A token encoding, from rules (shift, width) that are functions of the segment lengths."""

    def channels(length: IntArray) -> tuple[IntArray, IntArray]:
        parts = [np.broadcast_arrays(*rule(length), length)[:2] for rule in rules]
        shift, width = (np.stack(side, axis=-1) for side in zip(*parts))
        return shift, width

    return channels


# the items that a segment marks, one rule per kind of item: (first place, number of places)
CHANNELS = {
    "IO": _channel_table(lambda a: (0, a)),
    "BIO": _channel_table(lambda a: (0, 1), lambda a: (1, a - 1)),
    "BIOE": _channel_table(
        lambda a: (0, 1),
        lambda a: (1, np.maximum(a - 2, 0)),
        lambda a: (a - 1, np.minimum(a - 1, 1)),
    ),
    "IO*": _channel_table(lambda a: (0, a), lambda a: (0, a - 1)),
}


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
    if placement == "disjoint" and encoding == "IO":
        sizes = cells.sides.cases.sizes
        dot = partial(edge_products, *cells.sides.coverage, sizes)
    else:
        dot = partial(
            _products, *item_probabilities(cells.sides.cases, CHANNELS[encoding], placement)
        )
    return cells.per_document(cells.per_pair(dot), (gold.n_docs, len(gold.labels)))


def _products(values: FloatArray, offsets: IntArray, one: IntArray, two: IntArray) -> FloatArray:
    """Dot products of pairs of vectors of equal length that stand one after the other."""
    pair, at = expanded(offsets[one], offsets[one + 1])
    other = at - offsets[one][pair] + offsets[two][pair]
    return cast(FloatArray, np.bincount(pair, values[at] * values[other], len(one)))


def expected_token_mass(
    spans: Spans, other: Spans, *, encoding: str = "IO", unit: str = "sentence"
) -> FloatArray:
    """Expected number of distinct items that an annotator marks, overlapping placement.

    The annotator is aligned with another one, whose spans decide on units that are sentences.
    """
    cells = _sides_of((spans,), units(spans, other, unit)).pair(0, 0)
    values, offsets = item_probabilities(cells.sides.cases, CHANNELS[encoding], "overlapping")
    sums = np.diff(np.concatenate([[0.0], np.cumsum(values)])[offsets])
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
    matches = cells.per_pair(partial(_exact_matches, cells.sides, placement))
    return cells.per_document(matches, shape)


def _exact_matches(sides: Sides, placement: str, one: IntArray, two: IntArray) -> FloatArray:
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
        matches = _products(*start_distributions(cases, rows, placement), *np.split(place, 2))
    matches *= cases.count[left] * cases.count[right]
    return cast(FloatArray, np.bincount(common // longest, matches, len(one)))


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

    Parameters
    ----------
    phis : sequence of callables
        phi(numbers of shared tokens, length of the gold span, length of the predicted span).
    """
    cells = cells_of(gold, pred, unit)
    cases = cells.sides.cases
    values, offsets = start_distributions(cases, np.arange(len(cases.length)), placement)
    distribution = np.split(values, offsets[1:-1])

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
