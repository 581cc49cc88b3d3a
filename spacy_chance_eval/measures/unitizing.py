"""Units and gaps of several annotators on one continuum: what Krippendorff's alphas are made of.

The continuum of a document are its tokens that all its annotators annotated. Stretches that follow
on each other are joined over the borders of sentences; missing tokens are cut out, and units and
gaps end there as they do at the borders of documents. Spans that do not fit the tokens
(`Spans.unplaced`) have no place on it and do not count.

Documents may have different annotators. With m_d of them on document d, a sum over ordered pairs of
annotators has the weight 1 / (m_d - 1) there, and the length that was rated is the sum of m_d L_d.
If all saw everything, these are the definitions of the papers.
"""

from dataclasses import dataclass

import numpy as np

from .alignment import align_panel, joined
from .matching import table
from .spans import merged
from .stats import ratio


@dataclass(frozen=True, eq=False)
class Continuum:
    """What several annotators share: how many saw a document, how much of it, and where."""

    annotators: tuple
    raters: np.ndarray  # (n_docs,), 0 where fewer than two
    lengths: np.ndarray  # (n_docs,), 0 where fewer than two
    pieces: np.ndarray  # rows (start, end), corpus-wide

    @property
    def documents(self):
        """The document of every piece."""
        return np.searchsorted(self.annotators[0].offsets, self.pieces[:, 0], "right") - 1

    @property
    def others(self):
        """How many other annotators a document has; 1 where it has none, to divide by."""
        return np.maximum(self.raters - 1, 1)


@dataclass(frozen=True, eq=False)
class Units:
    """The units of one annotator by position; none of them overlap."""

    doc: np.ndarray
    label: np.ndarray
    start: np.ndarray  # corpus-wide; if taken by label, each label has a plane of its own
    end: np.ndarray

    @property
    def lengths(self):
        return self.end - self.start


def continuum_of(annotators):
    """The `Continuum` of annotators; aligns them unless they are."""
    annotators = tuple(annotators)
    raters = np.sum([spans.seen for spans in annotators], axis=0)
    partners = {id(spans.partner) for spans in annotators}
    if annotators[0].partner is None or len(partners) > 1 or (raters == 1).any():
        annotators = align_panel(annotators)
        raters = np.sum([spans.seen for spans in annotators], axis=0)
    first = annotators[0]
    doc, start, end = first.stretches.T
    rated = (raters > 1)[doc]
    lengths = np.zeros(first.n_docs, np.int64)
    np.add.at(lengths, doc[rated], (end - start)[rated])
    return Continuum(annotators, raters, lengths, joined(first.stretches[rated], first.offsets))


def plane_of(spans):
    """What a label is multiplied with so that positions of different labels do not meet."""
    return int(spans.offsets[-1]) + 1


def units_of(spans, number, by_label):
    """The `Units` of annotator `number` (from 1), for each label by itself or for all as one.

    Raises
    ------
    ValueError
        If two overlap; names both.
    """
    plane = plane_of(spans) if by_label else 0
    start = spans.label * plane + spans.offsets[spans.doc] + spans.start
    end = start + spans.lengths
    order = np.argsort(start, kind="stable") if by_label else slice(None)
    start, end = start[order], end[order]
    crossed = np.flatnonzero(end[:-1] > start[1:])
    if len(crossed):
        rows = np.arange(len(spans))[order][crossed[0] : crossed[0] + 2]
        pair = " and ".join(spans.span_name(row) for row in rows)
        advice = "remove one of them, or join them to one unit"
        if not by_label:
            advice = "choose a layer without overlaps, or alpha_u, which takes label by label"
        what = "units of one label" if by_label else "units of one annotator, whatever their label,"
        raise ValueError(f"annotator {number}: {pair} overlap; {what} must not: {advice}")
    return Units(spans.doc[order], spans.label[order], start, end)


def gaps_of(units, spans, continuum):
    """Columns (doc, label, length) of the gaps of one annotator between units of each label.

    Borders sorted by themselves: the i-th begin of a gap (the begin of a piece, or the end of a
    unit) and the i-th end of a gap belong together. Units that touch have none between them.
    """
    plane = plane_of(spans)
    pieces = continuum.pieces[spans.seen[continuum.documents]]
    planes = np.arange(len(spans.labels))[:, None] * plane
    begin = merged([(planes + pieces[:, 0]).ravel(), units.end])
    end = merged([(planes + pieces[:, 1]).ravel(), units.start])
    begin, length = begin[end > begin], (end - begin)[end > begin]
    return *places_of(begin, spans), length


def places_of(positions, spans):
    """Documents and labels of ordered positions on the planes of the labels.

    Few borders of documents are looked up among the positions, not many positions among them.
    """
    n_labels, n_docs = len(spans.labels), spans.n_docs
    borders = (np.arange(n_labels)[:, None] * plane_of(spans) + spans.offsets).ravel()
    held = np.diff(np.searchsorted(positions, borders), append=len(positions))
    label, doc = np.divmod(np.arange(len(borders)), n_docs + 1)
    return np.repeat(doc, held), np.repeat(label, held)


def paired_lengths(start, end, depth):
    """Twice the length that pairs of intervals share: (starts in order, length to count there).

    The sum is the integral of n (n - 1) with n the number of intervals around a point, at most
    `depth`. It does not depend on which end belongs to which start: sorted by themselves, interval
    i shares max(0, end_i - start_(i+k)) with the k-th after it, and nothing from k = depth on.
    """
    start, end = np.sort(start, kind="stable"), np.sort(end, kind="stable")  # they come in runs
    shared = np.zeros_like(start)
    for k in range(1, min(depth, len(start))):
        shared[:-k] += np.maximum(end[:-k] - start[k:], 0)
    return start, 2 * shared


def pair_table(sides, spans, by_label):
    """Length by document and label on which ordered pairs of annotators both have a unit of it.

    Without labels: a unit of any, in one column.
    """
    plane = plane_of(spans)
    shift = [side.label * plane if by_label else 0 for side in sides]
    columns = [[side.start + by for side, by in zip(sides, shift)]]
    columns += [[side.end + by for side, by in zip(sides, shift)]]
    start, shared = paired_lengths(*map(np.concatenate, columns), len(sides))
    return table(spans, *places_of(start, spans), shared)


def met_lengths(sides):
    """For the units of every annotator: how much of the others' units they meet, all added up.

    With n(t) units around t, the integral of n(t) - 1 over the unit. The integral up to t is the
    sum of t - start over starts before t, less the same for ends.
    """
    borders = [
        np.sort(np.concatenate(column)) for column in zip(*((s.start, s.end) for s in sides))
    ]
    sums = [np.concatenate([[0], np.cumsum(column)]) for column in borders]

    def marked_until(place):
        (starts, ends), (start_sum, end_sum) = borders, sums
        i, j = np.searchsorted(starts, place), np.searchsorted(ends, place)
        return (i - j) * place - start_sum[i] + end_sum[j]

    return [marked_until(s.end) - marked_until(s.start) - s.lengths for s in sides]


def sides_of(continuum):
    """The `Units` of all annotators, all labels on one plane."""
    return [units_of(spans, i, False) for i, spans in enumerate(continuum.annotators, start=1)]


def sum_tables(spans, sides, weights):
    """Weights of the units of all annotators by document and label."""
    return sum(table(spans, side.doc, side.label, w) for side, w in zip(sides, weights))


def corrected(observed, expected):
    """1 - observed / expected disagreement."""
    return 1 - ratio(observed, expected)
