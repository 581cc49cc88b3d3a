"""Two annotators made comparable, and the units of text that chance works on."""

import numpy as np
import pytest
from hypothesis import given

from helpers.cases import each_case
from helpers.strategies import pairs
from spacy_chance_eval.measures.alignment import (
    align,
    align_panel,
    common_stretches,
    divide_by_sentence,
    units,
)
from spacy_chance_eval.measures.spans import Spans

UNITS = ("document", "sentence")


def corpus(documents, sizes=(6, 4), **fields):
    return Spans.from_tuples(documents, sizes, **fields)


def rows(spans):
    names = [spans.labels[i] for i in spans.label]
    return list(zip(spans.doc.tolist(), spans.start.tolist(), spans.end.tolist(), names))


# --- align


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
    first = corpus([[], []], labels="A", stretches=[(0, 0, 3), (0, 3, 6), (1, 0, 4)])
    _, second = align(first, corpus([[(2, 5, "A")], []]))  # over a boundary of sentences
    assert rows(second) == [(0, 2, 5, "A")]


def test_sentences_are_cut_where_either_has_a_boundary():
    first = corpus([[], []], labels="A", stretches=[(0, 0, 2), (0, 2, 6), (1, 0, 4)])
    second = corpus([[], []], labels="A", stretches=[(0, 0, 5), (1, 1, 4)])
    common = common_stretches(first.offsets, first.stretches, second.stretches)
    assert common.tolist() == [[0, 0, 2], [0, 2, 5], [1, 1, 4]]


@given(pairs())
def test_aligned_are_the_spans_of_documents_that_both_saw_in_the_order_of_the_text(pair):
    first, second = align(*pair.sides())
    again = align(first, second)
    assert again[0] is first
    assert again[1] is second
    for spans, documents in zip((first, second), (pair.gold, pair.pred)):
        expected = {
            (d, *span)
            for d, mine in enumerate(documents)
            if pair.gold[d] is not None and pair.pred[d] is not None
            for span in mine
        }
        assert set(rows(spans)) == expected
        assert len(spans) == len(expected)
        order = np.lexsort((spans.label, spans.end, spans.start, spans.doc))
        assert order.tolist() == list(range(len(spans)))
    assert [rows(x) for x in align(*pair.sides()[::-1])] == [rows(second), rows(first)]


EMPTY = corpus([[], []])


@each_case(
    ("first", "second", "message"),
    [
        *(
            (
                EMPTY,
                corpus([[]] * n, [6] * n),
                f"2 documents against {n}; both annotators must come",
            )
            for n in (1, 3)
        ),
        (EMPTY, corpus([[], []], (6, 5)), "document 2 has 4 positions for one annotator and 5"),
        (
            *(
                corpus([[], []], words=words, names=["one", "two"])
                for words in ("abcdefghij", "abcdefgXij")
            ),
            "two: token 2 is 'h' for one annotator and 'X' for the",
        ),
        # before a size that differs later
        (
            corpus([[], []], words="abcdefghij"),
            corpus([[], []], (6, 5), words="aXcdefghijk"),
            "document 1: token 2 is 'b'",
        ),
        (
            *(corpus([[], []], (3, 3), names=names) for names in ("ac", "cb")),
            "document 1 is 'a' .* and 'c' .*pair",
        ),
    ],
)
def test_the_first_difference_of_two_corpora_is_named(first, second, message):
    with pytest.raises(ValueError, match=message):
        align(first, second)


# --- units


SENTENCES = [(0, 0, 2), (0, 2, 4), (0, 4, 6), (1, 0, 4)]
GAPPED = [(0, 0, 2), (0, 3, 6), (1, 0, 4)]
APART = [[0, 0, 2], [0, 2, 4], [0, 4, 6], [1, 6, 10]]


@each_case(
    ("unit", "stretches", "first", "second", "expected"),
    [
        ("document", None, [[], []], [[], []], [[0, 0, 6], [1, 6, 10]]),
        # sentences cut no documents
        ("document", SENTENCES, [[], []], [[], []], [[0, 0, 6], [1, 6, 10]]),
        ("sentence", SENTENCES, [[], []], [[], []], APART),
        # spans of either annotator join the sentences that they meet
        ("sentence", SENTENCES, [[(1, 3, "A")], []], [[], []], [[0, 0, 4], *APART[2:]]),
        ("sentence", SENTENCES, [[], []], [[(3, 5, "B")], []], [APART[0], [0, 2, 6], APART[3]]),
        ("sentence", SENTENCES, [[(1, 5, "A")], []], [[], []], [[0, 0, 6], [1, 6, 10]]),
        # not those that end at a boundary, nor the last document and the first
        ("sentence", SENTENCES, [[(0, 2, "A"), (2, 4, "A")], [(0, 4, "A")]], [[], []], APART),
        ("sentence", SENTENCES, [[(4, 6, "A")], [(0, 1, "A")]], [[], []], APART),
        # missing tokens cut a unit and belong to none
        *((unit, GAPPED, [[], []], [[], []], [*GAPPED[:2], [1, 6, 10]]) for unit in UNITS),
    ],
)
def test_units_are_documents_or_sentences(unit, stretches, first, second, expected):
    sides = (corpus(docs, labels="AB", stretches=stretches) for docs in (first, second))
    assert units(*align(*sides), unit).tolist() == [list(row) for row in expected]


def test_documents_without_tokens_are_no_units():
    empty = corpus([[], [], []], (6, 0, 4))
    assert units(empty, empty).tolist() == [[0, 0, 6], [2, 6, 10]]
    with pytest.raises(ValueError, match="unknown unit 'word'; expected one of sentence, document"):
        units(EMPTY, EMPTY, "word")


@given(pairs())
def test_every_span_lies_in_one_unit(pair):
    first, second = align(*pair.sides())
    for unit in UNITS:
        table = units(first, second, unit)
        assert (table[1:, 1] >= table[:-1, 2]).all()
        for spans in (first, second):
            start = spans.offsets[spans.doc] + spans.start
            end = start + spans.lengths
            inside = (table[:, 1] <= start[:, None]) & (end[:, None] <= table[:, 2])
            assert (inside.sum(axis=1) == 1).all()


def test_a_document_that_an_annotator_has_not_seen_takes_no_tokens_from_the_others():
    first = corpus([[(0, 1, "A")]], (6,), labels="A", stretches=[(0, 0, 4)])
    second = corpus([[(3, 4, "A")]], (6,), labels="A")
    third = corpus([None], (6,), labels="A", stretches=[])
    assert align_panel([first, second, third])[0].stretches.tolist() == [[0, 0, 4]]


# --- documents divided by sentence


TWO = [(0, 0, 3), (0, 3, 7), (1, 0, 4)]


def spans(documents, **more):
    return corpus(documents, [7, 4], labels=["A", "B"], **{"stretches": TWO, **more})


GAPS = {"stretches": [(0, 0, 3), (0, 4, 7), (1, 0, 4)]}
NONE = spans([[], []])


@each_case(
    ("sides", "documents", "sizes", "first", "second"),
    [
        (
            [spans([[(0, 2, "A"), (4, 6, "B")], [(3, 4, "A")]]), NONE],
            [0, 0, 1],
            [3, 4, 4],
            [(0, 0, 2, "A"), (1, 1, 3, "B"), (2, 3, 4, "A")],
            [],
        ),
        # spans across sentences join them
        (
            [spans([[(2, 4, "A")], []]), spans([[(5, 6, "B")], []])],
            [0, 1],
            [7, 4],
            [(0, 2, 4, "A")],
            [(0, 5, 6, "B")],
        ),
        # missing tokens are left out
        (
            [spans([[(1, 2, "A"), (5, 6, "A")], []], **GAPS), spans([[(3, 4, "B")], []])],
            [0, 0, 1],
            [3, 3, 4],
            [(0, 1, 2, "A"), (1, 1, 2, "A")],
            [],
        ),
    ],
)
def test_each_sentence_is_a_document(sides, documents, sizes, first, second):
    divided, of = divide_by_sentence(sides)
    assert (of.tolist(), divided[0].sizes.tolist()) == (documents, sizes)
    assert [rows(side) for side in divided] == [first, second]
    assert divided[1].seen.all()


def test_sentences_have_to_be_known_in_documents_that_one_annotator_saw():
    annotators = [corpus([[], seen], (3, 3), sentences=[True, False]) for seen in ([], [], None)]
    with pytest.raises(ValueError, match="document 2"):
        divide_by_sentence(annotators)
    with pytest.raises(ValueError, match="by sentence needs sentences, and document 1 has none"):
        divide_by_sentence([EMPTY] * 2)
