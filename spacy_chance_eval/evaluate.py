"""Score one annotation against another with any metrics of the catalog: `evaluate` -> `Score`."""

import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from numbers import Integral

import numpy as np

from .about import __version__
from .catalog import CATALOG, Request, parse, written
from .measures.alignment import align, check_sentences
from .measures.draws import drawn, p_value, standard_error
from .measures.expectation import check_placement
from .measures.matching import span_mass
from .measures.spans import Spans
from .measures.stats import Additive, chance_corrected, mean_of_defined

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
    labels' values that are defined. `per_label` and `per_doc` hold value, observed, expected and
    the numbers of gold and predicted spans. `standard_error` is that of an expectation by drawing.
    """

    name: str
    value: float | None
    observed: float | None
    expected: float | None
    macro: float | None
    per_label: dict
    signature: str
    standard_error: float | None = None
    p_value: float | None = None
    interval: tuple | None = None
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
    data : mapping, optional
        What more the signature should say of the data; by default {"repair": "none"}.
    progress : callable
        Wraps the range of draws; for progress bars.

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
    if not isinstance(draws, Integral) or draws < 1:
        raise ValueError(f"draws is {draws!r}; expected a whole number of at least 1")
    run = Run(gold, pred, p_values, draws, seed, progress, {})
    facts = {"positions": "token", "docs": int(gold.seen.sum()), "gold": gold.digest()}
    facts.update({"repair": "none"} if data is None else data)
    return {str(metric): run.score(parse(metric), per_doc, facts) for metric in metrics}


@dataclass(frozen=True)
class Statistics:
    """What a metric is scored from: statistics with one row per document."""

    observed: Additive
    expected: Additive | None = None  # under the chance model
    totals: Additive | None = None  # of each random annotation, where some were drawn
    exact: bool = True  # whether `expected` comes from a formula

    def total(self):
        """Sums over the documents."""
        return Statistics(self.observed.total(), self.expected and self.expected.total())

    def pooled(self):
        """Sums over the labels."""
        return Statistics(self.observed.pooled(), self.expected and self.expected.pooled())


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

    def statistics(self, request):
        """The `Statistics` of a request."""
        metric = CATALOG[request.metric]
        counted = request.only(metric.counted)
        name = f"{metric.count.__name__}{written(counted)}"
        count = partial(metric.count, **counted)
        observed = self.once(name, count, self.gold, self.pred)
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
        metric = CATALOG[request.metric]
        score = partial(metric.score, **request.only(metric.scored))
        statistics = self.statistics(request)
        total = statistics.total()
        whole, labels = columns(score, total.pooled()), columns(score, total)
        extra = {}
        if statistics.totals is not None:
            replicas = score(statistics.totals.pooled())
            extra["p_value"] = plain(p_value(whole["observed"], replicas)[0])
            if not statistics.exact:
                extra["standard_error"] = plain(standard_error(replicas)[0])
            facts = {**facts, "draws": f"{self.draws},{self.seed}"}
        if per_doc:
            extra["per_doc"] = self.document_rows(columns(score, statistics.pooled()))
        return Score(
            str(request),
            **{name: plain(column[0]) for name, column in whole.items()},
            macro=plain(mean_of_defined(labels["value"][self.used_labels()])),
            per_label=self.label_rows(labels),
            signature=signature(request, facts),
            **extra,
        )

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


def columns(score, statistics):
    """Value, observed and expected score of statistics (expected: nan without a chance model)."""
    observed = score(statistics.observed)
    if statistics.expected is None:
        return {
            "value": observed,
            "observed": observed,
            "expected": np.full(observed.shape, np.nan),
        }
    expected = score(statistics.expected)
    value = chance_corrected(observed, expected)
    return {"value": value, "observed": observed, "expected": expected}


def support_of(spans):
    """Number of spans by document and label, those that fit no tokens included."""
    return span_mass(spans, np.ones_like)


def row_of(columns, index):
    """One entry of every column, as plain numbers."""
    return {name: plain(column[index].item()) for name, column in columns.items()}


def plain(number):
    """A Python number; None for nan, so that JSON can hold it."""
    if isinstance(number, int):
        return number
    return None if np.isnan(number) else float(number)


def signature(request, facts):
    """What a result is quoted with: metric and parameters, data, resampling, version."""
    order = ("positions", "docs", "gold", "repair")
    rest = sorted(facts.keys() - {*order, "draws"})
    parts = [f"{key}={facts[key]}" for key in (*order, *rest, "draws") if key in facts]
    return "|".join([str(request), *parts, "ci=none", f"v={__version__}"])
