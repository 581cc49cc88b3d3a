"""Documents divided by sentence."""

import pytest

from spacy_chance_eval import Spans
from spacy_chance_eval.measures.alignment import divide_by_sentence

TWO = [(0, 0, 3), (0, 3, 7), (1, 0, 4)]


def spans(rows, **more):
    return Spans.from_tuples(rows, [7, 4], ["A", "B"], **{"stretches": TWO, **more})


def rows_of(work):
    return [
        (doc, start, end, work.labels[label])
        for doc, start, end, label in zip(
            *(column.tolist() for column in (work.doc, work.start, work.end, work.label))
        )
    ]


def test_each_sentence_is_a_document():
    one = spans([[(0, 2, "A"), (4, 6, "B")], [(3, 4, "A")]], names=["x", "y"])
    (first, second), documents = divide_by_sentence([one, spans([[], []])])
    assert documents.tolist() == [0, 0, 1]
    assert first.sizes.tolist() == [3, 4, 4]
    assert rows_of(first) == [(0, 0, 2, "A"), (1, 1, 3, "B"), (2, 3, 4, "A")]
    assert len(second) == 0 and second.seen.all()
    assert [first.name(i) for i in range(3)] == ["x, sentence 1", "x, sentence 2", "y, sentence 1"]


def test_spans_across_sentences_join_them():
    one, two = spans([[(2, 4, "A")], []]), spans([[(5, 6, "B")], []])
    (first, second), documents = divide_by_sentence([one, two])
    assert documents.tolist() == [0, 1]
    assert (rows_of(first), rows_of(second)) == ([(0, 2, 4, "A")], [(0, 5, 6, "B")])


def test_unseen_documents_are_left_out():
    one, two, three = spans([[], None]), spans([None, []]), spans([[], []])
    divided, documents = divide_by_sentence([one, two, three])
    assert documents.tolist() == [0, 0, 1]
    seen = [[True, True, False], [False, False, True], [True, True, True]]
    assert [work.seen.tolist() for work in divided] == seen


def test_missing_tokens_are_left_out():
    some = [(0, 0, 3), (0, 4, 7), (1, 0, 4)]
    one, two = spans([[(1, 2, "A"), (5, 6, "A")], []], stretches=some), spans([[(3, 4, "B")], []])
    (first, second), _ = divide_by_sentence([one, two])
    assert first.sizes.tolist() == [3, 3, 4]
    assert rows_of(first) == [(0, 1, 2, "A"), (1, 1, 2, "A")] and rows_of(second) == []


def test_discontinuous_and_unplaced_spans():
    one = spans(
        [[(3, 7, "A")], []], fragments=[[[(3, 4), (6, 7)]], []], unplaced=[(0, 1, 2), (1, 0, 1)]
    )
    (first, _), _ = divide_by_sentence([one, spans([[], []])])
    assert rows_of(first) == [(1, 0, 4, "A")]
    assert first.fragments.tolist() == [((0, 1), (3, 4))]
    assert first.unplaced.tolist() == [[0, 1, 2], [2, 0, 1]]


def test_documents_without_sentences():
    one, two = (Spans.from_tuples([[], []], [7, 4]) for _ in range(2))
    with pytest.raises(ValueError, match="by sentence needs sentences, and document 1 has none"):
        divide_by_sentence([one, two])
