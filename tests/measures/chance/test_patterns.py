"""The chance of discontinuous spans, against the enumeration of all placements."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from spacy_chance_eval.measures.alignment import align, units
from spacy_chance_eval.measures.chance import patterns
from spacy_chance_eval.measures.chance.draws import sampler
from spacy_chance_eval.measures.chance.expectation import check_placement, parents
from spacy_chance_eval.measures.matching import (
    expected_span_hits,
    expected_token_hits,
    span_hits,
    token_hits,
)
from spacy_chance_eval.measures.spans import Spans

# patterns as texts: x is a token of the span
CASES = {
    "one gap": (6, ["x.x", "xx"]),
    "interleaved": (5, ["x..x", "xx"]),
    "two gaps": (7, ["x.x.x", "x.x"]),
    "alone": (4, ["x.x"]),
    "full": (4, ["x.x", "x.x"]),
}


def tokens_in(pattern, start):
    return frozenset(start + place for place, mark in enumerate(pattern) if mark == "x")


def all_placements(n, texts):
    """Every tuple of token sets that patterns can take in n tokens."""
    return list(product(*([tokens_in(one, s) for s in range(n - len(one) + 1)] for one in texts)))


def are_apart(sets):
    return sum(map(len, sets)) == len(frozenset().union(*sets))


def spans_of(*documents, n=8):
    dicts = [
        [{"label": "A", "fragments": [[t, t + 1] for t in tokens]} for tokens in sets]
        for sets in documents
    ]
    return Spans.from_dicts(dicts, [n] * len(documents), ["A"])


def sets_of_all(spans, n_docs):
    """The token sets of each document, sorted."""
    own = [[] for _ in range(n_docs)]
    column = spans.fragments if spans.fragments is not None else [None] * len(spans)
    for d, start, end, pieces in zip(spans.doc.tolist(), spans.start, spans.end, column):
        own[d].append(tuple(int(t) for a, b in pieces or [(start, end)] for t in range(a, b)))
    return [tuple(sorted(sets)) for sets in own]


@pytest.mark.parametrize("case", CASES)
def test_disjoint_draws_are_uniform_over_all_placements_without_a_common_token(case):
    n, texts = CASES[case]
    apart = [sets for sets in all_placements(n, texts) if are_apart(sets)]
    copies = 4000
    spans = spans_of(*[apart[0]] * copies, n=n)
    drawn = sampler(spans, units(spans, spans))(np.random.default_rng(0))
    expected = Counter(tuple(sorted(tuple(sorted(one)) for one in s)) for s in apart)
    found = Counter(sets_of_all(drawn, copies))
    assert found.keys() <= expected.keys()
    for sets, weight in expected.items():
        share = weight / len(apart)
        assert found[sets] / copies == pytest.approx(share, abs=4 * (share / copies) ** 0.5)


def test_a_span_in_another_one_stays_on_its_tokens():
    outer, inner, other = {0, 1, 3, 4}, {0, 3}, {6}
    spans = spans_of(*[[outer, inner, other]] * 200)
    assert parents(spans)[:3].tolist() == [1, -1, -1]
    drawn = sampler(spans, units(spans, spans), "nested")(np.random.default_rng(0))
    seen = Counter()
    for sets in sets_of_all(drawn, 200):
        by_size = {len(one): set(one) for one in sets}
        assert by_size[2] < by_size[4]
        assert not by_size[1] & by_size[4]
        seen[min(by_size[2]) - min(by_size[4])] += 1
    assert seen.keys() == {0, 1}
    assert seen[0] == pytest.approx(100, abs=40)


def test_spans_that_cross_are_refused_by_nesting_only_if_tokens_do():
    parents(spans_of([{0, 3}, {1, 2}]))
    with pytest.raises(ValueError, match=r"A \[0, 1\) \+ \[2, 4\) .* crosses A \[2, 3\) \+"):
        parents(spans_of([{0, 2, 3}, {2, 5}]))


def test_spans_may_lie_in_gaps_of_the_disjoint_model():
    spans = spans_of([{0, 3}, {1, 2}])
    check_placement(spans, spans, "disjoint")
    other = spans_of([{0, 3}, {2, 3}])
    with pytest.raises(ValueError, match=r"A \[0, 1\) \+ \[3, 4\) in .* overlaps A \[2, 4\)"):
        check_placement(other, other, "disjoint")


def test_spans_without_any_place_are_an_error(monkeypatch):
    monkeypatch.setattr(patterns, "MOST_TRIES", 1)
    spans = spans_of([{0, 2, 4, 6}, {1, 3, 5, 7}])
    with pytest.raises(ValueError, match="no place was found in 1 tries for A .* overlapping"):
        [sampler(spans, units(spans, spans))(np.random.default_rng(s)) for s in range(9)]


def joint_means(count, sides, n):
    """Mean masses of all pairs of placements, each start uniform."""
    means, number = np.zeros(4), 0
    for one, two in product(*(all_placements(n, texts) for texts in sides)):
        means += count(one, two)
        number += 1
    return means / number


def item_masses(encoding):
    def items(sets):
        found = set()
        for tokens in sets:
            low, high = min(tokens), max(tokens)
            for t in tokens:
                prefix = "" if encoding in ("IO", "IO*") else "B" if t == low else "I"
                if encoding == "BIOE" and t == high and low < high:
                    prefix = "E"
                found.add((prefix, t))
                if encoding == "IO*" and t + 1 in tokens:
                    found.add(("gap", t))
        return found

    def masses(one, two):
        one, two = items(one), items(two)
        return [len(one), len(one & two), len(two), len(one & two)]

    return masses


SIDES = {
    "one gap": (["x.x", "xx"], ["x.x"]),
    "other gaps": (["xx.x", "x"], ["x.xx", "x.x"]),
    "twice": (["x.x", "x.x"], ["x.x", "xxx"]),
    "gold alone": (["x.x"], ["xx", "xx"]),
}


def sides_of(case, n):
    """Two annotators of one document, whose spans are placed next to each other, if they can be."""
    found = []
    for texts in SIDES[case]:
        placements = all_placements(n, texts)
        found.append(next(one for one in placements if len(set(one)) == len(one)))
    return align(*(spans_of(sets, n=n) for sets in found))


@pytest.mark.parametrize("encoding", ["IO", "BIO", "BIOE", "IO*"])
@pytest.mark.parametrize("case", SIDES)
@pytest.mark.parametrize("unit", ["doc", "sent"])
def test_items_expected_of_overlapping_placement_are_those_of_the_enumeration(case, encoding, unit):
    gold, pred = sides_of(case, 6)
    observed = token_hits(gold, pred, encoding=encoding)
    found = expected_token_hits(
        gold, pred, observed, placement="overlapping", unit=unit, encoding=encoding
    )
    numbers = [float(table.sum()) for table in vars(found).values()]
    assert numbers == pytest.approx(joint_means(item_masses(encoding), SIDES[case], 6))


@pytest.mark.parametrize("case", SIDES)
def test_spans_expected_of_overlapping_placement_are_those_of_the_enumeration(case):
    gold, pred = sides_of(case, 6)
    found = expected_span_hits(
        gold, pred, span_hits(gold, pred), placement="overlapping", unit="doc"
    )

    def pairs(one, two):
        number = sum(a == b for a in one for b in two)
        return [len(one), number, len(two), number]

    numbers = [float(table.sum()) for table in vars(found).values()]
    assert numbers == pytest.approx(joint_means(pairs, SIDES[case], 6))


@pytest.mark.parametrize("placement", ["disjoint", "nested", "uniform"])
def test_other_placements_have_no_formula(placement):
    gold, pred = sides_of("one gap", 6)
    observed = span_hits(gold, pred)
    assert expected_span_hits(gold, pred, observed, placement=placement, unit="doc") is None
    assert expected_token_hits(gold, pred, observed, placement=placement, unit="doc") is None


def test_overlapping_draws_have_the_exact_mean():
    gold, pred = sides_of("other gaps", 6)
    rng, table = np.random.default_rng(0), units(gold, pred)
    samplers = [sampler(spans, table, "overlapping") for spans in (gold, pred)]
    drawn = [token_hits(*(one(rng) for one in samplers)).recalled.sum() for _ in range(3000)]
    exact = expected_token_hits(
        gold, pred, token_hits(gold, pred), placement="overlapping", unit="doc"
    )
    error = np.std(drawn) / 3000**0.5
    assert np.mean(drawn) == pytest.approx(float(exact.recalled.sum()), abs=4 * error)
