"""Random annotations: draws from the model, and means and p-values of many of them."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..alignment import units
from ..arrays import (
    DRAW,
    Array,
    FloatArray,
    IntArray,
    KeyArray,
    check_memory,
    distinct,
    stable_order,
)
from ..resampling import arrays_of
from ..spans import Spans, expanded, moved_pieces, scrambled, sorted_columns, trusted
from ..stats import A, stack
from ..words import word_keys_of
from .expectation import cell_ids, parents

# in quotes, as numpy loads numpy.random when it is first needed
Sampler: TypeAlias = "Callable[[np.random.Generator], Spans]"


def sampler(
    spans: Spans, table: IntArray, placement: str = "disjoint", rank: IntArray | None = None
) -> Sampler:
    """A function from a random generator to `Spans`: the same spans, placed at random.

    Spans of one label and unit keep their number and lengths. Under the overlapping placement two
    of equal length can fall together; both rows are kept.

    `table` has the units, from `alignment.units`. "overlapping" moves a discontinuous span with its
    gaps; the other placements take none, and "uniform" cannot be drawn. `rank` is the order in
    which documents take their random numbers; by default their own.
    """
    rank = np.arange(spans.n_docs) if rank is None else rank
    spans = spans.keep(np.argsort(rank[spans.doc], kind="stable"))
    cell = cell_ids(spans, table)
    unit = table[cell // max(len(spans.labels), 1)]
    base = unit[:, 1] - spans.offsets[spans.doc]
    room = unit[:, 2] - unit[:, 1]
    if placement == "overlapping":
        return lambda rng: _move(spans, base + rng.integers(0, room - spans.lengths + 1))
    first = np.unique(cell, return_index=True, return_inverse=True)
    container = first[1][first[2]]  # the first row of each cell: in the order of the rank
    parent = parents(spans) if placement == "nested" else np.full(len(spans), -1)
    layers = []  # what is the same in all draws
    for depth, rows in enumerate(_nesting_layers(parent)):
        inside = parent[rows] if depth else container[rows]
        size = spans.lengths[parent[rows]] if depth else room[rows]
        order = np.argsort(inside, kind="stable")
        _, example, owner = np.unique(inside[order], return_index=True, return_inverse=True)
        layers.append((rows[order], owner, size[order][example]))

    def one_draw(rng: "np.random.Generator") -> Spans:
        start = np.empty(len(spans), np.int64)
        for depth, (rows, owner, sizes) in enumerate(layers):
            place = random_starts(owner, spans.lengths[rows], sizes, rng)
            start[rows] = place + (start[parent[rows]] if depth else base[rows])
        return _move(spans, start)

    return one_draw


def random_starts(
    owner: IntArray, lengths: IntArray, sizes: IntArray, rng: "np.random.Generator"
) -> IntArray:
    """Random starts of segments in their containers, uniform over the placements without overlap.

    `owner` (ordered) is the container of each segment, `sizes` the tokens of each container. The
    segments of a container take distinct places in its random order of segments and free tokens.
    """
    marked = np.bincount(owner, lengths, len(sizes)).astype(np.int64)
    numbers = np.bincount(owner, minlength=len(sizes))
    objects = sizes - marked + numbers
    slot = distinct_slots(owner, objects, rng)
    order = stable_order(owner, slot)
    first = np.repeat(np.cumsum(numbers) - numbers, numbers)
    before = np.cumsum(lengths[order]) - lengths[order]
    rank = np.arange(len(owner)) - first
    start = np.empty(len(owner), np.int64)
    start[order] = slot[order] - rank + before - before[first]
    return start


def distinct_slots(owner: IntArray, objects: IntArray, rng: "np.random.Generator") -> IntArray:
    """A random one of `objects[c]` places for every row of container c, without replacement.

    Containers in which two rows coincide are drawn again; those that stay crowded are dealt from a
    shuffled deck. Both are uniform over the ways without a clash, so their mixture is, too.
    """
    slot = rng.integers(0, objects[owner])
    rows = np.arange(len(owner))
    for _ in range(8):
        key = np.sort(owner[rows] * (objects.max(initial=0) + 1) + slot[rows])
        crowded = np.zeros(len(objects), bool)
        crowded[key[1:][key[1:] == key[:-1]] // (objects.max(initial=0) + 1)] = True
        rows = rows[crowded[owner[rows]]]
        if not len(rows):
            return slot
        slot[rows] = rng.integers(0, objects[owner[rows]])
    containers = distinct(owner[rows])
    deck, card = expanded(np.zeros_like(containers), objects[containers])
    card = card[np.lexsort((rng.random(len(card)), deck))]
    first = np.concatenate([[0], np.cumsum(objects[containers])[:-1]])
    rank = rows - np.searchsorted(owner, owner[rows])
    slot[rows] = card[first[np.searchsorted(containers, owner[rows])] + rank]
    return slot


def _nesting_layers(parent: IntArray) -> Iterator[IntArray]:
    """Yield the rows of the outermost spans, of their children, and so on."""
    rows = np.flatnonzero(parent < 0)
    while len(rows):
        yield rows
        rows = np.flatnonzero(np.isin(parent, rows))


def _move(spans: Spans, start: IntArray) -> Spans:
    """The same spans at other places of their documents."""
    columns = spans.columns() | {"start": start, "end": start + spans.lengths}
    if spans.fragments is not None:
        columns["fragments"] = moved_pieces(spans.fragments, start - spans.start)
    return trusted(spans, **sorted_columns(columns))


def drawn(
    count: Callable[[Spans, Spans], A],
    gold: Spans,
    pred: Spans,
    *,
    placement: str,
    unit: str,
    draws: int,
    rng: "np.random.Generator",
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> tuple[A, A]:
    """Statistics of many pairs of random annotations.

    `count(gold, pred)` gives statistics of two annotators, who are aligned; each is randomised
    independently of the other. Documents take their random numbers in an order that their content
    alone decides. Returned are the mean over the draws, one row per document: the expected
    statistics; and the total of each draw, of shape (draws, n_labels), for standard errors and
    p-values.
    """
    table = units(gold, pred, unit)
    keys = scrambled(gold.document_keys(), pred.document_keys(), word_keys(gold))
    rank = np.argsort(np.argsort(keys, kind="stable"))
    samplers = [sampler(spans, table, placement, rank) for spans in (gold, pred)]
    rows: A | None = None
    totals: list[A] = []
    for _ in progress(range(draws)):
        statistics = count(samplers[0](rng), samplers[1](rng))
        totals.append(statistics.total())
        if rows is None:
            n_bytes = sum(array.nbytes for array in arrays_of(totals[0]))
            check_memory("draws", draws, DRAW + 2 * n_bytes, f"for {len(gold.labels):,} labels")
        rows = statistics if rows is None else rows + statistics
    if rows is None:
        raise ValueError(f"draws is {draws}; expected 1 or more")
    alike = np.unique(keys, return_inverse=True)[1]
    return rows.each(lambda array: _group_means(array / draws, alike)), stack(totals)


def _group_means(array: Array, group: IntArray) -> FloatArray:
    """The mean of all rows of a group, for each of them: equal documents expect the same."""
    sums = np.zeros((group.max(initial=-1) + 1, *array.shape[1:]))
    np.add.at(sums, group, array)
    means: FloatArray = sums / np.bincount(group).reshape(-1, *[1] * (array.ndim - 1))
    return means[group]


def word_keys(spans: Spans) -> KeyArray:
    """A number for each document that identifies its words; 0 if these are unknown."""
    if spans.words is None:
        return np.zeros(spans.n_docs, np.uint64)
    return word_keys_of(spans.words, spans.offsets)


def standard_error(replicas: ArrayLike) -> FloatArray:
    """Standard error of a mean of independent draws along the first axis; nan for a single draw."""
    replicas = np.asarray(replicas, float)
    if len(replicas) < 2:
        return np.full(replicas.shape[1:], np.nan)
    error: FloatArray = replicas.std(axis=0, ddof=1) / np.sqrt(len(replicas))
    return error


def p_value(observed: ArrayLike, replicas: ArrayLike) -> FloatArray:
    """p-value of a score by random annotations: (1 + draws that reach it) / (1 + draws).

    `replicas` are of shape (draws, ...); one that is nan does not reach anything. In (0, 1]; nan
    where the observed score is.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and Their Application, section 4.2.
    """
    observed, replicas = np.asarray(observed), np.asarray(replicas)
    reached = (replicas >= observed - 1e-12).sum(axis=0)
    return np.where(np.isnan(observed), np.nan, (1 + reached) / (1 + len(replicas)))
