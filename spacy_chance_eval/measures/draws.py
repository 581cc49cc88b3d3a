"""Random annotations: draws from the model, and what can be learnt from many of them."""

import numpy as np

from .alignment import units
from .expectation import cell_ids
from .nesting import parents
from .spans import expanded, trusted
from .stats import stack


def draw(n, lengths, size, rng, *, placement="disjoint"):
    """Random starts of the segments of one unit.

    Parameters
    ----------
    n : int
        Tokens of the unit.
    lengths : sequence of k ints
    size : int
        Number of draws.
    rng : numpy.random.Generator
    placement : "disjoint" or "overlapping"

    Returns
    -------
    integer ndarray of shape (size, k)
        0-based starts, uniform over the placements.
    """
    lengths = np.asarray(lengths, np.int64)
    too_long = (lengths.sum() if placement == "disjoint" else lengths.max(initial=0)) > n
    if too_long or lengths.min(initial=1) < 1:
        raise ValueError(f"segments of lengths {lengths.tolist()} cannot be placed in {n} tokens")
    if placement == "overlapping":
        return rng.integers(0, n - lengths + 1, (size, len(lengths)))
    if placement != "disjoint":
        raise ValueError(f"cannot draw placement {placement!r}; expected disjoint or overlapping")
    groups = np.arange(size)
    copies = np.tile(lengths, size)
    owner = np.repeat(groups, len(lengths))
    return shuffled(owner, copies, np.full(size, n), rng).reshape(size, len(lengths))


def shuffled(owner, lengths, sizes, rng):
    """Starts of segments that are thrown into their containers without overlap, uniformly.

    `owner` (ordered) is the container of each segment, `sizes` the tokens of each container. The
    segments of a container take distinct places in its random order of segments and free tokens.
    """
    marked = np.bincount(owner, lengths, len(sizes)).astype(np.int64)
    objects = sizes - marked + np.bincount(owner, minlength=len(sizes))
    slot = distinct_slots(owner, objects, rng)
    order = np.lexsort((slot, owner))
    first = np.searchsorted(owner, owner)
    before = np.cumsum(lengths[order]) - lengths[order]
    rank = np.arange(len(owner)) - first
    start = np.empty(len(owner), np.int64)
    start[order] = slot[order] - rank + before - before[first]
    return start


def distinct_slots(owner, objects, rng):
    """One of `objects[c]` places for every row of container c, no two alike, uniformly.

    Containers in which two rows fall together are thrown anew; those that stay crowded are dealt
    from a shuffled deck. Both are uniform over the ways without a clash, so their mixture is too.
    """
    slot = rng.integers(0, objects[owner])
    rows = np.arange(len(owner))
    for _ in range(8):
        key = np.sort(owner[rows] * (objects.max(initial=0) + 1) + slot[rows])
        crowded = np.unique(key[1:][key[1:] == key[:-1]] // (objects.max(initial=0) + 1))
        rows = rows[np.isin(owner[rows], crowded)]
        if not len(rows):
            return slot
        slot[rows] = rng.integers(0, objects[owner[rows]])
    containers = np.unique(owner[rows])
    deck, card = expanded(np.zeros_like(containers), objects[containers])
    card = card[np.lexsort((rng.random(len(card)), deck))]
    first = np.concatenate([[0], np.cumsum(objects[containers])[:-1]])
    rank = rows - np.searchsorted(owner, owner[rows])
    slot[rows] = card[first[np.searchsorted(containers, owner[rows])] + rank]
    return slot


def sampler(spans, table, placement="disjoint"):
    """A function rng -> `Spans`: the same spans, thrown at random into the same units.

    `table` are the `units`; spans of one label and unit keep their number and lengths. Under the
    overlapping placement two of equal length can fall together; both rows are kept.
    """
    cell = cell_ids(spans, table)
    unit = table[cell // max(len(spans.labels), 1)]
    base = unit[:, 1] - spans.offsets[spans.doc]
    if placement == "overlapping":
        places = unit[:, 2] - unit[:, 1] - spans.lengths + 1
        return lambda rng: moved(spans, base + rng.integers(0, places))
    parent = parents(spans) if placement == "nested" else np.full(len(spans), -1)
    layers = list(nesting_layers(parent))
    size_of_cell = unit[:, 2] - unit[:, 1]

    def one_draw(rng):
        start = np.empty(len(spans), np.int64)
        for rows in layers:
            outer = parent[rows[0]] < 0 if len(rows) else True
            container = cell[rows] if outer else parent[rows]
            size = size_of_cell[rows] if outer else spans.lengths[parent[rows]]
            order = np.argsort(container, kind="stable")
            _, example, owner = np.unique(container[order], return_index=True, return_inverse=True)
            ordered = rows[order]
            inside = shuffled(owner, spans.lengths[ordered], size[order][example], rng)
            start[ordered] = inside + (base[ordered] if outer else start[parent[ordered]])
        return moved(spans, start)

    return one_draw


def nesting_layers(parent):
    """Rows of the outermost spans, of their children, and so on."""
    rows = np.flatnonzero(parent < 0)
    while len(rows):
        yield rows
        rows = np.flatnonzero(np.isin(parent, rows))


def moved(spans, start):
    """The same spans at other places of their documents."""
    end = start + spans.lengths
    order = np.lexsort((spans.label, end, start, spans.doc))
    return trusted(
        spans, doc=spans.doc, start=start[order], end=end[order], label=spans.label[order]
    )


def drawn(count, gold, pred, *, placement, unit, draws, rng, progress=iter):
    """Statistics of many pairs of random annotations.

    Parameters
    ----------
    count : callable
        count(gold, pred) -> Additive, one row per document.
    gold, pred : Spans
        Aligned; each is randomised independently of the other.
    draws : int
    rng : numpy.random.Generator
        The random numbers, not the model, follow the order of documents and labels.
    progress : callable
        Wraps the range of draws; for progress bars.

    Returns
    -------
    expected : Additive
        Mean over the draws, one row per document: the expected statistics.
    totals : Additive
        The total of each draw, shape (draws, n_labels): the spread of the expectation, and what a
        p-value is read from.
    """
    table = units(gold, pred, unit)
    samplers = [sampler(spans, table, placement) for spans in (gold, pred)]
    rows, totals = None, []
    for _ in progress(range(draws)):
        statistics = count(*(sample(rng) for sample in samplers))
        totals.append(statistics.total())
        rows = statistics if rows is None else rows + statistics
    return rows.each(lambda array: array / draws), stack(totals)


def standard_error(replicas):
    """Standard error of a mean of independent draws along the first axis; nan for a single one."""
    replicas = np.asarray(replicas, float)
    if len(replicas) < 2:
        return np.full(replicas.shape[1:], np.nan)
    return replicas.std(axis=0, ddof=1) / np.sqrt(len(replicas))


def p_value(observed, replicas):
    """How often chance reaches the observed score: (1 + draws that do) / (1 + draws).

    `replicas` has the draws in front; a draw whose score is undefined does not reach anything. nan
    where nothing was observed. Source: Davison and Hinkley (1997), section 4.2.
    """
    reached = (np.asarray(replicas) >= np.asarray(observed) - 1e-12).sum(axis=0)
    return np.where(np.isnan(observed), np.nan, (1 + reached) / (1 + len(replicas)))
