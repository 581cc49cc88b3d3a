"""Where objects of a random order stand: both routes against exact counting."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, perm

import numpy as np
import pytest

from helpers import oracles
from helpers.cases import each_case
from helpers.strategies import SIZES, multisets
from spacy_chance_eval.measures import no_overlap_probability
from spacy_chance_eval.measures.chance import placement
from spacy_chance_eval.measures.chance.placement import (
    FREE_TOKEN,
    cases_of,
    start_distributions,
    start_edges,
)

MIDDLE = [
    (12, (1, 2, 2)),
    (30, (3, 3, 2, 1, 7)),
    (33, (1, 5, 10, 15)),
    (40, (2,) * 6 + (1,) * 4),
    (50, (25, 22)),
]
LONG = [*MIDDLE, (100, (1, 5, 10, 15)), (300, (2,) * 20 + (3,) * 10 + (1,) * 30)]


def objects_of(n, lengths):
    """The cases of one unit, and every kind of object in it: the free token, then each length."""
    cases = cases_of([(n, lengths)])
    rows = np.arange(-1 if n > sum(lengths) else 0, len(cases.length))
    return cases, np.zeros_like(rows), rows


def all_places(n, lengths):
    """What the routes take: every kind of object, with all of its places."""
    cases, case, rows = objects_of(n, lengths)
    return cases, case, rows, placement.n_places(cases, case, rows)


def exact_objects(n, lengths):
    """The exact distribution of each of `objects_of`, one after the other, as floats."""
    free = n - sum(lengths)
    out = exact_edge(free - 1, lengths, n) if free else []
    for length in sorted(set(lengths)):
        others = list(lengths)
        others.remove(length)
        out += exact_edge(free, others, n - length + 1)
    return np.array([float(x) for x in out])


def test_the_exact_count_agrees_with_the_papers_formula():
    for n, lengths in [(9, (1, 2, 2)), (12, (3, 1, 4)), (7, (7,))]:
        for i, length in enumerate(lengths):
            others = [*lengths[:i], *lengths[i + 1 :]]
            assert exact_edge(n - sum(lengths), others, n - length + 1) == [
                oracles.formula_start_probability(start, i, n, lengths)
                for start in range(1, n - length + 2)
            ]


SMALL = [(n, lengths) for n in SIZES for lengths in multisets(n)]


@each_case(("n", "lengths"), [*SMALL, *MIDDLE, (31, (1, 5, 10, 15))])
def test_both_routes_are_the_fractions(n, lengths):
    cases, case, rows, held = all_places(n, lengths)
    exact = exact_objects(n, lengths)
    found = np.concatenate([np.zeros(0), *placement.by_quadrature(cases, 0, rows, held)])
    np.testing.assert_allclose(found, exact, atol=1e-13)
    if len(rows):
        found = placement.by_subset_sums(cases, case, rows, held)
        np.testing.assert_allclose(found, exact, rtol=1e-10, atol=1e-15)


@each_case(("n", "lengths"), LONG)
def test_the_quadrature_that_is_asked_for_the_edge_gives_the_first_places(n, lengths):
    cases, case, rows, _ = all_places(n, lengths)
    held = placement.edge_sizes(cases, case, rows)
    edges = placement.by_quadrature(cases, 0, rows, held)
    full = placement.by_quadrature(cases, 0, rows, placement.n_places(cases, case, rows))
    for edge, distribution, places in zip(edges, full, held, strict=True):
        np.testing.assert_allclose(edge, distribution[:places], atol=1e-12)


@each_case(("n", "lengths"), SMALL)
def test_between_the_edges_all_places_are_equally_likely(n, lengths):
    cases, case, rows, places = all_places(n, lengths)
    held = placement.edge_sizes(cases, case, rows)
    exact = np.split(exact_objects(n, lengths), np.cumsum(places)[:-1])
    for distribution, edge in zip(exact if len(places) else [], held):
        middle = distribution[edge - 1 : len(distribution) - edge + 1]
        assert (np.abs(middle - distribution[edge - 1]) < 1e-15).all()
        np.testing.assert_allclose(distribution, distribution[::-1], atol=1e-15)


FAMILIES = {
    "sparse, short": lambda n: tuple(2 + i % 3 for i in range(n // 20)),
    "dense, short": lambda n: tuple(1 + i % 8 for i in range(n // 6)),
    "dense, of one length": lambda n: (4,) * (n // 5),
    "many distinct lengths": lambda n: tuple(range(1, int(n**0.5))),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_routes_agree_on_both_sides_of_every_crossing(name):
    sizes = (20 * 1.1 ** np.arange(60)).astype(int).tolist()
    units = [(n, FAMILIES[name](n) or (2,)) for n in sizes]
    chosen = placement.take_subset_sums(cases_of(units))
    crossings = np.flatnonzero(chosen[1:] != chosen[:-1])
    assert chosen[0] and not chosen[-1] and len(crossings)
    for n, lengths in [units[i + side] for i in crossings for side in (0, 1)]:
        cases, case, rows = objects_of(n, lengths)
        held = placement.edge_sizes(cases, case, rows)
        counted = placement.by_subset_sums(cases, case, rows, held)
        integrated = np.concatenate(list(placement.by_quadrature(cases, 0, rows, held)))
        np.testing.assert_allclose(counted, integrated, atol=1e-13)
    # never where the numbers of subsets overflow
    assert not placement.take_subset_sums(cases_of([(10**6, (2,) * 1200)])).any()


def test_cases_of_one_call_stand_in_the_order_asked_for(monkeypatch):
    units = [(9, (1, 2)), (3000, tuple(range(1, 40))), (12, (5,)), (2500, tuple(range(1, 38)))]
    units += [unit for unit in SMALL if unit[1]]
    cases = cases_of(units)
    assert cases.sizes.tolist() == [n for n, _ in units]
    assert cases.free.tolist() == [n - sum(lengths) for n, lengths in units]
    kinds = [sorted(Counter(lengths).items()) for _, lengths in units]
    kinds = [row for rows in kinds for row in rows]
    assert list(zip(cases.length.tolist(), cases.count.tolist())) == kinds
    values, offsets = start_edges(cases)
    alone = np.concatenate([start_edges(cases_of([unit]))[0] for unit in units])
    np.testing.assert_allclose(values, alone, rtol=1e-12, atol=1e-15)
    monkeypatch.setattr(placement, "BATCH", 16)
    pieces, borders = start_edges(cases_of(units))
    np.testing.assert_array_equal(offsets, borders)
    np.testing.assert_allclose(pieces, values, rtol=1e-12)


@pytest.mark.parametrize(
    ("n", "lengths"),
    [
        (5000, (2,) * 150 + (5,) * 100 + (9,) * 50),
        # a thousand segments of one length do not overflow, nor those that fill the unit
        (1500, (1,) * 1400),
        (3000, (1,) * 1500),
        (2500, (2,) * 1100),
        (1800, (1, 2) * 600),
    ],
)
def test_every_distribution_of_a_long_text_sums_to_one(n, lengths):
    for starts in start_distributions(cases_of([(n, lengths)])):
        assert starts.sum() == pytest.approx(1)


def exact_weight(objects, free, m, x):
    return Fraction(comb(free, x), objects * comb(objects - 1, m + x))


@pytest.mark.parametrize(
    ("free", "segments", "error"),
    [(10**3, 3, 3e-15), (10**6, 3, 3e-15), (10**5, 60, 3e-14), (10**4, 900, 3e-13)],
)
def test_weights_of_orders_are_the_fractions_for_many_objects(free, segments, error):
    rng = np.random.default_rng(free)
    for m in {0, 1, segments // 2, segments}:
        for x in {0, 1, 2, 40, free, free - 1, *rng.integers(free, size=3).tolist()}:
            if free > 10**4 and min(x, free - x) > 1000:
                continue  # too long for fractions
            exact = exact_weight(free + segments + 1, free, m, x)
            one = np.array([[free + segments + 1, free, m, x]]).T
            if exact > Fraction(1, 10**250):
                assert abs(Fraction(float(placement.order_weights(*one)[0])) / exact - 1) < error


@each_case("n", [10**3, 10**4, 10**5, 10**6])
@each_case("lengths", [(3,), (3, 5, 7), (1, 2, 3, 4, 5), (4,) * 5 + (9,) * 5])
def test_subset_sums_keep_their_digits_in_long_units(n, lengths):
    cases, case, rows = objects_of(n, lengths)
    held = placement.edge_sizes(cases, case, rows)
    values = placement.by_subset_sums(cases, case, rows, held)
    for edge, row, places in zip(np.split(values, np.cumsum(held)[:-1]), rows, held, strict=True):
        others = sorted(lengths)
        if row != FREE_TOKEN:
            others.remove(cases.length[row])
        exact = exact_edge(n - sum(lengths) - (row == FREE_TOKEN), others, places)
        off = max(abs(Fraction(float(a)) / b - 1) for a, b in zip(edge, exact, strict=True))
        assert off < 5e-15


def exact_edge(free, others, places):
    """The first places of where an object stands, as Fractions; for few others in a long unit."""
    ways = {(0, 0): 1}
    for length in others:
        for (m, s), count in list(ways.items())[::-1]:
            if s + length < places:
                ways[m + 1, s + length] = ways.get((m + 1, s + length), 0) + count
    objects, out = len(others) + int(free) + 1, [Fraction(0)] * places
    for (m, s), count in ways.items():
        for x in range(min(int(free) + 1, places - s)):
            out[s + x] += count * exact_weight(objects, int(free), m, x)
    return out


# --- the probability that two random annotations share no token (Proposition 4)


LENGTHS = [(), (1,), (3,), (1, 1), (2, 3), (1, 2, 2), (1, 1, 1)]


def covered_sets(n, lengths):
    """The covered tokens of every placement, by enumeration."""
    return [oracles.tokens(spans) for _, spans in oracles.placements_disjoint(n, lengths)]


@pytest.mark.parametrize("n", [5, 6, 7])
def test_it_is_the_share_of_all_pairs_of_placements(n):
    for one, two in product(LENGTHS, LENGTHS):
        every = [*product(covered_sets(n, one), covered_sets(n, two))]
        expected = sum(not first & second for first, second in every) / len(every)
        assert no_overlap_probability(n, one, two) == pytest.approx(expected, abs=1e-14)


def test_the_closed_form_is_exact_in_long_texts():
    n, one, two = 5_000, [3] * 40 + [7] * 5, [2] * 60
    pairs = perm(n - 155 + 45, 45) * perm(n - 120 + 60, 60)
    exact = Fraction(perm(n - 155 - 120 + 105, 105), pairs)
    for sides in ((one, two), (two, one)):
        assert no_overlap_probability(n, *sides) == pytest.approx(float(exact), rel=1e-12)


@each_case(
    ("arguments", "message"),
    [
        ((5, [3, 3], [1]), r"lengths \[3, 3\] cannot be placed in 5 tokens"),
        ((5, [1], [6]), r"lengths \[6\] cannot be placed in 5 tokens"),
        ((5, [2, 0], [1]), r"lengths \[2, 0\] cannot be placed"),
        ((5, [0], [1]), r"lengths \[0\] cannot be placed"),
        ((5, [2.5], [1]), r"one must hold whole numbers, not \[2.5\]"),
        ((5, [1], [1.5]), r"two must hold whole numbers, not \[1.5\]"),
    ],
)
def test_wrong_arguments_are_told(arguments, message):
    with pytest.raises(ValueError, match=message):
        no_overlap_probability(*arguments)
