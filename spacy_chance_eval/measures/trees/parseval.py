"""PARSEVAL: brackets of constituency trees, counted as the program evalb counts them.

A bracket is a label over a stretch of words. Pre-terminals are tags, not brackets. A bracket that
occurs twice in a tree counts twice. Before trees are compared,

- words whose tag is deleted leave the tree, and so do constituents without any other word;
- labels lose their functions: NP-SBJ and NP=2 become NP;
- brackets whose label is deleted do not count.

Outermost brackets without a label, `( (S ...) )`, are no part of a tree, but they count.

A sentence is compared if both annotations keep the same words, and at least one. (evalb calls the
others error sentences, or skips them.)

References
----------
Black et al. (1991), A procedure for quantitatively comparing the syntactic coverage of English
grammars. Sekine and Collins (1997), evalb, and its parameter file COLLINS.prm.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Array, BoolArray, IntArray
from ..matching import Hits
from . import UNLABELLED
from .syntax import Overlap, brackets, check_brackets
from .trees import Trees, plain_label, shared_columns


class _Parameters(NamedTuple):
    """Labels that are deleted, and labels that are read as another one."""

    deleted: tuple[str, ...] = ()
    equal: Mapping[str, str] = {}


PARAMS = {
    "collins": _Parameters(("TOP", "-NONE-", ",", ":", "``", "''", "."), {"PRT": "ADVP"}),
    "none": _Parameters(),  # evalb without a parameter file
}
LABELS = ("compare", "ignore")


# --- counts


def bracket_hits(
    first: Trees,
    second: Trees,
    *,
    params: str = "collins",
    labels: str = "compare",
    ignore: str = "none",
) -> Hits:
    """Brackets that both annotators have, for bracket precision, recall and F.

    Parameters
    ----------
    first, second : Trees
        Constituency trees of the same items, with the same labels.
    params : "collins" or "none"
        "collins" deletes TOP, -NONE- and the tags , : `` '' . and reads PRT as ADVP.
    labels : "compare" or "ignore"
        With "ignore" brackets are equal if they hold the same words.
    ignore : str
        More labels to delete, of words and of constituents, joined by +; or "none".

    Returns
    -------
    Hits
        Arrays of shape (n_items, n_labels); a bracket counts for its label without functions. Items
        that are not compared have no brackets.
    """
    items, rows, others = _compared(first, second, params, ignore)
    shape = len(items), len(first.labels)

    def table(side: IntArray) -> IntArray:
        cells = side[:, 0] * shape[1] + side[:, 3]
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    recalled, correct = _matched(rows, others, labels)
    return Hits(table(rows), table(rows[recalled]), table(others), table(others[correct]))


def complete_matches(
    first: Trees,
    second: Trees,
    *,
    params: str = "collins",
    labels: str = "compare",
    ignore: str = "none",
) -> Overlap:
    """Items whose brackets are the same in both annotations: 1 or 0, with weight 1 if compared.

    Parameters and errors are those of `bracket_hits`.
    """
    items, rows, others = _compared(first, second, params, ignore)
    wrong = np.zeros(len(items), bool)
    for side, found in zip((rows, others), _matched(rows, others, labels)):
        wrong[side[~found, 0]] = True
    return _overlap(items & ~wrong, items)


def crossing_brackets(
    first: Trees, second: Trees, *, params: str = "collins", ignore: str = "none"
) -> Overlap:
    """Number of brackets of the second annotation that cross one of the first, by item.

    Two brackets cross if they share words, and each has words that the other one lacks. Items that
    are compared have weight 1. Parameters and errors are those of `bracket_hits`.
    """
    items, rows, others = _compared(first, second, params, ignore)
    return _overlap(_n_crossing(rows, others, len(items)), items)


def few_crossing(
    first: Trees, second: Trees, *, most: int = 0, params: str = "collins", ignore: str = "none"
) -> Overlap:
    """Items with at most `most` crossing brackets: 1 or 0, with weight 1 if compared.

    Other parameters and errors are those of `bracket_hits`, crossing is that of
    `crossing_brackets`.
    """
    crossing = crossing_brackets(first, second, params=params, ignore=ignore)
    items = crossing.weight[:, 0] > 0
    return _overlap(items & (crossing.score[:, 0] <= most), items)


def same_tags(
    first: Trees, second: Trees, *, params: str = "collins", ignore: str = "none"
) -> Overlap:
    """Number of words with the same tag in both annotations, by item, and of all words compared.

    Words that are deleted do not count. Parameters and errors are those of `bracket_hits`.
    """
    items = compared_items(first, second, params=params, ignore=ignore)
    column = shared_columns(first.labels, _read_as(first.labels, params))
    one, two = (
        np.flatnonzero(_words_left(trees, params, ignore) & items[trees.item])
        for trees in (first, second)
    )
    same = column[first.label[one]] == column[second.label[two]]
    item = first.item[one]
    return _overlap(*(np.bincount(i, minlength=len(items)) for i in (item[same], item)))


def compared_items(
    first: Trees, second: Trees, *, params: str = "collins", ignore: str = "none"
) -> BoolArray:
    """Which items both annotated with the same words, once those to delete have left the trees.

    Words are the same if their forms are, or without forms if they are at the same place in trees
    with as many leaves. An item without any word left is not compared. Shape (n_items,).
    """
    check_brackets(first)
    items: BoolArray = first.seen & second.seen
    left = [_words_left(trees, params, ignore)[~trees.inner] for trees in (first, second)]
    item = [trees.item[~trees.inner] for trees in (first, second)]
    if first.forms is not None and second.forms is not None:
        one, two = first.forms, second.forms
    else:
        items &= first.leaves == second.leaves
        one, two = (np.arange(len(own)) - np.searchsorted(own, own) for own in item)
    n_left = [np.bincount(i[own], minlength=len(items)) for i, own in zip(item, left)]
    compared: BoolArray = items & (n_left[0] == n_left[1]) & (n_left[0] > 0)
    kept = [own & compared[i] for i, own in zip(item, left)]
    differ = one[kept[0]] != two[kept[1]]
    n_other = np.bincount(item[0][kept[0]][differ], minlength=len(items))
    compared &= n_other == 0
    return compared


# --- the brackets and words that count


def _deleted(params: str, ignore: str) -> list[str]:
    """The labels that are deleted; so is the root above several trees."""
    return [*PARAMS[params].deleted, *([] if ignore == "none" else ignore.split("+"))]


def _among(labels: Sequence[str], some: Collection[str]) -> BoolArray:
    """Which labels are among some."""
    return np.array([label in some for label in labels], bool)


def _read_as(labels: Iterable[str], params: str) -> dict[str, str]:
    """{label: the label that it counts as}."""
    return {label: PARAMS[params].equal.get(label, label) for label in labels}


def _words_left(trees: Trees, params: str, ignore: str) -> BoolArray:
    """Which nodes are pre-terminals of words that are not deleted."""
    left: BoolArray = ~trees.inner & ~_among(trees.labels, _deleted(params, ignore))[trees.label]
    return left


def label_columns(labels: Sequence[str], params: str, ignore: str) -> IntArray:
    """The column in which brackets with each label count; -1 for labels that are deleted."""
    plain = [plain_label(label, "constituency") for label in labels]
    names = _read_as(plain, params)
    deleted = _read_as(_deleted(params, ignore), params).values()
    columns = shared_columns(labels, {label: names[own] for label, own in zip(labels, plain)})
    return np.where(_among([names[own] for own in plain], deleted), -1, columns)


def _counted(trees: Trees, items: BoolArray, params: str, ignore: str) -> IntArray:
    """Rows (item, first word, end, column) of the brackets that count in some items.

    Words are those that are left. They come in preorder, outermost ones without a label last.
    """
    left, columns = _words_left(trees, params, ignore), label_columns(trees.labels, params, ignore)
    rows = brackets(trees, left)
    rows[:, 3] = columns[trees.label]
    counts: BoolArray = trees.inner & items[trees.item]
    rows = rows[counts & (rows[:, 1] < rows[:, 2]) & (rows[:, 3] >= 0)]
    if trees.unlabelled is None:
        return rows
    item = np.repeat(np.arange(len(items)), trees.unlabelled * items)
    n_left = np.bincount(trees.item[left], minlength=len(items))
    column = np.full(len(item), columns[trees.labels.index(UNLABELLED)])
    return np.concatenate([rows, np.stack([item, 0 * item, n_left[item], column], axis=1)])


def _compared(
    first: Trees, second: Trees, params: str, ignore: str
) -> tuple[BoolArray, IntArray, IntArray]:
    """The items that are compared, and the brackets that count of both annotations."""
    items = compared_items(first, second, params=params, ignore=ignore)
    rows, others = (_counted(trees, items, params, ignore) for trees in (first, second))
    return items, rows, others


def _matched(one: IntArray, two: IntArray, labels: str) -> tuple[BoolArray, BoolArray]:
    """Which rows of two annotators are in both; the first of some equal ones match the first."""
    columns = slice(4 if labels == "compare" else 3)
    both = np.concatenate([one[:, columns], two[:, columns]])
    number = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    sides = number[: len(one)], number[len(one) :]
    counts = [np.bincount(side, minlength=len(both) + 1) for side in sides]
    return _ranks(sides[0]) < counts[1][sides[0]], _ranks(sides[1]) < counts[0][sides[1]]


def _ranks(numbers: IntArray) -> IntArray:
    """How many equal numbers stand before each."""
    order = np.argsort(numbers, kind="stable")
    ordered, ranks = numbers[order], np.empty(len(numbers), int)
    ranks[order] = np.arange(len(numbers)) - np.searchsorted(ordered, ordered)
    return ranks


def _n_crossing(one: IntArray, two: IntArray, n_items: int) -> IntArray:
    """Number of rows of the second annotator, by item, that cross a row of the first."""
    # places between words, of all items after each other; the last of an item belongs to no start
    width = int(max(one[:, 2].max(initial=0), two[:, 2].max(initial=0))) + 1
    first_start = np.full(n_items * width + 1, width)  # of the brackets that end at each place
    last_end = np.full(n_items * width + 1, -1)  # of the brackets that start there
    np.minimum.at(first_start, one[:, 0] * width + one[:, 2], one[:, 1])
    np.maximum.at(last_end, one[:, 0] * width + one[:, 1], one[:, 2])
    long = two[two[:, 2] - two[:, 1] > 1]
    inside = np.stack([long[:, 1] + 1, long[:, 2]], axis=1) + long[:, :1] * width
    if not len(long):
        return np.zeros(n_items, int)
    before = np.minimum.reduceat(first_start, inside.ravel())[::2] < long[:, 1]
    after = np.maximum.reduceat(last_end, inside.ravel())[::2] > long[:, 2]
    return np.bincount(long[before | after, 0], minlength=n_items)


def _overlap(score: Array, weight: Array) -> Overlap:
    """Scores and weights of items as statistics."""
    return Overlap(score.astype(int)[:, None], weight.astype(int)[:, None])
