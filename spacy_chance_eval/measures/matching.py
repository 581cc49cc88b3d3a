"""How many marks of one annotator did the other find? Span, token, link F, BCubed, Int-F.

They count different items: spans, tokens, links between tokens, tokens weighted by their
neighbours, spans weighted by their overlap. All give the same four masses, `Hits`, and share their
scores.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from .alignment import align
from .arrays import Array, FloatArray, IntArray, distinct
from .chance.expectation import (
    CHANNELS,
    DISJOINT,
    Phi,
    expected_pairs,
    expected_spans,
    expected_token_mass,
    expected_tokens,
    marks_of,
)
from .fragments import fragment_codes, have_fragments, n_tokens, pieces, refuse_fragments
from .messages import quoted
from .spans import Spans, expanded, merge_sorted, overlapping_pairs
from .stats import Additive, ratio

Weigh: TypeAlias = Callable[[IntArray], IntArray]
# items of a span that has no place among the tokens, by its length
_LOOSE_ITEMS: dict[str, Callable[[IntArray], IntArray]] = {
    "IO": np.copy,
    "BIO": np.copy,
    "BIOE": np.copy,
    "IO*": lambda a: 2 * a - 1,
}


@dataclass(frozen=True, eq=False)
class Hits(Additive):
    """Masses that two annotators marked, arrays of shape (..., n_labels). Sum over documents.

    Observed, or expected under the random annotation model: the same scores are made of both.
    """

    gold: Array  # mass the gold annotator marked
    recalled: Array  # the part of it that the prediction found
    pred: Array  # mass the prediction marked
    correct: Array  # the part of it that is right


# --- scores


def precision(hits: Hits) -> FloatArray:
    """Share of the predicted mass that is right: correct / pred.

    Shape (..., n_labels), in [0, 1]; nan where nothing was predicted.
    """
    return ratio(hits.correct, hits.pred)


def recall(hits: Hits) -> FloatArray:
    """Share of the gold mass that was found: recalled / gold.

    Shape (..., n_labels), in [0, 1]; nan where gold has nothing.
    """
    return ratio(hits.recalled, hits.gold)


def f_score(hits: Hits, *, beta: float = 1.0) -> FloatArray:
    """Weighted harmonic mean of precision P and recall R.

        F = (1 + beta^2) P R / (beta^2 P + R)

    Shape (..., n_labels), in [0, 1]; 0 where only one of the two marked something, nan where
    neither did. `beta` above 1 favours recall.

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7 (there as E = 1 - F).

    Examples
    --------
    >>> one = np.array([2.0])
    >>> f_score(Hits(gold=2 * one, recalled=one, pred=one, correct=one)).round(4).tolist()
    [0.6667]
    """
    gold, pred = np.asarray(hits.gold, float), np.asarray(hits.pred, float)
    recalled, correct = np.asarray(hits.recalled, float), np.asarray(hits.correct, float)
    weighted = correct if beta == 1 else beta**2 * correct
    mass = weighted * gold + recalled * pred
    score = ratio((1 + beta**2) * correct * recalled, mass)
    if (mass != 0).all():
        return score
    return np.where((mass == 0) & (gold + pred > 0), 0.0, score)


# --- observed masses, one row per document: arrays of shape (n_docs, n_labels)


def span_hits(gold: Spans, pred: Spans) -> Hits:
    """Exact matches: every span counts 1, correct if the other marked the same span and label.

    A discontinuous span is the same if it has the same tokens. `Hits` of shape (n_docs, n_labels).
    """
    gold, pred = align(gold, pred)
    rows, other = span_keys(gold, pred)
    key, first, count = np.unique(rows, return_index=True, return_counts=True)
    key_2, count_2 = np.unique(other, return_counts=True)
    _, one, two = np.intersect1d(key, key_2, assume_unique=True, return_indices=True)
    row = first[one]
    correct = document_table(gold, gold.doc[row], gold.label[row], count[one] * count_2[two])
    gold_mass, pred_mass = (span_mass(spans, np.ones_like) for spans in (gold, pred))
    return Hits(gold_mass, correct, pred_mass, correct)


def token_hits(gold: Spans, pred: Spans, *, encoding: str = "IO") -> Hits:
    """Matches of tokens: a token counts once for each label, however many spans cover it.

    `Hits` of shape (n_docs, n_labels).

    Parameters
    ----------
    encoding : "IO", "BIO", "BIOE" or "IO*"
        The kind of item: (token, label); with a prefix for first, inner and last tokens (a span of
        one token is B); or tokens and the gaps between adjacent tokens of one span. Of a
        discontinuous span the first token of the first piece is B, the last of the last one E; only
        tokens that are neighbours in the text are adjacent.

    References
    ----------
    Amigó et al., "Evaluating Sequence Labeling on the basis of Information Theory", section 3.
    """
    gold, pred = align(gold, pred)
    sides = [_token_items(spans, encoding) for spans in (gold, pred)]
    both = merge_sorted(sides)
    correct = _item_table(gold, both[:-1][both[1:] == both[:-1]], encoding)
    size = _LOOSE_ITEMS[encoding]
    masses = [
        _item_mass(spans, items, encoding) + _unplaced_mass(spans, size)
        for spans, items in zip((gold, pred), sides)
    ]
    return Hits(masses[0], correct, masses[1], correct)


def link_hits(gold: Spans, pred: Spans) -> Hits:
    """Matches of links: unordered pairs of tokens of one span, a token with itself included.

    `Hits` of shape (n_docs, n_labels). Discontinuous spans are refused.

    References
    ----------
    Amigó et al., section 3; the links of coreference (Recasens and Hovy 2011) within spans.
    """
    gold, pred = align(gold, pred)
    refuse_fragments("link F", gold, pred)
    sides = [_neighbourhoods(spans) for spans in (gold, pred)]
    i, j = _shared_places(sides)
    reach = np.minimum(sides[0].right[i], sides[1].right[j]) - sides[0].place[i]
    correct = sides[0].table(gold, i, reach)
    masses = [
        side.table(spans, slice(None), side.right - side.place)
        + _unplaced_mass(spans, lambda a: a * (a + 1) // 2)
        for side, spans in zip(sides, (gold, pred))
    ]
    return Hits(masses[0], correct, masses[1], correct)


def bcubed_hits(gold: Spans, pred: Spans) -> Hits:
    """BCubed masses: a token is correct by the share of its neighbours that are neighbours in both.

    Neighbours of a token are the tokens of the spans of its label that contain it, itself included.
    `Hits` of shape (n_docs, n_labels). Discontinuous spans are refused.

    References
    ----------
    Bagga and Baldwin (1998); Amigó et al., section 3 (with one denominator for each direction).
    """
    gold, pred = align(gold, pred)
    refuse_fragments("BCubed", gold, pred)
    sides = [_neighbourhoods(spans) for spans in (gold, pred)]
    i, j = _shared_places(sides)
    right = np.minimum(sides[0].right[i], sides[1].right[j])
    shared = right - np.maximum(sides[0].left[i], sides[1].left[j])
    parts = [
        side.table(gold, at, shared / (side.right[at] - side.left[at]))
        for side, at in zip(sides, (i, j))
    ]
    masses = [
        side.table(spans, slice(None), np.ones_like(side.place)) + _unplaced_mass(spans, np.copy)
        for side, spans in zip(sides, (gold, pred))
    ]
    return Hits(masses[0], parts[0], masses[1], parts[1])


def int_hits(gold: Spans, pred: Spans) -> Hits:
    """Int-F masses: every span counts 1, correct by the share of it that the other overlaps.

    Overlaps with spans of the same label are added up, to at most the whole span. `Hits` of shape
    (n_docs, n_labels).

    References
    ----------
    Amigó et al., section 3.
    """
    gold, pred = align(gold, pred)
    if have_fragments(gold, pred):
        from .token_sets import common_tokens  # which few corpora need

        common = common_tokens(gold, pred)
        i, j, shared = common.one, common.two, common.numbers
    else:
        i, j = overlapping_pairs(gold, pred)
        right = np.minimum(gold.end[i], pred.end[j])
        shared = right - np.maximum(gold.start[i], pred.start[j])
    parts = []
    for spans, at in ((gold, i), (pred, j)):
        covered = np.bincount(at, shared, len(spans)) / n_tokens(spans)
        parts.append(document_table(spans, spans.doc, spans.label, np.minimum(covered, 1)))
    masses = [span_mass(spans, np.ones_like) for spans in (gold, pred)]
    return Hits(masses[0], parts[0], masses[1], parts[1])


def document_table(spans: Spans, doc: IntArray, label: IntArray, weights: Array) -> Array:
    """Sums of weights by document and label, integer if they are: shape (n_docs, n_labels)."""
    shape = spans.n_docs, len(spans.labels)
    flat = np.bincount(doc * shape[1] + label, weights, shape[0] * shape[1]).reshape(shape)
    return flat.astype(np.int64 if np.asarray(weights).dtype.kind == "i" else float)


def span_mass(spans: Spans, weigh: Weigh) -> Array:
    """Sums of weigh(length) over all spans, also unplaced ones: shape (n_docs, n_labels)."""
    placed = document_table(spans, spans.doc, spans.label, weigh(n_tokens(spans)))
    return placed + _unplaced_mass(spans, weigh)


def _unplaced_mass(spans: Spans, weigh: Weigh) -> Array:
    """Sums of weigh(length) over the spans that do not fit the tokens; they were marked, too."""
    doc, label, length = spans.unplaced.T
    return document_table(spans, doc, label, weigh(length))


def span_keys(*sides: Spans) -> list[IntArray]:
    """One integer per span of each annotator, equal for equal spans of aligned annotators."""
    keys: list[IntArray] = []
    codes = fragment_codes(*sides)
    n_codes = max((int(code.max(initial=0)) for code in codes), default=0) + 1
    for spans, code in zip(sides, codes):
        start = spans.offsets[spans.doc] + spans.start
        longest = spans.sizes.max(initial=0) + 1
        own = (start * longest + spans.lengths) * len(spans.labels) + spans.label
        keys.append(own * n_codes + code)
    return keys


def _token_items(spans: Spans, encoding: str) -> IntArray:
    """Sorted distinct items ((place * labels) + label) * channels + channel."""
    if encoding not in CHANNELS:
        raise ValueError(f"unknown encoding {quoted(encoding)}; expected one of {list(CHANNELS)}")
    span, low, high = pieces(spans)
    start, n_channels = spans.start[span], len(CHANNELS[encoding])
    first, width = marks_of(encoding, low - start, high - start, spans.lengths[span])
    first += (spans.offsets[spans.doc[span]] + start)[:, None]
    row, place = expanded(first.ravel(), (first + width).ravel())
    label, channel = spans.label[span[row // n_channels]], row % n_channels
    items = (place * len(spans.labels) + label) * n_channels + channel
    return items if (np.diff(items) > 0).all() else distinct(items)


def _item_mass(spans: Spans, items: IntArray, encoding: str) -> Array:
    """Number of items by document and label; if no spans overlap, from their lengths alone."""
    width = marks_of(encoding, np.zeros_like(spans.label), *[spans.lengths] * 2)[1].sum(axis=-1)
    if not have_fragments(spans) and width.sum() == len(items):
        return document_table(spans, spans.doc, spans.label, width)
    return _item_table(spans, items, encoding)


def _item_table(spans: Spans, items: IntArray, encoding: str) -> Array:
    """Number of items by document and label."""
    place, label = np.divmod(items // len(CHANNELS[encoding]), max(len(spans.labels), 1))
    # items are in order: few documents are looked up among them, not many items among documents
    doc = np.repeat(np.arange(spans.n_docs), np.diff(np.searchsorted(place, spans.offsets)))
    return document_table(spans, doc, label, np.ones_like(doc))


@dataclass(frozen=True, eq=False)
class _Neighbourhoods:
    """Every covered (label, token), and how far the spans around it reach."""

    place: IntArray  # label * plane + corpus-wide position, sorted
    left: IntArray  # first place of the spans that contain it
    right: IntArray  # end of them
    plane: int

    def table(self, spans: Spans, at: IntArray | slice, weights: Array) -> Array:
        place = self.place[at]
        doc = np.searchsorted(spans.offsets, place % self.plane, "right") - 1
        return document_table(spans, doc, place // self.plane, weights)


def _neighbourhoods(spans: Spans) -> _Neighbourhoods:
    """Around each covered token, the union of the spans of one label that contain it."""
    plane = int(spans.offsets[-1]) + 1
    start = spans.label * plane + spans.offsets[spans.doc] + spans.start
    row, place = expanded(start, start + spans.lengths)
    place, at = np.unique(place, return_inverse=True)
    left, right = place.copy(), place + 1
    np.minimum.at(left, at, start[row])
    np.maximum.at(right, at, (start + spans.lengths)[row])
    return _Neighbourhoods(place, left, right, plane)


def _shared_places(sides: Sequence[_Neighbourhoods]) -> tuple[IntArray, IntArray]:
    """Indices, in each of the two, of the tokens that both cover with one label."""
    first, second = (side.place for side in sides)
    return np.intersect1d(first, second, assume_unique=True, return_indices=True)[1:]


# --- expected masses under the random annotation model; None where there is no formula, only draws


def expected_span_hits(
    gold: Spans, pred: Spans, observed: Hits, *, placement: str, unit: str
) -> Hits | None:
    """Expected `span_hits`: exact under every placement. (Overlapping draws count as pairs.)"""
    matches = expected_spans(gold, pred, placement=placement, unit=unit)
    return Hits(observed.gold, matches, observed.pred, matches)


def expected_token_hits(
    gold: Spans, pred: Spans, observed: Hits, *, placement: str, unit: str, encoding: str = "IO"
) -> Hits | None:
    """Expected `token_hits`; None for nested placement of other items than tokens.

    Disjoint spans mark a constant number of items. Overlapping ones do not: there all four masses
    are expectations, and the expected F is the ratio of expected sums. `encoding` is that of
    `token_hits`.

    References
    ----------
    Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation".
    """
    if placement == "nested" and encoding != "IO":
        return None
    matches = expected_tokens(gold, pred, encoding=encoding, placement=placement, unit=unit)
    masses = [observed.gold, observed.pred]
    if placement == "overlapping":
        masses = [
            expected_token_mass(one, two, encoding=encoding, unit=unit)
            + _unplaced_mass(one, _LOOSE_ITEMS[encoding])
            for one, two in ((gold, pred), (pred, gold))
        ]
    return Hits(masses[0], matches, masses[1], matches)


def _expected_pairwise(
    phis: Sequence[Phi], gold: Spans, pred: Spans, observed: Hits, *, placement: str, unit: str
) -> Hits | None:
    """Expected masses of a sum over pairs of spans; None where spans may overlap.

    `phis` are the terms of `recalled` and `correct` for an overlap of o tokens of spans of a and b.
    """
    if placement not in DISJOINT:
        return None
    recalled, correct = expected_pairs(gold, pred, phis, placement=placement, unit=unit)
    return Hits(observed.gold, recalled, observed.pred, correct)


# two disjoint annotations share the links inside their overlaps; each token of an overlap of o
# tokens shares o neighbours of a (or b); no span is overlapped by more than its length
expected_link_hits = partial(_expected_pairwise, [lambda o, a, b: o * (o + 1) / 2] * 2)
expected_bcubed_hits = partial(
    _expected_pairwise, [lambda o, a, b: o * o / a, lambda o, a, b: o * o / b]
)
expected_int_hits = partial(_expected_pairwise, [lambda o, a, b: o / a, lambda o, a, b: o / b])
