"""From sums over documents to scores of pairs, means, and why there is none."""

import numpy as np
import pytest

from helpers.panel_oracles import Team, Work
from spacy_chance_eval import Panel, Resampling, Spans, agree
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.scoring.agreement import agreement
from spacy_chance_eval.scoring.counts import count_panel, no_progress
from spacy_chance_eval.scoring.panel_scores import score_panel
from spacy_chance_eval.scoring.statistics import headline

NONE = Resampling(0)
SAME = (Work(((0, 2, "A"),)), Work(((3, 5, "B"),)))


@pytest.mark.parametrize(
    "metric, symmetric",
    [
        ("span_f", True),
        ("span_f(beta=1)", True),
        ("span_f(beta=2)", False),
        ("gate_f(beta=0.5)", False),
        ("span_precision", False),
        ("slicm", False),
        ("cohen_kappa", True),
    ],
)
def test_scores_that_prefer_one_side_are_not_symmetric(metric, symmetric):
    assert parse(metric).is_symmetric == symmetric


def score(works, metric="span_f", intervals=NONE, progress=no_progress, **options):
    """The scores of one metric."""
    size, requests = len(next(iter(works.values()))), [parse(metric)]
    panel = Team(works, (9,) * size, ((),) * size).panel()
    counts = count_panel(panel, requests, progress=progress, **options)
    return score_panel(counts, requests, intervals=intervals, progress=progress)[0]


def test_scores_stand_beside_the_documents_behind_them():
    works = {"ann": SAME, "bob": SAME, "cyd": (None, SAME[1])}
    found = score(works)
    keys = [("pair", 0, 1), ("pair", 0, 2), ("team",), ("mean",), ("others", 2), ("majority", 2)]
    assert [found.n_docs(key) for key in keys] == [2, 1, 2, 2, 1, 1]


def test_a_document_costs_what_its_absence_would_gain():
    works = {"ann": SAME, "bob": (SAME[0], Work(()))}
    rows = score(works, "span_f(chance=none)").by_document()
    assert headline(rows).tolist() == [1, 0]
    assert rows["cost"] == pytest.approx([0 - 2 / 3, 1 - 2 / 3])


def test_where_less_is_better_a_document_costs_what_it_adds():
    works = {"ann": SAME, "bob": (SAME[0], Work(((0, 1, "X"), (3, 5, "B"))))}
    rows = score(works, "false_positives").by_document()
    assert rows["cost"][1] > 0 > rows["cost"][0]


def test_a_coefficient_of_two_says_so_for_teams():
    found = score({"ann": SAME, "bob": SAME}, "cohen_kappa")
    assert found.row(("team",))["reason"].endswith(
        "of two annotators; for a team see krippendorff_alpha, or fleiss_kappa or, for unequal "
        "numbers of ratings, fleiss_cuzick"
    )
    assert set(np.isnan(found.by_document()["cost"])) == {True}


def test_what_no_one_could_count_has_its_reason():
    works = {"ann": (Work(((0, 3, "A"), (1, 4, "A"))),), "bob": (Work(((0, 3, "A"),)),)}
    row = score(works).row(("team",))
    assert headline(row) is None and "the disjoint chance model cannot place them" in row["reason"]


def test_intervals_are_only_of_documents_that_two_saw():
    works = {"ann": (*SAME, SAME[0]), "bob": (*SAME, None)}
    panel = Team(works, (9,) * 3, ((),) * 3).panel()
    order, starts = count_panel(panel, []).order()
    assert sorted(order.tolist()) == [0, 1] and len(starts) == 2


def test_progress_is_told():
    told = []

    def watch(steps, total, what):
        told.append(what)
        return steps

    works = {"ann": SAME, "bob": SAME}
    score(works, "link_f(chance=overlapping)", progress=watch, intervals=Resampling(5), draws=3)
    assert told == ["Pairs of annotators", "Random annotations", "link_f"]


@pytest.mark.parametrize("metric", ["krippendorff_alpha", "cohen_kappa", "alpha_u"])
def test_the_mean_of_the_pairs_is_of_the_same_pairs_in_all_its_parts(metric):
    work = {
        "ann": [[(0, 2, "PER")], [(1, 3, "PER")], []],
        "bob": [[(0, 2, "PER")], [(2, 3, "PER")], None],
        "cem": [None, None, []],  # shares with ann only what neither marked
    }
    annotators = {name: Spans.from_tuples(docs, [6, 6, 6]) for name, docs in work.items()}
    (found,) = agreement(Panel(annotators), {metric: parse(metric)})["metrics"]
    rows = {(row["first"], row["second"]): row for row in found["pairs"]}
    assert headline(rows["ann", "cem"]) is None and rows["ann", "cem"]["observed"] is not None
    defined = rows["ann", "bob"]
    keys = ["corrected", "observed", "expected", "observed_disagreement", "expected_disagreement"]
    assert [found["mean"].get(key) for key in keys] == [defined.get(key) for key in keys]
    of_cem = found["annotators"][2]["others"]
    assert (headline(of_cem), of_cem["observed"]) == (None, rows["ann", "cem"]["observed"])


def test_a_mean_of_the_pairs_that_happen_to_be_defined_is_no_mean():
    sides = {
        name: Spans.from_tuples([[(0, 2, "A"), other]], [20])
        for name, other in (("a", (5, 8, "B")), ("b", (5, 7, "B")), ("c", (1, 4, "B")))
    }
    found = agree(sides, metrics=["u_alpha"])["u_alpha"]
    assert [pair["corrected"] is None for pair in found["pairs"]] == [False, True, True]
    for mean, text in (
        (found["mean"], "2 of 3 pairs cannot be scored (a token in units of several labels"),
        (found["annotators"][0]["others"], "1 of 2 pairs cannot be scored (a token in units"),
    ):
        assert (mean["corrected"], mean["low"], mean["macro_docs"]) == (None, None, None)
        assert mean["reason"].startswith(text) and "quote single pairs or labels" in mean["reason"]
    assert found["annotators"][2]["others"]["reason"] == found["pairs"][1]["reason"]
    # each label is rated by itself
    assert [row["mean"]["corrected"] is None for row in found["per_label"]] == [False, False]
