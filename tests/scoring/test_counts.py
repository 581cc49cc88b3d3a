"""Counts of the blocks of a corpus add up to those of the whole."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.laws import LAWS, assert_equal_statistics, fields_of, requests
from helpers.strategies import pairs, random_pair
from spacy_chance_eval import Panel, parse
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.scoring.counts import count_panel, count_predictions, merge_counts
from spacy_chance_eval.scoring.statistics import fewer_bytes

# of all that is counted in the same way, one with a chance model and one without
ASKED = list(
    {
        (one.row.count, one.placement == "none"): one
        for law in LAWS
        for one in requests(law, "disjoint")
    }.values()
)


def counts(pair, whole):
    """The counts of some documents, counted with what there is to know of the whole."""
    sides = align(*whole.sides())
    asking = [one for one in ASKED if one.survey_name]
    known = {one: one.arguments(one.survey(sides), sides[0].labels) for one in asking}
    pred = align(*pair.sides())
    used = [side.used_labels() for side in sides]
    found = count_predictions({"pred": pred}, ASKED, arguments=known, used=used, keys=True)
    numbers = tuple(int(name[1:]) for name in pair.names)
    return replace(found, attributes={"number": numbers}, spans=pred)


def blocks_of(pair, cut):
    """The counts of a corpus in two blocks."""
    docs = range(len(pair.sizes))
    return [counts(pair.part(some), pair) for some in (docs[:cut], docs[cut:]) if some]


def assert_same_statistics(one, two):
    for asked in ASKED:
        mine, other = one.statistics(asked), two.statistics(asked)
        for part, same in zip(mine.parts(), other.parts(), strict=True):
            assert_equal_statistics(part, same)
        assert mine.exact == other.exact


def assert_same(one, two):
    """Two counts with the same numbers."""
    assert (one.labels, one.used, one.sizes()) == (two.labels, two.used, two.sizes())
    assert_same_statistics(one, two)
    for key, table in one.support.items():
        assert np.array_equal(table, two.support[key])
    for name, metric in one.metrics.items():
        for key, (total, number) in metric.macro.items():
            assert (pytest.approx(total), number) == two.metrics[name].macro[key]
    assert one.digest() == two.digest()


@given(pairs(kinds=("disjoint",)), st.integers(0, 4))
def test_merged_rows_are_those_of_the_whole(pair, cut):
    found, expected = merge_counts(blocks_of(pair, cut)), counts(pair, pair)
    assert_same(found, expected)
    assert found.documents == expected.documents == pair.names
    assert found.attributes == expected.attributes
    for name in ("seen", "contents", "words", "named"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    for mine, other in zip(found.spans, expected.spans):
        assert mine.digest() == other.digest() and mine.words == other.words


@given(pairs(kinds=("disjoint",)), st.integers(0, 4))
def test_merged_sums_are_those_of_the_whole(pair, cut):
    found = merge_counts([one.total() for one in blocks_of(pair, cut)])
    assert_same(found, counts(pair, pair).total())
    assert not found.by_document and found.words is found.spans is None
    assert {len(table) for table in found.support.values()} == {1}


def test_rows_are_kept_if_all_blocks_have_them():
    one, two = blocks_of(random_pair(1), 2)
    assert merge_counts([one, two]).by_document
    assert not merge_counts([one.total(), two.total()]).by_document


@pytest.mark.parametrize("place", [0, 1])
def test_keys_of_words_are_kept_if_all_blocks_have_them(place):
    blocks = blocks_of(random_pair(1), 2)
    blocks[place] = replace(blocks[place], words=None, named=None)
    merged = merge_counts(blocks)
    assert merged.by_document and merged.words is merged.named is None


@given(pairs(kinds=("disjoint",)))
def test_compact_keeps_the_numbers_and_their_scores(pair):
    plain = counts(pair, pair)
    small = plain.compact()
    for asked in ASKED:
        mine, other = small.statistics(asked), plain.statistics(asked)
        for part, same in zip(mine.parts(), other.parts(), strict=True):
            for one, two in zip(fields_of(part), fields_of(same), strict=True):
                assert np.array_equal(one, two, equal_nan=one.dtype.kind == "f")
                assert one.dtype == two.dtype or one.dtype.itemsize < two.dtype.itemsize
                assert two.dtype.kind == "f" or two.sum() == one.sum(dtype=np.int64)


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


@pytest.mark.integration
def test_large_sums_of_small_numbers_are_right():
    pair = random_pair(1)
    many = merge_counts([counts(pair, pair).compact()] * 200).total()
    once = counts(pair, pair).total()
    for asked in ASKED:
        mine, other = (one.statistics(asked).observed for one in (many, once))
        for total, part in zip(fields_of(mine), fields_of(other)):
            if total.shape == part.shape and total.ndim and part.dtype.kind == "i":
                assert total.dtype == np.int64
    assert many.sizes()["n_gold"] == 200 * once.sizes()["n_gold"]
    for key, table in once.support.items():
        assert many.support[key].tolist() == (200 * table).tolist()


def test_supports_of_many_blocks_of_a_panel_are_added_up_in_full():
    panel = Panel(dict(zip("ab", align(*random_pair(1).sides()))))
    one = count_panel(panel, [parse("span_f")])
    many = merge_counts([one.compact()] * 200)
    for key, table in one.support.items():
        assert many.support[key].tolist() == (200 * table).tolist()


@given(pairs())
def test_the_digest_is_that_of_gold(pair):
    gold, pred = align(*pair.sides())
    assert count_predictions({"pred": (gold, pred)}, []).digest() == gold.digest()


def test_features_of_a_document_count_for_its_own_key_alone():
    spans = [[(0, 1, "A")], [(0, 1, "A")]]
    said = Spans.from_tuples(spans, [3, 3], features=[[{}], [{"kind": "x"}]])
    none = Spans.from_tuples(spans, [3, 3])
    assert said.document_keys()[0] == none.document_keys()[0]
    assert said.document_keys()[1] != none.document_keys()[1]
