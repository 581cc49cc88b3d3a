"""Agreement of trees against loops over pairs; intervals, samples, and the shape of the tables."""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import agreements
import tree_oracles as oracles
from paneltables import near
from spacy_chance_eval import (
    Resampling,
    Trees,
    agree_trees,
    evaluate_trees,
    request,
    sheets,
    tree_alpha,
    tree_sheets,
)
from spacy_chance_eval.agree import Agreement
from spacy_chance_eval.measures import resampling
from tree_strategies import KINDS, LABELS, NAMES, Team, in_small_blocks, random_team, teams

NO = Resampling(0)
DELTAS = ("plain", "diff", "norm")
ATTACHMENTS = ("las", "uas", "label_accuracy")
CLOSE = {("A", "B"): 0.5, ("B", "C"): 0.25}
each_kind = pytest.mark.parametrize("kind", KINDS)


def tables(team, metric, **options):
    """All tables of one metric."""
    options = {"intervals": NO, "worst": None} | options
    return agree_trees(team.panel(), [metric], **options).result["metrics"][0]


def decimal(number):
    return near(None if number is None else float(number))


def weighted(rows):
    """The mean of the values of pairs that are defined, weighted by shared items."""
    rows = [row for row in rows if row["value"] is not None and row["n_docs"]]
    total = sum(row["n_docs"] for row in rows)
    return near(sum(row["value"] * row["n_docs"] for row in rows) / total if rows else None)


def check(team, metric, score):
    """Compare all tables with `score`, which takes a team and gives (value, D_o, D_e)."""

    def same(row, team):
        value, observed, expected = score(team)
        assert row["value"] == decimal(value)
        if row["value"] is not None:
            assert row["observed"] == decimal(observed)
            assert row["expected"] == decimal(expected)

    found = tables(team, metric)
    same(found["team"], team)
    assert [(row["first"], row["second"]) for row in found["pairs"]] == list(
        combinations(sorted(team.works), 2)
    )
    for row in found["pairs"]:
        pair = team.among([row["first"], row["second"]])
        same(row, pair)
        assert row["n_docs"] == sum(len(item) > 1 for item in pair.items())
    assert found["mean"]["value"] == weighted(found["pairs"])
    for row in found["annotators"]:
        mine = [one for one in found["pairs"] if row["annotator"] in (one["first"], one["second"])]
        assert row["others"]["value"] == weighted(mine)


def by_alpha(delta, cost=oracles.unit):
    def score(team):
        observed, expected, value = team.alpha(delta, cost)
        if value is None:
            return None, None, None
        return value, 1 - observed, 1 - expected

    return score


def by_share(function, *arguments):
    def score(team):
        value = function(team.items(), *arguments)
        return value, value, None

    return score


# --- scores against loops


@pytest.mark.parametrize("delta", DELTAS)
@each_kind
@given(data=st.data())
def test_alpha_is_that_of_all_pairs_of_annotations(delta, kind, data):
    team = data.draw(teams(kinds=[kind], even=False))
    check(team, f"syntax_alpha(delta={delta})", by_alpha(delta))


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@each_kind
def test_alpha_of_more_items_is_that_of_all_pairs(backend, kind):
    team = random_team(11, 25, kind=kind)
    found = tables(team, "syntax_alpha", backend=backend)["team"]
    assert found["value"] == decimal(team.alpha()[2])


@each_kind
def test_alpha_does_not_depend_on_blocks_of_trees(kind, monkeypatch):
    team = random_team(31, 25, kind=kind)
    in_small_blocks(monkeypatch)
    found = tables(team, "syntax_alpha", intervals=Resampling(20))
    monkeypatch.undo()
    whole = tables(team, "syntax_alpha", intervals=Resampling(20))
    assert found["team"]["value"] == decimal(team.alpha()[2]) == whole["team"]["value"]
    for row, other in zip(found["pairs"], whole["pairs"]):
        assert row["interval"] == pytest.approx(other["interval"])


@each_kind
def test_deep_trees_agree_without_recursion(kind):
    n = 3000
    labels = [["A"] * n, ["A"] * (n - 1) + ["B"]]
    sides = [Trees.from_nodes(kind, [range(-1, n - 1), [-1]], [row, ["A"]]) for row in labels]
    found = agree_trees(dict(zip("xy", sides)), ["syntax_alpha", "pq_alpha"], intervals=NO)
    assert 0.99 < found["pq_alpha"]["team"]["value"] < found["syntax_alpha"]["team"]["value"] < 1


@pytest.mark.parametrize("delta", DELTAS)
@each_kind
@given(data=st.data())
def test_close_labels_cost_what_closeness_leaves(delta, kind, data):
    team = data.draw(teams(kinds=[kind]))
    asked = request("syntax_alpha", closeness=CLOSE, delta=delta)
    check(team, asked, by_alpha(delta, oracles.of_closeness(CLOSE)))


def test_closeness_of_labels_that_nobody_used_does_not_matter():
    team = random_team(2, 8)
    more = request("syntax_alpha", closeness=CLOSE | {("X", "Y"): 0.5, ("A", "Y"): 0.5})
    found = [tables(team, one)["team"]["value"] for one in (CLOSED, more)]
    assert found[0] == near(found[1])


CLOSED = request("syntax_alpha", closeness=CLOSE)


@pytest.mark.parametrize("metric", ATTACHMENTS)
@given(team=teams(kinds=["dependency"], even=False))
def test_attachments_are_means_of_pairs_weighted_by_tokens(metric, team):
    check(team, metric, by_share(oracles.attachments, metric))


@given(team=teams(kinds=["constituency"], even=False))
def test_brackets_are_means_of_pairs_weighted_by_leaves(team):
    check(team, "jaccard", by_share(oracles.jaccard))


def test_uneven_items_are_left_out_whole_and_counted():
    three, two = ([0, 1, 1], list("ABC")), ([0, 1], list("AB"))
    rows = [(three, three, two), (two, two, two), (three, None, two)]
    team = Team("dependency", dict(zip(NAMES, zip(*rows))))
    found = agree_trees(team.panel(), ["las", "syntax_alpha"], intervals=NO)
    assert found.result["n_uneven"] == 2
    assert found["las"]["team"]["value"] == 1
    assert found["syntax_alpha"]["team"]["value"] == decimal(team.alpha()[2])


@given(team=teams(even=False))
def test_uneven_items_are_counted(team):
    sizes = [{team.size(work) for work in item} for item in team.items()]
    found = agree_trees(team.panel(), ["syntax_alpha"], intervals=NO).result
    assert found["n_uneven"] == sum(len(one) > 1 for one in sizes)


def test_what_no_root_leads_to_counts_as_tokens():
    one = Trees.from_heads([[0, 3, 2], [0]], ["ABB", "A"], cycles="reachable")
    two = Trees.from_heads([[0, 3, 1], [0]], ["ABB", "A"])
    found = agree_trees({"one": one, "two": two}, ["las", "syntax_alpha"], intervals=NO)
    assert found["las"]["team"]["value"] == near(3 / 4)
    norm = agree_trees({"one": one, "two": two}, ["syntax_alpha(delta=norm)"], intervals=NO)
    # distances: 2 to the other annotation (of 4 + 4), sizes 4, 4, 2, 2
    square = lambda distance, size: (distance / size) ** 2  # noqa: E731
    observed = 2 * square(2, 8) / 4
    expected = 2 * (square(2, 8) + 2 * square(0, 6) + 2 * square(2, 6)) / 12
    value = norm["syntax_alpha(delta=norm)"]["team"]["value"]
    assert value == near(1 - observed / expected)


# --- two sides


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@given(team=teams(names=["gold", "pred"]))
def test_scores_of_a_prediction_are_those_of_two_annotators(backend, team):
    assume(any(len(item) > 1 for item in team.items()))
    gold, pred = team.trees("gold"), team.trees("pred")
    score = evaluate_trees(gold, pred, ["syntax_alpha"], backend=backend)["syntax_alpha"]
    observed, expected, value = team.alpha()
    assert score.value == decimal(value)
    if value is not None:
        assert (score.observed, score.expected) == (decimal(1 - observed), decimal(1 - expected))


def test_defaults_are_those_of_the_kind():
    for kind, names in (
        ("dependency", ["syntax_alpha", "las", "uas", "label_accuracy"]),
        ("constituency", ["syntax_alpha", "jaccard"]),
    ):
        team = random_team(1, 6, names=["gold", "pred"], kind=kind)
        scores = evaluate_trees(team.trees("gold"), team.trees("pred"))
        assert list(scores) == names
        found = agree_trees(team.panel(), intervals=NO)
        assert [row["metric"] for row in found.result["metrics"]] == names


def test_sentences_have_scores_of_their_own():
    works = {"gold": (([0, 1], "AB"), ([0], "A"), None), "pred": (([0, 1], "AC"), ([0], "A"), None)}
    team = Team("dependency", works)
    score = evaluate_trees(team.trees("gold"), team.trees("pred"), ["las"], per_doc=True)["las"]
    rows = list(score.per_doc.values())
    assert [row["value"] for row in rows] == [0.5, 1]
    assert [(row["gold"], row["pred"]) for row in rows] == [(2, 2), (1, 1)]


@given(team=teams(kinds=["dependency"], names=["gold", "pred"]))
def test_relations_have_scores_of_their_own(team):
    assume(any(len(item) > 1 for item in team.items()))
    gold, pred = team.trees("gold"), team.trees("pred")
    score = evaluate_trees(gold, pred, ["las"])["las"]
    for label, row in score.per_label.items():
        tokens = [
            pair
            for item in team.items()
            if len(item) > 1
            for pair in zip(*map(oracles.tokens, item))
        ]
        assert row["gold"] == sum(one[1] == label for one, _ in tokens)
        assert row["pred"] == sum(two[1] == label for _, two in tokens)
        right = sum(one == two and one[1] == label for one, two in tokens)
        assert row["value"] == near(2 * right / (row["gold"] + row["pred"]))


@pytest.mark.parametrize("metric", ["syntax_alpha", "pq_alpha"])
def test_alphas_have_no_labels(metric):
    team = random_team(1, 6, names=["gold", "pred"])
    score = evaluate_trees(team.trees("gold"), team.trees("pred"), [metric])[metric]
    assert not score.per_label
    assert not tables(team, metric)["per_label"]


def test_without_a_sentence_on_both_sides_there_is_nothing_to_score():
    one, two = (
        Trees.from_heads([[0], None], ["A", None]),
        Trees.from_heads([None, [0]], [None, "A"]),
    )
    with pytest.raises(ValueError, match="no sentence is annotated on both sides"):
        evaluate_trees(one, two)


def test_numbers_are_plain():
    team = random_team(3, 6)
    metrics = ["syntax_alpha", "pq_alpha", *ATTACHMENTS]
    found = agree_trees(team.panel(), metrics, intervals=Resampling(20))
    json.dumps(found.result, allow_nan=False)
    scores = evaluate_trees(*team.panel().sides[:2], metrics, per_doc=True)
    json.dumps([score.to_dict() for score in scores.values()], allow_nan=False)


# --- ignored relations


@pytest.mark.parametrize("metric", ATTACHMENTS)
@given(team=teams(kinds=["dependency"], even=False))
def test_tokens_of_ignored_relations_count_on_neither_side(metric, team):
    check(team, f"{metric}(ignore=A+C)", by_share(oracles.attachments, metric, ("A", "C")))


@pytest.mark.parametrize("metric", ATTACHMENTS)
def test_tokens_of_ignored_relations_do_not_count(metric):
    works = {
        "gold": (([0, 1, 1, 1], ["A", "B", "punct", "p"]),),
        "pred": (([0, 1, 2, 3], ["A", "C", "punct", "p"]),),
    }
    team = Team("dependency", works)
    sides = team.trees("gold"), team.trees("pred")
    same = oracles.SAME[metric]
    tokens = list(zip(*(oracles.tokens(column[0]) for column in works.values())))
    for ignored in (["punct"], ["punct", "p"], ["nobody"]):
        kept = [pair for pair in tokens if pair[0][1] not in ignored]
        name = f"{metric}(ignore={'+'.join(ignored)})"
        (score,) = evaluate_trees(*sides, [name]).values()
        assert score.value == near(sum(same(*pair) for pair in kept) / len(kept))


# --- documents


@given(team=teams(kinds=["dependency"]))
def test_sentences_come_by_what_they_cost(team):
    for metric in ("syntax_alpha", "las"):
        rows = tables(team, metric)["documents"]
        shared = [i for i, item in enumerate(team.items()) if len(item) > 1]
        assert sorted(row["place"] for row in rows) == shared
        costs = [row["cost"] or 0 for row in rows]
        assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("metric", ["syntax_alpha", "syntax_alpha(delta=norm)", "las"])
@given(team=teams(kinds=["dependency"]))
def test_what_a_sentence_costs_is_the_score_without_it(metric, team):
    found = tables(team, metric)
    for row in found["documents"]:
        rest = [item for item in range(team.n_items) if item != row["place"]]
        without = tables(team.part(rest), metric)["team"]["value"]
        whole = found["team"]["value"]
        assert row["cost"] == near(None if None in (without, whole) else without - whole)


@each_kind
@given(data=st.data())
def test_sentences_have_the_mean_distance_of_their_pairs(kind, data):
    team = data.draw(teams(kinds=[kind], even=False))
    for row in tables(team, "syntax_alpha(delta=norm)")["documents"]:
        item = team.items()[row["place"]]
        every = [oracles.ted(*map(team.nested, pair)) for pair in combinations(item, 2)]
        assert row["distance"] == near(sum(every) / len(every))
        assert row["n_annotators"] == len(item)


@given(team=teams(kinds=["dependency"]))
def test_sentences_have_the_attachments_of_their_pairs(team):
    for row in tables(team, "las")["documents"]:
        item = team.items()[row["place"]]
        assert row["value"] == decimal(oracles.attachments([item], "las"))
        assert row["distance"] is None


def test_only_so_many_sentences_are_named():
    team = random_team(5, 10, gaps=False)
    assert len(tables(team, "syntax_alpha", worst=3)["documents"]) == 3
    assert tables(team, "las", worst=0)["documents"] == []


# --- intervals


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

    monkeypatch.setattr(tree_sheets, "cluster_order", ordered)
    for module in (tree_alpha, sheets):
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


@pytest.mark.parametrize("metric", SCORES)
def test_intervals_are_quantiles_of_explicit_resamples(metric, samples):
    team = random_team(13, 9, longest=5)
    found = tables(team, metric, intervals=Resampling(30, level=0.9))
    rows = [("team", team, found["team"])]
    rows += [("pair", team.among([r["first"], r["second"]]), r) for r in found["pairs"]]
    for _, part, row in rows:
        values = [SCORES[metric](part.part(sample))[0] for sample in samples()]
        values = [float(value) for value in values if value is not None]
        assert row["interval"] == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])), abs=1e-9)


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
            value = np.array([row["value"]])
            limits = resampling.interval(value, many, kind="bca", jackknife=less)[:, 0]
            assert row["interval"] == pytest.approx(tuple(limits), abs=1e-9), metric


def test_clusters_are_drawn_as_one(samples):
    team = random_team(13, 9, longest=5)
    clusters = ["x", "y", "z", "x", None, "y", "z", None, "x"]
    for metric, score in SCORES.items():
        few = Resampling(30)
        found = tables(team, metric, intervals=few, clusters=clusters)
        values = [score(team.part(sample))[0] for sample in samples()]
        values = [float(value) for value in values if value is not None]
        limits = tuple(np.quantile(values, [0.025, 0.975]))
        assert found["team"]["interval"] == pytest.approx(limits, abs=1e-9)
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
        assert row["interval"] == pytest.approx(other["interval"], abs=1e-9)


@pytest.mark.parametrize("way", ["percentile", "bca"])
@pytest.mark.parametrize("metric", ["syntax_alpha", "pq_alpha", "las"])
def test_intervals_do_not_depend_on_the_order_of_items(metric, way):
    team = random_team(17, 10)
    few = Resampling(40, interval=way)
    order = np.random.default_rng(0).permutation(team.n_items).tolist()
    one, two = (tables(each, metric, intervals=few) for each in (team, team.part(order)))
    for scope in ("team", "mean"):
        assert one[scope]["interval"] is not None
        assert one[scope]["interval"] == pytest.approx(two[scope]["interval"], abs=1e-9)


def test_intervals_hold_the_score():
    team = random_team(19, 20, kind="constituency")
    for metric in ("syntax_alpha", "jaccard", "pq_alpha"):
        row = tables(team, metric, intervals=Resampling(200))["team"]
        assert row["interval"][0] <= row["value"] <= row["interval"][1] <= 1


def test_scores_of_a_prediction_have_intervals():
    team = random_team(19, 20, names=["gold", "pred"])
    few = Resampling(50)
    for metric in ("syntax_alpha", "las"):
        (score,) = evaluate_trees(*team.panel().sides, [metric], intervals=few).values()
        (row,) = tables(team, metric, intervals=few)["pairs"]
        assert score.interval is not None
        assert score.interval == pytest.approx(row["interval"], abs=1e-9)


# --- samples of pairs


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


@pytest.mark.parametrize("way", ["percentile", "bca"])
def test_intervals_of_samples_come_near_those_of_all_pairs(way):
    team = random_team(23, 40)
    some = Resampling(100, interval=way)
    whole, drawn = (
        tables(team, metric, intervals=some)["team"]["interval"]
        for metric in ("syntax_alpha", "syntax_alpha(sample=30000)")
    )
    assert drawn == pytest.approx(whole, abs=0.02) and drawn != whole


def test_samples_are_decided_by_their_seed():
    team = random_team(23, 20)
    values = [
        tables(team, f"syntax_alpha(sample=50,seed={seed})")["team"]["value"] for seed in (1, 1, 2)
    ]
    assert values[0] == values[1] != values[2]


def test_samples_are_in_the_signature_and_zero_is_all_pairs():
    team = random_team(23, 10)
    found = tables(team, "syntax_alpha(sample=50,seed=3)")["signature"]
    assert "sample=50" in found and "seed=3" in found
    whole = [tables(team, name)["team"]["value"] for name in ("syntax_alpha",) * 2]
    assert whole[0] == whole[1]


# --- the shape of the tables


def keys(value):
    """The names in nested tables, without values."""
    if isinstance(value, dict):
        return {key: keys(one) for key, one in value.items()}
    return [keys(value[0])] if isinstance(value, list) and value else None


@each_kind
def test_results_have_the_shape_of_all_agreement(kind):
    team = random_team(29, 6, kind=kind)
    found = agree_trees(team.panel(), intervals=Resampling(5))
    assert isinstance(found, Agreement)
    known = agreements.result()
    assert known.keys() - {"title"} <= found.result.keys()
    assert found.result["positions"] == "tree" and found.result["kind"] == kind
    for metric in found.result["metrics"]:
        assert agreements.metric().keys() <= metric.keys()
        assert {"document", "place", "cost", "value", "distance", "reason"} <= (
            metric["documents"][0].keys()
        )
        assert {"value", "observed", "expected", "interval", "n_docs", "reason"} <= (
            metric["team"].keys()
        )
    names = [row["name"] for row in found.result["annotators"]]
    assert names == sorted(team.works)
    n_nodes = [int(trees.n_nodes.sum()) for trees in team.panel().sides]
    assert [row["n_spans"] for row in found.result["annotators"]] == n_nodes
    assert found.records()
    assert found.result["labels"] == list(LABELS)


def test_results_count_the_items():
    work = ([0], ["A"])
    works = {"ann": (work, work, None), "bob": (work, None, None)}
    result = agree_trees(Team("dependency", works).panel(), ["las"], intervals=NO).result
    counts = [result[name] for name in ("n_docs", "n_shared", "n_single", "n_unseen")]
    assert counts == [3, 1, 1, 1]


def test_spans_have_no_metrics_of_trees_and_trees_none_of_spans():
    team = random_team(1, 4)
    with pytest.raises(ValueError, match="span_f"):
        agree_trees(team.panel(), ["span_f"], intervals=NO)
    with pytest.raises(ValueError, match="unknown metric 'tree_f'"):
        agree_trees(team.panel(), ["tree_f"], intervals=NO)


@pytest.mark.parametrize("text", ["syntax_alpha(delta=squared)", "las(labels=A)", "pq_alpha(p=0)"])
def test_parameters_are_known_ones(text):
    with pytest.raises(ValueError, match="expected"):
        agree_trees(random_team(1, 4).panel(), [text], intervals=NO)


def test_progress_is_told_of_the_pairs():
    told = []

    def watch(steps, total=None, what=""):
        told.append(what)
        return steps

    team = random_team(1, 8)
    agree_trees(team.panel(), ["syntax_alpha"], intervals=NO, progress=watch)
    evaluate_trees(*team.panel().sides[:2], ["syntax_alpha"], progress=watch)
    assert len(told) >= 2 and all(told)


def test_reasons_speak_of_trees():
    one, two = (([0], ["A"]), ([0, 1], ["A", "A"]))
    team = Team("dependency", {"ann": (one, one), "bob": (two, two)})
    found = agree_trees(team.panel(), ["las", "syntax_alpha(delta=diff)"], intervals=NO)
    assert found["las"]["team"]["reason"].startswith("no token to compare")
    assert found["las"]["documents"][0]["reason"].startswith("no token to compare")
    reason = found["syntax_alpha(delta=diff)"]["team"]["reason"]
    assert reason.startswith("all trees are 0 apart")
