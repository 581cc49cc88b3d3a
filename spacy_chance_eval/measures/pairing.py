"""Pairing spans one to one: the pairs of greatest total weight, independent of their order."""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .arrays import BoolArray, FloatArray, IntArray
from .fragments import refuse_fragments
from .messages import listed, quoted
from .spans import Copy, Spans, object_column, overlapping_pairs, trusted

Closeness: TypeAlias = Mapping[tuple[str, str], float]


def best_pairs(i: ArrayLike, j: ArrayLike, weight: ArrayLike) -> IntArray:
    """Indices of the rows (i, j, weight) that form a one-to-one pairing of greatest total weight.

    With equal weights this is a maximum matching. Weights must not be negative. It takes linear
    time where rows form no cycles, as those of flat spans: a span u with a single row, to v, is
    decided at once. v is paired with u unless something better comes; so that row is set aside, its
    weight subtracted from the other rows of v, and those that are not better are dropped. What
    remains is left to `_augmented`.
    """
    i, j, weight = np.asarray(i, np.int64), np.asarray(j, np.int64), np.asarray(weight, float)
    alone = (np.bincount(i)[i] == 1) & (np.bincount(j)[j] == 1) if len(i) else np.zeros(0, bool)
    crowd = np.flatnonzero(~alone)
    ends = list(zip(i[crowd].tolist(), (-1 - j[crowd]).tolist()))  # keys 0, 1..., responses -1...
    gain = weight[crowd].tolist()
    rows_of: dict[int, set[int]] = {}
    aside: list[tuple[int, int]] = []
    for row, pair in enumerate(ends):
        for span in pair:
            rows_of.setdefault(span, set()).add(row)
    leaves = [span for span, rows in rows_of.items() if len(rows) == 1]
    while leaves:
        leaf = leaves.pop()
        if len(rows_of[leaf]) == 1:
            aside.append(_prune(leaf, ends, gain, rows_of, leaves))
    chosen = _augmented(sorted(set().union(*rows_of.values())), ends, gain)
    taken = {span for row in chosen for span in ends[row]}
    for row, hub in reversed(aside):
        if hub not in taken:
            chosen.append(row)
            taken.update(ends[row])
    found = crowd[np.array(chosen, np.int64)]
    return np.sort(np.concatenate([np.flatnonzero(alone), found]))


def _augmented(
    rows: Sequence[int], ends: Sequence[tuple[int, int]], gain: Sequence[float]
) -> list[int]:
    """Those of some rows (key, response) that form a pairing of greatest total gain.

    One key after the other is paired along a shortest augmenting path, or left single. Prices of
    keys and responses add up to the gain of a pair at least, of those in the pairing to just that.

    References
    ----------
    Jonker and Volgenant (1987), A shortest augmenting path algorithm for dense and sparse linear
    assignment problems.
    """
    own: dict[int, list[int]] = {}
    for row in rows:
        own.setdefault(ends[row][0], []).append(row)
    price: dict[int, float] = {ends[row][1]: 0.0 for row in rows}
    paired: dict[int, int] = {}  # the row of each key and response that is paired
    for key, its in own.items():
        price[key] = max(0.0, *(gain[row] - price[ends[row][1]] for row in its))
        reach: dict[int, float] = {}
        by: dict[int, int] = {}  # the row by which a response is reached
        done = {key: 0.0}
        here, last, shortest = key, key, price[key]  # the last one stays single, or was before
        queue: list[tuple[float, int]] = []
        while True:
            for row in own[here]:
                other = ends[row][1]
                far = done[here] + price[here] + price[other] - gain[row]
                if other not in done and far < min(shortest, reach.get(other, shortest)):
                    reach[other], by[other] = far, row
                    if other in paired:
                        heappush(queue, (far, other))
                    else:
                        last, shortest = other, far
            while queue and queue[0][1] in done:
                heappop(queue)
            if not queue or queue[0][0] >= shortest:
                break
            far, other = heappop(queue)
            here = ends[paired[other]][0]
            done[other] = done[here] = far
            if far + price[here] < shortest:
                last, shortest = here, far + price[here]
        for span, far in done.items():
            price[span] += far - shortest if span >= 0 else shortest - far
        if last == key:
            continue
        other = last if last < 0 else ends[paired.pop(last)][1]
        while True:
            row = by[other]
            before = paired.get(ends[row][0])
            paired[other] = paired[ends[row][0]] = row
            if before is None:
                break
            other = ends[before][1]
    return sorted({*paired.values()})


def with_copies(spans: Spans, features: str) -> Spans:
    """The spans with a row for each annotation of a place and label, as GATE counts them.

    Annotations whose significant features differ are different annotations; others are
    one unless they are `counted` by themselves.

    `features` are those that count: "none", "all" or names joined by "+".
    """
    if spans.copies is None:
        return spans
    names = significant(features)
    none: Mapping[str, object] = {}
    own = [none] * len(spans) if spans.features is None else spans.features
    rows: list[int] = []
    said: list[Mapping[str, object]] = []
    for row, copies in enumerate(spans.copies):
        seen: list[Mapping[str, object]] = []
        for copy in (Copy(own[row]), *copies):
            mine = _restricted(copy.features, names)
            if copy.counted or not any(_alike(mine, other) for other in seen):
                rows.append(row)
                said.append(copy.features)
            seen.append(mine)
    columns = {name: column[rows] for name, column in spans.columns().items()}
    return trusted(spans, **columns | {"features": object_column(said), "copies": None})


COEXTENSIVE = 2.0**20  # outweighs all partial pairs; they outweigh their shares of tokens


def pair_spans(
    gold: Spans, pred: Spans, *, features: str = "none", closeness: Closeness | None = None
) -> tuple[IntArray, IntArray, BoolArray]:
    """One-to-one pairs of overlapping spans of two aligned annotators.

    Most coextensive pairs first, then most partial ones. Of equally many those that share more
    tokens are taken; ties are broken by the order of the rows.

    `features` and `closeness` are those of `gate.pairings`.

    Returns the rows of the spans of each pair, in the order of the keys, and whether the pair is
    correct (coextensive); otherwise it is partial.

    Examples
    --------
    >>> from spacy_chance_eval.measures.alignment import align
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> key = Spans.from_tuples([[(0, 4, "X"), (3, 8, "X")]], [12])
    >>> response = Spans.from_tuples([[(3, 8, "X"), (6, 12, "X")]], [12])
    >>> [column.tolist() for column in pair_spans(*align(key, response))]
    [[1], [0], [True]]
    """
    if gold.partner is None or gold.partner is not pred.partner:
        raise ValueError("gold and pred are not aligned; pair the two that align(gold, pred) gives")
    refuse_fragments("GATE's comparison by start and end", gold, pred)
    i, j, weight = _candidates(gold, pred, closeness)
    fits = _compatible(gold, pred, i, j, features)
    i, j, weight = i[fits], j[fits], weight[fits]
    same = (gold.start[i] == pred.start[j]) & (gold.end[i] == pred.end[j])
    share = jaccard(gold, pred, i, j) if closeness is None else np.zeros(len(i))
    rows = best_pairs(i, j, np.where(same, COEXTENSIVE, 1) * weight + share / COEXTENSIVE)
    rows = rows[np.lexsort((j[rows], i[rows]))]
    return i[rows], j[rows], same[rows]


def jaccard(gold: Spans, pred: Spans, i: IntArray, j: IntArray) -> FloatArray:
    """Jaccard index of the tokens of overlapping spans, in (0, 1]."""
    common = np.minimum(gold.end[i], pred.end[j]) - np.maximum(gold.start[i], pred.start[j])
    index: FloatArray = common / (gold.lengths[i] + pred.lengths[j] - common)
    return index


def _prune(
    leaf: int,
    ends: list[tuple[int, int]],
    gain: list[float],
    rows_of: dict[int, set[int]],
    leaves: list[int],
) -> tuple[int, int]:
    """Subtract the only row of a span from the others of its partner; (that row, the partner)."""
    (row,) = rows_of[leaf]
    hub = ends[row][ends[row][0] == leaf]
    rows_of[leaf].discard(row)
    rows_of[hub].discard(row)
    for other in list(rows_of[hub]):
        gain[other] -= gain[row]
        if gain[other] <= 0:
            far = ends[other][ends[other][0] == hub]
            rows_of[hub].discard(other)
            rows_of[far].discard(other)
            if len(rows_of[far]) == 1:
                leaves.append(far)
    if len(rows_of[hub]) == 1:
        leaves.append(hub)
    return row, hub


def _candidates(
    gold: Spans, pred: Spans, closeness: Closeness | None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows (i, j) of overlapping spans that may be paired, and the closeness of their labels."""
    if closeness is None:
        i, j = overlapping_pairs(gold, pred)
        return i, j, np.ones(len(i))
    close = closeness_table(gold.labels, closeness)
    bare = [trusted(spans, label=np.zeros_like(spans.label)) for spans in (gold, pred)]
    i, j = overlapping_pairs(*bare)
    weight = close[gold.label[i], pred.label[j]]
    return i[weight > 0], j[weight > 0], weight[weight > 0]


def closeness_table(labels: Sequence[str], closeness: Closeness) -> FloatArray:
    """The closeness of all labels: a symmetric matrix in [0, 1], with 1 on the diagonal."""
    if not isinstance(closeness, Mapping):
        raise ValueError(
            f"closeness is a {type(closeness).__name__}; expected a mapping of pairs of labels to "
            "numbers, as closeness(ontology) and read_closeness(path) give"
        )
    index = {name: i for i, name in enumerate(labels)}
    known = {name for pair in closeness for name in pair}
    if labels and known and known.isdisjoint(labels):
        raise ValueError(
            f"closeness has none of the labels ({listed(labels)}), but {listed(sorted(known))}; "
            "name the table or the ontology of these labels"
        )
    matrix = np.full((len(labels), len(labels)), np.nan)
    for pair, number in closeness.items():
        i, j = (index.get(name) for name in pair)
        if i is None or j is None or i == j:
            continue
        if not 0 <= number <= 1:
            raise ValueError(f"closeness of {pair} is {number}; expected a number from 0 to 1")
        if not np.isnan(matrix[i, j]) and matrix[i, j] != number:
            raise ValueError(f"closeness of {pair} is {matrix[i, j]} and {number}; give it once")
        matrix[i, j] = matrix[j, i] = number
    np.fill_diagonal(matrix, 1.0)
    np.nan_to_num(matrix, copy=False)
    return matrix


def _compatible(gold: Spans, pred: Spans, i: IntArray, j: IntArray, features: str) -> BoolArray:
    """Whether each response includes the significant features of its key."""
    names = significant(features)
    if gold.features is None or names == frozenset():
        return np.ones(len(i), bool)
    empty: dict[str, object] = {}
    wanted = [_restricted(mapping, names) for mapping in gold.features]
    found = [empty] * len(pred) if pred.features is None else pred.features
    pairs = [(found[right], wanted[left].items()) for left, right in zip(i.tolist(), j.tolist())]
    return np.array(
        [
            all(name in own and _alike(own[name], value) for name, value in key)
            for own, key in pairs
        ],
        bool,
    )


def _restricted(
    features: Mapping[str, object], names: frozenset[str] | None
) -> Mapping[str, object]:
    """The features that count; `names` are those of `significant`."""
    return features if names is None else {name: features[name] for name in features.keys() & names}


def significant(features: str) -> frozenset[str] | None:
    """The names of features that count; None if all do."""
    if features in ("none", "all"):
        return frozenset() if features == "none" else None
    names = [name.strip() for name in features.split("+")] if isinstance(features, str) else [""]
    if not all(names):
        raise ValueError(
            f"features is {quoted(features)}; expected none, all, or names as kind+number"
        )
    return frozenset(names)


def _alike(one: object, two: object) -> bool:
    """Whether two values, and all values in them, are equal and of one type."""
    if type(one) is not type(two):
        return False
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        return one.keys() == two.keys() and all(_alike(one[name], two[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(map(_alike, one, two))
    return one == two


def other_pairs(
    gold: Spans, pred: Spans, i: IntArray, j: IntArray
) -> tuple[IntArray, IntArray, BoolArray]:
    """Pairs (gold row, pred row, coextensive) of the spans that are in no pair, of any labels.

    Most coextensive pairs first, then the greatest sum of Jaccard indices of tokens. Ties are
    broken by the order of the rows.
    """
    rest = [np.setdiff1d(np.arange(len(spans)), rows) for spans, rows in ((gold, i), (pred, j))]
    bare = [
        trusted(spans.keep(rows), label=np.zeros(len(rows), np.int64))
        for spans, rows in zip((gold, pred), rest)
    ]
    one, two = overlapping_pairs(*bare)
    one, two = rest[0][one], rest[1][two]
    same = (gold.start[one] == pred.start[two]) & (gold.end[one] == pred.end[two])
    weight = np.where(same, COEXTENSIVE, jaccard(gold, pred, one, two))
    rows = best_pairs(one, two, weight)
    return one[rows], two[rows], same[rows]
