"""Intervals of agreement: what is drawn, and what must not change them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import resampling_oracles as oracles
from helpers.cases import later
from helpers.panel_oracles import Team, Work, panels
from helpers.paneltables import NUMBERS, SCOPES, each, near, some_team, tables
from spacy_chance_eval import Resampling
from spacy_chance_eval.measures.resampling import bootstrap_weights, cluster_order
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring import counts, pair_scores
from spacy_chance_eval.scoring.statistics import headline


def limits(found):
    """All intervals of the tables of one metric, by what they are of."""
    rows = {("mean",): found["mean"], ("team",): found["team"]}
    rows |= {(row["first"], row["second"]): row for row in found["pairs"]}
    for row in found["annotators"]:
        rows |= {(row["annotator"], what): row[what] for what in ("others", "majority")}
    rows |= {(row["label"], what): row[what] for row in found["per_label"] for what in SCOPES}
    return {key: (interval_of(row), interval_of(row, "observed")) for key, row in rows.items()}


def alike(one, two):
    assert one.keys() == two.keys()
    for key in one:
        for mine, theirs in zip(one[key], two[key]):
            assert mine == (theirs and pytest.approx(theirs, abs=1e-12)), key


WAYS = pytest.mark.parametrize("way", ["bca", *later("percentile")])


@pytest.mark.integration
@WAYS
@each(["span_precision", *later("span_f", "krippendorff_alpha")])
@given(team=panels(kinds=["disjoint"], docs=5), random=st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_change_intervals(way, metric, team, random):
    order = random.sample(range(len(team.sizes)), len(team.sizes))
    few = Resampling(30, interval=way)
    found, turned = (tables(one, metric, intervals=few) for one in (team, team.part(order)))
    alike(limits(found), limits(turned))


@each(["int_f", "bcubed_f(chance=none)", "link_f(chance=overlapping)", "slicm_norm", "gwet_ac2"])
@given(team=panels(docs=3, kinds=["disjoint"]), random=st.randoms(use_true_random=False))
def test_names_of_annotators_do_not_change_scores(metric, team, random):
    names = dict(zip(team.works, random.sample(list(team.works), len(team.works))))
    found, other = (tables(one, metric, draws=5) for one in (team, team.renamed(names)))
    for row, same in ((found["mean"], other["mean"]), (found["team"], other["team"])):
        assert [row.get(name) for name in NUMBERS] == [near(same.get(name)) for name in NUMBERS]
    for row, same in zip(
        *(sorted(one["documents"], key=lambda x: x["place"]) for one in (found, other))
    ):
        assert [row.get(name) for name in NUMBERS] == [near(same.get(name)) for name in NUMBERS]


@pytest.mark.integration
@WAYS
@each(["span_precision", *later("span_f", "krippendorff_alpha")])
@given(team=panels(kinds=["disjoint"], docs=5), random=st.randoms(use_true_random=False))
def test_names_of_annotators_do_not_change_intervals(way, metric, team, random):
    names = dict(zip(team.works, random.sample(list(team.works), len(team.works))))
    few = Resampling(30, interval=way)
    found, other = (limits(tables(x, metric, intervals=few)) for x in (team, team.renamed(names)))
    rename = lambda key: tuple(names.get(part, part) for part in key)  # noqa: E731
    expected = {}
    for key, limit in found.items():
        key = rename(key)
        expected[key if key in other else key[::-1]] = limit
    alike(expected, other)


def test_documents_in_which_two_annotators_changed_places_are_told_apart():
    x, y = Work(((0, 2, "A"),)), Work(((3, 5, "A"),))
    both, late = Work(((0, 2, "A"), (3, 4, "A"))), Work(((3, 5, "A"), (6, 7, "A")))
    works = {"ann": (x, y, both, x), "bob": (y, x, late, both), "cyd": (x, x, both, late)}
    team = Team(works, (9,) * 4, ((),) * 4)
    few = Resampling(200)
    found, turned = (
        tables(one, "span_f", intervals=few) for one in (team, team.part([1, 0, 3, 2]))
    )
    alike(limits(found), limits(turned))


@WAYS
@given(team=panels(kinds=["disjoint"], docs=5))
def test_who_saw_nothing_changes_nothing_for_the_others(way, team):
    few = Resampling(30, interval=way)
    idle = replace(team, works={"abe": (None,) * len(team.sizes), **team.works})
    found, more = (tables(one, "span_f", intervals=few) for one in (team, idle))
    kept = {key: limit for key, limit in limits(more).items() if "abe" not in key}
    mine = limits(found)
    if len(team.works) == 2:  # each is the majority beside the other, where there is a third
        kept, mine = ({k: v for k, v in x.items() if "majority" not in k} for x in (kept, mine))
    alike(mine, kept)
    for name in filter(more["mean"].__contains__, NUMBERS):
        assert more["mean"][name] == near(found["mean"][name])
        assert more["team"][name] == near(found["team"][name])
    assert more["documents"] == found["documents"]


CLUSTERS = (None, ["a", "b", "b", "c", "c", "c", "a", "d"])


@pytest.mark.parametrize("clusters", CLUSTERS)
@each(["span_f", *later("u_alpha", "span_recall", "cohen_kappa")])
def test_resampling_is_scoring_panels_that_were_drawn(metric, clusters, monkeypatch):
    team = some_team()
    drawn, orders = [], []

    def recorded(rows, resamples, rng):
        blocks = list(bootstrap_weights(rows, resamples, rng))
        drawn.append(np.concatenate([weights for *_, weights in blocks], axis=1).astype(int))
        return blocks

    def ordered(*arguments):
        orders.append(cluster_order(*arguments))
        return orders[-1]

    monkeypatch.setattr(pair_scores, "bootstrap_weights", recorded)
    monkeypatch.setattr(counts, "cluster_order", ordered)
    found = tables(team, metric, intervals=Resampling(15, level=0.8), clusters=clusters)
    (weights,), ((docs, starts),) = drawn, orders
    assert sorted(docs) == team.shared()
    weights = np.repeat(weights, np.diff([*starts, len(docs)]), axis=1)
    if clusters:
        by_name = {name: docs_of(clusters, name, docs) for name in clusters}
        assert all(
            len({*row[np.isin(docs, mine)]}) == 1 for mine in by_name.values() for row in weights
        )
    marks = [
        sum((work.spans + work.loose for work in doc if work), ())
        for doc in zip(*team.works.values())
    ]
    names = clusters and [clusters[doc] for doc in team.shared()]
    low = oracles.tail(0.8, oracles.n_eff([marks[doc] for doc in team.shared()], names))
    samples = [tables(team.part(np.repeat(docs, row).tolist()), metric) for row in weights]
    for what in ("mean", "team"):
        many = [headline(one[what]) for one in samples]
        check_limits(found[what], many, low)
    for i, row in enumerate(found["pairs"]):
        check_limits(row, [headline(one["pairs"][i]) for one in samples], low)
    for i, row in enumerate(found["annotators"]):
        many = [headline(one["annotators"][i]["others"]) for one in samples]
        check_limits(row["others"], many, low)
        many = [headline(one["annotators"][i]["majority"]) for one in samples]
        check_limits(row["majority"], many, low)


def docs_of(clusters, name, docs):
    """The documents of a cluster."""
    return [d for d in docs if clusters[d] == name]


def check_limits(row, many, low):
    """The interval of a row is that between two quantiles of what the samples gave."""
    many = [value for value in many if value is not None]
    if headline(row) is None:
        assert interval_of(row) is None
    else:
        assert interval_of(row) == pytest.approx(np.quantile(many, [low, 1 - low]), abs=1e-9)
