"""Annotation with random errors: how do the metrics fall? Of trees; spans are in `span_errors`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..about import __version__
from ..corpora.treebanks import TreebankOptions, read_one_treebank
from ..formats.blemishes import STOP
from ..formats.errors import PathLike
from ..formats.notes import Notes
from ..formats.paths import path_text
from ..measures.arrays import IntArray, check_memory
from ..measures.trees.perturbation import check_perturbable, perturbed
from ..measures.trees.trees import Trees
from ..metrics.catalog import TREE_CATALOG
from ..metrics.request import Metrics
from ..scoring.trees import evaluate_trees, tree_requests
from .tabular import PlainResult

# what varies: the parts of p by which labels and heads become random
NOISES = {"both": (1, 1), "labels": (1, 0), "attachments": (0, 1)}
PROBABILITIES = tuple(tenth / 10 for tenth in range(1, 11))
SYNTAX_METRICS = (
    *(f"syntax_alpha(delta={delta})" for delta in ("plain", "diff", "norm")),
    "las",
    "uas",
)
ALL = "all"  # metrics
RUNS = 10
RUN = 500  # bytes that a run of a kind and probability of errors leaves: its values and places
SENTENCES = 100


class Perturbation(PlainResult):
    """Scores of annotation with random errors: `result["rows"]`."""

    def __str__(self) -> str:
        from ..reports.perturbation import perturbation_text

        return perturbation_text(self).strip("\n")

    def records(self) -> list[dict[str, Any]]:
        """One flat row for each kind of noise, probability, metric and run."""
        from ..reports.perturbation import perturbation_records

        return list(perturbation_records(self))


def perturb_treebank(
    path: PathLike,
    *,
    sentences: int = SENTENCES,
    format: str | None = None,
    strip: bool = False,
    on_error: str = STOP,
    reading: TreebankOptions | None = None,
    annotator: str | None = None,
    seed: int = 0,
    **settings: Any,
) -> Perturbation:
    """The experiment on a treebank, or on a sample of its sentences.

    Parameters
    ----------
    path : str or Path
        Any format of dependency trees, `.spacy` included.
    sentences : int
        The size of the sample, drawn without replacement; 0: all.
    format : str, optional
        The format of the trees; by default by the endings of files.
    strip : bool
        Whether to drop subtypes of relations: `nsubj:pass` becomes `nsubj`.
    on_error : str
        "stop", or "skip", which leaves blemished sentences out, as `read_treebank` does.
    reading : TreebankOptions, optional
        How the treebank is read; `format`, `strip` and `on_error` then do not count.
    annotator : str, optional
        The one whose trees are meant, in a folder of several.
    seed : int
    **settings
        `metrics`, `probabilities`, `runs`, `backend` and `progress` of `experiment`.

    Returns
    -------
    Perturbation
        The result of `experiment`, with `treebank`: the path, and `n_all`: number of sentences; and
        `skipped` and `warnings` if blemished ones were left out.
    """
    check_sample(sentences, "sentences")
    how = reading or TreebankOptions(format=format, strip=strip, on_error=on_error)
    bank = read_one_treebank(path, how, annotator)
    trees = bank.trees()
    check_perturbable(trees)
    seen = np.flatnonzero(trees.seen)
    drawn = sample(seen, sentences, np.random.default_rng(seed))
    result = experiment(_subset(trees, drawn), seed=seed, **settings)
    skipped = left_out(bank.skipped)
    return Perturbation({"treebank": path_text(path), "n_all": len(seen), **result, **skipped})


def check_sample(n: int, what: str) -> None:
    """Raise for the size of a sample that is none."""
    if n < 0:
        raise ValueError(f"{what} is {n}; expected a number of them, or 0 for all")


def sample(items: IntArray, n: int, rng: np.random.Generator) -> IntArray:
    """A sample of `n` items, in their order; all if there are no more, or `n` is 0."""
    if not 0 < n < len(items):
        return items
    return np.sort(rng.choice(items, n, replace=False))


def left_out(notes: Notes) -> dict[str, Any]:
    """`skipped` and `warnings` of a result, if blemished entries were left out."""
    skipped = notes.skipped_entries()
    return {"skipped": skipped, "warnings": notes.sentences()} if skipped else {}


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
        cycles=trees.cycles,
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
    metrics : sequence of str or Request, mapping of names to Request, or "all"
    probabilities : sequence of float
        Each the probability of a random label, and of a random head, for every token.
    runs, seed : int
    backend : "auto", "numpy" or "numba"
        Backend for tree edit distances; the numbers are the same.
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
    if metrics == ALL or isinstance(metrics, Sequence) and ALL in metrics:
        others = [one for one in metrics if one != ALL] if metrics != ALL else []
        every = [name for name, row in TREE_CATALOG.items() if trees.kind in row.kinds]
        metrics = [*every, *others]
    requests = tree_requests(trees.kind, metrics)

    def scores(noise: str, probability: float, rng: np.random.Generator) -> dict[str, Any]:
        p_label, p_attach = (probability * part for part in NOISES[noise])
        other = perturbed(trees, p_label, p_attach, rng)
        found = evaluate_trees(trees, other, requests, backend=backend)
        return {name: score.value for name, score in found.items()}

    return {
        "n_sentences": int(trees.seen.sum()),
        "n_tokens": len(trees.parents),
        "n_labels": len(trees.labels),
        "runs": runs,
        "seed": seed,
        "probabilities": list(probabilities),
        "metrics": list(requests),
        "requests": list(map(str, requests.values())),
        "rows": curves(scores, NOISES, probabilities, runs, seed, progress),
        "version": __version__,
    }


def curves(
    scores: Callable[[str, float, np.random.Generator], Mapping[str, float | None]],
    noises: Iterable[str],
    probabilities: Sequence[float],
    runs: int,
    seed: int,
    progress: Callable[..., Iterable[Any]],
) -> list[dict[str, Any]]:
    """Rows: noise, probability, metric, and `mean`, `lowest`, `highest` and `values` of the runs.

    Parameters
    ----------
    scores : callable
        scores(noise, probability, rng) returns the scores of annotation with errors, by metric.
    noises : iterable of str
        The kinds of noise; all get the same random numbers.
    progress : callable
        Wraps the list of all steps.

    Raises
    ------
    ValueError
        For fewer than one run, and for more than fit into `arrays.LIMIT`.
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}; expected at least one")
    noises = list(noises)
    cells = len(noises) * len(probabilities)
    check_memory("runs", runs, RUN * cells, f"for {cells} kinds and probabilities of errors")
    values: dict[tuple[str, int, str], list[float | None]] = {}
    for noise, index, run in progress(
        list(product(noises, range(len(probabilities)), range(runs)))
    ):
        rng = np.random.default_rng([seed, index, run])
        for name, value in scores(noise, probabilities[index], rng).items():
            values.setdefault((noise, index, name), []).append(value)
    return [
        {"noise": noise, "probability": probabilities[index], "metric": name, **_spread(own)}
        for (noise, index, name), own in values.items()
    ]


def _spread(values: Sequence[float | None]) -> dict[str, Any]:
    """Mean, lowest and highest of the values that are defined, and all values."""
    defined = [value for value in values if value is not None]
    return {
        "mean": sum(defined) / len(defined) if defined else None,
        "lowest": min(defined, default=None),
        "highest": max(defined, default=None),
        "values": values,
    }
