"""A metric is a count, a score and one row of the catalog: all else follows from the row.

`edge_f` is F over the tokens at one edge of spans: what begins (or ends) there, with which label.
"""

import runpy
from dataclasses import dataclass, replace

import numpy as np
import pytest

from helpers.blocks import assert_alike, made, many_blocks, plain, two_files, written
from helpers.examples import ROOT
from helpers.resamples import ends
from helpers.textfiles import call
from spacy_chance_eval import CATALOG, Metric, Resampling, align, evaluate, parse, read, read_run
from spacy_chance_eval.measures.arrays import IntArray
from spacy_chance_eval.measures.stats import Additive, ratio
from spacy_chance_eval.metrics.catalog import Layout, Number
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.tasks.score import compare_files, score_files

SOME = Resampling(20)


# --- the metric


@dataclass(frozen=True, eq=False)
class Edges(Additive):
    """Edges of gold, of a prediction, and of both, shape (n_docs, n_labels)."""

    gold: IntArray
    pred: IntArray
    both: IntArray


def edges(gold, pred, *, edge):
    """The `Edges` of aligned spans by document and label."""

    def table(keys):
        counts = np.zeros((len(gold.sizes), len(gold.labels)), int)
        for doc, label, _ in keys:
            counts[doc, label] += 1
        return counts

    one, two = (
        set(zip(*(getattr(spans, name).tolist() for name in ("doc", "label", edge))))
        for spans in (gold, pred)
    )
    return Edges(table(one), table(two), table(one & two))


def edge_f(edges, *, weight):
    """Shared edges in terms of all, edges that only one has with a weight."""
    alone = edges.gold + edges.pred - 2 * edges.both
    return ratio(2 * edges.both, 2 * edges.both + weight * alone)


ROW = Metric(
    "edge_f",
    edges,
    edge_f,
    Layout(Edges, dict.fromkeys(("gold", "pred", "both"), "dl"), padded=True),
    {"edge": "start", "weight": 1.0},
    "Nobody (2000), On edges",
    choices={"edge": ("start", "end"), "weight": Number()},
    counted=("edge",),
    scored=("weight",),
    swapped="edge_f",
)


@pytest.fixture(autouse=True)
def row(monkeypatch):
    """The one entry that makes it a metric."""
    monkeypatch.setitem(CATALOG, "edge_f", ROW)


# --- what follows


def test_counts_of_one_name_are_not_taken_for_each_other(files, monkeypatch):
    def ends_of(gold, pred, *, edge):
        return edges(gold, pred, edge="end")

    ends_of.__name__ = edges.__name__
    monkeypatch.setitem(CATALOG, "end_f", replace(ROW, name="end_f", count=ends_of))
    pair = align(*(read(path).spans("spans") for path in files[:2]))
    both, (ends,) = (
        evaluate(*pair, ["edge_f", "end_f"]),
        evaluate(*pair, ["edge_f(edge=end)"]).values(),
    )
    assert both["end_f"].headline == ends.headline != both["edge_f"].headline


@pytest.fixture
def files(tmp_path):
    """Gold, and two predictions."""
    rows = list(made(12, more=False))
    gold, pred = two_files(tmp_path, rows)
    other = written(tmp_path / "other.jsonl", [{**pred, "spans": []} for _, pred in rows])
    return gold, pred, other


def requests():
    return {name: parse(name) for name in ("edge_f", "edge_f(edge=end,weight=2)")}


def expected(gold, pred, place=0, weight=1.0):
    """The score of files, of the starts or ends of their spans, by the formula."""
    one, two = (
        {
            (number, span[place], span[2])
            for number, document in enumerate(read(path).documents)
            for span in document.layers["spans"]
        }
        for path in (gold, pred)
    )
    return 2 * len(one & two) / (2 * len(one & two) + weight * len(one ^ two))


def one_and_many(work):
    """What is the same of one block and of many."""
    whole = plain(work())
    with many_blocks():
        assert_alike(plain(work()), whole)
    return whole


def test_evaluate_scores_it(files):
    gold, pred = align(*(read(path).spans("spans") for path in files[:2]))
    scores = evaluate(gold, pred, requests(), intervals=SOME)
    assert scores["edge_f"].headline == pytest.approx(expected(*files[:2]))
    assert scores["edge_f(edge=end,weight=2)"].headline == pytest.approx(expected(*files[:2], 1, 2))
    assert ends(scores["edge_f"])[0] <= scores["edge_f"].headline <= ends(scores["edge_f"])[1]


def test_its_parameters_are_checked_by_its_row():
    assert str(parse("edge_f(weight=2)")) == "edge_f(edge=start,weight=2.0)"
    with pytest.raises(ValueError, match="edge is 'middle'; expected one of start, end"):
        parse("edge_f(edge=middle)")


def test_files_are_scored_in_blocks(files):
    result = one_and_many(
        lambda: score_files(*files[:2], metrics=requests(), per_doc=True, intervals=SOME)
    )
    scores = result["layers"][0]["scores"]
    assert headline(scores["edge_f"]) == pytest.approx(expected(*files[:2]))
    assert len(scores["edge_f"]["per_doc"]) == 12


def test_runs_are_saved_read_and_compared(files, tmp_path):
    gold, *preds = files
    old, new = tmp_path / "old.run", tmp_path / "new.run"

    def work():
        for path, pred in zip((old, new), preds):
            score_files(gold, pred, metrics=requests(), run=path, text=False)
        return compare_files(old, new, intervals=SOME)["metrics"]

    metrics = one_and_many(work)
    totals = [
        [metric["total"][which]["observed"] for metric in metrics] for which in ("old", "new")
    ]
    assert totals == [pytest.approx([expected(*files[:2]), expected(*files[:2], 1, 2)]), [0, 0]]
    stored = read_run(old).metrics["edge_f"]
    assert (str(stored.request), type(stored.statistics.observed)) == (str(parse("edge_f")), Edges)


def test_the_lists_of_metrics_have_it():
    assert "| `edge_f` | `edge=start`, `weight=1.0` | - | no | Nobody (2000), On edges |" in (
        runpy.run_path(str(ROOT / "scripts/website/metrics.py"))["metrics_markdown"]()
    )
    listed = call("metrics").stdout.partition("edge_f(edge=start,weight=1.0)\n")[2]
    measured, source, _ = listed.partition("    Nobody (2000), On edges\n")
    assert "weight" in measured and source
