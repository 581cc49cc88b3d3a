"""Items that annotators rated, and what agreement on them is made of.

An item is a position, a document, or a stretch of text; its value is the set of labels that an
annotator gave it. Items of equal values are counted together. Values may be close to each other,
for coefficients that tolerate small differences.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias, cast

import numpy as np

from .alignment import align, join_touching
from .arrays import Array, BoolArray, FloatArray, IntArray, distinct
from .fragments import fragment_codes, have_fragments
from .matching import Hits
from .messages import quoted
from .spans import Spans, expanded
from .stats import Divided, Valued

Value: TypeAlias = tuple[str, ...]  # a set of labels, sorted
Name: TypeAlias = str | Value | None  # of a value in a mapping of closeness
LabelWeights: TypeAlias = str | Mapping[tuple[Name, Name], float]
# document, codes (indices of the last), number of items; all values
ItemRows: TypeAlias = tuple[IntArray, IntArray, IntArray, list[Value]]

ITEMS = ("token", "category", "span", "any_span")
WEIGHTS = ("identity", "linear", "quadratic")
NO_VALUE = -1  # instead of a value
LIMIT = 2**62  # of integer keys
BLOCK = 1 << 20  # numbers that are worked on at a time


@dataclass(frozen=True, eq=False)
class _Items:
    """Items of a corpus, those of one document with equal values in one row.

    Items that nobody rated are left out.

    Parameters
    ----------
    doc : integer array of shape (n_rows,)
        In ascending order.
    codes : integer array of shape (n_annotators, n_rows)
        The value that each annotator gave, as an index of `values`; -1 where they gave none.
    weight : integer array of shape (n_rows,)
        Number of items of the row.
    values : tuple of tuples of str
        All values: sets of labels, sorted.
    """

    doc: IntArray
    codes: IntArray
    weight: IntArray
    values: tuple[Value, ...]
    labels: tuple[str, ...]
    n_docs: int

    def keep(self, rows: BoolArray) -> "_Items":
        """Some of the rows."""
        return _Items(
            self.doc[rows],
            self.codes[:, rows],
            self.weight[rows],
            self.values,
            self.labels,
            self.n_docs,
        )

    def sums(self, weight: Array) -> FloatArray:
        """Sums of weights of the rows by document, shape (n_docs,)."""
        return cast(FloatArray, np.bincount(self.doc, weight, self.n_docs))

    @property
    def members(self) -> FloatArray:
        """1 where a label is part of a value, else 0: shape (n_values, n_labels)."""
        rows = [[label in value for label in self.labels] for value in self.values]
        return np.array(rows, float).reshape(len(self.values), len(self.labels))


def items_of(
    annotators: Sequence[Spans], items: str = "token", values: Iterable[Sequence[str]] | None = None
) -> _Items:
    """The `_Items` of several annotators who are aligned.

    `items` are "token": every position that all annotators of the document annotated; "category":
    the same where a document is a single position, which carries its categories; "span": every
    stretch (document, start, end) that two annotators or more marked, with the same or other labels
    (an annotator who did not mark it has not rated it); or "any_span": every stretch that one
    annotator or more marked, of documents that two saw (an annotator who saw it and did not mark it
    gave it the value (), without labels). A discontinuous span labels its own tokens, and is a
    stretch of its own, with its pieces. Unplaced spans are in none of them.

    `values` is the table of values, sorted; by default those that occur. Statistics of parts of a
    corpus add up if they are counted with one table for all: that of the whole corpus, which is the
    union of those of its parts.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> one = Spans.from_tuples([[(0, 2, "ORG"), (1, 2, "LOC")]], [3], ["LOC", "ORG"])
    >>> two = Spans.from_tuples([[(0, 2, "ORG")]], [3], ["LOC", "ORG"])
    >>> items_of([one, two]).values
    ((), ('LOC', 'ORG'), ('ORG',))
    """
    _check_team(annotators, items)
    if items in ("span", "any_span"):
        doc, codes, weight, known = _span_items(annotators, alone=items == "any_span")
    else:
        doc, codes, weight, known = _position_items(annotators)
    rated = (codes != NO_VALUE).any(axis=0)
    doc, codes, weight = doc[rated], codes[:, rated], weight[rated]
    occurring = [known[i] for i in distinct(*codes) if i != NO_VALUE]
    table = tuple(sorted(set(occurring if values is None else map(tuple, values))))
    index = {value: i for i, value in enumerate(table)}
    unknown = sorted(set(occurring) - set(table))
    if unknown:
        raise ValueError(
            f"the value {_value_text(unknown[0])} occurs, but is not in the table of values; make "
            "the table of the whole corpus, or as the union of those of its parts"
        )
    place = np.array([index.get(value, NO_VALUE) for value in known] + [NO_VALUE], np.int32)
    rows = _group_rows(doc, place[codes], weight, len(table))
    return _Items(*rows, table, annotators[0].labels, annotators[0].n_docs)


def _value_text(value: Value) -> str:
    """How messages call a value."""
    return " with ".join(value) if value else "(no label)"


def confusions(
    one: Spans, two: Spans, items: str, group: IntArray
) -> dict[int, dict[str, dict[str, int]]]:
    """Confusion matrices by group of documents: {value of the first: {value of the second: n}}.

    Of the n items that both rated. Values are labels; several of one item are joined by " with ",
    none is "(no label)". What does not occur is left out.

    Parameters
    ----------
    one, two : Spans
        Aligned.
    items : "token", "category", "span" or "any_span"
        The items that are rated: see `items_of`. With "any_span" every stretch that either marked.
    group : integer array of shape (n_docs,)

    Examples
    --------
    >>> one = Spans.from_tuples([[(0, 1, "PER"), (2, 3, "LOC")]], [4], ["LOC", "PER"])
    >>> two = Spans.from_tuples([[(0, 1, "PER"), (2, 3, "PER")]], [4], ["LOC", "PER"])
    >>> confusions(one, two, "any_span", np.array([0]))
    {0: {'LOC': {'PER': 1}, 'PER': {'PER': 1}}}
    """
    rated = items_of([one, two], items)
    both = (rated.codes != NO_VALUE).all(axis=0)
    cells = np.vstack([group[rated.doc], rated.codes])[:, both]
    cells, place = np.unique(cells, axis=1, return_inverse=True)
    numbers = np.bincount(place.reshape(-1), rated.weight[both]).astype(int)
    names = list(map(_value_text, rated.values))
    found: dict[int, dict[str, dict[str, int]]] = {}
    for (which, i, j), n in zip(cells.T.tolist(), numbers.tolist()):
        found.setdefault(which, {}).setdefault(names[i], {})[names[j]] = n
    return found


def _check_team(annotators: Sequence[Spans], items: str) -> None:
    """Raise ValueError for annotators that have no such items in common."""
    if items not in ITEMS:
        raise ValueError(f"unknown items {quoted(items)}; expected one of {', '.join(ITEMS)}")
    if not len(annotators):
        raise ValueError("no annotators; expected at least two")
    first, *others = annotators
    for other in others:
        if other.labels != first.labels or not np.array_equal(other.sizes, first.sizes):
            raise ValueError("annotators differ in labels or documents; align them first")
    longer = np.flatnonzero(first.sizes != 1)
    if items == "category" and len(longer):
        raise ValueError(
            f"{first.name(longer[0])} has {first.sizes[longer[0]]} positions; items='category' "
            "needs categories of documents, use items='token' for the labels of spans"
        )


def _position_items(annotators: Sequence[Spans]) -> ItemRows:
    """Pieces of text of equal values: document, codes, length; and the values that codes index.

    Unlabelled text that an annotator saw has the value ().
    """
    offsets = annotators[0].offsets
    text = join_touching(annotators[0].stretches, offsets)
    layers = [_label_layer(spans) for spans in annotators]
    cuts = distinct(text.ravel(), offsets, *(layer[0] for layer in layers))
    start, end = cuts[:-1], cuts[1:]
    at = np.searchsorted(text[:, 0], start, "right") - 1
    inside = (at >= 0) & (end <= np.append(text[:, 1], 0)[at])
    start, weight = start[inside], (end - start)[inside]
    doc = np.searchsorted(offsets, start, "right") - 1
    codes = np.empty((len(annotators), len(start)), np.int32)
    known: dict[Value, int] = {}
    for row, spans, (borders, code, sets) in zip(codes, annotators, layers):
        global_code = _number_sets(sets, spans.labels, known)[code]
        row[:] = global_code[np.searchsorted(borders, start, "right") - 1]
        row[~spans.seen[doc]] = NO_VALUE
    return doc, codes, weight, list(known)


def _span_items(annotators: Sequence[Spans], *, alone: bool) -> ItemRows:
    """Stretches that two annotators marked: document, codes, 1; and the values that codes index.

    If stretches that one marked `alone` count, too, those who saw them gave them the value ().
    """
    offsets = annotators[0].offsets
    longest = max(spans.lengths.max(initial=1) for spans in annotators) + 1
    codes = fragment_codes(*annotators)
    n_codes = max(int(code.max(initial=0)) for code in codes) + 1
    keys = [
        ((spans.start + offsets[spans.doc]) * longest + spans.lengths) * n_codes + code
        for spans, code in zip(annotators, codes)
    ]
    every = distinct(*keys)
    values = np.full((len(annotators), len(every)), NO_VALUE, np.int32)
    known: dict[Value, int] = {}
    for row, spans, key in zip(values, annotators, keys):
        item = np.searchsorted(every, key)
        item, code, sets = _label_sets(item, spans.label, len(spans.labels))
        row[item] = _number_sets(sets, spans.labels, known)[code]
    doc = np.searchsorted(offsets, every // n_codes // longest, "right") - 1
    if alone:
        unmarked = known.setdefault((), len(known))
        for row, spans in zip(values, annotators):
            row[(row == NO_VALUE) & spans.seen[doc]] = unmarked
    several = (values != NO_VALUE).sum(axis=0) > 1
    doc = doc[several]
    return doc, values[:, several], np.ones(len(doc), np.int64), list(known)


def _number_sets(
    sets: Sequence[tuple[int, ...]], labels: Sequence[str], known: dict[Value, int]
) -> IntArray:
    """The number of each set of label indices in `known`, to which new values are added."""
    names = [tuple(sorted(labels[i] for i in one)) for one in sets]
    return np.array([known.setdefault(name, len(known)) for name in names], np.int32)


def _label_layer(spans: Spans) -> tuple[IntArray, IntArray, list[tuple[int, ...]]]:
    """The labels along the text: boundaries, the number of the set from each on, all sets."""
    label, start, end = _merge_by_label(spans)
    borders = distinct(np.zeros(1, np.int64), start, end)
    row, piece = expanded(np.searchsorted(borders, start), np.searchsorted(borders, end))
    at, found, sets = _label_sets(piece, label[row], len(spans.labels))
    code = np.zeros(len(borders), np.int64)
    code[at] = found
    return borders, code, sets


def _merge_by_label(spans: Spans) -> tuple[IntArray, IntArray, IntArray]:
    """Overlapping spans of one label as one: label, corpus-wide start, corpus-wide end.

    However deep spans of one label are nested, a position then lies in one of them at most.
    """
    if have_fragments(spans):
        from .token_sets import pieces_as_spans  # which few corpora need

        spans, _ = pieces_as_spans(spans)
    base = spans.label * (spans.sizes.sum() + 1) + spans.offsets[spans.doc]
    order = np.argsort(base + spans.start, kind="stable")
    start, end = (base + spans.start)[order], (base + spans.end)[order]
    reach = np.maximum.accumulate(end)
    first = np.append(True, start[1:] >= reach[:-1])[: len(start)]
    last = np.append(first[1:], True)[: len(start)]
    label = spans.label[order][first]
    shift = label * (spans.sizes.sum() + 1)
    return label, start[first] - shift, reach[last] - shift


def _label_sets(
    item: IntArray, label: IntArray, n_labels: int
) -> tuple[IntArray, IntArray, list[tuple[int, ...]]]:
    """The set of labels of each item, from pairs of one item and one label.

    Items in ascending order, the number of the set of each, and all sets as tuples of labels;
    number 0 is the empty set. Sets grow label by label, for all items at a time.
    """
    item, label = np.divmod(distinct(item * max(n_labels, 1) + label), max(n_labels, 1))
    first = np.flatnonzero(np.append(True, item[1:] != item[:-1])[: len(item)])
    counts = np.diff(np.append(first, len(item)))
    sets: list[tuple[int, ...]] = [()]
    code = np.zeros(len(first), np.int64)
    for depth in range(counts.max(initial=0)):
        there = np.flatnonzero(counts > depth)
        grown = code[there] * n_labels + label[first[there] + depth]
        grown, at = np.unique(grown, return_inverse=True)
        code[there] = len(sets) + at.reshape(-1)
        sets += [
            (*sets[one], more)
            for one, more in zip(*(part.tolist() for part in np.divmod(grown, n_labels)))
        ]
    return item[first], code, sets


def _group_rows(
    doc: IntArray, codes: IntArray, weight: IntArray, n_values: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Rows of one document with the same codes as one row; their weights add up."""
    key, n_keys = doc, int(doc.max(initial=-1)) + 1
    for code in codes:
        if n_keys > LIMIT // (n_values + 1):
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
            n_keys = int(key.max()) + 1
        key = key * (n_values + 1) + code - NO_VALUE
        n_keys *= n_values + 1
    _, first, at = np.unique(key, return_index=True, return_inverse=True)
    sums = np.bincount(at.reshape(-1), weights=weight, minlength=len(first))
    return doc[first], codes[:, first], sums.astype(np.int64)


# --- statistics of items


@dataclass(frozen=True, eq=False)
class Confusion(Valued):
    """Items that all of J annotators rated.

    Of two annotators it is what matters of their confusion matrix: its diagonal, its sum, the sums
    of its rows and columns.
    """

    agreeing: Array  # (..., n_labels) pairs of annotators that agree, over the items
    items: Array  # (..., n_labels)
    marginals: Array  # (..., n_labels, J, n_values) items by annotator and value


@dataclass(frozen=True, eq=False)
class Coincidences(Valued):
    """Items some of whose ratings may be missing. Items with two ratings or more can be paired.

    An item has r ratings, r_k of them of value k. Shapes (..., n_labels) and, for the last three,
    (..., n_labels, n_values).
    """

    pairable: Array  # number of items that can be paired
    agreeing: Array  # their shares of agreeing pairs, added up
    disagreeing: Array  # their ordered disagreeing pairs / (r - 1), added up
    values: Array  # their ratings: r_k
    shares: Array  # the same with every item counted once: r_k / r
    single: Array  # ratings of the items with one rating


@dataclass(frozen=True, eq=False)
class Weighted(Valued):
    """Coincidences whose `agreeing` pairs are weighted by their closeness.

    The closeness, of shape (n_values, n_values), is a prior of the corpus: it stays the same when
    statistics are added up.
    """

    sums: Coincidences
    closeness: FloatArray

    fixed = ("closeness",)


def label_confusion(gold: Spans, pred: Spans, **options: Any) -> Divided[Confusion]:
    """Confusion of two annotators, who are aligned first, on the items that both rated."""
    return team_confusion(align(gold, pred), **options)


def team_confusion(
    annotators: Sequence[Spans],
    *,
    items: str = "token",
    values: Iterable[Sequence[str]] | None = None,
) -> Divided[Confusion]:
    """Confusion of two or more annotators on the items that all of them rated.

    Where an annotator saw nothing there is no such item: then take `coincidences`. One row per
    document; of all values, and of each label against all others. The annotators are aligned;
    `items` and `values` are those of `items_of`, as below.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> sides = [Spans.from_tuples([[(0, end, "X")]], [10]) for end in (4, 7)]
    >>> total = label_confusion(*sides).total().whole
    >>> total.agreeing.tolist(), total.items.tolist(), total.marginals.tolist()
    ([7], [10], [[[6, 4], [3, 7]]])
    """
    rated = items_of(annotators, items, values)
    rated = rated.keep((rated.codes != NO_VALUE).all(axis=0))
    # pairs that agree, of items with r ratings of which `apart` ordered pairs disagree
    (agreeing,), (agreeing_on_label,) = _document_sums(
        rated, lambda r, apart: (r * (r - 1) - apart) / 2
    )
    n_items = rated.sums(rated.weight).astype(np.int64)[:, None]
    by_annotator = [_value_sums(rated, code[None], rated.weight) for code in rated.codes]
    marginals = np.stack(by_annotator, axis=1).astype(np.int64)
    by_label = _with_and_without(marginals, rated.members).astype(np.int64)
    items_by_label = np.broadcast_to(n_items, agreeing_on_label.shape)
    return Divided(
        Confusion(agreeing.astype(np.int64), n_items, marginals[:, None]),
        Confusion(agreeing_on_label.astype(np.int64), items_by_label, by_label.swapaxes(1, 2)),
    )


def labelled(gold: Spans, pred: Spans, *, items: str = "token") -> Hits:
    """Items to which two annotators gave a label, and to which both did.

    Their F is the specific agreement on the presence of a label, 2 M_ii / (row_i + column_i): the
    share of agreement among the ratings with the label; nan where neither annotator used it.

    References
    ----------
    Fleiss (1975), Measuring agreement between two judges on the presence or absence of a trait;
    Cicchetti and Feinstein (1990), High agreement but low kappa: II. Resolving the paradoxes.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> sides = [Spans.from_tuples([[(0, end, "X")]], [10]) for end in (4, 7)]
    >>> total = labelled(*sides).total()
    >>> total.gold.tolist(), total.pred.tolist(), total.correct.tolist()
    ([4], [7], [4])
    """
    return _rated_alike(label_confusion(gold, pred, items=items).labels, 1)


def unlabelled(gold: Spans, pred: Spans, *, items: str = "token") -> Hits:
    """Items to which two annotators did not give a label, and to which neither did.

    Their F is the specific agreement on the absence of a label,

        2 (T - row_i - column_i + M_ii) / (2 T - row_i - column_i)

    for T items; nan where both gave the label to all. Of all labels together it is a sum over all
    labels of the annotators: each one that none used adds T agreed absences. The sources are those
    of `labelled`.
    """
    return _rated_alike(label_confusion(gold, pred, items=items).labels, 0)


def _rated_alike(confusion: Confusion, value: int) -> Hits:
    """Items to which each of two annotators gave one of two values, and to which both did."""
    first, second = confusion.marginals[..., 0, value], confusion.marginals[..., 1, value]
    both = (confusion.agreeing - confusion.items + first + second) // 2
    return Hits(first, both, second, both)


def coincidences(
    annotators: Sequence[Spans],
    *,
    items: str = "token",
    values: Iterable[Sequence[str]] | None = None,
) -> Divided[Coincidences]:
    """Coincidences of the values of items; ratings may be missing.

    One row per document; of all values, and of each label against all others.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> documents = [[(0, 1, "X")]], [[(0, 1, "X")]], [[]], [None]
    >>> team = [Spans.from_tuples(document, [2], ["X"]) for document in documents]
    >>> total = coincidences(team).total().whole
    >>> total.pairable.tolist(), total.values.tolist(), total.disagreeing.tolist()
    ([2], [[4, 2]], [2.0])
    """
    return _coincidences_of(items_of(annotators, items, values))


def weighted_coincidences(
    annotators: Sequence[Spans],
    *,
    items: str = "token",
    values: Iterable[Sequence[str]] | None = None,
    weights: LabelWeights = "identity",
) -> Divided[Weighted]:
    """Coincidences of values that may be close to each other; ratings may be missing.

    `weights` say how close values are. "identity": 1 for equal values, else 0. "linear",
    "quadratic", for labels that are numbers: 1 - |a - b| / R and 1 - (a - b)^2 / R^2, with R the
    range of the table of values. A mapping {(label, label): closeness} holds for either order of
    the two; None stands for no label, a tuple of labels for their combination; pairs that it lacks
    have 0, equal values always 1. A label against all others always has "identity".

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition.
    """
    rated = items_of(annotators, items, values)
    closeness = _closeness_matrix(rated, weights)
    both = _coincidences_of(rated, None if weights == "identity" else closeness)
    return Divided(Weighted(both.whole, closeness), Weighted(both.labels, np.eye(2)))


def _coincidences_of(rated: _Items, closeness: FloatArray | None = None) -> Divided[Coincidences]:
    """`Coincidences` of items; with a table of closeness, agreement is weighted by it."""
    number = (rated.codes != NO_VALUE).sum(axis=0)
    paired, alone = rated.keep(number > 1), rated.keep(number == 1)
    n_items = paired.sums(paired.weight).astype(np.int64)[:, None]
    ratings = _value_sums(paired, paired.codes, paired.weight).astype(np.int64)
    shares = _value_sums(paired, paired.codes, paired.weight / number[number > 1])
    single = _value_sums(alone, alone.codes, alone.weight).astype(np.int64)
    tables: tuple[Array, ...] = ratings, shares, single
    # of items with r ratings: the share of the pairs that agree, and disagreeing ordered pairs
    # / (r - 1)
    whole, labels = _document_sums(
        paired,
        lambda r, apart: 1 - apart / (r * (r - 1)),
        lambda r, apart: apart / (r - 1),
        closeness=closeness,
    )
    by_label = [_with_and_without(one, rated.members).astype(one.dtype) for one in tables]
    return Divided(
        Coincidences(n_items, *whole, *(table[:, None] for table in tables)),
        Coincidences(np.broadcast_to(n_items, labels[0].shape), *labels, *by_label),
    )


def _document_sums(
    rated: _Items,
    *functions: Callable[[FloatArray, FloatArray], FloatArray],
    closeness: FloatArray | None = None,
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Sums over the items of each document of functions of (ratings, ordered pairs that disagree).

    Two lists of arrays, one per function: of shape (n_docs, 1) for values, and of shape
    (n_docs, n_labels) for each label against all others. Computed in blocks, to save memory.
    """
    members = rated.members
    n_values, n_labels = members.shape
    whole: list[FloatArray] = [np.zeros((rated.n_docs, 1)) for _ in functions]
    labels: list[FloatArray] = [np.zeros((rated.n_docs, n_labels)) for _ in functions]
    step = max(BLOCK // max(n_values, n_labels, 1), 1)
    for low in range(0, len(rated.doc), step):
        rows = slice(low, low + step)
        doc, weight = rated.doc[rows], rated.weight[rows, None]
        table = np.zeros((len(doc), n_values))  # number of annotators who gave each value
        for code in rated.codes[:, rows]:
            there = np.flatnonzero(code != NO_VALUE)
            table[there, code[there]] += 1
        ratings, with_label = table.sum(axis=1, keepdims=True), table @ members
        near = table if closeness is None else table @ closeness
        apart = ratings**2 - (table * near).sum(axis=1, keepdims=True)
        first = np.flatnonzero(np.append(True, doc[1:] != doc[:-1]))
        label_apart = 2 * with_label * (ratings - with_label)
        for tables, pairs in ((whole, apart), (labels, label_apart)):
            for sums, function in zip(tables, functions):
                value = function(ratings, pairs) * weight
                sums[doc[first]] += np.add.reduceat(value, first, axis=0)
    return whole, labels


def _value_sums(rated: _Items, codes: IntArray, weight: Array) -> FloatArray:
    """Sums of the weights of the ratings of some annotators by value: shape (n_docs, n_values)."""
    shape = rated.n_docs, len(rated.values)
    sums = np.zeros(shape)
    for code in codes:
        there = code != NO_VALUE
        place = rated.doc[there] * shape[1] + code[there]
        sums += np.bincount(place, weights=weight[there], minlength=sums.size).reshape(shape)
    return sums


def _with_and_without(sums: Array, members: FloatArray) -> FloatArray:
    """Sums by value, shape (..., n_values), for each label: shape (..., n_labels, 2)."""
    with_label = sums @ members
    return np.stack([sums.sum(axis=-1, keepdims=True) - with_label, with_label], axis=-1)


# --- how close values are


def _closeness_matrix(rated: _Items, weights: LabelWeights) -> FloatArray:
    """The closeness of all values, from 0 to 1: shape (n_values, n_values)."""
    if isinstance(weights, Mapping):
        known = checked_table(weights)
        names = [_name_of(value) for value in rated.values]
        rows = [[1.0 if a == b else known.get((a, b), 0.0) for b in names] for a in names]
        return np.array(rows).reshape(len(names), len(names))
    if weights not in WEIGHTS:
        choices = ", ".join(WEIGHTS)
        raise ValueError(f"weights are {quoted(weights)}; expected one of {choices}, or a mapping")
    if weights == "identity":
        return np.eye(len(rated.values))
    numbers = np.array([_number_of(value) for value in rated.values])
    _check_numbers(rated, numbers, weights)
    gaps = np.abs(numbers[:, None] - numbers)
    gaps /= np.nanmax(gaps, initial=0) or 1
    near = 1 - gaps ** (1 if weights == "linear" else 2)
    return np.where(np.isnan(near), 0.0, near)


def _check_numbers(rated: _Items, numbers: FloatArray, weights: str) -> None:
    """Raise ValueError if an item has a value that is no number."""
    wrong = [i for i in distinct(*rated.codes) if i != NO_VALUE and np.isnan(numbers[i])]
    if wrong:
        row = np.flatnonzero((rated.codes == wrong[0]).any(axis=0))[0]
        raise ValueError(
            f"document {rated.doc[row] + 1} has an item with the value "
            f"{_value_text(rated.values[wrong[0]])}; weights={quoted(weights)} needs one label "
            "that is a "
            "number for every item, such as '1' to '5'. Use weights='identity' or give a table "
            "{(label, label): closeness}"
        )


def _number_of(value: Value) -> float:
    """A value as a number; nan if it is none."""
    try:
        number = float(value[0]) if len(value) == 1 else math.nan
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _name_of(value: Value) -> Name:
    """The key of a value in a mapping of closeness: None, a label, or a tuple of labels."""
    return value if len(value) > 1 else value[0] if value else None


def checked_table(weights: Mapping[Any, Any]) -> dict[tuple[Name, Name], float]:
    """A mapping of closeness, checked: with both orders of its pairs, and combinations sorted."""
    known: dict[tuple[Name, Name], float] = {}
    for pair, near in weights.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"weights have the key {quoted(pair)}; expected pairs (label, label)")
        if not isinstance(near, Real) or not 0 <= float(near) <= 1:
            raise ValueError(
                f"the closeness of {pair} is {quoted(near)}; expected a number from 0 to 1"
            )
        one, two = (tuple(sorted(part)) if isinstance(part, tuple) else part for part in pair)
        if one == two and near != 1:
            raise ValueError(
                f"the closeness of {pair} is {near}; a label is as close as 1 to itself"
            )
        if known.setdefault((two, one), float(near)) != near or known.get((one, two), near) != near:
            raise ValueError(f"the closeness of {pair} is given twice and differs; give it once")
        known[one, two] = float(near)
    return known
