"""Small random corpora for hypothesis, and every small case of the random annotation model."""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
from hypothesis import strategies as st

from helpers import oracles
from spacy_chance_eval.measures.chance.draws import random_starts
from spacy_chance_eval.measures.spans import Spans, trusted

LABELS = ("LOC", "ORG", "PER")
WORDS = tuple("abcde")
KINDS = ("disjoint", "nested", "overlapping")


# --- corpora: two annotators of the same documents, on plain Python data


@dataclass(frozen=True)
class Pair:
    """Two annotations of one corpus; one entry per document everywhere.

    `gold` and `pred` hold lists of (start, end, label), or None where the annotator did not look;
    `cuts` are boundaries of sentences. `kind` says how spans of one label lie to each other.
    """

    gold: tuple
    pred: tuple
    sizes: tuple
    words: tuple
    cuts: tuple
    kind: str
    names: tuple

    def part(self, docs):
        """The corpus of some documents, in this order."""
        pick = lambda column: tuple(column[d] for d in docs)  # noqa: E731
        fields = ("gold", "pred", "sizes", "words", "cuts", "names")
        return replace(self, **{field: pick(getattr(self, field)) for field in fields})

    def renamed(self, names):
        """The same annotation with labels called names[label]."""
        rename = lambda docs: tuple(  # noqa: E731
            spans and [(s, e, names[label]) for s, e, label in spans] for spans in docs
        )
        return replace(self, gold=rename(self.gold), pred=rename(self.pred))

    def annotator(self, docs, labels=LABELS):
        """`Spans` of one side."""
        borders = [sorted({0, *cuts, n}) for cuts, n in zip(self.cuts, self.sizes, strict=True)]
        stretches = [(d, a, b) for d, row in enumerate(borders) for a, b in zip(row, row[1:])]
        words = [word for document in self.words for word in document]
        return Spans.from_tuples(
            docs, self.sizes, labels, words=words, stretches=stretches, names=self.names
        )

    def sides(self, labels=LABELS):
        """`Spans` of gold and prediction."""
        return self.annotator(self.gold, labels), self.annotator(self.pred, labels)


def admitted(candidates, kind):
    """The candidates that can stand together, the first ones first."""
    kept = []
    for span in candidates:
        if span not in kept and all(compatible(span, other, kind) for other in kept):
            kept.append(span)
    return kept


def compatible(one, two, kind):
    """Whether two spans may stand in one document; "flat" looks across labels."""
    apart = one[1] <= two[0] or two[1] <= one[0]
    if kind == "overlapping" or apart or (one[2] != two[2] and kind != "flat"):
        return True
    inside = (one[0] <= two[0] and two[1] <= one[1]) or (two[0] <= one[0] and one[1] <= two[1])
    return kind == "nested" and inside


def candidates(size, labels, most):
    """Lists of spans inside `size` tokens."""
    if not size:
        return st.just([])
    span = st.tuples(st.integers(0, size - 1), st.integers(1, 5), st.sampled_from(labels))
    bounded = span.map(lambda row: (row[0], min(row[0] + row[1], size), row[2]))
    return st.lists(bounded, max_size=most)


@st.composite
def pairs(draw, kinds=KINDS, labels=LABELS, unseen=True, most=4, docs=4):
    """A `Pair`; the prediction keeps some of the gold spans."""
    kind = draw(st.sampled_from(kinds))
    sizes = draw(st.lists(st.integers(0, 8), min_size=1, max_size=docs))
    gold, pred, words, cuts = [], [], [], []
    for size in sizes:
        gold.append(admitted(draw(candidates(size, labels, most)), kind))
        kept = [span for span in gold[-1] if draw(st.booleans())]
        pred.append(admitted(kept + draw(candidates(size, labels, most)), kind))
        words.append(draw(st.lists(st.sampled_from(WORDS), min_size=size, max_size=size)))
        cuts.append(draw(st.sets(st.integers(1, max(size - 1, 1)), max_size=2)) if size > 1 else ())
    if unseen:
        gold, pred = (
            [None if draw(st.integers(0, 9)) == 9 else spans for spans in side]
            for side in (gold, pred)
        )
    names = tuple(f"d{i}" for i in range(len(sizes)))
    return Pair(*map(tuple, (gold, pred, sizes, words, cuts)), kind, names)


def random_pair(seed, kind="disjoint", sizes=(7, 9, 5, 0, 12), most=4, labels=LABELS, longest=4):
    """One `Pair` from a seed, every document seen by both."""
    rng = np.random.default_rng(seed)

    def spans(size):
        number = int(rng.integers(0, most + 1)) if size else 0
        starts = rng.integers(0, max(size, 1), number).tolist()
        ends = [min(s + int(rng.integers(1, longest + 1)), size) for s in starts]
        return list(zip(starts, ends, rng.choice(labels, number).tolist()))

    gold = tuple(admitted(spans(size), kind) for size in sizes)
    kept = ([span for span in doc if rng.random() < 0.5] for doc in gold)
    pred = tuple(admitted(old + spans(size), kind) for old, size in zip(kept, sizes))
    words = tuple(rng.choice(WORDS, size).tolist() for size in sizes)
    cuts = tuple((size // 2,) if size > 3 else () for size in sizes)
    return Pair(
        gold, pred, tuple(sizes), words, cuts, kind, tuple(f"d{d}" for d in range(len(sizes)))
    )


# --- every case of the chance model with up to 9 tokens and 3 segments

SIZES = range(1, 10)


def multisets(n, most=3, disjoint=True):
    """All multisets of up to `most` lengths that can be placed in n tokens, as sorted tuples."""
    every = (
        lengths
        for k in range(most + 1)
        for lengths in combinations_with_replacement(range(1, n + 1), k)
    )
    return [lengths for lengths in every if not disjoint or sum(lengths) <= n]


@cache
def forests(n, most=3):
    """All forests of up to `most` spans in n tokens: sorted tuples of (length, children)."""
    found = {()}
    for length in range(1, n + 1):
        for nodes in range(1, most + 1):
            for children in inner_forests(length, nodes - 1):
                for rest in forests(n - length, most - nodes):
                    found.add(tuple(sorted([(length, children), *rest])))
    return tuple(sorted(found))


def inner_forests(length, nodes):
    """Forests of exactly `nodes` spans that can lie in a span: none of them is the span again."""
    every = forests(length, nodes) if nodes else [()]
    return [x for x in every if count_nodes(x) == nodes and all(a < length for a, _ in x)]


def count_nodes(forest):
    """Number of spans of a forest."""
    return sum(1 + count_nodes(children) for _, children in forest)


MODELS = {
    "disjoint": oracles.placements_disjoint,
    "overlapping": oracles.placements_overlapping,
    "nested": oracles.placements_nested,
}


@cache
def placements(model, n, shape):
    """(probability of each, all placements) of lengths or a forest: they are equally likely."""
    rows = list(MODELS[model](n, shape))
    (probability,) = {p for p, _ in rows}
    return probability, [spans for _, spans in rows]


@cache
def item_counts(model, n, shape, encoding):
    """(probability of a placement, how many placements mark each item of a token encoding)."""
    probability, every = placements(model, n, shape)
    return probability, Counter(x for spans in every for x in oracles.token_items(spans, encoding))


@cache
def span_counts(model, n, shape):
    """(probability of a placement, how often each span stands in them)."""
    probability, every = placements(model, n, shape)
    return probability, Counter(span for spans in every for span in spans)


def expected_common(one, two):
    """Expected number of common items of two independent annotators, as a Fraction."""
    (p, first), (q, second) = one, two
    return p * q * sum(count * second[item] for item, count in first.items() if item in second)


def expected_mass(counted):
    """Expected number of items of one annotator, as a Fraction."""
    probability, counts = counted
    return probability * sum(counts.values(), Fraction(0))


def small_pairs(disjoint=True, sizes=SIZES):
    """All (n, lengths of the first, lengths of the second), neither side empty."""
    return [
        (n, *sides)
        for n in sizes
        for sides in product([x for x in multisets(n, disjoint=disjoint) if x], repeat=2)
    ]


def draw(n, lengths, size, rng, *, placement="disjoint"):
    """Random starts of the segments of one unit of n tokens; shape (size, number of segments)."""
    lengths = np.asarray(lengths, np.int64)
    if placement == "overlapping":
        return rng.integers(0, n - lengths + 1, (size, len(lengths)))
    owner = np.repeat(np.arange(size), len(lengths))
    starts = random_starts(owner, np.tile(lengths, size), np.full(size, n), rng)
    return starts.reshape(size, len(lengths))


def corpus_of(cases, side, disjoint=True):
    """`Spans` with one document per case; placed one after the other, or all at the start.

    Unchecked: two overlapping segments of one length may coincide, as they do in random draws.
    """
    rows = []
    for d, case in enumerate(cases):
        start = 0
        for length in case[side]:
            rows.append((d, start, start + length))
            start += length * disjoint
    doc, start, end = np.array(sorted(rows), np.int64).reshape(-1, 3).T
    empty = Spans((), (), (), (), [case[0] for case in cases], ["X"])
    return trusted(empty, doc=doc, start=start, end=end, label=np.zeros_like(doc))
