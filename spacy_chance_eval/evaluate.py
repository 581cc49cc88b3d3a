"""Score one annotation against another with any metrics of the catalog: `evaluate` -> `Score`."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from numbers import Integral

import numpy as np

from .about import __version__
from .catalog import CATALOG
from .intervals import (
    Resampling,
    Statistics,
    clusters_of,
    columns,
    content_keys,
    plain,
    total_and_labels,
)
from .measures.alignment import align, check_sentences
from .measures.draws import drawn, p_value, standard_error
from .measures.expectation import check_placement
from .measures.matching import span_mass
from .measures.resampling import cluster_order, grouped
from .measures.spans import Spans
from .measures.stats import mean_of_defined
from .request import Request, of_spans, parse, written

DEFAULT_METRICS = (
    "span_precision",
    "span_recall",
    "span_f",
    "token_precision",
    "token_recall",
    "token_f",
    "slicm",
    "slicm_norm",
)


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


def evaluate(
    gold,
    pred,
    metrics=DEFAULT_METRICS,
    *,
    per_doc=False,
    p_values=False,
    draws=1000,
    seed=0,
    intervals=None,
    clusters=None,
    data=None,
    progress=iter,
):
    """Scores of a prediction against gold, one per metric.

    Parameters
    ----------
    gold, pred : Spans
        Two annotators of the same tokens.
    metrics : sequence of str or Request
        Such as "span_f" or "token_f(encoding=BIO,chance=disjoint)".
    per_doc : bool
        Also score every document that both saw, under the names of the documents.
    p_values : bool
        Also draw random annotations for metrics with a chance model that were expected exactly, and
        report how often they score as high as the prediction.
    draws, seed : int
        Number of random annotations, and the seed. Used where an expectation has no formula
        (SL-ICM; link, BCubed and Int-F of overlapping spans) and for p-values.
    intervals : Resampling, optional
        Also make confidence intervals, so.
    clusters : sequence, optional
        The name of each document's cluster, where documents come in such: these are resampled.
    data : mapping, optional
        What more the signature should say of the data; by default {"repair": "none"}.
    progress : callable
        Wraps the range of draws, and the blocks of weights; for progress bars.

    Returns
    -------
    dict of str to Score
        Under the metrics as they were asked for.

    Raises
    ------
    ValueError
        For unknown metrics, corpora that differ, or spans that contradict the chance model.

    Examples
    --------
    >>> from spacy_chance_eval import Spans, evaluate
    >>> gold = Spans.from_tuples([[(0, 2, "PER"), (5, 6, "LOC")]], sizes=[9])
    >>> pred = Spans.from_tuples([[(0, 2, "PER"), (4, 6, "LOC")]], sizes=[9])
    >>> score = evaluate(gold, pred, ["span_f"])["span_f"]
    >>> score.observed, round(score.expected, 4), round(score.value, 4)
    (0.5, 0.0625, 0.4667)
    """
    gold, pred = align(gold, pred)
    if isinstance(metrics, (str, Request)):
        metrics = [metrics]
    check_draws(draws)
    intervals = intervals or Resampling(resamples=0)
    run = Run(gold, pred, p_values, draws, seed, progress, {}, intervals, clusters)
    facts = {"positions": "token", "docs": int(gold.seen.sum()), "gold": gold.digest()}
    facts.update({"repair": "none"} if data is None else data)
    return {str(metric): run.score(of_spans(parse(metric)), per_doc, facts) for metric in metrics}


def check_draws(draws):
    """Raise for a number of random annotations that is none."""
    if not isinstance(draws, Integral) or draws < 1:
        raise ValueError(f"draws is {draws!r}; expected a whole number of at least 1")


@dataclass(frozen=True)
class Run:
    """One pair of aligned annotations; statistics that several metrics share are counted once."""

    gold: Spans
    pred: Spans
    p_values: bool
    draws: int
    seed: int
    progress: Callable
    known: dict
    intervals: Resampling = Resampling(resamples=0)
    clusters: Sequence | None = None
    priors: Mapping | None = None  # of a request: what more to count it with

    def statistics(self, request):
        """The `Statistics` of a request."""
        metric = CATALOG[request.metric]
        counted = request.only(metric.counted)
        name = f"{metric.count.__name__}{written(counted)}"
        count = partial(metric.count, **counted, **(self.priors or {}).get(request, {}))
        sides = [(self.gold, self.pred)] if metric.team else [self.gold, self.pred]
        observed = self.once(name, count, *sides)
        if request.placement == "none":
            return Statistics(observed)
        name += written(request.only(("chance", "unit")))
        return self.once(name, self.by_chance, name, request, metric, count, observed)

    def by_chance(self, name, request, metric, count, observed):
        """Observed statistics and what chance makes of them."""
        placement, unit = request.placement, request.parameters["unit"]
        self.once(f"check {placement}", check_placement, self.gold, self.pred, placement)
        if unit == "sent":
            self.once("check sentences", check_sentences, self.gold, self.pred)
        model = {"placement": placement, "unit": unit, **request.only(metric.counted)}
        exact = metric.expected and metric.expected(self.gold, self.pred, observed, **model)
        if exact and not self.p_values:
            return Statistics(observed, exact)
        expected, totals = drawn(
            count,
            self.gold,
            self.pred,
            placement="disjoint" if placement == "uniform" else placement,
            unit=unit,
            draws=self.draws,
            rng=np.random.default_rng([self.seed, zlib.crc32(name.encode())]),
            progress=self.progress,
        )
        return Statistics(observed, exact or expected, totals, exact=bool(exact))

    def once(self, key, function, *arguments):
        """The result of a function, worked out the first time only."""
        if key not in self.known:
            self.known[key] = function(*arguments)
        return self.known[key]

    def score(self, request, per_doc, facts):
        """The `Score` of one request."""
        score = request.scorer()
        statistics = self.statistics(request)
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
            facts = {**facts, "draws": f"{self.draws},{self.seed}"}
        documents = columns(score, statistics.pooled())
        if per_doc:
            extra["per_doc"] = self.document_rows(documents)
        return Score(
            str(request),
            **whole,
            macro=plain(mean_of_defined(labels["value"][self.used_labels()])),
            macro_docs=plain(mean_of_defined(documents["value"][self.gold.seen])),
            per_label=self.label_rows(labels),
            signature=signature(request, facts, self.intervals),
            **extra,
        )

    def limits(self, score, statistics, scores):
        """Intervals of the scores, as rows (low, high) or None: total first, then the labels."""
        keys = content_keys(self.gold, [self.pred])
        order = cluster_order(clusters_of(self.gold, self.clusters), keys)
        units = statistics.each(partial(grouped, order=order, known={}))
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

    def used_labels(self):
        """Indices of the labels that either annotator used."""
        return np.flatnonzero((support_of(self.gold) + support_of(self.pred)).sum(axis=0))

    def label_rows(self, scores):
        """{label: scores and numbers of spans} for the labels that either annotator used."""
        support = {"gold": support_of(self.gold), "pred": support_of(self.pred)}
        columns = {**scores, **{side: table.sum(axis=0) for side, table in support.items()}}
        return {self.gold.labels[i]: row_of(columns, i) for i in self.used_labels()}

    def document_rows(self, scores):
        """{document: scores and numbers of spans} for the documents that both saw."""
        support = {"gold": support_of(self.gold), "pred": support_of(self.pred)}
        columns = {**scores, **{side: table.sum(axis=1) for side, table in support.items()}}
        docs = np.flatnonzero(self.gold.seen)
        return {self.gold.name(doc): row_of(columns, doc) for doc in docs}


def support_of(spans):
    """Number of spans by document and label, those that fit no tokens included."""
    return span_mass(spans, np.ones_like)


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
