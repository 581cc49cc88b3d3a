"""Tallies of the parts of a corpus add up to that of the whole."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.laws import LAWS, assert_equal_statistics, fields_of, requests
from helpers.strategies import pairs, random_pair
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.slicm import count_words, sequence_prior, slicm_information
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.metrics.request import METRICS
from spacy_chance_eval.scoring.evaluate import Run
from spacy_chance_eval.scoring.tallies import Rows, Tally, compact, fewer_bytes, merged, tally_of

# of all that is counted in the same way, one with a chance model and one without
ASKED = list(
    {
        (METRICS[one.metric].count, one.placement == "none"): one
        for law in LAWS
        for one in requests(law, "disjoint")
    }.values()
)


def priors_of(gold, pred):
    """What parts of a corpus are counted with."""
    found = {one: one.prior([(gold, pred)]) for one in ASKED}
    more = {"prior": sequence_prior(gold).total(), "word_counts": count_words(gold)}
    words = [one for one in ASKED if METRICS[one.metric].count is slicm_information]
    return found | dict.fromkeys(words, more)


def tally(pair, whole):
    """The tally of a part, counted with what the whole tells."""
    gold, pred = align(*whole.sides())
    used = {"gold": gold.used_labels(), "pred": pred.used_labels()}
    run = Run(*align(*pair.sides()), False, 1, 0, iter, {}, priors=priors_of(gold, pred))
    found = tally_of(run, ASKED, keys=True, used=used)
    values = {"number": tuple(int(name[1:]) for name in pair.names)}
    return replace(found, rows=replace(found.rows, attributes=values, pair=align(*pair.sides())))


def parts_of(pair, cut):
    """A corpus in two parts."""
    docs = range(len(pair.sizes))
    return [tally(pair.part(some), pair) for some in (docs[:cut], docs[cut:]) if some]


def assert_same_statistics(one, two):
    assert one.statistics.keys() == two.statistics.keys()
    for name, mine in one.statistics.items():
        for part, other in zip(mine.parts(), two.statistics[name].parts(), strict=True):
            assert_equal_statistics(part, other)
        assert mine.exact == two.statistics[name].exact


def assert_same(one, two):
    """Two tallies with the same numbers."""
    assert (one.labels, one.used, one.sizes) == (two.labels, two.used, two.sizes)
    assert list(one.sizes) == list(two.sizes)
    assert_same_statistics(one, two)
    for side, table in one.support.items():
        assert np.array_equal(table, two.support[side])
    for name, (total, number) in one.macro.items():
        assert (pytest.approx(total), number) == two.macro[name]
    assert one.digest() == two.digest()


@given(pairs(kinds=("disjoint",)), st.integers(0, 4))
def test_merged_rows_are_those_of_the_whole(pair, cut):
    found, expected = merged(parts_of(pair, cut)), tally(pair, pair)
    assert_same(found, expected)
    assert np.array_equal(found.rows.seen, expected.rows.seen)
    assert found.rows.names == expected.rows.names == pair.names
    assert found.rows.attributes == expected.rows.attributes
    for key, column in expected.rows.keys.items():
        assert np.array_equal(found.rows.keys[key], column), key
    for mine, other in zip(found.rows.pair, expected.rows.pair):
        assert mine.digest() == other.digest() and mine.words == other.words


@given(pairs(kinds=("disjoint",)), st.integers(0, 4))
def test_merged_sums_are_those_of_the_whole(pair, cut):
    found = merged([one.total() for one in parts_of(pair, cut)])
    assert_same(found, tally(pair, pair).total())
    assert found.rows is None and found.rows == tally(pair, pair).total().rows
    assert {len(table) for table in found.support.values()} == {1}


def test_rows_are_kept_if_all_parts_have_them():
    one, two = parts_of(random_pair(1), 2)
    assert merged([one, two]).rows.n_docs == 5
    assert merged([one.total(), two.total()]).rows is None


@given(pairs(kinds=("disjoint",)))
def test_compact_keeps_the_numbers_and_their_scores(pair):
    plain = tally(pair, pair)
    small = compact(plain)
    for name, mine in small.statistics.items():
        for part, other in zip(mine.parts(), plain.statistics[name].parts(), strict=True):
            for one, two in zip(fields_of(part), fields_of(other), strict=True):
                assert np.array_equal(one, two, equal_nan=one.dtype.kind == "f")
                assert one.dtype == two.dtype or one.dtype.itemsize < two.dtype.itemsize
    assert_same(small.total(), plain.total())


@pytest.mark.parametrize(
    "numbers, kind",
    [
        ([0, 127], np.int8), ([-127], np.int8), ([128], np.int16), ([-128], np.int16),
        ([2**15], np.int32), ([2**31], np.int64), ([-(2**63)], np.int64), ([], np.int64),
    ],
)  # fmt: skip
def test_integers_take_as_few_bytes_as_hold_them(numbers, kind):
    array = np.array(numbers, np.int64)
    found = fewer_bytes(array)
    assert found.dtype == kind and found.tolist() == numbers


def test_other_numbers_stay_as_they_are():
    for array in (np.array([0.5]), np.array([True]), np.array([1], np.uint64)):
        assert fewer_bytes(array) is array


def test_large_sums_of_small_numbers_are_right():
    pair = random_pair(1)
    many = merged([compact(tally(pair, pair))] * 200)
    once = tally(pair, pair).total()
    for name, one in many.total().statistics.items():
        for total, part in zip(fields_of(one.observed), fields_of(once.statistics[name].observed)):
            if total.shape == part.shape and total.ndim and part.dtype.kind == "i":
                assert total.dtype == np.int64
    assert many.sizes["n_gold"] == 200 * once.sizes["n_gold"]
    assert many.total().support["gold"].tolist() == (200 * once.support["gold"]).tolist()


@given(pairs())
def test_the_digest_is_that_of_gold(pair):
    gold, pred = align(*pair.sides())
    found = tally_of(Run(gold, pred, False, 1, 0, iter, {}), [])
    assert found.digest() == gold.digest()


def test_the_digest_does_not_depend_on_the_order_of_parts():
    parts = parts_of(random_pair(1), 2)
    assert merged(parts).digest() == merged(parts[::-1]).digest()


def test_documents_are_called_by_name_or_place():
    none = Tally((), {}, {}, {}, {}, {}, np.zeros(2), Rows(np.ones(2, bool), None))
    assert none.name(1) == "document 2"
    assert replace(none, rows=replace(none.rows, names=("a", "b"))).name(1) == "b"


@pytest.mark.parametrize("names", [(("a",), None), (None, ("a",))])
def test_names_are_kept_if_all_parts_have_them(names):
    one = Tally((), {}, {}, {}, {}, {}, np.zeros(1), Rows(np.ones(1, bool), None))
    parts = [replace(one, rows=replace(one.rows, names=some)) for some in names]
    assert merged(parts).rows.names is None
    assert merged([parts[0]]) is parts[0]


def test_features_of_a_document_count_for_its_own_key_alone():
    spans = [[(0, 1, "A")], [(0, 1, "A")]]
    said = Spans.from_tuples(spans, [3, 3], features=[[{}], [{"kind": "x"}]])
    none = Spans.from_tuples(spans, [3, 3])
    assert said.document_keys()[0] == none.document_keys()[0]
    assert said.document_keys()[1] != none.document_keys()[1]
