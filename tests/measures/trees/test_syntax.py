"""Parts of alpha, labelled edges and labelled brackets against loops over items."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import tree_oracles as oracles
from helpers.tree_strategies import Team, in_small_blocks, random_team, teams
from spacy_chance_eval.measures.trees.postorder import distinct_trees
from spacy_chance_eval.measures.trees.syntax import (
    DELTAS,
    alpha,
    bracket_overlap,
    edge_labels,
    labelled_edges,
    quadratic_sums,
    regress_on_sizes,
    sampled_pairs,
    unlabelled_edges,
    weighted_mean,
    within_items,
)
from spacy_chance_eval.measures.trees.tree_edit import distance_blocks
from spacy_chance_eval.measures.trees.trees import Trees
from spacy_chance_eval.scoring.statistics import headline

EDGES = {"las": labelled_edges, "uas": unlabelled_edges, "label_accuracy": edge_labels}


def near(number):
    number = np.nan if number is None else float(number)
    return pytest.approx(number, rel=1e-9, abs=1e-12, nan_ok=True)


# --- alpha


@pytest.mark.parametrize("name", DELTAS)
@given(numbers=st.tuples(*[st.integers(0, 20)] * 3))
def test_deltas_are_those_of_the_definition(name, numbers):
    distance, one, two = numbers
    if one + two == 0:
        return
    found = DELTAS[name](np.array(distance), np.array(one), np.array(two))
    assert float(found) == near(oracles.DELTAS[name](*numbers))


@pytest.mark.parametrize("delta", DELTAS)
@given(team=teams(even=False))
def test_alpha_is_put_together_from_items_and_pairs_of_trees(delta, team):
    panel = team.panel()
    found, numbers = distinct_trees(panel.annotations)
    numbers, seen = np.array(numbers), panel.seen
    all_pairs = list(combinations(range(len(panel)), 2))
    shared = seen & panel.shared
    weights = np.bincount(numbers[shared], minlength=found.n_trees)
    ((rows, forms),) = quadratic_sums(
        distance_blocks(found), found.sizes, [delta], weights[None].astype(float), weights[:, None]
    )
    across = weights @ rows[0]
    assert across == near(forms[0])
    squares = np.zeros((len(all_pairs), panel.n_items))
    for row, (one, two) in enumerate(all_pairs):
        for item in np.flatnonzero(seen[one] & seen[two]):
            works = [team.works[panel.names[side]][item] for side in (one, two)]
            squares[row, item] = team.delta(delta)(*works) ** 2
    within = within_items(seen, squares, all_pairs).total()
    scores = alpha(within, np.array([across]))
    observed, expected, value = team.alpha(delta)
    assert float(headline(scores)[0]) == near(value)
    if expected is not None:
        assert 1 - float(scores["observed"][0]) == near(observed)
        assert 1 - float(scores["expected"][0]) == near(expected)


@given(team=teams(even=False), data=st.data())
def test_sums_over_pairs_of_trees_are_those_of_a_matrix(team, data):
    found, _ = distinct_trees(team.panel().annotations)
    n = found.n_trees
    row = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    views = np.array(data.draw(st.lists(row, min_size=1, max_size=3)), float)
    forms = np.array(data.draw(st.lists(row, max_size=3)), np.uint16).reshape(-1, n)
    matrix = np.zeros((n, n))
    for rows, columns, block in distance_blocks(found):
        matrix[rows, columns] = block
        matrix[columns, rows] = block.T
    sums = quadratic_sums(distance_blocks(found), found.sizes, list(DELTAS), views, forms.T)
    for (ours, drawn), delta in zip(sums, DELTAS.values()):
        square = delta(matrix, found.sizes[:, None], found.sizes) ** 2
        np.testing.assert_allclose(ours, views @ square, atol=1e-9)
        expected = [w @ square @ w for w in forms.astype(float)]
        np.testing.assert_allclose(drawn, expected, atol=1e-9)


def test_sums_do_not_depend_on_the_blocks(monkeypatch):
    panel = random_team(3, 30).panel()
    found, _ = distinct_trees(panel.annotations)
    rng = np.random.default_rng(0)
    views = rng.integers(0, 4, (2, found.n_trees)).astype(float)
    forms = rng.integers(0, 4, (5, found.n_trees)).astype(np.uint8)

    def sums():
        (one,) = quadratic_sums(distance_blocks(found), found.sizes, ["norm"], views, forms.T)
        return one

    whole = sums()
    in_small_blocks(monkeypatch)
    assert len(list(distance_blocks(found))) > 20
    parts = sums()
    for part, every in zip(parts, whole):
        np.testing.assert_allclose(part, every)


def test_sampled_pairs_are_uniform_and_of_different_annotations():
    pairs = sampled_pairs(4, 120_000, np.random.default_rng(0))
    cells = np.bincount(pairs[:, 0] * 4 + pairs[:, 1], minlength=16).reshape(4, 4)
    assert (np.diagonal(cells) == 0).all()
    off = cells[~np.eye(4, dtype=bool)]
    assert (abs(off - 10_000) < 500).all()


# --- edges


@pytest.mark.parametrize("metric", EDGES)
@given(team=teams(kinds=["dependency"], names=["ann", "bob"], even=False))
def test_edges_are_counted_token_by_token(metric, team):
    panel = team.panel()
    hits = EDGES[metric](*panel.annotations)
    for item, (one, two) in enumerate(zip(*team.works.values())):
        for number, label in enumerate(panel.labels):
            expected = [0, 0, 0, 0]
            if one and two and len(one[0]) == len(two[0]):
                for mine, theirs in zip(oracles.tokens(one), oracles.tokens(two)):
                    same = oracles.SAME[metric](mine, theirs)
                    counts = [mine[1] == label, same and mine[1] == label]
                    counts += [theirs[1] == label, same and theirs[1] == label]
                    expected = [a + b for a, b in zip(expected, counts)]
            row = [hits.gold, hits.recalled, hits.pred, hits.correct]
            assert [column[item, number] for column in row] == expected


def test_ignored_labels_count_on_neither_side():
    works = {
        "ann": (([0, 1, 1], ["A", "punct", "B"]),),
        "bob": (([0, 1, 1], ["A", "punct", "punct"]),),
    }
    sides = Team("dependency", works).panel().annotations
    hits = unlabelled_edges(*sides, ignore="punct").total().pooled()
    masses = hits.gold, hits.recalled, hits.pred, hits.correct
    assert [int(mass[0]) for mass in masses] == [2, 1, 1, 1]


@pytest.mark.parametrize("metric", EDGES)
@pytest.mark.parametrize("ignore", ["none", "A", "A:x+B"])
@given(team=teams(kinds=["dependency"], names=["ann", "bob"], labels=("A", "A:x", "A:y", "B:x")))
def test_stripped_relations_are_those_of_trees_without_subtypes(metric, ignore, team):
    plain = team.relabelled({"A": "A", "A:x": "A", "A:y": "A", "B:x": "B"})
    found = EDGES[metric](*team.panel().annotations, ignore=ignore, subtypes="strip")
    expected = EDGES[metric](*plain.panel().annotations, ignore=ignore)
    for name in ("gold", "recalled", "pred", "correct"):
        one, two = getattr(found, name), getattr(expected, name)
        labels = team.panel().labels, plain.panel().labels
        rows = [dict(zip(own, table.T.tolist())) for own, table in zip(labels, (one, two))]
        used = [{label: row for label, row in side.items() if any(row)} for side in rows]
        assert used[0] == used[1]


def test_edges_are_of_dependency_trees_and_brackets_of_constituency():
    dependency, constituency = (
        random_team(1, 3, kind=kind).panel().annotations[:2]
        for kind in ("dependency", "constituency")
    )
    for count in EDGES.values():
        with pytest.raises(ValueError, match="attachment scores are of dependency trees"):
            count(*constituency)
    with pytest.raises(ValueError, match="labelled brackets are of constituency trees"):
        bracket_overlap(*dependency)


# --- brackets


@given(team=teams(kinds=["constituency"], names=["ann", "bob"], even=False))
def test_brackets_are_compared_as_sets(team):
    overlap = bracket_overlap(*team.panel().annotations)
    for item, (one, two) in enumerate(zip(*team.works.values())):
        weight = oracles.leaves(one) if one and two else 0
        assert overlap.weight[item, 0] == weight
        expected = oracles.jaccard([[one, two]]) if weight else 0
        assert overlap.score[item, 0] == near(expected * weight)
    assert float(weighted_mean(overlap.total())[0]) == near(oracles.jaccard(team.items()))


def test_deep_brackets_are_compared_without_recursion():
    n = 10_000
    labels = [["A"] * (n - 1) + [last] for last in "AB"]
    one, two = (Trees.from_nodes("constituency", [range(-1, n - 1)], [row]) for row in labels)
    overlap = bracket_overlap(one.with_labels("AB"), two.with_labels("AB"))
    assert weighted_mean(overlap.total()).tolist() == [0.5]


# --- D_e by regression


def regressed(n_pairs, sizes, counts):
    """Squared distances that depend on the sizes, with an error; their pairs, and the fit."""
    rng = np.random.default_rng(0)
    size = np.repeat(np.arange(len(sizes)), counts)
    pairs = size[sampled_pairs(len(size), n_pairs, rng)]
    one, two = sizes[pairs].T
    squares = (one - two) ** 2 + one * rng.uniform(0, 1, len(pairs))
    return squares, pairs, regress_on_sizes(squares, pairs, sizes, counts)


SIZES, COUNTS = np.arange(1, 21), np.full(20, 5)


def test_the_standard_error_is_that_of_a_prediction_at_the_mean():
    squares, pairs, fit = regressed(300, SIZES, COUNTS)
    one, two = np.maximum(*SIZES[pairs].T) / 20, np.minimum(*SIZES[pairs].T) / 20
    share = two / one
    x = np.stack([one**0, one, two, one**2, one * two, two**2, share, share**2], axis=1)
    larger, smaller = np.maximum.outer(SIZES, SIZES) / 20, np.minimum.outer(SIZES, SIZES) / 20
    weight = np.outer(COUNTS, COUNTS) - np.diag(COUNTS)
    shares = smaller / larger
    columns = (larger, smaller, larger**2, larger * smaller, smaller**2, shares, shares**2)
    mean = np.array([1, *((column * weight).sum() / weight.sum() for column in columns)])

    def prediction(rows):
        return mean @ np.linalg.lstsq(x[rows], squares[rows])[0]

    # HC3 is, but for a factor, the variance of predictions without each of the pairs
    left_out = np.array([prediction(np.arange(300) != i) for i in range(300)])
    expected = np.sqrt(((left_out - prediction(np.arange(300))) ** 2).sum())
    assert fit.standard_error == pytest.approx(expected, rel=1e-6)


def test_few_pairs_give_their_plain_mean_and_unseen_sizes_no_standard_error():
    squares, _, fit = regressed(79, SIZES, COUNTS)
    np.testing.assert_allclose(fit.fitted, squares.mean())
    assert fit.standard_error == pytest.approx(squares.std(ddof=1) / np.sqrt(78))
    *_, fit = regressed(50, np.array([1, 200]), np.array([3000, 2]))
    assert np.isnan(fit.standard_error)
