"""SL-ICM: how much of the information of the gold spans does a prediction carry?

Source: Amigó, Álvarez-Mellado, Gonzalo, Carrillo-de-Albornoz, "Evaluating Sequence Labeling on the
basis of Information Theory".
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .alignment import align
from .pairing import best_pairs
from .spans import Spans, expanded, overlapping_pairs
from .stats import Additive, ratio

RANKS = ("position", "information")
MATCHINGS = ("mutual", "optimal")


@dataclass(frozen=True, eq=False)
class Prior(Additive):
    """How many gold spans have each label: N_t. Count it over the whole corpus, before the rest."""

    sequences: np.ndarray


@dataclass(frozen=True, eq=False)
class Information(Additive):
    """Numbers of spans and their information in bits, arrays of shape (..., n_labels).

    Sums over documents, counted with the prior of the whole corpus.
    """

    n_gold: np.ndarray
    gold: np.ndarray
    n_pred: np.ndarray
    pred: np.ndarray
    n_common: np.ndarray
    common: np.ndarray


@dataclass(frozen=True, eq=False)
class Shared:
    """The information, in bits, of every span of two annotators and of what their pairs share.

    `gold_bits` and `pred_bits` have one entry per span of `gold` and `pred`. Pair p is of row
    `one[p]` of gold and row `two[p]` of the prediction; both have the positions `start[p]` to
    `end[p]` of their document in common, which carry `common[p]` bits. `loose_gold` and
    `loose_pred` are the bits of the spans that fit no tokens, a row of `unplaced` each.
    """

    gold: Spans
    pred: Spans
    gold_bits: np.ndarray
    pred_bits: np.ndarray
    loose_gold: np.ndarray
    loose_pred: np.ndarray
    one: np.ndarray
    two: np.ndarray
    start: np.ndarray
    end: np.ndarray
    common: np.ndarray

    @property
    def lost(self):
        """Bits of each gold span that no prediction has; below 0 if the common part has more."""
        return self.gold_bits - np.bincount(self.one, self.common, len(self.gold))

    @property
    def noise(self):
        """Bits of each predicted span that are not in common with its gold span, if it has one."""
        return self.pred_bits - np.bincount(self.two, self.common, len(self.pred))

    def information(self):
        """The sums of all that, as `Information` of shape (n_docs, n_labels)."""
        sums = []
        for spans, bits, loose in (
            (self.gold, self.gold_bits, self.loose_gold),
            (self.pred, self.pred_bits, self.loose_pred),
        ):
            number, mass = _sums(spans, spans.doc, spans.label, bits)
            more, unplaced = _sums(spans, *spans.unplaced.T[:2], loose)
            sums += [number + more, mass + unplaced]
        doc, label = self.gold.doc[self.one], self.gold.label[self.one]
        return Information(*sums, *_sums(self.gold, doc, label, self.common))


# --- scores


def slicm(information):
    """SL-ICM in bits: 3 I(intersection) - I(pred) - I(gold); I(gold) for a perfect prediction."""
    return 3 * information.common - information.pred - information.gold


def slicm_norm(information):
    """SL-ICM on a scale on which gold itself has 1 and an empty prediction 0.

        (SL-ICM + I(gold)) / (2 I(gold)) = (3 I(intersection) - I(pred)) / (2 I(gold))

    Below 0 without bound for predictions that carry more noise than information; nan where gold
    carries none.
    """
    common = information.common  # in an order in which gold against itself is exactly 1
    return ratio(2 * common + (common - information.pred), 2 * np.asarray(information.gold, float))


def lost_information(information):
    """Bits of gold that have no part in the intersection: without partner, or outside of it."""
    return information.gold - information.common


def noise(information):
    """Bits of the prediction that have no part in the intersection."""
    return information.pred - information.common


# --- counting


def sequence_prior(gold):
    """`Prior` of a corpus, one row per document; only documents that were seen count."""
    shape = gold.n_docs, len(gold.labels)
    rows = gold.seen[gold.doc]
    flat = np.bincount((gold.doc * shape[1] + gold.label)[rows], minlength=shape[0] * shape[1])
    table = flat.reshape(shape)
    loose = gold.unplaced[gold.seen[gold.unplaced[:, 0]]]
    np.add.at(table, (loose[:, 0], loose[:, 1]), 1)
    return Prior(table)


def label_information(prior):
    """Bits of each label, -log2(N_t / N); one that gold never has counts as N_t = 1."""
    return np.log2(max(prior.sequences.sum(), 1) / np.maximum(prior.sequences, 1))


def slicm_information(gold, pred, **options):
    """Information of gold, of the prediction and of what they have in common.

    Returns `Information` of shape (n_docs, n_labels). The options, what is raised, and what a pair
    is, are those of `shared_information`, of which these are the sums.
    """
    return shared_information(gold, pred, **options).information()


def shared_information(
    gold,
    pred,
    *,
    prior=None,
    token_information="constant",
    word_counts=None,
    average=None,
    rank="position",
    matching="mutual",
):
    """Information of every span, and of what the pairs of gold and prediction have in common.

        I(s, t) = -log2(N_t / N) + sum over i of -log2 P(w_i) / i

    A span of the gold and one of the prediction with the same label are a pair if they share
    tokens and each is the one with which the other has most information in common; of tied pairs a
    maximum matching counts. The common part of a pair is a span of its own: its ranks i restart.

    Parameters
    ----------
    gold, pred : Spans
    prior : Prior, optional
        Totals over the whole corpus, shape (n_labels,), for the sorted union of the labels; by
        default counted from `gold`. A label that gold never has counts as N_t = 1.
    token_information : "constant", "corpus", mapping or callable
        Bits of a token: one; -log2 of its add-one smoothed frequency in the documents that were
        seen; or word -> bits.
    word_counts : Counter, optional
        For "corpus": the counts of the whole corpus, if `gold` is only a part of it.
    average : float, optional
        Bits of an average token of the whole corpus, if `gold` is only a part of it: those of the
        tokens of spans that fit none.
    rank : "position" or "information"
        What i counts: the tokens as they stand (the paper), or by falling information. With tokens
        of unequal information the first is not monotone: it can rise when a cheap first token is
        dropped, so that gold need not be the best prediction.
    matching : "mutual" or "optimal"
        Pairs as above (the paper), or the one-to-one pairs of greatest total information.

    Returns
    -------
    Shared

    Raises
    ------
    ValueError
        For an unknown option, or words that are needed and missing.
    """
    for value, known, what in ((rank, RANKS, "rank"), (matching, MATCHINGS, "matching")):
        if value not in known:
            raise ValueError(f"unknown {what} {value!r}; expected one of {', '.join(known)}")
    gold, pred = (_without_repeats(side) for side in align(gold, pred))
    prior = sequence_prior(gold).total() if prior is None else prior
    label_bits = label_information(prior)
    bits = _token_bits(gold, token_information, word_counts)
    information, loose = [], []
    for spans in (gold, pred):
        start = spans.offsets[spans.doc] + spans.start
        tokens = _span_bits(start, start + spans.lengths, bits, rank)
        information.append(label_bits[spans.label] + tokens)
        loose.append(_unplaced_information(spans, label_bits, bits, average))
    i, j = overlapping_pairs(gold, pred)
    start = np.maximum(gold.start[i], pred.start[j])
    end = np.minimum(gold.end[i], pred.end[j])
    first = gold.offsets[gold.doc[i]]
    common = label_bits[gold.label[i]] + _span_bits(first + start, first + end, bits, rank)
    rows = _pair_rows(i, j, common, gold, pred, matching)
    pairs = (column[rows] for column in (i, j, start, end, common))
    return Shared(gold, pred, *information, *loose, *pairs)


def _pair_rows(i, j, weight, gold, pred, matching):
    """Which of the rows (i, j) are pairs."""
    if matching == "optimal":
        return best_pairs(i, j, weight)
    rows = _mutually_best(i, j, weight, len(gold), len(pred))
    return rows[best_pairs(i[rows], j[rows], np.ones(len(rows)))]


def _mutually_best(i, j, weight, n_gold, n_pred):
    """Rows whose two spans have no heavier partner; ties (up to rounding) stay."""
    best_i, best_j = np.zeros(n_gold), np.zeros(n_pred)
    np.maximum.at(best_i, i, weight)
    np.maximum.at(best_j, j, weight)
    return np.flatnonzero(weight >= np.maximum(best_i[i], best_j[j]) * (1 - 1e-12))


def _sums(spans, doc, label, information):
    """Number and information of some spans by document and label."""
    shape = spans.n_docs, len(spans.labels)
    key, size = doc * shape[1] + label, shape[0] * shape[1]
    number = np.bincount(key, minlength=size).reshape(shape)
    return number, np.bincount(key, information, size).reshape(shape).astype(float)


def _unplaced_information(spans, label_bits, bits, average=None):
    """Information of the spans that fit no tokens: their words are unknown, so of average bits."""
    _, label, length = spans.unplaced.T
    if average is None:
        average = 1.0 if bits is None or not len(bits) else float(np.mean(bits))
    harmonic = np.cumsum(1 / np.arange(1, length.max(initial=0) + 1))
    return label_bits[label] + average * harmonic[length - 1]


def _without_repeats(spans):
    """Without repeated spans (random annotations can have them): they carry nothing new."""
    rows = np.column_stack([spans.doc, spans.start, spans.end, spans.label])
    keep = np.ones(len(spans), bool)
    keep[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return spans if keep.all() else spans.keep(keep)


# --- information of tokens and spans


def _span_bits(start, end, bits, rank):
    """sum over i of bits / i for stretches of corpus-wide positions; None is one bit each."""
    if bits is None:
        harmonic = np.cumsum(1 / np.arange(1, (end - start).max(initial=0) + 1))
        return harmonic[end - start - 1] if len(start) else np.zeros(0)
    row, place = expanded(start, end)
    value = bits[place]
    if rank == "information":
        value = value[np.lexsort((-value, row))]
    return np.bincount(row, value / (place - start[row] + 1), len(start))


def _token_bits(spans, token_information, word_counts=None):
    """Bits of every token of the corpus, or None for one bit each."""
    if isinstance(token_information, str) and token_information == "constant":
        return None
    if spans.words is None:
        raise ValueError(
            "token information needs the words of the corpus: give `Spans` its `words`"
        )
    if isinstance(token_information, str) and token_information == "corpus":
        word_counts = count_words(spans) if word_counts is None else word_counts
    words = sorted(set(spans.words))
    table = dict(zip(words, word_bits(words, token_information, word_counts).tolist()))
    return np.array([table[word] for word in spans.words])


def word_bits(words, token_information, word_counts=None):
    """Bits of some distinct words, sorted; for "corpus", by the counts of the words of a corpus."""
    if isinstance(token_information, str) and token_information == "corpus":
        table = _corpus_bits(word_counts)
        unknown = np.log2(max(sum(word_counts.values()) + len(word_counts), 1))
        return np.array([table.get(word, unknown) for word in words])
    if isinstance(token_information, Mapping):
        missing = [word for word in words if word not in token_information]
        if missing:
            raise ValueError(
                f"no information for {len(missing)} of the words, such as {missing[0]!r}; "
                "give every word of the corpus its bits, or a callable with a default"
            )
        token_information = token_information.__getitem__
    if not callable(token_information):
        raise ValueError(
            f"unknown token information {token_information!r}; expected 'constant', 'corpus', "
            "a mapping or a callable from words to bits"
        )
    bits = np.array([float(token_information(word)) for word in words])
    wrong = np.flatnonzero(~((bits >= 0) & (bits < np.inf)))
    if len(wrong):
        raise ValueError(
            f"the information of {words[wrong[0]]!r} is {bits[wrong[0]]}; expected finite bits, 0 "
            "or more"
        )
    return bits


def count_words(spans):
    """`Counter` of the words of the documents that were seen; counters of shards add up."""
    cuts = spans.offsets
    seen = np.flatnonzero(spans.seen)
    return Counter(word for doc in seen for word in spans.words[cuts[doc] : cuts[doc + 1]])


def _corpus_bits(counts):
    """{word: -log2 of its add-one smoothed frequency}."""
    mass = sum(counts.values()) + len(counts)
    return {word: float(np.log2(mass / (count + 1))) for word, count in counts.items()}
