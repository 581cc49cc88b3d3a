"""The chance of discontinuous spans, against the enumeration of all placements."""

from itertools import product

import numpy as np
import pytest

from spacy_chance_eval.measures.alignment import align, units
from spacy_chance_eval.measures.chance.draws import sampler
from spacy_chance_eval.measures.chance.expectation import check_placement
from spacy_chance_eval.measures.matching import (
    expected_span_hits,
    expected_token_hits,
    span_hits,
    token_hits,
)
from spacy_chance_eval.measures.spans import Spans


# patterns as texts: x is a token of the span
def tokens_in(pattern, start):
    return frozenset(start + place for place, mark in enumerate(pattern) if mark == "x")


def all_placements(n, texts):
    """Every tuple of token sets that patterns can take in n tokens."""
    return list(product(*([tokens_in(one, s) for s in range(n - len(one) + 1)] for one in texts)))


def spans_of(*documents, n=8):
    dicts = [
        [{"label": "A", "fragments": [[t, t + 1] for t in tokens]} for tokens in sets]
        for sets in documents
    ]
    return Spans.from_dicts(dicts, [n] * len(documents), ["A"])


@pytest.mark.parametrize("placement", ["disjoint", "nested", "uniform"])
def test_other_placements_refuse_them(placement):
    spans = spans_of([{0, 3}, {1, 2}])
    message = rf"{placement} chance model .* A \[0, 1\) \+ \[3, 4\) .*; use chance=overlapping"
    with pytest.raises(ValueError, match=message):
        check_placement(spans, spans, placement)


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
@pytest.mark.parametrize("unit", ["document", "sentence"])
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
        gold, pred, span_hits(gold, pred), placement="overlapping", unit="document"
    )

    def pairs(one, two):
        number = sum(a == b for a in one for b in two)
        return [len(one), number, len(two), number]

    numbers = [float(table.sum()) for table in vars(found).values()]
    assert numbers == pytest.approx(joint_means(pairs, SIDES[case], 6))


def test_overlapping_draws_have_the_exact_mean():
    gold, pred = sides_of("other gaps", 6)
    rng, table = np.random.default_rng(0), units(gold, pred)
    samplers = [sampler(spans, table, "overlapping") for spans in (gold, pred)]
    drawn = [token_hits(*(one(rng) for one in samplers)).recalled.sum() for _ in range(3000)]
    exact = expected_token_hits(
        gold, pred, token_hits(gold, pred), placement="overlapping", unit="document"
    )
    error = np.std(drawn) / 3000**0.5
    assert np.mean(drawn) == pytest.approx(float(exact.recalled.sum()), abs=4 * error)
