"""`agree` without pairs: the team as it is with them, and nothing else."""

import pytest
from hypothesis import given

from helpers.blocks import NONE
from helpers.panel_oracles import panels
from helpers.resamples import assert_alike, corpus, spans
from helpers.teamfiles import agree as agree_files
from helpers.teamfiles import agree_in_blocks, team
from spacy_chance_eval import Resampling, agree
from spacy_chance_eval.reports.agreement import agreement_report
from spacy_chance_eval.reports.report import report_fragment, report_page
from spacy_chance_eval.reports.words import number
from spacy_chance_eval.scoring.counts import PairCounter
from spacy_chance_eval.scoring.panel_scores import NO_PAIRS
from spacy_chance_eval.scoring.statistics import headline

SYSTEMS = corpus(5, 4, 30)[1]
PANEL = {name: spans(documents) for name, documents in SYSTEMS.items()}
FEW = Resampling(20)
METRICS = ["u_alpha", "span_f", "span_precision", "cohen_kappa", "slicm", "fleiss_kappa"]
TEAM_KEYS = ("metric", "request", "signature", "team", "documents")


def team_of(tables):
    """What a metric says of the team."""
    found = {key: tables[key] for key in TEAM_KEYS}
    return found | {"labels": [(row["label"], row["team"]) for row in tables["per_label"]]}


def assert_same_team(one, two):
    """The team of all metrics is alike; without one, documents are those of pairs."""
    for mine, theirs in zip(one["metrics"], two["metrics"], strict=True):
        if theirs["team"]["definition"] is None:
            mine, theirs = ({**tables, "documents": []} for tables in (mine, theirs))
        assert_alike(team_of(mine), team_of(theirs))


@pytest.mark.parametrize("metric", METRICS)
def test_the_team_is_what_it_is_with_pairs(metric):
    results = [agree(PANEL, [metric], intervals=FEW, pairs=pairs) for pairs in (False, True)]
    assert_same_team(*(one.result for one in results))


@pytest.mark.integration
@given(panels())
def test_the_team_is_what_it_is_with_pairs_for_any_panel(made):
    panel = made.panel()
    results = [agree(panel, intervals=NONE, pairs=pairs, worst=None) for pairs in (False, True)]
    found, expected = (one.result for one in results)
    for mine, theirs in zip(found["metrics"], expected["metrics"]):
        if headline(theirs["team"]) is not None:
            assert_alike(team_of(mine), team_of(theirs))


def test_there_are_no_pairs_without_pairs():
    found = agree(PANEL, ["span_f"], intervals=FEW, pairs=False)["span_f"]
    assert found["pairs"] == []
    assert found["mean"]["reason"] == NO_PAIRS
    assert {
        row[key]["reason"] for row in found["annotators"] for key in ("others", "majority")
    } == {NO_PAIRS}


def test_pairs_are_not_counted_for_a_metric_of_the_team(monkeypatch):
    monkeypatch.setattr(PairCounter, "statistics", None)
    assert headline(agree(PANEL, ["u_alpha"], intervals=FEW, pairs=False)["u_alpha"]["team"])


def test_pages_are_of_the_team():
    result = agree(PANEL, ["u_alpha"], intervals=FEW, pairs=False).result
    value = number(result["metrics"][0]["team"]["corrected"])
    for render in (report_fragment, report_page):
        page = render(agreement_report(result))
        assert value in page and "The team" in page and NO_PAIRS not in page


@pytest.mark.parametrize("metric", ["u_alpha", "span_f"])
def test_blocks_add_up(tmp_path, metric):
    sources = team(tmp_path)
    options = {"metrics": [metric], "pairs": False, "intervals": NONE, "worst": None}
    assert_alike(agree_in_blocks(sources, **options), agree_files(sources, **options))
