"""The items of a corpus and their values, against lists of single positions and stretches."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from helpers.cases import each_case
from helpers.nominal_oracles import RATINGS, panels
from helpers.strategies import LABELS
from spacy_chance_eval.measures.alignment import align_panel
from spacy_chance_eval.measures.items import ITEMS, items_of
from spacy_chance_eval.measures.spans import Spans

kinds = pytest.mark.parametrize("items", RATINGS)


def listed(rated):
    """How often every (document, values) occurs."""
    values = (*rated.values, None)
    count = Counter()
    for doc, codes, weight in zip(rated.doc.tolist(), rated.codes.T.tolist(), rated.weight):
        count[doc, tuple(values[code] for code in codes)] += int(weight)
    return count


def expected(panel, items):
    return Counter((doc, tuple(item)) for doc, item in RATINGS[items](panel.sides, panel.sizes))


@kinds
@given(panel=panels())
def test_items_are_those_of_a_list_of_positions_or_stretches(items, panel):
    team, right = align_panel(panel.team()), expected(panel, items)
    rated = items_of(team, items)
    assert listed(rated) == right
    rows = [(doc, *codes) for doc, codes in zip(rated.doc.tolist(), rated.codes.T.tolist())]
    assert len(set(rows)) == len(rows)
    assert sorted(rated.doc) == rated.doc.tolist()
    values = {value for _, item in right for value in item} - {None}
    assert items_of(team, items).values == tuple(sorted(values))


def test_many_annotators_do_not_overflow_the_keys_of_rows():
    rng = np.random.default_rng(0)
    docs = [[[(t, t + 1, str(rng.choice(LABELS))) for t in range(6)]] * 2 for _ in range(90)]
    team = [Spans.from_tuples(doc, [6, 6], LABELS) for doc in docs]
    rated = items_of(team)
    assert listed(rated) == Counter(
        (d, tuple((doc[d][t][2],) for doc in docs)) for d in (0, 1) for t in range(6)
    )


def test_positions_that_one_annotator_did_not_annotate_are_no_items():
    one = Spans.from_tuples([[(0, 2, "A")]], [6], ["A"], stretches=[(0, 0, 2), (0, 4, 6)])
    two = Spans.from_tuples([[(0, 3, "A")]], [6], ["A"])
    rated = items_of(align_panel([one, two]))
    # the span over a missing token leaves, as everywhere
    assert listed(rated) == {(0, (("A",), ())): 2, (0, ((), ())): 2}


BOTH = Spans.from_tuples([[(0, 1, "A"), (0, 1, "B")]], [1])


@each_case(
    ("team", "options", "message"),
    [
        (
            [Spans.from_tuples([[], []], [1, 3], [], names=["a", "b"])] * 2,
            {"items": "category"},
            "b has 3 positions; items='category' needs categories",
        ),
        ([BOTH], {"items": "word"}, f"unknown items 'word'; expected one of {', '.join(ITEMS)}"),
        ([BOTH] * 2, {"values": [()]}, "the value A with B occurs, but is not in the table"),
        (
            [Spans.from_tuples([[(0, 1, label)]], [1]) for label in "AB"],
            {},
            "differ in labels or documents; align them first",
        ),
        ([], {}, "no annotators"),
    ],
)
def test_what_has_no_items_is_refused(team, options, message):
    with pytest.raises(ValueError, match=message):
        items_of(team, **options)


def test_deeply_nested_spans_of_one_label_cost_no_more_than_flat_ones():
    n = 20_000  # listed position by position these would be 10^8 pairs
    nested = Spans(np.zeros(n), np.arange(n), 2 * n - np.arange(n), np.zeros(n), [2 * n], ["A"])
    rated = items_of([nested, nested])
    assert listed(rated) == {(0, (("A",),) * 2): 2 * n}
