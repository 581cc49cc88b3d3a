"""Which exact route is the fastest? The crossing points between the routes of `placement`.

The work of a route is a few counts of steps; the seconds of a step are fitted to measured times by
`benchmarks/crossing.py`, on which the constants below rest. A wrong estimate costs time only.
"""

import numpy as np

from .quadrature import NEGLIGIBLE, n_nodes

ROUTES = ("subset sums", "convolution", "quadrature")
SECONDS = {  # of each step in `route_work`, in its order
    "subset sums": (1.3e-05, 6.6e-09),
    "convolution": (1.4e-04, 5.8e-10, 4.3e-09),
    "quadrature": (2.8e-04, 1.0e-08, 1.0e-08),
}
MOST_COUNTED = 900  # segments, beyond which the numbers of subsets would overflow
MOST_HELD = 1 << 22  # numbers that counting may hold for one object, less than half a GB


def fastest_routes(cases, n_objects):
    """Index in `ROUTES` of the route with the least estimated seconds, per case."""
    segments = cases.sums(cases.count)
    seconds = [np.dot(SECONDS[name], work) for name, work in route_work(cases, n_objects).items()]
    for counting, elements in zip(seconds, (n_subsets(cases), (segments + 1) * n_held(cases))):
        counting[(segments > MOST_COUNTED) | (elements > MOST_HELD)] = np.inf
    return np.argmin(seconds, axis=0)


def route_work(cases, n_objects):
    """Steps that each route takes for so many objects of each case: {route: (steps, n_cases)}."""
    segments, held = cases.sums(cases.count), n_held(cases)
    rows = n_objects * (segments + 1.0) * held  # the tables that the convolution fills
    pairs = node_frequencies(cases)
    steps = {
        "subset sums": (n_objects, n_objects * n_subsets(cases)),
        "convolution": (n_objects, rows * segments, rows * np.log2(held + 2)),
        "quadrature": (np.ones(len(pairs)), pairs * (np.diff(cases.first) + 1), pairs * n_objects),
    }
    return {route: np.array(amounts) for route, amounts in steps.items()}


def n_held(cases):
    """About how many places the edge of one object has, per case."""
    spare = cases.sums(cases.count * (cases.length - 1))
    return np.minimum(spare + 1, (cases.sizes + 1) // 2)


def n_subsets(cases):
    """About how many numbers the subset sums of one object touch, per case."""
    segments, held = cases.sums(cases.count), n_held(cases)
    multisets = np.bincount(cases.case, np.log2(cases.count + 1.0), len(cases.free))
    subsets = np.minimum(np.exp2(np.minimum(multisets, 60)), (segments + 1.0) * (held + 1) / 2)
    return subsets * (held + 1) / 2


def node_frequencies(cases):
    """About how many pairs of a node and a frequency matter in the quadrature, per case.

    With N nodes u = sin^2(phi / 2) on half of the range of phi: where u (1 - u) times the number of
    objects stays below `NEGLIGIBLE`, all n / 2 frequencies do. Elsewhere those do for which the
    product is not damped away, as if of a normal distribution of variance u (1 - u) * squares.
    """
    squares = cases.free + cases.sums(cases.length**2 * cases.count)
    objects = np.maximum(cases.free + cases.sums(cases.count), 1)
    all_of_them = cases.sizes / 2 + 1
    few = np.sqrt(8 * NEGLIGIBLE / np.maximum(squares, 1)) * cases.sizes / (2 * np.pi)
    border = np.arcsin(np.minimum(2 * np.sqrt(NEGLIGIBLE / objects), 1))
    inner = np.minimum(few * -np.log(np.tan(border / 2)), all_of_them * (np.pi / 2 - border))
    return n_nodes(objects - 1) / np.pi * (all_of_them * border + inner)
