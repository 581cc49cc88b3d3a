"""Two annotators made comparable, and the units of text that chance works on."""

import numpy as np
import pytest
from hypothesis import given

from helpers.strategies import pairs
from spacy_chance_eval.measures.alignment import (
    align,
    align_panel,
    common_stretches,
    divide_by_sentence,
    units,
)
from spacy_chance_eval.measures.spans import Spans


def corpus(documents, sizes=(6, 4), **fields):
    return Spans.from_tuples(documents, sizes, **fields)


def rows(spans):
    names = [spans.labels[i] for i in spans.label]
    return list(zip(spans.doc.tolist(), spans.start.tolist(), spans.end.tolist(), names))


# --- align


def test_labels_become_their_sorted_union():
    first, second = align(corpus([[(0, 1, "B")], []]), corpus([[(0, 1, "C"), (1, 2, "A")], []]))
    assert first.labels == second.labels == ("A", "B", "C")
    assert rows(first) == [(0, 0, 1, "B")]
    assert rows(second) == [(0, 0, 1, "C"), (0, 1, 2, "A")]


def test_documents_that_one_did_not_see_leave_on_both_sides():
    first, second = align(corpus([[(0, 1, "A")], None]), corpus([[(0, 2, "A")], [(0, 1, "A")]]))
    assert first.seen.tolist() == second.seen.tolist() == [True, False]
    assert rows(second) == [(0, 0, 2, "A")]


def test_unplaced_spans_leave_with_their_document_and_keep_their_label():
    first = corpus([[], None], labels=["A", "Z"])
    second = corpus([[(0, 1, "Z")], []], labels=["Z"], unplaced=[(0, 0, 3), (1, 0, 2)])
    _, aligned = align(first, second)
    assert aligned.unplaced.tolist() == [[0, 1, 3]]


def test_spans_over_tokens_that_one_did_not_annotate_leave():
    first = corpus([[(0, 2, "A")], []], stretches=[(0, 0, 3), (0, 4, 6), (1, 0, 4)])
    inside, outside = [(0, 3, "A"), (4, 6, "A")], [(2, 4, "A"), (3, 4, "A"), (2, 5, "A")]
    _, second = align(first, corpus([inside + outside, []]))
    assert rows(second) == [(0, *span) for span in inside]


def test_spans_across_a_border_of_sentences_stay():
    first = corpus([[], []], labels="A", stretches=[(0, 0, 3), (0, 3, 6), (1, 0, 4)])
    _, second = align(first, corpus([[(2, 5, "A")], []]))
    assert rows(second) == [(0, 2, 5, "A")]


def test_sentences_are_cut_where_either_has_a_border():
    first = corpus([[], []], labels="A", stretches=[(0, 0, 2), (0, 2, 6), (1, 0, 4)])
    second = corpus([[], []], labels="A", stretches=[(0, 0, 5), (1, 1, 4)])
    common = common_stretches(first.offsets, first.stretches, second.stretches)
    assert common.tolist() == [[0, 0, 2], [0, 2, 5], [1, 1, 4]]


@given(pairs())
def test_aligned_sides_are_aligned_already(pair):
    first, second = align(*pair.sides())
    again = align(first, second)
    assert again[0] is first
    assert again[1] is second


@given(pairs())
def test_aligned_spans_are_those_of_documents_that_both_saw(pair):
    for spans, documents in zip(align(*pair.sides()), (pair.gold, pair.pred)):
        expected = {
            (d, *span)
            for d, mine in enumerate(documents)
            if pair.gold[d] is not None and pair.pred[d] is not None
            for span in mine
        }
        assert set(rows(spans)) == expected
        assert len(spans) == len(expected)


@given(pairs())
def test_alignment_keeps_the_order_of_the_text(pair):
    for spans in align(*pair.sides()):
        order = np.lexsort((spans.label, spans.end, spans.start, spans.doc))
        assert order.tolist() == list(range(len(spans)))


def test_alignment_is_symmetric():
    first = corpus([[(0, 2, "B")], None], stretches=[(0, 0, 4), (1, 0, 4)])
    second = corpus([[(3, 6, "A")], []])
    one, two = align(first, second), align(second, first)
    assert [rows(x) for x in one] == [rows(x) for x in two[::-1]]


def test_other_numbers_of_documents_are_an_error():
    for sizes in ([6], [6, 6, 6]):
        said = f"2 documents against {len(sizes)}; both annotators must come"
        with pytest.raises(ValueError, match=said):
            align(corpus([[], []]), corpus([[] for _ in sizes], sizes=sizes))


def test_the_first_document_of_another_size_is_named():
    with pytest.raises(ValueError, match="document 2 has 4 positions for one annotator and 5"):
        align(corpus([[], []]), corpus([[], []], sizes=(6, 5)))


def test_the_first_token_that_differs_is_named():
    words = list("abcdefghij")
    other = [*words[:7], "X", *words[8:]]
    first, second = (corpus([[], []], words=w, names=["one", "two"]) for w in (words, other))
    with pytest.raises(ValueError, match="two: token 2 is 'h' for one annotator and 'X' for the"):
        align(first, second)


def test_a_token_that_differs_comes_before_a_size_that_differs_later():
    first = corpus([[], []], words="abcdefghij")
    second = corpus([[], []], sizes=(6, 5), words="aXcdefghijk")
    with pytest.raises(ValueError, match="document 1: token 2 is 'b'"):
        align(first, second)


def test_words_of_one_side_only_are_no_contradiction():
    first, second = align(corpus([[], []], words="abcdefghij"), corpus([[], []]))
    assert first.words is not None
    assert second.words is None


# --- units


def of(documents, unit, stretches=None, other=None, sizes=(6, 4)):
    first = corpus(documents, sizes, labels="AB", stretches=stretches)
    second = corpus(other or [[] for _ in sizes], sizes, labels="AB", stretches=stretches)
    return units(*align(first, second), unit).tolist()


SENTENCES = [(0, 0, 2), (0, 2, 4), (0, 4, 6), (1, 0, 4)]


def test_a_unit_is_a_document_by_default():
    assert of([[], []], "document") == [[0, 0, 6], [1, 6, 10]]


def test_borders_of_sentences_do_not_cut_documents():
    assert of([[], []], "document", SENTENCES) == [[0, 0, 6], [1, 6, 10]]


def test_a_unit_may_be_a_sentence():
    assert of([[], []], "sentence", SENTENCES) == [[0, 0, 2], [0, 2, 4], [0, 4, 6], [1, 6, 10]]


def test_a_span_that_crosses_a_border_joins_the_sentences():
    assert of([[(1, 3, "A")], []], "sentence", SENTENCES) == [[0, 0, 4], [0, 4, 6], [1, 6, 10]]


def test_a_span_of_either_annotator_joins_sentences():
    joined = of([[], []], "sentence", SENTENCES, other=[[(3, 5, "B")], []])
    assert joined == [[0, 0, 2], [0, 2, 6], [1, 6, 10]]


def test_a_long_span_joins_all_the_sentences_it_meets():
    assert of([[(1, 5, "A")], []], "sentence", SENTENCES) == [[0, 0, 6], [1, 6, 10]]


def test_a_span_that_ends_at_a_border_joins_nothing():
    touching = [[(0, 2, "A"), (2, 4, "A")], [(0, 4, "A")]]
    assert of(touching, "sentence", SENTENCES) == of([[], []], "sentence", SENTENCES)


def test_the_last_document_is_not_joined_to_the_first():
    assert of([[(4, 6, "A")], [(0, 1, "A")]], "sentence", SENTENCES)[-1] == [1, 6, 10]


@pytest.mark.parametrize("unit", ["document", "sentence"])
def test_missing_tokens_cut_a_unit_and_belong_to_none(unit):
    cut = of([[], []], unit, [(0, 0, 2), (0, 3, 6), (1, 0, 4)])
    assert cut == [[0, 0, 2], [0, 3, 6], [1, 6, 10]]


def test_documents_without_tokens_are_no_units():
    assert of([[], [], []], "document", sizes=(6, 0, 4)) == [[0, 0, 6], [2, 6, 10]]


def test_an_unknown_unit_is_an_error():
    with pytest.raises(ValueError, match="unknown unit 'word'; expected one of sentence, document"):
        of([[], []], "word")


@given(pairs())
def test_every_span_lies_in_one_unit(pair):
    first, second = align(*pair.sides())
    for unit in ("document", "sentence"):
        table = units(first, second, unit)
        assert (table[1:, 1] >= table[:-1, 2]).all()
        for spans in (first, second):
            start = spans.offsets[spans.doc] + spans.start
            end = start + spans.lengths
            inside = (table[:, 1] <= start[:, None]) & (end[:, None] <= table[:, 2])
            assert (inside.sum(axis=1) == 1).all()


def test_a_panel_keeps_the_documents_of_each_and_leaves_out_those_of_one():
    sizes = (6, 4, 4)
    first = corpus([[(0, 1, "A")], None, [(0, 2, "A")]], sizes)
    second = corpus([[(1, 2, "B")], [(0, 1, "B")], None], sizes)
    third = corpus([None, [(2, 3, "A")], None], sizes)
    panel = align_panel([first, second, third])
    assert [side.seen.tolist() for side in panel] == [
        [True, False, False],
        [True, True, False],
        [False, True, False],
    ]
    assert [rows(side) for side in panel] == [
        [(0, 0, 1, "A")],
        [(0, 1, 2, "B"), (1, 0, 1, "B")],
        [(1, 2, 3, "A")],
    ]


def test_a_document_that_an_annotator_has_not_seen_takes_no_tokens_from_the_others():
    first = corpus([[(0, 1, "A")]], (6,), labels="A", stretches=[(0, 0, 4)])
    second = corpus([[(3, 4, "A")]], (6,), labels="A")
    third = corpus([None], (6,), labels="A", stretches=[])
    assert align_panel([first, second, third])[0].stretches.tolist() == [[0, 0, 4]]


def test_two_of_a_panel_keep_the_documents_that_both_saw():
    first = corpus([[(0, 1, "A")], [(0, 1, "A")]])
    second = corpus([[(0, 1, "A")], None])
    third = corpus([[], [(1, 2, "A")]])
    panel = align_panel([first, second, third])
    one, two = align(*panel[:2])
    assert one.seen.tolist() == two.seen.tolist() == [True, False]
    assert rows(one) == [(0, 0, 1, "A")]


def test_documents_that_lost_others_are_not_paired_by_place():
    one, two = (
        Spans.from_tuples([[(0, 1, "X")]] * 2, [3, 3], names=names) for names in ("ac", "bc"[::-1])
    )
    with pytest.raises(ValueError, match="document 1 is 'a' .* and 'c' .*pair"):
        align(one, two)


def test_sentences_have_to_be_known_in_documents_that_one_annotator_saw():
    annotators = [
        Spans.from_tuples([[], seen], [3, 3], sentences=[True, False]) for seen in ([], [], None)
    ]
    with pytest.raises(ValueError, match="document 2"):
        divide_by_sentence(annotators)
