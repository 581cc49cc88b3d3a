"""Tables of the agreement of a `Team` on trees, and what loops over its items say instead."""

from itertools import combinations

import pytest

from helpers import tree_oracles as oracles
from helpers.paneltables import near
from helpers.tree_strategies import KINDS
from spacy_chance_eval import Resampling, agree
from spacy_chance_eval.scoring.statistics import headline

NO = Resampling(0)
DELTAS = ("plain", "diff", "norm")
ATTACHMENTS = ("las", "uas", "label_accuracy")
each_kind = pytest.mark.parametrize("kind", KINDS)


def tables(team, metric, **options):
    """All tables of one metric."""
    options = {"intervals": NO, "worst": None} | options
    return agree(team.panel(), [metric], **options).result["metrics"][0]


def decimal(number):
    """About this Fraction; None as it is."""
    return near(None if number is None else float(number))


def by_alpha(delta, cost=oracles.unit):
    """A function from teams to (alpha, 1 - D_o, 1 - D_e)."""

    def score(team):
        observed, expected, value = team.alpha(delta, cost)
        if value is None:
            return None, None, None
        return value, 1 - observed, 1 - expected

    return score


def by_share(function, *arguments):
    """A function from teams to a share of their items, which is not corrected."""

    def score(team):
        value = function(team.items(), *arguments)
        return value, value, None

    return score


def weighted(rows):
    """The mean of the values of pairs, weighted by shared items; of none if any has no value."""
    rows = [row for row in rows if row["n_docs"]]
    total = sum(row["n_docs"] for row in rows)
    if not rows or any(headline(row) is None for row in rows):
        return near(None)
    return near(sum(headline(row) * row["n_docs"] for row in rows) / total)


def check(team, metric, score):
    """Compare all tables with `score`, which takes a team and gives (value, D_o, D_e)."""

    def same(row, team):
        value, observed, expected = score(team)
        assert headline(row) == decimal(value)
        if headline(row) is not None:
            assert row["observed"] == decimal(observed)
            assert row.get("expected") == decimal(expected)

    found = tables(team, metric)
    same(found["team"], team)
    pairs = combinations(sorted(team.works), 2)
    sharing = [two for two in pairs if any(len(item) > 1 for item in team.among(two).items())]
    assert [(row["first"], row["second"]) for row in found["pairs"]] == sharing
    for row in found["pairs"]:
        pair = team.among([row["first"], row["second"]])
        same(row, pair)
        assert row["n_docs"] == sum(len(item) > 1 for item in pair.items())
    assert headline(found["mean"]) == weighted(found["pairs"])
    for row in found["annotators"]:
        mine = [one for one in found["pairs"] if row["annotator"] in (one["first"], one["second"])]
        assert headline(row["others"]) == weighted(mine)
