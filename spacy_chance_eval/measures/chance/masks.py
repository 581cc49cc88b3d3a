"""Segments placed among candidates: a segment lies only where all of its tokens are candidates.

The candidates of a unit of text are *runs* of adjacent tokens. Neither their order nor the distance
between them matters: the unit becomes a *line*, its runs from short to long with one token between
them, so that many units are the same case.

Under the overlapping placement each start is uniform over the places where the segment fits. Under
the disjoint placement all placements without a shared token are equally likely. They are counted
along the line: the state is how many segments of each distinct length are placed so far. The number
of ways in front of a segment times the number of ways behind it is the weight of its start.

Where not all segments fit at once, as many as possible are placed: any of those of one length may
be left out, and these match nothing.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..spans import Spans, expanded

Runs: TypeAlias = tuple[int, ...]  # lengths of the runs of a unit, ascending
MOST_STATES = 1 << 23  # places times states: 64 MB of logarithms


def runs_of_units(mask: BoolArray, table: IntArray) -> tuple[list[Runs], IntArray, IntArray]:
    """The runs of each unit; and the token at each place of the lines of all units, with offsets.

    Parameters
    ----------
    mask : boolean array
        Whether each token of the corpus is a candidate.
    table : integer array of shape (n_units, 3)
        The units, from `alignment.units`.

    Returns
    -------
    runs : list of tuples
    token : integer array
        Corpus-wide; -1 between runs. Unit i has token[offsets[i]:offsets[i + 1]].
    offsets : integer array of shape (n_units + 1,)
    """
    unit, place = expanded(table[:, 1], table[:, 2])
    unit, place = unit[mask[place]], place[mask[place]]
    begins = np.ones(len(place), bool)
    begins[1:] = (np.diff(place) != 1) | (np.diff(unit) != 0)
    first: IntArray = np.flatnonzero(begins)
    length: IntArray = np.diff(np.append(first, len(place)))
    order = np.lexsort((first, length, unit[first]))
    owner, first, length = unit[first][order], place[first][order], length[order]
    cuts = np.searchsorted(owner, np.arange(len(table) + 1))
    runs = [tuple(length[a:b].tolist()) for a, b in zip(cuts, cuts[1:])]
    # each run with the token behind it, but for the last one of a unit
    follows = np.append(owner[1:] == owner[:-1], False)[: len(owner)]
    run, token = expanded(first, first + length + follows)
    token[token == (first + length)[run]] = -1
    sizes = np.bincount(owner, length + follows, len(table)).astype(np.int64)
    return runs, token, np.concatenate([[0], np.cumsum(sizes)])


def outside_candidates(spans: Spans) -> tuple[int, int]:
    """Numbers of spans with a token that is no candidate, and of those without any room.

    A span has no room if it is longer than all runs of candidates in its document. Only for spans
    with candidates.
    """
    mask = spans.candidates
    assert mask is not None
    first = spans.offsets[spans.doc]
    upto = np.concatenate([[0], np.cumsum(mask)])
    inside = upto[first + spans.end] - upto[first + spans.start]
    offsets = spans.offsets
    table = np.column_stack([np.arange(spans.n_docs), offsets[:-1], offsets[1:]])
    longest = np.array([max(runs, default=0) for runs in runs_of_units(mask, table)[0]], np.int64)
    return int((inside < spans.lengths).sum()), int((spans.lengths > longest[spans.doc]).sum())


def room_along(runs: Runs) -> IntArray:
    """How many candidates stand at each place of a line and behind it, to the end of the run."""
    parts = [part for run in runs for part in (np.arange(run, 0, -1), [0])]
    room: IntArray = np.concatenate([*parts[:-1], []]).astype(np.int64)
    return room


def shares_anywhere(runs: Runs, length: int) -> FloatArray:
    """Probability of each start of a segment by itself; 0 everywhere if it fits nowhere."""
    fits = room_along(runs) >= length
    return fits / max(int(fits.sum()), 1)


@lru_cache(maxsize=4096)
def shares_apart(
    runs: Runs, lengths: tuple[int, ...], counts: tuple[int, ...]
) -> tuple[FloatArray, ...]:
    """Probability of each start of one segment of each length, disjoint placement.

    Parameters
    ----------
    lengths, counts : tuples of int
        Distinct lengths, and how many segments have them.

    Returns
    -------
    tuple of ndarrays
        For each length one probability for each place of the line. They sum to 1, or to the share
        of the segments of this length that are placed.

    Raises
    ------
    ValueError
        If there are too many states; with what to do.

    Examples
    --------
    >>> [share.tolist() for share in shares_apart((1, 2), (1, 2), (1, 1))]
    [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    """
    room = room_along(runs)
    if lengths == (1,):  # any of the candidates, without counting
        candidates = room > 0
        return (candidates * (min(counts[0] / max(candidates.sum(), 1), 1) / counts[0]),)
    behind = ways_behind(runs, lengths, counts)
    placed = most_placed(behind[0], lengths)
    index: tuple[int | slice, ...] = (slice(None), *(slice(n + 1) for n in placed))
    behind = behind[index]
    whole = behind[0][placed]
    shares = np.zeros((len(lengths), len(room)))
    front = {0: np.where(np.arange(behind[0].size) == 0, 0.0, -np.inf).reshape(behind[0].shape)}
    for place, free in enumerate(room.tolist()):
        here = front.pop(place)
        _add(front, place + 1, here)
        for axis, length in enumerate(lengths):
            if length > free or not placed[axis]:
                continue
            fewer, more = _neighbours(axis, here.ndim)
            ways = here[fewer] + np.flip(behind[place + length][fewer]) - whole
            shares[axis, place] = np.exp(ways).sum() / counts[axis]
            moved = np.full_like(here, -np.inf)
            moved[more] = here[fewer]
            _add(front, place + length, moved)
    return tuple(shares)


def ways_behind(runs: Runs, lengths: Sequence[int], counts: Sequence[int]) -> FloatArray:
    """Logarithms of the numbers of placements of some segments at a place of the line or behind it.

    Array of shape (n_places + 1, counts[0] + 1, counts[1] + 1, ...): by place, and by how many
    segments of each length are placed. Segments of one length are alike.

    Raises
    ------
    ValueError
        If there are too many states.
    """
    room = room_along(runs)
    shape = (len(room) + 1, *(count + 1 for count in counts))
    states = int(np.prod([float(n) for n in shape]))
    if states > MOST_STATES:
        raise ValueError(
            f"to place {sum(counts)} segments of {len(lengths)} lengths among {sum(runs)} "
            f"candidates in one unit, {states:,} states would have to be counted, and at most "
            f"{MOST_STATES:,} are; use chance=candidates-overlapping (--chance "
            "candidates-overlapping), or sentences as units (--unit sent)"
        )
    ways = np.full(shape, -np.inf)
    ways[len(room)].flat[0] = 0
    for place in range(len(room) - 1, -1, -1):
        ways[place] = ways[place + 1]
        for axis, length in enumerate(lengths):
            if length <= room[place]:
                fewer, more = _neighbours(axis, len(counts))
                np.logaddexp(ways[place][more], ways[place + length][fewer], out=ways[place][more])
    return ways


def most_placed(ways: FloatArray, lengths: Sequence[int]) -> tuple[int, ...]:
    """How many segments of each length are placed: all of them, if they fit at once.

    Else as many segments as fit; of several such choices the one with most tokens, then the one
    with most segments of the last length, of the one before it, and so on.
    """
    if np.isfinite(ways.flat[-1]):
        return tuple(n - 1 for n in ways.shape)
    states = np.argwhere(np.isfinite(ways))
    order = np.lexsort((*states.T, states @ np.asarray(lengths), states.sum(axis=1)))
    return tuple(states[order[-1]].tolist())


def places_of_case(
    runs: Runs, lengths: Sequence[int], shape: tuple[int, int], rng: "np.random.Generator"
) -> IntArray:
    """Random places of some segments, ascending by length, on many equal lines; -1 without room.

    Shape (*shape, number of segments). Segments of one length are in random order.
    """
    kinds, counts = np.unique(lengths, return_counts=True)
    size = shape[0] * shape[1]
    starts, placed = random_places(runs, tuple(kinds.tolist()), tuple(counts.tolist()), size, rng)
    found = np.full((size, len(lengths)), -1)
    done, column = 0, 0
    for count, n in zip(counts.tolist(), placed):
        mine = np.argsort(rng.random((size, count)), axis=1)[:, :n] + column
        np.put_along_axis(found, mine, starts[:, done : done + n], axis=1)
        done, column = done + n, column + count
    return found.reshape(*shape, len(lengths))


def random_places(
    runs: Runs,
    lengths: tuple[int, ...],
    counts: tuple[int, ...],
    size: int,
    rng: "np.random.Generator",
) -> tuple[IntArray, tuple[int, ...]]:
    """Random disjoint placements, all equally likely: starts, and how many each length has.

    The starts have shape (size, number of placed segments): those of the first length from left to
    right, then those of the second...
    """
    ways = ways_behind(runs, lengths, counts)
    placed = most_placed(ways[0], lengths)
    room, flat = room_along(runs), ways.reshape(len(ways), -1)
    strides = np.cumprod([1, *(n + 1 for n in counts[:0:-1])])[::-1]
    column = np.cumsum([0, *placed[:-1]])
    left = np.tile(np.array(placed, np.int64), (size, 1))  # segments that are still to be placed
    starts = np.zeros((size, sum(placed)), np.int64)
    ahead = np.zeros(size, np.int64)  # the next place of each sample
    for place in np.flatnonzero(room).tolist():
        here = np.flatnonzero(ahead <= place)
        state = left[here] @ strides
        shares = np.zeros((len(here), len(lengths) + 1))  # of no segment, then of each length
        shares[:, 0] = np.exp(flat[place + 1, state] - flat[place, state])
        for axis, length in enumerate(lengths):
            fits = np.flatnonzero(left[here, axis] * (length <= room[place]))
            behind = flat[min(place + length, len(room)), state[fits] - strides[axis]]
            shares[fits, axis + 1] = np.exp(behind - flat[place, state[fits]])
        upto = np.cumsum(shares, axis=1)
        choice = (upto <= rng.random((len(here), 1)) * upto[:, -1:]).sum(axis=1) - 1
        for axis, length in enumerate(lengths):
            mine = here[choice == axis]
            starts[mine, column[axis] + placed[axis] - left[mine, axis]] = place
            left[mine, axis] -= 1
            ahead[mine] = place + length
    return starts, placed


def _add(front: dict[int, FloatArray], place: int, ways: FloatArray) -> None:
    """Add logarithms of numbers of ways to those at a place."""
    front[place] = np.logaddexp(front[place], ways) if place in front else ways


def _neighbours(axis: int, n_axes: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Indices of the states from which one more segment can be placed, and of those it leads to."""
    before, behind = (slice(None),) * axis, (slice(None),) * (n_axes - axis - 1)
    return (*before, slice(-1), *behind), (*before, slice(1, None), *behind)
