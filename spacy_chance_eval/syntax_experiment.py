"""How metrics of trees fall when errors are added: a treebank against itself with random ones."""

from itertools import product

import numpy as np

from .about import __version__
from .measures.trees.trees import Trees
from .perturb import check_perturbable, perturbed
from .tree_agreement import evaluate_trees, tree_requests
from .treebanks import check_one_annotator, read_treebank

# what varies: by which part of p labels and heads become random
NOISES = {"both": (1, 1), "labels": (1, 0), "attachments": (0, 1)}
PROBABILITIES = tuple(tenth / 10 for tenth in range(1, 11))
METRICS = (
    *(f"syntax_alpha(delta={delta})" for delta in ("plain", "diff", "norm")),
    "las",
    "uas",
)
RUNS = 10
SENTENCES = 100


def perturb_treebank(path, *, sentences=SENTENCES, format=None, strip=False, seed=0, **settings):
    """The experiment on a treebank, or on some of its sentences.

    Parameters
    ----------
    path : str or Path
        Any format of dependency trees, `.spacy` included.
    sentences : int
        How many are drawn from it, if it has more; 0: all.
    format, strip
        As `read_treebank` has them.
    seed : int
    **settings
        Of `experiment`.

    Returns
    -------
    dict
        As `experiment` makes it, with `treebank`: the path, and `n_all`: number of its sentences.
    """
    if sentences < 0:
        raise ValueError(f"sentences is {sentences}; expected a number of them, or 0 for all")
    bank = read_treebank(path, format=format, strip=strip)
    check_one_annotator(bank, format)
    trees = bank.trees()
    check_perturbable(trees)
    seen = np.flatnonzero(trees.seen)
    some = drawn(seen, sentences, np.random.default_rng(seed))
    result = experiment(picked(trees, some), seed=seed, **settings)
    return {"treebank": str(path), "n_all": len(seen), **result}


def drawn(items, n, rng):
    """So many of the items, in their order; all if there are no more, or `n` is 0."""
    if not 0 < n < len(items):
        return items
    return np.sort(rng.choice(items, n, replace=False))


def picked(trees, items):
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
    trees,
    *,
    metrics=METRICS,
    probabilities=PROBABILITIES,
    runs=RUNS,
    seed=0,
    backend="auto",
    progress=iter,
):
    """Scores of trees with random errors against the trees themselves.

    Errors of labels and of heads alike, of labels alone, of heads alone; see `perturbed`. The kinds
    of noise are compared on the same random numbers, one series for each run and probability.

    Parameters
    ----------
    trees : Trees
        Dependency trees of one annotator.
    metrics : sequence of str or Request
    probabilities : sequence of float
        Each the probability of a random label, and of a random head, for every token.
    runs, seed : int
    backend : str
        As `tree_edit_distances` has it.
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
    requests, found = tree_requests(trees.kind, metrics), {}
    steps = list(product(NOISES, range(len(probabilities)), range(runs)))
    for noise, place, run in progress(steps):
        p_label, p_attach = (probabilities[place] * part for part in NOISES[noise])
        rng = np.random.default_rng([seed, place, run])
        other = perturbed(trees, p_label, p_attach, rng)
        scores = evaluate_trees(trees, other, requests, backend=backend)
        for name, score in scores.items():
            found.setdefault((noise, place, name), []).append(score.value)
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
            {"noise": noise, "probability": probabilities[place], "metric": name, **spread(values)}
            for (noise, place, name), values in found.items()
        ],
        "version": __version__,
    }


def spread(values):
    """Mean and ends of the values that are defined, and all values."""
    defined = [value for value in values if value is not None]
    return {
        "mean": sum(defined) / len(defined) if defined else None,
        "lowest": min(defined, default=None),
        "highest": max(defined, default=None),
        "values": values,
    }
