from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import resampling_oracles as oracles
from helpers.cases import each_case
from spacy_chance_eval.measures.resampling import (
    first_shares,
    letter,
    rank_groups,
    rank_interval,
    ranks,
)

score = st.one_of(st.just(float("nan")), st.sampled_from([0.0, 0.25, 0.5, 1.0]))


def plain(values):
    return [None if np.isnan(x) else float(x) for x in values]


def symmetric(size):
    """Every symmetric boolean matrix of a size, its diagonal false."""
    pairs = list(combinations(range(size), 2))
    for bits in product((False, True), repeat=len(pairs)):
        matrix = np.zeros((size, size), bool)
        for (i, j), bit in zip(pairs, bits):
            matrix[i, j] = matrix[j, i] = bit
        yield matrix


@given(st.lists(score, min_size=1, max_size=6))
def test_ranks_count_the_better_systems(values):
    assert plain(ranks(values)) == oracles.ranks(plain(values))


def test_equal_scores_share_a_rank_and_the_next_one_is_skipped():
    assert ranks([0.5, 0.7, 0.5, 0.1]).tolist() == [2, 1, 2, 4]


def test_scores_that_differ_by_rounding_share_a_rank():
    assert ranks([0.1 + 0.2, 0.3]).tolist() == [1, 1]
    for one, difference in ((0.1, 5e-13), (1e6, 5e-7), (-1e6, 5e-7)):  # relative above 1
        assert ranks([one, one + difference]).tolist() == [1, 1]
        assert ranks([one, one + 4 * difference]).tolist() == [2, 1]


def test_an_undefined_score_has_no_rank_and_takes_none():
    assert plain(ranks([0.5, np.nan, 0.4])) == [1, None, 2]


def test_ranks_of_resamples_are_made_along_the_last_axis():
    assert ranks([[1, 2, 3], [3, 2, 1]]).tolist() == [[3, 2, 1], [1, 2, 3]]


def test_nobody_has_ranks():
    assert ranks(np.zeros((3, 0))).shape == (3, 0)


def test_the_rank_interval_holds_the_middle_share_of_ranks():
    replicas = np.repeat([1.0, 2.0, 3.0, 4.0], [1, 47, 50, 2])[:, None]
    assert rank_interval(replicas, level=0.95).ravel().tolist() == [2, 3]
    assert rank_interval(replicas, level=0.99).ravel().tolist() == [1, 4]


def test_the_limits_of_ranks_are_ranks():
    low, high = rank_interval([[1.0], [2.0]], level=0.5)
    assert (low.tolist(), high.tolist()) == ([1], [2])


def test_an_undefined_rank_does_not_count_in_the_interval():
    low, high = rank_interval([[np.nan, np.nan], [2.0, np.nan], [2.0, np.nan]])
    assert (plain(low), plain(high)) == ([2, None], [2, None])


@given(st.lists(st.lists(score, min_size=3, max_size=3), min_size=1, max_size=6))
def test_first_shares_agree_with_counting(rows):
    found = ranks(rows)
    expected = oracles.first_shares([plain(row) for row in found])
    shares = plain(first_shares(found))
    if expected is None:
        assert shares == [None] * 3
    else:
        assert shares == pytest.approx(expected)
        assert sum(shares) == pytest.approx(1)


@each_case("size", range(1, 6))
def test_two_systems_share_a_letter_exactly_if_they_are_not_distinct(size):
    for distinct in symmetric(size):
        letters = [set(text) for text in rank_groups(distinct)]
        for i, j in product(range(size), repeat=2):
            assert bool(letters[i] & letters[j]) == (not distinct[i, j]), (distinct, letters)


@each_case("size", range(1, 6))
def test_every_letter_stands_for_a_group_that_cannot_grow(size):
    for distinct in symmetric(size):
        texts = rank_groups(distinct)
        names = sorted(set("".join(texts)))
        groups = [{i for i, text in enumerate(texts) if name in text} for name in names]
        expected = sorted(sorted(group) for group in oracles.maximal_groups(distinct))
        assert sorted(map(sorted, groups)) == expected


@each_case("size", range(1, 6))
def test_letters_begin_in_the_order_of_the_systems(size):
    for distinct in symmetric(size):
        texts = rank_groups(distinct)
        assert texts[0][0] == "a"
        firsts = [min(i for i, text in enumerate(texts) if x in text) for x in joined(texts)]
        assert firsts == sorted(firsts)
        assert all(list(text) == sorted(text) for text in texts)


def joined(texts):
    return sorted(set("".join(texts)))


def test_systems_that_are_all_alike_are_one_group():
    assert rank_groups(np.zeros((4, 4), bool)) == ["a"] * 4


def test_systems_that_all_differ_are_a_group_each():
    assert rank_groups(~np.eye(4, dtype=bool)) == ["a", "b", "c", "d"]


def test_no_systems_have_no_groups():
    assert rank_groups(np.zeros((0, 0), bool)) == []


def test_forty_systems_that_all_differ_have_forty_names():
    texts = rank_groups(~np.eye(40, dtype=bool))
    assert len(set(texts)) == 40
    assert (texts[25], texts[26], texts[27]) == ("z", "a1", "b1")


@each_case(("number", "text"), [(0, "a"), (25, "z"), (26, "a1"), (51, "z1"), (52, "a2")])
def test_letters_go_on_after_z(number, text):
    assert letter(number) == text


def test_no_two_numbers_have_one_letter():
    assert len({letter(number) for number in range(1000)}) == 1000
