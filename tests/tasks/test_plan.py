"""Plans of runs, files and annotators: names, refusals, records."""

import json

import pytest

from helpers.populations import population
from spacy_chance_eval import (
    Resampling,
    Spans,
    plan,
    sample,
    stored_run,
    write_run,
)
from spacy_chance_eval.metrics.references import references
from spacy_chance_eval.scoring.planning import PlanOptions
from spacy_chance_eval.tasks.plan import plan_files

FEW = PlanOptions(intervals=Resampling(50))
GOLD, LATE, EARLY = (
    str(sample.path(one)) for one in ("test.jsonl", "systems/late.jsonl", "systems/early.jsonl")
)


@pytest.fixture(scope="module")
def runs():
    gold, *preds = population(50, 1, f=(0.5, 0.6, 0.8))
    return [stored_run(gold, one, ["token_f", "span_f"], title=n) for one, n in zip(preds, "xyz")]


def pairs_of(found, metric="span_f"):
    return [
        (one["first"], one["second"])
        for one in found["plans"]
        if one["scope"] == "difference" and one["metric"] == metric
    ]


def test_runs_give_what_their_files_give(runs, tmp_path):
    for name, run in zip("ab", runs):
        write_run(tmp_path / name, run)
    found = plan_files([str(tmp_path / name) for name in "ab"], options=FEW)
    assert found == plan(runs[:2], intervals=Resampling(50))
    assert [one["metric"] for one in found["plans"]] == ["span_f"] * 3
    named = plan_files([f"{name}={tmp_path / name}" for name in "ab"], options=FEW)
    assert named["names"] == ["a", "b"]


def test_gold_and_systems_give_what_their_runs_give():
    found = plan_files(["b=" + LATE, EARLY], GOLD, options=FEW)
    assert found["names"] == ["b", "early"]
    assert pairs_of(found) == [("b", "early")]


def test_all_systems_are_planned_for_with_one_chance_model(tmp_path):
    for name, more in (("gold", []), ("a", []), ("b", [[1, 3, "A"]]), ("c", [])):
        rows = [{"tokens": [*"abcdef"], "spans": [[0, 2, "A"], *more]}] * 9
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    gold, *systems = (str(tmp_path / f"{name}.jsonl") for name in ("gold", *"abc"))
    found, named = (
        plan_files(systems, gold, metrics=["span_f"], defaults=chance, options=FEW)
        for chance in ({}, {"chance": "overlapping"})
    )
    assert found["plans"] == named["plans"] and "chance=overlapping" in str(found["plans"])
    (said,) = [one for one in found["warnings"] if one not in named["warnings"]]
    assert "overlap" in said


def test_neighbours_or_all_pairs_are_compared(runs):
    found = plan(runs, intervals=Resampling(50))
    assert pairs_of(found) == [("z", "y"), ("y", "x")]
    assert "0.017 is on the safe side" in found["notes"][0]
    every = plan(runs, metrics=["span_f"], pairs="all", intervals=Resampling(50))
    assert pairs_of(every) == [("z", "y"), ("z", "x"), ("y", "x")]


def test_runs_of_other_documents_are_refused(runs):
    short = stored_run(*population(12, 1)[:2], ["span_f", "token_f"])
    with pytest.raises(ValueError, match="the runs do not compare: gold differs"):
        plan([runs[0], short])


def test_signatures_name_the_score_and_the_goal(runs):
    found = plan(
        runs[:2], metrics=["span_f"], intervals=Resampling(50), score="observed", power=0.7
    )
    one, other, pair = (one["signature"] for one in found["plans"])
    assert "|plan=observed,0.02|" in one and one == other
    assert "|plan=observed,0.02,0.7|systems=2|test=randomisation,0.05|" in pair
    assert "card-2020" in references([pair]) and "holm-1979" not in references([pair])


def test_totals_are_left_out():
    gold, *preds = population(50, 1)
    systems = dict(zip("ab", preds))
    found = plan(systems, gold, metrics=["slicm", "slicm_norm"], intervals=Resampling(50))
    assert {one["metric"] for one in found["plans"]} == {"slicm_norm"}
    assert found["notes"][0].startswith("slicm is left out: it is a total")
    for given in ((systems, gold), (systems,)):
        with pytest.raises(ValueError, match="plan for slicm_norm"):
            plan(*given, metrics=["slicm"], intervals=Resampling(50))


def test_a_metric_of_errors_ranks_the_lowest_first():
    gold, *preds = population(50, 1, f=(0.5, 0.8))
    found = plan(dict(zip("xy", preds)), gold, metrics=["error_rate"], intervals=Resampling(50))
    assert pairs_of(found, "error_rate") == [("y", "x")]
    assert "y is ." in str(found) and "better than x" in str(found)
    assert found["plans"][-1]["total"]["difference"] < 0 < found["plans"][-1]["total"]["power"]


def test_annotators_who_saw_nothing_together_are_said():
    gold, one, _ = population(50, 1)
    seen = [span_list(gold, doc) for doc in range(50)]
    half = [spans if doc < 45 else None for doc, spans in enumerate(seen)]
    found = plan({"a": half, "b": one}, metrics=["span_f"], sizes=[40] * 50)
    assert found["plans"][0]["n_docs"] == found["plans"][0]["n_units"] == 45
    assert "5 documents that one annotator alone saw" in found["notes"][0]


def span_list(spans, doc):
    return [
        (int(a), int(b), spans.labels[label])
        for d, a, b, label in zip(spans.doc, spans.start, spans.end, spans.label)
        if d == doc
    ]


def test_warnings_of_readers_are_said(tmp_path):
    span = {"start": 0, "end": 1, "label": "A"}
    row = {"tokens": ["one", "two"], "spans": [span, span]}
    paths = [tmp_path / f"{name}.jsonl" for name in "ab"]
    for path in paths:
        path.write_text(f"{json.dumps(row)}\n" * 50)
    for gold, *sources in ((None, *paths), paths):
        found = plan_files(list(map(str, sources)), gold and str(gold), options=FEW)
        assert any("duplicate spans" in text for text in found["warnings"])


def test_records_have_the_same_keys(runs):
    found = plan(runs[:2], metrics=["span_f"], intervals=Resampling(50))
    records = found.records()
    assert len({tuple(one) for one in records}) == 1
    assert len(records) == 3 * (1 + 3) * 11
    wide = {one["n"]: one["half_width"] for one in found["plans"][0]["total"]["curve"]}
    assert {one["n"]: one["half_width"] for one in records[:11]} == wide
    assert "for +-.02" in found._repr_html_()


def test_categories_are_planned_for():
    from spacy_chance_eval import Panel

    votes = [["yes", "no", "no", "yes"] * 15, ["yes", "no", "yes", "yes"] * 15]
    panel = Panel(
        {
            name: Spans.from_tuples([[(0, 1, x)] for x in some], [1] * 60)
            for name, some in zip("ab", votes)
        },
        positions="category",
    )
    found = plan(panel, metrics=["krippendorff_alpha"], intervals=Resampling(50))
    assert found["goal"]["width"] == 0.05 and found["plans"][0]["total"]["for_width"]["n"]


def test_other_input_is_refused(runs, tmp_path):
    gold, one, _ = population(50, 1)
    with pytest.raises(ValueError, match="force"):
        plan([runs[0], stored_run(one, gold, ["span_f", "token_f"])])
    alone = stored_run(*population(1, 1)[:2], ["span_f"])
    with pytest.raises(ValueError, match="only 1 documents to draw from; a plan needs at least"):
        plan(alone)
    write_run(tmp_path / "a", runs[0])
    with pytest.raises(ValueError, match="some files are runs"):
        plan_files([str(tmp_path / "a"), GOLD])
