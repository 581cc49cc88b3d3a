"""Score one annotation against another with any metrics of the catalog: `evaluate` -> `Score`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

from ..measures.alignment import align
from ..measures.arrays import DRAW, check_memory
from ..measures.messages import quoted
from ..measures.spans import Spans
from ..metrics.request import Metrics, Request, of_spans, parse, requests_of
from .counts import PRED, Counts, count_predictions
from .intervals import Resampling, cluster_unit
from .scores import NO_INTERVALS, Score, pair_facts, score_counts

__all__ = ["DEFAULT_METRICS", "Score", "check_draws", "count_pair", "default_requests", "evaluate"]

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
"""The metrics that `evaluate` computes, unless others are asked for."""


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
    """Scores of a prediction against gold by metric, as they were asked for.

    `spacy_chance_eval.evaluate` for `Spans`; the parameters are explained there. By
    default `data` is how both were read.

    Raises
    ------
    ValueError
        For unknown metrics, corpora that differ, or spans that contradict the chance model.
    """
    pair = align(gold, pred)
    check_draws(draws)
    intervals = intervals or NO_INTERVALS
    requests = span_requests(metrics)
    counts = count_pair(
        pair,
        requests.values(),
        draws=draws,
        seed=seed,
        p_values=p_values,
        keys=bool(intervals.resamples),
        progress=progress,
    )
    scores = score_counts(
        counts,
        requests.values(),
        pair_facts(gold.facts, pred.facts) if data is None else data,
        draws=f"{draws},{seed}",
        per_doc=per_doc,
        intervals=replace(intervals, unit=cluster_unit(intervals.unit, clusters)),
        clusters=clusters,
        progress=progress,
    )
    return {name: scores[str(request)] for name, request in requests.items()}


def span_requests(metrics: Metrics) -> dict[str, Request]:
    """{name: Request} of metrics of spans, in any form."""
    return requests_of(metrics, lambda metric: of_spans(parse(metric)))


def count_pair(
    pair: tuple[Spans, Spans],
    requests: Iterable[Request],
    *,
    articles: Sequence[Any] = (),
    draws: int = 1000,
    seed: int = 0,
    p_values: bool = False,
    keys: bool = False,
    progress: Callable[..., Iterable[Any]] = iter,
) -> Counts:
    """Counts of gold and one prediction that are in memory, aligned.

    `articles` has the article of each document, None where it is unknown; articles are resampled.
    """
    counts = count_predictions(
        {PRED: pair},
        requests,
        draws=draws,
        seed=seed,
        p_values=p_values,
        keys=keys,
        progress=lambda steps, total=None, what="": progress(steps),
    )
    return replace(counts, attributes={"article": tuple(articles)} if articles else {})


def check_draws(draws: object) -> None:
    """Raise for a number of random annotations that is none, or of more than memory can hold."""
    if not isinstance(draws, Integral) or draws < 1:
        raise ValueError(f"draws is {quoted(draws)}; expected a whole number of at least 1")
    check_memory("draws", int(draws), DRAW)  # before anything is read


def default_requests(
    metrics: Iterable[str | Request] | None = (), *, chance: str | None = None, **defaults: Any
) -> dict[str, Request]:
    """{name: Request} of metrics as they were asked for, or of the usual ones.

    Parameters
    ----------
    chance : str, optional
        The chance model of metrics that are corrected by default; not of those whose correction,
        being drawn, takes long and has to be asked for by name. Without it, those that name none
        have a second one for spans that overlap: see `fitting_requests`.
    **defaults
        Values of parameters that the metrics leave open; None for none.
    """
    given = {name: value for name, value in defaults.items() if value is not None}
    requests = {}
    for name in metrics or DEFAULT_METRICS:
        usual = of_spans(parse(name, **given))
        if usual.row.parameters.get("chance", "none") != "none":
            other = parse(name, **given, chance=chance or "overlapping")
            usual = other if chance or other == usual else replace(usual, overlapping=other)
        requests[str(name)] = usual
    return requests


def check_used(requests: Mapping[str, Request], parameters: Mapping[str, object]) -> None:
    """Raise for values of parameters that none of the requests has; "none" asks for nothing."""
    for name, value in parameters.items():
        if value not in (None, "none") and not any(
            name in one.parameters for one in requests.values()
        ):
            raise ValueError(
                f"no parameter {name} in {', '.join(requests)}; leave {name} {quoted(value)} out, "
                "or name a metric that has it"
            )


def fitting_requests(
    requests: Mapping[str, Request], overlaps: Collection[bool]
) -> dict[str, Request]:
    """{name: Request} with overlapping chance where the spans need it, and none was named.

    `overlaps` has False if spans of one label overlap or have gaps, True if they do without labels.
    """
    return {
        name: (one.overlapping if one.ignores_labels in overlaps else None) or one
        for name, one in requests.items()
    }
