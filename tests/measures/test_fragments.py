"""The column of pieces of `Spans`."""

import pickle

import pytest

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


def test_a_dict_may_have_fragments():
    spans = spans_of([("A", *GAPPED), (3, 4, "A")])
    assert [spans.start.tolist(), spans.end.tolist()] == [[0, 3], [6, 4]]
    assert spans.fragments.tolist() == [GAPPED, None]


def test_a_dict_may_have_no_fragments():
    plain = {"start": 3, "end": 4, "label": "A"}
    spans = Spans.from_dicts([[plain | {"fragments": None}], [plain]], [9, 9])
    assert (spans.start.tolist(), spans.end.tolist(), spans.fragments) == ([3, 3], [4, 4], None)


def test_pieces_that_touch_are_one_span():
    spans = spans_of([("A", [2, 3], [0, 2])])
    assert spans.fragments is None
    assert (spans.start[0], spans.end[0]) == (0, 3)


BAD = {
    "overlap": ([[0, 2], [1, 3]], "pieces [0, 2] and [1, 3] overlap"),
    "none": ([], "a span without pieces"),
    "reversed": ([[2, 1], [4, 5]], "piece [2, 1] is empty or reversed"),
    "number": ([3, 4], "a piece is 3"),
    "text": ([["0", 1], [4, 5]], "a piece is ['0', 1]"),
    "outside": ([[0, 1], [8, 10]], "A [0, 1) + [8, 10) in document 1 is empty, reversed"),
}


@pytest.mark.parametrize(("fragments", "message"), BAD.values(), ids=BAD)
def test_bad_pieces(fragments, message):
    with pytest.raises(ValueError) as caught:
        spans_of([("A", *fragments)])
    assert message in str(caught.value)


def test_start_and_end_have_to_be_those_of_the_pieces():
    given = {"fragments": GAPPED, "start": 0, "end": 5, "label": "A"}
    with pytest.raises(ValueError, match="leave out start and end"):
        Spans.from_dicts([[given]], [9])


COLUMNS = {
    "one piece": ([((0, 6),)], "fragments [[0, 6]] are not two or more"),
    "touching": ([((0, 2), (2, 6))], "fragments [[0, 2], [2, 6]] are not two or more"),
    "not in order": ([((5, 6), (0, 2))], "fragments [[5, 6], [0, 2]] are not two or more"),
    "other hull": ([((0, 2), (4, 5))], "A [0, 2) + [4, 5) in document 1 has start 0 and end 6"),
    "too few": ([], "fragments must have one entry per span each"),
}


@pytest.mark.parametrize(("column", "message"), COLUMNS.values(), ids=COLUMNS)
def test_a_column_that_is_wrong(column, message):
    with pytest.raises(ValueError) as caught:
        Spans([0], [0], [6], [0], [9], ["A"], fragments=column or [None, GAPPED])
    assert message in str(caught.value)


def test_a_column_without_pieces_is_none():
    assert Spans([0], [0], [6], [0], [9], ["A"], fragments=[None]).fragments is None


def test_spans_of_one_hull_and_label_may_have_other_pieces():
    rows = [("A", [0, 1], [5, 6]), (0, 6, "A"), ("A", *GAPPED)]
    spans = spans_of(rows)
    assert spans.fragments.tolist() == [None, ((0, 1), (5, 6)), GAPPED]
    again = spans_of(rows[::-1])
    assert again.fragments.tolist() == spans.fragments.tolist()


def test_a_discontinuous_span_may_not_be_there_twice():
    with pytest.raises(ValueError, match=r"A \[0, 2\) \+ \[5, 6\) in document 1 is duplicated"):
        spans_of([("A", *GAPPED), ("A", *GAPPED)])


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
    column = Spans([0], [0], [6], [0], [9], ["A"], fragments=[None])
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
