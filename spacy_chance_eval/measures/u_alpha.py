"""Krippendorff's u-alpha family: agreement on lengths of text with equal values, not on spans.

u-alpha takes every token with its value, the gap included; |u-alpha distinguishes only units and
gaps; cu-alpha and (k)u-alpha look at the labels where units meet. All are 1 - observed / expected
disagreement; their functions give the two, shares of length. `unitizing` says how documents,
missing tokens and documents with different annotators are treated.

Where units of different labels of one annotator overlap, a token has no single value: the family is
undefined over all labels. Each label has a continuum of its own, on which a token is in its units,
in others only, or in none, and so has its values as ever.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import Array, FloatArray, IntArray
from .spans import Spans
from .stats import Divided, Valued, ratio
from .unitizing import (
    continuum_of,
    crossed_rows,
    marked_table,
    met_lengths,
    pair_table,
    sides_of,
    sum_tables,
)

# --- u-alpha and |u-alpha: every token has a value, and the gap is one of them


@dataclass(frozen=True, eq=False)
class UnitLengths(Valued):
    """Lengths by value, arrays of shape (..., n_groups, n_values). Sum over documents.

    The first value is the gap. One group has all labels as values; or every label is a group whose
    values are the gap, which then is all but this label, and the label.
    """

    valued: Array  # l_c. : length that annotators gave the value
    differing: Array  # l_c. - l_cc : the part of it where the other one gave another
    squares: Array  # S_c : sum of squared lengths of units; of the gap the length itself


def unit_lengths(annotators: Sequence[Spans]) -> Divided[UnitLengths]:
    """Lengths by value of two or more annotators, for `u_alpha` and `bar_u_alpha`.

    The annotators are on the same documents (`alignment.align_panel`); each has seen their own of
    them. A document that fewer than two have seen counts nothing.

    Shapes are (n_docs, 1, n_labels + 1) and (n_docs, n_labels, 2). `valued` and `squares` are whole
    numbers. All labels as one group have nan in documents where units of different labels of one
    annotator overlap.
    """
    continuum = continuum_of(annotators)
    sides = sides_of(continuum)
    first = continuum.annotators[0]
    valued = sum_tables(first, sides, [side.lengths for side in sides])
    squares = sum_tables(first, sides, [side.lengths**2 for side in sides])
    others = continuum.others[:, None]
    rated = (continuum.n_annotators * continuum.lengths)[:, None]
    differing = (others * valued - pair_table(sides, first, True)) / others
    marked = valued.sum(axis=1, keepdims=True)
    both = pair_table(sides, first, False).sum(axis=1, keepdims=True)
    gap = rated - marked, (others * marked - both) / others, rated - marked
    crossed = crossed_rows(continuum)
    whole = [np.hstack(pair)[:, None] for pair in zip(gap, (valued, differing, squares))]
    whole[1:] = [_without_value(array, crossed) for array in whole[1:]]
    gaps = rated - valued, differing, rated - valued
    labels = [np.stack(pair, axis=-1) for pair in zip(gaps, (valued, differing, squares))]
    return Divided(UnitLengths(*whole), UnitLengths(*labels))


def _without_value(array: Array, docs: IntArray) -> Array:
    """The same with nan in some documents; as it is without any."""
    if len(docs):
        array = array.astype(float)
        array[docs] = np.nan
    return array


def u_alpha(lengths: UnitLengths) -> tuple[FloatArray, FloatArray]:
    """Krippendorff's u-alpha: agreement of tokens, gaps included, on their value.

        u-alpha = 1 - sum_{c != k} l_ck / sum_{c != k} eps_ck
        eps_ck  = l_.. (l_c. l_k. - [c = k] S_c) / (l_..^2 - sum_c S_c)

    l_ck is the length, over ordered pairs of annotators, that one gives c and the other k, gap
    included; S_c the sum of squared lengths of the units of c, of the gap the length. A label by
    itself: everything but its units is gap. Shape (..., n_groups), at most 1, at 0 for chance; nan
    without any unit, if all is one value, if no document has two annotators, or if a token has
    several values.

    References
    ----------
    Krippendorff, Mathet, Bouvry, Widlöcher (2016), "On the reliability of unitizing textual
    continua: Further developments", Quality & Quantity 50.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> one = Spans.from_tuples([[(9, 12, "X")]], [20])
    >>> two = Spans.from_tuples([[(8, 12, "X")]], [20])
    >>> parts = u_alpha(unit_lengths([one, two]).total().pooled())
    >>> [part.round(4).item() for part in parts]
    [0.05, 0.2996]
    """
    valued = np.asarray(lengths.valued, float)
    total = valued.sum(axis=-1)
    differing = np.asarray(lengths.differing, float).sum(axis=-1)
    apart = (valued * (total[..., None] - valued)).sum(axis=-1)
    return ratio(differing, total), ratio(apart, _room(lengths, total))


def bar_u_alpha(lengths: UnitLengths) -> tuple[FloatArray, FloatArray]:
    """Krippendorff's |u-alpha: agreement on units and gaps, without regard to labels.

        |u-alpha = 1 - (l_phi. - l_phiphi) / (eps_phi. - eps_phiphi),   phi the gap

    If there is one label it is `u_alpha`; so a label by itself has the same value in both. Shape
    (..., n_groups), at most 1, at 0 for chance; nan without any unit or any gap, or if no document
    has two annotators.

    References
    ----------
    Krippendorff, Mathet, Bouvry, Widlöcher (2016).

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> sides = [Spans.from_tuples([[(2, 5, label)]], [9], ["X", "Y"]) for label in "XY"]
    >>> total = unit_lengths(sides).total().pooled()
    >>> [part.round(4).item() for part in bar_u_alpha(total)]
    [0.0, 0.4898]
    """
    valued = np.asarray(lengths.valued, float)
    total, gap = valued.sum(axis=-1), valued[..., 0]
    differing = 2 * np.asarray(lengths.differing, float)[..., 0]
    return ratio(differing, total), ratio(2 * gap * (total - gap), _room(lengths, total))


def _room(lengths: UnitLengths, total: FloatArray) -> FloatArray:
    """l_..^2 - sum_c S_c."""
    room: FloatArray = total**2 - np.asarray(lengths.squares, float).sum(axis=-1)
    return room


# --- cu-alpha and (k)u-alpha: the labels, where both have units


@dataclass(frozen=True, eq=False)
class Intersections(Valued):
    """Lengths where units meet, arrays of shape (..., n_groups, n_values). Sum over documents.

    One group has all labels as values; or every label is a group of its own.
    """

    valued: Array  # l_c. : length of the units of the label
    shared: Array  # l*_c. : the part of it that is in units of the other one
    others: Array  # l*_.. - l*_c. : the same of all other labels
    differing: Array  # l*_c. - l*_cc : the part of `shared` with another label
    squares: Array  # Q_c


def unit_intersections(annotators: Sequence[Spans]) -> Divided[Intersections]:
    """Lengths of intersections of units, for `cu_alpha` and `cu_coverage`.

    A unit meets the others' units over o tokens on average: over its tokens, the number of other
    annotators who have a unit there, divided by m_d - 1. l*_c. is the sum of o over the units of
    c, and Q_c, for any number of annotators, the sum of o^2. With two annotators all readings of Q
    are this one; with more, programs differ.

    The annotators are those of `unit_lengths`. Where units of different labels of one annotator
    overlap, o counts a token of the other once, and l*_.. is the length that both marked.

    Shapes are (n_docs, 1, n_labels) and (n_docs, n_labels, 1). `valued` are whole numbers. All
    labels as one group have nan where such units overlap.
    """
    continuum = continuum_of(annotators)
    sides = sides_of(continuum)
    first = continuum.annotators[0]
    met = met_lengths(sides)
    others = continuum.others[:, None]
    shared = sum_tables(first, sides, met)
    everything, crossed = shared.sum(axis=1, keepdims=True), crossed_rows(continuum)
    if len(crossed):
        everything = marked_table(sides, first)[:, None]
    # differences of whole numbers, divided afterwards, so that zeros are exact
    fields: list[Array] = [
        sum_tables(first, sides, [side.lengths for side in sides]),
        shared / others,
        (everything - shared) / others,
        (shared - pair_table(sides, first, True)) / others,
        sum_tables(first, sides, [one.astype(float) ** 2 for one in met]) / others**2,
    ]
    whole = [fields[0], *(_without_value(field, crossed) for field in fields[1:])]
    return Divided(
        Intersections(*(field[:, None] for field in whole)),
        Intersections(*(field[..., None] for field in fields)),
    )


def cu_alpha(intersections: Intersections) -> tuple[FloatArray, FloatArray]:
    """Krippendorff's cu-alpha, of a label by itself (k)u-alpha: agreement on labels of units.

        cu-alpha = 1 - sum_{c != k} l*_ck / sum_{c != k} eps*_ck
        eps*_ck = (l*_c. l*_k. - [c = k] Q_c) / (l*_.. - sum_c Q_c / l*_..)
        (k)u-alpha = 1 - (eps*_k. / l*_k.) (l*_k. - l*_kk) / (eps*_k. - eps*_kk)

    over intersections of units only. Both are one formula in the groups of `Intersections`, with
    sums over the values c of a group:

        1 - sum (l*_c. - l*_cc) (W l*_.. - sum Q_c) / (W sum l*_c. (l*_.. - l*_c.)),   W = sum l*_c.

    Shape (..., n_groups), at most 1, at 0 for chance; nan where no units meet, or units of one
    label only, or if a token has several values.

    References
    ----------
    Krippendorff, Mathet, Bouvry, Widlöcher (2016).

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> one = Spans.from_tuples([[(0, 3, "X"), (3, 5, "Y"), (5, 6, "Z")]], [9])
    >>> two = Spans.from_tuples([[(0, 3, "X"), (3, 6, "Y"), (7, 8, "Z")]], [9])
    >>> counts = unit_intersections([one, two]).total()
    >>> [part.round(4).tolist() for part in cu_alpha(counts.labels)]
    [[0.0, 0.2, 1.0], [0.6667, 0.7447, 1.0]]
    """
    shared, others = (np.asarray(x, float) for x in (intersections.shared, intersections.others))
    everything = (shared + others).max(axis=-1, initial=0)  # l*_.. again in every label
    own = shared.sum(axis=-1)
    observed = ratio(np.asarray(intersections.differing, float).sum(axis=-1), own)
    squares = np.asarray(intersections.squares, float).sum(axis=-1)
    return observed, ratio((shared * others).sum(axis=-1), own * everything - squares)


def cu_coverage(intersections: Intersections) -> FloatArray:
    """The share of the length of units that lies in units of others, which is what `cu_alpha` sees.

        l*_.. / sum_c l_c.,   of a label by itself l*_k. / l_k.

    In [0, 1], shape (..., n_groups); nan without units. At 0, `cu_alpha` is undefined.

    References
    ----------
    Krippendorff, Mathet, Bouvry, Widlöcher (2016).

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> sides = [Spans.from_tuples([[(0, end, "X")]], [9]) for end in (2, 3)]
    >>> cu_coverage(unit_intersections(sides).total().pooled()).tolist()
    [0.8]
    """
    return ratio(*(np.sum(x, axis=-1) for x in (intersections.shared, intersections.valued)))
