"""Corpora with discontinuous spans, as one block and as many, and what cannot take them."""

import random

import pytest

from helpers.blocks import NONE, check, many_blocks, score, two_files
from helpers.laws import LAWS, asked_for
from spacy_chance_eval import Spans, evaluate, request
from spacy_chance_eval import agree as agreement
from spacy_chance_eval.metrics.catalog import CATALOG
from spacy_chance_eval.runs.compare import compare
from spacy_chance_eval.runs.files import read_run
from spacy_chance_eval.scoring.evaluation import default_requests
from spacy_chance_eval.tasks.api import diff
from spacy_chance_eval.tasks.score import score_files

GAPPED = {"fragments": [[0, 1], [2, 3]], "label": "PER"}
EXACT = {
    "span": asked_for("span_f", chance="overlapping"),
    "token": asked_for("token_f", chance="overlapping", encoding="BIOE"),
    "overlap": request("int_f", chance="none"),
    "information": request("slicm_norm"),
    "kappa": request("cohen_kappa"),
}


def rows(n_docs=9, seed=0, gaps=True):
    rng = random.Random(seed)
    for number in range(n_docs):
        about = {"id": f"d{number}", "tokens": list("abcdefgh")}
        sides = []
        for _ in range(2):
            spans = [{"start": 4, "end": 5 + rng.randrange(3), "label": rng.choice("AB")}]
            if gaps and number % 3 == 1:
                first = rng.randrange(2)
                pieces = [[first, first + 1], [first + 2, first + 3]]
                spans.append({"fragments": pieces, "label": "A"})
            sides.append(about | {"spans": spans})
        yield tuple(sides)


@pytest.mark.parametrize("metrics", [EXACT, default_requests()], ids=["named", "open"])
def test_blocks_give_what_the_whole_gives(tmp_path, metrics):
    layer = check(*two_files(tmp_path, rows()), metrics=metrics, intervals=NONE)
    assert layer["n_gold"] == 12


@pytest.mark.parametrize("chance", ["disjoint", "nested", "uniform"])
def test_other_chance_models_refuse_them_in_one_block_and_in_many(tmp_path, chance):
    files, metrics = two_files(tmp_path, rows()), {"span": asked_for("span_f", chance=chance)}
    message = f"the {chance} chance model cannot take .*; use chance=overlapping"
    with pytest.raises(ValueError, match=message):
        score(*files, metrics=metrics, intervals=NONE)
    with many_blocks(), pytest.raises(ValueError, match=message):
        score(*files, metrics=metrics, intervals=NONE)


def gold_and_pred():
    gold = Spans.from_dicts([[GAPPED]], [5], words="abcde", names=["d"])
    pred = Spans.from_dicts([[{"start": 0, "end": 3, "label": "PER"}]], [5], words="abcde")
    return gold, pred


REFUSED = {
    "gate": lambda gold, pred: evaluate(gold, pred, ["gate_f"]),
    "false positives": lambda gold, pred: evaluate(gold, pred, ["false_positives"]),
    "links": lambda gold, pred: evaluate(gold, pred, ["link_f(chance=none)"]),
    "neighbours": lambda gold, pred: evaluate(gold, pred, ["bcubed_f(chance=none)"]),
    "diff": diff,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_looks_at_start_and_end_refuses_them(name):
    message = r"cannot take discontinuous spans, and PER \[0, 1\) \+ \[2, 3\) in d is one; rewrite"
    with pytest.raises(ValueError, match=message):
        REFUSED[name](*gold_and_pred())


@pytest.mark.parametrize("name", [name for name in CATALOG if name in LAWS])
def test_no_metric_takes_a_span_with_a_gap_for_its_hull(name):
    gold, hull = gold_and_pred()
    whole = evaluate(hull, hull, {name: asked_for(name)}, draws=5)[name]
    try:
        gapped = evaluate(gold, hull, {name: asked_for(name)}, draws=5)[name]
    except ValueError as error:
        assert "cannot take discontinuous spans" in str(error)
        return
    assert gapped != whole


def test_agreement_on_units_is_undefined_with_the_reason():
    gold, pred = gold_and_pred()
    result = agreement({"a": gold, "b": pred}, ["alpha_u", "span_f"])
    reasons = str(result)
    assert "agreement on units (the u_alpha family, alpha_u) cannot take" in reasons


def test_a_run_keeps_no_annotations_that_are_discontinuous(tmp_path):
    runs = []
    for name, gaps in (("a", True), ("b", False)):
        files = two_files(tmp_path / name, rows(gaps=gaps))
        score_files(*files, metrics=EXACT, run=tmp_path / f"{name}.run")
        runs.append(read_run(tmp_path / f"{name}.run"))
    assert runs[0].annotations is None
    assert runs[1].annotations is not None


def test_runs_of_drawn_chance_are_compared_with_the_draws_in_the_signature(tmp_path):
    files = two_files(tmp_path, rows(n_docs=4))
    asked = asked_for("int_f", chance="overlapping")
    for name in "ab":
        score_files(*files, metrics={"int_f": asked}, draws=5, run=tmp_path / f"{name}.run")
    runs = [read_run(tmp_path / f"{name}.run") for name in "ab"]
    (found,) = compare(*runs)["metrics"]
    assert "|draws=5,0|" in found["signature"]
