"""Which route is taken, and that it does not matter for the result."""

import numpy as np
import pytest

from spacy_chance_eval.measures.chance import placement
from spacy_chance_eval.measures.chance.placement import (
    SECONDS,
    by_convolution,
    by_subset_sums,
    cases_of,
    edge_sizes,
    fastest_routes,
    node_frequencies,
)
from spacy_chance_eval.measures.chance.quadrature import (
    Frequencies,
    by_quadrature,
    gauss_legendre,
    n_nodes,
)

FAMILIES = {
    "sparse, short": lambda n: tuple(1 + i % 3 for i in range(n // 20)),
    "dense, short": lambda n: tuple(1 + i % 8 for i in range(n // 6)),
    "dense, of one length": lambda n: (4,) * (n // 5),
    "many distinct lengths": lambda n: tuple(range(1, int(n**0.5))),
}


def family(name, most=5000):
    """Units of growing size, with their lengths: sizes grow by a tenth."""
    n = 20
    while n <= most:
        yield n, FAMILIES[name](n) or (1,)
        n += n // 10


def route_of(unit, n_objects=1):
    return tuple(SECONDS)[fastest_routes(cases_of([unit]), np.array([n_objects]))[0]]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_routes_agree_on_both_sides_of_every_crossing(name):
    units = list(family(name))
    chosen = [route_of(unit) for unit in units]
    crossings = [i for i in range(1, len(units)) if chosen[i] != chosen[i - 1]]
    assert crossings
    for i in crossings:
        for n, lengths in units[i - 1 : i + 1]:
            cases = cases_of([(n, lengths)])
            rows = np.array([-1, 0])
            held = edge_sizes(cases, np.zeros_like(rows), rows)
            every = [
                by_subset_sums(cases, np.zeros_like(rows), rows, held),
                np.concatenate(list(by_convolution(cases, 0, rows, held))),
                np.concatenate(list(by_quadrature(cases, 0, rows, held))),
            ]
            for found in every[:2]:
                np.testing.assert_allclose(found, every[2], atol=1e-13)


def test_every_route_is_the_fastest_somewhere():
    chosen = {route_of(unit) for name in FAMILIES for unit in family(name)}
    assert chosen == set(SECONDS)


def test_the_steps_and_their_seconds_belong_together():
    cases = cases_of([(30, (3, 1)), (100, (5,))])
    work = placement.route_work(cases, np.array([1, 2]))
    assert list(work) == list(SECONDS)
    for route, steps in work.items():
        assert steps.shape == (len(SECONDS[route]), 2)
        assert (steps > 0).all()


def test_counting_is_not_taken_where_its_table_would_not_fit_into_memory(monkeypatch):
    unit = 1000, tuple(range(1, 31))
    assert route_of(unit) == "convolution"
    monkeypatch.setattr(placement, "MOST_HELD", 10_000)
    assert route_of(unit) == "quadrature"


@pytest.mark.parametrize(
    ("n", "lengths"),
    [(200, (2,) * 20), (3000, (1, 5, 9) * 80), (3000, tuple(range(1, 60))), (20000, (4,) * 2000)],
)
def test_the_estimated_pairs_of_nodes_and_frequencies_are_about_those_that_are_worked_out(
    n, lengths
):
    cases = cases_of([(n, lengths)])
    length, count = np.append(cases.length, 1), np.append(cases.count, cases.free)
    grid, objects = Frequencies(length, count), int(count.sum())
    node, _ = gauss_legendre(n_nodes(objects - 1))
    pairs = np.searchsorted(grid.damping, 41.5 / (node * (1 - node)), "right").sum()
    assert node_frequencies(cases)[0] == pytest.approx(pairs, rel=0.5)
