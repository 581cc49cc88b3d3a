"""The items that annotators of one corpus rated, and the values that they gave them.

An item is a position of the text, a document, or a stretch that two annotators marked. Its value is
the set of labels that an annotator gave it, as a sorted tuple of names: `()` is no label, and spans
of several labels that cover a position combine to one value.

Positions are never listed one by one: the corpus is cut wherever a span of some annotator begins or
ends, so that all positions of a piece have the same values.
"""

from dataclasses import dataclass

import numpy as np

from .alignment import joined
from .spans import expanded

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
    check_team(annotators, items)
    doc, codes, weight, known = (span_items if items == "span" else token_items)(annotators)
    rated = (codes != MISSING).any(axis=0)
    doc, codes, weight = doc[rated], codes[:, rated], weight[rated]
    occurring = [known[i] for i in distinct(*codes) if i != MISSING]
    table = tuple(sorted(set(occurring if values is None else map(tuple, values))))
    index = {value: i for i, value in enumerate(table)}
    unknown = sorted(set(occurring) - set(table))
    if unknown:
        raise ValueError(
            f"the value {written(unknown[0])} occurs, but is not in the table of values; make the "
            "table with `item_values` of the whole corpus, or as the union of those of its parts"
        )
    place = np.array([index.get(value, MISSING) for value in known] + [MISSING], np.int32)
    rows = grouped(doc, place[codes], weight, len(table))
    return Items(*rows, table, annotators[0].labels, annotators[0].n_docs)


def written(value):
    """A value as messages show it."""
    return " with ".join(value) if value else "(no label)"


def check_team(annotators, items):
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


def token_items(annotators):
    """Pieces of text: document, codes (indices of the last result), length, values that are known.

    Unlabelled text that an annotator saw has the value ().
    """
    offsets = annotators[0].offsets
    text = joined(annotators[0].stretches, offsets)
    layers = [label_layer(spans) for spans in annotators]
    cuts = distinct(text.ravel(), offsets, *(layer[0] for layer in layers))
    start, end = cuts[:-1], cuts[1:]
    at = np.searchsorted(text[:, 0], start, "right") - 1
    inside = (at >= 0) & (end <= np.append(text[:, 1], 0)[at])
    start, weight = start[inside], (end - start)[inside]
    doc = np.searchsorted(offsets, start, "right") - 1
    codes, known = np.empty((len(annotators), len(start)), np.int32), {}
    for row, spans, (borders, code, sets) in zip(codes, annotators, layers):
        global_code = named_sets(sets, spans.labels, known)[code]
        row[:] = global_code[np.searchsorted(borders, start, "right") - 1]
        row[~spans.seen[doc]] = MISSING
    return doc, codes, weight, list(known)


def span_items(annotators):
    """Stretches that two annotators marked, as `token_items`; each weighs 1."""
    offsets = annotators[0].offsets
    longest = max([1, *(spans.lengths.max(initial=1) for spans in annotators)]) + 1
    keys = [(spans.start + offsets[spans.doc]) * longest + spans.lengths for spans in annotators]
    every = distinct(*keys)
    codes, known = np.full((len(annotators), len(every)), MISSING, np.int32), {}
    for row, spans, key in zip(codes, annotators, keys):
        item = np.searchsorted(every, key)
        item, code, sets = label_sets(item, spans.label, len(spans.labels))
        row[item] = named_sets(sets, spans.labels, known)[code]
    alike = (codes != MISSING).sum(axis=0) > 1
    doc = np.searchsorted(offsets, every[alike] // longest, "right") - 1
    return doc, codes[:, alike], np.ones(len(doc), np.int64), list(known)


def distinct(*columns):
    """The different numbers of some columns, ascending (by sorting: hashing is slower)."""
    numbers = np.sort(np.concatenate(columns))
    return numbers[np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)]]


def named_sets(sets, labels, known):
    """The number of each set of label indices in the dict `known` of values, which grows."""
    names = [tuple(sorted(labels[i] for i in one)) for one in sets]
    return np.array([known.setdefault(name, len(known)) for name in names], np.int32)


def label_layer(spans):
    """The labels along the text: borders, the set of labels from each border on, all sets."""
    label, start, end = merged_by_label(spans)
    borders = distinct([0], start, end)
    row, piece = expanded(np.searchsorted(borders, start), np.searchsorted(borders, end))
    at, found, sets = label_sets(piece, label[row], len(spans.labels))
    code = np.zeros(len(borders), np.int64)
    code[at] = found
    return borders, code, sets


def merged_by_label(spans):
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


def label_sets(item, label, n_labels):
    """The set of labels of each item, from pairs of one item and one label.

    Returns the items in ascending order, the number of the set of each, and all sets as tuples of
    labels; number 0 is the empty set. Sets grow label by label, for all items at a time.
    """
    item, label = np.divmod(distinct(item * max(n_labels, 1) + label), max(n_labels, 1))
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


def grouped(doc, codes, weight, n_values):
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
