"""`StoredRun`: a scored run as its additive statistics, and the annotations behind them.

Scores, intervals and tests can be made from it alone. `files` writes it, `compare` compares two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from types import MappingProxyType
from typing import Any

import numpy as np

from ..about import __version__
from ..formats.errors import did_you_mean, known
from ..measures.alignment import ROLES, align, as_prediction, with_labels
from ..measures.arrays import IntArray, KeyArray
from ..measures.crowds import CrowdWork
from ..measures.fragments import have_fragments
from ..measures.messages import quoted
from ..measures.panel import Panel
from ..measures.spans import Spans, trusted
from ..metrics.catalog import CATALOG
from ..metrics.request import (
    Metrics,
    Request,
    checked,
    parse,
    requests_of,
    written,
    written_value,
)
from ..scoring.counts import Counts
from ..scoring.evaluation import check_draws, count_pair
from ..scoring.intervals import article_clusters
from ..scoring.scores import pair_facts
from ..scoring.statistics import Statistics, wide

ANNOTATIONS = ("spans", "none", "text")


@dataclass(frozen=True, eq=False)
class StoredMetric:
    """A metric of a run.

    Parameters
    ----------
    statistics : Statistics
        A row for each document.
    columns : mapping
        For which values or lengths the statistics have columns: arguments of the count.
    draws : str, optional
        Number and seed of random annotations, if the expectation has no formula.
    """

    request: Request
    statistics: Statistics
    columns: Mapping[str, Any]
    draws: str | None = None


@dataclass(frozen=True, eq=False)
class Annotations:
    """The counted annotations: two aligned annotators, and texts of documents without tokens."""

    gold: Spans
    pred: Spans
    texts: tuple[str, ...] | None = None

    def part(self, docs: IntArray, labels: Sequence[str]) -> tuple[Spans, Spans]:
        """Gold and prediction, aligned: some documents in the order of `docs`, with more labels."""
        both = (with_labels(spans, labels) for spans in (self.gold, self.pred))
        work = CrowdWork.of(Panel(dict(zip(ROLES, both))))
        gold, pred = (work.taken(np.full_like(docs, number), docs) for number in range(2))
        return align(gold, pred)

    def text(self, doc: int, start: int, end: int) -> str | None:
        """The text of some positions of a document; None where no text is kept."""
        if self.texts is not None:
            return self.texts[doc][start:end]
        if self.gold.words is None:
            return None
        first = self.gold.offsets[doc]
        return " ".join(self.gold.words[first + start : first + end])


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A prediction scored against gold, kept as its counts.

    Parameters
    ----------
    counts : Counts
        Of gold and the prediction: the documents, with the keys of both, and numbers of spans.
    metrics : mapping of str to StoredMetric
        Under the names that they were asked for.
    unit : str
        The resampled unit: "documents", or the name of their clusters.
    clusters : tuple of str, optional
        The name of each document's cluster.
    facts : mapping
        Facts about the data for signatures: positions, digest of gold, repair.
    sources : pair of str
        Where gold and prediction came from.
    version, saved : str
        Version of the package; when the run was saved, in UTC.
    title : str, optional
        Name of the run in comparisons and boards.
    annotations : Annotations, optional
        The counted annotations, if they are kept.
    """

    counts: Counts
    metrics: Mapping[str, StoredMetric]
    unit: str
    clusters: tuple[str, ...] | None
    facts: Mapping[str, Any]
    sources: tuple[str, ...]
    version: str
    saved: str
    title: str | None = None
    annotations: Annotations | None = None

    @property
    def keys(self) -> dict[str, KeyArray]:
        """The content of documents, as "gold", "pred", "words" and "named": shape (n_docs,).

        "gold" and "pred" order documents for resampling; "words" are the same where the words are,
        "named" where gold is, even if the corpus has other labels.
        """
        counts = self.counts
        assert counts.contents is not None and counts.words is not None
        assert counts.named is not None
        gold, pred = counts.contents
        return {"gold": gold, "pred": pred, "words": counts.words, "named": counts.named}

    def metric(self, asked: str, who: str = "the run") -> StoredMetric:
        """A metric of the run.

        Parameters
        ----------
        asked : str
            The name that it was asked for, or that of its request.
        who : str
            How messages call the run.
        """
        for name, one in self.metrics.items():
            if asked in (name, one.request.name):
                return one
        hint, has = did_you_mean(asked, self.metrics), ", ".join(self.metrics)
        raise ValueError(f"{who} has no metric {quoted(asked)}{hint}; it has {has}")

    def about(self) -> dict[str, Any]:
        """Facts about the run for reports, as plain values."""
        gold, pred = (int(self.counts.support["annotator", i].sum()) for i in range(2))
        return {
            "title": self.title,
            "path": None,
            "saved": self.saved,
            "version": self.version,
            "gold": self.sources[0],
            "pred": self.sources[1],
            "digest": self.facts["gold"],
            "n_docs": int(self.counts.seen[0].sum()),
            "n_gold": gold,
            "n_pred": pred,
        }


def stored_run(
    gold: Spans,
    pred: Spans,
    metrics: Metrics,
    *,
    attributes: Sequence[Mapping[str, Any]] = (),
    data: Mapping[str, Any] | None = None,
    draws: int = 1000,
    seed: int = 0,
    annotations: str = "spans",
    texts: Sequence[str] | None = None,
    sources: Sequence[object] = ("", ""),
    title: str | None = None,
    saved: str | None = None,
    progress: Callable[..., Iterable[Any]] = iter,
) -> StoredRun:
    """The `StoredRun` of a prediction.

    Parameters
    ----------
    gold, pred : Spans
        Of the same documents and tokens.
    metrics : mapping, or sequence, of str or Request
        Metrics to count; of a mapping, under its keys.
    attributes : sequence of mappings
        One per document; may name its article, which is then resampled.
    data : mapping, optional
        Facts about the data for signatures; by default how both were read.
    draws : int
        Number of random annotations, where an expectation has no formula.
    seed : int
        Of the random annotations.
    annotations : "spans", "none" or "text"
        Also keep the spans of both, nothing of them, or the spans and the text.
    texts : sequence of str, optional
        Of the documents, where positions are characters.
    sources : pair of str
        Where gold and the prediction came from.
    title, saved : str, optional
        A title; when the run was saved, in UTC, by default now.
    progress : callable
        Wraps the range of draws.

    Raises
    ------
    ValueError
        For unknown metrics, corpora that differ, or no document that both annotated.
    """
    for name, one in (("gold", gold), ("pred", pred)):
        if not isinstance(one, Spans):
            raise TypeError(
                f"{name} is {type(one).__name__}; expected Spans, as of Spans.from_tags"
            )
    requests = requests_of(metrics)
    if not requests:
        raise ValueError("metrics are empty; expected names, such as ['span_f']")
    check_draws(draws)
    known(annotations, ANNOTATIONS, "value of annotations")
    pair = align(gold, as_prediction(pred))
    if not pair[0].seen.any():
        raise ValueError(
            "no document is annotated in both gold and prediction; there is nothing to score"
        )
    counts = count_pair(
        pair, requests.values(), draws=draws, seed=seed, keys=True, progress=progress
    )
    return run_of_counts(
        counts,
        requests,
        draws=f"{draws},{seed}",
        clusters=article_clusters([one.get("article") for one in attributes]),
        data=pair_facts(gold.facts, pred.facts) if data is None else data,
        annotations=kept_annotations(*pair, annotations, texts),
        sources=sources,
        title=title,
        saved=saved,
    )


def run_of_counts(
    counts: Counts,
    requests: Mapping[str, Request],
    *,
    number: int = 1,
    draws: str,
    clusters: tuple[str, Sequence[Any] | None] = ("documents", None),
    data: Mapping[str, Any],
    annotations: Annotations | None = None,
    sources: Sequence[object] = ("", ""),
    title: str | None = None,
    saved: str | None = None,
) -> StoredRun:
    """The `StoredRun` of the counts of gold and a prediction, with rows and keys.

    `requests` are by the names that they were asked for, `number` is that of the prediction in the
    counts; `clusters` are the resampled unit, and the cluster of each document. `data`, `sources`,
    `title` and `saved` are those of `stored_run`.
    """
    unit, names = clusters
    facts = dict(data)
    own = counts.of_system(number)
    support = {key: wide(table) for key, table in own.support.items()}
    return StoredRun(
        counts=replace(own, support=support, attributes={}, columns={}),
        metrics={
            name: _stored_metric(counts, one, draws, number) for name, one in requests.items()
        },
        unit=unit,
        clusters=None if names is None else tuple(map(str, names)),
        facts=facts | {"gold": counts.digest()},
        sources=tuple(map(str, sources)),
        version=__version__,
        saved=saved or datetime.now(timezone.utc).isoformat(timespec="seconds"),
        title=title,
        annotations=annotations,
    )


def _stored_metric(counts: Counts, request: Request, draws: str, number: int) -> StoredMetric:
    """The `StoredMetric` of a request."""
    statistics = counts.statistics(request, number)
    drawn = None if statistics.totals is None else draws
    columns = counts.columns.get(request, {})
    return StoredMetric(_plain_request(request), statistics.arrays(wide), columns, drawn)


def kept_annotations(
    gold: Spans, pred: Spans, annotations: str, texts: Sequence[str] | None = None
) -> Annotations | None:
    """The `Annotations` that are kept; None for "none", and of discontinuous spans.

    Runs are compared by differences between spans, which those have not.
    """
    if annotations == "none" or have_fragments(gold, pred):
        return None
    gold, pred = (trusted(spans, features=None, copies=None) for spans in (gold, pred))
    if annotations == "text":
        return Annotations(gold, pred, None if texts is None else tuple(texts))
    return Annotations(trusted(gold, words=None), trusted(pred, words=None))


def _plain_request(request: Request) -> Request:
    """The request with tables and functions among its parameters as its name shows them.

    Statistics are scored without them; they cannot be counted again.
    """
    plain = {
        key: value if isinstance(value, (str, int, float)) else written_value(value)
        for key, value in request.parameters.items()
    }
    return replace(request, parameters=MappingProxyType(plain))


def can_be_counted(request: Request) -> bool:
    """Whether a request that was kept says all that it takes to count it again."""
    try:
        return str(parse(request.name)) == request.name
    except ValueError:
        return False


def stored_request(metric: str, parameters: Mapping[str, Any]) -> Request:
    """The request that was kept with these parameters."""
    row = CATALOG[known(metric, CATALOG, "metric")]
    if parameters.keys() - {"labels"} != {*row.parameters}:
        raise ValueError(f"{metric} has other parameters: {', '.join(sorted(row.parameters))}")
    for name in {"chance", *row.scored} & parameters.keys():
        if checked(row, name, parameters[name]) != parameters[name]:
            raise ValueError(f"{name} of {metric} is {quoted(parameters[name])}")
    return Request(metric, f"{metric}{written(parameters)}", MappingProxyType(dict(parameters)))
