"""Small corpora with several systems, and the resamples that the package drew, to draw them again.

A corpus is a list of documents, a document a list of (start, end, label).
"""

import sys
from dataclasses import dataclass
from math import isclose

import numpy as np
import pytest

from spacy_chance_eval import Spans, evaluate, leaderboard
from spacy_chance_eval.measures import resampling
from spacy_chance_eval.measures.stats import Additive, ratio
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring import ranking
from spacy_chance_eval.scoring.intervals import Resampling

SIZE = 12
LABELS = ("LOC", "ORG", "PER")


def gold_documents(seed, n_docs=8, labels=LABELS):
    """Up to three spans a document, all apart."""
    rng = np.random.default_rng(seed)
    return [
        [
            (4 * i, 4 * i + int(rng.integers(1, 4)), str(rng.choice(labels)))
            for i in range(3)
            if rng.random() < 0.6
        ]
        for _ in range(n_docs)
    ]


def system_documents(gold, seed, skill=0.6, labels=LABELS):
    """The spans of gold, some of them shortened, with another label, or missing; and wrong ones."""
    rng = np.random.default_rng(seed)
    found = []
    for spans in gold:
        row = [span for span in spans if rng.random() < skill]
        if rng.random() < 0.5 and not any(end > 11 for _, end, _ in row):
            row.append((11, 12, str(rng.choice(labels))))
        if rng.random() < 1 - skill and row:
            start, end, _ = row[0]
            row[0] = (start, max(end - 1, start + 1), str(rng.choice(labels)))
        found.append(row)
    return found


def spans(documents, labels=LABELS, sizes=None, **fields):
    """`Spans` of a corpus."""
    return Spans.from_tuples(documents, sizes or [SIZE] * len(documents), labels, **fields)


def corpus(seed, n_systems=3, n_docs=8):
    """Gold and {name: documents of a system}, as lists."""
    gold = gold_documents(seed, n_docs)
    skills = np.linspace(0.8, 0.4, n_systems)
    return gold, {f"s{i}": system_documents(gold, 100 * seed + i, x) for i, x in enumerate(skills)}


def board_of(result, metric=None, label=None, subset=None):
    """The one board of a leaderboard that is meant."""
    wanted = metric or result["boards"][0]["metric"], label, subset
    found = [
        board
        for board in result["boards"]
        if (board["metric"], board["label"], board["subset"]) == wanted
    ]
    assert len(found) == 1, wanted
    return found[0]


def row_of(board, system):
    """A system's row."""
    return next(row for row in board["rows"] if row["system"] == system)


class Recorder:
    """The weights that were drawn, by documents."""

    def __init__(self):
        self.orders, self.weights = [], {"bootstrap": [], "exchange": []}

    def by_document(self, kind, n_docs, run=0):
        """Weights of shape (resamples, n_docs) of one run of resamples."""
        order, starts = self.orders[run]
        sizes = np.diff(np.append(starts, len(order)))
        matrix = np.zeros((len(self.weights[kind][run]), n_docs), int)
        matrix[:, order] = np.repeat(self.weights[kind][run], sizes, axis=1)
        return matrix

    def samples(self, n_docs, run=0):
        """The documents of each resample, each as often as it was drawn."""
        every = self.by_document("bootstrap", n_docs, run)
        return [np.repeat(np.arange(n_docs), row).tolist() for row in every]


@pytest.fixture
def no_more(monkeypatch):
    """Tests take the replicas of the intervals and no others."""
    monkeypatch.setattr(ranking, "MORE", 1)
    monkeypatch.setattr(ranking, "MOST", 0)


@pytest.fixture
def recorder(monkeypatch):
    """Records what is drawn, and which rows are which documents."""
    seen = Recorder()

    def recorded(kind, make):
        def blocks(rows, resamples, rng):
            found = list(make(rows, resamples, rng))
            matrix = np.zeros((resamples, rows), int)
            for some, part, weights in found:
                matrix[some, part] = weights
            seen.weights[kind].append(matrix)
            return found

        return blocks

    def ordered(*arguments):
        seen.orders.append(resampling.cluster_order(*arguments))
        return seen.orders[-1]

    for kind in seen.weights:
        make = getattr(resampling, f"{kind}_weights")
        monkeypatch.setattr(resampling, f"{kind}_weights", recorded(kind, make))
    for module in ("counts", "boards"):
        module = sys.modules[f"spacy_chance_eval.scoring.{module}"]
        monkeypatch.setattr(module, "cluster_order", ordered)
    return seen


def assert_alike(one, two):
    """Equal plain values, numbers up to rounding."""
    if isinstance(one, dict):
        assert one.keys() == two.keys()
        for key in one:
            assert_alike(one[key], two[key])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(two)
        for mine, theirs in zip(one, two):
            assert_alike(mine, theirs)
    elif isinstance(one, float):
        assert one == two or isclose(one, two, rel_tol=1e-9, abs_tol=1e-10)
    else:
        assert one == two


# --- the leaderboard of most tests

GOLD, SYSTEMS = corpus(1)
FEW = Resampling(resamples=40)
METRICS = ["span_f", "token_f"]
SIDES = ("observed", "corrected")


def rank(gold=GOLD, systems=SYSTEMS, metrics=("span_f",), labels=LABELS, **options):
    """The leaderboard of a corpus, with few resamples."""
    sides = {name: spans(documents, labels) for name, documents in systems.items()}
    return leaderboard(spans(gold, labels), sides, metrics, **{"intervals": FEW, **options})


def score_of(gold, documents, metric, side, label=None):
    """The score of a corpus as `evaluate` has it."""
    score = evaluate(spans(gold), spans(documents), metric)[metric]
    return getattr(score, side) if label is None else score.per_label.get(label, {side: None})[side]


def approx(limits):
    """Limits up to rounding; None as it is."""
    return limits and pytest.approx(list(limits), abs=1e-12)


# --- statistics that need no corpus


@dataclass(frozen=True, eq=False)
class Pair(Additive):
    """Statistics for these tests."""

    top: np.ndarray
    bottom: np.ndarray


def share(pair):
    """Top over bottom."""
    return ratio(pair.top, pair.bottom)


def rng(seed=0):
    """A generator of random numbers."""
    return np.random.default_rng(seed)


def whole(blocks, resamples, rows):
    """All weights as one matrix; every cell must be filled exactly once."""
    matrix, filled = np.zeros((resamples, rows)), np.zeros((resamples, rows), int)
    for some, part, weights in blocks:
        matrix[some, part] = weights
        filled[some, part] += 1
    assert (filled == 1).all()
    return matrix


def weighted(statistics, weights):
    """The weighted totals of the documents; `weights` has shape (resamples, documents)."""
    resamples, rows = weights.shape
    blocks = [(slice(0, resamples), slice(0, rows), weights)]
    ((_, (found,)),) = resampling.resampled([statistics], blocks)
    return found


def table(rows=11, labels=2, seed=3):
    """A random `Pair`."""
    random = rng(seed)
    return Pair(random.integers(0, 4, (rows, labels)), random.integers(4, 9, (rows, labels)))


def ends(score, name=""):
    """The interval of a `Score`, or of another number of it; None without one."""
    return interval_of(score.to_dict(), name)
