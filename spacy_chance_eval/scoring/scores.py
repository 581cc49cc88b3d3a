"""From a `Tally` to what users see: scores with labels, documents, intervals and signature."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial

import numpy as np

from ..about import __version__
from ..measures.chance.draws import p_value, standard_error
from ..measures.resampling import cluster_order, grouped
from ..measures.stats import mean_of_defined
from .intervals import Resampling, clusters_of, columns, order_keys, plain, total_and_labels
from .tallies import Tally, widened


@dataclass(frozen=True)
class Score:
    """One metric on one pair of annotations; plain Python values, None where undefined.

    `value` is the observed score corrected for chance, or the observed one where no chance model
    was asked for. Labels are pooled before anything is divided (micro); `macro` is the mean of the
    labels' values that are defined, `macro_docs` that of the documents' values. `per_label` and
    `per_doc` hold value, observed, expected and the numbers of gold and predicted spans.
    `standard_error` is that of an expectation by drawing.
    `interval` is of the value, `observed_interval` of the observed score, (low, high) or None;
    labels have both too, where intervals were asked for.
    """

    name: str
    value: float | None
    observed: float | None
    expected: float | None
    macro: float | None
    macro_docs: float | None
    per_label: dict
    signature: str
    standard_error: float | None = None
    p_value: float | None = None
    interval: tuple | None = None
    observed_interval: tuple | None = None
    per_doc: dict | None = None

    def to_dict(self):
        """All of it, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Scoring:
    """A tally, and how scores are made of it.

    Parameters
    ----------
    tally : Tally
        With rows and keys, if there are to be intervals; with rows, if documents are to be scored.
    data : mapping
        What more signatures say of the data.
    draws : str
        Number and seed of random annotations, for signatures.
    intervals : Resampling
    clusters : sequence, optional
        The name of each document's cluster.
    progress : callable
        Wraps the blocks of weights.
    """

    tally: Tally
    data: Mapping
    draws: str = ""
    per_doc: bool = False
    intervals: Resampling = Resampling(resamples=0)
    clusters: Sequence | None = None
    progress: Callable = iter
    known: dict = field(default_factory=dict)

    def scores(self, requests):
        """{name: Score} of some requests."""
        n_docs = self.tally.sizes["n_docs"]
        facts = {"positions": "token", "docs": n_docs, "gold": self.tally.digest()} | self.data
        return {str(request): self.score(request, facts) for request in requests}

    def score(self, request, facts):
        """The `Score` of one request."""
        score, statistics = request.scorer(), self.tally.statistics[str(request)]
        scores = total_and_labels(score, statistics.total())
        if self.intervals.resamples:
            scores |= self.limits(score, statistics, scores)
        whole = {name: plain(column[0]) for name, column in scores.items()}
        labels = {name: column[1:] for name, column in scores.items()}
        extra = {}
        if statistics.totals is not None:
            replicas = score(statistics.totals.pooled())
            extra["p_value"] = plain(p_value(scores["observed"][:1], replicas)[0])
            if not statistics.exact:
                extra["standard_error"] = plain(standard_error(replicas)[0])
            facts = {**facts, "draws": self.draws}
        if self.per_doc:
            extra["per_doc"] = self.document_rows(columns(score, widened(statistics).pooled()))
        total, number = self.tally.macro[str(request)]
        return Score(
            str(request),
            **whole,
            macro=plain(mean_of_defined(labels["value"][self.used_labels()])),
            macro_docs=total / number if number else None,
            per_label=self.label_rows(labels),
            signature=signature(request, facts, self.intervals),
            **extra,
        )

    def limits(self, score, statistics, scores):
        """Intervals of the scores, as rows (low, high) or None: total first, then the labels."""
        units = statistics.each(partial(grouped, order=self.order(), known={}))
        (replicas,) = self.intervals.replicas(score, [units], self.progress)
        left_out = self.intervals.left_out(score, units)
        limits = {
            name: self.intervals.limits(scores[name], replicas[name], left_out.get(name))
            for name in ("value", "observed")
        }
        return {
            "interval": pairs_of(limits["value"]),
            "observed_interval": pairs_of(limits["observed"]),
        }

    def order(self):
        """What is resampled, in an order that its content decides."""
        if "order" not in self.known:
            rows = self.tally.rows
            keys = order_keys(rows.keys["gold"], rows.keys["words"], [rows.keys["pred"]])
            self.known["order"] = cluster_order(clusters_of(rows, self.clusters), keys)
        return self.known["order"]

    def used_labels(self):
        """Indices of the labels that either annotator used."""
        return np.flatnonzero(sum(table.sum(axis=0) for table in self.tally.support.values()))

    def label_rows(self, scores):
        """{label: scores and numbers of spans} for the labels that either annotator used."""
        support = {side: table.sum(axis=0) for side, table in self.tally.support.items()}
        columns = {**scores, **support}
        return {self.tally.labels[i]: row_of(columns, i) for i in self.used_labels()}

    def document_rows(self, scores):
        """{document: scores and numbers of spans} for the documents that both saw."""
        support = {side: table.sum(axis=1) for side, table in self.tally.support.items()}
        columns = {**scores, **support}
        return {
            self.tally.name(doc): row_of(columns, doc)
            for doc in np.flatnonzero(self.tally.rows.seen)
        }


def row_of(columns, index):
    """One entry of every column, as plain numbers."""
    return {name: plain(column[index]) for name, column in columns.items()}


def pairs_of(limits):
    """Rows (low, high) of plain numbers from an array of shape (2, n); None where undefined."""
    return [None if np.isnan(low) else (float(low), float(high)) for low, high in limits.T]


def signature(request, facts, intervals="none"):
    """What a result is quoted with: metric and parameters, data, resampling, version."""
    order = ("positions", "docs", "gold", "repair")
    rest = sorted(facts.keys() - {*order, "draws"})
    parts = [f"{key}={facts[key]}" for key in (*order, *rest, "draws") if key in facts]
    return "|".join([str(request), *parts, f"ci={intervals}", f"v={__version__}"])
