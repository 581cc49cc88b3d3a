"""Measures of discontinuous spans and their chance, against Python's sets."""

import math
import random
from collections import Counter
from itertools import product

import numpy as np
import pytest

from spacy_chance_eval.measures import matching
from spacy_chance_eval.measures.alignment import align, units
from spacy_chance_eval.measures.chance.draws import sampler
from spacy_chance_eval.measures.chance.expectation import check_placement
from spacy_chance_eval.measures.items import items_of
from spacy_chance_eval.measures.matching import expected_span_hits, expected_token_hits, token_hits
from spacy_chance_eval.measures.slicm import shared_information, slicm_information
from spacy_chance_eval.measures.spans import Spans

LABELS = ["A", "B"]


def random_sets(rng, n_docs=3, size=8, most=4):
    """For each document, (label, set of tokens) of some spans, all different."""
    documents = []
    for _ in range(n_docs):
        spans = {
            (rng.choice(LABELS), frozenset(rng.sample(range(size), rng.randint(1, 4))))
            for _ in range(rng.randint(0, most))
        }
        documents.append(sorted(spans, key=lambda span: (span[0], sorted(span[1]))))
    return documents


def spans_of(documents, size=8, **more):
    dicts = [
        [{"label": label, "fragments": [[t, t + 1] for t in tokens]} for label, tokens in spans]
        for spans in documents
    ]
    return Spans.from_dicts(dicts, [size] * len(documents), LABELS, **more)


def items_of_spans(spans, encoding):
    """(label, item) of the tokens of some spans."""
    found = set()
    for label, tokens in spans:
        ordered = sorted(tokens)
        for place, token in enumerate(ordered):
            prefix = ""
            if encoding in ("BIO", "BIOE"):
                prefix = "B" if place == 0 else "I"
                if encoding == "BIOE" and place == len(ordered) - 1 and place:
                    prefix = "E"
            found.add((label, prefix, token))
        if encoding == "IO*":
            found |= {(label, "gap", t) for t in tokens if t + 1 in tokens}
    return found


def set_masses(one, two):
    return [len(one), len(one & two), len(two), len(one & two)]


def span_masses(gold, pred):
    return set_masses(set(gold), set(pred))


def int_masses(gold, pred):
    def part(spans, others):
        return sum(
            min(sum(len(own & tokens) for other, tokens in others if other == label) / len(own), 1)
            for label, own in spans
        )

    return [len(gold), part(gold, pred), len(pred), part(pred, gold)]


ORACLES = {"span_hits": span_masses, "int_hits": int_masses}
COUNTS = {name: getattr(matching, name) for name in ORACLES}
for way in ("IO", "BIO", "BIOE", "IO*"):
    ORACLES[way] = lambda gold, pred, way=way: set_masses(
        items_of_spans(gold, way), items_of_spans(pred, way)
    )
    COUNTS[way] = lambda gold, pred, way=way: matching.token_hits(gold, pred, encoding=way)


@pytest.mark.parametrize("name", ORACLES)
def test_masses_are_those_of_sets(name):
    rng = random.Random(0)
    for round in range(40):
        sides = random_sets(rng), random_sets(rng)
        sides = sides if round else sides[:1] * 2  # at first the same
        hits = COUNTS[name](*map(spans_of, sides))
        found = [hits.gold, hits.recalled, hits.pred, hits.correct]
        for doc, (gold, pred) in enumerate(zip(*sides)):
            for number, label in enumerate(LABELS):
                own = [[span for span in spans if span[0] == label] for spans in (gold, pred)]
                numbers = [table[doc, number] for table in found]
                assert numbers == pytest.approx(ORACLES[name](*own), abs=1e-12)


def bits_of(tokens, bits, rank):
    """sum of bits / rank over a set of tokens."""
    own = [bits[token] for token in sorted(tokens)]
    if rank == "information":
        own.sort(reverse=True)
    return sum(value / place for place, value in enumerate(own, 1))


@pytest.mark.parametrize("rank", ["position", "information"])
@pytest.mark.parametrize("words", [None, "abcdefgh"], ids=["constant", "weighed"])
def test_information_is_that_of_sets(rank, words):
    rng = random.Random(3)
    table = {word: place + 0.5 for place, word in enumerate("hfadbgec")}
    bits = [1.0] * 8 if words is None else [table[word] for word in words]
    information = "constant" if words is None else table
    for _ in range(30):
        sides = random_sets(rng, 1, most=1), random_sets(rng, 1, most=1)
        gold, pred = (spans_of(one, words=words) for one in sides)
        number = Counter(label for spans in sides[0] for label, _ in spans)
        found = slicm_information(gold, pred, rank=rank, token_information=information)
        for i, label in enumerate(LABELS):
            of_label = math.log2(max(number.total(), 1) / max(number[label], 1))
            own = [[tokens for name, tokens in one[0] if name == label] for one in sides]
            sums = [sum(of_label + bits_of(tokens, bits, rank) for tokens in sets) for sets in own]
            shared = [one & two for one in own[0] for two in own[1] if one & two]
            both = sum(of_label + bits_of(tokens, bits, rank) for tokens in shared)
            numbers = found.gold[0, i], found.pred[0, i], found.common[0, i]
            assert numbers == pytest.approx((*sums, both))


def test_agreement_on_tokens_looks_at_the_tokens():
    gapped = spans_of([[("A", {0, 2}), ("B", {1})]])
    whole = spans_of([[("A", {0, 1, 2})]])
    items = items_of(align(gapped, whole))
    found = Counter()
    for one, two, weight in zip(*items.codes.tolist(), items.weight.tolist()):
        found[items.values[one], items.values[two]] += weight
    assert found == {(("A",), ("A",)): 2, (("B",), ("A",)): 1, ((), ()): 5}


@pytest.mark.parametrize("seed", range(3))
def test_a_shared_part_lies_from_its_first_to_its_last_token(seed):
    one, two = (random_sets(random.Random(seed + 10 * i), n_docs=30) for i in range(2))
    shared = shared_information(*align(spans_of(one), spans_of(two)))
    gold, pred = shared.gold, shared.pred
    assert len(shared.one)
    for i, j, start, end in zip(shared.one, shared.two, shared.start, shared.end):
        tokens = set(tokens_of(gold, i)) & set(tokens_of(pred, j))
        assert gold.doc[i] == pred.doc[j]
        assert (start, end) == (min(tokens), max(tokens) + 1)


def tokens_of(spans, row):
    """The tokens of a span, without those of its gaps."""
    pieces = spans.fragments[row] if spans.fragments is not None else None
    for start, end in pieces or [(spans.start[row], spans.end[row])]:
        yield from range(start, end)


# --- chance


# patterns as texts: x is a token of the span
def tokens_in(pattern, start):
    return frozenset(start + place for place, mark in enumerate(pattern) if mark == "x")


def all_placements(n, texts):
    """Every tuple of token sets that patterns can take in n tokens."""
    return list(product(*([tokens_in(one, s) for s in range(n - len(one) + 1)] for one in texts)))


@pytest.mark.parametrize("placement", ["disjoint", "nested", "uniform"])
def test_other_placements_refuse_them(placement):
    spans = spans_of([labelled([{0, 3}, {1, 2}])])
    message = rf"{placement} chance model .* A \[0, 1\) \+ \[3, 4\) .*; use chance=overlapping"
    with pytest.raises(ValueError, match=message):
        check_placement(spans, spans, placement)


def joint_means(masses, sides, n):
    """Mean masses of all pairs of placements, each start uniform."""
    every = [[labelled(sets) for sets in all_placements(n, texts)] for texts in sides]
    return np.mean([masses(one, two) for one, two in product(*every)], axis=0)


def labelled(sets):
    return [("A", tokens) for tokens in sets]


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
    return align(*(spans_of([labelled(sets)], n) for sets in found))


@pytest.mark.parametrize("way", ["IO", "BIO", "BIOE", "IO*", "span_hits"])
@pytest.mark.parametrize("case", SIDES)
@pytest.mark.parametrize("unit", ["document", "sentence"])
def test_overlapping_placement_expects_what_the_enumeration_does(case, way, unit):
    gold, pred = sides_of(case, 6)
    observed, model = COUNTS[way](gold, pred), {"placement": "overlapping", "unit": unit}
    if way == "span_hits":
        found = expected_span_hits(gold, pred, observed, **model)
        masses = pairs_of_spans
    else:
        found = expected_token_hits(gold, pred, observed, encoding=way, **model)
        masses = ORACLES[way]
    numbers = [float(table.sum()) for table in vars(found).values()]
    assert numbers == pytest.approx(joint_means(masses, SIDES[case], 6))


def pairs_of_spans(one, two):
    """Random spans that coincide count as pairs."""
    number = sum(a == b for a in one for b in two)
    return [len(one), number, len(two), number]


def test_overlapping_draws_have_the_exact_mean():
    gold, pred = sides_of("other gaps", 6)
    rng, table = np.random.default_rng(0), units(gold, pred)
    samplers = [sampler(spans, table, "overlapping") for spans in (gold, pred)]
    drawn = [token_hits(*(one(rng) for one in samplers)).recalled.sum() for _ in range(1000)]
    exact = expected_token_hits(
        gold, pred, token_hits(gold, pred), placement="overlapping", unit="document"
    )
    error = np.std(drawn) / 1000**0.5
    assert np.mean(drawn) == pytest.approx(float(exact.recalled.sum()), abs=4 * error)
