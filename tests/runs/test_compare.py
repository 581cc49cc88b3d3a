"""Two stored runs compared: against the leaderboard, and against what is counted again."""

import pytest

from helpers.strategies import random_pair
from spacy_chance_eval import Comparison, Resampling, Spans, evaluate, leaderboard
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.runs.compare import compare, failures
from spacy_chance_eval.runs.files import stored_run

METRICS = ["span_f", "token_f", "slicm_norm", "gate_f", "false_positives", "cohen_kappa", "u_alpha"]
FEW = Resampling(200)
SIZES = (7, 9, 5, 0, 12, 8, 11, 6, 10, 9)


def corpora(kind="disjoint"):
    """Gold, an old and a new prediction; the new one has a label more."""
    first, second = (random_pair(seed, kind, SIZES) for seed in (1, 1))
    old = first.pred
    other = random_pair(2, kind, SIZES).pred
    new = tuple(one if i % 2 else two for i, (one, two) in enumerate(zip(other, old)))
    return [second.annotator(docs) for docs in (first.gold, old, new)]


def runs(metrics=METRICS, **settings):
    gold, old, new = corpora("flat" if "u_alpha" in metrics else "disjoint")
    return [stored_run(gold, pred, metrics, **settings) for pred in (old, new)]


def part(spans, docs):
    """Some documents of an annotator."""
    rows = [[] for _ in range(spans.n_docs)]
    for doc, start, end, label in zip(spans.doc, spans.start, spans.end, spans.label):
        rows[doc].append((start, end, spans.labels[label]))
    bounds = spans.offsets
    words = [word for d in docs for word in spans.words[bounds[d] : bounds[d + 1]]]
    return Spans.from_tuples(
        [rows[d] for d in docs],
        spans.sizes[list(docs)],
        spans.labels,
        words=words,
        names=[spans.names[d] for d in docs],
    )


def metric(result, name):
    (found,) = [one for one in result["metrics"] if one["metric"] == name]
    return found


# --- against the leaderboard


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("clustered", [False, True])
def test_scores_differences_and_tests_are_those_of_a_leaderboard(test, clustered, no_more):
    gold, old, new = corpora("flat")
    articles = [f"a{doc // 2}" for doc in range(gold.n_docs)] if clustered else None
    attributes = [{"article": name} for name in articles or ()]
    stored = [
        stored_run(gold, pred, METRICS, attributes=attributes, annotations=kept)
        for pred, kept in ((old, "text"), (new, "spans"))
    ]
    settings = {"intervals": FEW, "comparison": Comparison(test)}
    found = compare(*stored, **settings)
    boards = leaderboard(gold, {"old": old, "new": new}, METRICS, clusters=articles, **settings)
    assert found["n_clusters"] == boards["n_clusters"]
    for board in boards["boards"]:
        mine = metric(found, board["metric"])
        row = mine["total"]
        if board["label"] is not None:
            (row,) = [one for one in mine["labels"] if one["label"] == board["label"]]
        (pair,) = board["pairs"]
        scores = {one["system"]: one for one in board["rows"]}
        for side in ("observed", "corrected"):
            assert (side in row) == (side in pair)
            for key in ("difference", "low", "high", "p_value") if side in row else ():
                assert row[side][key] == pair[side][key]
            for which in ("old", "new") if side in row else ():
                assert row[which][side] == scores[which][side]
        assert interval_of(row["new"]) == interval_of(scores["new"])


def test_expected_scores_are_those_of_an_evaluation():
    gold, old, new = corpora()
    found = compare(*runs(["token_f"]), intervals=FEW)["metrics"][0]
    for which, pred in (("old", old), ("new", new)):
        score = evaluate(gold, pred, ["token_f"])["token_f"]
        assert found["total"][which]["expected"] == pytest.approx(score.expected)
        for row in found["labels"]:
            assert row[which]["expected"] == pytest.approx(
                score.per_label.get(row["label"], row[which])["expected"]
            )


# --- documents


@pytest.mark.parametrize("name", ["span_f", "token_f", "slicm_norm", "false_positives"])
def test_a_contribution_is_what_exchanging_the_document_changes(name):
    gold, old, new = corpora()
    (found,) = compare(*runs([name]), intervals=FEW)["metrics"]
    before = evaluate(gold, old, [name])[name].headline
    rows = found["documents"]["better"] + found["documents"]["worse"]
    assert rows
    for row in rows:
        doc = gold.names.index(row["document"])
        sides = [part(spans, range(gold.n_docs)) for spans in (gold, old, new)]
        keep = [side.doc == doc for side in sides]
        mixed = [sides[1].keep(~keep[1]), sides[2].keep(keep[2])]
        columns = {
            c: [*getattr(mixed[0], c), *getattr(mixed[1], c)] for c in ("doc", "start", "end")
        }
        labels = [side.labels[i] for side in mixed for i in side.label]
        pred = Spans(
            **columns,
            label=[sides[0].labels.index(one) for one in labels],
            sizes=gold.sizes,
            labels=sides[0].labels,
            words=gold.words,
        )
        after = evaluate(gold, pred, [name])[name].headline
        assert row["contribution"] == pytest.approx(after - before)


# --- laws


def test_a_run_equals_itself():
    old, _ = runs()
    found = compare(old, old, intervals=FEW)
    for one in found["metrics"]:
        for row in (one["total"], *one["labels"]):
            for side in ("observed", "corrected"):
                if side in row and row[side]["difference"] is not None:
                    assert (row[side]["difference"], row[side]["p_value"]) == (0, 1)
                    assert interval_of(row[side]) in ((0, 0), None)
            assert row["verdict"] in ("equal", None)
        assert one["documents"]["n_equal"] == len(SIZES)
    assert (found["errors"]["n_new"], found["errors"]["n_fixed"]) == (0, 0)


def test_swapping_the_runs_mirrors_the_result():
    old, new = runs()
    there, back = (compare(*pair, intervals=FEW) for pair in ((old, new), (new, old)))
    words = {"better": "worse", "worse": "better", "equal": "equal", None: None}
    for one, two in zip(there["metrics"], back["metrics"], strict=True):
        for row, other in zip([one["total"], *one["labels"]], [two["total"], *two["labels"]]):
            assert row["old"] == other["new"] and row["verdict"] == words[other["verdict"]]
            for side in ("observed", "corrected"):
                if side in row and row[side]["difference"] is not None:
                    assert row[side]["difference"] == pytest.approx(-other[side]["difference"])
                    assert row[side]["p_value"] == other[side]["p_value"]
    names = {which: [e["document"] for e in there["errors"][which]] for which in ("new", "fixed")}
    assert names["new"] == [e["document"] for e in back["errors"]["fixed"]]
    assert names["fixed"] == [e["document"] for e in back["errors"]["new"]]


# --- thresholds


def test_span_f_leads_unless_metrics_are_named():
    pair = runs(["span_precision", "token_f", "span_f"])
    names = [one["metric"] for one in compare(*pair, intervals=FEW)["metrics"]]
    assert names == ["span_f", "span_precision", "token_f"]
    found = compare(*pair, metrics=["token_f", "span_f"], intervals=FEW)
    assert [one["metric"] for one in found["metrics"]] == ["token_f", "span_f"]
    (first, *_) = compare(*runs(["token_f", "gate_f"]), intervals=FEW)["metrics"]
    assert first["metric"] == "token_f"


def result(old=0.5, new=0.4, p_value=0.01, verdict="worse", higher=True, resamples=10, n_gold=1):
    total = {"old": {"observed": old}, "new": {"observed": new}, "verdict": verdict}
    total["observed"] = {"p_value": p_value}
    one = {"metric": "span_f", "key": "observed", "total": total, "higher_is_better": higher}
    resampling = {"alpha": 0.05, "resamples": resamples}
    return {"metrics": [one], "resampling": resampling, "new": {"n_gold": n_gold}}


def test_a_score_below_the_threshold_fails():
    assert failures(result(), below=0.4) == []
    assert failures(result(), below=0.41) == ["observed span_f of the new run is .4000, below 0.41"]
    assert "undefined" in failures(result(new=None), below=0)[0]


def test_a_worse_score_fails_if_the_test_tells_the_runs_apart():
    assert failures(result(), if_worse=True) == [
        "observed span_f is worse: .4000 after .5000 (p = .0100)"
    ]
    assert failures(result(p_value=0.05), if_worse=True) == []
    assert failures(result(verdict="better"), if_worse=True) == []


@pytest.mark.parametrize(
    ("resamples", "why"), [(0, "there are no resamples"), (9, "too little to resample")]
)
def test_what_is_worse_and_cannot_be_tested_is_an_error(resamples, why):
    with pytest.raises(ValueError, match=f"{why}, so no test can tell"):
        failures(result(p_value=None, resamples=resamples), if_worse=True)
    assert not failures(result(p_value=None, verdict="better"), if_worse=True)


def test_one_document_that_is_worse_cannot_be_tested():
    gold = Spans.from_tuples([[(0, 1, "A"), (2, 3, "A")]], [9])
    half = Spans.from_tuples([[(0, 1, "A")]], [9])
    found = compare(*(stored_run(gold, pred, ["span_f"]) for pred in (gold, half)), intervals=FEW)
    with pytest.raises(ValueError, match="too little to resample"):
        failures(found, if_worse=True)


def test_a_score_that_becomes_undefined_is_worse():
    undefined = result(new=None, verdict=None, p_value=None)
    (said,) = failures(undefined, if_worse=True)
    assert said == "observed span_f is worse: undefined after .5000"
    for old, new, n_gold in ((None, None, 1), (None, 0.0, 1), (0.0, None, 0)):
        with pytest.raises(ValueError, match="undefined for a run, so nothing says whether"):
            failures(result(old, new, verdict=None, n_gold=n_gold), if_worse=True)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_thresholds_are_scores(value):
    with pytest.raises(ValueError, match="makes no sense; give a score"):
        failures(result(), below=value)
    with pytest.raises(ValueError, match="makes no sense; give a score"):
        compare(*runs(["span_f"]), intervals=FEW, verbose_below=value)


def test_a_metric_that_is_better_the_lower_it_is_has_no_lowest_value():
    with pytest.raises(ValueError, match="use --fail-if-worse"):
        failures(result(higher=False), below=1)


def test_fewer_false_positives_are_better():
    gold, old, _ = corpora()
    pair = [stored_run(gold, pred, ["false_positives"]) for pred in (old, gold)]
    (found,) = compare(*pair, intervals=FEW)["metrics"]
    assert found["total"]["observed"]["difference"] < 0 and found["total"]["verdict"] == "better"
    assert found["documents"]["n_worse"] == 0 < found["documents"]["n_better"]


def lacking(*documents):
    return Spans.from_tuples(documents, sizes=[9, 9])


def test_warnings_are_of_both_runs_or_say_of_which():
    gold = lacking([(0, 2, "PER")], [(5, 6, "LOC")])
    half, none = lacking([(0, 2, "PER")], []), lacking([], [])
    runs = {
        name: stored_run(gold, pred, ["span_f"])
        for name, pred in {"half": half, "none": none, "whole": gold}.items()
    }

    def warned(old, new):
        return compare(runs[old], runs[new], intervals=Resampling(0))["warnings"]

    empty = "The prediction has no spans: all of gold counts as missing; check its column or layer."
    assert warned("none", "none") == [empty]
    assert warned("whole", "none") == [f"New run: {empty}"]
    assert warned("none", "whole") == [f"Old run: {empty}"]
    assert len(warned("half", "none")) == 2 and not warned("whole", "whole")
