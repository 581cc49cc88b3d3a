"""Random errors in trees: as often as asked for, where they may be, and trees they stay."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.tree_strategies import random_heads
from spacy_chance_eval.measures.trees.perturbation import nth_other, perturbed, postorder
from spacy_chance_eval.measures.trees.trees import Trees

LABELS = ("DET", "OBJ", "PRED", "SUBJ")


def random_trees(seed, n_items=30, most=12):
    """Trees with one or several roots."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, n_items)
    heads = [random_heads(rng, int(size)) for size in sizes]
    return Trees.from_heads(heads, [rng.choice(LABELS, size).tolist() for size in sizes])


def chain(n):
    """Each token hangs under the one before."""
    return Trees.from_heads([list(range(n))], [["x"] * n])


def noisy(trees, p_label, p_attach, seed=0):
    return perturbed(trees, p_label, p_attach, np.random.default_rng(seed))


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


def test_without_noise_nothing_changes():
    trees = random_trees(1)
    other = noisy(trees, 0, 0)
    assert (other.parents == trees.parents).all() and (other.label == trees.label).all()


def test_noise_of_labels_leaves_heads_alone():
    trees = random_trees(1)
    other = noisy(trees, 1, 0)
    assert (other.parents == trees.parents).all() and (other.label != trees.label).any()


def test_noise_of_heads_leaves_labels_alone():
    trees = random_trees(1)
    other = noisy(trees, 0, 1)
    assert (other.label == trees.label).all() and (other.parents != trees.parents).any()


def test_the_noise_of_one_kind_is_the_same_with_the_other_and_without():
    trees = random_trees(2)
    both, labels, heads = noisy(trees, 0.5, 0.5), noisy(trees, 0.5, 0), noisy(trees, 0, 0.5)
    assert (both.label == labels.label).all() and (both.parents == heads.parents).all()


def test_equal_generators_give_equal_trees_and_others_do_not():
    trees = random_trees(2)
    assert (noisy(trees, 1, 1, 5).parents == noisy(trees, 1, 1, 5).parents).all()
    assert (noisy(trees, 1, 1, 5).parents != noisy(trees, 1, 1, 6).parents).any()


@pytest.mark.parametrize("p", [0.1, 0.5, 1.0])
def test_labels_change_as_often_as_asked_for(p):
    """A random label is the old one in one of four cases."""
    trees = random_trees(3, 2000)
    share = (noisy(trees, p, 0).label != trees.label).mean()
    assert share == pytest.approx(p * (1 - 1 / len(LABELS)), abs=0.02)


def test_random_labels_are_uniform_over_all_labels():
    trees = random_trees(4, 2000)
    counts = np.bincount(noisy(trees, 1, 0).label, minlength=len(LABELS))
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


def test_a_single_root_keeps_its_place():
    trees = random_trees(5)
    single = n_roots(trees) == 1
    other = noisy(trees, 0, 1)
    roots = (trees.parents == -1) & single[trees.item]
    assert roots.any() and (other.parents[roots] == -1).all()


def test_one_of_several_roots_can_move_under_another():
    trees = Trees.from_heads([[0, 0]] * 100, [["x"] * 2] * 100)
    moved = noisy(trees, 0, 1).parents.reshape(-1, 2).tolist()
    # the first must go under the second, which then dominates all and stays
    assert moved == [[1, -1]] * 100


def test_sentences_of_one_token_and_of_none_stay_as_they_are():
    trees = Trees.from_heads([[0], None, []], [["x"], None, []])
    other = noisy(trees, 1, 1)
    assert other.parents.tolist() == [-1] and other.seen.tolist() == [True, False, True]


def test_a_deep_chain_is_no_problem():
    assert noisy(chain(3000), 0, 0.1).reachable.all()


def test_children_come_before_their_heads():
    assert postorder([0], [[1, 3], [2], [], []]) == [2, 1, 3, 0]


@given(st.sets(st.integers(0, 9), max_size=8), st.data())
def test_the_numbers_that_are_not_left_out_are_counted(left_out, data):
    others = [number for number in range(20) if number not in left_out]
    place = data.draw(st.integers(0, len(others) - 1))
    assert nth_other(place, sorted(left_out)) == others[place]


def test_constituency_trees_are_refused():
    trees = Trees.from_nodes("constituency", [[-1, 0]], [["S", "V"]])
    with pytest.raises(ValueError, match="constituency trees; random labels and heads"):
        noisy(trees, 1, 1)


def test_tokens_of_a_cycle_keep_their_heads_and_become_no_heads():
    heads = [[0, 1, 4, 3, 1]] * 50  # 3 and 4 are each other's head
    trees = Trees.from_heads(heads, [["x"] * 5] * 50, cycles="reachable")
    parents = noisy(trees, 0, 1).parents.reshape(50, 5)
    assert (parents[:, 2:4] == [3, 2]).all() and {*parents[:, [0, 1, 4]].ravel()} == {-1, 0, 1, 4}


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_probabilities_are_checked(p):
    with pytest.raises(ValueError, match="expected a probability"):
        noisy(chain(2), 0, p)
