"""Krippendorff's alpha_U: agreement of any number of annotators on where units are.

Units that meet disagree by how far their borders lie apart, units in a gap of another annotator by
their whole length. How documents, missing tokens and different annotators of documents are treated
is said in `unitizing`.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .matching import table
from .spans import expanded
from .stats import Divided, Valued, ratio
from .unitizing import continuum_of, corrected, gaps_of, units_of


@dataclass(frozen=True, eq=False)
class Distances(Valued):
    """What alpha_U is made of, one group of labels after the other; n distinct lengths of units.

    Sum over documents if all are counted with the same `lengths`. One group has all labels, or
    every label is a group of its own. Arrays of shape (..., n_groups), (..., n_groups, n_labels)
    and (..., n_groups, n_labels, n).
    """

    rated: np.ndarray  # sum of m_d L_d
    length: np.ndarray  # L, of documents with two annotators or more
    observed: np.ndarray  # by label: distances over ordered pairs of annotators, over m_d - 1
    units: np.ndarray  # by label: N
    marked: np.ndarray  # by label: sum of l
    cubes: np.ndarray  # by label: sum of (2 l^3 - 3 l^2 + l) / 3
    squares: np.ndarray  # by label and length l: l^2 for every unit of that length
    places: np.ndarray  # by label and length l: sum over gaps g >= l of g - l + 1


def distinct_lengths(annotators):
    """The lengths of the units of annotators in the documents that at least two saw, sorted.

    Those of several shards together, `numpy.union1d`, are the `lengths` of `unit_distances`.
    """
    sides = continuum_of(annotators).annotators
    return np.unique(np.concatenate([np.unique(spans.lengths) for spans in sides]))


def unit_distances(annotators, *, lengths=None):
    """Distances between the units of two or more annotators, for `alpha_u`.

    Parameters
    ----------
    annotators : sequence of Spans
        On the same documents (`alignment.align_panel`); each has seen their own of them. A document
        that fewer than two have seen counts nothing.
    lengths : integer array_like, optional
        All lengths that units have in the corpus, `distinct_lengths`, if this is only a part of
        it; statistics with the same lengths add up. By default those of these documents.

    Returns
    -------
    Divided of Distances
        One row per document; all labels as one group, and every label as a group. Two tables of
        documents by labels by lengths are the largest part of it.

    Raises
    ------
    ValueError
        If spans of one label of one annotator overlap (those of different labels may), or a unit
        has a length that is not in `lengths`.
    """
    continuum = continuum_of(annotators)
    spans = continuum.annotators
    lengths = distinct_lengths(spans) if lengths is None else np.unique(np.asarray(lengths, int))
    check_lengths(spans, lengths)
    sides = [units_of(one, number, True) for number, one in enumerate(spans, start=1)]
    first, shape = spans[0], (spans[0].n_docs, len(spans[0].labels))
    observed = np.zeros(shape)
    for (one, two), pair in zip(combinations(sides, 2), combinations(spans, 2)):
        observed += pair_distances(one, two, *pair)
    rated = (continuum.raters * continuum.lengths)[:, None]
    length = np.where(continuum.raters > 1, continuum.lengths, 0)[:, None]
    by_label = [2 * observed / continuum.others[:, None]]
    for weigh in (np.ones_like, np.copy, cubes):
        by_label.append(sum(table(first, u.doc, u.label, weigh(u.lengths)) for u in sides))
    by_length = [length_squares(sides, shape, lengths), gap_places(sides, continuum, lengths)]
    groups = []
    for group in ((shape[0], 1, shape[1]), (*shape, 1)):
        marginals = [np.broadcast_to(column, group[:2]) for column in (rated, length)]
        tables = [array.reshape(group) for array in by_label]
        tables += [array.reshape(*group, len(lengths)) for array in by_length]
        groups.append(Distances(*marginals, *tables))
    return Divided(*groups)


def check_lengths(annotators, lengths):
    """Raise for a unit whose length is not in the list."""
    for number, spans in enumerate(annotators, start=1):
        unknown = np.flatnonzero(~np.isin(spans.lengths, lengths))
        if len(unknown):
            raise ValueError(
                f"annotator {number}: {spans.span_name(unknown[0])} has length "
                f"{spans.lengths[unknown[0]]}, which is not in `lengths`; give the lengths of the "
                "units of the whole corpus (distinct_lengths)"
            )


def cubes(length):
    """(2 l^3 - 3 l^2 + l) / 3, as float: the sum for long units of characters passes int64."""
    length = length.astype(float)
    return length * (length - 1) * (2 * length - 1) / 3


def pair_distances(one, two, first, second):
    """Distances by document and label of two annotators, every pair of stretches once.

    As the units of either do not overlap, the ones that a unit meets follow on each other, and
    there are at most as many meetings as units. A unit that meets none lies wholly in a gap.
    """
    low = np.searchsorted(two.end, one.start, "right")
    i, j = expanded(low, np.searchsorted(two.start, one.end, "left"))
    moved = (one.start[i] - two.start[j]) ** 2 + (one.end[i] - two.end[j]) ** 2
    doc, label, distance = [one.doc[i]], [one.label[i]], [moved]
    for units, met, other in ((one, i, second), (two, j, first)):
        alone = other.seen[units.doc]
        alone[met] = False
        doc.append(units.doc[alone])
        label.append(units.label[alone])
        distance.append(units.lengths[alone] ** 2)
    return table(first, *map(np.concatenate, (doc, label, distance)))


def length_squares(sides, shape, lengths):
    """l^2 for every unit of length l, by document, label and length."""
    squares = np.zeros((*shape, len(lengths)), np.int64)
    for units in sides:
        at = np.searchsorted(lengths, units.lengths)
        add_at(squares, (units.doc, units.label, at), units.lengths**2)
    return squares


def add_at(array, cells, values):
    """`numpy.add.at` of a contiguous array, by one index: several of them take much longer."""
    np.add.at(array.reshape(-1), np.ravel_multi_index(cells, array.shape), values)


def gap_places(sides, continuum, lengths):
    """In how many places of gaps a unit could lie, by document, label and length.

    A gap of g is added at the largest length that fits, and summed towards the smaller ones.
    """
    first = continuum.annotators[0]
    number = np.zeros((first.n_docs, len(first.labels), len(lengths)), np.int64)
    places = np.zeros_like(number)
    for units, spans in zip(sides, continuum.annotators):
        doc, label, gap = gaps_of(units, spans, continuum)
        fitting = np.searchsorted(lengths, gap, "right")
        some = fitting > 0
        cell = doc[some], label[some], fitting[some] - 1
        add_at(number, cell, 1)
        add_at(places, cell, gap[some] + 1)
    for counts in (number, places):
        counts[...] = np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1]
    number *= lengths
    places -= number
    return places


def alpha_u(distances):
    """Krippendorff's alpha_U: one minus observed over expected distances of units.

        alpha_U = 1 - sum_c D_o(c) / sum_c D_e(c)
        D_o(c) = sum over i != j, stretches g of i and h of j, of delta^2(g, h) / (m (m-1) L^2)
        D_e(c) = 2/L sum over units of [(N-1)/3 (2 l^3 - 3 l^2 + l) + l^2 sum_{g >= l} (g - l + 1)]
                 / (m L (m L - 1) - sum over units of l (l - 1))

    delta^2 of two units [b, e) that meet is the sum of the squared differences of their b and of
    their e; that of a unit wholly inside a gap the square of its length; else 0. l are lengths of
    the N units of label c of all annotators, g those of the gaps between units of c. Labels are
    summed, not averaged, and the corpora are one continuum of length L; units and gaps end at the
    borders of documents. The L in front of D_e cancels.

    Where not all annotators saw all documents, m L is the sum of m_d L_d over the documents, and
    the sum over pairs of annotators, for each document divided by m_d - 1, is divided by that
    and by L.

    Parameters
    ----------
    distances : Distances

    Returns
    -------
    ndarray of shape (..., n_groups)
        At most 1, at 0 for chance; nan without any unit, if no other places for the units are
        expected, or if no document has two annotators.

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
    >>> alpha_u(unit_distances([one, two]).total().pooled()).round(4).tolist()
    [0.9356]
    """
    return corrected(*alpha_u_parts(distances))


def alpha_u_parts(distances):
    """Observed and expected distances, (sum of D_o, sum of D_e) over the labels of each group."""
    rated, length = (np.asarray(x, float) for x in (distances.rated, distances.length))
    observed = ratio(np.asarray(distances.observed, float).sum(axis=-1), rated * length)
    squares = np.asarray(distances.squares, float)
    moved = (np.asarray(distances.units, float) - 1) * distances.cubes
    moved = moved + (squares * distances.places).sum(axis=-1)
    fixed = squares.sum(axis=-1) - distances.marked  # sum of l (l - 1)
    room = (rated * (rated - 1))[..., None] - fixed
    return observed, 2 * ratio(ratio(moved, room).sum(axis=-1), length)
