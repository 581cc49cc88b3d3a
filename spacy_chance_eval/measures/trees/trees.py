"""`Trees`: one annotator's dependency or constituency trees of a corpus as integer columns."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import BoolArray, IntArray, KeyArray, distinct
from ..messages import quoted
from ..panel import Annotators
from ..spans import integers, scrambled
from . import CYCLES, TREE_KINDS, UNLABELLED
from .words import NOWHERE, Words, align_words

NO_PARENT = -1  # the parent of nodes that have none
# what labels have beside their plain form: subtypes of relations, functions of constituents
_BESIDE = {
    "dependency": re.compile(":.*", re.DOTALL),
    "constituency": re.compile("[-=].*", re.DOTALL),
}


def plain_label(label: str, kind: str) -> str:
    """A relation without its subtype (nsubj:pass), a constituent without its functions (NP-SBJ)."""
    return _BESIDE[kind].sub("", label) or label


def shared_columns(labels: Sequence[str], plain: Mapping[str, str]) -> IntArray:
    """The place among the labels, for each of them, of the label that stands for its plain form.

    This is the plain form; where it is no label itself, the first label that has it.
    """
    place = {plain[label]: column for column, label in reversed([*enumerate(labels)])}
    place |= {label: column for column, label in enumerate(labels) if label in place}
    return np.array([place[plain[label]] for label in labels], int)


@dataclass(frozen=True, eq=False, init=False)
class Trees:
    """One annotator's tree for each item (sentence) of a corpus.

    Children stand in the order of their nodes.

    Parameters
    ----------
    kind : "dependency" or "constituency"
        Nodes of a dependency tree are the tokens in their order; those without a parent are
        children of an artificial root, which is no row. Nodes of a constituency tree come in
        preorder; the first is the root, the leaves are the pre-terminals (words are left out).
    starts : integer array of shape (n_items + 1,)
        Where the nodes of each item begin, and at the end the number of all nodes.
    parents : integer array of shape (n_nodes,)
        Place of each node's parent among the nodes of its item; -1 if it has none.
    label : integer array of shape (n_nodes,)
        Index in `labels` of each node's label: of a dependency, the relation to the head.
    labels : sequence of str
        The names of the labels, each once.
    seen : boolean array of shape (n_items,), optional
        Which items the annotator has annotated; by default all. The others have no nodes.
    names : sequence of str, optional
        Names of the items.
    cycles : "error" or "reachable"
        How to treat tokens that no root leads to: as an error, or as no part of the tree
        ("reachable"), while all tokens count in `sizes` and are compared as tokens.
    words : Words, optional
        Where the words of the nodes stand in the text, if annotators divide it differently: tokens
        are then compared where they are the same word. By default they are compared by place.
    forms : integer array of shape (n_leaves,), optional
        Of constituency trees, the same number for the same word, whoever the annotator is. By
        default leaves at the same place are the same word.
    unlabelled : integer array of shape (n_items,), optional
        Of constituency trees, how many outermost brackets without a label stand around each: no
        nodes, but evalb counts them. Their label is `UNLABELLED`, which is then among the labels.

    Raises
    ------
    ValueError
        For columns that do not fit together, parents outside of the item, cycles (with the names
        of item and token), and constituency trees without exactly one root.
    """

    kind: str
    starts: IntArray
    parents: IntArray
    label: IntArray
    labels: tuple[str, ...]
    seen: BoolArray
    names: tuple[str, ...] | None
    cycles: str
    words: Words | None
    forms: IntArray | None
    unlabelled: IntArray | None

    def __init__(
        self,
        kind: str,
        starts: ArrayLike,
        parents: ArrayLike,
        label: ArrayLike,
        labels: Iterable[str],
        seen: ArrayLike | None = None,
        names: Iterable[str] | None = None,
        cycles: str = "error",
        words: Words | None = None,
        forms: ArrayLike | None = None,
        unlabelled: ArrayLike | None = None,
    ) -> None:
        for value, known, what in ((kind, TREE_KINDS, "kind"), (cycles, CYCLES, "cycles")):
            if value not in known:
                raise ValueError(f"{what} is {quoted(value)}; expected one of {', '.join(known)}")
        starts, labels = integers("starts", starts), tuple(labels)
        if unlabelled is not None and UNLABELLED not in labels:
            labels = (*labels, UNLABELLED)
        self.__dict__.update(
            kind=kind,
            starts=starts,
            parents=integers("parents", parents),
            label=integers("label", label),
            labels=labels,
            seen=np.ones(max(len(starts) - 1, 0), bool) if seen is None else np.asarray(seen, bool),
            names=None if names is None else tuple(names),
            cycles=cycles,
            words=words,
            forms=None if forms is None else integers("forms", forms),
            unlabelled=None if unlabelled is None else integers("unlabelled", unlabelled),
        )
        self._check_columns()
        self._check_shape()

    def _check_columns(self) -> None:
        """Raise ValueError if the columns do not fit together."""
        n = len(self.parents)
        if len(self.starts) == 0 or self.starts[0] != 0 or self.starts[-1] != n:
            raise ValueError(f"starts must begin with 0 and end with the number of nodes, {n}")
        if (self.n_nodes < 0).any():
            raise ValueError("starts must not fall")
        if len(self.label) != n:
            raise ValueError(f"{len(self.label)} labels of nodes for {n} parents")
        if n and not (0 <= self.label.min() and self.label.max() < len(self.labels)):
            raise ValueError(f"numbers of labels must be from 0 to {len(self.labels) - 1}")
        if self.words is not None and len(self.words) != n:
            raise ValueError(f"{len(self.words)} words of nodes for {n} parents")
        if self.forms is not None and len(self.forms) != (~self.inner).sum():
            raise ValueError(f"{len(self.forms)} forms for {(~self.inner).sum()} leaves")
        if self.unlabelled is not None and len(self.unlabelled) != self.n_items:
            raise ValueError(f"unlabelled needs one entry per item ({self.n_items})")
        if not all(isinstance(label, str) for label in self.labels):
            raise ValueError(f"labels must be texts, not {self.labels[:3]}")
        if len(set(self.labels)) < len(self.labels):
            raise ValueError("labels must be different")
        if len(self.seen) != self.n_items:
            raise ValueError(f"seen needs one entry per item ({self.n_items})")
        if self.names is not None and len(self.names) != self.n_items:
            raise ValueError(f"names need one entry per item ({self.n_items})")
        if self.n_nodes[~self.seen].any():
            raise ValueError("items that are not seen have no nodes")

    def _check_shape(self) -> None:
        """Raise ValueError for parents that are no node of the item, cycles, and several roots."""
        sizes = np.repeat(self.n_nodes, self.n_nodes)
        wrong = (self.parents < NO_PARENT) | (self.parents >= sizes)
        if wrong.any():
            place = np.flatnonzero(wrong)[0]
            raise ValueError(
                f"{self.described(place)} has a head outside of the sentence; expected a token of "
                "it, or the root"
            )
        if self.kind == "constituency":
            self._check_preorder()
        elif self.cycles == "error" and not self.reachable.all():
            place = np.flatnonzero(~self.reachable)[0]
            raise ValueError(
                f"{self.described(place)} cannot be reached from the root: its heads form a "
                'cycle; correct them, or pass cycles="reachable" to measure the reachable nodes'
            )

    def _check_preorder(self) -> None:
        """Raise ValueError for constituency trees that are not in preorder from one root."""
        first = np.zeros(len(self.parents), bool)
        first[self.starts[:-1][self.n_nodes > 0]] = True
        empty = np.flatnonzero(self.seen & (self.n_nodes == 0))
        if len(empty):
            raise ValueError(f"{self.name(empty[0])} has no node; expected a root at least")
        wrong = (first != (self.parents == NO_PARENT)) | (self.parents >= self.places)
        if not wrong.any():  # the last node before that is one step less deep must be the parent
            order = np.lexsort((np.arange(len(first)), self.depths))
            key = self.depths * len(first) + np.arange(len(first))
            before = np.searchsorted(key[order], key - len(first)) - 1
            wrong = ~first & (order[before] != self.parents + self.starts[self.item])
            wrong[1:] |= np.diff(self.depths) > 1
        if wrong.any():
            raise ValueError(
                f"{self.described(np.flatnonzero(wrong)[0])} has a wrong parent; expected nodes in "
                "preorder from exactly one root"
            )

    @classmethod
    def from_heads(
        cls,
        heads: Sequence[Sequence[int] | None],
        relations: Sequence[Sequence[str] | None],
        *,
        names: Sequence[str] | None = None,
        cycles: str = "error",
    ) -> "Trees":
        """Dependency trees from the heads and relations of the tokens of each sentence.

        Parameters
        ----------
        heads : sequence of sequences of int
            Heads as in CoNLL: 0 is the root, 1 the first token. None: not annotated.
        relations : sequence of sequences of str
            The relation of each token to its head.
        names : sequence of str, optional
            Names of the sentences.
        cycles : "error" or "reachable"
            How to treat tokens that no root leads to: an error, or no part of the tree.

        Raises
        ------
        ValueError
            For sentences with different numbers of heads and relations, and where `Trees` raises
            it.

        Examples
        --------
        >>> trees = Trees.from_heads([[2, 0, 2]], [["SUBJ", "PRED", "OBJ"]])
        >>> trees.sizes.tolist()
        [4]
        """
        return cls.from_nodes(
            "dependency",
            [None if row is None else [head - 1 for head in row] for row in heads],
            relations,
            names=names,
            cycles=cycles,
        )

    @classmethod
    def from_nodes(
        cls,
        kind: str,
        parents: Sequence[Sequence[int] | None],
        labels: Sequence[Sequence[str] | None],
        *,
        names: Sequence[str] | None = None,
        cycles: str = "error",
    ) -> "Trees":
        """Trees from parents and labels of the nodes of each item; None: not annotated.

        Parameters
        ----------
        kind : "dependency" or "constituency"
            Of all items.
        parents : sequence of sequences of int
            Place of each node's parent in its item; -1 if it has none.
        labels : sequence of sequences of str
            Label of each node; of a dependency, the relation to the head.
        names : sequence of str, optional
            Names of the items.
        cycles : "error" or "reachable"
            How to treat tokens that no root leads to: an error, or no part of the tree.

        Raises
        ------
        ValueError
            For items with different numbers of parents and labels, and where `Trees` raises it.
        """
        if len(parents) != len(labels):
            raise ValueError(f"parents of {len(parents)} items, but labels of {len(labels)}")
        seen = [row is not None for row in parents]
        rows: list[Sequence[int]] = [() if row is None else row for row in parents]
        texts: list[Sequence[str]] = [() if row is None else row for row in labels]
        for place, (one, two) in enumerate(zip(rows, texts)):
            if len(one) != len(two):
                name = names[place] if names else f"item {place + 1}"
                raise ValueError(f"{name}: {len(one)} parents, but {len(two)} labels")
        known = sorted({label for row in texts for label in row})
        index = {label: number for number, label in enumerate(known)}
        return cls(
            kind,
            np.cumsum([0, *map(len, rows)]),
            np.array([parent for row in rows for parent in row]),
            np.array([index[label] for row in texts for label in row], np.int64),
            known,
            seen,
            names,
            cycles,
        )

    @property
    def n_items(self) -> int:
        """Number of items, annotated or not."""
        return len(self.starts) - 1

    @property
    def n_nodes(self) -> IntArray:
        """Number of nodes by item, without the artificial root: shape (n_items,)."""
        return np.diff(self.starts)

    @cached_property
    def item(self) -> IntArray:
        """The item of each node."""
        return np.repeat(np.arange(self.n_items), self.n_nodes)

    @property
    def places(self) -> IntArray:
        """The place of each node in its item."""
        return np.arange(len(self.parents)) - self.starts[self.item]

    @cached_property
    def inner(self) -> BoolArray:
        """Which nodes have children: shape (n_nodes,)."""
        has_child = np.zeros(len(self.parents), bool)
        below = self.parents != NO_PARENT
        has_child[(self.parents + self.starts[self.item])[below]] = True
        return has_child

    @cached_property
    def leaves(self) -> IntArray:
        """Number of leaves by item: shape (n_items,)."""
        return np.bincount(self.item[~self.inner], minlength=self.n_items)

    @property
    def sizes(self) -> IntArray:
        """|x| of each item: its tokens and the artificial root, or its leaves; shape (n_items,)."""
        return self.n_nodes + 1 if self.kind == "dependency" else self.leaves

    @cached_property
    def reachable(self) -> BoolArray:
        """Which nodes a root leads to: shape (n_nodes,)."""
        # pointer jumping: log2(depth) steps for all at once
        above = np.where(
            self.parents == NO_PARENT, NO_PARENT, self.parents + self.starts[self.item]
        )
        above = np.append(above, NO_PARENT)  # the parent of none is none
        for _ in range(int(self.n_nodes.max(initial=0)).bit_length() + 1):
            above = above[above]
        reachable: BoolArray = above[:-1] == NO_PARENT
        return reachable

    @cached_property
    def depths(self) -> IntArray:
        """Number of nodes above each node; meaningless where no root leads to it."""
        above = np.where(
            self.parents == NO_PARENT, NO_PARENT, self.parents + self.starts[self.item]
        )
        above, depth = np.append(above, NO_PARENT), np.append(above != NO_PARENT, False).astype(int)
        for _ in range(int(self.n_nodes.max(initial=0)).bit_length() + 1):
            depth, above = depth + depth[above], above[above]
        return depth[:-1]

    def name(self, item: int) -> str:
        """The name of an item.

        Parameters
        ----------
        item : int
            Number of the item, from 0.
        """
        return f"item {item + 1}" if self.names is None else self.names[item]

    def described(self, place: int) -> str:
        """How messages call a node: its item and its token.

        Parameters
        ----------
        place : int
            Row of the node.
        """
        item = self.item[place]
        return f"{self.name(item)}: token {place - self.starts[item] + 1}"

    @property
    def other_text(self) -> BoolArray:
        """Which items have words without a place in the text: shape (n_items,)."""
        found = np.zeros(self.n_items, bool)
        if self.words is not None:
            found[self.item[self.words.begin == NOWHERE]] = True
        return found

    def with_labels(self, labels: Sequence[str]) -> "Trees":
        """The same trees with other `labels`; all labels that are used must be among them.

        Parameters
        ----------
        labels : sequence of str
            The new names of labels, in their order.
        """
        index = {label: number for number, label in enumerate(labels)}
        used = distinct(self.label)
        numbers = np.full(len(self.labels), NO_PARENT)
        numbers[used] = [index[self.labels[number]] for number in used]
        return replace(self, label=numbers[self.label], labels=tuple(labels))

    def keys(self) -> KeyArray:
        """64 bits for each item that identify its tree, independent of the order of `labels`."""
        texts = [hashlib.sha256(label.encode()).digest()[:8] for label in self.labels]
        words = np.frombuffer(b"".join(texts), np.uint64)[self.label]
        nodes = scrambled(words, self.parents.astype(np.uint64), self.places.astype(np.uint64))
        sums = np.zeros(self.n_items, np.uint64)
        np.add.at(sums, self.item, nodes)
        if self.unlabelled is not None and len(distinct(self.unlabelled[self.seen])) > 1:
            sums = scrambled(sums, self.unlabelled.astype(np.uint64))
        return scrambled(sums, self.n_nodes.astype(np.uint64), self.seen.astype(np.uint64))


def same_words(first: Trees, second: Trees) -> tuple[BoolArray, IntArray, IntArray]:
    """Which items compare token by token, and the nodes of both that are the same word.

    These are items that both annotated, with as many nodes if there is nothing to align words by:
    no `words`, or other texts. Nodes are places among all nodes: two arrays of the same length.
    """
    both = first.seen & second.seen
    even = both & (first.n_nodes == second.n_nodes)
    one, two = (np.flatnonzero(even[trees.item]) for trees in (first, second))
    if first.words is None or second.words is None:
        return even, one, two
    tables = first.words.table, second.words.table
    both &= even | ~(first.other_text | second.other_text)
    other = both & ~even
    other[first.item[one[(tables[0][one] != tables[1][two]).any(axis=1)]]] = True
    same = ~other[first.item[one]]
    pairs = [np.stack([one[same], two[same]], axis=1)]
    for item in np.flatnonzero(other).tolist():
        starts = [trees.starts[item] for trees in (first, second)]
        rows = (
            table[trees.starts[item] : trees.starts[item + 1]]
            for table, trees in zip(tables, (first, second))
        )
        pairs.append(np.array(align_words(*rows), np.int64).reshape(-1, 2) + starts)
    one, two = np.concatenate(pairs).T
    return both, one, two


@dataclass(frozen=True, eq=False)
class TreePanel(Annotators[Trees]):
    """Several annotators of the same sentences.

    Parameters
    ----------
    annotators : mapping of str to Trees
        Of one kind, with the same items; their `seen` says which items each has annotated. They are
        kept in the order of their names.
    notes : sequence of str
        Remarks on the data for readers of results.
    skipped : str
        How many trees of whom could not be read, for signatures; "" if all could.
    n_other_texts : int
        How many items annotators have with other texts.
    blemishes : mapping
        What could not be read, as plain values for results.

    Raises
    ------
    ValueError
        Without annotators, and for trees that differ in kind, number or names of items.
    """

    annotators: Mapping[str, Trees]
    notes: Sequence[str] = ()
    skipped: str = ""
    n_other_texts: int = 0
    blemishes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.annotators:
            raise ValueError("a panel without annotators; expected at least one")
        for name, trees in self.annotators.items():
            if not isinstance(name, str) or not isinstance(trees, Trees):
                raise ValueError(
                    f"{quoted(name)}: {quoted(trees)}; expected names (texts) and their Trees"
                )
        names = sorted(self.annotators)
        for one, two in combinations(names, 2):
            _check_same_items(one, self.annotators[one], two, self.annotators[two])
        used = set().union(*(trees.labels for trees in self.annotators.values()))
        labels = sorted(used | {plain_label(label, self.kind) for label in used})
        own = (trees.names for trees in self.annotators.values() if trees.names is not None)
        items = next(own, None)  # of any annotator: all that have names have the same
        self._enter(
            {
                name: replace(self.annotators[name].with_labels(labels), names=items)
                for name in names
            }
        )

    def renamed(self, names: Sequence[str]) -> "TreePanel":
        """The same annotators in the same order, with new names.

        Parameters
        ----------
        names : sequence of str
            A name for each annotator.
        """
        other = copy(self)
        other._enter(dict(zip(names, self.annotations, strict=True)))
        return other

    @property
    def kind(self) -> str:
        """The kind of the trees: "dependency" or "constituency"."""
        return self.annotations[0].kind

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.annotations[0].n_items

    @cached_property
    def even(self) -> BoolArray:
        """Which items have annotations with the same number of tokens (or leaves).

        If annotators divide the text differently and their words are aligned: all those of which
        they have the same text, too.
        """
        sizes = np.array([np.where(t.seen, t.sizes, -1) for t in self.annotations])
        least = np.where(sizes < 0, np.iinfo(np.int64).max, sizes).min(axis=0)
        even: BoolArray = (sizes < 0).all(axis=0) | (sizes.max(axis=0) == least)
        if all(trees.words is not None for trees in self.annotations):
            even |= ~np.any([trees.other_text for trees in self.annotations], axis=0)
        return even

    @property
    def n_uneven(self) -> int:
        """Number of items that two annotated, and whose annotations differ in their size."""
        return int((self.shared & ~self.even).sum())

    def keys(self) -> KeyArray:
        """64 bits for each item that identify its trees, independent of the order of annotators.

        So do the words of annotators who divide it differently.
        """
        keys: KeyArray = np.sum(
            [t.keys() * t.seen.astype(np.uint64) for t in self.annotations], axis=0
        )
        for trees in self.annotations:
            if trees.words is not None:
                columns = (trees.words.begin, trees.words.end, trees.places)
                np.add.at(keys, trees.item, scrambled(*(c.astype(np.uint64) for c in columns)))
        return keys

    def digest(self) -> str:
        """Eight hexadecimal digits of the trees and the names of the annotators."""
        rows = [f"{self.kind}"]
        for name, trees in self.annotators.items():
            total = int(trees.keys()[trees.seen].sum())
            rows.append(f"{name}\0{total}\0{int(trees.seen.sum())}")
        return hashlib.sha256("\1".join(rows).encode()).hexdigest()[:8]


def _check_same_items(one: str, first: Trees, two: str, second: Trees) -> None:
    """Raise ValueError unless two annotators, called `one` and `two`, have the same items."""
    if first.kind != second.kind:
        raise ValueError(
            f"{one} has {first.kind} trees, {two} {second.kind} trees; these do not compare"
        )
    if first.n_items != second.n_items:
        raise ValueError(
            f"{one} has {first.n_items} items, {two} {second.n_items}; expected the same ones"
        )
    if first.names is not None and second.names is not None and first.names != second.names:
        pairs = zip(first.names, second.names)
        place = next(i for i, (mine, theirs) in enumerate(pairs) if mine != theirs)
        raise ValueError(
            f"item {place + 1} is {quoted(first.names[place])} of {one}, but "
            f"{quoted(second.names[place])} of {two}; expected the same items in the same order"
        )
