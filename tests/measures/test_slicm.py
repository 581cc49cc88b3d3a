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
    count_words,
    lost_information,
    noise,
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


def common(gold, pred, **modes):
    return slicm_information(gold, pred, **modes).total().common.tolist()


def test_a_part_of_a_span_is_a_span_of_its_own():
    assert common(corpus([(0, 5)]), corpus([(2, 9)])) == pytest.approx([harmonic(3)])


def test_of_tied_partners_one_is_taken_whatever_the_order():
    gold, pred = corpus([(0, 4)]), corpus([(0, 2), (2, 4)])
    assert common(gold, pred) == common(pred, gold) == pytest.approx([harmonic(2)])


def test_tied_chains_give_a_maximum_matching():
    gold, pred = corpus([(0, 4), (4, 8)]), corpus([(2, 6), (6, 8), (0, 2)])
    assert slicm_information(gold, pred).total().n_common.tolist() == [2]


def test_the_mutual_matching_leaves_alone_whom_a_rival_beats():
    gold, pred = corpus([(0, 6), (6, 9)]), corpus([(0, 4), (1, 9)])
    assert common(gold, pred) == pytest.approx([harmonic(5)])
    assert common(gold, pred, matching="optimal") == pytest.approx([harmonic(4) + harmonic(3)])


def test_a_fine_split_can_not_use_one_gold_span_twice():
    gold, pred = corpus([(0, 9)]), corpus([(k, k + 1) for k in range(9)])
    assert slicm_information(gold, pred).total().n_common.tolist() == [1]


def test_spans_of_two_labels_have_nothing_in_common():
    gold, pred = corpus([(0, 3, "A"), (5, 6, "B")]), corpus([(0, 3, "B"), (5, 6, "A")])
    assert common(gold, pred) == [0, 0]


def test_duplicate_predictions_are_one():
    pred = corpus([(0, 2), (4, 6)])
    double = trusted(pred, start=np.array([0, 0]), end=np.array([2, 2]))
    gold = corpus([(0, 2)])
    total = slicm_information(gold, double).total()
    assert (total.n_pred.tolist(), total.n_common.tolist()) == ([1], [1])


def test_a_pair_says_what_it_shares_and_what_was_lost_or_is_noise():
    shared = shared_information(corpus([(0, 5), (7, 8)]), corpus([(2, 7)]))
    assert (shared.one.tolist(), shared.two.tolist()) == ([0], [0])
    assert (shared.start.tolist(), shared.end.tolist()) == ([2], [5])
    assert shared.common.tolist() == pytest.approx([harmonic(3)])
    assert shared.lost.tolist() == pytest.approx([harmonic(5) - harmonic(3), 1])
    assert shared.noise.tolist() == pytest.approx([harmonic(5) - harmonic(3)])


@given(pair=pairs(unseen=False))
def test_what_was_lost_and_what_is_noise_add_up_to_the_sums(pair):
    shared = shared_information(*pair.sides())
    total = shared.information().total().pooled()
    assert shared.lost.sum() == pytest.approx(lost_information(total)[0])
    assert shared.noise.sum() == pytest.approx(noise(total)[0])
    score = total.common - lost_information(total) - noise(total)
    assert slicm.slicm(total) == pytest.approx(score)


# --- the prior


def test_the_prior_counts_gold_sequences_of_documents_that_were_seen():
    gold = Spans.from_tuples([[(0, 4, "A"), (5, 6, "B")], [(0, 1, "A")]], [9, 9])
    assert sequence_prior(gold).sequences.tolist() == [[1, 1], [1, 0]]
    unseen = trusted(gold, seen=np.array([True, False]))
    assert sequence_prior(unseen).sequences.tolist() == [[1, 1], [0, 0]]


def test_a_label_costs_the_bits_of_its_share_of_the_sequences():
    gold = corpus([(0, 1, "A"), (1, 2, "A"), (2, 3, "A"), (3, 4, "B")])
    information = slicm_information(gold, gold).total()
    assert information.gold.tolist() == pytest.approx([3 * (math.log2(4 / 3) + 1), 2 + 1])


def test_a_label_that_gold_never_has_is_the_rarest_possible():
    gold = corpus([(0, 1, "A"), (1, 2, "A"), (2, 3, "B"), (3, 4, "B")])
    information = slicm_information(gold, corpus([(0, 1, "Z")])).total()
    assert information.pred.tolist() == pytest.approx([0, 0, 2 + 1])


def test_a_prior_of_a_larger_corpus_can_be_given():
    gold = corpus([(0, 1, "A"), (3, 4, "B")])
    prior = Prior(np.array([2, 6]))
    information = slicm_information(gold, gold, prior=prior).total()
    assert information.gold.tolist() == pytest.approx([2 + 1, math.log2(8 / 6) + 1])


# --- information of tokens


def test_information_of_the_corpus_comes_from_documents_that_both_saw():
    words = list("aab") + list("ccc")
    gold = Spans.from_tuples([[(0, 1, "A")], None], [3, 3], words=words)
    pred = Spans.from_tuples([[(2, 3, "A")], []], [3, 3], words=words)
    information = slicm_information(gold, pred, token_information="corpus").total()
    assert information.gold.tolist() == pytest.approx([math.log2(5 / 3)])
    assert information.pred.tolist() == pytest.approx([math.log2(5 / 2)])


def test_word_counts_of_a_larger_corpus_can_be_given():
    gold = corpus([(0, 1)], size=2, words="ab")
    information = slicm_information(
        gold, gold, token_information="corpus", word_counts=Counter(a=6, b=1)
    )
    assert information.total().gold.tolist() == pytest.approx([math.log2(9 / 7)])


def test_words_that_the_given_counts_lack_are_the_rarest():
    gold = corpus([(0, 1)], size=2, words="zb")
    information = slicm_information(
        gold, gold, token_information="corpus", word_counts=Counter(a=6, b=1)
    )
    assert information.total().gold.tolist() == pytest.approx([math.log2(9)])


def test_word_counts_of_documents_add_up():
    spans = Spans.from_tuples([[], None, []], [2, 2, 1], words="aabbc")
    assert count_words(spans) == Counter(a=2, c=1)


def test_ranks_by_information_put_the_dear_token_first():
    gold = corpus([(0, 2)], size=2, words="ac")
    by_position, by_information = (
        slicm_information(gold, gold, token_information={"a": 0.5, "c": 4}, rank=rank).total().gold
        for rank in RANKS
    )
    assert by_position.tolist() == pytest.approx([0.5 + 4 / 2])
    assert by_information.tolist() == pytest.approx([4 + 0.5 / 2])


def test_unplaced_spans_have_tokens_of_average_information():
    gold = corpus([(0, 1)], size=2, words="ac")
    pred = corpus([], size=2, words="ac", labels="A", unplaced=[(0, 0, 3)])
    constant = slicm_information(gold, pred).total()
    assert (constant.n_pred.tolist(), constant.pred.tolist()) == ([1], pytest.approx([harmonic(3)]))
    assert constant.common.tolist() == [0]
    unequal = slicm_information(gold, pred, token_information={"a": 1.0, "c": 3.0}).total()
    assert unequal.pred.tolist() == pytest.approx([2 * harmonic(3)])


# --- identity


@pytest.mark.parametrize("matching", MATCHINGS)
def test_ranks_by_position_can_score_nested_gold_above_one_against_itself(matching):
    # Equation 1 is not monotone when tokens differ: here [1, 2) carries 10 bits and [0, 2), around
    # it, .1 + 10 / 2. Each is matched with the other, so I(intersection) is 20, more than I(gold).
    # A counter-example to "gold scores 1 against itself even with nested spans".
    gold = corpus([(0, 2), (1, 2)], size=2, words="ab")
    modes = {"token_information": {"a": 0.1, "b": 10.0}, "matching": matching}
    total = slicm_information(gold, gold, **modes).total()
    assert total.common.tolist() == pytest.approx([20])
    assert slicm_norm(total).tolist() == pytest.approx([(3 * 20 - 15.1) / (2 * 15.1)])
    mended = slicm_information(gold, gold, rank="information", **modes).total()
    assert slicm_norm(mended).tolist() == pytest.approx([1])


# --- scores and doors


def information(gold, pred, shared):
    columns = (np.array([x]) for x in (1, gold, 1, pred, 1, shared))
    return Information(*columns)


def test_the_scores_follow_their_formulas():
    one = information(4.0, 3.0, 2.5)
    assert slicm.slicm(one).tolist() == [0.5]
    assert slicm_norm(one).tolist() == [(0.5 + 4) / 8]


def test_an_empty_prediction_has_zero_and_noise_falls_below():
    assert slicm_norm(information(4.0, 0.0, 0.0)).tolist() == [0]
    assert slicm_norm(information(4.0, 40.0, 0.0)).tolist() == [-5]


def test_without_information_in_gold_the_norm_is_undefined():
    assert np.isnan(slicm_norm(information(0.0, 3.0, 0.0)))
    assert slicm.slicm(information(0.0, 3.0, 0.0)).tolist() == [-3]


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
    ],
)
def test_options_that_do_not_fit_are_an_error(option, message):
    gold = corpus([(0, 1)], size=4, words="acba")
    with pytest.raises(ValueError, match=message):
        slicm_information(gold, gold, **option)


@pytest.mark.parametrize("token_information", ["corpus", {"a": 1.0}, len])
def test_token_information_needs_words(token_information):
    gold = corpus([(0, 1)])
    with pytest.raises(ValueError, match="needs the words of the corpus"):
        slicm_information(gold, gold, token_information=token_information)


def test_unplaced_gold_spans_count_in_the_prior():
    gold = Spans.from_tuples([[(0, 1, "A")]], [3], ["A", "B"], unplaced=[(0, 1, 2)])
    assert slicm.sequence_prior(gold).sequences.tolist() == [[1, 1]]
