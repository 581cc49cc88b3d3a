"""Dependency trees with random errors: other labels, other heads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..messages import quoted
from .trees import NO_PARENT, Trees


def perturbed(trees: Trees, p_label: float, p_attach: float, rng: np.random.Generator) -> Trees:
    """The trees with random labels and heads.

    Tokens of each sentence are visited in the postorder of the original tree. With `p_label` a
    token gets a label, uniform over all labels of `trees`, its own included. With `p_attach` it
    gets a head, uniform over the tokens that it does not dominate at that moment, its own head
    included; itself it dominates. So trees stay trees, and the artificial root is never a new head:
    a token that dominates all others keeps its head. Tokens that no root leads to keep theirs, and
    never become heads. How many numbers are drawn does not depend on the probabilities: with equal
    generators the label noise of one call is that of the other.

    Parameters
    ----------
    trees : Trees
        Of kind "dependency".
    p_label, p_attach : float
        Probabilities, for every token on its own.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        For other kinds of trees, and probabilities outside of [0, 1].

    Examples
    --------
    >>> from spacy_chance_eval import Trees
    >>> trees = Trees.from_heads([[2, 0, 2]], [["SUBJ", "PRED", "OBJ"]])
    >>> perturbed(trees, 0, 0, np.random.default_rng(0)).parents.tolist()
    [1, -1, 1]
    """
    check_perturbable(trees)
    for name, value in (("p_label", p_label), ("p_attach", p_attach)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is {quoted(value)}; expected a probability, from 0 to 1")
    n = len(trees.parents)
    relabelled, moved = rng.random(n) < p_label, rng.random(n) < p_attach
    label = np.where(relabelled, (rng.random(n) * len(trees.labels)).astype(int), trees.label)
    columns = [column.tolist() for column in (trees.parents, moved, rng.random(n))]
    parents = [
        parent
        for start, end in pairwise(trees.starts.tolist())
        for parent in _reattached(*(column[start:end] for column in columns))
    ]
    return replace(trees, parents=np.array(parents, np.int64), label=label)


def check_perturbable(trees: Trees) -> None:
    """Raise for trees that have no heads."""
    if trees.kind != "dependency":
        raise ValueError(
            f"{trees.kind} trees; random labels and heads are made of dependency trees only"
        )


def _reattached(
    parents: Sequence[int], moved: Sequence[bool], shares: Sequence[float]
) -> list[int]:
    """Parents of the tokens of a sentence, after those that are `moved` got random ones.

    `shares` in [0, 1) say which of the tokens that may be the new head it is, in their order.
    """
    parents = list(parents)
    children: list[list[int]] = [[] for _ in parents]
    for token, parent in enumerate(parents):
        if parent != NO_PARENT:
            children[parent].append(token)
    roots = [token for token, parent in enumerate(parents) if parent == NO_PARENT]
    visited = postorder(roots, children)
    unreachable = {*range(len(parents))}.difference(visited)
    for token in visited:
        if not moved[token]:
            continue
        no_heads = sorted({*unreachable, *postorder([token], children)})
        n_heads = len(parents) - len(no_heads)
        if n_heads:
            head = nth_other(int(shares[token] * n_heads), no_heads)
            if parents[token] != NO_PARENT:
                children[parents[token]].remove(token)
            children[head].append(token)
            parents[token] = head
    return parents


def postorder(roots: Iterable[int], children: Sequence[Sequence[int]]) -> list[int]:
    """A list of all tokens under some roots, each after its children; trees may be deep."""
    preorder: list[int] = []
    waiting = list(roots)
    while waiting:
        preorder.append(waiting.pop())
        waiting += children[preorder[-1]]
    return preorder[::-1]  # of the mirrored preorder


def nth_other(n: int, left_out: Iterable[int]) -> int:
    """The number that is n-th (from 0) among those that are not left out, which are sorted."""
    for number in left_out:
        if number <= n:
            n += 1
    return n
