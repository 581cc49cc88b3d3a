"""SL-ICM against the loops of the oracle, in all modes; its ties, doors and scores."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from helpers import oracles
from helpers.cases import each_case
from helpers.strategies import LABELS, WORDS, pairs, random_pair
from spacy_chance_eval.measures import slicm
from spacy_chance_eval.measures.slicm import (
    MATCHINGS,
    RANKS,
    Information,
    Prior,
    sequence_prior,
    shared_information,
    slicm_information,
    slicm_norm,
)
from spacy_chance_eval.measures.spans import Spans, trusted

BITS = dict(zip(WORDS, (0.0, 0.3, 2.0, 7.0, 1.0), strict=True))
MODES = {
    "constant": ("constant", lambda pair: None),
    "corpus": ("corpus", lambda pair: smoothed(pair.words)),
    "mapping": (BITS, lambda pair: [[BITS[w] for w in doc] for doc in pair.words]),
    "callable": (len, lambda pair: [[float(len(w)) for w in doc] for doc in pair.words]),
}


def smoothed(words):
    """Bits of every token by add-one smoothed frequency, document by document."""
    counts = Counter(word for doc in words for word in doc)
    mass = sum(counts.values()) + len(counts)
    return [[math.log2(mass / (counts[word] + 1)) for word in doc] for doc in words]


def assert_like_the_oracle(pair, mode, rank, matching):
    token_information, bits = MODES[mode]
    modes = {"rank": rank, "matching": matching}
    exact = oracles.slicm(pair.gold, pair.pred, pair.sizes, bits(pair), **modes)
    total = slicm_information(*pair.sides(), token_information=token_information, **modes).total()
    total = total.pooled()
    actual = [slicm.slicm(total), slicm_norm(total), total.gold, total.pred, total.common]
    keys = ("raw", "normalised", "info_gold", "info_pred", "info_intersection")
    expected = [np.nan if exact[key] is None else exact[key] for key in keys]
    np.testing.assert_allclose(np.ravel(actual), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("matching", MATCHINGS)
@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("mode", MODES)
@given(pair=pairs(unseen=False, most=3, labels=LABELS[:2]))
def test_every_mode_is_that_of_the_oracle(mode, rank, matching, pair):
    assert_like_the_oracle(pair, mode, rank, matching)


@each_case("matching", MATCHINGS)
@each_case("mode", MODES)
@each_case("seed", range(8))
def test_nested_spans_with_ties_are_those_of_the_oracle(mode, matching, seed):
    pair = random_pair(seed, "overlapping", sizes=(5, 6), most=4, labels=LABELS[:1], longest=3)
    for rank in RANKS:
        assert_like_the_oracle(pair, mode, rank, matching)


# --- pairs


def corpus(*documents, size=9, **fields):
    rows = [[(*span, "A") if len(span) == 2 else span for span in spans] for spans in documents]
    return Spans.from_tuples(rows, [size] * len(rows), **fields)


def harmonic(n):
    return sum(1 / i for i in range(1, n + 1))


def test_a_pair_says_what_it_shares_and_what_was_lost_or_is_noise():
    shared = shared_information(corpus([(0, 5), (7, 8)]), corpus([(2, 7)]))
    assert (shared.one.tolist(), shared.two.tolist()) == ([0], [0])
    assert (shared.start.tolist(), shared.end.tolist()) == ([2], [5])
    assert shared.common.tolist() == pytest.approx([harmonic(3)])
    assert shared.lost.tolist() == pytest.approx([harmonic(5) - harmonic(3), 1])
    assert shared.noise.tolist() == pytest.approx([harmonic(5) - harmonic(3)])


# --- the prior


def test_the_prior_counts_gold_sequences_of_documents_that_were_seen():
    gold = Spans.from_tuples([[(0, 4, "A"), (5, 6, "B")], [(0, 1, "A")]], [9, 9])
    assert sequence_prior(gold).sequences.tolist() == [[1, 1], [1, 0]]
    unseen = trusted(gold, seen=np.array([True, False]))
    assert sequence_prior(unseen).sequences.tolist() == [[1, 1], [0, 0]]
    unplaced = Spans.from_tuples([[(0, 1, "A")]], [3], ["A", "B"], unplaced=[(0, 1, 2)])
    assert sequence_prior(unplaced).sequences.tolist() == [[1, 1]]


THREE = [(0, 1, "A"), (1, 2, "A"), (2, 3, "A"), (3, 4, "B")]
TWO = [(0, 1, "A"), (1, 2, "A"), (2, 3, "B"), (3, 4, "B")]
COUNTED = {"token_information": "corpus", "word_counts": Counter(a=6, b=1)}
DEAR = {"token_information": {"a": 0.5, "c": 4}}


@each_case(
    ("gold", "pred", "words", "options", "expected"),
    [
        # a label costs the bits of its share of the sequences
        (THREE, THREE, "abcdefghi", {}, [3 * (math.log2(4 / 3) + 1), 2 + 1]),
        # one that gold never has is the rarest possible
        (TWO, [(0, 1, "Z")], "abcdefghi", {}, [0, 0, 2 + 1]),
        # the prior and the counts of words of a larger corpus
        (
            *[[(0, 1, "A"), (3, 4, "B")]] * 2,
            "abcdefghi",
            {"prior": Prior(np.array([2, 6]))},
            [2 + 1, math.log2(8 / 6) + 1],
        ),
        ([(0, 1)], [(0, 1)], "ab", COUNTED, [math.log2(9 / 7)]),
        # words that they lack are the rarest
        ([(0, 1)], [(0, 1)], "zb", COUNTED, [math.log2(9)]),
        # ranks by information put the dear token first
        ([(0, 2)], [(0, 2)], "ac", {**DEAR, "rank": "position"}, [0.5 + 4 / 2]),
        ([(0, 2)], [(0, 2)], "ac", {**DEAR, "rank": "information"}, [4 + 0.5 / 2]),
    ],
)
def test_a_prediction_has_the_information_of_its_labels_and_words(
    gold, pred, words, options, expected
):
    gold, pred = (corpus(side, size=len(words), words=words) for side in (gold, pred))
    assert slicm_information(gold, pred, **options).total().pred.tolist() == pytest.approx(expected)


# --- information of tokens


def test_information_of_the_corpus_comes_from_documents_that_both_saw():
    words = list("aab") + list("ccc")
    gold = Spans.from_tuples([[(0, 1, "A")], None], [3, 3], words=words)
    pred = Spans.from_tuples([[(2, 3, "A")], []], [3, 3], words=words)
    information = slicm_information(gold, pred, token_information="corpus").total()
    assert information.gold.tolist() == pytest.approx([math.log2(5 / 3)])
    assert information.pred.tolist() == pytest.approx([math.log2(5 / 2)])


def test_unplaced_spans_have_tokens_of_average_information():
    gold = corpus([(0, 1)], size=2, words="ac")
    pred = corpus([], size=2, words="ac", labels="A", unplaced=[(0, 0, 3)])
    constant = slicm_information(gold, pred).total()
    assert (constant.n_pred.tolist(), constant.pred.tolist()) == ([1], pytest.approx([harmonic(3)]))
    assert constant.common.tolist() == [0]
    unequal = slicm_information(gold, pred, token_information={"a": 1.0, "c": 3.0}).total()
    assert unequal.pred.tolist() == pytest.approx([2 * harmonic(3)])


# --- scores and doors


@each_case(
    ("gold", "pred", "common", "score", "norm"),
    [
        (4.0, 3.0, 2.5, 0.5, (0.5 + 4) / 8),
        # an empty prediction has zero, and noise falls below
        (4.0, 0.0, 0.0, -4, 0),
        (4.0, 40.0, 0.0, -44, -5),
        (0.0, 3.0, 0.0, -3, np.nan),
    ],
)
def test_the_scores_follow_their_formulas(gold, pred, common, score, norm):
    one = Information(*(np.array([x]) for x in (1, gold, 1, pred, 1, common)))
    assert slicm.slicm(one).tolist() == [score]
    np.testing.assert_array_equal(slicm_norm(one), [norm])


@each_case(
    ("option", "message"),
    [
        ({"rank": "first"}, "unknown rank 'first'; expected one of position, information"),
        ({"matching": "greedy"}, "unknown matching 'greedy'; expected one of mutual, optimal"),
        ({"token_information": "lexeme"}, "unknown token information 'lexeme'; expected"),
        ({"token_information": 3}, "unknown token information 3; expected"),
        ({"token_information": {"a": 1.0}}, "no information for 2 of the words, such as 'b'"),
        ({"token_information": {"a": 1, "b": -1, "c": 1}}, "information of 'b' is -1.0; expected"),
        ({"token_information": lambda word: math.nan}, "information of 'a' is nan"),
        ({"token_information": lambda word: math.inf}, "information of 'a' is inf"),
        *(
            ({"token_information": one, "words": None}, "needs the words of the corpus")
            for one in ("corpus", {"a": 1.0}, len)
        ),
    ],
)
def test_options_that_do_not_fit_are_an_error(option, message):
    option = {"words": "acba"} | option
    gold = corpus([(0, 1)], size=4, words=option.pop("words"))
    with pytest.raises(ValueError, match=message):
        slicm_information(gold, gold, **option)
