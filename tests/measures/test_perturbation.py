"""Random errors of spans: exactly the changes that are possible, as often as asked for."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import pairs, random_pair
from spacy_chance_eval import Spans, perturb_spans
from spacy_chance_eval.measures.perturbation import ERRORS
from spacy_chance_eval.measures.spans import Copy

OUTCOMES = {
    "drop": ("a1-3", 5, ["", ""]),
    "split": ("a0-4", 4, ["a0-1 a1-4", "a0-2 a2-4", "a0-3 a3-4"]),
    "split of one token": ("a1-2", 4, ["a1-2"]),
    "split into a span that is there": ("a0-2 a0-1", 2, ["a0-1 a0-2"]),
    "merge of neighbours": ("a0-1 a4-5", 6, ["a0-5"]),
    "merge of distant spans": ("a0-1 a5-6", 6, ["a0-1 a5-6"]),
    "merge across a span": ("a0-1 b1-2 a2-3", 6, ["a0-1 a2-3 b1-2"]),
    "merge of crossing labels": ("a0-1 b1-6 a2-3 b2-6", 6, ["a0-3 b1-6 b2-6"]),
    "merge of three": ("a0-1 a1-2 a2-3", 6, ["a0-2 a2-3"]),
    "shift": ("a1-3", 5, ["a0-2", "a2-4"]),
    "shift at the border": ("a0-2", 3, ["a1-3"]),
    "shift without room": ("a0-2", 2, ["a0-2"]),
    "shift of neighbours": ("a0-2 b2-3", 3, ["a0-2 b2-3"]),
    "shift of crossing labels": ("a0-2 b1-3", 3, ["a1-3 b0-2"]),
    "truncate": ("a1-4", 5, ["a1-3", "a2-4"]),
    "truncate of one token": ("a1-2", 5, ["a1-2"]),
    "extend": ("a1-2", 5, ["a0-2", "a1-3"]),
    "extend at the border": ("a0-2", 3, ["a0-3"]),
    "extend of neighbours": ("a1-2 b2-3", 3, ["a0-2 b2-3"]),
    "relabel": ("a0-1 c1-2", 2, ["b0-1 a1-2", "b0-1 b1-2", "c0-1 a1-2", "c0-1 b1-2"]),
    "relabel of crossing labels": ("a0-2 b1-3 c2-4", 4, ["a1-3 b2-4 c0-2"]),
    "add": ("a1-2", 4, ["a0-1 a1-2", "a1-2 a2-3", "a1-2 a3-4"]),
    "add without room": ("a1-3", 4, ["a1-3"]),
    "shift of pieces": ("a0-1+2-3", 4, ["a1-2+3-4"]),
    "shift of pieces among others": ("a0-1+2-3 b1-2", 4, ["a0-1+2-3 b1-2"]),
    "truncate of pieces": ("a0-1+2-4", 4, ["a2-4", "a0-1+2-3"]),
    "extend of pieces": ("a1-2+3-4", 5, ["a0-2+3-4", "a1-2+3-5"]),
    "split of pieces": ("a0-1+2-4", 4, ["a0-1 a2-4", "a0-1+2-3 a3-4"]),
    "merge of pieces": ("a0-1+2-3 a4-5", 5, ["a0-1+2-5"]),
    "relabel of pieces": ("a0-1+2-3", 3, ["b0-1+2-3", "c0-1+2-3"]),
    "drop of pieces": ("a0-1+2-3", 3, [""]),
    "add of pieces": ("a0-1+2-3", 6, ["a0-1+2-3 a3-4+5-6"]),
    "add across labels": ("a0-2 b1-3", 4, ["a0-2 a2-4 b1-3"]),
}


def spans_of(text):
    """{"fragments": ..., "label": ...} of each word such as a0-1+2-3."""
    return [
        {
            "fragments": [[*map(int, one.split("-"))] for one in word[1:].split("+")],
            "label": word[0],
        }
        for word in text.split()
    ]


def made(documents, size, errors, seed=0, labels="abc"):
    spans = Spans.from_dicts(documents, [size] * len(documents), labels)
    return perturb_spans(spans, errors, np.random.default_rng(seed))


def rows(spans):
    """(document, start, end, label) of all spans."""
    names = [spans.labels[label] for label in spans.label]
    columns = (spans.doc, spans.start, spans.end)
    return list(zip(*(column.tolist() for column in columns), names, strict=True))


def outcomes(spans):
    """The spans of each document as texts."""
    found = [[] for _ in range(spans.n_docs)]
    for row, (doc, start, end, label) in enumerate(rows(spans)):
        several = spans.fragments is not None and spans.fragments[row]
        pieces = "+".join(f"{a}-{b}" for a, b in several or [(start, end)])
        found[doc].append(f"{label}{pieces}")
    return [" ".join(sorted(one)) for one in found]


def sorted_text(text):
    return " ".join(sorted(text.split()))


@pytest.mark.parametrize("case", OUTCOMES)
def test_what_may_become_of_spans(case):
    text, size, expected = OUTCOMES[case]
    found = outcomes(made([spans_of(text)] * 300, size, {case.split()[0]: 1}))
    assert set(found) == set(map(sorted_text, expected))


def test_outcomes_are_equally_frequent():
    found = Counter(outcomes(made([spans_of("a0-4")] * 3000, 4, {"split": 1})))
    assert all(abs(n - 1000) < 120 for n in found.values()), found  # 4.6 standard deviations


def test_spans_are_added_where_they_fit():
    found = Counter(outcomes(made([spans_of("a3-5")] * 4000, 9, {"add": 1})))
    places = {sorted_text(f"a3-5 a{start}-{start + 2}"): 0 for start in (0, 1, 5, 6, 7)}
    assert found.keys() == places.keys() and all(abs(n - 800) < 120 for n in found.values())


MISSING = {  # positions 3 and 4 are not annotated
    "shift": ("a1-3", ["a0-2"]),
    "extend": ("a1-3", ["a0-3"]),
    "extend on the right": ("a5-6", ["a5-7"]),
    "merge": ("a1-3 a5-6", ["a1-3 a5-6"]),
    "merge on one side": ("a0-1 a2-3 a5-6", ["a0-3 a5-6"]),
    "add": ("a0-2", ["a0-2 a5-7"]),
    "add on both sides": ("a1-2", ["a0-1 a1-2", "a1-2 a2-3", "a1-2 a5-6", "a1-2 a6-7"]),
    "add of pieces": ("a0-1+2-3", ["a0-1+2-3"]),
    "shift of pieces": ("a0-1+2-3", ["a0-1+2-3"]),
}


@pytest.mark.parametrize("case", MISSING)
def test_no_span_gains_a_position_that_is_not_annotated(case):
    text, expected = MISSING[case]
    stretches = [(doc, *ends) for doc in range(200) for ends in ((0, 2), (2, 3), (5, 7))]
    spans = Spans.from_dicts([spans_of(text)] * 200, [7] * 200, "abc")
    columns = {**spans.columns(), "stretches": stretches}
    spans = Spans(sizes=spans.sizes, labels=spans.labels, **columns)
    found = perturb_spans(spans, {case.split()[0]: 1}, np.random.default_rng(0))
    assert set(outcomes(found)) == set(expected)


kinds = st.sampled_from(ERRORS)
shares = st.dictionaries(kinds, st.sampled_from([0.3, 1]))
seeds = st.integers(0, 2**32 - 1)


def noisy(spans, errors, seed):
    return perturb_spans(spans, errors, np.random.default_rng(seed))


def overlaps(spans, by_label=False):
    """The number of pairs of spans with a common position."""
    cells = Counter(
        (doc, position, by_label and label)
        for doc, start, end, label in rows(spans)
        for position in range(start, end)
    )
    return sum(n - 1 for n in cells.values())


@given(pairs(), shares, seeds)
def test_errors_keep_layers_without_overlap(pair, errors, seed):
    spans = pair.annotator(pair.gold)
    other = noisy(spans, errors, seed)  # spans outside and duplicates would raise
    for by_label in (False, True):
        assert overlaps(spans, by_label) or not overlaps(other, by_label)


@given(pairs(), seeds)
def test_probability_0_changes_nothing(pair, seed):
    spans = pair.annotator(pair.gold)
    other = noisy(spans, dict.fromkeys(ERRORS, 0), seed)
    assert other.digest() == spans.digest()


@given(pairs(), shares, seeds)
def test_equal_seeds_give_equal_errors_in_any_order(pair, errors, seed):
    spans = pair.annotator(pair.gold)
    one, two = (noisy(spans, dict(some), seed) for some in (errors, list(errors.items())[::-1]))
    assert rows(one) == rows(two)


@given(pairs(), seeds)
def test_to_drop_all_leaves_nothing(pair, seed):
    assert not len(noisy(pair.annotator(pair.gold), {"drop": 1}, seed))


def lengths(spans):
    return sorted((label, end - start) for _, start, end, label in rows(spans))


KEPT = {  # what a kind of error does not change
    "split": lambda spans: Counter(
        (d, i, label) for d, s, e, label in rows(spans) for i in range(s, e)
    ),
    "shift": lengths,
    "truncate": lambda spans: Counter((row[0], row[3]) for row in rows(spans)),
    "extend": lambda spans: Counter((row[0], row[3]) for row in rows(spans)),
    "relabel": lambda spans: Counter(row[:3] for row in rows(spans)),
}


@pytest.mark.parametrize("kind", KEPT)
@given(pair=pairs(), seed=seeds)
def test_errors_of_a_kind_keep(kind, pair, seed):
    spans = pair.annotator(pair.gold)
    assert KEPT[kind](spans) == KEPT[kind](noisy(spans, {kind: 1}, seed))


@given(pairs(), seeds)
def test_no_span_keeps_its_label_in_disjoint_layers(pair, seed):
    spans = pair.annotator(pair.gold)
    if not overlaps(spans):
        assert not set(rows(spans)) & set(rows(noisy(spans, {"relabel": 1}, seed)))


@given(pairs(), seeds)
def test_added_spans_touch_no_other(pair, seed):
    spans = pair.annotator(pair.gold)
    other = noisy(spans, {"add": 1}, seed)
    assert set(rows(spans)) <= set(rows(other))
    assert overlaps(other, True) == overlaps(spans, True)


@pytest.mark.parametrize("kind", ERRORS)
def test_a_higher_probability_hits_the_same_spans_and_more(kind):
    pair = random_pair(3, sizes=(40,) * 60, most=1)
    spans = pair.annotator(pair.gold)
    hit = [set(rows(spans)) ^ set(rows(noisy(spans, {kind: share}, 5))) for share in (0.2, 0.5, 1)]
    assert hit[0] <= hit[1] <= hit[2] and 0 < len(hit[1]) or kind == "merge"


def test_errors_are_as_frequent_as_asked_for():
    spans = Spans.from_tuples([[(1, 3, "a")]] * 4000, [6] * 4000, "ab")
    for kind in ("drop", "split", "shift", "truncate", "extend", "relabel", "add"):
        changed = set(rows(spans)) ^ set(rows(noisy(spans, {kind: 0.3}, 1)))
        assert abs(len({row[0] for row in changed}) / 4000 - 0.3) < 0.03, kind


def test_features_and_copies_go_with_their_spans():
    features, copies = [{"n": 1}, {"n": 2}], [(), (Copy({}),)]
    spans = Spans([0, 0], [0, 4], [2, 6], [0, 0], [9], ["a"], features=features, copies=copies)
    other = noisy(spans, {"split": 1}, 0)
    assert [one["n"] for one in other.features] == [1, 1, 2, 2]
    assert [len(one) for one in other.copies] == [0, 0, 1, 1]


def test_unplaced_spans_can_be_dropped_only():
    spans = Spans.from_tuples([[]] * 500, [3] * 500, "a", unplaced=[(d, 0, 1) for d in range(500)])
    assert len(noisy(spans, {"shift": 1, "relabel": 1}, 0).unplaced) == 500
    assert 80 < len(noisy(spans, {"drop": 0.8}, 0).unplaced) < 120


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        ({"swap": 0.1}, "unknown error 'swap'; expected some of drop, merge"),
        ({"drop": 1.1}, "drop is 1.1; expected a probability"),
        ({"drop": float("nan")}, "drop is nan"),
        ({"drop": None}, "drop is None; expected a probability"),
        ({"drop": "a"}, "drop is 'a'; expected a probability"),
        ({"drop": True}, "drop is True; expected a probability"),
    ],
    ids=["kind", "large", "nan", "none", "text", "truth"],
)
def test_refused_errors(errors, message):
    with pytest.raises(ValueError, match=message):
        made([spans_of("a0-1")], 2, errors)
