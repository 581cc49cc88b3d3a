"""What annotators said of items, as statistics: the counts below the coefficients of `nominal`.

What the items are and which values they have is told in `items`. Statistics come twice (`Divided`):
`whole` compares values, with 1 in the place of the labels; `labels` asks of every label whether it
is part of the value, so that there are two values, without it (0) and with it (1).

Rows of items count ordered pairs of annotators that disagree, r^2 - sum_k r_k^2 with r ratings, r_k
of them of value k. Everything else about pairs follows from that number and r.
"""

from dataclasses import dataclass

import numpy as np

from .alignment import align
from .closeness import closeness_of
from .items import MISSING, items_of
from .stats import Additive, Divided, Valued, check_fixed

BLOCK = 1 << 20  # numbers that are worked on at a time


@dataclass(frozen=True, eq=False)
class Confusion(Valued):
    """Items that all of J annotators rated.

    Of two annotators it is what matters of their confusion matrix: its diagonal, its sum, the sums
    of its rows and columns.
    """

    agreeing: np.ndarray  # (..., n_labels) pairs of annotators that agree, over the items
    items: np.ndarray  # (..., n_labels)
    marginals: np.ndarray  # (..., n_labels, J, n_values) items by annotator and value


@dataclass(frozen=True, eq=False)
class Specific(Additive):
    """Items to which two annotators gave a label, arrays of shape (..., n_labels)."""

    both: np.ndarray
    first: np.ndarray
    second: np.ndarray
    items: np.ndarray


@dataclass(frozen=True, eq=False)
class Coincidences(Valued):
    """Items some of whose ratings may be missing. Items with two ratings or more can be paired.

    An item has r ratings, r_k of them of value k. Shapes (..., n_labels) and, for the last three,
    (..., n_labels, n_values).
    """

    pairable: np.ndarray  # number of items that can be paired
    agreeing: np.ndarray  # their shares of agreeing pairs, added up
    disagreeing: np.ndarray  # their ordered disagreeing pairs / (r - 1), added up
    values: np.ndarray  # their ratings: r_k
    shares: np.ndarray  # the same with every item counted once: r_k / r
    single: np.ndarray  # ratings of the items with one rating


@dataclass(frozen=True, eq=False)
class Weighted(Valued):
    """Coincidences whose `agreeing` weighs pairs by their closeness, shape (n_values, n_values).

    The closeness is a prior of the corpus: it stays what it is when statistics are added up.
    """

    sums: Coincidences
    closeness: np.ndarray

    fixed = ("closeness",)

    def each(self, function):
        return Weighted(self.sums.each(function), self.closeness)

    def __add__(self, other):
        check_fixed("values or weights", [self.closeness, other.closeness])
        return Weighted(self.sums + other.sums, self.closeness)


def label_confusion(gold, pred, *, items="token", values=None):
    """What two annotators said of the same items: a `Divided` of `Confusion`.

    Parameters
    ----------
    items : "token", "category" or "span"
        What is rated, see `items.items_of`: every position, with "no label" as a value; documents,
        by their categories; or the spans that both marked alike, by label.
    values : iterable of tuples of str, optional
        The table of values that all parts of a corpus have in common, see `items.item_values`.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> sides = [Spans.from_tuples([[(0, end, "X")]], [10]) for end in (4, 7)]
    >>> total = label_confusion(*sides).total().whole
    >>> total.agreeing.tolist(), total.items.tolist(), total.marginals.tolist()
    ([7], [10], [[[6, 4], [3, 7]]])
    """
    return team_confusion(align(gold, pred), items=items, values=values)


def team_confusion(annotators, *, items="token", values=None):
    """What aligned annotators said of the items that all of them rated: a `Divided` of `Confusion`.

    An annotator who saw nothing leaves no such item: see `coincidences`. The parameters are those
    of `label_confusion`.
    """
    rated = items_of(annotators, items, values)
    rated = rated.keep((rated.codes != MISSING).all(axis=0))
    (agreeing,), (agreeing_on_label,) = document_sums(rated, agreeing_pairs)
    n_items = rated.sums(rated.weight).astype(np.int64)[:, None]
    marginals = [value_sums(rated, code[None], rated.weight) for code in rated.codes]
    marginals = np.stack(marginals, axis=1).astype(np.int64)
    by_label = with_and_without(marginals, rated.members).astype(np.int64)
    items_by_label = np.broadcast_to(n_items, agreeing_on_label.shape)
    return Divided(
        Confusion(agreeing.astype(np.int64), n_items, marginals[:, None]),
        Confusion(agreeing_on_label.astype(np.int64), items_by_label, by_label.swapaxes(1, 2)),
    )


def specific_counts(gold, pred, *, items="token"):
    """Items by label, for agreement on the presence and on the absence of a label: `Specific`.

    All labels together are the sums over the labels. The items are those of `label_confusion`.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> sides = [Spans.from_tuples([[(0, end, "X")]], [10]) for end in (4, 7)]
    >>> total = specific_counts(*sides).total()
    >>> total.both.tolist(), total.first.tolist(), total.second.tolist(), total.items.tolist()
    ([4], [4], [7], [10])
    """
    table = label_confusion(gold, pred, items=items).labels
    first, second = table.marginals[..., 0, 1], table.marginals[..., 1, 1]
    both = (table.agreeing - table.items + first + second) // 2
    return Specific(both, first, second, table.items)


def coincidences(annotators, *, items="token", values=None):
    """What aligned annotators said of items, ratings may be missing: `Divided` of `Coincidences`.

    The parameters are those of `label_confusion`; spans are those that two annotators or more
    marked alike.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> documents = [[(0, 1, "X")]], [[(0, 1, "X")]], [[]], [None]
    >>> team = [Spans.from_tuples(document, [2], ["X"]) for document in documents]
    >>> total = coincidences(team).total().whole
    >>> total.pairable.tolist(), total.values.tolist(), total.disagreeing.tolist()
    ([2], [[4, 2]], [2.0])
    """
    return paired_items(items_of(annotators, items, values))


def weighted_coincidences(annotators, *, items="token", values=None, weights="identity"):
    """`coincidences` of values that may be close to each other: a `Divided` of `Weighted`.

    Parameters
    ----------
    weights : "identity", "linear", "quadratic" or Mapping
        How close values are, see `closeness.closeness_of`. A label against all others always has
        "identity".

    Raises
    ------
    ValueError
        For linear or quadratic weights where a value is no number, and for a wrong mapping.
    """
    rated = items_of(annotators, items, values)
    closeness = closeness_of(rated, weights)
    both = paired_items(rated, None if weights == "identity" else closeness)
    return Divided(Weighted(both.whole, closeness), Weighted(both.labels, np.eye(2)))


def paired_items(rated, closeness=None):
    """`Coincidences` of items. With a table of closeness the agreement of values is weighted."""
    number = (rated.codes != MISSING).sum(axis=0)
    paired, alone = rated.keep(number > 1), rated.keep(number == 1)
    n_items = paired.sums(paired.weight).astype(np.int64)[:, None]
    ratings = value_sums(paired, paired.codes, paired.weight).astype(np.int64)
    shares = value_sums(paired, paired.codes, paired.weight / number[number > 1])
    single = value_sums(alone, alone.codes, alone.weight).astype(np.int64)
    tables = ratings, shares, single
    whole, labels = document_sums(paired, agreeing_share, disagreeing_ratings, closeness=closeness)
    by_label = [with_and_without(one, rated.members).astype(one.dtype) for one in tables]
    return Divided(
        Coincidences(n_items, *whole, *(table[:, None] for table in tables)),
        Coincidences(np.broadcast_to(n_items, labels[0].shape), *labels, *by_label),
    )


def agreeing_pairs(ratings, apart):
    """Pairs that agree, of items with some ratings and ordered pairs that do not."""
    return (ratings * (ratings - 1) - apart) / 2


def agreeing_share(ratings, apart):
    """Share of the pairs that agree."""
    return 1 - apart / (ratings * (ratings - 1))


def disagreeing_ratings(ratings, apart):
    """Pairs that disagree, for each of the other ratings."""
    return apart / (ratings - 1)


def document_sums(rated, *functions, closeness=None):
    """Sums over the items of each document of functions of (ratings, ordered pairs that disagree).

    Returns two lists of arrays, one per function: of shape (n_docs, 1) for values and of shape
    (n_docs, n_labels) for each label against all others. Worked out in blocks, to save memory.
    """
    members = rated.members
    n_values, n_labels = members.shape
    sides = [[np.zeros((rated.n_docs, n)) for _ in functions] for n in (1, n_labels)]
    step = max(BLOCK // max(n_values, n_labels, 1), 1)
    for low in range(0, len(rated.doc), step):
        rows = slice(low, low + step)
        doc, weight = rated.doc[rows], rated.weight[rows, None]
        table = rating_table(rated.codes[:, rows], n_values)
        ratings, with_label = table.sum(axis=1, keepdims=True), table @ members
        near = table if closeness is None else table @ closeness
        apart = ratings**2 - (table * near).sum(axis=1, keepdims=True)
        first = np.flatnonzero(np.append(True, doc[1:] != doc[:-1]))
        for side, pairs in zip(sides, (apart, 2 * with_label * (ratings - with_label))):
            for sums, function in zip(side, functions):
                found = function(ratings, pairs) * weight
                sums[doc[first]] += np.add.reduceat(found, first, axis=0)
    return sides


def rating_table(codes, n_values):
    """How many annotators gave each value, shape (n_rows, n_values)."""
    table = np.zeros((codes.shape[1], n_values))
    for code in codes:
        there = np.flatnonzero(code != MISSING)
        table[there, code[there]] += 1
    return table


def value_sums(rated, codes, weight):
    """Weights of the ratings of some annotators by value, shape (n_docs, n_values)."""
    shape = rated.n_docs, len(rated.values)
    sums = np.zeros(shape)
    for code in codes:
        there = code != MISSING
        place = rated.doc[there] * shape[1] + code[there]
        sums += np.bincount(place, weights=weight[there], minlength=sums.size).reshape(shape)
    return sums


def with_and_without(sums, members):
    """Sums by value, shape (..., n_values), for each label: shape (..., n_labels, 2)."""
    with_label = sums @ members
    return np.stack([sums.sum(axis=-1, keepdims=True) - with_label, with_label], axis=-1)
