"""Random annotations: draws from the model, and what can be learnt from many of them."""

import zlib

import numpy as np

from ..alignment import units
from ..spans import expanded, scrambled, sorted_columns, trusted
from ..stats import stack
from .expectation import cell_ids, parents


def sampler(spans, table, placement="disjoint", rank=None):
    """A function rng -> `Spans`: the same spans, thrown at random into the same units.

    `table` are the `units`; spans of one label and unit keep their number and lengths. Under the
    overlapping placement two of equal length can fall together; both rows are kept. Documents take
    their random numbers in the order of `rank`, by default their own.
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
    layers = list(_nesting_layers(parent))

    def one_draw(rng):
        start = np.empty(len(spans), np.int64)
        for depth, rows in enumerate(layers):
            inside = parent[rows] if depth else container[rows]
            size = spans.lengths[parent[rows]] if depth else room[rows]
            order = np.argsort(inside, kind="stable")
            _, example, owner = np.unique(inside[order], return_index=True, return_inverse=True)
            rows = rows[order]
            place = random_starts(owner, spans.lengths[rows], size[order][example], rng)
            start[rows] = place + (start[parent[rows]] if depth else base[rows])
        return _move(spans, start)

    return one_draw


def random_starts(owner, lengths, sizes, rng):
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


def _nesting_layers(parent):
    """Rows of the outermost spans, of their children, and so on."""
    rows = np.flatnonzero(parent < 0)
    while len(rows):
        yield rows
        rows = np.flatnonzero(np.isin(parent, rows))


def _move(spans, start):
    """The same spans at other places of their documents."""
    columns = spans.columns() | {"start": start, "end": start + spans.lengths}
    return trusted(spans, **sorted_columns(columns))


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
        Documents take their random numbers in an order that their content alone decides.
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
    keys = scrambled(gold.document_keys(), pred.document_keys(), word_keys(gold))
    rank = np.argsort(np.argsort(keys, kind="stable"))
    samplers = [sampler(spans, table, placement, rank) for spans in (gold, pred)]
    rows, totals = None, []
    for _ in progress(range(draws)):
        statistics = count(*(sample(rng) for sample in samplers))
        totals.append(statistics.total())
        rows = statistics if rows is None else rows + statistics
    alike = np.unique(keys, return_inverse=True)[1]
    return rows.each(lambda array: _group_means(array / draws, alike)), stack(totals)


def _group_means(array, group):
    """The mean of all rows of a group, for each of them: equal documents expect the same."""
    sums = np.zeros((group.max(initial=-1) + 1, *array.shape[1:]))
    np.add.at(sums, group, array)
    return (sums / np.bincount(group).reshape(-1, *[1] * (array.ndim - 1)))[group]


def word_keys(spans):
    """A number for each document that tells its words, as far as they are known."""
    if spans.words is None:
        return np.zeros(spans.n_docs, np.int64)
    cuts = spans.offsets.tolist()
    texts = ("\0".join(spans.words[a:b]) for a, b in zip(cuts, cuts[1:]))
    return np.array([zlib.crc32(text.encode()) for text in texts], np.int64)


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
