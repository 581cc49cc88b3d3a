"""Slow and obvious versions of the coefficients of agreement on items, and small panels for them.

The ratings of a corpus are a list of items; an item is a list with one value per annotator, None
where the annotator did not rate it. Results are Fractions, or None where they are undefined.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from hypothesis import strategies as st

from helpers.strategies import LABELS, admitted, candidates
from spacy_chance_eval.measures.spans import Spans

# ---------------------------------------------------------------- what the items are


def token_ratings(sides, sizes):
    """(document, values) of every position of documents that two annotators or more saw."""
    rows = []
    for d, size in enumerate(sizes):
        if sum(side[d] is not None for side in sides) > 1:
            for t in range(size):
                rows.append((d, [None if side[d] is None else value(side[d], t) for side in sides]))
    return rows


def value(spans, t):
    """The labels of the spans that cover a position."""
    return tuple(sorted({label for start, end, label in spans if start <= t < end}))


def span_ratings(sides, sizes):
    """(document, values) of every stretch that two annotators or more marked."""
    rows = []
    for d, _ in enumerate(sizes):
        docs = [side[d] or [] for side in sides]
        if sum(side[d] is not None for side in sides) > 1:
            for stretch in sorted({span[:2] for doc in docs for span in doc}):
                found = [labels_of(doc, stretch) for doc in docs]
                if sum(map(bool, found)) > 1:
                    rows.append((d, [one or None for one in found]))
    return rows


def any_span_ratings(sides, sizes):
    """(document, values) of every stretch that an annotator marked; () of those who did not."""
    rows = []
    for d, _ in enumerate(sizes):
        docs = [side[d] for side in sides]
        if sum(doc is not None for doc in docs) > 1:
            for stretch in sorted({span[:2] for doc in docs for span in doc or []}):
                rows.append((d, [doc if doc is None else labels_of(doc, stretch) for doc in docs]))
    return rows


def labels_of(spans, stretch):
    """The labels of the spans of a stretch."""
    return tuple(sorted({label for *where, label in spans if tuple(where) == stretch}))


RATINGS = {"token": token_ratings, "span": span_ratings, "any_span": any_span_ratings}


def binary(items, label):
    """The same ratings, as far as they say whether a label is part of the value."""
    return [[None if rating is None else label in rating for rating in item] for item in items]


def rated(item):
    """The ratings of an item that are there."""
    return [rating for rating in item if rating is not None]


def complete(items):
    """The items that all annotators rated."""
    return [item for item in items if None not in item]


def mean(numbers):
    """The mean, None without numbers."""
    numbers = list(numbers)
    return Fraction(sum(numbers)) / len(numbers) if numbers else None


def corrected(observed, expected):
    """(observed - expected) / (1 - expected), None where that is undefined."""
    if observed is None or expected is None or expected == 1:
        return None
    return (observed - expected) / (1 - expected)


def pair_agreement(item, close=lambda a, b: Fraction(a == b)):
    """Mean closeness of the ratings of two different annotators."""
    return mean(close(a, b) for a, b in permutations(rated(item), 2))


# ---------------------------------------------------------------- coefficients


def percent_agreement(items):
    return mean(pair_agreement(item) for item in items if len(rated(item)) > 1)


def observed_agreement(items):
    return percent_agreement(complete(items))


def share(items, annotator, rating):
    """How often an annotator gave a value."""
    return mean(Fraction(item[annotator] == rating) for item in items)


def davies_fleiss(items):
    """The formula of Davies and Fleiss (1982), term by term."""
    items = complete(items)
    if not items:
        return None
    n_items, n_annotators = len(items), len(items[0])
    found = {rating for item in items for rating in item}
    squares = sum(item.count(k) ** 2 for item in items for k in found)
    within = among = Fraction(0)
    for k in found:
        by_annotator = [share(items, j, k) for j in range(n_annotators)]
        p = mean(by_annotator)
        within += p * (1 - p)
        among += sum((p - one) ** 2 for one in by_annotator)
    room = n_items * (n_annotators * (n_annotators - 1) * within + among)
    return 1 - (n_items * n_annotators**2 - squares) / room if room else None


def fleiss_kappa(items):
    items = complete(items)
    ratings = [rating for item in items for rating in item]
    if not items:
        return None
    expected = sum(Fraction(ratings.count(k), len(ratings)) ** 2 for k in set(ratings))
    return corrected(observed_agreement(items), expected)


def fleiss_cuzick(items):
    """The coefficients of each value against the others, weighted by p (1 - p)."""
    items = [rated(item) for item in items if len(rated(item)) > 1]
    ratings = [rating for item in items for rating in item]
    if len(set(ratings)) < 2:
        return None
    kappas = []
    for k in set(ratings):
        p = Fraction(ratings.count(k), len(ratings))
        numbers = [(len(item), item.count(k)) for item in items]
        within = sum(Fraction(x * (m - x), m) for m, x in numbers)
        kappas.append((p * (1 - p), 1 - within / ((len(ratings) - len(items)) * p * (1 - p))))
    return sum(weight * kappa for weight, kappa in kappas) / sum(weight for weight, _ in kappas)


def krippendorff_alpha(items):
    """1 - D_o / D_e, from all pairs of ratings within items and among all ratings."""
    items = [rated(item) for item in items if len(rated(item)) > 1]
    ratings = [rating for item in items for rating in item]
    if len(set(ratings)) < 2:
        return None
    observed = sum(
        Fraction(a != b, len(item) - 1) for item in items for a, b in permutations(item, 2)
    )
    expected = mean(Fraction(a != b) for a, b in permutations(ratings, 2))
    return 1 - observed / len(ratings) / expected


def gwet(items, close=lambda a, b: Fraction(a == b)):
    """AC2, with the closeness of two values; AC1 without one."""
    seen = [rated(item) for item in items if rated(item)]
    found = {rating for item in seen for rating in item}
    observed = mean(pair_agreement(item, close) for item in seen if len(item) > 1)
    if len(found) < 2:
        return None
    shares = [mean(Fraction(item.count(k), len(item)) for item in seen) for k in found]
    total = sum(close(a, b) for a in found for b in found)
    expected = total * sum(p * (1 - p) for p in shares) / (len(found) * (len(found) - 1))
    return corrected(observed, expected)


def specific_agreement(items, rating):
    """Agreement of two annotators among those items where the first or second gave a value."""
    pairs = complete(items)
    given = sum(item.count(rating) for item in pairs)
    return Fraction(2 * sum(item == [rating] * 2 for item in pairs), given) if given else None


# ---------------------------------------------------------------- small panels


@dataclass(frozen=True)
class Panel:
    """Annotations of one corpus: per annotator and document (start, end, label), or None."""

    sides: tuple
    sizes: tuple

    def team(self, labels=LABELS):
        """`Spans` of the annotators, not aligned."""
        return [Spans.from_tuples(side, self.sizes, labels) for side in self.sides]


@st.composite
def panels(draw, least=2, most=4, labels=LABELS, unseen=True):
    """A `Panel` of `least` to `most` annotators; they keep some spans of a common draft."""
    sizes = draw(st.lists(st.integers(0, 6), min_size=1, max_size=3))
    drafts = [draw(candidates(size, labels, 3)) for size in sizes]
    sides = []
    for _ in range(draw(st.integers(least, most))):
        docs = []
        for size, draft in zip(sizes, drafts):
            kept = [span for span in draft if draw(st.booleans())]
            docs.append(admitted(kept + draw(candidates(size, labels, 2)), "overlapping"))
        sides.append(tuple(None if unseen and draw(st.integers(0, 7)) == 7 else d for d in docs))
    return Panel(tuple(sides), tuple(sizes))
