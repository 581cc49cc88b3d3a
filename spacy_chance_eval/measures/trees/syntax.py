"""Agreement on syntax: alpha over distances of trees, labelled edges, labelled brackets.

    D_o = 1/n sum_i 1/(n_i - 1) sum_{c,c'} delta(x_ic, x_ic')^2
    D_e = 1/(n (n - 1)) sum over all ordered pairs of annotations of delta^2
    alpha = 1 - D_o / D_e

over items i with n_i >= 2 annotations, n = sum n_i. D_o is a ratio of sums over items, D_e one of
sums over pairs of annotations: w' S w, with w the number of annotations with each distinct tree and
S the squared distances of these trees.

References
----------
Skjærholt (2014), A chance-corrected measure of inter-annotator agreement for syntax. Krippendorff
(2004), Content Analysis.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..arrays import Array, BoolArray, FloatArray, IntArray
from ..matching import Hits
from ..resampling import slices
from ..stats import Additive, ratio
from .postorder import sums_below
from .trees import NO_PARENT, Trees, plain_label, same_words, shared_columns

if TYPE_CHECKING:
    from .tree_edit import DistanceBlock

# makes other distances of distances and the sizes of both trees
Delta: TypeAlias = Callable[[Array, Array, Array], Array]
ROWS = 1024  # rows of distances that are multiplied with weights at a time
CELLS = 6_000_000  # distances that are squared at a time
TOLERANCE = 1e-9  # below this share of the largest number a value is 0 but for rounding
LEAST_REST = 1e-6  # of 1 - h: a pair that decides a coefficient alone has no error to divide
NO_PARTNER = -2  # the node of a word that the other annotator does not have
PAIRS_A_SLOPE = 10  # drawn pairs for each coefficient; with fewer a fit looks closer than it is


def _plain(distance: Array, first: Array, second: Array) -> Array:
    """The distance itself: the only metric of the three, and the recommended one."""
    return distance


def _diff(distance: Array, first: Array, second: Array) -> Array:
    """The distance beyond the difference of the sizes: delta - ||x| - |y||."""
    beyond: Array = distance - np.abs(first - second)
    return beyond


def _norm(distance: Array, first: Array, second: Array) -> Array:
    """The distance relative to the sizes: delta / (|x| + |y|); 0 for two empty trees."""
    return np.where(first + second > 0, distance / np.maximum(first + second, 1), 0.0)


DELTAS: dict[str, Delta] = {"plain": _plain, "diff": _diff, "norm": _norm}


@dataclass(frozen=True, eq=False)
class Within(Additive):
    """Disagreement within items, by item: shape (..., 1). Sum over items."""

    squares: Array  # 1/(n_i - 1) sum over ordered pairs of delta^2
    annotations: Array  # n_i


def alpha(within: Within, across: Array) -> dict[str, FloatArray]:
    """Krippendorff's alpha of trees, and observed and expected agreement 1 - D_o and 1 - D_e.

        alpha = 1 - D_o / D_e

    Parameters
    ----------
    within : Within
        Sums over items.
    across : ndarray
        Sum of delta^2 over all ordered pairs of these annotations.

    Returns
    -------
    dict of ndarray
        "observed", "expected" and "corrected", of the shape of `across`. alpha is at most 1; 0 at
        chance level and for a single item with any difference; nan if no two trees differ (D_e =
        0), and without annotations. Squared distances make 1 - D_o and 1 - D_e far less than 0.

    References
    ----------
    Skjærholt (2014), A chance-corrected measure of inter-annotator agreement for syntax;
    Krippendorff (2004), Content Analysis.
    """
    n = within.annotations
    observed, expected = ratio(within.squares, n), ratio(across, n * (n - 1))
    return {
        "observed": 1 - observed,
        "expected": 1 - expected,
        "corrected": 1 - ratio(observed, expected),
    }


def within_items(seen: BoolArray, squares: Array, pairs: Sequence[tuple[int, int]]) -> Within:
    """Disagreement within each item, one row per item.

    Parameters
    ----------
    seen : boolean array of shape (n_annotators, n_items)
    squares : array of shape (n_pairs, n_items)
        delta^2 of each pair of annotators; ignored where not both have annotated the item.
    pairs : sequence of (int, int)
        Rows of `seen`.
    """
    count = seen.sum(axis=0)
    both = np.array([seen[one] & seen[two] for one, two in pairs]).reshape(len(pairs), -1)
    total = 2 * np.where(both, squares, 0).sum(axis=0)
    shared = count > 1
    return Within(
        np.where(shared, total / np.maximum(count - 1, 1), 0.0)[:, None],
        np.where(shared, count, 0)[:, None],
    )


def quadratic_sums(
    blocks: "Iterable[DistanceBlock]",
    sizes: IntArray,
    deltas: Sequence[str],
    views: FloatArray,
    forms: IntArray,
) -> list[tuple[FloatArray, FloatArray]]:
    """Weighted sums of delta^2 over pairs of distinct trees, in one pass over all pairs.

    Parameters
    ----------
    blocks : iterable of (slice, slice, ndarray)
        Rows, columns, and the distances of these trees, from `tree_edit.distance_blocks`.
    sizes : array of shape (n_trees,)
        |x| of each tree.
    deltas : sequence of str
        Keys of `DELTAS`.
    views : float array of shape (n_views, n_trees)
        Numbers of annotations with each tree, of which all sums S w are returned.
    forms : unsigned integer array of shape (n_trees, n_forms)
        The same, of which w' S w is returned.

    Returns
    -------
    list of (ndarray, ndarray)
        For each delta the sums S w of each view, shape (n_views, n_trees), and the numbers w' S w
        of `forms`, shape (n_forms,).
    """
    rows = np.zeros((len(deltas), *views.shape))
    sums = np.zeros((len(deltas), forms.shape[1]))
    known: slice | None = None  # the columns of `cast`, which come several times
    cast: FloatArray = np.zeros((0, forms.shape[1]))
    for mine, theirs, block in _merge_blocks(blocks):
        n_before = min(theirs.stop, mine.start) - theirs.start  # stand for their mirror images, too
        times = np.where(np.arange(block.shape[1]) < n_before, 2.0, 1.0)
        if forms.shape[1] and known != theirs:
            known, cast = theirs, forms[theirs].astype(float)
        for place, delta in enumerate(deltas):
            square = DELTAS[delta](block, sizes[mine, None], sizes[theirs]).astype(float) ** 2
            rows[place, :, mine] += views[:, theirs] @ square.T
            before = slice(theirs.start, theirs.start + n_before)
            rows[place, :, before] += views[:, mine] @ square[:, :n_before]
            if forms.shape[1]:
                square *= times
                for some in slices(len(square), ROWS):
                    mine_some = forms[mine.start + some.start : mine.start + some.stop]
                    sums[place] += ((square[some] @ cast) * mine_some).sum(axis=0)
    return list(zip(rows, sums))


def _merge_blocks(blocks: "Iterable[DistanceBlock]") -> "Iterator[DistanceBlock]":
    """Yield the blocks, those that follow each other in the same columns joined.

    Few large products are faster: threads that work on the next blocks slow down each of them.
    """
    parts: list[DistanceBlock] = []
    for mine, theirs, block in blocks:
        if parts:
            rows, columns, _ = parts[-1]
            below = (rows.stop, columns) == (mine.start, theirs) and theirs.stop <= rows.start
            if not below or sum(one.size for *_, one in parts) + block.size > CELLS:
                yield _join_blocks(parts)
                parts = []
        parts.append((mine, theirs, block))
    if parts:
        yield _join_blocks(parts)


def _join_blocks(parts: "Sequence[DistanceBlock]") -> "DistanceBlock":
    """One block of several that follow each other in the same columns."""
    rows = slice(parts[0][0].start, parts[-1][0].stop)
    return rows, parts[0][1], np.concatenate([block for _, _, block in parts])


# --- D_e from a sample of pairs


def sampled_pairs(n: int, n_pairs: int, rng: "np.random.Generator") -> IntArray:
    """Ordered pairs of two different ones of n >= 2 annotations, uniformly: shape (n_pairs, 2)."""
    first = rng.integers(0, n, n_pairs)
    second = rng.integers(0, n - 1, n_pairs)
    return np.stack([first, second + (second >= first)], axis=1)


@dataclass(frozen=True, eq=False)
class SizeRegression:
    """delta^2 of pairs of annotations as a function of the sizes of both, fitted to a sample.

    Parameters
    ----------
    fitted : array of shape (n_sizes, n_sizes)
        delta^2 by the sizes of both trees.
    residuals : array of shape (n_pairs,)
        Of the pairs that were drawn; their mean is 0.
    standard_error : float
        Of the mean over all pairs, due to drawing some of them; nan if there are too few.
    """

    fitted: FloatArray
    residuals: FloatArray
    standard_error: float


def regress_on_sizes(
    squares: Array, pairs: IntArray, sizes: Array, counts: IntArray
) -> SizeRegression:
    """delta^2 regressed on the sizes of two trees, whose mean over all pairs is known exactly.

        delta^2 = b x + e,   x = (1, M, m, M^2, M m, m^2, m / M, (m / M)^2)
        D_e = mean of b x over all ordered pairs of annotations
        standard error = sqrt(sum_i (w_i e_i / (1 - h_i))^2)

    with M, m the larger and the smaller size, w_i and h_i the weight of a drawn pair in the mean of
    b x and in its own b x. (Errors grow with the sizes, so their variance is not pooled: HC3 of
    MacKinnon and White.) Most of the variance of delta^2 is that of the sizes, and adds nothing to
    the error. With fewer than ten drawn pairs a coefficient, and where the mean
    would not be positive, D_e is the plain mean of the sample. So it is where the sample does not
    determine the mean (x has a lower rank there than over all pairs, because trees of a size that
    matters were not drawn), and then the standard error is nan.

    Parameters
    ----------
    squares : array of shape (n_pairs,)
        delta^2 of ordered pairs of different annotations that were drawn uniformly.
    pairs : integer array of shape (n_pairs, 2)
        Places of the sizes of both trees in `sizes`.
    sizes : array of shape (n_sizes,)
        Different sizes.
    counts : integer array of shape (n_sizes,)
        How many annotations have each.

    References
    ----------
    Cochran (1977), Sampling techniques, chapter 7: regression estimators. MacKinnon and White
    (1985), Some heteroskedasticity-consistent covariance matrix estimators.
    """
    scaled = sizes / max(sizes.max(), 1)
    x = np.stack(list(_size_features(scaled[pairs[:, 0]], scaled[pairs[:, 1]])), axis=1)
    every = np.outer(counts, counts) - np.diag(counts).astype(float)  # pairs by their sizes
    every /= every.sum()
    mean = np.array([(one * every).sum() for one in _size_features(scaled[:, None], scaled)])
    left, singular, right = np.linalg.svd(x, full_matrices=False)
    rank = int((singular > TOLERANCE * singular[0]).sum())
    basis = right[:rank]
    known = np.linalg.norm(mean - basis.T @ (basis @ mean)) < TOLERANCE * np.linalg.norm(mean)
    slopes = basis.T @ ((left[:, :rank].T @ squares) / singular[:rank])
    weights, leverage = left[:, :rank] @ (basis @ mean / singular[:rank]), left[:, :rank]
    if not known or len(x) < PAIRS_A_SLOPE * rank or mean @ slopes <= 0:
        rank, slopes = 1, np.array([squares.mean(), *[0.0] * (x.shape[1] - 1)])
        weights, leverage = np.full(len(x), 1 / len(x)), np.full((len(x), 1), len(x) ** -0.5)
    features = _size_features(scaled[:, None], scaled)
    fitted = sum(one * slope for one, slope in zip(features, slopes)) + np.zeros(every.shape)
    residuals = squares - fitted[pairs[:, 0], pairs[:, 1]]
    error = math.nan
    if known and len(x) > rank:
        rest = np.maximum(1 - (leverage**2).sum(axis=1), LEAST_REST)
        error = math.sqrt(((weights * residuals / rest) ** 2).sum())
    return SizeRegression(fitted, residuals, error)


def _size_features(first: Array, second: Array) -> Iterator[Array]:
    """The columns x of `regress_on_sizes`."""
    larger, smaller = np.maximum(first, second), np.minimum(first, second)
    share = smaller / np.where(larger > 0, larger, 1)
    yield np.ones(larger.shape)
    yield from (larger, smaller, larger**2, larger * smaller, smaller**2, share, share**2)


# --- labelled edges


SUBTYPES = ("keep", "strip")


def relation_columns(labels: Sequence[str], subtypes: str) -> IntArray:
    """The column in which edges with each relation count."""
    return shared_columns(labels, _compared_relations(labels, subtypes))


def _compared_relations(labels: Sequence[str], subtypes: str) -> dict[str, str]:
    """{relation: the part that is compared}."""
    if subtypes == "keep":
        return {label: label for label in labels}
    return {label: plain_label(label, "dependency") for label in labels}


def _edge_hits(
    first: Trees, second: Trees, wanted: tuple[bool, bool], ignore: str, subtypes: str
) -> Hits:
    """Edges that agree, by item and label; `wanted`: whether in heads, and whether in labels."""
    if first.kind != "dependency":
        raise ValueError("attachment scores are of dependency trees; these are constituency trees")
    compared, one, two = same_words(first, second)
    left_out = [] if ignore == "none" else ignore.split("+")
    compared_as = _compared_relations(first.labels, subtypes).values()
    counts = np.array([relation not in left_out for relation in compared_as], bool)
    column = relation_columns(first.labels, subtypes)
    counted = [compared[t.item] & counts[t.label] for t in (first, second)]
    # heads of the second annotator as nodes of the first: of words that this one has not, none
    partner = np.full(len(second.parents) + 1, NO_PARTNER)
    partner[two], partner[-1] = one, NO_PARENT
    head_one, head_two = (
        np.where(t.parents == NO_PARENT, NO_PARENT, t.parents + t.starts[t.item])
        for t in (first, second)
    )
    heads, names = wanted
    same = counted[0][one] & counted[1][two]
    same &= (head_one[one] == partner[head_two[two]]) | (not heads)
    same &= (column[first.label[one]] == column[second.label[two]]) | (not names)

    def table(trees: Trees, nodes: IntArray) -> IntArray:
        shape = first.n_items, len(first.labels)
        cells = trees.item[nodes] * shape[1] + column[trees.label[nodes]]
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    return Hits(
        table(first, np.flatnonzero(counted[0])),
        table(first, one[same]),
        table(second, np.flatnonzero(counted[1])),
        table(second, two[same]),
    )


def labelled_edges(
    first: Trees, second: Trees, *, ignore: str = "none", subtypes: str = "keep"
) -> Hits:
    """Edges with the same head and label, for the labelled attachment score (LAS).

    Parameters
    ----------
    first, second : Trees
        Dependency trees of the same items, with the same labels. Items that not both have
        annotated have no edges. Tokens are compared by place, in items with as many of them; or,
        if both have `words`, where they are the same word, while all tokens count.
    ignore : str
        Labels joined by +, whose edges do not count, each annotator's by their own; or "none".
    subtypes : "keep" or "strip"
        With "strip" relations are compared, ignored and counted up to their colon: nsubj:pass is
        nsubj.

    Returns
    -------
    Hits
        Arrays of shape (n_items, n_labels); an edge counts for its annotator's own label.
    """
    return _edge_hits(first, second, (True, True), ignore, subtypes)


def unlabelled_edges(
    first: Trees, second: Trees, *, ignore: str = "none", subtypes: str = "keep"
) -> Hits:
    """Edges with the same head, for the unlabelled attachment score (UAS).

    Parameters, `Hits` and errors are those of `labelled_edges`.
    """
    return _edge_hits(first, second, (True, False), ignore, subtypes)


def edge_labels(
    first: Trees, second: Trees, *, ignore: str = "none", subtypes: str = "keep"
) -> Hits:
    """Edges with the same label, for label accuracy.

    Parameters, `Hits` and errors are those of `labelled_edges`.
    """
    return _edge_hits(first, second, (False, True), ignore, subtypes)


# --- labelled brackets


@dataclass(frozen=True, eq=False)
class Overlap(Additive):
    """Scores of items and their weights, arrays of shape (..., 1). Sum over items."""

    score: Array  # times weight
    weight: Array


def weighted_mean(weighted: Overlap) -> FloatArray:
    """Weighted mean of the scores of items; nan without items."""
    return ratio(weighted.score, weighted.weight)


def check_brackets(trees: Trees) -> None:
    """Raise ValueError for trees without brackets."""
    if trees.kind != "constituency":
        raise ValueError("labelled brackets are of constituency trees; these are dependency trees")


def bracket_overlap(first: Trees, second: Trees) -> Overlap:
    """Jaccard index of labelled brackets, by item, weighted by the leaves of the first annotation.

    A bracket is a label over a stretch of leaves; pre-terminals are brackets of one, and brackets
    that come twice in a tree count once. The root above several trees of an item is none.

    Both are constituency trees of the same items, with the same labels.

    Returns
    -------
    Weighted
        One row per item; items that not both have annotated have weight 0.
    """
    check_brackets(first)
    both, n = first.seen & second.seen, first.n_items
    sides = [np.unique(brackets(t), axis=0) for t in (first, second)]
    sides = [rows[both[rows[:, 0]]] for rows in sides]
    union, count = np.unique(np.concatenate(sides), axis=0, return_counts=True)
    shared = np.bincount(union[count == 2, 0], minlength=n)
    index = ratio(shared, np.bincount(union[:, 0], minlength=n))
    weight = np.where(both, first.leaves, 0)
    return Overlap(np.where(both, weight * np.nan_to_num(index), 0.0)[:, None], weight[:, None])


def brackets(trees: Trees, leaf: BoolArray | None = None) -> IntArray:
    """Rows (item, first leaf, end, label), one for each node of constituency trees.

    `leaf` says which nodes count as leaves: by default all that have no children.
    """
    leaf = ~trees.inner if leaf is None else leaf
    above = trees.parents + trees.starts[trees.item]
    n_leaves = sums_below(np.where(trees.parents == NO_PARENT, len(leaf), above), leaf)
    begin: IntArray = np.cumsum(leaf) - leaf  # leaves before each node: nodes come in preorder
    begin -= begin[trees.starts[trees.item]]  # of the same item
    return np.stack([trees.item, begin, begin + n_leaves, trees.label], axis=1)
