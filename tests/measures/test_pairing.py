"""The pairs of keys and responses, against brute force and GATE's own greedy pairing."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case, rows_in
from helpers.gate_corpora import CLOSE, corpus, counts, said, x
from helpers.gate_oracles import best_masses, greedy_counts
from helpers.strategies import pairs
from spacy_chance_eval.measures.alignment import align
from spacy_chance_eval.measures.gate import pairings
from spacy_chance_eval.measures.pairing import best_pairs, pair_spans
from spacy_chance_eval.measures.spans import Spans

# --- the pairing


@each_case("seed", range(100))
def test_flat_annotations_in_the_order_of_the_text_are_paired_as_gate_does(seed):
    rng = np.random.default_rng(seed)
    sides = []
    for _ in range(2):
        borders = np.cumsum(rng.integers(1, 4, 24))
        kept = rng.random(23) < 0.9
        sides.append([(int(a), int(b), "X") for a, b in zip(borders[:-1][kept], borders[1:][kept])])
    assert counts(*(corpus(side, size=99) for side in sides)) == greedy_counts(*sides)


@given(pairs(docs=2, most=4), st.randoms(use_true_random=False))
def test_counts_are_the_best_of_all_pairings(pair, random):
    gold, pred = pair.sides()
    found, close = pairings(gold, pred), pairings(gold, pred, closeness=CLOSE)
    for d, sides in enumerate(zip(pair.gold, pair.pred)):
        if None in sides:
            assert not any(part[d].any() for part in (found.correct, found.partial, close.correct))
            continue
        assert (found.correct[d].sum(), found.partial[d].sum()) == best_masses(*sides)
        expected = best_masses(*sides, CLOSE)
        assert (close.correct[d].sum(), close.partial[d].sum()) == pytest.approx(expected)
        assert (close.recalled[d].sum(), close.touched[d].sum()) == pytest.approx(expected)
        sides = [[(*span, {"f": random.choice([1, True, "1"])}) for span in side] for side in sides]
        assert counts(*map(said, sides), features="f")[:2] == best_masses(*sides)


EDGES = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)), st.sampled_from([0, 1, 2, 3, 0.5]), max_size=8
)


@pytest.mark.integration
def test_a_long_chain_of_overlaps_is_paired_without_a_matrix():
    n = 50_000
    start, zero = 4 * np.arange(n), np.zeros(n, int)
    gold = Spans(zero, start, start + 4, zero, [4 * n + 2], ["X"])
    pred = Spans(zero, start + 2, start + 6, zero, [4 * n + 2], ["X"])
    assert counts(gold, pred) == (0, n, 0, 0)


# --- features


@each_case(("key", "response", "features", "right"), rows_in(__file__, "features_of_pairs.jsonl"))
def test_a_response_has_to_include_the_significant_features_of_its_key(
    key, response, features, right
):
    span = (0, 5, "X")
    sides = [corpus([span]) if some is None else said([(*span, some)]) for some in (key, response)]
    wrong = int(not right)
    assert counts(*sides, features=features) == (1 - wrong, 0, wrong, wrong)
    assert counts(*sides, features="none") == (1, 0, 0, 0)


@each_case("features", ["", "a++b", "+", None, ["a"]])
def test_features_without_names_are_refused(features):
    with pytest.raises(ValueError, match="kind[+]number"):
        counts(corpus(x((0, 5))), corpus(x((0, 5))), features=features)


def test_of_equally_many_partial_pairs_those_that_share_more_are_taken():
    """Two keys and one response; and beside them a coextensive pair, which is taken before."""
    for second, taken in ((x((0, 4), (4, 9)), [1]), (x((0, 7), (7, 9)), [0])):
        sides = align(corpus([*second, (20, 22, "X")]), corpus(x((2, 8), (20, 22))))
        i, j, same = pair_spans(*sides)
        assert (i.tolist(), j.tolist(), same.tolist()) == ([*taken, 2], [0, 1], [False, True])


# --- one-to-one pairs of greatest weight


def one_to_one(edges):
    lefts, rights = zip(*edges) if edges else ((), ())
    return len(set(lefts)) == len(lefts) and len(set(rights)) == len(rights)


@pytest.mark.parametrize("equal", [False, True])
@given(EDGES, st.randoms(use_true_random=False))
def test_best_pairs_have_the_greatest_total_weight(equal, edges, random):
    subsets = (x for n in range(len(edges) + 1) for x in combinations(edges, n))
    edges = dict.fromkeys(edges, 1) if equal else edges
    best = max(sum(map(edges.get, chosen)) for chosen in subsets if one_to_one(chosen))
    for keys in (list(edges), random.sample(list(edges), len(edges))):
        rows = best_pairs([i for i, _ in keys], [j for _, j in keys], [edges[k] for k in keys])
        chosen = [keys[row] for row in rows]
        assert one_to_one(chosen)
        assert sum(map(edges.get, chosen)) == best


def test_a_long_chain_is_one_component():
    n = 300  # closed by a pair of its ends, so that there are no leaves
    left = np.repeat(np.arange(n), 2)
    right = np.ravel([(k, (k + 1) % n) for k in range(n)])
    weight = np.tile([2.0, 3.0], n)
    assert best_pairs(left, right, weight).tolist() == list(range(1, 2 * n, 2))
