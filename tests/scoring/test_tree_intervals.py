"""Intervals of the agreement on trees against explicit resamples; samples of pairs of trees."""

import numpy as np
import pytest

from helpers import tree_oracles as oracles
from helpers.cases import each_case, later
from helpers.paneltables import near
from helpers.resamples import ends
from helpers.resampling_oracles import n_eff, tail
from helpers.tree_strategies import Team, random_team
from helpers.treetables import by_alpha, by_share, tables
from spacy_chance_eval import Resampling, agree, evaluate
from spacy_chance_eval.measures import resampling
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring import pair_scores, tree_alpha, trees
from spacy_chance_eval.scoring.statistics import headline


@pytest.fixture
def samples(monkeypatch):
    """The items of each resample that was drawn, by the order of what was resampled."""
    drawn = {}

    def recorded(rows, resamples, rng):
        blocks = list(resampling.bootstrap_weights(rows, resamples, rng))
        drawn["weights"] = np.zeros((resamples, rows), int)
        for some, part, weights in blocks:
            drawn["weights"][some, part] = weights
        return resampling.Blocks(rows, resamples, iter(blocks))

    def ordered(*arguments):
        drawn["order"] = resampling.cluster_order(*arguments)
        return drawn["order"]

    monkeypatch.setattr(trees, "cluster_order", ordered)
    for module in (tree_alpha, pair_scores):
        monkeypatch.setattr(module, "bootstrap_weights", recorded)

    def made():
        items, starts = drawn["order"]
        sizes = np.diff([*starts, len(items)])
        return [np.repeat(items, np.repeat(row, sizes)).tolist() for row in drawn["weights"]]

    return made


SCORES = {
    "syntax_alpha": by_alpha("plain"),
    "syntax_alpha(delta=diff)": by_alpha("diff"),
    "syntax_alpha(delta=norm)": by_alpha("norm"),
    "las": by_share(oracles.attachments, "las"),
}


def limits(values, team, level=0.95, clusters=None):
    """The quantiles for the effective number of the items, or clusters, that two annotated."""
    nodes = np.sum([team.trees(name).n_nodes for name in team.works], axis=0)
    shared = [i for i, item in enumerate(team.items()) if len(item) > 1]
    names = clusters and [i if clusters[i] is None else clusters[i] for i in shared]
    low = tail(level, n_eff([range(nodes[i]) for i in shared], names))
    return tuple(np.quantile(values, [low, 1 - low]))


@pytest.mark.parametrize("metric", ["syntax_alpha", *later(*[*SCORES][1:])])
def test_intervals_are_quantiles_of_explicit_resamples(metric, samples):
    team = random_team(13, 9, longest=5)
    found = tables(team, metric, intervals=Resampling(15, level=0.9))
    rows = [("team", team, found["team"])]
    rows += [("pair", team.among([r["first"], r["second"]]), r) for r in found["pairs"]]
    for _, part, row in rows:
        values = [SCORES[metric](part.part(sample))[0] for sample in samples()]
        values = [float(value) for value in values if value is not None]
        assert interval_of(row) == pytest.approx(limits(values, team, 0.9), abs=1e-9)


@pytest.mark.integration
def test_bca_intervals_rest_on_scores_without_each_item(samples):
    team = random_team(13, 9, longest=5)
    for metric, score in SCORES.items():
        found = tables(team, metric, intervals=Resampling(30, interval="bca"))
        rows = [(team, found["team"])]
        rows += [(team.among([r["first"], r["second"]]), r) for r in found["pairs"]]
        shared = [i for i, item in enumerate(team.items()) if len(item) > 1]
        drawn = samples()
        for part, row in rows:
            rest = [[j for j in range(team.n_items) if j != i] for i in shared]
            many, less = (
                np.array([[score(part.part(some))[0]] for some in every], float)
                for every in (drawn, rest)
            )
            value = np.array([headline(row)])
            expected = resampling.interval(value, many, kind="bca", jackknife=less)[:, 0]
            assert interval_of(row) == pytest.approx(tuple(expected), abs=1e-9), metric


@pytest.mark.integration
def test_clusters_are_drawn_as_one(samples):
    team = random_team(13, 9, longest=5)
    clusters = ["x", "y", "z", "x", None, "y", "z", None, "x"]
    for metric, score in SCORES.items():
        few = Resampling(30)
        found = tables(team, metric, intervals=few, clusters=clusters)
        values = [score(team.part(sample))[0] for sample in samples()]
        values = [float(value) for value in values if value is not None]
        expected = limits(values, team, clusters=clusters)
        assert interval_of(found["team"]) == pytest.approx(expected, abs=1e-9)
        for sample in samples():
            counts = [sample.count(item) for item in (0, 3, 8) if len(team.items()[item]) > 1]
            assert len(set(counts)) < 2


@pytest.mark.parametrize("way", ["percentile", "bca"])
@pytest.mark.parametrize("metric", ["syntax_alpha", "las"])
def test_items_in_which_annotators_have_changed_places_are_told_apart(metric, way):
    team = random_team(21, 6, gaps=False)
    ann, bob, cyd = team.works.values()
    team = Team(team.kind, {"ann": ann + bob[:3], "bob": bob + ann[:3], "cyd": cyd + cyd[:3]})
    order = np.random.default_rng(1).permutation(team.n_items).tolist()
    one, two = (
        tables(each, metric, intervals=Resampling(40, interval=way))
        for each in (team, team.part(order))
    )
    for row, other in zip(one["pairs"], two["pairs"]):
        assert interval_of(row) == pytest.approx(interval_of(other), abs=1e-9)


@each_case("way", ["percentile", "bca"])
@each_case("metric", ["syntax_alpha", "pq_alpha", "las"])
def test_intervals_do_not_depend_on_the_order_of_items(metric, way):
    team = random_team(17, 10)
    few = Resampling(40, interval=way)
    order = np.random.default_rng(0).permutation(team.n_items).tolist()
    one, two = (tables(each, metric, intervals=few) for each in (team, team.part(order)))
    for scope in ("team", "mean"):
        assert interval_of(one[scope]) is not None
        assert interval_of(one[scope]) == pytest.approx(interval_of(two[scope]), abs=1e-9)


def test_scores_of_a_prediction_have_intervals():
    team = random_team(19, 20, names=["gold", "pred"])
    few = Resampling(50)
    for metric in ("syntax_alpha", "las"):
        (score,) = evaluate(*team.panel().annotations, [metric], intervals=few).values()
        (row,) = tables(team, metric, intervals=few)["pairs"]
        assert ends(score) is not None
        assert ends(score) == pytest.approx(interval_of(row), abs=1e-9)


# --- samples of pairs


@pytest.mark.integration
def test_samples_of_pairs_come_near_all_pairs():
    team = random_team(23, 40)
    whole = tables(team, "syntax_alpha")["team"]
    errors = []
    for sample in (100, 10_000):
        rows = [tables(team, f"syntax_alpha(sample={sample},seed={s})")["team"] for s in range(4)]
        assert [row["observed"] for row in rows] == [near(whole["observed"])] * 4
        errors.append(np.mean([abs(row["expected"] - whole["expected"]) for row in rows]))
    assert errors[1] < errors[0]
    assert errors[1] < 0.02 * (1 - whole["expected"])


@pytest.mark.integration
@pytest.mark.parametrize("way", ["percentile", "bca"])
def test_intervals_of_samples_come_near_those_of_all_pairs(way):
    team = random_team(23, 40)
    some = Resampling(100, interval=way)
    whole, drawn = (
        interval_of(tables(team, metric, intervals=some)["team"])
        for metric in ("syntax_alpha", "syntax_alpha(sample=3000)")
    )
    assert drawn == pytest.approx(whole, abs=0.02) and drawn != whole


@pytest.mark.parametrize("way", ["percentile", "bca"])
def test_a_sample_of_no_fewer_pairs_than_there_are_takes_all(way):
    team = random_team(23, 12)
    some = Resampling(50, interval=way)
    whole, drawn = (
        tables(team, metric, intervals=some)
        for metric in ("syntax_alpha(delta=norm)", "syntax_alpha(delta=norm,sample=30000)")
    )
    assert "estimator=all pairs" in drawn["signature"]
    for one, two in zip((whole["team"], *whole["pairs"]), (drawn["team"], *drawn["pairs"])):
        assert two["standard_error"] == 0
        for name in ("corrected", "expected", "low", "high", "observed_low", "observed_high"):
            assert one[name] == pytest.approx(two[name])
    for one, two in zip(whole["documents"], drawn["documents"]):
        assert one["cost"] == pytest.approx(two["cost"])


@pytest.mark.integration
def test_the_standard_error_is_that_of_drawing_pairs():
    team = random_team(23, 40)
    rows = [tables(team, f"syntax_alpha(sample=500,seed={s})")["team"] for s in range(60)]
    spread = np.std([headline(row) for row in rows])
    assert np.mean([row["standard_error"] for row in rows]) == pytest.approx(spread, rel=0.25)


def test_samples_are_decided_by_their_seed():
    team = random_team(23, 20)
    values = [
        headline(tables(team, f"syntax_alpha(sample=50,seed={seed})")["team"]) for seed in (1, 1, 2)
    ]
    assert values[0] == values[1] != values[2]


# --- edges


def test_clusters_have_no_bca_intervals_of_alpha():
    team = random_team(13, 6)
    way = {"intervals": Resampling(20, interval="bca"), "clusters": list("xxyyzz")}
    with pytest.raises(ValueError, match="bca intervals of alpha need items of their own"):
        tables(team, "syntax_alpha", **way)
    assert interval_of(tables(team, "las", **way)["team"])


def test_intervals_that_many_resamples_lack_are_remarked():
    one, two = ([0], ["A"]), ([0, 1], ["A", "B"])
    works = {"ann": (one, one, one, two), "bob": (one, one, one, two)}
    found = agree(Team("dependency", works).panel(), ["syntax_alpha"]).result
    assert any("undefined in" in note and "resamples" in note for note in found["notes"])
