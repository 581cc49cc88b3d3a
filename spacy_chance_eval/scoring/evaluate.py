"""Score one annotation against another with any metrics of the catalog: `evaluate` -> `Score`."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral

import numpy as np

from ..measures.alignment import align, check_sentences
from ..measures.chance.draws import drawn
from ..measures.chance.expectation import check_placement
from ..measures.spans import Spans
from ..metrics.catalog import CATALOG
from ..metrics.request import Request, of_spans, parse, written
from .intervals import Resampling, Statistics
from .scores import Score, Scoring
from .tallies import tally_of

__all__ = ["DEFAULT_METRICS", "Run", "Score", "check_draws", "evaluate"]

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
    requests = {str(metric): of_spans(parse(metric)) for metric in metrics}
    run = Run(gold, pred, p_values, draws, seed, progress, {})
    scoring = Scoring(
        tally_of(run, requests.values(), keys=bool(intervals.resamples)),
        {"repair": "none"} if data is None else data,
        f"{draws},{seed}",
        per_doc,
        intervals,
        clusters,
        progress,
    )
    scores = scoring.scores(requests.values())
    return {name: scores[str(request)] for name, request in requests.items()}


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
