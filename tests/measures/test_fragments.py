"""The column of pieces of `Spans`."""

import pickle
import re

import pytest

from helpers.cases import each_case
from spacy_chance_eval.measures.fragments import (
    discontinuous,
    fragment_codes,
    joined_pieces,
    n_tokens,
    pieces,
    refuse_fragments,
)
from spacy_chance_eval.measures.spans import Spans, concatenated

GAPPED = ((0, 2), (5, 6))


def spans_of(*documents, sizes=None, **more):
    """`Spans` of (start, end, label) or (label, piece, piece...)."""
    dicts = [
        [
            {"start": span[0], "end": span[1], "label": span[2]}
            if isinstance(span[0], int)
            else {"fragments": span[1:], "label": span[0]}
            for span in spans
        ]
        for spans in documents
    ]
    return Spans.from_dicts(dicts, sizes or [9] * len(documents), **more)


PLAIN = {"start": 3, "end": 4, "label": "A"}


@each_case(
    ("documents", "start", "end", "fragments"),
    [
        ([[{"fragments": GAPPED, "label": "A"}, PLAIN]], [0, 3], [6, 4], [GAPPED, None]),
        ([[PLAIN | {"fragments": None}], [PLAIN]], [3, 3], [4, 4], None),
        # pieces that touch are one span
        ([[{"fragments": [[2, 3], [0, 2]], "label": "A"}]], [0], [3], None),
    ],
)
def test_a_dict_may_have_fragments(documents, start, end, fragments):
    spans = Spans.from_dicts(documents, [9] * len(documents))
    assert (spans.start.tolist(), spans.end.tolist()) == (start, end)
    assert (spans.fragments if fragments is None else spans.fragments.tolist()) == fragments


def of_column(column):
    """The spans [0, 6) with these pieces."""
    return Spans([0], [0], [6], [0], [9], ["A"], fragments=column)


@each_case(
    ("make", "given", "message"),
    [
        (spans_of, [("A", [0, 2], [1, 3])], "pieces [0, 2] and [1, 3] overlap"),
        (spans_of, [("A",)], "a span without pieces"),
        (spans_of, [("A", [2, 1], [4, 5])], "piece [2, 1] is empty or reversed"),
        (spans_of, [("A", 3, 4)], "a piece is 3"),
        (spans_of, [("A", ["0", 1], [4, 5])], "a piece is ['0', 1]"),
        (spans_of, [("A", [0, 1], [8, 10])], "A [0, 1) + [8, 10) in document 1 is empty, reversed"),
        (spans_of, [("A", *GAPPED)] * 2, "A [0, 2) + [5, 6) in document 1 is duplicated"),
        (of_column, [((0, 6),)], "fragments [[0, 6]] are not two or more"),
        (of_column, [((0, 2), (2, 6))], "fragments [[0, 2], [2, 6]] are not two or more"),
        (of_column, [((5, 6), (0, 2))], "fragments [[5, 6], [0, 2]] are not two or more"),
        (
            of_column,
            [((0, 2), (4, 5))],
            "A [0, 2) + [4, 5) in document 1 has start 0 and end 6",
        ),
        (of_column, [None, GAPPED], "fragments must have one entry per span each"),
        (
            lambda fields: Spans.from_dicts([[fields]], [9]),
            {"fragments": GAPPED, "start": 0, "end": 5, "label": "A"},
            "leave out start and end",
        ),
    ],
)
def test_bad_pieces(make, given, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make(given)


def test_spans_of_one_hull_and_label_may_have_other_pieces():
    rows = [("A", [0, 1], [5, 6]), (0, 6, "A"), ("A", *GAPPED)]
    spans = spans_of(rows)
    assert spans.fragments.tolist() == [None, ((0, 1), (5, 6)), GAPPED]
    again = spans_of(rows[::-1])
    assert again.fragments.tolist() == spans.fragments.tolist()


def test_pieces_go_with_their_rows():
    spans = spans_of([(3, 4, "B"), ("A", *GAPPED)], [("A", [1, 2], [3, 4])])
    assert spans.keep(spans.doc == 1).fragments.tolist() == [((1, 2), (3, 4))]
    assert spans.keep([1]).fragments is None
    whole = concatenated([spans_of([(0, 1, "A")], labels=["A"]), spans_of([("A", *GAPPED)])])
    assert whole.fragments.tolist() == [None, GAPPED]
    other = spans.beside(
        spans.keep([0]).columns(), spans.labels, spans.seen, spans.unplaced, spans.stretches
    )
    assert other.fragments.tolist() == [GAPPED]
    assert pickle.loads(pickle.dumps(spans)).fragments.tolist() == spans.fragments.tolist()


def test_the_digest_knows_pieces():
    hull, gapped = spans_of([(0, 6, "A")]), spans_of([("A", *GAPPED)])
    others = spans_of([("A", [0, 1], [5, 6])])
    assert len({hull.digest(), gapped.digest(), others.digest()}) == 3
    column = of_column([None])
    assert column.fragments is None
    assert column.digest() == hull.digest() == "39594a88"  # before there were pieces


def test_the_pieces_of_all_spans():
    spans = spans_of([(3, 4, "B"), ("A", *GAPPED)])
    assert [one.tolist() for one in pieces(spans)] == [[0, 0, 1], [0, 5, 3], [2, 6, 4]]
    assert discontinuous(spans).tolist() == [True, False]
    assert n_tokens(spans).tolist() == [3, 1]
    assert joined_pieces([[4, 5]]) == (4, 5, None)


def test_equal_pieces_have_one_number():
    one, two = spans_of([("A", *GAPPED), (0, 6, "A")]), spans_of([("A", *GAPPED)])
    codes = fragment_codes(one, two)
    assert codes[0].tolist() == [0, codes[1][0]]
    assert [one.tolist() for one in fragment_codes(one.keep([0]), one.keep([0]))] == [[0], [0]]


def test_a_measure_that_cannot_take_them_says_so():
    spans = spans_of([("A", *GAPPED)], names=["a"])
    with pytest.raises(ValueError, match=r"^diff .* A \[0, 2\) \+ \[5, 6\) in a .* piece"):
        refuse_fragments("diff", spans)
    refuse_fragments("diff", spans.keep([]))
