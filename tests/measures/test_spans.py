"""`Spans`: what may stand in it, its order, its digest, overlapping pairs."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from helpers.strategies import LABELS, pairs
from spacy_chance_eval.measures.fragments import (
    discontinuous,
    joined_pieces,
    n_tokens,
    pieces,
    refuse_fragments,
)
from spacy_chance_eval.measures.spans import (
    Spans,
    concatenated,
    integers,
    overlapping_pairs,
    trusted,
)

DOCUMENTS = [[(3, 5, "B"), (0, 2, "A")], None, [(1, 2, "B")]]


def corpus(documents=DOCUMENTS, sizes=(6, 3, 4), **fields):
    return Spans.from_tuples(documents, sizes, **fields)


def rows(spans):
    names = [spans.labels[i] for i in spans.label]
    return list(zip(spans.doc.tolist(), spans.start.tolist(), spans.end.tolist(), names))


# --- what it holds


def test_spans_stand_in_the_order_of_the_text():
    spans = corpus()
    assert rows(spans) == [(0, 0, 2, "A"), (0, 3, 5, "B"), (2, 1, 2, "B")]
    assert spans.seen.tolist() == [True, False, True]
    assert corpus([[], [], []]).seen.all()
    assert (len(spans), spans.n_docs) == (3, 3)
    assert spans.lengths.tolist() == [2, 2, 1]
    assert spans.offsets.tolist() == [0, 6, 9, 13]
    assert spans.labels == ("A", "B")
    assert corpus(labels=["B", "Z", "A"]).labels == ("B", "Z", "A")
    assert len(corpus([[(1, 3, "A"), (1, 3, "B")]], sizes=[4])) == 2
    kept = spans.keep([2])
    assert rows(kept) == [(2, 1, 2, "B")]
    assert kept.sizes.tolist() == [6, 3, 4]
    with pytest.raises(AttributeError):
        spans.start = np.zeros(3)
    spans = Spans([0], np.array([1], np.int32), [2], [0], [3], "A")
    assert {getattr(spans, f).dtype for f in ("doc", "start", "end", "label")} == {np.dtype("i8")}
    # a trusted copy is not checked
    assert trusted(corpus(), start=np.array([9, 9, 9])).start.tolist() == [9, 9, 9]
    empty = Spans.from_tuples([], [])
    assert (len(empty), empty.n_docs, empty.labels, len(empty.digest())) == (0, 0, (), 8)


def test_documents_have_names_and_stretches():
    assert corpus().name(2) == "document 3"
    named = corpus(names=["x", "y", "z"])
    assert (named.name(2), named.span_name(2)) == ("z", "B [1, 2) in z")
    assert corpus(sizes=(6, 0, 4)).stretches.tolist() == [[0, 0, 6], [2, 0, 4]]
    spans = corpus(unplaced=[(2, 0, 3), (0, 1, 1)], stretches=[(2, 0, 4), (0, 2, 6), (0, 0, 2)])
    assert spans.unplaced.tolist() == [[0, 1, 1], [2, 0, 3]]
    assert spans.stretches.tolist() == [[0, 0, 2], [0, 2, 6], [2, 0, 4]]


# --- the door


@each_case(
    ("columns", "message"),
    [
        ({"doc": [0], "start": [0, 1], "end": [1], "label": [0]}, "must have one entry per span"),
        ({"doc": [2], "start": [0], "end": [1], "label": [0]}, r"document outside 0\.\.1"),
        ({"doc": [-1], "start": [0], "end": [1], "label": [0]}, r"document outside 0\.\.1"),
        ({"doc": [0], "start": [0], "end": [1], "label": [2]}, r"label outside 0\.\.1"),
        ({"seen": [True]}, r"seen, sentences and names need one entry per document \(2\)"),
        ({"names": ["one"]}, r"seen, sentences and names need one entry per document \(2\)"),
        ({"labels": ["A", "A"]}, "labels must differ from each other"),
        ({"words": ["a", "b"]}, "2 words for 9 tokens"),
        ({"unplaced": [(2, 0, 1)]}, r"document of an unplaced span outside 0\.\.1"),
        ({"unplaced": [(0, 2, 1)]}, r"label of an unplaced span outside 0\.\.1"),
        ({"stretches": [(2, 0, 1)]}, r"document of a stretch outside 0\.\.1"),
        ({"stretches": [(0, 0, 6)]}, "must not be empty, overlap or leave their document"),
        ({"stretches": [(0, 2, 2)]}, "must not be empty, overlap or leave their document"),
        ({"stretches": [(0, 0, 3), (0, 2, 5)]}, "must not be empty, overlap or leave"),
        ({"unplaced": [(0, 0, 0)]}, "unplaced"),
        ({"unplaced": [(0, 0, -2)]}, "unplaced"),
        ({"names": ["a", "a"]}, "names of documents must differ"),
        ({"doc": [0], "start": [0.9], "end": [2], "label": [0]}, "start must hold whole numbers"),
        *(
            (
                {"doc": [1], "start": [start], "end": [end], "label": [0]},
                rf"A \[{start}, {end}\) in document 2 is empty, "
                "reversed or outside its document of 4",
            )
            for start, end in ((2, 2), (3, 1), (-1, 2), (2, 9))
        ),
        (
            {"doc": [1, 1], "start": [1, 1], "end": [3, 3], "label": [1, 1], "names": ["a", "two"]},
            r"B \[1, 3\) in two is duplicated; remove",
        ),
    ],
)
def test_columns_that_cannot_describe_annotation_are_an_error(columns, message):
    good = {"doc": [], "start": [], "end": [], "label": [], "sizes": [5, 4], "labels": ["A", "B"]}
    Spans(**good)
    with pytest.raises(ValueError, match=message):
        Spans(**{**good, **columns})


def test_an_unknown_label_name_is_an_error():
    with pytest.raises(ValueError, match="unknown label 'B'; expected one of"):
        corpus(labels=["A", "C"])


# --- digest


@given(pairs(), st.randoms(use_true_random=False))
def test_order_names_and_unused_labels_do_not_change_the_digest(pair, random):
    order = random.sample(range(len(pair.sizes)), len(pair.sizes))
    labels = random.sample(LABELS, len(LABELS))
    moved = pair.part(order)
    shuffled = [doc and random.sample(doc, len(doc)) for doc in moved.gold]
    assert moved.annotator(shuffled, labels).digest() == pair.annotator(pair.gold).digest()
    assert corpus(labels=["A", "AA", "B", "Z"]).digest() == corpus().digest()
    assert corpus(names=["x", "y", "z"], words=["w"] * 13).digest() == corpus().digest()


@each_case(
    "other",
    [
        corpus([[(3, 5, "B"), (0, 2, "A")], None, [(1, 3, "B")]]),
        corpus([[(3, 5, "B"), (0, 2, "A")], None, [(0, 2, "B")]]),
        corpus([[(3, 5, "A"), (0, 2, "B")], None, [(1, 2, "B")]]),
        corpus([[(3, 5, "B"), (0, 2, "A")], [], [(1, 2, "B")]]),
        corpus([[(3, 5, "B"), (0, 2, "A")], None, []]),
        corpus([[(3, 5, "C"), (0, 2, "A")], None, [(1, 2, "C")]]),
        corpus(sizes=(7, 3, 4)),
        corpus(unplaced=[(0, 0, 2)]),
        corpus(stretches=[(0, 0, 3), (0, 3, 6), (1, 0, 3), (2, 0, 4)]),
        corpus(stretches=[(0, 0, 5), (1, 0, 3), (2, 0, 4)]),
        corpus([[(3, 5, "B")], None, [(0, 2, "A"), (1, 2, "B")]]),
    ],
)
def test_other_annotation_has_another_digest(other):
    assert other.digest() != corpus().digest()


# --- helpers


@given(pairs())
def test_overlapping_pairs_are_those_of_the_double_loop(pair):
    first, second = pair.sides()
    expected = {
        (i, j)
        for i in range(len(first))
        for j in range(len(second))
        if first.doc[i] == second.doc[j]
        and first.label[i] == second.label[j]
        and max(first.start[i], second.start[j]) < min(first.end[i], second.end[j])
    }
    i, j = overlapping_pairs(first, second)
    assert set(zip(i.tolist(), j.tolist())) == expected
    assert len(i) == len(expected)


@each_case(
    ("column", "shown"),
    [
        ([None], "[None]"),
        (["1"], "['1']"),
        ([0, 2**70], "[1180591620717411303424]"),
        (np.array([2**63], np.uint64), "[9223372036854775808]"),
        ([1e30], "[1e+30]"),
        ([float("nan")], "[nan]"),
        ([float("inf"), 2], "[inf]"),
        ([1, {"a": 1}], "[{'a': 1}]"),
        ([[1], [1, 2]], "lists of other lengths"),
    ],
)
def test_what_is_no_whole_number_is_shown(column, shown):
    with pytest.raises(ValueError) as caught:
        integers("end", column)
    assert str(caught.value) == f"end must hold whole numbers, not {shown}"


# --- the column of pieces


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
        (of_column, [((0, 2), (4, 5))], "A [0, 2) + [4, 5) in document 1 has start 0 and end 6"),
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


def test_pieces_go_with_their_rows():
    spans = spans_of([(3, 4, "B"), ("A", *GAPPED)], [("A", [1, 2], [3, 4])])
    assert spans.keep(spans.doc == 1).fragments.tolist() == [((1, 2), (3, 4))]
    assert spans.keep([1]).fragments is None
    whole = concatenated([spans_of([(0, 1, "A")], labels=["A"]), spans_of([("A", *GAPPED)])])
    assert whole.fragments.tolist() == [None, GAPPED]
    assert pickle.loads(pickle.dumps(spans)).fragments.tolist() == spans.fragments.tolist()


def test_the_pieces_of_all_spans():
    spans = spans_of([(3, 4, "B"), ("A", *GAPPED)])
    assert [one.tolist() for one in pieces(spans)] == [[0, 0, 1], [0, 5, 3], [2, 6, 4]]
    assert discontinuous(spans).tolist() == [True, False]
    assert n_tokens(spans).tolist() == [3, 1]
    assert joined_pieces([[4, 5]]) == (4, 5, None)


def test_a_measure_that_cannot_take_them_says_so():
    spans = spans_of([("A", *GAPPED)], names=["a"])
    with pytest.raises(ValueError, match=r"^diff .* A \[0, 2\) \+ \[5, 6\) in a .* piece"):
        refuse_fragments("diff", spans)
    refuse_fragments("diff", spans.keep([]))
