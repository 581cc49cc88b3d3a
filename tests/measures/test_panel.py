"""`Panel`: several annotators of one corpus, with who saw what."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import panel_oracles as oracles
from helpers.cases import each_case
from helpers.panel_oracles import NAMES, Team, Work, panels
from spacy_chance_eval import Panel, Spans
from spacy_chance_eval.measures.alignment import align


def spans(*documents, sizes=None, **fields):
    return Spans.from_tuples(documents, sizes or [9] * len(documents), **fields)


ONE = spans([(0, 2, "A")], None)
TWO = spans([(0, 2, "B")], [])


def rows(annotator, docs):
    """Labelled spans of some documents."""
    names = [annotator.labels[i] for i in annotator.label]
    columns = (annotator.doc.tolist(), annotator.start.tolist(), annotator.end.tolist(), names)
    return {row for row in zip(*columns) if row[0] in docs}


def test_annotators_share_labels_and_documents():
    panel = Panel({"bob": TWO, "ann": ONE})
    assert panel.names == ("ann", "bob")
    assert panel.labels == ("A", "B")
    assert [rows(side, {0}) for side in panel.annotations] == [{(0, 0, 2, "A")}, {(0, 0, 2, "B")}]
    assert panel.seen.tolist() == [[True, False], [True, True]]
    assert [side.seen.tolist() for side in panel.annotations] == panel.seen.tolist()
    assert panel.shared.tolist() == [True, False]
    assert panel.n_shared(0, 1) == 1
    alone = Panel({"ann": ONE})
    assert alone.sharing_pairs == [] and not alone.shared.any()
    loose = Panel({"ann": ONE, "bob": spans([], [], labels=["Z"], unplaced=[(0, 0, 3)])})
    assert loose.labels == ("A", "Z")
    assert loose.annotations[1].unplaced.tolist() == [[0, 1, 3]]


@each_case(
    "annotators, options, message",
    [
        ({}, [], "a panel without annotators"),
        ({"ann": ONE}, ["word"], "positions is 'word'; expected one of token, char"),
        ({"ann": ONE, "bob": TWO, "cyd": spans([])}, [], "ann against cyd: 2 documents against 1"),
        (
            {"ann": ONE, "bob": TWO, "cyd": spans([], [], sizes=[9, 8])},
            [],
            "ann against cyd: document 2 has 9 positions .* and 8",
        ),
        (
            {"bob": spans([], sizes=[2], words="ac"), "ann": spans([], sizes=[2], words="ab")},
            [],
            "ann against bob: document 1: token 2 is 'b' .* 'c'",
        ),
    ],
)
def test_what_is_no_panel_is_an_error_that_names_the_annotators(annotators, options, message):
    with pytest.raises(ValueError, match=message):
        Panel(annotators, *options)


def test_panels_are_made_of_mappings_sequences_and_panels():
    panel = Panel.from_annotators({"ann": ONE, "bob": TWO})
    assert Panel.from_annotators(panel) is panel
    assert Panel.from_annotators([ONE, TWO]).names == ("annotator 1", "annotator 2")
    with pytest.raises(ValueError, match="one annotator alone"):
        Panel.from_annotators(ONE)


def test_digests_know_neither_names_nor_order():
    one, other = Panel({"ann": ONE, "bob": TWO}), Panel({"x": TWO, "y": ONE})
    assert one.digest() == other.digest()
    assert one.digest() != Panel({"ann": ONE, "bob": ONE}).digest()


@pytest.mark.parametrize("gaps", [False, True])
@given(data=st.data())
def test_a_majority_is_what_counting_votes_span_by_span_gives(gaps, data):
    """What more than half of those who looked marked, on the tokens that all of it annotated."""
    team = data.draw(panels(gaps=gaps))
    panel = team.panel()
    for number, name in enumerate(panel.names):
        found, expected = panel.majority(number), oracles.majority(team, name)
        shared = set(team.shared())
        expected = [work if d in shared else None for d, work in enumerate(expected)]
        assert found.seen.tolist() == [work is not None for work in expected]
        seen = found.seen
        expected = [Work(()) if work is None else work for work in expected]
        gone = [work.missing for work in expected]
        right = oracles.built(expected, team.sizes, team.cuts, gone)
        found, right = align(found, right)
        both = set(np.flatnonzero(seen))
        assert rows(found, both) == rows(right, both)
        stretches = [side.stretches[seen[side.stretches[:, 0]]] for side in (found, right)]
        np.testing.assert_array_equal(*stretches)


@given(team=panels())
def test_a_pair_is_what_two_annotators_alone_would_be(team):
    panel = team.panel()
    for i, j in panel.sharing_pairs:
        alone = align(team.spans(NAMES[i]), team.spans(NAMES[j]))
        for one, other in zip(panel.pair(i, j), alone):
            assert one.seen.tolist() == other.seen.tolist()
            docs = set(np.flatnonzero(one.seen))
            assert rows(one, docs) == rows(other, docs)


def test_pairs_keep_tokens_that_only_a_third_annotator_lacks():
    works = {
        "ann": (Work(((0, 2, "A"),)),),
        "bob": (Work(((0, 2, "A"),)),),
        "cyd": (Work((), frozenset({1})),),
    }
    panel = Team(works, (5,), ((),)).panel()
    assert len(panel.pair(0, 1)[0]) == 1
    assert len(panel.pair(0, 2)[0]) == 0
    assert len(panel.aligned[0]) == 0
