"""SL-ICM: how much of the information of the gold spans does a prediction carry?

Source: Amigó, Álvarez-Mellado, Gonzalo, Carrillo-de-Albornoz, "Evaluating Sequence Labeling on the
basis of Information Theory".
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from .alignment import align
from .arrays import Array, FloatArray, IntArray
from .fragments import fragment_codes, have_fragments
from .matching import document_table, span_mass
from .messages import quoted
from .pairing import best_pairs
from .spans import Spans, expanded, overlapping_pairs
from .stats import Additive, ratio

# bits of a word: "constant", "corpus", a table or a function
TokenInformation: TypeAlias = str | Mapping[str, float] | Callable[[str], float]

RANKS = ("position", "information")
MATCHINGS = ("mutual", "optimal")


@dataclass(frozen=True, eq=False)
class Prior(Additive):
    """Number of gold spans of each label, N_t: shape (..., n_labels), of a whole corpus."""

    sequences: Array


@dataclass(frozen=True, eq=False)
class Information(Additive):
    """Numbers of spans and their information in bits, arrays of shape (..., n_labels).

    Sum over documents, if all are counted with the prior of the whole corpus.
    """

    n_gold: Array
    gold: Array
    n_pred: Array
    pred: Array
    n_common: Array
    common: Array


@dataclass(frozen=True, eq=False)
class Shared:
    """The information, in bits, of every span of two annotators, and of what their pairs share.

    `gold_bits` and `pred_bits` have one entry per span of `gold` and `pred`. Pair p is of row
    `one[p]` of gold and row `two[p]` of the prediction; both have the positions `start[p]` to
    `end[p]` of their document in common, which carry `common[p]` bits; of discontinuous spans they
    are from the first to the last that both have, with gaps. `unplaced_gold` and `unplaced_pred`
    are the bits of the unplaced spans, one entry per row of `unplaced`.
    """

    gold: Spans
    pred: Spans
    gold_bits: FloatArray
    pred_bits: FloatArray
    unplaced_gold: FloatArray
    unplaced_pred: FloatArray
    one: IntArray
    two: IntArray
    start: IntArray
    end: IntArray
    common: FloatArray

    @property
    def lost(self) -> FloatArray:
        """Bits of each gold span outside of its common part; below 0 if that part has more."""
        return self.gold_bits - np.bincount(self.one, self.common, len(self.gold))

    @property
    def noise(self) -> FloatArray:
        """Bits of each predicted span outside of its common part; all without a partner."""
        return self.pred_bits - np.bincount(self.two, self.common, len(self.pred))

    def information(self) -> Information:
        """The sums by document and label: `Information` of shape (n_docs, n_labels)."""
        gold = _span_sums(self.gold, self.gold_bits, self.unplaced_gold)
        pred = _span_sums(self.pred, self.pred_bits, self.unplaced_pred)
        doc, label = self.gold.doc[self.one], self.gold.label[self.one]
        number, mass = (
            document_table(self.gold, doc, label, weights)
            for weights in (np.ones_like(doc), self.common)
        )
        return Information(*gold, *pred, number, mass)


# --- scores


def slicm(information: Information) -> FloatArray:
    """SL-ICM in bits.

        3 I(intersection) - I(pred) - I(gold)

    Shape (..., n_labels). I(gold) for a perfect prediction, -I(gold) for an empty one, less for
    predictions that carry more noise than information.
    """
    bits = 3 * information.common - information.pred - information.gold
    return np.asarray(bits, float)  # whole numbers of bits may have been stored as integers


def slicm_norm(information: Information) -> FloatArray:
    """SL-ICM on a scale on which gold itself has 1 and an empty prediction 0.

        (SL-ICM + I(gold)) / (2 I(gold)) = (3 I(intersection) - I(pred)) / (2 I(gold))

    Shape (..., n_labels). Below 0 without bound for predictions that carry more noise than
    information; nan where gold carries none.
    """
    common = information.common  # in an order in which gold against itself is exactly 1
    return ratio(2 * common + (common - information.pred), 2 * np.asarray(information.gold, float))


# --- counting


def sequence_prior(gold: Spans) -> Prior:
    """The `Prior` of a corpus, one row per document; only documents that were seen count."""
    return Prior(np.where(gold.seen[:, None], span_mass(gold, np.ones_like), 0))


def label_information(prior: Prior) -> FloatArray:
    """Bits of each label, -log2(N_t / N); a label that gold never has counts as N_t = 1."""
    bits: FloatArray = np.log2(max(prior.sequences.sum(), 1) / np.maximum(prior.sequences, 1))
    return bits


def slicm_information(gold: Spans, pred: Spans, **options: Any) -> Information:
    """Information of gold, of the prediction and of their common part.

    `Information` of shape (n_docs, n_labels): the sums over the spans and pairs of
    `shared_information`, which has the same options and errors.
    """
    return shared_information(gold, pred, **options).information()


def shared_information(
    gold: Spans,
    pred: Spans,
    *,
    prior: Prior | None = None,
    token_information: TokenInformation = "constant",
    word_counts: Mapping[str, int] | None = None,
    average: float | None = None,
    rank: str = "position",
    matching: str = "mutual",
) -> Shared:
    """Information of every span, and of the common part of pairs of gold and prediction.

        I(s, t) = -log2(N_t / N) + sum over i of -log2 P(w_i) / i

    A gold span and a predicted span of the same label are a pair if they share tokens and each is
    the one with which the other has most information in common; of tied pairs a maximum matching
    counts. The common part of a pair is a span of its own: its ranks i restart. Discontinuous spans
    are sets of tokens: ranks count the tokens that are there, and the common part of two is the set
    of the tokens of both.

    Where `gold` is a part of a corpus, what its whole decides is given: `prior` (the totals of all
    labels, shape (n_labels,), for the sorted union of the labels), `word_counts` for "corpus", and
    `average` bits of a token, those of the tokens of spans that fit none. A label that gold never
    has counts as N_t = 1.

    Parameters
    ----------
    token_information : "constant", "corpus", mapping or callable
        Bits of a token: one; -log2 of its add-one smoothed frequency in the documents that were
        seen; or word -> bits.
    rank : "position" or "information"
        Rank i: the tokens as they stand (the paper), or by decreasing information. With
        tokens of unequal information the first is not monotone: it can rise when a cheap first
        token is dropped, so that gold need not be the best prediction.
    matching : "mutual" or "optimal"
        Pairs as above (the paper), or the one-to-one pairs of greatest total information.
    """
    for value, known, what in ((rank, RANKS, "rank"), (matching, MATCHINGS, "matching")):
        if value not in known:
            raise ValueError(f"unknown {what} {quoted(value)}; expected one of {', '.join(known)}")
    gold, pred = (_without_repeats(side) for side in align(gold, pred))
    prior = sequence_prior(gold).total() if prior is None else prior
    label_bits = label_information(prior)
    bits = _token_bits(gold, token_information, word_counts)
    gold_bits, pred_bits = (_information(spans, label_bits, bits, rank) for spans in (gold, pred))
    unplaced_gold, unplaced_pred = (
        _unplaced_information(spans, label_bits, bits, average) for spans in (gold, pred)
    )
    i, j, start, end, common = _common_parts(gold, pred, bits, rank)
    common = label_bits[gold.label[i]] + common
    rows = _pair_rows(i, j, common, gold, pred, matching)
    return Shared(
        gold,
        pred,
        gold_bits,
        pred_bits,
        unplaced_gold,
        unplaced_pred,
        i[rows],
        j[rows],
        start[rows],
        end[rows],
        common[rows],
    )


def _common_parts(
    gold: Spans, pred: Spans, bits: FloatArray | None, rank: str
) -> tuple[IntArray, IntArray, IntArray, IntArray, FloatArray]:
    """Rows of all pairs with a common token, start and end of the shared part, its tokens' bits."""
    if have_fragments(gold, pred):
        from .token_sets import common_tokens  # which few corpora need

        both = common_tokens(gold, pred)
        low = np.searchsorted(both.pair, np.arange(len(both.one)))
        high = np.searchsorted(both.pair, np.arange(len(both.one)), "right")
        first = gold.offsets[gold.doc[both.one]]
        start, end = both.place[low] - first, both.place[high - 1] + 1 - first
        own = set_bits(len(both.one), both.pair, both.place, bits, rank)
        return both.one, both.two, start, end, own
    i, j = overlapping_pairs(gold, pred)
    start = np.maximum(gold.start[i], pred.start[j])
    end = np.minimum(gold.end[i], pred.end[j])
    first = gold.offsets[gold.doc[i]]
    return i, j, start, end, _span_bits(first + start, first + end, bits, rank)


def _pair_rows(
    i: IntArray, j: IntArray, weight: FloatArray, gold: Spans, pred: Spans, matching: str
) -> IntArray:
    """Indices of the rows (i, j) that are pairs."""
    if matching == "optimal":
        return best_pairs(i, j, weight)
    # spans of which neither has a heavier partner; ties (up to rounding) stay
    best_i, best_j = np.zeros(len(gold)), np.zeros(len(pred))
    np.maximum.at(best_i, i, weight)
    np.maximum.at(best_j, j, weight)
    rows = np.flatnonzero(weight >= np.maximum(best_i[i], best_j[j]) * (1 - 1e-12))
    return rows[best_pairs(i[rows], j[rows], np.ones(len(rows)))]


def _span_sums(
    spans: Spans, bits: FloatArray, unplaced_bits: FloatArray
) -> tuple[Array, FloatArray]:
    """Number and information of all spans by document and label, the unplaced ones included."""
    doc, label, _ = spans.unplaced.T
    mass = document_table(spans, spans.doc, spans.label, bits)
    return span_mass(spans, np.ones_like), mass + document_table(spans, doc, label, unplaced_bits)


def _information(
    spans: Spans, label_bits: FloatArray, bits: FloatArray | None, rank: str
) -> FloatArray:
    """Information of the spans that fit the tokens."""
    if have_fragments(spans):
        from .token_sets import tokens_of

        return label_bits[spans.label] + set_bits(len(spans), *tokens_of(spans), bits, rank)
    start = spans.offsets[spans.doc] + spans.start
    return label_bits[spans.label] + _span_bits(start, start + spans.lengths, bits, rank)


def _unplaced_information(
    spans: Spans, label_bits: FloatArray, bits: FloatArray | None, average: float | None
) -> FloatArray:
    """Information of the spans that fit no tokens: their words are unknown, so of average bits."""
    _, label, length = spans.unplaced.T
    if average is None:
        average = 1.0 if bits is None or not len(bits) else float(np.mean(bits))
    harmonic = np.cumsum(1 / np.arange(1, length.max(initial=0) + 1))
    information: FloatArray = label_bits[label] + average * harmonic[length - 1]
    return information


def _without_repeats(spans: Spans) -> Spans:
    """The distinct spans: repeated ones (in random annotations) carry no information."""
    (code,) = fragment_codes(spans)
    rows = np.column_stack([spans.doc, spans.start, spans.end, spans.label, code])
    keep = np.ones(len(spans), bool)
    keep[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return spans if keep.all() else spans.keep(keep)


# --- information of tokens and spans


def _span_bits(start: IntArray, end: IntArray, bits: FloatArray | None, rank: str) -> FloatArray:
    """sum over i of bits / i for stretches of corpus-wide positions; None: one bit a token."""
    if bits is None:
        harmonic = np.cumsum(1 / np.arange(1, (end - start).max(initial=0) + 1))
        return harmonic[end - start - 1] if len(start) else np.zeros(0)
    return set_bits(len(start), *expanded(start, end), bits, rank)


def set_bits(
    n_sets: int, owner: IntArray, place: IntArray, bits: FloatArray | None, rank: str
) -> FloatArray:
    """sum over i of bits / i for sets of tokens; i counts the tokens of a set.

    `owner` and `place` are the set of each token, ascending, and its corpus-wide position,
    ascending within a set; `bits` those of every token of the corpus, one each without it.
    """
    first = np.searchsorted(owner, owner)
    value = np.ones(len(place)) if bits is None else bits[place]
    if rank == "information":
        value = value[np.lexsort((-value, owner))]
    ranks = np.arange(len(owner)) - first + 1
    return cast(FloatArray, np.bincount(owner, value / ranks, n_sets))


def _token_bits(
    spans: Spans, token_information: TokenInformation, word_counts: Mapping[str, int] | None
) -> FloatArray | None:
    """Bits of every token of the corpus; None: one bit each."""
    if _is_constant(token_information):
        return None
    words = _words_of(spans)
    if isinstance(token_information, str) and token_information == "corpus":
        word_counts = count_words(spans) if word_counts is None else word_counts
    distinct = sorted(set(words))
    table = dict(zip(distinct, _word_bits(distinct, token_information, word_counts).tolist()))
    return np.array([table[word] for word in words])


def _is_constant(token_information: TokenInformation) -> bool:
    """Whether every token carries one bit."""
    return isinstance(token_information, str) and token_information == "constant"


def _words_of(spans: Spans) -> Sequence[str]:
    """The words of the corpus; ValueError if they are unknown."""
    if spans.words is None:
        raise ValueError(
            "token information needs the words of the corpus: give `Spans` its `words`"
        )
    return spans.words


def _word_bits(
    words: Sequence[str],
    token_information: TokenInformation,
    word_counts: Mapping[str, int] | None = None,
) -> FloatArray:
    """Bits of some distinct words; for "corpus" by the counts of its words."""
    if isinstance(token_information, str) and token_information == "corpus":
        assert word_counts is not None
        # -log2 of the add-one smoothed frequency of each word
        mass = sum(word_counts.values()) + len(word_counts)
        table = {word: float(np.log2(mass / (count + 1))) for word, count in word_counts.items()}
        unknown = np.log2(max(mass, 1))
        return np.array([table.get(word, unknown) for word in words])
    if isinstance(token_information, Mapping):
        missing = [word for word in words if word not in token_information]
        if missing:
            raise ValueError(
                f"no information for {len(missing)} of the words, such as {quoted(missing[0])}; "
                "give every word of the corpus its bits, or a callable with a default"
            )
        token_information = token_information.__getitem__
    if not callable(token_information):
        raise ValueError(
            f"unknown token information {quoted(token_information)}; expected 'constant', "
            "'corpus', a mapping or a callable from words to bits"
        )
    bits = np.array([float(token_information(word)) for word in words])
    wrong = np.flatnonzero(~((bits >= 0) & (bits < np.inf)))
    if len(wrong):
        raise ValueError(
            f"the information of {quoted(words[wrong[0]])} is {bits[wrong[0]]}; expected finite "
            "bits, 0 or more"
        )
    return bits


def count_words(spans: Spans) -> Counter[str]:
    """Counts of the words in the documents that were seen; counts of blocks add up."""
    words, cuts = _words_of(spans), spans.offsets
    seen = np.flatnonzero(spans.seen)
    return Counter(word for doc in seen for word in words[cuts[doc] : cuts[doc + 1]])


# --- facts of the whole corpus that a part needs


class _InformationSurvey(NamedTuple):
    """Counts for the information in some documents; those of several add up.

    `sequences` are numbers of gold spans by label. Where words are weighed, `words` counts them
    all, and `seen_words` those of the documents that were annotated.
    """

    sequences: Counter[str]
    words: Counter[str]
    seen_words: Counter[str]


def survey_information(
    annotators: Sequence[Spans], *, token_information: TokenInformation, **_: object
) -> _InformationSurvey:
    """The `_InformationSurvey` of gold and a prediction, aligned: its part about gold."""
    gold = annotators[0]
    table = sequence_prior(gold).total().sequences
    sequences = Counter({label: int(n) for label, n in zip(gold.labels, table) if n})
    if _is_constant(token_information) or gold.words is None:
        return _InformationSurvey(sequences, Counter(), Counter())
    return _InformationSurvey(sequences, Counter(gold.words), count_words(gold))


def add_information(one: _InformationSurvey, two: _InformationSurvey) -> _InformationSurvey:
    """The survey of the documents of both."""
    return _InformationSurvey(*(a + b for a, b in zip(one, two)))


def information_arguments(
    known: _InformationSurvey,
    labels: Sequence[str],
    *,
    token_information: TokenInformation,
    **_: object,
) -> dict[str, Any]:
    """Arguments by which `slicm_information` counts a part of a corpus as the whole is counted."""
    prior = Prior(np.array([known.sequences[label] for label in labels], np.int64))
    if not known.words:
        return {"prior": prior}
    words = sorted(known.words)
    bits = _word_bits(words, token_information, known.seen_words)
    times = np.array([known.words[word] for word in words], float)
    average = float(bits @ times / times.sum())
    return {"prior": prior, "word_counts": known.seen_words, "average": average}
