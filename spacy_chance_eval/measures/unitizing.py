"""Units and gaps of several annotators on one continuum: what Krippendorff's alphas are made of.

The continuum of a document consists of the tokens that all its annotators annotated. Stretches that
follow on each other are joined over sentence boundaries; missing tokens are cut out, and units
and gaps end there as they do at the boundaries of documents. Spans that do not fit the tokens
(`Spans.unplaced`) have no place on it and do not count. Units of one label of one annotator must
not overlap; those of different labels may.

Documents may have different annotators. With m_d of them on document d, a sum over ordered pairs of
annotators has the weight 1 / (m_d - 1) there, and the length that was rated is the sum of m_d L_d.
If all saw everything, these are the definitions of the papers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .alignment import align_panel, join_touching
from .arrays import Array, FloatArray, IntArray, distinct
from .fragments import pieces, refuse_fragments
from .matching import document_table
from .resampling import slices
from .spans import Spans, expanded, merge_sorted
from .stats import Divided, Valued, ratio

AT_ONCE = 1 << 14  # units whose meetings are listed at a time
TABLE = 1 << 22  # numbers of a table that are worked on at a time


@dataclass(frozen=True, eq=False)
class _Continuum:
    """The text that several annotators share."""

    annotators: tuple[Spans, ...]
    n_annotators: IntArray  # of each document
    lengths: IntArray  # tokens of each document; 0 where fewer than two annotators saw it
    pieces: IntArray  # rows (start, end), corpus-wide

    @property
    def documents(self) -> IntArray:
        """The document of every piece."""
        return np.searchsorted(self.annotators[0].offsets, self.pieces[:, 0], "right") - 1

    @property
    def others(self) -> IntArray:
        """Number of other annotators of each document; 1 where there are none, to divide by."""
        return np.maximum(self.n_annotators - 1, 1)


@dataclass(frozen=True, eq=False)
class _Units:
    """The units of one annotator by position; none of one label overlap."""

    doc: IntArray
    label: IntArray
    start: IntArray  # corpus-wide; if taken by label, each label has a plane of its own
    end: IntArray

    @property
    def lengths(self) -> IntArray:
        """Length of each unit."""
        return self.end - self.start


def continuum_of(annotators: Iterable[Spans]) -> _Continuum:
    """The `_Continuum` of annotators, who are aligned unless they are already."""
    annotators = tuple(annotators)
    refuse_fragments("agreement on units (the u_alpha family, alpha_u)", *annotators)
    n_annotators = np.sum([spans.seen for spans in annotators], axis=0)
    partners = {id(spans.partner) for spans in annotators}
    if annotators[0].partner is None or len(partners) > 1 or (n_annotators == 1).any():
        annotators = align_panel(annotators)
        n_annotators = np.sum([spans.seen for spans in annotators], axis=0)
    first = annotators[0]
    doc, start, end = first.stretches.T
    rated = (n_annotators > 1)[doc]
    lengths = np.zeros(first.n_docs, np.int64)
    np.add.at(lengths, doc[rated], (end - start)[rated])
    pieces = join_touching(first.stretches[rated], first.offsets)
    return _Continuum(annotators, n_annotators, lengths, pieces)


def _plane_of(spans: Spans) -> int:
    """Positions by which the planes of two labels are apart, so that their units do not meet."""
    return int(spans.offsets[-1]) + 1


def crossed_docs(spans: Spans, by_label: bool) -> dict[int, int]:
    """{document: row of its first span that overlaps the next one}, of one label if `by_label`.

    Discontinuous spans overlap if their pieces do.
    """
    row, start, end = pieces(spans)
    at = spans.offsets[spans.doc[row]] + (spans.label[row] * _plane_of(spans) if by_label else 0)
    order = np.argsort(start + at, kind="stable")
    rows = row[order][:-1][(end + at)[order][:-1] > (start + at)[order][1:]]
    return dict(zip(spans.doc[rows[::-1]].tolist(), rows[::-1].tolist()))


def units_of(spans: Spans, number: int, by_label: bool) -> _Units:
    """The `_Units` of an annotator, for each label on a plane of its own or for all on one.

    `number` is the annotator's, from 1, for messages.
    """
    plane = _plane_of(spans) if by_label else 0
    start = spans.label * plane + spans.offsets[spans.doc] + spans.start
    order = np.argsort(start, kind="stable") if by_label else np.arange(len(spans))
    start, end = start[order], (start + spans.lengths)[order]
    crossed = np.flatnonzero(end[:-1] > start[1:])
    if len(crossed) and not by_label:
        units_of(spans, number, True)
    elif len(crossed):
        pair = " and ".join(spans.span_name(order[row]) for row in (crossed[0], crossed[0] + 1))
        raise ValueError(
            f"annotator {number}: {pair} overlap; units of one label must not: remove one of "
            "them; of files, --on-error skip leaves such documents of an annotator out"
        )
    return _Units(spans.doc[order], spans.label[order], start, end)


def gaps_of(
    units: _Units, spans: Spans, continuum: _Continuum
) -> tuple[IntArray, IntArray, IntArray]:
    """Columns (doc, label, length) of the gaps of one annotator between units of each label.

    Begins (begins of pieces, ends of units) and ends of gaps are sorted separately: the i-th begin
    and the i-th end belong together. Units that touch have no gap between them.
    """
    plane = _plane_of(spans)
    pieces = continuum.pieces[spans.seen[continuum.documents]]
    planes = np.arange(len(spans.labels))[:, None] * plane
    begin = merge_sorted([(planes + pieces[:, 0]).ravel(), units.end])
    end = merge_sorted([(planes + pieces[:, 1]).ravel(), units.start])
    begin, length = begin[end > begin], (end - begin)[end > begin]
    return *_places_of(begin, spans), length


def _places_of(positions: IntArray, spans: Spans) -> tuple[IntArray, IntArray]:
    """Documents and labels of ordered positions on the planes of the labels.

    Few boundaries of documents are looked up among many positions, not the other way round.
    """
    n_labels, n_docs = len(spans.labels), spans.n_docs
    borders = (np.arange(n_labels)[:, None] * _plane_of(spans) + spans.offsets).ravel()
    held = np.diff(np.searchsorted(positions, borders), append=len(positions))
    label, doc = np.divmod(np.arange(len(borders)), n_docs + 1)
    return np.repeat(doc, held), np.repeat(label, held)


def paired_lengths(start: IntArray, end: IntArray, depth: int) -> tuple[IntArray, IntArray]:
    """Twice the length that pairs of intervals share: (starts in order, length to count there).

    The sum is the integral of n (n - 1) with n the number of intervals around a point, at most
    `depth`. It does not depend on which end belongs to which start: with both sorted, interval i
    shares max(0, end_i - start_(i+k)) with the k-th after it, and nothing from k = depth on.
    """
    start, end = np.sort(start, kind="stable"), np.sort(end, kind="stable")  # they come in runs
    shared = np.zeros_like(start)
    for k in range(1, min(depth, len(start))):
        meeting = np.maximum(end[:-k] - start[k:], 0)
        if not meeting.any():
            break
        shared[:-k] += meeting
    return start, 2 * shared


def pair_table(sides: Sequence[_Units], spans: Spans, by_label: bool) -> Array:
    """Length on which ordered pairs of annotators both have a unit, by document and label.

    A unit of the same label if `by_label`; else of any label, all counted for the first one.
    """
    plane = _plane_of(spans)
    shift = [side.label * plane if by_label else 0 for side in sides]
    start = np.concatenate([side.start + by for side, by in zip(sides, shift)])
    end = np.concatenate([side.end + by for side, by in zip(sides, shift)])
    start, shared = paired_lengths(start, end, len(sides))
    return document_table(spans, *_places_of(start, spans), shared)


def met_lengths(sides: Sequence[_Units]) -> list[IntArray]:
    """For the units of every annotator: the length of the others' units that they meet, added up.

    With n(t) annotators who have a unit around t, the integral of n(t) - 1 over the unit. The
    integral up to t is the sum of t - start over starts before t, less the same for ends. Units of
    one annotator that overlap, of different labels, are one here.
    """
    borders = [np.sort(np.concatenate(column)) for column in zip(*map(_marked, sides))]
    sums = [np.concatenate([[0], np.cumsum(column)]) for column in borders]

    def marked_until(place: IntArray) -> IntArray:
        (starts, ends), (start_sum, end_sum) = borders, sums
        i, j = np.searchsorted(starts, place), np.searchsorted(ends, place)
        marked: IntArray = (i - j) * place - start_sum[i] + end_sum[j]
        return marked

    return [marked_until(s.end) - marked_until(s.start) - s.lengths for s in sides]


def _marked(side: _Units) -> tuple[IntArray, IntArray]:
    """(starts, ends) of the stretches that the units of an annotator cover, labels together."""
    ends = np.maximum.accumulate(side.end)
    new = np.flatnonzero(side.start[1:] >= ends[:-1]) + 1
    if len(new) == max(len(ends) - 1, 0):
        return side.start, side.end
    return side.start[np.append(0, new)], ends[np.append(new - 1, -1)]


def marked_table(sides: Sequence[_Units], spans: Spans) -> IntArray:
    """Length that the others marked of what each annotator marked, summed, by document."""
    whole = []
    for side in sides:
        start, end = _marked(side)
        doc = np.searchsorted(spans.offsets, start, "right") - 1
        whole.append(_Units(doc, np.zeros_like(doc), start, end))
    marked: IntArray = sum_tables(spans, whole, met_lengths(whole)).sum(axis=1)
    return marked


def sides_of(continuum: _Continuum) -> list[_Units]:
    """The `_Units` of all annotators, all labels on one plane."""
    return [units_of(spans, i, False) for i, spans in enumerate(continuum.annotators, start=1)]


def crossed_rows(continuum: _Continuum) -> IntArray:
    """The documents in which units of one annotator overlap."""
    return distinct(*(np.array([*crossed_docs(s, False)], int) for s in continuum.annotators))


def sum_tables(spans: Spans, sides: Sequence[_Units], weights: Sequence[Array]) -> Array:
    """Sums of the weights of the units of all annotators by document and label."""
    pairs = zip(sides, weights)
    return reduce(add, (document_table(spans, side.doc, side.label, w) for side, w in pairs))


@dataclass(frozen=True, eq=False)
class Distances(Valued):
    """The components of alpha_U for groups of labels; n distinct lengths of units.

    Sum over documents if all are counted with the same lengths. One group has all labels, or every
    label is a group of its own. Arrays of shape (..., n_groups), (..., n_groups, n_labels) and
    (..., n_groups, n_labels, n).
    """

    rated: Array  # sum of m_d L_d
    length: Array  # L, of documents with two annotators or more
    observed: Array  # by label: distances over ordered pairs of annotators, over m_d - 1
    units: Array  # by label: N
    marked: Array  # by label: sum of l
    cubes: Array  # by label: sum of (2 l^3 - 3 l^2 + l) / 3
    squares: Array  # by label and length l: l^2 for every unit of that length
    places: Array  # by label and length l: sum over gaps g >= l of g - l + 1


def distinct_lengths(annotators: Iterable[Spans]) -> IntArray:
    """The lengths of the units in the documents that at least two annotators saw, sorted.

    The union of those of all blocks of a corpus are the `lengths` of `unit_distances`.
    """
    sides = continuum_of(annotators).annotators
    return distinct(*(distinct(spans.lengths) for spans in sides))


def unit_distances(
    annotators: Iterable[Spans], *, lengths: ArrayLike | None = None
) -> Divided[Distances]:
    """Distances between the units of two or more annotators, for `alpha_u`.

    The annotators are on the same documents (`alignment.align_panel`); each has seen their own of
    them. A document that fewer than two have seen counts nothing. One row per document; all labels
    as one group, and every label as a group. `lengths` are all lengths that units have in the
    corpus, `distinct_lengths`, if these documents are only a part of it: statistics with the same
    lengths add up. Two tables of documents by labels by lengths are the largest part of them.
    """
    continuum = continuum_of(annotators)
    spans = continuum.annotators
    known = distinct_lengths(spans) if lengths is None else distinct(np.asarray(lengths, int))
    _check_lengths(spans, known)
    sides = [units_of(one, number, True) for number, one in enumerate(spans, start=1)]
    first, shape = spans[0], (spans[0].n_docs, len(spans[0].labels))
    observed = _pair_distances(sides, continuum).astype(float)
    rated = (continuum.n_annotators * continuum.lengths)[:, None]
    length = np.where(continuum.n_annotators > 1, continuum.lengths, 0)[:, None]
    lengths_of_units = [units.lengths for units in sides]
    by_label: list[Array] = [2 * observed / continuum.others[:, None]]
    for weigh in (np.ones_like, np.copy, _cubes):
        by_label.append(sum_tables(first, sides, list(map(weigh, lengths_of_units))))
    by_length = [_length_squares(sides, shape, known), _gap_places(sides, continuum, known)]

    def grouped_by(group: tuple[int, int, int]) -> Distances:
        tables = [np.broadcast_to(column, group[:2]) for column in (rated, length)]
        tables += [array.reshape(group) for array in by_label]
        tables += [array.reshape(*group, len(known)) for array in by_length]
        return Distances(*tables)

    return Divided(grouped_by((shape[0], 1, shape[1])), grouped_by((*shape, 1)))


def _check_lengths(annotators: Iterable[Spans], lengths: IntArray) -> None:
    """Raise ValueError for a unit whose length is not among the known ones."""
    for number, spans in enumerate(annotators, start=1):
        unknown = np.flatnonzero(~np.isin(spans.lengths, lengths))
        if len(unknown):
            raise ValueError(
                f"annotator {number}: {spans.span_name(unknown[0])} has length "
                f"{spans.lengths[unknown[0]]}, which is not in `lengths`; give the lengths of the "
                "units of the whole corpus (distinct_lengths)"
            )


def _cubes(length: IntArray) -> FloatArray:
    """(2 l^3 - 3 l^2 + l) / 3, as float: the sum for long units of characters passes int64."""
    number = length.astype(float)
    cubes: FloatArray = number * (number - 1) * (2 * number - 1) / 3
    return cubes


def _pair_distances(sides: Sequence[_Units], continuum: _Continuum) -> Array:
    """Distances of all pairs of annotators by document and label, every pair of units once.

    Ordered by their starts, a unit meets those that follow until its end, which are those of
    others: the cost is that of the meetings, not of the pairs of annotators. For each other
    annotator of the document whose units it does not meet, it lies wholly in a gap.
    """
    order = np.argsort(np.concatenate([one.start for one in sides]), kind="stable")
    columns = [[getattr(one, name) for one in sides] for name in ("doc", "label", "start", "end")]
    doc, label, start, end = (np.concatenate(column)[order] for column in columns)
    # where the unit of the same annotator ends that is in front
    before = np.concatenate([np.append(-1, one.end)[: len(one.end)] for one in sides])[order]
    distance, met = np.zeros((2, len(order)), np.int64)
    last = np.searchsorted(start, end, "left")
    for some in slices(len(order), AT_ONCE):
        here = slice(some.start, max(some.stop, last[some].max()))
        i, j = expanded(np.arange(some.start, some.stop) + 1 - some.start, last[some] - some.start)
        starts, ends, fronts = start[here], end[here], before[here]
        apart = (starts[i] - starts[j]) ** 2 + (ends[i] - ends[j]) ** 2
        n = here.stop - here.start
        distance[here] += np.bincount(i, apart, n).astype(np.int64)
        met[here] += np.bincount(i[fronts[j] <= starts[i]], minlength=n)
        met[here] += np.bincount(j, minlength=n)
    alone = continuum.n_annotators[doc] - 1 - met
    distance += alone * (end - start) ** 2
    return document_table(continuum.annotators[0], doc, label, distance)


def _length_squares(sides: Sequence[_Units], shape: tuple[int, int], lengths: IntArray) -> IntArray:
    """l^2 for every unit of length l, by document, label and length."""
    doc, label, units = (
        np.concatenate([getattr(side, name) for side in sides])
        for name in ("doc", "label", "lengths")
    )
    at = np.searchsorted(lengths, units)
    most = int(np.bincount(doc, units**2, shape[0]).max(initial=0))
    squares = np.zeros((*shape, len(lengths)), _kind_for(most))
    _add_at(squares, (doc, label, at), units**2)
    return squares


def _kind_for(most: int) -> "np.dtype[np.signedinteger[Any]]":
    """The kind of integers for numbers up to some: four bytes, as tables by length are large."""
    return np.dtype(np.int32 if most <= np.iinfo(np.int32).max else np.int64)


def _add_at(array: IntArray, cells: tuple[IntArray, ...], values: ArrayLike) -> None:
    """`numpy.add.at` of a contiguous array, by one flat index: several indices take much longer."""
    place = np.ravel_multi_index(cells, array.shape)
    np.add.at(array.reshape(-1), place, np.asarray(values).astype(array.dtype))


def _gap_places(sides: Sequence[_Units], continuum: _Continuum, lengths: IntArray) -> IntArray:
    """Number of places in gaps where a unit could lie, by document, label and length.

    A gap of g is added at the largest length that fits, and summed towards the smaller ones; some
    documents at a time, to save memory.
    """
    first = continuum.annotators[0]
    columns = [
        gaps_of(units, spans, continuum) for units, spans in zip(sides, continuum.annotators)
    ]
    doc, label, gap = (np.concatenate(column) for column in zip(*columns))
    fitting = np.searchsorted(lengths, gap, "right")
    order = np.flatnonzero(fitting > 0)
    order = order[np.argsort(doc[order], kind="stable")]
    doc, label, gap, fitting = (column[order] for column in (doc, label, gap, fitting))
    most = int(np.bincount(doc, gap + 1, first.n_docs).max(initial=0))
    shape = first.n_docs, len(first.labels), len(lengths)
    found = np.zeros(shape, _kind_for(most))
    for some in slices(shape[0], max(1, TABLE // max(shape[1] * shape[2], 1))):
        rows = slice(*np.searchsorted(doc, [some.start, some.stop]))
        number, places = np.zeros((2, some.stop - some.start, *shape[1:]), np.int64)
        cell = doc[rows] - some.start, label[rows], fitting[rows] - 1
        _add_at(number, cell, np.ones_like(gap[rows]))
        _add_at(places, cell, gap[rows] + 1)
        for counts in (number, places):
            counts[...] = np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1]
        found[some] = places - number * lengths
    return found


def alpha_u(distances: Distances) -> tuple[FloatArray, FloatArray]:
    """Krippendorff's alpha_U, one minus observed over expected distances of units: these two.

        alpha_U = 1 - sum_c D_o(c) / sum_c D_e(c)
        D_o(c) = sum over i != j, stretches g of i and h of j, of delta^2(g, h) / (m (m-1) L^2)
        D_e(c) = 2/L sum over units of [(N-1)/3 (2 l^3 - 3 l^2 + l) + l^2 sum_{g >= l} (g - l + 1)]
                 / (m L (m L - 1) - sum over units of l (l - 1))

    delta^2 of two units [b, e) that meet is the sum of the squared differences of their b and of
    their e; that of a unit wholly inside a gap the square of its length; else 0. l are lengths of
    the N units of label c of all annotators, g those of the gaps between units of c. Labels are
    summed, not averaged, and the corpora are one continuum of length L; units and gaps end at the
    boundaries of documents. The L in front of D_e cancels.

    Where not all annotators saw all documents, m L is the sum of m_d L_d over the documents, and
    the sum over pairs of annotators, for each document divided by m_d - 1, is divided by that
    and by L.

    Shape (..., n_groups), at most 1, at 0 for chance; nan without any unit, if no other places for
    the units are expected, or if no document has two annotators.

    References
    ----------
    Krippendorff (1995), "On the reliability of unitizing continuous data", Sociological
    Methodology 25; the expectation as in Krippendorff (2004), "Measuring the reliability of
    qualitative text analysis data", Quality & Quantity 38.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> one = Spans.from_tuples([[(9, 12, "X")]], [20])
    >>> two = Spans.from_tuples([[(8, 12, "X")]], [20])
    >>> [part.round(4).item() for part in alpha_u(unit_distances([one, two]).total().pooled())]
    [0.0025, 0.0388]
    """
    rated, length = (np.asarray(x, float) for x in (distances.rated, distances.length))
    observed = ratio(np.asarray(distances.observed, float).sum(axis=-1), rated * length)
    squares = np.asarray(distances.squares, float)
    moved = (np.asarray(distances.units, float) - 1) * distances.cubes
    moved = moved + (squares * distances.places).sum(axis=-1)
    fixed = squares.sum(axis=-1) - distances.marked  # sum of l (l - 1)
    room = (rated * (rated - 1))[..., None] - fixed
    return observed, 2 * ratio(ratio(moved, room).sum(axis=-1), length)
