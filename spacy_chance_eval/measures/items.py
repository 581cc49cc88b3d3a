"""How close two values of an item are, for coefficients that forgive small differences."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

import numpy as np

from .alignment import align, join_touching
from .spans import expanded
from .stats import Additive, Divided, Valued, check_fixed

WEIGHTS = ("identity", "linear", "quadratic")


def _closeness_matrix(rated, weights):
    """The closeness of all values of some `Items`, from 0 to 1; shape (n_values, n_values).

    Parameters
    ----------
    weights : "identity", "linear", "quadratic" or Mapping
        "identity": 1 for equal values, else 0. "linear", "quadratic", for labels that are numbers:
        1 - |a - b| / R and 1 - (a - b)^2 / R^2, with R the range of the table of values. A mapping
        {(label, label): closeness} holds for either order of the two; None stands for no label, a
        tuple of labels for their combination; pairs that it lacks have 0, equal values always 1.

    Raises
    ------
    ValueError
        For linear or quadratic weights if a value that occurs is no number; for an entry of a
        mapping that is no pair, not between 0 and 1, or contradicts another one.

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition.
    """
    if isinstance(weights, Mapping):
        known = checked_table(weights)
        names = [_name_of(value) for value in rated.values]
        rows = [[1.0 if a == b else known.get((a, b), 0.0) for b in names] for a in names]
        return np.array(rows).reshape(len(names), len(names))
    if weights not in WEIGHTS:
        known = ", ".join(WEIGHTS)
        raise ValueError(f"weights are {weights!r}; expected one of {known}, or a mapping")
    if weights == "identity":
        return np.eye(len(rated.values))
    numbers = np.array([_number_of(value) for value in rated.values])
    _check_numbers(rated, numbers, weights)
    gaps = np.abs(numbers[:, None] - numbers)
    gaps /= np.nanmax(gaps, initial=0) or 1
    near = 1 - gaps ** (1 if weights == "linear" else 2)
    return np.where(np.isnan(near), 0.0, near)


def _check_numbers(rated, numbers, weights):
    """Raise if an item has a value that is no number."""
    wrong = [i for i in _distinct(*rated.codes) if i != MISSING and np.isnan(numbers[i])]
    if wrong:
        row = np.flatnonzero((rated.codes == wrong[0]).any(axis=0))[0]
        raise ValueError(
            f"document {rated.doc[row] + 1} has an item with the value "
            f"{_value_text(rated.values[wrong[0]])}; weights={weights!r} needs one label that is a "
            "number for every item, such as '1' to '5'. Use weights='identity' or give a table "
            "{(label, label): closeness}"
        )


def _number_of(value):
    """The number that a value is; nan if it is none."""
    try:
        number = float(value[0]) if len(value) == 1 else math.nan
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _name_of(value):
    """How mappings call a value: None, a label, or a tuple of labels."""
    return value if len(value) > 1 else value[0] if value else None


def checked_table(weights):
    """A mapping of closeness for both orders of its pairs, its combinations of labels in order."""
    known = {}
    for pair, near in weights.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"weights have the key {pair!r}; expected pairs (label, label)")
        if not isinstance(near, Real) or not 0 <= near <= 1:
            raise ValueError(f"the closeness of {pair} is {near!r}; expected a number from 0 to 1")
        one, two = (tuple(sorted(part)) if isinstance(part, tuple) else part for part in pair)
        if one == two and near != 1:
            raise ValueError(
                f"the closeness of {pair} is {near}; a label is as close as 1 to itself"
            )
        if known.setdefault((two, one), float(near)) != near or known.get((one, two), near) != near:
            raise ValueError(f"the closeness of {pair} is given twice and differs; give it once")
        known[one, two] = float(near)
    return known


ITEMS = ("token", "category", "span")
LIMIT = 2**62  # of integer keys
MISSING = -1


@dataclass(frozen=True, eq=False)
class Items:
    """Items of equal values, document by document; those that nobody rated are left out.

    Parameters
    ----------
    doc : integer array of shape (n_rows,)
        In ascending order.
    codes : integer array of shape (n_annotators, n_rows)
        The value that each annotator gave, as an index of `values`; -1 where they gave none.
    weight : integer array of shape (n_rows,)
        How many items the row stands for.
    values : tuple of tuples of str
        All values, see `item_values`.
    labels : tuple of str
    n_docs : int
    """

    doc: np.ndarray
    codes: np.ndarray
    weight: np.ndarray
    values: tuple
    labels: tuple
    n_docs: int

    def keep(self, rows):
        """Some of the rows."""
        return Items(
            self.doc[rows],
            self.codes[:, rows],
            self.weight[rows],
            self.values,
            self.labels,
            self.n_docs,
        )

    def sums(self, weight):
        """Sums of weights of the rows by document, shape (n_docs,)."""
        return np.bincount(self.doc, weights=weight, minlength=self.n_docs)

    @property
    def members(self):
        """Which labels are part of each value, as 0 and 1; shape (n_values, n_labels)."""
        rows = [[label in value for label in self.labels] for value in self.values]
        return np.array(rows, float).reshape(len(self.values), len(self.labels))


def item_values(annotators, items="token"):
    """The values that occur in a corpus: a sorted tuple of sorted tuples of labels.

    Statistics of parts of a corpus add up if they are counted with one table of values for all:
    that of the whole corpus, or the union of those of its parts (`sorted({*one, *two})`).

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> one = Spans.from_tuples([[(0, 2, "ORG"), (1, 2, "LOC")]], [3], ["LOC", "ORG"])
    >>> two = Spans.from_tuples([[(0, 2, "ORG")]], [3], ["LOC", "ORG"])
    >>> item_values([one, two])
    ((), ('LOC', 'ORG'), ('ORG',))
    """
    return items_of(annotators, items).values


def items_of(annotators, items="token", values=None):
    """The `Items` of annotators of one corpus, aligned by `align` or `align_panel`.

    Parameters
    ----------
    items : "token", "category" or "span"
        Every position that all annotators of the document annotated; the same where documents are
        a single position, which carries its categories; or every stretch (document, start, end)
        that two annotators or more marked, whatever labels they gave it (an annotator who did not
        mark it has not rated it). Unplaced spans are in none of them.
    values : iterable of tuples of str, optional
        The table of values, see `item_values`; by default those that occur.

    Raises
    ------
    ValueError
        For annotators that are not aligned, categories of documents with more than one position,
        or a value that is not in the table.
    """
    _check_team(annotators, items)
    doc, codes, weight, known = (_span_items if items == "span" else _position_items)(annotators)
    rated = (codes != MISSING).any(axis=0)
    doc, codes, weight = doc[rated], codes[:, rated], weight[rated]
    occurring = [known[i] for i in _distinct(*codes) if i != MISSING]
    table = tuple(sorted(set(occurring if values is None else map(tuple, values))))
    index = {value: i for i, value in enumerate(table)}
    unknown = sorted(set(occurring) - set(table))
    if unknown:
        raise ValueError(
            f"the value {_value_text(unknown[0])} occurs, but is not in the table of values; make "
            "the table with `item_values` of the whole corpus, or as the union of those of its "
            "parts"
        )
    place = np.array([index.get(value, MISSING) for value in known] + [MISSING], np.int32)
    rows = _group_rows(doc, place[codes], weight, len(table))
    return Items(*rows, table, annotators[0].labels, annotators[0].n_docs)


def _value_text(value):
    """A value as messages show it."""
    return " with ".join(value) if value else "(no label)"


def _check_team(annotators, items):
    """Raise for annotators that have no such items in common."""
    if items not in ITEMS:
        raise ValueError(f"unknown items {items!r}; expected one of {', '.join(ITEMS)}")
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


def _position_items(annotators):
    """Pieces of text: document, codes (indices of the last result), length, values that are known.

    Unlabelled text that an annotator saw has the value ().
    """
    offsets = annotators[0].offsets
    text = join_touching(annotators[0].stretches, offsets)
    layers = [_label_layer(spans) for spans in annotators]
    cuts = _distinct(text.ravel(), offsets, *(layer[0] for layer in layers))
    start, end = cuts[:-1], cuts[1:]
    at = np.searchsorted(text[:, 0], start, "right") - 1
    inside = (at >= 0) & (end <= np.append(text[:, 1], 0)[at])
    start, weight = start[inside], (end - start)[inside]
    doc = np.searchsorted(offsets, start, "right") - 1
    codes, known = np.empty((len(annotators), len(start)), np.int32), {}
    for row, spans, (borders, code, sets) in zip(codes, annotators, layers):
        global_code = _number_sets(sets, spans.labels, known)[code]
        row[:] = global_code[np.searchsorted(borders, start, "right") - 1]
        row[~spans.seen[doc]] = MISSING
    return doc, codes, weight, list(known)


def _span_items(annotators):
    """Stretches that two annotators marked, as `_position_items`; each weighs 1."""
    offsets = annotators[0].offsets
    longest = max([1, *(spans.lengths.max(initial=1) for spans in annotators)]) + 1
    keys = [(spans.start + offsets[spans.doc]) * longest + spans.lengths for spans in annotators]
    every = _distinct(*keys)
    codes, known = np.full((len(annotators), len(every)), MISSING, np.int32), {}
    for row, spans, key in zip(codes, annotators, keys):
        item = np.searchsorted(every, key)
        item, code, sets = _label_sets(item, spans.label, len(spans.labels))
        row[item] = _number_sets(sets, spans.labels, known)[code]
    alike = (codes != MISSING).sum(axis=0) > 1
    doc = np.searchsorted(offsets, every[alike] // longest, "right") - 1
    return doc, codes[:, alike], np.ones(len(doc), np.int64), list(known)


def _distinct(*columns):
    """The different numbers of some columns, ascending (by sorting: hashing is slower)."""
    numbers = np.sort(np.concatenate(columns))
    return numbers[np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)]]


def _number_sets(sets, labels, known):
    """The number of each set of label indices in the dict `known` of values, which grows."""
    names = [tuple(sorted(labels[i] for i in one)) for one in sets]
    return np.array([known.setdefault(name, len(known)) for name in names], np.int32)


def _label_layer(spans):
    """The labels along the text: borders, the set of labels from each border on, all sets."""
    label, start, end = _merge_by_label(spans)
    borders = _distinct([0], start, end)
    row, piece = expanded(np.searchsorted(borders, start), np.searchsorted(borders, end))
    at, found, sets = _label_sets(piece, label[row], len(spans.labels))
    code = np.zeros(len(borders), np.int64)
    code[at] = found
    return borders, code, sets


def _merge_by_label(spans):
    """Overlapping spans of one label as one: label, corpus-wide start, corpus-wide end.

    However deep spans of one label are nested, a position then lies in one of them at most.
    """
    base = spans.label * (spans.sizes.sum() + 1) + spans.offsets[spans.doc]
    order = np.argsort(base + spans.start, kind="stable")
    start, end = (base + spans.start)[order], (base + spans.end)[order]
    reach = np.maximum.accumulate(end)
    first = np.append(True, start[1:] >= reach[:-1])[: len(start)]
    last = np.append(first[1:], True)[: len(start)]
    label = spans.label[order][first]
    shift = label * (spans.sizes.sum() + 1)
    return label, start[first] - shift, reach[last] - shift


def _label_sets(item, label, n_labels):
    """The set of labels of each item, from pairs of one item and one label.

    Returns the items in ascending order, the number of the set of each, and all sets as tuples of
    labels; number 0 is the empty set. Sets grow label by label, for all items at a time.
    """
    item, label = np.divmod(_distinct(item * max(n_labels, 1) + label), max(n_labels, 1))
    first = np.flatnonzero(np.append(True, item[1:] != item[:-1])[: len(item)])
    counts = np.diff(np.append(first, len(item)))
    sets, code = [()], np.zeros(len(first), np.int64)
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


def _group_rows(doc, codes, weight, n_values):
    """Rows of one document with the same codes as one row; their weights add up."""
    key, n_keys = doc, int(doc.max(initial=-1)) + 1
    for code in codes:
        if n_keys > LIMIT // (n_values + 1):
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
            n_keys = int(key.max()) + 1
        key = key * (n_values + 1) + code - MISSING
        n_keys *= n_values + 1
    _, first, at = np.unique(key, return_index=True, return_inverse=True)
    sums = np.bincount(at.reshape(-1), weights=weight, minlength=len(first))
    return doc[first], codes[:, first], sums.astype(np.int64)


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
    (agreeing,), (agreeing_on_label,) = _document_sums(rated, _agreeing_pairs)
    n_items = rated.sums(rated.weight).astype(np.int64)[:, None]
    marginals = [_value_sums(rated, code[None], rated.weight) for code in rated.codes]
    marginals = np.stack(marginals, axis=1).astype(np.int64)
    by_label = _with_and_without(marginals, rated.members).astype(np.int64)
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
    return _coincidences_of(items_of(annotators, items, values))


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
    closeness = _closeness_matrix(rated, weights)
    both = _coincidences_of(rated, None if weights == "identity" else closeness)
    return Divided(Weighted(both.whole, closeness), Weighted(both.labels, np.eye(2)))


def _coincidences_of(rated, closeness=None):
    """`Coincidences` of items. With a table of closeness the agreement of values is weighted."""
    number = (rated.codes != MISSING).sum(axis=0)
    paired, alone = rated.keep(number > 1), rated.keep(number == 1)
    n_items = paired.sums(paired.weight).astype(np.int64)[:, None]
    ratings = _value_sums(paired, paired.codes, paired.weight).astype(np.int64)
    shares = _value_sums(paired, paired.codes, paired.weight / number[number > 1])
    single = _value_sums(alone, alone.codes, alone.weight).astype(np.int64)
    tables = ratings, shares, single
    whole, labels = _document_sums(
        paired, _agreeing_share, _disagreeing_ratings, closeness=closeness
    )
    by_label = [_with_and_without(one, rated.members).astype(one.dtype) for one in tables]
    return Divided(
        Coincidences(n_items, *whole, *(table[:, None] for table in tables)),
        Coincidences(np.broadcast_to(n_items, labels[0].shape), *labels, *by_label),
    )


def _agreeing_pairs(ratings, apart):
    """Pairs that agree, of items with some ratings and ordered pairs that do not."""
    return (ratings * (ratings - 1) - apart) / 2


def _agreeing_share(ratings, apart):
    """Share of the pairs that agree."""
    return 1 - apart / (ratings * (ratings - 1))


def _disagreeing_ratings(ratings, apart):
    """Pairs that disagree, for each of the other ratings."""
    return apart / (ratings - 1)


def _document_sums(rated, *functions, closeness=None):
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
        table = _rating_table(rated.codes[:, rows], n_values)
        ratings, with_label = table.sum(axis=1, keepdims=True), table @ members
        near = table if closeness is None else table @ closeness
        apart = ratings**2 - (table * near).sum(axis=1, keepdims=True)
        first = np.flatnonzero(np.append(True, doc[1:] != doc[:-1]))
        for side, pairs in zip(sides, (apart, 2 * with_label * (ratings - with_label))):
            for sums, function in zip(side, functions):
                found = function(ratings, pairs) * weight
                sums[doc[first]] += np.add.reduceat(found, first, axis=0)
    return sides


def _rating_table(codes, n_values):
    """How many annotators gave each value, shape (n_rows, n_values)."""
    table = np.zeros((codes.shape[1], n_values))
    for code in codes:
        there = np.flatnonzero(code != MISSING)
        table[there, code[there]] += 1
    return table


def _value_sums(rated, codes, weight):
    """Weights of the ratings of some annotators by value, shape (n_docs, n_values)."""
    shape = rated.n_docs, len(rated.values)
    sums = np.zeros(shape)
    for code in codes:
        there = code != MISSING
        place = rated.doc[there] * shape[1] + code[there]
        sums += np.bincount(place, weights=weight[there], minlength=sums.size).reshape(shape)
    return sums


def _with_and_without(sums, members):
    """Sums by value, shape (..., n_values), for each label: shape (..., n_labels, 2)."""
    with_label = sums @ members
    return np.stack([sums.sum(axis=-1, keepdims=True) - with_label, with_label], axis=-1)
