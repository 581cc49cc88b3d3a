"""GATE's measures: correct, partial, missing, spurious; strict, lenient, average; closeness.

Key is gold, response is the prediction. A pair of a key and a response is *correct* if both cover
the same positions, *partial* if they only overlap (touching is not overlapping); a key without a
pair is *missing*, a response without one is *spurious*. Each span is in one pair at most.

GATE takes pairs greedily, by a score that it computes once, so that its counts can depend on the
order in which annotations come: the keys [0, 4), [3, 8) and the responses [3, 8), [6, 12) give it 2
partial pairs in the order of the text, and 1 correct pair, 1 missing, 1 spurious in another. Here
the pairing is the optimum: most correct pairs first, then most partial pairs. That is 1, 0, 1, 1
always. Where annotations come in the order of the text and none overlaps another one of its own
set, the two agree.

References
----------
The GATE user guide, chapter 10 (Performance Evaluation of Language Analysers).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .alignment import align, check_sentences
from .arrays import Array, BoolArray, FloatArray, IntArray
from .differences import RELATIONS
from .matching import Hits, document_table, f_score, precision, recall, span_mass
from .messages import quoted
from .pairing import Closeness, closeness_table, other_pairs, pair_spans, with_copies
from .spans import Spans
from .stats import Additive, ratio

# weight of a partial pair in each of the scores that a mode is the mean of
MODES = {"strict": (0,), "lenient": (1,), "average": (0, 1)}
EMPTY = ("nan", "gate")
PER = ("token", "sentence")


@dataclass(frozen=True, eq=False)
class Pairings(Additive):
    """Masses of keys, responses and pairs, arrays of shape (..., n_labels). Sum over documents.

    A pair counts 1 or, if labels may differ, the closeness of its two labels. It counts for the
    label of its key in `recalled` and `touched`, for that of its response in `correct` and
    `partial`; these are the same arrays if the labels are always equal.
    """

    gold: Array  # number of keys
    recalled: Array  # correct pairs, by the label of the key
    touched: Array  # partial pairs, by the label of the key
    pred: Array  # number of responses
    correct: Array  # correct pairs, by the label of the response
    partial: Array  # partial pairs, by the label of the response
    mislabelled: Array  # pairs of the remaining spans, by the label of the key
    mistaken: Array  # these by the label of the response
    otherwise: Array  # those of one label, whose features differ

    @property
    def wrong_label(self) -> Array:
        """Pairs of the remaining spans: each in the rows of both its labels, and once in all."""
        return self.mislabelled + self.mistaken - self.otherwise

    @property
    def missing(self) -> Array:
        """Keys that no response overlaps (and what pairs lack in closeness)."""
        return self.gold - self.recalled - self.touched - self.mislabelled

    @property
    def spurious(self) -> Array:
        """Responses that overlap no key (and what pairs lack in closeness)."""
        return self.pred - self.correct - self.partial - self.mistaken

    def pooled(self) -> "Pairings":
        """Sum over the labels, kept as an axis of length 1: all pairs are of one label then."""
        total = super().pooled()
        return replace(total, otherwise=total.mislabelled)


@dataclass(frozen=True, eq=False)
class FalsePositives(Additive):
    """Wrong responses, shape (..., n_labels), and the size of the text. Sum over documents."""

    spurious: Array
    partial: Array
    size: Array  # number of tokens or sentences, shape (..., 1): labels share the text


def relation_counts(total: Pairings) -> dict[str, Array]:
    """Numbers of pairs and single spans by relation, arrays of shape (..., n_labels).

    They are those of `differences`. GATE's tables have no wrong labels: each is one missing and one
    spurious annotation there. Where pairs count the closeness of their labels, these are sums of
    it.
    """
    return {name: getattr(total, name.replace(" ", "_")) for name in RELATIONS}


# --- scores


def gate_precision(total: Pairings, *, mode: str = "strict", empty: str = "nan") -> FloatArray:
    """Share of the responses that are right.

        P = (correct + w * partial) / responses

    with w = 0 if strict, 1 if lenient; the average is the mean of both. It is also the precision of
    BDM, where pairs count the closeness of their labels.

    Shape (..., n_labels), in [0, 1]; nan without responses, or 1 as in GATE if `empty` is "gate".

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> key = Spans.from_tuples([[(0, 5, "X"), (10, 15, "X"), (20, 25, "X"), (30, 35, "X")]], [50])
    >>> response = Spans.from_tuples([[(0, 5, "X"), (11, 15, "X"), (40, 45, "X")]], [50])
    >>> total = pairings(key, response).total()
    >>> [gate_precision(total, mode=mode).round(4).item() for mode in MODES]
    [0.3333, 0.6667, 0.5]
    """
    return _mean_over_mode(precision, total, mode, empty)


def gate_recall(total: Pairings, *, mode: str = "strict", empty: str = "nan") -> FloatArray:
    """Share of the keys that were found.

        R = (correct + w * partial) / keys

    with w = 0 if strict, 1 if lenient; the average is the mean of both. Shape (..., n_labels), in
    [0, 1]; nan without keys, or 1 as in GATE if `empty` is "gate". The parameters are those of
    `gate_precision`.
    """
    return _mean_over_mode(recall, total, mode, empty)


def gate_f(
    total: Pairings, *, mode: str = "strict", beta: float = 1.0, empty: str = "nan"
) -> FloatArray:
    """Weighted harmonic mean of precision P and recall R.

        F = (1 + beta^2) P R / (beta^2 P + R)

    The average F is the mean of the strict and the lenient F, as in GATE's Annotation Diff. (If
    labels have to be equal, it is also the F of the average P and R.)

    `beta` above 1 favours recall; the other parameters are those of `gate_precision`. Shape
    (..., n_labels), in [0, 1]; 0 where only one of the two marked something; nan where neither did,
    or 1 as in GATE if `empty` is "gate".
    """
    return _mean_over_mode(lambda hits: f_score(hits, beta=beta), total, mode, empty)


def _mean_over_mode(
    score: Callable[[Hits], FloatArray], total: Pairings, mode: str, empty: str
) -> FloatArray:
    """Mean of a score over the weights that a mode gives to partial pairs."""
    values = [
        score(
            Hits(
                total.gold,
                total.recalled + weight * total.touched,
                total.pred,
                total.correct + weight * total.partial,
            )
        )
        for weight in _weights_of(mode)
    ]
    if empty not in EMPTY:
        raise ValueError(f"unknown empty {quoted(empty)}; expected one of {', '.join(EMPTY)}")
    value: FloatArray = np.mean(values, axis=0)
    return value if empty == "nan" else np.where(np.isnan(value), 1.0, value)


def _weights_of(mode: str) -> tuple[int, ...]:
    """Weights of partial pairs in the scores that a mode is the mean of."""
    if mode not in MODES:
        raise ValueError(f"unknown mode {quoted(mode)}; expected one of {', '.join(MODES)}")
    return MODES[mode]


def error_rate(total: Pairings, *, mode: str = "strict", empty: str = "nan") -> FloatArray:
    """Share of the responses that are wrong: 1 - precision (section 10.1.3 of the guide).

        strict    (spurious + partial) / responses
        lenient   spurious / responses

    The average is the mean of both. Shape (..., n_labels), in [0, 1], lower is better; nan without
    responses, or 0 if `empty` is "gate", as GATE's precision then is 1. The parameters are those of
    `gate_precision`.
    """
    return 1 - gate_precision(total, mode=mode, empty=empty)


def false_positives(
    total: FalsePositives, *, per: float = 1000, mode: str = "lenient"
) -> FloatArray:
    """Number of spurious responses in `per` tokens (or sentences) of text.

        lenient   per * spurious / size                 GATE's equation 10.8, and the default
        strict    per * (spurious + partial) / size

    The average is the mean of both. Shape (..., n_labels), at least 0, lower is better; nan without
    text.

    Examples
    --------
    >>> total = FalsePositives(np.array([3, 1]), np.array([2, 0]), np.array([2000]))
    >>> false_positives(total).tolist(), false_positives(total.pooled(), mode="strict").tolist()
    ([1.5, 0.5], [3.0])
    """
    if not 0 < per < float("inf"):
        raise ValueError(f"per is {quoted(per)}; expected a number of tokens or sentences above 0")
    scores = [
        per * ratio(total.spurious + (1 - weight) * total.partial, total.size)
        for weight in _weights_of(mode)
    ]
    value: FloatArray = np.mean(scores, axis=0)
    return value


# --- counts, one row per document


def pairings(
    gold: Spans, pred: Spans, *, features: str = "none", closeness: Closeness | None = None
) -> Pairings:
    """The `Pairings` of keys and responses; arrays of shape (n_docs, n_labels).

    Spans that do not fit the tokens (`Spans.unplaced`) are keys and responses without a pair.
    Several annotations of one place and label (`Spans.copies`) are several keys or responses. Those
    with the same significant features are one unless they are `counted` by themselves.

    Parameters
    ----------
    features : "none", "all" or names joined by "+"
        Which features of a key its response has to have, with the same value of the same type ("5"
        is not 5, and True is not 1). A feature that a key lacks constrains nothing.
    closeness : mapping of (label, label) to a number in [0, 1], optional
        How close two labels are, whichever comes first; that of equal labels is 1, that of labels
        without a number 0. Spans of close labels can then be paired, and the sum of closeness is
        the greatest possible, first over coextensive pairs (closeness there counts 2^20 times as
        much), then over partial pairs. Without it labels have to be equal.

    References
    ----------
    Maynard, Peters and Li (2006), "Metrics for evaluation of
    ontology-based information extraction", for closeness.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> key = Spans.from_tuples([[(0, 2, "City"), (3, 5, "City")]], [9])
    >>> response = Spans.from_tuples([[(0, 2, "City"), (4, 5, "Capital")]], [9])
    >>> total = pairings(key, response, closeness={("Capital", "City"): 0.6}).total().pooled()
    >>> total.correct.tolist(), total.partial.tolist()
    ([1.0], [0.6])
    """
    gold, pred = (with_copies(spans, features) for spans in align(gold, pred))
    i, j, same = pair_spans(gold, pred, features=features, closeness=closeness)
    weight: Array = np.ones(len(i), np.int64)
    if closeness is not None:
        weight = closeness_table(gold.labels, closeness)[gold.label[i], pred.label[j]]
    recalled, touched = (_sum_by_label(gold, i, weight, kind) for kind in (same, ~same))
    correct, partial = recalled, touched
    if closeness is not None:
        correct, partial = (_sum_by_label(pred, j, weight, kind) for kind in (same, ~same))
    n_gold, n_pred = (span_mass(spans, np.ones_like) for spans in (gold, pred))
    left, right, _ = other_pairs(gold, pred, i, j)
    once, every = np.ones(len(left), np.int64), np.ones(len(left), bool)
    mislabelled = _sum_by_label(gold, left, once, every)
    mistaken = _sum_by_label(pred, right, once, every)
    otherwise = _sum_by_label(gold, left, once, gold.label[left] == pred.label[right])
    wrong = mislabelled, mistaken, otherwise
    return Pairings(n_gold, recalled, touched, n_pred, correct, partial, *wrong)


def _sum_by_label(spans: Spans, rows: IntArray, weight: Array, kind: BoolArray) -> Array:
    """Sums of the weights of pairs of one kind, by document and label of one of their spans."""
    rows = rows[kind]
    return document_table(spans, spans.doc[rows], spans.label[rows], weight[kind])


def false_positive_counts(
    gold: Spans, pred: Spans, *, of: str = "token", features: str = "none"
) -> FalsePositives:
    """The `FalsePositives`: wrong responses and the size of the text, one row per document.

    The size is in tokens, which are positions (characters where spans lie on characters), or in
    sentences, which are cut where either annotator has a boundary. `features` are those of
    `pairings`.
    """
    if of not in PER:
        raise ValueError(f"unknown of {quoted(of)}; expected one of {', '.join(PER)}")
    gold, pred = align(gold, pred)
    if of == "sentence":
        check_sentences((gold, pred), "of='sentence'", "of='token'")
    pairs = pairings(gold, pred, features=features)
    doc, start, end = gold.stretches.T
    pieces = end - start if of == "token" else np.ones_like(doc)
    size = np.bincount(doc, pieces, gold.n_docs).astype(np.int64)
    return FalsePositives(pairs.spurious, pairs.partial, size[:, None])
