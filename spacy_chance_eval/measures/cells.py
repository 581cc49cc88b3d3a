"""Cells, one unit of text and one label each, and the distinct cases among them.

Cells in which either annotator marked nothing expect no match. Of the others only the distinct
pairs of cases (n, lengths of the first; n, lengths of the second) have to be worked out.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .alignment import units
from .placement import FREE_TOKEN, Cases, coverage_edges, edge_sizes, preceding_edges
from .spans import expanded, trusted


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells in which two annotators marked something.

    `doc`, `label` and the case of either side (in the `Sides` that they are of) have one entry per
    cell.
    """

    doc: np.ndarray
    label: np.ndarray
    gold: np.ndarray
    pred: np.ndarray
    sides: "Sides"

    def per_document(self, values, shape):
        """Sum of a cell-wise quantity, as an array of shape (n_docs, n_labels)."""
        flat = np.bincount(self.doc * shape[1] + self.label, values, shape[0] * shape[1])
        return flat.reshape(shape).astype(float)

    def per_pair(self, function):
        """`function(first case, second case)` for the distinct pairs only, spread to the cells."""
        n_cases = len(self.sides.cases.free)
        pairs, place = np.unique(self.gold * n_cases + self.pred, return_inverse=True)
        return function(pairs // n_cases, pairs % n_cases)[place]


@dataclass(frozen=True, eq=False)
class Sides:
    """Annotators in one table of units: their cells, and the distinct `Cases` behind all of them.

    `cells` and `case` have one sorted array of cell numbers, and one of cases, per annotator.
    Cells in which one annotator alone marked something are left out: they expect no match.
    """

    table: np.ndarray
    n_labels: int
    cells: tuple
    case: tuple
    cases: Cases

    def pair(self, first, second):
        """The `Cells` of two of the annotators, by their numbers."""
        mine, theirs = self.cells[first], self.cells[second]
        place = np.searchsorted(theirs, mine)
        place[place == len(theirs)] = 0
        here = np.flatnonzero(theirs[place] == mine) if len(theirs) else np.zeros(0, np.int64)
        unit, label = np.divmod(mine[here], max(self.n_labels, 1))
        cases = self.case[first][here], self.case[second][place[here]]
        return Cells(self.table[unit, 0], label, *cases, self)

    @cached_property
    def coverage(self):
        """Edges of the coverage of the tokens, disjoint placement: values, offsets; by case.

        1 - g P(one given free token stands there), with g free tokens, which is the least work; but
        `coverage_edges` where segments are rare, as that would lose digits.
        """
        cases = self.cases
        every = np.arange(len(cases.free))
        held = edge_sizes(cases, every, np.full(len(every), FREE_TOKEN))
        held[cases.free == 0] = 1
        offsets = np.concatenate([[0], np.cumsum(held)])
        values = np.ones(offsets[-1])  # where no token is free, all are covered
        edges, first = self.free_edges
        case = free_tokens(cases)[0]
        _, at = expanded(offsets[case], offsets[case + 1])
        values[at] = 1 - np.repeat(cases.free[case], np.diff(first)) * edges
        case = np.flatnonzero(rarely_covered(cases))
        _, at = expanded(offsets[case], offsets[case + 1])
        values[at] = coverage_edges(cases, case, held[case], *self.rare_starts())
        return values, offsets

    def rare_starts(self):
        """Rows of the rarely covered cases, and edges of their start distributions.

        Row i has edges[first[i]:first[i] + held[i]]; returns row, edges, first, held.
        """
        row = np.flatnonzero(rarely_covered(self.cases)[self.cases.case])
        if "start_edges" in vars(self):
            edges, first = self.start_edges
            return row, edges, first[row], np.diff(first)[row]
        edges, first = preceding_edges(self.cases, self.cases.case[row], row)
        return row, edges, first[:-1], np.diff(first)

    @cached_property
    def free_edges(self):
        """Edges of where a free token stands, of all `free_tokens`, disjoint placement."""
        return preceding_edges(self.cases, *free_tokens(self.cases))

    @cached_property
    def start_edges(self):
        """Edges of the start distributions of all rows of the cases, disjoint placement."""
        return preceding_edges(self.cases, *segments(self.cases))

    def with_edges(self):
        """The same, with `free_edges` and `start_edges` worked out in one go: that is less work."""
        objects = segments(self.cases), free_tokens(self.cases)
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


def segments(cases):
    """(case, row) of all segments."""
    return cases.case, np.arange(len(cases.length))


def free_tokens(cases):
    """(case, row) of one free token of each case that has any, but for `rarely_covered` ones."""
    case = np.flatnonzero((cases.free > 0) & ~rarely_covered(cases))
    return case, np.full(len(case), FREE_TOKEN)


def rarely_covered(cases):
    """Whether less than one token in a hundred is in a segment."""
    return 99 * cases.sums(cases.length * cases.count) < cases.free


def sides_of(annotators, table):
    """The `Sides` of aligned annotators; of a single one all cells are kept."""
    n_labels = len(annotators[0].labels)
    ids = [cell_ids(spans, table) for spans in annotators]
    cells = [np.unique(side) for side in ids]
    every, count = np.unique(np.concatenate(cells), return_counts=True)
    shared = every[count > 1] if len(annotators) > 1 else every
    cells = [side[np.isin(side, shared, assume_unique=True)] for side in cells]
    sizes = [(table[side // max(n_labels, 1)] @ [0, -1, 1]).astype(np.int64) for side in cells]
    rows = [rows_of(spans, *side) for spans, *side in zip(annotators, ids, cells)]
    case, cases = distinct_cases(sizes, rows)
    case = np.split(case, np.cumsum([len(side) for side in cells])[:-1])
    return Sides(table, n_labels, tuple(cells), tuple(case), cases)


def cells_of(gold, pred, unit):
    """The `Cells` of two annotators; worked out before, if they are `prepared`."""
    if unit == "doc" and gold.prepared and pred.prepared:
        (sides, first), (others, second) = gold.prepared, pred.prepared
        if sides is others:
            cells = sides.pair(first, second)
            return cells_where(cells, gold.seen[cells.doc])
    return sides_of((gold, pred), units(gold, pred, unit)).pair(0, 1)


def cells_where(cells, keep):
    """Some of the cells."""
    columns = (column[keep] for column in (cells.doc, cells.label, cells.gold, cells.pred))
    return cells if keep.all() else Cells(*columns, cells.sides)


def prepared(annotators, *, edges=False):
    """The same annotators, whose start distributions are worked out once for all pairs.

    They are `align_panel`ed. That holds for documents as units, and while pairs keep all tokens.
    `edges`: the disjoint placement of segments and of tokens will both be asked for.
    """
    sides = sides_of(annotators, units(annotators[0], annotators[0]))
    if edges:
        sides = sides.with_edges()
    return [trusted(spans, prepared=(sides, i)) for i, spans in enumerate(annotators)]


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


def distinct_cases(sizes, sides):
    """Number of the case of each cell, one side after the other, and the `Cases` themselves.

    Two cells are one case if they have the same size and the same (length, count) rows. Numbers are
    refined row by row, so that no multiset is ever compared as a whole.
    """
    size = np.concatenate(sizes)
    length, count = (np.concatenate([side[i] for side in sides]) for i in (1, 2))
    before = np.cumsum([0, *map(len, sizes)])
    at = np.concatenate([side[0] + shift for side, shift in zip(sides, before)])
    first = np.searchsorted(at, np.arange(len(size) + 1))
    kinds = np.diff(first)
    number = np.unique(size, return_inverse=True)[1]
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
    return number, Cases(size[example] - marked, borders, length[row], count[row])
