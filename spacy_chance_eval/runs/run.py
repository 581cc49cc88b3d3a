"""`StoredRun`: a scored run as its additive statistics, and what they were counted on.

Scores, intervals and tests can be made from it alone. `store` writes it to files, `compare`
compares two of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from types import MappingProxyType

import numpy as np

from ..about import __version__
from ..measures.alignment import align
from ..measures.spans import Spans, trusted
from ..metrics.catalog import CATALOG
from ..metrics.request import Request, checked, parse, written, written_value
from ..scoring.evaluate import Run, check_draws
from ..scoring.intervals import Statistics, article_clusters
from ..scoring.scoring import check_shared
from ..scoring.tallies import parts, tally_of, wide, widened

ANNOTATIONS = ("spans", "none", "text")


@dataclass(frozen=True, eq=False)
class Kept:
    """The statistics of one metric.

    `prior` tells for which values or lengths there are columns, as `Request.prior` has it; `draws`
    what the random annotations were, if the expectation has no formula: their number and seed.
    """

    request: Request
    statistics: Statistics
    prior: Mapping
    draws: str | None = None


@dataclass(frozen=True, eq=False)
class Annotations:
    """What was counted: two aligned annotators, and the texts of documents without tokens."""

    gold: Spans
    pred: Spans
    texts: tuple | None = None

    def part(self, docs, labels):
        """Both sides, aligned, with some documents in the order of `docs`, and more labels."""
        return align(*(part_of(side, docs, labels) for side in (self.gold, self.pred)))

    def text(self, doc, start, end):
        """The text of a stretch; None where no text is kept."""
        if self.texts is not None:
            return self.texts[doc][start:end]
        if self.gold.words is None:
            return None
        first = self.gold.offsets[doc]
        return " ".join(self.gold.words[first + start : first + end])


def part_of(spans, docs, labels):
    """Some documents of an annotator, in the order of `docs`, with more labels."""
    place = np.full(spans.n_docs, -1)
    place[docs] = np.arange(len(docs))
    offsets, words = spans.offsets.tolist(), spans.words
    if words is not None:
        words = [word for d in docs for word in words[offsets[d] : offsets[d + 1]]]
    tables = {}
    for name in ("unplaced", "stretches"):
        rows = getattr(spans, name)
        tables[name] = np.column_stack([place[rows[:, 0]], rows[:, 1:]])[place[rows[:, 0]] >= 0]
    index = np.array([labels.index(name) for name in spans.labels], np.int64)
    tables["unplaced"][:, 1] = index[tables["unplaced"][:, 1]]
    kept = spans.keep(place[spans.doc] >= 0)
    return Spans(
        place[kept.doc],
        kept.start,
        kept.end,
        index[kept.label],
        spans.sizes[docs],
        labels,
        seen=spans.seen[docs],
        sentences=spans.sentences[docs],
        words=words,
        names=spans.names and [spans.names[doc] for doc in docs],
        **tables,
    )


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A prediction scored against gold: statistics with one row per document.

    Parameters
    ----------
    metrics : mapping of str to Kept
        Under the names that they were asked for.
    labels : tuple of str
        The columns of the statistics: labels of gold and prediction, sorted.
    names : tuple of str, or None
        Names of the documents.
    seen : boolean array of shape (n_docs,)
        Whether both sides annotated the document.
    keys : mapping of str to unsigned integer array of shape (n_docs,)
        The content of each document: "gold" and "pred" order documents for resampling, "words"
        tell their words, and "named" tells gold whatever other labels the corpus has.
    support : mapping of str to integer array of shape (n_docs, n_labels)
        Numbers of spans of "gold" and "pred".
    unit, clusters : str, tuple of str or None
        What is resampled: "documents", or the name of the cluster of each document.
    facts : mapping
        What signatures say of the data: positions, digest of gold, repair.
    sources : tuple of str
        Where gold and prediction came from.
    version, saved : str
        Of the package; when it was saved, in UTC.
    """

    metrics: Mapping
    labels: tuple
    names: tuple | None
    seen: np.ndarray
    keys: Mapping
    support: Mapping
    unit: str
    clusters: tuple | None
    facts: Mapping
    sources: tuple
    version: str
    saved: str
    title: str | None = None
    annotations: Annotations | None = None

    @property
    def n_docs(self):
        return len(self.seen)

    def name(self, doc):
        """How messages and tables call a document."""
        return self.names[doc] if self.names else f"document {doc + 1}"

    def about(self):
        """What reports say of the run, as plain values."""
        return {
            "title": self.title,
            "path": None,
            "saved": self.saved,
            "version": self.version,
            "gold": self.sources[0],
            "pred": self.sources[1],
            "digest": self.facts["gold"],
            "n_docs": int(self.seen.sum()),
            "n_gold": int(self.support["gold"].sum()),
            "n_pred": int(self.support["pred"].sum()),
        }


def stored_run(
    gold,
    pred,
    metrics,
    *,
    attributes=(),
    data=None,
    draws=1000,
    seed=0,
    annotations="spans",
    texts=None,
    sources=("", ""),
    title=None,
    saved=None,
    progress=iter,
):
    """The `StoredRun` of a prediction.

    Parameters
    ----------
    gold, pred : Spans
    metrics : mapping, or sequence, of str or Request
    attributes : sequence of mappings
        One per document; may tell its article, which is then what is resampled.
    data : mapping, optional
        What signatures say of the data; by default {"positions": "token", "repair": "none"}.
    draws, seed : int
        Random annotations, where an expectation has no formula.
    annotations : "spans", "none" or "text"
        Also keep the spans of both sides, nothing of them, or the spans and the text.
    texts : sequence of str, optional
        Of the documents, where positions are characters.
    sources, title, saved
        See `StoredRun`; by default saved now.
    progress : callable
        Wraps the range of draws.

    Raises
    ------
    ValueError
        For unknown metrics, corpora that differ, or no document that both sides annotated.
    """
    if not isinstance(metrics, Mapping):
        metrics = {str(metric): metric for metric in metrics}
    requests = {name: parse(metric) for name, metric in metrics.items()}
    check_draws(draws)
    check_annotations(annotations)
    pair = align(gold, pred)
    check_shared(pair)
    tally, priors = tally_to_store(pair, requests.values(), draws, seed, progress)
    return run_of(
        tally,
        requests,
        priors=priors,
        draws=f"{draws},{seed}",
        clusters=article_clusters(attributes),
        data=data,
        annotations=kept_annotations(*pair, annotations, texts),
        sources=sources,
        title=title,
        saved=saved,
    )


def tally_to_store(pair, requests, draws, seed, progress=iter):
    """The `Tally` of two aligned annotators, and the priors of the requests."""
    priors = {asked: asked.prior([pair]) for asked in requests}
    run = Run(*pair, False, draws, seed, progress, {}, priors=priors)
    return tally_of(run, requests, keys=True), priors


def run_of(
    tally,
    requests,
    *,
    priors,
    draws,
    clusters=("documents", None),
    data=None,
    annotations=None,
    sources=("", ""),
    title=None,
    saved=None,
):
    """The `StoredRun` of a `Tally` with rows and keys.

    Parameters
    ----------
    tally : Tally
    requests : mapping of str to Request
        By the names that they were asked for.
    priors : mapping of Request to mapping
        What they were counted with.
    draws : str
        Number and seed of random annotations.
    clusters : (str, sequence or None)
        What is resampled, see `intervals.article_clusters`.
    annotations : Annotations or None
    data, sources, title, saved
        As `stored_run` has them.
    """
    unit, names = clusters
    facts = {"positions": "token", "repair": "none"} if data is None else dict(data)
    return StoredRun(
        metrics={name: kept_metric(tally, one, priors, draws) for name, one in requests.items()},
        labels=tally.labels,
        names=tally.rows.names,
        seen=tally.rows.seen,
        keys=tally.rows.keys,
        support={side: wide(table) for side, table in tally.support.items()},
        unit=unit,
        clusters=names and tuple(map(str, names)),
        facts=facts | {"gold": tally.digest()},
        sources=tuple(map(str, sources)),
        version=__version__,
        saved=saved or now(),
        title=title,
        annotations=annotations,
    )


def check_annotations(annotations):
    """Raise for a value that does not say what is kept."""
    if annotations not in ANNOTATIONS:
        known = ", ".join(ANNOTATIONS)
        raise ValueError(f"annotations is {annotations!r}; expected one of {known}")


def kept_annotations(gold, pred, annotations, texts=None):
    """The `Annotations` as far as they are kept; None for "none"."""
    if annotations == "none":
        return None
    sides = (trusted(side, features=None) for side in (gold, pred))
    if annotations == "text":
        return Annotations(*sides, texts and tuple(texts))
    return Annotations(*(trusted(side, words=None) for side in sides))


def now():
    """The time in UTC, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def kept_metric(tally, asked, priors, draws):
    """The `Kept` of a request."""
    statistics = tally.statistics[str(asked)]
    return Kept(
        plain_request(asked),
        replace(statistics, totals=None, **parts(widened(statistics))),
        priors.get(asked, {}),
        None if statistics.totals is None else draws,
    )


def plain_request(asked):
    """The request with tables and functions among its parameters as its name shows them.

    Statistics are scored without them; they cannot be counted again.
    """
    plain = {
        key: value if isinstance(value, (str, int, float)) else written_value(value)
        for key, value in asked.parameters.items()
    }
    return replace(asked, parameters=MappingProxyType(plain))


def can_be_counted(asked):
    """Whether a request that was kept says all that it takes to count it again."""
    try:
        return str(parse(asked.name)) == asked.name
    except ValueError:
        return False


def request_of(metric, parameters):
    """The request that was kept with these parameters; raises ValueError if it cannot be one."""
    if metric not in CATALOG:
        raise ValueError(f"unknown metric {metric!r}; this version knows {', '.join(CATALOG)}")
    row = CATALOG[metric]
    plain = all(isinstance(value, (str, int, float)) for value in parameters.values())
    if list(parameters) != sorted(row.parameters) or not plain:
        raise ValueError(f"{metric} has other parameters: {', '.join(sorted(row.parameters))}")
    for name in {"chance", *row.scored} & parameters.keys():
        if repr(checked(name, parameters[name])) != repr(parameters[name]):
            raise ValueError(f"{name} of {metric} is {parameters[name]!r}")
    return Request(metric, f"{metric}{written(parameters)}", MappingProxyType(dict(parameters)))
