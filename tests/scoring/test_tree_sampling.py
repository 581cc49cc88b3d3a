"""D_e from a sample of pairs: how near it comes, and what its standard error and intervals hold.

On sentences of many lengths with the errors of a middling parser; also on those of a real treebank,
if the variable TREEBANK names a file of CoNLL-U.
"""

import os

import numpy as np
import pytest

from helpers.madetrees import varied
from helpers.resamples import ends
from helpers.scripts import script
from spacy_chance_eval import Resampling, Trees, evaluate
from spacy_chance_eval.corpora.treebanks import read_treebank
from spacy_chance_eval.measures.trees import syntax
from spacy_chance_eval.measures.trees.tree_edit import tree_edit_distances

pytestmark = pytest.mark.slow

N_SENTENCES, N_PAIRS, REPETITIONS = 200, 1000, 200
DELTAS = tuple(syntax.DELTAS)


def subset(trees, items):
    """The trees of some items, as often as they are named."""
    ends = list(zip(trees.starts, trees.starts[1:]))
    nodes = [slice(*ends[item]) for item in items]
    parents = [trees.parents[some].tolist() for some in nodes]
    labels = [[trees.labels[i] for i in trees.label[some]] for some in nodes]
    return Trees.from_nodes(trees.kind, parents, labels)


@pytest.fixture(scope="module", params=["made", "TREEBANK"])
def pair(request):
    """Gold and a parser of LAS .5 to .6."""
    path = os.environ.get("TREEBANK")
    if request.param == "TREEBANK" and not path:
        pytest.skip("TREEBANK names no file of CoNLL-U")
    gold = varied(N_SENTENCES) if request.param == "made" else read_treebank(path).trees()
    some = np.random.default_rng(0).permutation(gold.n_items)[:N_SENTENCES]
    gold = subset(gold, some.tolist())
    return gold, script("skjaerholt").perturbed(gold, 0.3, 0.3, np.random.default_rng(1))


@pytest.fixture(scope="module")
def population(pair):
    """Sizes of the annotations, gold first, and the distances of all pairs of them."""
    sizes = np.concatenate([trees.sizes for trees in pair])
    rows = [(trees, item) for trees in pair for item in range(trees.n_items)]
    table = np.zeros((len(rows), len(rows)), int)
    one, two = np.triu_indices(len(rows), 1)
    both = [np.divmod(side, N_SENTENCES) for side in (one, two)]
    for which in ((0, 0), (0, 1), (1, 1)):
        mask = (both[0][0] == which[0]) & (both[1][0] == which[1])
        sides = [subset(pair[which[k]], both[k][1][mask].tolist()) for k in range(2)]
        labels = sorted({*sides[0].labels, *sides[1].labels})
        found = tree_edit_distances(*(side.with_labels(labels) for side in sides))
        table[one[mask], two[mask]] = table[two[mask], one[mask]] = found
    return sizes, table


def estimates(population, delta, by_size=True):
    """(D_e of all pairs, estimates of it, their standard errors); else without the sizes."""
    sizes, distances = population
    squares = syntax.DELTAS[delta](distances, sizes[:, None], sizes).astype(float) ** 2
    n = len(sizes)
    values, size = np.unique(sizes if by_size else 0 * sizes + 1, return_inverse=True)
    counts = np.bincount(size)
    rows = []
    for seed in range(REPETITIONS):
        pairs = syntax.sampled_pairs(n, N_PAIRS, np.random.default_rng([seed, 5]))
        drawn = squares[pairs[:, 0], pairs[:, 1]]
        fit = syntax.regress_on_sizes(drawn, size[pairs], values, counts)
        total = counts @ fit.fitted @ counts - counts @ np.diagonal(fit.fitted)
        rows.append((total / (n * (n - 1)), fit.standard_error))
    return squares.sum() / (n * (n - 1)), *np.array(rows).T


@pytest.mark.parametrize("delta", DELTAS)
def test_the_estimate_is_unbiased(population, delta):
    true, found, _ = estimates(population, delta)
    assert found.mean() == pytest.approx(true, abs=4 * found.std() / np.sqrt(REPETITIONS))


@pytest.mark.parametrize("delta", DELTAS)
def test_the_standard_error_covers_the_true_value(population, delta):
    true, found, errors = estimates(population, delta)
    assert errors.mean() == pytest.approx(found.std(), rel=0.15)
    assert 0.9 <= np.mean(np.abs(found - true) < 1.96 * errors) <= 0.99


@pytest.mark.parametrize(("delta", "times"), [("plain", 4), ("diff", 1.5), ("norm", 1.5)])
def test_it_comes_nearer_than_the_mean_of_the_sample(population, delta, times):
    true, found, _ = estimates(population, delta)
    _, means, _ = estimates(population, delta, by_size=False)
    errors = [np.sqrt(np.mean((some - true) ** 2)) for some in (found, means)]
    assert times * errors[0] < errors[1]


def test_intervals_hold_the_score_of_the_population(pair):
    asked = {"all": "syntax_alpha", "drawn": "syntax_alpha(sample=200)"}
    labels = sorted({*pair[0].labels, *pair[1].labels})
    gold, pred = (trees.with_labels(labels) for trees in pair)
    true = evaluate(gold, pred, asked)["all"].headline
    held, widths = {name: [] for name in asked}, {name: [] for name in asked}
    for seed in range(REPETITIONS):
        items = np.random.default_rng([seed, 6]).integers(0, N_SENTENCES, 60).tolist()
        some = Resampling(200, seed=seed)
        scores = evaluate(subset(gold, items), subset(pred, items), asked, intervals=some)
        for name, score in scores.items():
            low, high = ends(score)
            held[name].append(low <= true <= high)
            widths[name].append(high - low)
    coverage = {name: np.mean(some) for name, some in held.items()}
    assert coverage["drawn"] >= coverage["all"] - 0.03
    assert coverage["drawn"] >= 0.85
    assert np.mean(widths["all"]) < np.mean(widths["drawn"]) < 2 * np.mean(widths["all"])
