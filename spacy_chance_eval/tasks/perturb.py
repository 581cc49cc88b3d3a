"""Dependency trees with random errors: other labels, other heads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np

from ..about import __version__
from ..corpora.treebanks import check_one_annotator, read_treebank
from ..formats.blemishes import STOP
from ..formats.errors import PathLike
from ..measures.arrays import IntArray
from ..measures.trees.trees import NO_PARENT, Trees
from ..metrics.request import Metrics
from ..scoring.trees import evaluate_trees, tree_requests


def perturbed(trees: Trees, p_label: float, p_attach: float, rng: np.random.Generator) -> Trees:
    """The trees with random labels and heads.

    Tokens of each sentence are visited in the postorder of the original tree. With `p_label` a
    token gets a label, uniform over all labels of `trees`, its own included. With `p_attach` it
    gets a head, uniform over the tokens that it does not dominate at that moment, its own head
    included; itself it dominates. So trees stay trees, and the artificial root is never a new head:
    a token that dominates all others keeps its head. How many numbers are drawn does not depend on
    the probabilities: with equal generators the label noise of one call is that of the other.

    Parameters
    ----------
    trees : Trees
        Of kind "dependency", without cycles.
    p_label, p_attach : float
        Probabilities, for every token on its own.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        For other kinds of trees, cycles, and probabilities outside of [0, 1].

    Examples
    --------
    >>> from spacy_chance_eval import Trees
    >>> trees = Trees.from_heads([[2, 0, 2]], [["SUBJ", "PRED", "OBJ"]])
    >>> perturbed(trees, 0, 0, np.random.default_rng(0)).parents.tolist()
    [1, -1, 1]
    """
    _check_perturbable(trees)
    for name, value in (("p_label", p_label), ("p_attach", p_attach)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is {value!r}; expected a probability, from 0 to 1")
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


def _check_perturbable(trees: Trees) -> None:
    """Raise for trees that have no heads, or tokens that no root leads to."""
    if trees.kind != "dependency":
        raise ValueError(
            f"{trees.kind} trees; random labels and heads are made of dependency trees only"
        )
    if not trees.reachable.all():
        node = np.flatnonzero(~trees.reachable)[0]
        raise ValueError(
            f"{trees.described(node)} cannot be reached from the root: its heads form a cycle; "
            "mend them before errors are added"
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
    for token in postorder(roots, children):
        if not moved[token]:
            continue
        dominated = sorted(postorder([token], children))
        n_heads = len(parents) - len(dominated)
        if n_heads:
            head = nth_other(int(shares[token] * n_heads), dominated)
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


# what varies: the parts of p by which labels and heads become random
NOISES = {"both": (1, 1), "labels": (1, 0), "attachments": (0, 1)}
PROBABILITIES = tuple(tenth / 10 for tenth in range(1, 11))
SYNTAX_METRICS = (
    *(f"syntax_alpha(delta={delta})" for delta in ("plain", "diff", "norm")),
    "las",
    "uas",
)
RUNS = 10
SENTENCES = 100


def perturb_treebank(
    path: PathLike,
    *,
    sentences: int = SENTENCES,
    format: str | None = None,
    strip: bool = False,
    on_error: str = STOP,
    seed: int = 0,
    **settings: Any,
) -> dict[str, Any]:
    """The experiment on a treebank, or on a sample of its sentences.

    Parameters
    ----------
    path : str or Path
        Any format of dependency trees, `.spacy` included.
    sentences : int
        The size of the sample, drawn without replacement; 0: all.
    format : str, optional
        The format of the trees; by default what the endings of files say.
    strip : bool
        Whether to drop subtypes of relations: `nsubj:pass` becomes `nsubj`.
    on_error : str
        "stop", or "skip", which leaves blemished sentences out, as `read_treebank` does.
    seed : int
    **settings
        `metrics`, `probabilities`, `runs`, `backend` and `progress` of `experiment`.

    Returns
    -------
    dict
        The result of `experiment`, with `treebank`: the path, and `n_all`: number of sentences; and
        `skipped` and `warnings` if blemished ones were left out.
    """
    if sentences < 0:
        raise ValueError(f"sentences is {sentences}; expected a number of them, or 0 for all")
    bank = read_treebank(path, format=format, strip=strip, on_error=on_error)
    check_one_annotator(bank, format)
    trees = bank.trees()
    _check_perturbable(trees)
    seen = np.flatnonzero(trees.seen)
    sample = _sample(seen, sentences, np.random.default_rng(seed))
    result = experiment(_subset(trees, sample), seed=seed, **settings)
    found = {"treebank": str(path), "n_all": len(seen), **result}
    if skipped := bank.skipped.skipped_entries():
        found |= {"skipped": skipped, "warnings": bank.skipped.sentences()}
    return found


def _sample(items: IntArray, n: int, rng: np.random.Generator) -> IntArray:
    """A sample of `n` items, in their order; all if there are no more, or `n` is 0."""
    if not 0 < n < len(items):
        return items
    return np.sort(rng.choice(items, n, replace=False))


def _subset(trees: Trees, items: IntArray) -> Trees:
    """The trees of some items, in ascending order, with the labels of all."""
    nodes = np.isin(trees.item, items)
    return Trees(
        trees.kind,
        np.cumsum([0, *trees.n_nodes[items]]),
        trees.parents[nodes],
        trees.label[nodes],
        trees.labels,
        names=[trees.name(item) for item in items],
    )


def experiment(
    trees: Trees,
    *,
    metrics: Metrics = SYNTAX_METRICS,
    probabilities: Sequence[float] = PROBABILITIES,
    runs: int = RUNS,
    seed: int = 0,
    backend: str = "auto",
    progress: Callable[..., Iterable[Any]] = iter,
) -> dict[str, Any]:
    """Scores of trees with random errors against the trees themselves.

    Errors of labels and of heads alike, of labels alone, of heads alone; see `perturbed`. The kinds
    of noise are compared on the same random numbers, one series for each run and probability.

    Parameters
    ----------
    trees : Trees
        Dependency trees of one annotator.
    probabilities : sequence of float
        Each the probability of a random label, and of a random head, for every token.
    progress : callable
        Wraps the list of all steps; for progress bars.

    Returns
    -------
    dict
        `n_sentences`, `n_tokens`, `n_labels`, `runs`, `seed`, `probabilities`, `metrics` (as they
        were asked for), `requests` (with all parameters), `version`, and `rows`: noise,
        probability, metric, the `mean`, `lowest` and `highest` of the runs, and `values`, one a
        run. None where a score is undefined; the mean is of the others.

    References
    ----------
    Skjærholt (2014), figures 3 to 5.
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}; expected at least one")
    requests = tree_requests(trees.kind, metrics)
    values: dict[tuple[str, int, str], list[float | None]] = {}
    steps = list(product(NOISES, range(len(probabilities)), range(runs)))
    for noise, index, run in progress(steps):
        p_label, p_attach = (probabilities[index] * part for part in NOISES[noise])
        rng = np.random.default_rng([seed, index, run])
        other = perturbed(trees, p_label, p_attach, rng)
        scores = evaluate_trees(trees, other, requests, backend=backend)
        for name, score in scores.items():
            values.setdefault((noise, index, name), []).append(score.value)
    return {
        "n_sentences": int(trees.seen.sum()),
        "n_tokens": len(trees.parents),
        "n_labels": len(trees.labels),
        "runs": runs,
        "seed": seed,
        "probabilities": list(probabilities),
        "metrics": list(requests),
        "requests": list(map(str, requests.values())),
        "rows": [
            {"noise": noise, "probability": probabilities[index], "metric": name, **_spread(own)}
            for (noise, index, name), own in values.items()
        ],
        "version": __version__,
    }


def _spread(values: Sequence[float | None]) -> dict[str, Any]:
    """Mean, lowest and highest of the values that are defined, and all values."""
    defined = [value for value in values if value is not None]
    return {
        "mean": sum(defined) / len(defined) if defined else None,
        "lowest": min(defined, default=None),
        "highest": max(defined, default=None),
        "values": values,
    }
