"""Figures 3 to 5 of Skjærholt (2014) by scripts/papers/skjaerholt.py --perturb: random errors."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from helpers.madetrees import varied
from helpers.scripts import cells, ran, script
from helpers.tree_strategies import random_heads
from helpers.treefiles import conll, write
from spacy_chance_eval import Trees, evaluate, read_treebank, sample

pytestmark = pytest.mark.integration

skjaerholt = script("skjaerholt")
NOISES = {"figure3": "both", "figure4": "labels", "figure5": "attachments"}
PROBABILITIES = skjaerholt.PROBABILITIES
PLAIN, DIFF, NORM, LAS, UAS = skjaerholt.METRICS
LABELS = ("DET", "OBJ", "PRED", "SUBJ")


def random_trees(seed, n_items=30, most=12):
    """Trees with one or several roots."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, n_items)
    heads = [random_heads(rng, int(size)) for size in sizes]
    return Trees.from_heads(heads, [rng.choice(LABELS, size).tolist() for size in sizes])


def noisy(trees, p_label, p_attach, seed=0):
    return skjaerholt.perturbed(trees, p_label, p_attach, np.random.default_rng(seed))


def n_roots(trees):
    """Number of roots by item."""
    return np.bincount(trees.item[trees.parents == -1], minlength=trees.n_items)


seeds = st.integers(0, 2**32 - 1)
probabilities = st.floats(0, 1)


@given(seeds, probabilities, probabilities)
def test_trees_stay_trees_of_the_same_sentences(seed, p_label, p_attach):
    trees = random_trees(seed)
    other = noisy(trees, p_label, p_attach, seed)  # cycles would raise
    assert other.starts.tolist() == trees.starts.tolist() and other.labels == trees.labels
    assert (n_roots(other) >= 1).all() and (n_roots(other) <= n_roots(trees)).all()


@each_case(("p_label", "p_attach"), [(0, 0), (1, 0), (0, 1)])
def test_noise_is_of_labels_of_heads_or_of_nothing(p_label, p_attach):
    trees = random_trees(1)
    other = noisy(trees, p_label, p_attach)
    assert (other.parents != trees.parents).any() == bool(p_attach)
    assert (other.label != trees.label).any() == bool(p_label)


@pytest.mark.parametrize("p", [0.1, 0.5, 1.0])
def test_labels_change_as_often_as_asked_for_to_any_label(p):
    """A random label is the old one in one of four cases."""
    trees = random_trees(3, 2000)
    label = noisy(trees, p, 0).label
    assert (label != trees.label).mean() == pytest.approx(p * (1 - 1 / len(LABELS)), abs=0.02)
    counts = np.bincount(label, minlength=len(LABELS))
    assert counts / counts.sum() == pytest.approx([1 / len(LABELS)] * len(LABELS), abs=0.02)


def test_new_heads_are_uniform_over_the_tokens_that_are_not_dominated():
    """The last of four leaves under one root: its head is any of the other four tokens."""
    trees = Trees.from_heads([[0, 1, 1, 1, 1]] * 4000, [["x"] * 5] * 4000)
    heads = Counter(noisy(trees, 0, 1).parents.reshape(-1, 5)[:, 1].tolist())
    assert set(heads) == {0, 2, 3, 4}
    assert all(count == pytest.approx(1000, abs=150) for count in heads.values())


def test_heads_are_taken_in_the_postorder_of_the_original_tree():
    """By hand: a chain of three. The last token chooses among the first two; the middle one then
    dominates it, and has the first alone, or not, and has two heads to choose from."""
    trees = Trees.from_heads([[0, 1, 2]] * 8000, [["x"] * 3] * 8000)
    found = Counter(map(tuple, noisy(trees, 0, 1).parents.reshape(-1, 3).tolist()))
    shares = {tree: count / 8000 for tree, count in found.items()}
    assert shares == pytest.approx(
        {(-1, 0, 1): 1 / 2, (-1, 0, 0): 1 / 4, (-1, 2, 0): 1 / 4}, abs=0.03
    )


def test_a_single_root_keeps_its_place_and_one_of_several_can_move():
    trees = random_trees(5)
    single = n_roots(trees) == 1
    other = noisy(trees, 0, 1)
    roots = (trees.parents == -1) & single[trees.item]
    assert roots.any() and (other.parents[roots] == -1).all()
    trees = Trees.from_heads([[0, 0]] * 100, [["x"] * 2] * 100)
    moved = noisy(trees, 0, 1).parents.reshape(-1, 2).tolist()
    # the first must go under the second, which then dominates all and stays
    assert moved == [[1, -1]] * 100


def test_sentences_of_one_token_and_of_none_stay_as_they_are():
    trees = Trees.from_heads([[0], None, []], [["x"], None, []])
    other = noisy(trees, 1, 1)
    assert other.parents.tolist() == [-1] and other.seen.tolist() == [True, False, True]


def test_tokens_of_a_cycle_keep_their_heads_and_become_no_heads():
    heads = [[0, 1, 4, 3, 1]] * 50  # 3 and 4 are each other's head
    trees = Trees.from_heads(heads, [["x"] * 5] * 50, cycles="reachable")
    parents = noisy(trees, 0, 1).parents.reshape(50, 5)
    assert (parents[:, 2:4] == [3, 2]).all() and {*parents[:, [0, 1, 4]].ravel()} == {-1, 0, 1, 4}


# --- the experiment


HEADS = [[2, 0, 4, 2], [2, 0], [0, 1, 1], [0], [3, 3, 0, 5, 3]]
RELATIONS = [["A", "B", "C", "D"], ["A", "B"], ["B", "D", "D"], ["B"], ["C", "A", "B", "C", "D"]]
TREES = Trees.from_heads(HEADS, RELATIONS)


def test_each_value_is_a_score_of_perturbed_trees():
    result = skjaerholt.perturbation(TREES, runs=3, seed=5)
    found = cells(result, "figure4")["0.8"][PLAIN]
    metric = skjaerholt.METRICS[PLAIN]
    expected = [
        evaluate(TREES, noisy(TREES, 0.8, 0, [5, 7, run]), [metric])[metric].headline
        for run in range(3)
    ]
    assert found["runs"] == expected
    assert found["value"] == pytest.approx(sum(expected) / 3)


def test_equal_seeds_give_equal_results_and_others_do_not():
    one, same, other = (skjaerholt.perturbation(TREES, runs=1, seed=x) for x in (3, 3, 4))
    assert one == same != other


def test_an_undefined_score_is_none():
    result = skjaerholt.perturbation(Trees.from_heads([[0], [0]], [["A"], ["A"]]), runs=2)
    assert cells(result, "figure3")["1.0"][PLAIN] == {"value": None, "runs": [None, None]}


def test_some_sentences_are_drawn_by_the_seed():
    trees = Trees.from_heads(HEADS * 4, RELATIONS * 4)
    titles = {skjaerholt.perturbation(trees, 6, 1, seed)["tables"][0]["title"] for seed in range(4)}
    assert len({title.partition(", seed")[0] for title in titles}) > 1
    assert all("6 of 20 sentences" in title for title in titles)
    (title,) = {one["title"][-40:] for one in skjaerholt.perturbation(trees, 0, 1)["tables"]}
    assert "20 of 20 sentences, 60 tokens, 1 run, seed 0".endswith(title)


def test_what_cannot_be_done_is_refused():
    constituents = Trees.from_nodes("constituency", [[-1, 0]], [["S", "V"]])
    with pytest.raises(ValueError, match="constituency trees; random labels and heads"):
        skjaerholt.perturbation(constituents)
    for settings in ({"sentences": -1}, {"runs": 0}):
        with pytest.raises(ValueError, match="expected a run"):
            skjaerholt.perturbation(TREES, **settings)


def test_the_script_writes_a_folder(tmp_path):
    sentence = conll((2, 0), ("X", "PRED"), ("Ada", "slept"))
    write(tmp_path / "a.conllx", *[sentence] * 3)
    words = ("--perturb", tmp_path / "a.conllx", "--runs", 1, "-o", tmp_path / "out")
    assert ran("skjaerholt", *words) is None
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {f"perturbation.{ending}" for ending in ("md", "csv", "json", "svg")}


@pytest.fixture(scope="module")
def found():
    """{noise: {metric: means by probability}} on the sample."""
    trees = read_treebank(sample.path("treebank.conllu")).trees()
    return means(skjaerholt.perturbation(trees, runs=2))


def means(result):
    return {
        noise: {
            metric: [row[metric]["value"] for row in cells(result, key).values()]
            for metric in skjaerholt.METRICS
        }
        for key, noise in NOISES.items()
    }


def straight(scores):
    """The line from 1 to the last of some scores."""
    return [1 - p * (1 - scores[-1]) for p in PROBABILITIES]


def falls(scores):
    """Whether scores get lower, up to the noise of two runs near chance."""
    steps = zip(scores, scores[1:])
    return all(b < a + 0.05 for a, b in steps) and scores[-1] < scores[4] < scores[0] < 1


def all_above(ones, others, margin=0.0):
    return all(one > other + margin for one, other in zip(ones, others))


# what the values by probability of all metrics have to show, of one kind of noise or of all
OF_EACH = {
    "more errors give lower scores": lambda one: all(
        falls(one[x]) for x in (PLAIN, DIFF, NORM, LAS)
    ),
    "diff collapses first": lambda one: all(
        all_above(one[x][2:], one[DIFF][2:], 0.05) for x in (PLAIN, NORM)
    ),
    "norm is the laxest": lambda one: all_above(one[NORM], one[PLAIN], -0.01),
}
OF_ALL = {
    "more errors give lower UAS": lambda all: (
        falls(all["both"][UAS]) and falls(all["attachments"][UAS])
    ),
    "diff is below zero early": lambda all: (
        next(p for p, value in zip(PROBABILITIES, all["both"][DIFF]) if value < 0) <= 0.4
    ),
    "diff goes far below zero": lambda all: all["both"][DIFF][-1] < -0.7,  # -200 % is below
    "errors of one kind are linear in LAS": lambda all: (
        [*all["labels"][LAS], *all["attachments"][LAS]]
        == pytest.approx(straight(all["labels"][LAS]) + straight(all["attachments"][LAS]), abs=0.06)
    ),
    # where labels and heads are random on their own, the shares that stay nearly multiply
    "errors of both kinds are independent in LAS": lambda all: (
        all["both"][LAS]
        == pytest.approx(
            [a * b for a, b in zip(all["labels"][LAS], all["attachments"][LAS])], abs=0.05
        )
    ),
    "plain is near LAS where both vary": lambda all: (
        max(abs(one - two) for one, two in zip(all["both"][PLAIN], all["both"][LAS])) < 0.3
    ),
    "plain is near zero at the end": lambda all: -0.3 < all["both"][PLAIN][-1] < 0.1,
    "nothing of LAS is left at the end": lambda all: 0 <= all["both"][LAS][-1] < 0.05,
    "labels cost plain less than structure": lambda all: all_above(
        all["labels"][PLAIN], all["attachments"][PLAIN], 0.05
    ),
    "labels cost plain less than LAS": lambda all: all_above(
        all["labels"][PLAIN], all["labels"][LAS]
    ),
    "labels leave UAS alone": lambda all: {*all["labels"][UAS]} == {1.0},
    "heads cost LAS and UAS the same": lambda all: (
        all["attachments"][LAS] == all["attachments"][UAS]
    ),
}


@each_case("shape", [*OF_EACH, *OF_ALL])
def test_figures_3_to_5_have_the_shapes_of_the_paper(found, shape):
    if shape in OF_ALL:
        assert OF_ALL[shape](found)
    else:
        assert all(map(OF_EACH[shape], found.values()))


def test_sentences_of_different_lengths_give_values_near_the_papers():
    """Its table of p = 1, both: plain -6.8, diff -246, norm 14.5, LAS 0.9 percent."""
    values = {
        metric: scores[-1]
        for metric, scores in means(skjaerholt.perturbation(varied(), runs=1))["both"].items()
    }
    assert -0.2 < values[PLAIN] < 0.1
    assert values[DIFF] < -1.5
    assert 0 < values[NORM] < 0.3
    assert 0 <= values[LAS] < 0.03
