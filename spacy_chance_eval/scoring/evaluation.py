"""Score one annotation against another with any metrics of the catalog: `evaluate` -> `Score`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

from ..measures.alignment import align
from ..measures.spans import Spans
from ..metrics.request import Metrics, Request, of_spans, parse, requests_of
from .counts import PRED, count_predictions
from .intervals import Resampling, article_clusters
from .scores import Score, layer_result, score_counts

__all__ = ["DEFAULT_METRICS", "Score", "check_draws", "default_requests", "evaluate", "score_layer"]

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
    gold: Spans,
    pred: Spans,
    metrics: Metrics = DEFAULT_METRICS,
    *,
    per_doc: bool = False,
    p_values: bool = False,
    draws: int = 1000,
    seed: int = 0,
    intervals: Resampling | None = None,
    clusters: Sequence[Any] | None = None,
    data: Mapping[str, Any] | None = None,
    progress: Callable[..., Iterable[Any]] = iter,
) -> dict[str, Score]:
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
        Also make confidence intervals in this way.
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
    pair = align(gold, pred)
    check_draws(draws)
    intervals = intervals or Resampling(resamples=0)
    requests = requests_of(metrics, lambda metric: of_spans(parse(metric)))
    counts = count_predictions(
        {PRED: pair},
        requests.values(),
        draws=draws,
        seed=seed,
        p_values=p_values,
        keys=bool(intervals.resamples),
        progress=lambda steps, total=None, what="": progress(steps),
    )
    scores = score_counts(
        counts,
        requests.values(),
        {"repair": "none"} if data is None else data,
        draws=f"{draws},{seed}",
        per_doc=per_doc,
        intervals=intervals,
        clusters=clusters,
        progress=progress,
    )
    return {name: scores[str(request)] for name, request in requests.items()}


def score_layer(
    gold: Spans,
    pred: Spans,
    requests: Mapping[str, Request],
    *,
    data: Mapping[str, Any],
    attributes: Sequence[Mapping[str, Any]] = (),
    per_doc: bool = False,
    p_values: bool = False,
    draws: int = 1000,
    seed: int = 0,
    intervals: Resampling | None = None,
    progress: Callable[..., Iterable[Any]] = iter,
) -> dict[str, Any]:
    """Numbers of documents and spans, and all scores, as plain values.

    Parameters
    ----------
    gold, pred : Spans
    requests : mapping of str to Request
    data : mapping
        What signatures say of the data.
    attributes : sequence of mappings
        One per document; may tell its article, which is then what is resampled.
    per_doc, p_values, draws, seed, intervals, progress
        As parameters of `evaluate`.

    Raises
    ------
    ValueError
        If no document is annotated by both.
    """
    pair = align(gold, pred)
    if not pair[0].seen.any():
        raise ValueError("no document is annotated on both sides; there is nothing to score")
    unit, clusters = article_clusters(attributes)
    intervals = replace(intervals or Resampling(resamples=0), unit=unit)
    counts = count_predictions(
        {PRED: pair},
        requests.values(),
        draws=draws,
        seed=seed,
        p_values=p_values,
        keys=bool(intervals.resamples),
        progress=lambda steps, total=None, what="": progress(steps),
    )
    scores = score_counts(
        counts,
        requests.values(),
        data,
        draws=f"{draws},{seed}",
        per_doc=per_doc,
        intervals=intervals,
        clusters=clusters,
        progress=progress,
    )
    return layer_result(counts, requests, scores)


def check_draws(draws: object) -> None:
    """Raise for a number of random annotations that is none."""
    if not isinstance(draws, Integral) or draws < 1:
        raise ValueError(f"draws is {draws!r}; expected a whole number of at least 1")


def default_requests(
    metrics: Iterable[str | Request] | None = (), *, chance: str | None = None, **defaults: Any
) -> dict[str, Request]:
    """{name: Request} of metrics as they were asked for, or of the usual ones.

    Parameters
    ----------
    metrics : sequence of str
    chance : str, optional
        The chance model of metrics that are corrected by default; not of those whose correction,
        being drawn, takes long and has to be asked for by name.
    **defaults
        Values of parameters that the metrics leave open; None for none.
    """
    given = {name: value for name, value in defaults.items() if value is not None}
    corrected = given | ({} if chance is None else {"chance": chance})
    requests = {}
    for name in metrics or DEFAULT_METRICS:
        usual = of_spans(parse(name, **given))
        asks = usual.row.parameters.get("chance", "none") != "none"
        requests[str(name)] = parse(name, **corrected) if asks else usual
    return requests
