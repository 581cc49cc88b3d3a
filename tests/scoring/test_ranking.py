from itertools import combinations, product

import numpy as np
import pytest

from helpers import resampling_oracles as oracles
from helpers.cases import later
from helpers.resamples import (
    FEW,
    GOLD,
    METRICS,
    SIDES,
    SYSTEMS,
    approx,
    board_of,
    corpus,
    rank,
    row_of,
    spans,
)
from spacy_chance_eval import evaluate, leaderboard
from spacy_chance_eval.measures.matching import Hits
from spacy_chance_eval.metrics.request import request
from spacy_chance_eval.reports.leaderboard import standing_of
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring.intervals import Resampling
from spacy_chance_eval.scoring.ranking import Comparison, exchanges_of, rank_systems
from spacy_chance_eval.scoring.statistics import Statistics

each_metric = pytest.mark.parametrize("metric", [METRICS[0], *later(*METRICS[1:])])
each_side = pytest.mark.parametrize("side", SIDES)
each_seed = pytest.mark.parametrize("seed", [0, *later(1, 2)])


# --- a loop that does it all by `evaluate`, on the documents that were drawn


def score_of(gold, documents, metric):
    """The score of a corpus as `evaluate` has it."""
    return evaluate(spans(gold), spans(documents), metric)[metric]


def number_of(score, side, label=None):
    """A score, of a label or of all."""
    return getattr(score, side) if label is None else score.per_label.get(label, {side: None})[side]


def resampled_scores(gold, systems, samples, metric):
    """{system: its scores in each resample}."""
    return {
        name: [score_of([gold[i] for i in x], [docs[i] for i in x], metric) for x in samples]
        for name, docs in systems.items()
    }


@each_metric
@each_seed
def test_scores_and_intervals_are_those_of_corpora_that_were_drawn(recorder, seed, metric):
    gold, systems = corpus(seed, 2)
    board = board_of(rank(gold, systems, [metric]))
    many = resampled_scores(gold, systems, recorder.samples(8), metric)
    for (name, documents), side in product(systems.items(), SIDES):
        value = number_of(score_of(gold, documents, metric), side)
        assert row_of(board, name).get(side) == pytest.approx(value), side
        numbers = [number_of(score, side) for score in many[name]]
        expected = approx(oracles.percentile_interval(value, numbers, n=oracles.n_eff(gold)))
        assert interval_of(row_of(board, name), side) == expected, side


@pytest.mark.integration
@each_seed
def test_ranks_and_shares_of_being_first_are_those_of_the_resamples(recorder, seed):
    gold, systems = corpus(seed)
    board = board_of(rank(gold, systems, intervals=Resampling(41)))
    many = resampled_scores(gold, systems, recorder.samples(8), "span_f")
    for side in SIDES:
        scores = [[number_of(score, side) for score in row] for row in zip(*many.values())]
        rows = [oracles.ranks(row) for row in scores]
        shares = oracles.first_shares(rows)
        values = [number_of(score_of(gold, x, "span_f"), side) for x in systems.values()]
        for i, name in enumerate(systems):
            standing = standing_of(row_of(board, name), side)
            assert standing["rank"] == oracles.ranks(values)[i]
            assert standing["first"] == pytest.approx(shares[i])
            ordered = sorted(row[i] for row in rows)
            assert interval_of(standing, "rank") == (ordered[1], ordered[39])  # .025 and .975 of 41


@pytest.mark.integration
@each_seed
@each_metric
def test_bootstrap_tests_are_those_of_corpora_that_were_drawn(recorder, no_more, seed, metric):
    gold, systems = corpus(seed, 2)
    board = board_of(rank(gold, systems, [metric], comparison=Comparison("bootstrap")))
    drawn = resampled_scores(gold, systems, recorder.samples(8), metric).values()
    (pair,) = board["pairs"]
    for side in SIDES:
        one, two = ([number_of(score, side) for score in scores] for scores in drawn)
        many = [None if None in pair else pair[0] - pair[1] for pair in zip(one, two)]
        first, second = (number_of(score_of(gold, x, metric), side) for x in systems.values())
        assert pair[side]["difference"] == pytest.approx(first - second)
        interval = oracles.percentile_interval(first - second, many, n=oracles.n_eff(gold))
        assert interval_of(pair[side]) == approx(interval)
        assert pair[side]["p_value"] == pytest.approx(oracles.bootstrap_p(first - second, many))


@each_seed
@each_metric
def test_randomisation_tests_are_those_of_corpora_with_exchanged_documents(
    recorder, no_more, seed, metric
):
    gold, systems = corpus(seed, 2)
    (pair,) = board_of(rank(gold, systems, [metric]))["pairs"]
    masks = recorder.by_document("exchange", 8)
    exchanged = [oracles.exchanged(*systems.values(), mask) for mask in masks]
    own, *others = (
        [score_of(gold, x, metric) for x in two] for two in (systems.values(), *exchanged)
    )
    for side in SIDES:
        apart = lambda two: abs(number_of(two[0], side) - number_of(two[1], side))  # noqa: B023, E731
        reached = sum(apart(two) >= apart(own) - 1e-12 for two in others)
        assert pair[side]["p_value"] == pytest.approx((1 + reached) / 41)


@each_side
def test_clusters_are_exchanged_whole(recorder, side):
    names = list("abcabcdd")
    (pair, *_) = board_of(rank(clusters=names))["pairs"]
    masks = recorder.by_document("exchange", 8)
    assert (masks[:, :3] == masks[:, 3:6]).all() and (masks[:, 6] == masks[:, 7]).all()
    rows = [oracles.document_counts(GOLD, x, [12] * 8) for x in SYSTEMS.values()]
    expected = oracles.randomisation_p(rows[0], rows[1], masks > 0, side)
    assert pair[side]["p_value"] == pytest.approx(expected)


@each_side
def test_holm_corrects_over_the_pairs_of_a_board(side):
    gold, systems = corpus(3, 4, 20)
    result = rank(gold, systems, METRICS, intervals=Resampling(300))
    for board in result["boards"]:
        tests = [pair[side] for pair in board["pairs"]]
        expected = oracles.holm([test["p_value"] for test in tests])
        assert [test["p_holm"] for test in tests] == [x and pytest.approx(x) for x in expected]


@each_side
def test_groups_are_those_of_the_tests_after_holm(side):
    gold, systems = corpus(5, 5, 30)
    for board in rank(gold, systems, intervals=Resampling(500))["boards"]:
        letters = {row["system"]: set(standing_of(row, side)["group"]) for row in board["rows"]}
        for pair in board["pairs"]:
            together = bool(letters[pair["first"]] & letters[pair["second"]])
            assert together == (pair[side]["p_holm"] is None or pair[side]["p_holm"] >= 0.05)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(3))
def test_a_system_without_a_corrected_score_moves_no_other(metric, seed):
    draw = np.random.default_rng(seed)
    documents = lambda p: [[(0, 1, "A")] if draw.random() < p else [] for _ in range(9)]  # noqa: E731
    gold, systems = [[(0, 1, "A")]] * 9, {f"s{i}": documents(0.6) for i in range(4)}
    perfect = {"all": gold}  # all of the text: chance alone is perfect
    changes = []
    for some in (systems, systems | perfect):
        sides = {name: spans(one, ["A"], [1] * 9) for name, one in some.items()}
        board = board_of(leaderboard(spans(gold, ["A"], [1] * 9), sides, [metric], intervals=FEW))
        changes.append({row["system"]: row["change"] for row in board["rows"]})
        lost = {row["system"] for row in board["rows"] if row["corrected"] is None}
        assert lost == some.keys() & perfect.keys()
    assert changes[1] == {**changes[0], "all": None}


def test_systems_are_resampled_alike_by_every_metric(recorder):
    rank(metrics=["span_f", "token_f", "slicm"])
    one, *others = recorder.weights["bootstrap"]
    assert len(others) == 2 and all((one == other).all() for other in others)


# --- systems that do not differ


def test_identical_systems_share_everything():
    result = rank(systems=dict.fromkeys("abc", SYSTEMS["s1"]))
    for board in result["boards"]:
        for side in SIDES:
            standings = [standing_of(row, side) for row in board["rows"]]
            assert {one["rank"] for one in standings} == {1}
            assert {one["group"] for one in standings} == {"a"}
            assert [one["first"] for one in standings] == pytest.approx([1 / 3] * 3)
            for pair in board["pairs"]:
                assert (pair[side]["difference"], pair[side]["p_value"]) == (0, 1)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_p_values_do_not_depend_on_which_system_is_first(test):
    names = {"s0": "b", "s1": "a"}
    systems = {name: SYSTEMS[name] for name in names}
    turned = {names[name]: documents for name, documents in systems.items()}
    one, two = (
        board_of(rank(systems=x, comparison=Comparison(test)))["pairs"][0]
        for x in (systems, turned)
    )
    for side in SIDES:
        assert one[side]["difference"] == pytest.approx(-two[side]["difference"])
        assert one[side]["p_value"] == pytest.approx(two[side]["p_value"])


# --- statistics


def some_hits(seed, shared):
    """Spans that are right by document; recalled and correct ones may share an array."""
    gold, pred = np.random.default_rng(seed).integers(1, 5, (2, 12, 2))
    correct = np.minimum(gold, pred) - 1
    return Statistics(Hits(gold, correct if shared else correct.copy(), pred, correct))


@pytest.mark.parametrize("n_systems", [2, 3, 5], ids=["pair", "three", "five"])
def test_a_pair_has_the_test_that_it_has_among_other_pairs(n_systems):
    score = request("span_f", chance="none").scorer()
    systems = [some_hits(seed, False) for seed in range(6)]
    few, many = (
        rank_systems(score, some, Resampling(50))["observed"]
        for some in (systems[:n_systems], systems)
    )
    places = [*combinations(range(6), 2)]
    for number, pair in enumerate(combinations(range(n_systems), 2)):
        assert few.pair(number, 0)["p_value"] == many.pair(places.index(pair), 0)["p_value"]
        assert interval_of(few.pair(number, 2)) == interval_of(many.pair(places.index(pair), 2))


def test_few_pairs_are_exchanged_as_many_are():
    """Few as differences of pairs, many as differences of systems from one of them."""
    systems = [some_hits(seed, False).pooled() for seed in range(4)]
    pairs = np.array([*combinations(range(4), 2)]).T
    weights = np.random.default_rng(0).integers(0, 2, (12, 7))
    found = {}
    for name, some in (("few", pairs[:, [0, 5]]), ("many", pairs)):
        one = exchanges_of(systems, some, np.ones(12, bool))
        assert one.by_pair == (name == "few")
        moved = [np.moveaxis(move, 0, -1) @ weights for _, move in one.moves.values()]
        found[name] = [both.observed for _, both in one.sums(moved, 7)]
    (few,), (many,) = found["few"], found["many"]
    for name in ("gold", "pred", "correct"):
        assert (getattr(few, name) == getattr(many, name)[:, [0, 5]]).all()
        assert (getattr(few, name) != getattr(few, name)[:, :, :1]).any()
